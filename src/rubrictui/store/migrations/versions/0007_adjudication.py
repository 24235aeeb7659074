"""For chairs: settlements of what reviewers disagree about, and the list of reasons for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rubrictui.store.migrations import security_0007, triggers_0007
from rubrictui.store.types import UtcDateTime, json_column_type

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_STATUSES = "'Draft', 'Settled', 'Superseded'"
_OUTCOMES = "'Passed', 'BelowThreshold', 'GateFailed', 'Incomplete', 'NotApplicableFailure', 'Scored'"
_WORK = ("context_id", "subject_id", "rubric_id", "major_version")


def upgrade() -> None:
    op.create_table(
        "adjudication",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("context_id", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("rubric_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("major_version", sa.Integer(), nullable=False),
        sa.Column("adjudicator_id", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("cursor", sa.String()),
        sa.Column("answers", json_column_type()),
        sa.Column("evaluation_id", sa.String()),
        sa.Column("reason", sa.String()),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("basis", json_column_type()),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("settled_at", UtcDateTime()),
        sa.Column("superseded_at", UtcDateTime()),
        sa.Column("supersedes_id", sa.String()),
        sa.Column("normalized_score", sa.Float()),
        sa.Column("outcome", sa.String()),
        sa.Column("passed", sa.Boolean()),
        sa.Column("gate_failed", sa.Boolean()),
        sa.Column("completeness", sa.Float()),
        sa.Column("band_id", sa.String()),
        sa.Column("pass_threshold_applied", sa.Float()),
        sa.Column("engine_version", sa.String()),
        sa.CheckConstraint(f"status IN ({_STATUSES})", name="ck_adjudication_status"),
        sa.CheckConstraint(f"outcome IN ({_OUTCOMES})", name="ck_adjudication_outcome"),
        sa.CheckConstraint(
            "status = 'Draft' OR (settled_at IS NOT NULL AND outcome IS NOT NULL AND reason IS NOT NULL)",
            name="ck_adjudication_settled",
        ),
        sa.ForeignKeyConstraint(
            ["version_id", "rubric_id", "major_version"],
            ["rubric_version.id", "rubric_version.rubric_id", "rubric_version.major_version"],
            name="fk_adjudication_version_id_rubric_id_major_version",
        ),
        *(
            sa.ForeignKeyConstraint([column], [f"{target}.id"], name=f"fk_adjudication_{column}")
            for column, target in (
                ("context_id", "context"),
                ("subject_id", "subject"),
                ("rubric_id", "rubric"),
                ("adjudicator_id", "user_account"),
                ("evaluation_id", "evaluation"),
                ("supersedes_id", "adjudication"),
                ("band_id", "band"),
            )
        ),
        sa.PrimaryKeyConstraint("id", name="pk_adjudication"),
    )
    for column in (
        "context_id", "rubric_id", "version_id", "adjudicator_id", "evaluation_id", "supersedes_id", "band_id",
    ):  # fmt: skip
        op.create_index(f"ix_adjudication_{column}", "adjudication", [column])
    op.create_index("ix_adjudication_subject", "adjudication", ["subject_id", "context_id"])
    for name, columns, status in (
        ("draft", (*_WORK, "adjudicator_id"), "Draft"),
        ("settled", _WORK, "Settled"),
    ):
        where = sa.text(f"status = '{status}'")
        op.create_index(
            f"uq_adjudication_{name}", "adjudication", list(columns), unique=True,
            sqlite_where=where, postgresql_where=where,
        )  # fmt: skip
    op.create_table(
        "adjudication_reason",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_adjudication_reason"),
        sa.UniqueConstraint("label", name="uq_adjudication_reason_label"),
    )
    bind = op.get_bind()
    schema = owner = ""
    if bind.dialect.name == "postgresql":
        schema, owner = bind.exec_driver_sql("SELECT current_schema(), current_user").one()
    for statement in (
        *triggers_0007.statements(bind.dialect.name, schema),
        *security_0007.statements(bind.dialect.name, owner),
    ):
        bind.exec_driver_sql(statement)
