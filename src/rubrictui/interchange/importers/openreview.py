"""OpenReview review forms in JSON: every choice is a criterion, free text belongs to the rationale."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rubrictui.interchange.importers._formats import Format
from rubrictui.interchange.importers._json import JsonFile, Path, text_at
from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._sketch import Grade, Item, Sheet, graded
from rubrictui.interchange.importers._source import Source
from rubrictui.interchange.importers._words import number, one_line, plain, shown

_CHOICES = ("value-dropdown", "value-radio")
_FIELDS = (*_CHOICES, "value-regex", "value-checkbox", "value-dropdown-hierarchy")
_NUMBERED = re.compile(r"\s*([-+]?\d+(?:[.,]\d+)?)\s*[:.)–-]\s*(.*)", re.DOTALL)


def _recognises(source: Source) -> bool:
    if source.begins != "{":
        return False
    return any(_choices(field) for _, _, form in _forms(source.json.value) for field in form.values())


def _forms(value: Any) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """The forms of a file: its path, name and fields. The whole is one, or an object of several."""
    if not isinstance(value, dict):
        return
    if any(_is_field(field) for field in value.values()):
        yield (), "", value
        return
    for name, form in value.items():
        if isinstance(form, dict) and any(_is_field(field) for field in form.values()):
            yield (name,), name, form


def _is_field(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    inner = value.get("value")
    return any(field in value for field in _FIELDS) or (isinstance(inner, dict) and "param" in inner)


def _choices(field: Any) -> list[Any]:
    """The choices of a field that takes one of them."""
    if not isinstance(field, dict):
        return []
    for name in _CHOICES:
        if isinstance(field.get(name), list):
            return list(field[name])
    param = _param(field)
    options = param.get("enum")
    is_list = str(param.get("type", "")).endswith("[]")
    return list(options) if isinstance(options, list) and not is_list else []


def _param(field: dict[str, Any]) -> dict[str, Any]:
    value = field.get("value")
    param = value.get("param") if isinstance(value, dict) else None
    return param if isinstance(param, dict) else {}


def _read(source: Source, report: Report) -> list[Sheet]:
    file = source.json
    minimum = source.options.minimum or "zero"
    sheets: list[Sheet] = []
    for path, name, form in _forms(file.value):
        sheet = _sheet(file, path, name or source.options.title, form, report, minimum=minimum)
        if sheet is not None:
            sheets.append(sheet)
    if not sheets and not report.has_errors:
        report.error("no_form", "there is no form with a field that offers choices.")
    return sheets


def _sheet(
    file: JsonFile, path: Path, name: str, form: dict[str, Any], report: Report, *, minimum: str
) -> Sheet | None:
    items: list[Item] = []
    asked: list[str] = []
    text_required = False
    for field, value in sorted(form.items(), key=lambda pair: _order(pair[1])):
        at = file.at(*path, field)
        if not isinstance(value, dict):
            report.note("field", "A part of the form that is no field is not carried over.", at)
            continue
        title, description = _title(field), _description(value)
        if _choices(value):
            item = _item(file, (*path, field), value, report, minimum=minimum)
            if item is not None:
                items.append(item)
        elif _is_text(value):
            report.note(
                "text_field",
                "A field of free text has no place of its own; it is asked for in the instructions, to be written as rationale.",
                at,
            )
            asked.append(f"- {title}: {description}" if description else f"- {title}")
            text_required = text_required or _is_required(value)
        else:
            report.note("field", "A field that is neither one choice nor free text is not carried over.", at)
    if not items:
        report.note("form", "A form without a field that offers choices is not carried over.", file.at(*path))
        return None
    if text_required:
        first = next((i for i, item in enumerate(items) if not item.is_advisory), 0)
        items[first] = _replaced(items[first], rationale_required=True)
    return Sheet(
        name=_title(name) if path else name,
        instructions="\n".join(["Write in the rationale:", "", *asked]) if asked else "",
        items=tuple(items),
        place=file.place(path),
    )


def _replaced(item: Item, **changes: Any) -> Item:
    from msgspec.structs import replace

    return replace(item, **changes)


def _item(file: JsonFile, path: Path, field: Any, report: Report, *, minimum: str) -> Item | None:
    title, description = _title(str(path[-1])), _description(field)
    grades = [_grade(choice) for choice in _choices(field)]
    if any(grade is None for grade in grades):
        report.error(
            "choice", "a choice is neither a text nor a number nor an object with a value.", file.at(*path)
        )
        return None
    known = [grade for grade in grades if grade is not None]
    if not all(grade.points is not None for grade in known):
        what = "Choices without numbers are spread evenly, the first being the best; check their order."
        report.note("choice_order", what, file.at(*path))
        known = [Grade(grade.label, None, grade.text) for grade in reversed(known)]
    elif len(known) > 1 and minimum == "zero":
        report.note(
            "minimum",
            "The lowest choice counts 0; --minimum keep counts it as a part of the highest.",
            file.at(*path),
        )
    is_confidence = "confidence" in title.casefold()
    if is_confidence:
        what = "How sure a reviewer is does not count: it is advisory. Answers also have a confidence of their own."
        report.note("confidence", what, file.at(*path))
    return Item(
        name=title,
        text=description,
        key=str(path[-1]),
        is_advisory=is_confidence,
        choices=graded(known, minimum=minimum),
    )


def _grade(choice: Any) -> Grade | None:
    """A choice as a level: its number is the label and the rest the anchor; one without is a label alone."""
    value, text = (
        (choice.get("value"), choice.get("description")) if isinstance(choice, dict) else (choice, None)
    )
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    words = plain(text if isinstance(text, str) else str(value))
    match = _NUMBERED.fullmatch(words)
    points = number(str(value)) if not isinstance(value, str) or text is not None else None
    if match is not None and points is None:
        points = number(match.group(1))
    if points is None:
        bare = number(words)
        return Grade(one_line(str(value)), bare, "" if words == str(value) else words)
    same = match is not None and number(match.group(1)) == points
    rest = match.group(2).strip() if match is not None and same else words
    return Grade(shown(points), points, "" if rest == shown(points) else rest)


def _is_text(field: dict[str, Any]) -> bool:
    if "value-regex" in field:
        return True
    param = _param(field)
    return str(param.get("type", "")) == "string" and "enum" not in param and "items" not in param


def _is_required(field: dict[str, Any]) -> bool:
    if "value-regex" in field:
        return field.get("required") is True
    return _param(field).get("optional") is not True


def _order(field: Any) -> float:
    order = field.get("order") if isinstance(field, dict) else None
    return float(order) if isinstance(order, int | float) and abs(order) < 1e9 else 1e9


def _description(field: dict[str, Any]) -> str:
    return plain(text_at(field.get("description")))


def _title(field: str) -> str:
    words = one_line(field.replace("_", " "))
    return words[:1].upper() + words[1:]


FORMAT = Format("openreview", "OpenReview review form", _recognises, _read)
