"""Rows of records as trees of nodes: their order, and criteria that are listed flat put below their parents."""

from __future__ import annotations

import re

from rubrictui.ground.findings import Findings
from rubrictui.ground.yaml_nodes import MappingNode, Position, ScalarNode, SequenceNode, YamlNode

_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def nested(rows: list[MappingNode], findings: Findings) -> list[MappingNode]:
    """Criteria that are listed flat, each below the one its ParentID names."""
    by_id: dict[str, MappingNode] = {}
    for row in rows:
        collect(row, by_id)
    roots: list[MappingNode] = []
    below: dict[str, list[MappingNode]] = {}
    places: dict[str, Position] = {}
    for row in rows:
        pair = row.pairs.pop("parent_id", None)
        node = pair[1] if pair else None
        if node is None or (isinstance(node, ScalarNode) and node.plain and node.text == "null"):
            roots.append(row)
            continue
        parent = node.text.strip().lower() if isinstance(node, ScalarNode) else ""
        if parent not in by_id:
            findings.add(
                "unknown_reference",
                '"ParentID" must be the id of a criterion of this version; @parent:ID takes nesting.',
                node.at,
            )
            continue
        below.setdefault(parent, []).append(row)
        places[parent] = node.at
    # Only what hangs below a root is kept; a circle of parents never does.
    waiting = list(roots)
    while waiting:
        row = waiting.pop()
        here: dict[str, MappingNode] = {}
        collect(row, here)
        for id, holder in here.items():
            added = below.pop(id, [])
            if added:
                waiting += added
                at, nested = holder.pairs.get("children", (added[0].at, list_of(added[0].at, [])))
                assert isinstance(nested, SequenceNode)
                children = [one for one in nested.items if isinstance(one, MappingNode)]
                holder.pairs["children"] = (at, list_of(nested.at, in_order([*children, *added])))
    for parent in below:
        findings.add("cycle", "these criteria are parents of one another: a circle.", places[parent])
    return roots


def folded(node: YamlNode) -> YamlNode:
    """An id in lower case, as stores keep them."""
    if isinstance(node, ScalarNode) and not node.plain and _UUID.fullmatch(node.text.strip()):
        return ScalarNode(node.at, node.text.strip().lower(), False)
    return node


def move(node: YamlNode, at: Position) -> None:
    """Let a tree that was read from inside a text stand where the text does."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        one.at = at
        if isinstance(one, SequenceNode):
            waiting += one.items
        elif isinstance(one, MappingNode):
            one.pairs = {key: (at, value) for key, (_, value) in one.pairs.items()}
            waiting += [value for _, value in one.pairs.values()]


def list_of(at: Position, items: list[MappingNode]) -> SequenceNode:
    made = SequenceNode(at)
    made.items.extend(items)
    return made


def in_order(rows: list[MappingNode], *, anchors: bool = False) -> list[MappingNode]:
    """By ``Sequence``; those without one keep their place. An anchor's is its place and nothing else."""

    def place(pair: tuple[int, MappingNode]) -> float:
        node = pair[1].get("sequence")
        try:
            return float(node.text) if isinstance(node, ScalarNode) and node.plain else float(pair[0])
        except ValueError:  # told as a wrong type by the one who builds the document
            return float(pair[0])

    ordered = [row for _, row in sorted(enumerate(rows), key=place)]
    if anchors:
        for row in ordered:
            row.pairs.pop("sequence", None)
    return ordered


def collect(row: MappingNode, found: dict[str, MappingNode]) -> None:
    """A criterion and all inside it, by id."""
    waiting = [row]
    while waiting:
        one = waiting.pop()
        id = one.get("id")
        if isinstance(id, ScalarNode):
            found.setdefault(id.text.lower(), one)
        children = one.get("children")
        if isinstance(children, SequenceNode):
            waiting += [child for child in children.items if isinstance(child, MappingNode)]
