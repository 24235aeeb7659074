"""A table of ratings: what several evaluators answered about several subjects, criterion by criterion.

Everything that compares evaluators (agreement, severity, consensus of a round, plots) reads this one value. A
rating keeps the unit of its scale, because agreement is about answers: the index of a level, 0 for the lowest,
or the number given on a numeric scale. ``scores`` turns ratings into scores (0..1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Scale, ScaleType, Value
from rubrictui.core.problems import repeated
from rubrictui.core.records import EvaluatorType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Rating = float | None
AI_TYPES: Final = (EvaluatorType.AI_PROMPT, EvaluatorType.AGENT)

#: A numeric scale with more steps than this is treated as continuous.
MOST_CATEGORIES: Final = 101

# How far a number may stand beside a step of its scale, in steps.
_ON_STEP: Final = 1e-6


class RatingScale(Value, frozen=True, kw_only=True):
    """The declared scale of a criterion, as far as ratings need it.

    Levels: ``labels``, lowest first, and the score (0..1) of each; a rating is an index into them. Numeric:
    ``minimum`` and ``maximum``, and ``step`` when only such numbers are allowed. Neither: nothing is declared.
    """

    labels: tuple[str, ...] = ()
    level_scores: tuple[float, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    higher_is_better: bool = True

    @property
    def categories(self) -> int | None:
        """How many different answers the scale allows; None where that is unlimited or not declared."""
        if self.labels:
            return len(self.labels)
        low, high, step = self.minimum, self.maximum, self.step
        if low is None or high is None or not step:
            return None
        count = math.floor((high - low) / step + _ON_STEP) + 1
        return count if 1 <= count <= MOST_CATEGORIES else None

    @property
    def category_labels(self) -> tuple[str, ...]:
        """A label for each category, lowest first; none without categories."""
        if self.labels or self.categories is None:
            return self.labels
        return tuple(
            f"{(self.minimum or 0) + place * (self.step or 1):.12g}" for place in range(self.categories)
        )


class Rater(Value, frozen=True, kw_only=True):
    """An evaluator of the table: a column. ``name`` is unique in the table."""

    name: str
    type: EvaluatorType = EvaluatorType.HUMAN

    @property
    def is_self(self) -> bool:
        return self.type is EvaluatorType.SELF


class CriterionRatings(Value, frozen=True, kw_only=True):
    """One criterion: a row per subject, a column per evaluator, None where there is no rating.

    ``not_applicable`` counts the N/A answers among those that are None.
    """

    key: str
    ratings: tuple[tuple[Rating, ...], ...]
    scale: RatingScale = RatingScale()
    name: str = ""
    not_applicable: int = 0


class RatingsTable(Value, frozen=True, kw_only=True):
    """Subjects by evaluators, for every criterion.

    ``overall`` holds the overall scores (0..1), a row per subject; without it the plain mean of the criterion
    scores that an evaluator gave stands for her overall score.
    """

    subjects: tuple[str, ...]
    evaluators: tuple[Rater, ...]
    criteria: tuple[CriterionRatings, ...]
    overall: tuple[tuple[Rating, ...], ...] | None = None

    def criterion(self, key: str) -> CriterionRatings:
        """The criterion of this key.

        Raises:
            InvalidInputError: there is none.
        """
        for row in self.criteria:
            if row.key == key:
                return row
        raise InvalidInputError(
            f'There is no criterion "{key}" among the ratings.',
            remedy=f"Use one of: {', '.join(row.key for row in self.criteria[:8])}.",
        )

    def evaluator(self, name: str) -> int:
        """The column of the evaluator of this name, ignoring case.

        Raises:
            InvalidInputError: there is none.
        """
        for place, rater in enumerate(self.evaluators):
            if rater.name.casefold() == name.strip().casefold():
                return place
        raise InvalidInputError(
            f'There is no evaluator "{name}" among the ratings.',
            remedy=f"Use one of: {', '.join(rater.name for rater in self.evaluators[:8])}.",
        )

    def without_self(self) -> RatingsTable:
        """The table without self-assessments, which are never part of a cohort (guide section 9)."""
        kept = [place for place, rater in enumerate(self.evaluators) if not rater.is_self]
        if len(kept) == len(self.evaluators):
            return self

        def cut(rows: Sequence[Sequence[Rating]]) -> tuple[tuple[Rating, ...], ...]:
            return tuple(tuple(row[place] for place in kept) for row in rows)

        return msgspec.structs.replace(
            self,
            evaluators=tuple(self.evaluators[place] for place in kept),
            criteria=tuple(msgspec.structs.replace(row, ratings=cut(row.ratings)) for row in self.criteria),
            overall=None if self.overall is None else cut(self.overall),
        )


def rating_scale(scale: Scale) -> RatingScale:
    """The declared scale for ratings: levels by their score, then in their own order."""
    if scale.scale_type is ScaleType.NUMERIC:
        return RatingScale(
            minimum=scale.min_value,
            maximum=scale.max_value,
            step=scale.step,
            higher_is_better=scale.higher_is_better,
        )
    levels = sorted(scale.levels, key=lambda level: (level.normalized_value, level.sequence))
    return RatingScale(
        labels=tuple(level.label for level in levels),
        level_scores=tuple(level.normalized_value for level in levels),
    )


def level_index(scale: Scale, level_id: str) -> int | None:
    """The rating that a level is on ``rating_scale(scale)``; None when the scale has no such level."""
    levels = sorted(scale.levels, key=lambda level: (level.normalized_value, level.sequence))
    wanted = level_id.casefold()
    return next((place for place, level in enumerate(levels) if level.id.casefold() == wanted), None)


def rating_array(rows: Sequence[Sequence[Rating]], columns: int) -> Floats:
    """Rows of ratings as subjects x evaluators, NaN for none."""
    # Imported where it is used, as everywhere in the core: numpy costs 100 ms at start.
    import numpy as np

    if not rows:
        return np.empty((0, columns), dtype=np.float64)
    return np.array(rows, dtype=np.float64).reshape(len(rows), columns)


def category_indexes(criterion: CriterionRatings, ratings: Floats) -> Floats | None:
    """Ratings as indexes of the categories of their scale, NaN for none; None where it has no categories."""
    import numpy as np

    scale = criterion.scale
    if scale.categories is None:
        return None
    if scale.labels:
        return ratings
    indexes: Floats = np.round((ratings - (scale.minimum or 0.0)) / (scale.step or 1.0))
    return indexes


def scores(criterion: CriterionRatings, ratings: Floats) -> Floats:
    """Ratings as scores, 0..1, NaN for none (guide section 6).

    Without a declared scale the lowest and highest rating of the criterion are taken for its ends.
    """
    import numpy as np

    scale = criterion.scale
    if scale.labels:
        shares = scale.level_scores or tuple(
            place / max(1, len(scale.labels) - 1) for place in range(len(scale.labels))
        )
        given = ~np.isnan(ratings)
        found = np.full(ratings.shape, np.nan)
        found[given] = np.array(shares)[ratings[given].astype(int)]
        return found
    low, high = scale.minimum, scale.maximum
    if low is None or high is None:
        given = ~np.isnan(ratings)
        low, high = (float(ratings[given].min()), float(ratings[given].max())) if given.any() else (0.0, 1.0)
    share = np.where(np.isnan(ratings), np.nan, (ratings - low) / (high - low) if high > low else 1.0)
    return share if scale.higher_is_better else 1.0 - share


def overall_scores(table: RatingsTable) -> Floats:
    """The overall score of every subject by every evaluator, NaN for none."""
    import numpy as np

    columns = len(table.evaluators)
    if table.overall is not None:
        return rating_array(table.overall, columns)
    if not table.criteria:
        return np.full((len(table.subjects), columns), np.nan)
    all_scores = np.stack([scores(row, rating_array(row.ratings, columns)) for row in table.criteria])
    count = (~np.isnan(all_scores)).sum(axis=0)
    total = np.nansum(all_scores, axis=0)
    found: Floats = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
    return found


def check_table(table: RatingsTable) -> None:
    """Refuse a table whose rows do not fit, or with a rating that its scale does not allow.

    Raises:
        InvalidInputError: naming the criterion, the subject and the evaluator of the first fault.
    """
    for what, names in (
        ("evaluator", [rater.name for rater in table.evaluators]),
        ("criterion", [row.key for row in table.criteria]),
        ("subject", table.subjects),
    ):
        for twice in repeated(names):
            raise InvalidInputError(
                f'The {what} "{twice}" stands twice among the ratings.', remedy="Give each one once."
            )
    for row in table.criteria:
        _check_shape(table, row.ratings, f'criterion "{row.key}"')
        _check_scale(row)
        _check_ratings(table, row)
    if table.overall is not None:
        _check_shape(table, table.overall, "the overall scores")
        share = CriterionRatings(
            key="overall", ratings=table.overall, scale=RatingScale(minimum=0.0, maximum=1.0)
        )
        _check_ratings(table, share)


def _check_shape(table: RatingsTable, rows: Sequence[Sequence[Rating]], where: str) -> None:
    if len(rows) != len(table.subjects):
        raise InvalidInputError(
            f"There are {len(rows)} rows of ratings for {len(table.subjects)} subjects in {where}.",
            remedy="Give one row for each subject.",
        )
    for subject, ratings in zip(table.subjects, rows, strict=True):
        if len(ratings) != len(table.evaluators):
            raise InvalidInputError(
                f'Subject "{subject}" has {len(ratings)} ratings for {len(table.evaluators)} evaluators in {where}.',
                remedy="Give one rating, or null, for each evaluator.",
            )


def _check_scale(row: CriterionRatings) -> None:
    scale = row.scale
    if scale.labels and scale.level_scores and len(scale.level_scores) != len(scale.labels):
        raise InvalidInputError(
            f'The scale of "{row.key}" has {len(scale.labels)} labels and {len(scale.level_scores)} scores.',
            remedy="Give each level one of each.",
        )
    ends = [end for end in (scale.minimum, scale.maximum, scale.step) if end is not None]
    low, high = scale.minimum, scale.maximum
    if not all(map(math.isfinite, ends)) or (low is not None and high is not None and low > high):
        raise InvalidInputError(
            f'The scale of "{row.key}" has no range from a minimum to a maximum.', remedy="Correct its ends."
        )
    if scale.step is not None and scale.step <= 0:
        raise InvalidInputError(
            f'The step of the scale of "{row.key}" is {scale.step:g}.', remedy="Use a step above 0."
        )


def _check_ratings(table: RatingsTable, row: CriterionRatings) -> None:
    import numpy as np

    ratings = rating_array(row.ratings, len(table.evaluators))
    with np.errstate(invalid="ignore"):
        bad, remedy = _off_scale(row.scale, ratings)
    if not bad.any():
        return
    place = np.unravel_index(int(np.argmax(bad)), bad.shape)
    subject, column = int(place[0]), int(place[1])
    raise InvalidInputError(
        f'The rating {ratings[subject, column]:g} of subject "{table.subjects[subject]}" by '
        f'"{table.evaluators[column].name}" is not on the scale of "{row.key}".',
        remedy=remedy,
    )


def _off_scale(scale: RatingScale, ratings: Floats) -> tuple[NDArray[np.bool_], str]:
    import numpy as np

    bad = np.isinf(ratings) | (np.abs(ratings) > 1e100)
    remedy = "Use finite numbers, and null for none."
    if scale.labels:
        top = len(scale.labels) - 1
        bad |= (ratings < 0) | (ratings > top) | (ratings != np.round(ratings)) & ~np.isnan(ratings)
        remedy = f"Use the index of a level, 0 to {top}."
    if scale.minimum is not None:
        bad |= ratings < scale.minimum - 1e-9
        remedy = f"Its lowest is {scale.minimum:g}."
    if scale.maximum is not None:
        bad |= ratings > scale.maximum + 1e-9
        remedy = f"Its highest is {scale.maximum:g}."
    if scale.minimum is not None and scale.maximum is not None:
        remedy = f"Use {scale.minimum:g} to {scale.maximum:g}."
    if scale.step is not None and scale.minimum is not None:
        steps = (ratings - scale.minimum) / scale.step
        bad |= np.abs(steps - np.round(steps)) > _ON_STEP
        remedy = remedy.removesuffix(".") + f", in steps of {scale.step:g}."
    return bad, remedy


def ratings_table(
    rows: Iterable[tuple[str, Rater, str, Rating]],
    scales: dict[str, RatingScale] | None = None,
    *,
    order: Sequence[str] = (),
) -> RatingsTable:
    """A table out of single ratings ``(subject, evaluator, criterion key, rating)``.

    Subjects, evaluators and criteria stand in the order they are met; criteria of ``order`` come first. A None
    rating is an N/A answer: it is counted, and the cell is empty.

    Raises:
        InvalidInputError: two ratings of one cell, or a rating off its scale.
    """
    subjects: dict[str, int] = {}
    raters: dict[str, tuple[int, Rater]] = {}
    cells: dict[str, dict[tuple[int, int], Rating]] = {key: {} for key in order}
    for subject, rater, key, rating in rows:
        row = subjects.setdefault(subject, len(subjects))
        column, known = raters.setdefault(rater.name, (len(raters), rater))
        if known.type is not rater.type:
            raise InvalidInputError(
                f'"{rater.name}" is given as {known.type.value} and as {rater.type.value}.',
                remedy="Give each evaluator one type.",
            )
        found = cells.setdefault(key, {})
        if (row, column) in found:
            raise InvalidInputError(
                f'"{rater.name}" rates subject "{subject}" twice on "{key}".', remedy="Keep one of the two."
            )
        found[row, column] = rating
    criteria = []
    for key, found in cells.items():
        if not found:
            continue
        ratings: list[list[Rating]] = [[None] * len(raters) for _ in subjects]
        for (row, column), rating in found.items():
            ratings[row][column] = rating
        criteria.append(
            CriterionRatings(
                key=key,
                ratings=tuple(map(tuple, ratings)),
                scale=(scales or {}).get(key, RatingScale()),
                not_applicable=sum(rating is None for rating in found.values()),
            )
        )
    table = RatingsTable(
        subjects=tuple(subjects),
        evaluators=tuple(rater for _, rater in raters.values()),
        criteria=tuple(criteria),
    )
    check_table(table)
    return table
