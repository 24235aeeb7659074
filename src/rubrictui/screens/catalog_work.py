"""What an author does from the catalog: new rubrics, names, categories, and the way to drafts, versions, scales."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import work
from textual.binding import Binding, BindingType

from rubrictui import screens
from rubrictui.core.model import VersionStatus
from rubrictui.core.records import Category, RubricSummary
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.confirm import confirmed
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import counted

if TYPE_CHECKING:
    from rubrictui.engine import Engine

T = TypeVar("T")

CATEGORY_COLUMNS = (Column("Category", minimum=20), Column("Rubrics", width=7, right=True))
_NONE, _NEW, _RENAME, _DELETE = "/none", "/new", "/rename", "/delete"

_NAME, _RENAMED, _DESCRIBED = "name", "renamed", "described"
_CATEGORY, _CATEGORY_NAME = "category", "category name"

#: What needs a rubric under the cursor, and a user who may write.
_AUTHOR_ACTIONS = frozenset({"new_rubric", "rename", "describe", "category", "edit", "scales"})


def open_draft(screen: ShellScreen[Any], rubric: RubricSummary) -> bool:
    """Open the draft of a rubric in the builder, at once: the next keys are meant for it. False without a draft."""
    spec = screens.load("builder")
    has_draft = any(version.status is VersionStatus.DRAFT for version in rubric.versions)
    if spec is not None and has_draft:
        screen.app.push_screen(spec.opener(rubric.id))
    return has_draft


async def open_builder(screen: ShellScreen[Any], rubric: RubricSummary) -> None:
    """Open the draft of a rubric in the builder; where there is none, offer to begin one. In a worker."""
    if not open_draft(screen, rubric):
        source = rubric.latest_published or (rubric.versions[0] if rubric.versions else None)
        start = f"It begins as {source.number}" if source is not None else "It begins empty"
        about = f"{rubric.name} has no draft. {start}, and nobody can score with it before it is published."
        if not await confirmed(screen, "Begin a draft?", about, yes="Begin a draft", no="Back"):
            return
        await screen.shell.ask(lambda engine: engine.start_draft(rubric.id))
        open_draft(screen, await screen.shell.ask(lambda engine: engine.rubric(rubric.id)))


def category_rows(
    categories: tuple[Category, ...], rubrics: tuple[RubricSummary, ...], current: str | None
) -> list[Row]:
    """Categories to put a rubric in, then what can be done with categories themselves."""
    held = Counter(rubric.category for rubric in rubrics)
    rows = [
        Row(category.name, (category.name, str(held[category.name])), section="Put it in")
        for category in categories
    ]
    rows.append(Row(_NONE, ("Without a category", str(held[None])), section="Put it in", tone="muted"))
    rows.append(Row(_NEW, ("A new category ...", ""), section="Or"))
    if current is not None:
        rows.append(Row(_RENAME, (f"Rename {current} ...", ""), section="Or"))
    rows.extend(
        Row(f"{_DELETE}/{category.name}", (f"Delete {category.name}, which is empty", ""), section="Or")
        for category in categories
        if not held[category.name]
    )
    return rows


class CatalogWork(ShellScreen[None]):
    """The authoring keys of the catalog; the catalog itself says which rubric is under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "new_rubric", "New", id="catalog.new", tooltip="A new rubric with an empty draft"),
        Binding("e", "edit", "Edit", id="catalog.edit", tooltip="Open the rubric's draft in the builder"),
        Binding("b", "board", "Board", id="catalog.board", tooltip="The versions of the rubric as cards"),
        Binding("i", "rename", "Rename", show=False, id="catalog.rename", tooltip="Give it another name"),
        Binding(
            "d",
            "describe",
            "Describe",
            show=False,
            id="catalog.describe",
            tooltip="Say in a line what it is for; the filter finds it by that",
        ),
        Binding(
            "m",
            "category",
            "Category",
            show=False,
            id="catalog.category",
            tooltip="Put it in a category; make, rename and delete categories",
        ),
        Binding("S", "scales", "Scales", id="catalog.scales", tooltip="The answer scales of the store"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | a | A new rubric. |
    | e | Edit its draft. |
    | b | Its versions as cards. |
    | i | Rename it. |
    | m | Its category; new, renamed and deleted categories. |
    | S | The answer scales. |
    """

    _rubrics: tuple[RubricSummary, ...] = ()
    _may_write = False
    _subject: RubricSummary | None = None

    @property
    def current_rubric(self) -> RubricSummary | None:
        """The rubric under the cursor."""
        raise NotImplementedError

    async def read_again(self, *, rubric: str | None = None) -> None:
        """Read the catalog again, and go to a rubric."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Authors' keys are offered to authors, while no line is typed."""
        if self.is_asking and action in {*_AUTHOR_ACTIONS, "board", "filter", "score", "versions"}:
            return False
        if action in _AUTHOR_ACTIONS:
            alone = action in ("new_rubric", "scales")
            return self._may_write and (alone or self.current_rubric is not None)
        if action == "board":
            return self.current_rubric is not None
        return True

    # -- going elsewhere

    def action_edit(self) -> None:
        """Open the rubric's draft in the builder; where there is none, offer to begin one."""
        rubric = self.current_rubric
        if rubric is not None and not open_draft(self, rubric):
            self._begin_draft(rubric)

    @work(exit_on_error=False, exclusive=True, group="open")
    async def _begin_draft(self, rubric: RubricSummary) -> None:
        await open_builder(self, rubric)

    def action_board(self) -> None:
        """The versions of the rubric as cards."""
        from rubrictui.screens.version_board import VersionBoardScreen

        if (rubric := self.current_rubric) is not None:
            self.app.push_screen(VersionBoardScreen(rubric.id))

    async def action_scales(self) -> None:
        """The answer scales of the store."""
        await self.run_action("app.open('scales')")

    # -- names

    async def action_new_rubric(self) -> None:
        """A new rubric with an empty draft."""
        self._subject = self.current_rubric
        await self.ask_line("Name of the new rubric", _NAME)

    async def action_rename(self) -> None:
        """Give the rubric another name."""
        self._subject = self.current_rubric
        if self._subject is not None:
            await self.ask_line("New name", _RENAMED, value=self._subject.name)

    async def action_describe(self) -> None:
        """Say in a line what the rubric is for."""
        self._subject = self.current_rubric
        if self._subject is not None:
            await self.ask_line("What it is for", _DESCRIBED, value=self._subject.description or "")

    @work(exit_on_error=False, exclusive=True, group="change")
    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        """Do what the line was asked for; what the store refuses stays in the line to be corrected."""
        name, rubric = message.value, self._subject
        if not name and message.prompt.purpose != _DESCRIBED:
            await self.end_line()
            return
        purposes: dict[str, Callable[[str, RubricSummary | None], Awaitable[None]]] = {
            _NAME: self._create,
            _RENAMED: self._rename,
            _DESCRIBED: self._describe,
            _CATEGORY: self._put_in,
            _CATEGORY_NAME: self._rename_category,
        }
        await purposes[message.prompt.purpose](name, rubric)

    async def _create(self, name: str, beside: RubricSummary | None) -> None:
        category = beside.category if beside is not None else None
        made = await self.shell.ask(lambda engine: engine.create_rubric(name, category=category))
        await self.end_line()
        await self.read_again(rubric=made.id)
        await open_builder(self, made)

    async def _rename(self, name: str, rubric: RubricSummary | None) -> None:
        if rubric is not None:
            await self.shell.ask(lambda engine: engine.rename_rubric(rubric.id, name))
            await self.end_line()
            await self.read_again(rubric=rubric.id)

    async def _describe(self, text: str, rubric: RubricSummary | None) -> None:
        if rubric is None:
            return
        described = await self.shell.ask(lambda engine: engine.describe_rubric(rubric.id, text))
        await self.end_line()
        await self.read_again(rubric=rubric.id)
        about = f": {described.description}" if described.description else " has no description now."
        self.say(f"{rubric.name}{about}")

    # -- categories

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_category(self) -> None:
        """Put the rubric in a category; make, rename and delete categories."""
        rubric = self.current_rubric
        if rubric is None:
            return
        categories = await self.shell.ask(lambda engine: engine.categories())
        rows = category_rows(categories, self._rubrics, rubric.category)
        title = f"{rubric.name}: which category?"
        chosen = await self.app.push_screen_wait(
            ChooseScreen(title, CATEGORY_COLUMNS, rows, cursor=rubric.category or _NONE)
        )
        self._subject = rubric
        if chosen == _NEW:
            await self.ask_line("Name of the new category", _CATEGORY)
        elif chosen == _RENAME:
            await self.ask_line("New name of the category", _CATEGORY_NAME, value=rubric.category or "")
        elif chosen is not None and chosen.startswith(f"{_DELETE}/"):
            name = chosen.removeprefix(f"{_DELETE}/")
            await self.shell.ask(lambda engine: engine.delete_category(name))
            self.say(f"The category {name} is deleted.")
        elif chosen is not None:
            await self._put_in("" if chosen == _NONE else chosen, rubric)

    async def _put_in(self, category: str, rubric: RubricSummary | None) -> None:
        if rubric is None:
            return

        def put(engine: Engine) -> RubricSummary:
            return engine.set_category(rubric.id, category or None)

        await self.shell.ask(put)
        await self.end_line()
        await self.read_again(rubric=rubric.id)

    async def _rename_category(self, name: str, rubric: RubricSummary | None) -> None:
        if rubric is None or rubric.category is None:
            return
        category = rubric.category
        await self.shell.ask(lambda engine: engine.rename_category(category, name))
        await self.end_line()
        await self.read_again(rubric=rubric.id)
        held = sum(each.category == name for each in self._rubrics)
        self.say(f"{category} is {name} now, with {counted(held, 'rubric')}.")
