"""The rules of scoring one at a time, and what an event says of each point."""

from __future__ import annotations

from typing import Any

import pytest
from matter_cases import ISSUE, MARKUP, READ, REDLINE, small, small_matter

from rubrictui.matters import Episode, EpisodeEnded, Matter


def after(*actions: dict[str, Any], matter: Matter | None = None) -> Episode:
    episode = Episode(matter or small_matter())
    for action in actions:
        episode.step(action)
    return episode


def part(event: dict[str, Any], component: str) -> dict[str, Any]:
    (found,) = [part for part in event["attribution"] if part["component"] == component]
    return dict(found)


def test_an_issue_names_for_each_component_what_was_matched_and_missing_and_where() -> None:
    *_, info = after(READ).step({**ISSUE, "severity": "low", "recommendation": "Ask for more."})
    event = info["event"]
    assert event["components"] == {
        "base": 1.0,
        "severity": 0.0,
        "citations": 0.25,
        "concepts": 0.25,
        "quotes": 0.25,
    }
    assert part(event, "base")["spans"] == [
        {"field": "citations", "start": 0, "end": 8, "text": "msa §1.1", "index": 0}
    ]
    assert part(event, "severity")["missing"] == ["high"]
    concepts = part(event, "concepts")
    assert (concepts["matched"], concepts["missing"]) == (["two years"], ["data loss"])
    assert concepts["spans"] == [{"field": "analysis", "start": 10, "end": 19, "text": "TWO\nyears"}]
    start, end = concepts["spans"][0]["start"], concepts["spans"][0]["end"]
    assert ISSUE["analysis"][start:end] == "TWO\nyears"
    assert part(event, "quotes")["spans"][0]["text"] == ISSUE["quotes"][0]["text"]


def test_a_fired_gate_is_reported_by_its_pattern_and_the_words_that_fired_it() -> None:
    analysis = "It is no surprise. The  CAP is\u00a0void, as everybody knows."
    episode = after(READ)
    *_, info = episode.step({**ISSUE, "analysis": analysis})
    (critical,) = info["event"]["critical"]
    assert critical["pattern"] == "cap is void"
    (span,) = critical["spans"]
    assert span["field"] == "analysis"
    assert analysis[span["start"] : span["end"]] == span["text"] == "CAP is\u00a0void"
    result = episode.result()
    assert result["critical_reasons"][0]["criterion"] == "cap"
    assert result["normalized_score"] <= 0.25


def test_a_guarded_gate_spares_the_disclaimer() -> None:
    *_, info = after(READ).step({**ISSUE, "analysis": "Nobody can say, and we do not, that the cap is void."})
    assert "critical" not in info["event"]


def test_a_fabricated_quote_costs_a_point_and_is_critical() -> None:
    quotes = [*ISSUE["quotes"], {"citation": "msa §1.1", "text": "liability is unlimited in all cases"}]
    episode = after(READ)
    *_, info = episode.step({**ISSUE, "quotes": quotes})
    assert info["event"]["components"]["quotes"] == 0.25 - 1.0
    assert episode.result()["critical_reasons"] == [
        {"criterion": "cap", **info["event"]["critical"][0]},
    ]
    assert info["event"]["critical"][0]["reason"] == "fabricated_quote"


@pytest.mark.parametrize(
    ("quote", "status"),
    [
        ("LIMITED  to\u00a0the\nfees", "verified"),
        ("limited to the f\u00e9es", "fabricated"),
        ("limited to \u201cthe\u201d fees", "fabricated"),
        ("limited to the", "too_short"),
    ],
)
def test_quotes_compare_by_case_and_white_space_alone(quote: str, status: str) -> None:
    *_, info = after(READ).step({**ISSUE, "quotes": [{"citation": "msa §1.1", "text": quote}]})
    assert info["event"]["quotes"] == [{"citation": "msa §1.1", "status": status}]


def test_an_anchor_that_was_never_read_earns_nothing() -> None:
    *_, info = after({**READ, "section": "1.2"}).step(ISSUE)
    assert (info["event"]["type"], info["event"]["points"]) == ("unread_anchor_issue", -0.5)
    assert info["event"]["criterion"] == "mine"


def test_revising_scores_with_what_has_been_read_by_now() -> None:
    episode = after(ISSUE, REDLINE)
    assert episode.result()["raw_score"] == -0.5 + 1.0  # the redline targets the anchor
    episode.step(READ)
    _, reward, _, _, info = episode.step({**ISSUE, "type": "revise_issue"})
    assert info["event"]["type"] == "issue_revision"
    assert reward == pytest.approx(2.25 + 0.5)
    assert [event["type"] for event in info["events"]] == ["issue", "redline"]
    assert [event["type"] for event in episode.result()["events"]] == ["issue", "redline"]


def test_a_redline_reports_its_gate_and_the_concepts_it_lacks() -> None:
    episode = after(READ, ISSUE)
    *_, info = episode.step({**REDLINE, "replacement_text": "There is no liability."})
    event = info["event"]
    assert event["critical_failure_pattern"] == "no liability"
    assert event["missing_redline_concepts"] == ["two years"]
    assert episode.result()["critical_failure"]


def test_the_other_side_resists_counters_refuses_and_its_counter_stays_open() -> None:
    episode = after(READ)
    weak = {**MARKUP, "proposed_text": "Soon."}
    kinds = [episode.step(weak)[0]["last_result"]["kind"] for _ in range(2)]
    assert kinds == ["markup_counter", "markup_rejected"]
    observation, reward, _, _, info = episode.step({"type": "accept_counterparty", "issue_id": "n"})
    assert observation["last_result"] == {"kind": "accepted_theirs", "accepted_text": "Within thirty days."}
    event = info["event"]
    assert (reward, event["closed_by"], event["trap"]) == (0.0, "theirs", True)
    assert [critical["reason"] for critical in event["critical"]] == ["pattern", "non_negotiable"]
    assert episode.result()["tables"] == {
        "notice": {"closed_by": "theirs", "rounds_used": 3, "counters_made": 1, "trap_offered": True}
    }
    assert episode.step(MARKUP)[0]["last_result"]["code"] == "round_budget"


def test_our_text_closes_once_the_resistance_is_over() -> None:
    episode = after(READ, MARKUP)
    observation, reward, _, _, info = episode.step(MARKUP)
    assert observation["last_result"]["kind"] == "markup_accepted"
    assert (reward, info["event"]["closed_by"]) == (1.0, "ours")
    assert info["event"]["closing_text"] == MARKUP["proposed_text"]
    assert observation["negotiation"]["n"]["status"] == "closed"
    assert episode.step(MARKUP)[1] == -0.2


def test_the_final_submission_settles_up() -> None:
    episode = after(READ)
    observation, reward, terminated, truncated, info = episode.step(
        {"type": "submit_final", "summary": "x" * 10}
    )
    event = info["event"]
    assert event["criterion"] == "final"
    assert reward == pytest.approx(0.5 - 0.25 - 0.5)
    assert event["missing_issues"] == ["cap"]
    assert (event["missed_escalations"], event["missed_critical_escalations"]) == (["e_cap"], ["e_sole"])
    assert (terminated, truncated, observation["ended"]) == (True, False, True)
    assert episode.result()["critical_failure"]


def test_the_last_step_is_carried_out_and_then_the_episode_is_over() -> None:
    obj = small()
    obj["matter"]["constraints"]["maximum_steps"] = 2
    episode = after(READ, matter=Matter.from_dict(obj))
    observation, reward, terminated, truncated, info = episode.step(ISSUE)
    assert (reward, info["event"]["type"]) == (2.25, "issue")
    assert (terminated, truncated) == (False, True)
    assert observation["last_result"]["code"] == "step_budget"
    with pytest.raises(EpisodeEnded):
        episode.step(READ)


def test_the_protocol_tells_to_cite_the_operative_provision_first_and_to_quote_verbatim() -> None:
    protocol = " ".join(Episode(small_matter()).observation["protocol"]).lower()
    assert "operative provision first" in protocol
    assert "verbatim" in protocol


def test_points_of_a_clean_matter_without_anything_to_earn_are_nothing() -> None:
    obj = {"matter": {}, "rubric": {"final_submission": {"points": 0}}, "hidden_facts": {}}
    episode = Episode(Matter.from_dict(obj))
    episode.step({"type": "submit_final"})
    assert episode.result()["normalized_score"] == 0.0
    assert episode.result()["max_score"] == 0.0


def two_positions() -> Matter:
    """The small matter with a position on each issue, and a third issue that shares an anchor."""
    obj = small()
    obj["counterparty"]["positions"]["cap"] = {
        "accept_concepts": [["two years"]],
        "counters": [{"message": "Half.", "text": "One year of fees."}],
        "reject_message": "No.",
    }
    obj["rubric"]["issues"].append({"id": "late", "anchor": "msa §1.1", "severity": "low"})
    return Matter.from_dict(obj)


def test_of_two_issues_with_one_anchor_the_first_of_the_rubric_is_found() -> None:
    *_, info = after(READ, matter=two_positions()).step(ISSUE)
    assert info["event"]["criterion"] == "cap"


def test_of_two_matched_issues_under_one_label_the_first_keeps_it() -> None:
    episode = after(READ, ISSUE, {**ISSUE, "citations": ["msa §1.2"]}, matter=two_positions())
    *_, info = episode.step({**REDLINE, "section": "1.2"})
    assert info["event"]["criterion"] == "cap"
    *_, info = episode.step({**MARKUP, "issue_id": "mine"})
    assert info["event"]["criterion"] == "cap"


def test_a_label_known_only_from_the_table_does_not_steer_a_later_markup() -> None:
    weak = {**MARKUP, "issue_id": "x", "proposed_text": "Soon."}
    episode = after(READ, weak, matter=two_positions())
    *_, info = episode.step({**weak, "section": "1.1"})
    assert info["event"]["criterion"] == "cap"
    assert episode.observation["negotiation"]["x"]["last_counter_text"] == "One year of fees."
    observation, *_ = episode.step({"type": "accept_counterparty", "issue_id": "x"})
    assert observation["last_result"]["accepted_text"] == "One year of fees."


def test_accepting_means_the_issue_of_a_label_before_what_it_was_used_for_at_the_table() -> None:
    weak = {**MARKUP, "issue_id": "mine", "proposed_text": "Soon."}
    episode = after(READ, weak, ISSUE, matter=two_positions())
    observation, reward, *_ = episode.step({"type": "accept_counterparty", "issue_id": "mine"})
    assert (observation["last_result"]["code"], reward) == ("no_outstanding_counter", -0.25)
    assert episode.budgets["rounds"] == 2
