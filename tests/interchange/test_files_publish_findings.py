"""What stands against publishing a file's version is told at the line it stands on."""

from __future__ import annotations

import pytest

from rubrictui.core.authoring import Problem
from rubrictui.interchange.documents import RubricFile
from rubrictui.interchange.places import Places, publish_findings, publish_findings_beside
from rubrictui.interchange.yaml_reader import read_text

TEXT = """\
kind: scale
id: s1
name: Meets
levels:
  - {id: l0, label: Miss, normalized_value: 0}
  - {id: l1, label: Meets, normalized_value: 1}
---
kind: rubric
id: r1
name: Vendor
version:
  id: v1
  criteria:
    - id: c1
      key: price
      scale: Meets
      is_gate: true
    - id: c2
      key: bare
    - id: g1
      key: group
      node_type: Group
  bands:
    - {id: b1, label: Low, min_score: 0, max_score: 0.5}
    - {id: b2, label: High, min_score: 0.4, max_score: 0.9}
"""


def test_problems_of_nodes_bands_and_the_version_get_their_lines() -> None:
    (entry,) = [one for one in read_text(TEXT, file="f.yaml").entries if isinstance(one.document, RubricFile)]
    assert isinstance(entry.document, RubricFile)
    assert entry.places is not None
    told = {(f.code, f.line, f.column) for f in publish_findings(entry.document.snapshot, entry.places)}
    assert told >= {
        ("gate_minimum_missing", 17, 16),
        ("scale_missing", 18, 7),
        ("group_empty", 20, 7),
        ("band_overlap", 25, 40),
        ("band_gap", 24, 5),
    }


@pytest.mark.parametrize("problem", [Problem(code="new_rule", severity="error", message="M.", remedy="R.")])
def test_a_problem_of_no_known_place_stands_at_the_top(problem: Problem) -> None:
    assert str(Places(file="x").finding(problem)) == "x:1:1: error: M. R."


def test_a_mistake_of_form_hides_nothing_of_other_nodes_and_seems_to_make_none() -> None:
    text = TEXT.replace("key: price", "key: price\n      bogus: 1").replace(
        "    - id: g1",
        "    - id: c3\n      key: heavy\n      scale: Meets\n      weight: much\n      is_gate: true\n    - id: g1",
    )
    reading = read_text(text, file="f.yaml")
    assert {finding.code for finding in reading.findings} == {"unknown_field", "wrong_type"}
    (entry,) = [one for one in reading.damaged if isinstance(one.document, RubricFile)]
    assert isinstance(entry.document, RubricFile)
    assert entry.places is not None
    beside = publish_findings_beside(entry.document.snapshot, entry.places, reading.findings)
    # Of the price, whose unknown field takes nothing away; not of the criterion whose weight was lost.
    assert [(one.code, one.line) for one in beside if one.severity == "error"] == [
        ("gate_minimum_missing", 18),
        ("scale_missing", 19),
    ]
