"""How long a large rubric of another program takes to come in: a tree of 2,500 nodes in 2.4 MB of JSON.

    python benchmarks/bench_import.py [--nodes 2500] [--megabytes 2.4]

Reading (bytes to rubric) and the whole (reading, and the draft in a store on disk) are told beside what
``json.loads`` alone takes for the same bytes. Every number is a median of five runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rubrictui.core.authoring import publish_problems
from rubrictui.engine import Engine
from rubrictui.interchange.importers import import_rubrics

LIMIT_SECONDS = 2.0
RUNS = 5
FANOUT = 3
WORDS = [
    "the",
    "model",
    "is",
    "trained",
    "on",
    "each",
    "data",
    "set",
    "with",
    "the",
    "settings",
    "of",
    "the",
    "paper",
    "and",
    "its",
    "error",
    "is",
    "reported",
]


def tree(nodes: int, size: int) -> bytes:
    """A tree of so many nodes, at least eight deep, with requirements that make about ``size`` bytes together."""
    length = max(size // nodes - 500, 20)
    made: list[dict[str, Any]] = []
    for number in range(nodes):
        words = f"Step {number % 900}: " + " ".join(
            WORDS[(number + i) % len(WORDS)] for i in range(length // 5)
        )
        made.append(
            {
                "id": f"{number:08d}-0000-4000-8000-000000000000",
                "requirements": words[:length] + ".",
                "weight": number % 4,
                "sub_tasks": [],
                "task_category": None,
                "finegrained_task_category": None,
            }
        )
    for number in range(1, nodes):
        # The first nodes form a chain, so that the tree is deep; the rest hang below in threes.
        parent = number - 1 if number < 9 else (number - 1) // FANOUT
        made[parent]["sub_tasks"].append(made[number])
    for node in made:
        if not node["sub_tasks"]:
            node["task_category"] = "Code Development"
    return json.dumps(made[0], indent=2).encode()


def median(run: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=2500)
    parser.add_argument("--megabytes", type=float, default=2.4)
    options = parser.parse_args()
    data = tree(options.nodes, int(options.megabytes * 1_000_000))
    imported = import_rubrics(data)
    (rubric,) = imported.rubrics
    assert len(rubric.snapshot.nodes) == options.nodes - 1
    assert not [problem for problem in publish_problems(rubric.snapshot) if problem.blocks]
    plain = median(lambda: json.loads(data))
    reading = median(lambda: import_rubrics(data))
    with tempfile.TemporaryDirectory() as folder:
        stores = iter(range(10**6))

        def whole() -> None:
            with Engine(Path(folder) / f"{next(stores)}.db") as engine:
                engine.import_rubrics(import_rubrics(data).rubrics)

        def empty() -> None:
            Engine(Path(folder) / f"{next(stores)}.db").close()

        whole()
        stored = median(whole)
        opening = median(empty)
    size = f"{options.nodes:,} nodes, {len(data) / 1e6:.1f} MB"
    print(f"{size}: json.loads {plain * 1000:.0f} ms")
    print(f"reading into a rubric        {reading * 1000:6.0f} ms, {reading / plain:5.1f} times json.loads")
    print(
        f"reading and storing a draft  {stored * 1000:6.0f} ms, of which a new store {opening * 1000:.0f} ms"
    )
    fits = stored <= LIMIT_SECONDS
    print(f"{'within' if fits else 'ABOVE'} {LIMIT_SECONDS:g} s")
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
