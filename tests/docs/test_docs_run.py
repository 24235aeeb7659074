"""What the guide tells people to type works, in the order in which it stands there."""

from __future__ import annotations

import io
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from rubrictui.__main__ import main

DOCS = Path(__file__).parents[2] / "docs"
# A block that is run, and the output shown below it.
MATTER_BLOCKS = re.compile(r"^```(sh|python)\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
# What only a shell understands.
SHELL = re.compile(r"[|<>;&$`*]")
LINKS = re.compile(r"\]\((?!https?:)([^)#]+)")


class Typed(NamedTuple):
    """What a typed line did."""

    code: int
    out: str
    err: str


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Typed]:
    """Types a line: a command of the program runs in this process, which saves its start, all else in a shell."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")

    def line(text: str) -> Typed:
        words = shlex.split(text, comments=True) if not SHELL.search(text) else []
        if words[:1] == ["rubrictui"]:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
            capsys.readouterr()
            code = main(words[1:])
            return Typed(code, *capsys.readouterr())
        done = subprocess.run(["sh", "-ec", text], capture_output=True, text=True, check=False)
        return Typed(done.returncode, done.stdout, done.stderr)

    return line


def lines_of(block: str) -> list[str]:
    """The lines of a block, each with those that continue it; a block that holds more than lines stays whole."""
    joined = block.replace("\\\n", " ")
    return [block] if "<<" in block else [line for line in joined.splitlines() if line.strip()]


def test_every_command_of_the_guide_runs(
    typed: Callable[[str], Typed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(DOCS / "examples", tmp_path / "examples"))
    monkeypatch.setenv("RUBRICTUI_DB", str(tmp_path / "rubrics.db"))
    blocks = re.findall(r"^```sh\n(.*?)^```", (DOCS / "guide.md").read_text(), re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) > 10
    for line in lines:
        done = typed(line)
        assert done.code == 0, f"{line}\n{done.out}{done.err}"


def test_what_the_page_of_matters_types_prints_what_it_shows(
    typed: Callable[[str], Typed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = MATTER_BLOCKS.findall((DOCS / "matters.md").read_text(encoding="utf-8"))
    assert len(blocks) > 10
    for language, block, shown in blocks:
        lines = (
            lines_of(block)
            if language == "sh"
            else [f"{shlex.quote(sys.executable)} -c {shlex.quote(block)}"]
        )
        printed = ""
        for line in lines:
            done = typed(line)
            assert done.code == 0, f"{line}\n{done.out}{done.err}"
            printed += done.out
        assert printed.strip() == shown.strip(), f"the page shows something else for:\n{block}"


@pytest.mark.parametrize(
    "page", [*sorted(DOCS.glob("*.md")), DOCS.parent / "README.md"], ids=lambda page: page.name
)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    missing = [link for link in LINKS.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not missing


def test_the_page_of_keys_is_what_the_program_binds() -> None:
    made = runpy.run_path(str(DOCS / "keys_page.py"))
    assert (DOCS / "keys.md").read_text() == made["page"](), "run: make docs"
