"""Prompts of a store, the models behind evaluators, and the calls that were made: kept, listed, read again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.prompt_records import Prompt, PromptKind, PromptRun
from rubrictui.core.records import Role
from rubrictui.engine.base import named
from rubrictui.engine.errors import NotFoundError
from rubrictui.engine.syncing import Syncing
from rubrictui.evaluators.content import content_providers
from rubrictui.evaluators.prompting import PromptBook, check_template, shipped_prompts
from rubrictui.evaluators.prompting_compose import Composed, compose
from rubrictui.evaluators.services import PromptRef, Services
from rubrictui.evaluators.settings import EvaluatorSettings, settings_from
from rubrictui.store import prompts as prompt_store

if TYPE_CHECKING:
    from rubrictui.evaluators.models import ModelAccess
    from rubrictui.evaluators.prompting_rendered import Rendered

#: A template has at most so many characters.
MOST_TEMPLATE = 200_000


class _Session(NamedTuple):
    """Connections to models, prompts as they were found, what they gave, and what stores the calls.

    ``fresh`` are ids of subjects that no earlier call of the user is about, so that none is looked for.
    """

    access: ModelAccess
    book: PromptBook
    texts: Rendered
    writer: _RunWriter
    fresh: set[str]


class _Held(NamedTuple):
    """The session that an engine's runs share, and whether earlier replies are used again in it."""

    engine: Prompting
    session: _Session
    use_earlier: bool


#: The session of the work that asks, not of the engine: connections belong to one event loop, and an engine may be at
#: work in several at once, each on a thread of its own.
_HELD: ContextVar[_Held | None] = ContextVar("judging session", default=None)


class Prompting(Syncing):
    """Prompts and runs."""

    @property
    def _shared(self) -> _Session | None:
        """What the runs of this ``judging_session`` share."""
        held = _HELD.get()
        return held.session if held is not None and held.engine is self else None

    @property
    def _use_earlier(self) -> bool:
        """Whether earlier replies are used again in this ``judging_session``."""
        held = _HELD.get()
        return held is not None and held.engine is self and held.use_earlier

    # -- prompts -------------------------------------------------------------------------------------

    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts that evaluators find, by name: the stored ones, and shipped ones that none replaces."""
        with self._read() as connection:
            stored = prompt_store.prompts(connection)
        taken = {prompt.name.casefold() for prompt in stored}
        found = [*stored, *(one for one in shipped_prompts() if one.name.casefold() not in taken)]
        return tuple(sorted(found, key=lambda prompt: prompt.name.casefold()))

    def prompt(self, name: str) -> Prompt:
        """The prompt of a name or id, as evaluators find it.

        Raises:
            NotFoundError: there is none.
        """
        book = self._prompt_book()
        found = book.find(PromptRef(id=name)) or book.find(PromptRef(name=name))
        if found is None:
            raise NotFoundError(
                f"The {name.strip()} prompt was not found.",
                remedy="See the prompts with: rubrictui prompt list",
            )
        return found

    def save_prompt(
        self,
        name: str,
        template: str,
        *,
        kind: PromptKind | str = PromptKind.JUDGE,
        description: str | None = None,
        models: tuple[str, ...] = (),
    ) -> Prompt:
        """Keep a prompt under a name; one of that name is replaced, a shipped one covered.

        Calls that were made before keep the text that they were sent.

        Raises:
            PromptTemplateError: the template is broken.
            InvalidInputError: the name, the kind or the length is not possible.
            NotPermittedError: the user is no author.
        """
        self._require(Role.AUTHOR, doing="save prompts")
        title = named(name, "prompt")
        try:
            chosen = PromptKind(kind)
        except ValueError:
            raise InvalidInputError(
                f'There is no kind of prompt "{kind}".', remedy=f"Use {', '.join(PromptKind)}."
            ) from None
        if not template.strip() or len(template) > MOST_TEMPLATE:
            raise InvalidInputError(
                f'The template of "{title}" has {len(template):,} characters.',
                remedy=f"Write between 1 and {MOST_TEMPLATE:,}.",
            )
        check_template(title, template)
        bound = tuple(model.strip() for model in models if model.strip())
        now = self._clock()
        with self._write() as connection:
            before = prompt_store.find_prompt(connection, name=title)
            kept = Prompt(
                id=before.id if before is not None else self._new_id(),
                name=title,
                kind=chosen,
                template=template,
                description=description,
                models=bound,
                is_stored=True,
                updated_at=now,
            )
            prompt_store.put_prompt(connection, kept, at=now, by=self.user.name)
        return kept

    def preview_prompt(
        self,
        *,
        subject: str,
        rubric: str | None = None,
        version: str | None = None,
        settings: Mapping[str, Any] | EvaluatorSettings | None = None,
        criterion: str | None = None,
    ) -> Composed:
        """What an LLM evaluation of a subject would send. No call is made, nothing is stored.

        Args:
            subject: an id or ``Entity/record``.
            rubric, version: as in ``evaluate_record``; a draft may be previewed (``Name@draft``).
            criterion: in the mode PerCriterion the key of the one to ask.

        Raises:
            NotFoundError, PromptNotFoundError, PromptTemplateError, CriterionTextsError: as the run would.
        """
        chosen = settings_from(settings)
        with self._read() as connection:
            head = self._find_version(connection, version or rubric or "")
            snapshot = self._snapshot(connection, head.id)
            found = self._shown(connection, self._find_subject(connection, subject))[0]
        keys = [node.key for node in snapshot.nodes if node.is_criterion]
        if criterion is not None and criterion not in keys:
            raise NotFoundError(
                f'There is no criterion "{criterion}".', remedy=f"There are {', '.join(keys)}."
            )
        from rubrictui.evaluators.config import load_config, resolve
        from rubrictui.evaluators.errors import EvaluatorError
        from rubrictui.evaluators.prompting_subject import DEFAULT_BUDGET

        try:
            budget = resolve(load_config(), chosen.model_id).budget
        except EvaluatorError:  # no model is set up: the text is worth reading all the same
            budget = DEFAULT_BUDGET
        return compose(
            snapshot,
            content_providers.content_of(found),
            chosen,
            self._prompt_book(),
            budget=budget,
            key=criterion,
        )

    def _prompt_book(self) -> PromptBook:
        def stored(ref: PromptRef) -> Prompt | None:
            with self._read() as connection:
                return prompt_store.find_prompt(connection, id=ref.id, name=ref.name)

        return PromptBook(stored)

    # -- runs ----------------------------------------------------------------------------------------

    def prompt_runs(
        self,
        *,
        subject: str | None = None,
        evaluation: str | None = None,
        failed: bool | None = None,
        limit: int = 200,
    ) -> tuple[PromptRun, ...]:
        """The calls of models the user may read, the latest first, without their messages.

        Her own, or all with the right to read all evaluations; none about a subject that she is scoring herself.
        """
        with self._read() as connection:
            return prompt_store.runs(
                connection,
                self.user,
                subject_id=self._find_subject(connection, subject).id if subject is not None else None,
                evaluation_id=evaluation,
                failed=failed,
                limit=limit,
            )

    def prompt_run(self, id: str) -> PromptRun:
        """One call with the messages that were sent and the reply as it came.

        Raises:
            NotFoundError: there is none of that id, or it is not the user's to read.
        """
        with self._read() as connection:
            found = prompt_store.run(connection, self.user, id)
        if found is None:
            raise NotFoundError(f'There is no run "{id[:80]}".', remedy="See the runs with: rubrictui runs")
        return found

    # -- models for evaluators -----------------------------------------------------------------------

    @asynccontextmanager
    async def judging_session(self, *, use_earlier: bool = False) -> AsyncIterator[None]:
        """Let the runs within share connections to models, and work with prompts as they are at its start.

        Args:
            use_earlier: take the reply of an earlier call of the user where everything that went into it is the
                same.
        """
        opened = self._session()
        token = _HELD.set(_Held(self, opened, use_earlier))
        try:
            yield
        finally:
            _HELD.reset(token)
            await opened.access.aclose()

    def _session(self) -> _Session:
        from rubrictui.evaluators.config import load_config
        from rubrictui.evaluators.models import ModelAccess
        from rubrictui.evaluators.prompting_rendered import Rendered

        return _Session(
            ModelAccess(load_config), self._prompt_book(), Rendered(), _RunWriter(self._store_runs), set()
        )

    @asynccontextmanager
    async def _services_for(
        self, *, subject_id: str, evaluator_name: str, kept: list[str], trial: bool = False
    ) -> AsyncIterator[Services]:
        """The services of one run. Nothing of models is imported or read until one is called.

        Args:
            kept: gets the ids of the calls that were made.
            trial: mark them as those of a trial, of which no evaluation comes.
        """
        from rubrictui.evaluators.prompting_service import Surroundings, build_services

        shared = self._shared
        session = shared or self._session()
        keeper = _StoreKeeper(self, session, subject_id, kept, {"Trial": True} if trial else {})
        try:
            yield build_services(
                Surroundings(
                    book=session.book,
                    access=session.access,
                    texts=session.texts,
                    evaluator_name=evaluator_name,
                    clock=self._clock,
                    new_id=self._new_id,
                    keeper=keeper,
                )
            )
        finally:
            if session is not shared:
                await session.access.aclose()

    def _store_runs(self, runs: list[PromptRun]) -> None:
        with self._write() as connection:
            prompt_store.add_runs(connection, runs)

    def _without_calls(self, connection: Connection, subject_ids: Sequence[str]) -> None:
        """Note for the session which of these subjects no earlier call of the user is about."""
        if self._shared is not None and self._use_earlier:
            called = prompt_store.called_about(connection, subject_ids, by=self.user.name)
            self._shared.fresh.update(set(subject_ids) - called)

    def _earlier_run(self, cache_key: str) -> PromptRun | None:
        with self._read() as connection:
            return prompt_store.earlier_run(connection, cache_key, by=self.user.name)


class _RunWriter:
    """Stores calls. Those that end while others are written go together, in one transaction.

    Args:
        store: stores some, durably.
    """

    def __init__(self, store: Callable[[list[PromptRun]], None]) -> None:
        self._store = store
        self._waiting: list[tuple[PromptRun, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def add(self, run: PromptRun) -> None:
        """Store a call; back when it is durable."""
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((run, stored))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await stored

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._store, [run for run, _ in batch])
            except Exception as error:
                for _, stored in batch:
                    if not stored.done():
                        stored.set_exception(error)
            else:
                for _, stored in batch:
                    if not stored.done():
                        stored.set_result(None)


class _StoreKeeper:
    """Keeps the calls of one run in the store."""

    def __init__(
        self, engine: Prompting, session: _Session, subject_id: str, kept: list[str], marks: dict[str, Any]
    ) -> None:
        self._engine = engine
        self._marks = marks
        self._session = session
        self._subject_id = subject_id
        self._kept = kept

    async def keep(self, record: PromptRun) -> None:
        """Store a run; back when it is durable."""
        whole = msgspec.structs.replace(
            record,
            subject_id=self._subject_id,
            created_by=self._engine.user.name,
            settings=record.settings | self._marks,
        )
        self._session.fresh.discard(self._subject_id)
        await self._session.writer.add(whole)
        self._kept.append(record.id)

    async def earlier(self, cache_key: str) -> PromptRun | None:
        """The user's own earlier run of the same call, in a session that uses them."""
        if not self._engine._use_earlier or self._subject_id in self._session.fresh:
            return None
        return self._engine._earlier_run(cache_key)
