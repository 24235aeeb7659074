"""Rules answer criteria from the subject's data; what they leave open is listed with why."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from rubrictui.core.batch import OUTCOMES
from rubrictui.core.errors import ScoringError
from rubrictui.core.model import Level, Node, NodeType, NotApplicablePolicy, Scale, ScaleType, VersionSnapshot
from rubrictui.core.scoring import compute
from rubrictui.evaluators.base import EvaluatorContext, EvaluatorRun, SubjectContent
from rubrictui.evaluators.deterministic import DeterministicEvaluator, RuleSet
from rubrictui.evaluators.errors import EvaluatorError

CHECKED = Scale(
    id="s", name="Checked",
    levels=(Level(id="no", label="No"), Level(id="yes", label="Yes", normalized_value=1.0, sequence=1)),
)  # fmt: skip
WEEKS = Scale(id="w", name="Weeks", scale_type=ScaleType.NUMERIC, min_value=0, max_value=10)


def rule(path: str, operator: str, *values: Any, **more: Any) -> dict[str, Any]:
    written = {"Path": path, "Operator": operator, "Values": list(values), "LevelWhenTrue": "Yes"}
    return {"Deterministic": {**written, "LevelWhenFalse": "No", **more}}


def criterion(key: str, config: dict[str, Any] | None = None, **more: Any) -> Node:
    return Node(**{"id": f"n-{key}", "key": key, "scale_id": "s", "evaluator_config": config, **more})


VERSION = VersionSnapshot(
    nodes=(
        criterion("certified", rule("certificates", "contains", "ISO 27001")),
        Node(id="g", key="group", node_type=NodeType.GROUP, evaluator_config=rule("x", "exists")),
        criterion("quick", rule("bids.0.weeks", "lte", 8), parent_id="g", evidence_required=True),
        criterion(
            "insured", rule("insurance.sum", "gte", 1000, NotApplicableWhenMissing=True), parent_id="g"
        ),
        criterion("read by a person", parent_id="g"),
        criterion("unsaid", rule("a", "exists", LevelWhenFalse=None)),
        criterion("off the scale", rule("a", "exists", LevelWhenFalse="Perhaps")),
        criterion("weeks", rule("a", "exists", LevelWhenFalse="2.5"), scale_id="w"),
    ),
    scales=(CHECKED, WEEKS),
)
DATA = {"certificates": ["ISO 9001", "ISO 27001"], "bids": [{"weeks": 9}]}


def run(version: VersionSnapshot, data: Any) -> EvaluatorRun:
    context = EvaluatorContext(
        version=version, content=SubjectContent(entity="Bid", record_id="1", data=data)
    )
    return asyncio.run(DeterministicEvaluator().evaluate(context))


def test_each_rule_answers_its_criterion_and_the_rest_is_listed() -> None:
    found = run(VERSION, DATA)
    said = {answer.criterion_id: answer for answer in found.answers}
    assert {id: (a.scale_level_id, a.raw_value, a.is_not_applicable) for id, a in said.items()} == {
        "n-certified": ("yes", None, False),
        "n-quick": ("no", None, False),
        "n-insured": (None, None, True),
        "n-weeks": (None, 2.5, False),
    }
    assert said["n-certified"].rationale == "Deterministic certificates"
    assert said["n-insured"].rationale == "Deterministic insurance.sum is missing"
    assert found.unanswered == {
        "read by a person": "no rule",
        "unsaid": "the rule names no level for this result",
        "off the scale": "the rule's level is not on the scale",
    }
    assert found.result is not None
    assert found.result.completeness < 1


def test_a_criterion_that_wants_evidence_is_shown_what_the_rule_has_seen() -> None:
    (answer,) = (a for a in run(VERSION, DATA).answers if a.criterion_id == "n-quick")
    assert [(item.kind, item.text) for item in answer.evidence] == [("note", "bids.0.weeks = 9")]
    (answer,) = (a for a in run(VERSION, {}).answers if a.criterion_id == "n-quick")
    assert answer.evidence[0].text == "bids.0.weeks is missing"


def test_a_subject_without_data_is_judged_as_one_in_which_everything_is_missing() -> None:
    said = {answer.criterion_id: answer.scale_level_id for answer in run(VERSION, None).answers}
    assert said["n-certified"] == "no"
    assert run(VERSION, None) == run(VERSION, {})


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (rule("a", "resembles", 1), r'rule of "Certified" cannot run: Unknown operator'),
        (rule("a", "between", 1), "two values"),
        (rule("a", "matches", "("), "not a regular expression"),
        ({"Deterministic": {"Paht": "a"}}, "Unknown key"),
        ({"Deterministic": []}, "is an object"),
        (rule("text", "matches", r"(a|aa|b?)+$"), "took longer"),
    ],
)
def test_a_rule_that_cannot_run_names_its_criterion(
    config: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrictui.core.deterministic.PATTERN_TIME_LIMIT", 0.05)
    node = criterion("certified", config, name="Certified")
    version = msgspec.structs.replace(VERSION, nodes=(node,))
    with pytest.raises(EvaluatorError, match=words):
        run(version, {"text": "a" * 5000 + "c"})


def test_a_not_applicable_answer_that_is_not_allowed_fails_the_run() -> None:
    node = criterion(
        "insured",
        rule("sum", "exists", NotApplicableWhenMissing=True),
        not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED,
    )
    with pytest.raises(ScoringError):
        run(msgspec.structs.replace(VERSION, nodes=(node,)), {})


def test_rules_made_ready_once_answer_for_any_number_of_subjects() -> None:
    ready = RuleSet(VERSION)
    for data in (DATA, {}, {"insurance": {"sum": 2000}}, None, []):
        answers, unanswered = ready.answers(data)
        once = run(VERSION, data)
        assert (tuple(answers), unanswered) == (once.answers, once.unanswered)


def test_many_subjects_scored_at_once_score_as_one_by_one() -> None:
    many = [
        DATA,
        {},
        None,
        {"a": 1, "bids": [{"weeks": 2}]},
        {"insurance": {"sum": 2000}, "certificates": []},
    ]
    batch = RuleSet(VERSION).scores(many, pass_threshold=0.5)
    for place, data in enumerate(many):
        alone = compute(VERSION, RuleSet(VERSION).answers(data)[0], pass_threshold=0.5)
        assert batch.overall[place] == alone.normalized_score
        assert batch.completeness[place] == alone.completeness
        assert OUTCOMES[batch.outcome[place]] is alone.outcome
    assert len(set(batch.overall.tolist())) > 2
