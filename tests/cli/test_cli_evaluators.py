"""``evaluators`` and ``evaluate``: what there is to score with, and having a record scored."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.core.records import EvaluatorType, Subject
from rubrictui.engine import Engine

Cli = Callable[..., Any]
CERTIFIED = {"certifications": ["ISO 27001"]}


@pytest.fixture
def on(cli: Cli, store: Path) -> Cli:
    """Runs a command on the samples, with one bid more that nobody has begun to score."""
    with Engine(store) as engine:
        engine.add_subjects([Subject(entity="Bid", record_id="7", title="Bid seven", data=CERTIFIED)])
    return lambda *arguments, **rest: cli(*arguments, "--db", store, **rest)


def evaluate(on: Cli, *more: str, **rest: Any) -> Any:
    named = ("--rubric", "Vendor proposal", "--entity", "Bid", "--record", "7")
    return on("evaluate", *named, "--evaluator", "deterministic", *more, **rest)


def test_the_list_says_what_runs_and_where_it_comes_from(cli: Cli) -> None:
    rows = {row["name"]: row for row in cli("evaluators", "--json").data}
    assert rows["Deterministic"] == {
        "name": "Deterministic", "type": "Deterministic", "runnable": True, "origin": "built in",
        "priority": 0, "replaced": False, "problem": "",
    }  # fmt: skip
    assert not rows["Human"]["runnable"]
    text = cli("evaluators").out
    assert "Deterministic  Deterministic  runs" in text
    assert "rubrictui submit FILE" in text


def test_the_list_needs_neither_store_nor_model_nor_screen() -> None:
    code = (
        "import sys; from rubrictui.__main__ import main; main(['evaluators', '--json']);"
        "sys.exit(' '.join(m for m in sys.modules if m in ('sqlalchemy', 'textual', 'pydantic_ai')) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_record_is_scored_and_the_answer_printed(on: Cli) -> None:
    found = evaluate(on, "--json").data
    assert (found["score"], found["display_score"], found["outcome"]) == (1.0, 100.0, "Incomplete")
    assert {
        "key": "certification",
        "normalized_score": 1.0,
        "rationale": "Deterministic certifications",
    } in found["criteria"]
    assert found["unanswered"]["schedule"] == "no rule"
    assert found["evaluator"]["Name"] == "Deterministic"
    detail = on("show", "--evaluation", found["evaluation_id"], "--json").data
    assert detail["evaluation"]["evaluator_type"] == "Deterministic"
    text = evaluate(on).out
    assert text.startswith("Submitted ")
    assert "Certification · Compliant · score 1" in text
    assert "  schedule: no rule" in text


def test_flags_and_a_file_are_settings_and_flags_count_more(on: Cli) -> None:
    given = {"PromptName": "From the file", "Mode": "SinglePass", "ModelID": "m"}
    found = evaluate(
        on, "--settings", "-", "--prompt", "From the flag", "--samples", "3", "--pass-threshold", "0.4", "--json",
        stdin=json.dumps(given),
    ).data  # fmt: skip
    assert found["evaluator"]["Settings"] == {"PromptName": "From the flag", "ModelID": "m", "Samples": 3}
    detail = on("show", "--evaluation", found["evaluation_id"], "--json").data
    assert detail["evaluation"]["pass_threshold_applied"] == 0.4


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--evaluator", "nobody"], 1, 'There is no evaluator "nobody"'),
        (["--evaluator", "Human"], 1, "Human is not run"),
        (["--record", "8"], 1, 'Subject "Bid/8" is not found or not readable'),
        (["--rubric", "Lightning talk"], 1, "No published version of that rubric"),
        (["--rubric", "Nope"], 1, 'no rubric "Nope"'),
        (["--context", "Round/none"], 1, "no context"),
        (["--samples", "12"], 2, "samples is 12"),
        (["--mode", "Thrice"], 2, "invalid choice"),
        (["--pass-threshold", "2"], 2, "threshold"),
    ],
)
def test_what_cannot_be_done_is_one_line(on: Cli, arguments: list[str], code: int, words: str) -> None:
    done = evaluate(on, *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert words in done.err


@pytest.mark.parametrize("text", ["[]", '"x"', "{", '{"Temperature": 1}'])
def test_settings_that_are_none_are_refused(on: Cli, text: str) -> None:
    done = evaluate(on, "--settings", "-", stdin=text)
    assert (done.code, done.out) == (2, "")


def test_while_she_scores_it_herself_she_is_told_nothing(on: Cli, store: Path) -> None:
    with Engine(store) as engine:
        engine.open_draft(subject="Bid/7", rubric="Vendor proposal")
    done = evaluate(on)
    assert done.code == 0
    assert done.out.startswith("Stored ")
    assert "Compliant" not in done.out
    assert "hidden until you have" in done.err


# -- many --------------------------------------------------------------------------------------------


def test_every_record_of_an_entity_is_scored_and_then_skipped(on: Cli, store: Path) -> None:
    with Engine(store) as engine:
        engine.add_subjects([Subject(entity="Bid", record_id=str(n), data=CERTIFIED) for n in (8, 9)])
    named = ("--all", "--rubric", "Vendor proposal", "--entity", "Bid", "--evaluator", "Deterministic")
    first = on("evaluate", *named)
    assert (first.code, first.out, first.err) == (0, "3 of 3 scored.\n", "")
    assert on("evaluate", *named).out == "0 of 3 scored, 3 were done already.\n"
    again = on("evaluate", *named, "--again", "--json").data
    assert (again["total"], again["done"], again["skipped"], again["failed"]) == (3, 3, 0, 0)


def test_where_there_is_nothing_to_score_that_is_said(on: Cli) -> None:
    done = on("evaluate", "--all", "--rubric", "Vendor proposal", "--entity", "Nowhere")
    assert (done.code, done.out.startswith("Nothing to score: no subject")) == (0, True)


def test_a_record_that_fails_is_named_and_the_answer_is_no(on: Cli, store: Path) -> None:
    with Engine(store) as engine:
        engine.open_draft(
            subject="Bid/7", rubric="Vendor proposal",
            evaluator_type=EvaluatorType.DETERMINISTIC, evaluator_name="Deterministic",
        )  # fmt: skip
    done = on(
        "evaluate", "--all", "--rubric", "Vendor proposal", "--entity", "Bid", "--evaluator", "deterministic"
    )
    assert (done.code, done.out) == (1, "0 of 1 scored, 1 failed.\n")
    assert done.err.startswith("Bid/7: You have an open draft")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rubric", "Procurement"], "give --entity and --record, or --all"),
        (["--rubric", "Procurement", "--entity", "Bid"], "give --entity and --record, or --all"),
        (["--rubric", "Procurement", "--all", "--record", "7"], "--all asks for every one"),
        (["--rubric", "Procurement", "--all", "--evaluator", "deterministic"], "which subjects"),
    ],
)
def test_what_is_to_be_scored_has_to_be_said(on: Cli, arguments: list[str], words: str) -> None:
    done = on("evaluate", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
