"""Setting work up: subjects, contexts, assignments, users, and who is asking."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from engine_world import SUBJECT, World

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.records import Context, Role, Subject, SubjectFile
from rubrictui.engine import Engine, NameTakenError, NotFoundError, NotPermittedError, StateError
from rubrictui.engine.base import operating_system_login
from rubrictui.store.errors import StoreError

change = msgspec.structs.replace
DUE = datetime(2027, 3, 1, 17, tzinfo=UTC)


# -- who is asking -----------------------------------------------------------------------------------


def test_whoever_creates_a_store_holds_every_role_and_a_newcomer_is_a_reviewer(world: World) -> None:
    assert world.chief.user.roles == tuple(Role)
    assert world.engine("newcomer").user.roles == (Role.REVIEWER,)
    assert world.engine("newcomer", read_only=True).user.name == "newcomer"
    assert [user.name for user in world.chief.users()] == ["chief", "newcomer"]


def test_without_a_name_the_operating_systems_login_asks(tmp_path: Path) -> None:
    with Engine(tmp_path / "own.db") as engine:
        assert engine.user.name == operating_system_login()


def test_acting_as_another_takes_administer_evaluations(world: World) -> None:
    world.user("rita")
    assert world.engine("chief", as_user="rita").user.name == "rita"
    assert world.engine("rita", as_user="rita").user.name == "rita"
    with pytest.raises(NotPermittedError, match="rita may not act as another user"):
        world.engine("rita", as_user="chief")
    with pytest.raises(NotFoundError):
        world.engine("chief", as_user="nobody")


def test_a_read_only_engine_reads_and_writes_nothing(world: World, paper: VersionSnapshot) -> None:
    with world.engine("chief", read_only=True) as engine:
        assert engine.version("Paper review").number == "1.0.0"
        with pytest.raises(StoreError, match="read-only"):
            engine.add_subjects([SUBJECT])
    with world.engine("stranger", read_only=True) as engine:
        assert (engine.user.roles, engine.inbox()) == ((Role.REVIEWER,), ())
    assert "stranger" not in {user.name for user in world.chief.users()}


def test_roles_are_granted_by_who_administers_and_reviewers_also_by_a_chair(world: World) -> None:
    chair = world.user("cho", Role.CHAIR)
    assert chair.add_user("rita", display_name="Rita R.").roles == (Role.REVIEWER,)
    with pytest.raises(NotPermittedError, match="beyond reviewer"):
        chair.add_user("spy", roles=[Role.ADMINISTER_EVALUATIONS])
    with pytest.raises(NotPermittedError, match="add users"):
        world.user("rita").add_user("friend")
    with pytest.raises(NotPermittedError, match="change roles"):
        chair.set_roles("cho", tuple(Role))
    with pytest.raises(NameTakenError):
        world.chief.add_user("rita")
    assert world.chief.set_roles("rita", [Role.CHAIR, Role.AUTHOR]).roles == (Role.AUTHOR, Role.CHAIR)


def test_the_last_administrator_stays_one(world: World) -> None:
    with pytest.raises(StateError, match="Nobody would be left"):
        world.chief.set_roles("chief", [Role.REVIEWER])
    assert world.chief.users()[0].roles == tuple(Role)
    world.user("ann", Role.ADMINISTER_EVALUATIONS)
    assert world.chief.set_roles("chief", [Role.REVIEWER]).roles == (Role.REVIEWER,)
    assert world.chief.user.roles == (Role.REVIEWER,)


# -- subjects ----------------------------------------------------------------------------------------


def test_a_subject_reads_back_whole_and_its_hash_is_of_its_content(world: World) -> None:
    given = change(
        SUBJECT, files=(SubjectFile(name="budget.csv", media_type="text/csv", text="a,b\n1,2\n", size=8),)
    )
    (stored,) = world.chief.add_subjects([given])
    assert change(stored, content_hash="") == given
    assert world.chief.subject("Paper/tides") == world.chief.subject(stored.id) == stored
    assert len(stored.content_hash) == 64


def test_adding_a_subject_again_replaces_its_content_and_keeps_its_id(world: World) -> None:
    (first,) = world.chief.add_subjects([SUBJECT])
    (same,) = world.chief.add_subjects([change(SUBJECT, id="")])
    assert same == first
    (changed,) = world.chief.add_subjects([change(SUBJECT, id="other", text="New.")])
    assert changed.id == first.id
    assert changed.content_hash != first.content_hash
    assert world.chief.subjects() == (changed,)


def test_subjects_are_found_by_part_of_a_name_and_listed_without_their_content(
    world: World, paper: VersionSnapshot
) -> None:
    world.chief.add_subjects(
        [
            Subject(record_id="100%_done", title="All done", entity="Report"),
            Subject(record_id="a/b/c.md", title="Deep", entity="File", text="x" * 1000),
        ]
    )
    assert [s.record_id for s in world.chief.subjects(search="TIDE")] == ["tides"]
    assert [s.record_id for s in world.chief.subjects(search="%_")] == ["100%_done"]
    assert [s.record_id for s in world.chief.subjects(entity="Report")] == ["100%_done"]
    assert world.chief.subject("File/a/b/c.md").title == "Deep"
    assert [s.text for s in world.chief.subjects(content=False)] == ["", "", ""]


def test_the_subjects_of_a_context_are_those_assigned_or_scored_in_it(
    world: World, paper: VersionSnapshot
) -> None:
    world.chief.add_subjects([Subject(record_id=name, entity="Paper") for name in ("a", "b", "c")])
    world.chief.add_context(Context(record_id="spring"))
    world.chief.assign(subject="Paper/a", rubric="Paper review", user="rita", context="Round/spring")
    world.chief.open_draft(subject="Paper/b", rubric="Paper review", context="Round/spring")
    assert [s.record_id for s in world.chief.subjects(context="Round/spring")] == ["a", "b"]
    assert [s.record_id for s in world.user("rita").subjects(context="Round/spring")] == ["a"]


@pytest.mark.parametrize(
    ("subject", "what"),
    [
        (Subject(record_id=" "), "needs a name"),
        (Subject(record_id="x", entity="A/B"), "slash"),
        (Subject(record_id="x", entity=""), "needs a name"),
        (Subject(record_id="a\nb"), "cannot be shown"),
        (Subject(record_id="x", files=(SubjectFile(name="f"), SubjectFile(name="f"))), "two files"),
        (Subject(record_id="x", id="s-tides"), "another subject's"),
        (Subject(record_id="x", data={"n": float("nan")}), "nan|NaN|finite"),
    ],
)
def test_what_names_no_subject_is_refused_and_the_whole_batch_with_it(
    world: World, paper: VersionSnapshot, subject: Subject, what: str
) -> None:
    with pytest.raises(InvalidInputError, match=what):
        world.chief.add_subjects([Subject(record_id="fine"), subject])
    assert [s.record_id for s in world.chief.subjects()] == ["tides"]


def test_of_two_rows_that_are_one_subject_the_later_counts(world: World) -> None:
    first, other, later = world.chief.add_subjects(
        [
            Subject(record_id="a", text="First."),
            Subject(record_id="b"),
            Subject(record_id="a", text="Later.", data={"n": 1}),
        ]
    )
    assert first.id == later.id != other.id
    assert [first.text, later.text] == ["First.", "Later."]
    assert world.chief.subjects() == (later, other)


def test_two_subjects_of_one_call_cannot_share_an_id(world: World) -> None:
    with pytest.raises(InvalidInputError, match=r'"Subject/b" is another subject\'s \(same\)'):
        world.chief.add_subjects([Subject(record_id="a", id="same"), Subject(record_id="b", id="same")])
    assert world.chief.subjects() == ()


def test_more_subjects_than_fit_one_statement_are_added_changed_and_given_back_in_order(
    world: World,
) -> None:
    names = [(f"E{n % 3}", f"r{n:04}") for n in range(4_500)]
    given = [Subject(entity=entity, record_id=record, text=record) for entity, record in reversed(names)]
    added = world.chief.add_subjects(given)
    assert [(one.entity, one.record_id, one.text) for one in added] == [
        (one.entity, one.record_id, one.text) for one in given
    ]
    assert len({one.id for one in added}) == len(names)
    changed = world.chief.add_subjects(
        [*(change(one, id="", text=one.text.upper()) for one in added), Subject(record_id="new")]
    )
    assert [one.id for one in changed[:-1]] == [one.id for one in added]
    assert set(world.chief.subjects()) == set(changed)


def test_subjects_are_read_and_hashed_before_anyone_else_is_shut_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A save of someone else goes through while the rows are made ready."""
    rita = world.user("rita")

    def rows() -> Iterator[Subject]:
        yield Subject(record_id="a")
        rita.add_subjects([Subject(record_id="meanwhile")])
        yield Subject(record_id="b")

    hashed: list[str] = []

    def subject_hash(subject: Subject) -> str:
        if not hashed:
            hashed.append(subject.record_id)
            rita.add_subjects([Subject(record_id="while hashing")])
        return f"{subject.record_id:0>64}"

    monkeypatch.setattr("rubrictui.core.canonical.subject_hash", subject_hash)
    world.chief.add_subjects(rows())
    assert [one.record_id for one in world.chief.subjects()] == ["a", "b", "meanwhile", "while hashing"]


def test_a_reviewer_adds_subjects_and_changes_none_that_is_there(
    world: World, paper: VersionSnapshot
) -> None:
    rita = world.user("rita")
    (new,) = rita.add_subjects([Subject(record_id="hers", text="New.")])
    assert rita.subject(new.id) == new
    tides = world.chief.subject("Paper/tides")
    same = change(tides, id="", content_hash="")
    assert rita.add_subjects([same, new]) == (tides, new)
    before = world.chief.subjects()
    with pytest.raises(NotPermittedError) as refused:
        rita.add_subjects([Subject(record_id="more"), change(same, text="Rewritten."), change(new, text="x")])
    assert refused.value.message == (
        'rita may not change what subject "Paper/tides" and 1 other holds: it takes the role '
        "author or chair or integration or developer or administer_evaluations."
    )
    assert world.chief.subjects() == before


@pytest.mark.parametrize(
    "role",
    [Role.AUTHOR, Role.CHAIR, Role.INTEGRATION, Role.DEVELOPER, Role.ADMINISTER_EVALUATIONS],
)
def test_who_changes_a_subject_holds_one_of_the_roles(
    world: World, paper: VersionSnapshot, role: Role
) -> None:
    world.user("max", role).add_subjects([change(SUBJECT, text="Corrected.")])
    assert world.chief.subject("Paper/tides").text == "Corrected."


# -- contexts and assignments ------------------------------------------------------------------------


def test_a_context_is_added_once_and_changed_after(world: World, paper: VersionSnapshot) -> None:
    made = world.chief.add_context(
        Context(record_id="spring", name="Spring", rubric_id="Paper review", due_at=DUE)
    )
    assert made.rubric_id == paper.rubric_id
    changed = world.chief.add_context(Context(record_id="spring", name="Spring round"))
    assert (changed.id, changed.name) == (made.id, "Spring round")
    assert world.chief.contexts() == (changed,)
    with pytest.raises(NotFoundError, match="no rubric"):
        world.chief.add_context(Context(record_id="autumn", rubric_id="Nothing"))


def test_asking_again_keeps_one_open_assignment_and_takes_the_new_date(
    world: World, paper: VersionSnapshot
) -> None:
    world.chief.add_context(Context(record_id="spring", due_at=DUE))
    first = world.chief.assign(subject="s-tides", rubric="Paper review", user="rita", context="Round/spring")
    assert first.due_at == DUE
    later = DUE.replace(month=4)
    again = world.chief.assign(
        subject="s-tides", rubric="Paper review", user="rita", context="Round/spring", due_at=later
    )
    assert (again.id, again.due_at) == (first.id, later)
    assert world.user("rita").assignments() == (again,)


def test_a_declined_assignment_takes_its_draft_along(world: World, paper: VersionSnapshot) -> None:
    rita = world.user("rita")
    asked = world.chief.assign(subject="s-tides", rubric="Paper review", user="rita")
    begun = rita.open_draft(assignment=asked.id).evaluation.id
    assert rita.decline(asked.id, "Conflict of interest.").status.value == "Declined"
    assert rita.evaluation(begun).evaluation.end_reason == "Conflict of interest."
    assert [row.state for row in rita.inbox()] == ["Declined"]
    with pytest.raises(StateError, match="Declined"):
        rita.decline(asked.id, "Again.")
    with pytest.raises(NotFoundError):
        world.user("paul").decline(asked.id, "Not mine.")
    assert world.chief.assign(subject="s-tides", rubric="Paper review", user="rita").id != asked.id


def test_a_chair_releases_what_was_not_begun_and_an_administrator_also_drafts(
    world: World, paper: VersionSnapshot
) -> None:
    chair, rita = world.user("cho", Role.CHAIR), world.user("rita")
    asked = chair.assign(subject="s-tides", rubric="Paper review", user="rita")
    begun = rita.open_draft(assignment=asked.id).evaluation.id
    with pytest.raises(NotPermittedError, match="has begun"):
        chair.release(asked.id, "Too late.")
    assert rita.draft(begun).evaluation.id == begun
    assert world.chief.release(asked.id, "Too late.").status.value == "Released"
    with pytest.raises(NotPermittedError, match="release assignments"):
        rita.release(asked.id, "No.")
    second = chair.assign(subject="s-tides", rubric="Paper review", user="rita")
    assert chair.release(second.id, "Enough reviews.").reason == "Enough reviews."


def test_opening_rounds_and_assigning_take_the_role_chair(world: World, paper: VersionSnapshot) -> None:
    rita = world.user("rita")
    with pytest.raises(NotPermittedError, match=r"open or change a round.*chair"):
        rita.add_context(Context(record_id="mine"))
    with pytest.raises(NotPermittedError, match="assign subjects"):
        rita.assign(subject="s-tides", rubric="Paper review", user="paul")
    with pytest.raises(NotFoundError, match="no user"):
        world.chief.assign(subject="s-tides", rubric="Paper review", user="nobody")


# -- care --------------------------------------------------------------------------------------------


def test_a_backup_is_a_store_of_its_own(world: World, paper: VersionSnapshot, tmp_path: Path) -> None:
    copy = world.chief.backup(tmp_path / "copy.db")
    with Engine(copy, user="rita") as engine:
        assert engine.version("Paper review") == paper
    with pytest.raises(InvalidInputError, match="exists already"):
        world.chief.backup(copy)
    with pytest.raises(StoreError):
        world.chief.backup(tmp_path / "no" / "where.db")


def test_facts_about_a_store(world: World, paper: VersionSnapshot) -> None:
    info = world.chief.info()
    assert (info.dialect, info.user, info.counts["versions"]) == ("sqlite", "chief", 1)
    assert info.size is not None
    assert info.size > 4096
    assert world.chief.check() == ()
    assert not world.chief.is_empty()


def test_a_new_store_is_empty(world: World) -> None:
    assert world.chief.is_empty()
    world.chief.add_subjects([SUBJECT])
    assert not world.chief.is_empty()
