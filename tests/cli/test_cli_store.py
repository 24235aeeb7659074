"""The commands that work on a store: what they print, what they store, and what they refuse."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rubrictui.__main__ import main

Cli = Callable[..., Any]


@pytest.fixture
def on(cli: Cli, store: Path) -> Cli:
    """Runs a command on the copied sample store."""
    return lambda *arguments, **rest: cli(*arguments, "--db", store, **rest)


# Reading.


def test_list_shows_rubrics_with_their_published_version(on: Cli) -> None:
    rows = on("list", "--json").data
    (awards,) = [row for row in rows if row["name"] == "Awards"]
    assert awards["versions"][0]["number"] == "1.0.0"
    assert awards["versions"][0]["status"] == "Published"
    text = on("list", "--search", "award").out.splitlines()
    assert text[0].split()[:3] == ["rubric", "category", "published"]
    assert text[1].split()[:3] == ["Awards", "Awards", "1.0.0"]
    assert len(text) == 2
    nothing = on("list", "--category", "None such")
    assert (nothing.code, nothing.out) == (0, "")


def test_show_prints_the_snapshot_or_the_tree(on: Cli, cli: Cli, tmp_path: Path) -> None:
    shown = on("show", "Awards", "--json")
    assert (shown.data["rubric_name"], shown.data["major_version"]) == ("Awards", 1)
    (tmp_path / "awards.json").write_text(shown.out)
    scored = cli("score", "--version", tmp_path / "awards.json", "--answers", "-", "--json", stdin="[]")
    assert scored.data["outcome"] == "Incomplete"
    assert on("show", "awards@1.0", "--json").data == shown.data
    text = on("show", "Procurement").out
    assert "Procurement 1.0.0 Published\n" in text
    assert (
        "  Encryption [encryption] · weight 1 (100.0%) · Compliance: Non-compliant / Partial / Compliant"
        in text
    )
    assert "not applicable: NotAllowed" in text
    assert "bands\n  " in text


def test_diff_of_two_versions_of_the_store(on: Cli) -> None:
    found = on("diff", "Awards", "1.0.0", "1.0.0", "--json").data
    assert found == {"changes": [], "computed_bump": None, "applied_bump": None, "next_version": None}


def test_evaluations_and_one_of_them_whole(on: Cli) -> None:
    rows = on("evaluations", "--rubric", "Awards", "--json").data
    assert {row["outcome"] for row in rows} == {"Passed", "GateFailed"}
    failed = next(row for row in rows if row["outcome"] == "GateFailed")
    detail = on("show", "--evaluation", failed["id"], "--json").data
    assert detail["evaluation"]["normalized_score"] == 0.75
    assert {row["key"] for row in detail["scores"]} == {"eligible", "craft", "originality"}
    text = on("show", "--evaluation", failed["id"]).out
    assert "GateFailed" in text
    assert "Gate failed: " in text
    assert failed["evaluator_display_name"] in text
    (line,) = [
        line for line in on("evaluations", "--rubric", "Awards").out.splitlines() if "GateFailed" in line
    ]
    assert f"{failed['evaluator_type']} {failed['evaluator_display_name']}" in line
    assert " 75 " in line
    assert on("evaluations", "--status", "Withdrawn").out.count("Withdrawn") == 1
    assert on("evaluations", "--status", "Failed").out == ""


def test_consensus_is_the_mean_of_submitted_scores(on: Cli) -> None:
    (row, *_) = on("evaluations", "--rubric", "Peer review", "--status", "Submitted", "--json").data
    subject, context = row["subject_id"], row["context_id"]
    found = on("consensus", subject, "Peer review", "--context", context, "--json").data
    assert (found["overall"], found["sample_size"], found["cohort"]["count"]) == (0.875, 2, 2)
    assert [c["key"] for c in found["criteria"]] == ["argument", "evidence"]
    text = on("consensus", subject, "Peer review", "--context", context, "--method", "Median").out
    assert text.startswith("Median: 87.5 of 2 evaluations, standard deviation ")
    assert "\ncohort of 2: mean 87.5, standard deviation " in text
    assert "  argument: 100 (of 2)\n  evidence: 75 (of 2)\n" in text
    (one, *_) = on("evaluations", "--rubric", "Procurement", "--status", "Submitted", "--json").data
    text = on("consensus", one["subject_id"], "Procurement", "--context", one["context_id"]).out
    assert " of 1 evaluation, " in text
    none = on("consensus", subject, "Peer review", "--json")
    assert (none.data["overall"], none.data["sample_size"]) == (None, 0)
    (place,) = [one for one in on("context", "list", "--json").data if one["id"] == context]
    assert none.err == (
        "Without a context there are no evaluations that count, but there are in "
        f"{place['entity']}/{place['record_id']}: name one with --context.\n"
    )
    assert on("consensus", subject, "Peer review", "--context", context).err == ""


def test_what_is_not_there_is_a_no_and_not_a_usage_error(on: Cli) -> None:
    for arguments in (
        ["show", "Nope"],
        ["show", "Awards@9"],
        ["show", "--evaluation", "x"],
        ["show", "Lightning talk"],
    ):
        done = on(*arguments)
        assert (done.code, done.out, done.err.count("\n")) == (1, "", 1), arguments
    assert on("show", "Nope", "--json").data["error"]["kind"] == "not_found"


# Subjects, contexts, assignments, users.


def test_real_work_is_set_up_with_a_few_commands(cli: Cli, tmp_path: Path) -> None:
    db = tmp_path / "new.db"

    def on(*arguments: object, **rest: Any) -> Any:
        return cli(*arguments, "--db", db, **rest)

    (tmp_path / "rubric.yaml").write_text(RUBRIC)
    (tmp_path / "north.md").write_text("# North\n\nAll encrypted.\n")
    assert on("load", tmp_path / "rubric.yaml", "--json").data["published"] == 1
    added = on("subjects", "add", tmp_path / "north.md", "--entity", "Bid", "--json").data
    assert (added[0]["title"], added[0]["record_id"]) == ("North", "north")
    assert (
        on("context", "add", "Round/spring", "--name", "Spring", "--rubric", "Vendor", "--json").data["name"]
        == "Spring"
    )
    assert on("users", "add", "ann").out == "ann: reviewer\n"
    assigned = on(
        "assign",
        "Bid/north",
        "--rubric",
        "Vendor@1.0.0",
        "--to",
        "ann",
        "--context",
        "Round/spring",
        "--json",
    )
    assert assigned.data[0]["status"] == "Open"
    submitted = on("submit", "-", "--user", "ann", "--json", stdin=json.dumps(evaluation()))
    assert submitted.code == 0, submitted.err
    assert submitted.data["evaluation"]["evaluator_user_name"] == "ann"
    assert submitted.data["evaluation"]["outcome"] == "Passed"
    assert on("evaluations", "--json").data[0]["id"] == submitted.data["evaluation"]["id"]


RUBRIC = """\
kind: scale
id: scale-1
name: Meets
levels:
  - {id: level-0, label: Miss, normalized_value: 0}
  - {id: level-1, label: Meets, normalized_value: 1}
---
kind: rubric
id: rubric-1
name: Vendor
version:
  id: version-1
  pass_threshold: 0.5
  criteria:
    - id: node-1
      key: security
      scale: Meets
      rationale_required: true
      evidence_required: true
---
kind: publication
rubric: Vendor
version_id: version-1
"""


def evaluation(**changes: Any) -> dict[str, Any]:
    """The action's input, in the guide's spelling."""
    return {
        "RubricVersionID": "version-1",
        "SubjectEntity": "Bid",
        "SubjectRecordID": "north",
        "ContextEntity": "Round",
        "ContextRecordID": "spring",
        "Answers": [
            {
                "CriterionId": "node-1",
                "ScaleLevelId": "level-1",
                "Rationale": "It says so.",
                "Evidence": [{"Kind": "quote", "Text": "All encrypted.", "Source": "text"}],
            }
        ],
        **changes,
    }


@pytest.fixture(scope="module")
def work_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one published rubric, one subject and one context, made once."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "rubric.yaml").write_text(RUBRIC)
    (folder / "north.md").write_text("# North\n\nAll encrypted.\n")
    db = ["--db", str(folder / "work.db")]
    assert main(["load", str(folder / "rubric.yaml"), *db]) == 0
    assert main(["subjects", "add", str(folder / "north.md"), "--entity", "Bid", *db]) == 0
    assert main(["context", "add", "Round/spring", *db]) == 0
    return folder / "work.db"


@pytest.fixture
def work(cli: Cli, work_store: Path, tmp_path: Path) -> Cli:
    """Runs a command on a copy of that store, with its rubric's file beside it."""
    (tmp_path / "rubric.yaml").write_text(RUBRIC)
    db = shutil.copy(work_store, tmp_path / "work.db")
    return lambda *arguments, **rest: cli(*arguments, "--db", db, **rest)


def test_subjects_are_listed_shown_and_brought_up_to_date(work: Cli, tmp_path: Path) -> None:
    assert work("subjects", "list").out.splitlines()[1].split() == ["Bid/north", "North"]
    assert "All encrypted." in work("subjects", "show", "Bid/north").out
    (tmp_path / "north.md").write_text("# North, again\n")
    again = work("subjects", "add", tmp_path / "north.md", "--entity", "Bid")
    assert "1 subject added or brought up to date." in again.err
    assert work("subjects", "list", "--json").data[0]["title"] == "North, again"
    (tmp_path / "more.csv").write_text("id,title,text,price\n1,One,Text,5\n\n2,Two,,6\n")
    more = work("subjects", "add", tmp_path / "more.csv", "--json")
    assert more.data[0]["data"] == {"price": "5"}
    assert "1 blank row left out (row 3)" in more.err
    assert '"price": "5"' in work("subjects", "show", "Subject/1").out


def test_an_error_in_one_file_adds_nothing(work: Cli, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("# Good")
    (tmp_path / "bad.json").write_text("{")
    assert work("subjects", "add", tmp_path / "good.md", tmp_path / "bad.json").code == 2
    assert len(work("subjects", "list", "--json").data) == 1


def test_a_context_has_a_due_time_in_its_zone(work: Cli) -> None:
    made = work(
        "context", "add", "Round/x", "--due", "2027-03-01T17:00", "--zone", "Europe/Zurich", "--json"
    ).data
    assert (made["due_at"], made["due_zone"]) == ("2027-03-01T16:00:00Z", "Europe/Zurich")
    day = work("context", "add", "Round/y", "--due", "2027-03-01", "--zone", "UTC", "--closed", "--json").data
    assert (day["due_at"], day["status"]) == ("2027-03-01T23:59:00Z", "Closed")
    assert work("context", "list").out.count("\n") == 4
    for wrong in (
        ["--due", "soon"],
        ["--due", "2027-03-01T17:00"],
        ["--due", "2027-03-01", "--zone", "Moon/Sea"],
    ):
        done = work("context", "add", "Round/z", *wrong)
        assert (done.code, done.err.count("\n")) == (2, 1)
    assert work("context", "add", "spring").code == 2


def test_users_get_roles(work: Cli) -> None:
    assert work("users", "add", "bo", "--role", "author", "--role", "chair").out == "bo: author, chair\n"
    assert work("users", "roles", "bo", "--role", "reviewer", "--json").data["roles"] == ["reviewer"]
    assert "bo" in work("users", "list").out
    assert {user["name"] for user in work("users", "list", "--json").data} > {"bo"}
    refused = work("users", "add", "cy", "--user", "bo")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert work("list", "--user", "nobody").code == 1


# Submit.


def test_submit_prints_the_stored_evaluation_and_takes_snake_case(work: Cli) -> None:
    given = {
        "rubric_version_id": "Vendor@1.0.0",
        "subject_entity": "Bid",
        "subject_record_id": "north",
        "answers": [
            {
                "criterion": "security",
                "level": "Meets",
                "rationale": "Yes",
                "evidence": [{"kind": "note", "text": "seen"}],
            }
        ],
    }
    text = work("submit", "-", stdin=json.dumps(given)).out
    assert text.startswith("Submitted ")
    assert "security · Meets · score 100 · share 1 · points 100" in text
    assert "    note: seen" in text


def test_a_second_submission_supersedes_when_it_says_so(work: Cli) -> None:
    first = work("submit", "-", "--json", stdin=json.dumps(evaluation())).data["evaluation"]["id"]
    assert work("submit", "-", stdin=json.dumps(evaluation())).code == 1
    again = work("submit", "-", "--json", stdin=json.dumps(evaluation(SupersedesEvaluationID=first)))
    assert again.data["evaluation"]["supersedes_id"] == first


def test_a_judge_outside_submits_under_its_own_name(work: Cli) -> None:
    given = evaluation(
        EvaluatorType="External", EvaluatorName="grader-2", PassThreshold=1, Metadata={"run": 7}
    )
    found = work("submit", "-", "--json", stdin=json.dumps(given)).data["evaluation"]
    assert (found["evaluator_type"], found["evaluator_name"], found["metadata"]) == (
        "External",
        "grader-2",
        {"run": 7},
    )
    assert found["pass_threshold_applied"] == 1.0


def test_a_refusal_lists_everything_that_is_missing(work: Cli) -> None:
    bare = evaluation(Answers=[{"CriterionId": "node-1", "ScaleLevelId": "level-1"}])
    done = work("submit", "-", "--json", stdin=json.dumps(bare))
    assert done.code == 1
    assert [problem["kind"] for problem in done.data["error"]["problems"]] == [
        "rationale_missing",
        "evidence_missing",
    ]
    assert done.err.count("\n") == 2
    quote = {"Kind": "quote", "Text": "Nothing encrypted.", "Source": "text"}
    false = evaluation(Answers=[{**evaluation()["Answers"][0], "Evidence": [quote]}])
    assert (
        work("submit", "-", "--json", stdin=json.dumps(false)).data["error"]["problems"][0]["kind"]
        == "quote_not_found"
    )
    assert work("evaluations", "--json").data == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"Answers": None}, 'has no "answers"'),
        ({"Answers": {}}, '"answers" is no list'),
        ({"Answers": [1]}, "answers[0] is no object"),
        ({"Answers": [{"CriterionId": 1}]}, "answers[0]"),
        ({"Answers": [{"Criterion": "security", "ScaleLevelId": "x"}]}, "mixes ids and names"),
        ({"Answers": [{"Criterion": "nope", "Level": "Meets"}]}, 'no criterion "nope"'),
        ({"Answers": [{"CriterionId": "node-1", "Evidence": [{"Kind": "hearsay"}]}]}, "hearsay"),
        ({"Answers": [{"CriterionId": "node-1", "Score": 1}]}, 'there is no field "Score"'),
        ({"rubric_version_id": "x"}, '"rubric_version_id" is given twice'),
        ({"ContextEntity": None}, "go together"),
        ({"SubjectEntity": 5}, "must be text"),
        ({"PassThreshold": "high"}, "must be a number"),
        ({"EvaluatorType": "Oracle"}, 'no evaluator type "Oracle"'),
        ({"Outcome": "Passed"}, 'there is no field "Outcome"'),
    ],
)
def test_what_is_no_submission_is_refused_in_one_line(work: Cli, changes: dict[str, Any], words: str) -> None:
    done = work("submit", "-", stdin=json.dumps(evaluation(**changes)))
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert words in done.err


# Load, db, demo.


def test_loading_twice_is_loading_once(work: Cli, tmp_path: Path) -> None:
    again = work("load", tmp_path / "rubric.yaml")
    assert (again.code, again.out) == (0, "Everything was there already.\n")


def test_a_file_names_what_the_store_holds(work: Cli, tmp_path: Path) -> None:
    (tmp_path / "subjects.yaml").write_text(
        "kind: subjects\nassignments:\n"
        "  - {id: a-1, subject: Bid/north, context: Round/spring, rubric: Vendor, user: '@me'}\n"
    )
    assert work("load", tmp_path / "subjects.yaml", "--json").data["assignments"] == 1
    (tmp_path / "more.yaml").write_text(
        "kind: rubric\nid: r2\nname: More\nversion: {id: v2, criteria: [{id: n2, key: a, scale: Meets}]}\n"
    )
    assert work("load", tmp_path / "more.yaml").out == "Loaded 1 rubric.\n"
    assert work("show", "More@draft", "--json").data["scales"][0]["id"] == "scale-1"
    wrong = work("load", tmp_path / "subjects.yaml", tmp_path / "rubric.yaml", tmp_path / "gone.yaml")
    assert (wrong.code, wrong.out) == (1, "")
    assert "Nothing was loaded." in wrong.err


def test_drafts_stay_drafts_without_publishing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "rubric.yaml").write_text(RUBRIC)
    done = cli("load", tmp_path, "--no-publish", "--json", "--db", tmp_path / "x.db")
    assert (done.data["rubrics"], done.data["published"]) == (1, 0)
    assert cli("show", "Vendor", "--db", tmp_path / "x.db").code == 1


def test_db_tells_checks_copies_and_migrates(on: Cli, store: Path, tmp_path: Path) -> None:
    info = on("db", "info", "--json").data
    assert (info["where"], info["dialect"]) == (str(store), "sqlite")
    assert info["counts"]["evaluations"] > 0
    assert str(store) in on("db", "info").out
    assert on("db", "check").out == "The store is sound.\n"
    assert on("db", "check", "--json").data == {"sound": True, "problems": []}
    copy = tmp_path / "copy.db"
    assert on("db", "backup", copy, "--json").data["size"] > 0
    assert on("db", "backup", copy).code == 2
    assert on("db", "migrate", "--json").data["upgraded_from"] is None
    assert "already" in on("db", "migrate").out


def test_db_info_says_where_the_other_files_are(
    on: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = ("config", "state", "data")
    for kind in kinds:
        monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", str(tmp_path / kind))
    places = [
        tmp_path / "config" / "rubrictui" / "config.json",
        tmp_path / "state" / "rubrictui" / "errors.log",
        tmp_path / "data" / "rubrictui" / "demo.db",
    ]
    info = on("db", "info", "--json").data
    assert [info["settings_file"], info["error_log"], info["demo_store"]] == [str(path) for path in places]
    assert on("db", "info").out.splitlines()[-3:] == [
        f"settings file: {places[0]}",
        f"error log: {places[1]}",
        f"demo store: {places[2]}",
    ]
    assert not any((tmp_path / kind).exists() for kind in kinds)


def test_db_check_says_in_words_what_differs(on: Cli, store: Path) -> None:
    with closing(sqlite3.connect(store)) as raw:
        raw.executescript("DROP INDEX ix_evaluation_own; CREATE INDEX mine ON subject (title)")
    found = on("db", "check")
    assert (found.code, found.out) == (
        1,
        "The index ix_evaluation_own of table evaluation is missing.\n"
        "The index mine of table subject does not belong there.\n",
    )


WITH_A_STORE = {
    "list": [],
    "show": ["Awards"],
    "diff": ["Awards", "1.0.0", "1.0.0"],
    "evaluations": [],
    "evaluations import": ["--rubric", "Awards", "--evaluator", "elsewhere", "scores.csv"],
    "evaluate": ["--rubric", "Awards", "--entity", "Bid", "--record", "north"],
    "runs": [],
    "prompt list": [],
    "prompt show": ["Default Judge"],
    "prompt preview": ["--rubric", "Awards", "--entity", "Bid", "--record", "north"],
    "prompt save": ["House judge", "north.md"],
    "consensus": ["Bid/north", "Awards"],
    "agreement": ["--rubric", "Awards", "Round/spring"],
    "matrix": ["Bid/north"],
    "report": ["Round/spring"],
    "letters": ["Round/spring", "--to", "letters"],
    "subjects export": ["--context", "Round/spring", "--to", "subjects"],
    "rank": ["Round/spring"],
    "load": ["rubric.yaml"],
    "validate": ["rubric.yaml"],
    "import": ["rubric.csv"],
    "sync status": ["rubrics"],
    "sync diff": ["rubrics"],
    "sync pull": ["rubrics"],
    "sync push": ["rubrics"],
    "submit": ["evaluation.json"],
    "subjects add": ["north.md"],
    "subjects list": [],
    "subjects show": ["Bid/north"],
    "context add": ["Round/spring"],
    "context list": [],
    "round open": ["Round/spring", "--rubric", "Awards"],
    "round change": ["Round/spring", "--name", "Spring"],
    "round list": [],
    "round show": ["Round/spring"],
    "round close": ["Round/spring"],
    "round reopen": ["Round/spring", "--reason", "too early"],
    "round assign": ["Round/spring"],
    "round release": ["Round/spring", "--reason", "ill"],
    "round decline": ["Round/spring", "Bid/north", "--reason", "ill"],
    "round conflict": ["Bid/north"],
    "round conflicts": [],
    "packet export": ["--round", "Round/spring", "--to", "ann"],
    "packet conflicts": [],
    "packet list": [],
    "adjudicate list": ["Round/spring"],
    "adjudicate show": ["Round/spring", "Bid/north"],
    "adjudicate settle": ["Round/spring", "Bid/north"],
    "adjudicate reasons": [],
    "matter rubric": ["clean-nda", "--load"],
    "matter evaluate": ["clean-nda", "--actions", "actions.json", "--record", "mine"],
    "assign": ["Bid/north", "--rubric", "Awards", "--to", "ann"],
    "users add": ["ann"],
    "users list": [],
    "users roles": ["ann"],
    "db info": [],
    "db check": [],
    "db backup": ["copy.db"],
    "db migrate": [],
    "db copy": ["newer.db", "copy.db"],
    "demo": ["--prepare-only", "--path", "newer.db"],
}
WITHOUT = {
    "db roles",
    "evaluators",
    "matter gate",
    "matter lint",
    "matter list",
    "matter metrics",
    "matter play",
    "matter probe",
    "matter score",
    "matter show",
    "new",
    "packet import",  # reads its file first
    "packet open",
    "packet return",
    "packet show",
    "score",
    "stats agreement",
    "stats alpha",
    "stats confusion",
    "stats consensus",
    "stats diagnostics",
    "stats kappa",
    "stats plot",
    "stats severity",
    "worker",  # on PostgreSQL only
}


@pytest.fixture(scope="module")
def newer_store(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that a later version of the program has upgraded, in a folder with files to load."""
    path = tmp_path_factory.mktemp("newer") / "newer.db"
    shutil.copy(sample_store, path)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE store_revision SET version_num = '9999'")
        raw.commit()
    (path.parent / "rubric.yaml").write_text(RUBRIC)
    (path.parent / "north.md").write_text("# North\n")
    (path.parent / "evaluation.json").write_text(json.dumps(evaluation()))
    (path.parent / "actions.json").write_text('[{"type": "submit_final", "summary": "Nothing found."}]')
    (path.parent / "scores.csv").write_text("subject,criterion,level\nnorth,price,Good\n")
    (path.parent / "rubric.csv").write_text("Criterion,Weight,Poor,Good\nPrice,1,high,low\n")
    (path.parent / "rubrics").mkdir()
    return path


@pytest.mark.parametrize("command", WITH_A_STORE)
def test_every_command_refuses_a_store_of_a_newer_version_in_one_line(
    cli: Cli, newer_store: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(newer_store.parent)
    before = newer_store.read_bytes()
    done = cli(*command.split(), *WITH_A_STORE[command], "--db", newer_store)
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        f"rubrictui: The store {newer_store} was made by a newer version of rubrictui. "
        "Upgrade rubrictui, or name another store with --db. The store was not touched.\n"
    )
    assert newer_store.read_bytes() == before
    assert not (newer_store.parent / "copy.db").exists()


def test_no_command_is_left_out_of_that() -> None:
    from rubrictui.cli.docs import help_texts

    commands = {name.removeprefix("rubrictui ") for name in help_texts()} - {"rubrictui"}
    groups = {name.split()[0] for name in commands if " " in name}
    assert commands - (groups - set(WITH_A_STORE)) - WITHOUT == set(WITH_A_STORE)


def test_a_store_that_is_no_store_is_exit_code_3(cli: Cli, tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("This is not a database, whatever its name says. " * 30)
    for arguments in (["list"], ["db", "check"], ["db", "migrate"], ["subjects", "list"]):
        done = cli(*arguments, "--db", text)
        assert (done.code, done.out, done.err.count("\n")) == (3, "", 1), arguments
    assert text.read_text().startswith("This is not a database")


def test_reading_never_makes_a_store_at_a_mistyped_path(cli: Cli, tmp_path: Path) -> None:
    assert cli("list", "--db", tmp_path / "typo.db").code == 3
    assert not (tmp_path / "typo.db").exists()


def test_the_demo_is_made_ready_in_a_store_of_its_own(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rubrictui.engine import Engine

    loaded: list[Engine] = []

    def load(engine: Engine) -> None:
        loaded.append(engine)

    monkeypatch.setattr(Engine, "load_samples", load)
    done = cli("demo", "--prepare-only", "--path", tmp_path / "new" / "demo.db", "--json")
    assert done.data == {"path": str(tmp_path / "new" / "demo.db"), "filled": True}
    assert len(loaded) == 1
    (tmp_path / "file").write_text("")
    assert cli("demo", "--prepare-only", "--path", tmp_path / "file" / "demo.db").code == 2


def test_stored_text_never_reaches_the_terminal_as_a_command(work: Cli, tmp_path: Path) -> None:
    (tmp_path / "evil.json").write_text(
        json.dumps({"id": "evil", "title": "a\x1b]0;t\x07", "text": "b\u202e\x9b2J"})
    )
    assert work("subjects", "add", tmp_path / "evil.json").code == 0
    printed = work("subjects", "list").out + work("subjects", "show", "Subject/evil").out
    assert not set("\x1b\x07\u202e\x9b") & set(printed)


def test_a_filter_that_fits_nothing_does_not_call_the_store_empty(on: Cli) -> None:
    assert on("list", "--search", "%").err == "No rubric fits. See all of them with: rubrictui list\n"


def test_a_major_version_is_a_number_that_may_be_one(on: Cli) -> None:
    for word in ("-1", "9" * 30, "x"):
        done = on("consensus", "Bid/x", "R", f"--major={word}")
        assert (done.code, done.err.count("\n")) == (2, 1)


def test_what_is_refused_makes_no_store(cli: Cli, tmp_path: Path) -> None:
    files, store = tmp_path / "files", tmp_path / "new.db"
    (files / "scales").mkdir(parents=True)
    (files / "scales/bad.yaml").write_text("kind: scale\nid: s1\nname: Bad\nfoo: 1\n")
    assert cli("load", files, "--db", store).code == 1
    assert cli("sync", "push", files, "--db", store).code == 1
    assert not store.exists()
