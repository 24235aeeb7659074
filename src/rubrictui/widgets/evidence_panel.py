"""The evidence of one answer: quotes, files, links and notes, added and removed by keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from rubrictui.core.evidence import check_evidence
from rubrictui.core.model import Evidence, EvidenceKind
from rubrictui.core.records import Subject
from rubrictui.widgets.choice_list import ChoiceList
from rubrictui.widgets.criteria_lines import evidence_line
from rubrictui.widgets.prompt_line import PromptLine
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import plain

_COLUMNS = (Column("Kind", width=6), Column("Evidence", share=1, minimum=20))
_EMPTY = "No evidence yet: q quotes from the text, f a file, l a link, t a note."
_LINK = "link"
_NOTE = "note"
_FILE = "file"


class EvidencePanel(Vertical):
    """A title line and the list of evidence, below the criteria; mounted while it is being edited."""

    HELP = (
        "What an answer rests on. A quote is picked in the subject and kept word for word; a file, a link or "
        "a note is named here. Everything is saved at once."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "q", "quote", "Quote", priority=True, id="evidence.quote", tooltip="Pick a quote in the subject"
        ),
        Binding(
            "f",
            "file",
            "File",
            priority=True,
            id="evidence.file",
            tooltip="Cite a file of the subject, or a path",
        ),
        Binding("l", "link", "Link", priority=True, id="evidence.link", tooltip="Cite a web address"),
        Binding("t", "note", "Note", priority=True, id="evidence.note", tooltip="Write a note"),
        Binding(
            "x,delete",
            "remove",
            "Remove",
            priority=True,
            id="evidence.remove",
            tooltip="Remove the evidence on this line",
        ),
        Binding(
            "escape",
            "close",
            "Done",
            key_display="Esc",
            priority=True,
            id="evidence.done",
            tooltip="Back to the criteria",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | q | Pick a quote in the subject. |
    | f, l, t | Cite a file, a link; write a note. |
    | enter | Show a quote where it stands; edit a link or a note. |
    | x, delete | Remove the evidence under the cursor. |
    | escape | Back to the criteria; from a text field, back to the list. |
    """

    DEFAULT_CSS = """
    EvidencePanel {
        height: 9;
        max-height: 60%;
        background: $surface;
        border-top: solid $border;
        & > Static { height: 1; padding: 0 1; color: $accent; text-style: bold; }
        & > RowsList { background: $surface; }
    }
    """

    class _PanelMessage(Message):
        def __init__(self, panel: EvidencePanel) -> None:
            super().__init__()
            self.panel = panel

        @property
        def control(self) -> EvidencePanel:
            return self.panel

    class Changed(_PanelMessage):
        """The evidence is now ``evidence``."""

        def __init__(self, panel: EvidencePanel, evidence: tuple[Evidence, ...]) -> None:
            super().__init__(panel)
            self.evidence = evidence

    class QuoteRequested(_PanelMessage):
        """A quote is to be picked in the subject."""

    class ShowRequested(_PanelMessage):
        """A quote is to be shown where it stands."""

        def __init__(self, panel: EvidencePanel, evidence: Evidence) -> None:
            super().__init__(panel)
            self.evidence = evidence

    class Refused(_PanelMessage):
        """Something was not taken; ``reason`` is for people."""

        def __init__(self, panel: EvidencePanel, reason: str) -> None:
            super().__init__(panel)
            self.reason = reason

    class Closed(_PanelMessage):
        """The reviewer is done."""

    def __init__(
        self,
        criterion_id: str,
        title: str,
        subject: Subject,
        evidence: Sequence[Evidence],
        *,
        id: str | None = None,
    ) -> None:
        """
        Args:
            criterion_id: whose evidence it is.
            title: what to call it.
            subject: what quotes are taken from.
            evidence: the evidence so far.
        """
        super().__init__(id=id)
        self.criterion_id = criterion_id
        self._title = title
        self._subject = subject
        self._evidence = tuple(evidence)
        self._edited: int | None = None

    def compose(self) -> ComposeResult:
        yield Static(plain(self._title, newlines=False), markup=False)
        yield ChoiceList(_COLUMNS, empty=_EMPTY)

    def on_mount(self) -> None:
        self._show()
        self.take_focus()

    def take_focus(self) -> None:
        """Put the focus where the reviewer left it."""
        prompts = self.query(PromptLine)
        if prompts:
            prompts.first().take_focus()
        else:
            self.screen.set_focus(self.query_one(RowsList))

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return self._evidence

    def _show(self, *, cursor: int | None = None) -> None:
        rows = [
            Row(
                id=str(index),
                cells=(item.kind.value, _told(item)),
                tone="warning" if check_evidence(self._subject, item) else "",
                mark="!" if check_evidence(self._subject, item) else " ",
            )
            for index, item in enumerate(self._evidence)
        ]
        self.query_one(RowsList).set_rows(rows, cursor=None if cursor is None else str(cursor))

    def _current(self) -> int | None:
        row = self.query_one(RowsList).current
        return int(row.id) if row is not None else None

    def _put(self, evidence: tuple[Evidence, ...], *, cursor: int | None = None) -> None:
        self._evidence = evidence
        self._show(cursor=cursor)
        self.post_message(self.Changed(self, evidence))

    def add(self, item: Evidence) -> bool:
        """Add one piece of evidence, unless it does not hold or is there already; says so."""
        if (problem := check_evidence(self._subject, item)) is not None:
            self.post_message(self.Refused(self, f"{problem.message} {problem.remedy}"))
            return False
        if item in self._evidence:
            self.post_message(self.Refused(self, "That is among the evidence already."))
            return False
        if self._edited is not None and self._edited < len(self._evidence):
            changed = (*self._evidence[: self._edited], item, *self._evidence[self._edited + 1 :])
            self._put(changed, cursor=self._edited)
        else:
            self._put((*self._evidence, item), cursor=len(self._evidence))
        self._edited = None
        return True

    # -- keys

    def action_quote(self) -> None:
        """Pick a quote in the subject."""
        self.post_message(self.QuoteRequested(self))

    async def action_file(self) -> None:
        """Name a file; the subject's own first."""
        names = [file.name for file in self._subject.files]
        cited = {item.source or item.text for item in self._evidence if item.kind is EvidenceKind.FILE}
        left = [name for name in names if name not in cited]
        hint = f"of the subject: {', '.join(names)}" if names else "a path"
        await self._ask(_FILE, "File", left[0] if left else "", hint)

    async def action_link(self) -> None:
        """Type a web address."""
        await self._ask(_LINK, "Link", "https://", "https://...")

    async def action_note(self) -> None:
        """Type a note."""
        await self._ask(_NOTE, "Note", "", "what you saw, and where")

    def action_remove(self) -> None:
        """Remove the evidence under the cursor. Undo brings it back."""
        index = self._current()
        if index is not None:
            rest = (*self._evidence[:index], *self._evidence[index + 1 :])
            self._put(rest, cursor=min(index, len(rest) - 1))

    def action_close(self) -> None:
        """Be done."""
        self.post_message(self.Closed(self))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While something is typed only the text field has keys."""
        if action in ("quote", "file", "link", "note", "remove", "close") and self.query(PromptLine):
            return False
        return not (action == "remove" and not self._evidence)

    async def on_rows_list_selected(self, message: RowsList.Selected) -> None:
        """Enter: show a quote, edit the rest."""
        message.stop()
        item = self._evidence[int(message.row.id)]
        if item.kind is EvidenceKind.QUOTE:
            self.post_message(self.ShowRequested(self, item))
            return
        self._edited = int(message.row.id)
        purpose = {EvidenceKind.FILE: _FILE, EvidenceKind.LINK: _LINK}.get(item.kind, _NOTE)
        value = (
            (item.source or item.text) if item.kind is EvidenceKind.FILE else item.text or item.source or ""
        )
        await self._ask(purpose, purpose.capitalize(), value, "")

    # -- typing

    async def _ask(self, purpose: str, label: str, value: str, placeholder: str) -> None:
        prompt = PromptLine(label, value=value, placeholder=placeholder, purpose=purpose)
        await self.mount(prompt)
        prompt.take_focus()
        self.refresh_bindings()

    async def on_prompt_line_given(self, message: PromptLine.Given) -> None:
        message.stop()
        if not message.value:
            await self._end_asking(message.prompt)
            return
        kind = {_FILE: EvidenceKind.FILE, _LINK: EvidenceKind.LINK}.get(
            message.prompt.purpose, EvidenceKind.NOTE
        )
        item = Evidence(kind=kind, text=message.value)
        if kind is EvidenceKind.FILE:
            item = replace(item, text="", source=message.value)
        if self.add(item):
            await self._end_asking(message.prompt)

    async def on_prompt_line_left(self, message: PromptLine.Left) -> None:
        message.stop()
        await self._end_asking(message.prompt)

    async def _end_asking(self, prompt: PromptLine) -> None:
        self._edited = None
        await prompt.remove()
        self.query_one(RowsList).focus()
        self.refresh_bindings()


def _told(item: Evidence) -> str:
    """A piece of evidence beside its kind."""
    if item.kind is EvidenceKind.QUOTE:
        return evidence_line(item, 400)
    return ": ".join(part for part in (item.source, item.text) if part)
