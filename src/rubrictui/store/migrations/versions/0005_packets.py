"""For reviewers who work offline: what was sent to whom, and what came back that a chair has to settle."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rubrictui.store.types import UtcDateTime, json_column_type

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "packet_export",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("context_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("exported_at", UtcDateTime(), nullable=False),
        sa.Column("exported_by", sa.String(), nullable=False),
        sa.Column("is_signed", sa.Boolean(), nullable=False),
        sa.Column("sent", json_column_type()),
        sa.Column("bases", json_column_type()),
        sa.Column("taken_at", UtcDateTime()),
        sa.Column("taken_by", sa.String()),
        sa.ForeignKeyConstraint(["context_id"], ["context.id"], name="fk_packet_export_context_id"),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name="fk_packet_export_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_packet_export"),
    )
    op.create_index("ix_packet_export_context_id", "packet_export", ["context_id"])
    op.create_index("ix_packet_export_user_id", "packet_export", ["user_id"])
    op.create_table(
        "packet_conflict",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("export_id", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("reasons", json_column_type()),
        sa.Column("returned", json_column_type()),
        sa.Column("replaced", json_column_type()),
        sa.Column("found_at", UtcDateTime(), nullable=False),
        sa.Column("found_by", sa.String(), nullable=False),
        sa.Column("settled_at", UtcDateTime()),
        sa.Column("settled_by", sa.String()),
        sa.Column("taken", sa.String()),
        sa.ForeignKeyConstraint(["export_id"], ["packet_export.id"], name="fk_packet_conflict_export_id"),
        sa.ForeignKeyConstraint(["subject_id"], ["subject.id"], name="fk_packet_conflict_subject_id"),
        sa.PrimaryKeyConstraint("id", name="pk_packet_conflict"),
        sa.UniqueConstraint(
            "export_id", "item_id", "digest", name="uq_packet_conflict_export_id_item_id_digest"
        ),
    )
    op.create_index("ix_packet_conflict_subject_id", "packet_conflict", ["subject_id"])
