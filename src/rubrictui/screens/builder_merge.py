"""Settling what two people changed differently in one draft: a choice a conflict, in words. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from rubrictui.core.editing import delete
from rubrictui.core.explain import number
from rubrictui.core.merging import Conflict, Merge
from rubrictui.core.model import Anchor, Node, Value, VersionSnapshot, fold_id
from rubrictui.widgets.text import one_line

_FIELD_WORDS = {
    "evaluator_config": "evaluator settings",
    "gate_minimum_score": "gate minimum",
    "is_advisory": "advisory",
    "is_gate": "gate",
    "minimum_completeness": "minimum completeness",
    "node_type": "type",
    "not_applicable_policy": "N/A policy",
    "parent_id": "group",
    "pass_threshold": "pass threshold",
    "place": "order",
    "presence": "being there",
    "rollup_method": "roll-up",
    "scale_id": "scale",
}
_UNCHOSEN = frozenset({"place", "key", "parent_id", "node_type"})
"""What the merge has settled itself, because taking the other side could leave no tree."""


def can_choose(conflict: Conflict) -> bool:
    """Whether the other side can be taken instead."""
    return conflict.field not in _UNCHOSEN


def conflict_words(conflict: Conflict, version: VersionSnapshot) -> tuple[str, str, str]:
    """What a conflict is about, what this side says, what the other says."""
    where = "the version" if conflict.id is None else _name(conflict, version)
    field, _, level_id = conflict.field.partition(" ")
    word = _FIELD_WORDS.get(field, field.replace("_", " "))
    if level_id:
        word = f"anchor of {_level(level_id, version)}"
    return (
        f"{one_line(where, 60)}: {word}",
        _said(conflict.mine, field, version),
        _said(conflict.theirs, field, version),
    )


def _name(conflict: Conflict, version: VersionSnapshot) -> str:
    return next((node.name or node.key for node in version.nodes if node.id == conflict.id), conflict.key)


def _level(level_id: str, version: VersionSnapshot) -> str:
    labels = {fold_id(level.id): level.label for scale in version.scales for level in scale.levels}
    return labels.get(fold_id(level_id), "a level")


def _said(value: Any, field: str, version: VersionSnapshot) -> str:
    if field == "presence":
        return "stays" if value else "removed"
    if field == "scale_id":
        return next((s.name or "a scale" for s in version.scales if fold_id(s.id) == fold_id(value)), "none")
    if field == "parent_id":
        return next((n.name or n.key for n in version.nodes if n.id == value), "the top level")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(float(value))
    if isinstance(value, Anchor):
        return one_line(value.descriptor, 400)
    if isinstance(value, Value):
        return one_line(msgspec.json.encode(value).decode(), 400)
    if isinstance(value, list | tuple):
        return "their order" if value else "none"
    return one_line(str(value), 400) if value not in (None, "") else "none"


def switched(merge: Merge, theirs: Collection[int], place: int) -> set[int]:
    """The conflicts in which the other side is taken, after this one was switched between the sides.

    What stays keeps the groups above it, and what is removed takes along what is inside, so that what is chosen can
    be had.
    """
    chosen = set(theirs) ^ {place}
    conflict = merge.conflicts[place]
    if conflict.field != "presence":
        return chosen
    stays = _stays(conflict, place in chosen)
    parents = {node.id: node.parent_id for node in merge.version.nodes}
    for other, each in enumerate(merge.conflicts):
        if each.field == "presence" and _stays(each, other in chosen) != stays:
            inner, outer = (conflict, each) if stays else (each, conflict)
            if _is_inside(inner.id, outer.id, parents):
                chosen ^= {other}
    return chosen


def _stays(conflict: Conflict, takes_theirs: bool) -> bool:
    return bool(conflict.theirs if takes_theirs else conflict.mine)


def _is_inside(own: str | None, group: str | None, parents: Mapping[str, str | None]) -> bool:
    above = parents.get(own or "")
    while above is not None and above != group:
        above = parents.get(above)
    return above is not None


def settled(merge: Merge, theirs: Collection[int]) -> VersionSnapshot:
    """The merged draft with the other side's word in the conflicts of these places, this side's in the rest.

    A group stays that holds something which is to stay.
    """
    version = merge.version
    parents = {node.id: node.parent_id for node in version.nodes}
    presence = [(c, _stays(c, i in theirs)) for i, c in enumerate(merge.conflicts) if c.field == "presence"]
    staying = [conflict.id for conflict, stays in presence if stays]
    for conflict, stays in presence:
        if not stays and not any(_is_inside(own, conflict.id, parents) for own in staying):
            version = _without(version, conflict)
    for place, conflict in enumerate(merge.conflicts):
        if place in theirs and conflict.field != "presence" and can_choose(conflict):
            version = _with_theirs(version, conflict)
    return version


def _without(version: VersionSnapshot, conflict: Conflict) -> VersionSnapshot:
    if any(node.id == conflict.id for node in version.nodes):
        return delete(version, conflict.id or "").version
    return msgspec.structs.replace(
        version, bands=tuple(band for band in version.bands if band.id != conflict.id)
    )


def _with_theirs(version: VersionSnapshot, conflict: Conflict) -> VersionSnapshot:
    field, _, level_id = conflict.field.partition(" ")
    if conflict.id is None:
        return msgspec.structs.replace(version, **{field: conflict.theirs})
    nodes = tuple(
        node
        if node.id != conflict.id
        else _with_anchor(node, level_id, conflict.theirs)
        if level_id
        else msgspec.structs.replace(node, **{field: conflict.theirs})
        for node in version.nodes
    )
    bands = tuple(
        msgspec.structs.replace(band, **{field: conflict.theirs}) if band.id == conflict.id else band
        for band in version.bands
    )
    return msgspec.structs.replace(version, nodes=nodes, bands=bands)


def _with_anchor(node: Node, level_id: str, anchor: Anchor | None) -> Node:
    own = fold_id(level_id)
    anchors = []
    for each in node.anchors:
        if fold_id(each.scale_level_id) != own:
            anchors.append(each)
        elif anchor is not None:
            anchors.append(anchor)
    if anchor is not None and anchor not in anchors:
        anchors.append(anchor)
    return msgspec.structs.replace(node, anchors=tuple(anchors))
