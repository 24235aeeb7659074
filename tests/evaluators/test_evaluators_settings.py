"""Settings and selections are read under the guide's names, and what is not one is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from rubrictui.core.errors import InvalidInputError
from rubrictui.evaluators.settings import EvaluatorSettings, selection_from, settings_from


@pytest.mark.parametrize(
    "given",
    [
        {"PromptName": "Judge A", "ModelID": "m", "Mode": "percriterion", "Samples": 3},
        {"prompt_name": "Judge A", "model_id": "m", "mode": "PerCriterion", "samples": 3},
        {"promptname": "Judge A", "MODELID": "m", "Mode": " PerCriterion ", "Samples": 3, "AgentID": None},
    ],
)
def test_names_are_read_in_any_spelling(given: dict[str, Any]) -> None:
    found = settings_from(given)
    assert found == EvaluatorSettings(prompt_name="Judge A", model_id="m", mode="PerCriterion", samples=3)
    assert found.as_written() == {
        "PromptName": "Judge A", "ModelID": "m", "Mode": "PerCriterion", "Samples": 3
    }  # fmt: skip


def test_what_is_not_set_is_not_kept() -> None:
    assert settings_from(None).as_written() == {}
    assert settings_from({"Samples": 1}).as_written() == {}


def test_the_settings_of_a_plugin_reach_it_by_its_name() -> None:
    found = settings_from({"Extensions": {"Acme Readability": {"Target": 70}}})
    assert found.extension("acme readability") == {"Target": 70}
    assert found.extension("Other", 5) == 5
    assert found.as_written() == {"Extensions": {"Acme Readability": {"Target": 70}}}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"Temperature": 1}, r'no evaluator setting "Temperature".*PromptName.*Extensions'),
        ({"PromptName": "a", "prompt_name": "b"}, "given twice"),
        ({"PromptName": 5}, "PromptName"),
        ({"Samples": 0}, r"samples is 0.*1 to 9"),
        ({"Samples": 10}, "samples is 10"),
        ({"Samples": "3"}, "Samples"),
        ({"Mode": "Twice"}, r'no mode "Twice".*SinglePass or PerCriterion'),
        ({"ModelSelection": "Cheapest"}, "no model selection"),
        ({"Extensions": []}, "Extensions"),
        ("text", "no object"),
    ],
)
def test_what_is_no_setting_is_refused_by_name(given: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        settings_from(given)


@pytest.mark.parametrize(
    ("given", "evaluator"),
    [
        ({}, "LLM"),
        (None, "LLM"),
        ({"EvaluatorType": "AIPrompt"}, "LLM"),
        ({"EvaluatorType": "agent"}, "Agent"),
        ({"EvaluatorType": "Deterministic"}, "Deterministic"),
        ({"EvaluatorType": "AIPrompt", "EvaluatorName": "Decision"}, "Decision"),
        ({"evaluator_name": "Acme Readability"}, "Acme Readability"),
    ],
)
def test_a_selection_names_an_evaluator_or_means_one_by_its_type(
    given: dict[str, Any] | None, evaluator: str
) -> None:
    assert selection_from(given).evaluator == evaluator


def test_a_selection_carries_settings_and_a_threshold() -> None:
    found = selection_from(
        {"EvaluatorType": "AIPrompt", "PromptName": "Judge A", "Samples": 3, "PassThreshold": 0.8}
    )
    assert found.settings == EvaluatorSettings(prompt_name="Judge A", samples=3)
    assert found.pass_threshold == 0.8


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"EvaluatorType": "External"}, r'type "External" alone.*EvaluatorName'),
        ({"EvaluatorName": 5}, "no text"),
        ({"PassThreshold": "high"}, "no number"),
        (["LLM"], "no object"),
    ],
)
def test_what_selects_nothing_is_refused(given: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        selection_from(given)
