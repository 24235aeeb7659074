"""``import``: rubrics that authors already have in other programs, as drafts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubrictui.cli._output import Output, counted
from rubrictui.cli._parser import Commands

if TYPE_CHECKING:
    from rubrictui.engine.importing import ImportedRubric
    from rubrictui.interchange.importers import Imported

FORMATS = (
    "brightspace", "canvas", "markdown", "moodle", "openreview", "paperbench", "prometheus", "researchrubrics", "table"
)  # fmt: skip


def register(commands: Commands) -> None:
    parser = commands.add(
        "import",
        "rubrics of other programs, as drafts",
        run,
        description="Take in the rubrics of one file of another program as drafts: Canvas CSV, Moodle "
        "grading.xml, Brightspace XML, PaperBench, Prometheus, OpenReview and ResearchRubrics JSON, a plain CSV or Markdown "
        "table. The format is found from the content. What cannot be carried over is listed. A file with errors "
        "writes nothing: each is one line, FILE:ROW:COLUMN in a table and FILE:LINE:COLUMN elsewhere.\n\n"
        "Importing a file twice changes nothing. A draft that differs from the file is left alone unless --replace "
        "says otherwise; published versions never change, they get a new draft.",
        examples=[
            "rubrictui import essay.csv --dry-run",
            "rubrictui import grading.xml --minimum zero --category Courses",
        ],
    )
    parser.add_argument("file", metavar="FILE", help="the file; - is standard input")
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        help=f"the format, instead of finding it: {', '.join(FORMATS)}",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="write nothing: show the tree; with --db, what it would change there",
    )
    parser.add_argument("--encoding", metavar="NAME", help="the encoding, where it is not UTF-8 or marked")
    parser.add_argument(
        "--minimum",
        choices=("zero", "keep"),
        help="whether the lowest level of a criterion counts 0, or its points as they are; without it, as the "
        "format does",
    )
    parser.add_argument("--name", metavar="NAME", help="the name of the rubric, where the file holds one")
    parser.add_argument(
        "--category", metavar="NAME", help="the category of the rubrics, made when it is not there"
    )
    parser.add_argument("--replace", action="store_true", help="write over drafts that differ from the file")


def run(options: argparse.Namespace, output: Output) -> int:
    from rubrictui.cli._input import STDIN, read_bytes, shown
    from rubrictui.interchange.importers import ImportOptions, import_rubrics

    title = "" if options.file == STDIN else " ".join(Path(options.file).stem.replace("_", " ").split())
    imported = import_rubrics(
        read_bytes(options.file),
        name=shown(options.file),
        format=options.format,
        options=ImportOptions(
            encoding=options.encoding,
            minimum=options.minimum,
            name=options.name,
            title=title or "Imported rubric",
            category=options.category,
        ),
    )
    if not imported.is_valid:
        return _refuse(imported, output)
    done = _store(options, imported)
    if output.json:
        output.data(_answer(options, imported, done))
    elif options.dry_run:
        _show(imported, done, output)
    else:
        _tell(imported, done, output)
    return 0


def _refuse(imported: Imported, output: Output) -> int:
    for finding in imported.findings:
        output.say(str(finding))
    output.say("Nothing was imported.")
    if output.json:
        first = imported.findings[0]
        output.data(
            {
                "error": {
                    "kind": first.code,
                    "key": None,
                    "message": first.message,
                    "remedy": "",
                    "problems": imported.findings,
                }
            }
        )
    return 1


def _store(options: argparse.Namespace, imported: Imported) -> tuple[ImportedRubric, ...]:
    """What became of the rubrics; nothing when a dry run looks at no store."""
    from rubrictui.cli._store import open_engine

    if not options.dry_run:
        with open_engine(options, create=True) as engine:
            return engine.import_rubrics(imported.rubrics, replace=options.replace)
    if options.db is None:
        return ()
    from rubrictui.store.locations import locate

    path = locate(options.db).path
    if path is not None and not path.exists():  # a store that would be made: everything is new to it
        return ()
    with open_engine(options, read_only=True) as engine:
        return engine.import_rubrics(imported.rubrics, replace=options.replace, dry_run=True)


def _show(imported: Imported, done: Sequence[ImportedRubric], output: Output) -> None:
    from rubrictui.cli._trees import version_lines

    told = [(one.version, _sentence(one, dry_run=True)) for one in done]
    for version, sentence in told or [(rubric.snapshot, "") for rubric in imported.rubrics]:
        output.text(*version_lines(version))
        if sentence:
            output.text("", sentence)
        output.text("")
    output.text(*_problem_lines(imported))
    if imported.notes:
        output.text("Not carried over as it is:", *(f"  {note}" for note in imported.notes))
    else:
        output.text("Everything is carried over.")
    output.say("A dry run: nothing was written.")


def _tell(imported: Imported, done: Sequence[ImportedRubric], output: Output) -> None:
    output.text(*(_sentence(one, dry_run=False) for one in done))
    output.text(*_problem_lines(imported))
    if imported.notes:
        output.say("Not carried over as it is:", *(f"  {note}" for note in imported.notes))


def _sentence(one: ImportedRubric, *, dry_run: bool) -> str:
    criteria = counted(sum(node.is_criterion for node in one.version.nodes), "criterion", "criteria")
    size = f"{criteria}, {counted(len(one.new_scales), 'new scale')}"
    changes = counted(one.changes, "difference")
    will = "would be " if dry_run else ""
    return {
        "new": f'"{one.name}" {will}imported as a draft: {size}.',
        "draft": f'"{one.name}" {will}given a new draft: {changes} from its last version, {size}.',
        "replaced": f'The draft of "{one.name}" {will}replaced: {changes}, {size}.',
        "unchanged": f'"{one.name}" is there already, unchanged.',
        "differs": f'"{one.name}" has a draft that is not what the file holds ({changes}); it takes --replace.',
        "name_taken": f'"{one.name}" is there already, not from this kind of file; it takes --name or --replace.',
    }[one.status]


def _problem_lines(imported: Imported) -> list[str]:
    """What stands against publishing, which an author settles in the draft."""
    from rubrictui.core.authoring import publish_problems

    lines = []
    for rubric in imported.rubrics:
        blocking = [problem.message for problem in publish_problems(rubric.snapshot) if problem.blocks]
        if blocking:
            more = f" (and {len(blocking) - 1} more)" if len(blocking) > 1 else ""
            lines.append(f'Before publishing "{rubric.name}": {blocking[0]}{more}')
    return lines


def _answer(
    options: argparse.Namespace, imported: Imported, done: Sequence[ImportedRubric]
) -> dict[str, Any]:
    """The JSON: with a dry run, the trees too."""
    rows: list[dict[str, Any]] = []
    for index, rubric in enumerate(imported.rubrics):
        one = done[index] if done else None
        version = one.version if one else rubric.snapshot
        row: dict[str, Any] = {
            "id": one.id if one else rubric.id,
            "name": one.name if one else rubric.name,
            "status": one.status if one else "new",
            "criteria": sum(node.is_criterion for node in version.nodes),
            "new_scales": one.new_scales if one else [scale.name for scale in rubric.snapshot.scales],
            "changes": one.changes if one else 0,
        }
        rows.append({**row, "version": version} if options.dry_run else row)
    return {"format": imported.format, "dry_run": options.dry_run, "rubrics": rows, "notes": imported.notes}
