"""A record scored by an evaluator is stored like everyone's work, and a run that fails is stored as Failed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
import pytest
from engine_world import NODES, World

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, Evidence, EvidenceKind, Outcome, VersionSnapshot
from rubrictui.core.records import EvaluationStatus, EvaluatorType, Subject
from rubrictui.engine import (
    Engine,
    EvaluatorFailedError,
    NoPublishedVersionError,
    NotFoundError,
    StateError,
)
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator, SubjectContent
from rubrictui.evaluators.content import content_providers
from rubrictui.evaluators.errors import EvaluatorError, NotRunnableError, UnknownEvaluatorError
from rubrictui.evaluators.registry import registry

change = msgspec.structs.replace


class Judge(RubricEvaluator):
    """Answers clarity, or does what ``Extensions.Judge`` says instead."""

    name: ClassVar[str] = "Judge"
    evaluator_type: ClassVar[EvaluatorType] = EvaluatorType.AI_PROMPT
    seen: ClassVar[list[EvaluatorContext]] = []

    async def evaluate(self, context: EvaluatorContext) -> Any:
        self.seen.append(context)
        await asyncio.sleep(0)
        keys = {node.key: node.id for node in context.version.nodes}
        clear = Answer(criterion_id=keys["clarity"], scale_level_id="meets", rationale="Clear.")
        match context.settings.extension("judge"):
            case "raise":
                raise ZeroDivisionError("no\nwords")
            case "refuse":
                raise EvaluatorError("The model said nothing.", remedy="Try another.")
            case "unknown":
                return EvaluatorRun(answers=(change(clear, criterion_id="nobody's"),))
            case "illegal":
                return EvaluatorRun(answers=(change(clear, scale_level_id="gone"),))
            case "nothing":
                return {"clarity": "meets"}
            case "quote":
                words = Evidence(kind=EvidenceKind.QUOTE, text=context.content.text[:10])
                sources = Answer(criterion_id=keys["sources"], scale_level_id="partial", evidence=(words,))
                return self.scored(context, (clear, sources))
            case _:
                return self.scored(
                    context,
                    (clear,),
                    metadata={"Model": "m-1", "Tokens": 12},
                    unanswered={"sources": "no quote"},
                )


class Choosy(Judge):
    name: ClassVar[str] = "Choosy"

    def check(self, version: VersionSnapshot, settings: Any) -> None:
        raise EvaluatorError("It takes no rubric with evidence.", remedy="Use LLM.")


@pytest.fixture(autouse=True)
def _judges() -> Iterator[None]:
    registry.register(Judge)
    registry.register(Choosy)
    yield
    for one in (Judge, Choosy):
        registry.forget(one.name)
    Judge.seen.clear()
    content_providers.forget("Paper")


def evaluate(engine: Engine, **more: Any) -> Any:
    given = {"subject": "Paper/tides", "rubric": "Paper review", "evaluator": "judge", **more}
    return engine.evaluate_record(**given)


def told(what: str) -> dict[str, Any]:
    return {"Extensions": {"Judge": what}}


def test_the_result_says_what_was_found_and_the_evaluation_how(world: World, paper: VersionSnapshot) -> None:
    found = evaluate(world.chief, settings={"PromptName": "Strict", "Samples": 3}, pass_threshold=0.9)
    assert (found.score, found.display_score, found.outcome, found.passed) == (
        1.0,
        100.0,
        Outcome.PASSED,
        True,
    )
    assert {row.key: (row.normalized_score, row.rationale) for row in found.criteria} == {
        "argument": (None, None), "sources": (None, None), "clarity": (1.0, "Clear."), "weeks": (None, None),
    }  # fmt: skip
    assert found.unanswered == {"sources": "no quote"}
    stored = world.chief.evaluation(found.evaluation_id).evaluation
    assert (stored.status, stored.evaluator_type, stored.evaluator_name) == (
        EvaluationStatus.SUBMITTED, EvaluatorType.AI_PROMPT, "Judge"
    )  # fmt: skip
    assert stored.pass_threshold_applied == 0.9
    about = stored.metadata["Evaluator"]
    assert about.pop("DurationSeconds") >= 0
    assert about == {
        "Name": "Judge",
        "Settings": {"PromptName": "Strict", "Samples": 3},
        "UnansweredCriteria": {"sources": "no quote"},
        "Model": "m-1",
        "Tokens": 12,
    }


def test_a_rerun_takes_the_place_of_its_own_last_evaluation(world: World, paper: VersionSnapshot) -> None:
    first, second = evaluate(world.chief), evaluate(world.chief)
    statuses = {one.id: one.status for one in world.chief.evaluations()}
    assert statuses == {
        first.evaluation_id: EvaluationStatus.SUPERSEDED, second.evaluation_id: EvaluationStatus.SUBMITTED
    }  # fmt: skip


def test_a_rule_of_the_rubric_scores_without_a_model(world: World) -> None:
    rule = {
        "Path": "pages",
        "Operator": "lte",
        "Values": [20],
        "LevelWhenTrue": "Meets",
        "LevelWhenFalse": "Miss",
    }
    by_rule = tuple(
        change(node, evaluator_config={"Deterministic": rule}) if node.key == "sources" else node
        for node in NODES
    )
    world.publish(nodes=by_rule)
    world.chief.add_subjects([Subject(entity="Paper", record_id="tides", data={"pages": 12})])
    found = evaluate(world.chief, evaluator="deterministic")
    assert (found.score, found.detail.evaluation.evaluator_type) == (1.0, EvaluatorType.DETERMINISTIC)
    (row,) = (row for row in found.detail.scores if row.key == "sources")
    assert (row.rationale, row.evidence[0].text) == ("Deterministic pages", "pages = 12")
    assert set(found.unanswered) == {"argument", "clarity", "weeks"}


def test_a_stored_selection_chooses_evaluator_settings_and_threshold(
    world: World, paper: VersionSnapshot
) -> None:
    found = world.chief.evaluate_record(
        subject="Paper/tides", version=paper.id,
        selection={"EvaluatorName": "Judge", "Mode": "PerCriterion", "PassThreshold": 0.3},
    )  # fmt: skip
    assert found.detail.evaluation.pass_threshold_applied == 0.3
    assert Judge.seen[0].settings.mode == "PerCriterion"
    assert Judge.seen[0].pass_threshold == 0.3
    with pytest.raises(InvalidInputError, match="beside an evaluator"):
        evaluate(world.chief, selection={})


# -- what the evaluator sees -------------------------------------------------------------------------


def test_a_provider_of_the_entity_decides_what_is_seen_and_quoted(
    world: World, paper: VersionSnapshot
) -> None:
    content_providers.register("paper", lambda subject: {"text": f"Reviewed: {subject.title}"})
    found = evaluate(world.chief, settings=told("quote"))
    (row,) = (row for row in found.detail.scores if row.key == "sources")
    assert row.evidence[0].text == "Reviewed: "
    assert found.warnings == ()  # the stored subject is what it was


def test_content_in_memory_is_seen_in_place_of_what_is_stored(world: World, paper: VersionSnapshot) -> None:
    draft = Subject(entity="Paper", record_id="tides", title="Tides", text="A newer text of it.")
    found = evaluate(world.chief, content=draft, settings=told("quote"))
    assert Judge.seen[0].content == SubjectContent(
        entity="Paper", record_id="tides", title="Tides", text="A newer text of it."
    )
    assert any("has changed" in warning for warning in found.warnings)
    assert world.chief.subjects()[0].text.startswith("Tides were measured")


def test_content_of_a_record_that_is_not_stored_yet_is_stored_with_it(
    world: World, paper: VersionSnapshot
) -> None:
    fresh = Subject(entity="Paper", record_id="dunes", title="Dunes", text="Sand moves.")
    found = evaluate(world.chief, subject="Paper/dunes", content=fresh)
    assert found.detail.subject.text == "Sand moves."
    assert found.warnings == ()
    with pytest.raises(InvalidInputError, match="is of Paper/dunes, not of"):
        evaluate(world.chief, content=fresh)


# -- failing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "stored", "words"),
    [
        ("raise", "no words", "Judge failed: no words"),
        ("refuse", "The model said nothing. Try another.", r"said nothing\. Try another"),
        ("unknown", "nobody's", "no criterion of this version"),
        ("illegal", "no level of its scale", "cannot be submitted"),
        ("nothing", "gave dict and no run", "gave dict"),
    ],
)
def test_a_run_that_fails_is_stored_as_failed_with_its_message(
    world: World, paper: VersionSnapshot, what: str, stored: str, words: str
) -> None:
    with pytest.raises(EvaluatorFailedError, match=words) as failed:
        evaluate(world.chief, settings=told(what))
    kept = world.chief.evaluation(failed.value.evaluation_id).evaluation
    assert kept.status is EvaluationStatus.FAILED
    assert kept.error_message is not None
    assert "\n" not in kept.error_message
    if what != "illegal":
        assert stored in kept.error_message
    assert kept.metadata["Evaluator"]["Settings"] == told(what)
    assert (kept.normalized_score, kept.outcome) == (None, None)
    # A failed run stands in nobody's way.
    assert evaluate(world.chief).score == 1.0


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"evaluator": "nobody"}, UnknownEvaluatorError, 'no evaluator "nobody"'),
        ({"evaluator": "Human"}, NotRunnableError, "submit"),
        ({"evaluator": "Choosy"}, EvaluatorError, "takes no rubric"),
        ({"subject": "Paper/gone"}, NotFoundError, "not found or not readable"),
        ({"rubric": "Only a draft"}, NoPublishedVersionError, "No published version of that rubric"),
        ({"rubric": None, "version": "Only a draft@draft"}, StateError, "is a draft"),
        ({"settings": {"Samples": 12}}, InvalidInputError, "samples"),
        ({"pass_threshold": 2.0}, InvalidInputError, "threshold"),
        ({"context": "Round/gone"}, NotFoundError, "no context"),
    ],
)
def test_what_cannot_begin_leaves_nothing(
    world: World, paper: VersionSnapshot, given: dict[str, Any], error: type[Exception], words: str
) -> None:
    world.chief.create_rubric("Only a draft")
    with pytest.raises(error, match=words):
        evaluate(world.chief, **given)
    assert world.chief.evaluations() == ()
    assert Judge.seen == []


# -- who may see it, and how it is called ------------------------------------------------------------


def test_a_reviewer_who_is_still_scoring_learns_nothing_from_a_judge_she_runs(
    world: World, paper: VersionSnapshot
) -> None:
    rita = world.user("rita")
    rita.open_draft(subject="Paper/tides", rubric="Paper review")
    found = evaluate(rita)
    assert (found.hidden, found.score, found.outcome, found.criteria, found.unanswered) == (
        True, None, None, (), {}
    )  # fmt: skip
    assert any("hidden" in warning for warning in found.warnings)
    assert world.chief.evaluation(found.evaluation_id).evaluation.normalized_score == 1.0


def test_it_is_awaited_where_a_loop_runs_and_called_anywhere(world: World, paper: VersionSnapshot) -> None:
    async def both() -> tuple[Any, Any]:
        awaited = await world.chief.evaluate_record_async(
            subject="Paper/tides", rubric="Paper review", evaluator="Judge"
        )
        return awaited, evaluate(world.chief)  # a plain call, although a loop is running here

    first, second = asyncio.run(both())
    assert first.score == second.score == 1.0


def test_many_run_side_by_side_on_one_engine(world: World, paper: VersionSnapshot) -> None:
    world.chief.add_subjects([Subject(entity="Paper", record_id=f"p{n}", title=f"P{n}") for n in range(8)])

    async def all_of_them() -> list[Any]:
        runs = (
            world.chief.evaluate_record_async(subject=f"Paper/p{n}", rubric="Paper review", evaluator="Judge")
            for n in range(8)
        )
        return await asyncio.gather(*runs)

    assert [found.score for found in asyncio.run(all_of_them())] == [1.0] * 8


def test_the_engine_lists_the_evaluators(world: World) -> None:
    names = [row.name for row in world.chief.evaluators()]
    assert {"Judge", "Choosy", "Deterministic", "Human"} <= set(names)
