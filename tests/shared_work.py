"""What is compiled or parsed once for all stores and all applications of a test process.

SQLAlchemy keeps what it has compiled with each engine, and Textual what it has parsed with each application: a
program makes one of each, the tests make thousands. (A fixture uses this; a name to import is not one.)
"""

from __future__ import annotations

import sys
from typing import Any

import pytest


def share_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on ``Database`` makes engines with one cache; nothing where SQLAlchemy is not imported."""
    if "sqlalchemy" not in sys.modules:
        return
    from sqlalchemy import Engine, create_engine
    from sqlalchemy.util import LRUCache

    from rubrictui.store import database

    class Shared(LRUCache[Any, Any]):
        """Found by the kind of the dialect, of which each engine has its own: all are configured alike."""

        def get(self, key: Any, default: Any = None) -> Any:
            dialect, *rest = key
            return super().get((type(dialect), *rest), default)

        def __setitem__(self, key: Any, value: Any) -> None:
            dialect, *rest = key
            super().__setitem__((type(dialect), *rest), value)

    shared = Shared(5000)

    def create(*arguments: Any, **options: Any) -> Engine:
        engine = create_engine(*arguments, **options)
        engine._compiled_cache = shared
        return engine

    monkeypatch.setattr(database, "create_engine", create)


def share_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a style sheet is parsed once for the same colours; nothing where Textual is not imported."""
    if "textual" not in sys.modules:
        return
    from textual.css.stylesheet import Stylesheet

    parsed: dict[Any, Any] = {}
    parse = Stylesheet._parse_rules

    def parse_rules(self: Stylesheet, css: str, *arguments: Any, **options: Any) -> Any:
        key = (frozenset(self._variables.items()), css, arguments, frozenset(options.items()))
        if key not in parsed:
            parsed[key] = parse(self, css, *arguments, **options)
        return parsed[key]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_rules)
