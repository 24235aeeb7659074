"""Evaluations that were made elsewhere: answers in CSV or JSON, and Inspect logs, read against a version.

Nothing is scored here: what comes out is answers, each with its place in the file, for the engine to check and the
core to score. Everything wrong with a file is found, not only the first of it.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Sequence
from pathlib import PurePath

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, VersionSnapshot
from rubrictui.ground.findings import Findings
from rubrictui.interchange import scores_in_rows as rows_in
from rubrictui.interchange.inspect_logs import InspectLog, read_eval, read_log
from rubrictui.interchange.scores_in_answers import AnswerReader, Row
from rubrictui.interchange.scores_in_inspect import inspect_entries
from rubrictui.interchange.scores_in_values import (
    MAX_EVALUATIONS,
    Place,
    ScoreEntry,
    ScoreOptions,
    ScoresRead,
)

__all__ = ["Place", "ScoreEntry", "ScoreOptions", "ScoresRead", "mapping_of", "read_scores"]


def read_scores(
    data: bytes, name: str, version: VersionSnapshot, options: ScoreOptions | None = None
) -> ScoresRead:
    """Read a file: CSV, a JSON list, JSON Lines, or a log of Inspect (``.json`` or ``.eval``), whichever it is.

    Args:
        name: of the file, for messages.

    Raises:
        InvalidInputError: an option names no criterion, or the file as a whole cannot be read.
    """
    given = options or ScoreOptions()
    findings = Findings(name)
    reader = AnswerReader(version, findings, given)
    if data.startswith(b"PK\x03\x04"):
        return _inspect(data, name, read_eval(data, name), reader, given)
    text = _text(data, name, given.encoding)
    kind = _kind(text)
    if kind == "document":
        value = _document(text, name)
        if isinstance(value, dict) and isinstance(value.get("eval"), dict):
            return _inspect(data, name, read_log(value, name), reader, given)
    if kind == "table":
        found = rows_in.table_rows(text, name, reader)
    elif kind == "lines":
        found = rows_in.line_rows(text, reader)
    else:
        found = rows_in.document_rows(text, name, reader)
    entries = _entries(found.rows, reader, findings, given)
    if not entries and not findings.all:
        raise InvalidInputError(
            f"{name} holds no answers.", remedy="Give it at least one row with an answer."
        )
    return ScoresRead(
        file=PurePath(name).name,
        shown=name,
        sha256=hashlib.sha256(data).hexdigest(),
        entries=entries,
        findings=tuple(findings.all),
        notes=tuple(found.notes),
    )


def _inspect(
    data: bytes, name: str, log: InspectLog, reader: AnswerReader, options: ScoreOptions
) -> ScoresRead:
    entries, notes = inspect_entries(log, reader, options)
    return ScoresRead(
        file=PurePath(name).name,
        shown=name,
        sha256=hashlib.sha256(data).hexdigest(),
        entries=entries,
        findings=tuple(reader.findings.all),
        notes=notes,
    )


def _text(data: bytes, name: str, encoding: str | None) -> str:
    from rubrictui.interchange.importers._source import ImportOptions, Source, UnreadableError

    try:
        text = Source(data, name=name, options=ImportOptions(encoding=encoding)).text
    except UnreadableError as error:
        line, column = error.place.line, error.place.column
        raise InvalidInputError(f"{name}:{line}:{column}: {error.message}") from None
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError(f"{name} is empty.", remedy="Give it answers.")
    return text.replace("\r\n", "\n")


def _kind(text: str) -> str:
    """``table`` (CSV), ``lines`` (JSON Lines) or ``document`` (one JSON value)."""
    first = text.lstrip()
    if first[:1] == "[":
        return "document"
    if first[:1] != "{":
        return "table"
    line = first.split("\n", 1)[0]
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        # A first line that is half a value begins a document; unless others are whole, and it is a broken line.
        rest = [one for one in first.split("\n")[1:4] if one.strip()]
        whole = line.rstrip().endswith("}") and bool(rest) and all(one.startswith("{") for one in rest)
        return "lines" if whole else "document"
    return "document" if isinstance(value, dict) and isinstance(value.get("eval"), dict) else "lines"


def _document(text: str, name: str) -> object:
    """One JSON value, as a program that writes NaN writes it."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        what = error.msg[:1].lower() + error.msg[1:]
        raise InvalidInputError(
            f"{name}:{error.lineno}:{error.colno}: this is not JSON: {what}.", remedy="Correct it there."
        ) from None
    except RecursionError:
        raise InvalidInputError(f"{name} is nested too deep.", remedy="Flatten it.") from None
    except ValueError:
        raise InvalidInputError(
            f"{name}: a number has too many digits.", remedy="Write it as text."
        ) from None


def _entries(
    rows: Sequence[Row], reader: AnswerReader, findings: Findings, options: ScoreOptions
) -> tuple[ScoreEntry, ...]:
    """The rows of each subject as one evaluation; a criterion answered twice is an error."""
    answers: dict[str, dict[str, Answer]] = {}
    places: dict[str, dict[str, Place]] = {}
    first: dict[str, Place] = {}
    for row in rows:
        reference = _reference(row.subject, row.entity, options.entity)
        met = first.get(reference)
        if met is not None and row.is_whole:
            findings.add(
                "duplicate_row", f'the subject "{_short(reference)}" stands in row {met[0]} already.', row.at
            )
            continue
        if met is None and len(first) >= MAX_EVALUATIONS:
            findings.add(
                "too_many", f"there are more than {MAX_EVALUATIONS:,} evaluations. Split the file.", row.at
            )
            break
        first.setdefault(reference, row.at)
        said, where = answers.setdefault(reference, {}), places.setdefault(reference, {})
        for key, parts in row.answers.items():
            at = next(iter(parts.values())).at
            node = reader.nodes[key]
            if node.id in where:
                findings.add(
                    "duplicate_row",
                    f'"{key}" of "{_short(reference)}" is answered in row {where[node.id][0]} already.',
                    at,
                )
                continue
            answer = reader.read(key, parts)
            where[node.id] = at
            if answer is not None:
                said[node.id] = answer
    return tuple(
        ScoreEntry(
            subject=reference, at=at, answers=tuple(answers[reference].values()), places=places[reference]
        )
        for reference, at in first.items()
    )


def _reference(subject: str, entity: str | None, fallback: str | None) -> str:
    named = entity or fallback
    return subject if named is None or subject.startswith(f"{named}/") else f"{named}/{subject}"


def mapping_of(words: Sequence[str], what: str) -> dict[str, str]:
    """``["C=Meets,I=Miss", "P=Partial"]`` as a mapping. A part with a comma goes into double quotes.

    Raises:
        InvalidInputError: a part without ``=``, or one name given two meanings.
    """
    found: dict[str, str] = {}
    for word in words:
        for part in next(csv.reader([word], skipinitialspace=True), []):
            name, equals, target = (piece.strip() for piece in part.partition("="))
            if not equals or not name or not target:
                raise InvalidInputError(
                    f'{what} is "{_short(part)}".', remedy=f"Write {what} NAME=MEANING, as in C=Meets."
                )
            if found.get(name, target) != target:
                raise InvalidInputError(f'{what} gives "{_short(name)}" two meanings.', remedy="Keep one.")
            found[name] = target
    return found


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
