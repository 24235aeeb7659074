"""Rounds: opened, changed, closed, reopened; whom they ask and what they hold; assigned evenly or by a list."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from engine_world import World, answers

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.records import AssignmentStatus, Context, Role, Subject
from rubrictui.core.rounds import Blinding, ListedAssignment, Naming, RoundRules
from rubrictui.engine import NameTakenError, NotFoundError, NotPermittedError, StateError
from rubrictui.engine.errors import AssignmentRefusedError

change = msgspec.structs.replace
SPRING = "Round/spring"
PEOPLE = ("ann", "ben", "cai")


@pytest.fixture
def panel(world: World, paper: VersionSnapshot) -> World:
    """A round of six papers and three reviewers, two reviews each, pinned to 1.0.0."""
    chief = world.chief
    chief.add_subjects([Subject(entity="Paper", record_id=f"p{n}", title=f"P{n}") for n in range(6)])
    for name in PEOPLE:
        chief.add_user(name)
    chief.open_round(
        "spring",
        rubric="Paper review",
        name="Spring",
        subjects=[f"Paper/p{n}" for n in range(6)],
        reviewers=PEOPLE,
        due_at=datetime(2027, 3, 1, 16, tzinfo=UTC),
        due_zone="Europe/Zurich",
        rules=RoundRules(reviews_per_subject=2),
    )
    return world


def submit(world: World, name: str, subject: str, level: str = "meets", context: str | None = SPRING) -> str:
    engine = world.user(name)
    draft = engine.open_draft(subject=subject, rubric="Paper review", context=context)
    for answer in answers(argument=level, clarity=level):
        engine.save_answer(draft.evaluation.id, change(answer, rationale="Because."))
    return engine.submit(draft.evaluation.id).evaluation.id


# -- opening, changing, closing ----------------------------------------------------------------------


def test_a_round_is_opened_whole_and_reads_back(panel: World, paper: VersionSnapshot) -> None:
    found = panel.user("ann").round(SPRING)
    assert (found.context.name, found.state, found.subject_count) == ("Spring", "Open", 6)
    assert (found.rubric_name, found.version_number) == ("Paper review", "1.0.0")
    assert found.context.due_zone == "Europe/Zurich"
    assert [user.name for user in found.reviewers] == list(PEOPLE)
    assert found.rules == RoundRules(reviews_per_subject=2)
    assert panel.chief.rounds() == (found,)
    assert [event.what for event in panel.chief.round_log(SPRING)] == ["opened"]


@pytest.mark.parametrize("ref", ["Spring", "spring", "SPRING", " Spring "])
def test_a_round_is_found_by_what_people_read_in_the_list(panel: World, ref: str) -> None:
    assert panel.chief.round(ref).context == panel.chief.round(SPRING).context
    assert panel.chief.round_overview(ref).round.context.name == "Spring"
    assert panel.chief.evaluations(context=ref) == ()


def test_a_name_that_several_rounds_have_is_answered_with_all_of_them(panel: World) -> None:
    for n in range(6):
        panel.chief.add_context(Context(entity="Term", record_id=f"t{n}", name="Spring"))
    with pytest.raises(InvalidInputError) as refused:
        panel.chief.round("Spring")
    assert str(refused.value) == (
        '"Spring" may be Round/spring or Term/t0 or Term/t1 or Term/t2 or Term/t3 and 2 more. '
        "Name one of them like that."
    )
    assert panel.chief.round("Term/t1").context.record_id == "t1"
    with pytest.raises(NotFoundError, match='no context "Autumn"'):
        panel.chief.round("Autumn")


def test_a_pinned_round_stays_at_its_version_and_another_takes_the_latest(panel: World) -> None:
    panel.chief.open_round("later", rubric="Paper review", pin=False)
    panel.chief.start_draft("Paper review")
    panel.republish(pass_threshold=0.5)
    begin = panel.user("ann").open_draft
    pinned = begin(subject="Paper/p0", rubric="Paper review", context=SPRING)
    assert pinned.version.number == "1.0.0"
    assert begin(subject="Paper/p0", rubric="Paper review", context="Round/later").version.number == "1.1.0"


def test_what_is_not_named_stays_when_a_round_is_changed(panel: World) -> None:
    panel.chief.assign(subject="Paper/p0", rubric="Paper review", user="ann", context=SPRING)
    later = datetime(2027, 4, 1, tzinfo=UTC)
    rules = RoundRules(naming=Naming.NAMED, disagreement_threshold=0.5, hidden_fields=("author", "author"))
    found = panel.chief.change_round(SPRING, due_at=later, rules=rules)
    assert (found.context.name, found.context.due_at, found.context.due_zone) == ("Spring", later, None)
    assert found.rules == change(rules, hidden_fields=("author",))
    assert panel.chief.assignments(context=SPRING)[0].due_at == later
    assert panel.chief.round_log(SPRING)[-1].what == "changed"


def test_a_closed_round_takes_nothing_until_it_is_reopened_with_a_reason(panel: World) -> None:
    assert panel.chief.close_round(SPRING, "All in.").state == "Closed"
    with pytest.raises(StateError, match="closed"):
        submit(panel, "ann", "Paper/p0")
    with pytest.raises(StateError, match="closed already"):
        panel.chief.close_round(SPRING)
    with pytest.raises(InvalidInputError, match="reason"):
        panel.chief.reopen_round(SPRING, " ")
    assert panel.chief.reopen_round(SPRING, "One is late.").state == "Reopened"
    submit(panel, "ann", "Paper/p0")
    with pytest.raises(StateError, match="is open"):
        panel.chief.reopen_round(SPRING, "Again.")
    assert [event.what for event in panel.chief.round_log(SPRING)] == ["opened", "closed", "reopened"]


def test_closing_leaves_open_work_or_releases_it(panel: World) -> None:
    panel.chief.assign_balanced(SPRING)
    panel.chief.close_round(SPRING)
    assert {one.status for one in panel.chief.assignments(context=SPRING)} == {AssignmentStatus.OPEN}
    panel.chief.reopen_round(SPRING, "To end it.")
    panel.chief.close_round(SPRING, "Cancelled.", release=True)
    found = panel.chief.assignments(context=SPRING)
    assert {(one.status, one.reason, one.ended_by) for one in found} == {
        (AssignmentStatus.RELEASED, "Cancelled.", "chief")
    }


def test_blinding_grows_stricter_while_a_round_is_open_and_looser_once_it_is_closed(panel: World) -> None:
    strict = RoundRules(blinding=Blinding.UNTIL_CLOSED)
    panel.chief.change_round(SPRING, rules=strict)
    with pytest.raises(StateError, match="cannot go from until_closed to standard while it is open"):
        panel.chief.change_round(SPRING, rules=RoundRules())
    panel.chief.close_round(SPRING)
    assert panel.chief.change_round(SPRING, rules=RoundRules()).rules == RoundRules()


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        ({"disagreement_threshold": 1.5}, "threshold is 1.5"),
        ({"reviews_per_subject": 0}, "cannot have 0 reviews"),
        ({"hidden_fields": ("title",)}, '"title" cannot be hidden'),
        ({"hidden_fields": ("author..name",)}, "cannot be hidden"),
    ],
)
def test_rules_that_make_no_sense_are_refused(panel: World, rules: dict[str, Any], what: str) -> None:
    with pytest.raises(InvalidInputError, match=what):
        panel.chief.open_round("other", rubric="Paper review", rules=RoundRules(**rules))
    with pytest.raises(NotFoundError):
        panel.chief.round("Round/other")


def test_rounds_are_a_chairs(panel: World) -> None:
    ann, chair = panel.user("ann"), panel.user("cho", Role.CHAIR)
    for refused in (
        lambda: ann.open_round("x", rubric="Paper review"),
        lambda: ann.change_round(SPRING, name="Mine"),
        lambda: ann.close_round(SPRING),
        lambda: ann.add_reviewers(SPRING, ["ann"]),
        lambda: ann.remove_reviewer(SPRING, "ben", "No."),
        lambda: ann.assign_balanced(SPRING),
        lambda: ann.assign_listed(SPRING, ()),
        lambda: ann.declare_conflict("Paper/p0", "Kin.", user="ben"),
        lambda: ann.withdraw_conflict("Paper/p0", user="ben"),
        lambda: ann.release_from_round(SPRING, "No.", reviewer="ben"),
        lambda: ann.round_log(SPRING),
    ):
        with pytest.raises(NotPermittedError):
            refused()
    assert chair.close_round(SPRING).state == "Closed"
    with pytest.raises(NameTakenError):
        chair.open_round("spring", rubric="Paper review")


def test_reviewers_do_not_get_the_fields_that_a_round_hides(panel: World) -> None:
    data = {"author": {"name": "Ada", "country": "CH"}, "pages": 3}
    panel.chief.add_subjects([Subject(entity="Paper", record_id="p0", title="P0", data=data)])
    panel.chief.change_round(SPRING, rules=RoundRules(hidden_fields=("author.name", "no.such")))
    shown = {"author": {"country": "CH"}, "pages": 3}
    ann = panel.user("ann")
    draft = ann.open_draft(subject="Paper/p0", rubric="Paper review", context=SPRING)
    assert draft.subject.data == ann.subject("Paper/p0").data == shown
    assert [one.data for one in ann.subjects(search="P0")] == [shown]
    assert draft.evaluation.subject_hash == draft.subject.content_hash
    done = ann.submit(submit_ready(panel, draft.evaluation.id))
    assert (done.subject.data, done.warnings) == (shown, ())
    assert panel.chief.subject("Paper/p0").data == data


def submit_ready(world: World, evaluation: str) -> str:
    for answer in answers(argument="meets", clarity="meets"):
        world.user("ann").save_answer(evaluation, change(answer, rationale="Because."))
    return evaluation


# -- people ------------------------------------------------------------------------------------------


def test_a_reviewer_who_is_taken_off_the_list_is_released_and_keeps_what_she_submitted(panel: World) -> None:
    panel.chief.assign_balanced(SPRING)
    work = panel.user("ann").assignments(context=SPRING)
    subject = next(s for s in panel.chief.subjects(context=SPRING) if s.id == work[0].subject_id)
    done = submit(panel, "ann", f"Paper/{subject.record_id}")
    found = panel.chief.remove_reviewer(SPRING, "ann", "Moved away.")
    assert [user.name for user in found.reviewers] == ["ben", "cai"]
    mine = Counter(one.status for one in panel.user("ann").assignments(context=SPRING))
    assert mine == {AssignmentStatus.DONE: 1, AssignmentStatus.RELEASED: 3}
    assert panel.chief.evaluation(done).evaluation.status == "Submitted"
    with pytest.raises(NotFoundError, match="ann is no reviewer"):
        panel.chief.remove_reviewer(SPRING, "ann", "Again.")


def test_nobody_leaves_the_list_of_a_stricter_round_to_look_at_it(panel: World) -> None:
    panel.chief.add_reviewers(SPRING, ["chief"])
    panel.chief.change_round(SPRING, rules=RoundRules(blinding=Blinding.UNTIL_CLOSED))
    with pytest.raises(NotPermittedError, match="nobody takes herself off"):
        panel.chief.remove_reviewer(SPRING, "chief", "I would like to see.")


def test_a_conflict_of_interest_bars_every_way_to_assign(panel: World) -> None:
    declared = panel.user("ann").declare_conflict("Paper/p0", "A co-author.")
    assert (declared.user_name, declared.subject_title, declared.reason) == ("ann", "P0", "A co-author.")
    panel.chief.declare_conflict("Paper/p1", "Same group.", user="ben")
    assert [one.user_name for one in panel.chief.conflicts(context=SPRING)] == ["ann", "ben"]
    assert [one.user_name for one in panel.user("ben").conflicts()] == ["ben"]
    with pytest.raises(StateError, match="conflict of interest"):
        panel.chief.assign(subject="Paper/p0", rubric="Paper review", user="ann", context=SPRING)
    made = panel.chief.assign_balanced(SPRING).made
    ann = panel.user("ann").user.id
    p0 = panel.chief.subject("Paper/p0").id
    assert not [one for one in made if (one.user_id, one.subject_id) == (ann, p0)]
    panel.chief.withdraw_conflict("Paper/p0", user="ann")
    panel.chief.assign(subject="Paper/p0", rubric="Paper review", user="ann", context=SPRING)
    with pytest.raises(NotFoundError, match="no conflict"):
        panel.chief.withdraw_conflict("Paper/p0", user="ann")


# -- assigning ---------------------------------------------------------------------------------------


def test_a_balanced_assignment_is_even_reproducible_and_completes_what_is_there(panel: World) -> None:
    made = panel.chief.assign_balanced(SPRING, seed=3).made
    assert sorted(Counter(one.user_id for one in made).values()) == [4, 4, 4]
    assert set(Counter(one.subject_id for one in made).values()) == {2}
    assert panel.chief.assign_balanced(SPRING, seed=3).made == ()
    again = panel.chief.assign_balanced(SPRING, per_subject=3, seed=3).made
    assert len(again) == 6
    assert {row.subject_record_id for row in panel.user("ann").inbox()} == {f"p{n}" for n in range(6)}


def test_who_declined_or_was_released_is_not_asked_again(panel: World) -> None:
    panel.chief.assign_balanced(SPRING)
    first = panel.user("ann").assignments(context=SPRING)[0]
    panel.user("ann").decline(first.id, "No time.")
    (new,) = panel.chief.assign_balanced(SPRING).made
    assert new.subject_id == first.subject_id
    assert new.user_id != first.user_id
    with pytest.raises(AssignmentRefusedError, match=r"can have 2 of 3 \(declined or released: ann\)"):
        panel.chief.assign_balanced(SPRING, per_subject=3)


def test_what_cannot_be_covered_is_refused_with_every_reason_or_done_partly(panel: World) -> None:
    for name in ("ann", "ben"):
        panel.chief.declare_conflict("Paper/p4", "Kin.", user=name)
    with pytest.raises(AssignmentRefusedError) as refused:
        panel.chief.assign_balanced(SPRING, per_subject=2)
    assert [one.message for one in refused.value.problems] == [
        "Paper/p4 can have 1 of 2 (conflict of interest: ann, ben)."
    ]
    assert panel.chief.assignments(context=SPRING) == ()
    plan = panel.chief.assign_balanced(SPRING, per_subject=2, partly=True)
    assert (len(plan.made), len(plan.uncovered)) == (11, 1)
    panel.chief.open_round("none", rubric="Paper review", subjects=["Paper/p1"], reviewers=["ann"])
    with pytest.raises(InvalidInputError, match="How many"):
        panel.chief.assign_balanced("Round/none")


def listed(*pairs: tuple[str, str]) -> tuple[ListedAssignment, ...]:
    return tuple(
        ListedAssignment(subject=subject, reviewer=reviewer, source="who.csv", row=row)
        for row, (subject, reviewer) in enumerate(pairs, 2)
    )


def test_a_list_is_assigned_whole_and_again_without_effect(panel: World) -> None:
    panel.chief.add_user("dee")
    rows = listed(("Paper/p0", "ann"), ("Paper/p1", "dee"))
    plan = panel.chief.assign_listed(SPRING, rows)
    assert (len(plan.made), plan.kept) == (2, ())
    assert "dee" in [user.name for user in panel.chief.round(SPRING).reviewers]
    submit(panel, "ann", "Paper/p0")
    again = panel.chief.assign_listed(SPRING, rows)
    assert (again.made, len(again.kept)) == ((), 1)


def test_a_list_that_is_wrong_anywhere_assigns_nothing_and_names_every_place(panel: World) -> None:
    panel.chief.declare_conflict("Paper/p2", "Kin.", user="ann")
    rows = listed(("Paper/p0", "ann"), ("Paper/nix", "who"), ("Paper/p2", "ann"))
    with pytest.raises(AssignmentRefusedError) as refused:
        panel.chief.assign_listed(SPRING, rows)
    assert [(one.code, one.row, one.column) for one in refused.value.problems] == [
        ("unknown_subject", 3, 1),
        ("unknown_reviewer", 3, 2),
        ("conflict", 4, 2),
    ]
    assert panel.chief.assignments(context=SPRING) == ()


def test_work_is_released_by_reviewer_or_subject_with_a_reason(panel: World) -> None:
    panel.chief.assign_balanced(SPRING)
    ended = panel.chief.release_from_round(SPRING, "Ill.", reviewer="ann")
    assert len(ended) == 4
    assert len(panel.chief.release_from_round(SPRING, "Withdrawn.", subject="Paper/p0")) >= 1
    with pytest.raises(NotFoundError, match="No open assignment"):
        panel.chief.release_from_round(SPRING, "Again.", reviewer="ann")
    with pytest.raises(InvalidInputError, match="Whom"):
        panel.chief.release_from_round(SPRING, "Everything.")


# -- where a round stands ----------------------------------------------------------------------------


def test_the_overview_counts_who_is_where_and_finds_what_lies_apart(panel: World) -> None:
    chief = panel.chief
    for name in ("ann", "ben"):
        for n in (0, 1):
            chief.assign(subject=f"Paper/p{n}", rubric="Paper review", user=name, context=SPRING)
    submit(panel, "ann", "Paper/p0", "meets")
    submit(panel, "ben", "Paper/p0", "miss")
    panel.user("ann").open_draft(subject="Paper/p1", rubric="Paper review", context=SPRING)
    panel.user("ben").decline(
        next(a.id for a in panel.user("ben").assignments(context=SPRING) if a.status == "Open"), "No time."
    )
    found = chief.round_overview(SPRING)
    ann, ben, cai = found.reviewers
    assert (ann.assigned, ann.begun, ann.submitted, ann.declined, ann.overdue) == (2, 1, 1, 0, 0)
    assert (ben.assigned, ben.begun, ben.submitted, ben.declined) == (1, 0, 1, 1)
    assert (cai.user_name, cai.assigned) == ("cai", 0)
    first, second = found.subjects[:2]
    assert (first.assigned, first.done, first.count, first.wanted) == (2, 2, 2, 2)
    assert (first.mean, first.lowest, first.highest, first.spread) == (0.5, 0.0, 1.0, 1.0)
    assert (second.assigned, second.done, second.mean) == (1, 0, None)
    assert found.disagreements == (first.subject_id,)
    assert found.hidden == 0


def test_what_is_past_its_due_instant_is_overdue(panel: World) -> None:
    panel.chief.assign_balanced(SPRING)
    panel.chief.change_round(SPRING, due_at=datetime(2026, 12, 1, tzinfo=UTC))
    assert sum(one.overdue for one in panel.chief.round_overview(SPRING).reviewers) == 12
    assert panel.clock() - datetime(2026, 12, 1, tzinfo=UTC) > timedelta(days=1)


def test_a_reviewer_sees_her_own_line_and_subjects_without_figures(panel: World) -> None:
    panel.chief.assign(subject="Paper/p0", rubric="Paper review", user="ann", context=SPRING)
    panel.chief.assign(subject="Paper/p1", rubric="Paper review", user="ben", context=SPRING)
    submit(panel, "ann", "Paper/p0")
    found = panel.user("ann").round_overview(SPRING)
    assert [one.user_name for one in found.reviewers] == ["ann"]
    assert [(one.record_id, one.assigned, one.done, one.mean) for one in found.subjects] == [
        ("p0", 1, 1, None)
    ]


# -- tables ------------------------------------------------------------------------------------------


def test_the_matrix_of_a_subject_holds_what_was_submitted_whatever_became_of_it(panel: World) -> None:
    first = submit(panel, "ann", "Paper/p0", "miss")
    again = panel.user("ann").start_superseding(first)
    better = panel.user("ann").submit(again.evaluation.id).evaluation.id
    gone = submit(panel, "ben", "Paper/p0")
    panel.user("ben").withdraw(gone, "Wrong paper.")
    panel.user("cai").open_draft(subject="Paper/p0", rubric="Paper review", context=SPRING)
    table = panel.chief.matrix_table(subject="Paper/p0", context=SPRING)
    assert [(one.id, one.status.value, one.counts) for one in table.evaluations] == [
        (better, "Submitted", True),
        (first, "Superseded", False),
        (gone, "Withdrawn", False),
    ]
    assert table.evaluations[1].superseded_by_id == better
    assert table.criteria == ("argument", "sources", "clarity", "weeks")
    cell = table.evaluations[0].scores["argument"]
    assert (cell.scale_level_id, cell.normalized_score, cell.has_rationale, cell.rationale) == (
        "miss",
        0.0,
        True,
        None,
    )
    told = panel.chief.matrix_table(subject="Paper/p0", context=SPRING, with_texts=True)
    assert told.evaluations[0].scores["argument"].rationale == "Because."
    assert table.cohort is None  # who reads all has the figures in the rows


def test_a_reviewer_gets_her_own_column_and_the_aggregates(panel: World) -> None:
    submit(panel, "ben", "Paper/p0", "miss")
    before = panel.user("ann").matrix_table(subject="Paper/p0", context=SPRING)
    assert (before.evaluations, before.cohort) == ((), None)
    own = submit(panel, "ann", "Paper/p0")
    after = panel.user("ann").matrix_table(subject="Paper/p0", context=SPRING)
    assert [one.id for one in after.evaluations] == [own]
    assert after.cohort is not None
    assert (after.cohort.count, after.cohort.mean) == (2, 0.5)


def test_a_round_table_leaves_out_what_the_viewer_is_blind_on(panel: World) -> None:
    for n in (0, 1):
        submit(panel, "ann", f"Paper/p{n}")
        submit(panel, "chief", f"Paper/p{n}", "miss")
    panel.chief.open_draft(subject="Paper/p1", rubric="Paper review", context=None)
    table = panel.chief.round_table(SPRING)
    assert [one.record_id for one in table.subjects] == ["p0", "p2", "p3", "p4", "p5"]
    assert [(one.record_id, one.is_blind) for one in table.hidden] == [("p1", True)]
    p0 = table.subjects[0].id
    assert {one.subject_id for one in table.evaluations} == {p0}
    assert len(table.of_subject(p0)) == 2
    assert table.threshold == 0.25


def test_a_table_needs_a_rubric_and_takes_another_major_when_asked(panel: World) -> None:
    submit(panel, "ann", "Paper/p0", context=None)
    with pytest.raises(InvalidInputError, match="No rubric"):
        panel.chief.matrix_table(subject="Paper/p0")
    assert len(panel.chief.matrix_table(subject="Paper/p0", rubric="Paper review").evaluations) == 1
    with pytest.raises(NotFoundError, match="no version 4"):
        panel.chief.matrix_table(subject="Paper/p0", rubric="Paper review", major=4)
