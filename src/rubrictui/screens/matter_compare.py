"""Two traces of one matter side by side: points by criterion, and what each wrote."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from rubrictui.matters.loading import Matter
from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.matter_compare_rows import COMPARE_COLUMNS, compare_rows, side_lines
from rubrictui.screens.matter_trace_rows import Trace
from rubrictui.widgets.detail_pane import DetailPane
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import RowsList
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar


class MatterCompareScreen(ShellScreen[None]):
    """Two traces, A and B."""

    TITLE = "Compare traces"
    HELP = (
        "A row for each criterion: what A earned, what B earned, and the difference. Below, each side's events "
        "and words on the criterion under the cursor. - says that a side did nothing about it; ! marks a "
        "critical failure on either side."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "tab",
            "other_pane",
            "Next pane",
            key_display="Tab",
            id="compare.next",
            tooltip="To scroll A, then B",
        ),
        Binding(
            "u", "unlike", "Unlike only", id="compare.unlike", tooltip="Only where the two differ, or all"
        ),
        Binding("escape", "back", "Back", key_display="Esc", id="compare.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | tab | The list, A, B, and round. |
    | u | Only criteria where the two differ, or all. |
    | escape | Back. |
    """

    DEFAULT_CSS = """
    MatterCompareScreen {
        & > .score { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & > RowsList { height: 45%; }
        & > #sides { height: 1fr; }
        & > #sides > DetailPane { width: 1fr; height: 1fr; }
        & > #sides > #side-a { border-right: solid $border; }
    }
    """

    def __init__(self, matter: Matter, first: Trace, second: Trace) -> None:
        super().__init__()
        self._matter = matter
        self._sides = (first, second)
        self._unlike = False

    def compose(self) -> ComposeResult:
        first, second = self._sides
        yield TitleBar(f"Compare · {self._matter.title}")
        yield Static(plain(f"A {first.title}: {first.score_words}", newlines=False), classes="score")
        yield Static(plain(f"B {second.title}: {second.score_words}", newlines=False), classes="score")
        yield RowsList(COMPARE_COLUMNS, empty="The two do not differ in any point.")
        with Horizontal(id="sides"):
            yield DetailPane(id="side-a")
            yield DetailPane(id="side-b")
        yield KeyFooter()

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        rows = compare_rows(self._matter, *self._sides)
        if self._unlike:
            rows = [row for row in rows if row.cells[3] != "="]
        self.query_one(RowsList).set_rows(rows)

    def on_rows_list_highlighted(self, message: RowsList.Highlighted) -> None:
        family, criterion = message.row.id.split("\t", 1)
        for letter, trace in zip("ab", self._sides, strict=True):
            lines = side_lines(trace, letter.upper(), (family, criterion))
            self.query_one(f"#side-{letter}", DetailPane).show(lines)

    def on_rows_list_selected(self) -> None:
        self.action_other_pane()

    def action_other_pane(self) -> None:
        """The list, A, B, and round."""
        stops = [self.query_one(RowsList), *self.query(DetailPane)]
        at = next((place for place, one in enumerate(stops) if one.has_focus), 0)
        self.set_focus(stops[(at + 1) % len(stops)])

    def action_unlike(self) -> None:
        """Only where the two differ, or all."""
        self._unlike = not self._unlike
        self._show()

    def action_back(self) -> None:
        """Back."""
        if self.query_one(RowsList).has_focus:
            self.dismiss(None)
        else:
            self.set_focus(self.query_one(RowsList))


SCREEN = ScreenSpec(name="matter_compare", title="Compare traces", opener=MatterCompareScreen)
