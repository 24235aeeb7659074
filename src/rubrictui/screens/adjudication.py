"""The queue of a round: what disagrees and waits to be settled, and what was."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.core.adjudication import AdjudicationQueue
from rubrictui.screens import ScreenSpec
from rubrictui.screens.adjudication_words import COLUMNS, queue_rows, queue_summary
from rubrictui.screens.base import ListScreen
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.rows_list import RowsList
from rubrictui.widgets.text import one_line
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine


class AdjudicationScreen(ListScreen[None]):
    """The subjects of a round that wait to be settled, and those that were.

    Args:
        ref: its context, by id or ``Entity/record``.
    """

    TITLE = "Disagreements"
    COLUMNS = COLUMNS
    READING = "Reading the round ..."
    IN_STORE = False
    HELP = (
        "The subjects whose scores lie apart by the threshold of the round or more, or that some passed and some did "
        "not: what is to be settled stands first, verdicts that differ before all, then the widest spread. A subject "
        "waits while reviews of it are open. Enter lays its evaluations side by side and settles it. ! marks one "
        "that was settled and has other evaluations since. A settlement stands beside the evaluations as the score of "
        "record; it is in no mean, no agreement and no ranking. Subjects on which you have open work are left out."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "a", "everything", "All subjects", id="queue.all", tooltip="The subjects that agree too, and back"
        ),
        Binding(
            "w", "reasons", "Reasons", id="queue.reasons", tooltip="The reasons that a settlement can have"
        ),
        Binding(
            "slash",
            "filter",
            "Filter",
            key_display="/",
            id="queue.filter",
            tooltip="Show rows with these words",
        ),
        Binding("R", "reload", "Reload", show=False, id="queue.reload", tooltip="Read the queue again"),
        Binding("escape", "back", "Back", key_display="Esc", id="queue.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Settle the subject. |
    | a | The subjects that agree too, and back. |
    | w | The reasons that a settlement can have. |
    | / | Filter. |
    | R | Read the queue again. |
    | escape | Clear the filter; back. |
    """

    DEFAULT_CSS = """
    AdjudicationScreen > #summary { height: auto; max-height: 2; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, ref: str) -> None:
        super().__init__()
        self._ref = ref
        self._everything = False

    def on_screen_resume(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the queue again."""

        def read(engine: Engine) -> AdjudicationQueue:
            return engine.adjudication_queue(self._ref, everything=self._everything)

        queue = await self.shell.ask(read)
        self.query_one(TitleBar).title = f"Disagreements · {queue.round_name}"
        listed = self.query_one(RowsList)
        listed.empty = "No subject disagrees, and none was settled. a shows all that are scored."
        listed.set_rows(queue_rows(queue))
        self.query_one("#summary", Static).update(Content(one_line(queue_summary(queue))))
        self.query_one(FilterLine).count()

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        from rubrictui.screens.adjudication_settle import SettleScreen

        self.app.push_screen(SettleScreen(self._ref, message.row.id))

    def action_everything(self) -> None:
        """The subjects that agree too, and back."""
        self._everything = not self._everything
        self.action_reload()

    def action_reasons(self) -> None:
        """The reasons that a settlement can have."""
        from rubrictui.screens.adjudication_reasons import ReasonsScreen

        self.app.push_screen(ReasonsScreen())


SCREEN = ScreenSpec(name="adjudication", title="Disagreements", opener=AdjudicationScreen)
