"""The criteria of a version as rows to answer, in walk order. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rubrictui.core.model import (
    Answer,
    Node,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    VersionSnapshot,
    fold_id,
)
from rubrictui.widgets.level_keys import LevelKey, level_keys

RATIONALE = "rationale"
EVIDENCE = "evidence"


@dataclass(frozen=True, slots=True, eq=False)
class CriteriaRow:
    """One node of the tree as a row.

    ``number`` counts the criteria from 1 (0 for a group). ``leaves`` are the folded ids of the criteria
    at and below it. ``policy`` is what not applicable does here, the version's where the node has none.
    """

    node: Node
    depth: int
    number: int
    scale: Scale | None
    keys: tuple[LevelKey, ...]
    policy: NotApplicablePolicy
    leaves: tuple[str, ...]

    @property
    def id(self) -> str:
        return fold_id(self.node.id)

    @property
    def is_numeric(self) -> bool:
        return self.scale is not None and self.scale.scale_type is ScaleType.NUMERIC

    @property
    def allows_not_applicable(self) -> bool:
        return self.policy is not NotApplicablePolicy.NOT_ALLOWED


def criteria_rows(version: VersionSnapshot) -> tuple[CriteriaRow, ...]:
    """Every node that takes part, depth first in the order given (contract, "Scoring")."""
    children: dict[str, list[Node]] = {}
    for node in version.nodes:
        children.setdefault(fold_id(node.parent_id), []).append(node)
    scales = {fold_id(scale.id): scale for scale in version.scales}
    keys = {fold_id(scale.id): level_keys(scale.levels) for scale in version.scales}
    rows: list[CriteriaRow] = []
    count = 0
    # (node, depth, index of its row once opened): a stack of our own, so that depth has no limit.
    stack: list[tuple[Node, int, int | None]] = [(node, 0, None) for node in reversed(children.get("", []))]
    below: dict[int, list[str]] = {}
    open_groups: list[int] = []
    while stack:
        node, depth, opened = stack.pop()
        if opened is not None:
            open_groups.pop()
            row = rows[opened]
            rows[opened] = CriteriaRow(
                row.node, row.depth, 0, None, (), row.policy, tuple(below.pop(opened, ()))
            )
            continue
        policy = node.not_applicable_policy or version.not_applicable_policy
        if node.is_criterion:
            count += 1
            scale = fold_id(node.scale_id)
            leaf = fold_id(node.id)
            for group in open_groups:
                below.setdefault(group, []).append(leaf)
            rows.append(
                CriteriaRow(node, depth, count, scales.get(scale), keys.get(scale, ()), policy, (leaf,))
            )
            continue
        index = len(rows)
        rows.append(CriteriaRow(node, depth, 0, None, (), policy, ()))
        open_groups.append(index)
        stack.append((node, depth, index))
        stack.extend((child, depth + 1, None) for child in reversed(children.get(fold_id(node.id), [])))
    return tuple(rows)


def missing_parts(node: Node, answer: Answer | None) -> tuple[str, ...]:
    """What an answered criterion still lacks: ``rationale``, ``evidence``.

    Every answer needs its rationale where one is required, not applicable included; every answer but not
    applicable its evidence. An unanswered criterion lacks nothing.
    """
    if answer is None or not answer.is_answered:
        return ()
    parts = []
    if node.rationale_required and not (answer.rationale or "").strip():
        parts.append(RATIONALE)
    if node.evidence_required and not answer.is_not_applicable and not answer.evidence:
        parts.append(EVIDENCE)
    return tuple(parts)


def needs_work(node: Node, answer: Answer | None) -> bool:
    """Whether the criterion is unanswered or lacks something its answer needs."""
    return answer is None or not answer.is_answered or bool(missing_parts(node, answer))


def next_needing_work(
    rows: tuple[CriteriaRow, ...], answers: Mapping[str, Answer], start: int, step: int = 1
) -> int | None:
    """The index of the nearest criterion after ``start`` that needs work, around the end; None if none does.

    Args:
        rows: the rows.
        answers: by folded criterion id.
        start: an index into ``rows``.
        step: 1 forwards, -1 backwards.
    """
    for offset in range(1, len(rows) + 1):
        index = (start + step * offset) % len(rows)
        row = rows[index]
        if row.number and needs_work(row.node, answers.get(row.id)):
            return index
    return None


def answered_count(rows: tuple[CriteriaRow, ...], answers: Mapping[str, Answer]) -> int:
    """How many criteria have an answer, not applicable included."""
    return sum(1 for row in rows if row.number and (a := answers.get(row.id)) is not None and a.is_answered)
