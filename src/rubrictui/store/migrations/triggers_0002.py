"""The triggers since 0002: of a frozen version, who saved it last stays too, and who retired it moves with it.

Only the rule for changed versions differs from those of 0001.
"""

from __future__ import annotations

from rubrictui.store.migrations import triggers_0001
from rubrictui.store.migrations.triggers_0001 import TRUNCATE_RULES, Rule

_BEFORE = next(rule for rule in triggers_0001.RULES if rule.name == "frozen_51101_rubric_version_update")
_FIXED = "OLD.published_by IS DISTINCT FROM NEW.published_by"
_MOVES = "OLD.retired_at IS DISTINCT FROM NEW.retired_at"

#: The rule that takes the place of the one of the same name.
CHANGED = Rule(
    _BEFORE.number,
    _BEFORE.table,
    _BEFORE.event,
    _BEFORE.condition.replace(
        _FIXED,
        f"{_FIXED} OR OLD.saved_at IS DISTINCT FROM NEW.saved_at OR OLD.saved_by IS DISTINCT FROM NEW.saved_by",
    ).replace(_MOVES, f"({_MOVES} OR OLD.retired_by IS DISTINCT FROM NEW.retired_by)"),
)

RULES: tuple[Rule, ...] = tuple(
    CHANGED if rule.name == CHANGED.name else rule for rule in triggers_0001.RULES
)


def sqlite_statements() -> list[str]:
    """``CREATE TRIGGER`` for every rule."""
    return triggers_0001.sqlite_statements(RULES)


def rule_names() -> list[str]:
    """The names of all triggers on PostgreSQL."""
    return [rule.name for rule in (*RULES, *TRUNCATE_RULES)]


def replacing(dialect: str, schema: str) -> list[str]:
    """What puts ``CHANGED`` in the place of the rule of 0001."""
    if dialect == "sqlite":
        return [f"DROP TRIGGER {CHANGED.name}", *triggers_0001.sqlite_statements([CHANGED])]
    function, _ = triggers_0001.postgresql_statements(schema, [CHANGED])
    return [function.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1)]
