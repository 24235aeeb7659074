"""The documents of a matter to read: sections to go through and cite, quotes to pick, searching."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from rubrictui.matters.sections import citation_of
from rubrictui.widgets.markdown import looks_like_markdown
from rubrictui.widgets.subject_pages import PageKind, SubjectPage
from rubrictui.widgets.subject_view import SubjectView

BAR = "▌"
"""Stands beside the rows of the section that a citation would name."""


class ReaderPage(NamedTuple):
    """A document: its text, and where its sections begin as (line from 0, token)."""

    document_id: str
    title: str
    text: str
    marks: tuple[tuple[int, str], ...]


class MatterReader(SubjectView):
    """The documents, one a page. The section at hand is marked at its left; ``c`` cites it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "tab",
            "screen.other_pane",
            "List",
            key_display="Tab",
            priority=True,
            id="reader.list",
            tooltip="To the list, or the form that is open",
        ),
        Binding("J", "section(1)", "Next §", priority=True, id="reader.next", tooltip="The next section"),
        Binding("K", "section(-1)", "Section before", show=False, priority=True, id="reader.previous"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | tab | To the list, or to the form that is open. |
    | J / K | The next section / the one before. |
    """

    class SectionChanged(Message):
        """Another section is at hand."""

    def __init__(self, pages: Sequence[ReaderPage], *, id: str | None = None) -> None:
        self._documents = tuple(pages)
        self._at: dict[int, int] = {}
        super().__init__(_subject_pages(pages), id=id)

    def show_documents(self, pages: Sequence[ReaderPage]) -> None:
        """Replace the documents; what is open stays open, at the section that was at hand."""
        if tuple(pages) == self._documents:
            return
        citation = self.citation
        self._documents = tuple(pages)
        self.set_pages(_subject_pages(pages))
        self._at.clear()
        if citation is not None:
            self.go_to(*citation)

    @property
    def citation(self) -> tuple[str, str] | None:
        """Document and section at hand: where a quote is being picked, else the marked one."""
        document = self._documents[self._shown]
        index = self._section_index()
        return (document.document_id, document.marks[index][1]) if index >= 0 else None

    def go_to(self, document_id: str, token: str | None = None) -> bool:
        """Open a document, at a section; False when there is none such."""
        place = next((i for i, one in enumerate(self._documents) if one.document_id == document_id), None)
        if place is None:
            return False
        self.open_page(place)
        marks = self._documents[place].marks
        index = next((i for i, mark in enumerate(marks) if mark[1] == token), None)
        if index is None:
            return token is None
        self._go_to_section(index)
        return True

    def open_at_top(self, document_id: str) -> None:
        """Open a document at its beginning."""
        if self.go_to(document_id):
            self._at.pop(self._shown, None)
            self.scroll_to(y=0, animate=False, force=True)
            self.refresh()

    def section_at(self, offset: int) -> tuple[str, str] | None:
        """Document and section that a character of the open document's text stands in."""
        document = self._documents[self._shown]
        line = document.text.count("\n", 0, offset)
        index = bisect_right([start for start, _ in document.marks], line) - 1
        return (document.document_id, document.marks[index][1]) if index >= 0 else None

    def action_pick(self) -> None:
        """Begin to pick a quote, in the section at hand, below its heading."""
        index = self._section_index()
        found = self._found
        super().action_pick()
        if self._picker is None or found is not None or index < 0:
            return
        page = self._picker.page
        row = page.row_of_source(self._documents[self._shown].marks[index][0])
        start, end = page.row(row)
        while page.text.startswith("## ", start) and row + 1 < page.row_count:
            row += 1
            start, end = page.row(row)
        self._pick(self._picker.at(start if start < end else self._picker.cursor))

    def action_section(self, step: int) -> None:
        """Go to the next section, or the one before."""
        if self.is_picking or self._page is None:
            return
        marks = self._documents[self._shown].marks
        if marks:
            self._go_to_section(min(max(self._section_index() + step, 0), len(marks) - 1))

    def action_sentence(self) -> None:
        """Select the sentence while quoting; a heading is no part of the sentence below it."""
        super().action_sentence()
        picker = self._picker
        if picker is None or picker.span is None:
            return
        start, end = picker.span
        while picker.page.text.startswith("## ", start) and "\n" in picker.page.text[start:end]:
            start = picker.page.text.index("\n", start) + 1
        if start != picker.span[0]:
            self._pick(replace(picker, anchor=start))

    def _go_to_section(self, index: int) -> None:
        self._at[self._shown] = index
        page = self._ready()
        top = page.row_of_source(self._documents[self._shown].marks[index][0])
        self.scroll_to(y=top, animate=False, force=True)
        self.refresh()
        self.post_message(self.SectionChanged())

    def _section_index(self) -> int:
        """The section at hand: the one gone to while any of it is in view, else the first one in view."""
        marks = self._documents[self._shown].marks
        if self._page is None or not marks:
            return self._at.get(self._shown, -1 if not marks else 0)
        lines = [line for line, _ in marks]
        if self._picker is not None:
            source = self._page.source_of_row(self._page.row_of(self._picker.cursor))
            return max(bisect_right(lines, source) - 1, 0)
        top = round(self.scroll_y)
        chosen = self._at.get(self._shown)
        if chosen is not None and chosen < len(marks):
            first, end = self._rows_of(chosen)
            if first < top + self._height and end > top:
                return chosen
        return max(bisect_right(lines, self._page.source_of_row(top)) - 1, 0)

    def _rows_of(self, index: int) -> tuple[int, int]:
        """The rows of a section: its first and the one behind its last."""
        assert self._page is not None
        marks = self._documents[self._shown].marks
        first = self._page.row_of_source(marks[index][0])
        last = index + 1 >= len(marks)
        return first, self._page.row_count if last else self._page.row_of_source(marks[index + 1][0])

    def line_strip(self, y: int) -> Strip:
        strip = super().line_strip(y)
        if y == 0 or self._page is None:
            return strip
        index = self._section_index()
        if index < 0:
            return strip
        first, end = self._rows_of(index)
        if not first <= round(self.scroll_y) + y - 1 < end:
            return strip
        return Strip.join([Strip([Segment(BAR, self.named_style("page"))], 1), strip.crop(1)])

    def _position(self) -> str:
        found = self.citation
        place = super()._position()
        return f"{citation_of(*found)} · {place}" if found is not None else place


def _subject_pages(pages: Sequence[ReaderPage]) -> tuple[SubjectPage, ...]:
    return tuple(
        SubjectPage(
            PageKind.FILE,
            page.document_id,
            page.document_id,
            page.text,
            is_markdown=looks_like_markdown(page.text),
        )
        for page in pages
    )
