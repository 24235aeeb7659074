"""Agreement between raters: how far two or more people (or judges) give the same answers.

Kept apart from consensus, which says *what* they say (guide section 9; contract, "Statistics"). A number
that is not defined is None, never NaN.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Value

DEFAULT_MINIMUM_SAMPLE: Final = 20
ALPHA_LEVELS: Final = ("ordinal", "interval", "nominal")

#: Squares of ratings, and sums of them over every subject, stay finite below this.
LARGEST: Final = 1e100

Rating = float | None


class PairAgreement(Value, frozen=True, kw_only=True):
    """Two of three or more raters, by their column. Withheld when the two share too few subjects."""

    first: int
    second: int
    withheld: bool
    sample_size: int
    kappa: float | None
    bias: float | None


class Agreement(Value, frozen=True, kw_only=True):
    """How far the raters agree.

    ``sample_size`` counts the subjects with two ratings or more; below ``minimum_sample`` every number is
    withheld. ``kappa`` is None with three raters or more, where ``pairs`` has one per pair of raters.
    ``exact_agreement`` (0..1) and ``mean_absolute_error`` (in the unit of the ratings) go over every pair
    of ratings of one subject. ``bias`` is the mean of second minus first, for two raters.
    """

    withheld: bool
    sample_size: int
    minimum_sample: int
    raters: int
    kappa: float | None = None
    alpha: float | None = None
    exact_agreement: float | None = None
    mean_absolute_error: float | None = None
    bias: float | None = None
    pairs: tuple[PairAgreement, ...] = ()


def quadratic_kappa(
    pairs: Iterable[Sequence[Rating]],
    category_count: int | None = None,
) -> float | None:
    """Cohen's kappa of two raters with quadratic weights.

    Args:
        pairs: ``(first, second)`` level indexes, 0 for the lowest level of the declared scale. A pair
            with an index outside the scale (or that is no whole number) is dropped.
        category_count: levels of the declared scale; None takes the highest index met, plus one.

    Returns:
        -1..1, or None where kappa is undefined: no pair left, one category, no disagreement expected.

    Raises:
        InvalidInputError: a row that is not a pair of numbers, or a ``category_count`` below 1.
    """
    # scikit-learn has this as cohen_kappa_score, for a second of import and 130 MB; the tests hold the
    # two equal. The weights (i - j)^2 / (k - 1)^2 share their divisor, so it cancels out of the quotient.
    if category_count is not None and category_count < 1:
        raise InvalidInputError(f"A scale has 1 category or more, not {category_count}.")
    indexes = [_index_pair(pair, place) for place, pair in enumerate(pairs)]
    whole = [pair for pair in indexes if pair is not None]
    if category_count is None:
        category_count = max((max(pair) for pair in whole), default=0) + 1
    kept = [pair for pair in whole if max(pair) < category_count]
    firsts, seconds = Counter(first for first, _ in kept), Counter(second for _, second in kept)
    observed = sum((first - second) ** 2 for first, second in kept)
    # Whole numbers throughout: "no expected disagreement" is exactly zero, never a rounding rest.
    expected = sum(
        m * n * (first - second) ** 2 for first, m in firsts.items() for second, n in seconds.items()
    )
    return 1 - observed * len(kept) / expected if expected else None


def _index_pair(pair: Sequence[Rating], place: int) -> tuple[int, int] | None:
    if len(pair) != 2:
        raise InvalidInputError(
            f"pairs[{place}] has {len(pair)} ratings.", remedy="Write two ratings in each pair."
        )
    first, second = map(_rating, pair)
    if first is None or second is None or not (_is_index(first) and _is_index(second)):
        return None
    return int(first), int(second)


def _is_index(rating: float) -> bool:
    return rating >= 0 and rating == int(rating)


def krippendorff_alpha(units: Iterable[Sequence[Rating]], level: str = "ordinal") -> float | None:
    """Krippendorff's alpha over any number of raters.

    Args:
        units: the ratings of each subject, in any order; None and NaN are missing. Subjects with a single
            rating take no part.
        level: ``ordinal``, ``interval`` or ``nominal``.

    Returns:
        At most 1, or None where alpha is undefined: nothing pairable, or one value throughout.

    Raises:
        InvalidInputError: an unknown ``level``, or a rating that is no number.
    """
    # The krippendorff package builds units x values x values arrays: 2.4 GB and 80 times the time for 10,000
    # subjects on a 0..100 scale, too much for bootstrapping. The tests hold the two equal. Its coincidence matrix is not needed: the disagreement
    # between values is a squared distance, so sums of squares give it in one pass. On the ordinal level
    # that distance is between the values' mid-ranks.
    if level not in ALPHA_LEVELS:
        raise InvalidInputError(
            f"Unknown level of measurement {level!r}.", remedy=f"Use {', '.join(ALPHA_LEVELS)}."
        )
    pairable = [ratings for ratings in map(_present, units) if len(ratings) >= 2]
    everything = [rating for ratings in pairable for rating in ratings]
    if len(set(everything)) < 2:
        return None
    if level == "ordinal":
        ranks = _mid_ranks(everything)
        pairable = [[ranks[rating] for rating in ratings] for ratings in pairable]
        everything = [ranks[rating] for rating in everything]
    disagreement = _unequal_pairs if level == "nominal" else _squared_distances
    observed = math.fsum(disagreement(ratings) / (len(ratings) - 1) for ratings in pairable)
    expected = disagreement(everything)
    return 1 - observed * (len(everything) - 1) / expected if expected else None


def _mid_ranks(values: Sequence[float]) -> dict[float, float]:
    """For each value, how many stand below it, plus half of its own."""
    ranks, below = {}, 0
    for value, count in sorted(Counter(values).items()):
        ranks[value] = below + count / 2
        below += count
    return ranks


def _squared_distances(values: Sequence[float]) -> float:
    """The sum of (a - b)^2 over all ordered pairs."""
    mean = math.fsum(values) / len(values)
    return 2 * len(values) * math.fsum((value - mean) ** 2 for value in values)


def _unequal_pairs(values: Sequence[float]) -> float:
    """How many ordered pairs hold two different values."""
    return len(values) ** 2 - sum(count**2 for count in Counter(values).values())


def agreement(
    ratings: Iterable[Sequence[Rating]],
    minimum_sample: int | None = DEFAULT_MINIMUM_SAMPLE,
    category_count: int | None = None,
) -> Agreement:
    """Measure the agreement of two raters or more over the subjects they rated.

    Args:
        ratings: a row per subject, a column per rater: level indexes for kappa, or any numbers (kappa is
            then None). None and NaN are missing; a row needs two finite ratings to be usable.
        minimum_sample: usable subjects below which the result is withheld; None means 20.
        category_count: levels of the declared scale, as for ``quadratic_kappa``.
    """
    rows = [tuple(map(_rating, row)) for row in ratings]
    raters = max((len(row) for row in rows), default=0)
    usable = [row for row in rows if sum(rating is not None for rating in row) >= 2]
    minimum = DEFAULT_MINIMUM_SAMPLE if minimum_sample is None else minimum_sample
    size = len(usable)
    if size < minimum or not usable:
        return Agreement(withheld=size < minimum, sample_size=size, minimum_sample=minimum, raters=raters)
    gaps = [second - first for row in usable for first, second in combinations(_present(row), 2)]
    two = raters == 2
    return Agreement(
        withheld=False,
        sample_size=size,
        minimum_sample=minimum,
        raters=raters,
        kappa=_kappa_of_ratings([(row[0], row[1]) for row in usable], category_count) if two else None,
        alpha=krippendorff_alpha(usable),
        exact_agreement=sum(gap == 0 for gap in gaps) / len(gaps),
        mean_absolute_error=math.fsum(map(abs, gaps)) / len(gaps),
        bias=math.fsum(gaps) / len(gaps) if two else None,
        pairs=() if two else _pairwise(usable, raters, minimum, category_count),
    )


def _pairwise(
    rows: Sequence[tuple[Rating, ...]], raters: int, minimum: int, category_count: int | None
) -> tuple[PairAgreement, ...]:
    found = []
    for first, second in combinations(range(raters), 2):
        shared = [
            (a, b)
            for row in rows
            if len(row) > second and (a := row[first]) is not None and (b := row[second]) is not None
        ]
        size = len(shared)
        withheld = size < minimum
        shown = [] if withheld else shared
        found.append(
            PairAgreement(
                first=first,
                second=second,
                withheld=withheld,
                sample_size=size,
                kappa=_kappa_of_ratings(shown, category_count),
                bias=math.fsum(b - a for a, b in shown) / size if shown else None,
            )
        )
    return tuple(found)


def _kappa_of_ratings(pairs: Sequence[tuple[Rating, Rating]], category_count: int | None) -> float | None:
    """Kappa of ratings that are level indexes; None for others, where dropping some would mislead."""
    if any(rating != int(rating) for pair in pairs for rating in pair if rating is not None):
        return None
    return quadratic_kappa(pairs, category_count)


def _rating(value: Rating) -> Rating:
    """The rating when it is finite; None when it is missing."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInputError(f"{value!r} is not a rating.", remedy="Use numbers, and null for none.")
    try:
        number = float(value)
    except OverflowError:
        raise InvalidInputError("A rating is too large.", remedy="Use level indexes or scores.") from None
    if abs(number) > LARGEST and math.isfinite(number):
        raise InvalidInputError(f"A rating of {number:g} is too large.", remedy=f"Use at most {LARGEST:g}.")
    return number if math.isfinite(number) else None


def _present(row: Iterable[Rating]) -> list[float]:
    return [rating for rating in map(_rating, row) if rating is not None]
