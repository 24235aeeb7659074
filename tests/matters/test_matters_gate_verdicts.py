"""When a critical-failure pattern fires, and what a verdict explains."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matter_cases import case_id, cases

from rubrictui.ground.errors import InvalidInputError
from rubrictui.ground.pattern_size import LONGEST_PATTERN, MOST_PARTS, written_out
from rubrictui.matters import GateTimeoutError, check_gate, gates
from rubrictui.matters.sentences import ANY_NEGATOR, Sentences
from rubrictui.matters.text import norm


@pytest.mark.parametrize("case", cases("gates"), ids=case_id)
def test_a_gate_fires_as_the_case_says(case: dict[str, Any]) -> None:
    assert check_gate(case["entry"], case["text"]).fires is case["fires"]
    assert check_gate(case["entry"], norm(case["text"])).fires is case["fires_normalized"]


GUARDED = {"pattern": "cap is void", "negation_guard": True}


def test_a_verdict_names_every_match_with_its_sentence_window_and_negator() -> None:
    text = "It is not so. We never said the cap is void here. The cap is void!"
    verdict = check_gate(GUARDED, text)
    assert verdict.pattern == "cap is void"
    assert verdict.fires
    assert verdict.match_count == 2
    saved, fired = verdict.matches
    assert saved.outcome == "negated"
    assert saved.sentence == " We never said the cap is void here"
    assert saved.negator == "never"
    assert text[saved.negator_start :][:5] == "never"
    assert saved.window_end == saved.end
    assert text[saved.start : saved.end] == saved.text == "cap is void"
    assert fired.fires
    assert fired.negator is None


def test_a_verdict_names_the_context_that_saved_a_match_or_let_it_fire() -> None:
    entry = {
        "pattern": "ends",
        "require_context": r"\bas drafted\b",
        "exclude_context": "for instance",
    }
    missing, excluded, fires = check_gate(
        entry, "It ends. As drafted, for instance, it ends. As drafted it ends."
    ).matches
    assert missing.outcome == "context_missing"
    assert (excluded.outcome, excluded.context) == ("context_excluded", "for instance")
    assert (fires.outcome, fires.context) == ("fires", "As drafted")


@pytest.mark.parametrize(
    ("scope", "text", "fires"),
    [
        ("span", "allowed nothing", False),
        ("span", "allowed notes", True),
        ("span", "ALLOWED NOT", False),
        ("before", "allowed not", True),
        ("before", "don\u2019t say allowed not", False),
        ("before", "nobody says allowed not", True),
    ],
)
def test_a_guard_word_that_begins_inside_the_window_is_read_past_its_edge(
    scope: str, text: str, fires: bool
) -> None:
    entry = {"pattern": "allowed not", "negation_guard": True, "negation_scope": scope}
    assert check_gate(entry, text).fires is fires


def negators(text: str) -> list[tuple[int, int]]:
    """Every negator of a text, one after the other."""
    found: list[tuple[int, int]] = []
    sentences = Sentences(text)
    while span := sentences.negator(found[-1][0] + 1 if found else 0, len(text)):
        found.append(span)
    return found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("No, NOT never", ["No", "NOT", "never"]),
        ("knot, know, nots, not_e, annoy", []),
        ("can't; won\u2019t; cannot; n't", ["n't", "n\u2019t", "cannot", "n't"]),
        ("without-doubt nor, neither nothing none", ["without", "nor", "neither", "nothing", "none"]),
        ("\u0130 is not lower-cased letter for letter, is it without?", ["not", "without"]),
    ],
)
def test_negators_are_whole_words_of_the_closed_list(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in negators(text)] == words


@given(
    st.lists(
        st.sampled_from(["no", "not", "NOTHING", "n't", "n’t", "cannot", "without", "x", "_", "-.\né", "ts"]),
        max_size=9,
    )
)
def test_negators_are_found_as_one_pattern_would_find_them(parts: list[str]) -> None:
    text = "".join(parts)
    assert negators(text) == [match.span() for match in ANY_NEGATOR.finditer(text)]


@given(
    st.text(alphabet="not hin'ever\u0130", max_size=30),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30)), max_size=6),
)
def test_a_window_is_looked_through_once_and_says_the_same_however_often_it_grows(
    text: str, asked: list[tuple[int, int]]
) -> None:
    sentences = Sentences(text)
    for start, end in asked:
        spans = (match.span() for match in ANY_NEGATOR.finditer(text, start) if match.start() < end)
        assert sentences.negator(start, end) == next(spans, None)


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (7, "gate_wrong_type"),
        (["x"], "gate_wrong_type"),
        ("(", "gate_regex_invalid"),
        ("a" * (LONGEST_PATTERN + 1), "gate_regex_invalid"),
        ("(?:(?:xy|z?){500}){500}", "gate_regex_invalid"),
        ("x{99999999999999999999}", "gate_regex_invalid"),
        ({}, "gate_pattern_missing"),
        ({"pattern": ""}, "gate_pattern_missing"),
        ({"pattern": "("}, "gate_regex_invalid"),
        ({"pattern": "x", "negation": True}, "gate_unknown_key"),
        ({"pattern": "x", "negation_guard": "yes"}, "gate_guard_not_bool"),
        ({"pattern": "x", "negation_scope": ["span"]}, "gate_scope_invalid"),
        ({"pattern": "x", "require_context": ""}, "gate_context_not_string"),
        ({"pattern": "x", "exclude_context": "("}, "gate_context_regex_invalid"),
    ],
)
def test_an_entry_of_no_use_is_refused_with_its_reason(entry: Any, code: str) -> None:
    assert [problem.code for problem in gates.gate_entry_problems(entry)] == [code]
    with pytest.raises(InvalidInputError):
        check_gate(entry, "text")


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("abc", 3),
        ("(?:a{3}b){4}", 16),
        (r"\p{L}{3}\(b\){2}", 7),
        ("[a{5}]{2}[^]}]", 3),
        ("a{2,}b{,5}c{0,9}", 8),
        ("(?P<n>ab){3}", 6),
        ("(x|(y){2}){3})){2}", 9),
    ],
)
def test_the_parts_of_a_pattern_are_counted_with_its_repeats_written_out(pattern: str, parts: int) -> None:
    assert written_out(pattern) == parts


def test_repeats_of_a_range_are_few_parts_and_stay_allowed() -> None:
    assert written_out(r"\b(?:without|in no event)\b[^.]{0,60}\bafter\s+\w+(?:\W+\w+){0,200}") < 60
    assert not gates.gate_entry_problems(f"(?:ab){{{MOST_PARTS // 2}}}")


@pytest.mark.parametrize(
    "entry",
    [
        "(?:x+x+)+y",
        {"pattern": "x", "negation_guard": True, "require_context": "(?:x+x+)+y"},
    ],
)
def test_a_pattern_that_runs_out_of_time_is_never_a_silent_no(
    entry: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "TIME_LIMIT", 0.05)
    with pytest.raises(GateTimeoutError) as caught:
        check_gate(entry, "x" * 5_000)
    pattern = entry if isinstance(entry, str) else entry["pattern"]
    assert caught.value.pattern == pattern
    assert repr(pattern) in str(caught.value)


def test_of_very_many_matches_all_are_judged_and_the_deciding_one_is_told() -> None:
    entry = {"pattern": "cap", "exclude_context": "saved"}
    text = "saved cap. " * 700 + "bad cap. " + "saved cap. " * 300
    verdict = check_gate(entry, text)
    assert verdict.fires
    assert verdict.match_count == 1_001
    assert len(verdict.matches) == gates.EXPLAINED_MATCHES
    assert [match.fires for match in verdict.matches].count(True) == 1
