"""The changes between two versions as people read them: by what they are about, moves as moves, texts in full.

The rows and their bumps are ``versions.diff_versions``'s; here they are put together. The screen, the command
line and its Markdown show what this makes.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, Final

from rubrictui.core.model import Bump, Node, Scale, Value, VersionSnapshot, fold_id
from rubrictui.core.versions import Change, VersionDiff

_RANK: Final = {Bump.PATCH: 1, Bump.MINOR: 2, Bump.MAJOR: 3}

_WORDS: Final = {
    "added": "Added",
    "removed": "Removed",
    "ParentID": "Moved",
    "NodeType": "Type",
    "Weight": "Weight",
    "ScaleID": "Scale",
    "IsAdvisory": "Advisory",
    "IsGate": "Gate",
    "GateMinimumScore": "Gate minimum",
    "NotApplicablePolicy": "N/A policy",
    "RollupMethod": "Rollup",
    "EvaluatorConfig": "Evaluator settings",
    "EvidenceRequired": "Evidence required",
    "RationaleRequired": "Rationale required",
    "Sequence": "Position",
    "PassThreshold": "Pass threshold",
    "MinimumCompleteness": "Minimum completeness",
    "ScoreDisplayMin": "Display range from",
    "ScoreDisplayMax": "Display range to",
    "ScaleType": "Type",
    "MinValue": "Minimum",
    "MaxValue": "Maximum",
    "HigherIsBetter": "Higher is better",
    "NormalizedValue": "Score of a level",
    "Value": "Value of a level",
    "level added": "Level added",
    "level removed": "Level removed",
    "level label": "Label of a level",
    "level description": "Description of a level",
    "band added": "Added",
    "band removed": "Removed",
    "band range": "Range",
    "band label": "Label",
    "band wording": "Description",
}

#: What an absent value means where "none" would not say it.
_ABSENT: Final = {"NotApplicablePolicy": "the version's", "RollupMethod": "WeightedMean"}


class ChangeRow(Value, frozen=True, kw_only=True):
    """One change in words. ``before`` and ``after`` are texts, None where there is nothing on that side."""

    bump: Bump
    property: str
    what: str
    before: str | None
    after: str | None
    reason: str = ""


class ChangeGroup(Value, frozen=True, kw_only=True):
    """All that changed about one thing. ``kind`` is ``version``, ``node``, ``band`` or ``scale``.

    ``path`` gives the names from the root to a node, and the title alone for other things. ``also`` says more
    about the whole: that a new key looks like a renamed one.
    """

    kind: str
    subject: str
    path: tuple[str, ...]
    bump: Bump
    rows: tuple[ChangeRow, ...]
    also: str = ""

    @property
    def title(self) -> str:
        return self.path[-1] if self.path else self.subject


def change_groups(
    diff: VersionDiff,
    base: VersionSnapshot | None,
    draft: VersionSnapshot,
    *,
    bumps: Iterable[Bump] = (Bump.MAJOR, Bump.MINOR, Bump.PATCH),
) -> tuple[ChangeGroup, ...]:
    """The changes of ``diff`` by subject, in the order of the tree; only those of these bumps.

    Of siblings in a new order only those that moved past others are told, not those that made way.
    """
    if base is None:
        return ()
    view = _View(base, draft)
    wanted = set(bumps)
    gathered: dict[tuple[str, str], list[Change]] = {}
    for change in diff.changes:
        if change.bump in wanted and not view.made_way(change):
            gathered.setdefault((_kind(change), change.subject), []).append(change)
    groups = [view.group(kind, subject, changes) for (kind, subject), changes in gathered.items()]
    return tuple(sorted(groups, key=view.place))


def made_way(diff: VersionDiff, groups: Iterable[ChangeGroup]) -> int:
    """How many siblings have another position only because others moved: counted by ``diff``, not told in groups."""
    moved = {group.subject for group in groups for row in group.rows if row.property == "Sequence"}
    return sum(
        change.property == "Sequence" and bool(change.path) and change.subject not in moved
        for change in diff.changes
    )


_BANDS: Final = {"band added", "band removed", "band range", "band label", "band wording"}
_SCALES: Final = {
    "ScaleType",
    "MinValue",
    "MaxValue",
    "Step",
    "HigherIsBetter",
    "Value",
    "NormalizedValue",
    "level added",
    "level removed",
    "level label",
    "level description",
}


def _kind(change: Change) -> str:
    if change.path:
        return "node"
    if change.property in _SCALES:
        return "scale"
    if change.property in _BANDS or change.property == "Sequence":
        return "band"
    return "version"


class _View:
    def __init__(self, base: VersionSnapshot, draft: VersionSnapshot) -> None:
        self.base, self.draft = base, draft
        self._old = {node.key: node for node in base.nodes}
        self._new = {node.key: node for node in draft.nodes}
        self._titles = {node.key: node.name or node.key for node in (*base.nodes, *draft.nodes)}
        self._scales: dict[str, Scale] = {fold_id(scale.id): scale for scale in (*base.scales, *draft.scales)}
        self._order = {key: place for place, key in enumerate([*self._new, *self._old])}
        self._movers = self._find_movers()

    # -- moves

    def _find_movers(self) -> set[str]:
        """Keys of nodes that stand elsewhere among their siblings than the others: the fewest that explain it."""
        old_by_parent: dict[str | None, list[str]] = {}
        new_by_parent: dict[str | None, list[str]] = {}
        for version, found in ((self.base, old_by_parent), (self.draft, new_by_parent)):
            keys = {fold_id(node.id): node.key for node in version.nodes}
            for node in version.nodes:
                above = fold_id(node.parent_id)
                found.setdefault(keys.get(above) if above else None, []).append(node.key)
        movers: set[str] = set()
        for parent, new in new_by_parent.items():
            old = {key: place for place, key in enumerate(old_by_parent.get(parent, ()))}
            stayed = [key for key in new if key in old]
            keep = _longest_rising([old[key] for key in stayed])
            movers.update(key for place, key in enumerate(stayed) if place not in keep)
        return movers

    def made_way(self, change: Change) -> bool:
        """Whether a new sequence only follows from what others did: its order among those that stay is the same."""
        return change.property == "Sequence" and bool(change.path) and change.subject not in self._movers

    # -- groups

    def group(self, kind: str, subject: str, changes: Sequence[Change]) -> ChangeGroup:
        rows = [row for change in changes for row in self._rows(kind, change)]
        return ChangeGroup(
            kind=kind,
            subject=subject,
            path=self._path(kind, subject, changes),
            bump=max((change.bump for change in changes), key=_RANK.__getitem__),
            rows=tuple(rows),
            also=self._also(subject, changes) if kind == "node" else "",
        )

    def place(self, group: ChangeGroup) -> tuple[int, int]:
        """The version first, then nodes as they stand in the tree, bands, scales."""
        kinds = ("version", "node", "band", "scale")
        return kinds.index(group.kind), self._order.get(group.subject, 0) if group.kind == "node" else 0

    def _path(self, kind: str, subject: str, changes: Sequence[Change]) -> tuple[str, ...]:
        if kind == "node":
            return changes[0].path
        if kind == "scale":
            scale = self._scales.get(fold_id(subject))
            return (f"Scale {(scale.name if scale else None) or subject}",)
        return ("The version",) if kind == "version" else (f"Band {subject}",)

    def _also(self, subject: str, changes: Sequence[Change]) -> str:
        """A removed and an added node of one name look like one with another key."""
        names = {change.property for change in changes}
        if "added" in names:
            others, here = self._old, self._new.get(subject)
            gone = [node for key, node in others.items() if key not in self._new]
            words = "Looks like {!r} under another key; keys are permanent, so it is another node."
        elif "removed" in names:
            here = self._old.get(subject)
            gone = [node for key, node in self._new.items() if key not in self._old]
            words = "It looks like {!r} is the same under another key."
        else:
            return ""
        twin = next(
            (node for node in gone if here is not None and node.name and node.name == here.name), None
        )
        return words.format(twin.key) if twin is not None else ""

    # -- rows

    def _rows(self, kind: str, change: Change) -> Iterable[ChangeRow]:
        if change.property == "Descriptor":
            yield from self._anchor_rows(change)
            return
        what = _WORDS.get(change.property, change.property)
        before, after = change.before, change.after
        if change.property == "ParentID":
            before, after = self._parent(before), self._parent(after)
        elif change.property == "ScaleID":
            before, after = self._scale(before), self._scale(after)
        elif change.property == "Sequence" and kind == "node":
            what = "Moved"
            before, after = (
                self._between(self.base, change.subject),
                self._between(self.draft, change.subject),
            )
        elif change.property in ("added", "removed"):
            node = (self._new if change.property == "added" else self._old).get(change.subject)
            told = self._node(node) if node is not None else None
            before, after = (None, told) if change.property == "added" else (told, None)
        elif change.property in ("level added", "level removed"):
            before, after = (change.before, change.after)
        else:
            absent = _ABSENT.get(change.property, "none") if kind == "node" else "none"
            before, after = _text(before, absent), _text(after, absent)
        yield ChangeRow(
            bump=change.bump,
            property=change.property,
            what=what,
            before=before,
            after=after,
            reason=change.reason,
        )

    def _anchor_rows(self, change: Change) -> Iterable[ChangeRow]:
        """One row for each level whose text differs."""
        old, new = self._old.get(change.subject), self._new.get(change.subject)
        if old is None or new is None:
            return
        texts = [{fold_id(a.scale_level_id): a.descriptor for a in node.anchors} for node in (old, new)]
        scale = self._scales.get(fold_id(new.scale_id)) or self._scales.get(fold_id(old.scale_id))
        labels = {fold_id(level.id): level.label for level in scale.levels} if scale else {}
        order = {own: place for place, own in enumerate(labels)}
        levels = sorted({*texts[0], *texts[1]}, key=lambda own: order.get(own, len(order)))
        shown = False
        for own in levels:
            before, after = texts[0].get(own), texts[1].get(own)
            if before != after:
                shown = True
                what = f"Anchor {labels.get(own, own or 'text')}"
                yield ChangeRow(
                    bump=change.bump,
                    property=change.property,
                    what=what,
                    before=before,
                    after=after,
                    reason=change.reason,
                )
        if not shown:  # the same texts in another order
            yield ChangeRow(
                bump=change.bump,
                property=change.property,
                what="Order of the anchors",
                before=", ".join(labels.get(fold_id(a.scale_level_id), "?") for a in old.anchors),
                after=", ".join(labels.get(fold_id(a.scale_level_id), "?") for a in new.anchors),
                reason=change.reason,
            )

    def _parent(self, key: str | None) -> str:
        if key is None:
            return "at the top level"
        return f"in {self._titles.get(key, key)}" if key else "in a group that does not exist"

    def _scale(self, scale_id: str | None) -> str:
        scale = self._scales.get(fold_id(scale_id)) if scale_id else None
        return (scale.name or scale.id) if scale is not None else (scale_id or "none")

    def _between(self, version: VersionSnapshot, key: str) -> str:
        node = next((each for each in version.nodes if each.key == key), None)
        if node is None:
            return "none"
        siblings = [each for each in version.nodes if fold_id(each.parent_id) == fold_id(node.parent_id)]
        here = siblings.index(node)
        place = f"{here + 1} of {len(siblings)}"
        return (
            f"{place}, after {siblings[here - 1].name or siblings[here - 1].key}"
            if here
            else f"{place}, first"
        )

    def _node(self, node: Node) -> str:
        kind = "advisory " if node.is_advisory else ""
        words = [f"{kind}{str(node.node_type).lower()}", f"weight {_text(node.weight)}"]
        if node.is_criterion:
            words.append(f"on {self._scale(node.scale_id)}")
        if node.is_gate:
            words.append(f"gate from {_text(node.gate_minimum_score)}")
        return ", ".join(words)


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """The places of a longest rising run within different numbers."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        at = bisect_left(tails, number)
        before.append(ends[at - 1] if at else -1)
        if at == len(tails):
            tails.append(number)
            ends.append(place)
        else:
            tails[at], ends[at] = number, place
    kept: set[int] = set()
    here = ends[-1] if ends else -1
    while here >= 0:
        kept.add(here)
        here = before[here]
    return kept


def _text(value: Any, absent: str = "none") -> str:
    if value is None:
        return absent
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, dict):
        if set(value) == {"min_score", "max_score", "display_tone"}:
            tone = f", {value['display_tone']}" if value["display_tone"] else ""
            return f"{_text(value['min_score'])} to {_text(value['max_score'])}{tone}"
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return str(value)
