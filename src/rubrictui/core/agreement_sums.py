"""Coefficients of agreement as sums over subjects: agreement, error, kappa and Krippendorff's alpha.

Each function takes ratings as an array (subjects x evaluators, NaN for none) and gives a coefficient that
``bootstrap`` can take the value and the interval of. Gwet's coefficients stand in ``agreement_chance``, the
intraclass correlation in ``reliability``. Formulas divide by zero where a coefficient is undefined; that is NaN
here and None for everybody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rubrictui.core.bootstrap import Coefficient, Sums, Weighted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Up to here the pairs of values are counted; beyond, every draw ranks the ratings anew.
_FEW_VALUES: Final = 12

#: What is smaller than this share of the squares it is a difference of is a rest of rounding.
_REST: Final = 1e-13


def ratio(numerator: Floats, denominator: Floats) -> Sums:
    """One sum by another: a mean over pairs or over subjects."""
    import numpy as np

    return Sums(np.column_stack([numerator, denominator]), lambda sums: divided(sums[:, 0], sums[:, 1]))


def divided(numerator: Floats, denominator: Floats) -> Floats:
    """Numerator by denominator, NaN where that is no number."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(denominator == 0, np.nan, numerator / denominator)
    return found


def pair_gaps(ratings: Floats) -> Floats:
    """Second minus first for every pair of evaluators: subjects x pairs, NaN where one of them is missing."""
    import numpy as np

    first, second = np.triu_indices(ratings.shape[1], k=1)
    gaps: Floats = ratings[:, second] - ratings[:, first]
    return gaps


def share_of_pairs(ratings: Floats, within: float) -> Sums:
    """The share of pairs of ratings of one subject that differ by at most ``within``."""
    import numpy as np

    gaps = np.abs(pair_gaps(ratings))
    return ratio((gaps <= within).sum(axis=1).astype(float), (~np.isnan(gaps)).sum(axis=1).astype(float))


def mean_gap(ratings: Floats, *, signed: bool) -> Sums:
    """The mean distance of the pairs of ratings of one subject; ``signed``, of two evaluators, second minus first."""
    import numpy as np

    gaps = pair_gaps(ratings)
    counted = (~np.isnan(gaps)).sum(axis=1).astype(float)
    return ratio(np.nansum(gaps if signed else np.abs(gaps), axis=1), counted)


def kappa(first: Floats, second: Floats) -> Sums:
    """Quadratic-weighted kappa of two evaluators, over the subjects that both rated.

    The weights over the declared scale share their divisor, which cancels out of the quotient; what remains
    are the plain ratings, so that the formula serves levels and numbers alike.
    """
    import numpy as np

    both = ~(np.isnan(first) | np.isnan(second))
    origin = first[both][0] if both.any() else 0.0
    a, b = np.where(both, first - origin, 0.0), np.where(both, second - origin, 0.0)

    def formula(sums: Floats) -> Floats:
        observed, squares, total_a, total_b, count = sums.T
        expected = count * squares - 2 * total_a * total_b
        expected = np.where(expected <= _REST * count * squares, 0.0, expected)
        return 1 - divided(observed * count, expected)

    return Sums(np.column_stack([(a - b) ** 2, a**2 + b**2, a, b, both.astype(float)]), formula)


def bias_beside(kappa_sums: Sums) -> Sums:
    """Second minus first, over the sums that kappa of the two has already."""
    return Sums(kappa_sums.features, lambda sums: divided(sums[:, 3] - sums[:, 2], sums[:, 4]))


def alpha_interval(ratings: Floats) -> Sums:
    """Krippendorff's alpha where distances between ratings count by their square."""
    import numpy as np

    present, size, usable = pairable(ratings)
    origin = ratings[present][0] if present.any() else 0.0
    values = np.where(present, ratings - origin, 0.0)
    total, squares = values.sum(axis=1), (values**2).sum(axis=1)
    within = np.where(usable, 2 * (size * squares - total**2) / np.maximum(size - 1, 1), 0.0)

    def formula(sums: Floats) -> Floats:
        observed, value, square, count = sums.T
        expected = 2 * (count * square - value**2)
        expected = np.where(expected <= _REST * count * square, 0.0, expected)
        return 1 - divided(observed * (count - 1), expected)

    return Sums(np.column_stack([within, total, squares, size]), formula)


def alpha_nominal(ratings: Floats) -> Sums:
    """Krippendorff's alpha where ratings are equal or not. For few different values."""
    import numpy as np

    _, size, usable = pairable(ratings)
    counts = value_counts(ratings)[1]
    within = np.where(usable, (size**2 - (counts**2).sum(axis=1)) / np.maximum(size - 1, 1), 0.0)

    def formula(sums: Floats) -> Floats:
        observed, counted = sums[:, 0], sums[:, 1:]
        total = counted.sum(axis=1)
        return 1 - divided(observed * (total - 1), total**2 - (counted**2).sum(axis=1))

    return Sums(np.column_stack([within, counts]), formula)


def alpha_ordinal(ratings: Floats) -> Coefficient:
    """Krippendorff's alpha where the order of ratings counts: squared distances of mid-ranks."""
    import numpy as np

    values = np.unique(ratings[pairable(ratings)[0]])
    return _alpha_by_coincidences(ratings) if len(values) <= _FEW_VALUES else _alpha_by_ranks(ratings)


def _alpha_by_coincidences(ratings: Floats) -> Sums:
    import numpy as np

    _, size, usable = pairable(ratings)
    counts = value_counts(ratings)[1]
    width = counts.shape[1]
    share = np.where(usable, 1 / np.maximum(size - 1, 1), 0.0)
    # Of one subject: sum over ordered pairs of (r - r')^2 = 2 (m sum r^2 - (sum r)^2).
    square = counts * (size * share)[:, np.newaxis]
    cross = (counts[:, :, np.newaxis] * counts[:, np.newaxis, :] * share[:, np.newaxis, np.newaxis]).reshape(
        len(counts), width * width
    )

    def formula(sums: Floats) -> Floats:
        counted, squared, crossed = np.split(sums, [width, 2 * width], axis=1)
        ranks = np.cumsum(counted, axis=1) - counted / 2
        crossed = crossed.reshape(len(sums), width, width)
        observed = 2 * (
            (squared * ranks**2).sum(axis=1) - np.einsum("di,dij,dj->d", ranks, crossed, ranks, optimize=True)
        )
        return _alpha_of_ranks(observed, counted, ranks)

    return Sums(np.column_stack([counts, square, cross]), formula)


def _alpha_by_ranks(ratings: Floats) -> Weighted:
    import numpy as np

    present, size, usable = pairable(ratings)
    values = np.unique(ratings[present])
    # A missing rating has a code of its own, which no rank is counted for.
    codes = np.where(present, np.searchsorted(values, np.where(present, ratings, values[0])), len(values))
    flat = codes.ravel()
    share = np.where(usable, 1 / np.maximum(size - 1, 1), 0.0)

    def one(weights: Floats) -> float:
        each = np.repeat(weights, codes.shape[1])
        counted = np.bincount(flat, weights=each, minlength=len(values) + 1)[:-1].astype(np.float64)
        ranks = np.cumsum(counted) - counted / 2
        mine = np.append(ranks, 0.0)[codes]
        squares = np.einsum("sr,sr->s", mine, mine)
        observed = 2 * ((size * squares - mine.sum(axis=1) ** 2) * share) @ weights
        return float(_alpha_of_ranks(np.array([observed]), counted[np.newaxis], ranks[np.newaxis])[0])

    return Weighted(len(ratings), lambda weights: np.array([one(row) for row in weights]))


def _alpha_of_ranks(observed: Floats, counted: Floats, ranks: Floats) -> Floats:
    import numpy as np

    total = counted.sum(axis=1)
    # The mean of mid-ranks is half of all, so the expected disagreement needs no second pass.
    expected = 2 * total * (counted * (ranks - total[:, np.newaxis] / 2) ** 2).sum(axis=1)
    expected = np.where((counted > 0).sum(axis=1) < 2, 0.0, expected)
    return 1 - divided(observed * (total - 1), expected)


def pairable(ratings: Floats) -> tuple[NDArray[np.bool_], Floats, NDArray[np.bool_]]:
    """Which ratings stand beside another of the same subject, how many such each subject has, and which
    subjects have any."""
    import numpy as np

    present = ~np.isnan(ratings)
    usable = present.sum(axis=1) >= 2
    present &= usable[:, np.newaxis]
    return present, present.sum(axis=1).astype(float), usable


def value_counts(ratings: Floats, values: Floats | None = None) -> tuple[Floats, Floats]:
    """The values that occur (or ``values``), and how often each subject has each: subjects x values."""
    import numpy as np

    present = ~np.isnan(ratings) if values is not None else pairable(ratings)[0]
    known = np.unique(ratings[present]) if values is None else values
    counts = np.zeros((len(ratings), len(known)))
    rows = np.nonzero(present)[0]
    np.add.at(counts, (rows, np.searchsorted(known, ratings[present])), 1.0)
    return known, counts
