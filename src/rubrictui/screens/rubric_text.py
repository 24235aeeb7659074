"""A version and its nodes in words, for the pane beside the tree. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rubrictui.core.model import (
    Node,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    VersionSnapshot,
    fold_id,
)
from rubrictui.core.records import VersionSummary
from rubrictui.widgets.band_ruler import ruler, tone_of
from rubrictui.widgets.detail_pane import Line
from rubrictui.widgets.rubric_tree import percent
from rubrictui.widgets.text import counted

_BEGINS_A_LINE = re.compile(r"\s*([-*+#>|]|\d{1,3}[.)]\s)")

POLICY_SENTENCES: dict[NotApplicablePolicy, str] = {
    NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE: "left out, its weight goes to its siblings",
    NotApplicablePolicy.COUNT_AS_ZERO: "counts as zero",
    NotApplicablePolicy.FAIL_EVALUATION: "fails the whole evaluation",
    NotApplicablePolicy.NOT_ALLOWED: "not allowed",
}

ROLLUP_SENTENCES: dict[RollupMethod, str] = {
    RollupMethod.WEIGHTED_MEAN: "the weighted mean of its children",
    RollupMethod.MINIMUM: "the lowest of its children",
    RollupMethod.MAXIMUM: "the highest of its children",
}


def _value(label: str, text: str, tone: str = "") -> Line:
    return ((f"{label}  ", "label"), (text, tone))


def reflow(text: str) -> str:
    """Prose without the line breaks its file had: only empty lines, list items and the like begin a line."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        if lines and lines[-1] and line.strip() and not _BEGINS_A_LINE.match(line):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.rstrip())
    return "\n".join(lines)


def _paragraph(label: str, text: str | None) -> list[Line]:
    return [((label, "label"),), ((reflow(text), ""),)] if text and text.strip() else []


def version_lines(
    version: VersionSnapshot, summary: VersionSummary | None, width: int, *, about: str | None = None
) -> list[Line]:
    """What holds for the whole version: instructions, when it passes, bands to scale, hashes.

    Args:
        version: the version.
        summary: its row in the catalog, for counts, dates and hashes.
        width: cells the ruler may take.
        about: the description of the rubric.
    """
    status = version.status.value
    lines: list[Line] = [
        ((f"{version.rubric_name} {version.number or 'draft'}", "heading"), (f"  {status}", "muted"))
    ]
    if summary is not None:
        facts = [
            counted(summary.criteria_count, "criterion", "criteria"),
            counted(summary.evaluation_count, "evaluation"),
        ]
        if summary.published_at is not None:
            who = f" by {summary.published_by}" if summary.published_by else ""
            facts.append(f"published {summary.published_at:%Y-%m-%d}{who}")
        if summary.retired_at is not None:
            facts.append(f"retired {summary.retired_at:%Y-%m-%d}")
        lines.append(((", ".join(facts), "muted"),))
    if about and about.strip():
        lines += [((reflow(about), ""),), ()]
    if version.bands or version.pass_threshold is not None:
        lines += ruler(version.bands, version.pass_threshold, width)
    low, high = version.score_display_min, version.score_display_max
    passes = (
        "no threshold"
        if version.pass_threshold is None
        else f"from {_shown(version.pass_threshold, low, high)}"
    )
    lines.append(_value("Passes", passes))
    if version.minimum_completeness is not None:
        lines.append(_value("Complete enough", f"from {percent(version.minimum_completeness)} answered"))
    lines.append(_value("Not applicable", POLICY_SENTENCES[version.not_applicable_policy]))
    lines.append(_value("Shown as", f"{low:g} to {high:g}"))
    lines.append(())
    for band in sorted(version.bands, key=lambda b: (b.min_score, b.max_score)):
        about = f"  {band.description}" if band.description else ""
        span = f"{band.min_score:g} to {band.max_score:g}"
        lines.append(((f"{band.label}  ", tone_of(band) or "label"), (span, ""), (about, "muted")))
    lines.append(())
    lines += _paragraph("Instructions", version.instructions)
    if summary is not None:
        lines += _paragraph("What changed", summary.change_summary)
        if summary.content_hash:
            lines.append(_value("Content hash", summary.content_hash, "muted"))
        if summary.scoring_hash:
            lines.append(_value("Scoring hash", summary.scoring_hash, "muted"))
    return lines


def node_lines(version: VersionSnapshot, node: Node, shares: Mapping[str, float | None]) -> list[Line]:
    """What holds for one node: what it asks, how it is answered, what each level means, its rules."""
    lines: list[Line] = [((node.name or node.key, "heading"), (f"  {node.key}", "muted"))]
    lines += [((reflow(node.description), ""),)] if node.description and node.description.strip() else []
    share = shares.get(node.id)
    weight = f"{node.weight:g}" + (f", {percent(share)} of its group" if share is not None else "")
    lines.append(_value("Weight", "none: advisory, it never moves the score" if node.is_advisory else weight))
    if not node.is_criterion:
        lines.append(_value("Score", ROLLUP_SENTENCES[node.rollup_method or RollupMethod.WEIGHTED_MEAN]))
    if node.is_gate:
        minimum = node.gate_minimum_score or 0
        lines.append(_value("Gate", f"below {minimum:g} the whole evaluation fails", "warning"))
    if node.is_criterion:
        policy = node.not_applicable_policy or version.not_applicable_policy
        inherited = "" if node.not_applicable_policy else " (as the version says)"
        lines.append(_value("Not applicable", POLICY_SENTENCES[policy] + inherited))
        needed = [
            word
            for word, asked in (
                ("a rationale", node.rationale_required),
                ("evidence", node.evidence_required),
            )
            if asked
        ]
        if needed:
            lines.append(_value("Needs", " and ".join(needed)))
        scale = next((s for s in version.scales if fold_id(s.id) == fold_id(node.scale_id)), None)
        lines += [(), *_scale_lines(node, scale)]
    if node.guidance and node.guidance.strip():
        lines += [(), *_paragraph("Guidance", node.guidance)]
    return lines


def _scale_lines(node: Node, scale: Scale | None) -> list[Line]:
    if scale is None:
        return [(("It has no scale, so it cannot be answered.", "warning"),)]
    name = scale.name or scale.scale_type.value
    if scale.scale_type is ScaleType.NUMERIC:
        step = f", in steps of {scale.step:g}" if scale.step else ""
        better = "" if scale.higher_is_better else ", lower is better"
        span = f"{_number(scale.min_value)} to {_number(scale.max_value)}{step}{better}"
        lines: list[Line] = [_value(name, span)]
        for anchor in node.anchors:
            if anchor.descriptor.strip():
                lines.append(
                    ((f"  {_number(anchor.anchor_value)}  ", "label"), (anchor.descriptor.strip(), ""))
                )
        return lines
    anchors = {fold_id(a.scale_level_id): a.descriptor for a in node.anchors if a.descriptor.strip()}
    lines = [((name, "label"),)]
    for level in sorted(scale.levels, key=lambda item: item.sequence):
        text = anchors.get(fold_id(level.id)) or level.description or ""
        lines.append(
            ((f"  {level.label} ", "label"), (f"({level.normalized_value:g})  ", "muted"), (text.strip(), ""))
        )
    return lines


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:g}"


def _shown(score: float, low: float, high: float) -> str:
    display = f"{low + score * (high - low):g}"
    return f"{score:g}" if (low, high) == (0, 1) else f"{score:g} ({display} as shown)"
