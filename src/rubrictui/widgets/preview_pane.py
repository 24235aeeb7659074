"""The live preview of a draft: the whole of it in a pane, or its first two lines where there is no room."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip

from rubrictui.widgets.detail_pane import DetailPane, Line
from rubrictui.widgets.drawn_lines import DrawnLines
from rubrictui.widgets.text import one_line, truncate


class PreviewPane(DetailPane):
    """The preview to read and scroll."""

    HELP = (
        "What the sample answers would score on the draft as it is now: the score, the outcome with its reason, the "
        "gates, and what every part gives."
    )


class PreviewStrip(DrawnLines):
    """The preview on two lines: the score with its outcome, and why."""

    ALLOW_SELECT = False

    STYLE_PREFIX = "strip"

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "strip--accent",
        "strip--error",
        "strip--heading",
        "strip--muted",
        "strip--success",
        "strip--warning",
    }
    """
    | Class | Description |
    | :- | :- |
    | `strip--heading` | The score. |
    | `strip--accent`, `--error`, `--muted`, `--success`, `--warning` | The tones of text. |
    """

    DEFAULT_CSS = """
    PreviewStrip {
        height: 2;
        background: $surface;
        & > .strip--heading { text-style: bold; }
        & > .strip--accent { color: $accent; }
        & > .strip--muted { color: $text-muted; }
        & > .strip--success { color: $success; text-style: bold; }
        & > .strip--warning { color: $warning; text-style: bold; }
        & > .strip--error { color: $error; text-style: bold; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[Line, ...] = ()

    def show(self, head: Line, second: str) -> None:
        """Set the two lines: visible pieces with their tones, and a text."""
        lines: tuple[Line, ...] = (tuple(head), ((one_line(second), "muted"),))
        if lines != self._lines:
            self._lines = lines
            self.paint_lines()

    def on_resize(self) -> None:
        self.forget_lines()

    def line_strip(self, y: int) -> Strip:
        width, blank = self.size.width, self.named_style("")
        segments = [Segment(" ", blank)]
        left = width - 2
        for text, tone in self._lines[y] if y < len(self._lines) else ():
            segments.append(Segment(truncate(text, left), self.named_style(tone)))
            left -= segments[-1].cell_length
        return Strip(segments).adjust_cell_length(width, blank)
