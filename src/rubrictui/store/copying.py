"""A whole store copied to another place, SQLite or PostgreSQL, and the proof that nothing was lost on the way.

Rows go over as they are, ids and hashes included, with the triggers that keep published versions frozen out of the
way; all of it in one transaction of the target, which ends only when both sides have the same rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Table, delete, func, insert, select
from sqlalchemy.types import JSON, Boolean, Float

from rubrictui.core.model import Value
from rubrictui.store.database import Database
from rubrictui.store.errors import StoreError
from rubrictui.store.migrations import security_0006, security_0007, security_0008
from rubrictui.store.tables import METADATA, STORE_INFO
from rubrictui.store.types import instant_text

_ROWS_AT_ONCE = 2_000
_FORCED = (*security_0006.FORCED, *security_0007.FORCED, *security_0008.FORCED)


class TableProof(Value, frozen=True, kw_only=True):
    """What one table holds: how many rows, and one SHA-256 over all of them in the order of their keys."""

    table: str
    rows: int
    sha256: str


class CopyNotEmptyError(StoreError):
    code = "store_not_empty"
    what = "The store {where} is not empty."
    how = "Nothing was copied. Name a store that does not exist yet, or an empty database."


class CopyDiffersError(StoreError):
    code = "store_copy_differs"
    what = "The copy in {where} came out different."
    how = "Nothing was kept. Check the source with `rubrictui db check`."


class CopySeesTooLittleError(StoreError):
    code = "store_copy_filtered"
    what = "The store {where} does not show you every row."
    how = "Nothing was copied. Connect as the owner of the database, or as a superuser."


def copy_store(source: Database, target: Database) -> tuple[TableProof, ...]:
    """Copy every row; what each table holds now, on both sides alike.

    The source is read in one transaction, so work that goes on there is in the copy whole or not at all.

    Raises:
        CopyNotEmptyError: the target holds anything but facts about itself.
        CopySeesTooLittleError: the database user may not see, or not write, every row.
        CopyDiffersError: what the target holds in the end is not what the source held.
        StoreError: one of the two cannot be read or written.
    """
    with _reading_all(source) as there, target.write() as here:
        filled = [
            table.name
            for table in METADATA.sorted_tables
            if table is not STORE_INFO and here.execute(select(func.count()).select_from(table)).scalar()
        ]
        if filled:
            raise CopyNotEmptyError(target.where, detail=f"it has rows of {', '.join(filled[:3])}")
        with _unguarded(here, target):
            here.execute(delete(STORE_INFO))
            for table in METADATA.sorted_tables:
                _copy_table(there, here, table)
            proofs = tuple(_proof(there, table) for table in METADATA.sorted_tables)
            for proof, table in zip(proofs, METADATA.sorted_tables, strict=True):
                if _proof(here, table) != proof:
                    raise CopyDiffersError(target.where, detail=f"the rows of {proof.table} differ")
        return proofs


def prove(database: Database) -> tuple[TableProof, ...]:
    """What each table of a store holds."""
    with _reading_all(database) as connection:
        return tuple(_proof(connection, table) for table in METADATA.sorted_tables)


# -- rows --------------------------------------------------------------------------------------------


def _copy_table(there: Connection, here: Connection, table: Table) -> None:
    rows = [dict(row._mapping) for row in there.execute(select(table).order_by(*table.primary_key))]
    own = [
        column.name for column in table.columns for key in column.foreign_keys if key.column.table is table
    ]
    for chunk in _chunks(_parents_first(rows, own)):
        here.execute(insert(table), chunk)


def _parents_first(rows: list[dict[str, Any]], references: Sequence[str]) -> list[dict[str, Any]]:
    """Rows that refer to rows of their own table, after those."""
    if not references:
        return rows
    by_id = {row["id"]: row for row in rows}
    ordered: dict[str, dict[str, Any]] = {}
    for row in rows:
        chain = [row]
        while chain:
            one = chain[-1]
            waits = [
                by_id[one[name]]
                for name in references
                if one[name] in by_id and one[name] not in ordered and by_id[one[name]] not in chain
            ]
            if waits:
                chain.append(waits[0])
            else:
                ordered.setdefault(one["id"], one)
                chain.pop()
    return list(ordered.values())


def _chunks(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    return (rows[start : start + _ROWS_AT_ONCE] for start in range(0, len(rows), _ROWS_AT_ONCE))


def _proof(connection: Connection, table: Table) -> TableProof:
    # A database sorts text in its own way: the order of keys is taken here.
    columns = list(table.columns)
    keys = [columns.index(column) for column in table.primary_key]
    lines = [
        json.dumps(
            [_plain(value, column) for value, column in zip(row, columns, strict=True)], ensure_ascii=False
        )
        for row in sorted(connection.execute(select(table)), key=lambda row: [row[place] for place in keys])
    ]
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return TableProof(table=table.name, rows=len(lines), sha256=digest.hexdigest())


def _plain(value: Any, column: Column[Any]) -> Any:
    """A value in the one form that both databases give."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return instant_text(value)
    if isinstance(column.type, JSON):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(column.type, Boolean):
        return bool(value)
    return float(value) if isinstance(column.type, Float) else value


# -- guards out of the way ---------------------------------------------------------------------------


@contextmanager
def _reading_all(database: Database) -> Iterator[Connection]:
    """One state of a store, all of it. On PostgreSQL its owner is bound by row security too: she lifts that for a
    transaction which is never committed, and which nobody can write beside."""
    if database.dialect == "sqlite":
        with database.read() as connection:
            yield connection
        return
    with database.read() as connection:
        is_trusted = bool(connection.exec_driver_sql("SELECT rubrictui_trusted()").scalar())
        if is_trusted:
            yield connection
            return
        if not _owns(connection):
            raise CopySeesTooLittleError(database.where)
    with database.write() as connection:
        for table in _FORCED:
            connection.exec_driver_sql(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        try:
            yield connection
        finally:
            for table in _FORCED:
                connection.exec_driver_sql(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def _owns(connection: Connection) -> bool:
    owner = "SELECT pg_get_userbyid(relowner) = session_user FROM pg_class WHERE oid = 'evaluation'::regclass"
    return bool(connection.exec_driver_sql(owner).scalar())


@contextmanager
def _unguarded(connection: Connection, database: Database) -> Iterator[None]:
    """The target without triggers and row security, in a transaction that ends with both or not at all."""
    if database.dialect == "sqlite":
        triggers = connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in triggers:
            connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
        yield
        for _, statement in triggers:
            connection.exec_driver_sql(statement)
        return
    if not (connection.exec_driver_sql("SELECT rubrictui_trusted()").scalar() or _owns(connection)):
        raise CopySeesTooLittleError(database.where)
    names = [table.name for table in METADATA.sorted_tables]
    for name in names:
        connection.exec_driver_sql(f"ALTER TABLE {name} DISABLE TRIGGER USER")
    for name in _FORCED:
        connection.exec_driver_sql(f"ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY")
    yield
    for name in names:
        connection.exec_driver_sql(f"ALTER TABLE {name} ENABLE TRIGGER USER")
    for name in _FORCED:
        connection.exec_driver_sql(f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY")
