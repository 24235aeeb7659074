"""Answer scales and their levels. Rubrics share them by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from rubrictui.core.model import Level, Scale, ScaleType
from rubrictui.store.tables import CRITERION_LEVEL, SCALE, SCALE_LEVEL


def load_scales(connection: Connection, ids: Collection[str] | None = None) -> tuple[Scale, ...]:
    """The scales with these ids (every scale by default), by name, levels in their order."""
    if ids is not None and not ids:
        return ()
    scales = select(SCALE).order_by(func.lower(SCALE.c.name), SCALE.c.id)
    levels = select(SCALE_LEVEL).order_by(SCALE_LEVEL.c.sequence, SCALE_LEVEL.c.normalized_value)
    if ids is not None:
        wanted = sorted(ids)
        scales = scales.where(SCALE.c.id.in_(wanted))
        levels = levels.where(SCALE_LEVEL.c.scale_id.in_(wanted))
    by_scale: dict[str, list[Level]] = defaultdict(list)
    for row in connection.execute(levels):
        by_scale[row.scale_id].append(
            Level(
                id=row.id,
                label=row.label,
                value=row.value,
                normalized_value=row.normalized_value,
                description=row.description,
                sequence=row.sequence,
            )
        )
    return tuple(
        Scale(
            id=row.id,
            name=row.name,
            description=row.description,
            scale_type=ScaleType(row.scale_type),
            min_value=row.min_value,
            max_value=row.max_value,
            step=row.step,
            higher_is_better=row.higher_is_better,
            levels=tuple(by_scale.get(row.id, ())),
        )
        for row in connection.execute(scales)
    )


def find_scale(connection: Connection, id_or_name: str) -> Scale | None:
    """The scale with this id or, ignoring case and outer blanks, this name."""
    wanted = id_or_name.strip()
    found = load_scales(connection, {wanted})
    if found:
        return found[0]
    folded = wanted.casefold()
    for id, name in connection.execute(select(SCALE.c.id, SCALE.c.name)):
        if name is not None and name.strip().casefold() == folded:
            return load_scales(connection, {id})[0]
    return None


def put_scale(connection: Connection, scale: Scale) -> None:
    """Insert the scale, or change the one with its id, touching only the columns that differ.

    That matters: a scale that a published version uses refuses every change but one to the
    description of a level, and those must pass.
    """
    found = load_scales(connection, {scale.id})
    if not found:
        connection.execute(insert(SCALE).values(id=scale.id, **_scale_row(scale)))
        for level in scale.levels:
            connection.execute(
                insert(SCALE_LEVEL).values(id=level.id, scale_id=scale.id, **_level_row(level))
            )
        return
    stored = found[0]
    changed = _differing(_scale_row(stored), _scale_row(scale))
    if changed:
        connection.execute(update(SCALE).where(SCALE.c.id == scale.id).values(changed))
    before = {level.id: level for level in stored.levels}
    for level in scale.levels:
        old = before.pop(level.id, None)
        if old is None:
            connection.execute(
                insert(SCALE_LEVEL).values(id=level.id, scale_id=scale.id, **_level_row(level))
            )
        elif old != level:
            changed = _differing(_level_row(old), _level_row(level))
            connection.execute(update(SCALE_LEVEL).where(SCALE_LEVEL.c.id == level.id).values(changed))
    for gone in before:
        # Only drafts can still point at a level that goes: their anchor goes with it.
        connection.execute(delete(CRITERION_LEVEL).where(CRITERION_LEVEL.c.scale_level_id == gone))
        connection.execute(delete(SCALE_LEVEL).where(SCALE_LEVEL.c.id == gone))


def _differing(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    return {column: value for column, value in new.items() if value != old[column]}


def _scale_row(scale: Scale) -> dict[str, Any]:
    return {
        "name": scale.name,
        "description": scale.description,
        "scale_type": scale.scale_type.value,
        "min_value": scale.min_value,
        "max_value": scale.max_value,
        "step": scale.step,
        "higher_is_better": scale.higher_is_better,
    }


def _level_row(level: Level) -> dict[str, Any]:
    return {
        "label": level.label,
        "value": level.value,
        "normalized_value": level.normalized_value,
        "description": level.description,
        "sequence": level.sequence,
    }
