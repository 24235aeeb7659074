"""The triggers that keep settlements as they were made: a draft is settled, and what stands is only ever superseded.

Their numbers follow the guide's, which end at 51110.
"""

from __future__ import annotations

from rubrictui.store.migrations import triggers_0001
from rubrictui.store.migrations.triggers_0001 import Rule, any_differs

_FIXED = any_differs(
    "id context_id subject_id rubric_id version_id major_version adjudicator_id cursor evaluation_id reason note"
    " started_at updated_at settled_at supersedes_id normalized_score outcome passed gate_failed completeness band_id"
    " pass_threshold_applied engine_version",
    json="answers basis",
)
_STANDS = "EXISTS (SELECT 1 FROM adjudication a WHERE a.id = {} AND a.status <> 'Draft')"

RULES: tuple[Rule, ...] = (
    Rule(51111, "adjudication", "INSERT", f"NEW.status <> 'Draft' OR {_STANDS.format('NEW.id')}"),
    Rule(
        51111,
        "adjudication",
        "UPDATE",
        "(OLD.status = 'Draft' AND NEW.status = 'Superseded')"
        f" OR (OLD.status <> 'Draft' AND ({_FIXED} OR CASE"
        " WHEN NEW.status = OLD.status THEN OLD.superseded_at IS DISTINCT FROM NEW.superseded_at"
        " ELSE OLD.status <> 'Settled' OR NEW.status <> 'Superseded' END))"
        f" OR (NEW.id <> OLD.id AND {_STANDS.format('NEW.id')})",
    ),
    Rule(51112, "adjudication", "DELETE", "OLD.status <> 'Draft'"),
)
TRUNCATE_RULES: tuple[Rule, ...] = (
    Rule(
        51112, "adjudication", "TRUNCATE", "EXISTS (SELECT 1 FROM adjudication a WHERE a.status <> 'Draft')"
    ),
)

_WHAT = {
    51111: "a settlement that stands cannot be changed",
    51112: "a settlement that stands cannot be deleted",
}


def statements(dialect: str, schema: str = "") -> list[str]:
    """``CREATE TRIGGER`` for every rule, with its function on PostgreSQL."""
    if dialect == "sqlite":
        return triggers_0001.sqlite_statements(RULES, _WHAT)
    return triggers_0001.postgresql_statements(schema, (*RULES, *TRUNCATE_RULES), _WHAT)


def rule_names() -> list[str]:
    """The names of all triggers on PostgreSQL."""
    return [rule.name for rule in (*RULES, *TRUNCATE_RULES)]
