"""What stands against publishing, as a list: a problem a line, the one under the cursor with its remedy."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from rubrictui.core.problems import Problem
from rubrictui.widgets.builder_lines import BLOCKS, WARNS
from rubrictui.widgets.flat_list import FlatList
from rubrictui.widgets.text import Line, counted, one_line, truncate, wrap

_SEVERITY = attrgetter("severity")


def problem_counts(problems: Sequence[Problem]) -> str:
    """How many problems block publishing and how many are warnings, in words."""
    blocking = [*map(_SEVERITY, problems)].count("error")
    warnings = len(problems) - blocking
    if not problems:
        return "no problems ✓"
    parts = []
    if blocking:
        parts.append(f"{BLOCKS} {blocking} {'blocks' if blocking == 1 else 'block'} publishing")
    if warnings:
        parts.append(f"{WARNS} {counted(warnings, 'warning')}")
    return " · ".join(parts)


class ProblemsPane(FlatList):
    """The problems of a draft, those that block first."""

    STYLE_PREFIX = "problems"

    HELP = (
        "What stands against publishing: ✗ blocks it, ▵ only warns. Enter goes to the node and the field that a "
        "problem is about."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "jump",
            "Go to it",
            key_display="⏎",
            priority=True,
            id="problems.jump",
            tooltip="Go to the node and the field it is about",
        ),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Go to the node and the field it is about. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "problems--bar",
        "problems--error",
        "problems--muted",
        "problems--open",
        "problems--warning",
    }
    """
    | Class | Description |
    | :- | :- |
    | `problems--error`, `problems--warning` | The signs of what blocks and what warns. |
    | `problems--open` | What lies under the problem under the cursor. |
    | `problems--bar`, `problems--muted` | The bar beside it, its remedy. |
    """

    DEFAULT_CSS = """
    ProblemsPane {
        & > .problems--open { background: $surface; }
        & > .problems--bar { color: $primary; text-style: bold; }
        & > .problems--error { color: $error; text-style: bold; }
        & > .problems--warning { color: $warning; }
        & > .problems--muted { color: $text-muted; }
    }
    """

    class Chosen(Message):
        """Enter was pressed on ``problem``."""

        def __init__(self, pane: ProblemsPane, problem: Problem) -> None:
            super().__init__()
            self.pane = pane
            self.problem = problem

        @property
        def control(self) -> ProblemsPane:
            return self.pane

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._problems: Sequence[Problem] = ()
        self._width = 78

    @property
    def current(self) -> Problem | None:
        """The problem under the cursor."""
        return self._problems[self.row_cursor] if 0 <= self.row_cursor < len(self._problems) else None

    def show(self, problems: Sequence[Problem]) -> None:
        """Show these problems. While it has the focus the cursor stays with its problem, else near its place."""
        if problems is self._problems:
            return
        before, place = self.current, max(self.row_cursor, 0)
        has_grave = "error" in map(_SEVERITY, problems)
        self._problems = sorted(problems, key=lambda problem: not problem.blocks) if has_grave else problems
        if not self.has_focus:
            place = 0  # who comes here begins with the gravest
        elif before is not None and before in self._problems:
            place = self._problems.index(before)
        was_empty = before is None
        self.relist(min(place, len(self._problems) - 1))
        if not self._problems:
            self.refresh()
        if was_empty != (self.current is None):
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to go to where there is no problem."""
        return action != "jump" or self.current is not None

    def action_jump(self) -> None:
        """Go to what the problem is about."""
        if (problem := self.current) is not None:
            self.post_message(self.Chosen(self, problem))

    # -- how rows look

    def line_strip(self, y: int) -> Strip:
        if y == 0 and not self._problems:
            return self._strip([(" No problem stands against publishing.", "muted")])
        return super().line_strip(y)

    @property
    def row_count(self) -> int:
        return len(self._problems)

    def plan(self, width: int) -> None:
        self._width = width

    def closed_lines(self, index: int) -> Sequence[Line]:
        return [self._first(self._problems[index], " ")]

    def _first(self, problem: Problem, mark: str) -> Line:
        sign, style = (BLOCKS, "error") if problem.blocks else (WARNS, "warning")
        text = truncate(one_line(problem.message, 1000), max(self._width - 4, 1))
        return [(mark, "bar"), (f"{sign} ", style), (text, "text")]

    def open_lines(self, index: int) -> Sequence[Line]:
        problem = self._problems[index]
        mark = "▌" if self.has_focus else "▏"
        if not self.has_focus:
            return [self._first(problem, mark)]
        width = max(self._width - 4, 10)
        sign, style = (BLOCKS, "error") if problem.blocks else (WARNS, "warning")
        lines: list[Line] = []
        for place, part in enumerate(wrap(one_line(problem.message, 2000), width, limit=4)):
            lines.append([(mark, "bar"), (f"{' ' if place else sign} ", style), (part, "text")])
        if problem.remedy:
            for part in wrap(one_line(problem.remedy, 1000), width, limit=2):
                lines.append([(mark, "bar"), ("  ", "text"), (part, "muted")])
        return lines
