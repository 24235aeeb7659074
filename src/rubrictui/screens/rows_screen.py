"""A question on a screen of its own: what it is about, the rows to choose from, the current row in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Static

from rubrictui.screens.asking import AskingScreen
from rubrictui.widgets.choice_list import ChoiceList
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar


class RowsScreen(AskingScreen[ScreenResultType], ModalScreen[ScreenResultType]):
    """The base of such screens; opaque, so that opening it sends no more than its own lines."""

    TITLE = "Questions"
    AUTO_FOCUS = "RowsList"
    COLUMNS: ClassVar[tuple[Column, ...]]
    EMPTY: ClassVar[str] = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", key_display="Esc", id="question.back"),
        Binding("question_mark", "app.help", "Help", key_display="?", id="question.help"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | escape | Back, with nothing done. |
    | ? | Explain the question. |
    """

    DEFAULT_CSS = """
    RowsScreen {
        background: $background;
        & > #about { height: auto; max-height: 60%; padding: 1 2; }
        & > #whole { height: auto; max-height: 50%; padding: 0 2; background: $surface; }
        & > #whole.-empty { display: none; }
    }
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self._title = title

    def about(self) -> str:
        """What the screen says above its rows."""
        return ""

    def rows(self) -> Sequence[Row]:
        """What there is to choose from."""
        raise NotImplementedError

    def whole(self, row: Row) -> str:
        """What is said below the rows about the one under the cursor; "" for nothing."""
        return ""

    def compose(self) -> ComposeResult:
        yield TitleBar(self._title)
        if about := self.about():
            yield Static(plain(about), id="about")
        yield ChoiceList(self.COLUMNS, empty=self.EMPTY)
        yield Static("", id="whole", classes="-empty")
        yield KeyFooter()

    def first(self) -> str | None:
        """The id of the row that the cursor begins on; None for the first one."""
        return None

    def on_mount(self) -> None:
        self.show_rows(cursor=self.first())

    def show_rows(self, *, cursor: str | None = None) -> None:
        """Read the rows again."""
        self.query_one(RowsList).set_rows(self.rows(), cursor=cursor)
        self._show_whole()

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.query_one(RowsList).current

    def on_rows_list_highlighted(self) -> None:
        self._show_whole()

    def _show_whole(self) -> None:
        row = self.current
        text = self.whole(row) if row is not None else ""
        whole = self.query_one("#whole", Static)
        whole.set_class(not text, "-empty")
        whole.update(plain(text) if text else Content(""))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter chooses a row only while the rows have the keys, and there are any."""
        if action == "choose":
            rows = self.query(RowsList)
            return bool(rows) and rows.first().has_focus and rows.first().current is not None
        return True

    def action_choose(self) -> None:
        """Choose the row under the cursor. Subclasses bind Enter to it, in their own word."""
        self.query_one(RowsList).action_select()

    def action_back(self) -> None:
        """Go back with nothing done."""
        self.dismiss(None)
