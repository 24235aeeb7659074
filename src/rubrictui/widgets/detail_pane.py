"""A pane of a few paragraphs to read beside or under a list: headings, labels, text, all of it untrusted.

Drawn line by line, so that following a cursor costs no layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip

from rubrictui.core.display import visible
from rubrictui.widgets.drawn_lines import DrawnLines
from rubrictui.widgets.steady_scroll import SteadyScroll
from rubrictui.widgets.text import expand_tabs, fold_spans

Line = Sequence[tuple[str, str]]
"""One line: pieces of text, each with its tone: "", "heading", "label", "muted", "success", "warning", "error"."""

Lines = Sequence[Line] | Callable[[int], Sequence[Line]]

LIMIT = 20_000
"""Characters of one piece that are shown; a definition longer than that is no reading matter."""


def folded(line: Line, width: int) -> Iterator[Line]:
    """One line as rows of at most ``width`` cells, each piece with its tone; breaks in the text are kept."""
    whole = ""
    ends: list[tuple[int, str]] = []
    for text, tone in line:
        whole += expand_tabs(visible(text[:LIMIT]))
        ends.append((len(whole), tone))
    offset = 0
    for part in whole.split("\n"):
        for start, end in fold_spans(part, width):
            yield _pieces(whole, offset + start, offset + end, ends)
        offset += len(part) + 1


def _pieces(whole: str, start: int, end: int, ends: Sequence[tuple[int, str]]) -> Line:
    pieces: list[tuple[str, str]] = []
    for stop, tone in ends:
        if start < min(stop, end):
            pieces.append((whole[start : min(stop, end)], tone))
            start = min(stop, end)
    if pieces:
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    return pieces


class DetailPane(DrawnLines, SteadyScroll, can_focus=True, inherit_bindings=False):
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

    STYLE_PREFIX = "detail"

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
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
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
        self._lines: Lines = ()
        self._rows: list[Line] = []
        self._width = -1

    def show(self, lines: Lines) -> None:
        """Replace what is shown and go to its top.

        Args:
            lines: what to show; a function makes it anew for every width, for what is drawn to scale.
        """
        self._lines = lines
        self._fold()
        self.scroll_to(y=0, animate=False)
        self.refresh()

    def update_lines(self, lines: Lines) -> None:
        """Replace what is shown and stay in place; only the rows that look otherwise are painted."""
        before, self._lines = self._rows, lines
        self._fold()
        if self._width:
            top, height = round(self.scroll_y), self.size.height
            pairs = zip_longest(before[top : top + height], self._rows[top : top + height])
            self.paint_lines([y for y, (old, new) in enumerate(pairs) if old != new])

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._width:
            self._fold()
            self.forget_lines()
            self.refresh()

    def _fold(self) -> None:
        """Make rows of the lines. Out of sight there is no width, and they are folded when the pane comes into view;
        but a pane that is as high as its rows needs some to come there."""
        self._width = self.scrollable_content_region.width
        if not self._width and not self.styles.is_auto_height:
            return
        lines = self._lines(self._width) if callable(self._lines) else self._lines
        self._rows = [row for line in lines for row in folded(line, max(1, self._width))]
        self.virtual_size = Size(self._width, len(self._rows))

    def line_strip(self, y: int) -> Strip:
        width, blank = self.scrollable_content_region.width, self.named_style("")
        index = y + round(self.scroll_y)
        if index >= len(self._rows):
            return Strip.blank(width, blank)
        segments = [Segment(text, self.named_style(tone)) for text, tone in self._rows[index]]
        return Strip(segments).adjust_cell_length(width, blank)

    def action_scroll(self, by: int) -> None:
        """Scroll by ``by`` lines."""
        self.scroll_relative(y=by, animate=False)
