"""What the screen of a settlement stands on: what is shown, what is written, and how all of it is stored."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual import work
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.plan import Leaf, plan_of
from rubrictui.screens.adjudication_session import SettlementSession
from rubrictui.screens.adjudication_words import (
    desk_summary,
    reason_words,
    scale_words,
    score_words,
    settled_words,
)
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.choose import ChooseScreen
from rubrictui.screens.matrix_words import cell_words, row_words
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.level_keys import LevelEntry
from rubrictui.widgets.quiet_lines import QuietLines
from rubrictui.widgets.rationale_editor import RationaleEditor
from rubrictui.widgets.rows_list import Column, Row
from rubrictui.widgets.settle_view import SettleView
from rubrictui.widgets.text import one_line
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.core.matrix import Matrix

NOTE = "note"
SLOW_STORE_WAIT = 0.5
"""Seconds until a text that is being typed is stored on a server. A store on this machine takes every key at once."""


class SettleBase(ShellScreen[None]):
    """A settlement that is being made, drawn as it is now, every change of it stored."""

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
        summary = desk_summary(session.desk_now, self._matrix, self.view.disagreements)
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
                f"{settled_words(row, matrix.display)}{scale_words(leaf)}{f'  [{typed}_' if typed else ''}"
                if view.is_open
                else "",
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
            await self._write(NOTE, "Note to the settlement, for the panel", self._session.note)

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
