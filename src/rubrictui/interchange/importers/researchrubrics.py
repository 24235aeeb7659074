"""ResearchRubrics items in JSON: requirements with weights, some of them penalties."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rubrictui.interchange.importers._formats import Format
from rubrictui.interchange.importers._json import JsonFile, Path, text_at
from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._sketch import Choice, Item, Sheet
from rubrictui.interchange.importers._source import Source
from rubrictui.interchange.importers._words import SHORT, cut, one_line, plain

_LISTS = ("rubric", "rubrics")
_TEXTS = ("requirement", "criterion")
_LABELS = (("Not satisfied", 0.0), ("Partially satisfied", 0.5), ("Satisfied", 1.0))
SATISFIED = tuple(Choice(label=label, value=value, score=value) for label, value in _LABELS)
#: The same verdicts for what should not be there. The values are what the verdicts are in the source.
PENALTY = tuple(Choice(label=label, value=value, score=1 - value) for label, value in reversed(_LABELS))


def _recognises(source: Source) -> bool:
    return source.begins in ("{", "[") and any(True for _ in _items(source.json.value))


def _items(value: Any) -> Iterator[tuple[Path, dict[str, Any], str]]:
    """Every item with a list of weighted requirements: its path, itself, and the field of the list."""
    pairs = (
        [((index,), item) for index, item in enumerate(value)] if isinstance(value, list) else [((), value)]
    )
    for path, item in pairs:
        if not isinstance(item, dict):
            continue
        for field in _LISTS:
            rows = item.get(field)
            if isinstance(rows, list) and any(_is_requirement(row) for row in rows):
                yield path, item, field
                break


def _is_requirement(row: Any) -> bool:
    return isinstance(row, dict) and "weight" in row and any(text in row for text in _TEXTS)


def _read(source: Source, report: Report) -> list[Sheet]:
    file = source.json
    sheets = []
    found = list(_items(file.value))
    for path, item, field in found:
        sheets.append(_sheet(file, path, item, field, report, title=source.options.title))
    if not found:
        report.error("no_rubric", "there is no object with a list rubric of requirements and weights.")
    return sheets


def _sheet(
    file: JsonFile, path: Path, item: dict[str, Any], field: str, report: Report, *, title: str
) -> Sheet:
    for name in item:
        if name not in (field, "prompt", "sample_id", "id"):
            what = f'The field "{one_line(name)[:60]}" is not carried over.'
            report.note("field", what, file.at(*path, name))
    rows = [
        one
        for index, row in enumerate(item[field])
        if (one := _item(file, (*path, field, index), row, report)) is not None
    ]
    prompt = plain(text_at(item.get("prompt")))
    id = one_line(text_at(item.get("sample_id")) or text_at(item.get("id")))
    return Sheet(
        name=cut(one_line(prompt), SHORT) or id or title,
        description="\n\n".join(filter(None, (prompt, f"Sample {id}" if id else ""))),
        items=tuple(rows),
        place=file.place(path),
    )


def _item(file: JsonFile, path: Path, row: Any, report: Report) -> Item | None:
    if not isinstance(row, dict):
        report.error("wrong_type", "a requirement must be an object.", file.at(*path))
        return None
    text = plain(next((t for name in _TEXTS if (t := text_at(row.get(name)))), ""))
    weight = row.get("weight")
    if not text:
        report.error(
            "no_text", "the requirement is missing or empty. Write what must be there.", file.at(*path)
        )
        return None
    if (
        isinstance(weight, bool)
        or not isinstance(weight, int | float)
        or not math.isfinite(weight)
        or abs(weight) > 1e12
    ):
        report.error("weight", "the weight must be a number.", file.at(*path, "weight"))
        return None
    for field in row:
        if field in ("verdict", "verdicts", "score"):
            report.note(
                "verdict",
                "A verdict is an answer, no part of a rubric, and is not carried over.",
                file.at(*path, field),
            )
        elif field not in ("name", "axis", "weight", *_TEXTS):
            report.note(
                "field", f'The field "{one_line(field)[:60]}" is not carried over.', file.at(*path, field)
            )
    if weight < 0:
        report.note(
            "negative_weight",
            "A penalty cannot take points away, because weights are not negative. It is answered with the same "
            "verdicts, and its absence scores: the total differs from the source's.",
            file.at(*path, "weight"),
        )
    name = one_line(text)
    return Item(
        name=cut(name, SHORT),
        text=text if len(name) > SHORT or "\n" in text else "",
        key=one_line(text_at(row.get("name")) or ""),
        guidance=one_line(text_at(row.get("axis"))) or one_line(text_at(row.get("name"))),
        weight=float(abs(weight)),
        choices=PENALTY if weight < 0 else SATISFIED,
    )


FORMAT = Format("researchrubrics", "ResearchRubrics item", _recognises, _read)
