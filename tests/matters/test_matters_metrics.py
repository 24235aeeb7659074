"""Metrics say how an episode went, and over many how sure one may be of the mean."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.loading import Matter
from rubrictui.matters.metrics import MEASURES, EpisodeRow, episode_metrics, episode_row, measures
from rubrictui.matters.metrics_aggregate import aggregate

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "matters" / "episodes.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_metrics_of_an_episode_are_those_of_the_case(case: dict[str, Any]) -> None:
    expected = case["expected"]
    found = msgspec.structs.asdict(episode_metrics(Matter.from_dict(case["matter"]), expected))
    assert found == pytest.approx(expected["metrics"], abs=1e-4)


def result(**changes: Any) -> dict[str, Any]:
    """A result of a case with its metrics, as it is read back from JSON."""
    return {**CASES[0]["expected"], "matter_id": "ferry", **changes}


def row(**changes: Any) -> EpisodeRow:
    return episode_row(result(**changes), name="one")


def test_a_result_with_metrics_needs_no_matter() -> None:
    with_matter = episode_row(CASES[0]["expected"], name="one", matter=Matter.from_dict(CASES[0]["matter"]))
    assert measures(row()) == pytest.approx(measures(with_matter), abs=1e-6)
    assert row().matter_id == "ferry"
    assert tuple(measures(row())) == MEASURES


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"metrics": {}}, "missing required field"),
        ({"metrics": None}, "got `null`"),
        ({"raw_score": "much"}, "raw_score"),
    ],
)
def test_a_result_that_is_none_is_refused_by_name(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        row(**changes)
    assert str(caught.value).startswith("one is no result of an episode: ")
    assert told in str(caught.value)


def test_a_result_without_metrics_asks_for_them_or_for_its_matter() -> None:
    without = {key: value for key, value in result().items() if key != "metrics"}
    with pytest.raises(InvalidInputError, match=r"'metrics' is missing.*--matter"):
        episode_row(without, name="one")


def test_a_result_of_another_matter_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="one is a result of the matter ferry, not of ferry_happy_02"):
        episode_row(result(), name="one", matter=Matter.from_dict(CASES[0]["matter"]))


def test_means_rates_and_their_intervals() -> None:
    rows = [
        row(normalized_score=share, critical_failure=share < 0.5, terminated=share > 0) for share in (0, 1)
    ]
    found = {measure.name: measure for measure in aggregate(rows * 50, seed=4).measures}
    assert found["normalized_score"].mean == 0.5
    assert found["critical_failure_rate"].mean == found["critical_free_rate"].mean == 0.5
    assert found["completion_rate"].mean == 0.5
    # The mean of 100 coin throws lies within 1.96 standard errors of 0.05 in 95 of 100 cases.
    low, high = found["normalized_score"].low, found["normalized_score"].high
    assert low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.015)
    assert high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.015)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    rows = [row(raw_score=math.sqrt(number)) for number in range(30)]

    def ends(seed: int) -> tuple[float | None, float | None]:
        measure = aggregate(rows, seed=seed).measures[1]
        assert measure.name == "raw_score"
        return measure.low, measure.high

    assert ends(1) == ends(1) != ends(2)


def test_episodes_that_are_all_alike_leave_no_doubt() -> None:
    measure = aggregate([row(normalized_score=0.75)] * 3).measures[0]
    assert (measure.mean, measure.low, measure.high) == pytest.approx((0.75, 0.75, 0.75))


def test_one_episode_has_a_mean_and_no_interval() -> None:
    found = aggregate([row(normalized_score=0.75)])
    assert (found.episodes, found.measures[0].mean) == (1, 0.75)
    assert (found.measures[0].low, found.measures[0].high) == (None, None)
    assert aggregate([]).measures == ()
