"""For authors: who saved a draft last, who retired a version, and sample answers kept for each rubric."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rubrictui.store.migrations import triggers_0002
from rubrictui.store.types import UtcDateTime, json_column_type

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("rubric_version", sa.Column("saved_at", UtcDateTime()))
    op.add_column("rubric_version", sa.Column("saved_by", sa.String()))
    op.add_column("rubric_version", sa.Column("retired_by", sa.String()))
    bind = op.get_bind()
    schema = ""
    if bind.dialect.name == "postgresql":
        schema = bind.exec_driver_sql("SELECT current_schema()").scalar_one()
    for statement in triggers_0002.replacing(bind.dialect.name, schema):
        bind.exec_driver_sql(statement)
    op.create_table(
        "sample_answer_set",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("rubric_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("answers", json_column_type()),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("saved_at", UtcDateTime(), nullable=False),
        sa.Column("saved_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["rubric_id"], ["rubric.id"], name="fk_sample_answer_set_rubric_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sample_answer_set"),
        sa.UniqueConstraint("rubric_id", "name", name="uq_sample_answer_set_rubric_id_name"),
    )
