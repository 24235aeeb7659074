"""What a sample scores, in lines: the score and why, gates, bands, what each part gives. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len

from rubrictui.core.explain import number, overall_score
from rubrictui.core.model import Node, Outcome, ScoredNode, ScoreResult, VersionSnapshot
from rubrictui.widgets.builder_rows import Shape
from rubrictui.widgets.detail_pane import Line
from rubrictui.widgets.result_lines import bar, percentage, points, shown_score
from rubrictui.widgets.text import one_line, pad

OUTCOMES: dict[Outcome, tuple[str, str]] = {
    Outcome.PASSED: ("Passed", "success"),
    Outcome.BELOW_THRESHOLD: ("Below the threshold", "warning"),
    Outcome.GATE_FAILED: ("Gate failed", "error"),
    Outcome.INCOMPLETE: ("Incomplete", "warning"),
    Outcome.NOT_APPLICABLE_FAILURE: ("Failed by N/A", "error"),
    Outcome.SCORED: ("Scored", "accent"),
}
"""An outcome in a word or two, and its tone."""

_ALL_NODES = 60
"""So many nodes are listed with what they give; of larger drafts the top level only."""


def headline(version: VersionSnapshot, result: ScoreResult | None, refusal: str = "") -> Line:
    """The score on the display range and from 0 to 1, the outcome, the band."""
    if result is None:
        return [("No score  ", "heading"), (one_line(refusal, 300), "error")]
    word, tone = OUTCOMES[result.outcome]
    score = overall_score(version, result)
    line = [(score if score is not None else "–", "heading")]
    if score is not None and result.normalized_score is not None:
        low, high = version.score_display_min, version.score_display_max
        if (low, high) != (0, 1):
            line.append(
                (f" of {number(high)}", "muted")
                if not low
                else (f" in {number(low)} to {number(high)}", "muted")
            )
            line.append((f" ({number(round(result.normalized_score, 4))})", "muted"))
    line += [("  ", ""), (word, tone)]
    band = next((band for band in version.bands if band.id == result.band_id), None)
    if band is not None:
        line.append((f"  {one_line(band.label, 40)}", "accent"))
    return line


def sample_words(name: str | None, answered: int, total: int) -> str:
    """Which sample is tried, and how much of it there is."""
    if name is None:
        return "No sample answers yet: digits and n give them, s fills all at once."
    return f"{one_line(name, 40)}: {answered} of {total} answered"


def preview_lines(
    shape: Shape,
    result: ScoreResult | None,
    scores: Mapping[str, ScoredNode],
    *,
    reason: str,
    refusal: str,
    sample: str,
    width: int,
) -> list[Line]:
    """The whole preview for lines of ``width`` cells.

    Args:
        scores: the results by node id, as written; none while nothing is answered.
        reason: the outcome in words.
        refusal: why there is no result.
        sample: which sample is tried.
    """
    version = shape.version
    if result is not None and not scores:
        return [
            [(sample, "")],
            [("Then the score, its outcome and what every part gives stand here.", "muted")],
        ]
    lines: list[Line] = [headline(version, result, refusal)]
    if reason:
        lines.append([(reason, "")])
    lines.append([(sample, "muted")])
    if result is None:
        return lines
    if result.completeness < 1:
        lines[-1] = [(f"{sample}, {percentage(result.completeness)} complete", "muted")]
    lines += _gates(shape, scores)
    return lines + _parts(shape, scores, width)


def _gates(shape: Shape, scores: Mapping[str, ScoredNode]) -> list[Line]:
    lines: list[Line] = []
    for node in shape.gates:
        if node.is_advisory or (scored := scores.get(node.id)) is None:
            continue
        version = shape.version
        minimum = shown_score(version, node.gate_minimum_score or 0.0)
        name = one_line(node.name or node.key, 50)
        if scored.normalized_score is None:
            state = "not answered" if scored.gate_failed else "no score, does not fail"
        else:
            state = shown_score(version, scored.normalized_score)
        sign, tone = ("✗", "error") if scored.gate_failed else ("✓", "success")
        lines.append([(f"{sign} gate ", tone), (f"{name}: {state}, at least {minimum}", "")])
    return lines


def _parts(shape: Shape, scores: Mapping[str, ScoredNode], width: int) -> list[Line]:
    version = shape.version
    listed: list[tuple[Node, int]] = []
    if len(version.nodes) <= _ALL_NODES:
        listed = list(zip(version.nodes, shape.depths, strict=True))
    else:
        listed = [(node, 0) for node in shape.children.get("", ())]
    length = 10 if width >= 44 else 0
    name_width = max(min(width - length - 18, 40), 10)
    lines: list[Line] = []
    for node, depth in listed:
        scored = scores.get(node.id)
        if scored is None:
            continue
        indent = min(depth, 4) * 2
        name = " " * indent + one_line(node.name or node.key, name_width - indent)
        score = scored.normalized_score
        shown = "–" if score is None else shown_score(version, score)
        given = points(version, scored.overall_contribution)
        tone = "error" if scored.gate_failed else "muted" if node.is_advisory else ""
        line: list[tuple[str, str]] = [(pad(name, name_width), tone)]
        if length:
            line.append((" " + bar(score, length), "accent" if score is not None else "muted"))
        text = f" {shown:>6}"
        if given:
            text += f" {'+' + given:>8}"
        elif node.is_advisory:
            text += " not counted" if cell_len(text) + name_width + length + 13 <= width else ""
        line.append((text, "muted" if node.is_advisory else ""))
        lines.append(line)
    return lines
