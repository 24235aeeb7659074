"""Jobs and workers: on PostgreSQL each subject is scored once, whoever runs it; a file refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from rubrictui.cli.worker import job_words
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, Level, Node, Scale
from rubrictui.core.records import EvaluationStatus, Role, Subject
from rubrictui.engine import Engine, StateError
from rubrictui.engine.worker import JobDone, Queued, enqueue, work
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.registry import registry

RULE = {
    "Deterministic": {
        "Path": "price",
        "Operator": "lte",
        "Values": [10],
        "LevelWhenTrue": "Yes",
        "LevelWhenFalse": "No",
    }
}
NODE = Node(id="n1", key="cheap", name="Cheap", scale_id="s1", evaluator_config=RULE)
SCALE = Scale(
    id="s1",
    name="Yes or no",
    levels=(Level(id="l0", label="No", normalized_value=0), Level(id="l1", label="Yes", normalized_value=1)),
)


class Shop:
    """A store with a rubric of one rule and three offers."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = Engine(url, user="chief")
        self.engine.create_rubric("Price")
        draft = self.engine.version("Price@draft")
        import msgspec

        self.engine.save_draft(msgspec.structs.replace(draft, nodes=(NODE,), scales=(SCALE,)))
        self.engine.publish("Price")
        self.engine.add_subjects(
            [Subject(entity="Offer", record_id=str(price), data={"price": price}) for price in (5, 10, 15)]
        )

    def enqueue(self, engine: Engine | None = None, **more: Any) -> Queued:
        given: dict[str, Any] = {"rubric": "Price", "entity": "Offer", "evaluator": "Deterministic"}
        return enqueue(engine or self.engine, self.url, **{**given, **more})

    def work(self, engine: Engine | None = None) -> list[JobDone]:
        done: list[JobDone] = []
        work(engine or self.engine, self.url, wait=False, told=done.append, concurrency=1)
        return done

    def execute(self, statement: str) -> None:
        engine = create_engine(self.url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(statement))
        engine.dispose()


@pytest.fixture
def shop(postgres: Any) -> Iterator[Shop]:
    made = Shop(postgres.empty_database())
    yield made
    made.engine.close()


def test_every_subject_is_scored_once_however_often_it_is_queued(shop: Shop) -> None:
    assert shop.enqueue() == Queued(total=3, queued=3)
    assert shop.enqueue() == Queued(total=3, waiting=3)
    assert sorted(job.status for job in shop.work()) == ["scored"] * 3
    found = {one.subject_title: one.normalized_score for one in shop.engine.evaluations()}
    assert found == {"5": 1.0, "10": 1.0, "15": 0.0}
    assert shop.work() == []
    shop.enqueue()
    assert [job.status for job in shop.work()] == ["skipped"] * 3
    assert len(shop.engine.evaluations()) == 3
    shop.enqueue(again=True)
    done = shop.work()
    assert sorted((job.title, job.status) for job in done) == [
        ("10", "scored"),
        ("15", "scored"),
        ("5", "scored"),
    ]
    assert len(shop.engine.evaluations(status=EvaluationStatus.SUPERSEDED)) == 3


def test_a_job_is_run_in_the_name_of_who_queued_it_by_a_worker_who_may(shop: Shop) -> None:
    shop.engine.add_user("rita", roles=(Role.REVIEWER,))
    shop.engine.add_user("paul", roles=(Role.REVIEWER,))
    with Engine(shop.url, user="rita") as rita, Engine(shop.url, user="paul") as paul:
        shop.enqueue(rita)
        assert {job.status for job in shop.work(paul)} == {"failed"}
        assert shop.engine.evaluations() == ()
        shop.enqueue(rita)
        assert {job.status for job in shop.work()} == {"scored"}
    assert {one.evaluator_user_name for one in shop.engine.evaluations()} == {"rita"}


def test_what_a_dead_worker_was_at_is_done_by_the_next(shop: Shop) -> None:
    shop.enqueue()
    shop.execute(
        "UPDATE procrastinate_jobs SET status = 'doing' WHERE id = (SELECT min(id) FROM procrastinate_jobs)"
    )
    assert [job.status for job in shop.work()] == ["scored"] * 3


def test_a_job_that_cannot_be_run_is_told_and_the_others_go_on(shop: Shop) -> None:
    shop.enqueue()
    shop.execute(
        'UPDATE procrastinate_jobs SET args = args || \'{"evaluator": "Nobody"}\' '
        "WHERE id = (SELECT min(id) FROM procrastinate_jobs)"
    )
    done = {job.status: job.message for job in shop.work()}
    assert 'no evaluator "Nobody"' in done["failed"]
    assert len(shop.engine.evaluations()) == 2


class Paid(RubricEvaluator):
    """Answers for half a dollar."""

    name = "Paid"

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        (node,) = context.version.nodes
        return self.scored(context, [Answer(criterion_id=node.id, scale_level_id="l1")], cost=0.5)


def test_jobs_end_without_a_run_once_the_budget_of_their_kind_is_spent(shop: Shop) -> None:
    registry.register(Paid)
    try:
        shop.enqueue(evaluator="Paid", budget=1.0)
        assert sorted(job.status for job in shop.work()) == ["scored", "scored", "stopped"]
        shop.enqueue(evaluator="Paid", budget=0.0, again=True)
        assert {job.message for job in shop.work()} == {"the budget is spent"}
        shop.enqueue(evaluator="Paid", budget=0.5)
        assert sorted(job.status for job in shop.work()) == ["scored", "skipped", "skipped"]
    finally:
        registry.forget("Paid")


def test_nothing_is_queued_that_could_not_begin(shop: Shop) -> None:
    with pytest.raises(InvalidInputError):
        shop.enqueue(pass_threshold=7)
    assert shop.enqueue(entity="Nothing") == Queued()


@pytest.mark.parametrize(
    ("job", "line"),
    [
        (JobDone(subject="id-1", title="Kelp farm", status="scored"), "Kelp farm: scored"),
        (JobDone(subject="id-1", title="A\nb\x1b[2J", status="skipped"), "A␊b␛[2J: skipped"),
        (JobDone(subject="id-1", status="failed", message="It is gone."), "id-1: failed: It is gone."),
    ],
)
def test_a_line_about_a_job_names_the_subject_by_its_title(job: JobDone, line: str) -> None:
    assert job_words(job) == line


def test_a_store_in_a_file_refuses_and_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(path, user="chief") as engine:
        with pytest.raises(StateError, match=r"keeps no queue.*evaluate --all"):
            enqueue(engine, path, rubric="x", entity="y")
        with pytest.raises(StateError, match="keeps no queue"):
            work(engine, path)
