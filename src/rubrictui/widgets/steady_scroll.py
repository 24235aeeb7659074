"""A scrolled view whose length moves nothing else on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender


class SteadyScroll(ScrollView):
    """A scroll view that takes another length without a layout of the screen, where its own height is given.

    A layout arranges every widget and paints in a frame of its own, later than what the key has changed. Of the
    scrollbar it paints the ends of the thumb, and not all of it at every step.
    """

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    def watch_virtual_size(self, size: Size) -> None:
        """Bring the scrollbar, and a place beyond the end, in line with another length."""
        height = self.container_size.height
        has_bar = self.styles.overflow_y == "scroll" or (
            self.styles.overflow_y == "auto" and size.height > height
        )
        if self.styles.is_auto_height or has_bar != self.show_vertical_scrollbar:
            self.refresh(layout=True)
        self._place_thumb()
        self.scroll_y = self.validate_scroll_y(self.scroll_y)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        self._place_thumb()
        if round(old_value) != round(new_value):
            width, height = self.size
            self.refresh(Region(0, 0, width - self.scrollbar_size_vertical, height))

    def _place_thumb(self) -> None:
        """Bring the scrollbar in line with length and place; paints the cells of it that look otherwise."""
        if not self.show_vertical_scrollbar:
            return
        bar = self.vertical_scrollbar
        before = _cells(bar)
        bar.set_reactive(ScrollBar.window_virtual_size, self.virtual_size.height)
        bar.set_reactive(ScrollBar.window_size, self.container_size.height)
        bar.set_reactive(ScrollBar.position, bar.validate_position(self.scroll_y))
        width, height = bar.size
        pairs = zip(range(height), before, _cells(bar), strict=False)  # a thumb at the end reaches below it
        changed = [Region(0, y, width, 1) for y, old, new in pairs if old != new]
        if changed:
            bar.refresh(*changed)


def _cells(bar: ScrollBar) -> Sequence[Segment]:
    """The lines of a scrollbar as it stands."""
    drawn = cast("ScrollBarRender", bar.render())
    return drawn.render_bar(
        size=bar.size.height,
        virtual_size=drawn.virtual_size,
        window_size=drawn.window_size,
        position=drawn.position,
    ).segments
