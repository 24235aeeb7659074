"""What the ``matter`` commands read: matters by folder or name, actions, cases, results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rubrictui.cli._input import STDIN, read_bytes, read_json, read_lines, shown
from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.actions import parse_actions, read_actions
from rubrictui.matters.loading import Matter
from rubrictui.sample_data import matter_folders

TRAJECTORIES = "trajectories"
"""The folder of a matter that keeps actions by which it was worked."""


def matter_folder(name: str) -> Path:
    """The folder that a command names: one that is there, else the shipped matter of that name.

    Raises:
        InvalidInputError: it is neither.
    """
    folder = Path(name)
    if folder.is_dir():
        return folder
    shipped = {one.name: one for one in matter_folders()}
    if name in shipped:
        return shipped[name]
    raise InvalidInputError(
        f"{name} is not a directory.",
        remedy=f"Name the directory that holds matter.yaml, or a shipped matter: {', '.join(shipped)}.",
    )


def matter_of(name: str) -> Matter:
    """The matter in a folder, or the shipped one of that name.

    Raises:
        InvalidInputError: there is none, or it cannot be loaded.
    """
    return Matter.from_directory(matter_folder(name))


def trajectories_of(folder: Path) -> dict[str, Path]:
    """The files of actions kept with a matter, by name without ending; ``.json`` before ``.jsonl``."""
    found: dict[str, Path] = {}
    for file in sorted(folder.glob(f"{TRAJECTORIES}/*.json")) + sorted(
        folder.glob(f"{TRAJECTORIES}/*.jsonl")
    ):
        found.setdefault(file.stem, file)
    return dict(sorted(found.items()))


def actions_file(name: str, folder: Path) -> str:
    """The file that ``name`` means: as it stands, else what the matter in ``folder`` keeps under that name.

    Raises:
        InvalidInputError: it is neither, and the matter keeps others.
    """
    if name == STDIN or Path(name).exists():
        return name
    kept = trajectories_of(folder)
    if kept and name not in kept:
        raise InvalidInputError(
            f"there is no file {name}.",
            remedy=f"Name a file of actions, or a trajectory of the matter: {', '.join(kept)}.",
        )
    return str(kept.get(name, name))


def actions_of(name: str) -> list[dict[str, Any]]:
    """The actions of a file, or of standard input for ``-``.

    Raises:
        InvalidInputError: they cannot be read; the message has the file and line.
    """
    return parse_actions(read_bytes(name), shown(name)) if name == STDIN else read_actions(name)


def cases(name: str) -> Iterator[tuple[str, Any]]:
    """The cases of a file with where each stands: the entries of a JSON list (``*.json``), else JSON Lines.

    Raises:
        InvalidInputError: the file cannot be read, or is not JSON.
    """
    from rubrictui.core.loading import json_value

    if name.casefold().endswith(".json"):
        value = read_json(name)
        for number, case in enumerate(value if isinstance(value, list) else [value], 1):
            yield f"{name}, case {number}", case
        return
    for number, line in read_lines(name):
        where = f"{shown(name)}, line {number}"
        yield where, json_value(line, where)


def documents(name: str) -> list[tuple[str, Any]]:
    """What a file holds, with where each stands: one JSON document, the entries of a list, or JSON Lines.

    Raises:
        InvalidInputError: it cannot be read, or is neither.
    """
    from rubrictui.core.loading import json_value

    data = read_bytes(name)
    try:
        whole = json_value(data, shown(name))
    except InvalidInputError:
        lines = [(at, line) for at, line in enumerate(data.splitlines(), 1) if line.strip()]
        if len(lines) < 2:
            raise
        return [
            (f"{shown(name)}, line {at}", json_value(line, f"{shown(name)}, line {at}")) for at, line in lines
        ]
    if isinstance(whole, list):
        return [(f"{shown(name)}, entry {number}", one) for number, one in enumerate(whole, 1)]
    return [(shown(name), whole)]
