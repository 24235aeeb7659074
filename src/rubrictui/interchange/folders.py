"""Which files below a folder hold documents."""

from __future__ import annotations

from pathlib import Path

from rubrictui.core.errors import InvalidInputError
from rubrictui.ground.findings import Findings
from rubrictui.interchange.json_nodes import read_json_node
from rubrictui.interchange.metadata_json import is_metadata
from rubrictui.interchange.subject_files import read_bytes

YAML_SUFFIXES = (".yaml", ".yml")
#: What a folder that is kept in step with a store remembers of it (``sync_memory``).
MEMORY = ".rubrictui-sync.json"
#: The file that makes a folder a matter: what lies there is checked by ``rubrictui matter lint``.
MATTER = "matter.yaml"


def document_files(folder: Path) -> list[Path]:
    """The files below a folder that hold documents, by path: YAML, and JSON records in the metadata shape.

    That shape's files often begin with a dot, so JSON is known by what it holds; YAML that begins with a
    dot, what other programs keep in folders that do, and the folders of matters are left alone.
    """
    found = []
    matters = {path.parent for path in folder.rglob(MATTER)}
    for path in sorted(folder.rglob("*")):
        folders = path.relative_to(folder).parts[:-1]
        if any(part.startswith(".") for part in folders) or not path.is_file():
            continue
        if matters and not matters.isdisjoint(path.parents):
            continue
        suffix = path.suffix.casefold()
        is_yaml = suffix in YAML_SUFFIXES and not path.name.startswith(".")
        if is_yaml or (suffix == ".json" and _is_record_file(path)):
            found.append(path)
    return found


def _is_record_file(path: Path) -> bool:
    if path.name == MEMORY or path.name.casefold().startswith(".mj-"):
        return False
    try:
        data = read_bytes(path)
    except InvalidInputError:
        return path.name.startswith(".")  # told when it is read
    return holds_metadata(data)


def holds_metadata(data: bytes) -> bool:
    """Whether the bytes of a JSON file are records in the metadata shape, whole or broken."""
    if b'"fields"' not in data:
        return False
    findings = Findings("")
    root = read_json_node(data.decode("utf-8-sig", "replace"), findings)
    if root is None:  # what does not parse and begins like a record is told as one
        return data.lstrip(b"\xef\xbb\xbf \t\r\n[{").startswith((b'"fields"', b'"primaryKey"'))
    return is_metadata(root)
