"""Plots as plain text with block glyphs, in the width given. No colour carries meaning."""

from __future__ import annotations

from collections.abc import Sequence

from rubrictui.core.display import visible
from rubrictui.core.plots import BlandAltman, DotPlot, Histogram, Plot, frame_of, reach_of

_EIGHTHS = " ▏▎▍▌▋▊▉"
NARROWEST = 40
HEIGHT = 15


def plot_text(plot: Plot, width: int = 72, height: int = HEIGHT) -> list[str]:
    """The lines of a plot, none wider than ``width`` cells (at least 40).

    Args:
        height: rows of the area of a Bland-Altman plot, at least 5; the others are as high as they need.
    """
    width, height = max(NARROWEST, width), max(5, height)
    if isinstance(plot, Histogram):
        lines = _histogram(plot, width)
    elif isinstance(plot, DotPlot):
        lines = _dots(plot, width)
    else:
        lines = _bland_altman(plot, width, height)
    return [line.rstrip() for line in lines]


def _histogram(plot: Histogram, width: int) -> list[str]:
    lines = [_fit(f"{plot.title} ({plot.total} ratings)", width)]
    most = max((bar.count for bar in plot.bars), default=0)
    names = _column([bar.label for bar in plot.bars], width // 3)
    figures = [f"{bar.count} {_percent(bar.count, plot.total)}" for bar in plot.bars]
    figure_width = max(map(len, figures), default=0)
    room = width - len(" │ ") - figure_width - (_cells(names[0]) if names else 0)
    for name, bar, figure in zip(names, plot.bars, figures, strict=True):
        lines.append(f"{name} │{_block(bar.count, most, room)} {figure:>{figure_width}}")
    return lines


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.0f}%".rjust(4) if total else "  0%"


def _block(count: int, most: int, room: int) -> str:
    eighths = round(8 * room * count / most) if most else 0
    # What was given is never drawn as nothing.
    eighths = max(eighths, 1) if count else 0
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(room)[:room]


def _dots(plot: DotPlot, width: int) -> list[str]:
    lines = [_fit(plot.title, width)]
    if not plot.dots:
        return [*lines, "no evaluators"]
    reach = reach_of(plot)
    names = _column([dot.label for dot in plot.dots], width // 3)
    figures = [
        ("withheld" if dot.value is None else f"{dot.value:+.3f}") + f" n={dot.sample_size}"
        for dot in plot.dots
    ]
    figure_width = max(map(len, figures))
    room = max(9, width - _cells(names[0]) - figure_width - 2)
    middle = room // 2

    def place(value: float) -> int:
        return min(room - 1, max(0, middle + round(value / reach * (room - 1 - middle))))

    for name, dot, figure in zip(names, plot.dots, figures, strict=True):
        cells = [" "] * room
        cells[middle] = "│"
        if dot.low is not None and dot.high is not None:
            start, end = place(dot.low), place(dot.high)
            cells[start : end + 1] = "─" * (end + 1 - start)
            cells[start], cells[end] = "├", "┤"
        if dot.value is not None:
            cells[place(dot.value)] = "●"
        lines.append(f"{name} {''.join(cells)} {figure:>{figure_width}}")
    pad = " " * (_cells(names[0]) + 1)
    left, right = f"{-reach:+.2f}", f"{reach:+.2f}"
    axis = left + "0".rjust(middle + 1 - len(left)).ljust(room - len(left) - len(right)) + right
    return [*lines, pad + axis, _fit(pad + "stricter ◂  ▸ more lenient", width)]


def _bland_altman(plot: BlandAltman, width: int, height: int) -> list[str]:
    lines = [_fit(f"{plot.title}: {plot.second} minus {plot.first}, {plot.sample_size} subjects", width)]
    if plot.bias is None:
        return [*lines, "no subject in common"]
    left, right, bottom, top = frame_of(plot)
    margin = 9
    room = width - margin - 1
    grid = [[" "] * room for _ in range(height)]

    def row(value: float) -> int:
        return min(height - 1, max(0, round((top - value) / (top - bottom) * (height - 1))))

    labels: dict[int, str] = {row(0.0): "0"}
    for line, glyph in ((plot.lower, "╌"), (plot.upper, "╌"), (plot.bias, "─")):
        if line is not None:
            grid[row(line)] = [glyph] * room
            labels[row(line)] = f"{line:+.3g}"
    counts: dict[tuple[int, int], int] = {}
    for point in plot.points:
        column = round((point.mean - left) / (right - left) * (room - 1))
        spot = (row(point.difference), min(room - 1, max(0, column)))
        counts[spot] = counts.get(spot, 0) + point.count
    for (line_number, column), count in counts.items():
        grid[line_number][column] = "●" if count == 1 else str(count) if count < 10 else "█"
    for number, cells in enumerate(grid):
        lines.append(f"{labels.get(number, ''):>{margin - 1}} ┤{''.join(cells)}")
    start, end = f"{left:.3g}", f"{right:.3g}"
    lines.append(
        " " * margin + "└" + start + " mean of both ".center(room - len(start) - len(end), "─") + end
    )
    limits = "" if plot.lower is None else f", limits of agreement {plot.lower:+.3g} to {plot.upper:+.3g}"
    return [*lines, _fit(f"bias {plot.bias:+.3g}{limits}", width)]


def _column(texts: Sequence[str], limit: int) -> list[str]:
    """Labels of one width, cut where they are longer."""
    shown = [visible(text, newlines=False).replace("\t", " ") for text in texts]
    size = min(limit, max(map(_cells, shown), default=0))
    return [_fit(text, size) + " " * (size - _cells(_fit(text, size))) for text in shown]


def _fit(text: str, width: int) -> str:
    # Rich is imported where it is used: whoever only computes does not pay for it.
    from rich.cells import set_cell_size

    shown = visible(text, newlines=False).replace("\t", " ")
    return shown if _cells(shown) <= width else set_cell_size(shown, width - 1).rstrip() + "…"


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
