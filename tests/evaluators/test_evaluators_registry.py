"""Evaluators are found by name, whatever its case, and the one of the highest priority runs."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from rubrictui.core.records import EvaluatorType
from rubrictui.evaluators import registry as module
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.deterministic import DeterministicEvaluator
from rubrictui.evaluators.errors import EvaluatorError, NotRunnableError, UnknownEvaluatorError
from rubrictui.evaluators.registry import EvaluatorRegistry


class Silent(RubricEvaluator):
    """Answers nothing."""

    name: ClassVar[str] = "Silent"

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        return self.scored(context, ())


class Loud(Silent):
    name: ClassVar[str] = "Loud"
    evaluator_type: ClassVar[EvaluatorType] = EvaluatorType.AI_PROMPT


class First(Silent):
    priority: ClassVar[int] = 5


class Absent(Silent):
    name: ClassVar[str] = "Absent"

    @classmethod
    def why_not_runnable(cls) -> str:
        return "its extra is not installed."


class Demanding(Silent):
    name: ClassVar[str] = "Demanding"

    def __init__(self, argument: object) -> None:
        raise AssertionError(argument)


NO_EVALUATOR = "not an evaluator"


def explode() -> None:
    raise RuntimeError("no such library")


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> EvaluatorRegistry:
    """One without anything installed, and with one built-in evaluator."""
    monkeypatch.setattr(module, "installed", lambda group: ())
    monkeypatch.setattr(module, "BUILT_IN", {"Deterministic": module.BUILT_IN["Deterministic"]})
    return EvaluatorRegistry()


def install(monkeypatch: pytest.MonkeyPatch, **entries: str) -> None:
    """As if packages were installed that offer these."""
    found = [
        EntryPoint(name=name, value=value, group="rubrictui.evaluators") for name, value in entries.items()
    ]
    monkeypatch.setattr(module, "installed", lambda group: found if group == module.GROUP else ())


@pytest.mark.parametrize("name", ["Deterministic", "deterministic", " DETERMINISTIC "])
def test_a_name_is_found_whatever_its_case(registry: EvaluatorRegistry, name: str) -> None:
    assert registry.find(name) is DeterministicEvaluator
    assert isinstance(registry.create(name), DeterministicEvaluator)


def test_old_names_lead_to_the_new_ones_unless_something_bears_them(registry: EvaluatorRegistry) -> None:
    registry.register(Loud, name="Agent")
    registry.register(Silent, name="LLM")
    assert registry.find("AI") is Loud
    assert registry.find("aiPrompt") is Silent
    registry.register(First, name="AI")
    assert registry.find("ai") is First


def test_the_highest_priority_runs_and_of_equals_the_one_registered_last(registry: EvaluatorRegistry) -> None:
    registry.register(Silent)
    registry.register(Loud, name="silent")
    assert registry.find("Silent") is Loud
    registry.register(First)
    registry.register(Silent)
    assert registry.find("Silent") is First
    registry.forget("SILENT")
    with pytest.raises(UnknownEvaluatorError):
        registry.find("Silent")


def test_a_built_in_is_replaced_under_its_own_name(
    registry: EvaluatorRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, deterministic=f"{__name__}:Loud")
    assert registry.find("Deterministic") is Loud
    registry.register(Silent, name="Deterministic")
    assert registry.find("Deterministic") is Silent


def test_a_plugin_is_loaded_when_it_is_named_and_no_other_one(
    registry: EvaluatorRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, Silent=f"{__name__}:Silent", Broken="rubrictui_no_such_module:Thing")
    assert registry.find("silent") is Silent
    with pytest.raises(EvaluatorError, match=r'"Broken" from .* cannot be loaded: No module named'):
        registry.find("broken")


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("Nothing", UnknownEvaluatorError, r'no evaluator "Nothing"\. There are .*Deterministic'),
        ("human", NotRunnableError, r"Human is not run.*rubrictui submit"),
        ("Self", NotRunnableError, "Self is not run"),
        ("External", NotRunnableError, "External is not run"),
        ("Absent", NotRunnableError, "Absent cannot run here: its extra is not installed"),
        ("Demanding", EvaluatorError, "Demanding cannot be made: .*takes no arguments"),
    ],
)
def test_what_cannot_run_says_why(
    registry: EvaluatorRegistry, name: str, error: type[Exception], words: str
) -> None:
    registry.register(Absent)
    registry.register(Demanding)
    with pytest.raises(error, match=words):
        registry.create(name)


def test_what_is_no_evaluator_is_told(registry: EvaluatorRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Odd=f"{__name__}:NO_EVALUATOR")
    with pytest.raises(EvaluatorError, match="is no evaluator"):
        registry.find("Odd")


def test_the_list_has_type_origin_and_what_stands_in_the_way(
    registry: EvaluatorRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, Broken="rubrictui_no_such_module:Thing", deterministic=f"{__name__}:Loud")
    registry.register(Absent)
    rows = registry.evaluators()
    assert [(row.name, row.evaluator_type, row.runnable, row.replaced) for row in rows] == [
        ("Absent", EvaluatorType.EXTERNAL, False, False),
        ("Broken", None, False, False),
        ("deterministic", EvaluatorType.AI_PROMPT, True, False),
        ("Deterministic", EvaluatorType.DETERMINISTIC, True, True),
        ("Human", EvaluatorType.HUMAN, False, False),
        ("Self", EvaluatorType.SELF, False, False),
        ("External", EvaluatorType.EXTERNAL, False, False),
    ]
    assert rows[0].origin.endswith(":Absent")
    assert "No module named" in rows[1].problem
    assert rows[3].origin == "built in"
