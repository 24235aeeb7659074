"""Canvas rubric CSV: a row a criterion, its ratings side by side, any number of rubrics in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rubrictui.interchange.importers._formats import Format
from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._sketch import (
    KEPT,
    Grade,
    Item,
    Sheet,
    Span,
    graded,
    keeps_minimum,
    weight_of,
)
from rubrictui.interchange.importers._source import Source
from rubrictui.interchange.importers._tables import Grid, Row, find, fold, header_of, read_grid
from rubrictui.interchange.importers._words import number, one_line, plain, shown

_TRUE = frozenset({"true", "yes", "1", "t", "y"})
_FALSE = frozenset({"", "false", "no", "0", "f", "n"})
# A spreadsheet numbers the headers that stand more than once.
_RATING = re.compile(r"rating (name|description|points)(?: \d+)?")


class _Columns(NamedTuple):
    rubric: int
    criterion: int
    description: int | None
    ranges: int | None
    outcomes: tuple[int, ...]
    ratings: int  # the first of their columns; three each follow
    order: tuple[str, ...]  # what the three are


def _recognises(source: Source) -> bool:
    header = [fold(cell) for cell in header_of(source.text)]
    return "criteria name" in header and "rating name" in header


def _read(source: Source, report: Report) -> list[Sheet]:
    grid = read_grid(source.text, report)
    columns = None if grid is None else _columns(grid.header, report)
    if grid is None or columns is None:
        return []
    _note_ragged(grid, report)
    names: dict[str, tuple[str, Row, list[Item]]] = {}
    latest = ""
    for row in grid.rows:
        name = one_line(row.cell(columns.rubric))
        if not name and not latest:
            report.error(
                "no_rubric_name",
                "the rubric has no name. Fill the cell.",
                row.place(columns.rubric, "Rubric Name"),
            )
            continue
        if not name:
            report.note(
                "rubric_name", "A row without a rubric name belongs to the rubric above.", row.place()
            )
        latest = name or latest
        _, _, items = names.setdefault(latest.casefold(), (latest, row, []))
        item = _item(row, columns, grid.header, source.options.minimum or "keep", report)
        if item is not None:
            items.append(item)
    return [
        Sheet(
            name=name,
            items=tuple(items),
            total=sum(item.weight for item in items if not item.is_advisory),
            place=row.place(columns.rubric),
        )
        for name, row, items in names.values()
    ]


def _columns(header: Row, report: Report) -> _Columns | None:
    cells = header.cells
    rubric = find(cells, "rubric name")
    criterion = find(cells, "criteria name", "criterion name")
    kinds = [_RATING.fullmatch(fold(cell)) for cell in cells]
    first = next((index for index, kind in enumerate(kinds) if kind), None)
    missing = [
        title
        for title, found in (("Rubric Name", rubric), ("Criteria Name", criterion), ("Rating Name", first))
        if found is None
    ]
    if rubric is None or criterion is None or first is None:
        report.error(
            "missing_column",
            f"there is no column {', '.join(missing)}. Add it to the header.",
            header.place(),
        )
        return None
    order = tuple(kind.group(1) for kind in kinds[first : first + 3] if kind)
    if sorted(order) != ["description", "name", "points"]:
        what = "the rating columns must come in threes: Rating Name, Rating Description, Rating Points."
        report.error("rating_columns", what, header.place(first, cells[first]))
        return None
    for index in range(first, len(cells)):
        kind = kinds[index]
        if cells[index].strip() and (kind is None or kind.group(1) != order[(index - first) % 3]):
            wanted = f"Rating {order[(index - first) % 3].title()}"
            report.error("rating_columns", f"{wanted} is expected here.", header.place(index, cells[index]))
            return None
    return _Columns(
        rubric,
        criterion,
        find(cells, "criteria description", "criterion description"),
        find(cells, "criteria enable range", "criterion enable range"),
        tuple(index for index, cell in enumerate(cells[:first]) if "outcome" in fold(cell).split()),
        first,
        order,
    )


def _note_ragged(grid: Grid, report: Report) -> None:
    width = len(grid.header.cells)
    for row in grid.rows:
        if len(row.cells) != width:
            size = "fewer" if len(row.cells) < width else "more"
            report.note(
                "ragged_row",
                f"A row has {size} cells than the header; its ratings are read as they stand.",
                row.place(),
            )


def _item(row: Row, columns: _Columns, header: Row, minimum: str, report: Report) -> Item | None:
    name = one_line(row.cell(columns.criterion))
    if not name:
        at = row.place(columns.criterion, "Criteria Name")
        report.error("no_name", "the criterion has no name. Fill the cell.", at)
        return None
    for index in columns.outcomes:
        if row.cell(index):
            at = row.place(index, header.cell(index))
            report.note("outcome", "The link to an outcome is not carried over.", at)
    ranges = _ranges(row, columns, report)
    grades = _grades(row, columns, header, minimum, report)
    if grades is None:
        return None
    choices = graded(grades, minimum=minimum)
    weight = weight_of(choices, minimum=minimum)
    text = plain(row.cell(columns.description)) if columns.description is not None else ""
    item = Item(
        name=name, text=text, weight=weight, choices=choices, is_advisory=weight == 0, place=row.place()
    )
    if weight == 0:
        what = "A criterion whose ratings give no points is advisory: it is answered and does not count."
        report.note("no_points", what, row.place())
    elif ranges:
        return _with_range(item, grades, row, report)
    elif keeps_minimum(choices):
        report.note("minimum", KEPT, row.place())
    return item


def _grades(row: Row, columns: _Columns, header: Row, minimum: str, report: Report) -> list[Grade] | None:
    """The ratings of a row; None (and errors) when one of them is none, or there are none."""
    grades: list[Grade] = []
    broken = False
    for start, cells in _threes(row, columns):
        if not any(cells.values()):
            continue
        column = start + columns.order.index("points")
        at = row.place(column, header.cell(column) or "Rating Points")
        points = number(cells["points"])
        if points is None:
            given = one_line(cells["points"])[:40]
            what = f'"{given}" is no number' if given else "the rating has no points"
            report.error("points", f"{what}. Write points such as 4 or 2,5.", at)
            broken = True
            continue
        if points < 0 and minimum == "keep":
            report.note("negative_points", "A rating below 0 points counts 0.", at)
        grades.append(Grade(one_line(cells["name"]) or shown(points), points, plain(cells["description"])))
    if not grades and not broken:
        at = row.place(columns.ratings)
        report.error("no_ratings", "the criterion has no rating. Give it at least one.", at)
    return grades if grades and not broken else None


def _with_range(item: Item, grades: list[Grade], row: Row, report: Report) -> Item:
    from msgspec.structs import replace

    report.note(
        "range",
        "A criterion with ranges is answered with any points from 0 up; its ratings are anchors of points.",
        row.place(),
    )
    high = max(grade.points or 0 for grade in grades)
    anchors = sorted(
        (min(max(grade.points or 0.0, 0.0), high), ": ".join(filter(None, (grade.label, grade.text))))
        for grade in grades
    )
    return replace(item, choices=(), span=Span(low=0, high=high, anchors=tuple(anchors)), weight=high)


def _ranges(row: Row, columns: _Columns, report: Report) -> bool:
    if columns.ranges is None:
        return False
    word = row.cell(columns.ranges).casefold()
    if word not in _TRUE | _FALSE:
        at = row.place(columns.ranges, "Criteria Enable Range")
        report.error(
            "not_a_truth", f'"{one_line(word)[:40]}" is neither true nor false. Write one of the two.', at
        )
    return word in _TRUE


def _threes(row: Row, columns: _Columns) -> Iterator[tuple[int, dict[str, str]]]:
    """The ratings of a row: where each begins, and its three texts by what they are."""
    for start in range(columns.ratings, len(row.cells), 3):
        yield start, {kind: row.cell(start + offset) for offset, kind in enumerate(columns.order)}


FORMAT = Format("canvas", "Canvas rubric CSV", _recognises, _read)
