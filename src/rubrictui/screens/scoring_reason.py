"""Giving work up, or an evaluation back, with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from rubrictui.screens.rows_screen import RowsScreen
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row, RowsList

OTHER = "Another reason"

DECLINE_REASONS = (
    "Conflict of interest",
    "Not my field",
    "No time before it is due",
    "The submission cannot be read or judged",
    OTHER,
)
WITHDRAW_REASONS = (
    "Scored the wrong subject",
    "Scored with the wrong rubric",
    "Conflict of interest",
    "Submitted by mistake",
    OTHER,
)


class ReasonScreen(RowsScreen[str | None]):
    """Dismissed with the reason, or with None. Choosing one asks for details, and Enter there does it."""

    TITLE = "Decline or withdraw"
    COLUMNS = (Column("Reason", share=1, minimum=20),)
    HELP = "Choose a reason; then add details if you like. Enter on the details does it, Esc goes back."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Choose", priority=True, id="reason.choose"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Choose the reason; on the details, do it. |
    | escape | Back. |
    """

    def __init__(self, title: str, about: str, reasons: Sequence[str], doing: str) -> None:
        """
        Args:
            title: the title line.
            about: what will happen.
            reasons: to choose from; the last one wants words of its own.
            doing: what Enter does at last: "declines", "withdraws it".
        """
        super().__init__(title)
        self._about = about
        self._reasons = tuple(reasons)
        self._doing = doing
        self._chosen = ""

    def about(self) -> str:
        return self._about

    def rows(self) -> Sequence[Row]:
        return [Row(str(index), (reason,)) for index, reason in enumerate(self._reasons)]

    async def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        self._chosen = self._reasons[int(message.row.id)]
        hint = "in your words" if self._chosen == OTHER else "optional"
        await self.ask_line(f"{self._chosen}: details", placeholder=f"{hint}; Enter {self._doing}")

    def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        if self._chosen == OTHER:
            if not message.value:
                self.app.notify("That reason needs words of its own.", severity="warning", markup=False)
                return
            self.dismiss(message.value)
            return
        self.dismiss(f"{self._chosen}: {message.value}" if message.value else self._chosen)
