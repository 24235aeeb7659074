"""Scoring as it happens: drafts begun and resumed, every answer saved, merged or refused."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec
import pytest
from engine_world import SUBJECT, World, answers

from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.model import Answer, Evidence, EvidenceKind, VersionSnapshot
from rubrictui.core.records import Context, ContextStatus, Draft, EvaluationStatus, EvaluatorType, Role
from rubrictui.engine import (
    DraftClosedError,
    DraftConflictError,
    Engine,
    NoPublishedVersionError,
    NotFoundError,
    NotPermittedError,
    StateError,
    SupersedeRefusedError,
)

change = msgspec.structs.replace
QUOTE = Evidence(kind=EvidenceKind.QUOTE, text="measured hourly", source="text", start=11, end=26)


@pytest.fixture
def rita(world: World, paper: VersionSnapshot) -> Engine:
    return world.user("rita")


@pytest.fixture
def draft(rita: Engine) -> Draft:
    return rita.open_draft(subject="Paper/tides", rubric="Paper review")


def stored(engine: Engine, draft: Draft) -> dict[str, Answer]:
    return {a.answer.criterion_id: a.answer for a in engine.draft(draft.evaluation.id).answers}


# -- beginning and resuming --------------------------------------------------------------------------


def test_a_draft_holds_all_that_a_form_needs(rita: Engine, draft: Draft, paper: VersionSnapshot) -> None:
    assert draft.version == paper
    assert draft.subject.text == SUBJECT.text
    assert draft.answers == ()
    header = draft.evaluation
    assert (header.status, header.version_number) == (EvaluationStatus.DRAFT, "1.0.0")
    assert header.subject_hash == draft.subject.content_hash
    assert header.evaluator_user_name == "rita"


def test_opening_the_same_work_again_resumes_it(rita: Engine, draft: Draft) -> None:
    rita.save_answer(draft.evaluation.id, answers(clarity="meets")[0], cursor="clarity")
    again = rita.open_draft(subject="s-tides", rubric="paper review")
    assert again.evaluation.id == draft.evaluation.id
    assert [a.answer.scale_level_id for a in again.answers] == ["meets"]
    assert again.cursor == "clarity"


def test_other_people_contexts_and_kinds_have_drafts_of_their_own(
    world: World, rita: Engine, draft: Draft
) -> None:
    world.chief.add_context(Context(record_id="spring", self_allowed=True))
    opened = [
        draft,
        world.user("paul").open_draft(subject="Paper/tides", rubric="Paper review"),
        rita.open_draft(subject="Paper/tides", rubric="Paper review", context="Round/spring"),
        rita.open_draft(subject="Paper/tides", rubric="Paper review", evaluator_type=EvaluatorType.SELF),
    ]
    assert len({d.evaluation.id for d in opened}) == 4


def test_a_context_brings_its_rubric_and_pins_its_version(
    world: World, rita: Engine, paper: VersionSnapshot
) -> None:
    world.chief.add_context(Context(record_id="spring", version_id=paper.id))
    world.chief.save_draft(change(world.chief.start_draft("Paper review"), pass_threshold=0.5))
    world.chief.publish("Paper review")
    assert rita.open_draft(subject="s-tides", context="Round/spring").evaluation.version_number == "1.0.0"
    assert rita.open_draft(subject="s-tides", rubric="Paper review").evaluation.version_number == "1.1.0"


def test_an_assignment_settles_everything_and_is_done_when_submitted(
    world: World, rita: Engine, paper: VersionSnapshot
) -> None:
    world.chief.add_context(Context(record_id="spring"))
    asked = world.chief.assign(
        subject="Paper/tides", rubric="Paper review", user="rita", context="Round/spring"
    )
    (row,) = rita.inbox()
    assert (row.state, row.assignment_id, row.total) == ("New", asked.id, 4)
    begun = rita.open_draft(assignment=asked.id)
    assert begun.context is not None
    assert begun.context.record_id == "spring"
    assert [r.state for r in rita.inbox()] == ["Draft"]
    rita.submit(begun.evaluation.id)
    assert [r.state for r in rita.inbox()] == ["Submitted"]
    assert rita.inbox(include_done=False) == ()
    assert [a.status.value for a in rita.assignments()] == ["Done"]
    with pytest.raises(StateError, match="Done"):
        rita.open_draft(assignment=asked.id)


def test_work_that_was_assigned_is_recognised_without_naming_the_assignment(
    world: World, rita: Engine, draft: Draft
) -> None:
    asked = world.chief.assign(subject="Paper/tides", rubric="Paper review", user="rita")
    resumed = rita.open_draft(subject="Paper/tides", rubric="Paper review")
    assert resumed.evaluation.id == draft.evaluation.id
    assert rita.submit(draft.evaluation.id).evaluation.assignment_id == asked.id
    assert rita.assignments()[0].status.value == "Done"


def test_a_self_assessment_does_not_do_what_a_reviewer_was_asked_for(world: World, rita: Engine) -> None:
    world.chief.assign(subject="Paper/tides", rubric="Paper review", user="rita")
    own = rita.open_draft(subject="Paper/tides", rubric="Paper review", evaluator_type=EvaluatorType.SELF)
    assert rita.submit(own.evaluation.id).evaluation.assignment_id is None
    assert rita.assignments()[0].status.value == "Open"


def test_somebody_elses_assignment_is_not_there(world: World, rita: Engine) -> None:
    asked = world.chief.assign(subject="Paper/tides", rubric="Paper review", user="rita")
    with pytest.raises(NotFoundError):
        world.user("paul").open_draft(assignment=asked.id)


def test_only_a_published_version_is_scored(world: World, rita: Engine, paper: VersionSnapshot) -> None:
    world.chief.create_rubric("Unready")
    with pytest.raises(NoPublishedVersionError):
        rita.open_draft(subject="Paper/tides", rubric="Unready")
    with pytest.raises(StateError, match="draft"):
        rita.open_draft(subject="Paper/tides", version="Unready@draft")
    world.chief.retire(paper.id)
    with pytest.raises(StateError, match="retired"):
        rita.open_draft(subject="Paper/tides", version=paper.id)


def test_a_closed_context_takes_nothing_new(world: World, rita: Engine) -> None:
    spring = world.chief.add_context(Context(record_id="spring", name="Spring round"))
    begun = rita.open_draft(subject="s-tides", rubric="Paper review", context=spring.id)
    world.chief.add_context(change(spring, status=ContextStatus.CLOSED))
    with pytest.raises(StateError, match="closed"):
        rita.submit(begun.evaluation.id)
    with pytest.raises(StateError, match="closed"):
        world.user("paul").open_draft(subject="s-tides", rubric="Paper review", context=spring.id)
    with pytest.raises(StateError, match="closed"):
        world.chief.assign(subject="s-tides", rubric="Paper review", user="paul", context=spring.id)


def test_a_context_takes_self_assessments_only_when_it_says_so(world: World, rita: Engine) -> None:
    spring = world.chief.add_context(Context(record_id="spring", name="Spring round"))
    work: dict[str, Any] = {"subject": "s-tides", "rubric": "Paper review", "context": spring.id}
    with pytest.raises(StateError, match="no self-assessments"):
        rita.open_draft(**work, evaluator_type=EvaluatorType.SELF)
    world.chief.add_context(change(spring, self_allowed=True))
    assert rita.open_draft(**work, evaluator_type=EvaluatorType.SELF).evaluation.id


def test_submitted_work_is_not_begun_again_but_superseded(world: World, rita: Engine, draft: Draft) -> None:
    rita.submit(draft.evaluation.id)
    with pytest.raises(StateError, match=r"submitted .* already"):
        rita.open_draft(subject="Paper/tides", rubric="Paper review")
    # A new major is another cohort.
    clone = world.chief.start_draft("Paper review")
    world.chief.save_draft(change(clone, nodes=clone.nodes[:1]))
    assert world.chief.publish("Paper review").number == "2.0.0"
    assert rita.open_draft(subject="Paper/tides", rubric="Paper review").version.number == "2.0.0"


def test_an_open_draft_of_another_version_is_finished_first(world: World, rita: Engine, draft: Draft) -> None:
    world.chief.save_draft(change(world.chief.start_draft("Paper review"), pass_threshold=0.5))
    new = world.chief.publish("Paper review")
    with pytest.raises(StateError, match=r"open draft of this .* 1\.0\.0"):
        rita.open_draft(subject="Paper/tides", version=new.id)
    assert rita.open_draft(subject="Paper/tides", rubric="Paper review").version.number == "1.0.0"


def test_a_subject_that_changed_shows_on_reopening_and_in_the_preview(
    world: World, rita: Engine, draft: Draft
) -> None:
    assert not rita.preview(draft.evaluation.id).subject_changed
    world.chief.add_subjects([change(SUBJECT, text="Another text.")])
    preview = rita.preview(draft.evaluation.id)
    assert preview.subject_changed
    assert any("changed" in warning for warning in preview.warnings)
    again = rita.open_draft(subject="Paper/tides", rubric="Paper review")
    assert again.evaluation.subject_hash != again.subject.content_hash
    assert not rita.preview(draft.evaluation.id).subject_changed
    submitted = rita.submit(draft.evaluation.id)
    assert submitted.evaluation.subject_hash == again.subject.content_hash


def test_an_evaluation_keeps_the_hash_of_the_subject_it_saw(world: World, rita: Engine, draft: Draft) -> None:
    world.chief.add_subjects([change(SUBJECT, text="Another text.")])
    submitted = rita.submit(draft.evaluation.id)
    assert submitted.evaluation.subject_hash == draft.subject.content_hash != submitted.subject.content_hash
    assert any("changed" in warning for warning in rita.evaluation(draft.evaluation.id).warnings)


# -- saving answers ----------------------------------------------------------------------------------


def test_every_answer_is_counted_and_comes_back_as_given(rita: Engine, draft: Draft) -> None:
    given = [
        Answer(criterion_id="n-argument", scale_level_id="partial", rationale="Half of it.", confidence=0.5),
        Answer(criterion_id="n-sources", scale_level_id="meets", evidence=(QUOTE,)),
        Answer(criterion_id="n-weeks", raw_value=3.0),
    ]
    receipts = [rita.save_answer(draft.evaluation.id, answer) for answer in given]
    assert [receipt.revision for receipt in receipts] == [1, 2, 3]
    assert list(stored(rita, draft).values()) == given
    assert rita.draft(draft.evaluation.id).evaluation.revision == 3


def test_a_saved_answer_is_in_the_file_before_the_call_returns(
    world: World, rita: Engine, draft: Draft
) -> None:
    rita.save_answer(draft.evaluation.id, answers(clarity="meets")[0])
    with sqlite3.connect(world.path) as other:
        found = other.execute("SELECT scale_level_id FROM evaluation_score").fetchall()
    assert found == [("meets",)]


UNFINISHED = {
    "a rationale alone": Answer(criterion_id="n-argument", rationale="Not sure yet."),
    "evidence alone": Answer(criterion_id="n-sources", evidence=(QUOTE,)),
    "not applicable without its rationale": Answer(criterion_id="n-argument", is_not_applicable=True),
    "a level without its evidence": Answer(criterion_id="n-sources", scale_level_id="miss"),
}


@pytest.mark.parametrize("what", UNFINISHED)
def test_an_unfinished_answer_is_kept(rita: Engine, draft: Draft, what: str) -> None:
    rita.save_answer(draft.evaluation.id, UNFINISHED[what])
    assert list(stored(rita, draft).values()) == [UNFINISHED[what]]


ILLEGAL = {
    "not_on_level": Answer(criterion_id="n-argument", scale_level_id="excellent"),
    "out_of_range": Answer(criterion_id="n-weeks", raw_value=11),
    "off_step": Answer(criterion_id="n-weeks", raw_value=2.5),
    "not_applicable_not_allowed": Answer(criterion_id="n-clarity", is_not_applicable=True),
}


@pytest.mark.parametrize("kind", ILLEGAL)
def test_an_illegal_answer_is_refused_with_its_reason_and_nothing_is_stored(
    rita: Engine, draft: Draft, kind: str
) -> None:
    before = Answer(criterion_id=ILLEGAL[kind].criterion_id, rationale="Kept.")
    rita.save_answer(draft.evaluation.id, before)
    with pytest.raises(ScoringError) as refused:
        rita.save_answer(draft.evaluation.id, ILLEGAL[kind])
    assert (refused.value.kind, refused.value.key) == (kind, before.criterion_id.removeprefix("n-"))
    assert list(stored(rita, draft).values()) == [before]
    assert rita.draft(draft.evaluation.id).evaluation.revision == 1


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (Answer(criterion_id="n-gone", scale_level_id="meets"), "n-gone"),
        (Answer(criterion_id="n-quality", scale_level_id="meets"), "is a group"),
        (Answer(criterion_id="n-clarity", scale_level_id="meets", raw_value=float("nan")), "value"),
        (Answer(criterion_id="n-clarity", scale_level_id="meets", confidence=1.5), "confidence"),
        (Answer(criterion_id="n-clarity", rationale="x" * 200_001), "too long"),
    ],
)
def test_what_is_no_answer_to_this_version_is_refused(
    rita: Engine, draft: Draft, answer: Answer, what: str
) -> None:
    with pytest.raises(InvalidInputError, match=what):
        rita.save_answer(draft.evaluation.id, answer)
    assert stored(rita, draft) == {}


def test_ids_are_stored_as_the_version_writes_them_and_idle_parts_dropped(rita: Engine, draft: Draft) -> None:
    rita.save_answer(draft.evaluation.id, Answer(criterion_id=" N-CLARITY ", scale_level_id="Meets"))
    rita.save_answer(
        draft.evaluation.id, Answer(criterion_id="n-argument", scale_level_id="meets", is_not_applicable=True)
    )
    rita.save_answer(draft.evaluation.id, Answer(criterion_id="n-weeks", raw_value=1, scale_level_id="meets"))
    assert stored(rita, draft) == {
        "n-argument": Answer(criterion_id="n-argument", is_not_applicable=True),
        "n-clarity": Answer(criterion_id="n-clarity", scale_level_id="meets"),
        "n-weeks": Answer(criterion_id="n-weeks", raw_value=1),
    }


def test_an_empty_answer_clears_and_a_flag_alone_stays(rita: Engine, draft: Draft) -> None:
    id = draft.evaluation.id
    rita.save_answer(id, answers(clarity="meets")[0], flagged=True)
    rita.save_answer(id, Answer(criterion_id="n-clarity"))
    (kept,) = rita.draft(id).answers
    assert (kept.answer.is_answered, kept.is_flagged) == (False, True)
    rita.save_answer(id, Answer(criterion_id="n-clarity"), flagged=False)
    assert rita.draft(id).answers == ()
    assert rita.inbox()[0].answered == 0


# -- two sessions ------------------------------------------------------------------------------------


def test_answers_to_different_criteria_merge_whatever_the_sessions_knew(
    world: World, rita: Engine, draft: Draft
) -> None:
    with world.engine("rita", as_user="rita") as other:
        rita.save_answer(draft.evaluation.id, answers(clarity="meets")[0], base_revision=0)
        other.save_answer(draft.evaluation.id, answers(argument="miss")[0], base_revision=0)
        assert stored(rita, draft).keys() == stored(other, draft).keys() == {"n-clarity", "n-argument"}


def test_the_same_criterion_answered_elsewhere_is_a_conflict_that_stores_nothing(
    rita: Engine, draft: Draft
) -> None:
    id = draft.evaluation.id
    rita.save_answer(id, answers(clarity="meets")[0], base_revision=0)
    with pytest.raises(DraftConflictError) as conflict:
        rita.save_answer(id, answers(clarity="miss")[0], base_revision=0)
    assert conflict.value.stored.answer.scale_level_id == "meets"
    assert conflict.value.stored.revision == conflict.value.revision == 1
    assert rita.draft(id).evaluation.revision == 1
    receipt = rita.save_answer(id, answers(clarity="miss")[0], base_revision=conflict.value.revision)
    assert receipt.revision == 2
    assert stored(rita, draft)["n-clarity"].scale_level_id == "miss"


def test_a_clearing_elsewhere_is_a_conflict_too(rita: Engine, draft: Draft) -> None:
    id = draft.evaluation.id
    rita.save_answer(id, answers(clarity="meets")[0])
    rita.save_answer(id, Answer(criterion_id="n-clarity"), base_revision=1)
    with pytest.raises(DraftConflictError) as conflict:
        rita.save_answer(id, answers(clarity="miss")[0], base_revision=1)
    assert not conflict.value.stored.answer.is_answered


def test_saving_again_what_is_stored_already_is_no_conflict(rita: Engine, draft: Draft) -> None:
    rita.save_answer(draft.evaluation.id, answers(clarity="meets")[0], base_revision=0)
    repeated = rita.save_answer(draft.evaluation.id, answers(clarity="meets")[0], base_revision=0)
    assert repeated.revision == rita.draft(draft.evaluation.id).evaluation.revision


# -- whose draft -------------------------------------------------------------------------------------


def test_only_its_reviewer_or_an_administrator_writes_a_draft(
    world: World, rita: Engine, draft: Draft
) -> None:
    id = draft.evaluation.id
    for role in (Role.REVIEWER, Role.CHAIR):
        peer = world.user(f"peer-{role.value}", role)
        for attempt in (
            lambda peer=peer: peer.save_answer(id, answers(clarity="meets")[0]),
            lambda peer=peer: peer.draft(id),
            lambda peer=peer: peer.preview(id),
            lambda peer=peer: peer.submit(id),
            lambda peer=peer: peer.save_cursor(id, "clarity"),
            lambda peer=peer: peer.decline_draft(id, "Not mine."),
        ):
            with pytest.raises(NotFoundError):
                attempt()
    developer = world.user("dev", Role.DEVELOPER)
    with pytest.raises(NotPermittedError, match="rita's"):
        developer.save_answer(id, answers(clarity="meets")[0])
    world.chief.save_answer(id, answers(clarity="meets")[0])
    assert stored(rita, draft).keys() == {"n-clarity"}


def test_a_submitted_evaluation_takes_no_more_answers(rita: Engine, draft: Draft) -> None:
    rita.submit(draft.evaluation.id)
    for attempt in (
        lambda: rita.save_answer(draft.evaluation.id, answers(clarity="meets")[0]),
        lambda: rita.save_cursor(draft.evaluation.id, "clarity"),
        lambda: rita.draft(draft.evaluation.id),
        lambda: rita.submit(draft.evaluation.id),
        lambda: rita.decline_draft(draft.evaluation.id, "Too late."),
    ):
        with pytest.raises(DraftClosedError, match="Submitted"):
            attempt()


def test_the_cursor_is_kept_without_a_new_revision(rita: Engine, draft: Draft) -> None:
    rita.save_cursor(draft.evaluation.id, "sources")
    rita.save_answer(draft.evaluation.id, answers(clarity="meets")[0])
    found = rita.draft(draft.evaluation.id)
    assert (found.cursor, found.evaluation.revision) == ("sources", 1)


# -- giving up ---------------------------------------------------------------------------------------


def test_a_declined_draft_is_withdrawn_with_its_reason_and_its_assignment(world: World, rita: Engine) -> None:
    asked = world.chief.assign(subject="Paper/tides", rubric="Paper review", user="rita")
    begun = rita.open_draft(assignment=asked.id)
    with pytest.raises(InvalidInputError, match="reason"):
        rita.decline_draft(begun.evaluation.id, "  ")
    given_up = rita.decline_draft(begun.evaluation.id, "The author is my brother.")
    assert (given_up.status, given_up.end_reason) == (
        EvaluationStatus.WITHDRAWN,
        "The author is my brother.",
    )
    assert [(a.status.value, a.reason) for a in rita.assignments()] == [
        ("Declined", "The author is my brother.")
    ]


def test_an_administrator_releases_a_draft(world: World, rita: Engine) -> None:
    asked = world.chief.assign(subject="Paper/tides", rubric="Paper review", user="rita")
    begun = rita.open_draft(assignment=asked.id)
    world.chief.decline_draft(begun.evaluation.id, "On leave.")
    assert [a.status.value for a in rita.assignments()] == ["Released"]
    assert rita.evaluation(begun.evaluation.id).evaluation.status is EvaluationStatus.WITHDRAWN


# -- superseding -------------------------------------------------------------------------------------


def test_superseding_starts_from_the_old_answers_and_replaces_on_submit(
    world: World, rita: Engine, draft: Draft
) -> None:
    id = draft.evaluation.id
    rita.save_answer(id, Answer(criterion_id="n-argument", scale_level_id="partial", rationale="Half."))
    rita.save_answer(id, Answer(criterion_id="n-sources", scale_level_id="meets", evidence=(QUOTE,)))
    rita.submit(id)
    world.chief.retire("Paper review@1.0.0")
    new = rita.start_superseding(id)
    assert new.evaluation.supersedes_id == id
    assert stored(rita, new) == {
        "n-argument": Answer(criterion_id="n-argument", scale_level_id="partial", rationale="Half."),
        "n-sources": Answer(criterion_id="n-sources", scale_level_id="meets", evidence=(QUOTE,)),
    }
    assert rita.start_superseding(id).evaluation.id == new.evaluation.id
    assert rita.evaluation(id).evaluation.status is EvaluationStatus.SUBMITTED
    rita.submit(new.evaluation.id)
    old = rita.evaluation(id).evaluation
    assert (old.status, old.superseded_by_id) == (EvaluationStatus.SUPERSEDED, new.evaluation.id)
    with pytest.raises(SupersedeRefusedError, match="Superseded"):
        rita.start_superseding(id)


def test_what_was_withdrawn_meanwhile_is_not_superseded(rita: Engine, draft: Draft) -> None:
    rita.submit(draft.evaluation.id)
    new = rita.start_superseding(draft.evaluation.id)
    rita.withdraw(draft.evaluation.id, "Wrong paper.")
    with pytest.raises(SupersedeRefusedError, match="Withdrawn"):
        rita.submit(new.evaluation.id)
    assert rita.draft(new.evaluation.id).evaluation.status is EvaluationStatus.DRAFT


def test_a_peers_evaluation_is_not_superseded(world: World, rita: Engine, draft: Draft) -> None:
    rita.submit(draft.evaluation.id)
    with pytest.raises(SupersedeRefusedError, match="another user's"):
        world.chief.start_superseding(draft.evaluation.id)
    with pytest.raises(NotFoundError):
        world.user("paul").start_superseding(draft.evaluation.id)
