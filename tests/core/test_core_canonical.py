"""Canonical JSON, and what the hashes cover."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import msgspec
import pytest
from core_strategies import quick
from hypothesis import given
from hypothesis import strategies as st

from rubrictui.core.canonical import (
    MAX_DEPTH,
    canonical_json,
    content_hash,
    content_projection,
    scoring_hash,
    scoring_projection,
    subject_hash,
)
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.loading import version_from_json
from rubrictui.core.model import (
    Anchor,
    Band,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.core.records import Subject, SubjectFile

VECTORS = Path(__file__).parents[1] / "vectors" / "rubrics" / "diff.json"
replace = msgspec.structs.replace


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (-0.0, "0"),
        (-2.50, "-2.5"),
        (0.1, "0.1"),
        (1e21, "1000000000000000000000"),
        (1e-7, "0.0000001"),
        (1.5e-10, "0.00000000015"),
        (123456789.25, "123456789.25"),
        (2**53 + 1, "9007199254740993"),
        (-(10**20), "-100000000000000000000"),
    ],
)
def test_numbers_are_the_shortest_plain_decimal(number: float, text: str) -> None:
    assert canonical_json(number) == text


@quick
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back_equal_and_has_no_exponent(number: float) -> None:
    text = canonical_json(number)
    assert float(text) == number
    assert "e" not in text.casefold()
    assert struct.pack("d", float(text) + 0.0) == struct.pack("d", number + 0.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}'),
        ({}, "{}"),
        ([], "[]"),
        ((1, [2, {}]), "[1,[2,{}]]"),
        ({"é": '日本\n"\\'}, '{"é":"日本\\n\\"\\\\"}'),
        ({"Z": 1, "a": 2, "é": 3}, '{"Z":1,"a":2,"é":3}'),
        (NodeType.GROUP, '"Group"'),
    ],
)
def test_canonical_json_is_sorted_utf8_without_spaces(value: Any, text: str) -> None:
    assert canonical_json(value) == text
    assert json.loads(text) == json.loads(json.dumps(value))


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        {"a": [-math.inf]},
        {1: 2},
        "\ud800",
        {"\udfff": 1},
        {1, 2},
        object(),
        10**400,
        nested(100_000),
    ],
)
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInputError):
        canonical_json(value)


def test_nesting_is_allowed_up_to_the_limit() -> None:
    assert canonical_json(nested(MAX_DEPTH)) == "[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH
    with pytest.raises(InvalidInputError):
        canonical_json(nested(MAX_DEPTH + 1))


SCALE = Scale(
    id="s",
    name="Words",
    levels=(
        Level(id="lo", label="Low", value=0, normalized_value=0, sequence=0),
        Level(id="hi", label="High", value=1, normalized_value=1, sequence=1),
    ),
)
BASE = VersionSnapshot(
    id="v",
    rubric_name="R",
    instructions="Read.",
    pass_threshold=0.6,
    minimum_completeness=0.8,
    nodes=(
        Node(id="g", key="g", node_type=NodeType.GROUP, rollup_method=RollupMethod.MINIMUM),
        Node(
            id="a",
            key="a",
            parent_id="g",
            scale_id="s",
            is_gate=True,
            anchors=(
                Anchor(scale_level_id="lo", descriptor="bad"),
                Anchor(scale_level_id="hi", descriptor="good"),
            ),
            evaluator_config={"Extensions": {"x": 1}},
        ),
        Node(id="b", key="b", scale_id="s", is_advisory=True),
    ),
    scales=(SCALE,),
    bands=(Band(id="b1", label="All"),),
)


def with_node(at: int, **changes: Any) -> VersionSnapshot:
    nodes = list(BASE.nodes)
    nodes[at] = replace(nodes[at], **changes)
    return replace(BASE, nodes=tuple(nodes))


def with_scale(**changes: Any) -> VersionSnapshot:
    return replace(BASE, scales=(replace(SCALE, **changes),))


def with_level(**changes: Any) -> VersionSnapshot:
    return with_scale(levels=(SCALE.levels[0], replace(SCALE.levels[1], **changes)))


@pytest.mark.parametrize(
    "changed",
    [
        replace(BASE, not_applicable_policy=NotApplicablePolicy.COUNT_AS_ZERO),
        with_node(1, key="a2"),
        with_node(1, parent_id=None),
        with_node(1, parent_id="nowhere"),
        with_node(1, weight=2),
        with_node(1, is_advisory=True),
        with_node(1, is_gate=False),
        with_node(1, gate_minimum_score=0),
        with_node(1, not_applicable_policy=NotApplicablePolicy.EXCLUDE_AND_REDISTRIBUTE),
        with_node(0, rollup_method=None),
        with_node(1, evaluator_config={"Extensions": {"x": 2}}),
        with_node(1, evaluator_config=None),
        with_node(1, evaluator_config={}),
        with_node(1, scale_id=None),
        with_node(1, scale_id="nowhere"),
        with_node(1, node_type=NodeType.GROUP),
        with_node(2, is_advisory=False),
        with_scale(scale_type=ScaleType.NUMERIC),
        with_scale(min_value=0),
        with_scale(max_value=0),
        with_scale(step=1),
        with_scale(higher_is_better=False),
        with_scale(levels=SCALE.levels[:1]),
        with_level(value=2),
        with_level(value=None),
        with_level(normalized_value=0.5),
    ],
)
def test_whatever_changes_a_score_changes_both_hashes(changed: VersionSnapshot) -> None:
    assert scoring_hash(changed) != scoring_hash(BASE)
    assert content_hash(changed) != content_hash(BASE)


@pytest.mark.parametrize(
    "changed",
    [
        replace(BASE, instructions=None),
        replace(BASE, pass_threshold=0),
        replace(BASE, pass_threshold=None),
        replace(BASE, minimum_completeness=1),
        replace(BASE, score_display_max=10),
        with_node(1, name="Name"),
        with_node(1, description=""),
        with_node(1, guidance="g"),
        with_node(1, sequence=4),
        with_node(1, evidence_required=True),
        with_node(1, rationale_required=True),
        with_node(1, anchors=BASE.nodes[1].anchors[::-1]),
        with_node(1, anchors=()),
        with_node(2, weight=7),
        with_node(2, evaluator_config={}),
        with_scale(name="Other"),
        with_scale(description="d"),
        with_level(label="Top"),
        with_level(description="d"),
        with_level(sequence=9),
        replace(BASE, bands=()),
        replace(BASE, bands=(Band(id="b1", label="All", display_tone="Success"),)),
        replace(BASE, bands=(Band(id="b1", label="All", min_score=0.1),)),
    ],
)
def test_everything_else_an_author_writes_changes_the_content_hash_alone(changed: VersionSnapshot) -> None:
    assert scoring_hash(changed) == scoring_hash(BASE)
    assert content_hash(changed) != content_hash(BASE)


@pytest.mark.parametrize(
    "same",
    [
        replace(
            BASE, id="w", rubric_id="r", rubric_name="S", major_version=3, minor_version=1, patch_version=2
        ),
        replace(BASE, nodes=BASE.nodes[::-1]),
        with_scale(levels=SCALE.levels[::-1]),
        replace(BASE, scales=(SCALE, Scale(id="unused", name="Unused"))),
        with_node(1, weight=1.0, parent_id=" G "),
        with_node(1, evaluator_config={"Extensions": {"x": 1.0}}),
        replace(BASE, scales=(replace(SCALE, id=" S "),)),
        with_node(0, parent_id=""),
    ],
)
def test_ids_numbers_and_order_of_loading_change_neither_hash(same: VersionSnapshot) -> None:
    assert scoring_hash(same) == scoring_hash(BASE)
    assert content_hash(same) == content_hash(BASE)


def test_two_levels_that_trade_their_scores_are_seen_even_when_their_values_cannot_tell_them_apart() -> None:
    for number in (None, 1):
        plain = with_scale(levels=tuple(replace(level, value=number) for level in SCALE.levels))
        traded = with_scale(
            levels=tuple(
                replace(level, value=number, normalized_value=1 - level.normalized_value)
                for level in SCALE.levels
            )
        )
        assert scoring_hash(plain) != scoring_hash(traded)


def test_a_level_that_stands_twice_counts_twice() -> None:
    assert scoring_hash(
        with_scale(levels=(*SCALE.levels, replace(SCALE.levels[1], id="hi2")))
    ) != scoring_hash(BASE)


def test_pointing_a_node_at_an_equal_copy_of_its_scale_leaves_the_scoring_hash_alone() -> None:
    copied = replace(with_node(1, scale_id="copy"), scales=(SCALE, replace(SCALE, id="copy", name="Copy")))
    assert scoring_hash(copied) == scoring_hash(BASE)
    assert content_hash(copied) != content_hash(BASE)


def test_hashes_are_sha256_of_the_canonical_projection_and_do_not_drift() -> None:
    assert canonical_json(scoring_projection(BASE)) == (
        '{"nodes":[{"evaluator_config":null,"gate_minimum_score":null,"is_gate":false,"key":"g","node_type":"Group",'
        '"not_applicable_policy":null,"parent":null,"rollup_method":"Minimum","scale":null,"weight":1},'
        '{"evaluator_config":{"Extensions":{"x":1}},"gate_minimum_score":null,"is_gate":true,"key":"a",'
        '"node_type":"Criterion","not_applicable_policy":null,"parent":"g","rollup_method":null,'
        '"scale":{"higher_is_better":true,"levels":[[0,0],[1,1]],"max_value":null,"min_value":null,'
        '"scale_type":"Levels","step":null},"weight":1}],"not_applicable_policy":"ExcludeAndRedistribute"}'
    )
    assert set(content_projection(BASE)) == {
        "instructions",
        "pass_threshold",
        "minimum_completeness",
        "not_applicable_policy",
        "score_display_min",
        "score_display_max",
        "nodes",
        "bands",
    }
    assert scoring_hash(BASE) == "c25502c1e8942397d69ade8f716a890ed813873397cdce236c8ee2505cb814b2"
    assert content_hash(BASE) == "f65154b728e1465646b608bee63245a51dc6d7e46b3428a9e748b3c1f877eeec"


def test_in_the_diff_vectors_hashes_agree_with_the_bump() -> None:
    for vector in json.loads(VECTORS.read_bytes()):
        if vector.get("base") is None:
            continue
        base, draft = version_from_json(vector["base"]), version_from_json(vector["draft"])
        changes = vector["expected"]["changes"]
        major = {change["property"] for change in changes if change["bump"] == "Major"}
        same_scoring = scoring_hash(base) == scoring_hash(draft)
        if not major:
            assert same_scoring, vector["id"]
        elif not major <= {"level added", "level removed", "ScaleID"}:  # a new id for an equal level or scale
            assert not same_scoring, vector["id"]
        if content_hash(base) == content_hash(draft):
            assert {change["property"] for change in changes} <= {"level added", "level removed"}, vector[
                "id"
            ]


# --- Subjects --------------------------------------------------------------------------------------------

SUBJECT = Subject(
    id="1",
    record_id="r",
    title="T",
    text="Body",
    data={"pages": 4},
    files=(
        SubjectFile(name="a.md", text="A", size=1),
        SubjectFile(name="b.pdf", media_type="application/pdf", sha256="f" * 64),
    ),
)


@pytest.mark.parametrize(
    "same",
    [
        replace(SUBJECT, id="2", entity="Other", record_id="q", content_hash="x"),
        replace(SUBJECT, data={"pages": 4.0}),
        replace(SUBJECT, files=SUBJECT.files[::-1]),
        replace(SUBJECT, files=(replace(SUBJECT.files[0], path="/x", sha256="0" * 64), SUBJECT.files[1])),
    ],
)
def test_a_subject_is_known_by_its_content(same: Subject) -> None:
    assert subject_hash(same) == subject_hash(SUBJECT)
    assert len(subject_hash(same)) == 64


@pytest.mark.parametrize(
    "other",
    [
        replace(SUBJECT, title="t"),
        replace(SUBJECT, text="Body "),
        replace(SUBJECT, data=None),
        replace(SUBJECT, data={}),
        replace(SUBJECT, files=()),
        replace(SUBJECT, files=(replace(SUBJECT.files[0], name="c.md"), SUBJECT.files[1])),
        replace(SUBJECT, files=(replace(SUBJECT.files[0], text="AA"), SUBJECT.files[1])),
        replace(SUBJECT, files=(SUBJECT.files[0], replace(SUBJECT.files[1], sha256="e" * 64))),
    ],
)
def test_any_change_of_its_content_changes_a_subjects_hash(other: Subject) -> None:
    assert subject_hash(other) != subject_hash(SUBJECT)
