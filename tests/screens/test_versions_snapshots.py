"""How scales, the version board, its changes and the question before a publish look, at 80x24 and 120x40."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shell_world import app_on, settle, terminal
from textual.pilot import Pilot
from textual.screen import Screen
from versions_world import AuthorStandIn

from rubrictui.screens.publish import PublishScreen
from rubrictui.screens.scale_editor import ScaleEditorScreen
from rubrictui.screens.scales import ScalesScreen
from rubrictui.screens.version_board import VersionBoardScreen
from rubrictui.screens.version_diff import VersionDiffScreen

__all__ = ["terminal"]

SIZES = [(80, 24), (120, 40)]

SCREENS: dict[str, tuple[Callable[[], Screen[Any]], tuple[str, ...]]] = {
    "scales": (ScalesScreen, ()),
    "scale": (lambda: ScaleEditorScreen("s-quality"), ("down", "down", "down", "down")),
    "scale-typing": (lambda: ScaleEditorScreen("s-quality"), ("end", "s")),
    "scale-numeric": (lambda: ScaleEditorScreen("s-days"), ()),
    "scale-frozen": (lambda: ScaleEditorScreen("s-mpm"), ("end",)),
    "board": (lambda: VersionBoardScreen("r-vendor"), ()),
    "board-published": (lambda: VersionBoardScreen("r-vendor"), ("down",)),
    "changes": (lambda: VersionDiffScreen("r-vendor", "v-1.2.0", "v-2.0.0"), ()),
    "changes-patch": (lambda: VersionDiffScreen("r-vendor", "v-1.2.0", "v-2.0.0"), ("f", "f", "f")),
    "publish": (lambda: PublishScreen("r-vendor"), ()),
}


async def show(pilot: Pilot[Any], make: Callable[[], Screen[Any]], keys: tuple[str, ...]) -> None:
    await settle(pilot)
    pilot.app.push_screen(make())
    await settle(pilot)
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("screen", SCREENS)
def test_authoring_screens(snap_compare: Any, terminal: Path, screen: str, size: tuple[int, int]) -> None:
    app = app_on(AuthorStandIn(), terminal)
    make, keys = SCREENS[screen]
    assert snap_compare(app, terminal_size=size, run_before=lambda pilot: show(pilot, make, keys))
