"""Which keys mean which level of a scale, and how a level is typed. Pure.

A label that is a whole number keeps its own digits, so 4 means 4 on a scale from 1 to 5; other labels
are counted from 1. When a scale has more than nine levels, or a key of two digits, every level is typed
with two digits, settled by the second digit or by Enter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rubrictui.core.model import Level

_NUMBER = re.compile(r"\s*\+?(\d{1,3})(?=\s*$|\s*[-\u2013\u2014=:)]\s*\D|\s+[^\W\d])")


@dataclass(frozen=True)
class LevelKey:
    """One level and the digits that pick it. ``keys`` is as drawn: ``3``, or ``03`` with two digits."""

    keys: str
    level: Level
    is_own_label: bool
    """The label begins with the digits itself, so the key need not be drawn a second time."""


def level_keys(levels: Iterable[Level]) -> tuple[LevelKey, ...]:
    """The keys of a scale's levels, in the order given.

    A label that is a whole number, alone or before its words ("4", "4 - Good"), keeps it, unless two
    labels claim the same number; the others take the lowest free numbers from 1.
    """
    levels = tuple(levels)
    claimed = [_own_number(level.label) for level in levels]
    own = [n if n is not None and claimed.count(n) == 1 else None for n in claimed]
    taken = {number for number in own if number is not None}
    free = (n for n in range(1, len(levels) + len(taken) + 1) if n not in taken)
    numbers = [number if number is not None else next(free) for number in own]
    digits = entry_digits(numbers)
    return tuple(
        LevelKey(
            # A bare number as label is its own picture; a zero before it would be a second one.
            keys=str(number) if is_own else str(number).zfill(digits),
            level=level,
            is_own_label=is_own,
        )
        for level, number, is_own in zip(levels, numbers, (n is not None for n in own), strict=True)
    )


def entry_digits(numbers: Iterable[int]) -> int:
    """How many digits a level takes: 1, or 2 past nine levels (3 past ninety-nine)."""
    numbers = tuple(numbers)
    if len(numbers) > 99:
        return 3
    return max(2 if len(numbers) > 9 else 1, *(len(str(n)) for n in numbers), 1)


def _own_number(label: str) -> int | None:
    match = _NUMBER.match(label)
    return int(match[1]) if match else None


@dataclass(frozen=True)
class Picked:
    """The digits typed so far settle on a level."""

    level: Level


@dataclass(frozen=True)
class Pending:
    """More digits, or Enter, are needed."""

    typed: str


@dataclass(frozen=True)
class Refused:
    """The digits mean no level of this scale. ``reason`` is for people."""

    reason: str


class LevelEntry:
    """Types a level: digits go in one by one, the answer to each is what they mean so far."""

    def __init__(self, keys: tuple[LevelKey, ...]) -> None:
        self._levels = {int(key.keys): key.level for key in keys}
        self._digits = entry_digits(self._levels)
        self.typed = ""

    def feed(self, digit: str) -> Picked | Pending | Refused:
        """One more digit ("0" to "9")."""
        self.typed += digit
        if len(self.typed) < self._digits:
            return Pending(self.typed)
        return self.settle()

    def settle(self) -> Picked | Refused:
        """What the digits typed so far mean, as Enter asks. Afterwards nothing is typed."""
        typed, self.typed = self.typed, ""
        level = self._levels.get(int(typed)) if typed else None
        if level is not None:
            return Picked(level)
        return Refused(f"{typed or 'Nothing'} is no level here: {self._range()}.")

    def _range(self) -> str:
        numbers = sorted(self._levels)
        if not numbers:
            return "the scale has no levels"
        if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
            return f"type {numbers[0]} to {numbers[-1]}"
        return "type " + ", ".join(map(str, numbers))
