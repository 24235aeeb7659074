"""The numbers of a round's report as CSV: one file for each table that a spreadsheet would hold, in one folder.

Scores, spreads and bands' edges are 0 to 1, as they are stored; ``display_score`` is on the range that the rubric's
author chose. Instants are ISO 8601 in UTC. An empty cell is a value that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from rubrictui.core.adjudication import Adjudication
from rubrictui.core.diagnostics_words import explain_flag
from rubrictui.core.explain import display_score
from rubrictui.core.matrix_building import subject_matrix
from rubrictui.core.round_report import RoundReport, evaluator_lines
from rubrictui.core.round_report_words import report_text
from rubrictui.interchange.agreement_csv import agreement_rows, estimate_cells
from rubrictui.interchange.csv_out import Cell, write_csv

Rows = Iterator[Sequence[Cell]]


def report_files(report: RoundReport) -> dict[str, str]:
    """The files by name, in the order in which people look at them."""
    return {
        "subjects.csv": write_csv(*_subjects(report)),
        "evaluations.csv": write_csv(*_evaluations(report)),
        "answers.csv": write_csv(*_answers(report)),
        "criteria.csv": write_csv(*_criteria(report)),
        "evaluators.csv": write_csv(*_evaluators(report)),
        "agreement.csv": write_csv(*agreement_rows(report.agreement)),
        "settled.csv": write_csv(*_settled(report)),
        "flags.csv": write_csv(*_flags(report)),
        "about.csv": write_csv(*_about(report)),
    }


def _subjects(report: RoundReport) -> tuple[Sequence[str], Rows]:
    version = report.facts.table.version

    def rows() -> Rows:
        for line in report.lines:
            one = line.settled
            yield (
                line.place, line.subject.title, line.subject.entity, line.subject.record_id, line.score,
                display_score(version, line.score), line.band.label if line.band else None, line.count, line.passed,
                line.median, line.lowest, line.spread, line.gates_failed, line.flips, line.disagrees, line.note,
                one.score if one else None, one.display_score if one else None, one.outcome.value if one else None,
            )  # fmt: skip

    header = (
        "place", "subject", "entity", "record", "score", "display_score", "band", "scores", "passed", "median", "lowest",
        "spread", "gates_failed", "verdicts_differ", "disagrees", "note", "settled_score", "settled_display_score",
        "settled_outcome",
    )  # fmt: skip
    return header, rows()


def _evaluations(report: RoundReport) -> tuple[Sequence[str], Rows]:
    table = report.facts.table
    subjects = {one.id: one for one in table.subjects}

    def rows() -> Rows:
        for one in table.evaluations:
            subject = subjects[one.subject_id]
            yield (
                subject.title, subject.entity, subject.record_id, one.label, one.user_name, one.evaluator_type.value,
                one.status.value, one.counts, one.version_number, _time(one.submitted_at), one.normalized_score,
                display_score(table.version, one.normalized_score), one.outcome.value if one.outcome else None,
                one.passed, one.gate_failed, one.completeness, one.confidence, one.end_reason, one.id,
            )  # fmt: skip

    header = (
        "subject", "entity", "record", "evaluator", "login", "kind", "status", "counts", "version", "submitted_at",
        "score", "display_score", "outcome", "passed", "gate_failed", "completeness", "confidence", "end_reason", "id",
    )  # fmt: skip
    return header, rows()


def _answers(report: RoundReport) -> tuple[Sequence[str], Rows]:
    """Every answer of every evaluation that stands, one a row: what a pivot table is made of."""
    table = report.facts.table
    header = (
        "subject",
        "entity",
        "record",
        "evaluator",
        "kind",
        "counts",
        "criterion",
        "answer",
        "score",
        "gate_failed",
    )

    def rows() -> Rows:
        for alone in table.by_subject():
            subject = alone.subjects[0]
            matrix = subject_matrix(alone)
            for row in matrix.rows:
                if row.is_group or row.is_overall:
                    continue
                for column, cell in zip(matrix.columns, row.cells, strict=True):
                    if cell is not None and column.status == "Submitted":
                        yield (
                            subject.title, subject.entity, subject.record_id, column.name,
                            column.evaluator_type.value, column.counts, row.key, cell.answer, cell.score,
                            cell.gate_failed,
                        )  # fmt: skip

    return header, rows()


def _criteria(report: RoundReport) -> tuple[Sequence[str], Rows]:
    header = (
        "criterion", "name", "subjects", "mean", "people", "ai", "between_subjects", "within_a_subject", "widest",
        "widest_subject",
    )  # fmt: skip
    return header, (
        (
            one.key, one.name, one.subjects, one.mean, one.human_mean, one.ai_mean, one.std_dev, one.disagreement,
            one.widest, one.widest_subject,
        )
        for one in (report.overall, *report.criteria)
    )  # fmt: skip


def _evaluators(report: RoundReport) -> tuple[Sequence[str], Rows]:
    overall = report.agreement.overall
    strict = {} if overall.withheld else {one.evaluator: one for one in overall.severity}
    header = (
        "evaluator", "kind", "given", "assigned", "done", "overdue", "declined", "released", "withdrawn", "superseded",
        "mean", "strictness", "low", "high", "reason", "subjects",
    )  # fmt: skip

    def rows() -> Rows:
        for line in evaluator_lines(report):
            one = strict.get(line.name)
            is_asked = line.assigned is not None
            yield (
                line.name, line.evaluator_type.value, line.counting, line.assigned,
                *((line.submitted, line.overdue, line.declined, line.released) if is_asked else (None,) * 4),
                line.withdrawn, line.superseded, line.mean,
                *(estimate_cells(one.deviation) if one else (None, None, None, "too_few_subjects" if overall.withheld else "")),
                one.sample_size if one else None,
            )  # fmt: skip

    return header, rows()


def _settled(report: RoundReport) -> tuple[Sequence[str], Rows]:
    lines = {line.subject.id: line for line in report.lines}
    header = (
        "subject", "entity", "record", "before", "spread", "passed", "scores", "settled_score", "settled_display_score",
        "settled_outcome", "reason", "note", "by", "settled_at", "stands", "corrected_at",
    )  # fmt: skip

    def row(one: Adjudication) -> Sequence[Cell]:
        line = lines.get(one.subject_id)
        about: Sequence[Cell] = (one.subject_title, *(None,) * 6)
        if line is not None:
            about = (
                line.subject.title, line.subject.entity, line.subject.record_id, line.score, line.spread, line.passed,
                line.count,
            )  # fmt: skip
        return (
            *about, one.score, one.display_score, one.outcome.value, one.reason, one.note, one.adjudicator_name,
            _time(one.settled_at), one.superseded_at is None, _time(one.superseded_at),
        )  # fmt: skip

    return header, (row(one) for one in report.facts.settled)


def _flags(report: RoundReport) -> tuple[Sequence[str], Rows]:
    header = ("criterion", "other", "flag", "value", "limit", "evaluations", "scored", "found", "advice")
    return header, (
        (
            one.criterion_key, one.other_key, one.flag.value, one.value, one.limit, one.sample_size, one.scored,
            *explain_flag(one),
        )
        for one in report.diagnoses
    )  # fmt: skip


def _about(report: RoundReport) -> tuple[Sequence[str], Rows]:
    """How it was made and what it leaves out, in the sentences of the report."""
    said = report_text(report)
    wanted = ("In short", "What these figures leave out", "Methods")

    def rows() -> Rows:
        yield ("Report", f"{said.title} · {said.about}")
        yield ("Report", said.made)
        for section in said.sections:
            if section.title in wanted:
                for sentence in section.sentences:
                    yield (section.title, sentence)
                for table in section.tables:
                    for row in table.rows:
                        yield (table.caption or section.title, _joined(table.header, row))

    return ("part", "sentence"), rows()


def _joined(header: Iterable[str], row: Iterable[str]) -> str:
    pairs = zip(header, row, strict=True)
    return ", ".join(f"{name} {cell}".strip() for name, cell in pairs if cell)


def _time(instant: datetime | None) -> str | None:
    return None if instant is None else instant.astimezone(UTC).isoformat(timespec="seconds")
