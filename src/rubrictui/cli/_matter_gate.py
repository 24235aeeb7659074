"""``matter gate`` and ``matter probe``: gates tried on texts, by hand and as tests."""

from __future__ import annotations

import argparse
from typing import Any

from rubrictui.cli._input import STDIN, convert, read_bytes, shown
from rubrictui.cli._matter_input import cases, matter_of
from rubrictui.cli._output import Output, counted, error_json, number, short
from rubrictui.cli._parser import UsageError
from rubrictui.ground.errors import InvalidInputError, RubrictuiError
from rubrictui.matters.gate_lab import LabVerdict, find_gates, gates_of, judge, reason
from rubrictui.matters.gates import GateMatch, GateVerdict, gate_entry
from rubrictui.matters.model import GateEntry

LISTED = 20
"""Matches told to people; JSON has more."""

AROUND = 60
"""Characters of a sentence shown on either side of a match."""


def run(options: argparse.Namespace, output: Output) -> int:
    if options.batch is not None:
        return _batch(options, output)
    gates = _gates(options)
    text = _text(options)
    verdicts = [(name, judge(entry, text)) for name, entry in gates]
    fires = any(_fires(verdict, options) for _, verdict in verdicts)
    if output.json:
        output.data(
            {
                "fires": any(verdict.fires for _, verdict in verdicts),
                "fires_normalized": any(verdict.fires_normalized for _, verdict in verdicts),
                "gates": [{"gate": name, **_plain(verdict)} for name, verdict in verdicts],
            }
        )
    else:
        for name, verdict in verdicts:
            _tell(name, verdict, output, options)
    return int(options.check and fires)


def _fires(verdict: LabVerdict, options: argparse.Namespace) -> bool:
    return verdict.fires if options.raw else verdict.fires_normalized


def _gates(options: argparse.Namespace) -> list[tuple[str, GateEntry]]:
    """The entries to try, with the names they go by."""
    ways = [options.pattern is not None, options.entry is not None, options.matter is not None]
    guards = [options.guard, options.scope, options.require, options.exclude]
    if sum(ways) != 1 or (options.gate is not None and options.matter is None):
        raise _usage("give --pattern, or --entry, or --matter with --gate")
    if options.pattern is None and any(guards):
        raise _usage("--guard, --scope, --require and --exclude go with --pattern")
    if options.matter is not None:
        matter = matter_of(options.matter)
        found = find_gates(matter, options.gate) if options.gate is not None else gates_of(matter)
        return [(gate.name, gate.entry) for gate in found]
    if options.entry is not None:
        from rubrictui.core.loading import json_value

        entry = gate_entry(json_value(options.entry, "--entry"))
        return [(entry.pattern, entry)]
    given: dict[str, Any] = {
        "pattern": options.pattern,
        "negation_guard": options.guard,
        "negation_scope": options.scope,
        "require_context": options.require,
        "exclude_context": options.exclude,
    }
    written = {key: value for key, value in given.items() if value is not None and value is not False}
    return [(options.pattern, gate_entry(written if len(written) > 1 else options.pattern))]


def _usage(what: str) -> UsageError:
    return UsageError(f"rubrictui matter gate: {what}.", remedy="(See rubrictui matter gate --help.)")


def _text(options: argparse.Namespace) -> str:
    if options.text is not None:
        if options.file is not None:
            raise _usage("give TEXT or --file")
        return str(options.text)
    name = options.file if options.file is not None else STDIN
    try:
        return read_bytes(name).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(f"{shown(name)} is not UTF-8 text.", remedy="Save it as UTF-8.") from None


def _plain(verdict: LabVerdict) -> dict[str, Any]:
    return {
        "pattern": verdict.pattern,
        "fires": verdict.fires,
        "fires_normalized": verdict.fires_normalized,
        "matches": _matches(verdict.as_given()),
        "matches_normalized": _matches(verdict.normalized),
        "match_count": verdict.normalized.match_count,
        "normalized_text": verdict.normalized_text,
    }


def _matches(verdict: GateVerdict) -> list[dict[str, Any]]:
    from msgspec.structs import asdict

    return [{**asdict(match), "why": reason(match)} for match in verdict.matches]


def _tell(name: str, verdict: LabVerdict, output: Output, options: argparse.Namespace) -> None:
    shown_verdict = verdict.as_given() if options.raw else verdict.normalized
    fires = _fires(verdict, options)
    label = short(name, 80) if name == verdict.pattern else f"{name}  {short(verdict.pattern, 60)}"
    output.text(f"{'FIRES' if fires else 'does not fire'}: {label}")
    if not shown_verdict.matches:
        output.text("  the pattern matches nowhere")
    matches = _listed(shown_verdict)
    for match in matches:
        output.text(f'  "{short(match.text, 70)}" at {match.start}: {reason(match)}')
        if match.sentence != match.text:
            output.text(f"    sentence: {_around(match)}")
        if match.window_end is not None:
            window = match.sentence[: match.window_end - match.sentence_start]
            output.text(f'    guard window: "{_tail(window)}"')
    left = shown_verdict.match_count - len(matches)
    if left:
        output.text(f"  and {counted(left, 'match', 'matches')} more")
    if verdict.fires != verdict.fires_normalized:
        other = "scoring sees it" if options.raw else "given"
        output.text(f"  as {other}, it {'does not fire' if fires else 'fires'}")


def _listed(verdict: GateVerdict) -> list[GateMatch]:
    """The first matches, and the one that fires wherever it stands."""
    matches = list(verdict.matches[:LISTED])
    if verdict.fires and not any(match.fires for match in matches):
        matches += [match for match in verdict.matches if match.fires][:1]
    return matches


def _around(match: GateMatch) -> str:
    """The sentence with the match in brackets, shortened at its ends."""
    begin, end = match.start - match.sentence_start, match.end - match.sentence_start
    before, after = match.sentence[:begin], match.sentence[end:]
    tail = after if len(after) <= AROUND else after[: AROUND - 1] + "…"
    return f"{_tail(before.lstrip())}[{short(match.text, 70)}]{tail}"


def _tail(text: str) -> str:
    return text if len(text) <= AROUND else "…" + text[1 - AROUND :]


def _batch(options: argparse.Namespace, output: Output) -> int:
    count = failed = fired = 0
    for where, case in cases(options.batch):
        count += 1
        case_id = case.get("id") if isinstance(case, dict) else None
        try:
            if not isinstance(case, dict) or "entry" not in case:
                raise InvalidInputError(f'{where} has no "entry".', remedy="Write {id, entry, text}.")
            verdict = judge(case["entry"], convert(case.get("text"), str, f"{where}: text"))
        except RubrictuiError as error:
            failed += 1
            output.line({"id": case_id, "error": error_json(error)})
        else:
            fired += _fires(verdict, options)
            output.line({"id": case_id, "result": _plain(verdict)})
        output.flush()
    output.say(f"{counted(count, 'text')}: {number(fired)} fire, {number(failed)} could not be judged.")
    return int(failed > 0 or (options.check and fired > 0))
