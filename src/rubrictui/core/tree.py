"""The tree of a draft as a list in walk order, and how nodes are taken out of it and put in.

Walk order is depth first, siblings by sequence: a node's descendants stand right behind it, so a subtree is a
slice. Nodes that keep their place, parent and sequence stay the same objects.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from itertools import compress, count, repeat
from operator import attrgetter, eq, is_, is_not

import msgspec

from rubrictui.core.model import Node, VersionSnapshot, fold_id

_ID, _PARENT = attrgetter("id"), attrgetter("parent_id")

#: The nodes that were found tidy last: one edit often asks twice, and a large draft has thousands of them.
_tidy_before: deque[tuple[Node, ...]] = deque(maxlen=32)


def tidy(version: VersionSnapshot) -> VersionSnapshot:
    """The version with its nodes in walk order and rising sequences; the same object when they are so already.

    Nodes that hang on no root (their parent is missing, or they stand in a circle) come last, as they are.
    """
    if _is_known_tidy(version.nodes):
        return version
    if _is_tidy(version.nodes):
        _tidy_before.append(version.nodes)
        return version
    by_id = {fold_id(node.id): node.id for node in reversed(version.nodes)}
    children: dict[str | None, list[Node]] = defaultdict(list)
    for node in version.nodes:
        above = fold_id(node.parent_id)
        parent = by_id.get(above, node.parent_id) if above else None
        children[parent].append(with_parent(node, parent))
    ordered: list[Node] = []
    stack = list(reversed(rising(children.pop(None, []))))
    while stack:
        node = stack.pop()
        ordered.append(node)
        stack.extend(reversed(rising(children.pop(node.id, []))))
    for lost in children.values():
        ordered.extend(lost)
    return msgspec.structs.replace(version, nodes=tuple(ordered))


def _is_known_tidy(nodes: tuple[Node, ...]) -> bool:
    return any(nodes is known for known in tuple(_tidy_before))


def stays_tidy(before: VersionSnapshot, nodes: tuple[Node, ...]) -> VersionSnapshot:
    """A version with the nodes that an edit made of tidy ones by the functions here, which keep them tidy."""
    if _is_known_tidy(before.nodes):
        _tidy_before.append(nodes)
    return msgspec.structs.replace(before, nodes=nodes)


def _is_tidy(nodes: Sequence[Node]) -> bool:
    path: list[Node] = []
    last: dict[str | None, int] = {}
    for node in nodes:
        parent = node.parent_id
        while path and path[-1].id != parent:
            path.pop()
        if (parent is not None and not path) or node.sequence <= last.get(parent, node.sequence - 1):
            return False
        last[parent] = node.sequence
        path.append(node)
    return True


#: What was compared last: storing, checking, scoring and drawing an edit all ask about the same two states.
_windows_before: deque[tuple[object, object, tuple[int, int, int]]] = deque(maxlen=2)


def window(old: Sequence[object], new: Sequence[object]) -> tuple[int, int, int]:
    """What differs between two states of a list whose unchanged parts are the same objects.

    Returns:
        Where both stop to be the same, and where each goes on with the same again: ``old[first:old_end]`` was
        replaced by ``new[first:new_end]``. Comparing pointers, thousands of them cost less than a row drawn.
    """
    if old is new:
        return len(new), len(new), len(new)
    for known in tuple(_windows_before):  # another thread may compare meanwhile
        if known[0] is old and known[1] is new:
            return known[2]
    most = min(len(old), len(new))
    first = next(compress(count(), map(is_not, old, new)), most)
    last = min(next(compress(count(), map(is_not, reversed(old), reversed(new))), most), most - first)
    found = first, len(old) - last, len(new) - last
    if type(old) is tuple and type(new) is tuple:  # what can change is compared anew
        _windows_before.appendleft((old, new, found))
    return found


def stretch(
    old: Sequence[Node], new: Sequence[Node], fold: Callable[[str], str] = fold_id
) -> tuple[int, int, int]:
    """The window of what differs, with all that hangs on a node in it: where that node moved, it moved too.

    Args:
        fold: gives the form in which ids compare.
    """
    first, old_end, new_end = window(old, new)
    inside = {fold(node.id) for node in (*old[first:old_end], *new[first:new_end])}
    while new_end < len(new) and (parent := new[new_end].parent_id) and fold(parent) in inside:
        inside.add(fold(new[new_end].id))
        old_end += 1
        new_end += 1
    return first, old_end, new_end


def came_and_went(old: Sequence[Node], new: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """The nodes that are only in the old state and only in the new one; what changed is in both lists."""
    first, old_end, new_end = window(old, new)
    gone, come = old[first:old_end], new[first:new_end]
    before, after = set(map(id, gone)), set(map(id, come))
    return [node for node in gone if id(node) not in after], [node for node in come if id(node) not in before]


def end_of(nodes: Sequence[Node], place: int) -> int:
    """The place behind the last descendant of the node at ``place``; ``nodes`` are in walk order."""
    inside = {nodes[place].id}
    end = place + 1
    while end < len(nodes) and nodes[end].parent_id in inside:
        inside.add(nodes[end].id)
        end += 1
    return end


def siblings_of(nodes: tuple[Node, ...], parent_id: str | None, *, near: int | None = None) -> list[Node]:
    """The children of a node, or the roots for None, in order.

    Args:
        near: a place behind their parent, or that of the parent, from where it is found sooner.
    """
    if near is not None and parent_id is not None and _is_known_tidy(nodes):
        while near >= 0 and nodes[near].id != parent_id:
            near -= 1
        if near >= 0:
            nodes = nodes[near : end_of(nodes, near)]
            return [node for node in nodes if node.parent_id == parent_id]
    return [*compress(nodes, map(eq, map(_PARENT, nodes), repeat(parent_id)))]


def with_parent(node: Node, parent_id: str | None) -> Node:
    return node if node.parent_id == parent_id else msgspec.structs.replace(node, parent_id=parent_id)


def with_sequence(node: Node, sequence: int) -> Node:
    return node if node.sequence == sequence else msgspec.structs.replace(node, sequence=sequence)


def rising(siblings: list[Node]) -> list[Node]:
    """The siblings with rising sequences. The first keeps its own; another only if it is above the one before."""
    settled: list[Node] = []
    for node in siblings:
        floor = settled[-1].sequence + 1 if settled else node.sequence
        settled.append(with_sequence(node, max(node.sequence, floor)))
    return settled


def reordered(siblings: list[Node]) -> list[Node]:
    """Siblings in a new order, with the sequences that they already have between them.

    So moving one back gives every sibling the number it had: a draft that looks as before is as before.
    """
    numbers = sorted({node.sequence for node in siblings})
    if len(numbers) < len(siblings):
        return rising(siblings)
    return [with_sequence(node, number) for node, number in zip(siblings, numbers, strict=True)]


def inserted(
    nodes: tuple[Node, ...],
    block: Sequence[Node],
    parent_id: str | None,
    index: int,
    siblings: list[Node] | None = None,
) -> tuple[Node, ...]:
    """``nodes`` with a subtree as the child number ``index`` of a parent (None: among the roots).

    Args:
        nodes: in walk order, without the block.
        block: a whole subtree in walk order, its top first.
        index: 0 is first; a number past the last child appends.
        siblings: the children of that parent, where they are known.
    """
    siblings = siblings_of(nodes, parent_id) if siblings is None else siblings
    index = max(0, min(index, len(siblings)))
    if index < len(siblings):
        place = [*map(is_, nodes, repeat(siblings[index]))].index(True)
    elif parent_id is None:
        place = len(nodes)
    else:
        place = end_of(nodes, next(i for i, node in enumerate(nodes) if node.id == parent_id))
    if index:
        sequence = siblings[index - 1].sequence + 1
    else:
        sequence = max(siblings[0].sequence - 1, 0) if siblings else 0
    top = with_sequence(with_parent(block[0], parent_id), sequence)
    after = [top, *siblings[index:]]
    shifted = {now.id: now for was, now in zip(after, rising(after), strict=True) if now is not was}
    behind = list(nodes[place:])
    at = 0
    while shifted and at < len(behind):
        behind[at] = shifted.pop(behind[at].id, behind[at])
        at += 1
    return (*nodes[:place], top, *block[1:], *behind)


def replaced(nodes: Sequence[Node], changed: Sequence[Node]) -> tuple[Node, ...]:
    """``nodes`` with those of ``changed`` in the places of the nodes with their ids."""
    if not changed:
        return tuple(nodes)
    by_id = {node.id: node for node in changed}
    after = list(nodes)
    for place in compress(range(len(after)), map(by_id.__contains__, map(_ID, after))):
        after[place] = by_id[after[place].id]
    return tuple(after)
