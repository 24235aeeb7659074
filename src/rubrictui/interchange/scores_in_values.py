"""What a file of evaluations says once it is read: answers with their places, findings, notes."""

from __future__ import annotations

import msgspec

from rubrictui.core.model import Answer, Value
from rubrictui.core.records import Subject
from rubrictui.ground.findings import Finding

#: An evaluation is of one subject, so this bounds both.
MAX_EVALUATIONS = 100_000

Place = tuple[int, int]
"""Row (or line) and column in the file, from 1."""


class ScoreOptions(Value, frozen=True, kw_only=True):
    """How to read a file of evaluations.

    ``entity`` goes before subjects that name none, and is what samples of a log become. ``columns`` says which
    criterion (by key) a column, key or score of the file answers; ``levels`` what a value of the file means: a
    label, a number, or N/A. ``ignored`` are columns to leave out. ``encoding`` is of CSV and JSON; UTF-8, or what
    its byte order mark says, when None.
    """

    entity: str | None = None
    columns: dict[str, str] = msgspec.field(default_factory=dict)
    levels: dict[str, str] = msgspec.field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    encoding: str | None = None


class ScoreEntry(Value, frozen=True, kw_only=True):
    """One evaluation of a file.

    ``subject`` is an id or ``Entity/record``; ``otherwise`` another name by which the store may know it. ``content``
    is the subject as the file holds it, where it does. ``at`` is where the subject stands, ``places`` where each
    answer does, by criterion id. With ``loose_quotes`` a quote that does not stand in the subject is kept as a note
    and not refused.
    """

    subject: str
    at: Place
    answers: tuple[Answer, ...]
    places: dict[str, Place]
    otherwise: str | None = None
    content: Subject | None = None
    loose_quotes: bool = False
    details: dict[str, str] = msgspec.field(default_factory=dict)


class ScoresRead(Value, frozen=True, kw_only=True):
    """A file of evaluations, read. ``notes`` tell what was left out; with an error in ``findings`` nothing may be
    stored. ``file`` is its name without folders, ``shown`` the name it was given by, ``sha256`` is of its bytes."""

    file: str
    shown: str = ""
    sha256: str
    entries: tuple[ScoreEntry, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
