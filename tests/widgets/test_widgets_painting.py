"""After a change only the cells that look otherwise are painted."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from rubrictui.widgets.drawn_lines import changed_cells

BOLD = Style(bold=True)


def strip(*pieces: str) -> Strip:
    """Pieces that begin with ``*`` are bold."""
    return Strip([Segment(p.lstrip("*"), BOLD if p.startswith("*") else None) for p in pieces])


@pytest.mark.parametrize(
    ("before", "after", "cells"),
    [
        (strip("same  "), strip("same  "), (0, 0)),
        (strip("ab", "*cd", "ef"), strip("ab", "*xd", "ef"), (2, 3)),
        (strip("ab", "*cd", "ef"), strip("ab", "cd", "ef"), (2, 4)),
        (strip("ab", "*日", "ef"), strip("ab", "*本", "ef"), (2, 4)),
        (strip("ab", "*c", "def"), strip("ab", "*cc", "ef"), (2, 4)),
        (strip("3/9   "), strip("4/9   "), (0, 1)),
        (strip("a     "), strip("*a", " " * 5), (0, 1)),
    ],
)
def test_the_changed_cells_of_a_line(before: Strip, after: Strip, cells: tuple[int, int]) -> None:
    assert changed_cells(before, after, 6) == cells


def test_a_line_that_was_never_painted_is_painted_whole() -> None:
    assert changed_cells(None, strip("x"), 80) == (0, 80)
