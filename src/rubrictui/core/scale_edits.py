"""Edits of an answer scale: scales in, scales out, nothing changed in place.

Levels stand worst first, as their scores rise. The scores proposed for n levels are spread evenly over 0..1; one
that an author has set by hand stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Level, Scale, ScaleType
from rubrictui.core.rounding import round6

#: A scale has at most so many levels.
MAXIMUM_LEVELS: Final = 50

#: What a new scale of levels begins with.
FIRST_LABELS: Final = ("Miss", "Partial", "Meets")


def even_scores(count: int) -> tuple[float, ...]:
    """The scores of so many levels spread evenly, worst first: 0 to 1; a single level scores 1.

    >>> even_scores(5)
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """
    if count == 1:
        return (1.0,)
    return tuple(round6(place / (count - 1)) for place in range(count))


def is_even(scale: Scale) -> bool:
    """Whether the levels score as ``even_scores`` proposes."""
    scores = tuple(round6(level.normalized_value) for level in scale.levels)
    return scores == even_scores(len(scores))


def spread_evenly(scale: Scale) -> Scale:
    """The scale with the proposed scores."""
    return _with_levels(scale, scale.levels, even_scores(len(scale.levels)))


def new_levels_scale(name: str, level_ids: Sequence[str], labels: Sequence[str] = FIRST_LABELS) -> Scale:
    """A new scale of these levels, worst first; its id is the store's to give."""
    levels = tuple(
        Level(id=id, label=label, value=place, normalized_value=score, sequence=place)
        for place, (id, label, score) in enumerate(
            zip(level_ids, labels, even_scores(len(labels)), strict=True)
        )
    )
    return Scale(id="", name=name, levels=levels)


def check_level_count(scale: Scale, *, more: int = 0) -> None:
    """Refuse a scale of more than 50 levels.

    Args:
        more: how many are to be added.

    Raises:
        InvalidInputError: with what to do instead.
    """
    if len(scale.levels) + more > MAXIMUM_LEVELS:
        raise InvalidInputError(
            f"A scale has at most {MAXIMUM_LEVELS} levels.", remedy="Use a numeric scale for finer steps."
        )


def add_level(scale: Scale, id: str, label: str, *, after: str | None = None) -> Scale:
    """One more level after the one with the id ``after`` (None: last).

    Where the scores are spread evenly they are spread anew; else it scores halfway between its neighbours. Its
    value is the next whole number when values count up by one, else none.

    Raises:
        InvalidInputError: there are 50 already, or ``label`` is empty or taken.
    """
    check_level_count(scale, more=1)
    label = _label(scale, label)
    place = len(scale.levels) if after is None else _place(scale, after) + 1
    levels = list(scale.levels)
    low = levels[place - 1].normalized_value if place else 0.0
    high = levels[place].normalized_value if place < len(levels) else 1.0
    levels.insert(place, Level(id=id, label=label, normalized_value=round6((low + high) / 2)))
    counted = [level.value for level in scale.levels]
    first = counted[0] if counted else 0.0
    if first is not None and counted == [first + step for step in range(len(counted))]:
        levels = [replace(level, value=first + step) for step, level in enumerate(levels)]
    scores = even_scores(len(levels)) if is_even(scale) or not scale.levels else None
    return _with_levels(scale, levels, scores)


def delete_level(scale: Scale, level_id: str) -> Scale:
    """The scale without a level; evenly spread scores are spread anew."""
    place = _place(scale, level_id)
    levels = [*scale.levels[:place], *scale.levels[place + 1 :]]
    return _with_levels(scale, levels, even_scores(len(levels)) if is_even(scale) else None)


def move_level(scale: Scale, level_id: str, step: int) -> Scale:
    """Move a level up (negative) or down; evenly spread scores stay with the places, others with the levels."""
    place = _place(scale, level_id)
    goal = max(0, min(place + step, len(scale.levels) - 1))
    levels = list(scale.levels)
    levels.insert(goal, levels.pop(place))
    return _with_levels(scale, levels, even_scores(len(levels)) if is_even(scale) else None)


def set_level(scale: Scale, level_id: str, **changes: Any) -> Scale:
    """Change label, value, score (``normalized_value``) or description of a level.

    Raises:
        InvalidInputError: an empty or taken label, or a score outside 0..1.
    """
    place = _place(scale, level_id)
    clean = dict(changes)
    if "label" in clean:
        clean["label"] = _label(scale, clean["label"], but=level_id)
    score = clean.get("normalized_value", 0)
    if not 0 <= score <= 1:
        raise InvalidInputError(f"A level cannot score {score:g}.", remedy="Type a score from 0 to 1.")
    if "description" in clean:
        clean["description"] = clean["description"] or None
    levels = list(scale.levels)
    levels[place] = replace(levels[place], **clean)
    return replace(scale, levels=tuple(levels))


def as_numeric(scale: Scale) -> Scale:
    """A numeric scale of this name, 0 to 100 where it has no range yet; its levels go."""
    low, high = scale.min_value, scale.max_value
    if low is None or high is None or not low < high:
        low, high = 0.0, 100.0
    return replace(scale, scale_type=ScaleType.NUMERIC, min_value=low, max_value=high, levels=())


def as_levels(scale: Scale, level_ids: Sequence[str]) -> Scale:
    """A scale of the first three levels in place of a numeric one; its range goes."""
    fresh = new_levels_scale(scale.name or "", level_ids)
    return replace(
        scale,
        scale_type=ScaleType.LEVELS,
        min_value=None,
        max_value=None,
        step=None,
        higher_is_better=True,
        levels=fresh.levels,
    )


def score_of_value(scale: Scale, value: float) -> float | None:
    """What a raw value would score on a numeric scale, 0..1; None where it is outside the range."""
    low, high = scale.min_value, scale.max_value
    if low is None or high is None or not low < high or not low <= value <= high:
        return None
    share = (value - low) / (high - low)
    return round6(share if scale.higher_is_better else 1 - share)


def _with_levels(scale: Scale, levels: Sequence[Level], scores: Sequence[float] | None) -> Scale:
    made = []
    for place, level in enumerate(levels):
        score = level.normalized_value if scores is None else scores[place]
        made.append(replace(level, normalized_value=score, sequence=place))
    return replace(scale, levels=tuple(made))


def _place(scale: Scale, level_id: str) -> int:
    for place, level in enumerate(scale.levels):
        if level.id == level_id:
            return place
    raise InvalidInputError("This level is no longer on the scale.", remedy="Choose another.")


def _label(scale: Scale, label: str, *, but: str | None = None) -> str:
    clean = label.strip()
    if not clean:
        raise InvalidInputError("A level needs a label.", remedy="Type one.")
    if any(level.label.strip().casefold() == clean.casefold() for level in scale.levels if level.id != but):
        raise InvalidInputError(
            f"There is a level {clean!r} already.", remedy="Give each level its own label."
        )
    return clean
