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
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from rubrictui.core.adjudication import SettlementDesk, answers_of, panel_answers, same_choice
from rubrictui.core.adjudication_matrix import SETTLEMENT, standing_words
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Answer, NotApplicablePolicy, fold_id
from rubrictui.core.plan import Leaf, plan_of
from rubrictui.screens import ScreenSpec
from rubrictui.screens.adjudication_session import SettlementSession
from rubrictui.screens.adjudication_words import desk_summary, reason_words, scale_words, score_words
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.confirm import confirmed
from rubrictui.screens.matrix_words import all_said, cell_words, row_words
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.level_keys import LevelEntry, Pending, Picked, Refused, level_keys
from rubrictui.widgets.number_entry import NumberEntry
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.quiet_lines import QuietLines
from rubrictui.widgets.rationale_editor import RationaleEditor
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.settle_view import SettleView
from rubrictui.widgets.text import one_line
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.core.matrix import Matrix
    from rubrictui.engine import Engine

NOTE = "note"
SLOW_STORE_WAIT = 0.5
"""Seconds until a text that is being typed is stored on a server. A store on this machine takes every key at once."""


class SettleScreen(ShellScreen[None]):
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
        "reason of the settlement, o writes a note to it. All is kept as you type it; S makes it stand, and X throws "
        "away what is not settled yet. What stands can be settled again: the first settlement stays in the record."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "rationale", "Rationale", id="settle.rationale", tooltip="Write to this criterion"),
        Binding("w", "reason", "Reason", id="settle.reason", tooltip="Why they came to lie apart"),
        Binding("o", "note", "Note", id="settle.note", tooltip="What else there is to say"),
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

    def __init__(self, ref: str, subject: str) -> None:
        super().__init__()
        self._ref, self._subject = ref, subject
        self._session: SettlementSession | None = None
        self._matrix: Matrix | None = None
        self._is_local = True
        self._entry: tuple[str, LevelEntry] | None = None
        self._editor: RationaleEditor | None = None
        self._typed: tuple[str, str] | None = None
        self._timer: Timer | None = None
        self._may_leave_unsaved = False

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

    # -- showing

    @property
    def view(self) -> SettleView:
        """The matrix on the screen."""
        return self.query_one(SettleView)

    def _show(self) -> None:
        """Draw the settlement as it is now."""
        session = self._session
        if session is None or not self.is_attached:
            return
        self._matrix, result = session.matrix()
        self.view.show(self._matrix)
        summary = desk_summary(session.desk, self._matrix, self.view.disagreements)
        self.query_one("#summary", Static).update(Content(one_line(summary)))
        parts = [session.state, score_words(self._matrix, result)]
        self.query_one(TitleBar).right = " · ".join(part for part in parts if part)
        self._show_detail()
        self.refresh_bindings()

    def _show_detail(self) -> None:
        """The four lines below: the row, the cell, how to answer, what was written."""
        session, matrix, view = self._session, self._matrix, self.view
        if session is None or matrix is None or (row := view.row) is None:
            return
        column = view.column
        leaf = self._leaf
        typed = self._entry[1].typed if self._entry and leaf and self._entry[0] == leaf.node.id else ""
        self.query_one(QuietLines).show(
            (
                row_words(row, matrix.display),
                cell_words(column, view.cell, matrix.display) if column is not None else "",
                f"{scale_words(leaf)}{f'  [{typed}_' if typed else ''}" if view.is_open else "",
                reason_words(
                    session.desk,
                    session.reason,
                    session.note,
                    session.answer(leaf.node.id) if leaf is not None else None,
                ),
            )
        )

    @property
    def _leaf(self) -> Leaf | None:
        """The criterion under the cursor; None on a group and on the overall scores."""
        session, row = self._session, self.view.row
        if session is None or row is None or row.is_group or row.is_overall:
            return None
        leaves = plan_of(session.desk.version).leaf_of.values()
        return next((leaf for leaf in leaves if leaf.node.key == row.key), None)

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

    def on_settle_view_typed(self, message: SettleView.Typed) -> None:
        leaf = self._leaf
        if leaf is None or leaf.scale is None or self.query(PromptLine):
            self.say("Digits answer criteria: move to one.")
            return
        if leaf.is_numeric:
            label = f"{leaf.name} ({scale_words(leaf).removeprefix('Type a number: ').partition(' · ')[0]})"
            self.mount(
                PromptLine(label, value=message.character, purpose=leaf.node.id),
                before=self.query_one(KeyFooter),
            )
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

    def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        session, leaf = self._session, self._leaf
        if session is None or leaf is None or leaf.scale is None:
            return
        entry = NumberEntry(session.desk.version, leaf.node, leaf.scale)
        for character in message.value:
            entry = entry.feed(character)
        if entry.problem or entry.value is None or len(entry.typed) != len(message.value):
            self.say(entry.problem or "Type a number.", error=True)
            return
        self._close_prompt()
        self._answer(leaf, Answer(criterion_id=leaf.node.id, raw_value=entry.value))

    def on_prompt_line_left(self) -> None:
        self._close_prompt()

    def _close_prompt(self) -> None:
        self.query(PromptLine).remove()
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
        if session.change(replace(chosen, rationale=before.rationale, evidence=before.evidence)):
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

    # -- writing

    async def action_rationale(self) -> None:
        """Write the rationale of the criterion under the cursor."""
        session, leaf = self._session, self._leaf
        if session is None or leaf is None:
            self.say("A rationale belongs to a criterion: move to one.")
            return
        text = session.answer(leaf.node.id).rationale or ""
        await self._write(leaf.node.id, f"Rationale · {leaf.name}", text)

    async def action_note(self) -> None:
        """Write the note to the settlement."""
        if self._session is not None:
            await self._write(NOTE, "Note to the settlement", self._session.note)

    async def _write(self, id: str, title: str, text: str) -> None:
        if self._editor is None:
            self._editor = RationaleEditor(id, title, text)
            await self.mount(self._editor, before=self.query_one(KeyFooter))
            self._editor.take_focus()
            self.refresh_bindings()

    def on_rationale_editor_typed(self, message: RationaleEditor.Typed) -> None:
        self._typed = (message.editor.criterion_id, message.editor.text)
        if self._is_local:
            self._store_typed()
        elif self._timer is None:
            # Not begun anew by the next key: who types without a pause is not left unsaved.
            self._timer = self.set_timer(SLOW_STORE_WAIT, self._store_typed)

    def _put_typed(self) -> None:
        """Take what stands in the text area into the settlement."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        session = self._session
        if self._typed is None or session is None:
            return
        (id, text), self._typed = self._typed, None
        if id == NOTE:
            session.set_note(text)
        else:
            session.change(replace(session.answer(id), rationale=text or None))

    def _store_typed(self) -> None:
        self._put_typed()
        self._store()

    async def on_rationale_editor_closed(self, message: RationaleEditor.Closed) -> None:
        self._store_typed()
        if self._editor is not None:
            editor, self._editor = self._editor, None
            await editor.remove()
        self.view.focus()
        self._show()

    def on_rationale_editor_phrases_requested(self, message: RationaleEditor.PhrasesRequested) -> None:
        self._phrases(message.editor)

    @work(exit_on_error=False, exclusive=True, group="phrases")
    async def _phrases(self, editor: RationaleEditor) -> None:
        from rubrictui.screens.scoring_words import PhrasesScreen

        leaf = self._leaf
        key = leaf.node.key if leaf is not None and editor.criterion_id != NOTE else ""
        engine = await self.shell.engine()
        text = await self.app.push_screen_wait(PhrasesScreen(engine, key, editor.selected))
        if text and self._editor is editor:
            editor.insert(text)

    def on_rationale_editor_external_requested(self, message: RationaleEditor.ExternalRequested) -> None:
        from textual.app import SuspendNotSupported

        from rubrictui.screens.scoring_external import edit

        self.flush()
        try:
            with self.app.suspend():
                message.editor.put(edit(message.editor.text))
        except SuspendNotSupported:
            self.say("This terminal cannot be lent to an editor: write here.", error=True)
        except RubrictuiError as error:
            self.say(str(error), error=True)

    @work(exit_on_error=False, exclusive=True, group="reason")
    async def action_reason(self) -> None:
        """Choose the reason of the settlement."""
        await self._choose_reason()

    async def _choose_reason(self) -> bool:
        session = self._session
        if session is None:
            return False
        rows = [Row(one.label, (one.label, one.description)) for one in session.desk.reasons]
        columns = (Column("Reason", share=2, minimum=20), Column("What it means", share=3, minimum=20))
        question = ChooseScreen("Why did they come to lie apart?", columns, rows, cursor=session.reason)
        chosen = await self.app.push_screen_wait(question)
        if chosen is None:
            return False
        session.set_reason(chosen)
        self._store()
        return True

    # -- storing

    def _store(self) -> None:
        """Write what waits: at once on this machine, in a thread on a server."""
        session = self._session
        if session is None:
            return
        self._may_leave_unsaved = False
        if self._is_local:
            self._stored(session.store())
        else:
            self._show()
            self._store_far()

    @work(exit_on_error=False, group="store")
    async def _store_far(self) -> None:
        async with self._turn:
            if self._session is not None:
                self._stored(await asyncio.to_thread(self._session.store))

    @property
    def _turn(self) -> asyncio.Lock:
        lock: asyncio.Lock = self.__dict__.setdefault("_one_at_a_time", asyncio.Lock())
        return lock

    def _stored(self, is_stored: bool) -> None:
        session = self._session
        if session is not None and not is_stored and session.failure is not None:
            self.say(f"NOT SAVED: {session.failure}", error=True)
        self._show()

    def flush(self) -> None:
        """Make durable what is typed, and where the cursor is."""
        session = self._session
        if session is None or session.refused:
            return
        self._put_typed()
        row = self.view.row if self.is_attached else None
        session.store(cursor=row.key if row is not None else None)

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
