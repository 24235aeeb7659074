"""The last guard before the terminal: no control byte of content leaves a strip.

Text is made safe where it is drawn (``widgets/text.py``). This guard is for the day someone forgets:
Textual applies it to every line of every widget, borders, toasts and text areas included, and keeps
the result with the line, so an unchanged line costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

# What a terminal acts on, and what turns or hides text. All of them are zero cells wide, so that
# leaving them out keeps a line aligned.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


class ControlGuard(LineFilter):
    """Leaves control, direction and zero-width characters and hyperlinks out of rendered lines."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, or a cleaned copy when one of them is unsafe."""
        text = "".join([segment.text for segment in segments])
        is_safe = (text.isascii() and text.isprintable()) or _UNSAFE.search(text) is None
        if is_safe and not any(style.link for _, style, _ in segments if style):
            return segments
        if not any(map(_is_unsafe, segments)):
            return segments  # the frame's own codes
        return [_cleaned(segment) if _is_unsafe(segment) else segment for segment in segments]


def _is_unsafe(segment: Segment) -> bool:
    if segment.control:
        return False
    if segment.style is not None and segment.style.link:
        return True
    text = segment.text
    return not (text.isascii() and text.isprintable()) and _UNSAFE.search(text) is not None


def _cleaned(segment: Segment) -> Segment:
    style = segment.style
    if style is not None and style.link:
        style = style.update_link(None)
    return Segment(_UNSAFE.sub("", segment.text), style)


CONTROL_GUARD = ControlGuard()


class _Chain(LineFilter):
    """Filters as one: a line that has not changed is looked up once in a frame, and not once for each of them."""

    def __init__(self, filters: tuple[LineFilter, ...]) -> None:
        super().__init__()
        self._filters = filters

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        for each in self._filters:
            segments = each.apply(segments, background)
        return segments


@lru_cache(8)
def _chained(filters: tuple[LineFilter, ...]) -> tuple[LineFilter]:
    return (_Chain(filters),)


def with_guard(filters: Sequence[LineFilter]) -> tuple[LineFilter]:
    """The filters with the guard behind them, as one: what an application's ``get_line_filters`` returns."""
    return _chained((*filters, CONTROL_GUARD))
