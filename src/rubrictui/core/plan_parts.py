"""What a version is compiled into for scoring: leaves, groups, and what is remembered of them.

Nodes that take part are numbered so that every child comes before its parent: first the leaves in walk
order (depth first, siblings in the order given), then the groups in reverse walk order, and last, as the
group of the roots, the version as a whole. All lists of scores and shares go by that number. There is no
arithmetic of scores in this module; that is ``scoring``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from math import isfinite
from operator import attrgetter, itemgetter
from typing import Any, Final

from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.model import (
    Band,
    Level,
    Node,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    ScoredNode,
    VersionSnapshot,
    fold_id,
)
from rubrictui.core.rounding import round6

#: How much is remembered: different answers to one leaf, rows of one answer, nodes' shares in one version.
_READINGS_KEPT: Final = 512
_ROWS_KEPT: Final = 256
_SHARES_KEPT: Final = 50_000
_PATHS_KEPT: Final = 8

BEST: Final[dict[RollupMethod | None, Callable[[list[Any]], Any]]] = {
    RollupMethod.MINIMUM: min,
    RollupMethod.MAXIMUM: max,
}

_IS_GATE = attrgetter("is_gate")

#: Stand for a not-applicable answer and for none among the answers that a leaf remembers.
NOT_APPLICABLE: Final = object()
UNANSWERED: Final = object()


@dataclass(slots=True, eq=False)
class Leaf:
    """A criterion that takes part. ``gate`` is its rounded minimum, None when it is no gate that counts.

    ``readings`` remembers what answers said here, by level id, raw value or ``NOT_APPLICABLE``. A leaf does not know
    its number, so that it serves again where another one comes or goes before it.
    """

    node: Node
    name: str
    gate: float | None
    policy: NotApplicablePolicy
    scale: Scale | None
    is_numeric: bool
    levels: dict[str, Level]
    readings: dict[object, Reading] = field(default_factory=dict)

    def remember(self, answered: object, reading: Reading) -> Reading:
        if len(self.readings) >= _READINGS_KEPT:
            self.readings.clear()
        self.readings[answered] = reading
        return reading


@dataclass(slots=True, eq=False)
class Group:
    """A group that takes part, or the version as a whole (the group of the roots).

    ``best`` picks the score of a Minimum or Maximum group; None for a weighted mean. ``children`` are the numbers
    and weights of its non-advisory children in the order in which they are added up: by key, never by position. Floating-point sums depend on the order of their terms in the last
    digit, so a fixed order is what makes the order of siblings no part of a score.
    ``leaves`` are the numbers, first and last + 1, of all leaves under it; only of a gate.
    """

    number: int
    node: Node
    best: Callable[[list[Any]], Any] | None
    children: tuple[tuple[int, float], ...]
    leaves: tuple[int, int]
    gate: float | None
    cut: Cut | None = None
    """How it is shared out when every child takes part, once that is known."""
    partial: dict[tuple[float, ...], Cut] = field(default_factory=dict)
    """How it is shared out among some of its children, by the weights of those."""


@dataclass(slots=True, eq=False)
class Cut:
    """How a group is shared out among children that take part.

    ``weights`` replace their own, all 1, where those are all zero, and are empty elsewhere; ``total`` is their sum,
    ``shares`` each one's part of it, and ``effective`` that part rounded. ``below`` remembers, by the path that leads
    to the group, the paths that lead to each child, and their places (``Plan.places``).
    """

    weights: list[float]
    total: float
    shares: list[float]
    effective: list[float]
    below: dict[float | None, tuple[list[float | None], list[int]]] = field(default_factory=dict)

    def paths(self, above: float | None) -> list[float | None]:
        """The paths to the children when ``above`` is the path to the group."""
        return [None if above is None else above * share for share in self.shares]

    def places(self, above: float | None, plan: Plan) -> tuple[list[float | None], list[int]]:
        """The paths to the children, and their places."""
        known = self.below.get(above)
        if known is None:
            paths = self.paths(above)
            known = paths, plan.places(self.effective, paths)
            if len(self.below) >= _PATHS_KEPT:
                self.below.clear()
            self.below[above] = known
        return known


@dataclass(slots=True, eq=False)
class Rules:
    """What a verdict goes by, read off the version as a whole and rounded.

    ``has_gate`` when a node says that it is one, also one that takes no part. ``bands`` are (min, max, id) in the
    order in which they are tried.
    """

    has_gate: bool = False
    pass_threshold: float | None = None
    minimum_completeness: float | None = None
    bands: tuple[tuple[float, float, str], ...] = ()


@dataclass(slots=True, eq=False)
class Plan:
    """One version, ready to score.

    ``leaf_of`` finds a leaf by its id, as written or folded, and ``number_of`` its number by the id as written.
    ``in_walk_order`` puts one value per number into the order in which results are given. ``shares`` remembers what
    follows from which leaves are left out.
    """

    leaves: tuple[Leaf, ...] = ()
    groups: tuple[Group, ...] = ()
    leaf_of: dict[str, Leaf] = field(default_factory=dict)
    number_of: dict[str, int] = field(default_factory=dict)
    in_walk_order: Callable[[list[Any]], tuple[Any, ...]] = tuple
    gates: tuple[int, ...] = ()
    rules: Rules = field(default_factory=Rules)
    unanswered: list[Reading] = field(default_factory=list)
    shares: dict[tuple[int, ...], Shares] = field(default_factory=dict)
    _places: dict[tuple[float | None, float | None], int] = field(default_factory=dict)
    _next_place: Iterator[int] = field(default_factory=count)
    _by_key: tuple[int, ...] | None = None

    def places(self, effective: Iterable[float | None], paths: Iterable[float | None]) -> list[int]:
        """One small number for each share with its path, never given twice to different ones."""
        known, following = self._places, self._next_place
        if len(known) >= _SHARES_KEPT:
            known.clear()
        found: list[int] = []
        for pair in zip(effective, paths, strict=True):
            number = known.get(pair)
            found.append(known.setdefault(pair, next(following)) if number is None else number)
        return found

    def by_key(self) -> tuple[int, ...]:
        """The leaves that count, by number, in a walk that takes siblings by key."""
        if self._by_key is None:
            self._by_key = tuple(self._walk_by_key())
        return self._by_key

    def _walk_by_key(self) -> Iterator[int]:
        group_of = {group.number: group for group in self.groups}
        stack = [self.groups[-1].number]
        while stack:
            number = stack.pop()
            group = group_of.get(number)
            if group is None:
                yield number
            else:
                stack.extend([child for child, _ in reversed(group.children)])

    def remember(self, left_out: tuple[int, ...], shares: Shares) -> Shares:
        if len(self.shares) * (len(self.leaves) + len(self.groups)) >= _SHARES_KEPT:
            self.shares.clear()
        self.shares[left_out] = shares
        return shares


@dataclass(slots=True, eq=False)
class Reading:
    """What one answer says about one leaf, whatever the other answers are.

    ``score`` is unrounded, 0..1, None for none; ``counts`` when it takes part in the roll-up. ``unanswered``
    and ``fails_evaluation`` are never true of an advisory leaf. ``rows`` are the node results made of this
    reading so far, by the place (share and path) they were made for: answers repeat, and so do their rows.
    """

    leaf: Leaf
    score: float | None = None
    counts: bool = False
    unanswered: bool = False
    not_applicable: bool = False
    fails_evaluation: bool = False
    gate_failed: bool = False
    refusal: ScoringError | None = None
    rows: dict[int, ScoredNode] = field(default_factory=dict)

    def remember(self, place: int, row: ScoredNode) -> None:
        if len(self.rows) >= _ROWS_KEPT:
            self.rows.clear()
        self.rows[place] = row


def read_unanswered(leaf: Leaf) -> Reading:
    """What it says about a leaf that nobody answered it."""
    known = leaf.readings.get(UNANSWERED)
    if known is None:
        made = Reading(leaf, unanswered=not leaf.node.is_advisory, gate_failed=leaf.gate is not None)
        known = leaf.remember(UNANSWERED, made)
    return known


#: A group that has a score, the numbers and weights of its children that take part, and how these share it.
Rollup = tuple[Group, list[tuple[int, float]], Cut]


@dataclass(slots=True, eq=False)
class Shares:
    """Who has which weight, once it is known which leaves are left out. Lists go by number (``plan``).

    ``effective`` is the rounded share among included siblings; ``path`` the product of unrounded shares from
    the root down, None where nothing is contributed; ``places`` numbers each leaf's pair of the two.
    ``rollups`` are the groups that have a score, children before parents.
    """

    effective: list[float | None]
    path: list[float | None]
    places: list[int]
    rollups: list[Rollup]


def effective_na_policy(version: VersionSnapshot, node: Node) -> NotApplicablePolicy:
    """What a not-applicable answer to ``node`` does: its own policy, else the version's (guide section 6)."""
    return node.not_applicable_policy or version.not_applicable_policy


def rounded_input(value: float, what: str) -> float:
    """A threshold or bound from outside, rounded as every comparison needs it."""
    if not abs(value) < 1e9:
        raise InvalidInputError(f"The {what} is {value}.", remedy="Give a number from 0 to 1.")
    return round6(value)


class Scales:
    """The scales of a version by folded id, to make leaves with. The first of two with one id counts."""

    def __init__(self, version: VersionSnapshot) -> None:
        self._version = version
        self._scales = {fold_id(scale.id): scale for scale in reversed(version.scales)}
        self._levels: dict[str, dict[str, Level]] = {}

    def leaf(self, node: Node) -> Leaf:
        """A criterion as scoring reads answers to it.

        Raises:
            InvalidInputError: a level of its scale scores outside 0..1, or its gate minimum is no number.
        """
        scale_id = fold_id(node.scale_id)
        scale = self._scales.get(scale_id)
        return Leaf(
            node=node,
            name=node.name.strip() or node.key,
            gate=gate_of(node),
            policy=effective_na_policy(self._version, node),
            scale=scale,
            is_numeric=scale is not None and scale.scale_type is ScaleType.NUMERIC,
            levels={} if scale is None else self._levels_of(scale_id, scale, node),
        )

    def _levels_of(self, scale_id: str, scale: Scale, node: Node) -> dict[str, Level]:
        if scale_id not in self._levels:
            for level in scale.levels:
                score = level.normalized_value
                _check(
                    0 <= score <= 1, node, f'normalized value of level "{level.label}"', score, "from 0 to 1"
                )
            self._levels[scale_id] = {fold_id(level.id): level for level in reversed(scale.levels)}
        return self._levels[scale_id]


def group_of(node: Node, number: int, children: list[tuple[int, Node]], leaves: tuple[int, int]) -> Group:
    """A group of these children, all of them, by key.

    Raises:
        InvalidInputError: the weights of the children are too large to add up.
    """
    included = tuple([(number, float(child.weight)) for number, child in children if not child.is_advisory])
    total = sum([weight for _, weight in included])
    _check(isfinite(total), node, "sum of the weights under it", total, "finite")
    return Group(number, node, BEST.get(node.rollup_method), included, leaves, gate_of(node))


def rules_of(version: VersionSnapshot) -> Rules:
    """What a verdict on scores of this version goes by.

    Raises:
        InvalidInputError: a threshold or an edge of a band is no number to compare with.
    """
    return Rules(
        has_gate=any(map(_IS_GATE, version.nodes)),
        pass_threshold=_optional(version.pass_threshold, "pass threshold"),
        minimum_completeness=_optional(version.minimum_completeness, "minimum completeness"),
        bands=_bands(version.bands),
    )


def check_numbers(node: Node) -> None:
    _check(node.weight >= 0 and isfinite(node.weight), node, "weight", node.weight, "0 or more")
    if node.gate_minimum_score is not None:
        rounded_input(node.gate_minimum_score, f'gate minimum of "{node.key}"')


def picker(numbers: list[int]) -> Callable[[list[Any]], tuple[Any, ...]]:
    # ``itemgetter`` gives a bare value, not a tuple, for a single number, and refuses none.
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda values: tuple(values[number] for number in numbers)


def _bands(bands: tuple[Band, ...]) -> tuple[tuple[float, float, str], ...]:
    rounded = [
        (
            rounded_input(band.min_score, f'minimum of band "{band.label}"'),
            rounded_input(band.max_score, f'maximum of band "{band.label}"'),
            band.id,
        )
        for band in bands
    ]
    return tuple(sorted(rounded, key=lambda band: band[:2]))


def gate_of(node: Node) -> float | None:
    if not node.is_gate or node.is_advisory:
        return None
    return round6(node.gate_minimum_score or 0.0)


def _optional(value: float | None, what: str) -> float | None:
    return None if value is None else rounded_input(value, what)


def _check(holds: bool, node: Node, what: str, value: object, allowed: str) -> None:
    if not holds:
        where = f'Criterion "{node.key}"' if node.key else "The version"
        raise InvalidInputError(f"{where}: the {what} is {value}.", remedy=f"It must be {allowed}.")
