"""``evaluators`` and ``evaluate``: what can score a record, and having it scored."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from rubrictui.cli._output import Output, number
from rubrictui.cli._parser import Commands, UsageError
from rubrictui.core.errors import InvalidInputError

if TYPE_CHECKING:
    from rubrictui.engine.evaluating import EvaluateResult
    from rubrictui.engine.evaluating_many import EvaluateAllReport

MODES = ("SinglePass", "PerCriterion")


def register(commands: Commands) -> None:
    commands.add(
        "evaluators",
        "what can score a record",
        run_evaluators,
        description="List every evaluator: built in, installed, and those that are stored and not run. One that "
        "cannot run here says why; docs/evaluators.md tells how to add your own.",
        examples=["rubrictui evaluators --json"],
    )
    parser = commands.add(
        "evaluate",
        "have a record scored by an evaluator",
        run_evaluate,
        description="Run an evaluator on one record with the latest published version of a rubric, or with the "
        "one that NAME@VERSION pins, and store the evaluation. A rerun of the same evaluator replaces its own last "
        "evaluation. A run that fails is stored as Failed, and the exit code is 1. With --all, every record of the "
        "context or entity is scored: what has been scored with the same version, settings and content is skipped, so "
        "a run that was cut short goes on where it stopped.",
        examples=[
            "rubrictui evaluate --rubric Tender --entity Bid --record 7 --evaluator Deterministic",
            'rubrictui evaluate --rubric Reply@2 --entity Run --record 12 --prompt "Strict"',
            "rubrictui evaluate --all --context Round/spring --rubric Tender --budget 5",
        ],
    )
    parser.add_argument("--rubric", metavar="NAME", required=True, help="the rubric, or NAME@VERSION")
    parser.add_argument("--entity", metavar="ENTITY", help="the entity of the record")
    parser.add_argument("--record", metavar="ID", help="the record's id")
    parser.add_argument("--all", action="store_true", help="score every record of --context, or of --entity")
    parser.add_argument(
        "--context", metavar="REF", help="what it is scored for (a name, Entity/record, or an id)"
    )
    parser.add_argument("--evaluator", metavar="EVALUATOR", help="which evaluator runs (LLM)")
    parser.add_argument(
        "--prompt", metavar="PROMPT", help="the judge, or the prompt of the Decision evaluator"
    )
    parser.add_argument("--model", metavar="MODEL", help="the one model to use")
    parser.add_argument(
        "--mode", choices=MODES, help="ask once for all (SinglePass) or once for each criterion"
    )
    parser.add_argument(
        "--samples", metavar="COUNT", type=int, help="ask so often, 1 to 9, and take the median"
    )
    parser.add_argument("--settings", metavar="FILE", help="more settings as JSON; - is standard input")
    parser.add_argument(
        "--pass-threshold", metavar="SCORE", type=float, help="in place of the version's, 0 to 1"
    )
    parser.add_argument("--again", action="store_true", help="with --all: score what has been scored too")
    parser.add_argument(
        "--concurrency", metavar="COUNT", type=int, default=8, help="with --all: so many at a time (8)"
    )
    parser.add_argument("--budget", metavar="COST", type=float, help="with --all: stop when so much is spent")
    parser.add_argument(
        "--enqueue",
        action="store_true",
        help="with --all: queue a job for each record, for workers (PostgreSQL)",
    )


def run_evaluators(options: argparse.Namespace, output: Output) -> int:
    # The registry alone answers: no store is opened for a list of what is installed.
    from rubrictui.evaluators.registry import registry

    found = registry.evaluators()
    if output.json:
        output.data(
            [
                {
                    "name": row.name,
                    "type": row.evaluator_type,
                    "runnable": row.runnable,
                    "origin": row.origin,
                    "priority": row.priority,
                    "replaced": row.replaced,
                    "problem": row.problem,
                }
                for row in found
            ]
        )
        return 0
    rows = []
    for row in found:
        state = "replaced" if row.replaced else "runs" if row.runnable else "does not run"
        rows.append((row.name, row.evaluator_type or "", state, row.origin, row.problem))
    output.table(("evaluator", "stored as", "", "from", ""), rows)
    return 0


def run_evaluate(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    settings = _settings(options)
    if options.enqueue:
        return _enqueue(options, settings, output)
    if options.all:
        return _evaluate_all(options, settings, output)
    if options.entity is None or options.record is None:
        raise UsageError(
            "rubrictui evaluate: give --entity and --record, or --all.",
            remedy="(See rubrictui evaluate --help.)",
        )
    with open_engine(options) as engine:
        result = engine.evaluate_record(
            subject=f"{options.entity}/{options.record}",
            rubric=options.rubric,
            context=options.context,
            evaluator=options.evaluator,
            settings=settings,
            pass_threshold=options.pass_threshold,
        )
    for warning in result.warnings:
        output.say(f"warning: {warning}")
    if output.json:
        output.data(_answer(result))
    else:
        output.text(*_lines(result))
    return 0


def _evaluate_all(options: argparse.Namespace, settings: dict[str, Any], output: Output) -> int:
    from rubrictui.cli._store import open_engine

    if options.record is not None:
        raise UsageError(
            "rubrictui evaluate: --record names one record, and --all asks for every one.",
            remedy="(See rubrictui evaluate --help.)",
        )
    progress = _Progress()
    with open_engine(options) as engine:
        report = engine.evaluate_all(
            rubric=options.rubric,
            context=options.context,
            entity=options.entity,
            evaluator=options.evaluator,
            settings=settings,
            pass_threshold=options.pass_threshold,
            again=options.again,
            concurrency=options.concurrency,
            budget=options.budget,
            progress=progress.show,
        )
    progress.clear()
    for failure in report.failures:
        output.say(f"{failure.subject}: {failure.message}")
    if output.json:
        output.data(report)
    else:
        output.text(_summary(report))
    return 1 if report.failed or report.stopped else 0


def _enqueue(options: argparse.Namespace, settings: dict[str, Any], output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.engine.worker import enqueue

    if not options.all or options.record is not None:
        raise UsageError(
            "rubrictui evaluate: --enqueue goes with --all, and --record names one record.",
            remedy="(See rubrictui evaluate --help.)",
        )
    with open_engine(options) as engine:
        found = enqueue(
            engine,
            options.db,
            rubric=options.rubric,
            context=options.context,
            entity=options.entity,
            evaluator=options.evaluator,
            settings=settings,
            pass_threshold=options.pass_threshold,
            again=options.again,
            budget=options.budget,
        )
    if output.json:
        output.data(found)
    else:
        more = f", {found.waiting} were waiting already" if found.waiting else ""
        output.text(
            f"{found.queued} of {found.total} queued{more}. rubrictui worker runs them."
            if found.total
            else NOTHING
        )
    return 0


NOTHING = (
    "Nothing to score: no subject that you may read is assigned or was scored in that context, or is of that entity. "
    "See them with: rubrictui subjects list"
)


def _summary(report: EvaluateAllReport) -> str:
    if not report.total:
        return NOTHING
    parts = [f"{report.done} of {report.total} scored"]
    if report.skipped:
        parts.append(f"{report.skipped} were done already")
    if report.failed:
        parts.append(f"{report.failed} failed")
    if report.cost:
        parts.append(f"cost {number(report.cost, 4)}")
    if report.stopped:
        parts.append("stopped: the budget is spent" if report.stopped == "budget" else "stopped")
    return ", ".join(parts) + "."


class _Progress:
    """One line on a terminal that says how far it is; nothing elsewhere."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def show(self, report: EvaluateAllReport) -> None:
        if self._shown:
            width = 24
            full = width * report.finished // max(report.total, 1)
            cost = f", cost {number(report.cost, 4)}" if report.cost else ""
            bar = "━" * full + "─" * (width - full)
            sys.stderr.write(f"\r{bar} {report.finished} of {report.total}{cost}\x1b[K")
            sys.stderr.flush()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of the file, and the flags over them."""
    settings: dict[str, Any] = {}
    if options.settings is not None:
        from rubrictui.cli._input import read_json, shown

        settings = read_json(options.settings)
        if not isinstance(settings, dict):
            raise InvalidInputError(
                f"{shown(options.settings)} is no object.", remedy='Write {"PromptName": "..."} or the like.'
            )
    flags = {
        "prompt_name": options.prompt,
        "model_id": options.model,
        "mode": options.mode,
        "samples": options.samples,
    }
    given = {name: value for name, value in flags.items() if value is not None}
    spelt = {name.replace("_", "") for name in given}
    return {
        **{key: value for key, value in settings.items() if key.replace("_", "").casefold() not in spelt},
        **given,
    }


def _answer(result: EvaluateResult) -> dict[str, Any]:
    """What the call gives back in a script: the guide's fields, and what else a caller asks for."""
    return {
        "evaluation_id": result.evaluation_id,
        "score": result.score,
        "outcome": result.outcome,
        "display_score": result.display_score,
        "passed": result.passed,
        "criteria": result.criteria,
        "unanswered": result.unanswered,
        "hidden": result.hidden,
        "evaluator": (result.detail.evaluation.metadata or {}).get("Evaluator"),
    }


def _lines(result: EvaluateResult) -> list[str]:
    if result.hidden:
        return [f"Stored {result.evaluation_id}."]
    from rubrictui.cli._results import evaluation_lines

    about = (result.detail.evaluation.metadata or {}).get("Evaluator") or {}
    lines = [f"Submitted {result.evaluation_id}.", "", *evaluation_lines(result.detail)]
    if result.unanswered:
        lines += ["", "not answered:"]
        lines += [f"  {key}: {why}" for key, why in result.unanswered.items()]
    if "DurationSeconds" in about:
        lines += ["", f"took {number(about['DurationSeconds'])} s"]
    return lines
