"""Answer scales and their levels. Rubrics share them by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    Connection,
    bindparam,
    delete,
    func,
    insert,
    literal,
    select,
    union_all,
    update,
)

from rubrictui.core.authoring_records import ScaleUse
from rubrictui.core.model import Level, Scale, ScaleType, VersionStatus
from rubrictui.store.tables import CRITERION, CRITERION_LEVEL, RUBRIC, SCALE, SCALE_LEVEL, VERSION


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


def delete_scale(connection: Connection, scale: Scale) -> None:
    """A scale that no criterion uses, with its levels, and anchors that drafts still have for them."""
    of = select(SCALE_LEVEL.c.id).where(SCALE_LEVEL.c.scale_id == scale.id)
    connection.execute(delete(CRITERION_LEVEL).where(CRITERION_LEVEL.c.scale_level_id.in_(of)))
    connection.execute(delete(SCALE_LEVEL).where(SCALE_LEVEL.c.scale_id == scale.id))
    connection.execute(delete(SCALE).where(SCALE.c.id == scale.id))


def known_scales(connection: Connection) -> set[str]:
    """The ids of all scales."""
    return set(connection.execute(select(SCALE.c.id)).scalars())


_KNOWN_LEVELS = select(SCALE_LEVEL.c.id).where(SCALE_LEVEL.c.id.in_(bindparam("ids", expanding=True)))


def known_levels(connection: Connection, ids: Collection[str]) -> set[str]:
    """Those of these ids that are levels of some scale."""
    wanted = list(ids)
    found: set[str] = set()
    for start in range(0, len(wanted), 500):
        chunk = {"ids": wanted[start : start + 500]}
        found.update(connection.execute(_KNOWN_LEVELS, chunk).scalars())
    return found


def uses(connection: Connection, scale_id: str | None = None) -> dict[str, tuple[ScaleUse, ...]]:
    """The versions whose criteria use each scale (or this one), by rubric, a draft first, then the highest.

    A frozen version with an anchor for one of the scale's levels uses it too, with a count of 0 when no
    criterion is answered on it: the anchor stays, so the scale has to.
    """
    anchored = (
        select(SCALE_LEVEL.c.scale_id, CRITERION.c.version_id, literal(0).label("criteria"))
        .select_from(
            CRITERION_LEVEL.join(SCALE_LEVEL, SCALE_LEVEL.c.id == CRITERION_LEVEL.c.scale_level_id)
            .join(CRITERION, CRITERION.c.id == CRITERION_LEVEL.c.criterion_id)
            .join(VERSION, VERSION.c.id == CRITERION.c.version_id)
        )
        .where(
            VERSION.c.status != VersionStatus.DRAFT.value,
            CRITERION.c.scale_id.is_distinct_from(SCALE_LEVEL.c.scale_id),
        )
    )
    answered = select(CRITERION.c.scale_id, CRITERION.c.version_id, literal(1).label("criteria")).where(
        CRITERION.c.scale_id.is_not(None)
    )
    if scale_id is not None:
        anchored = anchored.where(SCALE_LEVEL.c.scale_id == scale_id)
        answered = answered.where(CRITERION.c.scale_id == scale_id)
    found = union_all(answered, anchored).subquery()
    rows = connection.execute(
        select(
            found.c.scale_id,
            RUBRIC.c.id,
            RUBRIC.c.name,
            VERSION.c.id,
            VERSION.c.status,
            VERSION.c.major_version,
            VERSION.c.minor_version,
            VERSION.c.patch_version,
            func.sum(found.c.criteria),
        )
        .select_from(
            found.join(VERSION, VERSION.c.id == found.c.version_id).join(
                RUBRIC, RUBRIC.c.id == VERSION.c.rubric_id
            )
        )
        .group_by(found.c.scale_id, VERSION.c.id, RUBRIC.c.id)
        .order_by(
            func.lower(RUBRIC.c.name),
            VERSION.c.status != VersionStatus.DRAFT.value,
            VERSION.c.major_version.desc(),
            VERSION.c.minor_version.desc(),
            VERSION.c.patch_version.desc(),
        )
    )
    by_scale: dict[str, list[ScaleUse]] = defaultdict(list)
    for scale, rubric, name, version, status, major, minor, patch, criteria in rows:
        by_scale[scale].append(
            ScaleUse(
                rubric_id=rubric,
                rubric_name=name,
                version_id=version,
                version_number=None if major is None else f"{major}.{minor}.{patch}",
                status=VersionStatus(status),
                criteria_count=int(criteria),
            )
        )
    return {scale: tuple(found) for scale, found in by_scale.items()}


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
