"""What the comparison says in words: where there is a disagreement, what the cell under the cursor is. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rubrictui.core.adjudication import Adjudication
from rubrictui.core.adjudication_matrix import standing_words
from rubrictui.core.display import visible
from rubrictui.core.explain import number
from rubrictui.core.matrix import Matrix, MatrixCell, MatrixColumn, MatrixRow
from rubrictui.core.model import Evidence
from rubrictui.core.panel_tables import PanelComment, PanelScore, PanelTable
from rubrictui.core.ranges import DisplayRange
from rubrictui.widgets.block_list import Block
from rubrictui.widgets.criteria_lines import evidence_lines
from rubrictui.widgets.text import Line, counted, expand_tabs, one_line, wrap

BLIND = (
    "What others gave this subject is hidden from you while you have work open on it, or until its round closes. "
    "Only what you submitted yourself is shown."
)
"""The same words whatever peers have done."""

OWN_ONLY = "Only your own evaluations are here; reading those of others takes administer_evaluations"
"""For who may not: the figures of disagreement and of a ranking are then of hers alone."""

MEANS_ONLY = "Your own evaluation beside the means of all"


def summary_words(
    matrix: Matrix,
    threshold: float,
    disagreements: int,
    *,
    rows: str = "criterion",
    settled: Adjudication | None = None,
    is_own_only: bool = False,
) -> str:
    """One line above the matrix.

    Args:
        settled: what was settled on the subject; its score stands in no column.
        is_own_only: of a round, whether the viewer may not read the evaluations of others.
    """
    if matrix.is_blind:
        return BLIND
    before = f"{standing_words(settled)} · " if settled is not None else ""
    return before + _figures(matrix, threshold, disagreements, rows, is_own_only=is_own_only)


def _figures(matrix: Matrix, threshold: float, disagreements: int, rows: str, *, is_own_only: bool) -> str:
    what = counted(disagreements, rows, "criteria" if rows == "criterion" else "")
    verb = "disagrees" if disagreements == 1 else "disagree"
    spread = f"{matrix.display.spread(threshold, 2)} points"
    said = f"{what} {verb}" if disagreements else f"No {rows} disagrees"
    hidden = f" · {counted(matrix.hidden, 'subject')} hidden from you" if matrix.hidden else ""
    if is_own_only:
        return f"{OWN_ONLY}{hidden} · {matrix.about}"
    if _is_of_more_than_it_shows(matrix):
        return f"{MEANS_ONLY} · {matrix.about}"
    return f"{said} (▲ from {spread}){hidden} · {matrix.about}"


def _is_of_more_than_it_shows(matrix: Matrix) -> bool:
    """Whether its means are the cohort's, of which the viewer may not read every evaluation."""
    overall = next((row for row in matrix.rows if row.is_overall), None)
    return overall is not None and overall.count > sum(column.counts for column in matrix.columns)


def row_words(row: MatrixRow, display: DisplayRange) -> str:
    """Name and figures of a row."""
    parts = []
    if row.flips:
        parts.append("≠ met by some, not by others" if row.is_gate else "≠ passed by some, not by others")
    parts.append(f"all {display.score(row.mean, 2)} (n {row.count})")
    if row.spread is not None:
        parts.append(f"spread {display.spread(row.spread, 2)}")
    if row.human_mean is not None:
        parts.append(f"people {display.score(row.human_mean, 2)}")
    if row.ai_mean is not None:
        parts.append(f"AI {display.score(row.ai_mean, 2)}")
    if row.self_score is not None:
        parts.append(f"self {display.score(row.self_score, 2)}")
    flags = "".join(
        f" ({word})" for word, is_so in (("gate", row.is_gate), ("advisory", row.is_advisory)) if is_so
    )
    return f"{row.name}{flags}: " + ", ".join(parts)


def cell_words(column: MatrixColumn, cell: MatrixCell | None, display: DisplayRange) -> str:
    """Who gave the cell, and what."""
    if cell is None:
        return f"{column.heading}: nothing here"
    parts = [part for part in (cell.answer, display.score(cell.score, 2)) if part]
    if cell.gate_failed:
        parts.append("gate not met")
    if cell.record is not None:
        parts.append(f"score of record {cell.record.words}")
    if cell.has_texts:
        parts.append("with a reason: Enter opens it")
    if not (column.counts and cell.counts):
        parts.append("in no mean")
    return f"{column.heading}: " + ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Said:
    """What one evaluator said to one criterion."""

    id: str
    who: str
    answer: str
    rationale: str
    evidence: tuple[Evidence, ...]
    is_overall: bool = False

    @property
    def says_nothing(self) -> bool:
        """Whether a reason could stand there, which takes a criterion, and does not."""
        return not self.is_overall and not self.rationale.strip() and not self.evidence


def all_said(matrix: Matrix, row: MatrixRow, table: PanelTable) -> tuple[Said, ...]:
    """Every evaluator on one row, in the order of the columns; ``table`` was read with its texts."""
    scores: dict[str, PanelScore | None] = {one.id: one.scores.get(row.key) for one in table.evaluations}
    found = []
    for column, cell in zip(matrix.columns, row.cells, strict=True):
        if cell is None:
            continue
        score = scores.get(column.id) if not row.is_overall else None
        answer = ", ".join(part for part in (cell.answer, matrix.display.score(cell.score, 2)) if part)
        if cell.gate_failed:
            answer += ", gate not met"
        if cell.record is not None:
            answer += f"; score of record, by the {cell.record.kind}'s own rules: {cell.record.words}"
        found.append(
            Said(
                id=column.id,
                who=column.heading,
                answer=answer,
                rationale=(score.rationale or "") if score else "",
                evidence=score.evidence if score else (),
                is_overall=row.is_overall,
            )
        )
    return tuple(found)


def comments_said(comments: Iterable[PanelComment], key: str) -> tuple[Said, ...]:
    """What peers wrote where a round shows that without names and scores."""
    return tuple(
        Said(
            id=f"comment-{place}",
            who="A reviewer",
            answer="",
            rationale=one.rationale or "",
            evidence=one.evidence,
        )
        for place, one in enumerate(comments)
        if one.criterion_key == key
    )


def said_block(said: Said) -> Block:
    """One evaluator's answer, rationale and evidence, whole."""

    def draw(width: int) -> list[Line]:
        lines: list[Line] = [[(one_line(said.who, width), "title")]]
        if said.answer:
            lines.append([(one_line(said.answer, width), "label")])
        for text in (
            wrap(expand_tabs(visible(said.rationale.strip())), max(width - 2, 10))
            if said.rationale.strip()
            else []
        ):
            lines.append([("  ", "text"), (text, "text")])
        for item in said.evidence:
            for later, part in enumerate(evidence_lines(item, max(width - 4, 10))):
                lines.append([("  " if later else "❝ ", "muted"), (part, "muted")])
        if said.says_nothing:
            lines.append([("  no reason given", "muted")])
        lines.append([("", "text")])
        return lines

    return Block(id=said.id, closed=draw)


def parse_threshold(text: str, display: DisplayRange) -> float | None:
    """A threshold as typed, as a spread of 0..1: points of the display range, or a share as in ``25%``.

    None for what is no spread between 0 and the whole range.
    """
    words = text.strip().replace(",", ".")
    share = words.endswith("%")
    try:
        value = float(words.removesuffix("%"))
    except ValueError:
        return None
    span = abs(display.high - display.low)
    found = value / 100 if share else value / span if span else -1.0
    return found if 0 <= found <= 1 else None


def threshold_words(threshold: float, display: DisplayRange) -> str:
    """A threshold as one types it."""
    return number(round(threshold * abs(display.high - display.low), 4))
