"""What the person who works a matter is shown: never the rubric, hidden facts or the other side's positions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from rubrictui.matters.model import Document, MatterFacts
from rubrictui.matters.state import State

PROTOCOL = (
    "Cite the operative provision first: the first citation that carries a point decides which point it is.",
    "Cite as document id, section sign, section: 'msa §4.2'. A citation that names no section costs points.",
    "Read a provision before you raise an issue on it.",
    "Quotes are verbatim: copy them word for word from the section you cite. Put paraphrase in the analysis;"
    " a quote that does not stand in its section counts as fabricated and is a critical failure.",
    "issue_id is your own label. Use the same label for an issue, its redline and its negotiation.",
    "Severity is one of low, medium, high, critical.",
    "Questions, escalations, negotiation rounds and steps are limited; see budgets.",
    "Raise what must be raised before the final submission: nothing can be added after it.",
)

_ISSUE = (
    "issue_id: text",
    "title: text",
    "severity: low | medium | high | critical",
    "citations: list of text, the operative provision first",
    "analysis: text",
    "recommendation: text",
    "quotes?: list of {citation, text}, text verbatim",
)
_REDLINE = (
    "issue_id: text",
    "document_id: text",
    "section: text",
    "replacement_text: text",
    "rationale: text",
)

ACTIONS: dict[str, tuple[str, ...]] = {
    "read_document": ("document_id: text", "section?: text"),
    "search_matter": ("query: text, at least 3 characters",),
    "ask_client": ("question: text",),
    "escalate": ("topic: text", "reason: text"),
    "submit_issue": _ISSUE,
    "revise_issue": _ISSUE,
    "propose_redline": _REDLINE,
    "revise_redline": _REDLINE,
    "send_markup": ("issue_id: text", "document_id: text", "section: text", "proposed_text: text"),
    "accept_counterparty": ("issue_id: text",),
    "submit_final": ("summary?: text",),
}
"""The fields of each action; those with a question mark may be left out."""

NEGOTIATION_ACTIONS = ("send_markup", "accept_counterparty")


def action_types(*, has_negotiation: bool) -> tuple[str, ...]:
    """The actions a matter allows; those of a negotiation only when there is a counterparty."""
    return tuple(name for name in ACTIONS if has_negotiation or name not in NEGOTIATION_ACTIONS)


class FixedPart:
    """What stays the same in every observation of a matter; prepared once, copied for each."""

    __slots__ = ("_actions", "_documents", "_facts", "_public_facts")

    def __init__(self, facts: MatterFacts, documents: Iterable[Document], *, has_negotiation: bool) -> None:
        self._facts = {
            "matter_id": facts.matter_id,
            "title": facts.title,
            "practice_area": facts.practice_area,
            "role": facts.role,
            "assignment": facts.assignment,
        }
        # Values of any depth: decoding gives a copy that shares nothing.
        self._public_facts = msgspec.json.encode(facts.public_facts)
        self._documents = [(document.id, document.title, document.tokens) for document in documents]
        self._actions = {name: ACTIONS[name] for name in action_types(has_negotiation=has_negotiation)}

    def copy(self) -> dict[str, Any]:
        return {
            "matter": {**self._facts, "public_facts": msgspec.json.decode(self._public_facts)},
            "documents": [
                {"id": document_id, "title": title, "sections": tokens}
                for document_id, title, tokens in self._documents
            ],
            "protocol": PROTOCOL,
            "actions": dict(self._actions),
        }


def observe(
    fixed: FixedPart,
    state: State,
    *,
    step: int,
    ended: bool,
    budgets: dict[str, int | None],
    last_result: dict[str, Any] | None,
) -> dict[str, Any]:
    """An observation: JSON values, lists and mappings fresh so that changing them does no harm, tuples where
    nothing ever changes."""
    observation = fixed.copy()
    issues: list[dict[str, Any]] = []
    redlines: list[dict[str, Any]] = []
    for submission in state.submissions:
        (issues if submission.kind == "issue" else redlines).append(submission.show())
    observation["step"] = step
    observation["ended"] = ended
    observation["budgets"] = budgets
    observation["learned_facts"] = {**observation["matter"]["public_facts"], **state.learned}
    observation["asked_questions"] = list(state.questions)
    observation["submitted_issues"] = issues
    observation["submitted_redlines"] = redlines
    observation["submitted_escalations"] = [dict(escalation) for escalation in state.escalations]
    observation["negotiation"] = negotiation_view(state)
    observation["last_result"] = last_result
    return observation


def negotiation_view(state: State) -> dict[str, Any] | None:
    """Each label used at the table with the state of its point; None when there is nothing to negotiate."""
    if not state.plan.has_negotiation:
        return None
    return {label: state.tables[issue_id].show() for label, issue_id in state.table_labels.items()}
