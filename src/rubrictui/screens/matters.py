"""The legal matters: work one, look at how it was worked, write one. Matters are folders; the store knows nothing of them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.matters.loading import Matter
from rubrictui.screens import Entry, ScreenSpec
from rubrictui.screens.base import FilteredScreen, ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.matter_rows import (
    MATTER_COLUMNS,
    MatterEntry,
    detail_words,
    matter_rows,
    matters_in,
    read_entries,
)
from rubrictui.screens.matter_runs import RUN_COLUMNS, actions_of_run, run_rows, run_title
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import RowsList
from rubrictui.widgets.text import counted, one_line
from rubrictui.widgets.title_bar import TitleBar


class MattersScreen(FilteredScreen[None], ShellScreen[None]):
    """What matters there are."""

    TITLE = "Matters"
    HELP = (
        "Legal matters scored by what a work product says. Enter works one; work that was begun goes on where it was "
        "left. t shows how a matter was worked, step by step with the points, and what lies with it, which may show "
        "the answers. w is for authors: what the rubric adds up to, and what is wrong with the files. "
        "o opens a folder of matters and remembers it."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "n", "anew", "Begin anew", id="matters.anew", tooltip="Begin, and leave what was begun before"
        ),
        Binding("t", "traces", "Traces", id="matters.traces", tooltip="Steps and points of work on it"),
        Binding("w", "author", "Author", id="matters.author", tooltip="Rubric, points and lint"),
        Binding(
            "l", "lab", "Gate lab", id="matters.lab", tooltip="Try its critical-failure patterns on texts"
        ),
        Binding("o", "open_folder", "Open folder", id="matters.open", tooltip="Add a folder of matters"),
        Binding("X", "forget", "Forget", show=False, id="matters.forget", tooltip="List this folder no more"),
        Binding("slash", "filter", "Filter", key_display="/", id="matters.filter"),
        Binding("R", "reload", "Reload", show=False, id="matters.reload", tooltip="Read the folders again"),
        Binding("escape", "back", "Back", key_display="Esc", id="matters.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Work the matter; go on where it was left. |
    | n | Begin anew. |
    | t | How it was worked. |
    | w | Its author's view. |
    | l | Its patterns in the gate lab. |
    | o / X | Open a folder; forget it. |
    | / | Filter. |
    | R | Read the folders again. |
    | escape | Clear the filter; back. |
    """

    DEFAULT_CSS = """
    MattersScreen > #detail {
        height: 1; padding: 0 2; background: $surface; text-wrap: nowrap; text-overflow: ellipsis;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._entries: dict[str, MatterEntry] = {}

    def compose(self) -> ComposeResult:
        rows = RowsList(MATTER_COLUMNS, empty="Reading the matters ...")
        yield TitleBar("rubrictui · Matters")
        yield rows
        yield FilterLine(rows)
        yield Static("", id="detail", markup=False)
        yield KeyFooter()

    def on_screen_resume(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the folders again."""
        await self._read()

    async def _read(self, cursor: str | None = None) -> None:
        entries = await asyncio.to_thread(read_entries, self.shell.matter_folders)
        self._entries = {str(entry.folder): entry for entry in entries}
        self.query_one(RowsList).set_rows(matter_rows(entries), cursor=cursor)
        self.query_one(TitleBar).right = counted(len(entries), "matter")
        self.query_one(FilterLine).count()
        self._show_detail()
        self.refresh_bindings()

    @property
    def entry(self) -> MatterEntry | None:
        """The matter under the cursor."""
        current = self.query_one(RowsList).current if self.is_mounted else None
        return self._entries.get(current.id) if current is not None else None

    def on_rows_list_highlighted(self) -> None:
        self._show_detail()
        self.refresh_bindings()

    def _show_detail(self) -> None:
        entry = self.entry
        text = one_line(detail_words(entry)) if entry is not None else ""
        self.query_one("#detail", Static).update(Content(text))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what the matter under the cursor allows."""
        entry = self.entry
        if action in ("anew", "traces", "lab"):
            return entry is not None and not entry.error
        if action == "author":
            return entry is not None
        if action == "forget":
            return entry is not None and bool(entry.root)
        return True

    # -- working

    def on_rows_list_selected(self) -> None:
        self._play(anew=False)

    def action_anew(self) -> None:
        """Begin, and leave what was begun before."""
        self._play(anew=True)

    def _play(self, *, anew: bool) -> None:
        from rubrictui.screens.matter_player import open_player

        entry = self.entry
        if entry is None:
            return
        if entry.error:
            self.say(entry.error, error=True)
            return
        self.app.push_screen(open_player(entry.folder, anew=anew))

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_traces(self) -> None:
        """How the matter was worked: the user's own work, and what lies with the matter."""
        entry = self.entry
        if entry is None:
            return
        rows = run_rows(entry.folder)
        choice = ChooseScreen(
            "Which work? What lies with the matter may show the answers.", RUN_COLUMNS, rows
        )
        chosen = await self.app.push_screen_wait(choice)
        if chosen is None:
            return
        from rubrictui.screens.matter_trace import MatterTraceScreen

        actions, seed = actions_of_run(chosen)
        matter = Matter.from_directory(entry.folder)
        self.app.push_screen(
            MatterTraceScreen(matter, actions, run_title(chosen), folder=entry.folder, seed=seed)
        )

    def action_author(self) -> None:
        """What the rubric adds up to, and what is wrong."""
        from rubrictui.screens.matter_author import MatterAuthorScreen

        if (entry := self.entry) is not None:
            self.app.push_screen(MatterAuthorScreen(entry.folder))

    def action_lab(self) -> None:
        """The patterns of the matter in the gate lab."""
        from rubrictui.screens.gate_lab import GateLabScreen

        if (entry := self.entry) is not None:
            self.app.push_screen(GateLabScreen(entry.folder))

    # -- folders

    async def action_open_folder(self) -> None:
        """Ask for a folder of matters."""
        await self.ask_line("Folder", placeholder="a matter, or a folder of matters")

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        folder = Path(message.value).expanduser().absolute() if message.value else None
        if folder is not None and not matters_in(folder):
            self.say(
                f"{folder} holds no matter: there is no matter.yaml in it or in a folder of it.", error=True
            )
            return  # what was typed stays, to be corrected
        await self.end_line()
        if folder is None:
            return
        if str(folder) not in self.shell.matter_folders:
            self.shell.remember_matters((*self.shell.matter_folders, str(folder)))
        await self._read(str(matters_in(folder)[0]))

    def action_forget(self) -> None:
        """List the folder under the cursor no more; nothing of it is deleted."""
        entry = self.entry
        if entry is not None and entry.root:
            kept = tuple(folder for folder in self.shell.matter_folders if folder != entry.root)
            self.shell.remember_matters(kept)
            self.say(f"{entry.root} is listed no more; its files are untouched.")
            self.action_reload()


SCREEN = ScreenSpec(
    name="matters",
    title="Matters",
    opener=MattersScreen,
    entries=(Entry("Matters", "Legal matters scored by what a work product says", "app.open('matters')"),),
)
