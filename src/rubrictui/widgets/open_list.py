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
from textual.geometry import Region, Size
from textual.strip import Strip

from rubrictui.widgets.steady_scroll import SteadyScroll
from rubrictui.widgets.text import Line

_RESERVE_STEP = 6

TEXT = "text"
"""The style of the blanks that fill a line; it has no component class of its own."""


def changed_cells(before: Strip | None, after: Strip, width: int) -> tuple[int, int]:
    """The cells from the first to the last that two lines draw otherwise; start is end when none is.

    Whole pieces of one style count, and wide characters stay whole.
    """
    if before is None:
        return 0, width
    if before is after:
        return 0, 0
    old, new = list(before), list(after)
    least = min(len(old), len(new))
    first = last = 0
    while first < least and old[first] == new[first]:
        first += 1
    if first == len(old) == len(new):
        return 0, 0
    start = sum([segment.cell_length for segment in new[:first]])
    # What lies between may be of another length; then everything behind it has moved.
    if before.cell_length != after.cell_length:
        return start, width
    while last < least - first and old[-1 - last] == new[-1 - last]:
        last += 1
    end = width - sum([segment.cell_length for segment in new[len(new) - last :]])
    was, now = old[first : len(old) - last], new[first : len(new) - last]
    if was and now and was[-1].style == now[-1].style:
        end -= _common_end(was[-1].text, now[-1].text)
    return start, end


def _common_end(before: str, after: str) -> int:
    """How many characters the two share at their ends; none where not all are one cell wide."""
    if not (before.isascii() and after.isascii()):
        return 0
    count = 0
    while count < min(len(before), len(after)) and before[-1 - count] == after[-1 - count]:
        count += 1
    return count


class OpenList(SteadyScroll, can_focus=True):
    """The base of such lists. A subclass says what rows there are and how they look, closed and open.

    Styles are named in the lines; each is the component class ``{STYLE_PREFIX}--{name}`` of the subclass,
    and ``{STYLE_PREFIX}--open`` lies under all lines of the open row.
    """

    ALLOW_SELECT = False
    STYLE_PREFIX: ClassVar[str]

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
        self._line_styles: dict[str, Style] = {}
        self._painted_lines: dict[int, Strip] = {}

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
        """These rows look otherwise now."""
        for index in indexes:
            self._closed_strips.pop(index, None)
        self.paint_changes()

    def measure(self) -> None:
        """Lay everything out anew."""
        width = max(self.line_width, 20)
        self.plan(width)
        self._row_tops = [*accumulate(map(self.row_height, range(self.row_count)), initial=0)]
        self._forget_strips()
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
            self._paint_lines()

    def _paint_lines(self) -> None:
        """The same, with the open row as it was laid out last."""
        scroll, (width, height) = round(self.scroll_y), self.size
        changed = []
        for y in range(height):
            start, end = changed_cells(self._painted_lines.get(y), self._line(scroll + y), width)
            if start < end:
                changed.append(Region(start, y, end - start, 1))
        if changed:
            self.refresh(*changed)

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
                self._paint_lines()
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
        self.show_cursor()
        self.refresh()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.paint_changes()

    def notify_style_update(self) -> None:
        self._line_styles.clear()
        self._forget_strips()
        super().notify_style_update()

    def _forget_strips(self) -> None:
        self._closed_strips.clear()
        self._painted_lines.clear()
        self._open_strips = [None] * len(self._open_row)

    def render_line(self, y: int) -> Strip:
        if not self._row_tops:
            return Strip.blank(self.size.width, self.rich_style)
        strip = self._line(round(self.scroll_y) + y)
        self._painted_lines[y] = strip
        return strip

    def _line(self, y: int) -> Strip:
        found = self._locate(y)
        if found is None:
            return Strip.blank(self.line_width, self.rich_style)
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
        segments = [Segment(text, self._line_style(name, is_open)) for text, name in line]
        width = self.line_width
        # The blanks at the end join the last piece where they look alike: each piece costs some forty bytes.
        return Strip(segments).adjust_cell_length(width, self._line_style(TEXT, is_open)).simplify()

    def _line_style(self, name: str, is_open: bool) -> Style:
        key = f"{name}+" if is_open else name
        style = self._line_styles.get(key)
        if style is None:
            style = self.rich_style
            if is_open:
                style += self.get_component_rich_style(f"{self.STYLE_PREFIX}--open", partial=True)
            if name != TEXT:
                style += self.get_component_rich_style(f"{self.STYLE_PREFIX}--{name}", partial=True)
            self._line_styles[key] = style
        return style
