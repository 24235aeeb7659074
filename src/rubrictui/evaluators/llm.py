"""The LLM evaluator: a judge model reads the subject and answers the criteria with rationale and quotes (guide section 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from rubrictui.core.plan import Leaf
from rubrictui.core.records import EvaluatorType
from rubrictui.evaluators import models
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.prompting_compose import criterion_ref, judge_ref, system_ref
from rubrictui.evaluators.prompting_data import leaves, prompt_data
from rubrictui.evaluators.prompting_service import all_of
from rubrictui.evaluators.prompting_subject import Pictures, images_of, subject_text
from rubrictui.evaluators.replies import Reading, ReplyError, read_reply
from rubrictui.evaluators.replies_merge import merge
from rubrictui.evaluators.services import PromptReply, PromptRequest, PromptService, need


class LLMEvaluator(RubricEvaluator):
    """Asks a judge model: once for the whole rubric, or once for each criterion; as often as ``Samples`` says.

    A reply that cannot be read, or leaves criteria without a usable answer, is sent back once with what is wrong.
    What then still has no answer is unanswered and listed; a second reply that cannot be read at all fails the run.
    """

    name: ClassVar[str] = "LLM"
    evaluator_type: ClassVar[EvaluatorType] = EvaluatorType.AI_PROMPT

    @classmethod
    def why_not_runnable(cls) -> str:
        return "" if models.installed() else models.INSTALL

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        prompts = need(context.services.prompts, "models")
        settings = context.settings
        asked = leaves(context.version)
        if not asked:
            raise EvaluatorError("The version has no criterion to ask.", remedy="Add one, and publish it.")
        texts = await prompts.render_criteria(context.version, criterion_ref(settings))
        groups = [[leaf] for leaf in asked] if settings.mode == "PerCriterion" else [list(asked)]
        subject = subject_text(context.content)
        pictures = images_of(context.content)

        def request(group: Sequence[Leaf], sample: int) -> PromptRequest:
            return PromptRequest(
                prompt=system_ref(settings),
                judge=judge_ref(settings),
                data=prompt_data(
                    context.version,
                    settings.mode,
                    texts,
                    entity=context.content.entity,
                    record_id=context.content.record_id,
                    keys=[leaf.node.key for leaf in group],
                ),
                subject=subject,
                model_id=settings.model_id,
                model_selection=settings.model_selection,
                sample=sample,
                images=pictures.images,
            )

        asks = [
            _Ask(prompts, request(group, sample), group, context)
            for sample in range(settings.samples)
            for group in groups
        ]
        done = await all_of([ask.run() for ask in asks])
        replies = [reply for ask in asks for reply in ask.replies]
        per_sample = [joined(done[start : start + len(groups)]) for start in range(0, len(done), len(groups))]
        merged = merge(asked, per_sample)
        metadata = call_metadata(replies)
        metadata["CriterionPrompt"] = prompts.criterion_prompt(criterion_ref(settings))
        metadata |= reading_metadata(per_sample) | image_metadata(pictures)
        if settings.samples > 1:
            metadata["Samples"] = {"Count": settings.samples, "Criteria": merged.spread}
        repairs = sum(len(ask.replies) - 1 for ask in asks)
        if repairs:
            metadata["Repairs"] = repairs
        return self.scored(
            context,
            merged.answers.values(),
            metadata=metadata,
            prompt_run_ids=run_ids(replies),
            unanswered=merged.unanswered,
            **call_fields(metadata),
        )


class _Ask:
    """One call with its repair round. ``replies`` are what came, in order."""

    def __init__(
        self, prompts: PromptService, request: PromptRequest, asked: Sequence[Leaf], context: EvaluatorContext
    ) -> None:
        self._prompts = prompts
        self._request = request
        self._asked = asked
        self._content = context.content
        self.replies: list[PromptReply] = []

    async def run(self) -> Reading:
        reply = await self._call(self._request)
        first: Reading | None = None
        try:
            first = read_reply(reply.text, self._asked, self._content)
            wrong = {key: first.problems[key] for key in first.repairable}
            if not wrong:
                return first
            complaint = repair_message(wrong)
        except ReplyError as error:
            complaint = f"{error.message} Send the JSON object that was asked for, and nothing else."
        turns = (("assistant", reply.text or "(nothing)"), ("user", complaint))
        again = await self._call(msgspec.structs.replace(self._request, turns=turns))
        try:
            second = read_reply(again.text, self._asked, self._content)
        except ReplyError as error:
            if first is not None and first.answers:
                return first
            raise ReplyError(f"{error.message.rstrip('.')} (asked twice).", remedy=error.remedy) from None
        return second if first is None else mended(first, second)

    async def _call(self, request: PromptRequest) -> PromptReply:
        reply = await self._prompts.run(request)
        self.replies.append(reply)
        return reply


def repair_message(wrong: dict[str, str]) -> str:
    """What a model is told about a reply that can be read in part."""
    lines = "\n".join(f"- `{key}`: {why}" for key, why in wrong.items())
    return (
        "Your reply cannot be used for these criteria:\n"
        f"{lines}\n"
        "Send the JSON object again in the same form, with entries for these criteria. Choose labels exactly as "
        "they are written and numbers within their range, and nothing but the JSON."
    )


def mended(first: Reading, second: Reading) -> Reading:
    """The first reading with what the second one adds for criteria that had no usable answer."""
    answers = first.answers | {key: answer for key, answer in second.answers.items() if key in first.problems}
    problems = {
        key: second.problems.get(key, why) if key in first.repairable else why
        for key, why in first.problems.items()
        if key not in answers or key not in first.repairable
    }
    # A criterion whose quotes were invented is not asked again, and not answered by another try either.
    answers = {key: answer for key, answer in answers.items() if key not in problems}
    dropped = dict(first.dropped_quotes)
    for key, count in second.dropped_quotes.items():
        if key in first.repairable:
            dropped[key] = dropped.get(key, 0) + count
    return Reading(
        answers=answers,
        problems=problems,
        unknown_keys=tuple(dict.fromkeys((*first.unknown_keys, *second.unknown_keys))),
        dropped_quotes=dropped,
    )


def joined(readings: Sequence[Reading]) -> Reading:
    """The readings of one sample, asked a criterion at a time, as one."""
    if len(readings) == 1:
        return readings[0]
    answers: dict[str, Any] = {}
    problems: dict[str, str] = {}
    dropped: dict[str, int] = {}
    for reading in readings:
        answers |= reading.answers
        problems |= reading.problems
        dropped |= reading.dropped_quotes
    unknown = tuple(dict.fromkeys(key for reading in readings for key in reading.unknown_keys))
    return Reading(answers=answers, problems=problems, unknown_keys=unknown, dropped_quotes=dropped)


def run_ids(replies: Sequence[PromptReply]) -> tuple[str, ...]:
    """The runs of the replies, each once."""
    return tuple(dict.fromkeys(reply.run_id for reply in replies if reply.run_id))


def call_metadata(replies: Sequence[PromptReply]) -> dict[str, Any]:
    """What an evaluation keeps of its calls: prompts, models, tokens, cost (guide section 8)."""
    found: dict[str, Any] = {}
    for reply in replies:
        for part, described in reply.prompts.items():
            found.setdefault(part, described)
    used = list(dict.fromkeys(reply.model for reply in replies if reply.model))
    if used:
        found["Model"] = used[0] if len(used) == 1 else used
    found["InputTokens"] = _sum([reply.input_tokens for reply in replies])
    found["OutputTokens"] = _sum([reply.output_tokens for reply in replies])
    costs = [reply.cost for reply in replies]
    known = [cost for cost in costs if cost is not None]
    found["Cost"] = round(sum(known), 9) if known and len(known) == len(costs) else None
    currencies = {reply.cost_currency for reply in replies if reply.cost_currency}
    if len(currencies) == 1:
        found["CostCurrency"] = currencies.pop()
    elif currencies:
        found["Cost"] = None
    cached = sum(reply.cached for reply in replies)
    if cached:
        found["CachedCalls"] = cached
    notes = list(dict.fromkeys(reply.note for reply in replies if reply.note))
    if notes:
        found["SubjectCut"] = notes[0] if len(notes) == 1 else notes
    return found


def call_fields(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The same as fields of an ``EvaluatorRun``."""
    model = metadata.get("Model")
    return {
        "model": ", ".join(model) if isinstance(model, list) else model,
        "input_tokens": metadata.get("InputTokens"),
        "output_tokens": metadata.get("OutputTokens"),
        "cost": metadata.get("Cost"),
        "cost_currency": metadata.get("CostCurrency"),
    }


def image_metadata(pictures: Pictures) -> dict[str, Any]:
    """What an evaluation keeps of a subject's images: those there were for the model, and those left out."""
    found: dict[str, Any] = {}
    if pictures.images:
        found["Images"] = [image.name for image in pictures.images]
    if pictures.note:
        found["ImagesLeftOut"] = pictures.note
    return found


def reading_metadata(readings: Sequence[Reading]) -> dict[str, Any]:
    """What was dropped from replies: keys that nobody asked for, quotes that do not stand in the subject."""
    unknown = list(dict.fromkeys(key for reading in readings for key in reading.unknown_keys))
    dropped: dict[str, int] = {}
    for reading in readings:
        for key, count in reading.dropped_quotes.items():
            dropped[key] = dropped.get(key, 0) + count
    found: dict[str, Any] = {
        "DroppedKeys": sum(len(reading.unknown_keys) for reading in readings),
        "DroppedQuotes": sum(dropped.values()),
    }
    if unknown:
        found["DroppedKeyNames"] = unknown[:20]
    if dropped:
        found["DroppedQuotesByCriterion"] = dropped
    return found


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
