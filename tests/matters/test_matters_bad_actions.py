"""Whatever an action holds, it is answered, costs what the contract says, and the episode goes on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from matter_cases import ISSUE, MARKUP, READ, REDLINE, small, small_matter

from rubrictui.matters import Episode, GateTimeoutError, Matter, gates


def after_reading() -> Episode:
    episode = Episode(small_matter())
    episode.step(READ)
    return episode


WRONG_VALUES: tuple[Any, ...] = (7, 2.5, True, [], {}, ["x"], {"a": "b"}, float("nan"), 10**5000)


def without(action: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in action.items() if name != key}


@pytest.mark.parametrize(
    "action",
    [None, 7, "read", [], [READ], {}, {"type": None}, {"type": ["read_document"]}, {"type": "Read_Document"}],
)
def test_what_is_no_action_costs_half_a_point(action: Any) -> None:
    episode = after_reading()
    observation, reward, terminated, truncated, info = episode.step(action)
    assert reward == -0.5
    assert observation["last_result"]["code"] == "unknown_action"
    assert (terminated, truncated, info["event"]) == (False, False, None)
    assert episode.step(ISSUE)[1] > 0


@pytest.mark.parametrize("action", [ISSUE, {**ISSUE, "type": "revise_issue"}, REDLINE, MARKUP])
@pytest.mark.parametrize("value", ["absent", None])
def test_each_missing_field_is_named(action: dict[str, Any], value: Any) -> None:
    for key in [key for key in action if key not in ("type", "quotes")]:
        episode = after_reading()
        broken = without(action, key) if value == "absent" else {**action, key: None}
        observation, reward, *_ = episode.step(broken)
        assert reward == -0.25
        assert observation["last_result"]["code"] == "missing_fields"
        assert observation["last_result"]["missing"] == [key]


@pytest.mark.parametrize("action", [ISSUE, REDLINE, MARKUP])
def test_a_value_of_the_wrong_type_is_a_field_error_or_read_as_text(action: dict[str, Any]) -> None:
    for key in [key for key in action if key != "type"]:
        for value in WRONG_VALUES:
            episode = after_reading()
            observation, reward, terminated, _, info = episode.step({**action, key: value})
            last = observation["last_result"]
            assert not terminated
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if key == "document_id":
                # A document that does not exist: no target, or nothing to go by but the label.
                code = "no_redline_target" if action is REDLINE else "markup_unmatched"
                assert last["code"] == code
            elif is_number and key in ("issue_id", "section") and value != 10**5000:
                assert last.get("code") in (None, "no_redline_target", "markup_unmatched")
            elif (key, value) in (("citations", []), ("citations", ["x"]), ("quotes", [])):
                assert last["kind"] == "ack"
            else:
                assert (last["code"], reward, info["event"]) == ("wrong_type", -0.25, None)
                assert last["fields"] == [key]


@pytest.mark.parametrize(
    "quotes",
    [
        "text",
        [7],
        [{}],
        [{"citation": "msa §1.1"}],
        [{"citation": 1, "text": "x"}],
        [{"citation": "msa §1.1", "text": None}],
    ],
)
def test_quotes_that_are_no_quotes_are_a_field_error(quotes: Any) -> None:
    observation, reward, *_ = after_reading().step({**ISSUE, "quotes": quotes})
    assert (observation["last_result"]["fields"], reward) == (["quotes"], -0.25)


@pytest.mark.parametrize(
    ("action", "code", "reward"),
    [
        ({"type": "read_document"}, "unknown_document", -0.2),
        ({"type": "read_document", "document_id": ["msa"]}, "unknown_document", -0.2),
        ({**READ, "section": ""}, "unknown_section", -0.1),
        ({**READ, "section": {}}, "wrong_type", -0.25),
        ({"type": "search_matter", "query": "  ab \n"}, "short_query", -0.1),
        ({"type": "search_matter", "query": 123}, "short_query", -0.1),
        ({"type": "ask_client", "question": " \u00a0 "}, "empty_question", -0.25),
        ({"type": "ask_client", "question": {}}, "empty_question", -0.25),
        ({"type": "escalate", "topic": "x"}, "empty_escalation", -0.25),
        ({"type": "escalate", "topic": [], "reason": "y"}, "empty_escalation", -0.25),
        ({"type": "accept_counterparty"}, "no_outstanding_counter", -0.25),
        ({"type": "accept_counterparty", "issue_id": {}}, "no_outstanding_counter", -0.25),
        ({"type": "submit_final", "summary": 7}, "wrong_type", -0.25),
        ({**REDLINE, "section": "9"}, "no_redline_target", -0.75),
        ({**ISSUE, "type": "revise_issue"}, "no_revision_target", -0.25),
        ({**REDLINE, "type": "revise_redline"}, "no_revision_target", -0.25),
    ],
)
def test_each_error_has_its_code_and_its_cost(action: dict[str, Any], code: str, reward: float) -> None:
    episode = after_reading()
    budgets = episode.budgets
    observation, got, *_ = episode.step(action)
    assert (observation["last_result"]["code"], got) == (code, reward)
    assert {**episode.budgets, "steps": budgets["steps"]} == budgets
    assert episode.result()["raw_score"] == 0


@pytest.mark.parametrize(
    "citation",
    ["", "§", "msa", "msa 1.1", "msa §9", "MSA §1.1", "nowhere §1", "§1.1", "msa §1.1.", "msa § §1.1"],
)
def test_a_citation_to_nothing_is_invalid_and_costs(citation: str) -> None:
    *_, info = after_reading().step({**ISSUE, "citations": [citation, "msa §1.1"]})
    assert info["event"]["components"]["invalid_citation_penalty"] == -0.75
    assert info["event"]["invalid_citations"] == [citation]


@pytest.mark.parametrize("citation", ["msa §1.1", " msa §1.1 ", "msa\u00a0§1.1", "msa §\u00a01.1", "msa§1.1"])
def test_a_citation_may_have_blanks_of_any_kind_around_its_parts(citation: str) -> None:
    assert small_matter().resolves(citation)


def test_five_megabytes_of_analysis_are_scored() -> None:
    episode = after_reading()
    analysis = "the cap is not void, and a cap of two years is sound. " * 95_000
    *_, info = episode.step({**ISSUE, "analysis": analysis})
    assert len(analysis) > 5_000_000
    assert info["event"]["matched_concepts"] == ["two years", "data loss"]
    assert "critical" not in info["event"]


def test_a_pattern_out_of_time_ends_the_episode_unscored_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    obj = small()
    obj["rubric"]["issues"][0]["critical_failure_patterns"] = ["(?:x+x+)+y"]
    episode = Episode(Matter.from_dict(obj))
    episode.step(READ)
    monkeypatch.setattr(gates, "TIME_LIMIT", 0.05)
    for attempt in (lambda: episode.step({**ISSUE, "analysis": "x" * 5_000}), lambda: episode.step(READ)):
        with pytest.raises(GateTimeoutError, match=r"\(\?:x\+x\+\)\+y"):
            attempt()
    with pytest.raises(GateTimeoutError):
        episode.result()


def test_changing_what_was_shown_changes_nothing() -> None:
    episode = after_reading()
    untouched = json.dumps(Episode(small_matter()).observation)
    shown = episode.step(ISSUE)[0]
    shown["matter"]["public_facts"]["sites"].append("west")
    shown["learned_facts"].clear()
    shown["documents"][0]["title"] = "changed"
    shown["actions"].clear()
    shown["submitted_issues"][0]["citations"].append("msa §9")
    shown["submitted_issues"][0]["title"] = "changed"
    again = episode.step(READ)[0]
    assert again["submitted_issues"][0]["title"] == ISSUE["title"]
    assert again["submitted_issues"][0]["citations"] == ISSUE["citations"]
    assert again["learned_facts"]["sites"] == ["north", "south"]
    assert json.dumps(Episode(episode.matter).observation) == untouched
