"""Alembic's entry: runs the migrations on the connection that ``store.upgrade`` passes in.

The transaction is the caller's, on both dialects: a migration and its record are committed together or not
at all. ``alembic revision --autogenerate`` also comes through here, for whoever writes the next migration.
"""

from __future__ import annotations

from alembic import context

from rubrictui.store.revision import REVISION_TABLE

config = context.config
context.configure(
    connection=config.attributes["connection"],
    target_metadata=config.attributes.get("metadata"),
    version_table=REVISION_TABLE,
    render_as_batch=True,
    # Alembic would not wrap SQLite in a transaction of its own, and must not: one is open already.
    transactional_ddl=False,
)
context.run_migrations()
