"""The rows of the fields pane, drawn line by line; room for an editor opens in the row under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from rubrictui.widgets.band_ruler import ruler
from rubrictui.widgets.field_lines import (
    Layout,
    OpenState,
    closed_height,
    closed_lines,
    open_lines,
    plan_layout,
)
from rubrictui.widgets.field_model import Field, FieldKind
from rubrictui.widgets.open_list import OpenList
from rubrictui.widgets.text import Line


class FieldsList(OpenList, inherit_bindings=False):
    """Fields as a list. It knows no editor; ``open_room`` keeps lines free for one."""

    HELP = (
        "The fields of the row under the cursor of the tree. Enter edits one in its place, a digit begins a number, Space "
        "switches yes and no, Del empties what may be empty. Everything is stored as it is typed. ✗ blocks publishing, "
        "▵ warns."
    )
    STYLE_PREFIX = "fields"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="fields.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="fields.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="fields.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="fields.page_down"),
        Binding("home", "move(-1000000)", "First", show=False, id="fields.first"),
        Binding("end", "move(1000000)", "Last", show=False, id="fields.last"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | up, k / down, j | The field before / after. |
    | pageup / pagedown | A page. |
    | home / end | The first / last field. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "fields--accent",
        "fields--bar",
        "fields--error",
        "fields--heading",
        "fields--label",
        "fields--muted",
        "fields--name",
        "fields--open",
        "fields--success",
        "fields--value",
        "fields--warning",
    }
    """
    | Class | Description |
    | :- | :- |
    | `fields--heading` | What the rows below it belong to. |
    | `fields--label`, `fields--value` | A field and what it holds. |
    | `fields--open`, `fields--bar`, `fields--name` | What lies under the field under the cursor, its bar, its label. |
    | `fields--muted` | No value, and help. |
    | `fields--accent`, `--success`, `--warning`, `--error` | The tones of what is said. |
    """

    DEFAULT_CSS = """
    FieldsList {
        & > .fields--heading { color: $accent; text-style: bold; }
        & > .fields--open { background: $surface; }
        & > .fields--bar { color: $primary; text-style: bold; }
        & > .fields--name { text-style: bold; }
        & > .fields--muted { color: $text-muted; }
        & > .fields--accent { color: $primary; }
        & > .fields--success { color: $success; }
        & > .fields--warning { color: $warning; }
        & > .fields--error { color: $error; text-style: bold; }
    }
    """

    def __init__(
        self, *, on_shift: Callable[[], None], on_leave_row: Callable[[], None], id: str | None = None
    ) -> None:
        """
        Args:
            on_shift: called when the lines stand elsewhere: scrolled, or laid out anew.
            on_leave_row: called when the cursor came to another row.
        """
        super().__init__(id=id)
        self._fields: tuple[Field, ...] = ()
        self._layout: Layout = plan_layout((), 80)
        self._state = OpenState()
        self._threshold: float | None = None
        self._on_shift = on_shift
        self._on_leave_row = on_leave_row

    # -- values in

    @property
    def fields(self) -> tuple[Field, ...]:
        return self._fields

    @property
    def current(self) -> Field | None:
        """The field under the cursor."""
        return self._fields[self.row_cursor] if 0 <= self.row_cursor < len(self._fields) else None

    @property
    def columns(self) -> Layout:
        """Where labels and values stand."""
        return self._layout

    def show(
        self,
        fields: Sequence[Field],
        *,
        cursor: str | None = None,
        keep_place: bool = True,
        threshold: float | None = None,
    ) -> None:
        """Replace the rows; only what looks otherwise is painted.

        Args:
            cursor: the id of the field to stand on; else the cursor keeps its field where there is one.
            keep_place: where there is none it keeps its place; else it goes to the first.
            threshold: the pass threshold, for the ruler of the bands.
        """
        before, self._fields = self._fields, tuple(fields)
        self._threshold = threshold
        wanted = cursor or (before[self.row_cursor].id if 0 <= self.row_cursor < len(before) else None)
        old_cursor, self.row_cursor = (
            self.row_cursor,
            self._place(wanted, self.row_cursor if keep_place else 0),
        )
        same_shape = (
            len(before) == len(self._fields)
            and old_cursor == self.row_cursor
            and all(
                closed_height(old, self._layout) == closed_height(new, self._layout)
                for old, new in zip(before, self._fields, strict=True)
            )
            and plan_layout(self._fields, self._layout.width) == self._layout
        )
        if same_shape:
            pairs = zip(before, self._fields, strict=True)
            self.row_changed(*(index for index, (old, new) in enumerate(pairs) if old != new))
        elif self.size.width:
            self.measure()
            self.show_cursor()
            self.refresh()
            self._on_shift()
        else:
            self._row_tops = ()  # out of sight: it is laid out when it comes into view

    def _place(self, wanted: str | None, least: int) -> int:
        stops = [index for index, field in enumerate(self._fields) if field.is_stop]
        for index in stops:
            if self._fields[index].id == wanted:
                return index
        later = [index for index in stops if index >= least]
        return later[0] if later else (stops[-1] if stops else -1)

    def go_to(self, field_id: str) -> bool:
        """Put the cursor on a field by its id, or on the first with that name.

        A heading stands for the rows under it: the first that is empty, else the first.
        """
        found = next(
            (index for index, row in enumerate(self._fields) if field_id in (row.id, row.name)), None
        )
        if found is None:
            return False
        if not self._fields[found].is_stop:
            below = [index for index in range(found + 1, len(self._fields)) if self._fields[index].indent]
            found = next(
                (index for index in below if self._fields[index].is_unset), below[0] if below else found + 1
            )
        self.move_to(found)
        return True

    def say(
        self, told: Sequence[tuple[str, str]] = (), *, editor_lines: int | None = None, keys: str = ""
    ) -> None:
        """Say something in the row under the cursor, and keep ``editor_lines`` free there for an editor."""
        state = OpenState(
            has_focus=self.has_focus or editor_lines is not None,
            editor_lines=editor_lines,
            told=tuple(told),
            keys=keys,
        )
        if state != self._state:
            self._state = state
            self.paint_changes()

    def watch_has_focus(self, has_focus: bool) -> None:
        self._mark_focus()
        super().watch_has_focus(has_focus)

    def _mark_focus(self) -> None:
        # While an editor has the focus the row is the one that is worked on all the same.
        has_focus = self.has_focus or self._state.editor_lines is not None
        self._state = OpenState(
            has_focus=has_focus,
            editor_lines=self._state.editor_lines,
            told=self._state.told,
            keys=self._state.keys,
        )

    @property
    def open_top(self) -> int:
        """The line of the widget on which the row under the cursor begins; it may be out of sight."""
        return self._span(self.row_cursor)[0] - round(self.scroll_y) if self.row_cursor >= 0 else 0

    @property
    def allow_vertical_scroll(self) -> bool:
        """Not by the wheel while an editor stands over the rows."""
        return self._state.editor_lines is None and super().allow_vertical_scroll

    def on_moved(self, before: int) -> None:
        self._state = OpenState(has_focus=self._state.has_focus)
        self._on_leave_row()

    def on_resize(self) -> None:
        super().on_resize()
        self._on_shift()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._on_shift()

    def on_click(self, event: events.Click) -> None:
        """A click goes to a field; what a second one does is the owner's to say."""
        before = self.row_cursor
        super().on_click(event)
        if self.row_cursor != before:
            event.stop()

    # -- how rows look

    @property
    def row_count(self) -> int:
        return len(self._fields)

    def is_stop(self, index: int) -> bool:
        return self._fields[index].is_stop

    def plan(self, width: int) -> None:
        self._layout = plan_layout(self._fields, width)

    def row_height(self, index: int) -> int:
        return closed_height(self._fields[index], self._layout)

    def closed_lines(self, index: int) -> Sequence[Line]:
        return closed_lines(self._fields[index], self._layout)

    def open_lines(self, index: int) -> Sequence[Line]:
        field = self._fields[index]
        extra: list[Line] = []
        if field.kind is FieldKind.BANDS and field.value:
            drawn = ruler(field.value, self._threshold, self._layout.text_width, overlaps=True)
            extra = [[(text, tone or "value") for text, tone in line] for line in drawn]
        return open_lines(field, self._layout, self._state, extra)
