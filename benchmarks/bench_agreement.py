"""How fast agreement is: the whole report of a round, with 1,000 resamples of 2,000 subjects.

    python benchmarks/bench_agreement.py

Every case gives all coefficients with intervals, the pairs and the severities, per criterion and overall. The
yardstick is the same number of resamples of one coefficient, Krippendorff's alpha, by the plain function. The
target is held to processor time, which other work on the machine changes little.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass

from rubrictui.core.agreement import krippendorff_alpha
from rubrictui.core.agreement_report import agreement_report
from rubrictui.core.ratings import CriterionRatings, Rater, RatingScale, RatingsTable

SUBJECTS = 2_000
RESAMPLES = 1_000
TARGET_SECONDS = 5.0

LEVELS = RatingScale(labels=("none", "weak", "fair", "good", "best"))
PERCENT = RatingScale(minimum=0.0, maximum=100.0, step=1.0)


@dataclass(frozen=True)
class Case:
    name: str
    raters: int
    scales: tuple[RatingScale, ...]
    missing: float = 0.0


CASES = (
    Case("2 raters, 1 criterion of five levels", 2, (LEVELS,)),
    Case("10 raters, 1 criterion of five levels", 10, (LEVELS,)),
    Case("10 raters, 1 criterion, 7 of 10 missing", 10, (LEVELS,), 0.7),
    Case("10 raters, 1 criterion of 0 to 100", 10, (PERCENT,)),
    Case("3 raters, 6 criteria of five levels", 3, (LEVELS,) * 6),
)


def table(case: Case, rng: random.Random) -> RatingsTable:
    def ratings(scale: RatingScale) -> tuple[tuple[float | None, ...], ...]:
        top = (scale.categories or 1) - 1
        rows = []
        for _ in range(SUBJECTS):
            true = rng.uniform(0, top)
            given = (min(top, max(0, round(rng.gauss(true, top / 6)))) for _ in range(case.raters))
            rows.append(tuple(None if rng.random() < case.missing else float(one) for one in given))
        return tuple(rows)

    return RatingsTable(
        subjects=tuple(f"s{place}" for place in range(SUBJECTS)),
        evaluators=tuple(Rater(name=f"r{place}") for place in range(case.raters)),
        criteria=tuple(
            CriterionRatings(key=f"c{place}", ratings=ratings(scale), scale=scale)
            for place, scale in enumerate(case.scales)
        ),
    )


def main() -> int:
    rng = random.Random(20260101)
    print(f"agreement: {SUBJECTS} subjects, {RESAMPLES} resamples, every coefficient with its interval")
    slowest = 0.0
    for case in CASES:
        given = table(case, rng)
        start = time.process_time()
        one = krippendorff_alpha(given.criteria[0].ratings)
        plain = (time.process_time() - start) * RESAMPLES
        assert one is not None
        wall, start = time.perf_counter(), time.process_time()
        agreement_report(given, resamples=RESAMPLES)
        spent, elapsed = time.process_time() - start, time.perf_counter() - wall
        slowest = max(slowest, spent)
        print(
            f"  {case.name:<42}{elapsed:6.2f} s, {spent:6.2f} s of processor   "
            f"{plain / spent:5.0f} times as fast as alpha alone, resampled plainly"
        )
    print(
        f"target: at most {TARGET_SECONDS:.0f} s of processor: {'met' if slowest <= TARGET_SECONDS else 'not met'}"
    )
    return 0 if slowest <= TARGET_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
