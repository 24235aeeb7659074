"""Keeping a store: is it empty, is it sound, a copy of it, facts about it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.records import Role
from rubrictui.engine.errors import StateError
from rubrictui.engine.loading import Loading
from rubrictui.store import roles, upkeep, users
from rubrictui.store.errors import translate
from rubrictui.store.revision import HEAD
from rubrictui.store.sqlite_file import copy_store, os_error


class StoreInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the open store.

    ``where`` is its path, or its URL without the password; ``counts`` are rows by kind, of evaluations
    those that the user may see.
    """

    where: str
    dialect: str
    revision: str
    store_id: str | None
    created_at: str | None
    created_by: str | None
    user: str
    roles: tuple[str, ...]
    counts: dict[str, int]
    size: int | None


class Care(Loading):
    """Looking after the store."""

    def is_empty(self) -> bool:
        """Whether there is neither a rubric nor a subject: a new store, to which samples can be offered."""
        with self._read() as connection:
            return upkeep.is_empty(connection)

    def info(self) -> StoreInfo:
        """Facts about the store and who is asking. ``size`` is in bytes; None on a server."""
        with self._read() as connection:
            facts, counts = upkeep.facts(connection), upkeep.counts(connection, self.user)
            size = upkeep.size(connection)
        return StoreInfo(
            where=self._database.where,
            dialect=self._database.dialect,
            revision=HEAD,
            store_id=facts.get("store_id"),
            created_at=facts.get("created_at"),
            created_by=facts.get("created_by"),
            user=self.user.name,
            roles=tuple(role.value for role in self.user.roles),
            counts=counts,
            size=size,
        )

    def check(self) -> tuple[str, ...]:
        """What is wrong with the store's file, a line each; empty when it is sound."""
        with self._read() as connection:
            return upkeep.soundness(connection)

    def role_script(self) -> str:
        """What psql runs so that everybody in the store can work in it on PostgreSQL (docs/panels.md).

        Raises:
            StateError: the store is a file.
            NotPermittedError: the user neither administers evaluations nor owns the database. Its owner is let do it
                because she could anyway, and because a store that was copied there knows its own people only.
        """
        if self.is_local:
            raise StateError(
                "A store in a file has no roles of its own: whoever can read the file can read all of it.",
                remedy="Name a store on PostgreSQL with --db; `db copy` moves this one there.",
            )
        with self._read() as connection:
            if not upkeep.is_owner(connection):
                self._require(Role.ADMINISTER_EVALUATIONS, doing="let people into the store")
            database, schema = connection.exec_driver_sql("SELECT current_database(), current_schema()").one()
            people = users.users(connection)
        return roles.script(
            people, where=self._database.where, at=self._clock(), database=str(database), schema=str(schema)
        )

    def backup(self, path: str | Path) -> Path:
        """Copy the store, as it is at this moment, to a new file; work may go on meanwhile.

        Raises:
            InvalidInputError: the file exists.
            StateError: the store is on a server, which has its own ways.
            StoreError: the copy cannot be written.
        """
        source = self._database.path
        if source is None:
            raise StateError(
                "A store on a PostgreSQL server is not one file.", remedy="Back it up with pg_dump."
            )
        target = Path(path).expanduser()
        try:
            copy_store(source, target)
        except FileExistsError as error:
            raise InvalidInputError(
                f"{target} exists already.", remedy="Name a new file for the copy."
            ) from error
        except OSError as error:
            raise os_error(error, str(target)) from error
        except sqlite3.Error as error:
            raise (translate(error, str(target)) or error) from error
        return target
