"""A result is shown as it was stored: shares, answers, scores and points, and what the cohort said."""

from __future__ import annotations

import dataclasses

import pytest
from form_world import QUOTE, VERSION
from rich.cells import cell_len

from rubrictui.core.records import (
    Cohort,
    CohortCriterion,
    Evaluation,
    EvaluationDetail,
    EvaluationScore,
    EvaluationStatus,
    Subject,
)
from rubrictui.widgets.result_lines import (
    bar,
    cohort_words,
    heading_line,
    open_result_lines,
    plan_columns,
    points,
    result_line,
    result_rows,
    shown_score,
)
from rubrictui.widgets.text import Line

DETAIL = EvaluationDetail(
    evaluation=Evaluation(
        id="e",
        rubric_id="r",
        rubric_name="Everything",
        version_id="v",
        version_number="1.0.0",
        major_version=1,
        subject_id="s",
        subject_title="S",
        evaluator_user_id="u",
        status=EvaluationStatus.SUBMITTED,
    ),
    version=VERSION,
    subject=Subject(record_id="s"),
    scores=(
        EvaluationScore(
            node_id="g1",
            key="security",
            normalized_score=0.5,
            effective_weight=0.75,
            overall_contribution=0.375,
        ),
        EvaluationScore(
            node_id="c1",
            key="encryption",
            scale_level_id="partial",
            rationale="Keys\x1b[2J are said to be elsewhere. " * 20,
            evidence=(QUOTE,) * 4,
            normalized_score=0.5,
            effective_weight=0.5,
            gate_failed=True,
        ),
        EvaluationScore(node_id="C2", key="access", is_not_applicable=True),
        EvaluationScore(
            node_id="C3", key="budget", raw_value=80.0, normalized_score=0.8, effective_weight=0.25
        ),
    ),
    cohort=Cohort(
        mean=0.625,
        min=0.5,
        max=0.75,
        std_dev=0.125,
        count=2,
        passed_count=1,
        human_mean=0.5,
        ai_mean=0.75,
        criteria=(CohortCriterion(key="encryption", mean=0.5, human_mean=0.5),),
    ),
)
ROWS = result_rows(DETAIL)


def text(*lines: Line) -> str:
    return "\n".join("".join(piece for piece, _ in line).rstrip() for line in lines)


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("security", ""),
        ("encryption", "Partial"),
        ("access", "N/A"),
        ("budget", "80%"),
        ("days", "unanswered"),
    ],
)
def test_answers_are_told_in_words(key: str, answer: str) -> None:
    assert next(row for row in ROWS if row.node.key == key).answer == answer


def test_a_node_is_one_line_with_its_part_in_the_whole() -> None:
    columns = plan_columns(ROWS, 80)
    group = text(result_line(ROWS[0], columns, VERSION))
    assert group.split() == ["Security", "75%", "█████░░░░░", "50", "37.5"]
    gate = text(result_line(ROWS[1], columns, VERSION))
    assert gate.lstrip().startswith("✗")
    assert "Encryption gate" in gate
    assert "37.5" not in gate


def test_the_answers_have_the_room_that_the_names_leave_and_their_heading_is_whole() -> None:
    short = tuple(dataclasses.replace(row, answer="Yes") for row in ROWS)
    assert "Answer " in text(heading_line(plan_columns(short, 80)))
    answer = "Mostly there, with gaps in the tests"
    long = tuple(dataclasses.replace(row, answer=answer) for row in ROWS)
    assert answer in text(result_line(long[1], plan_columns(long, 120), VERSION))
    assert plan_columns(long, 60).answer == 18


@pytest.mark.parametrize("width", [40, 69, 70, 100])
def test_lines_fit_their_width(width: int) -> None:
    columns = plan_columns(ROWS, width)
    for row in ROWS:
        for line in open_result_lines(row, columns, VERSION, has_focus=True, in_full=True):
            assert sum(cell_len(piece) for piece, _ in line) <= width


def test_the_open_node_says_why_and_enter_shows_the_rest() -> None:
    columns = plan_columns(ROWS, 80)
    short = text(*open_result_lines(ROWS[1], columns, VERSION, has_focus=True, in_full=False))
    assert "gate: at least 50, not met" in short
    assert "cohort mean: all 50, people 50" in short
    assert "✎ Keys␛[2J are said" in short
    assert "and 2 more: Enter shows all" in short
    whole = text(*open_result_lines(ROWS[1], columns, VERSION, has_focus=True, in_full=True))
    assert whole.count("❝") == 4
    assert len(whole) > len(short)


@pytest.mark.parametrize(
    ("share", "drawn"),
    [
        (0.0, "░░░░░░░░"),
        (1.0, "████████"),
        (0.5, "████░░░░"),
        (None, "········"),
        (1.7, "████████"),
        (0.55, "████▍░░░"),
    ],
)
def test_bars_are_drawn_to_scale(share: float | None, drawn: str) -> None:
    assert bar(share, 8) == drawn


def test_scores_are_on_the_display_range() -> None:
    assert shown_score(VERSION, 2 / 3) == "66.67"
    assert shown_score(VERSION, None) == "–"
    assert points(VERSION, 0.25) == "25"
    assert points(VERSION, None) == ""


def test_the_cohort_is_one_line() -> None:
    assert DETAIL.cohort is not None
    assert cohort_words(VERSION, DETAIL.cohort) == (
        "Cohort: 2 evaluations, mean 62.5, from 50 to 75, standard deviation 12.5, people 50, AI 75, 1 passed"
    )
