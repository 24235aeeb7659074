"""Facts about a store, and whether it is sound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Table, func, select

from rubrictui.core.records import User
from rubrictui.store import access
from rubrictui.store.migrations import (
    security_0006,
    security_0007,
    security_0008,
    triggers_0002,
    triggers_0007,
    views_0001,
)
from rubrictui.store.tables import CONTEXT, RUBRIC, STORE_INFO, SUBJECT, USER, VERSION
from rubrictui.store.upgrade import differences


def facts(connection: Connection) -> dict[str, str]:
    """What the store says of itself: ``store_id``, ``created_at``, ``created_by``."""
    rows = connection.execute(select(STORE_INFO.c.key, STORE_INFO.c.value))
    return {row.key: row.value for row in rows}


def counts(connection: Connection, viewer: User) -> dict[str, int]:
    """How many rows of each kind there are; of evaluations, those that the viewer may see."""
    tables: dict[str, Table] = {
        "users": USER,
        "rubrics": RUBRIC,
        "versions": VERSION,
        "subjects": SUBJECT,
        "contexts": CONTEXT,
    }
    found = {
        name: int(connection.execute(select(func.count()).select_from(table)).scalar_one())
        for name, table in tables.items()
    }
    return {**found, "evaluations": access.count(connection, viewer)}


def size(connection: Connection) -> int | None:
    """How many bytes the store takes, what is still in its log included; None on a server."""
    if connection.dialect.name != "sqlite":
        return None
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    return int(pages) * int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())


def is_empty(connection: Connection) -> bool:
    """Whether there is nothing to score and nothing to score with."""
    return all(connection.execute(select(table.c.id).limit(1)).first() is None for table in (RUBRIC, SUBJECT))


def is_owner(connection: Connection) -> bool:
    """Whether the session is the owner's of a store on PostgreSQL, or a superuser's."""
    owner = "SELECT pg_has_role(session_user, relowner, 'MEMBER') FROM pg_class WHERE oid = 'evaluation'::regclass"
    return bool(connection.exec_driver_sql(owner).scalar())


def soundness(connection: Connection) -> tuple[str, ...]:
    """What is wrong with the store, a line each; empty when it is sound.

    The file's pages, the references between rows (PostgreSQL keeps both itself), the tables, and the
    triggers and views: without its triggers a store works on and protects nothing.
    """
    problems: list[str] = []
    if connection.dialect.name == "sqlite":
        pages = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
        problems.extend(line for line in pages if line != "ok")
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
        problems.extend(f"A row of {row[0]} refers to a row of {row[2]} that is not there." for row in broken)
    problems.extend(in_words(differences(connection)))
    there = _triggers_and_views(connection)
    for name, text in _expected(connection.dialect.name).items():
        if name not in there:
            problems.append(f"{name} is missing: the store does not protect what it should.")
        elif text is not None and there[name] != text:
            problems.append(f"{name} was altered.")
    return tuple(problems)


def in_words(differences: Iterable[Any]) -> list[str]:
    """Alembic's operations that would make the tables right (``upgrade.differences``), as what is wrong."""
    missing: list[str] = []
    surplus: list[str] = []
    other: list[str] = []
    for one in differences:
        for operation in one if isinstance(one, list) else [one]:
            kind, _, what = operation[0].partition("_")
            if kind == "add":
                missing.append(_part(what, operation))
            elif kind == "remove":
                surplus.append(_part(what, operation))
            else:  # modify_type, modify_nullable, modify_default, modify_comment
                other.append(
                    f"The {_PARTS.get(what, what)} of column {operation[3]} of table {operation[2]} is not as it should be."
                )
    both = set(missing) & set(surplus)
    return [
        *(f"{part} is missing." for part in missing if part not in both),
        *(f"{part} does not belong there." for part in surplus if part not in both),
        *(f"{part} is not as it should be." for part in dict.fromkeys(missing) if part in both),
        *other,
    ]


_PARTS = {"fk": "reference", "nullable": "NOT NULL"}


def _part(what: str, operation: Sequence[Any]) -> str:
    """What is added or removed by ``(add_table, Table)``, ``(add_column, schema, table, Column)``, ..."""
    subject = operation[-1] if what == "column" else operation[1]
    if what == "table":
        return f"The table {subject.name}"
    if what == "column":
        return f"The column {subject.name} of table {operation[2]}"
    if what == "table_comment":
        return f"The comment of table {subject.name}"
    named = isinstance(subject.name, str)
    name = subject.name if named else f"over {', '.join(column.name for column in subject.columns)}"
    return f"The {_PARTS.get(what, what)} {name} of table {subject.table.name}"


def _expected(dialect: str) -> dict[str, str | None]:
    """Trigger, view and policy names, with their text where the database keeps it as it was given."""
    if dialect == "sqlite":
        texts = [
            *triggers_0002.sqlite_statements(),
            *triggers_0007.statements(dialect),
            *views_0001.statements(dialect),
            *security_0006.statements(dialect),
            *security_0007.statements(dialect),
            *security_0008.statements(dialect),
        ]
        return {text.split()[2]: text for text in texts}
    protected = (*security_0006.PROTECTED, *security_0007.PROTECTED, *security_0008.PROTECTED)
    names = [
        *triggers_0002.rule_names(),
        *triggers_0007.rule_names(),
        *security_0006.VIEWS,
        *security_0007.VIEWS,
        *security_0008.VIEWS,
        *security_0006.policy_names(),
        *security_0007.policy_names(),
        *security_0008.policy_names(),
        *(f"row security of {table}" for table in protected),
    ]
    return dict.fromkeys(names)


def _triggers_and_views(connection: Connection) -> dict[str, str]:
    if connection.dialect.name == "sqlite":
        query = "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')"
    else:  # only triggers that fire in ordinary sessions count
        query = (
            "SELECT tgname, '' FROM pg_trigger WHERE tgenabled IN ('O', 'A')"
            " UNION ALL SELECT viewname, '' FROM pg_views WHERE schemaname = current_schema()"
            " UNION ALL SELECT tablename || '.' || policyname, '' FROM pg_policies"
            " WHERE schemaname = current_schema()"
            " UNION ALL SELECT 'row security of ' || relname, '' FROM pg_class"
            " WHERE relnamespace = current_schema()::regnamespace AND relrowsecurity"
        )
    return {str(row[0]): str(row[1]) for row in connection.exec_driver_sql(query)}
