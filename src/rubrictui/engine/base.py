"""What every part of the engine stands on: the store, who is asking, transactions, and finding by name."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Self, TypeVar

import msgspec
from sqlalchemy import Connection

from rubrictui.core.display import name_fault
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.hidden_fields import without_fields
from rubrictui.core.model import VersionSnapshot, VersionStatus
from rubrictui.core.namesakes import called
from rubrictui.core.records import MAXIMUM_NAME, Acting, Context, Role, Subject, User
from rubrictui.engine.errors import (
    NoPublishedVersionError,
    NotFoundError,
    NotPermittedError,
)
from rubrictui.engine.versions import VersionCache
from rubrictui.store import rounds, rubrics, subjects, users
from rubrictui.store.database import Database, session_user
from rubrictui.store.errors import StoreDroppedError
from rubrictui.store.rubrics import RubricHead, VersionHead
from rubrictui.store.sqlite_file import BUSY_SECONDS

T = TypeVar("T")

ALL_ROLES = tuple(Role)
_SEES_HIDDEN_FIELDS = (Role.CHAIR, Role.ADMINISTER_EVALUATIONS, Role.DEVELOPER, Role.INTEGRATION)
_LISTED = 5
"""How many things of one name a message lists."""


def utc_now() -> datetime:
    """Now, aware, in UTC."""
    return datetime.now(UTC)


def new_uuid() -> str:
    """A fresh id as the store keeps them: a lower-case uuid4."""
    # What ``str(uuid4())`` gives in a third of the time: a round of rules takes hundreds of thousands.
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def new_uuids(count: int) -> list[str]:
    """Fresh ids that begin alike, in order.

    What is stored together then lies side by side in the indexes of the store. Ids all over the place have
    every page of them written anew for every few hundred rows, once there are some hundred thousand.
    """
    digits = os.urandom(4 + 11 * count).hex()
    head = digits[:8]
    return sorted(
        f"{head}-{digits[at : at + 4]}-4{digits[at + 4 : at + 7]}"
        f"-a{digits[at + 7 : at + 10]}-{digits[at + 10 : at + 22]}"
        for at in range(8, len(digits), 22)
    )


class EngineBase:
    """One open store and one user who asks.

    Threads: an engine may be called from several threads at once. Each call works on a connection of its
    own; writes of one engine take turns, reads wait for nothing.

    Args:
        target: a path, ``sqlite:///...`` or ``postgresql+psycopg://...``; None is ``RUBRICTUI_DB``, or the
            user's own store.
        user: the login that asks. None is the operating system's on SQLite and the session's database
            user on PostgreSQL. A program that has its own sign-in passes the name it trusts.
        as_user: act as this user instead; ``user`` must hold *administer_evaluations* (or be the same). What
            is hidden from ``user`` stays hidden.
        clock: gives the instant of everything stored; aware.
        new_id: gives ids.
        read_only: open without migrating or writing anything.
        busy_seconds: how long a write waits for other processes before it says that the store is locked.

    Raises:
        StoreError: the store cannot be opened.
        NotPermittedError, NotFoundError: ``as_user`` may not be used, or is not in the store.
    """

    user: User
    _snapshot_of: Connection | None = None

    def __init__(
        self,
        target: str | Path | None = None,
        *,
        user: str | None = None,
        as_user: str | None = None,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = new_uuid,
        read_only: bool = False,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self._clock = clock
        self._new_id = new_id
        self._lock = RLock()
        self._versions = VersionCache()
        self._database = Database.open(target, read_only=read_only, busy_seconds=busy_seconds)
        try:
            self.user = self._identify(user, read_only=read_only)
            if as_user is not None and as_user != self.user.name:
                self._require(Role.ADMINISTER_EVALUATIONS, doing="act as another user")
                acted = self._known_user(as_user)
                self.user = Acting(**msgspec.structs.asdict(acted), login_id=self.user.id)
        except BaseException:
            self._database.close()
            raise

    @property
    def is_local(self) -> bool:
        """Whether the store is a file, which takes a change in a few milliseconds; else it is on a server."""
        return self._database.dialect == "sqlite"

    def close(self) -> None:
        """Close the store. Everything that was acknowledged is on disk already."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- who is asking -------------------------------------------------------------------------------

    def _identify(self, name: str | None, *, read_only: bool) -> User:
        """The asker's account. The first one in a store gets every role, a later newcomer reviewer."""
        with self._database.read() as connection:
            login = name or self._login(connection)
            found = users.find_user(connection, login)
        if found is not None and found.name == login:
            return found
        if read_only:
            return User(id=self._new_id(), name=login, roles=(Role.REVIEWER,))
        with self._database.write() as connection:
            found = users.find_user(connection, login)
            if found is not None and found.name == login:
                return found
            roles = (Role.REVIEWER,) if users.any_user(connection) else ALL_ROLES
            newcomer = User(id=self._new_id(), name=login, display_name=login, roles=roles)
            users.add_user(connection, newcomer, created_at=self._clock(), new_id=self._new_id)
            return newcomer

    @staticmethod
    def _login(connection: Connection) -> str:
        return session_user(connection) or operating_system_login()

    def _new_ids(self, count: int) -> list[str]:
        """So many ids of rows that are stored together."""
        if self._new_id is new_uuid:
            return new_uuids(count)
        return [self._new_id() for _ in range(count)]

    def _require(self, *roles: Role, doing: str) -> None:
        """Raise unless the user holds one of ``roles``. ``doing`` completes "may not ..."."""
        if not any(role in self.user.roles for role in roles):
            wanted = " or ".join(role.value for role in roles)
            raise NotPermittedError(
                f"{self.user.name} may not {doing}: it takes the role {wanted}.",
                remedy="Someone with administer_evaluations can grant it.",
            )

    def _holds(self, *roles: Role) -> bool:
        return any(role in self.user.roles for role in roles)

    def _known_user(self, name_or_id: str) -> User:
        with self._database.read() as connection:
            return self._find_user(connection, name_or_id)

    def _acting_as(self, user: User) -> Self:
        """The same engine (store, lock, cache) with another user asking; checked by the caller."""
        other = copy.copy(self)
        other.user = user
        return other

    # -- transactions --------------------------------------------------------------------------------

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        if self._snapshot_of is not None:
            yield self._snapshot_of
            return
        with self._database.read() as connection:
            yield connection

    @contextmanager
    def _one_snapshot(self) -> Iterator[tuple[Self, Connection]]:
        """The same engine with every read of it on one connection: together they see one state of the store."""
        with self._read() as connection:
            other = copy.copy(self)
            other._snapshot_of = connection
            yield other, connection

    @contextmanager
    def _write(self, *, alone: bool = True) -> Iterator[Connection]:
        """One write transaction: everything in the block is stored, durably, or nothing. ``alone`` as in the store."""
        with self._lock, self._database.write(alone=alone) as connection:
            yield connection

    def _once_more(self, work: Callable[[], T]) -> T:
        """``work``, and again if the server dropped the connection in its midst. It must bear being done twice: the
        connection may have been lost after all was stored."""
        try:
            return work()
        except StoreDroppedError:
            return work()

    # -- finding by name -----------------------------------------------------------------------------

    def _find_user(self, connection: Connection, name_or_id: str) -> User:
        found = users.find_user(connection, name_or_id)
        if found is None:
            raise NotFoundError(f'There is no user "{name_or_id}".', remedy="Add the user first.")
        return found

    def _find_subject(self, connection: Connection, reference: str) -> Subject:
        found = subjects.find_subject(connection, reference)
        if found is None:
            raise NotFoundError(
                f'Subject "{reference}" is not found or not readable.',
                remedy="Name it as Entity/record, or by its id.",
            )
        return found

    def _shown(self, connection: Connection, *found: Subject) -> tuple[Subject, ...]:
        """Subjects as the user may see them: without the fields that a round hides, unless she runs rounds or reads
        all. The content hash stays that of the whole subject, so that a change of it is noticed."""
        hidden = self._hidden_from_user(connection, [one.id for one in found])
        return tuple(
            msgspec.structs.replace(without_fields(one, hidden[one.id]), content_hash=one.content_hash)
            if one.id in hidden
            else one
            for one in found
        )

    def _hidden_from_user(self, connection: Connection, subject_ids: Sequence[str]) -> dict[str, set[str]]:
        """The data fields of these subjects that a round hides from the user, by subject."""
        if self._holds(*_SEES_HIDDEN_FIELDS):
            return {}
        return rounds.hidden_fields_by_subject(connection, subject_ids)

    def _find_context(self, connection: Connection, reference: str) -> Context:
        """The context (a round is one) of this id, named ``Entity/record``, or else by its name or its record alone.

        Raises:
            NotFoundError: there is none; InvalidInputError: several have that name.
        """
        found = subjects.find_context(connection, reference)
        if found is not None:
            return found
        named_so = called(reference, subjects.contexts(connection))
        if not named_so:
            raise NotFoundError(
                f'There is no context "{reference}".',
                remedy="Name it as Entity/record, by its name, or by its id.",
            )
        if len(named_so) > 1:
            listed = sorted(f"{one.entity}/{one.record_id}" for one in named_so)
            more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
            raise InvalidInputError(
                f'"{reference}" may be {" or ".join(listed[:_LISTED])}{more}.',
                remedy="Name one of them like that.",
            )
        return named_so[0]

    def _find_rubric(self, connection: Connection, name_or_id: str) -> RubricHead:
        found = rubrics.find_rubric(connection, name_or_id)
        if found is None:
            raise NotFoundError(
                f'There is no rubric "{name_or_id}".', remedy="The catalog lists the rubrics of this store."
            )
        return found

    def _find_version(self, connection: Connection, reference: str) -> VersionHead:
        """``Name``, ``Name@1.2.0`` (or a part of a number), ``Name@draft``, or a version id."""
        by_id = rubrics.version_head(connection, reference.strip())
        if by_id is not None:
            return by_id
        name, word = reference, ""
        rubric = rubrics.find_rubric(connection, reference)
        if rubric is None and "@" in reference:
            name, _, word = reference.rpartition("@")
            rubric = rubrics.find_rubric(connection, name)
        if rubric is None:
            raise NotFoundError(
                f'There is no rubric "{name.strip()}".',
                remedy="The catalog lists the rubrics of this store; add @1.2.0 or @draft for a version.",
            )
        heads = rubrics.version_heads(connection, rubric.id)
        return _latest_published(rubric, heads) if not word.strip() else _numbered(rubric, heads, word)

    def _version_of(self, connection: Connection, rubric: RubricHead, word: str) -> VersionHead:
        """A version of one rubric: by number (or a part of it), ``draft``, or id."""
        heads = rubrics.version_heads(connection, rubric.id)
        by_id = next((head for head in heads if head.id == word.strip()), None)
        return by_id or _numbered(rubric, heads, word)

    def _published_version(self, connection: Connection, rubric: RubricHead) -> VersionHead:
        return _latest_published(rubric, rubrics.version_heads(connection, rubric.id))

    def _snapshot(self, connection: Connection, version_id: str) -> VersionSnapshot:
        found = self._versions.snapshot(connection, version_id)
        if found is None:
            raise NotFoundError(f'There is no version "{version_id}".')
        return found

    def _frozen(self, connection: Connection, version_id: str) -> VersionSnapshot:
        found = self._versions.frozen(connection, version_id)
        if found is None:
            raise NotFoundError(f'There is no version "{version_id}".')
        return found

    def _optional_context(self, connection: Connection, reference: str | None) -> Context | None:
        return None if reference is None else self._find_context(connection, reference)


def operating_system_login() -> str:
    """The login of the process's user, from the system's own records and not from the environment."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        import getpass

        return getpass.getuser()


def named(value: str, what: str, *, limit: int = MAXIMUM_NAME) -> str:
    """A name without outer blanks.

    Raises:
        InvalidInputError: nothing is left, it is longer than ``limit``, or it holds a control character.
    """
    name = value.strip()
    if not name:
        raise InvalidInputError(f"A {what} needs a name.", remedy="Give it one.")
    fault = name_fault(name, limit)
    if fault:
        shown = name if len(name) <= 40 else f"{name[:40]}..."
        raise InvalidInputError(f'The name of the {what} "{shown}" {fault}.', remedy="Change it.")
    return name


def _latest_published(rubric: RubricHead, heads: tuple[VersionHead, ...]) -> VersionHead:
    for head in heads:
        if head.status is VersionStatus.PUBLISHED:
            return head
    if any(head.status is VersionStatus.DRAFT for head in heads):
        has = "only a draft"
        remedy = (
            "Publish it: P in the builder, or load a publication document (docs/formats.md). "
            f'As "{rubric.name}@draft" it can be shown and previewed, not scored.'
        )
    elif heads:
        has = "none that is in use"
        remedy = "Restore a retired one, or publish the next: b in the catalog shows its versions."
    else:
        has = "no version at all"
        remedy = "Begin a draft: b in the catalog, then n."
    raise NoPublishedVersionError(
        f'No published version of that rubric: "{rubric.name}" has {has}.', remedy=remedy
    )


def _numbered(rubric: RubricHead, heads: tuple[VersionHead, ...], word: str) -> VersionHead:
    wanted = word.strip().casefold()
    if wanted == "draft":
        for head in heads:
            if head.status is VersionStatus.DRAFT:
                return head
    else:
        fitting = [h for h in heads if h.number and f"{h.number}.".startswith(f"{wanted.removeprefix('v')}.")]
        published = [h for h in fitting if h.status is VersionStatus.PUBLISHED]
        if published or fitting:
            return (published or fitting)[0]
    known = ", ".join(head.number or "draft" for head in heads) or "none"
    raise NotFoundError(f'"{rubric.name}" has no version {word.strip()}.', remedy=f"Its versions: {known}.")
