"""The records of a round: its rules, its people, how far it is.

A round is a ``Context`` with rules. Like ``records``, these are frozen values; the rules themselves are kept
by ``store/access_rules.py`` (who sees what) and ``engine/rounds.py`` (who may do what).
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from rubrictui.core.model import Value
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import Assignment, Context, ContextStatus, User

#: Two scores of one subject, or of one criterion, that lie this far apart (0..1) are a disagreement.
DEFAULT_DISAGREEMENT: Final = 0.25


class Blinding(StrEnum):
    """What reviewers of a round see of each other, on top of the blind rule, which always holds.

    ``standard``: nothing while they have open work on the subject; what their rights cover afterwards.
    ``until_closed``: nothing about any subject of the round until the round is closed.
    ``comments_visible``: the same, but rationales and evidence, without names, levels, values or scores, of a
    subject on which they have submitted and have no open work.
    """

    STANDARD = "standard"
    UNTIL_CLOSED = "until_closed"
    COMMENTS_VISIBLE = "comments_visible"


class Naming(StrEnum):
    """Whether letters to the people scored name the reviewers."""

    ANONYMOUS = "anonymous"
    NAMED = "named"


class RoundRules(Value, frozen=True, kw_only=True):
    """What a chair decides about a round besides its context.

    ``hidden_fields`` are dotted paths into a subject's ``data`` that reviewers do not get to see.
    ``disagreement_threshold`` is a spread of scores, 0..1. ``reviews_per_subject`` is how many reviews each
    subject is to have; None leaves that to the assignments.
    """

    blinding: Blinding = Blinding.STANDARD
    naming: Naming = Naming.ANONYMOUS
    hidden_fields: tuple[str, ...] = ()
    disagreement_threshold: float = DEFAULT_DISAGREEMENT
    reviews_per_subject: int | None = None


class Round(Value, frozen=True, kw_only=True):
    """A round, whole but for its subjects and assignments.

    ``version_number`` is of the pinned version; None means the latest Published at the time a review begins.
    ``reopened_at`` is set while a round is open that was closed before.
    """

    context: Context
    rules: RoundRules
    rubric_name: str | None = None
    version_number: str | None = None
    reviewers: tuple[User, ...] = ()
    subject_count: int = 0
    opened_at: datetime | None = None
    opened_by: str | None = None
    closed_at: datetime | None = None
    reopened_at: datetime | None = None

    @property
    def state(self) -> str:
        """``Open``, ``Closed`` or ``Reopened``."""
        if self.context.status is ContextStatus.CLOSED:
            return "Closed"
        return "Reopened" if self.reopened_at is not None else "Open"


class Conflict(Value, frozen=True, kw_only=True):
    """A conflict of interest: this user must not score this subject, in any round."""

    user_id: str
    user_name: str
    subject_id: str
    subject_title: str
    reason: str
    declared_at: datetime | None = None
    declared_by: str | None = None


class RoundEvent(Value, frozen=True, kw_only=True):
    """One line of a round's log: opened, changed, closed, reopened, released, ..."""

    at: datetime
    by: str
    what: str
    reason: str | None = None
    details: dict[str, Any] | None = None


class ReviewerProgress(Value, frozen=True, kw_only=True):
    """How far one reviewer is. ``assigned`` counts what she still holds: open and submitted.

    ``begun`` is None for a viewer whose rights do not reach others' drafts. ``overdue`` counts open
    assignments past their due instant. Of a peer, subjects on which the viewer is blind are left out of every
    number and counted in ``hidden``.
    """

    user_id: str
    user_name: str
    display_name: str = ""
    assigned: int = 0
    begun: int | None = 0
    submitted: int = 0
    declined: int = 0
    released: int = 0
    overdue: int = 0
    hidden: int = 0


class SubjectProgress(Value, frozen=True, kw_only=True):
    """How far one subject is, and what its scores are where the viewer may see them.

    ``done`` of ``assigned`` reviews are in, ``wanted`` when the round says how many each is to have.
    ``done`` and the figures after it are None while the viewer ``is_blind`` on the subject. The figures are
    of the Submitted evaluations with the round's rubric, Self left out, of the pinned version's major, else of the
    latest: their count, mean, lowest, highest, spread (highest minus lowest), and whether some passed and some did not (``flips``).
    """

    subject_id: str
    entity: str
    record_id: str
    title: str
    assigned: int = 0
    wanted: int | None = None
    done: int | None = 0
    is_blind: bool = False
    count: int | None = None
    mean: float | None = None
    lowest: float | None = None
    highest: float | None = None
    spread: float | None = None
    flips: bool | None = None


class RoundOverview(Value, frozen=True, kw_only=True):
    """Where a round stands, as the viewer may see it. ``hidden`` counts the subjects on which she is blind;
    ``disagreements`` are the ids of the others whose spread reaches the threshold or whose verdict flips. Means and
    spreads are 0..1; people read them on ``display``."""

    round: Round
    at: datetime
    reviewers: tuple[ReviewerProgress, ...] = ()
    subjects: tuple[SubjectProgress, ...] = ()
    hidden: int = 0
    disagreements: tuple[str, ...] = ()
    display: DisplayRange = DisplayRange()


class ListedAssignment(Value, frozen=True, kw_only=True):
    """One row of a list of assignments, and where each of its values stands (``source`` is the file, numbers from 1)."""

    subject: str
    reviewer: str
    due_at: datetime | None = None
    source: str = ""
    row: int = 1
    subject_column: int = 1
    reviewer_column: int = 2


class AssignmentProblem(Value, frozen=True, kw_only=True):
    """Why an assignment cannot be made. ``code`` is ``uncovered``, ``unknown_subject``, ``unknown_reviewer``,
    ``conflict`` or ``duplicate``; a row of a list has its place, numbers from 1."""

    code: str
    message: str
    source: str | None = None
    row: int | None = None
    column: int | None = None


class AssignmentPlan(Value, frozen=True, kw_only=True):
    """What a balanced or listed assignment has made: new assignments, listed ones that were there and open
    (``kept``), and the subjects that have fewer reviews than they should (one line each)."""

    made: tuple[Assignment, ...] = ()
    kept: tuple[Assignment, ...] = ()
    uncovered: tuple[str, ...] = ()
