"""A comparison matrix or a ranking as CSV, Markdown, or one HTML page that needs nothing else.

CSV holds scores as they are stored, 0..1, for programs; Markdown and HTML show them on the version's display range,
for people. Names and answers are text of others: cells of CSV are guarded against formulas, Markdown is
escaped, HTML passes a template that escapes everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from rubrictui.core.display import visible
from rubrictui.core.matrix import Matrix, MatrixCell, MatrixRow, columns_in_view, hidden_words, rows_in_view
from rubrictui.core.ranking import Ranking
from rubrictui.interchange.csv_out import Cell, write_csv
from rubrictui.interchange.markup import markdown_line

if TYPE_CHECKING:
    from jinja2 import Template

FLIPS: Final = "verdicts differ"
_FIGURES: Final[tuple[tuple[str, Callable[[MatrixRow], float | None]], ...]] = (
    ("all", lambda row: row.mean),
    ("people", lambda row: row.human_mean),
    ("AI", lambda row: row.ai_mean),
    ("self", lambda row: row.self_score),
)


class Format(StrEnum):
    """What a matrix is written as; the value is the ending of its file."""

    CSV = "csv"
    MARKDOWN = "md"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Options:
    """What of a matrix is written: superseded columns too; rows by spread; the threshold that marks rows (0..1),
    None for the matrix's own; the heading of the first column; a sentence or two on how it was made."""

    with_superseded: bool = False
    by_spread: bool = False
    threshold: float | None = None
    what: str = "Criterion"
    method: str = ""


def matrix_text(matrix: Matrix, form: Format, options: Options | None = None) -> str:
    """The matrix in one of the formats."""
    chosen = options or Options()
    if form is Format.CSV:
        return matrix_csv(matrix, chosen)
    return matrix_markdown(matrix, chosen) if form is Format.MARKDOWN else matrix_html(matrix, chosen)


def matrix_csv(matrix: Matrix, options: Options | None = None) -> str:
    """One line a row; for each evaluator a column with the answer and one with the score, and where a score of
    record stands beside the overall one (``core/score_of_record.py``) a third with that."""
    options = options or Options()
    columns, rows, threshold = _parts(matrix, options)
    recorded = {
        place
        for row in matrix.rows
        for place in columns
        if (cell := row.cells[place]) is not None and cell.record is not None
    }
    header = ["key", options.what.lower(), "in", "kind", "mean", "human mean", "AI mean", "self", "scores"]
    header += ["spread", "verdicts differ", "disagrees"]
    for place in columns:
        name = matrix.columns[place].heading
        header += [f"{name} answer", f"{name} score"]
        header += [f"{name} score of record"] if place in recorded else []

    def line(row: MatrixRow) -> list[Cell]:
        kind = (
            "overall" if row.is_overall else "group" if row.is_group else _flags(row) or options.what.lower()
        )
        cells: list[Cell] = [row.key, row.name, " / ".join(row.groups), kind]
        cells += [row.mean, row.human_mean, row.ai_mean, row.self_score, row.count]
        cells += [row.spread, row.flips, row.disagrees(threshold)]
        for place in columns:
            cell = row.cells[place]
            cells += ["", None] if cell is None else [cell.answer, cell.score]
            if place in recorded:
                record = cell.record if cell is not None else None
                cells.append(record.normalized_score if record is not None else None)
        return cells

    return write_csv(header, (line(row) for row in rows))


def matrix_markdown(matrix: Matrix, options: Options | None = None) -> str:
    """A heading, a line about it, a table; rows that disagree are marked in words."""
    options = options or Options()
    columns, rows, threshold = _parts(matrix, options)
    names = [options.what, *(name for name, _ in _FIGURES), "spread", ""]
    names += [matrix.columns[place].heading for place in columns]
    lines = [f"# {markdown_line(matrix.title)}", "", markdown_line(matrix.about), ""]
    lines.append(
        f"Scores of {_range(matrix)}; a disagreement from a spread of {_spread(matrix, threshold)} points."
    )
    if matrix.hidden:
        lines += ["", hidden_words(matrix.hidden)]
    lines += [
        "",
        _table_line(names),
        "|---" + "|--:" * (len(_FIGURES) + 1) + "|---" * (len(columns) + 1) + "|",
    ]
    for row in rows:
        cells = ["&nbsp;" * 4 * len(row.groups) + _name(row)]
        cells += [matrix.display.score(of(row), 2) for _, of in _FIGURES]
        cells += [matrix.display.spread(row.spread, 2), _mark(row, threshold)]
        cells += [markdown_line(_shown(matrix, row.cells[place])) for place in columns]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [line for note in record_notes(matrix, columns) for line in ("", markdown_line(note))]
    if options.method:
        lines += ["", options.method]
    return "\n".join(lines) + "\n"


def record_notes(matrix: Matrix, columns: Iterable[int]) -> list[str]:
    """A sentence for each score of record that stands beside an evaluator's overall score."""
    return [
        f"{matrix.columns[place].heading}: score of record, by the {cell.record.kind}'s own rules: {cell.record.words}."
        for row in matrix.rows
        if row.is_overall
        for place in columns
        if (cell := row.cells[place]) is not None and cell.record is not None
    ]


def matrix_html(matrix: Matrix, options: Options | None = None) -> str:
    """One page with its style in it; the headings and the first column stay in view."""
    options = options or Options()
    columns, rows, threshold = _parts(matrix, options)
    heading = [_Heading(options.what), *(_Heading(name, "mean") for name, _ in _FIGURES), _Heading("spread")]
    heading.append(_Heading(""))
    heading += [
        _Heading(visible(one.name, newlines=False), one.kind, not one.counts)
        for one in (matrix.columns[place] for place in columns)
    ]
    return _template().render(
        title=visible(matrix.title, newlines=False),
        about=f"{visible(matrix.about, newlines=False)}. Scores of {_range(matrix)}; a disagreement from a spread of "
        f"{_spread(matrix, threshold)} points.",
        note=" ".join(
            (
                *([hidden_words(matrix.hidden)] if matrix.hidden else ()),
                *(visible(note, newlines=False) for note in record_notes(matrix, columns)),
            )
        ),
        method=options.method,
        heading=heading,
        rows=[
            _Line(
                name=visible(row.name, newlines=False),
                flags=visible(_flags(row), newlines=False),
                indent=0.6 + len(row.groups[:6]),
                tone=_tone(row, threshold),
                cells=[
                    *(_Td(matrix.display.score(of(row), 2), "n") for _, of in _FIGURES),
                    _Td(matrix.display.spread(row.spread, 2), "n"),
                    _Td(_mark(row, threshold)),
                    *(
                        _Td(
                            visible(_shown(matrix, row.cells[place]), newlines=False),
                            "" if matrix.columns[place].counts else "out",
                        )
                        for place in columns
                    ),
                ],
            )
            for row in rows
        ],
    )


def ranking_csv(ranking: Ranking) -> str:
    """One line a subject, ranked ones first; scores of 0..1."""
    header = (
        "place",
        "shared",
        "subject",
        "entity",
        "record",
        "score",
        "scores",
        "passed",
        "median",
        "lowest",
    )
    rows: list[list[Cell]] = [
        [one.place, one.shared, one.subject.title, one.subject.entity, one.subject.record_id, one.score, one.count,
         one.passed, one.median, one.lowest, one.spread, one.gates_failed, one.tie]
        for one in ranking.ranked
    ]  # fmt: skip
    rows += [
        [None, None, one.subject.title, one.subject.entity, one.subject.record_id, one.score, one.count,
         None, None, None, None, one.gates_failed, one.reason]
        for one in ranking.unranked
    ]  # fmt: skip
    return write_csv((*header, "spread", "gates failed", "note"), rows)


# -- pieces --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Heading:
    text: str
    kind: str = ""
    out: bool = False


@dataclass(frozen=True, slots=True)
class _Td:
    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    flags: str
    indent: float
    tone: str
    cells: Sequence[_Td]


def _parts(matrix: Matrix, options: Options) -> tuple[tuple[int, ...], list[MatrixRow], float]:
    columns = columns_in_view(matrix, with_superseded=options.with_superseded)
    rows = [matrix.rows[place] for place in rows_in_view(matrix, by_spread=options.by_spread)]
    return columns, rows, matrix.threshold if options.threshold is None else options.threshold


def _shown(matrix: Matrix, cell: MatrixCell | None) -> str:
    if cell is None:
        return ""
    score = "" if cell.score is None else matrix.display.score(cell.score, 2)
    gate = "gate not met" if cell.gate_failed else ""
    return ", ".join(part for part in (cell.answer, score, gate) if part)


def _mark(row: MatrixRow, threshold: float) -> str:
    if row.flips:
        return FLIPS
    return "disagree" if row.disagrees(threshold) else ""


def _tone(row: MatrixRow, threshold: float) -> str:
    kind = "overall" if row.is_overall else "group" if row.is_group else ""
    mark = "flip" if row.flips else "spread" if row.disagrees(threshold) else ""
    return f"{kind} {mark}".strip()


def _flags(row: MatrixRow) -> str:
    words = [row.detail] if row.detail else []
    words += [word for word, is_so in (("gate", row.is_gate), ("advisory", row.is_advisory)) if is_so]
    return " ".join(words)


def _range(matrix: Matrix) -> str:
    return f"{matrix.display.score(0.0, 2)} to {matrix.display.score(1.0, 2)}"


def _spread(matrix: Matrix, threshold: float) -> str:
    return matrix.display.spread(threshold, 2)


def _name(row: MatrixRow) -> str:
    name = markdown_line(row.name)
    flags = f" ({markdown_line(_flags(row))})" if _flags(row) else ""
    return f"**{name}**{flags}" if row.is_group or row.is_overall else name + flags


def _table_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(markdown_line(cell) for cell in cells) + " |"


@cache
def _template() -> Template:
    from importlib.resources import files

    from jinja2 import Environment, StrictUndefined

    text = files("rubrictui.interchange").joinpath("templates/matrix.html.j2").read_text(encoding="utf-8")
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(text)
