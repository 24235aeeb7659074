"""Run by ``test_engine_killed``: writers that are killed in the middle, and writers that all write at once.

Writers are forked from here with the engine imported and its statements compiled, but without an open
connection: SQLite must not be carried over a fork. So a hundred of them start quickly. A writer acknowledges
an answer on its pipe after ``save_answer`` has returned, never before.

    killed_writer.py STORE kill RUNS      a line per run: the draft and what was acknowledged, as JSON
    killed_writer.py STORE together N     N writers on one shared draft and on one draft each
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from functools import partial

from rubrictui.core.model import Answer
from rubrictui.engine import Engine

LEVELS = ("miss", "partial", "meets")
CRITERIA = ("n-argument", "n-sources", "n-clarity")


def warmed(store: str) -> Engine:
    """An engine that has compiled what a writer needs, and has no connection open."""
    engine = Engine(store, user="rita")
    draft = engine.open_draft(subject="Paper/warm", rubric="Paper review").evaluation.id
    engine.open_draft(subject="Paper/warm", rubric="Paper review")
    engine.save_answer(draft, Answer(criterion_id=CRITERIA[0], scale_level_id=LEVELS[0]))
    engine.close()
    return engine


def forked(work: Callable[[int], None]) -> tuple[int, int]:
    """Run ``work(pipe)`` in a child; its process id and the reading end of the pipe."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            work(writing)
            status = 0
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    os.close(writing)
    return child, reading


def answer_for_ever(engine: Engine, pipe: int) -> None:
    draft = engine.open_draft(subject="Paper/tides", rubric="Paper review").evaluation
    os.write(pipe, f"{draft.id} {draft.revision}\n".encode())
    random.seed(draft.revision)
    while True:
        criterion, level, length = random.choice(CRITERIA), random.choice(LEVELS), random.randrange(2000)
        answer = Answer(criterion_id=criterion, scale_level_id=level, rationale="x" * length)
        receipt = engine.save_answer(draft.id, answer)
        os.write(pipe, f"{receipt.revision} {criterion} {level} {length}\n".encode())


def kill_one(engine: Engine, seed: int) -> str:
    """One writer, killed at a moment nobody chose; what it acknowledged before."""
    child, reading = forked(partial(answer_for_ever, engine))
    with os.fdopen(reading) as lines:
        chance = random.Random(seed)
        draft, began_at = lines.readline().split()
        # However slow the machine is, most have stored something when they end.
        heard = [lines.readline() for _ in range(chance.randrange(5))]
        time.sleep(chance.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        # A line that is cut short was not read by anybody: its answer was not acknowledged.
        rest = lines.read().splitlines(keepends=True)
        whole = [line for line in (*heard, *rest) if line.endswith("\n")]
    return json.dumps(
        {"draft": draft, "began_at": int(began_at), "acknowledged": [line.split() for line in whole]}
    )


def write_together(engine: Engine, each: int, number: int, pipe: int) -> None:
    """``each`` answers to the draft all share, and as many to one of this writer's own."""
    drafts = [
        engine.open_draft(subject=f"Paper/{record}", rubric="Paper review").evaluation.id
        for record in ("tides", f"own-{number}")
    ]
    for n in range(each):
        for draft in drafts:
            engine.save_answer(draft, Answer(criterion_id="n-clarity", scale_level_id=LEVELS[n % 3]))
    os.write(pipe, b"done\n")


def main(store: str, what: str, count: int) -> None:
    engine = warmed(store)
    if what == "kill":
        for run in range(count):
            print(kill_one(engine, run), flush=True)
        return
    children = [forked(partial(write_together, engine, 20, number)) for number in range(count)]
    for child, reading in children:
        with os.fdopen(reading) as lines:
            print(lines.read().strip() or "failed", flush=True)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
