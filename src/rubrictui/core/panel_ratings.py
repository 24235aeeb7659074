"""From the evaluations of a round to a table of ratings, for everything that compares evaluators."""

from __future__ import annotations

from collections import Counter

from rubrictui.core.model import Node, Scale, VersionSnapshot, fold_id
from rubrictui.core.panel_tables import PanelEvaluation, PanelScore, PanelTable
from rubrictui.core.ratings import (
    CriterionRatings,
    Rater,
    Rating,
    RatingScale,
    RatingsTable,
    level_index,
    rating_scale,
)
from rubrictui.core.records import EvaluationStatus


def ratings_of(table: PanelTable) -> RatingsTable:
    """The ratings in the submitted evaluations of a table.

    Withdrawn and superseded ones are out (guide section 9); of two by one evaluator on one subject the later
    counts. Evaluators are told apart by ``PanelEvaluation.rater`` and named by their label. Overall scores are
    those the evaluations were given. A subject's name is its title, with its record where titles repeat.
    """
    evaluations = [one for one in table.evaluations if one.status is EvaluationStatus.SUBMITTED]
    columns: dict[str, int] = {}
    raters: list[PanelEvaluation] = []
    for one in evaluations:
        if one.rater not in columns:
            columns[one.rater] = len(columns)
            raters.append(one)
    rows = {subject.id: place for place, subject in enumerate(table.subjects)}
    cells: dict[tuple[int, int], PanelEvaluation] = {}
    for one in evaluations:
        # The latest stands first in a table.
        if one.subject_id in rows:
            cells.setdefault((rows[one.subject_id], columns[one.rater]), one)

    def grid(rating: dict[tuple[int, int], Rating]) -> tuple[tuple[Rating, ...], ...]:
        return tuple(
            tuple(rating.get((row, column)) for column in range(len(columns))) for row in range(len(rows))
        )

    criteria = []
    for node, scale in _criteria(table.version, table.criteria):
        declared = rating_scale(scale) if scale is not None else RatingScale()
        found: dict[tuple[int, int], Rating] = {}
        not_applicable = 0
        for place, one in cells.items():
            score = one.scores.get(node.key)
            if score is not None:
                not_applicable += score.is_not_applicable
                found[place] = _rating(score, scale)
        criteria.append(
            CriterionRatings(
                key=node.key,
                name=node.name,
                ratings=grid(found),
                scale=declared,
                not_applicable=not_applicable,
            )
        )
    return RatingsTable(
        subjects=_unique([(one.title, f"{one.entity}/{one.record_id}") for one in table.subjects]),
        evaluators=tuple(
            Rater(name=name, type=one.evaluator_type)
            for name, one in zip(
                _unique([(one.label, f"{one.user_name}, {one.evaluator_type.value}") for one in raters]),
                raters,
                strict=True,
            )
        ),
        criteria=tuple(criteria),
        overall=grid({place: one.normalized_score for place, one in cells.items()}),
    )


def _criteria(version: VersionSnapshot, keys: tuple[str, ...]) -> list[tuple[Node, Scale | None]]:
    scales = {fold_id(scale.id): scale for scale in version.scales}
    nodes = {node.key: node for node in version.nodes if node.is_criterion}
    return [(nodes[key], scales.get(fold_id(nodes[key].scale_id or ""))) for key in keys if key in nodes]


def _rating(score: PanelScore, scale: Scale | None) -> Rating:
    if score.is_not_applicable:
        return None
    if score.scale_level_id is None or scale is None:
        return score.raw_value
    index = level_index(scale, score.scale_level_id)
    return None if index is None else float(index)


def _unique(names: list[tuple[str, str]]) -> tuple[str, ...]:
    """Each name; where several are equal, with what tells them apart, and with a number where nothing does."""
    count = Counter(name for name, _ in names)
    found: dict[str, None] = {}
    for name, detail in names:
        told = name if count[name] == 1 else f"{name} ({detail})"
        number, free = 1, told
        while free in found:
            number += 1
            free = f"{told} {number}"
        found[free] = None
    return tuple(found)
