"""Bands are drawn to scale, with gaps and overlaps in glyphs and in words."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from rubrictui.core.band_edits import Edge
from rubrictui.core.model import Band
from rubrictui.widgets.band_ruler import ruler
from rubrictui.widgets.bands_lines import (
    TONES,
    band_line,
    next_tone,
    open_band_lines,
    problem_lines,
    range_text,
    ruler_lines,
)

LOW = Band(id="low", label="Weak", max_score=0.5, display_tone="danger")
TOP = Band(id="top", label="Strong", min_score=0.5, display_tone="success", sequence=1)
EARLY = Band(id="early", label="Early", min_score=0.4, sequence=2)
LATE = Band(id="late", label="Late", min_score=0.6, sequence=2)
HOSTILE = Band(
    id="x", label="\x1b[31m[red]\u202eback", description="\x9b2J\nline two", display_tone="\x07odd"
)


def bar(bands: tuple[Band, ...], width: int = 40) -> str:
    return "".join(text for text, _ in ruler(bands, None, width, overlaps=True)[1])


def test_a_gap_and_an_overlap_have_their_own_glyphs_to_scale() -> None:
    assert bar((LOW, TOP)).count("·") == 0
    assert bar((LOW, LATE)).count("·") == 4
    assert bar((LOW, EARLY)).count("×") == 4
    assert "×" not in "".join(text for text, _ in ruler((LOW, EARLY), None, 40)[1])


def test_a_gap_and_an_overlap_narrower_than_a_cell_are_still_seen() -> None:
    assert bar((LOW, Band(id="t", label="T", min_score=0.501))).count("·") == 1
    assert bar((LOW, Band(id="t", label="T", min_score=0.499))).count("×") == 1


def test_gaps_and_overlaps_are_said_in_words() -> None:
    assert problem_lines((LOW, TOP)) == [("Every score has exactly one band.", "success")]
    assert "No band covers 0.5 to 0.6" in problem_lines((LOW, LATE))[0][0]
    assert "overlap from 0.4" in problem_lines((LOW, EARLY))[0][0]
    assert "a adds one" in problem_lines(())[0][0]
    assert problem_lines((Band(id="b", label=""),))[0][1] == "error"


@pytest.mark.parametrize(
    ("band", "edge", "words", "place"),
    [
        (LOW, "max", "Weak ends at 0.5", 0.5),
        (TOP, "min", "Strong begins at 0.5", 0.5),
        (TOP, "max", "Strong ends at 1 ↑", 1),
        (LOW, "min", "↑ Weak begins at 0", 0),
    ],
)
@pytest.mark.parametrize("width", [24, 78, 118])
def test_the_edge_under_the_cursor_is_pointed_at(
    band: Band, edge: Edge, words: str, place: float, width: int
) -> None:
    lines = ruler_lines((LOW, TOP), 0.6, width, (band, edge))
    text = "".join(piece for piece, _ in lines[2])
    assert words in text
    assert all(cell_len("".join(piece for piece, _ in line)) <= width for line in lines[:3])
    if width > 70:  # on a narrow ruler the words need the room
        assert abs(text.index("↑") - place * (width - 1)) <= 1


@pytest.mark.parametrize(
    ("bands", "band", "edge", "joined", "said"),
    [
        ((LOW, TOP), LOW, "max", True, "ends before this score; Strong moves along"),
        ((LOW, TOP), LOW, "max", False, "Strong stays where it is"),
        ((LOW, TOP), TOP, "min", True, "it holds this score; Weak moves along"),
        ((LOW, TOP), TOP, "max", True, "it holds 1 as well."),
        ((LOW, LATE), LOW, "max", True, "it ends before this score."),
    ],
)
def test_what_an_edge_holds_and_what_moves_with_it_is_said(
    bands: tuple[Band, ...], band: Band, edge: Edge, joined: bool, said: str
) -> None:
    lines = open_band_lines(bands, band, edge, 78, joined=joined, has_focus=True)
    assert said in " ".join(text for line in lines for text, _ in line)


def test_the_edge_that_keys_move_stands_in_brackets() -> None:
    assert range_text(LOW, "min") == "[0] to 0.5"
    assert range_text(LOW, "max") == " 0 to [0.5]"
    assert range_text(LOW) == " 0 to 0.5"


def test_tones_go_round_and_an_unknown_one_counts_as_none() -> None:
    tone: str | None = None
    seen = [tone := next_tone(tone, 1) for _ in TONES]
    assert seen == [*TONES[1:], None]
    assert next_tone("success", -1) is None
    assert next_tone("purple", 1) == TONES[1]


@pytest.mark.parametrize("width", [24, 60, 118])
def test_text_from_outside_is_made_safe_and_fits(width: int) -> None:
    lines = [
        band_line(HOSTILE, width, ()),
        *open_band_lines((HOSTILE,), HOSTILE, "min", width, joined=True, has_focus=False),
        *ruler_lines((HOSTILE,), 0.6, width, (HOSTILE, "max")),
    ]
    for line in lines:
        text = "".join(piece for piece, _ in line)
        assert text.isprintable(), text
        assert "\u202e" not in text
