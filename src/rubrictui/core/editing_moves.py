"""Edits of where nodes stand: moving, indenting, duplicating and deleting them. A subtree moves as a whole."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable

import msgspec

from rubrictui.core.editing_base import Edited, EditError, free_key, key_stem, node_of
from rubrictui.core.editing_nodes import refuse_under_criterion
from rubrictui.core.model import Node, VersionSnapshot
from rubrictui.core.tree import end_of, inserted, reordered, replaced, siblings_of, stays_tidy, tidy
from rubrictui.core.tree_names import names_of


def move(version: VersionSnapshot, node_id: str, step: int) -> Edited:
    """Move a node up (negative) or down among its siblings, at most to the first or last place.

    Raises:
        EditError: ``no_place``, when it stands first or last already.
    """
    version = tidy(version)
    place, node = node_of(version, node_id)
    siblings = siblings_of(version.nodes, node.parent_id, near=place)
    here = siblings.index(node)
    goal = max(0, min(here + step, len(siblings) - 1))
    if goal == here:
        end = "first" if step < 0 else "last"
        raise EditError(f"{_title(node)} is the {end} of its group.", code="no_place")
    return move_to(version, node.id, node.parent_id, goal)


def indent(version: VersionSnapshot, node_id: str) -> Edited:
    """Make a node the last child of the group just above it.

    Raises:
        EditError: ``no_place`` when nothing stands above it, ``under_criterion`` when that is a criterion.
    """
    version = tidy(version)
    place, node = node_of(version, node_id)
    siblings = siblings_of(version.nodes, node.parent_id, near=place)
    here = siblings.index(node)
    if here == 0:
        raise EditError(
            f"{_title(node)} is the first of its group, so there is none above to take it in.",
            remedy="Move it below a group.",
            code="no_place",
        )
    return move_to(version, node.id, siblings[here - 1].id)


def outdent(version: VersionSnapshot, node_id: str) -> Edited:
    """Put a node right after the group it stands in.

    Raises:
        EditError: ``no_place``, at the top level.
    """
    version = tidy(version)
    _, node = node_of(version, node_id)
    if node.parent_id is None:
        raise EditError(f"{_title(node)} stands at the top level.", code="no_place")
    place, parent = node_of(version, node.parent_id)
    index = siblings_of(version.nodes, parent.parent_id, near=place).index(parent) + 1
    return move_to(version, node.id, parent.parent_id, index)


def move_to(
    version: VersionSnapshot, node_id: str, parent_id: str | None, index: int | None = None
) -> Edited:
    """Put a node under another parent (None: the top level), as the child number ``index`` (None: the last).

    Raises:
        EditError: ``cycle`` when the parent is the node or stands under it, ``under_criterion``, ``not_there``.
    """
    version = tidy(version)
    place, node = node_of(version, node_id)
    end = end_of(version.nodes, place)
    block = version.nodes[place:end]
    near = None
    if parent_id is not None:
        near, parent = node_of(version, parent_id)
        if parent in block:
            raise EditError(
                f"{_title(node)} cannot stand inside itself.", remedy="Choose another group.", code="cycle"
            )
        refuse_under_criterion(parent)
        parent_id = parent.id
    rest = version.nodes[:place] + version.nodes[end:]
    before = siblings_of(version.nodes, parent_id, near=near)
    siblings = [each for each in before if each is not node]
    index = len(siblings) if index is None else max(0, min(index, len(siblings)))
    if parent_id == node.parent_id:
        if before.index(node) == index:
            return Edited(version=version, focus=node.id)
        # Numbers are exchanged among siblings instead of made, so a move back restores every one of them.
        order = reordered([*siblings[:index], node, *siblings[index:]])
        nodes = replaced(inserted(rest, block, parent_id, index, siblings), order)
    else:
        nodes = inserted(rest, block, parent_id, index, siblings)
    return Edited(version=stays_tidy(version, nodes), focus=node.id)


def duplicate(version: VersionSnapshot, node_id: str, *, new_id: Callable[[], str]) -> Edited:
    """Put a copy of a node, with all that stands under it, right after it; keys get a number."""
    version = tidy(version)
    place, node = node_of(version, node_id)
    block = renewed(version.nodes[place : end_of(version.nodes, place)], version.nodes, new_id)
    siblings = siblings_of(version.nodes, node.parent_id, near=place)
    nodes = inserted(version.nodes, block, node.parent_id, siblings.index(node) + 1, siblings)
    return Edited(version=stays_tidy(version, nodes), focus=block[0].id)


def renewed(block: tuple[Node, ...], others: tuple[Node, ...], new_id: Callable[[], str]) -> tuple[Node, ...]:
    """A subtree under ids of its own and keys that are free beside the ``others``."""
    ids = {node.id: new_id() for node in block}
    names = names_of(others)
    taken, used = ChainMap({}, names.keys), ChainMap({}, names.folded_keys)
    copies = []
    for node in block:
        key = node.key
        if key in taken or not key:
            key = free_key(key_stem(node.key) or str(node.node_type).lower(), used)
        taken[key] = used[key.strip().casefold()] = 1
        copies.append(
            msgspec.structs.replace(
                node, id=ids[node.id], parent_id=ids.get(node.parent_id or "", node.parent_id), key=key
            )
        )
    return tuple(copies)


def delete(version: VersionSnapshot, node_id: str) -> Edited:
    """Remove a node with all that stands under it. The cursor goes to its neighbour, else to its group."""
    version = tidy(version)
    place, node = node_of(version, node_id)
    siblings = siblings_of(version.nodes, node.parent_id, near=place)
    here = siblings.index(node)
    neighbours = siblings[here + 1 : here + 2] or siblings[max(here - 1, 0) : here]
    nodes = version.nodes[:place] + version.nodes[end_of(version.nodes, place) :]
    return Edited(
        version=stays_tidy(version, nodes),
        focus=neighbours[0].id if neighbours else node.parent_id,
    )


def _title(node: Node) -> str:
    return repr(node.name or node.key)
