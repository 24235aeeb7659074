"""The plan of a draft, made from the plan of the state before it.

An author changes a node or moves a subtree at a time, and nodes that did not change are the same objects: their
leaves, with all that was read there, serve again, and so do the groups whose children are the same ones. What comes
out is what compiling anew gives; where that cannot be had here, the answer is None and the version is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from operator import attrgetter, is_, ne

from rubrictui.core.model import Node, NodeType, NotApplicablePolicy, Scale, VersionSnapshot, fold_id
from rubrictui.core.plan_parts import (
    BEST,
    Group,
    Leaf,
    Plan,
    Scales,
    check_numbers,
    gate_of,
    group_of,
    picker,
    read_unanswered,
    version_parts,
)
from rubrictui.core.plan_tree import Folded
from rubrictui.core.tree import window

#: What decides who takes part, and in which order scores are added up.
_SHAPE = attrgetter("id", "parent_id", "node_type", "key")
_BY_KEY = attrgetter("key", "id")
_LEAF_ID = attrgetter("node.id")


@dataclass(slots=True, eq=False)
class Basis:
    """What the next state of a version is compared with; the snapshot itself may be gone by then.

    ``walks`` when all of its nodes take part and stand in walk order, as those of a draft being edited do.
    """

    nodes: tuple[Node, ...]
    scales: tuple[Scale, ...]
    policy: NotApplicablePolicy
    plan: Plan
    folded: Folded
    walks: bool

    def keeps_readings(self, version: VersionSnapshot) -> bool:
        """Whether a leaf whose node is the same object reads answers there as it did."""
        return (
            version.not_applicable_policy is self.policy
            and len(version.scales) == len(self.scales)
            and all(map(is_, version.scales, self.scales))
        )

    def next(self, version: VersionSnapshot, plan: Plan) -> Basis:
        """The basis of a version that was compiled from this one."""
        return Basis(version.nodes, version.scales, self.policy, plan, self.folded, self.walks)


# --- Nodes that say something else -----------------------------------------------------------------------


def follow_edits(version: VersionSnapshot, base: Basis) -> Basis | None:
    """The plan of a version that differs from one compiled before in what a few nodes say.

    Returns:
        None when the trees have another shape, or the scales or the policy differ.
    """
    edits = _edited_nodes(version, base)
    if edits is None:
        return None
    plan = base.plan
    leaves, groups, leaf_of = list(plan.leaves), list(plan.groups), plan.leaf_of
    unanswered = list(plan.unanswered)
    scales = Scales(version)
    first = len(leaves)
    parents: dict[int, tuple[set[int], set[int]]] = {}
    shares_stay = True
    for old, new in edits:
        number = _number(old, plan, groups)
        if number is None:  # it takes no part
            continue
        check_numbers(new)
        if number < first:
            leaves[number] = scales.leaf(new)
            if leaf_of is plan.leaf_of:
                leaf_of = plan.leaf_of.copy()
            leaf_of[fold_id(new.id)] = leaf_of[new.id] = leaves[number]
            if unanswered:
                unanswered[number] = read_unanswered(leaves[number])
        else:
            was = groups[number - first]
            gate = gate_of(new)
            if gate is not None and was.gate is None:  # where its leaves are is known of gates alone
                return None
            groups[number - first] = Group(
                number, new, BEST.get(new.rollup_method), was.children, was.leaves, gate, was.cut, was.partial
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
        groups[place] = group_of(group.node, group.number, nodes, group.leaves)
    made = Plan(
        leaves=tuple(leaves),
        groups=tuple(groups),
        leaf_of=leaf_of,
        number_of=plan.number_of,
        in_walk_order=plan.in_walk_order,
        unanswered=unanswered,
        shares=plan.shares if shares_stay else {},
        _places=plan._places,
        _next_place=plan._next_place,
    )
    version_parts(made, version)
    return base.next(version, made)


def _edited_nodes(version: VersionSnapshot, base: Basis) -> list[tuple[Node, Node]] | None:
    """The nodes that differ, old and new; None when not only what nodes say is different."""
    if len(version.nodes) != len(base.nodes) or not base.keeps_readings(version):
        return None
    first, _, end = window(base.nodes, version.nodes)
    pairs = zip(base.nodes[first:end], version.nodes[first:end], strict=True)
    edits = [(old, new) for old, new in pairs if old is not new]
    if len(edits) > len(version.nodes) // 4 + 1 or any(_SHAPE(old) != _SHAPE(new) for old, new in edits):
        return None
    return edits


def _number(node: Node, plan: Plan, groups: Sequence[Group]) -> int | None:
    """The number of a node that takes part."""
    number = plan.number_of.get(node.id)
    if number is not None and plan.leaves[number].node is node:
        return number
    return next((group.number for group in groups if group.node is node), None)


def _group_above(node: Node, groups: list[Group]) -> int:
    """The place among ``groups`` of the one that holds a node that takes part."""
    above = fold_id(node.parent_id)
    return next(place for place, group in enumerate(groups) if fold_id(group.node.id) == above)


# --- Nodes that come, go or stand elsewhere --------------------------------------------------------------


def follow_moves(version: VersionSnapshot, base: Basis) -> Basis | None:
    """The plan of a version whose tree differs from one compiled before in one stretch of the walk.

    Returns:
        None when not all nodes take part in walk order, before or now, or the scales or the policy differ.
    """
    if not base.walks or not base.keeps_readings(version):
        return None
    old, new, fold, plan = base.nodes, version.nodes, base.folded, base.plan
    first, old_end, new_end = _stretch(old, new, fold)
    ids = [fold[node.id] for node in new]
    if not _walks(new, first, new_end, ids, fold):
        return None

    # Leaves keep their order outside the stretch, and their readings wherever they are.
    criterion = NodeType.CRITERION
    was_leaf = [node.node_type is criterion for node in old]
    is_leaf = [node.node_type is criterion for node in new]
    low, old_high = sum(was_leaf[:first]), sum(was_leaf[:old_end])
    known = {id(leaf.node): leaf for leaf in plan.leaves[low:old_high]}
    there = set(map(id, old[first:old_end]))
    scales = Scales(version)
    within: list[Leaf] = []
    for node in new[first:new_end]:
        if id(node) not in there:
            check_numbers(node)
        if node.node_type is criterion:
            within.append(known.pop(id(node)) if id(node) in known else scales.leaf(node))
    leaves = (*plan.leaves[:low], *within, *plan.leaves[old_high:])

    # Numbers by place in the walk, and by the number that each had before.
    groups_now = len(new) - len(leaves) + 1
    leaf_numbers, group_numbers = iter(range(len(leaves))), iter(range(len(new) - 1, -1, -1))
    numbers = [next(leaf_numbers) if leaf else next(group_numbers) for leaf in is_leaf]
    now_at = {
        id(node): number for node, number in zip(new[first:new_end], numbers[first:new_end], strict=True)
    }
    now = [
        now_at.get(id(node), -1)
        for node, leaf in zip(old[first:old_end], was_leaf[first:old_end], strict=True)
        if leaf
    ]
    moved = [*range(low), *now, *range(low + len(within), len(leaves))]
    before = len([leaf for leaf in was_leaf[:first] if not leaf])
    after = len([leaf for leaf in was_leaf[old_end:] if not leaf])
    now = [
        now_at.get(id(node), -1)
        for node, leaf in zip(old[first:old_end], was_leaf[first:old_end], strict=True)
        if not leaf
    ]
    top = len(leaves) + groups_now - 1
    walked = [
        top,
        *range(top - 1, top - 1 - before, -1),
        *now,
        *range(len(leaves) + after - 1, len(leaves) - 1, -1),
    ]
    moved += reversed(walked)

    # Only groups that lost or got a child, or changed themselves, are looked at.
    stayed = set(now_at)
    gone = [node for node in old[first:old_end] if id(node) not in stayed]
    shaken = {fold[node.parent_id] if node.parent_id else "" for node in gone}
    for node in new[first:new_end]:
        if id(node) not in there:
            shaken.add(fold[node.parent_id] if node.parent_id else "")
            if node.node_type is not criterion:
                shaken.add(fold[node.id])
    children: dict[str, list[tuple[int, Node]]] = {own: [] for own in shaken}
    for node, number in zip(new, numbers, strict=True):
        above = fold[node.parent_id] if node.parent_id else ""
        if above in shaken:
            children[above].append((number, node))
    for siblings in children.values():
        siblings.sort(key=lambda child: _BY_KEY(child[1]))

    groups: list[Group] = []
    known_groups = {id(group.node): group for group in plan.groups}
    others = set(compress(range(len(moved)), map(ne, moved, range(len(moved)))))
    spans = _Spans(new, ids, is_leaf, fold)
    whole = plan.groups[-1]
    for place in [place for place, leaf in enumerate(is_leaf) if not leaf]:
        node, number = new[place], numbers[place]
        gate = gate_of(node)
        span = spans.of(place) if gate is not None else (0, 0)
        if ids[place] in shaken:
            groups.append(group_of(node, number, children[ids[place]], span))
        else:
            groups.append(_renumbered(known_groups[id(node)], number, moved, others, span))
    groups.reverse()
    groups.append(
        group_of(whole.node, top, children[""], (0, 0))
        if "" in shaken
        else _renumbered(whole, top, moved, others, (0, 0))
    )

    leaf_of = plan.leaf_of.copy()
    for gone_leaf in known.values():
        leaf_of.pop(gone_leaf.node.id, None)
        leaf_of.pop(fold[gone_leaf.node.id], None)
    for made_leaf in within:
        leaf_of[made_leaf.node.id] = leaf_of[fold[made_leaf.node.id]] = made_leaf
    made = Plan(
        leaves=leaves,
        groups=tuple(groups),
        leaf_of=leaf_of,
        number_of=dict(zip(map(_LEAF_ID, leaves), range(len(leaves)), strict=True)),
        in_walk_order=picker(numbers),
        unanswered=[
            *plan.unanswered[:low],
            *[read_unanswered(leaf) for leaf in within],
            *plan.unanswered[old_high:],
        ]
        if plan.unanswered
        else [],
        _places=plan._places,
        _next_place=plan._next_place,
    )
    version_parts(made, version)
    return base.next(version, made)


def _stretch(old: Sequence[Node], new: Sequence[Node], fold: Folded) -> tuple[int, int, int]:
    """The window of what differs, with all that hangs on a node in it: where that node moved, it moved too."""
    first, old_end, new_end = window(old, new)
    inside = {fold[node.id] for node in (*old[first:old_end], *new[first:new_end])}
    while new_end < len(new) and (parent := new[new_end].parent_id) and fold[parent] in inside:
        inside.add(fold[new[new_end].id])
        old_end += 1
        new_end += 1
    return first, old_end, new_end


def _walks(nodes: Sequence[Node], first: int, end: int, ids: Sequence[str], fold: Folded) -> bool:
    """Whether nodes of which those outside a stretch are in walk order are so altogether, and all take part."""
    if "" in ids or len(set(ids)) != len(ids):
        return False
    path: list[str] = []  # the groups that are open where the stretch begins, the innermost last
    if first:
        if nodes[first - 1].node_type is not NodeType.CRITERION:
            path.append(ids[first - 1])
        above = nodes[first - 1].parent_id
        for place in range(first - 2, -1, -1):
            if not above:
                break
            if ids[place] == fold[above]:
                path.append(ids[place])
                above = nodes[place].parent_id
        path.reverse()
    for place in range(first, min(end + 1, len(nodes))):
        parent = nodes[place].parent_id
        own = fold[parent] if parent else ""
        while path and path[-1] != own:
            path.pop()
        if own and not path:
            return False
        if nodes[place].node_type is not NodeType.CRITERION:
            path.append(ids[place])
    return True


def _renumbered(
    group: Group, number: int, moved: list[int], others: set[int], leaves: tuple[int, int]
) -> Group:
    """A group whose children are the same ones, at the numbers that they have now.

    ``others`` are the numbers that stand for another node now, or for none.
    """
    children = group.children
    if children:
        before, weights = zip(*children, strict=True)
        if not others.isdisjoint(before):
            children = tuple(zip(map(moved.__getitem__, before), weights, strict=True))
        elif number == group.number and leaves == group.leaves:
            return group
    return Group(number, group.node, group.best, children, leaves, group.gate, group.cut, group.partial)


class _Spans:
    """The leaves that hang below a group, at any depth, by number; worked out for gates alone."""

    def __init__(
        self, nodes: Sequence[Node], ids: Sequence[str], is_leaf: Sequence[bool], fold: Folded
    ) -> None:
        self._nodes, self._ids, self._is_leaf, self._fold = nodes, ids, is_leaf, fold
        self._before: list[int] = []

    def of(self, place: int) -> tuple[int, int]:
        if not self._before:
            self._before = list(accumulate(self._is_leaf, initial=0))
        inside, end = {self._ids[place]}, place + 1
        while end < len(self._nodes) and self._fold[self._nodes[end].parent_id or ""] in inside:
            inside.add(self._ids[end])
            end += 1
        return self._before[place], self._before[end]
