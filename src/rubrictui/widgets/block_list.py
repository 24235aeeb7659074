"""A list of blocks of several lines each, with a cursor: cards, groups of changes. Drawn line by line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from rubrictui.widgets.open_list import OpenList
from rubrictui.widgets.text import Line

Drawn = Callable[[int], Sequence[Line]]
"""Makes the lines of a block for a width in cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One block. ``id`` is unique in the list; ``opened`` draws it under the cursor, None as ``closed`` does."""

    id: str
    closed: Drawn
    opened: Drawn | None = None


class BlockList(OpenList):
    """Blocks below one another. The styles of their lines are its component classes."""

    STYLE_PREFIX = "blocks"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Open", id="blocks.select"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Choose the block under the cursor. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "blocks--open",
        "blocks--title",
        "blocks--cursor",
        "blocks--frame",
        "blocks--label",
        "blocks--muted",
        "blocks--success",
        "blocks--warning",
        "blocks--error",
        "blocks--removed",
        "blocks--added",
    }
    """
    | Class | Description |
    | :- | :- |
    | `blocks--open` | All lines of the block under the cursor. |
    | `blocks--title`, `blocks--cursor` | The title of a block, and of the one under the cursor. |
    | `blocks--frame` | Lines drawn around or between. |
    | `blocks--label` | The name of a value. |
    | `blocks--removed`, `blocks--added` | Words of a text that only one side has. |
    | `blocks--muted`, `--success`, `--warning`, `--error` | The tones of text. |
    """

    DEFAULT_CSS = """
    BlockList {
        & > .blocks--open { background: $surface; }
        & > .blocks--title { text-style: bold; }
        & > .blocks--cursor {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: $block-cursor-text-style;
        }
        & > .blocks--frame { color: $text-disabled; }
        & > .blocks--label { color: $text-muted; }
        & > .blocks--muted { color: $text-muted; }
        & > .blocks--success { color: $success; }
        & > .blocks--warning { color: $warning; }
        & > .blocks--error { color: $error; text-style: bold; }
        & > .blocks--removed { color: $error; text-style: bold strike; }
        & > .blocks--added { color: $success; text-style: bold underline; }
    }
    """

    class _BlockMessage(Message):
        def __init__(self, blocks: BlockList, block_id: str) -> None:
            super().__init__()
            self.blocks = blocks
            self.block_id = block_id

        @property
        def control(self) -> BlockList:
            return self.blocks

    class Highlighted(_BlockMessage):
        """The cursor came to a block."""

    class Selected(_BlockMessage):
        """A block was chosen with Enter, or with a click on the one under the cursor."""

    def __init__(self, *, empty: str = "", can_choose: bool = True, id: str | None = None) -> None:
        """
        Args:
            empty: what to say when there is no block.
            can_choose: whether Enter chooses a block; else blocks are only read.
        """
        super().__init__(id=id)
        self._can_choose = can_choose
        self._blocks: tuple[Block, ...] = ()
        self._empty = empty
        self._drawn: list[Sequence[Line]] = []
        self._width = 20

    def set_blocks(self, blocks: Sequence[Block], *, cursor: str | None = None, empty: str = "") -> None:
        """Replace the blocks. The cursor goes to the block ``cursor``, else stays with its block's id."""
        wanted = cursor or self.current
        self._blocks = tuple(blocks)
        self._empty = empty
        places = {block.id: place for place, block in enumerate(self._blocks)}
        self.row_cursor = places.get(wanted or "", 0 if self._blocks else -1)
        if self.size.width:
            self.measure()
            self.show_cursor()
            self.refresh()
        else:
            self._row_tops = ()  # out of sight; laid out anew when it is shown
        if self.current is not None:
            self.post_message(self.Highlighted(self, self.current))
        self.refresh_bindings()

    @property
    def current(self) -> str | None:
        """The id of the block under the cursor."""
        return self._blocks[self.row_cursor].id if 0 <= self.row_cursor < len(self._blocks) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing can be chosen where there is nothing."""
        return action != "select" or (self._can_choose and self.current is not None)

    def action_select(self) -> None:
        """Choose the block under the cursor."""
        if self.current is not None:
            self.post_message(self.Selected(self, self.current))

    def on_moved(self, before: int) -> None:
        if self.current is not None:
            self.post_message(self.Highlighted(self, self.current))

    def on_click(self, event: events.Click) -> None:
        before = self.row_cursor
        super().on_click(event)
        if self.row_cursor == before and self._can_choose:
            self.action_select()

    # -- how rows look

    @property
    def row_count(self) -> int:
        return len(self._blocks) or bool(self._empty)

    def is_stop(self, index: int) -> bool:
        return bool(self._blocks)

    def plan(self, width: int) -> None:
        self._width = width
        self._drawn = [block.closed(width) for block in self._blocks] or [[[(self._empty, "muted")]]]

    def row_height(self, index: int) -> int:
        return len(self._drawn[index])

    def closed_lines(self, index: int) -> Sequence[Line]:
        return self._drawn[index]

    def open_lines(self, index: int) -> Sequence[Line]:
        block = self._blocks[index]
        lines = self._drawn[index] if block.opened is None else block.opened(self._width)
        # The title says where the cursor is, also without colours that tell backgrounds apart.
        return [[(text, "cursor" if style == "title" else style) for text, style in line] for line in lines]
