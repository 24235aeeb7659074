"""The builder's ground: reading the draft, its panes, what is shown about its state, saving again after a failure.

What its keys do to the draft stands in ``builder_edits.py``, and what they do besides in ``builder.py``.
"""

from __future__ import annotations

import gc
from asyncio import sleep
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.timer import Timer

from rubrictui.core.authoring_records import RubricDraft
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Scale, VersionSnapshot, fold_id
from rubrictui.core.problems import Problem
from rubrictui.core.records import SampleSet
from rubrictui.screens.base import ShellScreen
from rubrictui.screens.builder_session import BuilderSession, Safety
from rubrictui.widgets.builder_rows import NO_SAMPLE, ROOT, problems_by_node
from rubrictui.widgets.builder_tree import BuilderTree, TreeHeading
from rubrictui.widgets.field_model import place_of
from rubrictui.widgets.fields_pane import FieldsPane
from rubrictui.widgets.form_header import FormHeader
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.preview_lines import headline, preview_lines, sample_words
from rubrictui.widgets.preview_pane import PreviewPane, PreviewStrip
from rubrictui.widgets.problems_pane import ProblemsPane, problem_counts
from rubrictui.widgets.text import counted

if TYPE_CHECKING:
    from rubrictui.engine import Engine

SIDE_BY_SIDE = 110
"""Columns from which the tree and the fields stand side by side."""

WITH_PREVIEW = 32
"""Lines from which, on a wide terminal, preview and problems stand below them."""

RETRY_PAUSE = 2.0
"""Seconds between attempts while the store refuses."""

SAVING_PAUSE = 0.5
"""Seconds after an answer until a large sample set is stored."""

COLLECTING = (400_000, 20, 50)
COLLECTING_PAUSE = 1.0
"""How rarely garbage is looked for between edits, and the seconds of rest after which it is."""

TREE, FIELDS, PREVIEW, PROBLEMS = "tree", "fields", "preview", "problems"
PANES = (TREE, FIELDS, PREVIEW, PROBLEMS)


class BuilderBase(ShellScreen[None]):
    """The draft of one rubric on the screen."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (SIDE_BY_SIDE, "-wide")]  # noqa: RUF012 - Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-short"), (WITH_PREVIEW, "-tall")]  # noqa: RUF012 - Textual declares it

    DEFAULT_CSS = """
    BuilderBase {
        /* Containers that show nothing of their own are not drawn: each would be cut to pieces at every line. */
        & #panes, & #left, & FieldsPane { visibility: hidden; }
        & #left > *, & FieldsPane > * { visibility: visible; }
        & #panes { height: 1fr; }
        & #left { width: 1fr; }
        & FieldsPane { width: 1fr; display: none; }
        & #below { height: 1fr; display: none; }
        & #below > PreviewPane, & #below > ProblemsPane { width: 1fr; display: none; }
        &.-at-fields #left { display: none; }
        &.-at-fields FieldsPane { display: block; }
        &.-at-preview #panes, &.-at-problems #panes { display: none; }
        &.-at-preview #below, &.-at-problems #below { display: block; }
        &.-at-preview #below > PreviewPane, &.-at-problems #below > ProblemsPane { display: block; }
        &.-wide #panes { display: block; }
        &.-wide #left { display: block; width: 74; }
        &.-wide FieldsPane { display: block; }
        &.-wide FieldsPane > FieldsList { border-left: solid $border; }
        &.-wide #below { height: 9; border-top: solid $border; }
        &.-wide.-tall #below { display: block; height: 11; }
        &.-wide.-tall #below > PreviewPane, &.-wide.-tall #below > ProblemsPane { display: block; }
        &.-wide.-tall #below > ProblemsPane { border-left: solid $border; }
        &.-wide.-tall > PreviewStrip { display: none; }
    }
    """

    def __init__(self, rubric: str, problem: Problem | None = None) -> None:
        """
        Args:
            rubric: the name or the id of the rubric; a draft is started when it has none.
            problem: what to go to first.
        """
        super().__init__()
        self._first_problem = problem
        self._rubric = rubric
        self._engine: Engine | None = None
        self._session: BuilderSession | None = None
        self.header = FormHeader("", "Reading the draft ...")
        self.tree_pane = BuilderTree(VersionSnapshot())
        self.fields = FieldsPane()
        self.preview = PreviewPane()
        self.problem_list = ProblemsPane()
        self.strip = PreviewStrip()
        self._retry_timer: Timer | None = None
        self._told_problem = ""
        self._marks: tuple[tuple[Problem, ...], dict[str, list[Problem]]] = ((), {})
        self._may_leave_unsaved = False
        self._clash_waits = False
        self._fields_shown: tuple[VersionSnapshot | None, str] = (None, ROOT)
        self._sample = NO_SAMPLE
        self._collecting = gc.get_threshold()
        self._resting: Timer | None = None
        self.set_class(True, "-at-tree", update=False)

    # -- parts

    def compose(self) -> ComposeResult:
        yield self.header
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield TreeHeading()
                yield self.tree_pane
            yield self.fields
        with Horizontal(id="below"):
            yield self.preview
            yield self.problem_list
        yield self.strip
        yield KeyFooter()

    def on_mount(self) -> None:
        # Each state of a large draft makes thousands of objects, nearly all of which outlive the edit. To look
        # through them for garbage takes as long as an edit, so that is done when the author rests.
        gc.set_threshold(*COLLECTING)
        self.set_focus(self.tree_pane)
        self._open()

    @property
    def session(self) -> BuilderSession:
        """The draft; there is one as soon as ``is_open``."""
        assert self._session is not None
        return self._session

    @property
    def is_open(self) -> bool:
        """Whether the draft has been read."""
        return self._session is not None

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _open(self) -> None:
        """Read the draft; start one when there is none."""
        self._engine = await self.shell.engine()
        try:
            opened, sets, scales, started = await self.shell.ask(self._read)
        except RubrictuiError as error:
            self.header.set_title(error.message, error.remedy)
            raise
        self._session = BuilderSession(self._engine, opened, sets)
        self.fields.set_scales(scales)
        self._show_title()
        self.show_draft(focus=self._first_row())
        self.refresh_bindings()
        if self._first_problem is not None:
            self.go_to_problem(self._first_problem)
        if started:
            self.say(f"A new draft was started{started}.")
        self.read_scales()

    @work(exit_on_error=False, exclusive=True, group="scales")
    async def read_scales(self) -> None:
        """Learn which scales there are, and which of them a published version uses."""

        def found(engine: Engine) -> tuple[tuple[Scale, ...], list[str]]:
            uses = engine.all_scale_uses()
            return engine.scales(), [
                scale for scale, used in uses.items() if any(use.is_frozen for use in used)
            ]

        scales, frozen = await self.shell.ask(found)
        self.take_scales(scales)
        self.fields.set_scales(scales, frozen=frozen)

    @work(exit_on_error=False, exclusive=True, group="scales again")
    async def _look_at_scales(self) -> None:
        """Take the scales of the draft as somebody may have changed them."""
        self.take_scales(await self.shell.ask(lambda engine: engine.scales()))

    def take_scales(self, scales: Sequence[Scale]) -> None:
        """Show the draft with its scales as the store has them now."""
        if self.session.use_scales(scales):
            self.session.retry()  # what was refused for a level that is gone may pass now
            self.show_draft(said="A scale of this draft was changed: it is shown as it is now.")

    def _read(self, engine: Engine) -> tuple[RubricDraft, tuple[SampleSet, ...], tuple[Scale, ...], str]:
        from rubrictui.engine.errors import StateError

        started = ""
        try:
            opened = engine.open_rubric_draft(self._rubric)
        except StateError:
            engine.start_draft(self._rubric)
            opened = engine.open_rubric_draft(self._rubric)
            base = opened.based_on
            started = f" from {base.number}" if base is not None else " "
        return opened, engine.sample_sets(self._rubric), engine.scales(), started

    def _first_row(self) -> str:
        """Where the cursor begins: the first node, or the version's row of an empty draft."""
        nodes = self.session.version.nodes
        return fold_id(nodes[0].id) if nodes else ROOT

    def _show_title(self) -> None:
        opened = self.session.opened
        base = opened.based_on or opened.published
        about = "draft, nothing published yet" if base is None else f"draft, based on {base.number}"
        if opened.evaluation_count and opened.published is not None:
            about += f" · {counted(opened.evaluation_count, 'evaluation')}"
        self.header.set_title(opened.version.rubric_name, about)

    # -- showing

    def show_draft(self, *, focus: str | None = None, said: str = "") -> None:
        """Show the draft as it is now: the tree, the fields, the preview, the problems.

        Args:
            focus: the folded id of the row for the cursor; None leaves it.
            said: what was done, said under the cursor of the tree where that has the keys: a line above the footer
                costs a frame more.
        """
        session = self.session
        self._sample = session.sample
        self.tree_pane.show(
            session.version,
            problems=self._problem_marks(),
            sample=self._sample,
            focus=focus,
            note=said if self.pane == TREE else "",
        )
        if said and self.pane != TREE:
            self.say(said)
        self._show_preview()
        self.problem_list.show(session.problems)
        self._show_fields()
        self._show_state()
        if self._resting is None:
            self._resting = self.set_timer(COLLECTING_PAUSE, self._rest)
        else:
            self._resting.reset()

    def _rest(self) -> None:
        """Look for garbage among what the last edits made, and whether somebody changed a scale meanwhile."""
        self._resting = None
        gc.collect(1)
        self._look_at_scales()

    def show_sample(self) -> None:
        """Show what the sample answers score now."""
        self._sample = self.session.sample
        self.tree_pane.show_sample(self._sample)
        self._show_preview()
        self._show_state()

    def _problem_marks(self) -> dict[str, list[Problem]]:
        problems = self.session.problems
        if self._marks[0] is not problems:
            self._marks = (problems, problems_by_node(problems, self._marks))
        return self._marks[1]

    def _show_preview(self) -> None:
        session = self.session
        preview = session.preview
        used = session.sample_set
        sample = sample_words(
            used.name if used is not None else None, preview.answered, self.tree_pane.shape.criteria
        )
        if self._shows_strip:
            head = headline(session.version, preview.result, preview.refusal)
            if used is None or not preview.answered:
                self.strip.show([(sample, "muted")], "Tab goes to the fields, e shows the whole preview.")
            else:
                self.strip.show([*head, ("  ", ""), (sample, "muted")], preview.reason)
        shape = self.tree_pane.shape
        scores = session.sample.scores
        self.preview.update_lines(
            lambda width: preview_lines(
                shape,
                preview.result,
                scores,
                reason=preview.reason,
                refusal=preview.refusal,
                sample=sample,
                width=width,
            )
        )

    @property
    def _shows_strip(self) -> bool:
        return not (self.app.size.width >= SIDE_BY_SIDE and self.app.size.height >= WITH_PREVIEW)

    def _show_fields(self) -> None:
        """Show the fields of the row under the cursor."""
        session, node = self.session, self.tree_pane.current
        self._fields_shown = session.version, self.tree_pane.cursor_id
        marks = self._problem_marks()
        if node is None:
            self.fields.show_version(session.version, marks.get(ROOT, []))
        else:
            self.fields.show_node(
                session.version,
                node,
                shares={node.id: self.tree_pane.shape.share(node)},
                problems=marks.get(node.id, []),
                frozen_keys=session.base_keys,
            )

    def _show_state(self) -> None:
        """Whether it is saved, and how many problems there are."""
        session = self.session
        self.header.show(
            mark=session.safety.value,
            is_safe=session.safety is not Safety.NOT_SAVED,
            progress=problem_counts(session.problems),
        )
        if session.problem and session.problem != self._told_problem and session.clash is None:
            self.say(f"NOT SAVED. {session.problem}", error=True)
            self._look_at_scales()
        self._told_problem = session.problem
        is_waiting = session.safety is not Safety.SAVED and not session.is_closed and session.clash is None
        if is_waiting and self._retry_timer is None:
            pause = SAVING_PAUSE if session.safety is Safety.SAVING else RETRY_PAUSE
            self._retry_timer = self.set_timer(pause, self._retry)
        if session.clash is not None:
            self._settle_clash()

    @property
    def is_typing(self) -> bool:
        """Whether keys are letters now: a field, or a line, is being edited."""
        return self.fields.is_editing or self.is_asking

    def _settle_clash(self) -> None:
        """Ask about a clash, once nothing is being typed: the next letters would be keys of the question."""
        if not self.is_typing:
            self._clash_waits = False
            self._ask_about_clash()
        elif not self._clash_waits:
            self._clash_waits = True
            self.say("NOT SAVED. Somebody saved this draft meanwhile: end typing to settle it.", error=True)

    def on_descendant_focus(self) -> None:
        if self._clash_waits and not self.is_typing:
            self._settle_clash()

    def _retry(self) -> None:
        self._retry_timer = None
        self.session.retry()
        self._show_state()

    @work(exit_on_error=False, exclusive=True, group="clash")
    async def _ask_about_clash(self) -> None:
        """Show what the other side did, and go on with a draft made of both."""
        from rubrictui.screens.builder_clash import ClashScreen

        clash = self.session.clash
        if clash is None or any(isinstance(screen, ClashScreen) for screen in self.app.screen_stack):
            return
        merged = await self.app.push_screen_wait(ClashScreen(clash))
        if merged is None or self.session.clash is not clash:
            self.say(
                "NOT SAVED. The other side stays in the store, yours stays here, until you settle it.",
                error=True,
            )
            return
        self.session.settle(merged)
        self.show_draft()

    def flush(self) -> None:
        """Make everything typed durable, also what was waiting. Never raises."""
        if self._session is not None:
            for typed in self.fields.take():
                self.take_typed(typed)
            self._session.retry()

    def take_typed(self, typed: Message) -> None:
        """Make the edit that was typed last, at once: the screen may be leaving, and reads no message then."""

    def on_unmount(self) -> None:
        self.flush()
        gc.set_threshold(*self._collecting)

    def on_screen_suspend(self) -> None:
        self.flush()

    def on_resize(self) -> None:
        if self.is_open:
            self.call_after_refresh(self._show_preview)

    # -- the panes

    @property
    def pane(self) -> str:
        """The pane that has the keys."""
        return next(name for name in PANES if self.has_class(f"-at-{name}"))

    def show_pane(self, name: str) -> None:
        """Go to a pane; where there is no room for all, it is the one in view."""
        if name != self.pane:
            for each in PANES:
                self.set_class(each == name, f"-at-{each}")
        widget = {
            TREE: self.tree_pane,
            FIELDS: self.fields,
            PREVIEW: self.preview,
            PROBLEMS: self.problem_list,
        }[name]
        widget.focus()
        self.refresh_bindings()

    def go_to_problem(self, problem: Problem) -> None:
        """Go to the node and the field that a problem is about."""
        if not self.tree_pane.go_to(fold_id(problem.node_id)):
            self.say("This node is no longer in the draft.")
            return
        self._show_fields()
        field = place_of(problem)
        if not field and problem.node_id is not None:
            self.show_pane(TREE)
            return
        self.show_pane(FIELDS)
        if field:
            self.fields.go_to(field)

    def on_problems_pane_chosen(self, message: ProblemsPane.Chosen) -> None:
        self.go_to_problem(message.problem)

    async def on_builder_tree_cursor_moved(self) -> None:
        if self.is_open:
            self._may_leave_unsaved = False
            version, own = self._fields_shown
            if version is not self.session.version or own != self.tree_pane.cursor_id:
                self._show_fields()
                await sleep(0)  # the tree, the fields and the footer report first, to be painted in one frame
