"""Scales as rows and in words: what they are, where they are used, what about them may still change. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rubrictui.core.authoring_records import ScaleUse
from rubrictui.core.model import Level, Scale, ScaleType
from rubrictui.core.scale_edits import even_scores, is_even
from rubrictui.widgets.detail_pane import Line
from rubrictui.widgets.rows_list import Row
from rubrictui.widgets.text import counted

#: Rows of the editor that are no level: what a scale says as a whole. Levels have their id behind ``LEVEL``.
NAME, ABOUT, KIND, LOW, HIGH, STEP, BETTER = "name", "about", "kind", "low", "high", "step", "better"
LEVEL = "level/"


def kind_words(scale: Scale) -> str:
    """``3 levels``, ``percentage, steps of 1``, ``1 to 7, steps of 0.5, lower is better``."""
    if scale.scale_type is ScaleType.LEVELS:
        return counted(len(scale.levels), "level")
    text = f"{_number(scale.min_value)} to {_number(scale.max_value)}"
    if scale.is_percentage:
        text = "percentage" if (scale.min_value, scale.max_value) == (0, 100) else f"percentage, {text}"
    if scale.step:
        text += f", steps of {_number(scale.step)}"
    return text if scale.higher_is_better else f"{text}, lower is better"


def use_words(uses: Sequence[ScaleUse]) -> str:
    """``2 rubrics``, ``not used``."""
    rubrics = {use.rubric_id for use in uses}
    return counted(len(rubrics), "rubric") if rubrics else "not used"


def frozen_by(uses: Sequence[ScaleUse]) -> ScaleUse | None:
    """The first published or retired version that freezes a scale; None when nothing does."""
    return next((use for use in uses if use.is_frozen), None)


def frozen_words(uses: Sequence[ScaleUse]) -> str:
    """By which version a scale is frozen, and what can be done; "" when it is not."""
    use = frozen_by(uses)
    if use is None:
        return ""
    others = sum(each.is_frozen for each in uses) - 1
    more = f" and {counted(others, 'other version')}" if others else ""
    return (
        f"Frozen by {use.rubric_name} {use.version_number}{more}: only the descriptions of its levels may change. "
        "D makes a copy that is free."
    )


def scale_rows(scales: Sequence[Scale], uses: Mapping[str, Sequence[ScaleUse]]) -> list[Row]:
    """The scales of a store as rows, by name."""
    rows = []
    for scale in sorted(scales, key=lambda scale: (scale.name or "").casefold()):
        held = uses.get(scale.id, ())
        frozen = frozen_by(held) is not None
        rows.append(
            Row(
                id=scale.id,
                cells=(
                    scale.name or "(no name)",
                    kind_words(scale),
                    use_words(held),
                    "frozen" if frozen else "free",
                ),
                tones=("", "", "" if held else "muted", "muted" if frozen else "success"),
                search=" ".join([scale.description or "", *(level.label for level in scale.levels)]),
            )
        )
    return rows


def scale_lines(scale: Scale, uses: Sequence[ScaleUse]) -> list[Line]:
    """A scale in full: its levels with what they score, or its range; then where it is used."""
    lines: list[Line] = [((scale.name or "(no name)", "heading"), (f"  {kind_words(scale)}", "muted"))]
    if scale.description:
        lines.append(((scale.description, ""),))
    lines.extend(_level_line(place, level) for place, level in enumerate(scale.levels, 1))
    if scale.scale_type is ScaleType.NUMERIC:
        best = scale.max_value if scale.higher_is_better else scale.min_value
        lines.append((("Scores 1 at  ", "label"), (_number(best), "")))
    lines.append(())
    if words := frozen_words(uses):
        lines.append(((words, "warning"),))
    if not uses:
        lines.append((("No criterion of any version uses it.", "muted"),))
    for use in uses:
        what = f"{use.version_number or 'draft'} · {use.status.value}"
        lines.append(
            (
                (f"{use.rubric_name} ", "label"),
                (
                    f"{what}, {counted(use.criteria_count, 'criterion', 'criteria')}",
                    "muted" if use.is_frozen else "",
                ),
            )
        )
    return lines


def _level_line(place: int, level: Level) -> Line:
    value = f", value {_number(level.value)}" if level.value is not None else ""
    about = f"  {level.description}" if level.description else ""
    return (
        (f"{place:>3}  {level.label} ", "label"),
        (f"scores {_number(level.normalized_value)}{value}", "muted"),
        (about, ""),
    )


def editor_rows(scale: Scale) -> list[Row]:
    """A scale as rows to edit: what it says as a whole, then its levels, worst first."""
    numeric = scale.scale_type is ScaleType.NUMERIC
    whole: list[tuple[str, str, str]] = [
        (NAME, "Name", scale.name or ""),
        (ABOUT, "Description", scale.description or ""),
        (KIND, "Kind", f"{scale.scale_type.value}{', a percentage' if scale.is_percentage else ''}"),
    ]
    if numeric:
        whole += [
            (LOW, "Minimum", _number(scale.min_value)),
            (HIGH, "Maximum", _number(scale.max_value)),
            (STEP, "Step", _number(scale.step) if scale.step else "any number"),
            (BETTER, "Better is", "higher" if scale.higher_is_better else "lower"),
        ]
    rows = [Row(id=own, cells=("", label, "", "", text), section="The scale") for own, label, text in whole]
    proposed = even_scores(len(scale.levels))
    even = is_even(scale)
    for place, level in enumerate(scale.levels):
        by_hand = not even and level.normalized_value != proposed[place]
        rows.append(
            Row(
                id=f"{LEVEL}{level.id}",
                cells=(
                    str(place + 1),
                    level.label,
                    "" if level.value is None else _number(level.value),
                    _number(level.normalized_value),
                    level.description or "",
                ),
                section=levels_title(scale),
                tones=("muted", "", "", "strong" if by_hand else ""),
            )
        )
    return rows


def levels_title(scale: Scale) -> str:
    """How many levels, and how their scores are given."""
    spread = "scores spread evenly" if is_even(scale) else "scores set by hand: = spreads them evenly"
    return f"{counted(len(scale.levels), 'level')}, worst first · {spread}"


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.10g}"
