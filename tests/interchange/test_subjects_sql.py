"""Subjects from a query: rows as subjects, a database that is only read, and passwords that are never told."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.subjects_in import Options
from rubrictui.interchange.subjects_sql import read_sql_subjects


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    path = tmp_path / "talks.db"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE talk (id INTEGER, name TEXT, abstract TEXT, minutes REAL, slides BLOB)")
        made.executemany(
            "INSERT INTO talk VALUES (?, ?, ?, ?, ?)",
            [(1, "Tides", "They rise.", 20.0, b"\0\1"), (2, "Waves", None, None, None)],
        )
    made.close()
    return path


def test_a_row_is_a_subject(talks: Path) -> None:
    found = read_sql_subjects(f"sqlite:///{talks}", "SELECT * FROM talk ORDER BY id", Options(entity="Talk"))
    first, second = found.subjects
    assert (first.entity, first.record_id, first.title, first.text) == ("Talk", "1", "Tides", "They rise.")
    assert first.data == {"minutes": 20.0, "slides": "(2 bytes)"}
    assert (second.record_id, second.text) == ("2", "")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM talk WHERE name LIKE '%;%' OR id = 1;\n",
        "-- one; two\nSELECT * FROM talk WHERE id = 1 /* ; */",
    ],
)
def test_semicolons_and_percent_signs_inside_are_only_text(talks: Path, query: str) -> None:
    assert [one.record_id for one in read_sql_subjects(f"sqlite:///{talks}", query).subjects] == ["1"]


def test_fields_are_named_as_for_files(talks: Path) -> None:
    options = Options(id_field="name", title_field="abstract", text_field="name")
    with pytest.raises(InvalidInputError, match="row 1: there is no field"):
        read_sql_subjects(f"sqlite:///{talks}", "SELECT id FROM talk", options)
    found = read_sql_subjects(
        f"sqlite:///{talks}", "WITH t AS (SELECT name, abstract AS body FROM talk) SELECT * FROM t",
        Options(id_field="name"),
    )  # fmt: skip
    assert [one.record_id for one in found.subjects] == ["Tides", "Waves"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("DELETE FROM talk", "does not only read"),
        ("/* SELECT */ DROP TABLE talk", "does not only read"),
        ("WITH t AS (SELECT 1) DELETE FROM talk", "readonly"),
        ("SELECT 1; DELETE FROM talk", "more than one statement"),
        ("SELECT ';'; COMMIT; DELETE FROM talk;", "more than one statement"),
        ("SELECT missing FROM talk", "no such column"),
        ("SELECT id, id FROM talk", 'two columns "id"'),
        ("SELECT id FROM talk WHERE id = 9", "no rows"),
        ("SELECT 7 AS id FROM talk", 'record id "7" was used before'),
    ],
)
def test_a_query_that_writes_fails_or_gives_nothing_is_refused_in_a_line(
    talks: Path, query: str, words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words) as told:
        read_sql_subjects(f"sqlite:///{talks}", query)
    assert "\n" not in str(told.value)
    with sqlite3.connect(talks) as there:
        assert there.execute("SELECT count(*) FROM talk").fetchone() == (2,)
    there.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("not a url hunter2", "cannot be read"),
        ("nodb://me:hunter2@host/x", 'no database "nodb"'),
        ("postgresql+psycopg://me:hunter2@127.0.0.1:1/x", r"me:\*\*\*@127"),
        ("sqlite:////nowhere/at/all.db", "does not exist"),
    ],
)
def test_a_url_that_does_not_work_is_told_without_its_password(url: str, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words) as told:
        read_sql_subjects(url, "SELECT 1")
    assert "hunter2" not in str(told.value)
