"""Writing many files into a folder: all of them or none, and nothing written over unless that is asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from uuid import uuid4

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.new_file import write_new
from rubrictui.interchange.sync_names import file_stem, short_id
from rubrictui.interchange.sync_writing import write_atomically


class FilesThereError(InvalidInputError):
    """What was to be written is there already, and nobody said that it may give way."""

    code = "files_there"


class Stopped(Exception):
    """The caller asked to stop; nothing was written."""


def write_one(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write a file in one step.

    Args:
        force: what is there already gives way.

    Raises:
        FilesThereError: there is something at ``path``.
        InvalidInputError: it cannot be written.
    """
    if os.path.lexists(path) and not force:
        raise _taken([path])
    write_atomically(path, content.encode() if isinstance(content, str) else content)


def write_folder(
    folder: Path,
    names: Sequence[str],
    contents: Iterable[str | bytes],
    *,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[Path, ...]:
    """Write files into a folder, which is made when it is not there.

    Everything is written to a hidden folder in it first, and put in place when it is whole, so that an error or a stop
    leaves the folder as it was.

    Args:
        names: paths inside the folder, unique; ``contents`` has a content for each, made while it is written.
        force: files of these names give way; without it they are refused before anything is made.
        progress: told how many are written, of how many.
        cancelled: asked before each; True ends the work.

    Raises:
        FilesThereError: files of these names are there already.
        InvalidInputError: ``folder`` is none, or it cannot be written to.
        Stopped: ``cancelled`` said so.
    """
    targets = [folder / name for name in names]
    if not force:
        there = [target for target in targets if os.path.lexists(target)]
        if there:
            raise _taken(there)
    is_new = not folder.exists()
    waiting = folder / f".rubrictui-{os.getpid()}-{uuid4().hex[:8]}"
    try:
        waiting.mkdir(parents=True)
        try:
            for done, (name, content) in enumerate(zip(names, contents, strict=True), 1):
                if cancelled is not None and cancelled():
                    raise Stopped
                place = waiting / name
                place.parent.mkdir(parents=True, exist_ok=True)
                write_new(place, content)
                if progress is not None:
                    progress(done, len(targets))
            for name, target in zip(names, targets, strict=True):
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(waiting / name, target)
        finally:
            shutil.rmtree(waiting, ignore_errors=True)
            if is_new and not any(folder.iterdir()):
                folder.rmdir()
    except OSError as error:
        raise InvalidInputError(
            f"{folder} cannot be written to: {error.strerror or error}.", remedy="Name another folder."
        ) from None
    return tuple(targets)


def stems(kind: str, items: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """A file name without its ending for each (id, name): plain words of the name, which may be anything at all.

    Items whose names come out alike all get a piece of their id, so that a name is one item's in every run.
    """
    plain = [file_stem(kind, id, name, ()) for id, name in items]
    alike = {stem for stem in plain if plain.count(stem) > 1} if len(set(plain)) < len(plain) else set()
    taken: set[str] = set()
    found = []
    for stem, (id, _) in zip(plain, items, strict=True):
        own = f"{stem}-{short_id(id)}" if stem in alike else stem
        while own in taken:
            own = f"{own}-{short_id(id)}"
        taken.add(own)
        found.append(own)
    return tuple(found)


def _taken(there: Sequence[Path]) -> FilesThereError:
    more = f" and {len(there) - 1:,} other files are" if len(there) > 1 else " is"
    return FilesThereError(
        f"{there[0]}{more} there already.", remedy="Write elsewhere, or over them with --force."
    )
