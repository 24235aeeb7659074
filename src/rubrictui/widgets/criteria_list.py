"""The criteria of a version with the answers, drawn line by line and answered by keys.

One widget whatever the number of criteria. State goes in through ``set_answer``; what the reviewer
does comes out as messages, and nothing changes on the screen before the answer comes back in: what is
shown is what is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from rubrictui.core.authoring import weight_shares
from rubrictui.core.model import Answer, Level, Node, VersionSnapshot, fold_id
from rubrictui.widgets.criteria_lines import (
    RowState,
    criterion_lines,
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
from rubrictui.widgets.level_keys import LevelEntry, Pending, Picked, Refused
from rubrictui.widgets.number_entry import NumberEntry
from rubrictui.widgets.open_list import OpenList
from rubrictui.widgets.text import Line


class CriteriaList(OpenList):
    """The criteria tree as a list to answer."""

    STYLE_PREFIX = "criteria"

    # All of them with priority: keys that arrive together, as they do over a slow line, then act in the
    # order they were typed, whichever widget they belong to.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "1",
            "digit('1')",
            "Level",
            key_display="1-9",
            priority=True,
            id="criteria.level_1",
            tooltip="Pick the level with that key, or type a number",
        ),
        *(
            Binding(digit, f"digit('{digit}')", "", show=False, priority=True, id=f"criteria.level_{digit}")
            for digit in "234567890"
        ),
        Binding("full_stop,comma", "digit('.')", "", show=False, priority=True, id="criteria.point"),
        Binding("minus", "digit('-')", "", show=False, priority=True, id="criteria.minus"),
        Binding("enter", "settle", "Settle", priority=True, id="criteria.settle"),
        Binding("backspace", "erase", "Erase", show=False, priority=True, id="criteria.erase"),
        Binding("escape", "abandon", "Abandon", key_display="Esc", priority=True, id="criteria.abandon"),
        Binding(
            "n",
            "not_applicable",
            "N/A",
            show=False,  # it is drawn beside the levels
            priority=True,
            id="criteria.not_applicable",
            tooltip="Not applicable, and back",
        ),
        Binding(
            "x,delete",
            "clear",
            "Clear answer",
            show=False,
            priority=True,
            id="criteria.clear",
            tooltip="Clear the answer; rationale and evidence stay",
        ),
        Binding(
            "g",
            "guidance",
            "Guidance",
            show=False,
            priority=True,
            id="criteria.guidance",
            tooltip="Guidance and whole texts, and back",
        ),
        Binding(
            "greater_than_sign,right_square_bracket",
            "next(1)",
            "Next",
            key_display=">",
            priority=True,
            id="criteria.next",
            tooltip="The next criterion that is open or lacks something",
        ),
        Binding(
            "less_than_sign,left_square_bracket",
            "next(-1)",
            "Previous open",
            show=False,
            priority=True,
            id="criteria.previous",
        ),
        Binding(
            "F",
            "next_flagged",
            "Next marked",
            show=False,
            priority=True,
            id="criteria.next_flagged",
            tooltip="The next criterion that is marked to return to",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | 0 to 9 | Pick the level with that key; on a numeric scale, type a number. |
    | ., - | Type a number. |
    | enter | Settle a level of two digits, or a number. |
    | backspace | Erase the last digit. |
    | escape | Abandon what is being typed. |
    | n | Not applicable, and back. |
    | x, delete | Clear the answer; rationale and evidence stay. |
    | g | Guidance and everything in its whole length, and back. |
    | >, ] / <, [ | The next / previous criterion that is unanswered or lacks something. |
    | F | The next criterion that is marked to return to. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
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
    | `criteria--chosen` | The answer given. |
    | `criteria--typing` | A number or a digit being typed. |
    | `criteria--detail`, `criteria--muted`, `criteria--mark` | The detail, its lesser and its stressed parts. |
    | `criteria--success`, `criteria--warning`, `criteria--error` | Complete, lacking, refused. |
    """

    DEFAULT_CSS = """
    CriteriaList {
        & > .criteria--group { color: $accent; text-style: bold; }
        & > .criteria--open { background: $surface; }
        & > .criteria--bar { color: $primary; text-style: bold; }
        & > .criteria--key { color: $primary; text-style: bold; }
        & > .criteria--chosen { text-style: bold reverse; }
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

    class TypingChanged(Message):
        """A number or a level of two digits was begun, settled or abandoned: see ``is_typing``."""

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
        self.row_cursor = self._by_key.get(cursor or "", first)
        self._answered = answered_count(self._rows, self._answers)
        self._in_full = False
        self._level: LevelEntry | None = None
        self._number: NumberEntry | None = None
        self._columns = plan_layout(self._rows, 80)

    # -- values in, values out

    @property
    def rows(self) -> tuple[CriteriaRow, ...]:
        return self._rows

    @property
    def current(self) -> Node | None:
        """The criterion under the cursor; None when the version has no criteria."""
        return self._rows[self.row_cursor].node if self.row_cursor >= 0 else None

    @property
    def is_typing(self) -> bool:
        """Whether a number or a level of two digits has been begun and not settled."""
        return self._number is not None or self._level is not None

    def set_answer(self, criterion_id: str, answer: Answer | None, *, is_flagged: bool = False) -> None:
        """Show what is kept for one criterion. Only the lines that differ are painted."""
        leaf = fold_id(criterion_id)
        if leaf not in self._index:
            return
        self._answered += (answer is not None and answer.is_answered) - self._has_answer(leaf)
        if answer is None:
            self._answers.pop(leaf, None)
        else:
            self._answers[leaf] = answer
        (self._flagged.add if is_flagged else self._flagged.discard)(leaf)
        self._notes.pop(leaf, None)
        self.row_changed(*self._shown_in[leaf])

    def note(self, criterion_id: str, text: str) -> None:
        """Say something under one criterion, until its next key."""
        self._notes[fold_id(criterion_id)] = text
        self.paint_changes()

    def go_to(self, key: str) -> bool:
        """Put the cursor on the criterion with this key; False when there is none."""
        index = self._by_key.get(key)
        if index is None:
            return False
        self.move_to(index)
        return True

    def find(self, words: str, *, after: bool = False) -> bool:
        """Put the cursor on the nearest criterion whose name, key or description holds the words.

        Args:
            words: what to look for, whatever the case.
            after: look behind the cursor first, to go on to the next one.
        """
        wanted = words.casefold().strip()
        count = len(self._rows)
        for offset in range(1 if after else 0, count + 1):
            row = self._rows[(self.row_cursor + offset) % count]
            node = row.node
            if row.number and wanted in f"{node.name}\n{node.key}\n{node.description or ''}".casefold():
                self.move_to(self._index[row.id])
                return True
        return False

    # -- answering

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Settling, erasing and abandoning have keys only while something is being typed."""
        if action in ("settle", "erase", "abandon"):
            return self.is_typing
        return True

    def _tell(self, message: Message) -> None:
        """Post to the screen itself, so that its own keys find what was answered before them."""
        self.screen.post_message(message)

    def action_digit(self, character: str) -> None:
        """Pick the level with this key, or type a number with it."""
        if self.row_cursor < 0:
            return
        row = self._rows[self.row_cursor]
        if row.is_numeric and row.scale is not None:
            entry = self._number or NumberEntry(self._version, row.node, row.scale)
            self._type(number=entry.feed(character))
        elif not row.keys:
            self._say("This criterion has no scale, so it cannot be answered.")
        elif character.isdigit():
            entry_of_level = self._level or LevelEntry(row.keys)
            self._after_level(entry_of_level, entry_of_level.feed(character))

    def action_settle(self) -> None:
        """Settle what is being typed."""
        if self._level is not None:
            self._settle_level()
        else:
            self._settle_number()

    def action_erase(self) -> None:
        """Erase the last digit."""
        if self._number is not None:
            self._type(number=self._number.erase())
        else:
            self.action_abandon()

    def action_abandon(self) -> None:
        """Abandon what is being typed."""
        self._type()
        self._say("")

    def _type(self, *, level: LevelEntry | None = None, number: NumberEntry | None = None) -> None:
        """Note what is being typed, and say what it means so far."""
        was_typing = self.is_typing
        self._level, self._number = level, number
        if self.is_typing != was_typing:
            self.refresh_bindings()
            # Behind the answer that ends the typing, so that nobody says saved before that is.
            self.call_later(self._tell, self.TypingChanged())
        if number is not None:
            self._say(number.problem or "Enter settles it.")

    def _after_level(self, entry: LevelEntry, outcome: Picked | Pending | Refused) -> None:
        if isinstance(outcome, Pending):
            self._type(level=entry)
            self._say("Second digit, or Enter.")
            return
        self._type()
        if isinstance(outcome, Picked):
            self._say("")
            self._tell(self.LevelChosen(self, self._rows[self.row_cursor].node, outcome.level))
        else:
            self._say(outcome.reason)

    def _settle_level(self) -> None:
        """Take the one digit that was typed for the level it is, if it is one."""
        if self._level is not None:
            self._after_level(self._level, self._level.settle())

    def take_number(self) -> tuple[Node, float] | None:
        """End typing and return the number for its criterion; None when there is none that can be kept."""
        entry = self._number
        if entry is None or entry.problem or entry.value is None:
            return None
        self._type()
        self._say("")
        return self._rows[self.row_cursor].node, entry.value

    def _settle_number(self) -> bool:
        """Settle the number being typed; says why not where it cannot be."""
        taken = self.take_number()
        if taken is None:
            if self._number is not None:
                self._say(f"{self._number.problem} Esc abandons it.")
            return False
        self._tell(self.NumberEntered(self, *taken))
        return True

    def on_blur(self) -> None:
        """What was typed is not lost by going elsewhere."""
        if self._number is not None:
            self._settle_number()
        else:
            self._settle_level()

    def action_not_applicable(self) -> None:
        """Toggle not applicable, or say why it is not allowed."""
        if self.row_cursor < 0:
            return
        row = self._rows[self.row_cursor]
        if not row.allows_not_applicable:
            whose = "This criterion" if row.node.not_applicable_policy else "This rubric"
            self._say(
                f"{whose} does not allow N/A: pick an answer, or leave it open and say why in a rationale."
            )
            return
        self._tell(self.NotApplicableToggled(self, row.node))

    def action_clear(self) -> None:
        """Clear the answer under the cursor."""
        if self.row_cursor >= 0:
            self._tell(self.Cleared(self, self._rows[self.row_cursor].node))

    def action_guidance(self) -> None:
        """Show guidance and whole texts, or only the short ones."""
        self._in_full = not self._in_full
        self.paint_changes()
        self.show_cursor()

    def _say(self, text: str) -> None:
        leaf = self._rows[self.row_cursor].id
        if text:
            self._notes[leaf] = text
        elif leaf in self._notes:
            del self._notes[leaf]
        else:
            return
        self.paint_changes()

    # -- moving

    def move_to(self, index: int, *, at_top: bool = False) -> None:
        """Go to a row. What is being typed is settled first; a number that is none keeps the cursor."""
        if index != self.row_cursor:
            self._settle_level()
        if self._number is None or index == self.row_cursor or self._settle_number():
            super().move_to(index, at_top=at_top)

    def action_next(self, step: int) -> None:
        """Go to the next (or previous) criterion that is unanswered or lacks something."""
        if self.row_cursor < 0:
            return
        found = next_needing_work(self._rows, self._answers, self.row_cursor, step)
        if found is None:
            self._say("Every criterion has its answer. S submits.")
        elif found != self.row_cursor:
            self.move_to(found)
        else:
            self._say("This is the only one left.")

    def action_next_flagged(self) -> None:
        """Go to the next criterion that is marked to return to, around the end."""
        count = len(self._rows)
        for offset in range(1, count + 1):
            index = (self.row_cursor + offset) % count
            if self._rows[index].number and self._rows[index].id in self._flagged:
                self.move_to(index)
                return
        if self.row_cursor >= 0:
            self._say("No criterion is marked to return to: f marks one.")

    def on_moved(self, before: int) -> None:
        """Nothing that was typed or said goes along."""
        for index in (before, self.row_cursor):
            self._notes.pop(self._rows[index].id, None)
        self._type()
        self._in_full = False
        self._tell(self.CursorMoved(self, self._rows[self.row_cursor].node))

    # -- how rows look

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def is_stop(self, index: int) -> bool:
        return self._rows[index].number > 0

    def plan(self, width: int) -> None:
        self._columns = plan_layout(self._rows, width)

    def row_height(self, index: int) -> int:
        return row_height(self._rows[index], self._columns)

    def closed_lines(self, index: int) -> Sequence[Line]:
        row = self._rows[index]
        if row.number:
            return criterion_lines(row, self._columns, self._state(index))
        answered = sum(map(self._has_answer, row.leaves))
        return [group_line(row, self._columns, self._shares.get(row.id), answered)]

    def open_lines(self, index: int) -> Sequence[Line]:
        return open_lines(
            self._rows[index],
            self._columns,
            self._state(index),
            in_full=self._in_full,
            has_focus=self.has_focus,
        )

    def _state(self, index: int) -> RowState:
        row = self._rows[index]
        typing = None
        if index == self.row_cursor and self._number is not None:
            typing = self._number.typed
        elif index == self.row_cursor and self._level is not None:
            typing = self._level.typed
        return RowState(
            self._answers.get(row.id), row.id in self._flagged, typing, self._notes.get(row.id, "")
        )

    def _has_answer(self, leaf: str) -> bool:
        answer = self._answers.get(leaf)
        return answer is not None and answer.is_answered

    @property
    def answered(self) -> int:
        """How many criteria have an answer."""
        return self._answered

    @property
    def total(self) -> int:
        """How many criteria there are."""
        return len(self._by_key)
