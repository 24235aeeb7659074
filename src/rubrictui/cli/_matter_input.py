"""What the ``matter`` commands read: actions, cases, results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubrictui.cli._input import STDIN, read_bytes, read_json, read_lines, shown
from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.actions import parse_actions, read_actions


def actions_of(name: str) -> list[dict[str, Any]]:
    """The actions of a file, or of standard input for ``-``.

    Raises:
        InvalidInputError: they cannot be read; the message has the file and line.
    """
    return parse_actions(read_bytes(name), shown(name)) if name == STDIN else read_actions(name)


def cases(name: str) -> Iterator[tuple[str, Any]]:
    """The cases of a file with where each stands: the entries of a JSON list (``*.json``), else JSON Lines.

    Raises:
        InvalidInputError: the file cannot be read, or is not JSON.
    """
    from rubrictui.core.loading import json_value

    if name.casefold().endswith(".json"):
        value = read_json(name)
        for number, case in enumerate(value if isinstance(value, list) else [value], 1):
            yield f"{name}, case {number}", case
        return
    for number, line in read_lines(name):
        where = f"{shown(name)}, line {number}"
        yield where, json_value(line, where)


def documents(name: str) -> list[tuple[str, Any]]:
    """What a file holds, with where each stands: one JSON document, the entries of a list, or JSON Lines.

    Raises:
        InvalidInputError: it cannot be read, or is neither.
    """
    from rubrictui.core.loading import json_value

    data = read_bytes(name)
    try:
        whole = json_value(data, shown(name))
    except InvalidInputError:
        lines = [(at, line) for at, line in enumerate(data.splitlines(), 1) if line.strip()]
        if len(lines) < 2:
            raise
        return [
            (f"{shown(name)}, line {at}", json_value(line, f"{shown(name)}, line {at}")) for at, line in lines
        ]
    if isinstance(whole, list):
        return [(f"{shown(name)}, entry {number}", one) for number, one in enumerate(whole, 1)]
    return [(shown(name), whole)]
