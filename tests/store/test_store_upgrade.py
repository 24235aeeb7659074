"""A store that an earlier version made goes on as if it had been made today: whole, and as well protected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from store_rows import START

from rubrictui.store import revision, upgrade, upkeep
from rubrictui.store.database import Database
from rubrictui.store.errors import VersionFrozenError
from rubrictui.store.types import instant_text

FILL = (
    "INSERT INTO rubric (id, name, created_at, created_by) VALUES ('r', 'Old', '{at}', 'ada')",
    "INSERT INTO rubric_version (id, rubric_id, status, not_applicable_policy, score_display_min,"
    " score_display_max, revision, created_at, created_by) VALUES ('v', 'r', 'Draft', 'CountAsZero', 0, 100, 3,"
    " '{at}', 'ada')",
    "UPDATE rubric_version SET status = 'Published', major_version = 1, minor_version = 0, patch_version = 0,"
    " content_hash = 'c', scoring_hash = 's', published_at = '{at}' WHERE id = 'v'",
)


def made_by_the_first_version(target: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def first_only(connection: Connection) -> None:
        from alembic import command

        config = upgrade._config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")

    with monkeypatch.context() as then:
        then.setattr("rubrictui.store.database.HEAD", "0001")
        then.setattr("rubrictui.store.upgrade.upgrade", first_only)
        with Database.open(target) as database, database.write() as connection:
            for statement in FILL:
                connection.exec_driver_sql(statement.format(at=instant_text(START)))


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_a_store_of_the_first_version_is_upgraded_and_stays_frozen(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str
) -> None:
    target: Any = tmp_path / "old.db"
    if dialect == "postgresql":
        target = request.getfixturevalue("postgres").empty_database()
    made_by_the_first_version(target, monkeypatch)
    with Database.open(target) as database:
        assert database.upgraded_from == "0001"
        assert (database.backup_path is not None) is (dialect == "sqlite")
        with database.read() as connection:
            assert database._read_revision(connection) == revision.HEAD
            assert upkeep.soundness(connection) == ()
            row = connection.exec_driver_sql(
                "SELECT status, revision, saved_by, retired_by FROM rubric_version"
            ).one()
        assert tuple(row) == ("Published", 3, None, None)
        for change in ("pass_threshold = 0.5", "saved_by = 'eve'", "retired_by = 'eve'"):
            with pytest.raises(VersionFrozenError), database.write() as connection:
                connection.exec_driver_sql(f"UPDATE rubric_version SET {change}")
