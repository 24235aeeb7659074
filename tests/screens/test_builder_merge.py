"""Choosing between two authors, conflict by conflict."""

from __future__ import annotations

from typing import Any

import pytest
from builder_host import BANDS, COMPLIANCE, SCALES, buying
from msgspec.structs import replace

from rubrictui.core.editing import add_node, delete, move, rekey, set_anchor, set_node, set_version
from rubrictui.core.merging import Merge, merge_drafts
from rubrictui.core.model import NodeType, VersionSnapshot
from rubrictui.screens.builder_merge import can_choose, conflict_words, settled, switched

BASE = VersionSnapshot(id="draft", rubric_name="Buying", nodes=buying(), scales=SCALES, bands=BANDS)


def own(key: str) -> str:
    return next(node.id for node in BASE.nodes if node.key == key)


def edited(key: str, **changes: Any) -> VersionSnapshot:
    return set_node(BASE, own(key), **changes).version


def merged(mine: VersionSnapshot, theirs: VersionSnapshot) -> Merge:
    return merge_drafts(BASE, mine, theirs)


def field(version: VersionSnapshot, key: str, name: str) -> Any:
    return next(getattr(node, name) for node in version.nodes if node.key == key)


@pytest.mark.parametrize(
    ("name", "mine", "theirs"),
    [
        ("weight", 2.0, 3.0),
        ("description", "Mine.", None),
        ("is_gate", True, True),
        ("evaluator_config", {"EvaluatorName": "LLM"}, {"EvaluatorName": "Decision"}),
        ("scale_id", COMPLIANCE.id, None),
    ],
)
def test_the_choice_of_a_field_is_taken(name: str, mine: Any, theirs: Any) -> None:
    base = set_node(BASE, own("notes"), description="Before.").version
    sides = [set_node(base, own("notes"), **{name: value}).version for value in (mine, theirs)]
    merge = merge_drafts(base, *sides)
    assert field(settled(merge, ()), "notes", name) == mine
    assert field(settled(merge, range(len(merge.conflicts))), "notes", name) == theirs


def test_only_the_conflicts_chosen_go_to_the_other_side() -> None:
    mine = set_node(edited("notes", weight=2.0), own("price"), name="My price").version
    theirs = set_node(edited("notes", weight=3.0), own("price"), name="Their price").version
    merge = merged(mine, theirs)
    place = next(i for i, each in enumerate(merge.conflicts) if each.key == "notes")
    version = settled(merge, [place])
    assert field(version, "notes", "weight") == 3.0
    assert field(version, "price", "name") == "My price"


def test_what_one_removed_and_the_other_changed_stays_or_goes_as_chosen() -> None:
    merge = merged(delete(BASE, own("security")).version, edited("security", weight=4.0))
    (conflict,) = [each for each in merge.conflicts if each.key == "security"]
    assert conflict_words(conflict, merge.version) == ("Security: being there", "removed", "stays")
    keys = [node.key for node in settled(merge, ()).nodes]
    assert "security" not in keys
    everything = range(len(merge.conflicts))
    assert field(settled(merge, everything), "security", "weight") == 4.0


def test_a_rule_of_the_version_and_an_anchor_are_chosen_too() -> None:
    level = COMPLIANCE.levels[0].id
    mine = set_anchor(set_version(BASE, pass_threshold=0.5).version, own("access"), level, "Mine.").version
    theirs = set_anchor(set_version(BASE, pass_threshold=0.9).version, own("access"), level, "").version
    merge = merged(mine, theirs)
    words = [conflict_words(each, merge.version)[0] for each in merge.conflicts]
    assert words == ["the version: pass threshold", "Access control: anchor of Non-compliant"]
    version = settled(merge, range(2))
    assert version.pass_threshold == 0.9
    assert level not in [anchor.scale_level_id for anchor in field(version, "access", "anchors")]
    assert field(settled(merge, ()), "access", "anchors")[0].descriptor == "Mine."


def test_a_band_is_chosen_by_its_label() -> None:
    mine = replace(BASE, bands=(replace(BANDS[0], max_score=0.5), BANDS[1]))
    theirs = replace(BASE, bands=(replace(BANDS[0], max_score=0.7), BANDS[1]))
    merge = merged(mine, theirs)
    assert settled(merge, ()).bands[0].max_score == 0.5
    assert settled(merge, [0]).bands[0].max_score == 0.7


def test_an_order_that_both_changed_is_settled_by_the_merge() -> None:
    mine = move(BASE, own("delivery"), -1).version
    theirs = move(BASE, own("notes"), -1).version
    conflicts = merged(mine, theirs).conflicts
    assert [each.field for each in conflicts] == ["place"]
    assert not can_choose(conflicts[0])


def test_their_word_reaches_a_node_to_which_they_gave_another_key() -> None:
    theirs = rekey(edited("notes", weight=3.0), own("notes"), "remarks").version
    merge = merged(edited("notes", weight=2.0), theirs)
    place = next(i for i, each in enumerate(merge.conflicts) if each.field == "weight")
    assert field(settled(merge, [place]), "remarks", "weight") == 3.0
    assert field(settled(merge, ()), "remarks", "weight") == 2.0


def test_a_criterion_or_a_band_with_the_key_version_is_not_the_version() -> None:
    base = add_node(BASE, NodeType.CRITERION, id="v", name="Version", at=None, where="after").version
    assert base.nodes[-1].key == "version"
    base = replace(base, bands=(replace(BANDS[0], label="version"), *BANDS[1:]))
    sides = [set_node(base, "v", weight=weight).version for weight in (2.0, 3.0)]
    merge = merge_drafts(base, *sides)
    (conflict,) = merge.conflicts
    assert conflict_words(conflict, merge.version)[0] == "Version: weight"
    version = settled(merge, [0])
    assert field(version, "version", "weight") == 3.0
    assert version.bands == base.bands


def test_what_is_to_stay_keeps_the_group_above_it() -> None:
    merge = merged(delete(BASE, own("security")).version, edited("encryption", weight=4.0))
    fields = {each.key: place for place, each in enumerate(merge.conflicts) if each.field == "presence"}
    assert set(fields) == {"security", "encryption"}
    chosen = switched(merge, (), fields["encryption"])
    assert chosen == set(fields.values())  # the group is shown to stay with it
    assert field(settled(merge, chosen), "encryption", "weight") == 4.0
    assert switched(merge, chosen, fields["security"]) == set()  # and goes with all that is inside
    assert "encryption" in [node.key for node in settled(merge, {fields["encryption"]}).nodes]
