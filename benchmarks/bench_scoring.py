"""How fast scoring is: microseconds per ``compute``, evaluations a second for ``batch``.

    python benchmarks/bench_scoring.py

The rubric has 50 criteria in 8 groups, with gates, bands, a threshold and a minimum completeness; every result
holds all 58 nodes. Times are processor time, the best of many rounds, so other work on the machine shows as
little as it can. Absolute numbers depend on the machine: trust the ratios to the plain recursion, which does
the same arithmetic the way one would write it down first.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rubrictui.core.batch import AnswerCodes, encode, encode_columns, score_codes
from rubrictui.core.model import Answer, Band, Level, Node, NodeType, Scale, ScaleType, VersionSnapshot
from rubrictui.core.scoring import compute

TARGET_MICROSECONDS = 40.0
TARGET_A_SECOND = 1_500_000.0
SETS = 50

WORDS = Scale(
    id="5b0c7a52-6a4f-4d0e-9a53-000000000001",
    levels=tuple(
        Level(id=f"5b0c7a52-6a4f-4d0e-9a53-10000000000{n}", label=str(n), value=n, normalized_value=n / 4)
        for n in range(5)
    ),
)
PERCENT = Scale(
    id="5b0c7a52-6a4f-4d0e-9a53-000000000002",
    scale_type=ScaleType.NUMERIC,
    min_value=0,
    max_value=100,
    step=1,
)


def rubric(scale: Scale, rng: random.Random) -> VersionSnapshot:
    """50 criteria in 8 groups."""
    nodes: list[Node] = []
    for number in range(8):
        group = Node(
            id=f"7c9e6679-7425-40de-944b-{number:012d}",
            key=f"group-{number}",
            node_type=NodeType.GROUP,
            weight=rng.choice((0.5, 1, 2)),
        )
        nodes.append(group)
        nodes += [
            Node(
                id=f"7c9e6679-7425-40de-{number:04d}-{place:012d}",
                key=f"criterion-{number}-{place}",
                parent_id=group.id,
                scale_id=scale.id,
                weight=rng.choice((0.5, 1, 2, 3)),
                is_gate=place == 0,
                gate_minimum_score=0.2 if place == 0 else None,
            )
            for place in range(7 if number < 2 else 6)
        ]
    return VersionSnapshot(
        nodes=tuple(nodes),
        scales=(scale,),
        pass_threshold=0.6,
        minimum_completeness=0.5,
        bands=(
            Band(id="low", label="Low", min_score=0, max_score=0.5),
            Band(id="high", label="High", min_score=0.5, max_score=1),
        ),
    )


def answer_sets(
    version: VersionSnapshot, rng: random.Random, *, missing: float = 0.0, confident: bool = False
) -> list[list[Answer]]:
    scale = version.scales[0]

    def answer(node: Node) -> Answer | None:
        dice = rng.random()
        if dice < missing / 2:
            return None
        if dice < missing:
            return Answer(criterion_id=node.id, is_not_applicable=True)
        confidence = round(rng.random(), 2) if confident else None
        if scale.levels:
            level = rng.choice(scale.levels)
            return Answer(criterion_id=node.id, scale_level_id=level.id, confidence=confidence)
        return Answer(criterion_id=node.id, raw_value=float(rng.randint(0, 100)), confidence=confidence)

    leaves = [node for node in version.nodes if node.is_criterion]
    return [[made for node in leaves if (made := answer(node)) is not None] for _ in range(SETS)]


def plain_recursion(version: VersionSnapshot, answers: list[Answer]) -> dict[str, float | None]:
    """The same sums without a compiled plan and without node results: the yardstick for ratios."""
    given = {answer.criterion_id: answer for answer in answers}
    scores = {level.id: level.normalized_value for scale in version.scales for level in scale.levels}
    children: dict[str | None, list[Node]] = {}
    for node in version.nodes:
        children.setdefault(node.parent_id, []).append(node)
    found: dict[str, float | None] = {}

    def score(node: Node) -> float | None:
        if node.is_criterion:
            answer = given.get(node.id)
            found[node.id] = None if answer is None else scores.get(answer.scale_level_id or "")
        else:
            found[node.id] = mean(children.get(node.id, []))
        return found[node.id]

    def mean(nodes: list[Node]) -> float | None:
        scored = [(node.weight, one) for node in nodes if (one := score(node)) is not None]
        total = sum(weight for weight, _ in scored)
        return sum(weight * one for weight, one in scored) / total if total else None

    found[""] = mean(children[None])
    return found


def best(work: Callable[[], object], seconds: float = 1.5) -> float:
    """Processor seconds of the fastest run within so many seconds of trying."""
    work()
    fastest, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.process_time()
        work()
        fastest = min(fastest, time.process_time() - start)
    return fastest


@dataclass
class Case:
    name: str
    version: VersionSnapshot
    sets: list[list[Answer]]

    def microseconds(self) -> float:
        return best(lambda: [compute(self.version, answers) for answers in self.sets]) / SETS * 1e6


def main() -> int:
    import numpy as np

    rng = random.Random(20260101)
    levels, numbers = rubric(WORDS, rng), rubric(PERCENT, rng)
    cases = [
        Case("all answered, levels", levels, answer_sets(levels, rng)),
        Case("all answered, numbers", numbers, answer_sets(numbers, rng)),
        Case("one in ten unanswered or N/A", levels, answer_sets(levels, rng, missing=0.1)),
        Case("with confidences", levels, answer_sets(levels, rng, confident=True)),
    ]
    print("compute: 50 criteria, 8 groups, all 58 node results")
    plain = best(lambda: [plain_recursion(levels, answers) for answers in cases[0].sets]) / SETS * 1e6
    print(f"  {'plain recursion, sums only':<32}{plain:8.1f} us")
    times = [case.microseconds() for case in cases]
    for case, microseconds in zip(cases, times, strict=True):
        print(f"  {case.name:<32}{microseconds:8.1f} us   {plain / microseconds:5.1f} x plain recursion")

    print("batch: the same rubric as arrays, one core")
    rates = []
    for case in (cases[0], cases[2], cases[1]):
        small = encode(case.version, case.sets)
        coded = AnswerCodes(np.ascontiguousarray(np.tile(small.codes, (1, 4000))), small.books)
        rate = len(coded) / best(partial(score_codes, case.version, coded), 3.0)
        rates.append(rate)
        print(f"  {case.name:<32}{rate / 1e6:8.2f} million a second   {rate * times[0] / 1e6:5.0f} x compute")
    columns = {node.key: np.full(100_000, 3.0) for node in levels.nodes if node.is_criterion}
    rate = 100_000 / best(lambda: encode_columns(levels, columns))
    print(f"  {'coding columns of levels':<32}{rate / 1e6:8.2f} million a second")
    rate = SETS / best(lambda: encode(levels, cases[0].sets))
    print(f"  {'coding lists of answers':<32}{rate / 1e6:8.2f} million a second")

    met = times[0] <= TARGET_MICROSECONDS and rates[0] >= TARGET_A_SECOND
    print(
        f"targets: at most {TARGET_MICROSECONDS:.0f} us and at least {TARGET_A_SECOND / 1e6:.1f} million a second: "
        f"{'met' if met else 'not met'}"
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
