"""Scripted actions from a file: one JSON array of actions, or JSON Lines, one action a line.

An action is an object with a ``type``. Only its being an object is checked here: what an action does, also a wrong one,
is for the episode to say.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from rubrictui.ground.errors import InvalidInputError

# Where msgspec says that JSON goes wrong.
_BYTE = re.compile(r"\(byte (\d+)\)")

MAX_BYTES = 256 * 1024 * 1024

Action = dict[str, Any]


def read_actions(path: str | Path) -> list[Action]:
    """The actions of a file: a JSON array, an object with ``actions``, or JSON Lines (UTF-8, blank lines and a
    byte order mark allowed).

    Raises:
        InvalidInputError: the file cannot be read, or an entry is no object; the message names the file and line
            (or, in an array, the entry).
    """
    file = Path(path)
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(
            f"{file} cannot be read: {reason}.", remedy="Name a file of actions."
        ) from None
    if len(data) > MAX_BYTES:
        raise InvalidInputError(f"{file} is larger than {MAX_BYTES >> 20} MB.", remedy="Split it up.")
    return parse_actions(data, str(file))


def parse_actions(data: bytes | str, name: str = "actions") -> list[Action]:
    """The actions of a text; ``name`` is how errors call it.

    Raises:
        InvalidInputError: as ``read_actions``.
    """
    text = _decoded(data, name).removeprefix("\ufeff")
    if text.lstrip().startswith("["):
        return _array(_decode(text, name), name)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise InvalidInputError(f"{name} holds no action.", remedy="Write one JSON object a line.")
    whole = _whole_object(text)
    if whole is not None:
        return _array(whole["actions"], name) if isinstance(whole.get("actions"), list) else [whole]
    return [_object(_decode(line, f"{name}:{number}"), f"{name}:{number}") for number, line in lines]


def _decoded(data: bytes | str, name: str) -> str:
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInputError(
            f"{name}:{line}: this is not UTF-8 text.", remedy="Save it as UTF-8."
        ) from None


def _decode(text: str, place: str) -> Any:
    try:
        return msgspec.json.decode(text.encode("utf-8", "surrogatepass"))
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split()) or "it is nested too deep"
        at = _BYTE.search(reason)
        if at is not None and "\n" in text:
            line = text.encode("utf-8", "surrogatepass").count(b"\n", 0, int(at.group(1))) + 1
            place = f"{place}:{line}"
        raise InvalidInputError(f"{place}: this is not JSON: {reason}.", remedy="Correct the JSON.") from None


def _whole_object(text: str) -> Action | None:
    """The text as one object that may stand on several lines; None for JSON Lines."""
    try:
        value = msgspec.json.decode(text.encode("utf-8", "surrogatepass"))
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _object(value: Any, place: str) -> Action:
    if not isinstance(value, dict):
        raise InvalidInputError(f"{place}: an action must be a JSON object.", remedy='Write {"type": ...}.')
    return value


def _array(values: Any, name: str) -> list[Action]:
    return [_object(value, f"{name}, action {number}") for number, value in enumerate(values, start=1)]
