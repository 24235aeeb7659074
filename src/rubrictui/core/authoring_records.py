"""The records authors work with: an open draft, where a scale is used, a card of the board of versions."""

from __future__ import annotations

from datetime import datetime

from rubrictui.core.model import Value, VersionSnapshot, VersionStatus
from rubrictui.core.records import VersionSummary
from rubrictui.core.versions import Change


class RubricDraft(Value, frozen=True, kw_only=True):
    """The draft of a rubric, whole, and what it is compared with.

    ``revision`` is given back when it is saved. ``based_on`` is the version it was cloned from, ``published``
    the one that publishing compares it with (the highest Published or Retired), each None when there is none.
    ``evaluation_count`` counts the submitted evaluations of ``published`` that the user may see.
    """

    version: VersionSnapshot
    revision: int
    based_on: VersionSnapshot | None = None
    published: VersionSnapshot | None = None
    evaluation_count: int = 0
    saved_at: datetime | None = None
    saved_by: str | None = None


class ScaleUse(Value, frozen=True, kw_only=True):
    """One version that uses a scale. ``version_number`` is None for a draft."""

    rubric_id: str
    rubric_name: str
    version_id: str
    version_number: str | None
    status: VersionStatus
    criteria_count: int

    @property
    def is_frozen(self) -> bool:
        """Whether the scale may not change because of this version."""
        return self.status is not VersionStatus.DRAFT


class VersionCard(Value, frozen=True, kw_only=True):
    """A version on the board: its facts, what changed in it, and the number of the version it was cloned from."""

    summary: VersionSummary
    changes: tuple[Change, ...] = ()
    based_on_number: str | None = None
