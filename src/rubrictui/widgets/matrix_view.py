"""The comparison matrix on the screen: drawn line by line, its first columns frozen, only what is in view.

A key paints the cells that look otherwise and no others, whatever the number of rows and columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from rubrictui.core.matrix import (
    Matrix,
    MatrixCell,
    MatrixColumn,
    MatrixRow,
    columns_in_view,
    disagreement_count,
    disagreement_inside,
    next_disagreement,
    rows_in_view,
)
from rubrictui.widgets.drawn_lines import TEXT, DrawnLines
from rubrictui.widgets.matrix_lines import (
    WIDE,
    MatrixLayout,
    heading_lines,
    longest_texts,
    plan_matrix,
    row_line,
)
from rubrictui.widgets.steady_scroll import SteadyScroll
from rubrictui.widgets.text import Line, one_line

HEADINGS = 2
"""Lines above the first row that never scroll."""


class MatrixView(DrawnLines, SteadyScroll, can_focus=True, inherit_bindings=False):
    """Rows and columns with a cursor on one cell."""

    ALLOW_SELECT = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter", "select", "Open", id="matrix.select", tooltip="The rationale and evidence of the cell"
        ),
        Binding(
            "n", "disagreement(1)", "Disagreement", id="matrix.next", tooltip="The next row that disagrees"
        ),
        Binding("N", "disagreement(-1)", "Previous disagreement", show=False, id="matrix.previous"),
        Binding("s", "sort", "By spread", id="matrix.sort", tooltip="The widest spread first, and back"),
        Binding(
            "z", "fold", "Fold", show=False, id="matrix.fold", tooltip="Put a group away, or show it again"
        ),
        Binding(
            "Z", "fold_all", "Fold all", show=False, id="matrix.fold_all", tooltip="All groups, and back"
        ),
        Binding(
            "m", "means", "Means", show=False, id="matrix.means", tooltip="The columns of means, and back"
        ),
        Binding(
            "u",
            "superseded",
            "Superseded",
            show=False,
            id="matrix.superseded",
            tooltip="The evaluations that were superseded, and back",
        ),
        Binding("up,k", "move(-1)", "Up", show=False, id="matrix.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="matrix.down"),
        Binding("left,h", "across(-1)", "Left", show=False, id="matrix.left"),
        Binding("right,l", "across(1)", "Right", show=False, id="matrix.right"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="matrix.page_up"),
        Binding("pagedown,space", "page(1)", "Page down", show=False, id="matrix.page_down"),
        Binding("less_than_sign", "page_across(-1)", "Columns before", show=False, id="matrix.page_left"),
        Binding("greater_than_sign", "page_across(1)", "Columns after", show=False, id="matrix.page_right"),
        Binding("home", "move(-1000000)", "First", show=False, id="matrix.first"),
        Binding("end", "move(1000000)", "Last", show=False, id="matrix.last"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Open the cell. |
    | n / N | The next / previous row that disagrees. |
    | s | The widest spread first, and back to the tree. |
    | z / Z | Fold the group the cursor is in; all groups. |
    | m | The columns of means, and back. |
    | u | The superseded evaluations, and back. |
    | up, k / down, j / left, h / right, l | One cell on. |
    | pageup / pagedown, space | A page of rows. |
    | < / > | As many columns on as are in view. |
    | home / end | The first / last row. |
    """

    STYLE_PREFIX = "matrix"

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "matrix--header",
        "matrix--current",
        "matrix--muted",
        "matrix--out",
        "matrix--bar",
        "matrix--group",
        "matrix--spread",
        "matrix--flip",
        "matrix--cursor",
        "matrix--cursor-blurred",
    }
    """
    | Class | Description |
    | :- | :- |
    | `matrix--header`, `matrix--current` | Headings; the heading and the name at the cursor. |
    | `matrix--group` | Names of groups. |
    | `matrix--spread`, `matrix--flip` | A spread over the threshold; verdicts that differ, a failed gate. |
    | `matrix--out` | What counts in no mean: withdrawn, superseded, self. |
    | `matrix--muted` | What is lesser. |
    | `matrix--bar`, `matrix--cursor`, `matrix--cursor-blurred` | Where the cursor is. |
    """

    DEFAULT_CSS = """
    MatrixView {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
        & > .matrix--header { text-style: bold; }
        & > .matrix--current { color: $accent; text-style: bold underline; }
        & > .matrix--muted { color: $text-muted; }
        & > .matrix--out { color: $text-muted; text-style: italic; }
        & > .matrix--bar { color: $primary; text-style: bold; }
        & > .matrix--group { color: $accent; text-style: bold; }
        & > .matrix--spread { color: $warning; }
        & > .matrix--flip { color: $error; text-style: bold; }
        & > .matrix--cursor {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: $block-cursor-text-style;
        }
        & > .matrix--cursor-blurred {
            color: $block-cursor-blurred-foreground;
            background: $block-cursor-blurred-background;
            text-style: $block-cursor-blurred-text-style;
        }
    }
    """

    class _CellMessage(Message):
        def __init__(self, view: MatrixView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> MatrixView:
            return self.view

    class Selected(_CellMessage):
        """The cell under the cursor was chosen."""

    def __init__(
        self,
        what: str,
        *,
        moved: Callable[[], None] = lambda: None,
        empty: str = "",
        id: str | None = None,
    ) -> None:
        """
        Args:
            what: the heading of the first column.
            moved: called when the cursor came to another cell or the matrix looks otherwise, before anything is
                painted: what it shows beside the matrix is in the same frame, which a message would be too late for.
            empty: what to say while there is no row.
        """
        super().__init__(id=id)
        self._what = what
        self._moved = moved
        self._empty = empty
        self._matrix: Matrix | None = None
        self._threshold = 0.0
        self._rows: tuple[int, ...] = ()
        self._columns: tuple[int, ...] = ()
        self._row = self._column = self._first = 0
        self._folded: set[str] = set()
        self._inside: dict[str, bool] = {}
        self._by_spread = False
        self._with_superseded = False
        self._with_means: bool | None = None
        self._longest = (8, 4)
        self._layout: MatrixLayout | None = None
        self._strips: dict[int, Strip] = {}

    # -- values in and out

    def show(self, matrix: Matrix) -> None:
        """Show a matrix, with the threshold it brings; the cursor stays with its row and column where it can."""
        before = self.row.key if self.row else None
        column = self.column.id if self.column else None
        self._matrix = matrix
        self._longest = longest_texts(matrix)
        self._threshold = matrix.threshold
        self._arrange(before, column)

    def say(self, text: str) -> None:
        """What to say while there is no row."""
        self._empty = text
        self.forget_lines()
        self.refresh()

    @property
    def threshold(self) -> float:
        """The spread (0..1) from which a row disagrees."""
        return self._threshold

    @threshold.setter
    def threshold(self, value: float) -> None:
        self._threshold = value
        self._look_inside()
        self._repaint()

    @property
    def row(self) -> MatrixRow | None:
        """The row under the cursor."""
        if self._matrix is None or not 0 <= self._row < len(self._rows):
            return None
        return self._matrix.rows[self._rows[self._row]]

    @property
    def column(self) -> MatrixColumn | None:
        """The column under the cursor."""
        if self._matrix is None or not 0 <= self._column < len(self._columns):
            return None
        return self._matrix.columns[self._columns[self._column]]

    @property
    def cell(self) -> MatrixCell | None:
        """The cell under the cursor; None where that evaluator has nothing."""
        row = self.row
        if row is None or not 0 <= self._column < len(self._columns):
            return None
        return row.cells[self._columns[self._column]]

    @property
    def disagreements(self) -> int:
        """How many rows disagree."""
        return disagreement_count(self._matrix, self._threshold) if self._matrix else 0

    @property
    def is_by_spread(self) -> bool:
        """Whether the rows stand by spread and not in the tree's order."""
        return self._by_spread

    @property
    def has_superseded(self) -> bool:
        """Whether superseded evaluations are shown."""
        return self._with_superseded

    def go_to(self, key: str) -> bool:
        """Put the cursor on the row of this key; False when it is not in view."""
        for index in range(len(self._rows)):
            if self._matrix is not None and self._matrix.rows[self._rows[index]].key == key:
                self._move_to(index)
                return True
        return False

    # -- arranging

    def _arrange(self, row_key: str | None = None, column_id: str | None = None) -> None:
        """Decide anew which rows and columns there are; the cursor goes to these where they are in view."""
        matrix = self._matrix
        if matrix is None:
            return
        self._look_inside()
        self._rows = rows_in_view(matrix, folded=self._folded, by_spread=self._by_spread)
        self._columns = columns_in_view(matrix, with_superseded=self._with_superseded)
        keys = [matrix.rows[place].key for place in self._rows]
        ids = [matrix.columns[place].id for place in self._columns]
        if row_key in keys:
            self._row = keys.index(row_key)
        self._row = max(min(self._row, len(keys) - 1), 0)
        if column_id in ids:
            self._column = ids.index(column_id)
        self._column = max(min(self._column, len(ids) - 1), 0)
        self._measure()
        self._show_cursor()
        self.forget_lines()
        self.refresh()
        self.refresh_bindings()
        self._moved()

    def _look_inside(self) -> None:
        """Find what folded groups are marked for."""
        self._inside = (
            disagreement_inside(self._matrix, self._threshold) if self._matrix and self._folded else {}
        )

    def _measure(self) -> None:
        if self._matrix is None or not self.size.width:
            return
        width = max(self.size.width - self.scrollbar_size_vertical, 20)
        means = width >= WIDE if self._with_means is None else self._with_means
        self._layout = plan_matrix(self._matrix, width, self._longest, with_means=means)
        self._first = max(min(self._first, len(self._columns) - self._layout.columns), 0)
        size = Size(width, len(self._rows) + HEADINGS)
        if size != self.virtual_size:
            self.virtual_size = size

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what would do something is offered."""
        matrix = self._matrix
        if action == "select":
            return self.row is not None
        if action in ("sort", "means", "disagreement"):
            return matrix is not None and len(matrix.rows) > 1
        if action in ("fold", "fold_all"):
            return matrix is not None and not self._by_spread and any(row.is_group for row in matrix.rows)
        if action == "superseded":
            return matrix is not None and len(columns_in_view(matrix)) < len(matrix.columns)
        return True

    def action_sort(self) -> None:
        """The widest spread first, and back."""
        self._by_spread = not self._by_spread
        self._row = 0
        self.scroll_to(y=0, animate=False, force=True)
        self._arrange()

    def action_fold(self) -> None:
        """Put the group away that the cursor is on or in, or show it again."""
        row = self.row
        if row is None:
            return
        key = row.key if row.is_group else row.groups[-1] if row.groups else None
        if key is not None:
            self._folded ^= {key}
            self._arrange(key, self.column.id if self.column else None)

    def action_fold_all(self) -> None:
        """Put every group away, or show them all again."""
        if self._matrix is None:
            return
        groups = {row.key for row in self._matrix.rows if row.is_group}
        self._folded = set() if self._folded else groups
        row = self.row
        keys = (row.groups[:1] or (row.key,)) if row and self._folded else ((row.key,) if row else (None,))
        self._arrange(keys[0], self.column.id if self.column else None)

    def action_means(self) -> None:
        """Show the columns of means, or put them away."""
        self._with_means = not (self._layout is not None and self._layout.means)
        self._arrange()

    def action_superseded(self) -> None:
        """Show superseded evaluations, or put them away."""
        self._with_superseded = not self._with_superseded
        self._arrange(None, self.column.id if self.column else None)

    # -- moving

    def action_move(self, by: int) -> None:
        """Move by so many rows, stopping at the ends."""
        self._move_to(min(max(self._row + by, 0), len(self._rows) - 1))

    def action_page(self, pages: int) -> None:
        """Move by a page of rows."""
        self.action_move(pages * max(self._page - 1, 1))

    def action_across(self, by: int) -> None:
        """Move by so many columns, stopping at the ends."""
        wanted = min(max(self._column + by, 0), len(self._columns) - 1)
        if wanted == self._column or wanted < 0:
            return
        self._column = wanted
        self._after_moving()

    def action_page_across(self, pages: int) -> None:
        """Move by as many columns as are in view."""
        self.action_across(pages * (self._layout.columns if self._layout else 1))

    def action_disagreement(self, step: int) -> None:
        """Go to the next row that disagrees, around the end; a folded group that it is in is shown again."""
        matrix = self._matrix
        if matrix is None or not self._rows:
            return
        every = rows_in_view(matrix, by_spread=self._by_spread)
        start = every.index(self._rows[self._row])
        found = next_disagreement(matrix, every, start, threshold=self._threshold, step=step)
        if found is None:
            return
        row = matrix.rows[every[found]]
        if not self._by_spread and self._folded.intersection(row.groups):
            self._folded.difference_update(row.groups)
            self._arrange(row.key, self.column.id if self.column else None)
        else:
            self._move_to(self._rows.index(every[found]))

    def action_select(self) -> None:
        """Choose the cell under the cursor."""
        if self.row is not None:
            self.post_message(self.Selected(self))

    def on_click(self, event: events.Click) -> None:
        layout, index = self._layout, event.y - HEADINGS + round(self.scroll_y)
        if layout is None or event.y < HEADINGS or not 0 <= index < len(self._rows):
            return
        column = self._column
        if event.x >= layout.frozen:
            column = min(self._first + (event.x - layout.frozen) // layout.cell, len(self._columns) - 1)
        if (index, column) == (self._row, self._column):
            self.action_select()
            return
        self._row, self._column = index, column
        self._after_moving()

    def _move_to(self, row: int) -> None:
        if row != self._row and 0 <= row < len(self._rows):
            self._row = row
            self._after_moving()

    def _after_moving(self) -> None:
        if not self._show_cursor():
            self._paint_changes()
        self._moved()

    @property
    def _page(self) -> int:
        return max(self.size.height - HEADINGS, 1)

    def _show_cursor(self) -> bool:
        """Bring the cursor into view: half a page of rows, or as many columns as needed; whether it had to."""
        layout = self._layout
        if layout is None or not self.size.height:
            return False
        first, scroll = self._first, round(self.scroll_y)
        if self._column < first:
            first = self._column
        elif self._column >= first + layout.columns:
            first = self._column - layout.columns + 1
        target = scroll
        if self._row < scroll:
            target = max(self._row - self._page // 2, 0)
        elif self._row >= scroll + self._page:
            target = min(self._row - self._page // 2, max(len(self._rows) - self._page, 0))
        moved = first != self._first
        self._first = first
        if moved:
            self._strips.clear()
            self.refresh()
        if target != scroll:
            self.scroll_to(y=target, animate=False, force=True)
        return moved or round(self.scroll_y) != scroll

    # -- drawing

    def on_resize(self) -> None:
        self._measure()
        self._show_cursor()
        self.forget_lines()
        self.refresh()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._repaint()

    def forget_lines(self) -> None:
        super().forget_lines()
        self._strips.clear()

    def _repaint(self) -> None:
        self._strips.clear()
        self._paint_changes()

    def _paint_changes(self) -> None:
        if self._layout is not None:
            self.paint_lines()

    def line_strip(self, y: int) -> Strip:
        layout, matrix = self._layout, self._matrix
        if layout is None or matrix is None or not self._rows:
            text = one_line(self._empty, max(self.size.width - 4, 1)) if y == 1 else ""
            return self._strip([("  ", "text"), (text, "muted")])
        if y < HEADINGS:
            return self._strip(self._headings(layout, matrix)[y])
        index = y - HEADINGS + round(self.scroll_y)
        if index >= len(self._rows):
            return Strip.blank(self.size.width, self.named_style(TEXT))
        if index == self._row:
            return self._strip(self._row_line(index, layout, matrix, is_current=True))
        strip = self._strips.get(index)
        if strip is None:
            strip = self._strips[index] = self._strip(self._row_line(index, layout, matrix))
        return strip

    def _headings(self, layout: MatrixLayout, matrix: Matrix) -> tuple[Line, Line]:
        return heading_lines(
            layout,
            self._what,
            [matrix.columns[place] for place in self._in_view(layout)],
            first=self._first,
            total=len(self._columns),
            current=self._column - self._first,
        )

    def _in_view(self, layout: MatrixLayout) -> Sequence[int]:
        return self._columns[self._first : self._first + layout.columns]

    def _row_line(
        self, index: int, layout: MatrixLayout, matrix: Matrix, *, is_current: bool = False
    ) -> Line:
        row = matrix.rows[self._rows[index]]
        is_folded = row.key in self._folded and row.is_group and not self._by_spread
        return row_line(
            row,
            layout,
            [(matrix.columns[place], row.cells[place]) for place in self._in_view(layout)],
            matrix.display,
            threshold=self._threshold,
            is_folded=is_folded,
            inside=self._inside.get(row.key) if is_folded else None,
            is_current=is_current,
            cursor=self._column - self._first,
            has_focus=self.has_focus,
        )

    def _strip(self, line: Line) -> Strip:
        width = max(self.size.width - self.scrollbar_size_vertical, 1)
        segments = [Segment(text, self.named_style(name)) for text, name in line if text]
        return Strip(segments).adjust_cell_length(width, self.named_style(TEXT))
