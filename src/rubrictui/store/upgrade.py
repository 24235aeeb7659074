"""Bringing a store to the newest revision, in the transaction of the caller.

Alembic is imported only here, and only when there is something to do: a store that is current is recognised
by one SELECT.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect

from rubrictui.store.revision import READ_REVISION, REVISION_TABLE

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

FOLDER = Path(__file__).parent / "migrations"


def read_revision(connection: Connection) -> str | None:
    """The store's revision, or None when nothing was ever created there."""
    if not inspect(connection).has_table(REVISION_TABLE):
        return None
    found = connection.exec_driver_sql(READ_REVISION).scalar()
    return None if found is None else str(found)


def known(revision: str) -> bool:
    """Whether this program has that revision; it lacks those of newer versions."""
    return revision in {script.revision for script in _scripts().walk_revisions()}


def newest() -> str | None:
    """The newest revision among the migrations."""
    return _scripts().get_current_head()


def upgrade(connection: Connection) -> None:
    """Run the migrations that are missing, and record them, in the transaction that is open."""
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def differences(connection: Connection) -> list[object]:
    """How the schema that is there differs from the tables of ``tables.py``; empty when they agree.

    Alembic cannot read indexes over expressions back from SQLite, so those are left to tests by behaviour.
    """
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from rubrictui.store.tables import METADATA

    context = MigrationContext.configure(
        connection,
        opts={
            "compare_type": True,
            "compare_server_default": True,
            "version_table": REVISION_TABLE,
        },
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*expression-based index.*")
        found: list[object] = compare_metadata(context, METADATA)
    return found


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _scripts() -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_config())
