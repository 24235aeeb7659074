"""Writing a rationale below the criteria, mounted only while one is being written."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static, TextArea

from rubrictui.widgets.text import plain

_OPENERS = "([{\u00ab\u201c\u201e\u2018"
"""Behind these a word follows without a blank."""


def set_apart(before: str, text: str) -> str:
    """``text`` as it goes behind ``before``: with a blank in front where the two would run together."""
    runs_on = bool(before) and not before[-1].isspace() and before[-1] not in _OPENERS
    return f" {text}" if runs_on and text[:1].strip() else text


class RationaleArea(TextArea):
    """The text area. Its own keys are those that a text area can do without."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape",
            "close",
            "Done",
            key_display="Esc",
            priority=True,
            id="rationale.done",
            tooltip="Back to the criteria",
        ),
        Binding(
            "ctrl+g",
            "phrases",
            "Phrases",
            priority=True,
            id="rationale.phrases",
            tooltip="Insert one of your phrases",
        ),
        Binding(
            "ctrl+e",
            "external",
            "$EDITOR",
            priority=True,
            id="rationale.editor",
            tooltip="Write on in your own editor",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | escape | Back to the criteria; all of it is saved. |
    | ctrl+g | Your own phrases. |
    | ctrl+e | Go on in ``$EDITOR``. |
    """

    def action_close(self) -> None:
        """Ask to be closed."""
        self._tell(RationaleEditor.Closed)

    def action_phrases(self) -> None:
        """Ask for the phrases."""
        self._tell(RationaleEditor.PhrasesRequested)

    def action_external(self) -> None:
        """Ask for the external editor."""
        self._tell(RationaleEditor.ExternalRequested)

    def _tell(self, message: type[RationaleEditor._EditorMessage]) -> None:
        if isinstance(self.parent, RationaleEditor):
            self.parent.post_message(message(self.parent))


class RationaleEditor(Vertical):
    """A title line and a text area for the rationale of one criterion."""

    DEFAULT_CSS = """
    RationaleEditor {
        height: 8;
        max-height: 50%;
        background: $surface;
        border-top: solid $border;
        & > Static { height: 1; padding: 0 1; color: $accent; text-style: bold; }
        & > RationaleArea {
            height: 1fr; border: none; padding: 0 1; background: $surface; color: $foreground;
            scrollbar-size-vertical: 1;
            &:focus { border: none; }
            & .text-area--cursor-line { background: $surface; }
        }
    }
    """

    class _EditorMessage(Message):
        def __init__(self, editor: RationaleEditor) -> None:
            super().__init__()
            self.editor = editor

        @property
        def control(self) -> RationaleEditor:
            return self.editor

    class Typed(_EditorMessage):
        """The text changed."""

    class Closed(_EditorMessage):
        """The reviewer is done."""

    class PhrasesRequested(_EditorMessage):
        """The reviewer wants one of her phrases."""

    class ExternalRequested(_EditorMessage):
        """The reviewer wants to go on in her own editor."""

    def __init__(self, criterion_id: str, title: str, text: str, *, id: str | None = None) -> None:
        """
        Args:
            criterion_id: whose rationale it is.
            title: what to call it.
            text: the rationale so far.
        """
        super().__init__(id=id)
        self.criterion_id = criterion_id
        self._title = title
        self._told = text
        self._area = RationaleArea(text, soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
        self._area.cursor_blink = False
        self._area.highlight_cursor_line = False

    def compose(self) -> ComposeResult:
        yield Static(plain(self._title, newlines=False), markup=False)
        yield self._area

    def on_mount(self) -> None:
        self._area.move_cursor(self._area.document.end)
        self.take_focus()

    def take_focus(self) -> None:
        """Put the focus into the text, at once: the next key may be on its way."""
        self.screen.set_focus(self._area)

    @property
    def text(self) -> str:
        """What stands there now, also while the screen is being taken down."""
        return self._area.text

    def put(self, text: str) -> None:
        """Replace the whole text; the cursor goes to its end."""
        self._area.text = text
        self._area.move_cursor(self._area.document.end)

    def insert(self, text: str) -> None:
        """Insert at the cursor, apart from the word or the sentence before it."""
        row, column = self._area.cursor_location
        self._area.insert(set_apart(self._area.document.get_line(row)[:column], text))

    @property
    def selected(self) -> str:
        """What is selected; all of it when nothing is."""
        return self._area.selected_text or self._area.text

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if event.text_area.text != self._told:
            self._told = event.text_area.text
            # To the screen itself, which stores it: every stop on the way is time in which it can be lost.
            self.screen.post_message(self.Typed(self))
