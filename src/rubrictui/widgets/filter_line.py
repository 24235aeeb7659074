"""The line that filters a list while it is typed: ``/`` opens it, Enter keeps the filter, Esc clears it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from rubrictui.widgets.rows_list import RowsList


class FilterInput(Input):
    """The text field of a filter line. It does not blink: over a slow line a blinking cursor is traffic."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "screen.filter_done", "Keep filter", id="filter.keep"),
        Binding("escape", "screen.filter_clear", "Clear filter", id="filter.clear"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter, down | Go back to the list, which stays filtered. |
    | escape | Clear the filter and go back to the list. |
    """


class FilterLine(Horizontal):
    """A filter for the list ``target``; out of sight while there is no filter."""

    DEFAULT_CSS = """
    FilterLine {
        dock: bottom;
        height: 1;
        display: none;
        background: $surface;
        & > .filter--sign { width: 3; padding: 0 1; color: $accent; text-style: bold; }
        & > FilterInput { width: 1fr; height: 1; border: none; padding: 0; background: $surface; }
        & > .filter--count { width: auto; padding: 0 1; color: $text-muted; }
        &.-open { display: block; }
    }
    """

    def __init__(self, target: RowsList, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._target = target

    def compose(self) -> ComposeResult:
        yield Static("/", classes="filter--sign")
        field = FilterInput(placeholder="words to look for, in any column", select_on_focus=False)
        field.cursor_blink = False
        yield field
        yield Static("", classes="filter--count", markup=False)

    def open(self) -> None:
        """Show the line and type into it."""
        self.add_class("-open")
        self.query_one(FilterInput).focus()

    def close(self, *, clear: bool) -> None:
        """Back to the list; without a filter the line goes out of sight."""
        field = self.query_one(FilterInput)
        if clear:
            field.value = ""
        if not field.value.strip():
            self.remove_class("-open")
        self._target.focus()

    def count(self) -> None:
        """Say again how many rows are left; for when the rows changed."""
        text = f"{self._target.shown_count} of {len(self._target.rows)}" if self._target.filter else ""
        self.query_one(".filter--count", Static).update(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._target.filter = event.value
        self.count()
