"""A score of record is read out of metadata that may come from anywhere."""

from __future__ import annotations

from typing import Any

import pytest

from rubrictui.core.model import Outcome
from rubrictui.core.records import Evaluation, EvaluatorType
from rubrictui.core.score_of_record import ScoreOfRecord, record_in, score_of_record

KEPT = {
    "NormalizedScore": 0.25,
    "RawScore": 23.6667,
    "MaximumScore": 28.5,
    "PenaltyPoints": -0.2,
    "CriticalFailure": True,
    "Cap": 0.25,
}


def metadata(**changed: Any) -> dict[str, Any]:
    return {"Evaluator": {"Matter": {**KEPT, **changed}}}


def evaluation(**changed: Any) -> Evaluation:
    fields: dict[str, Any] = {
        "id": "e",
        "rubric_id": "r",
        "rubric_name": "R",
        "version_id": "v",
        "version_number": "1.0.0",
        "major_version": 1,
        "subject_id": "s",
        "subject_title": "S",
        "evaluator_user_id": "u",
        "evaluator_type": EvaluatorType.DETERMINISTIC,
        "outcome": Outcome.SCORED,
        "metadata": metadata(),
    }
    return Evaluation(**fields | changed)


def test_what_a_matters_rules_kept_is_read_and_told_on_one_line() -> None:
    record = score_of_record(evaluation())
    assert record == ScoreOfRecord(
        normalized_score=0.25,
        raw_score=23.6667,
        max_score=28.5,
        penalties=-0.2,
        critical_failure=True,
        cap=0.25,
    )
    assert record.words == "0.25 (23.6667 of 28.5 points, penalties -0.2, critical failure, capped at 0.25)"


@pytest.mark.parametrize(
    "changed",
    [
        {"evaluator_type": EvaluatorType.HUMAN},
        {"outcome": None},
        {"metadata": None},
    ],
    ids=["a person's", "hidden or unfinished", "without metadata"],
)
def test_only_a_finished_evaluation_by_rules_has_one(changed: dict[str, Any]) -> None:
    assert score_of_record(evaluation(**changed)) is None


@pytest.mark.parametrize(
    "hostile",
    [
        {},
        {"Evaluator": []},
        {"Evaluator": {"Matter": "0.9"}},
        metadata(NormalizedScore=True),
        metadata(NormalizedScore="0.9"),
        metadata(NormalizedScore=1.5),
        metadata(RawScore=None),
        metadata(RawScore=float("nan")),
        metadata(MaximumScore=10**400),
    ],
    ids=str,
)
def test_what_is_no_score_is_none(hostile: dict[str, Any]) -> None:
    assert record_in(hostile) is None
