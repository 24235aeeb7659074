"""How far a command is, on a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self


class Bar:
    """One line on a terminal that says how much is done; nothing elsewhere. ``with`` takes it away at the end.

    Args:
        what: what is counted, in the plural.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = sys.stderr.isatty()
        self._last = -1

    def show(self, done: int, total: int) -> None:
        """So many of so many are done. A line is written when it would look different."""
        step = 1000 * done // max(total, 1)
        if self._shown and step != self._last:
            self._last = step
            full = 24 * done // max(total, 1)
            sys.stderr.write(f"\r{'━' * full}{'─' * (24 - full)} {done} of {total} {self._what}\x1b[K")
            sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
