"""The scoring form: the subject on one side, the criteria on the other, everything by keys.

Opened with ``push_screen(ScoringScreen(engine, draft))``. It is dismissed with a ``Finished`` that says how
the draft was left; after a submission the result takes its place. ``flush()`` makes everything typed
durable; the application calls it before it leaves.

What was answered, what is safe and what can be undone is the session's (``scoring_session.py``); what is
drawn and typed is the widgets'. The form carries values between them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Answer, fold_id
from rubrictui.screens.scoring_base import READING_TIME, Finished
from rubrictui.screens.scoring_session import Change
from rubrictui.screens.scoring_writing import WritingForm
from rubrictui.store.errors import StoreError
from rubrictui.widgets.criteria_list import CriteriaList
from rubrictui.widgets.prompt_line import PromptInput
from rubrictui.widgets.text import sentence

CURSOR_PAUSE = 0.15
"""Seconds that the cursor rests on a criterion until its place is stored."""

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
        "answer_from_subject",
    }
)
_CRITERION_ACTIONS = frozenset(
    {"find", "rationale", "evidence", "quote", "flag", "past", "phrases", "external"}
)
"""What acts on the criterion under the cursor, which must be in view for that."""


class ScoringScreen(WritingForm):
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
            "read_subject",
            "Subject",
            key_display="Tab",
            priority=True,
            id="form.subject",
            tooltip="Read the subject",
        ),
        Binding(
            "tab",
            "answer_criteria",
            "Criteria",
            key_display="Tab",
            priority=True,
            id="form.criteria",
            tooltip="Answer the criteria",
        ),
        *(
            Binding(
                digit,
                f"answer_from_subject('{digit}')",
                "",
                show=False,
                priority=True,
                id=f"form.level_{digit}",
            )
            for digit in "1234567890"
        ),
        Binding(
            "n",
            "answer_from_subject('n')",
            "",
            show=False,
            priority=True,
            id="form.not_applicable",
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
    | tab | To the subject, or to the criteria. |
    | 0 to 9, n | From the subject: answer the criterion under the cursor where it is in view, else show it. |
    | S | Submit, after a question. |
    | d | Decline, with a reason. |
    | ctrl+s | Say whether everything is saved; it is, as you type. |
    | escape | Leave; the draft stays. |
    """

    # -- answering

    def action_answer_from_subject(self, key: str) -> None:
        """Go to the criteria; answer with the key only when the criterion could be seen as it was pressed."""
        if self._is_unseen:
            return
        was_seen = self._is_wide
        self.action_answer_criteria()
        if not was_seen:
            # What is typed in one go with it was meant for a criterion that nobody has seen.
            self._is_unseen = True
            self.call_after_refresh(self.set_timer, READING_TIME, self._criteria_seen)
            self.say("Pick with the key beside a level.")
            return
        self.criteria.show_cursor()
        if key == "n":
            self.criteria.action_not_applicable()
        else:
            self.criteria.action_digit(key)

    def _criteria_seen(self) -> None:
        self._is_unseen = False
        self.refresh_bindings()

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
            if action == "answer_from_subject":
                is_next_match = parameters == ("n",) and bool(subject.words)
                return (subject.has_focus and not is_next_match) or self._is_unseen
            if action in _CRITERION_ACTIONS:
                return not subject.has_focus or self._is_wide
        if action == "search":
            return subject.has_focus and self._prompt is None
        if action in ("read_subject", "answer_criteria"):
            goes_on = self.is_reading == (action == "answer_criteria")
            return goes_on and not subject.is_picking and self._prompt is None
        if action == "leave":
            is_elsewhere = subject.is_picking or self.criteria.is_typing
            return not (is_elsewhere or isinstance(self.focused, PromptInput | TextArea))
        if action == "scroll_subject":
            return self._is_wide and not isinstance(self.focused, TextArea | PromptInput)
        return True

    # -- submitting, declining, leaving

    def action_submit(self) -> None:
        """Say what is missing, or what will be frozen, and ask."""
        # Later means behind the answers that were given before this key and are still on their way here.
        self.call_later(self._offer_submitting)

    def _offer_submitting(self) -> None:
        from rubrictui.screens.scoring_submit import SUBMIT, SubmitScreen

        if not self.is_current:
            return  # the key came twice in one go, and the question is there already
        self.flush()
        self._show_state()
        if self.session.waiting:
            self.say(f"NOT SAVED, so it cannot be submitted. {self.session.problem}", error=True)
            return
        if changed := self._caught_up():
            self.say(
                f"Answered in another session since you opened this: {changed}. Look, then press S again."
            )
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

    def _caught_up(self) -> str:
        """The titles of the criteria that another session changed, now shown as they are stored; "" for none.

        Nobody freezes an answer that she did not see.
        """
        try:
            changed = self.session.catch_up(self._engine.draft(self.session.evaluation_id))
        except RubrictuiError:
            return ""  # what keeps it from being read keeps it from being submitted, and is told there
        for leaf in changed:
            self._show_answer(leaf)
        self._show_state()
        return ", ".join(self._title(self._criteria_by_id[leaf]) for leaf in changed)

    def _submit(self) -> None:
        from rubrictui.screens.result import ResultScreen

        try:
            detail = self._engine.submit(self.session.evaluation_id)
        except StoreError as error:
            self.say(
                f"NOT SAVED: it is not submitted, and stays a draft with your answers. {error}", error=True
            )
            return
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
            self.say(sentence(f"Declined: {title}"))
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
