from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import krippendorff
import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from rubrictui.core.agreement import agreement, krippendorff_alpha, quadratic_kappa
from rubrictui.core.consensus import consensus
from rubrictui.core.diagnostics import diagnose
from rubrictui.core.errors import InvalidInputError

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/rubrics/statistics.json").read_text())


def by_id(vector: dict[str, Any]) -> str:
    return str(vector["id"])


def assert_close(actual: Any, expected: Any) -> None:
    """Every field that is expected, numbers within 1e-9; more fields are allowed."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert_close(actual[key], value)
    elif isinstance(expected, list):
        assert len(actual) == len(expected)
        for left, right in zip(actual, expected, strict=True):
            assert_close(left, right)
    elif expected is None or isinstance(expected, (str, bool)):
        assert actual == expected
    else:
        assert actual == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("vector", VECTORS["consensus"], ids=by_id)
def test_every_consensus_vector(vector: dict[str, Any]) -> None:
    found = consensus(vector["scores"], vector["method"], vector["trim"], vector.get("criteria"))
    assert_close(msgspec.to_builtins(found), vector["expected"])


@pytest.mark.parametrize("vector", VECTORS["kappa"], ids=by_id)
def test_every_kappa_vector(vector: dict[str, Any]) -> None:
    assert_close(quadratic_kappa(vector["pairs"], vector["category_count"]), vector["expected"])


@pytest.mark.parametrize("vector", VECTORS["alpha"], ids=by_id)
def test_every_alpha_vector(vector: dict[str, Any]) -> None:
    assert_close(krippendorff_alpha(vector["units"], vector.get("level", "ordinal")), vector["expected"])


@pytest.mark.parametrize("vector", VECTORS["agreement"], ids=by_id)
def test_every_agreement_vector(vector: dict[str, Any]) -> None:
    found = agreement(vector["ratings"], vector["minimum_sample"])
    assert_close(msgspec.to_builtins(found), vector["expected"])


@pytest.mark.parametrize("vector", VECTORS["diagnostics"], ids=by_id)
def test_every_diagnostics_vector(vector: dict[str, Any]) -> None:
    assert_close(msgspec.to_builtins(diagnose(vector["criteria"])), vector["expected"])


# --- consensus -------------------------------------------------------------------------------------


def test_evaluations_without_a_score_are_left_out_of_the_consensus() -> None:
    assert consensus([None, 0.5, 1.0]).overall == 0.75
    assert consensus([None, 0.5, 1.0]).sample_size == 2


def test_trimming_keeps_all_when_nothing_would_be_left_and_never_changes_the_spread() -> None:
    trimmed = consensus([0, 0.5, 1], "TrimmedMean", 0.34)
    assert (trimmed.overall, trimmed.range, trimmed.sample_size) == (0.5, 1, 3)
    assert consensus([0.2, 0.4], "TrimmedMean", 0.5).overall == pytest.approx(0.3)


def test_equal_scores_have_no_deviation_at_all() -> None:
    assert consensus([0.1] * 3).std_dev == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5], "Mode"), "Unknown consensus method 'Mode'"),
        (([0.5], "TrimmedMean", -0.1), "The trim must be 0 or more"),
        (([0.5], "TrimmedMean", math.nan), "The trim must be 0 or more"),
        (([math.nan],), "'nan' in scores is not a score"),
        ((["high"],), "'high' in scores is not a score"),
        (([True],), "'True' in scores is not a score"),
        (([0.5], "Mean", 0.1, [{"scores": []}]), r"criteria\[0\] has no key"),
        (([0.5], "Mean", 0.1, [{"key": "a"}]), r"criteria\[0\] \(a\) has no list of scores"),
        (([0.5], "Mean", 0.1, [{"key": "a", "scores": [math.inf]}]), "in the scores of a is not a score"),
        (([0.5], "Mean", 0.1, ["a"]), r"criteria\[0\] is not an object"),
        (([0.5], "Mean", 0.1, [{"key": "a", "scores": [], "not_applicable": -1}]), "is not a count"),
    ],
)
def test_bad_consensus_input_is_named(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        consensus(*arguments)


# --- kappa and alpha -------------------------------------------------------------------------------

indexes = st.integers(0, 4)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(indexes, indexes), min_size=1, max_size=40))
def test_kappa_equals_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len(set(first) | set(second)) > 1)
    expected = cohen_kappa_score(first, second, weights="quadratic", labels=range(5))
    assert quadratic_kappa(pairs, 5) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "pairs", [[], [(1, 1), (1, 1)], [(None, 1), (math.nan, 2)], [(7, 1), (0, 9)], [(0.5, 1)]]
)
def test_an_undefined_kappa_is_none(pairs: list[Any]) -> None:
    assert quadratic_kappa(pairs, 3) is None


def test_pairs_outside_the_declared_scale_are_dropped() -> None:
    inside = [(0, 1), (2, 2), (1, 0)]
    assert quadratic_kappa([*inside, (3, 0), (-1, 2), (0, None)], 3) == quadratic_kappa(inside, 3)


ratings = st.none() | st.sampled_from([-1, 0, 0.25, 1, 2, 7])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.lists(ratings, min_size=3, max_size=3), min_size=1, max_size=25),
    st.sampled_from(["ordinal", "interval", "nominal"]),
)
def test_alpha_equals_that_of_the_krippendorff_package(units: list[list[Any]], level: Any) -> None:
    present = [[rating for rating in unit if rating is not None] for unit in units]
    pairable = [unit for unit in present if len(unit) > 1]
    if len({rating for unit in pairable for rating in unit}) < 2:
        assert krippendorff_alpha(units, level) is None
        return
    table = np.array([[math.nan if rating is None else rating for rating in unit] for unit in units], float)
    # A rating that stands alone pairs with nothing; the package would take it for part of the scale.
    table[[len(unit) < 2 for unit in present]] = math.nan
    expected = krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)
    assert krippendorff_alpha(units, level) == pytest.approx(expected, abs=1e-9)


def test_the_order_of_ratings_in_a_subject_never_changes_alpha() -> None:
    assert krippendorff_alpha([[0, 1, 1], [2, 0]]) == krippendorff_alpha([[1, 0, 1], [0, 2]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quadratic_kappa([(1, 2, 3)]), r"pairs\[0\] has 3 ratings"),
        (lambda: quadratic_kappa(json.loads('[["a", 2]]')), "'a' is not a rating"),
        (lambda: quadratic_kappa([(1, 2)], 0), "A scale has 1 category or more, not 0"),
        (lambda: krippendorff_alpha([[1, 2]], "ratio"), "Unknown level of measurement 'ratio'"),
        (lambda: krippendorff_alpha([[True, 2]]), "True is not a rating"),
        (lambda: krippendorff_alpha([[10**400, 2]]), "A rating is too large"),
    ],
)
def test_bad_ratings_are_named(call: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        call()


# --- agreement -------------------------------------------------------------------------------------


def test_two_raters_get_exact_agreement_error_and_a_signed_bias() -> None:
    found = agreement([[0, 1], [2, 2], [1, 3], [3, 2]], minimum_sample=4)
    assert (found.exact_agreement, found.mean_absolute_error, found.bias) == (0.25, 1.0, 0.5)
    assert found.pairs == ()


def test_rows_without_two_finite_ratings_do_not_count() -> None:
    rows: list[list[float | None]] = [[0, 0], [1, None], [math.nan, 1], [2, math.inf], [], [1]]
    assert agreement(rows, minimum_sample=1).sample_size == 1


def test_a_withheld_result_shows_its_size_and_no_number() -> None:
    found = agreement([[0, 1]] * 19)
    shown = msgspec.to_builtins(found)
    assert (found.withheld, found.sample_size, found.minimum_sample) == (True, 19, 20)
    assert not any(shown[key] for key in ("kappa", "alpha", "exact_agreement", "mean_absolute_error", "bias"))


def test_three_raters_get_alpha_over_all_and_kappa_by_pair() -> None:
    rows: list[list[float | None]] = [[0, 0, 1], [1, 1, 1], [2, 1, None], [0, 2, None]]
    found = agreement(rows, minimum_sample=3)
    assert (found.kappa, found.bias, found.raters) == (None, None, 3)
    assert found.alpha == krippendorff_alpha(rows)
    assert [(pair.first, pair.second, pair.sample_size, pair.withheld) for pair in found.pairs] == [
        (0, 1, 4, False),
        (0, 2, 2, True),
        (1, 2, 2, True),
    ]
    assert found.pairs[0].kappa == quadratic_kappa([row[:2] for row in rows])
    assert found.pairs[1].kappa is None


def test_ratings_that_are_no_level_indexes_have_no_kappa_but_an_alpha() -> None:
    found = agreement([[0.5, 0.25], [1, 1], [0, 0]], minimum_sample=2)
    assert found.kappa is None
    assert found.alpha is not None


# --- diagnostics -----------------------------------------------------------------------------------


def test_a_flag_carries_its_numbers_and_says_what_to_do() -> None:
    scores = [0.0, 0.5, 1.0, 0.5] * 5
    (one, other) = diagnose([{"key": "a", "scores": scores}, {"key": "b", "scores": scores}])
    assert (one.criterion_key, one.other_key, other.criterion_key, other.other_key) == ("a", "b", "b", "a")
    assert (one.sample_size, one.scored, one.limit) == (20, 20, 0.9)
    assert one.value == pytest.approx(1.0)
    assert one.advice.startswith("Moves with b (r = 1.00 over 20 evaluations)")


def test_scores_that_never_vary_are_not_told_from_by_rounding() -> None:
    # The mean of three 0.1 differs from one 0.1 in the last digit; that is no variation to follow.
    rows: list[dict[str, Any]] = [
        {"key": "a", "scores": [0.0, 1.0] * 10},
        *({"key": key, "scores": [0.1, None] * 10} for key in "bc"),
        {"key": "d", "scores": [0.1, 0.1] * 10},
    ]
    flags = {(row.criterion_key, row.flag) for row in diagnose(rows)}
    assert ("a", "NoDiscrimination") in flags


def test_nothing_and_empty_criteria_are_no_error() -> None:
    assert diagnose([]) == ()
    assert [row.flag for row in diagnose([{"key": "a", "scores": []}])] == ["InsufficientData"]


def test_criteria_of_different_length_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="b has 1 scores and a has 2"):
        diagnose([{"key": "a", "scores": [1, 0]}, {"key": "b", "scores": [1]}])


def test_agreement_and_consensus_bring_no_heavy_import() -> None:
    code = (
        "import sys; from rubrictui.core.agreement import agreement; "
        "from rubrictui.core.consensus import consensus; import rubrictui.core.diagnostics; "
        "agreement([[0, 1], [1, 1]] * 20); consensus([0.5]); "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'sklearn', 'krippendorff')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
