"""Names that people read and type: those who share one told apart, and rounds found by theirs."""

from __future__ import annotations

from collections.abc import Iterable

from rubrictui.core.records import Context


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


def called(name: str, contexts: Iterable[Context]) -> tuple[Context, ...]:
    """The contexts of this name or record id: those that have it to the letter, else whatever the case of letters."""
    wanted = name.strip()
    every = tuple(contexts)
    exact = tuple(one for one in every if wanted in {one.name.strip(), one.record_id})
    if exact or not wanted:
        return exact
    folded = wanted.casefold()
    return tuple(one for one in every if folded in {one.name.strip().casefold(), one.record_id.casefold()})
