"""Edits of the version itself, and of its bands on the scale from 0 to 1."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from rubrictui.core.editing_base import Edited, EditError, changed, checked_number
from rubrictui.core.model import Band, NotApplicablePolicy, VersionSnapshot
from rubrictui.core.rounding import round6

_NUMBERS: Final = {
    "pass_threshold": ("pass threshold", True),
    "minimum_completeness": ("minimum completeness", True),
    "score_display_min": ("lower end of the display range", False),
    "score_display_max": ("upper end of the display range", False),
}


def set_version(version: VersionSnapshot, **changes: Any) -> Edited:
    """Change fields of the version: instructions, thresholds, N/A policy, display range.

    Raises:
        EditError: a number that is not finite, a policy that does not exist, or another field.
    """
    clean: dict[str, Any] = {}
    for name, value in changes.items():
        if name in _NUMBERS:
            words, optional = _NUMBERS[name]
            clean[name] = checked_number(value, words, optional=optional)
        elif name == "instructions":
            clean[name] = value or None
        elif name == "not_applicable_policy":
            try:
                clean[name] = NotApplicablePolicy(value)
            except ValueError:
                words = ", ".join(NotApplicablePolicy)
                raise EditError(
                    f"There is no N/A policy {value!r}.", remedy=f"Use {words}.", code="field"
                ) from None
        else:
            raise EditError(
                f"A version has no field {name!r} to set.", remedy="Use another edit.", code="field"
            )
    return Edited(version=changed(version, **clean))


def add_band(version: VersionSnapshot, *, id: str, label: str, min_score: float, max_score: float) -> Edited:
    """A new band; bands stand in the order of their scores.

    Raises:
        EditError: ``number``.
    """
    band = Band(
        id=id,
        label=label,
        min_score=_edge(min_score, "lower end of the band"),
        max_score=_edge(max_score, "upper end of the band"),
    )
    return _with_bands(version, [*version.bands, band])


def set_band(version: VersionSnapshot, band_id: str, **changes: Any) -> Edited:
    """Change label, description, tone, ``min_score`` or ``max_score`` of a band.

    Raises:
        EditError: ``number``, ``field``, or ``band`` when it is not there.
    """
    place = _place(version, band_id)
    clean: dict[str, Any] = {}
    for name, value in changes.items():
        if name in ("min_score", "max_score"):
            clean[name] = _edge(value, f"{'lower' if name == 'min_score' else 'upper'} end of the band")
        elif name in ("description", "display_tone"):
            clean[name] = value or None
        elif name == "label":
            clean[name] = value
        else:
            raise EditError(f"A band has no field {name!r}.", remedy="Use another edit.", code="field")
    bands = list(version.bands)
    bands[place] = changed(bands[place], **clean)
    return _with_bands(version, bands)


def delete_band(version: VersionSnapshot, band_id: str) -> Edited:
    """Remove a band; its part of 0..1 stays open."""
    place = _place(version, band_id)
    return _with_bands(version, [*version.bands[:place], *version.bands[place + 1 :]])


def move_band_edge(version: VersionSnapshot, band_id: str, edge: str, to: float) -> Edited:
    """Move the ``"min"`` or ``"max"`` edge of a band to a score, and the neighbour's edge that lies on it.

    The edge stops at 0 and 1 and at the other edge of each band it moves, so nothing turns inside out.
    """
    place = _place(version, band_id)
    field, other = ("min_score", "max_score") if edge == "min" else ("max_score", "min_score")
    here = round6(getattr(version.bands[place], field))
    along = [
        index
        for index, band in enumerate(version.bands)
        if index != place and round6(getattr(band, other)) == here
    ]
    low, high = 0.0, 1.0
    goal = _edge(to, "edge of the band")
    for index, name in ((place, field), *((index, other) for index in along)):
        band = version.bands[index]
        if name == "min_score":
            high = min(high, band.max_score)
        else:
            low = max(low, band.min_score)
    goal = min(max(goal, low), high)
    bands = list(version.bands)
    bands[place] = changed(bands[place], **{field: goal})
    for index in along:
        bands[index] = changed(bands[index], **{other: goal})
    return _with_bands(version, bands)


def split_band(version: VersionSnapshot, band_id: str, *, id: str, label: str) -> Edited:
    """Halve a band; the upper half is a new band with this id and label.

    Raises:
        EditError: ``band`` when it is too narrow to halve.
    """
    place = _place(version, band_id)
    band = version.bands[place]
    middle = round((band.min_score + band.max_score) / 2, 2)
    if not band.min_score < middle < band.max_score:
        raise EditError(
            f"The band {band.label!r} is too narrow to split.", remedy="Widen it first.", code="band"
        )
    bands = list(version.bands)
    bands[place] = changed(band, max_score=middle)
    bands.append(
        msgspec.structs.replace(
            band, id=id, label=label, description=None, min_score=middle, max_score=band.max_score
        )
    )
    return _with_bands(version, bands)


def even_bands(
    version: VersionSnapshot, labels: Sequence[str] | None = None, *, ids: Sequence[str] = ()
) -> Edited:
    """Bands of equal width over all of 0..1, lowest first.

    Args:
        labels: None keeps the bands there are and evens them out. Else one band a label: those there are, from
            the lowest, get the new labels, and ``ids`` serve the bands that are new.

    Raises:
        EditError: ``band`` when there are more new bands than ids.
    """
    ordered = sorted(version.bands, key=lambda band: (band.min_score, band.max_score))
    if labels is not None:
        missing = len(labels) - len(ordered)
        if missing > len(ids):
            raise EditError("There are not enough ids for the new bands.", code="band")
        ordered = [changed(band, label=label) for band, label in zip(ordered, labels, strict=False)]
        ordered += [Band(id=id, label=label) for id, label in zip(ids, labels[len(ordered) :], strict=False)]
    count = len(ordered)
    bands = [
        changed(band, min_score=round6(place / count), max_score=round6((place + 1) / count))
        for place, band in enumerate(ordered)
    ]
    return _with_bands(version, bands)


def _place(version: VersionSnapshot, band_id: str) -> int:
    for place, band in enumerate(version.bands):
        if band.id == band_id:
            return place
    raise EditError("This band is no longer in the draft.", remedy="Choose another.", code="band")


def _edge(value: Any, what: str) -> float:
    number = checked_number(value, what)
    assert number is not None  # only an optional number may be missing
    return round6(number) if abs(number) < 1e9 else number


def _with_bands(version: VersionSnapshot, bands: Sequence[Band]) -> Edited:
    ordered = sorted(bands, key=lambda band: (band.min_score, band.max_score))
    numbers = [band.sequence for band in ordered]
    if any(a >= b for a, b in itertools.pairwise(numbers)):
        ordered = [changed(band, sequence=place) for place, band in enumerate(ordered)]
    if len(ordered) == len(version.bands) and all(
        a is b for a, b in zip(ordered, version.bands, strict=True)
    ):
        return Edited(version=version)
    return Edited(version=msgspec.structs.replace(version, bands=tuple(ordered)))
