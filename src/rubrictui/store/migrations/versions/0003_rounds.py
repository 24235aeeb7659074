"""For chairs: what a round's rules are, whom and what it holds, who may not score what, and its log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rubrictui.store.types import UtcDateTime, json_column_type

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in (
        sa.Column("naming", sa.String()),
        sa.Column("hidden_fields", json_column_type()),
        sa.Column("disagreement_threshold", sa.Float()),
        sa.Column("reviews_per_subject", sa.Integer()),
        sa.Column("closed_at", UtcDateTime()),
        sa.Column("reopened_at", UtcDateTime()),
    ):
        op.add_column("context", column)
    op.add_column("assignment", sa.Column("ended_by", sa.String()))
    _members("round_subject", "subject_id", "subject.id", sa.Column("sequence", sa.Integer(), nullable=False))
    _members("round_reviewer", "user_id", "user_account.id")
    op.create_table(
        "round_conflict",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("declared_at", UtcDateTime(), nullable=False),
        sa.Column("declared_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["subject_id"], ["subject.id"], name="fk_round_conflict_subject_id"),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name="fk_round_conflict_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_round_conflict"),
        sa.UniqueConstraint("user_id", "subject_id", name="uq_round_conflict_user_id_subject_id"),
    )
    op.create_index("ix_round_conflict_subject_id", "round_conflict", ["subject_id"])
    op.create_table(
        "round_event",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("context_id", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("details", json_column_type()),
        sa.ForeignKeyConstraint(["context_id"], ["context.id"], name="fk_round_event_context_id"),
        sa.PrimaryKeyConstraint("id", name="pk_round_event"),
    )
    op.create_index("ix_round_event_context_id", "round_event", ["context_id"])


def _members(table: str, member: str, target: str, *more: sa.Column) -> None:  # type: ignore[type-arg]
    op.create_table(
        table,
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("context_id", sa.String(), nullable=False),
        sa.Column(member, sa.String(), nullable=False),
        *more,
        sa.Column("added_at", UtcDateTime(), nullable=False),
        sa.Column("added_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["context_id"], ["context.id"], name=f"fk_{table}_context_id"),
        sa.ForeignKeyConstraint([member], [target], name=f"fk_{table}_{member}"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sa.UniqueConstraint("context_id", member, name=f"uq_{table}_context_id_{member}"),
    )
    op.create_index(f"ix_{table}_{member}", table, [member])
