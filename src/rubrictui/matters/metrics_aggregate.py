"""Means over episodes, with bootstrap intervals.

The interval is the percentile bootstrap: episodes are drawn with replacement, as many as there are, the mean
is taken, and the outer 2.5% of such means are cut off on each side. All measures use the same draws. The seed
and the number of draws are part of the result, so that it can be made again.
"""

from __future__ import annotations

from collections.abc import Sequence

from rubrictui.matters.metrics import MEASURES, EpisodeRow, measures
from rubrictui.matters.model import Value

RESAMPLES = 2_000
CONFIDENCE = 0.95
# Draws are made in parts of about this many numbers, however many episodes there are.
_CHUNK = 4_000_000


class Measure(Value, frozen=True):
    """A mean with its interval; ``low`` and ``high`` are None below two episodes."""

    name: str
    mean: float
    low: float | None
    high: float | None


class Aggregate(Value, frozen=True):
    """Means over episodes, and how their intervals were made."""

    episodes: int
    confidence: float
    resamples: int
    seed: int
    measures: tuple[Measure, ...]


def aggregate(episodes: Sequence[EpisodeRow], *, seed: int = 0, resamples: int = RESAMPLES) -> Aggregate:
    """Average every measure over episodes; no episodes give no measures.

    Args:
        seed: of the draws; the same seed gives the same intervals.
        resamples: how many draws.
    """
    found: list[Measure] = []
    if episodes:
        rows = [list(measures(episode).values()) for episode in episodes]
        lows, highs = _intervals(rows, seed, resamples)
        for column, name in enumerate(MEASURES):
            mean = sum(row[column] for row in rows) / len(rows)
            found.append(Measure(name=name, mean=mean, low=lows[column], high=highs[column]))
    return Aggregate(
        episodes=len(episodes), confidence=CONFIDENCE, resamples=resamples, seed=seed, measures=tuple(found)
    )


def _intervals(
    rows: list[list[float]], seed: int, resamples: int
) -> tuple[list[float | None], list[float | None]]:
    """The ends of the interval of every column."""
    count, width = len(rows), len(rows[0])
    if count < 2:
        return [None] * width, [None] * width
    import numpy as np

    values = np.asarray(rows, dtype=float)
    draws = np.random.default_rng(seed)
    part = max(1, _CHUNK // count)
    means = np.concatenate(
        [
            # How often each episode is drawn, times its values: the mean of every draw in one product.
            draws.multinomial(count, [1 / count] * count, size=min(part, resamples - begin)) @ values / count
            for begin in range(0, resamples, part)
        ]
    )
    edge = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, [edge, 1 - edge], axis=0)
    return [float(value) for value in low], [float(value) for value in high]
