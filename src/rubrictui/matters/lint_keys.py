"""The keys that mean something, and a warning for those that do not (``--pedantic``)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import msgspec

from rubrictui.matters.lint_view import View, Views
from rubrictui.matters.model import (
    Constraints,
    Counter,
    Escalation,
    FinalSubmission,
    HiddenFacts,
    Issue,
    MatterFacts,
    Position,
    Question,
    Rubric,
)


def _keys(kind: type[msgspec.Struct], *more: str, without: str = "") -> frozenset[str]:
    return frozenset({*kind.__struct_fields__, *more} - {without})


_MATTER = _keys(MatterFacts, "documents", "provenance")
_DOCUMENT = frozenset({"id", "title", "path"})
_POSITION = _keys(Position, without="issue_id")


def lint_keys(views: Views) -> None:
    """Warn of every key that nothing reads. What stands in public_facts and provenance is the author's own."""
    _known([views.matter], _MATTER)
    _known([views.matter["constraints"]], _keys(Constraints))
    _known(views.matter["documents"].items(), _DOCUMENT)
    _known([views.rubric], _keys(Rubric))
    _known(views.rubric["questions"].items(), _keys(Question))
    _known(views.rubric["escalations"].items(), _keys(Escalation))
    _known(views.rubric["issues"].items(), _keys(Issue))
    _known([views.rubric["final_submission"]], _keys(FinalSubmission))
    _known([views.hidden_facts], _keys(HiddenFacts))
    _known([views.counterparty], frozenset({"positions"}))
    positions = [position for _, position in views.positions.pairs()]
    _known(positions, _POSITION)
    for position in positions:
        _known(position["counters"].items(), _keys(Counter))


def _known(entries: Iterable[View], keys: frozenset[str]) -> None:
    for entry in entries:
        for key, _ in entry.pairs():
            if key not in keys:
                close = difflib.get_close_matches(key, sorted(keys), n=1)
                meant = f' Did you mean "{close[0]}"?' if close else ""
                entry.warn(
                    "key_unknown",
                    f'nothing reads the key "{key}"{f" of {entry.name}" if entry.name else ""}.{meant}',
                    entry.key_place(key),
                )
