"""Item analysis of a table of ratings, and its flags in words for the author of a rubric."""

from __future__ import annotations

import math

from rubrictui.core.consensus import CriterionScores
from rubrictui.core.diagnostics import Diagnosis, DiagnosticFlag, diagnose
from rubrictui.core.ratings import RatingsTable, check_table, rating_array, scores


def diagnose_table(table: RatingsTable) -> tuple[Diagnosis, ...]:
    """The flags of ``diagnose`` over every evaluation of a table: one of a subject by an evaluator who gave any
    rating. Self-assessments are left out.

    Raises:
        InvalidInputError: the table does not fit.
    """
    import numpy as np

    check_table(table)
    cohort = table.without_self()
    columns = len(cohort.evaluators)
    arrays = [scores(row, rating_array(row.ratings, columns)).ravel() for row in cohort.criteria]
    if not arrays:
        return ()
    given = ~np.isnan(np.stack(arrays)).all(axis=0)
    return diagnose(
        CriterionScores(
            key=row.key,
            # Scores that are equal to the six places they are stored with are one score.
            scores=tuple(None if math.isnan(score) else round(score, 6) for score in array[given].tolist()),
            not_applicable=min(row.not_applicable, int(given.sum())),
        )
        for row, array in zip(cohort.criteria, arrays, strict=True)
    )


def explain_flag(row: Diagnosis) -> tuple[str, str]:
    """A flag as a sentence with the numbers behind it, and what the author could do."""
    key, size, scored = row.criterion_key, row.sample_size, row.scored
    match row.flag:
        case DiagnosticFlag.INSUFFICIENT_DATA:
            return (
                f"{key} was met in {_count(size)}; the other flags mean little below {row.limit:g}.",
                "Gather more evaluations before you change the rubric.",
            )
        case DiagnosticFlag.MOSTLY_NOT_APPLICABLE:
            return (
                f"{key} was not applicable in {row.value:.0%} of {_count(size)} (flagged from {row.limit:.0%}).",
                "Say more narrowly when it applies, make it advisory, or move it to a rubric of its own.",
            )
        case DiagnosticFlag.RANGE_COLLAPSE:
            return (
                f"All {scored} scores of {key} are the same, so it tells no subject from another.",
                "Sharpen the anchors so that middling work gets a middling level, or drop the criterion. "
                "A gate that everybody passes may stay.",
            )
        case DiagnosticFlag.NO_DISCRIMINATION:
            return (
                f"{key} does not follow the rest of the rubric: its correlation with the mean of the other "
                f"criteria is {row.value:.3f} over {_count(size)}, {scored} of them scored "
                f"(flagged below {row.limit:g} either way).",
                "Check that its anchors say what is meant and that its scale runs the right way. It may also "
                "measure something of its own: then keep it.",
            )
        case DiagnosticFlag.HIGH_CORRELATION:
            follows = "rises and falls with" if row.value > 0 else "rises as the other falls:"
            return (
                f"{key} {follows} {row.other_key} (r = {row.value:.2f} over {_count(scored)}, "
                f"flagged from {row.limit:g}).",
                "They may measure one thing twice, which doubles its weight: merge them, or say in the anchors "
                "what only one of them is about.",
            )


def _count(evaluations: int) -> str:
    return f"{evaluations} evaluation{'' if evaluations == 1 else 's'}"
