"""A draft scored state after state scores as if each state were the first."""

from __future__ import annotations

from typing import Any

import pytest
from core_strategies import SCALES, Dice, dice, make_answers, make_version, quick
from hypothesis import given
from msgspec.structs import replace

from rubrictui.core import live_scoring
from rubrictui.core.editing import delete, duplicate, move, outdent
from rubrictui.core.errors import InvalidInputError, RubrictuiError, ScoringError
from rubrictui.core.live_scoring import LiveScorer
from rubrictui.core.model import (
    Answer,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    VersionSnapshot,
    fold_id,
)
from rubrictui.core.scoring import compute
from rubrictui.core.tree import tidy, window

CHANGES: dict[str, tuple[Any, ...]] = {
    "name": ("Anew",),
    "key": ("a", "b", "c", "d"),
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
        nodes[place] = replace(nodes[place], **{field: rolled.choose(CHANGES[field])})
    threshold = rolled.choose([None, 0.4, 0.9])
    return replace(version, nodes=tuple(nodes), pass_threshold=threshold)


def by_id(answers: list[Answer]) -> dict[str, Answer]:
    return {fold_id(answer.criterion_id): answer for answer in answers}


def told(version: VersionSnapshot, answers: list[Answer], scorer: LiveScorer | None = None) -> Any:
    """The result, or the refusal; from nothing unless a scorer is given."""
    given = by_id(answers)
    try:
        if scorer is None:
            return compute(replace(version), given.values())
        live = scorer.score(version, given)
    except RubrictuiError as error:
        return type(error), str(error)
    assert live.rows == {row.id: row for row in live.result.nodes}
    return live.result


@quick
@given(dice)
def test_every_state_scores_as_if_it_were_the_first(rolled: Dice) -> None:
    version = tidy(make_version(rolled))
    scorer = LiveScorer()
    answers: list[Answer] = []
    for _ in range(8):
        assert told(version, answers, scorer) == told(version, answers)
        version = changed(version, rolled)
        known = by_id(answers)
        answers = [known.get(fold_id(new.criterion_id), new) for new in make_answers(rolled, version)]
        if rolled.choose([True, False]):
            answers = make_answers(rolled, version)


def tree(weight: float = 1.0) -> tuple[Node, ...]:
    return tuple(
        Node(id=f"n{place}", key=f"k{place}", scale_id="words", weight=weight, sequence=place)
        for place in range(8)
    )


def grown() -> VersionSnapshot:
    """Three groups of eight criteria."""
    nodes: list[Node] = []
    for n in range(3):
        nodes.append(Node(id=f"g{n}", key=f"g{n}", node_type=NodeType.GROUP, sequence=n))
        nodes += [
            replace(leaf, id=f"g{n}-{leaf.id}", key=f"g{n}-{leaf.key}", parent_id=f"g{n}") for leaf in tree()
        ]
    return VersionSnapshot(id="draft", nodes=tuple(nodes), scales=SCALES)


def test_nothing_is_worked_out_again_that_an_edit_leaves_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    first = grown()
    scorer = LiveScorer()
    told(first, [], scorer)
    read: list[str] = []
    made: list[str] = []
    reading, row = live_scoring.read_unanswered, live_scoring.node_row
    monkeypatch.setattr(
        live_scoring, "read_unanswered", lambda leaf: [read.append(leaf.node.id), reading(leaf)][1]
    )
    monkeypatch.setattr(
        live_scoring,
        "node_row",
        lambda number, node, *r, **k: [made.append(node.id), row(number, node, *r, **k)][1],
    )
    monkeypatch.setattr(live_scoring, "compute", None)
    copied = duplicate(first, "g0-n7", new_id=iter(map(str, range(100))).__next__).version
    told(copied, [], scorer)
    assert read == ["0"]
    assert set(made) == {"0", "g0"}  # nothing is answered, so there are no shares yet
    read.clear()
    for state in (
        moved := move(copied, "g2", -1).version,
        rest := delete(moved, "g1").version,
        outdent(rest, "g0-n3").version,
        copied,
        first,
    ):
        live = told(state, [], scorer)
        assert live == compute(state, ())
        assert len(read) <= 9
        read.clear()


def test_a_number_of_a_node_that_went_serves_one_that_comes() -> None:
    first = grown()
    scorer = LiveScorer()
    told(first, [], scorer)
    for _ in range(5):
        told(delete(first, "g1").version, [], scorer)
        assert told(first, [], scorer) == told(first, [])
    assert scorer._board is not None
    assert len(scorer._board._rows) == len(first.nodes) + 1


@pytest.mark.parametrize(
    "nodes",
    [
        (Node(id="a", key="a", parent_id="gone", scale_id="words"),),
        (Node(id="a", key="a", scale_id="words"), Node(id="A", key="b", scale_id="words")),
        (Node(id="", key="a", scale_id="words"),),
        (
            Node(id="a", key="a", scale_id="words"),
            Node(id="b", key="b", parent_id="a", scale_id="words"),
        ),
        (
            Node(id="a", key="a", parent_id="b", node_type=NodeType.GROUP),
            Node(id="b", key="b", parent_id="a", node_type=NodeType.GROUP),
        ),
        (
            Node(id="a", key="a", parent_id="b", scale_id="words"),
            Node(id="b", key="b", node_type=NodeType.GROUP),
        ),
    ],
    ids=["no parent", "one id twice", "no id", "under a criterion", "a circle", "before its group"],
)
def test_nodes_that_stand_nowhere_are_scored_as_ever(nodes: tuple[Node, ...]) -> None:
    sound = VersionSnapshot(id="draft", nodes=tree(), scales=SCALES)
    broken = replace(sound, nodes=(*tree(), *nodes))
    scorer = LiveScorer()
    for version in (sound, broken, sound, broken, replace(broken, nodes=nodes), sound):
        assert told(version, [], scorer) == told(version, [])


def test_a_node_that_becomes_a_group_and_a_criterion_again_is_scored_as_what_it_is() -> None:
    first = VersionSnapshot(id="draft", nodes=tree(), scales=SCALES)
    group = replace(first.nodes[3], node_type=NodeType.GROUP)
    second = replace(first, nodes=(*first.nodes[:3], group, *first.nodes[4:]))
    scorer = LiveScorer()
    for version in (first, second, first):
        assert told(version, [], scorer) == told(version, [])


def test_answers_with_a_confidence_are_scored_with_it() -> None:
    version = grown()
    level = next(scale for scale in SCALES if scale.id == "words").levels[-1].id
    scorer = LiveScorer()
    told(version, [], scorer)
    answers = [Answer(criterion_id="g0-n1", scale_level_id=level, confidence=0.5)]
    expected = told(version, answers)
    assert expected.confidence == 0.5
    assert told(version, answers, scorer) == expected


def test_an_answer_that_is_refused_is_told_and_can_be_corrected() -> None:
    version = grown()
    scorer = LiveScorer()
    told(version, [], scorer)
    wrong = {f"g1-n{n}": Answer(criterion_id=f"g1-n{n}", scale_level_id="elsewhere") for n in (3, 1)}
    with pytest.raises(ScoringError) as refusal:
        scorer.score(version, wrong)
    assert refusal.value.key == "g1-k1"
    assert scorer.score(version, {}).result == compute(version, ())


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
    scorer = LiveScorer()
    told(first, [], scorer)
    bad = replace(first.nodes[3], weight=weight)
    with pytest.raises(InvalidInputError, match='Criterion "k3": the weight is'):
        scorer.score(replace(first, nodes=(*first.nodes[:3], bad, *first.nodes[4:])), {})
    assert told(replace(first, pass_threshold=0.5), [], scorer) == told(
        replace(first, pass_threshold=0.5), []
    )
