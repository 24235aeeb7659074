"""For runs of models: what they judged, what came of it, and the key under which a reply is found again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("evaluator_name", "subject_id", "evaluation_id", "cache_key"):
        op.add_column("prompt_run", sa.Column(name, sa.String()))
    for name in ("cache_key", "evaluation_id", "subject_id", "started_at"):
        op.create_index(f"ix_prompt_run_{name}", "prompt_run", [name])
