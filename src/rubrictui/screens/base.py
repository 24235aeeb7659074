"""What every screen has in common: the way to the engine, quiet notices, help text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, cast

from textual.app import ComposeResult
from textual.screen import Screen, ScreenResultType
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from rubrictui.screens.asking import AskingScreen
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import Column, RowsList
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.core.records import InboxRow
    from rubrictui.engine import Engine

T = TypeVar("T")


class Shell(Protocol):
    """What the application offers its screens."""

    is_demo: bool
    store_label: str
    zone: tzinfo | None

    def now(self) -> datetime:
        """The time, aware."""
        ...

    @property
    def matter_folders(self) -> tuple[str, ...]:
        """The folders of legal matters that the user opened."""
        ...

    def remember_matters(self, folders: tuple[str, ...]) -> None:
        """Keep these folders for the next time."""
        ...

    async def first_rows(self) -> tuple[InboxRow, ...] | None:
        """The inbox as plain SQL reads it, before the engine is there; None when that is not possible."""
        ...

    async def engine(self) -> Engine:
        """The engine, once it is ready. Raises what opening the store raised."""
        ...

    async def ask(self, call: Callable[[Engine], T]) -> T:
        """What ``call`` makes of the engine, in a thread; waits for the engine first, and says so."""
        ...

    def report(self, error: BaseException) -> None:
        """Show an error as one quiet line; one that nobody foresaw also goes to the log."""
        ...

    async def load_samples(self) -> None:
        """Load the sample data into the open store."""
        ...

    async def open_demo(self) -> None:
        """Leave this store and open the demo store, which is made when it is not there."""
        ...


class ShellScreen(AskingScreen[ScreenResultType]):
    """A screen of the application. Subclasses set ``TITLE`` and ``HELP`` (plain text, a few lines)."""

    AUTO_FOCUS = "RowsList"

    @property
    def shell(self) -> Shell:
        """The application, as screens see it."""
        return cast(Shell, self.app)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker's error is one quiet line; the screen stays as it was."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self.shell.report(event.worker.error)

    def say(self, text: str, *, error: bool = False) -> None:
        """One quiet line above the footer that goes by itself and takes no focus."""
        self.app.notify(text, severity="error" if error else "information")


class FilteredScreen(Screen[ScreenResultType]):
    """A screen with a ``FilterLine``: what its keys do there."""

    async def action_filter(self) -> None:
        """Type a filter."""
        await self.query_one(FilterLine).open()

    def action_back(self) -> None:
        """Clear the filter; without one go back."""
        line = self.query_one(FilterLine)
        if line.is_active:
            line.action_clear()
        else:
            self.dismiss(None)


class ListScreen(FilteredScreen[ScreenResultType], ShellScreen[ScreenResultType]):
    """A screen of rows under a title, with a filter. Subclasses set ``COLUMNS`` and ``READING``."""

    COLUMNS: ClassVar[tuple[Column, ...]]
    READING: ClassVar[str]
    """What stands in the place of the rows until they are read."""
    IN_STORE: ClassVar[bool] = True
    """Whether the title names the program and the store; else it is about one thing, which a line sums up."""

    def compose(self) -> ComposeResult:
        rows = RowsList(self.COLUMNS, empty=self.READING)
        if self.IN_STORE:
            yield TitleBar(f"rubrictui · {self.TITLE}", self.shell.store_label)
        else:
            yield TitleBar(self.TITLE or "")
            yield Static("", id="summary", markup=False)
        yield rows
        yield FilterLine(rows)
        yield KeyFooter()
