"""The coefficients of a panel as rows of CSV."""

from __future__ import annotations

from collections.abc import Sequence

from rubrictui.core.agreement_report import COEFFICIENTS, AgreementReport, Estimate
from rubrictui.interchange.csv_out import Cell


def agreement_rows(report: AgreementReport) -> tuple[Sequence[str], list[Sequence[Cell]]]:
    """Every coefficient of every criterion, the strictness of evaluators and the pairs: one number a row, with its
    interval or the reason why there is none."""
    header = ("criterion", "first", "second", "measure", "value", "low", "high", "reason", "subjects")
    rows: list[Sequence[Cell]] = []
    for row in (report.overall, *report.criteria):
        rows += [
            (row.key, None, None, name, *estimate_cells(getattr(row, name)), row.sample_size)
            for name in COEFFICIENTS
        ]
        rows += [
            (row.key, one.evaluator, None, "severity", *estimate_cells(one.deviation), one.sample_size)
            for one in row.severity
        ]
        rows += [
            (row.key, pair.first, pair.second, name, *estimate_cells(getattr(pair, name)), pair.sample_size)
            for pair in row.pairs
            for name in ("kappa", "exact_agreement", "mean_absolute_error", "bias")
        ]
    return header, rows


def estimate_cells(one: Estimate) -> tuple[Cell, Cell, Cell, Cell]:
    """Value, ends of its interval, and why one of them is missing."""
    return one.value, one.low, one.high, one.reason.value if one.reason else ""
