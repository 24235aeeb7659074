"""Packets as files: what one machine writes another reads, and whatever was done to it in between is told."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import warnings
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rubrictui.core.canonical import canonical_json, content_hash, scoring_hash, subject_hash
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.hidden_fields import without_fields
from rubrictui.core.model import Answer, Level, Node, Scale, VersionSnapshot, VersionStatus
from rubrictui.core.records import Subject
from rubrictui.interchange import packets_seal, packets_zip
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
    packet_bytes,
    read_packet,
)
from rubrictui.interchange.packets_errors import PacketError

change = msgspec.structs.replace
NOON = datetime(2027, 1, 1, 12, tzinfo=UTC)
SECRET = "correct horse"
SCALE = Scale(
    id="scale",
    levels=(
        Level(id="no", label="No", value=0, normalized_value=0, sequence=0),
        Level(id="yes", label="Yes", value=1, normalized_value=1, sequence=1),
    ),
)
VERSION = VersionSnapshot(
    id="version",
    rubric_id="rubric",
    rubric_name="Paper review",
    major_version=1,
    minor_version=0,
    patch_version=0,
    status=VersionStatus.PUBLISHED,
    nodes=(Node(id="n", key="argument", name="Argument", scale_id="scale"),),
    scales=(SCALE,),
)


def paper(**changes: Any) -> Subject:
    made = Subject(id="tides", entity="Paper", record_id="tides", title="Tides", text="Tides rise. Ébb.")
    made = change(made, **changes)
    return change(made, content_hash=subject_hash(made))


def manifest(kind: str = "work") -> Manifest:
    return Manifest(
        kind=kind,  # type: ignore[arg-type]
        packet_id="packet",
        store_id="store",
        made_at=NOON,
        made_with="0",
        round=PacketRound(id="round", entity="Round", record_id="spring", name="Spring", due_at=NOON),
        reviewer=PacketReviewer(name="rita"),
    )


def evaluation(**changes: Any) -> PacketEvaluation:
    made = PacketEvaluation(
        id="evaluation",
        subject_id="tides",
        version_id="version",
        version_hash=content_hash(VERSION),
        subject_hash=paper().content_hash,
        answers=(PacketAnswer(answer=Answer(criterion_id="n", scale_level_id="yes", rationale="So.")),),
    )
    return change(made, **changes)


def work(**changes: Any) -> Packet:
    rubric = PacketRubric(
        rubric_id="rubric",
        name="Paper review",
        version=VERSION,
        content_hash=content_hash(VERSION),
        scoring_hash=scoring_hash(VERSION),
    )
    made = Packet(
        manifest=manifest(),
        rubrics=(rubric,),
        subjects=(paper(),),
        assignments=(PacketAssignment(id="a", subject_id="tides", rubric_id="rubric", version_id="version"),),
        evaluations=(evaluation(),),
    )
    return change(made, **changes)


def packet_file(packet: Packet | None = None) -> bytes:
    return packet_bytes(packet or work(), sign=False)


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(*pairs: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", method) as archive:
        warnings.simplefilter("ignore")  # a name that stands twice is what is tried
        for name, data in pairs:
            archive.writestr(name, data)
    return buffer.getvalue()


def resealed(changed: dict[str, bytes], **facts: Any) -> bytes:
    """A file whose manifest fits members that were changed: what somebody would make who knows the format."""
    whole = {**members(packet_file()), **changed}
    told = json.loads(whole["manifest.json"])
    for member in told["members"]:
        data = whole[member["name"]]
        member.update(sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    whole["manifest.json"] = canonical_json({**told, **facts}).encode()
    return zipped(*whole.items())


def line(value: Any) -> bytes:
    return msgspec.json.encode(value) + b"\n"


# -- what is written is read -------------------------------------------------------------------------


def test_a_packet_comes_out_as_it_went_in() -> None:
    read = read_packet(packet_file(), where="x")
    assert change(read, manifest=change(read.manifest, members=())) == work()
    assert [member.name for member in read.manifest.members] == [
        "rubrics.jsonl",
        "subjects.jsonl",
        "assignments.jsonl",
        "evaluations.jsonl",
    ]


def test_a_return_carries_answers_and_what_was_declined_and_nothing_else() -> None:
    packet = Packet(
        manifest=manifest("return"),
        evaluations=(evaluation(),),
        declined=(Declined(assignment_id="a", subject_id="tides", reason="I know the author."),),
    )
    data = packet_file(packet)
    assert set(members(data)) == {"manifest.json", "evaluations.jsonl", "declined.jsonl"}
    read = read_packet(data, where="x")
    assert (read.evaluations, read.declined) == (packet.evaluations, packet.declined)


def test_the_same_packet_is_the_same_bytes() -> None:
    assert packet_file() == packet_file()


def test_a_signed_packet_is_read_with_its_passphrase_only() -> None:
    data = packet_bytes(work(), passphrase=SECRET, sign=True)
    assert read_packet(data, where="x", passphrase=lambda: SECRET).manifest.is_signed
    with pytest.raises(PacketError, match="the passphrase is wrong, or the packet was altered"):
        read_packet(data, where="x", passphrase=lambda: "another one")
    with pytest.raises(PacketError, match="x is signed"):
        read_packet(data, where="x")


def test_an_encrypted_packet_shows_nothing_and_asks_once() -> None:
    asked: list[str] = []

    def ask() -> str:
        asked.append("?")
        return SECRET

    data = packet_bytes(work(), passphrase=SECRET, sign=True, encrypt=True)
    assert data.startswith(b"age-encryption.org/v1")
    assert b"manifest" not in data
    assert read_packet(data, where="x", passphrase=ask).subjects == (paper(),)
    assert asked == ["?"]
    with pytest.raises(PacketError, match="x cannot be decrypted: the passphrase is wrong"):
        read_packet(data, where="x", passphrase=lambda: "another one")
    with pytest.raises(PacketError, match="x cannot be decrypted: it is damaged"):
        read_packet(data[:-20], where="x", passphrase=ask)
    with pytest.raises(PacketError, match="x is encrypted"):
        read_packet(data, where="x")


def test_a_signature_costs_what_it_costs_whatever_the_file_says() -> None:
    made = packets_seal.signed(b"content", SECRET)
    packets_seal.verify(made, b"content", SECRET, where="x")
    for broken in (change(made, algorithm="none"), change(made, salt="00"), change(made, salt="zz" * 16)):
        with pytest.raises(PacketError, match="signed in a way"):
            packets_seal.verify(broken, b"content", SECRET, where="x")
    with pytest.raises(PacketError, match="does not fit"):
        packets_seal.verify(change(made, value="é"), b"content", SECRET, where="x")


def test_a_short_passphrase_is_refused_for_a_new_packet() -> None:
    with pytest.raises(PacketError, match="fewer than 8"):
        packets_seal.check_passphrase("1234567")


# -- what was done to it is told ---------------------------------------------------------------------


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def with_member(name: str, body: bytes = b"x", mode: int = 0o100600) -> Callable[[bytes], bytes]:
    def add(data: bytes) -> bytes:
        info = zipfile.ZipInfo(name)
        info.create_system = 3
        info.external_attr = mode << 16
        return zipped(*members(data).items(), (info, body))

    return add


def without_member(data: bytes) -> bytes:
    return zipped(*((name, body) for name, body in members(data).items() if name != "subjects.jsonl"))


def altered(name: str) -> Callable[[bytes], bytes]:
    def alter(data: bytes) -> bytes:
        return zipped(*({**members(data), name: members(data)[name].replace(b"i", b"j", 1)}).items())

    return alter


def flipped(data: bytes) -> bytes:
    """A bit of the second member's packed bytes, with its checksum as it was."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.getinfo("subjects.jsonl").header_offset + 30 + len("subjects.jsonl")
    return data[: start + 12] + bytes([data[start + 12] ^ 0x40]) + data[start + 13 :]


def lying_about_size(data: bytes) -> bytes:
    """The directory at the end says that every member unpacks to 10 bytes."""
    at = data.find(b"PK\x01\x02")
    while at != -1:
        data = data[: at + 24] + struct.pack("<I", 10) + data[at + 28 :]
        at = data.find(b"PK\x01\x02", at + 4)
    return data


def bomb(data: bytes) -> bytes:
    """Zeros that unpack to 4 GB, as the file says; 64 MB of them are there."""
    made = bytearray(zipped(("manifest.json", bytes(64 << 20))))
    at = made.find(b"PK\x01\x02")
    made[at + 24 : at + 28] = struct.pack("<I", (4 << 30) - 1)
    return bytes(made)


def newer(data: bytes) -> bytes:
    return resealed({}, format_version=2, something_new=True)


DAMAGE: list[tuple[str, Callable[[bytes], bytes], str]] = [
    ("empty", lambda _: b"", "it is no zip file"),
    ("text", lambda _: b"hello", "it is no zip file"),
    ("cut short", cut, "damaged or cut short"),
    ("another zip", lambda _: zipped(("hello.txt", b"x")), "has no manifest.json: it is no packet"),
    ("another manifest", lambda _: zipped(("manifest.json", b'{"a": 1}')), "manifest.json is of no packet"),
    ("no json", lambda _: zipped(("manifest.json", b"{")), "manifest.json: this is not JSON"),
    ("newer", newer, "made by a newer version of rubrictui"),
    ("a member altered", altered("subjects.jsonl"), "subjects.jsonl was altered"),
    ("another member altered", altered("evaluations.jsonl"), "evaluations.jsonl was altered"),
    ("a bit flipped", flipped, "subjects.jsonl is damaged"),
    ("a member missing", without_member, "subjects.jsonl is missing"),
    ("a member too many", with_member("notes.txt"), "notes.txt has no place in it"),
    ("a member twice", with_member("subjects.jsonl"), 'member "subjects.jsonl" stands twice'),
    ("a path upwards", with_member("../../evil.txt"), "has a path, and a packet has none"),
    ("an absolute path", with_member("/etc/passwd"), "has a path, and a packet has none"),
    ("a drive", with_member("C:evil"), "has a path, and a packet has none"),
    ("a backslash", with_member("..\\evil"), "has a path, and a packet has none"),
    ("a hidden name", with_member(".profile"), "has a path, and a packet has none"),
    ("a link", with_member("evil", b"/etc/passwd", 0o120777), 'member "evil" is a link'),
    ("a folder", with_member("folder/", b"", 0o040700), "has a path, and a packet has none"),
    ("a device", with_member("evil", b"", 0o020600), 'member "evil" is no file'),
    ("another packing", lambda d: zipped(*members(d).items(), method=zipfile.ZIP_LZMA), "packed in a way"),
    ("a size that lies", lying_about_size, "damaged"),
    ("zeros", bomb, "would unpack to 4,096 MB"),
    (
        "many members",
        lambda _: zipped(*((f"m{n}", b"") for n in range(17))),
        "more members than a packet has",
    ),
    (
        "very many members",
        lambda _: zipped(*((f"m{n}", b"") for n in range(100))),
        "more members than a packet has",
    ),
]


@pytest.mark.parametrize(("damage", "told"), [row[1:] for row in DAMAGE], ids=[row[0] for row in DAMAGE])
def test_a_file_that_is_no_sound_packet_is_refused_in_a_line(
    damage: Callable[[bytes], bytes], told: str
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        read_packet(damage(packet_file()), where="rita.packet")
    line = str(refused.value)
    assert told in line
    assert line.startswith("rita.packet")
    assert "\n" not in line


def forged_version(**changes: Any) -> bytes:
    forged = msgspec.structs.replace(work().rubrics[0], version=change(VERSION, **changes))
    return resealed({"rubrics.jsonl": line(forged)})


FORGED: list[tuple[str, Callable[[], bytes], str]] = [
    (
        "a rubric that is not its hash",
        lambda: forged_version(pass_threshold=0.9),
        '"Paper review" is not what its hashes say',
    ),
    (
        "a subject that is not its hash",
        lambda: resealed({"subjects.jsonl": line(change(paper(), text="Other."))}),
        '"Tides" is not what its hash says',
    ),
    (
        "an unknown field",
        lambda: resealed({"assignments.jsonl": b'{"id": "a", "evil": 1}\n'}),
        'assignments.jsonl, line 1: $: "evil" is not a known key',
    ),
    (
        "half a line",
        lambda: resealed({"evaluations.jsonl": b'{"id": \n'}),
        "evaluations.jsonl, line 1: this is not JSON",
    ),
    (
        "an assignment of nothing",
        lambda: resealed({"assignments.jsonl": line(change(work().assignments[0], subject_id="x"))}),
        "its subject or its rubric version is not in the packet",
    ),
    (
        "an id twice",
        lambda: resealed({"evaluations.jsonl": line(evaluation()) * 2}),
        'the id "evaluation" stands twice',
    ),
    (
        "a machine's evaluation",
        lambda: resealed({"evaluations.jsonl": line({**json.loads(line(evaluation())), "evaluator_type": "AIPrompt"})}),
        "a packet brings no AIPrompt evaluations",
    ),
    (
        "a status of its own",
        lambda: resealed({"evaluations.jsonl": line({**json.loads(line(evaluation())), "status": "Failed"})}),
        "it is Failed",
    ),
    (
        "a confidence out of range",
        lambda: resealed(
            {
                "evaluations.jsonl": line(
                    evaluation(
                        answers=(PacketAnswer(answer=Answer(criterion_id="n", raw_value=1, confidence=7)),)
                    )
                )
            }
        ),
        "a confidence of 7 is out of range",
    ),
    (
        "a signature taken out",
        lambda: resealed({}, is_signed=True),
        "the signature was taken out",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("forge", "told"), [row[1:] for row in FORGED], ids=[row[0] for row in FORGED])
def test_values_that_cannot_be_are_refused_where_they_stand(forge: Callable[[], bytes], told: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        read_packet(forge(), where="rita.packet")
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_was_altered_with_care_is_found_by_the_signature() -> None:
    data = packet_bytes(work(), passphrase=SECRET, sign=True)
    told = json.loads(members(data)["manifest.json"])
    forged = resealed({}, is_signed=True, signature=told["signature"], made_with="1")
    with pytest.raises(PacketError, match="the packet was altered"):
        read_packet(forged, where="x", passphrase=lambda: SECRET)


def test_files_that_are_no_files_are_refused_in_a_line(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    for path, told in (
        (tmp_path, "is a folder"),
        (tmp_path / "none", "does not exist"),
        (tmp_path / "pipe", "is no regular file"),
    ):
        with pytest.raises(PacketError, match=told):
            packets_zip.read_file(path)


def test_a_file_too_large_for_a_packet_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(packets_zip.MAX_FILE + 1)
    with pytest.raises(PacketError, match="is larger than 256 MB"):
        packets_zip.read_file(path)


# -- what reviewers do not get to see ----------------------------------------------------------------

DATA = {"author": {"name": "Ann", "town": "Bern"}, "pages": 3, "people": [{"name": "Bo"}, {"age": 4}]}
HIDDEN: list[tuple[list[str], Any]] = [
    ([], DATA),
    (["nowhere", "pages.more", "author.name.x"], DATA),
    (["author"], {"pages": 3, "people": DATA["people"]}),
    (["author.name"], {**DATA, "author": {"town": "Bern"}}),
    (["people.name"], {**DATA, "people": [{}, {"age": 4}]}),
    (["people.1.age"], {**DATA, "people": [{"name": "Bo"}, {}]}),
    (["people.0"], {**DATA, "people": [None, {"age": 4}]}),
    (["author", "people", "pages"], {}),
]


@pytest.mark.parametrize(("paths", "left"), HIDDEN, ids=[",".join(row[0]) or "none" for row in HIDDEN])
def test_hidden_fields_are_taken_out_and_the_hash_is_of_what_is_left(paths: list[str], left: Any) -> None:
    subject = paper(data=DATA)
    shown = without_fields(subject, paths)
    assert shown.data == left
    assert shown.content_hash == subject_hash(shown)
    assert subject.data == DATA


def test_a_subject_without_data_has_nothing_to_hide() -> None:
    assert without_fields(paper(), ["author"]) == paper()
