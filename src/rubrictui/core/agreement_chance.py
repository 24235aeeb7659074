"""Agreement beside chance for categories: Gwet's AC1 and AC2, PABAK, and how uneven the categories are used.

Kappa falls to near zero when nearly all ratings are alike, however well the raters agree. These measures do
not, which is why practitioners read them beside it.

Sources: K. L. Gwet, Handbook of Inter-Rater Reliability (4th ed., 2014), for AC1 and AC2 with several raters
and missing ratings; T. Byrt, J. Bishop, J. B. Carlin, "Bias, prevalence and kappa" (1993), for PABAK and the
prevalence index; R. L. Brennan, D. J. Prediger (1981), for PABAK beyond two categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rubrictui.core.agreement_sums import divided, pairable, ratio, value_counts
from rubrictui.core.bootstrap import Sums
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.ratings import Rating, rating_array

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def gwet_ac1(units: Iterable[Sequence[Rating]], category_count: int) -> float | None:
    """Gwet's AC1 of any number of raters: a disagreement is a disagreement, however far apart.

    Args:
        units: the category indexes (0 .. ``category_count`` - 1) of each subject, None for none. A subject
            with one rating tells how often its category is used, and nothing about agreement.
        category_count: categories of the declared scale.

    Returns:
        At most 1; None where no subject has two ratings, or the scale has one category.

    Raises:
        InvalidInputError: an index off the scale.
    """
    return gwet(_indexes(units, category_count), category_count, quadratic=False).value()


def gwet_ac2(units: Iterable[Sequence[Rating]], category_count: int) -> float | None:
    """Gwet's AC2 with quadratic weights: categories far apart disagree more. As ``gwet_ac1`` otherwise."""
    return gwet(_indexes(units, category_count), category_count, quadratic=True).value()


def pabak_of(units: Iterable[Sequence[Rating]], category_count: int) -> float | None:
    """What kappa would be if every category were used equally: ``(q p - 1) / (q - 1)`` for percent agreement
    ``p`` and ``q`` categories. As ``gwet_ac1`` otherwise."""
    return pabak(_indexes(units, category_count), category_count).value()


def percent_agreement(indexes: Floats) -> Sums:
    """The share of agreeing pairs within a subject, averaged over subjects with two ratings or more."""
    shares, usable = _agreeing(indexes, value_counts(indexes)[1])
    return ratio(shares, usable)


def gwet(indexes: Floats, categories: int, *, quadratic: bool) -> Sums:
    """AC1, or AC2 with quadratic weights, of ratings as category indexes."""
    import numpy as np

    places = np.arange(categories, dtype=float)
    distance = np.abs(places[:, np.newaxis] - places[np.newaxis, :])
    weights = 1 - (distance / max(1, categories - 1)) ** 2 if quadratic else (distance == 0).astype(float)
    counts = value_counts(indexes, places)[1]
    shares, usable = _agreeing(indexes, counts, weights)
    size = counts.sum(axis=1)
    used = np.divide(counts, size[:, np.newaxis], out=np.zeros_like(counts), where=size[:, np.newaxis] > 0)
    factor = weights.sum() / (categories * (categories - 1)) if categories > 1 else np.nan

    def formula(sums: Floats) -> Floats:
        observed = divided(sums[:, 0], sums[:, 1])
        # How often each category is used, every rated subject counting once.
        use = divided(sums[:, 3:], sums[:, 2:3])
        expected = factor * (use * (1 - use)).sum(axis=1)
        return divided(observed - expected, 1 - expected)

    return Sums(np.column_stack([shares, usable, (size > 0).astype(float), used]), formula)


def pabak(indexes: Floats, categories: int) -> Sums:
    """PABAK (for more than two categories, Brennan and Prediger's coefficient) of category indexes."""
    import numpy as np

    agreement = percent_agreement(indexes)

    def formula(sums: Floats) -> Floats:
        if categories < 2:
            return np.full(len(sums), np.nan)
        return (categories * agreement.formula(sums) - 1) / (categories - 1)

    return Sums(agreement.features, formula)


def prevalence_index(indexes: Floats) -> Sums:
    """Of two categories: how much more the one is used than the other, 0 (equally) to 1 (one alone)."""
    import numpy as np

    present, size, _ = pairable(indexes)
    upper = np.where(present, indexes == 1, False).sum(axis=1).astype(float)
    shares = ratio(2 * upper - size, size)
    return Sums(shares.features, lambda sums: np.abs(shares.formula(sums)))


def _agreeing(indexes: Floats, counts: Floats, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Per subject: the (weighted) share of agreeing pairs, and 1 where it has a pair."""
    import numpy as np

    size = (~np.isnan(indexes)).sum(axis=1).astype(float)
    usable = size >= 2
    matching = counts if weights is None else counts @ weights
    agreeing = (counts * (matching - 1)).sum(axis=1)
    return np.where(usable, agreeing / np.maximum(size * (size - 1), 1), 0.0), usable.astype(float)


def _indexes(units: Iterable[Sequence[Rating]], categories: int) -> Floats:
    import numpy as np

    if categories < 1:
        raise InvalidInputError(f"A scale has 1 category or more, not {categories}.")
    rows = list(units)
    width = max(map(len, rows), default=0)
    found = rating_array([(*row, *[None] * (width - len(row))) for row in rows], width)
    known = found[~np.isnan(found)]
    for index in known[(known < 0) | (known >= categories) | (known != np.round(known))]:
        raise InvalidInputError(
            f"{index:g} is no category of the scale.", remedy=f"Use indexes 0 to {categories - 1}."
        )
    return found
