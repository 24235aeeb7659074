# `make run` opens the app on sample data; `make test` runs every test. Both set up what they need.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEMO   := .demo/rubrics.db

.PHONY: run test lint types imports check format bench docs clean help

run: $(VENV)/.installed  ## open the app on sample data, in a store of its own
	@$(BIN)/rubrictui demo --path $(DEMO)

test: $(VENV)/.installed-dev  ## run all tests
	@$(BIN)/python -m pytest -n auto -q

lint: $(VENV)/.installed-dev  ## style, by ruff
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.installed-dev  ## types, by mypy
	@$(BIN)/mypy src/rubrictui

imports: $(VENV)/.installed-dev  ## the house: imports go down only
	@$(BIN)/lint-imports

check: lint types imports test  ## everything CI looks at

format: $(VENV)/.installed-dev  ## put the code into shape
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

bench: $(VENV)/.installed-dev  ## the numbers of docs/, measured here
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || true; done

docs: $(VENV)/.installed-dev  ## regenerate what docs/ takes from the program: help texts and screenshots
	@$(BIN)/python -m rubrictui.cli.docs docs/cli.md
	@$(BIN)/python docs/keys_page.py
	@$(BIN)/python docs/screenshots.py

clean:  ## remove the environment and the demo store
	rm -rf $(VENV) .demo build dist src/*.egg-info

help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/'

# The environment: made once, brought up to date when what it is made from changes.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "rubrictui needs Python 3.11 or newer; this is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module is missing. On Debian or Ubuntu: apt install python3-venv"; exit 1; }
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Setting up rubrictui (once; a minute or so) ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Setting up rubrictui and its test tools (once; a minute or two) ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.installed
