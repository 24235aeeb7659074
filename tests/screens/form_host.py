"""A small application around the scoring form, and a store with one draft to score; for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from textual.app import App
from textual.filter import LineFilter

from rubrictui.core.records import Draft
from rubrictui.engine import Engine
from rubrictui.screens.scoring import ScoringScreen
from rubrictui.styles.themes import DARK, THEMES
from rubrictui.widgets.guard import with_guard

START = datetime(2027, 3, 1, 9, 0, tzinfo=UTC)


class Clock:
    """Every look at it is a second later, so that tests see the same times on every run."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def new_engine(path: Path | str, *, samples: bool = True) -> Engine:
    """An engine on a store of its own, with the sample data; ids are the samples' and counted ones."""
    engine = Engine(path, user="tester", clock=Clock())
    if samples:
        engine.load_samples()
    return engine


class FormHost(App[None]):
    """The form of one draft, with the real themes and style sheet and nothing else of the application."""

    CSS_PATH = Path(__file__).parents[2] / "src/rubrictui/styles/app.tcss"
    zone = UTC
    is_demo = False
    store_label = "test store"

    def __init__(self, engine: Engine, draft: Draft) -> None:
        super().__init__()
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.engine = engine
        self.form = ScoringScreen(engine, draft)
        self.notices: list[str] = []

    def on_mount(self) -> None:
        self.push_screen(self.form)

    def notify(self, message: str, **details: object) -> None:  # type: ignore[override]
        self.notices.append(message)
        super().notify(message, markup=False)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return with_guard(super().get_line_filters())
