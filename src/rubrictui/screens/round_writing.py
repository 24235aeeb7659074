"""Writing a round to files: its report, letters to the people scored, its subjects without what it hides."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import work
from textual.binding import Binding, BindingType
from textual.widgets import Static

from rubrictui.core.errors import RubrictuiError
from rubrictui.interchange.new_files import FilesThereError, Stopped
from rubrictui.interchange.sync_names import file_stem
from rubrictui.screens.base import Shell
from rubrictui.screens.confirm import confirmed
from rubrictui.screens.rows_screen import RowsScreen
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted, plain

if TYPE_CHECKING:
    from rubrictui.engine import Engine

_BAR: Final = 24

#: What can be written: id, what it is, what it is for, the end of the suggested name, its section.
CHOICES: Final = (
    (
        "report:html",
        "Report as a page",
        "HTML with plots; needs nothing else, prints",
        "-report.html",
        "Report",
    ),
    (
        "report:markdown",
        "Report as Markdown",
        "for notes and repositories; plots as text",
        "-report.md",
        "Report",
    ),
    ("report:csv", "Report as CSV", "a folder of files for a spreadsheet", "-report", "Report"),
    ("letters:html,md", "Letters, Markdown and HTML", "two files for each subject", "-letters", "Letters"),
    ("letters:html", "Letters as pages", "an HTML file for each subject", "-letters", "Letters"),
    ("letters:txt", "Letters as plain text", "a file for each subject, for mail", "-letters", "Letters"),
    ("subjects", "Subjects, anonymised", "without the fields that the round hides", "-subjects", "Subjects"),
)


@dataclass
class Writing:
    """One piece of work in a thread: how far it is, and whether it is to stop."""

    done: int = 0
    total: int = 0
    what: str = ""

    def __post_init__(self) -> None:
        self.stop = threading.Event()

    def note(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    @property
    def words(self) -> str:
        """``intervals ━━━───── 40%``; what is being read before anything is counted."""
        if not self.total:
            return f"{self.what} ..."
        full = _BAR * self.done // self.total
        return f"{self.what} {'━' * full}{'─' * (_BAR - full)} {100 * self.done // self.total}%"


class RoundWritingScreen(RowsScreen[None]):
    """What to write of a round, and where to.

    Args:
        ref: its context, by id or ``Entity/record``.
        name: what people call the round.
    """

    TITLE = "Write the round"
    COLUMNS = (Column("What", width=28), Column("", minimum=20, drop=1))
    HELP = (
        "Enter asks where to, then writes. The report tells scores, ranks, agreement, what was settled and how it was "
        "made. A letter tells one subject what it was given and why; reviewers are named or numbered as the round says. "
        "Subjects on which you have open work are in neither. Nothing is written over unless you say so, and Esc stops "
        "work that is under way with nothing written."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Write", priority=True, id="writing.choose"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Write what the line under the cursor says. |
    | escape | Stop the work under way; back. |
    """

    def __init__(self, ref: str, name: str) -> None:
        super().__init__(f"Write · {name}")
        self._ref = ref
        self._stem = file_stem("round", ref, name, ())
        self._chosen = ""
        self._writing: Writing | None = None

    def about(self) -> str:
        return "Only what you may see is written. Choose what."

    def rows(self) -> Sequence[Row]:
        return [Row(id, (what, why), section=section) for id, what, why, _, section in CHOICES]

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(0.25, self._show_progress)

    def on_unmount(self) -> None:
        if self._writing is not None:
            self._writing.stop.set()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """One thing is written at a time."""
        if action == "choose" and self._writing is not None:
            return False
        return super().check_action(action, parameters)

    # -- where to

    async def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        if self._writing is not None or self.is_asking:
            return
        self._chosen = message.row.id
        ending = next(end for id, _, _, end, _ in CHOICES if id == self._chosen)
        label = "Write to" if Path(ending).suffix else "Write into the folder"
        await self.ask_line(label, value=f"{self._stem}{ending}")

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        await self.end_line()
        if message.value:
            self._write(self._chosen, Path(message.value).expanduser())

    # -- writing

    @work(exit_on_error=False, exclusive=True, group="write")
    async def _write(self, chosen: str, to: Path) -> None:
        try:
            try:
                said = await self._written(chosen, to, force=False)
            except FilesThereError as error:
                self._end()
                again = await confirmed(
                    self,
                    "Write over what is there?",
                    error.message,
                    yes="Write over it",
                    no="Leave it as it is",
                )
                if not again:
                    return
                said = await self._written(chosen, to, force=True)
        except Stopped:
            said = "Stopped. Nothing was written."
        except RubrictuiError as error:
            said = str(error)
        self._end()
        self._say(said)

    async def _written(self, chosen: str, to: Path, *, force: bool) -> str:
        self._writing = writing = Writing(what="Reading the round")
        self.refresh_bindings()
        self._show_progress()
        shell = cast(Shell, self.app)
        rest = await shell.ask(
            lambda engine: _prepared(engine, self._ref, chosen, to, force=force, writing=writing)
        )
        return await asyncio.to_thread(rest)

    def _end(self) -> None:
        self._writing = None
        self.refresh_bindings()

    def _show_progress(self) -> None:
        if self._writing is not None and self.is_current:
            self._say(f"{self._writing.words}\nEsc stops it.")

    def _say(self, text: str) -> None:
        self.query_one("#about", Static).update(plain(text))

    def action_back(self) -> None:
        """Stop what is being written; else go back."""
        if self._writing is not None:
            self._writing.stop.set()
        else:
            self.dismiss(None)


def _prepared(
    engine: Engine, ref: str, chosen: str, to: Path, *, force: bool, writing: Writing
) -> Callable[[], str]:
    """What remains to be done once the store was read; it gives the words for its end."""
    kind, _, form = chosen.partition(":")
    if kind == "report":
        facts = engine.round_facts(ref)

        def report() -> str:
            from rubrictui.core.round_report import round_report
            from rubrictui.interchange.round_report_out import ReportFormat, write_report

            writing.what = "Drawing intervals"
            made = round_report(facts, progress=writing.note, cancelled=writing.stop.is_set)
            if writing.stop.is_set():
                raise Stopped
            writing.what = "Writing"
            written = write_report(
                made,
                ReportFormat(form),
                to,
                force=force,
                progress=writing.note,
                cancelled=writing.stop.is_set,
            )
            return _end_words(written, to, len(facts.table.hidden))

        return report
    if kind == "letters":
        facts = engine.letter_facts(ref)

        def letters() -> str:
            from rubrictui.interchange.letters_out import LetterFormat, LetterTemplates, write_letters

            writing.what = "Writing letters"
            templates = LetterTemplates([LetterFormat(one) for one in form.split(",")])
            written = write_letters(
                facts, to, templates, force=force, progress=writing.note, cancelled=writing.stop.is_set
            )
            without = "".join(
                f"\nNo letter for {counted(len(names), 'subject')}: {why}." for why, names in written.without
            )
            return _end_words(written.files, to) + without

        return letters
    found = engine.anonymised_subjects(ref)

    def subjects() -> str:
        from rubrictui.interchange.subjects_out import write_subjects

        writing.what = "Writing subjects"
        written = write_subjects(found, to, force=force, progress=writing.note, cancelled=writing.stop.is_set)
        places = sum(one.replaced for one in found)
        return f"{_end_words(written.files, to)}\n[hidden] stands in {counted(places, 'place')} of them."

    return subjects


def _end_words(written: Sequence[Path], to: Path, left: int = 0) -> str:
    """Where it went, and how many subjects are left out."""
    where = to.absolute()
    said = (
        f"Written: {where}"
        if len(written) == 1 and written[0] == to
        else f"Written: {len(written):,} files into {where}"
    )
    return f"{said}\n{counted(left, 'subject')} left out: you have open work there." if left else said
