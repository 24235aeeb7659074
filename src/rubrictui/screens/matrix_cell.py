"""One cell of the comparison in full: what an evaluator said to a criterion, and beside it what the peers said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from rubrictui.screens.base import ShellScreen
from rubrictui.screens.matrix_words import Said, said_block
from rubrictui.widgets.block_list import BlockList
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar


class MatrixCellScreen(ShellScreen[None]):
    """Two lists side by side: the chosen evaluator's words, and everybody else's.

    Args:
        title: the criterion.
        about: the row in a line.
        said: everyone who has a cell in the row.
        chosen: whose words stand on the left, by ``Said.id``; the first one's when that is not there.
        comments: what peers wrote where names and scores are held back.
    """

    TITLE = "One cell"
    AUTO_FOCUS = "#peers"
    HELP = (
        "On the left what the evaluator under the cursor said to this criterion, with the evidence; on the right "
        "the peers. Tab moves between the two, the arrows move within one. [ and ] put the evaluator before or "
        "after on the left."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left_square_bracket",
            "turn(-1)",
            "Evaluator before",
            key_display="[",
            id="cell.before",
            tooltip="Put the evaluator before on the left",
        ),
        Binding(
            "right_square_bracket",
            "turn(1)",
            "Evaluator after",
            key_display="]",
            id="cell.after",
            tooltip="Put the evaluator after on the left",
        ),
        Binding("escape,q", "back", "Back", key_display="Esc", id="cell.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | [ / ] | The evaluator before / after on the left. |
    | tab | The other side. |
    | escape, q | Back. |
    """

    DEFAULT_CSS = """
    MatrixCellScreen {
        & > #about { height: auto; max-height: 3; padding: 0 2; background: $surface; }
        & #chosen, & #peers { width: 1fr; padding: 0 0 0 1; }
        & #peers { border-left: solid $panel; }
    }
    """

    def __init__(
        self, title: str, about: str, said: Sequence[Said], chosen: str = "", comments: Sequence[Said] = ()
    ) -> None:
        super().__init__()
        self._title = title
        self._about = about
        self._said = tuple(said)
        self._comments = tuple(comments)
        places = [one.id for one in self._said]
        self._chosen = places.index(chosen) if chosen in places else 0

    def compose(self) -> ComposeResult:
        yield TitleBar(self._title)
        yield Static(plain(self._about), id="about")
        with Horizontal():
            yield BlockList(id="chosen", can_choose=False)
            yield BlockList(id="peers", can_choose=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        chosen = self._said[self._chosen : self._chosen + 1]
        peers = [one for place, one in enumerate(self._said) if place != self._chosen]
        self.query_one("#chosen", BlockList).set_blocks(
            [said_block(one) for one in chosen], empty="Nobody has answered this yet."
        )
        self.query_one("#peers", BlockList).set_blocks(
            [said_block(one) for one in (*peers, *self._comments)], empty="Nobody else here."
        )
        self.query_one(TitleBar).right = f"{self._chosen + 1} of {len(self._said)}" if self._said else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Turning needs somebody to turn to."""
        return action != "turn" or len(self._said) > 1

    def action_turn(self, by: int) -> None:
        """Put another evaluator on the left."""
        self._chosen = (self._chosen + by) % len(self._said)
        self._show()

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)
