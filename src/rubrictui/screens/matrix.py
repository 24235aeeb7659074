"""The comparison of one subject: evaluators across, criteria down, disagreement marked.

Opened with ``push_screen(MatrixScreen(subject, rubric, context))``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.widgets import Static

from rubrictui.core.adjudication import Adjudication
from rubrictui.core.matrix import Matrix, columns_in_view
from rubrictui.core.matrix_building import subject_matrix
from rubrictui.core.panel_tables import PanelTable
from rubrictui.screens import ScreenSpec
from rubrictui.screens.matrix_base import ComparisonScreen
from rubrictui.screens.matrix_words import all_said, cell_words, comments_said, row_words, summary_words
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.matrix_view import MatrixView
from rubrictui.widgets.quiet_lines import QuietLines
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

READING = "Reading the evaluations ..."


class MatrixScreen(ComparisonScreen):
    """Everyone who scored a subject, side by side, as far as the viewer may see.

    Args:
        subject, context: an id or ``Entity/record``; no context means the evaluations without one.
        rubric: a name or id; the context's when omitted.
        major: the latest in use when omitted.
    """

    TITLE = "Compare"
    WHAT = "Criterion"
    HELP = (
        "Evaluators stand across, people first, then AI, rules and the self-assessment; criteria stand down in the "
        "order of the rubric. A cell is the answer and its score. ▲ marks a row whose scores lie apart by the threshold "
        "or more (t sets it here, T for the round), ▴ and ▾ its highest and lowest; ≠ marks a verdict that differs: a gate met by some and "
        "not by others, or some passed and some did not; ✗ is a gate not met. Withdrawn columns stay in view and count "
        "in nothing; u shows the superseded ones. The self-assessment is in no mean. n goes to the next "
        "disagreement, s puts the widest spread first, Enter opens the reasons behind a cell beside those of the "
        "peers. While you have work of your own open on the subject, what others gave it stays hidden."
    )

    def __init__(
        self, subject: str, rubric: str | None = None, context: str | None = None, major: int | None = None
    ) -> None:
        super().__init__()
        self._subject, self._rubric, self._round_ref, self._major = subject, rubric, context, major
        self._table: PanelTable | None = None
        self._whole: PanelTable | None = None
        self._settled: Adjudication | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Compare")
        yield Static("", id="summary", markup=False)
        yield MatrixView(self.WHAT, moved=self.show_detail, empty=READING)
        yield QuietLines(2)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.action_reload()

    def _ask_for(self, engine: Engine, *, with_texts: bool = False) -> PanelTable:
        return engine.matrix_table(
            subject=self._subject,
            rubric=self._rubric,
            context=self._round_ref,
            major=self._major,
            with_texts=with_texts,
        )

    def action_reload(self) -> None:
        """Read the evaluations again."""
        self._load()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _load(self) -> None:
        table, matrix, self._settled = await self.shell.ask(
            lambda engine: _read(engine, self._ask_for(engine))
        )
        self._table, self._whole = table, None
        title = self.query_one(TitleBar)
        title.title = f"Compare · {matrix.title}"
        title.right = counted(len(matrix.columns), "evaluation")
        if ended := len(matrix.columns) - len(columns_in_view(matrix)):
            title.right += f" ({ended} superseded: u)"
        if not matrix.columns and not (table.cohort and table.cohort.count):
            self.view.say("There is no submitted evaluation that you may see.")
            self.query_one("#summary", Static).update(self.summary(matrix, self.view))
            return
        self.show_matrix(matrix)

    def summary(self, matrix: Matrix, view: MatrixView) -> str:
        return summary_words(matrix, view.threshold, view.disagreements, settled=self._settled)

    def round_ref(self) -> str | None:
        context = self._table.context if self._table is not None else None
        return context.id if context is not None else None

    def detail(self, matrix: Matrix, view: MatrixView) -> tuple[str, str]:
        row, column = view.row, view.column
        if row is None:
            return "", ""
        below = cell_words(column, view.cell, matrix.display) if column is not None else ""
        return row_words(row, matrix.display), below

    @work(exit_on_error=False, exclusive=True, group="open")
    async def on_matrix_view_selected(self) -> None:
        """The reasons behind the cell, beside those of the peers."""
        from rubrictui.screens.matrix_cell import MatrixCellScreen

        matrix, row, column = self._matrix, self.view.row, self.view.column
        if matrix is None or row is None:
            return
        if self._whole is None:
            self._whole = await self.shell.ask(lambda engine: self._ask_for(engine, with_texts=True))
        self.app.push_screen(
            MatrixCellScreen(
                row.name,
                row_words(row, matrix.display),
                all_said(matrix, row, self._whole),
                column.id if column is not None else "",
                comments_said(self._whole.comments, row.key),
            )
        )


def _read(engine: Engine, table: PanelTable) -> tuple[PanelTable, Matrix, Adjudication | None]:
    settled: tuple[Adjudication, ...] = ()
    if table.context is not None and table.subjects:
        settled = engine.adjudications(table.context.id, subject=table.subjects[0].id)
    return table, subject_matrix(table), settled[-1] if settled else None


SCREEN = ScreenSpec(name="matrix", title="Compare", opener=MatrixScreen)
