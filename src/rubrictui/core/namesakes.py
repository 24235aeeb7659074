"""People who share a name, told apart."""

from __future__ import annotations

from collections.abc import Iterable


def told_apart(people: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What to call each person in one list: the name, with the login behind it where two have that name.

    Args:
        people: name and login of each, repeats included.

    Returns:
        The words by login.
    """
    names = {login: name for name, login in people}
    logins: dict[str, int] = {}
    for name in names.values():
        logins[name.casefold()] = logins.get(name.casefold(), 0) + 1
    return {
        login: name if logins[name.casefold()] == 1 or name == login else f"{name} ({login})"
        for login, name in names.items()
    }
