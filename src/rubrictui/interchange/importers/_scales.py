"""The scales of imported criteria: one for each set of levels or range, however many criteria use it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID, uuid5

from rubrictui.core.model import Level, Scale, ScaleType
from rubrictui.core.records import MAXIMUM_NAME
from rubrictui.interchange.importers._sketch import Choice, Span
from rubrictui.interchange.importers._words import shown

#: Everything an import makes has its id from here, so that the same file makes the same things.
NAMESPACE = UUID("5b0d7a52-4c1e-4f65-9d0c-6a2b7f0e8c31")

_NAME_OF_LEVELS = 60


def content_of(scale: Scale) -> tuple[object, ...]:
    """What makes two scales the same to whoever answers on them: everything but names, ids and descriptions."""
    return (
        scale.scale_type,
        scale.min_value,
        scale.max_value,
        scale.step,
        scale.higher_is_better,
        tuple((level.label.strip(), level.value, round(level.normalized_value, 6)) for level in scale.levels),
    )


class Scales:
    """The scales of one import, each made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Scale] = {}
        self._names: set[str] = set()

    @property
    def all(self) -> tuple[Scale, ...]:
        return tuple(self._known.values())

    def levels(self, choices: Sequence[Choice]) -> Scale:
        """The scale with these levels. Labels are told apart already."""
        content = (ScaleType.LEVELS, *((c.label, c.value, c.score) for c in choices))
        scale = self._known.get(content)
        if scale is None:
            id = str(uuid5(NAMESPACE, f"scale {content!r}"))
            scale = self._known[content] = Scale(
                id=id,
                name=self._free(_name_of_levels(choices), choices),
                levels=tuple(
                    Level(
                        id=str(uuid5(UUID(id), choice.label)),
                        label=choice.label,
                        value=choice.value,
                        normalized_value=choice.score,
                        sequence=index,
                    )
                    for index, choice in enumerate(choices)
                ),
            )
        return scale

    def span(self, span: Span) -> Scale:
        """The numeric scale of this range."""
        content = (ScaleType.NUMERIC, span.low, span.high)
        scale = self._known.get(content)
        if scale is None:
            scale = self._known[content] = Scale(
                id=str(uuid5(NAMESPACE, f"scale {content!r}")),
                name=self._free(f"{shown(span.low)} to {shown(span.high)} points", ()),
                scale_type=ScaleType.NUMERIC,
                min_value=span.low,
                max_value=span.high,
            )
        return scale

    def _free(self, name: str, choices: Sequence[Choice]) -> str:
        if name.casefold() in self._names and any(choice.value is not None for choice in choices):
            name = f"{name} ({_points(choices)})"
        name = free_name(name, self._names)
        self._names.add(name.casefold())
        return name


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with the first number from 2 that makes it none of ``taken`` (case-folded)."""
    name = name[:MAXIMUM_NAME].strip()
    free, count = name, 1
    while free.casefold() in taken:
        count += 1
        free = f"{name[: MAXIMUM_NAME - len(str(count)) - 3]} ({count})"
    return free


def _name_of_levels(choices: Sequence[Choice]) -> str:
    labels = [choice.label for choice in choices]
    numbers = all(choice.value is not None and choice.label == shown(choice.value) for choice in choices)
    name = " / ".join(labels)
    if len(name) > _NAME_OF_LEVELS:
        ends = [label if len(label) <= 40 else f"{label[:39]}…" for label in (labels[0], labels[-1])]
        name = f"{ends[0]} to {ends[1]}, {len(labels)} levels"
    return f"{name} points" if numbers else name


def _points(choices: Sequence[Choice]) -> str:
    values = [shown(choice.value) if choice.value is not None else "–" for choice in choices]
    text = ", ".join(values)
    return text if len(text) <= _NAME_OF_LEVELS else f"{values[0]} to {values[-1]}"
