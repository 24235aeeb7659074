"""Every table of the store, as SQLModel classes.

The classes are named ``...Row`` so that they never shadow the core values they hold. Repositories work on
the SQLAlchemy tables behind them (``RUBRIC``, ``VERSION``, ... at the end of this file) over a plain
connection: one statement, no unit of work. Ids are lower-case uuid4 text and instants aware UTC
(``UtcDateTime``). ``created_by``, ``published_by`` hold login names.

What these classes cannot say, the first migration adds: the triggers that keep published versions and
submitted evaluations frozen, and the cohort views (``migrations/``).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from rubrictui.core.adjudication import SettlementStatus
from rubrictui.core.model import (
    Bump,
    NodeType,
    NotApplicablePolicy,
    Outcome,
    RollupMethod,
    ScaleType,
    VersionStatus,
)
from rubrictui.core.records import AssignmentStatus, ContextStatus, EvaluationStatus, EvaluatorType, Role
from rubrictui.store.types import UtcDateTime, json_column_type

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(SQLModel, registry=registry(metadata=MetaData(naming_convention=NAMING))):
    """The root of the tables; its metadata is ours alone."""


def _one_of(column: str, words: Any) -> CheckConstraint:
    """``column`` (when not null) holds one of an enumeration's words."""
    listed = ", ".join(f"'{word.value}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _unique_where(name: str, *columns: str, where: str) -> Index:
    """A unique index over some rows only. A column written ``context_id?`` counts null as equal to null."""
    parts = [text(f"coalesce({c[:-1]}, '')") if c.endswith("?") else c for c in columns]
    return Index(name, *parts, unique=True, sqlite_where=text(where), postgresql_where=text(where))


def _json() -> Any:
    return Field(default=None, sa_type=json_column_type(), nullable=True)


def _long_text(default: str | None = None, *, nullable: bool = True) -> Any:
    return Field(default=default, sa_type=Text, nullable=nullable)


def _instant(*, nullable: bool = False) -> Any:
    if nullable:
        return Field(default=None, sa_type=UtcDateTime, nullable=True)
    return Field(sa_type=UtcDateTime, nullable=False)


def _reference(target: str, *, nullable: bool = False, on_delete: str | None = None) -> Any:
    """An indexed foreign key: without the index, deleting a parent scans the whole child table."""
    column: dict[str, Any] = {"foreign_key": target, "index": True, "nullable": nullable}
    if on_delete is not None:
        column["ondelete"] = on_delete
    return Field(default=None, **column) if nullable else Field(**column)


# -- people ------------------------------------------------------------------------------------------


class UserRow(Base, table=True):
    """``name`` is the login, unique in a store."""

    __tablename__ = "user_account"

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    display_name: str = ""
    created_at: datetime = _instant()


class RoleGrantRow(Base, table=True):
    __tablename__ = "role_grant"
    __table_args__ = (UniqueConstraint("user_id", "role"), _one_of("role", Role))

    id: str = Field(primary_key=True)
    user_id: str = Field(foreign_key="user_account.id")
    role: str


class PhraseRow(Base, table=True):
    """One phrase of a user's comment bank; ``criterion_key`` null is offered everywhere."""

    __tablename__ = "phrase"

    id: str = Field(primary_key=True)
    user_id: str = _reference("user_account.id")
    criterion_key: str | None = None
    text: str = _long_text("", nullable=False)
    uses: int = 0
    created_at: datetime = _instant()
    used_at: datetime | None = _instant(nullable=True)


class StoreInfoRow(Base, table=True):
    """Facts about the store itself: ``store_id``, ``created_by``, ``created_at``."""

    __tablename__ = "store_info"

    key: str = Field(primary_key=True)
    value: str = _long_text("", nullable=False)


# -- scales ------------------------------------------------------------------------------------------


class ScaleRow(Base, table=True):
    __tablename__ = "scale"
    __table_args__ = (_one_of("scale_type", ScaleType),)

    id: str = Field(primary_key=True)
    name: str | None = Field(default=None, unique=True)
    description: str | None = _long_text()
    scale_type: str = ScaleType.LEVELS.value
    min_value: float | None = None
    max_value: float | None = None
    step: float | None = None
    higher_is_better: bool = True


class ScaleLevelRow(Base, table=True):
    __tablename__ = "scale_level"

    id: str = Field(primary_key=True)
    scale_id: str = _reference("scale.id", on_delete="CASCADE")
    label: str
    value: float | None = None
    normalized_value: float = 0.0
    description: str | None = _long_text()
    sequence: int = 0


# -- definitions -------------------------------------------------------------------------------------


class CategoryRow(Base, table=True):
    __tablename__ = "category"

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    description: str | None = _long_text()
    sequence: int = 0


class RubricRow(Base, table=True):
    """A rubric's identity. Its name is unique in the store, whatever its case."""

    __tablename__ = "rubric"
    __table_args__ = (Index("uq_rubric_name", text("lower(name)"), unique=True),)

    id: str = Field(primary_key=True)
    name: str
    category_id: str | None = _reference("category.id", nullable=True)
    description: str | None = _long_text()
    created_at: datetime = _instant()
    created_by: str


class VersionRow(Base, table=True):
    """One version. A Draft has no number; any other status has one, unique within the rubric.

    ``saved_at`` and ``saved_by`` are of the last save of its draft.
    """

    __tablename__ = "rubric_version"
    __table_args__ = (
        UniqueConstraint(
            "rubric_id", "major_version", "minor_version", "patch_version", name="uq_rubric_version_number"
        ),
        # The target of the foreign key that makes an evaluation's rubric and major those of its version.
        UniqueConstraint("id", "rubric_id", "major_version"),
        _one_of("status", VersionStatus),
        _one_of("not_applicable_policy", NotApplicablePolicy),
        _one_of("computed_bump", Bump),
        _one_of("applied_bump", Bump),
        CheckConstraint(
            "(status = 'Draft' AND major_version IS NULL AND minor_version IS NULL AND patch_version IS NULL)"
            " OR (status <> 'Draft' AND major_version IS NOT NULL AND minor_version IS NOT NULL"
            " AND patch_version IS NOT NULL)",
            name="number",
        ),
        CheckConstraint(
            "status = 'Draft' OR (content_hash IS NOT NULL AND scoring_hash IS NOT NULL"
            " AND published_at IS NOT NULL)",
            name="published",
        ),
        CheckConstraint("status <> 'Retired' OR retired_at IS NOT NULL", name="retired"),
        _unique_where("uq_rubric_version_draft", "rubric_id", where="status = 'Draft'"),
    )

    id: str = Field(primary_key=True)
    rubric_id: str = Field(foreign_key="rubric.id")
    status: str = VersionStatus.DRAFT.value
    major_version: int | None = None
    minor_version: int | None = None
    patch_version: int | None = None
    instructions: str | None = _long_text()
    pass_threshold: float | None = None
    minimum_completeness: float | None = None
    not_applicable_policy: str = NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE.value
    score_display_min: float = 0.0
    score_display_max: float = 100.0
    content_hash: str | None = None
    scoring_hash: str | None = None
    computed_bump: str | None = None
    applied_bump: str | None = None
    change_summary: str | None = _long_text()
    change_details: Any = _json()
    based_on_id: str | None = _reference("rubric_version.id", nullable=True)
    revision: int = 0
    created_at: datetime = _instant()
    created_by: str
    published_at: datetime | None = _instant(nullable=True)
    published_by: str | None = None
    retired_at: datetime | None = _instant(nullable=True)
    saved_at: datetime | None = _instant(nullable=True)
    saved_by: str | None = None
    retired_by: str | None = None


class CriterionRow(Base, table=True):
    """One node of a version's tree, groups included."""

    __tablename__ = "criterion"
    __table_args__ = (
        UniqueConstraint("version_id", "key"),
        _one_of("node_type", NodeType),
        _one_of("not_applicable_policy", NotApplicablePolicy),
        _one_of("rollup_method", RollupMethod),
    )

    id: str = Field(primary_key=True)
    version_id: str = Field(foreign_key="rubric_version.id", ondelete="CASCADE")
    parent_id: str | None = _reference("criterion.id", nullable=True, on_delete="CASCADE")
    key: str
    name: str = ""
    description: str | None = _long_text()
    guidance: str | None = _long_text()
    node_type: str = NodeType.CRITERION.value
    scale_id: str | None = _reference("scale.id", nullable=True)
    weight: float = 1.0
    is_advisory: bool = False
    is_gate: bool = False
    gate_minimum_score: float | None = None
    not_applicable_policy: str | None = None
    rollup_method: str | None = None
    evidence_required: bool = False
    rationale_required: bool = False
    sequence: int = 0
    evaluator_config: Any = _json()


class CriterionLevelRow(Base, table=True):
    """An anchor: what a scale level means for one criterion."""

    __tablename__ = "criterion_level"

    id: str = Field(primary_key=True)
    criterion_id: str = _reference("criterion.id", on_delete="CASCADE")
    scale_level_id: str | None = _reference("scale_level.id", nullable=True)
    anchor_value: float | None = None
    descriptor: str = _long_text("", nullable=False)
    sequence: int = 0


class BandRow(Base, table=True):
    __tablename__ = "band"

    id: str = Field(primary_key=True)
    version_id: str = _reference("rubric_version.id", on_delete="CASCADE")
    label: str
    description: str | None = _long_text()
    min_score: float = 0.0
    max_score: float = 1.0
    display_tone: str | None = None
    sequence: int = 0


class SampleAnswerSetRow(Base, table=True):
    """Answers an author tries drafts on. Kept for the rubric, by criterion key, so that the next draft has them."""

    __tablename__ = "sample_answer_set"
    __table_args__ = (UniqueConstraint("rubric_id", "name"),)

    id: str = Field(primary_key=True)
    rubric_id: str = Field(foreign_key="rubric.id", ondelete="CASCADE")
    name: str
    answers: Any = _json()
    sequence: int = 0
    saved_at: datetime = _instant()
    saved_by: str


# -- work to score -----------------------------------------------------------------------------------


class SubjectRow(Base, table=True):
    __tablename__ = "subject"
    __table_args__ = (UniqueConstraint("entity", "record_id"),)

    id: str = Field(primary_key=True)
    entity: str
    record_id: str
    title: str = ""
    text: str = _long_text("", nullable=False)
    data: Any = _json()
    files: Any = _json()
    content_hash: str = ""
    created_at: datetime = _instant()
    updated_at: datetime = _instant()
    created_by: str


class ContextRow(Base, table=True):
    """What subjects are scored for. ``blinding`` is a word of ``core.rounds.Blinding``; what is null or unknown
    there, and null in the other columns of a round's rules, stands for the rule that holds without them."""

    __tablename__ = "context"
    __table_args__ = (UniqueConstraint("entity", "record_id"), _one_of("status", ContextStatus))

    id: str = Field(primary_key=True)
    entity: str
    record_id: str
    name: str = ""
    description: str | None = _long_text()
    rubric_id: str | None = _reference("rubric.id", nullable=True)
    version_id: str | None = _reference("rubric_version.id", nullable=True)
    due_at: datetime | None = _instant(nullable=True)
    due_zone: str | None = None
    self_allowed: bool = False
    blinding: str | None = None
    naming: str | None = None
    hidden_fields: Any = _json()
    disagreement_threshold: float | None = None
    reviews_per_subject: int | None = None
    status: str = ContextStatus.OPEN.value
    created_at: datetime = _instant()
    created_by: str
    closed_at: datetime | None = _instant(nullable=True)
    reopened_at: datetime | None = _instant(nullable=True)


class RoundSubjectRow(Base, table=True):
    """A subject of a round, whether anybody has been asked to score it or not."""

    __tablename__ = "round_subject"
    __table_args__ = (UniqueConstraint("context_id", "subject_id"),)

    id: str = Field(primary_key=True)
    context_id: str = Field(foreign_key="context.id")
    subject_id: str = _reference("subject.id")
    sequence: int = 0
    added_at: datetime = _instant()
    added_by: str


class RoundReviewerRow(Base, table=True):
    """A reviewer of a round."""

    __tablename__ = "round_reviewer"
    __table_args__ = (UniqueConstraint("context_id", "user_id"),)

    id: str = Field(primary_key=True)
    context_id: str = Field(foreign_key="context.id")
    user_id: str = _reference("user_account.id")
    added_at: datetime = _instant()
    added_by: str


class RoundConflictRow(Base, table=True):
    """A conflict of interest of a user with a subject, in every round."""

    __tablename__ = "round_conflict"
    __table_args__ = (UniqueConstraint("user_id", "subject_id"),)

    id: str = Field(primary_key=True)
    user_id: str = Field(foreign_key="user_account.id")
    subject_id: str = _reference("subject.id")
    reason: str = _long_text("", nullable=False)
    declared_at: datetime = _instant()
    declared_by: str


class RoundEventRow(Base, table=True):
    """A line of a round's log."""

    __tablename__ = "round_event"

    id: str = Field(primary_key=True)
    context_id: str = _reference("context.id")
    at: datetime = _instant()
    by: str
    what: str
    reason: str | None = _long_text()
    details: Any = _json()


class AssignmentRow(Base, table=True):
    """One reviewer asked to score one subject; at most one Open per user, subject, context and rubric."""

    __tablename__ = "assignment"
    __table_args__ = (
        _one_of("status", AssignmentStatus),
        _unique_where(
            "uq_assignment_open", "user_id", "subject_id", "rubric_id", "context_id?", where="status = 'Open'"
        ),
        Index("ix_assignment_user_id_status", "user_id", "status"),
    )

    id: str = Field(primary_key=True)
    subject_id: str = _reference("subject.id")
    context_id: str | None = _reference("context.id", nullable=True)
    rubric_id: str = _reference("rubric.id")
    version_id: str | None = _reference("rubric_version.id", nullable=True)
    user_id: str = Field(foreign_key="user_account.id")
    due_at: datetime | None = _instant(nullable=True)
    status: str = AssignmentStatus.OPEN.value
    reason: str | None = _long_text()
    created_at: datetime = _instant()
    created_by: str
    ended_at: datetime | None = _instant(nullable=True)
    ended_by: str | None = None


# -- machines that judge -----------------------------------------------------------------------------


class PromptRow(Base, table=True):
    """A prompt template: the evaluator's frame, a judge, or the text of one criterion."""

    __tablename__ = "prompt"

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    kind: str
    description: str | None = _long_text()
    template: str = _long_text("", nullable=False)
    settings: Any = _json()
    created_at: datetime = _instant()
    updated_at: datetime = _instant()
    created_by: str


class PromptRunRow(Base, table=True):
    """One call of a model: what was sent, what came back, and what it cost.

    ``subject_id`` and ``evaluation_id`` are no references: a call is paid for and kept whatever becomes of them.
    """

    __tablename__ = "prompt_run"
    __table_args__ = (
        Index("ix_prompt_run_cache_key", "cache_key"),
        Index("ix_prompt_run_evaluation_id", "evaluation_id"),
        Index("ix_prompt_run_subject_id", "subject_id"),
        Index("ix_prompt_run_started_at", "started_at"),
    )

    id: str = Field(primary_key=True)
    prompt_id: str | None = _reference("prompt.id", nullable=True)
    judge_prompt_id: str | None = _reference("prompt.id", nullable=True)
    provider: str | None = None
    model: str | None = None
    settings: Any = _json()
    messages: Any = _json()
    reply: str | None = _long_text()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cost_currency: str | None = None
    error_message: str | None = _long_text()
    started_at: datetime = _instant()
    finished_at: datetime | None = _instant(nullable=True)
    created_by: str
    evaluator_name: str | None = None
    subject_id: str | None = None
    evaluation_id: str | None = None
    cache_key: str | None = None


# -- evaluations -------------------------------------------------------------------------------------


class EvaluationRow(Base, table=True):
    """One scoring of one subject by one evaluator. The column ``metadata`` is the attribute ``details``."""

    __tablename__ = "evaluation"
    __table_args__ = (
        ForeignKeyConstraint(
            ["version_id", "rubric_id", "major_version"],
            ["rubric_version.id", "rubric_version.rubric_id", "rubric_version.major_version"],
        ),
        _one_of("status", EvaluationStatus),
        _one_of("evaluator_type", EvaluatorType),
        _one_of("outcome", Outcome),
        CheckConstraint(
            "status NOT IN ('Submitted', 'Superseded') OR (submitted_at IS NOT NULL"
            " AND outcome IS NOT NULL AND completeness IS NOT NULL AND gate_failed IS NOT NULL)",
            name="result",
        ),
        Index("ix_evaluation_cohort", "subject_id", "context_id", "rubric_id", "major_version", "status"),
        # The latest of what an evaluator has submitted, without looking at all of it.
        Index("ix_evaluation_own", "evaluator_user_id", "status", "submitted_at"),
        Index("ix_evaluation_version_id_status", "version_id", "status"),
        _unique_where(
            "uq_evaluation_open_draft",
            "evaluator_user_id",
            "subject_id",
            "rubric_id",
            "evaluator_type",
            "context_id?",
            "evaluator_name?",
            where="status = 'Draft'",
        ),
        # Only one evaluation can stand in the place of another.
        _unique_where(
            "uq_evaluation_supersedes", "supersedes_id", where="status IN ('Submitted', 'Superseded')"
        ),
    )

    id: str = Field(primary_key=True)
    rubric_id: str = _reference("rubric.id")
    version_id: str
    major_version: int
    subject_id: str = Field(foreign_key="subject.id")
    context_id: str | None = _reference("context.id", nullable=True)
    assignment_id: str | None = _reference("assignment.id", nullable=True)
    evaluator_user_id: str = Field(foreign_key="user_account.id")
    evaluator_type: str = EvaluatorType.HUMAN.value
    evaluator_name: str | None = None
    status: str = EvaluationStatus.DRAFT.value
    revision: int = 0
    cursor: str | None = None
    subject_hash: str = ""
    started_at: datetime = _instant()
    updated_at: datetime = _instant()
    submitted_at: datetime | None = _instant(nullable=True)
    ended_at: datetime | None = _instant(nullable=True)
    end_reason: str | None = _long_text()
    supersedes_id: str | None = _reference("evaluation.id", nullable=True)
    normalized_score: float | None = None
    outcome: str | None = None
    passed: bool | None = None
    gate_failed: bool | None = None
    completeness: float | None = None
    band_id: str | None = _reference("band.id", nullable=True)
    pass_threshold_applied: float | None = None
    confidence: float | None = None
    engine_version: str | None = None
    error_message: str | None = _long_text()
    details: Any = Field(default=None, sa_column=Column("metadata", json_column_type()))
    prompt_run_id: str | None = _reference("prompt_run.id", nullable=True)
    agent_run_id: str | None = None


class EvaluationScoreRow(Base, table=True):
    """One criterion's answer and, once submitted, what was computed from it (groups included)."""

    __tablename__ = "evaluation_score"
    __table_args__ = (UniqueConstraint("evaluation_id", "criterion_id"),)

    id: str = Field(primary_key=True)
    evaluation_id: str = Field(foreign_key="evaluation.id", ondelete="CASCADE")
    criterion_id: str = _reference("criterion.id")
    scale_level_id: str | None = _reference("scale_level.id", nullable=True)
    raw_value: float | None = None
    is_not_applicable: bool = False
    confidence: float | None = None
    rationale: str | None = _long_text()
    evidence: Any = _json()
    is_flagged: bool = False
    revision: int = 0
    updated_at: datetime = _instant()
    normalized_score: float | None = None
    effective_weight: float | None = None
    overall_contribution: float | None = None
    gate_failed: bool = False
    is_advisory: bool = False
    sequence: int = 0


# -- packets for offline reviewers -------------------------------------------------------------------


class PacketExportRow(Base, table=True):
    """A packet that was made for a reviewer. Its id is the packet's.

    ``sent`` says what it holds, with the hashes of what was sent and of what the store had; ``bases`` the
    fingerprint of each answer of hers when packet and store last agreed, by evaluation and criterion.
    """

    __tablename__ = "packet_export"

    id: str = Field(primary_key=True)
    context_id: str = _reference("context.id")
    user_id: str = _reference("user_account.id")
    exported_at: datetime = _instant()
    exported_by: str
    is_signed: bool = False
    sent: Any = _json()
    bases: Any = _json()
    taken_at: datetime | None = _instant(nullable=True)
    taken_by: str | None = None


class PacketConflictRow(Base, table=True):
    """Something a packet brought back that the store may not take by itself.

    ``item_id`` is of the evaluation, or of the assignment that was declined; ``digest`` is of ``returned``.
    ``taken`` is ``packet`` or ``store`` once it is settled, ``newer`` when a later return took its place;
    ``replaced`` keeps the answers of the store that gave way.
    """

    __tablename__ = "packet_conflict"
    __table_args__ = (UniqueConstraint("export_id", "item_id", "digest"),)

    id: str = Field(primary_key=True)
    export_id: str = Field(foreign_key="packet_export.id")
    subject_id: str = _reference("subject.id")
    item_id: str
    digest: str
    reasons: Any = _json()
    returned: Any = _json()
    replaced: Any = _json()
    found_at: datetime = _instant()
    found_by: str
    settled_at: datetime | None = _instant(nullable=True)
    settled_by: str | None = None
    taken: str | None = None


# -- settling disagreements --------------------------------------------------------------------------


class AdjudicationRow(Base, table=True):
    """A settlement of one subject of a round: no evaluation, so in nothing that is made of those.

    ``answers`` are its own, to criteria of its version; ``basis`` the ids of the evaluations that were in.
    ``evaluation_id`` is the one whose answers were taken as a whole.
    """

    __tablename__ = "adjudication"
    __table_args__ = (
        ForeignKeyConstraint(
            ["version_id", "rubric_id", "major_version"],
            ["rubric_version.id", "rubric_version.rubric_id", "rubric_version.major_version"],
        ),
        _one_of("status", SettlementStatus),
        _one_of("outcome", Outcome),
        CheckConstraint(
            "status = 'Draft' OR (settled_at IS NOT NULL AND outcome IS NOT NULL AND reason IS NOT NULL)",
            name="settled",
        ),
        Index("ix_adjudication_subject", "subject_id", "context_id"),
        Index("ix_adjudication_version_id", "version_id"),
        _unique_where(
            "uq_adjudication_draft", "context_id", "subject_id", "rubric_id", "major_version", "adjudicator_id",
            where="status = 'Draft'",
        ),
        # What stands is one.
        _unique_where(
            "uq_adjudication_settled", "context_id", "subject_id", "rubric_id", "major_version",
            where="status = 'Settled'",
        ),
    )  # fmt: skip

    id: str = Field(primary_key=True)
    context_id: str = _reference("context.id")
    subject_id: str = Field(foreign_key="subject.id")
    rubric_id: str = _reference("rubric.id")
    version_id: str
    major_version: int
    adjudicator_id: str = _reference("user_account.id")
    status: str = SettlementStatus.DRAFT.value
    cursor: str | None = None
    answers: Any = _json()
    evaluation_id: str | None = _reference("evaluation.id", nullable=True)
    reason: str | None = None
    note: str = _long_text("", nullable=False)
    basis: Any = _json()
    started_at: datetime = _instant()
    updated_at: datetime = _instant()
    settled_at: datetime | None = _instant(nullable=True)
    superseded_at: datetime | None = _instant(nullable=True)
    supersedes_id: str | None = _reference("adjudication.id", nullable=True)
    normalized_score: float | None = None
    outcome: str | None = None
    passed: bool | None = None
    gate_failed: bool | None = None
    completeness: float | None = None
    band_id: str | None = _reference("band.id", nullable=True)
    pass_threshold_applied: float | None = None
    engine_version: str | None = None


class AdjudicationReasonRow(Base, table=True):
    """A line of the list of reasons, once somebody has edited it."""

    __tablename__ = "adjudication_reason"

    id: str = Field(primary_key=True)
    label: str = Field(unique=True)
    description: str = ""
    sequence: int = 0


def _table(row: type[Base]) -> Table:
    table = row.__table__  # type: ignore[attr-defined]
    assert isinstance(table, Table)
    return table


METADATA: MetaData = Base.metadata

USER = _table(UserRow)
ROLE_GRANT = _table(RoleGrantRow)
PHRASE = _table(PhraseRow)
STORE_INFO = _table(StoreInfoRow)
SCALE = _table(ScaleRow)
SCALE_LEVEL = _table(ScaleLevelRow)
CATEGORY = _table(CategoryRow)
RUBRIC = _table(RubricRow)
VERSION = _table(VersionRow)
CRITERION = _table(CriterionRow)
CRITERION_LEVEL = _table(CriterionLevelRow)
BAND = _table(BandRow)
SAMPLE_SET = _table(SampleAnswerSetRow)
SUBJECT = _table(SubjectRow)
CONTEXT = _table(ContextRow)
ASSIGNMENT = _table(AssignmentRow)
ROUND_SUBJECT = _table(RoundSubjectRow)
ROUND_REVIEWER = _table(RoundReviewerRow)
ROUND_CONFLICT = _table(RoundConflictRow)
ROUND_EVENT = _table(RoundEventRow)
PROMPT = _table(PromptRow)
PROMPT_RUN = _table(PromptRunRow)
EVALUATION = _table(EvaluationRow)
EVALUATION_SCORE = _table(EvaluationScoreRow)
PACKET_EXPORT = _table(PacketExportRow)
PACKET_CONFLICT = _table(PacketConflictRow)
ADJUDICATION = _table(AdjudicationRow)
ADJUDICATION_REASON = _table(AdjudicationReasonRow)
