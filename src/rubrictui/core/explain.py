"""What scoring says to people: refusals of an answer, scores on the display range, why an outcome is so."""

from __future__ import annotations

from math import ceil, floor, log10

from rubrictui.core.display import visible
from rubrictui.core.errors import ScoringError
from rubrictui.core.model import (
    Node,
    NodeType,
    NotApplicablePolicy,
    Outcome,
    ScoredNode,
    ScoreResult,
    VersionSnapshot,
)
from rubrictui.core.plan_parts import Leaf, effective_na_policy
from rubrictui.core.ranges import number as number  # noqa: PLC0414  (sentences are where others look for it)
from rubrictui.core.rounding import round6


def said(text: str) -> str:
    """Text that others wrote, fit for one line of a message."""
    return visible(text if len(text) <= 80 else f"{text[:79]}…", newlines=False)


def display_score(version: VersionSnapshot, score: float | None) -> float | None:
    """A 0..1 score on the version's display range (0..100 unless its author chose another), rounded."""
    if score is None:
        return None
    low, high = version.score_display_min, version.score_display_max
    shown = low + score * (high - low)
    if abs(shown) < 1e300:
        return round6(shown)
    return low * (1 - score) + high * score  # too large for the difference of its ends, or for six places


def overall_score(version: VersionSnapshot, result: ScoreResult) -> str | None:
    """The overall score on the display range as people read it, at most two decimals; None for none.

    It gets more decimals where it would look like the threshold or the edge of a band and is not.
    """
    if result.normalized_score is None:
        return None
    return _scores(version, result.normalized_score, *_edges(version, result))[0]


def explain_outcome(version: VersionSnapshot, result: ScoreResult) -> str:
    """One plain sentence: why ``result`` has the outcome it has.

    Scores are on the display range. Numbers have at most two decimals, and more where two that differ would
    look the same.
    """
    nodes: dict[str, Node] = {}

    def name(scored: ScoredNode) -> str:
        if not nodes:  # few outcomes name a node
            nodes.update((node.id, node) for node in version.nodes)
        node = nodes.get(scored.id)
        return said((node.name.strip() if node else "") or scored.key)

    if result.outcome is Outcome.INCOMPLETE:
        minimum = version.minimum_completeness
        if minimum is not None and result.completeness < round6(minimum):
            shares = [result.completeness, minimum]
            reached, required = _apart(shares, [share * 100 for share in shares])
            return f"Incomplete: {reached}% of the applicable criteria are answered, and {required}% are required."
        return "Incomplete: no criterion that counts has a score, so there is no overall score."
    if result.outcome is Outcome.NOT_APPLICABLE_FAILURE:
        failing = {
            node.id
            for node in version.nodes
            if effective_na_policy(version, node) is NotApplicablePolicy.FAIL_EVALUATION
        }
        names = [
            name(scored)
            for scored in result.nodes
            if scored.is_not_applicable and not scored.is_advisory and scored.id in failing
        ]
        return f"Failed: not applicable is not accepted for {_listed(names)}."
    if result.outcome is Outcome.GATE_FAILED:
        reasons = [_gate_reason(name(s), s, version) for s in result.nodes if s.gate_failed]
        return f"Gate failed: {'; '.join(reasons)}."
    score, *edges = _scores(version, result.normalized_score or 0.0, *_edges(version, result))
    if result.outcome is Outcome.SCORED or result.pass_threshold_applied is None:
        return f"Scored {score}: this version has no pass threshold."
    threshold = edges[0]
    if result.outcome is Outcome.PASSED:
        return f"Passed: the score of {score} reaches the threshold of {threshold}."
    return f"Below the threshold: the score of {score} does not reach {threshold}."


def _gate_reason(name: str, scored: ScoredNode, version: VersionSnapshot) -> str:
    node = next(node for node in version.nodes if node.id == scored.id)
    least = node.gate_minimum_score or 0.0
    if scored.normalized_score is not None:
        score, minimum = _scores(version, scored.normalized_score, least)
        return f"{name} scored {score}, below its minimum of {minimum}"
    (minimum,) = _scores(version, least)
    lacking = (
        "is not answered" if node.node_type is NodeType.CRITERION else "has unanswered criteria and no score"
    )
    return f"{name} {lacking}, and its minimum is {minimum}"


def _edges(version: VersionSnapshot, result: ScoreResult) -> list[float]:
    """What the overall score was held against: the threshold first, where there is one."""
    edges = [] if result.pass_threshold_applied is None else [result.pass_threshold_applied]
    return [*edges, *(edge for band in version.bands for edge in (band.min_score, band.max_score))]


def _scores(version: VersionSnapshot, score: float, *edges: float) -> list[str]:
    """A score and what it was held against, on the display range, told apart."""
    shares = [score, *edges]
    span = version.score_display_max - version.score_display_min
    digits = 2 + ceil(-log10(span)) if 0 < span < 1 else 2  # a range below 1 is all decimals
    return _apart(shares, [display_score(version, share) or 0.0 for share in shares], digits)


def _apart(shares: list[float], values: list[float], fewest: int = 2) -> list[str]:
    """``values`` with ``fewest`` decimals at most, and more while the first looks like another that differs."""
    for digits in range(fewest, 7):
        texts = [number(round(value, digits)) for value in values]
        if all(
            text != texts[0] or round6(share) == round6(shares[0])
            for text, share in zip(texts, shares, strict=True)
        ):
            return texts
    return [number(value) for value in values]


def _listed(names: list[str]) -> str:
    if len(names) < 2:
        return "".join(names) or "a criterion"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def not_allowed(leaf: Leaf) -> ScoringError:
    return _refusal(
        "not_applicable_not_allowed",
        leaf,
        "not applicable is not allowed here.",
        "Give an answer on its scale.",
    )


def no_scale(leaf: Leaf) -> ScoringError:
    return _refusal(
        "no_scale", leaf, "it has no scale to answer on.", "Give the criterion a scale in a new version."
    )


def not_on_level(leaf: Leaf, level_id: str | None) -> ScoringError:
    labels = [said(level.label) for level in leaf.scale.levels] if leaf.scale else []
    choices = f"Choose {_one_of(labels)}." if labels else "Give the scale levels in a new version."
    what = (
        f'"{said(level_id.strip())}" is not a level of its scale.' if level_id else "a number is not a level."
    )
    return _refusal("not_on_level", leaf, what, choices)


def needs_number(leaf: Leaf) -> ScoringError:
    low, high = (leaf.scale.min_value, leaf.scale.max_value) if leaf.scale else (None, None)
    if low is None or high is None:
        what, remedy = (
            "its scale has no range to place a number in.",
            "Give the scale a minimum and a maximum.",
        )
    elif low == high:
        what = f"its scale runs from {number(low)} to {number(high)}, so no number tells answers apart."
        remedy = "Give the scale a wider range."
    else:
        what, remedy = "a number is needed.", f"Give one from {number(low)} to {number(high)}."
    return _refusal("needs_numeric_value", leaf, what, remedy)


def out_of_range(leaf: Leaf, value: float, low: float, high: float) -> ScoringError:
    return _refusal(
        "out_of_range",
        leaf,
        f"{number(value)} is out of range.",
        f"Give a number from {number(low)} to {number(high)}.",
    )


def off_step(leaf: Leaf, value: float, low: float, high: float, step: float) -> ScoringError:
    steps = (value - low) / step
    nearest = [low + floor(steps) * step, low + ceil(steps) * step]
    options = " and ".join(number(option) for option in nearest if low <= option <= high)
    verb = "nearest are" if " and " in options else "nearest is"
    return _refusal(
        "off_step", leaf, f"{number(value)} is off the step of {number(step)}; {verb} {options}", ""
    )


def _refusal(kind: str, leaf: Leaf, what: str, remedy: str) -> ScoringError:
    return ScoringError(kind, leaf.node.key, f"{said(leaf.name)}: {what}", remedy=remedy)


def _one_of(labels: list[str]) -> str:
    if len(labels) > 9:
        return f"one of its {len(labels)} levels, {labels[0]} to {labels[-1]}"
    return labels[0] if len(labels) == 1 else f"one of {', '.join(labels)}"
