"""A number being typed on a numeric scale: checked as typed, in words. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rubrictui.core.model import Scale
from rubrictui.widgets.criteria_lines import format_number, number_hint

_CHARACTERS = "0123456789.-"
_FINISHED = re.compile(r"-?(\d+\.?\d*|\.\d+)")
_LIMIT = 18
_STEP_TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True)
class NumberEntry:
    """The characters typed so far. Every key gives a new entry."""

    scale: Scale
    typed: str = ""

    def feed(self, character: str) -> NumberEntry:
        """The entry with one more character; a comma is read as a point, anything else is left out."""
        character = "." if character == "," else character
        if character not in _CHARACTERS or len(self.typed) >= _LIMIT:
            return self
        return NumberEntry(self.scale, self.typed + character)

    def erase(self) -> NumberEntry:
        """The entry without its last character."""
        return NumberEntry(self.scale, self.typed[:-1])

    @property
    def value(self) -> float | None:
        """The number typed; None while it is none."""
        return float(self.typed) if _FINISHED.fullmatch(self.typed) else None

    @property
    def problem(self) -> str:
        """Why the number cannot be the answer, in words; "" when it can."""
        scale, value = self.scale, self.value
        if value is None:
            return f"Type a number: {number_hint(scale)}."
        if scale.min_value is None or scale.max_value is None or scale.min_value == scale.max_value:
            return "This scale has no range, so no number fits it."
        if value < scale.min_value or value > scale.max_value:
            side = "below" if value < scale.min_value else "above"
            bound = scale.min_value if value < scale.min_value else scale.max_value
            return f"{self.typed} is {side} {format_number(bound)}: {number_hint(scale)}."
        if scale.step and not _on_step(value, scale.min_value, scale.step):
            return f"{self.typed} is between two steps: {number_hint(scale)}."
        return ""


def _on_step(value: float, minimum: float, step: float) -> bool:
    steps = (value - minimum) / step
    return abs(steps - round(steps)) <= _STEP_TOLERANCE
