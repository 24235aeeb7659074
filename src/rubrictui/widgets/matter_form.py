"""A form beside the documents: its fields as a list, each written below in an editor of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from rubrictui.matters.model import SEVERITIES
from rubrictui.widgets.block_list import Block, BlockList
from rubrictui.widgets.matter_forms import (
    CITATIONS,
    PLACE,
    QUOTES,
    SEVERITY,
    MatterField,
    Values,
    form_of,
)
from rubrictui.widgets.rationale_editor import RationaleArea, RationaleEditor
from rubrictui.widgets.text import Line, one_line, truncate, wrap

_OPEN_LINES = 6


class MatterForm(BlockList):
    """The fields of a form. What is changed by a key here comes out as ``Changed``; writing is for the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Write", id="matter_form.write"),
        Binding("s", "screen.send", "Send", id="matter_form.send", tooltip="Send the form; uses a step"),
        Binding(
            "1",
            "severity(0)",
            "Severity",
            key_display="1-4",
            id="matter_form.low",
            tooltip="Severity: 1 low, 2 medium, 3 high, 4 critical",
        ),
        Binding("2", "severity(1)", "Medium", show=False, id="matter_form.medium"),
        Binding("3", "severity(2)", "High", show=False, id="matter_form.high"),
        Binding("4", "severity(3)", "Critical", show=False, id="matter_form.critical"),
        Binding("x", "take_out", "Take out", id="matter_form.take_out", tooltip="Take the last entry out"),
        Binding(
            "tab",
            "screen.other_pane",
            "Read",
            key_display="Tab",
            priority=True,
            id="matter_form.read",
            tooltip="To the documents",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Write the field. |
    | 1 2 3 4 | The severity: low, medium, high, critical. |
    | x | Take the last citation or quote out, or clear the section. |
    | s | Send the form. |
    | tab | To the documents. |
    """

    class Changed(Message):
        """A field was changed by a key."""

        def __init__(self, form: MatterForm, field: str, value: object) -> None:
            super().__init__()
            self.form = form
            self.field = field
            self.value = value

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._key = "issue"
        self._values: Values = {}
        self._resolves: Callable[[str], bool] = lambda citation: True

    def show_form(
        self, key: str, values: Values, resolves: Callable[[str], bool], *, cursor: str | None = None
    ) -> None:
        """Show a form's values.

        Args:
            key: the draft's key.
            values: by field.
            resolves: whether a citation names a section.
            cursor: the field to go to; None stays.
        """
        self._key, self._values, self._resolves = key, values, resolves
        blocks = [
            Block(
                field.name,
                lambda width, field=field: closed_field(field, values[field.name], width, resolves),  # type: ignore[misc]
                lambda width, field=field: open_field(field, values[field.name], width, resolves),  # type: ignore[misc]
            )
            for field in form_of(key).fields
        ]
        self.set_blocks(blocks, cursor=cursor)

    @property
    def field(self) -> MatterField | None:
        """The field under the cursor."""
        return next((one for one in form_of(self._key).fields if one.name == self.current), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys act on the fields they are for."""
        if action == "severity":
            return any(field.kind == SEVERITY for field in form_of(self._key).fields)
        if action == "take_out":
            field = self.field
            return (
                field is not None
                and field.kind in (CITATIONS, QUOTES, PLACE)
                and bool(self._values[field.name])
            )
        if action == "select":
            return self.field is not None and self.field.kind not in (SEVERITY, QUOTES)
        return super().check_action(action, parameters)

    def on_moved(self, before: int) -> None:
        super().on_moved(before)
        self.refresh_bindings()

    def action_severity(self, level: int) -> None:
        """Set the severity, from 0 for the lowest."""
        self.post_message(self.Changed(self, "severity", SEVERITIES[level]))

    def action_take_out(self) -> None:
        """Take the last entry of the field out."""
        field = self.field
        if field is None:
            return
        value = self._values[field.name]
        self.post_message(self.Changed(self, field.name, "" if field.kind == PLACE else list(value[:-1])))


def closed_field(
    field: MatterField, value: object, width: int, resolves: Callable[[str], bool]
) -> Sequence[Line]:
    """A field in one line: its name and the beginning of its value."""
    title = f" {field.title}  "
    text = one_line(_flat(field, value), max(width - len(title) - 1, 4))
    empty = "(empty)" if not field.optional else "(none)"
    style = "text" if text else "muted"
    if text and not _sound(field, value, resolves):
        style = "warning"
    return [[(title, "title"), (text or empty, style)]]


def open_field(
    field: MatterField, value: object, width: int, resolves: Callable[[str], bool]
) -> Sequence[Line]:
    """The field under the cursor: its value in some lines, and what can be done."""
    lines: list[Line] = [[(f" {field.title} ", "title")]]
    room = max(width - 2, 8)
    if field.kind == SEVERITY:
        for number, severity in enumerate(SEVERITIES, 1):
            chosen = severity == value
            lines.append([(f" {'▸' if chosen else ' '} {number} {severity}", "title" if chosen else "text")])
        return lines
    entries: list[tuple[str, str]] = []
    if field.kind == CITATIONS and isinstance(value, list):
        for number, citation in enumerate(value, 1):
            bad = "" if resolves(citation) else "  names no section"
            entries.append((f"{number}. {one_line(citation)}{bad}", "warning" if bad else "text"))
    elif field.kind == QUOTES and isinstance(value, list):
        entries = [(f"{item['citation']}: “{one_line(item['text'])}”", "text") for item in value]
    elif isinstance(value, str) and value:
        entries = [(one_line(value, room * _OPEN_LINES * 2), "text")]
    for text, style in entries:
        lines += [[(f"  {part}", style)] for part in wrap(text, room, limit=_OPEN_LINES)]
    hint = {
        CITATIONS: "c cites the section at hand; the operative one first",
        QUOTES: "q picks a quote in the documents",
        PLACE: "c takes the section at hand",
    }.get(field.kind, "Enter writes")
    lines += [[(f"  {truncate(part, room)}", "muted")] for part in wrap(hint, room, limit=2)]
    return lines


def _flat(field: MatterField, value: object) -> str:
    if field.kind == CITATIONS and isinstance(value, list):
        return ", ".join(value)
    if field.kind == QUOTES and isinstance(value, list):
        return " ".join(f"{item['citation']} “{item['text']}”" for item in value)
    return str(value) if value else ""


def _sound(field: MatterField, value: object, resolves: Callable[[str], bool]) -> bool:
    if field.kind == CITATIONS and isinstance(value, list):
        return all(resolves(citation) for citation in value)
    return field.kind != PLACE or (isinstance(value, str) and resolves(value))


class MatterArea(RationaleArea):
    """The text area: Ctrl+G puts the citation of the section at hand into the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+g",
            "phrases",
            "Cite here",
            priority=True,
            id="matter_text.cite",
            tooltip="Put the citation of the section at hand into the text",
        ),
        # At once, not by a message: the next key is on its way.
        Binding(
            "escape",
            "screen.close_text",
            "Done",
            key_display="Esc",
            priority=True,
            id="matter_text.done",
            tooltip="Back to the form; all is kept",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | escape | Back to the form; all of it is kept. |
    | ctrl+g | The citation of the section at hand. |
    """


class MatterEditor(RationaleEditor):
    """A title line and a text area for one field of a form."""

    def __init__(self, field: str, title: str, text: str, *, id: str | None = None) -> None:
        super().__init__(field, title, text, id=id)
        self.field = field
        self._area = MatterArea(text, soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
        self._area.cursor_blink = False
        self._area.highlight_cursor_line = False
