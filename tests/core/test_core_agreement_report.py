"""The report of a panel: what is withheld, what is undefined and why, and that it never changes by itself."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from rubrictui.core.agreement import agreement, krippendorff_alpha, quadratic_kappa
from rubrictui.core.agreement_chance import gwet_ac1, gwet_ac2
from rubrictui.core.agreement_report import (
    COEFFICIENTS,
    REASON_WORDS,
    AgreementReport,
    CriterionAgreement,
    Estimate,
    Reason,
    agreement_report,
)
from rubrictui.core.confusion import coincidences, confusion
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Level, Scale, ScaleType
from rubrictui.core.ratings import (
    CriterionRatings,
    Rater,
    RatingScale,
    RatingsTable,
    level_index,
    overall_scores,
    rating_scale,
    ratings_table,
)
from rubrictui.core.records import EvaluatorType
from rubrictui.core.severity import deviations

Rows = list[list[float | None]]
WORDS = RatingScale(labels=("none", "weak", "fair", "good", "best"))
PERCENT = RatingScale(minimum=0, maximum=100, step=0.5)


def panel(
    rows: Iterable[Iterable[float | None]],
    scale: RatingScale = WORDS,
    *,
    names: tuple[str, ...] = (),
    types: dict[str, EvaluatorType] | None = None,
) -> RatingsTable:
    ratings = tuple(tuple(row) for row in rows)
    columns = names or tuple("abcdefgh"[: len(ratings[0]) if ratings else 0])
    return RatingsTable(
        subjects=tuple(f"s{place}" for place in range(len(ratings))),
        evaluators=tuple(
            Rater(name=name, type=(types or {}).get(name, EvaluatorType.HUMAN)) for name in columns
        ),
        criteria=(CriterionRatings(key="c", ratings=ratings, scale=scale),),
    )


def rated(subjects: int, raters: int, *, missing: float = 0.0, seed: int = 1) -> Rows:
    rng = random.Random(seed)
    rows: Rows = []
    for _ in range(subjects):
        true = rng.uniform(0, 4)
        given = [float(min(4, max(0, round(rng.gauss(true, 0.8))))) for _ in range(raters)]
        rows.append([None if rng.random() < missing else one for one in given])
    return rows


def report(rows: Any, scale: RatingScale = WORDS, **options: Any) -> CriterionAgreement:
    (found,) = agreement_report(panel(rows, scale), **{"resamples": 0, **options}).criteria
    return found


def numbers(row: CriterionAgreement) -> dict[str, float | None]:
    return {name: getattr(row, name).value for name in COEFFICIENTS}


# --- the same numbers as the plain functions -------------------------------------------------------


def test_two_raters_get_every_coefficient() -> None:
    rows = rated(40, 2)
    found = report(rows)
    plain = agreement(rows, category_count=5)
    assert found.kappa.value == pytest.approx(quadratic_kappa(rows, 5))
    assert found.alpha_ordinal.value == pytest.approx(plain.alpha)
    assert found.exact_agreement.value == found.percent_agreement.value == plain.exact_agreement
    assert found.mean_absolute_error.value == pytest.approx(plain.mean_absolute_error)
    assert found.bias.value == pytest.approx(plain.bias)
    assert found.ac1.value == pytest.approx(gwet_ac1(rows, 5))
    assert found.ac2.value == pytest.approx(gwet_ac2(rows, 5))
    assert [name for name, value in numbers(found).items() if value is None] == ["prevalence_index"]


def test_a_panel_gets_alpha_over_all_and_kappa_by_pair() -> None:
    rows = rated(60, 4, missing=0.2)
    found = report(rows)
    assert (found.kappa.reason, found.bias.reason) == (Reason.NEEDS_TWO_RATERS, Reason.NEEDS_TWO_RATERS)
    for level in ("ordinal", "interval", "nominal"):
        assert getattr(found, f"alpha_{level}").value == pytest.approx(krippendorff_alpha(rows, level))
    plain = agreement(rows, category_count=5).pairs
    assert [pair.sample_size for pair in found.pairs] == [pair.sample_size for pair in plain]
    assert [pair.kappa.value for pair in found.pairs] == pytest.approx([pair.kappa for pair in plain])
    assert [pair.bias.value for pair in found.pairs] == pytest.approx([pair.bias for pair in plain])
    assert (found.pairs[1].first, found.pairs[1].second) == ("a", "c")


def test_within_one_level_counts_levels_or_steps() -> None:
    rows = [[0, 1], [2, 4], [3, 3], [1, 0]] * 5
    assert report(rows).within_one.value == 0.75
    half_steps = [[one * 0.5 for one in row] for row in rows]
    assert report(half_steps, PERCENT).within_one.reason is Reason.NEEDS_CATEGORIES  # 201 steps
    assert report(half_steps, RatingScale(minimum=0, maximum=10, step=0.5)).within_one.value == 0.75


def test_the_category_used_most_is_named_with_its_share() -> None:
    found = report([[4, 4], [4, 1]] * 10)
    assert (found.most_used, found.most_used_share) == ("best", 0.75)


def test_a_scale_of_two_levels_has_a_prevalence_index() -> None:
    yes_no = RatingScale(labels=("no", "yes"))
    assert report([[1, 1]] * 18 + [[0, 0]] * 6, yes_no).prevalence_index.value == pytest.approx(0.5)


# --- withheld and undefined ------------------------------------------------------------------------


@pytest.mark.parametrize(("subjects", "withheld"), [(19, True), (20, False)])
def test_coefficients_are_withheld_below_twenty_usable_subjects_and_n_is_given(
    subjects: int, withheld: bool
) -> None:
    found = report([*rated(subjects, 3), [1, None, None], [None, None, None]])
    assert (found.withheld, found.sample_size) == (withheld, subjects)
    assert all(value is None for value in numbers(found).values()) is withheld
    assert all(one.deviation.value is None for one in found.severity) is withheld
    assert (found.confusion is None, found.most_used is None) == (withheld, withheld)
    if withheld:
        assert {getattr(found, name).reason for name in COEFFICIENTS} == {Reason.TOO_FEW_SUBJECTS}


def test_a_pair_that_shares_too_few_subjects_is_withheld_alone() -> None:
    rows = [[*row, row[0] if place < 5 else None] for place, row in enumerate(rated(30, 2))]
    found = report(rows)
    assert [(pair.sample_size, pair.withheld) for pair in found.pairs] == [(30, False), (5, True), (5, True)]
    assert found.pairs[1].kappa == Estimate(reason=Reason.TOO_FEW_SUBJECTS)


def test_all_equal_ratings_leave_the_undefined_undefined_with_a_reason() -> None:
    found = report([[2, 2, 2]] * 25)
    undefined = ("alpha_ordinal", "alpha_interval", "alpha_nominal", "icc_single", "icc_average")
    assert {getattr(found, name).reason for name in undefined} == {Reason.NO_VARIATION}
    assert (found.exact_agreement.value, found.ac1.value, found.pabak.value) == (1, 1, 1)


@pytest.mark.parametrize(
    "rows",
    [
        [[1]] * 30,
        [[1, None]] * 30,
        [[1, None]] * 15 + [[None, 2]] * 15,
        [],
        [[None, None]] * 30,
    ],
    ids=["one rater", "one rater of two", "disjoint raters", "no subject", "no rating"],
)
def test_without_a_subject_that_two_rated_everything_is_withheld_whatever_the_minimum(rows: Rows) -> None:
    for minimum in (20, 0):
        found = report(rows, minimum_sample=minimum)
        assert (found.withheld, found.sample_size) == (True, 0)
        assert set(numbers(found).values()) == {None}


def test_a_scale_of_one_level_leaves_nothing_to_agree_on() -> None:
    found = report([[0, 0]] * 20, RatingScale(labels=("only",)))
    assert (found.ac1.reason, found.pabak.reason) == (Reason.NO_VARIATION, Reason.NO_VARIATION)


def test_ratings_without_a_declared_scale_have_no_coefficient_that_needs_one() -> None:
    found = report(rated(25, 2), RatingScale())
    assert found.kappa.value is not None
    assert {found.ac1.reason, found.ac2.reason, found.pabak.reason} == {Reason.NEEDS_CATEGORIES}
    assert found.confusion is None


def test_every_reason_has_words() -> None:
    assert set(REASON_WORDS) == set(Reason)


def test_json_has_null_and_never_nan() -> None:
    for rows in (rated(30, 3, missing=0.3), [[2, 2]] * 30, [[1]] * 3):
        found = agreement_report(panel(rows), resamples=40)
        text = msgspec.json.encode(found).decode()
        assert "NaN" not in text
        assert "Infinity" not in text
        assert msgspec.json.decode(text, type=AgreementReport) == found
        json.loads(text, parse_constant=pytest.fail)


# --- what must not matter --------------------------------------------------------------------------


def test_the_order_of_evaluators_changes_no_coefficient_and_turns_pairs_round() -> None:
    rows = rated(40, 3, missing=0.1)
    one = report(rows)
    other = agreement_report(panel([row[::-1] for row in rows], names=("c", "b", "a")), resamples=0).criteria[
        0
    ]
    assert numbers(other) == {
        name: None if value is None else pytest.approx(value) for name, value in numbers(one).items()
    }
    severity = {row.evaluator: row.deviation.value for row in one.severity}
    assert {row.evaluator: row.deviation.value for row in other.severity} == pytest.approx(severity)
    assert other.pairs[2].bias.value == pytest.approx(-one.pairs[0].bias.value)  # type: ignore[operator]


def test_the_same_seed_gives_the_same_report_and_another_other_intervals() -> None:
    table = panel(rated(30, 3))
    one = agreement_report(table, resamples=100, seed=1)
    assert one == agreement_report(table, resamples=100, seed=1)
    other = agreement_report(table, resamples=100, seed=2)
    assert numbers(other.criteria[0]) == numbers(one.criteria[0])
    assert other.criteria[0].alpha_ordinal.low != one.criteria[0].alpha_ordinal.low


def test_intervals_hold_the_value_and_narrow_with_more_subjects() -> None:
    widths = []
    for subjects in (30, 600):
        found = agreement_report(panel(rated(subjects, 3)), resamples=300).criteria[0]
        for name, value in numbers(found).items():
            one = getattr(found, name)
            if value is not None:
                assert one.low <= value <= one.high, name
        widths.append(found.ac2.high - found.ac2.low)  # type: ignore[operator]
    assert widths[1] < widths[0] / 2


def test_self_assessments_take_no_part() -> None:
    rows = rated(30, 3)
    table = panel(rows, types={"c": EvaluatorType.SELF})
    found = agreement_report(table, resamples=0)
    assert [rater.name for rater in found.evaluators] == ["a", "b"]
    assert numbers(found.criteria[0]) == numbers(report([row[:2] for row in rows]))


# --- overall, severity, confusion ------------------------------------------------------------------


def test_overall_scores_are_those_given_or_the_mean_of_the_criterion_scores() -> None:
    low_is_good = RatingScale(minimum=0, maximum=10, higher_is_better=False)
    table = RatingsTable(
        subjects=("s",),
        evaluators=(Rater(name="a"), Rater(name="b"), Rater(name="c")),
        criteria=(
            CriterionRatings(key="words", ratings=((4, 1, None),), scale=WORDS),
            CriterionRatings(key="days", ratings=((10, None, None),), scale=low_is_good),
        ),
    )
    assert overall_scores(table).tolist()[0][:2] == [0.5, 0.25]
    assert math.isnan(overall_scores(table)[0, 2])
    given = msgspec.structs.replace(table, overall=((0.9, None, 0.1),))
    assert overall_scores(given)[0, 0] == 0.9


def test_the_overall_report_has_pairs_with_intervals() -> None:
    found = agreement_report(panel(rated(40, 3)), resamples=100)
    assert found.overall.key == "overall"
    assert found.overall.pairs[0].kappa.low is not None
    assert found.criteria[0].pairs[0].kappa.reason is Reason.NOT_ASKED
    assert found.overall.icc_average.value == pytest.approx(found.criteria[0].icc_average.value)


def test_severity_is_the_mean_deviation_from_the_others_of_the_same_subject() -> None:
    found = deviations(np.array([[0.0, 0.5, 1.0], [0.25, math.nan, 0.75], [math.nan, 1.0, math.nan]]))
    assert found[0].tolist() == [-0.75, 0.0, 0.75]
    assert found[1, 0] == -0.5
    assert np.isnan(found[2]).all()


def test_a_stricter_evaluator_lies_below_zero_with_her_interval() -> None:
    rows = [[one, one, max(0, one - 2)] for one in (2, 3, 4) for _ in range(10)]
    found = agreement_report(panel(rows), resamples=200).criteria[0].severity
    assert [row.sample_size for row in found] == [30, 30, 30]
    assert found[2].deviation.value == pytest.approx(-0.5)
    assert found[2].deviation.high is not None
    assert found[2].deviation.high < 0 < (found[0].deviation.low or 0)


def test_an_evaluator_of_few_subjects_has_a_severity_without_an_interval() -> None:
    rows = [[*row, 0 if place < 3 else None] for place, row in enumerate(rated(30, 2))]
    last = agreement_report(panel(rows), resamples=50).criteria[0].severity[2]
    assert (last.sample_size, last.deviation.low) == (3, None)
    assert last.deviation.reason is Reason.TOO_FEW_SUBJECTS
    assert last.deviation.value is not None


def test_a_confusion_matrix_is_that_of_scikit_learn_with_every_declared_level() -> None:
    rows = [row for row in rated(50, 2) if 4 not in row]
    table = panel([*rows, [None, 1]])
    found = confusion(table.criteria[0], 0, 1)
    assert found is not None
    first, second = zip(*rows, strict=True)
    assert found.counts == tuple(map(tuple, confusion_matrix(first, second, labels=range(5)).tolist()))
    assert (found.labels, found.total) == (WORDS.labels, len(rows))
    # The panel's matrix counts each pair both ways.
    both_ways = np.array(found.counts) + np.array(found.counts).T
    panel_wide = coincidences(table.criteria[0])
    assert panel_wide is not None
    assert panel_wide.counts == tuple(map(tuple, both_ways.tolist()))


# --- progress and cancelling -----------------------------------------------------------------------


def test_progress_reaches_all_resamples_of_all_criteria_whatever_is_withheld() -> None:
    rows = rated(30, 2)
    table = msgspec.structs.replace(
        panel(rows),
        criteria=(
            CriterionRatings(key="full", ratings=tuple(map(tuple, rows)), scale=WORDS),
            CriterionRatings(key="empty", ratings=((None, None),) * 30, scale=WORDS),
        ),
    )
    seen: list[tuple[int, int]] = []
    agreement_report(table, resamples=150, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (450, 450)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_cancelled_report_has_every_value_and_says_that_it_is_not_complete() -> None:
    asked = iter([False, True])
    found = agreement_report(panel(rated(30, 2)), resamples=500, cancelled=lambda: next(asked))
    assert not found.complete
    assert found.overall.alpha_interval.reason is Reason.CANCELLED
    assert found.criteria[0].kappa.value is not None
    assert found.criteria[0].kappa.reason is Reason.CANCELLED


# --- tables ----------------------------------------------------------------------------------------


def test_levels_are_indexed_by_score_and_then_by_their_own_order() -> None:
    scale = Scale(
        id="s",
        levels=(
            Level(id="G", label="good", normalized_value=1.0),
            Level(id="B", label="bad", normalized_value=0.0, sequence=2),
            Level(id="W", label="worse", normalized_value=0.0, sequence=1),
        ),
    )
    assert rating_scale(scale).labels == ("worse", "bad", "good")
    assert [level_index(scale, name) for name in ("g", "W", "no")] == [2, 0, None]
    numeric = Scale(id="n", scale_type=ScaleType.NUMERIC, min_value=1, max_value=5, step=0.5)
    assert rating_scale(numeric).category_labels[:3] == ("1", "1.5", "2")


def test_a_table_is_gathered_from_single_ratings() -> None:
    ann, bot = Rater(name="Ann"), Rater(name="Bot", type=EvaluatorType.AGENT)
    table = ratings_table(
        [("one", ann, "b", 1.0), ("one", bot, "a", 2.0), ("two", ann, "b", None)], {"b": WORDS}, order=("a",)
    )
    assert [row.key for row in table.criteria] == ["a", "b"]
    assert table.criterion("b").ratings == ((1.0, None), (None, None))
    assert (table.criterion("b").not_applicable, table.evaluator(" bot ")) == (1, 1)


def refused(message: str, make: Callable[[], object]) -> Any:
    return pytest.param(make, message, id=message)


ANN = Rater(name="Ann")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        refused(
            'The rating 7 of subject "s1" by "b" is not on the scale of "c"', lambda: report([[1, 1], [1, 7]])
        ),
        refused("Use the index of a level, 0 to 4", lambda: report([[0.5, 1]])),
        refused("Use 0 to 100, in steps of 0.5", lambda: report([[0.3, 1]], PERCENT)),
        refused("Use 0 to 100", lambda: report([[101, 1]], PERCENT)),
        refused("finite numbers", lambda: report([[math.inf, 1]], RatingScale())),
        refused("has 1 ratings for 2 evaluators", lambda: report([[1, 2], [1]])),
        refused("no range from a minimum", lambda: report([[1, 2]], RatingScale(minimum=5, maximum=1))),
        refused("The step of the scale", lambda: report([[1, 2]], RatingScale(minimum=0, step=-1))),
        refused(
            "2 labels and 1 scores",
            lambda: report([[1, 0]], RatingScale(labels=("a", "b"), level_scores=(1.0,))),
        ),
        refused(
            'The evaluator "a" stands twice',
            lambda: agreement_report(panel([[1, 2]], names=("a", "a"))),
        ),
        refused(
            '"Ann" rates subject "s" twice on "c"',
            lambda: ratings_table([("s", ANN, "c", 1.0), ("s", ANN, "c", 1.0)]),
        ),
        refused(
            "Give each evaluator one type",
            lambda: ratings_table(
                [("s", ANN, "c", 1.0), ("t", Rater(name="Ann", type=EvaluatorType.SELF), "c", 1.0)]
            ),
        ),
        refused('no criterion "x"', lambda: panel([[1, 2]]).criterion("x")),
        refused('no evaluator "x"', lambda: panel([[1, 2]]).evaluator("x")),
        refused("-1 resamples cannot", lambda: report([[1, 2]], resamples=-1)),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        make()
    assert message in str(caught.value)
