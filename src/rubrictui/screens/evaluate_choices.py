"""What an evaluator is to do, as rows that are changed, and the run of it: what evaluating and trying share."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from rubrictui.core.errors import RubrictuiError
from rubrictui.evaluators.settings import MODES, MOST_SAMPLES, EvaluatorSettings
from rubrictui.screens import evaluate_run as parts
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.evaluate_run import Choices, StoppableRun
from rubrictui.screens.opening_work import (
    CONTEXT_COLUMNS,
    NO_CONTEXT,
    RUBRIC_COLUMNS,
    SUBJECT_COLUMNS,
    context_rows,
    rubric_rows,
    subject_rows,
)
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar

READY = "r runs it. Enter changes the line under the cursor."
_SAMPLES = range(1, MOST_SAMPLES + 1)

_Found = TypeVar("_Found")


class ChoicesScreen(ShellScreen[None], Generic[_Found]):
    """Choices, a run that can be stopped, and a line that says how it goes.

    Args:
        choices: what is chosen already.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "run", "Run", id="evaluate.run", tooltip="Have the subject scored with these choices"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Change the choice under the cursor. |
    | r | Run. |
    """

    DEFAULT_CSS = """
    ChoicesScreen {
        & > #status { height: auto; max-height: 40%; padding: 0 1; background: $surface; }
        & > #status.-failed { color: $error; }
        & > #status.-running { color: $accent; }
    }
    """

    def __init__(self, choices: Choices) -> None:
        super().__init__()
        self._choices = choices
        self._run: StoppableRun[_Found] | None = None
        self._began = 0.0
        self._clock: Timer | None = None

    # -- what the two differ in

    @abstractmethod
    def make_run(self) -> StoppableRun[_Found]:
        """The work to be done with these choices."""

    @abstractmethod
    async def show_found(self, found: _Found, seconds: float) -> None:
        """The run went well."""

    def show_failure(self, error: RubrictuiError) -> None:
        """The run did not go well."""
        self._status(f"Nothing was run. {error}", "failed")

    def missing(self) -> str:
        """What has to be chosen before anything can be run; "" for nothing."""
        return "" if self._choices.subject_id else "Choose a subject first."

    def rows(self) -> list[Row]:
        """The choices."""
        return parts.choice_rows(self._choices)

    def subject_chosen(self) -> None:
        """Another subject was chosen."""

    # -- parts

    def compose(self) -> ComposeResult:
        yield TitleBar(str(self.TITLE), self.shell.store_label)
        yield RowsList(parts.CHOICE_COLUMNS)
        yield Static(plain(READY), id="status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self._clock = self.set_interval(1.0, self._tick, pause=True)
        self._show_choices()

    def on_unmount(self) -> None:
        if self._run is not None:
            self._run.stop()

    # -- choosing

    def _show_choices(self) -> None:
        rows = self.query_one(RowsList)
        cursor = rows.current.id if rows.current is not None else None
        rows.set_rows(self.rows(), cursor=cursor)
        title = self._choices.subject_title
        self.query_one(TitleBar).title = f"{self.TITLE} · {title}" if title else str(self.TITLE)
        self.refresh_bindings()

    def _choose(self, **values: str) -> None:
        self._choices = replace(self._choices, **values)  # type: ignore[arg-type]
        self._show_choices()

    def _set(self, **values: object) -> None:
        settings: EvaluatorSettings = msgspec.structs.replace(self._choices.settings, **values)
        self._choices = replace(self._choices, settings=settings)
        self._show_choices()

    async def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        if self._run is not None:
            self.say("It is running; Esc stops it.")
        elif message.row.id == parts.MODE:
            self._set(mode=MODES[1] if self._choices.settings.mode == MODES[0] else MODES[0])
        elif message.row.id == parts.MODEL:
            await self.ask_line(
                "Model",
                value=self._choices.settings.model_id or "",
                placeholder="name or provider:name; empty: the one that is set up",
            )
        else:
            self._change(message.row.id)

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        await self.end_line()
        self._set(model_id=message.value or None)

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
                self.subject_chosen()
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
            f"{self.TITLE} · {title}", columns, rows, cursor=cursor, empty="There is nothing to choose."
        )
        return await self.app.push_screen_wait(choice)

    # -- running

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A run is begun when none is running."""
        return action != "run" or self._run is None

    def action_run(self) -> None:
        """Run it with these choices."""
        if self._run is not None:
            return
        if missing := self.missing():
            self._status(missing, "failed")
            return
        self._run = self.make_run()
        self._began = time.monotonic()
        if self._clock is not None:
            self._clock.resume()
        self._tick()
        self.refresh_bindings()
        self._work_on(self._run)

    @work(exit_on_error=False, exclusive=True, group="run")
    async def _work_on(self, run: StoppableRun[Any]) -> None:
        try:
            found = await self.shell.ask(run)
        except RubrictuiError as error:
            self._ended()
            self.show_failure(error)
            self.refresh_bindings()
            return
        except Exception:
            self._ended()
            self._status(READY)
            raise  # what nobody foresaw is reported and logged by the shell
        took = time.monotonic() - self._began
        self._ended()
        if found is None:
            self._status("Stopped; nothing is stored. " + READY)
        else:
            await self.show_found(found, took)

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

    def action_back(self) -> None:
        """Stop the run, or go back."""
        if self._run is not None:
            self._run.stop()
            self._tick()
        else:
            self.dismiss(None)
