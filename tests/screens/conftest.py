"""How long a pilot waits after a key: Textual looks for an idle process in steps of 20 ms, twice for every key."""

from __future__ import annotations

import asyncio
import time

import pytest
import textual.app
import textual.pilot
import textual.screen

STEP = 0.005
BUSY = STEP / 10


async def wait_for_idle(min_sleep: float = STEP, max_sleep: float = 1) -> None:
    """As Textual's own, in steps of 5 ms: at least ``min_sleep`` seconds, and until the process does nothing."""
    began = time.monotonic()
    while (waited := time.monotonic() - began) < max_sleep:
        used = time.process_time()
        await asyncio.sleep(STEP)
        if waited >= min_sleep and time.process_time() - used < BUSY:
            break


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textual.app, "wait_for_idle", wait_for_idle)
    monkeypatch.setattr(textual.pilot, "wait_for_idle", wait_for_idle)
    # A process that waits for its turn to paint looks idle: turns come more often than it is looked at.
    monkeypatch.setattr(textual.screen, "UPDATE_PERIOD", STEP / 4)
