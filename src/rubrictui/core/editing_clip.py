"""Cut and paste of subtrees, within a rubric and between rubrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from rubrictui.core.editing_base import Edited, node_of
from rubrictui.core.editing_moves import renewed
from rubrictui.core.editing_nodes import Where, place_at
from rubrictui.core.model import Anchor, Node, Scale, Value, VersionSnapshot, fold_id
from rubrictui.core.tree import end_of, inserted, tidy, with_parent


class Clip(Value, frozen=True, kw_only=True):
    """A subtree that was copied: its nodes in walk order, the scales they use, and where it came from."""

    nodes: tuple[Node, ...]
    scales: tuple[Scale, ...] = ()
    rubric_name: str = ""
    version_number: str | None = None


def copy_subtree(version: VersionSnapshot, node_id: str) -> Clip:
    """A node with all that stands under it, and the scales those are answered on."""
    version = tidy(version)
    place, _ = node_of(version, node_id)
    block = version.nodes[place : end_of(version.nodes, place)]
    used = {fold_id(node.scale_id) for node in block}
    return Clip(
        nodes=(with_parent(block[0], None), *block[1:]),
        scales=tuple(scale for scale in version.scales if fold_id(scale.id) in used),
        rubric_name=version.rubric_name,
        version_number=version.number,
    )


def with_scales(clip: Clip, scales: Iterable[Scale]) -> Clip:
    """A clip with its scales as they are now: those copied belong to the store, and may be others by now.

    Anchors for levels that are gone are left out; a scale that is gone stays as it was copied.
    """
    known = {fold_id(scale.id): scale for scale in scales}
    fresh = tuple(known.get(fold_id(scale.id), scale) for scale in clip.scales)
    nodes = without_lost_anchors(clip.nodes, clip.scales, fresh)
    return msgspec.structs.replace(clip, scales=fresh, nodes=nodes)


def without_lost_anchors(
    nodes: tuple[Node, ...], before: Iterable[Scale], after: Iterable[Scale]
) -> tuple[Node, ...]:
    """Nodes without the anchors for levels that scales had before and have no more; others are the same objects."""
    lost = _levels(before) - _levels(after)
    if not lost:
        return nodes
    kept = []
    for node in nodes:
        anchors = tuple([each for each in node.anchors if fold_id(each.scale_level_id) not in lost])
        is_whole = len(anchors) == len(node.anchors)
        kept.append(node if is_whole else msgspec.structs.replace(node, anchors=anchors))
    return tuple(kept)


def _levels(scales: Iterable[Scale]) -> set[str]:
    return {fold_id(level.id) for scale in scales for level in scale.levels}


def paste(
    version: VersionSnapshot, clip: Clip, *, at: str | None, where: Where, new_id: Callable[[], str]
) -> Edited:
    """Put a copied subtree inside a node or after it; ``at`` None is the end of the top level.

    Nodes get new ids, and keys that are taken a number. A scale is the draft's own with the same id, else one
    of the same content, else it is brought along.

    Raises:
        EditError: ``under_criterion``, ``not_there``.
    """
    version = tidy(version)
    parent_id, index = place_at(version, at, where)
    own = {fold_id(scale.id): scale for scale in version.scales}
    alike = {_content(scale): scale for scale in reversed(version.scales)}
    brought: list[Scale] = []
    swaps: dict[str, Scale] = {}
    levels: dict[str, str] = {}
    for scale in clip.scales:
        if fold_id(scale.id) in own:
            continue
        same = alike.get(_content(scale))
        if same is None:
            brought.append(scale)
            continue
        swaps[fold_id(scale.id)] = same
        levels |= {fold_id(old.id): new.id for old, new in zip(scale.levels, same.levels, strict=True)}
    block = renewed(clip.nodes, version.nodes, new_id)
    block = tuple(_on(node, swaps, levels) for node in block)
    nodes = inserted(version.nodes, block, parent_id, index)
    edited = msgspec.structs.replace(version, nodes=nodes, scales=(*version.scales, *brought))
    return Edited(version=edited, focus=block[0].id)


def _on(node: Node, swaps: dict[str, Scale], levels: dict[str, str]) -> Node:
    scale = swaps.get(fold_id(node.scale_id))
    if scale is None:
        return node
    anchors = tuple(
        Anchor(
            scale_level_id=levels.get(fold_id(anchor.scale_level_id), anchor.scale_level_id),
            anchor_value=anchor.anchor_value,
            descriptor=anchor.descriptor,
        )
        for anchor in node.anchors
    )
    return msgspec.structs.replace(node, scale_id=scale.id, anchors=anchors)


def _content(scale: Scale) -> str:
    """All of a scale but its ids, as one comparable text."""
    bare = msgspec.structs.replace(
        scale, id="", levels=tuple(msgspec.structs.replace(level, id="") for level in scale.levels)
    )
    return msgspec.json.encode(bare).decode()
