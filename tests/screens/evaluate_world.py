"""A stand-in store whose evaluators answer, fail or wait as the test says, and keep what they did."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import msgspec
from shell_world import ME, NOW, StandIn, version

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Answer, Outcome, VersionSnapshot
from rubrictui.core.prompt_records import Prompt, PromptKind, PromptRun
from rubrictui.core.records import (
    Evaluation,
    EvaluationDetail,
    EvaluationScore,
    EvaluationStatus,
    EvaluatorType,
)
from rubrictui.engine.errors import EvaluatorFailedError
from rubrictui.engine.evaluating import EvaluateResult
from rubrictui.engine.trying import Trial
from rubrictui.evaluators.registry import EvaluatorInfo

HOSTILE = "Say \x1b[31mred\x1b[0m [bold]not bold[/bold] [@click=app.quit]quit[/] \u202eevil"


def info(name: str, kind: EvaluatorType, problem: str = "") -> EvaluatorInfo:
    return EvaluatorInfo(name, kind, not problem, "built in", 0, problem)


EVALUATORS = (
    info("Agent", EvaluatorType.AGENT),
    info("Decision", EvaluatorType.AI_PROMPT, "Install it with: pip install 'rubrictui[ai]'"),
    info("Deterministic", EvaluatorType.DETERMINISTIC),
    info("LLM", EvaluatorType.AI_PROMPT),
    info("Human", EvaluatorType.HUMAN, "A person scores in the form"),
)
PROMPTS = (
    Prompt(id="p-sage", name="Rubric Judge - Sage", kind=PromptKind.JUDGE, template="Judge."),
    Prompt(id="p-frame", name="Rubric Evaluator", kind=PromptKind.EVALUATOR, template="Frame."),
)

STORED = Evaluation(
    id="e-llm",
    rubric_id="r-vendor",
    rubric_name="Vendor proposal",
    version_id="v-1.2.0",
    version_number="1.2.0",
    major_version=1,
    subject_id="sub-2",
    subject_title="Harbour Freight portal",
    evaluator_user_id=ME.id,
    evaluator_user_name=ME.name,
    evaluator_type=EvaluatorType.AI_PROMPT,
    evaluator_name="LLM",
    status=EvaluationStatus.SUBMITTED,
    started_at=NOW,
    submitted_at=NOW,
    normalized_score=0.5,
    outcome=Outcome.BELOW_THRESHOLD,
    passed=False,
    completeness=1.0,
    pass_threshold_applied=0.6,
    metadata={"Evaluator": {"Name": "LLM", "Settings": {"PromptName": "Rubric Judge - Sage", "Samples": 3}}},
)
FAILED = msgspec.structs.replace(
    STORED,
    id="e-failed",
    status=EvaluationStatus.FAILED,
    submitted_at=None,
    ended_at=NOW - timedelta(hours=1),
    normalized_score=None,
    outcome=None,
    passed=None,
    completeness=None,
    error_message="The server refused the key.",
)
NO_CALL = msgspec.structs.replace(FAILED, id="e-no-call", error_message="No model is chosen.")


def call(id: str, evaluation: str | None, minutes: int, **values: Any) -> PromptRun:
    base: dict[str, Any] = {
        "evaluator_name": "LLM",
        "subject_id": "sub-2",
        "provider": "local",
        "model": "big-instruct",
        "settings": {"JudgePrompt": "Rubric Judge - Sage"},
        "messages": (
            {"role": "system", "content": "You score one piece of work."},
            {"role": "user", "content": HOSTILE},
        ),
        "reply": '{"decisions": []}',
        "input_tokens": 1200,
        "output_tokens": 90,
        "cost": 0.0021,
        "cost_currency": "USD",
        "started_at": NOW - timedelta(minutes=minutes),
        "finished_at": NOW - timedelta(minutes=minutes) + timedelta(seconds=3),
    }
    return PromptRun(id=id, evaluation_id=evaluation, **(base | values))


CALLS = (
    call("run-1", "e-llm", 5),
    call(
        "run-2",
        "e-failed",
        60,
        error_message="The server refused the key.",
        reply=None,
        input_tokens=None,
        output_tokens=None,
        cost=None,
    ),
)


@dataclass
class JudgingStandIn(StandIn):
    """``outcome`` is what the next evaluation does: "done", "fails", "refused", "waits" or "hidden"."""

    outcome: str = "done"
    kept: tuple[PromptRun, ...] = CALLS
    ended: tuple[Evaluation, ...] = (FAILED, NO_CALL)
    asked: list[dict[str, Any]] = field(default_factory=list)
    was_cancelled: bool = False

    def evaluators(self) -> tuple[EvaluatorInfo, ...]:
        return EVALUATORS

    def prompts(self) -> tuple[Prompt, ...]:
        return PROMPTS

    def prompt_runs(self, **_: object) -> tuple[PromptRun, ...]:
        return tuple(msgspec.structs.replace(one, messages=()) for one in self.kept)

    def prompt_run(self, id: str) -> PromptRun:
        return next(one for one in self.kept if one.id == id)

    def evaluations(self, **narrow: Any) -> tuple[Evaluation, ...]:
        return self.ended if narrow.get("status") is EvaluationStatus.FAILED else (STORED,)

    def evaluation(self, id: str) -> EvaluationDetail:
        found = next(one for one in (STORED, *self.ended) if one.id == id)
        snapshot = version()
        rows = tuple(
            EvaluationScore(
                node_id=node.id,
                key=node.key,
                scale_level_id="l-partial",
                normalized_score=0.5,
                rationale="So.",
            )
            for node in snapshot.nodes
            if node.scale_id == "s-mpm" and found.outcome is not None
        )
        return EvaluationDetail(evaluation=found, subject=self.pool[1], version=snapshot, scores=rows)

    async def try_evaluator_async(self, version: VersionSnapshot, **given: Any) -> Trial:
        self.asked.append(given)
        if self.outcome == "fails":
            return Trial(
                detail=self.evaluation("e-failed"), failure="The server refused the key.", calls=("run-2",)
            )
        stored = self.evaluation("e-llm")
        header = msgspec.structs.replace(
            stored.evaluation, id="", status=EvaluationStatus.DRAFT, submitted_at=None, version_number="draft"
        )
        return Trial(
            detail=msgspec.structs.replace(stored, evaluation=header, version=version),
            answers=tuple(
                Answer(criterion_id=row.node_id, scale_level_id=row.scale_level_id) for row in stored.scores
            ),
            unanswered={"price": "not asked: it is on a numeric scale"},
            calls=("run-1",),
            about={"Model": "big-instruct", "InputTokens": 1200, "OutputTokens": 90, "Cost": 0.0021},
        )

    async def evaluate_record_async(self, **given: Any) -> EvaluateResult:
        self.asked.append(given)
        if self.outcome == "refused":
            raise RubrictuiError("You are scoring this yourself.", remedy="Submit it first.")
        if self.outcome == "fails":
            raise EvaluatorFailedError(
                "The evaluator LLM failed: the server refused the key.", evaluation_id="e-failed"
            )
        if self.outcome == "waits":
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self.was_cancelled = True
                raise
        return EvaluateResult(
            evaluation_id="e-llm", score=0.5, hidden=self.outcome == "hidden", detail=self.evaluation("e-llm")
        )
