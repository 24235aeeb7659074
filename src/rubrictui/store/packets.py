"""Packets: what was exported to whom, and what came back that somebody has to settle.

Both hold a reviewer's own answers or their fingerprints, so reading them takes the viewer, like everything that
reads evaluations: who may is decided by ``access_rules``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, bindparam, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from rubrictui.core.records import AssignmentStatus, EvaluationStatus, Role, User
from rubrictui.store.access_rules import (
    VIEWER,
    asking,
    blind,
    hidden_from_login,
    hidden_subjects,
    login_blind,
    rights,
)
from rubrictui.store.tables import (
    ASSIGNMENT,
    CONTEXT,
    EVALUATION,
    EVALUATION_SCORE,
    PACKET_CONFLICT,
    PACKET_EXPORT,
    STORE_INFO,
    SUBJECT,
    USER,
)
from rubrictui.store.views import PACKET_BROUGHT, PACKET_SENT


class Export(NamedTuple):
    """The record of an export. ``sent`` and ``bases`` are as the engine wrote them."""

    id: str
    context_id: str
    user_id: str
    exported_at: datetime
    exported_by: str
    is_signed: bool
    sent: dict[str, Any]
    bases: dict[str, dict[str, str]]


class SentPacket(NamedTuple):
    """What is known of a packet that went out.

    ``taken_at`` is when a return of it was last taken in, by ``taken_by``. ``is_veiled``: whether one was is not told,
    because the viewer is blind on a subject in it.
    """

    id: str
    context_id: str
    round_name: str
    user_name: str
    exported_at: datetime
    exported_by: str
    is_signed: bool
    subjects: int
    taken_at: datetime | None
    taken_by: str | None
    is_veiled: bool


class StoredConflict(NamedTuple):
    """A conflict with the names that people know. ``returned`` is None where its answers are not the viewer's to read."""

    id: str
    export_id: str
    context_id: str
    user_id: str
    user_name: str
    subject_id: str
    subject_title: str
    item_id: str
    digest: str
    reasons: list[dict[str, str]]
    returned: dict[str, Any] | None
    found_at: datetime
    found_by: str
    settled_at: datetime | None
    settled_by: str | None
    taken: str | None


def add_export(connection: Connection, values: Mapping[str, Any]) -> None:
    """Record an export; ``values`` are columns of ``packet_export``."""
    connection.execute(insert(PACKET_EXPORT).values(**values))


def find_export(connection: Connection, packet_id: str) -> Export | None:
    """The record of a packet, for the engine, which asks before it takes a packet in."""
    row = connection.execute(select(PACKET_EXPORT).where(PACKET_EXPORT.c.id == packet_id)).first()
    if row is None:
        return None
    return Export(
        id=row.id,
        context_id=row.context_id,
        user_id=row.user_id,
        exported_at=row.exported_at,
        exported_by=row.exported_by,
        is_signed=row.is_signed,
        sent=row.sent or {},
        bases=row.bases or {},
    )


def was_sent(connection: Connection, packet_id: str) -> bool:
    """Whether there is a record of this packet, even where the database keeps the record itself from the session."""
    query = select(PACKET_SENT.c.id).where(PACKET_SENT.c.id == packet_id)
    return connection.execute(query).first() is not None


def sent_packets(
    connection: Connection, viewer: User, *, context_id: str | None = None
) -> tuple[SentPacket, ...]:
    """The packets that went out, the latest first: her own, and for a chair or *administer_evaluations* everyone's.

    That something came back tells what a peer has done: it is told of no packet with a subject on which the viewer
    is blind, her own excepted.
    """
    query = (
        select(PACKET_SENT, USER.c.name.label("user_name"), CONTEXT.c.name.label("round_name"))
        .select_from(
            PACKET_SENT.join(USER, USER.c.id == PACKET_SENT.c.user_id).join(
                CONTEXT, CONTEXT.c.id == PACKET_SENT.c.context_id
            )
        )
        .order_by(PACKET_SENT.c.exported_at.desc(), PACKET_SENT.c.id)
    )
    if not {Role.CHAIR, Role.ADMINISTER_EVALUATIONS}.intersection(viewer.roles):
        query = query.where(PACKET_SENT.c.user_id == viewer.id)
    if context_id is not None:
        query = query.where(PACKET_SENT.c.context_id == context_id)
    hidden, from_login = hidden_subjects(connection, viewer), hidden_from_login(connection, viewer)
    found = []
    for row in connection.execute(query):
        subjects = (row.sent or {}).get("subjects", {})
        blind_on = from_login if row.user_id == viewer.id else hidden
        veiled = bool(row.is_veiled) or not blind_on.isdisjoint(subjects)
        found.append(
            SentPacket(
                id=row.id,
                context_id=row.context_id,
                round_name=row.round_name,
                user_name=row.user_name,
                exported_at=row.exported_at,
                exported_by=row.exported_by,
                is_signed=row.is_signed,
                subjects=len(subjects),
                taken_at=None if veiled else row.taken_at,
                taken_by=None if veiled else row.taken_by,
                is_veiled=veiled,
            )
        )
    return tuple(found)


def set_taken(
    connection: Connection, packet_id: str, bases: dict[str, dict[str, str]], *, at: datetime, by: str
) -> None:
    """A return of this packet was taken in: from here both sides agree on ``bases``."""
    connection.execute(
        update(PACKET_EXPORT)
        .where(PACKET_EXPORT.c.id == packet_id)
        .values(bases=bases, taken_at=at, taken_by=by)
    )


def set_bases(connection: Connection, packet_id: str, bases: dict[str, dict[str, str]]) -> None:
    """The same, after a conflict was settled."""
    connection.execute(update(PACKET_EXPORT).where(PACKET_EXPORT.c.id == packet_id).values(bases=bases))


def taken(connection: Connection, ids: Iterable[str]) -> frozenset[str]:
    """Those of ``ids`` that are anybody's evaluation: what comes in under another's id is refused, and nothing
    of it told."""
    wanted = list(ids)
    found: set[str] = set()
    for start in range(0, len(wanted), _AT_A_TIME):
        found.update(connection.execute(_TAKEN, {"ids": wanted[start : start + _AT_A_TIME]}).scalars())
    return frozenset(found)


_AT_A_TIME = 500
_DRAFT = EvaluationStatus.DRAFT.value
_TAKEN = select(EVALUATION.c.id).where(EVALUATION.c.id.in_(bindparam("ids", expanding=True)))


# -- many submissions at once ------------------------------------------------------------------------

_SCORE_COLUMNS = (
    "scale_level_id", "raw_value", "is_not_applicable", "confidence", "rationale", "evidence", "is_flagged",
    "revision", "updated_at", "normalized_score", "effective_weight", "overall_contribution", "gate_failed",
    "is_advisory", "sequence",
)  # fmt: skip


def add_drafts(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """New evaluations, all of the same columns, each a Draft."""
    if rows:
        connection.execute(insert(EVALUATION), [{"status": _DRAFT, **row} for row in rows])


def submit_drafts(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Set columns of Drafts, all of the same names, the status among them; ``of`` is the evaluation's id.

    Returns:
        False when one of them is no Draft any more; then nothing may be kept.
    """
    if not rows:
        return True
    names = tuple(name for name in rows[0] if name != "of")
    given = [{"of": row["of"], **{f"new_{name}": row[name] for name in names}} for row in rows]
    return connection.execute(_submitting(names), given).rowcount == len(rows)


@cache
def _submitting(names: tuple[str, ...]) -> Any:
    values = {name: bindparam(f"new_{name}", type_=EVALUATION.c[name].type) for name in names}
    own = (EVALUATION.c.id == bindparam("of"), EVALUATION.c.status == _DRAFT)
    return update(EVALUATION).where(*own).values(values)


def put_scores(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows of ``evaluation_score``, answers and results together, or write over those that are there."""
    if rows:
        connection.execute(_put_scores(connection.dialect.name), list(rows))


@cache
def _put_scores(dialect: str) -> Any:
    statement = (postgresql if dialect == "postgresql" else sqlite).insert(EVALUATION_SCORE)
    return statement.on_conflict_do_update(
        index_elements=[EVALUATION_SCORE.c.evaluation_id, EVALUATION_SCORE.c.criterion_id],
        set_={name: statement.excluded[name] for name in _SCORE_COLUMNS},
    )


def close_assignments(connection: Connection, ids: Sequence[str], *, at: datetime, by: str) -> None:
    """Open -> Done for these assignments; others stay as they are."""
    for start in range(0, len(ids), _AT_A_TIME):
        connection.execute(
            update(ASSIGNMENT)
            .where(
                ASSIGNMENT.c.id.in_(ids[start : start + _AT_A_TIME]),
                ASSIGNMENT.c.status == AssignmentStatus.OPEN.value,
            )
            .values(status=AssignmentStatus.DONE.value, ended_at=at, ended_by=by)
        )


# -- conflicts ---------------------------------------------------------------------------------------


def known_conflicts(connection: Connection, export_id: str) -> dict[tuple[str, str], str | None]:
    """What became of each conflict of an export (None: it is open), by item and digest."""
    rows = connection.execute(
        select(PACKET_CONFLICT.c.item_id, PACKET_CONFLICT.c.digest, PACKET_CONFLICT.c.taken).where(
            PACKET_CONFLICT.c.export_id == export_id
        )
    )
    return {(row[0], row[1]): row[2] for row in rows}


def add_conflict(connection: Connection, values: Mapping[str, Any]) -> None:
    """Add an open conflict; ``values`` are columns of ``packet_conflict``."""
    connection.execute(insert(PACKET_CONFLICT).values(**values))


def end_conflicts(
    connection: Connection,
    export_id: str,
    item_id: str,
    *,
    taken: str,
    at: datetime,
    by: str,
    replaced: Any = None,
) -> int:
    """Settle the open conflicts of one item; returns how many there were.

    ``replaced`` is what the store held and gives up.
    """
    changed = connection.execute(
        update(PACKET_CONFLICT)
        .where(
            PACKET_CONFLICT.c.export_id == export_id,
            PACKET_CONFLICT.c.item_id == item_id,
            PACKET_CONFLICT.c.taken.is_(None),
        )
        .values(taken=taken, settled_at=at, settled_by=by, replaced=replaced)
    )
    return changed.rowcount


def conflicts(
    connection: Connection,
    viewer: User,
    *,
    context_id: str | None = None,
    conflict_id: str | None = None,
    include_settled: bool = False,
) -> tuple[StoredConflict, ...]:
    """The conflicts that the viewer may see, the oldest first.

    Those of her own packets, and for a chair or *administer_evaluations* everyone's; never of a subject on which
    she is blind, her own excepted. What was answered comes along only for whoever may read the evaluation.
    """
    reads_all = rights(viewer).reads_all
    view = PACKET_BROUGHT
    mine: ColumnElement[bool] = view.c.user_id == VIEWER
    if rights(viewer).is_acting:
        mine = and_(mine, view.c.subject_id.not_in(login_blind()))
    shown = mine
    if reads_all or Role.CHAIR in viewer.roles:
        shown = or_(mine, view.c.subject_id.not_in(blind()))
    query = (
        select(view, USER.c.name.label("user_name"), SUBJECT.c.title.label("subject_title"))
        .select_from(
            view.join(USER, USER.c.id == view.c.user_id).join(SUBJECT, SUBJECT.c.id == view.c.subject_id)
        )
        .where(shown)
        .order_by(view.c.found_at, SUBJECT.c.title, view.c.id)
    )
    if context_id is not None:
        query = query.where(view.c.context_id == context_id)
    if conflict_id is not None:
        query = query.where(view.c.id == conflict_id)
    if not include_settled:
        query = query.where(view.c.taken.is_(None))
    return tuple(
        StoredConflict(
            id=row.id,
            export_id=row.export_id,
            context_id=row.context_id,
            user_id=row.user_id,
            user_name=row.user_name,
            subject_id=row.subject_id,
            subject_title=row.subject_title,
            item_id=row.item_id,
            digest=row.digest,
            reasons=row.reasons or [],
            returned=row.returned if reads_all or row.user_id == viewer.id else None,
            found_at=row.found_at,
            found_by=row.found_by,
            settled_at=row.settled_at,
            settled_by=row.settled_by,
            taken=row.taken,
        )
        for row in connection.execute(query, asking(viewer))
    )


def returned(connection: Connection, conflict_id: str) -> dict[str, Any]:
    """What the packet brought back of a conflict, for the engine, which stores it and shows nothing of it."""
    found: dict[str, Any] = connection.execute(
        select(PACKET_CONFLICT.c.returned).where(PACKET_CONFLICT.c.id == conflict_id)
    ).scalar_one()
    return found


# -- the store that a packet was opened in -----------------------------------------------------------

_ORIGIN = "packet"


def set_origin(connection: Connection, text: str) -> None:
    """Remember that this store was made for a packet."""
    connection.execute(insert(STORE_INFO).values(key=_ORIGIN, value=text))


def origin(connection: Connection) -> str | None:
    """What ``set_origin`` stored; None for every other store."""
    found: str | None = connection.execute(
        select(STORE_INFO.c.value).where(STORE_INFO.c.key == _ORIGIN)
    ).scalar()
    return found
