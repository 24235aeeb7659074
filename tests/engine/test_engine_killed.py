"""Nothing acknowledged is ever lost: writers are killed in the middle, and write all at once."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from engine_world import World

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.records import Subject

SCRIPT = Path(__file__).with_name("killed_writer.py")
WRITERS = 8

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked")


def run(world: World, *arguments: str) -> list[str]:
    names = ["warm", *(f"own-{number}" for number in range(WRITERS))]
    world.chief.add_subjects([Subject(entity="Paper", record_id=name) for name in names])
    command = [sys.executable, str(SCRIPT), str(world.path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_every_acknowledged_answer_survives_a_hundred_kills(world: World, paper: VersionSnapshot) -> None:
    acknowledged: dict[str, tuple[int, str, int]] = {}
    revision = count = interrupted = 0
    runs = [json.loads(line) for line in run(world, "kill", "100")]
    for found in runs:
        # The writer before may have stored one answer more than it lived to acknowledge.
        assert found["began_at"] in (revision, revision + 1)
        interrupted += found["began_at"] > revision
        revision = found["began_at"]
        for number, criterion, level, length in found["acknowledged"]:
            assert int(number) == revision + 1
            revision = int(number)
            acknowledged[criterion] = (revision, level, int(length))
            count += 1
    assert len(runs) == 100
    assert count > 100
    with sqlite3.connect(world.path) as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        stored = {
            criterion: (number, level, length)
            for criterion, number, level, length in store.execute(
                "SELECT criterion_id, revision, scale_level_id, length(rationale) FROM evaluation_score"
                " WHERE evaluation_id = ?",
                (runs[0]["draft"],),
            )
        }
    for criterion, answer in acknowledged.items():
        # Either this very answer, or one that was stored later and cut off before its acknowledgement.
        assert stored[criterion] == answer or stored[criterion][0] > answer[0]
    replaced = sum(stored[criterion] != answer for criterion, answer in acknowledged.items())
    assert replaced <= interrupted + 1


def test_eight_writers_at_once_lose_nothing_and_fail_nowhere(world: World, paper: VersionSnapshot) -> None:
    assert run(world, "together", str(WRITERS)) == ["done"] * WRITERS
    with sqlite3.connect(world.path) as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        revisions = dict(
            store.execute(
                "SELECT s.record_id, e.revision FROM evaluation e JOIN subject s ON s.id = e.subject_id"
            ).fetchall()
        )
    assert revisions == {"warm": 1, "tides": 20 * WRITERS} | {f"own-{n}": 20 for n in range(WRITERS)}
