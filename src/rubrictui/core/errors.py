"""The errors of scoring, beside the family they belong to (``ground/errors.py``)."""

from __future__ import annotations

from rubrictui.ground.errors import InvalidInputError, RubrictuiError

__all__ = ["InvalidInputError", "RubrictuiError", "ScoringError"]


class ScoringError(RubrictuiError):
    """An answer that the version does not allow.

    Attributes:
        kind: ``no_scale``, ``not_on_level``, ``needs_numeric_value``, ``out_of_range``, ``off_step``
            or ``not_applicable_not_allowed`` (contract, "Scoring").
        key: the key of the criterion that was answered.
    """

    code = "illegal_answer"

    def __init__(self, kind: str, key: str, message: str, *, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.kind = kind
        self.key = key
