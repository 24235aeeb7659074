"""The numbers by which siblings stand in order, of a draft beside the version it follows.

A version compares sequences as they are written (contract, "Version diff"). Editing leaves gaps in them: what was
added between two siblings and deleted again has moved the numbers behind it, though every reader sees the same order.
"""

from __future__ import annotations

import msgspec

from rubrictui.core.model import Node, VersionSnapshot, fold_id


def as_placed(base: VersionSnapshot | None, draft: VersionSnapshot) -> VersionSnapshot:
    """The draft, with the sequences of ``base`` wherever the same siblings stand in the same order under one parent.

    Siblings are the same by key. Where one came, went or moved, that parent's children keep the draft's numbers. The same object
    when nothing changes.

    Args:
        base, draft: with their nodes in the order of siblings, as versions are loaded.
    """
    if base is None:
        return draft
    before = _siblings(base)
    numbers: dict[str, int] = {}
    for parent, nodes in _siblings(draft).items():
        old = before.get(parent, [])
        if [node.key for node in old] == [node.key for node in nodes]:
            for was, now in zip(old, nodes, strict=True):
                if was.sequence != now.sequence:
                    numbers[now.id] = was.sequence
    if not numbers:
        return draft
    return msgspec.structs.replace(
        draft,
        nodes=tuple(
            msgspec.structs.replace(node, sequence=numbers[node.id]) if node.id in numbers else node
            for node in draft.nodes
        ),
    )


def _siblings(version: VersionSnapshot) -> dict[str | None, list[Node]]:
    """The nodes under each parent, by its key; those without one under None."""
    keys = {fold_id(node.id): node.key for node in version.nodes}
    found: dict[str | None, list[Node]] = {}
    for node in version.nodes:
        found.setdefault(keys.get(fold_id(node.parent_id or "")), []).append(node)
    return found
