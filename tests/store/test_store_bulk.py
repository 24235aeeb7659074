"""Many whole evaluations are stored at once as one after the other would be, on both databases."""

from __future__ import annotations

from typing import Any

from store_rows import RESULT, START, Rows

from rubrictui.core.model import Answer, Evidence, EvidenceKind, ScoredNode
from rubrictui.core.records import Role, User
from rubrictui.store import access, evaluations
from rubrictui.store.database import Database
from rubrictui.store.tables import EVALUATION


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
        self.ids = iter(f"score-{n}" for n in range(100))

    def values(self, id: str, subject: str, **more: Any) -> dict[str, Any]:
        return {
            "id": id, "rubric_id": self.rubric, "version_id": self.version, "major_version": 1,
            "subject_id": subject, "context_id": None, "evaluator_user_id": self.user.id,
            "evaluator_type": "Deterministic", "evaluator_name": "Rules", "subject_hash": "h",
            "started_at": START, "updated_at": START, "supersedes_id": None,
            "metadata": {"Evaluator": {"Name": "Rules"}}, **more,
        }  # fmt: skip

    def scores(self, id: str) -> list[tuple[Any, ...]]:
        note = Evidence(kind=EvidenceKind.NOTE, text="größer als 5")
        said = Answer(
            criterion_id=self.first, scale_level_id=self.level, rationale="Because.", evidence=(note,)
        )
        nodes = (scored(self.first, 1.0), scored(self.second, None, gate_failed=True))
        return list(
            evaluations.score_rows(id, nodes, {self.first: said}, new_id=lambda: next(self.ids), at=START)
        )

    def store(self, database: Database, id: str, subject: str, *replaced: str) -> bool:
        ended = [{"of": one, "at": START, "why": "Superseded."} for one in replaced]
        more = {"supersedes_id": replaced[0]} if replaced else {}
        result = {"of": id, "status": "Submitted", "submitted_at": START, "normalized_score": 1.0, **RESULT}
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
