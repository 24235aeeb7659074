"""The inbox: its SQL, and the rows made from it.

One text for two readers: ``inbox`` on the store's own connection, and ``fast_inbox`` on a plain ``sqlite3``
one before SQLAlchemy is imported. So it is written in what SQLite and PostgreSQL share, with named
parameters, and this module imports neither.

Only the viewer's own work is in it, and nothing of it depends on anybody else's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from rubrictui.core.records import InboxRow

DONE_SHOWN = 50
"""How much of the work that is done the inbox still lists, the latest first."""

Query = Callable[[str, Mapping[str, Any]], Iterable[Sequence[Any]]]

# Every kind of work gives these columns. What many rows share (rubric, context, version) is looked up once.
_SUBJECT = "s.id, s.title, s.entity, s.record_id"
_ANSWERED = (
    "(SELECT count(*) FROM evaluation_score x WHERE x.evaluation_id = e.id"
    " AND (x.is_not_applicable OR x.scale_level_id IS NOT NULL OR x.raw_value IS NOT NULL))"
)
_OF_ASSIGNMENT = "a.rubric_id, a.version_id, a.context_id, a.id, NULL, a.due_at"
_OF_EVALUATION = "e.rubric_id, e.version_id, e.context_id, e.assignment_id, e.id, a.due_at"
_OWN_EVALUATIONS = (
    "(SELECT * FROM evaluation WHERE evaluator_user_id = :me AND status = '{status}'"
    " AND evaluator_type IN ('Human', 'Self') {only}) e"
    " JOIN subject s ON s.id = e.subject_id LEFT JOIN assignment a ON a.id = e.assignment_id"
)
_OWN_ASSIGNMENTS = "FROM assignment a JOIN subject s ON s.id = a.subject_id WHERE a.user_id = :me"

ME = "SELECT id FROM user_account WHERE name = :login"

DRAFTS = (
    f"SELECT {_SUBJECT}, {_OF_EVALUATION}, e.updated_at, NULL, NULL, {_ANSWERED}"
    f" FROM {_OWN_EVALUATIONS.format(status='Draft', only='')}"
)
ASSIGNED = (
    f"SELECT {_SUBJECT}, {_OF_ASSIGNMENT}, a.created_at, NULL, NULL, 0"
    f" {_OWN_ASSIGNMENTS} AND a.status = 'Open'"
)
# The latest are picked before anything is counted of them.
_LATEST = "ORDER BY submitted_at DESC, id LIMIT :done"
SUBMITTED = (
    f"SELECT {_SUBJECT}, {_OF_EVALUATION}, e.submitted_at, e.normalized_score, e.outcome, {_ANSWERED}"
    f" FROM {_OWN_EVALUATIONS.format(status='Submitted', only=_LATEST)}"
)
# Drafts are given up into the same state: only what was submitted before it was withdrawn is work that was done.
# The latest of it is the one listed, and only while no other work of hers stands in its place.
# coalesce keeps SQLite off the indexes of rubric and evaluator: a subject has the fewest evaluations.
_GIVEN_BACK = """AND submitted_at IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM evaluation n WHERE n.subject_id = evaluation.subject_id
        AND coalesce(n.evaluator_user_id, '') = :me AND coalesce(n.rubric_id, '') = evaluation.rubric_id
        AND coalesce(n.context_id, '') = coalesce(evaluation.context_id, '')
        AND n.evaluator_type IN ('Human', 'Self') AND n.id <> evaluation.id
        AND (n.status IN ('Draft', 'Submitted') OR n.submitted_at > evaluation.submitted_at))
"""
WITHDRAWN = (
    f"SELECT {_SUBJECT}, {_OF_EVALUATION}, e.ended_at, e.normalized_score, e.outcome, {_ANSWERED}"
    f" FROM {_OWN_EVALUATIONS.format(status='Withdrawn', only=_GIVEN_BACK + _LATEST)}"
)
DECLINED = (
    f"SELECT {_SUBJECT}, {_OF_ASSIGNMENT}, a.ended_at, NULL, NULL, 0 {_OWN_ASSIGNMENTS}"
    " AND a.status = 'Declined' ORDER BY a.ended_at DESC, a.id LIMIT :done"
)

RUBRIC = "SELECT name FROM rubric WHERE id = :rubric"
CONTEXT = "SELECT name, version_id, due_at FROM context WHERE id = :context"
LEAVES = "SELECT count(*) FROM criterion WHERE version_id = :version AND node_type = 'Criterion'"
# Highest first: the first Published one is what an assignment without a version means.
VERSIONS = (
    "SELECT id, status, major_version, minor_version, patch_version, score_display_min, score_display_max"
    " FROM rubric_version"
    " WHERE rubric_id = :rubric AND status <> 'Draft'"
    " ORDER BY major_version DESC, minor_version DESC, patch_version DESC"
)

_ORDER = {"Draft": 0, "New": 1, "Submitted": 2, "Withdrawn": 3, "Declined": 4}
_NEVER = datetime.max.replace(tzinfo=UTC)


def read_inbox(query: Query, login: str) -> tuple[InboxRow, ...]:
    """The inbox of the user with this login: drafts and new work by when they are due, then what is done.

    Args:
        query: runs one of the texts above with its parameters. Instants may come as stored text or as
            datetimes, whichever the driver gives.
    """
    found = list(query(ME, {"login": login}))
    if not found:
        return ()
    me = {"me": found[0][0]}
    own = {**me, "done": DONE_SHOWN}
    look = _Lookups(query)
    drafts = list(query(DRAFTS, me))
    # Work is the same work when subject, rubric and context are: what is begun is listed as its draft.
    begun = {(row[0], row[4], row[6]) for row in drafts}
    assigned = (row for row in query(ASSIGNED, me) if (row[0], row[4], row[6]) not in begun)
    rows = [
        *(_row("Draft", found, look) for found in drafts),
        *(_row("New", found, look) for found in assigned),
        *(_row("Submitted", found, look) for found in query(SUBMITTED, own)),
        *(_row("Withdrawn", found, look) for found in query(WITHDRAWN, own)),
        *(_row("Declined", found, look) for found in query(DECLINED, own)),
    ]
    return tuple(sorted(rows, key=_place))


class _Shared(NamedTuple):
    """What rows of the same rubric, version and context have in common."""

    rubric_name: str
    version_id: str | None
    version_number: str | None
    total: int
    context_name: str | None
    due_at: datetime | None
    display: tuple[float, float]


class _Lookups:
    """What rows share, each asked for once."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._shared: dict[tuple[str, str | None, str | None], _Shared] = {}

    def shared(self, rubric: str, version: str | None, context: str | None) -> _Shared:
        """``version`` None is the context's when it is of this rubric, else the latest Published."""
        key = (rubric, version, context)
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = self._look_up(*key)
        return found

    def _look_up(self, rubric: str, version: str | None, context: str | None) -> _Shared:
        ((rubric_name,),) = self._query(RUBRIC, {"rubric": rubric})
        versions = list(self._query(VERSIONS, {"rubric": rubric}))
        numbers = {row[0]: f"{row[2]}.{row[3]}.{row[4]}" for row in versions}
        context_name, context_version, context_due = None, None, None
        if context is not None:
            ((context_name, context_version, context_due),) = self._query(CONTEXT, {"context": context})
        if version is None:
            latest = next((row[0] for row in versions if row[1] == "Published"), None)
            version = context_version if context_version in numbers else latest
        total = 0
        if version is not None:
            ((total,),) = self._query(LEAVES, {"version": version})
        number = numbers.get(version) if version else None
        display = next(((row[5], row[6]) for row in versions if row[0] == version), (0.0, 100.0))
        return _Shared(rubric_name, version, number, total, context_name, _instant(context_due), display)


def _row(state: str, found: Sequence[Any], look: _Lookups) -> InboxRow:
    subject, title, entity, record, rubric, version, context, assignment, evaluation, due = found[:10]
    shared = look.shared(rubric, version, context)
    return InboxRow(
        state=state,
        subject_id=subject,
        subject_title=title,
        subject_entity=entity,
        subject_record_id=record,
        rubric_id=rubric,
        rubric_name=shared.rubric_name,
        version_id=shared.version_id,
        version_number=shared.version_number,
        context_id=context,
        context_name=shared.context_name,
        assignment_id=assignment,
        evaluation_id=evaluation,
        answered=found[13],
        total=shared.total,
        due_at=_instant(due) if due is not None else shared.due_at,
        updated_at=_instant(found[10]),
        normalized_score=found[11],
        outcome=found[12],
        score_display_min=shared.display[0],
        score_display_max=shared.display[1],
    )


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
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)
