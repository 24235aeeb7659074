"""Merging what two people did to one draft: three versions in, one out, and where the two of them disagree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from rubrictui.core.editing_base import propose_key
from rubrictui.core.model import Anchor, Band, Node, NodeType, Scale, Value, VersionSnapshot, fold_id
from rubrictui.core.tree import rising, tidy

_VERSION_FIELDS: Final = (
    "instructions",
    "pass_threshold",
    "minimum_completeness",
    "not_applicable_policy",
    "score_display_min",
    "score_display_max",
)
_NODE_FIELDS: Final = tuple(
    name for name in Node.__struct_fields__ if name not in ("id", "sequence", "anchors")
)
_BAND_FIELDS: Final = tuple(name for name in Band.__struct_fields__ if name not in ("id", "sequence"))


class Conflict(Value, frozen=True, kw_only=True):
    """A field that both changed, and differently. The merge holds ``mine``.

    ``id`` is that of the node or band, None for the version itself; ``key`` names it for people: a node's key, a
    band's label or ``version``. ``field`` is a field of it, ``anchor <level id>``,
    ``presence`` (one removed it, the other changed it; it stays), ``place`` (both moved it) or ``key`` (both
    gave different nodes one key; theirs got a number).
    """

    key: str
    field: str
    id: str | None = None
    base: Any = None
    mine: Any = None
    theirs: Any = None


class Merge(Value, frozen=True, kw_only=True):
    """A draft with what both did. Without conflicts nothing of either side is lost."""

    version: VersionSnapshot
    conflicts: tuple[Conflict, ...] = ()


def merge_drafts(base: VersionSnapshot, mine: VersionSnapshot, theirs: VersionSnapshot) -> Merge:
    """Merge two drafts that began as ``base``, node by node and field by field; ids say what is the same.

    Where only one side changed something, that side has its way. Where both did, ``mine`` stands and a conflict
    tells of it. The result is a tree that a store can hold.
    """
    merger = _Merger(tidy(base), tidy(mine), tidy(theirs))
    return Merge(version=merger.version(), conflicts=tuple(merger.conflicts))


_Item = TypeVar("_Item", Node, Band)


class _Merger:
    def __init__(self, base: VersionSnapshot, mine: VersionSnapshot, theirs: VersionSnapshot) -> None:
        self.base, self.mine, self.theirs = base, mine, theirs
        self.conflicts: list[Conflict] = []
        self._children: list[dict[str | None, list[Node]]] = []
        for version in self._sides:
            children: dict[str | None, list[Node]] = {}
            for node in version.nodes:
                children.setdefault(node.parent_id, []).append(node)
            self._children.append(children)

    def version(self) -> VersionSnapshot:
        fields = {
            name: self._field((None, "version"), name, *(getattr(v, name) for v in self._sides))
            for name in _VERSION_FIELDS
        }
        merged = msgspec.structs.replace(
            self.mine, **fields, nodes=self._nodes(), scales=self._scales(), bands=self._bands()
        )
        return self.mine if merged == self.mine else merged

    @property
    def _sides(self) -> tuple[VersionSnapshot, VersionSnapshot, VersionSnapshot]:
        return self.base, self.mine, self.theirs

    def _field(self, about: tuple[str | None, str], name: str, base: Any, mine: Any, theirs: Any) -> Any:
        if theirs in (base, mine):
            return mine
        if mine == base:
            return theirs
        id, key = about
        self.conflicts.append(Conflict(id=id, key=key, field=name, base=base, mine=mine, theirs=theirs))
        return mine

    # -- what is there -------------------------------------------------------------------------------

    def _kept(
        self, sides: Sequence[Sequence[_Item]], names: Sequence[str]
    ) -> dict[str, tuple[_Item | None, _Item | None, _Item | None]]:
        """Base, mine and theirs of everything that the merge holds, by id.

        What one side removed goes, unless the other changed it meanwhile.
        """
        by_id: list[dict[str, _Item]] = [{item.id: item for item in side} for side in sides]
        kept: dict[str, tuple[_Item | None, _Item | None, _Item | None]] = {}
        for own in dict.fromkeys([*by_id[1], *by_id[2]]):
            old, a, b = (items.get(own) for items in by_id)
            left = a if b is None else b
            if old is not None and (a is None or b is None) and left is not None:
                if _same(old, left, names):
                    continue
                self.conflicts.append(
                    Conflict(
                        id=own,
                        key=_title(old),
                        field="presence",
                        base=True,
                        mine=a is not None,
                        theirs=b is not None,
                    )
                )
            kept[own] = (old, a, b)
        return kept

    # -- nodes ---------------------------------------------------------------------------------------

    def _nodes(self) -> tuple[Node, ...]:
        kept = self._kept([v.nodes for v in self._sides], (*_NODE_FIELDS, "anchors"))
        merged = {own: self._node(*sides) for own, sides in kept.items()}
        self._bring_back(merged, kept)
        self._settle_places(merged, kept)
        self._settle_keys(merged, kept)
        return self._ordered(merged)

    def _bring_back(
        self, merged: dict[str, Node], kept: dict[str, tuple[Node | None, Node | None, Node | None]]
    ) -> None:
        """A group that one side removed comes back when the other put something in it that stays."""
        known = [{node.id: node for node in v.nodes} for v in self._sides]
        waiting = list(merged)
        while waiting:
            above = merged[waiting.pop()].parent_id
            if above is None or above in merged:
                continue
            base, mine, theirs = sides = (known[0].get(above), known[1].get(above), known[2].get(above))
            group = self._node(*sides)
            kept[above], merged[above] = sides, group
            waiting.append(above)
            presence = [side is not None for side in (base, mine, theirs)]
            self.conflicts.append(
                Conflict(
                    id=above,
                    key=group.key,
                    field="presence",
                    base=presence[0],
                    mine=presence[1],
                    theirs=presence[2],
                )
            )

    def _node(self, base: Node | None, mine: Node | None, theirs: Node | None) -> Node:
        if mine is None or theirs is None:
            left = mine or theirs or base
            assert left is not None  # what is kept is held by one of them
            return left
        if mine is theirs or theirs in (base, mine):
            return mine
        if mine == base:
            return theirs
        old = base if base is not None else mine
        fields = {
            name: self._field(
                (mine.id, mine.key), name, getattr(old, name), getattr(mine, name), getattr(theirs, name)
            )
            for name in _NODE_FIELDS
        }
        anchors = self._anchors(old, mine, theirs)
        merged = msgspec.structs.replace(mine, **fields, anchors=anchors)
        return mine if merged == mine else merged

    def _anchors(self, base: Node, mine: Node, theirs: Node) -> tuple[Anchor, ...]:
        if theirs.anchors == base.anchors:
            return mine.anchors
        if mine.anchors == base.anchors:
            return theirs.anchors
        old, a, b = (
            {fold_id(anchor.scale_level_id): anchor for anchor in node.anchors}
            for node in (base, mine, theirs)
        )
        merged = []
        for level in dict.fromkeys([*a, *b]):
            anchor = self._field(
                (mine.id, mine.key), f"anchor {level}", old.get(level), a.get(level), b.get(level)
            )
            if anchor is not None:
                merged.append(anchor)
        return tuple(merged)

    def _settle_places(
        self, merged: dict[str, Node], kept: dict[str, tuple[Node | None, Node | None, Node | None]]
    ) -> None:
        """Undo their move where both moves together would make a circle, or put a node under a criterion."""
        for own, node in list(merged.items()):
            parent = merged.get(node.parent_id or "")
            if parent is not None and parent.is_criterion:
                # One side made a criterion of a group while the other filled it.
                merged[parent.id] = msgspec.structs.replace(parent, node_type=NodeType.GROUP)
                self.conflicts.append(
                    Conflict(
                        id=parent.id,
                        key=parent.key,
                        field="node_type",
                        base="Group",
                        mine="Group",
                        theirs="Criterion",
                    )
                )
            if not _in_circle(merged, own):
                continue
            base, mine, theirs = kept[own]
            was = (mine or base or node).parent_id
            merged[own] = msgspec.structs.replace(node, parent_id=was if was in merged else None)
            if _in_circle(merged, own):
                merged[own] = msgspec.structs.replace(node, parent_id=None)
            self.conflicts.append(
                Conflict(
                    id=own,
                    key=node.key,
                    field="parent_id",
                    base=base.parent_id if base else None,
                    mine=merged[own].parent_id,
                    theirs=theirs.parent_id if theirs else None,
                )
            )

    def _settle_keys(
        self, merged: dict[str, Node], kept: dict[str, tuple[Node | None, Node | None, Node | None]]
    ) -> None:
        taken = {node.key for node in merged.values()}
        met: dict[str, str] = {}
        # Mine first: of two nodes with one key it is theirs that changes.
        for own in sorted(merged, key=lambda own: not _has_key(kept[own][1], merged[own].key)):
            node = merged[own]
            if node.key in met:
                key = propose_key(node.key, taken)
                taken.add(key)
                merged[own] = msgspec.structs.replace(node, key=key)
                self.conflicts.append(Conflict(id=own, key=node.key, field="key", mine=node.key, theirs=key))
            met[merged[own].key] = own

    def _ordered(self, merged: dict[str, Node]) -> tuple[Node, ...]:
        """Walk order: siblings as the side that reordered them has them, the other's additions slotted in."""
        parents: dict[str | None, list[str]] = {}
        for own, node in merged.items():
            parents.setdefault(node.parent_id, []).append(own)
        walked: list[Node] = []
        stack: list[Node] = list(reversed(self._siblings(merged, None, parents.get(None, []))))
        while stack:
            node = stack.pop()
            walked.append(node)
            stack.extend(reversed(self._siblings(merged, node.id, parents.get(node.id, []))))
        return tuple(walked)

    def _siblings(self, merged: dict[str, Node], parent: str | None, present: list[str]) -> list[Node]:
        if not present:
            return []
        sides = [children.get(parent, []) for children in self._children]
        base, mine, theirs = ([node.id for node in side] for side in sides)
        here = set(present)
        order = _merged_order(base, mine, theirs, here)
        places = [[(node.id, node.sequence) for node in side] for side in sides]
        numbers = dict(places[2] if places[1] == places[0] else [*places[2], *places[1]])
        shared = set(base) & set(mine) & set(theirs) & here
        if _conflicting(
            [o for o in base if o in shared],
            [o for o in mine if o in shared],
            [o for o in theirs if o in shared],
        ):
            key = merged[parent].key if parent is not None else "version"
            self.conflicts.append(
                Conflict(id=parent, key=key, field="place", base=base, mine=mine, theirs=theirs)
            )
        nodes = []
        for own in order:
            node = merged[own]
            number = numbers.get(own, node.sequence)
            nodes.append(node if node.sequence == number else msgspec.structs.replace(node, sequence=number))
        return rising(nodes)

    # -- scales and bands ----------------------------------------------------------------------------

    def _scales(self) -> tuple[Scale, ...]:
        """Scales belong to the store, not to a draft: theirs are what was stored last, and mine are added."""
        if self.mine.scales == self.base.scales:
            return self.theirs.scales
        held = {fold_id(scale.id) for scale in self.mine.scales}
        base = {fold_id(scale.id): scale for scale in self.base.scales}
        theirs = {fold_id(scale.id): scale for scale in self.theirs.scales}
        merged = []
        for scale in self.mine.scales:
            own = fold_id(scale.id)
            merged.append(theirs[own] if own in theirs and scale == base.get(own) else scale)
        return (*merged, *(scale for own, scale in theirs.items() if own not in held))

    def _bands(self) -> tuple[Band, ...]:
        if self.base.bands in (self.mine.bands, self.theirs.bands):
            return self.mine.bands if self.theirs.bands == self.base.bands else self.theirs.bands
        kept = self._kept([v.bands for v in self._sides], (*_BAND_FIELDS, "sequence"))
        merged: list[Band] = []
        for base, mine, theirs in kept.values():
            left = mine or theirs
            assert left is not None  # what is kept is held by one of them
            if mine is not None and theirs is not None and mine != theirs:
                old = base if base is not None else mine
                fields = {
                    name: self._field(
                        (old.id, old.label),
                        name,
                        getattr(old, name),
                        getattr(mine, name),
                        getattr(theirs, name),
                    )
                    for name in (*_BAND_FIELDS, "sequence")
                }
                left = msgspec.structs.replace(mine, **fields)
            merged.append(left)
        merged.sort(key=lambda band: (band.min_score, band.max_score, band.sequence))
        settled: list[Band] = []
        for band in merged:
            floor = settled[-1].sequence + 1 if settled else band.sequence
            number = max(band.sequence, floor)
            settled.append(
                band if band.sequence == number else msgspec.structs.replace(band, sequence=number)
            )
        return tuple(settled)


def _same(base: _Item, other: _Item, names: Sequence[str]) -> bool:
    return base is other or all(getattr(base, name) == getattr(other, name) for name in names)


def _has_key(node: Node | None, key: str) -> bool:
    return node is not None and node.key == key


def _title(item: Node | Band) -> str:
    return item.key if isinstance(item, Node) else item.label


def _in_circle(merged: dict[str, Node], own: str) -> bool:
    seen: set[str] = set()
    here: str | None = own
    while here is not None and here in merged:
        if here in seen:
            return True
        seen.add(here)
        here = merged[here].parent_id
    return False


def _conflicting(base: Sequence[Hashable], mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> bool:
    return mine != base and theirs not in (base, mine)


def _merged_order(base: list[str], mine: list[str], theirs: list[str], here: set[str]) -> list[str]:
    """One order of siblings: that of the side that changed the order, with what only the other has after
    the sibling it follows there."""
    shared = set(base) & set(mine) & set(theirs)
    kept = [own for own in base if own in shared]
    lead, other = mine, theirs
    if [own for own in mine if own in shared] == kept and [o for o in theirs if o in shared] != kept:
        lead, other = theirs, mine
    order = [own for own in lead if own in here]
    placed = set(order)
    for place, own in enumerate(other):
        if own in here and own not in placed:
            before = next((each for each in reversed(other[:place]) if each in placed), None)
            order.insert(order.index(before) + 1 if before is not None else 0, own)
            placed.add(own)
    # What stands here by a merge of places that neither side's list of siblings shows.
    order.extend(sorted(here - placed))
    return order
