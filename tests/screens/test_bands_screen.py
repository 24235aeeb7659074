"""Bands are edited by keys: edges moved and typed, bands added, split, deleted, evened out, and taken back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bands_host import BANDS, BROKEN, BandsHost
from textual.pilot import Pilot

from rubrictui.core.bands import band_gaps, band_overlaps
from rubrictui.core.model import Band


class Desk:
    def __init__(self, app: BandsHost, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.editor = app.bands_screen.editor

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        await self.press(*("space" if c == " " else c for c in text))

    @property
    def ranges(self) -> list[tuple[str, float, float]]:
        assert not self.app.kept or self.app.kept[-1][0] == self.editor.bands
        return [(band.label, band.min_score, band.max_score) for band in self.editor.bands]

    @property
    def told(self) -> str:
        return "".join(text for line in self.app.bands_screen.editor.told for text in line)


@asynccontextmanager
async def desk(bands: Sequence[Band] = BANDS) -> AsyncIterator[Desk]:
    app = BandsHost(bands)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield Desk(app, pilot)


async def test_an_edge_moves_by_keys_and_its_neighbour_moves_along() -> None:
    async with desk() as at:
        await at.press("l", "right", "h", "L")
        assert at.ranges == [("Weak", 0, 0.56), ("Fair", 0.56, 0.8), ("Strong", 0.8, 1)]
        assert len({edit for _, edit, _ in at.app.kept}) == 1
        await at.press("j", "e", "H")
        assert at.ranges[1] == ("Fair", 0.51, 0.8)
        assert len({edit for _, edit, _ in at.app.kept}) == 2
        await at.press("u", "u")
        assert at.ranges[0] == ("Weak", 0, 0.5)
        await at.press("U")
        assert at.ranges[0] == ("Weak", 0, 0.56)


async def test_parted_edges_open_a_gap_and_an_edge_stops_at_its_own_band() -> None:
    async with desk() as at:
        await at.press("b", "h")
        assert band_gaps(at.editor.bands) == ((0.49, 0.5),)
        await at.press("e", *("h",) * 3)
        assert at.ranges[0] == ("Weak", 0, 0.49)
        assert "no further" in at.told


async def test_an_edge_is_typed_exactly_and_checked_at_each_key() -> None:
    async with desk() as at:
        await at.type("0,6x")
        assert "not a number" in at.told
        await at.press("enter")
        assert at.app.kept == []
        await at.press("backspace")
        await at.type("25")
        await at.press("enter")
        assert at.ranges[0] == ("Weak", 0, 0.625)
        await at.type("0.9")
        await at.press("enter")
        assert at.ranges[0] == ("Weak", 0, 0.8)
        assert "as far as 0.8" in at.told
        await at.type("7")
        await at.press("escape", "l")
        assert at.ranges[0] == ("Weak", 0, 0.8)


async def test_letters_go_into_the_label_and_fire_nothing() -> None:
    async with desk() as at:
        await at.press("enter", "ctrl+u")
        await at.type("asxvb")
        await at.press("enter", "d")
        await at.type(" d")
        await at.press("enter", "t", "T", "T")
        band = at.editor.bands[0]
        assert (band.label, band.description) == ("asxvb", "Sent back. d")
        assert band.display_tone == "warning"
        assert len(at.editor.bands) == 3


async def test_bands_are_added_split_deleted_and_evened_out() -> None:
    async with desk() as at:
        await at.press("s")
        await at.type("Poor")
        await at.press("enter")
        assert at.ranges[:2] == [("Weak", 0, 0.25), ("Poor", 0.25, 0.5)]
        await at.press("x")
        assert [label for label, _, _ in at.ranges] == ["Weak", "Fair", "Strong"]
        assert at.editor.current is not None
        assert at.editor.current.label == "Fair"
        await at.press("a")
        await at.type("New")
        await at.press("enter")
        assert at.ranges[1] == ("New", 0.25, 0.5)
        await at.press("v")
        assert [low for _, low, _ in at.ranges] == [0, 0.25, 0.5, 0.75]
        ids = [band.id for band in at.editor.bands]
        assert len(set(ids)) == len(ids)
        await at.press("u", "u", "u", "u", "u", "u")
        assert at.editor.bands == BANDS


async def test_a_rubric_without_bands_gets_its_first_one() -> None:
    async with desk(()) as at:
        await at.press("x", "l", "enter", "t", "v", "s", "5")
        assert at.app.kept == []
        await at.press("a")
        await at.type("All")
        await at.press("enter")
        assert at.ranges == [("All", 0, 1)]


async def test_broken_bands_are_shown_as_they_are_and_mended() -> None:
    async with desk(BROKEN) as at:
        picture = at.app.export_screenshot()
        assert "\x1b" not in picture
        assert "×" in picture
        assert at.app.kept == []
        await at.press("v")
        assert band_gaps(at.editor.bands) == ()
        assert band_overlaps(at.editor.bands) == ()
        await at.press("escape")
        assert at.app.screen is not at.app.bands_screen


async def test_bands_changed_elsewhere_are_shown_and_keep_the_cursor() -> None:
    async with desk() as at:
        await at.press("j", "l")
        at.editor.show(BROKEN, None)
        assert at.editor.current is not None
        assert at.editor.current.id == "mid"
        await at.press("u")
        assert at.editor.bands == BROKEN


async def test_a_label_that_is_being_typed_is_kept_when_the_application_leaves() -> None:
    async with desk() as at:
        await at.press("enter", "ctrl+u")
        await at.type("Poor")
        at.app.bands_screen.flush()
        at.app.bands_screen.flush()
        assert [(bands[0].label, label) for bands, _, label in at.app.kept] == [("Poor", "label of Poor")]
    async with desk() as at:
        await at.type("0.x")
        at.app.bands_screen.flush()
        assert at.app.kept == []
