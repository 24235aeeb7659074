"""The store that a packet is worked on in: made once, beside the packet's file, and found again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.engine.base import named, new_uuid, utc_now
from rubrictui.engine.engine import Engine
from rubrictui.engine.errors import StateError
from rubrictui.engine.packets_away import Origin
from rubrictui.interchange.packets import Passphrase, read_packet
from rubrictui.interchange.packets_errors import PacketError
from rubrictui.interchange.packets_seal import is_encrypted
from rubrictui.store import packets
from rubrictui.store.database import Database
from rubrictui.store.errors import StoreOutdatedError
from rubrictui.store.sqlite_file import BUSY_SECONDS

SUFFIX = ".work.db"


def default_work_path(packet_file: Path) -> Path:
    """Where the work of a packet's file is kept: beside it, or in the user's data directory when that folder
    cannot be written."""
    name = f"{packet_file.stem}{SUFFIX}"
    beside = packet_file.with_name(name)
    if beside.exists() or os.access(beside.absolute().parent, os.W_OK):
        return beside
    import platformdirs

    folder = Path(platformdirs.user_data_dir("rubrictui", appauthor=False)) / "packets"
    with suppress(OSError):  # making the store says what is wrong, and where
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / name


def is_work_of(path: Path, data: bytes) -> bool:
    """Whether the store at ``path`` was made from a file with exactly these bytes: nothing of it needs to be read."""
    return path.exists() and _origin(path).file == hashlib.sha256(data).hexdigest()


def open_work(
    data: bytes,
    path: Path,
    *,
    where: str,
    passphrase: Passphrase | None = None,
    clock: Callable[[], datetime] = utc_now,
    new_id: Callable[[], str] = new_uuid,
) -> bool:
    """Make the working store of a packet at ``path``, whole or not at all; whether it was made now.

    Args:
        data: the packet's file; ``where`` names it, ``passphrase`` gives what it was made with, when it is needed.

    Raises:
        PacketError: it cannot be read, is no work packet, or holds what cannot be scored with.
        StateError: another packet is being worked on there.
        StoreError: it cannot be made.
    """
    if is_work_of(path, data):
        return False
    packet = read_packet(data, where=where, passphrase=passphrase)
    manifest = packet.manifest
    if manifest.kind != "work":
        raise PacketError(
            "This is a return, which goes back to the chair.", remedy="Open the packet it was made from."
        )
    named(manifest.reviewer.name, "reviewer")
    if path.exists():
        _same_packet(path, manifest.packet_id)
        return False
    draft = path.with_name(f".{path.name}-{os.getpid()}-{uuid4().hex[:8]}.tmp")
    try:
        with Engine(draft, user=manifest.reviewer.name, clock=clock, new_id=new_id) as engine:
            engine.take_work(packet, file=hashlib.sha256(data).hexdigest(), is_encrypted=is_encrypted(data))
        try:
            os.link(draft, path)  # refuses what another process has made meanwhile, which a rename would not
        except FileExistsError:
            _same_packet(path, manifest.packet_id)
            return False
        except OSError:  # a file system without links
            os.replace(draft, path)
        return True
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be made: {error.strerror or error}.", remedy="Name another place with --store."
        ) from None
    finally:
        for left in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            with suppress(OSError):
                left.unlink()


def work_engine(path: Path, *, busy_seconds: float = BUSY_SECONDS) -> Engine:
    """The engine on a working store, as the reviewer it was made for, whoever is logged in on this machine.

    Raises:
        StateError: the store was not made for a packet.
    """
    origin = _origin(path)
    return Engine(path, user=origin.manifest.reviewer.name, busy_seconds=busy_seconds)


def _origin(path: Path) -> Origin:
    # Not through an engine: whoever is logged in here is no user of the store and must not become one.
    try:
        found = _read_origin(path, read_only=True)
    except StoreOutdatedError:  # this program was upgraded while the packet was being worked on
        found = _read_origin(path, read_only=False)
    if found is None:
        raise StateError(
            f"{path} is a store, but none of a packet.", remedy="Name another place with --store."
        )
    return msgspec.json.decode(found, type=Origin)


def _read_origin(path: Path, *, read_only: bool) -> str | None:
    with Database.open(path, read_only=read_only, create=False) as database, database.read() as connection:
        return packets.origin(connection)


def _same_packet(path: Path, packet_id: str) -> None:
    if _origin(path).manifest.packet_id != packet_id:
        raise StateError(
            f"{path} holds the work on another packet.",
            remedy="Return that one first, or name another place with --store.",
        )
