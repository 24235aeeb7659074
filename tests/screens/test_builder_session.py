"""A draft being edited: stored at once, undone, settled with somebody else's, tried on samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builder_host import COMPLIANCE, RUBRIC, TEN, fill, opened
from msgspec.structs import replace

from rubrictui.core.editing import (
    Edited,
    add_node,
    delete,
    move,
    rekey,
    rename,
    set_anchor,
    set_node,
    use_scale,
)
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Answer, NodeType, Outcome, VersionSnapshot
from rubrictui.core.records import SampleAnswer, SampleSet
from rubrictui.engine import Engine
from rubrictui.screens.builder_session import FIRST_SET, BuilderSession, Safety


class Store:
    """An engine that can be told to refuse."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.refuses: Exception | None = None
        self.saves = 0

    def save_draft(self, snapshot: VersionSnapshot, **options: Any) -> int:
        if self.refuses is not None:
            raise self.refuses
        self.saves += 1
        return self.engine.save_draft(snapshot, **options)

    def save_sample_set(self, rubric: str, sample_set: SampleSet) -> SampleSet:
        if self.refuses is not None:
            raise self.refuses
        return self.engine.save_sample_set(rubric, sample_set)

    def delete_sample_set(self, sample_set_id: str) -> None:
        self.engine.delete_sample_set(sample_set_id)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with opened(tmp_path / "store.db") as engine:
        fill(engine)
        yield engine


@pytest.fixture
def store(engine: Engine) -> Store:
    return Store(engine)


@pytest.fixture
def session(store: Store) -> BuilderSession:
    return BuilderSession(store, store.engine.open_rubric_draft(RUBRIC))


def node_id(session: BuilderSession, key: str) -> str:
    return next(node.id for node in session.version.nodes if node.key == key)


def stored(engine: Engine) -> VersionSnapshot:
    return engine.open_rubric_draft(RUBRIC).version


def names(version: VersionSnapshot) -> list[str]:
    return [node.name for node in version.nodes]


def rename_to(session: BuilderSession, key: str, name: str, **options: Any) -> bool:
    edited = rename(session.version, node_id(session, key), name, base_keys=session.base_keys)
    return session.apply(edited, f"rename {key}", **options)


# -- storing


def test_an_edit_is_in_the_store_when_it_is_said_to_be(session: BuilderSession, engine: Engine) -> None:
    assert rename_to(session, "notes", "Quality of the notes")
    assert session.safety is Safety.SAVED
    assert names(stored(engine))[-1] == "Quality of the notes"


def test_an_edit_that_changes_nothing_is_none(session: BuilderSession, store: Store) -> None:
    assert not session.apply(set_node(session.version, node_id(session, "notes"), weight=1.0), "weigh")
    assert store.saves == 0
    assert session.undo() is None


def test_what_the_store_refuses_stays_and_is_offered_again(session: BuilderSession, store: Store) -> None:
    store.refuses = RubrictuiError("The disk is full.", remedy="Make room.")
    rename_to(session, "notes", "One")
    rename_to(session, "notes", "Two")
    assert (session.safety, session.problem) == (Safety.NOT_SAVED, "The disk is full. Make room.")
    assert names(session.version)[-1] == "Two"
    assert names(stored(store.engine))[-1] == "Notes quality"
    assert not session.retry()

    store.refuses = None
    assert session.retry()
    assert (session.safety, session.problem) == (Safety.SAVED, "")
    assert names(stored(store.engine))[-1] == "Two"


def test_an_error_that_nobody_foresaw_loses_nothing_either(session: BuilderSession, store: Store) -> None:
    store.refuses = OSError("cable pulled")
    rename_to(session, "notes", "One")
    assert "cable pulled" in session.problem
    assert names(session.version)[-1] == "One"


def test_a_draft_that_was_published_meanwhile_takes_nothing_more(
    session: BuilderSession, engine: Engine
) -> None:
    with engine._acting_as(engine.user) as other:
        draft = other.open_rubric_draft(RUBRIC)
        other.save_draft(set_node(draft.version, draft.version.nodes[0].id, weight=5.0).version)
        other.publish(RUBRIC)
    rename_to(session, "notes", "One")
    assert session.is_closed
    assert session.safety is Safety.NOT_SAVED
    assert session.problem


# -- undo


def test_every_step_is_undone_and_done_again_in_the_store_too(
    session: BuilderSession, engine: Engine
) -> None:
    before = session.version
    rename_to(session, "notes", "One")
    session.apply(move(session.version, node_id(session, "delivery"), -1), "move Delivery")
    session.apply(delete(session.version, node_id(session, "encryption")), "delete Encryption")
    after = session.version

    steps = [session.undo() for _ in range(3)]
    assert [step[0] for step in steps if step] == ["delete Encryption", "move Delivery", "rename notes"]
    assert session.version is before
    assert stored(engine).nodes == before.nodes
    assert session.undo() is None

    for _ in range(3):
        session.redo()
    assert session.version is after
    assert stored(engine).nodes == after.nodes
    assert session.redo() is None


def test_letters_typed_in_one_go_are_one_step(session: BuilderSession) -> None:
    for typed in ("F", "Fa", "Fas", "Fast"):
        rename_to(session, "delivery", typed, run="field 1")
    assert session.undo() is not None
    assert "Delivery" in names(session.version)


def test_an_edit_after_undo_forgets_what_was_undone(session: BuilderSession) -> None:
    rename_to(session, "notes", "One")
    session.undo()
    rename_to(session, "notes", "Two")
    assert session.redo() is None


# -- two people


def elsewhere(engine: Engine, key: str, **changes: Any) -> None:
    """Another author saves the draft with a change."""
    draft = engine.open_rubric_draft(RUBRIC)
    own = next(node.id for node in draft.version.nodes if node.key == key)
    engine.save_draft(set_node(draft.version, own, **changes).version, revision=draft.revision)


def test_somebody_elses_save_is_met_and_neither_side_is_lost(session: BuilderSession, engine: Engine) -> None:
    elsewhere(engine, "schedule", weight=7.0)
    rename_to(session, "notes", "Mine")
    clash = session.clash
    assert clash is not None
    assert not session.retry()
    assert names(clash.mine)[-1] == "Mine"
    assert next(n.weight for n in clash.theirs.nodes if n.key == "schedule") == 7.0

    rename_to(session, "delivery", "Mine too")  # she may go on while it is not settled
    from rubrictui.core.merging import merge_drafts

    merged = merge_drafts(clash.base, session.version, clash.theirs)
    assert merged.conflicts == ()
    session.settle(merged.version)
    assert session.safety is Safety.SAVED
    kept = {node.key: node for node in stored(engine).nodes}
    assert kept["notes"].name == "Mine"
    assert kept["delivery"].name == "Mine too"
    assert kept["schedule"].weight == 7.0


def test_two_edits_in_a_row_do_not_meet_themselves(session: BuilderSession) -> None:
    for name in ("a", "b", "c"):
        rename_to(session, "notes", name)
    assert session.clash is None
    assert session.safety is Safety.SAVED


def test_a_scale_that_changed_elsewhere_is_taken_as_it_is_now(
    session: BuilderSession, engine: Engine
) -> None:
    give(session, "schedule", level_id=TEN.levels[4].id, level_label="4")
    rename_to(session, "notes", "One")
    assert not session.use_scales(engine.scales())
    assert session.undo() is not None

    other = replace(TEN, name="Other", id="", levels=tuple(replace(level, id="") for level in TEN.levels))
    made = engine.save_scale(other)
    session.apply(use_scale(session.version, node_id(session, "schedule"), made), "scale")
    level = replace(made.levels[4], normalized_value=1.0)
    engine.save_scale(replace(made, levels=(*made.levels[:4], level, *made.levels[5:])))
    assert session.use_scales(engine.scales())
    assert session.safety is Safety.SAVED
    assert session.undo() is None  # an undo would put the old level back, for every rubric
    scored = session.sample.scores[node_id(session, "schedule")]
    assert scored.normalized_score == 1.0


def test_a_level_that_was_deleted_elsewhere_does_not_close_the_draft(
    session: BuilderSession, engine: Engine
) -> None:
    other = replace(TEN, name="Other", id="", levels=tuple(replace(level, id="") for level in TEN.levels))
    made = engine.save_scale(other)
    own = node_id(session, "schedule")
    session.apply(use_scale(session.version, own, made), "scale")
    session.apply(set_anchor(session.version, own, made.levels[0].id, "Never on time."), "anchor")
    engine.save_scale(replace(made, levels=made.levels[1:]))
    assert session.apply(set_anchor(session.version, own, made.levels[0].id, "Late."), "anchor")
    assert session.safety is Safety.NOT_SAVED
    assert not session.is_closed
    assert session.use_scales(engine.scales())  # the anchor went with its level, as in the store
    assert session.retry()
    node = next(node for node in stored(engine).nodes if node.id == own)
    assert node.anchors == next(node for node in session.version.nodes if node.id == own).anchors == ()


def test_a_scale_that_an_edit_brings_along_stays_as_it_is_stored(
    session: BuilderSession, engine: Engine
) -> None:
    other = replace(TEN, name="Other", id="", levels=tuple(replace(level, id="") for level in TEN.levels))
    before = engine.save_scale(other)
    now = engine.save_scale(
        replace(before, levels=(replace(before.levels[0], label="Absent"), *before.levels[1:]))
    )
    assert session.apply(use_scale(session.version, node_id(session, "schedule"), before), "scale")
    assert session.safety is Safety.SAVED
    assert next(scale for scale in engine.scales() if scale.id == before.id) == now


# -- samples


def give(session: BuilderSession, key: str, **answer: Any) -> None:
    session.give(node_id(session, key), SampleAnswer(**answer))


def answer_buying(session: BuilderSession) -> None:
    give(session, "encryption", level_id=COMPLIANCE.levels[2].id)
    give(session, "access", level_id=COMPLIANCE.levels[1].id)
    give(session, "schedule", level_id=TEN.levels[10].id)
    give(session, "price", raw_value=100.0)


def test_the_preview_follows_each_answer_and_each_edit(session: BuilderSession) -> None:
    assert session.preview.answered == 0
    answer_buying(session)
    preview = session.preview
    assert preview.result is not None
    assert preview.result.normalized_score == 0.75
    assert preview.result.outcome is Outcome.PASSED
    assert preview.reason.startswith("Passed: the score of 75")

    session.apply(set_node(session.version, node_id(session, "security"), weight=3.0), "weigh")
    assert session.preview.result is not None
    assert session.preview.result.normalized_score == 0.625

    session.give(node_id(session, "access"), None)
    result = session.preview.result
    assert result is not None
    assert result.outcome is Outcome.GATE_FAILED


def test_a_draft_that_cannot_be_scored_says_why(session: BuilderSession) -> None:
    session.apply(set_node(session.version, node_id(session, "security"), weight=-1.0), "weigh")
    assert session.preview.result is None
    assert "weight" in session.preview.refusal
    assert session.sample.scores == {}
    assert any(problem.blocks for problem in session.problems)


def test_answers_are_found_again_after_any_edit_as_from_the_start(session: BuilderSession) -> None:
    answer_buying(session)
    give(session, "notes", is_not_applicable=True)

    def fresh() -> dict[str, Answer]:
        made = BuilderSession(
            session._store, replace(session.opened, version=session.version), tuple(session.sets)
        )
        return made.answers

    edits: list[Callable[[], Edited]] = [
        lambda: set_node(session.version, node_id(session, "notes"), not_applicable_policy="NotAllowed"),
        lambda: move(session.version, node_id(session, "delivery"), -1),
        lambda: delete(session.version, node_id(session, "schedule")),
        lambda: add_node(
            session.version, NodeType.CRITERION, id="new", name="Schedule", at=None, where="after"
        ),
    ]
    for edit in edits:
        session.apply(edit(), "edit")
        assert session.answers == fresh()
    for _ in edits:
        session.undo()
        assert session.answers == fresh()


def test_the_first_answer_makes_a_set_and_all_of_it_is_kept(session: BuilderSession, engine: Engine) -> None:
    give(session, "schedule", level_id=TEN.levels[4].id)
    (kept,) = engine.sample_sets(RUBRIC)
    assert kept.name == FIRST_SET
    assert kept.answers["schedule"].level_id == TEN.levels[4].id


def test_answers_follow_a_criterion_to_its_new_key_and_back(session: BuilderSession, engine: Engine) -> None:
    give(session, "schedule", level_id=TEN.levels[4].id)
    session.apply(rekey(session.version, node_id(session, "schedule"), "dates"), "re-key")
    assert set(engine.sample_sets(RUBRIC)[0].answers) == {"dates"}
    assert session.preview.answered == 1
    session.undo()
    assert set(engine.sample_sets(RUBRIC)[0].answers) == {"schedule"}
    assert session.preview.answered == 1


def test_a_deleted_criterion_has_its_answer_again_when_it_is_back(session: BuilderSession) -> None:
    give(session, "schedule", level_id=TEN.levels[4].id)
    session.apply(delete(session.version, node_id(session, "schedule")), "delete")
    assert session.preview.answered == 0
    session.undo()
    assert session.preview.answered == 1


def test_several_sets_are_kept_each_with_its_name(session: BuilderSession, engine: Engine) -> None:
    session.add_set("Vendor")
    give(session, "schedule", level_id=TEN.levels[4].id)
    session.add_set("Vendor")
    give(session, "schedule", level_id=TEN.levels[10].id)
    assert [each.name for each in session.sets] == ["Vendor", "Vendor 2"]

    again = BuilderSession(session._store, engine.open_rubric_draft(RUBRIC), engine.sample_sets(RUBRIC))
    assert [each.name for each in again.sets] == ["Vendor", "Vendor 2"]
    again.use_set(again.sets[1].id)
    assert next(iter(again.answers.values())).scale_level_id == TEN.levels[10].id
    again.rename_set(again.sets[0].id, "Other")
    again.delete_set(again.sets[1].id)
    assert [each.name for each in engine.sample_sets(RUBRIC)] == ["Other"]
    assert again.sample_set is again.sets[0]


def test_a_sample_that_was_not_stored_is_offered_again(session: BuilderSession, store: Store) -> None:
    store.refuses = RubrictuiError("The disk is full.")
    give(session, "schedule", level_id=TEN.levels[4].id)
    assert session.safety is Safety.NOT_SAVED
    assert session.preview.answered == 1
    store.refuses = None
    assert session.retry()
    assert len(store.engine.sample_sets(RUBRIC)) == 1


def test_a_set_scores_under_the_published_version_and_under_the_draft(session: BuilderSession) -> None:
    answer_buying(session)
    session.apply(set_node(session.version, node_id(session, "security"), weight=3.0), "weigh")
    assert session.published is not None
    assert session.sample_set is not None
    before = session.score_of(session.published, session.sample_set)
    after = session.score_of(session.version, session.sample_set)
    assert before is not None
    assert after is not None
    assert (before.normalized_score, after.normalized_score) == (0.75, 0.625)


def test_keys_of_the_base_are_known_to_be_published(session: BuilderSession) -> None:
    assert "encryption" in session.base_keys
