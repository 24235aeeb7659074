"""A PostgreSQL server to make databases on, for tests. (Fixtures are in ``conftest.py``; a name to import is not.)"""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import create_engine, text

from rubrictui.store.database import Database
from rubrictui.store.tables import METADATA, STORE_INFO


class Postgres:
    """A server to make databases on. ``url`` has the database left open.

    Making a database takes half a second, so tests share one store, emptied after each.
    """

    def __init__(self, url: str, admin: str) -> None:
        self.url = url
        self.admin = admin
        self.made: list[str] = []
        self.store = self.empty_database()
        Database.open(self.store).close()

    def empty_database(self) -> str:
        """The URL of a new database with nothing in it."""
        name = f"rubrictui_test_{uuid4().hex}"
        self.execute(self.url.format(database=self.admin), f"CREATE DATABASE {name}")
        self.made.append(name)
        return self.url.format(database=name)

    def empty_the_store(self) -> None:
        """Nothing is in it then. Deleting a few rows takes a quarter of what ``TRUNCATE`` takes to make new files."""
        tables = [table.name for table in METADATA.sorted_tables if table is not STORE_INFO]
        deleting = "; ".join(f"DELETE FROM {table}" for table in tables)
        self.execute(self.store, f"SET session_replication_role = replica; {deleting}")

    def drop(self) -> None:
        for name in self.made:
            self.execute(self.url.format(database=self.admin), f"DROP DATABASE {name} WITH (FORCE)")

    @staticmethod
    def execute(url: str, statement: str) -> None:
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(statement))
        engine.dispose()
