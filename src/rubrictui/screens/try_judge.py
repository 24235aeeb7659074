"""Trying an evaluator on the draft in the builder: choose, see it run, read what it answered beside the rubric.

No evaluation is stored. What it answered can be kept as a sample of the draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from rubrictui.core.answer_fill import sample_answers
from rubrictui.core.display import visible
from rubrictui.core.explain import explain_outcome
from rubrictui.engine.evaluating import left_out
from rubrictui.screens import evaluate_run as parts
from rubrictui.screens.builder_session import BuilderSession
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.evaluate_choices import READY, ChoicesScreen
from rubrictui.screens.evaluate_run import Choices, StoppableRun
from rubrictui.screens.result import ResultScreen
from rubrictui.screens.run import RunScreen, tokens_words
from rubrictui.widgets.result_lines import shown_score
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import counted, one_line, plain

if TYPE_CHECKING:
    from rubrictui.core.prompt_records import PromptRun
    from rubrictui.engine import Engine
    from rubrictui.engine.trying import Trial

CALL_COLUMNS = (
    Column("", width=6),
    Column("Asked", share=1, minimum=12),
    Column("Model", share=1, minimum=12, drop=1),
    Column("Tokens", width=11, right=True, drop=2),
    Column("Reply", share=3, minimum=20),
)


def taken_words(about: Mapping[str, Any]) -> str:
    """What a run took, in a line: model, tokens, cost, time."""
    model = about.get("Model")
    found = [", ".join(model) if isinstance(model, list) else str(model)] if model else []
    if about.get("InputTokens") is not None:
        found.append(f"{about['InputTokens']:,}+{about.get('OutputTokens') or 0:,} tokens")
    if about.get("Cost") is not None:
        found.append(f"cost {about['Cost']:.4g} {about.get('CostCurrency') or ''}".rstrip())
    elif model:
        found.append("cost not known")
    return " · ".join([*found, f"{about.get('DurationSeconds', 0):.1f} s"])


def call_rows(calls: tuple[PromptRun, ...]) -> list[Row]:
    """Calls as rows, in their order."""
    return [
        Row(
            id=run.id,
            cells=(
                "failed" if run.error_message else "done",
                str(run.settings.get("Criterion") or "the whole rubric"),
                run.model or "",
                tokens_words(run),
                one_line(run.error_message or run.reply or "", 200),
            ),
            tones=("error" if run.error_message else "success",),
        )
        for run in calls
    ]


class TryJudgeScreen(ChoicesScreen["Trial"]):
    """One evaluator on one subject, with the draft as it is now.

    Args:
        session: the open draft, which gets the samples that are kept.
        choices: what was chosen the last time.
    """

    TITLE = "Try a judge"
    HELP = (
        "Has an evaluator answer the draft about a subject, before anything is published. Enter changes the line under "
        "the cursor; r runs it; Esc stops it. No evaluation is stored; the calls of models are, so that you can read "
        "what was sent. A subject that you are to score yourself cannot be tried."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open_last", "Last result", id="try_judge.open", tooltip="What the last try came to"),
        Binding(
            "p", "calls", "Prompt and reply", id="try_judge.calls", tooltip="What was sent and came back"
        ),
        Binding(
            "escape",
            "back",
            "Back",
            key_display="Esc",
            id="try_judge.back",
            tooltip="Stop the run, or go back",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | o | What the last try came to. |
    | p | What was sent to the model, and its reply as it came. |
    | escape | Stop the run; back. |
    """

    def __init__(self, session: BuilderSession, choices: Choices | None = None) -> None:
        version = session.version
        super().__init__(
            replace(choices or Choices(), rubric_id=version.rubric_id, rubric_name=version.rubric_name)
        )
        self._session = session
        self._trial: Trial | None = None

    @property
    def choices(self) -> Choices:
        """What is chosen now."""
        return self._choices

    def rows(self) -> list[Row]:
        """The choices without rubric and round: those are the draft's, and none's."""
        return [row for row in super().rows() if row.id not in (parts.RUBRIC, parts.CONTEXT)]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The last try is opened when there is one that went well, its calls when there were any."""
        trial = self._trial
        if action == "open_last":
            return trial is not None and not trial.failure and self._run is None
        if action == "calls":
            return trial is not None and bool(trial.calls) and self._run is None
        return super().check_action(action, parameters)

    def make_run(self) -> StoppableRun[Trial]:
        version, choices = self._session.version, self._choices
        self._trial = None
        return StoppableRun(
            lambda engine: engine.try_evaluator_async(
                version, subject=choices.subject_id, evaluator=choices.evaluator, settings=choices.settings
            )
        )

    async def show_found(self, found: Trial, seconds: float) -> None:
        self._trial = found
        self.refresh_bindings()
        if found.failure:
            more = " p shows what was sent and came back." if found.calls else ""
            self._status(f"{self._choices.evaluator} failed: {found.failure}{more}", "failed")
            return
        result = found.detail.result
        score = shown_score(found.detail.version, found.score)
        says = explain_outcome(found.detail.version, result) if result is not None else ""
        self._status(f"{score}. {says} {taken_words(found.about)}. o shows it again. {READY}")
        await self._show_trial()

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_open_last(self) -> None:
        """What the last try came to."""
        await self._show_trial()

    async def _show_trial(self) -> None:
        if self._trial is not None and not self._trial.failure:
            self.app.push_screen(TrialScreen(await self.shell.engine(), self._trial, self._session))

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_calls(self) -> None:
        """What was sent and came back."""
        if self._trial is not None:
            await show_calls(self, self._trial)


class TrialScreen(ResultScreen):
    """What an evaluator answered, beside the draft's criteria."""

    TITLE = "Try a judge"
    HELP = (
        "What the evaluator answered to the draft. Each line is a node: its share, the answer, its score, and the points "
        "it gives to the whole. Enter shows rationale and evidence whole. a keeps the answers as a sample of the draft, "
        "which the builder then shows; p opens what was sent to the model and its reply as it came."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "a", "keep", "As a sample", id="trial.keep", tooltip="Keep the answers as a sample of the draft"
        ),
        Binding("p", "calls", "Prompt and reply", id="trial.calls", tooltip="What was sent and came back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | a | Keep the answers as a sample of the draft. |
    | p | What was sent to the model, and its reply as it came. |
    """

    def __init__(self, engine: Engine, trial: Trial, session: BuilderSession) -> None:
        super().__init__(engine, trial.detail)
        self._trial = trial
        self._session = session

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """It is no evaluation, so that nothing is corrected, withdrawn or compared."""
        if action == "compare":
            return False
        if action == "calls":
            return bool(self._trial.calls)
        return super().check_action(action, parameters)

    def _outcome(self) -> Content:
        trial = self._trial
        lines = [super()._outcome(), plain(visible(f"Nothing is stored. {taken_words(trial.about)}"))]
        lines += [plain(visible(line, newlines=False)) for line in left_out(trial.about)]
        if trial.unanswered:
            told = "; ".join(f"{key}: {why}" for key, why in trial.unanswered.items())
            lines.append(plain(visible(f"Unanswered: {told}", newlines=False)))
        return Content("\n").join(lines)

    def action_keep(self) -> None:
        """Keep the answers as a sample of the draft."""
        session, trial = self._session, self._trial
        version, evaluation = trial.detail.version, trial.detail.evaluation
        answers = sample_answers(version, trial.answers)
        if not answers:
            self.say("Nothing was answered.")
            return
        name = one_line(f"{evaluation.evaluator_name} on {evaluation.subject_title}", 60)
        same = next((each for each in session.sets if each.name == name), None)
        if same is not None:
            session.use_set(same.id)
            session.fill(answers)
        else:
            session.add_set(name, answers)
        if session.problem:
            self.say(f"NOT SAVED. {session.problem}", error=True)
        else:
            self.say(f"Kept as the sample {name} ({counted(len(answers), 'answer')}); the builder shows it.")

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_calls(self) -> None:
        """What was sent and came back."""
        await show_calls(self, self._trial)


async def show_calls(screen: TryJudgeScreen | TrialScreen, trial: Trial) -> None:
    """Open the call of a try; of several the one that is chosen."""
    calls = await screen.shell.ask(lambda engine: tuple(engine.prompt_run(id) for id in trial.calls))
    title = trial.detail.evaluation.subject_title
    if len(calls) == 1:
        screen.app.push_screen(RunScreen(calls[0], title))
        return
    choice = ChooseScreen("Which call?", CALL_COLUMNS, call_rows(calls), empty="No call was made.")
    chosen = await screen.app.push_screen_wait(choice)
    found = next((run for run in calls if run.id == chosen), None)
    if found is not None:
        screen.app.push_screen(RunScreen(found, title))
