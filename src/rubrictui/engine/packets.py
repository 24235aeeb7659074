"""Packets out: a reviewer's work as one file, the store it is worked on in, and what she returns.

A packet holds what its reviewer needs and nothing of anybody else. What of hers is in it is read as the one who
exports may read it, so the blind rule holds here as on every screen: whoever is blind on a subject gets neither her
draft of it nor the news that she is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from rubrictui import __version__
from rubrictui.core import canonical
from rubrictui.core.authoring import publish_problems
from rubrictui.core.hidden_fields import without_fields
from rubrictui.core.model import Bump, Scale, VersionSnapshot, VersionStatus
from rubrictui.core.records import (
    Assignment,
    AssignmentStatus,
    Context,
    ContextStatus,
    DraftAnswer,
    Evaluation,
    EvaluationStatus,
    Role,
    Subject,
    User,
)
from rubrictui.engine.checking import storable
from rubrictui.engine.errors import NotFoundError, StateError
from rubrictui.engine.evaluating_many import EvaluatingMany
from rubrictui.engine.trees import prepared, prepared_scale
from rubrictui.engine.work import PEOPLE
from rubrictui.interchange.packets import (
    Declined,
    Manifest,
    Packet,
    PacketAnswer,
    PacketAssignment,
    PacketEvaluation,
    PacketReviewer,
    PacketRound,
    PacketRubric,
    digest,
)
from rubrictui.interchange.packets_errors import PacketError
from rubrictui.store import (
    access,
    evaluations,
    packets,
    rounds,
    rubrics,
    scales,
    subjects,
    trees,
    upkeep,
    users,
)

_AT_A_TIME = 500
_RETURNED = (EvaluationStatus.DRAFT, EvaluationStatus.SUBMITTED, EvaluationStatus.WITHDRAWN)


class Returned(NamedTuple):
    """A return, and how many evaluations stay behind because they are of work that was not in the packet."""

    packet: Packet
    left_out: int


class Packets(EvaluatingMany):
    """Work for reviewers without the store."""

    # -- exporting -----------------------------------------------------------------------------------

    def export_packet(self, round: str, reviewer: str, *, signed: bool = False) -> Packet:
        """A reviewer's open work in a round: rubric versions, subjects, assignments, her own drafts.

        The export is recorded: a return is held to the record. The round's hidden fields are left out, and so are
        drafts that the user may not read, and the places of files on this machine.

        Args:
            round: a context, by id, ``Entity/record``, or the record id of a ``Round``.
            reviewer: a login or id.
            signed: the file will be signed, so an unsigned return will be refused.

        Raises:
            NotPermittedError: it is another's work, and the user is neither chair nor administrator.
            StateError: the round is closed, or the reviewer has no open work in it.
        """
        with self._write() as connection:
            context = self._find_round_context(connection, round)
            user = self._find_user(connection, reviewer)
            if user.id != self.user.id:
                self._require(
                    Role.CHAIR, Role.ADMINISTER_EVALUATIONS, doing="export packets for other reviewers"
                )
            if context.status is ContextStatus.CLOSED:
                raise StateError(f'"{context.name}" is closed.', remedy="Open it again first.")
            packet, had = self._packet(connection, context, user)
            self._record_export(connection, packet, had, user, signed=signed)
            return packet

    def _find_round_context(self, connection: Connection, reference: str) -> Context:
        wanted = reference.strip()
        if "/" not in wanted:
            found = subjects.find_context(connection, wanted) or subjects.find_context(
                connection, f"Round/{wanted}"
            )
            if found is not None:
                return found
        return self._find_context(connection, wanted)

    def _packet(self, connection: Connection, context: Context, user: User) -> tuple[Packet, dict[str, str]]:
        """The packet, and the content hash that the store has of each subject."""
        assigned = subjects.assignments(connection, user_id=user.id, context_id=context.id)
        asked = [
            one
            for one in access.veiled(connection, self.user, assigned)
            if one.status is AssignmentStatus.OPEN
        ]
        drafts = [
            one
            for one in access.evaluations(
                connection,
                self.user,
                context_id=context.id,
                evaluator_user_id=user.id,
                status=EvaluationStatus.DRAFT,
            )
            if one.evaluator_type in PEOPLE
        ]
        if not asked and not drafts:
            raise StateError(
                f'{user.name} has no open work in "{context.name}".', remedy="Assign her subjects first."
            )
        concerned = {*(one.subject_id for one in asked), *(one.subject_id for one in drafts)}
        begun = {(one.subject_id, one.rubric_id): one.version_id for one in drafts}
        chosen = {
            one.id: begun.get((one.subject_id, one.rubric_id))
            or self._rubric_and_version(connection, one.rubric_id, one.version_id, context)[1].id
            for one in asked
        }
        hidden = self._hidden_fields(connection, context)
        stored = _by_id(connection, concerned)
        shown = {one.id: without_fields(_portable(one), hidden) for one in stored.values()}
        versions = {
            id: self._packet_rubric(connection, id)
            for id in sorted({*chosen.values(), *(one.version_id for one in drafts)})
        }
        order = {one.id: (one.entity, one.record_id) for one in shown.values()}
        packet = Packet(
            manifest=Manifest(
                kind="work",
                packet_id=self._new_id(),
                store_id=upkeep.facts(connection).get("store_id", ""),
                made_at=self._clock(),
                made_with=__version__,
                round=PacketRound(
                    id=context.id,
                    entity=context.entity,
                    record_id=context.record_id,
                    name=context.name,
                    description=context.description,
                    due_at=context.due_at,
                    due_zone=context.due_zone,
                    self_allowed=context.self_allowed,
                ),
                reviewer=PacketReviewer(name=user.name, display_name=user.display_name),
            ),
            rubrics=tuple(versions.values()),
            subjects=tuple(sorted(shown.values(), key=lambda one: order[one.id])),
            assignments=tuple(
                PacketAssignment(
                    id=one.id,
                    subject_id=one.subject_id,
                    rubric_id=one.rubric_id,
                    version_id=chosen[one.id],
                    due_at=one.due_at,
                )
                for one in sorted(asked, key=lambda one: (order[one.subject_id], one.id))
            ),
            evaluations=tuple(
                self._packet_evaluation(
                    connection,
                    one,
                    version_hash=versions[one.version_id].content_hash,
                    subject_hash=shown[one.subject_id].content_hash,
                )
                for one in sorted(drafts, key=lambda one: (order[one.subject_id], one.id))
            ),
        )
        return packet, {one.id: one.content_hash for one in stored.values()}

    @staticmethod
    def _hidden_fields(connection: Connection, context: Context) -> tuple[str, ...]:
        found = rounds.round_of(connection, context.id)
        return found.rules.hidden_fields if found is not None else ()

    def _packet_rubric(self, connection: Connection, version_id: str) -> PacketRubric:
        version = self._snapshot(connection, version_id)
        head = self._find_rubric(connection, version.rubric_id)
        return PacketRubric(
            rubric_id=head.id,
            name=head.name,
            description=head.description,
            version=version,
            content_hash=canonical.content_hash(version),
            scoring_hash=canonical.scoring_hash(version),
        )

    def _packet_evaluation(
        self,
        connection: Connection,
        evaluation: Evaluation,
        *,
        version_hash: str,
        subject_hash: str,
        replaces: tuple[str, ...] = (),
    ) -> PacketEvaluation:
        return PacketEvaluation(
            id=evaluation.id,
            subject_id=evaluation.subject_id,
            version_id=evaluation.version_id,
            version_hash=version_hash,
            subject_hash=subject_hash,
            assignment_id=evaluation.assignment_id,
            evaluator_type=evaluation.evaluator_type,
            status=evaluation.status,
            replaces=replaces,
            reason=evaluation.end_reason,
            cursor=access.draft_cursor(connection, self.user, evaluation.id),
            started_at=evaluation.started_at,
            updated_at=evaluation.updated_at,
            submitted_at=evaluation.submitted_at,
            normalized_score=evaluation.normalized_score,
            answers=packet_answers(access.draft_answers(connection, self.user, evaluation.id)),
        )

    def _record_export(
        self,
        connection: Connection,
        packet: Packet,
        had: dict[str, str],
        user: User,
        *,
        signed: bool,
    ) -> None:
        manifest = packet.manifest
        packets.add_export(
            connection,
            {
                "id": manifest.packet_id,
                "context_id": manifest.round.id,
                "user_id": user.id,
                "exported_at": manifest.made_at,
                "exported_by": self.user.name,
                "is_signed": signed,
                "sent": {
                    "subjects": {
                        one.id: {"sent": one.content_hash, "had": had[one.id]} for one in packet.subjects
                    },
                    "versions": {
                        one.version.id: {"content": one.content_hash, "scoring": one.scoring_hash}
                        for one in packet.rubrics
                    },
                    "assignments": {one.id: one.subject_id for one in packet.assignments},
                },
                "bases": {one.id: digests(one.answers) for one in packet.evaluations},
            },
        )

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
                evaluations=tuple(
                    self._packet_evaluation(
                        connection,
                        one,
                        version_hash=origin.versions[one.version_id],
                        subject_hash=one.subject_hash,
                        replaces=_replaced(one.supersedes_id, chain),
                    )
                    for one in sorted(told, key=lambda one: (one.subject_id, one.id))
                ),
                declined=tuple(
                    Declined(assignment_id=one.id, subject_id=one.subject_id, reason=one.reason or "")
                    for one in sorted(given_back, key=lambda one: one.id)
                    if one.status is AssignmentStatus.DECLINED
                ),
            )
        return Returned(packet, len(own) - len(kept))


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


def packet_answers(answers: Sequence[DraftAnswer]) -> tuple[PacketAnswer, ...]:
    """Answers as a packet carries them: without the revisions of one store."""
    return tuple(PacketAnswer(answer=one.answer, is_flagged=one.is_flagged) for one in answers)


def digests(answers: Iterable[PacketAnswer]) -> dict[str, str]:
    """The fingerprint of each answer, by criterion: what changed is what has another one."""
    return {one.answer.criterion_id: digest(one) for one in answers}


def _by_id(connection: Connection, ids: set[str]) -> dict[str, Subject]:
    wanted = sorted(ids)
    return {
        one.id: one
        for start in range(0, len(wanted), _AT_A_TIME)
        for one in subjects.subjects(connection, ids=wanted[start : start + _AT_A_TIME])
    }


def _portable(subject: Subject) -> Subject:
    """Without the places of its files: they say something about this machine and nothing to another."""
    files: tuple[Any, ...] = tuple(msgspec.structs.replace(file, path=None) for file in subject.files)
    shown = msgspec.structs.replace(subject, files=files)
    return msgspec.structs.replace(shown, content_hash=canonical.subject_hash(shown))


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


def _replaced(id: str | None, chain: dict[str, str | None]) -> tuple[str, ...]:
    found: list[str] = []
    while id is not None and id not in found:
        found.append(id)
        id = chain.get(id)
    return tuple(found)
