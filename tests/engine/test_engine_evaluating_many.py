"""A whole round scored by one evaluator: what is done is skipped, what fails is told, and nothing is done twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, ClassVar
from uuid import RFC_4122, UUID

import msgspec
import pytest
from engine_world import NODES, World, answers

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, VersionSnapshot
from rubrictui.core.records import Context, EvaluationStatus, EvaluatorType, Subject
from rubrictui.core.rounds import RoundRules
from rubrictui.engine import NoPublishedVersionError, NotFoundError
from rubrictui.engine.base import new_uuids
from rubrictui.engine.evaluating_many import EvaluateAllReport
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.content import content_providers
from rubrictui.evaluators.registry import registry

change = msgspec.structs.replace
RULE = {
    "Path": "pages",
    "Operator": "lte",
    "Values": [20],
    "LevelWhenTrue": "Meets",
    "LevelWhenFalse": "Miss",
}


class Slow(RubricEvaluator):
    """Answers clarity for a cent, after the others have begun; fails on a subject that says so."""

    name: ClassVar[str] = "Slow"
    evaluator_type: ClassVar[EvaluatorType] = EvaluatorType.AI_PROMPT
    running: ClassVar[int] = 0
    most: ClassVar[int] = 0

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        kind = type(self)
        kind.running += 1
        kind.most = max(kind.most, kind.running)
        await asyncio.sleep(0.005)
        kind.running -= 1
        if "fail" in context.content.title:
            raise ValueError("it would not")
        (clarity,) = (node.id for node in context.version.nodes if node.key == "clarity")
        return self.scored(context, [Answer(criterion_id=clarity, scale_level_id="meets")], cost=0.25)


@pytest.fixture(autouse=True)
def _slow() -> Iterator[None]:
    registry.register(Slow)
    Slow.most = Slow.running = 0
    yield
    registry.forget("Slow")
    content_providers.forget("Paper")


@pytest.fixture
def round_of_six(world: World) -> VersionSnapshot:
    """Six papers, the rubric with a rule for its sources, and a round."""
    by_rule = tuple(
        change(node, evaluator_config={"Deterministic": RULE}) if node.key == "sources" else node
        for node in NODES
    )
    version = world.publish(nodes=by_rule)
    world.chief.add_subjects(
        [
            Subject(entity="Paper", record_id=f"p{n}", title=f"Paper {n}", data={"pages": 10 * n})
            for n in range(6)
        ]
    )
    world.chief.add_context(Context(entity="Round", record_id="spring", name="Spring"))
    return version


def run(world: World, evaluator: str, **more: Any) -> EvaluateAllReport:
    given = {"rubric": "Paper review", "entity": "Paper", "evaluator": evaluator, **more}
    return world.chief.evaluate_all(**given)


def counts(report: EvaluateAllReport) -> tuple[int, int, int, int]:
    return report.total, report.done, report.skipped, report.failed


@pytest.mark.parametrize("evaluator", ["deterministic", "slow"])
def test_every_subject_is_scored_once_and_a_second_run_skips_all(
    world: World, round_of_six: VersionSnapshot, evaluator: str
) -> None:
    told: list[EvaluateAllReport] = []
    report = run(world, evaluator, progress=told.append)
    assert counts(report) == (6, 6, 0, 0)
    assert told[-1] == report
    assert counts(run(world, evaluator)) == (6, 0, 6, 0)
    assert counts(run(world, evaluator, again=True)) == (6, 6, 0, 0)
    statuses = [one.status for one in world.chief.evaluations()]
    assert statuses.count(EvaluationStatus.SUBMITTED) == statuses.count(EvaluationStatus.SUPERSEDED) == 6
    assert world.chief.check() == ()


def test_rules_in_bulk_store_what_one_by_one_stores(world: World, round_of_six: VersionSnapshot) -> None:
    one = world.chief.evaluate_record(
        subject="Paper/p3", rubric="Paper review", evaluator="Deterministic"
    ).detail
    run(world, "Deterministic", again=True, pass_threshold=None)
    (last,) = world.chief.evaluations(subject="Paper/p3", status=EvaluationStatus.SUBMITTED)
    many = world.chief.evaluation(last.id)
    assert last.supersedes_id == one.evaluation.id
    assert many.scores == one.scores
    assert many.cohort is not None
    own = {"id", "started_at", "updated_at", "submitted_at", "supersedes_id", "metadata", "revision"}
    for field in set(one.evaluation.__struct_fields__) - own:
        assert getattr(last, field) == getattr(one.evaluation, field), field
    about = [dict(found.metadata["Evaluator"], DurationSeconds=0) for found in (last, one.evaluation)]
    assert about[0] == about[1]


def test_what_has_changed_since_is_scored_again(world: World, round_of_six: VersionSnapshot) -> None:
    run(world, "Deterministic")
    world.chief.add_subjects([Subject(entity="Paper", record_id="p1", title="Paper 1", data={"pages": 500})])
    assert counts(run(world, "Deterministic")) == (6, 1, 5, 0)
    assert counts(run(world, "Slow", settings={"Samples": 2})) == (6, 6, 0, 0)
    assert counts(run(world, "Slow", settings={"Samples": 3})) == (6, 6, 0, 0)
    draft = world.chief.start_draft("Paper review")
    world.republish_from(change(draft, instructions="Read twice."))
    assert counts(run(world, "Deterministic")) == (6, 6, 0, 0)


def test_a_round_is_its_own_subjects_scored_for_it(world: World, round_of_six: VersionSnapshot) -> None:
    world.chief.add_user("rita")
    for record in ("p1", "p2"):
        world.chief.assign(
            subject=f"Paper/{record}", rubric="Paper review", user="rita", context="Round/spring"
        )
    report = run(world, "Deterministic", entity=None, context="Round/spring")
    assert counts(report) == (2, 2, 0, 0)
    assert {one.context_name for one in world.chief.evaluations()} == {"Spring"}
    named = ["Paper/p5", "Paper/p4", "Paper/p5"]
    assert counts(run(world, "Deterministic", entity=None, subjects=named)) == (2, 2, 0, 0)


@pytest.mark.parametrize("evaluator", ["Deterministic", "Slow"])
def test_what_fails_is_stored_and_told_and_the_others_go_on(
    world: World, round_of_six: VersionSnapshot, evaluator: str
) -> None:
    world.chief.add_subjects([Subject(entity="Paper", record_id="p3", title="fail", data={"pages": 1})])

    def refuse(subject: Subject) -> dict[str, Any]:
        if subject.title == "fail" and evaluator == "Deterministic":
            raise ValueError("it would not")
        return {"data": subject.data}

    content_providers.register("Paper", refuse)
    report = run(world, evaluator)
    assert counts(report) == (6, 5, 0, 1)
    (failure,) = report.failures
    assert failure.subject == "Paper/p3"
    assert "it would not" in failure.message
    if evaluator == "Slow":
        assert failure.evaluation_id is not None
        assert world.chief.evaluation(failure.evaluation_id).evaluation.status is EvaluationStatus.FAILED
    # A failed one is tried again, the others are not.
    assert counts(run(world, evaluator)) == (6, 0, 5, 1)


def test_an_open_draft_of_the_evaluator_stands_in_the_way_of_its_own_subject_only(
    world: World, round_of_six: VersionSnapshot
) -> None:
    world.chief.open_draft(
        subject="Paper/p2", rubric="Paper review",
        evaluator_type=EvaluatorType.DETERMINISTIC, evaluator_name="Deterministic",
    )  # fmt: skip
    report = run(world, "Deterministic")
    assert counts(report) == (6, 5, 0, 1)
    assert "open draft" in report.failures[0].message


def test_so_many_run_at_a_time_and_no_more(world: World, round_of_six: VersionSnapshot) -> None:
    assert run(world, "Slow", concurrency=3).done == 6
    assert Slow.most == 3


def test_a_budget_stops_it_and_it_goes_on_where_it_stopped(
    world: World, round_of_six: VersionSnapshot
) -> None:
    report = run(world, "Slow", concurrency=1, budget=0.5)
    assert (report.done, report.cost, report.stopped) == (2, 0.5, "budget")
    rest = run(world, "Slow", concurrency=1)
    assert (rest.done, rest.skipped, rest.stopped) == (4, 2, "")


@pytest.mark.parametrize("evaluator", ["Deterministic", "Slow"])
def test_it_can_be_cancelled_and_what_is_done_is_kept(
    world: World, round_of_six: VersionSnapshot, evaluator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrictui.engine.evaluating_many._AT_ONCE", 2)
    asked: list[int] = []

    def enough() -> bool:
        asked.append(1)
        return len(asked) > 2

    report = run(world, evaluator, cancelled=enough, concurrency=1)
    assert report.stopped == "cancelled"
    assert 0 < report.done < 6
    assert run(world, evaluator).skipped == report.done


def test_two_at_once_do_not_count_anyone_twice(world: World, round_of_six: VersionSnapshot) -> None:
    """Another process has scored the same subjects between reading and storing."""
    engine = world.chief
    plain = engine._clock
    other: list[EvaluateAllReport] = []

    def clock() -> Any:
        if not other:
            other.append(EvaluateAllReport())
            other[0] = run(world, "Deterministic", again=True)
        return plain()

    run(world, "Deterministic")
    engine._clock = clock
    try:
        assert counts(run(world, "Deterministic", again=True)) == (6, 6, 0, 0)
    finally:
        engine._clock = plain
    assert other[0].done == 6
    standing = world.chief.evaluations(status=EvaluationStatus.SUBMITTED)
    assert len({one.subject_id for one in standing}) == len(standing) == 6


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"entity": None}, InvalidInputError, "which subjects"),
        ({"rubric": "Only a draft"}, NoPublishedVersionError, "No published version"),
        ({"entity": None, "subjects": ["Paper/gone"]}, NotFoundError, "not found"),
        ({"context": "Round/gone"}, NotFoundError, "no context"),
        ({"concurrency": 0}, InvalidInputError, "concurrency"),
    ],
)
def test_what_cannot_begin_begins_nothing(
    world: World, round_of_six: VersionSnapshot, given: dict[str, Any], error: type[Exception], words: str
) -> None:
    world.chief.create_rubric("Only a draft")
    with pytest.raises(error, match=words):
        run(world, "Slow", **given)
    assert world.chief.evaluations() == ()


def test_nothing_to_score_is_no_failure(world: World, round_of_six: VersionSnapshot) -> None:
    assert run(world, "Slow", entity="Poem") == EvaluateAllReport()


def test_people_s_evaluations_are_left_alone(world: World, round_of_six: VersionSnapshot) -> None:
    rita = world.user("rita")
    mine = rita.submit_human_rubric(
        version_id=round_of_six.id, subject="Paper/p1", answers=answers(clarity="meets")
    )
    run(world, "Deterministic")
    assert rita.evaluation(mine.evaluation.id).evaluation.status is EvaluationStatus.SUBMITTED


# -- what a round hides from its reviewers -------------------------------------------------------------


class Nosy(RubricEvaluator):
    """Keeps what it was shown."""

    name: ClassVar[str] = "Nosy"
    seen: ClassVar[list[object]] = []

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        self.seen.append(context.content.data)
        return self.scored(context, ())


@pytest.fixture
def veiled(world: World, round_of_six: VersionSnapshot) -> Iterator[World]:
    """A round of one paper that hides its author."""
    registry.register(Nosy)
    Nosy.seen.clear()
    world.chief.add_subjects(
        [Subject(entity="Paper", record_id="p0", title="P", data={"author": {"name": "Ada"}, "pages": 3})]
    )
    world.chief.open_round(
        "blind",
        rubric="Paper review",
        subjects=["Paper/p0"],
        rules=RoundRules(hidden_fields=("author.name", "pages")),
    )
    yield world
    registry.forget("Nosy")


def test_evaluators_do_not_get_what_the_round_they_score_for_hides(veiled: World) -> None:
    chief, bare = veiled.chief, {"author": {}}
    given: dict[str, Any] = {"rubric": "Paper review", "context": "Round/blind", "evaluator": "Nosy"}
    done = chief.evaluate_record(subject="Paper/p0", **given)
    assert chief.evaluate_all(**given).skipped == 1
    assert chief.evaluate_all(**given, again=True).done == 1
    in_memory = chief.subject("Paper/p0")
    chief.evaluate_record(subject="Paper/p0", content=in_memory, **given)
    assert Nosy.seen == [bare, bare, bare]
    about = (done.detail.evaluation.metadata or {})["Evaluator"]
    assert about["HiddenFields"] == ["author.name", "pages"]
    assert done.detail.evaluation.subject_hash == in_memory.content_hash
    by_rule = chief.evaluate_all(rubric="Paper review", context="Round/blind", evaluator="Deterministic")
    assert by_rule.done == 1
    assert chief.evaluate_record(
        subject="Paper/p0", rubric="Paper review", context="Round/blind", evaluator="Deterministic"
    ).unanswered.keys() >= {"clarity"}


def test_without_the_round_only_whoever_may_see_a_hidden_field_can_have_it_judged(veiled: World) -> None:
    whole = {"author": {"name": "Ada"}, "pages": 3}
    veiled.chief.add_user("ann")
    for who, shown in (("chief", whole), ("ann", {"author": {}})):
        veiled.user(who).evaluate_record(subject="Paper/p0", rubric="Paper review", evaluator="Nosy")
        assert Nosy.seen.pop() == shown
    assert "Ada" not in veiled.user("ann").preview_prompt(subject="Paper/p0", rubric="Paper review").user


def test_fields_that_are_hidden_later_are_scored_again_without_them(veiled: World) -> None:
    given: dict[str, Any] = {"rubric": "Paper review", "context": "Round/blind", "evaluator": "Nosy"}
    veiled.chief.evaluate_all(**given)
    veiled.chief.change_round("Round/blind", rules=RoundRules(hidden_fields=("author",)))
    assert veiled.chief.evaluate_all(**given).done == 1
    assert Nosy.seen == [{"author": {}}, {"pages": 3}]


def test_ids_of_what_is_stored_together_are_random_uuids_that_begin_alike_and_come_in_order() -> None:
    found = new_uuids(1000)
    assert found == sorted(set(found))
    assert len({id[:8] for id in found}) == 1
    assert all(str(UUID(id)) == id for id in found)
    assert {(UUID(id).version, UUID(id).variant) for id in found} == {(4, RFC_4122)}
    assert found[0][:8] != new_uuids(1)[0][:8]
    assert new_uuids(0) == []
