"""``rubrictui round``: a round of review from the shell."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rubrictui.cli.round import event_words
from rubrictui.core.records import Subject
from rubrictui.core.rounds import RoundEvent
from rubrictui.engine import Engine

Cli = Callable[..., Any]
SPRING = "Round/spring"


@pytest.fixture
def panel(store: Path, cli: Cli) -> Path:
    """The samples with four bids and three reviewers, and a round of them."""
    with Engine(store) as engine:
        engine.add_subjects([Subject(entity="Bid", record_id=f"b{n}", title=f"Bid {n}") for n in range(4)])
        for name in ("ann", "ben", "cai"):
            engine.add_user(name)
    opened = cli(
        "round", "open", SPRING, "--db", store, "--rubric", "Vendor proposal", "--entity", "Bid", "--name", "Spring",
        *(word for name in ("ann", "ben", "cai") for word in ("--reviewer", name)),
        "--each", 2, "--due", "2027-03-01T17:00", "--zone", "Europe/Zurich", "--hide", "vendor",
    )  # fmt: skip
    assert opened.code == 0, opened.err
    return store


def test_a_round_is_opened_shown_and_listed(panel: Path, cli: Cli) -> None:
    shown = cli("round", "show", SPRING, "--db", panel)
    assert "Round/spring  Spring (open)" in shown.out
    assert "due 2027-03-01 17:00 Europe/Zurich (here " in shown.out
    assert "hidden from reviewers: vendor" in shown.out
    listed = cli("round", "list", "--db", panel, "--json").data
    found = next(one for one in listed if one["context"]["record_id"] == "spring")
    assert (found["state"], found["subject_count"], found["context"]["due_at"]) == (
        "Open",
        4,
        "2027-03-01T16:00:00Z",
    )


def test_subjects_are_assigned_evenly_and_the_same_again(panel: Path, cli: Cli) -> None:
    done = cli("round", "assign", SPRING, "--db", panel, "--seed", 5, "--json")
    assert len(done.data["made"]) == 8
    assert "0 assignments made" in cli("round", "assign", SPRING, "--db", panel, "--seed", 5).err
    reviewers = cli("round", "show", SPRING, "--db", panel, "--json").data["reviewers"]
    assert sorted(one["assigned"] for one in reviewers) == [2, 3, 3]


def test_subjects_are_assigned_by_a_file_and_a_wrong_row_is_named(
    panel: Path, cli: Cli, tmp_path: Path
) -> None:
    good = tmp_path / "who.csv"
    good.write_bytes("subject;reviewer;due\r\nb0;ann;2027-02-01\r\nb1;ben;\r\n".encode("utf-16"))
    ran = cli(
        "round", "assign", SPRING, "--db", panel, "--csv", good, "--entity", "Bid", "--zone", "Europe/Zurich"
    )
    assert (ran.code, ran.err) == (0, "2 assignments made.\n")
    bad = tmp_path / "bad.csv"
    bad.write_text("subject,reviewer\nBid/b2,ann\nBid/b3,nobody\nBid/b9,ben\n")
    refused = cli("round", "assign", SPRING, "--db", panel, "--csv", bad)
    assert refused.code == 1
    assert f'{bad}, row 3, column 2: there is no user "nobody".' in refused.err
    assert f'also: {bad}, row 4, column 1: there is no subject "Bid/b9".' in refused.err


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty"),
        (b"subject,reviewer\n", "a header and no rows"),
        (b"subject,who\nBid/b0,ann\n", "row 1: there is no column for the reviewer"),
        (b"subject,reviewer\nBid/b0\n", "row 2: 1 cells where the header names 2"),
        (b"subject,reviewer\nBid/b0,\n", "row 2, column 2: no reviewer is named"),
        (b"subject,reviewer\nBid/b0,ann\nBid/b0,ann\n", 'row 3: "Bid/b0" for ann stands in row 2 already'),
        (b"subject,reviewer\nBid/b0,Jos\xe9\n", "is not UTF-8 text at byte 27"),
        (b"subject,reviewer,due\nBid/b0,ann,2027-03-28T02:30\n", "row 2, column 3: 2027-03-28 02:30 does not exist"),
        (b"subject,reviewer,due\nBid/b0,ann,soon\n", 'row 2, column 3: "soon" is no date'),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_says_where(
    panel: Path, cli: Cli, tmp_path: Path, content: bytes, what: str
) -> None:
    file = tmp_path / "who.csv"
    file.write_bytes(content)
    ran = cli("round", "assign", SPRING, "--db", panel, "--csv", file, "--zone", "Europe/Zurich")
    assert (ran.code, ran.out) == (2, "")
    assert what in ran.err


@pytest.mark.parametrize(
    ("due", "what"),
    [
        ("2027-03-28T02:30", "does not exist in Europe/Zurich: the clocks go forward and skip it. Write 01:30 or 03:30."),
        ("2027-10-31T02:30", "comes twice in Europe/Zurich: the clocks go back over it. Say which with an offset, +02:00 or"),
    ],
)  # fmt: skip
def test_a_due_time_that_the_clocks_skip_or_repeat_is_told(
    panel: Path, cli: Cli, due: str, what: str
) -> None:
    ran = cli("round", "change", SPRING, "--db", panel, "--due", due, "--zone", "Europe/Zurich")
    assert ran.code == 2
    assert what in ran.err


def test_a_round_is_changed_closed_and_reopened(panel: Path, cli: Cli) -> None:
    cli("round", "assign", SPRING, "--db", panel)
    changed = cli(
        "round", "change", SPRING, "--db", panel, "--blinding", "until_closed", "--threshold", 0.4, "--json"
    )
    assert changed.data["rules"]["blinding"] == "until_closed"
    assert changed.data["rules"]["hidden_fields"] == ["vendor"]
    refused = cli("round", "change", SPRING, "--db", panel, "--blinding", "standard")
    assert (refused.code, "while it is open" in refused.err) == (1, True)
    closed = cli("round", "close", SPRING, "--db", panel, "--reason", "Done.")
    assert "(closed)" in closed.out
    assert "8 assignments still open" in closed.err
    assert "(reopened)" in cli("round", "reopen", SPRING, "--db", panel, "--reason", "Not quite.").out
    log = cli("round", "show", SPRING, "--log", "--db", panel, "--json").data
    assert [one["what"] for one in log] == ["opened", "assigned", "changed", "closed", "reopened"]


def test_work_is_released_declined_and_kept_from_those_with_a_conflict(panel: Path, cli: Cli) -> None:
    cli("round", "conflict", "Bid/b0", "--reviewer", "ann", "--reason", "Kin.", "--db", panel)
    assert "ann" in cli("round", "conflicts", "--db", panel).out
    cli("round", "assign", SPRING, "--db", panel)
    assert cli("round", "release", SPRING, "--reviewer", "ben", "--reason", "Ill.", "--db", panel).code == 0
    row = cli(
        "round", "decline", SPRING, "Bid/b0", "--reason", "No.", "--user", "cai", "--db", panel, "--json"
    ).data
    assert (row["status"], row["ended_by"]) == ("Declined", "cai")
    again = cli("round", "decline", SPRING, "Bid/b0", "--reason", "No.", "--user", "cai", "--db", panel)
    assert (again.code, "no open assignment" in again.err) == (1, True)
    ended = cli("round", "conflict", "Bid/b0", "--reviewer", "ann", "--withdraw", "--db", panel)
    assert ended.out == "Withdrawn: ann and Bid/b0.\n"


def test_the_log_says_which_rule_changed_from_what_to_what() -> None:
    at = datetime(2027, 3, 1, tzinfo=UTC)

    def event(what: str, **details: object) -> RoundEvent:
        return RoundEvent(at=at, by="kim", what=what, details=details or None)

    told = event_words(
        (
            event("opened", rules={"blinding": "standard", "disagreement_threshold": 0.25}),
            event("packet_conflict_settled", take="packet"),
            event("changed", rules={"blinding": "standard", "disagreement_threshold": 0.6}),
            event("changed", rules={"blinding": "standard", "disagreement_threshold": 0.6}),
            event("closed"),
        )
    )
    assert told == [
        "opened",
        "packet conflict settled",
        "changed (disagreement threshold: 0.25 to 0.6)",
        "changed",
        "closed",
    ]
