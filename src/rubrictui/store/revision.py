"""Which shape of the store this program reads and writes.

Alone in a file that imports nothing, so that the first screen can tell a current store from another one
without paying for SQLAlchemy or Alembic. A test holds it equal to the newest migration.
"""

from __future__ import annotations

HEAD = "0008"
"""The newest migration's revision."""

REVISION_TABLE = "store_revision"
"""The table that holds the store's revision. Our own name, so that a file of another program that uses
Alembic too is never taken for a store."""

READ_REVISION = f"SELECT version_num FROM {REVISION_TABLE}"
