"""A store moves between SQLite and PostgreSQL, both ways, whole: the same rows, as well protected."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from postgres_databases import Postgres
from sqlalchemy import make_url

from rubrictui.core.records import Subject
from rubrictui.engine import Engine
from rubrictui.store import copying, upkeep
from rubrictui.store.copying import (
    CopyDiffersError,
    CopyNotEmptyError,
    CopySeesTooLittleError,
    copy_store,
    prove,
)
from rubrictui.store.database import Database
from rubrictui.store.errors import EvaluationFrozenError
from rubrictui.store.tables import EVALUATION


@pytest.fixture
def full(samples_of: Callable[[str | None], Path], tmp_path: Path) -> Iterator[Database]:
    """The samples, a superseded evaluation, a draft based on a version, and texts of every kind."""
    store_path = Path(shutil.copy(samples_of("chief"), tmp_path / "full.db"))
    with Engine(store_path, user="chief") as engine:
        engine.add_subjects(
            [Subject(record_id="odd", title="Ünï 🙂 \u202e", data={"z": 1.5, "a": [None, True, 10**15]})]
        )
        engine.start_draft("Vendor proposal")
    with Database.open(store_path) as opened:
        yield opened


def test_a_store_goes_to_a_server_and_back_unchanged(
    full: Database, postgres: Postgres, tmp_path: Path
) -> None:
    with Database.open(postgres.empty_database()) as server, Database.open(tmp_path / "back.db") as back:
        proofs = copy_store(full, server)
        assert prove(server) == proofs == prove(full)
        assert sum(one.rows for one in proofs) > 200
        assert copy_store(server, back) == proofs
        with full.read() as connection:
            facts = upkeep.facts(connection)
        for copy in (server, back):
            with copy.read() as connection:
                assert upkeep.soundness(connection) == ()
                assert upkeep.facts(connection) == facts
            with pytest.raises(EvaluationFrozenError), copy.write() as connection:
                connection.execute(
                    EVALUATION.update().where(EVALUATION.c.status == "Submitted").values(cursor="x")
                )


def test_what_is_not_empty_is_left_as_it_is(full: Database, tmp_path: Path) -> None:
    with Database.open(tmp_path / "other.db") as other:
        copy_store(full, other)
        before = prove(other)
        with pytest.raises(CopyNotEmptyError, match="not empty: it has rows of"):
            copy_store(full, other)
        assert prove(other) == before


def test_a_copy_that_comes_out_different_is_not_kept(
    full: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = copying._parents_first

    def lose_an_answer(rows: list[dict[str, Any]], references: Sequence[str]) -> list[dict[str, Any]]:
        found = whole(rows, references)
        return found[1:] if found and "effective_weight" in found[0] else found

    monkeypatch.setattr(copying, "_parents_first", lose_an_answer)
    with Database.open(tmp_path / "other.db") as other:
        with pytest.raises(CopyDiffersError, match="the rows of evaluation_score differ"):
            copy_store(full, other)
        assert {one.rows for one in prove(other) if one.table != "store_info"} == {0}
        with other.read() as connection:
            assert upkeep.soundness(connection) == ()


def test_the_owner_of_a_database_copies_it_and_a_reviewer_cannot(
    full: Database, postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.empty_database()
    name = make_url(url).database
    owner, reviewer = f"owner_{uuid4().hex[:8]}", f"ann_{uuid4().hex[:8]}"
    for role in (owner, reviewer):
        postgres.execute(url, f"CREATE ROLE {role} LOGIN")
    postgres.execute(url, f'ALTER DATABASE "{name}" OWNER TO {owner}; ALTER SCHEMA public OWNER TO {owner}')
    own = make_url(url).set(username=owner).render_as_string(hide_password=False)
    with Database.open(own) as server, Database.open(tmp_path / "back.db") as back:
        proofs = copy_store(full, server)
        assert copy_store(server, back) == proofs
        with server.read() as connection:
            forced = "SELECT relforcerowsecurity FROM pg_class WHERE relname = 'evaluation'"
            assert connection.exec_driver_sql(forced).scalar() is True
    postgres.execute(url, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reviewer}")
    others = make_url(url).set(username=reviewer).render_as_string(hide_password=False)
    with (
        Database.open(others) as server,
        Database.open(tmp_path / "stolen.db") as stolen,
        pytest.raises(CopySeesTooLittleError, match="does not show you every row"),
    ):
        copy_store(server, stolen)
    postgres.execute(postgres.url.format(database=postgres.admin), f'DROP DATABASE "{name}" WITH (FORCE)')
    postgres.made.remove(str(name))
    for role in (owner, reviewer):
        postgres.execute(postgres.url.format(database=postgres.admin), f"DROP ROLE {role}")
