"""A draft that is edited scores after every edit as if it had never been scored before."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from rubrictui.core.answer_fill import fill_random
from rubrictui.core.editing import (
    Edited,
    EditError,
    add_node,
    delete,
    duplicate,
    indent,
    move,
    outdent,
    rekey,
    set_node,
    set_version,
    use_scale,
)
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.live_scoring import LiveScorer
from rubrictui.core.model import (
    Answer,
    Level,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.core.scoring import compute

THREE = Scale(
    id="three",
    levels=tuple(Level(id=f"l{n}", label=str(n), normalized_value=n / 2, sequence=n) for n in range(3)),
)
RANGE = Scale(id="range", scale_type=ScaleType.NUMERIC, min_value=0, max_value=10)


def begun() -> VersionSnapshot:
    """Five groups of four criteria, two of the groups in others."""
    version = VersionSnapshot(id="draft", scales=(THREE, RANGE))
    for group in range(5):
        at, where = (f"g{group - 1}", "inside") if group % 2 else (None, "after")
        version = add_node(version, NodeType.GROUP, id=f"g{group}", at=at, where=where).version  # type: ignore[arg-type]
        for leaf in range(4):
            made = add_node(version, NodeType.CRITERION, id=f"c{group}{leaf}", at=f"g{group}", where="inside")
            version = use_scale(made.version, f"c{group}{leaf}", THREE).version
    return version


def one_edit(version: VersionSnapshot, roll: random.Random, step: int) -> Edited:
    """Some edit of some node, or of the version."""
    node = roll.choice(version.nodes)
    changes: list[dict[str, Any]] = [
        {"weight": roll.choice([0.0, 0.1, 1.0, 3.0])},
        {"is_advisory": not node.is_advisory},
        {"is_gate": not node.is_gate, "gate_minimum_score": roll.choice([None, 0.5, 0.9])},
        {"not_applicable_policy": roll.choice([None, *NotApplicablePolicy])},
        {"name": "Another name"},
        {"rollup_method": roll.choice(list(RollupMethod))},
    ]
    edits = [
        lambda: set_node(version, node.id, **roll.choice(changes)),
        lambda: rekey(version, node.id, f"{roll.choice('abyz')}{step}"),
        lambda: move(version, node.id, roll.choice([-1, 1])),
        lambda: indent(version, node.id),
        lambda: outdent(version, node.id),
        lambda: duplicate(version, node.id, new_id=lambda: f"n{step}-{roll.random()}"),
        lambda: delete(version, node.id) if len(version.nodes) > 8 else Edited(version=version),
        lambda: add_node(version, NodeType.CRITERION, id=f"a{step}", at=node.id, where="after"),
        lambda: use_scale(version, node.id, roll.choice([THREE, RANGE, None])),
        lambda: set_version(
            version,
            pass_threshold=roll.choice([None, 0.5]),
            not_applicable_policy=roll.choice(list(NotApplicablePolicy)),
        ),
    ]
    return roll.choice(edits)()


def outcome(version: VersionSnapshot, answers: dict[str, Answer], scorer: LiveScorer | None = None) -> object:
    try:
        return (
            scorer.score(version, answers).result if scorer else compute(replace(version), answers.values())
        )
    except RubrictuiError as error:
        return (type(error), str(error))


@pytest.mark.parametrize("seed", range(40))
def test_every_state_of_a_draft_scores_as_if_it_were_the_first(seed: int) -> None:
    roll = random.Random(seed)
    version = begun()
    scorer = LiveScorer()
    states = []
    answers: dict[str, Answer] = {}
    for step in range(30):
        try:
            version = one_edit(version, roll, step).version
        except EditError:
            continue
        filled = {answer.criterion_id: answer for answer in fill_random(version, seed * 100 + step)}
        # Most answers stay the same objects from state to state, as an author's do.
        answers = {own: answers.get(own, new) if roll.random() < 0.8 else new for own, new in filled.items()}
        expected = outcome(version, answers)
        assert outcome(version, answers, scorer) == expected
        states.append((version, answers, expected))
        if roll.random() < 0.2:
            assert outcome(version, {}, scorer) == outcome(version, {})
    for earlier, given, expected in states:  # and the states before still do
        assert outcome(earlier, given, scorer) == expected
