"""The bands of a draft on a screen of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from rubrictui.core.model import Band
from rubrictui.screens.base import ShellScreen
from rubrictui.widgets.bands_editor import BandsEditor
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.title_bar import TitleBar

Keep = Callable[[tuple[Band, ...], int, str], None]


class BandsScreen(ShellScreen[None]):
    """Every change is kept at once by ``keep``; Esc goes back.

    Args:
        rubric_name: whose bands they are.
        bands: of the draft.
        threshold: the pass threshold, 0..1, drawn on the ruler.
        new_id: gives an id for a new band.
        keep: takes the new bands, a number that is the same for all changes of one step, and what was done.
    """

    TITLE = "Bands"
    AUTO_FOCUS = "BandsList"
    HELP = "Everything is saved as it is done, and u takes it back."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape", "dismiss", "Back", key_display="Esc", id="bands.back", tooltip="Back to the builder"
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | escape | Back. |
    """

    def __init__(
        self,
        rubric_name: str,
        bands: Sequence[Band],
        *,
        threshold: float | None,
        new_id: Callable[[], str],
        keep: Keep,
    ) -> None:
        super().__init__()
        self._rubric_name = rubric_name
        self._keep = keep
        self.editor = BandsEditor(bands, threshold, new_id)

    def compose(self) -> ComposeResult:
        yield TitleBar(f"Bands · {self._rubric_name}", "saved as you go")
        yield self.editor
        yield KeyFooter()

    def on_bands_editor_changed(self, message: BandsEditor.Changed) -> None:
        """Keep what was done."""
        self._keep(message.bands, message.edit, message.label)

    def flush(self) -> None:
        """Keep also what is being typed: the application is leaving."""
        for changed in self.editor.take():
            self.on_bands_editor_changed(changed)
