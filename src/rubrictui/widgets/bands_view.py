"""What the bands editor shows: the ruler with what is wrong, and the bands as a list. Both drawn line by line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget

from rubrictui.core.band_edits import Bands, Edge
from rubrictui.core.bands import band_problems
from rubrictui.core.model import Band
from rubrictui.widgets.band_ruler import Piece
from rubrictui.widgets.bands_lines import band_line, open_band_lines
from rubrictui.widgets.open_list import OpenList
from rubrictui.widgets.text import Line


class BandsRuler(Widget):
    """The ruler and what is wrong, to scale at any width."""

    ALLOW_SELECT = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bands--accent",
        "bands--error",
        "bands--muted",
        "bands--strong",
        "bands--success",
        "bands--warning",
    }
    """
    | Class | Description |
    | :- | :- |
    | `bands--strong` | The edge that the keys move. |
    | `bands--accent`, `--success`, `--warning`, `--error`, `--muted` | The tones of bands and words. |
    """

    DEFAULT_CSS = """
    BandsRuler {
        height: auto;
        max-height: 50%;
        padding: 0 1;
        background: $background;
        & > .bands--accent { color: $primary; }
        & > .bands--error { color: $error; text-style: bold; }
        & > .bands--muted { color: $text-muted; }
        & > .bands--strong { text-style: bold; }
        & > .bands--success { color: $success; }
        & > .bands--warning { color: $warning; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._make: Callable[[int], list[list[Piece]]] = lambda width: []
        self._lines: list[list[Piece]] = []
        self._width = -1

    def show(self, make: Callable[[int], list[list[Piece]]]) -> None:
        """Draw what ``make`` makes of a width."""
        self._make = make
        before = self._lines
        self._draw(self._width)
        if len(before) != len(self._lines):
            self.refresh(layout=True)
        elif before != self._lines:
            self.refresh()

    def _draw(self, width: int) -> None:
        self._width = width
        self._lines = self._make(width) if width > 0 else []

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        if width != self._width:
            self._draw(width)
        return max(len(self._lines), 1)

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        if width != self._width:
            self._draw(width)
        base = self.rich_style
        pieces = self._lines[y] if y < len(self._lines) else []
        segments = [
            Segment(
                text, base + self.get_component_rich_style(f"bands--{tone}", partial=True) if tone else base
            )
            for text, tone in pieces
        ]
        return Strip(segments).adjust_cell_length(width, base)


class BandsList(OpenList, inherit_bindings=False):
    """A line a band; the one under the cursor opens."""

    HELP = (
        "Words for ranges of the score. The ruler is drawn to scale: a gap is ·, and × is where two bands hold the "
        "same score. A band holds its lower edge and not its upper one; only a band that ends at 1 holds 1. Edges that "
        "touch move together, unless b parts them."
    )
    STYLE_PREFIX = "band-rows"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="bands.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="bands.down"),
        Binding("home", "move(-1000000)", "First", show=False, id="bands.first"),
        Binding("end", "move(1000000)", "Last", show=False, id="bands.last"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | up, k / down, j | The band before / after. |
    | home / end | The first / last band. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "band-rows--accent",
        "band-rows--bar",
        "band-rows--error",
        "band-rows--label",
        "band-rows--muted",
        "band-rows--open",
        "band-rows--success",
        "band-rows--value",
        "band-rows--warning",
    }
    """
    | Class | Description |
    | :- | :- |
    | `band-rows--label`, `band-rows--value` | A band's label and range. |
    | `band-rows--open`, `band-rows--bar` | What lies under the band under the cursor, its bar. |
    | `band-rows--accent`, `--success`, `--warning`, `--error`, `--muted` | The tones. |
    """

    DEFAULT_CSS = """
    BandsList {
        & > .band-rows--open { background: $surface; }
        & > .band-rows--bar { color: $primary; text-style: bold; }
        & > .band-rows--label { text-style: bold; }
        & > .band-rows--accent { color: $primary; }
        & > .band-rows--muted { color: $text-muted; }
        & > .band-rows--success { color: $success; }
        & > .band-rows--warning { color: $warning; }
        & > .band-rows--error { color: $error; text-style: bold; }
    }
    """

    def __init__(self, on_leave_row: Callable[[], None]) -> None:
        super().__init__()
        self.bands: Bands = ()
        self.edge: Edge = "max"
        self.joined = True
        self.told: tuple[Piece, ...] = ()
        self._on_leave_row = on_leave_row

    def show(self, bands: Bands, cursor: str | None) -> None:
        """Show bands, with the cursor on one of them by its id."""
        same = len(bands) == len(self.bands)
        self.bands = bands
        places = [index for index, band in enumerate(bands) if band.id == cursor]
        before = self.row_cursor
        self.row_cursor = places[0] if places else min(max(before, 0), len(bands) - 1)
        if not self.size.width:
            return
        if same and before == self.row_cursor:
            self.row_changed(*range(len(bands)))
        else:
            self.measure()
            self.show_cursor()
            self.refresh()

    @property
    def current(self) -> Band | None:
        return self.bands[self.row_cursor] if 0 <= self.row_cursor < len(self.bands) else None

    def on_moved(self, before: int) -> None:
        self.told = ()
        self._on_leave_row()

    @property
    def row_count(self) -> int:
        return len(self.bands)

    def plan(self, width: int) -> None:
        pass

    def row_height(self, index: int) -> int:
        return 1

    def closed_lines(self, index: int) -> Sequence[Line]:
        band = self.bands[index]
        own = [problem for problem in band_problems(self.bands) if problem.band_id == band.id]
        return [band_line(band, self.line_width, own)]

    def open_lines(self, index: int) -> Sequence[Line]:
        return open_band_lines(
            self.bands,
            self.bands[index],
            self.edge,
            self.line_width,
            joined=self.joined,
            has_focus=self.has_focus,
            told=self.told,
        )
