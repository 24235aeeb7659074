"""A pane of text shows what it was given, whenever it comes into view."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from rubrictui.widgets.detail_pane import DetailPane


class Host(App[None]):
    CSS = "DetailPane { height: 5; }"

    def __init__(self) -> None:
        super().__init__()
        self.detail = DetailPane()
        self.detail.display = False

    def compose(self) -> ComposeResult:
        yield self.detail


def seen(pane: DetailPane) -> list[str]:
    return [pane.render_line(y).text.strip() for y in range(pane.size.height)]


@pytest.mark.parametrize("was_seen", [False, True])
async def test_what_is_given_out_of_sight_is_there_when_it_comes_into_view(was_seen: bool) -> None:
    app = Host()
    async with app.run_test(size=(40, 10)) as pilot:
        if was_seen:
            app.detail.display = True
            await pilot.pause()
            app.detail.update_lines([[("before", "")]])
            app.detail.display = False
            await pilot.pause()
        app.detail.update_lines(lambda width: [[(f"{width} cells", "")]])
        app.detail.display = True
        await pilot.pause()
        assert seen(app.detail)[0] == f"{app.detail.scrollable_content_region.width} cells"


async def test_lines_that_outgrow_the_pane_get_a_scrollbar_and_lose_it_again() -> None:
    app = Host()
    async with app.run_test(size=(40, 10)) as pilot:
        app.detail.display = True
        await pilot.pause()
        for count in (3, 30, 40, 4):
            app.detail.update_lines([[(f"line {n}", "")] for n in range(count)])
            await pilot.pause()
            assert app.detail.show_vertical_scrollbar is (count > 5)
            if count > 5:
                assert app.detail.vertical_scrollbar.window_virtual_size == count
            app.detail.action_scroll(100)
            await pilot.pause()
            assert f"line {count - 1}" in seen(app.detail)
