"""What ``compute`` and its companions say, and what they refuse."""

from __future__ import annotations

import gc
import json
import threading
import weakref
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rubrictui.core import plan as plans
from rubrictui.core import plan_parts
from rubrictui.core.errors import InvalidInputError, ScoringError
from rubrictui.core.explain import overall_score
from rubrictui.core.loading import answers_from_json, to_json, version_from_json
from rubrictui.core.model import (
    Answer,
    Band,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    Outcome,
    RollupMethod,
    Scale,
    ScaleType,
    ScoreResult,
    VersionSnapshot,
)
from rubrictui.core.rounding import round6
from rubrictui.core.scoring import (
    SCORING_ENGINE_VERSION,
    band_of,
    check_answer,
    compute,
    display_score,
    effective_na_policy,
    explain_outcome,
    unknown_answers,
)

VECTORS = Path(__file__).parents[1] / "vectors" / "rubrics" / "scoring.json"

WORDS = Scale(
    id="words",
    levels=(
        Level(id="miss", label="Miss", value=0, normalized_value=0),
        Level(id="partial", label="Partial", value=1, normalized_value=0.5),
        Level(id="meets", label="Meets", value=2, normalized_value=1),
    ),
)
BUDGET = Scale(id="money", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100, step=0.5)


def leaf(key: str, **fields: Any) -> Node:
    return Node(**{"id": key, "key": key, "name": key.title(), "scale_id": "words", **fields})


def group(key: str, **fields: Any) -> Node:
    return Node(id=key, key=key, name=key.title(), node_type=NodeType.GROUP, **fields)


def version(*nodes: Node, **fields: Any) -> VersionSnapshot:
    return VersionSnapshot(nodes=nodes, scales=(WORDS, BUDGET), **fields)


def level(key: str, level_id: str, **fields: Any) -> Answer:
    return Answer(criterion_id=key, scale_level_id=level_id, **fields)


def value(key: str, raw: float | None) -> Answer:
    return Answer(criterion_id=key, raw_value=raw)


def not_applicable(key: str) -> Answer:
    return Answer(criterion_id=key, is_not_applicable=True)


# --- The conformance vectors -----------------------------------------------------------------------------


def run_vector(vector: dict[str, Any]) -> Any:
    snapshot, answers = version_from_json(vector["version"]), answers_from_json(vector["answers"])
    try:
        result = compute(snapshot, answers, pass_threshold=vector.get("pass_threshold_override"))
        again = compute(snapshot, reversed(answers), pass_threshold=vector.get("pass_threshold_override"))
    except ScoringError as error:
        return {"error_kind": error.kind, "error_key": error.key}
    if len({answer.criterion_id.strip().casefold() for answer in answers}) == len(answers):
        assert again == result
    return json.loads(to_json(result))


def test_every_vector_gives_exactly_its_result_or_its_error() -> None:
    vectors = json.loads(VECTORS.read_bytes())
    assert len(vectors) == 900
    wrong = []
    for vector in vectors:
        expected = vector.get("expected")
        if vector.get("error"):
            expected = {"error_kind": vector["error_kind"], "error_key": vector["error_key"]}
        if run_vector(vector) != expected:
            wrong.append(vector["id"])
    assert wrong == []


def test_the_engine_version_is_1() -> None:
    assert SCORING_ENGINE_VERSION == "1"


@pytest.mark.parametrize(
    ("exact", "rounded"),
    [
        (0.0078125, 0.007813),
        (0.1234565, 0.123457),
        (0.1 + 0.2, 0.3),
        (0.9999995, 1),
        (0.9999994, 0.999999),
        (0, 0),
    ],
)
def test_scores_are_rounded_half_up_at_six_places(exact: float, rounded: float) -> None:
    assert round6(exact) == rounded


# --- Trees that publish would refuse ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("a parent that does not exist", [leaf("lost", parent_id="nowhere")]),
        ("a parent that is a criterion", [leaf("lost", parent_id="real")]),
        ("its own parent", [group("lost", parent_id="lost"), leaf("below", parent_id="lost")]),
        (
            "a circle of two",
            [group("one", parent_id="two"), group("two", parent_id="one"), leaf("x", parent_id="two")],
        ),
        ("an id that is taken", [leaf("lost", id=" REAL ")]),
    ],
)
def test_a_node_that_hangs_on_nothing_takes_no_part(name: str, nodes: list[Node]) -> None:
    result = compute(version(leaf("real"), *nodes), [level("real", "partial"), level("lost", "meets")])
    assert [node.key for node in result.nodes] == ["real"], name
    assert result.normalized_score == 0.5
    assert result.completeness == 1


def test_ten_thousand_levels_are_scored_without_recursion() -> None:
    deep = [group(f"g{n}", parent_id=f"g{n - 1}" if n else None, is_gate=n == 5) for n in range(10_000)]
    snapshot = version(*deep, leaf("leaf", parent_id="g9999"))
    result = compute(snapshot, [level("leaf", "partial")])
    assert result.normalized_score == 0.5
    assert len(result.nodes) == 10_001
    assert {node.overall_contribution for node in result.nodes} == {0.5}
    assert compute(snapshot, []).gate_failed


def test_an_empty_version_has_no_score_and_is_complete() -> None:
    result = compute(version(), [level("x", "meets")])
    assert (result.normalized_score, result.completeness, result.outcome) == (None, 1, Outcome.INCOMPLETE)
    assert result.nodes == ()


# --- Answers ---------------------------------------------------------------------------------------------


def test_answers_may_be_any_iterable_and_the_last_one_to_a_criterion_wins() -> None:
    answers = [level("a", "miss"), level(" A ", "meets")]
    assert compute(version(leaf("a")), (answer for answer in answers)).normalized_score == 1
    assert compute(version(leaf("a")), [*answers, Answer(criterion_id="a")]).completeness == 0


def test_an_illegal_answer_that_a_later_one_replaces_is_no_error() -> None:
    assert compute(version(leaf("a")), [value("a", 3), level("a", "meets")]).normalized_score == 1


def test_the_first_illegal_answer_in_walk_order_is_the_error_whatever_the_order_of_answers() -> None:
    snapshot = version(leaf("z", parent_id="g"), group("g"), leaf("a", is_advisory=True))
    with pytest.raises(ScoringError) as caught:
        compute(snapshot, [value("a", 1), value("z", 1)])
    assert caught.value.key == "z"
    with pytest.raises(ScoringError) as caught:
        compute(snapshot, [value("a", 1)])
    assert caught.value.key == "a"


@pytest.mark.parametrize("raw", [float("nan"), float("inf"), float("-inf"), -0.5, 100.5])
def test_what_is_no_number_in_the_range_is_out_of_range(raw: float) -> None:
    with pytest.raises(ScoringError) as caught:
        compute(version(leaf("budget", scale_id="money")), [value("budget", raw)])
    assert caught.value.kind == "out_of_range"


@pytest.mark.parametrize("bounds", [(-1e308, 1e308), (float("nan"), 1.0), (0.0, float("inf"))])
def test_a_range_that_cannot_be_computed_with_needs_a_numeric_value(bounds: tuple[float, float]) -> None:
    scale = Scale(id="wide", scale_type=ScaleType.NUMERIC, min_value=bounds[0], max_value=bounds[1])
    snapshot = VersionSnapshot(nodes=(leaf("a", scale_id="wide"),), scales=(scale,))
    with pytest.raises(ScoringError) as caught:
        compute(snapshot, [value("a", 0.5)])
    assert caught.value.kind == "needs_numeric_value"


def test_a_step_far_below_what_floats_can_tell_apart_is_always_met() -> None:
    scale = Scale(id="fine", scale_type=ScaleType.NUMERIC, min_value=0, max_value=1, step=5e-324)
    snapshot = VersionSnapshot(nodes=(leaf("a", scale_id="fine"),), scales=(scale,))
    assert compute(snapshot, [value("a", 0.3)]).normalized_score == 0.3


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (value("budget", 12.3), "Budget: 12.3 is off the step of 0.5; nearest are 12 and 12.5"),
        (value("budget", 120), "Budget: 120 is out of range. Give a number from 0 to 100."),
        (value("budget", float("nan")), "Budget: NaN is out of range. Give a number from 0 to 100."),
        (level("budget", "meets"), "Budget: a number is needed. Give one from 0 to 100."),
        (value("clarity", 3), "Clarity: a number is not a level. Choose one of Miss, Partial, Meets."),
        (
            level("clarity", "x"),
            'Clarity: "x" is not a level of its scale. Choose one of Miss, Partial, Meets.',
        ),
        (
            not_applicable("clarity"),
            "Clarity: not applicable is not allowed here. Give an answer on its scale.",
        ),
        (
            level("bare", "x"),
            "bare: it has no scale to answer on. Give the criterion a scale in a new version.",
        ),
    ],
)
def test_a_refusal_tells_a_reviewer_what_is_wrong_and_what_is_right(answer: Answer, message: str) -> None:
    snapshot = version(
        leaf("budget", scale_id="money"),
        leaf("clarity", not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED),
        leaf("bare", name="", scale_id=None),
    )
    with pytest.raises(ScoringError) as checked:
        check_answer(snapshot, answer)
    assert str(checked.value) == message
    with pytest.raises(ScoringError) as computed:
        compute(snapshot, [answer])
    assert str(computed.value) == message
    assert computed.value.kind == checked.value.kind


def test_a_legal_answer_passes_the_check_and_an_answer_to_nothing_does_not() -> None:
    snapshot = version(leaf("budget", scale_id="money"), group("g"))
    for legal in (
        value("budget", 12.5),
        value(" BUDGET", 0),
        Answer(criterion_id="budget"),
        not_applicable("budget"),
    ):
        check_answer(snapshot, legal)
    for unknown in (value("g", 1), value("nobody", 1)):
        with pytest.raises(InvalidInputError):
            check_answer(snapshot, unknown)


def test_answers_to_nothing_are_warned_of_and_change_nothing() -> None:
    snapshot = version(leaf("a"), group("g"), leaf("lost", parent_id="nowhere"))
    answers = [level("a", "meets"), level("g", "meets"), level("nobody", "meets"), level("lost", "meets")]
    warnings = unknown_answers(snapshot, answers)
    assert [
        word for warning, word in zip(warnings, ("group", "nobody", "parent"), strict=True) if word in warning
    ] == [
        "group",
        "nobody",
        "parent",
    ]
    assert compute(snapshot, answers) == compute(snapshot, answers[:1])


def test_confidence_that_is_no_number_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="confidence"):
        compute(version(leaf("a")), [level("a", "meets", confidence=float("nan"))])


# --- Numbers of the version ------------------------------------------------------------------------------


def test_a_threshold_of_zero_is_a_threshold_also_as_an_override() -> None:
    snapshot = version(leaf("a"), pass_threshold=0.5)
    result = compute(snapshot, [level("a", "miss")], pass_threshold=0)
    assert (result.outcome, result.passed, result.pass_threshold_applied) == (Outcome.PASSED, True, 0)
    assert compute(snapshot, [level("a", "miss")]).outcome is Outcome.BELOW_THRESHOLD


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), 1e300])
def test_a_threshold_that_is_no_score_is_refused(threshold: float) -> None:
    with pytest.raises(InvalidInputError, match="pass threshold"):
        compute(version(leaf("a")), [], pass_threshold=threshold)


@pytest.mark.parametrize(
    ("snapshot", "words"),
    [
        (version(leaf("a", weight=-1)), 'Criterion "a": the weight is -1'),
        (version(leaf("a", weight=float("nan"))), "the weight is nan"),
        (version(leaf("a", weight=1e308), leaf("b", weight=1e308)), "The version: the sum of the weights"),
        (version(leaf("a", is_gate=True, gate_minimum_score=float("inf"))), 'gate minimum of "a"'),
        (version(leaf("a"), minimum_completeness=float("nan")), "minimum completeness"),
        (version(bands=(Band(id="b", label="Top", max_score=float("nan")),)), 'maximum of band "Top"'),
        (
            VersionSnapshot(
                nodes=(leaf("a", scale_id="s"),),
                scales=(Scale(id="s", levels=(Level(id="x", label="X", normalized_value=1.5),)),),
            ),
            'normalized value of level "X"',
        ),
    ],
)
def test_a_version_that_no_score_can_be_computed_with_is_refused(
    snapshot: VersionSnapshot, words: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        compute(snapshot, [])
    assert words in str(caught.value)


def test_a_node_without_a_policy_of_its_own_has_the_versions() -> None:
    own = leaf("a", not_applicable_policy=NotApplicablePolicy.COUNT_AS_ZERO)
    snapshot = version(own, leaf("b"), not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED)
    assert effective_na_policy(snapshot, own) is NotApplicablePolicy.COUNT_AS_ZERO
    assert effective_na_policy(snapshot, snapshot.nodes[1]) is NotApplicablePolicy.NOT_ALLOWED


@pytest.mark.parametrize(
    ("score", "shown"), [(None, None), (0.0, 1.0), (1.0, 5.0), (0.75, 4.0), (0.333333, 2.333332)]
)
def test_a_score_is_shown_on_the_display_range(score: float | None, shown: float | None) -> None:
    assert display_score(version(score_display_min=1, score_display_max=5), score) == shown


@pytest.mark.parametrize(
    ("score", "label"),
    [
        (None, None),
        (0, "Low"),
        (0.4999994, "Low"),
        (0.4999995, "High"),
        (0.9, "High"),
        (1, "High"),
        (0.7, None),
    ],
)
def test_bands_are_half_open_and_the_top_one_holds_1(score: float | None, label: str | None) -> None:
    bands = (
        Band(id="3", label="High", min_score=0.8, max_score=1),
        Band(id="2", label="High", min_score=0.5, max_score=0.6),
        Band(id="1", label="Low", min_score=0, max_score=0.5),
    )
    band = band_of(version(bands=bands), score)
    assert (band.label if band else None) == label


def test_bands_are_tried_in_the_order_of_their_rounded_bounds() -> None:
    """Two bands that round to the same one are as good as equal: the first given wins."""
    bands = (
        Band(id="first", label="First", min_score=0.5, max_score=1),
        Band(id="second", label="Second", min_score=0.5, max_score=0.9999999),
    )
    band = band_of(version(bands=bands), 0.75)
    assert band is not None
    assert band.id == "first"


# --- Why -------------------------------------------------------------------------------------------------

STRICT = version(
    leaf("safety", is_gate=True, gate_minimum_score=0.6),
    leaf("style", not_applicable_policy=NotApplicablePolicy.FAIL_EVALUATION),
    leaf("depth", parent_id="theory", is_gate=True),
    group("theory", is_gate=True, gate_minimum_score=0.2),
    pass_threshold=0.7,
    minimum_completeness=0.5,
)


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (
            [level("safety", "meets"), level("style", "meets"), level("depth", "partial")],
            "Passed: the score of 83.33 reaches the threshold of 70.",
        ),
        (
            [level("safety", "meets"), level("style", "miss"), level("depth", "meets")],
            "Below the threshold: the score of 66.67 does not reach 70.",
        ),
        (
            [level("safety", "partial"), level("style", "meets"), level("depth", "meets")],
            "Gate failed: Safety scored 50, below its minimum of 60.",
        ),
        (
            [level("safety", "meets"), level("style", "meets")],
            "Gate failed: Theory has unanswered criteria and no score, and its minimum is 20; "
            "Depth is not answered, and its minimum is 0.",
        ),
        (
            [level("safety", "meets"), not_applicable("style"), level("depth", "meets")],
            "Failed: not applicable is not accepted for Style.",
        ),
        (
            [level("safety", "meets")],
            "Incomplete: 33.33% of the applicable criteria are answered, and 50% are required.",
        ),
    ],
)
def test_an_outcome_is_explained_by_what_decided_it(answers: list[Answer], sentence: str) -> None:
    assert explain_outcome(STRICT, compute(STRICT, answers)) == sentence


def test_outcomes_without_a_threshold_or_a_score_are_explained_too() -> None:
    plain = version(leaf("a"))
    assert explain_outcome(plain, compute(plain, [level("a", "meets")])) == (
        "Scored 100: this version has no pass threshold."
    )
    assert explain_outcome(plain, compute(plain, [not_applicable("a")])) == (
        "Incomplete: no criterion that counts has a score, so there is no overall score."
    )


@pytest.mark.parametrize(
    ("score", "threshold", "sentence"),
    [
        (0.0691333, None, "Scored 6.91: this version has no pass threshold."),
        (0.699999, 0.7, "Below the threshold: the score of 69.9999 does not reach 70."),
        (0.69996, 0.7, "Below the threshold: the score of 69.996 does not reach 70."),
        (0.69994, 0.7, "Below the threshold: the score of 69.99 does not reach 70."),
        (0.666667, 2 / 3, "Passed: the score of 66.67 reaches the threshold of 66.67."),
        (0.666668, 0.666667, "Passed: the score of 66.6668 reaches the threshold of 66.6667."),
    ],
)
def test_numbers_have_two_decimals_and_more_only_where_two_would_look_the_same(
    score: float, threshold: float | None, sentence: str
) -> None:
    plain = version(leaf("a"))
    outcome = Outcome.SCORED if threshold is None else Outcome.PASSED
    if threshold is not None and score < round(threshold, 6):
        outcome = Outcome.BELOW_THRESHOLD
    found = msgspec.structs.replace(
        compute(plain, [level("a", "meets")]),
        normalized_score=score,
        pass_threshold_applied=threshold,
        outcome=outcome,
    )
    assert explain_outcome(plain, found) == sentence
    assert f" {overall_score(plain, found)} " in sentence.replace(":", " ")


def test_a_score_short_of_a_band_does_not_look_like_its_edge() -> None:
    found = msgspec.structs.replace(compute(STRICT, []), normalized_score=0.799996)
    bands = (Band(id="b", label="Strong", min_score=0.8, max_score=1),)
    assert overall_score(msgspec.structs.replace(STRICT, bands=()), found) == "80"
    assert overall_score(msgspec.structs.replace(STRICT, bands=bands), found) == "79.9996"


# --- The compiled plan -----------------------------------------------------------------------------------


def test_a_version_is_compiled_once_and_forgotten_with_its_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []
    compile_version = plans._compile

    def compile_and_tell(compiling: VersionSnapshot, *rest: Any) -> Any:
        compiled.append(weakref.ref(compiling))
        return compile_version(compiling, *rest)

    monkeypatch.setattr(plans, "_compile", compile_and_tell)
    snapshot = version(leaf("a"))
    for _ in range(3):
        compute(snapshot, [level("a", "meets")])
    assert len(compiled) == 1
    key, dead = id(snapshot), compiled[0]
    assert key in plans._plans
    del snapshot
    gc.collect()
    assert dead() is None
    assert key not in plans._plans


def test_snapshots_that_take_each_others_place_in_memory_are_never_mixed_up() -> None:
    for weight in range(1, 200):
        snapshot = version(leaf("a", weight=weight), leaf("b", weight=1))
        result = compute(snapshot, [level("a", "meets"), level("b", "miss")])
        assert result.normalized_score == round6(weight / (weight + 1))
        del snapshot, result


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_parts, "_SHARES_KEPT", 1300)
    scale = Scale(id="s", scale_type=ScaleType.NUMERIC, min_value=0, max_value=1)
    nodes = [leaf(f"l{n}", scale_id="s", weight=2**n) for n in range(12)]
    snapshot = VersionSnapshot(nodes=tuple(nodes), scales=(scale,))
    for n in range(3000):
        present = [node for place, node in enumerate(nodes) if n >> place & 1 or n % 3 == 0]
        compute(snapshot, [value(node.id, n / 3000 if node is nodes[1] else 0.5) for node in present])
    plan = plans.plan_of(snapshot)
    assert all(len(each.readings) <= plan_parts._READINGS_KEPT for each in plan.leaves)
    assert len(plan.shares) * 13 <= plan_parts._SHARES_KEPT + 13
    rows = [len(reading.rows) for each in plan.leaves for reading in each.readings.values()]
    assert max(rows) <= plan_parts._ROWS_KEPT


def test_threads_share_a_snapshot_without_disturbing_each_other() -> None:
    nodes = [leaf(f"l{n}", parent_id=f"g{n % 3}", weight=n + 1) for n in range(12)]
    snapshot = version(*(group(f"g{n}") for n in range(3)), *nodes)
    sets = [
        [
            level(node.id, ("miss", "partial", "meets")[(n + place) % 3])
            for place, node in enumerate(nodes)
            if n % (place + 2)
        ]
        for n in range(60)
    ]
    alone = [compute(msgspec.structs.replace(snapshot), answers) for answers in sets]
    found: list[list[ScoreResult]] = []

    def work() -> None:
        found.append([compute(snapshot, answers) for _ in range(5) for answers in sets])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone * 5] * 8


def test_minimum_and_maximum_groups_keep_their_own_contribution_and_hide_those_below() -> None:
    snapshot = version(
        group("worst", rollup_method=RollupMethod.MINIMUM, weight=3),
        leaf("a", parent_id="worst"),
        leaf("b", parent_id="worst", weight=3),
        leaf("c"),
    )
    result = compute(snapshot, [level("a", "meets"), level("b", "partial"), level("c", "meets")])
    assert {node.key: (node.effective_weight, node.overall_contribution) for node in result.nodes} == {
        "worst": (0.75, 0.375),
        "a": (0.25, None),
        "b": (0.75, None),
        "c": (0.25, 0.25),
    }


def test_names_that_others_wrote_cannot_break_a_message_or_reach_the_terminal() -> None:
    evil = "Evil\n\x1b[2J" + "x" * 500
    snapshot = version(leaf("a", name=evil, is_gate=True, gate_minimum_score=1))
    texts = [*unknown_answers(snapshot, [level(evil, "meets")])]
    texts.append(explain_outcome(snapshot, compute(snapshot, [level("a", "miss")])))
    with pytest.raises(ScoringError) as caught:
        check_answer(snapshot, level("a", evil))
    for text in (*texts, str(caught.value)):
        assert text.isprintable()
        assert len(text) < 300


@pytest.mark.parametrize("blank", [None, "", " "])
def test_a_level_id_of_blanks_is_no_answer(blank: str | None) -> None:
    answer = level("clarity", blank)  # type: ignore[arg-type]
    assert not answer.is_answered
    assert compute(version(leaf("clarity")), [answer]).completeness == 0.0
