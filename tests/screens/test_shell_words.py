"""What the shell's screens say, tested without a screen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from msgspec.structs import replace as change
from shell_world import INBOX, NOW, RUBRICS, row, version

from rubrictui.app import RubrictuiApp
from rubrictui.cli._results import evaluator_words
from rubrictui.core.authoring import weight_shares
from rubrictui.core.model import Node, NodeType, Outcome, VersionSnapshot
from rubrictui.core.records import (
    Context,
    ContextStatus,
    Evaluation,
    EvaluationDetail,
    EvaluationStatus,
    EvaluatorType,
    InboxRow,
    Subject,
    SubjectFile,
)
from rubrictui.screens.catalog import catalog_rows
from rubrictui.screens.inbox_rows import (
    detail,
    due_words,
    next_row,
    ordered,
    progress,
    result_words,
    summary,
    to_rows,
)
from rubrictui.screens.opening_work import context_rows, rubric_rows
from rubrictui.screens.result import state_words
from rubrictui.screens.rubric_text import node_lines, reflow, version_lines
from rubrictui.screens.subjects import content_words, evaluation_rows
from rubrictui.shell.opening import StoreOpening
from rubrictui.widgets.detail_pane import Line

ONE_TO_FIVE = {"score_display_min": 1.0, "score_display_max": 5.0}
PARIS_ISH = timezone(timedelta(hours=2))


def given(login: str, name: str, machine: str | None = None) -> Evaluation:
    return Evaluation(
        id=f"e-{login}", rubric_id="r", rubric_name="Awards", version_id="v", version_number="1.0.0",
        major_version=1, subject_id="s", subject_title="S", evaluator_user_id=f"u-{login}",
        evaluator_user_name=login, evaluator_display_name=name, evaluator_name=machine, submitted_at=NOW,
        status=EvaluationStatus.SUBMITTED, normalized_score=0.8, outcome=Outcome.PASSED, **ONE_TO_FIVE,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answered", "total", "shown"),
    [
        (0, 5, "▱▱▱▱▱ 0/5"),
        (1, 40, "▰▱▱▱▱ 1/40"),
        (39, 40, "▰▰▰▰▱ 39/40"),
        (5, 5, "▰▰▰▰▰ 5/5"),
        (120, 500, "▰▱▱ 120/500"),
        (0, 0, ""),
    ],
)
def test_progress_is_begun_with_the_first_answer_and_full_only_with_the_last(
    answered: int, total: int, shown: str
) -> None:
    assert progress(answered, total) == shown
    assert len(progress(answered, total)) <= 11


@pytest.mark.parametrize(
    ("due", "shown", "tone"),
    [
        (None, "", ""),
        (NOW - timedelta(hours=1), "overdue", "error"),
        (NOW - timedelta(days=2), "overdue 2d", "error"),
        (NOW + timedelta(hours=7), "today 18:30", "warning"),
        (NOW + timedelta(hours=13), "Tue 00:30", ""),
        (NOW + timedelta(days=20), "21 Mar", ""),
        (datetime(2028, 2, 9, tzinfo=UTC), "9 Feb 2028", ""),
    ],
)
def test_a_due_date_is_said_in_the_viewers_own_zone(due: datetime | None, shown: str, tone: str) -> None:
    assert due_words(due, NOW, PARIS_ISH) == (shown, tone)
    assert len(shown) <= 11


def test_what_is_overdue_is_next_then_what_she_was_at_then_what_is_due_first() -> None:
    assert [r.subject_record_id for r in ordered(INBOX, NOW)] == ["p-3", "p-2", "p-1", "p-4", "p-5", "p-6"]
    assert next_row(INBOX, NOW) is INBOX[2]
    undated = (row(1, "New", "New"), row(2, "Begun", "Draft", answered=1))
    assert next_row(undated, NOW) is undated[1]
    at_it = row(4, "Cut off", "Draft", answered=3, due_at=NOW + timedelta(days=9), updated_at=NOW)
    before = row(
        5, "Earlier", "Draft", answered=1, due_at=NOW + timedelta(days=5), updated_at=NOW - timedelta(1)
    )
    soon, late = (
        row(number, "New", "New", due_at=NOW + timedelta(days=days)) for number, days in ((6, 1), (7, -1))
    )
    assert ordered((soon, before, at_it, late), NOW) == [late, at_it, soon, before]
    assert next_row(INBOX[4:], NOW) is None


def test_the_inbox_marks_what_is_next_and_counts_what_is_left() -> None:
    rows = to_rows(INBOX, NOW, UTC)
    assert [r.section for r in rows] == ["To score (4)"] * 4 + ["Done (2)"] * 2
    assert [r.mark for r in rows] == ["▸"] + [" "] * 5
    assert summary(INBOX, NOW).startswith("4 to score, 1 begun, 1 overdue. Next: Óbuda")
    assert summary(INBOX[4:], NOW) == "Nothing left to score."
    assert summary((), NOW) == ""


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (INBOX[4], "82.4 passed"),
        (row(9, "x", "Submitted", outcome="Passed", normalized_score=0.82, **ONE_TO_FIVE), "4.28 passed"),
        (row(9, "x", "Submitted", outcome="Passed", normalized_score=0.0), "0 passed"),
        (INBOX[5], "gate failed"),
        (row(9, "x", "Submitted", outcome="Incomplete"), "incomplete"),
        (row(9, "x", "Declined"), ""),
    ],
)
def test_done_work_says_how_it_ended(found: InboxRow, shown: str) -> None:
    assert result_words(found) == shown


def test_what_others_gave_is_named_by_people_and_read_on_the_range_of_its_version() -> None:
    rows = evaluation_rows([given("ann", "Ann Lee"), given("ben", "Ben Oh"), given("al2", "Ann Lee")], UTC)
    assert [r.cells[2] for r in rows if r.cells[2]] == ["Ann Lee (ann)", "Ben Oh", "Ann Lee (al2)"]
    assert {r.cells[4] for r in rows if r.cells[4]} == {"4.2 passed"}
    judge = change(given("robot", "Nightly run", "Judge"), evaluator_type=EvaluatorType.AI_PROMPT)
    assert evaluation_rows([judge], UTC)[-1].cells[2] == "Judge (AIPrompt)"


def test_a_result_names_who_gave_it_as_people_call_her() -> None:
    one = EvaluationDetail(
        evaluation=given("ann", "Ann Lee"),
        version=version(),
        subject=Subject(id="s", entity="P", record_id="1"),
    )
    assert state_words(one, UTC).startswith("Human: Ann Lee · submitted 2027-03-01")
    assert evaluator_words(one.evaluation) == "Human Ann Lee"
    assert evaluator_words(given("robot", "Nightly run", "Judge")) == "Human Judge (by Nightly run)"


def test_the_lines_under_the_inbox_say_what_the_columns_cut() -> None:
    first, second = detail(INBOX[1], NOW, PARIS_ISH)
    assert first == "Harbour Freight portal  (Proposal/p-2)"
    assert second == (
        "due Mon 1 Mar 2027 18:30 UTC+02:00 · Vendor proposal 1.2.0 · for Spring round · last touched 28 Feb 21:30"
    )
    assert "was due" in detail(INBOX[2], NOW, UTC)[1]
    assert detail(INBOX[4], NOW, UTC)[1].startswith("submitted 28 Feb 2027 09:30 · Vendor")


def test_the_catalog_lists_one_line_a_rubric_or_every_version() -> None:
    rows = catalog_rows(RUBRICS, all_versions=False)
    assert [(r.section, *r.cells[:4]) for r in rows] == [
        ("Procurement", "Vendor proposal  (+2)", "1.2.0", "Published", "5"),
        ("Research", "Conference abstract", "1.0.0", "Published", "7"),
    ]
    every = catalog_rows(RUBRICS, all_versions=True)
    assert [r.cells[1] for r in every] == ["draft", "1.2.0", "1.1.0", "1.0.0"]
    assert [r.cells[4] for r in every] == ["0", "12", "40", "3"]


def test_only_rubrics_with_a_published_version_and_open_contexts_can_be_chosen() -> None:
    assert [r.cells[2] for r in rubric_rows(RUBRICS)] == ["1.2.0", "1.0.0"]
    contexts = (
        Context(id="a", record_id="a", name="Any rubric"),
        Context(id="b", record_id="b", name="Another rubric", rubric_id="r-other"),
        Context(id="c", record_id="c", name="Closed", status=ContextStatus.CLOSED),
    )
    assert [r.id for r in context_rows(contexts, "r-vendor")] == ["-", "a"]
    assert context_rows((), "r-vendor") == []


@pytest.mark.parametrize(
    ("subject", "shown"),
    [
        (Subject(record_id="a", text="two words"), "2 words"),
        (Subject(record_id="a", data={"k": 1}, files=(SubjectFile(name="f"),)), "data, 1 file"),
        (Subject(record_id="a"), ""),
    ],
)
def test_a_subject_says_what_it_holds(subject: Subject, shown: str) -> None:
    assert content_words(subject) == shown


def said(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


def test_the_first_row_of_a_version_says_when_the_whole_passes() -> None:
    lines = said(version_lines(version(), RUBRICS[0].versions[1], 60))
    assert lines[:2] == [
        "Vendor proposal 1.2.0  Published",
        "5 criteria, 12 evaluations, published 2027-01-30",
    ]
    assert said(version_lines(version(), None, 60, about="What we\nask. "))[1] == "What we ask."
    assert "Passes  from 0.6 (60 as shown)" in lines
    assert "Complete enough  from 80.0% answered" in lines
    assert "Not applicable  left out, its weight goes to its siblings" in lines
    assert "Weak  0 to 0.5" in lines
    assert "Audit trail asked for." in lines
    assert any(line.startswith("Content hash  c0ffee") for line in lines)


def test_a_criterion_says_its_rules_and_what_each_level_means() -> None:
    one = version()
    lines = said(node_lines(one, one.nodes[1], weight_shares(one)))
    assert lines[0] == "Encryption  encryption"
    assert "Weight  1, 50.0% of its group" in lines
    assert "Gate  below 0.5 the whole evaluation fails" in lines
    assert "Not applicable  not allowed" in lines
    assert "Needs  evidence" in lines
    assert "  Partial (0.5)  In transit only." in lines
    assert "Look for named algorithms and who holds the keys." in lines


def test_groups_advisory_and_numeric_criteria_say_how_they_count() -> None:
    one = version()
    shares = weight_shares(one)
    assert "Score  the lowest of its children" in said(node_lines(one, one.nodes[0], shares))
    assert "Weight  none: advisory, it never moves the score" in said(node_lines(one, one.nodes[6], shares))
    days = said(node_lines(one, one.nodes[5], shares))
    assert "Days  0 to 90, in steps of 1, lower is better" in days
    assert "Not applicable  left out, its weight goes to its siblings (as the version says)" in days


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\ntwo\n\nthree\n", "one two\n\nthree"),
        ("steps:\n1. read\n   it\n2. score", "steps:\n1. read it\n2. score"),
        ("# title\n- a\n- b\nmore", "# title\n- a\n- b more"),
        ("2031 was\n40 years on", "2031 was 40 years on"),
    ],
)
def test_prose_is_shown_without_the_line_breaks_of_its_file(text: str, shown: str) -> None:
    assert reflow(text) == shown


def test_a_criterion_without_a_scale_says_so_instead_of_failing() -> None:
    lone = VersionSnapshot(nodes=(Node(id="n", key="lone", node_type=NodeType.CRITERION),))
    assert "It has no scale, so it cannot be answered." in said(node_lines(lone, lone.nodes[0], {}))
    assert said(version_lines(lone, None, 40))[0] == " draft  Draft"


def test_the_title_names_the_store_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICTUI_DB", "postgresql://ann:s3cret@db.example/panel")
    assert RubrictuiApp(StoreOpening(None)).store_label == "panel on db.example"
    assert RubrictuiApp(StoreOpening("mysql://ann:s3cret@db/panel")).store_label == "no store"
    assert RubrictuiApp(StoreOpening("/srv/x.db"), is_demo=True).store_label == "demo store"
