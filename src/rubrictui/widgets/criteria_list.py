"""The criteria of a version with the answers, drawn line by line and answered by keys.

One widget whatever the number of criteria. State goes in through ``set_answer``; what the reviewer
does comes out as messages, and nothing changes on the screen before the answer comes back in: what is
shown is what is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rubrictui.core.authoring import weight_shares
from rubrictui.core.model import Answer, Level, Node, VersionSnapshot, fold_id
from rubrictui.widgets.criteria_lines import (
    Line,
    RowState,
    criterion_lines,
    fill,
    group_line,
    open_lines,
    plan_layout,
    row_height,
)
from rubrictui.widgets.criteria_rows import (
    CriteriaRow,
    answered_count,
    criteria_rows,
    next_needing_work,
)
from rubrictui.widgets.level_keys import LevelEntry, Pending, Picked
from rubrictui.widgets.number_entry import NumberEntry


class CriteriaList(ScrollView, can_focus=True):
    """The criteria tree as a list to answer."""

    ALLOW_SELECT = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "digit('1')", "level", key_display="1-9", id="criteria.level_1"),
        *(
            Binding(digit, f"digit('{digit}')", "level", show=False, id=f"criteria.level_{digit}")
            for digit in "234567890"
        ),
        Binding("full_stop,comma", "digit('.')", "type a number", show=False, id="criteria.point"),
        Binding("minus", "digit('-')", "type a number", show=False, id="criteria.minus"),
        Binding("n", "not_applicable", "N/A", id="criteria.not_applicable"),
        Binding("x,delete", "clear", "clear answer", show=False, id="criteria.clear"),
        Binding("g", "guidance", "guidance", show=False, id="criteria.guidance"),
        Binding("up,k", "move(-1)", "up", show=False, id="criteria.up"),
        Binding("down,j", "move(1)", "down", show=False, id="criteria.down"),
        Binding(
            "right_square_bracket,greater_than_sign",
            "next(1)",
            "next open",
            key_display=">",
            id="criteria.next",
        ),
        Binding(
            "left_square_bracket,less_than_sign",
            "next(-1)",
            "previous open",
            show=False,
            id="criteria.previous",
        ),
        Binding("pageup", "page(-1)", "page up", show=False, id="criteria.page_up"),
        Binding("pagedown,space", "page(1)", "page down", show=False, id="criteria.page_down"),
        Binding("home", "move(-1000000)", "first", show=False, id="criteria.first"),
        Binding("end", "move(1000000)", "last", show=False, id="criteria.last"),
        Binding(
            "ctrl+up,left_curly_bracket", "scroll_lines(-3)", "scroll up", show=False, id="criteria.scroll_up"
        ),
        Binding(
            "ctrl+down,right_curly_bracket",
            "scroll_lines(3)",
            "scroll down",
            show=False,
            id="criteria.scroll_down",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | 0 to 9 | Pick the level with that key; on a numeric scale, begin a number. |
    | ., - | Begin a number. |
    | enter | Settle a level of two digits, or a number. |
    | escape | Abandon what is being typed. |
    | n | Not applicable, and back. |
    | x, delete | Clear the answer; rationale and evidence stay. |
    | g | Guidance and everything in its whole length, and back. |
    | up, k / down, j | The criterion before / after. |
    | ], > / [, < | The next / previous criterion that is unanswered or lacks something. |
    | pageup / pagedown, space | A page. |
    | home / end | The first / last criterion. |
    | ctrl+up, { / ctrl+down, } | Scroll without moving. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "criteria--anchor-chosen",
        "criteria--bar",
        "criteria--chosen",
        "criteria--detail",
        "criteria--error",
        "criteria--group",
        "criteria--key",
        "criteria--level",
        "criteria--mark",
        "criteria--muted",
        "criteria--name",
        "criteria--open",
        "criteria--success",
        "criteria--typing",
        "criteria--warning",
    }
    """
    | Class | Description |
    | :- | :- |
    | `criteria--group` | The line of a group. |
    | `criteria--open` | What lies under the lines of the criterion under the cursor. |
    | `criteria--bar` | The bar beside them. |
    | `criteria--name` | A criterion's name. |
    | `criteria--key`, `criteria--level` | The key and the label of a level. |
    | `criteria--chosen`, `criteria--anchor-chosen` | The answer given, and its anchor. |
    | `criteria--typing` | A number or a digit being typed. |
    | `criteria--detail`, `criteria--muted`, `criteria--mark` | The detail, its lesser and its stressed parts. |
    | `criteria--success`, `criteria--warning`, `criteria--error` | Complete, lacking, refused. |
    """

    DEFAULT_CSS = """
    CriteriaList {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
        & > .criteria--group { color: $accent; text-style: bold; }
        & > .criteria--open { background: $surface; }
        & > .criteria--bar { color: $primary; text-style: bold; }
        & > .criteria--key { color: $primary; text-style: bold; }
        & > .criteria--chosen { text-style: bold reverse; }
        & > .criteria--anchor-chosen { text-style: bold; }
        & > .criteria--typing { color: $warning; text-style: bold; }
        & > .criteria--muted { color: $text-muted; }
        & > .criteria--mark { color: $accent; }
        & > .criteria--success { color: $success; }
        & > .criteria--warning { color: $warning; text-style: bold; }
        & > .criteria--error { color: $error; text-style: bold; }
    }
    """

    class _CriterionMessage(Message):
        def __init__(self, criteria_list: CriteriaList, node: Node) -> None:
            super().__init__()
            self.criteria_list = criteria_list
            self.node = node

        @property
        def control(self) -> CriteriaList:
            return self.criteria_list

    class LevelChosen(_CriterionMessage):
        """A level was picked for ``node``."""

        def __init__(self, criteria_list: CriteriaList, node: Node, level: Level) -> None:
            super().__init__(criteria_list, node)
            self.level = level

    class NumberEntered(_CriterionMessage):
        """A number was settled for ``node``; it is on the scale."""

        def __init__(self, criteria_list: CriteriaList, node: Node, value: float) -> None:
            super().__init__(criteria_list, node)
            self.value = value

    class NotApplicableToggled(_CriterionMessage):
        """Not applicable was asked for, or taken back; the policy of ``node`` allows it."""

    class Cleared(_CriterionMessage):
        """The answer to ``node`` is to be cleared."""

    class CursorMoved(_CriterionMessage):
        """The cursor came to ``node``."""

    def __init__(
        self,
        version: VersionSnapshot,
        *,
        answers: Mapping[str, Answer] | None = None,
        flagged: Collection[str] = (),
        cursor: str | None = None,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        """
        Args:
            version: the version to answer.
            answers: the answers so far, by folded criterion id.
            flagged: folded ids of the criteria to return to.
            cursor: the key of the criterion to begin at; the first one when it is not there.
        """
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._version = version
        self._rows = criteria_rows(version)
        self._answers = dict(answers or {})
        self._flagged = set(flagged)
        self._shares = {fold_id(node): share for node, share in weight_shares(version).items()}
        self._notes: dict[str, str] = {}
        self._index = {row.id: index for index, row in enumerate(self._rows)}
        self._shown_in: dict[str, list[int]] = {row.id: [] for row in self._rows}
        for index, row in enumerate(self._rows):
            for leaf in row.leaves:
                self._shown_in[leaf].append(index)
        self._by_key = {row.node.key: index for index, row in enumerate(self._rows) if row.number}
        first = next((index for index, row in enumerate(self._rows) if row.number), -1)
        self._cursor = self._by_key.get(cursor or "", first)
        self._in_full = False
        self._level: LevelEntry | None = None
        self._number: NumberEntry | None = None
        self._layout = plan_layout(self._rows, 80)
        self._tops: list[int] = []
        self._open: list[Line] = []
        self._strips: dict[int, list[Strip]] = {}
        self._styles: dict[str, Style] = {}
        self._painted: dict[int, Strip] = {}

    # -- values in, values out

    @property
    def rows(self) -> tuple[CriteriaRow, ...]:
        return self._rows

    @property
    def current(self) -> Node | None:
        """The criterion under the cursor; None when the version has no criteria."""
        return self._rows[self._cursor].node if self._cursor >= 0 else None

    @property
    def is_typing(self) -> bool:
        """Whether a number or a level of two digits has been begun and not settled."""
        return self._number is not None or self._level is not None

    def set_answer(self, criterion_id: str, answer: Answer | None, *, is_flagged: bool = False) -> None:
        """Show what is kept for one criterion. Only the lines that differ are painted."""
        leaf = fold_id(criterion_id)
        if leaf not in self._index:
            return
        if answer is None:
            self._answers.pop(leaf, None)
        else:
            self._answers[leaf] = answer
        (self._flagged.add if is_flagged else self._flagged.discard)(leaf)
        self._notes.pop(leaf, None)
        for index in self._shown_in[leaf]:
            self._strips.pop(index, None)
        self._paint_changes()

    def note(self, criterion_id: str, text: str) -> None:
        """Say something under one criterion, until its next key."""
        self._notes[fold_id(criterion_id)] = text
        self._paint_changes()

    def go_to(self, key: str) -> bool:
        """Put the cursor on the criterion with this key; False when there is none."""
        index = self._by_key.get(key)
        if index is None:
            return False
        self._move_to(index)
        return True

    # -- answering

    def action_digit(self, character: str) -> None:
        """Pick the level with this key, or begin a number with it."""
        if self._cursor < 0:
            return
        row = self._rows[self._cursor]
        if row.is_numeric and row.scale is not None:
            self._number = NumberEntry(self._version, row.node, row.scale).feed(character)
            self._say_number()
        elif not row.keys:
            self._say("This criterion has no scale, so it cannot be answered.")
        elif character.isdigit():
            self._level = self._level or LevelEntry(row.keys)
            self._after_level(self._level.feed(character))

    def _after_level(self, outcome: object) -> None:
        row = self._rows[self._cursor]
        if isinstance(outcome, Pending):
            self._say("Second digit, or Enter.")
            return
        self._level = None
        if isinstance(outcome, Picked):
            self._say("")
            self.post_message(self.LevelChosen(self, row.node, outcome.level))
        else:
            self._say(getattr(outcome, "reason", ""))

    def action_not_applicable(self) -> None:
        """Toggle not applicable, or say why it is not allowed."""
        if self._cursor < 0:
            return
        row = self._rows[self._cursor]
        if not row.allows_not_applicable:
            whose = "This criterion" if row.node.not_applicable_policy else "This rubric"
            self._say(
                f"{whose} does not allow N/A: pick an answer, or leave it open and say why in a rationale."
            )
            return
        self.post_message(self.NotApplicableToggled(self, row.node))

    def action_clear(self) -> None:
        """Clear the answer under the cursor."""
        if self._cursor >= 0:
            self.post_message(self.Cleared(self, self._rows[self._cursor].node))

    def action_guidance(self) -> None:
        """Show guidance and whole texts, or only the short ones."""
        self._in_full = not self._in_full
        self._paint_changes()
        self._show_cursor()

    async def on_key(self, event: events.Key) -> None:
        """While something is being typed, its keys come first."""
        if self._number is not None:
            handled = self._number_key(event)
        elif self._level is not None:
            handled = self._level_key(event)
        else:
            return
        if handled:
            event.stop()
            event.prevent_default()

    def _level_key(self, event: events.Key) -> bool:
        assert self._level is not None
        if event.key in "0123456789":
            self._after_level(self._level.feed(event.key))
            return True
        if event.key == "enter":
            self._after_level(self._level.settle())
            return True
        self._level = None
        self._say("")
        return event.key == "escape"

    def _number_key(self, event: events.Key) -> bool:
        entry = self._number
        assert entry is not None
        if event.key == "escape":
            self._number = None
            self._say("")
            return True
        if event.key == "backspace":
            self._number = entry.erase()
            self._say_number()
            return True
        if event.character and event.character in "0123456789.,-":
            self._number = entry.feed(event.character)
            self._say_number()
            return True
        if event.key == "enter":
            self._settle_number()
            return True
        if event.key in ("up", "down", "j", "k", "tab", "pageup", "pagedown"):
            # What was typed is never lost by leaving: it is settled, or it keeps the cursor here.
            return not self._settle_number()
        if event.is_printable:
            self._say("Enter settles the number, Esc abandons it.")
            return True
        return False

    def _settle_number(self) -> bool:
        entry = self._number
        if entry is None or entry.problem or entry.value is None:
            self._say_number(is_final=True)
            return False
        self._number = None
        self._say("")
        self.post_message(self.NumberEntered(self, self._rows[self._cursor].node, entry.value))
        return True

    def _say_number(self, *, is_final: bool = False) -> None:
        problem = self._number.problem if self._number is not None else ""
        self._say(
            (problem + " Esc abandons it." if is_final else problem) if problem else "Enter settles it."
        )

    def _say(self, text: str) -> None:
        leaf = self._rows[self._cursor].id
        if text:
            self._notes[leaf] = text
        else:
            self._notes.pop(leaf, None)
        self._paint_changes()

    # -- moving

    def action_move(self, by: int) -> None:
        """Move by so many criteria, stopping at the ends."""
        if self._cursor < 0:
            return
        step = 1 if by > 0 else -1
        target = index = self._cursor
        while by and 0 <= index + step < len(self._rows):
            index += step
            if self._rows[index].number:
                target = index
                by -= step
        if target != self._cursor:
            self._move_to(target)
        elif step < 0:
            self.scroll_to(y=0, animate=False, force=True)

    def action_next(self, step: int) -> None:
        """Go to the next (or previous) criterion that is unanswered or lacks something."""
        if self._cursor < 0:
            return
        found = next_needing_work(self._rows, self._answers, self._cursor, step)
        if found is None:
            self._say("Every criterion has its answer. S submits.")
        elif found != self._cursor:
            self._move_to(found)

    def action_page(self, pages: int) -> None:
        """Move by a page of lines."""
        if self._cursor < 0:
            return
        height = max(self.size.height - 2, 1)
        top, _ = self._span(self._cursor)
        wanted = top + pages * height
        extra = len(self._open) - self._height(self._cursor)
        if pages > 0:
            wanted -= max(extra, 0)
        index = self._row_at_closed(max(wanted, 0))
        step = 1 if pages > 0 else -1
        while 0 <= index < len(self._rows) and not self._rows[index].number:
            index += step
        if 0 <= index < len(self._rows) and (index - self._cursor) * step > 0:
            self._move_to(index, at_top=pages > 0)
        else:
            self.action_move(step)

    def action_scroll_lines(self, lines: int) -> None:
        """Scroll without moving the cursor."""
        self.scroll_to(y=self.scroll_y + lines, animate=False, force=True)

    def _move_to(self, index: int, *, at_top: bool = False) -> None:
        if index == self._cursor:
            self._show_cursor()
            return
        for leaf in (self._rows[self._cursor].id, self._rows[index].id):
            self._notes.pop(leaf, None)
        self._level = None
        self._number = None
        self._in_full = False
        self._cursor = index
        self._paint_changes()
        self._show_cursor(at_top=at_top)
        self.post_message(self.CursorMoved(self, self._rows[index].node))

    def on_click(self, event: events.Click) -> None:
        found = self._locate(event.y + round(self.scroll_y))
        if found is not None and self._rows[found[0]].number:
            self._move_to(found[0])

    # -- where rows stand

    def _measure(self) -> None:
        width = self.scrollable_content_region.width
        self._layout = plan_layout(self._rows, max(width, 20))
        self._tops = [0]
        for row in self._rows:
            self._tops.append(self._tops[-1] + row_height(row, self._layout))
        self._strips.clear()
        self._painted.clear()
        self._open = self._open_lines()
        self._set_virtual_height()

    def _set_virtual_height(self) -> None:
        height = (self._tops[-1] if self._tops else 0) + self._extra
        size = Size(self.scrollable_content_region.width, height)
        if size != self.virtual_size:
            self.virtual_size = size

    def _height(self, index: int) -> int:
        return self._tops[index + 1] - self._tops[index]

    @property
    def _extra(self) -> int:
        """How many lines the open criterion takes beyond its closed ones."""
        return len(self._open) - self._height(self._cursor) if self._cursor >= 0 else 0

    def _span(self, index: int) -> tuple[int, int]:
        """The first line of a row and the line after its last, as shown."""
        top = self._tops[index] + (self._extra if index > self._cursor else 0)
        return top, top + (len(self._open) if index == self._cursor else self._height(index))

    def _row_at_closed(self, y: int) -> int:
        return min(max(bisect_right(self._tops, y) - 1, 0), len(self._rows) - 1)

    def _locate(self, y: int) -> tuple[int, int] | None:
        """The row on line ``y`` and the line within it."""
        if self._cursor >= 0:
            top, end = self._span(self._cursor)
            if top <= y < end:
                return self._cursor, y - top
            if y >= end:
                y -= self._extra
        if not 0 <= y < self._tops[-1]:
            return None
        index = self._row_at_closed(y)
        return index, y - self._tops[index]

    def _show_cursor(self, *, at_top: bool = False) -> None:
        """Scroll as little as needed to show the open criterion, its first lines when it is too long."""
        if self._cursor < 0 or not self.size.height:
            return
        top, end = self._span(self._cursor)
        while self._cursor and top and not self._rows[self._row_before(top)].number:
            top -= 1  # a group's line comes into view with its first criterion
        page, scroll = self.size.height, round(self.scroll_y)
        if top < scroll or end - top >= page or at_top:
            target = top
        elif end > scroll + page:
            target = end - page
        else:
            return
        self.scroll_to(y=target, animate=False, force=True)

    def _row_before(self, y: int) -> int:
        found = self._locate(y - 1)
        return found[0] if found is not None else self._cursor

    # -- drawing

    def on_resize(self) -> None:
        self._measure()
        self._show_cursor()
        self.refresh()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        if self._tops:
            self._paint_changes()

    def notify_style_update(self) -> None:
        self._styles.clear()
        self._strips.clear()
        self._painted.clear()
        super().notify_style_update()

    def _state(self, index: int) -> RowState:
        row = self._rows[index]
        is_cursor = index == self._cursor
        typing = None
        if is_cursor and self._number is not None:
            typing = self._number.typed
        elif is_cursor and self._level is not None:
            typing = self._level.typed
        return RowState(
            self._answers.get(row.id), row.id in self._flagged, typing, self._notes.get(row.id, "")
        )

    def _open_lines(self) -> list[Line]:
        if self._cursor < 0:
            return []
        return open_lines(
            self._rows[self._cursor],
            self._layout,
            self._state(self._cursor),
            in_full=self._in_full,
            has_focus=self.has_focus,
        )

    def _paint_changes(self) -> None:
        """Repaint the lines in view that now look otherwise, and no others."""
        if not self._tops:
            return
        self._open = self._open_lines()
        self._set_virtual_height()
        scroll = round(self.scroll_y)
        width = self.size.width
        for y in range(self.size.height):
            if self._painted.get(y) != self._line(scroll + y):
                self.refresh(Region(0, y, width, 1))

    def render_line(self, y: int) -> Strip:
        if not self._tops:
            return Strip.blank(self.size.width, self.rich_style)
        strip = self._line(round(self.scroll_y) + y)
        self._painted[y] = strip
        return strip

    def _line(self, y: int) -> Strip:
        found = self._locate(y)
        if found is None:
            return Strip.blank(self._layout.width, self.rich_style)
        index, sub = found
        if index == self._cursor:
            return self._strip(self._open[sub], is_open=True)
        strips = self._strips.get(index)
        if strips is None:
            strips = [self._strip(line) for line in self._closed_lines(index)]
            self._strips[index] = strips
        return strips[sub]

    def _closed_lines(self, index: int) -> Sequence[Line]:
        row = self._rows[index]
        if row.number:
            return criterion_lines(row, self._layout, self._state(index))
        answered = sum(
            1 for leaf in row.leaves if (a := self._answers.get(leaf)) is not None and a.is_answered
        )
        return [group_line(row, self._layout, self._shares.get(row.id), answered)]

    def _strip(self, line: Line, *, is_open: bool = False) -> Strip:
        width = self._layout.width
        segments = [Segment(text, self._style(name, is_open)) for text, name in fill(line, width, "level")]
        return Strip(segments, None).adjust_cell_length(width, self._style("level", is_open)).simplify()

    def _style(self, name: str, is_open: bool) -> Style:
        key = f"{name}+" if is_open else name
        style = self._styles.get(key)
        if style is None:
            style = self.rich_style
            if is_open:
                style += self.get_component_rich_style("criteria--open", partial=True)
            style += self.get_component_rich_style(f"criteria--{name}", partial=True)
            self._styles[key] = style
        return style

    @property
    def answered(self) -> int:
        """How many criteria have an answer."""
        return answered_count(self._rows, self._answers)
