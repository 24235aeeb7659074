from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rubrictui.core import deterministic
from rubrictui.core.deterministic import (
    MISSING,
    OPERATORS,
    RuleError,
    evaluate_rule,
    parse_rule,
    read_path,
    rule_problems,
)
from rubrictui.core.model import Level, Scale, ScaleType

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/rubrics/deterministic.json").read_text())

LEVELS = Scale(id="s", levels=(Level(id="yes", label="Yes", normalized_value=1), Level(id="no", label="No")))
NUMERIC = Scale(id="n", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100)


def holds(operator: str, values: list[Any], value: Any = MISSING) -> bool:
    """Whether a rule finds its comparison true of ``value`` (or of data without the path)."""
    rule = parse_rule(
        {"Path": "x", "Operator": operator, "Values": values, "LevelWhenTrue": "Yes", "LevelWhenFalse": "No"}
    )
    answer = evaluate_rule(rule, {} if value is MISSING else {"x": value}, LEVELS)
    assert answer is not None
    return answer.scale_level_id == "yes"


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_every_vector_gives_its_answer(vector: dict[str, Any]) -> None:
    scale = msgspec.convert(vector["scale"], Scale)
    answer = evaluate_rule(parse_rule(vector["rule"]), vector["data"], scale)
    assert msgspec.to_builtins(answer) == vector["expected"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a", [1, {"b": None}]),
        ("a.1.b", None),
        ("a.length", 2),
        ("a.2", MISSING),
        ("a.-1", MISSING),
        ("a.01", MISSING),
        ("a.0.b", MISSING),
        ("d.0", "by key"),
        ("d.length", "own key"),
        ("text.length", MISSING),
        ("text.0", MISSING),
        ("d.", "blank"),
        ("nothing.x", MISSING),
        ("a.9999999999999999999999", MISSING),
    ],
)
def test_a_path_walks_objects_by_key_and_lists_by_index(path: str, found: Any) -> None:
    data = {
        "a": [1, {"b": None}],
        "d": {"0": "by key", "length": "own key", "": "blank"},
        "text": "abc",
        "nothing": None,
    }
    assert read_path(data, path) == found


@pytest.mark.parametrize(
    ("operator", "values", "value", "expected"),
    [
        ("equals", [1], 1.0, True),
        ("equals", [1], True, False),
        ("equals", [0], False, False),
        ("equals", [None], None, True),
        ("equals", [{"a": [1, True]}], {"a": [1.0, True]}, True),
        ("equals", [{"a": [1, True]}], {"a": [1, 1]}, False),
        ("equals", [[]], {}, False),
        ("notEquals", [1], "1", True),
        ("in", ["a", 2], 2, True),
        ("in", ["2"], 2, False),
        ("notIn", ["2"], 2, True),
        ("contains", [""], "abc", True),
        ("contains", [1], [True], False),
        ("contains", [{"a": 1}], [{"a": 1}], True),
        ("exists", [], None, False),
        ("exists", [], False, True),
        ("gte", [1], True, False),
        ("lte", [True], 0, False),
        ("gte", ["5"], " 5\n", True),
        ("gte", [5], "0x10", False),
        ("gte", [5], "+7", False),
        ("gte", [5], "07", False),
        ("gte", [5], "7.", False),
        ("gte", [5], "Infinity", False),
        ("gte", [5], "1e999", False),
        ("gte", [5], "7e0", True),
        ("gte", [5], "٧", False),
        ("lte", [-1], "-1.5", True),
        ("lte", [None], 1, False),
        ("between", [1, 2], 2, True),
        ("between", [2, 1], 1.5, False),
        ("between", [10**20, 10**20], 10**20 + 1, False),
        ("matches", ["b"], "abc", True),
        ("matches", ["^b"], "abc", False),
        ("matches", ["B"], "abc", False),
        ("matches", ["1"], 1, False),
    ],
)
def test_operators_compare_without_coercion(
    operator: str, values: list[Any], value: Any, expected: bool
) -> None:
    assert holds(operator, values, value) is expected


def test_a_missing_path_makes_only_the_two_denials_true() -> None:
    values = {"exists": [], "between": [0, 1]}
    true = {name for name in OPERATORS if holds(name, values.get(name, ["x"]))}
    assert true == {"notEquals", "notIn"}


def test_keys_are_read_in_the_guides_spelling_and_in_snake_case() -> None:
    rule = {
        "Path": "x",
        "Operator": "exists",
        "Values": [],
        "LevelWhenTrue": "Yes",
        "LevelWhenFalse": "No",
        "NotApplicableWhenMissing": True,
    }
    snake = {
        "path": "x",
        "operator": "exists",
        "values": [],
        "level_when_true": "Yes",
        "level_when_false": "No",
        "not_applicable_when_missing": True,
    }
    assert parse_rule(rule) == parse_rule(snake)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("exists", "A deterministic rule is an object, not text"),
        ({"Operand": "x"}, "Unknown key 'Operand'"),
        ({"levelWhenTrue": "x"}, "Unknown key 'levelWhenTrue'"),
        ({"Path": "a", "path": "b"}, "The key 'path' stands twice"),
        ({"Path": 1}, "Path must be text, not a number"),
        ({"Values": "x"}, "Values must be a list, not text"),
        ({"LevelWhenTrue": 80}, "LevelWhenTrue must be text, not a number"),
    ],
)
def test_a_rule_of_the_wrong_shape_is_refused_by_name(rule: Any, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        parse_rule(rule)


WRONG_RULES = [
    ({"Operator": "like"}, "rule_operator", "Unknown operator 'like'"),
    ({}, "rule_operator", "No operator"),
    ({"Operator": "equals"}, "rule_values", "equals takes one value, not 0"),
    ({"Operator": "exists", "Values": [1]}, "rule_values", "exists takes no value, not 1"),
    ({"Operator": "between", "Values": [1]}, "rule_values", "between takes two values, not 1"),
    ({"Operator": "in", "Values": []}, "rule_values", "in takes one value or more, not 0"),
    ({"Operator": "matches", "Values": ["("]}, "rule_pattern", "is not a regular expression"),
    (
        {"Operator": "matches", "Values": ["(?:(?:xy|z?){500}){500}"]},
        "rule_pattern",
        "more than 20,000 parts",
    ),
    ({"Operator": "matches", "Values": [5]}, "rule_pattern", "must be text, not a number"),
]


@pytest.mark.parametrize(("rule", "code", "message"), WRONG_RULES)
def test_a_rule_that_cannot_run_fails_the_evaluation_and_blocks_publish(
    rule: dict[str, Any], code: str, message: str
) -> None:
    rule = {"Path": "x", "LevelWhenTrue": "Yes", "LevelWhenFalse": "No", **rule}

    with pytest.raises(RuleError, match=message) as refused:
        evaluate_rule(parse_rule(rule), {}, LEVELS)
    assert refused.value.code == code

    (problem,) = rule_problems({"Deterministic": rule}, LEVELS)
    assert (problem.code, problem.severity) == (code, "error")


def test_a_pattern_that_takes_too_long_fails_with_a_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deterministic, "PATTERN_TIME_LIMIT", 0.05)
    with pytest.raises(RuleError, match=r"took longer than 0.05 s on the subject's data") as refused:
        holds("matches", [r"(a|aa|b?)+$"], "a" * 5000 + "c")
    assert refused.value.code == "rule_timeout"


@pytest.mark.parametrize(
    ("rule", "scale", "codes"),
    [
        ({}, LEVELS, []),
        ({"LevelWhenTrue": "Maybe"}, LEVELS, ["rule_label"]),
        ({"LevelWhenTrue": "yes"}, LEVELS, ["rule_label"]),
        ({"LevelWhenTrue": "80", "LevelWhenFalse": "1e1"}, NUMERIC, []),
        ({"LevelWhenTrue": "80", "LevelWhenFalse": "low"}, NUMERIC, ["rule_label"]),
        ({"LevelWhenTrue": None}, LEVELS, ["rule_label_absent"]),
        ({"LevelWhenTrue": "", "LevelWhenFalse": None}, LEVELS, ["rule_label"]),
        ({"Path": ""}, LEVELS, ["rule_path"]),
        ({"NotApplicableWhenMissing": "true"}, LEVELS, ["rule_missing_flag"]),
        ({"Operator": "gte", "Values": ["five"]}, LEVELS, ["rule_never_true"]),
        ({"Operator": "between", "Values": [2, 1]}, LEVELS, ["rule_never_true"]),
        ({"Color": "red"}, LEVELS, ["rule_shape"]),
    ],
)
def test_an_author_is_told_what_is_wrong_with_a_rule(
    rule: dict[str, Any], scale: Scale, codes: list[str]
) -> None:
    rule = {"Path": "x", "Operator": "exists", "LevelWhenTrue": "Yes", "LevelWhenFalse": "No", **rule}
    for name in ("Deterministic", "deterministic"):
        assert [problem.code for problem in rule_problems({name: rule}, scale)] == codes


def test_settings_without_a_rule_have_no_problem() -> None:
    assert rule_problems(None, LEVELS) == rule_problems({"AI": {"Hints": "x"}}, None) == ()


def test_a_label_that_fits_nothing_leaves_the_criterion_unanswered() -> None:
    rule = parse_rule({"Path": "x", "Operator": "exists", "LevelWhenTrue": "Maybe", "LevelWhenFalse": "No"})
    answer = evaluate_rule(rule, {"x": 1}, LEVELS)
    assert answer is not None
    assert not answer.is_answered
    assert evaluate_rule(rule, {"x": 1}, None) == answer
