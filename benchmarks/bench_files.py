"""How long a large rubric takes as a file: 2,500 nodes in 2.4 MB of YAML, read with every check, and pushed.

    python benchmarks/bench_files.py [--nodes 2500]

Reading is told beside what PyYAML's C loader alone takes for the same text. Every number is a median of five runs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from rubrictui.core.model import Anchor, Level, Node, NodeType, Scale, VersionSnapshot
from rubrictui.engine import Engine
from rubrictui.interchange.documents import RubricFile, ScaleFile
from rubrictui.interchange.yaml_reader import read_files
from rubrictui.interchange.yaml_writer import write_documents

LIMIT_SECONDS = 2.0
RUNS = 5


def text(nodes: int) -> str:
    """A rubric of so many nodes, a group for every five, each with 200 characters of description and anchors."""
    levels = tuple(
        Level(id=f"level-{place}", label=label, normalized_value=float(place), sequence=place)
        for place, label in enumerate(("Miss", "Meets"))
    )
    scale = Scale(id="scale", name="Meets or not", levels=levels)
    words = "What is there is described in the words of the one who asks. " * 3
    made: list[Node] = []
    for number in range(nodes):
        is_group = number % 5 == 0
        made.append(
            Node(
                id=f"{number:08d}-0000-4000-8000-000000000000",
                key=f"step-{number}",
                parent_id=None if is_group else made[number - number % 5].id,
                name=f"Step {number}",
                description=words,
                guidance="Look first.\nThen decide." * 4,
                node_type=NodeType.GROUP if is_group else NodeType.CRITERION,
                scale_id=None if is_group else scale.id,
                sequence=number // 5 if is_group else number % 5 - 1,
                anchors=()
                if is_group
                else tuple(Anchor(scale_level_id=level.id, descriptor=words[:150]) for level in levels),
            )
        )
    snapshot = VersionSnapshot(
        id="version", rubric_id="rubric", rubric_name="Large", nodes=tuple(made), scales=(scale,)
    )
    return write_documents([ScaleFile(scale=scale), RubricFile(id="rubric", name="Large", snapshot=snapshot)])


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
    options = parser.parse_args()
    written = text(options.nodes)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with tempfile.TemporaryDirectory() as where:
        folder, stores = Path(where) / "files", iter(range(10**6))
        folder.mkdir()
        (folder / "large.yaml").write_text(written, encoding="utf-8")
        assert read_files([folder / "large.yaml"]).is_valid

        def push() -> None:
            with Engine(Path(where) / f"{next(stores)}.db") as engine:
                assert engine.sync_push(folder).changed

        plain = median(lambda: list(yaml.load_all(written, Loader=loader)))
        reading = median(lambda: read_files([folder / "large.yaml"]))
        pushing = median(push)
        with Engine(Path(where) / "0.db") as engine:
            again = median(lambda: engine.sync_push(folder))
            assert engine.sync_status(folder).in_step
    print(f"{options.nodes:,} nodes, {len(written) / 1e6:.1f} MB: PyYAML alone {plain * 1000:.0f} ms")
    print(f"read with every check   {reading * 1000:6.0f} ms, {reading / plain:4.1f} times PyYAML")
    print(f"pushed to a new store   {pushing * 1000:6.0f} ms")
    print(f"pushed again, no change {again * 1000:6.0f} ms")
    fits = max(reading, pushing, again) <= LIMIT_SECONDS
    print(f"{'within' if fits else 'ABOVE'} {LIMIT_SECONDS:g} s")
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
