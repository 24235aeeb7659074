"""Subjects from a database: the rows of one query, over any URL that SQLAlchemy knows. Nothing is written there."""

from __future__ import annotations

import datetime
import decimal
import math
import re
import uuid
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.subjects_in import Options, SubjectsRead, subjects_from_rows

_READS: Final = re.compile(
    r"\s*(?:(?:--[^\n]*\n|/\*.*?\*/)\s*)*\(?\s*(select|with|values|table|show)\b", re.I | re.S
)
#: What may hold a semicolon without ending a statement: quoted text and names, comments.
_QUOTED: Final = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\$(\w*)\$.*?\$\1\$|--[^\n]*|/\*.*?\*/", re.S)
_AT_ONCE: Final = 1_000
#: How each database is told that a transaction only reads, beyond the rollback that ends it.
_READ_ONLY: Final = {
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET TRANSACTION READ ONLY",
    "mysql": "SET TRANSACTION READ ONLY",
    "mariadb": "SET TRANSACTION READ ONLY",
    "oracle": "SET TRANSACTION READ ONLY",
}


def read_sql_subjects(url: str, query: str, options: Options | None = None) -> SubjectsRead:
    """A subject for each row of a query; its columns are what the columns of a CSV file are.

    The transaction is declared as one that only reads where the database knows that, and is rolled back anyhow.
    A password in the URL is in no message.

    Raises:
        InvalidInputError: the URL or its driver is not known, the database cannot be reached, the query is none or
            fails, or a row cannot be a subject.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
    from sqlalchemy.pool import NullPool

    try:
        target = make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidInputError(
            "The SQL URL cannot be read.", remedy="Write it as dialect+driver://user:password@host/database."
        ) from None
    where = target.render_as_string(hide_password=True)
    if _READS.match(query) is None:
        raise InvalidInputError("The query does not only read.", remedy="Begin it with SELECT or WITH.")
    if ";" in _QUOTED.sub("", query).strip().rstrip("; \n\t"):
        raise InvalidInputError("The query is more than one statement.", remedy="Give one SELECT.")
    if target.get_backend_name() == "sqlite" and target.database not in (None, "", ":memory:"):
        path = Path(str(target.database))
        if "uri" not in target.query and not path.is_file():
            raise InvalidInputError(f"{path} does not exist.", remedy="Check the path after sqlite:///.")
    try:
        engine = create_engine(target, poolclass=NullPool)
    except NoSuchModuleError:
        name = target.drivername[:60]
        raise InvalidInputError(
            f'There is no database "{name}".', remedy="Check the URL's beginning."
        ) from None
    except ImportError as error:
        raise InvalidInputError(
            f"The driver of {where} is not installed: {error.name}.", remedy="Install it beside rubrictui."
        ) from None
    try:
        with closing(_rows(engine, query, where)) as rows:
            return subjects_from_rows(rows, options or Options())
    except SQLAlchemyError as error:
        what = _plain(str(getattr(error, "orig", None) or error), target.password)
        raise InvalidInputError(f"{where}: {what}", remedy="Check the URL and the query.") from None
    finally:
        engine.dispose()


def _rows(engine: Any, query: str, where: str) -> Generator[tuple[str, dict[str, Any]], None, None]:
    """The rows with where each is from."""
    with engine.connect() as connection:
        try:
            read_only = _READ_ONLY.get(engine.dialect.name)
            if read_only is not None:
                connection.exec_driver_sql(read_only)
            streaming = connection.execution_options(stream_results=True, yield_per=_AT_ONCE)
            # Drivers of these styles read a percent sign as the place of a parameter.
            has_percent = engine.dialect.paramstyle in ("format", "pyformat")
            found = streaming.exec_driver_sql(query.replace("%", "%%") if has_percent else query)
            if not found.returns_rows:
                raise InvalidInputError("The query gives no rows.", remedy="Write one that selects.")
            names = [str(name) for name in found.keys()]  # noqa: SIM118
            twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
            if twice is not None:
                raise InvalidInputError(
                    f'The query gives two columns "{twice[:60]}".', remedy="Name one of them with AS."
                )
            for number, row in enumerate(found, 1):
                yield f"{where}, row {number}", dict(zip(names, map(_value, row), strict=True))
        finally:
            connection.rollback()


def _value(value: Any) -> Any:
    """What a subject's data may hold: dates and the like as text, whole numbers as such, bytes by their count."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value.replace("\r\n", "\n").replace("\0", "") if isinstance(value, str) else value
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            return str(value)
        return int(value) if value == value.to_integral_value() and abs(value) < 2**53 else float(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return f"({len(bytes(value))} bytes)"
    if isinstance(value, dict):
        return {str(name): _value(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_value(one) for one in value]
    return str(value) if isinstance(value, uuid.UUID | datetime.timedelta) else str(value)[:10_000]


def _plain(message: str, password: Any) -> str:
    """A driver's message on one line, without the password."""
    line = " ".join(message.split())[:300].rstrip(".") + "."
    secret = str(password) if password else ""
    return line.replace(secret, "***") if secret else line
