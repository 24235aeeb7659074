"""On PostgreSQL the database itself keeps people from what is not theirs, asked raw or through the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from panel_rows import Panel
from postgres_databases import Postgres
from psycopg import errors
from sqlalchemy import make_url
from store_rows import START, Rows

from rubrictui.core.records import AssignmentStatus, Role, User
from rubrictui.core.rounds import Blinding
from rubrictui.engine import Engine
from rubrictui.engine.errors import NotPermittedError
from rubrictui.store import access_round, packets, roles, rounds, upkeep, users
from rubrictui.store.database import Database
from rubrictui.store.errors import StoreError, StoreNotPermittedError
from rubrictui.store.tables import CONTEXT, EVALUATION, PHRASE, USER

NAMES = ("ann", "ben", "cai", "chair", "head", "dev", "bot", "mill")


class Guarded:
    """A panel in a database of its own whose people are roles of the server."""

    def __init__(self, server: Postgres, *, plain_owner: bool) -> None:
        self.server = server
        self.suffix = uuid4().hex[:8]
        self.made: list[str] = []
        self.url = server.empty_database()
        if plain_owner:  # owns the database, and is no superuser
            owner = self.role("keeper")
            database = make_url(self.url).database
            server.execute(self.url, f'ALTER DATABASE "{database}" OWNER TO "{owner}"')
            server.execute(self.url, f'ALTER SCHEMA public OWNER TO "{owner}"')
            Database.open(self.as_role("keeper")).close()
        self.database = Database.open(self.url)
        self.panel = Panel(self.database)
        for name in NAMES:
            self.role(name)
            self.panel.rows.change(USER, getattr(self.panel, name).id, name=self.login(name))
        self.run_script()

    def login(self, name: str) -> str:
        return f"{name}_{self.suffix}"

    def role(self, name: str) -> str:
        login = self.login(name)
        self.server.execute(self.url, f'CREATE ROLE "{login}" LOGIN')
        self.made.append(login)
        return login

    def run_script(self) -> str:
        with self.database.read() as connection:
            people = users.users(connection)
        script = roles.script(
            people,
            where="here",
            at=datetime(2027, 1, 1, tzinfo=UTC),
            database=str(make_url(self.url).database),
        )
        self.notices: list[str] = []
        with psycopg.connect(self.raw(self.url), autocommit=True) as connection:
            connection.add_notice_handler(lambda said: self.notices.append(str(said.message_primary)))
            connection.execute(script)
        self.notices = [
            said for said in self.notices if "already" not in said
        ]  # who is in a group stays in it
        return script

    @property
    def groups(self) -> dict[Role, str]:
        return roles.groups(str(make_url(self.url).database))

    def as_role(self, name: str) -> str:
        return make_url(self.url).set(username=self.login(name)).render_as_string(hide_password=False)

    @staticmethod
    def raw(url: str) -> str:
        return url.replace("+psycopg", "")

    def sql(self, name: str, statement: str) -> list[tuple[Any, ...]]:
        """What a raw prompt of this person answers."""
        with psycopg.connect(self.raw(self.as_role(name))) as connection:
            found = connection.execute(statement)
            rows: list[tuple[Any, ...]] = found.fetchall() if found.description else [(found.rowcount,)]
            return rows

    def engine(self, name: str, **options: Any) -> Engine:
        return Engine(self.as_role(name), **options)

    def viewer(self, name: str) -> User:
        with self.database.read() as connection:
            found = users.find_user(connection, self.login(name))
        assert found is not None
        return found

    def drop(self) -> None:
        self.database.close()
        database = make_url(self.url).database
        self.server.execute(
            self.server.url.format(database=self.server.admin), f'DROP DATABASE "{database}" WITH (FORCE)'
        )
        self.server.made.remove(str(database))
        for login in (*self.made, *reversed(self.groups.values())):
            self.server.execute(self.server.url.format(database=self.server.admin), f'DROP ROLE "{login}"')


@pytest.fixture(params=["a superuser's", "an owner's"])
def guarded(request: pytest.FixtureRequest, postgres: Postgres) -> Iterator[Guarded]:
    made = Guarded(postgres, plain_owner=request.param == "an owner's")
    yield made
    made.drop()


def ids(rows: list[tuple[Any, ...]]) -> set[Any]:
    return {row[0] for row in rows}


EVALUATIONS = "SELECT id FROM evaluation"
SCORES = "SELECT DISTINCT evaluation_id FROM evaluation_score"


def test_a_raw_prompt_shows_her_own_rows_and_who_reads_all_everyones(guarded: Guarded) -> None:
    panel = guarded.panel
    everything = {panel.by_ben, panel.by_judge, panel.by_ben_south}
    for name, may in {
        "ann": set(),
        "ben": {panel.by_ben, panel.by_ben_south},
        "chair": set(),
        "mill": everything,
        "dev": everything,
        "head": everything,
    }.items():
        assert ids(guarded.sql(name, EVALUATIONS)) == may, name
        assert ids(guarded.sql(name, SCORES)) == may, name


def test_open_work_blinds_a_raw_prompt_too_and_nothing_it_shows_changes_when_a_peer_submits(
    guarded: Guarded,
) -> None:
    panel = guarded.panel
    asked = (
        EVALUATIONS, SCORES, "SELECT * FROM cohort", "SELECT * FROM evaluation_cohort", "SELECT * FROM criterion_cohort",
        "SELECT * FROM cohort_evaluation", "SELECT * FROM cohort_score", "SELECT * FROM round_comment",
        "SELECT count(*) FROM evaluation",
    )  # fmt: skip
    panel.assign(panel.head, panel.north, context_id=panel.autumn)
    panel.begun(panel.ann, panel.north, context_id=panel.spring)
    before = {(who, one): sorted(guarded.sql(who, one), key=repr) for who in ("ann", "head") for one in asked}
    assert ids(before["head", EVALUATIONS]) == {panel.by_ben_south}
    assert [row[0] for row in before["head", "SELECT * FROM cohort"]] == [panel.south]
    panel.scored(panel.cai, panel.north, 0.1, context_id=panel.spring)
    after = {(who, one): sorted(guarded.sql(who, one), key=repr) for who in ("ann", "head") for one in asked}
    assert after == before


def test_the_views_give_the_cohort_to_who_has_submitted_and_to_nobody_else(guarded: Guarded) -> None:
    panel = guarded.panel
    assert guarded.sql("ann", "SELECT * FROM cohort") == []
    panel.scored(panel.ann, panel.north, 1.0, context_id=panel.spring)
    (row,) = guarded.sql("ann", "SELECT mean_score, evaluation_count FROM cohort")
    assert (round(row[0], 6), row[1]) == (0.75, 3)
    assert len(guarded.sql("ann", "SELECT * FROM cohort_evaluation")) == 3
    assert len(guarded.sql("ann", "SELECT * FROM criterion_cohort")) == 3
    # Of single evaluations only her own.
    assert len(guarded.sql("ann", "SELECT * FROM evaluation_cohort")) == 1
    assert guarded.sql("cai", "SELECT * FROM cohort") == []


def test_the_engine_reads_the_same_through_a_persons_own_login(guarded: Guarded) -> None:
    """What the database decides and what ``access`` decides are one rule: neither takes away from the other."""
    panel = guarded.panel
    panel.scored(panel.ann, panel.north, 1.0, context_id=panel.spring)
    panel.begun(panel.chair, panel.south)
    panel.assign(panel.head, panel.north, context_id=panel.spring)
    everything = panel.all_that(panel.head)["evaluation"]
    asked = [one.id for one in everything if one is not None] + [panel.by_ben, panel.by_judge]
    for name in NAMES:
        viewer = guarded.viewer(name)
        trusted = panel.all_that(viewer, asked)
        with Database.open(guarded.as_role(name)) as own:
            panel.database, kept = own, panel.database
            try:
                direct = panel.all_that(viewer, asked)
            finally:
                panel.database = kept
        # Whose assignments there are is the chair's to know; the engine asks for the viewer's own only.
        for found in (trusted, direct):
            found["veiled"] = [one for one in found["veiled"] if one.user_id == viewer.id]
        assert direct == trusted, name


FORGERIES: dict[str, Callable[[Panel], str]] = {
    "an evaluation in another's name": lambda p: (
        "INSERT INTO evaluation (id, rubric_id, version_id, major_version, subject_id, evaluator_user_id, evaluator_type,"
        " status, revision, subject_hash, started_at, updated_at) SELECT 'forged', rubric_id, version_id, 1,"
        f" '{p.south}', '{p.cai.id}', 'Human', 'Draft', 0, '', now(), now() FROM rubric_version v"
        f" CROSS JOIN LATERAL (SELECT v.id AS version_id) x WHERE v.id = '{p.version}'"
    ),
    "an answer in another's draft": lambda p: (
        "INSERT INTO evaluation_score (id, evaluation_id, criterion_id, is_not_applicable, is_flagged, revision,"
        " updated_at, gate_failed, is_advisory, sequence) VALUES ('forged',"
        f" '{p.draft_of_cai}', '{p.criterion('clarity')}', true, false, 0, now(), false, false, 0)"  # type: ignore[attr-defined]
    ),
    "a role of her own choice": lambda p: (
        f"INSERT INTO role_grant (id, user_id, role) VALUES ('x', '{p.ann.id}', 'administer_evaluations')"
    ),
    "an assignment": lambda p: (
        "INSERT INTO assignment (id, subject_id, rubric_id, user_id, status, created_at, created_by)"
        f" VALUES ('x', '{p.south}', '{p.rubric}', '{p.ann.id}', 'Open', now(), 'ann')"
    ),
    "a looser round": lambda p: "UPDATE context SET blinding = 'standard'",
    "a phrase of another's": lambda p: (
        f"INSERT INTO phrase (id, user_id, text, uses, created_at) VALUES ('x', '{p.ben.id}', 'Good.', 0, now())"
    ),
    "the removal of an evaluation": lambda p: "DELETE FROM evaluation",
    "the removal of answers": lambda p: "DELETE FROM evaluation_score",
    "an end of row security": lambda p: "ALTER TABLE evaluation DISABLE ROW LEVEL SECURITY",
    "her own submission undone": lambda p: f"UPDATE evaluation SET evaluator_user_id = '{p.cai.id}'",
}


@pytest.fixture(scope="module")
def one_guarded(postgres: Postgres) -> Iterator[Guarded]:
    made = Guarded(postgres, plain_owner=True)
    made.panel.draft_of_cai = made.panel.begun(made.panel.cai, made.panel.south)  # type: ignore[attr-defined]
    made.panel.begun(made.panel.ann, made.panel.south)
    yield made
    made.drop()


@pytest.mark.parametrize("what", FORGERIES)
def test_a_reviewer_cannot_write(one_guarded: Guarded, what: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        one_guarded.sql("ann", FORGERIES[what](one_guarded.panel))


def test_what_she_may_not_see_she_cannot_change_either(one_guarded: Guarded) -> None:
    cai = one_guarded.panel.cai.id
    assert one_guarded.sql(
        "ann", f"UPDATE evaluation SET cursor = 'x' WHERE evaluator_user_id = '{cai}'"
    ) == [(0,)]
    changed = "UPDATE evaluation_score SET rationale = 'x' WHERE evaluation_id = '{}'"
    assert one_guarded.sql("ann", changed.format(one_guarded.panel.draft_of_cai)) == [(0,)]  # type: ignore[attr-defined]


def test_switching_the_guard_on_by_hand_or_another_role_shows_nothing_more(one_guarded: Guarded) -> None:
    own = ids(one_guarded.sql("ann", EVALUATIONS))
    assert ids(one_guarded.sql("ann", f"SET rubrictui.guard = 'on'; {EVALUATIONS}")[:0]) == set()
    with psycopg.connect(one_guarded.raw(one_guarded.as_role("head"))) as connection:
        everything = connection.execute(EVALUATIONS).fetchall()
        connection.execute("SET rubrictui.guard = 'on'")
        assert connection.execute(EVALUATIONS).fetchall() == []
        connection.execute("SET rubrictui.guard = 'off'")
        assert connection.execute(EVALUATIONS).fetchall() == everything
    with psycopg.connect(one_guarded.raw(one_guarded.as_role("ann"))) as connection:
        connection.execute(f'SET ROLE "{one_guarded.groups[Role.REVIEWER]}"')
        assert ids(connection.execute(EVALUATIONS).fetchall()) == own
        with pytest.raises(errors.InsufficientPrivilege):
            connection.execute(f'SET ROLE "{one_guarded.groups[Role.ADMINISTER_EVALUATIONS]}"')


def test_each_sees_her_own_phrases_and_assignments_and_a_chair_all_assignments(one_guarded: Guarded) -> None:
    panel = one_guarded.panel
    for user in (panel.ann, panel.ben):
        panel.rows.add(PHRASE, user_id=user.id, text=f"{user.name}.", created_at=panel.rows.now(), uses=0)
        panel.assign(user, panel.north, context_id=panel.autumn)
    assert one_guarded.sql("ann", "SELECT text FROM phrase") == [("ann.",)]
    assert ids(one_guarded.sql("ann", "SELECT user_id FROM assignment")) == {panel.ann.id}
    assert ids(one_guarded.sql("chair", "SELECT user_id FROM assignment")) == {panel.ann.id, panel.ben.id}


def test_somebody_the_store_does_not_know_is_told_to_ask(one_guarded: Guarded) -> None:
    one_guarded.role("stranger")
    with pytest.raises(StoreNotPermittedError):
        one_guarded.engine("stranger")
    one_guarded.server.execute(
        one_guarded.url,
        f'GRANT "{one_guarded.groups[Role.REVIEWER]}" TO "{one_guarded.login("stranger")}"',
    )
    with pytest.raises(StoreError, match="may not be opened by you"):
        one_guarded.engine("stranger")


def test_the_owner_reads_by_the_rules_as_well(one_guarded: Guarded) -> None:
    assert one_guarded.sql("keeper", EVALUATIONS) == []
    one_guarded.panel.rows.user(one_guarded.login("keeper"), *Role)
    assert one_guarded.panel.by_ben in ids(one_guarded.sql("keeper", EVALUATIONS))


def test_a_store_with_its_guards_is_sound_and_says_when_one_is_gone(guarded: Guarded) -> None:
    with guarded.database.read() as connection:
        assert upkeep.soundness(connection) == ()
    guarded.server.execute(
        guarded.url, "ALTER TABLE phrase DISABLE ROW LEVEL SECURITY; DROP POLICY own ON phrase"
    )
    with guarded.database.read() as connection:
        found = "\n".join(upkeep.soundness(connection))
    assert "row security of phrase is missing" in found
    assert "phrase.own is missing" in found


def test_a_person_works_through_the_engine_under_her_own_login(guarded: Guarded) -> None:
    panel = guarded.panel
    work = panel.assign(panel.ann, panel.south, context_id=panel.spring, version_id=panel.version)
    with guarded.engine("ann") as ann:
        assert ann.user.name == guarded.login("ann")
        assert [row.subject_id for row in ann.inbox()] == [panel.south]
        draft = ann.open_draft(assignment=work)
        for key in ("clarity", "evidence"):
            ann.save_answer(draft.evaluation.id, answer(panel, key))
        assert ann.phrases() == ()
        ann.add_phrase("Well said.")
        done = ann.submit(draft.evaluation.id)
        assert done.evaluation.normalized_score == 1.0
        assert done.cohort is not None
        assert ann.withdraw(done.evaluation.id, "Wrong one.").status.value == "Withdrawn"
        assert ann.declare_conflict(panel.north, "Kin.").reason == "Kin."
        assert ann.assignments()[0].status is AssignmentStatus.DONE


def answer(panel: Panel, key: str) -> Any:
    from rubrictui.core.model import Answer

    return Answer(criterion_id=panel.criterion(key), scale_level_id=panel.meets, rationale="Clear.")


def test_a_chair_runs_a_round_and_releases_what_she_cannot_see(guarded: Guarded) -> None:
    panel = guarded.panel
    mine = panel.assign(panel.head, panel.north, context_id=panel.spring)
    theirs = panel.assign(panel.cai, panel.north, context_id=panel.spring)
    with guarded.engine("cai") as cai:
        draft = cai.open_draft(assignment=theirs).evaluation.id
    with guarded.engine("chair") as chair:
        opened = chair.open_round("summer", rubric="Vendor proposal", subjects=[panel.south])
        assert (
            chair.assign_balanced("Round/summer", per_subject=1, reviewers=[guarded.login("ben")])
            .made[0]
            .subject_id
            == panel.south
        )
        assert chair.close_round(opened.context.id).state == "Closed"
        with pytest.raises(NotPermittedError, match="has begun"):
            chair.release(theirs, "Too slow.")
    with guarded.engine("head") as head:
        assert (
            head.matrix_table(
                subject=panel.north, context=panel.spring, rubric="Vendor proposal", major=1
            ).evaluations
            == ()
        )
        head.release(theirs, "Too slow.")
        assert head.decline(mine, "No time.").status is AssignmentStatus.DECLINED
        assert (
            len(
                head.matrix_table(
                    subject=panel.north, context=panel.spring, rubric="Vendor proposal", major=1
                ).evaluations
            )
            == 2
        )
    assert panel.rows.get(EVALUATION, draft)["status"] == "Withdrawn"


def test_comments_of_a_round_that_shows_them_come_without_names_or_scores(guarded: Guarded) -> None:
    panel = guarded.panel
    panel.rows.change(CONTEXT, panel.spring, blinding=Blinding.COMMENTS_VISIBLE.value)
    assert guarded.sql("ann", "SELECT * FROM round_comment") == []
    panel.scored(panel.ann, panel.north, 1.0, context_id=panel.spring)
    found = guarded.sql("ann", "SELECT rationale, author FROM round_comment ORDER BY rationale")
    assert found == [("On clarity.", None)] * 2 + [("On evidence.", None)] * 2
    assert guarded.sql("ann", "SELECT * FROM cohort") == []
    with Database.open(guarded.as_role("ann")) as own, own.read() as connection:
        told = access_round.comments(
            connection, guarded.viewer("ann"), panel.spring, subject_id=panel.north, rubric_id=panel.rubric, major=1
        )  # fmt: skip
    assert [(one.criterion_key, one.rationale) for one in told] == [
        ("clarity", "On clarity."), ("clarity", "On clarity."), ("evidence", "On evidence."), ("evidence", "On evidence."),
    ]  # fmt: skip


def test_a_stricter_round_keeps_its_subjects_from_its_reviewers_in_the_database_too(guarded: Guarded) -> None:
    panel = guarded.panel
    panel.rows.change(CONTEXT, panel.spring, blinding=Blinding.UNTIL_CLOSED.value)
    with panel.rows.together(), panel.rows._writing() as connection:
        about: dict[str, Any] = {"at": panel.rows.now(), "by": "x", "new_id": lambda: uuid4().hex}
        rounds.add_subjects(connection, panel.spring, [panel.north], **about)
        rounds.add_reviewers(connection, panel.spring, [panel.head.id], **about)
    assert ids(guarded.sql("head", EVALUATIONS)) == {panel.by_ben_south}
    assert panel.by_ben in ids(guarded.sql("dev", EVALUATIONS))
    panel.rows.change(CONTEXT, panel.spring, status="Closed")
    assert panel.by_ben in ids(guarded.sql("head", EVALUATIONS))


def test_packets_show_their_reviewer_hers_and_chairs_that_they_went_out(guarded: Guarded) -> None:
    panel = guarded.panel
    with panel.database.write() as connection:
        for name, person, subject in (("hers", panel.ann, panel.south), ("his", panel.ben, panel.north)):
            values = {
                "id": name, "context_id": panel.spring, "user_id": person.id, "exported_by": "head",
                "exported_at": START, "is_signed": False, "sent": {"subjects": {subject: {}}},
                "bases": {"e": {"c": "abc"}}, "taken_at": START, "taken_by": "head",
            }  # fmt: skip
            packets.add_export(connection, values)
            values = {
                "id": f"{name}-1", "export_id": name, "subject_id": subject, "item_id": "e", "digest": "d",
                "reasons": [], "returned": {"answers": []}, "found_at": START, "found_by": "head",
            }  # fmt: skip
            packets.add_conflict(connection, values)
    panel.rows.assignment(panel.head, panel.north, panel.rubric, context_id=panel.spring)
    records, conflicts = "SELECT id FROM packet_export", "SELECT id FROM packet_conflict"
    for name, exports, brought in (
        ("ann", {"hers"}, {"hers-1"}), ("cai", set(), set()), ("chair", set(), set()),
        ("head", {"hers"}, {"hers-1"}), ("dev", set(), {"hers-1", "his-1"}),
    ):  # fmt: skip
        assert ids(guarded.sql(name, records)) == exports, name
        assert ids(guarded.sql(name, conflicts)) == brought, name
    came = "SELECT id, taken_by FROM packet_sent ORDER BY id"
    assert guarded.sql("ann", came) == [("hers", "head")]
    assert guarded.sql("chair", came) == [("hers", "head"), ("his", "head")]
    assert guarded.sql("head", came) == [("hers", "head"), ("his", None)]  # who has open work on it
    answers = "SELECT id, returned IS NULL FROM packet_brought ORDER BY id"
    assert guarded.sql("ann", answers) == [("hers-1", False)]
    assert guarded.sql("chair", answers) == [("hers-1", True), ("his-1", True)]
    assert guarded.sql("head", answers) == [("hers-1", False)]
    with pytest.raises(errors.InsufficientPrivilege):
        guarded.sql(
            "cai",
            "INSERT INTO packet_export (id, context_id, user_id, exported_at, exported_by, is_signed)"
            f" VALUES ('x', '{panel.spring}', '{panel.ann.id}', now(), 'x', false)",
        )
    assert guarded.sql("cai", "UPDATE packet_export SET taken_by = 'cai'") == [(0,)]


def test_the_script_gives_and_takes_by_role_and_no_name_breaks_out_of_it(guarded: Guarded) -> None:
    rows = Rows(guarded.database)
    evil = f'do$ o"do {guarded.suffix}'
    rows.user(evil, Role.REVIEWER)
    guarded.made.append(evil.replace('"', '""'))
    with guarded.database.write() as connection:
        head = guarded.viewer("head")
        users.change_user(
            connection, User(id=head.id, name=head.name, roles=(Role.REVIEWER,)), new_id=lambda: uuid4().hex
        )
    script = guarded.run_script()
    # A line for each, and one that names all of them.
    assert len([line for line in script.splitlines() if guarded.suffix in line]) == len(NAMES) + 2 + (
        guarded.login("keeper") in script
    )
    with guarded.engine("chair") as chair, pytest.raises(NotPermittedError, match="administer_evaluations"):
        chair.role_script()
    with Engine(guarded.as_role("keeper") if guarded.login("keeper") in script else guarded.url) as owner:
        assert "CREATE ROLE" in owner.role_script()  # whatever the store thinks of her
    with pytest.raises(errors.InsufficientPrivilege):
        guarded.sql("head", f"DELETE FROM role_grant WHERE user_id = '{head.id}'")


def test_who_is_an_author_in_one_panel_of_a_server_is_none_in_the_next(
    one_guarded: Guarded, postgres: Postgres
) -> None:
    here, there = one_guarded, Guarded(postgres, plain_owner=False)
    try:
        ann, login = here.viewer("ann"), here.login("ann")
        with here.database.write() as connection:
            author = User(id=ann.id, name=login, roles=(Role.AUTHOR,))
            users.change_user(connection, author, new_id=lambda: uuid4().hex)
        script = here.run_script()
        with (
            psycopg.connect(there.raw(there.url)) as raw,
            pytest.raises(errors.RaiseException, match="not for"),
        ):
            raw.execute(script)
        away = make_url(there.url).set(username=login).render_as_string(hide_password=False)
        writes, reads = "UPDATE category SET name = name", "SELECT id FROM subject"
        with psycopg.connect(there.raw(away)) as raw, pytest.raises(errors.InsufficientPrivilege):
            raw.execute(reads)
        Rows(there.database).user(login, Role.REVIEWER)
        there.run_script()
        with psycopg.connect(there.raw(away), autocommit=True) as raw:
            assert raw.execute(reads).fetchall()
            with pytest.raises(errors.InsufficientPrivilege):
                raw.execute(writes)
        assert here.sql("ann", writes) == [(0,)]  # what one panel takes back, the other does not lose
    finally:
        there.drop()


def test_groups_that_all_panels_shared_lose_their_rights_here_and_it_is_told_once(
    one_guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = one_guarded.role("shared_reviewer")
    member = one_guarded.role("member")
    one_guarded.server.execute(
        one_guarded.url,
        f'GRANT USAGE ON SCHEMA public TO "{shared}"; GRANT SELECT ON subject, rubric TO "{shared}";'
        f' GRANT UPDATE (display_name) ON user_account TO "{shared}"; GRANT "{shared}" TO "{member}"',
    )
    assert one_guarded.sql("member", "SELECT id FROM subject")
    monkeypatch.setattr(roles, "_SHARED", (shared, "rubrictui_no_such_group"))
    one_guarded.run_script()
    (told,) = one_guarded.notices
    assert told.startswith(f"The group {shared} has no rights in this database any more; rubrictui_")
    for statement in ("SELECT id FROM subject", "UPDATE user_account SET display_name = ''"):
        with pytest.raises(errors.InsufficientPrivilege):
            one_guarded.sql("member", statement)
    held = f"SELECT pg_has_role('{one_guarded.login('member')}', '{shared}', 'MEMBER')"
    assert one_guarded.sql("ann", held) == [(True,)]  # another panel may still live by it
    one_guarded.run_script()
    assert one_guarded.notices == []


@pytest.mark.parametrize("database", ["panel", "Spring panel", "p" * 63, "é" * 31, "panel_reviewer"])
@pytest.mark.parametrize("schema", ["public", "other"])
def test_the_groups_of_a_database_have_names_of_their_own_that_a_server_keeps_whole(
    database: str, schema: str
) -> None:
    named = roles.groups(database, schema)
    assert len(set(named.values())) == len(Role)
    assert all(len(name.encode()) <= 63 for name in named.values())
    others = [(database[:-1], schema), (database, "third"), (database + "_", schema)]
    assert not set(named.values()) & {name for other in others for name in roles.groups(*other).values()}
    assert roles.groups("panel")[Role.ADMINISTER_EVALUATIONS] == "rubrictui_panel_administrator"


# -- settlements -------------------------------------------------------------------------------------


def test_a_settlement_is_whole_for_who_reads_all_a_figure_for_its_reviewers_and_nothing_for_others(
    guarded: Guarded,
) -> None:
    panel = guarded.panel
    panel.rows.change(CONTEXT, panel.spring, rubric_id=panel.rubric, version_id=panel.version)
    whole, figures = "SELECT id FROM adjudication", "SELECT id, basis FROM settled_score"
    with guarded.engine("head") as head:
        head.save_settlement(panel.spring, panel.north, note="Not yet.")
        assert [len(guarded.sql(name, whole)) for name in ("head", "dev", "chair")] == [1, 0, 0]
        done = head.settle(panel.spring, panel.north, reason="Judgement")
        assert [one.what for one in head.round_log(panel.spring)] == [f"settled {done_name(guarded)}"]
    for name, may in {"head": 1, "dev": 1, "mill": 1, "chair": 0}.items():
        assert len(guarded.sql(name, whole)) == may, name
    for name in ("ann", "ben"):
        with pytest.raises(errors.InsufficientPrivilege):
            guarded.sql(name, whole)
    for name, may in {"head": 1, "dev": 1, "chair": 0, "ben": 1, "ann": 0}.items():
        assert len(guarded.sql(name, figures)) == may, name
        with guarded.engine(name) as engine:
            assert [one.id for one in engine.adjudications(panel.spring)] == [done.id] * may, name
    assert guarded.sql("ben", figures) == [(done.id, None)]
    for name in ("ann", "ben", "dev", "chair"):
        with pytest.raises(errors.InsufficientPrivilege):
            guarded.sql(name, INSERTED.format(panel=panel, me=getattr(panel, name).id))
    assert guarded.sql("chair", "UPDATE adjudication SET status = 'Superseded'") == [(0,)]
    panel.assign(panel.head, panel.north, context_id=panel.autumn)
    assert guarded.sql("head", whole) == guarded.sql("head", figures) == []


INSERTED = (
    "INSERT INTO adjudication (id, context_id, subject_id, rubric_id, version_id, major_version, adjudicator_id,"
    " status, note, started_at, updated_at) VALUES ('x', '{panel.spring}', '{panel.north}', '{panel.rubric}',"
    " '{panel.version}', 1, '{me}', 'Draft', '', now(), now())"
)


def done_name(guarded: Guarded) -> str:
    with guarded.database.read() as connection:
        (row,) = connection.exec_driver_sql(
            f"SELECT entity || '/' || record_id FROM subject WHERE id = '{guarded.panel.north}'"
        ).fetchall()
    return str(row[0])
