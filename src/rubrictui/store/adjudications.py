"""Settlements of disagreements: reading them as the viewer may, and keeping them.

Who may see one (``access_rules`` decides on whom the blind rule falls; on PostgreSQL ``migrations/security_0007.py``
says the same): nobody who is blind on its subject; what was settled, whoever sees the figures of the cohort; its
answers, whoever reads all evaluations; a draft of one, only who makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    String,
    and_,
    bindparam,
    delete,
    insert,
    or_,
    select,
    true,
    update,
)

from rubrictui.core.adjudication import DEFAULT_REASONS, Adjudication, AdjudicationReason, SettlementStatus
from rubrictui.core.model import Answer, Outcome
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import AssignmentStatus, EvaluatorType, User
from rubrictui.store.access_rules import (
    AS_A_PERSON,
    DRAFT,
    ON_SUBJECT,
    SUBMITTED,
    VIEWER,
    Rights,
    asking,
    blind,
    rights,
)
from rubrictui.store.tables import (
    ADJUDICATION,
    ADJUDICATION_REASON,
    ASSIGNMENT,
    EVALUATION,
    SUBJECT,
    USER,
    VERSION,
)
from rubrictui.store.views import SETTLED_SCORE

_CONTEXT = bindparam("context", type_=String)


class SettlementKey(NamedTuple):
    """What is settled: one subject of a round on one rubric and major."""

    context_id: str
    subject_id: str
    rubric_id: str
    major: int


class StoredDraft(NamedTuple):
    """A settlement that is being made. ``evaluation_id`` is the evaluation whose answers were taken as a whole."""

    id: str
    version_id: str
    answers: tuple[Answer, ...]
    evaluation_id: str | None
    reason: str | None
    note: str
    cursor: str | None
    updated_at: datetime


# -- what was settled --------------------------------------------------------------------------------


def settlements(
    connection: Connection,
    viewer: User,
    context_id: str,
    *,
    subject_id: str | None = None,
    with_superseded: bool = False,
) -> tuple[Adjudication, ...]:
    """What was settled in a round, as far as the viewer may see it, the earliest first.

    Args:
        with_superseded: those that were corrected since, too.
    """
    view = SETTLED_SCORE
    query = _settled_query(rights(viewer))
    if subject_id is not None:
        query = query.where(view.c.subject_id == subject_id)
    if not with_superseded:
        query = query.where(view.c.status == SettlementStatus.SETTLED.value)
    shows_basis = rights(viewer).reads_all
    return tuple(
        Adjudication(
            id=row.id,
            context_id=row.context_id,
            subject_id=row.subject_id,
            version_id=row.version_id,
            evaluation_id=row.evaluation_id if shows_basis else None,
            adjudicator_id=row.adjudicator_id,
            adjudicator_name=row.adjudicator,
            adjudicator_display_name=row.adjudicator_display,
            reason=row.reason,
            note=row.note,
            settled_at=row.settled_at,
            score=row.normalized_score,
            display_score=DisplayRange.of(row).score(row.normalized_score),
            outcome=Outcome(row.outcome),
            passed=row.passed,
            subject_title=row.title or row.record_id,
            basis=tuple(row.basis or ()) if shows_basis else (),
            supersedes_id=row.supersedes_id,
            superseded_at=row.superseded_at,
        )
        for row in connection.execute(query, asking(viewer, context=context_id))
    )


@cache
def _settled_query(may: Rights) -> Select[Any]:
    view = SETTLED_SCORE
    return (
        select(
            view,
            USER.c.name.label("adjudicator"),
            USER.c.display_name.label("adjudicator_display"),
            SUBJECT.c.title,
            SUBJECT.c.record_id,
            VERSION.c.score_display_min,
            VERSION.c.score_display_max,
        )
        .select_from(
            view.join(USER, USER.c.id == view.c.adjudicator_id)
            .join(SUBJECT, SUBJECT.c.id == view.c.subject_id)
            .join(VERSION, VERSION.c.id == view.c.version_id)
        )
        .where(view.c.context_id == _CONTEXT, view.c.subject_id.not_in(blind()), _in_reach(may))
        .order_by(view.c.settled_at, view.c.id)
    )


def _in_reach(may: Rights) -> ColumnElement[bool]:
    """Reading all, or having submitted an own evaluation in the cohort, as for its figures."""
    if may.reads_all:
        return true()
    view, own = SETTLED_SCORE.c, EVALUATION.alias("own")
    return (
        select(own.c.id)
        .where(
            own.c.evaluator_user_id == VIEWER,
            own.c.evaluator_type == EvaluatorType.HUMAN.value,
            own.c.status == SUBMITTED,
            own.c.subject_id == view.subject_id,
            own.c.context_id == view.context_id,
            own.c.rubric_id == view.rubric_id,
            own.c.major_version == view.major_version,
        )
        .exists()
    )


def answers_of(connection: Connection, viewer: User, settlement_id: str) -> tuple[Answer, ...] | None:
    """The answers of a settlement that stands or was superseded; None where the viewer may not read them."""
    if not rights(viewer).reads_all:
        return None
    row = connection.execute(
        select(ADJUDICATION.c.answers).where(
            ADJUDICATION.c.id == settlement_id,
            ADJUDICATION.c.status != SettlementStatus.DRAFT.value,
            ADJUDICATION.c.subject_id.not_in(blind()),
        ),
        asking(viewer),
    ).first()
    return None if row is None else _answers(row[0])


# -- drafts ------------------------------------------------------------------------------------------


def find_draft(connection: Connection, viewer: User, key: SettlementKey) -> StoredDraft | None:
    """The viewer's own draft of a settlement; None while she is blind on its subject, too."""
    given = asking(
        viewer, context=key.context_id, subject=key.subject_id, rubric=key.rubric_id, major=key.major
    )
    row = connection.execute(_draft_query(), given).first()
    if row is None:
        return None
    return StoredDraft(
        id=row.id,
        version_id=row.version_id,
        answers=_answers(row.answers),
        evaluation_id=row.evaluation_id,
        reason=row.reason,
        note=row.note,
        cursor=row.cursor,
        updated_at=row.updated_at,
    )


@cache
def _draft_query() -> Select[Any]:
    table = ADJUDICATION
    return select(table).where(
        table.c.context_id == _CONTEXT,
        table.c.subject_id == ON_SUBJECT,
        table.c.rubric_id == bindparam("rubric", type_=String),
        table.c.major_version == bindparam("major", type_=Integer),
        _own_draft(),
        table.c.subject_id.not_in(blind()),
    )


def drafts(connection: Connection, viewer: User, context_id: str) -> frozenset[str]:
    """The subjects of a round that the viewer has begun to settle, less those on which she is blind."""
    table = ADJUDICATION
    return frozenset(
        connection.execute(
            select(table.c.subject_id).where(
                table.c.context_id == _CONTEXT, _own_draft(), table.c.subject_id.not_in(blind())
            ),
            asking(viewer, context=context_id),
        ).scalars()
    )


def add_draft(
    connection: Connection, key: SettlementKey, *, id: str, version_id: str, adjudicator_id: str, at: datetime
) -> None:
    """Begin a settlement, without answers."""
    connection.execute(
        insert(ADJUDICATION).values(
            id=id,
            context_id=key.context_id,
            subject_id=key.subject_id,
            rubric_id=key.rubric_id,
            major_version=key.major,
            version_id=version_id,
            adjudicator_id=adjudicator_id,
            status=SettlementStatus.DRAFT.value,
            note="",
            started_at=at,
            updated_at=at,
        )
    )


def change_draft(connection: Connection, id: str, values: Mapping[str, Any]) -> bool:
    """Set columns of a draft, the status among them; False when it is a draft no more. Answers are ``Answer``s."""
    ready = dict(values)
    if "answers" in ready:
        ready["answers"] = msgspec.to_builtins(ready["answers"])
    changed = connection.execute(
        update(ADJUDICATION)
        .where(ADJUDICATION.c.id == id, ADJUDICATION.c.status == SettlementStatus.DRAFT.value)
        .values(**ready)
    )
    return changed.rowcount > 0


def discard_draft(connection: Connection, id: str) -> None:
    """Delete a draft. What stands cannot be deleted."""
    connection.execute(
        delete(ADJUDICATION).where(
            ADJUDICATION.c.id == id, ADJUDICATION.c.status == SettlementStatus.DRAFT.value
        )
    )


def supersede(connection: Connection, id: str, *, at: datetime) -> bool:
    """Settled -> Superseded; False when it stands no more."""
    changed = connection.execute(
        update(ADJUDICATION)
        .where(ADJUDICATION.c.id == id, ADJUDICATION.c.status == SettlementStatus.SETTLED.value)
        .values(status=SettlementStatus.SUPERSEDED.value, superseded_at=at)
    )
    return changed.rowcount > 0


def _own_draft() -> ColumnElement[bool]:
    return and_(
        ADJUDICATION.c.status == SettlementStatus.DRAFT.value, ADJUDICATION.c.adjudicator_id == VIEWER
    )


def _answers(stored: Any) -> tuple[Answer, ...]:
    return msgspec.convert(stored, tuple[Answer, ...]) if stored else ()


# -- whether the reviews are in ----------------------------------------------------------------------


def open_reviews(
    connection: Connection, viewer: User, context_id: str, *, subject_id: str | None = None
) -> dict[str, tuple[str, ...]]:
    """By subject (or of one), the logins of those whose review in the round is asked for or begun and not in, by name.

    For who reads all, and never of a subject on which she is blind.
    """
    if not rights(viewer).reads_all:
        return {}
    given = asking(viewer, context=context_id, subject=subject_id)
    rows = connection.execute(_open_query(subject_id is not None), given)
    found: dict[str, tuple[str, ...]] = {}
    for of, name in rows:
        found[of] = (*found.get(of, ()), name)
    return found


@cache
def _open_query(of_one: bool) -> Select[Any]:
    """Open assignments and reviews begun in a round; ``of_one`` subject, ``ON_SUBJECT``."""
    asked = select(ASSIGNMENT.c.subject_id, ASSIGNMENT.c.user_id).where(
        ASSIGNMENT.c.context_id == _CONTEXT,
        ASSIGNMENT.c.status == AssignmentStatus.OPEN.value,
        ASSIGNMENT.c.subject_id.not_in(blind()),
    )
    begun = select(EVALUATION.c.subject_id, EVALUATION.c.evaluator_user_id).where(
        EVALUATION.c.context_id == _CONTEXT,
        EVALUATION.c.status == DRAFT,
        EVALUATION.c.evaluator_type == EvaluatorType.HUMAN.value,
        EVALUATION.c.subject_id.not_in(blind()),
    )
    if of_one:
        asked = asked.where(ASSIGNMENT.c.subject_id == ON_SUBJECT)
        begun = begun.where(EVALUATION.c.subject_id == ON_SUBJECT)
    work = asked.union(begun).subquery()
    return (
        select(work.c.subject_id, USER.c.name)
        .select_from(work.join(USER, USER.c.id == work.c.user_id))
        .order_by(USER.c.name)
    )


def has_open_review(connection: Connection, viewer: User, subject_id: str) -> bool:
    """Whether the viewer herself has a draft or an open assignment of the subject, in any round."""
    drafted = select(EVALUATION.c.id).where(
        EVALUATION.c.evaluator_user_id == VIEWER,
        EVALUATION.c.subject_id == subject_id,
        EVALUATION.c.status == DRAFT,
        EVALUATION.c.evaluator_type.in_(AS_A_PERSON),
    )
    asked = select(ASSIGNMENT.c.id).where(
        ASSIGNMENT.c.user_id == VIEWER,
        ASSIGNMENT.c.subject_id == subject_id,
        ASSIGNMENT.c.status == AssignmentStatus.OPEN.value,
    )
    return bool(connection.execute(select(or_(drafted.exists(), asked.exists())), asking(viewer)).scalar())


def counting(
    connection: Connection,
    viewer: User,
    context_id: str,
    *,
    rubric_id: str,
    major: int,
    subject_id: str | None = None,
) -> dict[str, tuple[str, ...]]:
    """By subject (or of one), the ids of the evaluations that count in its figures. For who reads all, as
    ``open_reviews``."""
    if not rights(viewer).reads_all:
        return {}
    given = asking(viewer, context=context_id, rubric=rubric_id, major=major, subject=subject_id)
    found: dict[str, list[str]] = {}
    for of, id in connection.execute(_counting_query(subject_id is not None), given):
        found.setdefault(of, []).append(id)
    return {of: tuple(ids) for of, ids in found.items()}


@cache
def _counting_query(of_one: bool) -> Select[Any]:
    """The evaluations that count in a round; ``of_one`` subject, ``ON_SUBJECT``."""
    query = (
        select(EVALUATION.c.subject_id, EVALUATION.c.id)
        .where(
            EVALUATION.c.context_id == _CONTEXT,
            EVALUATION.c.rubric_id == bindparam("rubric", type_=String),
            EVALUATION.c.major_version == bindparam("major", type_=Integer),
            EVALUATION.c.status == SUBMITTED,
            EVALUATION.c.evaluator_type != EvaluatorType.SELF.value,
            EVALUATION.c.subject_id.not_in(blind()),
        )
        .order_by(EVALUATION.c.id)
    )
    return query.where(EVALUATION.c.subject_id == ON_SUBJECT) if of_one else query


# -- the list of reasons -----------------------------------------------------------------------------


def reasons(connection: Connection) -> tuple[AdjudicationReason, ...]:
    """The reasons that are offered, in their order: those of ``DEFAULT_REASONS`` until somebody edits the list."""
    rows = connection.execute(
        select(ADJUDICATION_REASON.c.label, ADJUDICATION_REASON.c.description).order_by(
            ADJUDICATION_REASON.c.sequence
        )
    )
    return tuple(AdjudicationReason(label=row[0], description=row[1]) for row in rows) or DEFAULT_REASONS


def set_reasons(
    connection: Connection, given: Iterable[AdjudicationReason], new_id: Callable[[], str]
) -> None:
    """Put this list in the place of the one that is there. Settlements keep the words of their day."""
    connection.execute(delete(ADJUDICATION_REASON))
    connection.execute(
        insert(ADJUDICATION_REASON),
        [
            {"id": new_id(), "label": one.label, "description": one.description, "sequence": place}
            for place, one in enumerate(given)
        ],
    )
