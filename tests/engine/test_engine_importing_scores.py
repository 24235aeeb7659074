"""Scores from elsewhere in the store: computed by the core, all or none, twice the same as once."""

from __future__ import annotations

import pytest
from engine_world import World, answers

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.records import Context, EvaluationStatus, EvaluatorType, Role, Subject
from rubrictui.engine import Engine, NotFoundError, StateError
from rubrictui.engine.errors import ScoresRefusedError
from rubrictui.engine.importing_scores import ScoresReport
from rubrictui.interchange.scores_in import ScoreOptions, read_scores

HEADER = "subject,argument,argument.rationale,sources,sources.evidence,clarity\n"
GOOD = HEADER + "Paper/tides,Meets,Clear.,Partial,The gauges agree,Meets\n"


def take(
    engine: Engine,
    text: str,
    version: VersionSnapshot,
    *,
    kind: EvaluatorType = EvaluatorType.EXTERNAL,
    name: str | None = "panel-x",
    options: ScoreOptions | None = None,
    **more: object,
) -> ScoresReport:
    read = read_scores(text.encode(), "/some/where/in.csv", version, options)
    return engine.import_scores(read, version=version.id, evaluator_type=kind, evaluator_name=name, **more)


def test_an_import_is_scored_by_the_core_and_keeps_where_it_came_from(
    world: World, paper: VersionSnapshot
) -> None:
    report = take(world.chief, GOOD, paper)
    (one,) = report.scores
    assert (one.status, one.score, one.unanswered) == ("new", 0.875, ("weeks",))
    assert one.evaluation_id is not None
    detail = world.chief.evaluation(one.evaluation_id)
    found = detail.evaluation
    assert (found.status, found.evaluator_type, found.evaluator_name) == (
        EvaluationStatus.SUBMITTED, EvaluatorType.EXTERNAL, "panel-x"
    )  # fmt: skip
    assert found.metadata is not None
    source = found.metadata["Source"]
    assert (source["File"], source["Row"], len(source["SHA256"])) == ("in.csv", 2, 64)
    said = {score.key: score for score in detail.scores}
    assert (said["argument"].rationale, said["sources"].evidence[0].text) == ("Clear.", "The gauges agree")


def test_the_same_file_twice_makes_nothing_new_and_a_changed_one_replaces_only_when_asked(
    world: World, paper: VersionSnapshot
) -> None:
    first = take(world.chief, GOOD, paper).scores[0]
    again = take(world.chief, GOOD, paper).scores[0]
    assert (again.status, again.evaluation_id, again.score) == ("unchanged", first.evaluation_id, first.score)
    changed = GOOD.replace("Partial", "Meets")
    with pytest.raises(ScoresRefusedError, match="has other answers of this evaluator already"):
        take(world.chief, changed, paper)
    other = take(world.chief, changed, paper, name="panel-y").scores[0]
    assert other.status == "new"
    second = take(world.chief, changed, paper, supersede=True).scores[0]
    assert (second.status, second.score) == ("superseded", 1.0)
    statuses = {one.id: one.status for one in world.chief.evaluations()}
    assert statuses[first.evaluation_id or ""] is EvaluationStatus.SUPERSEDED
    assert list(statuses.values()).count(EvaluationStatus.SUBMITTED) == 2


def test_self_is_stored_and_never_in_the_consensus(world: World, paper: VersionSnapshot) -> None:
    take(world.chief, GOOD, paper, kind=EvaluatorType.SELF, name=None)
    assert world.chief.consensus_for_subject(subject="Paper/tides", rubric="Paper review").sample_size == 0
    take(world.chief, GOOD.replace("Partial", "Miss"), paper)
    found = world.chief.consensus_for_subject(subject="Paper/tides", rubric="Paper review")
    cohort = world.chief.cohort(subject="Paper/tides", rubric="Paper review")
    assert (found.sample_size, found.overall) == (1, 0.75)
    assert cohort is not None
    assert (cohort.count, cohort.self_score) == (1, 0.875)


def test_a_context_that_takes_no_self_assessments_takes_none_from_a_file(
    world: World, paper: VersionSnapshot
) -> None:
    world.chief.add_context(Context(record_id="closed-to-self"))
    world.chief.add_context(Context(record_id="open-to-self", self_allowed=True))
    with pytest.raises(StateError, match="takes no self-assessments"):
        take(world.chief, GOOD, paper, kind=EvaluatorType.SELF, name=None, context="Round/closed-to-self")
    take(world.chief, GOOD, paper, kind=EvaluatorType.SELF, name=None, context="Round/open-to-self")


def test_everything_wrong_is_told_with_its_place_and_nothing_is_stored(
    world: World, paper: VersionSnapshot
) -> None:
    world.chief.add_subjects([Subject(entity="Paper", record_id="waves", text="Waves.")])
    text = GOOD + (
        "Paper/waves,Meets,,Meets,Never said,N/A\n"
        "Paper/nobody,Miss,x,,,Good\n"
    )  # fmt: skip
    with pytest.raises(ScoresRefusedError) as told:
        take(world.chief, text, paper)
    assert [(one.line, one.column, one.code) for one in told.value.problems] == [
        (3, 2, "rationale_missing"),
        (3, 4, "quote_not_found"),
        (3, 6, "not_applicable_not_allowed"),
        (4, 1, "not_found"),
        (4, 6, "unknown_level"),
    ]
    assert str(told.value).startswith("/some/where/in.csv:3:2: error: ")
    assert "(4 more)" in str(told.value)
    assert world.chief.evaluations() == ()


def test_one_subject_under_two_names_is_one_too_many(world: World, paper: VersionSnapshot) -> None:
    with pytest.raises(ScoresRefusedError, match="is the subject of row 2 by another name"):
        take(world.chief, "subject,clarity\nPaper/tides,Meets\ns-tides,Miss\n", paper)


def test_a_persons_reviews_are_not_imported_and_a_machine_needs_a_name(
    world: World, paper: VersionSnapshot
) -> None:
    with pytest.raises(InvalidInputError, match="not imported in her name"):
        take(world.chief, GOOD, paper, kind=EvaluatorType.HUMAN, name=None)
    with pytest.raises(InvalidInputError, match="needs the evaluator's name"):
        take(world.chief, GOOD, paper, name=None)
    with pytest.raises(InvalidInputError, match="carries no evaluator name"):
        take(world.chief, GOOD, paper, kind=EvaluatorType.SELF, name="me")


def test_a_dry_run_tells_all_and_stores_nothing(world: World, paper: VersionSnapshot) -> None:
    (one,) = take(world.chief, GOOD, paper, dry_run=True).scores
    assert (one.status, one.score, one.evaluation_id) == ("new", 0.875, None)
    assert world.chief.evaluations() == ()


def test_who_is_still_scoring_the_subject_does_not_see_what_she_imports(
    world: World, paper: VersionSnapshot
) -> None:
    rita = world.user("rita", Role.REVIEWER)
    rita.open_draft(subject="Paper/tides", rubric="Paper review")
    (one,) = take(rita, GOOD, paper).scores
    assert (one.is_hidden, one.score, one.outcome) == (True, None, None)
    with pytest.raises(NotFoundError):
        rita.evaluation(one.evaluation_id or "")
    assert take(rita, GOOD, paper).scores[0].status == "unchanged"


def test_samples_of_a_log_come_as_subjects_when_asked(world: World, paper: VersionSnapshot) -> None:
    text = (
        '{"eval": {"task": "t", "task_id": "T"}, "samples": ['
        '{"id": 1, "input": "Q", "output": {"choices": [{"message": {"content": "A. B"}}]},'
        ' "scores": {"sources": {"value": "C", "answer": "A."}, "clarity": {"value": "P", "answer": "not there"}}}]}'
    )
    with pytest.raises(ScoresRefusedError, match="--add-subjects takes it from the file"):
        take(world.chief, text, paper)
    report = take(world.chief, text, paper, add_subjects=True)
    assert report.subjects_added == ("Inspect sample/t/T/1/1",)
    said = {one.key: one for one in world.chief.evaluation(report.scores[0].evaluation_id or "").scores}
    assert [(one.kind, one.text) for one in said["sources"].evidence] == [("quote", "A.")]
    # An answer that the transcript does not hold word for word is a note.
    assert [(one.kind, one.text) for one in said["clarity"].evidence] == [("note", "not there")]
    assert take(world.chief, text, paper, add_subjects=True).scores[0].status == "unchanged"
    # A sample that is a subject by its own id is that subject.
    world.chief.add_subjects([Subject(entity="Question", record_id="1", text="A.")])
    options = ScoreOptions(entity="Question")
    assert take(world.chief, text, paper, options=options).scores[0].subject == "Question/1"


def test_more_than_go_into_one_step_are_one_transaction(world: World, paper: VersionSnapshot) -> None:
    world.chief.add_subjects([Subject(entity="P", record_id=str(number)) for number in range(450)])
    rows = "".join(f"P/{number},Meets\n" for number in range(450))
    with pytest.raises(ScoresRefusedError):
        take(world.chief, f"subject,clarity\n{rows}P/none,Meets\n", paper)
    assert world.chief.evaluations() == ()
    report = take(world.chief, f"subject,clarity\n{rows}", paper)
    assert report.count("new") == len(world.chief.evaluations()) == 450


def test_the_version_is_the_one_named_the_contexts_or_the_latest(
    world: World, paper: VersionSnapshot
) -> None:
    world.chief.start_draft("Paper review")
    second = world.republish(pass_threshold=0.9)
    world.chief.add_context(Context(record_id="old", rubric_id=paper.rubric_id, version_id=paper.id))
    assert world.chief.version_to_score("Paper review").id == second.id
    assert world.chief.version_to_score("Paper review", "Round/old").id == paper.id
    assert world.chief.version_to_score(f"Paper review@{paper.number}").id == paper.id


def test_an_open_draft_of_the_same_evaluator_is_in_the_way(world: World, paper: VersionSnapshot) -> None:
    draft = world.chief.open_draft(
        subject="Paper/tides", rubric="Paper review", evaluator_type=EvaluatorType.SELF
    )
    world.chief.save_answer(draft.evaluation.id, answers(clarity="meets")[0])
    with pytest.raises(ScoresRefusedError, match="you have an open draft"):
        take(world.chief, GOOD, paper, kind=EvaluatorType.SELF, name=None)
