"""A few lines of text that change with every key: only what differs is painted."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

from rubrictui.widgets.drawn_lines import TEXT, DrawnLines
from rubrictui.widgets.text import one_line


class QuietLines(DrawnLines):
    """So many lines, each cut to the width. Text of others goes through the display function here."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    QuietLines { height: auto; background: $surface; color: $foreground; }
    """

    def __init__(self, height: int, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._height = height
        self._texts: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """What stands there, whole."""
        return self._texts

    def show(self, texts: Sequence[str]) -> None:
        """Show other lines."""
        self._texts = tuple(texts)
        self.paint_lines()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._height

    def on_resize(self) -> None:
        self.forget_lines()
        self.refresh()

    def line_strip(self, y: int) -> Strip:
        width, style = self.size.width, self.named_style(TEXT)
        text = " " + one_line(self._texts[y], max(width - 2, 1)) if y < len(self._texts) else ""
        # The words and the blanks after them are two pieces, so that a shorter text paints less.
        return Strip([Segment(text, style), Segment(" " * max(width - cell_len(text), 0), style)])
