"""Documents into the store, through the publish and submit path; twice is once."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from engine_world import MEETS, NODES, SUBJECT, WEEKS, World

from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.model import Answer, Bump, VersionSnapshot, VersionStatus
from rubrictui.core.records import Context, EvaluationStatus, EvaluatorType, Role, User
from rubrictui.engine import (
    Engine,
    LoadReport,
    NotFoundError,
    NotPermittedError,
    StateError,
    SubmitRefusedError,
)
from rubrictui.engine.loading import load_documents
from rubrictui.interchange.documents import (
    AnswerEntry,
    AssignmentEntry,
    ContextEntry,
    Document,
    EvaluationEntry,
    Publication,
    RubricFile,
    ScaleFile,
    SubjectsFile,
)

change = msgspec.structs.replace
SNAPSHOT = VersionSnapshot(
    id="v-1", rubric_id="r-1", rubric_name="Paper review", nodes=NODES, scales=(MEETS, WEEKS)
)
RUBRIC = RubricFile(id="r-1", name="Paper review", category="Research", snapshot=SNAPSHOT)
CLEAR = AnswerEntry(criterion="clarity", level="Meets")
WORK = {"subject": "Paper/tides", "rubric": "Paper review"}
EVALUATIONS = (
    EvaluationEntry(id="e-1", **WORK, user="ann", context="Round/spring", answers=(CLEAR,)),
    EvaluationEntry(id="e-2", **WORK, user="bob", status=EvaluationStatus.DRAFT, answers=(CLEAR,)),
    EvaluationEntry(
        id="e-3", **WORK, user="ann", status=EvaluationStatus.WITHDRAWN, reason="Conflict.", answers=(CLEAR,)
    ),
    EvaluationEntry(id="e-4", **WORK, user="ann", answers=(CLEAR,)),
    EvaluationEntry(id="e-5", **WORK, user="ann", supersedes="e-4", answers=()),
    EvaluationEntry(
        id="e-6",
        **WORK,
        user="@me",
        evaluator_type=EvaluatorType.AI_PROMPT,
        evaluator_name="judge",
        metadata={"model": "m"},
        answers=(AnswerEntry(criterion="weeks", value=2.0), CLEAR),
    ),
)
SUBJECTS = SubjectsFile(
    users=(User(id="u-ann", name="ann", display_name="Ann A."),),
    contexts=(ContextEntry(context=Context(id="c-1", record_id="spring"), rubric="Paper review"),),
    subjects=(SUBJECT,),
    assignments=(AssignmentEntry(id="a-1", **WORK, user="@me", context="Round/spring"),),
    evaluations=EVALUATIONS,
)
PUBLICATION = Publication(rubric="Paper review", version_id="v-1", summary="First.")
# Not in the order of what needs what.
DOCUMENTS: tuple[Document, ...] = (
    SUBJECTS,
    PUBLICATION,
    RUBRIC,
    ScaleFile(scale=MEETS),
    ScaleFile(scale=WEEKS),
)
WHOLE = LoadReport(
    scales=2, rubrics=1, published=1, users=2, contexts=1, subjects=1, assignments=1, evaluations=6
)


def test_documents_in_any_order_are_published_and_submitted_with_their_own_ids(world: World) -> None:
    assert world.chief.load_documents(DOCUMENTS) == WHOLE
    version = world.chief.version("Paper review")
    assert (version.id, version.rubric_id, version.number) == ("v-1", "r-1", "1.0.0")
    assert [n.id for n in version.nodes] == [n.id for n in NODES]
    ann, bob = world.user("ann"), world.user("bob")
    assert ann.user.id == "u-ann"
    assert {e.id: e.status.value for e in ann.evaluations()} == {
        "e-1": "Submitted",
        "e-3": "Withdrawn",
        "e-4": "Superseded",
        "e-5": "Submitted",
    }
    assert ann.evaluation("e-1").evaluation.normalized_score == 1.0
    assert bob.user.roles == (Role.REVIEWER,)
    assert [a.answer for a in bob.draft("e-2").answers] == [
        Answer(criterion_id="n-clarity", scale_level_id="meets")
    ]
    assert [row.assignment_id for row in world.chief.inbox()] == ["a-1"]
    # Her own judge's answers are hidden from her until her assignment has ended.
    world.chief.decline("a-1", "Only here to look.")
    assert world.chief.evaluation("e-6").evaluation.metadata == {"model": "m"}


def test_loading_twice_is_loading_once(world: World) -> None:
    world.chief.load_documents(DOCUMENTS)
    before = sorted(world.chief.info().counts.items())
    again = load_documents(world.chief, DOCUMENTS)
    assert again == LoadReport()
    assert not again.changed
    assert sorted(world.chief.info().counts.items()) == before


def test_what_was_worked_on_since_is_left_alone(world: World) -> None:
    world.chief.load_documents(DOCUMENTS)
    world.chief.add_subjects([change(SUBJECT, text="Corrected.")])
    begun = world.chief.open_draft(assignment="a-1").evaluation.id
    world.chief.submit(begun)
    world.chief.load_documents(DOCUMENTS)
    assert world.chief.subject("Paper/tides").text == "Corrected."
    assert [row.state for row in world.chief.inbox()] == ["Submitted"]


def test_a_load_that_was_cut_short_goes_on_where_it_stopped(world: World) -> None:
    missing = change(EVALUATIONS[1], id="e-7", subject="Paper/none")
    broken = change(SUBJECTS, evaluations=(EVALUATIONS[0], missing, *EVALUATIONS[1:]))
    with pytest.raises(NotFoundError, match="Paper/none"):
        world.chief.load_documents((*DOCUMENTS[1:], broken))
    assert world.chief.load_documents(DOCUMENTS) == LoadReport(evaluations=5)


def test_without_publishing_rubrics_stay_drafts(world: World) -> None:
    report = world.chief.load_documents([RUBRIC, PUBLICATION], publish=False)
    assert report == LoadReport(rubrics=1)
    assert world.chief.version("v-1").status is VersionStatus.DRAFT
    assert world.chief.load_documents([PUBLICATION]) == LoadReport(published=1)


def test_a_file_with_a_new_version_id_is_the_next_version_of_its_rubric(world: World) -> None:
    world.chief.load_documents([RUBRIC, PUBLICATION])
    second = change(RUBRIC, snapshot=change(SNAPSHOT, id="v-2", pass_threshold=0.6))
    third = change(RUBRIC, snapshot=change(SNAPSHOT, id="v-3", pass_threshold=0.7))
    published = Publication(rubric="Paper review", version_id="v-2", bump=Bump.MAJOR)
    world.chief.load_documents([RUBRIC, PUBLICATION, second, published, third])
    numbers = {v.id: v.number for v in world.chief.rubric("Paper review").versions}
    assert numbers == {"v-1": "1.0.0", "v-2": "2.0.0", "v-3": None}
    with pytest.raises(StateError, match="another draft"):
        world.chief.load_documents([change(RUBRIC, snapshot=change(SNAPSHOT, id="v-4"))])


def test_a_publication_of_nothing_is_refused(world: World) -> None:
    with pytest.raises(NotFoundError, match="not in the store"):
        world.chief.load_documents([PUBLICATION])


BAD = {
    "an unknown criterion": (AnswerEntry(criterion="gone", level="Meets"), InvalidInputError),
    "an unknown level": (AnswerEntry(criterion="clarity", level="Great"), InvalidInputError),
    "a missing rationale": (AnswerEntry(criterion="argument", level="Meets"), SubmitRefusedError),
    "a forbidden n/a": (AnswerEntry(criterion="clarity", not_applicable=True), SubmitRefusedError),
}


@pytest.mark.parametrize("what", BAD)
def test_a_file_submits_nothing_that_a_reviewer_could_not(world: World, what: str) -> None:
    answer, error = BAD[what]
    world.chief.load_documents((*DOCUMENTS[1:], change(SUBJECTS, evaluations=())))
    entry = EvaluationEntry(id="e-9", **WORK, user="ann", answers=(answer,))
    with pytest.raises(error):
        world.chief.load_documents([SubjectsFile(evaluations=(entry,))])
    assert world.user("ann").evaluations() == ()


def test_a_draft_in_a_file_takes_only_legal_answers(world: World) -> None:
    world.chief.load_documents((*DOCUMENTS[1:], change(SUBJECTS, evaluations=())))
    entry = EvaluationEntry(
        id="e-9",
        **WORK,
        user="ann",
        status=EvaluationStatus.DRAFT,
        answers=(AnswerEntry(criterion="weeks", value=99.0),),
    )
    with pytest.raises(ScoringError):
        world.chief.load_documents([SubjectsFile(evaluations=(entry,))])
    assert world.user("ann").evaluations() == ()


def test_loading_takes_the_roles_of_what_is_loaded(world: World) -> None:
    author, chair = world.user("ada", Role.AUTHOR), world.user("cho", Role.CHAIR)
    plain = world.user("rita")
    with pytest.raises(NotPermittedError, match="author"):
        chair.load_documents([RUBRIC])
    author.load_documents([RUBRIC, PUBLICATION])
    with pytest.raises(NotPermittedError, match="open or change a round"):
        author.load_documents([change(SUBJECTS, users=(), evaluations=())])
    chair.load_documents([change(SUBJECTS, evaluations=())])
    with pytest.raises(NotPermittedError, match="load the evaluations of others"):
        plain.load_documents([SubjectsFile(evaluations=(change(EVALUATIONS[0]),))])
    assert plain.load_documents([SubjectsFile(evaluations=(change(EVALUATIONS[0], user="@me"),))]).evaluations


def test_the_samples_load_into_an_empty_store_and_leave_work_to_do(world: World) -> None:
    report = world.chief.load_samples()
    assert report.rubrics >= 14
    assert report.published >= 8
    new = [row for row in world.chief.inbox() if row.state == "New"]
    assert len(new) >= 2
    draft = world.chief.open_draft(assignment=new[0].assignment_id)
    assert draft.subject.text
    assert not world.chief.load_samples().changed


def test_the_samples_can_be_laid_out_for_another_user(world: World) -> None:
    rita: Engine = world.user("rita")
    world.chief.load_samples(for_user="rita")
    assert world.chief.inbox() == ()
    assert rita.inbox() != ()


@pytest.mark.parametrize("step", range(14))
def test_of_two_who_load_the_same_files_at_once_both_are_done(
    world: World, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """The other one loads everything between what this one looked up and its write number ``step``."""
    assignment = AssignmentEntry(id="a-1", **WORK, user="ann", context="Round/spring")
    subjects = change(SUBJECTS, assignments=(assignment,), evaluations=EVALUATIONS[:5])
    documents = (subjects, *DOCUMENTS[1:])
    slow = world.engine("chief")
    write, passed = slow._write, 0

    def late_write() -> Any:
        nonlocal passed
        passed += 1
        if passed - 1 == step:
            assert world.chief.load_documents(documents).changed
        return write()

    monkeypatch.setattr(slow, "_write", late_write)
    slow.load_documents(documents)
    assert passed > step or step > 8
    assert not world.chief.load_documents(documents).changed
    assert world.chief.info().counts["evaluations"] == 5
    assert len(world.chief.rubric("Paper review").versions) == 1
