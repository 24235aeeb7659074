"""One store that every test begins anew, from one of two templates."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from engine_world import SUBJECT, World

from rubrictui.core.model import VersionSnapshot


@pytest.fixture(scope="session")
def empty_store(made_once: Callable[..., Path]) -> Path:
    """A migrated store with its chief in it, and nothing else."""
    return made_once("engine-empty.db", lambda path: World(path).close())


@pytest.fixture(scope="session")
def paper_store(empty_store: Path, made_once: Callable[..., Path]) -> Path:
    """``Paper review`` 1.0.0 published, one subject, and the reviewers rita and paul."""

    def fill(path: Path) -> None:
        shutil.copy(empty_store, path)
        made = World(path)
        made.chief.add_subjects([SUBJECT])
        made.publish()
        made.chief.add_user("rita")
        made.chief.add_user("paul")
        made.close()

    return made_once("engine-paper.db", fill)


@pytest.fixture(scope="session")
def kept_world(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    path = tmp_path_factory.mktemp("store") / "store.db"
    shutil.copy(empty_store, path)
    return World(path)


@pytest.fixture
def world(request: pytest.FixtureRequest, kept_world: World, empty_store: Path) -> Iterator[World]:
    """A store of this test's own: with the paper in it when the test asks for ``paper``, else empty."""
    with_paper = "paper" in request.fixturenames
    kept_world.begin_with(request.getfixturevalue("paper_store") if with_paper else empty_store)
    yield kept_world
    kept_world.close()


@pytest.fixture
def paper(world: World) -> VersionSnapshot:
    return world.chief.version("Paper review")
