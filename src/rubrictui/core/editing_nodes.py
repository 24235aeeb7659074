"""Edits of what one node says: its fields, name, key, scale and anchors; and new nodes."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Final, Literal

import msgspec

from rubrictui.core.canonical import canonical_json
from rubrictui.core.editing_base import (
    Edited,
    EditError,
    changed,
    checked_key,
    checked_number,
    is_proposed,
    keys_of,
    node_of,
    propose_key,
    with_node,
)
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import (
    Anchor,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    VersionSnapshot,
    fold_id,
)
from rubrictui.core.tree import inserted, siblings_of, stays_tidy, tidy

Where = Literal["inside", "after"]

_TEXTS: Final = ("description", "guidance")
_FLAGS: Final = ("is_advisory", "is_gate", "evidence_required", "rationale_required")
_FIELDS: Final = (
    *_TEXTS,
    *_FLAGS,
    "name",
    "node_type",
    "scale_id",
    "weight",
    "gate_minimum_score",
    "not_applicable_policy",
    "rollup_method",
    "evaluator_config",
    "anchors",
)


def add_node(
    version: VersionSnapshot,
    node_type: NodeType,
    *,
    id: str,
    name: str = "",
    key: str | None = None,
    at: str | None,
    where: Where,
) -> Edited:
    """A new group or criterion: the last child of ``at``, or its next sibling; ``at`` None is the top level.

    A criterion is answered on the scale of its nearest neighbour. Without a ``key`` one is proposed.

    Raises:
        EditError: ``at`` is a criterion and the node is to stand inside it; the key is refused.
    """
    version = tidy(version)
    parent_id, index = place_at(version, at, where)
    taken = keys_of(version)
    fallback = str(node_type).lower()
    node = Node(
        id=id,
        key=propose_key(name, taken, fallback=fallback) if key is None else checked_key(key, taken),
        parent_id=parent_id,
        name=name,
        node_type=node_type,
        scale_id=_neighbours_scale(version, parent_id, index) if node_type is NodeType.CRITERION else None,
    )
    nodes = inserted(version.nodes, (node,), parent_id, index)
    return Edited(version=stays_tidy(version, nodes), focus=id)


def place_at(version: VersionSnapshot, at: str | None, where: Where) -> tuple[str | None, int]:
    """Parent and place among its children, for something put inside a node or after it.

    Raises:
        EditError: ``under_criterion``, ``not_there``.
    """
    if at is None:
        return None, len(siblings_of(version.nodes, None))
    _, node = node_of(version, at)
    if where == "inside":
        refuse_under_criterion(node)
        return node.id, len(siblings_of(version.nodes, node.id))
    return node.parent_id, siblings_of(version.nodes, node.parent_id).index(node) + 1


def refuse_under_criterion(parent: Node) -> None:
    if parent.is_criterion:
        raise EditError(
            f"{parent.name or parent.key!r} is a criterion, and nothing stands under a criterion.",
            remedy="Put it beside it, or in a group.",
            code="under_criterion",
        )


def _neighbours_scale(version: VersionSnapshot, parent_id: str | None, index: int) -> str | None:
    siblings = siblings_of(version.nodes, parent_id)
    before, after = siblings[:index], siblings[index:]
    for node in (*reversed(before), *after, *reversed(version.nodes)):
        if node.is_criterion and node.scale_id:
            return node.scale_id
    return version.scales[0].id if len(version.scales) == 1 else None


def set_node(version: VersionSnapshot, node_id: str, **changes: Any) -> Edited:
    """Change fields of a node, all but its id, parent, sequence and key. An empty text becomes none.

    Raises:
        EditError: a number that is not finite, settings that JSON cannot hold, a policy or rollup that does
            not exist, a scale the draft does not hold (``use_scale`` brings one along), or a criterion made
            of a group that has children.
    """
    place, node = node_of(version, node_id)
    clean = {name: _checked(version, node, name, value) for name, value in changes.items()}
    return Edited(version=with_node(version, place, changed(node, **clean)), focus=node.id)


def _checked(version: VersionSnapshot, node: Node, name: str, value: Any) -> Any:
    if name not in _FIELDS:
        raise EditError(f"A node has no field {name!r} to set.", remedy="Use another edit.", code="field")
    if name == "weight":
        return checked_number(value, "weight")
    if name == "gate_minimum_score":
        return checked_number(value, "gate minimum", optional=True)
    if name in _FLAGS:
        return bool(value)
    if name in _TEXTS:
        return value or None
    if name == "not_applicable_policy":
        return _word(NotApplicablePolicy, value, "N/A policy")
    if name == "rollup_method":
        return _word(RollupMethod, value, "rollup")
    if name == "evaluator_config":
        return _settings(value)
    if name == "scale_id":
        return _scale_id(version, value)
    if name == "node_type":
        return _type(version, node, value)
    return value


def _word(words: type[StrEnum], value: Any, what: str) -> Any:
    if value is None:
        return None
    try:
        return words(value)
    except ValueError:
        raise EditError(
            f"There is no {what} {value!r}.", remedy=f"Use {', '.join(words)}.", code="field"
        ) from None


def _settings(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise EditError(
            "The evaluator settings are no mapping.", remedy="Write names with values.", code="field"
        )
    try:
        canonical_json(value)
    except InvalidInputError as error:
        text = f"The evaluator settings cannot be stored: {error.message}"
        raise EditError(text, remedy=error.remedy, code="field") from None
    return value


def _scale_id(version: VersionSnapshot, value: str | None) -> str | None:
    folded = fold_id(value)
    if not folded:
        return None
    for scale in version.scales:
        if fold_id(scale.id) == folded:
            return scale.id
    raise EditError("The draft does not hold this scale.", remedy="Choose one it does.", code="scale_unknown")


def _type(version: VersionSnapshot, node: Node, value: Any) -> NodeType:
    kind: NodeType = _word(NodeType, value, "node type") or node.node_type
    if kind is NodeType.CRITERION and siblings_of(version.nodes, node.id):
        raise EditError(
            f"{node.name or node.key!r} has nodes under it, and nothing stands under a criterion.",
            remedy="Move them out first.",
            code="under_criterion",
        )
    return kind


def use_scale(version: VersionSnapshot, node_id: str, scale: Scale | None) -> Edited:
    """Answer a criterion on another scale, which the draft holds from now on; None for no scale yet.

    Anchor texts stay with the level of the same id, else of the same label, else, between scales of as many
    levels, of the same place. A text that finds no level is kept as it is, so that choosing the old scale
    again brings it back.
    """
    place, node = node_of(version, node_id)
    if scale is None:
        return set_node(version, node_id, scale_id=None)
    held = next((each for each in version.scales if fold_id(each.id) == fold_id(scale.id)), None)
    old = next((each for each in version.scales if fold_id(each.id) == fold_id(node.scale_id)), None)
    if held is None:
        version = msgspec.structs.replace(version, scales=(*version.scales, scale))
    target = held or scale
    anchors = _carried_over(node.anchors, old, target) if old is not target else node.anchors
    node = changed(node, scale_id=target.id, anchors=anchors)
    return Edited(version=with_node(version, place, node), focus=node.id)


def _carried_over(anchors: tuple[Anchor, ...], old: Scale | None, new: Scale) -> tuple[Anchor, ...]:
    own = {fold_id(level.id) for level in new.levels}
    labels = {level.label.strip().casefold(): level.id for level in reversed(new.levels)}
    old_levels = {fold_id(level.id): place for place, level in enumerate(old.levels)} if old else {}
    targets: dict[str, str] = {}
    for anchor in anchors:
        here = fold_id(anchor.scale_level_id)
        if here in own or old is None or here not in old_levels:
            continue
        place = old_levels[here]
        target = labels.get(old.levels[place].label.strip().casefold())
        if target is None and len(old.levels) == len(new.levels):
            target = new.levels[place].id
        if target is not None:
            targets[here] = target
    taken = {fold_id(a.scale_level_id) for a in anchors if a.descriptor} & own
    carried = list(anchors)
    for place, anchor in enumerate(anchors):
        goal = targets.get(fold_id(anchor.scale_level_id))
        if goal is not None and fold_id(goal) not in taken:
            taken.add(fold_id(goal))
            carried[place] = msgspec.structs.replace(anchor, scale_level_id=goal)
    return tuple(carried)


def rename(version: VersionSnapshot, node_id: str, name: str, *, base_keys: Collection[str] = ()) -> Edited:
    """Give a node another name. Its key follows while nobody has chosen it.

    Args:
        base_keys: keys of the version the draft is based on. Such a key is permanent and stays.
    """
    place, node = node_of(version, node_id)
    fallback = str(node.node_type).lower()
    key = node.key
    if key not in base_keys and is_proposed(key, node.name, fallback):
        key = propose_key(name, keys_of(version, but=node.id), fallback=fallback)
    return Edited(version=with_node(version, place, changed(node, name=name, key=key)), focus=node.id)


def rekey(version: VersionSnapshot, node_id: str, key: str) -> Edited:
    """Give a node another key, trimmed. For a key that was published this is a Major change.

    Raises:
        EditError: ``key_empty``, ``key_long``, ``key_taken``.
    """
    place, node = node_of(version, node_id)
    clean = checked_key(key, keys_of(version, but=node.id))
    return Edited(version=with_node(version, place, changed(node, key=clean)), focus=node.id)


def set_anchor(version: VersionSnapshot, node_id: str, level_id: str, text: str) -> Edited:
    """What a level means for a criterion. Anchors stand in the order of the scale's levels; "" removes one."""
    place, node = node_of(version, node_id)
    own = fold_id(level_id)
    old = next((anchor for anchor in node.anchors if fold_id(anchor.scale_level_id) == own), None)
    if (old.descriptor if old is not None else "") == text:
        return Edited(version=version, focus=node.id)
    anchors = [anchor for anchor in node.anchors if anchor is not old]
    if text:
        new = (
            msgspec.structs.replace(old, descriptor=text)
            if old
            else Anchor(scale_level_id=level_id, descriptor=text)
        )
        anchors.append(new)
        scale = next((each for each in version.scales if fold_id(each.id) == fold_id(node.scale_id)), None)
        order = {fold_id(level.id): rank for rank, level in enumerate(scale.levels)} if scale else {}
        anchors.sort(key=lambda anchor: order.get(fold_id(anchor.scale_level_id), len(order)))
    return Edited(version=with_node(version, place, changed(node, anchors=tuple(anchors))), focus=node.id)
