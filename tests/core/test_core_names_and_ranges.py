"""What people are called in one list, and scores on the range of their version."""

from __future__ import annotations

import pytest

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.namesakes import called, told_apart
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import Context


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


ROUNDS = (
    Context(id="1", entity="Round", record_id="spring", name="Spring awards"),
    Context(id="2", entity="Term", record_id="Spring", name="The term"),
    Context(id="3", entity="Round", record_id="r-3", name="Prize"),
    Context(id="4", entity="Term", record_id="t-4", name="prize"),
)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("spring", "1"),
        ("Spring", "2"),
        ("SPRING", "12"),
        (" spring AWARDS ", "1"),
        ("Prize", "3"),
        ("PRIZE", "34"),
        ("r-3", "3"),
        ("spr", ""),
        ("", ""),
    ],
)
def test_a_round_is_called_by_its_name_or_record_to_the_letter_before_any_case(name: str, ids: str) -> None:
    assert "".join(one.id for one in called(name, ROUNDS)) == ids
