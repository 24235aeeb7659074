"""A folder of documents that is kept in step with a store: what it holds, and where each item stands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rubrictui.core.errors import InvalidInputError
from rubrictui.ground.findings import Finding
from rubrictui.interchange.documents import CategoryFile, Document, Publication, RubricFile, ScaleFile
from rubrictui.interchange.folders import YAML_SUFFIXES, document_files
from rubrictui.interchange.resolving import CategoryLookup, ScaleLookup, VersionLookup
from rubrictui.interchange.sync_names import file_stem
from rubrictui.interchange.yaml_reader import ReadDocument, read_files

#: In which folder a new file of each kind is written.
FOLDERS = {"category": "categories", "scale": "scales", "rubric": "rubrics", "publication": "publications"}

#: The kind of an item and its id.
Key = tuple[str, str]


def key_of(document: Document) -> Key | None:
    """How an item is known on both sides; None for what is not kept in step."""
    match document:
        case CategoryFile():
            return "category", document.category.id
        case ScaleFile():
            return "scale", document.scale.id
        case RubricFile():
            return "rubric", document.id
        case Publication():
            return "publication", document.version_id
    return None


class SyncFolder:
    """What the files below ``root`` hold.

    Attributes:
        findings: everything that is wrong or odd, with its place.
        items: the document of each item, with its place.
    """

    def __init__(
        self,
        root: Path,
        *,
        scales: ScaleLookup | None = None,
        versions: VersionLookup | None = None,
        categories: CategoryLookup | None = None,
    ) -> None:
        if root.exists() and not root.is_dir():
            raise InvalidInputError(f"{root} is no folder.", remedy="Name the folder that holds the files.")
        self.root = root
        files = document_files(root) if root.exists() else []
        outside = [file for file in files if not file.resolve().is_relative_to(root.resolve())]
        self._stamps = {file: _stamp(file) for file in files}
        reading = read_files(
            (file for file in files if file not in outside),
            scales=scales,
            versions=versions,
            categories=categories,
        )
        self.findings: tuple[Finding, ...] = (
            *reading.findings,
            *(
                Finding(
                    code="outside", message=f"the file leads out of {root}. Put it there.", file=str(file)
                )
                for file in outside
            ),
            *_asked_twice(reading.entries),
        )
        self.items: dict[Key, ReadDocument] = {
            key: entry for entry in reading.entries if (key := key_of(entry.document)) is not None
        }
        self._stems: dict[str, set[str]] = {}

    def publications(self) -> Iterator[tuple[Publication, ReadDocument]]:
        for entry in self.items.values():
            if isinstance(entry.document, Publication):
                yield entry.document, entry

    def shown(self, entry: ReadDocument) -> str:
        """The path of an item's file, from the folder."""
        return Path(os.path.relpath(entry.file, self.root)).as_posix()

    def check_untouched(self, path: Path) -> None:
        """Refuse to write over a file that was changed since it was read here, or appeared meanwhile.

        Raises:
            InvalidInputError: it was.
        """
        if _stamp(path) != self._stamps.get(path):
            raise InvalidInputError(
                f"{path} was changed while this ran.", remedy="Nothing of it was lost; run the command again."
            )

    def new_file(self, kind: str, id: str, name: str) -> Path:
        """Where an item that has no file goes; each call takes a name of its own.

        Raises:
            InvalidInputError: the folder of its kind leads out of the root.
        """
        folder = self.root / FOLDERS[kind]
        if not folder.resolve().is_relative_to(self.root.resolve()):
            raise InvalidInputError(f"{folder} leads out of {self.root}.", remedy="Replace it by a folder.")
        taken = self._stems.get(kind)
        if taken is None:
            there = folder.iterdir() if folder.is_dir() else ()
            taken = {one.stem.casefold() for one in there if one.suffix.casefold() in YAML_SUFFIXES}
            self._stems[kind] = taken
        stem = file_stem(kind, id, name, taken)
        taken.add(stem)
        return folder / f"{stem}.yaml"


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _asked_twice(entries: tuple[ReadDocument, ...]) -> list[Finding]:
    """One record is enough to publish a version; two could ask for different bumps."""
    seen: dict[str, ReadDocument] = {}
    found = []
    for entry in entries:
        if isinstance(entry.document, Publication):
            earlier = seen.setdefault(entry.document.version_id, entry)
            if earlier is not entry:
                line, column = entry.places.find("", "version_id") if entry.places else (entry.line, 1)
                message = f"{earlier.file}:{earlier.line} asks to publish this version already. Remove one."
                found.append(
                    Finding(code="duplicate_id", message=message, file=entry.file, line=line, column=column)
                )
    return found
