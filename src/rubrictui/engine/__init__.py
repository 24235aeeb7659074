"""What a caller can do: draft, publish, score, submit, supersede, compare; one transaction each."""

from rubrictui.engine.engine import Engine
from rubrictui.engine.errors import (
    DraftClosedError,
    DraftConflictError,
    EvaluatorFailedError,
    NameTakenError,
    NoPublishedVersionError,
    NotFoundError,
    NotPermittedError,
    PublishRefusedError,
    StaleDraftError,
    StateError,
    SubmitRefusedError,
    SupersedeRefusedError,
)
from rubrictui.engine.loading import LoadReport

__all__ = [
    "DraftClosedError",
    "DraftConflictError",
    "Engine",
    "EvaluatorFailedError",
    "LoadReport",
    "NameTakenError",
    "NoPublishedVersionError",
    "NotFoundError",
    "NotPermittedError",
    "PublishRefusedError",
    "StaleDraftError",
    "StateError",
    "SubmitRefusedError",
    "SupersedeRefusedError",
]
