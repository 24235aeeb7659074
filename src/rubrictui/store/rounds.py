"""What a round holds, whom it asks and what happened to it: rules, subjects, reviewers, conflicts, log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, delete, func, insert, select, update

from rubrictui.core.records import AssignmentStatus, ContextStatus, Subject, User
from rubrictui.core.rounds import (
    DEFAULT_DISAGREEMENT,
    Blinding,
    Conflict,
    Naming,
    Round,
    RoundEvent,
    RoundRules,
)
from rubrictui.store import subjects
from rubrictui.store.tables import (
    ASSIGNMENT,
    CONTEXT,
    ROUND_CONFLICT,
    ROUND_EVENT,
    ROUND_REVIEWER,
    ROUND_SUBJECT,
    RUBRIC,
    SUBJECT,
    USER,
    VERSION,
)

NewId = Callable[[], str]


# -- rules and state ---------------------------------------------------------------------------------


def round_of(connection: Connection, context_id: str) -> Round | None:
    """The round behind a context, whole but for its subjects and assignments."""
    context = subjects.find_context(connection, context_id)
    if context is None:
        return None
    row = connection.execute(
        select(
            CONTEXT,
            RUBRIC.c.name.label("rubric_name"),
            VERSION.c.major_version,
            VERSION.c.minor_version,
            VERSION.c.patch_version,
        )
        .select_from(
            CONTEXT.outerjoin(RUBRIC, RUBRIC.c.id == CONTEXT.c.rubric_id).outerjoin(
                VERSION, VERSION.c.id == CONTEXT.c.version_id
            )
        )
        .where(CONTEXT.c.id == context_id)
    ).one()
    number = (row.major_version, row.minor_version, row.patch_version)
    return Round(
        context=context,
        rules=RoundRules(
            blinding=_word(Blinding, row.blinding, Blinding.STANDARD),
            naming=_word(Naming, row.naming, Naming.ANONYMOUS),
            hidden_fields=tuple(row.hidden_fields or ()),
            disagreement_threshold=(
                DEFAULT_DISAGREEMENT if row.disagreement_threshold is None else row.disagreement_threshold
            ),
            reviews_per_subject=row.reviews_per_subject,
        ),
        rubric_name=row.rubric_name,
        version_number=None if row.major_version is None else ".".join(map(str, number)),
        reviewers=reviewers(connection, context_id),
        subject_count=len(subject_ids(connection, context_id)),
        opened_at=row.created_at,
        opened_by=row.created_by,
        closed_at=row.closed_at,
        reopened_at=row.reopened_at,
    )


def _word(words: Any, stored: str | None, otherwise: Any) -> Any:
    return words(stored) if stored in {word.value for word in words} else otherwise


def set_rules(connection: Connection, context_id: str, rules: RoundRules) -> None:
    connection.execute(
        update(CONTEXT)
        .where(CONTEXT.c.id == context_id)
        .values(
            blinding=rules.blinding.value,
            naming=rules.naming.value,
            hidden_fields=list(rules.hidden_fields) or None,
            disagreement_threshold=rules.disagreement_threshold,
            reviews_per_subject=rules.reviews_per_subject,
        )
    )


def set_state(connection: Connection, context_id: str, status: ContextStatus, *, at: datetime) -> bool:
    """Close an open round, or open a closed one again; False when it is in that state already."""
    stamp: dict[str, Any] = (
        {"closed_at": at, "reopened_at": None} if status is ContextStatus.CLOSED else {"reopened_at": at}
    )
    changed = connection.execute(
        update(CONTEXT)
        .where(CONTEXT.c.id == context_id, CONTEXT.c.status != status.value)
        .values(status=status.value, **stamp)
    )
    return changed.rowcount > 0


def set_due_of_open(connection: Connection, context_id: str, due_at: datetime | None) -> None:
    """Give the open assignments of a round this due instant."""
    connection.execute(
        update(ASSIGNMENT)
        .where(ASSIGNMENT.c.context_id == context_id, ASSIGNMENT.c.status == AssignmentStatus.OPEN.value)
        .values(due_at=due_at)
    )


# -- subjects ----------------------------------------------------------------------------------------


def subject_ids(connection: Connection, context_id: str) -> tuple[str, ...]:
    """The subjects of a round: those it lists, in order, then others that were assigned in it."""
    listed = connection.execute(
        select(ROUND_SUBJECT.c.subject_id)
        .where(ROUND_SUBJECT.c.context_id == context_id)
        .order_by(ROUND_SUBJECT.c.sequence, ROUND_SUBJECT.c.id)
    ).scalars()
    assigned = connection.execute(
        select(ASSIGNMENT.c.subject_id)
        .where(ASSIGNMENT.c.context_id == context_id)
        .distinct()
        .order_by(ASSIGNMENT.c.subject_id)
    ).scalars()
    return tuple(dict.fromkeys([*listed, *assigned]))


def round_subjects(connection: Connection, context_id: str) -> tuple[Subject, ...]:
    """The subjects of a round in its order, without their content."""
    rows = connection.execute(
        select(SUBJECT.c.id, SUBJECT.c.entity, SUBJECT.c.record_id, SUBJECT.c.title)
        .where(
            SUBJECT.c.id.in_(
                select(ROUND_SUBJECT.c.subject_id)
                .where(ROUND_SUBJECT.c.context_id == context_id)
                .union(select(ASSIGNMENT.c.subject_id).where(ASSIGNMENT.c.context_id == context_id))
            )
        )
        .order_by(SUBJECT.c.entity, SUBJECT.c.record_id)
    )
    found = {row[0]: Subject(id=row[0], entity=row[1], record_id=row[2], title=row[3]) for row in rows}
    order = {id: place for place, id in enumerate(subject_ids(connection, context_id))}
    return tuple(sorted(found.values(), key=lambda subject: order[subject.id]))


def add_subjects(
    connection: Connection, context_id: str, ids: Iterable[str], *, at: datetime, by: str, new_id: NewId
) -> tuple[str, ...]:
    """List these subjects in the round; gives back those that were not there yet."""
    there = set(
        connection.execute(
            select(ROUND_SUBJECT.c.subject_id).where(ROUND_SUBJECT.c.context_id == context_id)
        ).scalars()
    )
    fresh = [id for id in dict.fromkeys(ids) if id not in there]
    rows = [
        {
            "id": new_id(),
            "context_id": context_id,
            "subject_id": id,
            "sequence": len(there) + place,
            "added_at": at,
            "added_by": by,
        }
        for place, id in enumerate(fresh)
    ]
    if rows:
        connection.execute(insert(ROUND_SUBJECT), rows)
    return tuple(fresh)


def hidden_fields_by_subject(connection: Connection, ids: Sequence[str]) -> dict[str, set[str]]:
    """The data fields that any round hides, by subject. Those without one are not there."""
    rounds = {
        row[0]: set(row[1])
        for row in connection.execute(select(CONTEXT.c.id, CONTEXT.c.hidden_fields))
        if row[1]
    }
    found: dict[str, set[str]] = {}
    wanted = set(ids)
    for context_id, fields in rounds.items():
        for subject_id in wanted.intersection(subject_ids(connection, context_id)):
            found.setdefault(subject_id, set()).update(fields)
    return found


# -- reviewers ---------------------------------------------------------------------------------------


def reviewers(connection: Connection, context_id: str) -> tuple[User, ...]:
    """Who is asked to review in the round, by name; without their roles."""
    rows = connection.execute(
        select(USER.c.id, USER.c.name, USER.c.display_name)
        .select_from(ROUND_REVIEWER.join(USER, USER.c.id == ROUND_REVIEWER.c.user_id))
        .where(ROUND_REVIEWER.c.context_id == context_id)
        .order_by(USER.c.name)
    )
    return tuple(User(id=row[0], name=row[1], display_name=row[2]) for row in rows)


def add_reviewers(
    connection: Connection, context_id: str, ids: Iterable[str], *, at: datetime, by: str, new_id: NewId
) -> tuple[str, ...]:
    """Put users on the round's list; gives back those that were not there yet."""
    there = {user.id for user in reviewers(connection, context_id)}
    fresh = [id for id in dict.fromkeys(ids) if id not in there]
    rows = [
        {"id": new_id(), "context_id": context_id, "user_id": id, "added_at": at, "added_by": by}
        for id in fresh
    ]
    if rows:
        connection.execute(insert(ROUND_REVIEWER), rows)
    return tuple(fresh)


def remove_reviewer(connection: Connection, context_id: str, user_id: str) -> bool:
    """Take a user off the round's list; False when she was not on it."""
    removed = connection.execute(
        delete(ROUND_REVIEWER).where(
            ROUND_REVIEWER.c.context_id == context_id, ROUND_REVIEWER.c.user_id == user_id
        )
    )
    return removed.rowcount > 0


# -- conflicts of interest ---------------------------------------------------------------------------


def conflicts(
    connection: Connection, *, user_id: str | None = None, subjects_in: Iterable[str] | None = None
) -> tuple[Conflict, ...]:
    """Conflicts of interest by user and subject; every argument narrows."""
    query = (
        select(ROUND_CONFLICT, USER.c.name, SUBJECT.c.title)
        .select_from(
            ROUND_CONFLICT.join(USER, USER.c.id == ROUND_CONFLICT.c.user_id).join(
                SUBJECT, SUBJECT.c.id == ROUND_CONFLICT.c.subject_id
            )
        )
        .order_by(USER.c.name, SUBJECT.c.entity, SUBJECT.c.record_id)
    )
    if user_id is not None:
        query = query.where(ROUND_CONFLICT.c.user_id == user_id)
    wanted = None if subjects_in is None else set(subjects_in)
    return tuple(
        Conflict(
            user_id=row.user_id,
            user_name=row.name,
            subject_id=row.subject_id,
            subject_title=row.title,
            reason=row.reason,
            declared_at=row.declared_at,
            declared_by=row.declared_by,
        )
        for row in connection.execute(query)
        if wanted is None or row.subject_id in wanted
    )


def put_conflict(
    connection: Connection, user_id: str, subject_id: str, *, reason: str, at: datetime, by: str, id: str
) -> None:
    """Record a conflict, or give the one that is there this reason."""
    values = {"reason": reason, "declared_at": at, "declared_by": by}
    changed = connection.execute(
        update(ROUND_CONFLICT)
        .where(ROUND_CONFLICT.c.user_id == user_id, ROUND_CONFLICT.c.subject_id == subject_id)
        .values(values)
    )
    if changed.rowcount == 0:
        connection.execute(
            insert(ROUND_CONFLICT).values(id=id, user_id=user_id, subject_id=subject_id, **values)
        )


def remove_conflict(connection: Connection, user_id: str, subject_id: str) -> bool:
    removed = connection.execute(
        delete(ROUND_CONFLICT).where(
            ROUND_CONFLICT.c.user_id == user_id, ROUND_CONFLICT.c.subject_id == subject_id
        )
    )
    return removed.rowcount > 0


# -- assignments of a round, and its log -------------------------------------------------------------


def asked(connection: Connection, context_id: str) -> tuple[User, ...]:
    """The round's reviewers and whoever else holds or held an assignment in it, by name; without their roles."""
    listed = select(ROUND_REVIEWER.c.user_id).where(ROUND_REVIEWER.c.context_id == context_id)
    assigned = select(ASSIGNMENT.c.user_id).where(ASSIGNMENT.c.context_id == context_id)
    rows = connection.execute(
        select(USER.c.id, USER.c.name, USER.c.display_name)
        .where(USER.c.id.in_(listed.union(assigned)))
        .order_by(USER.c.name)
    )
    return tuple(User(id=row[0], name=row[1], display_name=row[2]) for row in rows)


def asked_by_subject(connection: Connection, context_id: str, user_id: str | None = None) -> dict[str, int]:
    """How many assignments, open or done, there are of each subject, of one user's or everyone's. Not which."""
    return _held(connection, context_id, ASSIGNMENT.c.subject_id, ASSIGNMENT.c.user_id, user_id)


def asked_by_user(connection: Connection, context_id: str, subject_ids: Iterable[str]) -> dict[str, int]:
    """How many assignments, open or done, each user has of these subjects. Not which."""
    counted: dict[str, int] = {}
    for subject_id in subject_ids:
        for user_id, number in _held(
            connection, context_id, ASSIGNMENT.c.user_id, ASSIGNMENT.c.subject_id, subject_id
        ).items():
            counted[user_id] = counted.get(user_id, 0) + number
    return counted


def _held(
    connection: Connection, context_id: str, by: Column[str], where: Column[str], value: str | None
) -> dict[str, int]:
    kept = (AssignmentStatus.OPEN.value, AssignmentStatus.DONE.value)
    query = select(by, func.count()).where(
        ASSIGNMENT.c.context_id == context_id, ASSIGNMENT.c.status.in_(kept)
    )
    if value is not None:
        query = query.where(where == value)
    return {row[0]: row[1] for row in connection.execute(query.group_by(by))}


def log(
    connection: Connection,
    context_id: str,
    what: str,
    *,
    at: datetime,
    by: str,
    id: str,
    reason: str | None = None,
    details: dict[str, Any] | None = None,
) -> None:
    """Add a line to the round's log."""
    connection.execute(
        insert(ROUND_EVENT).values(
            id=id, context_id=context_id, at=at, by=by, what=what, reason=reason, details=details
        )
    )


def events(connection: Connection, context_id: str) -> tuple[RoundEvent, ...]:
    """The round's log, oldest first."""
    rows = connection.execute(
        select(ROUND_EVENT)
        .where(ROUND_EVENT.c.context_id == context_id)
        .order_by(ROUND_EVENT.c.at, ROUND_EVENT.c.id)
    )
    return tuple(
        RoundEvent(at=row.at, by=row.by, what=row.what, reason=row.reason, details=row.details)
        for row in rows
    )
