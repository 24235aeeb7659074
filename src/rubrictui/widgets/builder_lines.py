"""How the rows of the builder's tree look: a node on one line, the one under the cursor with what it needs. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from rubrictui.core.explain import number
from rubrictui.core.model import Node, NodeType, RollupMethod, ScaleType, VersionSnapshot, fold_id
from rubrictui.core.problems import Problem
from rubrictui.widgets.builder_rows import ROOT, Sample, Shape, picks_one
from rubrictui.widgets.criteria_lines import RowState, fold_chips, format_number, level_chips, percent
from rubrictui.widgets.criteria_rows import CriteriaRow
from rubrictui.widgets.level_keys import level_keys
from rubrictui.widgets.result_lines import points, shown_score
from rubrictui.widgets.rubric_tree import CLOSED, LEAF, OPEN, POLICY_WORDS
from rubrictui.widgets.text import Line, counted, one_line, pad, truncate, wrap

BLOCKS, WARNS = "✗", "▵"
"""What stands before a node with a problem that blocks publishing, and before one with a warning only."""

_ROLLUPS = {RollupMethod.MINIMUM: "lowest", RollupMethod.MAXIMUM: "highest"}
_CHIP_LINES = 3


@dataclass(frozen=True, slots=True)
class TreeColumns:
    """Cells of each column; 0 leaves one out. Every column but the name has a blank before it."""

    width: int
    name: int
    scale: int
    weight: int
    share: int
    rules: int
    answer: int
    score: int


def plan_tree(width: int) -> TreeColumns:
    """Columns for lines of ``width`` cells. Narrow places leave out the scale, then the rules, then the sample."""
    fixed = {"scale": 10, "weight": 6, "share": 5, "rules": 9, "answer": 9, "score": 5}
    for dropped in ("", "scale", "rules", "answer"):
        if dropped:
            fixed[dropped] = 0
        name = width - 2 - sum(cells + 1 for cells in fixed.values() if cells)
        if name >= 21:
            break
    spare = max(name - 40, 0)
    if fixed["scale"] and spare:  # on a wide terminal the texts that are cut get some of the room
        for column, most in (("answer", 8), ("scale", 9), ("rules", 8)):
            given = min(spare // 2, most)
            fixed[column] += given
            name -= given
            spare -= given
    return TreeColumns(width=width, name=max(name, 8), **fixed)


def heading(columns: TreeColumns) -> Line:
    """The titles of the columns."""
    titles = ("Criterion", "Scale", "Weight", "Share", "Rules", "Sample", "Score")
    right = (False, False, True, True, False, False, True)
    widths = (
        columns.name,
        columns.scale,
        columns.weight,
        columns.share,
        columns.rules,
        columns.answer,
        columns.score,
    )
    text = "  "
    for place, (title, cells, is_right) in enumerate(zip(titles, widths, right, strict=True)):
        if not cells:
            continue
        if place:
            text += " "
        cut = truncate(title, cells)
        text += f"{cut:>{cells}}" if is_right else pad(cut, cells)
    return [(text, "heading")]


@dataclass(frozen=True, slots=True)
class RowView:
    """What one row is drawn from. ``own`` is its folded id, ``note`` the answer to the last key."""

    shape: Shape
    own: str
    columns: TreeColumns
    sample: Sample
    problems: Sequence[Problem]
    is_folded: bool = False
    typing: str | None = None
    note: str = ""


def row_says(view: RowView) -> tuple[object, ...] | None:
    """All that ``row_line`` reads for the row of a node: while it is equal, so is the line. None for other rows."""
    shape = view.shape
    place = shape.place.get(view.own)
    if place is None:
        return None
    node = shape.version.nodes[place]
    scored = view.sample.scores.get(node.id)
    return (
        node,
        shape.scale(node),
        view.sample.answers.get(view.own),
        view.typing,
        tuple(view.problems),
        None if scored is None else (scored.normalized_score, scored.gate_failed),
        shape.share(node),
        shape.depths[place],
        view.is_folded,
        view.columns,
        shape.version.score_display_min,
        shape.version.score_display_max,
    )


def row_line(view: RowView, *, mark: str = " ") -> Line:
    """A row on one line."""
    if view.own == ROOT:
        return _version_line(view, mark)
    node = view.shape.node(view.own)
    if node is None:
        return [(mark, "bar")]
    columns, sample = view.columns, view.sample
    is_group = not node.is_criterion
    scored = sample.scores.get(node.id)
    glyph, tone = problem_glyph(view.problems)
    indent = _indent(view)
    sign = LEAF if not is_group else CLOSED if view.is_folded else OPEN
    title = one_line(node.name, columns.name) or f"({one_line(node.key, columns.name)})"
    name = truncate(sign + title, columns.name - indent)
    style = "muted" if node.is_advisory else "group" if is_group else "name"
    line: Line = [(mark, "bar"), (glyph, tone), (" " * indent, "text"), (name, style)]
    rest = columns.name - indent - cell_len(name)
    key = one_line(node.key, 60)
    # The key where there is room for it; the row under the cursor always says it.
    if rest >= cell_len(key) + 2 and not is_group and columns.name >= 38:
        line.append((f"  {key}" + " " * (rest - cell_len(key) - 2), "muted"))
    else:
        line.append((" " * rest, "text"))
    if columns.scale:
        line.append(
            (
                " " + pad(_answered_on(view.shape, node), columns.scale),
                "muted" if node.scale_id or is_group else "error",
            )
        )
    line.append((f" {number(node.weight):>{columns.weight}}"[: columns.weight + 1], "text"))
    share = view.shape.share(node)
    line.append((f" {'' if share is None else f'{share:.0%}':>{columns.share}}", "muted"))
    if columns.rules:
        failed = scored is not None and scored.gate_failed
        line.append((" " + pad(rules(node, failed=failed), columns.rules), "error" if failed else "mark"))
    if columns.answer:
        text, answer_style = answer_words(view, node)
        line.append((" " + pad(text, columns.answer), answer_style))
    score = scored.normalized_score if scored is not None else None
    shown = "" if score is None else shown_score(view.shape.version, score)
    line.append((f" {shown:>{columns.score}}", "text"))
    return line


def _indent(view: RowView) -> int:
    depth = view.shape.depths[view.shape.place[view.own]] + 1
    return 2 * min(depth, max((view.columns.name - 14) // 2, 1))


def is_name_cut(view: RowView, node: Node) -> bool:
    """Whether the line of a row has no room for the whole name."""
    return cell_len(one_line(node.name, 400)) > view.columns.name - _indent(view) - len(LEAF)


def _version_line(view: RowView, mark: str) -> Line:
    columns, version = view.columns, view.shape.version
    glyph, tone = problem_glyph(view.problems)
    shown = shown_score(version, view.sample.score) if view.sample.score is not None else ""
    criteria = counted(view.shape.criteria, "criterion", "criteria")
    room = columns.width - 3 - columns.score
    name = one_line(f"{version.rubric_name} · {version.number or 'draft'}", room)
    about = truncate(f"  {criteria}", room - cell_len(name))
    rest = room - cell_len(name) - cell_len(about)
    return [
        (mark, "bar"),
        (glyph, tone),
        (name, "strong"),
        (about + " " * rest, "muted"),
        (f" {shown:>{columns.score}}", "strong"),
    ]


def problem_glyph(problems: Sequence[Problem]) -> tuple[str, str]:
    """The glyph before a row and its style: the gravest of its problems."""
    if any(problem.blocks for problem in problems):
        return BLOCKS, "error"
    return (WARNS, "warning") if problems else (" ", "text")


def _answered_on(shape: Shape, node: Node) -> str:
    if not node.is_criterion:
        return _ROLLUPS.get(node.rollup_method, "mean") if node.rollup_method else "mean"
    scale = shape.scale(node)
    if scale is None:
        return "no scale"
    return one_line(scale.name or scale.scale_type.value, 40)


def rules(node: Node, *, failed: bool = False) -> str:
    """The gate and the advisory mark of a node in a word or two."""
    words = []
    if node.is_gate:
        minimum = "?" if node.gate_minimum_score is None else number(node.gate_minimum_score)
        words.append(f"gate{'✗' if failed else ' '}{minimum}")
    if node.is_advisory:
        words.append("adv." if words else "advisory")
    return " ".join(words)


def answer_words(view: RowView, node: Node) -> tuple[str, str]:
    """The sample answer of a criterion, and the style it is drawn in."""
    if not node.is_criterion:
        return "", "text"
    if view.typing is not None:
        return f"{view.typing}_", "typing"
    answer = view.sample.answers.get(view.own)
    if answer is None or not answer.is_answered:
        return "·", "muted"
    if answer.is_not_applicable:
        return "N/A", "chosen"
    scale = view.shape.scale(node)
    if scale is None:
        return "?", "muted"
    if scale.scale_type is ScaleType.NUMERIC:
        return format_number(answer.raw_value) + percent(scale), "chosen"
    wanted = fold_id(answer.scale_level_id)
    return next((one_line(x.label, 40) for x in scale.levels if fold_id(x.id) == wanted), "?"), "chosen"


# -- the row under the cursor


def open_row(view: RowView, *, has_focus: bool) -> list[Line]:
    """The row under the cursor: its line, the answers it can be given, what it is worth, what is wrong with it."""
    mark = "▌" if has_focus else "▏"
    lines = [row_line(view, mark=mark)]
    node = view.shape.node(view.own)
    width = view.columns.width - 6
    details: list[Line] = []
    if node is not None and node.is_criterion:
        chips = level_chips(
            _criteria_row(view.shape, node), RowState(view.sample.answers.get(view.own), typing=view.typing)
        )
        details += fold_chips(chips, width)[:_CHIP_LINES]
    if node is not None and is_name_cut(view, node):
        details = [[(part, "strong")] for part in wrap(one_line(node.name), width, limit=2)] + details
    if view.note:
        details.append([(truncate(one_line(view.note), width), "warning")])
    facts = node_facts(view, node) if node is not None else version_facts(view.shape.version)
    details += [[(text, "muted")] for text in wrap(facts, width, limit=2)]
    for problem in sorted(view.problems, key=lambda problem: not problem.blocks)[:2]:
        text = one_line(f"{problem.message} {problem.remedy}".strip(), 400)
        glyph, style = (BLOCKS, "error") if problem.blocks else (WARNS, "warning")
        details += [
            [(f"{' ' if later else glyph} {part}", style)]
            for later, part in enumerate(wrap(text, width - 2, limit=2))
        ]
    return lines + [[(mark, "bar"), ("    ", "text"), *line] for line in details]


def _criteria_row(shape: Shape, node: Node) -> CriteriaRow:
    scale = shape.scale(node)
    policy = node.not_applicable_policy or shape.version.not_applicable_policy
    keys = level_keys(scale.levels) if scale is not None else ()
    return CriteriaRow(node, 0, 1, scale, keys, policy, (fold_id(node.id),))


def node_facts(view: RowView, node: Node) -> str:
    """The key of a node, what it is worth, and the rules that its line has no room for."""
    shape = view.shape
    parts = [one_line(node.key, 100)]
    if node.node_type is NodeType.GROUP:
        parts.append(
            f"{_answered_on(shape, node)} of {counted(len(shape.children.get(view.own, ())), 'child', 'children')}"
        )
        if view.is_folded:
            parts.append(f"{shape.below(view.own)} folded away")
    elif not view.columns.scale:
        parts.append(_answered_on(shape, node))
    if node.is_gate and not view.columns.rules:
        parts.append(rules(node))
    whole = shape.share_of_all(node)
    if whole is not None:
        parts.append(f"{whole:.1%} of the whole")
    elif not node.is_advisory and any(
        picks_one(g) for own in shape.above(view.own) if (g := shape.node(own))
    ):
        parts.append("in a group where one counts")
    scored = view.sample.scores.get(node.id)
    if scored is not None and scored.overall_contribution is not None:
        parts.append(f"gives {points(shape.version, scored.overall_contribution)} points")
    if node.not_applicable_policy is not None:
        parts.append(POLICY_WORDS[node.not_applicable_policy])
    if node.evidence_required:
        parts.append("evidence")
    if node.rationale_required:
        parts.append("rationale")
    if node.evaluator_config:
        parts.append("evaluator settings")
    return " · ".join(parts)


def version_facts(version: VersionSnapshot) -> str:
    """The rules of the whole version on a line."""
    parts = []
    if version.pass_threshold is not None:
        parts.append(f"passes at {number(version.pass_threshold)}")
    else:
        parts.append("no pass threshold")
    if version.minimum_completeness is not None:
        parts.append(f"{version.minimum_completeness:.0%} must be answered")
    parts.append(POLICY_WORDS[version.not_applicable_policy])
    parts.append(f"shown from {number(version.score_display_min)} to {number(version.score_display_max)}")
    parts.append(counted(len(version.bands), "band") if version.bands else "no bands")
    facts = " · ".join(parts)
    return facts if version.nodes else f"{facts}\na adds the first criterion, g the first group."
