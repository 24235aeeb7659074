"""The first store: every table, index, trigger and view."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rubrictui.store.migrations import triggers_0001, views_0001
from rubrictui.store.types import UtcDateTime, json_column_type

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _tables()
    _expression_indexes()
    bind = op.get_bind()
    if bind.dialect.name == "postgresql":
        schema = bind.exec_driver_sql("SELECT current_schema()").scalar_one()
        statements = triggers_0001.postgresql_statements(schema)
    else:
        statements = triggers_0001.sqlite_statements()
    for statement in (*statements, *views_0001.statements(bind.dialect.name)):
        bind.exec_driver_sql(statement)


def _expression_indexes() -> None:
    op.create_index("uq_rubric_name", "rubric", [sa.text("lower(name)")], unique=True)
    op.create_index(
        "uq_assignment_open",
        "assignment",
        ["user_id", "subject_id", "rubric_id", sa.text("coalesce(context_id, '')")],
        unique=True,
        sqlite_where=sa.text("status = 'Open'"),
        postgresql_where=sa.text("status = 'Open'"),
    )
    op.create_index(
        "uq_evaluation_open_draft",
        "evaluation",
        [
            "evaluator_user_id",
            "subject_id",
            "rubric_id",
            "evaluator_type",
            sa.text("coalesce(context_id, '')"),
            sa.text("coalesce(evaluator_name, '')"),
        ],
        unique=True,
        sqlite_where=sa.text("status = 'Draft'"),
        postgresql_where=sa.text("status = 'Draft'"),
    )


def _tables() -> None:
    op.create_table(
        "category",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("description", sa.Text()),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_category"),
        sa.UniqueConstraint("name", name="uq_category_name"),
    )
    op.create_table(
        "prompt",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("description", sa.Text()),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("settings", json_column_type()),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_prompt"),
        sa.UniqueConstraint("name", name="uq_prompt_name"),
    )
    op.create_table(
        "scale",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String()),
        sa.Column("description", sa.Text()),
        sa.Column("scale_type", sa.String(), nullable=False),
        sa.Column("min_value", sa.Float()),
        sa.Column("max_value", sa.Float()),
        sa.Column("step", sa.Float()),
        sa.Column("higher_is_better", sa.Boolean(), nullable=False),
        sa.CheckConstraint("scale_type IN ('Levels', 'Numeric')", name="ck_scale_scale_type"),
        sa.PrimaryKeyConstraint("id", name="pk_scale"),
        sa.UniqueConstraint("name", name="uq_scale_name"),
    )
    op.create_table(
        "store_info",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_store_info"),
    )
    op.create_table(
        "subject",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("entity", sa.String(), nullable=False),
        sa.Column("record_id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("data", json_column_type()),
        sa.Column("files", json_column_type()),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_subject"),
        sa.UniqueConstraint("entity", "record_id", name="uq_subject_entity_record_id"),
    )
    op.create_table(
        "user_account",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("display_name", sa.String(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_user_account"),
        sa.UniqueConstraint("name", name="uq_user_account_name"),
    )
    op.create_table(
        "phrase",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("criterion_key", sa.String()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("used_at", UtcDateTime()),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name="fk_phrase_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_phrase"),
    )
    op.create_index("ix_phrase_user_id", "phrase", ["user_id"])
    op.create_table(
        "prompt_run",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("prompt_id", sa.String()),
        sa.Column("judge_prompt_id", sa.String()),
        sa.Column("provider", sa.String()),
        sa.Column("model", sa.String()),
        sa.Column("settings", json_column_type()),
        sa.Column("messages", json_column_type()),
        sa.Column("reply", sa.Text()),
        sa.Column("input_tokens", sa.Integer()),
        sa.Column("output_tokens", sa.Integer()),
        sa.Column("cost", sa.Float()),
        sa.Column("cost_currency", sa.String()),
        sa.Column("error_message", sa.Text()),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime()),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["judge_prompt_id"], ["prompt.id"], name="fk_prompt_run_judge_prompt_id"),
        sa.ForeignKeyConstraint(["prompt_id"], ["prompt.id"], name="fk_prompt_run_prompt_id"),
        sa.PrimaryKeyConstraint("id", name="pk_prompt_run"),
    )
    op.create_index("ix_prompt_run_judge_prompt_id", "prompt_run", ["judge_prompt_id"])
    op.create_index("ix_prompt_run_prompt_id", "prompt_run", ["prompt_id"])
    op.create_table(
        "role_grant",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.CheckConstraint(
            "role IN ('reviewer', 'author', 'chair', 'administer_evaluations', 'developer', 'integration')",
            name="ck_role_grant_role",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name="fk_role_grant_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_role_grant"),
        sa.UniqueConstraint("user_id", "role", name="uq_role_grant_user_id_role"),
    )
    op.create_table(
        "rubric",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("category_id", sa.String()),
        sa.Column("description", sa.Text()),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["category_id"], ["category.id"], name="fk_rubric_category_id"),
        sa.PrimaryKeyConstraint("id", name="pk_rubric"),
    )
    op.create_index("ix_rubric_category_id", "rubric", ["category_id"])
    op.create_table(
        "scale_level",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("scale_id", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("value", sa.Float()),
        sa.Column("normalized_value", sa.Float(), nullable=False),
        sa.Column("description", sa.Text()),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["scale_id"], ["scale.id"], name="fk_scale_level_scale_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_scale_level"),
    )
    op.create_index("ix_scale_level_scale_id", "scale_level", ["scale_id"])
    op.create_table(
        "rubric_version",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("rubric_id", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("major_version", sa.Integer()),
        sa.Column("minor_version", sa.Integer()),
        sa.Column("patch_version", sa.Integer()),
        sa.Column("instructions", sa.Text()),
        sa.Column("pass_threshold", sa.Float()),
        sa.Column("minimum_completeness", sa.Float()),
        sa.Column("not_applicable_policy", sa.String(), nullable=False),
        sa.Column("score_display_min", sa.Float(), nullable=False),
        sa.Column("score_display_max", sa.Float(), nullable=False),
        sa.Column("content_hash", sa.String()),
        sa.Column("scoring_hash", sa.String()),
        sa.Column("computed_bump", sa.String()),
        sa.Column("applied_bump", sa.String()),
        sa.Column("change_summary", sa.Text()),
        sa.Column("change_details", json_column_type()),
        sa.Column("based_on_id", sa.String()),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("published_at", UtcDateTime()),
        sa.Column("published_by", sa.String()),
        sa.Column("retired_at", UtcDateTime()),
        sa.CheckConstraint(
            "(status = 'Draft' AND major_version IS NULL AND minor_version IS NULL AND patch_version IS NULL) OR (status <> 'Draft' AND major_version IS NOT NULL AND minor_version IS NOT NULL AND patch_version IS NOT NULL)",
            name="ck_rubric_version_number",
        ),
        sa.CheckConstraint(
            "applied_bump IN ('Initial', 'Major', 'Minor', 'Patch')", name="ck_rubric_version_applied_bump"
        ),
        sa.CheckConstraint(
            "computed_bump IN ('Initial', 'Major', 'Minor', 'Patch')", name="ck_rubric_version_computed_bump"
        ),
        sa.CheckConstraint(
            "not_applicable_policy IN ('ExcludeAndRedistribute', 'CountAsZero', 'FailEvaluation', 'NotAllowed')",
            name="ck_rubric_version_not_applicable_policy",
        ),
        sa.CheckConstraint("status <> 'Retired' OR retired_at IS NOT NULL", name="ck_rubric_version_retired"),
        sa.CheckConstraint(
            "status = 'Draft' OR (content_hash IS NOT NULL AND scoring_hash IS NOT NULL AND published_at IS NOT NULL)",
            name="ck_rubric_version_published",
        ),
        sa.CheckConstraint("status IN ('Draft', 'Published', 'Retired')", name="ck_rubric_version_status"),
        sa.ForeignKeyConstraint(["based_on_id"], ["rubric_version.id"], name="fk_rubric_version_based_on_id"),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubric.id"], name="fk_rubric_version_rubric_id"),
        sa.PrimaryKeyConstraint("id", name="pk_rubric_version"),
        sa.UniqueConstraint(
            "id", "rubric_id", "major_version", name="uq_rubric_version_id_rubric_id_major_version"
        ),
        sa.UniqueConstraint(
            "rubric_id", "major_version", "minor_version", "patch_version", name="uq_rubric_version_number"
        ),
    )
    op.create_index("ix_rubric_version_based_on_id", "rubric_version", ["based_on_id"])
    op.create_index(
        "uq_rubric_version_draft",
        "rubric_version",
        ["rubric_id"],
        unique=True,
        sqlite_where=sa.text("status = 'Draft'"),
        postgresql_where=sa.text("status = 'Draft'"),
    )
    op.create_table(
        "band",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("description", sa.Text()),
        sa.Column("min_score", sa.Float(), nullable=False),
        sa.Column("max_score", sa.Float(), nullable=False),
        sa.Column("display_tone", sa.String()),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["rubric_version.id"], name="fk_band_version_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_band"),
    )
    op.create_index("ix_band_version_id", "band", ["version_id"])
    op.create_table(
        "context",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("entity", sa.String(), nullable=False),
        sa.Column("record_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("description", sa.Text()),
        sa.Column("rubric_id", sa.String()),
        sa.Column("version_id", sa.String()),
        sa.Column("due_at", UtcDateTime()),
        sa.Column("due_zone", sa.String()),
        sa.Column("self_allowed", sa.Boolean(), nullable=False),
        sa.Column("blinding", sa.String()),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.CheckConstraint("status IN ('Open', 'Closed')", name="ck_context_status"),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubric.id"], name="fk_context_rubric_id"),
        sa.ForeignKeyConstraint(["version_id"], ["rubric_version.id"], name="fk_context_version_id"),
        sa.PrimaryKeyConstraint("id", name="pk_context"),
        sa.UniqueConstraint("entity", "record_id", name="uq_context_entity_record_id"),
    )
    op.create_index("ix_context_rubric_id", "context", ["rubric_id"])
    op.create_index("ix_context_version_id", "context", ["version_id"])
    op.create_table(
        "criterion",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("parent_id", sa.String()),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("description", sa.Text()),
        sa.Column("guidance", sa.Text()),
        sa.Column("node_type", sa.String(), nullable=False),
        sa.Column("scale_id", sa.String()),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("is_advisory", sa.Boolean(), nullable=False),
        sa.Column("is_gate", sa.Boolean(), nullable=False),
        sa.Column("gate_minimum_score", sa.Float()),
        sa.Column("not_applicable_policy", sa.String()),
        sa.Column("rollup_method", sa.String()),
        sa.Column("evidence_required", sa.Boolean(), nullable=False),
        sa.Column("rationale_required", sa.Boolean(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("evaluator_config", json_column_type()),
        sa.CheckConstraint("node_type IN ('Group', 'Criterion')", name="ck_criterion_node_type"),
        sa.CheckConstraint(
            "not_applicable_policy IN ('ExcludeAndRedistribute', 'CountAsZero', 'FailEvaluation', 'NotAllowed')",
            name="ck_criterion_not_applicable_policy",
        ),
        sa.CheckConstraint(
            "rollup_method IN ('WeightedMean', 'Minimum', 'Maximum')", name="ck_criterion_rollup_method"
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["criterion.id"], name="fk_criterion_parent_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["scale_id"], ["scale.id"], name="fk_criterion_scale_id"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["rubric_version.id"], name="fk_criterion_version_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_criterion"),
        sa.UniqueConstraint("version_id", "key", name="uq_criterion_version_id_key"),
    )
    op.create_index("ix_criterion_parent_id", "criterion", ["parent_id"])
    op.create_index("ix_criterion_scale_id", "criterion", ["scale_id"])
    op.create_table(
        "assignment",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("context_id", sa.String()),
        sa.Column("rubric_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String()),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("due_at", UtcDateTime()),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("ended_at", UtcDateTime()),
        sa.CheckConstraint("status IN ('Open', 'Done', 'Declined', 'Released')", name="ck_assignment_status"),
        sa.ForeignKeyConstraint(["context_id"], ["context.id"], name="fk_assignment_context_id"),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubric.id"], name="fk_assignment_rubric_id"),
        sa.ForeignKeyConstraint(["subject_id"], ["subject.id"], name="fk_assignment_subject_id"),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name="fk_assignment_user_id"),
        sa.ForeignKeyConstraint(["version_id"], ["rubric_version.id"], name="fk_assignment_version_id"),
        sa.PrimaryKeyConstraint("id", name="pk_assignment"),
    )
    op.create_index("ix_assignment_context_id", "assignment", ["context_id"])
    op.create_index("ix_assignment_rubric_id", "assignment", ["rubric_id"])
    op.create_index("ix_assignment_subject_id", "assignment", ["subject_id"])
    op.create_index("ix_assignment_user_id_status", "assignment", ["user_id", "status"])
    op.create_index("ix_assignment_version_id", "assignment", ["version_id"])
    op.create_table(
        "criterion_level",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("criterion_id", sa.String(), nullable=False),
        sa.Column("scale_level_id", sa.String()),
        sa.Column("anchor_value", sa.Float()),
        sa.Column("descriptor", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["criterion_id"], ["criterion.id"], name="fk_criterion_level_criterion_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["scale_level_id"], ["scale_level.id"], name="fk_criterion_level_scale_level_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_criterion_level"),
    )
    op.create_index("ix_criterion_level_criterion_id", "criterion_level", ["criterion_id"])
    op.create_index("ix_criterion_level_scale_level_id", "criterion_level", ["scale_level_id"])
    op.create_table(
        "evaluation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("rubric_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("major_version", sa.Integer(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("context_id", sa.String()),
        sa.Column("assignment_id", sa.String()),
        sa.Column("evaluator_user_id", sa.String(), nullable=False),
        sa.Column("evaluator_type", sa.String(), nullable=False),
        sa.Column("evaluator_name", sa.String()),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("cursor", sa.String()),
        sa.Column("subject_hash", sa.String(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("submitted_at", UtcDateTime()),
        sa.Column("ended_at", UtcDateTime()),
        sa.Column("end_reason", sa.Text()),
        sa.Column("supersedes_id", sa.String()),
        sa.Column("normalized_score", sa.Float()),
        sa.Column("outcome", sa.String()),
        sa.Column("passed", sa.Boolean()),
        sa.Column("gate_failed", sa.Boolean()),
        sa.Column("completeness", sa.Float()),
        sa.Column("band_id", sa.String()),
        sa.Column("pass_threshold_applied", sa.Float()),
        sa.Column("confidence", sa.Float()),
        sa.Column("engine_version", sa.String()),
        sa.Column("error_message", sa.Text()),
        sa.Column("metadata", json_column_type()),
        sa.Column("prompt_run_id", sa.String()),
        sa.Column("agent_run_id", sa.String()),
        sa.CheckConstraint(
            "evaluator_type IN ('Human', 'AIPrompt', 'Agent', 'Deterministic', 'Self', 'External')",
            name="ck_evaluation_evaluator_type",
        ),
        sa.CheckConstraint(
            "outcome IN ('Passed', 'BelowThreshold', 'GateFailed', 'Incomplete', 'NotApplicableFailure', 'Scored')",
            name="ck_evaluation_outcome",
        ),
        sa.CheckConstraint(
            "status IN ('Draft', 'Submitted', 'Superseded', 'Withdrawn', 'Failed')",
            name="ck_evaluation_status",
        ),
        sa.CheckConstraint(
            "status NOT IN ('Submitted', 'Superseded') OR (submitted_at IS NOT NULL AND outcome IS NOT NULL AND completeness IS NOT NULL AND gate_failed IS NOT NULL)",
            name="ck_evaluation_result",
        ),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name="fk_evaluation_assignment_id"),
        sa.ForeignKeyConstraint(["band_id"], ["band.id"], name="fk_evaluation_band_id"),
        sa.ForeignKeyConstraint(["context_id"], ["context.id"], name="fk_evaluation_context_id"),
        sa.ForeignKeyConstraint(
            ["evaluator_user_id"], ["user_account.id"], name="fk_evaluation_evaluator_user_id"
        ),
        sa.ForeignKeyConstraint(["prompt_run_id"], ["prompt_run.id"], name="fk_evaluation_prompt_run_id"),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubric.id"], name="fk_evaluation_rubric_id"),
        sa.ForeignKeyConstraint(["subject_id"], ["subject.id"], name="fk_evaluation_subject_id"),
        sa.ForeignKeyConstraint(["supersedes_id"], ["evaluation.id"], name="fk_evaluation_supersedes_id"),
        sa.ForeignKeyConstraint(
            ["version_id", "rubric_id", "major_version"],
            ["rubric_version.id", "rubric_version.rubric_id", "rubric_version.major_version"],
            name="fk_evaluation_version_id_rubric_id_major_version",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation"),
    )
    op.create_index("ix_evaluation_assignment_id", "evaluation", ["assignment_id"])
    op.create_index("ix_evaluation_band_id", "evaluation", ["band_id"])
    op.create_index(
        "ix_evaluation_cohort",
        "evaluation",
        ["subject_id", "context_id", "rubric_id", "major_version", "status"],
    )
    op.create_index("ix_evaluation_context_id", "evaluation", ["context_id"])
    op.create_index("ix_evaluation_own", "evaluation", ["evaluator_user_id", "status", "submitted_at"])
    op.create_index("ix_evaluation_prompt_run_id", "evaluation", ["prompt_run_id"])
    op.create_index("ix_evaluation_rubric_id", "evaluation", ["rubric_id"])
    op.create_index("ix_evaluation_supersedes_id", "evaluation", ["supersedes_id"])
    op.create_index("ix_evaluation_version_id_status", "evaluation", ["version_id", "status"])
    op.create_index(
        "uq_evaluation_supersedes",
        "evaluation",
        ["supersedes_id"],
        unique=True,
        sqlite_where=sa.text("status IN ('Submitted', 'Superseded')"),
        postgresql_where=sa.text("status IN ('Submitted', 'Superseded')"),
    )
    op.create_table(
        "evaluation_score",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("evaluation_id", sa.String(), nullable=False),
        sa.Column("criterion_id", sa.String(), nullable=False),
        sa.Column("scale_level_id", sa.String()),
        sa.Column("raw_value", sa.Float()),
        sa.Column("is_not_applicable", sa.Boolean(), nullable=False),
        sa.Column("confidence", sa.Float()),
        sa.Column("rationale", sa.Text()),
        sa.Column("evidence", json_column_type()),
        sa.Column("is_flagged", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("normalized_score", sa.Float()),
        sa.Column("effective_weight", sa.Float()),
        sa.Column("overall_contribution", sa.Float()),
        sa.Column("gate_failed", sa.Boolean(), nullable=False),
        sa.Column("is_advisory", sa.Boolean(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["criterion_id"], ["criterion.id"], name="fk_evaluation_score_criterion_id"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name="fk_evaluation_score_evaluation_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["scale_level_id"], ["scale_level.id"], name="fk_evaluation_score_scale_level_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation_score"),
        sa.UniqueConstraint(
            "evaluation_id", "criterion_id", name="uq_evaluation_score_evaluation_id_criterion_id"
        ),
    )
    op.create_index("ix_evaluation_score_criterion_id", "evaluation_score", ["criterion_id"])
    op.create_index("ix_evaluation_score_scale_level_id", "evaluation_score", ["scale_level_id"])
