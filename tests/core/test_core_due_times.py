"""Due times: the instant that a zone's clock shows, and what is told where it shows none, or two."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rubrictui.core.due_times import in_zone, shown_here, shown_in
from rubrictui.core.errors import InvalidInputError


@pytest.mark.parametrize(
    ("local", "zone", "instant"),
    [
        ("2027-03-01T17:00", "Europe/Zurich", "2027-03-01T16:00"),
        ("2027-07-01T17:00", "Europe/Zurich", "2027-07-01T15:00"),
        ("2027-03-28T03:00", "Europe/Zurich", "2027-03-28T01:00"),
        ("2027-03-01T00:15", "Asia/Kathmandu", "2027-02-28T18:30"),
    ],
)
def test_a_local_time_becomes_an_instant(local: str, zone: str, instant: str) -> None:
    assert in_zone(datetime.fromisoformat(local), zone) == datetime.fromisoformat(instant).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("local", "zone", "what"),
    [
        ("2027-03-28T02:30", "Europe/Zurich", "does not exist .* Write 01:30 or 03:30"),
        ("2027-03-14T02:00", "America/New_York", "does not exist .* Write 01:00 or 03:00"),
        ("2027-10-31T02:30", "Europe/Zurich", r"comes twice .* \+02:00 or \+01:00"),
        ("2027-11-07T01:15", "America/New_York", "comes twice .* -04:00 or -05:00"),
        ("2027-03-01T17:00", "Europe/Atlantis", "no time zone"),
    ],
)
def test_a_time_that_is_none_or_two_is_refused_with_what_would_do(local: str, zone: str, what: str) -> None:
    with pytest.raises(InvalidInputError, match=what):
        in_zone(datetime.fromisoformat(local), zone)


def test_a_due_instant_is_shown_in_its_zone_and_here() -> None:
    due = datetime(2027, 3, 1, 16, tzinfo=UTC)
    assert shown_in(due, "Europe/Zurich") == "2027-03-01 17:00 Europe/Zurich"
    assert shown_in(due, None) == shown_in(due, "Europe/Atlantis") == "2027-03-01 16:00 UTC"
    assert shown_here(due)[-6] in "+-"
    assert (shown_in(None, "UTC"), shown_here(None)) == ("", "")
