"""The YAML documents as they are written, field by field; the public schema is made from these.

``building`` reads nodes into these shapes and refuses what does not fit; ``resolving`` turns shapes into
documents. A field whose value a machine computes is named in ``COMPUTED`` and refused when it is given.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from rubrictui.core.model import Bump, Evidence, NodeType, NotApplicablePolicy, RollupMethod, ScaleType
from rubrictui.core.records import EvaluatorType, Role

Id = Annotated[str, Meta(min_length=1, max_length=100, description="A fixed id: a UUID in lower case.")]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Title = Annotated[str, Meta(min_length=1, max_length=200, extra={"title": True})]
Key = Annotated[str, Meta(min_length=1, max_length=100, description="Short, permanent, unique in a version.")]
Reference = Annotated[str, Meta(min_length=3, description="Entity/record_id, as in Proposal/north.")]
Unit = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0, description="Relative to the siblings.")]
Format = Annotated[int, Meta(ge=1, description="The version of this format: 1.")]


class Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every shape."""

    COMPUTED: ClassVar[frozenset[str]] = frozenset()


class CategoryDocument(Shape, frozen=True, kw_only=True):
    """One category of rubrics."""

    kind: Literal["category"]
    format: Format = 1
    id: Id
    name: Title
    description: str | None = None
    sequence: int = 0


class LevelShape(Shape, frozen=True, kw_only=True):
    id: Id
    label: Name
    value: float | None = None
    normalized_value: Unit
    description: str | None = None
    sequence: int | None = None


class ScaleDocument(Shape, frozen=True, kw_only=True):
    """One answer scale. Levels stand in ascending order; their order is their sequence."""

    kind: Literal["scale"]
    format: Format = 1
    id: Id
    name: Title
    description: str | None = None
    scale_type: ScaleType = ScaleType.LEVELS
    min_value: float | None = None
    max_value: float | None = None
    step: Annotated[float, Meta(gt=0)] | None = None
    higher_is_better: bool = True
    levels: tuple[LevelShape, ...] = ()


class AnchorText(Shape, frozen=True, kw_only=True):
    """What stands at a level's label in ``anchors`` when a text alone is not enough."""

    descriptor: str = ""
    anchor_value: float | None = None


class AnchorItem(Shape, frozen=True, kw_only=True):
    """An anchor in list form; ``level`` is a label, absent on a numeric scale, or ``level_id`` names it."""

    level: str | None = None
    level_id: str | None = None
    anchor_value: float | None = None
    descriptor: str = ""


class CriterionShape(Shape, frozen=True, kw_only=True):
    """A node of the tree. One with ``children`` is a Group; the order of siblings is their sequence."""

    id: Id
    key: Key
    name: str = ""
    description: str | None = None
    guidance: str | None = None
    node_type: NodeType | None = None
    scale: str | None = None
    scale_id: str | None = None
    weight: Weight = 1.0
    is_advisory: bool = False
    is_gate: bool = False
    gate_minimum_score: Unit | None = None
    not_applicable_policy: NotApplicablePolicy | None = None
    rollup_method: RollupMethod | None = None
    evidence_required: bool = False
    rationale_required: bool = False
    sequence: int | None = None
    evaluator_config: dict[str, Any] | None = None
    anchors: dict[str, str | AnchorText] | tuple[AnchorItem, ...] | None = None
    children: tuple[CriterionShape, ...] = ()

    COMPUTED: ClassVar[frozenset[str]] = frozenset({"parent_id", "effective_weight", "share"})


class BandShape(Shape, frozen=True, kw_only=True):
    """A label over a range of the score, its minimum included and its maximum not (1 apart)."""

    id: Id
    label: Name
    description: str | None = None
    min_score: Unit
    max_score: Unit
    display_tone: str | None = None
    sequence: int | None = None


class VersionShape(Shape, frozen=True, kw_only=True):
    id: Id
    status: str = "Draft"
    instructions: str | None = None
    pass_threshold: Unit | None = None
    minimum_completeness: Unit | None = None
    not_applicable_policy: NotApplicablePolicy = NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE
    score_display_min: float = 0.0
    score_display_max: float = 100.0
    criteria: tuple[CriterionShape, ...] = ()
    bands: tuple[BandShape, ...] = ()

    COMPUTED: ClassVar[frozenset[str]] = frozenset(
        {
            "number", "version", "major_version", "minor_version", "patch_version", "content_hash", "scoring_hash",
            "computed_bump", "applied_bump", "change_summary", "change_details", "based_on_id", "revision",
            "created_at", "created_by", "published_at", "published_by", "retired_at",
        }
    )  # fmt: skip


class RubricDocument(Shape, frozen=True, kw_only=True):
    """A rubric and one Draft version of it."""

    kind: Literal["rubric"]
    format: Format = 1
    id: Id
    name: Title
    category: str | None = None
    category_id: str | None = None
    description: str | None = None
    version: VersionShape

    COMPUTED: ClassVar[frozenset[str]] = frozenset({"created_at", "created_by"})


class UserShape(Shape, frozen=True, kw_only=True):
    id: Id
    name: Title
    display_name: str = ""
    roles: tuple[Role, ...] = ()


class ContextShape(Shape, frozen=True, kw_only=True):
    """What subjects are scored for. ``due_at`` carries an offset, or ``due_zone`` names its time zone."""

    id: Id
    entity: Title = "Round"
    record_id: Title
    name: str = ""
    description: str | None = None
    rubric: str | None = None
    due_at: datetime | None = None
    due_zone: str | None = None
    self_allowed: bool = False


class FileShape(Shape, frozen=True, kw_only=True):
    """A file of a subject: at ``path`` (relative to the YAML file), or its ``text`` in place."""

    name: Name
    path: str | None = None
    text: str | None = None
    media_type: str | None = None


class SubjectShape(Shape, frozen=True, kw_only=True):
    id: Id
    entity: Title = "Subject"
    record_id: Title
    title: str = ""
    text: str | None = None
    text_file: str | None = None
    data: dict[str, Any] | None = None
    files: tuple[FileShape, ...] = ()

    COMPUTED: ClassVar[frozenset[str]] = frozenset({"content_hash", "created_at", "updated_at"})


class AssignmentShape(Shape, frozen=True, kw_only=True):
    """``user: "@me"`` is whoever loads the file."""

    id: Id
    subject: Reference
    rubric: Name
    user: Name
    context: Reference | None = None
    due_at: datetime | None = None

    COMPUTED: ClassVar[frozenset[str]] = frozenset({"status", "created_at"})


class AnswerShape(Shape, frozen=True, kw_only=True):
    """One answer: a level's label, a value, or not applicable."""

    criterion: Key
    level: str | None = None
    value: float | None = None
    not_applicable: bool = False
    confidence: Unit | None = None
    rationale: str | None = None
    evidence: tuple[Evidence, ...] = ()

    COMPUTED: ClassVar[frozenset[str]] = frozenset(
        {"normalized_score", "effective_weight", "overall_contribution", "gate_failed"}
    )


class EvaluationShape(Shape, frozen=True, kw_only=True):
    id: Id
    subject: Reference
    rubric: Name
    user: Name
    context: Reference | None = None
    evaluator_type: EvaluatorType = EvaluatorType.HUMAN
    evaluator_name: str | None = None
    status: Literal["Draft", "Submitted", "Withdrawn"] = "Submitted"
    reason: str | None = None
    supersedes: Id | None = None
    metadata: dict[str, Any] | None = None
    answers: tuple[AnswerShape, ...] = ()

    COMPUTED: ClassVar[frozenset[str]] = frozenset(
        {
            "normalized_score", "outcome", "passed", "gate_failed", "completeness", "band_id", "confidence",
            "pass_threshold_applied", "engine_version", "started_at", "submitted_at", "updated_at", "ended_at",
            "revision", "subject_hash",
        }
    )  # fmt: skip


class SubjectsDocument(Shape, frozen=True, kw_only=True):
    """People, contexts, subjects, assignments and evaluations."""

    kind: Literal["subjects"]
    format: Format = 1
    users: tuple[UserShape, ...] = ()
    contexts: tuple[ContextShape, ...] = ()
    subjects: tuple[SubjectShape, ...] = ()
    assignments: tuple[AssignmentShape, ...] = ()
    evaluations: tuple[EvaluationShape, ...] = ()


class PublicationDocument(Shape, frozen=True, kw_only=True):
    """Publish this version. ``rubric`` is there for people; when it is given it must be the version's."""

    kind: Literal["publication"]
    format: Format = 1
    rubric: Name | None = None
    version_id: Id
    bump: Bump | None = None
    summary: str | None = None


DOCUMENTS: dict[str, type[Shape]] = {
    "category": CategoryDocument,
    "scale": ScaleDocument,
    "rubric": RubricDocument,
    "subjects": SubjectsDocument,
    "publication": PublicationDocument,
}
