"""Who may see what of packets, on PostgreSQL, for whoever asks the database itself.

The same rules as ``packets.py``, in the manner of ``security_0006``. The record of an export holds fingerprints of
answers, and a conflict holds answers, so both are read whole by their reviewer, and by who administers evaluations
(a conflict by whoever reads all evaluations), except where she is blind on a subject that they are about. Two views
show chairs the rest: ``packet_sent`` what was sent to whom, and, unless she is blind on some subject of it, that it
came back; ``packet_brought`` what is to be settled, without answers.
"""

from __future__ import annotations

from rubrictui.store.migrations import security_0006
from rubrictui.store.migrations.security_0006 import (
    ADMINISTERS,
    BLIND,
    ME,
    READS_ALL,
    RUNS_ROUNDS,
    TRUSTED,
    literal,
    quoted,
)

FORCED = ("packet_export", "packet_conflict")
PROTECTED = FORCED
VIEWS = ("packet_sent", "packet_brought")

_EXPORT = "e.id, e.context_id, e.user_id, e.exported_at, e.exported_by, e.is_signed, e.sent"
_CONFLICT = (
    "c.id, c.export_id, c.subject_id, c.item_id, c.digest, c.reasons, c.found_at, c.found_by, c.settled_at,"
    " c.settled_by, c.taken"
)
_JOINED = " FROM packet_conflict c JOIN packet_export x ON x.id = c.export_id"


def _about_blind(export: str) -> str:
    """Whether the viewer is blind on a subject that was sent."""
    return (
        f"EXISTS (SELECT 1 FROM json_object_keys({export}sent -> 'subjects') AS s (id) WHERE s.id IN {BLIND})"
    )


def views(dialect: str) -> list[str]:
    """``CREATE VIEW`` for each of ``VIEWS``. ``is_veiled``: the database keeps from the session what came back."""
    if dialect == "sqlite":
        return [
            f"CREATE VIEW packet_sent AS SELECT {_EXPORT}, e.taken_at, e.taken_by, FALSE AS is_veiled"
            " FROM packet_export e",
            f"CREATE VIEW packet_brought AS SELECT {_CONFLICT}, c.returned, x.context_id, x.user_id{_JOINED}",
        ]
    open_to = f"{TRUSTED} OR e.user_id = {ME}"
    veiled = f"(NOT ({open_to}) AND {_about_blind('e.')})"
    brought = f"{TRUSTED} OR x.user_id = {ME}"
    barrier = "WITH (security_barrier = true) AS"
    return [
        f"CREATE VIEW packet_sent {barrier} SELECT {_EXPORT},"
        f" CASE WHEN NOT {veiled} THEN e.taken_at END AS taken_at,"
        f" CASE WHEN NOT {veiled} THEN e.taken_by END AS taken_by, {veiled} AS is_veiled"
        f" FROM packet_export e WHERE {open_to} OR {RUNS_ROUNDS}",
        f"CREATE VIEW packet_brought {barrier} SELECT {_CONFLICT},"
        f" CASE WHEN {brought} OR {READS_ALL} THEN c.returned END AS returned, x.context_id, x.user_id{_JOINED}"
        f" WHERE {brought} OR (({RUNS_ROUNDS} OR {READS_ALL}) AND c.subject_id NOT IN {BLIND})",
    ]


def policies(owner: str) -> list[str]:
    """Row-level security switched on, and every policy. ``owner`` is the role that owns the tables."""
    mine = f"user_id = {ME}"
    of_mine = f"EXISTS (SELECT 1 FROM packet_export x WHERE x.id = export_id AND x.{mine})"
    writes = f"{of_mine} OR {ADMINISTERS}"
    for_views = f"TO {quoted(owner)} USING (session_user <> {literal(owner)})"
    return [
        *(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY" for table in PROTECTED),
        *(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in FORCED),
        f"CREATE POLICY reads ON packet_export FOR SELECT USING ({mine} OR ({ADMINISTERS} AND NOT {_about_blind('')}))",
        f"CREATE POLICY begins ON packet_export FOR INSERT WITH CHECK ({mine} OR {RUNS_ROUNDS})",
        f"CREATE POLICY changes ON packet_export FOR UPDATE USING ({mine} OR {ADMINISTERS})"
        f" WITH CHECK ({mine} OR {ADMINISTERS})",
        f"CREATE POLICY views_read ON packet_export FOR SELECT {for_views}",
        "CREATE POLICY reads ON packet_conflict FOR SELECT"
        f" USING ({of_mine} OR ({READS_ALL} AND subject_id NOT IN {BLIND}))",
        f"CREATE POLICY begins ON packet_conflict FOR INSERT WITH CHECK ({writes})",
        f"CREATE POLICY changes ON packet_conflict FOR UPDATE USING ({writes}) WITH CHECK ({writes})",
        f"CREATE POLICY views_read ON packet_conflict FOR SELECT {for_views}",
    ]


def statements(dialect: str, owner: str = "") -> list[str]:
    """Everything of this migration, in order."""
    return views(dialect) if dialect == "sqlite" else [*policies(owner), *views(dialect)]


def policy_names() -> list[str]:
    """``table.policy`` of every policy."""
    return security_0006.names_of(policies("owner"))
