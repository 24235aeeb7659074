"""How the bands screen looks at both sizes: in order, with a gap and an overlap, while a number is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from bands_host import BANDS, BROKEN, BandsHost

from rubrictui.core.model import Band

SIZES = [(80, 24), (120, 40)]
CASES: dict[str, tuple[Sequence[Band], tuple[str, ...]]] = {
    "in-order": (BANDS, ("j", "e")),
    "gap-and-overlap": (BROKEN, ("j",)),
    "typing": (BANDS, ("0", "comma", "x")),
    "none": ((), ()),
}


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("case", CASES)
def test_bands(snap_compare: Any, monkeypatch: pytest.MonkeyPatch, case: str, size: tuple[int, int]) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    bands, keys = CASES[case]
    assert snap_compare(BandsHost(bands), terminal_size=size, press=keys)
