"""95% percentile intervals by drawing subjects again, for many coefficients at once.

A coefficient is written as sums over subjects and a formula over those sums. A resample is then how often each
subject is drawn, and all sums of all coefficients under many resamples are one matrix product. The same
formula on the plain sums gives the coefficient itself, so that a value and its interval cannot drift apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rubrictui.core.errors import InvalidInputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CONFIDENCE: Final = 0.95
DEFAULT_RESAMPLES: Final = 1000

#: Resamples made at once, and between two calls of ``progress``.
_CHUNK: Final = 100

#: An interval needs the coefficient to be defined in this share of the resamples.
_DEFINED: Final = 0.9


@dataclass(frozen=True, slots=True)
class Sums:
    """A coefficient over sums.

    Attributes:
        features: subjects x features: what each subject adds to each sum.
        formula: sums (draws x features) to one value a draw, NaN where the coefficient is undefined.
    """

    features: Floats
    formula: Callable[[Floats], Floats]

    def value(self) -> float | None:
        return _plain(self.formula(self.features.sum(axis=0, keepdims=True)))


@dataclass(frozen=True, slots=True)
class Weighted:
    """A coefficient over how often each subject counts (draws x subjects), where sums do not suffice."""

    subjects: int
    formula: Callable[[Floats], Floats]

    def value(self) -> float | None:
        import numpy as np

        return _plain(self.formula(np.ones((1, self.subjects))))


Coefficient = Sums | Weighted


class Interval(tuple[float, float]):
    """The low and the high end."""

    __slots__ = ()


class Cancelled(Exception):
    """The caller asked to stop; whoever draws the intervals catches this."""


def intervals(
    coefficients: Mapping[str, Coefficient],
    subjects: int,
    *,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> dict[str, Interval | None]:
    """The 2.5% and the 97.5% point of every coefficient over resamples of the subjects, drawn with replacement.

    Args:
        coefficients: each over the same ``subjects``; all share the draws.
        seed: of the draws, 0 or more; the same seed gives the same intervals.
        progress: called with how many more resamples are done.
        cancelled: asked between parts; True ends the work.

    Returns:
        None for a coefficient that is undefined in more than a tenth of the resamples.

    Raises:
        InvalidInputError: a negative seed or number of resamples.
        Cancelled: ``cancelled`` said so.
    """
    import numpy as np

    check_draws(resamples, seed)
    if not coefficients or not subjects or not resamples:
        return dict.fromkeys(coefficients)
    # Coefficients over the very same features share one product.
    arrays = {id(one.features): one.features for one in coefficients.values() if isinstance(one, Sums)}
    ends = np.cumsum([array.shape[1] for array in arrays.values()], dtype=int).tolist()
    places = {key: slice(end - arrays[key].shape[1], end) for key, end in zip(arrays, ends, strict=True)}
    features = np.hstack(list(arrays.values())) if arrays else np.empty((subjects, 0))
    found: dict[str, list[Floats]] = {name: [] for name in coefficients}
    with _one_thread():
        for weights in draws(subjects, resamples, seed):
            if cancelled is not None and cancelled():
                raise Cancelled
            drawn = weights @ features
            for name, one in coefficients.items():
                given = drawn[:, places[id(one.features)]] if isinstance(one, Sums) else weights
                found[name].append(one.formula(given))
            if progress is not None:
                progress(len(weights))
    return {name: _interval(np.concatenate(parts)) for name, parts in found.items()}


def _one_thread() -> AbstractContextManager[object]:
    """Products on one thread: they are small, and on a busy machine the others only wait, at full load."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(limits=1, user_api="blas")
    return limits


def check_draws(resamples: int, seed: int) -> None:
    """Refuse a number of resamples or a seed that cannot be drawn with.

    Raises:
        InvalidInputError: one of them is negative, or more than a million resamples are asked for.
    """
    if not 0 <= resamples <= 1_000_000:
        raise InvalidInputError(
            f"{resamples} resamples cannot be drawn.", remedy="Use 0 (no intervals) to 1000000."
        )
    if seed < 0:
        raise InvalidInputError(f"The seed {seed} is below 0.", remedy="Use 0 or more.")


def draws(subjects: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each subject is drawn: parts of the resamples, each draws x subjects."""
    import numpy as np

    rng = np.random.default_rng(seed)
    for begin in range(0, resamples, _CHUNK):
        count = min(_CHUNK, resamples - begin)
        chosen = rng.integers(0, subjects, size=(count, subjects))
        chosen += np.arange(count)[:, np.newaxis] * subjects
        yield np.bincount(chosen.ravel(), minlength=count * subjects).reshape(count, subjects).astype(float)


def _interval(values: Floats) -> Interval | None:
    import numpy as np

    defined = values[np.isfinite(values)]
    if len(defined) < _DEFINED * len(values) or not len(defined):
        return None
    edge = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, [edge, 1 - edge])
    return Interval((float(low), float(high)))


def _plain(values: Floats) -> float | None:
    value = float(values[0])
    return value if math.isfinite(value) else None
