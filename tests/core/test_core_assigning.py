"""Balanced assignment: every subject covered, loads even, nobody where she must not be, the same again by seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubrictui.core.assigning import Balance, Pair, balance
from rubrictui.core.errors import InvalidInputError


def names(kind: str, number: int) -> list[str]:
    return [f"{kind}{index}" for index in range(number)]


def loads(found: Balance, reviewers: list[str], existing: set[Pair] | None = None) -> list[int]:
    counted = Counter(pair.reviewer for pair in (*found.pairs, *(existing or ())))
    return [counted[name] for name in reviewers]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.integers(1, 9), st.integers(1, 5), st.integers(0, 5))
def test_without_conflicts_every_subject_is_covered_and_loads_differ_by_at_most_one(
    subjects: int, reviewers: int, per_subject: int, seed: int
) -> None:
    people = names("r", reviewers)
    found = balance(names("s", subjects), people, per_subject, seed=seed)
    covered = Counter(pair.subject for pair in found.pairs)
    assert set(covered.values()) <= {min(per_subject, reviewers)}
    assert len(set(found.pairs)) == len(found.pairs)
    assert max(loads(found, people)) - min(loads(found, people)) <= 1
    assert bool(found.short) is (per_subject > reviewers and subjects > 0)


PAIRS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 7)), max_size=30)


@settings(max_examples=100, deadline=None)
@given(PAIRS, PAIRS, st.integers(1, 3))
def test_conflicts_are_kept_and_no_single_exchange_would_be_fairer(
    barred: set[tuple[int, int]], there: set[tuple[int, int]], per_subject: int
) -> None:
    people, subjects = names("r", 6), names("s", 8)
    excluded = {Pair(f"r{r}", f"s{s}") for r, s in barred}
    existing = {Pair(f"r{r}", f"s{s}") for r, s in there} - excluded
    found = balance(subjects, people, per_subject, excluded=excluded, existing=existing)
    pairs = set(found.pairs)
    assert not pairs & (excluded | existing)
    short = {one.subject: one for one in found.short}
    for subject in subjects:
        has = sum(pair.subject == subject for pair in pairs | existing)
        can = sum(Pair(name, subject) not in excluded for name in people)
        if subject in short:
            assert (short[subject].possible, has) == (can, can)
            assert can < per_subject
        else:
            assert has == max(per_subject, sum(pair.subject == subject for pair in existing))
    load = Counter(pair.reviewer for pair in pairs | existing)
    for pair in pairs:
        for other in people:
            instead = Pair(other, pair.subject)
            if instead not in pairs | existing | excluded:
                assert load[pair.reviewer] - load[other] <= 1


def test_chains_of_exchanges_are_found_where_no_single_one_helps() -> None:
    # Cara may only do s0..s2, which Ben would have too; Ann must do s3..s5 unless Ben takes over.
    excluded = {Pair("cara", f"s{n}") for n in range(3, 9)} | {Pair("ann", f"s{n}") for n in range(3)}
    found = balance(names("s", 9), ["ann", "ben", "cara"], 1, excluded=excluded)
    assert loads(found, ["ann", "ben", "cara"]) == [3, 3, 3]


def test_the_same_seed_gives_the_same_pairs_in_any_order_and_another_seed_others() -> None:
    subjects, people = names("s", 25), names("r", 6)
    first = balance(subjects, people, 2, seed=7)
    assert balance(subjects[::-1], people[::-1] * 2, 2, seed=7) == first
    assert balance(subjects, people, 2, seed=8) != first


def test_what_cannot_be_covered_says_who_is_in_the_way() -> None:
    excluded = [Pair("ann", "north"), Pair("ben", "north")]
    found = balance(["north", "south"], ["ann", "ben", "cai"], 2, excluded=excluded)
    (short,) = found.short
    assert short == ("north", 2, 1, ("ann", "ben"))
    assert Pair("cai", "north") in found.pairs


@pytest.mark.parametrize(("people", "per_subject"), [([], 1), (["ann"], 0), (["ann"], -3)])
def test_nobody_and_nothing_to_do_are_refused(people: list[str], per_subject: int) -> None:
    with pytest.raises(InvalidInputError):
        balance(["north"], people, per_subject)
