"""Opening, placing and reading the editors of the fields pane: what is being typed, and when it is sent."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, TextArea

from rubrictui.core.editing_base import EditError, checked_key, keys_of
from rubrictui.core.model import Node, Scale, VersionSnapshot, fold_id
from rubrictui.widgets import field_editors as editors
from rubrictui.widgets.field_choices import NEW_SCALE, scale_choices
from rubrictui.widgets.field_lines import ERROR, WARNING
from rubrictui.widgets.field_list import FieldsList
from rubrictui.widgets.field_model import Choice, Field, FieldKind
from rubrictui.widgets.field_numbers import read_number

LONG_TEXT_WAIT = 0.3
"""Seconds from the first change of a long text to its message; on leaving it goes at once."""

_MOST_LINES, _ANCHOR_LINES = 12, 5
_ROOM = 4
"""Lines of a page that an editor leaves for its field's label, help, and what is said about it."""

Told = tuple[tuple[str, str], ...]

_LINES = (FieldKind.LINE, FieldKind.NUMBER, FieldKind.KEY)
_TEXTS = (FieldKind.TEXT, FieldKind.YAML)


@dataclasses.dataclass
class Edit:
    """One field being edited."""

    field: Field
    target: str | None
    number: int
    text: str
    said: list[Any] = dataclasses.field(default_factory=list)
    """The values stored or sent since it was opened: another one comes from elsewhere."""
    told: Told = ()
    waits: bool = False
    """Whether the text holds a change that was not sent yet."""


class EditingPane(Container):
    """A list of fields and the editors over it. A subclass shows the fields and says what goes out."""

    DEFAULT_CSS = """
    EditingPane {
        height: 1fr;
        layers: base editor;
        overflow: hidden;
        & > FieldsList { layer: base; }
        & > .field-editor { layer: editor; display: none; border: none; padding: 0; background: $panel; color: $foreground; }
        & > LineEditor { height: 1; &:focus { border: none; background-tint: $foreground 0%; } }
        & > TextEditor {
            scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1;
            &:focus { border: none; }
            & .text-area--cursor-line { background: $panel; }
        }
    }
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._list = FieldsList(on_shift=self._place_editor, on_leave_row=self._left_row)
        self._line = editors.LineEditor()
        self._text = editors.TextEditor()
        self._choices = editors.ChoiceBox()
        for editor in (self._line, self._text, self._choices):
            editor.add_class("field-editor")
        self._version: VersionSnapshot | None = None
        self._node: Node | None = None
        self._scales: tuple[Scale, ...] = ()
        self._frozen_scales: frozenset[str] = frozenset()
        self._edit: Edit | None = None
        self._edits = 0
        self._timer: Timer | None = None
        self._unsaved: dict[tuple[str | None, str], str] = {}
        self._faults: dict[tuple[str | None, str], str] = {}
        self._wanted = 4
        self._held: list[Message] | None = None

    def compose(self) -> ComposeResult:
        yield self._list
        yield self._line
        yield self._text
        yield self._choices

    # -- what a subclass says

    @property
    @abstractmethod
    def target(self) -> str | None:
        """The id of the node that is shown; None for the whole version."""

    @abstractmethod
    def _change(self, target: str | None, row: Field, value: Any, edit: int) -> None:
        """Send a value of a field."""

    @abstractmethod
    def _rekey(self, target: str | None, key: str) -> None:
        """Ask for another key."""

    @abstractmethod
    def _ask_scale(self, target: str | None) -> None:
        """Ask for a new scale."""

    @abstractmethod
    def _ask_trial(self, target: str | None, config: Mapping[str, Any] | None) -> None:
        """Ask to try a rule."""

    @property
    def is_editing(self) -> bool:
        """Whether an editor is open: keys belong to it then."""
        return self._edit is not None

    def take_focus(self) -> None:
        """Put the focus into the pane: into the open editor where there is one."""
        self.screen.set_focus(self._editor if self._edit is not None else self._list)

    def focus(self, scroll_visible: bool = True) -> Self:
        """Like any widget's, for what is inside."""
        (self._editor if self._edit is not None else self._list).focus(scroll_visible)
        return self

    def flush(self) -> None:
        """Send what was typed and not sent yet."""
        if self._edit is not None:
            self._take(self._edit)

    def take(self) -> list[Message]:
        """What was typed and not sent yet, as the messages that would say so; for a screen that is leaving."""
        self._held = []
        self.flush()
        held, self._held = self._held, None
        return held

    def _tell(self, told: Told) -> None:
        if self._edit is not None:
            self._edit.told = told
            self._say()
        else:
            self._list.say((*self._fault(), *told))

    def _send(self, message: Message) -> None:
        """To the screen itself, so that its own keys find what was typed before them."""
        if self._held is not None:
            self._held.append(message)
        else:
            self.screen.post_message(message)

    def _scale(self) -> Scale | None:
        if self._node is None or self._version is None:
            return None
        own = fold_id(self._node.scale_id)
        return next((scale for scale in self._version.scales if own and fold_id(scale.id) == own), None)

    # -- the editor

    @property
    def _editor(self) -> Widget:
        kind = self._edit.field.kind if self._edit is not None else None
        if kind in _LINES:
            return self._line
        return self._text if kind in _TEXTS else self._choices

    def _open(self, row: Field, *, typed: str | None = None) -> None:
        self._edits += 1
        stored = self._stored_text(row)
        text = self._unsaved.get((self.target, row.id), stored)
        self._edit = edit = Edit(row, self.target, self._edits, text, said=[row.value])
        if row.kind in _LINES:
            begun = " ".join(text.split("\n")) if typed is None else typed
            self._line.begin(begun, selected=row.kind is FieldKind.NUMBER and typed is None)
            edit.text = begun
            if typed is not None:
                self._check(edit)
        elif row.kind in _TEXTS:
            self._text.begin(text, is_yaml=row.kind is FieldKind.YAML)
            if text != stored:
                self._check(edit)
        else:
            self._begin_choice(row)
        self._say()
        self._list.show_cursor()
        self._editor.display = True
        self._place_editor()
        self.screen.set_focus(self._editor)
        self.refresh_bindings()

    def _meet(self, edit: Edit, stored: Field) -> None:
        """The field being edited was stored: by this edit, or by somebody else."""
        edit.field = stored
        if stored.value in edit.said:
            return
        edit.said.append(stored.value)
        if stored.kind in (*_LINES, *_TEXTS):
            edit.told = (
                (f"It was changed elsewhere, to {stored.shown}: what you type replaces that.", "warning"),
            )

    def _begin_choice(self, row: Field) -> None:
        choices: Sequence[Choice] = row.choices
        chosen = next((i for i, choice in enumerate(choices) if choice.value == row.value), -1)
        if row.name == "scale" and self._version is not None:
            choices = scale_choices(self._version, self._scales, self._frozen_scales)
            own = fold_id(self._node.scale_id) if self._node is not None else ""
            ids = [fold_id(c.value.id) if isinstance(c.value, Scale) else None for c in choices]
            chosen = ids.index(own) if own in ids else -1
        self._choices.begin(choices, chosen)
        self._wanted = self._choices.lines_wanted(choices)

    def _lines(self, row: Field) -> int:
        """How many lines of the list the editor of a field takes; 0 for one in the place of the value."""
        if row.kind in _LINES:
            return 0
        page = max(self._list.size.height - _ROOM, 3)
        if row.kind not in _TEXTS:
            return min(page, self._wanted)
        return min(page, _ANCHOR_LINES if row.name == "anchor" else _MOST_LINES)

    def _say(self) -> None:
        """Tell the list what to say about the field being edited and how many lines its editor takes."""
        edit = self._edit
        if edit is None:
            if fault := self._fault():
                self._list.say(fault)
            return
        told = edit.told
        if edit.field.name == "weight" and not told:
            told = ((edit.field.shown, "value"),)
        self._list.say(told, editor_lines=self._lines(edit.field), keys=_keys_of(edit.field))

    def _fault(self) -> Told:
        """What is wrong with a text of the field under the cursor that was kept and not stored."""
        row = self._list.current
        fault = self._faults.get((self.target, row.id)) if row is not None else None
        return (
            ((f"Not stored: {fault}", "error"), ("Enter goes on with your text.", "muted")) if fault else ()
        )

    def _left_row(self) -> None:
        if self._edit is None:
            self._say()
            self.refresh_bindings()

    def _place_editor(self) -> None:
        """Put the editor where its field stands now."""
        edit = self._edit
        if edit is None or not self._list.size.width:
            return
        columns, top, page = self._list.columns, self._list.open_top, self._list.size.height
        lines = self._lines(edit.field)
        if lines:
            place = (2, min(top + 1, page - 1), max(self._list.line_width - 3, 8), lines)
        else:
            place = (columns.value_start, min(max(top, 0), page - 1), columns.value_width, 1)
        styles = self._editor.styles
        x, y, width, height = place
        x += self._list.styles.gutter.left
        styles.offset, styles.width, styles.height = (x, y), width, max(min(height, page - y), 1)

    @property
    def not_stored(self) -> tuple[tuple[str | None, str], ...]:
        """Where a text is kept that cannot be stored as it is: the node (None: the version) and the field's id."""
        return tuple(self._unsaved)

    def close_editor(self) -> None:
        """Close the open editor, if there is one. What was typed is sent, or kept to go on with."""
        if self._edit is not None:
            self._take(self._edit)
            self._keep(self._edit)
            self._hide_editor()
            self._say()

    def _hide_editor(self) -> None:
        editor = self._editor
        self._edit = None
        self._stop_timer()
        self._list.say()
        if editor.has_focus:
            self.screen.set_focus(self._list)
        editor.display = False
        self.refresh_bindings()

    def _keep(self, edit: Edit) -> None:
        """Settings that cannot be read are kept as text, so that nothing is lost."""
        if edit.field.kind is not FieldKind.YAML:
            return
        place = (edit.target, edit.field.id)
        fault = next((text for text, tone in edit.told if tone == "error"), "")
        if fault:
            self._unsaved[place], self._faults[place] = edit.text, fault
        else:
            self._unsaved.pop(place, None)
            self._faults.pop(place, None)

    # -- what is typed

    def _stored_text(self, row: Field) -> str:
        if row.kind is FieldKind.YAML:
            from rubrictui.interchange.settings_text import write_settings

            return write_settings(row.value)
        return row.stored_text

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.flush()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        edit = self._edit
        if edit is None or self._text.text == edit.text:
            return
        edit.waits = True
        if edit.field.kind is FieldKind.YAML:
            self._check(edit, send=False)
        if self._timer is None:
            self._timer = self.set_timer(LONG_TEXT_WAIT, self.flush)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _take(self, edit: Edit) -> None:
        """Read what stands in the editor now, and send it where it differs from what was read before."""
        self._stop_timer()
        if edit.field.kind not in (*_LINES, *_TEXTS):
            return
        text = self._line.value if edit.field.kind in _LINES else self._text.text
        if text != edit.text or edit.waits:
            edit.text, edit.waits = text, False
            self._check(edit)

    def _check(self, edit: Edit, *, send: bool = True) -> None:
        row = edit.field
        value: Any = None
        told: Told = ()
        text = self._text.text if row.kind in _TEXTS else self._line.value
        if row.kind is FieldKind.NUMBER:
            number = read_number(text, optional=row.optional, share=row.share)
            value = number.value
            if number.problem:
                told = ((f"{ERROR} {number.problem}", "error"),)
            elif number.note:
                told = ((f"{WARNING} {number.note}", "warning"),)
        elif row.kind is FieldKind.KEY:
            told, send = self._key_told(text), False
        elif row.kind is FieldKind.YAML:
            from rubrictui.interchange.settings_text import read_settings

            settings = read_settings(text)
            value = settings.value
            told = ((f"{ERROR} {settings.told}", "error"),) if settings.problem else ()
        else:
            value = text
        edit.told = told
        is_wrong = any(tone == "error" for _, tone in told)
        if send and not is_wrong and value != edit.said[-1]:
            edit.said.append(value)
            self._change(edit.target, row, value, edit.number)
        self._say()

    def _key_told(self, text: str) -> Told:
        if self._version is None or self._node is None or text.strip() == self._node.key:
            return ()
        try:
            checked_key(text, keys_of(self._version, but=self._node.id))
        except EditError as error:
            return ((f"{ERROR} {error}", "error"),)
        return ()

    # -- messages of the editors

    def on_done(self, event: editors.Done) -> None:
        """Enter in a line."""
        event.stop()
        edit = self._edit
        if edit is None:
            return
        self._take(edit)
        if edit.field.kind is FieldKind.KEY:
            self._settle_key(edit)
        elif any(tone == "error" for _, tone in edit.told):
            self._say()  # what is wrong stands below; Esc leaves
        else:
            self.close_editor()

    def _settle_key(self, edit: Edit) -> None:
        if edit.told:
            return
        key = edit.text.strip()
        self._hide_editor()
        if self._node is not None and key != self._node.key:
            self._rekey(edit.target, key)

    def on_left(self, event: editors.Left) -> None:
        """Esc: a text is kept, a number that is none is not, a choice and a key stay as they were."""
        event.stop()
        self._leave()

    def _leave(self) -> None:
        edit = self._edit
        if edit is None:
            return
        self._take(edit)
        wrong = any(tone == "error" for _, tone in edit.told)
        if wrong and edit.field.kind is FieldKind.NUMBER:
            left = f"{edit.text!r} is no number; the value stays as it is."
            self._hide_editor()
            self._list.say(((left, "warning"),))
        else:
            self.close_editor()

    def on_moved(self, event: editors.Moved) -> None:
        event.stop()
        self._leave()
        if self._edit is None:
            self._list.action_move(event.by)

    def on_lost(self, event: editors.Lost) -> None:
        """The focus went elsewhere: nothing that was typed is lost by it."""
        event.stop()
        if self._edit is not None and event.editor is self._editor and not event.editor.has_focus:
            self._leave()

    def on_asked(self, event: editors.Asked) -> None:
        event.stop()
        edit = self._edit
        if edit is None:
            return
        self._take(edit)
        if event.what == "template":
            self._write_template(edit)
        elif any(tone == "error" for _, tone in edit.told):
            return
        elif event.what == "trial":
            from rubrictui.interchange.settings_text import read_settings

            config = read_settings(self._text.text).value
            self._ask_trial(edit.target, config)
        else:
            edit.told = (("Saved: everything is kept as you type.", "success"),)
            self._say()

    def _write_template(self, edit: Edit) -> None:
        from rubrictui.interchange.settings_text import with_rule_template

        text = with_rule_template(self._text.text, self._scale())
        if text is None:
            edit.told = (*edit.told, ("There is a rule in these settings already.", "warning"))
            self._say()
        else:
            self._text.put(text)

    def on_chosen(self, event: editors.Chosen) -> None:
        event.stop()
        edit = self._edit
        if edit is None:
            return
        value = event.choice.value
        self._hide_editor()
        if value == NEW_SCALE:
            self._ask_scale(edit.target)
        elif value != edit.field.value:
            self._change(edit.target, edit.field, value, edit.number)


def _keys_of(row: Field) -> str:
    """What the keys of a field's editor do, in words."""
    if row.kind is FieldKind.KEY:
        return "Enter takes it, Esc leaves it as it was."
    if row.kind in _LINES:
        return ""
    if row.kind in _TEXTS:
        return "Esc is done; it is kept as you type"
    return "Enter takes, Esc leaves it"
