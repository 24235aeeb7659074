"""A trace step by step: running score, what each event earned or cost, and the words it rests on. Pure.

This is for after the end, or for the author: it tells what the rubric holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rubrictui.matters.episode import Episode
from rubrictui.matters.errors import GateTimeoutError
from rubrictui.matters.loading import Matter
from rubrictui.matters.metrics import episode_metrics
from rubrictui.matters.points import component_points
from rubrictui.screens.matter_words import action_words
from rubrictui.widgets.detail_pane import Line
from rubrictui.widgets.rows_list import Column, Row

TRACE_COLUMNS = (
    Column("#", width=3, right=True),
    Column("What was done", share=3, minimum=18),
    Column("What it came to", share=2, minimum=16, drop=1),
    Column("Points", width=7, right=True),
    Column("So far", width=7, right=True),
)

SUMMARY = "summary"
"""The id of the row above the steps."""

FOUND, LOST = ("[+", "+]"), ("[-", "-]")
"""What stands around words that earned, and around words that cost; colours say it too."""

_COMPONENTS = {
    "base": "issues: base",
    "severity": "issues: severity",
    "citations": "issues: citation",
    "quotes": "issues: quote",
    "redline": "issues: redline",
    "settlement": "issues: settlement",
    "question": "questions",
    "escalation": "escalations",
    "summary": "final submission",
}
_REASONS = {
    "pattern": "a critical-failure pattern fires",
    "fabricated_quote": "a quote does not stand in its section",
    "non_negotiable": "a point that is not for trading was traded",
    "missed_escalation": "an escalation was missed",
}


class TraceStep(NamedTuple):
    """One action: the events it added, its reward, and the raw score after it."""

    number: int
    action: Mapping[str, Any]
    result: Mapping[str, Any]
    reward: float
    event: Mapping[str, Any] | None
    events: tuple[Mapping[str, Any], ...]
    raw: float


@dataclass
class Trace:
    """Actions carried out on a matter, and what they came to.

    ``result`` is None when a pattern ran out of time, which ``aborted`` names; ``ignored`` actions came after the end.
    """

    title: str
    steps: list[TraceStep] = field(default_factory=list)
    result: dict[str, Any] | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    aborted: str = ""
    ignored: int = 0

    @property
    def score_words(self) -> str:
        """The score of record, in a line."""
        result = self.result
        if result is None:
            return f"Unscored: {self.aborted}"
        how = (
            "handed in" if result["terminated"] else "out of steps" if result["truncated"] else "not finished"
        )
        words = (
            f"Score {result['normalized_score']:.4f}: {result['raw_score']:.2f} of {result['max_score']:.2f} points, "
            f"{how} after {result['steps']} steps"
        )
        return words + ("; critical failure" if result["critical_failure"] else "")


def trace_of(matter: Matter, actions: Iterable[Any], title: str, *, seed: int = 0) -> Trace:
    """Carry out actions and keep what happened at each.

    Raises:
        InvalidInputError: the matter has problems.
    """
    import msgspec

    trace = Trace(title)
    episode = Episode(matter, seed=seed)
    for action in actions:
        if episode.ended:
            trace.ignored += 1
            continue
        try:
            observation, reward, _, _, info = episode.step(action)
        except GateTimeoutError as error:
            trace.aborted = str(error)
            return trace
        given = action if isinstance(action, Mapping) else {"type": str(action)}
        trace.steps.append(
            TraceStep(
                len(trace.steps) + 1,
                given,
                observation["last_result"],
                reward,
                info["event"],
                tuple(info["events"]),
                info["raw_score"],
            )
        )
    trace.result = episode.result()
    trace.metrics = msgspec.structs.asdict(episode_metrics(matter, trace.result))
    return trace


def trace_rows(trace: Trace) -> list[Row]:
    """The summary, then a row a step."""
    rows = [Row(SUMMARY, ("", "The whole", trace.title, "", _raw(trace)), tone="strong")]
    for step in trace.steps:
        points = step.event["points"] if step.event is not None else step.reward
        tone = "success" if points > 0 else "error" if points < 0 else "muted"
        rows.append(
            Row(
                str(step.number),
                (
                    str(step.number),
                    action_words(step.action),
                    event_words(step),
                    f"{points:+.2f}" if points else "",
                    f"{step.raw:.2f}",
                ),
                mark="!" if is_critical(step) else " ",
                tones=("", "", "", tone, ""),
            )
        )
    return rows


def _raw(trace: Trace) -> str:
    return f"{trace.result['raw_score']:.2f}" if trace.result is not None else ""


def is_critical(step: TraceStep) -> bool:
    """Whether a critical failure stands in what the step added."""
    return any(event.get("critical") for event in step.events)


def event_words(step: TraceStep) -> str:
    """What a step came to: its event and criterion, or the error."""
    if step.event is None:
        code = step.result.get("code")
        return f"error: {str(code).replace('_', ' ')}" if code else ""
    return f"{str(step.event['type']).replace('_', ' ')} · {step.event['criterion']}"


def step_lines(step: TraceStep) -> list[Line]:
    """A step in full: events by component, then the words written, with what earned and cost marked in them."""
    lines: list[Line] = [[(f"Step {step.number}: {action_words(step.action)}", "heading")]]
    if not step.events:
        lines.append([(str(step.result.get("message", "It earns nothing and costs nothing.")), "")])
        if step.reward:
            lines.append([(f"The step is rewarded {step.reward:+.2f}; the score stays.", "muted")])
    if step.event is not None and "rescored" in step.event:
        lines.append([(f"All submissions were scored again: {step.event['points']:+.2f}", "label")])
    for event in step.events:
        lines += [[], *event_lines(event)]
    return [*lines, *written_lines(step.action, step.events)]


def event_lines(event: Mapping[str, Any]) -> list[Line]:
    """An event: its points by component with what matched and what was missing, and its critical failures."""
    kind = str(event["type"]).replace("_", " ")
    lines: list[Line] = [[(f"{event['points']:+.2f}  {kind} · {event['criterion']}", "label")]]
    for part in event.get("attribution", ()):
        points = part["points"]
        tone = "success" if points > 0 else "error" if points < 0 else "muted"
        line = [(f"  {points:+.2f} ", tone), (str(part["component"]).replace("_", " "), "")]
        if part["matched"]:
            line.append((f"  has: {', '.join(part['matched'])}", "muted"))
        if part["missing"]:
            line.append((f"  lacks: {', '.join(part['missing'])}", "warning"))
        lines.append(line)
    for critical in event.get("critical", ()):
        lines.append([(f"  critical: {critical_words(critical)}", "error")])
    return lines


def critical_words(critical: Mapping[str, Any]) -> str:
    """Why something is a critical failure."""
    words = _REASONS.get(critical["reason"], str(critical["reason"]))
    if critical["reason"] == "pattern":
        return f"{words}: {critical['pattern']}"
    if critical["reason"] == "fabricated_quote":
        return f"{words}: {critical['citation']}"
    if critical["reason"] == "non_negotiable":
        return f"{words}; it lacks {', '.join(critical['missing'])}"
    return f"{words}: {critical.get('escalation', '')}"


def written_lines(action: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> list[Line]:
    """The texts of an action that events point into, with the words marked."""
    texts = _texts(action, events)
    marks: dict[tuple[str, int | None], list[tuple[int, int, bool]]] = {}
    for event in events:
        if action.get("issue_id") is not None and event.get("label") not in (None, str(action["issue_id"])):
            continue  # a revision scores others again; their words are not in this action
        for part in event.get("attribution", ()):
            # Of quotes, those that cost are marked below, as the critical failures they are.
            earns = part["points"] > 0 or part["component"] == "quotes"
            for span in part["spans"]:
                found = marks.setdefault((span["field"], span.get("index")), [])
                if earns or part["points"] < 0:
                    found.append((span["start"], span["end"], earns))
        for critical in event.get("critical", ()):
            for span in critical["spans"]:
                key = (span["field"], span.get("index"))
                marks.setdefault(key, []).append((span["start"], span["end"], False))
    lines: list[Line] = [[]]
    for (name, index), text in texts.items():
        if (name, index) in marks:
            title = f"{name.replace('_', ' ')}{f' {index + 1}' if index is not None else ''}"
            lines.append([(f"{title}: ", "label"), *marked(text, marks[name, index])])
    return lines if len(lines) > 1 else []


def _texts(
    action: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, int | None], str]:
    texts: dict[tuple[str, int | None], str] = {}
    for name, value in action.items():
        if isinstance(value, str):
            texts[name, None] = value
        elif isinstance(value, list):
            for index, entry in enumerate(value):
                text = entry.get("text") if isinstance(entry, Mapping) else entry
                if isinstance(text, str):
                    texts[name, index] = text
    for event in events:
        if isinstance(event.get("closing_text"), str):
            texts["accepted_text", None] = event["closing_text"]
    texts.setdefault(("summary", None), "")
    return texts


def marked(text: str, marks: Iterable[tuple[int, int, bool]]) -> Line:
    """A text with ranges marked as earning (True) or costing; where both hold, costing is shown."""
    if not text:
        return [("(nothing was written)", "muted")]
    kinds = [0] * len(text)
    for start, end, earns in marks:
        for at in range(max(start, 0), min(end, len(text))):
            kinds[at] = max(kinds[at], 1 if earns else 2)
    pieces: list[tuple[str, str]] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or kinds[at] != kinds[start]:
            piece = text[start:at]
            if kinds[start]:
                before, after = FOUND if kinds[start] == 1 else LOST
                pieces.append((f"{before}{piece}{after}", "success" if kinds[start] == 1 else "error"))
            else:
                pieces.append((piece, ""))
            start = at
    return pieces


def earned_by_component(result: Mapping[str, Any]) -> dict[str, float]:
    """What was earned, under the names of ``component_points``; costs stand under ``penalties``."""
    earned: dict[str, float] = {}
    for event in result["events"]:
        for part in event["attribution"]:
            component = part["component"]
            name = _COMPONENTS.get(component, component)
            if component == "concepts":
                final = event["type"] == "final_submission"
                name = "final submission: concepts" if final else "issues: concept"
            if part["points"] < 0 or name not in (
                *_COMPONENTS.values(),
                "issues: concept",
                "final submission: concepts",
            ):
                name = "penalties"
            earned[name] = earned.get(name, 0.0) + part["points"]
    return earned


def summary_lines(matter: Matter, trace: Trace) -> list[Line]:
    """The score, why it is capped, what each component earned, and what was found and missed."""
    lines: list[Line] = [[(trace.score_words, "heading")]]
    result = trace.result
    if result is None:
        return lines
    if trace.ignored:
        lines.append([(f"{trace.ignored} actions after the end were not carried out.", "warning")])
    if result["critical_failure"]:
        cap = matter.rubric.critical_failure_score_cap
        lines.append([(f"A critical failure caps the score at {cap:g}:", "error")])
        lines += [
            [(f"  {critical['criterion']}: {critical_words(critical)}", "error")]
            for critical in result["critical_reasons"]
        ]
    lines += [[], [("Points by component", "label")]]
    earned = earned_by_component(result)
    for name, most in component_points(matter).items():
        if most or earned.get(name):
            lines.append([(f"  {name:<30}", ""), (f"{earned.get(name, 0.0):6.2f} of {most:6.2f}", "accent")])
    if earned.get("penalties"):
        lines.append([(f"  {'penalties':<30}", ""), (f"{earned['penalties']:6.2f}", "error")])
    found = result["breakdown"]
    missed = [issue.id for issue in matter.rubric.issues if issue.id not in found["matched_issues"]]
    for title, names in (
        ("Issues found", found["matched_issues"]),
        ("Issues missed", missed),
        ("Settled", found["settled_issues"]),
        ("Unsupported issues", found["unsupported_issues"]),
        ("Fabricated quotes", found["fabricated_quotes"]),
        ("Invalid citations", found["invalid_citations"]),
    ):
        if names:
            lines += [[(f"{title}: ", "label"), (", ".join(map(str, names)), "")]]
    lines += [[], [("Measures", "label")]]
    lines += [
        [(f"  {name.replace('_', ' '):<30}", ""), (f"{value:g}", "accent")]
        for name, value in trace.metrics.items()
    ]
    return lines
