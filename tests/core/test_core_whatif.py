"""Stored answers under a draft, and sample answers in another version."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from core_strategies import Dice, dice, make_answers, make_version, quick
from hypothesis import given

from rubrictui.core.answer_fill import (
    answers_by_key,
    fill_best,
    fill_random,
    fill_worst,
    sample_answers,
)
from rubrictui.core.model import (
    Band,
    Level,
    Node,
    NotApplicablePolicy,
    Outcome,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.core.records import SampleAnswer
from rubrictui.core.scoring import compute
from rubrictui.core.whatif import OutcomeShift, StoredAnswers, rescore

YES = Scale(
    id="yes",
    levels=(
        Level(id="y0", label="No", normalized_value=0, sequence=0),
        Level(id="y1", label="Yes", normalized_value=1, sequence=1),
    ),
)
COST = Scale(
    id="cost", scale_type=ScaleType.NUMERIC, min_value=0, max_value=10, step=4, higher_is_better=False
)


def version(*weights: float, **fields: Any) -> VersionSnapshot:
    nodes = tuple(
        Node(id=f"id-{place}", key=f"k{place}", scale_id="yes", weight=weight, sequence=place)
        for place, weight in enumerate(weights)
    )
    return VersionSnapshot(nodes=nodes, scales=(YES, COST), **fields)


def said(level: str | None = None, **fields: Any) -> SampleAnswer:
    return SampleAnswer(level_id=level, level_label={"y0": "No", "y1": "Yes"}.get(level or ""), **fields)


# --- fill-ins and sample sets -----------------------------------------------------------------------


@quick
@given(dice)
def test_fill_ins_are_legal_and_the_best_and_worst_there_is(rolled: Dice) -> None:
    made = make_version(rolled)
    best, worst = compute(made, fill_best(made)), compute(made, fill_worst(made))
    chance = compute(made, fill_random(made, rolled.number()))
    if best.normalized_score is not None and worst.normalized_score is not None:
        assert best.normalized_score == 1
        assert worst.normalized_score == 0
        if chance.normalized_score is not None:
            assert 0 <= chance.normalized_score <= 1
    assert fill_random(made, 7) == fill_random(made, 7)


def test_the_ends_of_a_numeric_scale_are_on_its_steps_and_follow_its_direction() -> None:
    up = msgspec.structs.replace(COST, id="up", higher_is_better=True)
    nodes = (Node(id="a", key="a", scale_id="cost"), Node(id="b", key="b", scale_id="up"))
    made = VersionSnapshot(nodes=nodes, scales=(COST, up))
    assert [answer.raw_value for answer in fill_best(made)] == [0, 8]
    assert [answer.raw_value for answer in fill_worst(made)] == [8, 0]


@quick
@given(dice)
def test_kept_answers_come_back_as_they_were(rolled: Dice) -> None:
    made = make_version(rolled)
    answers = [a for a in make_answers(rolled, made) if a.is_answered]
    back = answers_by_key(made, sample_answers(made, answers))
    plain = {(a.criterion_id, a.scale_level_id, a.raw_value, a.is_not_applicable) for a in answers}
    assert {(a.criterion_id, a.scale_level_id, a.raw_value, a.is_not_applicable) for a in back} == plain


@pytest.mark.parametrize(
    ("kept", "level", "found"),
    [
        (said("y1"), "y1", True),
        (SampleAnswer(level_id="elsewhere", level_label=" YES "), "y1", True),
        (SampleAnswer(level_id="elsewhere", level_label="Maybe"), None, False),
        (SampleAnswer(raw_value=1), None, False),
        (SampleAnswer(is_not_applicable=True), None, False),
        (SampleAnswer(), None, False),
    ],
)
def test_a_kept_answer_finds_its_level_by_id_then_by_label_or_is_left_out(
    kept: SampleAnswer, level: str | None, found: bool
) -> None:
    made = version(1, not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED)
    answers = answers_by_key(made, {"k0": kept, "gone": said("y1")})
    assert len(answers) == found
    assert [answer.scale_level_id for answer in answers] == [level] * found


# --- what if ------------------------------------------------------------------------------------------


def test_outcomes_movers_bands_and_lost_answers_are_counted() -> None:
    bands = (
        Band(id="l", label="Low", min_score=0, max_score=0.5),
        Band(id="h", label="High", min_score=0.5, max_score=1),
    )
    base = version(1, 1, pass_threshold=0.6, bands=bands)
    heavier = version(1, 3, 1, pass_threshold=0.6, bands=bands)
    draft = msgspec.structs.replace(
        heavier,
        nodes=(
            heavier.nodes[0],
            heavier.nodes[1],
            msgspec.structs.replace(heavier.nodes[2], key="new", is_advisory=True),
        ),
    )
    rows = [
        StoredAnswers(evaluation_id="a", title="A", answers={"k0": said("y0"), "k1": said("y1")}),
        StoredAnswers(evaluation_id="b", title="B", answers={"k0": said("y1"), "k1": said("y1")}),
        StoredAnswers(evaluation_id="c", title="C", answers={"k0": said("y1"), "k1": said("y0")}),
        StoredAnswers(evaluation_id="d", title="D", answers={"gone": said("y1"), "k0": said("y9")}),
    ]
    found = rescore(base, draft, rows)
    assert (found.total, found.compared) == (4, 3)
    assert found.outcome_changes == 1
    assert found.band_changes == 1  # 0.5 is High, 0.25 is Low
    assert found.mean_change == pytest.approx((0.25 + 0 - 0.25) / 3)
    assert [(m.title, m.before, m.after) for m in found.movers] == [("A", 0.5, 0.75), ("C", 0.5, 0.25)]
    assert found.movers[0].outcome_after is Outcome.PASSED
    assert OutcomeShift(before=Outcome.BELOW_THRESHOLD, after=Outcome.PASSED, count=1) in found.shifts
    assert [(lost.key, lost.criterion_gone, lost.count) for lost in found.lost] == [
        ("gone", True, 1),
        ("k0", False, 1),
    ]
    assert found.new_keys == ("new",)


def test_a_level_of_a_copied_scale_is_found_by_its_label() -> None:
    copied = Scale(
        id="copy", levels=tuple(msgspec.structs.replace(level, id=f"c-{level.id}") for level in YES.levels)
    )
    base = version(1)
    node = msgspec.structs.replace(base.nodes[0], id="other", scale_id="copy")
    draft = msgspec.structs.replace(base, nodes=(node,), scales=(copied,))
    rows = [StoredAnswers(evaluation_id="a", answers={"k0": said("y1")})]
    found = rescore(base, draft, rows)
    assert found.lost == ()
    assert found.mean_change == 0
    assert found.movers == ()


def test_nothing_stored_is_nothing_changed() -> None:
    found = rescore(version(1), version(2), [])
    assert (found.total, found.outcome_changes, found.mean_change, found.shifts) == (0, 0, None, ())


def test_reading_ends_when_the_caller_says_so() -> None:
    told: list[int] = []

    def progress(rows: int) -> bool:
        told.append(rows)
        return rows >= 1_000

    rows = (StoredAnswers(evaluation_id=str(n), answers={"k0": said("y1")}) for n in range(5_000))
    found = rescore(version(1), version(2), rows, progress=progress)
    assert found.total == 1_000
    assert told == [500, 1_000]


@quick
@given(dice)
def test_both_sides_are_scored_as_compute_scores_them(rolled: Dice) -> None:
    base = make_version(rolled)
    draft = msgspec.structs.replace(
        base, nodes=tuple(msgspec.structs.replace(node, weight=node.weight + 1) for node in base.nodes)
    )
    answers = make_answers(rolled, base)
    found = rescore(base, draft, [StoredAnswers(evaluation_id="a", answers=sample_answers(base, answers))])
    before, after = compute(base, answers), compute(draft, answers)
    [shift] = found.shifts
    assert (shift.before, shift.after) == (before.outcome, after.outcome)
    for mover in found.movers:
        assert (mover.before, mover.after) == (before.normalized_score, after.normalized_score)
