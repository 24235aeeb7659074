"""What is kept of every call of a model, so that it can be read years later; and what is asked before a call."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, Protocol

import msgspec

from rubrictui.core.model import Value


class RunRecord(Value, frozen=True, kw_only=True):
    """One call: what was sent, what came back, what it cost.

    Attributes:
        prompt_id, judge_prompt_id: of prompts that are kept in the store; a shipped one is told by name and hash
            in ``settings`` only.
        settings: prompts, model and sample, under the guide's names.
        messages: role and text, in order; for an agent also its calls of tools.
        reply: as it came, keys taken out.
        cache_key: of everything that went into the call.
    """

    id: str
    evaluator_name: str
    prompt_id: str | None = None
    judge_prompt_id: str | None = None
    provider: str | None = None
    model: str | None = None
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    messages: tuple[dict[str, Any], ...] = ()
    reply: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cost_currency: str | None = None
    error_message: str | None = None
    started_at: datetime
    finished_at: datetime
    cache_key: str | None = None


class RunKeeper(Protocol):
    """Keeps runs."""

    async def keep(self, record: RunRecord) -> None:
        """Store a run, durably."""

    async def earlier(self, cache_key: str) -> RunRecord | None:
        """A run of the same call that went well, where the caller wants to use one; else None."""


class NothingKept:
    """The keeper of a caller without a store."""

    async def keep(self, record: RunRecord) -> None:
        """Forget it."""

    async def earlier(self, cache_key: str) -> RunRecord | None:
        """There is none."""
        return None


def cache_key(*parts: Any) -> str:
    """A hash over everything that goes into a call: JSON values, in order."""
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()
