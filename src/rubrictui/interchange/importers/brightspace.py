"""Brightspace (D2L) rubric XML: analytic and holistic rubrics; the ranges of overall levels become bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rubrictui.interchange.importers._formats import Format
from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._sketch import (
    KEPT,
    Choice,
    Grade,
    Item,
    Sheet,
    Stripe,
    graded,
    keeps_minimum,
    weight_of,
)
from rubrictui.interchange.importers._source import Source
from rubrictui.interchange.importers._words import number, one_line, plain
from rubrictui.interchange.importers._xml import Element, read_xml, root_name

_STARTS = ("range_start", "range_start_value", "start_range", "range_begin", "min_value", "start_value")
_POINTS = ("level_value", "points", "value")


class _Level(NamedTuple):
    """A column of the rubric: its id, name and points (None when it counts none), and what it says by itself."""

    id: str
    name: str
    points: float | None
    text: str
    element: Element


def _recognises(source: Source) -> bool:
    return root_name(source.text) in ("rubrics", "rubric")


def _read(source: Source, report: Report) -> list[Sheet]:
    root = read_xml(source)
    found = [root] if root.name == "rubric" else list(root.below("rubric"))
    if not found:
        report.error("no_rubric", "there is no rubric in it.", root.place)
    minimum = source.options.minimum or "keep"
    return [sheet for rubric in found if (sheet := _sheet(rubric, minimum, report)) is not None]


def _sheet(rubric: Element, minimum: str, report: Report) -> Sheet | None:
    reader = _Reader(report, minimum)
    groups = [(group, items) for group in rubric.below("criteria_group") if (items := reader.items(group))]
    overall = [one for holder in rubric.below("overall_levels") for one in holder.below("overall_level")]
    name = one_line(rubric.value("name", "title"), html=True)
    if not groups:
        return reader.holistic(rubric, name, overall)
    if len(groups) == 1:
        items = groups[0][1]
    else:
        items = tuple(_group(element, below) for element, below in groups)
    total = sum(item.weight for item in items if not item.is_advisory)
    return Sheet(
        name=name,
        description=_words(rubric, "description"),
        items=items,
        stripes=reader.stripes(overall, _whole(rubric, total)),
        total=total,
        place=rubric.place,
    )


def _group(element: Element, items: tuple[Item, ...]) -> Item:
    weight = sum(item.weight for item in items if not item.is_advisory)
    return Item(
        name=one_line(element.value("name"), html=True),
        weight=weight,
        is_advisory=weight == 0,
        children=items,
        place=element.place,
    )


class _Reader:
    """Reads one rubric."""

    def __init__(self, report: Report, minimum: str) -> None:
        self._report = report
        self._minimum = minimum

    def items(self, group: Element) -> tuple[Item, ...]:
        levels = [
            level
            for holder in group.below("levels")
            for element in holder.children
            if element.name == "level" and (level := self._level(element)) is not None
        ]
        return tuple(self._criterion(one, levels) for one in group.below("criterion"))

    def _level(self, element: Element) -> _Level:
        return _Level(
            element.value("level_id", "id"),
            one_line(element.value("name"), html=True),
            self._points(element, *_POINTS),
            _words(element, "description"),
            element,
        )

    def _points(self, element: Element, *names: str) -> float | None:
        text = element.value(*names)
        if not text:
            return None
        points = number(text)
        if points is None:
            what = f'"{one_line(text)[:40]}" is no number. Write points such as 2.5.'
            self._report.error("points", what, element.place)
        elif points < 0:
            self._report.note("negative_points", "A level below 0 points counts 0.", element.place)
        return points

    def _criterion(self, criterion: Element, levels: Sequence[_Level]) -> Item:
        cells = list(criterion.below("cell"))
        by_id = {cell.value("level_id"): cell for cell in cells if cell.value("level_id")}
        grades: list[Grade] = []
        for index, level in enumerate(levels):
            cell = by_id.get(level.id) or (cells[index] if not by_id and index < len(cells) else None)
            points, text = level.points, ""
            if cell is not None:
                own = self._points(cell, "cell_value")
                points = level.points if own is None else own
                text = _words(cell, "description")
                self._note_feedback(cell)
            grades.append(Grade(level.name, points, text))
        if len(cells) > len(levels):
            self._report.note("cell", "A cell without a level is left out.", criterion.place)
        if not grades:
            self._report.error("no_levels", "the criterion has no levels.", criterion.place)
        choices, weight = self._graded(grades, criterion)
        return Item(
            name=one_line(criterion.value("name"), html=True),
            text=_words(criterion, "description"),
            source_id=_id(criterion),
            weight=weight,
            is_advisory=weight == 0,
            choices=choices,
            place=criterion.place,
        )

    def _graded(self, grades: Sequence[Grade], element: Element) -> tuple[tuple[Choice, ...], float]:
        """The levels ascending, and what they weigh together."""
        if any(grade.points is not None for grade in grades):
            if any(grade.points is None for grade in grades):
                self._report.error(
                    "points",
                    "some levels have points and others have none. Give all of them points.",
                    element.place,
                )
            choices = graded([g._replace(points=g.points or 0) for g in grades], minimum=self._minimum)
            weight = weight_of(choices, minimum=self._minimum)
            if weight == 0:
                self._report.note(
                    "no_points",
                    "A criterion whose levels give no points is advisory: it is answered and does not count.",
                    element.place,
                )
            elif keeps_minimum(choices):
                self._report.note("minimum", KEPT, element.place)
            return choices, weight
        if grades:
            what = "Levels without points are spread evenly, the first being the best; check their order."
            self._report.note("no_points", what, element.place)
        return graded(list(reversed(grades)), minimum=self._minimum), 1.0

    def _note_feedback(self, cell: Element) -> None:
        if _words(cell, "feedback"):
            what = "The feedback of a cell is not carried over; keep it as a phrase of yours."
            self._report.note("feedback", what, cell.place)

    def holistic(self, rubric: Element, name: str, overall: Sequence[Element]) -> Sheet | None:
        """A rubric that is one question: one criterion on the overall levels."""
        grades = []
        for level in overall:
            start = self._points(level, *_STARTS)
            points = self._points(level, *_POINTS)
            grades.append(
                Grade(_name(level), start if points is None else points, _words(level, "description"))
            )
            self._note_feedback(level)
        if not grades:
            self._report.error(
                "no_criteria", "the rubric has neither criteria nor overall levels.", rubric.place
            )
            return None
        choices, _ = self._graded(grades, rubric)
        description = _words(rubric, "description")
        item = Item(name=name, text=description, choices=choices, place=rubric.place)
        return Sheet(name=name, description=description, items=(item,), place=rubric.place)

    def stripes(self, overall: Sequence[Element], whole: float) -> tuple[Stripe, ...]:
        """Bands from the lower ends of the overall levels, as shares of the ``whole``."""
        found: list[Stripe] = []
        for level in overall:
            self._note_feedback(level)
            start = self._points(level, *_STARTS)
            if start is None:
                self._report.note(
                    "band", "An overall level without a range is not carried over.", level.place
                )
                continue
            share = start / whole if whole > 0 else 0.0
            if not 0 <= share <= 1:
                what = (
                    "The range of an overall level that begins outside the points there are is cut to them."
                )
                self._report.note("band", what, level.place)
            found.append(Stripe(_name(level), min(max(share, 0.0), 1.0), _words(level, "description")))
        return tuple(found)


def _whole(rubric: Element, total: float) -> float:
    """What a range is a part of: 100 where the rubric counts percentages, else all points."""
    method = rubric.value("scoring_method", "scoring").casefold()
    truth = rubric.value("uses_percentages", "is_percentage").casefold() in ("true", "1", "yes")
    return 100.0 if truth or "percent" in method else total


def _name(level: Element) -> str:
    return one_line(level.value("name"), html=True)


def _id(element: Element) -> str:
    own = element.attributes.get("id") or element.attributes.get("criterion_id") or ""
    return f"brightspace {own.strip()}" if own.strip() else ""


def _words(element: Element, name: str) -> str:
    """The text of a child such as ``description``, which holds it itself or in a ``text`` of its own."""
    child = element.child(name)
    if child is None:
        return plain(element.attributes.get(name), html=True)
    inner = child.child("text")
    return plain((inner or child).text, html=True)


FORMAT = Format("brightspace", "Brightspace (D2L) rubric XML", _recognises, _read)
