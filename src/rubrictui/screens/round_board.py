"""How far a round is: a line for each reviewer and each subject, and the ways on to ranking and agreement."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.core.adjudication import Adjudication, may_settle
from rubrictui.core.namesakes import told_apart
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.rounds import ReviewerProgress, RoundOverview, SubjectProgress
from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import ListScreen
from rubrictui.screens.rounds import BLINDING_WORDS, due_words
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.matrix_lines import FLIP, SPREAD
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted, one_line
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine

COLUMNS: tuple[Column, ...] = (
    Column("", share=3, minimum=22),
    Column("Done", width=9),
    Column("", share=2, minimum=14),
    Column("Mean", width=6, right=True),
    Column("Spread", width=6, right=True),
)

SUBJECT = "s:"
REVIEWER = "r:"
HIDDEN = "hidden from you"
NONE_SETTLED: Mapping[str, Adjudication] = MappingProxyType({})


def board_rows(overview: RoundOverview, settled: Mapping[str, Adjudication] = NONE_SETTLED) -> list[Row]:
    """The reviewers, then the subjects; ``settled`` are the settlements that stand, by subject id."""
    names = told_apart((one.display_name or one.user_name, one.user_name) for one in overview.reviewers)
    rows = [_reviewer_row(one, names[one.user_name]) for one in overview.reviewers]
    disagreeing = set(overview.disagreements)
    rows += [
        _subject_row(one, overview.display, one.subject_id in disagreeing, settled.get(one.subject_id))
        for one in overview.subjects
    ]
    return rows


def _reviewer_row(one: ReviewerProgress, name: str) -> Row:
    open_ones = one.assigned - one.submitted
    words = [f"{one.begun} begun"] if one.begun and open_ones else []
    words += [
        f"{count} {word}"
        for count, word in (
            (one.overdue, "overdue"),
            (one.declined, "declined"),
            (one.released, "released"),
            (one.hidden, "hidden"),
        )
        if count
    ]
    is_done = open_ones == 0 and one.assigned > 0
    return Row(
        id=REVIEWER + one.user_id,
        cells=(
            name,
            f"{one.submitted} of {one.assigned}" if one.assigned else "",
            ", ".join(words),
            "",
            "",
        ),
        section="Reviewers",
        mark="✓" if is_done else " ",
        tones=("", "success" if is_done else "", "warning" if one.overdue else "muted", "", ""),
        search=one.user_name,
    )


def _subject_row(
    one: SubjectProgress, display: DisplayRange, disagrees: bool, settled: Adjudication | None
) -> Row:
    wanted = one.wanted or one.assigned
    if one.is_blind:
        cells = (one.title, "", HIDDEN, "", "")
        return Row(id=SUBJECT + one.subject_id, cells=cells, section="Subjects", tone="muted")
    words, mark = "", " "
    if disagrees:
        mark = FLIP if one.flips else SPREAD
        words = "verdicts differ" if one.flips else "scores lie apart"
    tone = "error" if one.flips and disagrees else "warning" if disagrees else ""
    if settled is not None:
        words, tone = f"settled at {settled.display_score}", ""
    is_done = one.done is not None and 0 < wanted <= one.done
    return Row(
        id=SUBJECT + one.subject_id,
        cells=(
            one.title,
            _done_words(one, wanted),
            words,
            display.score(one.mean) if one.mean is not None else "",
            display.spread(one.spread) if one.spread is not None and (one.count or 0) > 1 else "",
        ),
        section="Subjects",
        mark=mark,
        tone=tone,
        tones=("", "success" if is_done else "", tone, "", tone),
        search=f"{one.entity}/{one.record_id} {'disagrees' if disagrees else ''}",
    )


def _done_words(one: SubjectProgress, wanted: int) -> str:
    if not wanted:  # nobody is asked: what came in all the same
        return f"{one.count} in" if one.count else ""
    return f"{one.done} of {wanted}" if one.done is not None else ""


def overview_words(overview: RoundOverview, zone: tzinfo | None, *, settled: int = 0) -> str:
    """One line above the rows."""
    found = overview.round
    parts = [found.state]
    if due := due_words(found, zone):
        parts.append(f"due {due}")
    if overview.hidden:
        parts.append(f"{counted(overview.hidden, 'subject')} hidden from you")
    if any(one.count for one in overview.subjects):
        count = len(overview.disagreements)
        spread = overview.display.spread(found.rules.disagreement_threshold, 2)
        verb = "disagrees" if count == 1 else "disagree"
        words = f"{counted(count, 'subject')} {verb}" if count else "no subject disagrees"
        parts.append(f"{words} ({SPREAD} from {spread} points)" + (f", {settled} settled" if settled else ""))
    parts.append(BLINDING_WORDS[found.rules.blinding])
    return " · ".join(parts)


class RoundBoardScreen(ListScreen[None]):
    """One round.

    Args:
        ref: its context, by id or ``Entity/record``.
    """

    TITLE = "Round"
    COLUMNS = COLUMNS
    READING = "Reading the round ..."
    IN_STORE = False
    HELP = (
        "How far each reviewer and each subject of the round is. ▲ marks a subject whose scores lie apart by the "
        "threshold of the round or more, ≠ one that some passed and some did not. Enter on a subject lays its "
        "evaluations side by side. t shows all subjects by all evaluators, with the ranking; a measures how far the "
        "panel agrees; s settles what disagrees; i says which criteria tell little. Subjects on which you have open work are "
        "hidden, and in no figure here."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "table", "Rank", id="round.table", tooltip="Subjects by evaluators, with the ranking"),
        Binding("a", "agreement", "Agree", id="round.agreement", tooltip="How far the panel agrees"),
        Binding("s", "settle", "Settle", id="round.settle", tooltip="What disagrees and waits to be settled"),
        Binding(
            "i", "items", "Items", id="round.items", tooltip="Which criteria tell little, and what to do"
        ),
        Binding(
            "w", "write", "Write", id="round.write", tooltip="Write the report, letters, anonymised subjects"
        ),
        Binding(
            "slash",
            "filter",
            "Filter",
            key_display="/",
            id="round.filter",
            tooltip="Show rows with these words; disagrees finds disagreements",
        ),
        Binding("R", "reload", "Reload", show=False, id="round.reload", tooltip="Read the round again"),
        Binding("escape", "back", "Back", key_display="Esc", id="round.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | The evaluations of the subject side by side. |
    | t | Subjects by evaluators, with the ranking. |
    | a | The agreement of the panel. |
    | s | What disagrees and waits to be settled, and what was. |
    | i | Item analysis of the criteria. |
    | w | Write the report, letters to the people scored, anonymised subjects. |
    | / | Filter. |
    | R | Read the round again. |
    | escape | Clear the filter; back. |
    """

    DEFAULT_CSS = """
    RoundBoardScreen > #summary { height: auto; max-height: 2; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, ref: str) -> None:
        super().__init__()
        self._ref = ref
        self._overview: RoundOverview | None = None
        self._may_settle = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Settling is for who runs rounds and reads all."""
        return self._may_settle if action == "settle" else True

    def on_screen_resume(self) -> None:
        self.action_reload()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def action_reload(self) -> None:
        """Read the round again."""
        overview, settled = await self.shell.ask(lambda engine: _read(engine, self._ref))
        self._overview = overview
        self._may_settle = may_settle((await self.shell.engine()).user.roles)
        self.refresh_bindings()
        title = self.query_one(TitleBar)
        context = overview.round.context
        title.title = f"Round · {context.name or context.record_id}"
        title.right = f"{overview.round.rubric_name or ''} {overview.round.version_number or ''}".strip()
        listed = self.query_one(RowsList)
        listed.empty = "Nobody is asked for anything here yet: rubrictui round assign."
        listed.set_rows(board_rows(overview, settled))
        words = overview_words(overview, self.shell.zone, settled=len(settled))
        self.query_one("#summary", Static).update(Content(one_line(words)))
        self.query_one(FilterLine).count()

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        from rubrictui.screens.matrix import MatrixScreen

        if message.row.id.startswith(SUBJECT):
            self.app.push_screen(MatrixScreen(message.row.id.removeprefix(SUBJECT), context=self._ref))
        else:
            self.say(f"{message.row.cells[0]}: {message.row.cells[1]} done.")

    def action_table(self) -> None:
        """Subjects by evaluators, with the ranking."""
        from rubrictui.screens.round_matrix import RoundMatrixScreen

        self.app.push_screen(RoundMatrixScreen(self._ref))

    def action_settle(self) -> None:
        """What disagrees and waits to be settled, and what was."""
        from rubrictui.screens.adjudication import AdjudicationScreen

        self.app.push_screen(AdjudicationScreen(self._ref))

    def action_agreement(self) -> None:
        """How far the panel agrees."""
        from rubrictui.screens.agreement import AgreementScreen

        self.app.push_screen(AgreementScreen(self._ref))

    def action_items(self) -> None:
        """Which criteria tell little."""
        from rubrictui.screens.item_analysis import ItemAnalysisScreen

        self.app.push_screen(ItemAnalysisScreen(self._ref))

    def action_write(self) -> None:
        """Write the round to files."""
        from rubrictui.screens.round_writing import RoundWritingScreen

        context = self._overview.round.context if self._overview is not None else None
        name = (context.name or context.record_id) if context is not None else self._ref
        self.app.push_screen(RoundWritingScreen(self._ref, name))


def _read(engine: Engine, ref: str) -> tuple[RoundOverview, dict[str, Adjudication]]:
    overview = engine.round_overview(ref)
    settled = {one.subject_id: one for one in engine.adjudications(ref)}
    return overview, settled


SCREEN = ScreenSpec(name="round_board", title="Round", opener=RoundBoardScreen)
