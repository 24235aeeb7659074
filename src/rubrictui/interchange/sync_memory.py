"""What a folder remembers of the stores it was in step with: one fingerprint an item, by store.

Kept in the folder and not in the store, because every clone of a folder has its own past; kept by the id of
the store, because one folder may meet several.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.interchange.folders import MEMORY
from rubrictui.interchange.subject_files import read_bytes
from rubrictui.interchange.sync_writing import write_atomically

FORMAT = 1


class _File(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    format: int = FORMAT
    stores: dict[str, dict[str, str]] = {}


class Memory:
    """The fingerprints of one folder for one store.

    Raises:
        InvalidInputError: the file is there and not readable as what this program wrote.
    """

    def __init__(self, folder: Path, store_id: str) -> None:
        self._path = folder / MEMORY
        self._store_id = store_id
        self._file = self._read()

    def _read(self) -> _File:
        if not self._path.exists():
            return _File()
        try:
            file = msgspec.json.decode(read_bytes(self._path), type=_File)
        except (msgspec.DecodeError, UnicodeDecodeError):
            file = _File(format=0)
        if file.format != FORMAT:
            raise InvalidInputError(
                f"{self._path} is not readable: it was changed by hand, or by a newer rubrictui.",
                remedy="Upgrade, or delete it; everything that differs then counts as changed on both sides.",
            )
        return file

    def get(self, item: str) -> str | None:
        """The fingerprint an item had when both sides last agreed; None when that is not known."""
        return self._file.stores.get(self._store_id, {}).get(item)

    def remember(self, fingerprints: dict[str, str]) -> None:
        """Write down what both sides agree on now, when that is news."""
        known = self._file.stores.setdefault(self._store_id, {})
        if all(known.get(item) == value for item, value in fingerprints.items()):
            return
        known.update(fingerprints)
        ordered = {id: dict(sorted(items.items())) for id, items in sorted(self._file.stores.items())}
        data = msgspec.json.format(msgspec.json.encode(_File(stores=ordered)), indent=1)
        write_atomically(self._path, data + b"\n")
