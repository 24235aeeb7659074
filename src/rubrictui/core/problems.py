"""How a problem of a draft is told, and what the checks that find problems share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal

from rubrictui.core.model import Value
from rubrictui.core.rounding import round6

Severity = Literal["error", "warning"]

#: A key has at most this many characters (guide section 2, "Keys are permanent").
MAXIMUM_KEY_LENGTH: Final = 100


class Problem(Value, frozen=True, kw_only=True):
    """One thing about a draft: an error blocks publish, a warning does not.

    ``node_id`` and ``key`` name the node it is about, ``band_id`` the band; all None for the version.
    A problem of a scale stands at the first node that is answered on it.
    """

    code: str
    severity: Severity
    message: str
    remedy: str = ""
    node_id: str | None = None
    key: str | None = None
    band_id: str | None = None

    @property
    def blocks(self) -> bool:
        return self.severity == "error"


def rounded(score: float) -> float:
    """A score as comparisons see it; what is no number stays as it is."""
    return round6(score) if math.isfinite(score) else score


def is_share(value: float) -> bool:
    return 0 <= value <= 1


def repeated(words: Iterable[str]) -> list[str]:
    return [word for word, count in Counter(words).items() if word and count > 1]
