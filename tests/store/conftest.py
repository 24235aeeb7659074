"""Stores to test on, in both dialects: each test gets a fresh one, copied from one that was migrated once."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_databases import Postgres
from postgres_for_tests import postgres_server
from sqlalchemy import make_url
from store_rows import Rows

from rubrictui.store.database import Database

DIALECTS = ("sqlite", "postgresql")


@pytest.fixture(autouse=True)
def _no_store_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test may reach the store of whoever runs it."""
    monkeypatch.delenv("RUBRICTUI_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))


@pytest.fixture
def store_path(migrated_store: Path, tmp_path: Path) -> Path:
    """A fresh SQLite store, closed."""
    return Path(shutil.copy(migrated_store, tmp_path / "rubrics.db"))


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
