"""What a panel says together and how far it agrees: consensus, coefficients, evaluators, confusion, plots.

The numbers come first; their intervals follow while they are drawn, with a bar, and can be stopped.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.panel_tables import PanelTable
from rubrictui.core.ranges import DisplayRange
from rubrictui.interchange.new_file import write_new
from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import ShellScreen
from rubrictui.widgets.block_list import Block, BlockList
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.text import counted, one_line
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.core.agreement_report import AgreementReport
    from rubrictui.core.consensus_panel import PanelConsensus
    from rubrictui.core.plots import Plot
    from rubrictui.core.ratings import RatingsTable
    from rubrictui.engine import Engine

RESAMPLES = 1000
VIEWS = ("Consensus", "Agreement", "Evaluators", "Confusion", "Plots")
_BAR = 20


class AgreementScreen(ShellScreen[None]):
    """The statistics of one round.

    Args:
        ref: the round's context, by id or ``Entity/record``.
        resamples: draws for the intervals.
    """

    TITLE = "Agreement"
    AUTO_FOCUS = "BlockList"
    HELP = (
        "1 Consensus: what the panel says together about each criterion and subject, and how far each evaluator stands "
        "from it. 2 Agreement: chance-corrected coefficients for each criterion with 95% bootstrap intervals over "
        "subjects. 3 Evaluators: how strict each is, and every pair. 4 Confusion: which answers meet which. 5 Plots. "
        "Below 20 usable subjects coefficients are withheld and n is given; an undefined one says so. "
        "Self-assessments take no part, nor do withdrawn and superseded evaluations, nor subjects on which you have "
        "open work."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(place), f"view({place - 1})", name, id=f"agreement.{name.lower()}")
            for place, name in enumerate(VIEWS, start=1)
        ),
        Binding("c", "stop", "Stop", id="agreement.stop", tooltip="Leave the remaining intervals out"),
        Binding("x", "export", "Export", id="agreement.export", tooltip="Write the plots as SVG files"),
        Binding("R", "reload", "Reload", show=False, id="agreement.reload", tooltip="Measure again"),
        Binding("escape,q", "back", "Back", key_display="Esc", id="agreement.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | 1 to 5 | Consensus, agreement, evaluators, confusion, plots. |
    | c | Stop drawing intervals. |
    | x | Write the plots as SVG or PNG files. |
    | R | Measure again. |
    | escape, q | Back. |
    """

    DEFAULT_CSS = """
    AgreementScreen > #summary { height: 1; padding: 0 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, ref: str, *, resamples: int = RESAMPLES) -> None:
        super().__init__()
        self._ref = ref
        self._resamples = resamples
        self._view = 0
        self._stop = threading.Event()
        self._progress = (0, 0)
        self._is_drawing = False
        self._panel: PanelTable | None = None
        self._ratings: RatingsTable | None = None
        self._report: AgreementReport | None = None
        self._consensus: PanelConsensus | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Agreement")
        yield Static("", id="summary", markup=False)
        yield BlockList(empty="Measuring ...", can_choose=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_interval(0.25, self._show_progress)
        self.action_reload()

    def on_unmount(self) -> None:
        self._stop.set()

    def action_reload(self) -> None:
        """Measure again."""
        self._stop.set()
        self._measure()

    @work(exit_on_error=False, exclusive=True, group="measure")
    async def _measure(self) -> None:
        def read(engine: Engine) -> PanelTable:
            return engine.round_table(self._ref)

        panel = await self.shell.ask(read)
        self._panel = panel
        ratings, report, consensus = await asyncio.to_thread(_measured, panel)
        self._ratings, self._report, self._consensus = ratings, report, consensus
        self._show()
        if report.overall.withheld and all(row.withheld for row in report.criteria):
            return
        stop = self._stop = threading.Event()
        self._progress, self._is_drawing = (0, 0), True
        self.refresh_bindings()
        try:
            self._report = await asyncio.to_thread(self._drawn, ratings, stop)
        finally:
            if self._stop is stop:
                self._is_drawing = False
        self._show()
        self.refresh_bindings()

    def _drawn(self, ratings: RatingsTable, stop: threading.Event) -> AgreementReport:
        from rubrictui.core.agreement_report import agreement_report

        def note(done: int, total: int) -> None:
            self._progress = (done, total)

        return agreement_report(ratings, resamples=self._resamples, progress=note, cancelled=stop.is_set)

    # -- showing

    def _show(self) -> None:
        panel = self._panel
        if panel is None:
            return
        title = self.query_one(TitleBar)
        name = (panel.context.name or panel.context.record_id) if panel.context else ""
        title.title = f"{VIEWS[self._view]} · {name}"
        self._show_summary()
        self.query_one(BlockList).set_blocks(self._blocks(), empty="There is nothing to compare here yet.")

    def _show_summary(self) -> None:
        panel, report = self._panel, self._report
        if panel is None or report is None:
            return
        parts = [counted(report.subjects, "subject"), counted(len(report.evaluators), "evaluator")]
        if panel.hidden:
            parts.append(f"{len(panel.hidden)} hidden from you")
        if self._is_drawing:
            done, total = self._progress
            full = _BAR * done // max(total, 1)
            parts.append(
                f"intervals {'━' * full}{'─' * (_BAR - full)} {100 * done // max(total, 1)}%, c stops"
            )
        elif not report.complete:
            parts.append("stopped: some intervals are left out")
        elif report.resamples:
            parts.append(f"intervals from {report.resamples:,} resamples of the subjects")
        self.query_one("#summary", Static).update(Content(one_line(" · ".join(parts))))

    def _show_progress(self) -> None:
        if self._is_drawing and self.is_current:
            self._show_summary()

    def _blocks(self) -> list[Block]:
        panel, ratings, report, consensus = self._panel, self._ratings, self._report, self._consensus
        if panel is None or ratings is None or report is None or consensus is None or not ratings.evaluators:
            return []
        from rubrictui.core import plots
        from rubrictui.screens import agreement_words as words

        low, high = panel.version.score_display_min, panel.version.score_display_max
        match VIEWS[self._view]:
            case "Consensus":
                return words.consensus_blocks(consensus, DisplayRange(low=low, high=high))
            case "Agreement":
                return words.agreement_blocks(report)
            case "Evaluators":
                return words.evaluator_blocks(report, plots.severity_plot(report))
            case "Confusion":
                return words.confusion_blocks(report.criteria, report.minimum_sample)
        return words.plot_blocks(self._plots(ratings, report))

    @staticmethod
    def _plots(ratings: RatingsTable, report: AgreementReport) -> list[Plot]:
        from rubrictui.core import plots

        cohort = ratings.without_self()
        drawn: list[Plot] = [plots.severity_plot(report), plots.overall_histogram(cohort)]
        drawn += [plots.histogram(row) for row in cohort.criteria]
        if len(cohort.evaluators) > 1:
            drawn.insert(1, plots.bland_altman(cohort, 0, 1))
        return drawn

    # -- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is something to stop only while intervals are drawn."""
        if action == "export":
            return self._report is not None and VIEWS[self._view] == "Plots"
        return action != "stop" or self._is_drawing

    def action_view(self, view: int) -> None:
        """Show another part."""
        self._view = view
        self._show()
        self.refresh_bindings()
        self.query_one(BlockList).action_move(-1_000_000)

    def action_stop(self) -> None:
        """Leave the remaining intervals out."""
        self._stop.set()

    async def action_export(self) -> None:
        """Write the plots, a file each."""
        await self.ask_line("Write the plots as (.svg or .png)", value="agreement.svg")

    def line_ended(self, purpose: str) -> None:
        self.query_one(BlockList).focus()

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        await self.end_line()
        if message.value:
            self._write(Path(message.value).expanduser())

    @work(exit_on_error=False, exclusive=True, group="export")
    async def _write(self, path: Path) -> None:
        if self._ratings is None or self._report is None:
            return
        drawn = self._plots(self._ratings, self._report)
        await asyncio.to_thread(write_plots, path, drawn)
        self.say(f"Written: {counted(len(drawn), 'file')}, from {path.with_stem(f'{path.stem}-1')} on.")

    def action_back(self) -> None:
        """Go back; what is still being drawn is stopped."""
        self._stop.set()
        self.dismiss(None)


def write_plots(path: Path, plots: Sequence[Plot]) -> None:
    """Write plots as ``NAME-1.svg``, ``NAME-2.svg``, ...; PNG when the name ends so.

    Raises:
        InvalidInputError: another ending; a file is there already or cannot be written; PNG without its library.
    """
    ending = path.suffix.casefold()
    if ending not in (".svg", ".png"):
        raise InvalidInputError(
            f'A plot cannot be written as "{path.name}".', remedy="Give a name that ends with .svg or .png."
        )
    for number, plot in enumerate(plots, start=1):
        if ending == ".svg":
            from rubrictui.core.plots_svg import plot_svg

            data = plot_svg(plot).encode()
        else:
            from rubrictui.interchange.plots_png import plot_png

            data = plot_png(plot)
        write_new(path.with_stem(f"{path.stem}-{number}"), data)


def _measured(panel: PanelTable) -> tuple[RatingsTable, AgreementReport, PanelConsensus]:
    """All numbers without intervals: the part that takes no time."""
    from rubrictui.core.agreement_report import agreement_report
    from rubrictui.core.consensus_panel import panel_consensus
    from rubrictui.core.panel_ratings import ratings_of

    ratings = ratings_of(panel)
    return ratings, agreement_report(ratings, resamples=0), panel_consensus(ratings)


SCREEN = ScreenSpec(name="agreement", title="Agreement", opener=AgreementScreen)
