"""Packets out: a reviewer's work as one file, the store it is worked on in, and what she returns.

A packet holds what its reviewer needs and nothing of anybody else. What of hers is in it is read as the one who
exports may read it, so the blind rule holds here as on every screen: whoever is blind on a subject gets neither her
draft of it nor the news that she is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection

from rubrictui import __version__
from rubrictui.core import canonical
from rubrictui.core.hidden_fields import without_fields
from rubrictui.core.records import (
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
from rubrictui.engine.errors import StateError
from rubrictui.engine.evaluating_many import EvaluatingMany
from rubrictui.engine.work import PEOPLE
from rubrictui.interchange.packets import (
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
from rubrictui.store import (
    access,
    packets,
    rounds,
    subjects,
    upkeep,
)

_AT_A_TIME = 500


class Packets(EvaluatingMany):
    """Work for reviewers without the store."""

    # -- exporting -----------------------------------------------------------------------------------

    def export_packet(self, round: str, reviewer: str, *, signed: bool = False) -> Packet:
        """A reviewer's open work in a round: rubric versions, subjects, assignments, her own drafts.

        The export is recorded: a return is held to the record. The round's hidden fields are left out, and so are
        drafts that the user may not read, and the places of files on this machine.

        Args:
            round: a context, by id, ``Entity/record`` or name.
            reviewer: a login or id.
            signed: the file will be signed, so an unsigned return will be refused.

        Raises:
            NotPermittedError: it is another's work, and the user is neither chair nor administrator.
            StateError: the round is closed, or the reviewer has no open work in it.
        """
        with self._write() as connection:
            context = self._find_context(connection, round)
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
            evaluations=self._packet_evaluations(
                connection,
                sorted(drafts, key=lambda one: (order[one.subject_id], one.id)),
                versions={id: one.content_hash for id, one in versions.items()},
                subjects={id: one.content_hash for id, one in shown.items()},
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

    def _packet_evaluations(
        self,
        connection: Connection,
        given: Sequence[Evaluation],
        *,
        versions: Mapping[str, str],
        subjects: Mapping[str, str],
        chain: Mapping[str, str | None] | None = None,
    ) -> tuple[PacketEvaluation, ...]:
        """Evaluations with the answers that the user may read.

        Args:
            versions: the content hash of each version.
            subjects: that of each subject as its reviewer sees it; one that is not there has the evaluation's own.
            chain: which evaluation each of hers supersedes.
        """
        ids = [one.id for one in given]
        answers = access.answers_of(connection, self.user, ids)
        cursors = access.cursors_of(connection, self.user, ids)
        return tuple(
            PacketEvaluation(
                id=one.id,
                subject_id=one.subject_id,
                version_id=one.version_id,
                version_hash=versions[one.version_id],
                subject_hash=subjects.get(one.subject_id, one.subject_hash),
                assignment_id=one.assignment_id,
                evaluator_type=one.evaluator_type,
                status=one.status,
                replaces=_replaced(one.supersedes_id, chain or {}),
                reason=one.end_reason,
                cursor=cursors.get(one.id),
                started_at=one.started_at,
                updated_at=one.updated_at,
                submitted_at=one.submitted_at,
                normalized_score=one.normalized_score,
                answers=packet_answers(answers.get(one.id, ())),
            )
            for one in given
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


def _replaced(id: str | None, chain: Mapping[str, str | None]) -> tuple[str, ...]:
    """What an evaluation stands in the place of, the nearest first."""
    found: list[str] = []
    while id is not None and id not in found:
        found.append(id)
        id = chain.get(id)
    return tuple(found)
