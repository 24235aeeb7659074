"""Prometheus and BiGGen score rubrics in JSON: a criterion and what each score means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rubrictui.interchange.importers._formats import Format
from rubrictui.interchange.importers._json import JsonFile, Path, text_at
from rubrictui.interchange.importers._report import Report
from rubrictui.interchange.importers._sketch import Grade, Item, Sheet, graded
from rubrictui.interchange.importers._source import Source
from rubrictui.interchange.importers._words import SHORT, cut, one_line, plain

_SCORE = re.compile(r"(?:orig_)?score(\d{1,3})_description")
_CRITERIA = ("criteria", "orig_criteria", "criterion")
_NAMES = ("name", "title", "id", "idx")


def _recognises(source: Source) -> bool:
    return source.begins in ("{", "[") and any(True for _ in _rubrics(source.json.value))


def _is_rubric(value: Any) -> bool:
    return isinstance(value, dict) and any(_SCORE.fullmatch(field) for field in value)


def _rubrics(value: Any) -> Iterator[tuple[Path, dict[str, Any], str]]:
    """Every score rubric: its path, itself, and the name that stands outside of it.

    It is the whole, an item of a list or object, or the ``score_rubric`` of such an item.
    """
    pairs: list[tuple[Path, Any, str]] = [((), value, "")]
    if isinstance(value, list):
        pairs = [((index,), item, "") for index, item in enumerate(value)]
    elif isinstance(value, dict) and not _is_rubric(value) and "score_rubric" not in value:
        pairs = [((key,), item, key) for key, item in value.items()]
    for path, item, name in pairs:
        if _is_rubric(item):
            yield path, item, name
        elif isinstance(item, dict) and _is_rubric(item.get("score_rubric")):
            yield (*path, "score_rubric"), item["score_rubric"], name or _first(item, _NAMES)


def _read(source: Source, report: Report) -> list[Sheet]:
    file = source.json
    minimum = source.options.minimum or "zero"
    if isinstance(file.value, list | dict):
        _note_rest(file, report)
    alone: list[Item] = []
    sheets: list[Sheet] = []
    known: dict[tuple[str, tuple[object, ...]], str] = {}
    for path, value, name in _rubrics(file.value):
        item = _item(file, path, value, report, name=name, minimum=minimum)
        if item is None:
            continue
        content = (item.text or item.name, item.choices)
        if content in known:
            report.note("same", "A score rubric that stands there already is imported once.", file.at(*path))
            continue
        known[content] = item.name
        if path and path[-1] == "score_rubric":
            sheets.append(Sheet(name=name or item.name, items=(item,)))
        else:
            alone.append(item)
    if alone:
        title = alone[0].name if len(alone) == 1 else source.options.title
        sheets.insert(0, Sheet(name=title, items=tuple(alone)))
    if not known:
        what = "there is no object with criteria and score1_description to score5_description."
        report.error("no_rubric", what)
    elif minimum == "zero":
        report.note(
            "minimum", "The lowest score counts 0; --minimum keep counts it as a part of the highest."
        )
    return sheets


def _item(
    file: JsonFile, path: Path, value: dict[str, Any], report: Report, *, name: str, minimum: str
) -> Item | None:
    question = plain(_first(value, _CRITERIA))
    if not question:
        report.error("no_text", "criteria is missing or empty. Write the question.", file.at(*path))
        return None
    grades: list[Grade] = []
    for field, text in value.items():
        match = _SCORE.fullmatch(field)
        if match is None:
            if field not in (*_CRITERIA, *_NAMES):
                report.note(
                    "field", f'The field "{one_line(field)[:60]}" is not carried over.', file.at(*path, field)
                )
            continue
        if not isinstance(text, str) or not text.strip():
            report.error(
                "no_text", "the score has no description. Write what it means.", file.at(*path, field)
            )
            continue
        score = int(match.group(1))
        grades.append(Grade(str(score), float(score), plain(text)))
    if len({grade.points for grade in grades}) < len(grades):
        report.error("score", "a score is described twice. Keep one of the two.", file.at(*path))
        return None
    own = one_line(_first(value, _NAMES))
    short = own or cut(one_line(question), SHORT)
    return Item(
        name=short,
        key=own or name or "",
        text="" if question == short else question,
        choices=graded(grades, minimum=minimum),
    )


def _note_rest(file: JsonFile, report: Report) -> None:
    """What stands beside a score rubric: the task, the response and its score belong to an evaluation."""
    for path, _, _ in list(_rubrics(file.value)):
        if not path or path[-1] != "score_rubric":
            continue
        holder: Any = file.value
        for step in path[:-1]:
            holder = holder[step]
        fields = [one_line(field)[:40] for field in holder if field not in ("score_rubric", *_NAMES)]
        if fields:
            more = f" and {len(fields) - 12} more" if len(fields) > 12 else ""
            what = f"What stands beside a score rubric is not carried over: {', '.join(fields[:12])}{more}."
            report.note("fields", what, file.at(*path[:-1]))


def _first(value: dict[str, Any], fields: tuple[str, ...]) -> str:
    return next((text for field in fields if (text := text_at(value.get(field)).strip())), "")


FORMAT = Format("prometheus", "Prometheus or BiGGen score rubric", _recognises, _read)
