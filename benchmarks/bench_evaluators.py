"""What the runner of model-based evaluators costs beside the waiting for the model.

    python benchmarks/bench_evaluators.py [--calls 200] [--concurrency 32] [--delay 0.1]

A server in a process of its own answers after ``--delay`` seconds; the real client talks to it over the loopback,
and every call and evaluation is stored on disk. The floor is what no runner can beat: calls / concurrency x delay.
The overhead of a call is what one evaluation takes alone, less the wait. Rules are timed without any server.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rubrictui.core.model import Node, VersionSnapshot
from rubrictui.core.records import Subject
from rubrictui.engine import Engine
from rubrictui.evaluators.deterministic import RuleSet

SERVER = Path(__file__).parent.parent / "tests" / "evaluators" / "openai_server.py"
RUBRIC = "Agent evaluation"
SECONDS = 1.2
OVERHEAD = 0.005
PER_SECOND = 20_000


async def alone(engine: Engine, subjects: list[str], delay: float) -> float:
    """The median time of one evaluation beside its wait, seconds."""
    times = []
    async with engine.judging_session():
        for subject in subjects:
            began = time.perf_counter()
            await engine.evaluate_record_async(rubric=RUBRIC, subject=subject)
            times.append(time.perf_counter() - began - delay)
    return statistics.median(times[5:])


def round_of(engine: Engine, concurrency: int) -> float:
    began = time.perf_counter()
    report = engine.evaluate_all(rubric=RUBRIC, entity="Bench", concurrency=concurrency)
    took = time.perf_counter() - began
    assert report.failed == 0, report.failures
    return took


def rules() -> float:
    """Evaluations of a rubric with 20 leaves a second, by rule."""
    from rubrictui.core.model import Level, Scale
    from rubrictui.core.scoring import compute

    scale = Scale(
        id="s",
        levels=(
            Level(id="y", label="Yes", normalized_value=1),
            Level(id="n", label="No", normalized_value=0),
        ),
    )
    rule = {"Operator": "gte", "Values": [5], "LevelWhenTrue": "Yes", "LevelWhenFalse": "No"}
    nodes = tuple(
        Node(
            id=f"n{i}",
            key=f"k{i}",
            scale_id="s",
            evaluator_config={"Deterministic": {"Path": f"values.{i}", **rule}},
        )
        for i in range(20)
    )
    version = VersionSnapshot(nodes=nodes, scales=(scale,))
    ready = RuleSet(version)
    data = [{"values": [(i * 7 + j) % 11 for j in range(20)]} for i in range(5000)]
    best = 0.0
    for _ in range(3):
        began = time.perf_counter()
        for one in data:
            compute(version, ready.answers(one)[0])
        best = max(best, len(data) / (time.perf_counter() - began))
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--delay", type=float, default=0.1)
    options = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, str(SERVER), "--delay", str(options.delay)], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "ai.toml"
            url = server.stdout.readline().strip()
            config.write_text(
                f'default_model = "m"\n[providers.openai]\nbase_url = "{url}"\nconcurrency = {options.concurrency}\n'
            )
            os.environ["RUBRICTUI_AI_CONFIG"] = str(config)
            with Engine(Path(folder) / "b.db", user="bench") as engine:
                engine.load_samples()
                text = "A report of some length. " * 200
                engine.add_subjects(
                    [
                        Subject(entity="Bench", record_id=str(n), text=f"{n}: {text}")
                        for n in range(options.calls)
                    ]
                )
                engine.add_subjects(
                    [Subject(entity="Alone", record_id=str(n), text=f"{n}: {text}") for n in range(25)]
                )
                beside = asyncio.run(alone(engine, [f"Alone/{n}" for n in range(25)], options.delay))
                took = round_of(engine, options.concurrency)
    finally:
        server.terminate()
        server.wait()
    floor = -(-options.calls // options.concurrency) * options.delay
    print(f"one evaluation beside its wait        {beside * 1000:8.1f} ms   (at most {OVERHEAD * 1000:g})")
    print(
        f"{options.calls} calls, {options.concurrency} at a time           {took:8.2f} s    "
        f"(at most {SECONDS:g}; floor {floor:.2f})"
    )
    by_rule = rules()
    print(f"20 leaves by rule, evaluations a second {by_rule:8,.0f}   (at least {PER_SECOND:,})")
    return 0 if beside <= OVERHEAD and took <= SECONDS and by_rule >= PER_SECOND else 1


if __name__ == "__main__":
    sys.exit(main())
