"""Who can see what, and the blind rule, over every way to read (guide section 10; design, "The store")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from panel_rows import Panel, seen, statuses, ways_to_read

from rubrictui.core.records import AssignmentStatus, Cohort, EvaluationStatus, User
from rubrictui.store import access
from rubrictui.store.database import Database
from rubrictui.store.tables import EVALUATION, EVALUATION_SCORE


@pytest.fixture
def panel(sqlite_database: Database) -> Panel:
    return Panel(sqlite_database)


@pytest.fixture
def either_panel(database: Database) -> Panel:
    """Once per dialect, for the tests whose statements differ most from ordinary ones."""
    return Panel(database)


READ_ALL = ("head", "dev", "bot")
EVERYONE = ("ann", "chair", *READ_ALL)

Blinding = Callable[[Panel, User], Any]

BLINDINGS: dict[str, Blinding] = {
    "a draft in the same context": lambda p, u: p.begun(u, p.north, context_id=p.spring),
    "a draft in another context": lambda p, u: p.begun(u, p.north, context_id=p.autumn),
    "a draft without a context": lambda p, u: p.begun(u, p.north),
    "a draft of another version": lambda p, u: p.begun(u, p.north, version=p.next_version),
    "a draft of another rubric": lambda p, u: (
        p.begun(u, p.north, version=(other := p.publish(p.rows.rubric(), (1, 0, 0))), context_id=p.spring)
        and other
    ),
    "an empty draft": lambda p, u: p.rows.evaluation(u, p.north, p.version),
    "a self-assessment begun": lambda p, u: p.begun(u, p.north, evaluator_type="Self"),
    "an assignment not begun": lambda p, u: p.assign(u, p.north),
    "an assignment for another round": lambda p, u: p.assign(u, p.north, context_id=p.autumn),
}


def test_a_reviewer_and_a_chair_see_their_own_rows_only(panel: Panel) -> None:
    own = panel.scored(panel.ann, panel.south, 1.0)
    other = panel.begun(panel.chair, panel.south)
    assert seen(panel.all_that(panel.ann)) == {own}
    assert seen(panel.all_that(panel.chair)) == {other}
    assert seen(panel.all_that(panel.cai)) == set()


@pytest.mark.parametrize("name", READ_ALL)
def test_who_reads_all_sees_every_row(either_panel: Panel, name: str) -> None:
    either_panel.begun(either_panel.ann, either_panel.south)
    viewer = getattr(either_panel, name)
    found = either_panel.all_that(viewer)
    with either_panel.database.read() as connection:
        everything = set(either_panel.evaluation_ids(connection)) - {"unknown"}
    assert seen(found) == everything
    assert found["count"] == len(everything) == 4
    assert found["counts_by_version"] == {either_panel.version: 3}
    assert [len(rows) for rows in found["scores"]].count(3) == 4


def test_what_may_not_be_seen_answers_as_what_is_not_there(panel: Panel) -> None:
    with panel.database.read() as c:
        for reader in (access.evaluation, access.scores, access.draft_answers, access.draft_cursor):
            hidden = reader(c, panel.ann, panel.by_ben)
            assert hidden == reader(c, panel.ann, "unknown")
            assert not hidden


@pytest.mark.parametrize("how", BLINDINGS)
@pytest.mark.parametrize("name", ["ann", "head"])
def test_open_work_of_her_own_hides_what_comes_from_peers(panel: Panel, name: str, how: str) -> None:
    viewer = getattr(panel, name)
    own_before = panel.scored(viewer, panel.north, 1.0, context_id=panel.spring)
    with panel.rows.together():
        BLINDINGS[how](panel, viewer)
    found = panel.all_that(viewer)
    assert found["blind_subjects"] == {panel.north}
    assert found["is_blind"] == [True, False]
    assert own_before in seen(found)
    assert not {panel.by_ben, panel.by_judge} & seen(found)
    of_north = [place for place, key in enumerate(panel.cohorts()) if key["subject_id"] == panel.north]
    assert [found["cohort"][place] for place in of_north] == [None] * len(of_north)
    assert [found["cohort_scores"][place] for place in of_north] == [None] * len(of_north)
    # Other subjects are as they were, and sums leave out no more than the hidden ones.
    if name != "ann":
        assert panel.by_ben_south in seen(found)
        assert found["counts_by_version"][panel.version] == 2
        assert found["cohort"][panel.cohorts().index(south(panel))] is not None


def south(panel: Panel) -> dict[str, Any]:
    return {"subject_id": panel.south, "rubric_id": panel.rubric, "context_id": None, "major": 1}


def north(panel: Panel) -> dict[str, Any]:
    return {"subject_id": panel.north, "rubric_id": panel.rubric, "context_id": panel.spring, "major": 1}


RELEASES: dict[str, Callable[[Panel, str, str], Any]] = {
    "submitting": lambda p, draft, assignment: (
        p.rows.submit(draft),
        p.end_assignment(assignment, AssignmentStatus.DONE),
    ),
    "declining": lambda p, draft, assignment: (
        p.rows.change(EVALUATION, draft, status="Withdrawn", ended_at=p.rows.now(), end_reason="Conflict"),
        p.end_assignment(assignment, AssignmentStatus.DECLINED),
    ),
    "being released": lambda p, draft, assignment: (
        p.rows.change(EVALUATION, draft, status="Withdrawn", ended_at=p.rows.now(), end_reason="Released"),
        p.end_assignment(assignment, AssignmentStatus.RELEASED),
    ),
}


@pytest.mark.parametrize("how", RELEASES)
def test_the_veil_lifts_when_the_work_has_ended(panel: Panel, how: str) -> None:
    assignment = panel.assign(panel.head, panel.north, context_id=panel.spring)
    draft = panel.begun(panel.head, panel.north, context_id=panel.spring, assignment_id=assignment)
    assert panel.by_ben not in seen(panel.all_that(panel.head))
    RELEASES[how](panel, draft, assignment)
    found = panel.all_that(panel.head)
    assert found["blind_subjects"] == frozenset()
    assert {panel.by_ben, panel.by_judge} <= seen(found)


def test_two_open_works_take_two_endings(panel: Panel) -> None:
    first = panel.begun(panel.head, panel.north, context_id=panel.spring)
    second = panel.begun(panel.head, panel.north, context_id=panel.autumn)
    panel.rows.submit(first)
    assert panel.by_ben not in seen(panel.all_that(panel.head))
    panel.rows.submit(second)
    assert panel.by_ben in seen(panel.all_that(panel.head))


def test_a_machine_draft_that_she_runs_does_not_blind_her(panel: Panel) -> None:
    panel.begun(panel.head, panel.north, evaluator_type="AIPrompt", evaluator_name="Judge")
    panel.begun(panel.head, panel.north, evaluator_type="Deterministic", evaluator_name="Rules")
    assert panel.by_ben in seen(panel.all_that(panel.head))


@pytest.mark.parametrize("name", ["ann", "head"])
def test_a_judge_that_she_ran_is_hidden_while_she_scores_herself(panel: Panel, name: str) -> None:
    viewer = getattr(panel, name)
    judged = panel.scored(viewer, panel.north, 0.5, evaluator_type="AIPrompt", evaluator_name="Judge")
    before = panel.all_that(viewer)
    assert judged in seen(before)
    draft = panel.begun(viewer, panel.north, context_id=panel.spring)
    found = panel.all_that(viewer)
    assert judged not in seen(found)
    assert sum(found["counts_by_version"].values()) < sum(before["counts_by_version"].values())
    panel.rows.submit(draft)
    assert judged in seen(panel.all_that(viewer))


def test_the_open_work_of_others_blinds_nobody_else(panel: Panel) -> None:
    panel.begun(panel.ann, panel.north, context_id=panel.spring)
    assert panel.by_ben in seen(panel.all_that(panel.head))


def a_peer_works(panel: Panel) -> None:
    """Cai begins, answers, submits, corrects and withdraws; a judge runs again; an assignment is done."""
    rows = panel.rows
    with rows.together():
        for context in (panel.spring, panel.autumn, None):
            draft = panel.begun(panel.cai, panel.north, context_id=context, cursor="clarity")
            rows.submit(draft, 1.0, passed=True)
            again = panel.begun(panel.cai, panel.north, context_id=context, supersedes_id=draft)
            rows.change(EVALUATION, draft, status="Superseded", ended_at=rows.now())
            rows.submit(again, 0.0)
        rows.change(EVALUATION, again, status="Withdrawn", ended_at=rows.now(), end_reason="Mistake")
        panel.scored(panel.mill, panel.north, 0.1, context_id=panel.spring, evaluator_type="Agent")
        panel.scored(panel.cai, panel.north, 0.9, context_id=panel.spring, evaluator_type="Self")
        panel.scored(panel.cai, panel.north, 0.9, context_id=panel.spring, version=panel.next_version)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        *((name, "a draft in another context") for name in EVERYONE),
        *((name, "an assignment not begun") for name in ("ann", "head")),
    ],
)
def test_nothing_she_can_observe_changes_when_a_peer_works(panel: Panel, name: str, how: str) -> None:
    viewer = getattr(panel, name)
    with panel.rows.together():
        peers = panel.assign(panel.cai, panel.north)
        panel.scored(viewer, panel.north, 0.4, context_id=panel.spring)
        BLINDINGS[how](panel, viewer)
    with panel.database.read() as connection:
        before_ids = panel.evaluation_ids(connection)
    before = panel.all_that(viewer, before_ids)
    a_peer_works(panel)
    panel.end_assignment(peers, AssignmentStatus.DONE)
    assert panel.all_that(viewer, before_ids) == before
    # Nor is any of the new rows there when it is asked for by its id.
    with panel.database.read() as connection:
        new = [id for id in panel.evaluation_ids(connection) if id not in before_ids]
        assert len(new) == 9
        assert [access.evaluation(connection, viewer, id) for id in new] == [None] * 9
        assert [access.scores(connection, viewer, id) for id in new] == [()] * 9


@pytest.mark.parametrize("name", READ_ALL)
def test_the_same_work_is_seen_by_who_reads_all_and_is_not_blind(panel: Panel, name: str) -> None:
    """Without this, the test above could pass because nothing is ever shown."""
    viewer = getattr(panel, name)
    with panel.rows.together():
        peers = panel.assign(panel.cai, panel.north, context_id=panel.spring)
    before = panel.all_that(viewer)
    a_peer_works(panel)
    panel.end_assignment(peers, AssignmentStatus.DONE)
    after = panel.all_that(viewer)
    changed = {way for way in before if before[way] != after[way]}
    own_or_blind = {"blind_subjects", "is_blind", "past_answers", "inbox", "comments"}
    assert changed >= {*ways_to_read(), "counts"} - own_or_blind
    assert statuses(after)[peers] is AssignmentStatus.DONE


# -- cohorts for those who have given their own ------------------------------------------------------


def cohort_of(panel: Panel, viewer: User, **changes: Any) -> Cohort | None:
    with panel.database.read() as connection:
        return access.cohort(connection, viewer, **{**north(panel), **changes})


def test_a_reviewer_sees_the_aggregates_once_she_has_submitted_and_no_rows(either_panel: Panel) -> None:
    assert cohort_of(either_panel, either_panel.ann) is None
    draft = either_panel.begun(either_panel.ann, either_panel.north, context_id=either_panel.spring)
    assert cohort_of(either_panel, either_panel.ann) is None
    either_panel.rows.submit(draft, 1.0)
    cohort = cohort_of(either_panel, either_panel.ann)
    assert cohort is not None
    assert (cohort.count, cohort.mean, cohort.human_mean, cohort.ai_mean) == (3, 0.75, 0.875, 0.5)
    assert seen(either_panel.all_that(either_panel.ann)) == {draft}
    with either_panel.database.read() as connection:
        found = access.cohort_scores(connection, either_panel.ann, **north(either_panel))
    assert found is not None
    assert sorted(score or 0.0 for score in found.overall) == [0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("what", "values"),
    [
        ("another context", {"context_id": None}),
        ("another major", {"version": "next_version"}),
        ("a self-assessment", {"evaluator_type": "Self"}),
        ("a judge she ran", {"evaluator_type": "AIPrompt", "evaluator_name": "Judge"}),
    ],
)
def test_only_her_own_review_in_that_cohort_opens_it(panel: Panel, what: str, values: dict[str, Any]) -> None:
    given = {"context_id": panel.spring, **values}
    if "version" in given:
        given["version"] = getattr(panel, given["version"])
    panel.scored(panel.ann, panel.north, 1.0, **given)
    assert cohort_of(panel, panel.ann) is None
    with panel.database.read() as connection:
        assert access.cohort_scores(connection, panel.ann, **north(panel)) is None


def test_taking_her_evaluation_back_closes_the_cohort_again(panel: Panel) -> None:
    own = panel.scored(panel.ann, panel.north, 1.0, context_id=panel.spring)
    assert cohort_of(panel, panel.ann) is not None
    panel.rows.change(EVALUATION, own, status="Withdrawn", ended_at=panel.rows.now())
    assert cohort_of(panel, panel.ann) is None


def test_an_empty_cohort_counts_nothing(panel: Panel) -> None:
    assert cohort_of(panel, panel.head, context_id=panel.autumn) == Cohort()


# -- what the rows hold ------------------------------------------------------------------------------


def test_a_header_tells_names_numbers_and_what_replaced_it(either_panel: Panel) -> None:
    rows = either_panel.rows
    given_up = rows.evaluation(
        either_panel.ben,
        either_panel.north,
        either_panel.version,
        context_id=either_panel.spring,
        supersedes_id=either_panel.by_ben,
    )
    rows.change(EVALUATION, given_up, status="Withdrawn", ended_at=rows.now(), end_reason="Never mind")
    newer = rows.evaluation(
        either_panel.ben, either_panel.north, either_panel.version, context_id=either_panel.spring, supersedes_id=either_panel.by_ben,
        metadata={"note": "again"},
    )  # fmt: skip
    rows.change(EVALUATION, either_panel.by_ben, status="Superseded", ended_at=rows.now())
    rows.submit(newer, 0.9, passed=True)
    with either_panel.database.read() as connection:
        old = access.evaluation(connection, either_panel.ben, either_panel.by_ben)
        new = access.evaluation(connection, either_panel.ben, newer)
    assert old is not None
    assert new is not None
    assert (old.rubric_name, old.version_number, old.subject_title) == ("Vendor proposal", "1.0.0", "North")
    assert (old.context_name, old.evaluator_user_name, old.status) == (
        "Spring", "ben", EvaluationStatus.SUPERSEDED,
    )  # fmt: skip
    assert old.superseded_by_id == newer
    assert (new.supersedes_id, new.superseded_by_id, new.passed) == (either_panel.by_ben, None, True)
    assert new.metadata == {"note": "again"}
    assert new.submitted_at is not None
    assert new.submitted_at.tzinfo is not None


def test_evaluations_come_latest_first_and_narrowed(either_panel: Panel) -> None:
    with either_panel.database.read() as c:
        found = access.evaluations(c, either_panel.head)
        assert [one.id for one in found] == [
            either_panel.by_ben_south,
            either_panel.by_judge,
            either_panel.by_ben,
        ]
        assert access.evaluations(c, either_panel.head, limit=2) == found[:2]
        by = access.evaluations(
            c, either_panel.head, evaluator_user_id=either_panel.mill.id, subject_id=either_panel.north
        )
        assert [one.id for one in by] == [either_panel.by_judge]
        assert access.evaluations(c, either_panel.head, status=EvaluationStatus.DRAFT) == ()
        assert access.evaluations(c, either_panel.head, version_id=either_panel.next_version) == ()


def test_scores_come_in_walk_order_groups_included(either_panel: Panel) -> None:
    with either_panel.database.read() as connection:
        found = access.scores(connection, either_panel.ben, either_panel.by_ben)
    assert [one.key for one in found] == ["quality", "clarity", "evidence"]
    assert found[1].scale_level_id == either_panel.meets
    assert found[1].normalized_score == 0.75


def test_answers_of_a_draft_leave_out_what_was_taken_back_unless_asked(either_panel: Panel) -> None:
    rows = either_panel.rows
    draft = rows.evaluation(either_panel.ann, either_panel.north, either_panel.version, cursor="evidence")
    evidence = [{"kind": "quote", "text": "ten days", "source": "text", "start": 3, "end": 11}]
    rows.score(draft, either_panel.criterion("clarity"), revision=4, rationale="Because", evidence=evidence)
    cleared = rows.score(draft, either_panel.criterion("evidence"), revision=5)
    with either_panel.database.read() as c:
        assert access.draft_cursor(c, either_panel.ann, draft) == "evidence"
        (only,) = access.draft_answers(c, either_panel.ann, draft)
        assert (only.revision, only.answer.rationale) == (4, "Because")
        assert only.answer.evidence[0].end == 11
        assert len(access.draft_answers(c, either_panel.ann, draft, include_empty=True)) == 2
    rows.change(EVALUATION_SCORE, cleared, is_flagged=True)
    with either_panel.database.read() as c:
        assert [one.is_flagged for one in access.draft_answers(c, either_panel.ann, draft)] == [False, True]


def test_past_answers_are_her_own_for_other_subjects_the_latest_first(either_panel: Panel) -> None:
    spring = either_panel.scored(either_panel.ben, either_panel.north, 0.5, version=either_panel.next_version)
    either_panel.begun(either_panel.ben, either_panel.rows.subject("west"))
    either_panel.scored(
        either_panel.ben, either_panel.south, 0.5, evaluator_type="AIPrompt", evaluator_name="Judge"
    )
    with either_panel.database.read() as c:
        found = access.past_answers(
            c, either_panel.ben, rubric_id=either_panel.rubric, criterion_key="clarity"
        )
        assert [one.subject_title for one in found] == ["West", "North", "South", "North"]
        assert [one.at for one in found] == sorted((one.at for one in found if one.at), reverse=True)
        assert found[0].status is EvaluationStatus.DRAFT
        assert found[0].answer.rationale == "On clarity."
        without = access.past_answers(
            c, either_panel.ben, rubric_id=either_panel.rubric, criterion_key="clarity", excluding=spring
        )
        assert [one.subject_title for one in without] == ["West", "South"]
        one = access.past_answers(
            c, either_panel.ben, rubric_id=either_panel.rubric, criterion_key="clarity", limit=1
        )
        assert one == found[:1]
        assert (
            access.past_answers(c, either_panel.cai, rubric_id=either_panel.rubric, criterion_key="clarity")
            == ()
        )


def test_the_blind_rule_holds_on_either_dialect(either_panel: Panel) -> None:
    panel = either_panel
    before = panel.all_that(panel.head)
    assert panel.by_ben in seen(before)
    with panel.rows.together():
        peers = panel.assign(panel.cai, panel.north)
        draft = panel.begun(panel.head, panel.north, context_id=panel.autumn)
    with panel.database.read() as connection:
        ids = panel.evaluation_ids(connection)
    blind = panel.all_that(panel.head, ids)
    assert seen(blind) == {panel.by_ben_south, draft}
    a_peer_works(panel)
    panel.end_assignment(peers, AssignmentStatus.DONE)
    assert panel.all_that(panel.head, ids) == blind
    panel.rows.submit(draft)
    after = panel.all_that(panel.head)
    assert {panel.by_ben, panel.by_judge} <= seen(after)
    assert after["cohort"][panel.cohorts().index(north(panel))] is not None
