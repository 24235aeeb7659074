"""People and the roles they hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select, update

from rubrictui.core.records import Role, User
from rubrictui.store.tables import ROLE_GRANT, USER


def users(connection: Connection) -> tuple[User, ...]:
    """Everyone, by name."""
    roles: dict[str, list[Role]] = defaultdict(list)
    for user_id, role in connection.execute(select(ROLE_GRANT.c.user_id, ROLE_GRANT.c.role)):
        roles[user_id].append(Role(role))
    rows = connection.execute(select(USER.c.id, USER.c.name, USER.c.display_name).order_by(USER.c.name))
    return tuple(
        User(id=id, name=name, display_name=display, roles=_in_order(roles.get(id, ())))
        for id, name, display in rows
    )


def find_user(connection: Connection, name_or_id: str) -> User | None:
    """The user with this login name (exactly) or this id."""
    row = connection.execute(
        select(USER.c.id, USER.c.name, USER.c.display_name)
        .where((USER.c.name == name_or_id) | (USER.c.id == name_or_id))
        .order_by(USER.c.name != name_or_id)
    ).first()
    if row is None:
        return None
    id, name, display = row
    granted = connection.execute(select(ROLE_GRANT.c.role).where(ROLE_GRANT.c.user_id == id))
    return User(id=id, name=name, display_name=display, roles=_in_order(Role(role) for (role,) in granted))


def any_user(connection: Connection) -> bool:
    return bool(connection.execute(select(func.count()).select_from(USER)).scalar())


def add_user(connection: Connection, user: User, *, created_at: datetime, new_id: Callable[[], str]) -> None:
    connection.execute(
        insert(USER).values(id=user.id, name=user.name, display_name=user.display_name, created_at=created_at)
    )
    _grant(connection, user, new_id)


def change_user(connection: Connection, user: User, *, new_id: Callable[[], str]) -> None:
    """Give the stored user of this id this display name and exactly these roles."""
    connection.execute(update(USER).where(USER.c.id == user.id).values(display_name=user.display_name))
    connection.execute(delete(ROLE_GRANT).where(ROLE_GRANT.c.user_id == user.id))
    _grant(connection, user, new_id)


def _grant(connection: Connection, user: User, new_id: Callable[[], str]) -> None:
    grants = [{"id": new_id(), "user_id": user.id, "role": role.value} for role in _in_order(user.roles)]
    if grants:
        connection.execute(insert(ROLE_GRANT), grants)


def _in_order(roles: Iterable[Role]) -> tuple[Role, ...]:
    held = set(roles)
    return tuple(role for role in Role if role in held)
