"""Confusion matrices: which answers meet which, for two evaluators or for a whole panel."""

from __future__ import annotations

from rubrictui.core.model import Value
from rubrictui.core.ratings import CriterionRatings, category_indexes, rating_array


class Confusion(Value, frozen=True, kw_only=True):
    """Counts of pairs of ratings: ``counts[i][j]`` subjects were given category i by the first evaluator (the
    row) and j by the second (the column).

    Over a panel, ``first`` and ``second`` are None: every pair of ratings of a subject counts both ways round,
    so that the matrix is symmetric and its sum is twice the number of pairs. ``labels`` are lowest first.
    """

    criterion_key: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    first: str | None = None
    second: str | None = None

    @property
    def total(self) -> int:
        """Subjects that both rated; over a panel, ordered pairs of ratings."""
        return sum(map(sum, self.counts))


def confusion(
    criterion: CriterionRatings, first: int, second: int, names: tuple[str, str] | None = None
) -> Confusion | None:
    """The matrix of two evaluators, by their columns; None on a scale without categories."""
    import numpy as np

    columns = max(map(len, criterion.ratings), default=0)
    indexes = category_indexes(criterion, rating_array(criterion.ratings, columns))
    if indexes is None:
        return None
    counts = np.zeros((len(criterion.scale.category_labels),) * 2, dtype=int)
    if columns:
        a, b = indexes[:, first], indexes[:, second]
        both = ~(np.isnan(a) | np.isnan(b))
        np.add.at(counts, (a[both].astype(int), b[both].astype(int)), 1)
    return Confusion(
        criterion_key=criterion.key,
        labels=criterion.scale.category_labels,
        counts=tuple(map(tuple, counts.tolist())),
        first=names[0] if names else None,
        second=names[1] if names else None,
    )


def coincidences(criterion: CriterionRatings) -> Confusion | None:
    """The matrix of a whole panel, every pair of ratings of a subject both ways round."""
    import numpy as np

    from rubrictui.core.agreement_sums import value_counts

    columns = max(map(len, criterion.ratings), default=0)
    indexes = category_indexes(criterion, rating_array(criterion.ratings, columns))
    if indexes is None:
        return None
    labels = criterion.scale.category_labels
    counts = value_counts(indexes, np.arange(len(labels), dtype=float))[1]
    pairs = counts.T @ counts - np.diag(counts.sum(axis=0))
    return Confusion(
        criterion_key=criterion.key,
        labels=labels,
        counts=tuple(tuple(int(value) for value in row) for row in pairs.tolist()),
    )
