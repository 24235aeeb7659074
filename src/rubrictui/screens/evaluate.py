"""Having a subject scored by a rule, a model or an agent: choose, see it run, read the result."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from rubrictui.core.errors import RubrictuiError
from rubrictui.engine.errors import EvaluatorFailedError
from rubrictui.evaluators.settings import MODES, MOST_SAMPLES, EvaluatorSettings
from rubrictui.screens import Entry, ScreenSpec
from rubrictui.screens import evaluate_run as parts
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.evaluate_run import Choices, EvaluationRun
from rubrictui.screens.opening_work import (
    CONTEXT_COLUMNS,
    NO_CONTEXT,
    RUBRIC_COLUMNS,
    SUBJECT_COLUMNS,
    context_rows,
    open_result,
    rubric_rows,
    subject_rows,
)
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

READY = "r runs it. Enter changes the line under the cursor."


class EvaluateScreen(ShellScreen[None]):
    """One evaluation by an evaluator, from its choices to its result.

    Args:
        choices: what is chosen already; with a subject and no rubric, those of its last evaluation are taken.
        run_now: begin at once, as a retry does.
    """

    TITLE = "Evaluate"
    HELP = (
        "An evaluator gives one answer for each criterion, and the same scorer as everyone's computes. Enter changes "
        "the line under the cursor; r runs it; Esc stops a run, of which nothing is then stored. A run that fails is "
        "stored as Failed with its message: o opens it, and u the calls of models that were made. Running it again "
        "replaces the evaluator's own last evaluation of the same work."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "run", "Run", id="evaluate.run", tooltip="Have the subject scored with these choices"),
        Binding("o", "open_failed", "Open the failed one", id="evaluate.open"),
        Binding("u", "runs", "Calls", id="evaluate.runs", tooltip="The calls of models about this subject"),
        Binding(
            "escape",
            "back",
            "Back",
            key_display="Esc",
            id="evaluate.back",
            tooltip="Stop the run, or go back",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Change the choice under the cursor. |
    | r | Run. |
    | o | Open the evaluation of the run that failed. |
    | u | The calls of models about this subject. |
    | escape | Stop the run; back. |
    """

    DEFAULT_CSS = """
    EvaluateScreen {
        & > #status { height: auto; max-height: 40%; padding: 0 1; background: $surface; }
        & > #status.-failed { color: $error; }
        & > #status.-running { color: $accent; }
    }
    """

    def __init__(self, choices: Choices | None = None, *, run_now: bool = False) -> None:
        super().__init__()
        self._choices = choices or Choices()
        self._run_now = run_now
        self._run: EvaluationRun | None = None
        self._began = 0.0
        self._clock: Timer | None = None
        self._failed: str | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Evaluate", self.shell.store_label)
        yield RowsList(parts.CHOICE_COLUMNS)
        yield Static(plain(READY), id="status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self._clock = self.set_interval(1.0, self._tick, pause=True)
        self._show_choices()
        if self._run_now:
            self.action_run()
        elif self._choices.subject_id and not self._choices.rubric_id:
            self._take_last()

    def on_unmount(self) -> None:
        if self._run is not None:
            self._run.stop()

    # -- choosing

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _take_last(self) -> None:
        """What the subject was last scored with, and for."""
        subject = self._choices.subject_id
        found = await self.shell.ask(lambda engine: engine.evaluations(subject=subject))
        if found and self._choices.subject_id == subject and not self._choices.rubric_id:
            last = found[0]
            self._choose(
                rubric_id=last.rubric_id,
                rubric_name=last.rubric_name,
                context_id=last.context_id or "",
                context_name=last.context_name or "",
            )

    def _show_choices(self) -> None:
        rows = self.query_one(RowsList)
        cursor = rows.current.id if rows.current is not None else None
        rows.set_rows(parts.choice_rows(self._choices), cursor=cursor)
        title = self._choices.subject_title
        self.query_one(TitleBar).title = f"Evaluate · {title}" if title else "Evaluate"
        self.refresh_bindings()

    def _choose(self, **values: str) -> None:
        self._choices = replace(self._choices, **values)  # type: ignore[arg-type]
        self._show_choices()

    def _set(self, **values: object) -> None:
        settings: EvaluatorSettings = msgspec.structs.replace(self._choices.settings, **values)
        self._choices = replace(self._choices, settings=settings)
        self._show_choices()

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        if self._run is not None:
            self.say("It is running; Esc stops it.")
        elif message.row.id == parts.MODE:
            self._set(mode=MODES[1] if self._choices.settings.mode == MODES[0] else MODES[0])
        elif message.row.id == parts.MODEL:
            if not self.query(PromptLine):
                line = PromptLine(
                    "Model",
                    value=self._choices.settings.model_id or "",
                    placeholder="name or provider:name; empty: the one that is set up",
                )
                self.mount(line, before=self.query_one(KeyFooter))
        else:
            self._change(message.row.id)

    def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        self._close_prompt()
        self._set(model_id=message.value or None)

    def on_prompt_line_left(self) -> None:
        self._close_prompt()

    def _close_prompt(self) -> None:
        self.query(PromptLine).remove()
        self.query_one(RowsList).focus()

    @work(exit_on_error=False, exclusive=True, group="choose")
    async def _change(self, name: str) -> None:
        """Let the user choose what the row ``name`` stands for."""
        now = self._choices
        if name == parts.SUBJECT:
            subjects = await self.shell.ask(lambda engine: engine.subjects(content=False))
            rows = subject_rows(subjects)
            chosen = await self._ask("Which subject?", SUBJECT_COLUMNS, rows, now.subject_id)
            if chosen is not None:
                title = next(row.cells[0] for row in rows if row.id == chosen)
                self._choose(subject_id=chosen, subject_title=title)
                if not now.rubric_id:
                    self._take_last()
        elif name == parts.RUBRIC:
            rows = rubric_rows(await self.shell.ask(lambda engine: engine.rubrics()))
            chosen = await self._ask("With which rubric?", RUBRIC_COLUMNS, rows, now.rubric_id)
            if chosen is not None:
                title = next(row.cells[0] for row in rows if row.id == chosen)
                self._choose(rubric_id=chosen, rubric_name=title, version_id="")
        elif name == parts.CONTEXT:
            rows = context_rows(await self.shell.ask(lambda engine: engine.contexts()), now.rubric_id)
            chosen = await self._ask("For what?", CONTEXT_COLUMNS, rows, now.context_id or NO_CONTEXT)
            if chosen is not None:
                title = next(row.cells[0] for row in rows if row.id == chosen)
                is_none = chosen == NO_CONTEXT
                self._choose(context_id="" if is_none else chosen, context_name="" if is_none else title)
        elif name == parts.EVALUATOR:
            found = await self.shell.ask(lambda engine: engine.evaluators())
            rows = parts.evaluator_rows(found)
            chosen = await self._ask("Which evaluator?", parts.EVALUATOR_COLUMNS, rows, now.evaluator)
            if chosen is not None:
                row = next(row for row in rows if row.id == chosen)
                if row.tone == "muted":
                    self.say(f"{chosen} cannot run here: {row.cells[2]}", error=True)
                else:
                    if chosen.casefold() != now.evaluator.casefold():
                        self._set(prompt_id=None, prompt_name=None)
                    self._choose(evaluator=chosen)
        elif name == parts.PROMPT:
            rows = parts.prompt_rows(await self.shell.ask(lambda engine: engine.prompts()), now.evaluator)
            chosen = await self._ask(
                "Which prompt?", parts.PROMPT_COLUMNS, rows, now.settings.prompt_name or ""
            )
            if chosen is not None:
                self._set(prompt_id=None, prompt_name=chosen or None)
        elif name == parts.SAMPLES:
            rows = [Row(str(n), (str(n), "the median level counts" if n > 1 else "")) for n in _SAMPLES]
            columns = (Column("Samples", width=8), Column("", share=1))
            chosen = await self._ask("How many samples?", columns, rows, str(now.settings.samples))
            if chosen is not None:
                self._set(samples=int(chosen))

    async def _ask(self, title: str, columns: tuple[Column, ...], rows: list[Row], cursor: str) -> str | None:
        choice = ChooseScreen(
            f"Evaluate · {title}", columns, rows, cursor=cursor, empty="There is nothing to choose."
        )
        return await self.app.push_screen_wait(choice)

    # -- running

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A run is begun when none is running; a failed evaluation is opened when there is one."""
        if action == "run":
            return self._run is None
        if action == "open_failed":
            return self._failed is not None and self._run is None
        if action == "runs":
            return bool(self._choices.subject_id) and self._run is None
        return True

    def action_run(self) -> None:
        """Have the subject scored with these choices."""
        if self._run is not None:
            return
        if not self._choices.subject_id or not (self._choices.rubric_id or self._choices.version_id):
            self._status("Choose a subject and a rubric first.", "failed")
            return
        self._run = EvaluationRun(self._choices)
        self._failed = None
        self._began = time.monotonic()
        if self._clock is not None:
            self._clock.resume()
        self._tick()
        self.refresh_bindings()
        self._evaluate(self._run)

    @work(exit_on_error=False, exclusive=True, group="run")
    async def _evaluate(self, run: EvaluationRun) -> None:
        try:
            result = await self.shell.ask(run)
        except EvaluatorFailedError as error:
            self._ended()
            self._failed = error.evaluation_id
            self._status(f"{error} Stored as Failed: o opens it.", "failed")
            self.refresh_bindings()
            return
        except RubrictuiError as error:
            self._ended()
            self._status(f"Nothing was run. {error}", "failed")
            return
        except Exception:
            self._ended()
            self._status(READY)
            raise  # what nobody foresaw is reported and logged by the shell
        took = time.monotonic() - self._began
        self._ended()
        if result is None:
            self._status("Stopped; nothing is stored. " + READY)
            return
        if result.hidden:
            self._status("Stored. It is hidden from you while your own evaluation of the subject is open.")
            return
        cost = f", cost {result.cost:.4g}" if result.cost is not None else ""
        self._status(f"Stored after {took:.1f} s{cost}. {READY}")
        await open_result(self, result.evaluation_id)

    def _ended(self) -> None:
        self._run = None
        if self._clock is not None:
            self._clock.pause()
        self.refresh_bindings()

    def _tick(self) -> None:
        if self._run is None or not self.is_mounted:
            return
        seconds = int(time.monotonic() - self._began)
        if self._run.is_stopped:
            self._status("Stopping ...", "running")
        else:
            self._status(f"{self._choices.evaluator} is scoring ... {seconds} s. Esc stops it.", "running")

    def _status(self, text: str, tone: str = "") -> None:
        line = self.query_one("#status", Static)
        line.set_classes(f"-{tone}" if tone else "")
        line.update(plain(text) if text else Content(""))

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_open_failed(self) -> None:
        """Open the evaluation of the run that failed."""
        if self._failed is not None:
            await open_result(self, self._failed)

    def action_runs(self) -> None:
        """The calls of models about this subject."""
        from rubrictui.screens.runs import RunsScreen

        self.app.push_screen(RunsScreen(self._choices.subject_id))

    def action_back(self) -> None:
        """Stop the run, or go back."""
        if self._run is not None:
            self._run.stop()
            self._tick()
        else:
            self.dismiss(None)


_SAMPLES = range(1, MOST_SAMPLES + 1)


async def retry(screen: ShellScreen[None], evaluation_id: str) -> None:
    """Run once more what an evaluation of an evaluator was: the same version, settings and subject."""

    def choices(engine: Engine) -> Choices:
        return parts.like(engine.evaluation(evaluation_id).evaluation)

    screen.app.push_screen(EvaluateScreen(await screen.shell.ask(choices), run_now=True))


SCREEN = ScreenSpec(
    name="evaluate",
    title="Evaluate",
    opener=EvaluateScreen,
    entries=(
        Entry("Evaluate", "Have a subject scored by a rule, a model or an agent", "app.open('evaluate')"),
    ),
)
