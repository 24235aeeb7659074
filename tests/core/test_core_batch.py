"""Batches give what ``compute`` gives, one by one, to the last digit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from core_strategies import Dice, dice, make_answers, make_version, quick
from hypothesis import given

from rubrictui.core import batch as batches
from rubrictui.core.batch import (
    NOT_APPLICABLE,
    OUTCOMES,
    AnswerCodes,
    BatchScores,
    batch,
    encode,
    encode_columns,
    score_codes,
)
from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.model import (
    Answer,
    Band,
    Level,
    Node,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    ScoreResult,
    VersionSnapshot,
)
from rubrictui.core.scoring import compute

WORDS = Scale(
    id="words",
    levels=tuple(Level(id=f"w{n}", label=str(n), value=n, normalized_value=n / 4) for n in range(5)),
)
PERCENT = Scale(id="percent", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100)
PAIR = VersionSnapshot(
    nodes=(
        Node(id="1", key="words", scale_id="words", weight=3),
        Node(
            id="2", key="percent", scale_id="percent", not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED
        ),
    ),
    scales=(WORDS, PERCENT),
)


def or_none(number: float) -> float | None:
    return None if math.isnan(number) else number


def assert_same(version: VersionSnapshot, scores: BatchScores, results: list[ScoreResult]) -> None:
    for at, result in enumerate(results):
        band = None if scores.band[at] < 0 else version.bands[scores.band[at]].id
        assert or_none(scores.overall[at]) == result.normalized_score
        assert scores.completeness[at] == result.completeness
        assert OUTCOMES[scores.outcome[at]] is result.outcome
        assert {1: True, 0: False, -1: None}[int(scores.passed[at])] is result.passed
        assert bool(scores.gate_failed[at]) is result.gate_failed
        assert band == result.band_id
        assert scores.pass_threshold_applied == result.pass_threshold_applied
        if scores.node_scores is not None:
            assert [or_none(score) for score in scores.node_scores[:, at]] == [
                node.normalized_score for node in result.nodes
            ]


@quick
@given(dice)
def test_arrays_equal_one_by_one_exactly(dice: Dice) -> None:
    version = make_version(dice)
    sets = [make_answers(dice, version) for _ in range(6)]
    threshold = dice.choose((None, 0, 0.6))
    results = [compute(version, answers, pass_threshold=threshold) for answers in sets]
    coded = encode(version, sets)
    assert_same(version, score_codes(version, coded, pass_threshold=threshold, node_scores=True), results)
    assert batch(version, sets, pass_threshold=threshold) == results


@quick
@given(dice)
def test_columns_equal_one_by_one_exactly(dice: Dice) -> None:
    version = make_version(dice)
    sets = [make_answers(dice, version) for _ in range(4)]
    columns: dict[str, list[float]] = {}
    for node in version.nodes:
        if node.is_criterion:
            column = columns.setdefault(node.key, [])
            scale = next(scale for scale in version.scales if scale.id == node.scale_id)
            places = {level.id: place for place, level in enumerate(scale.levels)}
            for answers in sets:
                answer = next((a for a in answers if a.criterion_id == node.id), Answer(criterion_id=node.id))
                if answer.is_not_applicable:
                    column.append(NOT_APPLICABLE)
                elif answer.scale_level_id is not None:
                    column.append(places[answer.scale_level_id])
                else:
                    column.append(math.nan if answer.raw_value is None else answer.raw_value)
    if columns:
        scores = score_codes(version, encode_columns(version, columns), node_scores=True)
        assert_same(version, scores, batch(version, sets))


def test_the_seams_between_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    columns = {"words": rng.integers(0, 5, 50).astype(float), "percent": rng.random(50) * 100}
    columns["words"][20:30] = math.nan
    columns["words"][30:35] = NOT_APPLICABLE
    coded = encode_columns(PAIR, columns)
    whole = score_codes(PAIR, coded, node_scores=True)
    monkeypatch.setattr(batches, "_CHUNK", 7)
    parts = score_codes(PAIR, coded, node_scores=True)
    for name in ("overall", "completeness", "outcome", "passed", "gate_failed", "band", "node_scores"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


def test_no_answer_sets_give_empty_arrays() -> None:
    for coded in (encode(PAIR, []), encode_columns(PAIR, {}), encode_columns(PAIR, {"words": []})):
        scores = score_codes(PAIR, coded, node_scores=True)
        assert len(scores.overall) == len(coded) == 0
        assert scores.node_scores is not None
        assert scores.node_scores.shape == (2, 0)


def test_a_version_without_criteria_scores_nothing_any_number_of_times() -> None:
    scores = score_codes(VersionSnapshot(), encode(VersionSnapshot(), [[], []]))
    assert np.isnan(scores.overall).tolist() == [True, True]
    assert scores.completeness.tolist() == [1, 1]


def test_many_different_answers_need_wider_codes_and_stay_exact() -> None:
    values = np.linspace(0, 100, 3000)
    coded = encode_columns(PAIR, {"percent": values, "words": np.full(3000, 2.0)})
    assert coded.codes.dtype == np.uint16
    scores = score_codes(PAIR, coded)
    for at in range(0, 3000, 97):
        answers = [
            Answer(criterion_id="1", scale_level_id="w2"),
            Answer(criterion_id="2", raw_value=float(values[at])),
        ]
        assert scores.overall[at] == compute(PAIR, answers).normalized_score


@pytest.mark.parametrize("make", [encode, batch])
def test_an_illegal_answer_is_named_with_its_set(make: object) -> None:
    sets = [
        [Answer(criterion_id="1", scale_level_id="w0")],
        [Answer(criterion_id="2", raw_value=101), Answer(criterion_id="1", raw_value=1)],
    ]
    with pytest.raises(ScoringError) as caught:
        make(PAIR, sets)  # type: ignore[operator]
    assert (caught.value.kind, caught.value.key) == ("not_on_level", "words")
    assert caught.value.message.startswith("Answer set 2: words: ")


def test_the_first_illegal_answer_of_a_column_is_named_with_its_set() -> None:
    columns = {"words": [0, 1, 2, 3], "percent": [5, 7, NOT_APPLICABLE, 300]}
    with pytest.raises(ScoringError) as caught:
        encode_columns(PAIR, columns)
    assert (caught.value.kind, caught.value.key) == ("not_applicable_not_allowed", "percent")
    assert "set 3" in caught.value.message


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"words": [0, 1], "percent": [3]}, "differ in length"),
        ({"words": [[0]]}, "differ in length"),
        ({"nobody": [0]}, 'key "nobody"'),
        ({"words": [5]}, "not the place of a level"),
        ({"words": [0.5]}, "not the place of a level"),
        ({"words": [-1]}, "not the place of a level"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns: dict[str, list[float]], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        encode_columns(PAIR, columns)


def test_codes_of_another_version_are_refused() -> None:
    other = VersionSnapshot(nodes=PAIR.nodes[:1], scales=PAIR.scales, bands=(Band(id="b", label="B"),))
    with pytest.raises(InvalidInputError, match="another version"):
        score_codes(other, encode(PAIR, [[]]))


def test_one_code_of_a_book_stands_for_one_reading_however_often_it_occurs() -> None:
    answers = [Answer(criterion_id="1", scale_level_id="w4"), Answer(criterion_id="2")]
    coded = encode(PAIR, [answers] * 500)
    assert isinstance(coded, AnswerCodes)
    assert [len(book) for book in coded.books] == [2, 1]
    assert coded.codes.dtype == np.uint8
