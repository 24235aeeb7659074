"""A draft's changes reach the store before they count, and nothing typed is lost when it refuses."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from rubrictui.core.errors import RubrictuiError, ScoringError
from rubrictui.core.model import Answer, Level, Node, Scale, VersionSnapshot
from rubrictui.core.records import Draft, DraftAnswer, Evaluation, SaveReceipt, Subject
from rubrictui.engine.errors import DraftClosedError, DraftConflictError
from rubrictui.screens.scoring_session import Change, DraftSession, Kept, Safety, clean_text

SCALE = Scale(
    id="s",
    levels=(Level(id="no", label="No", normalized_value=0), Level(id="yes", label="Yes", normalized_value=1)),
)
VERSION = VersionSnapshot(
    id="v", nodes=tuple(Node(id=f"C{n}", key=f"k{n}", scale_id="s") for n in (1, 2, 3)), scales=(SCALE,)
)


@dataclass
class FakeStore:
    """Keeps what it is given; ``fails`` is raised instead, once for each entry."""

    saved: list[tuple[Answer, int | None, bool | None, str | None]] = field(default_factory=list)
    fails: list[Exception] = field(default_factory=list)
    cursors: list[str | None] = field(default_factory=list)
    revision: int = 5

    def save_answer(
        self,
        evaluation_id: str,
        answer: Answer,
        *,
        base_revision: int | None = None,
        flagged: bool | None = None,
        cursor: str | None = None,
    ) -> SaveReceipt:
        if self.fails:
            raise self.fails.pop(0)
        self.revision += 1
        self.saved.append((answer, base_revision, flagged, cursor))
        return SaveReceipt(revision=self.revision, saved_at=datetime(2027, 3, 1, tzinfo=UTC))

    def save_cursor(self, evaluation_id: str, key: str | None) -> None:
        if self.fails:
            raise self.fails.pop(0)
        self.cursors.append(key)


def session(store: FakeStore, *stored: DraftAnswer) -> DraftSession:
    evaluation = Evaluation(
        id="e",
        rubric_id="r",
        rubric_name="R",
        version_id="v",
        version_number="1.0.0",
        major_version=1,
        subject_id="x",
        subject_title="X",
        evaluator_user_id="u",
        revision=5,
    )
    return DraftSession(
        store,
        Draft(
            evaluation=evaluation,
            version=VERSION,
            subject=Subject(record_id="x"),
            answers=stored,
            cursor="k1",
        ),
    )


def level(criterion: str, level_id: str | None, **values: object) -> Answer:
    return Answer(criterion_id=criterion, scale_level_id=level_id, **values)  # type: ignore[arg-type]


LOCKED = RubrictuiError("The store is locked by another process.", remedy="Close it.")


def test_a_change_is_stored_with_what_was_seen_and_where_the_reviewer_is() -> None:
    store = FakeStore()
    form = session(store)
    form.move_cursor("k2")
    assert form.change(level("C1", "yes"))
    assert form.change(level("C1", "no"))
    assert form.change(level("C2", "no"), is_flagged=True)
    assert [
        (a.criterion_id, a.scale_level_id, base, flag, cursor) for a, base, flag, cursor in store.saved
    ] == [
        ("C1", "yes", 5, False, "k2"),
        ("C1", "no", 6, False, "k2"),
        ("C2", "no", 5, True, "k2"),
    ]
    assert form.safety is Safety.SAVED
    assert form.flagged == {"c2"}


def test_the_same_answer_again_is_not_stored_again() -> None:
    store = FakeStore()
    form = session(store, DraftAnswer(answer=level("C1", "yes"), revision=2))
    assert form.change(level("C1", "yes"))
    assert store.saved == []


def test_undo_and_redo_store_what_they_bring_back() -> None:
    store = FakeStore()
    form = session(store)
    form.change(level("C1", "yes"))
    form.change(level("C2", "no"))
    undone = form.undo()
    assert undone is not None
    assert undone.criterion_id == "c2"
    assert store.saved[-1][0] == Answer(criterion_id="C2")
    form.undo()
    assert form.undo() is None
    assert not form.answer("C1").is_answered
    form.redo()
    assert form.answer("C1").scale_level_id == "yes"
    assert store.saved[-1][0].scale_level_id == "yes"
    form.change(level("C3", "yes"))
    assert form.redo() is None


def test_a_rationale_typed_in_one_go_is_one_step_of_undo() -> None:
    form = session(FakeStore())
    form.change(level("C1", "yes"))
    for text in ("w", "wh", "why"):
        form.change(level("C1", "yes", rationale=text), group="typing 1")
    form.undo()
    assert form.answer("C1") == level("C1", "yes")
    form.redo()
    assert form.answer("C1").rationale == "why"


def test_what_the_store_does_not_take_is_kept_and_offered_again() -> None:
    store = FakeStore(fails=[LOCKED, LOCKED])
    form = session(store)
    assert not form.change(level("C1", "yes"))
    assert form.safety is Safety.NOT_SAVED
    assert form.problem == "The store is locked by another process. Close it."
    assert form.answer("C1").scale_level_id == "yes"
    assert not form.retry()
    assert form.retry()
    assert form.safety is Safety.SAVED
    assert form.problem == ""
    assert [a.criterion_id for a, *_ in store.saved] == ["C1"]


def test_the_next_change_takes_what_waits_along() -> None:
    store = FakeStore(fails=[OSError("No space left on device")])
    form = session(store)
    assert not form.change(level("C1", "yes"))
    assert "No space left on device" in form.problem
    assert form.change(level("C2", "no"))
    assert {a.criterion_id for a, *_ in store.saved} == {"C1", "C2"}
    assert form.waiting == ()


def test_an_answer_the_version_does_not_allow_is_refused_and_the_old_one_stands() -> None:
    store = FakeStore()
    form = session(store)
    form.change(level("C1", "yes"))
    store.fails.append(ScoringError("not_on_level", "k1", "k1: that is not a level."))
    assert not form.change(level("C1", "nowhere"))
    assert form.refused == "k1: that is not a level."
    assert form.answer("C1").scale_level_id == "yes"
    assert form.safety is Safety.SAVED
    assert form.undo() is not None
    assert not form.answer("C1").is_answered


def conflict(answer: Answer) -> DraftConflictError:
    return DraftConflictError(
        "Answered elsewhere.", stored=DraftAnswer(answer=answer, revision=9), revision=9
    )


@pytest.mark.parametrize(("keep_mine", "level_id", "saves"), [(True, "yes", 1), (False, "no", 0)])
def test_a_conflict_waits_for_a_choice(keep_mine: bool, level_id: str, saves: int) -> None:
    store = FakeStore(fails=[conflict(level("C1", "no"))])
    form = session(store)
    assert not form.change(level("C1", "yes"))
    assert form.conflict is not None
    assert form.conflict.mine.answer.scale_level_id == "yes"
    assert form.conflict.stored.answer.scale_level_id == "no"
    assert not form.retry()
    assert store.saved == []
    assert form.settle_conflict(keep_mine=keep_mine) == "c1"
    assert form.answer("C1").scale_level_id == level_id
    assert len(store.saved) == saves
    assert all(base == 9 for _, base, _, _ in store.saved)
    assert form.safety is Safety.SAVED


def test_other_criteria_are_stored_while_one_is_in_conflict() -> None:
    store = FakeStore(fails=[conflict(level("C1", "no"))])
    form = session(store)
    form.change(level("C1", "yes"))
    assert form.change(level("C2", "no"))
    assert [a.criterion_id for a, *_ in store.saved] == ["C2"]
    assert form.safety is Safety.NOT_SAVED
    assert form.conflict is not None


def test_what_another_session_stored_is_taken_over_and_named_but_not_over_a_change_that_waits() -> None:
    store = FakeStore()
    form = session(store, DraftAnswer(answer=level("C1", "no"), revision=2))
    form.change(level("C2", "no"))
    store.fails.append(LOCKED)
    form.change(level("C3", "no"))
    theirs = [
        DraftAnswer(answer=level(f"C{n}", "yes"), revision=revision)
        for n, revision in ((1, 2), (2, 8), (3, 9))
    ]
    now = replace(form.draft, answers=tuple(theirs))
    assert form.catch_up(now) == ("c2",)
    assert form.answer("C2").scale_level_id == "yes"
    assert form.answer("C1").scale_level_id == "no"
    assert form.waiting == ("c3",)
    assert form.catch_up(now) == ()
    assert form.undo() == Change("c3", Kept(Answer(criterion_id="C3")), Kept(level("C3", "no")))
    assert form.undo() is None


def test_a_draft_that_was_closed_elsewhere_is_told_and_not_retried() -> None:
    store = FakeStore(fails=[DraftClosedError("It was submitted.")])
    form = session(store)
    assert not form.change(level("C1", "yes"))
    assert form.is_closed
    assert not form.retry()
    assert store.saved == []


def test_the_cursor_is_stored_once_and_its_failure_disturbs_nobody() -> None:
    store = FakeStore()
    form = session(store)
    form.store_cursor()
    form.move_cursor("k3")
    store.fails.append(LOCKED)
    form.store_cursor()
    form.store_cursor()
    form.store_cursor()
    assert store.cursors == ["k3"]
    assert form.problem == ""


def test_the_running_score_is_scorings_own() -> None:
    form = session(FakeStore())
    form.change(level("C1", "yes"))
    form.change(level("C2", "no"))
    result = form.result()
    assert result is not None
    assert result.normalized_score == 0.5


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("why", "why"),
        ("  \n ", None),
        ("", None),
        (None, None),
        ("a\x00b", "ab"),
        ("x\ud83dy", "x?y"),
        ("é日", "é日"),
    ],
)
def test_text_is_kept_as_any_store_can_hold_it(typed: str | None, kept: str | None) -> None:
    assert clean_text(typed) == kept
