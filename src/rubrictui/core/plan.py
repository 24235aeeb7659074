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
from operator import attrgetter, is_, itemgetter
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
from rubrictui.core.plan_tree import Folded, PlanTree
from rubrictui.core.rounding import round6

#: How much is remembered: different answers to one leaf, rows of one answer, nodes' shares in one version.
_READINGS_KEPT: Final = 512
_ROWS_KEPT: Final = 256
_SHARES_KEPT: Final = 50_000
#: So many versions are remembered for the next state of them.
_LATEST_KEPT: Final = 4
_FOLDED_KEPT: Final = 50_000

_BEST: Final[dict[RollupMethod | None, Callable[[list[Any]], Any]]] = {
    RollupMethod.MINIMUM: min,
    RollupMethod.MAXIMUM: max,
}

#: What decides who takes part, and in which order scores are added up.
_SHAPE: Final = attrgetter("id", "parent_id", "node_type", "key")

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

    def renumbered(self, number: int) -> Leaf:
        """The same leaf at another number. What was read here stays known: it does not depend on numbers."""
        return Leaf(
            number,
            self.node,
            self.name,
            self.gate,
            self.policy,
            self.scale,
            self.is_numeric,
            self.levels,
            self.readings,
        )

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
    _places: dict[tuple[float | None, float | None], int] = field(default_factory=dict)
    _next_place: Iterator[int] = field(default_factory=count)

    def place(self, effective: float | None, path: float | None) -> int:
        """One small number for a share and a path together, never given twice to different ones."""
        key = (effective, path)
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


@dataclass(slots=True, eq=False)
class _Basis:
    """What the next state of a version is compared with; the snapshot itself may be gone by then."""

    nodes: tuple[Node, ...]
    scales: tuple[Scale, ...]
    policy: NotApplicablePolicy
    plan: Plan
    folded: Folded

    def keeps_readings(self, version: VersionSnapshot) -> bool:
        """Whether a leaf whose node is the same object reads answers there as it did."""
        return (
            version.not_applicable_policy is self.policy
            and len(version.scales) == len(self.scales)
            and all(map(is_, version.scales, self.scales))
        )


_plans: dict[int, tuple[weakref.ref[VersionSnapshot], Plan]] = {}
_plans_lock = threading.Lock()
#: The state of a version compiled last, by version id: a draft being edited goes on from it.
_latest: dict[str, _Basis] = {}


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
    before = _latest.get(version.id) if version.id else None
    folded = before.folded if before is not None and len(before.folded) < _FOLDED_KEPT else Folded()
    plan = (before and _follow(version, before)) or _compile(version, before, folded)

    def forget(dead: weakref.ref[VersionSnapshot]) -> None:
        with _plans_lock:
            if key in _plans and _plans[key][0] is dead:
                del _plans[key]

    with _plans_lock:
        _plans[key] = (weakref.ref(version, forget), plan)
        if version.id:  # what has none is no stored version, and has no next state
            _latest.pop(version.id, None)
            _latest[version.id] = _Basis(
                version.nodes, version.scales, version.not_applicable_policy, plan, folded
            )
            while len(_latest) > _LATEST_KEPT:
                del _latest[next(iter(_latest))]
    return plan


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

    def leaf(self, node: Node, number: int = 0) -> Leaf:
        """A criterion as scoring reads answers to it.

        Raises:
            InvalidInputError: a level of its scale scores outside 0..1, or its gate minimum is no number.
        """
        scale_id = fold_id(node.scale_id)
        scale = self._scales.get(scale_id)
        return Leaf(
            number=number,
            node=node,
            name=node.name.strip() or node.key,
            gate=_gate(node),
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


def _compile(version: VersionSnapshot, before: _Basis | None, folded: Folded) -> Plan:
    """The plan of a version, with the readings of leaves that are the same as ``before``."""
    tree = PlanTree(version, folded)
    scales = Scales(version)
    known: dict[int, Leaf] = {}
    places: dict[tuple[float | None, float | None], int] = {}
    next_place: Iterator[int] = count()
    if before is not None and before.keeps_readings(version):
        known = {id(leaf.node): leaf for leaf in before.plan.leaves}
        places, next_place = before.plan._places, before.plan._next_place
    for node in tree.groups:
        _check_numbers(node)
    leaves = []
    for number, node in enumerate(tree.leaves):
        leaf = known.get(id(node))
        if leaf is None:
            _check_numbers(node)
            leaf = scales.leaf(node, number)
        elif leaf.number != number:
            leaf = leaf.renumbered(number)
        leaves.append(leaf)
    numbers = tree.numbers
    groups = tuple(
        _group(
            node,
            numbers[id(node)],
            [(numbers[id(child)], child) for child in tree.by_key(node)],
            tree.leaves_under(node),
        )
        for node in tree.groups
    )
    leaf_of = {folded[leaf.node.id]: leaf for leaf in leaves}
    leaf_of |= {leaf.node.id: leaf for leaf in leaves}
    return Plan(
        leaves=tuple(leaves),
        groups=groups,
        leaf_of=leaf_of,
        in_walk_order=_picker([numbers[id(node)] for node in tree.walk]),
        by_key=tuple([numbers[id(node)] for node in tree.leaves_by_key()]),
        **_version_parts(version, tuple(leaves), groups),
        _places=places,
        _next_place=next_place,
    )


def _group(node: Node, number: int, children: list[tuple[int, Node]], leaves: tuple[int, int]) -> Group:
    """A group of these children, all of them, by key."""
    included = [(number, float(child.weight)) for number, child in children if not child.is_advisory]
    total = sum([weight for _, weight in included])
    _check(isfinite(total), node, "sum of the weights under it", total, "finite")
    best = _BEST.get(node.rollup_method)
    return Group(
        number=number, node=node, best=best, children=tuple(included), leaves=leaves, gate=_gate(node)
    )


def _version_parts(
    version: VersionSnapshot, leaves: tuple[Leaf, ...], groups: tuple[Group, ...]
) -> dict[str, Any]:
    """What of a plan is read off the version as a whole."""
    gates = [each.number for each in leaves if each.gate is not None]
    return {
        "gates": (*gates, *[each.number for each in groups if each.gate is not None]),
        "has_gate": any(node.is_gate for node in version.nodes),
        "pass_threshold": _optional(version.pass_threshold, "pass threshold"),
        "minimum_completeness": _optional(version.minimum_completeness, "minimum completeness"),
        "bands": _bands(version.bands),
    }


def _check_numbers(node: Node) -> None:
    _check(node.weight >= 0 and isfinite(node.weight), node, "weight", node.weight, "0 or more")
    if node.gate_minimum_score is not None:
        rounded_input(node.gate_minimum_score, f'gate minimum of "{node.key}"')


# --- One version after another ---------------------------------------------------------------------------


def _follow(version: VersionSnapshot, base: _Basis) -> Plan | None:
    """The plan of a version that differs from one compiled before in what a few nodes say.

    An author changes one node at a time, and nodes that did not change are the same objects: their leaves,
    with all that was read there, serve again. None when the trees have another shape or the scales differ.
    """
    edits = _edited_nodes(version, base)
    if edits is None:
        return None
    plan = base.plan
    numbers = {id(leaf.node): leaf.number for leaf in plan.leaves}
    numbers |= {id(group.node): group.number for group in plan.groups}
    leaves, groups, leaf_of = list(plan.leaves), list(plan.groups), plan.leaf_of
    unanswered = plan.unanswered
    scales = Scales(version)
    first = len(leaves)
    parents: dict[int, tuple[set[int], set[int]]] = {}
    shares_stay = True
    for old, new in edits:
        number = numbers.get(id(old))
        if number is None:  # it takes no part
            continue
        _check_numbers(new)
        if number < first:
            leaves[number] = scales.leaf(new, number)
            if leaf_of is plan.leaf_of:
                leaf_of = plan.leaf_of.copy()
            leaf_of[fold_id(new.id)] = leaf_of[new.id] = leaves[number]
            unanswered = []
        else:
            was = groups[number - first]
            groups[number - first] = Group(
                number, new, _BEST.get(new.rollup_method), was.children, was.leaves, _gate(new)
            )
        if old.weight != new.weight or old.is_advisory != new.is_advisory:
            above = _group_above(new, groups)
            gone, come = parents.setdefault(above, (set(), set()))
            gone.add(number)
            if not new.is_advisory:
                come.add(number)
            shares_stay = False
        shares_stay &= old.rollup_method == new.rollup_method
    for place, (gone, come) in parents.items():
        group = groups[place]
        there = {number for number, _ in group.children} - gone | come
        nodes = [(n, leaves[n].node if n < first else groups[n - first].node) for n in there]
        nodes.sort(key=lambda child: (child[1].key, child[1].id))
        groups[place] = _group(group.node, group.number, nodes, group.leaves)
    final_leaves, final_groups = tuple(leaves), tuple(groups)
    return Plan(
        leaves=final_leaves,
        groups=final_groups,
        leaf_of=leaf_of,
        in_walk_order=plan.in_walk_order,
        by_key=plan.by_key,
        **_version_parts(version, final_leaves, final_groups),
        unanswered=unanswered,
        shares=plan.shares if shares_stay else {},
        _places=plan._places,
        _next_place=plan._next_place,
    )


def _edited_nodes(version: VersionSnapshot, base: _Basis) -> list[tuple[Node, Node]] | None:
    """The nodes that differ, old and new; None when not only what nodes say is different."""
    if (
        len(version.nodes) != len(base.nodes)
        or len(version.scales) != len(base.scales)
        or version.not_applicable_policy is not base.policy
        or not all(map(is_, version.scales, base.scales))
    ):
        return None
    edits = [(old, new) for old, new in zip(base.nodes, version.nodes, strict=True) if old is not new]
    if len(edits) > len(version.nodes) // 4 + 1 or any(_SHAPE(old) != _SHAPE(new) for old, new in edits):
        return None
    return edits


def _group_above(node: Node, groups: list[Group]) -> int:
    """The place among ``groups`` of the one that holds a node that takes part."""
    above = fold_id(node.parent_id)
    return next(place for place, group in enumerate(groups) if fold_id(group.node.id) == above)


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
