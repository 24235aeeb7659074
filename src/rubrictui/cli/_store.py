"""Opening the store that the general options name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rubrictui.core.model import VersionSnapshot
    from rubrictui.engine import Engine


def open_engine(options: argparse.Namespace, *, create: bool = False, read_only: bool = False) -> Engine:
    """The engine on ``--db`` (else ``RUBRICTUI_DB``, else the user's own store), as ``--user``.

    Args:
        create: make a store at a path that was named and does not exist; reading commands do not, so that a
            mistyped name is told instead of a new store made. The user's own store is always made.
        read_only: write nothing at all, not even an upgrade.

    Raises:
        StoreError: the store cannot be opened.
    """
    from rubrictui.store.locations import locate
    from rubrictui.store.sqlite_file import ensure_file

    location = locate(options.db)
    if location.path is not None and not create and not location.is_default:
        ensure_file(location, create=False)
    from rubrictui.engine import Engine

    return Engine(options.db, as_user=options.user, read_only=read_only)


def rubric_and_version(engine: Engine, reference: str) -> tuple[str, str | None]:
    """The ids that ``Rubric`` or ``Rubric@1.2.0`` names; no version when none is named. A rubric's name may hold an @ itself."""
    from rubrictui.engine import NotFoundError

    try:
        return engine.rubric(reference).id, None
    except NotFoundError:
        if "@" not in reference:
            raise
        version = engine.version(reference)
        return version.rubric_id, version.id


def is_missing(options: argparse.Namespace) -> bool:
    """Whether ``--db`` names a file that does not exist: a command that makes one may be tried before that."""
    from rubrictui.store.locations import locate

    path = locate(options.db).path
    return path is not None and not path.exists()


@contextmanager
def engine_to_try(options: argparse.Namespace) -> Iterator[Engine]:
    """The engine for a dry run of what makes a store: on the store there is, else on an empty one that goes again."""
    if not is_missing(options):
        with open_engine(options) as engine:
            yield engine
        return
    from rubrictui.engine import Engine

    with TemporaryDirectory() as folder, Engine(Path(folder) / "empty.db", as_user=options.user) as engine:
        yield engine


def version_lookup(engine: Engine, name: str) -> VersionSnapshot | None:
    """The latest Published version of a rubric, else its draft; None when there is no such rubric."""
    from rubrictui.engine import NotFoundError

    for reference in (name, f"{name}@draft"):
        try:
            return engine.version(reference)
        except NotFoundError:
            continue
    return None
