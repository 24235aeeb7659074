"""Reads the files of this project: categories, scales, rubrics, subjects, publications (docs/formats.md).

YAML, and JSON records in the metadata shape (``metadata_json``): a name that ends in ``.json`` is the latter.

Files are read together, so that one may name what another defines, in any order. Everything that is
wrong is found in one run, each with its file, line and column; nothing is guessed and nothing dropped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Value
from rubrictui.ground.findings import Finding, Findings, has_errors, raise_for_errors
from rubrictui.ground.yaml_nodes import BrokenNode, MappingNode, ScalarNode, YamlNode, decode, read_nodes
from rubrictui.interchange.building import BROKEN, Builder
from rubrictui.interchange.documents import Document
from rubrictui.interchange.metadata_json import MetadataReader
from rubrictui.interchange.pausing import without_collecting
from rubrictui.interchange.places import Places
from rubrictui.interchange.resolving import CategoryLookup, Names, ScaleLookup, VersionLookup
from rubrictui.interchange.rubric_resolving import RubricResolver
from rubrictui.interchange.shapes import (
    DOCUMENTS,
    CategoryDocument,
    PublicationDocument,
    RubricDocument,
    ScaleDocument,
    SubjectsDocument,
)
from rubrictui.interchange.subject_files import read_bytes
from rubrictui.interchange.subject_resolving import SubjectResolver


class ReadDocument(Value, frozen=True, kw_only=True):
    """One document with the place it came from: its first line, and the first line of the next document.

    ``places`` is there for rubrics and publications.
    """

    document: Document
    file: str
    line: int
    next_line: int | None = None
    places: Places | None = None


class Reading(Value, frozen=True, kw_only=True):
    """What a set of files holds: documents in the order written, findings by file and line.

    A document that had an error is not among ``documents``. ``damaged`` has what could be read of those: it is good
    for looking for more mistakes, and for nothing else.
    """

    entries: tuple[ReadDocument, ...] = ()
    damaged: tuple[ReadDocument, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def documents(self) -> tuple[Document, ...]:
        return tuple(entry.document for entry in self.entries)

    @property
    def is_valid(self) -> bool:
        return not has_errors(self.findings)

    def require(self) -> tuple[Document, ...]:
        """The documents.

        Raises:
            InvalidInputError: there was an error; the message is the first, with its file and line.
        """
        raise_for_errors(self.findings)
        return self.documents


class _Source:
    """One file on its way through the reader."""

    def __init__(self, name: str, folder: Path | None) -> None:
        self.findings = Findings(name)
        self.builder = Builder(self.findings)
        self.folder = folder
        self.broken: set[str] = set()
        self.metadata = MetadataReader(self.findings, folder)
        # Each document's first line, the first line of the next, and its shape.
        self.shapes: list[tuple[int, int, Any]] = []

    def read(self, data: bytes) -> None:
        text = decode(data, self.findings)
        if text is None:
            return
        roots: Sequence[YamlNode]
        if self.findings.file.casefold().endswith(".json"):
            roots = self.metadata.documents(text)
            # Records of JSON may share a line: an error anywhere is held against all of them.
            spans = [(1, sys.maxsize)] * len(roots)
        else:
            roots = read_nodes(text, self.findings)
            begins = [root.at[0] for root in roots]
            spans = list(zip(begins, [*begins[1:], sys.maxsize], strict=False))
        for root, (begin, end) in zip(roots, spans, strict=True):
            shape = self._document(root)
            if shape is not None and shape is not BROKEN:
                self.shapes.append((begin, end, shape))
        if not self.findings.all and not self.shapes:
            self.findings.add("empty", "the file holds no document.")

    def is_damaged(self, begin: int, end: int) -> bool:
        """Whether there is an error within a document's lines."""
        return has_errors(finding for finding in self.findings.all if begin <= finding.line < end)

    def _document(self, root: YamlNode) -> Any:
        if isinstance(root, BrokenNode) or _is_blank(root):
            return None
        kinds = ", ".join(DOCUMENTS)
        if not isinstance(root, MappingNode):
            self.findings.add(
                "wrong_type", "a document must be a mapping that begins with its kind.", root.at
            )
            return None
        kind = root.get("kind")
        if kind is None:
            self.findings.add("missing_field", f'"kind" is missing; it is one of {kinds}.', root.at)
            return None
        if isinstance(kind, BrokenNode):
            return None
        if not isinstance(kind, ScalarNode) or kind.text not in DOCUMENTS:
            given = f'"{kind.text}"' if isinstance(kind, ScalarNode) else "no word"
            self.findings.add("unknown_kind", f'"kind" is {given}; it must be one of {kinds}.', kind.at)
            return None
        shape = self.builder.build(root, DOCUMENTS[kind.text])
        if shape is BROKEN:
            named = (root.get(field) for field in ("name", "id"))
            self.broken.update(node.text for node in named if isinstance(node, ScalarNode))
        return shape


def _is_blank(root: YamlNode) -> bool:
    return isinstance(root, ScalarNode) and root.plain and not root.text


def read_files(
    paths: Iterable[str | Path],
    *,
    scales: ScaleLookup | None = None,
    versions: VersionLookup | None = None,
    categories: CategoryLookup | None = None,
) -> Reading:
    """Read files as one set.

    Args:
        paths: the files, in the order to load them.
        scales: finds a scale that no file defines, by name or id.
        versions: finds the version of a rubric that no file defines, by the rubric's name or the version's
            id. Without it, a rubric that is named and not defined is a warning; with it, an error.
        categories: finds a category that no file defines, by name or id.

    Returns:
        The documents and all findings. A file that cannot be read is a finding too.
    """
    sources: list[_Source] = []
    for path in map(Path, paths):
        # A file name that is not UTF-8 must not break the messages about it.
        source = _Source(os.fsencode(path).decode("utf-8", "replace"), path.parent)
        sources.append(source)
        try:
            with without_collecting():
                source.read(read_bytes(path))
        except InvalidInputError as error:
            source.findings.add("missing_file", str(error))
    with without_collecting():
        return _resolve(sources, Names(scales, versions, categories))


def read_text(
    text: str,
    *,
    file: str = "<text>",
    folder: Path | None = None,
    scales: ScaleLookup | None = None,
    versions: VersionLookup | None = None,
) -> Reading:
    """Read one text: records in JSON when ``file`` ends in ``.json``, else YAML. ``folder`` is where the
    files it names are looked for."""
    source = _Source(file, folder)
    source.read(text.encode("utf-8", "surrogatepass"))
    return _resolve([source], Names(scales, versions))


def _resolve(sources: list[_Source], names: Names) -> Reading:
    """Scales first, then rubrics, then everything that names them; the order written is kept."""
    rubrics = [RubricResolver(source.builder, names) for source in sources]
    subjects = [SubjectResolver(source.builder, names, source.folder) for source in sources]
    done: dict[tuple[int, int], tuple[_Source, int, int, ReadDocument]] = {}

    def resolve(kind: type, make: Callable[[int, Any, bool], Any]) -> None:
        for number, source in enumerate(sources):
            for index, (begin, end, shape) in enumerate(source.shapes):
                if isinstance(shape, kind):
                    made = make(number, shape, source.is_damaged(begin, end))
                    document, places = made if isinstance(made, tuple) else (made, None)
                    entry = ReadDocument(
                        document=document,
                        file=source.findings.file,
                        line=begin,
                        next_line=None if end == sys.maxsize else end,
                        places=places,
                    )
                    done[number, index] = (source, begin, end, entry)

    for resolver, source in zip(subjects, sources, strict=True):
        names.broken |= source.broken
        for _, _, shape in source.shapes:
            if isinstance(shape, SubjectsDocument):
                resolver.declare(shape)
    resolve(CategoryDocument, lambda number, shape, _: rubrics[number].category(shape))
    for source in sources:
        for name, at in source.metadata.categories:
            if names.category(name) is None and name not in names.broken:
                source.findings.add(
                    "unknown_category",
                    f'there is no category "{name}". Give its file too, or load it first.',
                    at,
                )
    resolve(ScaleDocument, lambda number, shape, damaged: rubrics[number].scale(shape, damaged=damaged))
    resolve(RubricDocument, lambda number, shape, damaged: rubrics[number].rubric(shape, damaged=damaged))
    resolve(SubjectsDocument, lambda number, shape, _: subjects[number].subjects(shape))
    resolve(PublicationDocument, lambda number, shape, _: rubrics[number].publication(shape))
    findings = [
        finding
        for source in sources
        for finding in sorted(source.findings.all, key=lambda one: (one.line, one.column))
    ]
    entries: list[ReadDocument] = []
    damaged: list[ReadDocument] = []
    for _, (source, begin, end, entry) in sorted(done.items(), key=lambda item: item[0]):
        (damaged if source.is_damaged(begin, end) else entries).append(entry)
    return Reading(entries=tuple(entries), damaged=tuple(damaged), findings=tuple(findings))
