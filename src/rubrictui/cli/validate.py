"""``validate`` and ``load``: files of documents checked, and taken into the store."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from rubrictui.cli._output import Output, counted
from rubrictui.cli._parser import Commands
from rubrictui.core.errors import InvalidInputError

if TYPE_CHECKING:
    from rubrictui.ground.findings import Finding


def register(commands: Commands) -> None:
    parser = commands.add(
        "validate",
        "check YAML files, and snapshots in JSON",
        run_validate,
        description="Check YAML files as one set: their form, the names between them, and everything that "
        "would stand against publishing. JSON is taken too: records in the metadata shape, and versions. Each finding is one line, FILE:LINE:COLUMN: error or warning. "
        "Exits with 1 when there is an error. With --db, names are looked up in that store too.",
        examples=[
            "rubrictui validate scales.yaml rubric.yaml",
            "rubrictui validate rubrics/ --strict --json",
        ],
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="files of documents, folders of them, snapshots"
    )
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
    parser.add_argument("files", metavar="FILE", nargs="+", help="files of documents, or folders of them")
    parser.add_argument("--no-publish", action="store_true", help="leave rubrics as drafts")


def run_validate(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import category_lookup, read_documents, scale_lookup
    from rubrictui.cli._store import is_missing, open_engine, version_lookup
    from rubrictui.interchange.documents import RubricFile
    from rubrictui.interchange.places import publish_findings, publish_findings_beside

    snapshots = [name for name in options.files if _is_snapshot(name)]
    files = [name for name in options.files if name not in snapshots]
    if options.db is None or is_missing(options):
        if options.db is not None:
            output.say(f"There is no store at {options.db} yet: names are looked up in the files alone.")
        reading = read_documents(files)
    else:
        with open_engine(options) as engine:
            reading = read_documents(
                files,
                scales=scale_lookup(engine.scales()),
                versions=partial(version_lookup, engine),
                categories=category_lookup(engine.categories()),
            )
    found = [finding for name in snapshots for finding in _snapshot_findings(name)]
    found += reading.findings
    for entry in reading.entries:
        if isinstance(entry.document, RubricFile) and entry.places is not None:
            found += publish_findings(entry.document.snapshot, entry.places)
    for entry in reading.damaged:
        if isinstance(entry.document, RubricFile) and entry.places is not None:
            found += publish_findings_beside(entry.document.snapshot, entry.places, reading.findings)
    order = {name: index for index, name in enumerate(dict.fromkeys(one.file for one in found))}
    found.sort(key=lambda one: (order[one.file], one.line, one.column))
    errors = sum(one.severity == "error" for one in found)
    warnings = len(found) - errors
    valid = errors == 0 and not (options.strict and warnings)
    if output.json:
        output.data({"valid": valid, "errors": errors, "warnings": warnings, "findings": found})
    else:
        output.text(*(str(one) for one in found))
        count = len(reading.entries)
        output.say(
            f"{counted(count, 'document is', 'documents are')} well formed. "
            f"{counted(errors, 'error')}, {counted(warnings, 'warning')}."
        )
    return 0 if valid else 1


def _is_snapshot(name: str) -> bool:
    """Whether a file is one version in JSON, and no record in the metadata shape."""
    if not name.casefold().endswith(".json"):
        return False
    from rubrictui.cli._input import read_bytes
    from rubrictui.interchange.folders import holds_metadata

    try:
        return not holds_metadata(read_bytes(name))
    except InvalidInputError:
        return True  # told when it is read


def _snapshot_findings(name: str) -> list[Finding]:
    """What is wrong with a snapshot's JSON: why it cannot be read, else what stands against publishing it."""
    from rubrictui.cli._input import read_bytes
    from rubrictui.core.loading import version_from_json
    from rubrictui.ground.findings import Finding
    from rubrictui.interchange.places import Places, publish_findings

    try:
        version = version_from_json(read_bytes(name))
    except InvalidInputError as error:
        return [Finding(code=error.code, message=str(error), file=name)]
    return list(publish_findings(version, Places(file=name)))


def _answer_refused(findings: Sequence[Finding], output: Output) -> None:
    """With ``--json`` a refusal is an answer too, in the shape that every refusal has."""
    first = next(one for one in findings if one.severity == "error")
    answer = {"kind": first.code, "key": None, "message": first.message, "remedy": "", "problems": findings}
    output.data({"error": answer})


def run_load(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import category_lookup, read_documents, scale_lookup
    from rubrictui.cli._store import engine_to_try, open_engine, version_lookup

    with engine_to_try(options) as engine:  # what is refused makes no store
        reading = read_documents(
            options.files,
            scales=scale_lookup(engine.scales()),
            versions=partial(version_lookup, engine),
            categories=category_lookup(engine.categories()),
        )
    for finding in reading.findings:
        output.say(str(finding))
    if not reading.is_valid:
        output.say("Nothing was loaded.")
        if output.json:
            _answer_refused(reading.findings, output)
        return 1
    with open_engine(options, create=True) as engine:
        report = engine.load_documents(reading.documents, publish=not options.no_publish)
    if output.json:
        output.data(report)
    else:
        added = [
            counted(count, "category" if name == "categories" else name.removesuffix("s"), name)
            for name in report.__struct_fields__
            if (count := getattr(report, name))
        ]
        output.text(f"Loaded {', '.join(added)}." if added else "Everything was there already.")
        left = max(report.rubrics - report.published, 0)
        if left and not options.no_publish:
            how, what = ("as a draft", "it") if left == 1 else ("as drafts", "them")
            output.say(
                f"{counted(left, 'rubric')} loaded {how}; add a publication document to publish {what} "
                "(docs/formats.md)"
            )
    return 0
