"""What commands read: files and standard input, as bytes, lines, JSON or a version."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rubrictui.core.errors import InvalidInputError

if TYPE_CHECKING:
    from rubrictui.core.model import Scale, VersionSnapshot
    from rubrictui.core.records import Category
    from rubrictui.interchange.yaml_reader import Reading

STDIN = "-"
MAX_BYTES = 64 * 1024 * 1024
YAML_SUFFIXES = (".yaml", ".yml")

T = TypeVar("T")


def shown(name: str) -> str:
    """The name of a source for messages."""
    return "standard input" if name == STDIN else name


def read_bytes(name: str) -> bytes:
    """A whole file, or standard input for ``-``.

    Raises:
        InvalidInputError: it cannot be read, or is larger than 64 MB.
    """
    try:
        if name == STDIN:
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            path = Path(name)
            if path.is_dir():
                raise InvalidInputError(f"{name} is a folder.", remedy="Give a file.")
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInputError(
            f"{name} cannot be read: {error.strerror or error}.", remedy="Check the name and its permissions."
        ) from None
    if len(data) > MAX_BYTES:
        raise InvalidInputError(
            f"{shown(name)} is larger than {MAX_BYTES >> 20} MB.", remedy="Split it into parts."
        )
    return data


def read_lines(name: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file or standard input that are not blank, with their numbers, as they arrive.

    Raises:
        InvalidInputError: it cannot be read, or a line is longer than 64 MB.
    """
    try:
        stream = sys.stdin.buffer if name == STDIN else Path(name).open("rb")  # noqa: SIM115
    except OSError as error:
        raise InvalidInputError(
            f"{name} cannot be read: {error.strerror or error}.", remedy="Check the name and its permissions."
        ) from None
    try:
        number = 0
        while line := stream.readline(MAX_BYTES + 1):
            number += 1
            if len(line) > MAX_BYTES:
                raise InvalidInputError(
                    f"{shown(name)}, line {number} is longer than {MAX_BYTES >> 20} MB.", remedy="Split it."
                )
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield number, line
    except IsADirectoryError:
        raise InvalidInputError(f"{name} is a folder.", remedy="Give a file.") from None
    finally:
        if stream is not sys.stdin.buffer:
            stream.close()


def read_json(name: str) -> Any:
    """A JSON document. Raises like ``read_bytes`` and ``core.loading.json_value``."""
    from rubrictui.core.loading import json_value

    return json_value(read_bytes(name), shown(name))


def convert(value: Any, kind: type[T], where: str) -> T:
    """A JSON value as a type.

    Raises:
        InvalidInputError: it does not fit; the message has the path within the document.
    """
    import msgspec

    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        from rubrictui.core.loading import unfit

        raise unfit(error, value, where) from None


def read_version(name: str, scale_files: list[str] | None = None) -> VersionSnapshot:
    """A version from a snapshot's JSON, or from a YAML file with one rubric.

    ``scale_files`` are YAML files, or folders of them, with the scales that the rubric's own file does not hold.

    Raises:
        InvalidInputError: a file cannot be read, has an error, or does not hold one rubric.
    """
    if not name.casefold().endswith(YAML_SUFFIXES):
        from rubrictui.core.loading import version_from_json

        return version_from_json(read_bytes(name), where=shown(name))
    from rubrictui.interchange.documents import RubricFile
    from rubrictui.interchange.yaml_reader import read_files

    documents = read_files([*_with_folders(scale_files or []), Path(name)]).require()
    rubrics = [document for document in documents if isinstance(document, RubricFile)]
    if len(rubrics) != 1:
        raise InvalidInputError(f"{name} holds {len(rubrics)} rubrics.", remedy="Give a file with one.")
    return rubrics[0].snapshot


def read_documents(
    paths: list[str], *, scales: Any = None, versions: Any = None, categories: Any = None
) -> Reading:
    """Files of documents (YAML, records in JSON) and folders of them, read as one set, in the order of their
    names within a folder."""
    from rubrictui.interchange.yaml_reader import read_files

    return read_files(_with_folders(paths), scales=scales, versions=versions, categories=categories)


def _with_folders(paths: list[str]) -> list[Path]:
    """The files of these names, a folder being all documents below it."""
    from rubrictui.interchange.folders import document_files

    files: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found = document_files(path)
            if not found:
                raise InvalidInputError(f"{path} holds no YAML file.", remedy="Give a folder with some.")
            files += found
        else:
            files.append(path)
    return files


def category_lookup(categories: tuple[Category, ...]) -> Any:
    """Finds one of these categories by id, or by name ignoring case."""
    known = {one.name.casefold(): one for one in categories} | {one.id: one for one in categories}
    return lambda wanted: known.get(wanted) or known.get(wanted.strip().casefold())


def scale_lookup(scales: tuple[Scale, ...]) -> Any:
    """Finds one of these scales by name or id."""
    known = {scale.name: scale for scale in scales} | {scale.id: scale for scale in scales}
    return known.get
