"""A few lines of text that change with every key: only what differs is painted."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from rubrictui.widgets.open_list import changed_cells
from rubrictui.widgets.text import one_line


class QuietLines(Widget):
    """So many lines, each cut to the width. Text of others goes through the display function here."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    QuietLines { height: auto; background: $surface; color: $foreground; }
    """

    def __init__(self, height: int, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._height = height
        self._texts: tuple[str, ...] = ()
        self._painted: dict[int, Strip] = {}
        self._style: Style | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """What stands there, whole."""
        return self._texts

    def show(self, texts: Sequence[str]) -> None:
        """Show other lines."""
        self._texts = tuple(texts)
        width = self.size.width
        for y in range(self.size.height):
            start, end = changed_cells(self._painted.get(y), self._strip(y), width)
            if start < end:
                self.refresh(Region(start, y, end - start, 1))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._height

    def on_resize(self) -> None:
        self._painted.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        self._painted.clear()
        self._style = None
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        strip = self._painted[y] = self._strip(y)
        return strip

    def _strip(self, y: int) -> Strip:
        width = self.size.width
        if self._style is None:
            self._style = self.rich_style
        style = self._style
        text = " " + one_line(self._texts[y], max(width - 2, 1)) if y < len(self._texts) else ""
        # The words and the blanks after them are two pieces, so that a shorter text paints less.
        return Strip([Segment(text, style), Segment(" " * max(width - cell_len(text), 0), style)])
