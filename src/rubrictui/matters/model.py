"""The values of a matter: frozen structs, as its files say them, defaults filled in.

Field names are those of the files (``matter.yaml``, ``rubric.yaml``, ``hidden_facts.yaml``,
``counterparty.yaml``); every default is here and nowhere else (contract, "Steps" and "Scoring").
Points are finite numbers; a concept is a text that must be found; a variant is concepts that must all be found.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Severity = Literal["low", "medium", "high", "critical"]
SEVERITIES: tuple[str, ...] = ("low", "medium", "high", "critical")

Concepts = tuple[str, ...]


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen value that compares by its fields."""


class Constraints(Value, frozen=True):
    """What an episode may use up."""

    maximum_steps: int = 30
    maximum_client_questions: int = 5
    maximum_escalations: int = 2
    maximum_negotiation_rounds: int = 8


class Document(Value, frozen=True):
    """A document of the matter. ``sections`` maps a token to its text, ``full`` first; treat it as frozen."""

    id: str
    title: str
    path: str
    text: str
    sections: dict[str, str]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The section tokens an observation lists: all but ``full``."""
        return tuple(self.sections)[1:]


class GateEntry(Value, frozen=True):
    """A critical-failure pattern. ``is_plain``: written as a bare string, without guards."""

    pattern: str
    negation_guard: bool = False
    negation_scope: Literal["span", "before"] = "span"
    require_context: str | None = None
    exclude_context: str | None = None
    is_plain: bool = False

    @property
    def is_guarded(self) -> bool:
        """Whether each match is judged in its sentence; otherwise any match fires."""
        return self.negation_guard or self.require_context is not None or self.exclude_context is not None


class Issue(Value, frozen=True):
    """A point of the rubric that is found by its anchor, the operative provision (``msa §4.2``)."""

    id: str
    anchor: str
    severity: str = ""
    required_citations: tuple[str, ...] = ()
    required_concepts: Concepts = ()
    redline_concepts: Concepts = ()
    settlement_concepts: Concepts = ()
    base_points: float = 1.0
    severity_points: float = 0.25
    citation_points: float = 0.25
    concept_points: float = 0.5
    quote_points: float = 0.25
    redline_points: float = 1.0
    settlement_points: float = 1.0
    critical_failure_patterns: tuple[GateEntry, ...] = ()
    redline_critical_failure_patterns: tuple[GateEntry, ...] = ()
    settlement_critical_failure_patterns: tuple[GateEntry, ...] = ()
    non_negotiable: bool = False


class Question(Value, frozen=True):
    """Something the client should be asked. Any one of ``variants`` wholly present is a hit."""

    id: str
    concepts: Concepts = ()
    aliases: tuple[Concepts, ...] = ()
    points: float = 0.5

    @property
    def variants(self) -> tuple[Concepts, ...]:
        return (self.concepts, *self.aliases)


class Escalation(Value, frozen=True):
    """Something the supervisor should hear of. ``critical_if_missed`` gates and takes no points."""

    id: str
    concepts: Concepts = ()
    aliases: tuple[Concepts, ...] = ()
    points: float = 0.5
    required: bool = False
    critical_if_missed: bool = False

    @property
    def variants(self) -> tuple[Concepts, ...]:
        return (self.concepts, *self.aliases)


class FinalSubmission(Value, frozen=True):
    """What the closing summary earns, and what is settled up when it is handed in. Penalties are positive."""

    points: float = 0.5
    minimum_characters: int = 80
    required_issue_ids: tuple[str, ...] = ()
    missing_required_issue_penalty: float = 0.25
    missed_escalation_penalty: float = 0.5
    required_concepts: Concepts = ()
    concept_points: float = 0.0


class Rubric(Value, frozen=True):
    """What earns credit. ``max_score`` is the declared one, None when it is derived."""

    questions: tuple[Question, ...] = ()
    escalations: tuple[Escalation, ...] = ()
    issues: tuple[Issue, ...] = ()
    final_submission: FinalSubmission = FinalSubmission()
    max_score: float | None = None
    critical_failure_score_cap: float = 0.25


class HiddenFacts(Value, frozen=True):
    """What is learned only by asking: the answer by question id, the guidance by escalation id."""

    client_answers: dict[str, str] = {}
    escalation_answers: dict[str, str] = {}


class Counter(Value, frozen=True):
    """A counter-offer: what the other side says, and the text it would sign. ``trap``: it harms the client."""

    message: str = ""
    text: str = ""
    trap: bool = False


class Position(Value, frozen=True):
    """How the other side behaves on one issue: it accepts a text that holds one of ``accept_concepts``
    once more than ``resist_rounds`` rounds are used, and offers its counters in order until then."""

    issue_id: str
    resist_rounds: int = 0
    accept_concepts: tuple[Concepts, ...] = ()
    counters: tuple[Counter, ...] = ()
    reject_message: str = ""


class MatterFacts(Value, frozen=True):
    """``matter.yaml`` without its documents. ``public_facts`` is plain JSON; treat it as frozen."""

    matter_id: str = ""
    title: str = ""
    practice_area: str = ""
    role: str = ""
    assignment: str = ""
    public_facts: dict[str, Any] = {}
    constraints: Constraints = Constraints()


def derived_max_score(rubric: Rubric, positions: dict[str, Position]) -> float:
    """The sum of all points there are to earn (contract, "Score"): redline points of every issue;
    settlement points only of an issue that has a counterparty position."""
    points = [question.points for question in rubric.questions]
    points += [escalation.points for escalation in rubric.escalations]
    for issue in rubric.issues:
        points += [issue.base_points, issue.severity_points, issue.citation_points]
        points += [issue.concept_points, issue.quote_points, issue.redline_points]
        if issue.id in positions:
            points.append(issue.settlement_points)
    final = rubric.final_submission
    return sum(points) + final.points + final.concept_points
