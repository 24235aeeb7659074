"""A page of text to read: folded into rows for a width, with offsets that stay true. Pure.

A page is a text and what to make of it: as it was written, or built of blocks (formatted Markdown, a
table of data). Rows are pairs of offsets into that text, so searching, selecting and scrolling speak one
language, and a quote taken from a written page is exactly what stands in the subject. Texts of any size
work: beyond ``FOLD_LIMIT`` characters lines are cut into rows by counting, which never looks at more
than a row.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rich.cells import cell_len

from rubrictui.core.display import visible
from rubrictui.widgets.text import TAB_SIZE, fold_spans

FOLD_LIMIT = 120_000
"""Characters up to which lines are folded at blanks; longer texts are cut by counting."""

LONG_LINE = 20_000
"""Characters beyond which one line is cut by counting, in any text."""

Span = tuple[int, int, str]
"""Start, end and style."""


@dataclass(frozen=True, slots=True)
class Block:
    """One line of a built page before it is folded. Its text is visible text without line breaks.

    ``first`` stands before its first row and ``rest`` before the others, both of the same width.
    ``source`` is the line of the written text that it comes from.
    """

    text: str = ""
    spans: tuple[Span, ...] = ()
    first: str = ""
    rest: str = ""
    style: str = "text"
    prefix_style: str = "muted"
    source: int = 0


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row ready to draw: visible text, where each of its characters came from, and its block.

    ``places[i]`` is the index in ``text`` of the character at offset ``start + i``; one more than there
    are characters.
    """

    text: str
    start: int
    places: tuple[int, ...] | None
    block: Block | None
    is_first: bool

    def place(self, offset: int) -> int:
        """The index in ``text`` of the character at ``offset``, which may be the end of the row."""
        index = offset - self.start
        if self.places is None:
            return min(max(index, 0), len(self.text))
        return self.places[min(max(index, 0), len(self.places) - 1)]


class Page:
    """A text folded into rows. ``fold`` must be called with a width before rows are asked for."""

    def __init__(self, text: str, *, blocks: Sequence[Block] | None = None) -> None:
        """
        Args:
            text: the written text; for a built page the texts of its blocks, joined by line feeds.
            blocks: one a line, for a built page.
        """
        self.text = text
        self.blocks = blocks
        self._starts = [0]
        self._starts.extend(match.end() for match in re.finditer("\n", text))
        self._row_starts: list[int] = [0]
        self._by_count = len(text) > FOLD_LIMIT
        self._width = 0

    @classmethod
    def of_blocks(cls, blocks: Sequence[Block]) -> Page:
        """A built page."""
        return cls("\n".join(block.text for block in blocks), blocks=blocks)

    @property
    def is_written(self) -> bool:
        """Whether its text is the subject's own, so that it can be quoted."""
        return self.blocks is None

    # -- rows

    def fold(self, width: int) -> None:
        """Fold for rows of ``width`` cells."""
        if width == self._width:
            return
        self._width = max(width, 4)
        self._folds = lru_cache(maxsize=512)(self._fold_line)
        rows, total = [0], 0
        for line in range(len(self._starts)):
            total += self._count_rows(line)
            rows.append(total)
        self._row_starts = rows

    @property
    def row_count(self) -> int:
        return self._row_starts[-1]

    def row(self, y: int) -> tuple[int, int]:
        """The offsets of row ``y``: start, and end (its line break left out)."""
        line, within = self._line_of_row(y)
        start, end = self._line_span(line)
        if (step := self._counted_step(line)) is not None:
            return start + within * step, min(start + (within + 1) * step, end)
        return self._folds(line)[within]

    def row_of(self, offset: int) -> int:
        """The row that shows the character at ``offset``."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        first = self._row_starts[line]
        if (step := self._counted_step(line)) is not None:
            last = self._row_starts[line + 1] - 1
            return min(first + (offset - self._starts[line]) // step, last)
        ends = [end for _, end in self._folds(line)]
        return first + min(bisect_right(ends, offset), len(ends) - 1)

    def line_of_row(self, y: int) -> int:
        """The number, from 0, of the line that row ``y`` belongs to."""
        return self._line_of_row(y)[0]

    def row_of_line(self, line: int) -> int:
        """The first row of a line."""
        return self._row_starts[min(max(line, 0), len(self._row_starts) - 2)]

    def source_of_row(self, y: int) -> int:
        """The line of the written text behind row ``y``."""
        line = self.line_of_row(y)
        return line if self.blocks is None else self.blocks[line].source

    def row_of_source(self, source: int) -> int:
        """The first row at or after a line of the written text."""
        if self.blocks is None:
            return self.row_of_line(source)
        for line, block in enumerate(self.blocks):
            if block.source >= source and block.text:
                return self.row_of_line(line)
        return max(self.row_count - 1, 0)

    def shown(self, y: int) -> ShownRow:
        """Row ``y`` as visible text."""
        start, end = self.row(y)
        line, within = self._line_of_row(y)
        raw = self.text[start:end]
        if self.blocks is not None:
            return ShownRow(raw, start, None, self.blocks[line], within == 0)
        if _is_visible(raw):
            return ShownRow(raw, start, None, None, within == 0)
        if self._counted_step(line) is not None:
            text, places = visible_places(raw.replace("\t", " "))
        else:
            text, places = visible_places(raw, self._column(line, start))
        return ShownRow(text, start, places, None, within == 0)

    # -- how lines become rows

    def _line_span(self, line: int) -> tuple[int, int]:
        start = self._starts[line]
        end = self._starts[line + 1] - 1 if line + 1 < len(self._starts) else len(self.text)
        return start, end

    def _line_of_row(self, y: int) -> tuple[int, int]:
        y = min(max(y, 0), max(self.row_count - 1, 0))
        line = bisect_right(self._row_starts, y) - 1
        return line, y - self._row_starts[line]

    def _counted_step(self, line: int) -> int | None:
        """How many characters a row of this line holds when it is cut by counting; None when it is folded."""
        start, end = self._line_span(line)
        if not self._by_count and end - start <= LONG_LINE:
            return None
        # Two cells hold any character, and a tab is cut to one blank in such a line.
        return self._width if self._is_ascii else max(self._width // 2, 1)

    @property
    def _is_ascii(self) -> bool:
        return self.text.isascii()

    def _count_rows(self, line: int) -> int:
        start, end = self._line_span(line)
        if (step := self._counted_step(line)) is not None:
            return max(-(-(end - start) // step), 1)
        if self.blocks is None and end - start <= self._width:
            raw = self.text[start:end]
            if raw.isascii() and raw.isprintable():
                return 1
        return len(self._folds(line))

    def _fold_line(self, line: int) -> list[tuple[int, int]]:
        start, end = self._line_span(line)
        raw = self.text[start:end]
        width = self._width
        if self.blocks is not None:
            width = max(width - cell_len(self.blocks[line].first), 4)
            return [(start + a, start + b) for a, b in fold_spans(raw, width)]
        if _is_visible(raw):
            return [(start + a, start + b) for a, b in fold_spans(raw, width)]
        text, places = visible_places(raw)
        spans = []
        at = 0
        for _, stop in fold_spans(text, width):
            # The first character that begins at or after the break; dropped ones stay with what is before.
            until = len(raw) if stop >= len(text) else bisect_right(places, stop - 1, at)
            if until > at or not raw:
                spans.append((start + at, start + until))
            at = until
        return spans or [(start, end)]

    def _column(self, line: int, start: int) -> int:
        """The cell at which a row begins in its line, for tabs."""
        first = self._starts[line]
        return cell_len(visible_places(self.text[first:start])[0]) if start > first else 0

    # -- searching

    def find(self, words: str, start: int, *, backwards: bool = False) -> tuple[int, int] | None:
        """The nearest place of ``words`` from ``start`` on, around the end, whatever the case.

        Args:
            words: what to look for, verbatim.
            start: an offset; the place found begins at or after it (before it when ``backwards``).
        """
        if not words:
            return None
        pattern = re.compile(re.escape(words), re.IGNORECASE)
        if not backwards:
            found = pattern.search(self.text, start) or pattern.search(self.text)
            return found.span() if found else None
        last: tuple[int, int] | None = None
        for match in pattern.finditer(self.text):
            if match.start() >= start and last is not None and last[0] < start:
                break
            last = match.span()
        return last

    def matches_in(self, words: str, start: int, end: int) -> list[tuple[int, int]]:
        """The places of ``words`` that touch the range."""
        if not words:
            return []
        reach = len(words) * 2
        pattern = re.compile(re.escape(words), re.IGNORECASE)
        low = max(start - reach, 0)
        spans = [match.span() for match in pattern.finditer(self.text, low, min(end + reach, len(self.text)))]
        return [(a, b) for a, b in spans if a < end and b > start]


def _is_visible(raw: str) -> bool:
    """Whether the text is shown character by character as it is."""
    if raw.isascii():
        return raw.isprintable()
    return "\t" not in raw and visible(raw, newlines=False) == raw


def visible_places(raw: str, column: int = 0) -> tuple[str, tuple[int, ...]]:
    """A line as visible text, and for each of its characters (and the end) the index it has there.

    Args:
        raw: a line without its line break.
        column: the cell it begins at, for tabs.
    """
    parts: list[str] = []
    places: list[int] = []
    length = 0
    last = len(raw) - 1
    for index, character in enumerate(raw):
        places.append(length)
        if character == "\t":
            shown = " " * (TAB_SIZE - column % TAB_SIZE)
        elif character == "\r" and index == last:
            shown = ""  # the first half of a line break
        else:
            shown = character if character.isprintable() and character.isascii() else _visible_one(character)
        parts.append(shown)
        length += len(shown)
        column += cell_len(shown) if shown else 0
    places.append(length)
    return "".join(parts), tuple(places)


@lru_cache(maxsize=4096)
def _visible_one(character: str) -> str:
    return visible(character, newlines=False)
