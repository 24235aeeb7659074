"""The inbox, where a day begins: what is assigned or begun, what is next, what is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from rubrictui.core.errors import RubrictuiError
from rubrictui.core.records import InboxRow
from rubrictui.screens import ScreenSpec
from rubrictui.screens.base import FilteredScreen, ShellScreen
from rubrictui.screens.inbox_rows import (
    COLUMNS,
    SUBMITTED,
    WITHDRAWN,
    detail,
    is_open,
    next_row,
    row_id,
    summary,
    to_rows,
)
from rubrictui.widgets.filter_line import FilterLine
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.rows_list import RowsList
from rubrictui.widgets.text import one_line
from rubrictui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from rubrictui.core.records import Draft
    from rubrictui.engine import Engine

READING = "Reading your inbox ..."
PREPARING = "Preparing the demo: the samples are being loaded, once ..."
NOTHING = "Nothing is assigned to you. Press o to score any subject, c to see the rubrics."


class InboxScreen(FilteredScreen[None], ShellScreen[None]):
    """The home screen."""

    TITLE = "Inbox"
    HELP = (
        "What is assigned to you and what you have begun, the most urgent on top; what is done stands below. "
        "The row marked ▸ is next. Enter goes on where you were, or shows the result of work that is done. "
        "With o you score any subject, whether or not somebody asked you to."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "load_samples", "Load samples", id="inbox.load_samples"),
        Binding("d", "open_demo", "Open the demo", id="inbox.open_demo"),
        Binding(
            "o",
            "score_any",
            "Score any",
            id="inbox.score_any",
            tooltip="Pick a subject and a rubric to score",
        ),
        Binding(
            "slash",
            "filter",
            "Filter",
            key_display="/",
            id="inbox.filter",
            tooltip="Show rows with these words",
        ),
        Binding(
            "c",
            "app.open('catalog')",
            "Catalog",
            id="inbox.catalog",
            tooltip="The rubrics and their versions",
        ),
        Binding(
            "s", "app.open('subjects')", "Subjects", id="inbox.subjects", tooltip="What there is to score"
        ),
        Binding("R", "reload", "Reload", show=False, id="inbox.reload", tooltip="Read the inbox again"),
        Binding("q", "app.quit", "Quit", id="inbox.quit"),
        Binding("escape", "filter_clear", "Clear filter", show=False, id="inbox.clear"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Begin or go on scoring; show the result of work that is done. |
    | o | Pick any subject, rubric and context to score. |
    | / | Filter. |
    | c, s | The catalog of rubrics; the subjects. |
    | R | Read the inbox again. |
    | l, d | On an empty store: load the samples; open the demo. |
    | q | Leave. |
    """

    DEFAULT_CSS = """
    InboxScreen {
        & > #summary { height: 1; padding: 0 2; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #detail { height: 2; padding: 0 2; background: $surface; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-welcome > RowsList, &.-welcome > #summary, &.-welcome > #detail { display: none; }
        &.-short > #detail { display: none; }
    }
    """

    VERTICAL_BREAKPOINTS = [(0, "-short"), (14, "-tall")]  # noqa: RUF012 - Textual declares it

    def __init__(self) -> None:
        super().__init__()
        self._inbox: dict[str, InboxRow] = {}
        self._read = False
        self._empty = False
        self._worked_on: str | None = None

    def compose(self) -> ComposeResult:
        rows = RowsList(COLUMNS, empty=READING)
        yield TitleBar("rubrictui · Inbox", self.shell.store_label)
        yield Static("", id="summary", markup=False)
        yield rows
        yield FilterLine(rows)
        yield Static("", id="detail", markup=False)
        yield KeyFooter()

    # -- reading

    def on_mount(self) -> None:
        self._read_first()

    def on_screen_resume(self) -> None:
        if self._read:
            self._read_again()

    @work(exit_on_error=False, exclusive=True, group="first")
    async def _read_first(self) -> None:
        """The rows as plain SQL has them for the first frame, then the engine's own."""
        rows = await self.shell.first_rows()
        if rows:
            self._show(rows)
        elif self.shell.is_demo:
            self._say_in_list(PREPARING)
        self._read_again()

    @work(exit_on_error=False, exclusive=True, group="inbox")
    async def _read_again(self) -> None:
        try:
            engine = await self.shell.engine()
        except RubrictuiError as error:
            self._show_closed(error)
            return
        rows, empty = await self.shell.ask(_read_inbox)
        self.query_one(
            TitleBar
        ).right = f"{engine.user.display_name or engine.user.name} · {self.shell.store_label}"
        self._read = True
        self._empty = empty
        self._show(rows)

    def _show(self, rows: tuple[InboxRow, ...]) -> None:
        inbox = {row_id(row): row for row in rows}
        listed = self.query_one(RowsList)
        listed.empty = NOTHING
        if inbox != self._inbox or not inbox:
            self._inbox = inbox
            listed.set_rows(to_rows(rows, self.shell.now(), self.shell.zone), cursor=self._place(rows))
        self.query_one("#summary", Static).update(Content(one_line(summary(rows, self.shell.now()))))
        self.query_one(FilterLine).count()
        self._welcome(self._empty and not rows)
        self._show_detail()
        self.refresh_bindings()

    def _welcome(self, wanted: bool) -> None:
        """The welcome in place of the list; it is made when it is first wanted."""
        self.set_class(wanted, "-welcome")
        shown = self.query("Welcome")
        if wanted and not shown:
            from rubrictui.widgets.welcome import Welcome

            self.mount(Welcome(), after=self.query_one(RowsList))
        elif shown and not wanted:
            shown.remove()
            # The list could not keep the focus while it was not displayed.
            self.call_after_refresh(self.query_one(RowsList).focus)

    def _place(self, rows: tuple[InboxRow, ...]) -> str | None:
        """Where the cursor goes: to what was worked on while it is open, else to what is next; None: it stays."""
        worked_on = self._worked_on
        if self.is_current:  # a read that began before the form was opened is not the return from it
            self._worked_on = None
        if worked_on is None and self.query_one(RowsList).current is not None:
            return None
        work = (row for row in rows if worked_on and row.evaluation_id == worked_on and is_open(row))
        row = next(work, None) or next_row(rows, self.shell.now())
        return row_id(row) if row else None

    def _say_in_list(self, text: str) -> None:
        listed = self.query_one(RowsList)
        listed.empty = text
        listed.refresh()

    def _show_closed(self, error: RubrictuiError) -> None:
        self._say_in_list("The store is not open.")
        self.query_one("#summary", Static).update(Content(one_line(error.message)))
        self.query_one("#detail", Static).update(Content(one_line(error.remedy)))

    def _show_detail(self) -> None:
        current = self.query_one(RowsList).current
        row = self._inbox.get(current.id) if current else None
        lines = detail(row, self.shell.now(), self.shell.zone) if row else ("", "")
        self.query_one("#detail", Static).update(Content("\n".join(one_line(line) for line in lines)))

    # -- messages and actions

    def on_rows_list_highlighted(self) -> None:
        self._show_detail()

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        row = self._inbox.get(message.row.id)
        if row is None:
            return
        if is_open(row):
            self._score(row)
        elif row.state in {SUBMITTED, WITHDRAWN} and row.evaluation_id:
            self._open_result(row.evaluation_id)
        else:
            self.say(f"{row.subject_title}: {row.state.lower()}, so there is nothing to open.")

    @work(exit_on_error=False, exclusive=True, group="open")
    async def _score(self, row: InboxRow) -> None:
        def begin(engine: Engine) -> Draft:
            if row.evaluation_id:
                return engine.draft(row.evaluation_id)
            return engine.open_draft(
                subject=row.subject_id,
                rubric=row.rubric_id,
                context=row.context_id,
                assignment=row.assignment_id,
            )

        from rubrictui.screens.opening_work import open_form

        self._worked_on = await open_form(self, begin)

    @work(exit_on_error=False, exclusive=True, group="open")
    async def _open_result(self, evaluation_id: str) -> None:
        from rubrictui.screens.opening_work import open_result

        await open_result(self, evaluation_id)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys of the welcome act only while it is there, and the list's only while it is not."""
        welcome = self.has_class("-welcome")
        if action in {"load_samples", "open_demo"}:
            return welcome
        if action in {"filter", "score_any"}:
            return not welcome
        return True

    @work(exit_on_error=False, exclusive=True, group="samples")
    async def action_load_samples(self) -> None:
        """Load the samples into this store."""
        self.say("Loading the samples ...")
        await self.shell.load_samples()
        self._read_again()
        self.say("The samples are loaded. Enter begins with the one marked ▸.")

    @work(exit_on_error=False, exclusive=True, group="samples")
    async def action_open_demo(self) -> None:
        """Open the demo store."""
        self.say(PREPARING)
        await self.shell.open_demo()
        self._empty = False
        self._read_again()

    @work(exit_on_error=False, exclusive=True, group="open")
    async def action_score_any(self) -> None:
        """Pick a subject, a rubric and a context, then score."""
        from rubrictui.screens.opening_work import score_any

        self._worked_on = await score_any(self)

    def action_reload(self) -> None:
        """Read the inbox again."""
        self._read_again()

    def action_filter_clear(self) -> None:
        """Show all rows again."""
        self.query_one(FilterLine).action_clear()


def _read_inbox(engine: Engine) -> tuple[tuple[InboxRow, ...], bool]:
    rows = engine.inbox()
    return rows, not rows and engine.is_empty()


SCREEN = ScreenSpec(name="inbox", title="Inbox", opener=InboxScreen)
