"""JSON with the lines of what is wrong in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from rubrictui.core.display import visible
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.loading import json_value
from rubrictui.interchange.importers._report import Place
from rubrictui.interchange.importers._source import Source, UnreadableError

Path = tuple[str | int, ...]

_BLANK = re.compile(r"[ \t\n\r]*")
#: Characters that may be scanned for lines in one import; what comes after that has its path alone.
_SCANNED = 40_000_000


class JsonFile:
    """The value of a JSON file, and where its parts stand."""

    def __init__(self, source: Source) -> None:
        """Raises ``UnreadableError`` when it is no JSON, and when ``json_value`` refuses what it holds."""
        self._text = source.text
        self._left = _SCANNED
        try:
            lines = _as_list(self._text)
            if lines is not None:
                self._text = lines
            self.value = json_value(self._text)
        except InvalidInputError as error:
            raise UnreadableError(
                _without_capital(error.message), _place_of(error), code="not_json"
            ) from None

    def at(self, *path: str | int) -> Callable[[], Place]:
        """Where a part stands, looked up when it is asked for."""
        return lambda: self.place(path)

    def place(self, path: Path) -> Place:
        words = visible(words_of(path), newlines=False)
        self._left -= len(self._text)
        where = _offset(self._text, path) if self._left > 0 else None
        if where is None:
            return Place(1, 1, words)
        line = self._text.count("\n", 0, where) + 1
        column = where - (self._text.rfind("\n", 0, where) + 1) + 1
        return Place(line, column, f"{words}, line {line}")


def _as_list(text: str) -> str | None:
    """JSON Lines as one list of as many lines, every value where it stood but for a bracket; None when it is no such.

    A line ends with its value, so a comma has room behind it, and lines and columns stay what they are.
    """
    lines = text.split("\n")
    full = [place for place, line in enumerate(lines) if line.strip()]
    if len(full) < 2 or not all(lines[place].strip()[0] == "{" for place in full):
        return None
    if not all(lines[place].strip()[-1] == "}" for place in full):
        return None
    for place in full[:-1]:
        lines[place] = lines[place].rstrip() + ","
    return "[" + "\n".join(lines) + "]"


def words_of(path: Path) -> str:
    """``$.sub_tasks[3].weight``."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step[:60]}" for step in path)


def _offset(text: str, path: Path) -> int | None:
    """Where the value at ``path`` begins, found by skipping the values before it."""
    decoder = json.JSONDecoder()
    try:
        at = _skip(text, 0)
        for step in path:
            at = _skip(text, at + 1)
            if isinstance(step, int):
                for _ in range(step):
                    at = _skip(text, _skip(text, decoder.raw_decode(text, at)[1]) + 1)
                continue
            while True:
                key, at = decoder.raw_decode(text, at)
                at = _skip(text, _skip(text, at) + 1)
                if key == step:
                    break
                at = _skip(text, _skip(text, decoder.raw_decode(text, at)[1]) + 1)
    except (ValueError, IndexError, RecursionError):
        return None
    return at


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _place_of(error: InvalidInputError) -> Place:
    cause = error.__context__
    if isinstance(cause, json.JSONDecodeError):
        return Place(cause.lineno, cause.colno)
    return Place()


def _without_capital(message: str) -> str:
    return message[:1].lower() + message[1:]


def text_at(value: Any) -> str:
    """A text or number of JSON as text; "" for what is neither."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""
