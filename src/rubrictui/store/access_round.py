"""Reading the evaluations of a round together: for the matrix, statistics, ranking and reports.

Beside ``access`` the only way to evaluations; the same conditions (``access_rules``) decide on every row.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    String,
    and_,
    bindparam,
    case,
    distinct,
    func,
    or_,
    select,
)

from rubrictui.core.model import Evidence, Outcome
from rubrictui.core.panel_tables import PanelComment, PanelEvaluation, PanelScore
from rubrictui.core.records import AssignmentStatus, EvaluationStatus, EvaluatorType, User
from rubrictui.core.rounds import Blinding
from rubrictui.core.score_of_record import record_in
from rubrictui.store.access_rules import (
    AS_A_PERSON,
    DRAFT,
    SUBMITTED,
    VIEWER,
    asking,
    blind,
    login_blind,
    rights,
    sees,
    silent_on_subject,
    within_reach,
)
from rubrictui.store.tables import (
    ASSIGNMENT,
    CONTEXT,
    CRITERION,
    EVALUATION,
    EVALUATION_SCORE,
    USER,
    VERSION,
)
from rubrictui.store.views import ROUND_COMMENT

_EVALUATIONS_AT_A_TIME = 500
_ROWS_AT_A_TIME = 2_000
_CONTEXT = bindparam("context", type_=String)
_ORDER = {
    EvaluatorType.HUMAN: 0,
    EvaluatorType.AI_PROMPT: 1,
    EvaluatorType.AGENT: 1,
    EvaluatorType.DETERMINISTIC: 2,
    EvaluatorType.EXTERNAL: 2,
    EvaluatorType.SELF: 3,
}


def _in_context(context_id: str | None) -> ColumnElement[bool]:
    return EVALUATION.c.context_id.is_(None) if context_id is None else EVALUATION.c.context_id == context_id


# -- evaluations with their scores -------------------------------------------------------------------


def round_scores(
    connection: Connection,
    viewer: User,
    context_id: str | None,
    *,
    rubric_id: str,
    major: int,
    subject_id: str | None = None,
    counting_only: bool = False,
    with_texts: bool = False,
) -> tuple[PanelEvaluation, ...]:
    """The evaluations of a round on one rubric and major that the viewer may read, with their scores.

    Drafts, failures and drafts that were given up are none of them, not even her own.

    Args:
        context_id: None is the evaluations without a round.
        subject_id: only of this subject. Her own answers to it are there even while she is blind on it;
            without it, subjects on which she is blind are left out whole.
        counting_only: only what is in cohort means: Submitted, and no self-assessment.
        with_texts: rationales and evidence too.
    """
    may = rights(viewer)
    ended = (EvaluationStatus.SUPERSEDED.value, EvaluationStatus.WITHDRAWN.value)
    of_interest = (
        and_(EVALUATION.c.status == SUBMITTED, EVALUATION.c.evaluator_type != EvaluatorType.SELF.value)
        if counting_only
        else or_(
            EVALUATION.c.status == SUBMITTED,
            and_(EVALUATION.c.status.in_(ended), EVALUATION.c.submitted_at.is_not(None)),
        )
    )
    where = [
        _in_context(context_id),
        EVALUATION.c.rubric_id == rubric_id,
        EVALUATION.c.major_version == major,
        of_interest,
    ]
    if subject_id is not None:
        where += [EVALUATION.c.subject_id == subject_id, sees(may)]
    else:
        where += [EVALUATION.c.subject_id.not_in(blind()), within_reach(may)]
    rows = connection.execute(_headers().where(*where), asking(viewer)).all()
    replaced = {row.supersedes_id: row.id for row in rows if row.supersedes_id is not None}
    scores = dict(_scores_of(connection, [row.id for row in rows], with_texts))
    found = [
        PanelEvaluation(
            id=row.id,
            subject_id=row.subject_id,
            user_id=row.evaluator_user_id,
            user_name=row.name,
            user_display_name=row.display_name,
            evaluator_type=EvaluatorType(row.evaluator_type),
            evaluator_name=row.evaluator_name,
            version_id=row.version_id,
            version_number=f"{row.major_version}.{row.minor_version}.{row.patch_version}",
            status=EvaluationStatus(row.status),
            submitted_at=row.submitted_at,
            ended_at=row.ended_at,
            end_reason=row.end_reason,
            supersedes_id=row.supersedes_id,
            superseded_by_id=replaced.get(row.id),
            normalized_score=row.normalized_score,
            outcome=Outcome(row.outcome) if row.outcome else None,
            passed=row.passed,
            gate_failed=row.gate_failed,
            completeness=row.completeness,
            band_id=row.band_id,
            confidence=row.confidence,
            record=record_in(row.record),
            scores=scores.get(row.id, {}),
        )
        for row in rows
    ]
    found.sort(key=_place)
    return tuple(found)


@cache
def _headers() -> Select[Any]:
    e = EVALUATION.c
    return select(
        e.id, e.subject_id, e.evaluator_user_id, e.evaluator_type, e.evaluator_name, e.version_id, e.status,
        e.submitted_at, e.ended_at, e.end_reason, e.supersedes_id, e.normalized_score, e.outcome, e.passed,
        e.gate_failed, e.completeness, e.band_id, e.confidence,
        case((e.evaluator_type == EvaluatorType.DETERMINISTIC.value, e.metadata)).label("record"),
        VERSION.c.major_version, VERSION.c.minor_version, VERSION.c.patch_version, USER.c.name, USER.c.display_name,
    ).select_from(
        EVALUATION.join(VERSION, VERSION.c.id == EVALUATION.c.version_id).join(
            USER, USER.c.id == EVALUATION.c.evaluator_user_id
        )
    )  # fmt: skip


def _place(one: PanelEvaluation) -> tuple[Any, ...]:
    at = one.submitted_at.timestamp() if one.submitted_at else 0.0
    return (one.subject_id, _ORDER[one.evaluator_type], one.label.casefold(), one.rater, -at, one.id)


_PLAIN = (
    EVALUATION_SCORE.c.evaluation_id,
    CRITERION.c.key,
    EVALUATION_SCORE.c.scale_level_id,
    EVALUATION_SCORE.c.raw_value,
    EVALUATION_SCORE.c.is_not_applicable,
    EVALUATION_SCORE.c.normalized_score,
    EVALUATION_SCORE.c.confidence,
    EVALUATION_SCORE.c.gate_failed,
    EVALUATION_SCORE.c.rationale.is_not(None).label("has_rationale"),
    EVALUATION_SCORE.c.evidence.is_not(None).label("has_evidence"),
)


@cache
def _score_query(with_texts: bool) -> Select[Any]:
    texts = (EVALUATION_SCORE.c.rationale, EVALUATION_SCORE.c.evidence) if with_texts else ()
    return (
        select(*_PLAIN, *texts)
        .select_from(EVALUATION_SCORE.join(CRITERION, CRITERION.c.id == EVALUATION_SCORE.c.criterion_id))
        .where(EVALUATION_SCORE.c.evaluation_id.in_(bindparam("evaluations", expanding=True)))
    )


def _scores_of(
    connection: Connection, ids: list[str], with_texts: bool
) -> Iterator[tuple[str, dict[str, PanelScore]]]:
    """The scores of evaluations that the viewer was found to may read, by criterion key."""
    for start in range(0, len(ids), _EVALUATIONS_AT_A_TIME):
        chunk = ids[start : start + _EVALUATIONS_AT_A_TIME]
        found: dict[str, dict[str, PanelScore]] = {one: {} for one in chunk}
        result = connection.execute(_score_query(with_texts), {"evaluations": chunk})
        for row in chain.from_iterable(result.partitions(_ROWS_AT_A_TIME)):
            found[row[0]][row[1]] = PanelScore(
                scale_level_id=row[2],
                raw_value=row[3],
                is_not_applicable=bool(row[4]),
                normalized_score=row[5],
                confidence=row[6],
                gate_failed=bool(row[7]),
                has_rationale=bool(row[8]),
                has_evidence=bool(row[9]),
                rationale=row[10] if with_texts else None,
                evidence=_evidence(row[11]) if with_texts else (),
            )
        yield from found.items()


def _evidence(stored: Any) -> tuple[Evidence, ...]:
    return msgspec.convert(stored, tuple[Evidence, ...]) if stored else ()


# -- comments without scores -------------------------------------------------------------------------


def comments(
    connection: Connection, viewer: User, context_id: str, *, subject_id: str, rubric_id: str, major: int
) -> tuple[PanelComment, ...]:
    """What peers wrote to one subject, by criterion, where the round shows comments and the viewer has submitted.

    Nothing says who wrote what, in which order, or beside which answer. Her own words are not among them.
    """
    key = asking(viewer, context=context_id, subject=subject_id, rubric=rubric_id, major=major)
    if not connection.execute(_may_read_comments(), key).scalar():
        return ()
    return tuple(
        PanelComment(criterion_key=row[0], rationale=row[1], evidence=_evidence(row[2]))
        for row in connection.execute(_comments_query(), key)
    )


def _in_cohort() -> ColumnElement[bool]:
    return and_(
        EVALUATION.c.subject_id == bindparam("subject", type_=String),
        EVALUATION.c.context_id == _CONTEXT,
        EVALUATION.c.rubric_id == bindparam("rubric", type_=String),
        EVALUATION.c.major_version == bindparam("major"),
        EVALUATION.c.status == SUBMITTED,
    )


@cache
def _may_read_comments() -> Select[Any]:
    shown = select(CONTEXT.c.id).where(
        CONTEXT.c.id == _CONTEXT, CONTEXT.c.blinding == Blinding.COMMENTS_VISIBLE.value
    )
    own = select(EVALUATION.c.id).where(
        _in_cohort(),
        EVALUATION.c.evaluator_user_id == VIEWER,
        EVALUATION.c.evaluator_type == EvaluatorType.HUMAN.value,
    )
    return select(and_(shown.exists(), own.exists(), ~silent_on_subject()))


@cache
def _comments_query() -> Select[Any]:
    view = ROUND_COMMENT
    return (
        select(view.c.criterion_key, view.c.rationale, view.c.evidence)
        .where(
            view.c.subject_id == bindparam("subject", type_=String),
            view.c.context_id == _CONTEXT,
            view.c.rubric_id == bindparam("rubric", type_=String),
            view.c.major_version == bindparam("major"),
            # On PostgreSQL the view leaves her own words out, and names nobody.
            or_(view.c.author.is_(None), view.c.author != VIEWER, view.c.evaluator_type.not_in(AS_A_PERSON)),
        )
        # By random ids: the order says nothing.
        .order_by(view.c.sequence, view.c.criterion_key, view.c.place)
    )


# -- how far a round is ------------------------------------------------------------------------------


class SubjectFigures(NamedTuple):
    """What the Submitted evaluations of one subject say together; scores 0..1. ``flips``: some passed, some did not."""

    number: int
    mean: float | None
    lowest: float | None
    highest: float | None
    flips: bool


def round_figures(
    connection: Connection, viewer: User, context_id: str, *, rubric_id: str, major: int
) -> dict[str, SubjectFigures]:
    """By subject, the figures of the Submitted evaluations, Self left out. Only for who reads all, and only of
    subjects on which she is not blind; others are not there."""
    if not rights(viewer).reads_all:
        return {}
    score, passed = EVALUATION.c.normalized_score, EVALUATION.c.passed
    verdicts = func.count(distinct(case((passed.is_(True), 1), (passed.is_(False), 0))))
    rows = connection.execute(
        select(EVALUATION.c.subject_id, func.count(), func.avg(score), func.min(score), func.max(score), verdicts)
        .where(
            EVALUATION.c.context_id == context_id,
            EVALUATION.c.rubric_id == rubric_id,
            EVALUATION.c.major_version == major,
            EVALUATION.c.status == SUBMITTED,
            EVALUATION.c.evaluator_type != EvaluatorType.SELF.value,
            EVALUATION.c.subject_id.not_in(blind()),
        )
        .group_by(EVALUATION.c.subject_id),
        asking(viewer),
    )  # fmt: skip
    return {row[0]: SubjectFigures(row[1], row[2], row[3], row[4], row[5] > 1) for row in rows}


class Tally(NamedTuple):
    """How many evaluations of a round there are of one status, rubric, version and major."""

    status: str
    rubric_id: str
    version_id: str
    major: int
    number: int


def round_tally(connection: Connection, viewer: User, context_id: str) -> tuple[Tally, ...]:
    """The evaluations of a round that the viewer may read, counted; subjects on which she is blind are left out whole,
    and so are drafts."""
    e = EVALUATION.c
    rows = connection.execute(
        select(e.status, e.rubric_id, e.version_id, e.major_version, func.count())
        .where(
            e.context_id == context_id,
            e.status != DRAFT,
            e.subject_id.not_in(blind()),
            within_reach(rights(viewer)),
        )
        .group_by(e.status, e.rubric_id, e.version_id, e.major_version),
        asking(viewer),
    )
    return tuple(Tally(*row) for row in rows)


class Work(NamedTuple):
    """The assignments of one reviewer in one state: how many, and how many of them are late, and begun as far as
    the viewer may read drafts."""

    user_id: str
    status: str
    number: int
    overdue: int
    begun: int


def round_work(
    connection: Connection, viewer: User, context_id: str, *, now: datetime, own_only: bool
) -> tuple[Work, ...]:
    """The assignments of a round by reviewer and state, the viewer's own or everyone's (the engine decides).

    Of a subject on which she is blind a peer's is not counted: its state would tell what the peer does.
    """
    due = func.coalesce(ASSIGNMENT.c.due_at, CONTEXT.c.due_at, type_=ASSIGNMENT.c.due_at.type)
    is_open = ASSIGNMENT.c.status == AssignmentStatus.OPEN.value
    drafts = select(EVALUATION.c.assignment_id).where(
        EVALUATION.c.status == DRAFT, EVALUATION.c.assignment_id.is_not(None), sees(rights(viewer))
    )
    rows = connection.execute(
        select(
            ASSIGNMENT.c.user_id,
            ASSIGNMENT.c.status,
            func.count(),
            func.count(case((and_(is_open, due < now), 1))),
            func.count(case((and_(is_open, ASSIGNMENT.c.id.in_(drafts)), 1))),
        )
        .select_from(ASSIGNMENT.join(CONTEXT, CONTEXT.c.id == ASSIGNMENT.c.context_id))
        .where(ASSIGNMENT.c.context_id == context_id, _shown_work(viewer, own_only))
        .group_by(ASSIGNMENT.c.user_id, ASSIGNMENT.c.status),
        asking(viewer),
    )
    return tuple(Work(*row) for row in rows)


def round_done(connection: Connection, viewer: User, context_id: str, *, own_only: bool) -> dict[str, int]:
    """How many assignments of each subject are done, by the same rule as ``round_work``."""
    rows = connection.execute(
        select(ASSIGNMENT.c.subject_id, func.count())
        .where(
            ASSIGNMENT.c.context_id == context_id,
            ASSIGNMENT.c.status == AssignmentStatus.DONE.value,
            _shown_work(viewer, own_only),
        )
        .group_by(ASSIGNMENT.c.subject_id),
        asking(viewer),
    )
    return {row[0]: row[1] for row in rows}


def _shown_work(viewer: User, own_only: bool) -> ColumnElement[bool]:
    mine = ASSIGNMENT.c.user_id == VIEWER
    if rights(viewer).is_acting:
        mine = and_(mine, ASSIGNMENT.c.subject_id.not_in(login_blind()))
    return mine if own_only else or_(mine, ASSIGNMENT.c.subject_id.not_in(blind()))
