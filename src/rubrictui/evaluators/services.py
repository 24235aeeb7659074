"""What evaluators may call on: prompts, decision questions, agents. Each is a protocol, given by the engine.

A service is None where it is not available; ``need`` says so in words that name the remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import msgspec

from rubrictui.core.model import Value, VersionSnapshot
from rubrictui.evaluators.errors import EvaluatorError

_Service = TypeVar("_Service")


class PromptRef(Value, frozen=True, kw_only=True):
    """A stored prompt, by id or by name."""

    id: str | None = None
    name: str | None = None


class Image(Value, frozen=True, kw_only=True):
    """An image of a subject, as a model is shown it."""

    name: str
    media_type: str
    content: bytes


class PromptRequest(Value, frozen=True, kw_only=True):
    """One call of a model: a frame, the judge that stands in it, the data both render, and the subject apart.

    ``subject`` never passes through a template: it travels as a message of its own, with the ``images`` behind it. ``turns`` are what was said
    after it, as role (``assistant`` or ``user``) and text; ``sample`` tells repeated calls of the same text apart.
    """

    prompt: PromptRef
    judge: PromptRef | None = None
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    subject: str = ""
    model_id: str | None = None
    model_selection: str | None = None
    turns: tuple[tuple[str, str], ...] = ()
    sample: int = 0
    images: tuple[Image, ...] = ()


class PromptReply(Value, frozen=True, kw_only=True):
    """What a model said, and what it took. ``cost`` is in ``cost_currency``, None where it is not known.

    ``note`` says what of the subject was left out; ``prompts`` are name, id and hash of the prompts that took part,
    by their part; ``cached`` tells that the reply is that of an earlier call.
    """

    text: str
    run_id: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cost_currency: str | None = None
    note: str = ""
    prompts: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    cached: bool = False


class PromptService(Protocol):
    """Prompts that are kept in the store and rendered there."""

    async def run(self, request: PromptRequest) -> PromptReply:
        """Render, call the model once, keep the run."""

    async def render_criteria(
        self, version: VersionSnapshot, prompt: PromptRef | None = None
    ) -> Mapping[str, str]:
        """Each leaf as text for a model, by criterion key, in the order of the tree; no call is made."""

    def criterion_prompt(self, prompt: PromptRef | None = None) -> dict[str, str]:
        """Name, id and hash of the prompt that ``render_criteria`` renders."""

    async def preview(self, request: PromptRequest) -> str:
        """The system message that ``run`` would send; no call is made."""


class Choice(Value, frozen=True, kw_only=True):
    """One question of a decision model: ``options`` from the lowest level to the highest."""

    key: str
    question: str
    options: tuple[str, ...]


class Decided(Value, frozen=True, kw_only=True):
    """The answer to a ``Choice``: the place of the chosen option, and the probability of each (they sum to 1).

    ``mass`` is how much of the model's probability lay on the options before that, 0..1; ``reply`` is the call.
    """

    key: str
    chosen: int
    probabilities: tuple[float, ...]
    run_id: str | None = None
    mass: float = 1.0
    reply: PromptReply | None = None


class DecisionService(Protocol):
    """A model that answers with a probability for each option."""

    async def ask(
        self,
        choices: Sequence[Choice],
        *,
        subject: str,
        prompt: PromptRef | None,
        model_id: str | None,
        images: tuple[Image, ...] = (),
    ) -> Sequence[Decided]:
        """Ask every question about one subject; the answers come in the order of the questions."""


class AgentService(Protocol):
    """An agent that reads the rubric and the subject by itself."""

    async def run(
        self, version: VersionSnapshot, content: Any, settings: Any, check: Callable[[str], str]
    ) -> PromptReply:
        """Let the agent work on a subject's content (``SubjectContent``), and give its last reply.

        ``check`` says what is wrong with a reply, "" for nothing; the agent may mend it once.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of one run."""

    prompts: PromptService | None = None
    decisions: DecisionService | None = None
    agents: AgentService | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def need(service: _Service | None, what: str) -> _Service:
    """The service, where there is one.

    Raises:
        EvaluatorError: there is none; ``what`` names it in the plural.
    """
    if service is None:
        raise EvaluatorError(
            f"There are no {what} here.", remedy="Install them with: pip install 'rubrictui[ai]'"
        )
    return service
