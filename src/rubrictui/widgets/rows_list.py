"""A long list of rows in columns, drawn line by line: a cursor, headings, a filter.

One widget whatever the number of rows; a cursor move paints two lines. Values go in through ``set_rows``,
``RowsList.Highlighted`` and ``RowsList.Selected`` come out. Cells are untrusted text and pass the display function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from rubrictui.widgets.drawn_lines import DrawnLines
from rubrictui.widgets.steady_scroll import SteadyScroll
from rubrictui.widgets.text import one_line, pad

GUTTER = 2
"""Cells before the first column: the row's mark and a blank."""


class Column(NamedTuple):
    """One column. ``width`` is in cells; 0 takes a ``share`` of what is left, at least ``minimum``.

    When the minimum widths do not fit, columns with the highest ``drop`` are left out first; 0 always stays.
    """

    title: str
    width: int = 0
    share: int = 1
    minimum: int = 8
    right: bool = False
    drop: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One row. ``id`` is unique in the list; rows of one ``section`` stand together under its heading.

    ``tone`` (and ``tones``, one a cell, where they differ) is "", "muted", "strong", "success", "warning" or "error".
    ``mark`` is a one-cell glyph in front; ``indent`` shifts the first cell. ``search`` is what the filter looks
    at besides the cells.
    """

    id: str
    cells: tuple[str, ...]
    section: str = ""
    tone: str = ""
    tones: tuple[str, ...] = ()
    mark: str = " "
    indent: int = 0
    search: str = ""

    def tone_of(self, cell: int) -> str:
        return (self.tones[cell] if cell < len(self.tones) else "") or self.tone


class _Line(NamedTuple):
    """What stands on one line: a heading, or the row of that index."""

    heading: str
    row: int


def column_widths(columns: Sequence[Column], width: int) -> tuple[int, ...]:
    """The cells each column gets in ``width``, one blank between; 0 for a column that is left out."""
    kept = list(range(len(columns)))

    def least(index: int) -> int:
        return columns[index].width or columns[index].minimum

    while sum(least(i) for i in kept) + len(kept) - 1 > width:
        droppable = [i for i in kept if columns[i].drop]
        if not droppable:
            break
        kept.remove(max(droppable, key=lambda i: columns[i].drop))
    spare = width - (len(kept) - 1) - sum(columns[i].width for i in kept)
    flexible = [i for i in kept if not columns[i].width]
    widths = [columns[i].width if i in kept else 0 for i in range(len(columns))]
    pending = set(flexible)
    while pending:  # who would get less than its minimum gets the minimum; the others share the rest
        shares = sum(columns[i].share for i in pending)
        short = {i for i in pending if spare * columns[i].share // shares < columns[i].minimum}
        if not short or short == pending:
            break
        for index in short:
            widths[index] = columns[index].minimum
            spare -= columns[index].minimum
        pending -= short
    shares = sum(columns[i].share for i in pending)
    for index in sorted(pending):
        widths[index] = max(1, spare * columns[index].share // shares)
        spare -= widths[index]
        shares -= columns[index].share
    return tuple(widths)


def cell_text(text: str, width: int, right: bool = False) -> str:
    """Untrusted text as exactly ``width`` visible cells."""
    line = one_line(text, width)
    return " " * (width - cell_len(line)) + line if right else pad(line, width)


def matching(rows: Sequence[Row], words: str) -> list[int]:
    """The indexes of the rows that hold every word of ``words``, in any cell, whatever the case."""
    wanted = words.casefold().split()
    if not wanted:
        return list(range(len(rows)))
    found: list[int] = []
    for index, row in enumerate(rows):
        text = "\n".join((*row.cells, row.section, row.search)).casefold()
        if all(word in text for word in wanted):
            found.append(index)
    return found


class RowsList(DrawnLines, SteadyScroll, can_focus=True, inherit_bindings=False):
    """Rows in columns under a fixed header line."""

    ALLOW_SELECT = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Open", id="rows.select"),
        Binding("up,k", "move(-1)", "Up", show=False, id="rows.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="rows.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="rows.page_up"),
        Binding("pagedown,space", "page(1)", "Page down", show=False, id="rows.page_down"),
        Binding("home,g", "move(-1000000)", "First", show=False, id="rows.first"),
        Binding("end,G", "move(1000000)", "Last", show=False, id="rows.last"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Select the row under the cursor. |
    | up, k / down, j | Move the cursor by a row, over headings. |
    | pageup / pagedown, space | Move it by a page. |
    | home, g / end, G | Move it to the first or the last row. |
    """

    STYLE_PREFIX = "rows"

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--header",
        "rows--heading",
        "rows--cursor",
        "rows--cursor-blurred",
        "rows--muted",
        "rows--strong",
        "rows--success",
        "rows--warning",
        "rows--error",
    }
    """
    | Class | Description |
    | :- | :- |
    | `rows--header` | The line of column titles. |
    | `rows--heading` | The heading of a section. |
    | `rows--cursor` | The row under the cursor while the list has the focus. |
    | `rows--cursor-blurred` | The row under the cursor while it has not. |
    | `rows--muted`, `--strong`, `--success`, `--warning`, `--error` | The tones of rows and cells. |
    """

    DEFAULT_CSS = """
    RowsList {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
        & > .rows--header { color: $text-muted; text-style: underline; }
        & > .rows--heading { color: $accent; text-style: bold; }
        & > .rows--cursor {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: $block-cursor-text-style;
        }
        & > .rows--cursor-blurred {
            color: $block-cursor-blurred-foreground;
            background: $block-cursor-blurred-background;
            text-style: $block-cursor-blurred-text-style;
        }
        & > .rows--muted { color: $text-muted; }
        & > .rows--strong { text-style: bold; }
        & > .rows--success { color: $success; }
        & > .rows--warning { color: $warning; }
        & > .rows--error { color: $error; text-style: bold; }
    }
    """

    filter: reactive[str] = reactive("", layout=False, repaint=False)
    """Only rows that hold every word of it are listed."""

    class _RowMessage(Message):
        def __init__(self, rows_list: RowsList, row: Row) -> None:
            super().__init__()
            self.rows_list = rows_list
            self.row = row

        @property
        def control(self) -> RowsList:
            return self.rows_list

    class Highlighted(_RowMessage):
        """The cursor came to ``row``."""

    class Selected(_RowMessage):
        """``row`` was chosen with Enter or a click on the row under the cursor."""

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        empty: str = "",
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self.columns = tuple(columns)
        self.empty = empty
        self._rows: tuple[Row, ...] = ()
        self._lines: list[_Line] = []
        self._cursor = -1
        self._widths: tuple[int, ...] = ()
        self._width = -1
        self._strips: dict[tuple[int, str], Strip] = {}

    # -- values in

    @property
    def rows(self) -> tuple[Row, ...]:
        return self._rows

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self._rows[self._lines[self._cursor].row] if 0 <= self._cursor < len(self._lines) else None

    @property
    def shown_count(self) -> int:
        """How many rows the filter leaves."""
        return sum(1 for line in self._lines if line.row >= 0)

    def set_rows(self, rows: Sequence[Row], *, cursor: str | None = None) -> None:
        """Replace the rows. The cursor goes to the row ``cursor``, else stays with its row's id, else its place."""
        before = self.current
        self._rows = tuple(rows)
        self._rebuild(cursor or (before.id if before else None), before)

    def go_to(self, row_id: str) -> bool:
        """Put the cursor on the row ``row_id``; False when it is not listed."""
        for index, line in enumerate(self._lines):
            if line.row >= 0 and self._rows[line.row].id == row_id:
                self._set_cursor(index)
                return True
        return False

    def watch_filter(self) -> None:
        before = self.current
        self._cursor = -1  # what no longer matches gives its place to the first row that does
        self._rebuild(before.id if before else None, before)

    def listed(self) -> list[int]:
        """The indexes of the rows to list now: those that the filter leaves."""
        return matching(self._rows, self.filter)

    def _rebuild(self, wanted: str | None, before: Row | None) -> None:
        place = self._cursor
        self._lines = []
        section = ""
        for index in self.listed():
            if self._rows[index].section != section:
                section = self._rows[index].section
                self._lines.append(_Line(section, -1))
            self._lines.append(_Line("", index))
        self._strips.clear()
        self._cursor = self._line_of(wanted, place)
        self._measure()
        self._scroll_to_cursor()
        self.refresh()
        if self.current is not None and self.current != before:
            self.post_message(self.Highlighted(self, self.current))

    def _line_of(self, wanted: str | None, place: int) -> int:
        selectable = [i for i, line in enumerate(self._lines) if line.row >= 0]
        for index in selectable:
            if self._rows[self._lines[index].row].id == wanted:
                return index
        after = [i for i in selectable if i >= place]
        return after[0] if after else (selectable[-1] if selectable else -1)

    # -- moving

    def _set_cursor(self, line: int) -> None:
        if line == self._cursor or not 0 <= line < len(self._lines):
            return
        old, self._cursor = self._cursor, line
        self._refresh_line(old)
        self._refresh_line(line)
        self._scroll_to_cursor()
        if (row := self.current) is not None:
            self.post_message(self.Highlighted(self, row))

    def _refresh_line(self, line: int) -> None:
        self.refresh_line(line + 1)

    def _scroll_to_cursor(self) -> None:
        page = self._page
        top = round(self.scroll_y)
        first = self._cursor
        while first > 0 and self._lines[first - 1].row < 0:
            first -= 1  # a heading comes into view with its first row
        if first < top:
            self.scroll_to(y=first, animate=False, force=True)
        elif self._cursor >= top + page:
            self.scroll_to(y=self._cursor - page + 1, animate=False, force=True)

    @property
    def _page(self) -> int:
        return max(1, self.size.height - 1)

    def action_move(self, by: int) -> None:
        """Move the cursor by ``by`` rows, stopping at the ends."""
        selectable = [i for i, line in enumerate(self._lines) if line.row >= 0]
        if not selectable:
            return
        at = selectable.index(self._cursor) if self._cursor in selectable else 0
        self._set_cursor(selectable[min(max(at + by, 0), len(selectable) - 1)])

    def action_page(self, pages: int) -> None:
        """Move the cursor by ``pages`` pages."""
        self.action_move(pages * max(1, self._page - 1))

    def action_select(self) -> None:
        """Choose the row under the cursor."""
        if (row := self.current) is not None:
            self.post_message(self.Selected(self, row))

    def on_click(self, event: events.Click) -> None:
        line = event.y - 1 + round(self.scroll_y)
        if event.y < 1 or not 0 <= line < len(self._lines) or self._lines[line].row < 0:
            return
        if line == self._cursor:
            self.action_select()
        else:
            self._set_cursor(line)

    # -- drawing

    def on_resize(self) -> None:
        self._strips.clear()
        self._measure()
        self._scroll_to_cursor()

    def forget_lines(self) -> None:
        super().forget_lines()
        self._strips.clear()

    def _measure(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._lines) + 1)
        self._width = -1

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._refresh_line(self._cursor)

    def line_strip(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if width != self._width:  # also when the scrollbar came or went
            self._width = width
            self._widths = column_widths(self.columns, width - GUTTER)
            self._strips.clear()
        if y == 0:
            return self._header(width)
        index = y - 1 + round(self.scroll_y)
        if index >= len(self._lines):
            return self._blank(width, self.empty if index == 0 else "")
        style = "" if index != self._cursor else ("cursor" if self.has_focus else "cursor-blurred")
        if (strip := self._strips.get((index, style))) is None:
            line = self._lines[index]
            strip = self._heading(line.heading, width) if line.row < 0 else self._row(line.row, style, width)
            self._strips[(index, style)] = strip
        return strip

    def _header(self, width: int) -> Strip:
        titles = [column.title for column in self.columns]
        style = self.named_style("header")
        cells = [cell_text(t, w, c.right) for t, w, c in zip(titles, self._widths, self.columns, strict=True)]
        text = " " * GUTTER + " ".join(
            cell for cell, cells_wide in zip(cells, self._widths, strict=True) if cells_wide
        )
        return Strip([Segment(text, style)]).adjust_cell_length(width, style)

    def _heading(self, heading: str, width: int) -> Strip:
        style = self.named_style("heading")
        return Strip([Segment(pad(one_line(heading, width), width), style)]).adjust_cell_length(width, style)

    def _blank(self, width: int, text: str) -> Strip:
        style = self.named_style("muted")
        return Strip([Segment(pad(" " * GUTTER + one_line(text, width), width), style)], width)

    def _row(self, index: int, cursor: str, width: int) -> Strip:
        row = self._rows[index]

        def style_of(tone: str) -> Style:
            return self.named_style(cursor or tone)

        segments = [Segment(f"{row.mark} ", style_of(row.tone))]
        plain = style_of("")
        first = True
        for cell, (column, cells) in enumerate(zip(self.columns, self._widths, strict=True)):
            if not cells:
                continue
            if not first:
                segments.append(Segment(" ", plain))
            first = False
            indent = 0 if cell else max(0, min(row.indent, cells - 4))
            content = row.cells[cell] if cell < len(row.cells) else ""
            text = " " * indent + cell_text(content, cells - indent, column.right)
            segments.append(Segment(text, style_of(row.tone_of(cell))))
        # Fewer segments are fewer style changes on the line to the terminal.
        return Strip(segments).adjust_cell_length(width, plain)
