"""A version's criteria as a tree to read: weights and shares, gates, policies; groups fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType

from rubrictui.core.model import Node, NotApplicablePolicy, RollupMethod, Scale, VersionSnapshot, fold_id
from rubrictui.widgets.rows_list import Column, Row, RowsList
from rubrictui.widgets.text import counted

COLUMNS: tuple[Column, ...] = (
    Column("Criterion", share=4, minimum=26),
    Column("Answered on", share=2, minimum=12, drop=3),
    Column("Weight", width=6, right=True, drop=2),
    Column("Share", width=6, right=True),
    Column("Of all", width=6, right=True, drop=1),
    Column("Rules", share=3, minimum=14),
)

ROOT = ""
"""The id of the row that stands for the version itself."""

OPEN, CLOSED, LEAF = "▾ ", "▸ ", "· "
"""What stands before the name of an open group, a folded one, and a criterion."""

POLICY_WORDS: dict[NotApplicablePolicy, str] = {
    NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE: "N/A leaves it out",
    NotApplicablePolicy.COUNT_AS_ZERO: "N/A is zero",
    NotApplicablePolicy.FAIL_EVALUATION: "N/A fails all",
    NotApplicablePolicy.NOT_ALLOWED: "no N/A",
}

ROLLUP_WORDS: dict[RollupMethod, str] = {
    RollupMethod.WEIGHTED_MEAN: "weighted mean",
    RollupMethod.MINIMUM: "minimum",
    RollupMethod.MAXIMUM: "maximum",
}


def rules(node: Node) -> str:
    """The rules of one node in a few words, the gravest first."""
    words: list[str] = []
    if node.is_gate:
        words.append(f"gate {node.gate_minimum_score or 0:g}")
    if node.is_advisory:
        words.append("advisory")
    if node.evidence_required:
        words.append("evidence")
    if node.rationale_required:
        words.append("rationale")
    if node.not_applicable_policy is not None:
        words.append(POLICY_WORDS[node.not_applicable_policy])
    return ", ".join(words)


def percent(share: float | None) -> str:
    """A share of 0..1 for a column of six cells."""
    return "" if share is None else f"{share * 100:.1f}%"


class RubricTree(RowsList):
    """The tree of one version. The first row stands for the version itself; its id is ``ROOT``."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "switch", "Fold", id="tree.toggle", tooltip="Fold or unfold the group"),
        Binding("left,h", "fold", "Fold", show=False, id="tree.fold", tooltip="Fold the group, or go to it"),
        Binding("right,l", "unfold", "Unfold", show=False, id="tree.unfold", tooltip="Unfold the group"),
        Binding("minus", "fold_all", "Fold all", show=False, id="tree.fold_all"),
        Binding("plus", "unfold_all", "Unfold all", show=False, id="tree.unfold_all"),
    ]
    """
    | Key(s) | What it does |
    | :- | :- |
    | enter | Fold or unfold the group under the cursor. |
    | left, h / right, l | Fold (or go to the group) / unfold. |
    | minus / plus | Fold / unfold every group. |
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(COLUMNS, id=id)
        self._folded: set[str] = set()
        self._children: dict[str, list[Node]] = {}
        self._parents: dict[str, str] = {}
        self._walk: list[tuple[Node, int]] = []
        self._version: VersionSnapshot | None = None
        self._shares: Mapping[str, float | None] = {}
        self._scales: dict[str, Scale] = {}
        self._built: list[Row] = []

    def show(self, version: VersionSnapshot, shares: Mapping[str, float | None]) -> None:
        """Show ``version``.

        Args:
            version: the tree; nodes that are not reached from the root stand at the end.
            shares: each node's share (0..1) of its group, by node id; None where it takes no part.
        """
        self._version, self._shares = version, shares
        self._scales = {fold_id(scale.id): scale for scale in version.scales}
        self._children = {}
        for node in version.nodes:
            self._children.setdefault(fold_id(node.parent_id), []).append(node)
        self._parents = {node.id: fold_id(node.parent_id) for node in version.nodes}
        self._walk = _walk(version, self._children)
        self._folded &= {node.id for node in version.nodes}
        self._fill()

    def _fill(self) -> None:
        version = self._version
        if version is None:
            return
        count = sum(1 for node in version.nodes if node.is_criterion)
        name = f"{version.rubric_name} {version.number or 'draft'}"
        self._built = [
            Row(id=ROOT, cells=(name, counted(count, "criterion", "criteria"), "", "", "", ""), tone="strong")
        ]
        overall: dict[str, float | None] = {ROOT: 1.0}
        self._built += [self._node_row(node, depth, overall) for node, depth in self._walk]
        self._refold()

    def _refold(self) -> None:
        """List what is not folded away; only the signs of folded groups differ from the rows as built."""
        self.set_rows([_closed(row) if row.id in self._folded else row for row in self._built])

    def _node_row(self, node: Node, depth: int, overall: dict[str, float | None]) -> Row:
        above = overall.get(fold_id(node.parent_id))
        share = self._shares.get(node.id)
        whole = above * share if above is not None and share is not None else None
        # Below a minimum or maximum no fixed part of the whole belongs to a criterion.
        picks_one = node.rollup_method in {RollupMethod.MINIMUM, RollupMethod.MAXIMUM}
        overall[fold_id(node.id)] = None if picks_one else whole
        is_group = not node.is_criterion
        scale = self._scales.get(fold_id(node.scale_id))
        answered = (
            ROLLUP_WORDS[node.rollup_method or RollupMethod.WEIGHTED_MEAN]
            if is_group
            else ((scale.name or scale.scale_type) if scale else "no scale")
        )
        return Row(
            id=node.id,
            cells=(
                (OPEN if is_group else LEAF) + (node.name or node.key),
                answered,
                f"{node.weight:g}",
                percent(share),
                percent(whole),
                rules(node),
            ),
            tone="muted" if node.is_advisory else "",
            tones=("strong",) if is_group else (),
            mark="!" if node.is_gate else " ",
            indent=2 * (depth + 1),
            search=node.key,
        )

    def listed(self) -> list[int]:
        """All that matches while there is a filter, else what no folded group hides."""
        if self.filter.strip() or not self._folded:
            return super().listed()
        hidden: set[str] = set()
        shown = []
        folded = {fold_id(node) for node in self._folded}
        for index, row in enumerate(self.rows):
            parent = self._parents.get(row.id, "")
            if row.id and parent and (parent in hidden or parent in folded):
                hidden.add(fold_id(row.id))
            else:
                shown.append(index)
        return shown

    # -- folding

    def _is_group(self, node_id: str) -> bool:
        return bool(node_id) and bool(self._children.get(fold_id(node_id)))

    def action_switch(self) -> None:
        """Fold or unfold the group under the cursor."""
        if self.current is not None and self._is_group(self.current.id):
            self._folded ^= {self.current.id}
            self._refold()

    def action_fold(self) -> None:
        """Fold the group under the cursor; from a criterion, or a folded group, go to the group above."""
        if self.current is None:
            return
        here = self.current.id
        if self._is_group(here) and here not in self._folded:
            self._folded.add(here)
            self._refold()
            return
        above = self._parents.get(here, "")
        self.go_to(next((row.id for row in self.rows if fold_id(row.id) == above), ROOT))

    def action_unfold(self) -> None:
        """Unfold the group under the cursor."""
        if self.current is not None and self.current.id in self._folded:
            self._folded.discard(self.current.id)
            self._refold()

    def action_fold_all(self) -> None:
        """Fold every group."""
        self._folded = {node.id for node, _ in self._walk if self._is_group(node.id)}
        self._refold()

    def action_unfold_all(self) -> None:
        """Unfold every group."""
        self._folded.clear()
        self._refold()


def _closed(row: Row) -> Row:
    return replace(row, cells=(CLOSED + row.cells[0].removeprefix(OPEN), *row.cells[1:]))


def _walk(version: VersionSnapshot, children: Mapping[str, list[Node]]) -> list[tuple[Node, int]]:
    """Nodes depth first with their depth; those of broken trees follow at the end, without one."""
    walked: list[tuple[Node, int]] = []
    seen: set[str] = set()
    stack = [(node, 0) for node in reversed(children.get("", []))]
    while stack:
        node, depth = stack.pop()
        if fold_id(node.id) in seen:
            continue
        seen.add(fold_id(node.id))
        walked.append((node, depth))
        stack += [(child, depth + 1) for child in reversed(children.get(fold_id(node.id), []))]
    return walked + [(node, 0) for node in version.nodes if fold_id(node.id) not in seen]
