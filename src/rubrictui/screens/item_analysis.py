"""Item analysis of a round: which criteria tell little, with the numbers behind it and what an author could do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.core.panel_tables import PanelTable
from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import ShellScreen
from rubrictui.widgets.block_list import Block, BlockList
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.text import Line, counted, one_line, wrap
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.core.diagnostics import Diagnosis
    from rubrictui.engine import Engine

#: Flags in the words of their headings.
FLAG_WORDS = {
    "InsufficientData": "Too few evaluations",
    "MostlyNotApplicable": "Mostly not applicable",
    "RangeCollapse": "Everybody scores the same",
    "NoDiscrimination": "Does not follow the rest",
    "HighCorrelation": "Repeats another criterion",
}


def flag_blocks(found: Sequence[Diagnosis]) -> list[Block]:
    """A block a flag: what it is, the sentence with its numbers, the advice."""
    return [_flag_block(place, row) for place, row in enumerate(found)]


def _flag_block(place: int, row: Diagnosis) -> Block:
    from rubrictui.core.diagnostics_words import explain_flag

    sentence, advice = explain_flag(row)
    name = row.criterion_key + (f" and {row.other_key}" if row.other_key else "")

    def draw(width: int) -> list[Line]:
        lines: list[Line] = [[(one_line(f"{name}: {FLAG_WORDS[row.flag.value]}", width), "title")]]
        lines += [[(f"  {line}", "text")] for line in wrap(one_line(sentence), width - 2)]
        lines += [
            [("→ " if not at else "  ", "label"), (line, "muted")]
            for at, line in enumerate(wrap(one_line(advice), width - 2))
        ]
        return [*lines, [("", "text")]]

    return Block(id=f"flag:{place}", closed=draw)


class ItemAnalysisScreen(ShellScreen[None]):
    """The flags of a round's criteria.

    Args:
        ref: the round's context, by id or ``Entity/record``.
    """

    TITLE = "Criteria"
    AUTO_FOCUS = "BlockList"
    HELP = (
        "Criteria that tell little about the subjects of this round: met too seldom, mostly not applicable, the same "
        "for everybody, unlike the rest, or twins of another. Each flag has the numbers behind it and what an author "
        "could do in the next version. Self-assessments take no part, nor do subjects on which you have open work."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "reload", "Reload", show=False, id="items.reload", tooltip="Measure again"),
        Binding("escape,q", "back", "Back", key_display="Esc", id="items.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | R | Measure again. |
    | escape, q | Back. |
    """

    DEFAULT_CSS = """
    ItemAnalysisScreen > #summary { height: 1; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, ref: str) -> None:
        super().__init__()
        self._ref = ref

    def compose(self) -> ComposeResult:
        yield TitleBar("Criteria")
        yield Static("", id="summary", markup=False)
        yield BlockList(empty="Measuring ...", can_choose=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="measure")
    async def action_reload(self) -> None:
        """Measure again."""

        def read(engine: Engine) -> PanelTable:
            return engine.round_table(self._ref)

        panel = await self.shell.ask(read)
        found = await asyncio.to_thread(_flags, panel)
        name = (panel.context.name or panel.context.record_id) if panel.context else ""
        self.query_one(TitleBar).title = f"Criteria · {name}"
        hidden = f" · {counted(len(panel.hidden), 'subject')} hidden from you" if panel.hidden else ""
        words = f"{counted(len(found), 'flag')} on {counted(len(panel.criteria), 'criterion', 'criteria')}{hidden}"
        self.query_one("#summary", Static).update(Content(words))
        self.query_one(BlockList).set_blocks(
            flag_blocks(found), empty="No flags: every criterion tells the subjects apart."
        )

    def action_back(self) -> None:
        """Go back."""
        self.dismiss(None)


def _flags(panel: PanelTable) -> tuple[Diagnosis, ...]:
    from rubrictui.core.diagnostics_words import diagnose_table
    from rubrictui.core.panel_ratings import ratings_of

    return diagnose_table(ratings_of(panel))


SCREEN = ScreenSpec(name="item_analysis", title="Criteria", opener=ItemAnalysisScreen)
