"""The ``matter`` commands print what the conformance cases hold, and say in one line what is wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from rubrictui.matters.lint import lint

Cli = Callable[..., Any]

VECTORS = Path(__file__).parent.parent / "vectors" / "matters"
EPISODES: list[dict[str, Any]] = json.loads((VECTORS / "episodes.json").read_text(encoding="utf-8"))
TOTALS = ("normalized_score", "raw_score", "max_score")
EXACT = (
    "critical_failure", "terminated", "truncated", "steps", "valid", "budgets_start", "budgets", "learned_facts",
    "submitted_issue_ids", "submitted_redline_issue_ids", "submitted_escalation_topics", "negotiation",
    "action_types", "document_sections", "breakdown",
)  # fmt: skip
NEGOTIATED = next(
    case
    for case in EPISODES
    if case["matter"]["counterparty"]
    and case["expected"]["terminated"]
    and any(event["type"] == "settlement" for event in case["expected"]["events"])
    and case["matter"]["rubric"].get("max_score") is None
    and lint(case["matter"]) == []
)


def folder_of(matter: dict[str, Any], folder: Path) -> Path:
    """A matter of the cases as files."""
    (folder / "documents").mkdir(parents=True)
    for name in ("matter", "rubric", "hidden_facts", "counterparty"):
        if matter[name] is not None:
            (folder / f"{name}.yaml").write_text(yaml.safe_dump(matter[name], allow_unicode=True), "utf-8")
    for document_id, text in matter["documents"].items():
        (folder / "documents" / f"{document_id}.md").write_bytes(text.encode())
    return folder


@pytest.fixture
def matter(tmp_path: Path) -> Path:
    return folder_of(NEGOTIATED["matter"], tmp_path / "matter")


@pytest.fixture
def actions(tmp_path: Path) -> Path:
    """The actions of the case, as JSON Lines."""
    path = tmp_path / "actions.jsonl"
    path.write_text("".join(json.dumps(action) + "\n" for action in NEGOTIATED["actions"]), "utf-8")
    return path


def edited(folder: Path, file: str, change: Callable[[Any], object]) -> Path:
    """One file of a matter, changed."""
    path = folder / file
    value = yaml.safe_load(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(yaml.safe_dump(value, allow_unicode=True), "utf-8")
    return folder


# Scoring


def test_every_case_is_scored_as_it_says(cli: Cli) -> None:
    done = cli("matter", "score", "--batch", VECTORS / "episodes.json")
    assert done.code == 0
    results = {line["id"]: line["result"] for line in done.lines}
    assert list(results) == [case["id"] for case in EPISODES]
    for case in EPISODES:
        expected = {**case["expected"], **case["expected"].get("without_drift", {})}
        found = results[case["id"]]
        assert found["rewards"] == pytest.approx(expected["rewards"], abs=1e-4), case["id"]
        assert [found[key] for key in TOTALS] == pytest.approx([expected[key] for key in TOTALS], abs=1e-4), (
            case["id"]
        )
        assert {key: found[key] for key in EXACT} == {key: expected[key] for key in EXACT}, case["id"]
        assert found["metrics"] == pytest.approx(expected["metrics"], abs=1e-4), case["id"]
        fixed = [
            [(event["type"], event["criterion"], event.get("closed_by")) for event in one["events"]]
            for one in (found, expected)
        ]
        assert fixed[0] == fixed[1], case["id"]
        for shown, wanted in zip(found["last_results"], expected["last_results"], strict=True):
            assert {key: shown.get(key) for key in wanted} == wanted, case["id"]
        types = [[event and event["type"] for event in one["step_events"]] for one in (found, expected)]
        assert types[0] == types[1], case["id"]


def test_a_folder_and_a_file_of_actions_give_what_the_case_gives(
    cli: Cli, matter: Path, actions: Path
) -> None:
    done = cli("matter", "score", "--matter", matter, "--actions", actions, "--json")
    assert done.code == 0
    assert done.data["rewards"] == pytest.approx(NEGOTIATED["expected"]["rewards"], abs=1e-4)
    assert done.data["metrics"] == pytest.approx(NEGOTIATED["expected"]["metrics"], abs=1e-4)
    piped = cli("matter", "score", "--matter", matter, "--actions", "-", "--json", stdin=actions.read_bytes())
    assert piped.out == done.out


def test_for_people_it_says_what_each_step_earned_and_why(cli: Cli, matter: Path, actions: Path) -> None:
    done = cli("matter", "score", "--matter", matter, "--actions", actions, "--why")
    lines = [line.split() for line in done.out.splitlines()]
    assert ["step", "action", "reward", "event", "criterion", "result"] in lines
    assert sum(line[:1] == ["settlement"] for line in lines) >= 1
    assert "; matched " in done.out
    score = NEGOTIATED["expected"]["normalized_score"]
    assert done.out.splitlines()[-1].startswith(f"normalized score {score:g} (")


def test_a_score_below_what_is_asked_for_is_a_no(cli: Cli, matter: Path, actions: Path) -> None:
    score = NEGOTIATED["expected"]["normalized_score"]
    assert score > 0
    command = ("matter", "score", "--matter", matter, "--actions", actions, "--check")
    assert cli(*command, score - 0.01).code == 0
    actions.write_text('{"type": "submit_final", "summary": "Short."}\n')
    assert cli(*command, score).code == 1


def test_actions_after_the_end_do_nothing_and_are_told(cli: Cli, matter: Path, actions: Path) -> None:
    before = cli("matter", "score", "--matter", matter, "--actions", actions, "--json").data
    with actions.open("a") as file:
        file.write('{"type": "submit_final"}\n' * 2)
    done = cli("matter", "score", "--matter", matter, "--actions", actions, "--json")
    assert done.err == f"{actions}: 2 actions after the end of the episode; nothing was done with them.\n"
    assert done.data == {**before, "ignored_actions": 2}


def test_a_case_that_cannot_be_scored_is_answered_and_the_others_are_scored(cli: Cli, tmp_path: Path) -> None:
    good = {"id": "good", "matter": NEGOTIATED["matter"], "actions": NEGOTIATED["actions"]}
    endless = json.loads(json.dumps(good["matter"]))
    issue = endless["rubric"]["issues"][0]
    issue["critical_failure_patterns"] = ["(a|aa)+$"]
    hang = [dict(action) for action in NEGOTIATED["actions"]]
    for action in hang:
        if action["type"] == "submit_issue":
            action["analysis"] = "a" * 80 + "b"
    cases = [
        {"id": "no-actions", "matter": NEGOTIATED["matter"]},
        {"id": "no-matter", "actions": []},
        {"id": "endless", "matter": endless, "actions": hang},
        good,
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in cases))
    done = cli("matter", "score", "--batch", path)
    assert done.code == 1
    assert [(line["id"], line.get("error", {}).get("kind")) for line in done.lines] == [
        ("no-actions", "invalid_input"),
        ("no-matter", "invalid_input"),
        ("endless", "gate_timeout"),
        ("good", None),
    ]
    assert "(a|aa)+$" in done.lines[2]["error"]["message"]


def test_refusals_are_one_line(cli: Cli, matter: Path, actions: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"type": "submit_final"}\n{"type": \n')
    edited(matter, "rubric.yaml", lambda rubric: rubric["issues"][0].update(severity_points="much"))
    score = ("matter", "score", "--matter", matter, "--actions")
    for arguments, code, told in (
        ((*score, actions), 2, "rubric.yaml:"),
        ((*score, broken), 2, f"{broken}:2: this is not JSON"),
        ((*score, tmp_path / "gone.jsonl"), 2, "cannot be read"),
        (("matter", "score", "--actions", actions), 2, "--actions needs --matter"),
        (("matter", "score"), 2, "give --matter and --actions, or --batch"),
        (("matter", "show", tmp_path / "nowhere"), 2, "is not a directory"),
        (("matter", "gate", "--guard", "text"), 2, "give --pattern"),
        (("matter", "gate", "--entry", "{", "text"), 2, "--entry"),
        (("matter", "gate", "--pattern", "(", "text"), 2, "no regex"),
        (("matter", "probe", tmp_path), 2, "probes.yaml cannot be read"),
        (("matter", "metrics", broken), 2, "line 2: this is not JSON"),
        (("matter", "metrics", actions), 2, "line 1 is no result of an episode"),
    ):
        done = cli(*arguments)
        assert (done.code, done.out) == (code, ""), arguments
        assert told in done.err
        assert done.err.count("\n") == 1


# Lint and show


def test_lint_says_yes_to_a_sound_matter_and_no_with_the_place(cli: Cli, matter: Path) -> None:
    done = cli("matter", "lint", matter)
    assert (done.code, done.out, done.err) == (0, "", "1 matter: 0 errors, 0 warnings.\n")
    edited(matter, "rubric.yaml", lambda rubric: rubric["issues"][0].update(severity="odd"))
    line = next(
        number
        for number, text in enumerate((matter / "rubric.yaml").read_text().splitlines(), 1)
        if text.endswith("severity: odd")
    )
    done = cli("matter", "lint", matter)
    assert done.code == 1
    assert done.out.startswith(f"{matter}/rubric.yaml:{line}:13: error: ")
    assert done.out.endswith(" [severity_invalid]\n")
    found = cli("matter", "lint", matter, "--json").data
    assert (found["valid"], found["errors"], found["findings"][0]["line"]) == (False, 1, line)


def test_warnings_are_a_no_only_when_strict(cli: Cli, matter: Path) -> None:
    assert cli("matter", "lint", matter, "--pedantic").code == 0
    assert cli("matter", "lint", matter, "--pedantic", "--strict").code == 1


def test_what_a_matter_says_never_reaches_the_terminal_as_it_is(cli: Cli, matter: Path) -> None:
    hostile = "\x1b]0;owned\x07"
    edited(matter, "matter.yaml", lambda value: value.update(title=hostile))
    edited(matter, "rubric.yaml", lambda rubric: rubric["issues"][0].update(anchor=f"{hostile} §1"))
    for command in (("lint", matter), ("show", matter)):
        done = cli("matter", *command)
        assert "\x1b" not in done.out + done.err
        assert "␛]0;owned" in done.out


def test_show_adds_the_points_up_by_component(cli: Cli, matter: Path) -> None:
    found = cli("matter", "show", matter, "--json").data
    assert sum(found["points"].values()) == pytest.approx(NEGOTIATED["expected"]["max_score"])
    assert found["max_score"] == pytest.approx(NEGOTIATED["expected"]["max_score"])
    assert {one["id"]: one["sections"] for one in found["documents"]} == NEGOTIATED["expected"][
        "document_sections"
    ]
    settled = {one["id"]: one["points"]["settlement"] for one in found["issues"] if one["negotiated"]}
    assert settled
    assert found["points"]["issues: settlement"] == sum(settled.values())
    text = cli("matter", "show", matter).out
    assert f"max score {found['max_score']:g}, derived" in text


def test_show_prints_a_document_or_a_section(cli: Cli, matter: Path) -> None:
    document = cli("matter", "show", matter, "--json").data["documents"][0]
    token = document["sections"][0]
    done = cli("matter", "show", matter, "--document", document["id"], "--section", token)
    assert done.out.startswith(f"## {token}")
    refused = cli("matter", "show", matter, "--document", "nothing")
    assert (refused.code, refused.err) == (
        1,
        f'rubrictui: there is no document "nothing". There are {", ".join(NEGOTIATED["matter"]["documents"])}.\n',
    )


# Gates and probes


def test_every_gate_case_is_judged_as_it_says(cli: Cli) -> None:
    cases = json.loads((VECTORS / "gates.json").read_text(encoding="utf-8"))
    done = cli("matter", "gate", "--batch", VECTORS / "gates.json")
    assert done.code == 0
    assert [
        (line["id"], line["result"]["fires"], line["result"]["fires_normalized"]) for line in done.lines
    ] == [(case["id"], case["fires"], case["fires_normalized"]) for case in cases]


def test_a_gate_shows_the_match_the_sentence_the_window_and_what_saved_it(cli: Cli) -> None:
    text = "Well. No law prohibits it, they say."
    done = cli("matter", "gate", "--pattern", "law prohibits", "--guard", text)
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "does not fire: law prohibits",
            '  "law prohibits" at 9: saved: the negator "no" stands before it in its sentence',
            "    sentence: no [law prohibits] it, they say",
            '    guard window: " no law prohibits"',
        ],
    )
    found = cli("matter", "gate", "--pattern", "law prohibits", "--guard", "--json", text).data
    (match,) = found["gates"][0]["matches"]
    assert (match["outcome"], match["negator"], match["text"]) == ("negated", "No", "law prohibits")


def test_of_many_matches_the_one_that_fires_is_told(cli: Cli) -> None:
    text = "No law prohibits it. " * 40 + "The law prohibits it. " + "No law prohibits it. " * 40
    lines = cli("matter", "gate", "--pattern", "law prohibits", "--guard", text).out.splitlines()
    assert lines[0] == "FIRES: law prohibits"
    assert sum(line.endswith(": fires") for line in lines) == 1
    assert lines[-1] == "  and 60 matches more"


def test_a_gate_that_fires_is_a_no_when_asked(cli: Cli) -> None:
    entry = json.dumps({"pattern": "permits", "require_context": "as drafted"})
    assert cli("matter", "gate", "--entry", entry, "--check", "It permits all, as drafted.").code == 1
    assert cli("matter", "gate", "--entry", entry, "--check", stdin="It permits all. As drafted.").code == 0


def test_a_line_break_counts_only_in_the_raw_text(cli: Cli) -> None:
    gate = (
        "matter",
        "gate",
        "--pattern",
        "law prohibits",
        "--guard",
        "--check",
        "It is not so that\nlaw prohibits",
    )
    assert cli(*gate).code == 0
    raw = cli(*gate, "--raw")
    assert raw.code == 1
    assert raw.out.endswith("  as scoring sees it, it does not fire\n")


def test_probes_are_tests_that_name_their_place(cli: Cli, matter: Path) -> None:
    pattern = "nobody may ever"

    def add(rubric: Any) -> None:
        rubric["issues"][0]["critical_failure_patterns"] = [pattern]

    edited(matter, "rubric.yaml", add)
    issue = NEGOTIATED["matter"]["rubric"]["issues"][0]["id"]
    (matter / "probes.yaml").write_text(
        f"probes:\n  - gate: {issue}/critical/1\n    must_fire: [Nobody  may ever]\n    must_not_fire: [None may]\n"
    )
    done = cli("matter", "probe", matter)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("2 probes: 2 passed, 0 failed.\n")
    edited(
        matter, "rubric.yaml", lambda rubric: rubric["issues"][0].update(critical_failure_patterns=["none"])
    )
    done = cli("matter", "probe", matter / "probes.yaml")
    assert done.code == 1
    assert done.out.splitlines() == [
        f'{matter}/probes.yaml:3:17: {issue}/critical/1 must fire on "Nobody may ever": '
        "the pattern matches nowhere",
        f'{matter}/probes.yaml:4:21: {issue}/critical/1 must not fire on "None may": "none" fires',
    ]
    found = cli("matter", "probe", matter, "--json").data
    assert (found["passed"], found["probes"], found["failures"]) == (False, 2, 2)


# Metrics


def test_metrics_average_what_score_printed(cli: Cli, tmp_path: Path) -> None:
    scored = cli("matter", "score", "--batch", VECTORS / "episodes.json")
    results = tmp_path / "results.jsonl"
    results.write_text(
        scored.out + json.dumps({"id": "x", "error": {"kind": "gate_timeout"}}) + "\n", "utf-8"
    )
    done = cli("matter", "metrics", results, "--json")
    assert done.err == f"{results}, line {len(EPISODES) + 1}: not scored, so not counted.\n"
    found = {measure["name"]: measure for measure in done.data["measures"]}
    for name in EPISODES[0]["expected"]["metrics"]:
        mean = sum(case["expected"]["metrics"][name] for case in EPISODES) / len(EPISODES)
        assert found[name]["mean"] == pytest.approx(mean, abs=1e-4)
        assert found[name]["low"] <= found[name]["mean"] <= found[name]["high"]
    assert (done.data["episodes"], done.data["seed"], done.data["confidence"]) == (len(EPISODES), 0, 0.95)
    assert cli("matter", "metrics", results, "--json").out == done.out
    assert cli("matter", "metrics", results, "--json", "--seed", 1).out != done.out


def test_metrics_of_actions_and_of_their_results_agree(
    cli: Cli, matter: Path, actions: Path, tmp_path: Path
) -> None:
    result = tmp_path / "result.json"
    result.write_text(cli("matter", "score", "--matter", matter, "--actions", actions, "--json").out, "utf-8")
    from_actions = cli("matter", "metrics", "--matter", matter, actions, actions, "--json").data
    from_results = cli("matter", "metrics", result, result, "--json").data
    assert from_actions == from_results
    assert from_actions["measures"][0]["mean"] == NEGOTIATED["expected"]["normalized_score"]


def test_metrics_come_as_a_table_and_as_csv_that_a_spreadsheet_only_shows(
    cli: Cli, matter: Path, actions: Path, tmp_path: Path
) -> None:
    result = cli("matter", "score", "--matter", matter, "--actions", actions, "--json").data
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps({"id": "=HYPERLINK(1)", "result": result}) + "\n")
    rows = list(csv.DictReader(io.StringIO(cli("matter", "metrics", results, "--episodes", "--csv").out)))
    assert rows[0]["episode"] == "'=HYPERLINK(1)"
    assert float(rows[0]["normalized_score"]) == NEGOTIATED["expected"]["normalized_score"]
    means = list(csv.DictReader(io.StringIO(cli("matter", "metrics", results, "--csv").out)))
    assert means[0]["measure"] == "normalized_score"
    assert means[0]["low"] == ""
    table = cli("matter", "metrics", results)
    assert table.out.splitlines()[0].split() == ["measure", "mean", "95%", "low", "95%", "high"]
    assert table.err == "1 episode; percentile bootstrap of the mean, 2,000 draws, seed 0.\n"


# Playing


def test_play_as_json_answers_each_action_with_what_changed(cli: Cli, matter: Path, actions: Path) -> None:
    done = cli("matter", "play", matter, "--json", stdin=actions.read_bytes())
    first, *steps, last = done.lines
    assert set(first) == {"observation"}
    assert "protocol" in first["observation"]
    assert [step["reward"] for step in steps] == pytest.approx(NEGOTIATED["expected"]["rewards"], abs=1e-4)
    assert all("documents" not in step["observation"] and "step" in step["observation"] for step in steps)
    assert [step["terminated"] for step in steps] == [False] * (len(steps) - 1) + [True]
    assert last["result"]["metrics"] == pytest.approx(NEGOTIATED["expected"]["metrics"], abs=1e-4)


def test_play_takes_short_commands_and_tells_what_came_of_them(cli: Cli, matter: Path) -> None:
    document, *_ = NEGOTIATED["expected"]["document_sections"]
    token = NEGOTIATED["expected"]["document_sections"][document][0]
    lines = [
        f"read {document} §{token}",
        "ask How is the weather?",
        f"issue a | Title | high | {document} §{token}; {document} §nothing | One | Two | {document} §{token}: words",
        f"redline a | {document} | {token} | New text | A reason",
        "revise-issue a | Title | low | x | y | z",
        "nonsense",
        "read",
        "accept nothing",
        "final All done.",
        "read never reached",
    ]
    done = cli("matter", "play", matter, "--rewards", stdin="\n".join(lines) + "\n")
    assert done.code == 1  # two lines were no actions
    assert f"{document} §{token}:\n\n## {token}" in done.out
    for told in (
        "Taken: a",
        "Refused (no_outstanding_counter)",
        "The final submission is in.",
        "reward -0.1",
    ):
        assert told in done.out
    assert 'there is no command "nonsense". Type help.' in done.err
    assert "write read DOCUMENT [| SECTION]. No step was used." in done.err
    assert done.out.splitlines()[-1].startswith("Submitted: normalized score ")
    steps = NEGOTIATED["matter"]["matter"]["constraints"]["maximum_steps"]
    assert f"left: {steps - 7} steps" in done.out


def test_what_was_played_can_be_recorded_and_scored_again(cli: Cli, matter: Path, tmp_path: Path) -> None:
    record = tmp_path / "mine.jsonl"
    document = next(iter(NEGOTIATED["matter"]["documents"]))
    played = cli(
        "matter", "play", matter, "--json", "--record", record, stdin=f"read {document}\nfinal Done\n"
    )
    scored = cli("matter", "score", "--matter", matter, "--actions", record, "--json").data
    assert scored["rewards"] == [line["reward"] for line in played.lines[1:-1]]
    again = cli("matter", "play", matter, "--record", record, stdin="")
    assert (again.code, again.err) == (
        1,
        f"rubrictui: {record} is there already. Give --record a new name.\n",
    )


def test_an_episode_left_open_has_no_score_and_says_so(cli: Cli, matter: Path) -> None:
    done = cli("matter", "play", matter, "--json", stdin='{"type": "dance"}\n[1]\nquit\n')
    assert done.code == 1
    assert [sorted(line) for line in done.lines[1:]] == [
        ["observation", "reward", "terminated", "truncated"],
        ["error"],
    ]
    assert "is not finished" in done.err


# Real processes

HEAVY = ("textual", "sqlalchemy", "sqlmodel", "alembic", "krippendorff", "pandas")


def process(*arguments: object, stdin: str = "") -> Any:
    code = (
        "import sys\n"
        "from rubrictui.__main__ import main\n"
        "code = main(sys.argv[1:])\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert not heavy, heavy\n"
        "sys.exit(code)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
    )


def test_processes_score_play_and_measure_without_the_heavy_libraries(
    matter: Path, actions: Path, tmp_path: Path
) -> None:
    score = process("matter", "score", "--matter", matter, "--actions", actions, "--json")
    assert (score.returncode, score.stderr) == (0, "")
    assert json.loads(score.stdout)["raw_score"] == pytest.approx(
        NEGOTIATED["expected"]["raw_score"], abs=1e-4
    )
    (tmp_path / "result.json").write_text(score.stdout, "utf-8")
    metrics = process("matter", "metrics", tmp_path / "result.json", tmp_path / "result.json", "--json")
    assert (metrics.returncode, json.loads(metrics.stdout)["episodes"]) == (0, 2)
    play = process("matter", "play", matter, stdin="search the\nfinal Done.\n")
    assert play.returncode == 0
    assert "hold" in play.stdout
    assert "Submitted: normalized score" in play.stdout
    lint = process("matter", "lint", matter)
    assert (lint.returncode, lint.stdout) == (0, "")
