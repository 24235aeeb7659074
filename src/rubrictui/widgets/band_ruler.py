"""Bands drawn to scale over the score, 0 on the left and 1 on the right. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from rubrictui.core.bands import band_gaps, band_overlaps
from rubrictui.core.model import Band
from rubrictui.widgets.text import one_line

Piece = tuple[str, str]
"""Text and its tone: "", "muted", "success", "warning", "error" or "accent"."""

TONES = {"success": "success", "warning": "warning", "danger": "error", "info": "accent", "neutral": ""}
GAP, OVERLAP = "·", "×"


def tone_of(band: Band) -> str:
    """The tone a band is drawn in; one that is not known is drawn plainly."""
    return TONES.get((band.display_tone or "").casefold(), "")


def band_at(bands: Sequence[Band], score: float) -> Band | None:
    """The band drawn at ``score``: by lower end, then upper end; only a band that ends at 1 holds 1."""
    for band in sorted(bands, key=lambda b: (b.min_score, b.max_score)):
        if band.min_score <= score < band.max_score or (score >= 1 and band.max_score >= 1):
            return band
    return None


def ruler(
    bands: Sequence[Band], threshold: float | None, width: int, *, overlaps: bool = False
) -> list[list[Piece]]:
    """The ruler as lines of pieces: numbers, the bands with their labels, and where it passes.

    Args:
        bands: in any order; what none of them covers is drawn as dots.
        threshold: the pass threshold, 0..1, or None.
        width: cells; at least 20 are used.
        overlaps: draw what several bands hold as ``×``, as an author needs it; else the first of them, as
            a score meets them.
    """
    width = max(20, width)
    lines: list[list[Piece]] = [[(_numbers(width), "muted")]]
    if bands:
        lines.append(_bar(bands, width, overlaps=overlaps))
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


def _bar(bands: Sequence[Band], width: int, *, overlaps: bool) -> list[Piece]:
    cells: list[Band | str] = [band_at(bands, (cell + 0.5) / width) or GAP for cell in range(width)]
    if overlaps:
        _mark(cells, band_gaps(bands), GAP)
        shared = [
            (max(first.min_score, second.min_score), min(first.max_score, second.max_score))
            for first, second in band_overlaps(bands)
        ]
        _mark(cells, shared, OVERLAP)
    pieces: list[Piece] = []
    start = 0
    for cell in range(1, width + 1):
        if cell < width and cells[cell] is cells[start]:
            continue
        band, size = cells[start], cell - start
        if isinstance(band, Band):
            pieces.append((_segment(band.label, size), tone_of(band)))
        else:
            tone = "error" if band == OVERLAP else ("warning" if overlaps else "muted")
            pieces.append((band * size, tone))
        start = cell
    return pieces


def _mark(cells: list[Band | str], spans: Sequence[tuple[float, float]], glyph: str) -> None:
    """Show spans with a glyph: the cells whose middle they hold, one cell where they are narrower."""
    width = len(cells)
    for low, high in spans:
        held = [cell for cell in range(width) if low <= (cell + 0.5) / width < high]
        for cell in held or [min(max(int((low + high) / 2 * width), 0), width - 1)]:
            cells[cell] = glyph


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
