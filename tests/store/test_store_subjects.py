"""Subjects in bulk: on either dialect what comes back is what was given, and nothing else is touched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from sqlalchemy import select

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.records import Subject, SubjectFile
from rubrictui.store import subjects
from rubrictui.store.database import Database
from rubrictui.store.tables import SUBJECT

NOW = datetime(2027, 3, 1, 9, 30, 15, 123456, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
TALK = Subject(
    id="s-1",
    entity="Talk",
    record_id="a:b/c",
    title="Ünïcode :x %s %(y)s ?",
    text="One\nTwo 'three' \"four\" \\",
    data={"z": 1.5, "a": [None, True, "é", {"k": ":v"}]},
    files=(SubjectFile(name="slides.pdf", media_type="application/pdf", size=3, sha256="0" * 64),),
    content_hash="1" * 64,
)
BARE = Subject(id="s-2", entity="Talk", record_id="bare", title="bare", content_hash="2" * 64)


def put(database: Database, *given: Subject, at: datetime = NOW, change: bool = False) -> None:
    rows = [subjects.subject_row(each, id=each.id, at=at, by="ann") for each in given]
    with database.write() as connection:
        (subjects.change_rows if change else subjects.add_rows)(connection, rows)


def test_subjects_come_back_as_they_were_given(database: Database) -> None:
    put(database, TALK, BARE)
    with database.read() as connection:
        assert subjects.subjects(connection) == (TALK, BARE)
        (stored, _) = subjects.subjects(connection)
        assert list((stored.data or {}).items()) == list((TALK.data or {}).items())
        row = connection.execute(select(SUBJECT).where(SUBJECT.c.id == "s-2")).one()
        assert (row.data, row.files) == (None, None)
        assert (row.created_at, row.updated_at, row.created_by) == (NOW, NOW, "ann")


def test_a_change_replaces_the_content_and_leaves_name_origin_and_others(database: Database) -> None:
    put(database, TALK, BARE)
    changed = msgspec.structs.replace(BARE, text="New.", data={"n": 1}, content_hash="3" * 64)
    put(database, changed, at=LATER, change=True)
    with database.read() as connection:
        assert subjects.subjects(connection) == (TALK, changed)
        row = connection.execute(select(SUBJECT).where(SUBJECT.c.id == "s-2")).one()
        assert (row.created_at, row.updated_at) == (NOW, LATER)


def test_what_is_known_is_found_by_name_whatever_its_number(database: Database) -> None:
    many = [Subject(id=f"m-{n}", entity=f"E{n % 2}", record_id=f"r{n}") for n in range(1_100)]
    put(database, *many)
    names = [(each.entity, each.record_id) for each in many]
    with database.read() as connection:
        known = subjects.known_subjects(connection, [*names, ("E0", "r1"), ("E9", "r0")])
        assert {name: found.id for name, found in known.items()} == dict(
            zip(names, (each.id for each in many), strict=True)
        )
        assert subjects.taken_ids(connection, ["m-7", "m-none", *(each.id for each in many)]) == {
            each.id for each in many
        }
        assert (subjects.known_subjects(connection, []), subjects.taken_ids(connection, [])) == ({}, set())


def test_a_text_that_cannot_be_stored_is_refused_in_one_line_and_adds_nothing(database: Database) -> None:
    with pytest.raises(InvalidInputError, match="lone surrogate"):
        put(database, BARE, msgspec.structs.replace(TALK, text="\ud800"))
    with database.read() as connection:
        assert subjects.subjects(connection) == ()
