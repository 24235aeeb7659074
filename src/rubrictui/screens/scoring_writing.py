"""Writing on the scoring form: rationale, evidence and quotes, phrases, earlier answers; and searching."""

from __future__ import annotations

from msgspec.structs import replace

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Evidence, EvidenceKind, fold_id
from rubrictui.core.records import PastAnswer
from rubrictui.screens.scoring_base import FormBase
from rubrictui.widgets.evidence_panel import EvidencePanel
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rationale_editor import RationaleEditor
from rubrictui.widgets.subject_view import SubjectView

SLOW_STORE_WAIT = 0.5
"""Seconds after the first change that is not stored until a rationale is, on a store across a network. A store
on this machine takes every change at once."""

_SEARCH = "search"
_FIND = "find"


class WritingForm(FormBase):
    """What is written and cited about the criterion under the cursor."""

    # -- searching and finding

    async def action_search(self) -> None:
        """Search within the subject."""
        await self.ask_line("Search", _SEARCH, value=self.subject.words)

    async def action_find(self) -> None:
        """Find a criterion by its words."""
        await self.ask_line("Find", _FIND)

    def on_prompt_line_typed(self, message: PromptLine.Typed) -> None:
        if message.prompt.purpose == _FIND and message.value.strip():
            self.criteria.find(message.value)

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        purpose = message.prompt.purpose
        await self.end_line()
        if purpose == _SEARCH:
            self.subject.search(message.value)
        elif message.value and not self.criteria.find(message.value):
            self.say("No criterion has these words.")

    def line_ended(self, purpose: str) -> None:
        if purpose == _SEARCH:
            self.set_focus(self.subject)
        else:
            self._focus_main()

    # -- rationale

    async def action_rationale(self) -> None:
        """Write the rationale of the criterion under the cursor."""
        if (node := self._current) is None or self._editor is not None:
            return
        self.remove_class("-reading")
        self._typing_number += 1
        text = self.session.answer(node.id).rationale or ""
        self._editor = RationaleEditor(fold_id(node.id), f"Rationale · {self._title(node)}", text)
        await self.mount(self._editor, before="KeyFooter")
        self._editor.take_focus()
        self.call_after_refresh(self._after_panel)

    async def _close_panel(self) -> None:
        """Take the open panel away and go back to the criteria."""
        panels = (self._editor, self._panel)
        self._editor = self._panel = None
        for panel in panels:
            if panel is not None:
                await panel.remove()
        self._focus_main()
        self._after_panel()

    def _after_panel(self) -> None:
        self.criteria.show_cursor()
        self.refresh_bindings()

    def on_rationale_editor_typed(self, message: RationaleEditor.Typed) -> None:
        self._typed = (message.editor.criterion_id, message.editor.text)
        if self._is_local:
            self._store_typed()
        elif self._typing_timer is None:
            # Not begun anew by the next key: who types without a pause is not left unsaved.
            self._typing_timer = self.set_timer(SLOW_STORE_WAIT, self._store_typed)
            self._show_state()

    def _store_typed(self) -> None:
        """Store the rationale as it stands in the text area."""
        if self._typing_timer is not None:
            self._typing_timer.stop()
            self._typing_timer = None
        if self._typed is None:
            return
        (leaf, text), self._typed = self._typed, None
        answer = replace(self.session.answer(leaf), rationale=text)
        self._change(answer, group=f"typing {self._typing_number}")

    async def on_rationale_editor_closed(self, message: RationaleEditor.Closed) -> None:
        self._store_typed()
        await self._close_panel()

    def on_rationale_editor_phrases_requested(self, message: RationaleEditor.PhrasesRequested) -> None:
        self._offer_phrases(message.editor)

    async def action_phrases(self) -> None:
        """Write with one of your phrases."""
        await self.action_rationale()
        self._offer_phrases()

    def _offer_phrases(self, editor: RationaleEditor | None = None) -> None:
        from rubrictui.screens.scoring_words import PhrasesScreen

        open_editor = editor or self._editor
        if open_editor is None:
            return
        self._store_typed()

        def insert(text: str | None) -> None:
            if text:
                open_editor.insert(text)

        node = self._criteria_by_id[open_editor.criterion_id]
        self.app.push_screen(PhrasesScreen(self._engine, node.key, open_editor.selected), insert)

    def on_rationale_editor_external_requested(self, message: RationaleEditor.ExternalRequested) -> None:
        if (text := self._write_outside(message.editor.text)) is not None:
            message.editor.put(text)

    def action_external(self) -> None:
        """Write the rationale in ``$EDITOR``."""
        if (node := self._current) is None:
            return
        answer = self.session.answer(node.id)
        if (text := self._write_outside(answer.rationale or "")) is not None:
            self._change(replace(answer, rationale=text))

    def _write_outside(self, text: str) -> str | None:
        """What the reviewer's own editor made of the text; None when there is nothing to take over."""
        from textual.app import SuspendNotSupported

        from rubrictui.screens.scoring_external import edit

        self.flush()
        try:
            with self.app.suspend():
                return edit(text)
        except SuspendNotSupported:
            self.say("This terminal cannot be lent to an editor: write here.", error=True)
        except RubrictuiError as error:
            self.say(str(error), error=True)
        return None

    # -- evidence

    async def action_evidence(self) -> None:
        """Edit the evidence of the criterion under the cursor."""
        if (node := self._current) is None or self._panel is not None:
            return
        self.remove_class("-reading")
        self._panel = EvidencePanel(
            fold_id(node.id),
            f"Evidence · {self._title(node)}",
            self.session.draft.subject,
            self.session.answer(node.id).evidence,
        )
        await self.mount(self._panel, before="KeyFooter")
        self._panel.take_focus()
        self.call_after_refresh(self._after_panel)

    def action_quote(self) -> None:
        """Pick a quote in the subject as evidence for the criterion under the cursor."""
        if self._current is not None:
            self._returns_to_criteria = True
            self._read_for_panel()
            self.subject.pick_somewhere()

    def on_evidence_panel_changed(self, message: EvidencePanel.Changed) -> None:
        answer = self.session.answer(message.panel.criterion_id)
        self._change(replace(answer, evidence=message.evidence))
        self.refresh_bindings()

    def on_evidence_panel_refused(self, message: EvidencePanel.Refused) -> None:
        self.say(message.reason, error=True)

    async def on_evidence_panel_closed(self, message: EvidencePanel.Closed) -> None:
        await self._close_panel()

    def on_evidence_panel_quote_requested(self, message: EvidencePanel.QuoteRequested) -> None:
        self.add_class("-quoting")
        self._read_for_panel()
        self.subject.pick_somewhere()

    def on_evidence_panel_show_requested(self, message: EvidencePanel.ShowRequested) -> None:
        item = message.evidence
        self._read_for_panel()
        if not self.subject.show_quote(item.source or "text", item.text, item.start):
            self.say("That quote does not stand in the subject.")

    def _read_for_panel(self) -> None:
        """The subject in view and with the keys; the panel waits below."""
        self.add_class("-reading")
        self.set_focus(self.subject)

    def on_subject_view_quote_picked(self, message: SubjectView.QuotePicked) -> None:
        item = Evidence(
            kind=EvidenceKind.QUOTE,
            text=message.text,
            source=message.source,
            start=message.start,
            end=message.end,
        )
        if (panel := self._panel) is not None:
            panel.add(item)
        elif (node := self._current) is not None:
            answer = self.session.answer(node.id)
            if item not in answer.evidence:
                self._change(replace(answer, evidence=(*answer.evidence, item)))
            self.say(f"Quoted for {self._title(node)}.")
        self._picking_over()

    def on_subject_view_picking_ended(self) -> None:
        self._picking_over()

    def _picking_over(self) -> None:
        """Back to where the quote was asked for: the panel or the criteria; else the subject keeps the keys."""
        self.remove_class("-quoting")
        if self._panel is not None or self._returns_to_criteria:
            self._returns_to_criteria = False
            self.remove_class("-reading")
            self._focus_main()

    # -- past answers

    def action_past(self) -> None:
        """Show her own earlier answers to this criterion."""
        from rubrictui.screens.scoring_words import PastAnswersScreen

        if (node := self._current) is None:
            return
        draft = self.session.draft
        found = self._engine.past_answers(node.key, draft.evaluation.rubric_id, excluding=draft.evaluation.id)

        def copy(text: str | None) -> None:
            if text:
                answer = self.session.answer(node.id)
                joined = f"{answer.rationale.rstrip()}\n{text}" if answer.rationale else text
                self._change(replace(answer, rationale=joined))

        self.app.push_screen(
            PastAnswersScreen(f"Your earlier answers · {self._title(node)}", found, draft.version, self._day),
            copy,
        )

    def _day(self, past: PastAnswer) -> str:
        return f"{past.at.astimezone(self.shell.zone):%Y-%m-%d}" if past.at else ""
