"""How the shell's screens look, at 80x24 and 120x40, and in every theme once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from shell_world import StandIn, app_on, settle, terminal
from textual.pilot import Pilot

from rubrictui.shell.settings import Settings
from rubrictui.styles.themes import CONTRAST, DARK, LIGHT, SIXTEEN

__all__ = ["terminal"]

SIZES = [(80, 24), (120, 40)]

SCREENS: dict[str, tuple[str, ...]] = {
    "inbox": (),
    "inbox-filtered": ("slash", "h", "a"),
    "catalog": ("c", "v"),
    "rubric": ("c", "enter", "down", "down"),
    "bands": ("c", "enter"),
    "subjects": ("s",),
    "choosing": ("o",),
    "help": ("question_mark",),
    "palette": ("ctrl+p",),
}


async def press(pilot: Pilot[Any], keys: tuple[str, ...]) -> None:
    await settle(pilot)
    for key in keys:
        await pilot.press(key)
        await pilot.pause(0.1)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("screen", SCREENS)
def test_screens(snap_compare: Any, terminal: Path, screen: str, size: tuple[int, int]) -> None:
    app = app_on(StandIn(), terminal)
    assert snap_compare(app, terminal_size=size, run_before=lambda pilot: press(pilot, SCREENS[screen]))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
def test_the_welcome_of_an_empty_store(snap_compare: Any, terminal: Path, size: tuple[int, int]) -> None:
    app = app_on(StandIn(rows=(), catalog=(), pool=()), terminal)
    assert snap_compare(app, terminal_size=size, run_before=lambda pilot: press(pilot, ()))


@pytest.mark.parametrize("theme", [LIGHT, CONTRAST, SIXTEEN])
def test_themes(snap_compare: Any, terminal: Path, theme: str) -> None:
    app = app_on(StandIn(), terminal, settings=Settings(theme=theme))
    assert snap_compare(app, terminal_size=(80, 24), run_before=lambda pilot: press(pilot, SCREENS["rubric"]))


def test_no_colour(snap_compare: Any, terminal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_on(StandIn(), terminal, settings=Settings(theme=DARK))
    assert snap_compare(app, terminal_size=(80, 24), run_before=lambda pilot: press(pilot, ()))
