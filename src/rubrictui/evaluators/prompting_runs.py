"""What services ask of whoever keeps the calls of models: the store behind an engine, or nobody."""

from __future__ import annotations

import hashlib
from typing import Any, Protocol

import msgspec

from rubrictui.core.prompt_records import PromptRun


class RunKeeper(Protocol):
    """Keeps runs."""

    async def keep(self, record: PromptRun) -> None:
        """Store a run, durably."""

    async def earlier(self, cache_key: str) -> PromptRun | None:
        """A run of the same call that went well, where the caller wants to use one; else None."""


class NothingKept:
    """The keeper of a caller without a store."""

    async def keep(self, record: PromptRun) -> None:
        """Forget it."""

    async def earlier(self, cache_key: str) -> PromptRun | None:
        """There is none."""
        return None


def cache_key(*parts: Any) -> str:
    """A hash over everything that goes into a call: JSON values, in order."""
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()
