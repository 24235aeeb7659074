"""Evaluations spread over machines: a job for each subject, in the store's own PostgreSQL database, and workers that
run them (procrastinate, the extra ``worker``).

A job says what ``evaluate_all`` would be told about one subject, and a worker asks exactly that: what is done by then
is skipped, so a job that runs twice scores once. A SQLite store has no server to keep a queue; there ``evaluate_all``
does the work in-process.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import Value
from rubrictui.engine.engine import Engine
from rubrictui.engine.errors import StateError
from rubrictui.engine.evaluating import chosen_evaluator
from rubrictui.evaluators.settings import EvaluatorSettings
from rubrictui.store import prompts as prompt_store
from rubrictui.store import subjects
from rubrictui.store.locations import locate

if TYPE_CHECKING:
    from procrastinate import App, JobContext

QUEUE: Final = "rubrictui"
_TASK: Final = "rubrictui.evaluate"
_LOST_AFTER: Final = 30.0


class Queued(Value, frozen=True, kw_only=True):
    """What ``enqueue`` did: of ``total`` subjects, ``queued`` got a job; ``waiting`` had one already."""

    total: int = 0
    queued: int = 0
    waiting: int = 0


class JobDone(Value, frozen=True, kw_only=True):
    """One job's end. ``status`` is ``scored``, ``skipped`` (done before), ``stopped`` (the budget is spent) or ``failed``, with the
    ``message``. ``title`` is what people call the subject, "" for one that is not there."""

    subject: str
    title: str = ""
    status: str
    message: str = ""
    cost: float = 0.0


class _JobFailedError(RubrictuiError):
    """Marks a job as failed in the queue; the evaluation, where one began, is stored as Failed."""

    code = "job_failed"


def enqueue(
    engine: Engine,
    target: str | Path | None,
    *,
    rubric: str | None = None,
    version: str | None = None,
    context: str | None = None,
    entity: str | None = None,
    evaluator: str | None = None,
    settings: Mapping[str, Any] | EvaluatorSettings | None = None,
    pass_threshold: float | None = None,
    again: bool = False,
    budget: float | None = None,
) -> Queued:
    """Queue a job for each subject that ``engine.evaluate_all`` would score with these arguments.

    Args:
        target: the store that ``engine`` was opened on.
        budget: so much may be spent from now on by the user with this evaluator, version and context, over all
            workers; once it is, jobs end without a run.

    Raises:
        StateError: the store is not on PostgreSQL, or takes no queue from this user.
        InvalidInputError: the extra ``worker`` is not installed.
        as ``evaluate_all``: nothing can be begun at all; nothing is queued.
    """
    url = _server(target)
    _installed()
    from procrastinate import SyncPsycopgConnector
    from procrastinate.exceptions import AlreadyEnqueued

    ready = engine._made_ready(
        chosen_evaluator(evaluator, settings, None),
        rubric=rubric,
        version=version,
        context=context,
        entity=entity,
        subjects=None,
        pass_threshold=pass_threshold,
    )
    if ready is None:
        return Queued()
    job = {
        "version": ready.first.version.id,
        "context": ready.first.context_id,
        "evaluator": ready.evaluator.name,
        "settings": ready.settings.as_written(),
        "pass_threshold": ready.pass_threshold,
        "again": again,
        "user": engine.user.name,
    }
    if budget is not None:
        # What was spent before is counted now: the clocks of the machines need not agree.
        job["spend_up_to"] = _spent(engine, job) + budget
    app = _app(SyncPsycopgConnector(conninfo=url))
    queued = waiting = 0
    with _translated(), app.open():
        _prepare(app)
        for subject in ready.subjects:
            # One job at a time for one piece of work, waiting or running.
            key = _key(engine.user.id, job, subject.id)
            task = app.configure_task(_TASK, queue=QUEUE, lock=key, queueing_lock=key)
            try:
                task.defer(subject=subject.id, **job)
                queued += 1
            except AlreadyEnqueued:
                waiting += 1
    return Queued(total=len(ready.subjects), queued=queued, waiting=waiting)


def work(
    engine: Engine,
    target: str | Path | None,
    *,
    concurrency: int = 4,
    wait: bool = True,
    told: Callable[[JobDone], None] | None = None,
) -> None:
    """Run jobs until interrupted (a running one is finished), or, without ``wait``, until none is left.

    A job of another user than ``engine``'s is run as that user, which takes *administer_evaluations*. Jobs of a worker
    that was not heard of for 30 seconds are run again.

    Args:
        concurrency: so many jobs at a time, 1 to 256.
        told: called after each job, from its thread.

    Raises:
        StateError: the store is not on PostgreSQL, or its queue cannot be reached.
        InvalidInputError: the extra ``worker`` is not installed, or the concurrency is none.
    """
    url = _server(target)
    _installed()
    if not 1 <= concurrency <= 256:
        raise InvalidInputError(f"The concurrency is {concurrency}.", remedy="Use 1 to 256.")
    from procrastinate import PsycopgConnector, SyncPsycopgConnector

    with _translated():
        first = _app(SyncPsycopgConnector(conninfo=url))
        with first.open():
            _prepare(first)
        people = _People(engine, target)
        logger = logging.getLogger("procrastinate")
        level = logger.level
        logger.setLevel(logging.CRITICAL)  # what failed is told, and stored; a traceback of it helps nobody
        try:
            asyncio.run(
                _work(
                    _app(PsycopgConnector(conninfo=url)),
                    people,
                    concurrency=concurrency,
                    wait=wait,
                    told=told,
                )
            )
        finally:
            logger.setLevel(level)
            people.close()


async def _work(
    app: App,
    people: _People,
    *,
    concurrency: int,
    wait: bool,
    told: Callable[[JobDone], None] | None,
) -> None:
    @app.task(name=_TASK, queue=QUEUE, pass_context=True)
    async def evaluate(around: JobContext, /, **job: Any) -> None:
        # The queue's own heartbeat ends when a worker takes no more jobs, and its last ones may take long.
        alive = asyncio.create_task(_keep_alive(app, around.job.worker_id))
        try:
            done = await asyncio.to_thread(_run, people, job)
        finally:
            await _ended(alive)
        if told is not None:
            told(done)
        if done.status == "failed":
            raise _JobFailedError(done.message)

    async with app.open_async():
        await _take_up_lost(app)
        rescue = asyncio.create_task(_keep_taking_up(app))
        try:
            await app.run_worker_async(
                queues=[QUEUE],
                name="rubrictui",
                concurrency=concurrency,
                wait=wait,
                fetch_job_polling_interval=2,
            )
        finally:
            await _ended(rescue)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _keep_alive(app: App, worker_id: int | None) -> None:
    """Say that a worker lives for as long as a job of it runs."""
    while worker_id is not None:
        await asyncio.sleep(_LOST_AFTER / 3)
        await app.job_manager.update_heartbeat(worker_id)


async def _keep_taking_up(app: App) -> None:
    while True:
        await asyncio.sleep(_LOST_AFTER)
        await _take_up_lost(app)


async def _take_up_lost(app: App) -> None:
    """Put back what a worker was at that died."""
    for job in await app.job_manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=_LOST_AFTER):
        await app.job_manager.retry_job(job)


def _run(people: _People, job: dict[str, Any]) -> JobDone:
    """Score the subject of a job, unless that is done."""
    done = _outcome(people, job)
    return msgspec.structs.replace(done, title=people.title(str(job.get("subject"))))


def _outcome(people: _People, job: dict[str, Any]) -> JobDone:
    subject = str(job.get("subject"))
    try:
        engine = people.engine(str(job["user"]))
        limit = job.get("spend_up_to")
        if limit is not None and _spent(engine, job) >= limit:
            return JobDone(subject=subject, status="stopped", message="the budget is spent")
        report = engine.evaluate_all(
            subjects=[subject],
            version=job["version"],
            context=job["context"],
            evaluator=job["evaluator"],
            settings=job["settings"],
            pass_threshold=job["pass_threshold"],
            again=job["again"],
            concurrency=1,
        )
    except RubrictuiError as error:
        return JobDone(subject=subject, status="failed", message=str(error))
    except (KeyError, TypeError) as error:
        return JobDone(subject=subject, status="failed", message=f"This is no job of ours: {error}.")
    if report.failed:
        failure = report.failures[0]
        return JobDone(subject=failure.subject, status="failed", message=failure.message, cost=report.cost)
    return JobDone(subject=subject, status="scored" if report.done else "skipped", cost=report.cost)


def _spent(engine: Engine, job: Mapping[str, Any]) -> float:
    """What the user of a job has spent with its evaluator, version and context."""
    with engine._read() as connection:
        return prompt_store.spent(
            connection,
            user_id=engine.user.id,
            evaluator_name=job["evaluator"],
            version_id=job["version"],
            context_id=job["context"],
        )


class _People:
    """The store as each user whose jobs come, opened once."""

    def __init__(self, engine: Engine, target: str | Path | None) -> None:
        self._own = engine
        self._target = target
        self._others: dict[str, Engine] = {}
        self._lock = threading.Lock()

    def title(self, subject_id: str) -> str:
        """The title of a subject, or how it is named; "" where there is none."""
        try:
            with self._own._read() as connection:
                found = subjects.subjects(connection, ids=[subject_id], content=False)
        except RubrictuiError:  # what the job came to is told all the same
            return ""
        return next((one.title or f"{one.entity}/{one.record_id}" for one in found), "")

    def engine(self, name: str) -> Engine:
        """The engine as which this user's jobs are run.

        Raises:
            NotPermittedError, NotFoundError: the worker may not act as her, or there is no such user.
        """
        if name == self._own.user.name:
            return self._own
        with self._lock:
            if name not in self._others:
                self._others[name] = Engine(self._target, user=self._own.user.name, as_user=name)
            return self._others[name]

    def close(self) -> None:
        for engine in self._others.values():
            engine.close()


def _server(target: str | Path | None) -> str:
    """The address of the store's database, for libpq."""
    location = locate(target)
    if location.url is None:
        raise StateError(
            f"{location.where} is a SQLite store, which keeps no queue for workers.",
            remedy="Use rubrictui evaluate --all, which works in-process, or a store on PostgreSQL.",
        )
    return location.url.replace("postgresql+psycopg://", "postgresql://", 1)


def _installed() -> None:
    try:
        import procrastinate  # noqa: F401
    except ImportError:
        raise InvalidInputError(
            "Workers need procrastinate.", remedy="Install it with: pip install 'rubrictui[worker]'."
        ) from None


def _app(connector: Any) -> App:
    from procrastinate import App

    return App(connector=connector)


def _prepare(app: App) -> None:
    """Make the queue's tables where they are not there."""
    from procrastinate.exceptions import ConnectorException

    if _is_prepared(app):
        return
    try:
        app.schema_manager.apply_schema()
    except ConnectorException:
        if not _is_prepared(app):  # else another was quicker
            raise


def _is_prepared(app: App) -> bool:
    row = app.connector.get_sync_connector().execute_query_one(
        "SELECT to_regclass('procrastinate_jobs') IS NOT NULL AS there"
    )
    return bool(row["there"])


def _key(user_id: str, job: Mapping[str, Any], subject_id: str) -> str:
    parts = (user_id, job["evaluator"], job["version"], job["context"] or "", subject_id)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


class _translated:
    """The queue's own errors as one line without the address."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        from procrastinate.exceptions import ConnectorException

        if isinstance(error, ConnectorException):
            cause = str(error.__cause__ or error)
            what = (
                cause.strip().splitlines()[0][:200].rstrip(".") if cause.strip() else "it cannot be reached"
            )
            raise StateError(
                f"The queue of this store cannot be used: {what}.",
                remedy="Its tables are made by whoever may create tables there: let her run a worker once.",
            ) from None
