"""How the fields pane looks at both sizes: a criterion, each kind of editor open, a version, hostile text."""

from __future__ import annotations

from typing import Any

import pytest
from fields_host import FieldsHost

SIZES = [(80, 24), (120, 40)]
CASES: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "criterion": ("problem", ()),
    "group": ("need", ("j", "j", "j")),
    "number": ("problem", ("j", "j", "j", "2", "comma", "x")),
    "scale": ("problem", ("j", "j", "j", "j", "enter", "f")),
    "settings": ("problem", ("end", "enter", "left_square_bracket")),
    "bands": (None, ("end",)),
    "instructions": (None, ("enter",)),
    "hostile": ("strange", ()),
}


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("case", CASES)
def test_fields(snap_compare: Any, monkeypatch: pytest.MonkeyPatch, case: str, size: tuple[int, int]) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    node_id, keys = CASES[case]
    assert snap_compare(FieldsHost(node_id), terminal_size=size, press=keys)
