"""The whole arithmetic of scoring on one page (contract, "Scoring"; guide section 6).

``compute`` is the one scorer: the builder's preview, the form, submit, the command line and every evaluator
call it, and ``batch`` repeats its additions in the same order. It goes four times over the compiled version
(``plan``): leaves are read, shares are given out, scores are rolled up, contributions are spread down. Then
the verdict. Numbers are rounded when they are stored or compared, never in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Final

from rubrictui.core import explain
from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.explain import display_score, explain_outcome
from rubrictui.core.model import (
    Answer,
    Band,
    Node,
    NotApplicablePolicy,
    Outcome,
    Scale,
    ScoredNode,
    ScoreResult,
    VersionSnapshot,
    fold_id,
)
from rubrictui.core.plan import plan_of
from rubrictui.core.plan_parts import (
    NOT_APPLICABLE,
    Cut,
    Group,
    Leaf,
    Plan,
    Reading,
    Rollup,
    Rules,
    Shares,
    effective_na_policy,
    read_unanswered,
    rounded_input,
)
from rubrictui.core.rounding import round6

__all__ = [
    "SCORING_ENGINE_VERSION",
    "band_of",
    "check_answer",
    "compute",
    "display_score",
    "effective_na_policy",
    "explain_outcome",
    "plan_of",
    "round6",
    "unknown_answers",
]

#: Stored with every evaluation. A change of any rule on this page is a new version.
SCORING_ENGINE_VERSION: Final = "1"

#: A raw value may be off its step by this much of a step, which is what decimal fractions lose in binary.
_STEP_TOLERANCE: Final = 1e-8

#: So many ways to leave children out are remembered of one group.
_CUTS_KEPT: Final = 16


def compute(
    version: VersionSnapshot, answers: Iterable[Answer], *, pass_threshold: float | None = None
) -> ScoreResult:
    """Score one set of answers against one version.

    Args:
        version: the snapshot; its first use compiles it.
        answers: in any order; the last of several answers to one criterion wins, answers to unknown ids and
            to groups are ignored (``unknown_answers`` lists them).
        pass_threshold: replaces the version's threshold when given; 0 is a threshold.

    Returns:
        Scores, shares, contributions and completeness are 0..1, rounded to six places; one node result per
        node that takes part, in walk order.

    Raises:
        ScoringError: the first illegal answer in walk order, with its ``kind`` and the criterion's ``key``.
        InvalidInputError: a number in the version, a threshold or a confidence that cannot be computed with.
    """
    plan = plan_of(version)
    answers = tuple(answers)
    readings = read_answers(plan, answers)
    left_out = tuple([number for number, reading in enumerate(readings) if not reading.counts])
    unanswered, not_applicable_failure = 0, False
    for number in left_out:
        reading = readings[number]
        if reading.refusal is not None:
            raise reading.refusal
        unanswered += reading.unanswered
        not_applicable_failure |= reading.fails_evaluation

    shares = plan.shares.get(left_out) or _share_out(plan, left_out)
    scores = [reading.score for reading in readings] + [None] * len(plan.groups)
    roll_up(shares.rollups, scores)
    rows = _rows(plan, readings, shares, scores)
    return verdict(
        plan.rules,
        scores[-1],
        scored=len(readings) - len(left_out),
        unanswered=unanswered,
        gate_failed=True in [rows[number].gate_failed for number in plan.gates],
        not_applicable_failure=not_applicable_failure,
        confidence=_confidence(plan, answers, readings, shares),
        pass_threshold=pass_threshold,
        nodes=plan.in_walk_order(rows),
    )


# --- Leaves: what an answer says -------------------------------------------------------------------------


def read_answer(leaf: Leaf, answer: Answer | None) -> Reading:
    """Read one answer to one leaf: not applicable, else unanswered, else its value on the scale.

    Raises:
        ScoringError: the answer is illegal.
    """
    if answer is not None and answer.is_not_applicable:
        return leaf.remember(NOT_APPLICABLE, _not_applicable(leaf))
    if answer is None or (answer.raw_value is None and not fold_id(answer.scale_level_id)):
        return read_unanswered(leaf)
    if leaf.scale is None:
        raise explain.no_scale(leaf)
    if leaf.is_numeric:
        return leaf.remember(
            answer.raw_value, _scored(leaf, _numeric_score(leaf, leaf.scale, answer.raw_value))
        )
    level_id = fold_id(answer.scale_level_id)
    if not level_id or level_id not in leaf.levels:
        raise explain.not_on_level(leaf, answer.scale_level_id)
    level = leaf.levels[level_id]
    return leaf.remember(level.id, _scored(leaf, float(level.normalized_value)))


def _not_applicable(leaf: Leaf) -> Reading:
    if leaf.policy is NotApplicablePolicy.NOT_ALLOWED:
        raise explain.not_allowed(leaf)
    if leaf.node.is_advisory:
        return Reading(leaf, not_applicable=True)
    if leaf.policy is NotApplicablePolicy.COUNT_AS_ZERO:
        reading = _scored(leaf, 0.0)
        reading.not_applicable = True
        return reading
    return Reading(
        leaf, not_applicable=True, fails_evaluation=leaf.policy is NotApplicablePolicy.FAIL_EVALUATION
    )


def _numeric_score(leaf: Leaf, scale: Scale, value: float | None) -> float:
    """(value - min) / (max - min), or one minus that when lower is better."""
    low, high, step = scale.min_value, scale.max_value, scale.step
    if value is None or low is None or high is None or low == high or not isfinite(high - low):
        raise explain.needs_number(leaf)
    if not low <= value <= high:  # also when it is NaN
        raise explain.out_of_range(leaf, value, low, high)
    if step is not None and step > 0:
        steps = (value - low) / step
        if steps < 2**52 and abs(steps - round(steps)) > _STEP_TOLERANCE:
            raise explain.off_step(leaf, value, low, high, step)
    score = (value - low) / (high - low)
    return score if scale.higher_is_better else 1.0 - score


def _scored(leaf: Leaf, score: float) -> Reading:
    return Reading(
        leaf,
        score=score,
        counts=not leaf.node.is_advisory,
        gate_failed=leaf.gate is not None and round6(score) < leaf.gate,
    )


def read_answers(plan: Plan, answers: Iterable[Answer]) -> list[Reading]:
    """One reading per leaf. An illegal answer is read as its refusal: a later answer may still replace it."""
    if not plan.unanswered:
        plan.unanswered = [read_unanswered(leaf) for leaf in plan.leaves]
    readings = plan.unanswered.copy()
    number_of, leaves = plan.number_of, plan.leaves
    for answer in answers:
        try:
            number = number_of[answer.criterion_id]
            leaf = leaves[number]
            reading = leaf.readings[
                NOT_APPLICABLE
                if answer.is_not_applicable
                else answer.raw_value
                if leaf.is_numeric
                else answer.scale_level_id
            ]
        except KeyError:  # an id written in another way, or an answer not met before
            known = plan.leaf_of.get(fold_id(answer.criterion_id))
            if known is None:
                continue
            number, reading = number_of[known.node.id], read_or_refuse(known, answer)
        readings[number] = reading
    return readings


def read_or_refuse(leaf: Leaf, answer: Answer) -> Reading:
    try:
        return read_answer(leaf, answer)
    except ScoringError as refusal:
        return Reading(leaf, refusal=refusal)


# --- Groups: shares, roll-up, contributions --------------------------------------------------------------


def _share_out(plan: Plan, left_out: tuple[int, ...]) -> Shares:
    """Give every included node its share of its group: its weight over the sum of its included siblings'."""
    size = len(plan.leaves) + len(plan.groups)
    included = [True] * len(plan.leaves) + [False] * len(plan.groups)
    for number in left_out:
        included[number] = False
    rollups = take_part(plan.groups, included)
    nowhere = plan.places((None,), (None,))[0]
    effective: list[float | None] = [None] * size
    path: list[float | None] = [None] * size
    places = [nowhere] * size
    path[-1] = 1.0
    for group, parts, cut in reversed(rollups):  # parents before children
        above = path[group.number] if group.best is None else None
        paths, places_below = cut.places(above, plan)
        for (number, _), share, part, place in zip(parts, cut.effective, paths, places_below, strict=True):
            effective[number], path[number], places[number] = share, part, place
    return plan.remember(left_out, Shares(effective, path, places, rollups))


def take_part(groups: Iterable[Group], included: list[bool]) -> list[Rollup]:
    """The groups that have a score, with their children that take part and how these share it.

    Args:
        groups: children before parents.
        included: by number, who takes part; what is said of ``groups`` is set here.
    """
    rollups: list[Rollup] = []
    for group in groups:
        parts = [part for part in group.children if included[part[0]]]
        included[group.number] = bool(parts)
        if not parts:
            continue
        if len(parts) == len(group.children):
            cut = group.cut = group.cut or _cut([weight for _, weight in parts])
        else:
            cut = _partial_cut(group, tuple([weight for _, weight in parts]))
        if cut.weights:
            parts = [(number, weight) for (number, _), weight in zip(parts, cut.weights, strict=True)]
        rollups.append((group, parts, cut))
    return rollups


def _partial_cut(group: Group, weights: tuple[float, ...]) -> Cut:
    """The cut of a group that leaves some children out; it depends on nothing but the weights of the others."""
    known = group.partial.get(weights)
    if known is None:
        if len(group.partial) >= _CUTS_KEPT:
            group.partial.clear()
        known = group.partial[weights] = _cut(weights)
    return known


def _cut(weights: Sequence[float]) -> Cut:
    """Each one's weight over the sum of the weights; weights all zero share equally."""
    total = 0.0
    for weight in weights:
        total += weight
    if total == 0.0:
        shares = [1.0 / len(weights)] * len(weights)
        return Cut([1.0] * len(weights), float(len(weights)), shares, [round6(share) for share in shares])
    shares = [weight / total for weight in weights]
    return Cut([], total, shares, [round6(share) for share in shares])


def roll_up(rollups: Iterable[Rollup], scores: list[float | None]) -> None:
    """Give groups their unrounded scores, children before parents."""
    for group, parts, cut in rollups:
        if group.best is None:
            weighted = 0.0
            for number, weight in parts:
                weighted += weight * scores[number]  # type: ignore[operator]  # included, so it has a score
            scores[group.number] = weighted / cut.total
        else:
            scores[group.number] = group.best([scores[number] for number, _ in parts])


def _rows(
    plan: Plan, readings: list[Reading], shares: Shares, scores: list[float | None]
) -> list[ScoredNode]:
    """What is stored of every node: its rounded numbers and whether its gate failed."""
    made = [reading.rows.get(place) for reading, place in zip(readings, shares.places, strict=False)]
    rows = [
        row if row is not None else _leaf_row(number, readings[number], scores, shares)
        for number, row in enumerate(made)
    ]
    for group in plan.groups[:-1]:
        score, gate_failed = scores[group.number], False
        if group.gate is not None:
            first, end = group.leaves
            gate_failed = group_gate_failed(group.gate, score, readings[first:end])
        rows.append(node_row(group.number, group.node, scores, shares, gate_failed=gate_failed))
    return rows


def group_gate_failed(gate: float, score: float | None, below: Iterable[Reading]) -> bool:
    """Whether the gate of a group fails; without a score it does when a leaf below is not answered."""
    return any(reading.unanswered for reading in below) if score is None else round6(score) < gate


def _leaf_row(number: int, reading: Reading, scores: list[float | None], shares: Shares) -> ScoredNode:
    row = node_row(
        number,
        reading.leaf.node,
        scores,
        shares,
        gate_failed=reading.gate_failed,
        not_applicable=reading.not_applicable,
    )
    reading.remember(shares.places[number], row)
    return row


def node_row(
    number: int,
    node: Node,
    scores: list[float | None],
    shares: Shares,
    *,
    gate_failed: bool,
    not_applicable: bool = False,
) -> ScoredNode:
    """What is stored of one node."""
    score, path = scores[number], shares.path[number]
    return ScoredNode(
        id=node.id,
        key=node.key,
        normalized_score=None if score is None else round6(score),
        effective_weight=shares.effective[number],
        overall_contribution=None if path is None or score is None else round6(path * score),
        gate_failed=gate_failed,
        is_not_applicable=not_applicable,
        is_advisory=node.is_advisory,
    )


# --- The verdict -----------------------------------------------------------------------------------------


def verdict(
    rules: Rules,
    overall: float | None,
    *,
    scored: int,
    unanswered: int,
    gate_failed: bool,
    not_applicable_failure: bool,
    confidence: float | None,
    pass_threshold: float | None,
    nodes: tuple[ScoredNode, ...],
) -> ScoreResult:
    """What the unrounded overall score amounts to.

    Args:
        scored: how many leaves have a score that counts.
        unanswered: how many lack an answer that would.
        pass_threshold: replaces that of the rules when given.
    """
    score = None if overall is None else round6(overall)
    completeness = round6(scored / (scored + unanswered)) if scored + unanswered else 1.0
    threshold = (
        rules.pass_threshold if pass_threshold is None else rounded_input(pass_threshold, "pass threshold")
    )
    outcome = _outcome(
        rules,
        score,
        completeness,
        threshold=threshold,
        gate_failed=gate_failed,
        not_applicable_failure=not_applicable_failure,
    )
    return ScoreResult(
        normalized_score=score,
        completeness=completeness,
        outcome=outcome,
        passed=_passed(rules, outcome, threshold),
        gate_failed=gate_failed,
        pass_threshold_applied=threshold,
        band_id=_find_band(rules, score),
        confidence=confidence,
        nodes=nodes,
    )


def _outcome(
    rules: Rules,
    score: float | None,
    completeness: float,
    *,
    threshold: float | None,
    gate_failed: bool,
    not_applicable_failure: bool,
) -> Outcome:
    """The first row of the guide's table that matches. All numbers are rounded."""
    if rules.minimum_completeness is not None and completeness < rules.minimum_completeness:
        return Outcome.INCOMPLETE
    if not_applicable_failure:
        return Outcome.NOT_APPLICABLE_FAILURE
    if score is None:
        return Outcome.INCOMPLETE
    if gate_failed:
        return Outcome.GATE_FAILED
    if threshold is not None:
        return Outcome.PASSED if score >= threshold else Outcome.BELOW_THRESHOLD
    return Outcome.SCORED


def _find_band(rules: Rules, score: float | None) -> str | None:
    """The id of the first band that contains a rounded score: half-open, the top one closed at 1."""
    if score is not None:
        for low, high, band_id in rules.bands:
            if low <= score and (score < high or score == high == 1):
                return band_id
    return None


def _passed(rules: Rules, outcome: Outcome, threshold: float | None) -> bool | None:
    if outcome is Outcome.PASSED:
        return True
    nothing_to_pass = threshold is None and not rules.has_gate
    if outcome is Outcome.SCORED or (outcome is Outcome.INCOMPLETE and nothing_to_pass):
        return None
    return False


def _confidence(
    plan: Plan, answers: tuple[Answer, ...], readings: list[Reading], shares: Shares
) -> float | None:
    """The mean of reported confidences, weighted by (absolute) contribution; None when those sum to 0."""
    if [answer.confidence for answer in answers].count(None) == len(answers):
        return None
    reported: list[float | None] = [None] * len(readings)
    leaf_of = plan.leaf_of.get
    for answer in answers:
        leaf = leaf_of(answer.criterion_id) or leaf_of(fold_id(answer.criterion_id))
        if leaf is not None:
            reported[plan.number_of[leaf.node.id]] = answer.confidence
    weighted = total = 0.0
    for number in plan.by_key():
        confidence = reported[number]
        path, score = shares.path[number], readings[number].score
        if confidence is not None and path is not None and score is not None:
            contribution = path * score  # never below zero: neither weights nor scores are
            weighted += contribution * confidence
            total += contribution
    if total == 0.0:
        return None
    return rounded_input(weighted / total, "confidence")


# --- Parts that others ask for ---------------------------------------------------------------------------


def check_answer(version: VersionSnapshot, answer: Answer) -> None:
    """Refuse one answer that ``compute`` would refuse: what a form asks as a value is typed.

    Raises:
        ScoringError: the answer is illegal on its criterion.
        InvalidInputError: its criterion is not in the version, or is a group.
    """
    plan = plan_of(version)
    leaf = plan.leaf_of.get(fold_id(answer.criterion_id))
    if leaf is None:
        raise InvalidInputError(_unknown(version, answer), remedy="Answer one of the version's criteria.")
    read_answer(leaf, answer)


def band_of(version: VersionSnapshot, score: float | None) -> Band | None:
    """The band that a 0..1 score falls in; None for no score, or when no band contains it."""
    band_id = _find_band(plan_of(version).rules, None if score is None else round6(score))
    return next((band for band in version.bands if band.id == band_id), None)


def unknown_answers(version: VersionSnapshot, answers: Iterable[Answer]) -> tuple[str, ...]:
    """A warning for each answer that ``compute`` ignores: to an unknown id, a group, or a criterion that
    hangs on nothing."""
    plan = plan_of(version)
    return tuple(
        f"{_unknown(version, answer)} It is ignored."
        for answer in answers
        if plan.leaf_of.get(fold_id(answer.criterion_id)) is None
    )


def _unknown(version: VersionSnapshot, answer: Answer) -> str:
    folded = fold_id(answer.criterion_id)
    node = next((node for node in version.nodes if fold_id(node.id) == folded), None)
    if node is None:
        return f'An answer names the criterion id "{explain.said(answer.criterion_id)}", which this version does not have.'
    if not node.is_criterion:
        return f'An answer is given to "{explain.said(node.key)}", which is a group and takes none.'
    return f'An answer is given to "{explain.said(node.key)}", whose parent does not exist or is no group.'
