"""Calling models: pydantic-ai's clients, with retries, models that stand in, a limit on calls at one time.

pydantic-ai is imported when the first call is made. What goes wrong becomes a ``ModelCallError`` of one line in
which no key stands, whatever the server has sent back.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from rubrictui.core.model import Value
from rubrictui.evaluators.config import AIConfig, NoModelError, ResolvedModel, redacted, resolve
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.model_faults import MOST_BYTES, TooLargeError, waited_for
from rubrictui.evaluators.services import Image

if TYPE_CHECKING:
    import ssl

    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model

_Result = TypeVar("_Result")

#: A server that asks for a longer wait than this is not waited for.
LONGEST_WAIT: Final = 120.0

INSTALL: Final = "Install it with: pip install 'rubrictui[ai]'"


class TokenChance(Value, frozen=True, kw_only=True):
    """A token that could have been said, and the logarithm of its probability."""

    token: str
    logprob: float


class CallReply(Value, frozen=True, kw_only=True):
    """What a model said.

    Attributes:
        chances: of the first token, when they were asked for; None when the server gives none.
        cost: None where the price of the model is not known.
        attempts: how many times it was asked.
    """

    text: str
    model: str
    provider: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cost_currency: str | None = None
    chances: tuple[TokenChance, ...] | None = None
    finish_reason: str | None = None
    attempts: int = 1


class Turn(NamedTuple):
    """One message after the system message: the user's, or what the model said before."""

    role: str
    text: str
    images: tuple[Image, ...] = ()


class CallRequest(NamedTuple):
    """One call: ``chances`` asks for one token and the probabilities of so many."""

    system: str
    turns: Sequence[Turn]
    chances: int = 0


class ModelAccess:
    """Clients for the models of a configuration. Used within one event loop, and closed there.

    Args:
        config: gives the configuration when it is first needed.
        sleep: waits between attempts.
    """

    def __init__(
        self, config: Callable[[], AIConfig], *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._load = config
        self._loaded: AIConfig | None = None
        self._sleep = sleep
        self._models: dict[str, Model] = {}
        self._limits: dict[str, asyncio.Semaphore] = {}
        self._clients: list[Any] = []
        self._without_images: set[str] = set()

    @property
    def config(self) -> AIConfig:
        """The configuration.

        Raises:
            InvalidInputError: it cannot be read.
        """
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def resolve(self, model_id: str | None) -> ResolvedModel:
        """The model of an id, as ``config.resolve`` finds it."""
        return resolve(self.config, model_id)

    def candidates(self, model: ResolvedModel, others: Sequence[str] = ()) -> list[ResolvedModel]:
        """A model and those that stand in for it: its own fallbacks, then ``others``."""
        found = [model]
        for model_id in dict.fromkeys((*model.model.fallback, *others)):
            if all(one.id != model_id for one in found):
                found.append(self.resolve(model_id))
        return found

    def models_for(self, model_id: str | None, bound: Sequence[str]) -> list[ResolvedModel]:
        """The models to ask, in order: the one pinned, else those bound to the prompt, else the default."""
        first, others = (model_id, ()) if model_id else ((bound[0], bound[1:]) if bound else (None, ()))
        return self.candidates(self.resolve(first), others)

    def steady_model(self, resolved: ResolvedModel) -> Model:
        """``model`` for a loop of calls: each is tried again where that may help, within the provider's limit.

        Raises:
            EvaluatorError: as ``model``.
        """
        return _steady()(self, resolved)

    def takes_images(self, model: ResolvedModel) -> bool:
        """Whether the model is to be shown images, as far as is known."""
        return model.model.images is not False and model.id not in self._without_images

    def takes_no_images(self, model: ResolvedModel) -> None:
        """Remember that the model refused images."""
        self._without_images.add(model.id)

    async def call(self, model: ResolvedModel, request: CallRequest) -> CallReply:
        """Ask one model, as ``tried`` does.

        Raises:
            ModelCallError: it did not answer, or not with a completion.
        """
        return await self.tried(model, lambda attempt: self._once(model, request, attempt))

    async def tried(self, model: ResolvedModel, once: Callable[[int], Awaitable[_Result]]) -> _Result:
        """Work on one model, and once more where that may help, within the limit of its provider.

        A 429, a server's own fault, a broken connection and a timeout are tried again, after the time the
        server asks for or a growing one.

        Args:
            once: one attempt; gets its number, 1 the first.

        Raises:
            ModelCallError: it did not answer, or not with a completion.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                async with self._limit(model):
                    return await once(attempt)
            except Exception as error:
                told, wait = waited_for(error, model)
                if told is None:
                    raise
                if not told.is_passing or attempt > model.provider.retries or wait > LONGEST_WAIT:
                    if attempt > 1:
                        told.message = f"{told.message.rstrip('.')} (tried {attempt} times)."
                        told.args = (told.message,)
                    raise told from None
            await self._sleep(wait if wait > 0 else _backoff(attempt))

    async def aclose(self) -> None:
        """Close all connections."""
        clients, self._clients = self._clients, []
        self._models.clear()
        for client in clients:
            await client.aclose()

    def model(self, resolved: ResolvedModel) -> Model:
        """pydantic-ai's client of a model, made once.

        Raises:
            EvaluatorError: the extra, or the package of the provider, is not installed.
        """
        found = self._models.get(resolved.id)
        if found is None:
            try:
                found = self._make(resolved)
            except ImportError as error:
                raise EvaluatorError(
                    f'The model "{resolved.id}" needs a package that is missing: {error.name or error}.',
                    remedy=INSTALL,
                ) from None
            except Exception as error:
                words = redacted(" ".join(str(error).split()), [resolved.key])[:300]
                raise NoModelError(
                    f'The model "{resolved.id}" cannot be used: {words.rstrip(".")}.',
                    remedy="Check its name, its provider and its key.",
                ) from None
            self._models[resolved.id] = found
        return found

    # -- inside --------------------------------------------------------------------------------------

    def _make(self, resolved: ResolvedModel) -> Model:
        provider, key = resolved.provider, resolved.key
        secret = key.reveal() if key is not None else None
        if provider.kind == "openai":
            from openai import AsyncOpenAI
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            client = AsyncOpenAI(
                # A server of one's own often has no key; the client insists on one.
                api_key=secret or "none",
                base_url=provider.base_url,
                max_retries=0,
                timeout=provider.timeout,
                http_client=self._http(provider.timeout),
            )
            return OpenAIChatModel(resolved.name, provider=OpenAIProvider(openai_client=client))
        if provider.kind == "anthropic":
            from anthropic import AsyncAnthropic
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            anthropic = AsyncAnthropic(
                api_key=secret or "none",
                base_url=provider.base_url,
                max_retries=0,
                timeout=provider.timeout,
                http_client=self._http(provider.timeout),
            )
            return AnthropicModel(resolved.name, provider=AnthropicProvider(anthropic_client=anthropic))
        from pydantic_ai.models import infer_model

        return infer_model(f"{provider.kind}:{resolved.name}")

    def _http(self, timeout: float) -> Any:
        import httpx2

        client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(timeout, connect=min(timeout, 10.0)),
            limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=100),
            # Packed replies could grow past the limit after it was checked.
            headers={"Accept-Encoding": "identity"},
            verify=_tls(),
            event_hooks={"response": [_limited]},
        )
        self._clients.append(client)
        return client

    def _limit(self, model: ResolvedModel) -> asyncio.Semaphore:
        name = model.provider_name
        if name not in self._limits:
            self._limits[name] = asyncio.Semaphore(model.provider.concurrency)
        return self._limits[name]

    async def _once(self, resolved: ResolvedModel, request: CallRequest, attempt: int) -> CallReply:
        model = self.model(resolved)
        from pydantic_ai.direct import model_request, model_request_stream

        messages = _messages(request)
        settings: Any = _settings(resolved, request)
        # Sockets time out when nothing comes; a reply that trickles is ended here.
        async with asyncio.timeout(resolved.provider.timeout * (3 if resolved.provider.stream else 1.5)):
            if resolved.provider.stream and not request.chances:
                async with model_request_stream(model, messages, model_settings=settings) as stream:
                    async for _ in stream:
                        pass
                    response = stream.get()
            else:
                response = await model_request(model, messages, model_settings=settings)
        return _reply(response, resolved, request, attempt)


def installed() -> bool:
    """Whether the extra is there; nothing is imported."""
    from importlib.util import find_spec

    return find_spec("pydantic_ai") is not None


def _messages(request: CallRequest) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

    made: list[ModelMessage] = []
    first: list[Any] = [SystemPromptPart(request.system)]
    for turn in request.turns:
        if turn.role == "assistant":
            made.append(ModelResponse(parts=[TextPart(turn.text)]))
        else:
            made.append(ModelRequest(parts=[*first, UserPromptPart(user_content(turn.text, turn.images))]))
            first = []
    return made


def user_content(text: str, images: Sequence[Image]) -> Any:
    """A message as pydantic-ai takes it: its text, and the images behind it."""
    if not images:
        return text
    from pydantic_ai.messages import BinaryContent

    return [text, *(BinaryContent(data=one.content, media_type=one.media_type) for one in images)]


def model_settings(resolved: ResolvedModel) -> dict[str, Any]:
    """What every call of a model is made with."""
    settings: dict[str, Any] = {"timeout": resolved.provider.timeout}
    if resolved.model.temperature is not None:
        settings["temperature"] = resolved.model.temperature
    if resolved.model.max_tokens is not None:
        settings["max_tokens"] = resolved.model.max_tokens
    return settings


def _settings(resolved: ResolvedModel, request: CallRequest) -> dict[str, Any]:
    settings = model_settings(resolved)
    if request.chances:
        settings |= {
            "max_tokens": 1,
            "temperature": 0.0,
            "openai_logprobs": True,
            "openai_top_logprobs": request.chances,
        }
    return settings


def _reply(response: ModelResponse, resolved: ResolvedModel, request: CallRequest, attempt: int) -> CallReply:
    text = redacted(response.text or "", [resolved.key])
    usage = response.usage
    measured = bool(usage.input_tokens or usage.output_tokens)
    cost, currency = cost_of(response, resolved) if measured else (None, None)
    return CallReply(
        text=text,
        model=response.model_name or resolved.name,
        provider=resolved.provider_name,
        input_tokens=usage.input_tokens if measured else None,
        output_tokens=usage.output_tokens if measured else None,
        cost=cost,
        cost_currency=currency,
        chances=_chances(response, resolved) if request.chances else None,
        finish_reason=response.finish_reason,
        attempts=attempt,
    )


def cost_of(response: ModelResponse, resolved: ResolvedModel) -> tuple[float | None, str | None]:
    """The price of a call: the configuration's, else the public list's for the provider's own server."""
    model, usage = resolved.model, response.usage
    if model.input_price is not None or model.output_price is not None:
        cost = (model.input_price or 0.0) * usage.input_tokens + (
            model.output_price or 0.0
        ) * usage.output_tokens
        return cost / 1_000_000, model.currency
    if resolved.provider.base_url is not None:
        return None, None
    try:
        return float(response.cost().total_price), "USD"
    except (LookupError, ValueError, AssertionError):
        return None, None


def _chances(response: ModelResponse, resolved: ResolvedModel) -> tuple[TokenChance, ...] | None:
    details = (response.provider_details or {}).get("logprobs")
    if not isinstance(details, list) or not details or not isinstance(details[0], dict):
        return None
    first = details[0]
    listed = [*(first.get("top_logprobs") or []), first]
    seen: dict[str, float] = {}
    for one in listed:
        token, logprob = one.get("token"), one.get("logprob")
        if isinstance(token, str) and isinstance(logprob, int | float):
            seen.setdefault(redacted(token, [resolved.key]), float(logprob))
    return tuple(TokenChance(token=token, logprob=logprob) for token, logprob in seen.items())


@cache
def _steady() -> Callable[[ModelAccess, ResolvedModel], Model]:
    """The class of ``steady_model``; made when the client's package is there."""
    from pydantic_ai.models.wrapper import WrapperModel

    class Steady(WrapperModel):
        def __init__(self, access: ModelAccess, resolved: ResolvedModel) -> None:
            super().__init__(access.model(resolved))
            self._access = access
            self._resolved = resolved

        async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> Any:
            async def once(attempt: int) -> ModelResponse:
                del attempt
                async with asyncio.timeout(self._resolved.provider.timeout * 1.5):
                    return await self.wrapped.request(messages, model_settings, model_request_parameters)

            return await self._access.tried(self._resolved, once)

    return Steady


async def _limited(response: Any) -> None:
    """Let no more of a reply through than the limit."""
    if int(response.headers.get("content-length") or 0) > MOST_BYTES:
        await response.aclose()
        raise TooLargeError
    response.stream = _limited_stream()(response.stream)


@cache
def _limited_stream() -> Callable[[Any], Any]:
    """The class of a stream with a limit; made when the client's package is there."""
    import httpx2

    class Limited(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in self._inner:
                size += len(piece)
                if size > MOST_BYTES:
                    raise TooLargeError
                yield piece

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Limited


@cache
def _tls() -> ssl.SSLContext:
    """One context for all clients: reading the certificates takes longer than a call to a server nearby."""
    import httpx2

    return httpx2.create_ssl_context()


def _backoff(attempt: int) -> float:
    return float(min(0.5 * 2 ** (attempt - 1), 20.0) * (1 - 0.25 * random.random()))
