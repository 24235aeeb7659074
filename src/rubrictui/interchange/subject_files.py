"""Files that belong to a subject: read whole, hashed, and given as text when they are text."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.records import IMAGE_TYPES, MOST_IMAGE_BYTES, SubjectFile

MAX_FILE_BYTES = 64 * 1024 * 1024

# By suffix, so that the answer is the same on every machine (the system's table is not).
MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".ndjson": "application/x-ndjson",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".html": "text/html",
    ".xml": "application/xml",
    ".py": "text/x-python",
    ".diff": "text/x-diff",
    ".patch": "text/x-diff",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".zip": "application/zip",
}


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file.

    Raises:
        InvalidInputError: it is missing, not a regular file, unreadable or larger than 64 MB.
    """
    try:
        if not path.is_file():
            what = (
                "is a folder" if path.is_dir() else "does not exist" if not path.exists() else "is not a file"
            )
            raise InvalidInputError(f"{path} {what}.", remedy="Give a readable file.")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise InvalidInputError(
                f"{path} is {size / (1 << 20):.0f} MB; at most {MAX_FILE_BYTES >> 20} MB are read.",
                remedy="Split it or leave it out.",
            )
        return path.read_bytes()
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be read: {error.strerror or error}.", remedy="Check its permissions."
        ) from None


def subject_file(
    name: str, data: bytes, *, path: str | None = None, media_type: str | None = None
) -> SubjectFile:
    """A subject's file from its bytes. ``text`` is set when they are UTF-8 without NUL, byte order mark
    or not, ``content`` for an image that models can be shown; ``size`` is in bytes; ``sha256`` is of the bytes."""
    text: str | None
    try:
        text = None if b"\0" in data else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = None
    known = MEDIA_TYPES.get(PurePosixPath(name).suffix.lower())
    kind = media_type or known or ("application/octet-stream" if text is None else "text/plain")
    return SubjectFile(
        name=name,
        media_type=kind,
        text=text,
        content=data if kind in IMAGE_TYPES and len(data) <= MOST_IMAGE_BYTES else None,
        path=path,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def inside(folder: Path, relative: str) -> Path:
    """The path of a file named relative to a folder.

    Raises:
        InvalidInputError: it leads out of the folder, by an absolute path, ``..`` or a link.
    """
    try:
        target = (folder / relative).resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name too long, NUL
        raise InvalidInputError(f'"{relative}" is no path of a file.', remedy="Correct it.") from None
    if not target.is_relative_to(folder.resolve()):
        raise InvalidInputError(
            f'"{relative}" leads out of {folder}.', remedy="Keep a subject's files beside the YAML file."
        )
    return target
