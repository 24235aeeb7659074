"""What is scored, what for, and who was asked to: subjects, contexts, assignments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    bindparam,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from rubrictui.core.records import (
    Assignment,
    AssignmentStatus,
    Context,
    ContextStatus,
    Subject,
    SubjectFile,
)
from rubrictui.store.tables import ASSIGNMENT, CONTEXT, SUBJECT
from rubrictui.store.types import dump_json, instant_text

T = TypeVar("T")

# -- subjects ----------------------------------------------------------------------------------------

_LISTED = (SUBJECT.c.id, SUBJECT.c.entity, SUBJECT.c.record_id, SUBJECT.c.title, SUBJECT.c.content_hash)


def subjects(
    connection: Connection,
    *,
    search: str | None = None,
    entity: str | None = None,
    ids: Collection[str] | None = None,
    content: bool = True,
) -> tuple[Subject, ...]:
    """Subjects by entity, then record id.

    Args:
        search: a part of the title, the record id or the entity, ignoring (ASCII) case.
        entity: only this entity, exactly.
        ids: only these subjects.
        content: False leaves ``text``, ``data`` and ``files`` out, for long lists.
    """
    query = select(SUBJECT) if content else select(*_LISTED)
    if search and search.strip():
        part = _like(search.strip().lower())
        query = query.where(
            or_(
                *(
                    func.lower(column).like(part, escape="\\")
                    for column in (SUBJECT.c.title, SUBJECT.c.record_id, SUBJECT.c.entity)
                )
            )
        )
    if entity is not None:
        query = query.where(SUBJECT.c.entity == entity)
    if ids is not None:
        query = query.where(SUBJECT.c.id.in_(sorted(ids)))
    rows = connection.execute(query.order_by(SUBJECT.c.entity, SUBJECT.c.record_id))
    if content:
        return tuple(_subject(row) for row in rows)
    return tuple(
        Subject(id=id, entity=kind, record_id=record_id, title=title, content_hash=content_hash)
        for id, kind, record_id, title, content_hash in rows
    )


def find_subject(connection: Connection, reference: str) -> Subject | None:
    """The subject with this id, or named ``Entity/record``."""
    row = connection.execute(select(SUBJECT).where(_named(SUBJECT, reference))).first()
    return None if row is None else _subject(row)


def subject_id(connection: Connection, reference: str) -> str | None:
    """The id behind an id or ``Entity/record``, without reading the content."""
    found: str | None = connection.execute(select(SUBJECT.c.id).where(_named(SUBJECT, reference))).scalar()
    return found


class Known(NamedTuple):
    """What the store has of a subject that somebody names."""

    id: str
    content_hash: str


def known_subjects(connection: Connection, names: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Known]:
    """Those of ``names`` (entity, record id) that the store has, by name."""
    wanted: dict[str, list[str]] = {}
    for entity, record_id in dict.fromkeys(names):
        wanted.setdefault(entity, []).append(record_id)
    return {
        (entity, row.record_id): Known(row.id, row.content_hash)
        for entity, record_ids in wanted.items()
        for chunk in _chunks(record_ids, _NAMES_AT_ONCE)
        for row in connection.execute(_KNOWN, {"in_entity": entity, "record_ids": chunk})
    }


def taken_ids(connection: Connection, ids: Iterable[str]) -> set[str]:
    """Those of ``ids`` that are a subject's."""
    return {
        str(found)
        for chunk in _chunks(list(dict.fromkeys(ids)), _NAMES_AT_ONCE)
        for found in connection.execute(_TAKEN, {"ids": chunk}).scalars()
    }


def subject_row(subject: Subject, *, id: str, at: datetime, by: str) -> dict[str, Any]:
    """The values of a row as both databases take them, so that no work is left for the transaction."""
    files = msgspec.to_builtins(subject.files)
    return {
        "id": id,
        "entity": subject.entity,
        "record_id": subject.record_id,
        "title": subject.title,
        "text": subject.text,
        "data": None if subject.data is None else dump_json(subject.data),
        "files": dump_json(files) if files else None,
        "content_hash": subject.content_hash,
        "at": instant_text(at),
        "by": by,
    }


def add_rows(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Insert subjects (``subject_row``) whose names and ids the store does not have."""
    for chunk in _chunks(rows, _ROWS_AT_ONCE):
        connection.execute(_INSERT, chunk)


def change_rows(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Replace the content of the stored subjects with the ids of these rows (``subject_row``)."""
    for chunk in _chunks(rows, _ROWS_AT_ONCE):
        connection.execute(_UPDATE, chunk)


# Statements are built once: for many rows, building them took longer than running them. A database takes
# a limited number of parameters in one statement (SQLite at least 999).
_NAMES_AT_ONCE = 500
_ROWS_AT_ONCE = 2_000
_KNOWN = select(SUBJECT.c.id, SUBJECT.c.record_id, SUBJECT.c.content_hash).where(
    SUBJECT.c.entity == bindparam("in_entity"),
    SUBJECT.c.record_id.in_(bindparam("record_ids", expanding=True)),
)
_TAKEN = select(SUBJECT.c.id).where(SUBJECT.c.id.in_(bindparam("ids", expanding=True)))
_INSERT = text(
    "INSERT INTO subject (id, entity, record_id, title, text, data, files, content_hash,"
    " created_at, updated_at, created_by)"
    " VALUES (:id, :entity, :record_id, :title, :text, :data, :files, :content_hash, :at, :at, :by)"
)
_UPDATE = text(
    "UPDATE subject SET title = :title, text = :text, data = :data, files = :files,"
    " content_hash = :content_hash, updated_at = :at WHERE id = :id"
)


def _chunks(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (values[start : start + size] for start in range(0, len(values), size))


def _subject(row: Row[Any]) -> Subject:
    return Subject(
        id=row.id,
        entity=row.entity,
        record_id=row.record_id,
        title=row.title,
        text=row.text,
        data=row.data,
        files=msgspec.convert(row.files or (), tuple[SubjectFile, ...]),
        content_hash=row.content_hash,
    )


# -- contexts ----------------------------------------------------------------------------------------


def contexts(connection: Connection) -> tuple[Context, ...]:
    """Every context: those due first lead, those without a date follow by name."""
    rows = connection.execute(
        select(CONTEXT).order_by(CONTEXT.c.due_at.is_(None), CONTEXT.c.due_at, CONTEXT.c.name, CONTEXT.c.id)
    )
    return tuple(_context(row) for row in rows)


def find_context(connection: Connection, reference: str) -> Context | None:
    """The context with this id, or named ``Entity/record``."""
    row = connection.execute(select(CONTEXT).where(_named(CONTEXT, reference))).first()
    return None if row is None else _context(row)


def put_context(connection: Connection, context: Context, *, at: datetime, by: str) -> None:
    """Insert the context, or change the stored one with its id."""
    values = {
        "entity": context.entity,
        "record_id": context.record_id,
        "name": context.name,
        "description": context.description,
        "rubric_id": context.rubric_id,
        "version_id": context.version_id,
        "due_at": context.due_at,
        "due_zone": context.due_zone,
        "self_allowed": context.self_allowed,
        "status": context.status.value,
    }
    changed = connection.execute(update(CONTEXT).where(CONTEXT.c.id == context.id).values(values))
    if changed.rowcount == 0:
        connection.execute(insert(CONTEXT).values(id=context.id, created_at=at, created_by=by, **values))


def _context(row: Row[Any]) -> Context:
    return Context(
        id=row.id,
        entity=row.entity,
        record_id=row.record_id,
        name=row.name,
        description=row.description,
        rubric_id=row.rubric_id,
        version_id=row.version_id,
        due_at=row.due_at,
        due_zone=row.due_zone,
        self_allowed=row.self_allowed,
        status=ContextStatus(row.status),
    )


# -- assignments -------------------------------------------------------------------------------------


def assignments(
    connection: Connection,
    *,
    user_id: str | None = None,
    subject_id: str | None = None,
    context_id: str | None = None,
) -> tuple[Assignment, ...]:
    """Assignments in the order they were made; None does not narrow."""
    query = select(ASSIGNMENT)
    for column, wanted in (
        (ASSIGNMENT.c.user_id, user_id),
        (ASSIGNMENT.c.subject_id, subject_id),
        (ASSIGNMENT.c.context_id, context_id),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    rows = connection.execute(query.order_by(ASSIGNMENT.c.created_at, ASSIGNMENT.c.id))
    return tuple(_assignment(row) for row in rows)


def find_assignment(connection: Connection, assignment_id: str) -> Assignment | None:
    row = connection.execute(select(ASSIGNMENT).where(ASSIGNMENT.c.id == assignment_id)).first()
    return None if row is None else _assignment(row)


def open_assignment(
    connection: Connection, *, user_id: str, subject_id: str, rubric_id: str, context_id: str | None
) -> Assignment | None:
    """The Open assignment of this user for this work, if any. There is never a second one."""
    row = connection.execute(
        select(ASSIGNMENT).where(
            ASSIGNMENT.c.user_id == user_id,
            ASSIGNMENT.c.subject_id == subject_id,
            ASSIGNMENT.c.rubric_id == rubric_id,
            ASSIGNMENT.c.context_id.is_(None)
            if context_id is None
            else ASSIGNMENT.c.context_id == context_id,
            ASSIGNMENT.c.status == AssignmentStatus.OPEN.value,
        )
    ).first()
    return None if row is None else _assignment(row)


def add_assignment(connection: Connection, assignment: Assignment, *, at: datetime, by: str) -> None:
    connection.execute(
        insert(ASSIGNMENT).values(
            id=assignment.id,
            subject_id=assignment.subject_id,
            context_id=assignment.context_id,
            rubric_id=assignment.rubric_id,
            version_id=assignment.version_id,
            user_id=assignment.user_id,
            due_at=assignment.due_at,
            status=assignment.status.value,
            created_at=at,
            created_by=by,
        )
    )


def set_due(connection: Connection, assignment_id: str, due_at: datetime | None) -> None:
    connection.execute(update(ASSIGNMENT).where(ASSIGNMENT.c.id == assignment_id).values(due_at=due_at))


def close_assignment(
    connection: Connection,
    assignment_id: str,
    status: AssignmentStatus,
    *,
    at: datetime,
    by: str,
    reason: str | None = None,
) -> bool:
    """End an Open assignment; False when it was not Open. ``by`` is the login of who ends it."""
    changed = connection.execute(
        update(ASSIGNMENT)
        .where(ASSIGNMENT.c.id == assignment_id, ASSIGNMENT.c.status == AssignmentStatus.OPEN.value)
        .values(status=status.value, reason=reason, ended_at=at, ended_by=by)
    )
    return changed.rowcount > 0


def _assignment(row: Row[Any]) -> Assignment:
    return Assignment(
        id=row.id,
        subject_id=row.subject_id,
        rubric_id=row.rubric_id,
        user_id=row.user_id,
        context_id=row.context_id,
        version_id=row.version_id,
        due_at=row.due_at,
        status=AssignmentStatus(row.status),
        reason=row.reason,
        ended_at=row.ended_at,
        ended_by=row.ended_by,
    )


# -- naming ------------------------------------------------------------------------------------------


def _named(table: Table, reference: str) -> ColumnElement[bool]:
    """The row whose id is ``reference``, or whose entity and record id it names as ``Entity/record``.

    The record may hold slashes; an entity may not.
    """
    entity, slash, record_id = reference.strip().partition("/")
    if not slash:
        return table.c.id == reference.strip()
    named: ColumnElement[bool] = (table.c.entity == entity.strip()) & (table.c.record_id == record_id.strip())
    return named


def _like(part: str) -> str:
    escaped = part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
