"""Plots as PNG, drawn by matplotlib (the extra ``plots``), which brings its own fonts and needs no display."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from rubrictui.core.display import visible
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.plots import BlandAltman, DotPlot, Histogram, Plot, frame_of, reach_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PlotsMissingError(RubrictuiError):
    """PNG was asked for without the library that draws it."""

    code = "plots_missing"


_MARK = "#1f5f99"


def plot_png(plot: Plot) -> bytes:
    """The plot as a PNG file, 1280 pixels wide.

    Raises:
        PlotsMissingError: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise PlotsMissingError(
            "PNG needs matplotlib, which is not installed.",
            remedy="Install rubrictui[plots], or write an .svg.",
        ) from None
    rows = (
        len(plot.bars) if isinstance(plot, Histogram) else len(plot.dots) if isinstance(plot, DotPlot) else 12
    )
    figure = Figure(figsize=(6.4, max(2.2, min(40.0, 1.2 + 0.26 * rows))), dpi=200, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    if isinstance(plot, Histogram):
        _histogram(plot, axes)
    elif isinstance(plot, DotPlot):
        _dots(plot, axes)
    else:
        _bland_altman(plot, axes)
    out = io.BytesIO()
    with warnings.catch_warnings():
        # A script its fonts lack is drawn as boxes; a warning a letter tells nobody more.
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        figure.savefig(out, format="png")
    return out.getvalue()


def _plain(text: str) -> str:
    """Text as it is: matplotlib would set what stands between dollar signs as a formula."""
    return visible(text, newlines=False).replace("$", r"\$")


def _rows(axes: Axes, labels: list[str]) -> None:
    axes.set_yticks(range(len(labels)), [_plain(label[:40]) for label in labels])
    axes.invert_yaxis()


def _histogram(plot: Histogram, axes: Axes) -> None:
    counts = [bar.count for bar in plot.bars]
    drawn: Any = axes.barh(range(len(counts)), counts, color=_MARK)
    axes.bar_label(drawn, padding=3)
    _rows(axes, [bar.label for bar in plot.bars])
    axes.set_title(_plain(f"{plot.title} ({plot.total} ratings)"), fontsize=10)


def _dots(plot: DotPlot, axes: Axes) -> None:
    reach = reach_of(plot) * 1.05
    for place, dot in enumerate(plot.dots):
        if dot.low is not None and dot.high is not None:
            axes.plot([dot.low, dot.high], [place, place], color=_MARK, linewidth=1.5)
        if dot.value is not None:
            axes.plot([dot.value], [place], marker="o", color=_MARK)
    axes.axvline(0, color="#8a8a8a", linestyle="--", linewidth=1)
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("stricter < 0 < more lenient")
    _rows(axes, [f"{dot.label} (n = {dot.sample_size})" for dot in plot.dots])
    axes.set_title(_plain(plot.title), fontsize=10)


def _bland_altman(plot: BlandAltman, axes: Axes) -> None:
    axes.scatter(
        [point.mean for point in plot.points],
        [point.difference for point in plot.points],
        s=[min(300, 18 * point.count) for point in plot.points],
        color=_MARK,
        alpha=0.6,
    )
    for value, name in ((plot.upper, "upper limit"), (plot.bias, "bias"), (plot.lower, "lower limit")):
        if value is not None:
            axes.axhline(value, color="#8a8a8a", linestyle="-" if name == "bias" else "--", linewidth=1)
            axes.annotate(
                f"{name} {value:+.3g}",
                (1.0, value),
                xycoords=("axes fraction", "data"),
                xytext=(4, -3),
                textcoords="offset points",
                fontsize=8,
            )
    left, right, bottom, top = frame_of(plot)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_xlabel("mean of both")
    axes.set_ylabel("difference")
    axes.set_title(_plain(f"{plot.title}: {plot.second} minus {plot.first}"), fontsize=10)
