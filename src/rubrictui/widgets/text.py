"""Untrusted text on the screen: safe, measured in cells, cut and wrapped without surprises.

Every string that a person or a file supplied goes through here before a widget draws it. Nothing in
this module parses markup, and nothing measures more of a text than can be shown: a line of ten million
characters costs as much to cut to 80 cells as a short one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len, split_graphemes
from textual.content import Content

from rubrictui.core.display import visible

ELLIPSIS = "…"
TAB_SIZE = 4

Piece = tuple[str, str]
"""Visible text and the name of its style."""
Line = list[Piece]
"""A line of a widget before it has colours."""

_NAME = 200

# A cell holds one character and perhaps some accents; text beyond this many characters a cell is not shown.
_CHARACTERS_PER_CELL = 4

# Letters that are one cell each wherever they stand: most of what is written in Latin, Greek, Cyrillic.
_ONE_CELL_EACH = re.compile("[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2500-\u25fc]*")


def plain(text: str, *, newlines: bool = True) -> Content:
    """Text as Textual content: controls visible, tabs expanded, brackets and links left as they are.

    Args:
        text: any string.
        newlines: keep line breaks; False shows them as ``␊``.
    """
    return Content(expand_tabs(visible(text, newlines=newlines)))


def counted(count: int, one: str, many: str = "") -> str:
    """``1 rubric``, ``2 rubrics``; ``many`` where the plural is not ``one`` with an s."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def sentence(text: str) -> str:
    """The text with a full stop, unless it ends as a sentence does already."""
    return text if text.rstrip().endswith((".", "?", "!", "…")) else f"{text}."


def expand_tabs(text: str, size: int = TAB_SIZE) -> str:
    """Tabs as blanks up to the next multiple of ``size`` cells, counted from the start of each line."""
    if "\t" not in text:
        return text
    lines = []
    for line in text.split("\n"):
        first, *rest = line.split("\t")
        parts = [first]
        column = cell_len(first)
        for piece in rest:
            gap = size - column % size
            parts.append(" " * gap + piece)
            column += gap + cell_len(piece)
        lines.append("".join(parts))
    return "\n".join(lines)


def one_line(text: str, width: int | None = None) -> str:
    """Text as one visible line: runs of white space become one blank, cut to ``width`` cells.

    Args:
        text: any string, of any length.
        width: cells at most; None for all of it.
    """
    return _name_line(text, width) if len(text) <= _NAME else _one_line(text, width)


def _one_line(text: str, width: int | None) -> str:
    if width is not None:
        if width <= 0:
            return ""
        head = text[: width * _CHARACTERS_PER_CELL * 2]
        line = visible(" ".join(head.split()))
        return truncate(line if len(head) == len(text) else line + ELLIPSIS, width)
    return visible(" ".join(text.split()))


#: Names and keys are asked for again with every row that is drawn.
_name_line = lru_cache(4096)(_one_line)


def truncate(text: str, width: int) -> str:
    """A visible line cut to ``width`` cells, with an ellipsis when something was cut off."""
    if width <= 0:
        return ""
    if len(text) <= width and text.isascii():
        return text
    head = text[: width * _CHARACTERS_PER_CELL + 1]
    if len(head) == len(text) and cell_len(text) <= width:
        return text
    return head[: fit(head, width - 1)].rstrip() + ELLIPSIS


def pad(text: str, width: int) -> str:
    """A visible line cut or filled with blanks to exactly ``width`` cells."""
    text = truncate(text, width)
    return text + " " * (width - cell_len(text))


def fit(text: str, width: int) -> int:
    """How many characters of the visible line ``text`` fit into ``width`` cells; graphemes stay whole."""
    if width <= 0:
        return 0
    head = text[: width + 1]
    if _ONE_CELL_EACH.fullmatch(head):
        return min(len(head), width)
    limit = min(len(text), width * _CHARACTERS_PER_CELL)
    length = min(limit, width + 8)
    while True:  # accents take no cells, so the first guess at the length may be too short
        end = used = 0
        for _, stop, cells in split_graphemes(text[:length])[0]:
            if used + cells > width:
                return end
            used += cells
            end = stop
        if length == limit:
            return end
        length = min(limit, length * 2)


def wrap(text: str, width: int, *, limit: int | None = None) -> list[str]:
    """Visible text folded at blanks into lines of at most ``width`` cells.

    Args:
        text: visible text; its line breaks are kept.
        width: cells a line, at least 1.
        limit: lines at most; the last one ends with an ellipsis when text is left over.
    """
    lines: list[str] = []
    for line in _folded(text, max(width, 1)):
        if limit is not None and len(lines) == limit:
            lines[-1] = lines[-1][: fit(lines[-1], width - 1)].rstrip() + ELLIPSIS
            break
        lines.append(line)
    return lines


def _folded(text: str, width: int) -> Iterator[str]:
    for line in text.split("\n"):
        for start, end in fold_spans(line, width):
            yield line[start:end].rstrip()


def fold_spans(line: str, width: int) -> Iterator[tuple[int, int]]:
    """Where to break one visible line (without tabs and line breaks): ``(start, end)`` a row, in order.

    A row breaks after its last blank, or between wide characters, or, in a word longer than the row,
    anywhere. The spans join without a gap, so an offset in the line is an offset in exactly one row.
    An empty line is one empty row.
    """
    start, length = 0, len(line)
    if length == 0:
        yield 0, 0
        return
    while start < length:
        # A margin beyond the row shows whether the row ends at a word's end.
        end = start + fit(line[start : start + width * _CHARACTERS_PER_CELL + 1], width)
        if end <= start:
            end = start + 1
        if end < length:
            end = _break_before(line, start, end)
        yield start, end
        start = end


def _break_before(line: str, start: int, end: int) -> int:
    """The best place to break at or before ``end``; blanks at the break stay with the row they end."""
    if line[end] == " ":
        while end < len(line) and line[end] == " ":
            end += 1
        return end
    if line[end - 1] == " " or _is_wide(line[end]) or _is_wide(line[end - 1]):
        return end
    blank = line.rfind(" ", start, end)
    for index in range(end - 1, max(blank, start), -1):
        if _is_wide(line[index]):
            return index + 1
    return blank + 1 if blank > start else end


def _is_wide(character: str) -> bool:
    return not character.isascii() and cell_len(character) == 2
