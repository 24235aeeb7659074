"""Who may see what: the decision itself, as conditions on rows. ``access`` and ``access_round`` read by it.

Who can see what (guide section 10):

- Everyone sees her own evaluations, those that she ran or imported among them. *administer_evaluations*,
  *developer* and *integration* see all. A chair sees all only when she also holds *administer_evaluations*.
- A reviewer never sees a peer's rows. Once she has submitted her own evaluation in a cohort she sees the
  cohort's aggregates.

The blind rule comes before all of that: on some subjects a viewer is blind, and everything about them that comes
from peers is hidden from her, whatever her role. She is blind

- while she has work of her own open on the subject: a Draft of hers as a person (Human or Self), for any context
  and any rubric, or an Open assignment. It ends when she submits, declines or is released;
- in an open round whose blinding is ``until_closed`` or ``comments_visible``: on every subject of it when she is
  on its list of reviewers, else on those she has begun or submitted there. It ends when the round is closed, or
  when she is taken off its list.

What she answered herself as a person she always sees; what a judge answered that she ran would lead her as a peer
would. Whoever acts as another user (``Acting``) is two people at once: a subject is hidden when either of the two is
blind on it, and where the one who really asks is blind, what the other answered is a peer's.

On PostgreSQL the same rules stand in the database (``migrations/security_0006.py``), for whoever asks there directly.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    String,
    and_,
    bindparam,
    or_,
    select,
    true,
    union,
)

from rubrictui.core.records import (
    Acting,
    AssignmentStatus,
    ContextStatus,
    EvaluationStatus,
    EvaluatorType,
    Role,
    User,
)
from rubrictui.core.rounds import Blinding
from rubrictui.store.tables import ASSIGNMENT, CONTEXT, EVALUATION, ROUND_REVIEWER, ROUND_SUBJECT

READS_ALL = frozenset({Role.ADMINISTER_EVALUATIONS, Role.DEVELOPER, Role.INTEGRATION})
# What a person does herself; a judge that she merely ran is no opinion of hers.
AS_A_PERSON = (EvaluatorType.HUMAN.value, EvaluatorType.SELF.value)
DRAFT = EvaluationStatus.DRAFT.value
SUBMITTED = EvaluationStatus.SUBMITTED.value
STRICT = (Blinding.UNTIL_CLOSED.value, Blinding.COMMENTS_VISIBLE.value)

# Statements are built once, with parameters: building one takes longer than SQLite takes to answer it.
VIEWER = bindparam("viewer", type_=String)
LOGIN = bindparam("login", type_=String)
ON_SUBJECT = bindparam("subject", type_=String)


class Rights(NamedTuple):
    """What of a viewer decides which statement is asked; who she is goes into its parameters."""

    reads_all: bool
    is_acting: bool


def rights(viewer: User) -> Rights:
    return Rights(any(role in READS_ALL for role in viewer.roles), _login(viewer) != viewer.id)


def asking(viewer: User, **more: Any) -> dict[str, Any]:
    """The parameters of a statement that uses these conditions."""
    return {"viewer": viewer.id, "login": _login(viewer), **more}


def _login(viewer: User) -> str:
    return viewer.login_id if isinstance(viewer, Acting) else viewer.id


# -- the blind rule ----------------------------------------------------------------------------------


def _open_work(*people: ColumnElement[str]) -> tuple[Select[Any], ...]:
    """The subjects on which any of ``people`` has open work of her own: drafts, and assignments."""
    drafts = select(EVALUATION.c.subject_id).where(
        EVALUATION.c.evaluator_user_id.in_(people),
        EVALUATION.c.status == DRAFT,
        EVALUATION.c.evaluator_type.in_(AS_A_PERSON),
    )
    assigned = select(ASSIGNMENT.c.subject_id).where(
        ASSIGNMENT.c.user_id.in_(people),
        ASSIGNMENT.c.status == AssignmentStatus.OPEN.value,
    )
    return drafts, assigned


def _held_back(
    *people: ColumnElement[str], rules: tuple[str, ...] = STRICT
) -> tuple[Select[Any], Select[Any]]:
    """The subjects that an open round keeps from its reviewers until it closes."""
    strict = and_(CONTEXT.c.status == ContextStatus.OPEN.value, CONTEXT.c.blinding.in_(rules))
    listed = (
        select(ROUND_SUBJECT.c.subject_id)
        .select_from(
            ROUND_REVIEWER.join(CONTEXT, CONTEXT.c.id == ROUND_REVIEWER.c.context_id).join(
                ROUND_SUBJECT, ROUND_SUBJECT.c.context_id == CONTEXT.c.id
            )
        )
        .where(ROUND_REVIEWER.c.user_id.in_(people), strict)
    )
    reviewed = (
        select(EVALUATION.c.subject_id)
        .select_from(EVALUATION.join(CONTEXT, CONTEXT.c.id == EVALUATION.c.context_id))
        .where(
            EVALUATION.c.evaluator_user_id.in_(people),
            EVALUATION.c.evaluator_type.in_(AS_A_PERSON),
            # A draft that was given up unsubmitted was no review.
            or_(EVALUATION.c.status == DRAFT, EVALUATION.c.submitted_at.is_not(None)),
            strict,
        )
    )
    return listed, reviewed


def blind() -> CompoundSelect[Any]:
    """The subjects on which the viewer, or whoever acts as her, is blind."""
    return union(*_open_work(VIEWER, LOGIN), *_held_back(VIEWER, LOGIN))


def login_blind() -> CompoundSelect[Any]:
    """The subjects on which the one who really asks is blind."""
    return union(*_open_work(LOGIN), *_held_back(LOGIN))


def blind_on_subject() -> ColumnElement[bool]:
    """Whether the viewer is blind on ``ON_SUBJECT``."""
    return _any_on_subject(*_open_work(VIEWER, LOGIN), *_held_back(VIEWER, LOGIN))


def silent_on_subject() -> ColumnElement[bool]:
    """The same for the comments of a round that shows them: its own rule holds back scores, not words."""
    until_closed = (Blinding.UNTIL_CLOSED.value,)
    return _any_on_subject(*_open_work(VIEWER, LOGIN), *_held_back(VIEWER, LOGIN, rules=until_closed))


def _any_on_subject(*work: Select[Any]) -> ColumnElement[bool]:
    return or_(*(one.where(one.selected_columns[0] == ON_SUBJECT).exists() for one in work))


# -- rows of evaluations -----------------------------------------------------------------------------


def sees(may: Rights, for_writing: bool = False) -> ColumnElement[bool]:
    """The rows of ``evaluation`` that the viewer may read. The decision, for every query over them.

    ``for_writing`` adds what she ran or imported on a subject on which she is blind: an engine has to find
    such rows to store, rerun or withdraw them, and shows nothing of them.
    """
    own = EVALUATION.c.evaluator_user_id == VIEWER if for_writing else said_herself(may)
    return or_(own, EVALUATION.c.subject_id.not_in(blind()) & within_reach(may))


def said_herself(may: Rights) -> ColumnElement[bool]:
    """What the viewer answered as a person, which no rule hides from her."""
    own = and_(EVALUATION.c.evaluator_user_id == VIEWER, EVALUATION.c.evaluator_type.in_(AS_A_PERSON))
    return and_(own, EVALUATION.c.subject_id.not_in(login_blind())) if may.is_acting else own


def within_reach(may: Rights) -> ColumnElement[bool]:
    """What the viewer's rights cover where she is not blind: everything, or what she gave, ran or imported."""
    return true() if may.reads_all else EVALUATION.c.evaluator_user_id == VIEWER


# -- asking for it -----------------------------------------------------------------------------------


def hidden_subjects(connection: Connection, viewer: User) -> frozenset[str]:
    """The ids of the subjects about which everything that comes from peers is hidden from the viewer."""
    return frozenset(connection.execute(_hidden_query(), asking(viewer)).scalars())


@cache
def _hidden_query() -> CompoundSelect[Any]:
    return blind()


def hidden_from_login(connection: Connection, viewer: User) -> frozenset[str]:
    """Of somebody who acts as the viewer: the subjects on which he himself is blind. None when she asks herself."""
    if not rights(viewer).is_acting:
        return frozenset()
    return frozenset(connection.execute(_login_query(), {"login": _login(viewer)}).scalars())


@cache
def _login_query() -> CompoundSelect[Any]:
    return login_blind()
