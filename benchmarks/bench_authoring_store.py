"""How fast an author's work is stored: one edit of a big draft, opening it, and re-scoring stored evaluations.

    python benchmarks/bench_authoring_store.py [--nodes 2500] [--evaluations 10000]

Every save is durable: it ends with the disk's word. The ratios to saving the whole tree, and to what the disk
alone takes, say more than the times. Every number is a median, with the 95th percentile beside it.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from rubrictui.core.model import Anchor, Level, Node, NodeType, Scale, VersionSnapshot
from rubrictui.engine import Engine
from rubrictui.store.types import instant_text

PER_GROUP = 24
TARGETS = {"edit": 4.0, "structure": 12.0, "open": 500.0, "what_if": 2000.0}

change = msgspec.structs.replace


def tree(draft: VersionSnapshot, nodes: int) -> VersionSnapshot:
    """A draft of so many nodes: groups of two dozen criteria, each with five anchors and a description."""
    scale = Scale(
        id="scale",
        name="Bench",
        levels=tuple(Level(id=f"l{n}", label=str(n), normalized_value=n / 4, sequence=n) for n in range(5)),
    )
    anchors = tuple(Anchor(scale_level_id=f"l{n}", descriptor=f"What {n} means here.") for n in range(5))
    made: list[Node] = []
    for group in range(nodes // (PER_GROUP + 1)):
        made.append(
            Node(id=f"g{group}", key=f"g{group}", name="Group", node_type=NodeType.GROUP, sequence=group)
        )
        made.extend(
            Node(
                id=f"n{group}.{place}", key=f"n{group}.{place}", name=f"Criterion {place}", parent_id=f"g{group}",
                scale_id="scale", description="x" * 200, anchors=anchors, sequence=place,
            )
            for place in range(PER_GROUP)
        )  # fmt: skip
    return change(draft, nodes=tuple(made), scales=(scale,))


def replaced(version: VersionSnapshot, place: int, **fields: object) -> VersionSnapshot:
    nodes = list(version.nodes)
    nodes[place] = change(nodes[place], **fields)
    return change(version, nodes=tuple(nodes))


def inserted(version: VersionSnapshot, number: int) -> VersionSnapshot:
    nodes = list(version.nodes)
    above = nodes[len(nodes) // 2]
    nodes.insert(
        len(nodes) // 2 + 1,
        Node(id=f"new{number}", key=f"new{number}", parent_id=above.parent_id, scale_id="scale"),
    )
    return change(version, nodes=tuple(nodes))


def moved(version: VersionSnapshot, number: int) -> VersionSnapshot:
    place = len(version.nodes) // 3 + number
    return replaced(version, place, parent_id="g0") if version.nodes[place].parent_id else version


class Author:
    """Someone who edits: each step is an edit of the last state, saved at once."""

    def __init__(self, engine: Engine, version: VersionSnapshot) -> None:
        self.engine = engine
        self.version = version
        self.revision = engine.draft_revision("Bench")

    def saves(self, edit: Callable[[VersionSnapshot, int], VersionSnapshot], times: int) -> list[float]:
        taken = []
        for number in range(times):
            edited = edit(self.version, number)
            began = time.perf_counter()
            self.revision = self.engine.save_draft(edited, revision=self.revision, base=self.version)
            taken.append((time.perf_counter() - began) * 1000)
            self.version = edited
        return taken


def milliseconds(act: Callable[[], object], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def bare_fsync(folder: Path) -> None:
    """What the disk alone takes for what an edit writes."""
    with open(folder / "fsync", "ab", buffering=0) as file:
        file.write(b"x" * 12_000)
        os.fsync(file.fileno())


def fill(path: Path, version: VersionSnapshot, user_id: str, evaluations: int) -> None:
    """So many Submitted evaluations with every criterion answered, by plain SQL with the triggers off."""
    at = instant_text(datetime.now(UTC))
    criteria = [node.id for node in version.nodes if node.is_criterion]
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        triggers = raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        raw.execute("BEGIN")
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        raw.executemany(
            "INSERT INTO subject (id, entity, record_id, title, text, content_hash, created_at, updated_at,"
            " created_by) VALUES (?, 'Bench', ?, ?, '', '', ?, ?, 'bench')",
            ((f"s{n}", f"r{n}", f"Subject {n}", at, at) for n in range(evaluations)),
        )
        raw.executemany(
            "INSERT INTO evaluation (id, rubric_id, version_id, major_version, subject_id, evaluator_user_id,"
            " evaluator_type, status, revision, subject_hash, started_at, updated_at,"
            " submitted_at, normalized_score, outcome, passed, gate_failed, completeness)"
            " VALUES (?, ?, ?, 1, ?, ?, 'Human', 'Submitted', 3, '', ?, ?, ?, 0.5, 'Scored', 1, 0, 1.0)",
            (
                (f"e{n * 7919 % evaluations:06}", version.rubric_id, version.id, f"s{n}", user_id, at, at, at)
                for n in range(evaluations)
            ),
        )
        raw.executemany(
            "INSERT INTO evaluation_score (id, evaluation_id, criterion_id, scale_level_id, is_not_applicable,"
            " is_flagged, revision, updated_at, normalized_score, gate_failed, is_advisory, sequence)"
            " VALUES (?, ?, ?, ?, 0, 0, 1, ?, 0.5, 0, 0, ?)",
            (
                (f"x{n}.{c}", f"e{n:06}", id, f"l{(n * 31 + c * 7 + n // 9) % 5}", at, c)
                for n in range(evaluations)
                for c, id in enumerate(criteria)
            ),
        )
        for _, text in triggers:
            raw.execute(text)
        raw.execute("COMMIT")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def measure_what_if(folder: Path, evaluations: int) -> Iterator[bool]:
    path = folder / "whatif.db"
    with Engine(path, user="bench") as engine:
        engine.create_rubric("Bench")
        engine.save_draft(tree(engine.version("Bench@draft"), PER_GROUP + 1))
        version = engine.version(engine.publish("Bench").id)
        fill(path, version, engine.user.id, evaluations)
        draft = replaced(engine.start_draft("Bench"), 3, weight=5.0)
        draft = change(draft, pass_threshold=0.5)
        found = engine.what_if("Bench", draft)
        assert found.total == evaluations
        yield report(
            f"{evaluations} stored evaluations of {PER_GROUP} criteria re-scored",
            milliseconds(lambda: engine.what_if("Bench", draft), 5),
            TARGETS["what_if"],
        )
        print(f"{'':<58} outcomes changed: {found.outcome_changes}")


def report(what: str, taken: list[float], target: float | None = None) -> bool:
    median = statistics.median(taken)
    worst = statistics.quantiles(taken, n=20)[-1] if len(taken) > 1 else median
    goal = "" if target is None else f"   (at most {target:g})"
    print(f"{what:<58} {median:9.2f} ms   p95 {worst:9.2f}{goal}")
    return target is None or median <= target


def measure(folder: Path, nodes: int) -> Iterator[bool]:
    path = folder / "bench.db"
    with Engine(path, user="bench") as engine:
        engine.create_rubric("Bench")
        version = tree(engine.version("Bench@draft"), nodes)
        whole = milliseconds(lambda: engine.save_draft(version), 3)
        report(f"the whole tree of {len(version.nodes)} nodes", whole)
        report("a bare fsync of 12 kB on this disk", disk := milliseconds(lambda: bare_fsync(folder), 100))
        author = Author(engine, engine.version("Bench@draft"))
        edits: dict[str, tuple[Callable[[VersionSnapshot, int], VersionSnapshot], float]] = {
            "a description typed": (
                lambda v, n: replaced(v, len(v.nodes) // 2 - 1, description="y" * n),
                TARGETS["edit"],
            ),
            "a weight": (lambda v, n: replaced(v, 2 + n, weight=2.0 + n), TARGETS["edit"]),
            "a key": (lambda v, n: replaced(v, len(v.nodes) // 2 - 2, key=f"renamed-{n}"), TARGETS["edit"]),
            "an anchor": (
                lambda v, n: replaced(
                    v, len(v.nodes) // 2 - 3, anchors=(Anchor(scale_level_id="l0", descriptor=str(n)),)
                ),
                TARGETS["edit"],
            ),
            "the pass threshold": (lambda v, n: change(v, pass_threshold=n / 100), TARGETS["edit"]),
            "a criterion added": (inserted, TARGETS["structure"]),
            "a criterion moved to another group": (moved, TARGETS["structure"]),
        }
        for what, (edit, target) in edits.items():
            taken = author.saves(edit, 60)
            yield report(what, taken, target)
            ratio = statistics.median(whole) / statistics.median(taken)
            times = statistics.median(taken) / statistics.median(disk)
            print(f"{'':<58} {ratio:9.0f} times as fast as the whole; {times:.1f} times the disk alone")
        assert engine.version("Bench@draft").nodes[len(version.nodes) // 2 - 1].description == "y" * 59
        yield report(
            "the draft opened for editing",
            milliseconds(lambda: engine.open_rubric_draft("Bench"), 5),
            TARGETS["open"],
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, default=2500)
    parser.add_argument("--evaluations", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rubrictui-bench-") as folder:
        met = [
            *measure(Path(folder), options.nodes),
            *measure_what_if(Path(folder), options.evaluations),
        ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
