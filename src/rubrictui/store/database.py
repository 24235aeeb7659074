"""Opening a store, and its transactions.

``Database.read()`` and ``Database.write()`` are the only ways to a connection. A read sees one state of the
store from its first statement to its last. Write transactions take turns: on SQLite they begin IMMEDIATE, on
PostgreSQL behind one advisory lock, so nothing read inside one can have changed by the time it commits, on
either dialect, and no update is lost. What a driver raises in between leaves as one of ``store.errors``.

No statistics are ever gathered (``ANALYZE``): with them SQLite prefers plans for the cohort that are a
thousand times slower, and without them the indexes alone decide.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.pool import QueuePool

from rubrictui.core.errors import RubrictuiError
from rubrictui.store import sqlite_file
from rubrictui.store.errors import (
    MissingDriverError,
    NoWriteAheadLogError,
    StoreDroppedError,
    StoreError,
    StoreMissingError,
    StoreNewerError,
    StoreOutdatedError,
    StoreReadOnlyError,
    StoreUnreachableError,
    translate,
)
from rubrictui.store.locations import Location, locate
from rubrictui.store.revision import HEAD, READ_REVISION, REVISION_TABLE
from rubrictui.store.sqlite_file import BUSY_SECONDS, Opened, ensure_write_ahead_log
from rubrictui.store.types import dump_json

# Any number will do, as long as every rubrictui uses the same one.
_WRITERS_LOCK = 0x52554252


class Database:
    """One open store. Use ``Database.open``; close it, or use it as a context manager.

    Threads may share it: each transaction has a connection of its own.

    Attributes:
        where: the store for people: its path, or its URL without the password.
        path: the file; None on PostgreSQL.
        dialect: ``sqlite`` or ``postgresql``.
        created: whether this call of ``open`` made the store.
        upgraded_from: the revision the store had before ``open`` upgraded it, else None.
        backup_path: the copy that was made before that upgrade, else None.
    """

    def __init__(self, location: Location, engine: Engine, *, refusal: type[StoreError] | None) -> None:
        self.where = location.where
        self.path = location.path
        self.dialect = engine.dialect.name
        self.created = False
        self.upgraded_from: str | None = None
        self.backup_path: Path | None = None
        self._engine = engine
        self._refusal = refusal
        self._writing = threading.local()
        self._is_open = False

    @classmethod
    def open(
        cls,
        target: str | Path | None = None,
        *,
        read_only: bool = False,
        create: bool = True,
        backup: bool = True,
        busy_seconds: float = BUSY_SECONDS,
    ) -> Self:
        """Open the store at ``target``, made or upgraded to this program's revision when that is needed.

        Args:
            target: a path, ``sqlite:///...``, ``postgresql+psycopg://...``; None is ``RUBRICTUI_DB`` or the
                user's own store.
            read_only: never write, not even to upgrade.
            create: make a store where there is none.
            backup: copy a SQLite file beside itself before upgrading it.
            busy_seconds: how long to wait for other writers.

        Raises:
            StoreError: with one line that says what stands in the way, and what to do.
        """
        location = locate(target)
        if location.url is not None:
            opened = cls._open_postgresql(location, read_only=read_only, busy_seconds=busy_seconds)
            made = False
        else:
            made = sqlite_file.ensure_file(location, create=create and not read_only)
            try:
                opened = cls._open_sqlite(
                    location, read_only=read_only, create=create, busy_seconds=busy_seconds
                )
            except BaseException:
                _remove_if_empty(location.path if made else None)
                raise
        try:
            opened._bring_up_to_date(read_only=read_only, create=create, backup=backup)
        except BaseException:
            opened.close()
            _remove_if_empty(location.path if made else None)
            raise
        opened._is_open = True
        return opened

    def close(self) -> None:
        """Close every connection. What was committed is on the disk already."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- transactions --------------------------------------------------------------------------------

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the store, for reading.

        Raises:
            StoreError: the store cannot be read.
        """
        with self._translated(), self._engine.connect() as connection:
            if self.dialect == "sqlite":
                connection.exec_driver_sql("BEGIN")
            else:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield connection

    @contextmanager
    def write(self, *, alone: bool = True) -> Iterator[Connection]:
        """One write transaction: all of the block is stored, durably, when it ends; nothing if it raises.

        Args:
            alone: False lets others that say so write at the same time on PostgreSQL, and still none that write
                alone. For a block that locks the row it depends on first, and reads nothing else that changes.

        Raises:
            StoreError: the store is locked, read-only, full, gone.
            FrozenError: the block tried to change what is frozen.
            ConstraintError: the block broke a rule of the store.
        """
        if self._refusal is not None:
            raise self._refusal(self.where)
        if getattr(self._writing, "here", False):
            raise RuntimeError("a write transaction is open on this thread; it would wait for itself")
        self._writing.here = True
        try:
            with self._translated(), self._engine.connect() as connection:
                self._begin_writing(connection, alone=alone)
                yield connection
                connection.commit()
        finally:
            self._writing.here = False

    def _begin_writing(self, connection: Connection, *, alone: bool = True) -> None:
        if self.dialect == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            shared = "" if alone else "_shared"
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock{shared}({_WRITERS_LOCK})")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """The one place where driver errors become the store's."""
        try:
            yield
        except RubrictuiError:
            raise
        except (StatementError, sqlite3.Error, UnicodeEncodeError) as error:
            cause = error.orig if isinstance(error, StatementError) and error.orig is not None else error
            told = translate(cause, self.where)
            if isinstance(told, StoreUnreachableError) and getattr(error, "connection_invalidated", False):
                told = StoreDroppedError(self.where)
            if told is None and isinstance(error, DBAPIError):
                told = StoreError(self.where, detail=str(cause))
            if told is None:
                raise
            raise told from error

    # -- opening -------------------------------------------------------------------------------------

    @classmethod
    def _open_sqlite(cls, location: Location, *, read_only: bool, create: bool, busy_seconds: float) -> Self:
        path = location.path
        assert path is not None
        refusal: type[StoreError] | None = None if not read_only else StoreReadOnlyError
        try:
            found = sqlite_file.open_file(location, read_only=read_only, busy_seconds=busy_seconds)
            try:
                if found.revision is None and not create:
                    raise StoreMissingError(location.where)
                if found.mode != "rw":
                    refusal = StoreReadOnlyError
                elif found.revision in (None, HEAD):  # others are not touched unless they are upgraded
                    refusal = _prepare_log(found, location.where, busy_seconds)
            except BaseException:
                found.connection.close()
                raise
        except sqlite3.Error as error:
            raise (translate(error, location.where) or error) from error

        spare = [found.connection]

        def creator() -> sqlite3.Connection:
            connection = (
                spare.pop() if spare else sqlite_file.connect(path, found.mode, busy_seconds=busy_seconds)
            )
            if _lacks_sqrt():
                connection.create_function("sqrt", 1, _sqrt, deterministic=True)
            return connection

        engine = create_engine(
            "sqlite://",
            creator=creator,
            poolclass=QueuePool,
            pool_size=4,
            max_overflow=28,
            json_serializer=dump_json,
            json_deserializer=json.loads,
        )
        return cls(location, engine, refusal=refusal)

    @classmethod
    def _open_postgresql(cls, location: Location, *, read_only: bool, busy_seconds: float) -> Self:
        assert location.url is not None
        milliseconds = int(busy_seconds * 1000)
        try:
            engine = create_engine(
                location.url,
                pool_size=4,
                max_overflow=28,
                pool_pre_ping=True,
                json_serializer=dump_json,
                json_deserializer=json.loads,
                connect_args={
                    "connect_timeout": 10,
                    "options": f"-c lock_timeout={milliseconds} -c timezone=UTC",
                    "application_name": "rubrictui",
                },
            )
        except ImportError as error:
            raise MissingDriverError(location.where) from error
        except Exception as error:  # a URL that SQLAlchemy cannot read: it has many ways to say so
            raise StoreError(location.where, detail=str(error)) from error
        opened = cls(location, engine, refusal=StoreReadOnlyError if read_only else None)

        @event.listens_for(engine, "do_connect")
        def be_quick(
            _dialect: object, _record: object, _arguments: object, options: dict[str, object]
        ) -> None:
            # Opening may take its time. Whoever works has to hear soon that nothing is saved.
            if opened._is_open:
                options["connect_timeout"] = 2

        return opened

    def _bring_up_to_date(self, *, read_only: bool, create: bool, backup: bool) -> None:
        with self.read() as connection:
            revision = self._read_revision(connection)
        if revision == HEAD:
            return
        if revision is None and (read_only or not create):
            raise StoreMissingError(self.where)
        from rubrictui.store.upgrade import known

        if revision is not None and not known(revision):
            raise StoreNewerError(self.where)
        if read_only:
            raise StoreOutdatedError(self.where)
        self._upgrade(backup=backup)

    def _upgrade(self, *, backup: bool) -> None:
        """Run the missing migrations and record them, in one transaction, under the writers' lock."""
        from rubrictui.store.upgrade import upgrade

        if self._refusal is not None:
            raise self._refusal(self.where)
        with self._translated(), self._engine.connect() as connection:
            if self.dialect == "sqlite":
                raw = connection.connection.driver_connection
                assert raw is not None
                ensure_write_ahead_log(raw, self.where, BUSY_SECONDS)
                # Rebuilding a table drops the old one, which would take its children along. This cannot be
                # switched inside a transaction; what it would have caught is checked before the commit.
                connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
            try:
                self._begin_writing(connection)
                revision = self._read_revision(connection)
                if revision == HEAD:  # another process was faster
                    return
                if revision is not None and self.path is not None and backup:
                    self.backup_path = _copy_before_upgrade(self.path, revision, self.where)
                upgrade(connection)
                if self.dialect == "sqlite":
                    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
                    if broken is not None:
                        raise StoreError(self.where, detail=f"the upgrade broke a reference in {broken[0]}")
                if revision is None:
                    _describe_store(connection)
                connection.commit()
                self.created = revision is None
                self.upgraded_from = revision
            finally:
                connection.rollback()
                if self.dialect == "sqlite":
                    connection.exec_driver_sql("PRAGMA foreign_keys = ON")
                    connection.rollback()

    def _read_revision(self, connection: Connection) -> str | None:
        if self.dialect == "sqlite":
            there = connection.exec_driver_sql(
                "SELECT 1 FROM sqlite_master WHERE name = ?", (REVISION_TABLE,)
            ).first()
        else:
            there = connection.execute(
                text("SELECT 1 WHERE to_regclass(:name) IS NOT NULL"), {"name": REVISION_TABLE}
            ).first()
        found = connection.exec_driver_sql(READ_REVISION).scalar() if there else None
        return None if found is None else str(found)


def _prepare_log(found: Opened, where: str, busy_seconds: float) -> type[StoreError] | None:
    """Have changes go through a write-ahead log; the reason why nothing can be written, if it cannot be."""
    try:
        ensure_write_ahead_log(found.connection, where, busy_seconds)
    except NoWriteAheadLogError:
        if found.revision is None:
            raise
        return NoWriteAheadLogError
    except sqlite3.OperationalError as error:
        if not (getattr(error, "sqlite_errorname", "") or "").startswith("SQLITE_READONLY"):
            raise
        return StoreReadOnlyError
    return None


def session_user(connection: Connection) -> str | None:
    """The database user of the session on PostgreSQL, which is who is asking there; None on SQLite."""
    if connection.dialect.name != "postgresql":
        return None
    return str(connection.exec_driver_sql("SELECT session_user").scalar_one())


def _describe_store(connection: Connection) -> None:
    owner = session_user(connection) or _login()
    facts = {
        "store_id": str(uuid4()),
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "created_by": owner,
    }
    connection.execute(
        text("INSERT INTO store_info (key, value) VALUES (:key, :value)"),
        [{"key": key, "value": value} for key, value in facts.items()],
    )


def _login() -> str:
    """The login of the process's user, by the system's records rather than the environment."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return os.environ.get("USERNAME") or "unknown"


def _copy_before_upgrade(path: Path, revision: str, where: str) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    target = path.with_name(f"{path.name}.before-{HEAD}-from-{revision}-{stamp}.backup")
    try:
        sqlite_file.copy_store(path, target)
    except OSError as error:
        raise sqlite_file.os_error(error, where) from error
    return target


def _remove_if_empty(path: Path | None) -> None:
    """Take back a file that this process made and nothing was ever written to."""
    if path is None:
        return
    try:
        if path.stat().st_size == 0:
            path.unlink()
    except OSError:
        return


@cache
def _lacks_sqrt() -> bool:
    """SQLite's mathematics is a build option that some systems leave out."""
    probe = sqlite3.connect(":memory:")
    try:
        probe.execute("SELECT sqrt(4.0)")
    except sqlite3.OperationalError:
        return True
    finally:
        probe.close()
    return False


def _sqrt(value: float | None) -> float | None:
    return None if value is None else math.sqrt(value)
