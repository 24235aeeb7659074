"""Processes that save answers, to be killed or to compete: forked from one that has everything imported.

Run as a program it is that one process. It has no thread, so that forking it is safe. It reads a JSON object a
line: ``{"store", "user", "evaluations": [[id, ...], ...], "criteria", "first", "count"}`` makes a child for each
list of evaluations, which saves ``count`` answers (0: without end), each to the next of its evaluations, and
says so after each one is stored. A line of output is ``[child, what, ...]``; ``[null, "end", ...]`` is the last.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rubrictui.core.model import Answer, Node, Scale, ScaleType
from rubrictui.core.records import Subject
from rubrictui.engine import Engine

CRITERIA = 10
COUNT = Scale(id="scale-count", name="Count", scale_type=ScaleType.NUMERIC, min_value=0, max_value=1e9)


def criterion(number: int) -> str:
    return f"criterion-{number % CRITERIA}"


def make_drafts(store: str | Path, user: str | None, drafts: int) -> list[str]:
    """A published rubric of ten numeric criteria, and so many open drafts of different subjects."""
    with Engine(store, user=user) as engine:
        engine.create_rubric("Counting")
        draft = engine.version("Counting@draft")
        nodes = tuple(
            Node(id=criterion(n), key=f"c{n}", name=f"C{n}", scale_id=COUNT.id) for n in range(CRITERIA)
        )
        fields = {name: getattr(draft, name) for name in draft.__struct_fields__}
        engine.save_draft(type(draft)(**{**fields, "nodes": nodes, "scales": (COUNT,)}))
        engine.publish("Counting")
        subjects = engine.add_subjects(Subject(record_id=f"r{n}", title=f"S{n}") for n in range(drafts))
        return [
            engine.open_draft(subject=subject.id, rubric="Counting").evaluation.id for subject in subjects
        ]


class Writers:
    """The forking process, from outside."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def start(self, **orders: Any) -> Iterator[list[Any]]:
        """Give orders; what the children say, line by line, until all have ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(orders).encode() + b"\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            said = json.loads(line)
            yield said
            if said[1] == "end":
                return

    def close(self) -> None:
        self._process.communicate(timeout=30)


def _say(*words: Any) -> None:
    # One system call of less than a pipe's buffer: a killed process has said it or has not.
    os.write(1, json.dumps(words).encode() + b"\n")


def _save(child: int, orders: dict[str, Any]) -> None:
    _say(child, "started", os.getpid())
    evaluations = orders["evaluations"][child]
    with Engine(orders["store"], user=orders["user"]) as engine:
        number = orders["first"]
        while not orders["count"] or number < orders["first"] + orders["count"]:
            evaluation = evaluations[number % len(evaluations)]
            # Alone, a child goes through all criteria; in company half of its answers are to its own one.
            place = number if len(orders["evaluations"]) == 1 or number % 4 < 2 else child
            answer = Answer(criterion_id=criterion(place), raw_value=float(number))
            receipt = engine.save_answer(evaluation, answer)
            _say(child, "saved", evaluation, answer.criterion_id, number, receipt.revision)
            number += 1


def main() -> None:
    for line in sys.stdin:
        orders = json.loads(line)
        children = []
        for child in range(len(orders["evaluations"])):
            pid = os.fork()
            if pid == 0:
                try:
                    _save(child, orders)
                except BaseException as error:
                    _say(child, "failed", f"{type(error).__name__}: {error}")
                    os._exit(1)
                os._exit(0)
            children.append(pid)
        _say(None, "end", [os.waitpid(pid, 0)[1] for pid in children])


if __name__ == "__main__":
    main()
