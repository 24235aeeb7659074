"""What is written while a matter is worked: the forms of its actions, their fields, and the actions they make. Pure.

A form's values are plain JSON (they are kept with the trajectory), so a half-written form outlives the program.
Nothing here knows the rubric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rubrictui.matters.sections import split_citation

LINE, TEXT, SEVERITY, CITATIONS, QUOTES, PLACE = "line", "text", "severity", "citations", "quotes", "place"
"""The kinds of fields. A place is the citation of one section, written out as document and section."""

Values = dict[str, Any]


class MatterField(NamedTuple):
    """One field: its name in the action, what people call it, its kind, and whether it may stay empty."""

    name: str
    title: str
    kind: str
    optional: bool = False


class MatterFormSpec(NamedTuple):
    """The form of one action. ``send`` is the word for sending it, ``budget`` what it uses besides a step."""

    action: str
    title: str
    send: str
    fields: tuple[MatterField, ...]
    budget: str = ""


_LABEL = MatterField("issue_id", "Label", LINE)
_ISSUE = (
    _LABEL,
    MatterField("title", "Title", LINE),
    MatterField("severity", "Severity", SEVERITY),
    MatterField("citations", "Citations", CITATIONS),
    MatterField("analysis", "Analysis", TEXT),
    MatterField("recommendation", "Recommendation", TEXT),
    MatterField("quotes", "Quotes", QUOTES, optional=True),
)
_REDLINE = (
    _LABEL,
    MatterField("place", "Section", PLACE),
    MatterField("replacement_text", "New text", TEXT),
    MatterField("rationale", "Rationale", TEXT),
)

FORMS: dict[str, MatterFormSpec] = {
    "issue": MatterFormSpec("submit_issue", "Issue", "Submit", _ISSUE),
    "revise issue": MatterFormSpec("revise_issue", "Revise issue", "Submit again", _ISSUE),
    "redline": MatterFormSpec("propose_redline", "Redline", "Propose", _REDLINE),
    "revise redline": MatterFormSpec("revise_redline", "Revise redline", "Propose again", _REDLINE),
    "ask": MatterFormSpec(
        "ask_client",
        "Question to the client",
        "Ask",
        (MatterField("question", "Question", TEXT),),
        "questions",
    ),
    "escalate": MatterFormSpec(
        "escalate",
        "Escalation",
        "Escalate",
        (MatterField("topic", "Topic", LINE), MatterField("reason", "Reason", TEXT)),
        "escalations",
    ),
    "markup": MatterFormSpec(
        "send_markup",
        "Markup to the other side",
        "Send",
        (_LABEL, MatterField("place", "Section", PLACE), MatterField("proposed_text", "Proposed text", TEXT)),
        "rounds",
    ),
    "final": MatterFormSpec(
        "submit_final",
        "Final submission",
        "Hand in",
        (MatterField("summary", "Summary", TEXT, optional=True),),
    ),
}
"""Every form by its name."""


def form_of(key: str) -> MatterFormSpec:
    """The form of a draft's key: a form's name, or one with a label behind a colon (``revise issue:cap``)."""
    return FORMS[key.partition(":")[0]]


def blank(key: str, **known: Any) -> Values:
    """The empty values of a form, filled with what is known."""
    values: Values = {field.name: empty_value(field) for field in form_of(key).fields}
    values.update({name: value for name, value in known.items() if name in values})
    return values


def empty_value(field: MatterField) -> Any:
    return [] if field.kind in (CITATIONS, QUOTES) else ""


def sound_values(key: str, values: object) -> Values | None:
    """Values read from a file, if they are this form's: every field of its type; None otherwise."""
    if not isinstance(values, Mapping):
        return None
    read = blank(key)
    for field in form_of(key).fields:
        value = values.get(field.name, read[field.name])
        if field.kind == QUOTES:
            good = isinstance(value, list) and all(
                isinstance(item, dict)
                and isinstance(item.get("citation"), str)
                and isinstance(item.get("text"), str)
                for item in value
            )
        elif field.kind == CITATIONS:
            good = isinstance(value, list) and all(isinstance(item, str) for item in value)
        else:
            good = isinstance(value, str)
        if not good:
            return None
        read[field.name] = value
    return read


def is_blank(key: str, values: Values) -> bool:
    """Whether nothing was written, besides a label, a severity and a place."""
    return not any(
        values[field.name] and (not isinstance(values[field.name], str) or values[field.name].strip())
        for field in form_of(key).fields
        if field.name not in ("issue_id", "severity", "place")
    )


def missing(key: str, values: Values) -> tuple[str, ...]:
    """The titles of fields that must be filled and are not."""
    return tuple(
        field.title
        for field in form_of(key).fields
        if not field.optional
        and not (values[field.name].strip() if isinstance(values[field.name], str) else values[field.name])
    )


def problem(key: str, values: Values, resolves: Callable[[str], bool]) -> str:
    """Why the form cannot be sent yet, for people; "" when it can. Nothing is sent, so no step is used.

    Args:
        key: the draft's key.
        values: what is written.
        resolves: whether a citation names a section of the matter.
    """
    lacking = missing(key, values)
    if lacking:
        return f"Still empty: {', '.join(lacking).lower()}."
    if "place" in values and not resolves(values["place"]):
        return f"{values['place']} names no section of the documents."
    wrong = [citation for citation in values.get("citations", ()) if not resolves(citation)]
    if wrong:
        return f"{wrong[0]} names no section of the documents. Take it out with x, or correct it."
    return ""


def action_of(key: str, values: Values) -> dict[str, Any]:
    """The action of a form that has no problem."""
    form = form_of(key)
    action: dict[str, Any] = {"type": form.action}
    for field in form.fields:
        value = values[field.name]
        if field.kind == PLACE:
            action["document_id"], action["section"] = split_citation(value) or (value, "")
        elif field.kind == QUOTES:
            if value:
                action[field.name] = [dict(item) for item in value]
        elif field.kind in (CITATIONS,):
            action[field.name] = list(value)
        else:
            action[field.name] = value.strip() if field.kind == LINE else value
    return action


def fresh_label(taken: tuple[str, ...]) -> str:
    """A label that is not used yet: ``issue-1``, ``issue-2`` ..."""
    number = 1
    while f"issue-{number}" in taken:
        number += 1
    return f"issue-{number}"
