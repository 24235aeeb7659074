"""Bands drawn to scale over the score, 0 on the left and 1 on the right. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from rubrictui.core.model import Band
from rubrictui.widgets.text import one_line

Piece = tuple[str, str]
"""Text and its tone: "", "muted", "success", "warning", "error" or "accent"."""

TONES = {"success": "success", "warning": "warning", "danger": "error", "info": "accent", "neutral": ""}
GAP = "·"


def tone_of(band: Band) -> str:
    """The tone a band is drawn in; one that is not known is drawn plainly."""
    return TONES.get((band.display_tone or "").casefold(), "")


def band_at(bands: Sequence[Band], score: float) -> Band | None:
    """The band drawn at ``score``: by lower end, then upper end; only a band that ends at 1 holds 1."""
    for band in sorted(bands, key=lambda b: (b.min_score, b.max_score)):
        if band.min_score <= score < band.max_score or (score >= 1 and band.max_score >= 1):
            return band
    return None


def ruler(bands: Sequence[Band], threshold: float | None, width: int) -> list[list[Piece]]:
    """The ruler as lines of pieces: numbers, the bands with their labels, and where it passes.

    Args:
        bands: in any order; what none of them covers is drawn as dots.
        threshold: the pass threshold, 0..1, or None.
        width: cells; at least 20 are used.
    """
    width = max(20, width)
    lines: list[list[Piece]] = [[(_numbers(width), "muted")]]
    if bands:
        lines.append(_bar(bands, width))
    if threshold is not None:
        lines.append([(_pointer(threshold, width), "accent")])
    return lines


def _cell(score: float, width: int) -> int:
    return round(min(max(score, 0.0), 1.0) * (width - 1))


def _numbers(width: int) -> str:
    line = [" "] * width
    step = 1 if width >= 55 else (2 if width >= 28 else 5)
    for tenth in range(0, 11, step):
        text = f"{tenth / 10:g}" if tenth in {0, 10} else f".{tenth}"
        start = min(max(0, _cell(tenth / 10, width) - (len(text) - 1) // 2), width - len(text))
        line[start : start + len(text)] = text
    return "".join(line)


def _bar(bands: Sequence[Band], width: int) -> list[Piece]:
    cells = [band_at(bands, (cell + 0.5) / width) for cell in range(width)]
    pieces: list[Piece] = []
    start = 0
    for cell in range(1, width + 1):
        if cell < width and cells[cell] is cells[start]:
            continue
        band, size = cells[start], cell - start
        pieces.append((GAP * size, "muted") if band is None else (_segment(band.label, size), tone_of(band)))
        start = cell
    return pieces


def _segment(label: str, size: int) -> str:
    if size == 1:
        return "│"
    inner = size - 2
    text = one_line(label, inner) if inner >= 3 else ""
    if "…" in text and "…" not in label:
        text = ""  # the list under the ruler says it in full
    left = (inner - cell_len(text)) // 2
    return "├" + "─" * left + text + "─" * (inner - cell_len(text) - left) + "┤"


def _pointer(threshold: float, width: int) -> str:
    at = _cell(threshold, width)
    text = f"▲ passes at {threshold:g}"
    if at + len(text) > width:
        text = f"passes at {threshold:g} ▲"
        return " " * max(0, at - len(text) + 1) + text
    return " " * at + text
