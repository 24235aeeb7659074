"""The queue of disagreements, the panel's middle, and the list of reasons."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from rubrictui.core.adjudication import (
    DEFAULT_REASONS,
    Adjudication,
    AdjudicationReason,
    QueueState,
    answers_of,
    checked_reasons,
    compulsory,
    may_settle,
    panel_answers,
    queue_items,
    reason_of,
    with_choices,
)
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, Level, Node, Outcome, Scale, ScaleType, VersionSnapshot
from rubrictui.core.panel_tables import PanelEvaluation, PanelScore, PanelTable
from rubrictui.core.records import EvaluationStatus, EvaluatorType, Role, SubmitProblem
from rubrictui.core.rounds import SubjectProgress

change = msgspec.structs.replace
NOW = datetime(2027, 3, 1, tzinfo=UTC)


# -- the queue ---------------------------------------------------------------------------------------


def line(id: str, spread: float | None = 0.5, *, count: int = 2, **more: Any) -> SubjectProgress:
    return SubjectProgress(
        subject_id=id, entity="Paper", record_id=id, title=id, count=count, spread=spread, **more
    )


def settlement(id: str, *basis: str) -> Adjudication:
    return Adjudication(
        id=f"a-{id}", context_id="c", subject_id=id, version_id="v", adjudicator_id="u", adjudicator_name="kim",
        reason="Slip", settled_at=NOW, outcome=Outcome.PASSED, basis=basis,
    )  # fmt: skip


def queue(*lines: SubjectProgress, **more: Any) -> list[tuple[str, QueueState]]:
    given: dict[str, Any] = {"threshold": 0.25, "open_reviews": {}, "settled": {}, "basis": {}, **more}
    return [(one.subject_id, one.state) for one in queue_items(lines, **given)]


def test_a_disagreement_reaches_the_threshold_or_flips_and_takes_two_scores() -> None:
    found = queue(
        line("below", 0.249),
        line("at", 0.25),
        line("nearly", 0.2499999),
        line("flips", 0.1, flips=True),
        line("one", 0.9, count=1),
        line("blind", 0.9, is_blind=True),
        line("none", None, count=0),
    )
    assert [id for id, _ in found] == ["flips", "at", "nearly"]


def test_what_can_be_settled_stands_first_then_what_waits_then_what_was() -> None:
    found = queue(
        line("was", 0.9),
        line("changed", 0.9),
        line("waits", 0.9),
        line("small", 0.3),
        line("wide", 0.8),
        open_reviews={"waits": 1},
        settled={"was": settlement("was", "e1"), "changed": settlement("changed", "e1")},
        basis={"was": ("e1",), "changed": ("e1", "e2")},
    )
    assert found == [
        ("wide", QueueState.TO_SETTLE),
        ("small", QueueState.TO_SETTLE),
        ("waits", QueueState.WAITING),
        ("changed", QueueState.CHANGED),
        ("was", QueueState.SETTLED),
    ]


def test_what_agrees_is_listed_when_asked_for_or_begun() -> None:
    lines = (line("calm", 0.0), line("begun", 0.0), line("unscored", None, count=0))
    assert queue(*lines, drafts={"begun"}) == [("begun", QueueState.AGREES)]
    assert [id for id, _ in queue(*lines, everything=True)] == ["calm", "begun"]


# -- the panel's middle ------------------------------------------------------------------------------

LEVELS = Scale(
    id="five",
    levels=tuple(Level(id=f"l{n}", label=str(n), normalized_value=n / 4, sequence=n) for n in range(5)),
)
WEEKS = Scale(id="weeks", scale_type=ScaleType.NUMERIC, min_value=0, max_value=10, step=1)
VERSION = VersionSnapshot(
    id="v",
    rubric_id="r",
    nodes=(
        Node(id="n-a", key="a", name="A", scale_id="five"),
        Node(id="n-w", key="w", name="W", scale_id="weeks"),
    ),
    scales=(LEVELS, WEEKS),
)


def given(value: int | None, scale: str) -> PanelScore:
    if value is None:
        return PanelScore(is_not_applicable=True)
    return PanelScore(scale_level_id=f"l{value}") if scale == "a" else PanelScore(raw_value=value)


def table(key: str, *values: int | None, **more: Any) -> PanelTable:
    return PanelTable(
        rubric_id="r",
        rubric_name="R",
        major=1,
        version=VERSION,
        evaluations=tuple(
            PanelEvaluation(
                id=f"e{place}", subject_id="s", user_id=f"u{place}", user_name=f"u{place}", version_id="v",
                evaluator_type=EvaluatorType.HUMAN, version_number="1.0.0",
                **{"status": EvaluationStatus.SUBMITTED, **more}, scores={key: given(value, key)},
            )
            for place, value in enumerate(values)
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("key", "values", "middle"),
    [
        ("a", (4, 4, 0), "l4"),
        ("a", (0, 4), "l0"),
        ("a", (1, 1, 4, 4, 3), "l4"),
        ("a", (1, 1, 4, 4, 0), "l1"),
        ("a", (2, None, None), None),
        ("a", (2, None), "l2"),
        ("w", (1, 9), 1),
        ("w", (1, 9, 2), 2),
        ("w", (0, 5, None), 0),
    ],
)
def test_the_middle_is_what_most_chose_or_the_median_and_always_somebodys(
    key: str, values: tuple[int | None, ...], middle: object
) -> None:
    (found,) = panel_answers(table(key, *values))
    assert (found.scale_level_id if key == "a" else found.raw_value) == middle
    assert found.is_not_applicable == (middle is None)


def test_what_counts_in_no_mean_is_not_in_the_middle() -> None:
    assert panel_answers(table("a", 4, status=EvaluationStatus.WITHDRAWN)) == ()
    assert panel_answers(change(table("a"), evaluations=())) == ()


def test_taken_answers_leave_what_was_written_where_it_is() -> None:
    (one,) = table("a", 3).evaluations
    mine = (Answer(criterion_id="n-a", scale_level_id="l0", rationale="Mine."),)
    assert with_choices(mine, answers_of(VERSION, one)) == (
        Answer(criterion_id="n-a", scale_level_id="l3", rationale="Mine."),
    )


def test_a_rationale_may_be_left_out_where_somebody_chose_the_same_and_evidence_always() -> None:
    def problem(kind: str) -> SubmitProblem:
        return SubmitProblem(kind=kind, criterion_id="n-a", key="a", message="")

    def left(kind: str, level: str) -> int:
        answers = [Answer(criterion_id="n-a", scale_level_id=level)]
        return len(compulsory([problem(kind)], table("a", 3, 1), VERSION, answers))

    assert [left("rationale_missing", level) for level in ("l3", "l1", "l2")] == [0, 0, 1]
    assert left("evidence_missing", "l2") == 0
    assert left("quote_not_found", "l3") == 1


# -- who, and why ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roles", "may"),
    [
        ((Role.ADMINISTER_EVALUATIONS,), True),
        ((Role.CHAIR, Role.DEVELOPER), True),
        ((Role.CHAIR,), False),
        ((Role.DEVELOPER, Role.INTEGRATION, Role.AUTHOR, Role.REVIEWER), False),
    ],
)
def test_settling_is_for_who_runs_rounds_and_reads_all(roles: tuple[Role, ...], may: bool) -> None:
    assert may_settle(roles) is may


def test_a_reason_is_found_by_its_words_or_its_number() -> None:
    assert reason_of(" slip ", DEFAULT_REASONS).label == "Slip"
    assert reason_of("1", DEFAULT_REASONS) == DEFAULT_REASONS[0]
    for wrong in ("", "0", "99", "Whim"):
        with pytest.raises(InvalidInputError):
            reason_of(wrong, DEFAULT_REASONS)


@pytest.mark.parametrize(
    ("labels", "fault"),
    [
        ((), "0 reasons"),
        (("A", " a "), "stands there twice"),
        ((" ",), "has no label"),
        (("x" * 81,), "longer than 80"),
        (("a\x1b[31m",), "control character"),
        (tuple(str(n) for n in range(31)), "31 reasons"),
    ],
)
def test_a_list_that_cannot_be_offered_is_refused(labels: tuple[str, ...], fault: str) -> None:
    with pytest.raises(InvalidInputError, match=fault):
        checked_reasons([AdjudicationReason(label=label) for label in labels])
