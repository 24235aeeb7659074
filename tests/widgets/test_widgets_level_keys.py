"""Which key means which level, and how a level of two digits is typed."""

from __future__ import annotations

import pytest

from rubrictui.core.model import Level
from rubrictui.widgets.level_keys import LevelEntry, Pending, Picked, Refused, level_keys


def levels(*labels: str) -> tuple[Level, ...]:
    return tuple(Level(id=label, label=label) for label in labels)


@pytest.mark.parametrize(
    ("labels", "keys"),
    [
        (("Miss", "Partial", "Meets"), ["1", "2", "3"]),
        (("1", "2", "3", "4", "5"), ["1", "2", "3", "4", "5"]),
        (("5", "4", "3"), ["5", "4", "3"]),
        (("0", "1", "2"), ["0", "1", "2"]),
        (("4 - Good", "5 - Very good"), ["4", "5"]),
        (("3: fair", "4 Good"), ["3", "4"]),
        (("Miss", "2", "Meets"), ["1", "2", "3"]),
        (("1", "1 again", "Other"), ["1", "2", "3"]),
        (("1.5", "2.5"), ["1", "2"]),
        (("-1", "0", "1"), ["2", "0", "1"]),
        (("10 to 20 people", "fewer"), ["10", "01"]),
        (tuple(str(n) for n in range(11)), [str(n) for n in range(11)]),
        (tuple("abcdefghij"), ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10"]),
    ],
)
def test_numeric_labels_keep_their_digits_and_others_count_from_one(
    labels: tuple[str, ...], keys: list[str]
) -> None:
    assert [key.keys for key in level_keys(levels(*labels))] == keys


def test_every_level_has_a_key_of_its_own() -> None:
    for labels in (("2", "x", "y", "1", "z"), ("7", "7", "7"), tuple(str(n) for n in range(30))):
        keys = [int(key.keys) for key in level_keys(levels(*labels))]
        assert len(set(keys)) == len(labels)


def type_level(labels: tuple[str, ...], *digits: str) -> object:
    entry = LevelEntry(level_keys(levels(*labels)))
    outcome: object = None
    for digit in digits:
        outcome = entry.settle() if digit == "enter" else entry.feed(digit)
    return outcome


LIKERT = ("1", "2", "3", "4", "5")
ZERO_TO_TEN = tuple(str(n) for n in range(11))


@pytest.mark.parametrize(
    ("labels", "digits", "picked"),
    [
        (("Miss", "Partial", "Meets"), ("2",), "Partial"),
        (LIKERT, ("4",), "4"),
        (ZERO_TO_TEN, ("1", "0"), "10"),
        (ZERO_TO_TEN, ("0", "7"), "7"),
        (ZERO_TO_TEN, ("7", "enter"), "7"),
        (ZERO_TO_TEN, ("1", "enter"), "1"),
        (ZERO_TO_TEN, ("0", "enter"), "0"),
        (tuple("abcdefghijkl"), ("1", "2"), "l"),
        (tuple("abcdefghijkl"), ("9", "enter"), "i"),
    ],
)
def test_digits_pick_a_level(labels: tuple[str, ...], digits: tuple[str, ...], picked: str) -> None:
    outcome = type_level(labels, *digits)
    assert isinstance(outcome, Picked)
    assert outcome.level.label == picked


def test_past_nine_levels_one_digit_waits_for_the_second() -> None:
    assert type_level(ZERO_TO_TEN, "1") == Pending("1")
    assert type_level(ZERO_TO_TEN, "7") == Pending("7")


@pytest.mark.parametrize(
    ("labels", "digits", "reason"),
    [
        (LIKERT, ("6",), "6 is no level here: type 1 to 5."),
        (LIKERT, ("0",), "0 is no level here: type 1 to 5."),
        (ZERO_TO_TEN, ("4", "2"), "42 is no level here: type 0 to 10."),
        (("2", "5"), ("3",), "3 is no level here: type 2, 5."),
    ],
)
def test_other_digits_are_refused_with_what_could_be_typed(
    labels: tuple[str, ...], digits: tuple[str, ...], reason: str
) -> None:
    assert type_level(labels, *digits) == Refused(reason)


def test_after_a_refusal_typing_begins_anew() -> None:
    entry = LevelEntry(level_keys(levels(*ZERO_TO_TEN)))
    entry.feed("9")
    entry.feed("9")
    assert entry.feed("1") == Pending("1")
