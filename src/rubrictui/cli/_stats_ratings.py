"""``stats`` over files of ratings: tables of subjects, evaluators and criteria."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rubrictui.cli._input import STDIN, read_version, shown
from rubrictui.cli._output import Output, counted, number
from rubrictui.cli._parser import UsageError
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.ratings import CriterionRatings, RatingScale, RatingsTable
from rubrictui.interchange.csv_out import Cell
from rubrictui.interchange.ratings_in import Scales, read_ratings

if TYPE_CHECKING:
    from rubrictui.core.agreement_report import AgreementReport, CriterionAgreement, Estimate
    from rubrictui.core.confusion import Confusion
    from rubrictui.core.consensus_panel import PanelConsensus
    from rubrictui.core.diagnostics import Diagnosis
    from rubrictui.core.plots import Plot

Rows = Iterable[Sequence[Cell]]


def table_of(options: argparse.Namespace, data: bytes) -> RatingsTable:
    """The ratings of the command's file.

    Raises:
        InvalidInputError: the file, the version or the declared scale cannot be read.
    """
    if sum(bool(getattr(options, name)) for name in ("version", "levels", "range")) > 1:
        raise UsageError(
            f"{options.parser.prog}: --version, --levels and --range exclude each other.",
            remedy=f"(See {options.parser.prog} --help.)",
        )
    if options.version == STDIN and options.file == STDIN:
        raise UsageError(
            f"{options.parser.prog}: standard input cannot be both the ratings and the version.",
            remedy="Give one of them as a file.",
        )
    version = read_version(options.version, options.scales) if options.version else None
    every = _declared(options)
    return read_ratings(data, shown(options.file), Scales(version, every), encoding=options.encoding)


def _declared(options: argparse.Namespace) -> RatingScale | None:
    if options.levels:
        labels = tuple(label.strip() for label in options.levels.split(","))
        if len({label.casefold() for label in labels}) < len(labels) or not all(labels):
            raise InvalidInputError(
                f'The levels "{options.levels}" are not told apart.', remedy="Write each once: a,b,c."
            )
        return RatingScale(labels=labels)
    if options.range:
        ends, _, step = options.range.partition("/")
        low, dots, high = ends.partition("..")
        try:
            scale = RatingScale(minimum=float(low), maximum=float(high), step=float(step) if step else None)
        except ValueError:
            dots = ""
        if not dots:
            raise InvalidInputError(
                f'"{options.range}" is no range.', remedy="Write it as 0..10, or 0..10/0.5 with a step."
            )
        return scale
    return None


def agreement(options: argparse.Namespace, output: Output, table: RatingsTable) -> None:
    from rubrictui.interchange.agreement_csv import agreement_rows

    report = _report(options, table)
    _give(options, output, report, lambda: _tell_report(report), agreement_rows(report))


def severity(options: argparse.Namespace, output: Output, table: RatingsTable) -> None:
    from rubrictui.interchange.agreement_csv import estimate_cells

    report = _report(options, table)
    chosen = _chosen(report, options.criterion, table)
    header = ("evaluator", "type", "subjects", "deviation", "low", "high", "reason")
    rows = [
        (row.evaluator, row.type, row.sample_size, *estimate_cells(row.deviation)) for row in chosen.severity
    ]
    _give(options, output, chosen.severity, lambda: _tell_severity(chosen), (header, rows))


def consensus(options: argparse.Namespace, output: Output, table: RatingsTable) -> None:
    from rubrictui.core.consensus_panel import panel_consensus

    found = panel_consensus(table, trim=options.trim)
    _give(options, output, found, lambda: _tell_consensus(found), _consensus_csv(found))


def diagnostics(options: argparse.Namespace, output: Output, table: RatingsTable) -> None:
    from rubrictui.core.diagnostics_words import diagnose_table, explain_flag

    found = diagnose_table(table)
    header = ("criterion", "other", "flag", "evaluations", "scored", "value", "limit", "sentence", "advice")
    rows = [
        (
            row.criterion_key,
            row.other_key,
            row.flag.value,
            row.sample_size,
            row.scored,
            row.value,
            row.limit,
            *explain_flag(row),
        )
        for row in found
    ]
    _give(options, output, found, lambda: tell_flags(found), (header, rows))


def confusion(options: argparse.Namespace, output: Output, table: RatingsTable) -> None:
    from rubrictui.core.confusion import coincidences
    from rubrictui.core.confusion import confusion as of_pair

    places = _evaluators(options, table)
    keys = [options.criterion] if options.criterion else [row.key for row in table.criteria]
    found = []
    for row in map(table.criterion, keys):
        if places is None:
            matrix = coincidences(_without_self(table, row))
        else:
            names = (table.evaluators[places[0]].name, table.evaluators[places[1]].name)
            matrix = of_pair(row, *places, names)
        if matrix is None:
            output.say(f'"{row.key}" has no declared levels: give --version, --levels or --range.')
        else:
            found.append(matrix)
    header = ("criterion", "first", "second", "count")
    rows = [
        (one.criterion_key, first, second, count)
        for one in found
        for first, counts in zip(one.labels, one.counts, strict=True)
        for second, count in zip(one.labels, counts, strict=True)
    ]
    _give(options, output, found, lambda: _tell_confusions(found), (header, rows))


def plot(options: argparse.Namespace, output: Output, table: RatingsTable) -> None:
    picture = _plot(options, table)
    if options.out is None:
        if output.json:
            output.data(picture)
            return
        from rubrictui.core.plots_text import plot_text

        output.text(*plot_text(picture, options.width))
        return
    path = Path(options.out)
    if path.suffix.casefold() == ".svg":
        from rubrictui.core.plots_svg import plot_svg

        data = plot_svg(picture).encode()
    elif path.suffix.casefold() == ".png":
        from rubrictui.interchange.plots_png import plot_png

        data = plot_png(picture)
    else:
        raise InvalidInputError(
            f'A plot cannot be written as "{path.name}".', remedy="Give a name that ends with .svg or .png."
        )
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be written: {error.strerror or error}.", remedy="Check the folder."
        ) from None
    output.say(f"Wrote {path}.")


def _plot(options: argparse.Namespace, table: RatingsTable) -> Plot:
    from rubrictui.core import plots

    criterion = table.criterion(options.criterion) if options.criterion else None
    if options.kind == "histogram":
        if criterion is None:
            return plots.overall_histogram(table.without_self())
        return plots.histogram(_without_self(table, criterion))
    if options.kind == "severity":
        report = _report(options, table)
        return plots.severity_plot(report, _chosen(report, options.criterion, table))
    places = _evaluators(options, table)
    if places is None:
        if len(table.evaluators) < 2:
            raise InvalidInputError(
                "A Bland-Altman plot compares two evaluators, and the file has one.", remedy="Add another."
            )
        places = (0, 1)
    return plots.bland_altman(table, *places, criterion)


def _without_self(table: RatingsTable, row: CriterionRatings) -> CriterionRatings:
    return table.without_self().criterion(row.key)


def _evaluators(options: argparse.Namespace, table: RatingsTable) -> tuple[int, int] | None:
    given = options.evaluators
    if given is None:
        return None
    return table.evaluator(given[0]), table.evaluator(given[1])


def _chosen(report: AgreementReport, key: str | None, table: RatingsTable) -> CriterionAgreement:
    if key is None:
        return report.overall
    table.criterion(key)
    return next(row for row in report.criteria if row.key == key)


def _report(options: argparse.Namespace, table: RatingsTable) -> AgreementReport:
    from rubrictui.cli._progress import Bar
    from rubrictui.core.agreement_report import agreement_report

    with Bar("resamples") as bar:
        return agreement_report(
            table,
            minimum_sample=options.minimum_sample,
            resamples=options.resamples,
            seed=options.seed,
            progress=bar.show,
        )


def _give(
    options: argparse.Namespace,
    output: Output,
    value: object,
    tell: Callable[[], list[str]],
    table: tuple[Sequence[str], Rows],
) -> None:
    """The result in the form that was asked for."""
    if options.csv:
        from rubrictui.interchange.csv_out import write_csv

        output.raw(write_csv(*table))
    elif output.json:
        output.data(value)
    else:
        output.text(*tell())


def _consensus_csv(found: PanelConsensus) -> tuple[Sequence[str], Rows]:
    names = (
        "mean",
        "median",
        "trimmed_mean",
        "std_dev",
        "range",
        "low",
        "high",
        "sample_size",
        "human_mean",
        "human_count",
        "ai_mean",
        "ai_count",
        "self_score",
    )
    rows = [
        (one.subject, row.key, *(getattr(row, name) for name in names))
        for one in found.subjects
        for row in (one.overall, *one.criteria)
    ]
    return ("subject", "criterion", *names), rows


def _interval(one: Estimate) -> str:
    """The interval, or why there is none."""
    from rubrictui.core.agreement_report import REASON_WORDS, Reason

    if one.low is not None and one.high is not None:
        return f"{number(one.low, 3)} to {number(one.high, 3)}"
    return "" if one.reason in (None, Reason.NOT_ASKED) else REASON_WORDS[one.reason]


def _tell_report(report: AgreementReport) -> list[str]:
    from rubrictui.cli._output import aligned
    from rubrictui.core.agreement_report import COEFFICIENTS

    lines: list[str] = []
    for row in (report.overall, *report.criteria):
        lines += [
            f"{row.name}: {counted(row.sample_size, 'subject')} with two ratings or more, "
            f"{counted(row.raters, 'rater')}"
        ]
        if row.withheld:
            lines += [f"  withheld: at least {max(1, report.minimum_sample)} subjects are needed", ""]
            continue
        cells = [
            (f"  {words}", number(getattr(row, name).value, 3), _interval(getattr(row, name)))
            for name, words in COEFFICIENTS.items()
        ]
        lines += aligned(("  measure", "value", "95% interval"), cells, right=(1,))
        if row.most_used is not None and row.most_used_share is not None:
            lines.append(f'  used most: "{row.most_used}", {row.most_used_share:.0%} of the ratings')
        lines.append("")
    if len(report.evaluators) > 2 and not report.overall.withheld:
        pairs = [
            (
                f"  {pair.first} and {pair.second}",
                pair.sample_size,
                number(pair.bias.value, 3),
                number(pair.kappa.value, 3),
                _interval(pair.kappa),
            )
            for pair in report.overall.pairs
        ]
        header = ("  pair", "n", "bias", "kappa", "95% interval")
        lines += ["Pairs, overall score", *aligned(header, pairs, right=(1, 2, 3))]
        lines.append("")
    return [*lines, *_tell_severity(report.overall)]


def _tell_severity(row: CriterionAgreement) -> list[str]:
    from rubrictui.cli._output import aligned

    if row.withheld:
        return [
            f"Severity, {row.name}: withheld, {counted(row.sample_size, 'subject')} with two ratings or more"
        ]
    cells = [
        (f"  {one.evaluator}", one.sample_size, number(one.deviation.value, 3), _interval(one.deviation))
        for one in sorted(
            row.severity, key=lambda one: (one.deviation.value is None, one.deviation.value or 0)
        )
    ]
    return [
        f"Severity, {row.name}: mean deviation from the others, below 0 is stricter",
        *aligned(("  evaluator", "n", "deviation", "95% interval"), cells, right=(1, 2)),
    ]


def _tell_consensus(found: PanelConsensus) -> list[str]:
    from rubrictui.cli._output import aligned

    rows = [
        (
            row.key,
            number(row.mean, 3),
            number(row.human_mean, 3),
            number(row.ai_mean, 3),
            number(row.disagreement, 3),
            number(row.widest, 3),
            row.widest_subject,
        )
        for row in (found.overall, *found.criteria)
    ]
    subjects = [
        (
            one.subject,
            number(one.overall.mean, 3),
            number(one.overall.median, 3),
            number(one.overall.trimmed_mean, 3),
            number(one.overall.std_dev, 3),
            number(one.overall.range, 3),
            one.overall.sample_size,
        )
        for one in found.subjects
    ]
    return [
        *aligned(
            ("criterion", "mean", "people", "AI", "mean range", "widest", "where"),
            rows,
            right=(1, 2, 3, 4, 5),
        ),
        "",
        *aligned(
            ("subject", "mean", "median", "trimmed", "deviation", "range", "n"),
            subjects,
            right=(1, 2, 3, 4, 5, 6),
        ),
    ]


def tell_flags(found: Iterable[Diagnosis]) -> list[str]:
    """Flags in words."""
    from rubrictui.core.diagnostics_words import explain_flag

    lines: list[str] = []
    for row in found:
        sentence, advice = explain_flag(row)
        lines += [f"{row.flag.value}: {sentence}", f"  {advice}"]
    return lines or ["no flags"]


def _tell_confusions(found: Sequence[Confusion]) -> list[str]:
    from rubrictui.cli._output import aligned

    lines: list[str] = []
    for one in found:
        title = (
            f"{one.criterion_key}: {one.first} down, {one.second} across, {counted(one.total, 'subject')}"
            if one.first
            else f"{one.criterion_key}: every pair of ratings of a subject, both ways round"
        )
        # Of a long scale, the categories that nobody used say nothing.
        used = [
            place
            for place in range(len(one.labels))
            if len(one.labels) <= 12 or any(one.counts[place]) or any(row[place] for row in one.counts)
        ]
        rows = [(one.labels[place], *(one.counts[place][other] for other in used)) for place in used]
        header = ("", *(one.labels[place] for place in used))
        lines += [title, *aligned(header, rows, right=range(1, len(header))), ""]
    return lines
