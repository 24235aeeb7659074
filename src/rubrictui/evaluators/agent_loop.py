"""The tool loop of the agent: pydantic-ai runs it, two tools read, and limits end it.

The agent sees nothing but what ``get_rubric`` and ``get_subject`` give. A subject is read by page or searched, so
that one of megabytes can be judged with a model that takes a few thousand words at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.prompt_records import PromptKind, PromptRun
from rubrictui.evaluators import prompts as shipped
from rubrictui.evaluators.agent_tools import Tools
from rubrictui.evaluators.base import SubjectContent
from rubrictui.evaluators.config import ResolvedModel, redacted
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.model_faults import ModelCallError, explained
from rubrictui.evaluators.models import (
    INSTALL,
    cost_of,
    model_settings,
    user_content,
)
from rubrictui.evaluators.prompting_compose import criterion_ref, described, judge_ref, system_message
from rubrictui.evaluators.prompting_data import criteria_texts, prompt_data
from rubrictui.evaluators.prompting_subject import (
    images_of,
    images_words,
    not_shown,
    subject_text,
)
from rubrictui.evaluators.replies import storable_text
from rubrictui.evaluators.services import Image, PromptRef, PromptReply
from rubrictui.evaluators.settings import EvaluatorSettings

MOST_STEPS: Final = 30
MOST_TOKENS: Final = 500_000


class Limits(NamedTuple):
    """When the loop ends: calls of the model, and tokens in all."""

    steps: int = MOST_STEPS
    tokens: int = MOST_TOKENS


def limits_of(settings: EvaluatorSettings) -> Limits:
    """The limits that ``Extensions.Agent`` sets.

    Raises:
        EvaluatorError: they are no whole numbers above 0.
    """
    given = settings.extension("Agent", {})
    found = {"steps": MOST_STEPS, "tokens": MOST_TOKENS}
    if isinstance(given, Mapping):
        found |= {key.lower(): value for key, value in given.items() if key.lower() in found}
    if any(isinstance(value, bool) or not isinstance(value, int) or value < 1 for value in found.values()):
        raise EvaluatorError(
            "The limits of the agent are no whole numbers above 0.",
            remedy='Write {"Agent": {"Steps": 30, "Tokens": 500000}} under Extensions.',
        )
    return Limits(**found)


class AgentLoop:
    """``AgentService`` over the models of the configuration."""

    def __init__(self, around: Any) -> None:
        self._around = around

    async def run(
        self,
        version: VersionSnapshot,
        content: SubjectContent,
        settings: EvaluatorSettings,
        check: Callable[[str], str],
    ) -> PromptReply:
        """Let the agent read and answer; the run is kept, a failed one too.

        Raises:
            PromptNotFoundError, PromptTemplateError, CriterionTextsError: before any call.
            NoModelError, ModelCallError: no model answered.
            EvaluatorError: the limits were reached, or the subject has nothing to read.
        """
        around = self._around
        limits = limits_of(settings)
        agent_prompt = around.book.get(_agent_ref(around.book, settings), PromptKind.AGENT, shipped.AGENT)
        judge = around.book.get(judge_ref(settings), PromptKind.JUDGE, shipped.DEFAULT_JUDGE)
        texts = criteria_texts(
            version, around.book.get(criterion_ref(settings), PromptKind.CRITERION, shipped.CRITERION)
        )
        data = prompt_data(version, "SinglePass", texts, entity=content.entity, record_id=content.record_id)
        subject = subject_text(content)
        if not subject.strip():
            raise EvaluatorError("The subject has nothing to read.", remedy="Add its text, data or files.")
        tools = Tools("\n\n".join([version.instructions or "", *texts.values()]).strip(), subject)
        bound = agent_prompt.models
        candidates = around.access.models_for(settings.model_id, bound)
        record = PromptRun(
            id="",
            evaluator_name=around.evaluator_name,
            prompt_id=agent_prompt.id if agent_prompt.is_stored else None,
            judge_prompt_id=judge.id if judge.is_stored else None,
            settings={
                "SystemPrompt": described(agent_prompt),
                "JudgePrompt": described(judge),
                "Steps": limits.steps,
                "Tokens": limits.tokens,
            },
            started_at=around.clock(),
        )
        task = _Task(
            system_message(agent_prompt, judge, data), tools, limits, check, images_of(content).images
        )
        for number, model in enumerate(candidates):
            try:
                return await self._with_images(task, model, record)
            except ModelCallError:
                if number == len(candidates) - 1:
                    raise
        raise AssertionError("there is always a model to ask")

    async def _with_images(self, task: _Task, model: ResolvedModel, record: PromptRun) -> PromptReply:
        """The answer of one model, which is asked without the images where it takes none."""
        access = self._around.access
        if not task.images:
            return await self._kept(task, model, record, "")
        note = not_shown(task.images, model.id)
        if access.takes_images(model):
            try:
                return await self._kept(task, model, record, "")
            except ModelCallError as error:
                if not error.may_be_images:
                    raise
                reply = await self._kept(task.without_images(), model, record, note)
                access.takes_no_images(model)
                return reply
        return await self._kept(task.without_images(), model, record, note)

    async def _kept(self, task: _Task, model: ResolvedModel, record: PromptRun, note: str) -> PromptReply:
        """One run of the loop, which is kept whatever comes of it."""
        around = self._around
        kept = msgspec.structs.replace(
            record,
            id=around.new_id(),
            provider=model.provider_name,
            model=model.name,
            settings={"ModelID": model.id, **record.settings} | ({"SubjectCut": note} if note else {}),
            started_at=around.clock(),
        )
        done = await self._loop(model, task)
        await around.keeper.keep(
            msgspec.structs.replace(
                kept,
                messages=done.messages,
                reply=done.reply,
                input_tokens=done.input_tokens,
                output_tokens=done.output_tokens,
                cost=done.cost,
                cost_currency=done.currency,
                error_message=str(done.error) if done.error else None,
                finished_at=around.clock(),
            )
        )
        if done.error is not None:
            raise done.error from None
        return PromptReply(
            text=done.reply or "",
            run_id=kept.id,
            model=model.name,
            input_tokens=done.input_tokens,
            output_tokens=done.output_tokens,
            cost=done.cost,
            cost_currency=done.currency,
            note=note,
            prompts={part: record.settings[part] for part in ("SystemPrompt", "JudgePrompt")},
        )

    async def _loop(self, model: ResolvedModel, task: _Task) -> _Done:
        limits, check = task.limits, task.check
        try:
            from pydantic_ai import Agent, ModelRetry, UsageLimits, capture_run_messages
            from pydantic_ai.exceptions import UnexpectedModelBehavior, UsageLimitExceeded
        except ImportError:
            raise EvaluatorError("The agent needs a package that is missing.", remedy=INSTALL) from None
        settings: Any = model_settings(model)
        agent: Any = Agent(
            self._around.access.steady_model(model),
            system_prompt=task.system,
            tools=[task.tools.get_rubric, task.tools.get_subject],
            retries=2,
            model_settings=settings,
        )
        last: list[str] = []

        @agent.output_validator  # type: ignore[untyped-decorator,unused-ignore]
        def readable(text: str) -> str:
            wrong = "" if last else check(text)
            if not wrong:
                return text
            last.append(text)
            raise ModelRetry(wrong)

        error: EvaluatorError | None = None
        reply: str | None = None
        with capture_run_messages() as messages:
            try:
                async with asyncio.timeout(model.provider.timeout * (limits.steps + 1)):
                    result = await agent.run(
                        task.opening,
                        usage_limits=UsageLimits(
                            request_limit=limits.steps, total_tokens_limit=limits.tokens
                        ),
                    )
                reply = storable_text(redacted(str(result.output), [model.key]))
            except UsageLimitExceeded as fault:
                steps = "steps" if "request_limit" in str(fault) else "tokens"
                limit = limits.steps if steps == "steps" else limits.tokens
                error = EvaluatorError(
                    f"The agent has used up its {limit:,} {steps} without an answer.",
                    remedy=f"Raise {steps.title()} under Extensions.Agent, or use a stronger model.",
                )
            except UnexpectedModelBehavior as fault:
                error = explained(fault, model)
            except Exception as fault:
                told = explained(fault, model)
                if told is None:
                    raise
                error = told
        return _told(messages, reply, error, model)


class _Task(NamedTuple):
    """What the agent is to do. ``images`` are shown to it at the start."""

    system: str
    tools: Tools
    limits: Limits
    check: Callable[[str], str]
    images: tuple[Image, ...]
    hidden: tuple[Image, ...] = ()

    def without_images(self) -> _Task:
        """The same for a model that takes none."""
        return self._replace(images=(), hidden=self.images)

    @property
    def opening(self) -> Any:
        """The first message, as pydantic-ai takes it."""
        about = images_words(self.images or self.hidden, are_shown=bool(self.images))
        return user_content(" ".join(["Score the work against the rubric.", about]).strip(), self.images)


class _Done(NamedTuple):
    messages: tuple[dict[str, Any], ...]
    reply: str | None
    error: EvaluatorError | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    currency: str | None


def _agent_ref(book: Any, settings: EvaluatorSettings) -> PromptRef | None:
    """The agent that ``AgentID`` names: by id, or by name."""
    if not settings.agent_id:
        return None
    by_id = PromptRef(id=settings.agent_id)
    return by_id if book.find(by_id) is not None else PromptRef(name=settings.agent_id)


def _told(
    messages: Sequence[Any], reply: str | None, error: EvaluatorError | None, model: ResolvedModel
) -> _Done:
    responses = [message for message in messages if message.kind == "response"]
    measured = [one for one in responses if one.usage.input_tokens or one.usage.output_tokens]
    costs = [cost_of(one, model) for one in measured]
    known = [cost for cost, _ in costs if cost is not None]
    whole = bool(known) and len(known) == len(responses)
    return _Done(
        messages=tuple(_plain(messages, model)),
        reply=reply,
        error=error,
        input_tokens=sum(one.usage.input_tokens for one in measured) if measured else None,
        output_tokens=sum(one.usage.output_tokens for one in measured) if measured else None,
        cost=sum(known) if whole else None,
        currency=costs[0][1] if whole else None,
    )


def _plain(messages: Sequence[Any], model: ResolvedModel) -> list[dict[str, Any]]:
    """The talk as role and text, calls of tools with their arguments."""
    roles = {
        "system-prompt": "system",
        "user-prompt": "user",
        "text": "assistant",
        "tool-return": "tool",
        "retry-prompt": "user",
        "retry-feedback": "user",
    }
    listed: list[dict[str, Any]] = []
    for message in messages:
        for part in message.parts:
            kind = part.part_kind
            if kind == "tool-call":
                said = f"{part.tool_name}({part.args_as_json_str()})"
                listed.append({"role": "assistant", "content": storable_text(redacted(said, [model.key]))})
            elif kind in roles:
                text = storable_text(redacted(_said(part.content), [model.key]))
                listed.append({"role": roles[kind], "content": text})
    return listed


def _said(content: Any) -> str:
    """A message without the bytes of images, of which only the kind and the size are told."""
    if not isinstance(content, list | tuple):
        return str(content)
    return "\n\n".join(
        one if isinstance(one, str) else f"[image, {one.media_type}, {len(one.data):,} bytes]"
        for one in content
    )
