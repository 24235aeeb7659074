"""How comparing, rounds, rankings and agreement look, at 80x24 and 120x40."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matrix_world import PanelStandIn
from shell_world import app_on, settle, terminal
from textual.pilot import Pilot
from textual.screen import Screen

from rubrictui.screens.agreement import AgreementScreen
from rubrictui.screens.item_analysis import ItemAnalysisScreen
from rubrictui.screens.matrix import MatrixScreen
from rubrictui.screens.round_board import RoundBoardScreen
from rubrictui.screens.round_matrix import RoundMatrixScreen
from rubrictui.screens.rounds import RoundsScreen

__all__ = ["terminal"]

SIZES = [(80, 24), (120, 40)]


def compare() -> Screen[Any]:
    return MatrixScreen("sub-1", "r-vendor", "c-spring", 1)


SCREENS: dict[str, tuple[Callable[[], Screen[Any]], tuple[str, ...], dict[str, Any]]] = {
    "matrix": (compare, ("n",), {}),
    "matrix-by-spread": (compare, ("s", "down", "m"), {}),
    "matrix-blind": (compare, (), {"is_blind": True}),
    "matrix-reasons": (compare, ("n", "enter"), {}),
    "rounds": (RoundsScreen, (), {}),
    "round": (lambda: RoundBoardScreen("c-spring"), ("down", "down"), {}),
    "ranking": (lambda: RoundMatrixScreen("c-spring"), ("down",), {}),
    "consensus": (lambda: AgreementScreen("c-spring"), ("down",), {}),
    "agreement": (lambda: AgreementScreen("c-spring", resamples=20), ("2", "down"), {"many": 24}),
    "evaluators": (lambda: AgreementScreen("c-spring", resamples=20), ("3",), {"many": 24}),
    "confusion": (lambda: AgreementScreen("c-spring", resamples=20), ("4",), {"many": 24}),
    "plots": (lambda: AgreementScreen("c-spring", resamples=20), ("5",), {"many": 24}),
    "criteria": (lambda: ItemAnalysisScreen("c-spring"), (), {}),
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
def test_comparing_screens(snap_compare: Any, terminal: Path, screen: str, size: tuple[int, int]) -> None:
    make, keys, world = SCREENS[screen]
    app = app_on(PanelStandIn(**world), terminal)
    assert snap_compare(app, terminal_size=size, run_before=lambda pilot: show(pilot, make, keys))
