"""Where a store is: what ``--db``, ``RUBRICTUI_DB`` and nothing at all mean."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from rubrictui.store.errors import UnknownStoreKindError

VARIABLE = "RUBRICTUI_DB"

#: User and password as the driver's URLs have them: a password may hold whatever ends a host elsewhere.
_WHO = re.compile(r"^[^:/@]*(?::[^@]*)?@")


class Location(NamedTuple):
    """A file (``path``) or a PostgreSQL server (``url``); ``where`` names it for people, password left out."""

    where: str
    path: Path | None = None
    url: str | None = None
    is_default: bool = False

    @property
    def label(self) -> str:
        """The store in a few words: ``your store``, the name of another file, ``panel on db.example``."""
        if self.url is not None:
            return _server_label(self.url)
        if self.is_default or self.path is None or self.path == default_path():
            return "your store"
        return self.path.name


def locate(target: str | Path | None) -> Location:
    """The location that ``target`` names.

    Args:
        target: a path, ``sqlite:///PATH`` or ``postgresql+psycopg://...``; None is ``RUBRICTUI_DB``, and when
            that is empty, ``rubrics.db`` in the user's data directory.

    Raises:
        UnknownStoreKindError: a URL of another kind, or one without a file.
    """
    named = target if target is not None else os.environ.get(VARIABLE, "").strip() or None
    if named is None:
        path = default_path()
        return Location(str(path), path=path, is_default=True)
    text = str(named)
    if isinstance(named, Path) or "://" not in text:
        if not text or text == ":memory:":
            raise UnknownStoreKindError(text or '""')
        path = Path(os.path.abspath(Path(text).expanduser()))
        return Location(str(path), path=path)
    scheme, _, rest = text.partition("://")
    if scheme.casefold() in ("sqlite", "sqlite+pysqlite"):
        # SQLAlchemy's form: the third slash ends the empty host; what follows is the path, as it is.
        file = rest[1:] if rest.startswith("/") else ""
        if not file or file == ":memory:":
            raise UnknownStoreKindError(text)
        path = Path(os.path.abspath(file))
        return Location(str(path), path=path)
    if scheme.casefold() in ("postgresql", "postgres", "postgresql+psycopg"):
        return Location(without_password(text), url=f"postgresql+psycopg://{rest}")
    raise UnknownStoreKindError(without_password(text))


def default_path() -> Path:
    """``rubrics.db`` in the user's data directory."""
    import platformdirs

    return Path(platformdirs.user_data_dir("rubrictui", appauthor=False)) / "rubrics.db"


def _server_label(url: str) -> str:
    """Database and host of a server's URL, and the port where it is another than usual: no user, no password."""
    try:
        found = urlsplit("//" + _WHO.sub("", url.partition("://")[2]))
        asked = dict(parse_qsl(found.query))
        host, port = found.hostname or asked.get("host", ""), found.port or asked.get("port", "")
    except ValueError:  # not the form of a URL; opening it says so
        return "a PostgreSQL store"
    name = unquote(found.path.strip("/")) or asked.get("dbname") or "the usual database"
    if not host or host.startswith("/"):
        host = "this machine"
    return f"{name} on {host}" + (f":{port}" if port and str(port) != "5432" else "")


def without_password(url: str) -> str:
    """The URL as it may be shown and logged."""
    shown = re.sub(r"(://[^/@:]*):[^@]*@", r"\1:***@", url)
    return re.sub(r"([?&](?:ssl)?password=)[^&]*", r"\1***", shown)
