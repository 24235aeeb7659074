"""The inbox: the viewer's own work in the order to do it, read twice in the same words."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from panel_rows import Panel
from sqlalchemy import text
from store_rows import START

from rubrictui.core.records import AssignmentStatus, InboxRow, User
from rubrictui.store.database import Database
from rubrictui.store.fast_inbox import fast_inbox
from rubrictui.store.inbox import inbox
from rubrictui.store.inbox_sql import DONE_SHOWN, WITHDRAWN
from rubrictui.store.tables import ASSIGNMENT, EVALUATION


@pytest.fixture
def panel(database: Database) -> Panel:
    return Panel(database)


def inbox_of(panel: Panel, user: User) -> tuple[InboxRow, ...]:
    with panel.database.read() as connection:
        return inbox(connection, user)


def told(rows: tuple[InboxRow, ...]) -> list[tuple[str, str]]:
    return [(row.state, row.subject_title) for row in rows]


def test_work_in_hand_comes_by_its_due_date_and_then_what_is_done(panel: Panel) -> None:
    rows, ann = panel.rows, panel.ann
    with rows.together():
        for days, record in ((9, "late"), (2, "soon"), (None, "any time")):
            due = None if days is None else START + timedelta(days=days)
            panel.assign(ann, rows.subject(record), due_at=due)
        by = rows.context("by march", due_at=START + timedelta(days=1))
        panel.assign(ann, rows.subject("for a round"), context_id=by)
        for days, record in ((5, "draft later"), (3, "draft sooner")):
            subject = rows.subject(record)
            assignment = panel.assign(ann, subject, due_at=START + timedelta(days=days))
            panel.begun(ann, subject, assignment_id=assignment)
        for record in ("done first", "done last"):
            panel.scored(ann, rows.subject(record), 0.5)
        declined = panel.assign(ann, rows.subject("declined"))
        panel.end_assignment(declined, AssignmentStatus.DECLINED)
    assert told(inbox_of(panel, ann)) == [
        ("Draft", "Draft Sooner"),
        ("Draft", "Draft Later"),
        ("New", "For A Round"),
        ("New", "Soon"),
        ("New", "Late"),
        ("New", "Any Time"),
        ("Submitted", "Done Last"),
        ("Submitted", "Done First"),
        ("Declined", "Declined"),
    ]


def test_a_row_tells_progress_names_and_instants(panel: Panel) -> None:
    rows = panel.rows
    due = START + timedelta(days=2, microseconds=5)
    assignment = panel.assign(panel.ann, panel.north, context_id=panel.spring, due_at=due)
    draft = rows.evaluation(
        panel.ann, panel.north, panel.version, context_id=panel.spring, assignment_id=assignment
    )
    rows.score(draft, panel.criterion("clarity"), is_not_applicable=True)
    rows.score(draft, panel.criterion("evidence"), rationale="Not yet answered", is_flagged=True)
    (row,) = inbox_of(panel, panel.ann)
    assert row == InboxRow(
        state="Draft",
        subject_id=panel.north,
        subject_title="North",
        subject_entity="Proposal",
        subject_record_id="north",
        rubric_id=panel.rubric,
        rubric_name="Vendor proposal",
        version_id=panel.version,
        version_number="1.0.0",
        context_id=panel.spring,
        context_name="Spring",
        assignment_id=assignment,
        evaluation_id=draft,
        answered=1,
        total=2,
        due_at=due,
        updated_at=row.updated_at,
    )
    assert row.updated_at is not None
    assert row.updated_at.tzinfo is not None
    rows.submit(draft, 0.25)
    (row,) = [one for one in inbox_of(panel, panel.ann) if one.state == "Submitted"]
    assert (row.normalized_score, row.outcome, row.answered) == (0.25, "Scored", 1)


def test_new_work_is_of_the_version_it_would_be_begun_with(panel: Panel) -> None:
    """The assignment's, else the round's, else the latest Published."""
    rows = panel.rows
    panel.publish(other := rows.rubric("Other"), (1, 0, 0))
    rows.retire(panel.publish(panel.rubric, (3, 0, 0)))
    pinned = rows.context("pinned", rubric_id=panel.rubric, version_id=panel.version)
    panel.assign(panel.ann, rows.subject("a"), version_id=panel.version)
    panel.assign(panel.ann, rows.subject("b"), context_id=pinned)
    panel.assign(panel.ann, rows.subject("c"))
    rows.assignment(panel.ann, rows.subject("d"), other, context_id=pinned)
    rows.assignment(panel.ann, rows.subject("e"), rows.rubric("Unpublished"))
    found = {row.subject_title: (row.version_number, row.total) for row in inbox_of(panel, panel.ann)}
    assert found == {
        "A": ("1.0.0", 2),
        "B": ("1.0.0", 2),
        "C": ("2.0.0", 2),
        "D": ("1.0.0", 2),
        "E": (None, 0),
    }


def test_a_score_comes_with_the_range_on_which_its_version_is_read(panel: Panel) -> None:
    other = panel.rows.rubric("Out of five")
    version = panel.rows.draft(other, score_display_min=1.0, score_display_max=5.0)
    panel.rows.publish(version)
    panel.rows.submit(panel.rows.evaluation(panel.ann, panel.south, version), 0.5)
    panel.scored(panel.ann, panel.north, 0.5)
    found = {
        row.rubric_name: (row.score_display_min, row.score_display_max) for row in inbox_of(panel, panel.ann)
    }
    assert found == {"Out of five": (1.0, 5.0), "Vendor proposal": (0.0, 100.0)}


def test_only_her_own_work_as_a_person_is_in_it(panel: Panel) -> None:
    panel.begun(panel.ben, panel.north)
    panel.assign(panel.ben, panel.south)
    panel.begun(panel.ann, panel.south, evaluator_type="AIPrompt", evaluator_name="Judge")
    panel.scored(panel.ann, panel.south, 1.0, evaluator_type="Deterministic", evaluator_name="Rules")
    assert inbox_of(panel, panel.ann) == ()
    panel.begun(panel.ann, panel.north, evaluator_type="Self")
    assert told(inbox_of(panel, panel.ann)) == [("Draft", "North")]


def test_an_assignment_that_is_begun_is_one_row_however_it_was_begun(panel: Panel) -> None:
    panel.assign(panel.ann, panel.north, context_id=panel.spring)
    panel.assign(panel.ann, panel.north)
    panel.begun(panel.ann, panel.north)
    assert told(inbox_of(panel, panel.ann)) == [("Draft", "North"), ("New", "North")]


def test_what_was_withdrawn_superseded_or_released_is_no_work_any_more(panel: Panel) -> None:
    released = panel.assign(panel.ann, panel.north)
    panel.end_assignment(released, AssignmentStatus.RELEASED)
    with panel.rows.together():
        gone = panel.begun(panel.ann, panel.south)
        panel.rows.sql(f"UPDATE evaluation SET status = 'Withdrawn', end_reason = 'x' WHERE id = '{gone}'")
    assert inbox_of(panel, panel.ann) == ()


def withdraw(panel: Panel, evaluation: str) -> str:
    return panel.rows.change(
        EVALUATION, evaluation, status="Withdrawn", end_reason="Wrong subject.", ended_at=panel.rows.now()
    )


def test_what_was_submitted_and_then_withdrawn_is_listed_while_nothing_newer_stands_in_its_place(
    panel: Panel,
) -> None:
    rows, ann = panel.rows, panel.ann
    with rows.together():
        gone = withdraw(panel, panel.scored(ann, panel.north, 0.5))
        withdraw(panel, panel.scored(ann, panel.south, 0.25, context_id=panel.spring))
        withdraw(panel, panel.scored(panel.ben, rows.subject("a peer's"), 0.5))
    found = inbox_of(panel, ann)
    assert told(found) == [("Withdrawn", "South"), ("Withdrawn", "North")]
    assert (found[1].evaluation_id, found[1].normalized_score, found[1].answered) == (gone, 0.5, 2)

    with rows.together():
        panel.scored(ann, panel.south, 0.5)  # for something else, so it takes no place
        panel.begun(ann, panel.north)
    assert told(inbox_of(panel, ann)) == [("Draft", "North"), ("Submitted", "South"), ("Withdrawn", "South")]

    with rows.together():
        again = panel.scored(ann, panel.south, 0.75, context_id=panel.spring)
    assert "Withdrawn" not in {row.state for row in inbox_of(panel, ann)}
    with rows.together():
        withdraw(panel, again)
    assert [row.evaluation_id for row in inbox_of(panel, ann) if row.state == "Withdrawn"] == [again]


def test_withdrawn_work_is_found_by_the_index_and_what_replaced_it_by_the_subject(
    sqlite_database: Database,
) -> None:
    with sqlite_database.read() as connection:
        plan = connection.execute(text(f"EXPLAIN QUERY PLAN {WITHDRAWN}"), {"me": "ann", "done": 50})
        steps = [row[3] for row in plan]
    assert any("ix_evaluation_own (evaluator_user_id=? AND status=?" in step for step in steps), steps
    assert any("ix_evaluation_cohort (subject_id=?" in step for step in steps), steps


def test_only_the_latest_of_what_is_done_is_listed(sqlite_database: Database) -> None:
    panel = Panel(sqlite_database)
    with panel.rows.together():
        for number in range(DONE_SHOWN + 3):
            panel.rows.submitted(panel.ann, panel.rows.subject(f"s{number:02}"), panel.version)
    found = inbox_of(panel, panel.ann)
    assert told(found) == [("Submitted", f"S{number:02}") for number in range(DONE_SHOWN + 2, 2, -1)]


# -- before the store is imported --------------------------------------------------------------------


@pytest.fixture
def busy_store(store_path: Path) -> Path:
    """A closed store with something of every state in Ann's inbox."""
    with Database.open(store_path) as database:
        panel = Panel(database)
        with panel.rows.together():
            panel.assign(panel.ann, panel.south, due_at=START)
            panel.begun(panel.ann, panel.north, context_id=panel.spring)
            panel.scored(panel.ann, panel.south, 0.5, context_id=panel.spring)
            withdraw(panel, panel.scored(panel.ann, panel.north, 0.5, context_id=panel.autumn))
            panel.rows.change(
                ASSIGNMENT, panel.assign(panel.ann, panel.north), status="Declined", ended_at=START
            )
    return store_path


def properly(path: Path, login: str) -> tuple[InboxRow, ...]:
    with Database.open(path, read_only=True) as database, database.read() as connection:
        return inbox(connection, User(id="any", name=login))


def files(path: Path) -> dict[str, Any]:
    return {one.name: (one.stat().st_size, one.stat().st_mtime_ns) for one in path.parent.iterdir()}


def test_it_reads_the_same_rows_and_makes_no_file(busy_store: Path) -> None:
    before = files(busy_store)
    found = fast_inbox(busy_store, "ann")
    assert files(busy_store) == before
    assert found is not None
    assert sorted({row.state for row in found}) == ["Declined", "Draft", "New", "Submitted", "Withdrawn"]
    assert found == properly(busy_store, "ann")
    assert fast_inbox(busy_store, "nobody") == ()
    assert fast_inbox(f"sqlite:///{busy_store}", "ann") == found


def test_it_sees_what_an_open_program_has_just_saved(busy_store: Path) -> None:
    with Database.open(busy_store) as database:
        with database.write() as connection:
            connection.exec_driver_sql("UPDATE subject SET title = 'Renamed' WHERE record_id = 'north'")
        before = sorted(files(busy_store))
        found = fast_inbox(busy_store, "ann")
        assert sorted(files(busy_store)) == before
        assert found is not None
        assert "Renamed" in {row.subject_title for row in found}


def test_it_does_not_wait_for_a_writer(busy_store: Path) -> None:
    with Database.open(busy_store) as database, database.write() as connection:
        connection.exec_driver_sql("UPDATE subject SET title = 'Not yet'")
        found = fast_inbox(busy_store, "ann")
    assert found is not None
    assert "Not yet" not in {row.subject_title for row in found}


def test_it_reads_a_store_whose_program_was_killed(busy_store: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    killed.mkdir()
    with Database.open(busy_store) as database:
        with database.write() as connection:
            connection.exec_driver_sql("UPDATE subject SET title = 'Saved' WHERE record_id = 'north'")
        for file in busy_store.parent.glob(f"{busy_store.name}*"):
            shutil.copy(file, killed)
    left = sorted(path.name for path in killed.iterdir())
    assert len(left) == 3
    found = fast_inbox(killed / busy_store.name, "ann")
    assert found is not None
    assert "Saved" in {row.subject_title for row in found}
    assert sorted(path.name for path in killed.iterdir()) == left
    # Without the log's index it would have to make one, so it leaves that to the store.
    (killed / f"{busy_store.name}-shm").unlink()
    assert fast_inbox(killed / busy_store.name, "ann") is None
    assert "Saved" in {row.subject_title for row in properly(killed / busy_store.name, "ann")}


def test_what_is_not_a_current_store_is_left_to_the_store(busy_store: Path, tmp_path: Path) -> None:
    assert fast_inbox(tmp_path / "none.db", "ann") is None
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "text.db").write_text("my notes")
    assert fast_inbox(tmp_path / "text.db", "ann") is None
    (tmp_path / "empty.db").touch()
    assert fast_inbox(tmp_path / "empty.db", "ann") is None
    assert fast_inbox(tmp_path, "ann") is None
    assert fast_inbox("postgresql://host/rubrics", "ann") is None
    assert fast_inbox("mysql://host/rubrics", "ann") is None
    with closing(sqlite3.connect(busy_store)) as raw:
        raw.execute("UPDATE store_revision SET version_num = '9999'")
        raw.commit()
    assert fast_inbox(busy_store, "ann") is None


def test_it_imports_no_sqlalchemy(busy_store: Path) -> None:
    code = (
        "import sys; from rubrictui.store.fast_inbox import fast_inbox;"
        "assert len(fast_inbox(sys.argv[1], 'ann')) == 5;"
        "sys.exit(' '.join({m.split('.')[0] for m in sys.modules} & {'sqlalchemy', 'sqlmodel', 'pydantic',"
        " 'alembic', 'textual', 'numpy'}) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(busy_store)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
