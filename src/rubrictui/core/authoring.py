"""What an author needs to know about a draft: shares of the weights, and what stands against publishing.

An *error* blocks publish (guide section 2; contract, "Scoring" and "Deterministic rules"); a *warning* is
shown and allowed. Everything here reads the draft as a whole and never raises on a broken one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from rubrictui.core.bands import band_gaps, band_overlaps, band_problems
from rubrictui.core.canonical import canonical_json
from rubrictui.core.deterministic import answers_not_applicable, rule_problems
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import (
    Node,
    NodeType,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    VersionSnapshot,
    fold_id,
)
from rubrictui.core.problems import MAXIMUM_KEY_LENGTH, Problem, Severity, is_share, repeated, rounded
from rubrictui.core.scales import scale_problems

__all__ = ["Problem", "band_gaps", "band_overlaps", "publish_problems", "weight_shares"]


def weight_shares(version: VersionSnapshot) -> dict[str, float | None]:
    """Each node's share (0..1) of its group when every sibling counts, by node id as written.

    None for a node that takes no part: advisory, or not reached from the root. Weights all zero share
    equally, as in scoring.
    """
    tree = _Tree(version)
    shares: dict[str, float | None] = {node.id: None for node in version.nodes}
    for _, siblings in tree.groups():
        counting = [node for node in siblings if not node.is_advisory]
        total = sum(node.weight for node in counting)
        if not math.isfinite(total):
            continue
        for node in counting:
            shares[node.id] = node.weight / total if total > 0 else 1 / len(counting)
    return shares


def publish_problems(version: VersionSnapshot) -> tuple[Problem, ...]:
    """Everything that is wrong or odd with a draft: of the version, its nodes in order, then its bands."""
    tree = _Tree(version)
    return (
        *_version_problems(version),
        *_tree_problems(version, tree),
        *_group_problems(tree),
        *band_problems(version.bands),
    )


# --- the tree --------------------------------------------------------------------------------------


class _Tree:
    """The nodes as scoring sees them: by folded id, with what takes part and what does not."""

    def __init__(self, version: VersionSnapshot) -> None:
        self.version = version
        self.by_id: dict[str, Node] = {}
        for node in version.nodes:
            self.by_id.setdefault(fold_id(node.id), node)
        self.children: dict[str, list[Node]] = {}
        for node in version.nodes:
            self.children.setdefault(fold_id(node.parent_id), []).append(node)
        self.scales = {fold_id(scale.id): scale for scale in version.scales}
        self.in_cycle = self._cycles()

    def parent(self, node: Node) -> Node | None:
        above = fold_id(node.parent_id)
        return self.by_id.get(above) if above else None

    def scale(self, node: Node) -> Scale | None:
        return self.scales.get(fold_id(node.scale_id)) if fold_id(node.scale_id) else None

    def groups(self) -> Iterator[tuple[Node | None, list[Node]]]:
        """Siblings that take part, with their group (None for those at the root), from the root down."""
        waiting = [""]
        seen: set[str] = set()
        while waiting:
            here = waiting.pop()
            siblings = [node for node in self.children.get(here, ()) if fold_id(node.id) not in seen]
            if siblings:
                yield self.by_id[here] if here else None, siblings
            for node in siblings:
                seen.add(fold_id(node.id))
                if node.node_type is NodeType.GROUP and fold_id(node.id):
                    waiting.append(fold_id(node.id))

    def inside_advisory(self, node: Node) -> Node | None:
        """The nearest advisory group above a node."""
        seen: set[str] = set()
        above = self.parent(node)
        while above is not None and fold_id(above.id) not in seen:
            if above.is_advisory:
                return above
            seen.add(fold_id(above.id))
            above = self.parent(above)
        return None

    def _cycles(self) -> set[str]:
        """Ids on a cycle of parents, or below one."""
        verdict: dict[str, bool] = {"": False}
        for start in self.by_id:
            trail: list[str] = []
            here = start
            while here not in verdict and here in self.by_id:
                verdict[here] = True  # in case the trail comes back here
                trail.append(here)
                here = fold_id(self.by_id[here].parent_id)
            cyclic = verdict.get(here, False)
            for passed in trail:
                verdict[passed] = cyclic
        return {own for own, cyclic in verdict.items() if cyclic}


def _about(node: Node, code: str, message: str, remedy: str = "", *, severity: Severity = "error") -> Problem:
    return Problem(
        code=code, severity=severity, message=message, remedy=remedy, node_id=node.id, key=node.key
    )


def _title(node: Node) -> str:
    return repr(node.name or node.key or node.id)


# --- the version -----------------------------------------------------------------------------------


def _version_problems(version: VersionSnapshot) -> Iterator[Problem]:
    def error(code: str, message: str, remedy: str) -> Problem:
        return Problem(code=code, severity="error", message=message, remedy=remedy)

    for code, name, value in (
        ("threshold_range", "pass threshold", version.pass_threshold),
        ("completeness_range", "minimum completeness", version.minimum_completeness),
    ):
        if value is not None and not is_share(value):
            yield error(code, f"The {name} {value:g} is not between 0 and 1.", "Write a share such as 0.7.")
    low, high = version.score_display_min, version.score_display_max
    if not (math.isfinite(low) and math.isfinite(high)):
        yield error(
            "display_range", "The display range is not made of numbers.", "Write numbers such as 0 and 100."
        )
    elif low == high:
        yield error(
            "display_range", f"The display range begins and ends at {low:g}.", "Give it two different ends."
        )
    for what, ids in (
        ("scale", [scale.id for scale in version.scales]),
        ("band", [band.id for band in version.bands]),
    ):
        for own in repeated(map(fold_id, ids)):
            yield error(
                "id_duplicate", f"The {what} id {own!r} stands twice.", f"Give each {what} its own id."
            )
    criteria = [node for node in version.nodes if node.is_criterion]
    if not criteria:
        yield error("no_criterion", "The draft has no criterion.", "Add one and give it a scale.")
    elif all(node.is_advisory for node in criteria):
        yield Problem(
            code="nothing_counts",
            severity="warning",
            message="Every criterion is advisory, so there is never a score.",
            remedy="Let one count.",
        )


# --- nodes -----------------------------------------------------------------------------------------


def _tree_problems(version: VersionSnapshot, tree: _Tree) -> Iterator[Problem]:
    ids = Counter(fold_id(node.id) for node in version.nodes)
    keys = Counter(node.key.strip() for node in version.nodes)
    scales_told: set[str] = set()
    for node in version.nodes:
        yield from _identity_problems(node, ids, keys)
        yield from _place_problems(node, tree)
        if not (math.isfinite(node.weight) and node.weight >= 0):
            yield _about(
                node, "weight", f"The weight of {_title(node)} is {node.weight:g}.", "Weights are 0 or more."
            )
        scale = tree.scale(node)
        yield from _gate_problems(node, scale, version)
        yield from _config_problems(node, scale, version)
        if node.is_criterion:
            yield from _criterion_problems(node, scale, tree, scales_told)


def _identity_problems(node: Node, ids: Counter[str], keys: Counter[str]) -> Iterator[Problem]:
    key, own = node.key.strip(), fold_id(node.id)
    if not key:
        yield _about(
            node, "key_empty", f"The node {_title(node)} has no key.", "Give it a short permanent key."
        )
    elif len(key) > MAXIMUM_KEY_LENGTH:
        text = f"The key of {_title(node)} has {len(key)} characters."
        yield _about(node, "key_long", text, f"Keys have at most {MAXIMUM_KEY_LENGTH}.")
    elif keys[key] > 1:
        yield _about(
            node, "key_duplicate", f"The key {key!r} stands {keys[key]} times.", "Give each node its own key."
        )
    if not own:
        yield _about(node, "id_empty", f"The node {_title(node)} has no id.", "Give it an id of its own.")
    elif ids[own] > 1:
        yield _about(
            node, "id_duplicate", f"The id {node.id!r} stands {ids[own]} times.", "Give each node its own id."
        )


def _place_problems(node: Node, tree: _Tree) -> Iterator[Problem]:
    parent = tree.parent(node)
    if fold_id(node.id) in tree.in_cycle:
        text = f"{_title(node)} stands inside itself, or inside a group that does."
        yield _about(node, "cycle", text, "Move one of these groups to the top level.")
    elif parent is None and fold_id(node.parent_id):
        yield _about(
            node,
            "parent_missing",
            f"The parent of {_title(node)} does not exist.",
            "Choose a group that does.",
        )
    elif parent is not None and parent.is_criterion:
        text = f"{_title(node)} stands under the criterion {_title(parent)}."
        yield _about(node, "parent_criterion", text, "Make the parent a group, or move the node out of it.")


def _gate_problems(node: Node, scale: Scale | None, version: VersionSnapshot) -> Iterator[Problem]:
    minimum = node.gate_minimum_score
    if minimum is not None and not is_share(minimum):
        text = f"The gate minimum of {_title(node)} is {minimum:g}, not between 0 and 1."
        yield _about(node, "gate_minimum_range", text, "Write the lowest score that passes, such as 0.6.")
    if not node.is_gate:
        return
    if minimum is None:
        text = f"The gate {_title(node)} has no minimum."
        yield _about(node, "gate_minimum_missing", text, "Set the lowest score that passes.")
    if node.is_advisory:
        text = f"{_title(node)} is a gate and advisory, so the gate never fails."
        yield _about(node, "gate_advisory", text, "Make it count, or drop the gate.", severity="warning")
    elif node.is_criterion:
        if minimum is not None and scale is not None and _best_level(scale) < rounded(minimum):
            text = f"No level of {_title(node)} reaches the gate minimum {minimum:g}, so it always fails."
            yield _about(node, "gate_unreachable", text, "Lower the minimum.", severity="warning")
        if _policy(node, version) is NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE:
            text = f"An N/A answer slips past the gate {_title(node)}."
            remedy = "Set its N/A policy to NotAllowed, FailEvaluation or CountAsZero, or accept it."
            yield _about(node, "gate_not_applicable", text, remedy, severity="warning")


def _policy(node: Node, version: VersionSnapshot) -> NotApplicablePolicy:
    return node.not_applicable_policy or version.not_applicable_policy


def _best_level(scale: Scale) -> float:
    if scale.scale_type is ScaleType.NUMERIC:
        return 1.0
    return max((rounded(level.normalized_value) for level in scale.levels), default=math.inf)


def _config_problems(node: Node, scale: Scale | None, version: VersionSnapshot) -> Iterator[Problem]:
    config = node.evaluator_config
    if not config:
        return
    try:
        canonical_json(config)
    except InvalidInputError as error:
        text = f"The evaluator settings of {_title(node)} cannot be stored: {error.message}"
        yield _about(node, "config_invalid", text, error.remedy)
        return
    if not node.is_criterion:
        return
    for problem in rule_problems(config, scale):
        severity: Severity = "error" if problem.severity == "error" else "warning"
        text = f"{_title(node)}: {problem.message}"
        yield _about(node, problem.code, text, problem.remedy, severity=severity)
    if answers_not_applicable(config) and _policy(node, version) is NotApplicablePolicy.NOT_ALLOWED:
        text = f"The rule of {_title(node)} answers N/A when the data is missing, which is not allowed there."
        remedy = "Set NotApplicableWhenMissing to false, or change the N/A policy."
        yield _about(node, "rule_not_applicable", text, remedy, severity="warning")
    evaluator = config.get("EvaluatorName", config.get("evaluator_name"))
    if node.evidence_required and isinstance(evaluator, str) and evaluator.strip().casefold() == "decision":
        text = f"{_title(node)} requires evidence, and the Decision evaluator gives none."
        yield _about(node, "decision_evidence", text, "Use the LLM evaluator.", severity="warning")


def _criterion_problems(
    node: Node, scale: Scale | None, tree: _Tree, scales_told: set[str]
) -> Iterator[Problem]:
    if not fold_id(node.scale_id):
        yield _about(
            node, "scale_missing", f"{_title(node)} has no scale.", "Choose the scale it is answered on."
        )
    elif scale is None:
        text = f"The scale {node.scale_id!r} of {_title(node)} does not exist."
        yield _about(node, "scale_unknown", text, "Choose a scale that does.")
    else:
        if fold_id(scale.id) not in scales_told:
            scales_told.add(fold_id(scale.id))
            for code, text, remedy in scale_problems(scale):
                yield _about(node, code, text, remedy)
        if scale.scale_type is ScaleType.LEVELS:
            yield from _anchor_problems(node, scale)
    group = tree.inside_advisory(node)
    if group is not None and not node.is_advisory:
        text = (
            f"{_title(node)} stands in the advisory group {_title(group)}: it is not part of the score, but "
            "counts for completeness, N/A failure and gates."
        )
        yield _about(node, "counts_in_advisory", text, "Make it advisory too.", severity="warning")


def _anchor_problems(node: Node, scale: Scale) -> Iterator[Problem]:
    texts = {fold_id(anchor.scale_level_id): anchor.descriptor.strip() for anchor in node.anchors}
    labels = {fold_id(level.id): level.label for level in scale.levels}
    bare = [label for own, label in labels.items() if not texts.get(own)]
    if bare:
        text = f"{_title(node)} has no anchor for {', '.join(bare)}."
        yield _about(node, "anchor_missing", text, "Write what each level means here.", severity="warning")
    same: dict[str, list[str]] = {}
    for own, label in labels.items():
        if texts.get(own):
            same.setdefault(texts[own].casefold(), []).append(label)
    for alike in same.values():
        if len(alike) > 1:
            text = f"{_title(node)} has the same anchor for {' and '.join(alike)}."
            yield _about(node, "anchor_same", text, "Say what tells them apart.", severity="warning")
    if any(own and own not in labels for own in texts):
        text = f"{_title(node)} has an anchor for a level that its scale does not have."
        yield _about(
            node, "anchor_unknown", text, "Remove it, or choose its scale again.", severity="warning"
        )


# --- groups ------------------------------------------------------------------------------


def _group_problems(tree: _Tree) -> Iterator[Problem]:
    for group, siblings in tree.groups():
        where = f"of {_title(group)}" if group is not None else "at the top level"
        about = {"node_id": group.id, "key": group.key} if group is not None else {}
        counting = [node for node in siblings if not node.is_advisory]
        total = sum(node.weight for node in counting)
        if counting and total == 0:
            yield Problem(
                code="weights_zero",
                severity="warning",
                message=f"The weights {where} are all 0, so they share equally.",
                remedy="Give them weights above 0.",
                **about,
            )
        elif math.isinf(total) and all(math.isfinite(node.weight) for node in counting):
            yield Problem(
                code="weight",
                severity="error",
                message=f"The weights {where} are too large to add up.",
                remedy="Weights are relative: use small numbers.",
                **about,
            )
        for node in siblings:
            if node.node_type is NodeType.GROUP and fold_id(node.id) not in tree.children:
                text = f"The group {_title(node)} is empty."
                yield _about(node, "group_empty", text, "Add a criterion, or remove it.", severity="warning")
