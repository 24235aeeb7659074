"""Who may see and make settlements, on PostgreSQL, for whoever asks the database itself.

The same rules as ``adjudications.py``, in the manner of ``security_0006``: whoever reads all evaluations reads
settlements whole, except on subjects on which she is blind; drafts of one are their maker's. Only who runs rounds
and reads all may make one. A reviewer who may see the figures of a cohort sees what was settled through the view
``settled_score``, without answers and without what the adjudicator wrote to them. Everybody reads the list of reasons.
"""

from __future__ import annotations

from rubrictui.store.migrations import security_0006
from rubrictui.store.migrations.security_0006 import (
    ADMINISTERS,
    BLIND,
    MAY_SEE_COHORT,
    ME,
    READS_ALL,
    RUNS_ROUNDS,
    TRUSTED,
    literal,
    quoted,
)

FORCED = ("adjudication",)
PROTECTED = (*FORCED, "adjudication_reason")
VIEWS = ("settled_score",)

_SUMMARY = (
    "e.id, e.context_id, e.subject_id, e.rubric_id, e.major_version, e.version_id, e.evaluation_id,"
    " e.adjudicator_id, e.status, e.reason, e.note, e.settled_at, e.superseded_at, e.supersedes_id,"
    " e.normalized_score, e.outcome, e.passed"
)


def views(dialect: str) -> list[str]:
    """``CREATE VIEW`` for each of ``VIEWS``. ``basis`` is null there for a session that may not read evaluations."""
    if dialect == "sqlite":
        return [
            f"CREATE VIEW settled_score AS SELECT {_SUMMARY}, e.basis FROM adjudication e WHERE e.status <> 'Draft'"
        ]
    return [
        f"CREATE VIEW settled_score WITH (security_barrier = true) AS SELECT {_SUMMARY},"
        f" CASE WHEN {TRUSTED} OR {READS_ALL} THEN e.basis END AS basis"
        f" FROM adjudication e WHERE e.status <> 'Draft'{MAY_SEE_COHORT}"
    ]


def policies(owner: str) -> list[str]:
    """Row-level security switched on, and every policy. ``owner`` is the role that owns the tables."""
    own = f"(adjudicator_id = {ME} OR {ADMINISTERS})"
    settles = f"{READS_ALL} AND {RUNS_ROUNDS} AND subject_id NOT IN {BLIND}"
    return [
        *(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY" for table in PROTECTED),
        *(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in FORCED),
        "CREATE POLICY reads ON adjudication FOR SELECT"
        f" USING ({READS_ALL} AND subject_id NOT IN {BLIND} AND (status <> 'Draft' OR {own}))",
        f"CREATE POLICY begins ON adjudication FOR INSERT WITH CHECK ({settles} AND {own})",
        "CREATE POLICY changes ON adjudication FOR UPDATE"
        f" USING ({settles} AND ({own} OR status = 'Settled'))"
        f" WITH CHECK ({settles} AND ({own} OR status = 'Superseded'))",
        f"CREATE POLICY ends ON adjudication FOR DELETE USING ({settles} AND {own} AND status = 'Draft')",
        f"CREATE POLICY views_read ON adjudication FOR SELECT TO {quoted(owner)}"
        f" USING (session_user <> {literal(owner)})",
        "CREATE POLICY reads ON adjudication_reason FOR SELECT USING (true)",
        f"CREATE POLICY begins ON adjudication_reason FOR INSERT WITH CHECK ({RUNS_ROUNDS})",
        f"CREATE POLICY ends ON adjudication_reason FOR DELETE USING ({RUNS_ROUNDS})",
    ]


def statements(dialect: str, owner: str = "") -> list[str]:
    """Everything of this migration besides tables and triggers, in order."""
    return views(dialect) if dialect == "sqlite" else [*policies(owner), *views(dialect)]


def policy_names() -> list[str]:
    """``table.policy`` of every policy."""
    return security_0006.names_of(policies("owner"))
