"""The list of reasons that a settlement can have: added to, taken from, put in order. Every change is stored at once."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from rubrictui.core.adjudication import AdjudicationReason
from rubrictui.screens.base import ShellScreen
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

_ADD, _EDIT = "add", "edit"


class ReasonsScreen(ShellScreen[None]):
    """The reasons, in the order in which they are offered."""

    TITLE = "Reasons"
    HELP = (
        "Why evaluators came to lie apart: whoever settles a subject chooses one of these. a adds a reason, e changes "
        "the words of the one under the cursor (a colon parts its name from what it means), x takes it away, K and J "
        "move it. What was settled keeps the words of its day."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "Add", id="reasons.add", tooltip="Add a reason"),
        Binding("e", "edit", "Edit", id="reasons.edit", tooltip="Change the words of this reason"),
        Binding("x", "remove", "Remove", id="reasons.remove", tooltip="Offer this reason no more"),
        Binding("K", "shift(-1)", "Move up", show=False, id="reasons.up"),
        Binding("J", "shift(1)", "Move down", show=False, id="reasons.down"),
        Binding("escape", "back", "Back", key_display="Esc", id="reasons.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | a | Add a reason. |
    | e | Change its words. |
    | x | Take it away. |
    | K / J | Move it up / down. |
    | escape | Back. |
    """

    def __init__(self) -> None:
        super().__init__()
        self._reasons: tuple[AdjudicationReason, ...] = ()

    def compose(self) -> ComposeResult:
        yield TitleBar("Reasons of settlements")
        yield RowsList((Column("Reason", share=2, minimum=20), Column("What it means", share=3, minimum=20)))
        yield KeyFooter()

    def on_mount(self) -> None:
        self._read()

    @work(exit_on_error=False, exclusive=True, group="reasons")
    async def _read(self) -> None:
        self._show(await self.shell.ask(lambda engine: engine.adjudication_reasons()))

    def _show(self, found: tuple[AdjudicationReason, ...], cursor: str | None = None) -> None:
        self._reasons = found
        rows = [Row(id=one.label, cells=(one.label, one.description)) for one in found]
        self.query_one(RowsList).set_rows(rows, cursor=cursor)
        self.query_one(TitleBar).right = counted(len(found), "reason")
        self.refresh_bindings()

    @work(exit_on_error=False, exclusive=True, group="reasons")
    async def _store(self, given: list[AdjudicationReason], cursor: str) -> None:
        self._show(await self.shell.ask(lambda engine: engine.set_adjudication_reasons(given)), cursor)

    @property
    def _place(self) -> int | None:
        row = self.query_one(RowsList).current
        return next((i for i, one in enumerate(self._reasons) if row and one.label == row.id), None)

    async def action_add(self) -> None:
        """Add a reason."""
        await self.ask_line("New reason (name: what it means)", _ADD)

    async def action_edit(self) -> None:
        """Change the words of the reason under the cursor."""
        if (place := self._place) is not None:
            one = self._reasons[place]
            words = f"{one.label}: {one.description}" if one.description else one.label
            await self.ask_line("Reason (name: what it means)", _EDIT, value=words)

    def action_remove(self) -> None:
        """Offer the reason under the cursor no more."""
        if (place := self._place) is not None:
            rest = [one for one in self._reasons if one is not self._reasons[place]]
            near = rest[min(place, len(rest) - 1)].label if rest else ""
            self._store(rest, near)

    def action_shift(self, by: int) -> None:
        """Move the reason under the cursor."""
        place = self._place
        if place is not None and 0 <= place + by < len(self._reasons):
            moved = list(self._reasons)
            moved.insert(place + by, moved.pop(place))
            self._store(moved, moved[place + by].label)

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        label, _, words = message.value.partition(":")
        place, purpose = self._place, message.prompt.purpose
        await self.end_line()
        if not label.strip():
            return
        given = list(self._reasons)
        one = AdjudicationReason(label=label.strip(), description=words.strip())
        if purpose == _EDIT and place is not None:
            given[place] = one
        else:
            given.append(one)
        self._store(given, one.label)

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)
