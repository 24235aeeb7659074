"""A matter prepared for scoring: every look-up built and every pattern compiled once, when it is loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from rubrictui.matters.gates import Gate
from rubrictui.matters.model import (
    Concepts,
    Counter,
    Document,
    Escalation,
    FinalSubmission,
    GateEntry,
    HiddenFacts,
    Issue,
    Position,
    Question,
    Rubric,
)
from rubrictui.matters.sections import split_citation
from rubrictui.matters.text import norm, normed

SectionKey = tuple[str, str]
"""(document id, section token)."""


class AskPlan:
    """A question or an escalation: its variants normalised, and the hidden answer (None without one)."""

    __slots__ = ("answer", "entry", "id", "points", "variants")

    def __init__(self, entry: Question | Escalation, answer: str | None) -> None:
        self.entry = entry
        self.id = entry.id
        self.points = entry.points
        self.variants: tuple[Concepts, ...] = tuple(normed(variant) for variant in entry.variants)
        self.answer = answer


class PositionPlan:
    """The counterparty's position on an issue, its accepted variants normalised."""

    __slots__ = ("accepts", "counters", "reject_message", "resist_rounds")

    def __init__(self, position: Position) -> None:
        self.accepts: tuple[Concepts, ...] = tuple(normed(variant) for variant in position.accept_concepts)
        self.counters: tuple[Counter, ...] = position.counters
        self.resist_rounds = position.resist_rounds
        self.reject_message = position.reject_message


class IssuePlan:
    """An issue: concepts normalised, gates compiled, its anchor's section found."""

    __slots__ = (
        "anchor_section",
        "concepts",
        "gates",
        "id",
        "issue",
        "position",
        "redline_concepts",
        "redline_gates",
        "required_citations",
        "settlement_concepts",
        "settlement_gates",
    )

    def __init__(self, issue: Issue, position: Position | None) -> None:
        self.issue = issue
        self.id = issue.id
        self.anchor_section: SectionKey | None = split_citation(issue.anchor)
        # A required citation that is listed twice is required once.
        self.required_citations = tuple(dict.fromkeys(issue.required_citations))
        self.concepts = normed(issue.required_concepts)
        self.redline_concepts = normed(issue.redline_concepts)
        self.settlement_concepts = normed(issue.settlement_concepts)
        self.gates = _gates(issue.critical_failure_patterns)
        self.redline_gates = _gates(issue.redline_critical_failure_patterns)
        self.settlement_gates = _gates(issue.settlement_critical_failure_patterns)
        self.position = PositionPlan(position) if position is not None else None


class SectionPlan:
    """A section's text as read, searched (lower case) and quoted from (normalised)."""

    __slots__ = ("document_id", "lowered", "normed", "text", "token")

    def __init__(self, document_id: str, token: str, text: str) -> None:
        self.document_id = document_id
        self.token = token
        self.text = text
        self.lowered = text.lower()
        self.normed = norm(text)


class Plan:
    """The prepared matter.

    Attributes:
        issues: by rubric order; ``by_anchor`` and ``by_id`` find one (the first, where several share it).
        sections: every section by (document id, token), in the order a search lists hits.
        digests: of every text that a reading shows, by (document id, token or None for the whole file).
    """

    def __init__(
        self,
        documents: Mapping[str, Document],
        rubric: Rubric,
        hidden_facts: HiddenFacts,
        positions: Mapping[str, Position] | None,
    ) -> None:
        self.has_negotiation = positions is not None
        self.issues = tuple(IssuePlan(issue, (positions or {}).get(issue.id)) for issue in rubric.issues)
        self.by_anchor: dict[str, IssuePlan] = {}
        self.by_id: dict[str, IssuePlan] = {}
        for issue in self.issues:
            self.by_anchor.setdefault(issue.issue.anchor, issue)
            self.by_id.setdefault(issue.id, issue)
        self.questions = tuple(
            AskPlan(question, hidden_facts.client_answers.get(question.id)) for question in rubric.questions
        )
        self.escalations = tuple(
            AskPlan(escalation, hidden_facts.escalation_answers.get(escalation.id))
            for escalation in rubric.escalations
        )
        self.final: FinalSubmission = rubric.final_submission
        self.final_concepts = normed(rubric.final_submission.required_concepts)
        self.required_issue_ids = rubric.final_submission.required_issue_ids
        self.sections: dict[SectionKey, SectionPlan] = {}
        self.digests: dict[tuple[str, str | None], str] = {}
        for document in documents.values():
            self.digests[document.id, None] = _digest(document.text)
            for token, text in document.sections.items():
                self.sections[document.id, token] = SectionPlan(document.id, token, text)
                self.digests[document.id, token] = _digest(text)
        self._citations: dict[str, SectionPlan] = {
            f"{document_id} §{token}": section for (document_id, token), section in self.sections.items()
        }

    def section(self, citation: str) -> SectionPlan | None:
        """The section a citation names; None when it names none."""
        known = self._citations.get(citation)
        if known is not None:
            return known
        parts = split_citation(citation)
        return self.sections.get(parts) if parts is not None else None


def _gates(entries: tuple[GateEntry, ...]) -> tuple[Gate, ...]:
    return tuple(Gate(entry) for entry in entries)


def _digest(text: str) -> str:
    """Twelve hexadecimal digits by which two readings compare (contract, "Vector format")."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
