"""Packets as zip files: the same members give the same bytes, and a stranger's file is bounded before it is read.

Nothing is ever unpacked to a disk. A file is refused for its size, for how many members it has, for what they are
called, for what they say they unpack to, and for links, before a byte of them is unpacked.
"""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path
from typing import Final

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange import zip_reading
from rubrictui.interchange.packets_errors import PacketError

MAX_FILE: Final = 256 * 1024 * 1024
MAX_UNPACKED: Final = 512 * 1024 * 1024
MAX_MEMBERS: Final = 16
#: Text shrinks to a tenth or so; only what was made to burst shrinks further than this.
MAX_RATIO: Final = 250
_SMALL: Final = 8 * 1024 * 1024
_LISTED: Final = b"PK\x01\x02"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_AGAIN: Final = "Nothing of it was used. Ask for the file again."


def pack(members: dict[str, bytes]) -> bytes:
    """A zip file with these members, in this order, without times.

    Raises:
        PacketError: they are more than a packet may hold.
    """
    size = sum(map(len, members.values()))
    if size > MAX_UNPACKED:
        raise PacketError(
            f"The packet would hold {size >> 20} MB; at most {MAX_UNPACKED >> 20} MB are read.",
            remedy="Export a round with fewer or smaller subjects.",
        )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | 0o600) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return buffer.getvalue()


def read_file(path: Path) -> bytes:
    """The bytes of a packet's file.

    Raises:
        PacketError: it is not there, no regular file, unreadable, or larger than a packet may be.
    """
    try:
        if not path.exists():
            raise PacketError(f"{path} does not exist.", remedy="Check its name.")
        if not path.is_file():
            what = "a folder" if path.is_dir() else "no regular file"
            raise PacketError(f"{path} is {what}.", remedy="Give a packet's file.")
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise PacketError(
            f"{path} cannot be read: {error.strerror or error}.", remedy="Check its permissions."
        ) from None
    if len(data) > MAX_FILE:
        raise PacketError(f"{path} is larger than {MAX_FILE >> 20} MB, so it is no packet.", remedy=_AGAIN)
    return data


def unpack(data: bytes, *, where: str) -> dict[str, bytes]:
    """The members of a packet's zip file, by name.

    Raises:
        PacketError: it is no zip file, is cut short or damaged, or would burst, or holds what no packet holds.
    """
    if not data.startswith(b"PK"):
        raise PacketError(f"{where} is no packet: it is no zip file.", remedy="Give a packet's file.")
    if data.count(_LISTED) > 4 * MAX_MEMBERS:
        raise PacketError(f"{where} holds more members than a packet has.", remedy=_AGAIN)
    try:
        with zip_reading.opened(data, where) as archive:
            listed = archive.infolist()
            _check(listed, where)
            return {info.filename: zip_reading.member_bytes(archive, info, where) for info in listed}
    except PacketError:
        raise
    except InvalidInputError as error:
        raise PacketError(error.message, remedy=_AGAIN) from None


def _check(listed: list[zipfile.ZipInfo], where: str) -> None:
    met: set[str] = set()
    for info in listed:
        fault = _fault(info, met)
        if fault is not None:
            shown = info.orig_filename if len(info.orig_filename) <= 60 else f"{info.orig_filename[:59]}…"
            raise PacketError(f'{where}: member "{shown}" {fault}.', remedy=_AGAIN)
        met.add(info.filename)
    if len(listed) > MAX_MEMBERS:
        raise PacketError(f"{where} holds more members than a packet has.", remedy=_AGAIN)
    if zip_reading.bursts(listed, limit=MAX_UNPACKED, ratio=MAX_RATIO, small=_SMALL):
        size = sum(info.file_size for info in listed)
        raise PacketError(
            f"{where} would unpack to {size / (1 << 20):,.0f} MB, which is no packet.", remedy=_AGAIN
        )


def _fault(info: zipfile.ZipInfo, met: set[str]) -> str | None:
    name = info.orig_filename
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.filename in met:
        return "stands twice"
    if (
        name != info.filename
        or not name.isascii()
        or any(c in name for c in "/\\:\0")
        or name.startswith(".")
    ):
        return "has a path, and a packet has none"
    if kind == stat.S_IFLNK:
        return "is a link"
    if info.is_dir() or kind not in (0, stat.S_IFREG):
        return "is no file"
    if info.flag_bits & 0x1:
        return "is encrypted in a way that packets are not"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is packed in a way that packets are not"
    return None
