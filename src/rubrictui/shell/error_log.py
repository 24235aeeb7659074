"""Where unexpected errors go: a file in the user's state directory, opened when there is something to say."""

from __future__ import annotations

import traceback
from datetime import UTC, datetime
from pathlib import Path

LIMIT = 1_000_000
"""Bytes after which the log begins anew; one older part is kept."""


class ErrorLog:
    """A text file to write to, made on the first write. Failing to write is not another error."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.has_entries = False

    def write(self, text: str) -> int:
        """Append ``text``; returns its length, as a text stream does."""
        self.has_entries = True
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and self.path.stat().st_size > LIMIT:
                self.path.replace(self.path.with_suffix(".old.log"))
            with self.path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            pass
        return len(text)

    def flush(self) -> None:
        """Nothing waits; every write is whole."""

    def add(self, error: BaseException, *, now: datetime | None = None) -> None:
        """Write one error with its traceback and the time."""
        lines = "".join(traceback.format_exception(error))
        self.write(f"{(now or datetime.now(UTC)).isoformat(timespec='seconds')}\n{lines}\n")
