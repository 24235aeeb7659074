"""Tables of cells with the numbers of their rows, out of CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import NamedTuple

from rubrictui.interchange.importers._report import Place, Report

MAX_CELL = 16 * 1024 * 1024


class Row(NamedTuple):
    """``number`` counts from 1, the header's row and blank ones included. ``line`` replaces it where the source
    is no spreadsheet."""

    number: int
    cells: list[str]
    is_line: bool = False

    def cell(self, column: int) -> str:
        """The trimmed text of a cell, counted from 0; "" where the row has none."""
        return self.cells[column].strip() if 0 <= column < len(self.cells) else ""

    def place(self, column: int | None = None, name: str = "") -> Place:
        words = f"{'line' if self.is_line else 'row'} {self.number}"
        if column is None:
            return Place(self.number, 1, words)
        title = f" ({' '.join(name.split())[:40]})" if name.strip() else ""
        return Place(self.number, column + 1, f"{words}, column {column + 1}{title}")


class Grid(NamedTuple):
    """A header and the rows below it, blank ones left out."""

    header: Row
    rows: list[Row]


def header_of(text: str) -> list[str]:
    """The cells of the first line that is not blank, trimmed; nothing when that is no line of CSV."""
    line = next((line for line in text.lstrip("\n\r").split("\n", 20)[:20] if line.strip()), "")[:100_000]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter_of(line)), [])]
    except csv.Error:
        return []


def delimiter_of(line: str) -> str:
    """What stands most often in a header line outside of quotes: a comma, semicolon, tab or bar."""
    bare = re.sub(r'"[^"]*"', "", line)
    return max(",;\t|", key=bare.count)


def read_grid(text: str, report: Report) -> Grid | None:
    """The table that CSV text holds. Blank rows are noted; None (and an error) when there is no table in it."""
    first = text.lstrip("\n\r").split("\n", 1)[0]
    rows: list[Row] = []
    before = csv.field_size_limit(MAX_CELL)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(first), strict=True)
        for number, cells in enumerate(reader, 1):
            rows.append(Row(number, cells))
    except csv.Error as error:
        place = Place(len(rows) + 1, 1, f"row {len(rows) + 1}")
        report.error("not_csv", f"this is not CSV: {error}. Check its quotes.", place)
        return None
    finally:
        csv.field_size_limit(before)
    full = [row for row in rows if any(map(str.strip, row.cells))]
    if not full:
        report.error("empty", "the file is empty.")
        return None
    filled = {row.number for row in full}
    for row in rows:
        if row.number > full[0].number and row.number not in filled:
            report.note("blank_row", "A blank row is left out.", row.place())
    if len(full) == 1:
        report.error("empty", "there is a header and no row below it.", full[0].place())
        return None
    return Grid(full[0], full[1:])


def find(header: Sequence[str], *names: str) -> int | None:
    """The first column with one of these names, ignoring case, blanks and punctuation; counted from 0."""
    wanted = {fold(name) for name in names}
    return next((index for index, cell in enumerate(header) if fold(cell) in wanted), None)


def fold(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name).strip().casefold()
