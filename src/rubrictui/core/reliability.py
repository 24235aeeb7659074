"""Intraclass correlation of numeric ratings: ICC(2,1) and ICC(2,k).

The model is two-way random effects with absolute agreement: a rating is the mean, plus the subject, plus the
rater, plus error, and a rater who is stricter throughout lowers the coefficient (P. E. Shrout, J. L. Fleiss,
"Intraclass correlations", 1979; K. O. McGraw, S. P. Wong, 1996, ICC(A,1) and ICC(A,k)).

Missing ratings: reviewers of a panel seldom rate every subject, and leaving out incomplete subjects would
leave nothing. The variances are estimated from the sums of squares of all ratings that stand beside another,
set equal to what the model expects of them for that pattern (C. R. Henderson's first method, 1953). On a
complete table this is the usual analysis of variance, digit for digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from rubrictui.core.agreement_sums import divided, pairable
from rubrictui.core.bootstrap import Sums
from rubrictui.core.ratings import Rating, rating_array

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_REST: Final = 1e-12


def icc_single(ratings: Iterable[Sequence[Rating]]) -> float | None:
    """ICC(2,1): how far one rating of a subject can be relied on.

    Args:
        ratings: a row per subject, a column per rater, None for none.

    Returns:
        At most 1; None where the variances cannot be told apart (fewer than two subjects or raters, nothing
        shared) or nothing varies.
    """
    return icc(_array(ratings))[0].value()


def icc_average(ratings: Iterable[Sequence[Rating]]) -> float | None:
    """ICC(2,k): how far the mean of a subject's ratings can be relied on; k is the harmonic mean of how many
    ratings the subjects have. As ``icc_single`` otherwise."""
    return icc(_array(ratings))[1].value()


def _array(ratings: Iterable[Sequence[Rating]]) -> Floats:
    rows = list(ratings)
    width = max(map(len, rows), default=0)
    return rating_array([(*row, *[None] * (width - len(row))) for row in rows], width)


def icc(ratings: Floats) -> tuple[Sums, Sums]:
    """ICC(2,1) and ICC(2,k) over an array of ratings, subjects x raters, from the same sums."""
    import numpy as np

    present, size, usable = pairable(ratings)
    raters = ratings.shape[1]
    origin = ratings[present].mean() if present.any() else 0.0
    values = np.where(present, ratings - origin, 0.0)
    total = values.sum(axis=1)
    inverse = np.where(usable, 1 / np.maximum(size, 1), 0.0)
    features = np.column_stack(
        [total**2 * inverse, (values**2).sum(axis=1), size**2, usable, inverse, values, present]
    )

    def formula(sums: Floats, average: bool) -> Floats:
        by_subject, squares, sizes, subjects, inverses = sums[:, :5].T
        of_rater, rated = sums[:, 5 : 5 + raters], sums[:, 5 + raters :]
        count = rated.sum(axis=1)
        active = (rated > 0).sum(axis=1)
        by_rater = np.divide(of_rater**2, rated, out=np.zeros_like(of_rater), where=rated > 0).sum(axis=1)
        whole = divided(of_rater.sum(axis=1) ** 2, count)
        # Without subjects: rater + error. Without raters: subject + error. Without the mean: all three.
        rater_and_error = divided(squares - by_subject, count - subjects)
        subject_and_error = divided(squares - by_rater, count - active)
        by_size = count - divided(sizes, count)
        by_rated = count - divided((rated**2).sum(axis=1), count)
        error = divided(
            by_size * subject_and_error + by_rated * rater_and_error - (squares - whole),
            np.where((active < 2) | (subjects < 2), 0.0, by_size + by_rated - count + 1),
        )
        subject = subject_and_error - error
        k = divided(subjects, inverses) if average else 1.0
        spread = subject + rater_and_error / k
        return divided(subject, np.where(spread <= _REST * divided(squares, count), 0.0, spread))

    shared = features.astype(float)
    return Sums(shared, lambda sums: formula(sums, False)), Sums(shared, lambda sums: formula(sums, True))
