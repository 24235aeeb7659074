"""Evaluators on the terminal: choosing, running, stopping, failing, and what was asked of models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from evaluate_world import FAILED, JudgingStandIn
from shell_world import app_on, painted, settle, terminal, until, version
from textual.pilot import Pilot

from rubrictui.core.authoring_records import RubricDraft
from rubrictui.core.records import SampleSet
from rubrictui.screens.builder_session import BuilderSession
from rubrictui.screens.evaluate import EvaluateScreen
from rubrictui.screens.evaluate_run import Choices
from rubrictui.screens.result import ResultScreen
from rubrictui.screens.run import RunScreen
from rubrictui.screens.runs import RunsScreen
from rubrictui.screens.try_judge import TryJudgeScreen
from rubrictui.widgets.rows_list import RowsList

__all__ = ["terminal"]

SIZES = [(80, 24), (120, 40)]


async def press(pilot: Pilot[Any], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
    return painted(pilot.app)


async def tap(pilot: Pilot[Any], *keys: str) -> str:
    """Press keys while a choice is open, which the screen below waits for."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause(0.15)
    return painted(pilot.app)


async def test_a_subject_is_evaluated_with_the_rubric_it_was_last_scored_with_and_the_result_opens(
    terminal: Path,
) -> None:
    engine = JudgingStandIn()
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        text = await press(pilot, "s", "E")
        assert isinstance(pilot.app.screen, EvaluateScreen)
        assert "Vendor proposal" in text
        await press(pilot, "r")
        assert isinstance(pilot.app.screen, ResultScreen)
        assert "Below the threshold" in painted(pilot.app) or "50 of 0 to 100" in painted(pilot.app)
        (given,) = engine.asked
        assert (given["subject"], given["rubric"], given["evaluator"]) == ("sub-2", "r-vendor", "LLM")
        assert "Stored after" in await press(pilot, "escape")


async def test_evaluator_and_settings_are_chosen_by_rows(terminal: Path) -> None:
    engine = JudgingStandIn()
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        await press(pilot, "s", "E")
        await tap(pilot, "down", "down", "down", "down", "enter", "down", "enter")  # the prompt
        await tap(pilot, "down", "enter", *"tiny", "enter")  # the model
        await tap(pilot, "down", "enter", "down", "enter", "down", "down", "enter")  # mode, samples
        await press(pilot, "r")
        settings = engine.asked[0]["settings"]
        assert settings.as_written() == {
            "PromptName": "Rubric Judge - Sage",
            "ModelID": "tiny",
            "Mode": "PerCriterion",
            "Samples": 3,
        }


async def test_rules_have_no_settings_and_what_cannot_run_says_what_is_missing(terminal: Path) -> None:
    engine = JudgingStandIn()
    async with app_on(engine, terminal).run_test(size=(80, 24), notifications=True) as pilot:
        await press(pilot, "s", "E")
        text = await tap(pilot, "down", "down", "down", "enter")
        assert "Cannot run here" in text
        assert "A person scores" not in text
        assert "pip install" in await tap(pilot, "end", "enter")
        text = await tap(pilot, "enter", "home", "down", "enter")
        assert "Deterministic" in text
        assert "Samples" not in text


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        ("fails", "refused the key. Stored as Failed: o opens it."),
        ("refused", "Nothing was run. You are scoring this yourself."),
        ("hidden", "Stored. It is hidden from you"),
    ],
)
async def test_what_a_run_came_to_is_one_clear_line(terminal: Path, outcome: str, says: str) -> None:
    engine = JudgingStandIn(outcome=outcome)
    async with app_on(engine, terminal).run_test(size=(120, 40)) as pilot:
        assert says in await press(pilot, "s", "E", "r")
        assert isinstance(pilot.app.screen, EvaluateScreen)
        await press(pilot, "o")
        assert isinstance(pilot.app.screen, ResultScreen) is (outcome == "fails")


async def test_a_run_can_be_stopped_and_nothing_is_stored(terminal: Path) -> None:
    engine = JudgingStandIn(outcome="waits")
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        await press(pilot, "s", "E")
        await pilot.press("r")
        await until(pilot, lambda: "LLM is scoring" in painted(pilot.app) and bool(engine.asked))
        await pilot.press("escape")
        await settle(pilot)
        assert "Stopped; nothing is stored." in painted(pilot.app)
        assert engine.was_cancelled
        assert isinstance(pilot.app.screen, EvaluateScreen)


async def test_runs_open_what_was_sent_and_came_back_as_plain_text(terminal: Path) -> None:
    async with app_on(JudgingStandIn(), terminal).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        pilot.app.action_open("runs")  # type: ignore[attr-defined]
        text = await press(pilot)
        await settle(pilot)
        text = painted(pilot.app)
        assert "3 runs" in text
        assert "1,200+90" in text
        text = await press(pilot, "enter")
        assert isinstance(pilot.app.screen, RunScreen)
        assert "[bold]not bold[/bold]" in text
        assert "\x1b" not in text
        assert '{"decisions": []}' in text
        await press(pilot, "o")
        assert isinstance(pilot.app.screen, ResultScreen)


async def test_a_failed_run_is_retried_with_its_version_and_settings(terminal: Path) -> None:
    engine = JudgingStandIn()
    async with app_on(engine, terminal).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(RunsScreen())
        await settle(pilot)
        await press(pilot, "t")
        assert engine.asked == []
        assert "2 runs that failed" in await press(pilot, "f")
        await press(pilot, "t")
        (given,) = engine.asked
        assert given["version"] == FAILED.version_id
        assert given["settings"].as_written() == {"PromptName": "Rubric Judge - Sage", "Samples": 3}
        assert isinstance(pilot.app.screen, ResultScreen)


async def press_all(pilot: Pilot[Any], keys: tuple[str, ...]) -> None:
    await settle(pilot)
    await press(pilot, *keys)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
def test_evaluating(snap_compare: Any, terminal: Path, size: tuple[int, int]) -> None:
    app = app_on(JudgingStandIn(outcome="fails"), terminal)
    assert snap_compare(
        app, terminal_size=size, run_before=lambda pilot: press_all(pilot, ("s", "E", "r", "down"))
    )


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("keys", [(), ("enter",)], ids=["runs", "run"])
def test_runs(snap_compare: Any, terminal: Path, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await pilot.app.push_screen(RunsScreen())
        await settle(pilot)
        await press(pilot, *keys)

    assert snap_compare(app_on(JudgingStandIn(), terminal), terminal_size=size, run_before=before)


# -- trying a draft --------------------------------------------------------------------------------------


class Samples:
    """Keeps the samples of a draft."""

    def __init__(self) -> None:
        self.kept: list[SampleSet] = []

    def save_sample_set(self, rubric: str, sample_set: SampleSet) -> SampleSet:
        self.kept.append(sample_set)
        return msgspec.structs.replace(sample_set, id="set")


async def trying(pilot: Pilot[Any]) -> tuple[Samples, BuilderSession]:
    store = Samples()
    session = BuilderSession(store, RubricDraft(version=version(), revision=1))  # type: ignore[arg-type]
    await settle(pilot)
    choices = Choices(subject_id="sub-2", subject_title="Harbour Freight portal")
    await pilot.app.push_screen(TryJudgeScreen(session, choices))
    await settle(pilot)
    return store, session


async def test_a_draft_is_tried_read_beside_its_criteria_and_kept_as_a_sample(terminal: Path) -> None:
    engine = JudgingStandIn()
    async with app_on(engine, terminal).run_test(size=(120, 40)) as pilot:
        store, session = await trying(pilot)
        assert "Rubric" not in [row.cells[0] for row in pilot.app.screen.query_one(RowsList).rows]
        text = await press(pilot, "r")
        assert "Nothing is stored. big-instruct · 1,200+90 tokens · cost 0.0021" in text
        assert "Unanswered: price: not asked" in text
        assert "Withdraw" not in text
        await press(pilot, "a")
        (kept,) = store.kept
        assert session.sample_set is not None
        assert session.sample_set.answers == kept.answers != {}
        await press(pilot, "p")
        assert isinstance(pilot.app.screen, RunScreen)


async def test_a_try_that_fails_shows_what_was_sent(terminal: Path) -> None:
    async with app_on(JudgingStandIn(outcome="fails"), terminal).run_test(size=(120, 40)) as pilot:
        await trying(pilot)
        text = await press(pilot, "r")
        assert "LLM failed: The server refused the key. p shows what was sent and came back." in text
        await press(pilot, "p")
        assert isinstance(pilot.app.screen, RunScreen)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("keys", [("down",), ("r", "enter")], ids=["choices", "result"])
def test_trying(snap_compare: Any, terminal: Path, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        await trying(pilot)
        await press(pilot, *keys)

    assert snap_compare(app_on(JudgingStandIn(), terminal), terminal_size=size, run_before=before)
