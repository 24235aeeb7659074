"""A screen that asks for one line above its footer: a name, a number, words to search for."""

from __future__ import annotations

from textual.screen import Screen, ScreenResultType

from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import RowsList


class AskingScreen(Screen[ScreenResultType]):
    """The base of such screens; one line is asked for at a time."""

    _line_asked: PromptLine | None = None

    @property
    def is_asking(self) -> bool:
        """Whether a line is being typed: its keys are letters then."""
        return self._line_asked is not None

    async def ask_line(
        self, label: str, purpose: str = "", *, value: str = "", placeholder: str = "", selected: bool = False
    ) -> None:
        """Ask for one line above the footer, one at a time. What is typed comes as ``PromptLine.Given``; it stays to
        be corrected until ``end_line``, which Esc calls too. For the arguments see ``PromptLine``."""
        if self._line_asked is None:
            self._line_asked = PromptLine(
                label, value=value, placeholder=placeholder, purpose=purpose, selected=selected
            )
            await self.mount(self._line_asked, before="KeyFooter")
            self.refresh_bindings()

    async def end_line(self) -> None:
        """Take the line away."""
        line, self._line_asked = self._line_asked, None
        if line is not None:
            self.line_ended(line.purpose)  # at once: the next key may be on its way
            self.refresh_bindings()
            await line.remove()

    def line_ended(self, purpose: str) -> None:
        """Give the keys back after a line: to the rows, where a screen says nothing else."""
        self.query(RowsList).first().focus()

    async def on_prompt_line_left(self) -> None:
        await self.end_line()
