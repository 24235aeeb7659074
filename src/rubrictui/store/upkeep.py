"""Facts about a store, and whether it is sound."""

from __future__ import annotations

from sqlalchemy import Connection, Table, func, select

from rubrictui.store.tables import (
    CONTEXT,
    EVALUATION,
    RUBRIC,
    STORE_INFO,
    SUBJECT,
    USER,
    VERSION,
)


def facts(connection: Connection) -> dict[str, str]:
    """What the store says of itself: ``store_id``, ``created_at``, ``created_by``."""
    rows = connection.execute(select(STORE_INFO.c.key, STORE_INFO.c.value))
    return {key: value for key, value in rows}  # noqa: C416 - rows are not pairs to a type checker


def counts(connection: Connection) -> dict[str, int]:
    """How many rows of each kind there are, whoever may read them: the size of the store, no scores."""
    tables: dict[str, Table] = {
        "users": USER,
        "rubrics": RUBRIC,
        "versions": VERSION,
        "subjects": SUBJECT,
        "contexts": CONTEXT,
        "evaluations": EVALUATION,
    }
    return {
        name: int(connection.execute(select(func.count()).select_from(table)).scalar_one())
        for name, table in tables.items()
    }


def is_empty(connection: Connection) -> bool:
    """Whether there is nothing to score and nothing to score with."""
    return all(connection.execute(select(table.c.id).limit(1)).first() is None for table in (RUBRIC, SUBJECT))


def soundness(connection: Connection) -> tuple[str, ...]:
    """What the database finds wrong with itself; empty when it is sound. PostgreSQL checks itself."""
    if connection.dialect.name != "sqlite":
        return ()
    found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    problems = [line for line in found if line != "ok"]
    problems.extend(f"a row of {row[0]} refers to a row of {row[2]} that is not there" for row in broken)
    return tuple(problems)
