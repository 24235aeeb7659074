"""The comparison of a subject with a settlement of it beside the evaluators, in no figure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from rubrictui.core.adjudication import Adjudication, SettlementDesk, SettlementStart
from rubrictui.core.matrix import Matrix, MatrixCell, MatrixColumn
from rubrictui.core.matrix_building import OUTCOME_WORDS, answer_words, subject_matrix
from rubrictui.core.model import Answer, ScoreResult, fold_id
from rubrictui.core.panel_tables import PanelScore
from rubrictui.core.records import EvaluatorType
from rubrictui.core.scoring import compute

SETTLEMENT = "settlement"
"""The id of the column that holds it."""


def settlement_matrix(
    desk: SettlementDesk, answers: Iterable[Answer], evaluators: Matrix | None = None
) -> tuple[Matrix, ScoreResult]:
    """The matrix of ``desk.table`` with these answers as its first column, scored on ``desk.version``, and what they
    score. ``evaluators`` is the matrix without that column, for whoever has it already.

    Raises:
        ScoringError: an answer that the version does not allow.
    """
    given = tuple(answers)
    result = compute(desk.version, given)
    matrix = evaluators or subject_matrix(desk.table)
    by_id = {fold_id(one.criterion_id): one for one in given}
    scored = {node.key: node for node in result.nodes}
    nodes = {node.key: node for node in desk.version.nodes}
    scales = {fold_id(scale.id): scale for scale in desk.version.scales}
    labels = {fold_id(level.id): level.label for scale in desk.version.scales for level in scale.levels}
    labels |= {level.id: level.label for scale in desk.version.scales for level in scale.levels}

    def cell(key: str) -> MatrixCell | None:
        node, row = nodes.get(key), scored.get(key)
        answer = by_id.get(fold_id(node.id)) if node else None
        if node is None or row is None or (node.is_criterion and answer is None):
            return None
        words = ""
        if answer is not None:
            words = answer_words(
                node,
                PanelScore(
                    scale_level_id=answer.scale_level_id,
                    raw_value=answer.raw_value,
                    is_not_applicable=answer.is_not_applicable,
                ),
                scales.get(fold_id(node.scale_id or "")),
                labels,
            )
        return MatrixCell(
            answer=words,
            score=row.normalized_score,
            gate_failed=row.gate_failed,
            evaluation_id=SETTLEMENT,
            counts=False,
        )

    overall = MatrixCell(
        answer=OUTCOME_WORDS[result.outcome],
        score=result.normalized_score,
        verdict=result.passed,
        gate_failed=result.gate_failed,
        evaluation_id=SETTLEMENT,
        counts=False,
    )
    column = MatrixColumn(
        id=SETTLEMENT, name="Settled", evaluator_type=EvaluatorType.HUMAN, counts=False, word=_word(desk)
    )
    return replace(
        matrix,
        columns=(column, *matrix.columns),
        rows=tuple(
            replace(row, cells=(overall if row.is_overall else cell(row.key), *row.cells))
            for row in matrix.rows
        ),
    ), result


def _word(desk: SettlementDesk) -> str:
    if desk.start is SettlementStart.SETTLEMENT and desk.settlement is not None:
        return f"by {desk.settlement.adjudicator}"
    return "your draft" if desk.start is SettlementStart.DRAFT else "proposed"


def standing_words(one: Adjudication) -> str:
    """What a settlement says, on one line."""
    verdict = "" if one.passed is None else " (passed)" if one.passed else " (not passed)"
    corrected = " as a correction" if one.supersedes_id else ""
    return (
        f"Settled at {one.display_score}{verdict} by {one.adjudicator} on {one.settled_at:%Y-%m-%d}"
        f"{corrected}: {one.reason}"
    )
