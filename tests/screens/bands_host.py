"""A small application around the bands screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual.app import App
from textual.filter import LineFilter

from rubrictui.core.model import Band
from rubrictui.screens.bands import BandsScreen
from rubrictui.styles.themes import DARK, THEMES
from rubrictui.widgets.guard import with_guard

BANDS = (
    Band(id="low", label="Weak", description="Sent back.", max_score=0.5, display_tone="danger"),
    Band(id="mid", label="Fair", min_score=0.5, max_score=0.8, display_tone="warning", sequence=1),
    Band(id="top", label="Strong", min_score=0.8, display_tone="success", sequence=2),
)
BROKEN = (
    Band(id="low", label="Weak", max_score=0.45, display_tone="danger"),
    Band(id="mid", label="\x1b[31mFair[/]", min_score=0.5, max_score=0.8, sequence=1),
    Band(id="top", label="Strong", min_score=0.7, display_tone="success", sequence=2),
)


class BandsHost(App[None]):
    """The screen with the real themes; ``kept`` is what it gave."""

    CSS_PATH = Path(__file__).parents[2] / "src/rubrictui/styles/app.tcss"

    def __init__(self, bands: Sequence[Band] = BANDS) -> None:
        super().__init__()
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK
        self.kept: list[tuple[tuple[Band, ...], int, str]] = []
        self.bands_screen = BandsScreen(
            "Grant proposal",
            bands,
            threshold=0.6,
            new_id=lambda: f"new-{len(self.kept)}",
            keep=lambda *kept: self.kept.append(kept),
        )

    def on_mount(self) -> None:
        self.push_screen(self.bands_screen)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return with_guard(super().get_line_filters())
