"""A server that drops connections, and fifty reviewers who save at once: no error, nothing lost, nothing half-written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from answer_writers import CRITERIA, criterion, make_drafts
from postgres_databases import Postgres
from sqlalchemy import select

from rubrictui.core.model import Answer
from rubrictui.engine import Engine
from rubrictui.store import evaluations
from rubrictui.store.database import Database
from rubrictui.store.errors import StoreDroppedError, StoreUnreachableError
from rubrictui.store.tables import EVALUATION, EVALUATION_SCORE

REVIEWERS = 50


@pytest.fixture
def server(postgres: Postgres) -> Iterator[str]:
    yield postgres.store
    postgres.empty_the_store()


def kill_others(postgres: Postgres) -> None:
    """End every session on the store's database but the one that asks."""
    statement = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    postgres.execute(postgres.store, statement)


class Dropping:
    """Calls the real thing, and before or after it ends the sessions, so many times."""

    def __init__(
        self, postgres: Postgres, real: Callable[..., Any], times: int, *, after: bool = False
    ) -> None:
        self.postgres, self.real, self.left, self.after = postgres, real, times, after
        self.calls = 0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.calls += 1
        drops = self.left > 0
        self.left -= drops
        if drops and not self.after:
            kill_others(self.postgres)
        found = self.real(*arguments, **options)
        if drops and self.after:
            kill_others(self.postgres)
        return found


def submitted(server: str) -> list[tuple[str, int]]:
    """Each evaluation's status, and how many of its rows carry a result."""
    with Database.open(server) as database, database.read() as connection:
        rows = connection.execute(select(EVALUATION.c.id, EVALUATION.c.status)).all()
        return [
            (
                row.status,
                len(
                    connection.execute(
                        select(EVALUATION_SCORE.c.id).where(
                            EVALUATION_SCORE.c.evaluation_id == row.id,
                            EVALUATION_SCORE.c.normalized_score.is_not(None),
                        )
                    ).all()
                ),
            )
            for row in rows
        ]


def answered(engine: Engine, evaluation: str) -> None:
    for number in range(CRITERIA):
        engine.save_answer(evaluation, Answer(criterion_id=criterion(number), raw_value=float(number)))


def test_a_connection_that_is_dropped_in_the_midst_of_a_submission_is_tried_once_more(
    server: str, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    (draft,) = make_drafts(server, "ann", 1)
    with Engine(server, user="ann") as engine:
        answered(engine, draft)
        dropping = Dropping(postgres, evaluations.put_results, 1)
        monkeypatch.setattr(evaluations, "put_results", dropping)
        assert engine.submit(draft).evaluation.status == "Submitted"
    assert dropping.calls == 2
    assert submitted(server) == [("Submitted", CRITERIA)]


def test_a_connection_that_is_dropped_twice_is_told_in_a_line_and_nothing_is_half_written(
    server: str, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    (draft,) = make_drafts(server, "ann", 1)
    with Engine(server, user="ann") as engine:
        answered(engine, draft)
        with monkeypatch.context() as then:
            then.setattr(
                evaluations, "put_results", Dropping(postgres, evaluations.put_results, 2, after=True)
            )
            with pytest.raises(
                StoreDroppedError, match=r"dropped the connection\. Nothing half-done was kept"
            ):
                engine.submit(draft)
        assert submitted(server) == [("Draft", 0)]
        assert engine.submit(draft).evaluation.status == "Submitted"


def test_a_submission_whose_answer_was_lost_is_not_done_twice(
    server: str, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    (draft,) = make_drafts(server, "ann", 1)
    with Engine(server, user="ann") as engine:
        answered(engine, draft)
        real, lost = engine._submit, [True]

        def lose_the_answer(*arguments: Any, **options: Any) -> Any:
            found = real(*arguments, **options)
            if lost.pop() if lost else False:
                raise StoreDroppedError(server)
            return found

        monkeypatch.setattr(engine, "_submit", lose_the_answer)
        assert engine.submit(draft).evaluation.status == "Submitted"
    assert submitted(server) == [("Submitted", CRITERIA)]


def test_an_answer_is_saved_though_the_connection_went(
    server: str, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    (draft,) = make_drafts(server, "ann", 1)
    with Engine(server, user="ann") as engine:
        monkeypatch.setattr(evaluations, "put_answer", Dropping(postgres, evaluations.put_answer, 1))
        receipt = engine.save_answer(draft, Answer(criterion_id=criterion(0), raw_value=3.0), base_revision=0)
        assert receipt.revision == 1
        assert engine.draft(draft).answers[0].answer.raw_value == 3.0


def test_a_server_that_is_gone_is_told_at_once(server: str) -> None:
    gone = server.replace("?host=", "?host=/nowhere")
    with pytest.raises(StoreUnreachableError, match="cannot be reached"):
        Engine(gone, user="ann")


def test_fifty_reviewers_who_save_at_once_lose_nothing(server: str) -> None:
    drafts = make_drafts(server, "ann", REVIEWERS)
    ready = threading.Barrier(REVIEWERS)

    def work(draft: str) -> list[int]:
        with Engine(server, user="ann") as engine:
            engine.draft(draft)
            ready.wait(60)
            return [
                engine.save_answer(draft, Answer(criterion_id=criterion(n), raw_value=float(n))).revision
                for n in range(CRITERIA)
            ]

    with ThreadPoolExecutor(REVIEWERS) as threads:
        assert list(threads.map(work, drafts)) == [list(range(1, CRITERIA + 1))] * REVIEWERS
    with Engine(server, user="ann") as engine:
        for draft in drafts:
            found = {one.answer.criterion_id: one.answer.raw_value for one in engine.draft(draft).answers}
            assert found == {criterion(n): float(n) for n in range(CRITERIA)}
