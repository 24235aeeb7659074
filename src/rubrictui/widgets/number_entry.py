"""A number being typed on a numeric scale: checked as typed, in words. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rubrictui.core.errors import ScoringError
from rubrictui.core.model import Answer, Node, Scale, VersionSnapshot
from rubrictui.core.plan_parts import Scales
from rubrictui.core.scoring import read_answer
from rubrictui.widgets.criteria_lines import number_hint

_CHARACTERS = "0123456789.-"
_FINISHED = re.compile(r"-?(\d+\.?\d*|\.\d+)")
_LIMIT = 18


@dataclass(frozen=True, slots=True)
class NumberEntry:
    """The characters typed so far. Every key gives a new entry."""

    version: VersionSnapshot
    node: Node
    scale: Scale
    typed: str = ""

    def feed(self, character: str) -> NumberEntry:
        """The entry with one more character; a comma is read as a point, anything else is left out."""
        character = "." if character == "," else character
        if character not in _CHARACTERS or len(self.typed) >= _LIMIT:
            return self
        return replace(self, typed=self.typed + character)

    def erase(self) -> NumberEntry:
        """The entry without its last character."""
        return replace(self, typed=self.typed[:-1])

    @property
    def value(self) -> float | None:
        """The number typed; None while it is none."""
        return float(self.typed) if _FINISHED.fullmatch(self.typed) else None

    @property
    def problem(self) -> str:
        """Why the number cannot be the answer, in scoring's words; "" when it can."""
        if self.value is None:
            return f"Type a number: {number_hint(self.scale)}."
        try:
            read_answer(
                Scales(self.version).leaf(self.node), Answer(criterion_id=self.node.id, raw_value=self.value)
            )
        except ScoringError as error:
            return str(error).removeprefix(f"{self.node.name.strip() or self.node.key}: ")
        return ""
