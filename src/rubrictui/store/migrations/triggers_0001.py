"""The triggers that keep published versions and submitted evaluations frozen (design, "The store").

One list of rules says what is refused, under the guide's numbers 51101 to 51110; it is written out once for
SQLite and once for PostgreSQL, so both refuse the same. A rule's condition is SQL that both understand, over
``OLD`` and ``NEW``. Decisions that the guide leaves open:

- Nothing is inserted in any state but Draft: a version is published, and an evaluation submitted, by a change
  of state, so that no path goes around the checks.
- A row cannot be moved into a frozen parent, out of one, or put in place of a frozen row of the same id (that
  is how ``INSERT OR REPLACE`` would go around the rules on a connection without recursive triggers).
- Of a used scale nothing may change, its name and description included; of its levels only the description.
  Retired counts as published here: evaluations of a retired version keep their meaning.
- PostgreSQL's TRUNCATE, which no row trigger sees, is refused as soon as anything is frozen.
- A draft evaluation may be deleted in the database (the library never does; it withdraws drafts), and its
  answers go with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Rule(NamedTuple):
    """``event`` on ``table`` is refused with ``number`` when ``condition`` holds."""

    number: int
    table: str
    event: str
    condition: str

    @property
    def name(self) -> str:
        return f"frozen_{self.number}_{self.table}_{self.event.lower()}"


def _version_frozen(version_id: str) -> str:
    return f"EXISTS (SELECT 1 FROM rubric_version v WHERE v.id = {version_id} AND v.status <> 'Draft')"


def _under_version(table: str, row_id: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM {table} t JOIN rubric_version v ON v.id = t.version_id"
        f" WHERE t.id = {row_id} AND v.status <> 'Draft')"
    )


def _anchor_frozen(anchor_id: str) -> str:
    return (
        "EXISTS (SELECT 1 FROM criterion_level a JOIN criterion t ON t.id = a.criterion_id"
        f" JOIN rubric_version v ON v.id = t.version_id WHERE a.id = {anchor_id} AND v.status <> 'Draft')"
    )


def _scale_used(scale_id: str) -> str:
    return (
        "EXISTS (SELECT 1 FROM criterion t JOIN rubric_version v ON v.id = t.version_id"
        f" WHERE t.scale_id = {scale_id} AND v.status <> 'Draft')"
    )


def _level_used(level_id: str) -> str:
    return (
        "EXISTS (SELECT 1 FROM scale_level l JOIN criterion t ON t.scale_id = l.scale_id"
        f" JOIN rubric_version v ON v.id = t.version_id WHERE l.id = {level_id} AND v.status <> 'Draft')"
    )


def _closed(evaluation_id: str) -> str:
    return f"EXISTS (SELECT 1 FROM evaluation e WHERE e.id = {evaluation_id} AND e.status <> 'Draft')"


def _score_closed(score_id: str) -> str:
    return (
        "EXISTS (SELECT 1 FROM evaluation_score s JOIN evaluation e ON e.id = s.evaluation_id"
        f" WHERE s.id = {score_id} AND e.status <> 'Draft')"
    )


def any_differs(columns: str, json: str = "") -> str:
    """Some column of the row changes. JSON compares as the text it is."""
    plain = [f"OLD.{c} IS DISTINCT FROM NEW.{c}" for c in columns.split()]
    texts = [f"CAST(OLD.{c} AS TEXT) IS DISTINCT FROM CAST(NEW.{c} AS TEXT)" for c in json.split()]
    return f"({' OR '.join(plain + texts)})"


_VERSION_FIXED = any_differs(
    "id rubric_id major_version minor_version patch_version instructions pass_threshold minimum_completeness"
    " not_applicable_policy score_display_min score_display_max content_hash scoring_hash computed_bump"
    " applied_bump change_summary based_on_id revision created_at created_by published_at published_by",
    json="change_details",
)
_LEVEL_FIXED = any_differs("id scale_id label value normalized_value sequence")
_EVALUATION_FIXED = any_differs(
    "id rubric_id version_id major_version subject_id context_id assignment_id evaluator_user_id"
    " evaluator_type evaluator_name revision cursor subject_hash started_at updated_at submitted_at"
    " supersedes_id normalized_score outcome passed gate_failed completeness band_id pass_threshold_applied"
    " confidence engine_version error_message prompt_run_id agent_run_id",
    json="metadata",
)


def _children(number: int, table: str, parent: str, frozen: str, occupied: str) -> tuple[Rule, ...]:
    """The rules for rows that are frozen with their parent. ``{}`` in the conditions stands for an id."""
    old, new = frozen.format(f"OLD.{parent}"), frozen.format(f"NEW.{parent}")
    taken = occupied.format("NEW.id")
    return (
        Rule(number, table, "INSERT", f"{new} OR {taken}"),
        Rule(number, table, "UPDATE", f"{old} OR {new} OR (NEW.id <> OLD.id AND {taken})"),
        Rule(number, table, "DELETE", old),
    )


RULES: tuple[Rule, ...] = (
    Rule(51101, "rubric_version", "INSERT", f"NEW.status <> 'Draft' OR {_version_frozen('NEW.id')}"),
    Rule(
        51101,
        "rubric_version",
        "UPDATE",
        # A draft is published or stays a draft; later only Published <-> Retired, with its stamp.
        "(OLD.status = 'Draft' AND NEW.status NOT IN ('Draft', 'Published'))"
        f" OR (OLD.status <> 'Draft' AND (NEW.status = 'Draft' OR {_VERSION_FIXED}"
        " OR (NEW.status = OLD.status AND OLD.retired_at IS DISTINCT FROM NEW.retired_at)))"
        f" OR (NEW.id <> OLD.id AND {_version_frozen('NEW.id')})",
    ),
    Rule(51102, "rubric_version", "DELETE", "OLD.status <> 'Draft'"),
    *_children(51103, "criterion", "version_id", _version_frozen("{}"), _under_version("criterion", "{}")),
    *_children(
        51104, "criterion_level", "criterion_id", _under_version("criterion", "{}"), _anchor_frozen("{}")
    ),
    *_children(51105, "band", "version_id", _version_frozen("{}"), _under_version("band", "{}")),
    *_children(51106, "scale", "id", _scale_used("{}"), _scale_used("{}")),
    Rule(51107, "scale_level", "INSERT", f"{_scale_used('NEW.scale_id')} OR {_level_used('NEW.id')}"),
    Rule(
        51107,
        "scale_level",
        "UPDATE",
        f"({_scale_used('OLD.scale_id')} OR {_scale_used('NEW.scale_id')} OR {_level_used('NEW.id')})"
        f" AND {_LEVEL_FIXED}",
    ),
    Rule(51107, "scale_level", "DELETE", _scale_used("OLD.scale_id")),
    Rule(51108, "evaluation", "INSERT", f"NEW.status <> 'Draft' OR {_closed('NEW.id')}"),
    Rule(
        51108,
        "evaluation",
        "UPDATE",
        # Draft -> Submitted, Failed, Withdrawn; Submitted -> Superseded, Withdrawn, with when and why.
        "(OLD.status = 'Draft' AND NEW.status = 'Superseded')"
        f" OR (OLD.status <> 'Draft' AND ({_EVALUATION_FIXED} OR CASE"
        " WHEN NEW.status = OLD.status THEN OLD.ended_at IS DISTINCT FROM NEW.ended_at"
        " OR OLD.end_reason IS DISTINCT FROM NEW.end_reason"
        " ELSE OLD.status <> 'Submitted' OR NEW.status NOT IN ('Superseded', 'Withdrawn') END))"
        f" OR (NEW.id <> OLD.id AND {_closed('NEW.id')})",
    ),
    Rule(51109, "evaluation", "DELETE", "OLD.status <> 'Draft'"),
    *_children(51110, "evaluation_score", "evaluation_id", _closed("{}"), _score_closed("{}")),
)

_ANY_VERSION = "EXISTS (SELECT 1 FROM rubric_version v WHERE v.status <> 'Draft')"
_ANY_EVALUATION = "EXISTS (SELECT 1 FROM evaluation e WHERE e.status <> 'Draft')"

TRUNCATE_RULES: tuple[Rule, ...] = (
    Rule(51102, "rubric_version", "TRUNCATE", _ANY_VERSION),
    Rule(51103, "criterion", "TRUNCATE", _ANY_VERSION),
    Rule(51104, "criterion_level", "TRUNCATE", _ANY_VERSION),
    Rule(51105, "band", "TRUNCATE", _ANY_VERSION),
    Rule(51106, "scale", "TRUNCATE", _ANY_VERSION),
    Rule(51107, "scale_level", "TRUNCATE", _ANY_VERSION),
    Rule(51109, "evaluation", "TRUNCATE", _ANY_EVALUATION),
    Rule(51110, "evaluation_score", "TRUNCATE", _ANY_EVALUATION),
)

_WHAT = {
    51101: "a published or retired version cannot be changed",
    51102: "a published or retired version cannot be deleted",
    51103: "the criteria of a published or retired version cannot be changed",
    51104: "the anchors of a published or retired version cannot be changed",
    51105: "the bands of a published or retired version cannot be changed",
    51106: "a scale used by a published version cannot be changed",
    51107: "the levels of a scale used by a published version cannot be changed",
    51108: "an evaluation that is not a draft cannot be changed",
    51109: "an evaluation that is not a draft cannot be deleted",
    51110: "the scores of an evaluation that is not a draft cannot be changed",
}


def sqlite_statements(rules: Iterable[Rule] = RULES, what: Mapping[int, str] = _WHAT) -> list[str]:
    """``CREATE TRIGGER`` for every rule. ``IS NOT`` is SQLite's older word for ``IS DISTINCT FROM``."""
    return [
        f"CREATE TRIGGER {rule.name} BEFORE {rule.event} ON {rule.table} FOR EACH ROW"
        f" WHEN {rule.condition.replace('IS DISTINCT FROM', 'IS NOT')}"
        f" BEGIN SELECT RAISE(ABORT, '{rule.number} {what[rule.number]}'); END"
        for rule in rules
    ]


def postgresql_statements(
    schema: str, rules: Iterable[Rule] = (*RULES, *TRUNCATE_RULES), what: Mapping[int, str] = _WHAT
) -> list[str]:
    """A function and its trigger for every rule.

    The functions look tables up in ``schema`` first and in the session's temporary schema last: otherwise a
    temporary table of the same name would answer for the real one.
    """
    quoted = '"' + schema.replace('"', '""') + '"'
    statements: list[str] = []
    for rule in rules:
        row = {"DELETE": "OLD", "TRUNCATE": "NULL"}.get(rule.event, "NEW")
        each = "STATEMENT" if rule.event == "TRUNCATE" else "ROW"
        statements.append(
            f"CREATE FUNCTION {rule.name}() RETURNS trigger LANGUAGE plpgsql"
            f" SET search_path = {quoted}, pg_temp AS $rule$ BEGIN IF {rule.condition} THEN"
            f" RAISE EXCEPTION USING ERRCODE = '{rule.number}', MESSAGE = '{rule.number} {what[rule.number]}';"
            f" END IF; RETURN {row}; END $rule$"
        )
        statements.append(
            f"CREATE TRIGGER {rule.name} BEFORE {rule.event} ON {rule.table}"
            f" FOR EACH {each} EXECUTE FUNCTION {rule.name}()"
        )
    return statements
