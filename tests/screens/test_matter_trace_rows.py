"""The trace in words: running score, reasons, marked texts, two traces side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from matter_world import ISSUE, READ_LEASE, SHIPPED, matter_at, reference_of, write_matter

from rubrictui.matters.points import component_points
from rubrictui.screens.matter_compare_rows import by_criterion, compare_rows, side_lines, step_of
from rubrictui.screens.matter_runs import kept_trajectories
from rubrictui.screens.matter_trace_rows import (
    Trace,
    earned_by_component,
    marked,
    step_lines,
    summary_lines,
    trace_of,
    trace_rows,
)
from rubrictui.widgets.detail_pane import Line


def plain(lines: list[Line]) -> str:
    return "\n".join("".join(text for text, _ in line) for line in lines)


@pytest.fixture
def depot(tmp_path: Path) -> Path:
    return write_matter(tmp_path / "depot")


def traced(folder: Path, *actions: Any) -> Trace:
    return trace_of(matter_at(folder), actions, "mine")


@pytest.mark.parametrize(
    ("marks", "shown"),
    [
        ([], "a roof leaks"),
        ([(2, 6, True)], "a [+roof+] leaks"),
        ([(2, 6, False)], "a [-roof-] leaks"),
        ([(0, 6, True), (2, 6, False)], "[+a +][-roof-] leaks"),
        ([(7, 99, True)], "a roof [+leaks+]"),
    ],
)
def test_words_that_earn_and_words_that_cost_are_marked(marks: list[Any], shown: str) -> None:
    assert plain([marked("a roof leaks", marks)]) == shown


def test_a_step_shows_its_event_by_component_and_the_words_behind_it(depot: Path) -> None:
    trace = traced(depot, READ_LEASE, {**ISSUE, "severity": "low"})
    shown = plain(step_lines(trace.steps[1]))
    assert "+1.00 base  has: lease §2.1" in shown
    assert "+0.00 severity  lacks: high" in shown
    assert "title: The [+roof+] is ours" in shown
    assert "analysis: The tenant repairs the roof; the [+landlord+] should." in shown
    assert "quotes 1: [+The tenant repairs the roof+]" in shown
    assert "severity: low" in shown  # it neither earned nor cost


def test_of_quotes_only_the_invented_one_is_marked_as_costing(depot: Path) -> None:
    invented = {"citation": "lease §2.1", "text": "The landlord repairs the roof"}
    trace = traced(depot, READ_LEASE, {**ISSUE, "quotes": [*ISSUE["quotes"], invented]})
    shown = plain(step_lines(trace.steps[1]))
    assert "quotes 1: [+The tenant repairs the roof+]" in shown
    assert "quotes 2: [-The landlord repairs the roof-]" in shown


def test_the_running_score_follows_the_steps(depot: Path) -> None:
    rows = trace_rows(
        traced(depot, READ_LEASE, ISSUE, {**ISSUE, "type": "submit_issue", "issue_id": "again"})
    )
    assert [row.cells[4] for row in rows] == ["2.05", "0.00", "2.25", "2.05"]
    assert rows[3].cells[3] == "-0.20"


def test_a_revision_shows_what_is_scored_anew(depot: Path) -> None:
    revised = {**ISSUE, "type": "revise_issue", "severity": "low"}
    trace = traced(depot, READ_LEASE, ISSUE, revised)
    assert "All submissions were scored again: -0.25" in plain(step_lines(trace.steps[2]))
    (event,) = by_criterion(trace)["issue", "repairs"]
    found = step_of(trace, event)
    assert found is not None
    assert found.number == 3


def test_an_error_says_that_the_score_stays(depot: Path) -> None:
    trace = traced(depot, {"type": "read_document", "document_id": "none"})
    assert "the score stays" in plain(step_lines(trace.steps[0]))
    assert trace_rows(trace)[1].cells[2] == "error: unknown document"


def test_a_critical_failure_is_marked_in_list_and_text(depot: Path) -> None:
    trace = traced(depot, READ_LEASE, {**ISSUE, "analysis": "The lease is void."})
    assert trace_rows(trace)[2].mark == "!"
    assert "[-void-]" in plain(step_lines(trace.steps[1]))
    summary = plain(summary_lines(matter_at(depot), trace))
    assert "A critical failure caps the score at 0.25" in summary
    assert "a critical-failure pattern fires: void" in summary


def test_actions_that_are_none_are_steps_like_others(depot: Path) -> None:
    trace = traced(depot, "nonsense", 3, {"type": "submit_final", "summary": None}, READ_LEASE)
    assert len(trace.steps) == 3
    assert trace.ignored == 1
    assert "1 actions after the end" in plain(summary_lines(matter_at(depot), trace))
    for step in trace.steps:
        assert step_lines(step)


@pytest.mark.parametrize("name", SHIPPED)
def test_what_each_component_earned_adds_up_to_the_raw_score(name: str) -> None:
    matter = matter_at(SHIPPED[name])
    for file in kept_trajectories(SHIPPED[name]):
        trace = trace_of(matter, reference_of(name, file.stem), file.stem)
        assert trace.result is not None
        earned = earned_by_component(trace.result)
        assert sum(earned.values()) == pytest.approx(trace.result["raw_score"], abs=1e-3)
        assert set(earned) <= {*component_points(matter), "penalties"}


def test_two_traces_stand_side_by_side_by_criterion(depot: Path) -> None:
    less = traced(depot, READ_LEASE, {**ISSUE, "severity": "low", "quotes": []})
    more = traced(depot, READ_LEASE, ISSUE, {"type": "ask_client", "question": "How old is it?"})
    rows = {row.id: row.cells for row in compare_rows(matter_at(depot), less, more)}
    assert rows["issue\trepairs"] == ("issue · repairs", "1.75", "2.25", "+0.50")
    assert rows["question\tq_roof"] == ("question · q_roof", "-", "0.50", "+0.50")
    assert rows["escalation\te_board"][1:] == ("-", "-", "=")
    assert "The [+roof+] is ours" in plain(side_lines(more, "B", ("issue", "repairs")))
    assert plain(side_lines(less, "A", ("question", "q_roof"))).endswith("nothing")


def test_a_pattern_out_of_time_leaves_a_trace_without_a_score(
    depot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrictui.matters.gates.TIME_LIMIT", 0.01)
    rubric = (depot / "rubric.yaml").read_text().replace("pattern: void", "pattern: '(a|a|aa)+$'")
    (depot / "rubric.yaml").write_text(rubric)
    trace = traced(depot, READ_LEASE, {**ISSUE, "analysis": "a" * 5_000 + "b"})
    assert trace.result is None
    assert trace.score_words.startswith("Unscored: the pattern")
    assert len(trace_rows(trace)) == 2
    assert compare_rows(matter_at(depot), trace, trace)
