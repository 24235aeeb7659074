"""Who reviews what, balanced: each subject its number of reviewers, each reviewer as many subjects as the next.

Pure and reproducible: the same names, exclusions and seed give the same pairs, in whatever order they are named.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Collection, Sequence
from typing import NamedTuple

from rubrictui.core.errors import InvalidInputError


class Pair(NamedTuple):
    """One reviewer for one subject."""

    reviewer: str
    subject: str


class Short(NamedTuple):
    """A subject that cannot have its reviews: who is in its way, and how many it could have."""

    subject: str
    wanted: int
    possible: int
    excluded: tuple[str, ...]


class Balance(NamedTuple):
    """``pairs`` are new, without those that existed; ``short`` are the subjects that cannot be covered, which have
    as many pairs as are possible."""

    pairs: tuple[Pair, ...]
    short: tuple[Short, ...]


def balance(
    subjects: Sequence[str],
    reviewers: Sequence[str],
    per_subject: int,
    *,
    seed: int = 0,
    excluded: Collection[Pair] = (),
    existing: Collection[Pair] = (),
) -> Balance:
    """Give each subject ``per_subject`` different reviewers, with loads as even as can be.

    Loads differ by at most 1 wherever exclusions and existing pairs allow it; where they do not, no exchange of a
    pair, or chain of exchanges, would bring two loads nearer to each other.

    Args:
        subjects, reviewers: names; repeated ones count once.
        per_subject: how many reviews each is to have, at least 1.
        seed: another seed gives another, equally good, outcome.
        excluded: pairs that must not be (conflicts of interest).
        existing: pairs that are and stay. They count for their subject and for the load of their reviewer.

    Raises:
        InvalidInputError: ``per_subject`` is below 1, or nobody is named to review.
    """
    if per_subject < 1:
        raise InvalidInputError(
            f"Each subject needs at least one review, not {per_subject}.", remedy="Say how many."
        )
    people = _shuffled(reviewers, seed, "reviewer")
    if not people:
        raise InvalidInputError("Nobody is named to review.", remedy="Add reviewers to the round first.")
    wanted = _shuffled(subjects, seed, "subject")
    barred = set(excluded)
    fixed: dict[str, set[str]] = {}
    load = dict.fromkeys(people, 0)
    for reviewer, subject in set(existing):
        fixed.setdefault(subject, set()).add(reviewer)
        if reviewer in load:
            load[reviewer] += 1
    free = {
        subject: [
            name
            for name in people
            if Pair(name, subject) not in barred and name not in fixed.get(subject, ())
        ]
        for subject in wanted
    }
    given: dict[str, set[str]] = {}
    short = []
    # Those with the least choice come first, while there is some.
    for subject in sorted(wanted, key=lambda name: len(free[name])):
        there = len(fixed.get(subject, ()))
        missing = max(0, per_subject - there)
        chosen = sorted(free[subject], key=lambda name: load[name])[:missing]
        given[subject] = set(chosen)
        for name in chosen:
            load[name] += 1
        if len(chosen) < missing:
            in_the_way = tuple(sorted(name for name in people if Pair(name, subject) in barred))
            short.append(Short(subject, per_subject, there + len(chosen), in_the_way))
    _even_out(load, given, {subject: set(names) for subject, names in free.items()})
    pairs = sorted(Pair(name, subject) for subject, names in given.items() for name in names)
    return Balance(tuple(pairs), tuple(sorted(short)))


def _shuffled(names: Sequence[str], seed: int, kind: str) -> list[str]:
    """In an order that the seed decides and the order given does not."""
    return sorted(set(names), key=lambda name: hashlib.sha256(f"{seed}\0{kind}\0{name}".encode()).digest())


def _even_out(load: dict[str, int], given: dict[str, set[str]], free: dict[str, set[str]]) -> None:
    """Hand subjects on, along chains of reviewers, from who has more to who has at least two fewer."""
    holds: dict[str, list[str]] = {name: [] for name in load}
    for subject, names in given.items():
        for name in names:
            holds[name].append(subject)
    for held in holds.values():
        held.sort()
    moved = True
    while moved:
        moved = False
        for start in sorted(load, key=lambda name: -load[name]):
            chain = _chain(start, load, holds, given, free)
            if chain is None:
                continue
            for giver, subject, taker in chain:
                given[subject].remove(giver)
                given[subject].add(taker)
                holds[giver].remove(subject)
                holds[taker].append(subject)
            load[start] -= 1
            load[chain[-1][2]] += 1
            moved = True
            break


def _chain(
    start: str,
    load: dict[str, int],
    holds: dict[str, list[str]],
    given: dict[str, set[str]],
    free: dict[str, set[str]],
) -> list[tuple[str, str, str]] | None:
    """The shortest way to hand something on from ``start`` to somebody with at least two fewer."""
    if load[start] - min(load.values()) < 2:
        return None
    came: dict[str, tuple[str, str]] = {}
    queue = deque([start])
    while queue:
        giver = queue.popleft()
        for subject in holds[giver]:
            for taker in sorted(free[subject] - given[subject]):
                if taker in came or taker == start:
                    continue
                came[taker] = (giver, subject)
                if load[taker] <= load[start] - 2:
                    return _back(taker, start, came)
                queue.append(taker)
    return None


def _back(end: str, start: str, came: dict[str, tuple[str, str]]) -> list[tuple[str, str, str]]:
    steps = []
    taker = end
    while taker != start:
        giver, subject = came[taker]
        steps.append((giver, subject, taker))
        taker = giver
    return steps[::-1]
