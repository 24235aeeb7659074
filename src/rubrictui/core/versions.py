"""How far two versions of a rubric are apart, row by row, and the number the next one gets.

Rules: guide section 7; contract, "Version diff". A bump says whether old scores still compare: Major, they
do not; Minor, they do but the verdict rules changed; Patch, wording and order only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final, TypeVar

import msgspec

from rubrictui.core.canonical import canonical_json
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Band, Bump, Level, Node, Scale, Value, VersionSnapshot, fold_id

_RANK: Final = {Bump.INITIAL: 0, Bump.PATCH: 1, Bump.MINOR: 2, Bump.MAJOR: 3}

_VERSION_FIELDS: Final = (
    (Bump.MAJOR, "NotApplicablePolicy", "not_applicable_policy", "The N/A policy"),
    (Bump.MINOR, "PassThreshold", "pass_threshold", "The pass threshold"),
    (Bump.MINOR, "MinimumCompleteness", "minimum_completeness", "The minimum completeness"),
    (Bump.PATCH, "Instructions", "instructions", "The instructions"),
    (Bump.PATCH, "ScoreDisplayMin", "score_display_min", "The lower end of the display range"),
    (Bump.PATCH, "ScoreDisplayMax", "score_display_max", "The upper end of the display range"),
)
# Major on a node that counts, Minor on one that is advisory on both sides.
_NODE_SCORING: Final = (
    ("NodeType", "node_type", "Type"),
    ("Weight", "weight", "Weight"),
    ("IsAdvisory", "is_advisory", ""),
    ("IsGate", "is_gate", ""),
    ("GateMinimumScore", "gate_minimum_score", "Gate minimum"),
    ("NotApplicablePolicy", "not_applicable_policy", "N/A policy"),
    ("RollupMethod", "rollup_method", "Rollup"),
)
_NODE_REST: Final = (
    (Bump.MINOR, "EvidenceRequired", "evidence_required", ""),
    (Bump.MINOR, "RationaleRequired", "rationale_required", ""),
    (Bump.PATCH, "Name", "name", "Name"),
    (Bump.PATCH, "Description", "description", "Description"),
    (Bump.PATCH, "Guidance", "guidance", "Guidance"),
    (Bump.PATCH, "Sequence", "sequence", "Position"),
)
_SCALE_FIELDS: Final = (
    ("ScaleType", "scale_type", "type"),
    ("MinValue", "min_value", "lower end"),
    ("MaxValue", "max_value", "upper end"),
    ("Step", "step", "step"),
    ("HigherIsBetter", "higher_is_better", ""),
)
_LEVEL_FIELDS: Final = (
    (Bump.MAJOR, "Value", "value", "value"),
    (Bump.MAJOR, "NormalizedValue", "normalized_value", "score"),
    (Bump.PATCH, "level label", "label", "label"),
    (Bump.PATCH, "level description", "description", "description"),
)
# What a flag says when it turns true, and when it turns false.
_FLAG_WORDS: Final = {
    "IsAdvisory": ("is advisory now", "is no longer advisory"),
    "IsGate": ("is a gate now", "is no longer a gate"),
    "EvidenceRequired": ("requires evidence now", "no longer requires evidence"),
    "RationaleRequired": ("requires a rationale now", "no longer requires a rationale"),
    "HigherIsBetter": ("scores high values best now", "scores low values best now"),
}
# What an absent value means, where "none" would not say it.
_NONE_WORDS: Final = {"NotApplicablePolicy": "the version's", "RollupMethod": "the default (WeightedMean)"}
# One look at all of a node's plain fields: most nodes of two versions are the same.
_ALL_PLAIN: Final = attrgetter(
    *(field for _, field, _ in _NODE_SCORING), *(field for _, _, field, _ in _NODE_REST)
)


class Change(Value, frozen=True, kw_only=True):
    """One difference between two versions.

    ``subject`` is ``version``, a node key, a band label or a scale id; ``property`` a word of the contract.
    ``before`` and ``after`` are JSON values; ``reason`` is a sentence for people; ``path`` gives the names
    from the root of the tree to the node (empty for the version, bands and scales).
    """

    bump: Bump
    subject: str
    property: str
    before: Any = None
    after: Any = None
    reason: str = ""
    path: tuple[str, ...] = ()


class VersionNumber(Value, frozen=True, kw_only=True):
    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


class VersionDiff(Value, frozen=True, kw_only=True):
    """All changes, the bump they amount to, the bump after the author's request, and the next number.

    The last three are None when the versions are identical; ``computed_bump`` also without a base.
    """

    changes: tuple[Change, ...]
    computed_bump: Bump | None
    applied_bump: Bump | None
    next_version: VersionNumber | None


def diff_versions(
    base: VersionSnapshot | None, draft: VersionSnapshot, requested: str | None = None
) -> VersionDiff:
    """Compare a draft with the version it follows.

    Args:
        base: the highest Published or Retired version; None when there is none.
        draft: the version to be published.
        requested: the bump the author asks for; a lower one than the changes need is ignored.

    Raises:
        InvalidInputError: ``requested`` is no bump.
    """
    if requested is not None and requested not in tuple(Bump):
        raise InvalidInputError(f"Unknown bump {requested!r}.", remedy="Use Major, Minor or Patch.")
    if base is None:
        return VersionDiff(
            changes=(),
            computed_bump=None,
            applied_bump=Bump.INITIAL,
            next_version=VersionNumber(major=1, minor=0, patch=0),
        )
    changes = (
        *_version_changes(base, draft),
        *_node_changes(base, draft),
        *_band_changes(base.bands, draft.bands),
        *_scale_changes(base, draft),
    )
    if not changes:
        return VersionDiff(changes=(), computed_bump=None, applied_bump=None, next_version=None)
    computed = max((change.bump for change in changes), key=_RANK.__getitem__)
    applied = computed if requested is None else max(computed, Bump(requested), key=_RANK.__getitem__)
    return VersionDiff(
        changes=changes, computed_bump=computed, applied_bump=applied, next_version=next_number(base, applied)
    )


def next_number(base: VersionSnapshot, bump: Bump) -> VersionNumber:
    """The number after the base's; a number the base does not have counts as 0."""
    major, minor, patch = base.major_version or 0, base.minor_version or 0, base.patch_version or 0
    if bump is Bump.MAJOR:
        return VersionNumber(major=major + 1, minor=0, patch=0)
    if bump is Bump.MINOR:
        return VersionNumber(major=major, minor=minor + 1, patch=0)
    return VersionNumber(major=major, minor=minor, patch=patch + 1)


# --- the version itself ----------------------------------------------------------------------------


def _version_changes(base: VersionSnapshot, draft: VersionSnapshot) -> Iterable[Change]:
    for bump, name, field, words in _VERSION_FIELDS:
        before, after = getattr(base, field), getattr(draft, field)
        if before != after:
            yield Change(
                bump=bump,
                subject="version",
                property=name,
                before=before,
                after=after,
                reason=_sentence(words, before, after, bump),
            )


# --- nodes -----------------------------------------------------------------------------------------


class _Tree:
    """A version's nodes by folded id, to name parents and paths."""

    def __init__(self, version: VersionSnapshot) -> None:
        self.by_id = {fold_id(node.id): node for node in version.nodes}
        self.parent_ids = {own: fold_id(node.parent_id) for own, node in self.by_id.items()}
        self.scale_names = {fold_id(scale.id): scale.name for scale in version.scales}

    def parent_key(self, node: Node) -> str | None:
        """The parent's key; None at the root, and "" (no key at all) where the parent does not exist."""
        if not node.parent_id:
            return None
        above = fold_id(node.parent_id)
        parent = self.by_id.get(above)
        return parent.key if parent is not None else "" if above else None

    def parent_name(self, node: Node) -> str:
        above = fold_id(node.parent_id)
        parent = self.by_id.get(above)
        if parent is not None:
            return repr(_title(parent))
        return "a parent that does not exist" if above else "the top level"

    def path(self, node: Node) -> tuple[str, ...]:
        names = [_title(node)]
        here = fold_id(node.id)
        seen = {here}
        while (here := self.parent_ids.get(here, "")) in self.by_id and here not in seen:
            seen.add(here)
            names.append(_title(self.by_id[here]))
        return tuple(reversed(names))

    def scale_name(self, scale_id: str | None) -> str:
        if scale_id is None:
            return "none"
        return self.scale_names.get(fold_id(scale_id)) or scale_id


def _node_changes(base: VersionSnapshot, draft: VersionSnapshot) -> Iterable[Change]:
    old_tree, new_tree = _Tree(base), _Tree(draft)
    kept, removed, added = _match(base.nodes, draft.nodes, lambda node: node.key)
    for old, new in kept:
        yield from _one_node(old, new, old_tree, new_tree)
    for node in added:
        yield _presence(node, "added", new_tree)
    for node in removed:
        yield _presence(node, "removed", old_tree)


def _presence(node: Node, property_name: str, tree: _Tree) -> Change:
    bump = Bump.MINOR if node.is_advisory else Bump.MAJOR
    kind = ("Advisory " if node.is_advisory else "") + str(node.node_type)
    return Change(
        bump=bump,
        subject=node.key,
        property=property_name,
        before=node.name if property_name == "removed" else None,
        after=node.name if property_name == "added" else None,
        reason=f"{kind.capitalize()} {_title(node)!r} was {property_name}{_consequence(bump)}",
        path=tree.path(node),
    )


def _one_node(old: Node, new: Node, old_tree: _Tree, new_tree: _Tree) -> Iterable[Change]:
    scoring = Bump.MINOR if old.is_advisory and new.is_advisory else Bump.MAJOR

    def change(bump: Bump, property_name: str, before: Any, after: Any, reason: str) -> Change:
        return Change(
            bump=bump,
            subject=new.key,
            property=property_name,
            before=before,
            after=after,
            reason=reason,
            path=new_tree.path(new),
        )

    def plain(bump: Bump, property_name: str, before: Any, after: Any, words: str) -> Change:
        if property_name in _FLAG_WORDS:
            sentence = f"{_title(new)!r} {_FLAG_WORDS[property_name][not after]}{_consequence(bump)}"
        else:
            none = _NONE_WORDS.get(property_name, "none")
            sentence = _sentence(f"{words} of {_title(new)!r}", before, after, bump, none)
        return change(bump, property_name, before, after, sentence)

    before, after = old_tree.parent_key(old), new_tree.parent_key(new)
    if before != after:
        places = old_tree.parent_name(old), new_tree.parent_name(new)
        sentence = f"{_title(new)!r} moved from {places[0]} to {places[1]}{_consequence(scoring)}"
        yield change(scoring, "ParentID", before, after, sentence)
    if _folded(old.scale_id) != _folded(new.scale_id):
        names = old_tree.scale_name(old.scale_id), new_tree.scale_name(new.scale_id)
        sentence = f"Scale of {_title(new)!r} changed from {names[0]} to {names[1]}{_consequence(scoring)}"
        yield change(scoring, "ScaleID", old.scale_id, new.scale_id, sentence)
    if _ALL_PLAIN(old) != _ALL_PLAIN(new):
        for name, field, words in _NODE_SCORING:
            before, after = getattr(old, field), getattr(new, field)
            if before != after:
                yield plain(scoring, name, before, after, words)
        for bump, name, field, words in _NODE_REST:
            before, after = getattr(old, field), getattr(new, field)
            if before != after:
                yield plain(bump, name, before, after, words)
    if not _same_config(old.evaluator_config, new.evaluator_config):
        sentence = f"Evaluator settings of {_title(new)!r} changed{_consequence(scoring)}"
        yield change(scoring, "EvaluatorConfig", old.evaluator_config, new.evaluator_config, sentence)
    if not _same_anchors(old, new):
        texts = [anchor.descriptor for anchor in old.anchors], [anchor.descriptor for anchor in new.anchors]
        sentence = f"Anchor texts of {_title(new)!r} changed{_consequence(Bump.PATCH)}"
        yield change(Bump.PATCH, "Descriptor", *texts, sentence)


def _same_config(old: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
    if old is None or new is None:
        return old is new
    # Canonical JSON decides, and is the slow way: equal text means equal JSON, and values that differ
    # mean that JSON does. What is left (order of keys, 1 or 1.0, 1 or true) is rare.
    if repr(old) == repr(new):
        return True
    if _plain(old) != _plain(new):
        return False
    return canonical_json(old) == canonical_json(new)


def _plain(config: dict[str, Any]) -> Any:
    return msgspec.json.decode(msgspec.json.encode(config))


def _same_anchors(old: Node, new: Node) -> bool:
    """Same texts in order, and the same text at each level; ``anchor_value`` alone is no change."""
    if old.anchors == new.anchors:
        return True
    texts = ("\n".join(anchor.descriptor for anchor in node.anchors) for node in (old, new))
    if next(texts) != next(texts):
        return False
    return _level_texts(old) == _level_texts(new)


def _level_texts(node: Node) -> dict[str, str]:
    return {fold_id(a.scale_level_id): a.descriptor for a in node.anchors if fold_id(a.scale_level_id)}


# --- bands -----------------------------------------------------------------------------------------


def _band_changes(base: Sequence[Band], draft: Sequence[Band]) -> Iterable[Change]:
    kept, removed, added = _match(base, draft, lambda band: band.label)
    by_id, removed, added = _match(removed, added, lambda band: fold_id(band.id) or None)
    kept += by_id
    if len(removed) == len(added) == 1:
        kept.append((removed.pop(), added.pop()))
    for old, new in kept:
        yield from _one_band(old, new)
    tail = _consequence(Bump.MINOR)
    for band in added:
        yield Change(
            bump=Bump.MINOR,
            subject=band.label,
            property="band added",
            after=_extent(band),
            reason=f"Band {band.label!r} ({_range(band)}) was added{tail}",
        )
    for band in removed:
        yield Change(
            bump=Bump.MINOR,
            subject=band.label,
            property="band removed",
            before=_extent(band),
            reason=f"Band {band.label!r} ({_range(band)}) was removed{tail}",
        )


def _one_band(old: Band, new: Band) -> Iterable[Change]:
    if old.label != new.label:
        yield Change(
            bump=Bump.PATCH,
            subject=old.label,
            property="band label",
            before=old.label,
            after=new.label,
            reason=_sentence("Label of a band", old.label, new.label, Bump.PATCH),
        )
    if _extent(old) != _extent(new):
        what = f"Band {new.label!r} changed from {_range(old)} to {_range(new)}"
        yield Change(
            bump=Bump.MINOR,
            subject=new.label,
            property="band range",
            before=_extent(old),
            after=_extent(new),
            reason=f"{what}{_consequence(Bump.MINOR)}",
        )
    for name, field, words in (
        ("band wording", "description", "Description"),
        ("Sequence", "sequence", "Position"),
    ):
        before, after = getattr(old, field), getattr(new, field)
        if before != after:
            yield Change(
                bump=Bump.PATCH,
                subject=new.label,
                property=name,
                before=before,
                after=after,
                reason=_sentence(f"{words} of band {new.label!r}", before, after, Bump.PATCH),
            )


def _extent(band: Band) -> dict[str, Any]:
    return {"min_score": band.min_score, "max_score": band.max_score, "display_tone": band.display_tone}


def _range(band: Band) -> str:
    tone = f", {band.display_tone}" if band.display_tone else ""
    return f"{_show(band.min_score)} to {_show(band.max_score)}{tone}"


# --- scales ----------------------------------------------------------------------------------------


def _scale_changes(base: VersionSnapshot, draft: VersionSnapshot) -> Iterable[Change]:
    """Scales that both versions hold and that a node which counts, on either side, is answered on."""
    used = {
        fold_id(node.scale_id)
        for version in (base, draft)
        for node in version.nodes
        if not node.is_advisory and fold_id(node.scale_id)
    }
    kept, _, _ = _match(base.scales, draft.scales, lambda scale: fold_id(scale.id))
    for old, new in kept:
        if fold_id(new.id) in used and old != new:
            yield from _one_scale(old, new)


def _one_scale(old: Scale, new: Scale) -> Iterable[Change]:
    title = f"scale {new.name or new.id!r}"

    def row(bump: Bump, property_name: str, before: Any, after: Any, reason: str) -> Change:
        return Change(
            bump=bump, subject=new.id, property=property_name, before=before, after=after, reason=reason
        )

    for name, field, words in _SCALE_FIELDS:
        before, after = getattr(old, field), getattr(new, field)
        if before != after:
            sentence = _sentence(f"The {words} of {title}", before, after, Bump.MAJOR)
            if name in _FLAG_WORDS:
                sentence = f"S{title[1:]} {_FLAG_WORDS[name][not after]}{_consequence(Bump.MAJOR)}"
            yield row(Bump.MAJOR, name, before, after, sentence)
    kept, removed, added = _match(old.levels, new.levels, lambda level: fold_id(level.id))
    for old_level, new_level in kept:
        for bump, name, field, words in _LEVEL_FIELDS:
            before, after = getattr(old_level, field), getattr(new_level, field)
            if before != after:
                what = f"The {words} of level {old_level.label!r} of {title}"
                yield row(bump, name, before, after, _sentence(what, before, after, bump))
    for level, property_name in (
        *((level, "level added") for level in added),
        *((level, "level removed") for level in removed),
    ):
        yield _level_row(row, level, property_name, title)


def _level_row(row: Callable[..., Change], level: Level, property_name: str, title: str) -> Change:
    gone = property_name == "level removed"
    what = f"Level {level.label!r} ({_show(level.normalized_value)}) of {title}"
    return row(
        Bump.MAJOR,
        property_name,
        level.label if gone else None,
        None if gone else level.label,
        f"{what} was {'removed' if gone else 'added'}{_consequence(Bump.MAJOR)}",
    )


# --- matching and words ----------------------------------------------------------------------------

T = TypeVar("T")


def _match(
    old: Sequence[T], new: Sequence[T], identity: Callable[[T], Hashable]
) -> tuple[list[tuple[T, T]], list[T], list[T]]:
    """Pair what has the same identity, each once and in order; None never matches.

    Returns the pairs in the order of ``new``, then what is left of ``old`` and of ``new``.
    """
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for place in range(len(old) - 1, -1, -1):
        waiting[identity(old[place])].append(place)
    pairs: list[tuple[T, T]] = []
    unmatched: list[T] = []
    taken: set[int] = set()
    for item in new:
        key = identity(item)
        if key is not None and waiting.get(key):
            place = waiting[key].pop()
            taken.add(place)
            pairs.append((old[place], item))
        else:
            unmatched.append(item)
    return pairs, [item for place, item in enumerate(old) if place not in taken], unmatched


def _folded(value: str | None) -> str | None:
    """Ids compare folded, but none and an empty one differ."""
    return None if value is None else fold_id(value)


def _title(node: Node) -> str:
    return node.name or node.key


def _sentence(what: str, before: Any, after: Any, bump: Bump, none: str = "none") -> str:
    if isinstance(before, str) and isinstance(after, str) and len(before) + len(after) > 120:
        return f"{what} was reworded{_consequence(bump)}"
    return f"{what} changed from {_show(before, none)} to {_show(after, none)}{_consequence(bump)}"


def _consequence(bump: Bump) -> str:
    return f": {CONSEQUENCES[bump]}."


#: What a change means for scores, by its bump: the reason that every change of it has.
CONSEQUENCES: Final = {
    Bump.MAJOR: "old scores do not compare",
    Bump.MINOR: "scores compare, the rules around them changed",
    Bump.PATCH: "scores stay as they are",
}


def _show(value: Any, none: str = "none") -> str:
    if value is None:
        return none
    if type(value) is str:
        return repr(value)
    return str(value).removesuffix(".0")
