"""Working a matter by hand: documents beside a list of what there is to read and what was done."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from rubrictui.ground.errors import RubrictuiError
from rubrictui.screens import ScreenSpec
from rubrictui.screens import matter_outline as outline
from rubrictui.screens.confirm import confirmed
from rubrictui.screens.matter_outline import OUTLINE_COLUMNS, Target, outline_rows, target_of
from rubrictui.screens.matter_player_places import PlayerPlaces
from rubrictui.screens.matter_session import Action, MatterSession, StepRecord
from rubrictui.screens.matter_words import (
    brief_lines,
    budget_words,
    issue_lines,
    redline_lines,
    result_lines,
    table_lines,
    told_in_short,
)
from rubrictui.screens.matter_work import OpenWork, open_work
from rubrictui.widgets.detail_pane import DetailPane, Line
from rubrictui.widgets.key_footer import KeyFooter
from rubrictui.widgets.matter_form import MatterForm
from rubrictui.widgets.matter_reader import MatterReader, ReaderPage
from rubrictui.widgets.rows_list import RowsList
from rubrictui.widgets.text import plain
from rubrictui.widgets.title_bar import TitleBar


class MatterPlayerScreen(PlayerPlaces):
    """One matter, from the first reading to the final submission."""

    TITLE = "Matter"
    HELP = (
        "Read the documents and say what matters in them. Each action uses a step: reading what was not read yet, a "
        "search through all documents, a question, an issue, a redline, an escalation, a round of negotiation. Going "
        "back to what was read is free. What is left stands below the title. Issues cite sections and quote "
        "them word for word: c cites the section marked at the left of the text, q picks a quote in it. Everything you "
        "write is kept at once, also half-written forms; Esc leaves and loses nothing. What an action was worth "
        "is told at the end, or at once while you practise (p)."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "ask", "Ask", id="matter.ask", tooltip="Ask the client"),
        Binding("i", "issue", "Issue", id="matter.issue", tooltip="Write an issue on the section at hand"),
        Binding("r", "redline", "Redline", id="matter.redline", tooltip="Rewrite the section at hand"),
        Binding("c", "cite", "Cite", id="matter.cite", tooltip="Cite the section at hand in the open form"),
        Binding("q", "quote", "Quote", id="matter.quote", tooltip="Pick a quote for the open issue"),
        Binding("t", "markup", "Markup", id="matter.markup", tooltip="Send the other side a text"),
        Binding("y", "accept", "Accept", id="matter.accept", tooltip="Accept the other side's text"),
        Binding("x", "escalate", "Escalate", id="matter.escalate", tooltip="Tell the supervisor of a point"),
        Binding(
            "e", "revise", "Revise", id="matter.revise", tooltip="Revise the issue or redline in the list"
        ),
        Binding("F", "final", "Finish", id="matter.final", tooltip="Write and hand in the final submission"),
        Binding("f", "search_matter", "Find", id="matter.find", tooltip="Search all documents; uses a step"),
        Binding("o", "go", "Go to §", id="matter.go", tooltip="Go to a section; those named in view first"),
        Binding(
            "p",
            "practise",
            "Practise",
            show=False,
            id="matter.practise",
            tooltip="Show rewards at once, or not",
        ),
        Binding("v", "result", "Result", id="matter.result", tooltip="Score, points and reasons"),
        Binding(
            "escape",
            "back",
            "Back",
            key_display="Esc",
            id="matter.back",
            tooltip="Close what is open; leave; all is kept",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Read what is under the cursor, or go on to it. |
    | tab | Between the list and the documents. |
    | f / o | Search all documents / go to a section, also one that is cited. |
    | i / r / a / x | Write an issue, a redline, a question, an escalation. |
    | t / y | Negotiate: send a text, accept theirs. |
    | c / q | Cite the section at hand in the open form / pick a quote for it. |
    | e | Revise an issue or a redline. |
    | F | The final submission. |
    | p | Practise: show what each action is worth. |
    | v | The result, once it has ended. |
    | escape | Close what is open; leave. |
    """

    DEFAULT_CSS = """
    MatterPlayerScreen {
        & > #left-over { height: 1; padding: 0 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #panes { height: 1fr; }
        & > #panes > RowsList { width: 30; height: 1fr; border-right: solid $border; }
        & > #panes > MatterForm { width: 36; height: 1fr; border-right: solid $border; display: none; }
        & > #panes > MatterReader { width: 1fr; }
        & > #panes > DetailPane { width: 1fr; height: 1fr; display: none; }
        &.-detail > #panes > MatterReader { display: none; }
        &.-detail > #panes > DetailPane { display: block; }
        &.-form > #panes > RowsList { display: none; }
        &.-form > #panes > MatterForm { display: block; }
        & > #told { height: 2; padding: 0 1; background: $surface; }
        &.-wide > #panes > RowsList { width: 42; }
        &.-wide > #panes > MatterForm { width: 54; }
    }
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it

    def __init__(self, opened: OpenWork) -> None:
        super().__init__()
        self._opened = opened
        self.session: MatterSession = opened.session
        self.session.keep = self._keep

    def _keep(self, content: bytes) -> None:
        """Keep the work; what goes wrong with that is told, and is no reason to stop working."""
        try:
            self._opened.keep(content)
        except RubrictuiError as error:
            self.shell.report(error)

    def compose(self) -> ComposeResult:
        yield TitleBar(self.session.matter.title)
        yield Static("", id="left-over", markup=False)
        with Horizontal(id="panes"):
            yield RowsList(OUTLINE_COLUMNS)
            yield MatterForm()
            yield MatterReader(_reader_pages(self.session))
            yield DetailPane()
        yield Static("", id="told", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        self.show_state()
        last = self.session.steps[-1] if self.session.steps else None
        if self._opened.notice:
            self.tell(self._opened.notice)
        elif last is not None:
            self.tell(f"Here you left off, after step {last.number}. {self._told(last)}")
        else:
            self.tell("Enter reads what is under the cursor. ? explains the keys.")

    def on_unmount(self) -> None:
        self._opened.close()

    def flush(self) -> None:
        """Keep what is written, on the way out."""
        self.store_typed()
        self.session.save()

    # -- what is shown

    @property
    def listed(self) -> RowsList:
        return self.query_one(RowsList)

    @property
    def reader(self) -> MatterReader:
        return self.query_one(MatterReader)

    @property
    def target(self) -> Target | None:
        """What is under the cursor of the list."""
        current = self.listed.current
        return target_of(current.id) if current is not None else None

    def show_state(self, *, cursor: str | None = None) -> None:
        """Show everything as it is now."""
        session = self.session
        self.reader.show_documents(_reader_pages(session))
        self.listed.set_rows(outline_rows(session), cursor=cursor)
        left = f"Left: {budget_words(session.budgets)}"
        if session.ended:
            left = "The matter is closed; v shows the result."
        elif session.practice:
            raw = session.steps[-1].raw if session.steps else 0.0
            left += f" · practising, {raw:.2f} points so far"
        self.query_one("#left-over", Static).update(plain(left, newlines=False))
        self.query_one(TitleBar).right = "practice" if session.practice else ""
        self.refresh_bindings()

    def tell(self, text: str) -> None:
        """What came back, in the two lines above the footer."""
        self.query_one("#told", Static).update(plain(text))

    def _told(self, record: StepRecord) -> str:
        return told_in_short(record, practice=self.session.practice)

    def show_lines(self, lines: list[Line]) -> None:
        """Show a text in place of the documents."""
        self.add_class("-detail")
        self.query_one(DetailPane).show(lines)
        self.refresh_bindings()

    def show_reader(self) -> None:
        """Show the documents again."""
        if self.has_class("-detail"):
            had_focus = self.query_one(DetailPane).has_focus
            self.remove_class("-detail")
            if had_focus:
                self.set_focus(self.reader)
            self.refresh_bindings()

    def on_rows_list_highlighted(self) -> None:
        target = self.target
        if target is None or self.form_key is not None:
            return
        lines = self.lines_of(target)
        if lines is not None:
            self.show_lines(lines)
        else:
            self.show_reader()
            if target.kind in (outline.DOCUMENT, outline.SECTION):
                self.reader.go_to(target.name, target.section or None)
        self.refresh_bindings()

    def lines_of(self, target: Target) -> list[Line] | None:
        """What a row of the list has to read beside it; None for the documents."""
        session = self.session
        observation = session.observation
        if target.kind == outline.BRIEF:
            return brief_lines(observation)
        if target.kind == outline.FACT:
            value = observation["learned_facts"].get(target.name, "")
            return [[(target.name, "heading")], [], [(str(value), "")]]
        if target.kind == outline.ISSUE:
            return issue_lines(observation["submitted_issues"][int(target.name)])
        if target.kind == outline.REDLINE:
            return redline_lines(observation["submitted_redlines"][int(target.name)])
        if target.kind == outline.TABLE:
            return table_lines(target.name, observation["negotiation"][target.name], session.steps)
        if target.kind in (outline.QUESTION, outline.ESCALATION, outline.SEARCH):
            return result_lines(session.steps[int(target.name) - 1])
        if target.kind == outline.DRAFT:
            return self.draft_lines(target.name)
        return None

    # -- acting

    def act(self, action: Action) -> StepRecord | None:
        """Carry out an action and show what came of it; None when that ended the episode unscored."""
        record = self.session.act(action)
        self.after_act(action)
        if record is None:
            self.show_state()
            self.tell(f"The episode is over, unscored: {self.session.aborted}")
            return None
        self.show_state()
        if record.result["kind"] == "read" and record.result["section"] is None:
            self.reader.open_at_top(record.result["document_id"])
        self.tell(self._told(record))
        if record.result["kind"] not in ("read", "search", "ack", "final_ack"):
            self.show_lines(result_lines(record))
        if self.session.ended:
            self.action_result()
        return record

    def after_act(self, action: Action) -> None:
        """For who follows the actions elsewhere too."""

    @property
    def is_last_step(self) -> bool:
        """Whether the next step is the last one."""
        return self.session.budgets["steps"] == 1

    async def act_if_wanted(self, action: Action) -> StepRecord | None:
        """Carry out an action; ask first when it would use the last step without handing in. In a worker."""
        if self.is_last_step and action["type"] != "submit_final":
            about = "One step is left. If it is not the final submission, the matter closes without one."
            if not await confirmed(self, "Use the last step?", about, yes="Use it", no="Back"):
                return None
        return self.act(action)

    @work(exit_on_error=False, exclusive=True, group="act")
    async def _act_asking(self, action: Action) -> None:
        await self.act_if_wanted(action)

    def _act_at_once(self, action: Action) -> None:
        """As ``act_if_wanted``, at once where there is nothing to ask: the next key is on its way."""
        if self.is_last_step:
            self._act_asking(action)
        else:
            self.act(action)

    def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        target = target_of(message.row.id)
        if target.kind in (outline.DOCUMENT, outline.SECTION):
            section = target.section or None
            if self.session.is_read(target.name, section) or self.session.ended:
                self.reader.go_to(target.name, section)
                self.set_focus(self.reader)
                return
            action: Action = {"type": "read_document", "document_id": target.name}
            self._act_at_once(action if section is None else {**action, "section": section})
        elif target.kind == outline.DRAFT:
            self.open_form(target.name)
        elif target.kind == outline.SEARCH:
            self.show_hits(self.session.steps[int(target.name) - 1])
        else:
            self.action_other_pane()

    def action_other_pane(self) -> None:
        """Between the list (or the form) and what stands beside it."""
        beside = self.query_one(DetailPane) if self.has_class("-detail") else self.reader
        if beside.has_focus:
            self.focus_left()
        else:
            self.set_focus(beside)

    def focus_left(self) -> None:
        """The keys to the form that is open, else to the list."""
        self.set_focus(self.query_one(MatterForm) if self.form_key is not None else self.listed)

    # -- the end

    def action_practise(self) -> None:
        """Show rewards at once, or not."""
        self.session.practice = not self.session.practice
        self.session.save()
        self.show_state()
        words = "Rewards are shown as you go. " if self.session.practice else "Rewards are told at the end."
        last = self._told(self.session.steps[-1]) if self.session.practice and self.session.steps else ""
        self.tell(words + last)

    def action_result(self) -> None:
        """The score, the points and their reasons."""
        if self.session.aborted is not None:
            self.say(f"There is no score: {self.session.aborted}", error=True)
            return
        from rubrictui.screens.matter_trace import MatterTraceScreen

        self.app.push_screen(
            MatterTraceScreen(
                self.session.matter,
                self.session.actions,
                "Your work",
                folder=Path(self.session.folder) if self.session.folder else None,
                seed=self.session.seed,
            )
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what is possible now."""
        return self.is_possible(action)

    async def action_back(self) -> None:
        """Close what is open, else leave; nothing is lost."""
        if await self.close_open():
            return
        if self.has_class("-detail") and self.query_one(DetailPane).has_focus:
            self.set_focus(self.listed)
            return
        if self.reader.has_focus:
            self.set_focus(self.listed)
            return
        self.flush()
        if self.app.screen_stack[0] is self:
            await self.run_action("app.quit")
        else:
            self.dismiss(None)


def _reader_pages(session: MatterSession) -> tuple[ReaderPage, ...]:
    pages = tuple(
        ReaderPage(
            page.document_id, page.title, page.text, tuple((mark.line, mark.token) for mark in page.marks)
        )
        for page in session.pages()
    )
    return pages or (ReaderPage("", "", "This matter has no documents.", ()),)


def open_player(
    folder: str | Path, *, file: Path | None = None, anew: bool = False, seed: int = 0
) -> MatterPlayerScreen:
    """The player on the matter in a folder: unfinished work is gone on with.

    Raises:
        InvalidInputError: the matter cannot be loaded, or the work not be kept.
    """
    from rubrictui.matters.loading import Matter

    place = Path(folder)
    return MatterPlayerScreen(open_work(place, Matter.from_directory(place), file=file, anew=anew, seed=seed))


SCREEN = ScreenSpec(name="matter_player", title="Matter", opener=open_player)
