"""The trace of a matter that was worked: the score, each step with its running score, and the words behind the points."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Static

from rubrictui.matters.loading import Matter
from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.matter_runs import RUN_COLUMNS, run_rows, trace_of_run
from rubrictui.screens.matter_trace_rows import (
    SUMMARY,
    TRACE_COLUMNS,
    Trace,
    step_lines,
    summary_lines,
    trace_of,
    trace_rows,
)
from rubrictui.widgets.detail_pane import DetailPane
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import RowsList
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar


class MatterTraceScreen(ShellScreen[None]):
    """One trace.

    Args:
        matter: what was worked.
        actions: how.
        title: what the trace is called.
        folder: where the matter lies; with it other traces can be compared.
        seed: of the episode.
    """

    TITLE = "Trace"
    HELP = (
        "Every step with the points of its event and the score so far. The lines beside it say what each component "
        "earned or cost, what matched and what was missing, and show the words: [+ earned +] and [- cost -]. "
        "! marks a critical failure, which caps the whole score. A revision scores all submissions again."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "tab", "other_pane", "Read", key_display="Tab", id="trace.read", tooltip="Scroll the reasons"
        ),
        Binding("d", "compare", "Compare", id="trace.compare", tooltip="Side by side with another trace"),
        Binding("escape", "back", "Back", key_display="Esc", id="trace.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | tab | Between the steps and the reasons. |
    | d | Side by side with another trace. |
    | escape | Back. |
    """

    DEFAULT_CSS = """
    MatterTraceScreen {
        & > #score { height: 1; padding: 0 1; text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #panes { height: 1fr; layout: vertical; }
        & > #panes > RowsList { height: 40%; }
        & > #panes > DetailPane { height: 1fr; }
        &.-wide > #panes { layout: horizontal; }
        &.-wide > #panes > RowsList { width: 55%; height: 1fr; }
        &.-wide > #panes > DetailPane { width: 1fr; height: 1fr; }
    }
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it

    def __init__(
        self, matter: Matter, actions: list[Any], title: str, *, folder: Path | None = None, seed: int = 0
    ) -> None:
        super().__init__()
        self._matter = matter
        self._folder = folder
        self.trace: Trace = trace_of(matter, actions, title, seed=seed)

    def compose(self) -> ComposeResult:
        yield TitleBar(f"Trace · {self._matter.title}", self.trace.title)
        yield Static("", id="score", markup=False)
        with Container(id="panes"):
            yield RowsList(TRACE_COLUMNS)
            yield DetailPane()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one("#score", Static).update(plain(self.trace.score_words, newlines=False))
        self.query_one(RowsList).set_rows(trace_rows(self.trace))

    def on_rows_list_highlighted(self, message: RowsList.Highlighted) -> None:
        if message.row.id == SUMMARY:
            self.query_one(DetailPane).show(summary_lines(self._matter, self.trace))
        else:
            self.query_one(DetailPane).show(step_lines(self.trace.steps[int(message.row.id) - 1]))

    def on_rows_list_selected(self) -> None:
        self.action_other_pane()

    def action_other_pane(self) -> None:
        """Between the steps and the reasons."""
        pane = self.query_one(DetailPane)
        self.set_focus(self.query_one(RowsList) if pane.has_focus else pane)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Comparing needs to know where the matter lies."""
        return action != "compare" or self._folder is not None

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def action_compare(self) -> None:
        """Choose another trace and show the two side by side."""
        if self._folder is None:
            return
        rows = run_rows(self._folder)
        choice = ChooseScreen("Compare with which?", RUN_COLUMNS, rows, empty="There is no other trace yet.")
        chosen = await self.app.push_screen_wait(choice)
        if chosen is None:
            return
        from rubrictui.screens.matter_compare import MatterCompareScreen

        other = trace_of_run(self._matter, chosen)
        self.app.push_screen(MatterCompareScreen(self._matter, self.trace, other))

    def action_back(self) -> None:
        """Back."""
        if self.query_one(DetailPane).has_focus:
            self.set_focus(self.query_one(RowsList))
        else:
            self.dismiss(None)


SCREEN = ScreenSpec(name="matter_trace", title="Trace", opener=MatterTraceScreen)
