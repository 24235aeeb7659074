"""Changes as people read them: word by word, by subject, moves as moves."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_core_editing import small

from rubrictui.core import editing
from rubrictui.core.change_view import ChangeGroup, change_groups, made_way
from rubrictui.core.model import Bump, NodeType, VersionSnapshot
from rubrictui.core.text_diff import Part, word_diff
from rubrictui.core.versions import diff_versions


def marked(old: str, new: str) -> str:
    marks = {Part.SAME: "{}", Part.REMOVED: "[-{}-]", Part.ADDED: "[+{}+]"}
    return "".join(marks[part].format(text) for part, text in word_diff(old, new))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("same text", "same text", "same text"),
        ("In transit only.", "In transit and at rest.", "In transit [-only-][+and at rest+]."),
        ("two working days", "three working days", "[-two-][+three+] working days"),
        ("red and blue", "green or blue", "[-red and-][+green or+] blue"),
        ("a b", "a\nb", "a[- -][+\n+]b"),
        ("", "all new", "[+all new+]"),
        ("gone", "", "[-gone-]"),
        ("don't", "do not", "[-don't-][+do not+]"),
        ("日本語", "日本人", "[-日本語-][+日本人+]"),
    ],
)
def test_texts_differ_word_by_word(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


@given(st.text("ab, .\n", max_size=40), st.text("ab, .\n", max_size=40))
def test_the_parts_make_both_texts_again(old: str, new: str) -> None:
    parts = word_diff(old, new)
    assert "".join(text for part, text in parts if part is not Part.ADDED) == old
    assert "".join(text for part, text in parts if part is not Part.REMOVED) == new


def test_a_very_long_text_differs_in_its_middle() -> None:
    words = [f"word{n}" for n in range(6_000)]
    changed = [*words[:3_000], "other", *words[3_001:]]
    parts = word_diff(" ".join(words), " ".join(changed))
    assert [(part, text) for part, text in parts if part is not Part.SAME] == [
        (Part.REMOVED, "word3000"),
        (Part.ADDED, "other"),
    ]


def groups_of(new: VersionSnapshot, **values: Any) -> tuple[ChangeGroup, ...]:
    base = small()
    return change_groups(diff_versions(base, new), base, new, **values)


def told(groups: tuple[ChangeGroup, ...]) -> list[tuple[str, list[tuple[str, str | None, str | None]]]]:
    return [(" / ".join(g.path), [(row.what, row.before, row.after) for row in g.rows]) for g in groups]


def test_of_siblings_in_a_new_order_only_the_one_that_moved_is_told() -> None:
    moved = editing.move(small(), "id-quality", 2).version
    assert len(diff_versions(small(), moved).changes) == 3
    assert told(groups_of(moved)) == [
        ("Quality", [("Moved", "1 of 3, first", "3 of 3, after Notes")]),
    ]
    assert made_way(diff_versions(small(), moved), groups_of(moved)) == 2


def test_a_move_to_another_group_names_both() -> None:
    moved = editing.move_to(small(), "id-notes", "id-safety", 1).version
    [group] = groups_of(moved)
    assert told((group,)) == [("Safety / Notes", [("Moved", "at the top level", "in Safety")])]
    assert group.bump is Bump.MAJOR


def test_changes_stand_together_in_the_order_of_the_tree_and_are_filtered_by_bump() -> None:
    version = small()
    version = editing.set_node(version, "id-training", weight=3, description="How they train.").version
    version = editing.set_node(version, "id-price", guidance="Ask for the list.").version
    version = editing.set_version(version, pass_threshold=0.6).version
    assert told(groups_of(version)) == [
        ("The version", [("Pass threshold", "none", "0.6")]),
        ("Quality / Price", [("Guidance", "none", "Ask for the list.")]),
        ("Safety / Training", [("Weight", "1", "3"), ("Description", "none", "How they train.")]),
    ]
    assert [group.title for group in groups_of(version, bumps=[Bump.MAJOR])] == ["Training"]
    assert [g.title for g in groups_of(version, bumps=[Bump.PATCH])] == ["Price", "Training"]


def test_anchors_are_told_level_by_level() -> None:
    base = editing.set_anchor(small(), "id-price", "words-0", "nothing").version
    base = editing.set_anchor(base, "id-price", "words-3", "all of it").version
    new = editing.set_anchor(base, "id-price", "words-3", "all of it, and more").version
    [group] = change_groups(diff_versions(base, new), base, new)
    assert [(row.what, row.before, row.after) for row in group.rows] == [
        ("Anchor Meets", "all of it", "all of it, and more")
    ]


def test_a_node_under_another_key_is_said_to_look_like_the_old_one() -> None:
    added, removed = groups_of(editing.rekey(small(), "id-price", "cost").version)
    assert added.rows[0].after == "criterion, weight 1, on words"
    assert "'price' under another key" in added.also
    assert "'cost'" in removed.also


def test_a_new_node_says_what_it_is_and_nothing_stands_before() -> None:
    new = editing.add_node(small(), NodeType.GROUP, id="n", name="Risk", at=None, where="inside").version
    [group] = groups_of(new)
    assert told((group,)) == [("Risk", [("Added", None, "group, weight 1")])]


def test_without_a_base_there_is_nothing_to_compare() -> None:
    assert change_groups(diff_versions(None, small()), None, small()) == ()
    assert groups_of(msgspec.structs.replace(small(), id="other")) == ()
