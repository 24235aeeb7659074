"""Nothing that a blind viewer can observe changes when a peer submits: every read of the engine, every output and
export of the command line, compared byte for byte, under each blinding rule, on both databases."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from postgres_databases import Postgres

from rubrictui.__main__ import main
from rubrictui.cli._frame import build_parser
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Answer, Node, Scale, ScaleType
from rubrictui.core.records import Role, Subject
from rubrictui.core.rounds import Blinding, RoundRules
from rubrictui.engine import Engine, base
from rubrictui.store import database

SPRING, RUBRIC = "Round/spring", "Counting"
COUNT = Scale(id="scale", name="Count", scale_type=ScaleType.NUMERIC, min_value=0, max_value=10)
NODES = tuple(Node(id=f"n{n}", key=f"c{n}", name=f"C{n}", scale_id="scale") for n in range(3))
SUBJECTS = ("s0", "s1", "s2")
PEERS = ("ben", "cai")


def clock() -> datetime:
    return datetime(2027, 3, 1, tzinfo=UTC)


class Panel:
    """A round of three subjects. Ann reviews; kim chairs it, reads all, and reviews; ben and cai are their peers."""

    def __init__(self, target: str, rule: Blinding) -> None:
        self.target = target
        self.engines: dict[str, Engine] = {}
        chief = self.engine("chief")
        chief.create_rubric(RUBRIC)
        draft = chief.version(f"{RUBRIC}@draft")
        chief.save_draft(msgspec.structs.replace(draft, nodes=NODES, scales=(COUNT,), pass_threshold=0.5))
        chief.publish(RUBRIC)
        chief.add_subjects([Subject(entity="Bid", record_id=name, title=name.upper()) for name in SUBJECTS])
        for name in ("ann", *PEERS):
            chief.add_user(name)
        chief.add_user("kim", roles=[Role.CHAIR, Role.ADMINISTER_EVALUATIONS])
        chief.open_round(
            "spring",
            rubric=RUBRIC,
            subjects=[f"Bid/{name}" for name in SUBJECTS],
            reviewers=["ann", "kim", *PEERS],
            rules=RoundRules(blinding=rule),
        )
        chief.assign_balanced(SPRING, per_subject=2, reviewers=PEERS)
        self.evaluations = [self.submit("ben", "s1", 2.0), self.submit("cai", "s1", 9.0)]

    def engine(self, name: str) -> Engine:
        if name not in self.engines:
            self.engines[name] = Engine(self.target, user=name, clock=clock)
        return self.engines[name]

    def submit(self, name: str, subject: str, value: float) -> str:
        engine = self.engine(name)
        draft = engine.open_draft(subject=f"Bid/{subject}", rubric=RUBRIC, context=SPRING).evaluation.id
        for node in NODES:
            engine.save_answer(
                draft, Answer(criterion_id=node.id, raw_value=value, rationale=f"{name} on {node.key}.")
            )
        return engine.submit(draft).evaluation.id

    def close(self) -> None:
        for engine in self.engines.values():
            engine.close()


def a_draft(panel: Panel, who: str) -> None:
    panel.engine(who).open_draft(subject="Bid/s0", rubric=RUBRIC, context=SPRING)


def a_draft_for_no_round(panel: Panel, who: str) -> None:
    panel.engine(who).open_draft(subject="Bid/s0", rubric=RUBRIC)


def an_assignment_not_begun(panel: Panel, who: str) -> None:
    panel.engine("chief").assign(subject="Bid/s0", rubric=RUBRIC, user=who, context=SPRING)


def an_own_submission(panel: Panel, who: str) -> None:
    panel.submit(who, "s0", 5.0)


Situation = Callable[[Panel, str], None]
OPEN_WORK: tuple[Situation, ...] = (a_draft, a_draft_for_no_round, an_assignment_not_begun)
STANDARD, UNTIL_CLOSED, COMMENTS = Blinding.STANDARD, Blinding.UNTIL_CLOSED, Blinding.COMMENTS_VISIBLE
CASES: list[tuple[Blinding, Situation]] = [
    *((STANDARD, situation) for situation in OPEN_WORK),
    (UNTIL_CLOSED, a_draft),
    (UNTIL_CLOSED, an_own_submission),
    (COMMENTS, a_draft),
    (COMMENTS, an_own_submission),
]


@pytest.fixture
def _one_server_connection() -> Iterator[None]:
    """Commands on a server, hundreds of them, share what each would connect with: a connection costs more than
    most commands."""
    make: Callable[..., Any] = database.create_engine
    kept: dict[Any, Any] = {}

    with pytest.MonkeyPatch.context() as patched:

        def create(url: Any, **options: Any) -> Any:
            if str(url).startswith("sqlite"):
                return make(url, **options)
            if url not in kept:
                kept[url] = make(url, **options)
                patched.setattr(kept[url], "dispose", lambda: None)
            return kept[url]

        patched.setattr(database, "create_engine", create)
        yield
    for engine in kept.values():
        engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        path: Path = request.getfixturevalue("store_path")
        yield str(path)
        return
    server: Postgres = request.getfixturevalue("postgres")
    yield server.store
    server.empty_the_store()


def peers_work(panel: Panel) -> list[str]:
    """What peers do in the meantime; the ids of what they made."""
    made = [panel.submit("ben", "s0", 1.0), panel.submit("cai", "s0", 8.0)]
    panel.engine("ben").withdraw(made[0], "Wrong file.")
    again = panel.engine("cai").start_superseding(made[1]).evaluation.id
    return [*made, panel.engine("cai").submit(again).evaluation.id]


# -- the engine --------------------------------------------------------------------------------------


def reads(engine: Engine, ids: list[str]) -> dict[str, Any]:
    """Every way to read evaluations, or what follows from them, by the name of the method."""
    subjects = [f"Bid/{name}" for name in SUBJECTS]
    contexts = (SPRING, None)
    each = [(subject, context) for subject in subjects for context in contexts]
    one: dict[str, Callable[[], Any]] = {
        "inbox": engine.inbox,
        "assignments": lambda: [engine.assignments(), engine.assignments(context=SPRING)],
        "subjects": lambda: [engine.subjects(), engine.subjects(context=SPRING)],
        "evaluations": lambda: [
            engine.evaluations(),
            *(engine.evaluations(subject=subject) for subject in subjects),
            engine.evaluations(context=SPRING, rubric=RUBRIC),
        ],
        "evaluation": lambda: [tried(partial(engine.evaluation, id)) for id in ids],
        "cohort": lambda: [engine.cohort(subject=s, rubric=RUBRIC, context=c) for s, c in each],
        "consensus_for_subject": lambda: [
            tried(partial(engine.consensus_for_subject, subject=s, rubric=RUBRIC, context=c)) for s, c in each
        ],
        "matrix_table": lambda: [
            engine.matrix_table(subject=s, rubric=RUBRIC, context=c, with_texts=True) for s, c in each
        ],
        "round_table": lambda: [engine.round_table(SPRING), engine.round_table(SPRING, counting_only=True)],
        "round_overview": lambda: engine.round_overview(SPRING),
        "round_log": lambda: tried(lambda: engine.round_log(SPRING)),
        "round_facts": lambda: tried(lambda: engine.round_facts(SPRING, with_texts=True)),
        "letter_facts": lambda: tried(lambda: engine.letter_facts(SPRING)),
        "anonymised_subjects": lambda: engine.anonymised_subjects(SPRING),
        "rounds": engine.rounds,
        "round": lambda: engine.round(SPRING),
        "conflicts": engine.conflicts,
        "packets": lambda: [engine.sent_packets(), engine.packet_conflicts(include_settled=True)],
        "adjudications": lambda: [
            engine.adjudications(SPRING), engine.adjudications(SPRING, with_superseded=True)
        ],
        "adjudication_queue": lambda: [
            tried(lambda: engine.adjudication_queue(SPRING)),
            tried(lambda: engine.adjudication_queue(SPRING, everything=True)),
        ],
        "settlement_desk": lambda: [tried(partial(engine.settlement_desk, SPRING, s)) for s in subjects],
        "past_answers": lambda: engine.past_answers("c0", RUBRIC),
        "phrases": engine.phrases,
        "rubrics": engine.rubrics,
        "rubric": lambda: engine.rubric(RUBRIC),
        "display_range": lambda: engine.display_range(RUBRIC),
        "version_cards": lambda: engine.version_cards(RUBRIC),
        "last_answers": lambda: [tried(partial(engine.last_answers, RUBRIC, s)) for s in subjects],
        "what_if": lambda: tried(lambda: engine.what_if(RUBRIC, engine.version(RUBRIC))),
        "prompt_runs": engine.prompt_runs,
        "info": lambda: msgspec.structs.replace(engine.info(), size=None),  # of the file, which anybody may list
        "contexts": engine.contexts,
        "users": engine.users,
    }  # fmt: skip
    return {name: tried(read) for name, read in one.items()}


def tried(read: Callable[[], Any]) -> str:
    """What it gives as JSON, or what it says instead."""
    try:
        return msgspec.json.encode(read()).decode()
    except RubrictuiError as error:
        return f"{error.code}: {error}"
    except TypeError:
        return repr(read())


#: Public methods that change something, or read nothing that follows from an evaluation.
_OTHERS = """
    adjudication_reasons discard_settlement save_settlement set_adjudication_reasons settle
    add_context add_phrase add_reviewers add_round_subjects add_subjects add_user assign assign_balanced
    assign_listed backup change_round check close close_round create_rubric declare_conflict decline decline_draft
    delete_category delete_phrase delete_sample_set delete_scale describe_rubric discard_draft duplicate_scale
    try_evaluator try_evaluator_async
    evaluate_all evaluate_record evaluate_record_async import_packet import_rubrics import_scores judging_session
    load_documents load_samples open_draft open_round open_rubric_draft publish record_evaluation release
    release_from_round remove_reviewer rename_category rename_rubric reopen_round restore retire save_answer
    save_category save_cursor save_draft save_prompt save_sample_set save_scale set_category set_roles
    settle_packet_conflict start_draft start_superseding submit submit_human_rubric sync_pull sync_push use_phrase
    withdraw withdraw_conflict
    all_scale_uses categories context diff draft draft_revision evaluators export_packet is_empty is_local
    packet_conflicts sent_packets packet_origin preview preview_prompt prompt prompt_run prompts publish_preview return_packet role_script
    sample_sets scale_uses scales subject sync_diff sync_status take_work two_versions version version_to_score
"""


@pytest.mark.parametrize(
    ("rule", "situation"), CASES, ids=lambda value: getattr(value, "__name__", str(value))
)
@pytest.mark.parametrize("who", ["ann", "kim"])
def test_no_read_of_the_engine_changes(target: str, who: str, rule: Blinding, situation: Situation) -> None:
    panel = Panel(target, rule)
    situation(panel, who)
    # Ids that will exist are asked for before they do.
    before_ids = [*panel.evaluations, "unknown"]
    before = reads(panel.engine(who), before_ids)
    made = peers_work(panel)
    after = reads(panel.engine(who), before_ids)
    unknown = tried(lambda: panel.engine(who).evaluation("unknown"))
    told = {tried(partial(panel.engine(who).evaluation, id)).replace(id, "unknown") for id in made}
    panel.close()
    if situation is an_own_submission and rule is COMMENTS:
        # Words, and nothing but words, come through.
        assert "cai on c0." in after["matrix_table"]
        words = re.compile(r'"comments":\[.*?\]\}|"comments":\[[^]]*\]')
        before, after = ({name: _wordless(one) for name, one in found.items()} for found in (before, after))
        assert words.search(after["matrix_table"])
    assert after == before
    assert told == {unknown}


def _wordless(told: str) -> str:
    try:
        found = msgspec.json.decode(told)
    except msgspec.DecodeError:
        return told
    for one in found if isinstance(found, list) else ():
        if isinstance(one, dict) and "comments" in one:
            one["comments"] = []
    return msgspec.json.encode(found).decode()


def test_every_public_method_of_the_engine_is_compared_or_known_to_need_it_not(store_path: Path) -> None:
    with Engine(store_path, user="x") as engine:
        compared = set(reads(engine, []))
    public = {name for name in dir(Engine) if not name.startswith("_")}
    new = public - compared - set(_OTHERS.split())
    assert not new, f"does it tell of evaluations? add it to reads(), else to _OTHERS: {sorted(new)}"


# -- the command line --------------------------------------------------------------------------------

COMMANDS = (
    "list", f"show {RUBRIC}", "subjects list --context Round/spring", "subjects show Bid/s0", "context list",
    "evaluations", "evaluations --subject Bid/s0", "evaluations --context Round/spring --status Submitted",
    f"consensus Bid/s0 {RUBRIC} --context Round/spring", f"consensus Bid/s2 {RUBRIC}",
    "matrix Bid/s0 --round Round/spring", "matrix Bid/s0 --round Round/spring --superseded --csv",
    "matrix Bid/s0 --round Round/spring --html", "matrix --round Round/spring", "matrix --round Round/spring --csv",
    "matrix --round Round/spring --markdown", "rank Round/spring", "rank Round/spring --csv", "rank Round/spring --html",
    "agreement Round/spring --resamples 10", "round list", "round show Round/spring", "round show Round/spring --log",
    "round conflicts", "users list", "db info", "runs", "adjudicate list Round/spring",
    "packet list", "packet conflicts --all", "adjudicate list Round/spring --all", "adjudicate show Round/spring Bid/s0", "report Round/spring --resamples 10",
)  # fmt: skip
#: Commands that change something, or print nothing that follows from an evaluation in the store.
OTHER_COMMANDS = (
    "adjudicate reasons", "adjudicate settle", "assign", "context add", "db", "demo", "diff", "evaluate", "evaluations import", "evaluators", "import", "load",
    "matter", "new", "packet", "prompt", "round assign", "round change", "round close", "round conflict",
    "round decline", "round open", "round release", "round reopen", "score", "stats", "submit", "subjects add",
    "subjects export", "letters", "sync",
    "users add", "users roles", "validate", "worker",
)  # fmt: skip


def outputs(target: str) -> dict[str, tuple[int, str, str]]:
    return {f"{one}{json}": printed(target, f"{one}{json}") for one in COMMANDS for json in ("", " --json")}


def printed(target: str, command: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*command.split(), "--db", target])
    # When it was asked, and how many bytes the file has, differ anyway.
    shown = re.sub(r'"at": "[^"]*"|Made \S+ \S+ UTC|, [\d,]+ bytes|"size": \d+', "", out.getvalue())
    return code, shown, err.getvalue()


@pytest.mark.usefixtures("_one_server_connection")
@pytest.mark.parametrize(
    ("rule", "situation"),
    [(STANDARD, a_draft), (STANDARD, an_assignment_not_begun), (UNTIL_CLOSED, an_own_submission)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
@pytest.mark.parametrize("who", ["ann", "kim"])
def test_no_output_of_the_command_line_changes(
    target: str, who: str, rule: Blinding, situation: Situation, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = Panel(target, rule)
    situation(panel, who)
    monkeypatch.setattr(base, "operating_system_login", lambda: who)
    monkeypatch.setattr(base, "session_user", lambda connection: who)
    before = outputs(target)
    peers_work(panel)
    after = outputs(target)
    panel.close()
    assert after == before
    assert "fault of the program" not in "".join(err for _, _, err in after.values())


def written(target: str, folder: Path) -> dict[str, str]:
    """Everything that letters, reports and exports put into files, by its path, and what they say."""
    found = {}
    for command in (
        "letters Round/spring --format markdown --format html --format text --to {}/letters",
        "report Round/spring --format html --resamples 10 --to {}/report.html",
        "report Round/spring --format csv --resamples 10 --to {}/csv",
        "subjects export --context Round/spring --to {}/subjects",
    ):
        code, out, err = printed(target, command.format(folder))
        found[command] = f"{code} {out} {err}".replace(str(folder), "")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = path.read_bytes().decode()
            found[str(path.relative_to(folder))] = re.sub(r"Made \S+ \S+ UTC|20\d\d-\d\d-\d\d", "", text)
    return found


@pytest.mark.usefixtures("_one_server_connection")
@pytest.mark.parametrize(
    ("rule", "situation"),
    [(STANDARD, an_assignment_not_begun), (UNTIL_CLOSED, an_own_submission)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_no_file_that_is_written_about_a_round_changes(
    target: str, tmp_path: Path, rule: Blinding, situation: Situation, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = Panel(target, rule)
    situation(panel, "kim")
    monkeypatch.setattr(base, "operating_system_login", lambda: "kim")
    monkeypatch.setattr(base, "session_user", lambda connection: "kim")
    before = written(target, tmp_path / "before")
    peers_work(panel)
    after = written(target, tmp_path / "after")
    panel.close()
    assert after == before
    assert "report.html" in after
    assert rule is UNTIL_CLOSED or "letters/bid-s1.html" in after  # s0 is hidden, s1 is hers to write about
    assert not [name for name in after if "s0" in name and name.startswith("letters")]


def test_every_command_is_compared_or_known_to_need_it_not() -> None:
    def leaves(parser: Any, words: tuple[str, ...] = ()) -> Iterator[str]:
        if not parser.commands or parser.get_default("handler") is not None:
            yield " ".join(words)
        for name, under in parser.commands.items():
            yield from leaves(under, (*words, name))

    known = (*COMMANDS, *OTHER_COMMANDS)
    new = [
        one
        for one in leaves(build_parser())
        if one and not any(f"{k} ".startswith(f"{one} ") or f"{one} ".startswith(f"{k} ") for k in known)
    ]
    assert not new, f"does it tell of evaluations? add it to COMMANDS, else to OTHER_COMMANDS: {new}"


# -- acting as another -------------------------------------------------------------------------------


def test_acting_as_a_peer_opens_nothing_that_is_hidden_from_oneself(target: str) -> None:
    panel = Panel(target, STANDARD)
    an_assignment_not_begun(panel, "kim")
    made = peers_work(panel)[-1]
    own = panel.submit("cai", "s2", 3.0)
    with Engine(target, user="kim", as_user="cai", clock=clock) as acting:
        assert acting.user.name == "cai"
        told = reads(acting, [made])
        assert made not in "".join(told.values()).replace(f"Evaluation {made} is not found", "")
        assert own in told["evaluations"]
        assert '"is_blind":true' in told["matrix_table"]
        refusals: tuple[Callable[[], Any], ...] = (
            lambda: acting.start_superseding(made),
            lambda: acting.open_draft(subject="Bid/s0", rubric=RUBRIC, context=SPRING),
        )
        for refused in refusals:
            with pytest.raises(RubrictuiError, match=r"hidden from you|not found"):
                refused()
    panel.engine("kim").decline(
        next(
            one.id
            for one in panel.engine("kim").assignments(subject="Bid/s0")
            if one.user_id == panel.engine("kim").user.id
        ),
        "Not mine.",
    )
    with Engine(target, user="kim", as_user="cai", clock=clock) as acting:
        assert acting.evaluation(made).evaluation.id == made
    panel.close()
