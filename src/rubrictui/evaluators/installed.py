"""What installed packages offer, read once: looking through all of them takes longer than many a run."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points


@cache
def installed(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, in no order that means anything; nothing is imported."""
    return tuple(entry_points(group=group))
