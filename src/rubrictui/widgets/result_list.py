"""The nodes of one evaluation with their scores, drawn line by line; the one under the cursor is open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from rubrictui.core.records import EvaluationDetail
from rubrictui.widgets.open_list import OpenList
from rubrictui.widgets.result_lines import (
    heading_line,
    open_result_lines,
    plan_columns,
    result_line,
    result_rows,
)
from rubrictui.widgets.text import Line


class ResultList(OpenList):
    """A bar per node, its share, answer, score and points."""

    STYLE_PREFIX = "result"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter,g",
            "whole",
            "In full",
            id="result.whole",
            tooltip="Show rationale and evidence whole, and back",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter, g | Show rationale and evidence whole, and back. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "result--bar",
        "result--error",
        "result--filled",
        "result--group",
        "result--muted",
        "result--name",
        "result--open",
    }
    """
    | Class | Description |
    | :- | :- |
    | `result--group`, `result--name` | The name of a group and of a criterion. |
    | `result--filled` | The bar of a score. |
    | `result--muted` | Shares, points, what is lesser. |
    | `result--error` | A gate that failed. |
    | `result--open`, `result--bar` | What lies under the open node, and the bar beside it. |
    """

    DEFAULT_CSS = """
    ResultList {
        & > .result--group { color: $accent; text-style: bold; }
        & > .result--open { background: $surface; }
        & > .result--bar { color: $primary; text-style: bold; }
        & > .result--filled { color: $primary; }
        & > .result--muted { color: $text-muted; }
        & > .result--error { color: $error; text-style: bold; }
    }
    """

    def __init__(self, detail: EvaluationDetail, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._version = detail.version
        self._rows = result_rows(detail)
        self._columns = plan_columns(self._rows, 80)
        self._in_full = False
        self.row_cursor = 1 if self._rows else -1

    # Row 0 names the columns; the nodes follow.

    @property
    def row_count(self) -> int:
        return len(self._rows) + 1

    def is_stop(self, index: int) -> bool:
        return index > 0

    def plan(self, width: int) -> None:
        self._columns = plan_columns(self._rows, width)

    def row_height(self, index: int) -> int:
        return 1

    def closed_lines(self, index: int) -> Sequence[Line]:
        if index == 0:
            return [heading_line(self._columns)]
        return [result_line(self._rows[index - 1], self._columns, self._version)]

    def open_lines(self, index: int) -> Sequence[Line]:
        return open_result_lines(
            self._rows[index - 1],
            self._columns,
            self._version,
            has_focus=self.has_focus,
            in_full=self._in_full,
        )

    def on_moved(self, before: int) -> None:
        self._in_full = False

    def action_whole(self) -> None:
        """Show the open node in full, or shortened again."""
        self._in_full = not self._in_full
        self.paint_changes()
        self.show_cursor()
