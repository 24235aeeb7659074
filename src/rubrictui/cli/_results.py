"""One evaluation as lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rubrictui.cli._output import number, short
from rubrictui.cli._times import shown_time

if TYPE_CHECKING:
    from rubrictui.core.ranges import DisplayRange
    from rubrictui.core.records import Cohort, Evaluation, EvaluationDetail, EvaluationScore


def evaluation_lines(detail: EvaluationDetail) -> list[str]:
    """Who scored what, the result and its reason, every answer, and the cohort where it may be seen."""
    from rubrictui.core.explain import explain_outcome, overall_score
    from rubrictui.core.ranges import DisplayRange
    from rubrictui.core.score_of_record import score_of_record

    found, version = detail.evaluation, detail.version
    display = DisplayRange.of(version)
    lines = [
        f"{found.subject_title} [{detail.subject.entity}/{detail.subject.record_id}]",
        f"{found.rubric_name} {found.version_number}"
        + (f", for {found.context_name}" if found.context_name else ""),
        f"{evaluator_words(found)}, {found.status} {shown_time(found.submitted_at or found.updated_at)}".rstrip(),
    ]
    if found.end_reason:
        lines.append(f"reason: {found.end_reason}")
    if found.error_message:
        lines.append(f"error: {found.error_message}")
    result = detail.result
    if result is not None:
        shown = overall_score(version, result) or "–"
        band = next((band.label for band in version.bands if band.id == result.band_id), None)
        words = [f"score {shown} of {number(version.score_display_max)}", str(result.outcome)]
        words += [band] if band else []
        words.append(f"completeness {number(result.completeness)}")
        lines += ["", " · ".join(words), explain_outcome(version, result)]
    record = score_of_record(found)
    if record is not None:
        lines.append(f"score of record, by the {record.kind}'s own rules: {record.words}")
    lines += ["", *_answer_lines(detail, display)]
    if detail.cohort is not None:
        lines += ["", *cohort_lines(detail.cohort, display)]
        if detail.cohort.count > 1 and detail.deviation_from_cohort_mean is not None:
            apart = display.spread(detail.deviation_from_cohort_mean, 2)
            lines.append(f"this one deviates from the mean by {apart}")
    return lines


def evaluator_words(evaluation: Evaluation, names: Mapping[str, str] | None = None) -> str:
    """``Human Aline Moreau``, ``AIPrompt judge-2 (by Robot)``; ``names`` has people by login, told apart."""
    person = (names or {}).get(evaluation.evaluator_user_name, evaluation.person)
    if evaluation.evaluator_name:
        return f"{evaluation.evaluator_type} {evaluation.evaluator_name} (by {person})"
    return f"{evaluation.evaluator_type} {person}"


def _answer_lines(detail: EvaluationDetail, display: DisplayRange) -> list[str]:
    from rubrictui.cli._trees import depths, walk

    rows = {row.node_id: row for row in detail.scores}
    labels = {level.id: level.label for scale in detail.version.scales for level in scale.levels}
    depth = depths(detail.version)
    lines: list[str] = []
    for node in walk(detail.version):
        row = rows.get(node.id)
        indent = "  " * depth[node.id]
        words = [f"{indent}{node.name or node.key}"]
        words += _row_words(row, labels, display) if row is not None else ["not answered"]
        lines.append(" · ".join(words))
        if row is None:
            continue
        if row.rationale:
            lines += [f"{indent}    {line}" for line in row.rationale.strip().splitlines()]
        lines += [
            f"{indent}    {item.kind}: {short(item.text, 100)}" + (f" ({item.source})" if item.source else "")
            for item in row.evidence
        ]
    return lines


def _row_words(row: EvaluationScore, labels: dict[str, str], display: DisplayRange) -> list[str]:
    words = []
    if row.is_not_applicable:
        words.append("n/a")
    elif row.scale_level_id is not None:
        words.append(labels.get(row.scale_level_id, row.scale_level_id))
    elif row.raw_value is not None:
        words.append(number(row.raw_value))
    words.append(f"score {display.score(row.normalized_score, 2)}")
    if row.effective_weight is not None:
        words.append(f"share {number(row.effective_weight)}")
    if row.overall_contribution is not None:
        words.append(f"points {display.spread(row.overall_contribution, 2)}")
    if row.gate_failed:
        words.append("gate failed")
    if row.is_advisory:
        words.append("advisory")
    return words


def cohort_lines(cohort: Cohort, display: DisplayRange) -> list[str]:
    """The cohort columns that have a value."""
    lines = [
        f"cohort of {cohort.count}: mean {display.score(cohort.mean, 2)}, "
        f"standard deviation {display.spread(cohort.std_dev, 2)}"
    ]
    parts = [
        f"{name} {display.score(value, 2)}"
        for name, value in (
            ("lowest", cohort.min),
            ("highest", cohort.max),
            ("people", cohort.human_mean),
            ("AI", cohort.ai_mean),
            ("self", cohort.self_score),
        )
        if value is not None
    ]
    if parts:
        lines.append(", ".join(parts))
    return lines
