"""``validate`` and ``load``: YAML files checked, and taken into the store."""

from __future__ import annotations

import argparse
from functools import partial

from rubrictui.cli._output import Output
from rubrictui.cli._parser import Commands


def register(commands: Commands) -> None:
    parser = commands.add(
        "validate",
        "check YAML files: scales, rubrics, subjects, publications",
        run_validate,
        description="Check YAML files as one set: their form, the names between them, and everything that "
        "would stand against publishing. Each finding is one line, FILE:LINE:COLUMN: error or warning. "
        "Exits with 1 when there is an error. With --db, names are looked up in that store too.",
        examples=[
            "rubrictui validate scales.yaml rubric.yaml",
            "rubrictui validate rubrics/ --strict --json",
        ],
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="YAML files, or folders of them")
    parser.add_argument("--strict", action="store_true", help="warnings count as errors")
    parser = commands.add(
        "load",
        "take YAML files into the store",
        run_load,
        description="Load YAML files as one set: scales, rubrics as drafts, people, contexts, subjects, "
        "assignments, evaluations. A publication document publishes its version the way an author does. What "
        "the store holds already is left alone, so loading twice is loading once. Nothing is loaded when "
        "there is an error.",
        examples=["rubrictui load scales.yaml rubric.yaml", "rubrictui load rubrics/ --no-publish"],
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="YAML files, or folders of them")
    parser.add_argument("--no-publish", action="store_true", help="leave rubrics as drafts")


def run_validate(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import read_documents, scale_lookup
    from rubrictui.cli._store import open_engine, version_lookup
    from rubrictui.interchange.documents import RubricFile
    from rubrictui.interchange.places import publish_findings

    if options.db is None:
        reading = read_documents(options.files)
    else:
        with open_engine(options) as engine:
            reading = read_documents(
                options.files, scales=scale_lookup(engine.scales()), versions=partial(version_lookup, engine)
            )
    found = list(reading.findings)
    for entry in reading.entries:
        if isinstance(entry.document, RubricFile) and entry.places is not None:
            found += publish_findings(entry.document.snapshot, entry.places)
    order = {name: index for index, name in enumerate(dict.fromkeys(one.file for one in found))}
    found.sort(key=lambda one: (order[one.file], one.line, one.column))
    errors = sum(one.severity == "error" for one in found)
    warnings = len(found) - errors
    valid = errors == 0 and not (options.strict and warnings)
    if output.json:
        output.data({"valid": valid, "errors": errors, "warnings": warnings, "findings": found})
    else:
        output.text(*(str(one) for one in found))
        output.say(f"{len(reading.entries)} documents are well formed. {errors} errors, {warnings} warnings.")
    return 0 if valid else 1


def run_load(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import read_documents, scale_lookup
    from rubrictui.cli._store import open_engine, version_lookup

    with open_engine(options, create=True) as engine:
        reading = read_documents(
            options.files, scales=scale_lookup(engine.scales()), versions=partial(version_lookup, engine)
        )
        for finding in reading.findings:
            output.say(str(finding))
        if not reading.is_valid:
            output.say("Nothing was loaded.")
            return 1
        report = engine.load_documents(reading.documents, publish=not options.no_publish)
    if output.json:
        output.data(report)
    else:
        added = [f"{count} {name}" for name in report.__struct_fields__ if (count := getattr(report, name))]
        output.text(f"Loaded {', '.join(added)}." if added else "Everything was there already.")
    return 0
