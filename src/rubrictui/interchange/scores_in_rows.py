"""Rows of answers in a table or in JSON: a subject with a column for each criterion, or a row for each answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.loading import json_value
from rubrictui.ground.findings import Findings
from rubrictui.interchange.csv_in import csv_rows
from rubrictui.interchange.scores_in_answers import (
    PART_OF,
    AnswerReader,
    Cell,
    Row,
    is_blank,
    listed,
    words_of,
)
from rubrictui.interchange.scores_in_values import Place

SUBJECTS: Final = ("subject", "record", "record_id", "item", "subject_id", "id")
ENTITIES: Final = ("entity", "subject_entity")
CRITERIA: Final = ("criterion", "criterion_key", "key")


class Rows(NamedTuple):
    """The rows that could be read, and a line about what was left out."""

    rows: list[Row]
    notes: list[str]


class _Fields(NamedTuple):
    """What the names of a table's columns, or of an object's keys, are for."""

    subject: str | None
    entity: str | None
    criterion: str | None
    answers: dict[str, tuple[str, str]]  # name -> (criterion key or "", part)
    unknown: tuple[str, ...]


def table_rows(text: str, name: str, reader: AnswerReader) -> Rows:
    """Rows of CSV; the header is row 1."""
    findings = reader.findings
    numbered = csv_rows(text, Path(name), None)
    filled = [(number, cells) for number, cells in numbered if any(map(str.strip, cells))]
    top, header = filled[0][0], [cell.strip() for cell in filled[0][1]]
    for column, cell in enumerate(header, 1):
        if not cell and any(len(cells) >= column and cells[column - 1].strip() for _, cells in filled[1:]):
            findings.add("header", f"column {column} has no name.", (top, column))
        elif cell and cell in header[: column - 1]:
            findings.add("header", f'the column "{cell[:60]}" stands twice.', (top, column))
    fields = _fields([cell for cell in header if cell], reader)
    at = {cell: (top, column) for column, cell in enumerate(header, 1)}
    if fields.subject is None:
        findings.add("header", f"no column names the subject. Call one {SUBJECTS[0]}.", (top, 1))
        return Rows([], [])
    for unknown in fields.unknown:
        reader.unknown(unknown, at[unknown], "the column")
    if not fields.answers:
        if not fields.unknown:
            keys = listed(reader.nodes)
            findings.add("header", f"no column answers a criterion. The criteria are {keys}.", (top, 1))
        return Rows([], [])

    def values() -> Iterator[Row | None]:
        for number, cells in filled[1:]:
            if len(cells) > len(header):
                findings.add(
                    "ragged",
                    f"there are {len(cells)} cells under {len(header)} columns. Quote cells that hold the delimiter.",
                    (number, len(header) + 1),
                )
                continue
            named = {
                title: Cell(cell, (number, column), title)
                for column, (title, cell) in enumerate(zip(header, cells, strict=False), 1)
            }
            yield _row(named, fields, (number, 1), reader)

    return _read(values())


def line_rows(text: str, reader: AnswerReader) -> Rows:
    """Rows of JSON Lines; a row's column is always 1, and the key says the rest."""

    def values() -> Iterator[tuple[Place, Any]]:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    yield (number, 1), json_value(line)
                except InvalidInputError as error:
                    reader.findings.add("json", str(error), (number, 1))

    return _objects(values(), reader)


def document_rows(text: str, name: str, reader: AnswerReader) -> Rows:
    """Rows of one JSON list, counted from 1; or one object.

    Raises:
        InvalidInputError: it is not JSON.
    """
    value = json_value(text, name)
    rows = value if isinstance(value, list) else [value]
    return _objects((((number, 1), row) for number, row in enumerate(rows, 1)), reader)


def _objects(values: Iterable[tuple[Place, Any]], reader: AnswerReader) -> Rows:
    return _read(_object(value, at, reader) for at, value in values)


def _object(value: Any, at: Place, reader: AnswerReader) -> Row | None:
    if not isinstance(value, dict):
        reader.findings.add("wrong_type", "a row must be an object with a subject and answers.", at)
        return None
    flat = _flat(value, at, reader.findings)
    if flat is None:
        return None
    cells = {name: Cell(one, at, name) for name, one in flat.items()}
    fields = _fields(list(cells), reader)
    for unknown in fields.unknown:
        reader.unknown(unknown, at, "the key")
    return _row(cells, fields, at, reader)


def _flat(row: dict[str, Any], at: Place, findings: Findings) -> dict[str, Any] | None:
    """The row with the answers that stand below ``answers`` beside its other keys, and theirs as ``key.part``."""
    flat = {name: value for name, value in row.items() if name != "answers"}
    given = row.get("answers")
    if isinstance(given, list):
        by_key: dict[str, Any] = {}
        for index, one in enumerate(given):
            name = one.get("criterion") if isinstance(one, dict) else None
            if not isinstance(name, str) or name in by_key or name in flat:
                what = "is answered twice" if isinstance(name, str) else "names no criterion"
                findings.add("wrong_type", f"answers[{index}] {what}.", at)
                return None
            by_key[name] = {field: value for field, value in one.items() if field != "criterion"}
        given = by_key
    if given is not None and not isinstance(given, dict):
        findings.add("wrong_type", "answers is neither an object nor a list.", at)
        return None
    for name, value in (given or {}).items():
        if name in flat:
            findings.add("duplicate_row", f'"{name[:60]}" is answered twice.', at)
            return None
        flat[name] = value
    found: dict[str, Any] = {}
    for name, value in flat.items():
        if isinstance(value, dict) and name not in ("evidence", "quote"):
            found |= {f"{name}.{part}": one for part, one in value.items()}
        else:
            found[name] = value
    return found


def _fields(names: list[str], reader: AnswerReader) -> _Fields:
    def first(wanted: tuple[str, ...]) -> str | None:
        free = {name.casefold(): name for name in names if reader.key_of(name) is None}
        return next((free[one] for one in wanted if one in free), None)

    subject, entity, criterion = first(SUBJECTS), first(ENTITIES), first(CRITERIA)
    answers: dict[str, tuple[str, str]] = {}
    unknown: list[str] = []
    for name in names:
        if name in (subject, entity, criterion) or reader.is_ignored(name):
            continue
        key = reader.key_of(name)
        stem, _, part = name.rpartition(".")
        if key is not None:
            answers[name] = (key, "answer")
        elif criterion is not None and name.casefold() in PART_OF:
            answers[name] = ("", PART_OF[name.casefold()])
        elif part.casefold() in PART_OF and (known := reader.key_of(stem)) is not None:
            answers[name] = (known, PART_OF[part.casefold()])
        else:
            unknown.append(name)
    return _Fields(subject, entity, criterion, answers, tuple(unknown))


def _row(cells: Mapping[str, Cell], fields: _Fields, at: Place, reader: AnswerReader) -> Row | None:
    """What a row says, which may be no answer at all; None, and a finding, where that cannot be known."""
    subject = cells.get(fields.subject or "")
    if subject is None or is_blank(subject.value) or not isinstance(subject.value, str | int):
        reader.findings.add("subject_missing", "no subject is named.", subject.at if subject else at)
        return None
    entity = cells.get(fields.entity) if fields.entity else None
    key = None
    if fields.criterion is not None:
        cell = cells.get(fields.criterion)
        written = words_of(cell.value) if cell is not None and not is_blank(cell.value) else ""
        key = reader.key_of(written)
        if key is None:
            reader.unknown(written, cell.at if cell else at, "the criterion")
            return None
    answers: dict[str, dict[str, Cell]] = {}
    for name, (own, part) in fields.answers.items():
        cell = cells.get(name)
        if cell is None or is_blank(cell.value):
            continue
        parts = answers.setdefault(own or key or "", {})
        if part in parts:
            reader.findings.add(
                "conflict", f'"{parts[part].name}" and "{name}" both give the {part}.', cell.at
            )
        parts[part] = cell
    return Row(
        subject=words_of(subject.value),
        entity=words_of(entity.value) if entity and not is_blank(entity.value) else None,
        at=subject.at,
        answers=answers,
        is_whole=key is None,
    )


def _read(rows: Iterable[Row | None]) -> Rows:
    found: list[Row] = []
    silent: list[int] = []
    for row in rows:
        if row is not None and row.answers:
            found.append(row)
        elif row is not None:
            silent.append(row.at[0])
    return Rows(found, _notes(silent))


def _notes(silent: Sequence[int]) -> list[str]:
    if not silent:
        return []
    shown = ", ".join(map(str, silent[:5])) + (", ..." if len(silent) > 5 else "")
    many = "" if len(silent) == 1 else "s"
    return [f"{len(silent)} row{many} without an answer left out (row{many} {shown})."]
