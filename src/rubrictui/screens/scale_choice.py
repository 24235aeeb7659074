"""Choosing the scale of a criterion, or making and editing one on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.binding import Binding, BindingType

from rubrictui.core.explain import number
from rubrictui.core.model import Scale, ScaleType, VersionSnapshot, fold_id
from rubrictui.core.records import Role
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.scales import EXAMPLE_NAME, make_scale
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import one_line

if TYPE_CHECKING:
    from rubrictui.engine import Engine

COLUMNS: Final = (
    Column("Scale", share=2, minimum=18),
    Column("Answers", share=3, minimum=20),
    Column("Used here", width=9, right=True, drop=1),
)

NEW: Final = "/new"
"""The id of the row that makes a scale."""


def answers_words(scale: Scale) -> str:
    """What can be answered on a scale."""
    if scale.scale_type is ScaleType.NUMERIC:
        low = "?" if scale.min_value is None else number(scale.min_value)
        high = "?" if scale.max_value is None else number(scale.max_value)
        step = f", steps of {number(scale.step)}" if scale.step else ""
        return f"a number from {low} to {high}{step}"
    return " · ".join(one_line(level.label, 24) for level in scale.levels) or "no levels yet"


def choice_rows(version: VersionSnapshot, scales: Sequence[Scale], *, may_write: bool = True) -> list[Row]:
    """The scales to choose from, most used in the draft first, then the row that makes one.

    Args:
        scales: those of the store; the draft's own come along when the store does not list them.
        may_write: whether the author may make scales.
    """
    used = [fold_id(node.scale_id) for node in version.nodes if node.is_criterion]
    known = {fold_id(scale.id): scale for scale in (*version.scales, *scales)}
    ordered = sorted(known.values(), key=lambda s: (-used.count(fold_id(s.id)), (s.name or "").casefold()))
    rows = [
        Row(
            id=scale.id,
            cells=(
                scale.name or "without a name",
                answers_words(scale),
                str(used.count(fold_id(scale.id)) or ""),
            ),
        )
        for scale in ordered
    ]
    if may_write:
        rows.append(Row(id=NEW, cells=("A new scale ...", "named here, then its levels or range", "")))
    return rows


class ScaleChoiceScreen(ChooseScreen, ShellScreen[str | None]):
    """Dismissed with the id of the scale that was chosen or made, or None. What it is now, the store says.

    Args:
        title: what is answered on it.
        version: the draft.
        current: the id of the scale in use.
        begin_new: ask for the name of a new one at once; Esc shows the list.
    """

    HELP = (
        "Choose a row with Enter. a makes a new scale: type its name, give it levels or a range, and Esc comes back to "
        "the builder with the scale chosen. e edits the scale under the cursor, for every rubric that uses it. "
        "Esc goes back without choosing."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "new", "New scale", id="scale_choice.new", tooltip="Make a scale and choose it"),
        Binding("e", "edit", "Edit it", id="scale_choice.edit", tooltip="Edit the scale under the cursor"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | a | Make a scale and choose it. |
    | e | Edit the scale under the cursor. |
    """

    def __init__(
        self, title: str, version: VersionSnapshot, *, current: str | None = None, begin_new: bool = False
    ) -> None:
        super().__init__(title, COLUMNS, (), cursor=current, empty="Reading the scales ...")
        self._version = version
        self._begin_new = begin_new
        self._may_write = False

    def on_mount(self) -> None:
        self._read(self._start, ask=self._begin_new)

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _read(self, cursor: str | None, *, ask: bool = False) -> None:
        def read(engine: Engine) -> tuple[tuple[Scale, ...], bool]:
            return engine.scales(), Role.AUTHOR in engine.user.roles

        scales, self._may_write = await self.shell.ask(read)
        listed = self.query_one(RowsList)
        listed.empty = "There is no scale yet."
        listed.set_rows(choice_rows(self._version, scales, may_write=self._may_write), cursor=cursor)
        self.query_one(FilterLine).count()
        self.refresh_bindings()
        if ask and self._may_write:
            await self.action_new()

    @property
    def _row(self) -> str:
        current = self.query_one(RowsList).current if self.is_mounted else None
        return current.id if current is not None else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only who may write is offered to make and edit; nothing while a name is typed."""
        if action in ("new", "edit", "filter") and self.is_asking:
            return False
        if action == "new":
            return self._may_write
        if action == "edit":
            return self._may_write and self._row not in ("", NEW)
        return super().check_action(action, parameters)

    def on_rows_list_highlighted(self) -> None:
        self.refresh_bindings()

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        message.prevent_default()  # the list it stands on would take the row of a new scale for a scale
        if message.row.id == NEW:
            self.call_later(self.action_new)
        else:
            self.dismiss(message.row.id)

    # -- making and editing one

    async def action_new(self) -> None:
        """Ask for the name of a new scale."""
        await self.ask_line("Name of the new scale", placeholder=EXAMPLE_NAME)

    @work(exit_on_error=False, exclusive=True, group="change")
    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        """Make it, let it be edited, and choose it; a name that is refused stays to be corrected."""
        name = message.value
        if name:
            made = await self.shell.ask(lambda engine: make_scale(engine, name))
            self.dismiss(await self._edited(made.id))
        else:
            await self.end_line()

    @work(exit_on_error=False, exclusive=True, group="change")
    async def action_edit(self) -> None:
        """Edit the scale under the cursor, or a copy of it where it is frozen."""
        if (row := self._row) not in ("", NEW):
            self._read(await self._edited(row))

    async def _edited(self, scale_id: str) -> str:
        from rubrictui.screens.scale_editor import ScaleEditorScreen

        return await self.app.push_screen_wait(ScaleEditorScreen(scale_id)) or scale_id
