"""Plots as SVG text: one self-contained element that stands in a page or a file of its own.

Every text in it is escaped, and nothing is loaded from elsewhere. Sizes are in pixels of the view box; the
picture scales with its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rubrictui.core.display import visible
from rubrictui.core.plots import BlandAltman, DotPlot, Histogram, Plot, frame_of, reach_of

WIDTH = 640
_ROW = 24
_TOP = 44
_LABELS = 170
_FIGURES = 110
_INK, _SOFT, _MARK = "#222222", "#8a8a8a", "#1f5f99"


def plot_svg(plot: Plot, width: int = WIDTH) -> str:
    """The plot as one ``<svg>`` element, ``width`` pixels wide (at least 360)."""
    width = max(360, width)
    if isinstance(plot, Histogram):
        return _histogram(plot, width)
    if isinstance(plot, DotPlot):
        return _dots(plot, width)
    return _bland_altman(plot, width)


def _svg(title: str, about: str, width: int, height: int, parts: Iterator[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="13" fill="{_INK}">\n'
        f"<title>{_safe(title)}</title>\n<desc>{_safe(about)}</desc>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        f"{_text(12, 24, title, size=15, width=width - 24)}\n{body}\n</svg>\n"
    )


def _histogram(plot: Histogram, width: int) -> str:
    most = max((bar.count for bar in plot.bars), default=0) or 1
    room = width - _LABELS - _FIGURES

    def parts() -> Iterator[str]:
        for place, bar in enumerate(plot.bars):
            y = _TOP + place * _ROW
            length = room * bar.count / most
            share = f"{100 * bar.count / plot.total:.0f}%" if plot.total else "0%"
            yield _text(_LABELS - 8, y + 16, bar.label, anchor="end", width=_LABELS - 16)
            yield f'<rect x="{_LABELS}" y="{y + 3}" width="{length:.1f}" height="{_ROW - 6}" fill="{_MARK}"/>'
            yield _text(_LABELS + length + 8, y + 16, f"{bar.count} ({share})")
        bottom = _TOP + len(plot.bars) * _ROW
        yield _line(_LABELS, _TOP, _LABELS, bottom)

    about = "; ".join(f"{bar.label}: {bar.count}" for bar in plot.bars)
    title = f"{plot.title} ({plot.total} ratings)"
    return _svg(title, about, width, _TOP + len(plot.bars) * _ROW + 14, parts())


def _dots(plot: DotPlot, width: int) -> str:
    reach = reach_of(plot)
    room = width - _LABELS - _FIGURES - 20
    middle = _LABELS + room / 2
    bottom = _TOP + len(plot.dots) * _ROW

    def x(value: float) -> float:
        return middle + value / reach * room / 2

    def parts() -> Iterator[str]:
        yield _line(middle, _TOP - 4, middle, bottom + 4, colour=_SOFT, dashed=True)
        for place, dot in enumerate(plot.dots):
            y = _TOP + place * _ROW + _ROW / 2
            yield _text(_LABELS - 14, y + 4, dot.label, anchor="end", width=_LABELS - 22)
            if dot.low is not None and dot.high is not None:
                yield _line(x(dot.low), y, x(dot.high), y, thick=2)
            if dot.value is not None:
                yield f'<circle cx="{x(dot.value):.1f}" cy="{y:.1f}" r="5" fill="{_MARK}"/>'
            value = "withheld" if dot.value is None else f"{dot.value:+.3f}"
            yield _text(width - 12, y + 4, f"{value}, n = {dot.sample_size}", anchor="end")
        yield _line(_LABELS, bottom + 8, _LABELS + room, bottom + 8)
        for end, anchor in ((-reach, "start"), (0.0, "middle"), (reach, "end")):
            yield _text(x(end), bottom + 26, f"{end:+.2f}" if end else "0", anchor=anchor)
        yield _text(_LABELS, bottom + 44, "← stricter", colour=_SOFT)
        yield _text(_LABELS + room, bottom + 44, "more lenient →", anchor="end", colour=_SOFT)

    about = "; ".join(
        f"{dot.label}: {'withheld' if dot.value is None else f'{dot.value:+.3f}'}" for dot in plot.dots
    )
    return _svg(plot.title, about, width, bottom + 56, parts())


def _bland_altman(plot: BlandAltman, width: int) -> str:
    height = 400
    left, right, bottom, top = frame_of(plot)
    x0, x1, y0, y1 = 70, width - 150, height - 56, _TOP

    def x(value: float) -> float:
        return x0 + (value - left) / (right - left) * (x1 - x0)

    def y(value: float) -> float:
        return y0 - (value - bottom) / (top - bottom) * (y0 - y1)

    def parts() -> Iterator[str]:
        yield _line(x0, y0, x1, y0)
        yield _line(x0, y0, x0, y1)
        for value in (left, right):
            yield _text(x(value), y0 + 18, f"{value:.3g}", anchor="middle")
        yield _text((x0 + x1) / 2, y0 + 36, "mean of both", anchor="middle")
        yield _text(x0 - 8, y(0.0) + 4, "0", anchor="end")
        yield _text(x0, y1 - 4, "difference")
        for value_or_none, name in (
            (plot.upper, "upper limit"),
            (plot.bias, "bias"),
            (plot.lower, "lower limit"),
        ):
            if value_or_none is not None:
                place = y(value_or_none)
                yield _line(x0, place, x1, place, colour=_SOFT, dashed=name != "bias")
                yield _text(x1 + 8, place + 4, f"{name} {value_or_none:+.3g}")
        for point in plot.points:
            radius = min(12.0, 3.5 * point.count**0.5)
            yield (
                f'<circle cx="{x(point.mean):.1f}" cy="{y(point.difference):.1f}" r="{radius:.1f}" '
                f'fill="{_MARK}" fill-opacity="0.6"/>'
            )

    title = f"{plot.title}: {plot.second} minus {plot.first}"
    about = f"{plot.sample_size} subjects"
    if plot.bias is not None:
        about += f"; bias {plot.bias:+.3g}"
    if plot.lower is not None:
        about += f"; limits of agreement {plot.lower:+.3g} to {plot.upper:+.3g}"
    return _svg(title, about, width, height, parts())


def _line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    *,
    colour: str = _INK,
    thick: float = 1,
    dashed: bool = False,
) -> str:
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{thick:g}"{dash}/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    colour: str = _INK,
    size: int = 13,
    width: float | None = None,
) -> str:
    """A text, cut to about ``width`` pixels: a letter takes a little over half its size."""
    letters = None if width is None else max(4, int(width / (size * 0.56)))
    shown = text if letters is None or len(text) <= letters else text[: letters - 1].rstrip() + "…"
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">'
        f"{_safe(shown)}</text>"
    )


def _safe(text: str) -> str:
    """Text for XML: markup escaped, controls (which XML forbids) made visible."""
    return escape(visible(text, newlines=False).replace("\t", " "), quote=True)
