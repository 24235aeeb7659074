"""The two lines above a form: what is scored and with what, how far it is, and whether it is safe."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from rubrictui.widgets.drawn_lines import DrawnLines
from rubrictui.widgets.text import one_line


class FormHeader(DrawnLines):
    """Two lines. Values go in through ``show``; only what differs is painted."""

    ALLOW_SELECT = False

    STYLE_PREFIX = "form"

    COMPONENT_CLASSES: ClassVar[set[str]] = {"form--title", "form--about", "form--safe", "form--unsafe"}
    """
    | Class | Description |
    | :- | :- |
    | `form--title` | The subject. |
    | `form--about` | Rubric, context and progress. |
    | `form--safe`, `form--unsafe` | The mark that says whether everything is saved. |
    """

    DEFAULT_CSS = """
    FormHeader {
        dock: top;
        height: 2;
        background: $panel;
        color: $foreground;
        & > .form--title { text-style: bold; }
        & > .form--about { color: $text-muted; }
        & > .form--safe { color: $success; }
        & > .form--unsafe { color: $error; text-style: bold reverse; }
    }
    """

    def __init__(self, title: str, about: str, *, id: str | None = None) -> None:
        """
        Args:
            title: the subject's title.
            about: rubric, version and context.
        """
        super().__init__(id=id)
        self._title = title
        self._about = about
        self._mark = ""
        self._is_safe = True
        self._progress = ""

    def set_title(self, title: str, about: str) -> None:
        """Change the left side, for what is known only once it was read."""
        self._title, self._about = title, about
        self.refresh()

    def show(self, *, mark: str, is_safe: bool, progress: str) -> None:
        """Say whether everything is saved (in a word or two) and how far the form is."""
        if (mark, is_safe, progress) != (self._mark, self._is_safe, self._progress):
            self._mark, self._is_safe, self._progress = mark, is_safe, progress
            self.paint_lines()

    @property
    def mark(self) -> str:
        return self._mark

    @property
    def progress(self) -> str:
        return self._progress

    def on_resize(self) -> None:
        self.forget_lines()

    def line_strip(self, y: int) -> Strip:
        if y == 0:
            return self._line(self._title, "title", self._mark, "safe" if self._is_safe else "unsafe")
        return self._line(self._about, "about", self._progress, "about")

    def _make_style(self, name: str) -> Style:
        return self.rich_style + self.get_component_rich_style(f"form--{name}", partial=True)

    def _line(self, left: str, left_style: str, right: str, right_style: str) -> Strip:
        width, left_shown = self.size.width, self.named_style(left_style)
        right = one_line(right, max(width - 2, 0))
        text = one_line(left, max(width - cell_len(right) - 4, 0))
        gap = width - cell_len(text) - cell_len(right) - 2
        segments = [
            Segment(f" {text}{' ' * max(gap, 0)}", left_shown),
            Segment(right, self.named_style(right_style)),
            Segment(" ", left_shown),
        ]
        return Strip(segments).adjust_cell_length(width, left_shown)
