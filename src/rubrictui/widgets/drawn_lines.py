"""A widget that draws its own lines and remembers how they looked, so that a key paints what differs and no more."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

TEXT = "text"
"""The name of the widget's own style, which has no component class."""


class DrawnLines(Widget):
    """The base of such widgets. A subclass says how a line looks now, and calls ``paint_lines`` after a change.

    Styles have names; each is the component class ``{STYLE_PREFIX}--{name}`` of the subclass, "" and ``TEXT`` its own
    style. They are kept until the theme or the classes change: working one out takes longer than drawing a line.
    """

    STYLE_PREFIX: ClassVar[str]

    def __init__(self, *children: Widget, **options: Any) -> None:
        super().__init__(*children, **options)
        self._painted_lines: dict[int, Strip] = {}
        self._named_styles: dict[str, Style] = {}

    @abstractmethod
    def line_strip(self, y: int) -> Strip:
        """The line ``y`` of those in view, as it looks now."""

    def paint_lines(self, lines: Iterable[int] | None = None) -> None:
        """Paint the cells in view that look otherwise than they did, and no others.

        Args:
            lines: where that can be; None for all lines in view.
        """
        width, height = self.size
        changed = []
        for y in range(height) if lines is None else lines:
            start, end = changed_cells(self._painted_lines.get(y), self.line_strip(y), width)
            if start < end:
                changed.append(Region(start, y, end - start, 1))
        if changed:
            self.refresh(*changed)

    def forget_lines(self) -> None:
        """Forget how the lines looked: all of them are painted anew."""
        self._painted_lines.clear()

    def render_line(self, y: int) -> Strip:
        strip = self._painted_lines[y] = self.line_strip(y)
        return Strip(lean(strip), strip.cell_length)

    def named_style(self, name: str) -> Style:
        """The style with this name."""
        style = self._named_styles.get(name)
        if style is None:
            style = self._named_styles[name] = self._make_style(name)
        return style

    def _make_style(self, name: str) -> Style:
        if name in ("", TEXT):
            return self.rich_style
        return self.get_component_rich_style(f"{self.STYLE_PREFIX}--{name}")

    def notify_style_update(self) -> None:
        self._named_styles.clear()
        self.forget_lines()
        super().notify_style_update()


def lean(pieces: Iterable[Segment]) -> list[Segment]:
    """The same cells in fewer pieces: each costs some forty bytes of colours over the line.

    Pieces that look alike are joined, and blanks join a piece beside them on the same background.
    """
    joined: list[Segment] = []
    for piece in pieces:
        if not piece.text:
            continue
        if joined and (before := joined[-1]).style is not None and piece.style is not None:
            if before.style == piece.style or _takes_blanks(before.style, piece):
                joined[-1] = Segment(before.text + piece.text, before.style)
                continue
            if _takes_blanks(piece.style, before):
                joined[-1] = Segment(before.text + piece.text, piece.style)
                continue
        joined.append(piece)
    return joined


def _takes_blanks(style: Style, piece: Segment) -> bool:
    """Whether a piece of blanks looks the same in another style."""
    own = piece.style
    return (
        own is not None
        and piece.text.isspace()
        and style.bgcolor == own.bgcolor
        and not (_shows_on_blanks(style) or _shows_on_blanks(own))
        and style.meta == own.meta
    )


@lru_cache(512)
def _shows_on_blanks(style: Style) -> bool:
    return bool(
        style.underline or style.underline2 or style.reverse or style.strike or style.overline or style.link
    )


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
