"""Scoring a record with an evaluator: rules, models, agents, plugins, all through one scorer and one way to store."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import Connection

from rubrictui.core.canonical import subject_hash
from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.explain import display_score
from rubrictui.core.hidden_fields import without_fields
from rubrictui.core.model import Outcome, Value, VersionSnapshot, fold_id
from rubrictui.core.records import EvaluationDetail, Subject
from rubrictui.engine.errors import EvaluatorFailedError, NotFoundError
from rubrictui.engine.prompting import Prompting
from rubrictui.engine.submitting import check_threshold
from rubrictui.engine.work import Evaluator, Work
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, RubricEvaluator, SubjectContent
from rubrictui.evaluators.content import content_providers, stored_content
from rubrictui.evaluators.registry import EvaluatorInfo, registry
from rubrictui.evaluators.settings import (
    DEFAULT_EVALUATOR,
    EvaluatorSelection,
    EvaluatorSettings,
    selection_from,
    settings_from,
)
from rubrictui.store import prompts as prompt_store
from rubrictui.store import rounds
from rubrictui.store.errors import StoreError

_UNSAID = "The evaluator failed without a message."


# What a run took, under the names an evaluation keeps it by.
_TAKEN = (
    ("Model", "model"),
    ("InputTokens", "input_tokens"),
    ("OutputTokens", "output_tokens"),
    ("Cost", "cost"),
    ("CostCurrency", "cost_currency"),
)


class CriterionResult(Value, frozen=True, kw_only=True):
    """One leaf of a result: score 0..1 or None, and why."""

    key: str
    normalized_score: float | None = None
    rationale: str | None = None


class EvaluateResult(Value, frozen=True, kw_only=True):
    """What ``evaluate_record`` gives back (guide section 2, task 3).

    ``score`` is 0..1, ``display_score`` on the version's display range; both are None when nothing could be scored.
    While the user is still scoring the subject herself everything that was found is hidden from her: ``hidden``,
    and only ``evaluation_id`` says that it is stored. ``unanswered`` are criteria without an answer and why.
    ``warnings`` also say what of the subject was left out. ``cost`` is that of the run's calls, None where it is not known.
    """

    evaluation_id: str
    score: float | None = None
    outcome: Outcome | None = None
    display_score: float | None = None
    passed: bool | None = None
    criteria: tuple[CriterionResult, ...] = ()
    unanswered: dict[str, str] = msgspec.field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    hidden: bool = False
    cost: float | None = None
    detail: EvaluationDetail


class PlannedRun(NamedTuple):
    """A run that may begin: what is scored, what the evaluator sees, and which evaluator.

    ``hidden`` are the data fields that it does not see.
    """

    work: Work
    version: VersionSnapshot
    content: SubjectContent
    evaluator: RubricEvaluator
    settings: EvaluatorSettings
    pass_threshold: float | None
    hidden: tuple[str, ...] = ()

    @property
    def by(self) -> Evaluator:
        return Evaluator(self.evaluator.evaluator_type, self.evaluator.name)


class Evaluating(Prompting):
    """Running evaluators."""

    def evaluators(self) -> tuple[EvaluatorInfo, ...]:
        """Every registered evaluator with its type, whether it can run here, and where it comes from."""
        return registry.evaluators()

    def evaluate_record(
        self,
        *,
        subject: str,
        rubric: str | None = None,
        version: str | None = None,
        context: str | None = None,
        evaluator: str | None = None,
        settings: Mapping[str, Any] | EvaluatorSettings | None = None,
        selection: Mapping[str, Any] | EvaluatorSelection | None = None,
        content: Subject | None = None,
        pass_threshold: float | None = None,
    ) -> EvaluateResult:
        """Score a record with an evaluator and store the evaluation (guide section 2, task 3).

        A rerun of the same evaluator on the same work supersedes its own last evaluation.

        Args:
            subject, context: an id or ``Entity/record``.
            rubric: by name: its latest Published version, or the one the context pins.
            version: a version id or ``Name@1.2.0``, in place of ``rubric``.
            evaluator: any registered name; LLM when omitted.
            settings: what the evaluator is told, under the guide's names or in snake_case.
            selection: a stored choice of evaluator and settings, in place of both.
            content: the subject as it is in memory. One that is not stored yet is stored with it; of one that is,
                only this run sees it.
            pass_threshold: 0..1, in place of the version's and of the selection's.

        Raises:
            NoPublishedVersionError: the rubric has no Published version.
            NotFoundError: the rubric, version, subject or context is not found or not readable.
            UnknownEvaluatorError, NotRunnableError, InvalidInputError, StateError: nothing was begun.
            EvaluatorFailedError: the evaluator failed; a Failed evaluation with the message is stored.
        """
        run = self.evaluate_record_async(
            subject=subject,
            rubric=rubric,
            version=version,
            context=context,
            evaluator=evaluator,
            settings=settings,
            selection=selection,
            content=content,
            pass_threshold=pass_threshold,
        )
        return finished(run)

    async def evaluate_record_async(
        self,
        *,
        subject: str,
        rubric: str | None = None,
        version: str | None = None,
        context: str | None = None,
        evaluator: str | None = None,
        settings: Mapping[str, Any] | EvaluatorSettings | None = None,
        selection: Mapping[str, Any] | EvaluatorSelection | None = None,
        content: Subject | None = None,
        pass_threshold: float | None = None,
    ) -> EvaluateResult:
        """``evaluate_record`` for a caller with an event loop: the loop goes on while models answer."""
        chosen = chosen_evaluator(evaluator, settings, selection)
        threshold = pass_threshold if pass_threshold is not None else chosen.pass_threshold
        check_threshold(threshold)
        if content is not None:
            self._store_if_missing(subject, content)
        plan = self._plan_run(
            chosen,
            content,
            threshold,
            subject=subject,
            rubric=rubric,
            version=version,
            context=context,
        )
        began = time.monotonic()
        calls: list[str] = []
        try:
            run = await self._run_evaluator(plan, calls)
        except RubrictuiError as error:
            raise self._failed_run(
                plan, str(error), began, error.message, error.remedy, calls=calls
            ) from error
        except Exception as error:  # a plugin may raise anything; each is a failed run and never a crash
            words = (" ".join(str(error).split()) or type(error).__name__)[:500]
            raise self._failed_run(plan, words, began, words, "", calls=calls) from error
        try:
            return self._keep_run(plan, run, began, calls)
        except StoreError:
            raise
        except RubrictuiError as error:
            # What it answered cannot be submitted: an illegal level, a quote that is not there.
            raise self._failed_run(
                plan, str(error), began, error.message, error.remedy, calls=calls
            ) from error

    # -- the steps -----------------------------------------------------------------------------------

    def _store_if_missing(self, reference: str, content: Subject) -> None:
        if f"{content.entity}/{content.record_id}" != reference.strip() and content.id != reference.strip():
            raise InvalidInputError(
                f'The content is of {content.entity}/{content.record_id}, not of "{reference}".',
                remedy="Name the subject that the content is of.",
            )
        try:
            with self._read() as connection:
                self._find_subject(connection, reference)
        except NotFoundError:
            self.add_subjects([content])

    def _plan_run(
        self,
        chosen: EvaluatorSelection,
        content: Subject | None,
        pass_threshold: float | None,
        *,
        subject: str,
        rubric: str | None,
        version: str | None,
        context: str | None,
    ) -> PlannedRun:
        """Everything that can be refused before a run begins."""
        with self._read() as connection:
            work = self._work(
                connection, subject=subject, rubric=rubric, version=version, context=context, assignment=None
            )
            made = registry.create(chosen.evaluator)
            by = Evaluator(made.evaluator_type, made.name)
            self._check_new(work, by, correcting=False)
            self._no_open_draft(connection, work, by)
            snapshot = self._snapshot(connection, work.version.id)
            hidden = self._hidden_from_judges(connection, [work.subject.id], work.context_id)
        kept_back = hidden.get(work.subject.id, ())
        if content is None:
            seen = content_providers.content_of(without_fields(work.subject, kept_back))
            digest = work.subject.content_hash
        else:
            seen, digest = stored_content(without_fields(content, kept_back)), subject_hash(content)
        made.check(snapshot, chosen.settings)
        # What was cited is looked for in what the evaluator saw, and the evaluation keeps that content's hash.
        shown = msgspec.structs.replace(
            work.subject, text=seen.text, data=seen.data, files=seen.files, content_hash=digest
        )
        return PlannedRun(
            work._replace(subject=shown), snapshot, seen, made, chosen.settings, pass_threshold, kept_back
        )

    def _hidden_from_judges(
        self, connection: Connection, subject_ids: Sequence[str], context_id: str | None
    ) -> dict[str, tuple[str, ...]]:
        """The data fields that evaluators do not get of these subjects, by subject: what the round that they are
        scored for hides from its reviewers, and what is hidden from the user herself."""
        found = (
            {} if context_id is None else dict.fromkeys(subject_ids, self._hidden_by(connection, context_id))
        )
        for id, fields in self._hidden_from_user(connection, subject_ids).items():
            found[id] = tuple(sorted({*found.get(id, ()), *fields}))
        return {id: fields for id, fields in found.items() if fields}

    @staticmethod
    def _hidden_by(connection: Connection, context_id: str) -> tuple[str, ...]:
        round_ = rounds.round_of(connection, context_id)
        return tuple(sorted(round_.rules.hidden_fields)) if round_ is not None else ()

    async def _run_evaluator(self, plan: PlannedRun, calls: list[str]) -> EvaluatorRun:
        """What the evaluator finds; ``calls`` gets the ids of the calls it makes, also where it fails."""
        context = EvaluatorContext(
            version=plan.version,
            content=plan.content,
            settings=plan.settings,
            pass_threshold=plan.pass_threshold,
            new_id=self._new_id,
        )
        return await self._evaluated(plan.evaluator, context, plan.work.subject.id, calls)

    async def _evaluated(
        self,
        evaluator: RubricEvaluator,
        context: EvaluatorContext,
        subject_id: str,
        calls: list[str],
        *,
        trial: bool = False,
    ) -> EvaluatorRun:
        """What an evaluator finds, given services over the store's prompts and the user's models.

        Raises:
            InvalidInputError: it gave no run, or an answer to what is no criterion of the version.
        """
        services = self._services_for(
            subject_id=subject_id, evaluator_name=evaluator.name, kept=calls, trial=trial
        )
        async with services as given:
            run = await evaluator.evaluate(replace(context, services=given))
        if not isinstance(run, EvaluatorRun):
            raise InvalidInputError(
                f"The evaluator {evaluator.name} gave {type(run).__name__} and no run.",
                remedy="Return what its method scored gives.",
            )
        known = {fold_id(node.id) for node in context.version.nodes if node.is_criterion}
        for answer in run.answers:
            if fold_id(answer.criterion_id) not in known:
                raise InvalidInputError(
                    f'The evaluator {evaluator.name} answered "{answer.criterion_id[:80]}", which is no '
                    "criterion of this version.",
                    remedy="Answer criteria by the ids of the version it was given.",
                )
        return run

    def _keep_run(
        self, plan: PlannedRun, run: EvaluatorRun, began: float, calls: list[str]
    ) -> EvaluateResult:
        extra = {
            "metadata": {
                "Evaluator": about_run(plan.evaluator, plan.settings, began, run, hidden=plan.hidden)
            },
            "prompt_run_id": run.prompt_run_ids[0] if len(run.prompt_run_ids) == 1 else None,
            "agent_run_id": run.agent_run_id,
        }
        with self._write() as connection:
            detail = self._record(
                connection, plan.work, plan.by, run.answers, pass_threshold=plan.pass_threshold, extra=extra
            )
            prompt_store.link_runs(connection, calls, detail.evaluation.id)
        return _result(detail, run)

    def _failed_run(
        self, plan: PlannedRun, stored: str, began: float, message: str, remedy: str, *, calls: list[str]
    ) -> EvaluatorFailedError:
        about = about_run(plan.evaluator, plan.settings, began, None, hidden=plan.hidden)
        if len(calls) > 1:
            about["PromptRuns"] = list(calls)
        extra = {"metadata": {"Evaluator": about}, "prompt_run_id": calls[0] if len(calls) == 1 else None}
        with self._write() as connection:
            tokens_in, tokens_out, cost = prompt_store.taken(connection, calls)
            spent = {"InputTokens": tokens_in, "OutputTokens": tokens_out, "Cost": cost}
            about |= {name: value for name, value in spent.items() if value is not None}
            kept = self._store_failure(connection, plan.work, plan.by, stored or _UNSAID, extra)
            prompt_store.link_runs(connection, calls, kept.evaluation.id)
        return EvaluatorFailedError(
            f"The evaluator {plan.evaluator.name} failed: {(message or _UNSAID).rstrip('.')}.",
            evaluation_id=kept.evaluation.id,
            remedy=remedy,
        )


def chosen_evaluator(
    evaluator: str | None,
    settings: Mapping[str, Any] | EvaluatorSettings | None,
    selection: Mapping[str, Any] | EvaluatorSelection | None,
) -> EvaluatorSelection:
    """A stored selection, or the one that a name and settings make."""
    if selection is not None:
        if evaluator is not None or settings is not None:
            raise InvalidInputError(
                "A selection is given beside an evaluator or settings.", remedy="Give the one or the other."
            )
        return selection if isinstance(selection, EvaluatorSelection) else selection_from(selection)
    return EvaluatorSelection(
        evaluator=(evaluator or "").strip() or DEFAULT_EVALUATOR, settings=settings_from(settings)
    )


def about_run(
    evaluator: RubricEvaluator,
    settings: EvaluatorSettings,
    began: float,
    run: EvaluatorRun | None,
    *,
    hidden: Sequence[str] = (),
) -> dict[str, Any]:
    """What an evaluation keeps of the run, under the guide's names (section 8, "What an evaluation records")."""
    found: dict[str, Any] = {
        "Name": evaluator.name,
        "Settings": settings.as_written(),
        "DurationSeconds": round(time.monotonic() - began, 3),
    }
    if hidden:
        found["HiddenFields"] = list(hidden)
    if run is not None:
        if run.unanswered:
            found["UnansweredCriteria"] = dict(run.unanswered)
        if len(run.prompt_run_ids) > 1:
            found["PromptRuns"] = list(run.prompt_run_ids)
        found |= {name: value for name, field in _TAKEN if (value := getattr(run, field)) is not None}
        found |= run.metadata
    return found


def left_out(about: Mapping[str, Any]) -> tuple[str, ...]:
    """What of a subject the evaluator did not see, as its run tells."""
    told = [about.get("SubjectCut"), about.get("ImagesLeftOut")]
    lines = [line for one in told for line in (one if isinstance(one, list) else [one])]
    return tuple(str(line) for line in lines if line)


def _result(detail: EvaluationDetail, run: EvaluatorRun) -> EvaluateResult:
    found, version = detail.evaluation, detail.version
    hidden = found.outcome is None
    leaves = {node.id for node in version.nodes if node.is_criterion}
    return EvaluateResult(
        evaluation_id=found.id,
        score=found.normalized_score,
        outcome=found.outcome,
        display_score=display_score(version, found.normalized_score),
        passed=found.passed,
        criteria=tuple(
            CriterionResult(key=row.key, normalized_score=row.normalized_score, rationale=row.rationale)
            for row in detail.scores
            if row.node_id in leaves
        ),
        unanswered={} if hidden else dict(run.unanswered),
        warnings=detail.warnings if hidden else (*detail.warnings, *left_out(run.metadata)),
        hidden=hidden,
        cost=run.cost,
        detail=detail,
    )


_Result = TypeVar("_Result")


def finished(run: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine to its end, also where an event loop is running on this thread already."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=1) as aside:
        return aside.submit(asyncio.run, run).result()
