"""A phrase that is inserted stands apart from what is written before it."""

from __future__ import annotations

import pytest

from rubrictui.widgets.rationale_editor import set_apart


@pytest.mark.parametrize(
    ("before", "inserted"),
    [
        ("", "Well shown."),
        ("It is clear.", " Well shown."),
        ("see", " Well shown."),
        ("100%", " Well shown."),
        ("Good: ", "Well shown."),
        ("tab\t", "Well shown."),
        ("(", "Well shown."),
    ],
)
def test_a_phrase_is_set_apart_by_one_blank(before: str, inserted: str) -> None:
    assert set_apart(before, "Well shown.") == inserted


def test_a_phrase_with_its_own_blank_gets_no_second_one() -> None:
    assert set_apart("It is clear.", "\nWell shown.") == "\nWell shown."
