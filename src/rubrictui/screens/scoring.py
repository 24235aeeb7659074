"""The scoring form: the subject on one side, the criteria on the other, everything by keys.

Opened with ``push_screen(ScoringScreen(engine, draft))``. It is dismissed with a ``Finished`` that says how
the draft was left; after a submission the result takes its place. ``flush()`` makes everything typed
durable; the application calls it before it leaves.

What was answered, what is safe and what can be undone is the session's (``scoring_session.py``); what is
drawn and typed is the widgets'. This module carries values between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import TextArea

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.explain import display_score, number
from rubrictui.core.model import Answer, Evidence, EvidenceKind, Node, Outcome, fold_id
from rubrictui.core.records import Draft, PastAnswer
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.scoring_session import Change, DraftSession, Safety
from rubrictui.widgets.criteria_list import CriteriaList
from rubrictui.widgets.evidence_panel import EvidencePanel
from rubrictui.widgets.form_header import FormHeader
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptInput, PromptLine
from rubrictui.widgets.rationale_editor import RationaleEditor
from rubrictui.widgets.subject_pages import subject_pages
from rubrictui.widgets.subject_view import SubjectView

if TYPE_CHECKING:
    from rubrictui.engine import Engine

SIDE_BY_SIDE = 110
"""Columns from which the subject and the criteria stand side by side."""

TYPING_PAUSE = 0.3
"""Seconds after the last character until a rationale is stored."""
CURSOR_PAUSE = 0.15
"""Seconds that the cursor rests on a criterion until its place is stored."""
RETRY_PAUSE = 2.0
"""Seconds between attempts while the store refuses."""

_SEARCH = "search"
_FIND = "find"

_OUTCOME_WORDS = {
    Outcome.PASSED: "would pass",
    Outcome.BELOW_THRESHOLD: "below the threshold",
    Outcome.GATE_FAILED: "a gate fails",
    Outcome.INCOMPLETE: "incomplete",
    Outcome.NOT_APPLICABLE_FAILURE: "fails by N/A",
    Outcome.SCORED: "scored",
}


@dataclass(frozen=True, slots=True)
class Finished:
    """How a draft was left: ``left`` (it stays open), ``submitted`` or ``declined``."""

    state: str
    evaluation_id: str


class ScoringScreen(ShellScreen[Finished]):
    """The form of one draft."""

    TITLE = "Scoring form"
    AUTO_FOCUS = ""
    HELP = (
        "Pick a level with the key drawn beside it; n is not applicable, r writes the rationale, e cites "
        "evidence, > goes to the next criterion that is open or lacks something. Everything is saved as you "
        "type it: the mark at the top says so. Tab changes between the criteria and the subject, S submits "
        "after telling you what will happen.\n\n"
        "Signs: ● chosen, ✓ answered, ! lacks something, ⚑ to return to, ✎ rationale, ❝ evidence; "
        "with a ? behind it, it is required and not there yet."
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (SIDE_BY_SIDE, "-wide")]  # noqa: RUF012 - Textual declares it

    # With priority, so that keys that arrive together act in the order they were typed, and what follows
    # the key of a text field arrives in it.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "r", "rationale", "Rationale", priority=True, id="form.rationale", tooltip="Write the rationale"
        ),
        Binding(
            "e",
            "evidence",
            "Evidence",
            priority=True,
            id="form.evidence",
            tooltip="Quotes, files, links and notes",
        ),
        Binding(
            "S",
            "submit",
            "Submit",
            priority=True,
            id="form.submit",
            tooltip="Say what is missing or what will be frozen, and ask",
        ),
        Binding(
            "tab",
            "swap",
            "Swap",
            key_display="Tab",
            priority=True,
            id="form.swap",
            tooltip="Change between the subject and the criteria",
        ),
        Binding(
            "f",
            "flag",
            "Return to",
            show=False,
            priority=True,
            id="form.flag",
            tooltip="Mark to return to, and back",
        ),
        Binding("u", "undo", "Undo", show=False, priority=True, id="form.undo"),
        Binding("U,ctrl+y", "redo", "Redo", show=False, priority=True, id="form.redo"),
        Binding(
            "p",
            "past",
            "Past answers",
            show=False,
            priority=True,
            id="form.past",
            tooltip="What you answered here for other subjects",
        ),
        Binding(
            "c",
            "phrases",
            "Phrases",
            show=False,
            priority=True,
            id="form.phrases",
            tooltip="Write with your own phrases",
        ),
        Binding(
            "q",
            "quote",
            "Quote",
            show=False,
            priority=True,
            id="form.quote",
            tooltip="Pick a quote as evidence for this criterion",
        ),
        Binding(
            "E",
            "external",
            "$EDITOR",
            show=False,
            priority=True,
            id="form.editor",
            tooltip="Write the rationale in your own editor",
        ),
        Binding(
            "slash",
            "find",
            "Find",
            key_display="/",
            show=False,
            priority=True,
            id="form.find",
            tooltip="Find a criterion by its words",
        ),
        Binding(
            "J", "scroll_subject(3)", "Scroll subject", show=False, priority=True, id="form.subject_down"
        ),
        Binding(
            "K", "scroll_subject(-3)", "Scroll subject back", show=False, priority=True, id="form.subject_up"
        ),
        Binding(
            "v",
            "running_score",
            "Running score",
            show=False,
            priority=True,
            id="form.running_score",
            tooltip="Show the score so far, or hide it",
        ),
        Binding(
            "d",
            "decline",
            "Decline",
            show=False,
            priority=True,
            id="form.decline",
            tooltip="Give this work up, with a reason",
        ),
        Binding(
            "ctrl+s",
            "say_saved",
            "Saved?",
            show=False,
            priority=True,
            id="form.say_saved",
            tooltip="Say whether everything is saved",
        ),
        Binding(
            "escape",
            "leave",
            "Back",
            key_display="Esc",
            show=False,
            priority=True,
            id="form.leave",
            tooltip="Leave; the draft stays",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | r | Write the rationale. |
    | e | Evidence. |
    | q | Pick a quote in the subject as evidence. |
    | E | Write the rationale in ``$EDITOR``. |
    | c | Write with one of your phrases. |
    | p | Your earlier answers to this criterion. |
    | f | Mark to return to. |
    | u / U, ctrl+y | Undo / redo. |
    | / | Find a criterion. |
    | J / K | Scroll the subject while it stands beside the criteria. |
    | v | The running score, which is off unless you turn it on. |
    | tab | Change between subject and criteria. |
    | S | Submit, after a question. |
    | d | Decline, with a reason. |
    | ctrl+s | Say whether everything is saved; it is, as you type. |
    | escape | Leave; the draft stays. |
    """

    DEFAULT_CSS = """
    ScoringScreen {
        & > #panes { height: 1fr; }
        & #panes > SubjectView { width: 1fr; display: none; }
        & #panes > CriteriaList { width: 1fr; }
        &.-reading #panes > SubjectView { display: block; }
        &.-reading #panes > CriteriaList { display: none; }
        &.-wide #panes > SubjectView { display: block; border-right: solid $border; }
        &.-wide #panes > CriteriaList { display: block; }
        &.-quoting > EvidencePanel { display: none; }
    }
    """

    def __init__(self, engine: Engine, draft: Draft) -> None:
        """
        Args:
            engine: the store's engine; calls are made at once, each a few milliseconds on a local store.
            draft: the open draft, whole.
        """
        super().__init__()
        self._engine = engine
        self.session = DraftSession(engine, draft)
        version = draft.version
        about = [f"{version.rubric_name} {version.number or 'draft'}"]
        if draft.context is not None:
            about.append(draft.context.name or draft.context.record_id)
        if draft.evaluation.supersedes_id:
            about.append("correction")
        self.header = FormHeader(draft.subject.title or draft.subject.record_id, " · ".join(about))
        self.subject = SubjectView(subject_pages(draft.subject, version.instructions))
        self.criteria = CriteriaList(
            version, answers=self.session.answers, flagged=self.session.flagged, cursor=draft.cursor
        )
        self._criteria_by_id = {fold_id(node.id): node for node in draft.version.nodes}
        self._not_applicable_before: dict[str, Answer] = {}
        self._typed: tuple[str, str] | None = None
        self._typing_number = 0
        self._typing_timer: Timer | None = None
        self._cursor_timer: Timer | None = None
        self._retry_timer: Timer | None = None
        self._shows_score = False
        self._told_problem = ""
        self._may_leave_unsaved = False
        self._returns_to_criteria = False
        self._editor: RationaleEditor | None = None
        self._panel: EvidencePanel | None = None
        self._prompt: PromptLine | None = None
        if not any(answer.is_answered for answer in self.session.answers.values()):
            # Who begins reads first; who resumes goes on where she was.
            self.set_class(True, "-reading", update=False)

    # -- parts

    def compose(self) -> ComposeResult:
        yield self.header
        with Horizontal(id="panes"):
            yield self.subject
            yield self.criteria
        yield KeyFooter()

    def on_mount(self) -> None:
        draft = self.session.draft
        # At once, not after the first frame: a key may be on its way already.
        self._focus_main()
        self._show_state()
        if draft.evaluation.subject_hash and draft.evaluation.subject_hash != draft.subject.content_hash:
            self.say("The subject has changed since you last opened it: look at what you answered.")

    @property
    def _current(self) -> Node | None:
        return self.criteria.current

    @property
    def _is_wide(self) -> bool:
        return self.app.size.width >= SIDE_BY_SIDE

    def _title(self, node: Node) -> str:
        row = next((row for row in self.criteria.rows if row.id == fold_id(node.id)), None)
        return f"{row.number if row else ''} {node.name or node.key}".strip()

    # -- what is shown about the state

    def _show_state(self) -> None:
        """Whether it is saved, how far it is, and the running score when it is wanted."""
        session = self.session
        safety = (
            Safety.SAVING if self._typed is not None and session.safety is Safety.SAVED else session.safety
        )
        criteria = self.criteria
        parts = [f"{criteria.answered}/{criteria.total} answered"]
        if session.flagged:
            parts.append(f"{len(session.flagged)} ⚑")
        if self._shows_score:
            parts.insert(0, self._score_words())
        self.header.show(
            mark=safety.value, is_safe=safety is not Safety.NOT_SAVED, progress=" · ".join(parts)
        )
        if session.problem and session.problem != self._told_problem:
            self.say(f"NOT SAVED. {session.problem}", error=True)
        self._told_problem = session.problem
        if (
            session.waiting
            and not session.is_closed
            and session.conflict is None
            and self._retry_timer is None
        ):
            self._retry_timer = self.set_timer(RETRY_PAUSE, self._retry)

    def _score_words(self) -> str:
        result = self.session.result()
        if result is None:
            return "no score"
        score = display_score(self.session.version, result.normalized_score)
        shown = "no score" if score is None else f"score {number(round(score, 2))}"
        return f"{shown} ({_OUTCOME_WORDS[result.outcome]})"

    def _retry(self) -> None:
        self._retry_timer = None
        self.session.retry()
        self._show_state()
        self._ask_about_conflict()

    def _show_answer(self, criterion_id: str) -> None:
        kept = self.session.kept(criterion_id)
        self.criteria.set_answer(criterion_id, kept.answer, is_flagged=kept.is_flagged)

    def _change(self, answer: Answer, *, is_flagged: bool | None = None, group: str = "") -> None:
        """Store a changed answer, then show it: in this order, so that what is shown is what is kept."""
        self.session.change(answer, is_flagged=is_flagged, group=group)
        self._show_answer(answer.criterion_id)
        if self.session.refused:
            self.criteria.note(answer.criterion_id, self.session.refused)
        self._may_leave_unsaved = False
        self._show_state()
        self._ask_about_conflict()

    # -- answering

    def on_criteria_list_level_chosen(self, message: CriteriaList.LevelChosen) -> None:
        answer = self.session.answer(message.node.id)
        self._change(
            replace(answer, scale_level_id=message.level.id, raw_value=None, is_not_applicable=False)
        )

    def on_criteria_list_number_entered(self, message: CriteriaList.NumberEntered) -> None:
        answer = self.session.answer(message.node.id)
        self._change(replace(answer, scale_level_id=None, raw_value=message.value, is_not_applicable=False))

    def on_criteria_list_not_applicable_toggled(self, message: CriteriaList.NotApplicableToggled) -> None:
        leaf = fold_id(message.node.id)
        answer = self.session.answer(leaf)
        if answer.is_not_applicable:
            # Back to what it was: taking N/A back is no reason to lose the level chosen before.
            before = self._not_applicable_before.pop(leaf, Answer(criterion_id=answer.criterion_id))
            self._change(
                replace(
                    answer,
                    is_not_applicable=False,
                    scale_level_id=before.scale_level_id,
                    raw_value=before.raw_value,
                )
            )
        else:
            self._not_applicable_before[leaf] = answer
            self._change(replace(answer, is_not_applicable=True, scale_level_id=None, raw_value=None))

    def on_criteria_list_cleared(self, message: CriteriaList.Cleared) -> None:
        answer = self.session.answer(message.node.id)
        self._change(replace(answer, is_not_applicable=False, scale_level_id=None, raw_value=None))

    def on_criteria_list_cursor_moved(self, message: CriteriaList.CursorMoved) -> None:
        self.session.move_cursor(message.node.key)
        if self._cursor_timer is not None:
            self._cursor_timer.stop()
        self._cursor_timer = self.set_timer(CURSOR_PAUSE, self.session.store_cursor)

    def action_flag(self) -> None:
        """Mark the criterion to return to, or take the mark away."""
        if (node := self._current) is not None:
            kept = self.session.kept(node.id)
            self._change(kept.answer, is_flagged=not kept.is_flagged)

    def action_undo(self) -> None:
        """Take the last change back."""
        self.call_later(self._step_back, self.session.undo, "Nothing to undo.")

    def action_redo(self) -> None:
        """Make the change that was taken back once more."""
        self.call_later(self._step_back, self.session.redo, "Nothing to redo.")

    def _step_back(self, step: Callable[[], Change | None], nothing: str) -> None:
        change = step()
        if change is None:
            self.say(nothing)
            return
        self._show_answer(change.criterion_id)
        self.criteria.go_to(self._criteria_by_id[change.criterion_id].key)
        self._show_state()
        self._ask_about_conflict()

    def _ask_about_conflict(self) -> None:
        from rubrictui.screens.scoring_words import ConflictScreen

        conflict = self.session.conflict
        if conflict is None or isinstance(self.app.screen, ConflictScreen):
            return
        node = self._criteria_by_id[conflict.criterion_id]

        def settle(choice: str | None) -> None:
            if choice is None:
                return
            self._show_answer(self.session.settle_conflict(keep_mine=choice == "mine"))
            self._show_state()
            self._ask_about_conflict()

        self.app.push_screen(
            ConflictScreen(
                f"Answered twice: {self._title(node)}",
                conflict.mine.answer,
                conflict.stored.answer,
                self.session.version,
            ),
            settle,
        )

    # -- the panes

    def _focus_main(self) -> None:
        """Put the focus where the reviewer works: an open panel, else the pane in view."""
        if self.has_class("-reading") and not self._is_wide:
            self.set_focus(self.subject)
        elif (editor := self._editor) is not None:
            editor.take_focus()
        elif (panel := self._panel) is not None:
            panel.take_focus()
        else:
            self.set_focus(self.criteria)

    def action_swap(self) -> None:
        """Change between the subject and what is being answered."""
        is_reading = self.subject.has_focus if self._is_wide else self.has_class("-reading")
        if is_reading:
            self.remove_class("-reading")
            self._focus_main()
        else:
            self.add_class("-reading")
            self.set_focus(self.subject)

    def action_scroll_subject(self, rows: int) -> None:
        """Scroll the subject without leaving the criteria."""
        if self._is_wide:
            self.subject.scroll_rows(rows)

    def action_running_score(self) -> None:
        """Show or hide the score so far."""
        self._shows_score = not self._shows_score
        self._show_state()

    def action_say_saved(self) -> None:
        """Say whether everything is saved."""
        self.flush()
        self._show_state()
        if self.session.problem:
            self.say(f"NOT SAVED. {self.session.problem}", error=True)
        else:
            self.say("Everything is saved, as you type it.")

    def on_subject_view_refused(self, message: SubjectView.Refused) -> None:
        self.say(message.reason)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a panel is open, or a quote is picked, only what belongs there has keys."""
        if not self.is_mounted:
            return False
        subject = self.subject
        if action in _FORM_ACTIONS:
            is_busy = self._editor is not None or self._panel is not None or self._prompt is not None
            if is_busy or subject.is_picking:
                return False
            if action == "find":
                return not subject.has_focus
            if action in _CRITERION_ACTIONS:
                return not subject.has_focus or self._is_wide
        if action == "search":
            return subject.has_focus and self._prompt is None
        if action == "swap":
            return not subject.is_picking and self._prompt is None
        if action == "leave":
            is_elsewhere = subject.is_picking or self.criteria.is_typing
            return not (is_elsewhere or isinstance(self.focused, PromptInput | TextArea))
        if action == "scroll_subject":
            return self._is_wide and not isinstance(self.focused, TextArea | PromptInput)
        return True

    # -- searching and finding

    async def action_search(self) -> None:
        """Search within the subject."""
        await self._ask("Search", self.subject.words, _SEARCH)

    async def action_find(self) -> None:
        """Find a criterion by its words."""
        await self._ask("Find", "", _FIND)

    async def _ask(self, label: str, value: str, purpose: str) -> None:
        if self._prompt is None:
            self._prompt = PromptLine(label, value=value, purpose=purpose)
            await self.mount(self._prompt, before="KeyFooter")
            self._prompt.take_focus()
            self.refresh_bindings()

    def on_prompt_line_typed(self, message: PromptLine.Typed) -> None:
        if message.prompt.purpose == _FIND and message.value.strip():
            self.criteria.find(message.value)

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        purpose = message.prompt.purpose
        await self._end_prompt(message.prompt)
        if purpose == _SEARCH:
            self.subject.search(message.value)
        elif message.value and not self.criteria.find(message.value):
            self.say("No criterion has these words.")

    async def on_prompt_line_left(self, message: PromptLine.Left) -> None:
        await self._end_prompt(message.prompt)

    async def _end_prompt(self, prompt: PromptLine) -> None:
        was_search = prompt.purpose == _SEARCH
        self._prompt = None
        await prompt.remove()
        if was_search:
            self.set_focus(self.subject)
        else:
            self._focus_main()
        self.refresh_bindings()

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
        if self._typing_timer is not None:
            self._typing_timer.stop()
        self._typing_timer = self.set_timer(TYPING_PAUSE, self._store_typed)
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

    # -- submitting, declining, leaving

    def action_submit(self) -> None:
        """Say what is missing, or what will be frozen, and ask."""
        # Later means behind the answers that were given before this key and are still on their way here.
        self.call_later(self._offer_submitting)

    def _offer_submitting(self) -> None:
        from rubrictui.screens.scoring_submit import SUBMIT, SubmitScreen

        self.flush()
        self._show_state()
        if self.session.waiting:
            self.say(f"NOT SAVED, so it cannot be submitted. {self.session.problem}", error=True)
            return
        draft = self.session.draft

        def act(choice: str | None) -> None:
            if choice == SUBMIT:
                self._submit()
            elif choice is not None:
                self.remove_class("-reading")
                self.criteria.go_to(choice.removeprefix("go:"))
                self._focus_main()

        preview = self._engine.preview(self.session.evaluation_id)
        title = f"Submit · {draft.subject.title or draft.subject.record_id}"
        self.app.push_screen(SubmitScreen(title, preview, draft.version, self.session.flagged), act)

    def _submit(self) -> None:
        from rubrictui.screens.result import ResultScreen

        try:
            detail = self._engine.submit(self.session.evaluation_id)
        except RubrictuiError as error:
            self.say(str(error), error=True)
            return
        self.session.is_closed = True
        self.app.switch_screen(ResultScreen(self._engine, detail))

    def action_decline(self) -> None:
        """Give this work up, with a reason."""
        from rubrictui.screens.scoring_reason import DECLINE_REASONS, ReasonScreen

        title = self.session.draft.subject.title or self.session.draft.subject.record_id

        def decline(reason: str | None) -> None:
            if reason is None:
                return
            try:
                self._engine.decline_draft(self.session.evaluation_id, reason)
            except RubrictuiError as error:
                self.say(str(error), error=True)
                return
            self.session.is_closed = True
            self.say(f"Declined: {title}.")
            self.dismiss(Finished("declined", self.session.evaluation_id))

        about = (
            "Declining gives this submission back: your draft is closed with the reason, its answers count "
            "nowhere, and whoever assigned it sees why."
        )
        self.app.push_screen(ReasonScreen(f"Decline · {title}", about, DECLINE_REASONS, "declines"), decline)

    async def action_leave(self) -> None:
        """Leave the form; the draft stays as it is. An open panel is closed first."""
        self.flush()
        self._show_state()
        if self._editor is not None or self._panel is not None:
            self.remove_class("-reading")
            await self._close_panel()
            return
        if self.session.waiting and not self._may_leave_unsaved:
            self._may_leave_unsaved = True
            self.say(f"NOT SAVED. {self.session.problem} Esc once more leaves without it.", error=True)
            return
        self.dismiss(Finished("left", self.session.evaluation_id))

    def flush(self) -> None:
        """Make everything typed durable, also what was waiting. Never raises."""
        if self.session.is_closed:
            return
        if self.criteria.is_attached and (number := self.criteria.take_number()) is not None:
            node, value = number
            answer = self.session.answer(node.id)
            self.session.change(
                replace(answer, scale_level_id=None, raw_value=value, is_not_applicable=False)
            )
            self._show_answer(node.id)
        if (editor := self._editor) is not None:
            text = editor.text
            if text != (self.session.answer(editor.criterion_id).rationale or ""):
                self._typed = (editor.criterion_id, text)
        if self._typed is not None:
            (leaf, text), self._typed = self._typed, None
            self.session.change(
                replace(self.session.answer(leaf), rationale=text), group=f"typing {self._typing_number}"
            )
        self.session.retry()
        self.session.store_cursor()

    def on_unmount(self) -> None:
        self.flush()

    def on_screen_suspend(self) -> None:
        self.flush()


_FORM_ACTIONS = frozenset(
    {
        "find",
        "rationale",
        "evidence",
        "quote",
        "submit",
        "flag",
        "undo",
        "redo",
        "past",
        "phrases",
        "external",
        "running_score",
        "decline",
    }
)
_CRITERION_ACTIONS = frozenset(
    {"find", "rationale", "evidence", "quote", "flag", "past", "phrases", "external"}
)
"""What acts on the criterion under the cursor, which must be in view for that."""
