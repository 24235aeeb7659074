"""``score``: answers scored against a version from files or standard input; no store needed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rubrictui.cli._output import Output, counted, error_json, number, short
from rubrictui.cli._parser import Commands, UsageError
from rubrictui.core.errors import InvalidInputError, RubrictuiError, ScoringError

if TYPE_CHECKING:
    from rubrictui.core.model import Answer, ScoreResult, VersionSnapshot


def register(commands: Commands) -> None:
    parser = commands.add(
        "score",
        "score answers against a version, from files",
        run,
        description="Score answers against a rubric version. Both come from files; no store is opened.",
        examples=[
            "rubrictui score --version rubric.yaml --answers answers.json",
            "rubrictui score --version rubric.json --batch answers.jsonl > results.jsonl",
        ],
    )
    parser.add_argument("--version", metavar="FILE", help="the version: a snapshot (JSON) or a rubric (YAML)")
    parser.add_argument(
        "--scales", metavar="FILE", action="append", help="YAML with scales the rubric uses; may repeat"
    )
    parser.add_argument("--answers", metavar="FILE", help="the answers (JSON); - is standard input")
    parser.add_argument("--batch", metavar="FILE", help="JSON Lines, a result a line; - is standard input")
    parser.add_argument(
        "--threshold", metavar="NUMBER", type=_share, help="replaces the pass threshold, 0 to 1"
    )
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 unless the outcome is Passed or Scored"
    )


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no number from 0 to 1')
    return value


def run(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import read_version

    if (options.answers is None) == (options.batch is None):
        raise UsageError(
            "rubrictui score: give --answers or --batch.", remedy="(See rubrictui score --help.)"
        )
    if options.answers is not None and options.version is None:
        raise UsageError(
            "rubrictui score: --answers needs --version.", remedy="(See rubrictui score --help.)"
        )
    version = read_version(options.version, options.scales) if options.version is not None else None
    if options.batch is not None:
        return _batch(options, version, output)
    assert version is not None
    return _one(options, version, output)


def _one(options: argparse.Namespace, version: VersionSnapshot, output: Output) -> int:
    from rubrictui.cli._input import read_json, shown
    from rubrictui.core.scoring import compute, explain_outcome, unknown_answers

    answers = _answers(read_json(options.answers), version, shown(options.answers))
    for warning in unknown_answers(version, answers):
        output.say(f"warning: {warning}")
    result = compute(version, answers, pass_threshold=options.threshold)
    if output.json:
        output.data(result)
    else:
        output.text(explain_outcome(version, result))
        _table(version, result, output)
    return int(options.check and result.outcome not in ("Passed", "Scored"))


def _table(version: VersionSnapshot, result: ScoreResult, output: Output) -> None:
    from rubrictui.cli._trees import depths
    from rubrictui.core.ranges import DisplayRange

    display = DisplayRange.of(version)
    nodes = {node.id: node for node in version.nodes}
    depth = depths(version)
    rows = []
    for scored in result.nodes:
        marks = [
            word
            for word, holds in (
                ("gate failed", scored.gate_failed),
                ("n/a", scored.is_not_applicable),
                ("advisory", scored.is_advisory),
            )
            if holds
        ]
        rows.append(
            (
                "  " * depth[scored.id] + short(nodes[scored.id].name or scored.key, 40),
                display.score(scored.normalized_score, 2),
                number(scored.effective_weight),
                display.spread(scored.overall_contribution, 2),
                ", ".join(marks),
            )
        )
    output.text(f"completeness {number(result.completeness)}", "")
    output.table(("criterion", "score", "share", "points", ""), rows, right=(1, 2, 3))


def _batch(options: argparse.Namespace, shared: VersionSnapshot | None, output: Output) -> int:
    """A line in, a line out, at once. Lines that cannot be read are answered too, and make the exit code 1."""
    from rubrictui.cli._input import read_lines, shown
    from rubrictui.core.loading import json_value
    from rubrictui.core.scoring import compute, unknown_answers

    count = refused = unreadable = failed = 0
    for line_number, line in read_lines(options.batch):
        where = f"{shown(options.batch)}, line {line_number}"
        count += 1
        case_id: Any = None
        try:
            case = json_value(line, where)
            if not isinstance(case, dict):
                raise InvalidInputError(f"{where} is no object.", remedy="Write {id, version, answers}.")
            case_id = case.get("id")
            version, answers, threshold = _case(case, shared, options.threshold, where)
            for warning in unknown_answers(version, answers):
                output.say(f"{where}: warning: {warning}")
            result = compute(version, answers, pass_threshold=threshold)
        except ScoringError as error:
            refused += 1
            output.line({"id": case_id, "error": error_json(error)})
        except RubrictuiError as error:
            unreadable += 1
            output.line({"id": case_id, "error": error_json(error)})
        else:
            failed += result.outcome not in ("Passed", "Scored")
            output.line({"id": case_id, "result": result})
        output.flush()
    output.say(
        f"{counted(count, 'answer set')}: {count - refused - unreadable} scored, {refused} refused, {unreadable} unreadable."
    )
    return int(unreadable > 0 or (options.check and failed + refused > 0))


def _case(
    case: dict[str, Any], shared: VersionSnapshot | None, threshold: float | None, where: str
) -> tuple[VersionSnapshot, tuple[Answer, ...], float | None]:
    """The version, answers and threshold of one line; the line's own before those of the options."""
    from rubrictui.core.loading import version_from_json

    if case.get("version") is not None:
        version = version_from_json(case["version"], where=where)
    elif shared is not None:
        version = shared
    else:
        raise InvalidInputError(
            f'{where} has no "version".', remedy="Give one in the line, or with --version."
        )
    own = case.get("pass_threshold_override")
    if own is not None:
        if isinstance(own, bool) or not isinstance(own, int | float):
            raise InvalidInputError(f'{where}: "pass_threshold_override" is no number.', remedy="Correct it.")
        if not 0 <= own <= 1:
            raise InvalidInputError(
                f'{where}: "pass_threshold_override" is out of range.', remedy="Write a number from 0 to 1."
            )
        threshold = float(own)
    return version, _answers(case.get("answers", []), version, where), threshold


def _answers(value: Any, version: VersionSnapshot, where: str) -> tuple[Answer, ...]:
    """Answers by criterion id, or by criterion key and level label."""
    if isinstance(value, dict) and "answers" in value:
        value = value["answers"]
    if isinstance(value, list) and any(isinstance(row, dict) and "criterion" in row for row in value):
        from rubrictui.cli._input import convert
        from rubrictui.interchange.documents import AnswerEntry, answers_for

        return answers_for(convert(value, tuple[AnswerEntry, ...], where), version)
    from rubrictui.core.loading import answers_from_json

    # A text in the place of the list is no list, even when it would be one if it were read again.
    return answers_from_json([value] if isinstance(value, str) else value, where=where)
