"""Writing a round from its board: where to, how far, where it went; nothing is written over without a yes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from matrix_world import PanelStandIn
from shell_world import NOW, app_on, painted, settle, terminal, until

from rubrictui.core.round_report import RoundFacts
from rubrictui.screens.round_board import RoundBoardScreen
from rubrictui.screens.round_writing import Writing
from rubrictui.widgets.prompt_line import PromptInput

__all__ = ["terminal"]


@dataclass
class ReportingStandIn(PanelStandIn):
    """The comparing stand-in, and what a report is made of."""

    def round_facts(self, ref: str, *, with_texts: bool = False) -> RoundFacts:
        return RoundFacts(
            round=self.round(ref),
            at=NOW,
            by=self.user.name,
            reads_all=True,
            table=self.round_table(ref),
            overview=self.round_overview(ref),
        )

    def letter_facts(self, ref: str) -> RoundFacts:
        return self.round_facts(ref)


async def test_a_report_and_letters_are_written_and_nothing_over_them(
    terminal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with app_on(ReportingStandIn(is_blind=True), terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(RoundBoardScreen("c-spring"))
        await settle(pilot)

        async def press(*keys: str) -> None:
            for key in keys:
                await pilot.press(key)
                await settle(pilot)

        await press("w", "enter")
        assert pilot.app.screen.query_one(PromptInput).value == "spring-round-report.html"
        await press("enter")
        await until(pilot, lambda: "1 subject left out" in painted(pilot.app))
        page = tmp_path / "spring-round-report.html"
        assert page.read_text().startswith("<!DOCTYPE html>")
        page.write_text("mine")
        await pilot.press("enter", "enter")  # the work waits for an answer, so nothing settles
        await until(pilot, lambda: "Write over what is there?" in painted(pilot.app))
        await press("enter")
        assert page.read_text() == "mine"
        await press("down", "down", "down", "enter", "enter")
        await until(pilot, lambda: "No letter for 1 subject" in painted(pilot.app))
        assert len(list((tmp_path / "spring-round-letters").iterdir())) == 6
        await press("escape")
        assert isinstance(pilot.app.screen, RoundBoardScreen)


def test_how_far_it_is_has_words_before_and_while_it_is_counted() -> None:
    writing = Writing(what="Writing letters")
    assert writing.words == "Writing letters ..."
    writing.note(500, 2000)
    assert writing.words.endswith("25%")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_the_choice_of_what_to_write(snap_compare: Any, terminal: Path, size: tuple[int, int]) -> None:
    async def show(pilot: Any) -> None:
        await settle(pilot)
        pilot.app.push_screen(RoundBoardScreen("c-spring"))
        await settle(pilot)
        await pilot.press("w", "down", "enter")
        await settle(pilot)

    assert snap_compare(app_on(ReportingStandIn(), terminal), terminal_size=size, run_before=show)
