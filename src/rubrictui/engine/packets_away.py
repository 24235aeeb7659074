"""Packets away from home: the store one is worked on in, and what is returned from it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from rubrictui import __version__
from rubrictui.core import canonical
from rubrictui.core.authoring import publish_problems
from rubrictui.core.model import Bump, Scale, VersionSnapshot, VersionStatus
from rubrictui.core.records import (
    Assignment,
    AssignmentStatus,
    Context,
    Evaluation,
    EvaluationStatus,
    Role,
)
from rubrictui.engine.checking import storable
from rubrictui.engine.errors import NotFoundError, StateError
from rubrictui.engine.packets import Packets
from rubrictui.engine.trees import prepared, prepared_scale
from rubrictui.engine.work import PEOPLE
from rubrictui.interchange.packets import (
    Declined,
    Manifest,
    Packet,
    PacketAnswer,
    PacketEvaluation,
    PacketRubric,
)
from rubrictui.interchange.packets_errors import PacketError
from rubrictui.store import access, evaluations, packets, rubrics, scales, subjects, trees, upkeep, users

_RETURNED = (EvaluationStatus.DRAFT, EvaluationStatus.SUBMITTED, EvaluationStatus.WITHDRAWN)


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What a working store remembers of its packet: the manifest, and the ids of what came with it.

    ``versions`` maps version ids to content hashes; ``file`` is the SHA-256 of the packet's file, by which it is
    known again without its passphrase; a return is encrypted when the packet was.
    """

    manifest: Manifest
    file: str
    is_encrypted: bool
    versions: dict[str, str]
    subjects: tuple[str, ...]
    evaluations: tuple[str, ...]


class Returned(NamedTuple):
    """A return, and how many evaluations stay behind because they are of work that was not in the packet."""

    packet: Packet
    left_out: int


class PacketsAway(Packets):
    """Working on a packet without the store it came from."""

    # -- the store it is worked on in ----------------------------------------------------------------

    def take_work(self, packet: Packet, *, file: str = "", is_encrypted: bool = False) -> None:
        """Fill a new store with a packet's work, in one transaction; the user becomes its reviewer and no more.

        Args:
            file: the SHA-256 of the file it was read from; ``is_encrypted``: whether that was encrypted.

        Raises:
            StateError: the store is not empty.
            PacketError: a version could not have been published, or is not what its hash says once it is stored.
        """
        with self._write() as connection:
            if not upkeep.is_empty(connection):
                raise StateError("The store holds work already.", remedy="Open the packet in a new one.")
            self._take_rubrics(connection, packet)
            manifest, now = packet.manifest, self._clock()
            round = manifest.round
            context = Context(
                id=round.id,
                entity=round.entity,
                record_id=round.record_id,
                name=round.name or round.record_id,
                description=round.description,
                due_at=round.due_at,
                due_zone=round.due_zone,
                self_allowed=round.self_allowed,
            )
            subjects.put_context(connection, context, at=now, by=self.user.name)
            rows = [
                subjects.subject_row(one, id=one.id, at=now, by=self.user.name) for one in packet.subjects
            ]
            subjects.add_rows(connection, rows)
            for one in packet.assignments:
                assignment = Assignment(
                    id=one.id,
                    subject_id=one.subject_id,
                    rubric_id=one.rubric_id,
                    user_id=self.user.id,
                    context_id=context.id,
                    version_id=one.version_id,
                    due_at=one.due_at,
                )
                subjects.add_assignment(connection, assignment, at=now, by=self.user.name)
            known = {one.id for one in packet.assignments}
            for evaluation in packet.evaluations:
                self._take_draft(connection, evaluation, context, known)
            origin = Origin(
                manifest=manifest,
                file=file,
                is_encrypted=is_encrypted,
                versions={one.version.id: one.content_hash for one in packet.rubrics},
                subjects=tuple(one.id for one in packet.subjects),
                evaluations=tuple(one.id for one in packet.evaluations),
            )
            packets.set_origin(connection, msgspec.json.encode(origin).decode())
            reviewer = msgspec.structs.replace(
                self.user,
                display_name=manifest.reviewer.display_name or self.user.name,
                roles=(Role.REVIEWER,),
            )
            users.change_user(connection, reviewer, new_id=self._new_id)
        self.user = reviewer

    def _take_rubrics(self, connection: Connection, packet: Packet) -> None:
        known: dict[str, Scale] = {}
        rubric_ids: set[str] = set()
        for one in sorted(packet.rubrics, key=lambda one: _order(one.version)):
            version = one.version
            if version.status is VersionStatus.DRAFT or version.number is None:
                raise PacketError(f'"{one.name}" in it is a draft.', remedy="Ask for the packet again.")
            problem = next((found for found in publish_problems(version) if found.blocks), None)
            if problem is not None:
                raise PacketError(
                    f'"{one.name}" in it cannot be scored with: {problem.message}',
                    remedy="Ask for the packet again.",
                )
            for scale in version.scales:
                if scale.id not in known:
                    known[scale.id] = prepared_scale(scale, new_id=self._new_id)
                    scales.put_scale(connection, known[scale.id])
            if one.rubric_id not in rubric_ids:
                rubric_ids.add(one.rubric_id)
                rubrics.add_rubric(
                    connection,
                    id=one.rubric_id,
                    name=one.name,
                    category_id=None,
                    description=one.description,
                    created_at=packet.manifest.made_at,
                    created_by=self.user.name,
                )
            self._take_version(connection, one, packet)

    def _take_version(self, connection: Connection, one: PacketRubric, packet: Packet) -> None:
        version, at = one.version, packet.manifest.made_at
        rubrics.add_draft(
            connection,
            id=version.id,
            rubric_id=one.rubric_id,
            based_on_id=None,
            created_at=at,
            created_by=self.user.name,
        )
        ready = prepared(version, taken=(), new_id=self._new_id)
        trees.replace_tree(connection, ready, revision=0, new_id=self._new_id)
        rubrics.publish_version(
            connection,
            version.id,
            {
                "major_version": version.major_version,
                "minor_version": version.minor_version or 0,
                "patch_version": version.patch_version or 0,
                "content_hash": one.content_hash,
                "scoring_hash": one.scoring_hash,
                "applied_bump": Bump.INITIAL.value,
                "published_at": at,
                "published_by": self.user.name,
            },
        )
        if version.status is VersionStatus.RETIRED:
            rubrics.set_retired(connection, version.id, at, by=self.user.name)
        stored = trees.load_snapshot(connection, version.id)
        if stored is None or canonical.content_hash(stored) != one.content_hash:
            raise PacketError(
                f'"{one.name}" in it cannot be stored as it was sent.', remedy="Ask for the packet again."
            )

    def _take_draft(
        self, connection: Connection, one: PacketEvaluation, context: Context, assignments: set[str]
    ) -> None:
        version = self._frozen(connection, one.version_id)
        now = self._clock()
        evaluations.add_draft(
            connection,
            {
                "id": one.id,
                "rubric_id": version.rubric_id,
                "version_id": version.id,
                "major_version": version.major_version,
                "subject_id": one.subject_id,
                "context_id": context.id,
                "assignment_id": one.assignment_id if one.assignment_id in assignments else None,
                "evaluator_user_id": self.user.id,
                "evaluator_type": one.evaluator_type.value,
                "subject_hash": one.subject_hash,
                "cursor": one.cursor,
                "started_at": one.started_at or now,
                "updated_at": one.updated_at or now,
            },
        )
        self._put_fresh(connection, one.id, version, one.answers)

    def _put_fresh(
        self, connection: Connection, id: str, version: VersionSnapshot, answers: Iterable[PacketAnswer]
    ) -> None:
        """The answers of a draft that has none yet."""
        given = tuple(answers)
        flagged = {one.answer.criterion_id for one in given if one.is_flagged}
        ready = storable(version, [one.answer for one in given])
        plain = [answer for answer in ready if answer.criterion_id not in flagged]
        now = self._clock()
        evaluations.put_answers(connection, id, plain, revision=0, at=now, new_id=self._new_id)
        for answer in ready:
            if answer.criterion_id in flagged:
                evaluations.put_answer(
                    connection, id, answer, id=self._new_id(), revision=0, at=now, flagged=True
                )

    def packet_origin(self) -> Origin | None:
        """What packet this store was made for; None for every other store."""
        with self._read() as connection:
            text = packets.origin(connection)
        return msgspec.json.decode(text, type=Origin) if text is not None else None

    # -- returning -----------------------------------------------------------------------------------

    def return_packet(self) -> Returned:
        """What the reviewer has made of a packet: her drafts, submissions, withdrawals, and what she declined.

        Raises:
            NotFoundError: the store was not made for a packet.
        """
        origin = self.packet_origin()
        if origin is None:
            raise NotFoundError(
                "This store was not made for a packet.",
                remedy="Open a packet first: rubrictui packet open FILE.",
            )
        with self._read() as connection:
            own = [
                one
                for one in access.evaluations(connection, self.user, evaluator_user_id=self.user.id)
                if one.evaluator_type in PEOPLE
            ]
            chain = {one.id: one.supersedes_id for one in own}
            kept = [one for one in own if _belongs(one, origin)]
            told = [one for one in kept if _is_news(one, origin)]
            given_back = subjects.assignments(
                connection, user_id=self.user.id, context_id=origin.manifest.round.id
            )
            packet = Packet(
                manifest=msgspec.structs.replace(
                    origin.manifest,
                    kind="return",
                    made_at=self._clock(),
                    made_with=__version__,
                    members=(),
                    signature=None,
                ),
                evaluations=self._packet_evaluations(
                    connection,
                    sorted(told, key=lambda one: (one.subject_id, one.id)),
                    versions=origin.versions,
                    subjects={},
                    chain=chain,
                ),
                declined=tuple(
                    Declined(assignment_id=one.id, subject_id=one.subject_id, reason=one.reason or "")
                    for one in sorted(given_back, key=lambda one: one.id)
                    if one.status is AssignmentStatus.DECLINED
                ),
            )
        return Returned(packet, len(own) - len(kept))


def _order(version: VersionSnapshot) -> tuple[str, int, int, int]:
    return (
        version.rubric_id,
        version.major_version or 0,
        version.minor_version or 0,
        version.patch_version or 0,
    )


def _belongs(one: Evaluation, origin: Origin) -> bool:
    return (
        one.context_id == origin.manifest.round.id
        and one.subject_id in origin.subjects
        and one.version_id in origin.versions
    )


def _is_news(one: Evaluation, origin: Origin) -> bool:
    """A draft that was begun here and given up again leaves nothing to tell; nor does what was superseded here."""
    if one.status is EvaluationStatus.WITHDRAWN and one.submitted_at is None:
        return one.id in origin.evaluations
    return one.status in _RETURNED
