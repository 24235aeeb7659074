"""Who may see what, on PostgreSQL, for whoever asks the database itself: row-level security and guarded views.

The same rules as ``access_rules.py``, with the session's database user as the viewer: a reviewer with a raw SQL prompt
sees her own rows only, deletes nothing and writes nothing in another's name; roles that read all are blind on
subjects on which they have open work. Aggregates and comments come through views that are made with their owner's
rights and decide by the session's user. SQLite has no database users: there the same views stand open, and
``access.py`` alone decides.

How it hangs together:

- ``rubrictui_me`` and its kin look the session's user up. They ask for ``session_user``, which SET ROLE does not change.
- Policies of ``evaluation`` need to know on which subjects the viewer is blind, and that is read from
  ``evaluation`` itself. The function that reads it switches a guard on, under which a policy shows own rows only,
  so that it never asks for itself. Whoever switches the guard on by hand sees less, never more.
- Views and functions read with the rights of their owner, whom a second policy lets see all rows for the sessions
  of others. The owner's own sessions are bound by the first policy (FORCE), as far as somebody can be
  bound who could drop it.
- A session of a superuser, or of a role with BYPASSRLS, is trusted: a program with a sign-in of its own uses one.
"""

from __future__ import annotations

from collections.abc import Iterable

from rubrictui.store.migrations import views_0001

FORCED = ("evaluation", "evaluation_score", "assignment", "phrase", "prompt_run", "round_conflict")
"""Tables whose policies bind their owner too."""
PROTECTED = (*FORCED, "role_grant")

NEW_VIEWS = ("cohort_evaluation", "cohort_score", "round_comment")
VIEWS = (*views_0001.VIEWS, *NEW_VIEWS)

_KEY = "e.subject_id, e.context_id, e.rubric_id, e.major_version"
_STRICT = "'until_closed', 'comments_visible'"

ME = "(SELECT rubrictui_me())"
READS_ALL = "(SELECT rubrictui_holds('administer_evaluations', 'developer', 'integration'))"
ADMINISTERS = "(SELECT rubrictui_holds('administer_evaluations'))"
RUNS_ROUNDS = "(SELECT rubrictui_holds('chair', 'administer_evaluations'))"
_SEES_ASSIGNMENTS = "(SELECT rubrictui_holds('chair', 'administer_evaluations', 'developer', 'integration'))"
TRUSTED = "(SELECT rubrictui_trusted())"
BLIND = "(SELECT rubrictui_blind())"


# -- views -------------------------------------------------------------------------------------------

_IN_COHORT = (
    f"{READS_ALL} OR EXISTS (SELECT 1 FROM evaluation o WHERE o.evaluator_user_id = {ME}"
    " AND o.subject_id = e.subject_id AND o.rubric_id = e.rubric_id AND o.major_version = e.major_version"
    " AND o.context_id IS NOT DISTINCT FROM e.context_id AND o.status = 'Submitted' AND o.evaluator_type = 'Human')"
)
MAY_SEE_COHORT = f" AND ({TRUSTED} OR (e.subject_id NOT IN {BLIND} AND ({_IN_COHORT})))"
_MAY_READ = f" WHERE {TRUSTED} OR {READS_ALL} OR e.evaluator_user_id = {ME}"
_OWN_WORDS = f"e.evaluator_user_id = {ME} AND e.evaluator_type IN ('Human', 'Self')"
_MAY_READ_COMMENTS = (
    f" AND ({TRUSTED} OR (e.subject_id NOT IN (SELECT rubrictui_silent()) AND NOT ({_OWN_WORDS})"
    f" AND EXISTS (SELECT 1 FROM evaluation o WHERE o.evaluator_user_id = {ME} AND o.subject_id = e.subject_id"
    " AND o.rubric_id = e.rubric_id AND o.major_version = e.major_version AND o.context_id = e.context_id"
    " AND o.status = 'Submitted' AND o.evaluator_type = 'Human')))"
)


def new_views(dialect: str) -> list[str]:
    """``CREATE VIEW`` for each of ``NEW_VIEWS``.

    ``cohort_evaluation`` and ``cohort_score`` hold what a consensus is made of; ``round_comment`` what was
    written in rounds that show comments. ``author`` there is null for a session that may not know.
    """
    guarded = dialect == "postgresql"
    create = "CREATE VIEW {} WITH (security_barrier = true) AS" if guarded else "CREATE VIEW {} AS"
    rule = MAY_SEE_COHORT if guarded else ""
    author = f"CASE WHEN {TRUSTED} THEN e.evaluator_user_id END" if guarded else "e.evaluator_user_id"
    counts = "e.status = 'Submitted' AND e.evaluator_type <> 'Self'"
    return [
        f"{create.format('cohort_evaluation')} SELECT e.id AS evaluation_id, {_KEY}, e.normalized_score"
        f" FROM evaluation e WHERE {counts}{rule}",
        f"{create.format('cohort_score')} SELECT e.id AS evaluation_id, {_KEY}, t.key AS criterion_key,"
        " s.normalized_score, s.is_not_applicable, s.sequence"
        " FROM evaluation e JOIN evaluation_score s ON s.evaluation_id = e.id"
        f" JOIN criterion t ON t.id = s.criterion_id WHERE {counts} AND t.node_type = 'Criterion'{rule}",
        f"{create.format('round_comment')} SELECT s.id AS place, {_KEY}, t.key AS criterion_key,"
        f" s.rationale, s.evidence, s.sequence, {author} AS author, e.evaluator_type"
        " FROM evaluation e JOIN context c ON c.id = e.context_id"
        " JOIN evaluation_score s ON s.evaluation_id = e.id JOIN criterion t ON t.id = s.criterion_id"
        f" WHERE {counts} AND c.blinding = 'comments_visible'"
        f" AND (s.rationale IS NOT NULL OR s.evidence IS NOT NULL){_MAY_READ_COMMENTS if guarded else ''}",
    ]


def guarded_views() -> list[str]:
    """The views of ``views_0001`` on PostgreSQL, each deciding by the session's user."""
    found = []
    for statement in views_0001.statements("postgresql"):
        name = statement.split()[2]
        guarded = statement.replace(
            f"CREATE VIEW {name} AS", f"CREATE OR REPLACE VIEW {name} WITH (security_barrier = true) AS", 1
        )
        if name == "evaluation_cohort":
            guarded += _MAY_READ
        else:
            guarded = guarded.replace(
                "WHERE e.status = 'Submitted'", f"WHERE e.status = 'Submitted'{MAY_SEE_COHORT}", 1
            )
        found.append(guarded)
    return found


# -- functions and policies --------------------------------------------------------------------------


def _subjects_of_work(rules: str) -> str:
    me = "rubrictui_me()"
    strict = f"c.status = 'Open' AND c.blinding IN ({rules})"
    return (
        f"SELECT e.subject_id::text FROM evaluation e WHERE e.evaluator_user_id = {me} AND e.status = 'Draft'"
        " AND e.evaluator_type IN ('Human', 'Self')"
        f" UNION SELECT a.subject_id FROM assignment a WHERE a.user_id = {me} AND a.status = 'Open'"
        " UNION SELECT s.subject_id FROM round_reviewer r JOIN context c ON c.id = r.context_id"
        f" JOIN round_subject s ON s.context_id = c.id WHERE r.user_id = {me} AND {strict}"
        " UNION SELECT e.subject_id FROM evaluation e JOIN context c ON c.id = e.context_id"
        f" WHERE e.evaluator_user_id = {me} AND e.evaluator_type IN ('Human', 'Self')"
        f" AND (e.status = 'Draft' OR e.submitted_at IS NOT NULL) AND {strict}"
    )


def functions(schema: str) -> list[str]:
    """What policies and views ask; ``schema`` is where the tables are."""
    path = f"SET search_path = {quoted(schema)}, pg_temp"

    def function(signature: str, returns: str, body: str, *more: str, language: str = "sql") -> str:
        options = " ".join(("SECURITY DEFINER", path, *more))
        return f"CREATE FUNCTION {signature} RETURNS {returns} LANGUAGE {language} {options} AS $body$ {body} $body$"

    return [
        function("rubrictui_me()", "text", "SELECT id FROM user_account WHERE name = session_user", "STABLE"),
        function(
            "rubrictui_holds(VARIADIC roles text[])",
            "boolean",
            "SELECT EXISTS (SELECT 1 FROM role_grant g JOIN user_account u ON u.id = g.user_id"
            " WHERE u.name = session_user AND g.role = ANY (roles))",
            "STABLE",
        ),
        function(
            "rubrictui_trusted()",
            "boolean",
            "SELECT rolsuper OR rolbypassrls FROM pg_catalog.pg_roles WHERE rolname = session_user",
            "STABLE",
        ),
        *(
            function(
                f"{name}()",
                "SETOF text",
                # A function cannot carry the guard among its own settings: only a superuser might make such a one.
                "BEGIN PERFORM set_config('rubrictui.guard', 'on', true);"
                f" RETURN QUERY {_subjects_of_work(rules)};"
                " PERFORM set_config('rubrictui.guard', 'off', true); END",
                "STABLE",
                language="plpgsql",
            )
            for name, rules in (("rubrictui_blind", _STRICT), ("rubrictui_silent", "'until_closed'"))
        ),
        function(
            "rubrictui_withdraw_drafts(assignment_ended text, at timestamptz, why text)",
            "integer",
            # A chair may release work on a subject on which she is blind herself: she sees nothing of the draft.
            "DECLARE found integer; BEGIN"
            " IF rubrictui_trusted() OR rubrictui_holds('administer_evaluations') OR EXISTS (SELECT 1 FROM assignment a"
            " WHERE a.id = assignment_ended AND a.user_id = rubrictui_me()) THEN"
            " UPDATE evaluation SET status = 'Withdrawn', ended_at = at, updated_at = at, end_reason = why"
            " WHERE assignment_id = assignment_ended AND status = 'Draft'; GET DIAGNOSTICS found = ROW_COUNT;"
            " ELSIF rubrictui_holds('chair') THEN SELECT count(*) INTO found FROM evaluation"
            " WHERE assignment_id = assignment_ended AND status = 'Draft'; ELSE found := 0; END IF;"
            " RETURN found; END",
            language="plpgsql",
        ),
    ]


def policies(owner: str) -> list[str]:
    """Row-level security switched on, and every policy. ``owner`` is the role that owns the tables."""
    own = f"evaluator_user_id = {ME}"
    writes = f"{own} OR {ADMINISTERS}"
    in_guard = "current_setting('rubrictui.guard', true) = 'on'"
    reads = f"CASE WHEN {own} THEN true WHEN {in_guard} THEN false ELSE {READS_ALL} AND subject_id NOT IN {BLIND} END"
    others = f"session_user <> {literal(owner)}"
    of_evaluation = "EXISTS (SELECT 1 FROM evaluation e WHERE e.id = evaluation_id{})"
    scores = of_evaluation.format(f" AND (e.{own} OR {ADMINISTERS})")
    asked = f"user_id = {ME}"
    ran = "created_by = session_user"
    unseen = f"subject_id IS NULL OR subject_id NOT IN {BLIND}"
    mine = f"{asked} OR {ADMINISTERS}"
    grants = f"{ADMINISTERS} OR (role = 'reviewer' AND {RUNS_ROUNDS})"
    conflict = f"{asked} OR {RUNS_ROUNDS}"
    to = quoted(owner)
    return [
        *(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY" for table in PROTECTED),
        *(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in FORCED),
        f"CREATE POLICY reads ON evaluation FOR SELECT USING ({reads})",
        f"CREATE POLICY begins ON evaluation FOR INSERT WITH CHECK ({writes})",
        f"CREATE POLICY changes ON evaluation FOR UPDATE USING ({writes}) WITH CHECK ({writes})",
        f"CREATE POLICY views_read ON evaluation FOR SELECT TO {to} USING ({others})",
        f"CREATE POLICY views_change ON evaluation FOR UPDATE TO {to} USING ({others})",
        f"CREATE POLICY reads ON evaluation_score FOR SELECT USING ({of_evaluation.format('')})",
        f"CREATE POLICY begins ON evaluation_score FOR INSERT WITH CHECK ({scores})",
        f"CREATE POLICY changes ON evaluation_score FOR UPDATE USING ({scores}) WITH CHECK ({scores})",
        f"CREATE POLICY reads ON assignment FOR SELECT USING ({asked} OR {_SEES_ASSIGNMENTS})",
        f"CREATE POLICY begins ON assignment FOR INSERT WITH CHECK ({RUNS_ROUNDS})",
        f"CREATE POLICY changes ON assignment FOR UPDATE USING ({conflict}) WITH CHECK ({conflict})",
        f"CREATE POLICY own ON phrase USING ({mine}) WITH CHECK ({mine})",
        f"CREATE POLICY reads ON prompt_run FOR SELECT USING ({ran} OR ({READS_ALL} AND ({unseen})))",
        f"CREATE POLICY begins ON prompt_run FOR INSERT WITH CHECK ({ran} OR {ADMINISTERS})",
        f"CREATE POLICY changes ON prompt_run FOR UPDATE USING ({ran} OR {ADMINISTERS})"
        f" WITH CHECK ({ran} OR {ADMINISTERS})",
        f"CREATE POLICY reads ON round_conflict FOR SELECT USING ({asked} OR {_SEES_ASSIGNMENTS})",
        f"CREATE POLICY begins ON round_conflict FOR INSERT WITH CHECK ({conflict})",
        f"CREATE POLICY changes ON round_conflict FOR UPDATE USING ({conflict}) WITH CHECK ({conflict})",
        f"CREATE POLICY ends ON round_conflict FOR DELETE USING ({RUNS_ROUNDS})",
        "CREATE POLICY reads ON role_grant FOR SELECT USING (true)",
        f"CREATE POLICY begins ON role_grant FOR INSERT WITH CHECK ({grants})",
        f"CREATE POLICY ends ON role_grant FOR DELETE USING ({ADMINISTERS})",
    ]


def statements(dialect: str, schema: str = "", owner: str = "") -> list[str]:
    """Everything of this migration, in order."""
    if dialect == "sqlite":
        return new_views(dialect)
    return [*functions(schema), *policies(owner), *guarded_views(), *new_views(dialect)]


def policy_names() -> list[str]:
    """``table.policy`` of every policy."""
    return names_of(policies("owner"))


def names_of(statements: Iterable[str]) -> list[str]:
    """``table.policy`` of every policy that one of these makes."""
    made = (one.split() for one in statements if one.startswith("CREATE POLICY"))
    return [f"{words[4]}.{words[2]}" for words in made]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
