"""What people are called in one list, and scores on the range of their version."""

from __future__ import annotations

import pytest

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.namesakes import told_apart
from rubrictui.core.ranges import DisplayRange


@pytest.mark.parametrize(
    ("people", "words"),
    [
        ([("Ada Moreau", "a.moreau"), ("Ben", "ben")], ["Ada Moreau", "Ben"]),
        (
            [("Ada Moreau", "a.moreau"), ("ada moreau", "am2")],
            ["Ada Moreau (a.moreau)", "ada moreau (am2)"],
        ),
        ([("Ada Moreau", "a.moreau"), ("Ada Moreau", "a.moreau")], ["Ada Moreau"]),
        ([("ada", "ada"), ("Ada", "a.moreau")], ["ada", "Ada (a.moreau)"]),
    ],
)
def test_people_are_called_by_name_and_by_login_where_two_share_it(
    people: list[tuple[str, str]], words: list[str]
) -> None:
    assert list(told_apart(people).values()) == words


@pytest.mark.parametrize(
    ("low", "high", "score", "spread"),
    [
        (0.0, 100.0, "82.4", "82.4"),
        (0.0, 1.0, "0.82", "0.82"),
        (1.0, 5.0, "4.3", "3.3"),
        (100.0, 0.0, "17.6", "-82.4"),
        (-1e308, 1e308, "6.482000000000001e+307", "infinity"),
    ],
)
def test_a_score_is_read_on_the_range_of_its_version(
    low: float, high: float, score: str, spread: str
) -> None:
    version = VersionSnapshot(id="v", score_display_min=low, score_display_max=high)
    display = DisplayRange.of(version)
    assert (display.score(0.8241), display.spread(0.8241)) == (score, spread)
    assert display.score(None) == "–"
