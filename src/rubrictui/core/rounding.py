"""The one rounding of scores: half up at six places (contract, "Scoring")."""

from __future__ import annotations

from math import floor

#: Lifts what arithmetic left a hair under a tie back onto it.
NUDGE = 2.0**-52


def round6(x: float) -> float:
    """Round to six places: ``floor((x + 2^-52) * 1e6 + 0.5) / 1e6``. ``x`` is finite and below 1e300.

    Stored numbers and every comparison (threshold, gate, band, completeness) go through it; arithmetic
    before it is unrounded. Python's ``round`` rounds half to even and would differ in about one case in ten.
    """
    return floor((x + NUDGE) * 1e6 + 0.5) / 1e6
