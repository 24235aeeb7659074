"""``matter lint``."""

from __future__ import annotations

import argparse

from rubrictui.cli._matter_input import matter_folder
from rubrictui.cli._output import Output, counted
from rubrictui.matters.lint import lint


def run(options: argparse.Namespace, output: Output) -> int:
    found = [
        finding
        for folder in options.folders
        for finding in lint(matter_folder(folder), pedantic=options.pedantic)
    ]
    errors = sum(finding.severity == "error" for finding in found)
    warnings = len(found) - errors
    valid = errors == 0 and not (options.strict and warnings)
    if output.json:
        output.data({"valid": valid, "errors": errors, "warnings": warnings, "findings": found})
    else:
        output.text(*(f"{finding} [{finding.code}]" for finding in found))
        output.say(
            f"{counted(len(options.folders), 'matter')}: {counted(errors, 'error')}, {counted(warnings, 'warning')}."
        )
    return 0 if valid else 1
