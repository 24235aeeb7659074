"""A draft's nodes as the rows of a tree that is edited: depths, groups, what is folded away. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from operator import attrgetter

from rubrictui.core.model import (
    Answer,
    Node,
    NodeType,
    Scale,
    ScoredNode,
    VersionSnapshot,
    fold_id,
)
from rubrictui.core.plan_tree import Folded
from rubrictui.core.problems import Problem
from rubrictui.core.shares import sibling_shares
from rubrictui.core.tree import stretch, window

ROOT = ""
"""The id of the row that stands for the version itself."""

_IS_GATE, _NODE_ID = attrgetter("is_gate"), attrgetter("node_id")


@dataclass(slots=True, eq=False)
class Shape:
    """The nodes of one draft in the order they stand, with their depths; ids are folded.

    ``children`` has the siblings under each id (``ROOT`` for the top level). Shares are worked out group by
    group when they are first asked for.
    """

    version: VersionSnapshot
    ids: list[str]
    depths: list[int]
    place: dict[str, int]
    children: dict[str, list[Node]]
    scales: dict[str, Scale]
    folded: Folded
    criteria: int = 0
    """How many criteria there are."""
    gates: Sequence[Node] = ()
    """The gates in the order they stand."""
    _shares: dict[str, dict[str, float | None]] = field(default_factory=dict)

    def node(self, own: str) -> Node | None:
        """The node with this folded id; None for the version's row, and for one that is not there."""
        index = self.place.get(own)
        return None if index is None else self.version.nodes[index]

    def parent(self, own: str) -> str:
        """The folded id of the group above; ``ROOT`` for the top level."""
        node = self.node(own)
        return fold_id(node.parent_id) if node is not None else ROOT

    def above(self, own: str) -> list[str]:
        """The folded ids of the groups above, the nearest first."""
        trail: list[str] = []
        own = self.parent(own)
        while own and own in self.place and own not in trail:
            trail.append(own)
            own = self.parent(own)
        return trail

    def scale(self, node: Node) -> Scale | None:
        """The scale a criterion is answered on; None while it has none that exists."""
        return self.scales.get(fold_id(node.scale_id)) if node.scale_id else None

    def share(self, node: Node) -> float | None:
        """A node's share (0..1) of its group when every sibling counts; None where it takes no part."""
        group = fold_id(node.parent_id)
        shares = self._shares.get(group)
        if shares is None:
            siblings = self.children.get(group, [])
            numbers = sibling_shares(siblings)
            shares = {fold_id(each.id): share for each, share in zip(siblings, numbers, strict=True)}
            self._shares[group] = shares
        return shares.get(fold_id(node.id))

    def share_of_all(self, node: Node) -> float | None:
        """A node's fixed part (0..1) of the whole; None below a group that picks its lowest or highest."""
        part = self.share(node)
        for own in self.above(fold_id(node.id)):
            group = self.node(own)
            share = self.share(group) if group is not None else None
            if part is None or share is None or group is None or picks_one(group):
                return None
            part *= share
        return part

    def below(self, own: str) -> int:
        """How many nodes stand under a node, at any depth."""
        if not own:
            return len(self.ids)
        start = self.place.get(own)
        if start is None:
            return 0
        end = start + 1
        while end < len(self.ids) and self.depths[end] > self.depths[start]:
            end += 1
        return end - start - 1


def picks_one(group: Node) -> bool:
    """Whether a group takes the lowest or the highest of its children, so that no part of it is fixed."""
    return group.rollup_method is not None and group.rollup_method.value != "WeightedMean"


def shape_of(version: VersionSnapshot, before: Shape | None = None) -> Shape:
    """The shape of a draft whose nodes stand in walk order.

    Args:
        before: the shape of the draft one edit ago: while ids and parents are the same, its order is kept.
    """
    nodes = version.nodes
    scales = (
        before.scales
        if before is not None and before.version.scales is version.scales
        else {fold_id(scale.id): scale for scale in version.scales}
    )
    changed = changed_nodes(before.version, version) if before is not None else None
    if before is not None and changed is not None:
        children, shares = before.children, before._shares
        if changed:
            children, shares = dict(children), dict(shares)
            for index in changed:
                group = fold_id(nodes[index].parent_id)
                shares.pop(group, None)
                siblings = list(children[group])
                siblings[siblings.index(before.version.nodes[index])] = nodes[index]
                children[group] = siblings
        return Shape(
            version,
            before.ids,
            before.depths,
            before.place,
            children,
            scales,
            before.folded,
            before.criteria,
            _gates(version, before),
            shares,
        )
    if before is not None and (moved := _moved(version, before, scales)) is not None:
        return moved
    fold = before.folded if before is not None else Folded()
    ids = [fold[node.id] for node in nodes]
    depths: list[int] = []
    depth_of = {ROOT: -1}
    children = {}
    for own, node in zip(ids, nodes, strict=True):
        parent = fold[node.parent_id] if node.parent_id else ROOT
        depth = depth_of.get(parent, -1) + 1
        depths.append(depth)
        depth_of[own] = depth
        if parent in children:
            children[parent].append(node)
        else:
            children[parent] = [node]
    criterion = NodeType.CRITERION
    count = len([node for node in nodes if node.node_type is criterion])
    place = dict(zip(ids, range(len(ids)), strict=True))
    return Shape(version, ids, depths, place, children, scales, fold, count, _gates(version))


def _moved(version: VersionSnapshot, before: Shape, scales: dict[str, Scale]) -> Shape | None:
    """The shape of a draft of which one stretch is another; None where the parent of a node there is missing."""
    old, new, fold = before.version.nodes, version.nodes, before.folded
    first, old_end, new_end = stretch(old, new, fold.__getitem__)
    owns = [fold[node.id] for node in new[first:new_end]]
    depth_of = {ROOT: -1}
    depths: list[int] = []
    shaken: set[str] = {fold[node.parent_id] if node.parent_id else ROOT for node in old[first:old_end]}
    for own, node in zip(owns, new[first:new_end], strict=True):
        parent = fold[node.parent_id] if node.parent_id else ROOT
        shaken.add(parent)
        if parent not in depth_of:
            place = before.place.get(parent, len(old))
            if place >= first:
                return None
            depth_of[parent] = before.depths[place]
        depths.append(depth_of[parent] + 1)
        depth_of[own] = depths[-1]
    if not before.place.keys() >= shaken - {ROOT, *owns}:
        return None
    ids = [*before.ids[:first], *owns, *before.ids[old_end:]]
    depths = [*before.depths[:first], *depths, *before.depths[old_end:]]
    place_of = dict(zip(ids, range(len(ids)), strict=True))
    children, shares = before.children.copy(), before._shares.copy()
    for own in shaken:
        shares.pop(own, None)
        siblings = _children(own, new, depths, place_of)
        if siblings:
            children[own] = siblings
        else:
            children.pop(own, None)
    criterion = NodeType.CRITERION
    count = before.criteria
    count -= len([node for node in old[first:old_end] if node.node_type is criterion])
    count += len([node for node in new[first:new_end] if node.node_type is criterion])
    gates = _gates(version, before)
    return Shape(version, ids, depths, place_of, children, scales, fold, count, gates, shares)


def _gates(version: VersionSnapshot, before: Shape | None = None) -> Sequence[Node]:
    """The gates of a draft in the order they stand: those it had, where none stands in what differs."""
    if before is not None:
        first, old_end, new_end = window(before.version.nodes, version.nodes)
        differ = chain(before.version.nodes[first:old_end], version.nodes[first:new_end])
        if not any(map(_IS_GATE, differ)):
            return before.gates
    return [*filter(_IS_GATE, version.nodes)]


def _children(own: str, nodes: Sequence[Node], depths: list[int], place: dict[str, int]) -> list[Node]:
    """The children of a node in walk order: those one level deeper before the next one that is no deeper."""
    if own == ROOT:
        return [node for node in nodes if not node.parent_id]
    found: list[Node] = []
    start = place.get(own, len(nodes))
    for index in range(start + 1, len(nodes)):
        if depths[index] <= depths[start]:
            break
        if depths[index] == depths[start] + 1:
            found.append(nodes[index])
    return found


def changed_nodes(before: VersionSnapshot, after: VersionSnapshot) -> list[int] | None:
    """The places of the nodes that an edit changed; None when any came, went or moved.

    Nodes that an edit leaves alone stay the same objects, so this costs little.
    """
    if before.nodes is after.nodes:
        return []
    if len(before.nodes) != len(after.nodes):
        return None
    first, _, end = window(before.nodes, after.nodes)
    changed = [i for i in range(first, end) if before.nodes[i] is not after.nodes[i]]
    for index in changed:
        old, new = before.nodes[index], after.nodes[index]
        if old.id != new.id or old.parent_id != new.parent_id or old.node_type != new.node_type:
            return None
    return changed


def visible_rows(shape: Shape, folded: Collection[str]) -> list[str]:
    """The rows that no folded group hides, as folded ids; the version's row first."""
    if not folded:
        return [ROOT, *shape.ids]
    rows = [ROOT]
    hidden_below = -1
    for own, depth in zip(shape.ids, shape.depths, strict=True):
        if hidden_below >= 0 and depth > hidden_below:
            continue
        hidden_below = depth if own in folded else -1
        rows.append(own)
    return rows


def found_rows(shape: Shape, words: str) -> list[str]:
    """The nodes that hold every one of the words in their name, key or description, in order."""
    wanted = words.casefold().split()
    if not wanted:
        return []
    found = []
    for own, node in zip(shape.ids, shape.version.nodes, strict=True):
        text = f"{node.name}\n{node.key}\n{node.description or ''}".casefold()
        if all(word in text for word in wanted):
            found.append(own)
    return found


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample answer set as the tree shows it: the answers by folded id, and what each node scored."""

    answers: Mapping[str, Answer]
    scores: Mapping[str, ScoredNode]
    score: float | None = None


NO_SAMPLE = Sample({}, {})


def problems_by_node(
    problems: Sequence[Problem], before: tuple[Sequence[Problem], dict[str, list[Problem]]] | None = None
) -> dict[str, list[Problem]]:
    """The problems of each node by its id as written; those of the version and its bands under ``ROOT``.

    Args:
        before: the problems one edit ago, and what was found of them; most are the same objects.
    """
    found: dict[str, list[Problem]] = {}
    if before is not None and before[1]:
        first, old_end, new_end = window(before[0], problems)
        changed = {problem.node_id for problem in (*before[0][first:old_end], *problems[first:new_end])}
        if len(changed) < len(before[1]) // 4:
            found = before[1].copy()
            for own in changed:
                found.pop(own or ROOT, None)
            problems = [*compress(problems, map(changed.__contains__, map(_NODE_ID, problems)))]
    for problem in problems:
        own = problem.node_id or ROOT
        if own in found:
            found[own].append(problem)
        else:
            found[own] = [problem]
    return found


def is_group(node: Node) -> bool:
    return node.node_type is NodeType.GROUP
