"""The rounds of the store: what subjects are scored for, until when, how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from rubrictui.core.rounds import Blinding, Round
from rubrictui.screens import Entry, ScreenSpec
from rubrictui.screens.base import ListScreen
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted
from rubrictui.widgets.title_bar import TitleBar

COLUMNS: tuple[Column, ...] = (
    Column("Round", share=2, minimum=18),
    Column("Rubric", share=2, minimum=16, drop=1),
    Column("State", width=8),
    Column("Due", width=16, drop=2),
    Column("Subjects", width=8, right=True),
    Column("Reviewers", width=9, right=True, drop=3),
)

BLINDING_WORDS = {
    Blinding.STANDARD: "peers are hidden until one's own review is in",
    Blinding.UNTIL_CLOSED: "peers are hidden until the round closes",
    Blinding.COMMENTS_VISIBLE: "comments without names once one's own review is in, scores when the round closes",
}


def due_words(found: Round, zone: tzinfo | None) -> str:
    """When a round is due, in ``zone`` (None: the system's)."""
    due = found.context.due_at
    return f"{due.astimezone(zone):%Y-%m-%d %H:%M}" if due is not None else ""


def round_rows(rounds: Sequence[Round], zone: tzinfo | None, now: datetime) -> list[Row]:
    """The rounds as rows, open ones first."""
    ordered = sorted(rounds, key=lambda one: one.state == "Closed")
    return [
        Row(
            id=one.context.id,
            cells=(
                one.context.name or one.context.record_id,
                f"{one.rubric_name or ''} {one.version_number or ''}".strip(),
                one.state,
                due_words(one, zone),
                str(one.subject_count),
                str(len(one.reviewers)),
            ),
            section="Closed" if one.state == "Closed" else "Open",
            tone="muted" if one.state == "Closed" else "",
            tones=("", "", "", "warning" if _is_late(one, now) else "", "", ""),
        )
        for one in ordered
    ]


def _is_late(one: Round, now: datetime) -> bool:
    return one.state != "Closed" and one.context.due_at is not None and one.context.due_at < now


class RoundsScreen(ListScreen[None]):
    """What there is to review together."""

    TITLE = "Rounds"
    COLUMNS = COLUMNS
    READING = "Reading the rounds ..."
    HELP = (
        "Each round holds subjects, reviewers and a rubric. Enter shows how far its reviewers and subjects are, where "
        "they disagree, and leads to the ranking and to the agreement of the panel. What you may see there is "
        "decided by your roles, and by the work that you have open yourself."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "slash",
            "filter",
            "Filter",
            key_display="/",
            id="rounds.filter",
            tooltip="Show rows with these words",
        ),
        Binding("R", "reload", "Reload", show=False, id="rounds.reload", tooltip="Read the rounds again"),
        Binding("escape", "back", "Back", key_display="Esc", id="rounds.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | How far the round is. |
    | / | Filter. |
    | R | Read the rounds again. |
    | escape | Clear the filter; back. |
    """

    def on_mount(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the rounds again."""
        found = await self.shell.ask(lambda engine: engine.rounds())
        listed = self.query_one(RowsList)
        listed.empty = "There is no round yet: rubrictui round open."
        listed.set_rows(round_rows(found, self.shell.zone, self.shell.now()))
        self.query_one(TitleBar).right = counted(len(found), "round")
        self.query_one(FilterLine).count()

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        from rubrictui.screens.round_board import RoundBoardScreen

        self.app.push_screen(RoundBoardScreen(message.row.id))


SCREEN = ScreenSpec(
    name="rounds",
    title="Rounds",
    opener=RoundsScreen,
    entries=(
        Entry("Rounds", "How far panels are, where they disagree, who ranks where", "app.open('rounds')"),
    ),
)
