"""Sample answers for a draft: filled in at once, kept by key, and found again in another version."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping

from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.model import (
    Answer,
    Level,
    Node,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    VersionSnapshot,
    fold_id,
)
from rubrictui.core.plan import Leaf, Scales
from rubrictui.core.records import SampleAnswer
from rubrictui.core.scoring import read_answer

#: One in so many random answers is not applicable, where that is allowed.
_NOT_APPLICABLE_ONE_IN = 10


def fill_best(version: VersionSnapshot) -> tuple[Answer, ...]:
    """Every criterion at its best level, or at the end of its range that scores 1."""
    return tuple(_filled(version, best=True))


def fill_worst(version: VersionSnapshot) -> tuple[Answer, ...]:
    """Every criterion at its worst level, or at the end of its range that scores 0."""
    return tuple(_filled(version, best=False))


def fill_random(version: VersionSnapshot, seed: int) -> tuple[Answer, ...]:
    """Every criterion at a random level or step, a few not applicable. The same seed answers the same."""
    rolled = random.Random(seed)
    answers = []
    for node, scale in _answerable(version):
        policy = node.not_applicable_policy or version.not_applicable_policy
        allowed = policy is not NotApplicablePolicy.NOT_ALLOWED
        if allowed and rolled.randrange(_NOT_APPLICABLE_ONE_IN) == 0:
            answers.append(Answer(criterion_id=node.id, is_not_applicable=True))
        elif scale.scale_type is ScaleType.LEVELS:
            answers.append(Answer(criterion_id=node.id, scale_level_id=rolled.choice(scale.levels).id))
        else:
            low, high = _range(scale)
            step = scale.step or (high - low) / 100
            steps = max(1, math.floor((high - low) / step + 1e-9))
            value = low + step * rolled.randint(0, steps)
            answers.append(Answer(criterion_id=node.id, raw_value=min(round(value, 10), high)))
    return tuple(answers)


def _filled(version: VersionSnapshot, *, best: bool) -> Iterator[Answer]:
    for node, scale in _answerable(version):
        if scale.scale_type is ScaleType.LEVELS:
            pick = max if best else min
            level = pick(scale.levels, key=lambda level: level.normalized_value)
            yield Answer(criterion_id=node.id, scale_level_id=level.id)
        else:
            upper = best == scale.higher_is_better
            yield Answer(criterion_id=node.id, raw_value=_top_step(scale) if upper else _range(scale)[0])


def _answerable(version: VersionSnapshot) -> Iterator[tuple[Node, Scale]]:
    """The criteria that can be answered, with their scales."""
    scales = {fold_id(scale.id): scale for scale in reversed(version.scales)}
    for node in version.nodes:
        scale = scales.get(fold_id(node.scale_id)) if node.is_criterion else None
        if scale is None:
            continue
        if scale.scale_type is ScaleType.LEVELS:
            if scale.levels:
                yield node, scale
        elif (
            scale.min_value is not None and scale.max_value is not None and scale.min_value < scale.max_value
        ):
            yield node, scale


def _range(scale: Scale) -> tuple[float, float]:
    """The ends of a numeric scale that ``_answerable`` has let pass."""
    return scale.min_value or 0.0, scale.max_value or 0.0


def _top_step(scale: Scale) -> float:
    """The highest value that is on a step."""
    low, high = _range(scale)
    if not scale.step or scale.step <= 0:
        return high
    steps = math.floor((high - low) / scale.step + 1e-9)
    return min(round(low + steps * scale.step, 10), high)


# --- by key ----------------------------------------------------------------------------------------------


def sample_answers(version: VersionSnapshot, answers: Iterable[Answer]) -> dict[str, SampleAnswer]:
    """Answers to a version's criteria as they are kept with a rubric: by key, levels by id and label."""
    nodes = {fold_id(node.id): node for node in version.nodes if node.is_criterion}
    levels = _levels(version)
    kept: dict[str, SampleAnswer] = {}
    for answer in answers:
        node = nodes.get(fold_id(answer.criterion_id))
        if node is None or not answer.is_answered:
            continue
        level = levels.get(fold_id(node.scale_id), {}).get(fold_id(answer.scale_level_id))
        kept[node.key] = SampleAnswer(
            level_id=answer.scale_level_id,
            level_label=level.label if level is not None else None,
            raw_value=answer.raw_value,
            is_not_applicable=answer.is_not_applicable,
        )
    return kept


def answers_by_key(version: VersionSnapshot, kept: Mapping[str, SampleAnswer]) -> tuple[Answer, ...]:
    """Kept answers for this version, where the keys still match and the answer still exists there.

    A level is found by its id, else by its label (ignoring case); a number must lie in the range and on a step;
    not applicable must be allowed. What is no answer here any more is left out.
    """
    scales = Scales(version)
    found = []
    for node in version.nodes:
        answer = kept.get(node.key) if node.is_criterion else None
        if answer is None:
            continue
        try:
            made = answer_here(scales.leaf(node), answer)
        except InvalidInputError:
            continue
        if made is not None:
            found.append(made)
    return tuple(found)


def answer_here(leaf: Leaf, kept: SampleAnswer) -> Answer | None:
    """A kept answer as an answer to this criterion; None when it is none here."""
    made = _translated(leaf, kept)
    try:
        read_answer(leaf, made)
    except ScoringError:
        return None
    return made if made.is_answered else None


def _translated(leaf: Leaf, answer: SampleAnswer) -> Answer:
    if answer.is_not_applicable:
        return Answer(criterion_id=leaf.node.id, is_not_applicable=True)
    if leaf.is_numeric:
        return Answer(criterion_id=leaf.node.id, raw_value=answer.raw_value)
    level_id = answer.level_id
    if fold_id(level_id) not in leaf.levels and answer.level_label is not None:
        wanted = answer.level_label.strip().casefold()
        same = [level.id for level in leaf.levels.values() if level.label.strip().casefold() == wanted]
        level_id = same[0] if same else level_id
    # Without a level that is here the scorer finds the answer not on the scale.
    return Answer(criterion_id=leaf.node.id, scale_level_id=level_id, raw_value=answer.raw_value)


def _levels(version: VersionSnapshot) -> dict[str, dict[str, Level]]:
    return {
        fold_id(scale.id): {fold_id(level.id): level for level in reversed(scale.levels)}
        for scale in reversed(version.scales)
    }
