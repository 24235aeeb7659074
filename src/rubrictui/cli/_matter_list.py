"""``matter list``: the shipped matters and those in folders."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rubrictui.cli._matter_input import trajectories_of
from rubrictui.cli._output import Output, number, short
from rubrictui.ground.errors import InvalidInputError, RubrictuiError
from rubrictui.matters.loading import Matter
from rubrictui.sample_data import matter_folders

_FILE = "matter.yaml"


def run(options: argparse.Namespace, output: Output) -> int:
    given = [(str(folder), folder) for name in options.folders for folder in _within(Path(name), output)]
    entries = [
        *(_entry(folder.name, folder, shipped=True) for folder in matter_folders()),
        *(_entry(name, folder, shipped=False) for name, folder in given),
    ]
    if output.json:
        output.data(entries)
    else:
        _tell(entries, output)
    return 0


def _within(folder: Path, output: Output) -> list[Path]:
    """The folder itself when it is a matter, else the matters right below it."""
    if not folder.is_dir():
        raise InvalidInputError(
            f"{folder} is not a directory.", remedy="Name a matter, or a directory of matters."
        )
    if (folder / _FILE).is_file():
        return [folder]
    found = sorted(file.parent for file in folder.glob(f"*/{_FILE}"))
    if not found:
        output.say(f"{folder} holds no matter: there is no {_FILE} in it or in a folder of it.")
    return found


def _entry(name: str, folder: Path, *, shipped: bool) -> dict[str, Any]:
    """A matter of the list. One that cannot be loaded is listed with the reason."""
    entry: dict[str, Any] = {
        "name": name,
        "folder": str(folder),
        "shipped": shipped,
        "trajectories": list(trajectories_of(folder)),
    }
    try:
        matter = Matter.from_directory(folder)
    except RubrictuiError as error:
        return {**entry, "error": str(error)}
    return {
        **entry,
        "matter_id": matter.matter_id,
        "title": matter.facts.title,
        "documents": len(matter.documents),
        "issues": len(matter.rubric.issues),
        "positions": len(matter.positions or {}),
        "max_score": matter.max_score,
        "problems": len(matter.problems),
    }


def _tell(entries: Iterable[dict[str, Any]], output: Output) -> None:
    header = ("matter", "title", "issues", "positions", "max score")
    output.table(header, [tuple(_cells(entry)) for entry in entries], right=(2, 3, 4))


def _cells(entry: dict[str, Any]) -> Iterator[object]:
    yield entry["name"]
    if "error" in entry:
        yield f"cannot be loaded: {entry['error']}"
        yield from ("", "", "")
    else:
        problems = entry["problems"]
        yield short(entry["title"], 80) + (f" ({problems} to mend: matter lint)" if problems else "")
        yield from (entry["issues"], entry["positions"], number(entry["max_score"]))
