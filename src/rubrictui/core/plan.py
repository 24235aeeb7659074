"""A version compiled for scoring: walked once, its links resolved, its numbers checked and rounded.

Scoring the same version again and again is the rule (a form at every key, a rerun over a thousand
subjects), so everything that depends on the version alone is done once here and kept for as long as the
snapshot lives. What a plan is made of stands in ``plan_parts``. There is no arithmetic of scores here; that is
``scoring``. A draft that is another one after every key is scored by ``live_scoring``.

A node takes no part when its parent does not exist or is a Criterion, when it hangs on a circle of parents, or
when an earlier node bears its id (publish refuses such trees).
"""

from __future__ import annotations

import threading
import weakref

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.plan_parts import (
    Group,
    Leaf,
    Plan,
    Reading,
    Scales,
    check_numbers,
    gate_of,
    group_of,
    picker,
    rounded_input,
    rules_of,
)
from rubrictui.core.plan_tree import PlanTree

__all__ = ["Group", "Leaf", "Plan", "Reading", "Scales", "plan_of", "rounded_input"]

_plans: dict[int, tuple[weakref.ref[VersionSnapshot], Plan]] = {}
_plans_lock = threading.Lock()


def plan_of(version: VersionSnapshot) -> Plan:
    """The compiled plan of ``version``, made at the first call and dropped with the snapshot.

    Raises:
        InvalidInputError: a number in the version that no score can be computed with: a weight below zero or
            not finite, a level outside 0..1, a gate minimum, threshold or band that is not finite.
    """
    key = id(version)
    entry = _plans.get(key)
    # The id may be that of a snapshot that died a moment ago: only the living reference decides.
    if entry is not None and entry[0]() is version:
        return entry[1]
    plan = _compile(version)

    def forget(dead: weakref.ref[VersionSnapshot]) -> None:
        with _plans_lock:
            if key in _plans and _plans[key][0] is dead:
                del _plans[key]

    with _plans_lock:
        _plans[key] = (weakref.ref(version, forget), plan)
    return plan


def _compile(version: VersionSnapshot) -> Plan:
    tree = PlanTree(version)
    scales = Scales(version)
    for node in (*tree.groups, *tree.leaves):
        check_numbers(node)
    leaves = tuple([scales.leaf(node) for node in tree.leaves])
    numbers = tree.numbers
    groups = tuple(
        group_of(
            node,
            numbers[id(node)],
            [(numbers[id(child)], child) for child in tree.by_key(node)],
            tree.leaves_under(node) if gate_of(node) is not None else (0, 0),
        )
        for node in tree.groups
    )
    leaf_of = {tree.fold[leaf.node.id]: leaf for leaf in leaves}
    leaf_of |= {leaf.node.id: leaf for leaf in leaves}
    return Plan(
        leaves=leaves,
        groups=groups,
        leaf_of=leaf_of,
        number_of={leaf.node.id: number for number, leaf in enumerate(leaves)},
        in_walk_order=picker([numbers[id(node)] for node in tree.walk]),
        gates=(
            *[number for number, leaf in enumerate(leaves) if leaf.gate is not None],
            *[group.number for group in groups if group.gate is not None],
        ),
        rules=rules_of(version),
    )
