"""Structured data as a page: one line a value, nested names dotted. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.cells import cell_len

from rubrictui.core.display import visible
from rubrictui.widgets.document import Block
from rubrictui.widgets.text import expand_tabs, one_line, pad

_NAME_SHARE = 0.4
_DEPTH_LIMIT = 40
_ROW_LIMIT = 20_000


def flatten(data: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Pairs of dotted name and value as text, in order; ``items.0.price`` for a list's first element.

    Words stand as they are, numbers as JSON writes them, ``null``, ``true`` and ``false`` as words; empty
    objects and lists as ``{}`` and ``[]``. What lies deeper than forty levels is one line of JSON.
    """
    stack: list[tuple[str, Any, int]] = [(name, data, 0)]
    while stack:
        path, value, depth = stack.pop()
        if isinstance(value, dict) and value and depth < _DEPTH_LIMIT:
            pairs = [(f"{path}.{key}" if path else str(key), item, depth + 1) for key, item in value.items()]
            stack.extend(reversed(pairs))
        elif isinstance(value, list | tuple) and value and depth < _DEPTH_LIMIT:
            pairs = [
                (f"{path}.{index}" if path else str(index), item, depth + 1)
                for index, item in enumerate(value)
            ]
            stack.extend(reversed(pairs))
        elif isinstance(value, str):
            yield path, value
        else:
            yield path, _as_json(value)


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "(too deep to show)"


def data_blocks(data: Any, width: int) -> list[Block]:
    """The blocks of a page of ``width`` cells: names on the left, values folded beside them."""
    pairs: list[tuple[str, str]] = []
    for pair in flatten(data):
        if len(pairs) == _ROW_LIMIT:
            pairs.append(("…", f"only the first {_ROW_LIMIT} values are shown"))
            break
        pairs.append(pair)
    if not pairs:
        return [Block("No data.", style="muted")]
    limit = max(int(width * _NAME_SHARE), 8)
    names = [one_line(name, limit) for name, _ in pairs]
    room = max(cell_len(name) for name in names)
    blocks: list[Block] = []
    for name, (_, value) in zip(names, pairs, strict=True):
        for index, line in enumerate(expand_tabs(visible(value)).split("\n")):
            first = pad(name if index == 0 else "", room) + "  "
            blocks.append(Block(line, (), first, " " * (room + 2), "text", "name"))
    return blocks
