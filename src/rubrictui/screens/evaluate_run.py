"""What an evaluation from the terminal is made of: the choices, their rows, and the run that can be stopped."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from rubrictui.core.prompt_records import PromptKind
from rubrictui.core.records import Evaluation
from rubrictui.evaluators.registry import NOT_RUN, EvaluatorInfo
from rubrictui.evaluators.settings import DEFAULT_EVALUATOR, EvaluatorSettings, settings_from
from rubrictui.widgets.rows_list import Column, Row

if TYPE_CHECKING:
    from rubrictui.core.prompt_records import Prompt
    from rubrictui.engine import Engine
    from rubrictui.engine.evaluating import EvaluateResult

_Result = TypeVar("_Result")

SUBJECT, RUBRIC, CONTEXT, EVALUATOR = "subject", "rubric", "context", "evaluator"
PROMPT, MODEL, MODE, SAMPLES = "prompt", "model", "mode", "samples"

CHOICE_COLUMNS: Final = (Column("", width=12), Column("Choice", share=1, minimum=30))
EVALUATOR_COLUMNS: Final = (
    Column("Evaluator", width=14),
    Column("Stored as", width=13, drop=2),
    Column("", share=1, minimum=20, drop=1),
)
PROMPT_COLUMNS: Final = (Column("Prompt", share=1, minimum=20), Column("", share=2, minimum=20, drop=1))

#: What the built-in evaluators read of the settings; a plugin may read anything.
_READS: Final = {
    "llm": (PROMPT, MODEL, MODE, SAMPLES),
    "decision": (PROMPT, MODEL),
    "agent": (PROMPT, MODEL),
    "deterministic": (),
}
_ABOUT: Final = {
    "llm": "A judge model: a level, a rationale and quotes for each criterion",
    "decision": "A model that tells the probability of each level",
    "agent": "A model that reads rubric and subject with tools, page by page",
    "deterministic": "The rule of each criterion",
}


@dataclass(frozen=True, slots=True)
class Choices:
    """What is scored, with what, by whom. An id of "" is not chosen yet; a context of "" is none.

    ``version_id`` pins a version, as a retry does; "" takes the rubric's latest Published one.
    """

    subject_id: str = ""
    subject_title: str = ""
    rubric_id: str = ""
    rubric_name: str = ""
    version_id: str = ""
    context_id: str = ""
    context_name: str = ""
    evaluator: str = DEFAULT_EVALUATOR
    settings: EvaluatorSettings = field(default_factory=EvaluatorSettings)

    def arguments(self) -> dict[str, Any]:
        """As ``Engine.evaluate_record`` takes them."""
        which = {"version": self.version_id} if self.version_id else {"rubric": self.rubric_id}
        return {
            "subject": self.subject_id,
            "context": self.context_id or None,
            "evaluator": self.evaluator,
            "settings": self.settings,
            **which,
        }


def like(evaluation: Evaluation) -> Choices:
    """The choices that an evaluator's evaluation was made with, version and settings included.

    Raises:
        InvalidInputError: what is stored of its settings is no settings.
    """
    about = (evaluation.metadata or {}).get("Evaluator") or {}
    return Choices(
        subject_id=evaluation.subject_id,
        subject_title=evaluation.subject_title,
        rubric_id=evaluation.rubric_id,
        rubric_name=f"{evaluation.rubric_name} {evaluation.version_number}",
        version_id=evaluation.version_id,
        context_id=evaluation.context_id or "",
        context_name=evaluation.context_name or "",
        evaluator=evaluation.evaluator_name or DEFAULT_EVALUATOR,
        settings=settings_from(about.get("Settings")),
    )


def choice_rows(choices: Choices) -> list[Row]:
    """The choices as rows; settings that the evaluator does not read are left out."""
    settings = choices.settings
    rows = [
        _row(SUBJECT, "Subject", choices.subject_title or choices.subject_id),
        _row(RUBRIC, "Rubric", choices.rubric_name),
        Row(CONTEXT, ("For", choices.context_name or "Nothing in particular")),
        Row(EVALUATOR, ("Evaluator", choices.evaluator)),
    ]
    texts = {
        PROMPT: ("Prompt", settings.prompt_name or "the usual one"),
        MODEL: ("Model", settings.model_id or "the one that is set up"),
        MODE: (
            "Mode",
            "SinglePass: one call"
            if settings.mode == "SinglePass"
            else "PerCriterion: a call for each criterion",
        ),
        SAMPLES: ("Samples", str(settings.samples)),
    }
    read = _READS.get(choices.evaluator.casefold(), tuple(texts))
    return rows + [Row(name, texts[name], section="Settings") for name in texts if name in read]


def _row(name: str, title: str, value: str) -> Row:
    return Row(name, (title, value or "Choose ..."), tone="" if value else "warning")


def evaluator_rows(found: Sequence[EvaluatorInfo]) -> list[Row]:
    """The evaluators that run here, and after them those that would, with what is missing."""
    listed = [one for one in found if not one.replaced and one.name not in NOT_RUN]
    return [
        Row(
            id=one.name,
            cells=(
                one.name,
                one.evaluator_type.value if one.evaluator_type is not None else "",
                _ABOUT.get(one.name.casefold(), one.origin) if one.runnable else one.problem,
            ),
            section="" if one.runnable else "Cannot run here",
            tone="" if one.runnable else "muted",
        )
        for one in sorted(listed, key=lambda one: not one.runnable)
    ]


def prompt_rows(found: Sequence[Prompt], evaluator: str) -> list[Row]:
    """The prompts that may be chosen for an evaluator, after the choice of none."""
    kind = PromptKind.DECISION if evaluator.casefold() == "decision" else PromptKind.JUDGE
    rows = [Row(id="", cells=("The usual one", ""))]
    return rows + [
        Row(id=one.name, cells=(one.name, one.description or "")) for one in found if one.kind is kind
    ]


class StoppableRun(Generic[_Result]):
    """Work of evaluators in a thread of the store. ``stop`` may be called from any thread, at any time.

    Args:
        begin: the work, as a coroutine of the engine.
    """

    def __init__(self, begin: Callable[[Engine], Coroutine[Any, Any, _Result]]) -> None:
        self._begin = begin
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[_Result] | None = None
        self.is_stopped = False

    def __call__(self, engine: Engine) -> _Result | None:
        """Do it; None when it was stopped before anything was stored.

        Raises:
            RubrictuiError: as the work does.
        """
        return asyncio.run(self._run(engine))

    async def _run(self, engine: Engine) -> _Result | None:
        with self._lock:
            if self.is_stopped:
                return None
            self._loop = asyncio.get_running_loop()
            self._task = asyncio.create_task(self._begin(engine))
        try:
            return await self._task
        except asyncio.CancelledError:
            if self.is_stopped:
                return None
            raise

    def stop(self) -> None:
        """End the call that is waited for. What is being stored at that moment is stored whole."""
        with self._lock:
            self.is_stopped = True
            if self._loop is not None and self._task is not None:
                with contextlib.suppress(RuntimeError):  # its loop has ended meanwhile, and so has the run
                    self._loop.call_soon_threadsafe(self._task.cancel)


def evaluation_run(choices: Choices) -> StoppableRun[EvaluateResult]:
    """One evaluation with these choices."""
    return StoppableRun(lambda engine: engine.evaluate_record_async(**choices.arguments()))
