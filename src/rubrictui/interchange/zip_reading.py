"""Zip files from outside: bounded before they are read, and never unpacked to a disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from rubrictui.core.errors import InvalidInputError

MAX_UNPACKED: Final = 512 * 1024 * 1024
MAX_MEMBERS: Final = 200_000
#: Text shrinks to a tenth or so, and a log that repeats itself to a hundredth; what bursts shrinks further.
MAX_RATIO: Final = 300
_SMALL: Final = 16 * 1024 * 1024
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_members(
    data: bytes, where: str, wanted: Callable[[str], bool], *, limit: int = MAX_UNPACKED
) -> dict[str, bytes]:
    """The members of a zip file whose names are ``wanted``, by name; the others are not unpacked.

    Args:
        where: the name of the file, for messages.
        limit: so many bytes may all members together claim to unpack to.

    Raises:
        InvalidInputError: it is damaged, would burst, holds a path that leads out or a name twice, or what is
            wanted is encrypted or packed in a way that is not read.
    """
    with opened(data, where) as archive:
        listed = archive.infolist()
        _check(listed, where, wanted, limit)
        return {one.filename: member_bytes(archive, one, where) for one in listed if wanted(one.filename)}


@contextmanager
def opened(data: bytes, where: str) -> Iterator[zipfile.ZipFile]:
    """The zip file, while the block runs; what it stumbles over becomes one line.

    Raises:
        InvalidInputError: the file is damaged or cut short.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, RuntimeError):
        raise InvalidInputError(f"{where} is damaged or cut short.", remedy="Get the file again.") from None


def check_zip(data: bytes, where: str, *, limit: int = MAX_UNPACKED) -> None:
    """Refuse a zip file that another reader is to unpack, as ``read_members`` does of all its members."""
    with opened(data, where) as archive:
        _check(archive.infolist(), where, lambda _: True, limit)


def _check(listed: list[zipfile.ZipInfo], where: str, wanted: Callable[[str], bool], limit: int) -> None:
    if len(listed) > MAX_MEMBERS:
        raise InvalidInputError(f"{where} holds {len(listed):,} files.", remedy="Split it.")
    if bursts(listed, limit=limit, ratio=MAX_RATIO):
        size = sum(one.file_size for one in listed)
        packed = sum(one.compress_size for one in listed)
        raise InvalidInputError(
            f"{where} would unpack to {size / (1 << 20):,.0f} MB from {packed / (1 << 20):,.1f} MB; it was not read.",
            remedy=f"At most {limit >> 20} MB are read, and {MAX_RATIO} times what it takes packed.",
        )
    met: set[str] = set()
    for one in listed:
        name = one.orig_filename
        if name.startswith(("/", "\\")) or "\0" in name or ".." in name.replace("\\", "/").split("/"):
            raise InvalidInputError(
                f'{where} holds "{name[:80]}", a path that leads out of it; it was not read.',
                remedy="Do not trust this file.",
            )
        if one.filename in met and wanted(one.filename):
            raise InvalidInputError(f'{where} holds "{name[:80]}" twice.', remedy="Get the file again.")
        met.add(one.filename)
        if not wanted(one.filename):
            continue
        if one.flag_bits & 0x1:
            raise InvalidInputError(f"{where} is encrypted.", remedy="Give it without a password.")
        if one.compress_type not in _METHODS:
            raise InvalidInputError(
                f"{where} is compressed in a way that is not read here (method {one.compress_type}).",
                remedy="Write it as plain JSON, or with deflate, and try again.",
            )


def member_bytes(archive: zipfile.ZipFile, one: zipfile.ZipInfo, where: str) -> bytes:
    """One member, of which never more is unpacked than it says it holds.

    Raises:
        InvalidInputError: it is damaged, or holds another number of bytes.
    """
    try:
        with archive.open(one) as member:
            data = member.read(one.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError):
        data = b""
    if len(data) != one.file_size:
        raise InvalidInputError(f"{where}: {one.filename[:80]} is damaged.", remedy="Get the file again.")
    return data


def bursts(listed: Sequence[zipfile.ZipInfo], *, limit: int, ratio: int, small: int = _SMALL) -> bool:
    """Whether members would unpack to more than ``limit`` bytes, or to more than ``ratio`` times what they take packed
    where that is more than ``small`` bytes. Nothing is unpacked for it."""
    size = sum(one.file_size for one in listed)
    packed = sum(one.compress_size for one in listed)
    return size > limit or (size > small and size > ratio * packed)
