"""A scrolled view whose length moves nothing else on the screen."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView


class SteadyScroll(ScrollView):
    """A scroll view that takes another length without a layout of the screen, where its own height is given.

    A layout arranges every widget and paints in a frame of its own, later than what the key has changed.
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
        elif has_bar:
            self.vertical_scrollbar.window_virtual_size = size.height
            self.vertical_scrollbar.window_size = height
        self.scroll_y = self.validate_scroll_y(self.scroll_y)
