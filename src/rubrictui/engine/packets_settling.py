"""What packets brought back that the store may not take by itself: listed, and settled one by one."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from sqlalchemy import Connection

from rubrictui.core.model import Answer, VersionSnapshot
from rubrictui.core.records import AssignmentStatus, EvaluationStatus, Role
from rubrictui.engine.errors import NotFoundError, StateError
from rubrictui.engine.packet_records import AnswerPair, PacketConflict, PacketSent, Reason
from rubrictui.engine.packets import digests, packet_answers
from rubrictui.engine.packets_desk import Desk
from rubrictui.engine.packets_in import PacketsIn
from rubrictui.engine.work import Evaluator, check_context
from rubrictui.interchange.packets import Declined, PacketEvaluation
from rubrictui.store import access, evaluations, packets, rounds, subjects
from rubrictui.store.packets import StoredConflict

Take = Literal["packet", "store"]


class PacketSettling(PacketsIn):
    """Settling is the chair's. Neither side is lost."""

    def packet_conflicts(
        self, *, round: str | None = None, include_settled: bool = False
    ) -> tuple[PacketConflict, ...]:
        """What packets brought back that is to be settled, the oldest first.

        A reviewer sees those of her own packets; a chair all, but for subjects on which she is blind.
        """
        with self._read() as connection:
            context_id = self._find_context(connection, round).id if round is not None else None
            found = packets.conflicts(
                connection, self.user, context_id=context_id, include_settled=include_settled
            )
            return tuple(self._conflict(connection, one) for one in found)

    def sent_packets(self, *, round: str | None = None) -> tuple[PacketSent, ...]:
        """The packets that went out, the latest first: one's own, and for chairs and administrators everyone's."""
        with self._read() as connection:
            context_id = self._find_context(connection, round).id if round is not None else None
            return tuple(
                PacketSent(
                    packet_id=one.id,
                    round_id=one.context_id,
                    round_name=one.round_name,
                    reviewer=one.user_name,
                    exported_at=one.exported_at,
                    exported_by=one.exported_by,
                    signed=one.is_signed,
                    subjects=one.subjects,
                    returned_at=one.taken_at,
                    returned_by=one.taken_by,
                    hidden=one.is_veiled,
                )
                for one in packets.sent_packets(connection, self.user, context_id=context_id)
            )

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
        export = self._record_of(connection, conflict.export_id)
        assert export is not None
        who = self._acting_as(self._find_user(connection, export.user_id))
        came = packets.returned(connection, conflict.id)
        replaced: Any = None
        bases = dict(export.bases)
        if "answers" in came:
            one = msgspec.convert(came, PacketEvaluation)
            bases[one.id] = digests(one.answers)
            if take == "packet":
                replaced = who._force(connection, one, who._desk(connection, export, [one]))
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
            export.context_id,
            "packet_conflict_settled",
            at=now,
            by=self.user.name,
            id=self._new_id(),
            details={"conflict": conflict.id, "take": take},
        )

    def _force(self, connection: Connection, one: PacketEvaluation, desk: Desk) -> Any:
        """Store what came back, whatever stood against it; returns the answers that it replaces."""
        if one.status is EvaluationStatus.WITHDRAWN:
            self._store_returned(connection, one, desk)
            return None
        by = Evaluator(one.evaluator_type, None)
        check_context(desk.context, by)
        version = self._frozen(connection, one.version_id)
        if one.status is EvaluationStatus.SUBMITTED:
            self._refuse(version, desk.subjects[one.subject_id], tuple(given.answer for given in one.answers))
        stored, replaced = desk.own.get(one.id), None
        if stored is not None and stored.status is EvaluationStatus.DRAFT:
            answers = packet_answers(access.draft_answers(connection, self.user, stored.id))
            replaced = msgspec.to_builtins(answers)
            # What was submitted here meanwhile gives way too.
            last = desk.last_submitted(one)
            if last is not None and stored.supersedes_id is None:
                evaluations.change_draft(connection, stored.id, {"supersedes_id": last.id})
                stored = msgspec.structs.replace(stored, supersedes_id=last.id)
                desk.own[stored.id] = stored
        else:
            one = self._beside(connection, one, desk)
        if one.status is EvaluationStatus.SUBMITTED:
            self._submit_returned(connection, [one], desk)
        else:
            self._store_returned(connection, one, desk)
        return replaced

    def _beside(self, connection: Connection, one: PacketEvaluation, desk: Desk) -> PacketEvaluation:
        """What came back as an evaluation of its own: another draft gives way, a submission is superseded."""
        other = desk.open_one(one)
        if other is not None:
            now = self._clock()
            values = {
                "status": EvaluationStatus.WITHDRAWN.value,
                "ended_at": now,
                "updated_at": now,
                "end_reason": f"Replaced by what packet {desk.export.id} brought back.",
            }
            evaluations.change_draft(connection, other.id, values)
        last = desk.last_submitted(one)
        replaces = (last.id, *one.replaces) if last is not None else one.replaces
        id = self._new_id() if one.id in desk.own else one.id
        return msgspec.structs.replace(one, id=id, replaces=replaces)

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
