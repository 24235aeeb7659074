"""Rows by the hundred, handed to the driver as it takes them.

A value that goes through SQLAlchemy costs more than storing it, and a statement for each row costs more still: for
every statement on a table with triggers SQLite opens a journal of its own and copies the pages that are to be changed.
Text of instants and JSON, and 1 and 0 compared with 1, mean the same to SQLite and to PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Connection, Table

from rubrictui.store.types import UtcDateTime, dump_json, instant_text

#: Rows of one statement: with more, longer statements are to be read and little is gained. Both databases take more
#: than 32,000 parameters.
_ROWS = 200


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows of the same names, by column."""
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def insert_columns(
    connection: Connection, table: Table, columns: Mapping[str, Sequence[Any]], *, same: Mapping[str, str]
) -> None:
    """Insert rows that are given by column; a column that is None throughout is left to the table.

    Args:
        columns: all of one length. Instants and JSON as Python has them, or as text already.
        same: columns that are the same in every row, as SQL.
    """
    there = _said(table, columns)
    if not there:
        return
    names = tuple(there)
    # One flat list: the driver takes as many values as a statement has places.
    values = list(chain.from_iterable(zip(*there.values(), strict=True)))
    width = _ROWS * len(names)
    whole = len(values) - len(values) % width

    def inserting(count: int) -> str:
        return _insert(table, names, tuple(same.items()), count, connection.dialect.name)

    if whole:
        parts = [tuple(values[start : start + width]) for start in range(0, whole, width)]
        connection.exec_driver_sql(inserting(_ROWS), parts)
    if rest := tuple(values[whole:]):
        connection.exec_driver_sql(inserting(len(rest) // len(names)), rest)


def update_columns(
    connection: Connection,
    table: Table,
    ids: Sequence[str],
    columns: Mapping[str, Sequence[Any]],
    *,
    where: str,
) -> int:
    """Set columns of the rows of these ids, those that are None throughout too; returns how many there were.

    Args:
        where: SQL that has to hold for a row besides.
    """
    there = {name: _plain(table, name, values) for name, values in columns.items()}
    statement = _update(table, tuple(there), where, connection.dialect.name)
    return connection.exec_driver_sql(statement, list(zip(*there.values(), ids, strict=True))).rowcount


def _said(table: Table, columns: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    # SQLite's driver takes five times as long for None as for a number.
    return {
        name: _plain(table, name, values)
        for name, values in columns.items()
        if values.count(None) < len(values)
    }


def _plain(table: Table, name: str, values: Sequence[Any]) -> Sequence[Any]:
    convert = _converter(table.c[name])
    if convert is None:
        return values
    if values and values.count(values[0]) == len(values):
        return [convert(values[0])] * len(values)
    return [convert(value) for value in values]


@cache
def _converter(column: Column[Any]) -> Callable[[Any], Any] | None:
    """What makes a value one that both drivers take; None when it is."""
    if isinstance(column.type, UtcDateTime):
        return _instant
    if isinstance(column.type, JSON):
        return _json
    # Of a bool, too, SQLite's driver takes five times as long.
    return _number if isinstance(column.type, Boolean) else None


def _instant(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else instant_text(value)


def _json(value: Any) -> str | None:
    return None if value is None else dump_json(value)


def _number(value: bool | None) -> int | None:
    return None if value is None else 1 if value else 0


@lru_cache(maxsize=64)
def _insert(
    table: Table, names: tuple[str, ...], same: tuple[tuple[str, str], ...], rows: int, dialect: str
) -> str:
    columns = ", ".join([*names, *(name for name, _ in same)])
    row = ", ".join([*(_place(table.c[name], dialect) for name in names), *(sql for _, sql in same)])
    return f"INSERT INTO {table.name} ({columns}) VALUES {', '.join([f'({row})'] * rows)}"


@lru_cache(maxsize=64)
def _update(table: Table, names: tuple[str, ...], where: str, dialect: str) -> str:
    values = ", ".join(f"{name} = {_place(table.c[name], dialect)}" for name in names)
    return f"UPDATE {table.name} SET {values} WHERE id = {_mark(dialect)} AND {where}"


def _place(column: Column[Any], dialect: str) -> str:
    mark = _mark(dialect)
    return f"({mark} = 1)" if isinstance(column.type, Boolean) else mark


def _mark(dialect: str) -> str:
    return "?" if dialect == "sqlite" else "%s"
