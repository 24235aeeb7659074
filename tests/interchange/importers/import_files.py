"""The small files of every format, and reading one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rubrictui.core.model import Node, Scale, VersionSnapshot
from rubrictui.interchange.importers import Imported, ImportOptions, import_rubrics

FILES = Path(__file__).parent / "files"


def read(name: str, /, **options: Any) -> Imported:
    """A file as it lies there, its format found from the content."""
    return import_rubrics((FILES / name).read_bytes(), name=name, options=ImportOptions(**options))


def read_text(text: str | bytes, /, *, format: str | None = None, **options: Any) -> Imported:
    data = text.encode() if isinstance(text, str) else text
    return import_rubrics(data, name="f", format=format, options=ImportOptions(**options))


def lines(imported: Imported) -> list[str]:
    return [str(finding) for finding in imported.findings]


def codes(imported: Imported) -> set[str]:
    return {note.code for note in imported.notes}


def node(version: VersionSnapshot, key: str) -> Node:
    return next(node for node in version.nodes if node.key == key)


def scale(version: VersionSnapshot, key: str) -> Scale:
    """The scale of a criterion."""
    wanted = node(version, key).scale_id
    return next(scale for scale in version.scales if scale.id == wanted)


def levels(version: VersionSnapshot, key: str) -> list[tuple[str, float | None, float]]:
    """Label, points and score of each level of a criterion."""
    return [(one.label, one.value, one.normalized_value) for one in scale(version, key).levels]


def anchors(version: VersionSnapshot, key: str) -> dict[str, str]:
    """The anchors of a criterion by the label of their level, or by their number."""
    labels = {level.id: level.label for level in scale(version, key).levels}
    return {
        labels.get(anchor.scale_level_id or "", f"{anchor.anchor_value or 0:g}"): anchor.descriptor
        for anchor in node(version, key).anchors
    }
