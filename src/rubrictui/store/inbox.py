"""The inbox on the store's own connection, either dialect; ``inbox_sql`` says what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, text

from rubrictui.core.records import InboxRow, User
from rubrictui.store.inbox_sql import read_inbox


def inbox(connection: Connection, viewer: User) -> tuple[InboxRow, ...]:
    """The viewer's own work: drafts, new assignments, and the latest of what is done."""

    def query(sql: str, parameters: Mapping[str, Any]) -> Iterable[Sequence[Any]]:
        return connection.execute(text(sql), parameters)

    return read_inbox(query, viewer.name)
