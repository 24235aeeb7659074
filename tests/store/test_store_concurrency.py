"""Eight processes save answers at once, to one draft and to their own: no error, no lost write."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from answer_writers import Writers, criterion, make_drafts
from sqlalchemy import select

from rubrictui.store.database import Database
from rubrictui.store.tables import EVALUATION, EVALUATION_SCORE

PROCESSES = 8
EACH = 24


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest) -> Any:
    if request.param == "sqlite":
        yield str(request.getfixturevalue("store_path"))
        return
    server = request.getfixturevalue("postgres")
    yield server.store
    server.empty_the_store()


def test_eight_processes_lose_nothing(target: str) -> None:
    user = "ann"
    shared, *own = make_drafts(target, user, PROCESSES + 1)
    writers = Writers()
    try:
        said = list(
            writers.start(
                store=target,
                user=user,
                # Turn by turn: half of each process's answers to the common draft, half to its own.
                evaluations=[[shared, mine] for mine in own],
                first=0,
                count=EACH,
            )
        )
    finally:
        writers.close()
    assert [words for words in said if words[1] not in ("started", "saved", "end")] == []
    assert said[-1] == [None, "end", [0] * PROCESSES]

    receipts: dict[str, list[int]] = defaultdict(list)
    latest: dict[tuple[str, str], tuple[int, float]] = {}
    for _, what, *words in said:
        if what == "saved":
            evaluation, answered, number, revision = words
            receipts[evaluation].append(revision)
            latest[evaluation, answered] = max(
                latest.get((evaluation, answered), (0, 0.0)), (revision, number)
            )
    # A lost write would be a revision given twice: each draft counted every one of its answers.
    assert sorted(receipts[shared]) == list(range(1, PROCESSES * EACH // 2 + 1))
    for mine in own:
        assert sorted(receipts[mine]) == list(range(1, EACH // 2 + 1))

    with Database.open(target) as database, database.read() as connection:
        revisions = connection.execute(select(EVALUATION.c.id, EVALUATION.c.revision))
        assert {row.id: row.revision for row in revisions} == {
            evaluation: len(given) for evaluation, given in receipts.items()
        }
        # Every criterion holds the answer that was saved last, with the revision that saved it.
        rows = connection.execute(select(EVALUATION_SCORE)).all()
        assert {
            (row.evaluation_id, row.criterion_id): (row.revision, row.raw_value) for row in rows
        } == latest
        assert {row.criterion_id for row in rows if row.evaluation_id == shared} >= {
            criterion(number) for number in range(PROCESSES)
        }
        if database.dialect == "sqlite":
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
