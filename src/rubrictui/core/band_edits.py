"""Edits of the bands of a version: bands in, bands out, nothing changed in place.

Bands are half-open ranges of the score, 0..1; only one that ends at 1 holds 1 (contract, "Scoring"). Every
edit gives them sorted by minimum, then maximum, which is the order in which scoring looks at them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

from msgspec.structs import replace

from rubrictui.core.bands import band_gaps
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Band
from rubrictui.core.rounding import round6

Edge = Literal["min", "max"]
Bands = tuple[Band, ...]

_NAME: dict[Edge, str] = {"min": "min_score", "max": "max_score"}


def edge_of(band: Band, edge: Edge) -> float:
    """Where a band begins ("min") or ends ("max")."""
    return band.min_score if edge == "min" else band.max_score


def in_order(bands: Sequence[Band]) -> Bands:
    """Sorted by minimum, then maximum. Sequences are given anew only where they would say another order."""
    ordered = sorted(bands, key=lambda band: (band.min_score, band.max_score))
    numbers = [band.sequence for band in ordered]
    if all(before < after for before, after in pairwise(numbers)):
        return tuple(ordered)
    return tuple(
        band if band.sequence == index else replace(band, sequence=index)
        for index, band in enumerate(ordered)
    )


def touching(bands: Sequence[Band], band_id: str, edge: Edge) -> Band | None:
    """The band that ends where this one begins, or begins where it ends; None where there is none."""
    band = _find(bands, band_id)
    at = round6(edge_of(band, edge))
    other: Edge = "max" if edge == "min" else "min"
    return next((b for b in bands if b.id != band_id and round6(edge_of(b, other)) == at), None)


def move_edge(bands: Sequence[Band], band_id: str, edge: Edge, to: float, *, joined: bool = True) -> Bands:
    """Put one edge of a band at ``to``, as near as 0..1 and the bands at hand allow.

    An edge never passes the other edge of its band. With ``joined`` the edge of a band that touches it
    moves along, so that no gap opens between the two; that edge does not pass its own band's end either.

    Raises:
        InvalidInputError: ``to`` is not a finite number, or there is no such band.
    """
    if not math.isfinite(to):
        raise InvalidInputError("The edge of a band is a number from 0 to 1.", remedy="Type one such as 0.7.")
    band = _find(bands, band_id)
    neighbour = touching(bands, band_id, edge) if joined else None
    low, high = (0.0, band.max_score) if edge == "min" else (band.min_score, 1.0)
    if neighbour is not None and edge == "min":
        low = max(low, neighbour.min_score)
    elif neighbour is not None:
        high = min(high, neighbour.max_score)
    at = round6(min(max(to, low), max(low, high)))
    other: Edge = "max" if edge == "min" else "min"
    changes = {band_id: {_NAME[edge]: at}}
    if neighbour is not None:
        changes[neighbour.id] = {_NAME[other]: at}
    return in_order([replace(b, **changes[b.id]) if b.id in changes else b for b in bands])


def set_band(bands: Sequence[Band], band_id: str, **changes: Any) -> Bands:
    """Replace fields of one band (label, description, display_tone, min_score, max_score).

    Raises:
        InvalidInputError: there is no such band.
    """
    _find(bands, band_id)
    return in_order([replace(band, **changes) if band.id == band_id else band for band in bands])


def add_band(bands: Sequence[Band], new_id: str, *, label: str = "") -> Bands:
    """One more band: over the widest gap; where there is none, over the upper half of the widest band."""
    if not bands:
        return (Band(id=new_id, label=label, min_score=0.0, max_score=1.0),)
    gaps = band_gaps(bands)
    if not gaps:
        widest = max(bands, key=lambda band: band.max_score - band.min_score)
        return split_band(bands, widest.id, new_id, label=label)
    low, high = max(gaps, key=lambda gap: gap[1] - gap[0])
    last = max(band.sequence for band in bands) + 1
    return in_order([*bands, Band(id=new_id, label=label, min_score=low, max_score=high, sequence=last)])


def split_band(bands: Sequence[Band], band_id: str, new_id: str, *, label: str = "") -> Bands:
    """Cut a band in two at its middle; the new one is the upper half.

    Raises:
        InvalidInputError: there is no such band, or it holds no score that could be shared.
    """
    band = _find(bands, band_id)
    middle = (band.min_score + band.max_score) / 2
    # A round number where the band is wide enough for one.
    middle = round(middle, 2) if band.max_score - band.min_score >= 0.02 else round6(middle)
    if not band.min_score < middle < band.max_score:
        raise InvalidInputError(
            f"The band {band.label!r} is too narrow to be split.", remedy="Widen it first, or add a band."
        )
    last = max(b.sequence for b in bands) + 1
    upper = Band(id=new_id, label=label, min_score=middle, max_score=band.max_score, sequence=last)
    lower = replace(band, max_score=middle)
    return in_order([*(lower if b.id == band_id else b for b in bands), upper])


def delete_band(bands: Sequence[Band], band_id: str) -> Bands:
    """The others, with a gap where it was.

    Raises:
        InvalidInputError: there is no such band.
    """
    _find(bands, band_id)
    return tuple(band for band in bands if band.id != band_id)


def even_bands(bands: Sequence[Band]) -> Bands:
    """All bands equally wide, from 0 to 1 without gap or overlap, in the order they stand."""
    ordered = in_order(bands)
    count = len(ordered)
    digits = 2 if count <= 50 else 6
    edges = [round(index / count, digits) for index in range(count + 1)] if count else []
    return tuple(
        replace(band, min_score=edges[index], max_score=edges[index + 1])
        for index, band in enumerate(ordered)
    )


def _find(bands: Sequence[Band], band_id: str) -> Band:
    for band in bands:
        if band.id == band_id:
            return band
    raise InvalidInputError(f"There is no band with the id {band_id!r}.", remedy="Choose one of the list.")
