"""The Agent evaluator: an agent that fetches rubric and subject with tools, for work too large for one call (guide section 8)."""

from __future__ import annotations

from typing import ClassVar

from rubrictui.core.records import EvaluatorType
from rubrictui.evaluators import models
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.llm import (
    call_fields,
    call_metadata,
    image_metadata,
    reading_metadata,
    repair_message,
)
from rubrictui.evaluators.prompting_compose import criterion_ref
from rubrictui.evaluators.prompting_data import leaves
from rubrictui.evaluators.prompting_subject import images_of
from rubrictui.evaluators.replies import ReplyError, read_reply
from rubrictui.evaluators.replies_merge import merge
from rubrictui.evaluators.services import need


class AgentEvaluator(RubricEvaluator):
    """Lets an agent read, within a number of steps and tokens, and checks its last message like an LLM's reply.

    Limits: ``Extensions: {"Agent": {"Steps": 30, "Tokens": 500000}}``.
    """

    name: ClassVar[str] = "Agent"
    evaluator_type: ClassVar[EvaluatorType] = EvaluatorType.AGENT

    @classmethod
    def why_not_runnable(cls) -> str:
        return "" if models.installed() else models.INSTALL

    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        agents = need(context.services.agents, "agents")
        prompts = need(context.services.prompts, "models")
        asked = leaves(context.version)
        if not asked:
            raise EvaluatorError("The version has no criterion to ask.", remedy="Add one, and publish it.")

        def complaint(text: str) -> str:
            try:
                reading = read_reply(text, asked, context.content)
            except ReplyError as error:
                return f"{error.message} Send the JSON object that was asked for, and nothing else."
            wrong = {key: reading.problems[key] for key in reading.repairable}
            return f"{repair_message(wrong)} Repeat the other entries too." if wrong else ""

        reply = await agents.run(context.version, context.content, context.settings, complaint)
        reading = read_reply(reply.text, asked, context.content)
        merged = merge(asked, [reading])
        metadata = call_metadata([reply]) | reading_metadata([reading])
        metadata |= image_metadata(images_of(context.content))
        metadata["CriterionPrompt"] = prompts.criterion_prompt(criterion_ref(context.settings))
        return self.scored(
            context,
            merged.answers.values(),
            metadata=metadata,
            agent_run_id=reply.run_id,
            unanswered=merged.unanswered,
            **call_fields(metadata),
        )
