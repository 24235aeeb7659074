"""The line that filters a list while it is typed: ``/`` opens it, Enter keeps the filter, Esc clears it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from rubrictui.widgets.rows_list import RowsList


class FilterLine(Horizontal):
    """A filter for the list ``target``; out of sight while there is no filter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "down",
            "keep",
            "Keep filter",
            key_display="⏎",
            id="filter.keep",
            tooltip="Back to the filtered list",
        ),
        Binding(
            "escape",
            "clear",
            "Clear filter",
            key_display="Esc",
            id="filter.clear",
            tooltip="Back to all rows",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter, down | Go back to the list, which stays filtered. |
    | escape | Clear the filter and go back to the list. |
    """

    DEFAULT_CSS = """
    FilterLine {
        height: 1;
        display: none;
        background: $surface;
        & > .filter--sign { width: 3; padding: 0 1; color: $accent; text-style: bold; }
        & > Input { width: 1fr; background: $surface; }
        & > .filter--count { width: auto; padding: 0 1; color: $text-muted; }
        &.-open { display: block; }
    }
    """

    def __init__(self, target: RowsList, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._target = target

    async def open(self) -> None:
        """Show the line and type into it. The field is made when it is first wanted."""
        if not self.children:
            field = Input(placeholder="words to look for, in any column", select_on_focus=False, compact=True)
            field.cursor_blink = False  # over a slow line a blinking cursor is traffic
            await self.mount(
                Static("/", classes="filter--sign"), field, Static("", classes="filter--count", markup=False)
            )
        self.add_class("-open")
        self.query_one(Input).focus()

    @property
    def is_active(self) -> bool:
        """Whether there is a filter, or one is being typed."""
        return self.has_class("-open")

    def action_keep(self) -> None:
        """Back to the list; without a filter the line goes out of sight."""
        if not self._target.filter.strip():
            self.remove_class("-open")
        self._target.focus()

    def action_clear(self) -> None:
        """Clear the filter and go back to the list."""
        if self.children:
            self.query_one(Input).value = ""
        self._target.filter = ""
        self.count()
        self.action_keep()

    def count(self) -> None:
        """Say again how many rows are left; for when the rows changed."""
        if not self.children:
            return
        text = f"{self._target.shown_count} of {len(self._target.rows)}" if self._target.filter else ""
        self.query_one(".filter--count", Static).update(text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_keep()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._target.filter = event.value
        self.count()
