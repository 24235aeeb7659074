"""``evaluations`` and ``consensus``: what was scored, and what the evaluators say together."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rubrictui.cli import _evaluations_import
from rubrictui.cli._output import Output, counted
from rubrictui.cli._parser import Commands

if TYPE_CHECKING:
    from rubrictui.engine import Engine

STATUSES = ("Draft", "Submitted", "Superseded", "Withdrawn", "Failed")
METHODS = ("Mean", "Median", "TrimmedMean")


def register(commands: Commands) -> None:
    parser = commands.add(
        "evaluations",
        "the evaluations you may see",
        run_evaluations,
        description="List evaluations, the latest first: your own, and those of others that your roles let you "
        "see. While your own evaluation of a subject is a draft, what others gave it is left out.",
        examples=["rubrictui evaluations --subject Bid/north --status Submitted"],
    )
    parser.add_argument("--subject", metavar="REF", help="only of this subject (Entity/record, or an id)")
    parser.add_argument(
        "--context", metavar="REF", help="only for this context (a name, Entity/record, or an id)"
    )
    parser.add_argument("--rubric", metavar="NAME", help="only with this rubric")
    parser.add_argument("--status", choices=STATUSES, help="only of this status")
    _evaluations_import.register(Commands(parser))
    parser = commands.add(
        "consensus",
        "what the evaluators of a subject say together",
        run_consensus,
        description="The consensus on one subject: its submitted evaluations on one major version, Self left "
        "out. Without --context, those without a context; without --major, the latest published.",
        examples=['rubrictui consensus Bid/north "Vendor proposal" --context Round/spring --method Median'],
    )
    parser.add_argument("subject", metavar="SUBJECT", help="Entity/record, or an id")
    parser.add_argument("rubric", metavar="RUBRIC", help="a rubric's name")
    parser.add_argument("--context", metavar="REF", help="what the subject was scored for")
    parser.add_argument("--major", metavar="NUMBER", type=_major, help="the major version")
    parser.add_argument("--method", choices=METHODS, default="Mean", help="how scores are combined (Mean)")
    parser.add_argument(
        "--trim", metavar="SHARE", type=float, default=0.1, help="what TrimmedMean drops from each end (0.1)"
    )


def _major(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f'"{text}" is no major version; write a number such as 1')
    return int(text)


def run_evaluations(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._results import evaluator_words
    from rubrictui.cli._store import open_engine
    from rubrictui.cli._times import shown_time
    from rubrictui.core.namesakes import told_apart
    from rubrictui.core.ranges import DisplayRange
    from rubrictui.core.records import EvaluationStatus

    with open_engine(options) as engine:
        found = engine.evaluations(
            subject=options.subject,
            context=options.context,
            rubric=options.rubric,
            status=EvaluationStatus(options.status) if options.status else None,
        )
    if output.json:
        output.data(found)
        return 0
    if not found:
        output.say("No evaluations that you may see.")
        return 0
    names = told_apart((row.person, row.evaluator_user_name) for row in found)
    output.table(
        ("id", "subject", "rubric", "for", "evaluator", "status", "score", "outcome", "when"),
        [
            (
                row.id,
                row.subject_title,
                f"{row.rubric_name} {row.version_number}",
                row.context_name,
                evaluator_words(row, names),
                row.status,
                DisplayRange.of(row).score(row.normalized_score, 2) if row.outcome else "",
                row.outcome,
                shown_time(row.submitted_at or row.updated_at),
            )
            for row in found
        ],
        right=(6,),
    )
    return 0


def run_consensus(options: argparse.Namespace, output: Output) -> int:
    import msgspec

    from rubrictui.cli._results import cohort_lines
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        found = engine.consensus_for_subject(
            subject=options.subject,
            rubric=options.rubric,
            context=options.context,
            major=options.major,
            method=options.method,
            trim=options.trim,
        )
        cohort = engine.cohort(
            subject=options.subject, rubric=options.rubric, context=options.context, major=options.major
        )
        is_none = options.context is None and found.sample_size == 0
        elsewhere = _contexts_of(engine, options.subject, options.rubric) if is_none else []
        shown = engine.display_range(options.rubric, options.major)
    if elsewhere:
        output.say(
            f"Without a context there are no evaluations that count, but there are in {', '.join(elsewhere)}: "
            "name one with --context."
        )
    if output.json:
        output.data({**msgspec.structs.asdict(found), "cohort": cohort})
        return 0
    output.text(
        f"{found.method}: {shown.score(found.overall, 2)} of {counted(found.sample_size, 'evaluation')}, "
        f"standard deviation {shown.spread(found.std_dev, 2)}, range {shown.spread(found.range, 2)}"
    )
    for row in found.criteria or ():
        output.text(f"  {row.key}: {shown.score(row.mean, 2)} (of {row.sample_size})")
    if cohort is not None:
        output.text(*cohort_lines(cohort, shown))
    return 0


def _contexts_of(engine: Engine, subject: str, rubric: str) -> list[str]:
    """The contexts, as Entity/record, of the submitted evaluations that the user may see: none while she is blind."""
    from rubrictui.core.records import EvaluationStatus, EvaluatorType

    found = engine.evaluations(subject=subject, rubric=rubric, status=EvaluationStatus.SUBMITTED)
    used = {row.context_id for row in found if row.evaluator_type is not EvaluatorType.SELF}
    return [f"{one.entity}/{one.record_id}" for one in engine.contexts() if one.id in used]
