"""JSON is read as JSON, nothing more and nothing less, and every value knows its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubrictui.ground.findings import Findings
from rubrictui.ground.yaml_nodes import MappingNode, ScalarNode, SequenceNode, YamlNode
from rubrictui.interchange import json_nodes
from rubrictui.interchange.json_nodes import read_json_node


def plain(node: YamlNode | None) -> Any:
    if isinstance(node, ScalarNode):
        return json.loads(node.text) if node.plain else node.text
    if isinstance(node, SequenceNode):
        return [plain(item) for item in node.items]
    assert isinstance(node, MappingNode)
    return {key: plain(value) for key, (_, value) in node.pairs.items()}


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(codec="utf-8")),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(value=values, indent=st.sampled_from([None, 2, "\t"]), ascii=st.booleans())
def test_whatever_json_holds_is_read_as_written(value: Any, indent: Any, ascii: bool) -> None:
    findings = Findings("f.json")
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    assert plain(read_json_node(text, findings)) == value
    assert findings.all == []


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.sampled_from(' \n[]{},:"\\eE+-.0123456789truefalsn/u'), max_size=25))
def test_what_is_no_json_is_a_finding_and_never_a_crash(text: str) -> None:
    findings = Findings("f.json")
    node = read_json_node(text, findings)
    try:
        expected = json.loads(text)
    except ValueError:
        assert node is None
        assert len(findings.all) == 1
    else:
        assert findings.all or plain(node) == expected


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", (1, 1), "it ends where a value belongs"),
        ('{\n  "a": 1,\n}', (3, 1), "name in double quotes"),
        ('{\n\t"a": 1\n\t"b": 2}', (3, 2), "where a comma"),
        ("[1] // no", (1, 5), '"//" stands after the end'),
        ("[NaN]", (1, 2), '"NaN" stands where a value'),
        ("[\r\n01]", (2, 2), '"1" stands where a comma'),
        ('{"a": 1, "a": 2}', (1, 10), "was given before, on line 1"),
        ('["a\nb"]', (1, 4), "bad character"),
        ('["\\ud800"]', (1, 2), "surrogate"),
        ('["abc', (1, 2), "no end"),
        ("[" * 101 + "]" * 101, (1, 101), "nested more than 100 deep"),
    ],
)
def test_a_mistake_is_told_where_it_stands(text: str, place: tuple[int, int], words: str) -> None:
    findings = Findings("f.json")
    read_json_node(text, findings)
    (finding,) = findings.all
    assert (finding.line, finding.column) == place
    assert words in finding.message


def test_every_value_knows_its_line_and_column() -> None:
    node = read_json_node('{"a": [1,\n   "b"],\r\n "c":{}}', Findings("f"))
    assert isinstance(node, MappingNode)
    at, items = node.pairs["a"]
    assert (at, items.at) == ((1, 2), (1, 7))
    assert isinstance(items, SequenceNode)
    assert [item.at for item in items.items] == [(1, 8), (2, 4)]
    assert node.place("c") == (3, 6)


def test_more_values_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_nodes, "MAX_NODES", 3)
    findings = Findings("f")
    assert read_json_node("[1, 2, 3]", findings) is None
    assert findings.all[0].code == "too_large"
