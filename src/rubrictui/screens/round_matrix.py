"""A whole round side by side: subjects down in the order of the ranking, evaluators across."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from rubrictui.core.adjudication import Adjudication, reads_all
from rubrictui.core.matrix import Matrix
from rubrictui.core.matrix_building import round_matrix
from rubrictui.core.panel_tables import PanelTable
from rubrictui.core.ranking import GATE_WORDS, GateRule, Ranking, rank
from rubrictui.screens import ScreenSpec
from rubrictui.screens.matrix_base import ComparisonScreen
from rubrictui.screens.matrix_words import cell_words, summary_words
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.matrix_view import MatrixView
from rubrictui.widgets.quiet_lines import QuietLines
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

_NEXT = {GateRule.ANY: GateRule.HALF, GateRule.HALF: GateRule.ALL, GateRule.ALL: GateRule.ANY}


class RoundMatrixScreen(ComparisonScreen):
    """The subjects of a round by its evaluators.

    Args:
        ref: the round's context, by id or ``Entity/record``.
    """

    TITLE = "Ranking"
    WHAT = "Subject"
    HELP = (
        "Subjects stand in the order of their rank, evaluators across; a cell is the verdict and the overall score. "
        "The rank is by the mean of the evaluations that count. A subject whose gates failed has no place: g chooses "
        "whether one failed gate, half of the evaluations or all of them keep it out. Equal means are parted by the "
        "share that passed, then the median, then the lowest score; what is still equal shares a place (=). Enter "
        "opens a subject criterion by criterion. Subjects on which you have open work are left out."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "g", "gates", "Gates", id="ranking.gates", tooltip="How many failed gates keep a subject out"
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | g | Which subjects their gates keep out. |
    """

    def __init__(self, ref: str) -> None:
        super().__init__()
        self._ref = ref
        self._gates = GateRule.HALF
        self._table: PanelTable | None = None
        self._ranking = Ranking()
        self._settled: dict[str, Adjudication] = {}
        self._is_own_only = False

    def compose(self) -> ComposeResult:
        yield TitleBar("Ranking")
        yield Static("", id="summary", markup=False)
        yield MatrixView(self.WHAT, moved=self.show_detail, empty="Reading the evaluations ...")
        yield QuietLines(2)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.action_reload()

    def action_reload(self) -> None:
        """Read the evaluations again."""
        self._load()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _load(self) -> None:
        def read(engine: Engine) -> tuple[PanelTable, tuple[Adjudication, ...], bool]:
            table, settled = engine.round_table(self._ref), engine.adjudications(self._ref)
            return table, settled, not reads_all(engine.user.roles)

        self._table, settled, self._is_own_only = await self.shell.ask(read)
        self._settled = {one.subject_id: one for one in settled}
        self._rank()

    def _rank(self) -> None:
        if self._table is None:
            return
        self._ranking = rank(self._table, gates=self._gates)
        matrix = round_matrix(self._table, order=self._ranking.order, details=self._ranking.places)
        title = self.query_one(TitleBar)
        title.title = f"Ranking · {matrix.title}"
        title.right = counted(len(self._ranking.ranked), "ranked subject")
        if not matrix.rows:
            self.view.say("There is no subject here that you may see.")
        self.show_matrix(matrix)

    def summary(self, matrix: Matrix, view: MatrixView) -> str:
        return summary_words(
            matrix, view.threshold, view.disagreements, rows="subject", is_own_only=self._is_own_only
        )

    def round_ref(self) -> str | None:
        return self._ref

    def detail(self, matrix: Matrix, view: MatrixView) -> tuple[str, str]:
        row, column = view.row, view.column
        if row is None:
            return "", ""
        above = standing_words(self._ranking, row.key, matrix)
        if (settled := self._settled.get(row.key)) is not None:
            above = f"Score of record {settled.display_score}, settled: {settled.reason}. {above}"
        return above, cell_words(column, view.cell, matrix.display) if column is not None else ""

    def method(self) -> str:
        return self._ranking.method

    def action_gates(self) -> None:
        """Choose which subjects their gates keep out: any failed gate, half, all."""
        self._gates = _NEXT[self._gates]
        self._rank()
        self.say(f"Left out: subjects where {GATE_WORDS[self._gates]}.")

    def on_matrix_view_selected(self) -> None:
        """The subject, criterion by criterion."""
        from rubrictui.screens.matrix import MatrixScreen

        row, table = self.view.row, self._table
        if row is not None and table is not None:
            self.app.push_screen(MatrixScreen(row.key, table.rubric_id, self._ref, table.major))


def standing_words(ranking: Ranking, subject_id: str, matrix: Matrix) -> str:
    """Where a subject stands, and why."""
    for one in ranking.ranked:
        if one.subject.id == subject_id:
            place = f"Place {one.place}{' (shared)' if one.shared else ''}"
            parts = [f"{place}: mean {matrix.display.score(one.score, 2)} of {counted(one.count, 'score')}"]
            parts.append(f"{one.passed} passed")
            parts.append(f"median {matrix.display.score(one.median, 2)}")
            parts.append(f"lowest {matrix.display.score(one.lowest, 2)}")
            if one.gates_failed:
                parts.append(f"gate failed in {one.gates_failed}")
            if one.tie:
                parts.append(f"parted {one.tie}")
            return ", ".join(parts)
    for other in ranking.unranked:
        if other.subject.id == subject_id:
            mean = f"; mean {matrix.display.score(other.score, 2)}" if other.score is not None else ""
            return f"No place: {other.reason}{mean}"
    return ""


SCREEN = ScreenSpec(name="round_matrix", title="Ranking", opener=RoundMatrixScreen)
