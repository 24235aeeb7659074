"""How long a packet takes out and back: 200 subjects of 20 KB, 24 criteria with rationales, half of them begun.

    python benchmarks/bench_packets.py [--subjects 200] [--criteria 24] [--runs 3]

Told beside it: what zlib and SHA-256 alone take for the same bytes, and opening and returning. Each of export and
import may take 3 seconds of the processor; medians of the runs.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from rubrictui.core.model import Answer, Level, Node, Scale
from rubrictui.core.records import Subject
from rubrictui.engine import Engine
from rubrictui.engine.packets_work import open_work, work_engine
from rubrictui.interchange.packets import packet_bytes, read_packet

LIMIT_SECONDS = 3.0
SECRET = "correct horse battery"
SCALE = Scale(
    id="scale",
    name="Five",
    levels=tuple(
        Level(id=f"level-{n}", label=f"Level {n}", value=n, normalized_value=n / 4, sequence=n)
        for n in range(5)
    ),
)


def fill(engine: Engine, subjects: int, criteria: int) -> None:
    """A round in which the reviewer has all the subjects, and has begun every second one."""
    nodes = tuple(
        Node(id=f"n{n}", key=f"step-{n}", name=f"Step {n}", scale_id="scale", sequence=n)
        for n in range(criteria)
    )
    engine.create_rubric("Long")
    draft = engine.version("Long@draft")
    engine.save_draft(msgspec.structs.replace(draft, nodes=nodes, scales=(SCALE,)))
    engine.publish("Long")
    engine.add_user("rita")
    text = "".join(f"Sentence {n} of a text that somebody wrote with care. " for n in range(400))
    made = engine.add_subjects(
        Subject(entity="Bid", record_id=f"{n:04d}", title=f"Bid {n}", text=f"{n} {text}", data={"n": n})
        for n in range(subjects)
    )
    engine.open_round("spring", rubric="Long", name="Spring")
    for subject in made:
        engine.assign(subject=subject.id, rubric="Long", user="rita", context="Round/spring")
    rita = engine._acting_as(engine._known_user("rita"))
    for subject in made[::2]:
        begun = rita.open_draft(subject=subject.id, rubric="Long", context="Round/spring")
        for node in nodes[: criteria // 2]:
            rita.save_answer(begun.evaluation.id, answer(node.id, 1))


def answer(criterion_id: str, level: int) -> Answer:
    return Answer(
        criterion_id=criterion_id,
        scale_level_id=f"level-{level}",
        rationale="What was said about it in the text is enough for this level and no more.",
    )


def score_all(engine: Engine, criteria: int) -> None:
    for row in engine.inbox():
        draft = engine.open_draft(subject=row.subject_id, rubric=row.rubric_id, context=row.context_id)
        for n in range(criteria):
            engine.save_answer(draft.evaluation.id, answer(f"n{n}", n % 5))
        engine.submit(draft.evaluation.id)


class Took(NamedTuple):
    """Seconds by the clock, and of the processor: on a shared machine only the second says what it costs."""

    clock: float
    processor: float

    def __str__(self) -> str:
        return f"{self.clock:6.2f} s, {self.processor:.2f} s of the processor"


def timed(call: Callable[[], object]) -> Took:
    clock, processor = time.perf_counter(), time.process_time()
    call()
    return Took(time.perf_counter() - clock, time.process_time() - processor)


def median(taken: list[Took]) -> Took:
    return Took(*(statistics.median(column) for column in zip(*taken, strict=True)))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--subjects", type=int, default=200)
    parser.add_argument("--criteria", type=int, default=24)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chair, away = folder / "chair.db", folder / "away.db"
        with Engine(chair, user="chair") as engine:
            fill(engine, options.subjects, options.criteria)

            def export() -> bytes:
                return packet_bytes(
                    engine.export_packet("spring", "rita", signed=True), passphrase=SECRET, sign=True
                )

            exports = [timed(export) for _ in range(options.runs)]
            data = export()
        opening = timed(lambda: open_work(data, away, where="x", passphrase=lambda: SECRET))
        with work_engine(away) as engine:
            score_all(engine, options.criteria)
            returning = timed(engine.return_packet)
            back = packet_bytes(engine.return_packet().packet, passphrase=SECRET, sign=True)
        imports, again = [], []
        for run in range(options.runs):
            copy = folder / f"copy-{run}.db"
            with Engine(chair, user="chair") as engine:
                engine.backup(copy)
            with Engine(copy, user="chair") as engine:

                def take(engine: Engine = engine) -> object:
                    return engine.import_packet(read_packet(back, where="x", passphrase=lambda: SECRET))

                imports.append(timed(take))
                again.append(timed(take))
        bare = timed(lambda: (zlib.compress(data * 4), hashlib.sha256(data * 4).hexdigest()))
    export_took, import_took = median(exports), median(imports)
    print(
        f"{options.subjects} subjects, {options.criteria} criteria; "
        f"packet {len(data):,} bytes, return {len(back):,}"
    )
    print(f"export, signed           {export_took}")
    print(f"open on another machine  {opening} (its new store included)")
    print(f"return                   {returning}")
    print(f"import, signed           {import_took}")
    print(f"import again, a no-op    {median(again)}")
    print(f"zlib and SHA-256 alone   {bare}")
    late = max(export_took.processor, import_took.processor) > LIMIT_SECONDS
    print("too slow" if late else f"both within {LIMIT_SECONDS:g} s of the processor")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
