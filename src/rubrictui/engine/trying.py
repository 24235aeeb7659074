"""Trying an evaluator on a draft: what it would answer about a subject, before anything is published.

The same path as ``evaluate_record`` as far as the answers and their score; no evaluation is stored. The calls of
models are kept like all others, since they cost money and an author wants to read them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import msgspec

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.explain import display_score
from rubrictui.core.hidden_fields import without_fields
from rubrictui.core.model import Answer, ScoreResult, Value, VersionSnapshot
from rubrictui.core.records import (
    Evaluation,
    EvaluationDetail,
    EvaluationScore,
    EvaluationStatus,
    Role,
    Subject,
)
from rubrictui.core.scoring import compute
from rubrictui.engine.checking import storable
from rubrictui.engine.errors import NotPermittedError
from rubrictui.engine.evaluating import Evaluating, about_run, chosen_evaluator, finished
from rubrictui.engine.submitting import check_threshold
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun
from rubrictui.evaluators.content import content_providers
from rubrictui.evaluators.registry import registry
from rubrictui.evaluators.settings import EvaluatorSelection, EvaluatorSettings
from rubrictui.store import access
from rubrictui.store.errors import StoreError


class Trial(Value, frozen=True, kw_only=True):
    """What came of a try.

    Attributes:
        detail: subject, version, and every node with its answer and score, as an evaluation would have them. Of one
            that failed without scores, and with the message.
        answers: what was answered.
        unanswered: keys of criteria without an answer, each with why.
        failure: why it failed, in one line with what to do; "" when it went well.
        calls: ids of the calls of models, in order; ``prompt_run`` reads them.
        about: what an evaluation would keep under ``Evaluator``: settings, prompts, model, tokens, cost, duration.
    """

    detail: EvaluationDetail
    answers: tuple[Answer, ...] = ()
    unanswered: dict[str, str] = msgspec.field(default_factory=dict)
    failure: str = ""
    calls: tuple[str, ...] = ()
    about: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def score(self) -> float | None:
        """0..1; None when nothing could be scored."""
        return self.detail.evaluation.normalized_score

    @property
    def display_score(self) -> float | None:
        """The score on the version's display range."""
        return display_score(self.detail.version, self.score)


class Trying(Evaluating):
    """Trying evaluators on drafts."""

    def try_evaluator(
        self,
        version: VersionSnapshot,
        *,
        subject: str,
        evaluator: str | None = None,
        settings: Mapping[str, Any] | EvaluatorSettings | None = None,
        selection: Mapping[str, Any] | EvaluatorSelection | None = None,
        pass_threshold: float | None = None,
    ) -> Trial:
        """Have an evaluator answer a version about a subject, and score it; no evaluation is stored.

        Args:
            version: as it is in memory: a draft, stored or not, or any other.
            subject: an id or ``Entity/record``.
            evaluator, settings, selection, pass_threshold: as in ``evaluate_record``.

        Raises:
            NotPermittedError: the user is no author, or is to score the subject herself: what an evaluator finds is
                hidden from her until she has.
            NotFoundError: there is no such subject.
            UnknownEvaluatorError, NotRunnableError, EvaluatorError, InvalidInputError: nothing was begun.
        """
        return finished(
            self.try_evaluator_async(
                version,
                subject=subject,
                evaluator=evaluator,
                settings=settings,
                selection=selection,
                pass_threshold=pass_threshold,
            )
        )

    async def try_evaluator_async(
        self,
        version: VersionSnapshot,
        *,
        subject: str,
        evaluator: str | None = None,
        settings: Mapping[str, Any] | EvaluatorSettings | None = None,
        selection: Mapping[str, Any] | EvaluatorSelection | None = None,
        pass_threshold: float | None = None,
    ) -> Trial:
        """``try_evaluator`` for a caller with an event loop; cancelling it ends the call that is waited for."""
        self._require(Role.AUTHOR, doing="try an evaluator on a draft")
        chosen = chosen_evaluator(evaluator, settings, selection)
        threshold = pass_threshold if pass_threshold is not None else chosen.pass_threshold
        check_threshold(threshold)
        made = registry.create(chosen.evaluator)
        made.check(version, chosen.settings)
        found, hidden = self._tried_on(subject)
        context = EvaluatorContext(
            version=version,
            content=content_providers.content_of(without_fields(found, hidden)),
            settings=chosen.settings,
            pass_threshold=threshold,
            new_id=self._new_id,
        )
        began = time.monotonic()
        calls: list[str] = []
        run: EvaluatorRun | None = None
        result: ScoreResult | None = None
        failure = ""
        answers: tuple[Answer, ...] = ()
        try:
            run = await self._evaluated(made, context, found.id, calls, trial=True)
            given = storable(version, run.answers)
            shown = context.content
            seen = msgspec.structs.replace(found, text=shown.text, data=shown.data, files=shown.files)
            self._refuse(version, seen, given)
            result = compute(version, given, pass_threshold=threshold)
            answers = given
        except StoreError:
            raise
        except RubrictuiError as error:
            failure = str(error)
        except Exception as error:  # a plugin may raise anything
            failure = (" ".join(str(error).split()) or type(error).__name__)[:500]
        header = Evaluation(
            id="",
            rubric_id=version.rubric_id,
            rubric_name=version.rubric_name,
            version_id=version.id,
            version_number=version.number or "draft",
            major_version=0,
            subject_id=found.id,
            subject_title=found.title or found.record_id,
            evaluator_user_id=self.user.id,
            evaluator_user_name=self.user.name,
            evaluator_display_name=self.user.display_name,
            evaluator_type=made.evaluator_type,
            evaluator_name=made.name,
            status=EvaluationStatus.FAILED if failure else EvaluationStatus.DRAFT,
            error_message=failure or None,
            score_display_min=version.score_display_min,
            score_display_max=version.score_display_max,
        )
        return Trial(
            detail=_detail(version, found, header, result, answers),
            answers=answers,
            unanswered=dict(run.unanswered) if run is not None and not failure else {},
            failure=failure,
            calls=tuple(calls),
            about=about_run(made, chosen.settings, began, run, hidden=hidden),
        )

    def _tried_on(self, reference: str) -> tuple[Subject, tuple[str, ...]]:
        """The subject, and its fields that the evaluator does not get."""
        with self._read() as connection:
            found = self._find_subject(connection, reference)
            self._refuse_hidden(connection, found.id)
            if access.is_blind(connection, self.user, found.id):
                raise NotPermittedError(
                    f'You are to score "{found.title or found.record_id}" yourself: what an evaluator finds is '
                    "hidden from you until then.",
                    remedy="Try it on another subject.",
                )
            return found, self._hidden_from_judges(connection, [found.id], None).get(found.id, ())


def _detail(
    version: VersionSnapshot,
    subject: Subject,
    header: Evaluation,
    result: ScoreResult | None,
    answers: tuple[Answer, ...],
) -> EvaluationDetail:
    """The evaluation that these answers would make."""
    if result is None:
        return EvaluationDetail(evaluation=header, version=version, subject=subject)
    evaluation = msgspec.structs.replace(
        header,
        normalized_score=result.normalized_score,
        outcome=result.outcome,
        passed=result.passed,
        gate_failed=result.gate_failed,
        completeness=result.completeness,
        band_id=result.band_id,
        pass_threshold_applied=result.pass_threshold_applied,
        confidence=result.confidence,
    )
    said = {answer.criterion_id: answer for answer in answers}
    scores = []
    for node in result.nodes:
        answer = said.get(node.id) or Answer(criterion_id=node.id)
        scores.append(
            EvaluationScore(
                node_id=node.id,
                key=node.key,
                scale_level_id=answer.scale_level_id,
                raw_value=answer.raw_value,
                is_not_applicable=node.is_not_applicable,
                confidence=answer.confidence,
                rationale=answer.rationale,
                evidence=answer.evidence,
                normalized_score=node.normalized_score,
                effective_weight=node.effective_weight,
                overall_contribution=node.overall_contribution,
                gate_failed=node.gate_failed,
                is_advisory=node.is_advisory,
            )
        )
    return EvaluationDetail(evaluation=evaluation, version=version, subject=subject, scores=tuple(scores))
