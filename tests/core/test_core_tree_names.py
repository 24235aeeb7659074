"""The names of a draft's nodes are counted right in every state, and edits that say they keep a draft tidy do."""

from __future__ import annotations

from collections import Counter

import pytest
from core_strategies import Dice, dice, quick
from hypothesis import given
from msgspec.structs import replace
from test_core_editing import play, small

from rubrictui.core import tree
from rubrictui.core.model import Node, fold_id
from rubrictui.core.tree import siblings_of, tidy
from rubrictui.core.tree_names import names_of


def counted(nodes: tuple[Node, ...]) -> tuple[dict[str, int], ...]:
    bare = [node.key.strip() for node in nodes]
    return (
        Counter(node.id for node in nodes),
        Counter(fold_id(node.id) for node in nodes),
        Counter(node.parent_id or "" for node in nodes),
        Counter(node.key for node in nodes),
        Counter(bare),
        Counter(key.casefold() for key in bare),
    )


def told(nodes: tuple[Node, ...]) -> tuple[dict[str, int], ...]:
    names = names_of(nodes)
    return (names.ids, names.folded_ids, names.parents, names.keys, names.bare_keys, names.folded_keys)


@quick
@given(dice)
def test_names_are_counted_right_in_every_state(rolled: Dice) -> None:
    states = [tidy(small())]
    for step in range(12):
        states.append(play(states[-1], rolled, 1, first_id=100 * step).version)
        assert told(states[-1].nodes) == counted(states[-1].nodes)
    for state in reversed(states):
        assert told(state.nodes) == counted(state.nodes)


def test_names_that_stand_twice_or_nowhere_are_counted_too() -> None:
    first = tidy(small()).nodes
    second = (*first, replace(first[0], key=" ", parent_id="gone"), replace(first[0], id=f" {first[0].id} "))
    for nodes in (first, second, first, (), second):
        assert told(nodes) == counted(nodes)


@quick
@given(dice)
def test_edits_keep_tidy_what_they_say_is_tidy(rolled: Dice) -> None:
    version = tidy(small())
    for step in range(12):
        version = play(version, rolled, 1, first_id=100 * step).version
        if tree._is_known_tidy(version.nodes):
            assert tree._is_tidy(version.nodes)
        for place, node in enumerate(tidy(version).nodes):
            nodes = tidy(version).nodes
            family = [each for each in nodes if each.parent_id == node.parent_id]
            assert siblings_of(nodes, node.parent_id, near=place) == family


@pytest.mark.parametrize("parent", ["gone", None])
def test_children_of_what_is_not_there_are_none(parent: str | None) -> None:
    nodes = tidy(small()).nodes
    assert siblings_of(nodes, "gone", near=len(nodes) - 1) == []
    assert siblings_of(nodes, parent, near=-1) == [each for each in nodes if each.parent_id == parent]
