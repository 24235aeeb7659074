"""The inbox in words: pure functions from inbox rows to what the list shows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from rubrictui.core.model import Outcome
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import InboxRow
from rubrictui.widgets.rows_list import Column, Row

NEW = "New"
DRAFT = "Draft"
SUBMITTED = "Submitted"
WITHDRAWN = "Withdrawn"

COLUMNS: tuple[Column, ...] = (
    Column("Subject", share=4, minimum=28),
    Column("Rubric", share=2, minimum=10, drop=2),
    Column("For", share=2, minimum=9, drop=4),
    Column("Progress", width=11),
    Column("Status", width=9, drop=3),
    Column("Due", width=11, drop=1),
)

OUTCOME_WORDS: dict[str, str] = {
    Outcome.PASSED: "passed",
    Outcome.BELOW_THRESHOLD: "below",
    Outcome.GATE_FAILED: "gate failed",
    Outcome.INCOMPLETE: "incomplete",
    Outcome.NOT_APPLICABLE_FAILURE: "N/A failure",
    Outcome.SCORED: "scored",
}


def row_id(row: InboxRow) -> str:
    """What stays the same while a row goes from assigned to begun to submitted."""
    return (
        row.assignment_id or row.evaluation_id or f"{row.subject_id}/{row.rubric_id}/{row.context_id or ''}"
    )


def is_open(row: InboxRow) -> bool:
    """Whether something is left to do."""
    return row.state in {NEW, DRAFT}


def progress(answered: int, total: int) -> str:
    """``▰▰▱▱▱ 2/5`` in at most 11 cells: full only when all are answered, and begun as soon as one is."""
    if total <= 0:
        return ""
    count = f"{answered}/{total}"
    cells = max(1, min(5, 10 - len(count)))
    full = min(cells, answered * cells // total)
    if answered > 0 and full == 0:
        full = 1
    return "▰" * full + "▱" * (cells - full) + f" {count}"


def due_words(due: datetime | None, now: datetime, zone: tzinfo | None = None) -> tuple[str, str]:
    """When work is due, in at most 11 cells, and the tone of it.

    Args:
        due: an aware instant, or None.
        now: an aware instant.
        zone: the viewer's time zone; None is the system's.
    """
    if due is None:
        return "", ""
    local, today = due.astimezone(zone), now.astimezone(zone)
    days = (local.date() - today.date()).days
    if due < now:
        return ("overdue" if days == 0 else f"overdue {-days}d"), "error"
    if days == 0:
        return f"today {local:%H:%M}", "warning"
    if days < 7:
        return f"{local:%a %H:%M}", ""
    if local.year == today.year:
        return f"{local.day} {local:%b}", ""
    return f"{local.day} {local:%b %Y}", ""


def next_row(rows: Sequence[InboxRow], now: datetime) -> InboxRow | None:
    """What to do next: the first of ``_work``."""
    return next(iter(_work(rows, now)), None)


def _work(rows: Sequence[InboxRow], now: datetime) -> list[InboxRow]:
    """Open work: what is overdue; the draft touched last, so that whoever was cut off goes on where she was; what is
    due first, among equals what is begun; then the order of the rows."""
    drafts = (row for row in rows if row.state == DRAFT and row.updated_at is not None)
    in_hand = max(drafts, key=lambda row: row.updated_at or datetime.min, default=None)
    return sorted(
        (row for row in rows if is_open(row)),
        key=lambda row: (
            row.due_at is None or row.due_at >= now,
            row is not in_hand,
            row.due_at is None,
            row.due_at or datetime.max,
            row.state != DRAFT,
        ),
    )


def ordered(rows: Sequence[InboxRow], now: datetime) -> list[InboxRow]:
    """Open work first, as ``_work`` has it; then what is done, the latest on top."""
    work = _work(rows, now)
    done = [row for row in rows if not is_open(row)]
    dated = sorted((row for row in done if row.updated_at), key=lambda row: row.updated_at or datetime.max)
    return [*work, *reversed(dated), *(row for row in done if not row.updated_at)]


def to_rows(rows: Sequence[InboxRow], now: datetime, zone: tzinfo | None = None) -> list[Row]:
    """The lines of the list, in the order they are shown."""
    following = next_row(rows, now)
    work = sum(1 for row in rows if is_open(row))
    shown: list[Row] = []
    for row in ordered(rows, now):
        open_ = is_open(row)
        due, tone = due_words(row.due_at, now, zone) if open_ else ("", "")
        is_next = row is following
        shown.append(
            Row(
                id=row_id(row),
                cells=(
                    row.subject_title or row.subject_record_id,
                    row.rubric_name,
                    row.context_name or "",
                    progress(row.answered, row.total) if open_ else result_words(row),
                    row.state,
                    due,
                ),
                section=f"To score ({work})" if open_ else f"Done ({len(rows) - work})",
                tone="strong" if is_next else ("" if open_ else "muted"),
                tones=("", "", "", "", "", tone),
                mark="▸" if is_next else " ",
                search=f"{row.subject_entity} {row.subject_record_id} {'overdue' if tone == 'error' else ''}",
            )
        )
    return shown


def result_words(row: InboxRow) -> str:
    """How done work ended, in at most 11 cells: ``82.4 passed``, on the display range of the version."""
    if row.state != SUBMITTED or row.outcome is None:
        return ""
    word = OUTCOME_WORDS.get(row.outcome, row.outcome)
    if row.normalized_score is None:
        return word
    display = DisplayRange.of(row)
    with_score = f"{display.score(row.normalized_score)} {word}"
    return with_score if len(with_score) <= 11 else word


def summary(rows: Sequence[InboxRow], now: datetime) -> str:
    """One line over the list: how much there is, what is late, what is next."""
    work = [row for row in rows if is_open(row)]
    if not work:
        return "Nothing left to score." if rows else ""
    parts = [f"{len(work)} to score"]
    if begun := sum(1 for row in work if row.state == DRAFT):
        parts.append(f"{begun} begun")
    if late := sum(1 for row in work if row.due_at is not None and row.due_at < now):
        parts.append(f"{late} overdue")
    following = next_row(work, now)
    line = ", ".join(parts)
    return f"{line}. Next: {following.subject_title or following.subject_record_id}" if following else line


def detail(row: InboxRow, now: datetime, zone: tzinfo | None = None) -> tuple[str, str]:
    """Two lines that say about one row what its columns had to cut."""
    version = f" {row.version_number}" if row.version_number else ""
    first = f"{row.subject_title or row.subject_record_id}  ({row.subject_entity}/{row.subject_record_id})"
    parts: list[str] = []
    if is_open(row) and row.due_at is not None:
        when = row.due_at.astimezone(zone)
        late = "was due" if row.due_at < now else "due"
        parts.append(f"{late} {when:%a} {when.day} {when:%b %Y %H:%M %Z}".rstrip())
    if not is_open(row) and row.updated_at is not None:
        when = row.updated_at.astimezone(zone)
        parts.append(f"{row.state.lower()} {when.day} {when:%b %Y %H:%M}")
    parts.append(f"{row.rubric_name}{version}")
    if row.context_name:
        parts.append(f"for {row.context_name}")
    if row.state == DRAFT and row.updated_at is not None:
        when = row.updated_at.astimezone(zone)
        parts.append(f"last touched {when.day} {when:%b %H:%M}")
    return first, " · ".join(parts)
