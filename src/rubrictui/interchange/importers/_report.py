"""What an import gives back, and how it tells what it could not carry over and what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rubrictui.core.model import Scale, Value
from rubrictui.ground.findings import Finding, Findings, has_errors
from rubrictui.interchange.documents import RubricFile

#: A note names this many of its places; the rest are counted.
NAMED_PLACES = 3


class Place(NamedTuple):
    """Where something stands: ``words`` for people ("row 4, column 6", "line 12"), numbers from 1 for programs.

    In a table ``line`` is the number of the row (the header being row 1) and ``column`` that of the cell.
    """

    line: int = 1
    column: int = 1
    words: str = ""


#: A place, or how to find it: only the first few of a kind are looked up.
At = Place | Callable[[], Place] | None


class Note(Value, frozen=True, kw_only=True):
    """One thing that was not carried over as it is, or that was assumed. ``count`` says how often; ``places``
    are the first ones. ``line`` and ``column`` are those of the first place, None for the file as a whole.
    """

    code: str
    message: str
    count: int = 1
    line: int | None = None
    column: int | None = None
    places: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.places:
            return self.message
        more = self.count - len(self.places)
        where = "; ".join(self.places) + (f" and {more} more" if more > 0 else "")
        return (
            f"{self.message} ({where})"
            if self.count == 1
            else f"{self.message} ({self.count} times: {where})"
        )


class Imported(Value, frozen=True, kw_only=True):
    """What a file of another program holds: rubrics as Drafts, the scales they share, and the two lists.

    ``rubrics`` and ``scales`` are empty when ``findings`` has an error. Every id follows from the format, the
    rubric's name and the source's own ids (or keys), so the same file gives the same values each time.
    """

    format: str
    rubrics: tuple[RubricFile, ...] = ()
    scales: tuple[Scale, ...] = ()
    notes: tuple[Note, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def is_valid(self) -> bool:
        return not has_errors(self.findings)


class Report:
    """Collects findings and notes of one file. Notes of the same words become one that is counted."""

    def __init__(self, file: str) -> None:
        self._findings = Findings(file)
        self._notes: dict[tuple[str, str], list[Place]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def error(self, code: str, message: str, at: At = None) -> None:
        """Something that makes the file no rubric. ``message`` says what, and what to do."""
        if self._findings.is_full:
            return
        place = _found(at) or Place()
        words = f"{place.words}: " if place.words else ""
        self._findings.add(code, f"{words}{message}", (place.line, place.column))

    def note(self, code: str, message: str, at: At = None) -> None:
        """Something that is not carried over as it is, or that was assumed."""
        known = self._notes.setdefault((code, message), [])
        self._counts[code, message] = self._counts.get((code, message), 0) + 1
        if len(known) < NAMED_PLACES:
            place = _found(at)
            if place is not None:
                known.append(place)

    @property
    def has_errors(self) -> bool:
        return has_errors(self._findings.all)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._findings.all)

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(
            Note(
                code=code,
                message=message,
                count=self._counts[code, message],
                line=places[0].line if places else None,
                column=places[0].column if places else None,
                places=tuple(place.words or f"line {place.line}" for place in places),
            )
            for (code, message), places in self._notes.items()
        )


def _found(at: At) -> Place | None:
    return at if at is None or isinstance(at, Place) else at()
