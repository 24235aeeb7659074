"""What an evaluator is: the class that built-in ones and plugins derive from, and what passes through it.

An evaluator takes a version and the content of a subject and gives one answer per criterion. The scores are
``core.scoring``'s: an evaluator that hands its answers to ``scored`` is comparable with every other, people
included. ``docs/evaluators.md`` has a worked plugin.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec

from rubrictui.core.model import Answer, ScoreResult, Value, VersionSnapshot
from rubrictui.core.records import EvaluatorType, SubjectFile
from rubrictui.core.scoring import compute
from rubrictui.evaluators.services import Services
from rubrictui.evaluators.settings import EvaluatorSettings


class SubjectContent(Value, frozen=True, kw_only=True):
    """What an evaluator sees of a subject. It comes from outside: it is never a template, and never trusted.

    Attributes:
        entity, record_id: which record is scored.
        title: what people call it.
        text: what there is to read; quotes are taken from here word for word, or from a text file.
        data: fields by name, JSON values; rules read paths in it.
        files: attachments, those that are text with their text.
    """

    entity: str
    record_id: str
    title: str = ""
    text: str = ""
    data: dict[str, Any] | None = None
    files: tuple[SubjectFile, ...] = ()


class EvaluatorRun(Value, frozen=True, kw_only=True):
    """What a run has found, and what it took.

    Attributes:
        answers: at most one that counts for each criterion; a criterion without one stays unanswered.
        result: the score of the answers, by ``core.scoring``; the engine computes it anew.
        metadata: what the evaluation keeps under ``Evaluator``: JSON, no secrets.
        prompt_run_ids, agent_run_id: the stored runs that produced it.
        model, input_tokens, output_tokens: what answered, and how much went in and came out.
        cost: of all its calls, in ``cost_currency``; None where it is not known.
        unanswered: keys of criteria that could not be answered, each with why in a few words.
    """

    answers: tuple[Answer, ...] = ()
    result: ScoreResult | None = None
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    prompt_run_ids: tuple[str, ...] = ()
    agent_run_id: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cost_currency: str | None = None
    unanswered: dict[str, str] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorContext:
    """Everything a run needs. An evaluator keeps nothing between runs.

    Attributes:
        version: what is asked.
        content: what is judged.
        settings: what the caller chose; a plugin's own under ``settings.extension(name)``.
        services: models and agents, through the caller's own settings and rights.
        pass_threshold: in place of the version's, or None.
        new_id: gives ids to what a run stores.
    """

    version: VersionSnapshot
    content: SubjectContent
    settings: EvaluatorSettings = field(default_factory=EvaluatorSettings)
    services: Services = field(default_factory=Services)
    pass_threshold: float | None = None
    new_id: Callable[[], str] | None = None


class RubricEvaluator(ABC):
    """The base class of evaluators. Made without arguments, once for each run.

    Raise anything to fail the run: the engine stores a Failed evaluation with the message. An
    ``EvaluatorError`` says what to do as well.

    Class attributes:
        name: under which it is registered and stored; unique, letter case does not count.
        evaluator_type: what its evaluations are stored as. One that is neither a prompt nor an agent, nor a
            rule of the rubric, is External.
        priority: of two under one name the higher one runs; a plugin beats a built-in of the same priority.
    """

    name: ClassVar[str]
    evaluator_type: ClassVar[EvaluatorType] = EvaluatorType.EXTERNAL
    priority: ClassVar[int] = 0

    @classmethod
    def why_not_runnable(cls) -> str:
        """Why it cannot run here, in one line with what to do; "" when it can."""
        return ""

    def check(self, version: VersionSnapshot, settings: EvaluatorSettings) -> None:  # noqa: B027
        """Refuse, before anything is called, a rubric or settings that this evaluator cannot work with.

        Raises:
            EvaluatorError: why, and what to use instead.
        """

    @abstractmethod
    async def evaluate(self, context: EvaluatorContext) -> EvaluatorRun:
        """Answer the criteria of ``context.version`` about ``context.content``."""

    @staticmethod
    def scored(context: EvaluatorContext, answers: Iterable[Answer], **more: Any) -> EvaluatorRun:
        """A run with these answers, scored by the one scorer; ``more`` are other fields of ``EvaluatorRun``.

        Raises:
            ScoringError: the version does not allow an answer.
        """
        given = tuple(answers)
        result = compute(context.version, given, pass_threshold=context.pass_threshold)
        return EvaluatorRun(answers=given, result=result, **more)
