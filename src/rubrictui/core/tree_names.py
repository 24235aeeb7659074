"""The ids and keys of a draft's nodes, counted; the counts follow the draft from state to state.

Every edit asks whether a key is free, and every save whether an id or a key stands twice. Between two states of a
draft a few nodes differ, and only those are counted again.
"""

from __future__ import annotations

import threading

from rubrictui.core.model import Node, fold_id
from rubrictui.core.tree import window

_kept = threading.local()


class NodeNames:
    """What the nodes of one state are called: how many bear each name.

    Attributes:
        ids: as written; ``folded_ids`` as they compare.
        parents: the ids of parents as written, by how many nodes name them.
        keys: as written; ``bare_keys`` trimmed; ``folded_keys`` trimmed and case-folded.
    """

    def __init__(self) -> None:
        self._nodes: tuple[Node, ...] = ()
        self.ids: dict[str, int] = {}
        self.folded_ids: dict[str, int] = {}
        self.parents: dict[str, int] = {}
        self.keys: dict[str, int] = {}
        self.bare_keys: dict[str, int] = {}
        self.folded_keys: dict[str, int] = {}

    def is_of(self, nodes: tuple[Node, ...]) -> bool:
        return self._nodes is nodes

    def follow(self, nodes: tuple[Node, ...]) -> bool:
        """Count what differs; False, with nothing done, when that is most of it."""
        first, old_end, new_end = window(self._nodes, nodes)
        if old_end - first > len(nodes) // 2:
            return False
        for node in self._nodes[first:old_end]:
            self._count(node, -1)
        for node in nodes[first:new_end]:
            self._count(node, 1)
        self._nodes = nodes
        return True

    def _count(self, node: Node, by: int) -> None:
        bare = node.key.strip()
        for counts, name in (
            (self.ids, node.id),
            (self.folded_ids, fold_id(node.id)),
            (self.parents, node.parent_id or ""),
            (self.keys, node.key),
            (self.bare_keys, bare),
            (self.folded_keys, bare.casefold()),
        ):
            count = counts.get(name, 0) + by
            if count:
                counts[name] = count
            else:
                del counts[name]


def names_of(nodes: tuple[Node, ...]) -> NodeNames:
    """The names of these nodes. They hold until the same thread asks for those of others."""
    known: NodeNames | None = getattr(_kept, "names", None)
    if known is not None and known.is_of(nodes):
        return known
    _kept.names = None  # whatever fails half way is counted anew
    if known is None or not known.follow(nodes):
        known = NodeNames()
        known.follow(nodes)
    _kept.names = known
    return known
