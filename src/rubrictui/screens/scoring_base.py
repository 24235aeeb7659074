"""The scoring form's ground: its parts, the draft's session, what is shown about its state, its panes.

What it does on top of that stands in ``scoring_writing.py`` (rationale, evidence, her own words) and in
``scoring.py`` (answers, submitting, leaving).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer

from rubrictui.core.explain import display_score, number
from rubrictui.core.model import Answer, Node, Outcome, fold_id
from rubrictui.core.records import Draft
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.scoring_session import DraftSession, Safety
from rubrictui.widgets.criteria_list import CriteriaList
from rubrictui.widgets.evidence_panel import EvidencePanel
from rubrictui.widgets.form_header import FormHeader
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rationale_editor import RationaleEditor
from rubrictui.widgets.subject_pages import subject_pages
from rubrictui.widgets.subject_view import SubjectView

if TYPE_CHECKING:
    from rubrictui.engine import Engine

SIDE_BY_SIDE = 110
"""Columns from which the subject and the criteria stand side by side."""

READING_TIME = 0.3
"""Seconds after something new is drawn until a key counts as meant for it. What is typed in one go with the key
that opened it was typed before anyone could have read it."""

TYPING = "typing"
"""The mark while a number, or a level of two digits, is not settled: it is not an answer yet."""

RETRY_PAUSE = 2.0
"""Seconds between attempts while the store refuses."""

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


class FormBase(ShellScreen[Finished]):
    """A draft on the screen."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (SIDE_BY_SIDE, "-wide")]  # noqa: RUF012 - Textual declares it

    DEFAULT_CSS = """
    FormBase {
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
        self._is_local = engine.is_local
        self._cursor_timer: Timer | None = None
        self._retry_timer: Timer | None = None
        self._shows_score = False
        self._told_problem = ""
        self._may_leave_unsaved = False
        self._returns_to_criteria = False
        self._is_unseen = False
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

    @abstractmethod
    def flush(self) -> None:
        """Make everything typed durable."""

    # -- what is shown about the state

    def _show_state(self) -> None:
        """Whether it is saved, how far it is, and the running score when it is wanted."""
        session = self.session
        safety = (
            Safety.SAVING if self._typed is not None and session.safety is Safety.SAVED else session.safety
        )
        criteria = self.criteria
        mark = TYPING if criteria.is_typing and safety is Safety.SAVED else safety.value
        parts = [f"{criteria.answered}/{criteria.total} answered"]
        if session.flagged:
            parts.append(f"{len(session.flagged)} ⚑")
        if self._shows_score:
            parts.insert(0, self._score_words())
        self.header.show(mark=mark, is_safe=safety is not Safety.NOT_SAVED, progress=" · ".join(parts))
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

    def on_criteria_list_typing_changed(self) -> None:
        self._show_state()

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

    @property
    def is_reading(self) -> bool:
        """Whether the keys are the subject's: the pane in view, or where both are, the one with the focus."""
        return self.subject.has_focus if self._is_wide else self.has_class("-reading")

    def action_read_subject(self) -> None:
        """Go to the subject; an open panel stays open."""
        self.add_class("-reading")
        self.set_focus(self.subject)
        self.refresh_bindings()

    def action_answer_criteria(self) -> None:
        """Go back to what is being answered."""
        self.remove_class("-reading")
        self._focus_main()
        self.refresh_bindings()

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
