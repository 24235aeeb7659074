"""Settling disagreements: the queue, who may settle when, what is kept, and that no figure is made of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from engine_world import World, answers

from rubrictui.core.adjudication import (
    DEFAULT_REASONS,
    AdjudicationReason,
    QueueState,
    SettlementStart,
)
from rubrictui.core.consensus_panel import panel_consensus
from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.panel_ratings import ratings_of
from rubrictui.core.ranking import rank
from rubrictui.core.records import EvaluatorType, Role, Subject
from rubrictui.core.rounds import Blinding, RoundRules
from rubrictui.engine import Engine, NotFoundError, NotPermittedError, StateError
from rubrictui.engine.errors import SubmitRefusedError
from rubrictui.store.copying import copy_store
from rubrictui.store.database import Database
from rubrictui.store.errors import SettlementFrozenError, SettlementUndeletableError
from rubrictui.store.tables import ADJUDICATION

change = msgspec.structs.replace
SPRING, P0, P1, P2 = "Round/spring", "Paper/p0", "Paper/p1", "Paper/p2"
GATE = "Gate in doubt"


@pytest.fixture
def panel(world: World, paper: VersionSnapshot) -> World:
    """Ann and ben disagree on p0 (1 and 0), agree on p1; only ann has reviewed p2, ben's review of it is open."""
    chief = world.chief
    chief.add_subjects([Subject(entity="Paper", record_id=f"p{n}", title=f"P{n}") for n in range(3)])
    for name in ("ann", "ben"):
        chief.add_user(name)
    chief.add_user("kim", roles=[Role.CHAIR, Role.ADMINISTER_EVALUATIONS])
    chief.open_round("spring", rubric="Paper review", subjects=[P0, P1, P2], reviewers=["ann", "ben"])
    submit(world, "ann", P0, "meets")
    submit(world, "ben", P0, "miss")
    submit(world, "ann", P1, "meets")
    submit(world, "ben", P1, "meets")
    submit(world, "ann", P2, "miss")
    chief.assign(subject=P2, rubric="Paper review", user="ben", context=SPRING)
    return world


def submit(world: World, name: str, subject: str, level: str) -> str:
    engine = world.user(name)
    draft = engine.open_draft(subject=subject, rubric="Paper review", context=SPRING)
    for answer in answers(argument=level, clarity=level):
        engine.save_answer(draft.evaluation.id, change(answer, rationale=f"{name}'s reason."))
    return engine.submit(draft.evaluation.id).evaluation.id


def states(engine: Engine, **options: Any) -> dict[str, QueueState]:
    return {one.record_id: one.state for one in engine.adjudication_queue(SPRING, **options).items}


# -- the queue ---------------------------------------------------------------------------------------


def test_the_queue_holds_what_disagrees_and_with_everything_what_agrees_too(panel: World) -> None:
    kim = panel.user("kim")
    assert states(kim) == {"p0": QueueState.TO_SETTLE}
    assert states(kim, everything=True) == {
        "p0": QueueState.TO_SETTLE,
        "p1": QueueState.AGREES,
        "p2": QueueState.AGREES,
    }
    item = kim.adjudication_queue(SPRING).items[0]
    assert (item.spread, item.count, item.open_reviews) == (1.0, 2, 0)


def test_a_subject_with_a_review_open_waits_and_is_told_apart_when_it_was_settled(panel: World) -> None:
    kim = panel.user("kim")
    submit(panel, "ben", P2, "meets")
    panel.chief.assign(subject=P2, rubric="Paper review", user="paul", context=SPRING)
    assert states(kim) == {"p0": QueueState.TO_SETTLE, "p2": QueueState.WAITING}
    kim.settle(SPRING, P0, reason=GATE)
    assert states(kim) == {"p2": QueueState.WAITING, "p0": QueueState.SETTLED}
    first = next(one for one in panel.chief.evaluations(subject=P0, context=SPRING))
    panel.chief.withdraw(first.id, "Wrong file.")
    assert states(kim)["p0"] is QueueState.CHANGED


def test_the_threshold_of_the_round_decides(panel: World) -> None:
    panel.chief.change_round(SPRING, rules=RoundRules(disagreement_threshold=1.0))
    assert states(panel.user("kim")) == {"p0": QueueState.TO_SETTLE}


# -- who, and when -----------------------------------------------------------------------------------


def beginning_a_review(world: World) -> None:
    world.user("kim").open_draft(subject=P0, rubric="Paper review")


def being_asked_for_one(world: World) -> None:
    world.chief.assign(subject=P0, rubric="Paper review", user="kim", context=SPRING)


@pytest.mark.parametrize("pending", [beginning_a_review, being_asked_for_one])
def test_whoever_has_a_review_of_the_subject_pending_sees_and_settles_nothing(
    panel: World, pending: Callable[[World], None]
) -> None:
    kim = panel.user("kim")
    pending(panel)
    queue = kim.adjudication_queue(SPRING)
    assert (queue.items, queue.hidden) == ((), 1)
    for tried in (
        lambda: kim.settlement_desk(SPRING, P0),
        lambda: kim.save_settlement(SPRING, P0, note="x"),
        lambda: kim.settle(SPRING, P0, reason=GATE),
    ):
        with pytest.raises(StateError, match='You have a review of "P0" open yourself'):
            tried()


def test_a_submitted_review_of_ones_own_is_no_hindrance(panel: World) -> None:
    panel.chief.add_reviewers(SPRING, ["kim"])
    submit(panel, "kim", P0, "partial")
    assert panel.user("kim").settle(SPRING, P0, reason=GATE).adjudicator_name == "kim"


def test_while_a_round_keeps_peers_back_its_reviewers_cannot_settle(panel: World) -> None:
    panel.chief.add_reviewers(SPRING, ["kim"])
    panel.chief.change_round(SPRING, rules=RoundRules(blinding=Blinding.UNTIL_CLOSED))
    with pytest.raises(StateError, match="hidden from you for now"):
        panel.user("kim").settle(SPRING, P0, reason=GATE)
    panel.chief.close_round(SPRING)
    assert panel.user("kim").settle(SPRING, P0, reason=GATE).score is not None


def test_open_reviews_of_others_are_told_and_stop_a_settlement(panel: World) -> None:
    kim = panel.user("kim")
    assert kim.settlement_desk(SPRING, P2).open_reviews == ("ben",)
    with pytest.raises(StateError, match='1 review of "P2" is still open: ben'):
        kim.settle(SPRING, P2, reason=GATE)
    with pytest.raises(StateError, match="still open"):
        kim.save_settlement(SPRING, P2, note="Too early.")


def test_a_correction_that_a_reviewer_has_begun_is_an_open_review(panel: World) -> None:
    ben = panel.user("ben")
    (own,) = ben.evaluations(subject=P0, context=SPRING)
    ben.start_superseding(own.id)
    with pytest.raises(StateError, match="still open: ben"):
        panel.user("kim").settle(SPRING, P0, reason=GATE)


@pytest.mark.parametrize("roles", [(Role.REVIEWER,), (Role.CHAIR,), (Role.DEVELOPER,), (Role.INTEGRATION,)])
def test_settling_takes_who_runs_rounds_and_reads_all(panel: World, roles: tuple[Role, ...]) -> None:
    other = panel.user("other", *roles)
    for tried in (
        lambda: other.adjudication_queue(SPRING),
        lambda: other.settlement_desk(SPRING, P0),
        lambda: other.settle(SPRING, P0, reason=GATE),
    ):
        with pytest.raises(NotPermittedError, match="may not settle"):
            tried()
    assert other.adjudications(SPRING) == ()


def test_a_conflict_of_interest_bars_from_settling(panel: World) -> None:
    kim = panel.user("kim")
    kim.declare_conflict(P0, "Her own student.")
    assert kim.settlement_desk(SPRING, P0).conflict == "Her own student."
    with pytest.raises(StateError, match="conflict of interest"):
        kim.settle(SPRING, P0, reason=GATE)


def test_what_was_scored_for_the_round_without_being_listed_in_it_is_settled_too(panel: World) -> None:
    panel.chief.add_subjects([Subject(entity="Paper", record_id="p9", title="P9")])
    submit(panel, "ann", "Paper/p9", "meets")
    submit(panel, "ben", "Paper/p9", "miss")
    assert states(panel.user("kim"))["p9"] is QueueState.TO_SETTLE
    assert panel.user("kim").settle(SPRING, "Paper/p9", reason=GATE).subject_title == "P9"


def test_nothing_can_be_settled_that_nobody_has_reviewed_or_that_is_not_of_the_round(panel: World) -> None:
    panel.chief.add_subjects([Subject(entity="Paper", record_id="p9", title="P9")])
    kim = panel.user("kim")
    with pytest.raises(NotFoundError, match="no subject of"):
        kim.settle(SPRING, "Paper/p9", reason=GATE)
    panel.chief.add_round_subjects(SPRING, ["Paper/p9"])
    with pytest.raises(StateError, match="Nobody has reviewed"):
        kim.settle(SPRING, "Paper/p9", reason=GATE)


def test_in_anothers_name_it_takes_the_right_to_and_opens_nothing(panel: World) -> None:
    with pytest.raises(NotPermittedError):
        panel.user("ann").adjudications(SPRING, as_user="kim")
    panel.chief.assign(subject=P0, rubric="Paper review", user="chief", context=SPRING)
    with pytest.raises(StateError, match="hidden from you"):
        panel.chief.settle(SPRING, P0, reason=GATE, as_user="kim")
    assert panel.chief.settle(SPRING, P1, reason=GATE, as_user="kim").adjudicator_name == "kim"


# -- settling ----------------------------------------------------------------------------------------


def test_it_begins_from_the_panels_middle_and_stands_with_score_reason_and_note(panel: World) -> None:
    submit(panel, "paul", P0, "meets")
    done = panel.user("kim").settle(SPRING, P0, reason="gate in DOUBT", note=" Read twice. ")
    assert (done.score, done.display_score, done.outcome.value) == (1.0, "100", "Scored")
    assert (done.reason, done.note, done.adjudicator_name) == (GATE, "Read twice.", "kim")
    assert len(done.basis) == 3
    assert panel.chief.adjudications(SPRING) == (done,)
    assert panel.chief.adjudications(SPRING, subject=P0) == (done,)
    assert panel.chief.adjudications(SPRING, subject=P1) == ()


def test_a_column_taken_whole_is_named_as_long_as_nothing_else_is_chosen(panel: World) -> None:
    kim = panel.user("kim")
    column = next(one for one in kim.settlement_desk(SPRING, P0).table.evaluations if one.user_name == "ben")
    taken = kim.settle(SPRING, P0, reason="1", take="ben")
    assert (taken.evaluation_id, taken.score) == (column.id, 0.0)
    changed = kim.settle(
        SPRING, P0, reason="1", take=column.id, answers=answers(clarity="meets"), supersedes=taken.id
    )
    assert changed.evaluation_id is None
    assert changed.score == 0.5


def test_nobodys_answer_needs_the_rationale_that_the_rubric_asks_for(panel: World) -> None:
    kim = panel.user("kim")
    (own,) = answers(argument="partial")
    with pytest.raises(SubmitRefusedError, match="needs a rationale"):
        kim.settle(SPRING, P0, reason=GATE, answers=[own])
    assert kim.settle(SPRING, P0, reason=GATE, answers=[change(own, rationale="In between.")]).score == 0.25


def test_what_stands_is_corrected_knowingly_and_never_lost(panel: World) -> None:
    kim, chief = panel.user("kim"), panel.chief
    first = kim.settle(SPRING, P0, reason=GATE, take="ann")
    with pytest.raises(StateError, match="was settled by kim"):
        chief.settle(SPRING, P0, reason=GATE, take="ben")
    second = chief.settle(SPRING, P0, reason="Slip", take="ben", supersedes=first.id)
    assert second.supersedes_id == first.id
    assert chief.adjudications(SPRING) == (second,)
    every = chief.adjudications(SPRING, with_superseded=True)
    assert [one.id for one in every] == [first.id, second.id]
    assert every[0].superseded_at is not None
    with pytest.raises(StateError, match="was settled by chief"):
        kim.settle(SPRING, P0, reason=GATE, supersedes=first.id)


def test_the_log_tells_that_it_was_settled_but_not_to_whom_is_blind_on_it(panel: World) -> None:
    kim = panel.user("kim")
    done = kim.settle(SPRING, P0, reason=GATE)
    event = kim.round_log(SPRING)[-1]
    assert (event.what, event.by) == (f"settled {P0}", "kim")
    assert event.details == {"subject": P0, "settlement": done.id}
    kim.open_draft(subject=P0, rubric="Paper review")
    assert [one.what for one in kim.round_log(SPRING)] == ["opened"]
    assert kim.adjudications(SPRING) == ()


def test_a_reviewer_sees_what_was_settled_of_what_she_has_submitted_on(panel: World) -> None:
    kim = panel.user("kim")
    done = kim.settle(SPRING, P0, reason=GATE)
    (seen,) = panel.user("ann").adjudications(SPRING)
    assert seen == change(done, basis=())
    assert panel.user("paul").adjudications(SPRING) == ()


def test_the_database_keeps_a_settlement_as_it_was_made(panel: World) -> None:
    done = panel.user("kim").settle(SPRING, P0, reason=GATE)
    mine = ADJUDICATION.c.id == done.id
    tampered: tuple[dict[str, Any], ...] = (
        {"note": "Other."},
        {"normalized_score": 0.1},
        {"answers": []},
        {"status": "Draft"},
    )
    for values in tampered:
        with pytest.raises(SettlementFrozenError, match="51111"), panel.chief._write() as connection:
            connection.execute(ADJUDICATION.update().where(mine).values(**values))
    with pytest.raises(SettlementUndeletableError, match="51112"), panel.chief._write() as connection:
        connection.execute(ADJUDICATION.delete().where(mine))


# -- drafts ------------------------------------------------------------------------------------------


def test_every_part_is_kept_as_it_is_given_and_two_sessions_merge(panel: World) -> None:
    kim = panel.user("kim")
    kim.save_settlement(SPRING, P0, take="ann", cursor="n-clarity")
    kim.save_settlement(SPRING, P0, answers=answers(clarity="partial"))
    panel.engine("kim").save_settlement(SPRING, P0, reason=GATE, note="So far.", answers=answers(weeks=3))
    desk = panel.user("kim").settlement_desk(SPRING, P0)
    assert (desk.start, desk.reason, desk.note) == (SettlementStart.DRAFT, GATE, "So far.")
    assert desk.cursor == "n-clarity"
    chosen = {one.criterion_id: one.scale_level_id or one.raw_value for one in desk.answers}
    assert chosen == {"n-argument": "meets", "n-clarity": "partial", "n-weeks": 3}
    assert panel.user("kim").adjudication_queue(SPRING).items[0].has_draft
    assert kim.settle(SPRING, P0).score == 0.75
    assert not kim.adjudication_queue(SPRING).items[0].has_draft


def test_a_draft_is_its_makers_alone_and_can_be_thrown_away(panel: World) -> None:
    kim = panel.user("kim")
    kim.save_settlement(SPRING, P0, note="Mine.")
    assert panel.chief.settlement_desk(SPRING, P0).note == ""
    kim.discard_settlement(SPRING, P0)
    assert kim.settlement_desk(SPRING, P0).start is SettlementStart.PANEL
    with pytest.raises(NotFoundError, match="not begun"):
        kim.discard_settlement(SPRING, P0)


def test_what_cannot_be_kept_is_refused_and_what_was_kept_stays(panel: World) -> None:
    kim = panel.user("kim")
    kim.save_settlement(SPRING, P0, note="Kept.")
    refused: tuple[dict[str, Any], ...] = (
        {"answers": answers(clarity="unheard-of")},
        {"answers": answers(clarity=None)},
        {"answers": answers(nothing="meets")},
        {"reason": "Whim"},
        {"take": "nobody"},
        {"note": "x" * 20_001},
    )
    for values in refused:
        with pytest.raises(RubrictuiError):
            kim.save_settlement(SPRING, P0, **values)
    with pytest.raises(InvalidInputError, match="needs a reason"):
        kim.settle(SPRING, P0)
    assert kim.settlement_desk(SPRING, P0).note == "Kept."


# -- no figure is made of it -------------------------------------------------------------------------


def figures(engine: Engine) -> dict[str, Any]:
    """Everything that is made of evaluations."""
    table = engine.round_table(SPRING)
    return {
        "table": table,
        "matrix": engine.matrix_table(subject=P0, context=SPRING, with_texts=True),
        "ranking": rank(table),
        "ratings": ratings_of(table),
        "consensus": panel_consensus(ratings_of(table)),
        "cohort": engine.cohort(subject=P0, rubric="Paper review", context=SPRING),
        "of subject": engine.consensus_for_subject(subject=P0, rubric="Paper review", context=SPRING),
        "overview": change(engine.round_overview(SPRING), at=None),
        "evaluations": engine.evaluations(context=SPRING),
        "inbox": engine.inbox(),
        "what if": engine.what_if("Paper review", engine.version("Paper review")),
        "rubric": engine.rubric("Paper review"),
        "past": engine.past_answers("clarity", "Paper review"),
        "counts": change(engine.info(), size=None),
    }


def test_no_mean_spread_agreement_rank_or_list_of_evaluations_changes_by_a_settlement(panel: World) -> None:
    everyone = [panel.user(name) for name in ("kim", "chief", "ann")]
    before = [figures(one) for one in everyone]
    kim = panel.user("kim")
    kim.save_settlement(SPRING, P0, answers=answers(clarity="partial"))
    done = kim.settle(SPRING, P0, reason=GATE, take="ben")
    kim.settle(SPRING, P0, reason=GATE, take="ann", supersedes=done.id)
    assert [figures(one) for one in everyone] == before
    assert EvaluatorType.HUMAN in {one.evaluator_type for one in before[0]["table"].evaluations}


# -- the list of reasons -----------------------------------------------------------------------------


def test_the_list_of_reasons_is_a_chairs_to_edit_and_settlements_keep_their_words(panel: World) -> None:
    kim = panel.user("kim")
    assert panel.user("ann").adjudication_reasons() == DEFAULT_REASONS
    kim.settle(SPRING, P0, reason=GATE)
    own = (
        AdjudicationReason(label="Rules unclear"),
        AdjudicationReason(label="Other", description="Say why."),
    )
    assert kim.set_adjudication_reasons(own) == own == kim.adjudication_reasons()
    assert kim.adjudications(SPRING)[0].reason == GATE
    with pytest.raises(InvalidInputError, match="no reason"):
        kim.settle(SPRING, P1, reason=GATE)
    with pytest.raises(NotPermittedError):
        panel.user("ann").set_adjudication_reasons(own)


def test_settlements_and_reasons_go_along_when_a_store_is_copied(panel: World, tmp_path: Path) -> None:
    kim = panel.user("kim")
    kim.set_adjudication_reasons((AdjudicationReason(label="Slip"),))
    first = kim.settle(SPRING, P0, reason="Slip", take="ann")
    second = kim.settle(SPRING, P0, reason="Slip", take="ben", supersedes=first.id)
    kim.save_settlement(SPRING, P1, note="Begun.")
    with Database.open(tmp_path / "copy.db") as target:
        proofs = {one.table: one.rows for one in copy_store(panel.chief._database, target)}
    assert (proofs["adjudication"], proofs["adjudication_reason"]) == (3, 1)
    with Engine(tmp_path / "copy.db", user="kim") as copied:
        assert copied.adjudications(SPRING, with_superseded=True)[-1] == second
        assert copied.settlement_desk(SPRING, P1).note == "Begun."
