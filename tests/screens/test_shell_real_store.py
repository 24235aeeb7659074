"""The whole application on a real store: what crosses the line between the shell and the form."""

from __future__ import annotations

import sqlite3
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from form_host import RUBRIC, START, Clock, Template, keys, screen_text, until
from textual.pilot import Pilot

from rubrictui.app import RubrictuiApp
from rubrictui.engine import Engine
from rubrictui.screens.palette import Palette
from rubrictui.screens.scoring import ScoringScreen
from rubrictui.shell.opening import StoreOpening


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return Template(tmp_path).copy(tmp_path)


def app_on(store: Path, busy_seconds: float = 1.0) -> RubrictuiApp:
    opening = StoreOpening(
        store, make_engine=lambda target, _: Engine(target, user="tester", busy_seconds=busy_seconds)
    )
    return RubrictuiApp(opening, now=Clock(START), zone=UTC)


async def form_of(app: RubrictuiApp, pilot: Pilot[Any]) -> ScoringScreen:
    """The form of a draft on top of the inbox."""
    engine = await app.engine()
    draft = engine.open_draft(subject="Subject/wells", rubric=RUBRIC, context="Round/spring")
    form = ScoringScreen(engine, draft)
    app.push_screen(form)
    await until(pilot, lambda: app.screen is form and "answered" in screen_text(app))
    return form


async def test_enter_on_an_open_palette_changes_no_answer(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await form_of(app, pilot)
        await keys(pilot, "tab ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, Palette) and "rubrics" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, Palette))
        await pilot.pause()
        assert form.session.answers == {}


async def test_a_key_that_a_locked_store_refuses_is_told_and_saved_when_it_is_free(store: Path) -> None:
    app = app_on(store, busy_seconds=0.2)
    other = sqlite3.connect(store, isolation_level=None)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await form_of(app, pilot)
        other.execute("BEGIN IMMEDIATE")
        await keys(pilot, "tab 2")
        await until(pilot, lambda: "NOT SAVED" in screen_text(app))
        other.execute("ROLLBACK")
        await until(pilot, lambda: not form.session.waiting)
        engine = await app.engine()
        assert len(engine.draft(form.session.evaluation_id).answers) == 1
    other.close()
