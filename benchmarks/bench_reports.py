"""How long a round's report and letters take once the store was read: the work of one processor, in seconds, and beside
the numbers that are in it.

    python benchmarks/bench_reports.py [--subjects 2000] [--evaluators 10]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from rubrictui.core.model import Level, Node, Outcome, Scale, VersionSnapshot
from rubrictui.core.panel_tables import PanelEvaluation, PanelScore, PanelSubject, PanelTable
from rubrictui.core.records import Context, EvaluationStatus, EvaluatorType
from rubrictui.core.round_report import RoundFacts, round_report
from rubrictui.core.rounds import Round, RoundOverview, RoundRules
from rubrictui.interchange.letters_out import LetterTemplates, write_letters
from rubrictui.interchange.round_report_csv import report_files
from rubrictui.interchange.round_report_out import ReportFormat, report_page

CRITERIA = 8
REASON = "It says so in two places, and the second one takes half of it back. " * 2
T = TypeVar("T")


def a_round(subjects: int, evaluators: int) -> RoundFacts:
    """A round with a tenth of its reviews missing, a reason beside each answer."""
    levels = tuple(
        Level(
            id=f"l{n}", label=f"Level {n}", normalized_value=n / 4, sequence=n, description="What it means."
        )
        for n in range(5)
    )
    version = VersionSnapshot(
        id="v",
        rubric_name="Bench",
        major_version=1,
        pass_threshold=0.5,
        nodes=tuple(
            Node(id=f"n{n}", key=f"c{n}", name=f"Criterion {n}", scale_id="s") for n in range(CRITERIA)
        ),
        scales=(Scale(id="s", levels=levels),),
    )
    chance = random.Random(7)
    listed = tuple(
        PanelSubject(id=f"s{n}", entity="Bid", record_id=f"b{n}", title=f"Bid {n}") for n in range(subjects)
    )
    found = []
    for subject in listed:
        for person in range(evaluators):
            if chance.random() < 0.1:
                continue
            scores = {}
            for node in version.nodes:
                level = chance.randrange(5)
                scores[node.key] = PanelScore(
                    scale_level_id=f"l{level}", normalized_score=level / 4, rationale=f"{node.name}: {REASON}"
                )
            score = round(sum(one.normalized_score or 0.0 for one in scores.values()) / CRITERIA, 6)
            found.append(
                PanelEvaluation(
                    id=f"{subject.id}-{person}", subject_id=subject.id, user_id=f"u{person}", user_name=f"r{person}",
                    evaluator_type=EvaluatorType.HUMAN, version_id="v", version_number="1.0.0",
                    status=EvaluationStatus.SUBMITTED, normalized_score=score, passed=score >= 0.5, completeness=1.0,
                    outcome=Outcome.PASSED if score >= 0.5 else Outcome.BELOW_THRESHOLD, scores=scores,
                )
            )  # fmt: skip
    context = Context(id="c", record_id="bench")
    now = datetime(2027, 1, 1, tzinfo=UTC)
    spring = Round(context=context, rules=RoundRules(), rubric_name="Bench")
    table = PanelTable(
        context=context, rubric_id="r", rubric_name="Bench", major=1, version=version,
        criteria=tuple(node.key for node in version.nodes), subjects=listed, evaluations=tuple(found),
    )  # fmt: skip
    overview = RoundOverview(round=spring, at=now)
    return RoundFacts(round=spring, at=now, by="x", reads_all=True, table=table, overview=overview)


def timed(what: str, work: Callable[[], T], size: Callable[[T], int]) -> T:
    begin = time.process_time()
    made = work()
    took = time.process_time() - begin
    print(f"{what:<34}{took:8.2f} s   {size(made):>12,}")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", type=int, default=2000)
    parser.add_argument("--evaluators", type=int, default=10)
    options = parser.parse_args()
    facts = a_round(options.subjects, options.evaluators)
    report = timed("measured, 1,000 resamples", lambda: round_report(facts), lambda made: len(made.lines))
    for form in (ReportFormat.MARKDOWN, ReportFormat.HTML):
        timed(f"as {form}, characters", lambda form=form: report_page(report, form), len)  # type: ignore[misc]
    timed("as CSV, characters", lambda: report_files(report), lambda made: sum(map(len, made.values())))
    with tempfile.TemporaryDirectory() as folder:
        timed(
            "letters in two formats, files",
            lambda: write_letters(facts, Path(folder), LetterTemplates()),
            lambda made: len(made.files),
        )


if __name__ == "__main__":
    main()
