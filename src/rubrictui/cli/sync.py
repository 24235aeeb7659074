"""``sync``: rubrics kept as files and in the store, in step."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rubrictui.cli._output import Output, counted, short
from rubrictui.cli._parser import Commands, Parser

if TYPE_CHECKING:
    from rubrictui.engine.sync_plan import SyncConflictError, SyncItem, SyncRefusedError, SyncReport
    from rubrictui.ground.findings import Finding

FLAGS = {
    "only in the store": "store >",
    "only in the files": "files <",
    "changed in the store": "store >",
    "changed in the files": "files <",
    "changed in both": "BOTH  !",
    "same": "same",
}


def register(commands: Commands) -> None:
    group = commands.group(
        "sync",
        "keep rubrics as files in step with the store",
        description="Keep rubrics as files: one YAML file for each category, scale, rubric and publication, "
        "known by the ids in them. Records in the metadata JSON shape are read too. Neither side is ever "
        "written over where both have changed; that is told, and you choose.",
    )
    parser = group.add(
        "status",
        "tell which side has changed",
        run_status,
        description="Tell for each item whether it is the same on both sides, on one side only, or changed since both "
        "agreed: in the files, in the store, or in both. With --strict the exit code is 1 unless all is the same.",
        examples=["rubrictui sync status rubrics/", "rubrictui sync status rubrics/ --strict --json"],
    )
    _add_common(parser)
    parser.add_argument("--strict", action="store_true", help="exit with 1 when anything differs")
    parser = group.add(
        "diff",
        "show what differs",
        run_diff,
        description="Show what differs: field by field, then as text, from the store (-) to the files (+).",
        examples=['rubrictui sync diff rubrics/ --only "Vendor proposal"'],
    )
    _add_common(parser)
    parser = group.add(
        "pull",
        "write what the store has into the files",
        run_pull,
        description="Write what the store has into the files that differ, and new files for what has none. What changed in "
        "the files alone is left. Nothing is written when something changed in both, unless --store-wins says "
        "that the store's side is to be kept.",
        examples=["rubrictui sync pull rubrics/ --dry-run", "rubrictui sync pull rubrics/"],
    )
    _add_common(parser)
    parser.add_argument("--dry-run", action="store_true", help="show the plan and write nothing")
    parser.add_argument(
        "--store-wins", action="store_true", help="where both changed, keep what the store says"
    )
    parser = group.add(
        "push",
        "take what the files have into the store",
        run_push,
        description="Take what the files have into the store, in one transaction: categories, scales, rubrics as drafts, then "
        "publications, which do nothing when their version is published already. What changed in the store alone is "
        "left. Nothing is stored when a file has an error or something changed in both, unless --files-win says "
        "that the files' side is to be kept.",
        examples=["rubrictui sync push rubrics/ --dry-run", "rubrictui sync push rubrics/"],
    )
    _add_common(parser)
    parser.add_argument("--dry-run", action="store_true", help="show the plan and store nothing")
    parser.add_argument(
        "--files-win", action="store_true", help="where both changed, keep what the files say"
    )


def _add_common(parser: Parser) -> None:
    parser.add_argument("folder", metavar="DIR", help="the folder that holds the files")
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        default=[],
        help="only the item of this name; may be repeated",
    )


def run_status(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.ground.findings import has_errors

    with open_engine(options) as engine:
        report = engine.sync_status(options.folder, only=options.only)
    _tell_findings(report.findings, output)
    if output.json:
        output.data({"in_step": report.in_step, **_report_json(report)})
    else:
        _table(report.items, output)
        if not has_errors(report.findings):
            output.say(_summary(report.items))
        else:
            output.say("What the files with errors hold is not compared.")
    failed = has_errors(report.findings) or (options.strict and not report.in_step)
    return 1 if failed else 0


def run_diff(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.engine.sync_plan import SyncRefusedError

    try:
        with open_engine(options) as engine:
            found = engine.sync_diff(options.folder, only=options.only)
    except SyncRefusedError as error:
        return _refused(error, output)
    if output.json:
        output.data({"items": [{**_item_json(item), "text": text} for item, text in found]})
        return 0
    for number, (item, text) in enumerate(found):
        if number:
            output.text("")
        output.text(f'{item.kind} "{item.name}": {item.state}{_bracketed(item.note)}')
        output.text(*(f"  {line}" for line in _changes(item)), *text.splitlines())
    if not found:
        output.say("Nothing differs.")
    return 0


def run_push(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import engine_to_try, is_missing, open_engine
    from rubrictui.engine.sync_plan import SyncConflictError, SyncRefusedError

    if options.dry_run and is_missing(options):
        output.say("There is no store there yet: a push would make it.")
    try:
        if is_missing(options) and not options.dry_run:
            with engine_to_try(options) as engine:  # what is refused makes no store
                engine.sync_push(options.folder, only=options.only, dry_run=True)
        with engine_to_try(options) if options.dry_run else open_engine(options, create=True) as engine:
            report = engine.sync_push(
                options.folder, only=options.only, files_win=options.files_win, dry_run=options.dry_run
            )
    except SyncRefusedError as error:
        return _refused(error, output)
    except SyncConflictError as error:
        return _conflict(error, output)
    return _told(report, output, wins=options.files_win, left="changed in the store", hint="pull")


def run_pull(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._store import open_engine
    from rubrictui.engine.sync_plan import SyncConflictError, SyncRefusedError

    try:
        with open_engine(options) as engine:
            report = engine.sync_pull(
                options.folder, only=options.only, store_wins=options.store_wins, dry_run=options.dry_run
            )
    except SyncRefusedError as error:
        return _refused(error, output)
    except SyncConflictError as error:
        return _conflict(error, output)
    return _told(report, output, wins=options.store_wins, left="changed in the files", hint="push")


def _told(report: SyncReport, output: Output, *, wins: bool, left: str, hint: str) -> int:
    """Say what a push or pull did; 1 when it stands refused (only a dry run comes here with a conflict)."""
    conflicts = [item for item in report.items if item.state == "changed in both" and not wins]
    if output.json:
        output.data({"changed": report.changed, "dry_run": report.dry_run, **_report_json(report)})
    else:
        would = "would be " if report.dry_run else ""
        for item in report.items:
            if item.action:
                where = f" ({item.file})" if item.file else ""
                output.text(f'{item.kind} "{item.name}": {would}{item.action}{where}')
                if item.note and item.kind == "rubric" and not report.dry_run:
                    output.text(f"  {item.note}")
        for item in conflicts:
            output.text(f'{item.kind} "{item.name}": refused, changed in both{_bracketed(item.note)}')
        if not report.changed and not conflicts:
            output.say("Nothing to do.")
        behind = sum(item.state == left for item in report.items)
        if behind:
            output.say(f"{counted(behind, 'item')} {left} and left alone; see rubrictui sync {hint}.")
        if report.dry_run:
            output.say("A dry run: nothing was written.")
    return 1 if conflicts else 0


def _table(items: Sequence[SyncItem], output: Output) -> None:
    rows = [
        (FLAGS[item.state], item.kind, item.name, item.state, item.file or "", item.note)
        for item in items
        if item.state != "same"
    ]
    if rows:
        output.table(("", "KIND", "NAME", "STATE", "FILE", "NOTE"), rows)


def _summary(items: Sequence[SyncItem]) -> str:
    same = sum(item.state == "same" for item in items)
    rest = len(items) - same
    return (
        f"{counted(same, 'item')} the same, {rest} not."
        if rest
        else f"{counted(same, 'item')}, all the same."
    )


def _changes(item: SyncItem) -> list[str]:
    return [f"{one.where}: {_shown(one.store)} -> {_shown(one.files)}" for one in item.changes]


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    return short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 70)


def _bracketed(note: str) -> str:
    return f" ({note})" if note else ""


def _item_json(item: SyncItem) -> dict[str, Any]:
    import msgspec

    built: dict[str, Any] = msgspec.to_builtins(item)
    return built


def _report_json(report: SyncReport) -> dict[str, Any]:
    return {"items": [_item_json(item) for item in report.items], "findings": report.findings}


def _tell_findings(findings: Sequence[Finding], output: Output) -> None:
    for finding in findings:
        output.say(str(finding))


def _refused(error: SyncRefusedError, output: Output) -> int:
    _tell_findings(error.problems, output)
    output.say("Nothing was written.")
    if output.json:
        answer = {"kind": error.code, "key": None, "message": error.message, "remedy": error.remedy}
        output.data({"error": {**answer, "problems": error.problems}})
    return 1


def _conflict(error: SyncConflictError, output: Output) -> int:
    for item in error.items:
        output.say(f'{item.kind} "{item.name}" ({item.file}): {item.state}{_bracketed(item.note)}')
        output.say(*(f"  {line}" for line in _changes(item)[:5]))
        if len(item.changes) > 5:
            output.say(f"  and {len(item.changes) - 5} more differences")
    output.say(f"Nothing was written. {error.remedy}")
    if output.json:
        answer = {"kind": error.code, "key": None, "message": error.message, "remedy": error.remedy}
        output.data({"error": {**answer, "items": [_item_json(item) for item in error.items]}})
    return 1
