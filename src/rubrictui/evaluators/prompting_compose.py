"""From a rubric version, settings and a subject to the messages of a call. Pure: no call, no store, no clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rubrictui.core.model import Value, VersionSnapshot
from rubrictui.core.prompt_records import Prompt, PromptKind, text_hash
from rubrictui.evaluators import prompts as shipped
from rubrictui.evaluators.base import SubjectContent
from rubrictui.evaluators.prompting import PromptBook, render
from rubrictui.evaluators.prompting_data import criteria_texts, prompt_data
from rubrictui.evaluators.prompting_subject import (
    DEFAULT_BUDGET,
    new_nonce,
    subject_message,
    subject_text,
)
from rubrictui.evaluators.services import PromptRef
from rubrictui.evaluators.settings import EvaluatorSettings


class Composed(Value, frozen=True, kw_only=True):
    """The two messages of a call.

    Attributes:
        system: frame, judge and criteria.
        user: the subject in its block.
        note: what of the subject was left out, "" for nothing.
        prompts: what took part: ``SystemPrompt``, ``JudgePrompt``, ``CriterionPrompt`` with name, id and hash.
        system_sha256: of the system message.
    """

    system: str
    user: str
    note: str = ""
    prompts: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    system_sha256: str = ""


class Parts(Value, frozen=True, kw_only=True):
    """The three prompts of an LLM evaluation."""

    evaluator: Prompt
    judge: Prompt
    criterion: Prompt

    def described(self) -> dict[str, dict[str, str]]:
        """Names, ids and hashes, as an evaluation keeps them."""
        return {
            "SystemPrompt": described(self.evaluator),
            "JudgePrompt": described(self.judge),
            "CriterionPrompt": described(self.criterion),
        }


def described(prompt: Prompt) -> dict[str, str]:
    """A prompt's name, id and hash."""
    return {"Name": prompt.name, "ID": prompt.id, "Hash": prompt.sha256}


def system_ref(settings: EvaluatorSettings) -> PromptRef:
    """The frame that settings name."""
    return PromptRef(id=settings.system_prompt_id, name=settings.system_prompt_name)


def judge_ref(settings: EvaluatorSettings) -> PromptRef:
    """The judge that settings name."""
    return PromptRef(id=settings.prompt_id, name=settings.prompt_name)


def criterion_ref(settings: EvaluatorSettings) -> PromptRef:
    """The criterion prompt that settings name."""
    return PromptRef(id=settings.criterion_prompt_id, name=settings.criterion_prompt_name)


def parts_of(settings: EvaluatorSettings, book: PromptBook) -> Parts:
    """The prompts that settings name, the shipped ones where they name none.

    Raises:
        PromptNotFoundError, PromptTemplateError: as ``PromptBook.get``.
    """
    return Parts(
        evaluator=book.get(system_ref(settings), PromptKind.EVALUATOR, shipped.EVALUATOR),
        judge=book.get(judge_ref(settings), PromptKind.JUDGE, shipped.DEFAULT_JUDGE),
        criterion=book.get(criterion_ref(settings), PromptKind.CRITERION, shipped.CRITERION),
    )


def system_message(evaluator: Prompt, judge: Prompt | None, data: Mapping[str, Any]) -> str:
    """The judge rendered, and the frame around it.

    Raises:
        PromptTemplateError: a template fails.
    """
    judged = render(judge, data) if judge is not None else ""
    return render(evaluator, {**data, "judgePrompt": judged})


def compose(
    version: VersionSnapshot,
    content: SubjectContent,
    settings: EvaluatorSettings,
    book: PromptBook,
    *,
    budget: int = DEFAULT_BUDGET,
    key: str | None = None,
    nonce: Callable[[], str] = new_nonce,
) -> Composed:
    """What an LLM evaluation sends.

    Args:
        budget: how many characters of the subject may be sent.
        key: in the mode PerCriterion the criterion to ask; the first one when omitted.

    Raises:
        PromptNotFoundError, PromptTemplateError, CriterionTextsError: a prompt is missing or fails.
        EvaluatorError: the subject has nothing to read.
    """
    parts = parts_of(settings, book)
    texts = criteria_texts(version, parts.criterion)
    keys = None
    if settings.mode == "PerCriterion":
        keys = (key,) if key is not None else tuple(texts)[:1]
    data = prompt_data(
        version, settings.mode, texts, entity=content.entity, record_id=content.record_id, keys=keys
    )
    system = system_message(parts.evaluator, parts.judge, data)
    message = subject_message(subject_text(content), budget=budget, nonce=nonce)
    return Composed(
        system=system,
        user=message.text,
        note=message.note,
        prompts=parts.described(),
        system_sha256=text_hash(system),
    )
