"""The errors of playing a matter, beside the family they belong to (``ground/errors.py``)."""

from __future__ import annotations

from rubrictui.ground.errors import InvalidInputError, RubrictuiError

__all__ = ["EpisodeEnded", "GateTimeoutError", "InvalidInputError", "RubrictuiError"]


class EpisodeEnded(RubrictuiError):
    """A step was taken after the final submission or after the last step of the budget."""

    code = "episode_ended"


class GateTimeoutError(RubrictuiError):
    """A pattern ran out of time, so whether it fires is not known.

    Attributes:
        pattern: the pattern as written.
    """

    code = "gate_timeout"

    def __init__(self, pattern: str, seconds: float) -> None:
        super().__init__(
            f"the pattern {pattern!r} ran longer than {seconds:.2g} s, so whether it fires is not known.",
            remedy="Write the pattern so that it cannot backtrack without end.",
        )
        self.pattern = pattern
