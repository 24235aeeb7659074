from __future__ import annotations

import sys
import warnings

import pytest

from rubrictui.core.plots import Bar, BlandAltman, Dot, DotPlot, Histogram, Plot, Point
from rubrictui.interchange.plots_png import PlotsMissingError, plot_png

PLOTS: list[Plot] = [
    Histogram(title="Cost in $ and $", bars=(Bar(label="$low", count=3), Bar(label="高い", count=0))),
    Histogram(title="none", bars=()),
    DotPlot(title="Severity", dots=(Dot(label="Ann", value=-0.1, low=-0.2, high=0.0, sample_size=20),)),
    DotPlot(title="Severity", dots=(Dot(label="Ann", value=None, low=None, high=None, sample_size=2),)),
    BlandAltman(
        title="Overall score",
        first="Ann",
        second="Ben",
        points=(Point(mean=0.5, difference=0.25, count=3),),
        sample_size=3,
        bias=0.25,
        lower=0.25,
        upper=0.25,
    ),
    BlandAltman(
        title="x", first="a", second="b", points=(), sample_size=0, bias=None, lower=None, upper=None
    ),
]


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: type(plot).__name__)
def test_a_plot_becomes_a_png_without_a_warning(plot: Plot) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = plot_png(plot)
    assert picture.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(picture[16:20], "big") == 1280


def test_without_the_library_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(PlotsMissingError, match=r"Install rubrictui\[plots\], or write an \.svg"):
        plot_png(PLOTS[0])
