"""Packets back in: a return checked, scored anew and stored, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection

from rubrictui.core import canonical
from rubrictui.core.model import Answer
from rubrictui.core.records import AssignmentStatus, Evaluation, EvaluationStatus, Role
from rubrictui.core.scoring import compute
from rubrictui.engine.errors import StateError
from rubrictui.engine.packet_records import PacketReport, Took
from rubrictui.engine.packets import digests, packet_answers
from rubrictui.engine.packets_desk import Desk, read_desk
from rubrictui.engine.packets_plan import PacketPlans, Step
from rubrictui.engine.submitting import result_columns
from rubrictui.interchange.packets import Declined, Packet, PacketAnswer, PacketEvaluation
from rubrictui.interchange.packets_errors import PacketError
from rubrictui.store import access, access_rules, evaluations, packets, rounds, subjects, upkeep
from rubrictui.store.packets import Export

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
        self._check_versions(connection, export)
        # What the user may be told follows from her own work as it stands before anything comes in.
        veiled = self._veiled(connection, export)
        who = self._acting_as(reviewer)
        desk = who._desk(connection, export, packet.evaluations, packet.declined)
        steps = who._steps(connection, packet, desk)
        if not dry_run:
            who._carry_out_steps(connection, steps, desk, by=self.user.name)
            bases = {**export.bases, **_agreed(steps)}
            packets.set_taken(connection, export.id, bases, at=self._clock(), by=self.user.name)
        warnings: tuple[str, ...] = ()
        if packet.manifest.reviewer.name != reviewer.name:
            warnings = (f"The file names another reviewer; it was made for {reviewer.name}.",)
        return PacketReport(
            packet_id=export.id,
            round_name=desk.context.name,
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
        export = self._record_of(connection, manifest.packet_id)
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

    @staticmethod
    def _record_of(connection: Connection, packet_id: str) -> Export | None:
        """The record of an export; None where there is none.

        Raises:
            StateError: there is one, and on PostgreSQL the database keeps it from the user.
        """
        export = packets.find_export(connection, packet_id)
        if export is None and packets.was_sent(connection, packet_id):
            raise StateError(
                "The database keeps the record of this packet from you: on PostgreSQL it takes administer_evaluations, "
                "and no open work of your own on a subject in it.",
                remedy="Have somebody else do it, or the store's own user.",
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

    def _desk(
        self,
        connection: Connection,
        export: Export,
        given: Iterable[PacketEvaluation],
        declined: Iterable[Declined] = (),
    ) -> Desk:
        given = tuple(given)
        return read_desk(
            connection,
            self.user,
            export,
            self._find_context(connection, export.context_id),
            evaluations=[one.id for one in given],
            subjects_of=[*(one.subject_id for one in given), *(one.subject_id for one in declined)],
        )

    def _steps(self, connection: Connection, packet: Packet, desk: Desk) -> list[Step]:
        steps = [self._decline_step(one, desk, connection) for one in packet.declined]
        ordered = sorted(packet.evaluations, key=lambda one: _ORDER[one.status])
        steps += [self._step(connection, one, desk) for one in ordered]
        _refuse_twice(steps, desk)
        return steps

    # -- carrying out --------------------------------------------------------------------------------

    def _carry_out_steps(self, connection: Connection, steps: Iterable[Step], desk: Desk, *, by: str) -> None:
        """Store what was decided, as the reviewer; ``by`` is the login of who takes the packet in."""
        news = [step for step in steps if step.took is not Took.UNCHANGED and not step.known]
        listed = {item for item, _ in desk.known}
        for step in news:
            if step.id in listed:
                packets.end_conflicts(
                    connection, desk.export.id, step.id, taken="newer", at=self._clock(), by=by
                )
            if step.took is Took.CONFLICT:
                self._list_conflict(connection, step, desk, by=by)
            elif step.declined is not None:
                self._give_back(connection, step.declined)
        taken = [step for step in news if step.evaluation is not None and step.took is not Took.CONFLICT]
        submitted = [step.evaluation for step in taken if step.evaluation and step.took is Took.SUBMITTED]
        self._submit_returned(connection, submitted, desk)
        done = {one.id for one in submitted}
        for step in taken:
            if step.evaluation is not None and step.took is not Took.SUBMITTED:
                self._store_returned(connection, step.evaluation, desk, write=step.write, done=done)

    def _list_conflict(self, connection: Connection, step: Step, desk: Desk, *, by: str) -> None:
        packets.add_conflict(
            connection,
            {
                "id": self._new_id(),
                "export_id": desk.export.id,
                "subject_id": step.subject.id,
                "item_id": step.id,
                "digest": step.digest,
                "reasons": msgspec.to_builtins(step.reasons),
                "returned": msgspec.to_builtins(step.evaluation or step.declined),
                "found_at": self._clock(),
                "found_by": by,
            },
        )

    def _give_back(self, connection: Connection, declined: Declined) -> None:
        found = subjects.find_assignment(connection, declined.assignment_id)
        if found is not None and found.status is AssignmentStatus.OPEN:
            self._end_assignment(connection, found, AssignmentStatus.DECLINED, self._reason(declined.reason))

    def _submit_returned(
        self, connection: Connection, submitted: Iterable[PacketEvaluation], desk: Desk
    ) -> None:
        """Store submissions that nothing stands against, many at once: begun or gone on with, scored, submitted."""
        now = self._clock()
        rows: list[dict[str, Any]] = []
        begun: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        closed: list[str] = []
        for one in submitted:
            version = self._frozen(connection, one.version_id)
            answers = {given.answer.criterion_id: given for given in one.answers}
            result = compute(version, [given.answer for given in one.answers])
            stored = desk.own.get(one.id)
            replacing = stored.supersedes_id if stored is not None else _replacing(one, desk, done=())
            if stored is None:
                begun.append(self._begun(one, desk, replacing=replacing, at=now))
            if replacing is not None:
                self._supersede(
                    connection, msgspec.structs.replace(_header_of(one, desk), supersedes_id=replacing), now
                )
            revision = stored.revision + 1 if stored is not None else 0
            for sequence, node in enumerate(result.nodes):
                given = answers.get(node.id, _NOTHING)
                rows.append(
                    {
                        "id": self._new_id(),
                        "evaluation_id": one.id,
                        "criterion_id": node.id,
                        "scale_level_id": given.answer.scale_level_id,
                        "raw_value": given.answer.raw_value,
                        "is_not_applicable": given.answer.is_not_applicable,
                        "confidence": given.answer.confidence,
                        "rationale": given.answer.rationale,
                        "evidence": msgspec.to_builtins(given.answer.evidence) or None,
                        "is_flagged": given.is_flagged,
                        "revision": revision,
                        "updated_at": now,
                        "normalized_score": node.normalized_score,
                        "effective_weight": node.effective_weight,
                        "overall_contribution": node.overall_contribution,
                        "gate_failed": node.gate_failed,
                        "is_advisory": node.is_advisory,
                        "sequence": sequence,
                    }
                )
            results.append(
                {
                    "of": one.id,
                    **_came_from(one, desk, stored),
                    **result_columns(result, now),
                    "revision": revision,
                }
            )
            asked = (stored.assignment_id if stored else None) or desk.work(one).assignment_for(
                one.evaluator_type
            )
            if asked is not None:
                closed.append(asked)
        packets.add_drafts(connection, begun)
        packets.put_scores(connection, rows)
        if not packets.submit_drafts(connection, results):
            raise StateError("A draft is no draft any more.", remedy="Import the packet again.")
        packets.close_assignments(connection, closed, at=now, by=self.user.name)

    def _store_returned(
        self,
        connection: Connection,
        one: PacketEvaluation,
        desk: Desk,
        *,
        write: Iterable[str] | None = None,
        done: Iterable[str] = (),
    ) -> None:
        """Bring a draft to what the packet says, or withdraw what it withdrew.

        Args:
            write: only these criteria of a draft that is here; None is all of them.
            done: what this import has submitted.
        """
        stored = desk.own.get(one.id)
        if one.status is EvaluationStatus.WITHDRAWN:
            self._withdraw_returned(connection, one, stored)
        elif stored is None:
            replacing = _replacing(one, desk, done=done)
            row = self._begun(one, desk, replacing=replacing, at=self._clock())
            packets.add_drafts(connection, [row])
            self._put_fresh(connection, one.id, self._frozen(connection, one.version_id), one.answers)
        else:
            self._put_over(connection, one, desk, write)
            evaluations.change_draft(connection, one.id, _came_from(one, desk, stored))

    def _begun(
        self, one: PacketEvaluation, desk: Desk, *, replacing: str | None, at: datetime
    ) -> dict[str, Any]:
        """The columns of a new draft of what came back."""
        work = desk.work(one)
        return {
            "id": one.id,
            "rubric_id": work.rubric_id,
            "version_id": work.version.id,
            "major_version": work.version.major,
            "subject_id": one.subject_id,
            "context_id": work.context_id,
            "assignment_id": work.assignment_for(one.evaluator_type),
            "evaluator_user_id": self.user.id,
            "evaluator_type": one.evaluator_type.value,
            "evaluator_name": None,
            "cursor": one.cursor,
            "started_at": at,
            "updated_at": at,
            "supersedes_id": replacing,
            **_came_from(one, desk, None),
        }

    def _put_over(
        self, connection: Connection, one: PacketEvaluation, desk: Desk, write: Iterable[str] | None
    ) -> None:
        """Write answers over those of an open draft: ``write``, or all that differ, those taken back included."""
        now = self._clock()
        before = digests(packet_answers(desk.answers.get(one.id, ())))
        ours, given = digests(one.answers), {answer.answer.criterion_id: answer for answer in one.answers}
        wanted = {*before, *ours} if write is None else set(write)
        touched = evaluations.touch_draft(connection, one.id, owner=self.user.id, at=now, cursor=one.cursor)
        if touched is None:
            raise StateError(f"Evaluation {one.id} is no open draft any more.", remedy="Import it again.")
        for criterion_id in sorted(key for key in wanted if before.get(key) != ours.get(key)):
            answer = given.get(criterion_id) or PacketAnswer(answer=Answer(criterion_id=criterion_id))
            evaluations.put_answer(
                connection,
                one.id,
                answer.answer,
                id=self._new_id(),
                revision=touched.revision,
                at=now,
                flagged=answer.is_flagged,
            )

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


_NOTHING = PacketAnswer(answer=Answer(criterion_id=""))


def _replacing(one: PacketEvaluation, desk: Desk, *, done: Iterable[str]) -> str | None:
    """Which evaluation of this store a new one stands in the place of: the nearest that is Submitted here."""
    last = desk.last_submitted(one)
    here = {*done, *([last.id] if last is not None else [])}
    return next((id for id in one.replaces if id in here), None)


def _header_of(one: PacketEvaluation, desk: Desk) -> Evaluation:
    """As much of an evaluation's header as superseding another one takes."""
    head = desk.heads[one.version_id]
    return Evaluation(
        id=one.id,
        rubric_id=head.rubric_id,
        rubric_name=head.rubric_name,
        version_id=head.id,
        version_number=head.number or "",
        major_version=head.major or 0,
        subject_id=one.subject_id,
        subject_title="",
        evaluator_user_id="",
    )


def _came_from(one: PacketEvaluation, desk: Desk, stored: Evaluation | None) -> dict[str, Any]:
    """The content the reviewer had before her, and where the evaluation came from."""
    came: dict[str, Any] = {"id": desk.export.id}
    if one.submitted_at is not None:
        came["submitted_at"] = one.submitted_at.isoformat()
    kept = stored.metadata if stored is not None and stored.metadata else {}
    return {
        "subject_hash": desk.export.sent["subjects"][one.subject_id]["had"],
        "metadata": {**kept, "packet": came},
    }


def _refuse_twice(steps: Iterable[Step], desk: Desk) -> None:
    """One reviewer has one draft and one submission of a piece of work; a file with two was not made by us."""
    met: set[tuple[str, str, str, str]] = set()
    for step in steps:
        one = step.evaluation
        if one is None or one.status is EvaluationStatus.WITHDRAWN:
            continue
        key = (one.subject_id, desk.heads[one.version_id].rubric_id, one.evaluator_type, one.status)
        if key in met:
            raise PacketError(
                f'The packet was refused: it has two evaluations of "{step.subject.title}".',
                remedy="Nothing of it was taken. Ask for a new return.",
            )
        met.add(key)


def _agreed(steps: Iterable[Step]) -> dict[str, dict[str, str]]:
    """What packet and store agree on from now: what was taken. A conflict is not agreed on until it is settled."""
    return {
        step.evaluation.id: digests(step.evaluation.answers)
        for step in steps
        if step.evaluation is not None and step.took is not Took.CONFLICT
    }
