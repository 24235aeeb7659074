"""Publishing a draft: the number it would get, every change with its reason, and what it means for old scores."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, cast

from textual import work
from textual.binding import Binding, BindingType
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from rubrictui.core.authoring import publish_problems
from rubrictui.core.authoring_records import RubricDraft
from rubrictui.core.errors import RubrictuiError
from rubrictui.core.model import Bump
from rubrictui.core.placing import as_placed
from rubrictui.core.problems import Problem
from rubrictui.core.records import VersionSummary
from rubrictui.core.versions import VersionDiff, diff_versions
from rubrictui.screens import ScreenSpec
from rubrictui.screens.publish_words import BUMPS, NOW, problem_of, publish_rows, publish_text
from rubrictui.screens.rows_screen import RowsScreen
from rubrictui.screens.scoring_base import READING_TIME
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.engine import Engine
    from rubrictui.screens.base import Shell


class PublishScreen(RowsScreen[VersionSummary | Problem | None]):
    """Dismissed with the version that was published, or the problem to go to; None when it was left.

    Args:
        rubric: the rubric, by name or id.
    """

    TITLE = "Publish"
    COLUMNS = (Column("Bump", width=5), Column("What changed, and why it counts", minimum=20))
    EMPTY = "Reading the draft ..."
    HELP = (
        "What publishing the draft would do. The changes decide the number: Major when the same answers could score "
        "otherwise, Minor when the rules around the score changed, Patch for words and order. + asks for a higher "
        "number than the changes need, never a lower one. s writes a line on what changed. P, or Enter on the first "
        "row, publishes; a published version never changes. Enter on a problem goes to what it is about."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Choose", priority=True, id="publish.choose"),
        Binding("P", "publish", "Publish", id="publish.now", tooltip="Publish now"),
        Binding(
            "plus",
            "higher",
            "Higher number",
            key_display="+",
            id="publish.higher",
            tooltip="Ask for a higher bump than the changes need; once more takes it back",
        ),
        Binding("s", "summary", "Summary", id="publish.summary", tooltip="Write a line on what changed"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | P; enter on the first row | Publish. |
    | enter on a problem | Go to what it is about, in the builder. |
    | + | Ask for a higher number. |
    | s | Write a summary. |
    | escape | Back, with nothing published. |
    """

    def __init__(self, rubric: str) -> None:
        super().__init__("Publish")
        self._rubric = rubric
        self._draft: RubricDraft | None = None
        self._problems: tuple[Problem, ...] = ()
        self._asked: Bump | None = None
        self._summary = ""
        self._diff = VersionDiff(changes=(), computed_bump=None, applied_bump=None, next_version=None)
        self._drawn_at: float | None = None

    @property
    def _shell(self) -> Shell:
        return cast("Shell", self.app)

    def about(self) -> str:
        if self._draft is None:
            return "Reading the draft ..."
        return publish_text(self._draft, self._diff, self._problems, self._summary)

    def rows(self) -> Sequence[Row]:
        return () if self._draft is None else publish_rows(self._draft, self._diff, self._problems)

    def whole(self, row: Row) -> str:
        return "" if row.id == NOW else row.cells[1]

    def on_mount(self) -> None:
        super().on_mount()
        self._read()

    @work(exit_on_error=False, exclusive=True, group="read")
    async def _read(self) -> None:
        def read(engine: Engine) -> tuple[RubricDraft, tuple[Problem, ...]]:
            draft = engine.open_rubric_draft(self._rubric)
            return draft, publish_problems(draft.version)

        try:
            draft, self._problems = await self._shell.ask(read)
        except RubrictuiError:
            self.dismiss(None)
            raise
        self._draft = draft
        self.query_one(TitleBar).title = f"Publish · {draft.version.rubric_name}"
        self._drawn_at = None
        self._show()
        self.call_after_refresh(self._begin_reading)

    def _begin_reading(self) -> None:
        self._drawn_at = monotonic()

    def _show(self) -> None:
        if self._draft is None:
            return
        version = as_placed(self._draft.published, self._draft.version)
        self._diff = diff_versions(self._draft.published, version, self._asked)
        self.query_one("#about", Static).update(plain(self.about()))
        self.query_one(RowsList).empty = "Nothing changed."
        self.show_rows(cursor=NOW)
        self.refresh_bindings()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker's error is one quiet line."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self._shell.report(event.worker.error)

    @property
    def _can_publish(self) -> bool:
        return (
            self._draft is not None
            and self._diff.next_version is not None
            and not any(problem.blocks for problem in self._problems)
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what would do something is offered."""
        if self.query(PromptLine) and action in ("publish", "higher", "summary", "choose"):
            return False
        if action == "publish":
            return self._can_publish
        if action == "choose" and not self._leads_somewhere:
            return False
        if action == "higher":
            return self._diff.computed_bump in (Bump.PATCH, Bump.MINOR)
        if action == "summary":
            return self._draft is not None and self._diff.next_version is not None
        return super().check_action(action, parameters)

    @property
    def _leads_somewhere(self) -> bool:
        rows = self.query(RowsList)
        row = rows.first().current if rows else None
        return row is not None and (row.id == NOW or problem_of(row.id, self._problems) is not None)

    def on_rows_list_highlighted(self) -> None:
        super().on_rows_list_highlighted()
        self.refresh_bindings()

    # -- what is asked for

    def action_higher(self) -> None:
        """Ask for a higher bump than the changes need; after Major, for none."""
        computed = self._diff.computed_bump
        if computed is None:
            return
        higher = BUMPS[BUMPS.index(self._asked or computed) + 1 :]
        self._asked = higher[0] if higher else None
        self._show()

    async def action_summary(self) -> None:
        """Write a line on what changed."""
        await self.ask_line("Summary", value=self._summary)

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        self._summary = message.value
        await self.end_line()
        self._show()

    # -- publishing

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        if message.row.id == NOW:
            self.action_publish()
        elif (problem := problem_of(message.row.id, self._problems)) is not None:
            self.dismiss(problem)

    def action_publish(self) -> None:
        """Publish, unless nobody can have read yet what that means."""
        if not self._can_publish:
            return
        if self._drawn_at is None or monotonic() - self._drawn_at < READING_TIME:
            self.notify("Read what will be published, then press the key once more.")
        else:
            self._publish()

    @work(exit_on_error=False, exclusive=True, group="publish")
    async def _publish(self) -> None:
        draft = self._draft
        assert draft is not None  # nothing can be published before it is read

        def publish(engine: Engine) -> VersionSummary:
            return engine.publish(
                draft.version.rubric_id,
                requested_bump=self._asked,
                summary=self._summary,
                revision=draft.revision,
            )

        try:
            published = await self._shell.ask(publish)
        except RubrictuiError:
            self._read()
            raise
        self.app.notify(f"{published.rubric_name} {published.number} is published.")
        self.dismiss(published)


SCREEN = ScreenSpec(name="publish", title="Publish", opener=PublishScreen)
