"""The criteria tree of a version as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rubrictui.cli._output import number, short

if TYPE_CHECKING:
    from rubrictui.core.model import Band, Node, Scale, VersionSnapshot


def depths(version: VersionSnapshot) -> dict[str, int]:
    """How deep each node stands, 0 at the root, by its id; a broken chain of parents counts as the root."""
    from rubrictui.core.model import fold_id

    parents = {fold_id(node.id): fold_id(node.parent_id) for node in version.nodes}
    found: dict[str, int] = {}
    for node in version.nodes:
        depth = 0
        seen = {fold_id(node.id)}
        above = parents[fold_id(node.id)]
        while above in parents and above not in seen:
            seen.add(above)
            depth += 1
            above = parents[above]
        found[node.id] = depth
    return found


def walk(version: VersionSnapshot) -> list[Node]:
    """Depth first, in the order given; nodes that hang below no root come last."""
    from rubrictui.core.model import fold_id

    children: dict[str, list[Node]] = {}
    for node in version.nodes:
        children.setdefault(fold_id(node.parent_id), []).append(node)
    walked: list[Node] = []
    waiting = list(reversed(children.get("", ())))
    while waiting:
        node = waiting.pop()
        walked.append(node)
        waiting += reversed(children.get(fold_id(node.id), ()))
    reached = {id(node) for node in walked}
    return walked + [node for node in version.nodes if id(node) not in reached]


def version_lines(version: VersionSnapshot) -> list[str]:
    """A whole version: its rules, the tree with weights and shares, gates and anchors, and the bands."""
    from rubrictui.core.authoring import weight_shares

    lines = [f"{version.rubric_name or 'Version'} {version.number or ''} {version.status}".replace("  ", " ")]
    rules = [
        f"pass threshold {number(version.pass_threshold)}",
        f"minimum completeness {number(version.minimum_completeness)}",
        f"not applicable: {version.not_applicable_policy}",
        f"shown as {number(version.score_display_min)} to {number(version.score_display_max)}",
    ]
    lines.append(", ".join(rules))
    if version.instructions:
        lines += ["", *(f"  {line}" for line in version.instructions.strip().splitlines())]
    lines.append("")
    scales = {scale.id: scale for scale in version.scales}
    shares = weight_shares(version)
    depth = depths(version)
    for node in walk(version):
        indent = "  " * depth[node.id]
        lines.append(indent + _node_line(node, scales.get(node.scale_id or ""), shares.get(node.id)))
        lines += [f"{indent}    {line}" for line in _anchor_lines(node, scales.get(node.scale_id or ""))]
    if version.bands:
        lines += ["", "bands", *(f"  {_band_line(band)}" for band in version.bands)]
    return lines


def _node_line(node: Node, scale: Scale | None, share: float | None) -> str:
    words = [f"{node.name or node.key} [{node.key}]"]
    words.append(f"weight {number(node.weight)}" + ("" if share is None else f" ({share * 100:.1f}%)"))
    if node.is_criterion:
        words.append(scale_words(scale))
    else:
        words.append(f"group, {node.rollup_method or 'WeightedMean'}")
    if node.is_gate:
        minimum = node.gate_minimum_score
        words.append(f"gate, minimum {number(0 if minimum is None else minimum)}")
    for holds, word in (
        (node.is_advisory, "advisory"),
        (node.rationale_required, "rationale required"),
        (node.evidence_required, "evidence required"),
        (node.not_applicable_policy is not None, f"not applicable: {node.not_applicable_policy}"),
    ):
        if holds:
            words.append(word)
    return " · ".join(words)


def scale_words(scale: Scale | None) -> str:
    """A scale in a few words: its name, and its labels or its range."""
    if scale is None:
        return "no scale"
    if scale.levels:
        return f"{scale.name or 'levels'}: {' / '.join(level.label for level in scale.levels)}"
    step = "" if scale.step is None else f", step {number(scale.step)}"
    best = "" if scale.higher_is_better else ", lower is better"
    return f"{scale.name or 'number'}: {number(scale.min_value)} to {number(scale.max_value)}{step}{best}"


def _anchor_lines(node: Node, scale: Scale | None) -> list[str]:
    labels = {level.id: level.label for level in scale.levels} if scale else {}
    lines = []
    for anchor in node.anchors:
        label = labels.get(anchor.scale_level_id or "")
        name = label if label is not None else number(anchor.anchor_value)
        lines.append(f"{name}: {short(anchor.descriptor, 100)}")
    return lines


def _band_line(band: Band) -> str:
    tone = f" ({band.display_tone})" if band.display_tone else ""
    end = "" if band.max_score < 1 else " included"
    text = f": {short(band.description, 80)}" if band.description else ""
    return f"{band.label}: {number(band.min_score)} to {number(band.max_score)}{end}{tone}{text}"
