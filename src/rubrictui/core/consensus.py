"""Consensus: what several evaluators of one subject say together (guide section 9).

The caller decides which scores belong together (the cohort); this module only summarises them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Value

DEFAULT_TRIM: Final = 0.1

# Squares and sums of what is larger would not be finite; scores are 0..1, display scores little more.
_LARGEST: Final = 1e100


class ConsensusMethod(StrEnum):
    MEAN = "Mean"
    MEDIAN = "Median"
    TRIMMED_MEAN = "TrimmedMean"


class CriterionScores(Value, frozen=True, kw_only=True):
    """The scores of one criterion, one per evaluation in a fixed order; None where there is none.

    ``not_applicable`` counts the N/A answers among them (``diagnose`` reads it).
    """

    key: str
    scores: tuple[float | None, ...]
    not_applicable: int = 0


class CriterionConsensus(Value, frozen=True, kw_only=True):
    """One criterion: always the plain mean, whatever the method of the overall score."""

    key: str
    mean: float | None
    std_dev: float | None
    range: float | None
    sample_size: int


class Consensus(Value, frozen=True, kw_only=True):
    """Scores are 0..1. Deviation (population), range and size are over all scores, trimmed or not."""

    method: ConsensusMethod
    overall: float | None
    std_dev: float | None
    range: float | None
    sample_size: int
    criteria: tuple[CriterionConsensus, ...] | None


def consensus(
    scores: Iterable[float | None],
    method: str = "Mean",
    trim: float | None = DEFAULT_TRIM,
    criteria: Iterable[CriterionScores | Mapping[str, Any]] | None = None,
) -> Consensus:
    """Summarise the overall scores of a cohort, and of its criteria when they are given.

    Args:
        scores: one overall score (0..1) per evaluation; None (an evaluation without a score) is left out.
        method: ``Mean``, ``Median`` or ``TrimmedMean``.
        trim: the share that TrimmedMean drops from *each* end, ``floor(trim * n)`` scores; when that
            leaves nothing, all are kept. None means 0.1.
        criteria: ``{key, scores}`` per criterion.

    Raises:
        InvalidInputError: an unknown method, a trim below 0, or a number that is not finite.
    """
    try:
        chosen = ConsensusMethod(method)
    except ValueError:
        raise InvalidInputError(
            f"Unknown consensus method {method!r}.", remedy=f"Use {', '.join(ConsensusMethod)}."
        ) from None
    share = DEFAULT_TRIM if trim is None else trim
    if not (math.isfinite(share) and share >= 0):
        raise InvalidInputError(
            f"The trim must be 0 or more, not {share}.", remedy="Use a share such as 0.1."
        )
    given = present_scores(scores, "scores")
    std_dev, spread = _spread(given)
    rows = None
    if criteria is not None:
        rows = tuple(_criterion(row) for row in as_criterion_scores(criteria))
    return Consensus(
        method=chosen,
        overall=_overall(sorted(given), chosen, share),
        std_dev=std_dev,
        range=spread,
        sample_size=len(given),
        criteria=rows,
    )


def as_criterion_scores(
    criteria: Iterable[CriterionScores | Mapping[str, Any]],
) -> tuple[CriterionScores, ...]:
    """Read ``{key, scores, not_applicable?}`` rows, ours or plain JSON; a bad row is named by its place.

    Raises:
        InvalidInputError: a row without a key or a list of scores, or with a wrong type.
    """
    return tuple(
        row if isinstance(row, CriterionScores) else _read_row(row, f"criteria[{place}]")
        for place, row in enumerate(criteria)
    )


def _read_row(row: Mapping[str, Any], where: str) -> CriterionScores:
    shape = "Write {key, scores: [...], not_applicable?}."
    if not isinstance(row, Mapping):
        raise InvalidInputError(f"{where} is not an object.", remedy=shape)
    key, scores, count = row.get("key"), row.get("scores"), row.get("not_applicable")
    if not isinstance(key, str):
        raise InvalidInputError(f"{where} has no key.", remedy=shape)
    if not isinstance(scores, (list, tuple)):
        raise InvalidInputError(f"{where} ({key}) has no list of scores.", remedy=shape)
    if count is None:
        count = 0
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise InvalidInputError(f"not_applicable of {where} ({key}) is not a count.", remedy=shape)
    return CriterionScores(key=key, scores=tuple(scores), not_applicable=count)


def present_scores(scores: Iterable[float | None], where: str) -> list[float]:
    """The scores that are there.

    Raises:
        InvalidInputError: one that is not a finite number.
    """
    given = [score for score in scores if score is not None]
    for score in given:
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not abs(score) <= _LARGEST:
            raise InvalidInputError(
                f"{str(score)[:40]!r} in {where} is not a score.",
                remedy="Use finite numbers, and null for none.",
            )
    return given


def _criterion(row: CriterionScores) -> CriterionConsensus:
    given = present_scores(row.scores, f"the scores of {row.key}")
    std_dev, spread = _spread(given)
    return CriterionConsensus(
        key=row.key, mean=_mean(given), std_dev=std_dev, range=spread, sample_size=len(given)
    )


def _overall(ordered: Sequence[float], method: ConsensusMethod, trim: float) -> float | None:
    if method is ConsensusMethod.MEDIAN:
        return _median(ordered)
    if method is ConsensusMethod.TRIMMED_MEAN:
        drop = math.floor(min(trim, 1.0) * len(ordered))
        return _mean(ordered[drop : len(ordered) - drop] or ordered)
    return _mean(ordered)


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _median(ordered: Sequence[float]) -> float | None:
    if not ordered:
        return None
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def _spread(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Population standard deviation and range; both None without values."""
    mean = _mean(values)
    if mean is None:
        return None, None
    spread = max(values) - min(values)
    if spread == 0:
        return 0.0, 0.0
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values)), spread
