"""How a comparison matrix looks: its columns in the cells there are, its headings, its rows. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from rubrictui.core.matrix import Matrix, MatrixCell, MatrixColumn, MatrixRow
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.ratings import AI_TYPES
from rubrictui.core.records import EvaluatorType
from rubrictui.widgets.text import Line, Piece, one_line, pad

FLIP = "≠"
"""Verdicts differ: some passed, or met the gate, and some did not."""
SPREAD = "▲"
"""The spread reaches the threshold."""
HIGHEST, LOWEST = "▴", "▾"
GATE = "✗"

WIDE = 100
"""From this width on there is room for long names, and for the means in columns of their own."""

_SCORE = 5
_MEAN = 7
_MARKS = 3
_INDENT = 2
_DEEPEST = 4
_SPREAD_WIDTH = 7


@dataclass(frozen=True, slots=True)
class Mean:
    """A column of means: its heading and where a row has it."""

    title: str
    of: Callable[[MatrixRow], float | None]


@dataclass(frozen=True, slots=True)
class MatrixLayout:
    """Cells of each part of a line. ``columns`` evaluators of ``answer`` and score fit at a time."""

    width: int
    name: int
    answer: int
    means: tuple[Mean, ...]
    columns: int

    @property
    def cell(self) -> int:
        """The width of one evaluator's column: a blank, the answer, a mark, the score."""
        return 1 + self.answer + 1 + _SCORE

    @property
    def frozen(self) -> int:
        """What stands on the left whatever columns are in view: marks, name, spread, means."""
        return _MARKS + self.name + _SPREAD_WIDTH + _MEAN * len(self.means)


def means_of(matrix: Matrix) -> tuple[Mean, ...]:
    """The means worth a column: that of all, and of people, AI and the self-assessment where they differ."""
    found = [Mean("All", lambda row: row.mean)]
    others = [one for one in matrix.columns if one.evaluator_type is not EvaluatorType.HUMAN]
    if any(one.evaluator_type is EvaluatorType.HUMAN for one in matrix.columns) and others:
        found.append(Mean("People", lambda row: row.human_mean))
    if matrix.has_kind(*AI_TYPES) or any(row.ai_mean is not None for row in matrix.rows[:1]):
        found.append(Mean("AI", lambda row: row.ai_mean))
    if matrix.has_kind(EvaluatorType.SELF) or any(row.self_score is not None for row in matrix.rows[:1]):
        found.append(Mean("Self", lambda row: row.self_score))
    return tuple(found)


def longest_texts(matrix: Matrix) -> tuple[int, int]:
    """The cells that the longest name (with its indent) and the longest answer take."""
    answers = {cell.answer for row in matrix.rows for cell in row.cells if cell is not None}
    return (
        max((_name_cells(row) for row in matrix.rows), default=8),
        max((cell_len(one_line(text, 20)) for text in answers), default=4),
    )


def plan_matrix(matrix: Matrix, width: int, longest: tuple[int, int], *, with_means: bool) -> MatrixLayout:
    """Lay a matrix out in lines of ``width`` cells; ``longest`` are its ``longest_texts``."""
    wide = width >= WIDE
    name = min(max(longest[0], 8), 34 if wide else 22)
    answer = min(longest[1], 14 if wide else 7)
    means = means_of(matrix) if with_means else ()
    layout = MatrixLayout(width, name, max(answer, 4), means, 1)
    room = (width - layout.frozen) // layout.cell
    return MatrixLayout(width, name, layout.answer, means, max(room, 1))


def _name_cells(row: MatrixRow) -> int:
    return len(row.groups[:_DEEPEST]) * _INDENT + cell_len(one_line(row.name, 60)) + cell_len(_flags(row))


def _flags(row: MatrixRow) -> str:
    if row.detail:
        return f" {row.detail}"
    return (" gate" if row.is_gate else "") + (" advisory" if row.is_advisory else "")


def heading_lines(
    layout: MatrixLayout,
    what: str,
    columns: Sequence[MatrixColumn],
    *,
    first: int,
    total: int,
    current: int,
) -> tuple[Line, Line]:
    """Who stands where: names, and below them what they are.

    Args:
        what: the name of the first column.
        columns: those in view.
        first: the number of the first of them among ``total``.
        current: which of ``columns`` the cursor is in; -1 for none.
    """
    last = first + len(columns)
    places = "" if len(columns) >= total else f"{'‹ ' if first else ''}{first + 1}–{last} of {total}"
    places += " ›" if last < total else ""
    above: Line = [(" " * _MARKS + pad(what, layout.name) + f"{'Spread':>{_SPREAD_WIDTH}}", "header")]
    below: Line = [(" " * _MARKS + pad(places, layout.name) + " " * _SPREAD_WIDTH, "muted")]
    for mean in layout.means:
        above.append((f"{mean.title:>{_MEAN}}", "header"))
        below.append((f"{'mean' if mean.title != 'Self' else '':>{_MEAN}}", "muted"))
    for place, column in enumerate(columns):
        style = "current" if place == current else "header" if column.counts else "out"
        above.append((" " + pad(one_line(column.name, layout.cell - 1), layout.cell - 1), style))
        below.append((" " + pad(column.kind, layout.cell - 1), "muted" if column.counts else "out"))
    return above, below


def row_line(
    row: MatrixRow,
    layout: MatrixLayout,
    columns: Sequence[tuple[MatrixColumn, MatrixCell | None]],
    display: DisplayRange,
    *,
    threshold: float,
    is_folded: bool = False,
    inside: bool | None = None,
    is_current: bool = False,
    cursor: int = -1,
    has_focus: bool = True,
) -> Line:
    """One row: marks, name, spread, means, and the cells in view.

    Args:
        columns: the columns in view with their cells.
        inside: of a folded group, that a row in it disagrees, and whether verdicts flip there: it is marked for it.
        is_current: the cursor is on this row, in the cell ``cursor`` of those in view.
    """
    disagrees = row.disagrees(threshold)
    flips = row.flips or bool(inside)
    is_marked = disagrees or inside is not None
    mark = FLIP if flips else SPREAD if is_marked else " "
    indent = len(row.groups[:_DEEPEST]) * _INDENT
    flags = _flags(row)
    fold = "▸ " if is_folded else ""
    room = max(layout.name - indent - cell_len(flags) - cell_len(fold), 4)
    name = fold + one_line(row.name, room)
    # A place stands at the right, where it is no part of the title.
    name = (pad(name, room + cell_len(fold)) if row.detail else name) + flags
    spread = "" if row.spread is None else display.spread(row.spread)
    tone = "flip" if flips else "spread" if is_marked else ""
    # One piece for all that is frozen: each costs the terminal some forty bytes a line.
    frozen = f"{mark} {' ' * indent}{pad(name, layout.name - indent)}{spread:>{_SPREAD_WIDTH}}"
    line: Line = [
        ("▌", "bar") if is_current else (" ", "text"),
        (frozen, tone or ("group" if row.is_group or row.is_overall else "text")),
    ]
    for mean in layout.means:
        value = mean.of(row)
        line.append((f"{display.score(value):>{_MEAN}}", "text"))
    scores = [
        cell.score
        for column, cell in columns
        if cell and column.counts and cell.counts and cell.score is not None
    ]
    ends = (max(scores), min(scores)) if disagrees and scores and max(scores) > min(scores) else None
    for place, (column, cell) in enumerate(columns):
        piece = _cell_piece(cell, column, layout, display, ends)
        if place == cursor and is_current:
            piece = (piece[0], "cursor" if has_focus else "cursor-blurred")
        line.append(piece)
    return line


def _cell_piece(
    cell: MatrixCell | None,
    column: MatrixColumn,
    layout: MatrixLayout,
    display: DisplayRange,
    ends: tuple[float, float] | None,
) -> Piece:
    if cell is None:
        return pad(" ·", layout.cell), "text"
    counts = column.counts and cell.counts
    mark, style = " ", "text" if counts else "out"
    if cell.gate_failed:
        mark, style = GATE, "flip" if counts else "out"
    elif ends is not None and counts and cell.score in ends:
        mark, style = (HIGHEST if cell.score == ends[0] else LOWEST), "spread"
    answer = pad(one_line(cell.answer, layout.answer), layout.answer)
    return f" {answer}{mark}{display.score(cell.score):>{_SCORE}}", style
