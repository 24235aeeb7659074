"""How fields look: lines of (text, style) pieces for a given width. Pure.

A field is one line of label and value, and a second one that says what is wrong with it. The field under
the cursor opens: its whole value or its editor, every problem with its remedy, and a line of help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from rubrictui.core.display import visible
from rubrictui.core.problems import Problem
from rubrictui.widgets.field_model import Field, FieldKind
from rubrictui.widgets.text import Line, expand_tabs, one_line, pad, truncate, wrap

ERROR, WARNING = "✗", "▵"
BAR, BAR_BLURRED = "▌", "▏"

_VALUE_LINES = 6
_PROBLEM_LINES = 4
_LABEL_SHARE = 0.25
_LEAST_LABEL = 16
_GUTTER = 3
"""The bar, the mark and a blank."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the values begin, for all rows: in cells."""

    width: int
    label_width: int

    @property
    def value_start(self) -> int:
        return _GUTTER + self.label_width

    @property
    def value_width(self) -> int:
        return max(self.width - self.value_start - 1, 8)

    @property
    def text_width(self) -> int:
        return max(self.width - _GUTTER - 1, 8)


@dataclass(frozen=True, slots=True)
class OpenState:
    """What the row under the cursor shows besides its field.

    ``editor_lines`` are kept free for an editor: None without one, 0 for one in the place of the value.
    ``told`` is said below, each line with its tone: what is wrong with what was typed, what a trial gave.
    """

    has_focus: bool = False
    editor_lines: int | None = None
    told: tuple[tuple[str, str], ...] = ()
    keys: str = ""


def plan_layout(rows: Sequence[Field], width: int) -> Layout:
    """Labels take what they need, up to a quarter of the width."""
    longest = max(
        (
            row.indent * 2 + cell_len(one_line(row.label, width)) + cell_len(row.tail)
            for row in rows
            if row.is_stop
        ),
        default=0,
    )
    return Layout(width, max(min(longest + 1, int(width * _LABEL_SHARE)), min(_LEAST_LABEL, width // 3)))


def mark_of(problems: Sequence[Problem]) -> tuple[str, str]:
    """A glyph for the gravest problem and its style."""
    if any(problem.blocks for problem in problems):
        return ERROR, "error"
    return (WARNING, "warning") if problems else (" ", "text")


def closed_height(field: Field, layout: Layout) -> int:
    """The lines of a field that is not under the cursor."""
    return len(closed_lines(field, layout)) if field.problems else 1


def closed_lines(field: Field, layout: Layout) -> list[Line]:
    """A field that is not under the cursor."""
    if field.kind is FieldKind.HEADING:
        return _heading_lines(field, layout)
    mark, tone = mark_of(field.problems)
    lines: list[Line] = [
        [
            (" ", "text"),
            (mark, tone),
            (f" {_label(field, layout)}", "label"),
            (one_line(field.shown, layout.value_width), _tone(field)),
        ]
    ]
    if field.problems:
        first = next((p for p in field.problems if p.blocks), field.problems[0])
        more = f"  (+{len(field.problems) - 1})" if len(field.problems) > 1 else ""
        shown = wrap(one_line(first.message) + more, layout.value_width, limit=_PROBLEM_LINES)
        tone = "error" if first.blocks else "warning"
        lines += [[(" " * layout.value_start, "text"), (line, tone)] for line in shown]
    return lines


def _heading_lines(field: Field, layout: Layout) -> list[Line]:
    lines: list[Line] = [[(" " + one_line(field.label, layout.width - 2), "heading")]]
    for problem in field.problems:
        mark, tone = mark_of((problem,))
        text = one_line(f"{problem.message} {problem.remedy}")
        shown = wrap(text, layout.text_width, limit=_PROBLEM_LINES)
        lines += [
            [(f" {mark} " if not place else "   ", tone), (line, tone)] for place, line in enumerate(shown)
        ]
    return lines


def open_lines(field: Field, layout: Layout, state: OpenState, extra: Sequence[Line] = ()) -> list[Line]:
    """The field under the cursor.

    Args:
        extra: lines between the value and the help, as wide as the text: the ruler of bands.
    """
    bar = (BAR if state.has_focus else BAR_BLURRED, "bar")
    mark, tone = mark_of(field.problems)
    start = [bar, (mark, tone), (f" {_label(field, layout)}", "name")]
    if state.editor_lines is None:
        values = _value_lines(field, layout)
    elif state.editor_lines:
        values = [truncate(state.keys, layout.value_width)]
    else:
        values = [""]
    value_tone = _tone(field) if state.editor_lines is None else "muted"
    lines: list[Line] = [[*start, (values[0], value_tone)]]
    lines += [[bar, (" " * (layout.value_start - 1), "text"), (line, value_tone)] for line in values[1:]]
    lines += [[bar] for _ in range(state.editor_lines or 0)]
    lines += [[bar, ("  ", "text"), *line] for line in extra]
    # Beneath an editor there is little room, and what is wrong with it changes at every key.
    limit = 2 if state.editor_lines else 4
    told = [*_problem_texts(field), *state.told]
    if field.frozen:
        told.append((field.frozen, "warning"))
    hint = field.help
    if state.editor_lines == 0 and state.keys:
        hint = f"{hint} {state.keys}"
    told.append((hint, "muted"))
    for text, style in told:
        shown = wrap(expand_tabs(visible(text)), layout.text_width, limit=limit)
        lines += [[bar, ("  ", "text"), (line, style)] for line in shown]
    return lines


def _problem_texts(field: Field) -> list[tuple[str, str]]:
    return [
        (f"{mark_of((p,))[0]} {p.message} {p.remedy}".rstrip(), "error" if p.blocks else "warning")
        for p in field.problems
    ]


def _label(field: Field, layout: Layout) -> str:
    room = max(layout.label_width - 1 - 2 * field.indent - cell_len(field.tail), 4)
    text = "  " * field.indent + one_line(field.label, room) + field.tail
    return pad(text, layout.label_width - 1) + " "


def _tone(field: Field) -> str:
    return "muted" if field.is_unset else "value"


def _value_lines(field: Field, layout: Layout) -> list[str]:
    if field.kind in (FieldKind.TEXT, FieldKind.YAML, FieldKind.FIXED):
        text = expand_tabs(visible(field.shown[: _VALUE_LINES * layout.width * 4]))
        return wrap(text, layout.value_width, limit=_VALUE_LINES) or [""]
    return wrap(one_line(field.shown, layout.value_width * 3), layout.value_width, limit=3) or [""]
