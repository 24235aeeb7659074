"""A version compiled for scoring: walked once, its links resolved, its numbers checked and rounded.

Scoring the same version again and again is the rule (a form at every key, a rerun over a thousand
subjects), so everything that depends on the version alone is done once here and kept for as long as the
snapshot lives. What a plan is made of stands in ``plan_parts``, and how the plan of a draft is made from that of
the state before it in ``plan_following``. There is no arithmetic of scores here; that is ``scoring``.

A node takes no part when its parent does not exist or is a Criterion, when it hangs on a circle of parents, or
when an earlier node bears its id (publish refuses such trees).
"""

from __future__ import annotations

import threading
import weakref
from operator import is_
from typing import Final

from rubrictui.core.model import VersionSnapshot
from rubrictui.core.plan_following import Basis, follow_edits, follow_moves
from rubrictui.core.plan_parts import (
    NOT_APPLICABLE,
    Cut,
    Group,
    Leaf,
    Plan,
    Reading,
    Scales,
    Shares,
    check_numbers,
    effective_na_policy,
    gate_of,
    group_of,
    picker,
    read_unanswered,
    rounded_input,
    version_parts,
)
from rubrictui.core.plan_tree import Folded, PlanTree

__all__ = [
    "NOT_APPLICABLE",
    "Cut",
    "Group",
    "Leaf",
    "Plan",
    "Reading",
    "Scales",
    "Shares",
    "effective_na_policy",
    "plan_of",
    "read_unanswered",
    "rounded_input",
]

#: So many versions are remembered for the next state of them.
_LATEST_KEPT: Final = 4
_FOLDED_KEPT: Final = 50_000

_plans: dict[int, tuple[weakref.ref[VersionSnapshot], Plan]] = {}
_plans_lock = threading.Lock()
#: The state of a version compiled last, by version id: a draft being edited goes on from it.
_latest: dict[str, Basis] = {}


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
    before = _latest.get(version.id) if version.id else None
    basis = (before and (follow_edits(version, before) or follow_moves(version, before))) or _compile(
        version, before
    )
    plan = basis.plan

    def forget(dead: weakref.ref[VersionSnapshot]) -> None:
        with _plans_lock:
            if key in _plans and _plans[key][0] is dead:
                del _plans[key]

    with _plans_lock:
        _plans[key] = (weakref.ref(version, forget), plan)
        if version.id:  # what has none is no stored version, and has no next state
            _latest.pop(version.id, None)
            _latest[version.id] = basis
            while len(_latest) > _LATEST_KEPT:
                del _latest[next(iter(_latest))]
    return plan


def _compile(version: VersionSnapshot, before: Basis | None) -> Basis:
    """The plan of a version, with the readings of leaves that are the same as ``before``."""
    folded = before.folded if before is not None and len(before.folded) < _FOLDED_KEPT else Folded()
    tree = PlanTree(version, folded)
    scales = Scales(version)
    known: dict[int, Leaf] = {}
    plan = Plan()
    if before is not None and before.keeps_readings(version):
        known = {id(leaf.node): leaf for leaf in before.plan.leaves}
        plan = Plan(_places=before.plan._places, _next_place=before.plan._next_place)
    for node in tree.groups:
        check_numbers(node)
    leaves = []
    for node in tree.leaves:
        leaf = known.get(id(node))
        if leaf is None:
            check_numbers(node)
            leaf = scales.leaf(node)
        leaves.append(leaf)
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
    leaf_of = {folded[leaf.node.id]: leaf for leaf in leaves}
    leaf_of |= {leaf.node.id: leaf for leaf in leaves}
    plan.leaves = tuple(leaves)
    plan.groups = groups
    plan.leaf_of = leaf_of
    plan.number_of = {leaf.node.id: number for number, leaf in enumerate(leaves)}
    plan.in_walk_order = picker([numbers[id(node)] for node in tree.walk])
    version_parts(plan, version)
    walks = len(tree.walk) == len(version.nodes) and all(map(is_, tree.walk, version.nodes))
    return Basis(version.nodes, version.scales, version.not_applicable_policy, plan, folded, walks)
