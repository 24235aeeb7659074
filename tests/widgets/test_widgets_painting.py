"""After a change only the cells that look otherwise are painted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from rubrictui.widgets.drawn_lines import changed_cells, lean

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


STYLES = [
    Style(color=color, bgcolor=background, **look)
    for color in ("#ff0000", "#00ff00")
    for background in ("#000000", "#222222")
    for look in (
        {},
        {"bold": True},
        {"underline": True},
        {"reverse": True},
        {"strike": True},
        {"link": "x:y"},
    )
]


def cells(pieces: list[Segment]) -> list[tuple[object, ...]]:
    """What a terminal shows of each character: of a blank that is no letter, no foreground."""
    seen: list[tuple[object, ...]] = []
    for text, style, _ in pieces:
        assert style is not None
        marked = bool(style.underline or style.reverse or style.strike or style.link)
        for character in text:
            is_bare = character == " " and not marked
            seen.append((character, style.bgcolor if is_bare else style))
    return seen


@given(
    st.lists(
        st.builds(Segment, st.sampled_from(["", " ", "   ", "a", " b", "c ", "日"]), st.sampled_from(STYLES))
    )
)
def test_fewer_pieces_show_the_same(pieces: list[Segment]) -> None:
    joined = lean(pieces)
    assert cells(joined) == cells(pieces)
    assert len(joined) <= len(pieces)
    assert sum(cell_len(piece.text) for piece in joined) == sum(cell_len(piece.text) for piece in pieces)
    assert lean(joined) == joined


def test_blanks_join_the_words_beside_them_and_words_alike_one_another() -> None:
    red, green = Style(color="#ff0000", bgcolor="#000000"), Style(color="#00ff00", bgcolor="#000000")
    line = [
        Segment(" ", green),
        Segment("a", red),
        Segment("   ", green),
        Segment("b", red),
        Segment(" ", green),
    ]
    assert lean(line) == [Segment(" a   b ", red)]


def test_a_button_keeps_its_own_blanks() -> None:
    pressed, plain = Style(bgcolor="#000000", meta={"@click": "go"}), Style(bgcolor="#000000")
    line = [Segment(" ", pressed), Segment("a", plain)]
    assert lean(line) == line
