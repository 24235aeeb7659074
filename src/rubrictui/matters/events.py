"""What the trace says about points: events, their components and what earned or cost them.

An event is a plain mapping, ready for JSON: ``{type, criterion, points, ...}``. Each has
``attribution``, a list of ``{component, points, matched, missing, spans}``; a span is ``{field, start, end,
text}`` of what was written. ``critical`` lists what makes it a critical failure: ``{reason, pattern?, spans}``;
where gates fired, ``critical_failure_pattern`` is the last of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from rubrictui.matters.gates import Gate
from rubrictui.matters.spans import WrittenText

Event = dict[str, Any]
Attribution = dict[str, Any]
Critical = dict[str, Any]


def attribution(
    component: str,
    points: float,
    matched: Iterable[str] = (),
    missing: Iterable[str] = (),
    spans: Iterable[dict[str, Any]] = (),
) -> Attribution:
    """What one component earned or cost, and why."""
    return {
        "component": component,
        "points": points,
        "matched": list(matched),
        "missing": list(missing),
        "spans": list(spans),
    }


def concept_attribution(
    component: str, points: float, found: Sequence[str], missing: Sequence[str], text: WrittenText
) -> Attribution:
    """A component earned by concepts, with the words that hold each."""
    spans = [span for concept in found if (span := text.span_of(concept)) is not None]
    return attribution(component, points, found, missing, spans)


def event(kind: str, criterion: str, points: float, **more: Any) -> Event:
    """An event; ``more`` is added in the order given."""
    return {"type": kind, "criterion": criterion, "points": points, **more}


def fired_gates(gates: Sequence[Gate], text: WrittenText) -> list[Critical]:
    """The gates that fire on a text, each by its pattern as written and the words that fired it.

    Raises:
        GateTimeoutError: a pattern ran out of time.
    """
    fired = []
    for gate in gates:
        match = gate.first_survivor(text.normed)
        if match is not None:
            fired.append(
                {
                    "reason": "pattern",
                    "pattern": gate.entry.pattern,
                    "spans": [text.span(match.start, match.end)],
                }
            )
    return fired


def raw_score(events: Iterable[Event]) -> float:
    """The sum of the points of all events, the same in whatever order they stand."""
    return math.fsum(found["points"] for found in events)


def critical_reasons(events: Iterable[Event]) -> list[Critical]:
    """Every critical failure there is, with the criterion it happened on."""
    return [
        {"criterion": found["criterion"], **critical}
        for found in events
        for critical in found.get("critical", ())
    ]
