"""Packets: a reviewer's work goes out as a file and comes back scored, whoever touched what in between."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from engine_world import NODES, TEXT, World, answers
from packet_trip import BEES, ROUND, Trip, assign, change, fixed_ids, outcomes, said, score, set_up

from rubrictui.core.model import Answer, VersionSnapshot
from rubrictui.core.records import (
    AssignmentStatus,
    EvaluationStatus,
    EvaluatorType,
    Role,
    Subject,
    SubjectFile,
)
from rubrictui.core.rounds import Blinding, RoundRules
from rubrictui.core.scoring import compute
from rubrictui.engine import Engine, NotFoundError, NotPermittedError, StateError
from rubrictui.engine.packet_records import Took
from rubrictui.engine.packets_work import open_work, work_engine
from rubrictui.interchange.packets import Packet, packet_bytes
from rubrictui.interchange.packets_errors import PacketError

Paper = VersionSnapshot
JUNE = datetime(2027, 6, 1, tzinfo=UTC)


@pytest.fixture
def spring(world: World, paper: Paper) -> World:
    """rita is to score Tides in the round Spring."""
    set_up(world)
    return world


class Away(NamedTuple):
    """A store whose packet is out, and what will come back of it: the same for many conflicts."""

    store: Path
    back: Packet
    begun: str | None
    there: str


@pytest.fixture(scope="session")
def away(paper_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool, bool], Away]:
    @cache
    def made(begun: bool, submitted: bool) -> Away:
        folder = tmp_path_factory.mktemp("away")
        path = Path(shutil.copy(paper_store, folder / "store.db"))
        world = World(path)
        set_up(world)
        id = score(world.user("rita"), submit=False, argument="partial") if begun else None
        assert id is None or isinstance(id, str)
        trip = Trip(world, folder)
        there = trip.score(submit=submitted, argument="meets", clarity="partial")
        back = trip.back()
        world.close()
        return Away(path, back, id, there)

    return made


def rows(world: World) -> list[tuple[Any, ...]]:
    """Everything that is stored of evaluations, answers, assignments and conflicts."""
    with world.chief._database.read() as connection:
        return [
            tuple(row)
            for table in ("evaluation", "evaluation_score", "assignment", "packet_conflict")
            for row in connection.exec_driver_sql(f"SELECT * FROM {table} ORDER BY id")
        ]


# -- there and back ----------------------------------------------------------------------------------


def test_what_was_scored_in_a_packet_is_submitted_with_scores_computed_here(
    spring: World, paper: Paper, tmp_path: Path
) -> None:
    trip = Trip(spring, tmp_path)
    id = trip.score(argument="meets", clarity="partial")
    report = trip.take_in()
    assert outcomes(report) == {"Tides": "submitted"}
    stored = spring.chief.evaluation(id)
    found = stored.evaluation
    expected = compute(paper, answers(argument="meets", clarity="partial"))
    assert (found.status, found.normalized_score) == (EvaluationStatus.SUBMITTED, expected.normalized_score)
    assert (found.evaluator_user_name, found.context_name) == ("rita", "Spring")
    assert found.subject_hash == stored.subject.content_hash
    assert found.metadata is not None
    assert found.metadata["packet"]["id"] == trip.packet.manifest.packet_id
    assert {score.key: score.rationale for score in stored.scores if score.rationale} == {
        "argument": "I read it.",
        "clarity": "I read it.",
    }
    (assignment,) = spring.chief.assignments(context=ROUND)
    assert assignment.status is AssignmentStatus.DONE


def test_a_score_that_the_file_claims_is_compared_and_never_taken(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    id = trip.score(argument="miss", clarity="miss")
    back = trip.back()
    claimed = change(back, evaluations=(change(back.evaluations[0], normalized_score=1.0),))
    (item,) = trip.take_in(claimed).items
    assert "another score than its answers give" in item.warnings[0]
    assert spring.chief.evaluation(id).evaluation.normalized_score == 0.0


def test_a_return_taken_in_twice_changes_nothing_the_second_time(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    trip.score(argument="meets")
    back = trip.back()
    trip.take_in(back)
    before = rows(spring)
    report = trip.take_in(back)
    assert (outcomes(report), report.changed) == ({"Tides": "unchanged"}, False)
    assert rows(spring) == before


def test_a_dry_run_tells_and_changes_nothing(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    trip.score(argument="meets")
    before = rows(spring)
    report = trip.take_in(dry_run=True)
    assert (report.dry_run, outcomes(report)) == (True, {"Tides": "submitted"})
    assert rows(spring) == before


def test_a_draft_goes_out_as_it_is_and_is_submitted_under_its_own_id(spring: World, tmp_path: Path) -> None:
    id = score(spring.user("rita"), submit=False, argument="partial")
    assert isinstance(id, str)
    spring.user("rita").save_answer(id, said(clarity="meets")[0], flagged=True, cursor="clarity")
    trip = Trip(spring, tmp_path)
    with trip.work() as engine:
        draft = engine.draft(id)
        assert [(one.answer.scale_level_id, one.is_flagged) for one in draft.answers] == [
            ("partial", False),
            ("meets", True),
        ]
        assert draft.cursor == "clarity"
    assert trip.score(argument="meets") == id
    assert outcomes(trip.take_in()) == {"Tides": "submitted"}
    kept = {one.key: one.scale_level_id for one in spring.chief.evaluation(id).scores}
    assert (kept["argument"], kept["clarity"]) == ("meets", "meets")


def test_a_draft_comes_back_as_a_draft_and_again_when_it_went_on(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    id = trip.score(submit=False, argument="partial")
    assert outcomes(trip.take_in()) == {"Tides": "draft"}
    assert [one.answer.scale_level_id for one in spring.user("rita").draft(id).answers] == ["partial"]
    with trip.work() as engine:
        engine.save_answer(id, Answer(criterion_id="n-argument"))  # taken back
        engine.save_answer(id, said(clarity="meets")[0])
    assert outcomes(trip.take_in()) == {"Tides": "draft"}
    assert [one.answer.criterion_id for one in spring.user("rita").draft(id).answers] == ["n-clarity"]
    assert outcomes(trip.take_in()) == {"Tides": "unchanged"}
    trip.score(clarity="partial")
    assert outcomes(trip.take_in()) == {"Tides": "submitted"}


def test_different_criteria_of_one_draft_merge_and_an_old_return_takes_nothing_back(
    spring: World, tmp_path: Path
) -> None:
    rita = spring.user("rita")
    id = score(rita, submit=False, argument="partial")
    assert isinstance(id, str)
    trip = Trip(spring, tmp_path)
    trip.score(submit=False, clarity="meets")
    rita.save_answer(id, answers(weeks=3)[0])
    back = trip.back()
    assert outcomes(trip.take_in(back)) == {"Tides": "merged"}
    assert {one.answer.criterion_id for one in rita.draft(id).answers} == {
        "n-argument",
        "n-clarity",
        "n-weeks",
    }
    rita.save_answer(id, said(clarity="miss")[0])
    assert outcomes(trip.take_in(back)) == {"Tides": "unchanged"}
    assert said(clarity="miss")[0] in [one.answer for one in rita.draft(id).answers]


def test_what_she_declined_is_declined(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    with trip.work() as engine:
        engine.decline(trip.packet.assignments[0].id, "I know the author.")
    assert outcomes(trip.take_in()) == {"Tides": "declined"}
    (assignment,) = spring.chief.assignments(context=ROUND)
    assert (assignment.status, assignment.reason) == (AssignmentStatus.DECLINED, "I know the author.")
    assert outcomes(trip.take_in()) == {"Tides": "unchanged"}


def test_a_draft_that_she_gave_up_is_given_up(spring: World, tmp_path: Path) -> None:
    id = score(spring.user("rita"), submit=False, argument="partial")
    assert isinstance(id, str)
    trip = Trip(spring, tmp_path)
    with trip.work() as engine:
        engine.decline_draft(id, "No time.")
    trip.take_in()
    found = spring.chief.evaluation(id).evaluation
    assert (found.status, found.end_reason) == (EvaluationStatus.WITHDRAWN, "No time.")
    assert {item.took for item in trip.take_in().items} == {Took.UNCHANGED}


def test_what_she_withdrew_or_replaced_later_follows(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    first = trip.score(argument="miss")
    trip.take_in()
    with trip.work() as engine:
        for level in ("partial", "meets"):  # the one between never leaves her machine
            last = engine.evaluations(status=EvaluationStatus.SUBMITTED)[0].id
            draft = engine.start_superseding(last).evaluation.id
            engine.save_answer(draft, said(argument=level)[0])
            engine.submit(draft)
    trip.take_in()
    assert spring.chief.evaluation(first).evaluation.status is EvaluationStatus.SUPERSEDED
    (now,) = spring.chief.evaluations(status=EvaluationStatus.SUBMITTED)
    assert (now.supersedes_id, now.normalized_score) == (first, 1.0)
    with trip.work() as engine:
        engine.withdraw(now.id, "A mistake.")
    assert outcomes(trip.take_in())["Tides"] == "withdrawn"
    assert spring.chief.evaluation(now.id).evaluation.status is EvaluationStatus.WITHDRAWN


# -- what goes out -----------------------------------------------------------------------------------


def test_nothing_of_peers_is_in_a_packet_whatever_they_have_done(spring: World, tmp_path: Path) -> None:
    spring.user("rita")
    assign(spring, "tides", "paul")
    score(spring.user("rita"), submit=False, argument="partial")
    before, after = spring.chief.backup(tmp_path / "before.db"), spring.chief.backup(tmp_path / "after.db")

    def packet_from(path: Path) -> bytes:
        with Engine(path, user="chief", clock=spring.clock, new_id=fixed_ids()) as engine:
            engine._clock = lambda: JUNE
            return packet_bytes(engine.export_packet("spring", "rita"), sign=False)

    with Engine(after, user="paul", clock=spring.clock) as paul:
        score(paul, argument="miss", clarity="miss")
    assert packet_from(before) == packet_from(after)


def test_a_chair_who_is_blind_learns_nothing_from_exporting_a_peers_packet(
    spring: World, tmp_path: Path
) -> None:
    assign(spring, "tides", "chief")
    before, after = spring.chief.backup(tmp_path / "before.db"), spring.chief.backup(tmp_path / "after.db")
    drafted = spring.chief.backup(tmp_path / "drafted.db")

    def packet_from(path: Path) -> bytes:
        with Engine(path, user="chief", clock=spring.clock, new_id=fixed_ids()) as engine:
            engine._clock = lambda: JUNE
            return packet_bytes(engine.export_packet("spring", "rita"), sign=False)

    with Engine(after, user="rita", clock=spring.clock) as rita:
        score(rita, argument="miss")
    with Engine(drafted, user="rita", clock=spring.clock) as rita:
        score(rita, submit=False, argument="miss")
    assert packet_from(before) == packet_from(after) == packet_from(drafted)


def test_hidden_fields_and_places_on_this_machine_stay_here(
    world: World, paper: Paper, tmp_path: Path
) -> None:
    world.chief.add_subjects(
        [
            Subject(
                entity="Paper",
                record_id="tides",
                title="Tides",
                text=TEXT,
                data={"pages": 12, "author": {"name": "Ann", "town": "Bern"}},
                files=(SubjectFile(name="a.txt", text="x", path="/home/chair/a.txt"),),
            )
        ]
    )
    set_up(world, rules=RoundRules(hidden_fields=("author.name",)))
    trip = Trip(world, tmp_path)
    (subject,) = trip.packet.subjects
    assert subject.data == {"pages": 12, "author": {"town": "Bern"}}
    assert subject.files[0].path is None
    assert b"author.name" not in packet_bytes(trip.packet, sign=False)
    id = trip.score(argument="meets")
    assert outcomes(trip.take_in()) == {"Tides": "submitted"}
    stored = world.chief.evaluation(id)
    assert stored.evaluation.subject_hash == stored.subject.content_hash
    assert stored.warnings == ()


def test_who_may_export_and_what_of_the_drafts_goes_along(spring: World) -> None:
    rita = spring.user("rita")
    score(rita, submit=False, argument="partial")
    chair = spring.user("cho", Role.CHAIR)
    assert len(rita.export_packet("spring", "rita").evaluations) == 1
    assert len(spring.chief.export_packet(ROUND, "rita").evaluations) == 1
    assert len(chair.export_packet("spring", "rita").evaluations) == 0
    with pytest.raises(NotPermittedError, match="export packets for other reviewers"):
        spring.user("paul").export_packet("spring", "rita")


def test_there_must_be_work_to_send(spring: World) -> None:
    with pytest.raises(StateError, match='paul has no open work in "Spring"'):
        spring.chief.export_packet("spring", "paul")
    with pytest.raises(NotFoundError, match='no context "autumn"'):
        spring.chief.export_packet("autumn", "rita")
    spring.chief.close_round(ROUND)
    with pytest.raises(StateError, match='"Spring" is closed'):
        spring.chief.export_packet("spring", "rita")


# -- where it is worked on ---------------------------------------------------------------------------


def test_the_working_store_is_the_reviewers_and_hers_alone(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    with trip.work() as engine:
        assert (engine.user.name, engine.user.roles) == ("rita", (Role.REVIEWER,))
        assert [row.subject_title for row in engine.inbox()] == ["Tides"]
        assert engine.version("Paper review").nodes == spring.chief.version("Paper review").nodes
        assert engine.users() == (engine.user,)
        with pytest.raises(NotPermittedError):
            engine.start_draft("Paper review")
        assert engine.check() == ()


def test_opening_again_goes_on_and_another_packet_is_not_mixed_in(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    trip.score(submit=False, argument="partial")
    assert not open_work(packet_bytes(trip.packet, sign=False), trip.path, where="x")
    with trip.work() as engine:
        assert [row.state for row in engine.inbox()] == ["Draft"]
    other = packet_bytes(spring.chief.export_packet("spring", "rita"), sign=False)
    with pytest.raises(StateError, match="holds the work on another packet"):
        open_work(other, trip.path, where="x")


def test_only_a_packets_store_is_opened_as_one(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    with pytest.raises(StateError, match="but none of a packet"):
        work_engine(spring.path)
    with pytest.raises(StateError, match="but none of a packet"):
        open_work(packet_bytes(trip.packet, sign=False), spring.path, where="x")
    with pytest.raises(NotFoundError, match="was not made for a packet"):
        spring.chief.return_packet()
    with pytest.raises(StateError, match="holds work already"):
        spring.chief.take_work(trip.packet)
    back = packet_bytes(trip.back(), sign=False)
    with pytest.raises(PacketError, match="This is a return"):
        open_work(back, tmp_path / "other.work.db", where="x")
    assert sorted(path.suffix for path in tmp_path.glob("other*")) == []


def test_a_packet_that_cannot_be_scored_with_leaves_no_store(spring: World, tmp_path: Path) -> None:
    packet = spring.chief.export_packet("spring", "rita")
    (rubric,) = packet.rubrics
    from rubrictui.core import canonical

    broken = change(rubric.version, nodes=(change(NODES[1], weight=1),))
    forged = change(
        rubric,
        version=broken,
        content_hash=canonical.content_hash(broken),
        scoring_hash=canonical.scoring_hash(broken),
    )
    with pytest.raises(PacketError, match="cannot be scored with"):
        open_work(packet_bytes(change(packet, rubrics=(forged,)), sign=False), tmp_path / "x.db", where="x")
    assert list(tmp_path.glob("*x.db*")) == []


def test_work_that_was_not_sent_stays_behind(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    with trip.work() as engine:
        engine.add_subjects([BEES])
        engine.open_draft(subject="Paper/bees", rubric="Paper review", context=ROUND)
        engine.open_draft(subject="Paper/tides", rubric="Paper review")
        returned = engine.return_packet()
    assert (returned.left_out, returned.packet.evaluations) == (2, ())


# -- what a file may not do --------------------------------------------------------------------------


def test_the_evaluator_is_the_one_it_was_sent_to_whatever_the_file_says(
    spring: World, tmp_path: Path
) -> None:
    trip = Trip(spring, tmp_path)
    id = trip.score(argument="meets")
    back = trip.back()
    named = change(back, manifest=change(back.manifest, reviewer=change(back.manifest.reviewer, name="paul")))
    report = trip.take_in(named)
    assert report.warnings == ("The file names another reviewer; it was made for rita.",)
    assert spring.chief.evaluation(id).evaluation.evaluator_user_name == "rita"


def manifested(**facts: Any) -> Callable[[Packet], Packet]:
    return lambda back: change(back, manifest=change(back.manifest, **facts))


def evaluated(**facts: Any) -> Callable[[Packet], Packet]:
    return lambda back: change(back, evaluations=(change(back.evaluations[0], **facts),))


FORGED = [
    ("the packet itself", manifested(kind="work"), "This is the packet itself"),
    ("another store's", manifested(store_id="elsewhere"), "This packet is of another store"),
    ("never exported", manifested(packet_id="unknown"), "no record of packet unknown"),
    ("a subject not sent", evaluated(subject_id="s-bees"), "of a subject or version that was not sent"),
    ("a version not sent", evaluated(version_id="v"), "of a subject or version that was not sent"),
    ("another rubric text", evaluated(version_hash="0" * 64), "with another text of the rubric"),
    ("another subject text", evaluated(subject_hash="0" * 64), "for another content of the subject"),
    ("a peer's evaluation", evaluated(id="PEER"), "is another evaluator's"),
    (
        "an unknown criterion",
        lambda back: evaluated(
            answers=(change(back.evaluations[0].answers[0], answer=Answer(criterion_id="n-x")),)
        )(back),
        "n-x",
    ),
    (
        "two evaluations of one work",
        lambda back: change(back, evaluations=(*back.evaluations, change(back.evaluations[0], id="2"))),
        'has two evaluations of "Tides"',
    ),
    (
        "a declined assignment not sent",
        lambda back: change(back, declined=(_declined("other"),)),
        "assignment other was not sent",
    ),
]


def _declined(id: str) -> Any:
    from rubrictui.interchange.packets import Declined

    return Declined(assignment_id=id, subject_id="s-tides", reason="No.")


@pytest.mark.parametrize(("forge", "told"), [row[1:] for row in FORGED], ids=[row[0] for row in FORGED])
def test_a_return_that_is_not_about_what_was_sent_is_refused_whole(
    world: World, away: Callable[[bool, bool], Away], forge: Callable[[Packet], Packet], told: str
) -> None:
    sent = away(False, True)
    world.begin_with(sent.store)
    assign(world, "tides", "paul")
    peer = score(world.user("paul"), argument="miss")
    assert not isinstance(peer, str)
    forged = forge(sent.back)
    if forged.evaluations[0].id == "PEER":
        forged = evaluated(id=peer.evaluation.id)(forged)
    before = rows(world)
    with pytest.raises(PacketError) as refused:
        world.chief.import_packet(forged)
    assert told in str(refused.value)
    assert rows(world) == before


def test_a_signature_cannot_be_left_off(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path, signed=True)
    trip.score(argument="meets")
    with pytest.raises(PacketError, match="was signed, and this return is not"):
        trip.take_in()


def test_who_may_take_packets_in(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    trip.score(argument="meets")
    back = trip.back()
    with pytest.raises(NotPermittedError, match="take in the packets of other reviewers"):
        spring.user("paul").import_packet(back)
    assert outcomes(spring.user("rita").import_packet(back, dry_run=True)) == {"Tides": "submitted"}
    assert outcomes(spring.user("cho", Role.CHAIR).import_packet(back)) == {"Tides": "submitted"}


def test_an_import_that_breaks_in_the_middle_stores_nothing(
    world: World, paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(world, subjects=("tides", "bees"))
    trip = Trip(world, tmp_path)
    trip.score("tides", argument="meets")
    trip.score("bees", argument="meets")
    before = rows(world)

    def failing(*_: Any, **__: Any) -> None:
        raise RuntimeError("the power went")

    monkeypatch.setattr("rubrictui.store.packets.set_taken", failing)
    with pytest.raises(RuntimeError, match="the power went"):
        trip.take_in()
    assert rows(world) == before


# -- conflicts ---------------------------------------------------------------------------------------


class Case:
    """What happens to rita's work in the store while her packet is away. ``id`` is of her draft, if one went along."""

    def __init__(self, world: World, id: str | None) -> None:
        self.world, self.id = world, id
        self.rita = world.user("rita")


def edit_same(case: Case) -> None:
    assert case.id is not None
    case.rita.save_answer(case.id, said(argument="miss")[0])


def begin_another(case: Case) -> None:
    score(case.rita, submit=False, argument="miss")


def submit_here(case: Case) -> None:
    score(case.rita, argument="miss")


def retire(case: Case) -> None:
    case.world.republish_from(change(case.world.chief.start_draft("Paper review"), pass_threshold=0.5))
    case.world.chief.retire("Paper review@1.0.0")


def change_subject(case: Case) -> None:
    found = case.world.chief.subject("Paper/tides")
    case.world.chief.add_subjects([change(found, text=f"{found.text} And more.")])


def close(case: Case) -> None:
    case.world.chief.close_round(ROUND)


def release(case: Case) -> None:
    case.world.chief.release(case.world.chief.assignments(context=ROUND)[0].id, "Too many.")


def give_up(case: Case) -> None:
    assert case.id is not None
    case.rita.decline_draft(case.id, "No time.")


# What went along, what happened here, how it came back, and why it is a conflict.
CONFLICTS: list[tuple[str, bool, Callable[[Case], None], bool, set[str]]] = [
    ("the same draft edited, submitted there", True, edit_same, True, {"draft_edited"}),
    ("the same draft edited in both places", True, edit_same, False, {"draft_edited"}),
    ("another draft begun here", False, begin_another, True, {"other_draft"}),
    ("another draft begun here, a draft there", False, begin_another, False, {"other_draft"}),
    ("submitted here, submitted there", False, submit_here, True, {"already_submitted"}),
    ("submitted here, a draft there", False, submit_here, False, {"already_submitted"}),
    ("the same draft submitted here", True, submit_here, True, {"already_submitted"}),
    ("the same draft submitted here, a draft there", True, submit_here, False, {"already_submitted"}),
    ("the version retired", False, retire, True, {"version_retired"}),
    ("the version retired under a draft", True, retire, True, {"version_retired"}),
    ("the subject changed", False, change_subject, True, {"subject_changed"}),
    ("the subject changed under a draft", True, change_subject, False, {"subject_changed"}),
    ("released here", False, release, True, {"assignment_ended"}),
    ("given up here", True, give_up, True, {"ended"}),
    ("given up here, a draft there", True, give_up, False, {"ended"}),
]


@pytest.mark.parametrize("case", CONFLICTS, ids=[row[0] for row in CONFLICTS])
def test_what_both_sides_changed_waits_for_the_chair_and_nothing_is_overwritten(
    world: World,
    away: Callable[[bool, bool], Away],
    case: tuple[str, bool, Callable[[Case], None], bool, set[str]],
    tmp_path: Path,
) -> None:
    _, begun, meanwhile, submitted, kinds = case
    sent = away(begun, submitted)
    world.begin_with(sent.store)
    meanwhile(Case(world, sent.begun))
    before = rows(world)
    (item,) = world.chief.import_packet(sent.back).items
    assert (item.took, {reason.kind for reason in item.reasons}) == (Took.CONFLICT, kinds)
    assert [row for row in rows(world) if row in before] == before
    (conflict,) = world.chief.packet_conflicts()
    assert (conflict.reviewer, conflict.subject_title) == ("rita", "Tides")
    assert conflict.returned == ("Submitted" if submitted else "Draft")
    assert world.chief.import_packet(sent.back).conflicts == 1
    assert len(world.chief.packet_conflicts()) == 1

    stood = world.chief.evaluations()
    waiting = world.chief.backup(tmp_path / "waiting.db")
    for take in ("packet", "store"):
        world.begin_with(waiting)
        settled = world.chief.settle_packet_conflict(conflict.id, take)
        assert (settled.taken, settled.settled_by) == (take, "chief")
        assert world.chief.packet_conflicts() == ()
        wanted = EvaluationStatus.SUBMITTED if submitted else EvaluationStatus.DRAFT
        found = world.chief.evaluations()
        now = [one for one in found if one.status is wanted and _level(world, one.id) == "meets"]
        if take == "packet":
            assert [one.evaluator_user_name for one in now] == ["rita"]
            assert begun or now[0].id == sent.there
            assert {one.id for one in stood} <= {one.id for one in found}
        else:
            assert now == []
            assert found == stood
        ended = rows(world)
        assert outcomes(world.chief.import_packet(sent.back)) == {"Tides": "unchanged"}
        assert rows(world) == ended
        with pytest.raises(StateError, match="is settled"):
            world.chief.settle_packet_conflict(conflict.id, "packet")


def _level(world: World, id: str) -> str | None:
    scores = world.chief.evaluation(id).scores
    return next((one.scale_level_id for one in scores if one.key == "argument"), None)


def test_a_closed_round_waits_until_it_is_open_again(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    id = trip.score(argument="meets")
    spring.chief.close_round(ROUND)
    back = trip.back()
    (item,) = trip.take_in(back).items
    assert [reason.kind for reason in item.reasons] == ["round_closed"]
    (conflict,) = spring.chief.packet_conflicts(round="spring")
    with pytest.raises(StateError, match="is closed"):
        spring.chief.settle_packet_conflict(conflict.id, "packet")
    spring.chief.reopen_round(ROUND, "A packet came late.")
    assert outcomes(trip.take_in(back)) == {"Tides": "submitted"}
    assert spring.chief.packet_conflicts() == ()
    assert spring.chief.evaluation(id).evaluation.status is EvaluationStatus.SUBMITTED


def test_the_answers_that_give_way_are_kept_in_the_record(spring: World, tmp_path: Path) -> None:
    rita = spring.user("rita")
    id = score(rita, submit=False, argument="partial")
    assert isinstance(id, str)
    trip = Trip(spring, tmp_path)
    trip.score(argument="meets")
    rita.save_answer(id, said(argument="miss")[0])
    trip.take_in()
    (conflict,) = spring.chief.packet_conflicts()
    (pair,) = conflict.differences
    assert (pair.criterion_key, pair.packet_level, pair.store_level) == ("argument", "Meets", "Miss")
    spring.chief.settle_packet_conflict(conflict.id, "packet")
    with spring.chief._database.read() as connection:
        kept = connection.exec_driver_sql("SELECT replaced FROM packet_conflict").scalar_one()
    assert '"scale_level_id":"miss"' in kept


def test_a_later_return_takes_the_place_of_an_open_conflict(spring: World, tmp_path: Path) -> None:
    rita = spring.user("rita")
    id = score(rita, submit=False, argument="partial")
    assert isinstance(id, str)
    trip = Trip(spring, tmp_path)
    trip.score(submit=False, argument="meets")
    rita.save_answer(id, said(argument="miss")[0])
    trip.take_in()
    trip.score(submit=False, argument="meets", clarity="miss")
    trip.take_in()
    found = spring.chief.packet_conflicts(include_settled=True)
    assert [one.taken for one in found] == ["newer", None]
    with trip.work() as engine:
        engine.save_answer(id, said(argument="miss")[0])
    assert outcomes(trip.take_in()) == {"Tides": "merged"}
    assert [one.taken for one in spring.chief.packet_conflicts(include_settled=True)] == ["newer", "newer"]


def test_what_she_declined_and_submitted_here_is_a_conflict(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    with trip.work() as engine:
        engine.decline(trip.packet.assignments[0].id, "I know the author.")
    done = score(spring.user("rita"), argument="meets")
    assert not isinstance(done, str)
    (item,) = trip.take_in().items
    assert [reason.kind for reason in item.reasons] == ["already_submitted"]
    (conflict,) = spring.chief.packet_conflicts()
    assert conflict.returned == "Declined"
    spring.chief.settle_packet_conflict(conflict.id, "packet")
    assert spring.chief.evaluation(done.evaluation.id).evaluation.status is EvaluationStatus.WITHDRAWN


def test_what_cannot_be_submitted_here_waits_and_is_refused_with_its_reason(
    spring: World, tmp_path: Path
) -> None:
    trip = Trip(spring, tmp_path)
    trip.score(argument="meets")
    back = trip.back()
    (one,) = back.evaluations
    bare = change(one.answers[0], answer=change(one.answers[0].answer, rationale=None))
    (item,) = trip.take_in(change(back, evaluations=(change(one, answers=(bare,)),))).items
    assert [reason.message for reason in item.reasons] == ['"Argument" needs a rationale.']
    (conflict,) = spring.chief.packet_conflicts()
    from rubrictui.engine.errors import SubmitRefusedError

    with pytest.raises(SubmitRefusedError, match="needs a rationale"):
        spring.chief.settle_packet_conflict(conflict.id, "packet")
    assert len(spring.chief.packet_conflicts()) == 1


def test_settling_is_the_chairs_and_answers_are_for_who_may_read_them(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    trip.score(argument="meets")
    change_subject(Case(spring, None))
    trip.take_in()
    chair, rita = spring.user("cho", Role.CHAIR), spring.user("rita")
    assert [one.returned for one in rita.packet_conflicts()] == ["Submitted"]
    (seen,) = chair.packet_conflicts()
    assert (seen.returned, seen.differences) == (None, ())
    assert spring.user("paul").packet_conflicts() == ()
    with pytest.raises(NotPermittedError, match="settle what packets brought back"):
        rita.settle_packet_conflict(seen.id, "packet")
    assert chair.settle_packet_conflict(seen.id, "packet").taken == "packet"


# -- blind -------------------------------------------------------------------------------------------


def test_a_chair_with_open_work_is_told_nothing_about_its_subjects(
    world: World, paper: Paper, tmp_path: Path
) -> None:
    set_up(world, subjects=("tides", "bees"))
    assign(world, "tides", "chief")
    trip = Trip(world, tmp_path)
    trip.score("tides", argument="meets")
    trip.score("bees", argument="meets")
    without = trip.back()
    kept = tuple(one for one in without.evaluations if one.subject_id == "s-bees")
    report = trip.take_in(without, dry_run=True)
    assert (outcomes(report), report.hidden) == ({"Bees": "submitted"}, 1)
    assert report == trip.take_in(change(without, evaluations=kept), dry_run=True)
    for subject in ("Paper/tides", "Paper/bees"):
        found = world.chief.subject(subject)
        world.chief.add_subjects([change(found, text=f"{found.text}!")])
    trip.take_in(without)
    (conflict,) = world.chief.packet_conflicts(include_settled=True)
    assert conflict.subject_title == "Bees"
    with world.chief._database.read() as connection:
        (hidden,) = connection.exec_driver_sql(
            "SELECT id FROM packet_conflict WHERE subject_id = 's-tides'"
        ).scalars()
    with pytest.raises(NotFoundError, match="not found or not readable"):
        world.chief.settle_packet_conflict(hidden, "packet")
    (sent,) = world.chief.sent_packets()
    assert (sent.reviewer, sent.subjects, sent.returned_at, sent.hidden) == ("rita", 2, None, True)


def test_what_went_out_and_came_back_is_listed_for_chairs_and_for_its_reviewer(
    spring: World, tmp_path: Path
) -> None:
    trip = Trip(spring, tmp_path)
    trip.score(argument="meets")
    assert [one.returned_at for one in spring.chief.sent_packets(round="spring")] == [None]
    trip.take_in()
    (sent,) = spring.chief.sent_packets()
    assert (sent.packet_id, sent.reviewer, sent.returned_by, sent.hidden) == (
        trip.packet.manifest.packet_id, "rita", "chief", False,
    )  # fmt: skip
    assert spring.user("rita").sent_packets() == (sent,)
    assert spring.user("sam").sent_packets() == ()


def test_in_a_strict_round_a_reviewing_chair_is_told_nothing_until_it_closes(
    world: World, paper: Paper, tmp_path: Path
) -> None:
    set_up(world, rules=RoundRules(blinding=Blinding.UNTIL_CLOSED))
    world.chief.add_round_subjects(ROUND, ["Paper/tides"])
    world.chief.add_reviewers(ROUND, ["chief"])
    trip = Trip(world, tmp_path)
    trip.score(argument="meets")
    report = trip.take_in()
    assert (report.items, report.hidden) == ((), 1)


def test_a_self_assessment_comes_back_only_where_the_round_takes_them(spring: World, tmp_path: Path) -> None:
    trip = Trip(spring, tmp_path)
    trip.score(argument="meets")
    back = trip.back()
    own = change(back.evaluations[0], evaluator_type=EvaluatorType.SELF)
    (item,) = trip.take_in(change(back, evaluations=(own,))).items
    assert [reason.message for reason in item.reasons] == ["The round takes no self-assessments."]
