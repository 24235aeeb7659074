"""Which models there are and how they are reached: from the environment, or a file in the user's configuration.

Keys live there and nowhere else: never in a store, a log, an error or an export. The file is ``ai.toml`` in the
user's configuration directory, or what ``RUBRICTUI_AI_CONFIG`` names::

    default_model = "judge"
    decision_model = "small"

    [providers.local]
    base_url = "http://localhost:8080/v1"
    api_key_env = "LOCAL_KEY"          # or api_key = "..."
    concurrency = 16

    [models.judge]
    provider = "local"
    name = "big-instruct"
    fallback = ["anthropic:claude-sonnet-4-5"]
    context_characters = 300000
    input_price = 0.4                  # a million tokens
    output_price = 1.6

Without a file the environment is enough: ``RUBRICTUI_AI_MODEL``, ``RUBRICTUI_AI_BASE_URL``, ``RUBRICTUI_AI_KEY``
(else ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``).
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.prompting_subject import DEFAULT_BUDGET

FILE_VARIABLE: Final = "RUBRICTUI_AI_CONFIG"
MODEL_VARIABLE: Final = "RUBRICTUI_AI_MODEL"
DECISION_VARIABLE: Final = "RUBRICTUI_AI_DECISION_MODEL"
URL_VARIABLE: Final = "RUBRICTUI_AI_BASE_URL"
KEY_VARIABLE: Final = "RUBRICTUI_AI_KEY"

#: The provider that a model without one belongs to.
DEFAULT_PROVIDER: Final = "openai"

#: Where keys of providers stand in the environment when the file does not say.
_KEY_VARIABLES: Final = {
    "openai": (KEY_VARIABLE, "OPENAI_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY",),
}


class NoModelError(EvaluatorError):
    """A call was to be made and nothing says with which model, or with which key."""

    code = "no_model"


class Secret:
    """A key. It shows itself only when it is asked to, so that no message and no traceback holds it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for the client that sends it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


class ProviderConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A server of models.

    Attributes:
        kind: ``openai`` for everything that speaks its chat completions, ``anthropic``, or another provider that
            pydantic-ai knows by name.
        base_url: where it is; None is the provider's own address.
        api_key, api_key_env: the key, or the variable that holds it.
        timeout: seconds that one attempt may take.
        retries: how often a call is tried again.
        concurrency: calls at one time.
        stream: ask for the reply in pieces; some servers drop long silent connections.
    """

    kind: str = DEFAULT_PROVIDER
    base_url: str | None = None
    api_key: Secret | None = None
    api_key_env: str | None = None
    timeout: float = 120.0
    retries: int = 4
    concurrency: int = 32
    stream: bool = False


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model under a name of one's own.

    Attributes:
        provider, name: which server, and what the model is called there; the name is the model's own by default.
        fallback: ids of the models that stand in when it fails.
        context_characters: how much of a subject may be sent.
        images: whether it is shown images; None tries, and goes on without them where the server refuses.
        input_price, output_price: of a million tokens, in ``currency``.
        temperature, max_tokens: sent when they are set.
    """

    provider: str = DEFAULT_PROVIDER
    name: str | None = None
    fallback: tuple[str, ...] = ()
    context_characters: int | None = None
    images: bool | None = None
    input_price: float | None = None
    output_price: float | None = None
    currency: str = "USD"
    temperature: float | None = None
    max_tokens: int | None = None


class AIConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of ``ai.toml``."""

    default_model: str | None = None
    decision_model: str | None = None
    providers: dict[str, ProviderConfig] = msgspec.field(default_factory=dict)
    models: dict[str, ModelConfig] = msgspec.field(default_factory=dict)


class ResolvedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model with everything that a call needs. ``id`` is the name it was asked for by."""

    id: str
    name: str
    provider_name: str
    provider: ProviderConfig
    model: ModelConfig
    key: Secret | None

    @property
    def budget(self) -> int:
        """How many characters of a subject may be sent."""
        return self.model.context_characters or DEFAULT_BUDGET

    @property
    def shown_url(self) -> str:
        """The server's address as it may be shown: without a user, a password or a query."""
        return re.sub(r"//[^/@]*@", "//", (self.provider.base_url or "").split("?")[0])


def config_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the configuration is read; nothing is created."""
    named = environment.get(FILE_VARIABLE, "").strip()
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("rubrictui", appauthor=False)) / "ai.toml"


def load_config(path: Path | None = None, environment: Mapping[str, str] = os.environ) -> AIConfig:
    """The configuration, the environment over the file; an empty one without a file.

    Raises:
        InvalidInputError: the file cannot be read or is not what it should be. The message quotes nothing of it.
    """
    where = path or config_path(environment)
    try:
        written = tomllib.loads(where.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if environment.get(FILE_VARIABLE, "").strip() and path is None:
            raise InvalidInputError(
                f"There is no model configuration {where}.", remedy=f"Correct {FILE_VARIABLE}."
            ) from None
        written = {}
    except OSError as error:
        raise InvalidInputError(
            f"The model configuration {where} cannot be read: {error.strerror}.", remedy="Check its rights."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        place = re.search(r"\(at [^)]*\)", str(error))
        raise InvalidInputError(
            f"The model configuration {where} is no TOML {place.group() if place else ''}".rstrip() + ".",
            remedy="Correct it; docs/evaluators.md shows one.",
        ) from None
    try:
        config = msgspec.convert(written, AIConfig, dec_hook=_secret)
    except msgspec.ValidationError as error:
        raise InvalidInputError(
            f"The model configuration {where} is not what it should be: {error}.",
            remedy="Correct it; docs/evaluators.md shows one.",
        ) from None
    _check_numbers(config, where)
    return _with_environment(config, environment)


def resolve(
    config: AIConfig, model_id: str | None, environment: Mapping[str, str] = os.environ
) -> ResolvedModel:
    """The model of an id: a name of the configuration, ``provider:name``, or a name on the default provider.

    Raises:
        NoModelError: no model is chosen anywhere, or its provider needs a key and has none.
    """
    wanted = (model_id or config.default_model or "").strip()
    if not wanted:
        raise NoModelError(
            "No model is chosen.",
            remedy=f"Name one with --model or ModelID, or set {MODEL_VARIABLE} or default_model in ai.toml.",
        )
    own = config.models.get(wanted)
    if own is not None:
        model, provider_name, name = own, own.provider, own.name or wanted
    else:
        model = ModelConfig()
        provider_name, name = _split(config, wanted)
    provider = config.providers.get(provider_name) or ProviderConfig(kind=provider_name)
    key = _key(provider, environment)
    if key is None and provider.kind in _KEY_VARIABLES and provider.base_url is None:
        raise NoModelError(
            f'There is no key for the model "{wanted}".',
            remedy=f"Set {' or '.join(_KEY_VARIABLES[provider.kind])}, or api_key in ai.toml.",
        )
    return ResolvedModel(
        id=wanted, name=name, provider_name=provider_name, provider=provider, model=model, key=key
    )


def redacted(text: str, secrets: Iterable[Secret | None]) -> str:
    """The text without the keys, whoever put them there: some servers send them back in their errors."""
    for secret in secrets:
        if secret is not None and len(secret.reveal()) >= 4:
            text = text.replace(secret.reveal(), "***")
    return text


def _with_environment(config: AIConfig, environment: Mapping[str, str]) -> AIConfig:
    default = config.providers.get(DEFAULT_PROVIDER)
    url = environment.get(URL_VARIABLE, "").strip()
    if not url and (default is None or default.base_url is None):
        url = environment.get("OPENAI_BASE_URL", "").strip()
    providers = dict(config.providers)
    if url:
        providers[DEFAULT_PROVIDER] = msgspec.structs.replace(default or ProviderConfig(), base_url=url)
    return msgspec.structs.replace(
        config,
        providers=providers,
        default_model=environment.get(MODEL_VARIABLE, "").strip() or config.default_model,
        decision_model=environment.get(DECISION_VARIABLE, "").strip() or config.decision_model,
    )


def _key(provider: ProviderConfig, environment: Mapping[str, str]) -> Secret | None:
    if provider.api_key is not None:
        return provider.api_key
    names = (provider.api_key_env,) if provider.api_key_env else _KEY_VARIABLES.get(provider.kind, ())
    return next((Secret(value) for name in names if (value := environment.get(name, "").strip())), None)


def _split(config: AIConfig, wanted: str) -> tuple[str, str]:
    """Provider and name. What stands before a colon is a provider only when there is one of that name."""
    before, colon, after = wanted.partition(":")
    if colon and after and (before in config.providers or before in _KEY_VARIABLES or _is_known(before)):
        return before, after
    return DEFAULT_PROVIDER, wanted


def _is_known(provider: str) -> bool:
    try:
        from pydantic_ai.providers import infer_provider_class

        infer_provider_class(provider)
    except ImportError:
        # It is a provider, and its package is not installed; or the extra is not, which the call will say.
        return True
    except ValueError:
        return False
    return True


def _check_numbers(config: AIConfig, where: Path) -> None:
    for name, provider in config.providers.items():
        if not (
            0 < provider.timeout <= 86_400
            and 0 <= provider.retries <= 20
            and 1 <= provider.concurrency <= 1000
        ):
            raise InvalidInputError(
                f'The provider "{name}" in {where} has a number out of range.',
                remedy="timeout is above 0, retries 0 to 20, concurrency 1 to 1000.",
            )


def _secret(kind: type, value: Any) -> Any:
    if kind is Secret and isinstance(value, str):
        return Secret(value)
    raise ValueError("it is no text")
