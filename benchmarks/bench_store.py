"""How fast the store is: one cohort among a million evaluations, an autosaved answer, the first inbox, opening.

    python benchmarks/bench_store.py [--evaluations 1000000]

The store is filled with plain SQL, in a temporary folder, with the triggers taken off for the while (they are
what refuses evaluations that are born submitted) and put back before anything is measured. Every number is a
median, with the 95th percentile beside it.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from rubrictui.core.model import Answer, Level, Node, Scale, VersionSnapshot
from rubrictui.core.records import Subject, User
from rubrictui.engine import Engine
from rubrictui.store import access
from rubrictui.store.database import Database
from rubrictui.store.fast_inbox import fast_inbox
from rubrictui.store.inbox import inbox
from rubrictui.store.types import instant_text

PER_COHORT = 5
CRITERIA = 3
INBOX_ROWS = 500
TARGETS = {"cohort": 2.0, "answer": 3.0, "inbox": 10.0, "create": 300.0}


def rubric(engine: Engine) -> VersionSnapshot:
    """A published rubric of a few criteria."""
    scale = Scale(
        id="scale",
        name="Bench",
        levels=tuple(Level(id=f"l{n}", label=str(n), normalized_value=n / 4, sequence=n) for n in range(5)),
    )
    engine.create_rubric("Bench")
    draft = engine.version("Bench@draft")
    nodes = tuple(Node(id=f"c{n}", key=f"c{n}", name=f"C{n}", scale_id="scale") for n in range(CRITERIA))
    fields = {name: getattr(draft, name) for name in draft.__struct_fields__}
    engine.save_draft(VersionSnapshot(**{**fields, "nodes": nodes, "scales": (scale,)}))
    return engine.version(engine.publish("Bench").id)


def fill(path: Path, version: VersionSnapshot, user: User, busy: User, evaluations: int) -> None:
    """So many Submitted evaluations, five a subject, with their scores; and five hundred assignments."""
    at = instant_text(datetime.now(UTC))
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA synchronous = OFF")
        raw.execute("PRAGMA cache_size = -200000")
        triggers = raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        raw.execute("BEGIN")
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        raw.executemany(
            "INSERT INTO subject (id, entity, record_id, title, text, content_hash, created_at, updated_at,"
            " created_by) VALUES (?, 'Bench', ?, ?, '', '', ?, ?, 'bench')",
            ((f"s{n}", f"r{n}", f"Subject {n}", at, at) for n in range(evaluations // PER_COHORT)),
        )
        raw.executemany(
            "INSERT INTO evaluation (id, rubric_id, version_id, major_version, subject_id, evaluator_user_id,"
            " evaluator_type, evaluator_name, status, revision, subject_hash, started_at, updated_at,"
            " submitted_at, normalized_score, outcome, passed, gate_failed, completeness)"
            " VALUES (?, ?, ?, 1, ?, ?, ?, ?, 'Submitted', 3, '', ?, ?, ?, ?, 'Scored', ?, 0, 1.0)",
            (
                (f"e{n}", version.rubric_id, version.id, f"s{n // PER_COHORT}", user.id,
                 ("Human", "AIPrompt", "Agent", "External", "Deterministic")[n % PER_COHORT], f"v{n % PER_COHORT}",
                 at, at, at, (n % 21) / 20, n % 2)
                for n in range(evaluations)
            ),
        )  # fmt: skip
        raw.executemany(
            "INSERT INTO evaluation_score (id, evaluation_id, criterion_id, scale_level_id, is_not_applicable,"
            " is_flagged, revision, updated_at, normalized_score, gate_failed, is_advisory, sequence)"
            " VALUES (?, ?, ?, ?, 0, 0, 1, ?, ?, 0, 0, ?)",
            (
                (f"x{n}.{c}", f"e{n}", version.nodes[c].id, f"l{n % 5}", at, (n % 5) / 4, c)
                for n in range(evaluations)
                for c in range(CRITERIA)
            ),
        )
        raw.executemany(
            "INSERT INTO assignment (id, subject_id, rubric_id, user_id, status, created_at, created_by)"
            " VALUES (?, ?, ?, ?, 'Open', ?, 'bench')",
            ((f"a{n}", f"s{n}", version.rubric_id, busy.id, at) for n in range(INBOX_ROWS)),
        )
        for _, text in triggers:
            raw.execute(text)
        raw.execute("COMMIT")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def open_and_close(path: Path) -> None:
    Database.open(path).close()


def bare_fsync(folder: Path) -> float:
    """What the disk alone takes for what a saved answer writes."""
    with open(folder / "fsync", "ab", buffering=0) as file:
        file.write(b"x" * 12288)
        return milliseconds(lambda: os.fsync(file.fileno()))


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def report(name: str, times: list[float], target: float | None = None) -> bool:
    """Print one line; whether the median is within its target."""
    median, late = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    good = target is None or median <= target
    goal = "" if target is None else f"   target {target:g} ms: {'ok' if good else 'MISSED'}"
    print(f"{name:<58} {median:9.3f} ms   p95 {late:9.3f} ms{goal}")
    return good


def measure(folder: Path, evaluations: int) -> Iterator[bool]:
    """Run everything; whether each target is met."""
    yield report(
        "a new store, made and closed",
        [milliseconds(partial(open_and_close, folder / f"new{n}.db")) for n in range(5)],
        TARGETS["create"],
    )
    path = folder / "bench.db"
    with Engine(path, user="bench") as engine:
        version = rubric(engine)
        engine.add_user("busy")
        user = engine.user
        busy = next(one for one in engine.users() if one.name == "busy")
    print(f"filling a store with {evaluations:,} evaluations ...", flush=True)
    started = time.perf_counter()
    fill(path, version, user, busy, evaluations)
    print(f"  {time.perf_counter() - started:.0f} s, {path.stat().st_size / 1e6:,.0f} MB")
    report("opening that store", [milliseconds(partial(open_and_close, path)) for _ in range(20)])

    rng = random.Random(7)
    subjects = [f"s{rng.randrange(evaluations // PER_COHORT)}" for _ in range(300)]
    with Database.open(path) as database:

        def cohort(subject: str) -> None:
            with database.read() as connection:
                found = access.cohort(
                    connection,
                    user,
                    subject_id=subject,
                    rubric_id=version.rubric_id,
                    context_id=None,
                    major=1,
                )
            assert found is not None
            assert found.count == PER_COHORT

        def raw_cohort(subject: str) -> None:
            with database.read() as connection:
                key = access.CohortKey(subject, version.rubric_id, None, 1)
                connection.execute(access.cohort_query(True), key.parameters).one()

        yield report(
            "one cohort: the columns of its view",
            [milliseconds(partial(raw_cohort, subject)) for subject in subjects],
            TARGETS["cohort"],
        )
        yield report(
            "one cohort through access, its criteria and rights included",
            [milliseconds(partial(cohort, subject)) for subject in subjects],
            TARGETS["cohort"],
        )
        with database.read() as connection:
            times = [milliseconds(lambda: access.counts_by_version(connection, user)) for _ in range(5)]
            report("evaluation counts of every version, for who reads all", times)

    with Engine(path, user="bench") as engine:
        (subject,) = engine.add_subjects([Subject(record_id="autosave", title="Autosave")])
        draft = engine.open_draft(subject=subject.id, rubric="Bench").evaluation.id
        answers = [
            Answer(
                criterion_id=version.nodes[n % CRITERIA].id, scale_level_id=f"l{n % 5}", rationale="x" * 200
            )
            for n in range(300)
        ]
        report("a bare fsync of 12 kB on this disk, to compare", [bare_fsync(folder) for _ in range(100)])
        yield report(
            "an autosaved answer, on the disk (synchronous=FULL)",
            [milliseconds(partial(engine.save_answer, draft, answer)) for answer in answers],
            TARGETS["answer"],
        )

    yield report(
        f"an inbox of {INBOX_ROWS} rows before the store is imported",
        [milliseconds(lambda: fast_inbox(path, "busy")) for _ in range(50)],
        TARGETS["inbox"],
    )
    found = fast_inbox(path, "busy")
    assert found is not None
    assert len(found) == INBOX_ROWS
    with Database.open(path) as database, database.read() as connection:
        report(
            "the same through the store", [milliseconds(lambda: inbox(connection, busy)) for _ in range(20)]
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rubrictui-bench-") as folder:
        return 0 if all(list(measure(Path(folder), options.evaluations))) else 1


if __name__ == "__main__":
    sys.exit(main())
