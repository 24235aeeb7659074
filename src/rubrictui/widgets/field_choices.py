"""What can be chosen in the fields of a draft, and how a value is said in a few words. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rubrictui.core.model import (
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    VersionSnapshot,
    fold_id,
)
from rubrictui.widgets.field_model import NONE, Choice
from rubrictui.widgets.field_numbers import number_text
from rubrictui.widgets.text import counted

NEW_SCALE = "new scale"
"""The value of the choice that asks for a scale that does not exist yet."""
POLICIES: tuple[Choice, ...] = (
    Choice(
        NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE,
        "Leave it out",
        "its weight goes to what stands beside it",
    ),
    Choice(NotApplicablePolicy.COUNT_AS_ZERO, "Count as zero", "the criterion scores 0"),
    Choice(NotApplicablePolicy.FAIL_EVALUATION, "Fail the evaluation", "one N/A fails all of it"),
    Choice(NotApplicablePolicy.NOT_ALLOWED, "Not allowed", "N/A cannot be answered"),
)
ROLLUPS: tuple[Choice, ...] = (
    Choice(RollupMethod.WEIGHTED_MEAN, "Weighted mean", "every child counts by its weight"),
    Choice(RollupMethod.MINIMUM, "Lowest", "the group is as good as its worst child"),
    Choice(RollupMethod.MAXIMUM, "Highest", "the group is as good as its best child"),
)
TYPES: tuple[Choice, ...] = (
    Choice(NodeType.CRITERION, "Criterion", "it is answered on a scale"),
    Choice(NodeType.GROUP, "Group", "it holds criteria and other groups"),
)


def policy_label(policy: NotApplicablePolicy) -> str:
    """A policy in a word or two."""
    return next(choice.label for choice in POLICIES if choice.value is policy)


def scale_name(scale: Scale) -> str:
    return scale.name or scale.scale_type.value


def scale_words(scale: Scale) -> str:
    """A scale in a few words: how many levels from what to what, or its range."""
    if scale.scale_type is ScaleType.NUMERIC:
        step = f", steps of {number_text(scale.step)}" if scale.step else ""
        better = "" if scale.higher_is_better else ", lower is better"
        return f"{number_text(scale.min_value) or '?'} to {number_text(scale.max_value) or '?'}{step}{better}"
    if not scale.levels:
        return "no levels"
    first, last = scale.levels[0].label, scale.levels[-1].label
    return counted(len(scale.levels), "level") + f", {first} to {last}"


def scale_choice(scale: Scale, is_frozen: bool) -> Choice:
    """A scale to choose, with its levels as preview."""
    about = ("published · " if is_frozen else "") + scale_words(scale)
    preview = tuple(
        f"{level.label} ({level.normalized_value:.3g})"
        + (f"  {level.description.strip()}" if level.description and level.description.strip() else "")
        for level in scale.levels
    )
    return Choice(scale, scale_name(scale), about, preview)


def scale_choices(
    version: VersionSnapshot, scales: Sequence[Scale], frozen_scales: Collection[str]
) -> tuple[Choice, ...]:
    """The scales of the draft, then the others by name, then a new one."""
    known = {fold_id(each.id) for each in version.scales}
    others = sorted(
        (each for each in scales if fold_id(each.id) not in known),
        key=lambda each: scale_name(each).casefold(),
    )
    shown = [scale_choice(each, fold_id(each.id) in frozen_scales) for each in (*version.scales, *others)]
    return (*shown, Choice(NEW_SCALE, "New scale…", "make one that is not in this list"))


def config_words(config: Mapping[str, Any] | None) -> str:
    """The settings in a line: the rule where there is one, else the names of the settings."""
    if not config:
        return NONE
    rule = config.get("Deterministic", config.get("deterministic"))
    if isinstance(rule, Mapping):
        path, operator = (str(rule.get(key, rule.get(key.lower(), ""))) for key in ("Path", "Operator"))
        values = rule.get("Values", rule.get("values")) or ()
        shown = ", ".join(map(str, values)) if isinstance(values, (list, tuple)) else str(values)
        return " ".join(part for part in ("rule:", path, operator, shown) if part)
    return ", ".join(map(str, config))
