"""Making a version's tree ready to store: ids, order, and what no store could keep. Pure functions."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Band, Level, Node, Scale, VersionSnapshot, fold_id

_KEY = attrgetter("key")
_Sequenced = TypeVar("_Sequenced", Node, Band, Level)


def prepared(
    snapshot: VersionSnapshot, *, taken: Collection[str], new_id: Callable[[], str]
) -> VersionSnapshot:
    """The snapshot as a draft stores it: every id its own, parents before children, sequences in order.

    A draft may be unfinished (a leaf without a scale, a weight of 0); publish decides about that. Only
    what has no place in a store is refused here.

    Args:
        taken: ids that other versions own; nodes and bands that carry one get a new id.
        new_id: gives ids to nodes and bands that have none.

    Raises:
        InvalidInputError: a missing or repeated key, a parent that is not there, a cycle of parents, an
            unknown scale, or a number that is not finite.
    """
    check_version(snapshot)
    for node in snapshot.nodes:
        check_node(node)
    for band in snapshot.bands:
        check_band(band)
    check_keys(snapshot.nodes)
    ids = _fresh_ids(snapshot, taken, new_id)
    known = {fold_id(scale.id): scale.id for scale in snapshot.scales}
    nodes = []
    for node in snapshot.nodes:
        parent = fold_id(node.parent_id)
        if parent and parent not in ids:
            raise InvalidInputError(
                f'The parent of criterion "{node.key}" is not in the version.',
                remedy="Put it under a group of this version, or at the top.",
            )
        scale = fold_id(node.scale_id)
        if scale and scale not in known:
            raise InvalidInputError(
                f'Criterion "{node.key}" uses a scale that is not there ({node.scale_id}).',
                remedy="Save the scale first, or choose another.",
            )
        nodes.append(
            msgspec.structs.replace(
                node,
                id=ids[fold_id(node.id)] if fold_id(node.id) else new_id(),
                key=node.key.strip(),
                parent_id=ids[parent] if parent else None,
                scale_id=known[scale] if scale else None,
            )
        )
    bands = tuple(
        msgspec.structs.replace(b, id=b.id if b.id and b.id not in taken else new_id())
        for b in snapshot.bands
    )
    return msgspec.structs.replace(snapshot, nodes=_in_walk_order(nodes), bands=sequenced(bands))


def cloned(snapshot: VersionSnapshot, *, version_id: str, new_id: Callable[[], str]) -> VersionSnapshot:
    """The same tree under new ids, ready to be a draft. Scales are shared, so theirs stay."""
    ids = {fold_id(node.id): new_id() for node in snapshot.nodes}
    return msgspec.structs.replace(
        snapshot,
        id=version_id,
        nodes=tuple(
            msgspec.structs.replace(
                node,
                id=ids[fold_id(node.id)],
                parent_id=ids.get(fold_id(node.parent_id)),
            )
            for node in snapshot.nodes
        ),
        bands=tuple(msgspec.structs.replace(band, id=new_id()) for band in snapshot.bands),
    )


def prepared_scale(scale: Scale, *, new_id: Callable[[], str]) -> Scale:
    """The scale with ids for itself and its levels, levels in order.

    Raises:
        InvalidInputError: a level without a label, two levels with one label or id, a number that is not
            finite, a normalized value outside 0..1, a range that is empty or a step that is not above 0.
    """
    name = scale.name.strip() if scale.name and scale.name.strip() else None
    what = f'Scale "{name or scale.id}"'
    for field in ("min_value", "max_value", "step"):
        _finite(getattr(scale, field), f"{field} of {what}")
    if scale.min_value is not None and scale.max_value is not None and scale.min_value >= scale.max_value:
        raise InvalidInputError(
            f"{what} runs from {scale.min_value:g} to {scale.max_value:g}.",
            remedy="Make max_value the larger.",
        )
    if scale.step is not None and scale.step <= 0:
        raise InvalidInputError(
            f"The step of {what} is {scale.step:g}.", remedy="Use a step above 0, or none."
        )
    for level in scale.levels:
        if not level.label.strip():
            raise InvalidInputError(f"A level of {what} has no label.", remedy="Give it one.")
        _finite(level.value, f'value of level "{level.label}" of {what}')
        _finite(level.normalized_value, f'normalized_value of level "{level.label}" of {what}')
        if not 0 <= level.normalized_value <= 1:
            raise InvalidInputError(
                f'Level "{level.label}" of {what} scores {level.normalized_value:g}.',
                remedy="A normalized_value lies in 0..1.",
            )
    once((level.label.strip() for level in scale.levels), f"{what} has two levels with the label")
    once((level.id for level in scale.levels if level.id), f"{what} has two levels with the id")
    levels = tuple(
        msgspec.structs.replace(level, id=level.id or new_id(), label=level.label.strip())
        for level in scale.levels
    )
    return msgspec.structs.replace(scale, id=scale.id or new_id(), name=name, levels=sequenced(levels))


def sequenced(siblings: Sequence[_Sequenced]) -> tuple[_Sequenced, ...]:
    """The siblings with sequences that agree with their order: kept when they do, else 0, 1, 2, ..."""
    numbers = [sibling.sequence for sibling in siblings]
    if all(a < b for a, b in itertools.pairwise(numbers)):
        return tuple(siblings)
    return tuple(msgspec.structs.replace(item, sequence=place) for place, item in enumerate(siblings))


def _in_walk_order(nodes: Iterable[Node]) -> tuple[Node, ...]:
    children: dict[str, list[Node]] = defaultdict(list)
    count = 0
    for node in nodes:
        children[node.parent_id or ""].append(node)
        count += 1
    ordered = {parent: sequenced(siblings) for parent, siblings in children.items()}
    walked: list[Node] = []
    stack = list(reversed(ordered.get("", ())))
    while stack:
        node = stack.pop()
        walked.append(node)
        stack.extend(reversed(ordered.get(node.id, ())))
    if len(walked) != count:
        lost = {node.key for siblings in children.values() for node in siblings} - {n.key for n in walked}
        raise InvalidInputError(
            f"The parents of {', '.join(sorted(lost)[:3])} form a circle.",
            remedy="Put one of them at the top.",
        )
    return tuple(walked)


def _fresh_ids(
    snapshot: VersionSnapshot, taken: Collection[str], new_id: Callable[[], str]
) -> dict[str, str]:
    """Folded id as given -> id to store, for the nodes that have one."""
    given = [node.id for node in snapshot.nodes if fold_id(node.id)]
    once((fold_id(id) for id in given), "Two criteria have the id")
    return {fold_id(id): new_id() if id in taken else id for id in given}


def check_keys(nodes: Sequence[Node]) -> None:
    """Refuse nodes without a key, and two with the same."""
    keys = list(map(str.strip, map(_KEY, nodes)))
    if not all(keys):
        nameless = next(node for node in nodes if not node.key.strip())
        raise InvalidInputError(f'Criterion "{nameless.name}" has no key.', remedy="Give it one.")
    once(keys, "Two criteria have the key")


def check_version(snapshot: VersionSnapshot) -> None:
    """Refuse version fields that no store could keep."""
    for field in ("pass_threshold", "minimum_completeness", "score_display_min", "score_display_max"):
        _finite(getattr(snapshot, field), f"{field} of the version")


def check_node(node: Node) -> None:
    """Refuse numbers of a node that no store could keep."""
    _finite(node.weight, f'weight of "{node.key}"')
    _finite(node.gate_minimum_score, f'gate_minimum_score of "{node.key}"')
    for anchor in node.anchors:
        _finite(anchor.anchor_value, f'anchor value of "{node.key}"')


def check_band(band: Band) -> None:
    """Refuse numbers of a band that no store could keep."""
    _finite(band.min_score, f'min_score of band "{band.label}"')
    _finite(band.max_score, f'max_score of band "{band.label}"')


def _finite(value: Any, what: str) -> None:
    if value is not None and not math.isfinite(value):
        raise InvalidInputError(f"The {what} is {value}.", remedy="Give a finite number.")


def once(values: Iterable[str], what: str) -> None:
    """Refuse a value that stands twice; ``what`` begins the sentence."""
    given = list(values)
    if len(set(given)) < len(given):
        twice = next(value for value, count in Counter(given).items() if count > 1)
        raise InvalidInputError(f'{what} "{twice}".', remedy="Make each its own.")
