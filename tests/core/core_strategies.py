"""Random versions and answers for property tests, and a slow, exact second opinion on their scores."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from rubrictui.core.model import (
    Answer,
    Band,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    VersionSnapshot,
)

quick = settings(max_examples=120, derandomize=True, deadline=None, database=None)

WEIGHTS = (0, 0.1, 0.2, 0.3, 0.333333, 0.5, 0.7, 1, 2, 3, 10)
POLICIES = (None, *(policy for policy in NotApplicablePolicy))

SCALES = (
    Scale(
        id="words",
        levels=tuple(
            Level(id=f"words-{place}", label=label, value=place, normalized_value=score, sequence=place)
            for place, (label, score) in enumerate(
                (("Miss", 0), ("Partial", 0.5), ("Good", 0.9), ("Meets", 1))
            )
        ),
    ),
    Scale(
        id="eighths",
        levels=tuple(
            Level(id=f"eighths-{place}", label=str(place), normalized_value=place / 128, sequence=place)
            for place in (0, 1, 9, 77, 121, 128)
        ),
    ),
    Scale(id="percent", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100),
    Scale(
        id="cost", scale_type=ScaleType.NUMERIC, min_value=1, max_value=7, step=0.5, higher_is_better=False
    ),
)


class Dice:
    """Choices read from bytes: one draw makes a whole version, a hundred times as fast as a draw each."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self) -> int:
        self._at += 1
        return self._data[self._at % len(self._data)]

    def choose(self, options: Sequence[Any]) -> Any:
        return options[self.number() % len(options)]

    def one_in(self, n: int) -> bool:
        return self.number() % n == 1

    def shuffled(self, items: Iterable[Any]) -> list[Any]:
        return sorted(items, key=lambda _: self.number())


dice = st.binary(min_size=256, max_size=256).map(Dice)


def make_version(
    dice: Dice, rollups: Sequence[RollupMethod | None] = (None, *RollupMethod), max_nodes: int = 14
) -> VersionSnapshot:
    """A version that could be published: unique keys, no dangling links, weights of 0 and above."""
    letters = dice.shuffled(string.ascii_lowercase[: 1 + dice.number() % max_nodes])
    groups: list[str] = []
    nodes = []
    for number, letter in enumerate(letters):
        is_group, is_gate = dice.one_in(4), dice.one_in(4)
        nodes.append(
            Node(
                id=f"node-{number}",
                key=letter,
                parent_id=dice.choose([None, *groups]),
                name=f"Name of {letter}",
                node_type=NodeType.GROUP if is_group else NodeType.CRITERION,
                scale_id=None if is_group else dice.choose(SCALES).id,
                weight=dice.choose(WEIGHTS),
                is_advisory=dice.one_in(6),
                is_gate=is_gate,
                gate_minimum_score=dice.choose((None, 0, 0.5, 0.6, 1)) if is_gate else None,
                not_applicable_policy=None if is_group else dice.choose(POLICIES),
                rollup_method=dice.choose(rollups) if is_group else None,
                sequence=number,
            )
        )
        if is_group:
            groups.append(f"node-{number}")
    return VersionSnapshot(
        nodes=tuple(dice.shuffled(nodes)),
        scales=SCALES,
        bands=(
            Band(id="low", label="Low", min_score=0, max_score=0.5),
            Band(id="high", label="High", min_score=0.5, max_score=1, sequence=1),
        ),
        pass_threshold=dice.choose((None, 0, 0.5, 0.7)),
        minimum_completeness=dice.choose((None, 0.5, 1)),
        not_applicable_policy=dice.choose(list(NotApplicablePolicy)),
    )


def make_answer(dice: Dice, version: VersionSnapshot, node: Node) -> Answer:
    """A legal answer to one criterion; unanswered and not applicable are among them."""
    kind, confidence = dice.number() % 10, dice.choose((None, None, 0, 0.25, 1))
    policy = node.not_applicable_policy or version.not_applicable_policy
    if kind == 0:
        return Answer(criterion_id=node.id, confidence=confidence)
    if kind == 1 and policy is not NotApplicablePolicy.NOT_ALLOWED:
        return Answer(criterion_id=node.id, is_not_applicable=True, confidence=confidence)
    scale = next(scale for scale in version.scales if scale.id == node.scale_id)
    if scale.scale_type is ScaleType.LEVELS:
        return Answer(
            criterion_id=node.id, scale_level_id=dice.choose(scale.levels).id, confidence=confidence
        )
    low, high = scale.min_value or 0, scale.max_value or 0
    value = low + dice.number() / 255 * (high - low)
    if scale.step:
        value = low + dice.number() % round((high - low) / scale.step + 1) * scale.step
    return Answer(criterion_id=node.id, raw_value=value, confidence=confidence)


def make_answers(dice: Dice, version: VersionSnapshot) -> list[Answer]:
    """Legal answers to most criteria of a version, in any order."""
    leaves = [node for node in version.nodes if node.is_criterion and not dice.one_in(10)]
    return dice.shuffled(make_answer(dice, version, node) for node in leaves)


versions = dice.map(make_version)


def scored_cases(
    rollups: Sequence[RollupMethod | None] = (None, *RollupMethod),
) -> st.SearchStrategy[tuple[VersionSnapshot, list[Answer]]]:
    def make(dice: Dice) -> tuple[VersionSnapshot, list[Answer]]:
        version = make_version(dice, rollups)
        return version, make_answers(dice, version)

    return dice.map(make)


@dataclass
class ExactNode:
    """What the contract says about one node, in fractions."""

    score: Fraction | None
    share: Fraction | None = None
    contribution: Fraction | None = None


def exact_scores(
    version: VersionSnapshot, answers: list[Answer]
) -> tuple[Fraction | None, Fraction, dict[str, ExactNode]]:
    """Overall score, completeness and nodes by id: recursive and slow, as one reads the contract aloud."""
    given = {answer.criterion_id: answer for answer in answers}
    scales = {scale.id: scale for scale in version.scales}
    found: dict[str, ExactNode] = {}
    counted: dict[str, tuple[bool, bool]] = {}  # applicable, scored

    def leaf(node: Node) -> Fraction | None:
        answer = given.get(node.id)
        policy = node.not_applicable_policy or version.not_applicable_policy
        if answer is not None and answer.is_not_applicable:
            zero = policy is NotApplicablePolicy.COUNT_AS_ZERO and not node.is_advisory
            counted[node.id] = (zero, zero)
            return Fraction(0) if zero else None
        if answer is None or (answer.scale_level_id is None and answer.raw_value is None):
            counted[node.id] = (True, False)
            return None
        counted[node.id] = (True, True)
        scale = scales[str(node.scale_id)]
        if scale.scale_type is ScaleType.LEVELS:
            level = next(level for level in scale.levels if level.id == answer.scale_level_id)
            return Fraction(level.normalized_value)
        low, high = Fraction(scale.min_value or 0), Fraction(scale.max_value or 0)
        score = (Fraction(answer.raw_value or 0) - low) / (high - low)
        return score if scale.higher_is_better else 1 - score

    def combine(parent: str | None, method: RollupMethod | None) -> Fraction | None:
        children = [node for node in version.nodes if node.parent_id == parent]
        for node in children:
            score = leaf(node) if node.is_criterion else combine(node.id, node.rollup_method)
            found[node.id] = ExactNode(score)
        included = [n for n in children if not n.is_advisory and found[n.id].score is not None]
        if not included:
            return None
        weights = [Fraction(node.weight) for node in included]
        if sum(weights) == 0:
            weights = [Fraction(1)] * len(included)
        for node, weight in zip(included, weights, strict=True):
            found[node.id].share = weight / sum(weights)
        scores = [found[node.id].score or Fraction(0) for node in included]
        if method is RollupMethod.MINIMUM:
            return min(scores)
        if method is RollupMethod.MAXIMUM:
            return max(scores)
        return sum((w * s for w, s in zip(weights, scores, strict=True)), Fraction(0)) / sum(weights)

    def spread(parent: str | None, above: Fraction | None, method: RollupMethod | None) -> None:
        for node in version.nodes:
            if node.parent_id == parent:
                exact, path = found[node.id], None
                if (
                    above is not None
                    and exact.share is not None
                    and method in (None, RollupMethod.WEIGHTED_MEAN)
                ):
                    path = above * exact.share
                    exact.contribution = path * (exact.score or 0)
                spread(node.id, path, node.rollup_method)

    overall = combine(None, None)
    spread(None, Fraction(1), None)
    real = [counted[node.id] for node in version.nodes if node.is_criterion and not node.is_advisory]
    applicable, scored = sum(a for a, _ in real), sum(s for _, s in real)
    return overall, Fraction(scored, applicable) if applicable else Fraction(1), found
