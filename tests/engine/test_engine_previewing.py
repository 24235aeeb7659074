"""What drafts are tried on: sample answers that stay with a rubric, and answers that have been given."""

from __future__ import annotations

import msgspec
import pytest
from engine_world import World, answers

from rubrictui.core.answer_fill import answers_by_key
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Outcome, VersionSnapshot
from rubrictui.core.records import Role, SampleAnswer, SampleSet, Subject
from rubrictui.engine import (
    Engine,
    NameTakenError,
    NoPublishedVersionError,
    NotFoundError,
    NotPermittedError,
)

change = msgspec.structs.replace
MEETS_ALL = {key: SampleAnswer(level_id="meets", level_label="Meets") for key in ("argument", "sources")}


def submit(world: World, who: str, record: str, **given: object) -> Engine:
    """A submitted evaluation of ``Paper/record`` by this user, without quotes and rationales asked for."""
    if record != "tides":
        world.chief.add_subjects([Subject(entity="Paper", record_id=record, title=record.title())])
    engine = world.user(who)
    engine.submit_human_rubric(
        version_id=world.chief.version("Paper review").id, subject=f"Paper/{record}", answers=answers(**given)
    )
    return engine


# -- sample answers ----------------------------------------------------------------------------------


def test_sample_answers_stay_with_the_rubric_from_draft_to_draft(
    world: World, paper: VersionSnapshot
) -> None:
    more = {"weeks": SampleAnswer(raw_value=2.5), "clarity": SampleAnswer(is_not_applicable=True)}
    first = world.chief.save_sample_set("Paper review", SampleSet(name=" All met ", answers=MEETS_ALL | more))
    second = world.chief.save_sample_set("paper review", SampleSet(name="Empty"))
    assert first.name == "All met"
    assert first.id
    assert (first.sequence, second.sequence) == (0, 1)
    world.chief.save_draft(change(world.chief.start_draft("Paper review"), instructions="Read."))
    world.chief.publish("Paper review")
    world.chief.start_draft("Paper review")
    assert world.chief.sample_sets("Paper review") == (first, second)
    changed = world.chief.save_sample_set("Paper review", change(second, name="First", sequence=-1))
    assert world.chief.sample_sets("Paper review") == (changed, first)
    world.chief.delete_sample_set(changed.id)
    assert world.chief.sample_sets("Paper review") == (first,)


def test_sample_answers_of_one_rubric_are_no_other_s(world: World, paper: VersionSnapshot) -> None:
    world.chief.create_rubric("Another")
    kept = world.chief.save_sample_set("Paper review", SampleSet(name="All met", answers=MEETS_ALL))
    same_name = world.chief.save_sample_set("Another", SampleSet(name="All met"))
    assert world.chief.sample_sets("Another") == (same_name,)
    assert world.chief.sample_sets("Paper review") == (kept,)


def test_sample_answers_that_cannot_be_kept_are_refused(world: World, paper: VersionSnapshot) -> None:
    world.chief.save_sample_set("Paper review", SampleSet(name="All met"))
    for kept, error in (
        (SampleSet(name="ALL MET"), NameTakenError),
        (SampleSet(name=" "), InvalidInputError),
        (SampleSet(name="x", answers={"weeks": SampleAnswer(raw_value=float("nan"))}), InvalidInputError),
    ):
        with pytest.raises(error):
            world.chief.save_sample_set("Paper review", kept)
    with pytest.raises(NotFoundError):
        world.chief.delete_sample_set("gone")
    rita = world.user("rita")
    for attempt in (
        lambda: rita.save_sample_set("Paper review", SampleSet(name="Mine")),
        lambda: rita.delete_sample_set("any"),
    ):
        with pytest.raises(NotPermittedError):
            attempt()


# -- the last evaluation -----------------------------------------------------------------------------


def test_the_last_answers_of_a_subject_fill_the_draft(world: World, paper: VersionSnapshot) -> None:
    submit(world, "rita", "tides", clarity="partial")
    submit(world, "paul", "tides", clarity="meets", weeks=3)
    draft = world.chief.start_draft("Paper review")
    found = world.chief.last_answers("Paper review", "Paper/tides")
    assert found == {
        "clarity": SampleAnswer(level_id="meets", level_label="Meets"),
        "weeks": SampleAnswer(raw_value=3),
    }
    here = answers_by_key(draft, found)
    assert {answer.criterion_id for answer in here} <= {node.id for node in draft.nodes}
    assert len(here) == 2


def test_last_answers_are_those_she_may_read(world: World, paper: VersionSnapshot) -> None:
    submit(world, "paul", "tides", clarity="meets")
    rita = world.user("rita")
    assert rita.last_answers("Paper review", "Paper/tides") == {}  # a peer's are not hers to see
    assert world.chief.last_answers("Paper review", "Paper/tides") != {}
    # The chief reads everything, until she begins her own review: then she is blind like anyone.
    world.chief.open_draft(subject="Paper/tides", rubric="Paper review")
    assert world.chief.last_answers("Paper review", "Paper/tides") == {}


# -- what if -----------------------------------------------------------------------------------------


def stricter(world: World) -> VersionSnapshot:
    """A draft with a threshold that only a full score reaches; the published version has none."""
    return change(world.chief.start_draft("Paper review"), pass_threshold=0.9)


def test_a_draft_is_tried_on_every_stored_evaluation_of_its_base(
    world: World, paper: VersionSnapshot
) -> None:
    submit(world, "rita", "tides", clarity="meets")
    submit(world, "paul", "dunes", clarity="partial", weeks=1)
    submit(world, "paul", "shoals")
    told: list[tuple[int, int]] = []
    found = world.chief.what_if(
        "Paper review", stricter(world), progress=lambda done, total: told.append((done, total))
    )
    assert (found.total, found.compared, found.outcome_changes) == (3, 2, 2)
    assert {(shift.before, shift.after): shift.count for shift in found.shifts} == {
        (Outcome.SCORED, Outcome.PASSED): 1,
        (Outcome.SCORED, Outcome.BELOW_THRESHOLD): 1,
        (Outcome.INCOMPLETE, Outcome.INCOMPLETE): 1,
    }
    assert {mover.title for mover in found.movers} == {"Tides", "Dunes"}
    assert (found.left_out, found.limited) == (False, False)
    assert told[-1] == (3, 3)


def test_only_the_latest_are_looked_at_when_there_are_too_many(world: World, paper: VersionSnapshot) -> None:
    submit(world, "rita", "tides", clarity="meets")
    submit(world, "paul", "dunes", clarity="partial")
    found = world.chief.what_if("Paper review", stricter(world), limit=1)
    assert (found.total, found.limited, [mover.title for mover in found.movers]) == (1, True, ["Dunes"])


def test_the_reading_can_be_stopped(
    world: World, paper: VersionSnapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrictui.core.whatif._PART", 1)
    submit(world, "rita", "tides", clarity="meets")
    submit(world, "paul", "dunes", clarity="partial")
    found = world.chief.what_if("Paper review", stricter(world), cancelled=lambda: True)
    assert (found.total, found.limited) == (1, True)


def test_a_blind_author_learns_nothing_about_the_subject(world: World, paper: VersionSnapshot) -> None:
    """What she is told is the same whether a peer has scored the subject she has open work on, or nobody has."""
    submit(world, "rita", "dunes", clarity="meets")
    draft = stricter(world)
    world.chief.open_draft(subject="Paper/tides", rubric="Paper review")
    before = world.chief.what_if("Paper review", draft)
    submit(world, "rita", "tides", clarity="partial")
    assert world.chief.what_if("Paper review", draft) == before
    assert (before.total, before.left_out) == (1, True)


def test_an_author_who_may_not_read_others_sees_her_own(world: World, paper: VersionSnapshot) -> None:
    draft = stricter(world)
    submit(world, "rita", "tides", clarity="meets")
    ada = world.user("ada", Role.AUTHOR, Role.REVIEWER)
    none = ada.what_if("Paper review", draft)
    assert (none.total, none.left_out, none.mean_change) == (0, True, None)
    submit(world, "ada", "dunes", clarity="meets")
    assert ada.what_if("Paper review", draft).total == 1


def test_superseded_and_open_evaluations_and_other_versions_take_no_part(
    world: World, paper: VersionSnapshot
) -> None:
    submit(world, "rita", "tides", clarity="meets")
    world.user("rita").submit_human_rubric(
        version_id=paper.id,
        subject="Paper/tides",
        answers=answers(clarity="partial"),
        supersedes=world.chief.evaluations()[0].id,
    )
    world.user("paul").open_draft(subject="Paper/tides", rubric="Paper review")
    assert world.chief.what_if("Paper review", stricter(world)).total == 1
    world.chief.save_draft(change(world.chief.version("Paper review@draft"), instructions="Read."))
    world.chief.publish("Paper review")
    assert world.chief.what_if("Paper review", stricter(world)).total == 0


def test_what_is_scored_on_a_retired_base_still_counts(world: World, paper: VersionSnapshot) -> None:
    submit(world, "rita", "tides", clarity="meets")
    world.chief.retire(paper.id)
    assert world.chief.what_if("Paper review", stricter(world)).total == 1


def test_without_a_version_there_is_nothing_to_compare_with(world: World) -> None:
    world.chief.create_rubric("New")
    with pytest.raises(NoPublishedVersionError, match="Publish the draft first"):
        world.chief.what_if("New", world.chief.version("New@draft"))
