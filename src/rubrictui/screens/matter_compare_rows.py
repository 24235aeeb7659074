"""Two traces of one matter side by side: points by criterion, and what each side wrote. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rubrictui.matters.loading import Matter
from rubrictui.screens.matter_trace_rows import Trace, TraceStep, event_lines, written_lines
from rubrictui.screens.matter_words import action_words
from rubrictui.widgets.detail_pane import Line
from rubrictui.widgets.rows_list import Column, Row

COMPARE_COLUMNS = (
    Column("Criterion", share=2, minimum=20),
    Column("A", width=7, right=True),
    Column("B", width=7, right=True),
    Column("B - A", width=7, right=True),
)

CriterionKey = tuple[str, str]
"""What an event is about (``issue``, ``redline``, ``settlement``, ...) and its criterion."""

_FAMILIES = ("question", "escalation", "issue", "redline", "settlement", "markup", "final")


def family_of(event_type: str) -> str:
    """What an event is about, whatever came of it."""
    if event_type.startswith("counterparty"):
        return "settlement"
    return next((name for name in _FAMILIES if name in event_type), event_type)


def by_criterion(trace: Trace) -> dict[CriterionKey, list[Mapping[str, Any]]]:
    """The final events of a trace by what they are about; costs off the rubric stand together."""
    found: dict[CriterionKey, list[Mapping[str, Any]]] = {}
    for event in trace.result["events"] if trace.result is not None else ():
        kind = event["type"]
        off = kind.startswith(("off_rubric", "unsupported", "unread"))
        key = (family_of(kind), "off the rubric" if off else str(event["criterion"]))
        found.setdefault(key, []).append(event)
    return found


def compare_rows(matter: Matter, first: Trace, second: Trace) -> list[Row]:
    """A row a criterion that either trace touched or the rubric has, in the order of the rubric."""
    ours, theirs = by_criterion(first), by_criterion(second)
    rubric = matter.rubric
    order: list[CriterionKey] = [("question", one.id) for one in rubric.questions]
    order += [("escalation", one.id) for one in rubric.escalations]
    for issue in rubric.issues:
        order += [("issue", issue.id), ("redline", issue.id), ("settlement", issue.id)]
    order.append(("final", "final"))
    keys = [
        key for key in order if key in ours or key in theirs or key[0] in ("question", "escalation", "issue")
    ]
    keys += [key for key in (*ours, *theirs) if key not in keys]
    rows = []
    for key in dict.fromkeys(keys):
        a, b = _points(ours.get(key)), _points(theirs.get(key))
        difference = (b or 0.0) - (a or 0.0)
        tone = "success" if difference > 1e-9 else "error" if difference < -1e-9 else "muted"
        critical = any(event.get("critical") for event in (*ours.get(key, ()), *theirs.get(key, ())))
        rows.append(
            Row(
                "\t".join(key),
                (
                    f"{key[0]} · {key[1]}",
                    _shown(a),
                    _shown(b),
                    f"{difference:+.2f}" if abs(difference) > 1e-9 else "=",
                ),
                mark="!" if critical else " ",
                tones=("", "", "", tone),
            )
        )
    return rows


def _points(events: Sequence[Mapping[str, Any]] | None) -> float | None:
    return sum(event["points"] for event in events) if events else None


def _shown(points: float | None) -> str:
    return "-" if points is None else f"{points:.2f}"


def side_lines(trace: Trace, letter: str, key: CriterionKey) -> list[Line]:
    """What one trace has on a criterion: events by component and the texts they rest on."""
    lines: list[Line] = [[(f"{letter}: {trace.title}", "heading")]]
    events = by_criterion(trace).get(key)
    if not events:
        return [*lines, [("nothing", "muted")]]
    for event in events:
        lines += event_lines(event)
        step = step_of(trace, event)
        if step is not None:
            lines += [[(f"Step {step.number}: {action_words(step.action)}", "muted")]]
            lines += written_lines(step.action, [event])
    return lines


def step_of(trace: Trace, event: Mapping[str, Any]) -> TraceStep | None:
    """The step whose text an event stands on: where it, or the revision that last scored it, was submitted."""
    label = event.get("label")
    step: TraceStep
    for step in reversed(trace.steps):
        if any(one is event for one in step.events):
            if "rescored" not in (step.event or {}) or step.action.get("issue_id") == label:
                return step
            break
    kind = family_of(str(event["type"]))
    for step in reversed(trace.steps):
        if kind in str(step.action.get("type")) and str(step.action.get("issue_id")) == label:
            return step
    return None
