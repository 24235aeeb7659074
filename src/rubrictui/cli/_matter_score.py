"""``matter score``: scripted actions on a matter."""

from __future__ import annotations

import argparse
from typing import Any

from rubrictui.cli._input import shown
from rubrictui.cli._matter_input import actions_file, actions_of, cases, matter_folder, matter_of
from rubrictui.cli._output import Output, counted, error_json, number, short
from rubrictui.cli._parser import UsageError
from rubrictui.ground.errors import InvalidInputError, RubrictuiError
from rubrictui.matters.loading import Matter
from rubrictui.matters.replay import replay


def run(options: argparse.Namespace, output: Output) -> int:
    if (options.batch is None) == (options.actions is None):
        raise UsageError(
            "rubrictui matter score: give --matter and --actions, or --batch.",
            remedy="(See rubrictui matter score --help.)",
        )
    if options.batch is not None:
        return _batch(options, output)
    if options.matter is None:
        raise UsageError(
            "rubrictui matter score: --actions needs --matter.", remedy="(See rubrictui matter score --help.)"
        )
    folder = matter_folder(options.matter)
    matter = Matter.from_directory(folder)
    actions = actions_of(actions_file(options.actions, folder))
    result = replay(matter, actions, seed=options.seed)
    if result["ignored_actions"]:
        output.say(
            f"{shown(options.actions)}: {counted(result['ignored_actions'], 'action')} after the end of the "
            "episode; nothing was done with them."
        )
    if output.json:
        output.data(result)
    else:
        _tell(actions, result, output, why=options.why)
    return _verdict(options, result)


def _verdict(options: argparse.Namespace, result: dict[str, Any]) -> int:
    return int(options.check is not None and result["normalized_score"] < options.check)


def _tell(actions: list[Any], result: dict[str, Any], output: Output, *, why: bool) -> None:
    steps = zip(actions, result["rewards"], result["step_events"], result["last_results"], strict=False)
    output.table(
        ("step", "action", "reward", "event", "criterion", "result"),
        [
            (
                step,
                short(str(action.get("type")), 24),
                number(reward, 4),
                event["type"] if event else "",
                short(str(event["criterion"]), 24) if event else "",
                outcome.get("code", outcome["kind"]),
            )
            for step, (action, reward, event, outcome) in enumerate(steps, 1)
        ],
        right=(0, 2),
    )
    output.text("")
    output.table(
        ("event", "criterion", "points", "components"),
        [
            (
                event["type"],
                short(str(event["criterion"]), 40),
                number(event["points"], 4),
                _components(event),
            )
            for event in result["events"]
        ],
        right=(2,),
    )
    if why:
        output.text("", *(line for event in result["events"] for line in _reasons(event)))
    output.text("", *_totals(result))


def _components(event: dict[str, Any]) -> str:
    parts = [f"{name} {number(points, 4)}" for name, points in event.get("components", {}).items() if points]
    parts += [
        f"CRITICAL: {one['reason']} {one.get('pattern', '')}".rstrip() for one in event.get("critical", ())
    ]
    return ", ".join(parts)


def _reasons(event: dict[str, Any]) -> list[str]:
    """What earned or cost the points of an event, a line for each component."""
    lines = [f"{event['type']} {short(str(event['criterion']), 60)}: {number(event['points'], 4)}"]
    for part in event.get("attribution", ()):
        line = f"  {part['component']} {number(part['points'], 4)}"
        if part["matched"]:
            line += f"; matched {_quoted(part['matched'])}"
        if part["missing"]:
            line += f"; missing {_quoted(part['missing'])}"
        spans = [f'{span["field"]} "{short(span["text"], 50)}"' for span in part["spans"]]
        lines.append(line + (f"; in {', '.join(spans)}" if spans else ""))
    for one in event.get("critical", ()):
        where = ", ".join(f'{span["field"]} "{short(span["text"], 50)}"' for span in one.get("spans", ()))
        lines.append(
            f"  critical: {one['reason']} {one.get('pattern', '')}".rstrip()
            + (f" in {where}" if where else "")
        )
    return lines


def _quoted(words: list[Any]) -> str:
    return ", ".join(f'"{short(str(word), 40)}"' for word in words)


def _totals(result: dict[str, Any]) -> list[str]:
    end = "submitted" if result["terminated"] else "out of steps" if result["truncated"] else "not finished"
    critical = "; critical failure" if result["critical_failure"] else ""
    return [
        f"normalized score {number(result['normalized_score'], 4)} ({number(result['raw_score'], 4)} of "
        f"{number(result['max_score'], 4)}){critical}; {counted(result['steps'], 'step')}, {end}"
    ]


def _batch(options: argparse.Namespace, output: Output) -> int:
    """A case in, a line out, at once. Cases that cannot be scored are answered too, and make the exit code 1."""
    count = failed = low = 0
    for where, case in cases(options.batch):
        count += 1
        case_id = case.get("id") if isinstance(case, dict) else None
        try:
            result = _scored(case, options, where)
        except RubrictuiError as error:
            failed += 1
            output.line({"id": case_id, "error": error_json(error)})
        else:
            low += _verdict(options, result)
            output.line({"id": case_id, "result": result})
        output.flush()
    output.say(f"{counted(count, 'episode')}: {count - failed} scored, {failed} not.")
    return int(failed > 0 or low > 0)


def _scored(case: Any, options: argparse.Namespace, where: str) -> dict[str, Any]:
    if not isinstance(case, dict) or not isinstance(case.get("actions"), list):
        raise InvalidInputError(f"{where} has no actions.", remedy="Write {id, matter, actions}.")
    given = case.get("matter", options.matter)
    if given is None:
        raise InvalidInputError(f'{where} has no "matter".', remedy="Give one in the line, or with --matter.")
    matter = Matter.from_dict(given) if isinstance(given, dict) else matter_of(str(given))
    return replay(matter, case["actions"], seed=options.seed)
