"""Settling on the terminal: from the round to the queue, to the subject, to the settlement; and how it looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adjudication_world import SettlingStandIn
from shell_world import app_on, painted, settle, terminal, until
from textual.pilot import Pilot
from textual.screen import Screen

from rubrictui.screens.adjudication import AdjudicationScreen
from rubrictui.screens.adjudication_reasons import ReasonsScreen
from rubrictui.screens.adjudication_settle import SettleScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.confirm import ConfirmScreen
from rubrictui.screens.round_board import RoundBoardScreen
from rubrictui.widgets.settle_view import SettleView

__all__ = ["terminal"]


async def press(pilot: Pilot[Any], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
    return painted(pilot.app)


async def on(pilot: Pilot[Any], key: str, kind: type[Screen[Any]]) -> None:
    """Press a key that leads to such a screen; a worker waits there for the answer, so nothing else ends."""
    await pilot.press(key)
    await until(pilot, lambda: isinstance(pilot.app.screen, kind))


def answer(engine: SettlingStandIn, key: str) -> Any:
    answers = {one.criterion_id: one for one in engine.answers or ()}
    node = next(one for one in engine.settlement_desk("c-spring", "sub-1").version.nodes if one.key == key)
    return answers.get(node.id)


async def test_a_chair_goes_from_the_round_to_the_queue_settles_and_comes_back(terminal: Path) -> None:
    engine = SettlingStandIn()
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(RoundBoardScreen("c-spring"))
        await settle(pilot)
        text = await press(pilot, "s")
        assert isinstance(pilot.app.screen, AdjudicationScreen)
        assert "1 to settle" in text
        assert "hidden from you" in text
        text = await press(pilot, "enter")
        screen = pilot.app.screen
        assert isinstance(screen, SettleScreen)
        assert "begins from the panel's middle" in text
        view = screen.query_one(SettleView)
        assert view.go_to("encryption")
        await press(pilot, "1")
        assert answer(engine, "encryption").scale_level_id == "l-miss"
        text = await press(pilot, "right", "c")
        assert answer(engine, "encryption").scale_level_id == "l-meets"
        assert "saved" in text
        await press(pilot, "backspace")
        assert answer(engine, "encryption") is None
        await press(pilot, "3", "r", "S", "o", "escape")
        assert answer(engine, "encryption").rationale == "So"
        await press(pilot, "o", "O", "k", "escape")
        assert engine.kept["note"] == "Ok"
        await on(pilot, "S", ChooseScreen)
        await pilot.press("down")
        await on(pilot, "enter", ConfirmScreen)
        assert engine.settled == []
        await pilot.press("down")
        await on(pilot, "enter", AdjudicationScreen)
        await settle(pilot)
        assert engine.settled[0].reason == "Evidence missed"
        assert "Evidence missed" in painted(pilot.app)


async def test_a_number_is_typed_and_a_column_is_taken_whole_or_given_back(terminal: Path) -> None:
    engine = SettlingStandIn()
    async with app_on(engine, terminal).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(SettleScreen("c-spring", "sub-1"))
        await settle(pilot)
        view = pilot.app.screen.query_one(SettleView)
        view.go_to("delivery")
        await press(pilot, "9", "9", "9", "enter")
        assert engine.answers is None
        await press(pilot, "backspace", "backspace", "enter")
        assert answer(engine, "delivery").raw_value == 9
        await press(pilot, "right", "right", "C")
        assert answer(engine, "delivery").raw_value == 35
        assert answer(engine, "price").scale_level_id == "l-partial"
        await press(pilot, "p")
        assert answer(engine, "price").scale_level_id == "l-meets"
        await on(pilot, "X", ConfirmScreen)
        await pilot.press("down", "enter")
        await until(pilot, lambda: engine.answers is None)


async def test_while_reviews_are_open_all_can_be_read_and_nothing_settled(terminal: Path) -> None:
    engine = SettlingStandIn(open_reviews=("t.wojcik",))
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(SettleScreen("c-spring", "sub-1"))
        await settle(pilot)
        text = await press(pilot, "down", "down", "2", "r", "S")
        assert "Cannot be settled yet: 1 review open (t.wojcik)" in text
        assert engine.answers is None
        assert isinstance(pilot.app.screen, SettleScreen)
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, SettleScreen)


async def test_what_could_not_be_saved_says_so_stays_and_is_tried_again(terminal: Path) -> None:
    engine = SettlingStandIn(broken="The disk is full.")
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(SettleScreen("c-spring", "sub-1"))
        await settle(pilot)
        pilot.app.screen.query_one(SettleView).go_to("price")
        assert "NOT SAVED" in await press(pilot, "1")
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, SettleScreen)
        engine.broken = ""
        pilot.app.screen.query_one(SettleView).go_to("encryption")
        assert "NOT SAVED" not in await press(pilot, "2")
        assert answer(engine, "price").scale_level_id == "l-miss"
        assert answer(engine, "encryption").scale_level_id == "l-partial"


async def test_the_reasons_are_edited_in_place(terminal: Path) -> None:
    engine = SettlingStandIn()
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(ReasonsScreen())
        await settle(pilot)
        await press(pilot, "a", *"Rule: Both", "enter", "K", "x")
        labels = [one.label for one in engine.reasons]
        assert "Rule" not in labels
        assert len(labels) == 7


def settling() -> Screen[Any]:
    return SettleScreen("c-spring", "sub-1")


SCREENS: dict[str, tuple[Callable[[], Screen[Any]], tuple[str, ...], dict[str, Any]]] = {
    "queue": (lambda: AdjudicationScreen("c-spring"), ("a",), {}),
    "settle": (settling, ("d", "right"), {}),
    "settle-waiting": (settling, (), {"open_reviews": ("t.wojcik",)}),
    "settle-rationale": (settling, ("d", "1", "r", "W", "h", "y"), {}),
    "reasons": (ReasonsScreen, ("down",), {}),
}


async def show(pilot: Pilot[Any], make: Callable[[], Screen[Any]], keys: tuple[str, ...]) -> None:
    await settle(pilot)
    pilot.app.push_screen(make())
    await settle(pilot)
    await press(pilot, *keys)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
@pytest.mark.parametrize("screen", SCREENS)
def test_settling_screens(snap_compare: Any, terminal: Path, screen: str, size: tuple[int, int]) -> None:
    make, keys, world = SCREENS[screen]
    app = app_on(SettlingStandIn(**world), terminal)
    assert snap_compare(app, terminal_size=size, run_before=lambda pilot: show(pilot, make, keys))
