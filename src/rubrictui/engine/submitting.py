"""From answers to a stored score: preview, submit, supersede, withdraw. One transaction each."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.model import Answer, ScoreResult, VersionSnapshot
from rubrictui.core.records import (
    AssignmentStatus,
    Cohort,
    Evaluation,
    EvaluationDetail,
    EvaluationStatus,
    EvaluatorType,
    Role,
    Subject,
    SubmitPreview,
    SubmitProblem,
)
from rubrictui.core.rounding import round6
from rubrictui.core.scoring import SCORING_ENGINE_VERSION, compute
from rubrictui.engine.checking import answer_warnings, storable, submit_problems, unanswered_keys
from rubrictui.engine.drafts import Drafts
from rubrictui.engine.errors import (
    DraftClosedError,
    NotPermittedError,
    StateError,
    SubmitRefusedError,
    SupersedeRefusedError,
)
from rubrictui.engine.work import PEOPLE, Evaluator, Work, check_context, evaluator
from rubrictui.store import access, evaluations, subjects

_VEILED = "You are still scoring this subject yourself: what this evaluation found is hidden until you have."
_SUBJECT_CHANGED = "The subject has changed since it was read for this evaluation."


class Submitting(Drafts):
    """Submitting and withdrawing evaluations."""

    def preview(self, evaluation_id: str) -> SubmitPreview:
        """What submitting the draft now would do: its result, what stands against it, what is unanswered.

        ``subject_changed`` tells that the subject is not what it was when the draft was last opened.
        """
        with self._read() as connection:
            draft = self._own_draft(connection, evaluation_id)
            version = self._frozen(connection, draft.version_id)
            subject = self._find_subject(connection, draft.subject_id)
            answers = self._draft_answers(connection, draft)
        problems = submit_problems(version, subject, answers)
        try:
            result = compute(version, answers)
        except ScoringError:
            result = None
        changed = draft.subject_hash != subject.content_hash
        warnings = answer_warnings(version, answers)
        if changed:
            warnings += (_SUBJECT_CHANGED,)
        return SubmitPreview(
            result=result,
            problems=problems,
            unanswered=unanswered_keys(version, answers),
            warnings=warnings,
            subject_changed=changed,
        )

    def submit(self, evaluation_id: str, *, pass_threshold: float | None = None) -> EvaluationDetail:
        """Score the draft and freeze it.

        One transaction checks the answers, computes, stores the result and a row per node, supersedes
        what the draft was begun to supersede, and closes its assignment. An unanswered criterion never
        blocks. The content hash stored is that of the subject as the reviewer last opened it.

        Args:
            pass_threshold: 0..1, in place of the version's.

        Raises:
            SubmitRefusedError: something is missing or wrong; all of it is listed.
            DraftClosedError, NotFoundError, NotPermittedError: it is not an open draft of the user's.
            StateError: its context is closed.
            SupersedeRefusedError: what it was to supersede cannot be superseded any more.
        """
        check_threshold(pass_threshold)
        tries = itertools.count()
        return self._once_more(
            lambda: self._submit(evaluation_id, pass_threshold, is_second_try=next(tries) > 0)
        )

    def _submit(
        self, evaluation_id: str, pass_threshold: float | None, *, is_second_try: bool
    ) -> EvaluationDetail:
        with self._write() as connection:
            if is_second_try:
                found = self._evaluation(connection, evaluation_id, for_writing=True)
                if found.status is EvaluationStatus.SUBMITTED:  # only the answer had been lost
                    return self._detail(connection, evaluation_id)
            draft = self._own_draft(connection, evaluation_id)
            version = self._frozen(connection, draft.version_id)
            subject = self._find_subject(connection, draft.subject_id)
            answers = self._draft_answers(connection, draft)
            self._refuse(version, subject, answers)
            self._finish(connection, draft, version, answers, pass_threshold=pass_threshold)
            return self._detail(connection, evaluation_id, warnings=answer_warnings(version, answers))

    def submit_human_rubric(
        self,
        *,
        version_id: str,
        subject: str,
        answers: Iterable[Answer],
        context: str | None = None,
        supersedes: str | None = None,
        evaluator_type: EvaluatorType = EvaluatorType.HUMAN,
        pass_threshold: float | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> EvaluationDetail:
        """The action Submit Human Rubric: write an evaluation, its scores, and its submission, or nothing.

        Args:
            version_id: a version id or ``Name@1.2.0``.
            subject, context: an id or ``Entity/record``.
            answers: by criterion id; the last one to a criterion counts.
            supersedes: the user's earlier evaluation of the same work, which this one replaces.
            evaluator_type: Human, or Self for the subject's own assessment.

        Raises:
            SubmitRefusedError: something is missing or wrong; all of it is listed.
            StateError: the work was submitted already, or a draft of it is open.
            SupersedeRefusedError: ``supersedes`` is not the same evaluator's, or of other work.
        """
        if evaluator_type not in PEOPLE:
            raise InvalidInputError(
                f"A {evaluator_type} evaluation is not a person's.", remedy="Record it as a machine's."
            )
        by = evaluator(evaluator_type, None)
        check_threshold(pass_threshold)
        given, evaluation_id = tuple(answers), self._new_id()

        def store() -> EvaluationDetail:
            with self._write() as connection:
                if access.evaluation(connection, self.user, evaluation_id) is not None:
                    return self._detail(connection, evaluation_id)  # only the answer had been lost
                work = self._work(
                    connection,
                    subject=subject,
                    rubric=None,
                    version=version_id,
                    context=context,
                    assignment=None,
                )
                _, warnings = self._store(
                    connection,
                    work,
                    by,
                    given,
                    supersedes=supersedes,
                    pass_threshold=pass_threshold,
                    extra={"metadata": metadata},
                    id=evaluation_id,
                )
                return self._detail(connection, evaluation_id, warnings=warnings)

        return self._once_more(store)

    def record_evaluation(
        self,
        *,
        subject: str,
        answers: Iterable[Answer] = (),
        evaluator_type: EvaluatorType,
        evaluator_name: str | None = None,
        rubric: str | None = None,
        version: str | None = None,
        context: str | None = None,
        supersedes: str | None = None,
        supersede_last: bool = True,
        failed: str | None = None,
        metadata: dict[str, Any] | None = None,
        pass_threshold: float | None = None,
        prompt_run_id: str | None = None,
        agent_run_id: str | None = None,
    ) -> EvaluationDetail:
        """Store what a machine, an outside source, or the subject itself answered; one transaction.

        A rerun of the same evaluator (user, type and name) on the same work supersedes its own last
        Submitted evaluation of that major, so that no judge counts twice.

        Args:
            evaluator_name: which judge, rule set or source; compulsory except for Self and Human.
            rubric, version: as in ``open_draft``.
            supersedes: the evaluation to replace, when it is not the last one.
            supersede_last: False refuses a rerun instead.
            failed: the evaluator's error: a Failed evaluation is stored, without answers.
            metadata: what the run wants to remember; JSON.

        Raises:
            as ``submit_human_rubric``.
        """
        by = evaluator(evaluator_type, evaluator_name)
        check_threshold(pass_threshold)
        extra = {"metadata": metadata, "prompt_run_id": prompt_run_id, "agent_run_id": agent_run_id}
        with self._write() as connection:
            work = self._work(
                connection, subject=subject, rubric=rubric, version=version, context=context, assignment=None
            )
            if failed is not None:
                return self._store_failure(connection, work, by, failed, extra)
            return self._record(
                connection,
                work,
                by,
                answers,
                supersedes=supersedes,
                supersede_last=supersede_last,
                pass_threshold=pass_threshold,
                extra=extra,
            )

    def withdraw(self, evaluation_id: str, reason: str) -> Evaluation:
        """Take a Submitted evaluation out of its cohort, with a reason; its row stays as it is.

        The user's own, or anyone's with *administer_evaluations*.

        Raises:
            StateError: it is not Submitted.
        """
        why = self._reason(reason)
        with self._write() as connection:
            found = self._evaluation(connection, evaluation_id, for_writing=True)
            if found.evaluator_user_id != self.user.id and not self._holds(Role.ADMINISTER_EVALUATIONS):
                raise NotPermittedError(
                    f"That evaluation is {found.person}'s.",
                    remedy="Ask them, or someone with administer_evaluations.",
                )
            if not evaluations.end_submitted(
                connection, evaluation_id, EvaluationStatus.WITHDRAWN, at=self._clock(), reason=why
            ):
                raise StateError(
                    f"That evaluation is {found.status.value}.",
                    remedy="Decline a draft instead."
                    if found.status is EvaluationStatus.DRAFT
                    else "Only a Submitted one can be withdrawn.",
                )
            return self._written(connection, evaluation_id)

    # -- the steps -----------------------------------------------------------------------------------

    def _draft_answers(self, connection: Connection, draft: Evaluation) -> tuple[Answer, ...]:
        return tuple(
            found.answer for found in access.draft_answers(connection, self.user, draft.id, for_writing=True)
        )

    @staticmethod
    def _refuse(version: VersionSnapshot, subject: Subject, answers: tuple[Answer, ...]) -> None:
        problems = submit_problems(version, subject, answers)
        if problems:
            raise SubmitRefusedError(
                _refusal(problems), problems=problems, remedy="Complete or correct them, then submit again."
            )

    def _store(
        self,
        connection: Connection,
        work: Work,
        by: Evaluator,
        answers: Iterable[Answer],
        *,
        supersedes: str | None,
        pass_threshold: float | None,
        extra: dict[str, Any],
        id: str | None = None,
    ) -> tuple[str, tuple[str, ...]]:
        """A whole evaluation at once: begun, answered, submitted. Returns its id, and what was ignored."""
        given = tuple(answers)
        self._no_open_draft(connection, work, by)
        draft = self._fill(connection, work, by, given, supersedes=supersedes, extra=extra, id=id, check=True)
        version = self._frozen(connection, work.version.id)
        self._finish(connection, draft, version, storable(version, given), pass_threshold=pass_threshold)
        return draft.id, answer_warnings(version, given)

    def _fill(
        self,
        connection: Connection,
        work: Work,
        by: Evaluator,
        answers: tuple[Answer, ...],
        *,
        supersedes: str | None,
        extra: dict[str, Any],
        id: str | None = None,
        check: bool,
    ) -> Evaluation:
        """A new draft with these answers; with ``check`` only when it could be submitted as it is."""
        evaluation_id = self._begin(connection, work, by, supersedes=supersedes, id=id, extra=extra)
        version = self._frozen(connection, work.version.id)
        ready = storable(version, answers)
        if check:
            self._refuse(version, work.subject, ready)
        evaluations.put_answers(
            connection, evaluation_id, ready, revision=0, at=self._clock(), new_id=self._new_id
        )
        return self._own_draft(connection, evaluation_id)

    def _no_open_draft(self, connection: Connection, work: Work, by: Evaluator) -> None:
        open_one = self._open_one(connection, work, by)
        if open_one is not None:
            raise StateError(
                f'You have an open draft of "{work.subject.title or work.subject.record_id}" '
                f"({open_one.id}).",
                remedy="Submit or decline it first.",
            )

    def _record(
        self,
        connection: Connection,
        work: Work,
        by: Evaluator,
        answers: Iterable[Answer],
        *,
        supersedes: str | None = None,
        supersede_last: bool = True,
        pass_threshold: float | None,
        extra: dict[str, Any],
    ) -> EvaluationDetail:
        """A machine's evaluation, in the place of its own last one of that major."""
        if supersedes is None and supersede_last:
            last = self._last_submitted(connection, work, by)
            supersedes = last.id if last else None
        evaluation_id, warnings = self._store(
            connection, work, by, answers, supersedes=supersedes, pass_threshold=pass_threshold, extra=extra
        )
        return self._recorded(connection, evaluation_id, warnings)

    def _store_failure(
        self, connection: Connection, work: Work, by: Evaluator, message: str, extra: dict[str, Any]
    ) -> EvaluationDetail:
        self._check_new(work, by, correcting=False)
        self._no_open_draft(connection, work, by)
        evaluation_id = self._insert(connection, work, by, supersedes=None, extra=extra)
        now = self._clock()
        evaluations.change_draft(
            connection,
            evaluation_id,
            {
                "status": EvaluationStatus.FAILED.value,
                "error_message": message.strip() or "The evaluator failed without a message.",
                "ended_at": now,
                "updated_at": now,
                "engine_version": SCORING_ENGINE_VERSION,
            },
        )
        return self._recorded(connection, evaluation_id)

    def _finish(
        self,
        connection: Connection,
        draft: Evaluation,
        version: VersionSnapshot,
        answers: tuple[Answer, ...],
        *,
        pass_threshold: float | None,
    ) -> None:
        """Draft -> Submitted, with everything that follows from it."""
        by = Evaluator(draft.evaluator_type, draft.evaluator_name)
        check_context(self._optional_context(connection, draft.context_id), by)
        result = compute(version, answers, pass_threshold=pass_threshold)
        now = self._clock()
        if draft.supersedes_id is not None:
            self._supersede(connection, draft, now)
        evaluations.put_results(
            connection, draft.id, result.nodes, revision=draft.revision, at=now, new_id=self._new_id
        )
        if not evaluations.change_draft(connection, draft.id, result_columns(result, now)):
            raise DraftClosedError("This evaluation is no draft any more.", remedy="Read it again.")
        if draft.assignment_id is not None:
            subjects.close_assignment(
                connection, draft.assignment_id, AssignmentStatus.DONE, at=now, by=self.user.name
            )

    def _supersede(self, connection: Connection, draft: Evaluation, now: datetime) -> None:
        assert draft.supersedes_id is not None
        if not evaluations.end_submitted(
            connection,
            draft.supersedes_id,
            EvaluationStatus.SUPERSEDED,
            at=now,
            reason=f"Superseded by {draft.id}.",
        ):
            old = self._evaluation(connection, draft.supersedes_id, for_writing=True)
            raise SupersedeRefusedError(
                f"Evaluation {old.id} cannot be superseded any more: it is {old.status.value}.",
                remedy="Decline this draft and open the subject again.",
            )

    def _written(self, connection: Connection, evaluation_id: str) -> Evaluation:
        """The user's evaluation that was just written: veiled where she may not see what it found."""
        seen = access.evaluation(connection, self.user, evaluation_id)
        return seen or access.veil(self._evaluation(connection, evaluation_id, for_writing=True))

    def _recorded(
        self, connection: Connection, evaluation_id: str, warnings: tuple[str, ...] = ()
    ) -> EvaluationDetail:
        written = self._written(connection, evaluation_id)
        if access.evaluation(connection, self.user, evaluation_id) is None:
            warnings += (_VEILED,)
        return self._whole(connection, written, warnings)

    def _detail(
        self, connection: Connection, evaluation_id: str, *, warnings: tuple[str, ...] = ()
    ) -> EvaluationDetail:
        """One evaluation, whole, as the user may see it."""
        return self._whole(connection, self._evaluation(connection, evaluation_id), warnings)

    def _whole(
        self, connection: Connection, found: Evaluation, warnings: tuple[str, ...] = ()
    ) -> EvaluationDetail:
        evaluation_id = found.id
        (subject,) = self._shown(connection, self._find_subject(connection, found.subject_id))
        if found.subject_hash != subject.content_hash:
            warnings += (_SUBJECT_CHANGED,)
        cohort = access.cohort(
            connection,
            self.user,
            subject_id=found.subject_id,
            context_id=found.context_id,
            rubric_id=found.rubric_id,
            major=found.major_version,
        )
        return EvaluationDetail(
            evaluation=found,
            version=self._snapshot(connection, found.version_id),
            subject=subject,
            context=self._optional_context(connection, found.context_id),
            scores=access.scores(connection, self.user, evaluation_id),
            cohort=cohort,
            deviation_from_cohort_mean=_deviation(found, cohort),
            warnings=warnings,
        )


def _deviation(found: Evaluation, cohort: Cohort | None) -> float | None:
    if cohort is None or cohort.mean is None or found.normalized_score is None:
        return None
    return round6(found.normalized_score - cohort.mean)


def result_columns(result: ScoreResult, now: datetime) -> dict[str, Any]:
    """The columns that submitting sets."""
    return {
        "status": EvaluationStatus.SUBMITTED.value,
        "submitted_at": now,
        "updated_at": now,
        "normalized_score": result.normalized_score,
        "outcome": result.outcome.value,
        "passed": result.passed,
        "gate_failed": result.gate_failed,
        "completeness": result.completeness,
        "band_id": result.band_id,
        "pass_threshold_applied": result.pass_threshold_applied,
        "confidence": result.confidence,
        "engine_version": SCORING_ENGINE_VERSION,
    }


def _refusal(problems: tuple[SubmitProblem, ...]) -> str:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"This cannot be submitted yet: {problems[0].message.rstrip('.')}{more}."


def check_threshold(pass_threshold: float | None) -> None:
    """Refuse a threshold that is no share."""
    if pass_threshold is not None and not 0 <= pass_threshold <= 1:
        raise InvalidInputError(
            f"The pass threshold is {pass_threshold}.", remedy="Use a score between 0 and 1."
        )
