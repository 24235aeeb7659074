"""Where the work on matters is kept: a folder of the user's, a file for each time a matter is worked.

``DATA/matters/NAME-DIGEST/0001.json`` and on. A file in use is locked beside it, so that two terminals never write
the same work; the lock goes with its process. Files are written whole or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.loading import Matter
from rubrictui.sample_data import matter_folders
from rubrictui.screens.matter_session import MatterSession, resumed

_NUMBERED = re.compile(r"([0-9]{4,})\.json")


class Work(NamedTuple):
    """One kept piece of work, as a list shows it. ``is_broken``: the file cannot be read."""

    file: Path
    number: int
    steps: int = 0
    maximum_steps: int = 0
    ended: bool = False
    score: float | None = None
    is_broken: bool = False

    @property
    def words(self) -> str:
        """How far it is."""
        if self.is_broken:
            return "cannot be read"
        if not self.ended:
            return f"step {self.steps} of {self.maximum_steps}"
        return f"score {self.score:.4f}" if self.score is not None else "ended unscored"


def data_folder() -> Path:
    """The folder of all kept work; nothing is created."""
    import platformdirs

    return Path(platformdirs.user_data_dir("rubrictui", appauthor=False)) / "matters"


def work_folder(matter_folder: Path) -> Path:
    """Where the work on the matter in a folder is kept. A shipped matter keeps its work when the program moves."""
    full = matter_folder.resolve()
    if any(full == shipped.resolve() for shipped in matter_folders()):
        return data_folder() / f"{full.name}-shipped"
    sign = hashlib.sha256(str(full).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    name = re.sub(r"[^\w.-]+", "-", full.name)[:60].strip("-.") or "matter"
    return data_folder() / f"{name}-{sign}"


def works(matter_folder: Path) -> tuple[Work, ...]:
    """All work on a matter, the newest first."""
    found = []
    for file in _files(work_folder(matter_folder)):
        number = int(file.stem)
        try:
            kept = _read(file)
        except InvalidInputError:
            found.append(Work(file, number, is_broken=True))
            continue
        score = kept.get("score")
        found.append(
            Work(
                file,
                number,
                steps=_count(kept.get("steps")),
                maximum_steps=_count(kept.get("maximum_steps")),
                ended=kept.get("ended") is True,
                score=float(score)
                if isinstance(score, int | float) and not isinstance(score, bool)
                else None,
            )
        )
    return tuple(sorted(found, key=lambda one: -one.number))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _files(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for file in entries:
        if _NUMBERED.fullmatch(file.name):
            yield file


def _read(file: Path) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(file.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise InvalidInputError(f"{file} cannot be read: {reason}.") from None
    if not isinstance(value, dict):
        raise InvalidInputError(f"{file} is no kept work.")
    return value


def read_work(file: Path) -> tuple[list[dict[str, Any]], int]:
    """The actions of a kept piece of work, and its seed.

    Raises:
        InvalidInputError: the file cannot be read.
    """
    kept = _read(file)
    actions = kept.get("actions")
    given = [action for action in actions if isinstance(action, dict)] if isinstance(actions, list) else []
    return given, _count(kept.get("seed"))


class OpenWork:
    """A session that is being worked, with the file that keeps it.

    Attributes:
        session: the work.
        file: where it is kept.
        notice: one line to say first; "" for none.
    """

    def __init__(self, session: MatterSession, file: Path, lock: int, notice: str) -> None:
        self.session = session
        self.file = file
        self.notice = notice
        self._lock: int | None = lock
        self._kept = b""
        session.keep = self.keep

    def keep(self, content: bytes) -> None:
        """Write the file, when it would differ.

        Raises:
            InvalidInputError: it cannot be written.
        """
        if content == self._kept or self._lock is None:
            return
        spare = self.file.with_suffix(f".{os.getpid()}.tmp")
        try:
            spare.write_bytes(content)
            spare.replace(self.file)
        except OSError as error:
            with contextlib.suppress(OSError):
                spare.unlink(missing_ok=True)
            raise InvalidInputError(
                f"{self.file} cannot be written: {error.strerror or error}.",
                remedy="Make room or mend the folder; what is on the screen is kept with the next key.",
            ) from None
        self._kept = content

    def close(self) -> None:
        """Let others open it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def open_work(
    matter_folder: Path, matter: Matter, *, file: Path | None = None, anew: bool = False, seed: int = 0
) -> OpenWork:
    """Go on with the newest unfinished work that nobody has open, or begin.

    Args:
        matter_folder: where the matter lies.
        matter: the matter, loaded.
        file: this very work instead.
        anew: begin, whatever there is.
        seed: of work that begins.

    Raises:
        InvalidInputError: the matter has problems, the folder cannot be written, or ``file`` cannot be opened.
    """
    matter.require_playable()
    notice = ""
    if file is not None:
        lock = _locked(file)
        if lock is None:
            raise InvalidInputError(
                "This work is open in another terminal.", remedy="Close it there, or begin anew."
            )
        return _resume(matter_folder, matter, file, lock)
    for work in () if anew else works(matter_folder):
        if work.ended or work.is_broken:
            notice = notice or (f"{work.file} cannot be read; it is left as it is." if work.is_broken else "")
            continue
        lock = _locked(work.file)
        if lock is not None:
            return _resume(matter_folder, matter, work.file, lock)
        notice = "The work begun before is open in another terminal, so this is new work."
    return _begin(matter_folder, matter, seed, notice)


def _resume(matter_folder: Path, matter: Matter, file: Path, lock: int) -> OpenWork:
    try:
        session, notice = resumed(matter, _read(file), folder=str(matter_folder.resolve()))
    except BaseException:
        os.close(lock)
        raise
    return OpenWork(session, file, lock, notice)


def _begin(matter_folder: Path, matter: Matter, seed: int, notice: str) -> OpenWork:
    folder = work_folder(matter_folder)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InvalidInputError(
            f"{folder} cannot be made: {error.strerror or error}.", remedy="Work on matters is kept there."
        ) from None
    number = max((int(file.stem) for file in _files(folder)), default=0) + 1
    while True:
        file = folder / f"{number:04}.json"
        lock = _locked(file)
        if lock is not None and not file.exists():
            break
        if lock is not None:
            os.close(lock)
        number += 1
    work = OpenWork(MatterSession(matter, folder=str(matter_folder.resolve()), seed=seed), file, lock, notice)
    try:
        work.session.save()
    except InvalidInputError:
        work.close()
        raise
    return work


def _locked(file: Path) -> int | None:
    """A descriptor that holds the lock of a file of work; None when somebody else has it."""
    import fcntl

    try:
        lock = os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InvalidInputError(f"{file.parent} cannot be written: {error.strerror or error}.") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock
