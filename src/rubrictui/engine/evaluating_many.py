"""Scoring many records with one evaluator: what is done already is skipped, so that a cut-short run goes on.

Models and plugins run side by side, a few at a time. Rules need no waiting: they are made ready once, and
their evaluations are stored some hundred in a transaction.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.hidden_fields import without_fields
from rubrictui.core.model import Answer, ScoreResult, Value, VersionSnapshot
from rubrictui.core.records import Evaluation, EvaluationStatus, Subject
from rubrictui.core.scoring import compute
from rubrictui.engine.checking import storable
from rubrictui.engine.errors import EvaluatorFailedError, StateError
from rubrictui.engine.evaluating import PlannedRun, about_run, chosen_evaluator, finished
from rubrictui.engine.submitting import check_threshold, result_columns
from rubrictui.engine.trying import Trying
from rubrictui.engine.work import Evaluator, Work
from rubrictui.evaluators.base import EvaluatorRun, RubricEvaluator
from rubrictui.evaluators.content import content_providers
from rubrictui.evaluators.deterministic import DeterministicEvaluator, RuleSet
from rubrictui.evaluators.registry import registry
from rubrictui.evaluators.settings import EvaluatorSelection, EvaluatorSettings
from rubrictui.store import access, evaluations, subjects
from rubrictui.store import prompts as prompt_store
from rubrictui.store.errors import ConstraintError, StoreError

#: Subjects looked at, and evaluations of rules stored, in one go.
_AT_ONCE = 200

#: So many failures are told one by one.
_TOLD = 20


class Failure(Value, frozen=True, kw_only=True):
    """A run that failed, or could not begin (then without an evaluation)."""

    subject: str
    message: str
    evaluation_id: str | None = None


class EvaluateAllReport(Value, frozen=True, kw_only=True):
    """How far ``evaluate_all`` has come.

    ``done`` were scored now, ``skipped`` had been before, of ``total``. ``cost`` is what is known to have been
    spent; ``stopped`` says why it ended early: ``budget`` or ``cancelled``. The first failures are told.
    """

    total: int = 0
    done: int = 0
    skipped: int = 0
    failed: int = 0
    cost: float = 0.0
    stopped: str = ""
    failures: tuple[Failure, ...] = ()

    @property
    def finished(self) -> int:
        return self.done + self.skipped + self.failed


class _Whole(NamedTuple):
    """One evaluation, ready to be stored."""

    subject: Subject
    answers: tuple[Answer, ...]
    result: ScoreResult
    replaces: str | None
    about: dict[str, Any]
    run: EvaluatorRun
    calls: tuple[str, ...] = ()


class _Due(NamedTuple):
    """A subject to be scored, with content, the evaluation it replaces, and its fields that no evaluator sees."""

    subject: Subject
    last: Evaluation | None
    hidden: tuple[str, ...]


class Ready(NamedTuple):
    """One evaluator and the subjects it is to score; ``first`` is the work on the first of them."""

    evaluator: RubricEvaluator
    settings: EvaluatorSettings
    first: Work
    pass_threshold: float | None
    subjects: list[Subject]


class _Group:
    """Stores evaluations as they come; those that end while others are written go together, in one transaction."""

    def __init__(self, store: Callable[[Sequence[_Whole]], bool]) -> None:
        self._store = store
        self._waiting: list[tuple[_Whole, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def store(self, whole: _Whole) -> bool:
        """Whether it is stored, durably; else it has to be tried by itself."""
        stored: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((whole, stored))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return await stored

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            try:
                done = await asyncio.to_thread(self._store, [whole for whole, _ in batch])
            except Exception as error:
                for _, stored in batch:
                    if not stored.done():
                        stored.set_exception(error)
            else:
                for _, stored in batch:
                    if not stored.done():
                        stored.set_result(done)


class EvaluatingMany(Trying):
    """Running one evaluator over many records."""

    def evaluate_all(
        self,
        *,
        rubric: str | None = None,
        version: str | None = None,
        context: str | None = None,
        entity: str | None = None,
        subjects: Sequence[str] | None = None,
        evaluator: str | None = None,
        settings: Mapping[str, Any] | EvaluatorSettings | None = None,
        selection: Mapping[str, Any] | EvaluatorSelection | None = None,
        pass_threshold: float | None = None,
        again: bool = False,
        concurrency: int = 8,
        budget: float | None = None,
        progress: Callable[[EvaluateAllReport], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> EvaluateAllReport:
        """Score many records with one evaluator, each as ``evaluate_record`` does.

        A record that this evaluator has scored with this version, these settings and this content is skipped. A
        run that fails is stored as Failed and the others go on.

        Args:
            context: its subjects (assigned or scored there), scored for it.
            entity: the subjects of this entity; with ``context`` only those of its own.
            subjects: these, by id or ``Entity/record``, in place of both.
            again: score what has been scored too.
            concurrency: so many runs at a time, 1 to 256.
            budget: no run begins once so much is spent, in the currency of the models.
            progress: called after every run or group of runs.
            cancelled: asked before each; True ends the work, and what is done is kept.

        Raises:
            NoPublishedVersionError, NotFoundError, UnknownEvaluatorError, NotRunnableError, EvaluatorError,
            InvalidInputError, StateError: nothing can be begun at all.
        """
        if not 1 <= concurrency <= 256:
            raise InvalidInputError(f"The concurrency is {concurrency}.", remedy="Use 1 to 256.")
        ready = self._made_ready(
            chosen_evaluator(evaluator, settings, selection),
            rubric=rubric,
            version=version,
            context=context,
            entity=entity,
            subjects=subjects,
            pass_threshold=pass_threshold,
        )
        if ready is None:
            return EvaluateAllReport()
        many = _Many(
            self,
            evaluator=ready.evaluator,
            settings=ready.settings,
            first=ready.first,
            pass_threshold=ready.pass_threshold,
            again=again,
            progress=progress,
            cancelled=cancelled,
            total=len(ready.subjects),
        )
        if isinstance(ready.evaluator, DeterministicEvaluator):
            return many.by_rule(ready.subjects)
        return finished(many.side_by_side(ready.subjects, concurrency, budget))

    def _made_ready(
        self,
        chosen: EvaluatorSelection,
        *,
        rubric: str | None,
        version: str | None,
        context: str | None,
        entity: str | None,
        subjects: Sequence[str] | None,
        pass_threshold: float | None,
    ) -> Ready | None:
        """Everything that can be refused before a run begins, looked at once; None when there is no subject."""
        threshold = pass_threshold if pass_threshold is not None else chosen.pass_threshold
        check_threshold(threshold)
        made = registry.create(chosen.evaluator)
        listed = self._subjects_to_score(context, entity, subjects)
        if not listed:
            return None
        with self._read() as connection:
            first = self._work(
                connection,
                subject=listed[0].id,
                rubric=rubric,
                version=version,
                context=context,
                assignment=None,
            )
            self._check_new(first, Evaluator(made.evaluator_type, made.name), correcting=False)
            made.check(self._snapshot(connection, first.version.id), chosen.settings)
        return Ready(made, chosen.settings, first, threshold, listed)

    def _subjects_to_score(
        self, context: str | None, entity: str | None, named: Sequence[str] | None
    ) -> list[Subject]:
        """What is to be scored, without content, in a fixed order."""
        if named is not None:
            with self._read() as connection:
                found = (self._find_subject(connection, reference) for reference in named)
                return list({one.id: one for one in found}.values())
        if context is None and entity is None:
            raise InvalidInputError(
                "Nothing says which subjects are to be scored.",
                remedy="Name a context, an entity, or subjects.",
            )
        return list(self.subjects(context=context, entity=entity, content=False))


class _Many:
    """One call of ``evaluate_all``."""

    def __init__(
        self,
        engine: EvaluatingMany,
        *,
        evaluator: RubricEvaluator,
        settings: EvaluatorSettings,
        first: Work,
        pass_threshold: float | None,
        again: bool,
        progress: Callable[[EvaluateAllReport], None] | None,
        cancelled: Callable[[], bool] | None,
        total: int,
    ) -> None:
        self.engine = engine
        self.evaluator = evaluator
        self.settings = settings
        self.first = first
        self.by = Evaluator(evaluator.evaluator_type, evaluator.name)
        self.pass_threshold = pass_threshold
        self.again = again
        self.progress = progress
        self.cancelled = cancelled
        self.report = EvaluateAllReport(total=total)
        self._group = _Group(self._store)
        with engine._read() as connection:
            self.version = engine._snapshot(connection, first.version.id)

    # -- models and plugins --------------------------------------------------------------------------

    async def side_by_side(
        self, listed: Sequence[Subject], concurrency: int, budget: float | None
    ) -> EvaluateAllReport:
        """A few at a time, in the order given; a new one begins when one has ended."""
        waiting = self._due(listed)

        async def work() -> None:
            while self._may_go_on(budget):
                due = next(waiting, None)
                if due is None:
                    return
                await self._one(due)

        # One set of connections; and what was asked before a run was cut short is not paid for twice.
        async with self.engine.judging_session(use_earlier=not self.again):
            await asyncio.gather(*(work() for _ in range(min(concurrency, len(listed)))))
        return self.report

    def _due(self, listed: Sequence[Subject]) -> Iterator[_Due]:
        """What is to be scored; read some hundred at a time."""
        for start in range(0, len(listed), _AT_ONCE):
            part = listed[start : start + _AT_ONCE]
            with self.engine._read() as connection:
                found = self._not_done(connection, part)
                self.engine._without_calls(connection, [one.subject.id for one in found])
            if len(found) < len(part):
                self._count(skipped=len(part) - len(found))
            yield from found

    def _not_done(self, connection: Connection, part: Sequence[Subject]) -> list[_Due]:
        """Those of some subjects that are not done, with content."""
        ids = [subject.id for subject in part]
        known = self._known(connection, ids)
        hidden = self.engine._hidden_from_judges(connection, ids, self.first.context_id)
        due = [
            s.id
            for s in part
            if self.again or not self._is_done(known.get(s.id), s, hidden=hidden.get(s.id, ()))
        ]
        whole = subjects.subjects(connection, ids=due) if due else ()
        return [_Due(one, known.get(one.id), hidden.get(one.id, ())) for one in whole]

    async def _one(self, due: _Due) -> None:
        subject, last = due.subject, due.last
        if last is not None and last.status is EvaluationStatus.DRAFT:
            await self._one_alone(subject)  # which says that a draft of it is open
            return
        engine, began = self.engine, time.monotonic()
        calls: list[str] = []
        plan: PlannedRun | None = None
        try:
            plan = self._planned(due)
            run = await engine._run_evaluator(plan, calls)
            answers = storable(plan.version, run.answers)
            engine._refuse(plan.version, plan.work.subject, answers)
            result = compute(plan.version, answers, pass_threshold=self.pass_threshold)
        except StoreError:
            raise
        except RubrictuiError as error:
            if plan is not None:
                error = engine._failed_run(plan, str(error), began, error.message, error.remedy, calls=calls)
            self._fail(subject, error, calls)
            return
        except Exception as error:  # a plugin may raise anything; the others go on
            assert plan is not None
            words = (" ".join(str(error).split()) or type(error).__name__)[:500]
            self._fail(subject, engine._failed_run(plan, words, began, words, "", calls=calls), calls)
            return
        about = about_run(self.evaluator, self.settings, began, run, hidden=due.hidden)
        whole = _Whole(
            plan.work.subject, answers, result, last.id if last else None, about, run, tuple(calls)
        )
        if await self._group.store(whole):
            self._count(done=1, cost=run.cost or 0.0)
        else:
            await self._one_alone(subject)

    def _planned(self, due: _Due) -> PlannedRun:
        """A run of this subject; everything else of it was settled for the first one."""
        subject = due.subject
        seen = content_providers.content_of(without_fields(subject, due.hidden))
        shown = msgspec.structs.replace(subject, text=seen.text, data=seen.data, files=seen.files)
        return PlannedRun(
            self.first._replace(subject=shown),
            self.version,
            seen,
            type(self.evaluator)(),
            self.settings,
            self.pass_threshold,
            due.hidden,
        )

    async def _one_alone(self, subject: Subject) -> None:
        """By itself, with everything looked up anew; what a model has said to it already is not asked again."""
        try:
            found = await self.engine.evaluate_record_async(
                subject=subject.id,
                version=self.first.version.id,
                context=self.first.context_id,
                evaluator=self.evaluator.name,
                settings=self.settings,
                pass_threshold=self.pass_threshold,
            )
        except RubrictuiError as error:
            self._fail(subject, error)
        else:
            self._count(done=1, cost=found.cost or 0.0)

    # -- rules ---------------------------------------------------------------------------------------

    def by_rule(self, listed: Sequence[Subject]) -> EvaluateAllReport:
        """Some hundred subjects at a time: read, answered, and stored in one transaction."""
        engine = self.engine
        version = self.version
        rules = RuleSet(version)
        for start in range(0, len(listed), _AT_ONCE):
            if not self._may_go_on(None):
                break
            part = listed[start : start + _AT_ONCE]
            with engine._read() as connection:
                found = self._not_done(connection, part)
            self._count(skipped=len(part) - len(found), tell=False)
            ready: list[_Whole] = []
            for due in found:
                try:
                    ready.append(self._answered(version, rules, due))
                except RubrictuiError:
                    self._alone(due.subject)  # which stores why it fails
            if ready and self._store(ready):
                self._count(done=len(ready), tell=False)
            else:
                for one in ready:
                    self._alone(one.subject)
            self._count()
        return self.report

    def _answered(self, version: VersionSnapshot, rules: RuleSet, due: _Due) -> _Whole:
        subject, last = due.subject, due.last
        if last is not None and last.status is EvaluationStatus.DRAFT:
            raise StateError("A draft of this is open.", remedy="Submit or decline it first.")
        began = time.monotonic()
        seen = content_providers.content_of(without_fields(subject, due.hidden))
        given, unanswered = rules.answers(seen.data)
        # Answers of rules are in the form that is stored, with the rationale and evidence that is asked for:
        # whether the version allows them is all that is left to check, and the scorer does.
        answers = tuple(given)
        result = compute(version, answers, pass_threshold=self.pass_threshold)
        run = EvaluatorRun(answers=answers, unanswered=unanswered)
        about = about_run(self.evaluator, self.settings, began, run, hidden=due.hidden)
        return _Whole(subject, answers, result, last.id if last else None, about, run)

    def _alone(self, subject: Subject) -> None:
        try:
            self.engine.evaluate_record(
                subject=subject.id,
                version=self.first.version.id,
                context=self.first.context_id,
                evaluator=self.evaluator.name,
                settings=self.settings,
                pass_threshold=self.pass_threshold,
            )
        except RubrictuiError as error:
            self._fail(subject, error, tell=False)
        else:
            self._count(done=1, tell=False)

    def _store(self, ready: Sequence[_Whole]) -> bool:
        """Store these in one transaction; False when somebody else worked on one of them meanwhile, and none is."""
        engine, version = self.engine, self.first.version
        now = engine._clock()
        begun: list[dict[str, Any]] = []
        scores = evaluations.ScoreColumns()
        results: list[dict[str, Any]] = []
        linked: list[tuple[str, str]] = []
        of_scores = iter(engine._new_ids(sum(len(one.result.nodes) for one in ready)))
        for one, evaluation_id in zip(ready, engine._new_ids(len(ready)), strict=True):
            begun.append(
                {
                    "id": evaluation_id,
                    "rubric_id": self.first.rubric_id,
                    "version_id": version.id,
                    "major_version": version.major,
                    "subject_id": one.subject.id,
                    "context_id": self.first.context_id,
                    "evaluator_user_id": engine.user.id,
                    "evaluator_type": self.by.type.value,
                    "evaluator_name": self.by.name,
                    "subject_hash": one.subject.content_hash,
                    "started_at": now,
                    "updated_at": now,
                    "supersedes_id": one.replaces,
                    "metadata": {"Evaluator": one.about},
                    "prompt_run_id": one.run.prompt_run_ids[0] if len(one.run.prompt_run_ids) == 1 else None,
                    "agent_run_id": one.run.agent_run_id,
                }
            )
            linked += [(call, evaluation_id) for call in one.calls]
            said = {answer.criterion_id: answer for answer in one.answers}
            scores.add(evaluation_id, one.result.nodes, said, ids=of_scores, at=now)
            results.append(result_columns(one.result, now))
        replaced = [
            {"of": one.replaces, "at": now, "why": f"Superseded by {row['id']}."}
            for one, row in zip(ready, begun, strict=True)
            if one.replaces is not None
        ]
        try:
            with engine._write() as connection:
                if not evaluations.add_submitted(connection, begun, scores, results, superseded=replaced):
                    raise StateError("Another run of this evaluator was quicker.")
                prompt_store.link_many(connection, linked)
        except (StateError, ConstraintError):
            # One by one each will find what there is now.
            return False
        return True

    # -- what is known, and what is told -------------------------------------------------------------

    def _known(self, connection: Connection, ids: Sequence[str]) -> dict[str, Evaluation]:
        """This evaluator's open draft of each subject, else its last submitted evaluation of this major."""
        found = access.evaluations(
            connection,
            self.engine.user,
            evaluator_user_id=self.engine.user.id,
            rubric_id=self.first.rubric_id,
            subject_ids=ids,
            for_writing=True,
        )
        known: dict[str, Evaluation] = {}
        for one in found:  # the latest first
            if (one.evaluator_type, one.evaluator_name, one.context_id) != (*self.by, self.first.context_id):
                continue
            is_draft = one.status is EvaluationStatus.DRAFT
            counts = (
                one.status is EvaluationStatus.SUBMITTED and one.major_version == self.first.version.major
            )
            if is_draft or (counts and one.subject_id not in known):
                known[one.subject_id] = one
        return known

    def _is_done(self, last: Evaluation | None, subject: Subject, *, hidden: Sequence[str]) -> bool:
        """Whether the same has been scored: version, content, what of it was hidden, and settings."""
        if last is None or last.status is not EvaluationStatus.SUBMITTED:
            return False
        about = (last.metadata or {}).get("Evaluator") or {}
        return (
            last.version_id == self.first.version.id
            and last.subject_hash == subject.content_hash
            and about.get("Settings") == self.settings.as_written()
            and about.get("HiddenFields", []) == list(hidden)
        )

    def _may_go_on(self, budget: float | None) -> bool:
        why = ""
        if self.cancelled is not None and self.cancelled():
            why = "cancelled"
        elif budget is not None and self.report.cost >= budget:
            why = "budget"
        if why:
            self.report = msgspec.structs.replace(self.report, stopped=why)
        return not self.report.stopped

    def _count(self, *, done: int = 0, skipped: int = 0, cost: float = 0.0, tell: bool = True) -> None:
        self.report = msgspec.structs.replace(
            self.report,
            done=self.report.done + done,
            skipped=self.report.skipped + skipped,
            cost=self.report.cost + cost,
        )
        if tell and self.progress is not None:
            self.progress(self.report)

    def _fail(
        self, subject: Subject, error: RubrictuiError, calls: Sequence[str] = (), *, tell: bool = True
    ) -> None:
        cost = None
        if calls:  # what failed has been paid for too
            with self.engine._read() as connection:
                cost = prompt_store.taken(connection, calls)[2]
        stored = error.evaluation_id if isinstance(error, EvaluatorFailedError) else None
        failure = Failure(
            subject=f"{subject.entity}/{subject.record_id}", message=str(error), evaluation_id=stored
        )
        told = (*self.report.failures, failure)[:_TOLD]
        self.report = msgspec.structs.replace(self.report, failed=self.report.failed + 1, failures=told)
        self._count(cost=cost or 0.0, tell=tell)
