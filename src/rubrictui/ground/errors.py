"""The one family of errors that people see.

Every error carries a stable ``code`` for programs, one line of ``message`` for people (what was wrong
and where) and a ``remedy`` (what to do). Surfaces print ``str(error)``: one line, no traceback.
"""

from __future__ import annotations


class RubrictuiError(Exception):
    """Root of every error this package raises on purpose.

    Args:
        message: one line: what was wrong, and where.
        remedy: one line: what to do about it; "" when there is nothing to do.
        code: a stable word for programs; the class default when omitted.
    """

    code: str = "error"

    def __init__(self, message: str, *, remedy: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


class InvalidInputError(RubrictuiError):
    """Data from outside (a file, an argument, JSON) that cannot be read as what it should be."""

    code = "invalid_input"
