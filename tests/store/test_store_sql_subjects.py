"""Subjects out of a PostgreSQL database: its types as data, percent signs as they are, and nothing written."""

from __future__ import annotations

from typing import Any

import pytest

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.subjects_sql import read_sql_subjects


@pytest.fixture
def talks(postgres: Any) -> str:
    url: str = postgres.empty_database()
    postgres.execute(url, "CREATE TABLE talk (id int, title text, facts jsonb, fee numeric, at timestamptz)")
    postgres.execute(
        url,
        "INSERT INTO talk VALUES (1, '50% off', '{\"x\": 1}', 1.5, '2027-01-01T00:00:00Z'), (2, 'b', NULL, 2, NULL)",
    )
    postgres.execute(url, "CREATE FUNCTION sly() RETURNS int LANGUAGE sql AS 'DELETE FROM talk RETURNING id'")
    return url


def test_types_of_the_server_become_data_and_nothing_can_be_written(talks: str) -> None:
    first, second = read_sql_subjects(
        talks, "SELECT * FROM talk WHERE title LIKE '%0\\% o%' OR id % 2 = 0 ORDER BY id"
    ).subjects
    assert first.title == "50% off"
    assert first.data is not None
    assert (first.data["facts"], first.data["fee"], first.data["at"][:10]) == ({"x": 1}, 1.5, "2027-01-01")
    assert second.data == {"facts": None, "fee": 2, "at": None}
    with pytest.raises(InvalidInputError, match="read-only transaction"):
        read_sql_subjects(talks, "SELECT sly() AS id")
    with pytest.raises(InvalidInputError):
        read_sql_subjects(talks, "WITH gone AS (DELETE FROM talk RETURNING id) SELECT id FROM gone")
    assert len(read_sql_subjects(talks, "SELECT id FROM talk").subjects) == 2
