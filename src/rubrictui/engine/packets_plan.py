"""What an import would do with each item of a return: decided here, carried out in ``packets_in``.

Three states of every answer are compared: as packet and store last agreed (the *base*), as the packet brings it, and
as the store has it. What only one side changed is taken or kept; what both changed differently is a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from rubrictui.core.errors import ScoringError
from rubrictui.core.model import VersionSnapshot, VersionStatus
from rubrictui.core.records import (
    Assignment,
    AssignmentStatus,
    Context,
    ContextStatus,
    Evaluation,
    EvaluationStatus,
    EvaluatorType,
    Subject,
)
from rubrictui.core.scoring import check_answer, compute, unknown_answers
from rubrictui.engine.checking import storable, submit_problems
from rubrictui.engine.packet_records import Reason, TakenItem, Took
from rubrictui.engine.packets import Packets, digests, packet_answers
from rubrictui.engine.work import Evaluator, Work
from rubrictui.interchange.packets import Declined, PacketAnswer, PacketEvaluation, digest
from rubrictui.interchange.packets_errors import PacketError
from rubrictui.store import access, packets, subjects
from rubrictui.store.packets import Export

Digests = dict[str, str]


class Step(NamedTuple):
    """One item of a return, decided. ``evaluation`` carries its answers as this store keeps them; ``write`` are
    the criteria that change in a draft that is here already (None: all of them)."""

    took: Took
    id: str
    subject: Subject
    evaluation: PacketEvaluation | None = None
    declined: Declined | None = None
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[str, ...] = ()
    write: frozenset[str] | None = None
    known: bool = False

    @property
    def digest(self) -> str:
        return digest(self.evaluation if self.evaluation is not None else self.declined)

    @property
    def item(self) -> TakenItem:
        return TakenItem(
            id=self.id,
            subject_id=self.subject.id,
            subject_title=self.subject.title,
            took=self.took,
            reasons=self.reasons,
            warnings=self.warnings,
        )


class Received(NamedTuple):
    """What every decision about one return looks at."""

    export: Export
    context: Context
    #: What became of each conflict listed before (None: it is open), by item and digest.
    known: dict[tuple[str, str], str | None]


class PacketPlans(Packets):
    """Deciding, as the reviewer whose answers they are; nothing is changed."""

    def _step(self, connection: Connection, one: PacketEvaluation, received: Received) -> Step:
        """What becomes of one evaluation.

        Raises:
            PacketError: it is not of what was sent, or carries the id of an evaluation that is not the reviewer's.
        """
        subject, version, one = self._checked(connection, one, received)
        decided = self._decide(connection, one, subject, version, received)
        return _settled_before(decided, received.known)

    def _checked(
        self, connection: Connection, one: PacketEvaluation, received: Received
    ) -> tuple[Subject, VersionSnapshot, PacketEvaluation]:
        sent = received.export.sent
        seen = sent["subjects"].get(one.subject_id)
        graded = sent["versions"].get(one.version_id)
        if seen is None or graded is None:
            raise _forged(f"evaluation {one.id} is of a subject or version that was not sent")
        if one.version_hash != graded["content"]:
            raise _forged(f"evaluation {one.id} was given with another text of the rubric than was sent")
        if one.subject_hash != seen["sent"]:
            raise _forged(f"evaluation {one.id} was given for another content of the subject than was sent")
        subject = self._find_subject(connection, one.subject_id)
        version = self._frozen(connection, one.version_id)
        answers = tuple(answer.answer for answer in one.answers)
        unknown = unknown_answers(version, answers)
        if unknown:
            raise _forged(f"evaluation {one.id}: {unknown[0]}")
        asked = sent["assignments"].get(one.assignment_id) == one.subject_id
        flagged = {answer.answer.criterion_id: answer.is_flagged for answer in one.answers}
        ready = tuple(
            PacketAnswer(answer=answer, is_flagged=flagged.get(answer.criterion_id, False))
            for answer in storable(version, answers)
        )
        checked = msgspec.structs.replace(
            one, answers=ready, assignment_id=one.assignment_id if asked else None
        )
        return subject, version, checked

    def _decide(
        self,
        connection: Connection,
        one: PacketEvaluation,
        subject: Subject,
        version: VersionSnapshot,
        received: Received,
    ) -> Step:
        stored = self._stored(connection, one, received.context)
        step = Step(Took.UNCHANGED, one.id, subject, one)
        ours = digests(one.answers)
        base = received.export.bases.get(one.id, {})
        if stored is None:
            if one.status is EvaluationStatus.WITHDRAWN or (one.is_empty and one.status is _DRAFT):
                return step  # it never came here, or says nothing yet
            theirs: Digests = {}
        else:
            theirs = digests(packet_answers(access.draft_answers(connection, self.user, stored.id)))
        there = None if stored is None else stored.status
        if there is not None and there is not _DRAFT:
            return self._against_ended(step, one, there, ours=ours, base=base, theirs=theirs, stored=stored)
        changed_there = {key for key in {*base, *theirs} if base.get(key) != theirs.get(key)}
        if one.status is EvaluationStatus.WITHDRAWN:
            if changed_there:
                return step._replace(took=Took.CONFLICT, reasons=(_edited(version, changed_there),))
            return step._replace(took=Took.WITHDRAWN)
        reasons: list[Reason] = []
        write: frozenset[str] | None = None
        if one.status is _DRAFT:
            changed_here = {key for key in {*base, *ours} if base.get(key) != ours.get(key)}
            write = frozenset(key for key in changed_here if ours.get(key) != theirs.get(key))
            if stored is not None and not write:
                return step
            clash = write & changed_there
            took = Took.MERGED if changed_there else Took.DRAFT
        else:
            clash = frozenset(key for key in changed_there if ours.get(key) != theirs.get(key))
            took = Took.SUBMITTED
        if clash:
            reasons.append(_edited(version, clash))
        reasons += self._obstacles(
            connection, one, stored, subject=subject, version=version, received=received
        )
        warnings = _warnings(one, version) if took is Took.SUBMITTED else ()
        if reasons:
            return step._replace(took=Took.CONFLICT, reasons=tuple(reasons), write=write, warnings=warnings)
        return step._replace(took=took, write=write, warnings=warnings)

    def _stored(self, connection: Connection, one: PacketEvaluation, context: Context) -> Evaluation | None:
        found = access.evaluation(connection, self.user, one.id, for_writing=True)
        if found is None:
            if packets.is_taken(connection, one.id):
                raise _forged(f"evaluation {one.id} is another evaluator's")
            return None
        same = (
            found.evaluator_user_id == self.user.id
            and found.subject_id == one.subject_id
            and found.version_id == one.version_id
            and found.context_id == context.id
            and found.evaluator_type is one.evaluator_type
        )
        if not same:
            raise _forged(f"evaluation {one.id} is of other work")
        return found

    @staticmethod
    def _against_ended(
        step: Step,
        one: PacketEvaluation,
        there: EvaluationStatus,
        *,
        ours: Digests,
        base: Digests,
        theirs: Digests,
        stored: Evaluation | None,
    ) -> Step:
        """The store has it as Submitted, Superseded, Withdrawn or Failed."""
        assert stored is not None
        was_submitted = stored.submitted_at is not None
        if one.status is EvaluationStatus.WITHDRAWN:
            if there is not EvaluationStatus.SUBMITTED:
                return step
            if one.submitted_at is not None:
                return step._replace(took=Took.WITHDRAWN)
        elif (ours == theirs and (was_submitted or one.status is _DRAFT)) or (
            one.status is _DRAFT and ours == base
        ):
            return step
        if was_submitted and there is not EvaluationStatus.WITHDRAWN:
            reason = Reason(
                kind="already_submitted", message=f"It was submitted here, and is {there.value} now."
            )
        else:
            reason = Reason(kind="ended", message=f"It is {there.value} here.")
        return step._replace(took=Took.CONFLICT, reasons=(reason,))

    def _obstacles(
        self,
        connection: Connection,
        one: PacketEvaluation,
        stored: Evaluation | None,
        *,
        subject: Subject,
        version: VersionSnapshot,
        received: Received,
    ) -> list[Reason]:
        reasons: list[Reason] = []
        work = self._work_of(connection, one, received.context)
        by = Evaluator(one.evaluator_type, None)
        if stored is None:
            other = self._open_one(connection, work, by)
            if other is not None:
                reasons.append(
                    Reason(kind="other_draft", message=f"Another draft of it is open here ({other.id}).")
                )
        last = self._last_submitted(connection, work, by)
        allowed = set(one.replaces)
        if stored is not None and stored.supersedes_id is not None:
            allowed.add(stored.supersedes_id)
        if last is not None and last.id != one.id and last.id not in allowed:
            reasons.append(
                Reason(kind="already_submitted", message=f"It was submitted here otherwise ({last.id}).")
            )
        ended = self._ended_assignment(connection, one)
        if ended is not None:
            reasons.append(
                Reason(kind="assignment_ended", message=f"The assignment is {ended.status.value} here.")
            )
        if work.version.status is VersionStatus.RETIRED:
            what = f'Version {work.version.number} of "{work.rubric_name}" was retired.'
            reasons.append(Reason(kind="version_retired", message=what))
        if subject.content_hash != received.export.sent["subjects"][subject.id]["had"]:
            reasons.append(
                Reason(kind="subject_changed", message="The subject has changed since the packet was made.")
            )
        if received.context.status is ContextStatus.CLOSED:
            reasons.append(Reason(kind="round_closed", message="The round was closed."))
        if one.evaluator_type is EvaluatorType.SELF and not received.context.self_allowed:
            reasons.append(Reason(kind="cannot_submit", message="The round takes no self-assessments."))
        reasons += _faults(one, subject, version)
        return reasons

    def _work_of(self, connection: Connection, one: PacketEvaluation, context: Context) -> Work:
        return self._work(
            connection,
            subject=one.subject_id,
            rubric=None,
            version=one.version_id,
            context=context.id,
            assignment=None,
        )

    def _ended_assignment(self, connection: Connection, one: PacketEvaluation) -> Assignment | None:
        if one.assignment_id is None:
            return None
        found = subjects.find_assignment(connection, one.assignment_id)
        ended = (AssignmentStatus.RELEASED, AssignmentStatus.DECLINED)
        return found if found is not None and found.status in ended else None

    def _decline_step(self, connection: Connection, one: Declined, received: Received) -> Step:
        """What becomes of an assignment that was given back."""
        if received.export.sent["assignments"].get(one.assignment_id) != one.subject_id:
            raise _forged(f"assignment {one.assignment_id} was not sent")
        if not one.reason.strip():
            raise _forged(f"assignment {one.assignment_id} was declined without a reason")
        subject = self._find_subject(connection, one.subject_id)
        step = Step(Took.UNCHANGED, one.assignment_id, subject, declined=one)
        found = subjects.find_assignment(connection, one.assignment_id)
        if found is None or found.status in (AssignmentStatus.DECLINED, AssignmentStatus.RELEASED):
            return _settled_before(step, received.known)
        if found.status is AssignmentStatus.DONE:
            reason = Reason(kind="already_submitted", message="She declined it there, and submitted it here.")
            return _settled_before(step._replace(took=Took.CONFLICT, reasons=(reason,)), received.known)
        for draft in self._drafts_for(connection, found):
            theirs = digests(packet_answers(access.draft_answers(connection, self.user, draft.id)))
            if theirs != received.export.bases.get(draft.id, {}):
                reason = Reason(kind="draft_edited", message="Her draft of it was changed here.")
                return _settled_before(step._replace(took=Took.CONFLICT, reasons=(reason,)), received.known)
        return step._replace(took=Took.DECLINED)

    def _drafts_for(self, connection: Connection, assignment: Assignment) -> Sequence[Evaluation]:
        own = access.evaluations(
            connection,
            self.user,
            evaluator_user_id=self.user.id,
            subject_id=assignment.subject_id,
            status=EvaluationStatus.DRAFT,
            for_writing=True,
        )
        return [one for one in own if one.assignment_id == assignment.id]


_DRAFT = EvaluationStatus.DRAFT


def _settled_before(step: Step, known: dict[tuple[str, str], str | None]) -> Step:
    """The same item, when it was listed before: still open, or settled and done with."""
    key = (step.id, step.digest)
    if key not in known:
        return step
    if known[key] is None:
        return step._replace(took=Took.CONFLICT, known=True) if step.reasons else step
    return step._replace(took=Took.UNCHANGED, reasons=(), warnings=())


def _edited(version: VersionSnapshot, criteria: Iterable[str]) -> Reason:
    wanted = set(criteria)
    keys = [node.key for node in version.nodes if node.id in wanted]
    more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
    return Reason(
        kind="draft_edited", message=f"The same draft was changed here: {', '.join(keys[:3])}{more}."
    )


def _faults(one: PacketEvaluation, subject: Subject, version: VersionSnapshot) -> list[Reason]:
    answers = tuple(answer.answer for answer in one.answers)
    if one.status is EvaluationStatus.SUBMITTED:
        problems = submit_problems(version, subject, answers)
        return [Reason(kind="cannot_submit", message=found.message) for found in problems[:1]]
    for answer in answers:
        try:
            check_answer(version, answer)
        except ScoringError as error:
            return [Reason(kind="cannot_submit", message=str(error))]
    return []


def _warnings(one: PacketEvaluation, version: VersionSnapshot) -> tuple[str, ...]:
    try:
        result = compute(version, [answer.answer for answer in one.answers])
    except ScoringError:
        return ()
    if result.normalized_score == one.normalized_score:
        return ()
    return ("The packet names another score than its answers give; the answers count.",)


def _forged(what: str) -> PacketError:
    return PacketError(
        f"The packet was refused: {what}.", remedy="Nothing of it was taken. Ask for a new return."
    )
