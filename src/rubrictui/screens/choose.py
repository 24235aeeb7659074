"""Choosing one of many: a list with a filter on a screen of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from rubrictui.screens.base import FilteredScreen
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.title_bar import TitleBar


class ChoiceList(RowsList):
    """Rows of which one is chosen: Enter says so."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "Choose", id="rows.choose")]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Choose the row under the cursor. |
    """


class ChooseScreen(FilteredScreen[str | None], ModalScreen[str | None]):
    """Dismissed with the id of the chosen row, or None.

    Args:
        title: what is chosen.
        columns: the columns of the list.
        rows: what there is to choose from.
        cursor: the id of the row to start on.
        empty: what to say when there is nothing.
    """

    AUTO_FOCUS = "RowsList"
    HELP = (
        "Choose a row with Enter. The filter finds rows by any word in them. Esc goes back without choosing."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/", id="choose.filter"),
        Binding("escape", "back", "Back", key_display="Esc", id="choose.back"),
        Binding("question_mark", "app.help", "Help", key_display="?", id="choose.help"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Choose. |
    | / | Filter. |
    | escape | Clear the filter; go back without choosing. |
    | ? | Explain this. |
    """

    def __init__(
        self,
        title: str,
        columns: Sequence[Column],
        rows: Sequence[Row],
        *,
        cursor: str | None = None,
        empty: str = "",
    ) -> None:
        super().__init__()
        self.title = title  # what the help on this screen is headed with
        self._title = title
        self._columns = columns
        self._rows = rows
        self._start = cursor
        self._empty = empty

    def compose(self) -> ComposeResult:
        listed = ChoiceList(self._columns, empty=self._empty)
        yield TitleBar(self._title)
        yield listed
        yield FilterLine(listed)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one(RowsList).set_rows(self._rows, cursor=self._start)

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        self.dismiss(message.row.id)
