"""What an action comes to, and what each error costs (contract, "Steps").

The cost of an error is the reward of its step and never enters the score: only events do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rubrictui.matters.events import Event
from rubrictui.matters.submissions import FieldProblem

Action = Mapping[str, Any]
Result = dict[str, Any]

COSTS: dict[str, float] = {
    "unknown_action": -0.5,
    "missing_fields": -0.25,
    "wrong_type": -0.25,
    "unknown_document": -0.2,
    "unknown_section": -0.1,
    "short_query": -0.1,
    "question_budget": -0.5,
    "empty_question": -0.25,
    "escalation_budget": -0.5,
    "empty_escalation": -0.25,
    "no_redline_target": -0.75,
    "no_revision_target": -0.25,
    "negotiation_unavailable": 0.0,
    "round_budget": -0.5,
    "no_outstanding_counter": -0.25,
}
"""The reward of each error by its code."""


class Outcome(NamedTuple):
    """What an action came to: the result shown, its reward and the event it made. ``valid`` is False where
    it came to nothing (an error, or nothing learned), None where it was no action at all."""

    result: Result
    reward: float = 0.0
    event: Event | None = None
    valid: bool | None = True


def error(code: str, message: str, **more: Any) -> Outcome:
    """An error result at its cost; ``message`` says what to do, and nothing of the rubric."""
    valid = None if code == "unknown_action" else False
    return Outcome({"kind": "error", "code": code, "message": message, **more}, COSTS[code], None, valid)


def wrong_type(*fields: str) -> Outcome:
    message = f"These fields have values of the wrong type: {', '.join(fields)}."
    return error("wrong_type", message, fields=list(fields))


def field_error(problem: FieldProblem) -> Outcome:
    """The answer to an action whose fields cannot be used."""
    if problem.code == "no_redline_target":
        return no_redline_target()
    if problem.code == "wrong_type":
        return wrong_type(*problem.fields)
    message = f"These fields are missing: {', '.join(problem.fields)}."
    return error("missing_fields", message, missing=list(problem.fields))


def no_redline_target() -> Outcome:
    return error("no_redline_target", "There is no such section to redline.")


def acknowledged(action: Action) -> Result:
    """Nothing is said of what was matched; the label is echoed as it was given."""
    return {"kind": "ack", "issue_id": action["issue_id"]}
