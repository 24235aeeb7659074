"""A pane of a few paragraphs to read beside or under a list: headings, labels, text, all of it untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from rubrictui.widgets.text import plain

Line = Sequence[tuple[str, str]]
"""One line: pieces of text, each with its tone: "", "heading", "label", "muted", "success", "warning", "error"."""

LIMIT = 20_000
"""Characters of one piece that are shown; a definition longer than that is no reading matter."""


class DetailPane(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Lines to read, scrolled by keys while it has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", "Scroll up", show=False, id="detail.up"),
        Binding("down,j", "scroll(1)", "Scroll down", id="detail.down", key_display="↓"),
        Binding("pageup", "scroll(-10)", "Page up", show=False, id="detail.page_up"),
        Binding("pagedown,space", "scroll(10)", "Page down", show=False, id="detail.page_down"),
        Binding("home,g", "scroll(-100000)", "Top", show=False, id="detail.top"),
        Binding("end,G", "scroll(100000)", "End", show=False, id="detail.end"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | up, k / down, j | Scroll by a line. |
    | pageup / pagedown, space | Scroll by ten lines. |
    | home, g / end, G | To the top, to the end. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "detail--heading",
        "detail--label",
        "detail--muted",
        "detail--accent",
        "detail--success",
        "detail--warning",
        "detail--error",
    }
    """
    | Class | Description |
    | :- | :- |
    | `detail--heading` | What the lines are about. |
    | `detail--label` | The name of a value. |
    | `detail--muted`, `--accent`, `--success`, `--warning`, `--error` | The tones of text. |
    """

    DEFAULT_CSS = """
    DetailPane {
        padding: 0 1;
        scrollbar-size-vertical: 1;
        background: $surface;
        & > .detail--heading { color: $accent; text-style: bold; }
        & > .detail--label { text-style: bold; }
        & > .detail--muted { color: $text-muted; }
        & > .detail--accent { color: $primary; }
        & > .detail--success { color: $success; }
        & > .detail--warning { color: $warning; }
        & > .detail--error { color: $error; }
        &:focus { background: $background; }
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: Sequence[Line] = ()

    def compose(self) -> ComposeResult:
        yield Static("", markup=False)

    def show(self, lines: Sequence[Line]) -> None:
        """Replace what is shown and go to its top."""
        self._lines = lines
        self._draw()
        self.scroll_to(y=0, animate=False)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self._draw()

    def _draw(self) -> None:
        self.query_one(Static).update(Content("\n").join(self._content(line) for line in self._lines))

    def _content(self, line: Line) -> Content:
        parts = []
        for text, tone in line:
            part = plain(text[:LIMIT])
            parts.append(
                part.stylize(self.get_visual_style(f"detail--{tone}", partial=True)) if tone else part
            )
        return Content("").join(parts)

    def action_scroll(self, by: int) -> None:
        """Scroll by ``by`` lines."""
        self.scroll_relative(y=by, animate=False)
