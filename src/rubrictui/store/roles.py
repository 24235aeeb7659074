"""The psql script that lets people into a store on PostgreSQL: group roles, their rights, a line for each person.

Rights on tables say who may write what kind of row; which rows of them, the policies decide
(``migrations/security_0006.py``), by the roles the store itself keeps.

Roles belong to a server and rights to a database. So the groups bear the name of the database: whoever is an author in
one panel of a server is none in the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from rubrictui.core.records import Role, User
from rubrictui.store.revision import REVISION_TABLE
from rubrictui.store.tables import METADATA

_KINDS: Final[Mapping[Role, str]] = {
    Role.REVIEWER: "reviewer",
    Role.AUTHOR: "author",
    Role.CHAIR: "chair",
    Role.ADMINISTER_EVALUATIONS: "administrator",
    Role.DEVELOPER: "developer",
    Role.INTEGRATION: "integration",
}
_SHARED = tuple(f"rubrictui_{kind}" for kind in _KINDS.values())
"""What the groups were called when all panels of a server shared them."""

_LONGEST = 63
"""Bytes of a name; the server cuts what is longer."""


def groups(database: str, schema: str = "public") -> dict[Role, str]:
    """The group roles of a store, by role: ``rubrictui_panel_reviewer``. No two databases of a server share one."""
    place = database
    room = _LONGEST - len(f"rubrictui__{max(_KINDS.values(), key=len)}")
    if schema != "public" or len(place.encode()) > room:
        mark = hashlib.sha256(f"{database}\0{schema}".encode()).hexdigest()[:12]
        place = f"{place.encode()[: room - 13].decode(errors='ignore')}_{mark}"
    return {role: f"rubrictui_{place}_{kind}" for role, kind in _KINDS.items()}


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


def grants(teams: Mapping[Role, str], schema: str = "public") -> list[str]:
    """``GRANT`` for every right of every group (as ``groups`` names them), without the people."""
    name = {role: _quoted(team) for role, team in teams.items()}
    every = name[Role.REVIEWER]
    members = ", ".join(team for role, team in name.items() if role is not Role.REVIEWER)
    author, chair = name[Role.AUTHOR], name[Role.CHAIR]
    administrator, developer = name[Role.ADMINISTER_EVALUATIONS], name[Role.DEVELOPER]
    integration = name[Role.INTEGRATION]
    place = _quoted(schema)

    def on(*tables: str) -> str:
        return ", ".join(f"{place}.{table}" for table in tables)

    later = sorted(table.name for table in METADATA.sorted_tables if table.name not in _KEPT)
    return [
        f"GRANT USAGE ON SCHEMA {place} TO {every}",
        f"GRANT {every} TO {members}",  # everybody is a member of the panel
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


def script(people: Sequence[User], *, where: str, at: datetime, database: str, schema: str = "public") -> str:
    """What psql runs, as the owner of the database: again whenever people or their roles have changed.

    Each person logs in under her login of the store. She has no password yet: the server's own rules (``pg_hba.conf``)
    say how she is known, or ``\\password LOGIN`` sets one.
    """
    place = _quoted(schema)
    teams = groups(database, schema)
    lines = [
        f"-- Who works in {_comment(where)}, as of {at:%Y-%m-%d %H:%M} UTC. Run it as the owner of the database, if",
        "-- she may create roles, or as a superuser:",
        "--   psql DATABASE -f THIS_FILE",
        "-- and again after adding people or changing roles. Nothing in it deletes anything.",
        "BEGIN;",
        _only_in(database),
        *(_role(team, "NOLOGIN") for team in teams.values()),
        f"REVOKE ALL ON ALL TABLES IN SCHEMA {place} FROM PUBLIC, {_listed(_quoted(one) for one in teams.values())};",
        *(f"{grant};" for grant in grants(teams, schema)),
        "-- Groups that all panels of the server shared, from before they bore the name of a database.",
        _shared_ended(teams, schema),
        "",
        *([_taken_back(people, teams)] if people else []),
        "-- A line for each person.",
        *(_person(user, teams) for user in people),
        "COMMIT;",
    ]
    return "\n".join(lines) + "\n"


def _only_in(database: str) -> str:
    """Groups of one database get no rights in another: there the script ends before it does anything."""
    told = _literal(
        f"This script is for the database {database}, not for %. Write one for that: rubrictui db roles."
    )
    return _block(
        f"BEGIN IF current_database() <> {_literal(database)} THEN"
        f" RAISE EXCEPTION USING MESSAGE = replace({told}, '%', current_database()); END IF; END"
    )


def _role(name: str, kind: str) -> str:
    made = f"CREATE ROLE {_quoted(name)} {kind}"
    return _block(f"BEGIN {made}; EXCEPTION WHEN duplicate_object THEN NULL; END")


def _block(body: str) -> str:
    """An anonymous block that no name in it can end."""
    tag = "do"
    while tag in body:
        tag += "o"
    return f"DO ${tag}$ {body} ${tag}$;"


def _person(user: User, teams: Mapping[Role, str]) -> str:
    held = (teams[role] for role in (Role.REVIEWER, *user.roles) if role is not Role.REVIEWER)
    named = _listed(_quoted(team) for team in (teams[Role.REVIEWER], *held))
    return f"{_role(user.name, 'LOGIN')} GRANT {named} TO {_quoted(user.name)};"


def _shared_ended(teams: Mapping[Role, str], schema: str) -> str:
    """What the shared groups may in this database, taken from them and told. Who is in them stays: another panel of the server
    may still live by them."""
    place = _literal(schema)
    told = _literal(
        "The group % has no rights in this database any more; % and its kin have them now. "
        "Drop it once no database of the server uses it."
    )
    heir = _literal(teams[Role.REVIEWER])
    return _block(
        "DECLARE team text; BEGIN FOR team IN SELECT r.rolname FROM pg_roles r"
        f" WHERE r.rolname IN ({_listed(_literal(one) for one in _SHARED)})"
        f" AND EXISTS (SELECT FROM pg_class c, aclexplode(c.relacl) a WHERE c.relnamespace = {place}::regnamespace"
        " AND a.grantee = r.oid)"
        f" LOOP EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM %I', {place}, team);"
        f" EXECUTE format('REVOKE ALL ON SCHEMA %I FROM %I', {place}, team);"
        f" RAISE NOTICE {told}, team, {heir}; END LOOP; END"
    )


def _taken_back(people: Sequence[User], teams: Mapping[Role, str]) -> str:
    """Every group that one of them is in, until her line puts her back: revoking what nobody holds would warn."""
    return _block(
        "DECLARE held record; BEGIN FOR held IN SELECT g.rolname AS team, p.rolname AS person"
        " FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles p ON p.oid = m.member"
        f" WHERE g.rolname IN ({_listed(_literal(team) for team in teams.values())})"
        f" AND p.rolname IN ({_listed(_literal(user.name) for user in people)})"
        " LOOP EXECUTE format('REVOKE %I FROM %I', held.team, held.person); END LOOP; END"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _comment(text: str) -> str:
    return " ".join(text.split())
