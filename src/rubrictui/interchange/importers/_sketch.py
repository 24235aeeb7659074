"""What an importer reads out of a file before keys, ids and scales are given: rubrics as their authors see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rubrictui.core.model import Value
from rubrictui.interchange.importers._report import Place


class Choice(Value, frozen=True, kw_only=True):
    """One level: its label, its points as the source has them, its score 0..1, and its anchor."""

    label: str
    value: float | None = None
    score: float = 0.0
    text: str = ""


#: The levels of what is met or not.
MET = (Choice(label="Not met", value=0, score=0), Choice(label="Met", value=1, score=1))


class Span(Value, frozen=True, kw_only=True):
    """Any number from ``low`` to ``high``; ``anchors`` are numbers with what they mean."""

    low: float
    high: float
    anchors: tuple[tuple[float, str], ...] = ()


class Item(Value, frozen=True, kw_only=True):
    """A node. With ``children`` a group, else a criterion answered on its ``choices`` (ascending) or ``span``.

    ``key`` is what the key is made from when that is not the name; ``source_id`` the id that the source gives it.
    """

    name: str
    text: str = ""
    guidance: str = ""
    key: str = ""
    source_id: str = ""
    weight: float = 1.0
    is_advisory: bool = False
    rationale_required: bool = False
    choices: tuple[Choice, ...] = ()
    span: Span | None = None
    children: tuple[Item, ...] = ()
    place: Place | None = None


class Stripe(NamedTuple):
    """A band from ``low`` (0..1) up to the next one."""

    label: str
    low: float
    text: str = ""


class Sheet(Value, frozen=True, kw_only=True):
    """One rubric. ``total`` is the most points it gives, None when it counts none."""

    name: str
    description: str = ""
    instructions: str = ""
    items: tuple[Item, ...] = ()
    stripes: tuple[Stripe, ...] = ()
    total: float | None = None
    place: Place | None = None


class Grade(NamedTuple):
    """A level as a file has it, before it is known what it scores."""

    label: str
    points: float | None
    text: str = ""


def graded(grades: Sequence[Grade], *, minimum: str = "keep") -> tuple[Choice, ...]:
    """Levels from the lowest to the highest with their scores.

    Args:
        grades: all with points, in any order, or all without, ascending.
        minimum: ``keep``: points divided by the most points, so that the lowest level may score more than 0;
            ``zero``: the lowest level scores 0. Levels that do not differ in points are spread evenly.
    """
    points = [grade.points for grade in grades if grade.points is not None]
    if len(points) == len(grades):
        grades = sorted(grades, key=lambda grade: grade.points or 0)
        high = max(points, default=0.0)
        low = min(points, default=0.0) if minimum == "zero" else 0.0
        if high > low:
            scores = [min(max(((g.points or 0) - low) / (high - low), 0.0), 1.0) for g in grades]
            return _choices(grades, scores)
    last = len(grades) - 1
    return _choices(grades, [index / last if last else 1.0 for index in range(len(grades))])


def _choices(grades: Sequence[Grade], scores: Sequence[float]) -> tuple[Choice, ...]:
    return tuple(
        Choice(label=grade.label, value=grade.points, score=round(score, 6), text=grade.text)
        for grade, score in zip(grades, scores, strict=True)
    )


def weight_of(choices: Sequence[Choice], *, minimum: str = "keep") -> float:
    """What a criterion weighs by its points: the most of them, less the fewest where those count 0."""
    points = [choice.value or 0.0 for choice in choices]
    high = max(points, default=0.0)
    return max(high - min(points, default=0.0) if minimum == "zero" else high, 0.0)


#: What is said where the lowest level of a criterion is worth something.
KEPT = "The lowest level of a criterion counts its points; --minimum zero makes it count 0."


def keeps_minimum(choices: Sequence[Choice]) -> bool:
    """Whether the lowest of several levels scores more than 0."""
    return len(choices) > 1 and choices[0].score > 0
