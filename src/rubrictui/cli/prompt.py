"""``prompt`` and ``runs``: the prompts that judges work with, what would be sent, and what was sent."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rubrictui.cli._output import Output, counted, number, short
from rubrictui.cli._parser import Commands, UsageError
from rubrictui.core.errors import InvalidInputError

if TYPE_CHECKING:
    from rubrictui.core.prompt_records import PromptRun

KINDS = ("judge", "evaluator", "criterion", "decision", "agent")
MODES = ("SinglePass", "PerCriterion")


def register(commands: Commands) -> None:
    group = commands.group("prompt", "prompts of judges: list, show, preview, save")
    parser = group.add(
        "list",
        "the prompts that evaluators find",
        run_list,
        description="List the prompts of the store, and those that ship with the program and that none of the "
        "store covers.",
        examples=["rubrictui prompt list --kind judge"],
    )
    parser.add_argument("--kind", choices=KINDS, help="only this kind")
    parser = group.add(
        "show",
        "the template of one prompt",
        run_show,
        examples=['rubrictui prompt show "Rubric Criterion" > criterion.j2'],
    )
    parser.add_argument("prompt", metavar="PROMPT", help="a name or an id")
    parser = group.add(
        "preview",
        "what would be sent to a model; no call is made",
        run_preview,
        description="Compose what an LLM evaluation of a record would send: the frame, the judge and the criteria as "
        "the system message, and the subject in its block.",
        examples=[
            "rubrictui prompt preview --rubric Tender --entity Bid --record 7",
            'rubrictui prompt preview --rubric Tender@draft --entity Bid --record 7 --prompt "Strict"',
        ],
    )
    parser.add_argument("--rubric", metavar="NAME", required=True, help="the rubric, or NAME@VERSION")
    parser.add_argument("--entity", metavar="ENTITY", required=True, help="the entity of the record")
    parser.add_argument("--record", metavar="ID", required=True, help="the record's id")
    parser.add_argument("--prompt", metavar="PROMPT", help="the judge")
    parser.add_argument("--system-prompt", metavar="PROMPT", help="the frame")
    parser.add_argument("--criterion-prompt", metavar="PROMPT", help="what renders a criterion")
    parser.add_argument("--model", metavar="MODEL", help="the model, for what it takes of a long subject")
    parser.add_argument("--mode", choices=MODES, help="ask once for all, or once for each criterion")
    parser.add_argument("--criterion", metavar="KEY", help="with PerCriterion: which one")
    parser = group.add(
        "save",
        "keep a prompt in the store",
        run_save,
        description="Keep a template under a name. One of that name is replaced; one that ships with the program is "
        "covered. What was sent before stays as it was sent.",
        examples=[
            'rubrictui prompt save "Strict" strict.j2',
            'rubrictui prompt save "Rubric Criterion" criterion.j2 --kind criterion --model small --model big',
        ],
    )
    parser.add_argument("prompt", metavar="NAME", help="its name")
    parser.add_argument("file", metavar="FILE", help="the template; - is standard input")
    parser.add_argument("--kind", choices=KINDS, default="judge", help="what it is for (judge)")
    parser.add_argument("--description", metavar="TEXT", help="what it is good for")
    parser.add_argument(
        "--model",
        metavar="MODEL",
        action="append",
        default=[],
        help="a model bound to it; the next ones stand in",
    )
    parser = commands.add(
        "runs",
        "the calls of models, or one of them whole",
        run_runs,
        description="List the calls that evaluators have made of models, the latest first: your own, or all with the "
        "right to read all evaluations; none about a subject that you are scoring yourself. With an id: what was "
        "sent and what came back.",
        examples=["rubrictui runs --failed", "rubrictui runs 5f0c... --json"],
    )
    parser.add_argument("run", metavar="ID", nargs="?", help="one call, whole")
    parser.add_argument("--subject", metavar="REF", help="only about this subject (Entity/record, or an id)")
    parser.add_argument("--evaluation", metavar="ID", help="only those of this evaluation")
    parser.add_argument("--failed", action="store_true", help="only those that failed")
    parser.add_argument("--limit", metavar="COUNT", type=int, default=50, help="at most so many (50)")


def run_list(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        found = [one for one in engine.prompts() if options.kind in (None, one.kind.value)]
    if output.json:
        output.data([_described(one) for one in found])
        return 0
    rows = [
        (
            one.name,
            one.kind.value,
            "store" if one.is_stored else "shipped",
            ", ".join(one.models),
            one.description,
        )
        for one in found
    ]
    output.table(("prompt", "kind", "from", "models", "for"), rows)
    return 0


def run_show(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    with open_engine(options) as engine:
        found = engine.prompt(options.prompt)
    if output.json:
        output.data({**_described(found), "template": found.template})
    else:
        output.raw(found.template if found.template.endswith("\n") else found.template + "\n")
    return 0


def run_preview(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    if options.criterion is not None and options.mode != "PerCriterion":
        raise UsageError(
            "rubrictui prompt preview: --criterion needs --mode PerCriterion.",
            remedy="(See rubrictui prompt preview --help.)",
        )
    settings = {
        "PromptName": options.prompt,
        "SystemPromptName": options.system_prompt,
        "CriterionPromptName": options.criterion_prompt,
        "ModelID": options.model,
        "Mode": options.mode,
    }
    with open_engine(options) as engine:
        shown = engine.preview_prompt(
            subject=f"{options.entity}/{options.record}",
            rubric=options.rubric,
            settings={name: value for name, value in settings.items() if value is not None},
            criterion=options.criterion,
        )
    if output.json:
        output.data(shown)
    else:
        output.text("── system ──", shown.system, "", "── user ──", shown.user)
    if shown.note:
        output.say(shown.note)
    return 0


def run_save(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import read_bytes, shown
    from rubrictui.cli._store import open_engine

    try:
        template = read_bytes(options.file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{shown(options.file)} is not UTF-8 text (byte {error.start}).", remedy="Save it as UTF-8."
        ) from None
    with open_engine(options) as engine:
        kept = engine.save_prompt(
            options.prompt,
            template,
            kind=options.kind,
            description=options.description,
            models=tuple(options.model),
        )
    if output.json:
        output.data(_described(kept))
    else:
        output.say(f'Saved the {kept.kind.value} "{kept.name}".')
    return 0


def run_runs(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine

    if options.limit < 1:
        raise UsageError(f"rubrictui runs: --limit is {options.limit}.", remedy="Use 1 or more.")
    with open_engine(options) as engine:
        if options.run is not None:
            run = engine.prompt_run(options.run)
            if output.json:
                output.data(run)
            else:
                _show_run(run, output)
            return 0
        found = engine.prompt_runs(
            subject=options.subject,
            evaluation=options.evaluation,
            failed=True if options.failed else None,
            limit=options.limit,
        )
    if output.json:
        output.data(found)
        return 0
    if not found:
        output.say("No calls of models." if not options.failed else "No calls of models that failed.")
        return 0
    rows = [
        (
            run.id,
            f"{run.started_at:%Y-%m-%d %H:%M}",
            run.evaluator_name,
            run.model,
            "failed" if run.error_message else "done",
            _tokens(run),
            number(run.cost),
            short(run.error_message or run.reply or "", 60),
        )
        for run in found
    ]
    output.table(("run", "at (UTC)", "evaluator", "model", "", "tokens", "cost", "says"), rows, right=(5, 6))
    return 0


def _show_run(run: PromptRun, output: Output) -> None:
    output.text(
        f"{run.evaluator_name}, {run.model or 'no model'}, {run.started_at:%Y-%m-%d %H:%M:%S} UTC, "
        f"{_seconds(run)}; {_tokens(run) or 'no'} tokens, cost {number(run.cost)} {run.cost_currency or ''}".rstrip()
    )
    if run.evaluation_id:
        output.text(f"evaluation {run.evaluation_id}")
    for message in run.messages:
        output.text("", f"── {message.get('role', '')} ──", str(message.get("content", "")))
    if run.error_message:
        output.text("", "── failed ──", run.error_message)
    else:
        output.text("", "── reply ──", run.reply or "")


def _tokens(run: PromptRun) -> str:
    if run.input_tokens is None and run.output_tokens is None:
        return ""
    return f"{run.input_tokens or 0}+{run.output_tokens or 0}"


def _seconds(run: PromptRun) -> str:
    if run.finished_at is None:
        return "not finished"
    return counted(round((run.finished_at - run.started_at).total_seconds()), "second")


def _described(prompt: Any) -> dict[str, Any]:
    return {
        "id": prompt.id,
        "name": prompt.name,
        "kind": prompt.kind,
        "description": prompt.description,
        "models": prompt.models,
        "is_stored": prompt.is_stored,
        "sha256": prompt.sha256,
    }
