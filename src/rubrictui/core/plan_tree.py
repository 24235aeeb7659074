"""The nodes of a version that take part in scoring, walked and numbered for its plan."""

from __future__ import annotations

from rubrictui.core.model import Node, NodeType, VersionSnapshot, fold_id


class PlanTree:
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
        self.numbers = {id(node): number for number, node in enumerate([*self.leaves, *self.groups])}
        del self.walk[0]

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
                stack.extend(reversed(by_key(self.children_of(node))))
        return walk


def by_key(nodes: list[Node]) -> list[Node]:
    """Siblings in the order in which their scores are added up."""
    return sorted(nodes, key=lambda node: (node.key, node.id))
