"""One line to type something into: what to search for, an address, a reason. Enter gives it, Esc leaves."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from rubrictui.core.display import visible
from rubrictui.widgets.text import plain


class PromptInput(Input):
    """The text field. It does not blink: over a slow line a blinking cursor is traffic."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Done", id="prompt.done"),
        Binding("escape", "leave", "Cancel", key_display="Esc", id="prompt.leave"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Give what was typed. |
    | escape | Leave without giving it. |
    """

    def action_leave(self) -> None:
        """Leave the line."""
        if isinstance(self.parent, PromptLine):
            self.parent.post_message(PromptLine.Left(self.parent))


class PromptLine(Horizontal):
    """A label and a text field on one line. Mounted when something is asked, removed when it was given."""

    DEFAULT_CSS = """
    PromptLine {
        height: 1;
        background: $panel;
        & > .prompt--label { width: auto; padding: 0 1; color: $accent; text-style: bold; }
        & > PromptInput {
            width: 1fr; height: 1; border: none; padding: 0; background: $panel; color: $foreground;
            &:focus { border: none; background-tint: $foreground 0%; }
        }
    }
    """

    class _PromptMessage(Message):
        def __init__(self, prompt: PromptLine) -> None:
            super().__init__()
            self.prompt = prompt

        @property
        def control(self) -> PromptLine:
            return self.prompt

    class Given(_PromptMessage):
        """Enter was pressed; ``value`` is what was typed, trimmed."""

        def __init__(self, prompt: PromptLine, value: str) -> None:
            super().__init__(prompt)
            self.value = value

    class Typed(_PromptMessage):
        """The text changed; ``value`` is what stands there now."""

        def __init__(self, prompt: PromptLine, value: str) -> None:
            super().__init__(prompt)
            self.value = value

    class Left(_PromptMessage):
        """Esc was pressed."""

    def __init__(
        self,
        label: str,
        *,
        value: str = "",
        placeholder: str = "",
        purpose: str = "",
        selected: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """
        Args:
            label: what is asked.
            value: what stands there at first.
            placeholder: what stands there while it is empty.
            purpose: a word for the owner's use, to tell its prompts apart.
            selected: what is typed takes the place of ``value``, as for numbers; else it is added to it.
        """
        super().__init__(name=name, id=id, classes=classes)
        self.purpose = purpose
        self._label = label
        self._value = value
        self._placeholder = placeholder
        self._selected = selected

    def compose(self) -> ComposeResult:
        yield Static(plain(self._label, newlines=False), classes="prompt--label")
        field = PromptInput(self._value, select_on_focus=False)
        field.placeholder = visible(self._placeholder, newlines=False)
        field.cursor_blink = False
        yield field

    def on_mount(self) -> None:
        self.app.clear_notifications()  # a notice stands on the same line, and would hide what is typed
        self.take_focus()
        if self._selected:
            self.query_one(PromptInput).select_all()

    def take_focus(self) -> None:
        """Put the focus into the field, at once: the next key may be on its way."""
        self.screen.set_focus(self.query_one(PromptInput))

    @property
    def value(self) -> str:
        """What stands there now."""
        return self.query_one(PromptInput).value

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(self, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Given(self, event.value.strip()))
