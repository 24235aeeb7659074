"""What can go wrong around an evaluator, by name."""

from __future__ import annotations

from rubrictui.core.errors import RubrictuiError


class UnknownEvaluatorError(RubrictuiError):
    """No evaluator of this name is registered."""

    code = "unknown_evaluator"


class NotRunnableError(RubrictuiError):
    """An evaluator that is there and cannot run here: a person, or one whose extra is not installed."""

    code = "evaluator_not_runnable"


class EvaluatorError(RubrictuiError):
    """An evaluator that could not finish. Raised inside a run, it makes the evaluation Failed with this message."""

    code = "evaluator_failed"
