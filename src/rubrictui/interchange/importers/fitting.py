"""An imported rubric against what a store holds: its equal scales are used, its keys are kept."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid5

from msgspec.structs import replace

from rubrictui.core.editing_base import propose_key
from rubrictui.core.model import Scale, Value, VersionSnapshot
from rubrictui.interchange.documents import RubricFile
from rubrictui.interchange.importers._scales import NAMESPACE, content_of, free_name


class Fitted(Value, frozen=True, kw_only=True):
    """A rubric on the scales of a store. ``fresh`` are the scales that the store does not have yet."""

    rubric: RubricFile
    fresh: tuple[Scale, ...] = ()


def fitted(rubric: RubricFile, known: Sequence[Scale]) -> Fitted:
    """The rubric with every scale replaced by one of ``known`` that has the same levels or range.

    Of several the one with the same name is taken, else the first. A scale that is new keeps its id unless another
    scale has it, and its name unless another scale has that.
    """
    by_content: dict[tuple[object, ...], list[Scale]] = {}
    for scale in known:
        by_content.setdefault(content_of(scale), []).append(scale)
    names = {(scale.name or "").strip().casefold() for scale in known}
    ids = {scale.id for scale in known}
    levels: dict[str, str] = {}
    used: dict[str, Scale] = {}
    fresh: list[Scale] = []
    for scale in rubric.snapshot.scales:
        same = by_content.get(content_of(scale), [])
        wanted = (scale.name or "").casefold()
        target = next(
            (one for one in same if (one.name or "").casefold() == wanted), same[0] if same else None
        )
        if target is None:
            target = _with_free_ids(replace(scale, name=free_name(scale.name or "Scale", names)), ids)
            names.add((target.name or "").casefold())
            ids.add(target.id)
            fresh.append(target)
        used[scale.id] = target
        levels.update(zip((one.id for one in scale.levels), (one.id for one in target.levels), strict=True))
    return Fitted(rubric=_on_scales(rubric, used, levels), fresh=tuple(fresh))


def _with_free_ids(scale: Scale, taken: set[str]) -> Scale:
    """Another id when the scale's own belongs to one that its author has changed since."""
    if scale.id not in taken:
        return scale
    id = scale.id
    while id in taken:
        id = str(uuid5(UUID(id), "again"))
    levels = tuple(replace(level, id=str(uuid5(UUID(id), level.label))) for level in scale.levels)
    return replace(scale, id=id, levels=levels)


def _on_scales(rubric: RubricFile, used: dict[str, Scale], levels: dict[str, str]) -> RubricFile:
    nodes = tuple(
        node
        if node.scale_id not in used
        else replace(
            node,
            scale_id=used[node.scale_id].id,
            anchors=tuple(
                replace(anchor, scale_level_id=levels.get(anchor.scale_level_id, anchor.scale_level_id))
                if anchor.scale_level_id
                else anchor
                for anchor in node.anchors
            ),
        )
        for node in rubric.snapshot.nodes
    )
    scales = tuple({scale.id: scale for scale in used.values()}.values())
    return replace(rubric, snapshot=replace(rubric.snapshot, nodes=nodes, scales=scales))


def as_version_of(rubric: RubricFile, version_id: str, stored: Sequence[VersionSnapshot]) -> VersionSnapshot:
    """The imported tree as the draft ``version_id`` of a rubric that has versions already.

    Its nodes and bands get ids of that version, which follow from those of the file (and are those in the version
    that the first import made). A node that a version in
    ``stored`` (the latest first) has too keeps the key it has there, so that rewording it in the source is rewording
    it here.
    """
    is_first = version_id == rubric.snapshot.id

    def own(id: str) -> str:
        return id if is_first else id_in(version_id, id)

    keys: dict[str, str] = {}
    for snapshot in reversed(stored):
        keys.update({node.id: node.key for node in snapshot.nodes})
    kept: dict[str, str] = {}
    for node in rubric.snapshot.nodes:
        ids = (*(id_in(snapshot.id, node.id) for snapshot in stored), node.id)
        kept[node.id] = next((keys[id] for id in ids if id in keys), "")
    used = {key.casefold() for key in kept.values()}
    nodes = []
    for node in rubric.snapshot.nodes:
        key = kept[node.id]
        if not key:
            key = node.key if node.key.casefold() not in used else propose_key(node.key, used)
            used.add(key.casefold())
        parent = own(node.parent_id) if node.parent_id else None
        nodes.append(replace(node, id=own(node.id), key=key, parent_id=parent))
    bands = tuple(replace(band, id=own(band.id)) for band in rubric.snapshot.bands)
    return replace(rubric.snapshot, id=version_id, nodes=tuple(nodes), bands=bands)


def id_in(version_id: str, id: str) -> str:
    """The id that a node or band of a file has in a version after the first."""
    return str(uuid5(NAMESPACE, f"{version_id}\n{id}"))
