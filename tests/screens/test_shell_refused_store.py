"""The application on a store that cannot be opened: the screen says what and what to do; the exit code is 3."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from shell_world import painted, terminal, until

from rubrictui.app import RubrictuiApp, demo_opening
from rubrictui.shell.opening import StoreOpening
from rubrictui.store.database import Database

__all__ = ["terminal"]


def newer(path: Path) -> None:
    Database.open(path).close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE store_revision SET version_num = '9999'")
        raw.commit()


def dangling(path: Path) -> None:
    path.symlink_to("unmounted.db")


@pytest.mark.parametrize("opening", [StoreOpening, demo_opening])
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (newer, ["was made by a newer version of rubrictui.", "Upgrade rubrictui"]),
        (dangling, ["is a link to a file that does not exist.", "Put that file back"]),
    ],
)
async def test_a_refused_store_is_said_with_the_remedy_and_is_exit_code_3(
    terminal: Path,
    make: Callable[[Path], None],
    words: list[str],
    opening: Callable[[Path], StoreOpening],
) -> None:
    path = terminal / "rubrics.db"
    make(path)
    before = path.read_bytes() if path.exists() else None
    app = RubrictuiApp(opening(path))
    async with app.run_test(size=(160, 24)) as pilot:
        await until(pilot, lambda: all(part in painted(app) for part in words))
        await pilot.press("q")
    assert app.return_value == 3
    assert (path.read_bytes() if path.exists() else None) == before
    assert not list(terminal.rglob("errors.log"))
