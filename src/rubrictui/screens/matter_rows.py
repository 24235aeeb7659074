"""The matters there are: shipped ones and those in the folders a user opened, with their state. Reads files only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from rubrictui.ground.errors import RubrictuiError
from rubrictui.ground.findings import Finding
from rubrictui.matters.lint import lint
from rubrictui.matters.loading import Matter
from rubrictui.sample_data import matter_folders
from rubrictui.screens.matter_work import Work, works
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.text import counted

MATTER_COLUMNS = (
    Column("Matter", share=3, minimum=24),
    Column("Papers", width=6, right=True, drop=2),
    Column("Issues", width=6, right=True, drop=3),
    Column("Files", width=20, drop=1),
    Column("Your work", width=18),
)

SHIPPED = "Shipped"
_FILE = "matter.yaml"


class MatterEntry(NamedTuple):
    """One matter of the list. ``root`` is the folder the user opened, "" for a shipped matter; ``error`` says
    why it cannot be loaded."""

    folder: Path
    root: str
    title: str = ""
    documents: int = 0
    issues: int = 0
    findings: tuple[Finding, ...] = ()
    works: tuple[Work, ...] = ()
    error: str = ""


def matters_in(folder: Path) -> tuple[Path, ...]:
    """The folder itself when it is a matter, else the matters right in it."""
    try:
        if (folder / _FILE).is_file():
            return (folder,)
        return tuple(sorted(file.parent for file in folder.glob(f"*/{_FILE}")))
    except OSError:
        return ()


def read_entries(folders: Iterable[str]) -> tuple[MatterEntry, ...]:
    """Every matter, the shipped ones first. A folder that holds none is one entry that says so."""
    entries = [read_entry(folder, "") for folder in matter_folders()]
    for root in folders:
        found = matters_in(Path(root))
        entries += [read_entry(folder, root) for folder in found]
        if not found:
            entries.append(MatterEntry(Path(root), root, error="There is no matter.yaml here any more."))
    return tuple(entries)


def read_entry(folder: Path, root: str) -> MatterEntry:
    """One matter, loaded and linted."""
    try:
        matter = Matter.from_directory(folder)
        findings = tuple(lint(matter))
    except RubrictuiError as error:
        return MatterEntry(folder, root, works=works(folder), error=str(error))
    return MatterEntry(
        folder,
        root,
        title=matter.title,
        documents=len(matter.documents),
        issues=len(matter.rubric.issues),
        findings=findings,
        works=works(folder),
    )


def state_words(entry: MatterEntry) -> tuple[str, str]:
    """The state of a matter's files in words, and its tone."""
    if entry.error:
        return "cannot be loaded", "error"
    errors = sum(finding.severity == "error" for finding in entry.findings)
    warnings = len(entry.findings) - errors
    if errors:
        return counted(errors, "error"), "error"
    return (counted(warnings, "warning"), "warning") if warnings else ("sound", "success")


def work_words(entry: MatterEntry) -> str:
    """How far the user is with it: the newest work, and how many there are."""
    if not entry.works:
        return ""
    more = f" (+{len(entry.works) - 1})" if len(entry.works) > 1 else ""
    return entry.works[0].words + more


def matter_rows(entries: Iterable[MatterEntry]) -> list[Row]:
    """The entries as rows; a row's id is the folder."""
    rows = []
    for entry in entries:
        state, tone = state_words(entry)
        rows.append(
            Row(
                str(entry.folder),
                (
                    entry.title or entry.folder.name,
                    str(entry.documents or ""),
                    str(entry.issues or ""),
                    state,
                    work_words(entry),
                ),
                section=entry.root or SHIPPED,
                tones=("", "", "", tone, ""),
                search=entry.folder.name,
            )
        )
    return rows


def detail_words(entry: MatterEntry) -> str:
    """The line below the list: what is wrong, else where it lies."""
    if entry.error:
        return entry.error
    if entry.findings:
        first = entry.findings[0]
        return f"{Path(first.file).name}:{first.line}: {first.message}"
    return str(entry.folder) if entry.root else f"{entry.folder.name}, shipped with rubrictui"
