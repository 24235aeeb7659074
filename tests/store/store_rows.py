"""Rows for store tests, written with plain statements: no engine, no repository, only what a table needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Table, insert, select, update

from rubrictui.core.records import Role, User
from rubrictui.store.database import Database
from rubrictui.store.tables import (
    ASSIGNMENT,
    BAND,
    CONTEXT,
    CRITERION,
    CRITERION_LEVEL,
    EVALUATION,
    EVALUATION_SCORE,
    ROLE_GRANT,
    RUBRIC,
    SCALE,
    SCALE_LEVEL,
    SUBJECT,
    USER,
    VERSION,
)

START = datetime(2027, 3, 1, 9, 0, tzinfo=UTC)

RESULT = {"outcome": "Scored", "completeness": 1.0, "gate_failed": False, "engine_version": "test"}


class Rows:
    """Adds rows to one store. Each method commits, unless ``together``, and returns the new row's id."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = START
        self._open: Connection | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction for everything in the block, which is much faster."""
        with self.database.write() as connection:
            self._open = connection
            try:
                yield
            finally:
                self._open = None

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self._open is not None:
            yield self._open
            return
        with self.database.write() as connection:
            yield connection

    def now(self) -> datetime:
        self.clock += timedelta(seconds=1)
        return self.clock

    def add(self, table: Table, **values: Any) -> str:
        values.setdefault("id", str(uuid4()))
        with self._writing() as connection:
            connection.execute(insert(table).values(**values))
        return str(values["id"])

    def change(self, table: Table, id: str, /, **values: Any) -> str:
        with self._writing() as connection:
            connection.execute(update(table).where(table.c.id == id).values(**values))
        return id

    def delete(self, table: Table, id: str) -> str:
        with self._writing() as connection:
            connection.execute(table.delete().where(table.c.id == id))
        return id

    def get(self, table: Table, id: str) -> dict[str, Any]:
        with self.database.read() as connection:
            return dict(connection.execute(select(table).where(table.c.id == id)).one()._mapping)

    def sql(self, statement: str) -> None:
        with self._writing() as connection:
            connection.exec_driver_sql(statement)

    # -- definitions ---------------------------------------------------------------------------------

    def scale(self, name: str | None = None) -> str:
        return self.add(SCALE, name=name or f"Scale {uuid4()}")

    def level(self, scale: str, label: str = "Meets", normalized_value: float = 1.0, **more: Any) -> str:
        return self.add(SCALE_LEVEL, scale_id=scale, label=label, normalized_value=normalized_value, **more)

    def rubric(self, name: str | None = None) -> str:
        return self.add(RUBRIC, name=name or f"Rubric {uuid4()}", created_at=self.now(), created_by="author")

    def draft(self, rubric: str | None = None, **values: Any) -> str:
        owner = rubric or self.rubric()
        return self.add(VERSION, rubric_id=owner, created_at=self.now(), created_by="author", **values)

    def publish(self, version: str, number: tuple[int, int, int] = (1, 0, 0)) -> str:
        return self.change(VERSION, version, **published(self.now(), number))

    def retire(self, version: str) -> str:
        return self.change(VERSION, version, status="Retired", retired_at=self.now())

    def criterion(self, version: str, key: str = "clarity", **values: Any) -> str:
        return self.add(CRITERION, version_id=version, key=key, name=key.title(), **values)

    def anchor(self, criterion: str, level: str, descriptor: str = "What it means here") -> str:
        return self.add(CRITERION_LEVEL, criterion_id=criterion, scale_level_id=level, descriptor=descriptor)

    def band(self, version: str, label: str = "Strong") -> str:
        return self.add(BAND, version_id=version, label=label, min_score=0.8, max_score=1.0)

    # -- people and work -----------------------------------------------------------------------------

    def user(self, name: str, *roles: Role) -> User:
        id = self.add(USER, name=name, display_name=name.title(), created_at=self.now())
        for role in roles:
            self.add(ROLE_GRANT, user_id=id, role=role.value)
        return User(id=id, name=name, display_name=name.title(), roles=roles)

    def subject(self, record: str = "north", **values: Any) -> str:
        at = self.now()
        more = {"entity": "Proposal", "title": record.title(), **values}
        return self.add(SUBJECT, record_id=record, created_at=at, updated_at=at, created_by="chair", **more)

    def context(self, record: str = "spring", **values: Any) -> str:
        more = {"entity": "Round", "name": record.title(), **values}
        return self.add(CONTEXT, record_id=record, created_at=self.now(), created_by="chair", **more)

    def assignment(self, user: User, subject: str, rubric: str, **values: Any) -> str:
        return self.add(
            ASSIGNMENT,
            user_id=user.id,
            subject_id=subject,
            rubric_id=rubric,
            created_at=self.now(),
            created_by="chair",
            **values,
        )

    def evaluation(self, user: User, subject: str, version: str, **values: Any) -> str:
        """A Draft."""
        with self._writing() as connection:
            rubric, major = connection.execute(
                select(VERSION.c.rubric_id, VERSION.c.major_version).where(VERSION.c.id == version)
            ).one()
        at = self.now()
        return self.add(
            EVALUATION,
            rubric_id=rubric,
            version_id=version,
            major_version=major,
            subject_id=subject,
            evaluator_user_id=user.id,
            started_at=at,
            updated_at=at,
            **values,
        )

    def score(self, evaluation: str, criterion: str, **values: Any) -> str:
        return self.add(
            EVALUATION_SCORE,
            evaluation_id=evaluation,
            criterion_id=criterion,
            updated_at=self.now(),
            **values,
        )

    def submit(self, evaluation: str, score: float | None = 0.5, **values: Any) -> str:
        result = {**RESULT, "normalized_score": score, **values}
        self.change(EVALUATION, evaluation, status="Submitted", submitted_at=self.now(), **result)
        return evaluation

    def submitted(
        self, user: User, subject: str, version: str, score: float | None = 0.5, **values: Any
    ) -> str:
        passed = values.pop("passed", None)
        return self.submit(self.evaluation(user, subject, version, **values), score, passed=passed)


def published(at: datetime, number: tuple[int, int, int] = (1, 0, 0)) -> dict[str, Any]:
    """The columns that publishing sets."""
    major, minor, patch = number
    return {
        "status": "Published",
        "major_version": major,
        "minor_version": minor,
        "patch_version": patch,
        "content_hash": "c" * 64,
        "scoring_hash": "5" * 64,
        "published_at": at,
        "published_by": "author",
    }


def everything(connection: Connection, table: Table) -> list[tuple[Any, ...]]:
    """All rows of a table, in a fixed order."""
    return [tuple(row) for row in connection.execute(select(table).order_by(table.c.id))]
