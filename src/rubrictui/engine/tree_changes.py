"""What differs between two states of a draft, so that saving one edit does not cost what the whole tree costs.

Pure functions. Nodes that are the same object on both sides are passed over at the speed of a comparison of
pointers, and everything that is checked is checked only where it can have changed: what has not been touched
was checked when it was stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Band, Node, Scale, VersionSnapshot, fold_id
from rubrictui.core.tree import siblings_of, window
from rubrictui.core.tree_names import names_of
from rubrictui.engine.trees import check_band, check_keys, check_node, check_version, once, sequenced
from rubrictui.store.trees import HEADER, NODE_COLUMNS

_ID, _PARENT = attrgetter("id"), attrgetter("parent_id")


class NodeChange(NamedTuple):
    """One stored node that changes. ``columns`` are those of the store; ``rewrite`` says that its anchors do."""

    node: Node
    columns: dict[str, Any]
    rewrite: bool


class TreeChanges(NamedTuple):
    """How to get from the stored draft to the wanted one.

    Attributes:
        header: version fields that change, as the core has them.
        added: new nodes as they are stored, parents before children.
        changed: nodes that stay and change.
        removed: ids of the nodes that go, children before parents.
        parked: ids of nodes whose key another node takes over in the same save.
        bands: added, changed, ids of removed ones.
        scales: scales that the draft had and that differ now.
        brought: scales that the draft did not have; where the store has them, they stay as they are there.
        scale_ids, level_ids: what added and changed nodes refer to that they did not before, by node key.
    """

    header: dict[str, Any]
    added: tuple[Node, ...]
    changed: tuple[NodeChange, ...]
    removed: tuple[str, ...]
    parked: tuple[str, ...]
    bands: tuple[tuple[Band, ...], tuple[Band, ...], tuple[str, ...]]
    scales: tuple[Scale, ...]
    brought: tuple[Scale, ...]
    scale_ids: dict[str, str]
    level_ids: dict[str, str]

    @property
    def is_empty(self) -> bool:
        return not (
            self.header
            or self.added
            or self.changed
            or self.removed
            or any(self.bands)
            or self.scales
            or self.brought
        )


def tree_changes(base: VersionSnapshot, wanted: VersionSnapshot) -> TreeChanges | None:
    """What has to be written to turn the stored ``base`` into ``wanted``.

    Args:
        base: the draft as it is stored, or as it was given to the save that stored it.
        wanted: the draft as it is to be; nodes that have not changed are best the same objects.

    Returns:
        None when a node names its parent by an id that is written differently: then the whole has to be saved.

    Raises:
        InvalidInputError: as ``trees.prepared``, and for a new node or band without an id.
    """
    header = {field: value for field in HEADER if (value := getattr(wanted, field)) != getattr(base, field)}
    if header:
        check_version(wanted)
    first, old_end, new_end = window(base.nodes, wanted.nodes)
    before, after = base.nodes[first:old_end], wanted.nodes[first:new_end]
    old = {node.id: node for node in before}
    added: list[Node] = []
    pairs: list[tuple[Node, Node]] = []
    for node in after:
        was = old.pop(node.id, None)
        if was is None:
            added.append(node)
        elif was is not node and was != node:
            pairs.append((was, node))
    removed = list(old.values())
    for node in (*added, *(node for _, node in pairs)):
        check_node(node)
    rekeyed = [pair for pair in pairs if pair[0].key.strip() != pair[1].key.strip()]
    names = names_of(wanted.nodes)
    if any(
        not (key := node.key.strip()) or names.bare_keys[key] > 1
        for node in (*added, *(new for _, new in rekeyed))
    ):
        check_keys(wanted.nodes)
    placed: dict[str, Node] = {}
    shifted: list[Node] = []
    shaken = _shaken_parents(before, after)
    if shaken:
        named = {*(node.parent_id or "" for node in after), *(node.id for node in removed)} - {""}
        is_plain = all(own in names.ids or own not in names.parents for own in named)
        is_plain &= all(names.folded_ids.get(fold_id(node.id)) == 1 and fold_id(node.id) for node in added)
        if not is_plain and not _parents_are_exact(wanted.nodes, added):
            return None
        _check_circles(wanted.nodes, added, (n for was, n in pairs if was.parent_id != n.parent_id))
        stored, placed = _siblings(base.nodes, shaken, old_end), _siblings(wanted.nodes, shaken, new_end)
        shifted = [
            node
            for id, node in placed.items()
            if (was := stored.get(id)) is not None and was.sequence != node.sequence
        ]
    changed = _node_changes(pairs, shifted)
    leaving = {node.key.strip(): node.id for node in (*removed, *(was for was, _ in rekeyed))}
    coming = {node.key.strip() for node in (*added, *(node for _, node in rekeyed))}
    others = _scale_changes(base.scales, wanted.scales)
    own_scales = {fold_id(scale.id) for scale in base.scales} if others else set()
    return TreeChanges(
        header=header,
        added=tuple(_parents_first([_as_stored(placed[node.id]) for node in added])),
        changed=changed,
        removed=tuple(node.id for node in reversed(_parents_first(removed))),
        parked=tuple(id for key, id in leaving.items() if key in coming),
        bands=_band_changes(base.bands, wanted.bands),
        scales=tuple([each for each in others if fold_id(each.id) in own_scales]),
        brought=tuple([each for each in others if fold_id(each.id) not in own_scales]),
        scale_ids={
            node.scale_id: node.key
            for was, node in (*((None, node) for node in added), *pairs)
            if node.scale_id and (was is None or was.scale_id != node.scale_id)
        },
        level_ids={
            anchor.scale_level_id: node.key
            for was, node in (*((None, node) for node in added), *pairs)
            if was is None or was.anchors != node.anchors
            for anchor in node.anchors
            if anchor.scale_level_id and (was is None or anchor not in was.anchors)
        },
    )


def _shaken_parents(before: Sequence[Node], after: Sequence[Node]) -> set[str]:
    """The groups ("" for the top level) whose children are other ones, or stand in another order."""
    places: list[dict[str, list[tuple[str, int]]]] = []
    for nodes in (before, after):
        children: dict[str, list[tuple[str, int]]] = {}
        for node in nodes:
            children.setdefault(node.parent_id or "", []).append((node.id, node.sequence))
        places.append(children)
    old, new = places
    return {parent for parent in old.keys() | new.keys() if old.get(parent) != new.get(parent)}


def _parents_are_exact(nodes: Sequence[Node], added: Sequence[Node]) -> bool:
    """Whether every parent is named as its own id is written.

    Raises:
        InvalidInputError: a parent that is not there, an id that stands twice, or a new node without one.
    """
    for node in added:
        if not fold_id(node.id):
            raise InvalidInputError(f'Criterion "{node.key}" has no id.', remedy="Give it one of its own.")
    written = list(map(_ID, nodes))
    ids = set(written)
    if added:
        once(map(fold_id, written), "Two criteria have the id")
    parents = set(map(_PARENT, nodes)) - ids - {None, ""}
    lost = [node for node in nodes if node.parent_id in parents] if parents else []
    known = {"", *map(fold_id, ids)} if lost else set()
    for node in lost:
        if fold_id(node.parent_id) not in known:
            raise InvalidInputError(
                f'The parent of criterion "{node.key}" is not in the version.',
                remedy="Put it under a group of this version, or at the top.",
            )
    return not lost


def _check_circles(nodes: Sequence[Node], added: Sequence[Node], moved: Iterable[Node]) -> None:
    """A circle runs through a node that has another parent now, or through new nodes alone."""
    new = {node.id for node in added}
    starts = [*moved, *(node for node in added if node.parent_id in new)]
    parents = {node.id: node.parent_id or "" for node in nodes} if starts else {}
    for start in starts:
        above, seen = start.parent_id or "", {start.id}
        while above:
            if above in seen:
                raise InvalidInputError(
                    f'The parents of "{start.key}" form a circle.', remedy="Put one of them at the top."
                )
            seen.add(above)
            above = parents[above]


def _siblings(nodes: tuple[Node, ...], parents: set[str], end: int) -> dict[str, Node]:
    """The nodes under ``parents`` by id, with the sequences that the store gives them.

    Args:
        end: behind the last node that differs from the other state.
    """
    families = [siblings_of(nodes, parent, near=end - 1) for parent in parents if parent]
    if "" in parents:
        families.append([node for node in nodes if not node.parent_id])
    return {node.id: node for siblings in families for node in sequenced(siblings)}


def _node_changes(pairs: Iterable[tuple[Node, Node]], shifted: Iterable[Node]) -> tuple[NodeChange, ...]:
    changes: dict[str, NodeChange] = {}
    for was, node in pairs:
        columns = {
            column: value
            for column, get in NODE_COLUMNS.items()
            if column != "sequence" and (value := get(node)) != get(was)
        }
        if columns or was.anchors != node.anchors:
            changes[node.id] = NodeChange(node, columns, was.anchors != node.anchors)
    for node in shifted:
        changes.setdefault(node.id, NodeChange(node, {}, False)).columns["sequence"] = node.sequence
    return tuple(changes.values())


def _as_stored(node: Node) -> Node:
    return msgspec.structs.replace(node, key=node.key.strip(), parent_id=node.parent_id or None)


def _parents_first(nodes: Sequence[Node]) -> list[Node]:
    by_id = {node.id: node for node in nodes}
    ordered: list[Node] = []
    done: set[str] = set()
    for node in nodes:
        chain: list[Node] = []
        here: Node | None = node
        while here is not None and here.id not in done:
            done.add(here.id)
            chain.append(here)
            here = by_id.get(here.parent_id or "")
        ordered.extend(reversed(chain))
    return ordered


def _band_changes(
    base: Sequence[Band], wanted: Sequence[Band]
) -> tuple[tuple[Band, ...], tuple[Band, ...], tuple[str, ...]]:
    if base is wanted or base == wanted:
        return (), (), ()
    for band in wanted:
        check_band(band)
        if not fold_id(band.id):
            raise InvalidInputError(f'Band "{band.label}" has no id.', remedy="Give it one of its own.")
    once((band.id for band in wanted), "Two bands have the id")
    old = {band.id: band for band in sequenced(base)}
    added, changed = [], []
    for band in sequenced(wanted):
        was = old.pop(band.id, None)
        if was is None:
            added.append(band)
        elif was != band:
            changed.append(band)
    return tuple(added), tuple(changed), tuple(old)


def _scale_changes(base: Sequence[Scale], wanted: Sequence[Scale]) -> tuple[Scale, ...]:
    if base is wanted:
        return ()
    old = {scale.id: scale for scale in base}
    return tuple(scale for scale in wanted if old.get(scale.id) is not scale and old.get(scale.id) != scale)
