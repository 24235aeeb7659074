"""Row-level security and guarded views on PostgreSQL; the views that consensus and comments are read from on both."""

from __future__ import annotations

from alembic import op

from rubrictui.store.migrations import security_0006

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    bind = op.get_bind()
    schema = owner = ""
    if bind.dialect.name == "postgresql":
        schema, owner = bind.exec_driver_sql("SELECT current_schema(), current_user").one()
    for statement in security_0006.statements(bind.dialect.name, schema, owner):
        bind.exec_driver_sql(statement)
