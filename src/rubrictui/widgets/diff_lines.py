"""What changed about one thing as lines: before on the left, after on the right, changed words marked. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from rubrictui.core.change_view import ChangeGroup, ChangeRow
from rubrictui.core.model import Bump
from rubrictui.core.text_diff import Part, word_diff
from rubrictui.widgets.detail_pane import folded
from rubrictui.widgets.text import Line, one_line, pad

BUMP_TONES = {Bump.MAJOR: "error", Bump.MINOR: "warning", Bump.PATCH: "success"}
#: What stands in front of a change, beside its colour.
BUMP_LETTERS = {Bump.MAJOR: "M", Bump.MINOR: "m", Bump.PATCH: "p"}

#: Cells for what changed, and the least that a side needs to stand beside the other.
LABEL_WIDTH = 18
_SIDE_MINIMUM = 20

#: Beyond so many lines a side is cut: a text of a thousand lines is for ``rubrictui diff``.
LINES_SHOWN = 60

_NOTHING: Line = [("—", "muted")]


def group_lines(group: ChangeGroup, width: int) -> list[Line]:
    """A heading with the path, the key and the bump, then a line or more for each change."""
    lines: list[Line] = [group_heading(group, width)]
    if group.also:
        lines += [[("   ", "text"), *pieces] for pieces in _fold([(group.also, "muted")], width - 4)]
    for row in group.rows:
        lines += _row_lines(row, width)
    lines.append([("", "text")])
    return lines


def group_heading(group: ChangeGroup, width: int) -> Line:
    """The path to the thing, its key, and the highest bump of its changes."""
    bump = str(group.bump)
    key = one_line(group.subject, 24) if group.kind == "node" else ""
    room = width - len(bump) - cell_len(key) - 5
    # The end of a path says more than its beginning.
    path = one_line(" / ".join(group.path))
    if cell_len(path) > room and len(group.path) > 1:
        path = one_line(f"… / {group.title}")
    return [
        (pad(" " + path, room + 1), "title"),
        (f" {key} ", "muted"),
        (f" {bump} ", BUMP_TONES[group.bump]),
    ]


def _row_lines(row: ChangeRow, width: int) -> list[Line]:
    moved = row.what == "Moved"
    label = ("⇅ " if moved else "  ") + row.what
    before, after = _sides(row)
    side = (width - LABEL_WIDTH - 4) // 2
    if side < _SIDE_MINIMUM:
        return _stacked(label, before, after, width)
    left, right = _fold(before, side), _fold(after, side)
    heads = _fold([(label, "label")], LABEL_WIDTH - 1)
    tone = BUMP_TONES[row.bump]
    lines: list[Line] = []
    for place in range(max(len(left), len(right), len(heads))):
        mark = [(BUMP_LETTERS[row.bump] if place == 0 else " ", tone)]
        lines.append(
            [
                *mark,
                *_filled(heads[place] if place < len(heads) else [], LABEL_WIDTH - 1),
                ("│ ", "frame"),
                *_filled(left[place] if place < len(left) else [], side),
                ("│ ", "frame"),
                *(right[place] if place < len(right) else []),
            ]
        )
    return lines


def _stacked(label: str, before: Line, after: Line, width: int) -> list[Line]:
    """Before above after, where there is no room for both on a line."""
    lines: list[Line] = [[(label, "label")]]
    for sign, side in (("- ", before), ("+ ", after)):
        lines += [
            [("    ", "text"), (sign if place == 0 else "  ", "muted"), *pieces]
            for place, pieces in enumerate(_fold(side, width - 7))
        ]
    return lines


def _sides(row: ChangeRow) -> tuple[Line, Line]:
    """Both texts as pieces: words of only one side are marked, unless all of them are."""
    if row.before is None or row.after is None:
        return (
            _NOTHING if row.before is None else [(row.before, "text")],
            _NOTHING if row.after is None else [(row.after, "text")],
        )
    parts = word_diff(row.before, row.after)
    styles = {Part.SAME: "text", Part.REMOVED: "removed", Part.ADDED: "added"}
    if not any(part is Part.SAME and text.strip() for part, text in parts):
        return [(row.before, "text")], [(row.after, "text")]
    return (
        [(text, styles[part]) for part, text in parts if part is not Part.ADDED] or _NOTHING,
        [(text, styles[part]) for part, text in parts if part is not Part.REMOVED] or _NOTHING,
    )


def _fold(line: Line, width: int) -> list[Line]:
    rows: list[Line] = []
    for pieces in folded(line, max(width, 4)):
        if len(rows) == LINES_SHOWN:
            rows[-1] = [("… rubrictui diff shows all of it", "muted")]
            break
        rows.append(list(pieces))
    return rows


def _filled(pieces: Sequence[tuple[str, str]], width: int) -> Line:
    used = sum(cell_len(text) for text, _ in pieces)
    return [*pieces, (" " * max(width - used, 0), "text")]
