"""A migrated store to copy for every test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_world import SUBJECT, World

from rubrictui.core.model import VersionSnapshot
from rubrictui.store.database import Database


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "empty.db"
    Database.open(path).close()
    return path


@pytest.fixture
def world(empty_store: Path, tmp_path: Path) -> Iterator[World]:
    path = tmp_path / "store.db"
    shutil.copy(empty_store, path)
    made = World(path)
    yield made
    made.close()


@pytest.fixture
def paper(world: World) -> VersionSnapshot:
    """``Paper review`` 1.0.0 published, and one subject to score."""
    world.chief.add_subjects([SUBJECT])
    return world.publish()
