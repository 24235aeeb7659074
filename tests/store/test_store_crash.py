"""Nothing that was acknowledged is ever lost: a scoring process is killed a hundred times at random moments."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

from answer_writers import CRITERIA, Writers, criterion, make_drafts

RUNS = 100
SEED = 20270301


def stored(store: Path, check: Path, evaluation: str) -> tuple[dict[str, int], int]:
    """What a copy of the files, as the killed process left them, holds; the original is left to the next run."""
    shutil.rmtree(check, ignore_errors=True)
    check.mkdir()
    for suffix in ("", "-wal"):
        source = store.with_name(store.name + suffix)
        if source.exists():
            shutil.copy(source, check / source.name)
    with closing(sqlite3.connect(check / store.name)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
        answers = raw.execute(
            "SELECT criterion_id, raw_value FROM evaluation_score WHERE evaluation_id = ?", (evaluation,)
        )
        found = {name: int(value) for name, value in answers}
        (revision,) = raw.execute("SELECT revision FROM evaluation WHERE id = ?", (evaluation,)).fetchone()
    return found, revision


def test_every_acknowledged_answer_survives_a_hundred_kills(store_path: Path, tmp_path: Path) -> None:
    (evaluation,) = make_drafts(store_path, "ann", 1)
    chance = random.Random(SEED)
    writers = Writers()
    acknowledged: dict[str, int] = {}
    revision, first, runs_with_answers = 0, 1, 0
    try:
        for run in range(RUNS):
            orders = {"store": str(store_path), "user": "ann", "evaluations": [[evaluation]]}
            # While it opens the store, or while it works; now and then long enough for a checkpoint.
            count_from = chance.choice(["started", "saved", "saved"])
            moment = chance.uniform(0.0, 0.3 if run % 20 == 0 else 0.05)
            saved = _run_and_kill(writers, {**orders, "first": first, "count": 0}, count_from, moment)
            acknowledged.update(saved)
            runs_with_answers += bool(saved)
            found, now = stored(store_path, tmp_path / "check", evaluation)
            # One more may have been committed, its acknowledgement never said.
            told = len(saved)
            in_flight = first + told
            assert revision + told <= now <= revision + told + 1, f"run {run} of seed {SEED}"
            for name, value in acknowledged.items():
                assert found[name] == value or (found[name] == in_flight and name == criterion(in_flight)), (
                    f"run {run} of seed {SEED}: {name} holds {found[name]}, acknowledged was {value}"
                )
            if found.get(criterion(in_flight)) == in_flight:
                acknowledged[criterion(in_flight)] = in_flight
            revision, first = now, in_flight + 1
    finally:
        writers.close()
    assert len(acknowledged) == CRITERIA
    assert runs_with_answers > RUNS / 3, "most runs must have saved something for this to mean anything"
    assert revision > RUNS


def _run_and_kill(
    writers: Writers, orders: dict[str, Any], signal_to_count_from: str, moment: float
) -> list[tuple[str, int]]:
    """One run, killed ``moment`` seconds after it first says that word; what it acknowledged, in order."""
    saved: list[tuple[str, int]] = []
    pid, killer = 0, None
    for said in writers.start(**orders):
        if said[1] == "end":
            assert said[2] == [signal.SIGKILL], said
            break
        if said[1] == "started":
            pid = said[2]
        elif said[1] == "saved":
            saved.append((said[3], said[4]))
        else:
            raise AssertionError(said)
        if killer is None and said[1] == signal_to_count_from:
            killer = threading.Timer(moment, os.kill, (pid, signal.SIGKILL))
            killer.start()
    assert killer is not None
    killer.join()
    return saved
