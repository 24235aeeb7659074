"""The one rounding of scores: half up at six places (contract, "Scoring")."""

from __future__ import annotations

from math import floor

#: Lifts a score that arithmetic left a hair under a tie back onto it: 0.1 + 0.2 must round as 0.3 does.
NUDGE = 2.0**-52

#: From here on a float has no digits left that rounding to six places could drop.
_WHOLE = 2.0**46


def round6(x: float) -> float:
    """Round a finite number to six places: ``floor((x + 2^-52) * 1e6 + 0.5) / 1e6``.

    Stored numbers and every comparison (threshold, gate, band, completeness) go through it; arithmetic
    before it is unrounded. Python's ``round`` rounds half to even and would differ in about one case in ten.
    """
    if x >= _WHOLE or x <= -_WHOLE:
        return x
    return floor((x + NUDGE) * 1e6 + 0.5) / 1e6
