"""What changes in the course of an episode, and how all submissions are scored again after a revision."""

from __future__ import annotations

from typing import Any

from rubrictui.matters.events import Event
from rubrictui.matters.model import Counter
from rubrictui.matters.plan import IssuePlan, Plan, SectionKey
from rubrictui.matters.submissions import Submission


class Table:
    """Where the negotiation of one criterion stands.

    Attributes:
        rounds_used: rounds spent on it, closing rounds included.
        counters_made: how many of its counters were offered.
        outstanding: the last counter offered; None before the first. A refusal leaves it standing.
        closed_by: ``ours`` or ``theirs`` once it is closed.
    """

    __slots__ = ("closed_by", "counters_made", "outstanding", "rounds_used")

    def __init__(self) -> None:
        self.rounds_used = 0
        self.counters_made = 0
        self.outstanding: Counter | None = None
        self.closed_by: str | None = None

    def acceptable(self) -> Counter | None:
        """The counter that ``accept_counterparty`` would close on; None when there is nothing to accept."""
        if self.closed_by is not None or self.outstanding is None or not self.outstanding.text:
            return None
        return self.outstanding

    def show(self) -> dict[str, Any]:
        """What both sides see of it."""
        return {
            "status": "open" if self.closed_by is None else "closed",
            "rounds_used": self.rounds_used,
            "last_counter_text": self.outstanding.text if self.outstanding is not None else None,
            "closed_by": self.closed_by,
        }


class State:
    """The running facts of an episode.

    Attributes:
        read: the sections read so far.
        events: the trace, in order.
        submissions: issues and redlines in first-submission order, as they were last revised.
        matched_issues: rubric ids of issues that were found.
        matched_redlines: rubric ids of issues that have a redline, scored or not.
        learned: hidden answers learned so far, by id.
        asked, raised: ids of questions and escalations that were hit.
        labels: submitter's label to the issue it was matched to; the first match keeps a label.
        tables: negotiation by rubric id; ``table_labels``: label to rubric id, for every label used in a
            markup that found a position.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.read: dict[SectionKey, None] = {}
        self.events: list[Event] = []
        self.submissions: list[Submission] = []
        self.matched_issues: set[str] = set()
        self.matched_redlines: set[str] = set()
        self.labels: dict[str, IssuePlan] = {}
        self.learned: dict[str, str] = {}
        self.asked: set[str] = set()
        self.raised: set[str] = set()
        self.questions: list[str] = []
        self.escalations: list[dict[str, str]] = []
        self.rounds_used = 0
        self.tables: dict[str, Table] = {}
        self.table_labels: dict[str, str] = {}

    def mark_read(self, key: SectionKey) -> None:
        self.read[key] = None

    def forget_matches(self) -> None:
        """Take back what submissions earned: their events and matches, as a revision scores all anew."""
        self.events = [found for found in self.events if found["type"] not in SUBMISSION_EVENTS]
        self.matched_issues.clear()
        self.matched_redlines.clear()
        self.labels.clear()


SUBMISSION_EVENTS = frozenset(
    {
        "issue",
        "unsupported_issue",
        "unread_anchor_issue",
        "duplicate_issue",
        "redline",
        "unsupported_redline",
        "duplicate_redline",
        "unscored_redline",
    }
)
