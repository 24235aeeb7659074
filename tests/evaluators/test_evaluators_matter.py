"""A matter as a rubric, work on it as a subject, and its rules as an evaluator."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrictui.core.authoring import publish_problems
from rubrictui.core.evidence import check_evidence
from rubrictui.core.model import Outcome, ScaleType, ScoreResult
from rubrictui.core.records import Subject
from rubrictui.core.score_of_record import record_in
from rubrictui.core.scoring import compute
from rubrictui.evaluators.base import EvaluatorContext
from rubrictui.evaluators.content import stored_content
from rubrictui.evaluators.errors import EvaluatorError
from rubrictui.evaluators.matter import MatterEvaluator
from rubrictui.evaluators.matter_answers import matter_answers, matter_record
from rubrictui.evaluators.matter_rubric import matter_rubric, part_points
from rubrictui.evaluators.matter_work import work_subject
from rubrictui.evaluators.registry import registry
from rubrictui.evaluators.settings import EvaluatorSettings
from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters import Matter, read_actions
from rubrictui.matters.replay import replay
from rubrictui.sample_data import matter_folders

FOLDERS = {folder.name: folder for folder in matter_folders()}
MATTERS = {name: Matter.from_directory(folder) for name, folder in FOLDERS.items()}
EPISODES = json.loads(
    (Path(__file__).parent.parent / "vectors" / "matters" / "episodes.json").read_text(encoding="utf-8")
)
WORKED = sorted(
    (name, file.stem) for name, folder in FOLDERS.items() for file in folder.glob("trajectories/*")
)


def actions_of(name: str, trajectory: str) -> list[dict[str, Any]]:
    (file,) = FOLDERS[name].glob(f"trajectories/{trajectory}.*")
    return read_actions(file)


def scored(matter: Matter, actions: list[Any]) -> tuple[ScoreResult, dict[str, Any], dict[str, Any], Subject]:
    result = replay(matter, actions)
    version = matter_rubric(matter).version
    work = work_subject(matter, actions, result, record_id="w")
    answers, unanswered = matter_answers(matter, result, version, work.text)
    assert not unanswered
    assert [p for a in answers for e in a.evidence if (p := check_evidence(work, e))] == []
    return compute(version, answers), matter_record(matter, result), result, work


# -- the rubric ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FOLDERS)
def test_a_matters_rubric_publishes_without_a_word(name: str) -> None:
    assert publish_problems(matter_rubric(MATTERS[name]).version) == ()


@pytest.mark.parametrize("name", FOLDERS)
def test_weights_are_the_points_and_add_up_to_the_greatest_score(name: str) -> None:
    matter = MATTERS[name]
    version = matter_rubric(matter).version
    leaves = [node for node in version.nodes if node.is_criterion]
    assert sum(node.weight for node in leaves) == pytest.approx(matter.max_score)
    for group in (node for node in version.nodes if not node.is_criterion):
        assert group.weight == pytest.approx(sum(n.weight for n in leaves if n.parent_id == group.id))


def test_there_is_a_criterion_for_everything_that_earns_points() -> None:
    version = matter_rubric(MATTERS["supply-negotiation"]).version
    keys = [node.key for node in version.nodes if node.is_criterion]
    assert [sum(key.startswith(kind) for key in keys) for kind in ("question.", "escalation.", "issue.")] == [
        4,
        2,
        7,
    ]
    assert [sum(key.startswith(kind) for key in keys) for kind in ("redline.", "settlement.")] == [3, 5]
    assert keys[-2:] == ["final_submission", "critical_failure"]
    gate = version.nodes[-1]
    assert (gate.is_gate, gate.gate_minimum_score, gate.weight) == (True, 1, 0)


def test_what_is_done_or_not_is_answered_by_a_level_and_shares_by_points() -> None:
    version = matter_rubric(MATTERS["saas-agreement"]).version
    scales = {scale.id: scale for scale in version.scales}
    of = {node.key: scales[node.scale_id or ""] for node in version.nodes if node.is_criterion}
    assert [level.label for level in of["question.q_go_live"].levels] == ["Not asked", "Asked"]
    assert of["issue.exit"].scale_type is ScaleType.NUMERIC
    assert (of["issue.exit"].min_value, of["issue.exit"].max_value) == (0, 2.25)


@pytest.mark.parametrize("name", FOLDERS)
def test_reviewers_read_nothing_of_the_answer_key(name: str) -> None:
    matter = MATTERS[name]
    version = matter_rubric(matter).version
    shown = json.dumps(
        [[n.name, n.description, n.guidance, [a.descriptor for a in n.anchors]] for n in version.nodes]
    ).casefold()
    facts = matter.hidden_facts
    secrets = [*facts.client_answers.values(), *facts.escalation_answers.values()]
    for issue in matter.rubric.issues:
        secrets += [gate.pattern for gate in issue.critical_failure_patterns]
        secrets += [text for text in issue.required_citations if text != issue.anchor]
        secrets += [text for text in issue.required_concepts if len(text) > 8]
    # An id is what a criterion is called, and its author chose it.
    named = [one.id for one in matter.rubric.questions] + [one.id for one in matter.rubric.issues]
    ids = " ".join(named).replace("_", " ")
    secrets = [text for text in secrets if text not in ids]
    assert len(secrets) > 2
    assert [text for text in secrets if text.casefold() in shown] == []


def test_the_same_matter_gives_the_same_rubric_and_a_changed_one_its_next_version() -> None:
    first, again = (
        matter_rubric(MATTERS["clean-nda"]),
        matter_rubric(Matter.from_directory(FOLDERS["clean-nda"])),
    )
    assert first == again
    changed = copy.deepcopy(small())
    changed["rubric"]["questions"][0]["points"] = 0.75
    old, new = matter_rubric(Matter.from_dict(small())), matter_rubric(Matter.from_dict(changed))
    assert (old.id, old.name) == (new.id, new.name)
    assert old.version.id != new.version.id
    assert old.content_hash != new.content_hash
    assert [node.key for node in old.version.nodes] == [node.key for node in new.version.nodes]
    assert not {node.id for node in old.version.nodes} & {node.id for node in new.version.nodes}


def test_a_changed_document_is_another_matter_too() -> None:
    changed = small()
    changed["documents"]["nda"] += "\nOne more line."
    assert (
        matter_rubric(Matter.from_dict(changed)).content_hash
        != matter_rubric(Matter.from_dict(small())).content_hash
    )


def test_a_matter_without_an_id_has_no_rubric() -> None:
    nameless = small()
    nameless["matter"]["matter_id"] = " "
    with pytest.raises(InvalidInputError, match="matter_id"):
        matter_rubric(Matter.from_dict(nameless))


def test_an_id_too_long_for_a_key_is_cut_and_stays_its_own() -> None:
    long = small()
    for mark in "ab":
        long["rubric"]["questions"].append({"id": "q" * 150 + mark, "concepts": [f"word {mark}"]})
    keys = [node.key for node in matter_rubric(Matter.from_dict(long)).version.nodes]
    assert max(map(len, keys)) == 100
    assert len(set(keys)) == len(keys)


def small() -> dict[str, Any]:
    return {
        "matter": {
            "matter_id": "small",
            "title": "Small",
            "constraints": {"maximum_steps": 9, "maximum_client_questions": 3},
            "documents": [{"id": "nda", "title": "NDA", "path": "documents/nda.md"}],
        },
        "rubric": {
            "questions": [{"id": "q_term", "concepts": ["term"]}],
            "issues": [
                {"id": "term", "anchor": "nda §1", "severity": "low", "required_citations": ["nda §1"]}
            ],
        },
        "hidden_facts": {"client_answers": {"q_term": "Two years."}},
        "documents": {"nda": "## 1 Term\nThis agreement lasts for ever and a day.\n"},
    }


# -- answers and the score of record -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "trajectory"), WORKED)
def test_the_mapped_score_is_what_was_earned_of_the_greatest_score(name: str, trajectory: str) -> None:
    matter = MATTERS[name]
    result, record, episode, _ = scored(matter, actions_of(name, trajectory))
    assert result.normalized_score == pytest.approx(record["EarnedPoints"] / matter.max_score, abs=1e-5)
    assert (result.outcome is Outcome.GATE_FAILED) is episode["critical_failure"]
    assert result.completeness == 1


@pytest.mark.parametrize("case", EPISODES, ids=lambda case: str(case["id"]))
def test_in_every_conformance_case_earned_points_and_penalties_are_the_raw_score(
    case: dict[str, Any],
) -> None:
    matter = Matter.from_dict(case["matter"])
    result = replay(matter, case["actions"], seed=case.get("seed", 0))
    record = matter_record(matter, result)
    assert record["EarnedPoints"] + record["PenaltyPoints"] == pytest.approx(record["RawScore"], abs=1e-4)
    assert record["PenaltyPoints"] <= 0
    assert record["NormalizedScore"] == result["normalized_score"]
    if part_points(matter) and matter.matter_id:
        version = matter_rubric(matter).version
        mapped = compute(version, matter_answers(matter, result, version)[0])
        expected = record["EarnedPoints"] / matter.derived_max_score
        assert mapped.normalized_score == pytest.approx(min(max(expected, 0), 1), abs=1e-4)


def test_the_associates_penalties_have_no_criterion_and_stay_in_the_record() -> None:
    result, record, _, _ = scored(MATTERS["saas-agreement"], actions_of("saas-agreement", "associate"))
    assert result.normalized_score == round(13.5 / 26, 6)
    assert (record["NormalizedScore"], record["RawScore"], record["PenaltyPoints"]) == (0.4962, 12.9, -0.6)
    assert [(one["Event"], one["Points"]) for one in record["Penalties"]] == [
        ("off_rubric_question", -0.1),
        ("unsupported_issue", -0.5),
    ]


def test_the_trap_fails_the_gate_and_the_record_keeps_the_cap_without_the_pattern() -> None:
    matter = MATTERS["supply-negotiation"]
    result, record, episode, _ = scored(matter, actions_of("supply-negotiation", "trap-taken"))
    assert result.outcome is Outcome.GATE_FAILED
    kept = record_in({"Evaluator": {"Matter": record}})
    assert kept is not None
    assert (kept.normalized_score, kept.critical_failure, kept.cap) == (0.25, True, 0.25)
    patterns = [reason["pattern"] for reason in episode["critical_reasons"] if "pattern" in reason]
    assert patterns
    assert not any(pattern in json.dumps(record) for pattern in patterns)


def test_a_verified_and_an_invented_quote_are_told_apart() -> None:
    matter = Matter.from_dict(small())
    issue = {
        "type": "submit_issue", "issue_id": "x", "title": "Term", "severity": "low", "citations": ["nda §1"],
        "analysis": "It never ends.", "recommendation": "End it.",
        "quotes": [{"citation": "nda §1", "text": "lasts for ever and a day"},
                   {"citation": "nda §1", "text": "may never be terminated"}],
    }  # fmt: skip
    result, record, _, _ = scored(matter, [{"type": "read_document", "document_id": "nda"}, issue])
    assert record["PenaltyPoints"] == -1
    assert {node.key: node.normalized_score for node in result.nodes}["issue.term"] == round(1.75 / 2.25, 6)
    assert result.outcome is Outcome.GATE_FAILED


def test_a_rationale_counts_what_is_missing_and_names_only_what_is_there() -> None:
    matter = MATTERS["saas-agreement"]
    version = matter_rubric(matter).version
    result = replay(matter, actions_of("saas-agreement", "associate"))
    said = {a.criterion_id: a.rationale or "" for a in matter_answers(matter, result, version)[0]}
    (issue,) = [node for node in version.nodes if node.key == "issue.data_use"]
    assert "concepts 0.3333, 2 of 3 (train, perpetual)" in said[issue.id]
    assert "consent" not in said[issue.id]
    assert "critical" not in said[issue.id]


# -- the work ------------------------------------------------------------------------------------------------


def test_the_work_reads_as_what_was_written_with_revisions_in_place() -> None:
    matter = Matter.from_dict(small())
    issue = {
        "type": "submit_issue", "issue_id": 7, "title": "First", "severity": "low", "citations": ["nda §1"],
        "analysis": "Old words.", "recommendation": "R.",
    }  # fmt: skip
    actions = [
        {"type": "read_document", "document_id": "nda"},
        issue,
        {**issue, "issue_id": "8", "title": "Second"},
        {**issue, "type": "revise_issue", "issue_id": "7", "title": "Revised", "analysis": "New words."},
        {**issue, "title": 5},
        {"type": "ask_client", "question": "What term do you want?"},
        {"type": "submit_final", "summary": "Do not sign."},
    ]
    text = scored(matter, actions)[3].text
    assert text.index("Do not sign.") < text.index("### Revised") < text.index("### Second")
    assert "New words." in text
    assert "### First" not in text
    assert "- What term do you want?" in text
    assert "Two years." not in text


def test_work_without_a_submission_says_so() -> None:
    matter = Matter.from_dict(small())
    assert (
        "Nothing was submitted." in scored(matter, [{"type": "nonsense"}, {"type": "read_document"}])[3].text
    )


# -- the evaluator -------------------------------------------------------------------------------------------


def run(name: str, data: dict[str, Any] | None, settings: EvaluatorSettings | None = None) -> Any:
    version = matter_rubric(MATTERS[name]).version
    made = registry.create("matter")
    content = stored_content(Subject(record_id="w", data=data))
    chosen = settings or EvaluatorSettings()
    made.check(version, chosen)
    return asyncio.run(made.evaluate(EvaluatorContext(version=version, content=content, settings=chosen)))


def test_the_evaluator_is_found_by_name_and_scores_the_actions_in_the_data() -> None:
    found = run("saas-agreement", {"actions": actions_of("saas-agreement", "reference")})
    assert found.result.normalized_score == 1
    assert found.metadata["Matter"]["NormalizedScore"] == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "holds no list"),
        ({"actions": []}, "holds no list"),
        ({"actions": {"type": "submit_final"}}, "holds no list"),
        ({"actions": [{"type": "submit_final"}, 3]}, "Action 2 of the subject is no object"),
    ],
    ids=["no data", "no action", "no list", "no object"],
)
def test_data_without_actions_is_refused(data: dict[str, Any] | None, said: str) -> None:
    with pytest.raises(EvaluatorError, match=said):
        run("clean-nda", data)


def test_a_rubric_made_from_no_matter_is_refused() -> None:
    version = matter_rubric(MATTERS["clean-nda"]).version
    with pytest.raises(EvaluatorError, match="was not made from a matter"):
        MatterEvaluator().check(_with(version, nodes=version.nodes[:-1]), EvaluatorSettings())


def test_a_matter_that_is_not_shipped_is_found_by_the_folder_in_the_settings(
    tmp_path: Path, write_small: Callable[[Path], Path]
) -> None:
    folder = write_small(tmp_path)
    version = matter_rubric(Matter.from_directory(folder)).version
    settings = EvaluatorSettings(extensions={"matter": {"Directory": str(folder)}})
    MatterEvaluator().check(version, settings)
    with pytest.raises(EvaluatorError, match="is not among the shipped ones"):
        MatterEvaluator().check(version, EvaluatorSettings())
    (folder / "documents" / "nda.md").write_text("## 1 Term\nIt lasts a year.\n", encoding="utf-8")
    with pytest.raises(EvaluatorError, match="is not as it was"):
        MatterEvaluator().check(version, settings)


@pytest.fixture
def write_small() -> Callable[[Path], Path]:
    """Writes ``small`` as files; JSON is YAML."""

    def write(folder: Path) -> Path:
        matter = small()
        (folder / "documents").mkdir()
        for name in ("matter", "rubric", "hidden_facts"):
            (folder / f"{name}.yaml").write_text(json.dumps(matter[name]), encoding="utf-8")
        for name, text in matter["documents"].items():
            (folder / "documents" / f"{name}.md").write_text(text, encoding="utf-8")
        return folder

    return write


def _with(version: Any, **changed: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(version, **changed)
