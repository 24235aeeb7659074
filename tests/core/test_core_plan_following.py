"""A draft compiled after a change scores as if it were compiled anew."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from core_strategies import SCALES, Dice, dice, make_answers, make_version, quick
from hypothesis import given
from msgspec.structs import replace

from rubrictui.core import plan as plans
from rubrictui.core.editing import delete, duplicate, move, outdent
from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import Answer, Node, NodeType, NotApplicablePolicy, RollupMethod, VersionSnapshot
from rubrictui.core.scoring import compute
from rubrictui.core.tree import window

CHANGES: dict[str, tuple[Any, ...]] = {
    "name": ("Anew",),
    "weight": (0, 1, 0.25, 7),
    "is_advisory": (True, False),
    "is_gate": (True, False),
    "gate_minimum_score": (None, 0.5),
    "rollup_method": (None, *RollupMethod),
    "not_applicable_policy": (None, *NotApplicablePolicy),
    "scale_id": tuple(scale.id for scale in SCALES),
}


def changed(version: VersionSnapshot, rolled: Dice) -> VersionSnapshot:
    nodes = list(version.nodes)
    for _ in range(rolled.choose([1, 1, 2])):
        place = rolled.number() % len(nodes)
        field = rolled.choose(list(CHANGES))
        nodes[place] = msgspec.structs.replace(nodes[place], **{field: rolled.choose(CHANGES[field])})
    threshold = rolled.choose([None, 0.4, 0.9])
    return msgspec.structs.replace(version, nodes=tuple(nodes), pass_threshold=threshold)


def told(version: VersionSnapshot, answers: list[Answer]) -> Any:
    """The result, or the refusal."""
    try:
        return compute(version, answers)
    except RubrictuiError as error:
        return type(error), str(error)


@quick
@given(dice)
def test_a_changed_draft_scores_as_if_it_were_compiled_anew(rolled: Dice) -> None:
    version = msgspec.structs.replace(make_version(rolled), id="draft")
    for _ in range(6):
        told(version, [])
        version = changed(version, rolled)
        answers = make_answers(rolled, version)
        anew = msgspec.structs.replace(version, id="")
        assert told(version, answers) == told(anew, answers)


def tree(weight: float = 1.0) -> tuple[Node, ...]:
    return tuple(
        Node(id=f"n{place}", key=f"k{place}", scale_id="words", weight=weight, sequence=place)
        for place in range(8)
    )


def test_leaves_that_did_not_change_are_the_same_objects() -> None:
    first = VersionSnapshot(id="draft", nodes=tree(), scales=SCALES)
    before = plans.plan_of(first)
    nodes = (*first.nodes[:3], msgspec.structs.replace(first.nodes[3], weight=2), *first.nodes[4:])
    after = plans.plan_of(msgspec.structs.replace(first, nodes=nodes))
    same = [a is b for a, b in zip(before.leaves, after.leaves, strict=True)]
    assert same == [True] * 3 + [False] + [True] * 4


def test_a_moved_subtree_leaves_all_else_as_it_was_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [Node(id=f"g{n}", key=f"g{n}", node_type=NodeType.GROUP, sequence=n) for n in range(3)]
    nodes: list[Node] = []
    for each in groups:
        nodes.append(each)
        nodes += [
            replace(leaf, id=f"{each.id}-{leaf.id}", key=f"{each.key}-{leaf.key}", parent_id=each.id)
            for leaf in tree()
        ]
    first = VersionSnapshot(id="moved", nodes=tuple(nodes), scales=SCALES)
    before = plans.plan_of(first)
    compiled: list[str] = []
    anew = plans._compile

    def compile_and_tell(version: VersionSnapshot, base: Any) -> Any:
        compiled.append(version.id)
        return anew(version, base)

    monkeypatch.setattr(plans, "_compile", compile_and_tell)
    copied = duplicate(first, "g0", new_id=iter(map(str, range(100))).__next__).version
    moved = move(copied, "g2", -1).version
    rest = delete(moved, "g1").version
    for state in (copied, moved, rest, outdent(rest, "g0-n3").version):
        after = {leaf.node.id: leaf for leaf in plans.plan_of(state).leaves}
        stayed = [leaf for leaf in before.leaves if leaf.node in state.nodes]
        assert len(stayed) >= 15
        assert all(after[leaf.node.id] is leaf for leaf in stayed)
        assert told(state, []) == told(replace(state, id=""), [])
    assert set(compiled) == {""}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("abc", "abc", (3, 3, 3)),
        ("abc", "axc", (1, 2, 2)),
        ("abc", "abxc", (2, 2, 3)),
        ("aab", "ab", (1, 2, 1)),
        ("", "ab", (0, 0, 2)),
        ("abcd", "acbd", (1, 3, 3)),
        ("abc", "xyz", (0, 3, 3)),
    ],
)
def test_a_window_holds_what_differs(old: str, new: str, found: tuple[int, int, int]) -> None:
    assert window(list(old), list(new)) == found


@pytest.mark.parametrize("weight", [-1.0, float("inf"), float("nan")])
def test_a_weight_that_no_score_can_be_computed_with_is_refused_and_can_be_corrected(weight: float) -> None:
    first = VersionSnapshot(id="draft", nodes=tree(), scales=SCALES)
    plans.plan_of(first)
    bad = msgspec.structs.replace(first.nodes[3], weight=weight)
    with pytest.raises(InvalidInputError, match='Criterion "k3": the weight is'):
        plans.plan_of(msgspec.structs.replace(first, nodes=(*first.nodes[:3], bad, *first.nodes[4:])))
    assert plans.plan_of(msgspec.structs.replace(first, pass_threshold=0.5)).pass_threshold == 0.5
