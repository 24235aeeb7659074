"""The comparison matrix and the ranking: who counts, what disagrees, in which order."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.matrix import (
    Matrix,
    MatrixRow,
    columns_in_view,
    disagreement_count,
    disagreement_inside,
    next_disagreement,
    rows_in_view,
)
from rubrictui.core.matrix_building import round_matrix, subject_matrix
from rubrictui.core.model import Level, Node, NodeType, Outcome, Scale, ScaleType, VersionSnapshot
from rubrictui.core.panel_tables import PanelEvaluation, PanelScore, PanelSubject, PanelTable
from rubrictui.core.ranking import rank
from rubrictui.core.records import Cohort, CohortCriterion, EvaluationStatus, EvaluatorType

LEVELS = Scale(
    id="L",
    levels=tuple(
        Level(id=label, label=label.title(), normalized_value=n / 2)
        for n, label in enumerate(("miss", "part", "full"))
    ),
)
PERCENT = Scale(id="P", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100)
VERSION = VersionSnapshot(
    id="v",
    major_version=1,
    nodes=(
        Node(id="g", key="group", name="Group", node_type=NodeType.GROUP),
        Node(id="i", key="inner", name="Inner", parent_id="g", node_type=NodeType.GROUP),
        Node(id="a", key="a", name="A", parent_id="i", scale_id="L", is_gate=True),
        Node(id="b", key="b", name="B", parent_id="g", scale_id="p"),
        Node(id="c", key="overall", name="", scale_id="L"),
    ),
    scales=(LEVELS, PERCENT),
)
HUMAN, AI, AGENT, RULES, SELF = (
    EvaluatorType.HUMAN,
    EvaluatorType.AI_PROMPT,
    EvaluatorType.AGENT,
    EvaluatorType.DETERMINISTIC,
    EvaluatorType.SELF,
)
SUBMITTED, WITHDRAWN, SUPERSEDED = (
    EvaluationStatus.SUBMITTED,
    EvaluationStatus.WITHDRAWN,
    EvaluationStatus.SUPERSEDED,
)


def level(label: str, *, gate_failed: bool = False) -> PanelScore:
    value = {"miss": 0.0, "part": 0.5, "full": 1.0}[label]
    return PanelScore(scale_level_id=label, normalized_score=value, gate_failed=gate_failed)


def given(
    name: str,
    score: float | None = 0.5,
    *,
    kind: EvaluatorType = HUMAN,
    status: EvaluationStatus = SUBMITTED,
    subject: str = "s",
    user: str = "",
    passed: bool | None = None,
    gate_failed: bool = False,
    **scores: PanelScore,
) -> PanelEvaluation:
    outcome = Outcome.GATE_FAILED if gate_failed else Outcome.PASSED if passed else Outcome.BELOW_THRESHOLD
    return PanelEvaluation(
        id=f"{subject}-{name}-{status}",
        subject_id=subject,
        user_id=user or name,
        user_name=user or name.lower(),
        user_display_name=name,
        evaluator_type=kind,
        version_id="v",
        version_number="1.0.0",
        status=status,
        normalized_score=score,
        outcome=outcome,
        passed=passed,
        gate_failed=gate_failed,
        scores=scores,
    )


def table(*evaluations: PanelEvaluation, **values: Any) -> PanelTable:
    names = dict.fromkeys(one.subject_id for one in evaluations) or {"s": None}
    subjects = tuple(PanelSubject(id=name, entity="S", record_id=name, title=name) for name in names)
    values = {"subjects": subjects, **values}
    return PanelTable(
        rubric_id="r", rubric_name="R", major=1, version=VERSION, evaluations=evaluations, **values
    )


def row(matrix: Matrix, key: str) -> MatrixRow:
    return next(one for one in matrix.rows if one.key == key and not one.is_overall)


PANEL = (
    given("Rule", 0.2, kind=RULES),
    given("Own", 1.0, kind=SELF),
    given("Ann", 0.4, a=level("full"), b=PanelScore(raw_value=40, normalized_score=0.4)),
    given("Ben", 0.6, a=level("miss", gate_failed=True), b=PanelScore(is_not_applicable=True)),
    given("Gone", 0.0, status=WITHDRAWN, a=level("miss")),
    given("Judge", 0.9, kind=AI, a=level("part")),
    given("Bot", 0.7, kind=AGENT),
)


def test_columns_stand_people_first_then_ai_then_rules_then_self_and_what_ended_last() -> None:
    matrix = subject_matrix(table(*PANEL))
    assert [(one.name, one.kind, one.counts) for one in matrix.columns] == [
        ("Ann", "person", True),
        ("Ben", "person", True),
        ("Judge", "AI", True),
        ("Bot", "AI agent", True),
        ("Rule", "rules", True),
        ("Own", "self", False),
        ("Gone", "withdrawn", False),
    ]
    assert matrix.columns[-1].heading == "Gone (person, withdrawn)"


def test_means_take_what_counts_and_keep_people_and_ai_apart() -> None:
    overall = subject_matrix(table(*PANEL)).rows[0]
    assert overall.is_overall
    assert overall.mean == pytest.approx((0.2 + 0.4 + 0.6 + 0.9 + 0.7) / 5)
    assert overall.human_mean == pytest.approx(0.5)
    assert overall.ai_mean == pytest.approx(0.8)
    assert overall.self_score == 1.0
    assert overall.spread == pytest.approx(0.7)
    assert overall.count == 5


def test_a_withdrawn_self_assessment_is_in_no_figure() -> None:
    overall = subject_matrix(table(given("Own", 1.0, kind=SELF, status=WITHDRAWN))).rows[0]
    assert (overall.self_score, overall.mean, overall.spread) == (None, None, None)


def test_a_cell_is_the_answer_in_words_and_its_score() -> None:
    matrix = subject_matrix(table(*PANEL, given("Zed", None, a=PanelScore(), b=PanelScore())))
    answers = {
        (one.key, column.name): cell.answer
        for one in matrix.rows
        for column, cell in zip(matrix.columns, one.cells, strict=True)
        if cell is not None
    }
    assert answers[("a", "Ann")] == "Full"
    assert answers[("b", "Ann")] == "40%"
    assert answers[("b", "Ben")] == "N/A"
    assert answers[("a", "Zed")] == answers[("b", "Zed")] == "unanswered"
    assert row(matrix, "overall").cells[0] is None  # a criterion that Ann's version does not have


def test_a_gate_that_some_meet_and_others_do_not_flips_whatever_the_threshold() -> None:
    gate = row(subject_matrix(table(*PANEL)), "a")
    assert gate.flips
    assert gate.disagrees(5.0)
    assert gate.spread == 1.0
    calm = subject_matrix(
        table(given("Ann", a=level("full")), given("X", status=WITHDRAWN, a=level("miss", gate_failed=True)))
    )
    assert not row(calm, "a").flips


@pytest.mark.parametrize(
    ("verdicts", "flips"), [((True, False), True), ((True, True), False), ((True, None), False)]
)
def test_the_overall_verdict_flips_when_some_passed_and_some_did_not(
    verdicts: tuple[bool | None, ...], flips: bool
) -> None:
    found = subject_matrix(table(*(given(f"P{n}", passed=one) for n, one in enumerate(verdicts))))
    assert found.rows[0].flips is flips


def test_a_spread_at_the_threshold_disagrees_though_floats_fall_short_of_it() -> None:
    matrix = subject_matrix(
        table(
            given("A", b=PanelScore(raw_value=1, normalized_score=0.1)),
            given("B", b=PanelScore(raw_value=3, normalized_score=0.3)),
        )
    )
    spread = row(matrix, "b").spread
    assert spread is not None
    assert spread < 0.2
    assert row(matrix, "b").disagrees(0.2)
    assert not row(matrix, "b").disagrees(0.21)


def test_folding_puts_away_what_is_in_a_group_at_any_depth_and_keeps_the_group() -> None:
    matrix = subject_matrix(table(*PANEL))

    def keys(**how: Any) -> list[str]:
        return [matrix.rows[place].name for place in rows_in_view(matrix, **how)]

    assert keys() == ["Overall", "Group", "Inner", "A", "B", "overall"]
    assert keys(folded={"inner"}) == ["Overall", "Group", "Inner", "B", "overall"]
    assert keys(folded={"group"}) == ["Overall", "Group", "overall"]


def test_a_group_tells_what_disagrees_in_it_at_any_depth() -> None:
    flipped = subject_matrix(table(*PANEL))
    assert disagreement_inside(flipped, 5.0) == {"group": True, "inner": True}
    apart = subject_matrix(
        table(
            given("A", a=level("full"), b=PanelScore(normalized_score=0.1)),
            given("B", a=level("full"), b=PanelScore(normalized_score=0.9)),
        )
    )
    assert disagreement_inside(apart, 0.25) == {"group": False}
    assert disagreement_inside(apart, 0.9) == {}


def test_by_spread_flips_come_first_and_rows_without_a_spread_last() -> None:
    matrix = subject_matrix(
        table(
            given("A", a=level("full"), b=PanelScore(normalized_score=0.1)),
            given("B", a=level("part", gate_failed=True), b=PanelScore(normalized_score=0.9)),
        )
    )
    shown = [matrix.rows[place].name for place in rows_in_view(matrix, by_spread=True, folded={"group"})]
    assert shown == ["Overall", "A", "B", "overall"]


def test_the_next_disagreement_goes_around_the_end_and_passes_over_groups() -> None:
    matrix = subject_matrix(table(*PANEL))
    view = rows_in_view(matrix)
    assert next_disagreement(matrix, view, 0, threshold=0.25) == 3
    assert next_disagreement(matrix, view, 3, threshold=0.25) == 3
    assert next_disagreement(matrix, view, 4, threshold=0.25, step=-1) == 3
    assert disagreement_count(matrix, 0.25) == 1
    calm = subject_matrix(table(given("Ann")))
    assert next_disagreement(calm, rows_in_view(calm), 0, threshold=0.0) is None


def test_superseded_columns_come_when_asked_for_and_withdrawn_ones_stay() -> None:
    matrix = subject_matrix(
        table(given("Ann"), given("Ann", status=SUPERSEDED), given("B", status=WITHDRAWN))
    )
    assert [matrix.columns[n].kind for n in columns_in_view(matrix)] == ["person", "withdrawn"]
    assert len(columns_in_view(matrix, with_superseded=True)) == 3
    assert [one.name for one in matrix.columns] == ["Ann", "Ann", "B"]


def test_two_people_of_one_name_are_told_apart_by_their_logins() -> None:
    matrix = subject_matrix(table(given("Kim", user="kim.a"), given("Kim", user="kim.b")))
    assert [one.name for one in matrix.columns] == ["Kim (kim.a)", "Kim (kim.b)"]


def test_means_are_the_cohorts_where_that_is_larger_than_what_may_be_read() -> None:
    cohort = Cohort(
        mean=0.6,
        min=0.2,
        max=0.9,
        count=3,
        passed_count=2,
        human_mean=0.55,
        criteria=(CohortCriterion(key="a", mean=0.7, human_mean=0.65),),
    )
    own = given("Me", 0.5, a=level("full"))
    matrix = subject_matrix(table(own, cohort=cohort))
    overall, a = matrix.rows[0], row(matrix, "a")
    assert (overall.mean, overall.human_mean, overall.flips, overall.count) == (0.6, 0.55, True, 3)
    assert overall.spread == pytest.approx(0.7)
    assert (a.mean, a.human_mean, a.spread) == (0.7, 0.65, None)
    alone = subject_matrix(table(own, cohort=msgspec.structs.replace(cohort, count=1)))
    assert alone.rows[0].mean == 0.5


def test_a_tree_as_deep_as_it_is_wrong_leaves_out_what_takes_no_part() -> None:
    lost = Node(id="x", key="lost", parent_id="nowhere", scale_id="L")
    version = msgspec.structs.replace(VERSION, nodes=(*VERSION.nodes, lost))
    matrix = subject_matrix(msgspec.structs.replace(table(*PANEL), version=version))
    assert "lost" not in [one.key for one in matrix.rows]


# -- a round -------------------------------------------------------------------------------------------------


def test_a_round_has_a_row_for_each_subject_and_a_column_for_each_evaluator() -> None:
    matrix = round_matrix(
        table(
            given("Ann", 0.4, subject="one", passed=False),
            given("Ben", 0.8, subject="one", passed=True),
            given("Ann", 0.9, subject="two", passed=True),
            given("Ann", 0.1, subject="one", kind=SELF, user="author"),
        ),
        order=("two",),
        details={"two": "1."},
    )
    assert [(one.key, one.detail) for one in matrix.rows] == [("two", "1."), ("one", "")]
    assert [one.kind for one in matrix.columns] == ["person", "person", "self"]
    two, one = matrix.rows
    assert [cell.score if cell else None for cell in two.cells] == [0.9, None, None]
    assert (one.mean, one.flips, one.self_score) == (pytest.approx(0.6), True, 0.1)
    assert two.spread is None


def test_a_rounds_cell_shows_what_counts_before_what_was_withdrawn_later() -> None:
    matrix = round_matrix(
        table(given("Ann", 0.9, status=WITHDRAWN), given("Ann", 0.4), given("Ben", 0.7, status=WITHDRAWN))
    )
    ann, ben = matrix.rows[0].cells
    assert ann is not None
    assert ben is not None
    assert (ann.score, ben.score, ben.answer) == (0.4, 0.7, "withdrawn")
    assert matrix.rows[0].mean == 0.4


def test_a_round_of_many_runs_by_one_judge_has_the_means_of_all_of_them() -> None:
    runs = [
        msgspec.structs.replace(given("Judge", score, kind=AI), id=f"e{score}") for score in (0.2, 0.4, 0.9)
    ]
    matrix = round_matrix(table(*runs))
    assert len(matrix.columns) == 1
    assert matrix.rows[0].mean == pytest.approx(0.5)
    assert matrix.rows[0].count == 3


def test_a_rounds_matrix_says_how_many_subjects_are_hidden() -> None:
    hidden = (PanelSubject(id="h", entity="S", record_id="h", title="h", is_blind=True),)
    assert round_matrix(table(given("Ann"), hidden=hidden)).hidden == 1


# -- ranking -------------------------------------------------------------------------------------------------


def places(*evaluations: PanelEvaluation, **how: Any) -> list[tuple[int, str]]:
    return [(one.place, one.subject.id) for one in rank(table(*evaluations), **how).ranked]


def test_subjects_rank_by_the_mean_of_what_counts() -> None:
    assert places(
        given("A", 0.4, subject="low"),
        given("A", 0.9, subject="high"),
        given("B", 0.1, subject="high", status=WITHDRAWN),
        given("S", 0.0, subject="high", kind=SELF),
        given("A", 0.6, subject="mid"),
    ) == [(1, "high"), (2, "mid"), (3, "low")]


@pytest.mark.parametrize(
    ("gates", "out"), [("any", {"one", "half", "all"}), ("half", {"half", "all"}), ("all", {"all"})]
)
def test_a_gate_keeps_a_subject_out_by_the_rule_asked_for(gates: str, out: set[str]) -> None:
    ranking = rank(
        table(
            *(given(f"{n}", subject="one", gate_failed=n == 0) for n in range(3)),
            *(given(f"{n}", subject="half", gate_failed=n == 0) for n in range(2)),
            given("A", subject="all", gate_failed=True),
            given("A", subject="none"),
        ),
        gates=gates,
    )
    assert {one.subject.id for one in ranking.unranked} == out
    assert all(one.gated_out for one in ranking.unranked)
    assert ranking.order[: len(ranking.ranked)] == tuple(one.subject.id for one in ranking.ranked)
    assert ranking.places["all"] == "gate"


def test_a_withdrawn_evaluations_gate_keeps_nobody_out() -> None:
    ranking = rank(table(given("A", 0.7), given("B", 0.1, status=WITHDRAWN, gate_failed=True)), gates="any")
    assert [one.score for one in ranking.ranked] == [0.7]


def test_a_subject_without_a_score_has_no_place_and_is_told_why() -> None:
    ranking = rank(table(given("A", None, subject="void"), given("A", subject="own", kind=SELF)))
    assert {one.subject.id: one.reason for one in ranking.unranked} == {
        "void": "no evaluation has a score",
        "own": "no evaluation yet",
    }
    assert ranking.places == {"void": "–", "own": "–"}


def test_equal_means_are_parted_by_passes_then_the_median_then_the_lowest() -> None:
    def scored(subject: str, *scores: float, passes: int = 0) -> list[PanelEvaluation]:
        return [given(f"{n}", s, subject=subject, passed=n < passes) for n, s in enumerate(scores)]

    ranking = rank(
        table(
            *scored("passes", 0.4, 0.6, 0.5, passes=1),
            *scored("median", 0.3, 0.6, 0.6),
            *scored("lowest", 0.45, 0.5, 0.55),
            *scored("last", 0.4, 0.5, 0.6),
            *scored("twin", 0.4, 0.5, 0.6),
            *scored("below", 0.1),
        )
    )
    assert [(one.place, one.subject.id, one.shared) for one in ranking.ranked] == [
        (1, "passes", False),
        (2, "median", False),
        (3, "lowest", False),
        (4, "last", True),
        (4, "twin", True),
        (6, "below", False),
    ]
    assert [one.tie for one in ranking.ranked] == [
        "by the larger share of evaluations that passed",
        "by the higher median score",
        "by the higher lowest score",
        "by the higher lowest score",
        "by the higher lowest score",
        "",
    ]
    assert ranking.places["last"] == "4.="


def test_an_unknown_rule_for_gates_is_refused_in_a_line() -> None:
    with pytest.raises(InvalidInputError, match='"most" is no rule for gates'):
        rank(table(given("A")), gates="most")


def test_the_method_says_what_was_left_out_and_how_ties_are_broken() -> None:
    words = rank(table(given("A")), gates="any").method
    assert "a gate failed in one evaluation or more" in words
    assert "share a place" in words
