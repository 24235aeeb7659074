"""The board of versions: a card each, with what changed, who did it, and what was scored on it."""

from __future__ import annotations

import msgspec
import pytest
from engine_world import World, answers

from rubrictui.core.canonical import content_hash
from rubrictui.core.model import Bump, VersionSnapshot, VersionStatus
from rubrictui.core.records import Role
from rubrictui.engine import NotFoundError, PublishRefusedError, StaleDraftError

change = msgspec.structs.replace


def test_a_card_says_what_changed_who_did_it_and_what_was_scored(
    world: World, paper: VersionSnapshot
) -> None:
    world.user("rita").submit_human_rubric(
        version_id=paper.id, subject="Paper/tides", answers=answers(clarity="meets")
    )
    ada = world.user("ada", Role.AUTHOR)
    ada.save_draft(change(ada.start_draft("Paper review"), pass_threshold=0.5))
    ada.publish("Paper review", requested_bump=Bump.MAJOR, summary="A threshold.")
    ada.retire("Paper review@1.0.0")
    draft = world.chief.start_draft("Paper review")
    world.chief.save_draft(change(draft, instructions="Read twice."))
    first, second, third = world.chief.version_cards("paper review")

    assert first.summary.status is VersionStatus.DRAFT
    assert (first.based_on_number, first.summary.revision, first.summary.saved_by) == ("2.0.0", 1, "chief")
    assert [row.property for row in first.changes] == ["Instructions"]

    assert (second.summary.number, second.based_on_number) == ("2.0.0", "1.0.0")
    assert (second.summary.computed_bump, second.summary.applied_bump) == (Bump.MINOR, Bump.MAJOR)
    assert (second.summary.published_by, second.summary.change_summary) == ("ada", "A threshold.")
    (row,) = second.changes
    assert (row.bump, row.property, row.before, row.after) == (Bump.MINOR, "PassThreshold", None, 0.5)
    assert row.reason

    assert (third.summary.number, third.summary.status) == ("1.0.0", VersionStatus.RETIRED)
    assert (third.summary.retired_by, third.summary.evaluation_count) == ("ada", 1)
    assert (third.changes, third.based_on_number) == ((), None)
    assert third.summary.content_hash
    assert third.summary.scoring_hash == second.summary.scoring_hash


def test_restoring_forgets_who_retired_it(world: World, paper: VersionSnapshot) -> None:
    world.chief.retire(paper.id)
    restored = world.chief.restore(paper.id)
    assert (restored.status, restored.retired_at, restored.retired_by) == (
        VersionStatus.PUBLISHED,
        None,
        None,
    )
    assert world.chief.version("Paper review") == paper


def test_a_rubric_that_is_not_there_has_no_board(world: World) -> None:
    with pytest.raises(NotFoundError):
        world.chief.version_cards("Nothing")


def test_a_criterion_that_came_and_went_leaves_no_trace_in_what_is_published(
    world: World, paper: VersionSnapshot
) -> None:
    draft = world.chief.start_draft("Paper review")
    last = draft.nodes[-1]
    moved = change(draft, nodes=(*draft.nodes[:-1], change(last, sequence=last.sequence + 3)))
    world.chief.save_draft(moved)
    assert world.chief.version("Paper review@draft").nodes[-1].sequence == last.sequence + 3
    assert world.chief.diff("Paper review", "1.0.0", "draft").changes == ()
    assert world.chief.version_cards("Paper review")[0].changes == ()
    with pytest.raises(PublishRefusedError, match="identical to its base"):
        world.chief.publish("Paper review")
    world.chief.save_draft(change(moved, instructions="Read twice."))
    world.chief.publish("Paper review")
    latest = world.chief.version("Paper review")
    assert latest.nodes[-1].sequence == last.sequence
    assert [row.property for row in world.chief.diff("Paper review", "1.0.0", "1.0.1").changes] == [
        "Instructions"
    ]
    (card, *_) = world.chief.version_cards("Paper review")
    assert card.summary.content_hash == content_hash(latest)


def test_a_discarded_draft_leaves_the_versions_and_can_be_begun_again(
    world: World, paper: VersionSnapshot
) -> None:
    before = world.chief.version_cards("Paper review")
    draft = world.chief.start_draft("Paper review")
    world.chief.save_draft(change(draft, pass_threshold=0.5))
    world.chief.discard_draft("Paper review")
    assert world.chief.version_cards("Paper review") == before
    with pytest.raises(NotFoundError, match="may have been discarded"):
        world.chief.save_draft(draft, revision=1, base=draft)
    assert world.chief.start_draft("Paper review").pass_threshold is None


def test_a_draft_that_was_saved_after_it_was_looked_at_is_not_published(
    world: World, paper: VersionSnapshot
) -> None:
    chief = world.chief
    draft = chief.start_draft("Paper review")
    looked_at = chief.draft_revision("Paper review")
    chief.save_draft(msgspec.structs.replace(draft, instructions="Read it twice."))
    with pytest.raises(StaleDraftError):
        chief.publish("Paper review", revision=looked_at)
    assert chief.publish("Paper review", revision=chief.draft_revision("Paper review")).number == "1.0.1"


def test_two_versions_are_read_at_one_moment(world: World, paper: VersionSnapshot) -> None:
    world.chief.start_draft("Paper review")
    older, newer = world.chief.two_versions("Paper review", "1.0.0", "draft")
    assert (older.number, newer.number) == ("1.0.0", None)
    assert older.scales == newer.scales
