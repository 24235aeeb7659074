"""Bands as an author sees them: what they leave open, where they overlap, what is wrong with them.

Which band a score falls in is scoring's to say; nothing here decides that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rubrictui.core.model import Band
from rubrictui.core.problems import Problem, Severity, is_share, repeated, rounded


def band_gaps(bands: Iterable[Band]) -> tuple[tuple[float, float], ...]:
    """The parts of 0..1 that no band covers, in order; nothing when there is no band at all.

    Bands are half-open (contract, "Scoring"): one ends where the next begins.
    """
    ordered = sorted(map(_extent, bands))
    if not ordered:
        return ()
    gaps: list[tuple[float, float]] = []
    covered = 0.0
    for low, high in ordered:
        if low > covered:
            gaps.append((covered, low))
        covered = max(covered, high)
    if covered < 1:
        gaps.append((covered, 1.0))
    return tuple(gaps)


def band_overlaps(bands: Iterable[Band]) -> tuple[tuple[Band, Band], ...]:
    """Neighbouring bands that both hold a score: the first of the two wins there."""
    ordered = sorted(bands, key=_extent)
    found: list[tuple[Band, Band]] = []
    widest: Band | None = None
    for band in ordered:
        low, high = _extent(band)
        if widest is not None and low < _extent(widest)[1] and low < high:
            found.append((widest, band))
        if widest is None or high > _extent(widest)[1]:
            widest = band
    return tuple(found)


def _extent(band: Band) -> tuple[float, float]:
    return rounded(band.min_score), rounded(band.max_score)


def band_problems(bands: Sequence[Band]) -> Iterator[Problem]:
    """What is wrong or odd with the bands of a version."""

    def about(band: Band, code: str, message: str, remedy: str, severity: Severity = "error") -> Problem:
        return Problem(code=code, severity=severity, message=message, remedy=remedy, band_id=band.id)

    sound = True
    for band in bands:
        if not band.label.strip():
            yield about(band, "band_label", f"A band ({_span(*_extent(band))}) has no label.", "Give it one.")
        if not (is_share(band.min_score) and is_share(band.max_score)):
            sound = False
            text = f"The band {band.label!r} ({_span(*_extent(band))}) leaves 0 to 1."
            yield about(band, "band_range", text, "Bands lie within 0 to 1.")
        elif band.min_score > band.max_score:
            sound = False
            text = f"The band {band.label!r} begins at {band.min_score:g}, above its end {band.max_score:g}."
            yield about(band, "band_range", text, "Exchange the two.")
        elif _extent(band)[0] == _extent(band)[1] < 1:
            text = f"The band {band.label!r} holds no score: it begins where it ends."
            yield about(band, "band_empty", text, "Widen it, or remove it.", "warning")
    for label in repeated(band.label for band in bands):
        second = [band for band in bands if band.label == label][1]
        text = f"The label {label!r} stands on more than one band."
        yield about(second, "band_label_duplicate", text, "Give each band its own.", "warning")
    if not sound:
        return
    for first, second in band_overlaps(bands):
        text = f"The bands {first.label!r} and {second.label!r} overlap from {second.min_score:g}."
        yield about(second, "band_overlap", text, "End one where the next begins.", "warning")
    for low, high in band_gaps(bands):
        yield Problem(
            code="band_gap",
            severity="warning",
            message=f"No band covers {_span(low, high)}.",
            remedy="End one band where the next begins.",
        )


def _span(low: float, high: float) -> str:
    return f"{low:g} to {high:g}"
