"""Item analysis: criteria that do not do their work, found from the scores they got.

Rules and limits: contract, "Statistics" (diagnostics flags).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from rubrictui.core.consensus import CriterionScores, as_criterion_scores, present_scores
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MINIMUM_ROWS: Final = 20
NOT_APPLICABLE_SHARE: Final = 0.5
NO_DISCRIMINATION_BELOW: Final = 0.05
HIGH_CORRELATION_FROM: Final = 0.9

# Scores are rounded to six places, so a mean of them differs by far more than this or not at all.
_SAME_VALUE: Final = 1e-12


class DiagnosticFlag(StrEnum):
    INSUFFICIENT_DATA = "InsufficientData"
    MOSTLY_NOT_APPLICABLE = "MostlyNotApplicable"
    RANGE_COLLAPSE = "RangeCollapse"
    NO_DISCRIMINATION = "NoDiscrimination"
    HIGH_CORRELATION = "HighCorrelation"


class Diagnosis(Value, frozen=True, kw_only=True):
    """One flag on one criterion (on a pair for HighCorrelation), with the numbers behind it.

    ``sample_size`` counts rows, those without a score included; ``scored`` those with one. ``value`` is
    what the rule compared with ``limit``; ``advice`` is a sentence for the author.
    """

    criterion_key: str
    other_key: str | None
    flag: DiagnosticFlag
    sample_size: int
    scored: int
    value: float
    limit: float
    advice: str


def diagnose(criteria: Iterable[CriterionScores | Mapping[str, Any]]) -> tuple[Diagnosis, ...]:
    """Find criteria that lack data, never apply, never vary, do not discriminate, or repeat another.

    Args:
        criteria: ``{key, scores, not_applicable}`` for every criterion: scores (0..1 or None) of the same
            evaluations in the same order, and how many of them were answered N/A.

    Returns:
        Flags criterion by criterion, then correlated pairs, each both ways.

    Raises:
        InvalidInputError: criteria with different numbers of rows, or a score that is no finite number.
    """
    rows = as_criterion_scores(criteria)
    if not rows:
        return ()
    for row in rows:
        if len(row.scores) != len(rows[0].scores):
            raise InvalidInputError(
                f"{row.key} has {len(row.scores)} scores and {rows[0].key} has {len(rows[0].scores)}.",
                remedy="Give every criterion one score, or null, for each evaluation.",
            )
        present_scores(row.scores, f"the scores of {row.key}")
    table = _table(rows)
    with_others = _correlation_with_others(table)
    found: list[Diagnosis] = []
    for place, row in enumerate(rows):
        found += _flags(row, with_others[place])
    found += _pairs(rows, table)
    return tuple(found)


def _flags(row: CriterionScores, with_others: float) -> list[Diagnosis]:
    size = len(row.scores)
    given = [score for score in row.scores if score is not None]

    def flag(which: DiagnosticFlag, value: float, limit: float, advice: str) -> Diagnosis:
        return Diagnosis(
            criterion_key=row.key,
            other_key=None,
            flag=which,
            sample_size=size,
            scored=len(given),
            value=value,
            limit=limit,
            advice=advice,
        )

    found = []
    if size < MINIMUM_ROWS:
        advice = f"Only {size} evaluations: gather at least {MINIMUM_ROWS} before you trust the other flags."
        found.append(flag(DiagnosticFlag.INSUFFICIENT_DATA, size, MINIMUM_ROWS, advice))
    share = row.not_applicable / size if size else 0.0
    if size and share >= NOT_APPLICABLE_SHARE:
        advice = f"Not applicable in {share:.0%} of the evaluations: narrow when it is asked, or drop it."
        found.append(flag(DiagnosticFlag.MOSTLY_NOT_APPLICABLE, share, NOT_APPLICABLE_SHARE, advice))
    if len(given) >= 2:
        if min(given) == max(given):
            advice = f"All {len(given)} scores are {given[0]:g}: sharpen the anchors, or drop the criterion."
            found.append(flag(DiagnosticFlag.RANGE_COLLAPSE, 0.0, 0.0, advice))
        if abs(with_others) < NO_DISCRIMINATION_BELOW:
            advice = (
                f"Its scores do not follow the rest of the rubric (r = {with_others:.2f}): check that the "
                "anchors say what is meant, or that it belongs here."
            )
            found.append(flag(DiagnosticFlag.NO_DISCRIMINATION, with_others, NO_DISCRIMINATION_BELOW, advice))
    return found


def _pairs(rows: tuple[CriterionScores, ...], table: Floats) -> list[Diagnosis]:
    import numpy as np

    found = []
    for place, row in enumerate(rows[:-1]):
        correlations, common = _correlations(table[:, place], table[:, place + 1 :])
        for offset in np.flatnonzero(np.abs(correlations) >= HIGH_CORRELATION_FROM):
            other = rows[place + 1 + int(offset)]
            r, size = float(correlations[offset]), int(common[offset])
            for this, that in ((row, other), (other, row)):
                found.append(
                    Diagnosis(
                        criterion_key=this.key,
                        other_key=that.key,
                        flag=DiagnosticFlag.HIGH_CORRELATION,
                        sample_size=len(this.scores),
                        scored=size,
                        value=r,
                        limit=HIGH_CORRELATION_FROM,
                        advice=(
                            f"{'Moves with' if r > 0 else 'Mirrors'} {that.key} (r = {r:.2f} over {size} "
                            "evaluations): the two may measure one thing twice; merge or separate them."
                        ),
                    )
                )
    return found


def _table(rows: tuple[CriterionScores, ...]) -> Floats:
    """Scores as evaluations x criteria, NaN for none."""
    # Imported here, as in every function of this module that uses it: numpy costs 100 ms at start.
    import numpy as np

    return np.array([[np.nan if s is None else s for s in row.scores] for row in rows], dtype=np.float64).T


def _correlation_with_others(table: Floats) -> list[float]:
    """Each criterion against the mean of the other criteria's scores in the same evaluation."""
    import numpy as np

    present = ~np.isnan(table)
    scores = np.where(present, table, 0.0)
    counts = present.sum(axis=1)
    found = []
    for place in range(table.shape[1]):
        others = counts - present[:, place]
        sums = np.delete(scores, place, axis=1).sum(axis=1)
        means = np.divide(sums, others, out=np.full(len(sums), np.nan), where=others > 0)
        correlations, _ = _correlations(table[:, place], means[:, np.newaxis])
        found.append(float(correlations[0]))
    return found


def _correlations(column: Floats, others: Floats) -> tuple[Floats, NDArray[np.int_]]:
    """Pearson's r of one column with each of ``others`` over the rows they share, and how many those are.

    0 where either side does not vary, as in fewer than two rows.
    """
    import numpy as np

    common = ~np.isnan(others) & ~np.isnan(column)[:, np.newaxis]
    count = common.sum(axis=0)
    if not len(column):
        return np.zeros(count.shape), count
    x = np.where(common, column[:, np.newaxis], 0.0)
    y = np.where(common, others, 0.0)
    size = np.maximum(count, 1)
    x = np.where(common, x - x.sum(axis=0) / size, 0.0)
    y = np.where(common, y - y.sum(axis=0) / size, 0.0)
    varies = (np.ptp(x, axis=0) > _SAME_VALUE) & (np.ptp(y, axis=0) > _SAME_VALUE)
    spread = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    r = np.divide((x * y).sum(axis=0), spread, out=np.zeros(count.shape), where=varies)
    return np.clip(r, -1.0, 1.0), count
