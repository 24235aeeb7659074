"""Moodle advanced grading, ``grading.xml`` of a backup: rubrics and marking guides."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rubrictui.interchange.importers._formats import Format
from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._sketch import Grade, Item, Sheet, Span, graded, weight_of
from rubrictui.interchange.importers._source import Source
from rubrictui.interchange.importers._words import cut, number, one_line, plain, shown
from rubrictui.interchange.importers._xml import Element, read_xml, root_name

# What a backup writes for a field without a value.
_NULL = "$@NULL@$"
_CRITERIA = ("criteria", "guidecriteria")
_CRITERION = ("criterion", "guidecriterion")
_GUIDE = "plugin_gradingform_guide_definition"


def _recognises(source: Source) -> bool:
    root = root_name(source.text)
    return root in ("areas", "area", "definitions", "definition") and "plugin_gradingform_" in source.text


def _read(source: Source, report: Report) -> list[Sheet]:
    root = read_xml(source)
    sheets: list[Sheet] = []
    definitions = [root] if root.name == "definition" else list(root.below("definition"))
    if not definitions:
        report.error(
            "no_definition", "there is no definition in it. Export the advanced grading of an activity."
        )
    for area in root.below("area"):
        method = area.value("activemethod")
        for definition in area.below("definition"):
            own = definition.value("method")
            if own and method not in ("", _NULL, own):
                report.note(
                    "inactive",
                    f"The activity grades by {one_line(method)[:40]}; its {one_line(own)[:40]} is imported all the same.",
                    definition.place,
                )
    for definition in definitions:
        sheet = _sheet(definition, source.options.minimum, report)
        if sheet is not None:
            sheets.append(sheet)
    return sheets


def _sheet(definition: Element, minimum: str | None, report: Report) -> Sheet | None:
    holder = next(definition.below(*_CRITERIA), None)
    is_guide = definition.value("method") == "guide" or next(definition.below(_GUIDE), None) is not None
    criteria = [] if holder is None else [child for child in holder.children if child.name in _CRITERION]
    if not criteria:
        report.error("no_criteria", "the definition has no criteria.", definition.place)
        return None
    criteria.sort(key=lambda criterion: number(_text(criterion, "sortorder")) or 0)
    if is_guide:
        items = [_guide_item(criterion, report) for criterion in criteria]
        _note_comments(definition, report)
    else:
        floor, why = _minimum(definition, minimum)
        items = [_rubric_item(criterion, floor, report) for criterion in criteria]
        _note_minimum(items, floor, why, definition, report)
    whole = [item for item in items if item is not None]
    return Sheet(
        name=one_line(_text(definition, "name"), html=True),
        description=plain(_text(definition, "description"), html=True),
        items=tuple(whole),
        total=sum(item.weight for item in whole if not item.is_advisory),
        place=definition.place,
    )


def _text(element: Element, name: str) -> str:
    value = element.value(name)
    return "" if value == _NULL else value


def _rubric_item(criterion: Element, floor: str, report: Report) -> Item | None:
    grades: list[Grade] = []
    for level in criterion.below("level"):
        score = _text(level, "score")
        points = number(score)
        if points is None:
            what = f'the score "{one_line(score)[:40]}" is no number.' if score else "the level has no score."
            report.error("points", f"{what} Write points such as 2.", level.place)
            continue
        if points < 0 and floor == "keep":
            report.note("negative_points", "A level below 0 points counts 0.", level.place)
        grades.append(Grade(shown(points), points, plain(_text(level, "definition"), html=True)))
    if not grades:
        if next(criterion.below("level"), None) is None:
            report.error("no_levels", "the criterion has no levels. Give it at least one.", criterion.place)
        return None
    choices = graded(grades, minimum=floor)
    weight = weight_of(choices, minimum=floor)
    if weight == 0:
        report.note(
            "no_points",
            "A criterion whose levels do not differ in points is advisory: it is answered and does not count.",
            criterion.place,
        )
    text = plain(_text(criterion, "description"), html=True)
    name = one_line(text)
    short = cut(name, 120)
    return Item(
        name=short,
        text=text if short != name or "\n" in text else "",
        source_id=_id(criterion),
        weight=weight,
        is_advisory=weight == 0,
        choices=choices,
        place=criterion.place,
    )


def _guide_item(criterion: Element, report: Report) -> Item | None:
    score = _text(criterion, "maxscore")
    most = number(score)
    if most is None or most < 0:
        what = (
            f'the highest score "{one_line(score)[:40]}" is no number from 0 up.'
            if score
            else "there is no maxscore."
        )
        report.error("points", f"{what} Write points such as 10.", criterion.place)
        return None
    if most == 0:
        report.note(
            "no_points",
            "A criterion of 0 points is advisory: it is answered and does not count.",
            criterion.place,
        )
    return Item(
        name=one_line(_text(criterion, "shortname"), html=True),
        text=plain(_text(criterion, "description"), html=True),
        guidance=plain(_text(criterion, "descriptionmarkers"), html=True),
        source_id=_id(criterion),
        weight=most,
        is_advisory=most == 0,
        span=Span(low=0, high=most or 1),
        place=criterion.place,
    )


def _id(criterion: Element) -> str:
    own = criterion.attributes.get("id", "").strip()
    return f"moodle {own}" if own else ""


def _minimum(definition: Element, asked: str | None) -> tuple[str, str]:
    """How the lowest level counts, and who says so: whoever imports, the file, or Moodle's own default."""
    if asked is not None:
        return asked, "as asked for"
    try:
        options = json.loads(_text(definition, "options") or "null")
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict) or not options:
        return "keep", "the file does not say, and this is how a new rubric of Moodle counts"
    # A rubric from before the option existed counts its minimum as 0.
    locked = str(options.get("lockzeropoints", 0)).strip().casefold() not in ("0", "false", "", "none")
    return ("keep" if locked else "zero"), "as the file's options say"


def _note_minimum(
    items: Sequence[Item | None], floor: str, why: str, definition: Element, report: Report
) -> None:
    lowest = [item.choices[0].value for item in items if item is not None and item.choices]
    if not any(lowest):  # every criterion begins at 0: both ways are one
        return
    if floor == "keep":
        what, other = "counts by its points", "--minimum zero makes it count 0"
    else:
        what, other = "counts 0", "--minimum keep counts its points"
    report.note("minimum", f"The lowest level of a criterion {what} ({why}); {other}.", definition.place)


def _note_comments(definition: Element, report: Report) -> None:
    for comment in definition.below("guidecomment", "comment"):
        report.note(
            "comment",
            "A frequently used comment is not carried over; keep it as a phrase of yours.",
            comment.place,
        )


FORMAT = Format("moodle", "Moodle grading.xml", _recognises, _read)
