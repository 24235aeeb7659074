"""The inbox on the store's own connection, either dialect; ``inbox_sql`` says what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, text

from rubrictui.core.records import InboxRow, User
from rubrictui.store.access_rules import hidden_from_login
from rubrictui.store.inbox_sql import read_inbox


def inbox(connection: Connection, viewer: User) -> tuple[InboxRow, ...]:
    """The viewer's own work: drafts, new assignments, and the latest of what is done.

    Whoever acts as her gets nothing about subjects on which he is blind himself, not even that there is work.
    """

    def query(sql: str, parameters: Mapping[str, Any]) -> Iterable[Sequence[Any]]:
        return connection.execute(text(sql), parameters)

    rows = read_inbox(query, viewer.name)
    hidden = hidden_from_login(connection, viewer)
    return tuple(row for row in rows if row.subject_id not in hidden) if hidden else rows
