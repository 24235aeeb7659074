"""One answer scale to edit: its name and kind, its range or its levels. Every change is stored at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar
from uuid import uuid4

from msgspec.structs import replace
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.core.authoring_records import ScaleUse
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Level, Scale, ScaleType
from rubrictui.core.records import Role
from rubrictui.core.scale_edits import (
    FIRST_LABELS,
    as_levels,
    as_numeric,
    delete_level,
    is_even,
    move_level,
    spread_evenly,
)
from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.confirm import confirmed
from rubrictui.screens.scale_typing import (
    ADD,
    ASKED,
    COPY,
    LABEL,
    NUMBERS,
    SCORE,
    TEXT,
    VALUE,
    Edit,
    typed_edit,
)
from rubrictui.screens.scale_words import (
    ABOUT,
    BETTER,
    KIND,
    LEVEL,
    NAME,
    editor_rows,
    frozen_by,
    frozen_words,
    use_words,
)
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, RowsList
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

COLUMNS: tuple[Column, ...] = (
    Column("No.", width=3, right=True),
    Column("What", share=2, minimum=14),
    Column("Value", width=8, right=True),
    Column("Scores", width=8, right=True),
    Column("Description", share=3, minimum=20),
)


class ScaleRows(RowsList):
    """The rows of a scale. Enter is the screen's: it changes what stands there."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Rows are not opened."""
        return action != "select"


class ScaleEditorScreen(ShellScreen[str | None]):
    """One scale. Dismissed with the id of the scale that was edited last: a copy made on the way has its own.

    Args:
        scale_id: the scale.
    """

    TITLE = "Scale"
    AUTO_FOCUS = "ScaleRows"
    HELP = (
        "Every change is stored at once; u takes it back. Levels stand worst first. What they score is spread evenly "
        "from 0 to 1 until you set a score by hand (s); = spreads them again. The value is a number of your own for "
        "exports and plays no part in the score. A frozen scale keeps all but the descriptions of its levels (e): D "
        "copies it to a new one."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "edit", "Change", priority=True, id="scale.edit", tooltip="Change the row"),
        Binding("a", "add", "Level", id="scale.add", tooltip="A level after this one"),
        Binding("s", "score", "Score", id="scale.score", tooltip="What the level scores, 0 to 1"),
        Binding("e", "describe", "Description", id="scale.describe", tooltip="What the level means"),
        Binding("v", "value", "Value", show=False, id="scale.value", tooltip="The level's own number"),
        Binding("left_square_bracket", "move(-1)", "Up", key_display="[", show=False, id="scale.up"),
        Binding("right_square_bracket", "move(1)", "Down", key_display="]", show=False, id="scale.down"),
        Binding("delete,X", "delete", "Delete", show=False, id="scale.delete", tooltip="Delete the level"),
        Binding(
            "equals_sign",
            "spread",
            "Spread",
            key_display="=",
            id="scale.spread",
            tooltip="Spread the scores evenly from 0 to 1",
        ),
        Binding("u", "undo", "Undo", id="scale.undo", tooltip="Take the last change back"),
        Binding("U,ctrl+r", "redo", "Redo", show=False, id="scale.redo"),
        Binding(
            "D",
            "duplicate",
            "Duplicate",
            show=False,
            id="scale.duplicate",
            tooltip="A copy under another name",
        ),
        Binding("escape", "back", "Back", key_display="Esc", id="scale.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Change the row; a level's label. |
    | a | A level after this one. |
    | s / v / e | Its score / value / description. |
    | [ / ] | Move it up / down. |
    | delete, X | Delete it. |
    | = | Spread the scores evenly. |
    | u / U, ctrl+r | Undo / redo. |
    | D | A copy of the scale under another name. |
    | escape | Back. |
    """

    DEFAULT_CSS = """
    ScaleEditorScreen { & > #state { height: auto; padding: 0 1; color: $text-muted; &.-frozen { color: $warning; } } }
    """

    def __init__(self, scale_id: str) -> None:
        super().__init__()
        self._scale_id = scale_id
        self._scale: Scale | None = None
        self._uses: tuple[ScaleUse, ...] = ()
        self._may_write = False
        self._undone: list[Scale] = []
        self._done: list[Scale] = []

    def compose(self) -> ComposeResult:
        yield TitleBar("Scale")
        yield Static(Content(""), id="state")
        yield ScaleRows(COLUMNS, empty="Reading the scale ...")
        yield KeyFooter()

    def on_mount(self) -> None:
        self._read()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _read(self) -> None:
        def read(engine: Engine) -> tuple[Scale | None, tuple[ScaleUse, ...], bool]:
            found = next((scale for scale in engine.scales() if scale.id == self._scale_id), None)
            return found, engine.scale_uses(self._scale_id), Role.AUTHOR in engine.user.roles

        try:
            self._scale, self._uses, self._may_write = await self.shell.ask(read)
        except RubrictuiError:
            self.dismiss(None)
            raise
        self._show()

    def _show(self, cursor: str | None = None) -> None:
        scale = self._scale
        if scale is None:
            return
        title = self.query_one(TitleBar)
        title.title = f"Scale · {scale.name or '(no name)'}"
        title.right = use_words(self._uses)
        words = frozen_words(self._uses)
        state = self.query_one("#state", Static)
        state.set_class(bool(words), "-frozen")
        state.update(plain(words or "Free to change; everything is stored as you change it."))
        self.query_one(RowsList).set_rows(editor_rows(scale), cursor=cursor)
        self.refresh_bindings()

    @property
    def is_frozen(self) -> bool:
        """Whether a published version uses the scale."""
        return frozen_by(self._uses) is not None

    @property
    def row(self) -> str:
        """The id of the row under the cursor."""
        current = self.query_one(RowsList).current if self.is_mounted else None
        return current.id if current is not None else ""

    @property
    def level(self) -> Level | None:
        """The level under the cursor."""
        own = self.row.removeprefix(LEVEL) if self.row.startswith(LEVEL) else None
        levels = self._scale.levels if self._scale is not None else ()
        return next((level for level in levels if level.id == own), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what would do something is offered."""
        if action == "back":
            return True
        if self.is_asking or self._scale is None or not self._may_write:
            return action not in {
                *("edit", "add", "score", "describe", "value", "move", "delete", "spread", "undo", "redo"),
                "duplicate",
            }
        if action == "describe":
            return self.level is not None
        if action == "undo":
            return bool(self._done)
        if action == "redo":
            return bool(self._undone)
        if self.is_frozen and action == "edit":
            return self.level is not None
        if self.is_frozen and action in ("add", "score", "value", "move", "delete", "spread"):
            return False
        if action in ("score", "value", "move", "delete"):
            return self.level is not None
        if action == "add":
            return self._scale.scale_type is ScaleType.LEVELS
        if action == "spread":
            return bool(self._scale.levels) and not is_even(self._scale)
        return True

    def on_rows_list_highlighted(self) -> None:
        self.refresh_bindings()

    # -- storing

    @work(exit_on_error=False, exclusive=False, group="store")
    async def _keep(self, edit: Edit, cursor: str | None = None) -> None:
        await self._store(edit, cursor)

    async def _store(self, edit: Edit, cursor: str | None = None) -> None:
        """Change the scale and store it; what is refused changes nothing.

        Raises:
            RubrictuiError: it is refused.
        """
        before = self._scale
        if before is None:
            return
        after = edit(before)
        if after == before:
            return
        stored = await self.shell.ask(lambda engine: engine.save_scale(after))
        self._done.append(before)
        self._undone.clear()
        self._scale = stored
        self._show(cursor)

    @work(exit_on_error=False, exclusive=True, group="store")
    async def action_undo(self) -> None:
        """Take the last change back."""
        await self._swap(self._done, self._undone)

    @work(exit_on_error=False, exclusive=True, group="store")
    async def action_redo(self) -> None:
        """Make it once more."""
        await self._swap(self._undone, self._done)

    async def _swap(self, source: list[Scale], target: list[Scale]) -> None:
        if not source or self._scale is None:
            return
        wanted, now = source[-1], self._scale
        self._scale = await self.shell.ask(lambda engine: engine.save_scale(wanted))
        source.pop()
        target.append(now)
        self._show()

    # -- what keys do

    async def action_edit(self) -> None:
        """Change the row under the cursor."""
        scale, row = self._scale, self.row
        if scale is None:
            return
        if self.is_frozen:
            await self.action_describe()
        elif row == KIND:
            self._switch_kind()
        elif row == BETTER:
            self._keep(lambda old: replace(old, higher_is_better=not old.higher_is_better))
        elif row in ASKED:
            values = {NAME: scale.name, ABOUT: scale.description}
            number = getattr(scale, NUMBERS[row]) if row in NUMBERS else None
            value = values.get(row) or ("" if number is None else f"{number:.10g}")
            await self._ask(ASKED[row], row, value=value)
        elif (level := self.level) is not None:
            await self._ask("Label", LABEL, value=level.label)

    @work(exit_on_error=False, exclusive=True, group="ask")
    async def _switch_kind(self) -> None:
        scale = self._scale
        if scale is None:
            return
        if scale.scale_type is ScaleType.NUMERIC:
            ids = [str(uuid4()) for _ in FIRST_LABELS]
            await self._store(lambda old: as_levels(old, ids), KIND)
            return
        count = len(scale.levels)
        about = f"Its {count} levels would go. {self._loss()}"
        yes, no = "Make it numeric", "Keep the levels"
        if not count or await confirmed(self, "A numeric scale?", about, yes=yes, no=no):
            await self._store(as_numeric, KIND)

    async def action_add(self) -> None:
        """A level after the one under the cursor."""
        await self._ask("Label of the new level", ADD)

    async def action_score(self) -> None:
        """What the level scores."""
        if (level := self.level) is not None:
            await self._ask(f"{level.label} scores (0 to 1)", SCORE, value=f"{level.normalized_value:.10g}")

    async def action_value(self) -> None:
        """The level's own number."""
        if (level := self.level) is not None:
            value = "" if level.value is None else f"{level.value:.10g}"
            await self._ask(f"Value of {level.label}", VALUE, value=value)

    async def action_describe(self) -> None:
        """What the level means."""
        if (level := self.level) is not None:
            await self._ask(f"{level.label} means", TEXT, value=level.description or "")

    def action_move(self, step: int) -> None:
        """Move the level up or down."""
        if (level := self.level) is not None:
            self._keep(lambda old: move_level(old, level.id, step), self.row)

    @work(exit_on_error=False, exclusive=True, group="ask")
    async def action_delete(self) -> None:
        """Delete the level; where drafts use the scale, after a question."""
        level = self.level
        if level is None:
            return
        about = f"{level.label} would go. {self._loss()}"
        yes, no = "Delete the level", "Keep it"
        if not self._uses or await confirmed(self, f"Delete {level.label}?", about, yes=yes, no=no):
            await self._store(lambda old: delete_level(old, level.id))

    def _loss(self) -> str:
        """What taking a level away costs the drafts that use the scale."""
        if not self._uses:
            return "u brings it back."
        drafts = ", ".join(dict.fromkeys(use.rubric_name for use in self._uses))
        return f"The anchors that the drafts of {drafts} have for it go too, and u brings back the level without them."

    def action_spread(self) -> None:
        """Spread the scores evenly from 0 to 1."""
        self._keep(spread_evenly)

    async def action_duplicate(self) -> None:
        """A copy of the scale under another name."""
        if self._scale is not None:
            await self._ask("Name of the copy", COPY, value=f"{self._scale.name or 'Scale'} (copy)")

    # -- typing

    async def _ask(self, label: str, purpose: str, *, value: str = "") -> None:
        is_short = purpose in (LABEL, VALUE, SCORE, *NUMBERS)
        await self.ask_line(label, purpose, value=value, selected=is_short)

    @work(exit_on_error=False, exclusive=True, group="given")
    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        """Store what was typed; what is refused stays in the line to be corrected."""
        purpose, text, level = message.prompt.purpose, message.value, self.level
        if purpose == COPY:
            copy = await self.shell.ask(lambda engine: engine.duplicate_scale(self._scale_id, text))
            self._scale_id, self._done, self._undone = copy.id, [], []
            await self.end_line()
            self._read()
            return
        new = str(uuid4())
        edit = typed_edit(purpose, text, level.id if level is not None else "", new=new)
        await self._store(edit, f"{LEVEL}{new}" if purpose == ADD else self.row)
        await self.end_line()

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(self._scale_id)


SCREEN = ScreenSpec(name="scale_editor", title="Scale", opener=ScaleEditorScreen)
