"""Prompts kept in a store, and the calls of models.

Who may read a call: whoever made it, and those who read all evaluations; nobody while she is still scoring its
subject herself, since it says what another found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    false,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from rubrictui.core.prompt_records import Prompt, PromptKind, PromptRun
from rubrictui.core.records import Role, User
from rubrictui.store import access
from rubrictui.store.tables import EVALUATION, PROMPT, PROMPT_RUN

_READ_ALL = frozenset({Role.ADMINISTER_EVALUATIONS, Role.DEVELOPER, Role.INTEGRATION})

#: What a list of runs leaves out: messages hold whole subjects.
_LARGE = ("messages",)


def prompts(connection: Connection) -> tuple[Prompt, ...]:
    """All of them, by name."""
    return tuple(_prompt(row) for row in connection.execute(select(PROMPT).order_by(PROMPT.c.name)))


def find_prompt(connection: Connection, *, id: str | None = None, name: str | None = None) -> Prompt | None:
    """The prompt of an id, else of a name, letter case aside."""
    for wanted, column in ((id, PROMPT.c.id), (name, PROMPT.c.name)):
        if not wanted or not wanted.strip():
            continue
        if column is PROMPT.c.id:
            row = connection.execute(select(PROMPT).where(column == wanted.strip())).first()
        else:
            # Of two names that differ in case alone the one written so comes first.
            exact = (column == wanted.strip()).desc()
            same = func.lower(column) == wanted.strip().lower()
            row = connection.execute(select(PROMPT).where(same).order_by(exact).limit(1)).first()
        if row is not None:
            return _prompt(row)
    return None


def put_prompt(connection: Connection, prompt: Prompt, *, at: datetime, by: str) -> None:
    """Insert the prompt, or change the one of its id."""
    values: dict[str, Any] = {
        "name": prompt.name,
        "kind": prompt.kind.value,
        "description": prompt.description,
        "template": prompt.template,
        "settings": {"models": list(prompt.models)} if prompt.models else None,
        "updated_at": at,
    }
    changed = connection.execute(update(PROMPT).where(PROMPT.c.id == prompt.id).values(values))
    if changed.rowcount == 0:
        connection.execute(insert(PROMPT).values(id=prompt.id, created_at=at, created_by=by, **values))


def add_runs(connection: Connection, runs: Sequence[PromptRun]) -> None:
    """Insert calls."""
    fields = PromptRun.__struct_fields__
    rows = [
        {field: getattr(run, field) for field in fields} | {"messages": list(run.messages)} for run in runs
    ]
    if rows:
        connection.execute(insert(PROMPT_RUN), rows)


def link_runs(connection: Connection, ids: Iterable[str], evaluation_id: str) -> None:
    """Say which evaluation came of these calls; of one that led to several, the last."""
    wanted = tuple(ids)
    if wanted:
        connection.execute(
            update(PROMPT_RUN).where(PROMPT_RUN.c.id.in_(wanted)).values(evaluation_id=evaluation_id)
        )


def link_many(connection: Connection, pairs: Sequence[tuple[str, str]]) -> None:
    """``link_runs`` for pairs of a call and the evaluation that came of it."""
    if pairs:
        connection.execute(_LINK, [{"of": run, "to": evaluation} for run, evaluation in pairs])


_LINK = update(PROMPT_RUN).where(PROMPT_RUN.c.id == bindparam("of")).values(evaluation_id=bindparam("to"))


def taken(connection: Connection, ids: Sequence[str]) -> tuple[int | None, int | None, float | None]:
    """Tokens in, tokens out and cost of these calls together, as far as they are known."""
    if not ids:
        return None, None, None
    columns = (PROMPT_RUN.c.input_tokens, PROMPT_RUN.c.output_tokens, PROMPT_RUN.c.cost)
    query = select(*(func.sum(column) for column in columns)).where(PROMPT_RUN.c.id.in_(ids))
    sums = tuple(connection.execute(query).one())
    return sums[0], sums[1], sums[2]


def spent(
    connection: Connection, *, user_id: str, evaluator_name: str, version_id: str, context_id: str | None
) -> float:
    """What all evaluations of a user's own by an evaluator of hers have cost, those that failed or were superseded
    among them, as far as it is known."""
    cost = EVALUATION.c.metadata[("Evaluator", "Cost")].as_float()
    same_context = (
        EVALUATION.c.context_id.is_(None) if context_id is None else EVALUATION.c.context_id == context_id
    )
    query = select(func.coalesce(func.sum(cost), 0.0)).where(
        EVALUATION.c.evaluator_user_id == user_id,
        EVALUATION.c.evaluator_name == evaluator_name,
        EVALUATION.c.version_id == version_id,
        same_context,
    )
    return float(connection.execute(query).scalar_one())


_EARLIER = (
    select(PROMPT_RUN)
    .where(
        PROMPT_RUN.c.cache_key == bindparam("key"),
        PROMPT_RUN.c.created_by == bindparam("by"),
        PROMPT_RUN.c.error_message.is_(None),
        PROMPT_RUN.c.reply.is_not(None),
    )
    .order_by(PROMPT_RUN.c.started_at.desc())
    .limit(1)
)


def earlier_run(connection: Connection, cache_key: str, *, by: str) -> PromptRun | None:
    """The user's own latest call with this key that was answered, with its reply."""
    row = connection.execute(_EARLIER, {"key": cache_key, "by": by}).first()
    return None if row is None else _run(row)


def called_about(connection: Connection, subject_ids: Sequence[str], *, by: str) -> set[str]:
    """Those of these subjects that a call of the user is about."""
    query = (
        select(PROMPT_RUN.c.subject_id)
        .where(PROMPT_RUN.c.subject_id.in_(subject_ids), PROMPT_RUN.c.created_by == by)
        .distinct()
    )
    return set(connection.scalars(query))


def runs(
    connection: Connection,
    viewer: User,
    *,
    subject_id: str | None = None,
    evaluation_id: str | None = None,
    failed: bool | None = None,
    limit: int = 200,
) -> tuple[PromptRun, ...]:
    """The calls the viewer may read, the latest first, without their messages; every argument narrows."""
    columns = [column for column in PROMPT_RUN.c if column.name not in _LARGE]
    query = select(*columns).where(_visible(connection, viewer))
    if subject_id is not None:
        query = query.where(PROMPT_RUN.c.subject_id == subject_id)
    if evaluation_id is not None:
        query = query.where(PROMPT_RUN.c.evaluation_id == evaluation_id)
    if failed is not None:
        is_failed = PROMPT_RUN.c.error_message.is_not(None)
        query = query.where(is_failed if failed else ~is_failed)
    rows = connection.execute(query.order_by(PROMPT_RUN.c.started_at.desc(), PROMPT_RUN.c.id).limit(limit))
    return tuple(_run(row) for row in rows)


def run(connection: Connection, viewer: User, id: str) -> PromptRun | None:
    """One call, whole; None when there is none or it is not the viewer's to read."""
    query = select(PROMPT_RUN).where(PROMPT_RUN.c.id == id, _visible(connection, viewer))
    row = connection.execute(query).first()
    return None if row is None else _run(row)


def _visible(connection: Connection, viewer: User) -> ColumnElement[bool]:
    reads_all = any(role in _READ_ALL for role in viewer.roles)
    own = true() if reads_all else PROMPT_RUN.c.created_by == viewer.name
    blind = access.blind_subjects(connection, viewer)
    veiled = PROMPT_RUN.c.subject_id.in_(blind) if blind else false()
    return and_(own, or_(PROMPT_RUN.c.subject_id.is_(None), ~veiled))


def _prompt(row: Row[Any]) -> Prompt:
    settings = row.settings if isinstance(row.settings, dict) else {}
    return Prompt(
        id=row.id,
        name=row.name,
        kind=PromptKind(row.kind),
        template=row.template,
        description=row.description,
        models=tuple(str(model) for model in settings.get("models") or ()),
        is_stored=True,
        updated_at=row.updated_at,
    )


def _run(row: Row[Any]) -> PromptRun:
    given = dict(row._mapping)
    given["settings"] = given["settings"] or {}
    given["messages"] = tuple(given.get("messages") or ())
    given["evaluator_name"] = given["evaluator_name"] or ""
    return msgspec.convert(given, PromptRun)
