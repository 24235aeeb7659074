"""What taking a packet back in says: what became of each item, and what somebody has to settle."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from rubrictui.core.model import Answer, Value


class Took(StrEnum):
    """What an import does with one item of a return.

    ``merged``: answers that only the packet changed came into a draft that the store changed elsewhere.
    ``unchanged``: the store has it already, or it was settled before.
    """

    SUBMITTED = "submitted"
    DRAFT = "draft"
    MERGED = "merged"
    WITHDRAWN = "withdrawn"
    DECLINED = "declined"
    UNCHANGED = "unchanged"
    CONFLICT = "conflict"


class PacketSent(Value, frozen=True, kw_only=True):
    """A packet that went out, and whether something came back.

    ``returned_at``: when a return of it was last taken in. ``hidden``: that is not told, because whoever asks has open
    work on a subject in it.
    """

    packet_id: str
    round_id: str
    round_name: str
    reviewer: str
    exported_at: datetime
    exported_by: str
    signed: bool
    subjects: int
    returned_at: datetime | None = None
    returned_by: str | None = None
    hidden: bool = False


class Reason(Value, frozen=True, kw_only=True):
    """Why an item is not taken by itself.

    ``kind``: ``draft_edited`` (the same draft was changed here too), ``other_draft`` (another draft of the same work
    is open here), ``already_submitted`` (the same work was submitted otherwise), ``ended`` (the evaluation was
    withdrawn or given up here), ``assignment_ended``, ``version_retired``, ``subject_changed``, ``round_closed``,
    or ``cannot_submit`` (what stands against submitting it here).
    """

    kind: str
    message: str


class TakenItem(Value, frozen=True, kw_only=True):
    """One item of a return. ``id`` is of the evaluation, or of the assignment that was declined."""

    id: str
    subject_id: str
    subject_title: str
    took: Took
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[str, ...] = ()


class PacketReport(Value, frozen=True, kw_only=True):
    """What an import did, or with ``dry_run`` would do.

    ``hidden`` counts the subjects of the round about which the user is told nothing, because she has open work of
    her own on them, in the packet or not: it follows from her work alone. ``warnings`` are about the whole file.
    """

    packet_id: str
    round_name: str
    reviewer: str
    dry_run: bool
    items: tuple[TakenItem, ...] = ()
    hidden: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return any(item.took not in (Took.UNCHANGED, Took.CONFLICT) for item in self.items)

    @property
    def conflicts(self) -> int:
        return sum(item.took is Took.CONFLICT for item in self.items)


class AnswerPair(Value, frozen=True, kw_only=True):
    """One criterion on which packet and store differ; None is no answer. Levels are given by their labels too."""

    criterion_key: str
    packet: Answer | None
    store: Answer | None
    packet_level: str | None = None
    store_level: str | None = None


class PacketConflict(Value, frozen=True, kw_only=True):
    """Something a packet brought back that has to be settled, or was.

    ``returned`` says what came: ``Draft``, ``Submitted``, ``Withdrawn`` or ``Declined``; it and ``differences`` are
    there only for whoever may read the reviewer's evaluations. ``taken`` is ``packet``, ``store`` or ``newer`` (a
    later return took its place) once it is settled.
    """

    id: str
    packet_id: str
    round_name: str
    reviewer: str
    subject_id: str
    subject_title: str
    reasons: tuple[Reason, ...]
    returned: str | None = None
    differences: tuple[AnswerPair, ...] = ()
    found_at: datetime
    found_by: str
    settled_at: datetime | None = None
    settled_by: str | None = None
    taken: str | None = None
