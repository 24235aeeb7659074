"""What evaluators did: every call of a model, and every run that failed before it made one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import work
from textual.binding import Binding, BindingType

from rubrictui.core.prompt_records import PromptRun
from rubrictui.core.records import Evaluation, EvaluationStatus, EvaluatorType
from rubrictui.screens import Entry, ScreenSpec
from rubrictui.screens.base import ListScreen
from rubrictui.screens.opening_work import open_result
from rubrictui.screens.run import RunScreen, cost_words, tokens_words
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

LIMIT = 1_000
"""So many calls are listed, the latest first."""

COLUMNS: tuple[Column, ...] = (
    Column("Status", width=6),
    Column("Evaluator", width=13),
    Column("Subject", share=2, minimum=13),
    Column("Model", share=1, minimum=10, drop=2),
    Column("Tokens", width=11, right=True, drop=3),
    Column("Cost", width=7, right=True, drop=4),
    Column("When", width=11, drop=1),
)

FAILED = "failed:"
"""Before the id of a row that is a Failed evaluation without a call."""


class Runs(NamedTuple):
    """What is listed: calls, Failed evaluations of evaluators, titles of subjects by id."""

    calls: tuple[PromptRun, ...]
    failed: tuple[Evaluation, ...]
    titles: Mapping[str, str]

    @property
    def failed_ids(self) -> frozenset[str]:
        """The ids of the Failed evaluations."""
        return frozenset(one.id for one in self.failed)

    @property
    def without_calls(self) -> tuple[Evaluation, ...]:
        """The Failed evaluations of which no call is listed."""
        called = {one.evaluation_id for one in self.calls}
        return tuple(one for one in self.failed if one.id not in called)


def read_runs(engine: Engine, subject: str | None) -> Runs:
    """The calls and failures the user may see, of one subject or of all."""
    ended = engine.evaluations(subject=subject, status=EvaluationStatus.FAILED)
    return Runs(
        engine.prompt_runs(subject=subject, limit=LIMIT),
        tuple(one for one in ended if one.evaluator_type is not EvaluatorType.HUMAN),
        {one.id: one.title or one.record_id for one in engine.subjects(content=False)},
    )


def runs_rows(found: Runs, zone: tzinfo | None, *, failed_only: bool = False) -> list[Row]:
    """Calls and failures as rows, the latest first."""
    rows: list[tuple[float, Row]] = []
    failed_ids = found.failed_ids
    for run in found.calls:
        is_failed = bool(run.error_message) or run.evaluation_id in failed_ids
        if failed_only and not is_failed:
            continue
        cells = (
            "failed" if is_failed else "done",
            run.evaluator_name,
            found.titles.get(run.subject_id or "", ""),
            run.model or "",
            tokens_words(run),
            cost_words(run).partition(" ")[0],
            f"{run.started_at.astimezone(zone):%m-%d %H:%M}",
        )
        tones = ("error",) if is_failed else ("success",)
        rows.append(
            (run.started_at.timestamp(), Row(run.id, cells, tones=tones, search=run.error_message or ""))
        )
    for one in found.without_calls:
        when = one.ended_at or one.updated_at or one.started_at
        cells = (
            "failed",
            one.evaluator_name or one.evaluator_type.value,
            one.subject_title,
            "no call",
            "",
            "",
            f"{when.astimezone(zone):%m-%d %H:%M}" if when else "",
        )
        row = Row(FAILED + one.id, cells, tones=("error",), search=one.error_message or "")
        rows.append((when.timestamp() if when else 0.0, row))
    return [row for _, row in sorted(rows, key=lambda pair: -pair[0])]


class RunsScreen(ListScreen[None]):
    """What was asked of models, and what failed.

    Args:
        subject: only of the subject of this id.
    """

    TITLE = "Runs"
    COLUMNS = COLUMNS
    READING = "Reading the runs ..."
    HELP = (
        "Each line is one call of a model, or a run that failed before it made any. Enter opens what was sent and what "
        "came back. t runs a failed one again, with the same version and settings. You see your own, and all with a "
        "right to read all evaluations; nothing about a subject that you are scoring yourself."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "slash",
            "filter",
            "Filter",
            key_display="/",
            id="runs.filter",
            tooltip="Show rows with these words",
        ),
        Binding("t", "retry", "Retry", id="runs.retry", tooltip="Run the failed one again"),
        Binding("f", "failed", "Failed", id="runs.failed", tooltip="Only those that failed, or all"),
        Binding("R", "reload", "Reload", show=False, id="runs.reload", tooltip="Read the runs again"),
        Binding("escape", "back", "Back", key_display="Esc", id="runs.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | What was sent and what came back. |
    | t | Run a failed one again. |
    | f | Only the failed ones, or all. |
    | / | Filter. |
    | R | Read the runs again. |
    | escape | Clear the filter; back. |
    """

    def __init__(self, subject: str | None = None) -> None:
        super().__init__()
        self._subject = subject
        self._failed_only = False
        self._found = Runs((), (), {})

    def on_mount(self) -> None:
        self.action_reload()

    def on_screen_resume(self) -> None:
        if self._found.calls or self._found.failed:  # a retry may have come between
            self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the runs again."""
        subject, failed_only = self._subject, self._failed_only
        self._found = await self.shell.ask(lambda engine: read_runs(engine, subject))
        rows = runs_rows(self._found, self.shell.zone, failed_only=failed_only)
        listed = self.query_one(RowsList)
        listed.empty = (
            "No run failed." if failed_only else "No evaluator has run yet: E on a subject runs one."
        )
        cursor = listed.current.id if listed.current is not None else None
        listed.set_rows(rows, cursor=cursor)
        limited = "the latest " if len(self._found.calls) == LIMIT else ""
        what = " that failed" if failed_only else ""
        self.query_one(TitleBar).right = f"{limited}{counted(len(rows), 'run')}{what}"
        self.query_one(FilterLine).count()
        self.refresh_bindings()

    def on_rows_list_highlighted(self) -> None:
        self.refresh_bindings()

    def _failed_evaluation(self) -> str | None:
        """The evaluation of the failed row under the cursor."""
        row = self.query_one(RowsList).current
        if row is None:
            return None
        called = next((run.evaluation_id for run in self._found.calls if run.id == row.id), None)
        evaluation = called or row.id.removeprefix(FAILED)
        return evaluation if evaluation in self._found.failed_ids else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what failed is retried."""
        return action != "retry" or (self.is_mounted and self._failed_evaluation() is not None)

    @work(exit_on_error=False, exclusive=True, group="open")
    async def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        row_id, title = message.row.id, message.row.cells[2]
        if row_id.startswith(FAILED):
            await open_result(self, row_id.removeprefix(FAILED))
            return
        run = await self.shell.ask(lambda engine: engine.prompt_run(row_id))
        is_failed = run.evaluation_id in self._found.failed_ids
        self.app.push_screen(RunScreen(run, title, can_retry=is_failed))

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_retry(self) -> None:
        """Run the failed one under the cursor again."""
        from rubrictui.screens.evaluate import retry

        evaluation = self._failed_evaluation()
        if evaluation is not None:
            await retry(self, evaluation)

    def action_failed(self) -> None:
        """Show only those that failed, or all."""
        self._failed_only = not self._failed_only
        self.action_reload()


SCREEN = ScreenSpec(
    name="runs",
    title="Runs",
    opener=RunsScreen,
    entries=(Entry("Runs", "What evaluators did, what was sent to models, what failed", "app.open('runs')"),),
)
