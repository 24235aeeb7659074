"""How the screens of legal matters look, at 80x24 and 120x40."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matter_world import SHIPPED, app_on_screen, matter_at, reference_of
from shell_world import settle, terminal, type_text
from textual.pilot import Pilot
from textual.screen import Screen

from rubrictui.screens.gate_lab import GateLabScreen
from rubrictui.screens.matter_author import MatterAuthorScreen
from rubrictui.screens.matter_compare import MatterCompareScreen
from rubrictui.screens.matter_player import open_player
from rubrictui.screens.matter_trace import MatterTraceScreen
from rubrictui.screens.matter_trace_rows import trace_of
from rubrictui.screens.matters import MattersScreen

__all__ = ["terminal"]

SIZES = [(80, 24), (120, 40)]
NEGOTIATION = SHIPPED["supply-negotiation"]


def trace(name: str) -> Any:
    return trace_of(matter_at(NEGOTIATION), reference_of(NEGOTIATION.name, name), name)


def trace_screen() -> Screen[Any]:
    actions = reference_of(NEGOTIATION.name, "trap-taken")
    return MatterTraceScreen(matter_at(NEGOTIATION), actions, "trap-taken", folder=NEGOTIATION)


def played() -> Screen[Any]:
    """In the middle of the negotiation."""
    screen = open_player(NEGOTIATION)
    for action in reference_of(NEGOTIATION.name)[:26]:
        screen.session.act(action)
    return screen


SCREENS: dict[str, tuple[Callable[[], Screen[Any]], tuple[str, ...]]] = {
    "matters": (MattersScreen, ("down",)),
    "player": (lambda: open_player(SHIPPED["saas-agreement"]), ()),
    "player-reading": (lambda: open_player(SHIPPED["saas-agreement"]), ("down", "enter", "tab", "J", "J")),
    "player-issue": (
        lambda: open_player(SHIPPED["saas-agreement"]),
        ("down", "enter", "tab", "J", "J", "i", "down", "enter", "L", "o", "w", "enter", "4"),
    ),
    "player-quoting": (
        lambda: open_player(SHIPPED["saas-agreement"]),
        ("down", "enter", "tab", "J", "J", "i", "q", "s"),
    ),
    "player-writing": (lambda: open_player(SHIPPED["saas-agreement"]), ("a", "W", "h", "y")),
    "player-negotiating": (played, ("end", *("up",) * 16)),
    "trace": (trace_screen, ("end", "up")),
    "compare": (
        lambda: MatterCompareScreen(matter_at(NEGOTIATION), trace("reference"), trace("trap-taken")),
        ("u", "down"),
    ),
    "author": (lambda: MatterAuthorScreen(NEGOTIATION), ("down",) * 11),
    "gate-lab": (
        lambda: GateLabScreen(NEGOTIATION),
        ("=it is not true that exclusivity is void. exclusivity is void",),
    ),
}


async def press(pilot: Pilot[Any], keys: tuple[str, ...]) -> None:
    await settle(pilot)
    for key in keys:
        await (type_text(pilot, key[1:]) if key.startswith("=") else pilot.press(key))
    await settle(pilot)
    await pilot.pause(0.1)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("screen", SCREENS)
def test_matter_screens(snap_compare: Any, terminal: Path, screen: str, size: tuple[int, int]) -> None:
    opener, keys = SCREENS[screen]
    app = app_on_screen(opener, terminal)
    assert snap_compare(app, terminal_size=size, run_before=lambda pilot: press(pilot, keys))


def test_the_player_without_colour(
    snap_compare: Any, terminal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_on_screen(played, terminal)
    assert snap_compare(app, terminal_size=(80, 24), run_before=lambda pilot: press(pilot, ("end",)))
