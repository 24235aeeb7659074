"""The services that evaluators call on, as they are: prompts rendered, models called, every call kept."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.prompt_records import Prompt, PromptKind, PromptRun
from rubrictui.evaluators import prompts as shipped
from rubrictui.evaluators.config import ResolvedModel
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.model_faults import ModelCallError
from rubrictui.evaluators.models import (
    CallReply,
    CallRequest,
    ModelAccess,
    TokenChance,
    Turn,
)
from rubrictui.evaluators.prompting import PromptBook, render
from rubrictui.evaluators.prompting_compose import described
from rubrictui.evaluators.prompting_rendered import Rendered
from rubrictui.evaluators.prompting_runs import NothingKept, RunKeeper, cache_key
from rubrictui.evaluators.prompting_subject import (
    cut,
    image_hash,
    image_lines,
    images_words,
    not_shown,
    subject_message,
)
from rubrictui.evaluators.replies import storable_text
from rubrictui.evaluators.services import (
    Choice,
    Decided,
    Image,
    PromptRef,
    PromptReply,
    PromptRequest,
    Services,
)

_Result = TypeVar("_Result")

#: The codes of levels: each is one token for every model that is known.
CODES: Final = "ABCDEFGHIJKLMNOPQRST"


class Surroundings(NamedTuple):
    """What the services stand on: prompts, models, a keeper of runs, the evaluator's name, clock and ids.

    ``texts`` keeps what was rendered, for the runs that share it.
    """

    book: PromptBook
    access: ModelAccess
    evaluator_name: str
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    texts: Rendered
    keeper: RunKeeper = NothingKept()


def build_services(around: Surroundings) -> Services:
    """Prompts, decisions and agents over the same models and the same keeper."""
    from rubrictui.evaluators.agent_loop import AgentLoop

    return Services(prompts=ModelPrompts(around), decisions=ModelDecisions(around), agents=AgentLoop(around))


async def all_of(work: Sequence[Coroutine[Any, Any, _Result]]) -> list[_Result]:
    """The results of everything, at the same time; the first error ends the rest, which is waited for."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


class ModelPrompts:
    """``PromptService`` over stored and shipped prompts."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._caller = Caller(around)

    async def render_criteria(
        self, version: VersionSnapshot, prompt: PromptRef | None = None
    ) -> Mapping[str, str]:
        """Each leaf as text. Raises as ``criteria_texts`` and ``PromptBook.get``."""
        found = self._around.book.get(prompt, PromptKind.CRITERION, shipped.CRITERION)
        return self._around.texts.criteria(version, found)

    def criterion_prompt(self, prompt: PromptRef | None = None) -> dict[str, str]:
        """Name, id and hash of the criterion prompt."""
        return described(self._around.book.get(prompt, PromptKind.CRITERION, shipped.CRITERION))

    async def preview(self, request: PromptRequest) -> str:
        """The system message that ``run`` would send."""
        evaluator, judge = self._pair(request)
        return self._around.texts.system(evaluator, judge, request.data)

    async def run(self, request: PromptRequest) -> PromptReply:
        """Render, call, keep.

        Raises:
            PromptNotFoundError, PromptTemplateError: before any call.
            NoModelError, ModelCallError: no model answered; the failed calls are kept.
        """
        evaluator, judge = self._pair(request)
        system = self._around.texts.system(evaluator, judge, request.data)
        bound = evaluator.models
        if request.model_selection == "Judge" and judge is not None and judge.models:
            bound = judge.models
        parts = {"SystemPrompt": evaluator} | ({"JudgePrompt": judge} if judge is not None else {})
        call = Call(
            system=system,
            subject=request.subject,
            turns=tuple(Turn(role, text) for role, text in request.turns),
            sample=request.sample,
            parts=parts,
            images=request.images,
        )
        done = await self._caller.run(call, request.model_id, bound)
        return done.reply

    def _pair(self, request: PromptRequest) -> tuple[Prompt, Prompt | None]:
        book = self._around.book
        evaluator = book.get(request.prompt, PromptKind.EVALUATOR, shipped.EVALUATOR)
        return evaluator, book.get(request.judge, PromptKind.JUDGE, shipped.DEFAULT_JUDGE)


class Subject(NamedTuple):
    """What is judged: its text, and its images."""

    text: str
    images: tuple[Image, ...] = ()


class ModelDecisions:
    """``DecisionService`` over models that tell the probabilities of their tokens."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._caller = Caller(around)

    async def ask(
        self,
        choices: Sequence[Choice],
        *,
        subject: str,
        prompt: PromptRef | None,
        model_id: str | None,
        images: tuple[Image, ...] = (),
    ) -> Sequence[Decided]:
        """One call for each question, all at the same time.

        Raises:
            PromptNotFoundError, PromptTemplateError: before any call.
            NoModelError, ModelCallError: no model answered.
            EvaluatorError: the model tells no probabilities, or none for the options.
        """
        found = self._around.book.get(prompt, PromptKind.DECISION, shipped.DECISION)
        model = model_id or (None if found.models else self._around.access.config.decision_model)
        return await all_of([self._one(choice, Subject(subject, images), found, model) for choice in choices])

    async def _one(self, choice: Choice, subject: Subject, prompt: Prompt, model_id: str | None) -> Decided:
        if not 1 <= len(choice.options) <= len(CODES):
            raise EvaluatorError(
                f'"{choice.key}" has {len(choice.options)} levels; a decision takes 1 to {len(CODES)}.'
            )
        codes = CODES[: len(choice.options)]
        options = [{"Code": code, "Label": label} for code, label in zip(codes, choice.options, strict=True)]
        call = Call(
            system=render(prompt, {"Question": choice.question, "Options": options}),
            subject=subject.text,
            images=subject.images,
            parts={"Prompt": prompt},
            chances=min(20, max(5, len(codes) + 3)),
            key=choice.key,
        )
        done = await self._caller.run(call, model_id, prompt.models)
        shares = option_shares(done.chances, codes)
        if shares is None:
            raise EvaluatorError(
                f'The model "{done.reply.model}" tells no probabilities.',
                remedy="Use a server that returns logprobs, or the LLM evaluator.",
            )
        mass = sum(shares)
        if mass <= 0:
            said = " ".join(done.reply.text.split())[:40]
            raise EvaluatorError(
                f'The model "{done.reply.model}" answered {said!r} to "{choice.key}" and no level.',
                remedy="Use another model, or the LLM evaluator.",
            )
        probabilities = tuple(share / mass for share in shares)
        # Of equals the lower level, as people are asked to do.
        chosen = max(range(len(probabilities)), key=lambda place: (probabilities[place], -place))
        return Decided(
            key=choice.key,
            chosen=chosen,
            probabilities=probabilities,
            run_id=done.reply.run_id,
            mass=min(mass, 1.0),
            reply=done.reply,
        )


def option_shares(chances: Sequence[TokenChance] | None, codes: str) -> tuple[float, ...] | None:
    """The probability of each code, blanks around a token aside; None when there are no probabilities."""
    if not chances:
        return None
    shares = dict.fromkeys(codes, 0.0)
    for one in chances:
        code = one.token.strip().strip("\u0120\u2581")
        if code in shares:
            shares[code] += math.exp(min(one.logprob, 0.0))
    return tuple(shares.values())


class Call(NamedTuple):
    """One call as it is asked for, before a model is chosen."""

    system: str
    subject: str
    parts: Mapping[str, Prompt]
    turns: tuple[Turn, ...] = ()
    sample: int = 0
    chances: int = 0
    key: str | None = None
    images: tuple[Image, ...] = ()


class Done(NamedTuple):
    """A call that was answered."""

    reply: PromptReply
    chances: tuple[TokenChance, ...] | None


class Caller:
    """Chooses the model, asks, lets another one stand in, and keeps every call, failed ones too."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    def candidates(self, model_id: str | None, bound: Sequence[str]) -> list[ResolvedModel]:
        """The models to ask, in order: the one pinned, else those bound to the prompt, else the default."""
        return self._around.access.models_for(model_id, bound)

    async def run(self, call: Call, model_id: str | None, bound: Sequence[str]) -> Done:
        """The answer of the first model that gives one."""
        candidates = self.candidates(model_id, bound)
        for number, model in enumerate(candidates):
            try:
                return await self._with_images(call, model)
            except ModelCallError:
                if number == len(candidates) - 1:
                    raise
        raise AssertionError("there is always a model to ask")

    async def _with_images(self, call: Call, model: ResolvedModel) -> Done:
        """The answer of one model, which is asked without the images where it takes none."""
        access = self._around.access
        if not call.images:
            return await self._ask(call, model, ())
        if access.takes_images(model):
            try:
                return await self._ask(call, model, call.images)
            except ModelCallError as error:
                if not error.may_be_images:
                    raise
                done = await self._ask(call, model, ())
                access.takes_no_images(model)
                return done
        return await self._ask(call, model, ())

    async def _ask(self, call: Call, model: ResolvedModel, images: tuple[Image, ...]) -> Done:
        around = self._around
        shown, note = cut(call.subject, model.budget)
        if call.images and not images:
            note = f"{note} {not_shown(call.images, model.id)}".strip()
        key = self._key(call, model, shown, images)
        earlier = await around.keeper.earlier(key)
        if earlier is not None:
            return _again(earlier, call, note)
        message = subject_message(
            call.subject,
            budget=model.budget,
            about=images_words(call.images, are_shown=bool(images)),
        )
        turns = (Turn("user", message.text, images), *call.turns)
        record = PromptRun(
            id=around.new_id(),
            evaluator_name=around.evaluator_name,
            prompt_id=_stored_id(call.parts, ("SystemPrompt", "Prompt")),
            judge_prompt_id=_stored_id(call.parts, ("JudgePrompt",)),
            provider=model.provider_name,
            model=model.name,
            settings=_settings(call, model, note),
            messages=_messages(call.system, turns),
            started_at=around.clock(),
            finished_at=around.clock(),
            cache_key=key,
        )
        try:
            reply = await around.access.call(model, CallRequest(call.system, turns, call.chances))
        except EvaluatorError as error:
            await self._keep(record, error_message=str(error))
            raise
        settings = record.settings
        if reply.chances is not None:
            settings = settings | {"Chances": {one.token: one.logprob for one in reply.chances}}
        await self._keep(
            record,
            settings=settings,
            model=reply.model,
            reply=storable_text(reply.text),
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cost=reply.cost,
            cost_currency=reply.cost_currency,
        )
        return Done(_told(record.id, reply, call, note), reply.chances)

    async def _keep(self, record: PromptRun, **more: Any) -> None:
        import msgspec

        kept = msgspec.structs.replace(record, finished_at=self._around.clock(), **more)
        await self._around.keeper.keep(kept)

    @staticmethod
    def _key(call: Call, model: ResolvedModel, shown: str, images: Sequence[Image]) -> str:
        return cache_key(
            [model.provider.kind, model.provider.base_url, model.name],
            [model.model.temperature, model.model.max_tokens],
            call.system,
            shown,
            [list(turn) for turn in call.turns],
            [call.sample, call.chances],
            *([[image.media_type, image_hash(image)] for image in images]),
        )


def _again(earlier: PromptRun, call: Call, note: str) -> Done:
    kept = earlier.settings.get("Chances")
    chances = None
    if isinstance(kept, Mapping):
        chances = tuple(TokenChance(token=token, logprob=float(value)) for token, value in kept.items())
    reply = PromptReply(
        text=earlier.reply or "",
        run_id=earlier.id,
        model=earlier.model,
        input_tokens=0,
        output_tokens=0,
        cost=0.0 if earlier.cost is not None else None,
        cost_currency=earlier.cost_currency,
        note=note,
        prompts=_described(call.parts),
        cached=True,
    )
    return Done(reply, chances)


def _told(run_id: str, reply: CallReply, call: Call, note: str) -> PromptReply:
    return PromptReply(
        text=reply.text,
        run_id=run_id,
        model=reply.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost=reply.cost,
        cost_currency=reply.cost_currency,
        note=note,
        prompts=_described(call.parts),
    )


def _described(parts: Mapping[str, Prompt]) -> dict[str, dict[str, str]]:
    return {part: described(prompt) for part, prompt in parts.items()}


def _settings(call: Call, model: ResolvedModel, note: str) -> dict[str, Any]:
    found: dict[str, Any] = {"ModelID": model.id, **_described(call.parts)}
    if call.key is not None:
        found["Criterion"] = call.key
    if call.sample:
        found["Sample"] = call.sample
    if note:
        found["SubjectCut"] = note
    return found


def _messages(system: str, turns: Sequence[Turn]) -> tuple[dict[str, Any], ...]:
    listed = [Turn("system", system), *turns]
    return tuple(
        {"role": turn.role, "content": storable_text("\n\n".join([turn.text, *image_lines(turn.images)]))}
        for turn in listed
    )


def _stored_id(parts: Mapping[str, Prompt], names: Sequence[str]) -> str | None:
    found = next((parts[name] for name in names if name in parts), None)
    return found.id if found is not None and found.is_stored else None
