"""Regular expressions of a matter: compiled once, searched for ignoring case and under a time limit.

``regex`` and not ``re``: a search of ``re`` cannot be stopped, and holds the interpreter while it backtracks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rubrictui.ground.pattern_size import too_large

LONG_TEXT = 20_000
"""Characters above which a search is always timed, and lets other threads run meanwhile."""

# What repeats can backtrack without end; choices multiply, so that a few are harmless.
_REPEATS = re.compile(r"[*+{]|\(\?(?!:)")
MANY_CHOICES = 8


def pattern_problem(pattern: str) -> str | None:
    """Why a pattern does not compile; None when it does."""
    try:
        compile_pattern(pattern)
    except PatternError as error:
        return str(error)
    return None


class PatternError(Exception):
    """Why a pattern does not compile."""


class Pattern:
    """A compiled pattern. Asking the clock costs more than most searches, so one that can try only a few
    ways at each place is searched for without it in a text that is not long."""

    __slots__ = ("_is_brief", "_regex")

    def __init__(self, compiled: Any, pattern: str) -> None:
        self._regex = compiled
        choices = pattern.replace("(?:", "(")
        self._is_brief = not _REPEATS.search(pattern) and sum(map(choices.count, "(|?")) <= MANY_CHOICES

    def search(self, text: str, limit: float) -> Any:
        """The first match; None without one.

        Raises:
            TimeoutError: it took longer than ``limit`` seconds.
        """
        if self._is_brief and len(text) <= LONG_TEXT:
            return self._regex.search(text)
        return self._regex.search(text, timeout=limit, concurrent=len(text) > LONG_TEXT)

    def finditer(self, text: str, limit: float) -> Iterator[Any]:
        """All matches that do not overlap. Raises as ``search``, while it is iterated."""
        found: Iterator[Any] = self._regex.finditer(text, timeout=limit, concurrent=len(text) > LONG_TEXT)
        return found


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Pattern:
    # Imported here: a matter without gates does without it.
    import regex

    if (reason := too_large(pattern)) is not None:
        raise PatternError(reason)
    try:
        return Pattern(regex.compile(pattern, regex.IGNORECASE), pattern)
    except (regex.error, RecursionError, OverflowError, MemoryError, ValueError, KeyError) as error:
        raise PatternError(" ".join(str(error).split()) or "it cannot be compiled") from None
