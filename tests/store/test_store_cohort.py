"""The cohort columns (guide section 9), and that they are found through their index."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from panel_rows import Panel
from sqlalchemy import select
from sqlalchemy.sql import Select

from rubrictui.core.consensus import consensus
from rubrictui.core.records import Cohort, CohortCriterion
from rubrictui.store import access
from rubrictui.store.access import CohortKey
from rubrictui.store.database import Database
from rubrictui.store.tables import EVALUATION
from rubrictui.store.views import COHORT, EVALUATION_COHORT


@pytest.fixture
def panel(database: Database) -> Panel:
    return Panel(database)


def key_of(panel: Panel, **changes: Any) -> dict[str, Any]:
    key = {"subject_id": panel.north, "rubric_id": panel.rubric, "context_id": panel.autumn, "major": 1}
    return {**key, **changes}


def cohort_of(panel: Panel, **changes: Any) -> Cohort:
    with panel.database.read() as connection:
        found = access.cohort(connection, panel.head, **key_of(panel, **changes))
    assert found is not None
    return found


def test_the_columns_average_whom_the_guide_says(panel: Panel) -> None:
    """Human averages Human; AI averages AIPrompt and Agent; rules and others only overall; Self nowhere else."""
    with panel.rows.together():
        for user, score, values in (
            (panel.ann, 1.0, {"passed": True}),
            (panel.ben, 0.75, {"passed": True}),
            (panel.mill, 0.5, {"evaluator_type": "AIPrompt", "evaluator_name": "Judge"}),
            (panel.mill, 0.25, {"evaluator_type": "Agent", "passed": False}),
            (panel.mill, 0.0, {"evaluator_type": "Deterministic"}),
            (panel.mill, 0.2, {"evaluator_type": "External", "passed": True}),
            (panel.mill, None, {"evaluator_type": "External", "evaluator_name": "Unscored"}),
            (panel.cai, 0.95, {"evaluator_type": "Self", "passed": True}),
        ):
            panel.scored(user, panel.north, score, context_id=panel.autumn, **values)
        # Out of it: open, withdrawn and superseded ones, another context, another major, another subject.
        panel.begun(panel.head, panel.south, context_id=panel.autumn)
        for end in ("Withdrawn", "Superseded"):
            ended = panel.scored(panel.cai, panel.north, 0.1, context_id=panel.autumn, evaluator_name=end)
            panel.rows.change(EVALUATION, ended, status=end, ended_at=panel.rows.now())
        panel.scored(panel.cai, panel.north, 0.1, context_id=panel.spring)
        panel.scored(panel.cai, panel.north, 0.1)
        panel.scored(panel.cai, panel.north, 0.1, context_id=panel.autumn, version=panel.next_version)
    scores = [1.0, 0.75, 0.5, 0.25, 0.0, 0.2]
    cohort = cohort_of(panel)
    assert cohort == Cohort(
        mean=0.45,
        min=0.0,
        max=1.0,
        std_dev=round(statistics.pstdev(scores), 6),
        count=7,
        passed_count=3,
        human_mean=0.875,
        ai_mean=0.375,
        self_score=0.95,
        criteria=tuple(
            CohortCriterion(key=key, mean=0.45, human_mean=0.875, ai_mean=0.375)
            for key in ("quality", "clarity", "evidence")
        ),
    )
    assert cohort_of(panel, major=2).count == 1
    assert cohort_of(panel, context_id=None).mean == 0.1


def test_no_context_is_a_context_of_its_own(panel: Panel) -> None:
    assert cohort_of(panel, subject_id=panel.south, context_id=None).mean == 0.25
    assert cohort_of(panel, subject_id=panel.south, context_id=panel.spring) == Cohort()


def test_a_self_assessment_alone_makes_no_cohort(panel: Panel) -> None:
    panel.scored(panel.cai, panel.north, 0.9, context_id=panel.autumn, evaluator_type="Self")
    assert cohort_of(panel) == Cohort(
        self_score=0.9,
        criteria=tuple(CohortCriterion(key=key) for key in ("quality", "clarity", "evidence")),
    )


@pytest.mark.parametrize("score", [0.1, 1 / 3, 0.7, 0.333333, 0.999999])
def test_equal_scores_deviate_by_nothing(panel: Panel, score: float) -> None:
    """From sums, the variance of equal numbers can come out a hair off zero, and its root far more than one."""
    with panel.rows.together():
        for number in range(7):
            panel.scored(panel.mill, panel.north, score, context_id=panel.autumn, evaluator_name=str(number))
    with panel.database.read() as connection:
        in_autumn = select(COHORT.c.score_std_dev).where(COHORT.c.context_id == panel.autumn)
        assert connection.execute(in_autumn).scalar() == 0.0


def test_the_scores_behind_a_consensus_are_those_of_the_cohort(panel: Panel) -> None:
    with panel.rows.together():
        for number, score in enumerate((0.1, 0.2, 0.6, None)):
            panel.scored(panel.mill, panel.north, score, context_id=panel.autumn, evaluator_name=str(number))
        panel.scored(panel.cai, panel.north, 0.9, context_id=panel.autumn, evaluator_type="Self")
        half = panel.rows.evaluation(panel.cai, panel.north, panel.version, context_id=panel.autumn)
        panel.rows.score(half, panel.criterion("clarity"), is_not_applicable=True, rationale="None there")
        panel.rows.submit(half, 0.4)
    with panel.database.read() as connection:
        found = access.cohort_scores(connection, panel.head, **key_of(panel))
    assert found is not None
    assert sorted(score for score in found.overall if score is not None) == [0.1, 0.2, 0.4, 0.6]
    clarity, evidence = found.criteria
    assert (clarity.key, evidence.key) == ("clarity", "evidence"), "criteria only, no groups"
    assert (clarity.not_applicable, evidence.not_applicable) == (1, 0)
    # The places agree: each evaluation's criteria stand where its overall score does.
    pairs = [pair for pair in zip(found.overall, evidence.scores, strict=True) if None not in pair]
    assert len(pairs) == 3
    assert all(overall == of_criterion for overall, of_criterion in pairs)
    by_hand, view = consensus(found.overall, criteria=found.criteria), cohort_of(panel)
    assert (by_hand.overall, by_hand.std_dev) == pytest.approx((view.mean, view.std_dev), abs=1e-6)


def test_every_evaluation_has_its_deviation_in_the_view(panel: Panel) -> None:
    with panel.database.read() as connection:
        rows = connection.execute(
            select(EVALUATION_COHORT).where(EVALUATION_COHORT.c.subject_id == panel.north)
        ).all()
    found = {row.evaluation_id: row for row in rows}
    assert set(found) == {panel.by_ben, panel.by_judge}
    assert found[panel.by_ben].deviation_from_cohort_mean == pytest.approx(0.125)
    assert found[panel.by_judge].deviation_from_cohort_mean == pytest.approx(-0.125)
    assert found[panel.by_ben].cohort_evaluation_count == 2


# -- through the index -------------------------------------------------------------------------------

INDEX = "SEARCH e USING INDEX ix_evaluation_cohort (subject_id=? AND context_id=? AND rubric_id=? AND major_version=? AND status=?)"


def plan(database: Database, query: Select[Any]) -> list[str]:
    with database.read() as connection:
        text = query.compile(connection, compile_kwargs={"literal_binds": True})
        return [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")]


@pytest.mark.parametrize("context", [None, "spring"])
@pytest.mark.parametrize("query", [access.cohort_query, access.criterion_cohort_query])
def test_one_cohort_is_found_through_the_cohort_index(
    sqlite_database: Database, context: str | None, query: Any
) -> None:
    steps = plan(
        sqlite_database, query(context is None).params(CohortKey("north", "rubric", context, 1).parameters)
    )
    assert INDEX in steps
    assert not [step for step in steps if step.startswith("SCAN e")]
    assert not [step for step in steps if "AUTOMATIC" in step]


def test_a_subjects_rows_of_the_view_are_found_through_the_cohort_index(sqlite_database: Database) -> None:
    view = EVALUATION_COHORT
    steps = plan(sqlite_database, select(view).where(view.c.subject_id == "north"))
    assert [step for step in steps if "SCAN e" in step or "AUTOMATIC" in step] == []
    assert len([step for step in steps if "INDEX ix_evaluation_cohort (subject_id=?" in step]) == 2
