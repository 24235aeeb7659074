"""``demo --with-judge``: one sample by rule, judge, decision and agent, beside the person who scored it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.cli._demo_judging import CONTEXT, EVALUATORS, RUBRIC, SUBJECT, judge_example
from rubrictui.core.records import Subject
from rubrictui.engine import Engine
from rubrictui.evaluators import models
from rubrictui.evaluators.demo_server import demo_judge

Cli = Callable[..., Any]
GUIDE = {"accuracy": "Partial", "sourcing": "Meets", "completeness": "Meets"}


@pytest.fixture
def demo(sample_store: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sample_store, tmp_path / "demo.db"))


def test_four_evaluators_stand_beside_a_person_with_the_numbers_of_the_guide(cli: Cli, demo: Path) -> None:
    asked = ("demo", "--with-judge", "--prepare-only", "--path", demo)
    found = cli(*asked, "--json").data["judged"]
    own = {one["evaluator_name"]: one for one in found if one["evaluator_name"] in EVALUATORS}
    assert set(own) == set(EVALUATORS)
    for name in ("LLM", "Decision", "Agent"):
        assert (own[name]["normalized_score"], own[name]["outcome"]) == (0.833333, "GateFailed")
    (person,) = [one for one in found if one["evaluator_type"] == "Human"]
    assert (person["normalized_score"], person["outcome"]) == (1.0, "Passed")
    with Engine(demo) as engine:
        for name in ("LLM", "Decision", "Agent"):
            detail = engine.evaluation(own[name]["id"])
            labels = {level.id: level.label for scale in detail.version.scales for level in scale.levels}
            assert {
                row.key: labels[row.scale_level_id] for row in detail.scores if row.scale_level_id
            } == GUIDE
        about = (engine.evaluation(own["Deterministic"]["id"]).evaluation.metadata or {})["Evaluator"]
        assert about["UnansweredCriteria"] == {"accuracy": "no rule", "completeness": "no rule"}
        cohort = engine.cohort(subject=SUBJECT, rubric=RUBRIC, context=CONTEXT)
        assert cohort is not None
        assert (cohort.human_mean, cohort.ai_mean) == (1.0, pytest.approx(0.833333))
        calls = len(engine.prompt_runs())
        assert calls == 5
    text = cli(*asked).out
    assert text.count("83.33  GateFailed") == 4
    matrix = cli("matrix", SUBJECT, "--round", CONTEXT, "--db", demo).out
    assert "Decision" in matrix
    with Engine(demo) as engine:
        assert len(engine.prompt_runs()) == calls


def test_the_judge_leaves_no_trace_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICTUI_AI_MODEL", "mine")
    before = dict(os.environ)
    with demo_judge():
        assert "RUBRICTUI_AI_MODEL" not in os.environ
    assert dict(os.environ) == before


@pytest.mark.parametrize("mode", ["SinglePass", "PerCriterion"])
@pytest.mark.parametrize("rubric", ["Conference abstract", "Hiring"])
def test_the_judge_answers_every_other_rubric_too(demo: Path, rubric: str, mode: str) -> None:
    with demo_judge(), Engine(demo) as engine:
        engine.add_subjects([Subject(entity="New", record_id="1", text="It rained 12 mm in May.")])
        result = engine.evaluate_record(rubric=rubric, subject="New/1", settings={"Mode": mode})
        assert result.unanswered == {}
        assert "highest level but one" in (result.criteria[0].rationale or "")


def test_without_the_extra_the_demo_says_what_to_install(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "installed", lambda: False)
    ran = cli("demo", "--with-judge", "--prepare-only", "--path", tmp_path / "new.db")
    assert ran.code != 0
    assert "pip install 'rubrictui[ai]'" in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not (tmp_path / "new.db").exists()


def test_an_evaluator_that_failed_is_tried_again_and_the_others_are_not(demo: Path) -> None:
    with demo_judge(), Engine(demo) as engine:
        engine.evaluate_record(rubric=RUBRIC, subject=SUBJECT, context=CONTEXT, evaluator="LLM")
        judge_example(engine)
        assert [run.evaluator_name for run in engine.prompt_runs()].count("LLM") == 1
