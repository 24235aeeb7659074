"""A table as people write one: a row a criterion, columns by their usual names, every other column a level."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._sketch import (
    KEPT,
    MET,
    Choice,
    Grade,
    Item,
    Span,
    graded,
    keeps_minimum,
    weight_of,
)
from rubrictui.interchange.importers._tables import Grid, Row, find, fold
from rubrictui.interchange.importers._words import number, one_line, plain, shown

CRITERION = (
    "criterion",
    "criteria",
    "criterion name",
    "name",
    "item",
    "aspect",
    "indicator",
    "question",
    "requirement",
)
_DESCRIPTION = ("description", "details", "criterion description", "requirement", "question", "explanation")
_WEIGHT = ("weight", "weighting", "share", "importance")
_POINTS = ("points", "max points", "maximum points", "maximum", "max", "marks", "max score")
_GROUP = ("group", "section", "category", "area", "dimension", "domain", "theme")
_GUIDANCE = ("guidance", "notes", "note", "hint", "help")
_KEY = ("key", "id", "code")

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_UNIT = r"(?:\s*(?:points?|pts?\.?|%))?"
_HEADERS = (
    re.compile(rf"(?P<label>.*?)\s*[(\[]\s*(?P<points>{_NUMBER}){_UNIT}\s*[)\]]"),
    re.compile(rf"(?P<points>{_NUMBER}){_UNIT}\s*[:.)=–-]*\s*(?P<label>.*)"),
    re.compile(rf"(?P<label>.*\S)\s*[:=–-]\s*(?P<points>{_NUMBER}){_UNIT}"),
    re.compile(rf"(?P<label>.*\s(?P<points>{_NUMBER}))"),
)
_GOOD = re.compile(
    r"excellent|exemplary|outstanding|exceed|advanced|distinguished|strong|very good|high|mastery|proficient|best|"
    r"accomplished|always|fully|yes|pass|met\b|meets|strongly agree|a\b",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"poor|weak|insufficient|inadequate|unsatisfactory|unacceptable|below|beginning|emerging|low|none|never|no\b|fail|"
    r"not\b|missing|miss|novice|worst|absent|strongly disagree|f\b",
    re.IGNORECASE,
)


class _Level(NamedTuple):
    column: int
    label: str
    points: float | None


class _Columns(NamedTuple):
    criterion: int
    description: int | None
    weight: int | None
    points: int | None
    group: int | None
    guidance: int | None
    key: int | None
    levels: tuple[_Level, ...]  # ascending


def is_header(cells: Sequence[str]) -> bool:
    """Whether a row of at least two cells names the column of the criteria."""
    return sum(bool(cell.strip()) for cell in cells) > 1 and find(cells, *CRITERION) is not None


def read_plain(
    grid: Grid, report: Report, minimum: str, *, clean: Callable[[str], str] = plain
) -> tuple[tuple[Item, ...], float | None]:
    """The criteria of a table, in groups where a column names them, and the points they have together.

    ``clean`` makes a cell's text plain. The points are None when a column of weights stands for them.
    """
    columns = _columns(grid.header, report)
    if columns is None:
        return (), None
    groups: dict[str, tuple[str, list[Item]]] = {}
    for row in grid.rows:
        _check_width(row, grid.header, report)
        item = _item(row, columns, grid.header, report, minimum=minimum, clean=clean)
        if item is not None:
            group = one_line(clean(row.cell(columns.group))) if columns.group is not None else ""
            groups.setdefault(group.casefold(), (group, []))[1].append(item)
    if any(keeps_minimum(item.choices) for _, members in groups.values() for item in members):
        report.note("minimum", KEPT, grid.header.place())
    items: list[Item] = []
    for name, members in groups.values():
        items += [_group(name, members)] if name else members
    counting = [item.weight for item in items if not item.is_advisory]
    return tuple(items), None if columns.weight is not None else sum(counting)


def _group(name: str, members: Sequence[Item]) -> Item:
    weight = sum(item.weight for item in members if not item.is_advisory)
    return Item(name=name, weight=weight, children=tuple(members), place=members[0].place)


def _columns(header: Row, report: Report) -> _Columns | None:
    cells = header.cells
    criterion = find(cells, *CRITERION)
    if criterion is None:
        report.error(
            "missing_column", "there is no column Criterion. Name one in the header.", header.place()
        )
        return None
    taken = {criterion}

    def column(*names: str) -> int | None:
        index = next((i for i, cell in enumerate(cells) if i not in taken and fold(cell) in names), None)
        if index is not None:
            taken.add(index)
        return index

    found = [column(*names) for names in (_DESCRIPTION, _WEIGHT, _POINTS, _GROUP, _GUIDANCE, _KEY)]
    rest = [
        (index, one_line(cell)) for index, cell in enumerate(cells) if index not in taken and cell.strip()
    ]
    levels = _levels(rest, header, report)
    description, weight, points, group, guidance, key = found
    return _Columns(criterion, description, weight, points, group, guidance, key, levels)


def _levels(rest: Sequence[tuple[int, str]], header: Row, report: Report) -> tuple[_Level, ...]:
    """The columns that are levels, ascending. One alone is none: a level needs another to differ from."""
    if len(rest) == 1:
        index, name = rest[0]
        report.note("column", f'The column "{name[:60]}" is not carried over.', header.place(index))
        return ()
    levels = [_Level(index, *_label_and_points(name)) for index, name in rest]
    if levels and all(level.points is not None for level in levels):
        return tuple(sorted(levels, key=lambda level: level.points or 0))
    bare = [_Level(index, name, None) for index, name in rest]
    if bare:
        downwards = _descends(bare[0].label, bare[-1].label)
        order = "the first being the best" if downwards else "the last being the best"
        what = f"Levels without points are spread evenly, {order}; write points into the header to say otherwise."
        report.note("level_order", what, header.place(bare[0].column))
        bare = bare[::-1] if downwards else bare
    return tuple(bare)


def _label_and_points(name: str) -> tuple[str, float | None]:
    for pattern in _HEADERS:
        match = pattern.fullmatch(name)
        points = number(match.group("points")) if match else None
        if match is not None and points is not None:
            return match.group("label").strip() or shown(points), points
    return name, None


def _descends(first: str, last: str) -> bool:
    """Whether the levels go from the best to the worst, by the words of the first and the last."""
    votes = [bool(_GOOD.search(first)) and not _BAD.search(first), bool(_BAD.search(last))]
    against = [bool(_BAD.search(first)), bool(_GOOD.search(last)) and not _BAD.search(last)]
    return sum(votes) > sum(against)


def _check_width(row: Row, header: Row, report: Report) -> None:
    width = len(header.cells)
    beyond = next((i for i in range(width, len(row.cells)) if row.cell(i)), None)
    if beyond is not None:
        what = f'"{one_line(row.cell(beyond))[:40]}" stands beyond the {width} columns of the header. Quote cells that hold the delimiter.'
        report.error("ragged_row", what, row.place(beyond))
    elif len(row.cells) != width:
        report.note(
            "ragged_row",
            "A row has fewer or more cells than the header; missing cells are blank.",
            row.place(),
        )


def _item(
    row: Row, columns: _Columns, header: Row, report: Report, *, minimum: str, clean: Callable[[str], str]
) -> Item | None:
    def text(column: int | None) -> str:
        return "" if column is None else clean(row.cell(column))

    name = one_line(text(columns.criterion))
    if not name:
        report.error(
            "no_name",
            "the criterion has no name. Fill the cell.",
            row.place(columns.criterion, header.cell(columns.criterion)),
        )
        return None
    points = _amount(row, columns.points, header, report)
    choices: tuple[Choice, ...] = ()
    span = None
    if columns.levels:
        grades = [Grade(level.label, level.points, text(level.column)) for level in columns.levels]
        choices = graded(grades, minimum=minimum)
        weight = weight_of(choices, minimum=minimum) if columns.levels[0].points is not None else 1.0
        weight = weight if points is None else points
    elif points:
        span, weight = Span(low=0, high=points), points
    else:
        choices, weight = MET, 1.0 if points is None else points
        report.note("no_levels", "A criterion without levels or points is met or not met.", row.place())
    if columns.weight is not None:
        own = _amount(row, columns.weight, header, report)
        if own is None:
            report.note("weight", "A criterion without a weight weighs 1.", row.place(columns.weight))
        weight = 1.0 if own is None else own
    return Item(
        name=name,
        text=text(columns.description),
        guidance=text(columns.guidance),
        key=one_line(text(columns.key)),
        weight=weight,
        choices=choices,
        span=span,
        place=row.place(),
    )


def _amount(row: Row, column: int | None, header: Row, report: Report) -> float | None:
    """A number from 0 up; None when the cell is blank or (with an error) something else."""
    if column is None or not row.cell(column):
        return None
    value = number(row.cell(column))
    if value is None or value < 0:
        what = f'"{one_line(row.cell(column))[:40]}" is no number from 0 up. Write one such as 2 or 0,5.'
        report.error("number", what, row.place(column, header.cell(column)))
        return None
    return value
