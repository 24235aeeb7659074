"""The demo with a judge: one sample scored by rule, judge, decision and agent, beside the person who scored it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rubrictui.core.records import Evaluation, EvaluationStatus

if TYPE_CHECKING:
    from rubrictui.engine import Engine

RUBRIC: Final = "Agent evaluation"
SUBJECT: Final = "Agent Run/harbour-gauges"
CONTEXT: Final = "Agent Release/gauge-assistant-july"
EVALUATORS: Final = ("Deterministic", "LLM", "Decision", "Agent")


def require_models() -> None:
    """
    Raises:
        NotRunnableError: what talks to models is not installed.
    """
    from rubrictui.evaluators import models
    from rubrictui.evaluators.errors import NotRunnableError

    if not models.installed():
        raise NotRunnableError("The demo's judge needs a package that is not here.", remedy=models.INSTALL)


def judge_example(engine: Engine) -> tuple[Evaluation, ...]:
    """Have the sample scored by each evaluator that has not scored it yet, and list who has.

    To be called while a model is set up (``demo_judge``).

    Returns:
        The submitted evaluations of the sample that the user may see, people's among them, the earliest first.

    Raises:
        NotFoundError: the sample is not in the store.
        EvaluatorFailedError: an evaluator failed.
    """
    done = {one.evaluator_name for one in _submitted(engine) if one.evaluator_user_id == engine.user.id}
    for name in EVALUATORS:
        if name not in done:
            engine.evaluate_record(rubric=RUBRIC, subject=SUBJECT, context=CONTEXT, evaluator=name)
    return tuple(reversed(_submitted(engine)))


def _submitted(engine: Engine) -> tuple[Evaluation, ...]:
    return engine.evaluations(
        subject=SUBJECT, context=CONTEXT, rubric=RUBRIC, status=EvaluationStatus.SUBMITTED
    )
