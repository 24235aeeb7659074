"""Sample answers that authors keep with a rubric."""

from __future__ import annotations

from datetime import datetime

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from rubrictui.core.records import SampleAnswer, SampleSet
from rubrictui.store.tables import SAMPLE_SET


def sample_sets(connection: Connection, rubric_id: str) -> tuple[SampleSet, ...]:
    """The sets of a rubric, in their order."""
    rows = connection.execute(
        select(SAMPLE_SET)
        .where(SAMPLE_SET.c.rubric_id == rubric_id)
        .order_by(SAMPLE_SET.c.sequence, SAMPLE_SET.c.name)
    )
    return tuple(
        SampleSet(
            id=row.id,
            rubric_id=row.rubric_id,
            name=row.name,
            answers=msgspec.convert(row.answers or {}, dict[str, SampleAnswer]),
            sequence=row.sequence,
        )
        for row in rows
    )


def put_sample_set(connection: Connection, kept: SampleSet, *, at: datetime, by: str) -> None:
    """Insert the set, or change the one of its rubric with its id."""
    values = {
        "name": kept.name,
        "answers": msgspec.to_builtins(kept.answers),
        "sequence": kept.sequence,
        "saved_at": at,
        "saved_by": by,
    }
    same = (SAMPLE_SET.c.id == kept.id) & (SAMPLE_SET.c.rubric_id == kept.rubric_id)
    changed = connection.execute(update(SAMPLE_SET).where(same).values(values))
    if changed.rowcount == 0:
        connection.execute(insert(SAMPLE_SET).values(id=kept.id, rubric_id=kept.rubric_id, **values))


def delete_sample_set(connection: Connection, id: str) -> bool:
    """Whether there was one of this id."""
    return connection.execute(delete(SAMPLE_SET).where(SAMPLE_SET.c.id == id)).rowcount > 0
