"""Writing evaluations and their answers. Reading them is ``access.py``'s alone.

The statements are built once: an answer is saved on every key, so its path is an UPDATE and an upsert and
nothing else. The draft's own row is always touched first, which serialises writers of one draft on both
dialects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, func, insert, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningUpdate

from rubrictui.core.model import Answer, ScoredNode
from rubrictui.core.records import EvaluationStatus
from rubrictui.store.many_rows import columns_of, insert_columns, update_columns
from rubrictui.store.tables import EVALUATION, EVALUATION_SCORE

_DRAFT = EvaluationStatus.DRAFT.value
_COMPUTED = (
    "normalized_score",
    "effective_weight",
    "overall_contribution",
    "gate_failed",
    "is_advisory",
    "sequence",
)
_ANSWERED = (
    "scale_level_id",
    "raw_value",
    "is_not_applicable",
    "confidence",
    "rationale",
    "evidence",
    "revision",
    "updated_at",
)


class Touched(NamedTuple):
    """A draft after one more change."""

    revision: int
    version_id: str


def _touch(*, any_owner: bool) -> ReturningUpdate[Any]:
    change = update(EVALUATION).where(EVALUATION.c.id == bindparam("of"), EVALUATION.c.status == _DRAFT)
    if not any_owner:
        change = change.where(EVALUATION.c.evaluator_user_id == bindparam("owner"))
    return change.values(
        revision=EVALUATION.c.revision + 1,
        updated_at=bindparam("at"),
        cursor=func.coalesce(bindparam("place"), EVALUATION.c.cursor),
    ).returning(EVALUATION.c.revision, EVALUATION.c.version_id)


_TOUCH_OWN = _touch(any_owner=False)
_TOUCH_ANY = _touch(any_owner=True)


def touch_draft(
    connection: Connection, evaluation_id: str, *, owner: str | None, at: datetime, cursor: str | None = None
) -> Touched | None:
    """Count one change of a draft; None when there is no such draft of ``owner`` (None: of anyone).

    ``cursor`` is stored with it; None leaves the one that is there.
    """
    parameters = {"of": evaluation_id, "at": at, "place": cursor}
    if owner is None:
        row = connection.execute(_TOUCH_ANY, parameters).first()
    else:
        row = connection.execute(_TOUCH_OWN, {**parameters, "owner": owner}).first()
    return None if row is None else Touched(row[0], row[1])


_CURSOR = (
    update(EVALUATION)
    .where(
        EVALUATION.c.id == bindparam("of"),
        EVALUATION.c.evaluator_user_id == bindparam("owner"),
        EVALUATION.c.status == _DRAFT,
    )
    .values(cursor=bindparam("place"))
)


def set_cursor(connection: Connection, evaluation_id: str, *, owner: str, place: str | None) -> bool:
    """Remember where the reviewer is. Not a change of the draft: its revision stays."""
    parameters = {"of": evaluation_id, "owner": owner, "place": place}
    return connection.execute(_CURSOR, parameters).rowcount > 0


@cache
def _upsert(dialect: str, columns: tuple[str, ...], guarded: bool) -> Any:
    """Insert a score row, or set ``columns`` of the one that is there (guarded: unless it is newer)."""
    statement = (postgresql if dialect == "postgresql" else sqlite).insert(EVALUATION_SCORE)
    return statement.on_conflict_do_update(
        index_elements=[EVALUATION_SCORE.c.evaluation_id, EVALUATION_SCORE.c.criterion_id],
        set_={name: statement.excluded[name] for name in columns},
        where=EVALUATION_SCORE.c.revision <= bindparam("base") if guarded else None,
    )


def put_answer(
    connection: Connection,
    evaluation_id: str,
    answer: Answer,
    *,
    id: str,
    revision: int,
    at: datetime,
    base_revision: int | None = None,
    flagged: bool | None = None,
) -> bool:
    """Store one answer of a draft, whole; an empty one keeps its row, so that its clearing has a revision.

    Args:
        id: the id of the row, used when there is none yet.
        revision: the draft's revision that this change makes.
        base_revision: False is returned, and nothing written, when the row is of a later revision.
        flagged: None leaves the flag as it is.
    """
    row = _answer_row(evaluation_id, answer, id=id, revision=revision, at=at)
    columns: tuple[str, ...] = _ANSWERED
    if flagged is not None:
        row["is_flagged"] = flagged
        columns = (*_ANSWERED, "is_flagged")
    if base_revision is not None:
        row["base"] = base_revision
    statement = _upsert(connection.dialect.name, columns, base_revision is not None)
    return connection.execute(statement, row).rowcount > 0


def put_answers(
    connection: Connection,
    evaluation_id: str,
    answers: Iterable[Answer],
    *,
    revision: int,
    at: datetime,
    new_id: Callable[[], str],
) -> None:
    """Store the answers of a fresh draft; the last one to a criterion wins."""
    last = {answer.criterion_id: answer for answer in answers}
    rows = [
        _answer_row(evaluation_id, answer, id=new_id(), revision=revision, at=at) for answer in last.values()
    ]
    if rows:
        connection.execute(insert(EVALUATION_SCORE), rows)


def _answer_row(
    evaluation_id: str, answer: Answer, *, id: str, revision: int, at: datetime
) -> dict[str, Any]:
    return {
        "id": id,
        "evaluation_id": evaluation_id,
        "criterion_id": answer.criterion_id,
        "scale_level_id": answer.scale_level_id,
        "raw_value": answer.raw_value,
        "is_not_applicable": answer.is_not_applicable,
        "confidence": answer.confidence,
        "rationale": answer.rationale,
        "evidence": msgspec.to_builtins(answer.evidence) if answer.evidence else None,
        "revision": revision,
        "updated_at": at,
    }


def put_results(
    connection: Connection,
    evaluation_id: str,
    nodes: Sequence[ScoredNode],
    *,
    revision: int,
    at: datetime,
    new_id: Callable[[], str],
) -> None:
    """What was computed, a row per node in walk order, beside the answers that are there."""
    rows = [
        {
            "id": new_id(),
            "evaluation_id": evaluation_id,
            "criterion_id": node.id,
            "revision": revision,
            "updated_at": at,
            "normalized_score": node.normalized_score,
            "effective_weight": node.effective_weight,
            "overall_contribution": node.overall_contribution,
            "gate_failed": node.gate_failed,
            "is_advisory": node.is_advisory,
            "sequence": sequence,
        }
        for sequence, node in enumerate(nodes)
    ]
    if rows:
        connection.execute(_upsert(connection.dialect.name, _COMPUTED, False), rows)


def add_draft(connection: Connection, values: Mapping[str, Any]) -> None:
    """A new evaluation, a Draft. ``values`` are columns of ``evaluation``."""
    connection.execute(insert(EVALUATION).values(status=_DRAFT, **values))


def add_submitted(
    connection: Connection,
    begun: Sequence[Mapping[str, Any]],
    scores: ScoreColumns,
    results: Sequence[Mapping[str, Any]],
    *,
    superseded: Sequence[Mapping[str, Any]],
) -> bool:
    """Many whole evaluations at once: begun as Drafts, given their rows, put in the place of others, submitted.

    Args:
        begun: the columns of each, all of the same names.
        scores: a row per node of each, answers and results together.
        results: the columns that submitting sets, in the order of ``begun``.
        superseded: those that these replace: the id as ``of``, with ``at`` and ``why``.

    Returns:
        False when one of ``superseded`` is not Submitted any more; then nothing may be kept.
    """
    of_all = columns_of(begun)
    insert_columns(connection, EVALUATION, of_all, same={"status": f"'{_DRAFT}'", "revision": "0"})
    same = {"is_flagged": "FALSE", "revision": "0"}
    insert_columns(connection, EVALUATION_SCORE, scores.columns, same=same)
    if superseded:
        ended = connection.execute(_SUPERSEDE, list(superseded))
        if ended.rowcount != len(superseded):
            return False
    is_draft = f"status = '{_DRAFT}'"
    update_columns(connection, EVALUATION, of_all["id"], columns_of(results), where=is_draft)
    return True


_SUPERSEDE = (
    update(EVALUATION)
    .where(EVALUATION.c.id == bindparam("of"), EVALUATION.c.status == EvaluationStatus.SUBMITTED.value)
    .values(
        status=EvaluationStatus.SUPERSEDED.value,
        ended_at=bindparam("at", type_=EVALUATION.c.ended_at.type),
        end_reason=bindparam("why"),
    )
)


class ScoreColumns:
    """Score rows of whole evaluations, by column: there may be hundreds of thousands."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = defaultdict(list)

    def add(
        self,
        evaluation_id: str,
        nodes: Sequence[ScoredNode],
        answers: Mapping[str, Answer],
        *,
        ids: Iterator[str],
        at: datetime,
    ) -> None:
        """A row for each node, in walk order: what was answered, if anything, and what was computed.

        Args:
            answers: by criterion id.
            ids: gives those of the rows.
        """
        said = [answers.get(node.id, _UNSAID) for node in nodes]
        columns = self.columns
        columns["id"] += islice(ids, len(nodes))
        columns["evaluation_id"] += [evaluation_id] * len(nodes)
        columns["criterion_id"] += [node.id for node in nodes]
        columns["scale_level_id"] += [one.scale_level_id for one in said]
        columns["raw_value"] += [one.raw_value for one in said]
        columns["is_not_applicable"] += [one.is_not_applicable for one in said]
        columns["confidence"] += [one.confidence for one in said]
        columns["rationale"] += [one.rationale for one in said]
        columns["evidence"] += [msgspec.to_builtins(one.evidence) if one.evidence else None for one in said]
        columns["updated_at"] += [at] * len(nodes)
        columns["normalized_score"] += [node.normalized_score for node in nodes]
        columns["effective_weight"] += [node.effective_weight for node in nodes]
        columns["overall_contribution"] += [node.overall_contribution for node in nodes]
        columns["gate_failed"] += [node.gate_failed for node in nodes]
        columns["is_advisory"] += [node.is_advisory for node in nodes]
        columns["sequence"] += range(len(nodes))


_UNSAID = Answer(criterion_id="")


def change_draft(connection: Connection, evaluation_id: str, values: Mapping[str, Any]) -> bool:
    """Set columns of a Draft (its status among them: this is how it is submitted or ended)."""
    changed = connection.execute(
        update(EVALUATION)
        .where(EVALUATION.c.id == evaluation_id, EVALUATION.c.status == _DRAFT)
        .values(**values)
    )
    return changed.rowcount > 0


def end_submitted(
    connection: Connection, evaluation_id: str, status: EvaluationStatus, *, at: datetime, reason: str | None
) -> bool:
    """Submitted -> Superseded or Withdrawn; False when it was not Submitted (any more)."""
    changed = connection.execute(
        update(EVALUATION)
        .where(EVALUATION.c.id == evaluation_id, EVALUATION.c.status == EvaluationStatus.SUBMITTED.value)
        .values(status=status.value, ended_at=at, end_reason=reason)
    )
    return changed.rowcount > 0


_WITHDRAW = text("SELECT rubrictui_withdraw_drafts(:of, CAST(:at AS timestamptz), :why)")


def withdraw_drafts(connection: Connection, *, assignment_id: str, at: datetime, reason: str) -> int:
    """Draft -> Withdrawn for what was begun for an assignment; returns how many.

    On PostgreSQL the database's own function does it, also where the viewer may not see the drafts; for a chair
    whose rights do not reach them it only counts.
    """
    if connection.dialect.name == "postgresql":
        found = connection.execute(_WITHDRAW, {"of": assignment_id, "at": at, "why": reason})
        return int(found.scalar_one())
    changed = connection.execute(
        update(EVALUATION)
        .where(EVALUATION.c.assignment_id == assignment_id, EVALUATION.c.status == _DRAFT)
        .values(status=EvaluationStatus.WITHDRAWN.value, ended_at=at, updated_at=at, end_reason=reason)
    )
    return changed.rowcount
