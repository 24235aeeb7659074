"""The comparison of one subject: moving, disagreement, folding, thresholds, reasons, exports, what is hidden."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from matrix_world import HOSTILE, PANEL, PanelStandIn
from shell_world import app_on, painted, settle, terminal, until
from textual.pilot import Pilot

from rubrictui.core.panel_tables import PanelComment
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.matrix import MatrixScreen
from rubrictui.widgets.block_list import BlockList
from rubrictui.widgets.matrix_view import MatrixView
from rubrictui.widgets.prompt_line import PromptLine

__all__ = ["terminal"]


async def opened(pilot: Pilot[Any], *keys: str) -> MatrixView:
    await settle(pilot)
    await pilot.app.push_screen(MatrixScreen("sub-1", "r-vendor", "c-spring", 1))
    await settle(pilot)
    view = pilot.app.screen.query_one(MatrixView)
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
    return view


async def test_the_matrix_is_walked_by_keys_and_says_what_is_under_the_cursor(terminal: Path) -> None:
    async with app_on(PanelStandIn(), terminal).run_test(size=(80, 24)) as pilot:
        view = await opened(pilot)
        text = painted(pilot.app)
        assert "Compare · Northwind" in text
        assert "3 criteria disagree (▲ from 25 points)" in text
        assert "Priya Nair (person): passed" in text
        await pilot.press("down", "down", "right")
        await settle(pilot)
        assert view.row is not None
        assert view.row.name == "Encryption"
        assert "Tomasz Wójcik (person): Miss, 0, gate not met, with a reason" in painted(pilot.app)
        assert "met by some, not by others" in painted(pilot.app)
        await pilot.press("end", "home", "pagedown", "left", "left")
        assert view.column is not None
        assert view.column.name == "Priya Nair"


async def test_the_next_disagreement_opens_its_folded_group(terminal: Path) -> None:
    async with app_on(PanelStandIn(), terminal).run_test(size=(80, 24)) as pilot:
        view = await opened(pilot, "Z")
        assert "Encryption" not in painted(pilot.app)
        await pilot.press("n")
        assert view.row is not None
        assert view.row.key == "encryption"
        await pilot.press("z")
        assert view.row is not None
        assert view.row.key == "security"
        await settle(pilot)
        assert "≠ ▸ Security" in painted(pilot.app)


async def test_the_threshold_is_set_in_points_marks_rows_anew_and_is_kept_for_the_round_by_a_key(
    terminal: Path,
) -> None:
    panel = PanelStandIn()
    async with app_on(panel, terminal).run_test(size=(80, 24), notifications=True) as pilot:
        view = await opened(pilot)
        before = view.disagreements
        await pilot.press("t")
        await pilot.pause()
        assert pilot.app.screen.query_one(PromptLine).value == "25"
        await pilot.press("backspace", "backspace", *"nonsense", "enter")
        await settle(pilot)
        assert "A spread is a number from 0 to 100" in painted(pilot.app)
        await pilot.press(*["backspace"] * 8, *"100", "enter")
        await settle(pilot)
        assert view.threshold == 1.0
        assert view.disagreements < before
        assert view.has_focus
        assert "1 criterion disagrees (▲ from 100 points)" in painted(pilot.app)
        assert panel.threshold == 0.25
        assert "T Keep it" in painted(pilot.app)
        await pilot.press("T")
        await settle(pilot)
        assert panel.threshold == 1.0
        assert "T Keep it" not in painted(pilot.app)


async def test_superseded_columns_are_reached_by_a_key(terminal: Path) -> None:
    async with app_on(PanelStandIn(), terminal).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot, *["greater_than_sign"] * 9)
        assert "(1 superseded: u)" in painted(pilot.app)
        assert view.column is not None
        assert view.column.kind == "withdrawn"
        await pilot.press("u", "right")
        assert view.column.kind == "superseded"
        await pilot.press("u")
        assert view.column.kind == "withdrawn"


async def test_sorting_by_spread_puts_what_flips_first_and_goes_back(terminal: Path) -> None:
    async with app_on(PanelStandIn(), terminal).run_test(size=(80, 24)) as pilot:
        view = await opened(pilot, "s", "down")
        assert view.row is not None
        assert view.row.key == "encryption"
        await pilot.press("s")
        await pilot.press("down")
        assert view.row.key == "security"


async def test_enter_shows_the_reasons_beside_those_of_the_peers(terminal: Path) -> None:
    engine = PanelStandIn()
    async with app_on(engine, terminal).run_test(size=(120, 40)) as pilot:
        await opened(pilot, "n", "enter")
        chosen, peers = pilot.app.screen.query(BlockList)
        text = painted(pilot.app)
        assert "Keys are ours, AES-256 is named twice." in text
        assert "“keys held by the buyer”" in text
        assert "Only in transit, and no word about keys." in text
        assert engine.asked[-1]["with_texts"]
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert chosen.current == "sub-1-Tomasz Wójcik-Submitted"
        assert peers.current is not None
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(pilot.app.screen, MatrixScreen)


async def test_what_peers_wrote_stays_harmless_on_the_screen(terminal: Path) -> None:
    async with app_on(PanelStandIn(), terminal).run_test(size=(120, 40)) as pilot:
        await opened(pilot, "end", "enter")
        text = painted(pilot.app)
        assert "[bold]up[/bold]" in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert HOSTILE not in text


async def test_a_blind_viewer_reads_one_plain_sentence_whatever_peers_have_done(terminal: Path) -> None:
    pages = []
    for panel in ((), PANEL):
        async with app_on(PanelStandIn(panel=panel, is_blind=True), terminal).run_test(
            size=(80, 24)
        ) as pilot:
            await opened(pilot)
            pages.append(painted(pilot.app))
    assert pages[0] == pages[1]
    assert "hidden from you while you have work open on it" in " ".join(pages[0].split())
    assert "disagree" not in pages[0].split("Esc")[0].replace("Disagreement", "")


async def test_comments_without_names_stand_among_the_peers(terminal: Path) -> None:
    comments = (PanelComment(criterion_key="encryption", rationale="Ask about the keys."),)
    async with app_on(PanelStandIn(panel=PANEL[:1], comments=comments), terminal).run_test() as pilot:
        await opened(pilot, "down", "down", "enter")
        text = painted(pilot.app)
        assert "A reviewer" in text
        assert "Ask about the keys." in text


async def test_an_error_of_the_store_is_a_quiet_line(terminal: Path) -> None:
    async with app_on(PanelStandIn(refusal="The store is busy on purpose."), terminal).run_test(
        notifications=True
    ) as pilot:
        await opened(pilot)
        assert "The store is busy on purpose." in painted(pilot.app)


@pytest.mark.parametrize("form", ["csv", "md", "html"])
async def test_an_export_writes_a_new_file_and_never_over_an_old_one(
    terminal: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(terminal)
    async with app_on(PanelStandIn(), terminal).run_test(size=(80, 24), notifications=True) as pilot:
        await opened(pilot)
        written = terminal / f"northwind-cold-chain-tracking.{form}"
        await export(pilot, form)
        text = written.read_text(encoding="utf-8")
        assert "Encryption" in text
        assert not re.search("[\x00-\x08\x1b\u202e]", text)
        await export(pilot, form)
        assert "is there already" in painted(pilot.app)
        assert written.read_text(encoding="utf-8") == text


async def export(pilot: Pilot[Any], form: str) -> None:
    """Choose the format and take the name that is offered."""
    await pilot.press("x")
    await until(pilot, lambda: isinstance(pilot.app.screen, ChooseScreen))
    await pilot.press(*["down"] * ["csv", "md", "html"].index(form), "enter")
    await until(pilot, lambda: bool(pilot.app.screen.query(PromptLine)))
    await pilot.press("enter")
    await settle(pilot)
