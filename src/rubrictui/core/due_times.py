"""Due times as they are said: in a time zone, where the clock may skip or repeat an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from rubrictui.core.errors import InvalidInputError


def in_zone(local: datetime, zone_name: str) -> datetime:
    """The instant, in UTC, at which clocks in a zone show ``local`` (a datetime without a zone).

    Raises:
        InvalidInputError: there is no such zone; the clocks skip that time; or they show it twice.
    """
    from zoneinfo import ZoneInfo

    try:
        zone = ZoneInfo(zone_name)
    except (KeyError, ValueError, OSError):
        raise InvalidInputError(
            f'There is no time zone "{zone_name}".', remedy="Write one such as Europe/Zurich."
        ) from None
    first, second = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first.astimezone(UTC)
    shown = local.isoformat(sep=" ", timespec="minutes")
    if first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != local:
        after = second.astimezone(UTC).astimezone(zone)
        later = first.astimezone(UTC).astimezone(zone)
        earlier, until = sorted((after, later))
        raise InvalidInputError(
            f"{shown} does not exist in {zone_name}: the clocks go forward and skip it.",
            remedy=f"Write {earlier:%H:%M} or {until:%H:%M}.",
        )
    offsets = " or ".join(_offset(one.utcoffset() or timedelta()) for one in (first, second))
    raise InvalidInputError(
        f"{shown} comes twice in {zone_name}: the clocks go back over it.",
        remedy=f"Say which with an offset, {offsets}.",
    )


def _offset(offset: timedelta) -> str:
    minutes = int(offset.total_seconds() // 60)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def shown_in(instant: datetime | None, zone_name: str | None) -> str:
    """``2027-03-01 17:00 Europe/Zurich``; in UTC without a zone or with one this machine does not know; "" for none."""
    from zoneinfo import ZoneInfo

    if instant is None:
        return ""
    if zone_name:
        try:
            return f"{instant.astimezone(ZoneInfo(zone_name)):%Y-%m-%d %H:%M} {zone_name}"
        except (KeyError, ValueError, OSError):
            pass
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def shown_here(instant: datetime | None) -> str:
    """The same in the viewer's own zone, as her system has it: ``2027-03-01 17:00 +01:00``; "" for none."""
    if instant is None:
        return ""
    local = instant.astimezone()
    return f"{local:%Y-%m-%d %H:%M} {_offset(local.utcoffset() or timedelta())}"
