"""The psql script that lets people into a store on PostgreSQL: group roles, their rights, a line for each person.

Rights on tables say who may write what kind of row; which rows of them, the policies decide
(``migrations/security_0006.py``), by the roles the store itself keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rubrictui.core.records import Role, User
from rubrictui.store.revision import REVISION_TABLE
from rubrictui.store.tables import METADATA

GROUPS: dict[Role, str] = {
    Role.REVIEWER: "rubrictui_reviewer",
    Role.AUTHOR: "rubrictui_author",
    Role.CHAIR: "rubrictui_chair",
    Role.ADMINISTER_EVALUATIONS: "rubrictui_administrator",
    Role.DEVELOPER: "rubrictui_developer",
    Role.INTEGRATION: "rubrictui_integration",
}
# What everybody in a panel may read. What is not named here, only its keepers do.
_READ = (
    "category", "prompt", "scale", "scale_level", "store_info", "subject", "user_account", "role_grant", "rubric",
    "rubric_version", "sample_answer_set", "band", "criterion", "criterion_level", "context", "assignment",
    "round_reviewer", "round_subject", "round_conflict", "evaluation", "evaluation_score", "phrase", "prompt_run",
    "cohort", "evaluation_cohort", "criterion_cohort", "cohort_evaluation", "cohort_score", "round_comment",
    "settled_score", "adjudication_reason", "packet_export", "packet_conflict", "packet_sent", "packet_brought",
    REVISION_TABLE,
)  # fmt: skip
_AUTHORED = (
    "category", "prompt", "scale", "scale_level", "rubric", "rubric_version", "sample_answer_set", "band", "criterion",
    "criterion_level",
)  # fmt: skip
_RUN = ("context", "round_reviewer", "round_subject", "round_event", "round_conflict")
_SENT = ("packet_export", "packet_conflict")
_SETTLED = ("adjudication",)
_KEPT = frozenset({*_READ, *_RUN, *_SETTLED})

#: Who inherits whose rights: everybody is a member of the panel.
_MEMBERS = tuple(group for role, group in GROUPS.items() if role is not Role.REVIEWER)


def grants(schema: str = "public") -> list[str]:
    """``GRANT`` for every right of every group, without the people."""
    every = GROUPS[Role.REVIEWER]
    author, chair = GROUPS[Role.AUTHOR], GROUPS[Role.CHAIR]
    administrator, developer = GROUPS[Role.ADMINISTER_EVALUATIONS], GROUPS[Role.DEVELOPER]
    integration = GROUPS[Role.INTEGRATION]
    place = _quoted(schema)

    def on(*tables: str) -> str:
        return ", ".join(f"{place}.{table}" for table in tables)

    later = sorted(table.name for table in METADATA.sorted_tables if table.name not in _KEPT)
    return [
        f"GRANT USAGE ON SCHEMA {place} TO {every}",
        f"GRANT {every} TO {', '.join(_MEMBERS)}",
        f"GRANT SELECT ON {on(*_READ)} TO {every}",
        # Their own work, as the policies have it. Nobody deletes an evaluation.
        f"GRANT INSERT, UPDATE ON {on('evaluation', 'evaluation_score', 'prompt_run')} TO {every}",
        f"GRANT INSERT, UPDATE, DELETE ON {on('phrase')} TO {every}",
        f"GRANT UPDATE (status, reason, ended_at, ended_by) ON {on('assignment')} TO {every}",
        f"GRANT INSERT, UPDATE ON {on('round_conflict')} TO {every}",
        f"GRANT INSERT ON {on('subject')} TO {every}",
        f"GRANT UPDATE ON {on('subject')} TO {author}, {chair}, {administrator}, {developer}, {integration}",
        f"GRANT INSERT, UPDATE, DELETE ON {on(*_AUTHORED)} TO {author}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {on(*_RUN)} TO {chair}",
        f"GRANT INSERT, UPDATE ON {on(*_SENT)} TO {every}",
        f"GRANT SELECT ON {on('round_event', *_SETTLED)} TO {administrator}, {developer}, {integration}",
        # Settling: only who also reads all evaluations may, as the policies have it.
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {on(*_SETTLED)} TO {chair}, {administrator}",
        f"GRANT INSERT, DELETE ON {on('adjudication_reason')} TO {chair}, {administrator}",
        f"GRANT INSERT ON {on('round_event')} TO {administrator}",
        f"GRANT INSERT, UPDATE ON {on('assignment')} TO {chair}",
        f"GRANT UPDATE ON {on('assignment')} TO {administrator}",
        f"GRANT INSERT, UPDATE (display_name) ON {on('user_account')} TO {chair}, {administrator}",
        f"GRANT INSERT ON {on('role_grant')} TO {chair}",
        f"GRANT INSERT, DELETE ON {on('role_grant')} TO {administrator}",
        *([f"GRANT SELECT, INSERT, UPDATE ON {on(*later)} TO {administrator}"] if later else []),
    ]


def script(people: Sequence[User], *, where: str, at: datetime, schema: str = "public") -> str:
    """What psql runs, as the owner of the database: again whenever people or their roles have changed.

    Each person logs in under her login of the store. She has no password yet: the server's own rules (``pg_hba.conf``)
    say how she is known, or ``\\password LOGIN`` sets one.
    """
    place = _quoted(schema)
    groups = list(GROUPS.values())
    lines = [
        f"-- Who works in {_comment(where)}, as of {at:%Y-%m-%d %H:%M} UTC. Run it as the owner of the database, if",
        "-- she may create roles, or as a superuser:",
        "--   psql DATABASE -f THIS_FILE",
        "-- and again after adding people or changing roles. Nothing in it deletes anything.",
        "BEGIN;",
        *(_role(group, "NOLOGIN") for group in groups),
        f"REVOKE ALL ON ALL TABLES IN SCHEMA {place} FROM PUBLIC, {', '.join(groups)};",
        *(f"{grant};" for grant in grants(schema)),
        "",
        *([_taken_back(people)] if people else []),
        "-- A line for each person.",
        *(_person(user) for user in people),
        "COMMIT;",
    ]
    return "\n".join(lines) + "\n"


def _role(name: str, kind: str) -> str:
    tag = "do"
    while tag in name:  # or a login could end the block
        tag += "o"
    made = f"CREATE ROLE {_quoted(name)} {kind}"
    return f"DO ${tag}$ BEGIN {made}; EXCEPTION WHEN duplicate_object THEN NULL; END ${tag}$;"


def _person(user: User) -> str:
    held = [GROUPS[Role.REVIEWER], *(GROUPS[role] for role in user.roles if role is not Role.REVIEWER)]
    return f"{_role(user.name, 'LOGIN')} GRANT {', '.join(held)} TO {_quoted(user.name)};"


def _taken_back(people: Sequence[User]) -> str:
    """Every group that one of them is in, until her line puts her back: revoking what nobody holds would warn."""
    names = ", ".join(_literal(user.name) for user in people)
    tag = "do"
    while tag in names:
        tag += "o"
    groups = ", ".join(_literal(group) for group in GROUPS.values())
    return (
        f"DO ${tag}$ DECLARE held record; BEGIN FOR held IN SELECT g.rolname AS team, p.rolname AS person"
        " FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles p ON p.oid = m.member"
        f" WHERE g.rolname IN ({groups}) AND p.rolname IN ({names})"
        f" LOOP EXECUTE format('REVOKE %I FROM %I', held.team, held.person); END LOOP; END ${tag}$;"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _comment(text: str) -> str:
    return " ".join(text.split())
