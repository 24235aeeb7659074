"""The ways a matter was worked: the user's own, and the trajectories that lie with the matter. Pure but for files."""

from __future__ import annotations

from pathlib import Path

from rubrictui.matters.actions import Action, read_actions
from rubrictui.matters.loading import Matter
from rubrictui.screens.matter_trace_rows import Trace, trace_of
from rubrictui.screens.matter_work import read_work, works
from rubrictui.widgets.rows_list import Column, Row

RUN_COLUMNS = (Column("Trace", minimum=20), Column("State", width=20))

_OWN, _KEPT = "own", "kept"
_FOLDER = "trajectories"


def run_rows(folder: Path) -> list[Row]:
    """The user's work, newest first, then what the matter keeps (it may show the answers)."""
    rows = [
        Row(f"{_OWN}\t{work.file}", (f"Your work {work.number}", work.words), section="Yours")
        for work in works(folder)
        if not work.is_broken
    ]
    rows += [
        Row(f"{_KEPT}\t{file}", (file.stem, "with the matter"), section="With the matter")
        for file in kept_trajectories(folder)
    ]
    return rows


def kept_trajectories(folder: Path) -> tuple[Path, ...]:
    """The files of actions that lie with a matter."""
    return tuple(sorted((*folder.glob(f"{_FOLDER}/*.json"), *folder.glob(f"{_FOLDER}/*.jsonl"))))


def run_title(run_id: str) -> str:
    """What the trace of a row is called."""
    kind, _, name = run_id.partition("\t")
    return f"Your work {int(Path(name).stem)}" if kind == _OWN else Path(name).stem


def actions_of_run(run_id: str) -> tuple[list[Action], int]:
    """The actions of a row of ``run_rows``, and the seed.

    Raises:
        InvalidInputError: its file cannot be read.
    """
    kind, _, name = run_id.partition("\t")
    return read_work(Path(name)) if kind == _OWN else (read_actions(name), 0)


def trace_of_run(matter: Matter, run_id: str) -> Trace:
    """The trace of a row of ``run_rows``.

    Raises:
        InvalidInputError: its file cannot be read.
    """
    actions, seed = actions_of_run(run_id)
    return trace_of(matter, actions, run_title(run_id), seed=seed)
