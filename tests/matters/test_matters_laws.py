"""Laws of an episode, whatever is done in it."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from matter_cases import ISSUE, MARKUP, READ, REDLINE, small_matter

from rubrictui.matters import Episode
from rubrictui.matters.spans import WrittenText
from rubrictui.matters.text import norm

MATTER = small_matter()

words = st.sampled_from(
    (
        "two years",
        "data loss",
        "24 hours",
        "discovery",
        "cap is void",
        "law forbids caps",
        "not",
        "no liability",
    )
)
texts = st.lists(words, max_size=12).map(" ".join)
labels = st.sampled_from(["mine", "n", "other", 7])
citations = st.lists(st.sampled_from(["msa §1.1", "msa §1.2", "msa §full", "msa §9", "nothing"]), max_size=3)
sections = st.sampled_from(["1.1", "1.2", "full", "9"])
quotes = st.lists(
    st.fixed_dictionaries(
        {
            "citation": st.sampled_from(["msa §1.1", "msa §1.2", "msa §9"]),
            "text": st.sampled_from(
                ["limited to the fees", "first awareness.", "short", "made up by somebody"]
            ),
        }
    ),
    max_size=2,
)


def issues(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "type": st.just(kind),
            "issue_id": labels,
            "title": texts,
            "severity": st.sampled_from(["high", "medium", "High"]),
            "citations": citations,
            "analysis": texts,
            "recommendation": texts,
            "quotes": quotes,
        }
    )


def redlines(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "type": st.just(kind),
            "issue_id": labels,
            "document_id": st.just("msa"),
            "section": sections,
            "replacement_text": texts,
            "rationale": texts,
        }
    )


actions = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("read_document"), "document_id": st.just("msa"), "section": sections}
    ),
    st.just(READ),
    st.fixed_dictionaries(
        {"type": st.just("ask_client"), "question": st.sampled_from(["launch date", "go live", "else"])}
    ),
    st.fixed_dictionaries({"type": st.just("escalate"), "topic": texts, "reason": st.just("ceiling")}),
    issues("submit_issue"),
    issues("revise_issue"),
    redlines("propose_redline"),
    redlines("revise_redline"),
    st.fixed_dictionaries(
        {
            "type": st.just("send_markup"),
            "issue_id": labels,
            "document_id": st.just("msa"),
            "section": sections,
            "proposed_text": texts,
        }
    ),
    st.fixed_dictionaries({"type": st.just("accept_counterparty"), "issue_id": labels}),
    st.just({"type": "submit_final", "summary": "Everything was looked at."}),
    st.dictionaries(st.sampled_from(["type", "issue_id", "section"]), st.integers() | st.text(max_size=3)),
)
scripts = st.lists(actions, max_size=14)
FEW = settings(max_examples=60, deadline=None)


def play(script: list[dict[str, Any]], matter: Any = MATTER) -> tuple[Episode, list[Any]]:
    episode = Episode(matter)
    steps = []
    for action in script:
        if episode.ended:
            break
        steps.append(episode.step(action))
    return episode, steps


@FEW
@given(scripts)
def test_the_same_actions_give_the_same_trace(script: list[dict[str, Any]]) -> None:
    first, second = (play(script) for _ in range(2))
    assert json.dumps([first[1], first[0].result()]) == json.dumps([second[1], second[0].result()])


@FEW
@given(scripts)
def test_the_score_is_what_the_events_sum_to_held_between_its_bounds(script: list[dict[str, Any]]) -> None:
    episode, _ = play(script)
    result = episode.result()
    raw = math.fsum(event["points"] for event in result["events"])
    assert result["raw_score"] == round(raw, 4)
    assert 0 <= result["normalized_score"] <= 1
    if result["critical_failure"]:
        assert result["normalized_score"] <= MATTER.rubric.critical_failure_score_cap
    else:
        assert result["normalized_score"] == round(min(max(raw / MATTER.max_score, 0), 1), 4)


@FEW
@given(scripts)
def test_every_point_of_an_event_is_attributed(script: list[dict[str, Any]]) -> None:
    episode, _ = play(script)
    for event in episode.result()["events"]:
        points = math.fsum(part["points"] for part in event["attribution"])
        assert math.isclose(points, event["points"], abs_tol=1e-12)
        for part in event["attribution"]:
            for span in part["spans"]:
                assert len(span["text"]) == span["end"] - span["start"]


@FEW
@given(scripts)
def test_rewards_are_the_points_of_events_and_the_costs_of_errors(script: list[dict[str, Any]]) -> None:
    episode, steps = play(script)
    earned = [reward for _, reward, _, _, info in steps if info["event"] is not None]
    assert math.isclose(
        math.fsum(earned), math.fsum(e["points"] for e in episode.result()["events"]), abs_tol=1e-9
    )
    for _, reward, _, _, info in steps:
        assert info["event"] is not None or reward <= 0


@FEW
@given(scripts)
def test_revising_to_the_same_text_changes_nothing(script: list[dict[str, Any]]) -> None:
    """With everything read from the beginning, so that scoring anew meets what scoring first met."""
    script = [action for action in script if action.get("type") != "submit_final"][:12]
    episode, _ = play([READ, *script])
    if episode.ended:
        return
    before = episode.result()
    for submission in [*episode.observation["submitted_issues"], *episode.observation["submitted_redlines"]][
        :3
    ]:
        kind = "revise_issue" if "citations" in submission else "revise_redline"
        if episode.ended or _is_shadowed(episode, submission):
            continue
        _, reward, *_ = episode.step({**submission, "type": kind})
        after = episode.result()
        assert reward == 0
        for name in ("raw_score", "normalized_score", "critical_failure", "breakdown", "negotiation"):
            assert after[name] == before[name]
        assert sorted(map(json.dumps, after["events"])) == sorted(map(json.dumps, before["events"]))


def _is_shadowed(episode: Episode, submission: dict[str, Any]) -> bool:
    """Whether an earlier submission has the same label (and target), so that revising changes that one."""
    keys = ("issue_id",) if "citations" in submission else ("issue_id", "document_id", "section")
    kind = "submitted_issues" if "citations" in submission else "submitted_redlines"
    same = [
        other
        for other in episode.observation[kind]
        if [other[key] for key in keys] == [submission[key] for key in keys]
    ]
    return same[0] != submission


@FEW
@given(
    st.permutations([{**ISSUE, "quotes": []}, {**ISSUE, "issue_id": "n", "citations": ["msa §1.2"]}]), texts
)
def test_the_order_of_issues_does_not_change_the_sum(order: list[dict[str, Any]], analysis: str) -> None:
    order = [{**action, "analysis": analysis} for action in order]
    forward, _ = play([READ, *order])
    backward, _ = play([READ, *reversed(order)])
    assert forward.result()["raw_score"] == backward.result()["raw_score"]


@FEW
@given(scripts)
def test_what_was_submitted_can_be_undone_by_revising_it(script: list[dict[str, Any]]) -> None:
    """A critical failure of an issue goes with the text that made it."""
    episode = Episode(MATTER)
    episode.step(READ)
    *_, info = episode.step({**ISSUE, "analysis": "Law forbids caps."})
    assert info["event"]["critical_failure_pattern"] == "law forbids caps"
    assert episode.result()["critical_failure"]
    episode.step({**ISSUE, "type": "revise_issue"})
    assert not episode.result()["critical_failure"]
    for action in (REDLINE, MARKUP, *script):
        if not episode.ended:
            episode.step(action)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=30)), min_size=1, max_size=3), st.data())
def test_a_span_holds_the_words_that_were_found(fields: list[tuple[str, str]], data: st.DataObject) -> None:
    text = WrittenText(*fields)
    assert text.normed == norm(" ".join(part for _, part in fields))
    if text.normed:
        start = data.draw(st.integers(0, len(text.normed) - 1))
        end = data.draw(st.integers(start + 1, len(text.normed)))
        span = text.span(start, end)
        assert norm(text.normed[start:end]) in norm(span["text"])
        assert len(norm(span["text"])) <= end - start + 2
