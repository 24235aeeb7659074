"""``matrix``, ``rank`` and ``agreement``: the evaluators of a subject or of a round, side by side."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rubrictui.cli._output import Output, counted
from rubrictui.cli._parser import Commands, Parser, UsageError
from rubrictui.cli._stats_options import add_sampling_options

if TYPE_CHECKING:
    from rubrictui.core.adjudication import Adjudication
    from rubrictui.core.matrix import Matrix
    from rubrictui.core.panel_tables import PanelTable
    from rubrictui.core.ranking import Ranking

MEASURES = ("agreement", "severity", "consensus", "diagnostics", "confusion", "plot")
PLOTS = ("histogram", "severity", "bland-altman")


def register(commands: Commands) -> None:
    parser = commands.add(
        "matrix",
        "evaluators side by side: of one subject, or of a round",
        run_matrix,
        description="The evaluations of a subject side by side: evaluators across, criteria down, with means, spreads "
        "and verdicts that differ. Without SUBJECT, the subjects of the round down. Only what you may see: while "
        "you have open work on a subject, what others gave it is left out.",
        examples=[
            "rubrictui matrix --round Round/spring Bid/north",
            "rubrictui matrix --round Round/spring --html > spring.html",
        ],
    )
    parser.add_argument("subject", metavar="SUBJECT", nargs="?", help="Entity/record, or an id")
    parser.add_argument(
        "--round", metavar="ROUND", help="what it was scored for (a name, Entity/record, or an id)"
    )
    parser.add_argument("--rubric", metavar="RUBRIC", help="a rubric's name (that of the round)")
    parser.add_argument("--major", metavar="NUMBER", type=_major, help="the major version (the latest)")
    parser.add_argument(
        "--threshold", metavar="SPREAD", type=_share, help="a disagreement from here on, 0 to 1"
    )
    parser.add_argument("--by-spread", action="store_true", help="the widest spread first")
    parser.add_argument("--superseded", action="store_true", help="superseded evaluations too")
    _format_options(parser)
    parser = commands.add(
        "rank",
        "rank the subjects of a round",
        run_rank,
        description="Rank the subjects of a round by the mean of the evaluations that count. Subjects that a gate "
        "keeps out, and those without a score, have no place. Equal means are parted by the larger share that passed, "
        "then the higher median, then the higher lowest score; what is still equal shares a place.",
        examples=["rubrictui rank Round/spring --gates any --csv"],
    )
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument("--rubric", metavar="RUBRIC", help="a rubric's name (that of the round)")
    parser.add_argument("--major", metavar="NUMBER", type=_major, help="the major version (the latest)")
    parser.add_argument(
        "--gates",
        choices=("any", "half", "all"),
        default="half",
        help="in how many evaluations a gate must have failed to keep a subject out (half)",
    )
    _format_options(parser)
    parser = commands.add(
        "agreement",
        "how far the panel of a round agrees",
        run_agreement,
        description="Statistics of a round's evaluations: chance-corrected agreement with intervals, how strict each "
        "evaluator is, consensus, item analysis, confusion matrices, plots. Submitted evaluations count; "
        "self-assessments and subjects on which you have open work do not.",
        examples=[
            "rubrictui agreement Round/spring",
            "rubrictui agreement Round/spring --measure plot --kind severity --out severity.svg",
        ],
    )
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument("--rubric", metavar="RUBRIC", help="a rubric's name (that of the round)")
    parser.add_argument("--major", metavar="NUMBER", type=_major, help="the major version (the latest)")
    parser.add_argument("--measure", choices=MEASURES, default="agreement", help="what to tell (agreement)")
    parser.add_argument("--criterion", metavar="KEY", help="only this criterion (severity, confusion, plot)")
    parser.add_argument(
        "--evaluators", metavar="NAME", nargs=2, help="only these two (confusion, bland-altman)"
    )
    parser.add_argument("--kind", choices=PLOTS, default="histogram", help="of the plot (histogram)")
    parser.add_argument("--out", metavar="FILE", help="write the plot here, .svg or .png")
    parser.add_argument("--width", metavar="CELLS", type=int, default=72, help="of a plot as text (72)")
    parser.add_argument(
        "--trim",
        metavar="SHARE",
        type=float,
        default=0.1,
        help="what the trimmed mean drops from each end (0.1)",
    )
    parser.add_argument("--csv", action="store_true", help="print CSV")
    add_sampling_options(parser)


def _format_options(parser: Parser) -> None:
    parser.add_argument("--csv", action="store_true", help="print CSV")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--html", action="store_true", help="print one HTML page")


def _major(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f'"{text}" is no major version; write a number such as 1')
    return int(text)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no spread; write a number from 0 to 1')
    return value


def run_matrix(options: argparse.Namespace, output: Output) -> int:
    _one_format(options)
    if options.subject is None and options.round is None:
        raise UsageError(
            f"{options.parser.prog}: name a subject, or a round with --round.",
            remedy=f"(See {options.parser.prog} --help.)",
        )
    from rubrictui.core.matrix_building import round_matrix, subject_matrix
    from rubrictui.core.ranking import rank

    table = _table(options)
    if options.subject is None:
        ranking = rank(table)
        matrix = round_matrix(table, order=ranking.order, details=ranking.places)
        _give_matrix(options, output, matrix, what="Subject", method=ranking.method)
    else:
        _give_matrix(options, output, subject_matrix(table), what="Criterion")
    return 0


def run_rank(options: argparse.Namespace, output: Output) -> int:
    _one_format(options)
    from rubrictui.core.matrix_building import round_matrix
    from rubrictui.core.ranking import rank

    options.subject = options.threshold = None
    options.by_spread = options.superseded = False
    table, settled = _round_with_settlements(options)
    ranking = rank(table, gates=options.gates)
    if options.csv:
        from rubrictui.interchange.matrix_out import ranking_csv

        output.raw(ranking_csv(ranking))
    elif output.json:
        output.data({"method": ranking.method, "ranking": ranking, "settled": list(settled.values())})
    elif options.markdown or options.html:
        matrix = round_matrix(table, order=ranking.order, details=ranking.places)
        _give_matrix(options, output, matrix, what="Subject", method=ranking.method)
    else:
        _tell_ranking(output, table, ranking, settled)
    return 0


def run_agreement(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli import _stats_ratings
    from rubrictui.core.matrix import hidden_words
    from rubrictui.core.panel_ratings import ratings_of

    options.subject = None
    table = _table(options)
    if table.hidden:
        output.say(hidden_words(len(table.hidden)))
    ratings = ratings_of(table)
    if not ratings.evaluators:
        output.say("There is no submitted evaluation that you may see.")
    getattr(_stats_ratings, options.measure)(options, output, ratings)
    return 0


def _table(options: argparse.Namespace) -> PanelTable:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        if options.subject is None:
            return engine.round_table(options.round, rubric=options.rubric, major=options.major)
        return engine.matrix_table(
            subject=options.subject, rubric=options.rubric, context=options.round, major=options.major
        )


def _round_with_settlements(options: argparse.Namespace) -> tuple[PanelTable, dict[str, Adjudication]]:
    """The table of a round, and by subject what was settled on the rubric and major that it is about."""
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        table = engine.round_table(options.round, rubric=options.rubric, major=options.major)
        found = engine.adjudications(options.round)
        versions = {one.version_id: engine.version(one.version_id) for one in found}
    return table, {
        one.subject_id: one
        for one in found
        if versions[one.version_id].rubric_id == table.rubric_id
        and versions[one.version_id].major_version == table.major
    }


def _one_format(options: argparse.Namespace) -> None:
    given = [name for name in ("csv", "markdown", "html", "json") if getattr(options, name)]
    if len(given) > 1:
        words = " and ".join(f"--{name}" for name in given)
        raise UsageError(f"{options.parser.prog}: {words} exclude each other.", remedy="Choose one.")


def _give_matrix(
    options: argparse.Namespace, output: Output, matrix: Matrix, *, what: str, method: str = ""
) -> None:
    """The matrix in the form that was asked for."""
    from rubrictui.interchange.matrix_out import Format, Options, matrix_text

    chosen = Options(
        with_superseded=options.superseded,
        by_spread=options.by_spread,
        threshold=options.threshold,
        what=what,
        method=method,
    )
    if matrix.is_blind:
        output.say(
            "What others gave this subject is hidden from you while you have work open on it, or until its round "
            "closes."
        )
    if options.csv or options.markdown or options.html:
        form = Format.CSV if options.csv else Format.MARKDOWN if options.markdown else Format.HTML
        output.raw(matrix_text(matrix, form, chosen))
    elif output.json:
        output.data(_json(matrix, chosen.threshold))
    else:
        _tell_matrix(output, matrix, options, what)


def _json(matrix: Matrix, threshold: float | None) -> dict[str, object]:
    from rubrictui.core.matrix import disagreement_count

    mark = matrix.threshold if threshold is None else threshold
    return {
        "title": matrix.title,
        "threshold": mark,
        "disagreements": disagreement_count(matrix, mark),
        "disagreeing": [row.key for row in matrix.rows if row.disagrees(mark) and not row.is_overall],
        "is_blind": matrix.is_blind,
        "hidden": matrix.hidden,
        "columns": matrix.columns,
        "rows": matrix.rows,
    }


def _tell_matrix(output: Output, matrix: Matrix, options: argparse.Namespace, what: str) -> None:
    from rubrictui.core.matrix import columns_in_view, disagreement_count, hidden_words, rows_in_view
    from rubrictui.interchange.matrix_out import record_notes

    threshold = matrix.threshold if options.threshold is None else options.threshold
    columns = columns_in_view(matrix, with_superseded=options.superseded)
    shown = matrix.display
    rows = []
    for place in rows_in_view(matrix, by_spread=options.by_spread):
        row = matrix.rows[place]
        mark = "≠" if row.flips else "▲" if row.disagrees(threshold) else ""
        cells: list[object] = []
        for column in columns:
            cell = row.cells[column]
            score = "" if cell is None or cell.score is None else shown.score(cell.score)
            cells.append("" if cell is None else f"{cell.answer} {score}".strip())
        name = "  " * len(row.groups) + row.name + (f" {row.detail}" if row.detail else "")
        spread = "" if row.spread is None else shown.spread(row.spread)
        rows.append((mark, name, shown.score(row.mean), spread, *cells))
    output.text(f"{matrix.title} · {matrix.about}")
    names = [matrix.columns[place].heading for place in columns]
    output.table(("", what.lower(), "mean", "spread", *names), rows, right=(2, 3))
    output.text(*record_notes(matrix, columns))
    count = disagreement_count(matrix, threshold)
    output.say(
        f"{counted(count, what.lower(), 'criteria' if what == 'Criterion' else '')} "
        f"{'disagrees' if count == 1 else 'disagree'} (▲ a spread of {shown.spread(threshold, 2)} points or more, "
        "≠ verdicts that differ)."
    )
    if matrix.hidden:
        output.say(hidden_words(matrix.hidden))


def _tell_ranking(
    output: Output, table: PanelTable, ranking: Ranking, settled: dict[str, Adjudication]
) -> None:
    from rubrictui.core.matrix import hidden_words
    from rubrictui.core.ranges import DisplayRange

    shown = DisplayRange.of(table.version)
    rows: list[tuple[object, ...]] = [
        (
            f"{one.place}{'=' if one.shared else ''}",
            one.subject.title,
            shown.score(one.score, 2),
            one.count,
            one.passed,
            shown.spread(one.spread, 2),
            one.tie or (f"gate failed in {one.gates_failed}" if one.gates_failed else ""),
        )
        for one in ranking.ranked
    ]
    rows += [
        ("", one.subject.title, shown.score(one.score, 2), one.count, "", "", one.reason)
        for one in ranking.unranked
    ]
    header: tuple[str, ...] = ("place", "subject", "score", "n", "passed", "spread", "note")
    right: tuple[int, ...] = (0, 2, 3, 4, 5)
    if settled:  # beside the mean: it moves no rank
        header, right = (*header[:3], "settled", *header[3:]), (0, 2, 3, 4, 5, 6)
        rows = [
            (*row[:3], settled[id].display_score if id in settled else "", *row[3:])
            for id, row in zip(ranking.order, rows, strict=True)
        ]
    output.table(header, rows, right=right)
    output.say(ranking.method)
    if settled:
        output.say(
            "Settled is the score of record that an adjudicator gave; it is in no mean and moves no rank."
        )
    if ranking.hidden:
        output.say(hidden_words(ranking.hidden))
