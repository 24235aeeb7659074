"""A version as a card: number, status, who and when, why it got its number, hashes. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from rich.cells import cell_len

from rubrictui.core.authoring_records import VersionCard
from rubrictui.core.model import Bump, VersionStatus
from rubrictui.widgets.detail_pane import folded
from rubrictui.widgets.text import Line, Piece, counted, one_line, pad

STATUS_TONES = {
    VersionStatus.DRAFT: "warning",
    VersionStatus.PUBLISHED: "success",
    VersionStatus.RETIRED: "muted",
}

#: Changes that an open card lists; the diff shows all of them.
CHANGES_SHOWN = 4

Dated = Callable[[datetime], str]


def closed_card(card: VersionCard, width: int, dated: Dated) -> list[Line]:
    """Three lines: title, what happened, summary; and a blank one."""
    return [*_head(card, width, dated), [("", "text")]]


def open_card(card: VersionCard, width: int, dated: Dated) -> list[Line]:
    """The whole card, with every date, the hashes, and the first changes."""
    version = card.summary
    lines = _head(card, width, dated)
    for label, when, who in (
        ("Begun", version.created_at, version.created_by),
        ("Saved", version.saved_at if version.status is VersionStatus.DRAFT else None, version.saved_by),
        ("Published", version.published_at, version.published_by),
        ("Retired", version.retired_at, version.retired_by),
    ):
        if when is not None:
            lines.append(_value(label, f"{dated(when)}{_by(who)}"))
    if card.based_on_number:
        lines.append(_value("From", card.based_on_number))
    if version.content_hash:
        lines.append(_value("Content", one_line(version.content_hash, width - 14), "muted"))
    if version.scoring_hash:
        lines.append(_value("Scoring", one_line(version.scoring_hash, width - 14), "muted"))
    if version.change_summary:
        # The head has only as much of it as fits a line.
        whole = folded([(version.change_summary, "text")], max(width - 15, 20))
        for place, pieces in enumerate(whole):
            first: Piece = (pad("  Summary" if place == 0 else "", 13), "label")
            lines.append([first, *pieces])
    tones = {Bump.MAJOR: "error", Bump.MINOR: "warning", Bump.PATCH: "success", Bump.INITIAL: "text"}
    weightiest = sorted(card.changes, key=lambda change: list(tones).index(change.bump))
    for place, change in enumerate(weightiest[:CHANGES_SHOWN]):
        first = (pad("  Changes" if place == 0 else "", 13), "label")
        reason = one_line(change.reason or change.property, max(width - 21, 10))
        lines.append([first, (pad(str(change.bump), 6), tones.get(change.bump, "text")), (reason, "text")])
    if len(card.changes) > CHANGES_SHOWN:
        more = f"and {len(card.changes) - CHANGES_SHOWN} more; d shows all"
        lines.append([(" " * 13, "text"), (more, "muted")])
    lines.append([("", "text")])
    return lines


def _head(card: VersionCard, width: int, dated: Dated) -> list[Line]:
    version = card.summary
    title = f" {version.number} " if version.number else " "
    status = f"{version.status.value} "
    scored = f"{counted(version.evaluation_count, 'evaluation')} "
    when = version.retired_at or version.published_at or version.saved_at or version.created_at
    right = f"{dated(when)} " if when is not None else ""
    used = cell_len(title) + cell_len(status) + cell_len(scored) + cell_len(right)
    rule = max(width - used - 3, 1)
    first: Line = [
        ("╭─", "frame"),
        (title, "title"),
        (status, STATUS_TONES[version.status]),
        ("─" * rule + " ", "frame"),
        (scored, "text"),
        (right, "muted"),
    ]
    facts = [counted(version.criteria_count, "criterion", "criteria"), _bump(card)]
    who = version.published_by or version.saved_by or version.created_by
    if who:
        facts.append(f"by {one_line(who, 24)}")
    summary = one_line(version.change_summary or _default(card), max(width - 4, 10))
    return [
        first,
        [("│ ", "frame"), (" · ".join(fact for fact in facts if fact), "text")],
        [("╰ ", "frame"), (summary, "text" if version.change_summary else "muted")],
    ]


def _bump(card: VersionCard) -> str:
    version = card.summary
    if version.status is VersionStatus.DRAFT:
        return counted(len(card.changes), "change") + " so far" if card.based_on_number else ""
    if version.applied_bump is None:
        return ""
    if version.computed_bump is not None and version.computed_bump is not version.applied_bump:
        return f"{version.applied_bump} (its changes make a {version.computed_bump})"
    return str(version.applied_bump)


def _default(card: VersionCard) -> str:
    if card.summary.status is VersionStatus.DRAFT:
        return "Being written: nothing can be scored with it yet."
    return "No summary."


def _by(who: str | None) -> str:
    return f" by {one_line(who, 30)}" if who else ""


def _value(label: str, text: str, tone: str = "text") -> Line:
    return [(pad(f"  {label}", 13), "label"), (text, tone)]
