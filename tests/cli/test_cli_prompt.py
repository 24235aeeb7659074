"""``prompt`` and ``runs``: templates in and out, what would be sent, what was sent."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rubrictui.core.records import Subject
from rubrictui.engine import Engine

sys.path.insert(0, str(Path(__file__).parent.parent / "evaluators"))

from openai_server import Server, serving

Cli = Callable[..., Any]
BID = ("--rubric", "Vendor proposal", "--entity", "Bid", "--record", "7")
KEY = "sk-command-line-secret-9"


@pytest.fixture
def on(cli: Cli, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    (tmp_path / "ai.toml").write_text(
        f'default_model = "judge"\n[providers.openai]\napi_key = "{KEY}"\nretries = 0\n'
    )
    monkeypatch.setenv("RUBRICTUI_AI_CONFIG", str(tmp_path / "ai.toml"))
    for name in ("RUBRICTUI_AI_MODEL", "RUBRICTUI_AI_KEY", "OPENAI_BASE_URL", "RUBRICTUI_AI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with Engine(store) as engine:
        engine.add_subjects(
            [Subject(entity="Bid", record_id="7", title="Bid \x1b[31mseven", text="We deliver in May.")]
        )
    return lambda *arguments, **rest: cli(*arguments, "--db", store, **rest)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving('{"decisions": []}') as server:
        monkeypatch.setenv("RUBRICTUI_AI_BASE_URL", server.url)
        yield server


def test_prompts_are_listed_and_their_templates_come_out_as_they_are(on: Cli) -> None:
    listed = {row["name"]: row for row in on("prompt", "list", "--json").data}
    assert listed["Rubric Judge - Sage"]["kind"] == "judge"
    assert not listed["Rubric Judge - Sage"]["is_stored"]
    assert "Rubric Criterion" not in on("prompt", "list", "--kind", "judge").out
    shown = on("prompt", "show", "rubric criterion")
    assert shown.out.startswith("## {{ Criterion.Name | safe }}")
    assert on("prompt", "show", "Nobody").code == 1


def test_a_template_is_saved_from_a_file_and_from_standard_input(on: Cli, tmp_path: Path) -> None:
    file = tmp_path / "strict.j2"
    file.write_text("Be strict.")
    saved = on("prompt", "save", "Strict", file, "--model", "small", "--model", "big", "--json").data
    assert (saved["kind"], saved["models"]) == ("judge", ["small", "big"])
    assert on("prompt", "save", "Strict", "-", stdin="Be stricter.").code == 0
    assert on("prompt", "show", "Strict").out == "Be stricter.\n"
    assert "line 1" in on("prompt", "save", "Broken", "-", stdin="{% if %}").err
    assert on("prompt", "save", "Broken", "-", stdin=b"\xff\xfe").code == 2
    assert on("prompt", "show", "Broken").code == 1


def test_a_preview_shows_both_messages_and_makes_no_call(on: Cli, judge: Server) -> None:
    shown = on("prompt", "preview", *BID)
    assert shown.code == 0
    assert "── system ──" in shown.out
    assert "We deliver in May." in shown.out.partition("── user ──")[2]
    assert "\x1b" not in shown.out
    data = on("prompt", "preview", *BID, "--json").data
    assert data["prompts"]["JudgePrompt"]["Name"] == "Rubric Evaluator - Default Judge"
    one = on("prompt", "preview", *BID, "--mode", "PerCriterion").out
    assert '"probabilities"' in one
    missing = on("prompt", "preview", *BID, "--prompt", "Nobody")
    assert (missing.code, missing.err.count("\n")) == (1, 1)
    assert "The Nobody prompt was not found." in missing.err
    assert on("prompt", "preview", *BID, "--criterion", "x").code == 2
    assert judge.requests == []


def test_a_long_subject_is_cut_in_the_preview_too_and_it_says_so(on: Cli, tmp_path: Path) -> None:
    (tmp_path / "ai.toml").write_text(
        'default_model = "judge"\n[providers.openai]\napi_key = "k"\n[models.judge]\ncontext_characters = 10\n'
    )
    assert "left out" in on("prompt", "preview", *BID).err


def test_runs_are_listed_and_shown_whole(on: Cli, judge: Server, tmp_path: Path) -> None:
    assert on("runs").err == "No calls of models.\n"
    failed = on("evaluate", *BID)
    assert failed.code == 1
    assert KEY not in failed.out + failed.err
    rows = on("runs", "--json").data
    assert len(rows) == 2  # the reply was sent back once
    table = on("runs", "--subject", "Bid/7").out
    assert rows[0]["id"] in table
    assert "judge" in table
    whole = on("runs", rows[0]["id"]).out
    assert "We deliver in May." in whole
    assert '{"decisions": []}' in whole
    assert "\x1b" not in whole
    assert KEY not in json.dumps(on("runs", rows[0]["id"], "--json").data)
    assert on("runs", "nothing").code == 1
    assert on("runs", "--failed").err == "No calls of models that failed.\n"


def test_a_configuration_that_is_wrong_is_one_line_and_never_its_content(on: Cli, tmp_path: Path) -> None:
    (tmp_path / "ai.toml").write_text(f'[providers.x]\napi_key = "{KEY}\n')
    told = on("evaluate", *BID)
    assert "ai.toml" in told.err
    assert told.err.count("\n") == 1
    assert KEY not in told.out + told.err


def test_a_whole_round_is_judged_side_by_side_over_shared_connections(
    on: Cli, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from openai_server import first_levels

    with Engine(store) as engine:
        engine.add_subjects([Subject(entity="Many", record_id=str(n), text=f"Text {n}.") for n in range(12)])
    with serving(first_levels) as server:
        monkeypatch.setenv("RUBRICTUI_AI_BASE_URL", server.url)
        many = ("evaluate", "--all", "--rubric", "Agent evaluation", "--entity", "Many", "--json")
        first = on(*many)
        assert (first.code, first.data["done"], len(server.requests)) == (0, 12, 12)
        again = on(*many)
        assert (again.data["skipped"], len(server.requests)) == (12, 12)
