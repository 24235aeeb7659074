"""Consensus of a panel, criterion by criterion: what evaluators say together, and how far each stands from it.

``consensus`` summarises one list of scores; here a whole table is summarised, with people, AI judges and the
self-assessment apart (guide section 9): AIPrompt and Agent are AI; Deterministic and External count in the
mean and in neither split; Self is shown beside the cohort and counts in nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rubrictui.core.agreement_report import OVERALL
from rubrictui.core.consensus import DEFAULT_TRIM, consensus
from rubrictui.core.model import Value
from rubrictui.core.ratings import (
    AI_TYPES,
    Rater,
    RatingsTable,
    check_table,
    overall_scores,
    rating_array,
    scores,
)
from rubrictui.core.records import EvaluatorType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Deviation(Value, frozen=True, kw_only=True):
    """One evaluator's score, and that minus the cohort's mean (a self-assessment is not part of the mean)."""

    evaluator: str
    type: EvaluatorType
    score: float
    deviation: float | None


class CriterionSummary(Value, frozen=True, kw_only=True):
    """Scores (0..1) of one criterion, or overall, of one subject.

    ``std_dev`` is that of the population; ``range`` is ``high - low``; ``sample_size`` counts the cohort.
    Everything is None without a score.
    """

    key: str
    mean: float | None
    median: float | None
    trimmed_mean: float | None
    std_dev: float | None
    range: float | None
    low: float | None
    high: float | None
    sample_size: int
    human_mean: float | None
    human_count: int
    ai_mean: float | None
    ai_count: int
    self_score: float | None
    deviations: tuple[Deviation, ...]


class SubjectConsensus(Value, frozen=True, kw_only=True):
    """One subject: its overall scores, and every criterion in the table's order."""

    subject: str
    overall: CriterionSummary
    criteria: tuple[CriterionSummary, ...]


class CriterionSpread(Value, frozen=True, kw_only=True):
    """One criterion over all subjects, by subject means.

    ``mean``: of the subjects' means. ``std_dev``: how far the subjects' means lie apart (population).
    ``disagreement``: the mean range within a subject, over those with two scores or more; ``widest`` is the
    largest and ``widest_subject`` where it is.
    """

    key: str
    name: str
    mean: float | None
    std_dev: float | None
    human_mean: float | None
    ai_mean: float | None
    subjects: int
    disagreement: float | None
    widest: float | None
    widest_subject: str | None


class PanelConsensus(Value, frozen=True, kw_only=True):
    """The consensus of a round: each subject, each criterion over them, and the overall scores over them."""

    trim: float
    subjects: tuple[SubjectConsensus, ...]
    criteria: tuple[CriterionSpread, ...]
    overall: CriterionSpread


def summarise(
    key: str, given: Sequence[float | None], raters: Sequence[Rater], *, trim: float = DEFAULT_TRIM
) -> CriterionSummary:
    """What evaluators say together about one criterion of one subject.

    Args:
        given: a score (0..1), or None, of each of ``raters`` in their order.
        trim: the share that the trimmed mean drops from each end.

    Raises:
        InvalidInputError: a score that is no finite number, or a trim below 0.
    """
    cohort = [score for score, rater in zip(given, raters, strict=True) if not rater.is_self]
    plain = consensus(cohort)
    there = [score for score in cohort if score is not None]
    people = _of(given, raters, (EvaluatorType.HUMAN,))
    judges = _of(given, raters, AI_TYPES)
    mean = plain.overall
    return CriterionSummary(
        key=key,
        mean=mean,
        median=consensus(cohort, "Median").overall,
        trimmed_mean=consensus(cohort, "TrimmedMean", trim).overall,
        std_dev=plain.std_dev,
        range=plain.range,
        low=min(there, default=None),
        high=max(there, default=None),
        sample_size=plain.sample_size,
        human_mean=_mean(people),
        human_count=len(people),
        ai_mean=_mean(judges),
        ai_count=len(judges),
        self_score=_mean(_of(given, raters, (EvaluatorType.SELF,))),
        deviations=tuple(
            Deviation(
                evaluator=rater.name,
                type=rater.type,
                score=score,
                deviation=None if mean is None else score - mean,
            )
            for score, rater in zip(given, raters, strict=True)
            if score is not None
        ),
    )


def panel_consensus(table: RatingsTable, *, trim: float = DEFAULT_TRIM) -> PanelConsensus:
    """Summarise every subject of a table, and every criterion over the subjects.

    Raises:
        InvalidInputError: the table does not fit, or a trim below 0.
    """
    check_table(table)
    columns = len(table.evaluators)
    arrays = [scores(row, rating_array(row.ratings, columns)) for row in table.criteria]
    grids = [_listed(array) for array in arrays]
    overall = _listed(overall_scores(table))
    subjects = tuple(
        SubjectConsensus(
            subject=name,
            overall=summarise(OVERALL, overall[place], table.evaluators, trim=trim),
            criteria=tuple(
                summarise(row.key, grid[place], table.evaluators, trim=trim)
                for row, grid in zip(table.criteria, grids, strict=True)
            ),
        )
        for place, name in enumerate(table.subjects)
    )
    return PanelConsensus(
        trim=trim,
        subjects=subjects,
        criteria=tuple(
            _spread(row.key, row.name or row.key, [(one.subject, one.criteria[place]) for one in subjects])
            for place, row in enumerate(table.criteria)
        ),
        overall=_spread(OVERALL, "Overall score", [(one.subject, one.overall) for one in subjects]),
    )


def _spread(key: str, name: str, rows: Sequence[tuple[str, CriterionSummary]]) -> CriterionSpread:
    means = consensus([row.mean for _, row in rows])
    ranges = [(row.range, subject) for subject, row in rows if row.range is not None and row.sample_size >= 2]
    widest = max(ranges, key=lambda found: found[0], default=(None, None))
    return CriterionSpread(
        key=key,
        name=name,
        mean=means.overall,
        std_dev=means.std_dev,
        human_mean=_mean(row.human_mean for _, row in rows),
        ai_mean=_mean(row.ai_mean for _, row in rows),
        subjects=means.sample_size,
        disagreement=_mean(found for found, _ in ranges),
        widest=widest[0],
        widest_subject=widest[1],
    )


def _of(
    given: Sequence[float | None], raters: Sequence[Rater], types: Sequence[EvaluatorType]
) -> list[float]:
    return [
        score for score, rater in zip(given, raters, strict=True) if score is not None and rater.type in types
    ]


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None


def _listed(array: Floats) -> list[list[float | None]]:
    return [[None if math.isnan(value) else value for value in row] for row in array.tolist()]
