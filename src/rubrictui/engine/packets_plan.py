"""What an import would do with each item of a return: decided here, carried out in ``packets_in``.

Three states of every answer are compared: as packet and store last agreed (the *base*), as the packet brings it, and
as the store has it. What only one side changed is taken or kept; what both changed differently is a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from rubrictui.core.errors import ScoringError
from rubrictui.core.model import VersionSnapshot, VersionStatus
from rubrictui.core.records import (
    AssignmentStatus,
    ContextStatus,
    Evaluation,
    EvaluationStatus,
    EvaluatorType,
    Subject,
)
from rubrictui.core.scoring import check_answer, compute, unknown_answers
from rubrictui.engine.checking import storable, submit_problems
from rubrictui.engine.packet_records import Reason, TakenItem, Took
from rubrictui.engine.packets import digests, packet_answers
from rubrictui.engine.packets_away import PacketsAway
from rubrictui.engine.packets_desk import Desk
from rubrictui.interchange.packets import Declined, PacketAnswer, PacketEvaluation, digest
from rubrictui.interchange.packets_errors import PacketError

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
        thing = self.evaluation or self.declined
        assert thing is not None
        return digest(thing)

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


class PacketPlans(PacketsAway):
    """Deciding, as the reviewer whose answers they are; nothing is changed."""

    def _step(self, connection: Connection, one: PacketEvaluation, desk: Desk) -> Step:
        """What becomes of one evaluation.

        Raises:
            PacketError: it is not of what was sent, or carries the id of an evaluation that is not the reviewer's.
        """
        version, one = self._checked(connection, one, desk)
        decided = self._decide(connection, one, version, desk)
        return _settled_before(decided, desk.known)

    def _checked(
        self, connection: Connection, one: PacketEvaluation, desk: Desk
    ) -> tuple[VersionSnapshot, PacketEvaluation]:
        sent = desk.export.sent
        seen = sent["subjects"].get(one.subject_id)
        graded = sent["versions"].get(one.version_id)
        if seen is None or graded is None:
            raise _forged(f"evaluation {one.id} is of a subject or version that was not sent")
        if one.version_hash != graded["content"]:
            raise _forged(f"evaluation {one.id} was given with another text of the rubric than was sent")
        if one.subject_hash != seen["sent"]:
            raise _forged(f"evaluation {one.id} was given for another content of the subject than was sent")
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
        return version, checked

    def _decide(
        self,
        connection: Connection,
        one: PacketEvaluation,
        version: VersionSnapshot,
        desk: Desk,
    ) -> Step:
        stored = _stored(one, desk)
        step = Step(Took.UNCHANGED, one.id, desk.subjects[one.subject_id], one)
        ours = digests(one.answers)
        base = desk.export.bases.get(one.id, {})
        if stored is None:
            if one.status is EvaluationStatus.WITHDRAWN or (one.is_empty and one.status is _DRAFT):
                return step  # it never came here, or says nothing yet
            theirs: Digests = {}
        else:
            theirs = digests(packet_answers(desk.answers.get(stored.id, ())))
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
        reasons += _obstacles(one, stored, version, desk)
        warnings = _warnings(one, version) if took is Took.SUBMITTED else ()
        if reasons:
            return step._replace(took=Took.CONFLICT, reasons=tuple(reasons), write=write, warnings=warnings)
        return step._replace(took=took, write=write, warnings=warnings)

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

    def _decline_step(self, one: Declined, desk: Desk, connection: Connection) -> Step:
        """What becomes of an assignment that was given back."""
        if desk.export.sent["assignments"].get(one.assignment_id) != one.subject_id:
            raise _forged(f"assignment {one.assignment_id} was not sent")
        if not one.reason.strip():
            raise _forged(f"assignment {one.assignment_id} was declined without a reason")
        step = Step(Took.UNCHANGED, one.assignment_id, desk.subjects[one.subject_id], declined=one)
        found = desk.assignments.get(one.assignment_id)
        if found is None or found.status in (AssignmentStatus.DECLINED, AssignmentStatus.RELEASED):
            return _settled_before(step, desk.known)
        if found.status is AssignmentStatus.DONE:
            reason = Reason(kind="already_submitted", message="She declined it there, and submitted it here.")
            return _settled_before(step._replace(took=Took.CONFLICT, reasons=(reason,)), desk.known)
        for draft in desk.by_subject(one.subject_id):
            if draft.assignment_id != found.id or draft.status is not _DRAFT:
                continue
            theirs = digests(packet_answers(desk.answers.get(draft.id, ())))
            if theirs != desk.export.bases.get(draft.id, {}):
                reason = Reason(kind="draft_edited", message="Her draft of it was changed here.")
                return _settled_before(step._replace(took=Took.CONFLICT, reasons=(reason,)), desk.known)
        return step._replace(took=Took.DECLINED)


_DRAFT = EvaluationStatus.DRAFT


def _stored(one: PacketEvaluation, desk: Desk) -> Evaluation | None:
    """The store's evaluation of the same id. It must be hers, and of the same work."""
    found = desk.own.get(one.id)
    if found is None:
        if one.id in desk.taken:
            raise _forged(f"evaluation {one.id} is another evaluator's, or of other work")
        return None
    same = (
        found.subject_id == one.subject_id
        and found.version_id == one.version_id
        and found.evaluator_type is one.evaluator_type
    )
    if not same:
        raise _forged(f"evaluation {one.id} is of other work")
    return found


def _obstacles(
    one: PacketEvaluation, stored: Evaluation | None, version: VersionSnapshot, desk: Desk
) -> list[Reason]:
    """Why this may not be taken as it is, but for answers that both sides changed."""
    reasons: list[Reason] = []
    head, subject = desk.heads[one.version_id], desk.subjects[one.subject_id]
    other = desk.open_one(one) if stored is None else None
    if other is not None:
        reasons.append(Reason(kind="other_draft", message=f"Another draft of it is open here ({other.id})."))
    last = desk.last_submitted(one)
    allowed = {*one.replaces, one.id, stored.supersedes_id if stored is not None else None}
    if last is not None and last.id not in allowed:
        reasons.append(
            Reason(kind="already_submitted", message=f"It was submitted here otherwise ({last.id}).")
        )
    asked = desk.assignments.get(one.assignment_id or "")
    if asked is not None and asked.status in (AssignmentStatus.RELEASED, AssignmentStatus.DECLINED):
        reasons.append(
            Reason(kind="assignment_ended", message=f"The assignment is {asked.status.value} here.")
        )
    if head.status is VersionStatus.RETIRED:
        what = f'Version {head.number} of "{head.rubric_name}" was retired.'
        reasons.append(Reason(kind="version_retired", message=what))
    if subject.content_hash != desk.export.sent["subjects"][subject.id]["had"]:
        reasons.append(
            Reason(kind="subject_changed", message="The subject has changed since the packet was made.")
        )
    if desk.context.status is ContextStatus.CLOSED:
        reasons.append(Reason(kind="round_closed", message="The round was closed."))
    if one.evaluator_type is EvaluatorType.SELF and not desk.context.self_allowed:
        reasons.append(Reason(kind="cannot_submit", message="The round takes no self-assessments."))
    return reasons + _faults(one, subject, version)


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
