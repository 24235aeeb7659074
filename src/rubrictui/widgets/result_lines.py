"""How a result looks: a bar per node, and the node under the cursor in full. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from rubrictui.core.display import visible
from rubrictui.core.explain import display_score, number
from rubrictui.core.model import Node, RollupMethod, ScaleType, VersionSnapshot, fold_id
from rubrictui.core.records import Cohort, CohortCriterion, EvaluationDetail, EvaluationScore
from rubrictui.widgets.criteria_lines import evidence_line, evidence_lines, format_number, percent
from rubrictui.widgets.criteria_rows import criteria_rows
from rubrictui.widgets.text import Line, expand_tabs, one_line, pad, wrap

_BAR = 10
_EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True, slots=True, eq=False)
class ResultRow:
    """One node of a result: what it is, what was answered, what came of it."""

    node: Node
    depth: int
    score: EvaluationScore | None
    answer: str
    cohort: CohortCriterion | None = None


def result_rows(detail: EvaluationDetail) -> tuple[ResultRow, ...]:
    """Every node in walk order."""
    scores = {fold_id(score.node_id): score for score in detail.scores}
    # A cohort of one is the evaluation itself and says nothing.
    has_peers = detail.cohort is not None and detail.cohort.count > 1
    cohort = {row.key: row for row in detail.cohort.criteria} if detail.cohort and has_peers else {}
    return tuple(
        ResultRow(
            row.node,
            row.depth,
            scores.get(row.id),
            answer_words(row.node, scores.get(row.id), detail.version),
            cohort.get(row.node.key),
        )
        for row in criteria_rows(detail.version)
    )


def answer_words(node: Node, score: EvaluationScore | None, version: VersionSnapshot) -> str:
    """What was answered, in a word or two; "" for a group."""
    if not node.is_criterion:
        return ""
    if score is None:
        return "unanswered"
    if score.is_not_applicable:
        return "N/A"
    scale = next((s for s in version.scales if fold_id(s.id) == fold_id(node.scale_id)), None)
    if scale is not None and scale.scale_type is ScaleType.NUMERIC:
        return "unanswered" if score.raw_value is None else format_number(score.raw_value) + percent(scale)
    wanted = fold_id(score.scale_level_id)
    if not wanted:
        return "unanswered"
    return next(
        (level.label for level in (scale.levels if scale else ()) if fold_id(level.id) == wanted), "?"
    )


def bar(share: float | None, width: int = _BAR) -> str:
    """A bar of ``width`` cells for a share of 0..1; dots for none."""
    if share is None:
        return "·" * width
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width, "░")[:width]


def shown_score(version: VersionSnapshot, score: float | None) -> str:
    """A 0..1 score on the display range, at most two decimals."""
    value = display_score(version, score)
    return "–" if value is None else number(round(value, 2))


def percentage(share: float) -> str:
    """A share of 0..1 as a percentage, at most two decimals."""
    return f"{number(round(share * 100, 2))}%"


def points(version: VersionSnapshot, contribution: float | None) -> str:
    """What a node gives to the overall score, in points of the display range."""
    if contribution is None:
        return ""
    return number(round(contribution * (version.score_display_max - version.score_display_min), 2))


HEADINGS = ("Share", "Answer", "Score", "Points")


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """Cells of each column; 0 leaves one out."""

    width: int
    name: int
    answer: int
    score: int = 6
    share: int = 5
    points: int = 6
    bar: int = _BAR


def plan_columns(rows: Sequence[ResultRow], width: int) -> ResultColumns:
    """Names take what is left; narrow places give up the share and the points."""
    wanted = max([cell_len(HEADINGS[1]), *(cell_len(one_line(row.answer, 40)) for row in rows)]) + 1
    answer = min(wanted, 18)
    share, point = (5, 7) if width >= 70 else (0, 0)
    length = _BAR if width >= 50 else 0
    taken = 3 + answer + 8 + (share + 1 if share else 0) + (point + 1 if point else 0) + length
    # Not wider than the longest name: on a wide terminal the eye should not have far to go.
    longest = max((_name_width(row) for row in rows), default=10) + 2
    name = max(min(width - taken, longest), 10)
    answer = min(wanted, max(answer, answer + width - taken - name))  # what no name needs
    return ResultColumns(width, name, answer, 6, share, point, length)


def _name_width(row: ResultRow) -> int:
    node = row.node
    flags = (5 if node.is_gate else 0) + (9 if node.is_advisory else 0)
    return min(row.depth, 4) * 2 + cell_len(one_line(node.name or node.key, 200)) + flags


def heading_line(columns: ResultColumns) -> Line:
    """What the columns are."""
    share, answer, score, point = HEADINGS
    text = "   " + pad("Criterion", columns.name)
    if columns.share:
        text += f" {share:>{columns.share}}"
    text += " " + pad(answer, columns.answer) + pad("", columns.bar) + f" {score:>{columns.score}}"
    if columns.points:
        text += f" {point:>{columns.points}}"
    return [(text, "muted")]


def result_line(row: ResultRow, columns: ResultColumns, version: VersionSnapshot, *, mark: str = " ") -> Line:
    """One node on one line: name, share, answer, bar, score, points."""
    node, score = row.node, row.score
    failed = score is not None and score.gate_failed
    name_style = "error" if failed else "group" if not node.is_criterion else "name"
    flags = (" gate" if node.is_gate else "") + (" advisory" if node.is_advisory else "")
    indent = min(row.depth, 4) * 2
    name = one_line(node.name or node.key, max(columns.name - indent - cell_len(flags), 4)) + flags
    line: Line = [
        (mark, "bar"),
        ("✗ " if failed else "  ", "error"),
        (" " * indent, "text"),
        (pad(name, columns.name - indent), name_style),
    ]
    if columns.share:
        share = score.effective_weight if score is not None else None
        line.append((f" {'' if share is None else f'{share:.0%}':>{columns.share}}", "muted"))
    value = score.normalized_score if score is not None else None
    answer_style = "muted" if row.answer in ("unanswered", "N/A") else "text"
    line += [
        (" " + pad(one_line(row.answer, columns.answer - 1), columns.answer), answer_style),
        (bar(value, columns.bar), "error" if failed else "filled" if value is not None else "muted"),
        (f" {shown_score(version, value) if value is not None else '–':>{columns.score}}", "text"),
    ]
    if columns.points:
        contribution = score.overall_contribution if score is not None else None
        line.append((f" {points(version, contribution):>{columns.points}}", "muted"))
    return line


def open_result_lines(
    row: ResultRow, columns: ResultColumns, version: VersionSnapshot, *, has_focus: bool, in_full: bool
) -> list[Line]:
    """The node under the cursor: its line, what it asks, what was written, how others answered.

    Args:
        in_full: whole texts; else a line or two of each.
    """
    mark = "▌" if has_focus else "▏"
    lines = [result_line(row, columns, version, mark=mark)]
    width = columns.width - 8
    for text, style in _detail(row, width, version, in_full):
        lines.append([(mark, "bar"), ("     ", "text"), (text, style)])
    return lines


def _detail(row: ResultRow, width: int, version: VersionSnapshot, in_full: bool) -> list[tuple[str, str]]:
    node, score = row.node, row.score
    facts: list[tuple[str, str]] = []

    def add(text: str, style: str, limit: int) -> None:
        shown = text if in_full else text[: width * (limit + 1) * 4]
        whole = wrap(expand_tabs(visible(shown)), width, limit=None if in_full else limit)
        facts.extend((line, style) for line in whole)

    if in_full and node.description:
        add(node.description, "muted", 2)
    rules = []
    if node.is_gate:
        minimum = shown_score(version, node.gate_minimum_score or 0.0)
        verdict = "not met" if score is not None and score.gate_failed else "met"
        rules.append(f"gate: at least {minimum}, {verdict}")
    if node.rollup_method in (RollupMethod.MINIMUM, RollupMethod.MAXIMUM):
        rules.append("lowest counts" if node.rollup_method is RollupMethod.MINIMUM else "highest counts")
    if node.is_advisory:
        rules.append("advisory: not counted")
    if rules:
        add(" · ".join(rules), "error" if score is not None and score.gate_failed else "muted", 1)
    if row.cohort is not None and row.cohort.mean is not None:
        parts = [f"all {shown_score(version, row.cohort.mean)}"]
        if row.cohort.human_mean is not None:
            parts.append(f"people {shown_score(version, row.cohort.human_mean)}")
        if row.cohort.ai_mean is not None:
            parts.append(f"AI {shown_score(version, row.cohort.ai_mean)}")
        add("cohort mean: " + ", ".join(parts), "muted", 1)
    if score is not None and (score.rationale or "").strip():
        add("✎ " + (score.rationale or "").strip(), "text", 3)
    if score is not None:
        items = score.evidence if in_full else score.evidence[:2]
        for item in items:
            text = evidence_lines(item, width - 2) if in_full else [evidence_line(item, width - 2)]
            facts.extend((f"{' ' if later else '❝'} {part}", "text") for later, part in enumerate(text))
        if len(score.evidence) > len(items):
            facts.append((f"  and {len(score.evidence) - len(items)} more: Enter shows all", "muted"))
    return facts


def cohort_words(version: VersionSnapshot, cohort: Cohort, deviation: float | None = None) -> str:
    """The cohort of the evaluation on one line, and how far it is from the mean (guide section 9)."""

    def shown(value: float | None) -> str:
        return shown_score(version, value)

    span = version.score_display_max - version.score_display_min
    parts = [
        f"{cohort.count} {'evaluation' if cohort.count == 1 else 'evaluations'}",
        f"mean {shown(cohort.mean)}",
    ]
    if deviation is not None:
        parts[-1] += f" (this one {round(deviation * span, 2):+g})"
    if cohort.count > 1:
        parts.append(f"from {shown(cohort.min)} to {shown(cohort.max)}")
        if cohort.std_dev is not None:
            parts.append(f"standard deviation {number(round(cohort.std_dev * span, 2))}")
    if cohort.human_mean is not None:
        parts.append(f"people {shown(cohort.human_mean)}")
    if cohort.ai_mean is not None:
        parts.append(f"AI {shown(cohort.ai_mean)}")
    if cohort.self_score is not None:
        parts.append(f"self {shown(cohort.self_score)}")
    if cohort.passed_count:
        parts.append(f"{cohort.passed_count} passed")
    return "Cohort: " + ", ".join(parts)
