"""What the runner of model-based evaluators costs beside the waiting for the model.

    python benchmarks/bench_evaluators.py [--calls 200] [--concurrency 32] [--delay 0.1]

A server in a process of its own answers after ``--delay`` seconds; the real client talks to it over the loopback,
and every call and evaluation of a round is stored on disk. The floor is what no runner can beat: calls / concurrency x
delay. Beside it stands what the HTTP client alone takes for the same requests, with no model client, no prompt and no
store around it. Processor time is told too: it changes less than the clock on a machine that has other work. Rules are
timed without any server.
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
from rubrictui.evaluators.config import load_config
from rubrictui.evaluators.deterministic import RuleSet
from rubrictui.evaluators.models import CallRequest, ModelAccess, Turn

SERVER = Path(__file__).parent.parent / "tests" / "evaluators" / "openai_server.py"
RUBRIC = "Agent evaluation"
SECONDS = 1.2
OVERHEAD = 0.005
PER_SECOND = 20_000


async def alone(delay: float) -> float:
    """The median time of one call beside its wait, one after the other, seconds."""
    access = ModelAccess(load_config)
    model, request = access.resolve(None), CallRequest("s" * 4000, (Turn("user", "x" * 5000),))
    times = []
    try:
        for _ in range(30):
            began = time.perf_counter()
            await access.call(model, request)
            times.append(time.perf_counter() - began - delay)
    finally:
        await access.aclose()
    return statistics.median(times[5:])


async def bare(url: str, calls: int, concurrency: int) -> tuple[float, float]:
    """What the HTTP client alone takes for the same: by the clock, and of the processor for each call."""
    import httpx2

    body = {
        "model": "m",
        "messages": [{"role": "system", "content": "s" * 4000}, {"role": "user", "content": "x" * 5000}],
    }
    limit = asyncio.Semaphore(concurrency)
    async with httpx2.AsyncClient(timeout=30) as client:

        async def one() -> None:
            async with limit:
                (await client.post(f"{url}/chat/completions", json=body)).raise_for_status()

        await asyncio.gather(*(one() for _ in range(concurrency)))
        began, used = time.perf_counter(), time.process_time()
        await asyncio.gather(*(one() for _ in range(calls)))
    return time.perf_counter() - began, (time.process_time() - used) / calls


def round_of(engine: Engine, entity: str, concurrency: int) -> tuple[float, float]:
    """A round by the clock, and of the processor for each evaluation."""
    began, used = time.perf_counter(), time.process_time()
    report = engine.evaluate_all(rubric=RUBRIC, entity=entity, concurrency=concurrency)
    took, used = time.perf_counter() - began, time.process_time() - used
    assert report.failed == 0, report.failures
    return took, used / report.done


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
                for entity, count in (("Warm", 8), ("Bench", options.calls)):
                    engine.add_subjects(
                        [Subject(entity=entity, record_id=str(n), text=f"{n}: {text}") for n in range(count)]
                    )
                round_of(engine, "Warm", options.concurrency)  # the start-up: modules, connections
                beside = asyncio.run(alone(options.delay))
                client, client_used = asyncio.run(bare(url, options.calls, options.concurrency))
                took, used = round_of(engine, "Bench", options.concurrency)
    finally:
        server.terminate()
        server.wait()
    floor = -(-options.calls // options.concurrency) * options.delay
    print(f"one call beside its wait              {beside * 1000:8.1f} ms   (at most {OVERHEAD * 1000:g})")
    what = f"{options.calls} calls, {options.concurrency} at a time"
    print(f"{what}, floor              {floor:8.2f} s")
    print(f"{what}, HTTP client alone  {client:8.2f} s    {client_used * 1000:.1f} ms of the processor each")
    print(
        f"{what}, judged and stored  {took:8.2f} s    {used * 1000:.1f} ms of the processor each (at most {SECONDS:g} s)"
    )
    print(f"  beside the client alone             {took / client:8.1f} times")
    by_rule = rules()
    print(f"20 leaves by rule, evaluations a second {by_rule:8,.0f}   (at least {PER_SECOND:,})")
    return 0 if beside <= OVERHEAD and took <= SECONDS and by_rule >= PER_SECOND else 1


if __name__ == "__main__":
    sys.exit(main())
