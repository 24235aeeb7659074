"""What a panel says together, what its item analysis says in words, and how a round becomes a table."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import stats

from rubrictui.core.consensus_panel import panel_consensus, summarise
from rubrictui.core.diagnostics import Diagnosis, DiagnosticFlag, diagnose
from rubrictui.core.diagnostics_words import diagnose_table, explain_flag
from rubrictui.core.model import Level, Node, Scale, ScaleType, VersionSnapshot
from rubrictui.core.panel_ratings import ratings_of
from rubrictui.core.panel_tables import PanelEvaluation, PanelScore, PanelSubject, PanelTable
from rubrictui.core.ratings import CriterionRatings, Rater, RatingScale, RatingsTable
from rubrictui.core.records import EvaluationStatus, EvaluatorType

WORDS = RatingScale(labels=("none", "weak", "fair", "good", "best"))
ANN, BEN, EVA = (Rater(name=name) for name in ("Ann", "Ben", "Eva"))
JUDGE = Rater(name="Judge", type=EvaluatorType.AI_PROMPT)
AGENT = Rater(name="Agent", type=EvaluatorType.AGENT)
RULES = Rater(name="Rules", type=EvaluatorType.DETERMINISTIC)
AUTHOR = Rater(name="Author", type=EvaluatorType.SELF)


def table(rows: Any, raters: tuple[Rater, ...], *, keys: str = "c", absent: int = 0) -> RatingsTable:
    """``rows``: for each key, a row of level indexes for each subject."""
    return RatingsTable(
        subjects=tuple(f"s{place}" for place in range(len(rows[0]))),
        evaluators=raters,
        criteria=tuple(
            CriterionRatings(key=key, ratings=tuple(map(tuple, grid)), scale=WORDS, not_applicable=absent)
            for key, grid in zip(keys, rows, strict=True)
        ),
    )


def test_a_criterion_is_summarised_with_people_and_judges_apart_and_the_self_score_beside() -> None:
    found = summarise("c", [0.2, 0.4, 0.9, 0.7, 0.5, 1.0], (ANN, BEN, JUDGE, AGENT, RULES, AUTHOR))
    assert found.mean == pytest.approx(0.54)
    assert (found.median, found.low, found.high, found.sample_size) == (0.5, 0.2, 0.9, 5)
    assert found.range == pytest.approx(0.7)
    assert (found.human_mean, found.human_count) == (pytest.approx(0.3), 2)
    assert (found.ai_mean, found.ai_count) == (pytest.approx(0.8), 2)
    assert found.self_score == 1.0
    assert [row.deviation for row in found.deviations] == pytest.approx(
        [-0.34, -0.14, 0.36, 0.16, -0.04, 0.46]
    )


def test_trimming_takes_the_ends_off_the_mean_alone() -> None:
    raters = tuple(Rater(name=str(place)) for place in range(5))
    found = summarise("c", [0, 0.4, 0.5, 0.6, 0.6], raters, trim=0.2)
    assert found.trimmed_mean == pytest.approx(0.5)
    assert (found.range, found.sample_size) == (0.6, 5)


def test_without_scores_there_is_nothing_and_a_self_score_alone_has_no_deviation() -> None:
    found = summarise("c", [None, 0.5], (ANN, AUTHOR))
    assert (found.mean, found.median, found.std_dev, found.low, found.sample_size) == (None,) * 4 + (0,)
    assert [row.deviation for row in found.deviations] == [None]


def test_a_round_tells_where_its_evaluators_lie_apart() -> None:
    found = panel_consensus(table([[[0, 4], [2, 2], [4, None]]], (ANN, JUDGE)))
    (row,) = found.criteria
    assert row.mean == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert (row.subjects, row.disagreement) == (3, 0.5)
    assert (row.widest, row.widest_subject) == (1.0, "s0")
    assert (row.human_mean, row.ai_mean) == (0.5, 0.75)
    assert found.overall.mean == pytest.approx(row.mean)
    assert found.subjects[0].criteria[0].range == 1.0
    assert b"NaN" not in msgspec.json.encode(found)


def test_a_round_without_subjects_or_evaluators_is_no_error() -> None:
    empty = panel_consensus(RatingsTable(subjects=(), evaluators=(), criteria=()))
    assert (empty.subjects, empty.overall.mean) == ((), None)


# --- item analysis ---------------------------------------------------------------------------------


def test_item_analysis_takes_every_evaluation_that_has_a_rating_and_no_self_assessment() -> None:
    rows = [[[1, None, 4], [1, None, 0]] * 10, [[0, None, 4], [3, None, 0]] * 10]
    flags = {
        (row.criterion_key, row.flag): row
        for row in diagnose_table(table(rows, (ANN, BEN, AUTHOR), keys="ab"))
    }
    collapsed = flags["a", DiagnosticFlag.RANGE_COLLAPSE]
    assert (collapsed.sample_size, collapsed.scored) == (20, 20)
    assert ("b", DiagnosticFlag.RANGE_COLLAPSE) not in flags
    assert ("a", DiagnosticFlag.INSUFFICIENT_DATA) not in flags


def test_na_answers_count_towards_mostly_not_applicable() -> None:
    rows = [[[1, 2]] * 10 + [[None, None]] * 10, [[1, 2], [3, 0]] * 10]
    found = diagnose_table(table(rows, (ANN, BEN), keys="ab", absent=20))
    assert ("a", DiagnosticFlag.MOSTLY_NOT_APPLICABLE) in {(row.criterion_key, row.flag) for row in found}


def test_a_table_without_criteria_has_no_flags() -> None:
    assert diagnose_table(RatingsTable(subjects=(), evaluators=(), criteria=())) == ()


def test_the_correlation_behind_a_flag_is_pearsons() -> None:
    rng = np.random.default_rng(1)
    a = rng.random(40)
    b = a + rng.normal(0, 0.05, 40)
    found = [
        row
        for row in diagnose([{"key": "a", "scores": a.tolist()}, {"key": "b", "scores": b.tolist()}])
        if row.flag is DiagnosticFlag.HIGH_CORRELATION
    ]
    assert found[0].value == pytest.approx(stats.pearsonr(a, b).statistic)


@pytest.mark.parametrize(
    ("flag", "value", "limit", "words"),
    [
        (DiagnosticFlag.INSUFFICIENT_DATA, 12, 20, "c was met in 12 evaluations"),
        (DiagnosticFlag.MOSTLY_NOT_APPLICABLE, 0.75, 0.5, "not applicable in 75% of 12 evaluations"),
        (DiagnosticFlag.RANGE_COLLAPSE, 0.0, 0.0, "All 9 scores of c are the same"),
        (DiagnosticFlag.NO_DISCRIMINATION, -0.01, 0.05, "is -0.010 over 12 evaluations, 9 of them scored"),
        (DiagnosticFlag.HIGH_CORRELATION, 0.95, 0.9, "c rises and falls with d (r = 0.95 over 9 evaluations"),
        (DiagnosticFlag.HIGH_CORRELATION, -0.95, 0.9, "c rises as the other falls: d (r = -0.95"),
    ],
)
def test_every_flag_says_its_numbers_and_what_an_author_could_do(
    flag: DiagnosticFlag, value: float, limit: float, words: str
) -> None:
    other = "d" if flag is DiagnosticFlag.HIGH_CORRELATION else None
    row = Diagnosis(
        criterion_key="c",
        other_key=other,
        flag=flag,
        sample_size=12,
        scored=9,
        value=value,
        limit=limit,
        advice="",
    )
    sentence, advice = explain_flag(row)
    assert words in sentence
    assert sentence.endswith(".")
    assert len(advice) > 30


# --- a round as a table ----------------------------------------------------------------------------

VERSION = VersionSnapshot(
    scales=(
        Scale(
            id="S",
            levels=(
                Level(id="hi", label="High", normalized_value=1.0),
                Level(id="lo", label="Low", normalized_value=0.0),
            ),
        ),
        Scale(id="N", scale_type=ScaleType.NUMERIC, min_value=0, max_value=10),
    ),
    nodes=(Node(id="1", key="quality", name="Quality", scale_id="s"), Node(id="2", key="days", scale_id="N")),
)


def evaluation(
    subject: str,
    user: str,
    level: str | None,
    *,
    type: EvaluatorType = EvaluatorType.HUMAN,
    status: EvaluationStatus = EvaluationStatus.SUBMITTED,
    label: str = "",
    score: float | None = 0.5,
) -> PanelEvaluation:
    quality = PanelScore(scale_level_id=level, is_not_applicable=level is None)
    return PanelEvaluation(
        id=f"{subject}-{user}-{status}",
        subject_id=subject,
        user_id=user,
        user_name=user,
        user_display_name=label,
        evaluator_type=type,
        version_id="v",
        version_number="1.0.0",
        status=status,
        submitted_at=datetime(2026, 1, 1, tzinfo=UTC),
        normalized_score=score,
        scores={"quality": quality, "days": PanelScore(raw_value=4.0)},
    )


def round_of(*evaluations: PanelEvaluation) -> PanelTable:
    return PanelTable(
        rubric_id="r",
        rubric_name="R",
        major=1,
        version=VERSION,
        criteria=("quality", "days"),
        subjects=(
            PanelSubject(id="x", entity="Bid", record_id="1", title="North"),
            PanelSubject(id="y", entity="Bid", record_id="2", title="North"),
        ),
        evaluations=evaluations,
    )


def test_a_round_becomes_a_table_of_level_indexes_and_numbers() -> None:
    found = ratings_of(
        round_of(
            evaluation("x", "ann", "HI", score=0.9),
            evaluation("x", "ben", "lo"),
            evaluation("y", "ann", None, score=None),
        )
    )
    assert found.subjects == ("North (Bid/1)", "North (Bid/2)")
    assert [rater.name for rater in found.evaluators] == ["ann", "ben"]
    quality, days = found.criteria
    assert (quality.ratings, quality.not_applicable) == (((1.0, 0.0), (None, None)), 1)
    assert (quality.name, quality.scale.labels) == ("Quality", ("Low", "High"))
    assert days.ratings == ((4.0, 4.0), (4.0, None))
    assert found.overall == ((0.9, 0.5), (None, None))


def test_what_was_withdrawn_or_replaced_is_out_and_the_latest_of_one_evaluator_counts() -> None:
    found = ratings_of(
        round_of(
            evaluation("x", "ann", "hi"),
            evaluation("x", "ann", "lo"),
            evaluation("x", "ben", "hi", status=EvaluationStatus.WITHDRAWN),
            evaluation("y", "eva", "hi", status=EvaluationStatus.SUPERSEDED),
        )
    )
    assert [rater.name for rater in found.evaluators] == ["ann"]
    assert found.criterion("quality").ratings == ((1.0,), (None,))


def test_evaluators_of_one_name_are_told_apart() -> None:
    found = ratings_of(
        round_of(
            evaluation("x", "ann", "hi", label="A. Lee"),
            evaluation("x", "abe", "hi", label="A. Lee"),
            evaluation("x", "ann", "hi", label="A. Lee", type=EvaluatorType.SELF),
        )
    )
    assert [rater.name for rater in found.evaluators] == [
        "A. Lee (ann, Human)",
        "A. Lee (abe, Human)",
        "A. Lee (ann, Self)",
    ]
