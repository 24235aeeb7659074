"""Judging stored subjects by models: what is kept of it, who may read that, and what never gets into a store."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import VersionSnapshot
from rubrictui.core.prompt_records import PromptKind
from rubrictui.core.records import EvaluationStatus, Role, Subject
from rubrictui.engine import Engine, NotFoundError, NotPermittedError
from rubrictui.engine.errors import EvaluatorFailedError
from rubrictui.engine.evaluating_many import EvaluateAllReport
from rubrictui.evaluators.prompting import PromptNotFoundError, PromptTemplateError

sys.path.insert(0, str(Path(__file__).parent.parent / "evaluators"))

from openai_server import Say, Server, in_turn, serving

KEY = "sk-must-not-be-kept-77"
RUBRIC = "Agent evaluation"


def reply(**chosen: str) -> str:
    entries = [
        {"key": key, "chosen": label, "rationale": "r", "evidence": []} for key, label in chosen.items()
    ]
    return json.dumps({"decisions": entries})


GUIDE = reply(accuracy="Partial", sourcing="Meets", completeness="Meets")


@pytest.fixture(scope="module")
def samples(samples_of: Callable[[str | None], Path]) -> Path:
    return samples_of("chair")


@pytest.fixture
def engine(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "RUBRICTUI_AI_DECISION_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RUBRICTUI_AI_CONFIG", str(tmp_path / "ai.toml"))
    (tmp_path / "ai.toml").write_text("")
    monkeypatch.setenv("RUBRICTUI_AI_KEY", KEY)
    monkeypatch.setenv("RUBRICTUI_AI_MODEL", "judge")
    shutil.copy(samples, tmp_path / "s.db")
    with Engine(tmp_path / "s.db", user="chair") as opened:
        yield opened


@pytest.fixture
def subject(engine: Engine) -> str:
    rubric = next(one for one in engine.rubrics() if one.name == RUBRIC)
    row = next(one for one in engine.evaluations(rubric=RUBRIC))
    assert rubric.latest_published is not None
    return row.subject_id


def served(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    monkeypatch.setenv("RUBRICTUI_AI_BASE_URL", server.url)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(GUIDE) as server:
        served(monkeypatch, server)
        yield server


def test_a_judge_scores_a_stored_subject_and_everything_it_took_can_be_read_again(
    engine: Engine, subject: str, judge: Server
) -> None:
    result = engine.evaluate_record(rubric=RUBRIC, subject=subject)
    assert (result.score, result.outcome) == (0.833333, "GateFailed")
    stored = engine.evaluation(result.evaluation_id).evaluation
    about = (stored.metadata or {})["Evaluator"]
    assert (about["Name"], about["Model"], about["InputTokens"], about["Cost"]) == ("LLM", "judge", 100, None)
    assert about["JudgePrompt"]["Name"] == "Rubric Evaluator - Default Judge"
    assert about["DurationSeconds"] >= 0
    (listed,) = engine.prompt_runs(evaluation=result.evaluation_id)
    assert listed.messages == ()
    whole = engine.prompt_run(listed.id)
    assert whole.messages[0]["content"] == judge.system()
    assert whole.messages[1]["content"] == judge.user()
    assert whole.reply == GUIDE
    assert (whole.subject_id, whole.evaluator_name, whole.created_by) == (subject, "LLM", "chair")


def test_a_failed_run_is_kept_with_the_call_that_failed(
    engine: Engine, subject: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Say(status=401, body={"error": {"message": f"bad {KEY}"}})) as server:
        served(monkeypatch, server)
        with pytest.raises(EvaluatorFailedError, match="refused the key") as caught:
            engine.evaluate_record(rubric=RUBRIC, subject=subject)
    failed = engine.evaluation(caught.value.evaluation_id).evaluation
    assert failed.status is EvaluationStatus.FAILED
    (run,) = engine.prompt_runs(failed=True)
    assert run.evaluation_id == failed.id
    assert "refused the key" in (run.error_message or "")
    assert engine.prompt_runs(failed=False) == ()


@pytest.mark.parametrize("evaluator", ["LLM", "Agent", "Decision"])
def test_keys_never_get_into_a_store(
    engine: Engine, subject: str, evaluator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talkative = in_turn(
        Say(f"My key is {KEY}.", chances={f"{KEY}": 0.5, "A": 0.5}),
        Say(status=400, body={"error": {"message": f"The key {KEY} is bad"}}),
    )
    with serving(talkative) as server:
        served(monkeypatch, server)
        for _ in range(2):
            with pytest.raises(EvaluatorFailedError) as caught:
                engine.evaluate_record(rubric=RUBRIC, subject=subject, evaluator=evaluator)
            assert KEY not in str(caught.value)
    assert engine.prompt_runs()
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert [file.name for file in files if KEY.encode() in file.read_bytes()] == []


def test_rule_judge_decision_and_agent_all_store_their_own_evaluation(
    engine: Engine, subject: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(body: dict[str, Any], number: int) -> Say:
        if body.get("logprobs"):
            return Say("B", chances={"B": 0.9, "A": 0.1})
        return Say(GUIDE)

    with serving(script) as server:
        served(monkeypatch, server)
        for evaluator in ("LLM", "Decision", "Agent"):
            engine.evaluate_record(rubric=RUBRIC, subject=subject, evaluator=evaluator)
    found = {
        one.evaluator_name: (one.evaluator_type.value, one.normalized_score)
        for one in engine.evaluations(subject=subject, rubric=RUBRIC)
        if one.evaluator_name in ("LLM", "Decision", "Agent") and one.status is EvaluationStatus.SUBMITTED
    }
    assert found["LLM"] == ("AIPrompt", 0.833333)
    assert found["Decision"] == ("AIPrompt", 0.5)
    assert found["Agent"] == ("Agent", 0.833333)


def test_earlier_replies_are_used_again_only_where_a_session_asks_for_it(
    engine: Engine, subject: str, judge: Server
) -> None:
    async def session(use: bool) -> None:
        async with engine.judging_session(use_earlier=use):
            for _ in range(2):
                await engine.evaluate_record_async(rubric=RUBRIC, subject=subject)

    asyncio.run(session(False))
    assert len(judge.requests) == 2
    asyncio.run(session(True))
    assert len(judge.requests) == 2
    engine.evaluate_record(rubric=RUBRIC, subject=subject)
    assert len(judge.requests) == 3


def test_rounds_on_several_threads_share_an_engine_but_no_connection_to_a_model(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serving(in_turn(Say(GUIDE, delay=0.05))) as server:
        (tmp_path / "ai.toml").write_text(
            f'default_model = "m"\n[providers.p]\nbase_url = "{server.url}"\nconcurrency = 1\n'
            '[models.m]\nprovider = "p"\n'
        )
        monkeypatch.delenv("RUBRICTUI_AI_MODEL")
        many(engine, 6)

        def judged(number: int) -> EvaluateAllReport:
            return engine.evaluate_all(rubric=RUBRIC, subjects=[f"Many/{number}"], concurrency=1)

        with ThreadPoolExecutor(max_workers=3) as threads:
            reports = list(threads.map(judged, range(6), timeout=60))
    assert [(one.done, one.failures) for one in reports] == [(1, ())] * 6


def many(engine: Engine, count: int) -> dict[str, Any]:
    engine.add_subjects([Subject(entity="Many", record_id=f"{n}", text=f"Text {n}.") for n in range(count)])
    return {"rubric": RUBRIC, "entity": "Many", "concurrency": 4}


def test_a_round_is_judged_with_a_call_for_each_and_every_evaluation_knows_its_run(
    engine: Engine, judge: Server
) -> None:
    report = engine.evaluate_all(**many(engine, 10))
    assert (report.done, report.failed, len(judge.requests)) == (10, 0, 10)
    made = {one.id: one for one in engine.evaluations(rubric=RUBRIC)}
    linked = {run.evaluation_id for run in engine.prompt_runs(failed=False)}
    assert len(linked) == 10
    assert {made[of].normalized_score for of in linked if of is not None} == {0.833333}


def test_one_that_fails_in_a_round_is_stored_as_failed_and_the_others_go_on(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(body: dict[str, Any], number: int) -> Say:
        return Say("No.") if "Text 3." in body["messages"][1]["content"] else Say(GUIDE)

    with serving(script) as server:
        served(monkeypatch, server)
        report = engine.evaluate_all(**many(engine, 6))
    assert (report.done, report.failed) == (5, 1)
    (failure,) = report.failures
    assert failure.subject == "Many/3"
    assert failure.evaluation_id is not None
    failed = engine.evaluation(failure.evaluation_id).evaluation
    assert "asked twice" in (failed.error_message or "")
    assert len(engine.prompt_runs(evaluation=failed.id)) == 2


def test_what_another_process_did_meanwhile_is_found_without_asking_the_model_again(
    engine: Engine, judge: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quicker(*given: Any, **named: Any) -> bool:
        return False

    monkeypatch.setattr("rubrictui.store.evaluations.add_submitted", quicker)
    report = engine.evaluate_all(**many(engine, 3))
    assert (report.done, report.failed, len(judge.requests)) == (3, 0, 3)


def test_a_budget_ends_a_round(engine: Engine, judge: Server, tmp_path: Path) -> None:
    (tmp_path / "ai.toml").write_text("[models.judge]\ninput_price = 10000.0\n")
    report = engine.evaluate_all(**{**many(engine, 8), "concurrency": 1}, budget=2.5)
    assert (report.done, report.stopped, report.cost) == (3, "budget", pytest.approx(3.0))
    rest = engine.evaluate_all(rubric=RUBRIC, entity="Many")
    assert (rest.done, rest.skipped) == (5, 3)


def test_what_failed_counts_against_the_budget_too(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ai.toml").write_text("[models.judge]\ninput_price = 10000.0\n")
    with serving("No.") as server:
        served(monkeypatch, server)
        report = engine.evaluate_all(**{**many(engine, 4), "concurrency": 1}, budget=3.0)
    assert (report.failed, report.stopped, report.cost) == (2, "budget", pytest.approx(4.0))
    failed = engine.evaluation(report.failures[0].evaluation_id or "").evaluation
    assert (failed.metadata or {})["Evaluator"]["Cost"] == pytest.approx(2.0)


# -- who may read a run ----------------------------------------------------------------------------------


def test_a_run_is_read_by_whoever_made_it_and_by_those_who_read_everything(
    engine: Engine, subject: str, judge: Server
) -> None:
    engine.evaluate_record(rubric=RUBRIC, subject=subject)
    (run,) = engine.prompt_runs()
    engine.add_user("reva", roles=(Role.REVIEWER,))
    engine.add_user("dev", roles=(Role.DEVELOPER,))
    reva = engine._acting_as(engine._known_user("reva"))
    assert reva.prompt_runs() == ()
    with pytest.raises(NotFoundError):
        reva.prompt_run(run.id)
    assert engine._acting_as(engine._known_user("dev")).prompt_run(run.id).reply == GUIDE


def test_whoever_is_scoring_the_subject_herself_sees_no_run_about_it_until_she_has(
    engine: Engine, subject: str, judge: Server
) -> None:
    engine.evaluate_record(rubric=RUBRIC, subject=subject)
    (run,) = engine.prompt_runs()
    draft = engine.open_draft(subject=subject, rubric=RUBRIC)
    assert engine.prompt_runs() == ()
    with pytest.raises(NotFoundError):
        engine.prompt_run(run.id)
    engine.decline_draft(draft.evaluation.id, "a test")
    assert [one.id for one in engine.prompt_runs()] == [run.id]


# -- prompts ---------------------------------------------------------------------------------------------


def test_a_saved_prompt_is_found_covers_a_shipped_one_and_is_linked_from_its_runs(
    engine: Engine, subject: str, judge: Server
) -> None:
    mine = engine.save_prompt(
        "Rubric Judge - Mine", "Be kind to {{ Subject.EntityName }}.", models=("tuned",)
    )
    engine.save_prompt("rubric evaluator - default judge", "Covered.")
    names = [prompt.name for prompt in engine.prompts()]
    assert "Rubric Judge - Mine" in names
    assert "Rubric Evaluator - Default Judge" not in names
    engine.evaluate_record(
        rubric=RUBRIC,
        subject=subject,
        settings={"PromptName": "RUBRIC JUDGE - mine", "ModelSelection": "Judge"},
    )
    assert "Be kind to" in judge.system()
    assert judge.requests[0]["model"] == "tuned"
    assert engine.prompt_runs()[0].judge_prompt_id == mine.id
    assert engine.prompt(mine.id) == engine.prompt("rubric judge - MINE") == mine


def test_saving_again_changes_the_prompt_and_leaves_what_was_sent(
    engine: Engine, subject: str, judge: Server
) -> None:
    first = engine.save_prompt("J", "first text")
    engine.evaluate_record(rubric=RUBRIC, subject=subject, settings={"PromptName": "J"})
    second = engine.save_prompt("J", "second text", description="d")
    assert (second.id, second.description) == (first.id, "d")
    (run,) = engine.prompt_runs()
    assert "first text" in engine.prompt_run(run.id).messages[0]["content"]
    assert run.settings["JudgePrompt"]["Hash"] == first.sha256 != second.sha256


@pytest.mark.parametrize(
    ("name", "template", "kind", "error"),
    [
        ("", "x", "judge", InvalidInputError),
        ("a\nb", "x", "judge", InvalidInputError),
        ("J", " ", "judge", InvalidInputError),
        ("J", "x", "jury", InvalidInputError),
        ("J", "{% if %}", "judge", PromptTemplateError),
    ],
)
def test_a_prompt_that_cannot_be_is_not_kept(
    engine: Engine, name: str, template: str, kind: str, error: type[Exception]
) -> None:
    before = engine.prompts()
    with pytest.raises(error):
        engine.save_prompt(name, template, kind=kind)
    assert engine.prompts() == before


def test_only_authors_save_prompts(engine: Engine) -> None:
    engine.add_user("reva", roles=(Role.REVIEWER,))
    with pytest.raises(NotPermittedError, match="author"):
        engine._acting_as(engine._known_user("reva")).save_prompt("J", "x")


def test_a_preview_shows_what_would_be_sent_and_calls_nothing(
    engine: Engine, subject: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RUBRICTUI_AI_MODEL")
    shown = engine.preview_prompt(
        rubric=RUBRIC, subject=subject, settings={"Mode": "PerCriterion"}, criterion="sourcing"
    )
    assert "`sourcing`" in shown.system
    assert "`accuracy`" not in shown.system
    assert shown.user.startswith("<rubric-subject ")
    assert engine.prompt_runs() == ()
    with pytest.raises(PromptNotFoundError, match="The Nobody prompt"):
        engine.preview_prompt(rubric=RUBRIC, subject=subject, settings={"PromptName": "Nobody"})
    with pytest.raises(NotFoundError, match="accuracy"):
        engine.preview_prompt(rubric=RUBRIC, subject=subject, criterion="charm")


def test_the_shipped_prompts_are_listed_with_their_kinds(engine: Engine) -> None:
    kinds = {prompt.name: prompt.kind for prompt in engine.prompts()}
    assert kinds["Rubric Evaluator"] is PromptKind.EVALUATOR
    assert kinds["Default Decision"] is PromptKind.DECISION


# -- trying a draft --------------------------------------------------------------------------------------


@pytest.fixture
def draft(engine: Engine) -> VersionSnapshot:
    """The rubric's draft, with a rule and another threshold than what is published."""
    engine.start_draft(RUBRIC)
    opened = engine.open_rubric_draft(RUBRIC).version
    rule = {
        "Path": "no.such",
        "Operator": "exists",
        "LevelWhenTrue": "Meets",
        "LevelWhenFalse": "Partial",
    }
    nodes = tuple(
        msgspec.structs.replace(node, evaluator_config={"Deterministic": rule}) for node in opened.nodes
    )
    return msgspec.structs.replace(opened, nodes=nodes, pass_threshold=0.4)


@pytest.mark.parametrize(
    ("evaluator", "score", "calls"),
    [("Deterministic", 0.5, 0), ("llm", 0.833333, 1), ("Decision", 0.5, 3), ("Agent", 0.833333, 1)],
)
def test_a_draft_is_tried_by_every_evaluator_and_nothing_but_the_calls_is_stored(
    engine: Engine,
    subject: str,
    draft: VersionSnapshot,
    monkeypatch: pytest.MonkeyPatch,
    *,
    evaluator: str,
    score: float,
    calls: int,
) -> None:
    def script(body: dict[str, Any], number: int) -> Say:
        return Say("B", chances={"B": 0.9, "A": 0.1}) if body.get("logprobs") else Say(GUIDE)

    before = engine.evaluations()
    with serving(script) as server:
        served(monkeypatch, server)
        trial = engine.try_evaluator(draft, subject=subject, evaluator=evaluator)
    assert (trial.score, trial.failure, len(trial.calls)) == (score, "", calls)
    assert trial.detail.evaluation.pass_threshold_applied == 0.4
    assert {answer.criterion_id for answer in trial.answers} == {node.id for node in draft.nodes}
    assert engine.evaluations() == before
    kept = [engine.prompt_run(id) for id in trial.calls]
    assert [(run.evaluation_id, run.settings["Trial"]) for run in kept] == [(None, True)] * calls


def test_a_try_that_fails_says_why_and_keeps_the_call(
    engine: Engine, subject: str, draft: VersionSnapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving("No.") as server:
        served(monkeypatch, server)
        trial = engine.try_evaluator(draft, subject=subject)
    assert (trial.score, trial.answers, len(trial.calls)) == (None, (), 2)
    assert "asked twice" in trial.failure
    monkeypatch.delenv("RUBRICTUI_AI_MODEL")
    assert "No model is chosen. Name one" in engine.try_evaluator(draft, subject=subject).failure


def test_what_may_not_be_tried_is_refused_before_any_call(
    engine: Engine, subject: str, draft: VersionSnapshot, judge: Server
) -> None:
    needing = tuple(msgspec.structs.replace(node, evidence_required=True) for node in draft.nodes)
    with pytest.raises(RubrictuiError, match="cites no evidence"):
        engine.try_evaluator(
            msgspec.structs.replace(draft, nodes=needing), subject=subject, evaluator="Decision"
        )
    with pytest.raises(NotFoundError):
        engine.try_evaluator(draft, subject="No/such")
    engine.open_draft(subject=subject, rubric=RUBRIC)
    with pytest.raises(NotPermittedError, match="hidden from you until then"):
        engine.try_evaluator(draft, subject=subject)
    engine.add_user("reva")
    with pytest.raises(NotPermittedError, match="author"):
        engine._acting_as(engine._known_user("reva")).try_evaluator(draft, subject=subject)
    assert judge.requests == []
