"""What is wrong or odd with one node by itself: it, its scale and the version's N/A policy say all of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from rubrictui.core.canonical import canonical_json
from rubrictui.core.deterministic import answers_not_applicable, rule_problems
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Node, NotApplicablePolicy, Scale, ScaleType, fold_id
from rubrictui.core.problems import MAXIMUM_KEY_LENGTH, Problem, Severity, is_share, rounded

_NAMED: Final = 6
"""Levels that a message names one by one."""

_LONGEST_NAME: Final = 60
"""Characters of a name in a message."""


def own_problems(node: Node, scale: Scale | None, policy: NotApplicablePolicy) -> Iterator[Problem]:
    """The problems of a node, whatever the rest of the draft is like.

    Args:
        scale: the one it is answered on, None when it has none or that does not exist.
        policy: the version's, for a node without its own.
    """
    key = node.key.strip()
    if not key:
        yield about(
            node, "key_empty", f"The node {title(node)} has no key.", "Give it a short permanent key."
        )
    elif len(key) > MAXIMUM_KEY_LENGTH:
        text = f"The key of {title(node)} has {len(key)} characters."
        yield about(node, "key_long", text, f"Keys have at most {MAXIMUM_KEY_LENGTH}.")
    if not fold_id(node.id):
        yield about(node, "id_empty", f"The node {title(node)} has no id.", "Give it an id of its own.")
    if not (math.isfinite(node.weight) and node.weight >= 0):
        yield about(
            node, "weight", f"The weight of {title(node)} is {node.weight:g}.", "Weights are 0 or more."
        )
    policy = node.not_applicable_policy or policy
    yield from _gate_problems(node, scale, policy)
    yield from _config_problems(node, scale, policy)
    if not node.is_criterion:
        return
    if not fold_id(node.scale_id):
        yield about(
            node, "scale_missing", f"{title(node)} has no scale.", "Choose the scale it is answered on."
        )
    elif scale is None:
        text = f"The scale {node.scale_id!r} of {title(node)} does not exist."
        yield about(node, "scale_unknown", text, "Choose a scale that does.")
    elif scale.scale_type is ScaleType.LEVELS:
        yield from _anchor_problems(node, scale)


def _gate_problems(node: Node, scale: Scale | None, policy: NotApplicablePolicy) -> Iterator[Problem]:
    minimum = node.gate_minimum_score
    if minimum is not None and not is_share(minimum):
        text = f"The gate minimum of {title(node)} is {minimum:g}, not between 0 and 1."
        yield about(node, "gate_minimum_range", text, "Write the lowest score that passes, such as 0.6.")
    if not node.is_gate:
        return
    if minimum is None:
        text = f"The gate {title(node)} has no minimum."
        yield about(node, "gate_minimum_missing", text, "Set the lowest score that passes.")
    if node.is_advisory:
        text = f"{title(node)} is a gate and advisory, so the gate never fails."
        yield about(node, "gate_advisory", text, "Make it count, or drop the gate.", severity="warning")
    elif node.is_criterion:
        if minimum is not None and scale is not None and _best_answer(scale) < rounded(minimum):
            text = f"No {_answer_word(scale)} of {title(node)} reaches the gate minimum {minimum:g}, so it always fails."
            yield about(node, "gate_unreachable", text, "Lower the minimum.", severity="warning")
        if policy is NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE:
            text = f"An N/A answer slips past the gate {title(node)}."
            remedy = "Set its N/A policy to NotAllowed, FailEvaluation or CountAsZero, or accept it."
            yield about(node, "gate_not_applicable", text, remedy, severity="warning")


def _answer_word(scale: Scale) -> str:
    return "level" if scale.scale_type is ScaleType.LEVELS else "step"


def _best_answer(scale: Scale) -> float:
    """The highest score that an answer on the scale can give, rounded; infinite when there is none."""
    if scale.scale_type is ScaleType.LEVELS:
        return max((rounded(level.normalized_value) for level in scale.levels), default=math.inf)
    low, high, step = scale.min_value, scale.max_value, scale.step
    # The steps begin at the minimum, which scores best when lower is better.
    if low is None or high is None or not low < high or not step or step <= 0 or not scale.higher_is_better:
        return 1.0
    steps = math.floor((high - low) / step + 1e-8)
    return rounded(steps * step / (high - low))


def _config_problems(node: Node, scale: Scale | None, policy: NotApplicablePolicy) -> Iterator[Problem]:
    config = node.evaluator_config
    if not config:
        return
    try:
        canonical_json(config)
    except InvalidInputError as error:
        text = f"The evaluator settings of {title(node)} cannot be stored: {error.message}"
        yield about(node, "config_invalid", text, error.remedy)
        return
    if not node.is_criterion:
        return
    for problem in rule_problems(config, scale):
        severity: Severity = "error" if problem.severity == "error" else "warning"
        text = f"{title(node)}: {problem.message}"
        yield about(node, problem.code, text, problem.remedy, severity=severity)
    if answers_not_applicable(config) and policy is NotApplicablePolicy.NOT_ALLOWED:
        text = f"The rule of {title(node)} answers N/A when the data is missing, which is not allowed there."
        remedy = "Set NotApplicableWhenMissing to false, or change the N/A policy."
        yield about(node, "rule_not_applicable", text, remedy, severity="warning")
    evaluator = config.get("EvaluatorName", config.get("evaluator_name"))
    if node.evidence_required and isinstance(evaluator, str) and evaluator.strip().casefold() == "decision":
        text = f"{title(node)} requires evidence, and the Decision evaluator gives none."
        yield about(node, "decision_evidence", text, "Use the LLM evaluator.", severity="warning")


def _anchor_problems(node: Node, scale: Scale) -> Iterator[Problem]:
    texts = {fold_id(anchor.scale_level_id): anchor.descriptor.strip() for anchor in node.anchors}
    labels = {fold_id(level.id): level.label for level in scale.levels}
    bare = [label for own, label in labels.items() if not texts.get(own)]
    if bare:
        named = (
            ", ".join(bare)
            if len(bare) <= _NAMED
            else f"{', '.join(bare[:_NAMED])} and {len(bare) - _NAMED} more"
        )
        text = f"{title(node)} has no anchor for {named}."
        yield about(node, "anchor_missing", text, "Write what each level means here.", severity="warning")
    same: dict[str, list[str]] = {}
    for own, label in labels.items():
        if texts.get(own):
            same.setdefault(texts[own].casefold(), []).append(label)
    for alike in same.values():
        if len(alike) > 1:
            text = f"{title(node)} has the same anchor for {' and '.join(alike)}."
            yield about(node, "anchor_same", text, "Say what tells them apart.", severity="warning")
    if any(own and own not in labels for own in texts):
        text = f"{title(node)} has an anchor for a level that its scale does not have."
        yield about(node, "anchor_unknown", text, "Remove it, or choose its scale again.", severity="warning")


def about(node: Node, code: str, message: str, remedy: str = "", *, severity: Severity = "error") -> Problem:
    """A problem of a node."""
    return Problem(
        code=code, severity=severity, message=message, remedy=remedy, node_id=node.id, key=node.key
    )


def title(node: Node) -> str:
    """What a message calls a node; a name that would leave no room for the rest of the message is cut."""
    name = node.name or node.key or node.id
    return repr(name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…")
