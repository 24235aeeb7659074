"""What is wrong with an answer scale that a criterion is to be answered on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rubrictui.core.model import Level, Scale, ScaleType, fold_id
from rubrictui.core.problems import is_share, repeated


def scale_problems(scale: Scale) -> Iterator[tuple[str, str, str]]:
    """The errors of one scale, each as code, message and remedy."""
    title = f"the scale {scale.name or scale.id!r}"
    if scale.scale_type is ScaleType.NUMERIC:
        low, high, step = scale.min_value, scale.max_value, scale.step
        if low is None or high is None:
            yield "scale_range", f"A minimum or a maximum is missing on {title}.", "Set both."
        elif not (math.isfinite(low) and math.isfinite(high) and low < high):
            yield (
                "scale_range",
                f"On {title} the maximum {high:g} is not above the minimum {low:g}.",
                "Correct them.",
            )
        if step is not None and not (math.isfinite(step) and step > 0):
            yield "scale_step", f"The step of {title} is {step:g}.", "Write a step above 0, or leave it out."
    elif not scale.levels:
        yield "scale_levels_missing", f"There is no level on {title}.", "Add levels, or make it numeric."
    else:
        yield from _level_problems(scale.levels, title)


def _level_problems(levels: Sequence[Level], title: str) -> Iterator[tuple[str, str, str]]:
    for level in levels:
        if not is_share(level.normalized_value):
            text = f"The level {level.label!r} of {title} scores {level.normalized_value:g}."
            yield "level_value_range", text, "A level scores from 0 to 1."
        if level.value is not None and not math.isfinite(level.value):
            yield (
                "level_value_range",
                f"The value of level {level.label!r} of {title} is no number.",
                "Correct it.",
            )
        if not level.label.strip():
            yield "level_label_empty", f"A level of {title} has no label.", "Give each level a label."
        if not fold_id(level.id):
            yield (
                "level_id_empty",
                f"The level {level.label!r} of {title} has no id.",
                "Give it an id of its own.",
            )
    for label in repeated(level.label.strip().casefold() for level in levels):
        yield (
            "level_label_duplicate",
            f"The label {label!r} stands twice on {title}.",
            "Give each level its own.",
        )
    for own in repeated(fold_id(level.id) for level in levels):
        yield (
            "level_id_duplicate",
            f"The level id {own!r} stands twice on {title}.",
            "Give each level its own.",
        )
