"""The top line: where you are on the left, whose store it is on the right."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from rubrictui.widgets.text import one_line

SMALL = "80x24 shows more"
"""The hint that a terminal smaller than the design's gets."""


class TitleBar(Widget):
    """One line that names the screen. Text from the store goes through the display function here."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    TitleBar {
        dock: top;
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $foreground;
        text-style: bold;
    }
    """

    title: reactive[str] = reactive("")
    """The left part: where you are."""
    right: reactive[str] = reactive("")
    """The right part: the user and the store; given up first when there is no room."""

    def __init__(
        self, title: str = "", right: str = "", *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(TitleBar.title, title)
        self.set_reactive(TitleBar.right, right)

    def render(self) -> Content:
        width = self.content_size.width
        title = one_line(self.title, width)
        small = self.app.size.width < 80 or self.app.size.height < 24
        right = SMALL if small else one_line(self.right)
        room = width - cell_len(title) - 2
        if room < cell_len(right):
            return Content(title)
        return Content(title + " " * (room + 2 - cell_len(right)) + right)
