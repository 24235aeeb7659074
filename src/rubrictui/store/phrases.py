"""A reviewer's own phrases. Every function is bound to one user: nobody reads another's."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, insert, or_, select, update

from rubrictui.core.records import Phrase
from rubrictui.store.tables import PHRASE


def phrases(connection: Connection, user_id: str, criterion_key: str | None = None) -> tuple[Phrase, ...]:
    """The user's phrases, the most used first, then the latest used.

    With a key: those of that criterion and those offered everywhere. Without: all.
    """
    query = select(PHRASE).where(PHRASE.c.user_id == user_id)
    if criterion_key is not None:
        query = query.where(or_(PHRASE.c.criterion_key == criterion_key, PHRASE.c.criterion_key.is_(None)))
    rows = connection.execute(
        query.order_by(
            PHRASE.c.uses.desc(),
            PHRASE.c.used_at.is_(None),
            PHRASE.c.used_at.desc(),
            PHRASE.c.created_at.desc(),
            PHRASE.c.text,
        )
    )
    return tuple(
        Phrase(id=row.id, text=row.text, criterion_key=row.criterion_key, uses=row.uses) for row in rows
    )


def find_phrase(
    connection: Connection, user_id: str, *, text: str, criterion_key: str | None
) -> Phrase | None:
    return next(
        (
            phrase
            for phrase in phrases(connection, user_id)
            if phrase.text == text and phrase.criterion_key == criterion_key
        ),
        None,
    )


def add_phrase(connection: Connection, user_id: str, phrase: Phrase, *, created_at: datetime) -> None:
    connection.execute(
        insert(PHRASE).values(
            id=phrase.id,
            user_id=user_id,
            criterion_key=phrase.criterion_key,
            text=phrase.text,
            uses=phrase.uses,
            created_at=created_at,
        )
    )


def count_use(connection: Connection, user_id: str, phrase_id: str, *, used_at: datetime) -> bool:
    """One more use; False when the user has no such phrase."""
    changed = connection.execute(
        update(PHRASE)
        .where(PHRASE.c.id == phrase_id, PHRASE.c.user_id == user_id)
        .values(uses=PHRASE.c.uses + 1, used_at=used_at)
    )
    return changed.rowcount > 0


def delete_phrase(connection: Connection, user_id: str, phrase_id: str) -> bool:
    """False when the user has no such phrase."""
    gone = connection.execute(delete(PHRASE).where(PHRASE.c.id == phrase_id, PHRASE.c.user_id == user_id))
    return gone.rowcount > 0
