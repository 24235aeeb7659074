"""Every case of episodes.json: rewards, totals, events, results shown, budgets, negotiation, and no leak."""

from __future__ import annotations

import json
from typing import Any

import pytest
from matter_cases import case_id, cases

from rubrictui.matters import Episode, EpisodeEnded, Matter

TOLERANCE = 1e-4
EPISODES = cases("episodes")


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """What is expected; where the case was recorded with rounding on the way, what holds without."""
    return {**case["expected"], **case["expected"].get("without_drift", {})}


def near(value: Any) -> Any:
    return pytest.approx(value, abs=TOLERANCE)


def played(case: dict[str, Any]) -> tuple[Episode, list[Any]]:
    episode = Episode(Matter.from_dict(case["matter"]))
    return episode, [episode.step(action) for action in case["actions"]]


@pytest.mark.parametrize("case", EPISODES, ids=case_id)
def test_an_episode_is_scored_as_the_case_says(case: dict[str, Any]) -> None:
    expected = expected_of(case)
    episode, steps = played(case)
    result = episode.result()
    assert [reward for _, reward, *_ in steps] == near(expected["rewards"])
    assert result["rewards"] == near(expected["rewards"])
    for name in ("normalized_score", "raw_score", "max_score"):
        assert result[name] == near(expected[name]), name
    for name in ("critical_failure", "terminated", "truncated", "steps", "learned_facts", "negotiation"):
        assert result[name] == expected[name], name
    for name in ("submitted_issue_ids", "submitted_redline_issue_ids", "submitted_escalation_topics"):
        assert result[name] == expected[name], name
    assert result["breakdown"] == expected["breakdown"]
    assert [info["valid"] for *_, info in steps] == expected["valid"]
    for (*_, info), step_event in zip(steps, expected["step_events"], strict=True):
        assert (info["event"] is None) == (step_event is None)
        if step_event is not None:
            assert info["event"]["type"] == step_event["type"]
            assert info["event"]["points"] == near(step_event["points"])


@pytest.mark.parametrize("case", EPISODES, ids=case_id)
def test_its_events_say_what_was_earned_and_by_what(case: dict[str, Any]) -> None:
    episode, _ = played(case)
    events = episode.result()["events"]
    wanted = expected_of(case)["events"]
    assert [found["type"] for found in events] == [event["type"] for event in wanted]
    for found, event in zip(events, wanted, strict=True):
        for name, value in event.items():
            if name in ("points", "concept_points", "components"):
                assert found[name] == near(value), name
            else:
                assert found[name] == value, name


@pytest.mark.parametrize("case", EPISODES, ids=case_id)
def test_its_observations_show_what_the_case_says_and_leak_nothing(case: dict[str, Any]) -> None:
    expected = expected_of(case)
    episode = Episode(Matter.from_dict(case["matter"]))
    observations = [episode.observation]
    observations += [episode.step(action)[0] for action in case["actions"]]
    first = observations[0]
    assert list(first["budgets"].values()) == expected["budgets_start"]
    assert [list(seen["budgets"].values()) for seen in observations[1:]] == expected["budgets"]
    assert sorted(first["actions"]) == expected["action_types"]
    sections = {document["id"]: list(document["sections"]) for document in first["documents"]}
    assert sections == expected["document_sections"]
    for seen, shown in zip(observations[1:], expected["last_results"], strict=True):
        assert {name: seen["last_result"][name] for name in shown} == shown
    written = [json.dumps(seen, ensure_ascii=False) for seen in observations]
    for token, visible_from in expected["visible_from"].items():
        seen_at = [index for index, text in enumerate(written) if token in text]
        assert (min(seen_at) if seen_at else None) == visible_from, token


@pytest.mark.parametrize("case", EPISODES[::9], ids=case_id)
def test_the_same_actions_give_the_same_trace_byte_for_byte(case: dict[str, Any]) -> None:
    matter = Matter.from_dict(case["matter"])

    def trace() -> str:
        episode = Episode(matter, seed=3)
        steps = [episode.step(action) for action in case["actions"]]
        return json.dumps([steps, episode.result()])

    assert trace() == trace()


def test_the_cases_never_step_past_the_end_and_a_step_past_it_is_refused() -> None:
    for case in EPISODES[::20]:
        episode, _ = played(case)
        if episode.ended:
            before = episode.result()
            with pytest.raises(EpisodeEnded):
                episode.step({"type": "submit_final", "summary": ""})
            assert episode.result() == before
