"""An open list whose closed rows are one line each: thousands of rows that change with every key."""

from __future__ import annotations

from typing import Any

from textual.strip import Strip

from rubrictui.widgets.open_list import OpenList
from rubrictui.widgets.text import Line

_HEIGHT_STEP = 24
_OPEN_ROOM = 6
_DRAWN_KEPT = 500


class FlatList(OpenList):
    """The base of such lists. A subclass keeps its rows and calls ``relist`` when there are others."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._drawn: dict[tuple[tuple[tuple[str, str], ...], bool], Strip] = {}

    def _strip(self, line: Line, *, is_open: bool = False) -> Strip:
        """A line that looks as one before is drawn once: after most edits nearly all of them do."""
        key = (tuple(line), is_open)
        strip = self._drawn.get(key)
        if strip is None:
            if len(self._drawn) >= _DRAWN_KEPT:
                self._drawn.clear()
            strip = self._drawn[key] = super()._strip(line, is_open=is_open)
        return strip

    def forget_lines(self) -> None:
        self._drawn.clear()
        super().forget_lines()

    def row_height(self, index: int) -> int:
        return 1

    def _row_at(self, y: int) -> int:
        return min(max(y, 0), self.row_count - 1)

    def measure(self) -> None:
        """Lay everything out anew."""
        self.plan(max(self.line_width, 20))
        self._row_tops = range(self.row_count + 1)
        self.forget_lines()
        self._settle_height()
        self._open_cursor_row()

    def relist(self, cursor: int) -> None:
        """Show the rows as they are now, with the cursor on the row ``cursor``; paints what looks otherwise."""
        self.row_cursor = min(cursor, self.row_count - 1)
        self._closed_strips.clear()
        if not self.size.height:
            self._row_tops = ()  # out of sight: it is laid out when it comes into view
            return
        self._row_tops = range(self.row_count + 1)
        self._settle_height()
        self._open_cursor_row()
        has_scrolled = self._hold_end()
        if not self.show_cursor() and not has_scrolled:
            self.paint_lines()

    def repaint(self) -> None:
        """Paint what looks otherwise; the rows are the same."""
        self._closed_strips.clear()
        self.paint_changes()

    def _settle_height(self) -> None:
        """Keep the height while the rows fit: each change of it paints the whole scrollbar again."""
        room = self.size.height - self.row_count
        if room >= _OPEN_ROOM:
            self._reserve = room
            return
        spare = self.virtual_size.height - self.row_count
        self._reserve = spare if _OPEN_ROOM <= spare <= 2 * _HEIGHT_STEP else _HEIGHT_STEP
