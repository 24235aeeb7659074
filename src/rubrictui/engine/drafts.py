"""Scoring as it happens: the inbox, drafts, every answer saved as it is given."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer
from rubrictui.core.records import (
    AssignmentStatus,
    Draft,
    DraftAnswer,
    Evaluation,
    EvaluationStatus,
    EvaluatorType,
    InboxRow,
    Role,
    SaveReceipt,
)
from rubrictui.engine.checking import settled, storable
from rubrictui.engine.errors import (
    DraftClosedError,
    DraftConflictError,
    NotFoundError,
    NotPermittedError,
    StateError,
    SupersedeRefusedError,
)
from rubrictui.engine.work import Evaluator, Settling, Work, evaluator
from rubrictui.store import access, evaluations, inbox, subjects


class Drafts(Settling):
    """A reviewer's own work. Each call is one durable transaction."""

    def inbox(self, *, include_done: bool = True) -> tuple[InboxRow, ...]:
        """The user's own work: assigned, begun, and (``include_done``) done lately."""
        with self._read() as connection:
            rows = inbox.inbox(connection, self.user)
        return rows if include_done else tuple(row for row in rows if row.state in ("New", "Draft"))

    def open_draft(
        self,
        *,
        subject: str | None = None,
        rubric: str | None = None,
        version: str | None = None,
        context: str | None = None,
        assignment: str | None = None,
        evaluator_type: EvaluatorType = EvaluatorType.HUMAN,
        evaluator_name: str | None = None,
        supersedes: str | None = None,
    ) -> Draft:
        """Resume the user's open draft of this work, or begin one.

        There is one open draft per evaluator, subject, context and rubric. Resuming counts as seeing the
        subject as it is now: the draft then stores its present content hash. The value returned still
        carries the hash from before, so ``draft.evaluation.subject_hash != draft.subject.content_hash``
        says that the subject has changed since the draft was last opened.

        Args:
            subject, context: an id or ``Entity/record``. No context means none at all.
            rubric: a name or id; without one, the assignment's or the context's.
            version: a version id or ``Name@1.2.0``; without one, the assignment's, the context's, or the
                latest Published.
            assignment: the id of an Open assignment of the user; it settles all of the above.
            supersedes: the user's own Submitted evaluation that this one is to replace.

        Raises:
            NoPublishedVersionError, NotFoundError: what is to be scored is not there.
            StateError: the version is no published one, the context is closed, an open draft is of another
                version, or this evaluator has submitted this work already (supersede it instead).
            SupersedeRefusedError: ``supersedes`` is not the same evaluator's, or of other work.
        """
        by = evaluator(evaluator_type, evaluator_name)
        with self._write() as connection:
            work = self._work(
                connection,
                subject=subject,
                rubric=rubric,
                version=version,
                context=context,
                assignment=assignment,
            )
            open_one = self._open_one(connection, work, by)
            if open_one is not None:
                return self._resume(connection, open_one, work, version=version, supersedes=supersedes)
            evaluation_id = self._begin(connection, work, by, supersedes=supersedes)
            return self._draft(connection, self._own_draft(connection, evaluation_id))

    def draft(self, evaluation_id: str) -> Draft:
        """An open draft, whole, as it is stored; nothing is changed by looking.

        Raises:
            NotFoundError: there is no such evaluation, or it is not the user's to read.
            DraftClosedError: it is no draft any more.
        """
        with self._read() as connection:
            return self._draft(connection, self._own_draft(connection, evaluation_id))

    def save_answer(
        self,
        evaluation_id: str,
        answer: Answer,
        *,
        base_revision: int | None = None,
        flagged: bool | None = None,
        cursor: str | None = None,
    ) -> SaveReceipt:
        """Store one answer of a draft; when this returns it is on disk.

        An answer may be unfinished (a rationale without a level); one that says nothing at all clears the
        criterion. Answers to different criteria always merge, whoever saves them.

        Args:
            base_revision: the draft revision the caller last knew. When this criterion was changed after
                it, nothing is stored and the conflict is raised, unless the stored answer is this one.
            flagged: set or clear the reviewer's "return to this"; None leaves it.
            cursor: where the reviewer is, stored in the same transaction; None leaves it.

        Raises:
            ScoringError: the version does not allow the answer; nothing is stored.
            InvalidInputError: no such criterion, or a part of the answer cannot be stored.
            DraftConflictError: see ``base_revision``.
            DraftClosedError, NotFoundError, NotPermittedError: it is not an open draft of the user's.
        """
        now = self._clock()
        owner = None if self._holds(Role.ADMINISTER_EVALUATIONS) else self.user.id

        def save() -> SaveReceipt:
            # The draft's row is locked first, so savers of other drafts need not wait for this one.
            with self._write(alone=False) as connection:
                touched = evaluations.touch_draft(
                    connection, evaluation_id, owner=owner, at=now, cursor=cursor
                )
                if touched is None:
                    raise self._why_not_open(connection, evaluation_id)
                ready = settled(self._frozen(connection, touched.version_id), answer)
                stored = evaluations.put_answer(
                    connection,
                    evaluation_id,
                    ready,
                    id=self._new_id(),
                    revision=touched.revision,
                    at=now,
                    base_revision=base_revision,
                    flagged=flagged,
                )
                if stored:
                    return SaveReceipt(revision=touched.revision, saved_at=now)
                revision = self._meet(connection, evaluation_id, ready, touched.revision - 1, flagged)
                return SaveReceipt(revision=revision, saved_at=now)

        return self._once_more(save)

    def _meet(
        self, connection: Connection, evaluation_id: str, ready: Answer, before: int, flagged: bool | None
    ) -> int:
        """A newer answer is there: fine when it is the same one, else the conflict."""
        answers = access.draft_answers(connection, self.user, evaluation_id, include_empty=True)
        stored = next(
            (found for found in answers if found.answer.criterion_id == ready.criterion_id),
            DraftAnswer(answer=Answer(criterion_id=ready.criterion_id)),
        )
        if stored.answer == ready and flagged in (None, stored.is_flagged):
            return before + 1
        raise DraftConflictError(
            "This criterion was answered elsewhere since this form read it.",
            stored=stored,
            revision=before,
            remedy="Look at the stored answer, then keep it or answer again.",
        )

    def save_cursor(self, evaluation_id: str, key: str | None) -> None:
        """Remember where in the form the reviewer is (any short text). The draft's revision stays.

        Raises:
            DraftClosedError, NotFoundError: it is not an open draft of the user's own.
        """
        with self._write() as connection:
            if not evaluations.set_cursor(connection, evaluation_id, owner=self.user.id, place=key):
                raise self._why_not_open(connection, evaluation_id)

    def decline_draft(self, evaluation_id: str, reason: str) -> Evaluation:
        """Give a draft up: it becomes Withdrawn, with the reason, and so does its assignment.

        The reviewer declines her own; *administer_evaluations* releases anyone's.
        """
        why = self._reason(reason)
        with self._write() as connection:
            draft = self._own_draft(connection, evaluation_id)
            self._give_up(connection, draft, why)
            return self._evaluation(connection, evaluation_id, for_writing=True)

    def _give_up(self, connection: Connection, draft: Evaluation, reason: str) -> None:
        now = self._clock()
        evaluations.change_draft(
            connection,
            draft.id,
            {
                "status": EvaluationStatus.WITHDRAWN.value,
                "ended_at": now,
                "updated_at": now,
                "end_reason": reason,
            },
        )
        if draft.assignment_id is not None:
            own = draft.evaluator_user_id == self.user.id
            ending = AssignmentStatus.DECLINED if own else AssignmentStatus.RELEASED
            subjects.close_assignment(
                connection, draft.assignment_id, ending, at=now, by=self.user.name, reason=reason
            )

    def start_superseding(self, evaluation_id: str) -> Draft:
        """A draft that will replace the user's own Submitted evaluation, with its answers copied.

        It is of the same version, also when that was retired since. Resumes such a draft when one is open.

        Raises:
            SupersedeRefusedError: the evaluation is not Submitted, or another evaluator's.
        """
        with self._write() as connection:
            old = self._evaluation(connection, evaluation_id)
            by = Evaluator(old.evaluator_type, old.evaluator_name)
            work = self._work(
                connection,
                subject=old.subject_id,
                rubric=old.rubric_id,
                version=old.version_id,
                context=old.context_id,
                assignment=None,
            )
            open_one = self._open_one(connection, work, by)
            if open_one is not None:
                return self._resume(
                    connection, open_one, work, version=old.version_id, supersedes=evaluation_id
                )
            new_id = self._begin(connection, work, by, supersedes=evaluation_id)
            version = self._frozen(connection, old.version_id)
            answers = [
                Answer(
                    criterion_id=score.node_id,
                    scale_level_id=score.scale_level_id,
                    raw_value=score.raw_value,
                    is_not_applicable=score.is_not_applicable,
                    confidence=score.confidence,
                    rationale=score.rationale,
                    evidence=score.evidence,
                )
                for score in access.scores(connection, self.user, old.id)
            ]
            evaluations.put_answers(
                connection,
                new_id,
                [answer for answer in storable(version, answers) if says_something(answer)],
                revision=0,
                at=self._clock(),
                new_id=self._new_id,
            )
            return self._draft(connection, self._own_draft(connection, new_id))

    # -- beginning and finding -----------------------------------------------------------------------

    def _open_one(self, connection: Connection, work: Work, by: Evaluator) -> Evaluation | None:
        """The user's open draft of this work, if any."""
        return next(
            (found for found in self._own(connection, work, by) if found.status is EvaluationStatus.DRAFT),
            None,
        )

    def _last_submitted(self, connection: Connection, work: Work, by: Evaluator) -> Evaluation | None:
        """This evaluator's Submitted evaluation of this work on the same major, the latest if several."""
        own = [
            found
            for found in self._own(connection, work, by)
            if found.status is EvaluationStatus.SUBMITTED and found.major_version == work.version.major
        ]
        return max(own, key=lambda found: (found.submitted_at is not None, found.submitted_at), default=None)

    def _own(self, connection: Connection, work: Work, by: Evaluator) -> list[Evaluation]:
        found = access.evaluations(
            connection,
            self.user,
            evaluator_user_id=self.user.id,
            subject_id=work.subject.id,
            rubric_id=work.rubric_id,
            for_writing=True,
        )
        return [
            evaluation
            for evaluation in found
            if evaluation.context_id == work.context_id
            and evaluation.evaluator_type is by.type
            and evaluation.evaluator_name == by.name
        ]

    def _begin(
        self,
        connection: Connection,
        work: Work,
        by: Evaluator,
        *,
        supersedes: str | None,
        id: str | None = None,
        extra: dict[str, Any] | None = None,
    ) -> str:
        """A new Draft, after every rule about beginning; returns its id."""
        self._check_new(work, by, correcting=supersedes is not None)
        if supersedes is not None:
            self._check_supersedes(self._evaluation(connection, supersedes, for_writing=True), work, by)
        done = self._last_submitted(connection, work, by)
        if done is not None and done.id != supersedes:
            raise StateError(
                f'You have submitted "{work.subject.title or work.subject.record_id}" with '
                f'"{work.rubric_name}" {done.version_number} already.',
                remedy=f"Supersede or withdraw that evaluation ({done.id}).",
            )
        return self._insert(connection, work, by, supersedes=supersedes, id=id, extra=extra)

    def _insert(
        self,
        connection: Connection,
        work: Work,
        by: Evaluator,
        *,
        supersedes: str | None,
        id: str | None = None,
        extra: dict[str, Any] | None = None,
    ) -> str:
        now = self._clock()
        evaluation_id = id or self._new_id()
        version = work.version
        evaluations.add_draft(
            connection,
            {
                "id": evaluation_id,
                "rubric_id": work.rubric_id,
                "version_id": version.id,
                "major_version": version.major,
                "subject_id": work.subject.id,
                "context_id": work.context_id,
                "assignment_id": work.assignment_for(by.type),
                "evaluator_user_id": self.user.id,
                "evaluator_type": by.type.value,
                "evaluator_name": by.name,
                "subject_hash": work.subject.content_hash,
                "started_at": now,
                "updated_at": now,
                "supersedes_id": supersedes,
                **(extra or {}),
            },
        )
        return evaluation_id

    def _resume(
        self,
        connection: Connection,
        draft: Evaluation,
        work: Work,
        *,
        version: str | None,
        supersedes: str | None,
    ) -> Draft:
        if version is not None and draft.version_id != work.version.id:
            raise StateError(
                f'You have an open draft of this with "{draft.rubric_name}" {draft.version_number}.',
                remedy="Submit or decline it before you use another version.",
            )
        if supersedes is not None and draft.supersedes_id != supersedes:
            raise StateError(
                "You have an open draft of this that does not supersede that evaluation.",
                remedy="Submit or decline it first.",
            )
        changes: dict[str, Any] = {}
        if draft.subject_hash != work.subject.content_hash:
            changes["subject_hash"] = work.subject.content_hash
        asked = work.assignment_for(draft.evaluator_type)
        if draft.assignment_id is None and asked is not None:
            changes["assignment_id"] = asked
        if changes:
            evaluations.change_draft(connection, draft.id, changes)
        return self._draft(connection, draft)

    def _check_supersedes(self, old: Evaluation, work: Work, by: Evaluator) -> None:
        """Only the same evaluator, for the same subject, context and rubric, and only once."""
        refusal = None
        if old.status is not EvaluationStatus.SUBMITTED:
            refusal = f"it is {old.status.value}, not Submitted"
        elif old.evaluator_user_id != self.user.id:
            refusal = "it is another user's"
        elif old.evaluator_type is not by.type:
            refusal = f"it is of type {old.evaluator_type.value}, not {by.type.value}"
        elif old.evaluator_name != by.name:
            refusal = f'its evaluator is "{old.evaluator_name}", not "{by.name}"'
        elif old.subject_id != work.subject.id:
            refusal = "it is of another subject"
        elif old.context_id != work.context_id:
            refusal = "it is for another context"
        elif old.rubric_id != work.rubric_id:
            refusal = "it is with another rubric"
        if refusal is not None:
            raise SupersedeRefusedError(
                f"Evaluation {old.id} cannot be superseded by this one: {refusal}.",
                remedy="Only the same evaluator replaces a Submitted evaluation of the same work.",
            )

    def _draft(self, connection: Connection, evaluation: Evaluation) -> Draft:
        self._refuse_hidden(connection, evaluation.subject_id)
        (subject,) = self._shown(connection, self._find_subject(connection, evaluation.subject_id))
        return Draft(
            evaluation=evaluation,
            version=self._snapshot(connection, evaluation.version_id),
            subject=subject,
            context=self._optional_context(connection, evaluation.context_id),
            answers=access.draft_answers(connection, self.user, evaluation.id),
            cursor=access.draft_cursor(connection, self.user, evaluation.id),
        )

    def _evaluation(
        self, connection: Connection, evaluation_id: str, *, for_writing: bool = False
    ) -> Evaluation:
        found = access.evaluation(connection, self.user, evaluation_id, for_writing=for_writing)
        if found is None:
            raise NotFoundError(
                f"Evaluation {evaluation_id} is not found or not readable.", remedy="Check its id."
            )
        return found

    def _own_draft(self, connection: Connection, evaluation_id: str) -> Evaluation:
        """An open draft the user may write: her own, or anyone's for *administer_evaluations*."""
        found = self._evaluation(connection, evaluation_id, for_writing=True)
        if found.status is not EvaluationStatus.DRAFT:
            raise _closed(found)
        if found.evaluator_user_id != self.user.id and not self._holds(Role.ADMINISTER_EVALUATIONS):
            raise NotPermittedError(
                f"That draft is {found.evaluator_user_name}'s.", remedy="Score the subject in your own."
            )
        self._refuse_hidden(connection, found.subject_id)
        return found

    def _why_not_open(self, connection: Connection, evaluation_id: str) -> Exception:
        try:
            found = self._own_draft(connection, evaluation_id)
        except (NotFoundError, NotPermittedError, DraftClosedError) as error:
            return error
        return NotPermittedError(
            f"That draft is {found.evaluator_user_name}'s.", remedy="Act as that user to write it."
        )

    @staticmethod
    def _reason(reason: str) -> str:
        why = reason.strip()
        if not why:
            raise InvalidInputError("A reason is needed.", remedy="Say why in a few words.")
        return why


def says_something(answer: Answer) -> bool:
    """Whether an answer holds anything at all: an answer, a rationale, or evidence."""
    return answer.is_answered or bool((answer.rationale or "").strip()) or bool(answer.evidence)


def _closed(evaluation: Evaluation) -> DraftClosedError:
    return DraftClosedError(
        f"This evaluation is {evaluation.status.value} and no draft any more.",
        remedy="Start one that supersedes it."
        if evaluation.status is EvaluationStatus.SUBMITTED
        else "Open the subject again to begin a new one.",
    )
