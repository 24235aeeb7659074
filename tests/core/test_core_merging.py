"""Two people's edits of one draft, merged: nothing of either is lost, and where they disagree is told."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from core_strategies import Dice, dice, quick
from hypothesis import given
from test_core_editing import assert_storable, outline, play, small

from rubrictui.core import editing
from rubrictui.core.merging import merge_drafts
from rubrictui.core.model import NodeType, VersionSnapshot

Edit = Callable[[VersionSnapshot], VersionSnapshot]


def done(*edits: Callable[[VersionSnapshot], editing.Edited]) -> VersionSnapshot:
    version = small()
    for edit in edits:
        version = edit(version).version
    return version


@quick
@given(dice)
def test_when_one_side_is_the_base_the_merge_is_the_other(rolled: Dice) -> None:
    base = small()
    changed = play(base, rolled, 15).version
    for mine, theirs in ((changed, base), (base, changed), (changed, changed)):
        merge = merge_drafts(base, mine, theirs)
        assert merge.version == changed
        assert merge.conflicts == ()


@quick
@given(dice, dice)
def test_any_two_drafts_merge_into_a_tree_the_store_can_hold(first: Dice, second: Dice) -> None:
    base = small()
    mine, theirs = play(base, first, 12).version, play(base, second, 12).version
    # Each side makes ids of its own.
    renamed = {node.id: f"theirs-{node.id}" for node in theirs.nodes if node.id.startswith("new-")}
    theirs = msgspec.structs.replace(
        theirs,
        nodes=tuple(
            msgspec.structs.replace(
                node,
                id=renamed.get(node.id, node.id),
                parent_id=renamed.get(node.parent_id or "", node.parent_id),
            )
            for node in theirs.nodes
        ),
    )
    merge = merge_drafts(base, mine, theirs)
    assert_storable(merge.version)
    there = {node.id for node in merge.version.nodes}
    was = {node.id for node in base.nodes}
    new = {node.id for v in (mine, theirs) for node in v.nodes} - was
    assert new <= there, "what either side added is there"


def test_edits_of_different_fields_and_places_meet_without_conflict() -> None:
    mine = done(
        lambda v: editing.set_node(v, "id-price", weight=3),
        lambda v: editing.set_anchor(v, "id-terms", "words-0", "none"),
        lambda v: editing.add_node(v, NodeType.CRITERION, id="m", key="mine", at="id-price", where="after"),
        lambda v: editing.set_version(v, pass_threshold=0.6),
    )
    theirs = done(
        lambda v: editing.set_node(v, "id-price", guidance="Compare with last year."),
        lambda v: editing.set_anchor(v, "id-terms", "words-3", "all of them"),
        lambda v: editing.add_node(
            v, NodeType.CRITERION, id="t", key="theirs", at="id-safety", where="inside"
        ),
        lambda v: editing.delete(v, "id-notes"),
        lambda v: editing.set_version(v, instructions="Read it twice."),
    )
    merge = merge_drafts(small(), mine, theirs)
    assert merge.conflicts == ()
    assert outline(merge.version) == "quality(price mine terms) safety(training theirs)"
    price, terms = merge.version.nodes[1], merge.version.nodes[3]
    assert (price.weight, price.guidance) == (3, "Compare with last year.")
    assert [anchor.descriptor for anchor in terms.anchors] == ["none", "all of them"]
    assert (merge.version.pass_threshold, merge.version.instructions) == (0.6, "Read it twice.")


@pytest.mark.parametrize(
    ("mine", "theirs", "expected", "tree"),
    [
        (
            lambda v: editing.set_node(v, "id-price", weight=2),
            lambda v: editing.set_node(v, "id-price", weight=3),
            ("price", "weight"),
            "quality(price terms) safety(training) notes",
        ),
        (
            lambda v: editing.delete(v, "id-notes"),
            lambda v: editing.set_node(v, "id-notes", weight=3),
            ("notes", "presence"),
            "quality(price terms) safety(training) notes",
        ),
        (
            lambda v: editing.delete(v, "id-safety"),
            lambda v: editing.add_node(
                v, NodeType.CRITERION, id="t", key="new", at="id-safety", where="inside"
            ),
            ("safety", "presence"),
            "quality(price terms) safety(new) notes",
        ),
        (
            lambda v: editing.move_to(v, "id-quality", "id-safety"),
            lambda v: editing.move_to(v, "id-safety", "id-quality"),
            ("safety", "parent_id"),
            "safety(training quality(price terms)) notes",
        ),
        (
            lambda v: editing.rekey(v, "id-price", "cost"),
            lambda v: editing.rekey(v, "id-terms", "cost"),
            ("cost", "key"),
            "quality(cost cost-2) safety(training) notes",
        ),
        (
            lambda v: editing.move(v, "id-notes", -1),
            lambda v: editing.move(v, "id-notes", -2),
            ("version", "place"),
            "quality(price terms) notes safety(training)",
        ),
    ],
)
def test_where_both_changed_one_thing_mine_stands_and_it_is_told(
    mine: Callable[[VersionSnapshot], editing.Edited],
    theirs: Callable[[VersionSnapshot], editing.Edited],
    expected: tuple[str, str],
    tree: str,
) -> None:
    merge = merge_drafts(small(), done(mine), done(theirs))
    assert [(conflict.key, conflict.field) for conflict in merge.conflicts] == [expected]
    assert outline(merge.version) == tree
    assert_storable(merge.version)
