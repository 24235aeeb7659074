"""A score that an evaluation is known by elsewhere, beside the one its answers give.

The rules of a legal matter take points away for what no criterion asks about, and cap a work that fails critically:
their own score stays the score of record, kept in ``Metadata.Evaluator.Matter`` (docs/matters.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rubrictui.core.explain import number
from rubrictui.core.model import Value
from rubrictui.core.records import Evaluation, EvaluatorType


class ScoreOfRecord(Value, frozen=True, kw_only=True):
    """``normalized_score`` is 0..1, after penalties and cap; ``raw_score`` of ``max_score`` points is before the cap.

    ``penalties`` are the points that were taken away, 0 or less. ``critical_failure``: at most ``cap`` was given.
    """

    kind: str = "matter"
    normalized_score: float
    raw_score: float
    max_score: float
    penalties: float = 0.0
    critical_failure: bool = False
    cap: float | None = None

    @property
    def words(self) -> str:
        """On one line: ``0.4962 (12.9 of 26 points, penalties -0.6)``."""
        parts = [f"{number(round(self.raw_score, 4))} of {number(round(self.max_score, 4))} points"]
        if self.penalties:
            parts.append(f"penalties {number(round(self.penalties, 4))}")
        if self.critical_failure:
            cap = f", capped at {number(self.cap)}" if self.cap is not None else ""
            parts.append(f"critical failure{cap}")
        return f"{number(round(self.normalized_score, 4))} ({', '.join(parts)})"


def score_of_record(evaluation: Evaluation) -> ScoreOfRecord | None:
    """The score of record of an evaluation by rules; None when it has no other than its own.

    Metadata may come from outside: what is not a score there is none.
    """
    if evaluation.evaluator_type is not EvaluatorType.DETERMINISTIC or evaluation.outcome is None:
        return None
    return record_in(evaluation.metadata)


def record_in(metadata: Mapping[str, Any] | None) -> ScoreOfRecord | None:
    """The score of record in an evaluation's metadata."""
    evaluator = metadata.get("Evaluator") if isinstance(metadata, Mapping) else None
    about = evaluator.get("Matter") if isinstance(evaluator, Mapping) else None
    if not isinstance(about, Mapping):
        return None
    score, raw, most = (_finite(about.get(name)) for name in ("NormalizedScore", "RawScore", "MaximumScore"))
    if score is None or raw is None or most is None or not 0 <= score <= 1:
        return None
    return ScoreOfRecord(
        normalized_score=score,
        raw_score=raw,
        max_score=most,
        penalties=_finite(about.get("PenaltyPoints")) or 0.0,
        critical_failure=about.get("CriticalFailure") is True,
        cap=_finite(about.get("Cap")),
    )


def _finite(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None
