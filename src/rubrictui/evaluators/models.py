"""Calling models: pydantic-ai's clients, with retries, models that stand in, a limit on calls at one time.

pydantic-ai is imported when the first call is made. What goes wrong becomes a ``ModelCallError`` of one line in
which no key stands, whatever the server has sent back.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import cache
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rubrictui.core.model import Value
from rubrictui.evaluators.config import AIConfig, NoModelError, ResolvedModel, redacted, resolve
from rubrictui.evaluators.errors import EvaluatorError

if TYPE_CHECKING:
    import ssl

    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model

#: No reply is longer, in bytes as they come over the line.
MOST_BYTES: Final = 8_000_000

#: A server that asks for a longer wait than this is not waited for.
LONGEST_WAIT: Final = 120.0

INSTALL: Final = "Install it with: pip install 'rubrictui[ai]'"

_TOO_LARGE: Final = f"its reply is longer than {MOST_BYTES // 1_000_000} MB"


class ModelCallError(EvaluatorError):
    """A model that did not answer. ``is_passing`` tells that trying again may help."""

    code = "model_call"

    def __init__(self, message: str, *, remedy: str = "", is_passing: bool = False) -> None:
        super().__init__(message, remedy=remedy)
        self.is_passing = is_passing


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


class CallRequest(NamedTuple):
    """One call: ``chances`` asks for one token and the probabilities of so many."""

    system: str
    turns: Sequence[Turn]
    chances: int = 0


class _TooLargeError(Exception):
    """A reply over the limit; it ends the transfer."""


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

    async def call(self, model: ResolvedModel, request: CallRequest) -> CallReply:
        """Ask one model, and again where that may help.

        A 429, a server's own fault, a broken connection and a timeout are tried again, after the time the
        server asks for or a growing one.

        Raises:
            ModelCallError: it did not answer, or not with a completion.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                async with self._limit(model):
                    return await self._once(model, request, attempt)
            except Exception as error:
                told, wait = _explained(error, model)
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
            made.append(ModelRequest(parts=[*first, UserPromptPart(turn.text)]))
            first = []
    return made


def _settings(resolved: ResolvedModel, request: CallRequest) -> dict[str, Any]:
    settings: dict[str, Any] = {"timeout": resolved.provider.timeout}
    if resolved.model.temperature is not None:
        settings["temperature"] = resolved.model.temperature
    if resolved.model.max_tokens is not None:
        settings["max_tokens"] = resolved.model.max_tokens
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


async def _limited(response: Any) -> None:
    """Let no more of a reply through than the limit."""
    if int(response.headers.get("content-length") or 0) > MOST_BYTES:
        await response.aclose()
        raise _TooLargeError
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
                    raise _TooLargeError
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


def explained(error: Exception, model: ResolvedModel) -> ModelCallError | None:
    """What went wrong with a call in words; None for what is no fault of a call."""
    return _explained(error, model)[0]


def _explained(error: Exception, model: ResolvedModel) -> tuple[ModelCallError | None, float]:
    """What went wrong in words, and how long the server asks to wait; None for what is no fault of a call."""
    if isinstance(error, ModelCallError):
        return error, 0.0
    if isinstance(error, EvaluatorError):
        return None, 0.0
    from pydantic_ai import exceptions as faults

    who = f'The model "{model.id}"'
    at = f" at {model.shown_url}" if model.shown_url else ""

    def told(what: str, remedy: str, *, passing: bool = False) -> ModelCallError:
        line = redacted(" ".join(what.split()), [model.key])
        return ModelCallError(f"{who}{at} {line.rstrip('.')}.", remedy=remedy, is_passing=passing)

    if _caused_by(error, _TooLargeError):
        return told(f"cannot be read: {_TOO_LARGE}", "Check that the address is that of a model server."), 0.0
    if isinstance(error, TimeoutError | faults.ModelTimeoutError | faults.ModelRequestTimeout):
        seconds = f"{model.provider.timeout:g}"
        return told(
            f"did not answer within {seconds} seconds",
            "Try again, or give it more time (timeout in ai.toml).",
            passing=True,
        ), 0.0
    if isinstance(error, faults.ModelAPIError) and _caused_by(error, JSONDecodeError):
        return told(
            "sent a reply that is cut off or no JSON", "Check that it is a model server.", passing=True
        ), 0.0
    if isinstance(error, faults.ModelHTTPError):
        return _http_fault(error, told), error.retry_after or 0.0
    if isinstance(error, faults.ModelConnectionError):
        return told(
            f"cannot be reached: {_root(error)}", "Check the address and the network.", passing=True
        ), 0.0
    if isinstance(error, faults.ModelAPIError):
        return told(f"failed: {_body(error)}", "Try again later.", passing=True), error.retry_after or 0.0
    if isinstance(error, faults.UnexpectedModelBehavior):
        return told(
            f"answered with something that is no chat completion: {error.message[:200]}",
            "Check that the address is that of a model server (it often ends in /v1).",
        ), 0.0
    if isinstance(error, faults.UserError):
        return told(f"cannot be used: {error}", "Check its name and its settings."), 0.0
    words = f"{type(error).__name__}: {error}"[:200]
    return told(f"failed: {words}", "Check that the address is that of a model server."), 0.0


def _http_fault(error: Any, told: Callable[..., ModelCallError]) -> ModelCallError:
    status, body = error.status_code, _body(error)
    if status in (401, 403):
        return told(f"refused the key ({status})", "Check the key in the environment or in ai.toml.")
    if status == 404:
        return told(f"is not there (404): {body}", "Check its name and the address (it often ends in /v1).")
    if status == 429:
        return told("has reached its limit of calls (429)", "Wait, or lower the concurrency.", passing=True)
    if status in (408, 409) or status >= 500:
        return told(f"failed on its side ({status}): {body}", "Try again later.", passing=True)
    return told(f"refused the call ({status}): {body}", "Read what it says; a shorter subject may help.")


def _body(error: Any) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message", inner) if isinstance(inner, dict) else inner
    return str(body if body not in (None, "") else getattr(error, "message", error))[:200]


def _caused_by(error: BaseException | None, kind: type[BaseException]) -> bool:
    for _ in range(10):
        if error is None:
            return False
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


def _root(error: BaseException) -> str:
    for _ in range(10):
        inner = error.__cause__ or error.__context__
        if inner is None:
            break
        error = inner
    return (str(error) or type(error).__name__)[:200]
