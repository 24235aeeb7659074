"""The two lines above a form: what is scored and with what, how far it is, and whether it is safe."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from rubrictui.widgets.text import one_line


class FormHeader(Widget):
    """Two lines. Values go in through ``show``; only what differs is painted."""

    ALLOW_SELECT = False

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
        if (mark, is_safe) != (self._mark, self._is_safe):
            room = max(cell_len(mark), cell_len(self._mark)) + 2
            self._mark, self._is_safe = mark, is_safe
            self.refresh(Region(max(self.size.width - room, 0), 0, room, 1))
        if progress != self._progress:
            room = max(cell_len(progress), cell_len(self._progress)) + 2
            self._progress = progress
            self.refresh(Region(max(self.size.width - room, 0), 1, room, 1))

    @property
    def mark(self) -> str:
        return self._mark

    @property
    def progress(self) -> str:
        return self._progress

    def render_line(self, y: int) -> Strip:
        if y == 0:
            right_style = "form--safe" if self._is_safe else "form--unsafe"
            return self._line(self._title, "form--title", self._mark, right_style)
        return self._line(self._about, "form--about", self._progress, "form--about")

    def _line(self, left: str, left_style: str, right: str, right_style: str) -> Strip:
        width = self.size.width
        base = self.rich_style
        left_shown = base + self.get_component_rich_style(left_style, partial=True)
        right = one_line(right, max(width - 2, 0))
        text = one_line(left, max(width - cell_len(right) - 4, 0))
        gap = width - cell_len(text) - cell_len(right) - 2
        segments = [
            Segment(f" {text}{' ' * max(gap, 0)}", left_shown),
            Segment(right, base + self.get_component_rich_style(right_style, partial=True)),
            Segment(" ", left_shown),
        ]
        return Strip(segments).adjust_cell_length(width, left_shown).simplify()
