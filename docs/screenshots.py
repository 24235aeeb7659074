"""Make the screenshots of the docs from the real app: ``python docs/screenshots.py`` (part of ``make docs``).

The app runs on a fresh demo store with a fixed clock and is driven by keys, as a reviewer would.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from rubrictui.app import RubrictuiApp

HERE = Path(__file__).parent
NOW = datetime(2031, 3, 3, 9, 30, tzinfo=UTC)
USER = "aline"

# The way to the builder on "Vendor proposal", with a sample answered.
BUILDING = (
    "c",
    "slash",
    *"vendor",
    "enter",
    "e",
    "y",
    "j",
    "2",
    "j",
    "3",
    "j",
    "2",
    "j",
    "j",
    "3",
    "j",
    "4",
    "j",
    "j",
    "4",
)

# From the inbox into a shipped matter: its agreement read, an issue begun on a section.
PLAYING = ("c", "M", "down", "enter", "down", "enter", "tab", "J", "J", "J", "J", "i", "enter")

# What is pressed from the inbox on, and the size of the terminal.
SHOTS: dict[str, tuple[tuple[int, int], Sequence[str]]] = {
    "inbox": ((80, 24), ()),
    "scoring": ((120, 32), ("enter", "2", "j", "4", "j", "3")),
    "scoring-narrow": ((80, 24), ("enter", "2", "j", "4", "j", "3", "j")),
    "catalog": ((80, 24), ("c",)),
    "builder": ((120, 40), (*BUILDING, "k", "k")),
    "builder-narrow": ((80, 24), (*BUILDING, "k", "k")),
    "matter-player": (
        (100, 28),
        (
            *PLAYING,
            *"Cut off",
            "enter",
            "3",
            "down",
            "down",
            "enter",
            *"They may suspend ",
            "ctrl+g",
            "escape",
        ),
    ),
    "gate-lab": (
        (80, 24),
        ("c", "M", "down", "down", "l", *"It is not true that exclusivity is void. Exclusivity is void."),
    ),
}


async def settle(app: RubrictuiApp, pilot: Pilot[int]) -> None:
    """Wait until nothing is being read or drawn any more."""
    await app.workers.wait_for_complete()
    await pilot.pause(0.2)
    await app.workers.wait_for_complete()
    await pilot.pause()


async def shoot(store: Path, size: tuple[int, int], keys: Sequence[str]) -> str:
    """One screenshot as SVG text: the app on ``store`` at ``size`` after ``keys``."""
    from rubrictui.app import RubrictuiApp
    from rubrictui.engine import Engine
    from rubrictui.shell.opening import StoreOpening

    opening = StoreOpening(store, user=USER, make_engine=lambda target, user: Engine(target, user=user))
    app = RubrictuiApp(opening, is_demo=True, now=lambda: NOW, zone=UTC)
    async with app.run_test(size=size) as pilot:
        await app.engine()
        await settle(app, pilot)
        for key in keys:
            await pilot.press({" ": "space", ".": "full_stop"}.get(key, key))
            await settle(app, pilot)
        return app.export_screenshot(title="rubrictui")


def main() -> None:
    os.environ.pop("NO_COLOR", None)
    from rubrictui.engine import Engine

    (HERE / "screenshots").mkdir(exist_ok=True)
    for name, (size, keys) in SHOTS.items():
        with tempfile.TemporaryDirectory() as folder:
            for kept in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
                os.environ[kept] = folder
            store = Path(folder) / "demo.db"
            with Engine(store, user=USER) as engine:
                engine.load_samples()
                if name.startswith("builder"):
                    engine.start_draft("Vendor proposal")
            svg = asyncio.run(shoot(store, size, keys))
            (HERE / "screenshots" / f"{name}.svg").write_text(svg, encoding="utf-8")
            print(f"docs/screenshots/{name}.svg")


if __name__ == "__main__":
    main()
