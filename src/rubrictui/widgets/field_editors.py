"""The editors of the fields pane: a line, a text, a choice. Each is one widget, shown where it is needed.

They are mounted with the pane and hidden, so that opening one costs a layout and no mounting, and the key
after the one that opens it finds it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widget import Widget
from textual.widgets import Input, TextArea

from rubrictui.core.display import visible
from rubrictui.widgets.field_model import Choice
from rubrictui.widgets.open_list import OpenList
from rubrictui.widgets.text import Line, expand_tabs, one_line, truncate, wrap

_PREVIEW_LINES = 8


class EditorMessage(Message):
    """What an editor tells the pane."""

    def __init__(self, editor: Widget) -> None:
        super().__init__()
        self.editor = editor

    @property
    def control(self) -> Widget:
        return self.editor


class Done(EditorMessage):
    """The field is done: Enter, or what ends a text."""


class Left(EditorMessage):
    """Esc was pressed."""


class Moved(EditorMessage):
    """The field is done, and the cursor goes ``by`` fields on."""

    def __init__(self, editor: Widget, by: int) -> None:
        super().__init__(editor)
        self.by = by


class Lost(EditorMessage):
    """The focus went elsewhere."""


class Asked(EditorMessage):
    """A key of the text editor: ``saved``, ``template`` or ``trial``."""

    def __init__(self, editor: Widget, what: str) -> None:
        super().__init__(editor)
        self.what = what


class Chosen(EditorMessage):
    """A choice was taken."""

    def __init__(self, editor: Widget, choice: Choice) -> None:
        super().__init__(editor)
        self.choice = choice


def _lost(editor: Widget) -> None:
    # When the terminal loses the focus, the editor has it again as soon as the terminal does.
    if editor.app.app_focus:
        editor.post_message(Lost(editor))


class LineEditor(Input):
    """One line of text, a key or a number."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "done", "Done", id="fields.line_done", tooltip="Done with this field"),
        Binding(
            "escape", "leave", "Back", key_display="Esc", id="fields.line_leave", tooltip="Back to the fields"
        ),
        Binding(
            "down,tab",
            "go(1)",
            "Next field",
            show=False,
            id="fields.line_next",
            tooltip="Done, and on to the next field",
        ),
        Binding(
            "up,shift+tab",
            "go(-1)",
            "Field before",
            show=False,
            id="fields.line_before",
            tooltip="Done, and back to the field before",
        ),
        Binding("ctrl+s", "saved", "Saved?", show=False, id="fields.line_saved", tooltip="Say what is saved"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Done with this field. |
    | escape | Back to the fields. |
    | down, tab / up, shift+tab | Done, and on to the field after / before. |
    | ctrl+s | Say what is saved. |
    """

    # An input asks for a layout of the screen at every key, because it may grow; this one stays as wide as it is.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    def __init__(self) -> None:
        super().__init__(select_on_focus=False)
        self.cursor_blink = False

    def begin(self, text: str, *, selected: bool) -> None:
        """Show a text, all of it selected or the cursor at its end."""
        with self.prevent(Input.Changed):
            self.value = text
        self.cursor_position = len(text)
        if selected:
            self.select_all()

    def action_done(self) -> None:
        self.post_message(Done(self))

    def action_leave(self) -> None:
        self.post_message(Left(self))

    def action_go(self, by: int) -> None:
        self.post_message(Moved(self, by))

    def action_saved(self) -> None:
        self.post_message(Asked(self, "saved"))

    def on_blur(self) -> None:
        _lost(self)


class TextEditor(TextArea):
    """A text of several lines. As YAML it has keys for rules besides."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape",
            "leave",
            "Done",
            key_display="Esc",
            priority=True,
            id="fields.text_done",
            tooltip="Back to the fields; the text is kept",
        ),
        Binding(
            "tab",
            "go(1)",
            "Next field",
            show=False,
            id="fields.text_next",
            tooltip="Done, and on to the next field",
        ),
        Binding(
            "shift+tab",
            "go(-1)",
            "Field before",
            show=False,
            id="fields.text_before",
            tooltip="Done, and back to the field before",
        ),
        Binding(
            "ctrl+s",
            "ask('saved')",
            "Saved?",
            priority=True,
            id="fields.text_saved",
            tooltip="Say what is saved",
        ),
        Binding(
            "ctrl+t",
            "ask('template')",
            "Rule template",
            priority=True,
            id="fields.template",
            tooltip="Write a rule to fill in",
        ),
        Binding(
            "ctrl+r",
            "ask('trial')",
            "Try the rule",
            priority=True,
            id="fields.text_trial",
            tooltip="Try the rule on a subject",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | escape | Back to the fields; the text is kept. |
    | tab / shift+tab | Done, and on to the field after / before. |
    | ctrl+s | Say what is saved. |
    | ctrl+t | In evaluator settings: write a rule to fill in. |
    | ctrl+r | In evaluator settings: try the rule on a subject. |
    """

    def __init__(self) -> None:
        super().__init__("", soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
        self.cursor_blink = False
        self.highlight_cursor_line = False
        self._is_yaml = False

    def begin(self, text: str, *, is_yaml: bool) -> None:
        """Show a text; the cursor goes to its end, in YAML to its beginning."""
        self._is_yaml = is_yaml
        self.soft_wrap = not is_yaml
        with self.prevent(TextArea.Changed):
            self.load_text(text)
        self.move_cursor((0, 0) if is_yaml else self.document.end)

    def put(self, text: str) -> None:
        """Replace the whole text, as one step that its own undo takes back."""
        self.replace(text, (0, 0), self.document.end)
        self.move_cursor((0, 0))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys for rules are there only for YAML."""
        return self._is_yaml or action != "ask" or parameters == ("saved",)

    def action_leave(self) -> None:
        self.post_message(Left(self))

    def action_go(self, by: int) -> None:
        self.post_message(Moved(self, by))

    def action_ask(self, what: str) -> None:
        self.post_message(Asked(self, what))

    def on_blur(self) -> None:
        _lost(self)


class ChoiceBox(OpenList, inherit_bindings=False):
    """Choices, one a line; the one under the cursor shows what it holds. Letters go to the next that begins so."""

    STYLE_PREFIX = "choice"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "take", "Take", id="fields.choice_take", tooltip="Take this choice"),
        Binding(
            "escape",
            "leave",
            "Leave",
            key_display="Esc",
            id="fields.choice_leave",
            tooltip="Leave it as it is",
        ),
        Binding("up,left", "move(-1)", "Up", show=False, id="fields.choice_up"),
        Binding("down,right", "move(1)", "Down", show=False, id="fields.choice_down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="fields.choice_page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="fields.choice_page_down"),
        Binding("home", "move(-1000000)", "First", show=False, id="fields.choice_first"),
        Binding("end", "move(1000000)", "Last", show=False, id="fields.choice_last"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter, space | Take the choice under the cursor. |
    | escape | Leave it as it is. |
    | up, left / down, right | The choice before / after. |
    | a letter | The next choice that begins with it. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "choice--bar",
        "choice--chosen",
        "choice--label",
        "choice--muted",
        "choice--open",
        "choice--preview",
    }
    """
    | Class | Description |
    | :- | :- |
    | `choice--label`, `choice--chosen` | A choice; the one that is stored. |
    | `choice--muted`, `choice--preview` | What is said about it, what it holds. |
    | `choice--open`, `choice--bar` | What lies under the choice under the cursor, its bar. |
    """

    DEFAULT_CSS = """
    ChoiceBox {
        background: $panel;
        & > .choice--open { background: $block-cursor-background; color: $block-cursor-foreground; text-style: $block-cursor-text-style; }
        & > .choice--bar { text-style: bold; }
        & > .choice--chosen { text-style: bold; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._choices: tuple[Choice, ...] = ()
        self._chosen = -1
        self._label_width = 10

    def begin(self, choices: Sequence[Choice], chosen: int) -> None:
        """Show choices; the cursor stands on the one that is stored (-1: on the first)."""
        self._choices = tuple(choices)
        self._chosen = chosen
        self.row_cursor = max(chosen, 0) if self._choices else -1
        self._reserve = 0
        if self.size.width:
            self.measure()
            self.scroll_to(y=0, animate=False, force=True)
            self.show_cursor()
            self.refresh()

    @staticmethod
    def lines_wanted(choices: Sequence[Choice]) -> int:
        """How many lines show all of them, previews included."""
        return len(choices) + min(max((len(choice.preview) for choice in choices), default=0), _PREVIEW_LINES)

    # -- keys

    def action_take(self) -> None:
        if self.row_cursor >= 0:
            self.post_message(Chosen(self, self._choices[self.row_cursor]))

    def action_leave(self) -> None:
        self.post_message(Left(self))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Letters belong to the choices, so that no shortcut fires while one is being made."""
        return character is not None and character.isprintable() and character != " "

    def on_key(self, event: events.Key) -> None:
        character = event.character
        if character is None or not character.isprintable() or character == " ":
            return
        event.stop()
        event.prevent_default()
        count = len(self._choices)
        for offset in range(1, count + 1):
            index = (self.row_cursor + offset) % count
            if self._choices[index].label.casefold().startswith(character.casefold()):
                self.move_to(index)
                return

    def on_blur(self) -> None:
        _lost(self)

    def on_click(self, event: events.Click) -> None:
        before = self.row_cursor
        super().on_click(event)
        if before == self.row_cursor:
            self.action_take()
        event.stop()

    # -- how choices look

    @property
    def row_count(self) -> int:
        return len(self._choices)

    def plan(self, width: int) -> None:
        longest = max((len(one_line(choice.label, width)) for choice in self._choices), default=0)
        self._label_width = min(longest + 1, width // 2)

    def row_height(self, index: int) -> int:
        return 1

    def closed_lines(self, index: int) -> Sequence[Line]:
        return [self._choice_line(index, " ")]

    def open_lines(self, index: int) -> Sequence[Line]:
        lines = [self._choice_line(index, "▌")]
        width = max(self.line_width - 5, 8)
        for text in self._choices[index].preview[: _PREVIEW_LINES + 1]:
            if len(lines) > _PREVIEW_LINES:
                lines.append([("▌", "bar"), ("    …", "preview")])
                break
            shown = wrap(expand_tabs(visible(text[: width * 8], newlines=False)), width, limit=1)
            lines.append([("▌", "bar"), ("    ", "preview"), (shown[0] if shown else "", "preview")])
        return lines

    def _choice_line(self, index: int, bar: str) -> Line:
        choice = self._choices[index]
        mark = "●" if index == self._chosen else " "
        label = one_line(choice.label, self._label_width)
        gap = " " * max(self._label_width - len(label), 1)
        about = one_line(choice.about, max(self.line_width - self._label_width - 4, 4))
        return [
            (bar, "bar"),
            (f"{mark} ", "chosen"),
            (truncate(label, self._label_width), "chosen" if index == self._chosen else "label"),
            (f"{gap}{about}", "muted"),
        ]
