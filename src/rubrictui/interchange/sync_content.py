"""What a category, a scale or a rubric says, without the ids that no two versions share.

Two sides that say the same are the same to ``rubrictui sync``: criteria are known by their key, bands by their
label, parents by the parent's key. Scales and their levels are known by their ids, because rubrics share them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from rubrictui.core.canonical import canonical_json
from rubrictui.core.model import Band, Level, Node, Value
from rubrictui.interchange.documents import CategoryFile, RubricFile, ScaleFile

#: Where a value stands: ``("version", "pass_threshold")``, ``("criterion", "security", "weight")``.
Path = tuple[str, ...]
Content = Mapping[Path, Any]

# Known by key, place and parent instead.
_NODE_IDENTITY = {"id", "key", "parent_id", "sequence", "anchors"}


class Parts(Value, frozen=True, kw_only=True):
    """An item in two parts that change apart: its row (``identity``), and of a rubric its version."""

    identity: dict[Path, Any]
    version: dict[Path, Any] = msgspec.field(default_factory=dict)


class FieldChange(Value, frozen=True, kw_only=True):
    """One difference. ``path`` names the place in words; a side that has nothing there is None."""

    path: tuple[str, ...]
    store: Any = None
    files: Any = None

    @property
    def where(self) -> str:
        return " · ".join(self.path)


def parts_of(document: CategoryFile | ScaleFile | RubricFile) -> Parts:
    """What a document says; values that are null, false or empty by default are left out."""
    match document:
        case CategoryFile():
            return Parts(identity=_fields("category", document.category, without={"id"}))
        case ScaleFile():
            scale = document.scale
            return Parts(
                identity={
                    **_fields("scale", scale, without={"id", "levels"}),
                    **_rows("level", scale.levels, [level.label for level in scale.levels], without=set()),
                }
            )
        case RubricFile():
            identity = {
                ("rubric", "name"): document.name.strip(),
                # A category is found by its name whatever the case, so its spelling is not the rubric's.
                ("rubric", "category"): (document.category or "").strip().casefold() or None,
                ("rubric", "description"): (document.description or "").strip() or None,
            }
            return Parts(
                identity={path: value for path, value in identity.items() if value is not None},
                version=_version(document),
            )


def fingerprint(content: Content) -> str:
    """A hash (16 hex digits) that equal contents share."""
    rows = [
        # Settings may hold 1 or 1.0, in any order of keys; everything else is plain by now.
        (path, canonical_json(value) if isinstance(value, dict) else value)
        for path, value in sorted(content.items())
    ]
    return hashlib.sha256(msgspec.json.encode(rows)).hexdigest()[:16]


def differences(store: Parts | None, files: Parts | None) -> tuple[FieldChange, ...]:
    """What differs, in the order of the store's side, then what only the files have."""
    before = {**store.identity, **store.version} if store else {}
    after = {**files.identity, **files.version} if files else {}
    return tuple(
        FieldChange(path=path, store=before.get(path), files=after.get(path))
        for path in dict.fromkeys((*before, *after))
        if not _same(before.get(path), after.get(path))
    )


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b if isinstance(a, bool) or isinstance(b, bool) else bool(a == b)


def _version(document: RubricFile) -> dict[Path, Any]:
    snapshot = document.snapshot
    found: dict[Path, Any] = {
        ("version", name): value
        for name in (
            "instructions",
            "pass_threshold",
            "minimum_completeness",
            "not_applicable_policy",
            "score_display_min",
            "score_display_max",
        )
        if (value := _plain(getattr(snapshot, name))) is not None
    }
    keys = {node.id: node.key.strip() for node in snapshot.nodes}
    siblings: dict[str, list[str]] = {}
    for node in snapshot.nodes:
        parent = keys.get(node.parent_id or "", "")
        key = node.key.strip()
        place = siblings.setdefault(parent, [])
        found |= _node(node, key, parent, len(place))
        place.append(key)
    for parent, children in siblings.items():
        if len(children) > 1:
            found["criterion", parent, "order"] = children
    found |= _rows("band", snapshot.bands, _numbered(band.label for band in snapshot.bands), without={"id"})
    return found


def _node(node: Node, key: str, parent: str, place: int) -> dict[Path, Any]:
    found: dict[Path, Any] = {("criterion", key, "node_type"): node.node_type.value}
    if parent:
        found["criterion", key, "parent"] = parent
    if node.sequence != place:
        found["criterion", key, "sequence"] = node.sequence
    for name in node.__struct_fields__:
        if name not in _NODE_IDENTITY and name != "node_type":
            value = _plain(getattr(node, name))
            if value is not None and value is not False and value != "":
                found["criterion", key, name] = value
    for index, anchor in enumerate(node.anchors):
        where = anchor.scale_level_id or f"#{index + 1}"
        found["criterion", key, "anchor", where] = [index, _plain(anchor.anchor_value), anchor.descriptor]
    return found


def _fields(kind: str, value: Any, *, without: set[str]) -> dict[Path, Any]:
    return {
        (kind, name): plain
        for name in value.__struct_fields__
        if name not in without and (plain := _plain(getattr(value, name))) is not None
    }


def _rows(
    kind: str, rows: Iterable[Level] | Iterable[Band], labels: list[str], *, without: set[str]
) -> dict[Path, Any]:
    """Levels or bands by their label, and the order they stand in."""
    found: dict[Path, Any] = {}
    for index, (row, label) in enumerate(zip(rows, labels, strict=True)):
        for name in row.__struct_fields__:
            value = _plain(getattr(row, name))
            if name in without or name == "label" or value is None:
                continue
            if name == "sequence" and value == index:
                continue
            found[kind, label, name] = value
    if len(labels) > 1:
        found[kind, "", "order"] = labels
    return found


def _numbered(labels: Iterable[str]) -> list[str]:
    """Labels that stand twice get a number, so that each is its own."""
    seen: Counter[str] = Counter()
    numbered = []
    for label in labels:
        seen[label] += 1
        numbered.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return numbered


def _plain(value: Any) -> Any:
    """A value as JSON has it; whole numbers without a point."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return msgspec.to_builtins(value)
