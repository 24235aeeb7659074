"""Stores are made and upgraded by migrations: whole, once, with a copy kept, and never downwards."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, inspect

from rubrictui.store import revision, upgrade, upkeep
from rubrictui.store.database import Database
from rubrictui.store.errors import StoreError, StoreNewerError, StoreOutdatedError


def test_the_models_and_the_migrated_schema_agree(database: Database) -> None:
    with database.read() as connection:
        assert upgrade.differences(connection) == []


def test_a_fresh_store_is_sound_and_knows_itself(database: Database) -> None:
    with database.read() as connection:
        assert upkeep.soundness(connection) == ()
        assert set(upkeep.facts(connection)) == {"store_id", "created_at", "created_by"}
        assert upkeep.is_empty(connection)


def test_a_check_names_what_is_missing_or_altered(database: Database) -> None:
    trigger, view = "frozen_51109_evaluation_delete", "criterion_cohort"
    with database.write() as connection:
        on = "" if database.dialect == "sqlite" else " ON evaluation"
        connection.exec_driver_sql(f"DROP TRIGGER {trigger}{on}")
        connection.exec_driver_sql(f"DROP VIEW {view}")
        if database.dialect == "sqlite":
            connection.exec_driver_sql("DROP VIEW evaluation_cohort")
            connection.exec_driver_sql("CREATE VIEW evaluation_cohort AS SELECT 1 AS evaluation_id")
    try:
        with database.read() as connection:
            found = "\n".join(upkeep.soundness(connection))
        assert f"{trigger} is missing" in found
        assert f"{view} is missing" in found
        if database.dialect == "sqlite":
            assert "evaluation_cohort was altered" in found
    finally:
        if database.dialect == "postgresql":  # the tests share that store
            restore_postgresql(database, trigger)


DAMAGE = [
    ("DROP INDEX ix_evaluation_own", "The index ix_evaluation_own of table evaluation is missing."),
    ("CREATE INDEX mine ON subject (title)", "The index mine of table subject does not belong there."),
    (
        "DROP INDEX ix_evaluation_own; CREATE INDEX ix_evaluation_own ON evaluation (status)",
        "The index ix_evaluation_own of table evaluation is not as it should be.",
    ),
    (
        "ALTER TABLE subject ADD COLUMN colour TEXT",
        "The column colour of table subject does not belong there.",
    ),
    (
        "ALTER TABLE subject RENAME COLUMN title TO heading",
        "The column title of table subject is missing.\n"
        "The column heading of table subject does not belong there.",
    ),
    ("CREATE TABLE notes (id TEXT)", "The table notes does not belong there."),
    (
        "DROP TABLE phrase",
        "The table phrase is missing.\nThe index ix_phrase_user_id of table phrase is missing.",
    ),
    (
        "DROP TABLE role_grant; CREATE TABLE role_grant (id VARCHAR PRIMARY KEY, user_id INTEGER NOT NULL,"
        " role VARCHAR NOT NULL REFERENCES scale (id))",
        "The constraint uq_role_grant_user_id_role of table role_grant is missing.\n"
        "The reference fk_role_grant_user_id of table role_grant is missing.\n"
        "The reference over role of table role_grant does not belong there.\n"
        "The NOT NULL of column id of table role_grant is not as it should be.\n"
        "The type of column user_id of table role_grant is not as it should be.",
    ),
]


@pytest.mark.parametrize(("sql", "told"), DAMAGE, ids=[row[0][:40] for row in DAMAGE])
def test_a_check_says_in_words_how_the_tables_differ(store_path: Path, sql: str, told: str) -> None:
    with closing(sqlite3.connect(store_path)) as raw:
        raw.executescript(sql)
        raw.commit()
    with Database.open(store_path) as database, database.read() as connection:
        assert "\n".join(upkeep.soundness(connection)) == told


def restore_postgresql(database: Database, trigger: str) -> None:
    from rubrictui.store.migrations import triggers_0002, views_0001

    with database.write() as connection:
        connection.exec_driver_sql(
            f"CREATE TRIGGER {trigger} BEFORE DELETE ON evaluation FOR EACH ROW EXECUTE FUNCTION {trigger}()"
        )
        connection.exec_driver_sql(views_0001.statements("postgresql")[2])
    assert any(rule.name == trigger for rule in triggers_0002.RULES)


def test_a_check_finds_a_damaged_file_and_broken_references(store_path: Path) -> None:
    with closing(sqlite3.connect(store_path)) as raw:
        raw.execute("INSERT INTO role_grant VALUES ('1', 'nobody', 'reviewer')")
        raw.commit()
    with Database.open(store_path) as database, database.read() as connection:
        assert "refers to a row of user_account" in " ".join(upkeep.soundness(connection))


def test_the_revision_that_is_read_without_alembic_is_the_newest_migration() -> None:
    assert upgrade.newest() == revision.HEAD


def test_every_foreign_key_has_an_index_that_begins_with_it(store_path: Path) -> None:
    """Else deleting a parent reads the whole child table."""
    with closing(sqlite3.connect(store_path)) as raw:
        pairs = raw.execute(
            'SELECT m.name, f."from" FROM sqlite_master m, pragma_foreign_key_list(m.name) f'
            " WHERE m.type = 'table' AND f.seq = 0"
        ).fetchall()
        indexed = raw.execute(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_index_list(m.name) i,"
            " pragma_index_info(i.name) c WHERE m.type = 'table' AND c.seqno = 0 AND NOT i.partial"
        ).fetchall()
    assert len(pairs) > 25
    assert set(pairs) - set(indexed) == set()


@pytest.fixture
def outdated(store_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of today's revision, opened by a program whose newest is another."""
    monkeypatch.setattr("rubrictui.store.database.HEAD", "next")
    monkeypatch.setattr("rubrictui.store.upgrade.known", lambda found: found in {revision.HEAD, "next"})
    return store_path


def migrate_with(monkeypatch: pytest.MonkeyPatch, step: Callable[[Connection], None]) -> None:
    def run(connection: Connection) -> None:
        step(connection)
        connection.exec_driver_sql(f"UPDATE {revision.REVISION_TABLE} SET version_num = 'next'")

    monkeypatch.setattr("rubrictui.store.upgrade.upgrade", run)


def add_a_table(connection: Connection) -> None:
    connection.exec_driver_sql("CREATE TABLE added (id VARCHAR)")


def test_an_upgrade_keeps_a_copy_of_the_store_as_it_was(
    outdated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate_with(monkeypatch, add_a_table)
    with Database.open(outdated) as database:
        assert database.upgraded_from == revision.HEAD
        assert not database.created
        copy = database.backup_path
    assert copy is not None
    assert copy.parent == outdated.parent
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as raw:
        assert raw.execute("SELECT version_num FROM store_revision").fetchone() == (revision.HEAD,)
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert raw.execute("SELECT count(*) FROM sqlite_master WHERE name = 'added'").fetchone() == (0,)
    with Database.open(outdated) as again:
        assert again.upgraded_from is None
    assert len(list(outdated.parent.glob("*.backup"))) == 1


def test_an_upgrade_that_fails_half_way_leaves_the_store_as_it_was(
    outdated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: Connection) -> None:
        add_a_table(connection)
        connection.exec_driver_sql("ALTER TABLE subject RENAME COLUMN title TO heading")
        raise RuntimeError("power cut")

    migrate_with(monkeypatch, fail)
    with pytest.raises(RuntimeError, match="power cut"):
        Database.open(outdated)
    with closing(sqlite3.connect(outdated)) as raw:
        assert raw.execute("SELECT version_num FROM store_revision").fetchone() == (revision.HEAD,)
        assert raw.execute("SELECT count(*) FROM sqlite_master WHERE name = 'added'").fetchone() == (0,)
        assert "title" in [row[1] for row in raw.execute("PRAGMA table_info(subject)")]


def test_an_upgrade_that_breaks_a_reference_is_undone(
    outdated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def orphan(connection: Connection) -> None:
        connection.exec_driver_sql("INSERT INTO role_grant VALUES ('1', 'nobody', 'reviewer')")

    migrate_with(monkeypatch, orphan)
    with pytest.raises(StoreError, match="broke a reference in role_grant"):
        Database.open(outdated)
    with closing(sqlite3.connect(outdated)) as raw:
        assert raw.execute("SELECT count(*) FROM role_grant").fetchone() == (0,)


def test_a_first_migration_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: Connection) -> None:
        add_a_table(connection)
        raise RuntimeError("power cut")

    monkeypatch.setattr("rubrictui.store.upgrade.upgrade", fail)
    with pytest.raises(RuntimeError, match="power cut"):
        Database.open(tmp_path / "new.db")
    monkeypatch.undo()
    with Database.open(tmp_path / "new.db") as database:
        assert database.created


def test_reading_alone_does_not_upgrade(outdated: Path) -> None:
    before = outdated.read_bytes()
    with pytest.raises(StoreOutdatedError, match="db migrate"):
        Database.open(outdated, read_only=True)
    assert outdated.read_bytes() == before


def test_a_store_from_a_newer_version_is_refused_and_not_touched(store_path: Path) -> None:
    with closing(sqlite3.connect(store_path)) as raw:
        raw.execute("UPDATE store_revision SET version_num = '9999'")
        raw.commit()
    before = store_path.read_bytes()
    with pytest.raises(StoreNewerError, match=r"newer version of rubrictui.*Upgrade") as refused:
        Database.open(store_path)
    assert str(store_path) in str(refused.value)
    assert store_path.read_bytes() == before
    assert list(store_path.parent.glob("*.backup")) == []


def test_a_store_from_a_newer_version_is_refused_on_postgresql(postgres: Any) -> None:
    postgres.execute(postgres.store, "UPDATE store_revision SET version_num = '9999'")
    try:
        with pytest.raises(StoreNewerError):
            Database.open(postgres.store)
    finally:
        postgres.execute(postgres.store, f"UPDATE store_revision SET version_num = '{revision.HEAD}'")


def test_a_store_is_made_in_one_transaction_on_postgresql(
    postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.empty_database()

    def fail(connection: Connection) -> None:
        add_a_table(connection)
        raise RuntimeError("power cut")

    with monkeypatch.context() as patched:
        patched.setattr("rubrictui.store.upgrade.upgrade", fail)
        with pytest.raises(RuntimeError, match="power cut"):
            Database.open(url)
    with Database.open(url) as database:
        assert database.created
        with database.read() as connection:
            assert not inspect(connection).has_table("added")


def test_two_programs_may_make_the_same_store_at_once(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    created: list[bool] = []
    failures: list[BaseException] = []
    start = threading.Barrier(4)

    def make() -> None:
        start.wait()
        try:
            with Database.open(path) as database:
                created.append(database.created)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(created) == [False, False, False, True]


def test_opening_a_current_store_does_not_import_alembic(store_path: Path) -> None:
    code = (
        "import sys; from rubrictui.store.database import Database; Database.open(sys.argv[1]).close();"
        "sys.exit(' '.join(m for m in sys.modules if m.split('.')[0] in ('alembic', 'sqlmodel')) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(store_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_new_store_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with Database.open(tmp_path / "mine.db") as database, database.write():
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    finally:
        os.umask(old)
    assert set(modes.values()) == {0o600}, modes
