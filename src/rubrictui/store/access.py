"""Reading evaluations and scores: with ``access_round`` the only way to; ``access_rules`` decides who may.

An evaluation that the viewer may not see answers exactly as one that does not exist.

Every function takes the viewer, and reads in the caller's transaction, so one call sees one state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    String,
    Text,
    and_,
    bindparam,
    cast,
    func,
    not_,
    or_,
    select,
)
from sqlalchemy.sql.selectable import FromClause

from rubrictui.core.consensus import CriterionScores
from rubrictui.core.model import Answer, Evidence, Outcome
from rubrictui.core.records import (
    Assignment,
    AssignmentStatus,
    Cohort,
    CohortCriterion,
    DraftAnswer,
    Evaluation,
    EvaluationScore,
    EvaluationStatus,
    EvaluatorType,
    PastAnswer,
    User,
)
from rubrictui.core.rounding import round6
from rubrictui.store.access_rules import (
    AS_A_PERSON,
    DRAFT,
    ON_SUBJECT,
    SUBMITTED,
    VIEWER,
    Rights,
    asking,
    blind,
    blind_on_subject,
    hidden_from_login,
    hidden_subjects,
    rights,
    said_herself,
    sees,
    within_reach,
)
from rubrictui.store.tables import (
    CONTEXT,
    CRITERION,
    EVALUATION,
    EVALUATION_SCORE,
    RUBRIC,
    SUBJECT,
    USER,
    VERSION,
)
from rubrictui.store.views import COHORT, COHORT_EVALUATION, COHORT_SCORE, CRITERION_COHORT

_SETS_AT_A_TIME = 500


class CohortKey(NamedTuple):
    """What a cohort's evaluations have in common. No context is a context of its own."""

    subject_id: str
    rubric_id: str
    context_id: str | None
    major: int

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of the statements below; one without a context has no place for it."""
        given = {"subject": self.subject_id, "rubric": self.rubric_id, "major": self.major}
        return given if self.context_id is None else {**given, "context": self.context_id}


class CohortScores(NamedTuple):
    """The scores of a cohort without its evaluators: ``overall[i]`` and every criterion's ``scores[i]`` belong
    to one evaluation, in an order that tells nothing. None is a score that is not there."""

    overall: tuple[float | None, ...]
    criteria: tuple[CriterionScores, ...]


# -- the blind rule ----------------------------------------------------------------------------------


def blind_subjects(connection: Connection, viewer: User) -> frozenset[str]:
    """The ids of the subjects about which everything that comes from peers is hidden from the viewer."""
    return hidden_subjects(connection, viewer)


def is_blind(connection: Connection, viewer: User, subject_id: str) -> bool:
    """Whether everything about the subject that comes from peers is hidden from the viewer."""
    return bool(connection.execute(_is_blind_query(), asking(viewer, subject=subject_id)).scalar())


@cache
def _is_blind_query() -> Select[Any]:
    return select(blind_on_subject())


def veiled(connection: Connection, viewer: User, assignments: Iterable[Assignment]) -> tuple[Assignment, ...]:
    """Assignments as the viewer may see them: while she is blind, a peer's that is Done still reads Open.

    Who is asked to score a subject comes from the chair; that a peer has done so comes from the peer.
    """
    blind = blind_subjects(connection, viewer)
    from_login = hidden_from_login(connection, viewer)

    def is_peers(one: Assignment) -> bool:
        return one.user_id != viewer.id or one.subject_id in from_login

    return tuple(
        msgspec.structs.replace(one, status=AssignmentStatus.OPEN, ended_at=None, ended_by=None)
        if one.status is AssignmentStatus.DONE and one.subject_id in blind and is_peers(one)
        else one
        for one in assignments
    )


# -- evaluations -------------------------------------------------------------------------------------

_NEWER = EVALUATION.alias("newer")
_NUMBER = (
    cast(VERSION.c.major_version, Text)
    + "."
    + cast(VERSION.c.minor_version, Text)
    + "."
    + cast(VERSION.c.patch_version, Text)
)
_LATEST_FIRST = (func.coalesce(EVALUATION.c.submitted_at, EVALUATION.c.updated_at).desc(), EVALUATION.c.id)


@cache
def _headers(may: Rights, for_writing: bool = False) -> Select[Any]:
    """The headers that the viewer may see."""
    # A draft that was to replace this one and was given up has never been submitted.
    superseded_by = (
        select(_NEWER.c.id)
        .where(_NEWER.c.supersedes_id == EVALUATION.c.id, _NEWER.c.submitted_at.is_not(None))
        .order_by(_NEWER.c.submitted_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = select(
        EVALUATION,
        RUBRIC.c.name.label("rubric_name"),
        _NUMBER.label("version_number"),
        SUBJECT.c.title.label("subject_title"),
        CONTEXT.c.name.label("context_name"),
        VERSION.c.score_display_min,
        VERSION.c.score_display_max,
        USER.c.name.label("evaluator_user_name"),
        USER.c.display_name.label("evaluator_display_name"),
        superseded_by.label("superseded_by_id"),
    ).select_from(
        EVALUATION.join(RUBRIC, RUBRIC.c.id == EVALUATION.c.rubric_id)
        .join(VERSION, VERSION.c.id == EVALUATION.c.version_id)
        .join(SUBJECT, SUBJECT.c.id == EVALUATION.c.subject_id)
        .join(USER, USER.c.id == EVALUATION.c.evaluator_user_id)
        .outerjoin(CONTEXT, CONTEXT.c.id == EVALUATION.c.context_id)
    )
    return query.where(sees(may, for_writing))


@cache
def _one_header(may: Rights, for_writing: bool) -> Select[Any]:
    return _headers(may, for_writing).where(EVALUATION.c.id == bindparam("evaluation"))


def _header(row: Row[Any]) -> Evaluation:
    return Evaluation(
        id=row.id,
        rubric_id=row.rubric_id,
        rubric_name=row.rubric_name,
        version_id=row.version_id,
        version_number=row.version_number,
        major_version=row.major_version,
        subject_id=row.subject_id,
        subject_title=row.subject_title,
        context_id=row.context_id,
        context_name=row.context_name,
        assignment_id=row.assignment_id,
        evaluator_user_id=row.evaluator_user_id,
        evaluator_user_name=row.evaluator_user_name,
        evaluator_display_name=row.evaluator_display_name,
        evaluator_type=EvaluatorType(row.evaluator_type),
        evaluator_name=row.evaluator_name,
        status=EvaluationStatus(row.status),
        revision=row.revision,
        started_at=row.started_at,
        updated_at=row.updated_at,
        submitted_at=row.submitted_at,
        ended_at=row.ended_at,
        end_reason=row.end_reason,
        supersedes_id=row.supersedes_id,
        superseded_by_id=row.superseded_by_id,
        subject_hash=row.subject_hash,
        normalized_score=row.normalized_score,
        outcome=Outcome(row.outcome) if row.outcome else None,
        passed=row.passed,
        gate_failed=row.gate_failed,
        completeness=row.completeness,
        band_id=row.band_id,
        pass_threshold_applied=row.pass_threshold_applied,
        confidence=row.confidence,
        engine_version=row.engine_version,
        error_message=row.error_message,
        metadata=row._mapping["metadata"],
        score_display_min=row.score_display_min,
        score_display_max=row.score_display_max,
    )


def evaluation(
    connection: Connection, viewer: User, evaluation_id: str, *, for_writing: bool = False
) -> Evaluation | None:
    """One evaluation's header; None when there is none of that id that the viewer may see.

    ``for_writing``: also what she ran or imported while she is blind; ``veil`` it before it is shown.
    """
    asked = asking(viewer, evaluation=evaluation_id)
    row = connection.execute(_one_header(rights(viewer), for_writing), asked).first()
    return None if row is None else _header(row)


def veil(evaluation: Evaluation) -> Evaluation:
    """That an evaluation exists, without anything it found: what a runner who is blind is told of her run."""
    return msgspec.structs.replace(
        evaluation,
        normalized_score=None,
        outcome=None,
        passed=None,
        gate_failed=None,
        completeness=None,
        band_id=None,
        confidence=None,
        metadata=None,
    )


def evaluations(
    connection: Connection,
    viewer: User,
    *,
    subject_id: str | None = None,
    context_id: str | None = None,
    rubric_id: str | None = None,
    version_id: str | None = None,
    evaluator_user_id: str | None = None,
    status: EvaluationStatus | None = None,
    subject_ids: Sequence[str] | None = None,
    limit: int | None = None,
    for_writing: bool = False,
) -> tuple[Evaluation, ...]:
    """The evaluations that the viewer may see, the latest first; every argument that is given narrows.

    ``subject_ids``: only of these, some hundreds at most.
    ``for_writing``: also what she ran or imported while she is blind, for the engine's own use.
    """
    query = _headers(rights(viewer), for_writing)
    for column, wanted in (
        (EVALUATION.c.subject_id, subject_id),
        (EVALUATION.c.context_id, context_id),
        (EVALUATION.c.rubric_id, rubric_id),
        (EVALUATION.c.version_id, version_id),
        (EVALUATION.c.evaluator_user_id, evaluator_user_id),
        (EVALUATION.c.status, status.value if status is not None else None),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    if subject_ids is not None:
        query = query.where(EVALUATION.c.subject_id.in_(subject_ids))
    rows = connection.execute(query.order_by(*_LATEST_FIRST).limit(limit), asking(viewer))
    return tuple(_header(row) for row in rows)


def count(connection: Connection, viewer: User) -> int:
    """How many evaluations, of any status, there are that the viewer may see."""
    return sum(_visible_counts(connection, viewer, None).values())


def counts_by_version(connection: Connection, viewer: User) -> dict[str, int]:
    """How many Submitted evaluations of each version the viewer may see; versions without one are left out."""
    counts = _visible_counts(connection, viewer, EvaluationStatus.SUBMITTED)
    return {version_id: number for version_id, number in counts.items() if number}


def _visible_counts(connection: Connection, viewer: User, status: EvaluationStatus | None) -> dict[str, int]:
    # It is asked for whole stores, so it counts over an index alone. What is hidden is taken off afterwards:
    # a look at few subjects instead of one at every row.
    may = rights(viewer)
    reach = within_reach(may)
    counts = _count_by_version(connection, viewer, status, reach)
    hidden = and_(reach, EVALUATION.c.subject_id.in_(blind()), not_(said_herself(may)))
    for version_id, number in _count_by_version(connection, viewer, status, hidden).items():
        counts[version_id] -= number
    return counts


def _count_by_version(
    connection: Connection, viewer: User, status: EvaluationStatus | None, *conditions: ColumnElement[bool]
) -> dict[str, int]:
    query = select(EVALUATION.c.version_id, func.count()).where(*conditions)
    if status is not None:
        query = query.where(EVALUATION.c.status == status.value)
    rows = connection.execute(query.group_by(EVALUATION.c.version_id), asking(viewer))
    return {row[0]: row[1] for row in rows}


# -- scores and answers ------------------------------------------------------------------------------


@cache
def _score_rows(may: Rights, for_writing: bool) -> Select[Any]:
    return (
        select(EVALUATION_SCORE, CRITERION.c.key)
        .select_from(
            EVALUATION_SCORE.join(EVALUATION, EVALUATION.c.id == EVALUATION_SCORE.c.evaluation_id).join(
                CRITERION, CRITERION.c.id == EVALUATION_SCORE.c.criterion_id
            )
        )
        .where(EVALUATION_SCORE.c.evaluation_id == bindparam("evaluation"), sees(may, for_writing))
        .order_by(EVALUATION_SCORE.c.sequence, CRITERION.c.sequence, CRITERION.c.key)
    )


def _rows_of(
    connection: Connection, viewer: User, evaluation_id: str, for_writing: bool = False
) -> Iterable[Row[Any]]:
    asked = asking(viewer, evaluation=evaluation_id)
    return connection.execute(_score_rows(rights(viewer), for_writing), asked)


def scores(connection: Connection, viewer: User, evaluation_id: str) -> tuple[EvaluationScore, ...]:
    """A row per node, in walk order once submitted; nothing when the viewer may not see the evaluation."""
    return tuple(
        EvaluationScore(
            node_id=row.criterion_id,
            key=row.key,
            scale_level_id=row.scale_level_id,
            raw_value=row.raw_value,
            is_not_applicable=row.is_not_applicable,
            confidence=row.confidence,
            rationale=row.rationale,
            evidence=_evidence(row.evidence),
            normalized_score=row.normalized_score,
            effective_weight=row.effective_weight,
            overall_contribution=row.overall_contribution,
            gate_failed=row.gate_failed,
            is_advisory=row.is_advisory,
        )
        for row in _rows_of(connection, viewer, evaluation_id)
    )


def draft_answers(
    connection: Connection,
    viewer: User,
    evaluation_id: str,
    *,
    include_empty: bool = False,
    for_writing: bool = False,
) -> tuple[DraftAnswer, ...]:
    """The answers of an evaluation with the revision that last changed each.

    Rows that say nothing and carry no flag (an answer that was taken back) are left out unless
    ``include_empty``.
    """
    found = (
        DraftAnswer(answer=_answer(row), revision=row.revision, is_flagged=row.is_flagged)
        for row in _rows_of(connection, viewer, evaluation_id, for_writing)
    )
    return tuple(one for one in found if include_empty or one.is_flagged or _says_something(one.answer))


def answers_of(
    connection: Connection, viewer: User, evaluation_ids: Iterable[str]
) -> dict[str, tuple[DraftAnswer, ...]]:
    """What ``draft_answers`` gives of each of these, by id, in one go; one without answers is not there."""
    wanted = list(evaluation_ids)
    found: dict[str, list[DraftAnswer]] = {}
    for start in range(0, len(wanted), _SETS_AT_A_TIME):
        asked = asking(viewer, evaluations=wanted[start : start + _SETS_AT_A_TIME])
        for row in connection.execute(_many_score_rows(rights(viewer)), asked):
            one = DraftAnswer(answer=_answer(row), revision=row.revision, is_flagged=row.is_flagged)
            if one.is_flagged or _says_something(one.answer):
                found.setdefault(row.evaluation_id, []).append(one)
    return {id: tuple(answers) for id, answers in found.items()}


@cache
def _many_score_rows(may: Rights) -> Select[Any]:
    return (
        select(EVALUATION_SCORE)
        .select_from(
            EVALUATION_SCORE.join(EVALUATION, EVALUATION.c.id == EVALUATION_SCORE.c.evaluation_id).join(
                CRITERION, CRITERION.c.id == EVALUATION_SCORE.c.criterion_id
            )
        )
        .where(EVALUATION_SCORE.c.evaluation_id.in_(bindparam("evaluations", expanding=True)), sees(may))
        .order_by(EVALUATION_SCORE.c.sequence, CRITERION.c.sequence, CRITERION.c.key)
    )


def cursors_of(connection: Connection, viewer: User, evaluation_ids: Iterable[str]) -> dict[str, str | None]:
    """What ``draft_cursor`` gives of each of these, by id."""
    wanted = list(evaluation_ids)
    found: dict[str, str | None] = {}
    for start in range(0, len(wanted), _SETS_AT_A_TIME):
        asked = asking(viewer, evaluations=wanted[start : start + _SETS_AT_A_TIME])
        for row in connection.execute(_many_cursors(rights(viewer)), asked):
            found[row[0]] = row[1]
    return found


@cache
def _many_cursors(may: Rights) -> Select[Any]:
    ids = EVALUATION.c.id.in_(bindparam("evaluations", expanding=True))
    return select(EVALUATION.c.id, EVALUATION.c.cursor).where(ids, sees(may))


def draft_cursor(connection: Connection, viewer: User, evaluation_id: str) -> str | None:
    """Where in the form the draft's reviewer was last."""
    asked = asking(viewer, evaluation=evaluation_id)
    return connection.execute(_cursor_query(rights(viewer)), asked).scalar()


@cache
def _cursor_query(may: Rights) -> Select[Any]:
    return select(EVALUATION.c.cursor).where(EVALUATION.c.id == bindparam("evaluation"), sees(may))


def past_answers(
    connection: Connection,
    viewer: User,
    *,
    rubric_id: str,
    criterion_key: str,
    excluding: str | None = None,
    limit: int = 20,
) -> tuple[PastAnswer, ...]:
    """The viewer's own answers, as a person, to this criterion for other subjects, the latest first.

    Args:
        rubric_id: every version of the rubric counts, since keys are permanent.
        excluding: an evaluation whose subject is left out.
        limit: at most so many.
    """
    at = func.coalesce(EVALUATION.c.submitted_at, EVALUATION_SCORE.c.updated_at)
    query = (
        select(
            EVALUATION_SCORE,
            EVALUATION.c.status,
            SUBJECT.c.title.label("subject_title"),
            at.label("at"),
        )
        .select_from(
            EVALUATION.join(EVALUATION_SCORE, EVALUATION_SCORE.c.evaluation_id == EVALUATION.c.id)
            .join(CRITERION, CRITERION.c.id == EVALUATION_SCORE.c.criterion_id)
            .join(SUBJECT, SUBJECT.c.id == EVALUATION.c.subject_id)
        )
        .where(
            EVALUATION.c.evaluator_user_id == viewer.id,
            EVALUATION.c.status.in_((DRAFT, SUBMITTED)),
            EVALUATION.c.evaluator_type.in_(AS_A_PERSON),
            EVALUATION.c.rubric_id == rubric_id,
            CRITERION.c.key == criterion_key,
            or_(
                EVALUATION_SCORE.c.is_not_applicable,
                EVALUATION_SCORE.c.scale_level_id.is_not(None),
                EVALUATION_SCORE.c.raw_value.is_not(None),
                EVALUATION_SCORE.c.rationale.is_not(None),
            ),
        )
        .order_by(at.desc(), EVALUATION.c.id)
        .limit(limit)
    )
    hidden = hidden_from_login(connection, viewer)
    if hidden:
        query = query.where(EVALUATION.c.subject_id.not_in(hidden))
    if excluding is not None:
        other = EVALUATION.alias("excluded")
        this_subject = select(other.c.subject_id).where(other.c.id == excluding)
        query = query.where(EVALUATION.c.subject_id.not_in(this_subject))
    return tuple(
        PastAnswer(
            evaluation_id=row.evaluation_id,
            subject_title=row.subject_title,
            status=EvaluationStatus(row.status),
            at=row.at,
            answer=_answer(row),
            normalized_score=row.normalized_score,
        )
        for row in connection.execute(query)
    )


class AnswerSets:
    """The evaluations of one version that the viewer may look at together, and their answers.

    Attributes:
        evaluations: ids and their subjects' titles, the latest first.
        left_out: there may be others that her role does not reach, or of subjects she has open work on. It says
            nothing about what there is, since it follows from her role and her own work alone.
        limited: there are more than were asked for.
    """

    def __init__(
        self, connection: Connection, evaluations: dict[str, str], *, left_out: bool, limited: bool
    ) -> None:
        self.evaluations = evaluations
        self.left_out = left_out
        self.limited = limited
        self._connection = connection

    def answers(
        self,
    ) -> Iterator[tuple[Sequence[str], Sequence[tuple[str, str, str | None, float | None, bool]]]]:
        """Some hundred evaluations at a time: their ids, the latest first, and a row per answer.

        A row is evaluation, criterion, level, raw value, and whether it is not applicable (true or 1); the
        order of rows means nothing.
        """
        ids = list(self.evaluations)
        for start in range(0, len(ids), _SETS_AT_A_TIME):
            chunk = ids[start : start + _SETS_AT_A_TIME]
            found = self._connection.execute(_GIVEN_ANSWERS, {"evaluations": chunk})
            # As the driver has them: making a row object of each of some hundred thousand costs a second.
            yield chunk, found.cursor.fetchall() if found.cursor is not None else ()


def answer_sets(connection: Connection, viewer: User, version_id: str, *, limit: int) -> AnswerSets:
    """The latest Submitted evaluations of a version that the viewer may read, at most ``limit``.

    Subjects on which she is blind are left out whole, her own evaluations of them included.
    """
    may = rights(viewer)
    query = (
        select(EVALUATION.c.id, SUBJECT.c.title)
        .select_from(EVALUATION.join(SUBJECT, SUBJECT.c.id == EVALUATION.c.subject_id))
        .where(
            EVALUATION.c.version_id == version_id,
            EVALUATION.c.status == SUBMITTED,
            EVALUATION.c.subject_id.not_in(blind()),
            within_reach(may),
        )
        .order_by(EVALUATION.c.submitted_at.desc(), EVALUATION.c.id)
        .limit(limit + 1)
    )
    found = connection.execute(query, asking(viewer)).all()
    return AnswerSets(
        connection,
        {row[0]: row[1] for row in found[:limit]},
        left_out=not may.reads_all or bool(blind_subjects(connection, viewer)),
        limited=len(found) > limit,
    )


_GIVEN_ANSWERS = select(
    EVALUATION_SCORE.c.evaluation_id,
    EVALUATION_SCORE.c.criterion_id,
    EVALUATION_SCORE.c.scale_level_id,
    EVALUATION_SCORE.c.raw_value,
    EVALUATION_SCORE.c.is_not_applicable,
).where(
    EVALUATION_SCORE.c.evaluation_id.in_(bindparam("evaluations", expanding=True)),
    or_(
        EVALUATION_SCORE.c.scale_level_id.is_not(None),
        EVALUATION_SCORE.c.raw_value.is_not(None),
        EVALUATION_SCORE.c.is_not_applicable,
    ),
)


def _answer(row: Row[Any]) -> Answer:
    return Answer(
        criterion_id=row.criterion_id,
        scale_level_id=row.scale_level_id,
        raw_value=row.raw_value,
        is_not_applicable=row.is_not_applicable,
        confidence=row.confidence,
        rationale=row.rationale,
        evidence=_evidence(row.evidence),
    )


def _says_something(answer: Answer) -> bool:
    return answer.is_answered or bool(answer.rationale) or bool(answer.evidence)


def _evidence(stored: Any) -> tuple[Evidence, ...]:
    return msgspec.convert(stored, tuple[Evidence, ...]) if stored else ()


# -- cohorts -----------------------------------------------------------------------------------------


def _in_cohort(table: FromClause, no_context: bool) -> ColumnElement[bool]:
    """The rows of ``table`` that belong to the cohort, by the columns of the cohort index."""
    c = table.c
    return and_(
        c.subject_id == ON_SUBJECT,
        c.context_id.is_(None) if no_context else c.context_id == bindparam("context", type_=String),
        c.rubric_id == bindparam("rubric", type_=String),
        c.major_version == bindparam("major", type_=Integer),
    )


@cache
def _rights_query(no_context: bool) -> Select[bool, bool]:
    own = select(EVALUATION.c.id).where(
        _in_cohort(EVALUATION, no_context),
        EVALUATION.c.status == SUBMITTED,
        EVALUATION.c.evaluator_user_id == VIEWER,
        # A self-assessment is not in the cohort, and a judge that she ran is no review of hers.
        EVALUATION.c.evaluator_type == EvaluatorType.HUMAN.value,
    )
    return select(blind_on_subject().label("blind"), own.exists().label("has_scored"))


def _may_see_cohort(connection: Connection, viewer: User, key: CohortKey) -> bool:
    """Not blind, and either reading all or having submitted an own evaluation in this cohort."""
    query = _rights_query(key.context_id is None)
    found = connection.execute(query, asking(viewer, **key.parameters)).one()
    return not found.blind and (rights(viewer).reads_all or bool(found.has_scored))


def cohort(
    connection: Connection,
    viewer: User,
    *,
    subject_id: str,
    rubric_id: str,
    context_id: str | None,
    major: int,
) -> Cohort | None:
    """The cohort columns of one subject (guide section 9), rounded; None where the viewer may not see them.

    A cohort without an evaluation has a count of 0 and no numbers.
    """
    key = CohortKey(subject_id, rubric_id, context_id, major)
    if not _may_see_cohort(connection, viewer, key):
        return None
    row = connection.execute(cohort_query(context_id is None), key.parameters).first()
    if row is None:
        return Cohort()
    return Cohort(
        mean=_rounded(row.mean_score),
        min=_rounded(row.min_score),
        max=_rounded(row.max_score),
        std_dev=_rounded(row.score_std_dev),
        count=row.evaluation_count,
        passed_count=row.passed_count,
        human_mean=_rounded(row.human_mean_score),
        ai_mean=_rounded(row.ai_mean_score),
        self_score=_rounded(row.self_assessment_score),
        criteria=tuple(
            CohortCriterion(
                key=one.criterion_key,
                mean=_rounded(one.mean_score),
                human_mean=_rounded(one.human_mean_score),
                ai_mean=_rounded(one.ai_mean_score),
            )
            for one in connection.execute(criterion_cohort_query(context_id is None), key.parameters)
        ),
    )


def cohort_scores(
    connection: Connection,
    viewer: User,
    *,
    subject_id: str,
    rubric_id: str,
    context_id: str | None,
    major: int,
) -> CohortScores | None:
    """The scores that a consensus is made of: Submitted ones, Self left out, criteria only (no groups).

    None where the viewer may not see the cohort.
    """
    key = CohortKey(subject_id, rubric_id, context_id, major)
    if not _may_see_cohort(connection, viewer, key):
        return None
    # Ordered by random ids: the place in the list says nothing about who or when.
    view = COHORT_EVALUATION
    overall = connection.execute(
        select(view.c.evaluation_id, view.c.normalized_score)
        .where(_in_cohort(view, context_id is None))
        .order_by(view.c.evaluation_id),
        key.parameters,
    ).all()
    place = {evaluation_id: index for index, (evaluation_id, _) in enumerate(overall)}
    each = COHORT_SCORE
    rows = connection.execute(
        select(each.c.criterion_key, each.c.evaluation_id, each.c.normalized_score, each.c.is_not_applicable)
        .where(_in_cohort(each, context_id is None))
        .order_by(each.c.sequence, each.c.criterion_key),
        key.parameters,
    )
    by_key: dict[str, list[float | None]] = {}
    not_applicable: dict[str, int] = {}
    for criterion_key, evaluation_id, score, is_not_applicable in rows:
        by_key.setdefault(criterion_key, [None] * len(place))[place[evaluation_id]] = score
        not_applicable[criterion_key] = not_applicable.get(criterion_key, 0) + bool(is_not_applicable)
    return CohortScores(
        overall=tuple(score for _, score in overall),
        criteria=tuple(
            CriterionScores(
                key=criterion_key, scores=tuple(given), not_applicable=not_applicable[criterion_key]
            )
            for criterion_key, given in by_key.items()
        ),
    )


@cache
def cohort_query(no_context: bool) -> Select[Any]:
    """A cohort's row of the view, found through the cohort index. Its parameters are ``CohortKey``'s."""
    return select(COHORT).where(_in_cohort(COHORT, no_context))


@cache
def criterion_cohort_query(no_context: bool) -> Select[Any]:
    """A cohort's rows of the view per criterion, in walk order, found through the cohort index."""
    view = CRITERION_COHORT
    return select(view).where(_in_cohort(view, no_context)).order_by(view.c.sequence, view.c.criterion_key)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round6(float(value))
