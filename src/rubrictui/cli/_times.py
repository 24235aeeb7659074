"""Dates and times as they are typed and printed."""

from __future__ import annotations

from datetime import UTC, datetime

from rubrictui.core.due_times import in_zone
from rubrictui.core.errors import InvalidInputError


def parse_due(text: str | None, zone_name: str | None = None) -> datetime | None:
    """An instant in UTC from ``2027-03-01T17:00+01:00``, or without an offset when a zone is named; a date
    alone means the end of that day.

    Raises:
        InvalidInputError: it is no date and time, has no offset and no zone, the zone is unknown, or its clocks
            skip or repeat that time.
    """
    if text is None:
        return None
    try:
        due = datetime.fromisoformat(text)
        if len(text) <= 10:
            due = due.replace(hour=23, minute=59)
        if due.tzinfo is None:
            if zone_name is None:
                raise InvalidInputError(
                    f'"{text}" does not say in which time zone.',
                    remedy="Add an offset, as in 2027-03-01T17:00+01:00, or --zone.",
                )
            return in_zone(due, zone_name)
        return due.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInputError(
            f'"{text}" is no date and time.', remedy="Write it as 2027-03-01T17:00+01:00."
        ) from None


def shown_time(instant: datetime | None) -> str:
    """``2027-03-01 16:00`` in UTC; "" for none."""
    return "" if instant is None else instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
