"""What the comparisons of a subject and of a round have in common: threshold, export, the words around the matrix."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.core.matrix import Matrix
from rubrictui.interchange.matrix_out import Format, Options, matrix_text
from rubrictui.interchange.new_file import write_new
from rubrictui.interchange.sync_names import file_stem
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.matrix_words import parse_threshold, threshold_words
from rubrictui.widgets.matrix_view import MatrixView
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.quiet_lines import QuietLines
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import one_line

if TYPE_CHECKING:
    from rubrictui.engine import Engine

_FORMATS = (
    Row(Format.CSV, ("CSV", "for a spreadsheet or a program: answers and scores of 0..1")),
    Row(Format.MARKDOWN, ("Markdown", "a table for notes and reports")),
    Row(Format.HTML, ("HTML", "one page that needs nothing else, for mail and the web")),
)


def keep_threshold(engine: Engine, ref: str, value: float) -> None:
    """Make a spread (0..1) the one from which scores of the round disagree, and leave its other rules."""
    rules = engine.round(ref).rules
    engine.change_round(ref, rules=replace(rules, disagreement_threshold=value))


class ComparisonScreen(ShellScreen[None]):
    """The base of both. A subclass keeps ``_matrix`` and says what its rows are."""

    AUTO_FOCUS = "MatrixView"
    WHAT: ClassVar[str]
    """The heading of the first column."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "t", "threshold", "Threshold", id="compare.threshold", tooltip="From which spread a row disagrees"
        ),
        Binding(
            "T",
            "keep_threshold",
            "Keep it",
            id="compare.keep",
            tooltip="Make the threshold that is set here the round's, for everybody",
        ),
        Binding("x", "export", "Export", id="compare.export", tooltip="Write it as CSV, Markdown or HTML"),
        Binding("R", "reload", "Reload", show=False, id="compare.reload", tooltip="Read it again"),
        Binding("escape,q", "back", "Back", key_display="Esc", id="compare.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | t | Set the spread from which a row disagrees, on this screen. |
    | T | Make it the round's, for everybody (a chair's to do). |
    | x | Write the matrix to a file. |
    | R | Read it again. |
    | escape, q | Back. |
    """

    DEFAULT_CSS = """
    ComparisonScreen {
        & > #summary { height: auto; max-height: 2; padding: 0 1; color: $text-muted; }
        &.-short > QuietLines { display: none; }
    }
    """

    VERTICAL_BREAKPOINTS = [(0, "-short"), (14, "-tall")]  # noqa: RUF012 - Textual declares it

    def __init__(self) -> None:
        super().__init__()
        self._matrix: Matrix | None = None
        self._threshold: float | None = None
        self._format = Format.CSV

    # -- what a subclass says

    def summary(self, matrix: Matrix, view: MatrixView) -> str:
        """The line above the matrix."""
        raise NotImplementedError

    def detail(self, matrix: Matrix, view: MatrixView) -> tuple[str, str]:
        """The two lines below it, about the cell under the cursor."""
        raise NotImplementedError

    def round_ref(self) -> str | None:
        """The round whose threshold this is; None without a round."""
        raise NotImplementedError

    def method(self) -> str:
        """What an export says about how it was made."""
        return ""

    def action_reload(self) -> None:
        """Read it again."""
        raise NotImplementedError

    # -- showing

    @property
    def view(self) -> MatrixView:
        """The matrix on the screen."""
        return self.query_one(MatrixView)

    def show_matrix(self, matrix: Matrix) -> None:
        """Show a matrix that was read, with the threshold that was set here."""
        self._matrix = matrix
        self.view.show(matrix)
        if self._threshold is not None:
            self.view.threshold = self._threshold
        self._show_summary()
        self.refresh_bindings()

    def _show_summary(self) -> None:
        if self._matrix is not None:
            self.query_one("#summary", Static).update(
                Content(one_line(self.summary(self._matrix, self.view)))
            )

    def show_detail(self) -> None:
        """Say what the cell under the cursor is."""
        matrix = self._matrix
        if matrix is None:
            return
        self.query_one(QuietLines).show(self.detail(matrix, self.view))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There must be something to set a threshold for, or to write."""
        if action in ("threshold", "export"):
            return self._matrix is not None and bool(self._matrix.rows)
        if action == "keep_threshold":
            matrix = self._matrix
            return (
                matrix is not None
                and self.round_ref() is not None
                and self._threshold not in (None, matrix.threshold)
            )
        return True

    # -- the threshold

    async def action_threshold(self) -> None:
        """Set the spread from which a row disagrees."""
        matrix = self._matrix
        if matrix is None:
            return
        words = threshold_words(self.view.threshold, matrix.display)
        await self.ask_line(
            "Disagreement from a spread of (points, or a share as 25%)", "threshold", value=words
        )

    def set_threshold(self, value: float) -> None:
        """Mark rows from this spread (0..1) on."""
        self._threshold = value
        self.view.threshold = value
        self._show_summary()
        self.show_detail()
        self.refresh_bindings()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_keep_threshold(self) -> None:
        """Make the threshold that is set here the round's."""
        ref, value, matrix = self.round_ref(), self._threshold, self._matrix
        if ref is None or value is None or matrix is None:
            return
        await self.shell.ask(lambda engine: keep_threshold(engine, ref, value))
        self._matrix = replace(matrix, threshold=value)
        self.refresh_bindings()
        words = threshold_words(value, matrix.display)
        self.say(f"A spread of {words} points is a disagreement in this round from now on, for everybody.")

    # -- writing a file

    @work(exit_on_error=False, exclusive=True, group="export")
    async def action_export(self) -> None:
        """Choose a format, then where to."""
        choice = ChooseScreen(
            "Write the comparison as what?", (Column("Format", width=9), Column("", minimum=20)), _FORMATS
        )
        chosen = await self.app.push_screen_wait(choice)
        if chosen is None or self._matrix is None:
            return
        self._format = Format(chosen)
        stem = file_stem("comparison", self._matrix.title, self._matrix.title, ())
        await self.ask_line("Write to", "export", value=f"{stem}.{self._format}")

    def line_ended(self, purpose: str) -> None:
        self.view.focus()

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        matrix = self._matrix
        if matrix is None:
            return
        if message.prompt.purpose == "threshold":
            found = parse_threshold(message.value, matrix.display)
            if found is None:
                most = matrix.display.spread(1.0, 2)
                self.say(f"A spread is a number from 0 to {most}, or a share as 25%.", error=True)
                return
            await self.end_line()
            self.set_threshold(found)
        elif message.value:
            await self.end_line()
            self._write(matrix, Path(message.value).expanduser())

    @work(exit_on_error=False, exclusive=True, group="export")
    async def _write(self, matrix: Matrix, path: Path) -> None:
        options = Options(
            by_spread=self.view.is_by_spread,
            with_superseded=self.view.has_superseded,
            threshold=self.view.threshold,
            what=self.WHAT,
            method=self.method(),
        )
        await asyncio.to_thread(lambda: write_new(path, matrix_text(matrix, self._format, options)))
        self.say(f"Written: {path}")

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)
