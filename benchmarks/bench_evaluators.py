"""What the runner of model-based evaluators costs beside the waiting for the model, and what rules cost.

    python benchmarks/bench_evaluators.py [--calls 200] [--concurrency 32] [--delay 0.1] [--stored 10000]

A server in a process of its own answers after ``--delay`` seconds; the real client talks to it over the loopback,
and every call and evaluation of a round is stored on disk. One run gives what each layer adds: the HTTP client alone,
OpenAI's client over it, pydantic-ai over that, our call, and a round that is rendered, checked, scored and stored.

What is held to limits is processor time, in terms of a core that takes 20 million steps of a plain loop a second: the
clock of a machine that has other work to do says little. The time by the clock is told beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rubrictui.core.model import Level, Node, Scale, VersionSnapshot
from rubrictui.core.records import Subject
from rubrictui.core.scoring import compute
from rubrictui.engine import Engine
from rubrictui.evaluators.config import load_config
from rubrictui.evaluators.deterministic import RuleSet
from rubrictui.evaluators.models import CallRequest, ModelAccess, Turn

SERVER = Path(__file__).parent.parent / "tests" / "evaluators" / "openai_server.py"
RUBRIC = "Agent evaluation"
SECONDS = 1.2
OVERHEAD = 0.005
PER_SECOND = 20_000
STORED = 10.0
STEPS = 5_000_000
STEPS_A_SECOND = 20_000_000
SYSTEM, WORK = "s" * 4000, "x" * 5000


def factor(steps: int = STEPS) -> float:
    """What turns processor time measured now into that of the core of the limits."""
    began = time.process_time()
    count = 0
    for number in range(steps):
        count += number
    return steps / (time.process_time() - began) / STEPS_A_SECOND


class Spent(NamedTuple):
    """Seconds by the clock, and of the processor for each piece of work, normalised."""

    clock: float
    each: float


async def measured(one: Callable[[], Awaitable[Any]], count: int, concurrency: int) -> Spent:
    """So many calls, so many at a time, after a round that opens the connections."""
    limit = asyncio.Semaphore(concurrency)

    async def limited() -> None:
        async with limit:
            await one()

    await asyncio.gather(*(limited() for _ in range(concurrency)))
    before = factor()
    began, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*(limited() for _ in range(count)))
    took, used = time.perf_counter() - began, time.process_time() - used
    return Spent(took, used / count * (before + factor()) / 2)


async def layers(url: str, calls: int, concurrency: int) -> dict[str, Spent]:
    """The same calls through one layer after the other."""
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

    found = {}
    messages: Any = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": WORK}]
    async with httpx2.AsyncClient(timeout=30) as client:

        async def bare() -> None:
            answer = await client.post(f"{url}/chat/completions", json={"model": "m", "messages": messages})
            answer.raise_for_status()

        found["HTTP client alone"] = await measured(bare, calls, concurrency)
        openai = AsyncOpenAI(api_key="none", base_url=url, max_retries=0, http_client=client)
        found["OpenAI's client over it"] = await measured(
            lambda: openai.chat.completions.create(model="m", messages=messages), calls, concurrency
        )
    access = ModelAccess(load_config)
    model, request = access.resolve(None), CallRequest(SYSTEM, (Turn("user", WORK),))
    made = access.model(model)
    try:
        found["pydantic-ai over that"] = await measured(
            lambda: model_request(
                made, [ModelRequest(parts=[SystemPromptPart(SYSTEM), UserPromptPart(WORK)])]
            ),
            calls,
            concurrency,
        )
        found["our call over that"] = await measured(lambda: access.call(model, request), calls, concurrency)
    finally:
        await access.aclose()
    return found


def round_of(engine: Engine, entity: str, concurrency: int, **more: Any) -> Spent:
    """A round of evaluations."""
    before = factor()
    began, used = time.perf_counter(), time.process_time()
    report = engine.evaluate_all(entity=entity, concurrency=concurrency, **{"rubric": RUBRIC, **more})
    took, used = time.perf_counter() - began, time.process_time() - used
    assert report.failed == 0, report.failures
    return Spent(took, used / report.done * (before + factor()) / 2)


def ruled() -> VersionSnapshot:
    """A rubric of 20 leaves, each with a rule."""
    scale = Scale(
        id="s",
        name="Yes or no",
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
            name=f"K{i}",
            scale_id="s",
            evaluator_config={"Deterministic": {"Path": f"values.{i}", **rule}},
        )
        for i in range(20)
    )
    return VersionSnapshot(nodes=nodes, scales=(scale,))


def data_of(number: int) -> dict[str, Any]:
    return {"values": [(number * 7 + place) % 11 for place in range(20)]}


def rules() -> float:
    """Evaluations by rule a second, of the processor, normalised: the best of three."""
    version = ruled()
    ready = RuleSet(version)
    data = [data_of(number) for number in range(5000)]
    best = 0.0
    for _ in range(3):
        before, began = factor(), time.process_time()
        for one in data:
            compute(version, ready.answers(one)[0])
        used = (time.process_time() - began) * (before + factor()) / 2
        best = max(best, len(data) / used)
    return best


class Paced:
    """Adds up what groups of evaluations take. The pace of a shared core changes within seconds: it is taken
    between the groups, and that is not counted."""

    def __init__(self) -> None:
        self.used = self.clock = 0.0
        self._begin()

    def _begin(self) -> None:
        self._pace = factor(STEPS // 20)
        self._began, self._from = time.perf_counter(), time.process_time()

    def after_group(self, _report: object) -> None:
        """One group ends and the next begins."""
        used, before = time.process_time() - self._from, self._pace
        self.clock += time.perf_counter() - self._began
        self._begin()
        self.used += used * (before + self._pace) / 2


def stored(folder: Path, count: int) -> Spent:
    """So many evaluations by rule, from the store and into it."""
    with Engine(folder / "rules.db", user="bench") as engine:
        engine.create_rubric("Rules")
        draft, version = engine.version("Rules@draft"), ruled()
        engine.save_draft(msgspec.structs.replace(draft, nodes=version.nodes, scales=version.scales))
        engine.publish("Rules")
        engine.add_subjects(
            [Subject(entity="Row", record_id=str(number), data=data_of(number)) for number in range(count)]
        )
        paced = Paced()
        report = engine.evaluate_all(
            entity="Row", rubric="Rules", evaluator="Deterministic", progress=paced.after_group
        )
        assert report.done == count, report.failures
        return Spent(paced.clock, paced.used / count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--delay", type=float, default=0.1)
    parser.add_argument("--stored", type=int, default=10_000)
    options = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, str(SERVER), "--delay", str(options.delay)], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            config = folder / "ai.toml"
            url = server.stdout.readline().strip()
            config.write_text(
                f'default_model = "m"\n[providers.openai]\nbase_url = "{url}"\nconcurrency = {options.concurrency}\n'
            )
            os.environ["RUBRICTUI_AI_CONFIG"] = str(config)
            with Engine(folder / "b.db", user="bench") as engine:
                engine.load_samples()
                text = "A report of some length. " * 200
                for entity, count in (("Warm", 8), ("Bench", options.calls)):
                    engine.add_subjects(
                        [Subject(entity=entity, record_id=str(n), text=f"{n}: {text}") for n in range(count)]
                    )
                round_of(engine, "Warm", options.concurrency)  # the start-up: modules, connections
                found = asyncio.run(layers(url, options.calls, options.concurrency))
                found["a round, judged and stored"] = round_of(engine, "Bench", options.concurrency)
            kept = stored(folder, options.stored)
    finally:
        server.terminate()
        server.wait()
    floor = -(-options.calls // options.concurrency) * options.delay
    print(
        f"{options.calls} calls, {options.concurrency} at a time, {options.delay:g} s each: floor {floor:.2f} s"
    )
    bare = found["HTTP client alone"].each
    for what, spent in found.items():
        print(
            f"  {what:28} {spent.clock:6.2f} s   {spent.each * 1000:6.2f} ms of the processor a call"
            f"   {spent.each / bare:5.1f} times"
        )
    call, whole = found["our call over that"], found["a round, judged and stored"]
    ours = whole.each - found["pydantic-ai over that"].each
    beside = whole.each - bare
    # While calls wait the processor works on others: what is left is the work itself, and the first wait.
    taken = min(whole.clock, max(floor, whole.each * options.calls + options.delay))
    by_rule = rules()
    all_kept = kept.each * options.stored
    print(
        f"a call beside the HTTP client: {(call.each - bare) * 1000:.1f} ms; with all of a round {beside * 1000:.1f} ms "
        f"(at most {OVERHEAD * 1000:g}), of which ours {ours * 1000:.1f} ms"
    )
    print(f"the round on a core of its own: {taken:.2f} s (at most {SECONDS:g} s)")
    print(f"20 leaves by rule: {by_rule:,.0f} evaluations a second (at least {PER_SECOND:,})")
    print(
        f"{options.stored:,} of them stored: {all_kept:.1f} s (at most {STORED:g} s), {kept.clock:.1f} s by the clock"
    )
    is_met = beside <= OVERHEAD and taken <= SECONDS and by_rule >= PER_SECOND and all_kept <= STORED
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
