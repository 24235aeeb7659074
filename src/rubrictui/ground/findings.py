"""What is wrong with a file, and exactly where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from rubrictui.ground.errors import InvalidInputError

Severity = Literal["error", "warning"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One problem. ``line`` and ``column`` count from 1; ``code`` is a stable word for programs.

    ``str(finding)`` is the line that compilers print: ``file:line:column: error: message``.
    """

    code: str
    severity: Severity = "error"
    message: str
    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message}"


LIMIT = 1_000


class Findings:
    """Collects the findings of one file in the order they are met, up to ``LIMIT``."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.all: list[Finding] = []

    def add(
        self, code: str, message: str, at: tuple[int, int] = (1, 1), severity: Severity = "error"
    ) -> None:
        """``at`` is (line, column), from 1."""
        if self.is_full:
            return
        if len(self.all) == LIMIT:
            code, severity = "too_many", "error"
            message = f"there is more, but {LIMIT:,} findings are enough to begin with."
        self.all.append(
            Finding(code=code, severity=severity, message=message, file=self.file, line=at[0], column=at[1])
        )

    @property
    def is_full(self) -> bool:
        """Whether nothing more is taken: a broken file of a million lines is told in a thousand."""
        return len(self.all) > LIMIT

    def warn(self, code: str, message: str, at: tuple[int, int] = (1, 1)) -> None:
        self.add(code, message, at, "warning")


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity == "error" for finding in findings)


def raise_for_errors(findings: Iterable[Finding]) -> None:
    """Raise the first error, with the count of the others.

    Raises:
        InvalidInputError: when there is at least one error.
    """
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        more = f"{len(errors) - 1} more: rubrictui validate lists them all." if len(errors) > 1 else ""
        raise InvalidInputError(str(errors[0]), remedy=f"({more})" if more else "")
