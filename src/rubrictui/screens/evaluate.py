"""Having a subject scored by a rule, a model or an agent: choose, see it run, read the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType

from rubrictui.core.errors import RubrictuiError
from rubrictui.engine.errors import EvaluatorFailedError
from rubrictui.screens import Entry, ScreenSpec
from rubrictui.screens import evaluate_run as parts
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.evaluate_choices import READY, ChoicesScreen
from rubrictui.screens.evaluate_run import Choices, StoppableRun, evaluation_run
from rubrictui.screens.opening_work import open_result

if TYPE_CHECKING:
    from rubrictui.engine import Engine
    from rubrictui.engine.evaluating import EvaluateResult


class EvaluateScreen(ChoicesScreen["EvaluateResult"]):
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
    | o | Open the evaluation of the run that failed. |
    | u | The calls of models about this subject. |
    | escape | Stop the run; back. |
    """

    def __init__(self, choices: Choices | None = None, *, run_now: bool = False) -> None:
        super().__init__(choices or Choices())
        self._run_now = run_now
        self._failed: str | None = None

    def on_mount(self) -> None:
        super().on_mount()
        if self._run_now:
            self.action_run()
        else:
            self.subject_chosen()

    def subject_chosen(self) -> None:
        if self._choices.subject_id and not self._choices.rubric_id:
            self._take_last()

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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A run is begun when none is running; a failed evaluation is opened when there is one."""
        if action == "open_failed":
            return self._failed is not None and self._run is None
        if action == "runs":
            return bool(self._choices.subject_id) and self._run is None
        return super().check_action(action, parameters)

    def missing(self) -> str:
        is_whole = self._choices.subject_id and (self._choices.rubric_id or self._choices.version_id)
        return "" if is_whole else "Choose a subject and a rubric first."

    def make_run(self) -> StoppableRun[EvaluateResult]:
        self._failed = None
        return evaluation_run(self._choices)

    def show_failure(self, error: RubrictuiError) -> None:
        if isinstance(error, EvaluatorFailedError):
            self._failed = error.evaluation_id
            self._status(f"{error} Stored as Failed: o opens it.", "failed")
        else:
            super().show_failure(error)

    async def show_found(self, found: EvaluateResult, seconds: float) -> None:
        if found.hidden:
            self._status("Stored. It is hidden from you while your own evaluation of the subject is open.")
            return
        cost = f", cost {found.cost:.4g}" if found.cost is not None else ""
        self._status(f"Stored after {seconds:.1f} s{cost}. {READY}")
        await open_result(self, found.evaluation_id)

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_open_failed(self) -> None:
        """Open the evaluation of the run that failed."""
        if self._failed is not None:
            await open_result(self, self._failed)

    def action_runs(self) -> None:
        """The calls of models about this subject."""
        from rubrictui.screens.runs import RunsScreen

        self.app.push_screen(RunsScreen(self._choices.subject_id))


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
