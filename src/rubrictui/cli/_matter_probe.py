"""``matter probe``: probe files run as tests."""

from __future__ import annotations

import argparse

from rubrictui.cli._output import Output, counted, short
from rubrictui.matters.loading import Matter
from rubrictui.matters.probes import ProbeOutcome, read_probes, run_probes


def run(options: argparse.Namespace, output: Output) -> int:
    matter = Matter.from_directory(options.matter) if options.matter is not None else None
    reports = [run_probes(read_probes(file), matter) for file in options.files]
    outcomes = [outcome for report in reports for outcome in report.outcomes]
    failures = [outcome for outcome in outcomes if not outcome.passed]
    unprobed = list(dict.fromkeys(name for report in reports for name in report.unprobed))
    if output.json:
        output.data(
            {
                "passed": not failures,
                "probes": len(outcomes),
                "failures": len(failures),
                "outcomes": outcomes,
                "unprobed": unprobed,
            }
        )
    else:
        output.text(*map(_line, failures))
        output.say(
            f"{counted(len(outcomes), 'probe')}: {len(outcomes) - len(failures)} passed, {len(failures)} failed."
        )
        if unprobed:
            output.say(f"No probe names {', '.join(unprobed)}.")
    return int(bool(failures))


def _line(outcome: ProbeOutcome) -> str:
    wanted = "must fire" if outcome.must_fire else "must not fire"
    return (
        f"{outcome.file}:{outcome.line}:{outcome.column}: {outcome.gate} {wanted} on "
        f'"{short(outcome.text, 60)}": {outcome.why}'
    )
