"""The comparison matrix: evaluators across; criteria, or the subjects of a round, down.

Built by ``matrix_building`` from a ``PanelTable``, which holds only what the viewer may read; nothing here
decides about rights. Which evaluations count in a mean is ``PanelEvaluation.counts`` (guide section 9):
Submitted, no self-assessment. Human averages Human; AI averages AIPrompt and Agent; rules and external ones count in the overall mean only.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from rubrictui.core.model import Value
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.ratings import AI_TYPES
from rubrictui.core.records import EvaluationStatus, EvaluatorType
from rubrictui.core.rounding import round6
from rubrictui.core.score_of_record import ScoreOfRecord

KIND_WORDS: Final[Mapping[EvaluatorType, str]] = {
    EvaluatorType.HUMAN: "person",
    EvaluatorType.AI_PROMPT: "AI",
    EvaluatorType.AGENT: "AI agent",
    EvaluatorType.DETERMINISTIC: "rules",
    EvaluatorType.EXTERNAL: "external",
    EvaluatorType.SELF: "self",
}


class MatrixColumn(Value, frozen=True, kw_only=True):
    """One evaluator. ``id`` is an evaluation's in the matrix of a subject, a ``PanelEvaluation.rater`` in that of
    a round. ``counts``: it is in means and spreads. ``word`` says what it is where it is no evaluator."""

    id: str
    name: str
    evaluator_type: EvaluatorType
    status: EvaluationStatus = EvaluationStatus.SUBMITTED
    counts: bool = True
    word: str = ""

    @property
    def kind(self) -> str:
        """What it is, in a word or two: ``person``, ``AI``, ``withdrawn``, ``superseded``, ..."""
        if self.word:
            return self.word
        if self.status is not EvaluationStatus.SUBMITTED:
            return self.status.value.lower()
        return KIND_WORDS[self.evaluator_type]

    @property
    def heading(self) -> str:
        """Name and kind, for a place that has one line."""
        if self.word:
            return f"{self.name} ({self.word})"
        kind = KIND_WORDS[self.evaluator_type]
        ended = "" if self.status is EvaluationStatus.SUBMITTED else f", {self.status.value.lower()}"
        return f"{self.name} ({kind}{ended})"


class MatrixCell(Value, frozen=True, kw_only=True, gc=False):
    """What an evaluator gave: the answer in a word or two ("" for a group), and its score (0..1).

    ``counts`` is False for one that is in no figure though its column is: withdrawn or superseded in a round.
    ``verdict`` is what flips: whether a gate was met, or the whole evaluation passed; None where neither applies.
    ``record``, in a cell of overall scores: a score of record beside this one, which is in no figure.
    """

    answer: str = ""
    score: float | None = None
    verdict: bool | None = None
    gate_failed: bool = False
    has_texts: bool = False
    evaluation_id: str = ""
    counts: bool = True
    record: ScoreOfRecord | None = None


class MatrixRow(Value, frozen=True, kw_only=True):
    """A criterion, a group, the overall scores, or a subject. Scores are 0..1.

    Attributes:
        groups: the keys of the groups it is in, outermost first.
        cells: one per column of the matrix; None where that evaluator has nothing.
        spread: highest minus lowest of the cells that count; None below two scores.
        flips: among the cells that count some verdicts are yes and some no.
        count: how many scores the mean is of.
        detail: more about it in a few words: ``gate``, ``advisory``, a place in a ranking.
    """

    key: str
    name: str
    groups: tuple[str, ...] = ()
    is_overall: bool = False
    is_group: bool = False
    is_gate: bool = False
    is_advisory: bool = False
    detail: str = ""
    cells: tuple[MatrixCell | None, ...] = ()
    mean: float | None = None
    human_mean: float | None = None
    ai_mean: float | None = None
    self_score: float | None = None
    spread: float | None = None
    flips: bool = False
    count: int = 0

    def disagrees(self, threshold: float) -> bool:
        """Whether the spread reaches the threshold (both rounded to six places), or the verdicts differ."""
        return self.flips or (self.spread is not None and round6(self.spread) >= round6(threshold))


class Matrix(Value, frozen=True, kw_only=True):
    """The comparison, whole. ``rows`` begin with the overall scores in the matrix of a subject.

    ``is_blind``: the viewer is blind on the subject, so only her own columns are there. ``hidden`` counts the
    subjects that a round's matrix leaves out because she is blind on them.
    """

    title: str
    about: str = ""
    columns: tuple[MatrixColumn, ...] = ()
    rows: tuple[MatrixRow, ...] = ()
    threshold: float
    display: DisplayRange = DisplayRange()
    is_blind: bool = False
    hidden: int = 0

    def has_kind(self, *types: EvaluatorType) -> bool:
        return any(column.evaluator_type in types for column in self.columns)


# -- figures -------------------------------------------------------------------------------------------------


def with_figures(row: MatrixRow, columns: Sequence[MatrixColumn]) -> MatrixRow:
    """The row with its means, its spread and whether its verdicts flip."""
    every: list[float] = []
    people: list[float] = []
    judges: list[float] = []
    own: list[float] = []
    verdicts: set[bool] = set()
    for cell, column in zip(row.cells, columns, strict=True):
        if cell is None:
            continue
        is_self = column.evaluator_type is EvaluatorType.SELF
        if cell.score is not None and is_self and column.status is EvaluationStatus.SUBMITTED:
            own.append(cell.score)
        if not column.counts or is_self:
            continue
        if cell.verdict is not None:
            verdicts.add(cell.verdict)
        if cell.score is None:
            continue
        every.append(cell.score)
        if column.evaluator_type is EvaluatorType.HUMAN:
            people.append(cell.score)
        elif column.evaluator_type in AI_TYPES:
            judges.append(cell.score)
    return replace(
        row,
        mean=_mean(every),
        human_mean=_mean(people),
        ai_mean=_mean(judges),
        self_score=_mean(own),
        spread=max(every) - min(every) if len(every) > 1 else None,
        flips=len(verdicts) > 1,
        count=len(every),
    )


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def hidden_words(count: int) -> str:
    """That so many subjects are left out of a round because the viewer is blind on them."""
    subjects = "subject is" if count == 1 else "subjects are"
    return f"{count} {subjects} left out: you have open work on them, or the round holds peers back until it closes."


# -- which rows and columns are in view ----------------------------------------------------------------------


def columns_in_view(matrix: Matrix, *, with_superseded: bool = False) -> tuple[int, ...]:
    """The places of the columns to show. Withdrawn ones stay in view; superseded ones come when asked for."""
    return tuple(
        place
        for place, column in enumerate(matrix.columns)
        if with_superseded or column.status is not EvaluationStatus.SUPERSEDED
    )


def rows_in_view(matrix: Matrix, *, folded: Collection[str] = (), by_spread: bool = False) -> tuple[int, ...]:
    """The places of the rows to show, in the order to show them.

    Args:
        folded: the keys of groups whose rows are put away; the group itself stays.
        by_spread: leave the tree and put the widest spread first: verdicts that flip before all, rows without
            a spread last, the tree's order among equals. Folds play no part, and groups are left out. The
            overall scores stay on top.
    """
    rows = matrix.rows
    if not by_spread:
        return tuple(
            place for place, row in enumerate(rows) if not any(group in folded for group in row.groups)
        )
    kept = [place for place, row in enumerate(rows) if not row.is_group and not row.is_overall]
    kept.sort(key=lambda place: (not rows[place].flips, -_rounded(rows[place].spread), place))
    return (*(place for place, row in enumerate(rows) if row.is_overall), *kept)


def _rounded(spread: float | None) -> float:
    return -1.0 if spread is None else round6(spread)


def next_disagreement(
    matrix: Matrix, in_view: Sequence[int], start: int, *, threshold: float, step: int = 1
) -> int | None:
    """The index into ``in_view`` of the next row after ``start`` that disagrees, around the end; None for none.

    Groups are passed over: what they disagree about is in their criteria. ``start`` itself comes last.
    """
    for offset in range(1, len(in_view) + 1):
        index = (start + step * offset) % len(in_view)
        row = matrix.rows[in_view[index]]
        if not row.is_group and not row.is_overall and row.disagrees(threshold):
            return index
    return None


def disagreement_inside(matrix: Matrix, threshold: float) -> dict[str, bool]:
    """The keys of the groups in which some criterion disagrees, at any depth: True where the verdicts of one flip."""
    found: dict[str, bool] = {}
    for row in matrix.rows:
        if not row.is_group and row.groups and row.disagrees(threshold):
            for key in row.groups:
                found[key] = found.get(key, False) or row.flips
    return found


def disagreement_count(matrix: Matrix, threshold: float) -> int:
    """How many criteria or subjects disagree."""
    return sum(row.disagrees(threshold) for row in matrix.rows if not row.is_group and not row.is_overall)
