"""Settling one subject: the evaluators side by side, and beside them what is settled, scored as it is typed.

Every key is stored as it is pressed; a store on a server takes it in a thread, and the title says how far it is.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from rubrictui.core.adjudication import SettlementDesk, answers_of, panel_answers, same_choice
from rubrictui.core.adjudication_matrix import SETTLEMENT, standing_words
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Answer, NotApplicablePolicy, fold_id
from rubrictui.core.plan import Leaf, plan_of
from rubrictui.screens import ScreenSpec
from rubrictui.screens.adjudication_base import SettleBase
from rubrictui.screens.adjudication_session import SettlementSession
from rubrictui.screens.adjudication_words import scale_words, score_words
from rubrictui.screens.confirm import confirmed
from rubrictui.screens.matrix_words import all_said, row_words
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.level_keys import LevelEntry, Pending, Picked, Refused, level_keys
from rubrictui.widgets.number_entry import NumberEntry
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.quiet_lines import QuietLines
from rubrictui.widgets.settle_view import SettleView
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine


class SettleScreen(SettleBase):
    """One subject of the queue.

    Args:
        ref, subject: the round's context and the subject, by id or ``Entity/record``.
    """

    TITLE = "Settle"
    AUTO_FOCUS = "SettleView"
    HELP = (
        "The first column is what you settle, the others are the evaluators. It begins from the panel's middle: what "
        "most of them chose, or the median of their numbers. A digit picks a level for the criterion under the cursor, "
        "n says that it does not apply, backspace takes the answer away. With the cursor in an evaluator's column c "
        "takes that answer, C the whole column; p goes back to the panel's middle throughout. d goes to the next "
        "disagreement, Enter opens the reasons of the evaluators. r writes a rationale to the criterion, w chooses the "
        "reason of the settlement, o writes a note to it, for the panel: letters have the reason alone. All is kept as you type it; S makes it stand, and X throws "
        "away what is not settled yet. What stands can be settled again: the first settlement stays in the record."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "rationale", "Rationale", id="settle.rationale", tooltip="Write to this criterion"),
        Binding("w", "reason", "Reason", id="settle.reason", tooltip="Why they came to lie apart"),
        Binding(
            "o", "note", "Note", id="settle.note", tooltip="What else the panel should know; no letter has it"
        ),
        Binding("S", "settle", "Settle", id="settle.settle", tooltip="Make it stand"),
        Binding("p", "panel", "Panel's middle", show=False, id="settle.panel", tooltip="Begin from it again"),
        Binding("X", "discard", "Discard", show=False, id="settle.discard", tooltip="Throw away your draft"),
        Binding("escape", "back", "Back", key_display="Esc", id="settle.back"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | r | The rationale of the criterion. |
    | w | The reason of the settlement. |
    | o | The note to it. |
    | S | Settle. |
    | p | The panel's middle throughout. |
    | X | Throw away what was begun. |
    | escape | Back; everything is kept. |
    """

    DEFAULT_CSS = """
    SettleScreen {
        & > #summary { height: auto; max-height: 2; padding: 0 1; color: $text-muted; }
        & > RationaleEditor { height: 6; }
    }
    """

    def compose(self) -> ComposeResult:
        yield TitleBar("Settle")
        yield Static("", id="summary", markup=False)
        yield SettleView("Criterion", moved=self._show_detail, empty="Reading the evaluations ...")
        yield QuietLines(4)
        yield KeyFooter()

    def on_mount(self) -> None:
        self._load()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _load(self) -> None:
        engine = await self.shell.engine()

        def read(engine: Engine) -> SettlementDesk:
            return engine.settlement_desk(self._ref, self._subject)

        try:
            desk = await self.shell.ask(read)
        except RubrictuiError as error:
            self.view.say(str(error))
            raise
        self._is_local = engine.is_local
        self._session = SettlementSession(engine, desk)
        self.view.is_open = not self._session.refused
        self.query_one(TitleBar).title = f"Settle · {desk.subject.title or desk.subject.record_id}"
        self._show()
        if desk.cursor is not None:
            self.view.go_to(desk.cursor)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What changes something takes a subject that can be settled."""
        session = self._session
        if action == "rationale":
            return session is not None and not session.refused and self._editor is None
        if action in ("reason", "note", "settle", "panel"):
            return session is not None and not session.refused
        if action == "discard":
            return session is not None and session.is_begun
        return True

    def on_matrix_view_selected(self) -> None:
        """What the evaluators wrote to the criterion, side by side."""
        from rubrictui.screens.matrix_cell import MatrixCellScreen

        session, row, column = self._session, self.view.row, self.view.column
        if session is None or row is None:
            return
        matrix = session.evaluators
        theirs = next(one for one in matrix.rows if one.key == row.key)
        said = all_said(matrix, theirs, session.desk.table)
        chosen = column.id if column is not None else ""
        self.app.push_screen(MatrixCellScreen(row.name, row_words(theirs, matrix.display), said, chosen))

    # -- answering

    async def on_settle_view_typed(self, message: SettleView.Typed) -> None:
        leaf = self._leaf
        if leaf is None or leaf.scale is None or self.is_asking:
            self.say("Digits answer criteria: move to one.")
            return
        if leaf.is_numeric:
            label = f"{leaf.name} ({scale_words(leaf).removeprefix('Type a number: ').partition(' · ')[0]})"
            await self.ask_line(label, leaf.node.id, value=message.character)
            return
        if message.character == "-":
            return
        if self._entry is None or self._entry[0] != leaf.node.id:
            self._entry = (leaf.node.id, LevelEntry(level_keys(leaf.scale.levels)))
        outcome = self._entry[1].feed(message.character)
        if isinstance(outcome, Pending):
            self._show_detail()
            return
        self._entry = None
        if isinstance(outcome, Refused):
            self.say(outcome.reason, error=True)
            self._show_detail()
        elif isinstance(outcome, Picked):
            self._answer(leaf, Answer(criterion_id=leaf.node.id, scale_level_id=outcome.level.id))

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        session, leaf = self._session, self._leaf
        if session is None or leaf is None or leaf.scale is None:
            return
        entry = NumberEntry(session.desk.version, leaf.node, leaf.scale)
        for character in message.value:
            entry = entry.feed(character)
        if entry.problem or entry.value is None or len(entry.typed) != len(message.value):
            self.say(entry.problem or "Type a number.", error=True)
            return
        await self.end_line()
        self._answer(leaf, Answer(criterion_id=leaf.node.id, raw_value=entry.value))

    def line_ended(self, purpose: str) -> None:
        self.view.focus()

    def on_settle_view_asked(self, message: SettleView.Asked) -> None:
        leaf = self._leaf
        if message.what == "take_all":
            self._take_column()
        elif leaf is None:
            self.say("This answers criteria: move to one.")
        elif message.what == "take":
            self._take_cell(leaf)
        elif message.what == "clear":
            self._answer(leaf, Answer(criterion_id=leaf.node.id))
        elif leaf.policy is NotApplicablePolicy.NOT_ALLOWED:
            self.say(f"{leaf.name} always applies: choose a level.", error=True)
        else:
            self._answer(leaf, Answer(criterion_id=leaf.node.id, is_not_applicable=True))

    def _answer(self, leaf: Leaf, chosen: Answer) -> None:
        """Settle a criterion on what was chosen; what was written to it stays."""
        session = self._session
        if session is None:
            return
        before = session.answer(leaf.node.id)
        is_new = session.change(replace(chosen, rationale=before.rationale, evidence=before.evidence))
        if is_new or session.waiting:
            self._store()

    def _take_cell(self, leaf: Leaf) -> None:
        session, column = self._session, self.view.column
        if session is None or column is None or column.id == SETTLEMENT:
            self.say("Move to the column of an evaluator: c takes the answer there.")
            return
        one = next(one for one in session.desk.table.evaluations if one.id == column.id)
        found = {fold_id(answer.criterion_id): answer for answer in answers_of(session.desk.version, one)}
        chosen = found.get(fold_id(leaf.node.id))
        if chosen is None:
            self.say(f"{column.name} has no answer here that this version knows.")
        elif same_choice(chosen, session.answer(leaf.node.id)):
            self.say(f"{column.name} chose the same.")
        else:
            self._answer(leaf, chosen)

    def _take_column(self) -> None:
        session, column = self._session, self.view.column
        if session is None or column is None or column.id == SETTLEMENT:
            self.say("Move to the column of an evaluator: C takes all of it.")
            return
        if column.kind in ("superseded", "withdrawn"):
            self.say(f"{column.heading} cannot be taken as a whole; c takes single answers.")
            return
        one = next(one for one in session.desk.table.evaluations if one.id == column.id)
        session.take(one)
        self._store()
        self.say(f"All answers of {column.name} taken. p goes back to the panel's middle.")

    def action_panel(self) -> None:
        """Choose throughout as the panel's middle."""
        session = self._session
        if session is not None and panel_answers(session.desk.table):
            session.take(None)
            self._store()

    # -- its end

    @work(exit_on_error=False, exclusive=True, group="settle")
    async def action_settle(self) -> None:
        """Make it stand, after a question."""
        session, matrix = self._session, self._matrix
        if session is None or matrix is None:
            return
        if session.reason is None and not await self._choose_reason():
            return
        self.flush()
        if session.failure is not None:
            self._stored(False)
            return
        _, result = session.matrix()
        words = [f"It stands at {score_words(matrix, result)}. Reason: {session.reason}."]
        left = sum(
            not session.answer(leaf.node.id).is_answered
            for leaf in plan_of(session.desk.version).leaf_of.values()
        )
        if left:
            words.append(f"{left} of the criteria have no answer.")
        if session.desk.settlement is not None:
            words.append(f"It corrects: {standing_words(session.desk.settlement)}. That stays in the record.")
        words.append(
            "It cannot be changed afterwards, only corrected by another one. It enters no mean and no ranking."
        )
        if not await confirmed(self, "Settle this subject?", " ".join(words), yes="Settle it", no="Not yet"):
            return
        try:
            done = await asyncio.to_thread(session.settle)
        except RubrictuiError as error:
            problems = getattr(error, "problems", ())
            if problems:
                self.view.go_to(problems[0].key)
            raise
        self.say(f"{done.subject_title}: settled at {done.display_score}.")
        self._session = None
        self.dismiss(None)

    @work(exit_on_error=False, exclusive=True, group="settle")
    async def action_discard(self) -> None:
        """Throw away what was begun, after a question."""
        session = self._session
        if session is None or not session.is_begun:
            return
        about = "What you have begun to settle here is thrown away. What stands, and the evaluations, stay as they are."
        if await confirmed(self, "Throw away your draft?", about, yes="Throw it away", no="Keep it"):
            await asyncio.to_thread(session.discard)
            self._session = None
            self.dismiss(None)

    def action_back(self) -> None:
        """Go back; everything is kept."""
        self.flush()
        session = self._session
        if session is not None and session.failure is not None and not self._may_leave_unsaved:
            self._may_leave_unsaved = True
            self.say(f"NOT SAVED: {session.failure} Esc once more leaves without it.", error=True)
            self._show()
            return
        self.dismiss(None)


SCREEN = ScreenSpec(name="adjudication_settle", title="Settle", opener=SettleScreen)
