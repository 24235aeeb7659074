"""The tree of a draft that is edited and answered by keys, drawn line by line.

One widget whatever the number of nodes. Values go in through ``show`` and ``show_sample``; answers come out as
messages, edits as actions of the screen, and nothing changes here before the draft comes back in. A change paints
the lines in view that look otherwise and no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rubrictui.core.model import Level, Node, NodeType, NotApplicablePolicy, ScaleType, VersionSnapshot
from rubrictui.core.problems import Problem
from rubrictui.widgets.builder_lines import (
    RowView,
    TreeColumns,
    heading,
    open_row,
    plan_tree,
    row_line,
    row_says,
)
from rubrictui.widgets.builder_rows import (
    NO_SAMPLE,
    ROOT,
    Sample,
    Shape,
    found_rows,
    is_group,
    shape_of,
    visible_rows,
)
from rubrictui.widgets.flat_list import FlatList
from rubrictui.widgets.level_keys import LevelEntry, Pending, Picked, level_keys
from rubrictui.widgets.number_entry import NumberEntry
from rubrictui.widgets.text import Line

_NOTHING: Sequence[Problem] = ()

_LINES_KEPT = 500
"""The lines of so many rows are kept as long as they say the same."""


def _edit(
    key: str, action: str, word: str, name: str, tooltip: str, *, show: bool = False, display: str = ""
) -> Binding:
    """A key that edits the draft: the screen does it, but only while the tree has the focus."""
    return Binding(
        key,
        f"screen.{action}",
        word,
        show=show,
        priority=True,
        id=f"builder.{name}",
        tooltip=tooltip,
        key_display=display or None,
    )


class BuilderTree(FlatList):
    """The tree of one draft. The first row stands for the version itself; its id is ``ROOT``."""

    STYLE_PREFIX = "builder"

    HELP = (
        "The tree of the draft. ✗ stands before what blocks publishing, ▵ before a warning. Digits and n give the "
        "sample answer of the criterion under the cursor, and every score follows at once."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        _edit(
            "a",
            "add('Criterion')",
            "Criterion",
            "add_criterion",
            "Add a criterion: inside a group, else after the row",
            show=True,
        ),
        _edit(
            "g",
            "add('Group')",
            "Group",
            "add_group",
            "Add a group after the group of the row; > puts it inside",
            show=True,
        ),
        _edit("enter", "fields", "Fields", "fields", "Edit every field of the row", show=True, display="⏎"),
        Binding(
            "enter", "settle", "Settle", priority=True, id="builder.settle", tooltip="Settle what is typed"
        ),
        Binding(
            "1",
            "digit('1')",
            "Sample",
            key_display="1-9",
            priority=True,
            id="criteria.level_builder_1",
            tooltip="Give the sample answer with that key, or type a number",
        ),
        *(
            Binding(
                digit,
                f"digit('{digit}')",
                "",
                show=False,
                priority=True,
                id=f"criteria.level_builder_{digit}",
            )
            for digit in "234567890"
        ),
        Binding("full_stop,comma", "digit('.')", "", show=False, priority=True, id="builder.point"),
        Binding("minus", "digit('-')", "", show=False, priority=True, id="builder.minus"),
        Binding(
            "n",
            "not_applicable",
            "N/A",
            show=False,
            priority=True,
            id="builder.not_applicable",
            tooltip="Sample answer: not applicable, and back",
        ),
        Binding(
            "backspace",
            "clear",
            "Clear sample",
            show=False,
            priority=True,
            id="builder.clear",
            tooltip="Clear the sample answer, or erase the last digit",
        ),
        Binding("escape", "abandon", "Abandon", key_display="Esc", priority=True, id="builder.abandon"),
        _edit("i", "rename", "Rename", "rename", "Rename the node"),
        _edit("c", "scale", "Scale", "scale", "Choose the scale of the criterion", show=True),
        _edit("w", "weight", "Weight", "weight", "Change the weight"),
        _edit(
            "exclamation_mark", "gate", "Gate", "gate", "Make it a gate with a minimum, or none", display="!"
        ),
        _edit("A", "advisory", "Advisory", "advisory", "Let it count, or only be shown"),
        _edit("r", "rollup", "Roll-up", "rollup", "How the group adds up: mean, lowest, highest", show=True),
        _edit("K", "rekey", "Re-key", "rekey", "Change the permanent key"),
        _edit(
            "left_square_bracket",
            "move(-1)",
            "Move up",
            "move_up",
            "Move before the sibling above",
            display="[",
        ),
        _edit(
            "right_square_bracket",
            "move(1)",
            "Move down",
            "move_down",
            "Move behind the sibling below",
            display="]",
        ),
        _edit("greater_than_sign", "indent", "Indent", "indent", "Put it into the group above", display=">"),
        _edit("less_than_sign", "outdent", "Outdent", "outdent", "Take it out of its group", display="<"),
        _edit("m", "move_to", "Move to", "move_to", "Move it into another group"),
        _edit("D", "duplicate", "Duplicate", "duplicate", "Duplicate it with all that is inside"),
        _edit("x", "cut", "Cut", "cut", "Cut, to paste here or in another rubric"),
        _edit("y", "copy", "Copy", "copy", "Copy, to paste here or in another rubric"),
        _edit("p", "paste", "Paste", "paste", "Paste: inside a group, else after the row"),
        _edit("d,delete", "delete", "Delete", "delete", "Delete it with all that is inside"),
        _edit("slash", "search", "Search", "search", "Go to a node by words of its name or key", display="/"),
        _edit("N", "search_next", "Next found", "search_next", "The next node with those words"),
        Binding(
            "left,h",
            "fold",
            "Fold",
            show=False,
            priority=True,
            id="builder.fold",
            tooltip="Fold the group, or go to it",
        ),
        Binding(
            "right,l",
            "unfold",
            "Unfold",
            show=False,
            priority=True,
            id="builder.unfold",
            tooltip="Unfold the group",
        ),
        Binding("H", "fold_all", "Fold all", show=False, priority=True, id="builder.fold_all"),
        Binding("L", "unfold_all", "Unfold all", show=False, priority=True, id="builder.unfold_all"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | a, g | Add a criterion, a group. |
    | enter | Edit the fields; settle what is typed. |
    | 0 to 9, ., - | Give the sample answer, or type its number. |
    | n / backspace | Sample: not applicable / cleared. |
    | escape | Abandon what is typed. |
    | i, c, w, !, A, r, K | Name, scale, weight, gate, advisory, roll-up, key. |
    | [, ], <, >, m | Move up, down, out, in, to another group. |
    | D, x, y, p, d | Duplicate, cut, copy, paste, delete. |
    | /, N | Search, the next found. |
    | h, l, H, L | Fold, unfold, all. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "builder--bar",
        "builder--chosen",
        "builder--error",
        "builder--group",
        "builder--heading",
        "builder--key",
        "builder--level",
        "builder--mark",
        "builder--muted",
        "builder--name",
        "builder--open",
        "builder--strong",
        "builder--typing",
        "builder--warning",
    }
    """
    | Class | Description |
    | :- | :- |
    | `builder--group`, `builder--name`, `builder--strong` | The name of a group, a criterion, the version. |
    | `builder--open` | What lies under the lines of the row under the cursor. |
    | `builder--bar` | The bar beside them. |
    | `builder--key`, `builder--level`, `builder--chosen`, `builder--typing` | The answers, the one given, one being typed. |
    | `builder--mark` | The rules. |
    | `builder--heading` | The titles of the columns. |
    | `builder--muted`, `builder--warning`, `builder--error` | Lesser text, a warning, what blocks. |
    """

    DEFAULT_CSS = """
    BuilderTree {
        & > .builder--group { color: $accent; text-style: bold; }
        & > .builder--strong { text-style: bold; }
        & > .builder--open { background: $surface; }
        & > .builder--bar { color: $primary; text-style: bold; }
        & > .builder--key { color: $primary; text-style: bold; }
        & > .builder--chosen { text-style: bold; }
        & > .builder--typing { color: $warning; text-style: bold; }
        & > .builder--mark { color: $accent; }
        & > .builder--muted { color: $text-muted; }
        & > .builder--warning { color: $warning; }
        & > .builder--error { color: $error; text-style: bold; }
    }
    """

    class _NodeMessage(Message):
        def __init__(self, tree: BuilderTree, node: Node) -> None:
            super().__init__()
            self.tree = tree
            self.node = node

        @property
        def control(self) -> BuilderTree:
            return self.tree

    class LevelChosen(_NodeMessage):
        """A level was picked as the sample answer of ``node``."""

        def __init__(self, tree: BuilderTree, node: Node, level: Level) -> None:
            super().__init__(tree, node)
            self.level = level

    class NumberEntered(_NodeMessage):
        """A number was settled as the sample answer of ``node``; it is on the scale."""

        def __init__(self, tree: BuilderTree, node: Node, value: float) -> None:
            super().__init__(tree, node)
            self.value = value

    class NotApplicableToggled(_NodeMessage):
        """Not applicable was asked for, or taken back; the policy of ``node`` allows it."""

    class Cleared(_NodeMessage):
        """The sample answer of ``node`` is to be cleared."""

    class CursorMoved(Message):
        """The cursor came to a row; ``own`` is its folded id, ``ROOT`` for the version."""

        def __init__(self, tree: BuilderTree, own: str) -> None:
            super().__init__()
            self.tree = tree
            self.own = own

        @property
        def control(self) -> BuilderTree:
            return self.tree

    def __init__(
        self,
        version: VersionSnapshot,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._shape = shape_of(version)
        self._folded: set[str] = set()
        self._rows: list[str] = visible_rows(self._shape, self._folded)
        self._problems: Mapping[str, Sequence[Problem]] = {}
        self._sample = NO_SAMPLE
        self._columns = plan_tree(78)
        self._lines_of: dict[str, tuple[object, Line]] = {}
        self._note = ""
        self._kind_before: NodeType | None = None
        self._level: LevelEntry | None = None
        self._number: NumberEntry | None = None
        self.row_cursor = 0

    # -- values in, values out

    @property
    def shape(self) -> Shape:
        return self._shape

    @property
    def current(self) -> Node | None:
        """The node under the cursor; None on the row of the version."""
        return self._shape.node(self.cursor_id)

    @property
    def cursor_id(self) -> str:
        """The folded id of the node under the cursor; ``ROOT`` for the version."""
        return self._rows[self.row_cursor] if 0 <= self.row_cursor < len(self._rows) else ROOT

    @property
    def is_typing(self) -> bool:
        """Whether a number or a level of two digits has been begun and not settled."""
        return self._number is not None or self._level is not None

    @property
    def columns(self) -> TreeColumns:
        return self._columns

    def show(
        self,
        version: VersionSnapshot,
        *,
        problems: Mapping[str, Sequence[Problem]],
        sample: Sample,
        focus: str | None = None,
        note: str = "",
    ) -> None:
        """Show another state of the draft. Where the cursor comes to stand is not told: who shows it asks.

        Args:
            problems: by node id as written, ``ROOT`` for those of the version.
            sample: the sample answers and what they score.
            focus: the folded id of the row for the cursor, unfolded to be seen; None, or one that is not there,
                keeps it where it is.
            note: what is said under the cursor, until the next key.
        """
        before, here = self._shape, self.cursor_id
        self._shape = shape_of(version, before)
        self._problems, self._sample = problems, sample
        wanted = here if focus is None or (focus and focus not in self._shape.place) else focus
        self._folded &= self._shape.place.keys()
        opened = self._open_above(wanted)
        self._note = note
        with self.prevent(self.CursorMoved):
            if self._shape.ids is not before.ids or opened:
                self._relist(wanted, note)
            else:
                self.repaint()
                if wanted != here:
                    self.go_to(wanted)
        self.note(note)

    def show_sample(self, sample: Sample) -> None:
        """Show other sample answers and scores."""
        self._sample = sample
        self.repaint()

    def go_to(self, own: str) -> bool:
        """Put the cursor on a row by its folded id, unfolding what hides it; False when it is not there."""
        if own and own not in self._shape.place:
            return False
        if self._open_above(own):
            self._relist(own)
            return True
        self.move_to(self._rows.index(own))
        return True

    def find(self, words: str, *, after: bool = False) -> int:
        """Put the cursor on the nearest node with these words, folded away or not.

        Args:
            after: look behind the cursor first, to go on to the next one.

        Returns:
            How many nodes have them.
        """
        found = found_rows(self._shape, words)
        if found:
            place = self._shape.place
            start = place.get(self.cursor_id, -1) + (1 if after else 0)
            self.go_to(next((own for own in found if place[own] >= start), found[0]))
        return len(found)

    def note(self, text: str) -> None:
        """Say something under the cursor, until the next key."""
        if text != self._note:
            self._note = text
            self._said_more()

    def _said_more(self) -> None:
        """Paint the row under the cursor, and bring into view what it says now."""
        self.paint_changes()
        self.show_cursor()

    # -- laying out

    def _open_above(self, own: str) -> bool:
        hiding = self._folded.intersection(self._shape.above(own)) if own else set()
        self._folded -= hiding
        return bool(hiding)

    def _relist(self, wanted: str, note: str = "") -> None:
        """List the rows anew with the cursor on ``wanted``, else where it stood, and say ``note`` under it."""
        before = self.cursor_id
        self._rows = visible_rows(self._shape, self._folded)
        try:
            self.row_cursor = self._rows.index(wanted)
        except ValueError:
            self.row_cursor = min(self.row_cursor, len(self._rows) - 1)
        has_moved = self.cursor_id != before
        if has_moved:
            self._note = note  # what was said before was said of another row
        self.relist(self.row_cursor)
        if has_moved:
            self._arrived(note)

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def plan(self, width: int) -> None:
        self._columns = plan_tree(width)
        for head in self.screen.query(TreeHeading):
            head.show(self._columns)

    def _view(self, own: str, *, is_open: bool = False) -> RowView:
        typing = None
        if is_open and self._number is not None:
            typing = self._number.typed
        elif is_open and self._level is not None:
            typing = self._level.typed
        node = self._shape.node(own)
        return RowView(
            shape=self._shape,
            own=own,
            columns=self._columns,
            sample=self._sample,
            problems=self._problems.get(node.id if node is not None else ROOT, _NOTHING),
            is_folded=own in self._folded,
            typing=typing,
            note=self._note if is_open else "",
        )

    def closed_lines(self, index: int) -> Sequence[Line]:
        view = self._view(self._rows[index])
        said = row_says(view)
        if said is None:
            return [row_line(view)]
        known = self._lines_of.get(view.own)
        if known is None or known[0] != said:
            if len(self._lines_of) >= _LINES_KEPT:
                self._lines_of.clear()
            known = self._lines_of[view.own] = said, row_line(view)
        return [known[1]]

    def open_lines(self, index: int) -> Sequence[Line]:
        return open_row(self._view(self._rows[index], is_open=True), has_focus=self.has_focus)

    # -- moving and folding

    def move_to(self, index: int, *, at_top: bool = False) -> None:
        """Go to a row. What is being typed is settled first; a number that is none keeps the cursor."""
        if index != self.row_cursor:
            self._settle_level()
        if self._number is None or index == self.row_cursor or self._settle_number():
            super().move_to(index, at_top=at_top)

    def on_moved(self, before: int) -> None:
        """Nothing that was typed or said goes along."""
        self._arrived()

    def _arrived(self, note: str = "") -> None:
        self._note = note
        self._type()
        if self.kind is not self._kind_before:
            self._kind_before = self.kind
            self.refresh_bindings()  # other keys make sense here
        self.screen.post_message(self.CursorMoved(self, self.cursor_id))

    def action_fold(self) -> None:
        """Fold the group under the cursor; from a criterion, or a folded group, go to the group above."""
        own, node = self.cursor_id, self.current
        if node is None:
            return
        if is_group(node) and own in self._shape.children and own not in self._folded:
            self._folded.add(own)
            self._relist(own)
        else:
            self.go_to(self._shape.parent(own))

    def action_unfold(self) -> None:
        """Unfold the group under the cursor; an open one leads to its first child."""
        own = self.cursor_id
        if own in self._folded:
            self._folded.discard(own)
            self._relist(own)
        elif own in self._shape.children and self.row_cursor + 1 < len(self._rows):
            self.move_to(self.row_cursor + 1)

    def action_fold_all(self) -> None:
        """Fold every group."""
        above = self._shape.above(self.cursor_id)
        self._folded = {own for own in self._shape.children if own}
        self._relist(above[-1] if above else self.cursor_id)

    def action_unfold_all(self) -> None:
        """Unfold every group."""
        self._folded.clear()
        self._relist(self.cursor_id)

    # -- sample answers

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Settling needs something typed, and a sample answer a criterion under the cursor."""
        if action in ("settle", "abandon"):
            return self.is_typing
        if action in ("digit", "not_applicable", "clear"):
            return self.kind is NodeType.CRITERION
        return True

    @property
    def kind(self) -> NodeType | None:
        """What stands under the cursor; None on the row of the version."""
        node = self.current
        return None if node is None else node.node_type

    def _tell(self, message: Message) -> None:
        """Post to the screen itself, so that its own keys find what was answered before them."""
        self.screen.post_message(message)

    def action_digit(self, character: str) -> None:
        """Pick the level with this key, or type a number with it."""
        node = self.current
        if node is None or not node.is_criterion:
            return
        scale = self._shape.scale(node)
        if scale is None:
            self.note("This criterion has no scale yet: c chooses one.")
        elif scale.scale_type is ScaleType.NUMERIC:
            self._type(number=(self._number or NumberEntry(self._shape.version, node, scale)).feed(character))
        elif character.isdigit():
            entry = self._level or LevelEntry(level_keys(scale.levels))
            self._after_level(entry, entry.feed(character))

    def _after_level(self, entry: LevelEntry, outcome: object) -> None:
        node = self.current
        if isinstance(outcome, Pending):
            self._type(level=entry)
            self.note("Second digit, or Enter.")
            return
        self._type()
        if isinstance(outcome, Picked) and node is not None:
            self._note = ""
            self._tell(self.LevelChosen(self, node, outcome.level))
        else:
            self.note(getattr(outcome, "reason", ""))

    def _type(self, *, level: LevelEntry | None = None, number: NumberEntry | None = None) -> None:
        """Note what is being typed, and say what it means so far."""
        was_typing = self.is_typing
        if (level, number) == (self._level, self._number):
            return
        self._level, self._number = level, number
        if self.is_typing != was_typing:
            self.refresh_bindings()
        self._note = (number.problem or "Enter settles it.") if number is not None else ""
        self._said_more()

    def action_settle(self) -> None:
        """Settle what is being typed."""
        if self._level is not None:
            self._settle_level()
        else:
            self._settle_number()

    def _settle_level(self) -> None:
        """Take the digits that were typed for the level they are, if they are one."""
        if self._level is not None:
            self._after_level(self._level, self._level.settle())

    def _settle_number(self) -> bool:
        """Settle the number being typed; says why not where it cannot be."""
        entry, node = self._number, self.current
        if entry is None or node is None:
            return False
        if entry.problem or entry.value is None:
            self.note(f"{entry.problem} Esc abandons it.")
            return False
        self._type()
        self._tell(self.NumberEntered(self, node, entry.value))
        return True

    def action_abandon(self) -> None:
        """Abandon what is being typed."""
        self._type()

    def action_clear(self) -> None:
        """Erase the last digit; with nothing typed, clear the sample answer."""
        if self._number is not None and len(self._number.typed) > 1:
            self._type(number=self._number.erase())
        elif self.is_typing:
            self._type()
        elif (node := self.current) is not None and node.is_criterion:
            self._tell(self.Cleared(self, node))

    def action_not_applicable(self) -> None:
        """Toggle not applicable, or say why it is not allowed."""
        node = self.current
        if node is None or not node.is_criterion:
            return
        policy = node.not_applicable_policy or self._shape.version.not_applicable_policy
        if policy is NotApplicablePolicy.NOT_ALLOWED:
            self.note("N/A is not allowed here: its N/A policy says so.")
            return
        self._tell(self.NotApplicableToggled(self, node))

    def on_blur(self) -> None:
        """What was typed is not lost by going elsewhere; a number that is none is."""
        if self._number is not None and not self._settle_number():
            self._type()
        self._settle_level()


class TreeHeading(Widget):
    """The titles of the columns of the tree, above it."""

    ALLOW_SELECT = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {"heading--titles"}
    """
    | Class | Description |
    | :- | :- |
    | `heading--titles` | The titles. |
    """

    DEFAULT_CSS = """
    TreeHeading { height: 1; background: $background; & > .heading--titles { color: $text-muted; text-style: underline; } }
    """

    def __init__(self) -> None:
        super().__init__()
        self._line: Line = []

    def show(self, columns: TreeColumns) -> None:
        """Set the columns."""
        line = heading(columns)
        if line != self._line:
            self._line = line
            self.refresh()

    def render_line(self, y: int) -> Strip:
        style = self.get_component_rich_style("heading--titles")
        text = "".join(piece for piece, _ in self._line)
        return Strip([Segment(text, style)]).adjust_cell_length(self.size.width, style)
