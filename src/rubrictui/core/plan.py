"""A version compiled for scoring: walked once, its links resolved, its numbers checked and rounded.

Scoring the same version again and again is the rule (a form at every key, a rerun over a thousand
subjects), so everything that depends on the version alone is done once here and kept for as long as the
snapshot lives. There is no arithmetic of scores in this module; that is ``scoring``.

Nodes that take part are numbered so that every child comes before its parent: first the leaves in walk
order (depth first, siblings in the order given), then the groups in reverse walk order, and last, as the
group of the roots, the version as a whole. All lists of scores and shares go by that number. A node takes
no part when its parent does not exist or is a Criterion, when it hangs on a circle of parents, or when an
earlier node bears its id (publish refuses such trees).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from math import isfinite
from operator import itemgetter
from typing import Any, Final

from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.model import (
    Band,
    Level,
    Node,
    NodeType,
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

_BEST: Final[dict[RollupMethod | None, Callable[[list[Any]], Any]]] = {
    RollupMethod.MINIMUM: min,
    RollupMethod.MAXIMUM: max,
}

#: Stand for a not-applicable answer and for none among the answers that a leaf remembers.
NOT_APPLICABLE: Final = object()
UNANSWERED: Final = object()


@dataclass(slots=True, eq=False)
class Leaf:
    """A criterion that takes part. ``gate`` is its rounded minimum, None when it is no gate that counts.

    ``readings`` remembers what answers said here, by level id, raw value or ``NOT_APPLICABLE``.
    """

    number: int
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

    ``best`` picks the score of a Minimum or Maximum group; None for a weighted mean. ``children`` are the numbers and weights of its non-advisory children in the order in which they are
    added up: by key, never by position. Floating-point sums depend on the order of their terms in the last
    digit, so a fixed order is what makes the order of siblings no part of a score.
    ``leaves`` are the numbers, first and last + 1, of all leaves under it.
    """

    number: int
    node: Node
    best: Callable[[list[Any]], Any] | None
    children: tuple[tuple[int, float], ...]
    leaves: tuple[int, int]
    gate: float | None


@dataclass(slots=True, eq=False)
class Plan:
    """One version, ready to score.

    ``leaf_of`` finds a leaf by its id, as written or folded. ``in_walk_order`` puts one value per number
    into the order in which results are given. ``by_key`` are the leaves' numbers in a walk that takes
    siblings by key (the order in which confidences are added up). ``bands`` are (min, max, id), rounded, in
    the order in which they are tried. ``shares`` remembers what follows from which leaves are left out.
    """

    leaves: tuple[Leaf, ...]
    groups: tuple[Group, ...]
    leaf_of: dict[str, Leaf]
    in_walk_order: Callable[[list[Any]], tuple[Any, ...]]
    by_key: tuple[int, ...]
    gates: tuple[int, ...]
    has_gate: bool
    pass_threshold: float | None
    minimum_completeness: float | None
    bands: tuple[tuple[float, float, str], ...]
    unanswered: list[Reading] = field(default_factory=list)
    shares: dict[tuple[int, ...], Shares] = field(default_factory=dict)
    _places: dict[tuple[int, float | None, float | None], int] = field(default_factory=dict)
    _next_place: Iterator[int] = field(default_factory=count)

    def place(self, number: int, effective: float | None, path: float | None) -> int:
        """One small number for a leaf's share and path together, never given twice to different ones."""
        key = (number, effective, path)
        place = self._places.get(key)
        if place is None:
            if len(self._places) >= _SHARES_KEPT:
                self._places.clear()
            place = self._places.setdefault(key, next(self._next_place))
        return place

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
    reading so far, by the place (share and path) they were made for, and ``last`` is the one made last:
    answers repeat, and so do their rows.
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
    last: tuple[Shares, ScoredNode] | tuple[None, None] = (None, None)

    def remember(self, place: int, row: ScoredNode) -> None:
        if len(self.rows) >= _ROWS_KEPT:
            self.rows.clear()
        self.rows[place] = row


@dataclass(slots=True, eq=False)
class Shares:
    """Who has which weight, once it is known which leaves are left out. Lists go by number (``plan``).

    ``effective`` is the rounded share among included siblings; ``path`` the product of unrounded shares from
    the root down, None where nothing is contributed; ``places`` numbers each leaf's pair of the two.
    ``rollups`` are the groups that have a score, children before parents, with the numbers and weights of
    their included children and the sum of those weights.
    """

    effective: list[float | None]
    path: list[float | None]
    places: list[int]
    rollups: list[tuple[Group, list[tuple[int, float]], float]]


_plans: dict[int, tuple[weakref.ref[VersionSnapshot], Plan]] = {}
_plans_lock = threading.Lock()


def plan_of(version: VersionSnapshot) -> Plan:
    """The compiled plan of ``version``, made at the first call and dropped with the snapshot.

    Raises:
        InvalidInputError: a number in the version that no score can be computed with: a weight below zero or
            not finite, a level outside 0..1, a gate minimum, threshold or band that is not finite.
    """
    key = id(version)
    entry = _plans.get(key)
    # The id may be that of a snapshot that died a moment ago: only the living reference decides.
    if entry is not None and entry[0]() is version:
        return entry[1]
    plan = _compile(version)

    def forget(dead: weakref.ref[VersionSnapshot]) -> None:
        with _plans_lock:
            if key in _plans and _plans[key][0] is dead:
                del _plans[key]

    with _plans_lock:
        _plans[key] = (weakref.ref(version, forget), plan)
    return plan


def effective_na_policy(version: VersionSnapshot, node: Node) -> NotApplicablePolicy:
    """What a not-applicable answer to ``node`` does: its own policy, else the version's (guide section 6)."""
    return node.not_applicable_policy or version.not_applicable_policy


def rounded_input(value: float, what: str) -> float:
    """A threshold or bound from outside, rounded as every comparison needs it."""
    if not abs(value) < 1e9:
        raise InvalidInputError(f"The {what} is {value}.", remedy="Give a number from 0 to 1.")
    return round6(value)


def _compile(version: VersionSnapshot) -> Plan:
    tree = _Tree(version)
    scales = {fold_id(scale.id): scale for scale in reversed(version.scales)}
    levels = {key: {fold_id(level.id): level for level in reversed(scales[key].levels)} for key in scales}
    checked: set[str] = set()

    def leaf(node: Node) -> Leaf:
        scale_id = fold_id(node.scale_id)
        scale = scales.get(scale_id)
        if scale is not None and scale_id not in checked:
            checked.add(scale_id)
            for level in scale.levels:
                score = level.normalized_value
                _check(
                    0 <= score <= 1, node, f'normalized value of level "{level.label}"', score, "from 0 to 1"
                )
        return Leaf(
            number=tree.number_of(node),
            node=node,
            name=node.name.strip() or node.key,
            gate=_gate(node),
            policy=effective_na_policy(version, node),
            scale=scale,
            is_numeric=scale is not None and scale.scale_type is ScaleType.NUMERIC,
            levels=levels.get(scale_id, {}),
        )

    def group(node: Node) -> Group:
        included = [child for child in _by_key(tree.children_of(node)) if not child.is_advisory]
        total = sum(child.weight for child in included)
        _check(isfinite(total), node, "sum of the weights under it", total, "finite")
        return Group(
            number=tree.number_of(node),
            node=node,
            best=_BEST.get(node.rollup_method),
            children=tuple((tree.number_of(child), float(child.weight)) for child in included),
            leaves=tree.leaves_under(node),
            gate=_gate(node),
        )

    for node in tree.walk:
        _check(node.weight >= 0 and isfinite(node.weight), node, "weight", node.weight, "0 or more")
        if node.gate_minimum_score is not None:
            rounded_input(node.gate_minimum_score, f'gate minimum of "{node.key}"')
    leaves = tuple(leaf(node) for node in tree.leaves)
    groups = tuple(group(node) for node in tree.groups)
    return Plan(
        leaves=leaves,
        groups=groups,
        leaf_of={fold_id(each.node.id): each for each in leaves} | {each.node.id: each for each in leaves},
        in_walk_order=_picker([tree.number_of(node) for node in tree.walk]),
        by_key=tuple(tree.number_of(node) for node in tree.walk_by_key() if node.is_criterion),
        gates=tuple(
            [each.number for each in leaves if each.gate is not None]
            + [each.number for each in groups if each.gate is not None]
        ),
        has_gate=any(node.is_gate for node in version.nodes),
        pass_threshold=_optional(version.pass_threshold, "pass threshold"),
        minimum_completeness=_optional(version.minimum_completeness, "minimum completeness"),
        bands=_bands(version.bands),
    )


class _Tree:
    """The nodes that take part, numbered. Walked without recursion: ten thousand levels are no deeper.

    ``walk`` has them in walk order; ``groups`` ends with ``whole``, a node made up for the version.
    """

    def __init__(self, version: VersionSnapshot) -> None:
        self._by_parent: dict[str, list[Node]] = {}
        met: set[str] = set()
        for node in version.nodes:
            if (folded := fold_id(node.id)) not in met:
                met.add(folded)
                self._by_parent.setdefault(fold_id(node.parent_id), []).append(node)
        self.whole = Node(id="", key="", node_type=NodeType.GROUP)
        self.walk: list[Node] = []
        self.leaves: list[Node] = []
        self._spans: dict[int, tuple[int, int]] = {}
        # A pair on the stack marks where a group, begun at so many leaves, ends.
        stack: list[Node | tuple[Node, int]] = [self.whole]
        while stack:
            item = stack.pop()
            if isinstance(item, tuple):
                self._spans[id(item[0])] = (item[1], len(self.leaves))
                continue
            self.walk.append(item)
            if item.is_criterion:
                self.leaves.append(item)
            else:
                stack.append((item, len(self.leaves)))
                stack.extend(reversed(self.children_of(item)))
        self.groups = [node for node in reversed(self.walk) if not node.is_criterion]
        self._numbers = {id(node): number for number, node in enumerate([*self.leaves, *self.groups])}
        del self.walk[0]

    def number_of(self, node: Node) -> int:
        return self._numbers[id(node)]

    def children_of(self, node: Node) -> list[Node]:
        folded = fold_id(node.id)
        return self._by_parent.get(folded, []) if folded or node is self.whole else []

    def leaves_under(self, node: Node) -> tuple[int, int]:
        return self._spans[id(node)]

    def walk_by_key(self) -> list[Node]:
        """All nodes in a walk that takes siblings by key."""
        walk: list[Node] = []
        stack = [self.whole]
        while stack:
            node = stack.pop()
            walk.append(node)
            if not node.is_criterion:
                stack.extend(reversed(_by_key(self.children_of(node))))
        return walk


def _by_key(nodes: list[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: (node.key, node.id))


def _picker(numbers: list[int]) -> Callable[[list[Any]], tuple[Any, ...]]:
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


def _gate(node: Node) -> float | None:
    if not node.is_gate or node.is_advisory:
        return None
    return round6(node.gate_minimum_score or 0.0)


def _optional(value: float | None, what: str) -> float | None:
    return None if value is None else rounded_input(value, what)


def _check(holds: bool, node: Node, what: str, value: object, allowed: str) -> None:
    if not holds:
        where = f'Criterion "{node.key}"' if node.key else "The version"
        raise InvalidInputError(f"{where}: the {what} is {value}.", remedy=f"It must be {allowed}.")
