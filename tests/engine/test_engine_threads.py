"""One engine, several threads; several engines, one store."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from engine_world import World, answers

from rubrictui.core.model import VersionSnapshot
from rubrictui.engine import Engine

HEAVY = ("alembic", "numpy", "krippendorff", "textual", "yaml", "sklearn")


@pytest.fixture
def rita(world: World, paper: VersionSnapshot) -> Engine:
    return world.user("rita")


def test_saves_from_many_threads_are_all_counted(rita: Engine) -> None:
    id = rita.open_draft(subject="Paper/tides", rubric="Paper review").evaluation.id
    levels = ["miss", "partial", "meets"]

    def save(n: int) -> int:
        rita.preview(id)
        return rita.save_answer(id, answers(clarity=levels[n % 3])[0]).revision

    with ThreadPoolExecutor(8) as pool:
        revisions = list(pool.map(save, range(40)))
    assert sorted(revisions) == list(range(1, 41))
    assert rita.draft(id).evaluation.revision == 40


def test_reading_goes_on_while_another_thread_writes(world: World, rita: Engine) -> None:
    with rita._write(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: rita.rubric("Paper review").name).result(timeout=5) == "Paper review"
        assert pool.submit(rita.inbox).result(timeout=5) == ()


def test_two_engines_open_one_draft_between_them(world: World, rita: Engine) -> None:
    engines = [world.engine("rita", as_user="rita") for _ in range(4)]
    try:
        with ThreadPoolExecutor(4) as pool:
            ids = list(
                pool.map(
                    lambda engine: (
                        engine.open_draft(subject="Paper/tides", rubric="Paper review").evaluation.id
                    ),
                    engines,
                )
            )
    finally:
        for engine in engines:
            engine.close()
    assert len(set(ids)) == 1


def test_an_open_store_is_used_without_what_is_seldom_needed(world: World) -> None:
    code = (
        "import sys; from rubrictui import Engine\n"
        f"with Engine({str(world.path)!r}, user='chief') as engine: engine.inbox()\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
