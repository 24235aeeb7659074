"""``matter probe``: probe files run as tests."""

from __future__ import annotations

import argparse
from pathlib import Path

from rubrictui.cli._matter_input import matter_folder, matter_of
from rubrictui.cli._output import Output, counted, short
from rubrictui.matters.gate_lab import gates_of
from rubrictui.matters.loading import Matter
from rubrictui.matters.probes import FILE_NAME, ProbeOutcome, read_probes, run_probes

_MATTER_FILE = "matter.yaml"


def run(options: argparse.Namespace, output: Output) -> int:
    matter = matter_of(options.matter) if options.matter is not None else None
    files = [_file(file) for file in options.files]
    gateless = [file for file in files if matter is None and _has_nothing_to_probe(file)]
    reports = [run_probes(read_probes(file), matter) for file in files if file not in gateless]
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
        if reports:
            passed = len(outcomes) - len(failures)
            output.say(f"{counted(len(outcomes), 'probe')}: {passed} passed, {len(failures)} failed.")
        for file in gateless:
            output.say(f"{file.name} has no gates, so there is nothing to probe.")
        if unprobed:
            output.say(f"No probe names {', '.join(unprobed)}.")
    return int(bool(failures))


def _file(name: str) -> Path:
    """A probe file, or the folder it is in: one that is there, else a shipped matter."""
    path = Path(name)
    # A name with an ending is a file, and a missing one is told as such.
    return path if path.exists() or path.suffix else matter_folder(name)


def _has_nothing_to_probe(folder: Path) -> bool:
    """Whether a folder holds no probes and a matter without gates: one with nothing to find, say."""
    if not (folder / _MATTER_FILE).is_file() or (folder / FILE_NAME).exists():
        return False
    return not gates_of(Matter.from_directory(folder))


def _line(outcome: ProbeOutcome) -> str:
    wanted = "must fire" if outcome.must_fire else "must not fire"
    return (
        f"{outcome.file}:{outcome.line}:{outcome.column}: {outcome.gate} {wanted} on "
        f'"{short(outcome.text, 60)}": {outcome.why}'
    )
