"""The answer scales of the store: what they are, where they are used, and the way to edit them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar
from uuid import uuid4

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from rubrictui.core.authoring_records import ScaleUse
from rubrictui.core.model import Scale
from rubrictui.core.records import Role
from rubrictui.core.scale_edits import FIRST_LABELS, new_levels_scale
from rubrictui.screens import Entry, ScreenSpec
from rubrictui.screens.base import FilteredScreen, ShellScreen
from rubrictui.screens.confirm import confirmed
from rubrictui.screens.scale_words import scale_lines, scale_rows
from rubrictui.widgets.detail_pane import DetailPane
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, RowsList
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

COLUMNS: tuple[Column, ...] = (
    Column("Scale", share=2, minimum=18),
    Column("Kind", share=2, minimum=16),
    Column("Used by", width=11, drop=1),
    Column("State", width=6),
)
_NEW, _COPY = "new", "copy"

EXAMPLE_NAME = "such as Meets / Partial / Miss"
"""What stands where the name of a new scale is asked for."""


def make_scale(engine: Engine, name: str) -> Scale:
    """Store a new scale of the levels that every new scale begins with.

    Raises:
        NameTakenError: a scale has this name, ignoring case.
    """
    ids = [str(uuid4()) for _ in FIRST_LABELS]
    return engine.save_scale(new_levels_scale(name, ids))


class ScalesScreen(FilteredScreen[None], ShellScreen[None]):
    """The scales of the store."""

    TITLE = "Scales"
    HELP = (
        "What criteria are answered on. A scale of levels is answered by picking one, a numeric scale by a number in "
        "its range; one from 0 to 100 is a percentage. Once a published version uses a scale it is frozen, so that old "
        "scores stay what they were: D copies it to a new one that you can change."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "new", "New", id="scales.new", tooltip="A new scale"),
        Binding("D", "duplicate", "Duplicate", id="scales.duplicate", tooltip="A copy under another name"),
        Binding(
            "delete,X", "delete", "Delete", id="scales.delete", tooltip="Delete a scale that nothing uses"
        ),
        Binding("slash", "filter", "Filter", key_display="/", id="scales.filter"),
        Binding("tab", "app.focus_next", "Pane", show=False, id="scales.pane"),
        Binding("R", "reload", "Reload", show=False, id="scales.reload", tooltip="Read the scales again"),
        Binding("escape", "back", "Back", key_display="Esc", id="scales.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Edit the scale. |
    | a | A new scale. |
    | D | A copy under another name. |
    | delete, X | Delete a scale that nothing uses. |
    | / | Filter. |
    | tab | Between the list and what it says. |
    | R | Read the scales again. |
    | escape | Clear the filter; back. |
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it

    DEFAULT_CSS = """
    ScalesScreen {
        & #panes { height: 1fr; layout: vertical; }
        & RowsList { height: 1fr; min-height: 4; }
        & DetailPane { height: 45%; border-top: solid $border; }
        &.-wide #panes { layout: horizontal; }
        &.-wide RowsList { width: 3fr; height: 1fr; }
        &.-wide DetailPane { width: 2fr; height: 1fr; border-top: none; border-left: solid $border; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._scales: tuple[Scale, ...] = ()
        self._uses: dict[str, tuple[ScaleUse, ...]] = {}
        self._may_write = False
        self._cursor: str | None = None

    def compose(self) -> ComposeResult:
        rows = RowsList(COLUMNS, empty="Reading the scales ...")
        yield TitleBar("rubrictui · Scales", self.shell.store_label)
        with Container(id="panes"):
            yield rows
            yield DetailPane()
        yield FilterLine(rows)
        yield KeyFooter()

    def on_screen_resume(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the scales again."""
        await self._reload()

    async def _reload(self) -> None:
        def read(engine: Engine) -> tuple[tuple[Scale, ...], dict[str, tuple[ScaleUse, ...]], bool]:
            return engine.scales(), engine.all_scale_uses(), Role.AUTHOR in engine.user.roles

        self._scales, self._uses, self._may_write = await self.shell.ask(read)
        listed = self.query_one(RowsList)
        listed.empty = "No scale yet: a makes one."
        listed.set_rows(scale_rows(self._scales, self._uses), cursor=self._cursor)
        self._cursor = None
        self.query_one(TitleBar).right = counted(len(self._scales), "scale")
        self.query_one(FilterLine).count()
        self._show_detail()
        self.refresh_bindings()

    @property
    def scale(self) -> Scale | None:
        """The scale under the cursor."""
        current = self.query_one(RowsList).current if self.is_mounted else None
        return next((scale for scale in self._scales if current is not None and scale.id == current.id), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what would do something is offered."""
        if self.is_asking and action in ("new", "duplicate", "delete", "filter"):
            return False
        if action == "new":
            return self._may_write
        if action == "duplicate":
            return self._may_write and self.scale is not None
        if action == "delete":
            return self._may_write and self.scale is not None and not self._uses.get(self.scale.id)
        return True

    def on_rows_list_highlighted(self) -> None:
        self._show_detail()
        self.refresh_bindings()

    def _show_detail(self) -> None:
        scale = self.scale
        if scale is not None:
            self.query_one(DetailPane).show(scale_lines(scale, self._uses.get(scale.id, ())))

    # -- editing

    def on_rows_list_selected(self) -> None:
        if (scale := self.scale) is not None:
            self._edit(scale)

    def _edit(self, scale: Scale) -> None:
        from rubrictui.screens.scale_editor import ScaleEditorScreen

        self._cursor = scale.id
        self.app.push_screen(ScaleEditorScreen(scale.id))

    async def action_new(self) -> None:
        """A new scale."""
        await self.ask_line("Name of the new scale", _NEW, placeholder=EXAMPLE_NAME)

    async def action_duplicate(self) -> None:
        """A copy under another name."""
        if (scale := self.scale) is not None:
            await self.ask_line("Name of the copy", _COPY, value=f"{scale.name or 'Scale'} (copy)")

    @work(exit_on_error=False, exclusive=True, group="change")
    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        """Make the scale; what the store refuses stays in the line to be corrected."""
        name, source = message.value, self.scale
        if not name:
            await self.end_line()
            return

        def make(engine: Engine) -> Scale:
            if message.prompt.purpose == _COPY and source is not None:
                return engine.duplicate_scale(source.id, name)
            return make_scale(engine, name)

        made = await self.shell.ask(make)
        await self.end_line()
        await self._reload()
        self._edit(made)

    @work(exit_on_error=False, exclusive=True, group="change")
    async def action_delete(self) -> None:
        """Delete a scale that nothing uses."""
        scale = self.scale
        if scale is None:
            return
        about = f"{scale.name or 'This scale'} would be deleted. No criterion uses it. This cannot be undone."
        if await confirmed(self, "Delete the scale?", about, yes="Delete it", no="Keep it"):
            await self.shell.ask(lambda engine: engine.delete_scale(scale.id))
            await self._reload()


SCREEN = ScreenSpec(
    name="scales",
    title="Scales",
    opener=ScalesScreen,
    entries=(Entry("Scales", "The answer scales and where they are used", "app.open('scales')"),),
)
