"""The inbox: its SQL, and the rows made from it.

One text for two readers: ``inbox`` on the store's own connection, and ``fast_inbox`` on a plain ``sqlite3``
one before SQLAlchemy is imported. So it is written in what SQLite and PostgreSQL share, with named
parameters, and this module imports neither.

Only the viewer's own work is in it, and nothing of it depends on anybody else's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rubrictui.core.records import InboxRow

DONE_SHOWN = 50
"""How much of the work that is done the inbox still lists, the latest first."""

Query = Callable[[str, Mapping[str, Any]], Iterable[Sequence[Any]]]

# Work is the same work when subject, rubric and context are: an assignment that was begun is listed as its
# draft. Machine evaluations the viewer started are no work of hers.
ROWS = """
WITH me AS (SELECT id FROM user_account WHERE name = :login),
work AS (
  SELECT 'New' AS state, a.subject_id, a.rubric_id, a.version_id, a.context_id, a.id AS assignment_id,
         CAST(NULL AS VARCHAR) AS evaluation_id, a.due_at, a.created_at AS at,
         CAST(NULL AS FLOAT) AS score, CAST(NULL AS VARCHAR) AS outcome
    FROM assignment a
   WHERE a.user_id = (SELECT id FROM me) AND a.status = 'Open'
     AND NOT EXISTS (
       SELECT 1 FROM evaluation e
        WHERE e.evaluator_user_id = a.user_id AND e.status = 'Draft'
          AND e.evaluator_type IN ('Human', 'Self') AND e.subject_id = a.subject_id
          AND e.rubric_id = a.rubric_id AND coalesce(e.context_id, '') = coalesce(a.context_id, ''))
  UNION ALL
  SELECT 'Draft', e.subject_id, e.rubric_id, e.version_id, e.context_id, e.assignment_id, e.id,
         a.due_at, e.updated_at, NULL, NULL
    FROM evaluation e LEFT JOIN assignment a ON a.id = e.assignment_id
   WHERE e.evaluator_user_id = (SELECT id FROM me) AND e.status = 'Draft'
     AND e.evaluator_type IN ('Human', 'Self')
  UNION ALL
  SELECT * FROM (
    SELECT 'Submitted', e.subject_id, e.rubric_id, e.version_id, e.context_id, e.assignment_id, e.id,
           a.due_at, e.submitted_at, e.normalized_score, e.outcome
      FROM evaluation e LEFT JOIN assignment a ON a.id = e.assignment_id
     WHERE e.evaluator_user_id = (SELECT id FROM me) AND e.status = 'Submitted'
       AND e.evaluator_type IN ('Human', 'Self')
     ORDER BY e.submitted_at DESC, e.id LIMIT :done) AS submitted
  UNION ALL
  SELECT * FROM (
    SELECT 'Declined', a.subject_id, a.rubric_id, a.version_id, a.context_id, a.id,
           CAST(NULL AS VARCHAR), a.due_at, a.ended_at, CAST(NULL AS FLOAT), CAST(NULL AS VARCHAR)
      FROM assignment a
     WHERE a.user_id = (SELECT id FROM me) AND a.status = 'Declined'
     ORDER BY a.ended_at DESC, a.id LIMIT :done) AS declined
)
SELECT w.state, w.subject_id, s.title, s.entity, s.record_id, w.rubric_id, r.name, w.version_id,
       w.context_id, c.name, c.version_id, w.assignment_id, w.evaluation_id,
       coalesce(w.due_at, c.due_at), w.at, w.score, w.outcome,
       (SELECT count(*) FROM evaluation_score x
         WHERE x.evaluation_id = w.evaluation_id
           AND (x.is_not_applicable OR x.scale_level_id IS NOT NULL OR x.raw_value IS NOT NULL))
  FROM work w
  JOIN subject s ON s.id = w.subject_id
  JOIN rubric r ON r.id = w.rubric_id
  LEFT JOIN context c ON c.id = w.context_id
"""

# Highest first: the first Published one of a rubric is what an assignment without a version means.
VERSIONS = """
SELECT id, rubric_id, status, major_version, minor_version, patch_version FROM rubric_version
 WHERE status <> 'Draft' ORDER BY major_version DESC, minor_version DESC, patch_version DESC
"""

LEAVES = "SELECT count(*) FROM criterion WHERE version_id = :version AND node_type = 'Criterion'"

_ORDER = {"Draft": 0, "New": 1, "Submitted": 2, "Declined": 3}
_NEVER = datetime.max.replace(tzinfo=UTC)


def read_inbox(query: Query, login: str) -> tuple[InboxRow, ...]:
    """The inbox of the user with this login: drafts and new work by when they are due, then what is done.

    Args:
        query: runs one of the texts above with its parameters. Instants may come as stored text or as
            datetimes, whichever the driver gives.
    """
    numbers: dict[str, str] = {}
    of_rubric: dict[str, str] = {}
    latest: dict[str, str] = {}
    for version, rubric, status, *number in query(VERSIONS, {}):
        numbers[version] = ".".join(str(part) for part in number)
        of_rubric[version] = rubric
        if status == "Published":
            latest.setdefault(rubric, version)
    leaves: dict[str, int] = {}
    rows = []
    for found in query(ROWS, {"login": login, "done": DONE_SHOWN}):
        (state, subject, title, entity, record, rubric, rubric_name, version, context, context_name) = found[
            :10
        ]
        (context_version, assignment, evaluation, due, at, score, outcome, answered) = found[10:]
        if version is None:
            version = context_version if of_rubric.get(context_version) == rubric else latest.get(rubric)
        if version is not None and version not in leaves:
            leaves[version] = next(iter(query(LEAVES, {"version": version})))[0]
        rows.append(
            InboxRow(
                state=state,
                subject_id=subject,
                subject_title=title,
                subject_entity=entity,
                subject_record_id=record,
                rubric_id=rubric,
                rubric_name=rubric_name,
                version_id=version,
                version_number=numbers.get(version) if version else None,
                context_id=context,
                context_name=context_name,
                assignment_id=assignment,
                evaluation_id=evaluation,
                answered=answered,
                total=leaves.get(version, 0) if version else 0,
                due_at=_instant(due),
                updated_at=_instant(at),
                normalized_score=score,
                outcome=outcome,
            )
        )  # fmt: skip
    return tuple(sorted(rows, key=_place))


def _place(row: InboxRow) -> tuple[Any, ...]:
    """Work in hand by its due date, then by title; what is done by when, the latest first."""
    rank = _ORDER[row.state]
    if rank <= 1:
        return (
            rank,
            row.due_at or _NEVER,
            0.0,
            row.subject_title.casefold(),
            row.rubric_name,
            row.subject_id,
        )
    at = row.updated_at.timestamp() if row.updated_at else 0.0
    return (rank, _NEVER, -at, "", "", row.subject_id)


def _instant(value: Any) -> datetime | None:
    if value is None:
        return None
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return moment.astimezone(UTC)
