"""Several readings of one rubric put together: the median answer of each criterion, and how far they lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_low
from typing import Any

import msgspec

from rubrictui.core.model import Answer, fold_id
from rubrictui.core.plan import Leaf
from rubrictui.core.scoring import read_answer
from rubrictui.evaluators.prompting_data import levels_upwards
from rubrictui.evaluators.replies import Reading


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """What several samples say together.

    Attributes:
        answers: by criterion key.
        unanswered: key, and why.
        spread: by key: ``Answers`` as each sample gave them, ``Spread`` (the highest score less the lowest, 0..1)
            and ``Agreement`` (the share of samples that gave the answer that counts). Of one sample: nothing.
    """

    answers: dict[str, Answer]
    unanswered: dict[str, str]
    spread: dict[str, dict[str, Any]]


def merge(asked: Sequence[Leaf], readings: Sequence[Reading]) -> Merged:
    """The median answer of each criterion over the samples.

    Levels are put in order from low to high. Of an even number of answers the lower middle one counts, so that
    what counts was given by a sample. N/A counts when more than half of the answers are N/A. Rationale and
    evidence are those of the first sample that gave the answer; confidence is the mean of those that gave it.
    """
    answers: dict[str, Answer] = {}
    unanswered: dict[str, str] = {}
    spread: dict[str, dict[str, Any]] = {}
    for leaf in asked:
        key = leaf.node.key
        given = [reading.answers[key] for reading in readings if key in reading.answers]
        if not given:
            unanswered[key] = next(
                (reading.problems[key] for reading in readings if key in reading.problems), "no answer"
            )
            continue
        chosen = _median(leaf, given)
        same = [answer for answer in given if _place(leaf, answer) == _place(leaf, chosen)]
        stated = [answer.confidence for answer in same if answer.confidence is not None]
        confidence = min(sum(stated) / len(stated), 1.0) if stated else None
        answers[key] = msgspec.structs.replace(same[0], confidence=confidence)
        if len(readings) > 1:
            spread[key] = _spread(leaf, given, len(same), len(readings))
    return Merged(answers=answers, unanswered=unanswered, spread=spread)


def answer_words(leaf: Leaf, answer: Answer) -> str | float:
    """An answer as people say it: the label, the number, or N/A."""
    if answer.is_not_applicable:
        return "N/A"
    if leaf.is_numeric:
        return answer.raw_value if answer.raw_value is not None else "?"
    level = leaf.levels.get(fold_id(answer.scale_level_id))
    return level.label if level else "?"


def _median(leaf: Leaf, given: list[Answer]) -> Answer:
    on_scale = [answer for answer in given if not answer.is_not_applicable]
    if 2 * (len(given) - len(on_scale)) > len(given) or not on_scale:
        return next(answer for answer in given if answer.is_not_applicable)
    middle = median_low(_place(leaf, answer) for answer in on_scale)
    return next(answer for answer in on_scale if _place(leaf, answer) == middle)


def _place(leaf: Leaf, answer: Answer) -> float:
    """Where an answer stands from low to high; N/A stands outside of all."""
    if answer.is_not_applicable:
        return float("-inf")
    if leaf.is_numeric:
        value = answer.raw_value or 0.0
        return value if leaf.scale is None or leaf.scale.higher_is_better else -value
    order = [fold_id(level.id) for level in levels_upwards(leaf.scale)]
    return float(order.index(fold_id(answer.scale_level_id)))


def _spread(leaf: Leaf, given: list[Answer], same: int, samples: int) -> dict[str, Any]:
    scores = [
        score
        for answer in given
        if not answer.is_not_applicable and (score := read_answer(leaf, answer).score) is not None
    ]
    return {
        "Answers": [answer_words(leaf, answer) for answer in given],
        "Spread": round(max(scores) - min(scores), 6) if scores else 0.0,
        "Agreement": round(same / samples, 6),
    }
