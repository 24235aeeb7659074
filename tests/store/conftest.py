"""Stores to test on, in both dialects: each test gets a fresh one, copied from one that was migrated once."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from postgres_for_tests import postgres_server
from sqlalchemy import create_engine, make_url, text
from store_rows import Rows

from rubrictui.store.database import Database
from rubrictui.store.tables import METADATA, STORE_INFO

DIALECTS = ("sqlite", "postgresql")


@pytest.fixture(autouse=True)
def _no_store_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test may reach the store of whoever runs it."""
    monkeypatch.delenv("RUBRICTUI_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "rubrics.db"
    Database.open(path).close()
    return path


@pytest.fixture
def store_path(migrated_file: Path, tmp_path: Path) -> Path:
    """A fresh SQLite store, closed."""
    return Path(shutil.copy(migrated_file, tmp_path / "rubrics.db"))


class Postgres:
    """A server to make databases on. ``url`` has the database left open.

    Making a database takes half a second, so tests share one store, emptied after each.
    """

    def __init__(self, url: str, admin: str) -> None:
        self.url = url
        self.admin = admin
        self.made: list[str] = []
        self.store = self.empty_database()
        Database.open(self.store).close()

    def empty_database(self) -> str:
        """The URL of a new database with nothing in it."""
        name = f"rubrictui_test_{uuid4().hex}"
        self.execute(self.url.format(database=self.admin), f"CREATE DATABASE {name}")
        self.made.append(name)
        return self.url.format(database=name)

    def empty_the_store(self) -> None:
        tables = ", ".join(table.name for table in METADATA.sorted_tables if table is not STORE_INFO)
        self.execute(self.store, f"SET session_replication_role = replica; TRUNCATE {tables}")

    def drop(self) -> None:
        for name in self.made:
            self.execute(self.url.format(database=self.admin), f"DROP DATABASE {name} WITH (FORCE)")

    @staticmethod
    def execute(url: str, statement: str) -> None:
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(statement))
        engine.dispose()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The server of ``RUBRICTUI_TEST_PG`` (a URL of a database of it), else one of our own for the session."""
    given = os.environ.get("RUBRICTUI_TEST_PG")
    if given:
        parsed = make_url(given).set(drivername="postgresql+psycopg")
        shown = parsed.render_as_string(hide_password=False)
        before, _, after = shown.rpartition(f"/{parsed.database}")
        server = Postgres(f"{before}/{{database}}{after}", parsed.database or "postgres")
        yield server
        server.drop()
        return
    with postgres_server() as url:
        yield Postgres(url, "postgres")


@pytest.fixture(params=DIALECTS)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """An open store that holds nothing yet, once per dialect."""
    if request.param == "sqlite":
        with Database.open(request.getfixturevalue("store_path")) as opened:
            yield opened
        return
    server: Postgres = request.getfixturevalue("postgres")
    with Database.open(server.store) as opened:
        yield opened
    server.empty_the_store()


@pytest.fixture
def sqlite_database(store_path: Path) -> Iterator[Database]:
    with Database.open(store_path) as opened:
        yield opened


@pytest.fixture
def rows(database: Database) -> Rows:
    return Rows(database)


@pytest.fixture
def sqlite_rows(sqlite_database: Database) -> Rows:
    return Rows(sqlite_database)


@pytest.fixture(autouse=True)
def _quiet_expression_indexes() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*expression-based index.*")
        yield
