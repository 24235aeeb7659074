"""The values everything takes and gives: frozen, typed, comparable, and readable as JSON.

A *version snapshot* is the unit: the whole definition of one rubric version with the scales it uses.
Field names are the snake_case of the guide's; enumeration values keep the guide's words. The JSON of a
snapshot and of a list of answers is public (``docs/formats.md``): an absent key means its default.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class VersionStatus(StrEnum):
    DRAFT = "Draft"
    PUBLISHED = "Published"
    RETIRED = "Retired"


class NodeType(StrEnum):
    GROUP = "Group"
    CRITERION = "Criterion"


class ScaleType(StrEnum):
    LEVELS = "Levels"
    NUMERIC = "Numeric"


class NotApplicablePolicy(StrEnum):
    """What a not-applicable answer does (guide section 6)."""

    EXCLUDE_AND_REDISTRIBUTE = "ExcludeAndRedistribute"
    COUNT_AS_ZERO = "CountAsZero"
    FAIL_EVALUATION = "FailEvaluation"
    NOT_ALLOWED = "NotAllowed"


class RollupMethod(StrEnum):
    WEIGHTED_MEAN = "WeightedMean"
    MINIMUM = "Minimum"
    MAXIMUM = "Maximum"


class Outcome(StrEnum):
    PASSED = "Passed"
    BELOW_THRESHOLD = "BelowThreshold"
    GATE_FAILED = "GateFailed"
    INCOMPLETE = "Incomplete"
    NOT_APPLICABLE_FAILURE = "NotApplicableFailure"
    SCORED = "Scored"


class Bump(StrEnum):
    """How far two versions are apart (guide section 7)."""

    INITIAL = "Initial"
    MAJOR = "Major"
    MINOR = "Minor"
    PATCH = "Patch"


class EvidenceKind(StrEnum):
    QUOTE = "quote"
    FILE = "file"
    LINK = "link"
    NOTE = "note"


class Value(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every value here. A field that the JSON should not have is refused, never dropped."""


class Level(Value, frozen=True, kw_only=True):
    """One level of a scale. ``normalized_value`` is the score it gives, 0..1."""

    id: str
    label: str
    value: float | None = None
    normalized_value: float = 0.0
    description: str | None = None
    sequence: int = 0


class Scale(Value, frozen=True, kw_only=True):
    """An answer scale. Levels: pick one of ``levels``. Numeric: a number in ``min_value..max_value``."""

    id: str
    name: str | None = None
    description: str | None = None
    scale_type: ScaleType = ScaleType.LEVELS
    min_value: float | None = None
    max_value: float | None = None
    step: float | None = None
    higher_is_better: bool = True
    levels: tuple[Level, ...] = ()

    @property
    def is_percentage(self) -> bool:
        """Guide section 6: a Numeric scale named Percentage, or any from 0 to 100."""
        return self.scale_type is ScaleType.NUMERIC and (
            (self.name or "").strip().casefold() == "percentage"
            or (self.min_value == 0 and self.max_value == 100)
        )


class Anchor(Value, frozen=True, kw_only=True):
    """What a scale level means for one criterion."""

    scale_level_id: str | None = None
    anchor_value: float | None = None
    descriptor: str = ""


class Node(Value, frozen=True, kw_only=True):
    """One node of the criteria tree: a Group, or a Criterion (a leaf, answered on its scale).

    ``parent_id`` null or "" is the root. ``weight`` is at least 0 and relative to its siblings.
    """

    id: str
    key: str
    parent_id: str | None = None
    name: str = ""
    description: str | None = None
    guidance: str | None = None
    node_type: NodeType = NodeType.CRITERION
    scale_id: str | None = None
    weight: float = 1.0
    is_advisory: bool = False
    is_gate: bool = False
    gate_minimum_score: float | None = None
    not_applicable_policy: NotApplicablePolicy | None = None
    rollup_method: RollupMethod | None = None
    evidence_required: bool = False
    rationale_required: bool = False
    sequence: int = 0
    evaluator_config: dict[str, Any] | None = None
    anchors: tuple[Anchor, ...] = ()

    @property
    def is_criterion(self) -> bool:
        return self.node_type is NodeType.CRITERION


class Band(Value, frozen=True, kw_only=True):
    """A display label over a range of the overall score, 0..1; never part of pass or fail."""

    id: str
    label: str
    description: str | None = None
    min_score: float = 0.0
    max_score: float = 1.0
    display_tone: str | None = None
    sequence: int = 0


class VersionSnapshot(Value, frozen=True, kw_only=True, weakref=True):
    """One rubric version, whole: everything scoring, comparing and showing it needs.

    ``nodes`` stand in the order they are walked among their siblings (a store orders them by
    ``sequence`` when it loads a version).
    """

    id: str = ""
    rubric_id: str = ""
    rubric_name: str = ""
    major_version: int | None = None
    minor_version: int | None = None
    patch_version: int | None = None
    status: VersionStatus = VersionStatus.DRAFT
    instructions: str | None = None
    pass_threshold: float | None = None
    minimum_completeness: float | None = None
    not_applicable_policy: NotApplicablePolicy = NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE
    score_display_min: float = 0.0
    score_display_max: float = 100.0
    nodes: tuple[Node, ...] = ()
    scales: tuple[Scale, ...] = ()
    bands: tuple[Band, ...] = ()

    @property
    def number(self) -> str | None:
        """``"1.2.0"``; None while a draft has no number."""
        if self.major_version is None:
            return None
        return f"{self.major_version}.{self.minor_version or 0}.{self.patch_version or 0}"


class Evidence(Value, frozen=True, kw_only=True):
    """What an answer rests on. A quote is verbatim subject text; ``start``/``end`` are character offsets
    into ``source`` ("text", or the name of a subject file)."""

    kind: EvidenceKind
    text: str = ""
    source: str | None = None
    start: int | None = None
    end: int | None = None


class Answer(Value, frozen=True, kw_only=True):
    """One answer to one criterion: a level, a raw number, or not applicable. ``confidence`` is 0..1."""

    criterion_id: str
    scale_level_id: str | None = None
    raw_value: float | None = None
    is_not_applicable: bool = False
    confidence: float | None = None
    rationale: str | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def is_answered(self) -> bool:
        return self.is_not_applicable or fold_id(self.scale_level_id) != "" or self.raw_value is not None


class ScoredNode(Value, frozen=True, kw_only=True, gc=False):
    """The result of one node, in walk order (contract, "Scoring"). Scores and shares are 0..1, rounded."""

    id: str
    key: str
    normalized_score: float | None
    effective_weight: float | None
    overall_contribution: float | None
    gate_failed: bool
    is_not_applicable: bool
    is_advisory: bool


class ScoreResult(Value, frozen=True, kw_only=True):
    """The result of a whole answer set. ``nodes`` come in walk order."""

    normalized_score: float | None
    completeness: float
    outcome: Outcome
    passed: bool | None
    gate_failed: bool
    pass_threshold_applied: float | None
    band_id: str | None
    confidence: float | None
    nodes: tuple[ScoredNode, ...]


def fold_id(value: str | None) -> str:
    """The form in which ids compare: trimmed and case-folded; "" for none (contract, "Scoring")."""
    return (value or "").strip().casefold()
