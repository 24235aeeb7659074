"""How fast rules are: answered and scored in memory, one record evaluated and stored, and a whole round of them.

python benchmarks/bench_evaluators.py [--records 10000]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from rubrictui.core.model import Level, Node, NodeType, Scale, VersionSnapshot
from rubrictui.core.records import Subject
from rubrictui.engine import Engine
from rubrictui.evaluators.deterministic import RuleSet

GROUPS, PER_GROUP = 4, 5
OPERATORS: list[tuple[str, list[Any]]] = [
    ("in", ["a", "b"]), ("equals", ["x"]), ("gte", [5]), ("between", [1, 9]), ("exists", []), ("contains", ["q"]),
]  # fmt: skip
TARGETS = {"scored": 20_000.0, "stored": 10.0}


def rubric(draft: VersionSnapshot) -> VersionSnapshot:
    """Twenty criteria in four groups, each with a rule over the subject's data."""
    scale = Scale(
        id="scale",
        name="Bench",
        levels=tuple(Level(id=f"l{n}", label=str(n), normalized_value=n / 3, sequence=n) for n in range(4)),
    )
    nodes: list[Node] = []
    for group in range(GROUPS):
        nodes.append(Node(id=f"g{group}", key=f"g{group}", node_type=NodeType.GROUP, sequence=group))
        for place in range(PER_GROUP):
            operator, values = OPERATORS[(group * PER_GROUP + place) % len(OPERATORS)]
            rule = {
                "Path": f"part{group}.field{place}", "Operator": operator, "Values": values,
                "LevelWhenTrue": "3", "LevelWhenFalse": "1",
            }  # fmt: skip
            nodes.append(
                Node(
                    id=f"c{group}.{place}", key=f"c{group}.{place}", parent_id=f"g{group}", scale_id="scale",
                    sequence=place, evaluator_config={"Deterministic": rule},
                )
            )  # fmt: skip
    return msgspec.structs.replace(draft, nodes=tuple(nodes), scales=(scale,))


def data(number: int) -> dict[str, Any]:
    return {
        f"part{group}": {
            f"field{place}": [(number + place) % 12, "a", "x", ["q"], None][(number + group + place) % 5]
            for place in range(PER_GROUP)
        }
        for group in range(GROUPS)
    }


def report(what: str, value: float, unit: str, met: bool, goal: str) -> bool:
    print(f"{what:<60} {value:12,.1f} {unit}   ({goal})")
    return met


def measure(folder: Path, records: int) -> Iterator[bool]:
    version = rubric(VersionSnapshot())
    many = [data(number) for number in range(20_000)]
    rules = RuleSet(version)
    rates = []
    for _ in range(5):
        began = time.perf_counter()
        rules.scores(many)
        rates.append(len(many) / (time.perf_counter() - began))
    rate = statistics.median(rates)
    yield report(
        "answered by rule and scored, 20 criteria", rate, "/s", rate >= TARGETS["scored"], "at least 20,000"
    )

    with Engine(folder / "bench.db", user="bench") as engine:
        engine.create_rubric("Bench")
        engine.save_draft(rubric(engine.version("Bench@draft")))
        engine.publish("Bench")
        engine.add_subjects(
            [Subject(entity="Record", record_id=str(n), title=f"R{n}", data=data(n)) for n in range(records)]
        )
        taken = []
        for number in range(100):
            began = time.perf_counter()
            engine.evaluate_record(subject=f"Record/{number}", rubric="Bench", evaluator="Deterministic")
            taken.append((time.perf_counter() - began) * 1000)
        one = statistics.median(taken)
        report(
            "one record evaluated and stored, on the disk",
            one,
            "ms",
            True,
            "each in a transaction of its own",
        )
        began = time.perf_counter()
        found = engine.evaluate_all(rubric="Bench", entity="Record", evaluator="Deterministic", again=True)
        whole = time.perf_counter() - began
        assert found.done == records
        limit = TARGETS["stored"] * records / 10_000
        yield report(
            f"{records} records evaluated and stored", whole, "s ", whole <= limit, f"at most {limit:g}"
        )
        print(f"{'':<60} {one * records / 1000 / whole:12.0f} times as fast as one by one")
        began = time.perf_counter()
        skipped = engine.evaluate_all(rubric="Bench", entity="Record", evaluator="Deterministic").skipped
        assert skipped == records
        report("the same again, all skipped", time.perf_counter() - began, "s ", True, "nothing is written")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--records", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rubrictui-bench-") as folder:
        return 0 if all(list(measure(Path(folder), options.records))) else 1


if __name__ == "__main__":
    sys.exit(main())
