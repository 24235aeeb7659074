"""Reads the fields of a matter's files into values, and notes each one that is of no use, with its place.

Only what makes a field unusable is noted here (a wrong type, a pattern that does not compile). Whether a
matter makes sense is for lint.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from rubrictui.ground.findings import Finding
from rubrictui.matters.gates import gate_entry, gate_entry_problems
from rubrictui.matters.model import (
    Concepts,
    Constraints,
    Counter,
    Escalation,
    FinalSubmission,
    GateEntry,
    HiddenFacts,
    Issue,
    MatterFacts,
    Position,
    Question,
    Rubric,
)
from rubrictui.matters.source import MatterSource, SourceFile, Step

Built = TypeVar("Built")

# Half of a surrogate pair: a dict may hold it, and no file or screen can.
HALF_CHARACTER = re.compile("[\ud800-\udfff]")

LARGEST_NUMBER = 1e9
"""Points beyond this could not be added up exactly, and mean nothing."""

GATE_LISTS = (
    "critical_failure_patterns",
    "redline_critical_failure_patterns",
    "settlement_critical_failure_patterns",
)


class Fields:
    """A mapping of a file with the path to it. Getters give the default for an absent key, and for a value
    of the wrong type, which they note in ``problems``."""

    def __init__(
        self, file: SourceFile, value: dict[Any, Any], path: tuple[Step, ...], problems: list[Finding]
    ) -> None:
        self.file = file
        self.value = value
        self.path = path
        self.problems = problems

    def refuse(self, message: str, *path: Step, code: str = "wrong_type") -> None:
        self.problems.append(self.file.finding(code, message, *self.path, *path))

    def _text_at(self, value: Any, *path: Step) -> str | None:
        """Text; a number is the text that was written. None for anything else, and for text that no file
        can hold."""
        if isinstance(value, str):
            return value if value.isascii() or not HALF_CHARACTER.search(value) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self.file.written(*self.path, *path) or str(value)
        return None

    def text(self, key: str, default: str = "") -> str:
        value = self.value.get(key)
        if value is None:
            return default
        text = self._text_at(value, key)
        if text is None:
            self.refuse(f"{key} must be text.", key)
            return default
        return text

    def identity(self, key: str = "id") -> str:
        """An id, which must be there."""
        text = self.text(key)
        if not text.strip() and not isinstance(self.value.get(key), list | dict | bool):
            self.refuse(f"{key} is missing.", code="missing")
        return text

    def number(self, key: str, default: float) -> float:
        if key not in self.value:
            return default
        value = self.value[key]
        if not isinstance(value, int | float) or isinstance(value, bool):
            self.refuse(f"{key} must be a number.", key)
            return default
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not abs(number) <= LARGEST_NUMBER:
            self.refuse(f"{key} must be a number of at most {LARGEST_NUMBER:,.0f}.", key)
            return default
        return number

    def whole(self, key: str, default: int, *, least: int = 0) -> int:
        value = self.value.get(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.refuse(f"{key} must be a whole number of at least {least}.", key)
            return default
        return value

    def truth(self, key: str) -> bool:
        value = self.value.get(key)
        if value is None:
            return False
        if not isinstance(value, bool):
            self.refuse(f"{key} must be true or false.", key)
            return False
        return value

    def items(self, key: str) -> list[Any]:
        value = self.value.get(key)
        if value is None:
            return []
        if not isinstance(value, list | tuple):
            self.refuse(f"{key} must be a list.", key)
            return []
        return list(value)

    def texts(self, key: str) -> tuple[str, ...]:
        return self._texts(self.items(key), key)

    def _texts(self, items: list[Any], *path: Step) -> tuple[str, ...]:
        found = []
        for index, item in enumerate(items):
            text = self._text_at(item, *path, index)
            if text is None:
                self.refuse(f"entry {index + 1} of {path[0]} must be text.", *path, index)
            else:
                found.append(text)
        return tuple(found)

    def variants(self, key: str) -> tuple[Concepts, ...]:
        """A list of lists of concepts."""
        found = []
        for index, item in enumerate(self.items(key)):
            if isinstance(item, list | tuple):
                found.append(self._texts(list(item), key, index))
            else:
                self.refuse(f"entry {index + 1} of {key} must be a list of concepts.", key, index)
        return tuple(found)

    def gates(self, key: str) -> tuple[GateEntry, ...]:
        found = []
        for index, item in enumerate(self.items(key)):
            problems = gate_entry_problems(item)
            for problem in problems:
                below = (problem.key,) if problem.key else ()
                self.refuse(problem.message, key, index, *below, code=problem.code)
            if not problems:
                found.append(gate_entry(item))
        return tuple(found)

    def mapping(self, key: str) -> Fields:
        value = self.value.get(key)
        if value is not None and not isinstance(value, dict):
            self.refuse(f"{key} must be a mapping.", key)
            value = None
        return Fields(self.file, value or {}, (*self.path, key), self.problems)

    def each(self, key: str, build: Callable[[Fields], Built]) -> tuple[Built, ...]:
        """``build`` on every mapping of a list; entries that are none are noted and left out."""
        found = []
        for index, item in enumerate(self.items(key)):
            if isinstance(item, dict):
                found.append(build(Fields(self.file, item, (*self.path, key, index), self.problems)))
            else:
                self.refuse(f"entry {index + 1} of {key} must be a mapping.", key, index)
        return tuple(found)


def build_facts(fields: Fields) -> MatterFacts:
    return MatterFacts(
        matter_id=fields.text("matter_id"),
        title=fields.text("title"),
        practice_area=fields.text("practice_area"),
        role=fields.text("role"),
        assignment=fields.text("assignment"),
        public_facts=_public_facts(fields),
        constraints=_constraints(fields.mapping("constraints")),
    )


def _public_facts(fields: Fields) -> dict[str, Any]:
    """A copy as plain JSON: an observation must be able to show it."""
    value = fields.mapping("public_facts").value
    try:
        copy = msgspec.json.decode(msgspec.json.encode(value))
    except (TypeError, ValueError, OverflowError, RecursionError):
        fields.refuse("public_facts must hold plain values only.", "public_facts")
        return {}
    return dict(copy)


def _constraints(fields: Fields) -> Constraints:
    default = Constraints()
    return Constraints(
        maximum_steps=fields.whole("maximum_steps", default.maximum_steps, least=1),
        maximum_client_questions=fields.whole("maximum_client_questions", default.maximum_client_questions),
        maximum_escalations=fields.whole("maximum_escalations", default.maximum_escalations),
        maximum_negotiation_rounds=fields.whole(
            "maximum_negotiation_rounds", default.maximum_negotiation_rounds
        ),
    )


def build_rubric(fields: Fields) -> Rubric:
    has_max = fields.value.get("max_score") is not None
    return Rubric(
        questions=fields.each("questions", _question),
        escalations=fields.each("escalations", _escalation),
        issues=fields.each("issues", _issue),
        final_submission=_final(fields.mapping("final_submission")),
        max_score=fields.number("max_score", 0.0) if has_max else None,
        critical_failure_score_cap=fields.number(
            "critical_failure_score_cap", Rubric().critical_failure_score_cap
        ),
    )


def _question(fields: Fields) -> Question:
    question_id = fields.identity()
    return Question(
        id=question_id,
        concepts=fields.texts("concepts"),
        aliases=fields.variants("aliases"),
        points=fields.number("points", Question(id="").points),
    )


def _escalation(fields: Fields) -> Escalation:
    return Escalation(
        id=fields.identity(),
        concepts=fields.texts("concepts"),
        aliases=fields.variants("aliases"),
        points=fields.number("points", Escalation(id="").points),
        required=fields.truth("required"),
        critical_if_missed=fields.truth("critical_if_missed"),
    )


def _issue(fields: Fields) -> Issue:
    default = Issue(id="", anchor="")
    return Issue(
        id=fields.identity(),
        anchor=fields.identity("anchor"),
        severity=fields.text("severity"),
        required_citations=fields.texts("required_citations"),
        required_concepts=fields.texts("required_concepts"),
        redline_concepts=fields.texts("redline_concepts"),
        settlement_concepts=fields.texts("settlement_concepts"),
        base_points=fields.number("base_points", default.base_points),
        severity_points=fields.number("severity_points", default.severity_points),
        citation_points=fields.number("citation_points", default.citation_points),
        concept_points=fields.number("concept_points", default.concept_points),
        quote_points=fields.number("quote_points", default.quote_points),
        redline_points=fields.number("redline_points", default.redline_points),
        settlement_points=fields.number("settlement_points", default.settlement_points),
        critical_failure_patterns=fields.gates("critical_failure_patterns"),
        redline_critical_failure_patterns=fields.gates("redline_critical_failure_patterns"),
        settlement_critical_failure_patterns=fields.gates("settlement_critical_failure_patterns"),
        non_negotiable=fields.truth("non_negotiable"),
    )


def _final(fields: Fields) -> FinalSubmission:
    default = FinalSubmission()
    return FinalSubmission(
        points=fields.number("points", default.points),
        minimum_characters=fields.whole("minimum_characters", default.minimum_characters),
        required_issue_ids=fields.texts("required_issue_ids"),
        missing_required_issue_penalty=fields.number(
            "missing_required_issue_penalty", default.missing_required_issue_penalty
        ),
        missed_escalation_penalty=fields.number(
            "missed_escalation_penalty", default.missed_escalation_penalty
        ),
        required_concepts=fields.texts("required_concepts"),
        concept_points=fields.number("concept_points", default.concept_points),
    )


def build_hidden_facts(fields: Fields) -> HiddenFacts:
    return HiddenFacts(
        client_answers=_answers(fields.mapping("client_answers")),
        escalation_answers=_answers(fields.mapping("escalation_answers")),
    )


def _answers(fields: Fields) -> dict[str, str]:
    return {str(key): fields.text(key) for key, value in fields.value.items() if value is not None}


def build_positions(fields: Fields) -> dict[str, Position]:
    positions = fields.mapping("positions")
    found = {}
    for key, value in positions.value.items():
        if isinstance(value, dict):
            below = Fields(positions.file, value, (*positions.path, key), positions.problems)
            found[str(key)] = _position(str(key), below)
        else:
            positions.refuse(f"the position on {key} must be a mapping.", key)
    return found


def _position(issue_id: str, fields: Fields) -> Position:
    return Position(
        issue_id=issue_id,
        resist_rounds=fields.whole("resist_rounds", 0),
        accept_concepts=fields.variants("accept_concepts"),
        counters=fields.each("counters", _counter),
        reject_message=fields.text("reject_message"),
    )


def _counter(fields: Fields) -> Counter:
    return Counter(message=fields.text("message"), text=fields.text("text"), trap=fields.truth("trap"))


def root_fields(file: SourceFile, problems: list[Finding]) -> Fields:
    return Fields(file, file.value or {}, (), problems)


def document_path(entry: dict[str, Any]) -> str:
    """Where the text of an entry of ``documents`` lies: its ``path``, else ``documents/<id>.md``."""
    path = entry.get("path")
    return path if isinstance(path, str) and path else f"documents/{entry.get('id')}.md"


def source_fields(source: MatterSource, problems: list[Finding]) -> dict[str, Fields]:
    """The four files by name."""
    return {file.name: root_fields(file, problems) for file in source.files}
