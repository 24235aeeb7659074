"""Content-scored matters: pure functions over documents, rubrics and submissions.

Credit is earned by content: the provision a point rests on, words quoted as they stand, the concepts an
analysis holds. Everything a program needs is here by name and imported when it is first asked for.

>>> from rubrictui.matters import Episode, Matter
>>> episode = Episode(Matter.from_directory("my-matter"))  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubrictui.ground.findings import Finding
    from rubrictui.matters.actions import read_actions
    from rubrictui.matters.episode import Episode
    from rubrictui.matters.errors import EpisodeEnded, GateTimeoutError
    from rubrictui.matters.gates import GateVerdict, check_gate
    from rubrictui.matters.lint import lint
    from rubrictui.matters.loading import Matter

__all__ = [
    "Episode",
    "EpisodeEnded",
    "Finding",
    "GateTimeoutError",
    "GateVerdict",
    "Matter",
    "check_gate",
    "lint",
    "read_actions",
]

_HOME = {
    "Episode": "rubrictui.matters.episode",
    "EpisodeEnded": "rubrictui.matters.errors",
    "Finding": "rubrictui.ground.findings",
    "GateTimeoutError": "rubrictui.matters.errors",
    "GateVerdict": "rubrictui.matters.gates",
    "Matter": "rubrictui.matters.loading",
    "check_gate": "rubrictui.matters.gates",
    "lint": "rubrictui.matters.lint",
    "read_actions": "rubrictui.matters.actions",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Matters(ModuleType):
    """A package whose functions keep their names when modules of the same name (``lint``) are imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Matters
