"""The inbox before the store is imported: plain ``sqlite3``, for the first frame of the application.

It answers in a few milliseconds or not at all: None means that the caller must open the store properly. It
writes nothing and makes no file, not even SQLite's own beside the store.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from rubrictui.core.records import InboxRow
from rubrictui.store.errors import StoreError
from rubrictui.store.inbox_sql import read_inbox
from rubrictui.store.locations import locate
from rubrictui.store.revision import HEAD, READ_REVISION

_PATIENCE_SECONDS = 0.05


def fast_inbox(target: str | Path | None, login: str) -> tuple[InboxRow, ...] | None:
    """The inbox rows of the user ``login``, as ``store.inbox`` gives them.

    Args:
        target: as for ``Database.open``.
        login: the user's name in the store; someone unknown has an empty inbox.

    Returns:
        None when there is no SQLite store there of this program's revision, or it cannot be read at once.
    """
    try:
        path = locate(target).path
    except StoreError:
        return None
    if path is None:
        return None
    try:
        before = _state(path)
        log, index = path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")
        if log.exists() and log.stat().st_size:
            # Somebody has the store open, or had when the power went: the log holds the latest changes.
            if not index.exists():
                return None
            return _read(path, "mode=ro", login)
        # Nobody has: SQLite would make its files to find that out, unless it may take the file as it is.
        rows = _read(path, "mode=ro&immutable=1", login)
        return rows if _state(path) == before else None
    except (OSError, sqlite3.Error, ValueError):
        return None


def _state(path: Path) -> tuple[int, int, int]:
    """What changes when anybody writes the file."""
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns


def _read(path: Path, how: str, login: str) -> tuple[InboxRow, ...] | None:
    uri = f"{path.as_uri()}?{how}"
    with closing(
        sqlite3.connect(uri, uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None)
    ) as connection:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        if connection.execute(READ_REVISION).fetchone() != (HEAD,):
            return None

        def query(sql: str, parameters: Mapping[str, Any]) -> Iterable[Sequence[Any]]:
            return connection.execute(sql, parameters)

        return read_inbox(query, login)
