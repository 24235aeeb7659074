"""Coefficients held to other packages, to published examples and to laws that any of them must keep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from rubrictui.core import agreement_sums as sums
from rubrictui.core.agreement import agreement, krippendorff_alpha, quadratic_kappa
from rubrictui.core.agreement_chance import (
    gwet_ac1,
    gwet_ac2,
    pabak_of,
    percent_agreement,
    prevalence_index,
)
from rubrictui.core.bootstrap import Cancelled, Sums, Weighted, intervals
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.reliability import icc_average, icc_single

Units = list[list[float | None]]
N = None

# Four raters, twelve units, five categories, with gaps: K. L. Gwet, Handbook of Inter-Rater Reliability (2014),
# the data set that irrCAC ships as raw_4raters. The coefficients are what irrCAC 0.4.4 prints for it.
GWET: Units = [
    [0, 0, N, 0],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [2, 2, 2, 2],
    [1, 1, 1, 1],
    [0, 1, 2, 3],
    [3, 3, 3, 3],
    [0, 0, 1, 0],
    [1, 1, 1, 1],
    [N, 4, 4, 4],
    [N, N, 0, 0],
    [N, N, 2, N],
]
# Four judges rate six targets: P. E. Shrout, J. L. Fleiss, "Intraclass correlations: uses in assessing rater
# reliability", Psychological Bulletin 86 (1979), table 2; ICC(2,1) = .29 and ICC(2,4) = .62 in table 4.
SHROUT_FLEISS: Units = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]


def array(units: Units) -> Any:
    return np.array(units, dtype=float).reshape(len(units), -1 if units else 0)


def two_by_two(a: int, b: int, c: int, d: int) -> Units:
    """Both yes, only the first, only the second, both no."""
    return [[1, 1]] * a + [[1, 0]] * b + [[0, 1]] * c + [[0, 0]] * d


# --- published examples ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "expected"),
    [(gwet_ac1, 0.77544), (gwet_ac2, 0.91400), (pabak_of, 0.77273)],
)
def test_gwets_coefficients_are_those_of_the_handbooks_example(measure: Any, expected: float) -> None:
    assert measure(GWET, 5) == pytest.approx(expected, abs=5e-6)


def test_percent_agreement_counts_every_subject_with_two_ratings_once() -> None:
    assert percent_agreement(array(GWET)).value() == pytest.approx(0.81818, abs=5e-6)


def test_icc_is_that_of_shrout_and_fleiss() -> None:
    assert icc_single(SHROUT_FLEISS) == pytest.approx(0.29, abs=5e-3)
    assert icc_average(SHROUT_FLEISS) == pytest.approx(0.62, abs=5e-3)


@pytest.mark.parametrize(
    ("cells", "kappa", "prevalence"), [((40, 9, 6, 45), 0.70, 0.05), ((80, 10, 5, 5), 0.32, 0.75)]
)
def test_equal_agreement_gives_equal_pabak_where_kappa_falls_with_prevalence(
    cells: tuple[int, int, int, int], kappa: float, prevalence: float
) -> None:
    # A. R. Feinstein, D. V. Cicchetti, "High agreement but low kappa" (1990); T. Byrt et al. (1993).
    units = two_by_two(*cells)
    assert sums.kappa(*array(units).T).value() == pytest.approx(kappa, abs=5e-3)
    assert pabak_of(units, 2) == pytest.approx(0.70)
    assert prevalence_index(array(units)).value() == pytest.approx(prevalence)


# --- other packages and other formulas -------------------------------------------------------------

gaps = st.none() | st.integers(0, 4)
tables = st.lists(st.lists(gaps, min_size=4, max_size=4), min_size=1, max_size=25)


@settings(max_examples=80, deadline=None)
@given(tables)
def test_sums_give_the_alphas_of_the_plain_function(units: Units) -> None:
    for level, measure in (
        ("ordinal", sums.alpha_ordinal),
        ("ordinal", sums._alpha_by_ranks),
        ("interval", sums.alpha_interval),
        ("nominal", sums.alpha_nominal),
    ):
        if measure is sums._alpha_by_ranks and not sums.pairable(array(units))[0].any():
            continue
        expected = krippendorff_alpha(units, level)
        found = measure(array(units)).value()
        assert found == (None if expected is None else pytest.approx(expected, abs=1e-9)), level


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40))
def test_sums_give_the_kappa_of_scikit_learn_and_of_the_plain_function(pairs: list[tuple[int, int]]) -> None:
    first, second = array([list(pair) for pair in pairs]).T
    found = sums.kappa(first, second).value()
    plain = quadratic_kappa(pairs, 5)
    assert found == (None if plain is None else pytest.approx(plain, abs=1e-12))
    assume(len(set(first) | set(second)) > 1)
    assert found == pytest.approx(cohen_kappa_score(first, second, weights="quadratic", labels=range(5)))


@settings(max_examples=60, deadline=None)
@given(tables)
def test_sums_give_agreement_and_error_of_the_plain_function(units: Units) -> None:
    plain = agreement(units, minimum_sample=0)
    for found, expected in (
        (sums.share_of_pairs(array(units), 0.0), plain.exact_agreement),
        (sums.mean_gap(array(units), signed=False), plain.mean_absolute_error),
    ):
        assert found.value() == (None if expected is None else pytest.approx(expected))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=20))
def test_icc_of_a_complete_table_is_that_of_the_analysis_of_variance(rows: list[list[int]]) -> None:
    y = np.array(rows, dtype=float)
    n, k = y.shape
    between = k * y.mean(axis=1).var(ddof=1)
    raters = n * y.mean(axis=0).var(ddof=1)
    left = y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()
    error = (left**2).sum() / ((n - 1) * (k - 1))
    single = between + (k - 1) * error + k * (raters - error) / n
    average = between + (raters - error) / n
    assume(single > 1e-6 and average > 1e-6)
    assert icc_single(rows) == pytest.approx((between - error) / single, abs=1e-9)
    assert icc_average(rows) == pytest.approx((between - error) / average, abs=1e-9)


def test_icc_with_two_thirds_of_the_ratings_missing_finds_the_variances_that_made_them() -> None:
    rng = np.random.default_rng(1)
    subject, rater = rng.normal(0, 1, (2000, 1)), rng.normal(0, 0.5, (1, 60))
    ratings = subject + rater + rng.normal(0, 0.5, (2000, 60))
    ratings[rng.random(ratings.shape) < 2 / 3] = math.nan
    units = [[None if math.isnan(one) else one for one in row] for row in ratings.tolist()]
    assert icc_single(units) == pytest.approx(1 / (1 + 0.25 + 0.25), abs=0.03)


def test_a_bootstrap_interval_is_that_of_scipy() -> None:
    values = np.random.default_rng(2).gamma(2.0, 1.0, 60)
    mean = Sums(np.column_stack([values, np.ones(60)]), lambda total: total[:, 0] / total[:, 1])
    found = intervals({"mean": mean}, 60, resamples=9_000)["mean"]
    other = stats.bootstrap((values,), np.mean, n_resamples=9_000, method="percentile", rng=3)
    assert found is not None
    assert found == pytest.approx(tuple(other.confidence_interval), abs=0.02)


# --- laws ------------------------------------------------------------------------------------------

COEFFICIENTS = {
    "AC1": lambda units: gwet_ac1(units, 5),
    "AC2": lambda units: gwet_ac2(units, 5),
    "PABAK": lambda units: pabak_of(units, 5),
    "ICC(2,1)": icc_single,
    "ICC(2,k)": icc_average,
    "ordinal alpha": lambda units: sums.alpha_ordinal(array(units)).value(),
}
every_coefficient = pytest.mark.parametrize("measure", COEFFICIENTS.values(), ids=COEFFICIENTS)


@every_coefficient
@settings(max_examples=30, deadline=None)
@given(tables, st.permutations(range(4)), st.randoms(use_true_random=False))
def test_neither_the_order_of_raters_nor_of_subjects_changes_a_coefficient(
    measure: Any, units: Units, order: list[int], random: Any
) -> None:
    other = [[row[place] for place in order] for row in units]
    random.shuffle(other)
    found = measure(units)
    assert measure(other) == (None if found is None else pytest.approx(found, abs=1e-7))


@every_coefficient
def test_no_coefficient_exceeds_one_and_full_agreement_is_one(measure: Any) -> None:
    assert measure([[place % 5] * 4 for place in range(20)]) == pytest.approx(1.0)
    assert measure(GWET) < 1


@every_coefficient
def test_ratings_of_a_single_rater_or_of_raters_who_share_no_subject_say_nothing(measure: Any) -> None:
    assert measure([[1], [2], [3]]) is None
    assert measure([[1, None], [2, None], [None, 3], [None, 4]]) is None
    assert measure([]) is None


def test_equal_ratings_throughout_leave_kappa_alpha_and_icc_undefined_and_the_others_at_one() -> None:
    units: Units = [[2, 2, 2]] * 25
    assert sums.kappa(*array(units)[:, :2].T).value() is None
    for undefined in (sums.alpha_ordinal, sums.alpha_interval, sums.alpha_nominal):
        assert undefined(array(units)).value() is None
    assert (icc_single(units), icc_average(units)) == (None, None)
    assert (gwet_ac1(units, 5), gwet_ac2(units, 5), pabak_of(units, 5)) == (1.0, 1.0, 1.0)


def test_a_scale_of_one_category_leaves_nothing_to_agree_on() -> None:
    units: Units = [[0, 0]] * 25
    assert (gwet_ac1(units, 1), gwet_ac2(units, 1), pabak_of(units, 1)) == (None, None, None)


def test_numbers_far_from_zero_lose_no_digits() -> None:
    near = [[place % 3 + rater * 0.25 for rater in range(3)] for place in range(30)]
    far: Units = [[1e9 + one for one in row] for row in near]
    for measure in (sums.alpha_interval, lambda ratings: sums.kappa(ratings[:, 0], ratings[:, 1])):
        assert measure(array(far)).value() == pytest.approx(measure(np.array(near)).value(), abs=1e-6)
    assert icc_single(far) == pytest.approx(icc_single(near), abs=1e-6)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("units", "count", "message"),
    [
        ([[0, 5]], 5, "5 is no category of the scale"),
        ([[0.5, 1]], 5, "0.5 is no category"),
        ([[0, -1]], 5, "-1 is no category"),
        ([[0, 0]], 0, "A scale has 1 category or more, not 0"),
    ],
)
def test_ratings_off_the_scale_are_refused(units: Units, count: int, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        gwet_ac1(units, count)


# --- drawing ---------------------------------------------------------------------------------------


def mean_of(values: list[float]) -> Sums:
    given = np.array(values)
    return Sums(np.column_stack([given, np.ones(len(given))]), lambda s: sums.divided(s[:, 0], s[:, 1]))


def test_the_seed_decides_the_interval() -> None:
    one = mean_of([float(place) for place in range(30)])
    first, again, other = (intervals({"m": one}, 30, resamples=200, seed=seed)["m"] for seed in (4, 4, 5))
    assert first == again != other


def test_sums_and_weights_see_the_same_draws() -> None:
    values = [float(place) for place in range(30)]
    weighted = Weighted(30, lambda weights: weights @ np.array(values) / weights.sum(axis=1))
    found = intervals({"sums": mean_of(values), "weights": weighted}, 30, resamples=150)
    assert found["sums"] == pytest.approx(found["weights"])


def test_a_coefficient_that_is_often_undefined_has_no_interval() -> None:
    lonely = Sums(np.array([[1.0, 1.0], *[[0.0, 0.0]] * 29]), lambda s: sums.divided(s[:, 0], s[:, 1]))
    assert lonely.value() == 1
    assert intervals({"lonely": lonely}, 30, resamples=300) == {"lonely": None}


def test_progress_counts_every_resample_and_cancelling_ends_the_draws() -> None:
    done: list[int] = []
    intervals({"m": mean_of([1.0, 2.0])}, 2, resamples=250, progress=done.append)
    assert done == [100, 100, 50]
    with pytest.raises(Cancelled):
        intervals({"m": mean_of([1.0, 2.0])}, 2, resamples=250, cancelled=lambda: True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resamples": -1}, "-1 resamples"),
        ({"resamples": 10**7}, "resamples cannot"),
        ({"seed": -1}, "seed -1"),
    ],
)
def test_draws_out_of_range_are_refused(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        intervals({"m": mean_of([1.0])}, 1, **arguments)
