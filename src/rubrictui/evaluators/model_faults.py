"""What can go wrong with a call of a model, in one line without a key, whatever the server has sent back."""

from __future__ import annotations

from collections.abc import Callable
from json import JSONDecodeError
from typing import Any, Final

from rubrictui.evaluators.config import ResolvedModel, redacted
from rubrictui.evaluators.errors import EvaluatorError

#: No reply is longer, in bytes as they come over the line.
MOST_BYTES: Final = 8_000_000

#: What servers answer to images that they do not take, among other things.
_REFUSALS: Final = frozenset({400, 404, 413, 415, 422})

_TOO_LARGE: Final = f"its reply is longer than {MOST_BYTES // 1_000_000} MB"


class ModelCallError(EvaluatorError):
    """A model that did not answer. ``is_passing`` tells that trying again may help."""

    code = "model_call"

    def __init__(
        self, message: str, *, remedy: str = "", is_passing: bool = False, status: int | None = None
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.is_passing = is_passing
        self.status = status

    @property
    def may_be_images(self) -> bool:
        """Whether a server that takes no images could have meant that."""
        return self.status in _REFUSALS


class TooLargeError(Exception):
    """A reply over the limit; it ends the transfer."""


def explained(error: Exception, model: ResolvedModel) -> ModelCallError | None:
    """What went wrong with a call in words; None for what is no fault of a call."""
    return waited_for(error, model)[0]


def waited_for(error: Exception, model: ResolvedModel) -> tuple[ModelCallError | None, float]:
    """What went wrong in words, and how long the server asks to wait; None for what is no fault of a call."""
    if isinstance(error, ModelCallError):
        return error, 0.0
    if isinstance(error, EvaluatorError):
        return None, 0.0
    from pydantic_ai import exceptions as faults

    who = f'The model "{model.id}"'
    at = f" at {model.shown_url}" if model.shown_url else ""

    status = error.status_code if isinstance(error, faults.ModelHTTPError) else None

    def told(what: str, remedy: str, *, passing: bool = False) -> ModelCallError:
        line = redacted(" ".join(what.split()), [model.key])
        return ModelCallError(
            f"{who}{at} {line.rstrip('.')}.", remedy=remedy, is_passing=passing, status=status
        )

    if _caused_by(error, TooLargeError):
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
    """What the system said of a connection: its own error, as deep as it lies, else what was raised from it.

    Not simply the deepest one: libraries look for a running loop on the way, and fail to find one, before they fail
    for good.
    """
    found, deepest = error, error
    for _ in range(10):
        if isinstance(error, OSError):
            found = error
        elif not isinstance(found, OSError) and error.__cause__ is not None:
            deepest = error.__cause__
        inner = error.__cause__ or error.__context__
        if inner is None:
            break
        error = inner
    said = found if isinstance(found, OSError) else deepest
    return (str(said) or type(said).__name__)[:200]
