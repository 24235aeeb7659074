"""One SQLite file: making it, opening it, and the settings every connection has.

Plain ``sqlite3``, no SQLAlchemy, so that looking at a store costs next to nothing. Driver errors leave this
file as they are; ``database`` translates them.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from rubrictui.store.errors import (
    DanglingLinkError,
    DiskFullError,
    MissingFolderError,
    NotAStoreError,
    NoWriteAheadLogError,
    StoreError,
    StoreMissingError,
    StoreNotPermittedError,
    StoreReadOnlyError,
)
from rubrictui.store.locations import Location
from rubrictui.store.revision import READ_REVISION, REVISION_TABLE

_CACHE_KIBIBYTES = 16_000
BUSY_SECONDS = 10.0

_HEADER = b"SQLite format 3\0"

_OS_ERRORS: dict[int, type[StoreError]] = {
    errno.ENOENT: MissingFolderError,
    errno.ENOTDIR: MissingFolderError,
    errno.EACCES: StoreNotPermittedError,
    errno.EPERM: StoreNotPermittedError,
    errno.EROFS: StoreReadOnlyError,
    errno.ENOSPC: DiskFullError,
    errno.EDQUOT: DiskFullError,
    errno.EISDIR: NotAStoreError,
}


class Opened(NamedTuple):
    """What opening found. ``mode`` is ``rw``, ``ro`` or ``immutable``; ``revision`` None is an empty file."""

    connection: sqlite3.Connection
    mode: str
    revision: str | None


def ensure_file(location: Location, *, create: bool) -> bool:
    """Make sure that there is a file to open; True when it was made now (empty, readable by its owner only).

    Raises:
        StoreMissingError, DanglingLinkError, MissingFolderError, NotAStoreError, StoreNotPermittedError,
        StoreReadOnlyError, DiskFullError: there is none, or none can be made.
    """
    path, where = location.path, location.where
    assert path is not None
    try:
        if path.exists():
            if not path.is_file():
                raise NotAStoreError(where)
            return False
        if path.is_symlink():
            raise DanglingLinkError(where)
        # Only the default folder is made on the way: a mistyped path must not leave folders behind.
        if create and location.is_default:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.parent.is_dir():
            raise MissingFolderError(where)
        if not create:
            raise StoreMissingError(where)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:  # another process was faster
        return False
    except OSError as error:
        raise os_error(error, where) from error
    return True


def os_error(error: OSError, where: str) -> StoreError:
    """The store's error behind an operating system's."""
    kind = _OS_ERRORS.get(error.errno or 0)
    return kind(where) if kind else StoreError(where, detail=error.strerror or str(error))


def connect(path: Path, mode: str, *, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection with our settings, outside any transaction.

    Every committed transaction is on the disk before the commit returns (``synchronous=FULL``). Recursive
    triggers make ``REPLACE`` fire the triggers that guard deletion.
    """
    query = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    connection = sqlite3.connect(
        f"{path.as_uri()}?{query}",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA recursive_triggers = ON")
        connection.execute("PRAGMA synchronous = FULL")
        # Room for the indexes of a large round; it is taken only as far as pages are read.
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}")
        if mode != "rw":
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def open_file(location: Location, *, read_only: bool, busy_seconds: float = BUSY_SECONDS) -> Opened:
    """Open the file as far as it lets us: for writing, for reading, or as a file that cannot change.

    A store in a folder that cannot be written has no room for the log beside it. When there is no log with
    changes in it, the file alone is whole and is read as it is.

    Raises:
        NotAStoreError: a database of some other program.
        sqlite3.Error: whatever else stands in the way.
    """
    path = location.path
    assert path is not None
    _check_header(path, location.where)
    modes = ["ro"] if read_only else ["rw", "ro"]
    log = path.with_name(path.name + "-wal")
    if not (log.exists() and log.stat().st_size):
        modes.append("immutable")
    for mode in modes:
        try:
            return _open_as(path, mode, location.where, busy_seconds)
        except sqlite3.OperationalError as error:
            if mode == modes[-1] or not _cannot_be_written(error):
                raise
    raise AssertionError("one of the modes returns or raises")


def _open_as(path: Path, mode: str, where: str, busy_seconds: float) -> Opened:
    connection = connect(path, mode, busy_seconds=busy_seconds)
    try:
        return Opened(connection, mode, _revision(connection, where))
    except BaseException:
        connection.close()
        raise


def _check_header(path: Path, where: str) -> None:
    """SQLite takes any file shorter than a page for an empty database, and would write over it."""
    try:
        with open(path, "rb") as file:
            start = file.read(len(_HEADER))
    except OSError as error:
        gone = error.errno == errno.ENOENT  # meanwhile
        raise (StoreMissingError(where) if gone else os_error(error, where)) from error
    if start and start != _HEADER:
        raise NotAStoreError(where)


def _cannot_be_written(error: BaseException) -> bool:
    name = getattr(error, "sqlite_errorname", None) or ""
    return name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN"))


def _revision(connection: sqlite3.Connection, where: str) -> str | None:
    """The revision by one SELECT. A database without our table is another program's, unless it is empty."""
    try:
        found = connection.execute(READ_REVISION).fetchone()
    except sqlite3.OperationalError as error:
        if f"no such table: {REVISION_TABLE}" not in str(error):
            raise
        if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise NotAStoreError(where) from error
        return None
    return None if found is None else str(found[0])


def ensure_write_ahead_log(connection: sqlite3.Connection, where: str, busy_seconds: float) -> None:
    """Switch the file to a write-ahead log, once in its life. SQLite does not wait for others here: we do.

    Raises:
        NoWriteAheadLogError: the file system cannot do it.
    """
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            busy = (getattr(error, "sqlite_errorname", "") or "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise NoWriteAheadLogError(where)
        return


def copy_store(source: Path, target: Path) -> None:
    """A consistent copy of a live store, through SQLite's backup: whole at its name, or not there at all.

    Raises:
        FileExistsError: ``target`` exists.
        OSError, sqlite3.Error: it cannot be written or read.
    """
    if target.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with closing(connect(source, "ro")) as origin, closing(sqlite3.connect(partial)) as copy:
            origin.backup(copy)
            # A copy is one file: no log beside it, nothing to lose when it is moved.
            copy.execute("PRAGMA journal_mode = DELETE")
        with open(partial, "rb+") as written:
            os.fsync(written.fileno())
        os.link(partial, target)  # fails when somebody made the target meanwhile; a rename would not
    finally:
        partial.unlink(missing_ok=True)
