"""How fast a round is: its overview, its balanced assignment, the table that statistics take, savers at once.

    python benchmarks/bench_round.py [--subjects 2000] [--evaluators 10] [--postgresql URL]

The round is filled with plain SQL in a temporary folder, its triggers taken off for the while. With a URL (of an
empty PostgreSQL database, which is filled and left so), fifty reviewers save there at once, a thread each.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from rubrictui.core.assigning import balance
from rubrictui.core.model import Answer, Node, Scale, ScaleType, VersionSnapshot
from rubrictui.core.records import Subject
from rubrictui.engine import Engine
from rubrictui.store.types import instant_text

CRITERIA = 8
SAVERS, SAVES = 50, 20
TARGETS = {"overview": 500.0, "save": 50.0}  # milliseconds
AT = instant_text(datetime(2027, 1, 1, tzinfo=UTC))


def rubric(engine: Engine) -> VersionSnapshot:
    scale = Scale(id="scale", name="Count", scale_type=ScaleType.NUMERIC, min_value=0, max_value=1000)
    engine.create_rubric("Bench")
    nodes = tuple(Node(id=f"c{n}", key=f"c{n}", name=f"C{n}", scale_id="scale") for n in range(CRITERIA))
    engine.save_draft(msgspec.structs.replace(engine.version("Bench@draft"), nodes=nodes, scales=(scale,)))
    engine.publish("Bench")
    return engine.version("Bench")


def fill(engine: Engine, subjects: int, evaluators: int) -> str:
    """A round in which everybody has submitted everything, but a tenth of it; its reference."""
    version = rubric(engine)
    stored = engine.add_subjects(Subject(record_id=f"r{n}", title=f"Subject {n}") for n in range(subjects))
    people = [engine.add_user(f"reviewer{n}") for n in range(evaluators)]
    opened = engine.open_round(
        "bench", rubric="Bench", subjects=[one.id for one in stored], reviewers=[one.name for one in people]
    )
    chance = random.Random(7)
    works, assigned, scores = [], [], []
    for subject in stored:
        for person in people:
            key = f"{subject.record_id}-{person.name}"
            done = chance.random() < 0.9
            assigned.append(
                (
                    f"a-{key}",
                    subject.id,
                    opened.context.id,
                    version.rubric_id,
                    person.id,
                    "Done" if done else "Open",
                    AT,
                )
            )
            if done:
                score = round(chance.random(), 6)
                works.append(
                    (f"e-{key}", version.rubric_id, version.id, subject.id, opened.context.id, f"a-{key}", person.id, AT, score, score > 0.5)
                )  # fmt: skip
                scores += [
                    (f"s-{key}-{n}", f"e-{key}", f"c{n}", 500.0, AT, score, n) for n in range(CRITERIA)
                ]
    with engine._write() as connection:
        triggers = connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in triggers:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        connection.exec_driver_sql(
            "INSERT INTO assignment (id, subject_id, context_id, rubric_id, user_id, status, created_at, created_by)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 'x')", assigned,
        )  # fmt: skip
        connection.exec_driver_sql(
            "INSERT INTO evaluation (id, rubric_id, version_id, major_version, subject_id, context_id, assignment_id,"
            " evaluator_user_id, evaluator_type, status, revision, subject_hash, started_at, updated_at, submitted_at,"
            " normalized_score, outcome, passed, gate_failed, completeness) VALUES (?, ?, ?, 1, ?, ?, ?, ?, 'Human',"
            " 'Submitted', 0, '', '" + AT + "', '" + AT + "', ?, ?, 'Scored', ?, 0, 1.0)", works,
        )  # fmt: skip
        connection.exec_driver_sql(
            "INSERT INTO evaluation_score (id, evaluation_id, criterion_id, raw_value, is_not_applicable, is_flagged,"
            " revision, updated_at, normalized_score, gate_failed, is_advisory, sequence)"
            " VALUES (?, ?, ?, ?, 0, 0, 0, ?, ?, 0, 0, ?)", scores,
        )  # fmt: skip
        for _, statement in triggers:
            connection.exec_driver_sql(statement)
    return "Round/bench"


def median_ms(call: Callable[[], object], times: int = 5) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def saving_at_once(url: str) -> list[float]:
    """Milliseconds of every answer that fifty reviewers save at once, one after the other each."""
    with Engine(url) as engine:
        rubric(engine)
        subjects = engine.add_subjects(Subject(record_id=f"r{n}", title=f"S{n}") for n in range(SAVERS))
        drafts = [engine.open_draft(subject=one.id, rubric="Bench").evaluation.id for one in subjects]
    ready = threading.Barrier(SAVERS)

    def work(draft: str) -> list[float]:
        taken = []
        with Engine(url) as engine:
            engine.draft(draft)
            ready.wait()
            for number in range(SAVES):
                answer = Answer(criterion_id=f"c{number % CRITERIA}", raw_value=float(number))
                began = time.perf_counter()
                engine.save_answer(draft, answer)
                taken.append((time.perf_counter() - began) * 1000)
                time.sleep(0.2)  # nobody answers five criteria a second; fifty people do 250
        return taken

    with ThreadPoolExecutor(SAVERS) as threads:
        return [one for taken in threads.map(work, drafts) for one in taken]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", type=int, default=2_000)
    parser.add_argument("--evaluators", type=int, default=10)
    parser.add_argument("--postgresql", metavar="URL")
    options = parser.parse_args()
    missed = False
    size = f"{options.subjects:,} subjects x {options.evaluators} evaluators"
    with tempfile.TemporaryDirectory() as folder, Engine(Path(folder) / "bench.db") as engine:
        ref = fill(engine, options.subjects, options.evaluators)
        overview = median_ms(lambda: engine.round_overview(ref))
        missed |= overview > TARGETS["overview"]
        print(f"overview of {size}: {overview:.0f} ms (at most {TARGETS['overview']:.0f})")
        table = median_ms(lambda: engine.round_table(ref, counting_only=True), 2)
        print(
            f"round_table of it, {CRITERIA} criteria each: {table:.0f} ms, {table / overview:.0f} overviews"
        )
        names = [f"r{n}" for n in range(options.subjects)]
        people = [f"p{n}" for n in range(options.evaluators * 4)]
        share = median_ms(lambda: balance(names, people, options.evaluators), 2)
        print(f"balanced assignment of it to {len(people)} reviewers: {share:.0f} ms")
    if options.postgresql:
        taken = sorted(saving_at_once(options.postgresql))
        p95 = taken[int(len(taken) * 0.95)]
        missed |= p95 > TARGETS["save"]
        print(
            f"{SAVERS} reviewers saving at once: median {statistics.median(taken):.1f} ms, p95 {p95:.1f} ms (at most 50)"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
