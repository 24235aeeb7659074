"""An author's round on a real store: a scale, a rubric, a version, a change that makes the next one Major, a Patch."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Any

import msgspec
import pytest
from shell_world import NOW, painted, terminal, until
from textual.pilot import Pilot
from textual.screen import ModalScreen

from rubrictui.app import RubrictuiApp
from rubrictui.core import editing
from rubrictui.core.model import NodeType
from rubrictui.engine import Engine
from rubrictui.screens import publish
from rubrictui.screens.catalog import CatalogScreen
from rubrictui.screens.scale_editor import ScaleEditorScreen
from rubrictui.screens.version_board import VersionBoardScreen
from rubrictui.shell.opening import StoreOpening

__all__ = ["terminal"]


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        await until(
            pilot,
            lambda: (
                isinstance(pilot.app.screen, ModalScreen)
                or all(worker.is_finished for worker in pilot.app.workers)
            ),
        )
        await pilot.pause()


async def type_line(pilot: Pilot[Any], text: str) -> None:
    await press(pilot, "end", "ctrl+u")
    await pilot.press(*text)
    await press(pilot, "enter")


async def says(pilot: Pilot[Any], text: str) -> None:
    await until(pilot, lambda: text in painted(pilot.app))


async def test_an_author_makes_a_scale_and_publishes_three_versions(
    terminal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "READING_TIME", 0.0)
    engine = Engine(terminal / "store.db", user="author")
    app = RubrictuiApp(
        StoreOpening(terminal / "store.db", make_engine=lambda _target, _user: engine),
        settings_file=terminal / "config.json",
        now=lambda: NOW,
        zone=UTC,
    )
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await app.engine()
        await app.run_action("app.open('scales')")
        await says(pilot, "No scale yet")
        await press(pilot, "a")
        await type_line(pilot, "Three steps")
        await until(pilot, lambda: isinstance(app.screen, ScaleEditorScreen))
        await says(pilot, "Meets")
        await press(pilot, "end", "e")
        await type_line(pilot, "All of it.")
        [scale] = engine.scales()
        assert scale.levels[2].description == "All of it."

        rubric = engine.create_rubric("Bids", category="Buying")
        draft = engine.open_rubric_draft("Bids").version
        draft = editing.add_node(
            draft, NodeType.CRITERION, id="", name="Price", at=None, where="inside"
        ).version
        node = msgspec.structs.replace(draft.nodes[0], scale_id=scale.id)
        engine.save_draft(msgspec.structs.replace(draft, nodes=(node,), scales=(scale,)))

        board = VersionBoardScreen("Bids")
        app.push_screen(board)
        await says(pilot, "Being written")
        await press(pilot, "P")
        await says(pilot, "Publish 1.0.0 now")
        await press(pilot, "P")
        await says(pilot, "Bids 1.0.0 is published.")

        for words, change in (
            ("1.0.0 → 2.0.0: Major", {"weight": 4}),
            ("2.0.0 → 2.0.1: Patch", {"description": "What it costs in all."}),
        ):
            draft = engine.start_draft("Bids")
            engine.save_draft(editing.set_node(draft, draft.nodes[0].id, **change).version)
            await press(pilot, "R", "P")
            await says(pilot, words)
            await press(pilot, "enter")
            await says(pilot, f"{words.partition('→ ')[2].partition(':')[0]} is published.")
        numbers = [version.number for version in engine.rubric(rubric.id).versions]
        assert numbers == ["2.0.1", "2.0.0", "1.0.0"]

        await press(pilot, "home", "d")
        await says(pilot, "What it costs in all.")
        await press(pilot, "escape", "escape")
        await app.run_action("app.open('catalog')")
        await until(pilot, lambda: isinstance(app.screen, CatalogScreen))
        await says(pilot, "Buying")
        await press(pilot, "m")
        await press(pilot, "end", "enter")
        await type_line(pilot, "Purchasing")
        await until(pilot, lambda: [c.name for c in engine.categories()] == ["Purchasing"])
        await app.run_action("app.open('scales')")
        await press(pilot, "enter")
        await says(pilot, "Frozen by Bids 2.0.1 and 2 other versions")
