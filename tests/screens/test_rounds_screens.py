"""Rounds on the terminal: how far they are, the ranking, agreement with its intervals, what is hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matrix_world import CHAIR, PanelStandIn
from msgspec.structs import replace as change
from shell_world import NOW, app_on, painted, settle, terminal, type_text, until
from textual.pilot import Pilot

from rubrictui.core.adjudication import Adjudication
from rubrictui.core.model import Outcome
from rubrictui.core.records import Role
from rubrictui.screens.agreement import AgreementScreen
from rubrictui.screens.item_analysis import ItemAnalysisScreen
from rubrictui.screens.matrix import MatrixScreen
from rubrictui.screens.round_board import RoundBoardScreen
from rubrictui.screens.round_matrix import RoundMatrixScreen
from rubrictui.screens.rounds import RoundsScreen
from rubrictui.widgets.matrix_view import MatrixView

__all__ = ["terminal"]


async def press(pilot: Pilot[Any], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
    return painted(pilot.app)


async def test_a_round_leads_to_a_subject_the_ranking_and_back(terminal: Path) -> None:
    engine = PanelStandIn()
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(RoundsScreen())
        await settle(pilot)
        assert "Spring round" in painted(pilot.app)
        text = await press(pilot, "enter")
        assert isinstance(pilot.app.screen, RoundBoardScreen)
        assert "1 subject hidden from you" in text
        assert "1 subject disagrees" in text
        assert "2 overdue, 1 declined" in text
        await press(pilot, "down", "down", "enter")
        assert isinstance(pilot.app.screen, MatrixScreen)
        assert engine.asked[-1]["subject"] == "sub-1"
        assert engine.asked[-1]["context"] == "c-spring"
        text = await press(pilot, "escape", "t")
        assert isinstance(pilot.app.screen, RoundMatrixScreen)
        assert "Place 1: mean 85 of 3 scores" in text
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, MatrixScreen)


async def test_the_rule_for_gates_is_chosen_by_a_key_and_ranks_anew(terminal: Path) -> None:
    async with app_on(PanelStandIn(), terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(RoundMatrixScreen("c-spring"))
        await settle(pilot)
        assert "3 ranked subjects" in painted(pilot.app)
        assert "4 ranked subjects" in await press(pilot, "g")
        assert "2 ranked subjects" in await press(pilot, "g")
        view = pilot.app.screen.query_one(MatrixView)
        await press(pilot, "end")
        assert view.row is not None
        assert view.row.detail == "gate"
        assert "No place: gate failed in" in painted(pilot.app)


async def test_the_board_and_the_comparison_name_what_was_settled(terminal: Path) -> None:
    done = Adjudication(
        id="a-1",
        context_id="c-spring",
        subject_id="sub-1",
        version_id="v-1",
        adjudicator_id="u-1",
        adjudicator_name="p.nair",
        reason="Gate in doubt",
        settled_at=NOW,
        score=0.3,
        display_score="30",
        outcome=Outcome.GATE_FAILED,
        passed=False,
    )
    async with app_on(PanelStandIn(settled=(done,)), terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(RoundBoardScreen("c-spring"))
        await settle(pilot)
        board = painted(pilot.app)
        assert "1 settled" in board
        assert "settled at 30" in board
        assert "/ Filter  Esc Back  ? Help" in board
        await pilot.app.push_screen(MatrixScreen("sub-1", context="c-spring"))
        await settle(pilot)
        assert "Settled at 30 (not passed) by p.nair on 2027-03-01: Gate in doubt" in painted(pilot.app)


async def test_a_ranking_of_ones_own_evaluations_says_that_it_is(terminal: Path) -> None:
    engine = PanelStandIn(user=change(CHAIR, roles=(Role.CHAIR,)))
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(RoundMatrixScreen("c-spring"))
        await settle(pilot)
        assert "Only your own evaluations are here" in painted(pilot.app)


async def test_a_ranking_leaves_out_what_is_hidden_and_says_so(terminal: Path) -> None:
    async with app_on(PanelStandIn(is_blind=True), terminal).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(RoundMatrixScreen("c-spring"))
        await settle(pilot)
        text = painted(pilot.app)
        assert "1 subject hidden from you" in text
        assert "Óbuda" not in text


async def test_agreement_is_withheld_below_twenty_subjects_with_n(terminal: Path) -> None:
    async with app_on(PanelStandIn(), terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(AgreementScreen("c-spring", resamples=20))
        await settle(pilot)
        text = await press(pilot, "2")
        assert "withheld: 4 usable subjects, at least 20 are needed" in text
        assert "nan" not in text.casefold()


async def test_agreement_has_numbers_intervals_and_words_for_what_has_none(terminal: Path) -> None:
    async with app_on(PanelStandIn(many=24), terminal).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(AgreementScreen("c-spring", resamples=50))
        await settle(pilot)
        text = await press(pilot, "2", "down")
        assert "24 subjects with two ratings or more, 3 raters" in text
        assert "Gwet's AC2" in text
        assert " to " in text.split("Krippendorff's alpha, ordinal")[1].split("\n")[0]
        assert "it is for two raters; see the pairs" in text
        assert "intervals from 50 resamples" in text
        assert "Priya Nair, Tomasz Wójcik" in await press(pilot, "3")
        assert "every pair of ratings of a subject" in await press(pilot, "4")
        assert "stricter" in await press(pilot, "5")


async def test_drawing_intervals_can_be_stopped_and_the_numbers_stay(terminal: Path) -> None:
    async with app_on(PanelStandIn(many=24), terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(AgreementScreen("c-spring", resamples=1_000_000))
        screen = pilot.app.screen
        await until(pilot, lambda: "c stops" in painted(pilot.app))
        await pilot.press("c")
        await settle(pilot)
        assert "stopped: some intervals are left out" in painted(pilot.app)
        text = await press(pilot, "2")
        assert "stopped before it was finished" in text
        assert "mean absolute error" in text
        assert not screen.check_action("stop", ())


async def test_plots_are_written_as_files_and_never_over_old_ones(terminal: Path) -> None:
    target = terminal / "panel.svg"
    async with app_on(PanelStandIn(many=24), terminal).run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(AgreementScreen("c-spring", resamples=10))
        await settle(pilot)
        await press(pilot, "5", "x", *["backspace"] * len("agreement.svg"))
        await type_text(pilot, str(target))
        await press(pilot, "enter")
        written = sorted(path.name for path in terminal.glob("panel-*.svg"))
        assert len(written) >= 4
        assert (terminal / "panel-1.svg").read_text().startswith("<svg")
        await press(pilot, "x", *["backspace"] * len("agreement.svg"))
        await type_text(pilot, str(target))
        assert "is there already" in await press(pilot, "enter")


async def test_item_analysis_says_what_is_wrong_and_what_to_do(terminal: Path) -> None:
    async with app_on(PanelStandIn(), terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(ItemAnalysisScreen("c-spring"))
        await settle(pilot)
        text = painted(pilot.app)
        assert "encryption: Too few evaluations" in text
        assert "→ Gather more evaluations" in text
