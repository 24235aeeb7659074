"""A matter worked by keys: reading, writing, quoting, negotiating, handing in, and coming back after an end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from matter_world import app_on_screen, write_matter
from shell_world import painted, settle, terminal, type_text, until
from textual.pilot import Pilot
from textual.screen import ModalScreen

from rubrictui.screens.gate_lab import GateLabScreen
from rubrictui.screens.matter_author import MatterAuthorScreen
from rubrictui.screens.matter_player import MatterPlayerScreen, open_player
from rubrictui.screens.matter_trace import MatterTraceScreen
from rubrictui.screens.matter_work import works
from rubrictui.screens.matters import MattersScreen

__all__ = ["terminal"]


@pytest.fixture
def depot(terminal: Path) -> Path:
    return write_matter(terminal / "depot")


@asynccontextmanager
async def playing(folder: Path, state: Path) -> AsyncIterator[Pilot[Any]]:
    app = app_on_screen(lambda: open_player(folder), state)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        yield pilot


def player(pilot: Pilot[Any]) -> MatterPlayerScreen:
    screen = pilot.app.screen
    assert isinstance(screen, MatterPlayerScreen)
    return screen


async def calm(pilot: Pilot[Any]) -> None:
    """As ``settle``, but a question on the screen is not waited for."""
    await pilot.pause()
    await until(
        pilot,
        lambda: (
            isinstance(pilot.app.screen, ModalScreen)
            or all(worker.is_finished for worker in pilot.app.workers)
        ),
    )
    await pilot.pause()


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Keys; one that begins with ``=`` is a text to type."""
    for key in keys:
        await (type_text(pilot, key[1:]) if key.startswith("=") else pilot.press(key))
        await calm(pilot)


READ = ("down", "enter")
ISSUE = ("tab", "J", "J", "i", "enter", "=The roof", "enter", "3", "down", "down", "enter")


async def test_an_issue_is_written_quoted_and_submitted_by_keys(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, *READ, *ISSUE, "=roof and ", "ctrl+g", "=, landlord", "escape")
        await press(pilot, "down", "enter", "=Strike it.", "escape", "q", "s", "enter")
        session = player(pilot).session
        assert session.drafts["issue"]["quotes"] == [
            {"citation": "lease §2.1", "text": "The tenant repairs the roof."}
        ]
        await press(pilot, "s")
        assert session.actions[-1] == {
            "type": "submit_issue",
            "issue_id": "issue-1",
            "title": "The roof",
            "severity": "high",
            "citations": ["lease §2.1"],
            "analysis": "roof and lease §2.1, landlord",
            "recommendation": "Strike it.",
            "quotes": [{"citation": "lease §2.1", "text": "The tenant repairs the roof."}],
        }
        assert session.drafts == {}
        shown = painted(pilot.app)
        assert "Taken: issue-1" in shown
        assert "6 steps" in shown
        # Nothing of what it was worth, or of the rubric, is on the screen.
        assert "2.25" not in shown
        assert "repairs ·" not in shown


async def test_practice_shows_what_an_action_was_worth(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, *READ, "a", "=How old is the roof?", "escape", "s")
        assert "zinc" in painted(pilot.app)
        assert "+0.50" not in painted(pilot.app)
        await press(pilot, "p")
        assert "+0.50" in painted(pilot.app)


async def test_letters_in_a_text_are_letters_and_escape_keeps_them(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, "a", "=spare q1x F", "escape", "escape")
        screen = player(pilot)
        assert screen.session.actions == []
        assert screen.session.drafts["ask"] == {"question": "spare q1x F"}
        assert "Question to the client is kept" in painted(pilot.app)
        await press(pilot, "end", "home", "down", "enter")
        assert [row.cells[0] for row in screen.listed.rows if row.section == "Begun"] == [
            "Question to the client, unsent"
        ]
    async with playing(depot, terminal) as pilot:  # a new program on the same data
        await press(pilot, "a")
        assert "spare q1x F" in painted(pilot.app)


async def test_a_half_written_line_outlives_the_program(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, "x", "enter", "=The board")
        assert player(pilot).session.drafts["escalate"]["topic"] == "The board"
    async with playing(depot, terminal) as pilot:
        assert player(pilot).session.drafts["escalate"]["topic"] == "The board"


async def test_a_disk_that_takes_nothing_is_told_and_work_goes_on(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        file = works(depot)[0].file
        file.unlink()
        file.mkdir()  # nothing can be written in its place
        (file / "in the way").touch()
        await press(pilot, "a", "=How old")
        assert "cannot be written" in painted(pilot.app)
        assert player(pilot).session.drafts["ask"] == {"question": "How old"}
        (file / "in the way").unlink()
        file.rmdir()
        await press(pilot, "=?")
        assert b"How old?" in file.read_bytes()


async def test_a_matter_without_documents_can_be_opened(terminal: Path) -> None:
    matter = json.loads((write_matter(terminal / "depot") / "matter.yaml").read_text())
    bare = write_matter(terminal / "bare", **{"matter.yaml": json.dumps({**matter, "documents": []})})
    async with playing(bare, terminal) as pilot:
        await press(pilot, "tab", "tab", "o", "escape", "i", "escape")
        assert "Depot lease" in painted(pilot.app)


async def test_nothing_is_sent_while_a_field_is_empty(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, "x", "s")
        assert "Still empty: topic, reason. No step was used." in painted(pilot.app)
        assert player(pilot).session.actions == []


async def test_keys_whose_budget_is_used_up_are_not_offered(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        assert "a Ask" in painted(pilot.app)
        await press(pilot, "a", "=Anything?", "escape", "s")
        assert "a Ask" not in painted(pilot.app)
        await press(pilot, "a")
        assert player(pilot).form_key is None


async def test_a_search_lists_where_words_stand_and_goes_there(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, "f", "=ro", "enter")
        assert "no step was used" in painted(pilot.app)
        await press(pilot, "f", "=roofs", "enter")
        assert "“roofs” stands in 1 section" in painted(pilot.app)
        await press(pilot, "enter")
        assert player(pilot).reader.citation == ("policy", "P.1")
        assert "is not read yet" in painted(pilot.app)


async def test_a_citation_in_the_text_leads_to_its_section(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, *READ, "tab", "J", "o")
        assert "Cited here" in painted(pilot.app)
        await press(pilot, "enter")
        assert player(pilot).reader.citation == ("lease", "2.1")
        await press(pilot, "o", "enter")
        assert player(pilot).reader.citation == ("policy", "P.1")


async def test_a_point_is_negotiated_to_their_text(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, *READ, "down", "down", "t", "enter", "=roof", "enter", "down", "enter")
        await press(pilot, "=The landlord repairs.", "escape", "s")
        assert "Each party bears half" in painted(pilot.app)
        assert "2 rounds" in painted(pilot.app)
        await press(pilot, "y", "enter", "down", "enter")
        session = player(pilot).session
        assert session.actions[-1] == {"type": "accept_counterparty", "issue_id": "roof"}
        assert session.observation["negotiation"]["roof"]["closed_by"] == "theirs"


async def test_handing_in_asks_first_and_then_shows_the_score(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, "F", "=There is nothing to it.", "escape", "s")
        assert "Nothing can be added after it." in painted(pilot.app)
        await press(pilot, "escape")
        assert player(pilot).session.actions == []
        await press(pilot, "s", "down", "enter")
        assert isinstance(pilot.app.screen, MatterTraceScreen)
        assert "Score 0.0870: 0.50 of 5.75 points" in painted(pilot.app)
        assert works(depot)[0].ended


async def test_the_last_step_is_asked_about(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        session = player(pilot).session
        for _ in range(7):
            session.act({"type": "read_document", "document_id": "lease"})
        player(pilot).show_state()
        await press(pilot, "end", "home", "down", "down", "down", "down", "enter")
        assert "One step is left." in painted(pilot.app)
        await press(pilot, "escape")
        assert len(session.actions) == 7


async def test_an_issue_is_revised_from_the_list(depot: Path, terminal: Path) -> None:
    async with playing(depot, terminal) as pilot:
        await press(pilot, *READ, *ISSUE, "=a", "escape", "down", "enter", "=b", "escape", "s")
        screen = player(pilot)
        screen.listed.go_to("issue\t0\t")
        await settle(pilot)
        await press(pilot, "e", "1", "s")
        assert screen.session.actions[-1]["type"] == "revise_issue"
        assert screen.session.observation["submitted_issues"][0]["severity"] == "low"


async def test_a_folder_is_opened_remembered_and_forgotten(depot: Path, terminal: Path) -> None:
    app = app_on_screen(MattersScreen, terminal)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "o", f"={terminal}/nowhere", "enter")
        assert "holds no matter" in " ".join(painted(app).split())
        await press(pilot, "ctrl+u", f"={depot}", "enter")
        assert "Depot lease" in painted(app)
        assert app.matter_folders == (str(depot),)
        assert str(depot) in (terminal / "config.json").read_text()
        await press(pilot, "w")
        assert isinstance(app.screen, MatterAuthorScreen)
        assert "What the points add up to" in painted(app)
        await press(pilot, "escape", "X")
        assert not app.matter_folders


async def test_the_verdict_follows_the_text(depot: Path, terminal: Path) -> None:
    app = app_on_screen(lambda: GateLabScreen(depot), terminal)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "=It is void")
        assert "FIRES" in painted(app)
        assert "[void]|" in painted(app)
        await press(pilot, "home", "=Never say ")
        assert "does not fire" in painted(app)
        assert "{never}" in painted(app)
        await press(pilot, "escape", "minus")
        assert (depot / "probes.yaml").read_text().count("must_not_fire") == 1
        await press(pilot, "n", "n")
        assert "no negation guard" in painted(app)
        assert "FIRES" in painted(app)
        await press(pilot, "p", "=(", "enter")
        assert "no regex" in painted(app)
