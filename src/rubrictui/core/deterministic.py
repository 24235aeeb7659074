"""Deterministic rules: a comparison over the subject's data that answers one criterion, without a model.

A rule reads a dotted path, compares what stands there, and names a level for either result (contract,
"Deterministic rules"; guide section 8). Nothing here computes a score: the answer goes to the one scorer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Level, Scale, ScaleType, Value
from rubrictui.ground.pattern_size import too_large

PATTERN_TIME_LIMIT: Final = 1.0
"""Seconds that one ``matches`` may take before the rule fails."""

_KEYS: Final = {
    "Path": "path",
    "Operator": "operator",
    "Values": "values",
    "LevelWhenTrue": "level_when_true",
    "LevelWhenFalse": "level_when_false",
    "NotApplicableWhenMissing": "not_applicable_when_missing",
}
_FIELDS: Final = {**_KEYS, **{field: field for field in _KEYS.values()}}

_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LIST_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_JSON_SPACE: Final = " \t\n\r"


class _Missing(Enum):
    """A type of its own, because null is a value that a path may hold."""

    MISSING = "missing"


MISSING: Final = _Missing.MISSING


class RuleError(RubrictuiError):
    """A rule that cannot run: authoring reports it, and met at run time it fails the evaluation.

    ``code`` is ``rule_shape``, ``rule_operator``, ``rule_values``, ``rule_pattern`` or ``rule_timeout``.
    """

    code = "rule_shape"


class Rule(Value, frozen=True, kw_only=True):
    """One rule as written. ``not_applicable_when_missing`` counts only when it is JSON true."""

    path: str | None = None
    operator: str | None = None
    values: tuple[Any, ...] = ()
    level_when_true: str | None = None
    level_when_false: str | None = None
    not_applicable_when_missing: Any = None


class RuleAnswer(Value, frozen=True, kw_only=True):
    """What a rule answers. Without a level, a raw value or N/A its label fits nothing on the scale: the
    criterion stays unanswered and is listed."""

    scale_level_id: str | None = None
    scale_level_label: str | None = None
    raw_value: float | None = None
    is_not_applicable: bool = False
    rationale: str = ""

    @property
    def is_answered(self) -> bool:
        return self.is_not_applicable or self.scale_level_id is not None or self.raw_value is not None


class RuleProblem(Value, frozen=True, kw_only=True):
    """One thing wrong with a rule. ``severity`` "error" means it cannot run and blocks publish."""

    code: str
    severity: str
    message: str
    remedy: str


def rule_of(config: Mapping[str, Any] | None) -> Any:
    """The rule object of an evaluator config (``Deterministic`` or ``deterministic``), or None."""
    if not config:
        return None
    return config.get("Deterministic", config.get("deterministic"))


def parse_rule(obj: Any) -> Rule:
    """Read a rule object; keys as in the guide or in snake_case.

    Raises:
        RuleError: not an object, an unknown or doubled key, or a value of the wrong JSON type.
    """
    if not isinstance(obj, Mapping):
        raise RuleError(
            f"A deterministic rule is an object, not {_json_type(obj)}.",
            remedy="Write Path, Operator, Values, LevelWhenTrue and LevelWhenFalse.",
        )
    fields: dict[str, Any] = {}
    for key, value in obj.items():
        field = _FIELDS.get(key) if isinstance(key, str) else None
        if field is None:
            raise RuleError(
                f"Unknown key {key!r} in a deterministic rule.", remedy=f"Use {', '.join(_KEYS)}."
            )
        if field in fields:
            raise RuleError(
                f"The key {key!r} stands twice in a deterministic rule.", remedy="Keep one of the two."
            )
        fields[field] = value
    for key, field in _KEYS.items():
        value = fields.get(field)
        if field == "values":
            if value is not None and not isinstance(value, (list, tuple)):
                raise RuleError(
                    f"{key} must be a list, not {_json_type(value)}.", remedy="Write Values: [...]."
                )
            fields[field] = tuple(value or ())
        elif field != "not_applicable_when_missing" and value is not None and not isinstance(value, str):
            raise RuleError(f"{key} must be text, not {_json_type(value)}.", remedy="Put it in quotes.")
    return Rule(**fields)


def evaluate_rule(rule: Rule, data: Any, scale: Scale | None) -> RuleAnswer | None:
    """Run one rule against the ``data`` of a subject.

    Returns None when there is no answer at all: the path, or the label this result needs, is absent or
    empty.

    Raises:
        RuleError: an unknown operator, a wrong count of values, a bad pattern, or one that took too long.
    """
    compiled = compile_rule(rule, scale)
    return None if compiled is None else compiled.answer(data)


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule made ready for many subjects.

    ``answer`` takes the data of a subject and gives one of the three answers, the same object each time, or
    None; it raises ``RuleError`` when a pattern takes too long.
    """

    answer: Callable[[Any], RuleAnswer | None]
    when_true: RuleAnswer | None
    when_false: RuleAnswer | None
    when_missing: RuleAnswer | None


def compile_rule(rule: Rule, scale: Scale | None) -> CompiledRule | None:
    """The rule ready to run on a criterion's scale; None without a path, for then it never answers.

    Raises:
        RuleError: an unknown operator, a wrong count of values, or a bad pattern.
    """
    if not rule.path:
        return None
    compare = _checked_operator(rule)
    rationale = f"Deterministic {rule.path}"

    def answer(label: str | None) -> RuleAnswer | None:
        if not label:
            return None
        level, raw = _resolve_label(label, scale)
        if level is not None:
            return RuleAnswer(scale_level_id=level.id, scale_level_label=level.label, rationale=rationale)
        return RuleAnswer(raw_value=raw, rationale=rationale)

    missing = None
    if rule.not_applicable_when_missing is True:
        missing = RuleAnswer(is_not_applicable=True, rationale=f"{rationale} is missing")
    when_true, when_false = answer(rule.level_when_true), answer(rule.level_when_false)
    read, holds = _reader(tuple(rule.path.split("."))), _bound(rule.operator or "", compare, rule.values)

    def run(data: Any) -> RuleAnswer | None:
        found = read(data)
        if missing is not None and found is MISSING:
            return missing
        return when_true if holds(found) else when_false

    return CompiledRule(run, when_true, when_false, missing)


def _reader(parts: tuple[str, ...]) -> Callable[[Any], Any]:
    """``read_path`` for one path; the first two steps through objects and lists, which most paths are,
    without a loop."""
    first, second = parts[0], parts[1] if len(parts) == 2 else ""
    place = int(second) if _LIST_INDEX.fullmatch(second) else -1

    def read_one(data: Any) -> Any:
        return data.get(first, MISSING) if type(data) is dict else _read(data, parts)

    def read_two(data: Any) -> Any:
        if type(data) is dict:
            here = data.get(first, MISSING)
            if type(here) is dict:
                return here.get(second, MISSING)
            if type(here) is list and place >= 0:
                return here[place] if place < len(here) else MISSING
        return _read(data, parts)

    if len(parts) == 1:
        return read_one
    return read_two if len(parts) == 2 else lambda data: _read(data, parts)


def _bound(operator: str, compare: _Compare, values: tuple[Any, ...]) -> Callable[[Any], bool]:
    """The comparison with its values put in. Of texts and numbers it is quicker, and says the same."""
    if operator in ("equals", "notEquals", "in", "notIn") and all(type(value) is str for value in values):
        known, wanted = frozenset(values), operator in ("equals", "in")
        return lambda found: (isinstance(found, str) and found in known) is wanted
    return lambda found: compare(found, values)


def read_path(data: Any, path: str) -> Any:
    """What stands at a dotted path, or ``MISSING``. Integers index lists, ``length`` counts a list."""
    return _read(data, path.split("."))


def _read(data: Any, parts: Sequence[str]) -> Any:
    here = data
    for part in parts:
        if type(here) is dict:  # nearly always, and much quicker than asking what it could be
            here = here.get(part, MISSING)
            if here is MISSING:
                return MISSING
        elif isinstance(here, Mapping):
            if part not in here:
                return MISSING
            here = here[part]
        elif isinstance(here, (list, tuple)):
            if part == "length":
                here = len(here)
            elif _LIST_INDEX.fullmatch(part) and int(part) < len(here):
                here = here[int(part)]
            else:
                return MISSING
        else:
            return MISSING
    return here


def rule_problems(config: Mapping[str, Any] | None, scale: Scale | None) -> tuple[RuleProblem, ...]:
    """Everything wrong with the rule of an evaluator config on a criterion's scale; empty without a rule."""
    obj = rule_of(config)
    if obj is None:
        return ()
    try:
        rule = parse_rule(obj)
    except RuleError as error:
        return (_problem(error.code, error.message, error.remedy),)
    return tuple(_found_problems(rule, scale))


def answers_not_applicable(config: Mapping[str, Any] | None) -> bool:
    """Whether a config has a sound rule that answers N/A when its path is missing."""
    try:
        return parse_rule(rule_of(config)).not_applicable_when_missing is True
    except RuleError:
        return False


def _found_problems(rule: Rule, scale: Scale | None) -> list[RuleProblem]:
    found: list[RuleProblem] = []
    if not rule.path:
        found.append(_problem("rule_path", "The deterministic rule has no Path.", "Name the data it reads."))
    try:
        _checked_operator(rule)
    except RuleError as error:
        found.append(_problem(error.code, error.message, error.remedy))
    else:
        found += _limit_warnings(rule)
    labels = {"LevelWhenTrue": rule.level_when_true, "LevelWhenFalse": rule.level_when_false}
    if not any(labels.values()):
        found.append(
            _problem(
                "rule_label", "The deterministic rule names no level.", "Set LevelWhenTrue or LevelWhenFalse."
            )
        )
    for key, label in labels.items():
        if label and scale is not None and _resolve_label(label, scale) == (None, None):
            wanted = "a number" if scale.scale_type is ScaleType.NUMERIC else _label_list(scale)
            found.append(_problem("rule_label", f"{key} {label!r} is not on the scale.", f"Use {wanted}."))
        elif not label and any(labels.values()):
            text = f"The deterministic rule has no {key}, so that result leaves the criterion unanswered."
            found.append(_problem("rule_label_absent", text, f"Set {key}, or accept it.", severity="warning"))
    if not isinstance(rule.not_applicable_when_missing, (bool, type(None))):
        text = "NotApplicableWhenMissing is neither true nor false and has no effect."
        found.append(_problem("rule_missing_flag", text, "Write true or false.", severity="warning"))
    return found


def _limit_warnings(rule: Rule) -> list[RuleProblem]:
    if rule.operator not in ("gte", "lte", "between"):
        return []
    numbers = [_number(value) for value in rule.values]
    if None in numbers:
        text = f"A value of {rule.operator} is not a number, so the rule is never true."
    elif len(numbers) == 2 and numbers[0] > numbers[1]:  # type: ignore[operator]
        text = "The lower limit of between is above the upper one, so the rule is never true."
    else:
        return []
    return [_problem("rule_never_true", text, "Correct Values.", severity="warning")]


def _label_list(scale: Scale) -> str:
    labels = [repr(level.label) for level in scale.levels[:12]]
    return "one of " + ", ".join(labels) if labels else "a scale that has levels"


def _problem(code: str, message: str, remedy: str, *, severity: str = "error") -> RuleProblem:
    return RuleProblem(code=code, severity=severity, message=message, remedy=remedy)


def _resolve_label(label: str, scale: Scale | None) -> tuple[Level | None, float | None]:
    if scale is None:
        return None, None
    if scale.scale_type is ScaleType.NUMERIC:
        return None, _parse_number(label)
    return next((level for level in scale.levels if level.label == label), None), None


# --- operators -------------------------------------------------------------------------------------


_PLAIN: Final = frozenset({str, int, float, bool})


def _same(left: Any, right: Any) -> bool:
    """Same JSON type and value, all the way down: true is not 1, but 1 is 1.0."""
    kind = type(left)
    if kind is type(right) and kind in _PLAIN:
        return bool(left == right)
    if left is MISSING or _json_type(left) != _json_type(right):
        return False
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, Mapping):
        return left.keys() == right.keys() and all(_same(value, right[key]) for key, value in left.items())
    return bool(left == right)


def _contains(found: Any, values: tuple[Any, ...]) -> bool:
    if isinstance(found, str):
        return isinstance(values[0], str) and values[0] in found
    if isinstance(found, (list, tuple)):
        return any(_same(item, values[0]) for item in found)
    return False


def _between(found: Any, values: tuple[Any, ...]) -> bool:
    number, low, high = _number(found), _number(values[0]), _number(values[1])
    return number is not None and low is not None and high is not None and low <= number <= high


def _at_least(found: Any, values: tuple[Any, ...]) -> bool:
    number, limit = _number(found), _number(values[0])
    return number is not None and limit is not None and number >= limit


def _at_most(found: Any, values: tuple[Any, ...]) -> bool:
    number, limit = _number(found), _number(values[0])
    return number is not None and limit is not None and number <= limit


def _matches(found: Any, values: tuple[Any, ...]) -> bool:
    if not isinstance(found, str):
        return False
    pattern = _compiled(values[0])
    try:
        # ``regex`` gives a search a time limit and releases the interpreter; ``re`` does neither.
        return pattern.search(found, timeout=PATTERN_TIME_LIMIT, concurrent=True) is not None
    except TimeoutError:
        raise RuleError(
            f"The pattern {values[0]!r} took longer than {PATTERN_TIME_LIMIT:g} s on the subject's data.",
            remedy="Simplify the pattern: avoid repeats inside repeats.",
            code="rule_timeout",
        ) from None


_Compare = Callable[[Any, tuple[Any, ...]], bool]

_OPERATORS: Final[dict[str, tuple[_Compare, int, int | None]]] = {
    # name: (comparison, fewest values, most values)
    "equals": (lambda found, values: _same(found, values[0]), 1, 1),
    "notEquals": (lambda found, values: not _same(found, values[0]), 1, 1),
    "in": (lambda found, values: any(_same(found, value) for value in values), 1, None),
    "notIn": (lambda found, values: not any(_same(found, value) for value in values), 1, None),
    "contains": (_contains, 1, 1),
    "exists": (lambda found, values: found is not MISSING and found is not None, 0, 0),
    "between": (_between, 2, 2),
    "gte": (_at_least, 1, 1),
    "lte": (_at_most, 1, 1),
    "matches": (_matches, 1, 1),
}

OPERATORS: Final = tuple(_OPERATORS)


def _checked_operator(rule: Rule) -> _Compare:
    """The comparison of a rule whose operator, count of values and pattern are in order."""
    if rule.operator not in _OPERATORS:
        said = f"Unknown operator {rule.operator!r}" if rule.operator else "No operator"
        raise RuleError(
            f"{said} in a deterministic rule.",
            remedy=f"Use one of {', '.join(OPERATORS)}.",
            code="rule_operator",
        )
    compare, fewest, most = _OPERATORS[rule.operator]
    count = len(rule.values)
    if count < fewest or (most is not None and count > most):
        wanted = {0: "no value", 1: "one value", 2: "two values"}[fewest]
        if most is None:
            wanted = "one value or more"
        raise RuleError(
            f"The operator {rule.operator} takes {wanted}, not {count}.",
            remedy="Correct Values.",
            code="rule_values",
        )
    if rule.operator == "matches":
        _compiled(rule.values[0])
    return compare


def _compiled(pattern: Any) -> Any:
    # Imported here: most runs of the program never match a pattern.
    import regex

    if not isinstance(pattern, str):
        raise RuleError(
            f"The pattern of matches must be text, not {_json_type(pattern)}.",
            remedy="Put it in quotes.",
            code="rule_pattern",
        )
    reason = too_large(pattern)
    if reason is None:
        try:
            return regex.compile(pattern)
        except (regex.error, RecursionError, OverflowError, MemoryError) as error:
            reason = str(error) or type(error).__name__
    raise RuleError(
        f"The pattern {pattern[:80]!r} is not a regular expression: {reason}.",
        remedy="Correct the pattern.",
        code="rule_pattern",
    )


# --- numbers and types -----------------------------------------------------------------------------


def _number(value: Any) -> float | None:
    """A JSON number, or text that is one (blanks around it allowed); anything else is None."""
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value if isinstance(value, int) or math.isfinite(value) else None
    if isinstance(value, str):
        return _parse_number(value.strip(_JSON_SPACE))
    return None


def _parse_number(text: str) -> float | None:
    if not _JSON_NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _json_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "an object" if isinstance(value, Mapping) else "a list"
