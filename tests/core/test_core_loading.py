"""JSON in: what is read, and how what cannot be read is refused. JSON out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rubrictui.core import loading
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.loading import answers_from_json, json_value, to_json, version_from_json
from rubrictui.core.model import Answer, EvidenceKind, Node, NodeType, Scale, VersionSnapshot
from rubrictui.core.scoring import compute

NODE = {"id": "n", "key": "budget"}


def test_text_bytes_and_decoded_objects_are_the_same_version() -> None:
    value = {"nodes": [{**NODE, "node_type": "Group", "weight": 2}], "scales": [{"id": "s"}]}
    text = json.dumps(value)
    expected = VersionSnapshot(
        nodes=(Node(id="n", key="budget", node_type=NodeType.GROUP, weight=2.0),), scales=(Scale(id="s"),)
    )
    for data in (text, text.encode(), b"\xef\xbb\xbf" + text.encode(), "\ufeff" + text, value):
        assert version_from_json(data) == expected


def test_null_stands_for_the_default_wherever_a_key_is_optional() -> None:
    nulls = {key: None for key in Node.__struct_fields__ if key not in NODE}
    scale = {"id": "s", **{key: None for key in Scale.__struct_fields__ if key != "id"}}
    assert version_from_json(
        {"nodes": [{**NODE, **nulls}], "scales": [scale], "bands": None}
    ) == VersionSnapshot(nodes=(Node(id="n", key="budget"),), scales=(Scale(id="s"),))
    answer = {"criterion_id": "n", **{key: None for key in Answer.__struct_fields__ if key != "criterion_id"}}
    assert answers_from_json([answer]) == (Answer(criterion_id="n"),)


def test_null_inside_what_authors_configure_freely_is_kept() -> None:
    version = version_from_json({"nodes": [{**NODE, "evaluator_config": {"Values": [None], "Path": None}}]})
    assert version.nodes[0].evaluator_config == {"Values": [None], "Path": None}


def test_answers_are_read_with_their_evidence() -> None:
    data = '[{"criterion_id":"n","raw_value":3,"evidence":[{"kind":"quote","text":"so","start":1,"end":3}]}]'
    (answer,) = answers_from_json(data)
    assert answer.raw_value == 3.0
    assert answer.evidence[0].kind is EvidenceKind.QUOTE


def version_with(**fields: Any) -> dict[str, Any]:
    return {"nodes": [{"id": "first", "key": "first"}, {**NODE, **fields}]}


def level_with(score: Any) -> dict[str, Any]:
    return {"scales": [{"id": "s", "levels": [{"id": "l", "label": "Great", "normalized_value": score}]}]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('{"nodes": [', "This is not JSON: line 1, column 12: expecting value. Correct it there."),
        ("", "There is nothing in it. Write JSON."),
        (b"\xff", "Byte 0 is not UTF-8. Save the file as UTF-8."),
        ('{"nodes":[],\n"nodes":[]}', '$: the key "nodes" stands twice. Keep one of the two.'),
        (
            '{"nodes":[{"id":"n","key":"budget","evaluator_config":{"a":{"b":1,"b":2}}}]}',
            '$.nodes[0].evaluator_config.a (criterion "budget"): the key "b" stands twice. Keep one of the two.',
        ),
        (
            '{"nodes":[{"id":"n","key":"budget","weight":NaN}]}',
            '$.nodes[0].weight (criterion "budget"): NaN is not a number of JSON. Write a finite number, or null.',
        ),
        (
            '{"pass_threshold":1e999}',
            "$.pass_threshold: an infinity is not a number of JSON. Write a finite number, or null.",
        ),
        (
            '{"pass_threshold":-Infinity}',
            "$.pass_threshold: an infinity is not a number of JSON. Write a finite number, or null.",
        ),
        ("9" * 5000, "A number has too many digits. Write it as text."),
        ('"\\ud800"', "$: the text holds half a character (a lone surrogate). Remove it."),
        ([], "$: an object is needed, this is a list. Write an object."),
        (None, "$: an object is needed, this is null. Write an object."),
        (
            version_with(weight=-1),
            '$.nodes[1].weight (criterion "budget"): a weight of -1 is below zero. Write 0 or more.',
        ),
        (
            version_with(weight="2"),
            '$.nodes[1].weight (criterion "budget"): a number is needed, this is text. Write a number.',
        ),
        (
            version_with(gate_minimum_score=[]),
            '$.nodes[1].gate_minimum_score (criterion "budget"): a number or null is needed, this is a list. '
            "Write a number or null.",
        ),
        (
            version_with(is_gate=1),
            '$.nodes[1].is_gate (criterion "budget"): true or false is needed, this is a whole number. Write true or false.',
        ),
        (
            version_with(colour=1),
            '$.nodes[1] (criterion "budget"): "colour" is not a known key. Correct its spelling, or remove it.',
        ),
        (
            version_with(node_type="Leaf"),
            "$.nodes[1].node_type (criterion \"budget\"): 'Leaf' is not a known word. Write one of Group, Criterion.",
        ),
        (
            version_with(sequence=10**30),
            '$.nodes[1].sequence (criterion "budget"): the sequence is out of range. Number siblings from 0.',
        ),
        (
            version_with(weight=10**400),
            '$.nodes[1].weight (criterion "budget"): a number has more than 308 digits. Write it as text.',
        ),
        ({"nodes": [{"key": "budget"}]}, '$.nodes[0] (criterion "budget"): "id" is missing. Add it.'),
        (
            level_with(1.5),
            '$.scales[0].levels[0].normalized_value (label "Great"): a score of 1.5 is out of range. Write one from 0 to 1.',
        ),
        ({1: 2}, "$: the key 1 is not text. Write keys as text."),
        (
            version_with(evaluator_config={"x": {1}}),
            '$.nodes[1].evaluator_config.x (criterion "budget"): a value of type set has no place in JSON. Use text, numbers, true, false, null, lists and objects.',
        ),
    ],
)
def test_a_version_that_cannot_be_read_is_refused_in_one_line_with_place_and_remedy(
    data: Any, message: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        version_from_json(data)
    assert str(caught.value) == message
    with pytest.raises(InvalidInputError) as named:
        version_from_json(data, where="file.json")
    assert str(named.value).casefold() == f"file.json: {message}".casefold()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "$: a list is needed, this is an object. Write a list."),
        (
            [{"criterion_id": "n", "confidence": 85}],
            '$[0].confidence (criterion "n"): a confidence of 85 is out of range. Write one from 0 to 1.',
        ),
        ([{"criterion_id": None}], "$[0].criterion_id: text is needed, this is null. Write text."),
        ([{"raw_value": 1}], '$[0]: "criterion_id" is missing. Add it.'),
        ([7], "$[0]: an object is needed, this is a whole number. Write an object."),
        (
            [{"criterion_id": "n", "evidence": [{"kind": "Quote"}]}],
            "$[0].evidence[0].kind (criterion \"n\"): 'Quote' is not a known word. Write one of quote, file, link, note.",
        ),
    ],
)
def test_answers_that_cannot_be_read_are_refused_likewise(data: Any, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        answers_from_json(data)
    assert str(caught.value) == message


@pytest.mark.parametrize("data", ["[" * 200_000, '{"a":' * 101 + "1" + "}" * 101, "[" * 101 + "]" * 101])
def test_what_is_nested_too_deep_is_refused(data: str) -> None:
    with pytest.raises(InvalidInputError, match="nested more than 100 deep"):
        json_value(data)


def test_a_value_that_holds_itself_is_refused_as_too_deep() -> None:
    value: dict[str, Any] = {}
    value["again"] = value
    with pytest.raises(InvalidInputError, match="nested more than 100 deep"):
        version_from_json(value)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert json_value("[" * 100 + "]" * 100)


def test_what_is_too_long_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_BYTES", 10)
    with pytest.raises(InvalidInputError, match="long"):
        json_value(" " * 11)
    assert json_value("[1,2,3]") == [1, 2, 3]


def test_text_from_the_document_cannot_break_the_line_or_reach_the_terminal() -> None:
    with pytest.raises(InvalidInputError) as caught:
        version_from_json({"nodes": [{"id": "n", "key": "evil\n\x1b[2J" + "x" * 500, "colour": 1}]})
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def test_results_are_written_with_the_field_names_of_the_vectors() -> None:
    version = version_from_json({"nodes": [{**NODE, "scale_id": "s"}], **level_with(1)})
    result = compute(version, answers_from_json([{"criterion_id": "n", "scale_level_id": "l"}]))
    assert json.loads(to_json(result)) == {
        "normalized_score": 1,
        "completeness": 1,
        "outcome": "Scored",
        "passed": None,
        "gate_failed": False,
        "pass_threshold_applied": None,
        "band_id": None,
        "confidence": None,
        "nodes": [
            {
                "id": "n",
                "key": "budget",
                "normalized_score": 1,
                "effective_weight": 1,
                "overall_contribution": 1,
                "gate_failed": False,
                "is_not_applicable": False,
                "is_advisory": False,
            }
        ],
    }


def test_what_is_written_reads_back_equal() -> None:
    version = version_from_json(
        {"nodes": [{**NODE, "scale_id": "s", "evaluator_config": {"a": [1]}}], **level_with(1)}
    )
    assert version_from_json(to_json(version)) == version


def test_a_million_numbers_are_checked_in_one_step_and_a_bad_one_is_still_placed() -> None:
    pairs = [[1, None, True, 0.5]] * 3
    assert json_value(json.dumps({"pairs": pairs}))["pairs"] == pairs
    for word, what in (("NaN", "NaN is not"), ("-Infinity", "an infinity"), ("1" + "0" * 400, "308 digits")):
        with pytest.raises(InvalidInputError, match=rf"\$\.pairs\[1\]\[2\]: .*{what}"):
            json_value(f'{{"pairs": [[1, 2], [0, null, {word}]]}}')


def test_nothing_is_said_to_be_nothing() -> None:
    with pytest.raises(InvalidInputError, match="there is nothing in it"):
        answers_from_json(" \n", where="a.json")
