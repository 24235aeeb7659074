"""How a ``PanelTable`` becomes a comparison matrix: of one subject, or of a round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from rubrictui.core.explain import number
from rubrictui.core.matrix import Matrix, MatrixCell, MatrixColumn, MatrixRow, with_figures
from rubrictui.core.model import Node, Outcome, Scale, ScaleType, VersionSnapshot, fold_id
from rubrictui.core.panel_tables import PanelEvaluation, PanelScore, PanelSubject, PanelTable
from rubrictui.core.plan_tree import PlanTree
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import Cohort, CohortCriterion, EvaluationStatus, EvaluatorType

OUTCOME_WORDS: Final[Mapping[Outcome, str]] = {
    Outcome.PASSED: "passed",
    Outcome.BELOW_THRESHOLD: "below",
    Outcome.GATE_FAILED: "gate",
    Outcome.INCOMPLETE: "incomplete",
    Outcome.NOT_APPLICABLE_FAILURE: "N/A fails",
    Outcome.SCORED: "scored",
}
_ORDER: Final[Mapping[EvaluatorType, int]] = {
    EvaluatorType.HUMAN: 0,
    EvaluatorType.AI_PROMPT: 1,
    EvaluatorType.AGENT: 1,
    EvaluatorType.DETERMINISTIC: 2,
    EvaluatorType.EXTERNAL: 2,
    EvaluatorType.SELF: 3,
}


# -- one subject ---------------------------------------------------------------------------------------------


def subject_matrix(table: PanelTable) -> Matrix:
    """The matrix of the single subject of ``Engine.matrix_table``: the overall scores, then the tree in its order.

    People stand first, then AI, rules and external ones, the self-assessment; withdrawn and superseded ones last.
    Where the cohort is larger than what the viewer may read, the means are the cohort's.
    """
    subject = table.subjects[0] if table.subjects else None
    evaluations = sorted(
        table.of_subject(subject.id) if subject else (),
        key=lambda one: (one.status is not EvaluationStatus.SUBMITTED, _ORDER[one.evaluator_type]),
    )
    columns = _columns(evaluations)
    counting = sum(column.counts for column in columns)
    cohort = table.cohort if table.cohort is not None and table.cohort.count > counting else None
    return Matrix(
        title=subject.title or subject.record_id if subject else "",
        about=_about(table),
        columns=columns,
        rows=(_overall_row(evaluations, columns, cohort), *_node_rows(table, evaluations, columns, cohort)),
        threshold=table.threshold,
        display=DisplayRange.of(table.version),
        is_blind=subject.is_blind if subject else False,
    )


def _about(table: PanelTable) -> str:
    parts = [f"{table.rubric_name} {table.version.number or table.major}"]
    if table.context is not None:
        parts.append(table.context.name or table.context.record_id)
    return " · ".join(parts)


def _columns(evaluations: Sequence[PanelEvaluation]) -> tuple[MatrixColumn, ...]:
    # Two people of one name are told apart; two evaluations of one person are, by their status.
    logins: dict[str, set[str]] = {}
    for one in evaluations:
        logins.setdefault(one.label, set()).add(one.user_id)
    return tuple(
        MatrixColumn(
            id=one.id,
            name=one.label if len(logins[one.label]) == 1 else f"{one.label} ({one.user_name})",
            evaluator_type=one.evaluator_type,
            status=one.status,
            counts=one.counts,
        )
        for one in evaluations
    )


def _overall_row(
    evaluations: Sequence[PanelEvaluation], columns: Sequence[MatrixColumn], cohort: Cohort | None
) -> MatrixRow:
    row = with_figures(
        MatrixRow(
            key="", name="Overall", is_overall=True, cells=tuple(_overall_cell(one) for one in evaluations)
        ),
        columns,
    )
    if cohort is None:
        return row
    return replace(
        row,
        mean=cohort.mean,
        human_mean=cohort.human_mean,
        ai_mean=cohort.ai_mean,
        self_score=cohort.self_score,
        spread=None if cohort.min is None or cohort.max is None else cohort.max - cohort.min,
        flips=0 < cohort.passed_count < cohort.count,
        count=cohort.count,
    )


def _overall_cell(one: PanelEvaluation) -> MatrixCell:
    return MatrixCell(
        answer=OUTCOME_WORDS[one.outcome] if one.outcome else "",
        score=one.normalized_score,
        verdict=one.passed,
        gate_failed=bool(one.gate_failed),
        evaluation_id=one.id,
        record=one.record,
    )


def _node_rows(
    table: PanelTable,
    evaluations: Sequence[PanelEvaluation],
    columns: Sequence[MatrixColumn],
    cohort: Cohort | None,
) -> Iterable[MatrixRow]:
    version = table.version
    scales = {fold_id(scale.id): scale for scale in version.scales}
    labels = {fold_id(level.id): level.label for scale in version.scales for level in scale.levels}
    labels |= {level.id: level.label for scale in version.scales for level in scale.levels}
    means: dict[str, CohortCriterion] = {row.key: row for row in cohort.criteria} if cohort else {}
    for node, groups in _walk(version):
        scale = scales.get(fold_id(node.scale_id))
        cells: list[MatrixCell | None] = []
        for one in evaluations:
            score = one.scores.get(node.key)
            cells.append(None if score is None else _cell(node, score, scale, labels, one.id))
        row = with_figures(
            MatrixRow(
                key=node.key,
                name=node.name or node.key,
                groups=groups,
                is_group=not node.is_criterion,
                is_gate=node.is_gate,
                is_advisory=node.is_advisory,
                cells=tuple(cells),
            ),
            columns,
        )
        if (of_cohort := means.get(node.key)) is not None:
            row = replace(
                row, mean=of_cohort.mean, human_mean=of_cohort.human_mean, ai_mean=of_cohort.ai_mean
            )
        yield row


def _walk(version: VersionSnapshot) -> Iterable[tuple[Node, tuple[str, ...]]]:
    """Every node that takes part in walk order, with the keys of the groups above it."""
    above: dict[str, tuple[str, ...]] = {"": ()}
    for node in PlanTree(version).walk:
        groups = above.get(fold_id(node.parent_id), ())
        above[fold_id(node.id)] = (*groups, node.key)
        yield node, groups


def _cell(
    node: Node, score: PanelScore, scale: Scale | None, labels: Mapping[str, str], evaluation_id: str
) -> MatrixCell:
    return MatrixCell(
        answer=answer_words(node, score, scale, labels),
        score=score.normalized_score,
        verdict=not score.gate_failed
        if node.is_gate and not node.is_advisory and score.normalized_score is not None
        else None,
        gate_failed=score.gate_failed,
        has_texts=score.has_rationale or score.has_evidence,
        evaluation_id=evaluation_id,
    )


def answer_words(node: Node, score: PanelScore, scale: Scale | None, labels: Mapping[str, str]) -> str:
    """An answer in a word or two: the label of its level, its number, ``N/A``; "" for a group."""
    if not node.is_criterion:
        return ""
    if score.is_not_applicable:
        return "N/A"
    if scale is not None and scale.scale_type is ScaleType.NUMERIC:
        if score.raw_value is None:
            return "unanswered"
        return number(score.raw_value) + ("%" if scale.is_percentage else "")
    if not score.scale_level_id:
        return "unanswered"
    label = labels.get(score.scale_level_id)
    return labels.get(fold_id(score.scale_level_id), "?") if label is None else label


# -- a round -------------------------------------------------------------------------------------------------


def round_matrix(
    table: PanelTable, *, order: Sequence[str] = (), details: Mapping[str, str] | None = None
) -> Matrix:
    """Subjects down, evaluators across, from ``Engine.round_table``: overall scores and outcomes.

    Of two evaluations of one evaluator on one subject the one that counts stands in the cell, else the latest.

    Args:
        order: ids of subjects that come first, in this order (a ranking's); the others keep the table's.
        details: a few words about a subject, by its id: its place in a ranking.
    """
    raters: dict[str, PanelEvaluation] = {}
    cells: dict[tuple[str, str], PanelEvaluation] = {}
    of_subject: dict[str, list[PanelEvaluation]] = {}
    for one in sorted(table.evaluations, key=lambda one: (_ORDER[one.evaluator_type], one.label.casefold())):
        of_subject.setdefault(one.subject_id, []).append(one)
        raters.setdefault(one.rater, one)
        place = (one.subject_id, one.rater)
        if place not in cells or (one.counts and not cells[place].counts):
            cells[place] = one
    names = Counter(one.label for one in raters.values())
    columns = tuple(
        MatrixColumn(
            id=rater,
            name=one.label if names[one.label] == 1 else f"{one.label} ({one.user_name})",
            evaluator_type=one.evaluator_type,
            counts=one.evaluator_type is not EvaluatorType.SELF,
        )
        for rater, one in raters.items()
    )
    places = {subject: place for place, subject in enumerate(order)}
    subjects = sorted(table.subjects, key=lambda one: places.get(one.id, len(places)))
    return Matrix(
        title=_round_title(table),
        about=_about(table),
        columns=columns,
        rows=tuple(
            _subject_row(
                subject,
                [cells.get((subject.id, column.id)) for column in columns],
                of_subject.get(subject.id, []),
                (details or {}).get(subject.id, ""),
            )
            for subject in subjects
        ),
        threshold=table.threshold,
        display=DisplayRange.of(table.version),
        hidden=len(table.hidden),
    )


def _round_title(table: PanelTable) -> str:
    return "Without a round" if table.context is None else table.context.name or table.context.record_id


def _subject_row(
    subject: PanelSubject,
    shown: Sequence[PanelEvaluation | None],
    evaluations: Sequence[PanelEvaluation],
    detail: str,
) -> MatrixRow:
    """The figures are of all evaluations of the subject, though a cell has room for one of an evaluator."""
    every = [_overall_cell(one) for one in evaluations]
    figures = with_figures(MatrixRow(key="", name="", cells=tuple(every)), _columns(evaluations))
    return replace(
        figures,
        key=subject.id,
        name=subject.title or subject.record_id,
        detail=detail,
        cells=tuple(None if one is None else _round_cell(one) for one in shown),
    )


def _round_cell(one: PanelEvaluation) -> MatrixCell:
    cell = _overall_cell(one)
    if one.status is EvaluationStatus.SUBMITTED:
        return cell
    return replace(cell, answer=one.status.value.lower(), counts=False)
