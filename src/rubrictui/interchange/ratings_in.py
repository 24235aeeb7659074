"""Ratings from files: a table in JSON, or one rating a row in CSV, TSV or JSON.

A row names a subject, an evaluator, a criterion and a rating. The rating is the label (or the value) of a level
where the scale of the criterion has levels, else a number; ``N/A`` is counted as not applicable, an empty one
is no rating.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.loading import json_value, unfit
from rubrictui.core.model import Scale, VersionSnapshot, fold_id
from rubrictui.core.ratings import (
    Rater,
    Rating,
    RatingScale,
    RatingsTable,
    check_table,
    rating_scale,
    ratings_table,
)
from rubrictui.core.records import EvaluatorType
from rubrictui.interchange.csv_in import csv_header, csv_rows, decode

#: What the columns may be called, ignoring case.
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "subject": ("subject", "record", "record_id", "item", "unit"),
    "evaluator": ("evaluator", "rater", "reviewer", "judge"),
    "criterion": ("criterion", "criterion_key", "key"),
    "rating": ("rating", "level", "value", "answer", "score"),
    "type": ("type", "evaluator_type"),
}
NEEDED: Final = ("subject", "evaluator", "rating")
NOT_APPLICABLE: Final = ("n/a", "na", "not applicable")

#: The key of the one criterion in a file that names none.
SINGLE: Final = "rating"


class Scales:
    """How the ratings of a file are to be read.

    Args:
        version: a rubric version: its criteria and their scales.
        every: a scale for every criterion, where there is no version.
    """

    def __init__(self, version: VersionSnapshot | None = None, every: RatingScale | None = None) -> None:
        self._scales: dict[str, Scale | None] = {}
        self._every = every
        self.has_version = version is not None
        if version is not None:
            scales = {fold_id(scale.id): scale for scale in version.scales}
            self._scales = {
                node.key: scales.get(fold_id(node.scale_id or ""))
                for node in version.nodes
                if node.is_criterion
            }

    @property
    def order(self) -> tuple[str, ...]:
        """The keys of the version's criteria, in its order."""
        return tuple(self._scales)

    def declared(self, key: str) -> RatingScale | None:
        """The scale of a criterion, None where nothing is declared."""
        scale = self._scales.get(key)
        return rating_scale(scale) if scale is not None else self._every

    def check(self, key: str, where: str) -> None:
        """Refuse a criterion that the version does not have."""
        if self.has_version and key not in self._scales:
            close = difflib.get_close_matches(key, self._scales, n=1)
            raise InvalidInputError(
                f'{where}: the version has no criterion "{key}".',
                remedy=f'Did you mean "{close[0]}"?' if close else "Use the keys of the version.",
            )

    def rating(self, key: str, written: str, where: str) -> Rating:
        """What a rating says: the index of a level, or a number.

        Raises:
            InvalidInputError: no level of the scale, or no number.
        """
        scale = self._scales.get(key)
        declared = self.declared(key)
        if declared is None or not declared.labels:
            return _number(written, where)
        wanted = written.casefold()
        for place, label in enumerate(declared.labels):
            if label.strip().casefold() == wanted:
                return float(place)
        values = _level_values(scale) if scale is not None else {}
        number = _parsed(written)
        if number is not None and number in values:
            return float(values[number])
        raise InvalidInputError(
            f'{where}: "{written[:60]}" is no level of "{key}".',
            remedy=f"Use one of: {', '.join(declared.labels[:12])}.",
        )


def read_ratings(data: bytes, where: str, scales: Scales, *, encoding: str | None = None) -> RatingsTable:
    """The table of ratings that a file holds.

    Args:
        where: its name, for messages.
        encoding: of CSV; UTF-8 when None.

    Raises:
        InvalidInputError: it cannot be read, lacks a column, or holds a rating that its scale does not allow.
    """
    if not is_json(data):
        return _table(_csv(data, where, encoding), scales)
    value = json_value(data, where)
    if isinstance(value, list):
        return _table(_json_rows(value, where), scales)
    return _json_table(value, where, scales)


def is_json(data: bytes) -> bool:
    """Whether bytes begin like JSON; anything else is taken for CSV."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


def is_ratings_json(value: Any) -> bool:
    """Whether a JSON value is a table of ratings or rows of them, and not numbers for one coefficient."""
    if isinstance(value, dict):
        return {"subjects", "evaluators", "criteria"} <= value.keys()
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        names = {str(name).strip().casefold() for name in value[0]}
        return all(names & set(COLUMNS[need]) for need in NEEDED)
    return False


def _json_table(value: Any, where: str, scales: Scales) -> RatingsTable:
    if not is_ratings_json(value):
        raise InvalidInputError(
            f"{where} holds no table of ratings.",
            remedy="Write {subjects, evaluators, criteria: [{key, ratings}]}, or rows of "
            "{subject, evaluator, criterion, rating}.",
        )
    # An evaluator may be given by name alone.
    raters = [{"name": one} if isinstance(one, str) else one for one in value["evaluators"]]
    try:
        table = msgspec.convert({**value, "evaluators": raters}, RatingsTable)
    except msgspec.ValidationError as error:
        raise unfit(error, value, where) from None
    criteria = []
    for row in table.criteria:
        scales.check(row.key, where)
        declared = scales.declared(row.key)
        use = declared is not None and row.scale == RatingScale()
        criteria.append(msgspec.structs.replace(row, scale=declared) if use else row)
    table = msgspec.structs.replace(table, criteria=tuple(criteria))
    check_table(table)
    return table


Row = tuple[str, Mapping[str, str]]


def _csv(data: bytes, where: str, encoding: str | None) -> Iterator[Row]:
    path = Path(where)
    rows = [row for row in csv_rows(decode(data, encoding, path), path, None) if any(map(str.strip, row[1]))]
    if not rows:
        raise InvalidInputError(f"{where} is empty.", remedy="Give a header and a row for each rating.")
    header = csv_header(rows[0][1], path, rows[0][0])
    columns = _columns(header, f"{where}, row {rows[0][0]}")
    for number, cells in rows[1:]:
        place = f"{where}, row {number}"
        if len(cells) > len(header):
            raise InvalidInputError(
                f"{place} has {len(cells)} cells under {len(header)} columns.",
                remedy="Quote cells that hold the delimiter.",
            )
        yield (
            place,
            {
                what: cells[header.index(name)].strip()
                for what, name in columns.items()
                if header.index(name) < len(cells)
            },
        )


def _json_rows(value: Sequence[Any], where: str) -> Iterator[Row]:
    for number, row in enumerate(value):
        place = f"{where}[{number}]"
        if not isinstance(row, dict):
            raise InvalidInputError(
                f"{place} is no object.", remedy="Write {subject, evaluator, criterion, rating}."
            )
        columns = _columns(list(row), place)
        yield place, {what: _written(row[name], f"{place}.{name}") for what, name in columns.items()}


def _written(value: Any, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInputError(f"{where} is neither text nor a number.", remedy="Write one of the two.")
    return value.strip() if isinstance(value, str) else json.dumps(value)


def _columns(header: Sequence[str], where: str) -> dict[str, str]:
    """The header's name for each thing a row tells."""
    found: dict[str, str] = {}
    for what, names in COLUMNS.items():
        for name in names:
            match = next((cell for cell in header if cell.strip().casefold() == name), None)
            if match is not None and match not in found.values():
                found[what] = match
                break
    missing = [what for what in NEEDED if what not in found]
    if missing:
        raise InvalidInputError(
            f"{where}: there is no column {' and none '.join(missing)}.",
            remedy="Name the columns subject, evaluator, criterion and rating.",
        )
    return found


def _table(rows: Iterable[Row], scales: Scales) -> RatingsTable:
    found: list[tuple[str, Rater, str, Rating]] = []
    for where, row in rows:
        subject, name = row.get("subject", ""), row.get("evaluator", "")
        if not subject or not name:
            raise InvalidInputError(
                f"{where} names no {'evaluator' if subject else 'subject'}.", remedy="Fill the cell."
            )
        key = row.get("criterion") or SINGLE
        scales.check(key, where)
        written = row.get("rating", "")
        if not written:
            continue
        labels = {label.casefold() for label in (scales.declared(key) or RatingScale()).labels}
        skipped = written.casefold() in NOT_APPLICABLE and written.casefold() not in labels
        rating = None if skipped else scales.rating(key, written, where)
        found.append((subject, Rater(name=name, type=_type(row.get("type", ""), where)), key, rating))
    keys = dict.fromkeys(key for _, _, key, _ in found)
    declared = {key: scale for key in keys if (scale := scales.declared(key)) is not None}
    return ratings_table(found, declared, order=scales.order)


def _type(written: str, where: str) -> EvaluatorType:
    if not written:
        return EvaluatorType.HUMAN
    known = {one.value.casefold(): one for one in EvaluatorType}
    found = known.get(written.replace(" ", "").casefold())
    if found is None:
        raise InvalidInputError(
            f'{where}: "{written[:40]}" is no type of evaluator.',
            remedy=f"Use one of: {', '.join(one.value for one in EvaluatorType)}.",
        )
    return found


def _level_values(scale: Scale) -> dict[float, int]:
    """The ratings of levels by their value, where the value is one level's alone."""
    levels = sorted(scale.levels, key=lambda level: (level.normalized_value, level.sequence))
    values = [level.value for level in levels]
    return {
        value: place for place, value in enumerate(values) if value is not None and values.count(value) == 1
    }


def _number(written: str, where: str) -> float:
    number = _parsed(written)
    if number is None:
        raise InvalidInputError(
            f'{where}: "{written[:60]}" is no number.',
            remedy="Declare the levels with --version or --levels, or write numbers.",
        )
    return number


def _parsed(written: str) -> float | None:
    try:
        number = float(written)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in written else None
