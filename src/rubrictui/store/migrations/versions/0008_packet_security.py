"""Row-level security of packets on PostgreSQL, and the views that packets are listed from on both."""

from __future__ import annotations

from alembic import op

from rubrictui.store.migrations import security_0008

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    bind = op.get_bind()
    owner = ""
    if bind.dialect.name == "postgresql":
        owner = str(bind.exec_driver_sql("SELECT current_user").scalar_one())
    for statement in security_0008.statements(bind.dialect.name, owner):
        bind.exec_driver_sql(statement)
