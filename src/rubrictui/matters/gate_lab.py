"""The gate lab: the gates of a matter by name, and why one fires on a text or does not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.building import GATE_LISTS
from rubrictui.matters.gates import Gate, GateMatch, GateVerdict, gate_entry
from rubrictui.matters.loading import Matter
from rubrictui.matters.model import GateEntry, Value
from rubrictui.matters.text import norm

KINDS = dict(zip(("critical", "redline", "settlement"), GATE_LISTS, strict=True))
"""The three lists of an issue by the short word that stands in a gate's name."""


class NamedGate(Value, frozen=True):
    """A gate of a matter. ``name`` is ``ISSUE/KIND/NUMBER``, counted from 1: ``data_training/critical/1``."""

    name: str
    issue_id: str
    kind: str
    entry: GateEntry


class LabVerdict(Value, frozen=True):
    """What a gate says about a text.

    Attributes:
        entry, text: what was tried.
        fires: on the text as it is given.
        fires_normalized: on the text as scoring sees it, in lower case and on one line.
        normalized: the matches in ``normalized_text``.
    """

    entry: GateEntry
    text: str
    fires: bool
    fires_normalized: bool
    normalized: GateVerdict
    normalized_text: str

    @property
    def pattern(self) -> str:
        return self.entry.pattern

    def as_given(self) -> GateVerdict:
        """The matches in the text as it is given, which are looked for now.

        Raises:
            GateTimeoutError: a pattern ran out of time.
        """
        return self.normalized if self.text == self.normalized_text else Gate(self.entry).judge(self.text)


# The text at hand is tried again with every change of a pattern, and on every gate of a matter.
_normalized = lru_cache(maxsize=1)(norm)


def judge(entry: str | Mapping[str, Any] | GateEntry, text: str) -> LabVerdict:
    """Try an entry on a text, as given and as scoring sees it. Only the latter is explained: the former is
    rarely asked for (``LabVerdict.as_given``).

    Raises:
        InvalidInputError: the entry is of no use.
        GateTimeoutError: a pattern ran out of time.
    """
    tried = entry if isinstance(entry, GateEntry) else gate_entry(entry)
    gate = Gate(tried)
    scored = _normalized(text)
    normalized = gate.judge(scored)
    return LabVerdict(
        entry=tried,
        text=text,
        fires=normalized.fires if text == scored else gate.fires(text),
        fires_normalized=normalized.fires,
        normalized=normalized,
        normalized_text=scored,
    )


def gates_of(matter: Matter) -> tuple[NamedGate, ...]:
    """Every gate of a matter that can be used, in the order of the rubric."""
    return tuple(
        NamedGate(name=f"{issue.id}/{kind}/{number}", issue_id=issue.id, kind=kind, entry=entry)
        for issue in matter.rubric.issues
        for kind, key in KINDS.items()
        for number, entry in enumerate(getattr(issue, key), 1)
    )


def find_gates(matter: Matter, reference: str) -> tuple[NamedGate, ...]:
    """The gate of a name, else every gate with that pattern, else every gate of that issue.

    Raises:
        InvalidInputError: there is none.
    """
    gates = gates_of(matter)
    for found in (
        tuple(gate for gate in gates if gate.name == reference),
        tuple(gate for gate in gates if gate.entry.pattern == reference),
        tuple(gate for gate in gates if gate.issue_id == reference),
    ):
        if found:
            return found
    names = ", ".join(gate.name for gate in gates[:6]) + (", ..." if len(gates) > 6 else "")
    raise InvalidInputError(
        f'the matter has no gate "{reference}".',
        remedy=f"It has {names}; a pattern names its gates too." if gates else "It has none.",
    )


def reason(match: GateMatch) -> str:
    """One line for people: what became of a match, and by which word."""
    if match.outcome == "negated":
        inside = (match.negator_start or 0) >= match.start
        where = "inside it" if inside else "before it in its sentence"
        return f'saved: the negator "{match.negator}" stands {where}'
    if match.outcome == "context_missing":
        return "saved: its sentence lacks what require_context asks for"
    if match.outcome == "context_excluded":
        return f'saved: exclude_context finds "{match.context}" in its sentence'
    if match.context is not None:
        return f'fires: require_context finds "{match.context}" in its sentence'
    return "fires"
