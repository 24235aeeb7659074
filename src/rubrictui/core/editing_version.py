"""Edits of the version itself, and of its bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from rubrictui.core.band_edits import in_order
from rubrictui.core.editing_base import Edited, EditError, changed, checked_number
from rubrictui.core.model import Band, NotApplicablePolicy, VersionSnapshot

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


def set_bands(version: VersionSnapshot, bands: Sequence[Band]) -> Edited:
    """The version with these bands (``band_edits`` makes them), in the order of their scores.

    Raises:
        EditError: ``number``, a band that begins or ends at no finite number.
    """
    for band in bands:
        checked_number(band.min_score, f"lower end of the band {band.label!r}")
        checked_number(band.max_score, f"upper end of the band {band.label!r}")
    ordered = in_order(bands)
    if ordered == version.bands:
        return Edited(version=version)
    return Edited(version=msgspec.structs.replace(version, bands=ordered))
