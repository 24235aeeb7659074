"""``evaluations import``: answers that were given elsewhere, scored and stored."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rubrictui.cli._output import Output, counted
from rubrictui.cli._parser import Commands

if TYPE_CHECKING:
    from rubrictui.core.model import VersionSnapshot
    from rubrictui.engine.errors import ScoresRefusedError
    from rubrictui.engine.importing_scores import ScoresReport

TYPES = ("External", "Self", "AIPrompt", "Agent", "Deterministic")


def register(commands: Commands) -> None:
    parser = commands.add(
        "import",
        "take in answers that were given elsewhere",
        run,
        description="Take in evaluations from CSV, JSON Lines, JSON or a log of Inspect (.json, .eval), and score "
        "them. A row names a subject and has a column (or key) for each criterion, or it has the columns criterion "
        "and answer, a row for each answer. An answer is the label of a level, a number, or N/A. KEY.rationale, "
        "KEY.confidence and KEY.evidence go with it.\n\n"
        "Everything is stored in one transaction, or nothing: each error is one line FILE:ROW:COLUMN. The same file "
        "twice changes nothing.",
        examples=[
            'rubrictui evaluations import self.csv --rubric "Vendor proposal" --type Self --entity Bid',
            'rubrictui evaluations import run.eval --rubric "Agent evaluation" --evaluator match '
            "--map match=correct --levels C=Meets,I=Miss --add-subjects",
        ],
    )
    parser.add_argument("file", metavar="FILE", help="the file; - is standard input")
    parser.add_argument("--rubric", metavar="RUBRIC[@VERSION]", required=True, help="what the answers are to")
    parser.add_argument("--type", choices=TYPES, default="External", help="who answered (External)")
    parser.add_argument("--evaluator", metavar="NAME", help="which source or judge; none for Self")
    parser.add_argument("--context", metavar="REF", help="what the subjects were scored for")
    parser.add_argument("--entity", metavar="NAME", help="of subjects that are named without one")
    parser.add_argument(
        "--map",
        metavar="NAME=CRITERION",
        action="append",
        default=[],
        help="the criterion (its key) that a column or a score answers; may repeat",
    )
    parser.add_argument(
        "--levels",
        metavar="VALUE=LABEL",
        action="append",
        default=[],
        help="what a value means, as C=Meets,I=Miss; may repeat",
    )
    parser.add_argument(
        "--ignore", metavar="NAME", action="append", default=[], help="a column to leave out; may repeat"
    )
    parser.add_argument("--encoding", metavar="NAME", help="the encoding, where it is not UTF-8 or marked")
    parser.add_argument(
        "--add-subjects", action="store_true", help="store the samples of a log that are no subjects yet"
    )
    parser.add_argument(
        "--supersede", action="store_true", help="replace this evaluator's last answers where they differ"
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing: tell what would be stored")


def run(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import read_bytes, shown
    from rubrictui.cli._store import open_engine
    from rubrictui.core.records import EvaluatorType
    from rubrictui.engine.errors import ScoresRefusedError
    from rubrictui.interchange.scores_in import ScoreOptions, mapping_of, read_scores

    given = ScoreOptions(
        entity=options.entity,
        columns=mapping_of(options.map, "--map"),
        levels=mapping_of(options.levels, "--levels"),
        ignored=tuple(options.ignore),
        encoding=options.encoding,
    )
    data = read_bytes(options.file)
    with open_engine(options, read_only=options.dry_run) as engine:
        version = engine.version_to_score(options.rubric, options.context)
        read = read_scores(data, shown(options.file), version, given)
        try:
            report = engine.import_scores(
                read,
                version=version.id,
                evaluator_type=EvaluatorType(options.type),
                evaluator_name=options.evaluator,
                context=options.context,
                add_subjects=options.add_subjects,
                supersede=options.supersede,
                dry_run=options.dry_run,
            )
        except ScoresRefusedError as error:
            return _refuse(error, output)
    if output.json:
        output.data({"dry_run": options.dry_run, **_answer(report)})
    else:
        _tell(report, version, output, dry_run=options.dry_run)
        if options.dry_run:
            output.say("A dry run: nothing was written.")
    return 0


def _refuse(error: ScoresRefusedError, output: Output) -> int:
    for problem in error.problems:
        output.say(str(problem))
    output.say("Nothing was imported.")
    if output.json:
        first = error.problems[0]
        output.data(
            {
                "error": {
                    "kind": first.code,
                    "key": None,
                    "message": first.message,
                    "remedy": "",
                    "problems": error.problems,
                }
            }
        )
    return 1


def _answer(report: ScoresReport) -> dict[str, Any]:
    import msgspec

    return {name: getattr(report, name) for name in msgspec.structs.asdict(report)}


def _tell(report: ScoresReport, version: VersionSnapshot, output: Output, *, dry_run: bool) -> None:
    from rubrictui.core.ranges import DisplayRange

    display = DisplayRange.of(version)
    would_be = "would be " if dry_run else ""
    output.table(
        ("subject", "row", "status", "score", "outcome", "unanswered"),
        [
            (
                one.subject,
                one.row,
                one.status,
                "hidden" if one.is_hidden else display.score(one.score, 2),
                one.outcome,
                ", ".join(one.unanswered),
            )
            for one in report.scores
        ],
        right=(1, 3),
    )
    if report.notes:
        output.say("Not carried over:", *(f"  {note}" for note in report.notes))
    if report.subjects_added:
        output.say(f"{counted(len(report.subjects_added), 'subject')} {would_be}added.")
    replaced = report.count("superseded")
    output.say(
        f"{counted(report.count('new') + replaced, 'evaluation')} "
        f'{would_be}imported with "{report.rubric_name}" {report.version_number}'
        + (f", {replaced} in the place of others" if replaced else "")
        + f"; {report.count('unchanged')} were there already."
    )
