"""Assignments from CSV: one row a reviewer and a subject, found by the names of the columns."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.rounds import ListedAssignment
from rubrictui.interchange.csv_in import csv_header, csv_rows, decode
from rubrictui.interchange.subject_files import read_bytes

SUBJECT_COLUMNS = ("subject", "subject_id", "record", "record_id", "submission")
REVIEWER_COLUMNS = ("reviewer", "user", "login", "reviewer_login", "name")
DUE_COLUMNS = ("due", "due_at", "deadline")

DueParser = Callable[[str], datetime | None]


def read_assignments(
    path: str | Path, *, encoding: str | None = None, entity: str = "", due: DueParser | None = None
) -> tuple[ListedAssignment, ...]:
    """The rows of a CSV file (comma, semicolon or tab) with a header that names a subject and a reviewer column.

    Whether the people and subjects are in a store is for the engine to say, by the places given here.

    Args:
        encoding: UTF-8, or UTF-16 with a byte order mark, when None.
        entity: put before subjects that name none, as in ``Bid`` for ``north``.
        due: reads the due column; without it the column is ignored.

    Raises:
        InvalidInputError: the file cannot be read, lacks a column, or a row does not fit, is incomplete or stands
            twice; with the row and the column.
    """
    place = Path(path)
    data = read_bytes(place)
    if encoding is None and data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    rows = [(number, cells) for number, cells in csv_rows(decode(data, encoding, place), place, None)]
    rows = [(number, cells) for number, cells in rows if any(cell.strip() for cell in cells)]
    if not rows:
        raise InvalidInputError(f"{place} is empty.", remedy="Give it a header (subject,reviewer) and rows.")
    header = [name.casefold() for name in csv_header(rows[0][1], place, rows[0][0])]
    subject_at = _column(header, SUBJECT_COLUMNS, "subject", place)
    reviewer_at = _column(header, REVIEWER_COLUMNS, "reviewer", place)
    due_at = next((header.index(name) for name in DUE_COLUMNS if name in header), None)
    found: list[ListedAssignment] = []
    met: dict[tuple[str, str], int] = {}
    for number, cells in rows[1:]:
        if len(cells) != len(header):
            raise InvalidInputError(
                f"{place}, row {number}: {len(cells)} cells where the header names {len(header)} columns.",
                remedy="Quote cells that hold the delimiter, and fill every row.",
            )
        subject, reviewer = cells[subject_at].strip(), cells[reviewer_at].strip()
        for value, column, what in ((subject, subject_at, "subject"), (reviewer, reviewer_at, "reviewer")):
            if not value:
                raise InvalidInputError(
                    f"{place}, row {number}, column {column + 1}: no {what} is named.", remedy="Fill it."
                )
        if entity and "/" not in subject:
            subject = f"{entity}/{subject}"
        if (subject, reviewer) in met:
            raise InvalidInputError(
                f'{place}, row {number}: "{subject}" for {reviewer} stands in row {met[subject, reviewer]} already.',
                remedy="Leave one of them out.",
            )
        met[subject, reviewer] = number
        found.append(
            ListedAssignment(
                subject=subject,
                reviewer=reviewer,
                due_at=_due(cells, due_at, due, place, number),
                source=str(place),
                row=number,
                subject_column=subject_at + 1,
                reviewer_column=reviewer_at + 1,
            )
        )
    if not found:
        raise InvalidInputError(f"{place} has a header and no rows.", remedy="Give it rows.")
    return tuple(found)


def _column(header: list[str], names: tuple[str, ...], what: str, place: Path) -> int:
    for name in names:
        if name in header:
            return header.index(name)
    raise InvalidInputError(
        f"{place}, row 1: there is no column for the {what}; it has {', '.join(header)[:120]}.",
        remedy=f'Name one "{names[0]}".',
    )


def _due(
    cells: list[str], column: int | None, due: DueParser | None, place: Path, number: int
) -> datetime | None:
    if column is None or due is None or not cells[column].strip():
        return None
    try:
        return due(cells[column].strip())
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{place}, row {number}, column {column + 1}: {error.message}", remedy=error.remedy
        ) from None
