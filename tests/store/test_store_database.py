"""Opening stores and writing to them, also when it cannot be done: one line, the place, the remedy."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select
from store_rows import Rows

from rubrictui.core.errors import InvalidInputError
from rubrictui.store import errors, locations, sqlite_file, upkeep
from rubrictui.store.database import Database, session_user
from rubrictui.store.locations import locate
from rubrictui.store.tables import CATEGORY, RUBRIC, SUBJECT, USER


def store_category(connection: Connection, name: str = "Procurement") -> None:
    connection.execute(insert(CATEGORY).values(id=name, name=name))


def write(database: Database, act: Callable[[Connection], Any] = store_category) -> None:
    with database.write() as connection:
        act(connection)


def categories(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.execute(select(CATEGORY.c.name).order_by(CATEGORY.c.name)).scalars())


# -- where a store is --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("sqlite:////srv/rubrics.db", "/srv/rubrics.db"),
        ("sqlite:///rubrics.db", os.path.abspath("rubrics.db")),
        ("SQLite+pysqlite:////srv/100%?.db", "/srv/100%?.db"),
        ("/srv/../srv/a b.db", "/srv/a b.db"),
        (Path("here.db"), os.path.abspath("here.db")),
        ("~/rubrics.db", str(Path.home() / "rubrics.db")),
    ],
)
def test_a_path_and_a_sqlite_url_name_a_file(target: str | Path, path: str) -> None:
    assert locate(target) == locations.Location(path, path=Path(path))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql+psycopg://ann:s3cret@db/rubrics", "postgresql+psycopg://ann:***@db/rubrics"),
        ("postgres://ann@db/rubrics?password=s3cret&x=1", "postgres://ann@db/rubrics?password=***&x=1"),
        ("postgresql://ann:a/s3cret@db/rubrics", "postgresql://ann:***@db/rubrics"),
        ("postgresql://db/rubrics", "postgresql://db/rubrics"),
    ],
)
def test_a_server_is_shown_without_its_password(url: str, shown: str) -> None:
    location = locate(url)
    assert location.where == shown
    assert location.url == "postgresql+psycopg" + url[url.index("://") :]


@pytest.mark.parametrize(
    ("target", "label"),
    [
        ("postgresql+psycopg://ann:s3cret@db.example/rubrics", "rubrics on db.example"),
        ("postgresql://ann:4#s3/c?r@t@db.example:6543/spring%20panel", "spring panel on db.example:6543"),
        ("postgres://ann@db:5432/rubrics?password=s3cret", "rubrics on db"),
        ("postgres:///rubrics?host=/var/run/pg&password=s3cret", "rubrics on this machine"),
        ("postgres://?dbname=rubrics&host=db&port=99", "rubrics on db:99"),
        ("postgres://ann:s3cret@db", "the usual database on db"),
        ("postgres://ann:s3cret@[db/rubrics", "a PostgreSQL store"),
        ("/srv/spring.db", "spring.db"),
        ("sqlite:////srv/spring.db", "spring.db"),
        (None, "your store"),
    ],
)
def test_a_store_is_called_by_its_name_and_host_and_never_by_a_password(
    target: str | None, label: str
) -> None:
    assert locate(target).label == label


def test_the_users_own_store_is_hers_however_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert locate(locations.default_path()).label == "your store"
    monkeypatch.setenv("RUBRICTUI_DB", "/srv/spring.db")
    assert locate(None).label == "spring.db"


@pytest.mark.parametrize(
    "target", ["mysql://u:s3cret@host/db", "sqlite://", "sqlite:///:memory:", ":memory:", ""]
)
def test_a_store_of_another_kind_is_refused(target: str) -> None:
    with pytest.raises(errors.UnknownStoreKindError) as refused:
        locate(target)
    assert "s3cret" not in str(refused.value)


def test_without_a_target_the_variable_decides_and_then_the_users_own_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert locate(None).path == tmp_path / "data-home" / "rubrictui" / "rubrics.db"
    monkeypatch.setenv("RUBRICTUI_DB", str(tmp_path / "other.db"))
    assert locate(None).path == tmp_path / "other.db"
    assert locate("/srv/x.db").path == Path("/srv/x.db")


def test_the_users_own_folder_is_made(tmp_path: Path) -> None:
    with Database.open() as database:
        assert database.created
        assert database.path == tmp_path / "data-home" / "rubrictui" / "rubrics.db"


# -- what cannot be opened ---------------------------------------------------------------------------


def other_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE music (title)")


def damaged(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + b"\x10\x00\x01\x01\x00\x40\x20\x20" + b"\xff" * 8000)


def locked(path: Path) -> None:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    HELD.append(holder)


HELD: list[sqlite3.Connection] = []

UNUSABLE: list[tuple[str, Callable[[Path], Any], type[errors.StoreError], str]] = [
    ("text", lambda p: p.write_text("my notes\n" * 300), errors.NotAStoreError, "Check the path"),
    ("short text", lambda p: p.write_text("x"), errors.NotAStoreError, "Check the path"),
    ("another program's", other_program, errors.NotAStoreError, "not touched"),
    ("a folder", lambda p: p.mkdir(), errors.NotAStoreError, "Check the path"),
    ("a device", lambda p: p.symlink_to("/dev/null"), errors.NotAStoreError, "Check the path"),
    ("damaged", damaged, errors.StoreDamagedError, "backup"),
    ("locked", locked, errors.StoreLockedError, "Close the other program"),
    ("a dangling link", lambda p: p.symlink_to("gone.db"), errors.DanglingLinkError, "Put that file back"),
    ("a link to itself", lambda p: p.symlink_to(p), errors.DanglingLinkError, "remove the link"),
]


@pytest.mark.parametrize(("what", "make", "kind", "remedy"), UNUSABLE, ids=[row[0] for row in UNUSABLE])
def test_what_cannot_be_opened_says_why_in_one_line(
    tmp_path: Path, what: str, make: Callable[[Path], Any], kind: type[errors.StoreError], remedy: str
) -> None:
    path = tmp_path / "rubrics.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(errors.StoreError) as refused:
        Database.open(path, busy_seconds=0.05)
    assert type(refused.value) is kind
    assert str(path) in refused.value.message
    assert remedy in refused.value.remedy
    assert "\n" not in str(refused.value)
    if before is not None:
        assert path.read_bytes() == before
    while HELD:
        HELD.pop().close()


def test_a_missing_folder_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(errors.MissingFolderError, match="Create the folder"):
        Database.open(tmp_path / "typo" / "rubrics.db")
    (tmp_path / "file").touch()
    with pytest.raises(errors.MissingFolderError):
        Database.open(tmp_path / "file" / "rubrics.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


@pytest.mark.parametrize("options", [{"create": False}, {"read_only": True}])
def test_a_missing_store_is_not_made_when_it_may_not_be(tmp_path: Path, options: dict[str, bool]) -> None:
    with pytest.raises(errors.StoreMissingError, match="There is no store"):
        Database.open(tmp_path / "rubrics.db", **options)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "rubrics.db"
    path.touch()
    with pytest.raises(errors.StoreMissingError):
        Database.open(path, create=False)
    assert path.stat().st_size == 0
    with Database.open(path) as database:
        assert database.created


# -- what may only be read ---------------------------------------------------------------------------


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may write everything, so for a while we are somebody else."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def shared_folder(store_path: Path) -> Iterator[Path]:
    """A folder that anyone may enter, with a store that holds one category."""
    with Database.open(store_path) as database:
        write(database)
    folder = Path(tempfile.mkdtemp(prefix="rubrictui-shared-"))
    folder.chmod(0o755)
    shutil.copy(store_path, folder / "rubrics.db")
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o777), (0o444, 0o555), (0o666, 0o555)])
def test_a_store_that_cannot_be_written_can_be_read(
    shared_folder: Path, file_mode: int, folder_mode: int
) -> None:
    path = shared_folder / "rubrics.db"
    path.chmod(file_mode)
    shared_folder.chmod(folder_mode)
    with ordinary_user(), Database.open(path) as database:
        assert categories(database) == ["Procurement"]
        with pytest.raises(errors.StoreReadOnlyError, match=r"read-only\. Nothing was changed") as refused:
            write(database, lambda connection: store_category(connection, "Other"))
        assert str(path) in str(refused.value)
        assert categories(database) == ["Procurement"]


def test_a_store_that_may_not_be_read_says_so(shared_folder: Path) -> None:
    path = shared_folder / "rubrics.db"
    path.chmod(0)
    with ordinary_user(), pytest.raises(errors.StoreNotPermittedError, match="Ask its owner"):
        Database.open(path)
    with ordinary_user(), pytest.raises(errors.StoreNotPermittedError):
        Database.open(shared_folder / "new.db")


def test_opened_for_reading_only_it_never_writes(store_path: Path) -> None:
    with Database.open(store_path, read_only=True) as database:
        assert categories(database) == []
        with pytest.raises(errors.StoreReadOnlyError):
            write(database)
        with pytest.raises(errors.StoreReadOnlyError), database.read() as connection:
            store_category(connection)


def test_on_postgresql_a_read_cannot_write(postgres: Any) -> None:
    with Database.open(postgres.store, read_only=True) as database:
        with pytest.raises(errors.StoreReadOnlyError):
            write(database)
        with pytest.raises(errors.StoreReadOnlyError), database.read() as connection:
            store_category(connection)


@pytest.fixture
def _no_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own ``unix-dotfile`` system works like a network folder: no memory to share, so no log."""
    real = sqlite3.connect

    def without(database: Any, **options: Any) -> Any:
        if isinstance(database, str) and database.startswith("file:"):
            database += "&vfs=unix-dotfile"
        return real(database, **options)

    monkeypatch.setattr(sqlite3, "connect", without)


@pytest.mark.usefixtures("_no_shared_memory")
def test_a_folder_without_a_write_ahead_log_is_refused_for_a_new_store(tmp_path: Path) -> None:
    with pytest.raises(errors.NoWriteAheadLogError, match="local disk"):
        Database.open(tmp_path / "rubrics.db")
    assert list(tmp_path.iterdir()) == []


def test_a_store_in_a_folder_without_a_write_ahead_log_can_be_read(
    store_path: Path, request: pytest.FixtureRequest
) -> None:
    with Database.open(store_path) as database:
        write(database)
    with closing(sqlite3.connect(store_path)) as raw:  # as a backup is, which has no log beside it
        raw.execute("PRAGMA journal_mode = DELETE")
    request.getfixturevalue("_no_shared_memory")
    with Database.open(store_path) as database:
        assert categories(database) == ["Procurement"]
        with pytest.raises(errors.NoWriteAheadLogError, match="only be read"):
            write(database, lambda connection: store_category(connection, "Other"))


# -- servers -----------------------------------------------------------------------------------------


def test_without_the_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(errors.MissingDriverError, match=r"pip install 'rubrictui\[postgres\]'") as refused:
        Database.open("postgresql+psycopg://ann:s3cret@localhost/rubrics")
    assert "s3cret" not in str(refused.value)


def test_a_server_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(errors.StoreUnreachableError, match="cannot be reached") as refused:
        Database.open(f"postgresql://ann:s3cret@/rubrics?host={tmp_path}")
    assert "s3cret" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("url", ["postgresql://host:port/x", "postgresql://[::1/x"])
def test_a_url_that_cannot_be_read_is_one_line(url: str) -> None:
    with pytest.raises(errors.StoreError) as refused:
        Database.open(url)
    assert "\n" not in str(refused.value)


def test_a_database_that_is_not_on_the_server_is_missing(postgres: Any) -> None:
    with pytest.raises(errors.DatabaseMissingError, match="createdb"):
        Database.open(postgres.url.format(database="nowhere"))


def test_who_is_asking_is_the_session_user_on_postgresql_only(database: Database) -> None:
    with database.read() as connection:
        user = session_user(connection)
    assert (user is None) == (database.dialect == "sqlite")
    if user is not None:
        with database.read() as connection:
            assert upkeep.facts(connection)["created_by"] == user


# -- transactions ------------------------------------------------------------------------------------


def test_a_write_is_all_or_nothing(database: Database) -> None:
    def fail(connection: Connection) -> None:
        store_category(connection)
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        write(database, fail)
    assert categories(database) == []
    write(database)
    assert categories(database) == ["Procurement"]


def test_a_read_sees_one_state_from_first_to_last(database: Database) -> None:
    query = select(CATEGORY.c.name)
    with database.read() as connection:
        before = connection.execute(query).all()
        write(database)
        assert connection.execute(query).all() == before
    assert categories(database) == ["Procurement"]


def test_a_writer_waits_for_another_and_then_says_locked(store_path: Path, postgres: Any) -> None:
    for target in (store_path, postgres.store):
        with Database.open(target) as first, Database.open(target, busy_seconds=0.05) as second:
            with first.write():
                with pytest.raises(errors.StoreLockedError, match=r"locked by another program\. Nothing was"):
                    write(second)
                assert categories(second) == [], "reading does not wait"
            write(second)
            assert categories(first) == ["Procurement"]
    postgres.empty_the_store()


def test_a_write_inside_a_write_is_a_mistake_and_not_a_wait(database: Database) -> None:
    with database.write() as connection:
        store_category(connection)
        with pytest.raises(RuntimeError, match="would wait for itself"):
            write(database)
    write(database, lambda connection: store_category(connection, "Second"))
    assert categories(database) == ["Procurement", "Second"]


def test_a_full_disk_keeps_what_was_saved_and_says_so(sqlite_database: Database) -> None:
    write(sqlite_database)

    def too_much(connection: Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 3}")
        store_category(connection, "Half")
        at = datetime(2027, 1, 1, tzinfo=UTC)
        connection.execute(
            insert(SUBJECT).values(
                id="s", entity="e", record_id="r", text="x" * 100_000, created_at=at, updated_at=at, created_by="a"
            )
        )  # fmt: skip

    with pytest.raises(errors.DiskFullError, match="not saved, earlier ones are"):
        write(sqlite_database, too_much)
    assert categories(sqlite_database) == ["Procurement"]

    def make_room(connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        store_category(connection, "After")

    write(sqlite_database, make_room)
    assert categories(sqlite_database) == ["After", "Procurement"]
    with sqlite_database.read() as connection:
        assert upkeep.soundness(connection) == ()


def test_every_connection_has_the_settings_that_keep_data(sqlite_database: Database) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "recursive_triggers": 1}
    for opened in (sqlite_database.read, sqlite_database.write):
        with opened() as connection:
            found = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in wanted}
            assert found == wanted
            assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 10_000


def test_statistics_are_never_gathered(sqlite_database: Database) -> None:
    with sqlite_database.read() as connection:
        found = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat%'")
        assert found.all() == []


# -- what a row may not be ---------------------------------------------------------------------------


def rubric_twice(rows: Rows) -> None:
    rows.rubric("Vendor proposal")
    rows.rubric("VENDOR PROPOSAL")


def second_draft(rows: Rows) -> None:
    rubric = rows.rubric()
    rows.draft(rubric)
    rows.draft(rubric)


def same_number(rows: Rows) -> None:
    rubric = rows.rubric()
    rows.publish(rows.draft(rubric))
    rows.publish(rows.draft(rubric))


def same_key(rows: Rows) -> None:
    version = rows.draft()
    rows.criterion(version)
    rows.criterion(version)


def open_twice(rows: Rows, **values: Any) -> None:
    version, user, subject = rows.draft(), rows.user("ann"), rows.subject()
    rows.publish(version)
    rows.evaluation(user, subject, version, **values)
    rows.evaluation(user, subject, version, **values)


def assigned_twice(rows: Rows) -> None:
    rubric, user, subject = rows.rubric(), rows.user("ann"), rows.subject()
    rows.assignment(user, subject, rubric)
    rows.assignment(user, subject, rubric)


def superseded_twice(rows: Rows) -> None:
    version, subject = rows.draft(), rows.subject()
    rows.publish(version)
    old = rows.submitted(rows.user("ann"), subject, version)
    rows.submitted(rows.user("ben"), subject, version, supersedes_id=old)
    rows.submitted(rows.user("cai"), subject, version, supersedes_id=old)


def another_major(rows: Rows) -> None:
    version = rows.draft()
    rows.publish(version)
    rows.evaluation(rows.user("ann"), rows.subject(), version)
    rows.sql("UPDATE evaluation SET major_version = 7")


BROKEN: list[tuple[str, Callable[[Rows], Any], str]] = [
    ("uq_rubric_name", rubric_twice, "rubric of this name"),
    ("uq_category_name", lambda r: (r.add(CATEGORY, name="a"), r.add(CATEGORY, name="a")), "category of this"),
    ("uq_scale_name", lambda r: (r.scale("a"), r.scale("a")), "scale of this name"),
    ("uq_user_account_name", lambda r: (r.user("ann"), r.user("ann")), "user of this name"),
    ("uq_rubric_version_draft", second_draft, "has a draft already"),
    ("uq_rubric_version_number", same_number, "version of this number"),
    ("uq_criterion_version_id_key", same_key, "same key"),
    ("uq_subject_entity_record_id", lambda r: (r.subject(), r.subject()), "subject of this entity"),
    ("uq_context_entity_record_id", lambda r: (r.context(), r.context()), "context of this entity"),
    ("uq_assignment_open", assigned_twice, "assigned already"),
    ("uq_evaluation_open_draft", open_twice, "open draft"),
    ("uq_evaluation_supersedes", superseded_twice, "superseded already"),
    (
        "ck_rubric_version_not_applicable_policy",
        lambda r: r.draft(not_applicable_policy="Maybe"),
        "refused a row",
    ),
    ("ck_criterion_node_type", lambda r: r.criterion(r.draft(), node_type="Leaf"), "refused a row"),
]  # fmt: skip


def test_a_broken_rule_is_named_and_explained(database: Database) -> None:
    for constraint, act, words in BROKEN:
        with pytest.raises(errors.ConstraintError, match=words) as refused:
            together(Rows(database), act)
        assert refused.value.constraint == constraint
        assert refused.value.remedy
        assert "\n" not in str(refused.value)


def together(rows: Rows, act: Callable[[Rows], Any]) -> None:
    with rows.together():
        act(rows)


def test_an_open_draft_is_one_per_context_evaluator_and_type(database: Database) -> None:
    rows = Rows(database)
    version, user, subject, spring = rows.draft(), rows.user("ann"), rows.subject(), rows.context()
    rows.publish(version)
    for values in (
        {},
        {"context_id": spring},
        {"evaluator_type": "Self"},
        {"evaluator_type": "AIPrompt", "evaluator_name": "Judge A"},
        {"evaluator_type": "AIPrompt", "evaluator_name": "Judge B"},
    ):
        rows.evaluation(user, subject, version, **values)
        with pytest.raises(errors.ConstraintError, match="open draft"):
            rows.evaluation(user, subject, version, **values)


def test_an_evaluation_is_of_its_versions_rubric_and_major(database: Database) -> None:
    with pytest.raises(errors.ConstraintError, match="refers to something that is not in the store"):
        another_major(Rows(database))


def test_what_is_referred_to_cannot_go(database: Database) -> None:
    rows = Rows(database)
    rows.assignment(rows.user("ann"), subject := rows.subject(), rows.rubric())
    with pytest.raises(errors.ConstraintError, match="referred to"):
        rows.delete(SUBJECT, subject)


def test_text_that_cannot_be_stored_is_refused_in_one_line(database: Database) -> None:
    rows = Rows(database)
    with pytest.raises(InvalidInputError, match="lone surrogate"):
        rows.add(CATEGORY, name="half \ud83d")
    if database.dialect == "postgresql":
        with pytest.raises(InvalidInputError, match="cannot be stored"):
            rows.add(CATEGORY, name="null \0 byte")
    rows.add(CATEGORY, name="whole \U0001f600")


def test_instants_come_back_aware_and_exact_and_sort_as_time(database: Database) -> None:
    rows = Rows(database)
    there = datetime(2027, 3, 1, 9, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    whole = datetime(2027, 3, 1, 4, 0, 1, tzinfo=UTC)
    rows.add(USER, name="later", created_at=whole)
    rows.add(USER, name="earlier", created_at=there)
    with database.read() as connection:
        found = connection.execute(select(USER.c.name, USER.c.created_at).order_by(USER.c.created_at)).all()
    assert [tuple(row) for row in found] == [("earlier", there), ("later", whole)]
    assert all(row.created_at.tzinfo is UTC for row in found)


def test_an_instant_without_a_zone_is_a_mistake(database: Database) -> None:
    with pytest.raises(Exception, match="needs a time zone"):
        Rows(database).add(USER, name="ann", created_at=datetime(2027, 1, 1))


def test_json_comes_back_in_the_order_it_was_written(database: Database) -> None:
    data = {"zulu": [1, 2.5, None, True], "alpha": {"text": "é – 漢字"}}
    rows = Rows(database)
    subject = rows.subject(data=data)
    assert list(rows.get(SUBJECT, subject)["data"].items()) == list(data.items())
    with pytest.raises(Exception, match="not JSON compliant"):
        rows.subject("nan", data={"score": float("nan")})
    nothing = rows.subject("nothing", data=None)
    with database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM subject WHERE data IS NULL").scalar() == 1
    assert rows.get(SUBJECT, nothing)["data"] is None


def test_deleting_a_rubric_with_a_version_is_refused(database: Database) -> None:
    rows = Rows(database)
    rows.draft(rubric := rows.rubric())
    with pytest.raises(errors.ConstraintError):
        rows.delete(RUBRIC, rubric)


# -- copies ------------------------------------------------------------------------------------------


def test_a_copy_is_whole_while_work_goes_on(sqlite_database: Database, tmp_path: Path) -> None:
    write(sqlite_database)
    assert sqlite_database.path is not None
    with sqlite_database.write() as connection:
        store_category(connection, "not committed")
        sqlite_file.copy_store(sqlite_database.path, tmp_path / "copy.db")
    with Database.open(tmp_path / "copy.db", read_only=True) as copy:
        assert categories(copy) == ["Procurement"]
    with pytest.raises(FileExistsError):
        sqlite_file.copy_store(sqlite_database.path, tmp_path / "copy.db")
    assert [path.name for path in tmp_path.glob(".*partial*")] == []
