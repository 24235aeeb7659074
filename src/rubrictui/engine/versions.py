"""Snapshots that were read before, kept: a published version never changes, so it is read once."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from sqlalchemy import Connection

from rubrictui.core.model import VersionSnapshot, VersionStatus
from rubrictui.store import rubrics, trees

_KEPT = 64


class VersionCache:
    """Version id -> snapshot, the latest used kept. Safe to use from several threads.

    Drafts are read every time: they change, and so do the scales they use. Of a frozen version only the
    wording of its scale's levels can still change; done by another process, that shows when this one
    opens the store again.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, VersionSnapshot] = OrderedDict()

    def snapshot(self, connection: Connection, version_id: str) -> VersionSnapshot | None:
        """The version as it is stored now, whatever its status."""
        kept = self._get(version_id)
        if kept is not None:
            head = rubrics.version_head(connection, version_id)
            if head is not None and head.status is kept.status:
                return kept
        return self._load(connection, version_id)

    def frozen(self, connection: Connection, version_id: str) -> VersionSnapshot | None:
        """A version that evaluations point at, without a query once it is known.

        Its ``status`` may be that of an earlier moment (Published for Retired); the tree is exact.
        """
        return self._get(version_id) or self._load(connection, version_id)

    def forget(self) -> None:
        """After a scale has changed here."""
        with self._lock:
            self._kept.clear()

    def _get(self, version_id: str) -> VersionSnapshot | None:
        with self._lock:
            kept = self._kept.get(version_id)
            if kept is not None:
                self._kept.move_to_end(version_id)
            return kept

    def _load(self, connection: Connection, version_id: str) -> VersionSnapshot | None:
        snapshot = trees.load_snapshot(connection, version_id)
        if snapshot is not None and snapshot.status is not VersionStatus.DRAFT:
            with self._lock:
                self._kept[version_id] = snapshot
                self._kept.move_to_end(version_id)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return snapshot
