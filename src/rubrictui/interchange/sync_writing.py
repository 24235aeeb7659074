"""Writing the files of a folder: whole or not at all, and no more of them than must be."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from rubrictui.core.errors import InvalidInputError
from rubrictui.ground.findings import Findings
from rubrictui.ground.yaml_nodes import Position, decode

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_SEPARATOR = re.compile(r"---[ \t]*(?:#.*)?")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def write_atomically(path: Path, data: bytes, *, private: bool = False) -> None:
    """Put ``data`` at ``path`` in one step: readers, and we after a crash, see the old file or the new one.

    ``private``: nobody but its owner may read it.

    Raises:
        InvalidInputError: it cannot be written.
    """
    name = path.with_name(f".rubrictui-{os.getpid()}-{uuid4().hex[:8]}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with name.open("xb") as file:
                if private:
                    name.chmod(0o600)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if path.exists() and not private:
                name.chmod(path.stat().st_mode & 0o777)
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                name.unlink()
            raise
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be written: {error.strerror or error}.", remedy="Check the folder and the disk."
        ) from None


def with_document(data: bytes, line: int, next_line: int | None, text: str) -> bytes | None:
    """A YAML file with one of its documents replaced; everything else, and its line ends, as they are.

    Args:
        line: the first line of the document; ``next_line`` is that of the one after it, None at the end.
        text: the new document, ending in a newline.

    Returns:
        the bytes; None when the document shares a line with a separator and cannot be cut out.
    """
    old = data.decode("utf-8-sig")
    newline = "\r\n" if "\r\n" in old else "\n"
    lines = old.splitlines(keepends=True) if not _odd_breaks(old) else []
    if not lines:
        return None
    begin = line - 1
    while begin > 0 and not lines[begin - 1].startswith("---"):
        begin -= 1  # comments above a document are about it, and go with the rest of it
    end = len(lines) if next_line is None else next_line - 1
    while next_line is not None and end > begin and not lines[end].startswith("---"):
        end -= 1
    above = lines[begin - 1].rstrip("\r\n") if begin > 0 else "---"
    below = lines[end].rstrip("\r\n") if end < len(lines) else "---"
    if not (_SEPARATOR.fullmatch(above) and _SEPARATOR.fullmatch(below)) or lines[begin].startswith("---"):
        return None
    new = text.replace("\n", newline)
    return ("".join(lines[:begin]) + new + "".join(lines[end:])).encode("utf-8")


def _odd_breaks(text: str) -> bool:
    """Whether the lines of Python and of YAML are not the same ones."""
    return any(sign in text for sign in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029") or "\r" in text.replace(
        "\r\n", ""
    )


def with_scalar(data: bytes, at: Position, old: str, new: str) -> bytes | None:
    """A file with one plain or quoted word replaced; every other byte as it was.

    Args:
        at: (line, column) of the word or its quote, from 1.
        old, new: ids; letters, digits, hyphens and underscores, in whatever case ``old`` is written.

    Returns:
        the bytes; None when something else stands there.
    """
    findings = Findings("")
    text = decode(data, findings)
    if text is None or not _PLAIN.fullmatch(new):
        return None
    starts = [0, *(match.end() for match in _BREAK.finditer(text))]
    if at[0] > len(starts):
        return None
    place = starts[at[0] - 1] + at[1] - 1
    if text[place : place + 1] in ("'", '"'):
        place += 1
    if text[place : place + len(old)].casefold() != old.casefold():
        return None
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    return mark + (text[:place] + new + text[place + len(old) :]).encode("utf-8")
