"""The shipped matters: worked well they earn everything, stuffed with words less than nothing, and they tell no secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrictui.matters import Episode, Matter, lint, read_actions
from rubrictui.matters.gate_lab import gates_of, judge
from rubrictui.matters.probes import read_probes, run_probes
from rubrictui.matters.replay import replay
from rubrictui.matters.text import norm
from rubrictui.sample_data import matter_folders

FOLDERS = {folder.name: folder for folder in matter_folders()}
MATTERS = {name: Matter.from_directory(folder) for name, folder in FOLDERS.items()}
GATED = [name for name, matter in MATTERS.items() if gates_of(matter)]

# One pattern each is plain on purpose, with the reason beside it in the rubric.
PEDANTIC = {
    "clean-nda": [],
    "saas-agreement": ["pattern_unguarded"],
    "supply-negotiation": ["pattern_unguarded"],
}

every_matter = pytest.mark.parametrize("name", FOLDERS)


def trajectory(name: str, actions: str) -> list[dict[str, Any]]:
    return read_actions(next(FOLDERS[name].glob(f"trajectories/{actions}.json*")))


def played(name: str, actions: str) -> dict[str, Any]:
    return replay(MATTERS[name], trajectory(name, actions))


def test_three_matters_ship() -> None:
    assert list(FOLDERS) == ["clean-nda", "saas-agreement", "supply-negotiation"]


@every_matter
def test_the_reference_earns_everything(name: str) -> None:
    result = played(name, "reference")
    assert (result["normalized_score"], result["critical_failure"]) == (1.0, False)
    assert result["raw_score"] == pytest.approx(result["max_score"])
    assert result["terminated"]
    assert result["ignored_actions"] == 0
    assert all(result["valid"])


@every_matter
def test_the_stuffing_of_key_words_loses_points(name: str) -> None:
    result = played(name, "keyword-stuffing")
    assert result["raw_score"] < 0
    assert result["normalized_score"] == 0
    assert result["terminated"]


@every_matter
def test_the_associate_lands_between_the_two(name: str) -> None:
    result = played(name, "associate")
    assert 0.3 < result["normalized_score"] < 0.7
    assert not result["critical_failure"]


def test_taking_the_traps_caps_a_score_that_was_high() -> None:
    result = played("supply-negotiation", "trap-taken")
    assert result["raw_score"] / result["max_score"] > 0.75
    assert (result["normalized_score"], result["critical_failure"]) == (0.25, True)
    assert result["metrics"]["trap_counter_acceptance_count"] == 2


def test_an_invented_issue_is_what_costs_on_the_clean_matter() -> None:
    actions = trajectory("clean-nda", "reference")
    invented = next(one for one in trajectory("clean-nda", "associate") if one["type"] == "submit_issue")
    result = replay(MATTERS["clean-nda"], [*actions[:-1], invented, actions[-1]])
    assert result["raw_score"] == pytest.approx(result["max_score"] - 0.5)


@every_matter
def test_lint_finds_nothing_but_what_is_meant(name: str) -> None:
    assert lint(FOLDERS[name]) == []
    assert [finding.code for finding in lint(FOLDERS[name], pedantic=True)] == PEDANTIC[name]


@every_matter
def test_the_greatest_score_is_derived(name: str) -> None:
    assert MATTERS[name].rubric.max_score is None


@pytest.mark.parametrize("name", GATED)
def test_every_gate_is_probed_with_texts_of_both_kinds(name: str) -> None:
    probes = read_probes(FOLDERS[name])
    report = run_probes(probes)
    assert report.failures == ()
    assert report.unprobed == ()
    assert all({text.must_fire for text in probe.texts} == {True, False} for probe in probes.probes)


def test_gates_ship_plain_and_guarded_in_every_way() -> None:
    entries = [gate.entry for name in GATED for gate in gates_of(MATTERS[name])]
    assert any(entry.is_plain for entry in entries)
    assert any(entry.negation_guard and entry.negation_scope == "before" for entry in entries)
    assert any(entry.require_context for entry in entries)
    assert any(entry.exclude_context for entry in entries)


@pytest.mark.parametrize("name", GATED)
def test_no_gate_fires_on_what_the_house_positions_say(name: str) -> None:
    """Whoever repeats the playbook or the mandate in a redline must not be capped for it."""
    matter = MATTERS[name]
    house = next(matter.documents[key] for key in ("playbook", "mandate") if key in matter.documents)
    for gate in gates_of(matter):
        for section in house.sections.values():
            assert not judge(gate.entry, section).fires_normalized, gate.name


def test_every_trap_is_caught_and_the_honest_offer_is_not() -> None:
    matter = MATTERS["supply-negotiation"]
    assert matter.positions is not None
    settles = {issue.id: issue for issue in matter.rubric.issues}
    for issue_id, position in matter.positions.items():
        issue = settles[issue_id]
        for counter in position.counters:
            fires = any(
                judge(gate, counter.text).fires_normalized
                for gate in issue.settlement_critical_failure_patterns
            )
            assert fires is counter.trap, (issue_id, counter.text)


@every_matter
@pytest.mark.parametrize("actions", ["reference", "associate", "keyword-stuffing"])
def test_no_observation_tells_a_secret_before_its_time(name: str, actions: str) -> None:
    episode = Episode(MATTERS[name])
    secrets = secrets_of(MATTERS[name])
    assert secrets
    told: set[str] = set()
    assert shown_of(secrets, episode.observation) == set()
    for action in trajectory(name, actions):
        observation, _, _, _, info = episode.step(action)
        told |= told_by(info["event"])
        assert shown_of(secrets, observation) <= told, action


def secrets_of(matter: Matter) -> dict[str, str]:
    """Every answer, guidance, offer, refusal and pattern by a name, as it would stand in JSON."""
    texts = {**matter.hidden_facts.client_answers, **matter.hidden_facts.escalation_answers}
    for key, position in (matter.positions or {}).items():
        texts[f"{key} refused"] = position.reject_message
        for number, counter in enumerate(position.counters, 1):
            texts[f"{key} text {number}"] = counter.text
            texts[f"{key} message {number}"] = counter.message
    for gate in gates_of(matter):
        texts[gate.name] = gate.entry.pattern
    return {what: norm(json.dumps(text, ensure_ascii=False).strip('"')) for what, text in texts.items()}


def shown_of(secrets: dict[str, str], observation: dict[str, Any]) -> set[str]:
    shown = norm(json.dumps(observation, ensure_ascii=False))
    return {what for what, secret in secrets.items() if secret in shown}


def told_by(event: dict[str, Any] | None) -> set[str]:
    """The secrets that the event of a step makes known."""
    kind, criterion = (event["type"], event["criterion"]) if event is not None else ("", "")
    if event is not None and kind == "counterparty_counter":
        return {f"{criterion} text {event['counter']}", f"{criterion} message {event['counter']}"}
    if kind == "counterparty_reject":
        return {f"{criterion} refused"}
    return {criterion} if kind in ("required_question", "required_escalation") else set()


@every_matter
def test_criteria_and_their_words_are_told_to_nobody(name: str) -> None:
    matter = MATTERS[name]
    start = norm(json.dumps(Episode(matter).observation, ensure_ascii=False))
    questions = [question.id for question in matter.rubric.questions]
    escalations = [escalation.id for escalation in matter.rubric.escalations]
    for word in (
        *questions,
        *escalations,
        "required_concepts",
        "settlement_concepts",
        "accept_concepts",
        "max_score",
    ):
        assert word not in start


@every_matter
def test_answers_stand_in_no_document(name: str) -> None:
    matter = MATTERS[name]
    papers = norm(" ".join(document.text for document in matter.documents.values()))
    answers = (*matter.hidden_facts.client_answers.values(), *matter.hidden_facts.escalation_answers.values())
    for answer in answers:
        for sentence in answer.split(". "):
            assert norm(sentence).rstrip(".") not in papers


@every_matter
def test_documents_are_worth_reading(name: str) -> None:
    documents = MATTERS[name].documents.values()
    assert len(documents) >= 3
    assert all(len(document.tokens) >= 3 for document in documents)
    assert sum(len(document.text.split()) for document in documents) > 900


@every_matter
def test_every_action_of_the_trajectories_is_one_a_line_or_one_list(name: str) -> None:
    for file in sorted((FOLDERS[name] / "trajectories").iterdir()):
        actions = read_actions(file)
        assert actions, file
        assert actions[-1]["type"] == "submit_final"


@every_matter
def test_every_file_of_a_matter_is_read_by_something(name: str) -> None:
    folder = FOLDERS[name]
    parts = ["matter.yaml", "rubric.yaml", "hidden_facts.yaml", "counterparty.yaml", "probes.yaml"]
    named = {*parts, *(document.path for document in MATTERS[name].documents.values())}
    present = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert {file for file in present if not file.startswith("trajectories/")} <= named


def test_a_matter_of_ones_own_can_begin_as_a_copy(tmp_path: Path) -> None:
    import shutil

    copy = shutil.copytree(FOLDERS["saas-agreement"], tmp_path / "mine")
    assert lint(copy) == []
    assert run_probes(read_probes(copy)).failures == ()
