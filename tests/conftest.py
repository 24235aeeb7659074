"""What holds for every test, and the stores that are made once for all of them."""

from __future__ import annotations

import fcntl
import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shared_work import share_statements, share_styles

HERE = Path(__file__).parent
SLOW = frozenset({"cli", "docs", "engine", "screens", "store"})


def pytest_make_parametrize_id(config: object, val: object, argname: str) -> str | None:
    """Name a case of bytes by its argument: bytes with a time in them (a zip's) would give each process
    another list of tests, and parallel runs need one."""
    return argname if isinstance(val, bytes) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what waits for databases, processes and screens, so that parallel runs end together."""
    items.sort(key=lambda item: item.path.relative_to(HERE).parts[0] not in SLOW)


@pytest.fixture(autouse=True, scope="session")
def _shared_work() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        share_statements(patched)
        share_styles(patched)
        yield


def pytest_collection_finish() -> None:
    """What is imported and collected stays to the end: looking through it again and again for garbage takes a
    minute of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Callable[..., Path]:
    """Makes a store once for all processes of a run: migrating and filling one takes seconds.

    Called with its file name and what fills it. Nobody writes to the result; who wants to, copies it.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "made-once"
    folder.mkdir(exist_ok=True)

    def make(name: str, fill: Callable[[Path], object]) -> Path:
        path = folder / name
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                began = path.with_name(f"begun-{name}")
                began.unlink(missing_ok=True)
                fill(began)
                began.rename(path)
        return path

    return make


@pytest.fixture(scope="session")
def samples_of(made_once: Callable[..., Path]) -> Callable[[str | None], Path]:
    """The closed store that a user (whoever runs the tests, for None) has after loading the samples; only for reading."""
    from rubrictui.engine import Engine

    def of(user: str | None) -> Path:
        def fill(path: Path) -> None:
            with Engine(path, user=user) as engine:
                engine.load_samples()

        return made_once(f"samples-of-{user or 'me'}.db", fill)

    return of


@pytest.fixture(scope="session")
def sample_store(samples_of: Callable[[str | None], Path]) -> Path:
    """A closed store with the samples, of whoever runs the tests; only for reading."""
    return samples_of(None)


@pytest.fixture(scope="session")
def migrated_store(made_once: Callable[..., Path]) -> Path:
    """A store of the newest revision with nothing in it, closed; only for reading."""
    from rubrictui.store.database import Database

    return made_once("migrated.db", lambda path: Database.open(path).close())
