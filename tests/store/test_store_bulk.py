"""Many whole evaluations are stored at once as one after the other would be, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import insert
from store_rows import RESULT, START, Rows

from rubrictui.core.model import Answer, Evidence, EvidenceKind, ScoredNode
from rubrictui.core.records import Role, User
from rubrictui.store import access, evaluations
from rubrictui.store.database import Database
from rubrictui.store.tables import EVALUATION

SUBMITTED = {"status": "Submitted", **RESULT}


def scored(id: str, score: float | None, **more: Any) -> ScoredNode:
    known = {"normalized_score": score, "effective_weight": 1.0, "overall_contribution": score}
    flags = {"gate_failed": False, "is_not_applicable": False, "is_advisory": False}
    return ScoredNode(**{"id": id, "key": id, **known, **flags, **more})


class Bulk:
    """A published rubric of two criteria, and what it takes to store evaluations of it."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        scale = rows.scale()
        self.level = rows.level(scale)
        self.rubric = rows.rubric()
        self.version = rows.draft(self.rubric)
        self.first, self.second = (rows.criterion(self.version, key, scale_id=scale) for key in ("a", "b"))
        rows.publish(self.version)
        self.user: User = rows.user("robot", Role.ADMINISTER_EVALUATIONS)
        self.ids = iter(f"score-{n}" for n in range(2000))

    def values(self, id: str, subject: str, **more: Any) -> dict[str, Any]:
        return {
            "id": id, "rubric_id": self.rubric, "version_id": self.version, "major_version": 1,
            "subject_id": subject, "context_id": None, "evaluator_user_id": self.user.id,
            "evaluator_type": "Deterministic", "evaluator_name": "Rules", "subject_hash": "h",
            "started_at": START, "updated_at": START, "supersedes_id": None,
            "metadata": {"Evaluator": {"Name": "Rules"}}, **more,
        }  # fmt: skip

    def scores(self, *ids: str) -> evaluations.ScoreColumns:
        note = Evidence(kind=EvidenceKind.NOTE, text="größer als 5")
        said = Answer(
            criterion_id=self.first, scale_level_id=self.level, rationale="Because.", evidence=(note,)
        )
        nodes = (scored(self.first, 1.0), scored(self.second, None, gate_failed=True))
        columns = evaluations.ScoreColumns()
        for id in ids:
            columns.add(id, nodes, {self.first: said}, ids=self.ids, at=START)
        return columns

    def store(self, database: Database, id: str, subject: str, *replaced: str) -> bool:
        ended = [{"of": one, "at": START, "why": "Superseded."} for one in replaced]
        more = {"supersedes_id": replaced[0]} if replaced else {}
        result = {"submitted_at": START, "normalized_score": 1.0, **SUBMITTED}
        with database.write() as connection:
            kept = evaluations.add_submitted(
                connection, [self.values(id, subject, **more)], self.scores(id), [result], superseded=ended
            )
            if not kept:
                connection.rollback()
            return kept


def test_an_evaluation_stored_in_bulk_reads_back_whole(database: Database, rows: Rows) -> None:
    bulk = Bulk(rows)
    assert bulk.store(database, "e1", rows.subject("north"))
    with database.read() as connection:
        found = access.evaluation(connection, bulk.user, "e1")
        scores = access.scores(connection, bulk.user, "e1")
    assert found is not None
    assert (found.status, found.normalized_score, found.submitted_at) == ("Submitted", 1.0, START)
    assert found.metadata == {"Evaluator": {"Name": "Rules"}}
    assert [(row.node_id, row.normalized_score, row.gate_failed, row.rationale) for row in scores] == [
        (bulk.first, 1.0, False, "Because."), (bulk.second, None, True, None)
    ]  # fmt: skip
    assert scores[0].evidence[0].text == "größer als 5"
    assert (scores[0].is_not_applicable, scores[0].is_advisory) == (False, False)


@pytest.mark.parametrize("count", [99, 100, 205])
def test_of_many_each_has_its_own_rows_and_result(database: Database, rows: Rows, count: int) -> None:
    """Two score rows each, 200 in a statement: fewer, as many, and several statements."""
    bulk = Bulk(rows)
    subjects = {f"e{n:03}": rows.subject(f"place-{n:03}") for n in range(count)}
    begun = [bulk.values(id, subject, agent_run_id=f"run of {id}") for id, subject in subjects.items()]
    results = [{"submitted_at": START, "normalized_score": n / 1000, **SUBMITTED} for n in range(count)]
    scores = bulk.scores(*subjects)
    with database.write() as connection:
        assert evaluations.add_submitted(connection, begun, scores, results, superseded=())
    with database.read() as connection:
        found = {one.id: one for one in access.evaluations(connection, bulk.user)}
        assert {id: one.subject_id for id, one in found.items()} == subjects
        assert [found[id].normalized_score for id in subjects] == [n / 1000 for n in range(count)]
        for id in subjects:
            read = access.scores(connection, bulk.user, id)
            assert [(row.node_id, row.gate_failed) for row in read] == [
                (bulk.first, False),
                (bulk.second, True),
            ]
    assert all(rows.get(EVALUATION, id)["agent_run_id"] == f"run of {id}" for id in subjects)


def test_what_is_stored_in_bulk_is_written_as_by_any_other_way(database: Database, rows: Rows) -> None:
    """Yes and no, instants and JSON go around SQLAlchemy's types: what reads the database itself finds the same."""
    bulk = Bulk(rows)
    assert bulk.store(database, "e1", rows.subject("north"))
    other = bulk.values("e2", rows.subject("south"))
    with database.write() as connection:
        connection.execute(insert(EVALUATION).values(status="Draft", **other))
        answer = Answer(criterion_id=bulk.first, scale_level_id=bulk.level)
        evaluations.put_answers(
            connection, "e2", [answer], revision=0, at=START, new_id=lambda: next(bulk.ids)
        )
    flags = "is_not_applicable, is_flagged, gate_failed, is_advisory, revision, updated_at"
    in_score = (
        f"SELECT {flags} FROM evaluation_score WHERE evaluation_id = '{{}}' AND criterion_id = '{bulk.first}'"
    )
    of_it = "SELECT CAST(metadata AS TEXT), revision, started_at FROM evaluation WHERE id = '{}'"
    with database.read() as connection:
        for asked in (in_score, of_it):
            bulked, single = (
                tuple(connection.exec_driver_sql(asked.format(id)).one()) for id in ("e1", "e2")
            )
            assert bulked == single
            assert [type(value) for value in bulked] == [type(value) for value in single]


def test_it_takes_the_place_of_another_or_nothing_is_kept(database: Database, rows: Rows) -> None:
    bulk = Bulk(rows)
    subject = rows.subject("north")
    assert bulk.store(database, "e1", subject)
    assert bulk.store(database, "e2", subject, "e1")
    assert rows.get(EVALUATION, "e1")["status"] == "Superseded"
    assert rows.get(EVALUATION, "e1")["end_reason"] == "Superseded."
    # e1 has its successor: a third that would replace it comes too late.
    assert not bulk.store(database, "e3", subject, "e1")
    with database.read() as connection:
        assert access.evaluation(connection, bulk.user, "e3") is None
        listed = access.evaluations(connection, bulk.user, subject_ids=[subject])
        assert {one.id: one.status for one in listed} == {"e1": "Superseded", "e2": "Submitted"}
        assert access.evaluations(connection, bulk.user, subject_ids=[]) == ()
