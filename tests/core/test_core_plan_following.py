"""A draft compiled after a change scores as if it were compiled anew."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from core_strategies import SCALES, Dice, dice, make_answers, make_version, quick
from hypothesis import given

from rubrictui.core import plan as plans
from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import Answer, Node, NotApplicablePolicy, RollupMethod, VersionSnapshot
from rubrictui.core.scoring import compute

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


@pytest.mark.parametrize("weight", [-1.0, float("inf"), float("nan")])
def test_a_weight_that_no_score_can_be_computed_with_is_refused_and_can_be_corrected(weight: float) -> None:
    first = VersionSnapshot(id="draft", nodes=tree(), scales=SCALES)
    plans.plan_of(first)
    bad = msgspec.structs.replace(first.nodes[3], weight=weight)
    with pytest.raises(InvalidInputError, match='Criterion "k3": the weight is'):
        plans.plan_of(msgspec.structs.replace(first, nodes=(*first.nodes[:3], bad, *first.nodes[4:])))
    assert plans.plan_of(msgspec.structs.replace(first, pass_threshold=0.5)).pass_threshold == 0.5
