"""A scrolled view that paints of its scrollbar what looks otherwise, and nothing when only its length changes."""

from __future__ import annotations

import asyncio

from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from textual.strip import Strip

from rubrictui.widgets.steady_scroll import SteadyScroll


class Plain(SteadyScroll):
    DEFAULT_CSS = "Plain { height: 1fr; overflow-y: scroll; scrollbar-size-vertical: 1; }"

    def render_line(self, y: int) -> Strip:
        return Strip.blank(self.size.width)


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield Plain()

    def on_mount(self) -> None:
        self.query_one(Plain).virtual_size = Size(79, 300)


def bar_lines(view: Plain) -> list[Strip]:
    bar = view.vertical_scrollbar
    return [Strip(strip, 1) for strip in bar.render_lines(Region(0, 0, 1, bar.size.height))]


def test_after_any_way_the_bar_looks_as_one_that_was_painted_whole() -> None:
    async def go() -> None:
        async with Host().run_test(size=(80, 24)) as pilot:
            view = pilot.app.query_one(Plain)
            await pilot.pause()
            steps = [
                (1, 300),
                (13, 300),
                (250, 300),
                (276, 300),
                (276, 290),
                (40, 2000),
                (41, 30),
                (5, 25),
                (0, 24),
                (0, 20),
                (3, 900),
            ]
            for place, length in steps:
                view.virtual_size = Size(79, length)
                view.scroll_to(y=place, animate=False, force=True)
                await pilot.pause()
                painted = bar_lines(view)
                view.vertical_scrollbar.refresh()
                await pilot.pause()
                assert painted == bar_lines(view), (place, length)

    asyncio.run(go())


def test_a_step_paints_the_ends_of_the_thumb_alone() -> None:
    async def go() -> None:
        async with Host().run_test(size=(80, 24)) as pilot:
            view = pilot.app.query_one(Plain)
            await pilot.pause()
            view.scroll_to(y=100, animate=False, force=True)
            await pilot.pause()
            bar = view.vertical_scrollbar
            before = bar_lines(view)
            regions: list[Region] = []
            refresh = bar.refresh

            def noted(*some: Region, **options: bool) -> object:
                regions.extend(some or (bar.size.region,))
                return refresh(*some, **options)

            bar.refresh = noted  # type: ignore[method-assign, assignment]
            view.scroll_to(y=106, animate=False, force=True)
            await pilot.pause()
            differing = {
                y for y, (old, new) in enumerate(zip(before, bar_lines(view), strict=True)) if old != new
            }
            assert differing
            assert {region.y for region in regions} == differing
            assert all(region.height == 1 for region in regions)
            assert len(regions) <= 4

    asyncio.run(go())
