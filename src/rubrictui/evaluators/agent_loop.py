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
from rubrictui.evaluators.base import SubjectContent
from rubrictui.evaluators.config import ResolvedModel, redacted
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.models import INSTALL, cost_of, explained
from rubrictui.evaluators.prompting_compose import criterion_ref, described, judge_ref, system_message
from rubrictui.evaluators.prompting_data import criteria_texts, prompt_data
from rubrictui.evaluators.prompting_subject import TAG, new_nonce, subject_text
from rubrictui.evaluators.replies import storable_text
from rubrictui.evaluators.services import PromptRef, PromptReply
from rubrictui.evaluators.settings import EvaluatorSettings

PAGE_CHARACTERS: Final = 12_000
MOST_HITS: Final = 20
_AROUND: Final = 200

MOST_STEPS: Final = 30
MOST_TOKENS: Final = 500_000


class Pages:
    """A text in pages that end where a line does, if one does near."""

    def __init__(self, text: str, size: int = PAGE_CHARACTERS) -> None:
        self.text = text
        self._starts = [0]
        while len(text) - self._starts[-1] > size:
            start = self._starts[-1]
            line = text.rfind("\n", start + size // 2, start + size)
            self._starts.append(line + 1 if line >= 0 else start + size)

    def __len__(self) -> int:
        return len(self._starts)

    def page(self, number: int) -> str:
        """A page, 1 the first.

        Raises:
            LookupError: there is no such page.
        """
        if not 1 <= number <= len(self):
            raise LookupError(f"There is no page {number}: there are {len(self)}.")
        ends = [*self._starts[1:], len(self.text)]
        return self.text[self._starts[number - 1] : ends[number - 1]]

    def find(self, words: str, most: int = MOST_HITS) -> tuple[int, list[tuple[int, str]]]:
        """How often the words stand in the text, letter case aside, and the first hits: page, text around."""
        lowered, wanted = self.text.lower(), words.strip().lower()
        if not wanted or len(lowered) != len(self.text):
            # A few letters change their length in lower case; then they must be written as they stand.
            lowered, wanted = self.text, words.strip()
        hits: list[tuple[int, str]] = []
        count, at = 0, lowered.find(wanted) if wanted else -1
        while at >= 0:
            count += 1
            if len(hits) < most:
                around = self.text[max(0, at - _AROUND) : at + len(wanted) + _AROUND]
                hits.append((self._page_of(at), around))
            at = lowered.find(wanted, at + max(len(wanted), 1))
        return count, hits

    def _page_of(self, place: int) -> int:
        import bisect

        return bisect.bisect_right(self._starts, place)


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


class Tools:
    """What the agent can do. Each answer is a text; a wrong call is answered, not raised."""

    def __init__(self, rubric: str, subject: str) -> None:
        self._rubric = Pages(rubric)
        self._subject = Pages(subject)

    def get_rubric(self, page: int = 1) -> str:
        """Read the rubric: its instructions, and every criterion with its key and its levels.

        Args:
            page: which page, 1 the first.
        """
        try:
            text = self._rubric.page(page)
        except LookupError as error:
            return str(error)
        return f"Page {page} of {len(self._rubric)}\n\n{text}"

    def get_subject(self, page: int = 1, search: str | None = None) -> str:
        """Read a page of the work, or find words in all of it.

        Args:
            page: which page, 1 the first; of no matter when search is given.
            search: words to find; each hit comes with its page and the text around it.
        """
        if search is not None and search.strip():
            count, hits = self._subject.find(search)
            shown = "\n\n".join(f"Page {number}: ...{around}..." for number, around in hits)
            more = f"; the first {len(hits)} are shown" if count > len(hits) else ""
            return f"{count} found{more}." + (f"\n{self._block(shown)}" if hits else "")
        try:
            text = self._subject.page(page)
        except LookupError as error:
            return str(error)
        return f"Page {page} of {len(self._subject)}\n{self._block(text)}"

    @staticmethod
    def _block(text: str) -> str:
        code = new_nonce()
        while code in text:
            code = new_nonce()
        return f"<{TAG} {code}>\n{text}\n</{TAG} {code}>"


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
        model = around.access.resolve(settings.model_id or (bound[0] if bound else None))
        record = PromptRun(
            id=around.new_id(),
            evaluator_name=around.evaluator_name,
            prompt_id=agent_prompt.id if agent_prompt.is_stored else None,
            judge_prompt_id=judge.id if judge.is_stored else None,
            provider=model.provider_name,
            model=model.name,
            settings={
                "ModelID": model.id,
                "SystemPrompt": described(agent_prompt),
                "JudgePrompt": described(judge),
                "Steps": limits.steps,
                "Tokens": limits.tokens,
            },
            started_at=around.clock(),
            finished_at=around.clock(),
        )
        system = system_message(agent_prompt, judge, data)
        done = await self._loop(model, system, tools, limits, check)
        kept = msgspec.structs.replace(
            record,
            messages=done.messages,
            reply=done.reply,
            input_tokens=done.input_tokens,
            output_tokens=done.output_tokens,
            cost=done.cost,
            cost_currency=done.currency,
            error_message=str(done.error) if done.error else None,
            finished_at=around.clock(),
        )
        await around.keeper.keep(kept)
        if done.error is not None:
            raise done.error from None
        return PromptReply(
            text=done.reply or "",
            run_id=record.id,
            model=model.name,
            input_tokens=done.input_tokens,
            output_tokens=done.output_tokens,
            cost=done.cost,
            cost_currency=done.currency,
            prompts={"SystemPrompt": described(agent_prompt), "JudgePrompt": described(judge)},
        )

    async def _loop(
        self,
        model: ResolvedModel,
        system: str,
        tools: Tools,
        limits: Limits,
        check: Callable[[str], str],
    ) -> _Done:
        client = self._around.access.model(model)
        try:
            from pydantic_ai import Agent, ModelRetry, UsageLimits, capture_run_messages
            from pydantic_ai.exceptions import UnexpectedModelBehavior, UsageLimitExceeded
        except ImportError:
            raise EvaluatorError("The agent needs a package that is missing.", remedy=INSTALL) from None
        agent: Any = Agent(
            client,
            system_prompt=system,
            tools=[tools.get_rubric, tools.get_subject],
            retries=2,
            model_settings={
                "timeout": model.provider.timeout,
                "max_retries": model.provider.retries,
            },
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
                        "Score the work against the rubric.",
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
                text = storable_text(redacted(str(part.content), [model.key]))
                listed.append({"role": roles[kind], "content": text})
    return listed
