"""How the criteria and their answers look: lines of (text, style) pieces for a given width. Pure.

A criterion is one line where its name and levels fit, else the levels stand under the name. The one
under the cursor opens: what it asks, what each level means here, what is required, what was written.
Everything a colour says is also said in a word or a glyph: ``●`` chosen, ``✓`` answered, ``!`` lacks
something, ``⚑`` to return to, ``✎`` rationale, ``❝`` evidence (with ``?`` while a required one is missing).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len

from rubrictui.core.display import visible
from rubrictui.core.model import Answer, Evidence, EvidenceKind, RollupMethod, Scale, fold_id
from rubrictui.core.rounding import round6
from rubrictui.widgets.criteria_rows import EVIDENCE, RATIONALE, CriteriaRow, missing_parts
from rubrictui.widgets.level_keys import LevelKey
from rubrictui.widgets.text import Line, Piece, expand_tabs, one_line, truncate, wrap

CHOSEN, ANSWERED, LACKING, OPEN, FLAG = "●", "✓", "!", "·", "⚑"
PENCIL, QUOTE = "✎", "❝"

_LABEL_LIMIT = 24
_SHARED_NAME = 0.5
_PREVIEW_LINES = 3
_DESCRIPTION_LINES = 4
# The anchors decide how alike people score, so they are shown whole where the levels are few.
_ANCHOR_LINES = 12


@dataclass(frozen=True, slots=True)
class RowState:
    """What a row shows besides its criterion.

    ``typing`` is a number or the first digit of a level being typed, None when nothing is.
    ``note`` is the answer to the last key: why it was refused, or what to type next.
    """

    answer: Answer | None = None
    is_flagged: bool = False
    typing: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns stand, for all rows: in cells."""

    width: int
    number_width: int
    name_end: int
    """Where the names and their marks end."""
    chip_lines: dict[tuple[str, bool], int] = field(default_factory=dict, compare=False)
    """What ``chip_lines`` found, by scale and whether N/A is allowed."""

    @property
    def name_start(self) -> int:
        return 4 + self.number_width

    @property
    def text_width(self) -> int:
        return max(self.width - self.name_start - 1, 10)


def plan_layout(rows: Sequence[CriteriaRow], width: int) -> Layout:
    """Columns that suit all rows: names take what they need, up to half, levels the rest."""
    criteria = [row for row in rows if row.number]
    number_width = max(len(str(len(criteria))), 2)
    start = 4 + number_width
    longest = max(
        (_indent(row) + cell_len(_name(row, width)) + _marks_room(row) for row in criteria), default=0
    )
    half = start + int((width - start) * _SHARED_NAME)
    return Layout(width, number_width, max(min(start + longest + 1, half), min(start + 16, width)))


def _indent(row: CriteriaRow) -> int:
    return min(row.depth, 5) * 2


def _name(row: CriteriaRow, width: int) -> str:
    return one_line(row.node.name or row.node.key, width)


# -- marks behind a name


def _marks_room(row: CriteriaRow) -> int:
    """Cells the marks of a row take at most, so that names are cut the same whatever is answered."""
    node = row.node
    return (
        (5 if node.is_gate else 0)
        + (9 if node.is_advisory else 0)
        + 3 * (node.rationale_required + node.evidence_required)
    )


def _marks(row: CriteriaRow, answer: Answer | None) -> Line:
    node = row.node
    line: Line = []
    if node.is_gate:
        line.append((" gate", "mark"))
    if node.is_advisory:
        line.append((" advisory", "muted"))
    missing = missing_parts(node, answer)
    for glyph, part, required, given in (
        (PENCIL, RATIONALE, node.rationale_required, bool(answer and (answer.rationale or "").strip())),
        (QUOTE, EVIDENCE, node.evidence_required, bool(answer and answer.evidence)),
    ):
        if given:
            line.append((f" {glyph}", "muted"))
        elif required:
            line.append((f" {glyph}?", "warning" if part in missing else "muted"))
    return line


# -- levels


def level_chips(row: CriteriaRow, state: RowState) -> list[Line]:
    """The answers that can be given, each with its key: one chip a level, the typed number, not applicable."""
    answer = state.answer
    chips: list[Line] = []
    if row.is_numeric and row.scale is not None:
        chips.append(_number_chip(row.scale, state))
    else:
        chosen = fold_id(answer.scale_level_id) if answer is not None and not answer.is_not_applicable else ""
        chips.extend(_level_chip(key, fold_id(key.level.id) == chosen) for key in row.keys)
        if not row.keys:
            chips.append([(" no scale", "error")])
    if row.allows_not_applicable:
        chips.append(_chip("n", " N/A", answer is not None and answer.is_not_applicable))
    if state.typing is not None and not row.is_numeric:
        chips.append([(f" {state.typing}_", "typing")])
    return chips


def _level_chip(key: LevelKey, is_chosen: bool) -> Line:
    label = one_line(key.level.label, _LABEL_LIMIT)
    if key.is_own_label:
        digits, _, rest = label.partition(key.keys)
        return _chip(digits + key.keys, rest, is_chosen)
    return _chip(key.keys, f" {label}", is_chosen)


def _chip(key: str, label: str, is_chosen: bool) -> Line:
    if is_chosen:
        return [(f"{CHOSEN}{key}{label}", "chosen")]
    return [(" ", "level"), (key, "key"), (label, "level")]


def number_hint(scale: Scale) -> str:
    """What may be typed: ``0 to 100%, steps of 5``."""
    parts = [f"{format_number(scale.min_value)} to {format_number(scale.max_value)}{percent(scale)}"]
    if scale.step:
        parts.append(f"steps of {format_number(scale.step)}")
    return ", ".join(parts)


def percent(scale: Scale) -> str:
    return "%" if scale.is_percentage else ""


def format_number(value: float | None) -> str:
    """A number as a person types it: no needless zeros, at most ten digits."""
    return "?" if value is None else f"{value:.10g}"


def _number_chip(scale: Scale, state: RowState) -> Line:
    if state.typing is not None:
        return [(f" [{state.typing}_]{percent(scale)}", "typing")]
    answer = state.answer
    if answer is not None and answer.raw_value is not None and not answer.is_not_applicable:
        return [(f"{CHOSEN}{format_number(answer.raw_value)}{percent(scale)}", "chosen")]
    return [(" ", "level"), ("type", "key"), (f" {number_hint(scale)}", "level")]


def _chips_width(chips: Sequence[Line]) -> int:
    return sum(_line_width(chip) for chip in chips) + len(chips) - 1


def _line_width(line: Line) -> int:
    return sum(cell_len(text) for text, _ in line)


def fold_chips(chips: Sequence[Line], width: int) -> list[Line]:
    """Chips in rows of at most ``width`` cells, whole where they fit."""
    lines: list[Line] = [[]]
    used = 0
    for chip in chips:
        size = _line_width(chip)
        if lines[-1] and used + 1 + size > width:
            lines.append([])
            used = 0
        if lines[-1]:
            lines[-1].append((" ", "level"))
            used += 1
        lines[-1].extend(chip if size <= width else _cut(chip, width))
        used += size
    return lines


def _cut(line: Line, width: int) -> Line:
    cut: Line = []
    for text, style in line:
        if width <= 0:
            break
        kept = truncate(text, width)
        cut.append((kept, style))
        width -= cell_len(kept)
    return cut


def chip_lines(row: CriteriaRow, layout: Layout) -> int:
    """How many lines of their own the levels take; 0 when they stand beside the name."""
    # Criteria on the same scale take the same room, and a large rubric has few scales.
    key = (row.scale.id if row.scale is not None else "", row.allows_not_applicable)
    found = layout.chip_lines.get(key)
    if found is None:
        chips = level_chips(row, RowState())
        fits = _chips_width(chips) <= layout.width - layout.name_end
        found = 0 if fits else len(fold_chips(chips, layout.width - layout.name_start))
        layout.chip_lines[key] = found
    return found


# -- rows


def row_height(row: CriteriaRow, layout: Layout) -> int:
    """The lines of a row that is not under the cursor. It never depends on the answer."""
    return 1 + (chip_lines(row, layout) if row.number else 0)


def group_line(row: CriteriaRow, layout: Layout, share: float | None, answered: int) -> Line:
    """A group's line: name, share of its siblings, how it rolls up, how much is answered."""
    node = row.node
    facts = []
    if share is not None:
        facts.append(f"{share:.0%} of {'its group' if row.depth else 'the score'}")
    if node.rollup_method in (RollupMethod.MINIMUM, RollupMethod.MAXIMUM):
        facts.append("lowest counts" if node.rollup_method is RollupMethod.MINIMUM else "highest counts")
    if node.is_gate:
        facts.append("gate")
    if node.is_advisory:
        facts.append("advisory")
    right = f"{answered}/{len(row.leaves)} "
    indent = " " * (1 + min(row.depth, 4) * 2)
    room = layout.width - len(indent) - len(right) - 1
    name = one_line(node.name or node.key, room)
    room -= cell_len(name) + 2
    about = truncate(" · ".join(facts), room) if room > 5 else ""
    gap = layout.width - len(indent) - cell_len(name) - len(right) - (2 + cell_len(about) if about else 0)
    line: Line = [(indent + name, "group")]
    if about:
        line.append((f"  {about}", "muted"))
    return [*line, (" " * max(gap, 0) + right, "muted")]


def criterion_lines(
    row: CriteriaRow, layout: Layout, state: RowState, *, is_cursor: bool = False, has_focus: bool = True
) -> list[Line]:
    """A criterion's lines while closed: name, marks and levels.

    Keys stand out only under the cursor, where they act. That also keeps a line to a few pieces of style,
    which is most of what a page of the list sends over the line.
    """
    answer = state.answer
    bar: Piece = ("▌" if has_focus else "▏", "bar") if is_cursor else (" ", "muted")
    if answer is None or not answer.is_answered:
        status: Piece = (OPEN, "muted")
    elif missing_parts(row.node, answer):
        status = (LACKING, "warning")
    else:
        status = (ANSWERED, "success")
    flag: Piece = (FLAG, "warning") if state.is_flagged else (" ", "muted")
    number: Piece = (f"{row.number:>{layout.number_width}} ", "muted")
    indent = " " * _indent(row)
    marks = _marks(row, answer)
    chips = level_chips(row, state)
    if not is_cursor:
        chips = [[(text, "level" if style == "key" else style) for text, style in chip] for chip in chips]
    own_lines = chip_lines(row, layout)
    end = layout.width if own_lines else layout.name_end
    room = end - layout.name_start - len(indent) - _line_width(marks)
    name = one_line(row.node.name or row.node.key, max(room, 4))
    head: Line = [bar, status, flag, number, (indent + name, "name"), *marks]
    if own_lines:
        below = fold_chips(chips, layout.width - layout.name_start)
        if not is_cursor:
            # The height of a closed row must not change with its answer.
            below = [*below, *([] for _ in range(own_lines))][:own_lines]
        margin: Piece = (" " * (layout.name_start - 1), "level")
        return [_cut(head, layout.width), *([bar, margin, *line] for line in below)]
    gap = layout.name_end - layout.name_start - len(indent) - cell_len(name) - _line_width(marks)
    levels: Line = []
    for chip in chips:
        if levels:
            levels.append((" ", "level"))
        levels.extend(chip)
    return [_cut([*head, (" " * max(gap, 0), "level"), *levels], layout.width)]


def open_lines(
    row: CriteriaRow, layout: Layout, state: RowState, *, in_full: bool = False, has_focus: bool = True
) -> list[Line]:
    """A criterion's lines under the cursor: the closed ones and its detail.

    Args:
        row: a criterion.
        layout: the columns.
        state: its answer, and what is being typed.
        in_full: with guidance and everything in its whole length.
        has_focus: whether the list has the keys.
    """
    lines = criterion_lines(row, layout, state, is_cursor=True, has_focus=has_focus)
    bar: Piece = ("▌" if has_focus else "▏", "bar")
    margin: Piece = (" " * (layout.name_start - 1), "detail")
    detail = _detail(row, layout.text_width, state, in_full)
    return [*lines, *([bar, margin, *line] for line in detail)]


def _detail(row: CriteriaRow, width: int, state: RowState, in_full: bool) -> list[Line]:
    node, answer = row.node, state.answer
    lines: list[Line] = []
    if state.note:
        lines.extend([(text, "error")] for text in wrap(visible(state.note), width))
    if node.description:
        limit = None if in_full else _DESCRIPTION_LINES
        lines.extend([(text, "detail")] for text in _paragraph(node.description, width, limit))
    lines.extend(_anchor_lines(row, width, answer, in_full))
    if in_full:
        lines.extend(_guidance_lines(row, width))
    lines.extend(_joined(_rules(row, answer), width))
    if answer is not None and (answer.rationale or "").strip():
        text = _paragraph((answer.rationale or "").strip(), width - 2, None if in_full else _PREVIEW_LINES)
        lines.extend(
            [(PENCIL + " " if first else "  ", "mark"), (part, "detail")] for first, part in _first(text)
        )
    if answer is not None:
        shown = answer.evidence if in_full else answer.evidence[:_PREVIEW_LINES]
        for item in shown:
            text = evidence_lines(item, width - 2) if in_full else [evidence_line(item, width - 2)]
            lines.extend(
                [(QUOTE + " " if first else "  ", "mark"), (part, "detail")] for first, part in _first(text)
            )
        if len(answer.evidence) > len(shown):
            lines.append([(f"  and {len(answer.evidence) - len(shown)} more", "muted")])
    return lines


def _first(parts: Sequence[str]) -> list[tuple[bool, str]]:
    return [(index == 0, part) for index, part in enumerate(parts)]


def _paragraph(text: str, width: int, limit: int | None) -> list[str]:
    if limit is not None:
        text = text[: width * (limit + 1) * 4]
    return wrap(expand_tabs(visible(text)), width, limit=limit)


def _anchor_lines(row: CriteriaRow, width: int, answer: Answer | None, in_full: bool) -> list[Line]:
    """What each level means here: its anchor; in full, the level's own description where it has none."""
    texts = {fold_id(a.scale_level_id): a.descriptor for a in row.node.anchors if a.scale_level_id}
    chosen = fold_id(answer.scale_level_id) if answer is not None else ""
    key_width = max((cell_len(key.keys) for key in row.keys), default=0)
    lines: list[Line] = []
    for key in row.keys:
        text = texts.get(fold_id(key.level.id)) or (key.level.description if in_full else "") or ""
        if not text.strip():
            continue
        is_chosen = fold_id(key.level.id) == chosen
        mark = CHOSEN if is_chosen else " "
        room = width - key_width - 2
        parts = _paragraph(text, room, None if in_full else _ANCHOR_LINES // len(row.keys) or 1)
        for first, part in _first(parts):
            head = f"{mark}{key.keys:>{key_width}} " if first else " " * (key_width + 2)
            lines.append([(head, "key" if first else "detail"), (part, "muted")])
    for anchor in row.node.anchors if row.is_numeric else ():
        if anchor.anchor_value is not None and anchor.descriptor.strip():
            value = f"{format_number(anchor.anchor_value)}: "
            room = width - cell_len(value) - 1
            parts = (
                _paragraph(anchor.descriptor, room, None) if in_full else [one_line(anchor.descriptor, room)]
            )
            lines.extend(
                [(" " + value if first else " " * (cell_len(value) + 1), "key"), (part, "muted")]
                for first, part in _first(parts)
            )
    return lines


def _guidance_lines(row: CriteriaRow, width: int) -> list[Line]:
    if not (row.node.guidance or "").strip():
        return [[(truncate("No guidance is written here.", width), "muted")]]
    parts = _paragraph((row.node.guidance or "").strip(), width - 10, None)
    return [
        [("Guidance: " if first else " " * 10, "mark"), (part, "detail")] for first, part in _first(parts)
    ]


def gate_words(row: CriteriaRow) -> str:
    """What a gate asks for, in the answers of its scale: ``gate: Partial or better``."""
    minimum = row.node.gate_minimum_score or 0.0
    scale = row.scale
    if row.is_numeric and scale is not None and scale.min_value is not None and scale.max_value is not None:
        span = scale.max_value - scale.min_value
        bound = (
            scale.min_value + minimum * span if scale.higher_is_better else scale.max_value - minimum * span
        )
        side = "at least" if scale.higher_is_better else "at most"
        return f"gate: {side} {format_number(bound)}{percent(scale)}"
    good = [key.level for key in row.keys if round6(key.level.normalized_value) >= round6(minimum)]
    if not good:
        return "gate: no level reaches it"
    lowest = min(good, key=lambda level: level.normalized_value)
    if len(good) == len(row.keys):
        return "gate: it must be answered"
    is_best = all(level.normalized_value == lowest.normalized_value for level in good)
    return f"gate: {one_line(lowest.label, _LABEL_LIMIT)}{'' if is_best else ' or better'}"


def _joined(facts: Line, width: int) -> list[Line]:
    """Facts side by side with dots between, in as many lines as they take."""
    lines: list[Line] = []
    used = 0
    for text, style in facts:
        if lines and used + 3 + cell_len(text) <= width:
            lines[-1] += [(" · ", "muted"), (text, style)]
            used += 3 + cell_len(text)
        else:
            lines.append([(truncate(text, width), style)])
            used = cell_len(text)
    return lines


def _rules(row: CriteriaRow, answer: Answer | None) -> Line:
    """What is required here, in words, what is missing first in colour."""
    node = row.node
    missing = missing_parts(node, answer)
    facts: Line = []
    if node.is_gate:
        facts.append((gate_words(row), "mark"))
    for part, required in ((RATIONALE, node.rationale_required), (EVIDENCE, node.evidence_required)):
        if part in missing:
            facts.append((f"{part} missing", "warning"))
        elif required:
            facts.append((f"{part} required", "muted"))
    if not row.allows_not_applicable:
        facts.append(("N/A not allowed", "muted"))
    if node.is_advisory:
        facts.append(("advisory: not counted", "muted"))
    return facts


def evidence_line(item: Evidence, width: int) -> str:
    """One piece of evidence on one line: a quote in quotation marks, others with their kind."""
    if item.kind is EvidenceKind.QUOTE:
        where = f" ({one_line(item.source, 20)})" if item.source and item.source != "text" else ""
        return f"“{one_line(item.text, max(width - 2 - cell_len(where), 4))}”{where}"
    return one_line(_cited(item), width)


def evidence_lines(item: Evidence, width: int) -> list[str]:
    """One piece of evidence in its whole length."""
    if item.kind is EvidenceKind.QUOTE:
        where = f" ({item.source})" if item.source and item.source != "text" else ""
        return _paragraph(f"“{item.text}”{where}", width, None)
    return _paragraph(_cited(item), width, None)


def _cited(item: Evidence) -> str:
    text = item.text or item.source or ""
    if item.kind is EvidenceKind.FILE and item.source and item.text:
        text = f"{item.source}: {item.text}"
    return f"{item.kind.value}: {text}"
