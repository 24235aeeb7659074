"""Rubrics, their versions and categories: read as core values, written a row at a time.

Everything takes a connection inside a transaction its caller opened, and decides nothing: what may be
published or changed is the engine's business, what is frozen the triggers'. Scales are in ``scales.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from rubrictui.core.model import (
    Bump,
    NodeType,
    VersionStatus,
)
from rubrictui.core.records import Category, VersionSummary
from rubrictui.store.tables import CATEGORY, CRITERION, RUBRIC, VERSION
from rubrictui.store.trees import clear_tree


class RubricHead(NamedTuple):
    """A rubric without its versions."""

    id: str
    name: str
    description: str | None
    category: str | None


class VersionHead(NamedTuple):
    """The columns of a version that decisions are made on."""

    id: str
    rubric_id: str
    rubric_name: str
    status: VersionStatus
    major: int | None
    minor: int | None
    patch: int | None
    revision: int
    based_on_id: str | None

    @property
    def number(self) -> str | None:
        return None if self.major is None else f"{self.major}.{self.minor}.{self.patch}"

    @property
    def order(self) -> tuple[int, int, int]:
        """Sorts versions by number; a draft, which has none, comes last of all."""
        return (self.major or 0, self.minor or 0, self.patch or 0)


# -- categories --------------------------------------------------------------------------------------


def categories(connection: Connection) -> tuple[Category, ...]:
    """Every category, in the order the author gave."""
    rows = connection.execute(select(CATEGORY).order_by(CATEGORY.c.sequence, CATEGORY.c.name))
    return tuple(
        Category(id=row.id, name=row.name, description=row.description, sequence=row.sequence) for row in rows
    )


def put_category(connection: Connection, category: Category) -> None:
    """Insert the category, or change the one with its id."""
    values = {
        "name": category.name,
        "description": category.description,
        "sequence": category.sequence,
    }
    changed = connection.execute(update(CATEGORY).where(CATEGORY.c.id == category.id).values(values))
    if changed.rowcount == 0:
        connection.execute(insert(CATEGORY).values(id=category.id, **values))


def delete_category(connection: Connection, category_id: str) -> None:
    """A category that no rubric is in."""
    connection.execute(delete(CATEGORY).where(CATEGORY.c.id == category_id))


# -- rubrics -----------------------------------------------------------------------------------------

_HEADS = select(
    RUBRIC.c.id, RUBRIC.c.name, RUBRIC.c.description, CATEGORY.c.name.label("category")
).select_from(RUBRIC.outerjoin(CATEGORY, CATEGORY.c.id == RUBRIC.c.category_id))


def rubric_heads(connection: Connection) -> tuple[RubricHead, ...]:
    """Every rubric, by name."""
    rows = connection.execute(_HEADS.order_by(func.lower(RUBRIC.c.name)))
    return tuple(RubricHead(*row) for row in rows)


def find_rubric(connection: Connection, name_or_id: str) -> RubricHead | None:
    """The rubric with this id or, ignoring case and outer blanks, this name."""
    wanted = name_or_id.strip()
    row = connection.execute(_HEADS.where(RUBRIC.c.id == wanted)).first()
    if row is None:
        row = connection.execute(_HEADS.where(func.lower(RUBRIC.c.name) == wanted.lower())).first()
    if row is None and not wanted.isascii():
        # SQLite folds ASCII only; other scripts are compared here.
        folded = wanted.casefold()
        return next((head for head in rubric_heads(connection) if head.name.casefold() == folded), None)
    return None if row is None else RubricHead(*row)


def add_rubric(
    connection: Connection,
    *,
    id: str,
    name: str,
    category_id: str | None,
    description: str | None,
    created_at: datetime,
    created_by: str,
) -> None:
    connection.execute(
        insert(RUBRIC).values(
            id=id,
            name=name,
            category_id=category_id,
            description=description,
            created_at=created_at,
            created_by=created_by,
        )
    )


def rename_rubric(connection: Connection, rubric_id: str, name: str) -> None:
    connection.execute(update(RUBRIC).where(RUBRIC.c.id == rubric_id).values(name=name))


def describe_rubric(connection: Connection, rubric_id: str, description: str | None) -> None:
    connection.execute(update(RUBRIC).where(RUBRIC.c.id == rubric_id).values(description=description))


def set_category(connection: Connection, rubric_id: str, category_id: str | None) -> None:
    connection.execute(update(RUBRIC).where(RUBRIC.c.id == rubric_id).values(category_id=category_id))


# -- versions ----------------------------------------------------------------------------------------

_VERSION_HEADS = select(
    VERSION.c.id,
    VERSION.c.rubric_id,
    RUBRIC.c.name,
    VERSION.c.status,
    VERSION.c.major_version,
    VERSION.c.minor_version,
    VERSION.c.patch_version,
    VERSION.c.revision,
    VERSION.c.based_on_id,
).select_from(VERSION.join(RUBRIC, RUBRIC.c.id == VERSION.c.rubric_id))

_VERSION_HEAD = _VERSION_HEADS.where(VERSION.c.id == bindparam("id"))  # an author's every key asks for it


def _head(row: Sequence[Any]) -> VersionHead:
    id, rubric_id, name, status, major, minor, patch, revision, based_on = row
    return VersionHead(id, rubric_id, name, VersionStatus(status), major, minor, patch, revision, based_on)


def version_head(connection: Connection, version_id: str) -> VersionHead | None:
    row = connection.execute(_VERSION_HEAD, {"id": version_id}).first()
    return None if row is None else _head(row)


def version_heads(connection: Connection, rubric_id: str) -> tuple[VersionHead, ...]:
    """The versions of a rubric: the draft first, then the highest number."""
    rows = connection.execute(_VERSION_HEADS.where(VERSION.c.rubric_id == rubric_id))
    heads = sorted((_head(row) for row in rows), key=lambda head: head.order, reverse=True)
    return tuple(sorted(heads, key=lambda head: head.status is not VersionStatus.DRAFT))


def version_summaries(
    connection: Connection, rubric_ids: Iterable[str] | None = None, *, counts: Mapping[str, int]
) -> dict[str, tuple[VersionSummary, ...]]:
    """The versions of each rubric (of every rubric by default), a draft first, then the highest number.

    ``counts`` gives the evaluations the viewer may see for each version id.
    """
    query = (
        select(
            *(column for column in VERSION.c if column is not VERSION.c.change_details),
            RUBRIC.c.name.label("rubric_name"),
            func.count(CRITERION.c.id).label("leaves"),
        )
        .select_from(
            VERSION.join(RUBRIC, RUBRIC.c.id == VERSION.c.rubric_id).outerjoin(
                CRITERION,
                (CRITERION.c.version_id == VERSION.c.id)
                & (CRITERION.c.node_type == NodeType.CRITERION.value),
            )
        )
        .group_by(VERSION.c.id, RUBRIC.c.name)
        .order_by(
            VERSION.c.status != VersionStatus.DRAFT.value,
            VERSION.c.major_version.desc(),
            VERSION.c.minor_version.desc(),
            VERSION.c.patch_version.desc(),
        )
    )
    if rubric_ids is not None:
        query = query.where(VERSION.c.rubric_id.in_(list(rubric_ids)))
    found: dict[str, list[VersionSummary]] = defaultdict(list)
    for row in connection.execute(query):
        numbered = row.major_version is not None
        found[row.rubric_id].append(
            VersionSummary(
                id=row.id,
                rubric_id=row.rubric_id,
                rubric_name=row.rubric_name,
                number=f"{row.major_version}.{row.minor_version}.{row.patch_version}" if numbered else None,
                status=VersionStatus(row.status),
                criteria_count=row.leaves,
                evaluation_count=counts.get(row.id, 0),
                applied_bump=Bump(row.applied_bump) if row.applied_bump else None,
                change_summary=row.change_summary,
                content_hash=row.content_hash,
                scoring_hash=row.scoring_hash,
                created_at=row.created_at,
                created_by=row.created_by,
                published_at=row.published_at,
                published_by=row.published_by,
                retired_at=row.retired_at,
                retired_by=row.retired_by,
                computed_bump=Bump(row.computed_bump) if row.computed_bump else None,
                revision=row.revision,
                saved_at=row.saved_at,
                saved_by=row.saved_by,
            )
        )
    return {rubric_id: tuple(versions) for rubric_id, versions in found.items()}


class Save(NamedTuple):
    """Who saved a draft last, and when; None before the first save."""

    at: datetime | None
    by: str | None


def last_save(connection: Connection, version_id: str) -> Save:
    row = connection.execute(
        select(VERSION.c.saved_at, VERSION.c.saved_by).where(VERSION.c.id == version_id)
    ).one()
    return Save(*row)


def version_changes(connection: Connection, rubric_id: str) -> dict[str, Any]:
    """What publishing each version of a rubric stored about its changes, as JSON values, by version id."""
    query = select(VERSION.c.id, VERSION.c.change_details).where(VERSION.c.rubric_id == rubric_id)
    return {row[0]: row[1] for row in connection.execute(query)}


def add_draft(
    connection: Connection,
    *,
    id: str,
    rubric_id: str,
    based_on_id: str | None,
    created_at: datetime,
    created_by: str,
) -> None:
    """An empty Draft. The store refuses a second one of the same rubric."""
    connection.execute(
        insert(VERSION).values(
            id=id,
            rubric_id=rubric_id,
            status=VersionStatus.DRAFT.value,
            based_on_id=based_on_id,
            revision=0,
            created_at=created_at,
            created_by=created_by,
        )
    )


def delete_draft(connection: Connection, version_id: str) -> None:
    """A draft with its whole tree. A frozen version is refused by the store."""
    clear_tree(connection, version_id)
    connection.execute(delete(VERSION).where(VERSION.c.id == version_id))


def publish_version(connection: Connection, version_id: str, values: Mapping[str, Any]) -> None:
    """The move Draft -> Published with everything publish computed; from here the tree is frozen."""
    connection.execute(
        update(VERSION)
        .where(VERSION.c.id == version_id)
        .values(status=VersionStatus.PUBLISHED.value, revision=VERSION.c.revision + 1, **values)
    )


def set_retired(
    connection: Connection, version_id: str, retired_at: datetime | None, *, by: str | None
) -> None:
    """Published -> Retired at ``retired_at`` by the user named, or back with None."""
    status = VersionStatus.PUBLISHED if retired_at is None else VersionStatus.RETIRED
    connection.execute(
        update(VERSION)
        .where(VERSION.c.id == version_id)
        .values(status=status.value, retired_at=retired_at, retired_by=by)
    )
