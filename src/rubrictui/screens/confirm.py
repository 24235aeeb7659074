"""A question with a yes and a no, on a screen of its own that says what would happen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from rubrictui.screens.rows_screen import RowsScreen
from rubrictui.widgets.rows_list import Column, Row, RowsList

_YES, _NO = "yes", "no"


class ConfirmScreen(RowsScreen[bool]):
    """Dismissed with True for yes. The cursor begins on no.

    Args:
        title: the question.
        about: what would happen.
        yes, no: what the two answers do.
    """

    TITLE = "A question"
    COLUMNS = (Column("", minimum=20),)
    HELP = (
        "Nothing has happened yet. Choose a line with the arrows and Enter; Esc goes back with nothing done."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Choose", priority=True, id="confirm.choose"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Do what the line under the cursor says. |
    | escape | Back, with nothing done. |
    """

    def __init__(self, title: str, about: str, *, yes: str, no: str) -> None:
        super().__init__(title)
        self._about = about
        self._yes, self._no = yes, no

    def about(self) -> str:
        return self._about

    def rows(self) -> Sequence[Row]:
        return (Row(_NO, (self._no,)), Row(_YES, (self._yes,), tone="warning"))

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        self.dismiss(message.row.id == _YES)

    def action_back(self) -> None:
        """Go back with nothing done."""
        self.dismiss(False)


async def confirmed(screen: Screen[Any], title: str, about: str, *, yes: str, no: str) -> bool:
    """Ask on a screen of its own; True for yes. To be awaited in a worker."""
    question: Screen[bool] = ConfirmScreen(title, about, yes=yes, no=no)
    answer: bool | None = await screen.app.push_screen_wait(question)
    return bool(answer)
