"""What a packet for an offline reviewer holds, and its two kinds of file as bytes (docs/packets.md).

A *work* packet goes to the reviewer: rubric versions, subjects, assignments, her own drafts. A *return* brings
back what she made of it. Both are zip files with a manifest and one JSON value a line in every other member.
What stands in them is taken as a stranger's: ``packets_zip`` bounds it before it is read, and every value is
checked here before anything is made of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, Literal, TypeVar

import msgspec

from rubrictui.core.canonical import canonical_json, content_hash, scoring_hash, subject_hash
from rubrictui.core.loading import answers_from_json, json_value, unfit, version_from_json
from rubrictui.core.model import Answer, Value, VersionSnapshot
from rubrictui.core.records import EvaluationStatus, EvaluatorType, Subject
from rubrictui.interchange.packets_errors import PacketError
from rubrictui.interchange.packets_seal import (
    Signature,
    decrypted,
    encrypted,
    is_encrypted,
    signed,
    verify,
)
from rubrictui.interchange.packets_zip import pack, unpack

FORMAT: Final = "rubrictui-packet"
FORMAT_VERSION: Final = 1
MANIFEST: Final = "manifest.json"

#: How a passphrase is had when it turns out to be needed; it may ask a person.
Passphrase = Callable[[], str]
T = TypeVar("T", bound=Value)


class PacketRound(Value, frozen=True, kw_only=True):
    """The round a packet is of, as far as its reviewer is concerned."""

    id: str
    entity: str
    record_id: str
    name: str = ""
    description: str | None = None
    due_at: datetime | None = None
    due_zone: str | None = None
    self_allowed: bool = False


class PacketReviewer(Value, frozen=True, kw_only=True):
    """For whom a packet was made. Whose answers they are is not taken from here but from the export's record."""

    name: str
    display_name: str = ""


class Member(Value, frozen=True, kw_only=True):
    """A member of the file, by the SHA-256 and the number of its bytes."""

    name: str
    sha256: str
    size: int


class Manifest(Value, frozen=True, kw_only=True):
    """What the file says of itself. ``packet_id`` is of the export, also in every return."""

    format: str = FORMAT
    format_version: int = FORMAT_VERSION
    kind: Literal["work", "return"]
    packet_id: str
    store_id: str
    made_at: datetime
    made_with: str
    round: PacketRound
    reviewer: PacketReviewer
    is_signed: bool = False
    members: tuple[Member, ...] = ()
    signature: Signature | None = None


class PacketRubric(Value, frozen=True, kw_only=True):
    """A rubric version, whole, with its two hashes (contract, "Hashes")."""

    rubric_id: str
    name: str
    description: str | None = None
    version: VersionSnapshot
    content_hash: str
    scoring_hash: str


class PacketAssignment(Value, frozen=True, kw_only=True):
    """One subject to score, with exactly this version."""

    id: str
    subject_id: str
    rubric_id: str
    version_id: str
    due_at: datetime | None = None


class PacketAnswer(Value, frozen=True, kw_only=True):
    answer: Answer
    is_flagged: bool = False


class PacketEvaluation(Value, frozen=True, kw_only=True):
    """An evaluation of the reviewer's: a Draft, or what she Submitted, or Withdrew with a reason.

    ``version_hash`` and ``subject_hash`` say what she had before her; ``replaces`` lists the evaluations that
    this one stands in the place of, the nearest first. The score is what the other machine computed: it is
    compared, never taken.
    """

    id: str
    subject_id: str
    version_id: str
    version_hash: str
    subject_hash: str
    assignment_id: str | None = None
    evaluator_type: EvaluatorType = EvaluatorType.HUMAN
    status: EvaluationStatus = EvaluationStatus.DRAFT
    replaces: tuple[str, ...] = ()
    reason: str | None = None
    cursor: str | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None
    submitted_at: datetime | None = None
    normalized_score: float | None = None
    answers: tuple[PacketAnswer, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing yet."""
        return not self.answers


class Declined(Value, frozen=True, kw_only=True):
    """An assignment that the reviewer gave back."""

    assignment_id: str
    subject_id: str
    reason: str


class Packet(Value, frozen=True, kw_only=True):
    """A packet, whole. A return has no rubrics, subjects and assignments; only a return has ``declined``."""

    manifest: Manifest
    rubrics: tuple[PacketRubric, ...] = ()
    subjects: tuple[Subject, ...] = ()
    assignments: tuple[PacketAssignment, ...] = ()
    evaluations: tuple[PacketEvaluation, ...] = ()
    declined: tuple[Declined, ...] = ()


_KINDS: Final[dict[str, dict[str, type[Value]]]] = {
    "work": {
        "rubrics": PacketRubric,
        "subjects": Subject,
        "assignments": PacketAssignment,
        "evaluations": PacketEvaluation,
    },
    "return": {"evaluations": PacketEvaluation, "declined": Declined},
}


def digest(value: Value) -> str:
    """SHA-256 (64 hex digits) of a value of a packet; equal values give the same, wherever they are.

    Every number in one is a float by its type, so that its JSON is the same on both sides.
    """
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()


# -- writing -----------------------------------------------------------------------------------------


def packet_bytes(
    packet: Packet, *, passphrase: str | None = None, sign: bool, encrypt: bool = False
) -> bytes:
    """The file of a packet: the same packet gives the same bytes, but for the salts of a passphrase.

    Args:
        passphrase: what ``sign`` and ``encrypt`` use.
        sign: put a signature over all of it into the manifest.
        encrypt: encrypt the whole file, in the format of ``age``.

    Raises:
        PacketError: encryption is not installed, or the packet is larger than one may be.
    """
    members = {}
    for name in _KINDS[packet.manifest.kind]:
        lines = [msgspec.json.encode(value, order="deterministic") for value in getattr(packet, name)]
        members[f"{name}.jsonl"] = b"".join(line + b"\n" for line in lines)
    manifest = msgspec.structs.replace(
        packet.manifest,
        is_signed=sign,
        members=tuple(
            Member(name=name, sha256=hashlib.sha256(data).hexdigest(), size=len(data))
            for name, data in members.items()
        ),
        signature=None,
    )
    if sign:
        manifest = msgspec.structs.replace(manifest, signature=signed(_covered(manifest), passphrase or ""))
    whole = {MANIFEST: (canonical_json(msgspec.to_builtins(manifest)) + "\n").encode(), **members}
    data = pack(whole)
    return encrypted(data, passphrase or "") if encrypt else data


def _covered(manifest: Manifest) -> bytes:
    """What a signature is of: the manifest without it, and with it, by their hashes, all members."""
    bare = msgspec.structs.replace(manifest, signature=None)
    return canonical_json(msgspec.to_builtins(bare)).encode()


# -- reading -----------------------------------------------------------------------------------------


def read_packet(data: bytes, *, where: str, passphrase: Passphrase | None = None) -> Packet:
    """The packet in a file's bytes, checked from the outside in: encryption, zip, manifest, members, signature,
    values, hashes of versions and subjects.

    Args:
        where: the file's name, for messages.
        passphrase: gives the passphrase when the file is encrypted or signed.

    Raises:
        PacketError: it is no packet, damaged, altered, of a newer version, or the passphrase is missing or wrong.
        InvalidInputError: a value in it is not what it should be.
    """
    asked = _once(passphrase)
    if is_encrypted(data):
        data = decrypted(data, _needed(asked, where, "encrypted"), where=where)
    members = unpack(data, where=where)
    manifest = _manifest(members, where)
    _check_members(manifest, members, where)
    if manifest.is_signed != (manifest.signature is not None):
        raise PacketError(f"{where}: the signature was taken out.", remedy="Ask for the file again.")
    if manifest.signature is not None:
        verify(manifest.signature, _covered(manifest), _needed(asked, where, "signed"), where=where)
    found: dict[str, Any] = {
        name: tuple(_values(members[f"{name}.jsonl"], kind, f"{where}: {name}.jsonl"))
        for name, kind in _KINDS[manifest.kind].items()
    }
    packet = Packet(manifest=manifest, **found)
    _check_values(packet, where)
    return packet


def _once(passphrase: Passphrase | None) -> Passphrase | None:
    known: list[str] = []

    def ask() -> str:
        assert passphrase is not None
        if not known:
            known.append(passphrase())
        return known[0]

    return ask if passphrase is not None else None


def _needed(passphrase: Passphrase | None, where: str, how: str) -> str:
    if passphrase is None:
        raise PacketError(f"{where} is {how}.", remedy="Give the passphrase it was made with.")
    return passphrase()


def _manifest(members: dict[str, bytes], where: str) -> Manifest:
    if MANIFEST not in members:
        raise PacketError(f"{where} has no {MANIFEST}: it is no packet.", remedy="Give a packet's file.")
    place = f"{where}: {MANIFEST}"
    value = json_value(members[MANIFEST], place)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise PacketError(f"{place} is of no packet.", remedy="Give a packet's file.")
    version = value.get("format_version")
    if type(version) is not int or version < 1:
        raise PacketError(f"{place} has no format_version.", remedy="Ask for the file again.")
    if version > FORMAT_VERSION:
        raise PacketError(
            f"{where} was made by a newer version of rubrictui (format {version}, this one reads {FORMAT_VERSION}).",
            remedy="Upgrade rubrictui.",
        )
    return _convert(value, Manifest, place)


def _check_members(manifest: Manifest, members: dict[str, bytes], where: str) -> None:
    listed = {member.name: member for member in manifest.members}
    wanted = {f"{name}.jsonl" for name in _KINDS[manifest.kind]}
    for name in sorted(wanted | listed.keys() | (members.keys() - {MANIFEST})):
        what = None
        if name not in wanted:
            what = f"{name} has no place in it"
        elif name not in members or name not in listed:
            what = f"{name} is missing"
        elif hashlib.sha256(members[name]).hexdigest() != listed[name].sha256:
            what = f"{name} was altered after the packet was made"
        if what is not None:
            raise PacketError(f"{where}: {what}.", remedy="Nothing of it was used. Ask for the file again.")


def _values(data: bytes, kind: type[T], where: str) -> Iterator[T]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            place = f"{where}, line {number}"
            value = json_value(line, place)
            if kind is PacketRubric and isinstance(value, dict) and isinstance(value.get("version"), dict):
                version_from_json(value["version"], where=place)
            yield _convert(value, kind, place)


def _convert(value: Any, kind: type[T], where: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise unfit(error, value, where) from None


def _check_values(packet: Packet, where: str) -> None:
    """What no reader of a packet has to look at again: ids stand once and lead somewhere, hashes are true."""
    _each_once((rubric.version.id for rubric in packet.rubrics), f"{where}: rubrics.jsonl")
    _each_once((subject.id for subject in packet.subjects), f"{where}: subjects.jsonl")
    _each_once(
        (f"{subject.entity}/{subject.record_id}" for subject in packet.subjects), f"{where}: subjects.jsonl"
    )
    _each_once((one.id for one in packet.assignments), f"{where}: assignments.jsonl")
    _each_once((one.id for one in packet.evaluations), f"{where}: evaluations.jsonl")
    _each_once((one.assignment_id for one in packet.declined), f"{where}: declined.jsonl")
    for rubric in packet.rubrics:
        version = rubric.version
        true = (content_hash(version), scoring_hash(version))
        if (rubric.content_hash, rubric.scoring_hash) != true or version.rubric_id != rubric.rubric_id:
            what = f'rubrics.jsonl: "{rubric.name}" is not what its hashes say'
            raise PacketError(f"{where}: {what}.", remedy="Ask for the file again.")
    for subject in packet.subjects:
        if subject.content_hash != subject_hash(subject):
            what = f'subjects.jsonl: "{subject.title or subject.record_id}" is not what its hash says'
            raise PacketError(f"{where}: {what}.", remedy="Ask for the file again.")
    for number, evaluation in enumerate(packet.evaluations, start=1):
        place = f"{where}: evaluations.jsonl, line {number}"
        _check_evaluation(evaluation, place)
    if packet.manifest.kind == "work":
        _check_references(packet, where)


def _check_evaluation(evaluation: PacketEvaluation, place: str) -> None:
    statuses = (EvaluationStatus.DRAFT, EvaluationStatus.SUBMITTED, EvaluationStatus.WITHDRAWN)
    if evaluation.status not in statuses:
        raise PacketError(f"{place}: it is {evaluation.status.value}.", remedy="Ask for the file again.")
    if evaluation.evaluator_type not in (EvaluatorType.HUMAN, EvaluatorType.SELF):
        kind = evaluation.evaluator_type.value
        raise PacketError(
            f"{place}: a packet brings no {kind} evaluations.", remedy="Record it with rubrictui submit."
        )
    answers_from_json(
        [msgspec.to_builtins(one.answer) for one in evaluation.answers], where=f"{place}: answers"
    )
    _each_once((one.answer.criterion_id for one in evaluation.answers), place)


def _check_references(packet: Packet, where: str) -> None:
    versions = {rubric.version.id: rubric for rubric in packet.rubrics}
    subjects = {subject.id: subject for subject in packet.subjects}
    parts: dict[str, Sequence[PacketAssignment | PacketEvaluation]] = {
        "assignments": packet.assignments,
        "evaluations": packet.evaluations,
    }
    for name, rows in parts.items():
        for number, row in enumerate(rows, start=1):
            if row.subject_id not in subjects or row.version_id not in versions:
                what = "its subject or its rubric version is not in the packet"
                raise PacketError(
                    f"{where}: {name}.jsonl, line {number}: {what}.", remedy="Ask for the file again."
                )


def _each_once(ids: Iterable[str], place: str) -> None:
    met: set[str] = set()
    for id in ids:
        if not id.strip() or id in met:
            what = f'the id "{id}" stands twice' if id.strip() else "an id is missing"
            raise PacketError(f"{place}: {what}.", remedy="Ask for the file again.")
        met.add(id)
