"""What the plots of a panel show, as values: drawn as text (``plots_text``), as SVG (``plots_svg``), as PNG
(``interchange.plots_png``). Each says in its own fields whatever a reader of the picture would need.
"""

from __future__ import annotations

import math
from typing import Final

from rubrictui.core.agreement_report import AgreementReport, CriterionAgreement
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Value
from rubrictui.core.ratings import (
    CriterionRatings,
    RatingsTable,
    category_indexes,
    overall_scores,
    rating_array,
)

#: Scales with more categories than this are drawn in ranges.
MOST_BARS: Final = 20
BINS: Final = 10


class Bar(Value, frozen=True, kw_only=True):
    label: str
    count: int


class Histogram(Value, frozen=True, kw_only=True):
    """How often each category, or each range of numbers, was given; lowest first."""

    title: str
    bars: tuple[Bar, ...]

    @property
    def total(self) -> int:
        return sum(bar.count for bar in self.bars)


class Point(Value, frozen=True, kw_only=True):
    """One subject: the mean of two ratings, the second minus the first, and how many subjects lie there."""

    mean: float
    difference: float
    count: int = 1


class BlandAltman(Value, frozen=True, kw_only=True):
    """Two evaluators beside each other (J. M. Bland, D. G. Altman, 1986).

    ``bias`` is the mean difference; ``lower`` and ``upper`` are the limits of agreement, 1.96 standard
    deviations (sample) around it. All are None without a subject in common, the limits below two.
    """

    title: str
    first: str
    second: str
    points: tuple[Point, ...]
    sample_size: int
    bias: float | None
    lower: float | None
    upper: float | None


class Dot(Value, frozen=True, kw_only=True):
    """One evaluator; ``value`` None: withheld."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    sample_size: int


class DotPlot(Value, frozen=True, kw_only=True):
    """Evaluators by severity, the strictest first. Below 0 is stricter."""

    title: str
    dots: tuple[Dot, ...]


Plot = Histogram | BlandAltman | DotPlot


def histogram(criterion: CriterionRatings, *, bins: int = BINS) -> Histogram:
    """The ratings of one criterion by all evaluators; continuous scales in equal ranges from end to end.

    Raises:
        InvalidInputError: fewer than one range.
    """
    import numpy as np

    columns = max(map(len, criterion.ratings), default=0)
    ratings = rating_array(criterion.ratings, columns)
    indexes = category_indexes(criterion, ratings)
    title = criterion.name or criterion.key
    labels = criterion.scale.category_labels
    if indexes is not None and len(labels) <= MOST_BARS:
        counts = np.bincount(indexes[~np.isnan(indexes)].astype(int), minlength=len(labels))
        return _bars(title, labels, counts.tolist())
    return _binned(title, ratings[~np.isnan(ratings)].tolist(), criterion, bins)


def overall_histogram(table: RatingsTable, *, bins: int = BINS) -> Histogram:
    """The overall scores (0..1) of a table, in equal ranges."""
    import numpy as np

    found = overall_scores(table)
    return _binned("Overall score", found[~np.isnan(found)].tolist(), None, bins)


def _binned(title: str, values: list[float], criterion: CriterionRatings | None, bins: int) -> Histogram:
    import numpy as np

    if bins < 1:
        raise InvalidInputError(f"A histogram has 1 range or more, not {bins}.")
    low: float | None = 0.0
    high: float | None = 1.0
    if criterion is not None:
        low, high = criterion.scale.minimum, criterion.scale.maximum
    low = min(values, default=0.0) if low is None else low
    high = max(values, default=1.0) if high is None else high
    if high <= low:
        return _bars(title, (f"{low:g}",), [len(values)])
    counts, edges = np.histogram(values, bins=bins, range=(low, high))
    labels = tuple(
        f"{start:.4g} to {end:.4g}"
        for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    )
    return _bars(title, labels, counts.tolist())


def _bars(title: str, labels: tuple[str, ...], counts: list[int]) -> Histogram:
    return Histogram(
        title=title,
        bars=tuple(Bar(label=label, count=count) for label, count in zip(labels, counts, strict=True)),
    )


def bland_altman(
    table: RatingsTable, first: int, second: int, criterion: CriterionRatings | None = None
) -> BlandAltman:
    """Two evaluators by their columns, on one criterion (in its unit) or on the overall scores (0..1).

    Raises:
        InvalidInputError: one evaluator twice.
    """
    import numpy as np

    if first == second:
        raise InvalidInputError(
            f'"{table.evaluators[first].name}" cannot be compared with themselves.',
            remedy="Give two evaluators.",
        )
    ratings = (
        overall_scores(table) if criterion is None else rating_array(criterion.ratings, len(table.evaluators))
    )
    pairs = ratings[:, [first, second]]
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    differences = pairs[:, 1] - pairs[:, 0]
    where = np.round(np.column_stack([pairs.mean(axis=1), differences]), 9)
    places, counts = np.unique(where, axis=0, return_counts=True)
    bias = float(differences.mean()) if len(pairs) else None
    reach = 1.96 * float(differences.std(ddof=1)) if len(pairs) >= 2 else None
    return BlandAltman(
        title="Overall score" if criterion is None else criterion.name or criterion.key,
        first=table.evaluators[first].name,
        second=table.evaluators[second].name,
        points=tuple(
            Point(mean=mean, difference=difference, count=count)
            for (mean, difference), count in zip(places.tolist(), counts.tolist(), strict=True)
        ),
        sample_size=len(pairs),
        bias=bias,
        lower=None if bias is None or reach is None else bias - reach,
        upper=None if bias is None or reach is None else bias + reach,
    )


def severity_plot(report: AgreementReport, row: CriterionAgreement | None = None) -> DotPlot:
    """The evaluators of a report, overall or on one criterion."""
    chosen = row or report.overall
    dots = [
        Dot(
            label=one.evaluator,
            value=one.deviation.value,
            low=one.deviation.low,
            high=one.deviation.high,
            sample_size=one.sample_size,
        )
        for one in chosen.severity
    ]
    dots.sort(key=lambda dot: (math.inf if dot.value is None else dot.value, dot.label))
    return DotPlot(title=f"Severity: {chosen.name}", dots=tuple(dots))


def reach_of(plot: DotPlot) -> float:
    """How far from 0 the axis of a dot plot goes: to the furthest interval, at least 0.05."""
    ends = [abs(end) for dot in plot.dots for end in (dot.value, dot.low, dot.high) if end is not None]
    return max([0.05, *ends])


def frame_of(plot: BlandAltman) -> tuple[float, float, float, float]:
    """The axes of a Bland-Altman plot: lowest and highest mean, lowest and highest difference, never a point."""
    means = [point.mean for point in plot.points] or [0.0, 1.0]
    heights = [point.difference for point in plot.points]
    heights += [line for line in (plot.lower, plot.bias, plot.upper) if line is not None]
    return (*_widened(min(means), max(means)), *_widened(min([0.0, *heights]), max([0.0, *heights])))


def _widened(low: float, high: float) -> tuple[float, float]:
    room = (high - low) * 0.05 or max(abs(low), 1.0) * 0.05
    return low - room, high + room
