"""A list of rows of several lines of which the one under the cursor is open; drawn line by line.

One widget whatever the number of rows. Only what is in view is drawn, and after a change only the lines
that look otherwise are painted, so a key costs the terminal a few hundred bytes. Nothing animates.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip

from rubrictui.widgets.drawn_lines import TEXT, DrawnLines
from rubrictui.widgets.steady_scroll import SteadyScroll
from rubrictui.widgets.text import Line

_RESERVE_STEP = 6
_OPEN = "+"


class OpenList(DrawnLines, SteadyScroll, can_focus=True):
    """The base of such lists. A subclass says what rows there are and how they look, closed and open.

    The styles of the pieces are named in the lines; ``{STYLE_PREFIX}--open`` lies under all lines of the open row.
    """

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, priority=True, id="list.up"),
        Binding("down,j", "move(1)", "Down", show=False, priority=True, id="list.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, priority=True, id="list.page_up"),
        Binding("pagedown,space", "page(1)", "Page down", show=False, priority=True, id="list.page_down"),
        Binding("home", "move(-1000000)", "First", show=False, priority=True, id="list.first"),
        Binding("end", "move(1000000)", "Last", show=False, priority=True, id="list.last"),
        Binding(
            "ctrl+up,left_curly_bracket",
            "scroll_lines(-3)",
            "Scroll up",
            show=False,
            priority=True,
            id="list.scroll_up",
        ),
        Binding(
            "ctrl+down,right_curly_bracket",
            "scroll_lines(3)",
            "Scroll down",
            show=False,
            priority=True,
            id="list.scroll_down",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | up, k / down, j | The row before / after. |
    | pageup / pagedown, space | A page. |
    | home / end | The first / last row. |
    | ctrl+up, { / ctrl+down, } | Scroll without moving the cursor. |
    """

    DEFAULT_CSS = """
    OpenList {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self.row_cursor = -1
        self._row_tops: Sequence[int] = ()
        self._open_row: list[Line] = []
        self._open_strips: list[Strip | None] = []
        self._reserve = 0
        self._closed_strips: dict[int, list[Strip]] = {}

    @property
    def line_width(self) -> int:
        """Cells of a line: the widget without its scrollbar.

        From the size, not from the screen's map of regions, which is older while a resize is handled.
        """
        return max(self.size.width - self.scrollbar_size_vertical, 1)

    # -- what a subclass says

    @property
    @abstractmethod
    def row_count(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def plan(self, width: int) -> None:
        """Lay out for lines of ``width`` cells."""

    @abstractmethod
    def row_height(self, index: int) -> int:
        """The lines of a closed row; they must not depend on anything but the layout."""

    @abstractmethod
    def closed_lines(self, index: int) -> Sequence[Line]:
        """A row that is not under the cursor."""

    @abstractmethod
    def open_lines(self, index: int) -> Sequence[Line]:
        """The row under the cursor."""

    def is_stop(self, index: int) -> bool:
        """Whether the cursor may stand on this row."""
        return True

    def on_moved(self, before: int) -> None:
        """The cursor moved here from the row ``before``."""

    # -- changes

    def row_changed(self, *indexes: int) -> None:
        """These rows look otherwise now, or the one under the cursor does."""
        for index in indexes:
            self._closed_strips.pop(index, None)
        if not self._row_tops:
            return
        extra = self._extra
        self._open_cursor_row()
        if self._extra != extra:
            self.paint_lines()
            return
        scroll, height = round(self.scroll_y), self.size.height
        lines = [
            y - scroll for index in {*indexes, self.row_cursor} - {-1} for y in range(*self._span(index))
        ]
        self.paint_lines([y for y in lines if 0 <= y < height])

    def measure(self) -> None:
        """Lay everything out anew."""
        width = max(self.line_width, 20)
        self.plan(width)
        self._row_tops = [*accumulate(map(self.row_height, range(self.row_count)), initial=0)]
        self.forget_lines()
        self._reserve = 0
        self._open_cursor_row()

    def _open_cursor_row(self) -> None:
        lines = list(self.open_lines(self.row_cursor)) if self.row_cursor >= 0 else []
        known = dict(zip(map(tuple, self._open_row), self._open_strips, strict=False))
        self._open_strips = [known.get(tuple(line)) for line in lines]
        self._open_row = lines
        # Room for the longest open row so far, in steps: if the height of the list changed with each move of the
        # cursor, the whole scrollbar would be painted again.
        self._reserve = max(self._reserve, -(-self._extra // _RESERVE_STEP) * _RESERVE_STEP)
        size = Size(self.line_width, self._row_tops[-1] + self._reserve)
        if size != self.virtual_size:
            self.virtual_size = size

    def paint_changes(self) -> None:
        """Paint the lines in view that look otherwise than they did, and no others."""
        if self._row_tops:
            self._open_cursor_row()
            self.paint_lines()

    # -- moving

    def action_move(self, by: int) -> None:
        """Move by so many rows, stopping at the ends."""
        if self.row_cursor < 0:
            return
        step = 1 if by > 0 else -1
        target = index = self.row_cursor
        while by and 0 <= index + step < self.row_count:
            index += step
            if self.is_stop(index):
                target = index
                by -= step
        if target != self.row_cursor:
            self.move_to(target)
        elif step < 0:
            self.scroll_to(y=0, animate=False, force=True)

    def action_page(self, pages: int) -> None:
        """Move by a page of lines."""
        if self.row_cursor < 0:
            return
        top = self._row_tops[self.row_cursor]
        wanted = top + pages * max(self.size.height - 2, 1) - (max(self._extra, 0) if pages > 0 else 0)
        index = self._row_at(max(wanted, 0))
        step = 1 if pages > 0 else -1
        while 0 <= index < self.row_count and not self.is_stop(index):
            index += step
        if 0 <= index < self.row_count and (index - self.row_cursor) * step > 0:
            self.move_to(index, at_top=pages > 0)
        else:
            self.action_move(step)

    def action_scroll_lines(self, lines: int) -> None:
        """Scroll without moving the cursor."""
        self.scroll_to(y=self.scroll_y + lines, animate=False, force=True)

    def move_to(self, index: int, *, at_top: bool = False) -> None:
        """Put the cursor on a row and show it."""
        if index != self.row_cursor:
            before, self.row_cursor = self.row_cursor, index
            self.on_moved(before)
            for row in (before, index):
                self._closed_strips.pop(row, None)
            if self._row_tops:
                self._open_cursor_row()
            # A scroll paints every line anyway, so only without one is it worth looking which differ.
            if not self.show_cursor(at_top=at_top) and self._row_tops:
                self.paint_lines()
        else:
            self.show_cursor(at_top=at_top)

    def show_cursor(self, *, at_top: bool = False) -> bool:
        """Scroll when needed to show the open row, its first lines when it is too long.

        It scrolls half a page at a time: over a slow line a repaint at every move would be felt.

        Returns:
            Whether it scrolled.
        """
        if self.row_cursor < 0 or not self.size.height or not self._row_tops:
            return False
        top, end = self._span(self.row_cursor)
        before = self.row_cursor - 1
        while before >= 0 and not self.is_stop(before):
            top -= self._row_tops[before + 1] - self._row_tops[before]  # headings come into view with it
            before -= 1
        page, scroll = self.size.height, round(self.scroll_y)
        if at_top or (end - top >= page and top != scroll):
            target = top
        elif top < scroll:
            target = min(top, max(end - page // 2, 0))
        elif end > scroll + page:
            target = max(end - page, min(top, scroll + page // 2))
        else:
            return False
        # No further than the end of the rows, though there is room for a longer open row below them.
        target = min(target, max(self._row_tops[-1] + self._extra - page, 0))
        self.scroll_to(y=target, animate=False, force=True)
        return round(self.scroll_y) != scroll

    def _hold_end(self) -> bool:
        """Scroll back to the last row where the rows end above the foot now; returns whether it scrolled."""
        before = round(self.scroll_y)
        end = max(self._row_tops[-1] + self._extra - self.size.height, 0)
        if before > end:
            self.scroll_to(y=end, animate=False, force=True)
        return round(self.scroll_y) != before

    def on_click(self, event: events.Click) -> None:
        found = self._locate(event.y + round(self.scroll_y))
        if found is not None and self.is_stop(found[0]):
            self.move_to(found[0])

    # -- where rows stand

    @property
    def _extra(self) -> int:
        """How many lines the open row takes beyond its closed ones."""
        if self.row_cursor < 0:
            return 0
        return len(self._open_row) - (self._row_tops[self.row_cursor + 1] - self._row_tops[self.row_cursor])

    def _span(self, index: int) -> tuple[int, int]:
        """The first line of a row and the line after its last, as shown."""
        if index == self.row_cursor:
            top = self._row_tops[index]
            return top, top + len(self._open_row)
        shift = self._extra if index > self.row_cursor >= 0 else 0
        return self._row_tops[index] + shift, self._row_tops[index + 1] + shift

    def _row_at(self, y: int) -> int:
        return min(max(bisect_right(self._row_tops, y) - 1, 0), self.row_count - 1)

    def _locate(self, y: int) -> tuple[int, int] | None:
        """The row on line ``y`` and the line within it."""
        if self.row_cursor >= 0:
            top, end = self._span(self.row_cursor)
            if top <= y < end:
                return self.row_cursor, y - top
            if y >= end:
                y -= self._extra
        if not self._row_tops or not 0 <= y < self._row_tops[-1]:
            return None
        index = self._row_at(y)
        return index, y - self._row_tops[index]

    # -- drawing

    def on_resize(self) -> None:
        self.measure()
        if self._row_tops:
            self._hold_end()
        self.show_cursor()
        self.refresh()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.paint_changes()

    def forget_lines(self) -> None:
        super().forget_lines()
        self._closed_strips.clear()
        self._open_strips = [None] * len(self._open_row)

    def line_strip(self, y: int) -> Strip:
        if not self._row_tops:
            return Strip.blank(self.size.width, self.named_style(TEXT))
        found = self._locate(round(self.scroll_y) + y)
        if found is None:
            return Strip.blank(self.line_width, self.named_style(TEXT))
        index, within = found
        if index == self.row_cursor:
            strip = self._open_strips[within]
            if strip is None:
                strip = self._open_strips[within] = self._strip(self._open_row[within], is_open=True)
            return strip
        strips = self._closed_strips.get(index)
        if strips is None:
            strips = [self._strip(line) for line in self.closed_lines(index)]
            self._closed_strips[index] = strips
        return strips[within]

    def _strip(self, line: Line, *, is_open: bool = False) -> Strip:
        suffix = _OPEN if is_open else ""
        pieces = [Segment(text, self.named_style(name + suffix)) for text, name in line]
        return Strip(pieces).adjust_cell_length(self.line_width, self.named_style(TEXT + suffix))

    def _make_style(self, name: str) -> Style:
        """A style lies over that of the list, and in the open row over that of the row."""
        style = self.rich_style
        plain = name.removesuffix(_OPEN)
        for part in ("open" if plain != name else TEXT, plain):
            if part != TEXT:
                style += self.get_component_rich_style(f"{self.STYLE_PREFIX}--{part}", partial=True)
        return style
