"""Numbers as people read them, and scores on the range that a version's author chose.

Apart from what it takes to explain a result, because the first frame of the application shows scores too.
"""

from __future__ import annotations

from math import isfinite, isnan
from typing import Protocol, Self

from rubrictui.core.canonical import canonical_json
from rubrictui.core.model import Value
from rubrictui.core.rounding import round6


def number(value: float) -> str:
    """A number as people write it: twelve digits at most, no trailing zeros, no exponent within reason."""
    if not isfinite(value):
        return "NaN" if isnan(value) else "infinity" if value > 0 else "-infinity"
    if abs(value) >= 1e15:
        return str(value)
    return canonical_json(float(f"{value:.12g}"))


class OnDisplay(Protocol):
    """A version, or what was scored with one: it knows on which range its author wants scores read."""

    @property
    def score_display_min(self) -> float: ...

    @property
    def score_display_max(self) -> float: ...


class DisplayRange(Value, frozen=True, kw_only=True):
    """The range on which a version's author wants scores read; scores themselves are 0..1."""

    low: float = 0.0
    high: float = 100.0

    @classmethod
    def of(cls, found: OnDisplay) -> Self:
        return cls(low=found.score_display_min, high=found.score_display_max)

    def score(self, value: float | None, digits: int | None = None) -> str:
        """A score in words: one decimal at most, two on a range of less than ten, ``digits`` when given."""
        if value is None:
            return "–"
        shown = self.low + value * (self.high - self.low)
        if not isfinite(shown):  # the difference of its ends is too large for a number, not the score
            shown = self.low * (1 - value) + self.high * value
        return self._rounded(shown, digits)

    def spread(self, value: float | None, digits: int | None = None) -> str:
        """How far two scores are apart, in points of the range."""
        return "–" if value is None else self._rounded(value * (self.high - self.low), digits)

    def _rounded(self, value: float, digits: int | None) -> str:
        if digits is None:
            digits = 1 if abs(self.high - self.low) >= 10 else 2
        return number(round(round6(value), digits) if abs(value) < 1e300 else value)
