"""Packets back in: a return checked, scored anew and stored, in one transaction; and what it leaves to be settled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection

from rubrictui.core import canonical
from rubrictui.core.model import Answer, VersionSnapshot
from rubrictui.core.records import (
    AssignmentStatus,
    Evaluation,
    EvaluationStatus,
    Role,
)
from rubrictui.engine.errors import NotFoundError, StateError
from rubrictui.engine.packet_records import AnswerPair, PacketConflict, PacketReport, Reason, Took
from rubrictui.engine.packets import digests, packet_answers
from rubrictui.engine.packets_plan import PacketPlans, Received, Step
from rubrictui.engine.work import Evaluator
from rubrictui.interchange.packets import Declined, Packet, PacketAnswer, PacketEvaluation
from rubrictui.interchange.packets_errors import PacketError
from rubrictui.store import access, access_rules, evaluations, packets, rounds, subjects, upkeep
from rubrictui.store.packets import Export, StoredConflict

Take = Literal["packet", "store"]
#: Submissions come before drafts that replace them, and withdrawals last.
_ORDER = {
    EvaluationStatus.SUBMITTED: 0,
    EvaluationStatus.DRAFT: 1,
    EvaluationStatus.WITHDRAWN: 2,
}


class PacketsIn(PacketPlans):
    """Taking returns in. The evaluator is the one in the export's record, whatever the file says."""

    def import_packet(self, packet: Packet, *, dry_run: bool = False) -> PacketReport:
        """Take a return in: store what can be stored, list what cannot; all in one transaction.

        Every score is computed here. Evaluations merge by their id, so the same file twice is the same as once.
        What the store may not take by itself becomes a conflict and changes nothing until it is settled.

        Args:
            packet: as ``interchange.packets.read_packet`` gives it.
            dry_run: change nothing, only tell.

        Raises:
            PacketError: it is no return, of another store, unsigned where the packet was signed, or not about what
                was sent. Nothing is stored.
            NotPermittedError: it is another's, and the user is neither chair nor administrator.
        """
        if dry_run:
            with self._read() as connection:
                return self._take_in(connection, packet, dry_run=True)
        with self._write() as connection:
            return self._take_in(connection, packet, dry_run=False)

    def _take_in(self, connection: Connection, packet: Packet, *, dry_run: bool) -> PacketReport:
        export = self._export_of(connection, packet)
        reviewer = self._find_user(connection, export.user_id)
        if reviewer.id != self.user.id:
            self._require(
                Role.CHAIR, Role.ADMINISTER_EVALUATIONS, doing="take in the packets of other reviewers"
            )
        context = self._find_context(connection, export.context_id)
        self._check_versions(connection, export)
        # What the user may be told follows from her own work as it stands before anything comes in.
        veiled = self._veiled(connection, export)
        who = self._acting_as(reviewer)
        received = Received(export, context, packets.known_conflicts(connection, export.id))
        steps = who._steps(connection, packet, received)
        if not dry_run:
            for step in steps:
                who._carry_out_step(connection, step, received, by=self.user.name)
            bases = dict(export.bases)
            bases.update(_agreed(steps))
            packets.set_taken(connection, export.id, bases, at=self._clock(), by=self.user.name)
        warnings: tuple[str, ...] = ()
        if packet.manifest.reviewer.name != reviewer.name:
            warnings = (f"The file names another reviewer; it was made for {reviewer.name}.",)
        return PacketReport(
            packet_id=export.id,
            round_name=context.name,
            reviewer=reviewer.name,
            dry_run=dry_run,
            items=tuple(step.item for step in steps if step.subject.id not in veiled),
            hidden=len(veiled),
            warnings=warnings,
        )

    def _export_of(self, connection: Connection, packet: Packet) -> Export:
        manifest = packet.manifest
        if manifest.kind != "return":
            raise PacketError(
                "This is the packet itself, not what came back of it.",
                remedy="Have the reviewer make a return: rubrictui packet return FILE.",
            )
        if manifest.store_id != upkeep.facts(connection).get("store_id"):
            raise PacketError(
                "This packet is of another store.", remedy="Name the store it was exported from with --db."
            )
        export = packets.find_export(connection, manifest.packet_id)
        if export is None:
            raise PacketError(
                f"This store has no record of packet {manifest.packet_id}.",
                remedy="Only what was exported from here can come back.",
            )
        if export.is_signed and manifest.signature is None:
            raise PacketError(
                "The packet was signed, and this return is not.", remedy="Have the reviewer return it signed."
            )
        return export

    def _check_versions(self, connection: Connection, export: Export) -> None:
        for version_id, sent in export.sent["versions"].items():
            version = self._frozen(connection, version_id)
            if canonical.scoring_hash(version) != sent["scoring"]:
                raise PacketError(
                    f'Version {version.number} of "{version.rubric_name}" is not what was sent.',
                    remedy="Run rubrictui db check: a published version never changes.",
                )

    def _veiled(self, connection: Connection, export: Export) -> frozenset[str]:
        """The subjects of the round about which the user may not be told what came."""
        if export.user_id == self.user.id:
            return access_rules.hidden_from_login(connection, self.user)
        blind = access.blind_subjects(connection, self.user)
        return blind.intersection(rounds.subject_ids(connection, export.context_id))

    def _steps(self, connection: Connection, packet: Packet, received: Received) -> list[Step]:
        steps = [self._decline_step(connection, one, received) for one in packet.declined]
        ordered = sorted(packet.evaluations, key=lambda one: _ORDER[one.status])
        return [*steps, *(self._step(connection, one, received) for one in ordered)]

    # -- carrying out --------------------------------------------------------------------------------

    def _carry_out_step(self, connection: Connection, step: Step, received: Received, *, by: str) -> None:
        """Store one item, as the reviewer; ``by`` is the login of who takes the packet in."""
        export = received.export
        if step.took is Took.UNCHANGED or step.known:
            return
        packets.end_conflicts(connection, export.id, step.id, taken="newer", at=self._clock(), by=by)
        if step.took is Took.CONFLICT:
            packets.add_conflict(
                connection,
                {
                    "id": self._new_id(),
                    "export_id": export.id,
                    "subject_id": step.subject.id,
                    "item_id": step.id,
                    "digest": step.digest,
                    "reasons": msgspec.to_builtins(step.reasons),
                    "returned": msgspec.to_builtins(step.evaluation or step.declined),
                    "found_at": self._clock(),
                    "found_by": by,
                },
            )
        elif step.declined is not None:
            self._give_back(connection, step.declined)
        elif step.evaluation is not None:
            self._store_returned(connection, step.evaluation, received, write=step.write)

    def _give_back(self, connection: Connection, declined: Declined) -> None:
        found = subjects.find_assignment(connection, declined.assignment_id)
        if found is not None and found.status is AssignmentStatus.OPEN:
            self._end_assignment(connection, found, AssignmentStatus.DECLINED, self._reason(declined.reason))

    def _store_returned(
        self,
        connection: Connection,
        one: PacketEvaluation,
        received: Received,
        *,
        write: Iterable[str] | None = None,
        id: str | None = None,
        replacing: str | None = None,
    ) -> str:
        """Bring an evaluation to what the packet says; returns its id.

        Args:
            write: only these criteria; None is all of them.
            id: of a new evaluation, when the packet's is taken.
            replacing: the evaluation that it supersedes, in place of what the packet says.
        """
        stored = access.evaluation(connection, self.user, id or one.id, for_writing=True)
        version = self._frozen(connection, one.version_id)
        if one.status is EvaluationStatus.WITHDRAWN:
            self._withdraw_returned(connection, one, stored)
            return one.id
        if stored is None:
            evaluation_id = self._begin_returned(connection, one, received, id=id, replacing=replacing)
            self._put_fresh(connection, evaluation_id, version, one.answers)
        else:
            evaluation_id = stored.id
            self._put_over(connection, stored, one, write)
        self._stamp(connection, evaluation_id, one, received, stored)
        if one.status is EvaluationStatus.SUBMITTED:
            draft = self._own_draft(connection, evaluation_id)
            subject = self._find_subject(connection, one.subject_id)
            answers = self._draft_answers(connection, draft)
            self._refuse(version, subject, answers)
            self._finish(connection, draft, version, answers, pass_threshold=None)
        return evaluation_id

    def _begin_returned(
        self,
        connection: Connection,
        one: PacketEvaluation,
        received: Received,
        *,
        id: str | None,
        replacing: str | None,
    ) -> str:
        work = self._work_of(connection, one, received.context)
        by = Evaluator(one.evaluator_type, None)
        if replacing is None:
            last = self._last_submitted(connection, work, by)
            replacing = last.id if last is not None and last.id in one.replaces else None
        return self._insert(connection, work, by, supersedes=replacing, id=id or one.id)

    def _put_over(
        self,
        connection: Connection,
        stored: Evaluation,
        one: PacketEvaluation,
        write: Iterable[str] | None,
    ) -> None:
        """Write answers over those of an open draft: ``write``, or all that differ, those taken back included."""
        now = self._clock()
        before = digests(packet_answers(access.draft_answers(connection, self.user, stored.id)))
        ours, given = digests(one.answers), {answer.answer.criterion_id: answer for answer in one.answers}
        wanted = {*before, *ours} if write is None else set(write)
        touched = evaluations.touch_draft(
            connection, stored.id, owner=self.user.id, at=now, cursor=one.cursor
        )
        if touched is None:
            raise StateError(f"Evaluation {stored.id} is no open draft any more.", remedy="Import it again.")
        for criterion_id in sorted(key for key in wanted if before.get(key) != ours.get(key)):
            answer = given.get(criterion_id) or PacketAnswer(answer=Answer(criterion_id=criterion_id))
            evaluations.put_answer(
                connection,
                stored.id,
                answer.answer,
                id=self._new_id(),
                revision=touched.revision,
                at=now,
                flagged=answer.is_flagged,
            )

    def _stamp(
        self,
        connection: Connection,
        evaluation_id: str,
        one: PacketEvaluation,
        received: Received,
        stored: Evaluation | None,
    ) -> None:
        """The content the reviewer had before her, and where the evaluation came from."""
        export = received.export
        came: dict[str, Any] = {"id": export.id}
        if one.submitted_at is not None:
            came["submitted_at"] = one.submitted_at.isoformat()
        kept = stored.metadata if stored is not None and stored.metadata else {}
        values: dict[str, Any] = {
            "subject_hash": export.sent["subjects"][one.subject_id]["had"],
            "metadata": {**kept, "packet": came},
        }
        if stored is None and one.cursor is not None:
            values["cursor"] = one.cursor
        evaluations.change_draft(connection, evaluation_id, values)

    def _withdraw_returned(
        self, connection: Connection, one: PacketEvaluation, stored: Evaluation | None
    ) -> None:
        reason = (one.reason or "").strip() or "Withdrawn in the packet."
        if stored is None:
            return
        if stored.status is EvaluationStatus.DRAFT:
            self._give_up(connection, stored, reason)
        elif stored.status is EvaluationStatus.SUBMITTED:
            evaluations.end_submitted(
                connection, stored.id, EvaluationStatus.WITHDRAWN, at=self._clock(), reason=reason
            )

    # -- conflicts -----------------------------------------------------------------------------------

    def packet_conflicts(
        self, *, round: str | None = None, include_settled: bool = False
    ) -> tuple[PacketConflict, ...]:
        """What packets brought back that is to be settled, the oldest first.

        A reviewer sees those of her own packets; a chair all, but for subjects on which she is blind.
        """
        with self._read() as connection:
            context_id = self._find_round_context(connection, round).id if round is not None else None
            found = packets.conflicts(
                connection, self.user, context_id=context_id, include_settled=include_settled
            )
            return tuple(self._conflict(connection, one) for one in found)

    def settle_packet_conflict(self, conflict_id: str, take: Take) -> PacketConflict:
        """Settle a conflict: ``packet`` stores what came back, ``store`` leaves the store as it is.

        Neither side is lost: what gives way stays in the record of the conflict, or as the Superseded or Withdrawn
        evaluation that it was.

        Raises:
            NotFoundError: there is no such conflict that the user may see.
            NotPermittedError: the user is neither chair nor administrator.
            StateError: it is settled already, or the round is closed.
            SubmitRefusedError: what came back cannot be submitted here.
        """
        self._require(Role.CHAIR, Role.ADMINISTER_EVALUATIONS, doing="settle what packets brought back")
        with self._write() as connection:
            found = packets.conflicts(
                connection, self.user, conflict_id=conflict_id.strip(), include_settled=True
            )
            if not found:
                raise NotFoundError(
                    f"Conflict {conflict_id} is not found or not readable.",
                    remedy="rubrictui packet conflicts lists them.",
                )
            conflict = found[0]
            if conflict.taken is not None:
                raise StateError(
                    f"That conflict is settled ({conflict.taken}).", remedy="Nothing is left to do."
                )
            self._settle(connection, conflict, take)
            settled = packets.conflicts(connection, self.user, conflict_id=conflict.id, include_settled=True)
            return self._conflict(connection, settled[0] if settled else conflict)

    def _settle(self, connection: Connection, conflict: StoredConflict, take: Take) -> None:
        export = packets.find_export(connection, conflict.export_id)
        assert export is not None
        context = self._find_context(connection, export.context_id)
        received = Received(export, context, {})
        who = self._acting_as(self._find_user(connection, export.user_id))
        came = packets.returned(connection, conflict.id)
        is_decline = "assignment_id" in came and "answers" not in came
        replaced: Any = None
        bases = dict(export.bases)
        if not is_decline:
            one = msgspec.convert(came, PacketEvaluation)
            bases[one.id] = digests(one.answers)
            if take == "packet":
                replaced = who._force(connection, one, received)
        elif take == "packet":
            who._force_decline(connection, msgspec.convert(came, Declined))
        packets.set_bases(connection, export.id, bases)
        now = self._clock()
        packets.end_conflicts(
            connection,
            export.id,
            conflict.item_id,
            taken=take,
            at=now,
            by=self.user.name,
            replaced=replaced,
        )
        rounds.log(
            connection,
            context.id,
            "packet_conflict_settled",
            at=now,
            by=self.user.name,
            id=self._new_id(),
            details={"conflict": conflict.id, "take": take},
        )

    def _force(self, connection: Connection, one: PacketEvaluation, received: Received) -> Any:
        """Store what came back, whatever stood against it; returns the answers that it replaces."""
        stored = access.evaluation(connection, self.user, one.id, for_writing=True)
        if one.status is EvaluationStatus.WITHDRAWN:
            self._store_returned(connection, one, received)
            return None
        if stored is not None and stored.status is EvaluationStatus.DRAFT:
            answers = packet_answers(access.draft_answers(connection, self.user, stored.id))
            self._store_returned(connection, one, received)
            return msgspec.to_builtins(answers)
        work = self._work_of(connection, one, received.context)
        by = Evaluator(one.evaluator_type, None)
        other = self._open_one(connection, work, by)
        if other is not None:
            now = self._clock()
            values = {
                "status": EvaluationStatus.WITHDRAWN.value,
                "ended_at": now,
                "updated_at": now,
                "end_reason": f"Replaced by what packet {received.export.id} brought back.",
            }
            evaluations.change_draft(connection, other.id, values)
        last = self._last_submitted(connection, work, by)
        self._store_returned(
            connection,
            one,
            received,
            id=one.id if stored is None else self._new_id(),
            replacing=last.id if last is not None else None,
        )
        return None

    def _force_decline(self, connection: Connection, declined: Declined) -> None:
        found = subjects.find_assignment(connection, declined.assignment_id)
        if found is None:
            return
        if found.status is AssignmentStatus.OPEN:
            self._give_back(connection, declined)
            return
        for one in access.evaluations(
            connection,
            self.user,
            evaluator_user_id=self.user.id,
            subject_id=found.subject_id,
            status=EvaluationStatus.SUBMITTED,
            for_writing=True,
        ):
            if one.assignment_id == found.id:
                evaluations.end_submitted(
                    connection,
                    one.id,
                    EvaluationStatus.WITHDRAWN,
                    at=self._clock(),
                    reason=self._reason(declined.reason),
                )

    def _conflict(self, connection: Connection, found: StoredConflict) -> PacketConflict:
        came = found.returned
        status: str | None = None
        pairs: tuple[AnswerPair, ...] = ()
        if came is not None and "answers" in came:
            one = msgspec.convert(came, PacketEvaluation)
            status = one.status.value
            pairs = self._answer_pairs(connection, one)
        elif came is not None:
            status = AssignmentStatus.DECLINED.value
        return PacketConflict(
            id=found.id,
            packet_id=found.export_id,
            round_name=self._find_context(connection, found.context_id).name,
            reviewer=found.user_name,
            subject_id=found.subject_id,
            subject_title=found.subject_title,
            reasons=tuple(msgspec.convert(reason, Reason) for reason in found.reasons),
            returned=status,
            differences=pairs,
            found_at=found.found_at,
            found_by=found.found_by,
            settled_at=found.settled_at,
            settled_by=found.settled_by,
            taken=found.taken,
        )

    def _answer_pairs(self, connection: Connection, one: PacketEvaluation) -> tuple[AnswerPair, ...]:
        """Where the packet and this store's evaluation of the same id differ, as far as the user may read it."""
        version: VersionSnapshot = self._frozen(connection, one.version_id)
        stored = access.draft_answers(connection, self.user, one.id)
        theirs = {answer.answer.criterion_id: answer.answer for answer in stored}
        ours = {answer.answer.criterion_id: answer.answer for answer in one.answers}
        labels = {level.id: level.label for scale in version.scales for level in scale.levels}

        def label(answer: Answer | None) -> str | None:
            return labels.get(answer.scale_level_id or "") if answer is not None else None

        return tuple(
            AnswerPair(
                criterion_key=node.key,
                packet=ours.get(node.id),
                store=theirs.get(node.id),
                packet_level=label(ours.get(node.id)),
                store_level=label(theirs.get(node.id)),
            )
            for node in version.nodes
            if node.is_criterion and ours.get(node.id) != theirs.get(node.id)
        )


def _agreed(steps: Iterable[Step]) -> dict[str, dict[str, str]]:
    """What packet and store agree on from now: what was taken. A conflict is not agreed on until it is settled."""
    return {
        step.evaluation.id: digests(step.evaluation.answers)
        for step in steps
        if step.evaluation is not None and step.took is not Took.CONFLICT
    }
