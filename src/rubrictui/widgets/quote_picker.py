"""Picking a quote by keys: a cursor and a selection in a written page. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rubrictui.widgets.document import Page

_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(
    r"[.?!\u3002\uff01\uff1f][\"')\]\u00bb\u201d\u2019]*(?=\s|$)|[\u3002\uff01\uff1f]|\n\s*\n"
)

# How far a sentence or a word is looked for around the cursor; no person quotes more.
_REACH = 20_000


@dataclass(frozen=True, slots=True)
class Picker:
    """Where the cursor stands and where the selection began; ``anchor`` is None before it begins.

    ``column`` is where the cursor wants to be when it moves between rows, in characters.
    """

    page: Page
    cursor: int = 0
    anchor: int | None = None
    column: int = 0

    @property
    def span(self) -> tuple[int, int] | None:
        """What is selected, without white space at its ends: start and end offset; None when nothing is."""
        if self.anchor is None:
            return None
        start, end = min(self.anchor, self.cursor), max(self.anchor, self.cursor) + 1
        text = self.page.text[start:end]
        start += len(text) - len(text.lstrip())
        end = start + len(text.strip())
        return (start, end) if end > start else None

    @property
    def quote(self) -> str:
        """The selected text, as it stands in the page."""
        return "" if self.span is None else self.page.text[self.span[0] : self.span[1]]

    def at(self, cursor: int) -> Picker:
        """With the cursor at an offset, or the nearest there is."""
        cursor = min(max(cursor, 0), max(len(self.page.text) - 1, 0))
        return replace(self, cursor=cursor, column=cursor - self.page.row(self.page.row_of(cursor))[0])

    def toggle(self) -> Picker:
        """Begin the selection here, or give it up."""
        return replace(self, anchor=self.cursor if self.anchor is None else None)

    def by_character(self, step: int) -> Picker:
        return self.at(self.cursor + step)

    def by_word(self, step: int) -> Picker:
        """To the next word: its end while selecting, its beginning otherwise; backwards its beginning."""
        text = self.page.text
        if step > 0:
            window = text[self.cursor + 1 : self.cursor + 1 + _REACH]
            if self.anchor is None:
                # Out of the word that the cursor stands in, then to the next one.
                first = _WORD.match(window) if not text[self.cursor : self.cursor + 1].isspace() else None
                found = _WORD.search(window, first.end() if first else 0)
                return (
                    self.at(self.cursor + 1 + found.start()) if found else self.at(self.cursor + len(window))
                )
            found = _WORD.search(window)
            return self.at(self.cursor + found.end()) if found else self
        low = max(self.cursor - _REACH, 0)
        last = None
        for last in _WORD.finditer(text, low, self.cursor):  # noqa: B007
            pass
        return self.at(last.start()) if last else self.at(low)

    def by_row(self, step: int) -> Picker:
        """To another row, in the same column where it can."""
        page = self.page
        row = min(max(page.row_of(self.cursor) + step, 0), max(page.row_count - 1, 0))
        start, end = page.row(row)
        moved = self.at(min(start + self.column, max(end - 1, start)))
        return replace(moved, column=self.column)

    def to_row_edge(self, step: int) -> Picker:
        """To the first or the last character of the row."""
        start, end = self.page.row(self.page.row_of(self.cursor))
        return self.at(start if step < 0 else max(end - 1, start))

    def sentence(self) -> Picker:
        """Select the sentence that the cursor stands in; once more adds the next one."""
        text = self.page.text
        if self.anchor is None and text[self.cursor : self.cursor + 1].isspace():
            ahead = _WORD.search(text, self.cursor, self.cursor + _REACH)
            if ahead is not None:
                return self.at(ahead.start()).sentence()
        low = max(self.cursor - _REACH, 0)
        high = min(self.cursor + _REACH, len(text))
        if self.anchor is not None and self.span is not None:
            start = self.span[0]
            ahead = _SENTENCE_END.search(text, min(self.span[1] + 1, high), high)
        else:
            start = low
            for found in _SENTENCE_END.finditer(text, low, self.cursor):
                start = found.end()
            while start < self.cursor and text[start].isspace():
                start += 1
            ahead = _SENTENCE_END.search(text, self.cursor, high)
        end = ahead.end() if ahead else high
        while end - 1 > start and text[end - 1].isspace():
            end -= 1
        return replace(self.at(end - 1), anchor=start)
