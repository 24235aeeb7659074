"""``matter probe``: probe files run as tests."""

from __future__ import annotations

import argparse
from pathlib import Path

from rubrictui.cli._matter_input import matter_folder, matter_of
from rubrictui.cli._output import Output, counted, short
from rubrictui.matters.probes import ProbeOutcome, read_probes, run_probes


def run(options: argparse.Namespace, output: Output) -> int:
    matter = matter_of(options.matter) if options.matter is not None else None
    reports = [run_probes(read_probes(_file(file)), matter) for file in options.files]
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


def _file(name: str) -> Path:
    """A probe file, or the folder it is in: one that is there, else a shipped matter."""
    path = Path(name)
    # A name with an ending is a file, and a missing one is told as such.
    return path if path.exists() or path.suffix else matter_folder(name)


def _line(outcome: ProbeOutcome) -> str:
    wanted = "must fire" if outcome.must_fire else "must not fire"
    return (
        f"{outcome.file}:{outcome.line}:{outcome.column}: {outcome.gate} {wanted} on "
        f'"{short(outcome.text, 60)}": {outcome.why}'
    )
