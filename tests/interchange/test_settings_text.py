"""Evaluator settings are read from an editor's text and written back, each fault with its place."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rubrictui.core.deterministic import rule_problems
from rubrictui.core.model import Level, Scale, ScaleType
from rubrictui.interchange.settings_text import read_settings, with_rule_template, write_settings

LEVELS = Scale(
    id="s",
    levels=(
        Level(id="a", label="No", normalized_value=0),
        Level(id="b", label="Yes: all of it", normalized_value=1),
        Level(id="c", label="Half", normalized_value=0.5),
    ),
)
PERCENT = Scale(id="p", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100)
ERRORS = Scale(id="e", scale_type=ScaleType.NUMERIC, min_value=0, max_value=20, higher_is_better=False)


@pytest.mark.parametrize("text", ["", "\n \n", "# only a comment\n", "---\n", "{}"])
def test_a_text_that_says_nothing_is_no_settings(text: str) -> None:
    assert read_settings(text).value is None
    assert read_settings(text).told == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Model: [1, 2", "Line 2, column 1: this is not YAML: did not find expected"),
        ("a: 1\n\tb: 2", "Line 2, column 1: a tab is used for indentation"),
        ("a: 1\na: 2\n", 'Line 2, column 1: the key "a" was given before'),
        ("- a\n- b\n", "Line 1, column 1: settings are names with values"),
        ("word", "Line 1, column 1: settings are names with values"),
        ("a: .nan", "Line 1, column 4: a number must be finite"),
        ("a: 1\n---\nb: 2\n", "the settings are one document"),
        ("a: &x [1]\nb: *y\n", "Line 2, column 4: there is no anchor"),
        ("a: !!python/object:os.system x", "the tag"),
        ("a: \x1b[31m", "control character U+001B"),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, told: str) -> None:
    found = read_settings(text)
    assert found.value is None
    assert told in found.told


@pytest.mark.parametrize(
    "config",
    [
        {"EvaluatorName": "Decision", "Model": "small", "Temperature": 0.5, "Retries": 2},
        {"Deterministic": {"Path": "a.b", "Operator": "in", "Values": ["1", 1, True, None]}},
        {"Prompt": "Two lines\nof text\n", "Empty": "", "Nested": [{"a": []}]},
    ],
)
def test_what_is_written_is_read_back(config: dict[str, Any]) -> None:
    assert read_settings(write_settings(config)).value == config


def test_nothing_and_what_has_no_yaml_form_is_written_as_nothing() -> None:
    assert write_settings(None) == write_settings({}) == write_settings({"a": math.inf}) == ""


@pytest.mark.parametrize("scale", [LEVELS, PERCENT, ERRORS])
def test_the_template_is_a_rule_that_can_run_on_the_scale(scale: Scale) -> None:
    text = with_rule_template("EvaluatorName: Deterministic", scale)
    assert text is not None
    config = read_settings(text).value
    assert config is not None
    assert config["EvaluatorName"] == "Deterministic"
    assert rule_problems(config, scale) == ()


def test_the_template_names_the_best_and_the_worst_answer() -> None:
    for scale, best, worst in ((LEVELS, "Yes: all of it", "No"), (PERCENT, "100", "0"), (ERRORS, "0", "20")):
        config = read_settings(with_rule_template("", scale) or "").value
        assert config is not None
        rule = config["Deterministic"]
        assert (rule["LevelWhenTrue"], rule["LevelWhenFalse"]) == (best, worst)


def test_a_second_template_is_refused() -> None:
    assert with_rule_template(with_rule_template("", None) or "", None) is None
