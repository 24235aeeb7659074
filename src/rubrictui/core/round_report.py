"""The report of a round: every number of it, gathered from the modules that work them out. Pure.

``Engine.round_facts`` reads what a viewer may see in one state of the store; ``round_report`` measures it;
``round_report_words`` says it in sections, and ``interchange.round_report_out`` writes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Final

import msgspec

from rubrictui.core.adjudication import Adjudication
from rubrictui.core.agreement_report import AgreementReport, agreement_report
from rubrictui.core.bootstrap import DEFAULT_RESAMPLES
from rubrictui.core.consensus_panel import CriterionSpread, panel_consensus
from rubrictui.core.diagnostics import Diagnosis
from rubrictui.core.diagnostics_words import diagnose_table
from rubrictui.core.matrix import Matrix, MatrixRow
from rubrictui.core.matrix_building import round_matrix
from rubrictui.core.model import Band, Value
from rubrictui.core.panel_ratings import ratings_of
from rubrictui.core.panel_tables import PanelEvaluation, PanelSubject, PanelTable
from rubrictui.core.plots import Plot, bland_altman, histogram, overall_histogram, severity_plot
from rubrictui.core.ranking import GateRule, RankedSubject, Ranking, Unranked, rank
from rubrictui.core.ratings import RatingsTable
from rubrictui.core.records import EvaluationStatus, EvaluatorType
from rubrictui.core.rounds import Round, RoundOverview
from rubrictui.core.scoring import band_of

#: A report draws a histogram of at most so many criteria; their numbers are all in its tables.
MOST_HISTOGRAMS: Final = 40


class VersionUsed(Value, frozen=True, kw_only=True):
    """A version of the rubric that evaluations of the report were made with, or that rows are laid out by.

    ``evaluations`` counts those that are Submitted. The hashes are of its content and of what scoring reads of it.
    """

    id: str
    number: str
    content_hash: str | None = None
    scoring_hash: str | None = None
    evaluations: int = 0
    is_layout: bool = False


class RoundFacts(Value, frozen=True, kw_only=True):
    """What the viewer may see of a round, read in one state of the store.

    Attributes:
        at: when it was read; ``by`` the login it was read for; ``made_with`` the version of the program.
        reads_all: the viewer's rights reach the evaluations of all; else the table holds her own alone.
        table: the evaluations, with texts when letters are written of them.
        failed: evaluations that failed and are in nothing.
        elsewhere: Submitted evaluations of the round on another rubric or another major version.
        settled: the settlements of the subjects in the table, those that were corrected since among them.
    """

    round: Round
    at: datetime
    by: str
    made_with: str = ""
    reads_all: bool
    table: PanelTable
    overview: RoundOverview
    versions: tuple[VersionUsed, ...] = ()
    failed: int = 0
    elsewhere: int = 0
    settled: tuple[Adjudication, ...] = ()

    @property
    def standing(self) -> dict[str, Adjudication]:
        """The settlements that stand, by subject."""
        return {one.subject_id: one for one in self.settled if one.superseded_at is None}


class SubjectLine(Value, frozen=True, kw_only=True):
    """One subject of the report; scores are 0..1.

    ``place`` as a ranking writes it: ``3.``, ``3.=``, ``gate``, ``–``. ``score`` is the mean of the evaluations that
    count, ``passed`` of ``count`` passed. ``settled`` is the score of record that an adjudicator gave it.
    """

    place: str
    subject: PanelSubject
    score: float | None = None
    count: int = 0
    passed: int = 0
    median: float | None = None
    lowest: float | None = None
    spread: float | None = None
    band: Band | None = None
    gates_failed: int = 0
    flips: bool = False
    disagrees: bool = False
    note: str = ""
    settled: Adjudication | None = None


class LeftOut(Value, frozen=True, kw_only=True):
    """Something that is in no figure of the report, how often, and why. ``names`` may tell which."""

    what: str
    count: int
    why: str
    names: tuple[str, ...] = ()


class RoundReport(Value, frozen=True, kw_only=True):
    """A round, measured. Tables and plots follow the viewer's rights, as ``facts`` do."""

    facts: RoundFacts
    lines: tuple[SubjectLine, ...]
    ranking: Ranking
    matrix: Matrix
    overall: CriterionSpread
    criteria: tuple[CriterionSpread, ...]
    agreement: AgreementReport
    diagnoses: tuple[Diagnosis, ...]
    plots: tuple[Plot, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def disagreeing(self) -> tuple[SubjectLine, ...]:
        """The subjects whose evaluators disagree: verdicts that differ first, then the widest spread."""
        found = [line for line in self.lines if line.disagrees]
        return tuple(sorted(found, key=lambda line: (not line.flips, -(line.spread or 0.0))))


def round_report(
    facts: RoundFacts,
    *,
    gates: str = GateRule.HALF,
    minimum_sample: int | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> RoundReport:
    """Measure a round.

    Args:
        gates: which subjects their gates keep out of the ranking: ``any``, ``half`` or ``all``.
        minimum_sample, resamples, seed, progress, cancelled: as ``agreement_report`` takes them.

    Raises:
        InvalidInputError: another word for ``gates``, or a number of resamples or a seed out of range.
    """
    table = facts.table
    ranking = rank(table, gates=gates)
    matrix = round_matrix(table, order=ranking.order, details=ranking.places)
    ratings = ratings_of(table)
    consensus = panel_consensus(ratings)
    agreement = agreement_report(
        ratings,
        minimum_sample=minimum_sample,
        resamples=resamples,
        seed=seed,
        progress=progress,
        cancelled=cancelled,
    )
    return RoundReport(
        facts=facts,
        lines=subject_lines(facts, ranking, matrix),
        ranking=ranking,
        matrix=matrix,
        overall=consensus.overall,
        criteria=consensus.criteria,
        agreement=agreement,
        diagnoses=diagnose_table(ratings) if ratings.evaluators else (),
        plots=panel_plots(ratings, agreement),
        left_out=tuple(left_out(facts, ranking)),
    )


def subject_lines(facts: RoundFacts, ranking: Ranking, matrix: Matrix) -> tuple[SubjectLine, ...]:
    """The subjects in the order of the ranking, each with its figures from the ranking and the matrix."""
    rows = {row.key: row for row in matrix.rows}
    settled = facts.standing
    places = ranking.places
    passed = Counter(one.subject_id for one in facts.table.evaluations if one.counts and one.passed)
    standing: list[RankedSubject | Unranked] = [*ranking.ranked, *ranking.unranked]
    return tuple(
        _line(
            facts,
            one,
            place=places[one.subject.id],
            row=rows[one.subject.id],
            passed=passed[one.subject.id],
            settled=settled.get(one.subject.id),
        )
        for one in standing
    )


def _line(
    facts: RoundFacts,
    one: RankedSubject | Unranked,
    *,
    place: str,
    row: MatrixRow,
    passed: int,
    settled: Adjudication | None,
) -> SubjectLine:
    ranked = one if isinstance(one, RankedSubject) else None
    return SubjectLine(
        place=place,
        subject=one.subject,
        score=one.score,
        count=one.count,
        passed=passed,
        median=ranked.median if ranked else None,
        lowest=ranked.lowest if ranked else None,
        spread=row.spread,
        band=band_of(facts.table.version, one.score),
        gates_failed=one.gates_failed,
        flips=row.flips,
        disagrees=row.disagrees(facts.table.threshold),
        note=_tie(one) if isinstance(one, RankedSubject) else one.reason,
        settled=settled,
    )


def _tie(one: RankedSubject) -> str:
    return f"parted {one.tie}" if one.tie else ""


def panel_plots(ratings: RatingsTable, agreement: AgreementReport) -> tuple[Plot, ...]:
    """Strictness, two evaluators beside each other, the overall scores, and the answers to each criterion."""
    cohort = ratings.without_self()
    if not cohort.evaluators:
        return ()
    found: list[Plot] = []
    if not agreement.overall.withheld:
        found.append(severity_plot(agreement))
        most_shared = max(
            range(len(agreement.overall.pairs)),
            key=lambda place: agreement.overall.pairs[place].sample_size,
            default=None,
        )
        if most_shared is not None:
            pair = agreement.overall.pairs[most_shared]
            found.append(bland_altman(cohort, cohort.evaluator(pair.first), cohort.evaluator(pair.second)))
    found.append(overall_histogram(cohort))
    found += [histogram(row) for row in cohort.criteria[:MOST_HISTOGRAMS]]
    return tuple(found)


# -- what is in no figure ------------------------------------------------------------------------------------

_AT_MOST = 10


def left_out(facts: RoundFacts, ranking: Ranking) -> Iterable[LeftOut]:
    """Everything of the round that is in no figure of the report, with the reason."""
    table = facts.table
    titles = {one.id: one.title for one in table.subjects}
    if not facts.reads_all:
        yield LeftOut(
            what="evaluations of others",
            count=0,
            why=f"{facts.by} may read only what {facts.by} gave, ran or imported; the figures are of that alone",
        )
    if table.hidden:
        yield LeftOut(
            what="subjects",
            count=len(table.hidden),
            why=f"{facts.by} has open work on them, or the round holds peers back until it closes",
            names=tuple(one.title for one in table.hidden[:_AT_MOST]),
        )
    by_status: dict[EvaluationStatus, list[PanelEvaluation]] = {}
    for one in table.evaluations:
        by_status.setdefault(one.status, []).append(one)
    withdrawn = by_status.get(EvaluationStatus.WITHDRAWN, [])
    if withdrawn:
        yield LeftOut(
            what="withdrawn evaluations",
            count=len(withdrawn),
            why="they were taken back after they were submitted",
            names=tuple(
                f"{one.label} on {titles[one.subject_id]}" + (f": {one.end_reason}" if one.end_reason else "")
                for one in withdrawn[:_AT_MOST]
            ),
        )
    superseded = by_status.get(EvaluationStatus.SUPERSEDED, [])
    if superseded:
        yield LeftOut(
            what="superseded evaluations", count=len(superseded), why="their evaluators gave newer ones"
        )
    own = [one for one in by_status.get(EvaluationStatus.SUBMITTED, []) if not one.counts]
    if own:
        yield LeftOut(
            what="self-assessments", count=len(own), why="they stand beside the panel and count in nothing"
        )
    if facts.failed:
        yield LeftOut(
            what="failed evaluations", count=facts.failed, why="an evaluator ended without a result"
        )
    if facts.elsewhere:
        yield LeftOut(
            what="evaluations elsewhere",
            count=facts.elsewhere,
            why="they are of another rubric or another major version, which do not compare",
        )
    for is_gate, what, why in (
        (True, "subjects without a place", "a gate keeps them out of the ranking; their scores are shown"),
        (False, "subjects without a score", "no evaluation that counts has a score"),
    ):
        found = [one for one in ranking.unranked if one.gated_out is is_gate]
        if found:
            yield LeftOut(
                what=what,
                count=len(found),
                why=why,
                names=tuple(one.subject.title for one in found[:_AT_MOST]),
            )


# -- who took part -------------------------------------------------------------------------------------------


class EvaluatorLine(Value, frozen=True, kw_only=True):
    """An evaluator of the report: how many evaluations count, are self-assessments, withdrawn, superseded; and, of a
    reviewer of the round, what of the assignments is done. ``assigned`` None: never asked, a machine for one."""

    name: str
    evaluator_type: EvaluatorType
    counting: int = 0
    withdrawn: int = 0
    superseded: int = 0
    mean: float | None = None
    assigned: int | None = None
    submitted: int = 0
    overdue: int = 0
    declined: int = 0
    released: int = 0


def evaluator_lines(report: RoundReport) -> tuple[EvaluatorLine, ...]:
    """The columns of the matrix with what each did, then the reviewers who have given nothing yet."""
    found: dict[str, EvaluatorLine] = {
        column.id: EvaluatorLine(name=column.name, evaluator_type=column.evaluator_type)
        for column in report.matrix.columns
    }
    scores: dict[str, list[float]] = {}
    people: dict[str, str] = {}
    tallies: dict[str, Counter[str]] = {rater: Counter() for rater in found}
    for one in report.facts.table.evaluations:
        tallies[one.rater][one.status.value] += 1
        if one.status is EvaluationStatus.SUBMITTED and one.normalized_score is not None:
            scores.setdefault(one.rater, []).append(one.normalized_score)
        if one.evaluator_type is EvaluatorType.HUMAN:
            people[one.user_id] = one.rater
    for rater, line in found.items():
        given = scores.get(rater, [])
        found[rater] = msgspec.structs.replace(
            line,
            counting=tallies[rater][EvaluationStatus.SUBMITTED.value],
            withdrawn=tallies[rater][EvaluationStatus.WITHDRAWN.value],
            superseded=tallies[rater][EvaluationStatus.SUPERSEDED.value],
            mean=sum(given) / len(given) if given else None,
        )
    for asked in report.facts.overview.reviewers:
        rater = people.get(asked.user_id, f"asked/{asked.user_id}")
        known = found.get(rater) or EvaluatorLine(
            name=asked.display_name or asked.user_name, evaluator_type=EvaluatorType.HUMAN
        )
        found[rater] = msgspec.structs.replace(
            known,
            assigned=asked.assigned,
            submitted=asked.submitted,
            overdue=asked.overdue,
            declined=asked.declined,
            released=asked.released,
        )
    return tuple(found.values())


def kinds(lines: Sequence[EvaluatorLine]) -> Counter[EvaluatorType]:
    """How many evaluators of each kind have given something that counts or stands beside it."""
    return Counter(line.evaluator_type for line in lines if line.counting)
