"""The nodes of a version that take part in scoring, walked and numbered for its plan."""

from __future__ import annotations

from operator import attrgetter

from rubrictui.core.model import Node, NodeType, VersionSnapshot, fold_id

_KEY = attrgetter("key", "id")


class Folded(dict[str, str]):
    """Ids as they compare, by ids as written; each is folded once."""

    def __missing__(self, written: str) -> str:
        folded = self[written] = fold_id(written)
        return folded


class PlanTree:
    """The nodes that take part, numbered. Walked without recursion: ten thousand levels are no deeper.

    ``walk`` has them in walk order; ``groups`` ends with ``whole``, a node made up for the version. ``fold`` has their
    ids as they compare.
    """

    def __init__(self, version: VersionSnapshot) -> None:
        fold = self.fold = Folded()
        by_parent: dict[str, list[Node]] = {}
        met: set[str] = set()
        for node in version.nodes:
            if (own := fold[node.id]) not in met:
                met.add(own)
                parent = fold[node.parent_id] if node.parent_id else ""
                if parent in by_parent:
                    by_parent[parent].append(node)
                else:
                    by_parent[parent] = [node]
        self._by_parent = by_parent
        self.whole = Node(id="", key="", node_type=NodeType.GROUP)
        self.walk: list[Node] = []
        self.leaves: list[Node] = []
        self._spans: dict[int, tuple[int, int]] = {}
        self._sorted: dict[int, list[Node]] = {}
        # A pair on the stack marks where a group, begun at so many leaves, ends.
        criterion = NodeType.CRITERION
        stack: list[Node | tuple[Node, int]] = [self.whole]
        while stack:
            item = stack.pop()
            if isinstance(item, tuple):
                self._spans[id(item[0])] = (item[1], len(self.leaves))
                continue
            self.walk.append(item)
            if item.node_type is criterion:
                self.leaves.append(item)
            else:
                stack.append((item, len(self.leaves)))
                stack.extend(reversed(self.children_of(item)))
        self.groups = [node for node in reversed(self.walk) if node.node_type is not criterion]
        self.numbers = {id(node): number for number, node in enumerate([*self.leaves, *self.groups])}
        del self.walk[0]

    def children_of(self, node: Node) -> list[Node]:
        folded = self.fold[node.id]
        return self._by_parent.get(folded, []) if folded or node is self.whole else []

    def leaves_under(self, node: Node) -> tuple[int, int]:
        return self._spans[id(node)]

    def by_key(self, group: Node) -> list[Node]:
        """The children of a group in the order in which their scores are added up."""
        known = self._sorted.get(id(group))
        if known is None:
            known = self._sorted[id(group)] = sorted(self.children_of(group), key=_KEY)
        return known

    def leaves_by_key(self) -> list[Node]:
        """The leaves in a walk that takes siblings by key."""
        leaves: list[Node] = []
        criterion = NodeType.CRITERION
        stack = [self.whole]
        while stack:
            node = stack.pop()
            if node.node_type is criterion:
                leaves.append(node)
            else:
                stack.extend(reversed(self.by_key(node)))
        return leaves
