"""What an author needs to know about a draft: shares of the weights, and what stands against publishing.

An *error* blocks publish (guide section 2; contract, "Scoring" and "Deterministic rules"); a *warning* is
shown and allowed. Everything here reads the draft as a whole and never raises on a broken one.

A ``DraftIndex`` remembers what it found about each node, so that after a change of one node of thousands only
that one is looked at again. What depends on other nodes (keys, places, sums of weights) is cheap and done anew.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter, is_
from typing import Any

from rubrictui.core.bands import band_gaps, band_overlaps, band_problems
from rubrictui.core.model import Node, NodeType, NotApplicablePolicy, Scale, VersionSnapshot, fold_id
from rubrictui.core.node_problems import about, own_problems, title
from rubrictui.core.problems import MAXIMUM_KEY_LENGTH, Problem, is_share, repeated
from rubrictui.core.scales import scale_problems
from rubrictui.core.shares import sibling_shares
from rubrictui.core.tree import stretch, window

__all__ = ["DraftIndex", "Problem", "band_gaps", "band_overlaps", "publish_problems", "weight_shares"]


def weight_shares(version: VersionSnapshot) -> dict[str, float | None]:
    """Each node's share (0..1) of its group when every sibling counts, by node id as written.

    None for a node that takes no part: advisory, or not reached from the root. Weights all zero share
    equally, as in scoring.
    """
    return DraftIndex().shares(version)


def publish_problems(version: VersionSnapshot) -> tuple[Problem, ...]:
    """Everything that is wrong or odd with a draft: of the version, its nodes in order, then its bands."""
    return DraftIndex().problems(version)


class DraftIndex:
    """Problems and shares of one draft after another, where most nodes are the same objects as before."""

    def __init__(self) -> None:
        self._view: _View | None = None

    def problems(self, version: VersionSnapshot) -> tuple[Problem, ...]:
        """What ``publish_problems`` says of this version."""
        view = self._see(version)
        for entry in view.unread:
            if entry.problems is None:
                entry.problems = tuple(own_problems(entry.node, entry.scale, entry.policy))
        return (
            *_version_problems(version),
            *_node_problems(view),
            *_group_problems(view),
            *band_problems(version.bands),
        )

    def shares(self, version: VersionSnapshot) -> dict[str, float | None]:
        """What ``weight_shares`` says of this version."""
        view = self._see(version)
        shares: dict[str, float | None] = {entry.node.id: None for entry in view.entries}
        for _, siblings in view.groups():
            nodes = [entry.node for entry in siblings]
            shares |= zip([node.id for node in nodes], sibling_shares(nodes), strict=True)
        return shares

    def _see(self, version: VersionSnapshot) -> _View:
        if self._view is None or self._view.version is not version:
            self._view = _View(version, self._view)
        return self._view


_KEY, _OWN_PROBLEMS = attrgetter("key"), attrgetter("problems")


# --- the tree --------------------------------------------------------------------------------------


#: So many nodes that came or went are put into the tree as it was; with more it is made anew.
_FOLLOWED = 50


@dataclass(slots=True, eq=False)
class _Entry:
    """A node with its folded ids, its scale, and what is wrong with it by itself."""

    node: Node
    own: str
    above: str
    key: str
    scale_id: str
    scale: Scale | None
    policy: NotApplicablePolicy
    is_group: bool
    counts: bool
    weight: float
    problems: tuple[Problem, ...] | None = None  # until somebody asks


class _View:
    """The nodes as scoring sees them: by folded id, with what takes part and what does not.

    ``is_sound`` when every node hangs on the root by groups that stand before it, and none shares an id: then
    there is nothing to say about places. ``fine`` are siblings, by their group, whose weights add up. ``keys`` counts
    the nodes of each key. A view is made out of the one before, which is of no use any more.
    """

    def __init__(self, version: VersionSnapshot, before: _View | None = None) -> None:
        """
        Args:
            before: the view of the draft one edit ago; what is known of nodes that are the same objects stays known.
        """
        self.version = version
        self.scales = {fold_id(scale.id): scale for scale in version.scales}
        self.scales.pop("", None)
        self.unread: list[_Entry] = []
        self.fine: dict[str, list[_Entry]] = before.fine if before is not None else {}
        self.is_sound: bool = False
        self._grouped: list[tuple[Node | None, list[_Entry]]] | None = None
        self.entries = self._entries(before)
        if before is not None and before.is_sound and self._keeps_entries and self._follows(before):
            return
        self.keys: Counter[str] = Counter(map(_KEY, self.entries))
        self.group_count = sum(entry.is_group for entry in self.entries)
        self.has_advisory_group = any(entry.is_group and not entry.counts for entry in self.entries)
        owns = [entry.own for entry in self.entries]
        self.by_id = dict(zip(reversed(owns), reversed(self.entries), strict=True))
        self.children: dict[str, list[_Entry]] = {}
        children, groups, sound = self.children, {""}, True
        for entry in self.entries:
            above = entry.above
            if above in children:
                children[above].append(entry)
            else:
                children[above] = [entry]
                sound = sound and above in groups
            if entry.is_group:
                groups.add(entry.own)
        if before is not None:
            # The same siblings are the same list, so that what was found of them is found again.
            for above, known in before.children.items():
                if children.get(above) == known:
                    children[above] = known
        self.is_sound = sound and len(self.by_id) == len(self.entries) and "" not in self.by_id
        self.in_cycle = set() if self.is_sound else self._cycles()

    def _follows(self, before: _View) -> bool:
        """Take over a sound tree of which a few nodes are others; False where it is too much or sound no more."""
        new = self.entries
        first, old_end, end = stretch(before.version.nodes, self.version.nodes)
        # Where a group moved, what hangs on it moved too, and stands on both sides.
        was = [*self._replaced, *new[end - (old_end - first - len(self._replaced)) : end]]
        now, left = set(new[first:end]), set(was)
        gone, come = left - now, now - left
        if len(gone) + len(come) > _FOLLOWED:
            return False
        by_id, children, keys = before.by_id, before.children, before.keys
        for entry in gone:
            del by_id[entry.own]
            keys[entry.key] -= 1
            if not keys[entry.key]:
                del keys[entry.key]
        for entry in come:
            if entry.own in by_id or not entry.own:
                return False
            by_id[entry.own] = entry
            keys[entry.key] += 1
        head = set(map(id, new[:first]))
        for above in {entry.above for entry in (*gone, *come)}:
            siblings = [entry for entry in children.get(above, ()) if entry not in left]
            place = sum(id(entry) in head for entry in siblings)
            siblings[place:place] = [entry for entry in new[first:end] if entry.above == above]
            if siblings:
                children[above] = siblings
            else:
                children.pop(above, None)
        met: set[_Entry] = set()
        for entry in new[first:end]:
            parent = by_id.get(entry.above) if entry.above else None
            if parent is None and entry.above:
                return False
            if parent is not None and not (parent.is_group and (id(parent) in head or parent in met)):
                return False
            if entry.is_group and not now.issuperset(children.get(entry.own, ())):
                return False
            met.add(entry)
        for entry in gone:  # none of its children may be left behind
            if entry.own in children and not (entry.own in by_id and by_id[entry.own].is_group):
                return False
        self.by_id, self.children, self.keys, self.is_sound, self.in_cycle = (
            by_id,
            children,
            keys,
            True,
            set(),
        )
        self.group_count = before.group_count + sum(e.is_group for e in come) - sum(e.is_group for e in gone)
        self.has_advisory_group = before.has_advisory_group
        if any(entry.is_group for entry in (*gone, *come)):
            self.has_advisory_group = any(entry.is_group and not entry.counts for entry in new)
        return True

    def _entries(self, before: _View | None) -> list[_Entry]:
        """An entry a node, those of ``before`` where the node is the same object and says the same here."""
        nodes, policy = self.version.nodes, self.version.not_applicable_policy
        self._keeps_entries = (
            before is not None
            and before.version.not_applicable_policy is policy
            and len(before.version.scales) == len(self.version.scales)
            and all(map(is_, before.version.scales, self.version.scales))
        )
        entries: list[_Entry] = []
        first, old_end, new_end = 0, 0, len(nodes)
        if before is not None and self._keeps_entries:
            first, old_end, new_end = window(before.version.nodes, nodes)
            entries = before.entries
            self.unread = [entry for entry in before.unread if entry.problems is None]
        self._replaced = entries[first:old_end]
        known = {id(entry.node): entry for entry in self._replaced}
        within = []
        for node in nodes[first:new_end]:
            entry = known.get(id(node))
            if entry is None:
                entry = _entry(node, self.scales.get(fold_id(node.scale_id)), policy)
                self.unread.append(entry)
            within.append(entry)
        entries[first:old_end] = within
        return entries

    def parent(self, entry: _Entry) -> _Entry | None:
        return self.by_id.get(entry.above) if entry.above else None

    def groups(self, but: Mapping[str, list[_Entry]] | None = None) -> list[tuple[Node | None, list[_Entry]]]:
        """Siblings that take part, with their group (None for those at the root), from the root down.

        Args:
            but: siblings to leave out where the tree is sound, by their group.
        """
        if self.is_sound:
            known = (but or {}).get
            return [
                (self.by_id[above].node if above else None, siblings)
                for above, siblings in self.children.items()
                if known(above) is not siblings
            ]
        if self._grouped is not None:
            return self._grouped
        self._grouped = []
        waiting = [""]
        seen: set[str] = set()
        while waiting:
            here = waiting.pop()
            siblings = [entry for entry in self.children.get(here, ()) if entry.own not in seen]
            if siblings:
                self._grouped.append((self.by_id[here].node if here else None, siblings))
            for entry in siblings:
                seen.add(entry.own)
                if entry.is_group and entry.own:
                    waiting.append(entry.own)
        return self._grouped

    def advisory_above(self) -> dict[str, Node]:
        """For every group with children that is advisory or inside one that is: the nearest, counting itself."""
        nearest: dict[str, Node | None] = {"": None}
        for start in self.children:
            trail: list[str] = []
            here = start
            while here not in nearest and here in self.by_id:
                group = self.by_id[here]
                nearest[here] = group.node if group.node.is_advisory else None  # in case the trail comes back
                trail.append(here)
                here = here if group.node.is_advisory else group.above
            for passed in trail:
                nearest[passed] = nearest.get(here)
        return {own: group for own, group in nearest.items() if group is not None}

    def _cycles(self) -> set[str]:
        """Ids on a cycle of parents, or below one."""
        verdict: dict[str, bool] = {"": False}
        for start in self.by_id:
            trail: list[str] = []
            here = start
            while here not in verdict and here in self.by_id:
                verdict[here] = True  # in case the trail comes back here
                trail.append(here)
                here = self.by_id[here].above
            cyclic = verdict.get(here, False)
            for passed in trail:
                verdict[passed] = cyclic
        return {own for own, cyclic in verdict.items() if cyclic}


def _entry(node: Node, scale: Scale | None, policy: NotApplicablePolicy) -> _Entry:
    return _Entry(
        node=node,
        own=fold_id(node.id),
        above=fold_id(node.parent_id),
        key=node.key.strip(),
        scale_id=fold_id(node.scale_id),
        scale=scale,
        policy=policy,
        is_group=not node.is_criterion,
        counts=not node.is_advisory,
        weight=node.weight,
    )


# --- the version -----------------------------------------------------------------------------------


def _version_problems(version: VersionSnapshot) -> Iterator[Problem]:
    def error(code: str, message: str, remedy: str) -> Problem:
        return Problem(code=code, severity="error", message=message, remedy=remedy)

    for code, name, value in (
        ("threshold_range", "pass threshold", version.pass_threshold),
        ("completeness_range", "minimum completeness", version.minimum_completeness),
    ):
        if value is not None and not is_share(value):
            yield error(code, f"The {name} {value:g} is not between 0 and 1.", "Write a share such as 0.7.")
    low, high = version.score_display_min, version.score_display_max
    if not (math.isfinite(low) and math.isfinite(high)):
        yield error(
            "display_range", "The display range is not made of numbers.", "Write numbers such as 0 and 100."
        )
    elif low == high:
        yield error(
            "display_range", f"The display range begins and ends at {low:g}.", "Give it two different ends."
        )
    for what, ids in (
        ("scale", [scale.id for scale in version.scales]),
        ("band", [band.id for band in version.bands]),
    ):
        for own in repeated(map(fold_id, ids)):
            yield error(
                "id_duplicate", f"The {what} id {own!r} stands twice.", f"Give each {what} its own id."
            )
    criterion = NodeType.CRITERION
    if any(node.node_type is criterion and not node.is_advisory for node in version.nodes):
        return
    if not any(node.node_type is criterion for node in version.nodes):
        yield error("no_criterion", "The draft has no criterion.", "Add one and give it a scale.")
    else:
        yield Problem(
            code="nothing_counts",
            severity="warning",
            message="Every criterion is advisory, so there is never a score.",
            remedy="Let one count.",
        )


# --- nodes -----------------------------------------------------------------------------------------


def _node_problems(view: _View) -> Sequence[Problem]:
    advisory = view.advisory_above() if view.has_advisory_group else {}
    faults = {key: found for key, scale in view.scales.items() if (found := [*scale_problems(scale)])}
    if not view.is_sound or len(view.keys) < len(view.entries) or faults:
        return [*_entangled_problems(view, faults, advisory)]
    if not advisory:
        return [*chain.from_iterable(filter(None, map(_OWN_PROBLEMS, view.entries)))]
    problems: list[Problem] = []
    for entry in view.entries:
        problems += entry.problems or ()
        if entry.above in advisory and entry.counts and not entry.is_group:
            problems.append(_in_advisory(entry, advisory[entry.above]))
    return problems


def _entangled_problems(
    view: _View, faults: dict[str, list[tuple[str, str, str]]], advisory: Mapping[str, Node]
) -> Iterator[Problem]:
    """Those of all nodes, where some depend on others, or on a scale that is wrong."""
    times = view.keys
    ids = Counter([entry.own for entry in view.entries])
    for entry in view.entries:
        node = entry.node
        if times[entry.key] > 1 and 0 < len(entry.key) <= MAXIMUM_KEY_LENGTH:
            text = f"The key {entry.key!r} stands {times[entry.key]} times."
            yield about(node, "key_duplicate", text, "Give each node its own key.")
        if ids[entry.own] > 1 and entry.own:
            text = f"The id {node.id!r} stands {ids[entry.own]} times."
            yield about(node, "id_duplicate", text, "Give each node its own id.")
        if not view.is_sound:
            yield from _place_problems(entry, view)
        yield from entry.problems or ()
        if not entry.is_group:
            for code, text, remedy in faults.pop(entry.scale_id, ()):  # told once, at the first that uses it
                yield about(node, code, text, remedy)
            if entry.above in advisory and entry.counts:
                yield _in_advisory(entry, advisory[entry.above])


def _place_problems(entry: _Entry, view: _View) -> Iterator[Problem]:
    node, parent = entry.node, view.parent(entry)
    if entry.own in view.in_cycle:
        text = f"{title(node)} stands inside itself, or inside a group that does."
        yield about(node, "cycle", text, "Move one of these groups to the top level.")
    elif parent is None and entry.above:
        text = f"The parent of {title(node)} does not exist."
        yield about(node, "parent_missing", text, "Choose a group that does.")
    elif parent is not None and parent.node.is_criterion:
        text = f"{title(node)} stands under the criterion {title(parent.node)}."
        yield about(node, "parent_criterion", text, "Make the parent a group, or move the node out of it.")


def _in_advisory(entry: _Entry, group: Node) -> Problem:
    text = (
        f"{title(entry.node)} stands in the advisory group {title(group)}: it is not part of the score, "
        "but counts for completeness, N/A failure and gates."
    )
    return about(entry.node, "counts_in_advisory", text, "Make it advisory too.", severity="warning")


# --- groups ----------------------------------------------------------------------------------------


def _group_problems(view: _View) -> list[Problem]:
    with_children = len(view.children) - ("" in view.children) if view.is_sound else 0
    has_empty = view.group_count > with_children
    found: list[tuple[_Entry, Problem]] = []
    for group, siblings in view.groups(view.fine if not has_empty else {}):
        first = siblings[0]
        counting = [entry.weight for entry in siblings if entry.counts]
        total = sum(counting)
        if not counting or (total != 0 and not math.isinf(total)):
            view.fine[first.above] = siblings
        else:
            found += [(first, problem) for problem in _weight_problems(group, counting, total)]
        for entry in [each for each in siblings if each.is_group]:
            if entry.own not in view.children:
                text, remedy = f"The group {title(entry.node)} is empty.", "Add a criterion, or remove it."
                found.append((first, about(entry.node, "group_empty", text, remedy, severity="warning")))
    if view.is_sound and len(found) > 1:  # groups that came later are known last
        place = {entry.own: place for place, entry in enumerate(view.entries)}
        found.sort(key=lambda each: place[each[0].own])
    return [problem for _, problem in found]


def _weight_problems(group: Node | None, counting: list[float], total: float) -> Iterator[Problem]:
    where = f"of {title(group)}" if group is not None else "at the top level"
    at: dict[str, Any] = {"node_id": group.id, "key": group.key} if group is not None else {}
    if not any(counting):
        yield Problem(
            code="weights_zero",
            severity="warning",
            message=f"The weights {where} are all 0, so they share equally.",
            remedy="Give them weights above 0.",
            **at,
        )
    elif total != 0 and all(map(math.isfinite, counting)):
        yield Problem(
            code="weight",
            severity="error",
            message=f"The weights {where} are too large to add up.",
            remedy="Weights are relative: use small numbers.",
            **at,
        )
