"""What a field of the fields pane is, and where the problems of a draft belong among them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from rubrictui.core.model import fold_id
from rubrictui.core.problems import Problem
from rubrictui.widgets.field_numbers import number_text


class FieldKind(Enum):
    """How a field is edited."""

    HEADING = auto()
    LINE = auto()
    KEY = auto()
    NUMBER = auto()
    CHOICE = auto()
    BOOLEAN = auto()
    TEXT = auto()
    YAML = auto()
    BANDS = auto()
    FIXED = auto()


NONE = "none"
"""How a field without a value is shown."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose. ``about`` stands beside it, ``preview`` under it while it is under the cursor."""

    value: Any
    label: str
    about: str = ""
    preview: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """One row of the pane.

    ``name`` is the field of the model; an anchor's is ``anchor`` and its level is ``level_id``. ``shown`` is
    the value in words; ``is_unset`` says that there is none. ``frozen`` says what a change of it means. ``tail``
    stands behind the label, and stays when a long label is cut.
    """

    name: str
    label: str
    kind: FieldKind
    value: Any = None
    shown: str = ""
    help: str = ""
    is_unset: bool = False
    optional: bool = False
    share: bool = False
    frozen: str = ""
    level_id: str = ""
    tail: str = ""
    indent: int = 0
    choices: tuple[Choice, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def id(self) -> str:
        """Tells the rows of one pane apart."""
        return f"{self.name}:{fold_id(self.level_id)}" if self.level_id else self.name

    @property
    def is_stop(self) -> bool:
        return self.kind is not FieldKind.HEADING

    @property
    def stored_text(self) -> str:
        """What an editor for text begins with."""
        if self.kind is FieldKind.NUMBER:
            return number_text(self.value)
        return self.value if isinstance(self.value, str) else ""


_PLACES: dict[str, str] = {
    "key_empty": "key",
    "key_long": "key",
    "key_duplicate": "key",
    "weight": "weight",
    "gate_minimum_range": "gate_minimum_score",
    "gate_minimum_missing": "gate_minimum_score",
    "gate_unreachable": "gate_minimum_score",
    "gate_advisory": "is_gate",
    "gate_not_applicable": "not_applicable_policy",
    "config_invalid": "evaluator_config",
    "decision_evidence": "evidence_required",
    "counts_in_advisory": "is_advisory",
    "anchor_missing": "anchors",
    "anchor_same": "anchors",
    "anchor_unknown": "anchors",
    "threshold_range": "pass_threshold",
    "completeness_range": "minimum_completeness",
    "display_range": "score_display_min",
}
"""Where a problem is shown, by its code; others by the beginnings in ``_PREFIXES``, else under the title."""

_PREFIXES: tuple[tuple[str, str], ...] = (
    ("rule_", "evaluator_config"),
    ("scale_", "scale"),
    ("level_", "scale"),
    ("band_", "bands"),
)


def place_of(problem: Problem) -> str:
    """The name of the field that a problem is shown at; "" for the title."""
    place = _PLACES.get(problem.code)
    if place is None:
        place = next((field for start, field in _PREFIXES if problem.code.startswith(start)), "")
    return place


def with_problems(rows: Sequence[Field], problems: Iterable[Problem]) -> tuple[Field, ...]:
    """The rows with the problems where they belong; what belongs to none of them stands under the title."""
    names = {row.name for row in rows}
    found: dict[str, list[Problem]] = {}
    for problem in problems:
        place = place_of(problem)
        found.setdefault(place if place in names else "title", []).append(problem)
    return tuple(replace(row, problems=tuple(found[row.name])) if row.name in found else row for row in rows)
