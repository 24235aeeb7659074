"""Opening a store without keeping the first frame waiting.

The first rows come from plain ``sqlite3``; the engine, with SQL toolkit and migrations, is imported and
opened in a thread afterwards. Whoever needs it awaits it: readiness is a future, never a timer.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rubrictui.core.records import InboxRow
    from rubrictui.engine import Engine

T = TypeVar("T")


class StoreOpening:
    """One store on its way to being open.

    Args:
        target: path or URL of the store; None is the user's own.
        user: whom to act as; None is the login.
        samples: load the sample data when the store is empty, as the demo does.
        make_engine: makes the engine from target and user; for tests.
    """

    def __init__(
        self,
        target: str | Path | None,
        *,
        user: str | None = None,
        samples: bool = False,
        make_engine: Callable[[str | Path | None, str | None], Engine] | None = None,
    ) -> None:
        self.target = target
        self.user = user
        self._samples = samples
        self._make_engine = make_engine or _make_engine
        self._threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="store")
        self._engine: asyncio.Future[Engine] | None = None
        self._first: asyncio.Future[tuple[InboxRow, ...] | None] | None = None

    @property
    def is_ready(self) -> bool:
        """Whether the engine can be had without waiting."""
        return self._engine is not None and self._engine.done()

    @property
    def exit_code(self) -> int:
        """3 when the store could not be opened, else 0."""
        return 3 if self._engine is not None and self._engine.done() and self._engine.exception() else 0

    def read_first(self) -> None:
        """Begin to read the first rows. Needs a running event loop."""
        self._first = asyncio.get_running_loop().run_in_executor(self._threads, self._read_inbox)

    def open(self) -> None:
        """Begin to open the engine. Needs a running event loop; asking twice opens once."""
        if self._engine is None:
            self._engine = asyncio.get_running_loop().run_in_executor(self._threads, self._open)
            self._engine.add_done_callback(_note_failure)

    async def first_rows(self) -> tuple[InboxRow, ...] | None:
        """The inbox as plain SQL reads it; None when there is no such way to it."""
        return await self._first if self._first is not None else None

    async def engine(self) -> Engine:
        """The engine, once it is open. Raises what opening it raised."""
        self.open()
        assert self._engine is not None
        return await asyncio.shield(self._engine)

    async def ask(self, call: Callable[[Engine], T]) -> T:
        """What ``call`` makes of the engine, in a thread."""
        engine = await self.engine()
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, engine)

    async def close(self) -> None:
        """Close the engine if it was opened, after what is running in the threads."""
        if self._engine is not None:
            try:
                engine = await self._engine
            except Exception:
                pass
            else:
                await asyncio.get_running_loop().run_in_executor(self._threads, engine.close)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _read_inbox(self) -> tuple[InboxRow, ...] | None:
        login = operating_system_login()
        if self.user not in {None, login}:
            return None  # whether one may act as another is for the engine to say
        from rubrictui.store.fast_inbox import fast_inbox

        return fast_inbox(self.target, login)

    def _open(self) -> Engine:
        engine = self._make_engine(self.target, self.user)
        try:
            if self._samples and engine.is_empty():
                engine.load_samples()
        except BaseException:
            engine.close()
            raise
        return engine


def demo_path() -> Path:
    """Where the demo store is: beside the user's own, never the same."""
    import platformdirs

    return Path(platformdirs.user_data_dir("rubrictui", appauthor=False)) / "demo.db"


def operating_system_login() -> str:
    """The login of the process's user, as the engine finds it; the engine is not imported yet."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        import getpass

        return getpass.getuser()


def _make_engine(target: str | Path | None, user: str | None) -> Engine:
    from rubrictui.engine import Engine

    # Whoever waits for her key to be saved is told within two seconds that it is not; it is tried again.
    return Engine(target, as_user=user, busy_seconds=1.0)


def _note_failure(future: asyncio.Future[Engine]) -> None:
    """A failure that nobody waits for is no second error at the end."""
    if not future.cancelled():
        future.exception()
