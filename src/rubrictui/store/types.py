"""Column types that mean the same on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, String
from sqlalchemy.types import TypeDecorator, TypeEngine


class UtcDateTime(TypeDecorator[datetime]):
    """An instant, always timezone-aware UTC in Python.

    SQLite keeps ISO 8601 text of one fixed width (microseconds, ``+00:00``), so text order is time order.
    PostgreSQL keeps ``timestamptz``. A naive datetime is refused: nobody can tell which instant it means.
    """

    impl = String(32)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(DateTime(timezone=True))
        return dialect.type_descriptor(String(32))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        instant = value.astimezone(UTC)
        return instant if dialect.name == "postgresql" else instant_text(instant)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.astimezone(UTC) if isinstance(value, datetime) else parse_instant(value)


def instant_text(value: datetime) -> str:
    """The text SQLite stores for an aware datetime: sortable, always the same width."""
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def parse_instant(text: str) -> datetime:
    """The aware UTC datetime behind stored text."""
    return datetime.fromisoformat(text).astimezone(UTC)


def json_column_type() -> JSON:
    """JSON kept as it was written (key order included) on both dialects; Python None is SQL NULL."""
    return JSON(none_as_null=True)


def dump_json(value: Any) -> str:
    """Compact JSON text. NaN and infinities are refused, since no other reader would take them."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
