"""Edits of a scale: evenly spread scores until an author sets one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Scale, ScaleType
from rubrictui.core.scale_edits import (
    MAXIMUM_LEVELS,
    add_level,
    as_levels,
    as_numeric,
    delete_level,
    even_scores,
    is_even,
    move_level,
    new_levels_scale,
    score_of_value,
    set_level,
    spread_evenly,
)


def three() -> Scale:
    return new_levels_scale("Quality", ("a", "b", "c"))


def said(scale: Scale) -> list[tuple[str, float | None, float]]:
    return [(level.label, level.value, level.normalized_value) for level in scale.levels]


def test_proposed_scores_go_evenly_from_0_to_1() -> None:
    assert even_scores(2) == (0, 1)
    assert even_scores(4) == (0, 0.333333, 0.666667, 1)
    assert even_scores(1) == (1,)
    assert len(set(even_scores(MAXIMUM_LEVELS))) == MAXIMUM_LEVELS


def test_a_new_level_keeps_the_spread_even() -> None:
    scale = add_level(three(), "d", "Exceeds")
    assert said(scale) == [
        ("Miss", 0, 0),
        ("Partial", 1, 0.333333),
        ("Meets", 2, 0.666667),
        ("Exceeds", 3, 1),
    ]
    between = add_level(scale, "e", "Nearly", after="b")
    assert [level.label for level in between.levels] == ["Miss", "Partial", "Nearly", "Meets", "Exceeds"]
    assert is_even(between)
    assert [level.sequence for level in between.levels] == [0, 1, 2, 3, 4]


def test_a_score_set_by_hand_stays_when_levels_come_and_go() -> None:
    scale = set_level(three(), "b", normalized_value=0.8)
    assert not is_even(scale)
    assert said(add_level(scale, "d", "Nearly", after="b"))[1:3] == [("Partial", 1, 0.8), ("Nearly", 2, 0.9)]
    assert [level.normalized_value for level in delete_level(scale, "a").levels] == [0.8, 1]
    assert [level.normalized_value for level in spread_evenly(scale).levels] == [0, 0.5, 1]


def test_a_level_moves_with_a_score_set_by_hand_and_without_an_even_one() -> None:
    assert [(x.label, x.normalized_value) for x in move_level(three(), "c", -2).levels] == [
        ("Meets", 0),
        ("Miss", 0.5),
        ("Partial", 1),
    ]
    by_hand = set_level(three(), "b", normalized_value=0.8)
    assert [(x.label, x.normalized_value) for x in move_level(by_hand, "c", -9).levels] == [
        ("Meets", 1),
        ("Miss", 0),
        ("Partial", 0.8),
    ]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda s: set_level(s, "a", label="  "), "needs a label"),
        (lambda s: set_level(s, "a", label="meets "), "There is a level 'meets' already"),
        (lambda s: set_level(s, "a", normalized_value=1.2), "cannot score 1.2"),
        (lambda s: set_level(s, "gone", label="x"), "no longer on the scale"),
        (lambda s: add_level(s, "d", "Miss"), "already"),
    ],
)
def test_what_makes_no_scale_is_refused_in_one_line(edit: Callable[[Scale], Scale], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        edit(three())


def test_a_scale_has_at_most_fifty_levels() -> None:
    scale = three()
    for number in range(MAXIMUM_LEVELS - 3):
        scale = add_level(scale, f"n{number}", f"Level {number}")
    with pytest.raises(InvalidInputError, match="at most 50"):
        add_level(scale, "x", "One more")


def test_a_scale_turns_numeric_and_back() -> None:
    numeric = as_numeric(three())
    assert (numeric.scale_type, numeric.min_value, numeric.max_value, numeric.levels) == (
        ScaleType.NUMERIC, 0, 100, ()
    )  # fmt: skip
    assert numeric.is_percentage
    assert score_of_value(numeric, 25) == 0.25
    assert score_of_value(numeric, 101) is None
    back = as_levels(numeric, ("x", "y", "z"))
    assert (back.min_value, [level.label for level in back.levels]) == (None, ["Miss", "Partial", "Meets"])
