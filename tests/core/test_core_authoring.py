from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from core_strategies import Dice, dice, quick
from hypothesis import given
from test_core_editing import play, small

from rubrictui.core.authoring import DraftIndex, band_gaps, band_overlaps, publish_problems, weight_shares
from rubrictui.core.model import (
    Anchor,
    Band,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    Scale,
    ScaleType,
    VersionSnapshot,
)

ANCHORS = (
    Anchor(scale_level_id="miss", descriptor="Nothing of it."),
    Anchor(scale_level_id="part", descriptor="Some of it."),
    Anchor(scale_level_id="meets", descriptor="All of it."),
)


def levels_scale(**fields: Any) -> Scale:
    levels = (
        Level(id="miss", label="Miss", normalized_value=0),
        Level(id="part", label="Partial", normalized_value=0.5),
        Level(id="meets", label="Meets", normalized_value=1),
    )
    return Scale(**{"id": "levels", "name": "Meets", "levels": levels, **fields})


def numeric_scale(**fields: Any) -> Scale:
    return Scale(
        **{"id": "number", "scale_type": ScaleType.NUMERIC, "min_value": 0, "max_value": 10, **fields}
    )


def leaf(key: str = "clarity", **fields: Any) -> Node:
    return Node(**{"id": f"id-{key}", "key": key, "scale_id": "levels", "anchors": ANCHORS, **fields})


def gate(**fields: Any) -> Node:
    policy = NotApplicablePolicy.NOT_ALLOWED
    return leaf(**{"is_gate": True, "gate_minimum_score": 0.6, "not_applicable_policy": policy, **fields})


def group(key: str, **fields: Any) -> Node:
    return leaf(key, node_type=NodeType.GROUP, scale_id=None, anchors=(), **fields)


def rule(**fields: Any) -> dict[str, Any]:
    whole = {"Path": "x", "Operator": "exists", "LevelWhenTrue": "Meets", "LevelWhenFalse": "Miss"}
    return {"Deterministic": {**whole, **fields}}


def version(*nodes: Node, **fields: Any) -> VersionSnapshot:
    return VersionSnapshot(nodes=nodes, **{"scales": (levels_scale(), numeric_scale()), **fields})


def with_scale(scale: Scale) -> VersionSnapshot:
    anchors = tuple(Anchor(scale_level_id=level.id, descriptor=f"{level.id}.") for level in scale.levels)
    return version(leaf(scale_id=scale.id, anchors=anchors), scales=(scale,))


def with_levels(*levels: Level) -> VersionSnapshot:
    return with_scale(levels_scale(levels=levels))


def band(label: str, low: float, high: float) -> Band:
    return Band(id=label, label=label, min_score=low, max_score=high)


def codes(draft: VersionSnapshot, severity: str) -> list[str]:
    return [problem.code for problem in publish_problems(draft) if problem.severity == severity]


SOUND = version(
    group("risk", is_gate=True, gate_minimum_score=0.5),
    leaf("security", parent_id="id-risk"),
    gate(parent_id="ID-RISK "),
    leaf("price", scale_id="number", anchors=()),
    leaf("notes", is_advisory=True),
    leaf("signed", evaluator_config=rule(), evidence_required=True),
    bands=(band("Weak", 0, 0.5), band("Strong", 0.5, 1)),
    pass_threshold=0,
    minimum_completeness=1,
)


def test_a_sound_draft_has_no_problem() -> None:
    assert publish_problems(SOUND) == ()


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        (version(), ["no_criterion"]),
        (version(group("a")), ["no_criterion"]),
        (version(leaf("a", id="1"), leaf("a ", id="2")), ["key_duplicate", "key_duplicate"]),
        (version(leaf(" ")), ["key_empty"]),
        (version(leaf("k" * 101)), ["key_long"]),
        (version(leaf("k" * 100 + " ")), []),
        (version(leaf("a", id="X"), leaf("b", id=" x")), ["id_duplicate", "id_duplicate"]),
        (version(leaf(id=" ")), ["id_empty"]),
        (version(leaf(scale_id=None)), ["scale_missing"]),
        (version(leaf(scale_id="gone")), ["scale_unknown"]),
        (version(leaf(scale_id=" LEVELS")), []),
        (version(leaf(weight=-1)), ["weight"]),
        (version(leaf(weight=math.nan)), ["weight"]),
        (version(leaf(weight=math.inf)), ["weight"]),
        (version(leaf("a", weight=1e308), leaf("b", weight=1e308)), ["weight"]),
        (version(leaf(parent_id="gone")), ["parent_missing"]),
        (version(leaf("a"), leaf("b", parent_id="id-a")), ["parent_criterion"]),
        (version(leaf("a"), group("g", parent_id="id-g")), ["cycle"]),
        (
            version(
                group("g", parent_id="id-h"),
                group("h", parent_id="id-g"),
                leaf("below", parent_id="id-h"),
                leaf("free"),
            ),
            ["cycle", "cycle", "cycle"],
        ),
        (version(gate(gate_minimum_score=None)), ["gate_minimum_missing"]),
        (version(group("g", is_gate=True), leaf(parent_id="id-g")), ["gate_minimum_missing"]),
        (version(gate(gate_minimum_score=1.01)), ["gate_minimum_range"]),
        (version(gate(gate_minimum_score=math.nan)), ["gate_minimum_range"]),
        (version(leaf(gate_minimum_score=-0.1)), ["gate_minimum_range"]),
        (version(leaf(), pass_threshold=1.2), ["threshold_range"]),
        (version(leaf(), minimum_completeness=-0.1), ["completeness_range"]),
        (version(leaf(), score_display_min=5, score_display_max=5), ["display_range"]),
        (version(leaf(), score_display_min=math.nan), ["display_range"]),
        (version(leaf(), score_display_min=10, score_display_max=1), []),
        (version(leaf(evaluator_config=rule(Operator="like"))), ["rule_operator"]),
        (version(leaf(evaluator_config=rule(LevelWhenTrue="Maybe"))), ["rule_label"]),
        (version(leaf(), group("g", evaluator_config=rule(Operator="like"))), []),
        (version(leaf(evaluator_config={"AI": math.nan})), ["config_invalid"]),
        (version(leaf(), bands=(band("", 0, 1),)), ["band_label"]),
        (version(leaf(), bands=(band("A", 0, 1.1),)), ["band_range"]),
        (version(leaf(), bands=(band("A", math.nan, 1),)), ["band_range"]),
        (version(leaf(), bands=(band("A", 0.6, 0.5),)), ["band_range"]),
        (version(leaf(), scales=(levels_scale(), levels_scale())), ["id_duplicate"]),
    ],
)
def test_what_blocks_publish(draft: VersionSnapshot, expected: list[str]) -> None:
    assert codes(draft, "error") == expected


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        (with_levels(), ["scale_levels_missing"]),
        (with_levels(Level(id="a", label="A", normalized_value=1.5)), ["level_value_range"]),
        (with_levels(Level(id="a", label="A", normalized_value=math.nan)), ["level_value_range"]),
        (with_levels(Level(id="a", label="A", value=math.inf)), ["level_value_range"]),
        (with_levels(Level(id="a", label="A"), Level(id="b", label="a ")), ["level_label_duplicate"]),
        (with_levels(Level(id="a", label="A"), Level(id="A", label="B")), ["level_id_duplicate"]),
        (with_levels(Level(id="a", label=" ")), ["level_label_empty"]),
        (with_levels(Level(id="", label="A")), ["level_id_empty"]),
        (with_scale(numeric_scale(min_value=None)), ["scale_range"]),
        (with_scale(numeric_scale(max_value=0)), ["scale_range"]),
        (with_scale(numeric_scale(max_value=math.inf)), ["scale_range"]),
        (with_scale(numeric_scale(step=0)), ["scale_step"]),
        (with_scale(numeric_scale(step=0.5)), []),
    ],
)
def test_a_broken_scale_blocks_publish_and_is_told_once(draft: VersionSnapshot, expected: list[str]) -> None:
    twice = version(*draft.nodes, leaf("other", scale_id=draft.nodes[0].scale_id), scales=draft.scales)
    assert codes(draft, "error") == codes(twice, "error") == expected


@pytest.mark.parametrize("lost", [(), (leaf("lost", parent_id="gone"),)], ids=["sound", "with a lost node"])
def test_what_counts_in_an_advisory_group_is_told_of_the_nearest_one(lost: tuple[Node, ...]) -> None:
    draft = version(
        group("outer", is_advisory=True),
        group("plain", parent_id="id-outer"),
        leaf("a", parent_id="id-plain"),
        group("inner", parent_id="id-plain", is_advisory=True),
        leaf("b", parent_id="id-inner"),
        leaf("c", parent_id="id-inner", is_advisory=True),
        leaf("d"),
        *lost,
    )
    told = [p.message.split(":")[0] for p in publish_problems(draft) if p.code == "counts_in_advisory"]
    assert told == [
        "'a' stands in the advisory group 'outer'",
        "'b' stands in the advisory group 'inner'",
    ]


def test_weights_that_cancel_out_are_not_all_zero() -> None:
    draft = version(leaf("a", weight=1), leaf("b", weight=-1))
    assert (codes(draft, "error"), codes(draft, "warning")) == (["weight"], [])


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        (version(leaf("a", weight=0), leaf("b", weight=0)), ["weights_zero"]),
        (version(leaf("a", weight=0), leaf("b", weight=1)), []),
        (version(leaf(), group("g")), ["group_empty"]),
        (version(leaf(is_advisory=True)), ["nothing_counts"]),
        (version(leaf("a"), group("g", is_advisory=True), leaf(parent_id="id-g")), ["counts_in_advisory"]),
        (version(leaf(anchors=ANCHORS[:2])), ["anchor_missing"]),
        (version(leaf(anchors=())), ["anchor_missing"]),
        (version(leaf(anchors=(*ANCHORS, Anchor(scale_level_id="gone")))), ["anchor_unknown"]),
        (
            version(leaf(anchors=(*ANCHORS[:2], Anchor(scale_level_id="meets", descriptor=" some OF it.")))),
            ["anchor_same"],
        ),
        (
            version(gate(scale_id="low"), scales=(levels_scale(id="low", levels=levels_scale().levels[:2]),)),
            ["gate_unreachable", "anchor_unknown"],
        ),
        (version(gate(not_applicable_policy=None)), ["gate_not_applicable"]),
        (
            version(
                gate(not_applicable_policy=None),
                not_applicable_policy=NotApplicablePolicy.FAIL_EVALUATION,
            ),
            [],
        ),
        (version(leaf(), gate(id="2", key="2", is_advisory=True)), ["gate_advisory"]),
        (
            version(leaf(evidence_required=True, evaluator_config={"EvaluatorName": "decision"})),
            ["decision_evidence"],
        ),
        (version(leaf(evaluator_config=rule(LevelWhenFalse=None))), ["rule_label_absent"]),
        (
            version(
                leaf(
                    evaluator_config=rule(NotApplicableWhenMissing=True),
                    not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED,
                )
            ),
            ["rule_not_applicable"],
        ),
        (version(leaf(), bands=(band("A", 0, 0.6), band("B", 0.5, 1))), ["band_overlap"]),
        (version(leaf(), bands=(band("A", 0, 0.4), band("B", 0.5, 1))), ["band_gap"]),
        (version(leaf(), bands=(band("A", 0, 1), band("B", 0.5, 0.5))), ["band_empty"]),
        (
            version(leaf(), bands=(band("A", 0, 0.5), Band(id="2", label="A", min_score=0.5))),
            ["band_label_duplicate"],
        ),
    ],
)
def test_what_is_odd_but_allowed(draft: VersionSnapshot, expected: list[str]) -> None:
    assert codes(draft, "warning") == expected
    assert codes(draft, "error") == []


def test_a_problem_names_its_node_and_says_what_to_do() -> None:
    (problem,) = publish_problems(version(leaf("clarity", name="Clear prose", weight=-2)))
    assert problem.blocks
    assert (problem.node_id, problem.key) == ("id-clarity", "clarity")
    assert problem.message == "The weight of 'Clear prose' is -2."
    assert problem.remedy == "Weights are 0 or more."


def test_weight_shares_are_those_of_the_siblings_that_count() -> None:
    draft = version(
        group("g", weight=3),
        leaf("a", parent_id="id-g", weight=0),
        leaf("b", parent_id="ID-G", weight=0),
        leaf("c", weight=1),
        leaf("note", weight=5, is_advisory=True),
        leaf("lost", parent_id="gone"),
        leaf("under", parent_id="id-c"),
    )
    assert weight_shares(draft) == {
        "id-g": 0.75,
        "id-a": 0.5,
        "id-b": 0.5,
        "id-c": 0.25,
        "id-note": None,
        "id-lost": None,
        "id-under": None,
    }


@pytest.mark.parametrize("weights", [(math.nan, 1), (1e308, 1e308), (math.inf, 1)])
def test_weights_that_cannot_be_added_have_no_share(weights: tuple[float, float]) -> None:
    draft = version(*(leaf(str(place), weight=weight) for place, weight in enumerate(weights)))
    assert set(weight_shares(draft).values()) == {None}


@pytest.mark.parametrize(
    ("bands", "gaps"),
    [
        ([], ()),
        ([band("A", 0, 1)], ()),
        ([band("B", 0.5, 0.9), band("A", 0.1, 0.4)], ((0.0, 0.1), (0.4, 0.5), (0.9, 1.0))),
        ([band("A", 0, 0.1 + 0.2), band("B", 0.3, 0.9999999)], ()),
        ([band("A", 0, 0.9), band("B", 0.2, 0.3), band("C", 0.9, 1)], ()),
    ],
)
def test_gaps_are_what_no_band_covers(bands: list[Band], gaps: tuple[tuple[float, float], ...]) -> None:
    assert band_gaps(bands) == gaps


@pytest.mark.parametrize(
    ("bands", "pairs"),
    [
        ([band("A", 0, 0.5), band("B", 0.5, 1)], []),
        ([band("B", 0.4, 1), band("A", 0, 0.5)], [("A", "B")]),
        ([band("A", 0, 1), band("B", 0.2, 0.3), band("C", 0.5, 0.6)], [("A", "B"), ("A", "C")]),
        ([band("A", 0, 0.3), band("B", 0.1 + 0.2, 1)], []),
        ([band("A", 0, 1), band("B", 0.5, 0.5)], []),
    ],
)
def test_overlaps_are_pairs_that_both_hold_a_score(bands: list[Band], pairs: list[tuple[str, str]]) -> None:
    assert [(first.label, second.label) for first, second in band_overlaps(bands)] == pairs


# --- One draft after another -----------------------------------------------------------------------------


@quick
@given(dice)
def test_an_index_kept_over_many_edits_says_what_a_fresh_one_says(rolled: Dice) -> None:
    index, steady = DraftIndex(), DraftIndex()
    version = small()
    for turn in range(6):
        for step in range(4):
            version = play(version, rolled, 1, first_id=100 * turn + 10 * step).version
            assert steady.problems(version) == publish_problems(version)
        if version.nodes:
            place = rolled.number() % len(version.nodes)
            changes = rolled.choose(
                [
                    {"is_advisory": True},
                    {"is_gate": True},
                    {"scale_id": None},
                    {"parent_id": "gone"},
                    {"key": "a"},
                ]
            )
            node = msgspec.structs.replace(version.nodes[place], **changes)
            broken = (*version.nodes[:place], node, *version.nodes[place + 1 :])
            checked = msgspec.structs.replace(
                version, nodes=broken, not_applicable_policy=rolled.choose(list(NotApplicablePolicy))
            )
        else:
            checked = version
        assert index.problems(checked) == publish_problems(checked)
        assert index.shares(checked) == weight_shares(checked)
        one_policy = msgspec.structs.replace(checked, not_applicable_policy=version.not_applicable_policy)
        assert steady.problems(one_policy) == publish_problems(one_policy)
        assert steady.shares(version) == weight_shares(version)


@pytest.mark.parametrize(
    ("step", "higher_is_better", "reached"),
    [(None, True, True), (4, True, False), (5, True, True), (4, False, True)],
)
def test_a_gate_minimum_that_no_step_reaches_is_told(
    step: float | None, higher_is_better: bool, reached: bool
) -> None:
    """On 0 to 10 in steps of 4 the best answer is 8, which scores 0.8; where lower is better it is 0."""
    scale = Scale(
        id="n",
        scale_type=ScaleType.NUMERIC,
        min_value=0,
        max_value=10,
        step=step,
        higher_is_better=higher_is_better,
    )
    node = Node(id="a", key="a", name="A", scale_id="n", is_gate=True, gate_minimum_score=0.9)
    draft = VersionSnapshot(nodes=(node,), scales=(scale,))
    told = [p.message for p in publish_problems(draft) if p.code == "gate_unreachable"]
    assert told == ([] if reached else ["No step of 'A' reaches the gate minimum 0.9, so it always fails."])


def test_an_index_looks_again_at_a_node_whose_scale_changed() -> None:
    index = DraftIndex()
    gate = leaf(is_gate=True, gate_minimum_score=0.9, not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED)
    low = levels_scale(levels=(Level(id="meets", label="Meets", normalized_value=0.5),))
    first = VersionSnapshot(nodes=(gate,), scales=(levels_scale(),))
    second = msgspec.structs.replace(first, scales=(low,))
    assert "gate_unreachable" not in [problem.code for problem in index.problems(first)]
    assert "gate_unreachable" in [problem.code for problem in index.problems(second)]


def test_an_index_follows_a_node_that_changed_after_the_scales_did() -> None:
    index = DraftIndex()
    first = VersionSnapshot(nodes=(leaf(id="a", key="a"), leaf(id="b", key="b")), scales=(levels_scale(),))
    second = msgspec.structs.replace(
        first, nodes=(leaf(id="a", key="a", weight=0.0), first.nodes[1]), scales=(levels_scale(),)
    )
    third = msgspec.structs.replace(second, nodes=(second.nodes[0], leaf(id="b", key="b", weight=0.0)))
    for version in (first, second, third, second, first):
        assert index.problems(version) == publish_problems(version)
        assert index.shares(version) == weight_shares(version)


def test_a_long_name_leaves_room_for_what_is_wrong() -> None:
    version = VersionSnapshot(nodes=(Node(id="a", key="a", name="N" * 300),))
    (problem,) = [p for p in publish_problems(version) if p.code == "scale_missing"]
    assert problem.message == f"'{'N' * 59}…' has no scale."
