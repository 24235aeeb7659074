"""Reading actions: which fields an action needs, and what a value of the wrong type counts as.

A missing field (absent or null) and a wrong type are answered, never raised (contract, "Steps"). A number given
as ``issue_id`` or ``section`` is read as its text. A wrong ``document_id`` is a document that does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rubrictui.matters.sections import citation_of
from rubrictui.matters.spans import WrittenText

ISSUE_FIELDS = ("issue_id", "title", "severity", "citations", "analysis", "recommendation")
REDLINE_FIELDS = ("issue_id", "document_id", "section", "replacement_text", "rationale")
MARKUP_FIELDS = ("issue_id", "document_id", "section", "proposed_text")


class FieldProblem(NamedTuple):
    """Why an action cannot be carried out: ``missing_fields`` or ``wrong_type``, and the fields concerned."""

    code: str
    fields: tuple[str, ...]


class Quote(NamedTuple):
    citation: str
    text: str


class IssueSubmission:
    """An issue as it was submitted, with its text normalised once."""

    __slots__ = ("citations", "label", "quotes", "severity", "shown", "text")
    kind = "issue"

    def __init__(self, action: Mapping[str, Any], label: str, quotes: Sequence[Quote]) -> None:
        self.label = label
        self.severity: str = action["severity"]
        self.citations: tuple[str, ...] = tuple(action["citations"])
        self.quotes = tuple(quotes)
        self.text = WrittenText(
            ("title", action["title"]),
            ("analysis", action["analysis"]),
            ("recommendation", action["recommendation"]),
        )
        self.shown = {
            "issue_id": label,
            "title": action["title"],
            "severity": self.severity,
            "citations": self.citations,
            "analysis": action["analysis"],
            "recommendation": action["recommendation"],
            "quotes": self.quotes,
        }

    def show(self) -> dict[str, Any]:
        """What the observation says of it; a copy that may be changed."""
        shown = dict(self.shown)
        shown["citations"] = list(self.citations)
        shown["quotes"] = [{"citation": citation, "text": text} for citation, text in self.quotes]
        return shown


class RedlineSubmission:
    """A redline as it was submitted, with its text normalised once."""

    __slots__ = ("document_id", "label", "section", "shown", "text")
    kind = "redline"

    def __init__(self, action: Mapping[str, Any], label: str, section: str) -> None:
        self.label = label
        self.document_id: str = action["document_id"]
        self.section = section
        self.text = WrittenText(("replacement_text", action["replacement_text"]))
        self.shown = {
            "issue_id": label,
            "document_id": self.document_id,
            "section": section,
            "replacement_text": action["replacement_text"],
            "rationale": action["rationale"],
        }

    @property
    def target(self) -> str:
        """Its target as a citation."""
        return citation_of(self.document_id, self.section)

    def show(self) -> dict[str, Any]:
        return dict(self.shown)


Submission = IssueSubmission | RedlineSubmission


def text_or_number(value: Any) -> str | None:
    """A text, or a number as its text; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:  # an integer of more digits than Python writes out
            return None
    return None


def _missing(action: Mapping[str, Any], names: Sequence[str]) -> FieldProblem | None:
    missing = tuple([name for name in names if action.get(name) is None])
    return FieldProblem("missing_fields", missing) if missing else None


def _wrong(action: Mapping[str, Any], texts: Sequence[str], numbers: Sequence[str]) -> list[str]:
    wrong = [name for name in numbers if text_or_number(action[name]) is None]
    wrong += [name for name in texts if not isinstance(action[name], str)]
    return wrong


def read_issue(action: Mapping[str, Any]) -> IssueSubmission | FieldProblem:
    """The issue of ``submit_issue`` or ``revise_issue``."""
    missing = _missing(action, ISSUE_FIELDS)
    if missing is not None:
        return missing
    wrong = _wrong(action, ("title", "severity", "analysis", "recommendation"), ("issue_id",))
    citations = action["citations"]
    if not isinstance(citations, list | tuple) or not all(isinstance(item, str) for item in citations):
        wrong.append("citations")
    quotes = _quotes(action.get("quotes"))
    if quotes is None:
        wrong.append("quotes")
    if wrong or quotes is None:
        return FieldProblem("wrong_type", tuple(wrong))
    return IssueSubmission(action, text_or_number(action["issue_id"]) or "", quotes)


def _quotes(value: Any) -> list[Quote] | None:
    """A list of ``{citation, text}``; none at all is an empty list. None when it is anything else."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        return None
    quotes = []
    for item in value:
        if not isinstance(item, Mapping):
            return None
        citation, text = item.get("citation"), item.get("text")
        if not isinstance(citation, str) or not isinstance(text, str):
            return None
        quotes.append(Quote(citation, text))
    return quotes


def read_redline(action: Mapping[str, Any]) -> RedlineSubmission | FieldProblem:
    """The redline of ``propose_redline`` or ``revise_redline``. A document id that is no text names no
    document, so that its target does not exist."""
    missing = _missing(action, REDLINE_FIELDS)
    if missing is not None:
        return missing
    wrong = _wrong(action, ("replacement_text", "rationale"), ("issue_id", "section"))
    if wrong:
        return FieldProblem("wrong_type", tuple(wrong))
    if not isinstance(action["document_id"], str):
        return FieldProblem("no_redline_target", ())
    label, section = text_or_number(action["issue_id"]), text_or_number(action["section"])
    return RedlineSubmission(action, label or "", section or "")


class Markup(NamedTuple):
    """A ``send_markup``: ``document_id`` is None when it was no text."""

    label: str
    document_id: str | None
    section: str
    text: WrittenText
    proposed_text: str


def read_markup(action: Mapping[str, Any]) -> Markup | FieldProblem:
    missing = _missing(action, MARKUP_FIELDS)
    if missing is not None:
        return missing
    wrong = _wrong(action, ("proposed_text",), ("issue_id", "section"))
    if wrong:
        return FieldProblem("wrong_type", tuple(wrong))
    document_id = action["document_id"]
    proposed = action["proposed_text"]
    return Markup(
        label=text_or_number(action["issue_id"]) or "",
        document_id=document_id if isinstance(document_id, str) else None,
        section=text_or_number(action["section"]) or "",
        text=WrittenText(("proposed_text", proposed)),
        proposed_text=proposed,
    )
