"""Bands are moved, added, split, deleted and evened out without touching the ones that were given."""

from __future__ import annotations

import math

import pytest

from rubrictui.core.band_edits import (
    Edge,
    add_band,
    delete_band,
    even_bands,
    in_order,
    move_edge,
    set_band,
    split_band,
    touching,
)
from rubrictui.core.bands import band_gaps, band_overlaps
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Band

LOW = Band(id="low", label="Low", min_score=0.0, max_score=0.5)
MID = Band(id="mid", label="Middle", min_score=0.5, max_score=0.8, sequence=1)
TOP = Band(id="top", label="Top", min_score=0.8, max_score=1.0, sequence=2)
BANDS = (LOW, MID, TOP)


def ranges(bands: tuple[Band, ...]) -> list[tuple[str, float, float]]:
    return [(band.id, band.min_score, band.max_score) for band in bands]


@pytest.mark.parametrize(
    ("band", "edge", "to", "joined", "expected"),
    [
        ("mid", "min", 0.55, True, [("low", 0, 0.55), ("mid", 0.55, 0.8), ("top", 0.8, 1)]),
        ("mid", "min", 0.55, False, [("low", 0, 0.5), ("mid", 0.55, 0.8), ("top", 0.8, 1)]),
        ("mid", "max", 0.9, True, [("low", 0, 0.5), ("mid", 0.5, 0.9), ("top", 0.9, 1)]),
        ("mid", "max", 0.9, False, [("low", 0, 0.5), ("mid", 0.5, 0.9), ("top", 0.8, 1)]),
        ("mid", "max", 0.2, True, [("low", 0, 0.5), ("mid", 0.5, 0.5), ("top", 0.5, 1)]),
        ("mid", "min", 0.99, True, [("low", 0, 0.8), ("mid", 0.8, 0.8), ("top", 0.8, 1)]),
        ("low", "min", -3, True, [("low", 0, 0.5), ("mid", 0.5, 0.8), ("top", 0.8, 1)]),
        ("top", "max", 7, True, [("low", 0, 0.5), ("mid", 0.5, 0.8), ("top", 0.8, 1)]),
    ],
)
def test_an_edge_moves_as_far_as_it_can(
    band: str, edge: Edge, to: float, joined: bool, expected: list[tuple[str, float, float]]
) -> None:
    assert ranges(move_edge(BANDS, band, edge, to, joined=joined)) == expected


def test_many_small_steps_leave_no_dust() -> None:
    bands: tuple[Band, ...] = BANDS
    for _ in range(10):
        bands = move_edge(bands, "mid", "min", bands[1].min_score + 0.01)
    assert bands[1].min_score == 0.6
    assert band_gaps(bands) == ()
    assert band_overlaps(bands) == ()


def test_an_edge_that_is_no_number_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="number from 0 to 1"):
        move_edge(BANDS, "mid", "min", math.nan)


def test_the_touching_band_is_found_whatever_the_last_digits() -> None:
    nearly = (LOW, Band(id="mid", label="Middle", min_score=0.1 + 0.2 + 0.2, max_score=1))
    assert touching(nearly, "mid", "min") == LOW
    assert touching(nearly, "mid", "max") is None


def test_bands_are_sorted_and_numbered_only_where_their_numbers_say_another_order() -> None:
    assert in_order((TOP, LOW, MID)) == BANDS
    spaced = (
        Band(id="a", label="A", max_score=0.5, sequence=10),
        Band(id="b", label="B", min_score=0.5, sequence=20),
    )
    assert in_order(spaced) == spaced
    swapped = in_order(
        (
            Band(id="a", label="A", min_score=0.5, sequence=0),
            Band(id="b", label="B", max_score=0.5, sequence=1),
        )
    )
    assert [(band.id, band.sequence) for band in swapped] == [("b", 0), ("a", 1)]


def test_the_first_band_covers_everything() -> None:
    assert ranges(add_band((), "new")) == [("new", 0, 1)]


def test_a_new_band_fills_the_widest_gap() -> None:
    bands = (
        Band(id="a", label="A", min_score=0.1, max_score=0.4),
        Band(id="b", label="B", min_score=0.7, max_score=1),
    )
    assert ranges(add_band(bands, "new")) == [("a", 0.1, 0.4), ("new", 0.4, 0.7), ("b", 0.7, 1)]


def test_without_a_gap_a_new_band_takes_half_of_the_widest() -> None:
    assert ranges(add_band(BANDS, "new")) == [
        ("low", 0, 0.25),
        ("new", 0.25, 0.5),
        ("mid", 0.5, 0.8),
        ("top", 0.8, 1),
    ]


def test_a_band_without_width_cannot_be_split() -> None:
    thin = (Band(id="thin", label="Thin", min_score=0.5, max_score=0.5),)
    with pytest.raises(InvalidInputError, match="too narrow"):
        split_band(thin, "thin", "new")


def test_a_deleted_band_leaves_a_gap() -> None:
    assert band_gaps(delete_band(BANDS, "mid")) == ((0.5, 0.8),)


def test_even_bands_cover_everything_once() -> None:
    even = even_bands((*BANDS[:2], Band(id="top", label="Top", min_score=0.4, max_score=0.45, sequence=2)))
    assert sorted(ranges(even), key=lambda r: r[1]) == [
        ("low", 0, 0.33),
        ("top", 0.33, 0.67),
        ("mid", 0.67, 1),
    ]
    assert even_bands(()) == ()


def test_the_fields_of_a_band_are_set_and_an_unknown_band_is_refused() -> None:
    assert set_band(BANDS, "mid", label="Fair", display_tone="warning")[1].label == "Fair"
    with pytest.raises(InvalidInputError, match="no band"):
        set_band(BANDS, "gone", label="x")
