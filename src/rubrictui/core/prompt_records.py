"""The records around models that judge: prompts, and what is kept of every call."""

from __future__ import annotations

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from rubrictui.core.model import Value


class PromptKind(StrEnum):
    """What a prompt is for (guide section 8)."""

    EVALUATOR = "evaluator"
    JUDGE = "judge"
    CRITERION = "criterion"
    DECISION = "decision"
    AGENT = "agent"


class Prompt(Value, frozen=True, kw_only=True):
    """One prompt.

    Attributes:
        template: Jinja2.
        models: its model bindings: ids of models, the first is asked and the others stand in when it fails.
        is_stored: kept in the store; else it ships with the program.
    """

    id: str = ""
    name: str
    kind: PromptKind
    template: str
    description: str | None = None
    models: tuple[str, ...] = ()
    is_stored: bool = False
    updated_at: datetime | None = None

    @property
    def sha256(self) -> str:
        """Of the template; what an evaluation keeps beside the name."""
        return text_hash(self.template)


class PromptRun(Value, frozen=True, kw_only=True):
    """One call of a model: what was sent, what came back, what it cost.

    Attributes:
        evaluator_name: the evaluator that called.
        subject_id, evaluation_id: what was judged, and what came of it; None where it led to none.
        prompt_id, judge_prompt_id: of prompts that are kept in the store; a shipped one is told by name and hash
            in ``settings`` only.
        settings: prompts, model and sample, under the guide's names.
        messages: role and text, in order; for an agent also its calls of tools. Empty in a list of runs.
        reply: as it came, keys taken out.
        cache_key: of everything that went into the call.
    """

    id: str
    evaluator_name: str = ""
    subject_id: str | None = None
    evaluation_id: str | None = None
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
    finished_at: datetime | None = None
    cache_key: str | None = None
    created_by: str = ""


def text_hash(text: str) -> str:
    """SHA-256 of a text, hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
