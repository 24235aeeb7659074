"""docs/evaluators.md is true: its plugin runs as it is printed, and its Python does what it says."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rubrictui.core.records import Subject
from rubrictui.engine import Engine, EvaluatorFailedError
from rubrictui.evaluators import registry as module
from rubrictui.evaluators.content import content_providers
from rubrictui.evaluators.settings import EvaluatorSettings

DOCS = Path(__file__).parents[2] / "docs"
PLUGIN = DOCS / "examples" / "readability"
PAGE = (DOCS / "evaluators.md").read_text(encoding="utf-8")
SHORT = "We came. We saw. We sailed home again before the storm had reached the bay."
LONG = " ".join(["We came and saw and sailed and rowed and walked and slept"] * 5) + "."


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The example installed, as its own packaging says."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    packaging = tomllib.loads((PLUGIN / "pyproject.toml").read_text())
    offered = packaging["project"]["entry-points"]["rubrictui.evaluators"]
    entries = [EntryPoint(name, value, "rubrictui.evaluators") for name, value in offered.items()]
    monkeypatch.setattr(module, "installed", lambda group: entries)
    yield import_module("readability")
    sys.modules.pop("readability", None)


@pytest.fixture
def engine(sample_store: Path, tmp_path: Path) -> Iterator[Engine]:
    with Engine(shutil.copy(sample_store, tmp_path / "rubrics.db")) as opened:
        opened.add_subjects(
            [
                Subject(entity="Bid", record_id="7", title="Seven", text=SHORT),
                Subject(entity="Bid", record_id="8", title="Eight", text=LONG),
                Subject(entity="Bid", record_id="9", title="Nine"),
            ]
        )
        yield opened


def evaluate(engine: Engine, record: str, **more: Any) -> Any:
    return engine.evaluate_record(
        rubric="Procurement", subject=f"Bid/{record}", evaluator="acme readability", **more
    )


def test_the_plugin_scores_texts_by_its_own_measure(plugin: ModuleType, engine: Engine) -> None:
    easy, hard = evaluate(engine, "7"), evaluate(engine, "8")
    assert (easy.score, hard.score) == (1.0, 0.0)
    assert easy.detail.evaluation.evaluator_name == plugin.ReadabilityEvaluator.name
    assert easy.detail.evaluation.metadata["Evaluator"]["WordsASentence"] < 20
    strict = evaluate(engine, "7", settings={"Extensions": {"Acme Readability": 3}})
    assert strict.score == 0.0
    assert strict.detail.evaluation.metadata["Evaluator"]["Settings"] == {
        "Extensions": {"Acme Readability": 3}
    }


def test_the_plugin_fails_on_a_subject_without_a_text(plugin: ModuleType, engine: Engine) -> None:
    with pytest.raises(EvaluatorFailedError, match="no text to read"):
        evaluate(engine, "9")


def test_the_plugin_is_listed_with_where_it_comes_from(plugin: ModuleType, engine: Engine) -> None:
    (row,) = [row for row in engine.evaluators() if row.name == "Acme Readability"]
    assert (row.runnable, row.evaluator_type, row.origin) == (
        True, "External", "readability:ReadabilityEvaluator"
    )  # fmt: skip


def test_the_settings_of_the_page_are_those_there_are() -> None:
    table = PAGE[PAGE.index("| setting |") : PAGE.index("An evaluation keeps")]
    written = {
        name for row in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"`(\w+)`", row)
    }
    fields = EvaluatorSettings.__struct_fields__
    assert {name.casefold() for name in written} == {field.replace("_", "") for field in fields}


def test_the_python_of_the_page_runs(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.add_subjects([Subject(entity="Bid", record_id="7", data={"certifications": ["ISO 27001"]})])
    from rubrictui.core.records import Context

    engine.add_context(Context(entity="Round", record_id="spring", name="Spring"))
    calling, providing = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.setattr("rubrictui.Engine", lambda path: Engine(engine._database.path))
    found: dict[str, Any] = {}
    exec(calling, found)
    assert (found["result"].score, found["result"].display_score) == (1.0, 100.0)
    try:
        exec(providing, {})
        offer = Subject(entity="Vendor Proposal", record_id="x", text="T", data={"offer": {"price": 5}})
        assert content_providers.content_of(offer).data == {"price": 5}
    finally:
        content_providers.forget("Vendor Proposal")
