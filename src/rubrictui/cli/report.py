"""``report`` and ``letters``: a round for those who read about it, and for those scored in it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rubrictui.cli._output import Output, counted
from rubrictui.cli._parser import Commands, UsageError
from rubrictui.cli._stats_options import add_sampling_options

if TYPE_CHECKING:
    from rubrictui.core.round_report import RoundFacts, RoundReport

FORMATS = ("markdown", "html", "csv")
LETTERS = ("markdown", "html", "text")
GATES = ("any", "half", "all")


def register(commands: Commands) -> None:
    parser = commands.add(
        "report",
        "a round's report: scores, ranks, agreement, what was settled, how it was made",
        run_report,
        description="The report of a round as Markdown, as one HTML page with its plots, or as CSV files in a folder. Only "
        "what you may see: subjects on which you have open work are left out, and the report says how many. Without "
        "--to, Markdown and HTML are printed.",
        examples=[
            "rubrictui report Round/spring --format html --to spring.html",
            "rubrictui report Round/spring --format csv --to spring",
        ],
    )
    parser.add_argument("round", metavar="ROUND", help="a name, Entity/record, or an id")
    parser.add_argument("--format", choices=FORMATS, default="markdown", help="what to write (markdown)")
    parser.add_argument("--to", metavar="FILE", help="where to; a folder for csv")
    parser.add_argument("--gates", choices=GATES, default="half", help="as for rank (half)")
    parser.add_argument("--force", action="store_true", help="write over what is there")
    add_sampling_options(parser)
    parser = commands.add(
        "letters",
        "feedback letters to the people scored, a file for each subject",
        run_letters,
        description="Feedback letters: for each subject of a round its score, why it came out so, and what the reviewers "
        "answered and wrote, by name or numbered anew in each letter as the round says (round change --naming). Takes a "
        "role that reads all evaluations; subjects on which you have open work get none. The wording is a template's.",
        examples=[
            "rubrictui letters Round/spring --to letters",
            "rubrictui letters --show-template markdown > letter.md",
            "rubrictui letters Round/spring --to letters --template letter.md",
        ],
    )
    parser.add_argument("round", metavar="ROUND", nargs="?", help="a name, Entity/record, or an id")
    parser.add_argument("--to", metavar="DIR", help="the folder to write into")
    parser.add_argument(
        "--format", choices=LETTERS, action="append", help="markdown and html when left out; may repeat"
    )
    parser.add_argument(
        "--template",
        metavar="FILE",
        action="append",
        help="a wording of your own, .md, .html or .txt; may repeat",
    )
    parser.add_argument("--gates", choices=GATES, default="half", help="as for rank (half)")
    parser.add_argument("--force", action="store_true", help="write over letters that are there")
    parser.add_argument(
        "--show-template", choices=LETTERS, help="print the wording that ships, and write nothing"
    )


def run_report(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.core.matrix import hidden_words
    from rubrictui.interchange.round_report_out import ReportFormat, report_page, write_report

    form = ReportFormat(options.format)
    if form is ReportFormat.CSV and options.to is None:
        raise UsageError(f"{options.parser.prog}: csv is a folder of files.", remedy="Name it with --to.")
    if output.json and options.to is None and form is not ReportFormat.MARKDOWN:
        raise UsageError(
            f"{options.parser.prog}: --json and --format exclude each other.", remedy="Choose one."
        )
    report = _measured(options)
    hidden = len(report.facts.table.hidden)
    if options.to is None:
        if output.json:
            output.data(report)
        else:
            output.raw(report_page(report, form))
        return 0
    written = write_report(report, form, Path(options.to), force=options.force)
    if output.json:
        output.data(
            {
                "files": [str(path) for path in written],
                "format": form.value,
                "subjects": len(report.lines),
                "hidden": hidden,
                "disagreements": len(report.disagreeing),
                "settled": len(report.facts.standing),
            }
        )
        return 0
    output.text(*(str(path) for path in written))
    output.say(f"The report is about {counted(len(report.lines), 'subject')}.")
    if hidden:
        output.say(hidden_words(hidden))
    return 0


def _measured(options: argparse.Namespace) -> RoundReport:
    from rubrictui.cli._progress import Bar
    from rubrictui.cli._store import open_engine
    from rubrictui.core.round_report import round_report

    with open_engine(options) as engine:
        facts = engine.round_facts(options.round)
    with Bar("resamples") as bar:
        return round_report(
            facts,
            gates=options.gates,
            minimum_sample=options.minimum_sample,
            resamples=options.resamples,
            seed=options.seed,
            progress=bar.show,
        )


def run_letters(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.interchange.letters_out import (
        FORMAT_NAMES,
        LetterTemplates,
        shipped_template,
        write_letters,
    )

    if options.show_template is not None:
        output.raw(shipped_template(FORMAT_NAMES[options.show_template]))
        return 0
    if options.round is None or options.to is None:
        raise UsageError(
            f"{options.parser.prog}: name a round, and a folder with --to.",
            remedy=f"(See {options.parser.prog} --help.)",
        )
    if options.template and options.format:
        raise UsageError(
            f"{options.parser.prog}: --template and --format exclude each other.",
            remedy="The ending of a template is its format.",
        )
    templates = (
        LetterTemplates.of_files([Path(name) for name in options.template])
        if options.template
        else LetterTemplates(
            [FORMAT_NAMES[name] for name in dict.fromkeys(options.format or ("markdown", "html"))]
        )
    )
    from rubrictui.cli._progress import Bar
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        facts = engine.letter_facts(options.round)
    with Bar("files") as bar:
        written = write_letters(
            facts, Path(options.to), templates, gates=options.gates, force=options.force, progress=bar.show
        )
    if output.json:
        output.data(
            {
                "letters": written.letters,
                "files": [str(path) for path in written.files],
                "without": [{"why": why, "subjects": names} for why, names in written.without],
            }
        )
        return 0
    output.text(*(str(path) for path in written.files))
    output.say(
        f"{counted(written.letters, 'letter')}, reviewers {facts.round.rules.naming.value}.", *_notes(facts)
    )
    output.say(*(f"No letter for {counted(len(names), 'subject')}: {why}." for why, names in written.without))
    return 0


def _notes(facts: RoundFacts) -> list[str]:
    if facts.round.state == "Closed":
        return []
    return ["The round is still open, and the letters say so."]
