"""The samples loaded through the public path give every number of guide section 14."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rubrictui import Engine
from rubrictui.core.model import Outcome, VersionStatus
from rubrictui.core.records import Cohort, Evaluation, EvaluationStatus, EvaluatorType

NEWCOMER = "newcomer"


class Expected(NamedTuple):
    """One row of a table of guide section 14, with what follows from it."""

    rubric: str
    subject: str
    context: str
    user: str
    evaluator: EvaluatorType
    status: EvaluationStatus
    score: float
    outcome: Outcome
    passed: bool | None
    answers: dict[str, str]


AGENT = ("Agent evaluation", "Agent Run/harbour-gauges", "Agent Release/gauge-assistant-july")
PEER = ("Peer review", "Manuscript/night-noise", "Special Issue/quiet-places")
NORTH = ("Awards", "Award Entry/north", "Award Category/public-wayfinding")
SOUTH = ("Awards", "Award Entry/south", "Award Category/public-wayfinding")
PROCUREMENT = ("Procurement", "Vendor Packet/label-printers", "Quotation/rfq-88")
ACCREDITATION = ("Accreditation", "Programme/coastal-engineering", "Accreditation Visit/vellmark-visit")
HIRING = ("Hiring", "Interview/candidate-31", "Vacancy/shift-planner")

HUMAN, SELF, AI = EvaluatorType.HUMAN, EvaluatorType.SELF, EvaluatorType.AI_PROMPT
SUBMITTED, WITHDRAWN = EvaluationStatus.SUBMITTED, EvaluationStatus.WITHDRAWN
SCORED, PASSED, GATE = Outcome.SCORED, Outcome.PASSED, Outcome.GATE_FAILED

SECTION_14 = (
    Expected(*AGENT, "judge", AI, SUBMITTED, 0.833333, GATE, False,
             {"accuracy": "Partial", "sourcing": "Meets", "completeness": "Meets"}),
    Expected(*AGENT, "k.morita", HUMAN, SUBMITTED, 1.0, PASSED, True,
             {"accuracy": "Meets", "sourcing": "Meets", "completeness": "Meets"}),
    Expected(*PEER, "a.moreau", HUMAN, SUBMITTED, 1.0, SCORED, None, {"argument": "Meets", "evidence": "Meets"}),
    Expected(*PEER, "s.haddad", HUMAN, SUBMITTED, 0.75, SCORED, None, {"argument": "Meets", "evidence": "Partial"}),
    Expected(*PEER, "o.pritchard", HUMAN, WITHDRAWN, 0.0, SCORED, None, {"argument": "Miss", "evidence": "Miss"}),
    Expected(*NORTH, "l.ferreyra", HUMAN, SUBMITTED, 0.875, PASSED, True,
             {"eligible": "Met", "craft": "Meets", "originality": "Partial"}),
    Expected(*SOUTH, "l.ferreyra", HUMAN, SUBMITTED, 0.75, GATE, False,
             {"eligible": "Not met", "craft": "Meets", "originality": "Meets"}),
    Expected(*PROCUREMENT, "fennimore", SELF, SUBMITTED, 1.0, SCORED, None,
             {"encryption": "Compliant", "schedule": "Meets"}),
    Expected(*PROCUREMENT, "t.dlamini", HUMAN, SUBMITTED, 0.75, SCORED, None,
             {"encryption": "Partial", "schedule": "Meets"}),
    Expected(*ACCREDITATION, "vellmark", SELF, SUBMITTED, 1.0, SCORED, None, {"records": "Met", "faculty": "Met"}),
    Expected(*ACCREDITATION, "i.solheim", HUMAN, SUBMITTED, 0.5, SCORED, None,
             {"records": "Met", "faculty": "Not met"}),
    Expected(*HIRING, "m.carvalho", HUMAN, SUBMITTED, 0.75, SCORED, None, {"structure": "4", "evidence": "4"}),
    Expected(*HIRING, "judge", AI, SUBMITTED, 0.75, SCORED, None, {"structure": "5", "evidence": "3"}),
)  # fmt: skip


@pytest.fixture(scope="module")
def engine(samples_of: Callable[[str | None], Path]) -> Iterator[Engine]:
    with Engine(samples_of(NEWCOMER), user=NEWCOMER, read_only=True) as opened:
        yield opened


def evaluation_of(engine: Engine, row: Expected) -> Evaluation:
    found = engine.evaluations(subject=row.subject, context=row.context, rubric=row.rubric)
    (one,) = [e for e in found if e.evaluator_user_name == row.user and e.evaluator_type is row.evaluator]
    return one


def cohort_of(engine: Engine, example: tuple[str, str, str]) -> Cohort:
    rubric, subject, context = example
    cohort = engine.cohort(subject=subject, rubric=rubric, context=context)
    assert cohort is not None
    return cohort


@pytest.mark.parametrize("row", SECTION_14, ids=lambda row: f"{row.rubric}, {row.subject}, {row.user}")
def test_an_evaluation_of_section_14_has_its_score_outcome_and_status(engine: Engine, row: Expected) -> None:
    found = evaluation_of(engine, row)
    assert found.normalized_score == row.score
    assert found.outcome is row.outcome
    assert found.passed is row.passed
    assert found.gate_failed is (row.outcome is GATE)
    assert found.status is row.status
    assert found.completeness == 1
    assert found.version_number == "1.0.0"


@pytest.mark.parametrize("row", SECTION_14, ids=lambda row: f"{row.rubric}, {row.subject}, {row.user}")
def test_an_evaluation_of_section_14_has_the_answers_of_the_guide(engine: Engine, row: Expected) -> None:
    detail = engine.evaluation(evaluation_of(engine, row).id)
    labels = {level.id: level.label for scale in detail.version.scales for level in scale.levels}
    assert {s.key: labels[s.scale_level_id] for s in detail.scores if s.scale_level_id} == row.answers


@pytest.mark.parametrize(
    ("example", "mean", "count", "human", "ai", "self_score"),
    [
        (AGENT, 0.916667, 2, 1.0, 0.833333, None),
        (PEER, 0.875, 2, 0.875, None, None),
        (NORTH, 0.875, 1, 0.875, None, None),
        (SOUTH, 0.75, 1, 0.75, None, None),
        (PROCUREMENT, 0.75, 1, 0.75, None, 1.0),
        (ACCREDITATION, 0.5, 1, 0.5, None, 1.0),
        (HIRING, 0.75, 2, 0.75, 0.75, None),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else None,
)
def test_a_cohort_averages_what_is_submitted_and_leaves_out_self_and_withdrawn(
    engine: Engine,
    example: tuple[str, str, str],
    *,
    mean: float,
    count: int,
    human: float,
    ai: float | None,
    self_score: float | None,
) -> None:
    cohort = cohort_of(engine, example)
    assert cohort.mean == pytest.approx(mean, abs=1e-6)
    assert cohort.count == count
    assert cohort.human_mean == pytest.approx(human, abs=1e-6)
    assert cohort.ai_mean == (None if ai is None else pytest.approx(ai, abs=1e-6))
    assert cohort.self_score == self_score
    rubric, subject, context = example
    consensus = engine.consensus_for_subject(subject=subject, rubric=rubric, context=context)
    assert consensus.overall == pytest.approx(mean, abs=1e-6)
    assert consensus.sample_size == count


def test_the_withdrawn_referee_gave_the_reason(engine: Engine) -> None:
    (row,) = [row for row in SECTION_14 if row.status is WITHDRAWN]
    assert "Conflict of interest" in (evaluation_of(engine, row).end_reason or "")


def test_the_gated_out_entry_has_a_score_and_no_place_in_the_ranking(engine: Engine) -> None:
    entries = engine.evaluations(context=NORTH[2], rubric="Awards", status=SUBMITTED)
    ranking = sorted(
        (e for e in entries if not e.gate_failed), key=lambda e: e.normalized_score or 0, reverse=True
    )
    assert len(entries) == 2
    assert [engine.subject(e.subject_id).record_id for e in ranking] == ["north"]


def test_the_vendor_cannot_mark_encryption_not_applicable(engine: Engine) -> None:
    version = engine.version("Procurement")
    (encryption,) = [node for node in version.nodes if node.key == "encryption"]
    assert encryption.not_applicable_policy == "NotAllowed"


def test_every_finding_of_the_accreditation_carries_a_file_citation(engine: Engine) -> None:
    for row in SECTION_14:
        if row.rubric == "Accreditation":
            detail = engine.evaluation(evaluation_of(engine, row).id)
            answered = [score for score in detail.scores if score.scale_level_id]
            assert len(answered) == 2
            assert all("file" in {one.kind for one in score.evidence} for score in answered)


def test_both_scores_of_the_interview_are_on_the_same_major(engine: Engine) -> None:
    rows = [row for row in SECTION_14 if row.rubric == "Hiring"]
    assert [evaluation_of(engine, row).major_version for row in rows] == [1, 1]


def test_the_rubrics_ship_as_1_0_0_and_one_stays_a_draft(engine: Engine) -> None:
    rubrics = engine.rubrics()
    numbers = {r.name: r.latest_published.number if r.latest_published else None for r in rubrics}
    assert len(numbers) == 18
    assert {name for name, number in numbers.items() if number != "1.0.0"} == {"Lightning talk"}
    assert [v.status for v in engine.rubric("Lightning talk").versions] == [VersionStatus.DRAFT]


def test_the_first_inbox_holds_only_new_work(engine: Engine) -> None:
    rows = engine.inbox()
    assert 6 <= len(rows) <= 9
    assert {row.state for row in rows} == {"New"}
    assert all(row.total > 0 and row.answered == 0 for row in rows)


def test_the_peers_of_an_assigned_abstract_stay_hidden_until_she_has_scored_it(engine: Engine) -> None:
    assert engine.evaluations(subject="Abstract/kelp") == ()
    assert len(engine.evaluations(subject="Abstract/beat")) == 4


def test_loading_twice_changes_nothing(samples_of: Callable[[str | None], Path], tmp_path: Path) -> None:
    path = Path(shutil.copy(samples_of(NEWCOMER), tmp_path / "store.db"))
    with Engine(path, user=NEWCOMER) as engine:
        before = everything(engine)
        engine.load_samples()
        assert everything(engine) == before


def everything(engine: Engine) -> tuple[object, ...]:
    evaluations = engine.evaluations()
    return (
        engine.scales(),
        engine.rubrics(),
        tuple(engine.version(r.name) for r in engine.rubrics() if r.latest_published),
        engine.users(),
        engine.contexts(),
        engine.subjects(),
        engine.inbox(),
        evaluations,
        tuple(engine.evaluation(e.id) for e in evaluations),
    )
