"""What a store has of the work of one packet, read at once: an import asks it hundreds of times."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection

from rubrictui.core.records import (
    Assignment,
    AssignmentStatus,
    Context,
    DraftAnswer,
    Evaluation,
    EvaluationStatus,
    EvaluatorType,
    Subject,
    User,
)
from rubrictui.engine.work import Work
from rubrictui.interchange.packets import PacketEvaluation
from rubrictui.store import access, packets, rubrics, subjects
from rubrictui.store.packets import Export
from rubrictui.store.rubrics import VersionHead

_AT_A_TIME = 500


class Desk(NamedTuple):
    """One packet's round as the store has it, for one reviewer.

    Attributes:
        known: what became of each conflict listed before (None: it is open), by item and digest.
        own: her evaluations of the round, by id; ``answers`` those of the ones that the file is about.
        taken: ids in the file that are evaluations which are not hers, or of other work.
    """

    export: Export
    context: Context
    known: dict[tuple[str, str], str | None]
    subjects: dict[str, Subject]
    heads: dict[str, VersionHead]
    assignments: dict[str, Assignment]
    own: dict[str, Evaluation]
    answers: dict[str, tuple[DraftAnswer, ...]]
    taken: frozenset[str]

    def work(self, one: PacketEvaluation) -> Work:
        """What an evaluation is of. Its assignment is the open one of the same work, if any."""
        head = self.heads[one.version_id]
        asked = (
            assignment
            for assignment in self.assignments.values()
            if assignment.subject_id == one.subject_id
            and assignment.rubric_id == head.rubric_id
            and assignment.status is AssignmentStatus.OPEN
        )
        return Work(
            subject=self.subjects[one.subject_id],
            rubric_id=head.rubric_id,
            rubric_name=head.rubric_name,
            version=head,
            context=self.context,
            assignment=next(asked, None),
        )

    def same_work(self, one: PacketEvaluation) -> list[Evaluation]:
        """Her evaluations here of what this one is of, by the same type of evaluator."""
        rubric_id = self.heads[one.version_id].rubric_id
        return [
            found
            for found in self.by_subject(one.subject_id)
            if found.rubric_id == rubric_id and found.evaluator_type is one.evaluator_type
        ]

    def by_subject(self, subject_id: str) -> list[Evaluation]:
        return [found for found in self.own.values() if found.subject_id == subject_id]

    def open_one(self, one: PacketEvaluation) -> Evaluation | None:
        """Her open draft of the same work, if any."""
        drafts = (found for found in self.same_work(one) if found.status is EvaluationStatus.DRAFT)
        return next(drafts, None)

    def last_submitted(self, one: PacketEvaluation) -> Evaluation | None:
        """What she has Submitted of the same work on the same major, the latest if several."""
        major = self.heads[one.version_id].major
        done = [
            found
            for found in self.same_work(one)
            if found.status is EvaluationStatus.SUBMITTED and found.major_version == major
        ]
        return max(done, key=lambda found: (found.submitted_at is not None, found.submitted_at), default=None)


def read_desk(
    connection: Connection,
    reviewer: User,
    export: Export,
    context: Context,
    *,
    evaluations: Iterable[str],
    subjects_of: Iterable[str],
) -> Desk:
    """Read what the store has.

    Args:
        evaluations: the ids in the file.
        subjects_of: the ids of the subjects in the file.
    """
    brought = set(subjects_of)
    wanted = sorted(brought & export.sent["subjects"].keys())
    own = access.evaluations(
        connection, reviewer, context_id=context.id, evaluator_user_id=reviewer.id, for_writing=True
    )
    people = (EvaluatorType.HUMAN, EvaluatorType.SELF)
    mine = {one.id: one for one in own if one.evaluator_type in people}
    concerned = {id for id, one in mine.items() if one.subject_id in brought}
    asked = subjects.assignments(connection, user_id=reviewer.id, context_id=context.id)
    heads = {id: rubrics.version_head(connection, id) for id in export.sent["versions"]}
    return Desk(
        export=export,
        context=context,
        known=packets.known_conflicts(connection, export.id),
        subjects={
            one.id: one
            for start in range(0, len(wanted), _AT_A_TIME)
            for one in subjects.subjects(connection, ids=wanted[start : start + _AT_A_TIME])
        },
        heads={id: head for id, head in heads.items() if head is not None},
        assignments={one.id: one for one in asked},
        own=mine,
        answers=access.answers_of(connection, reviewer, sorted(concerned)),
        taken=packets.taken(connection, set(evaluations) - mine.keys()),
    )
