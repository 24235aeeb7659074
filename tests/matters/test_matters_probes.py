"""A probe file is a test of gates: it says which text broke which promise, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from written_matter import write_matter

from rubrictui.ground.errors import InvalidInputError
from rubrictui.matters.gate_lab import find_gates, gates_of, judge
from rubrictui.matters.loading import Matter
from rubrictui.matters.probes import ProbeOutcome, read_probes, run_probes

PROBES = """\
probes:
  - gate: repairs/critical/1
    must_fire:
      - The law forbids repair clauses.
      - "Not here. The LAW
        forbids repair clauses."
    must_not_fire:
      - It is not so that the law forbids repair clauses.
  - gate: repairs are free
    must_fire: ["Repairs are free, for instance."]
  - entry: six months
    must_not_fire: [Six  months of notice]
"""


def outcomes(folder: Path, probes: str) -> tuple[ProbeOutcome, ...]:
    (folder / "probes.yaml").write_text(probes, encoding="utf-8")
    return run_probes(read_probes(folder)).outcomes


def test_every_text_is_judged_as_scoring_sees_it(tmp_path: Path) -> None:
    found = outcomes(write_matter(tmp_path / "m"), PROBES)
    assert [(one.gate, one.fires, one.passed) for one in found] == [
        ("repairs/critical/1", True, True),
        ("repairs/critical/1", True, True),
        ("repairs/critical/1", False, True),
        ("repairs/critical/2", False, False),
        ("six months", True, False),
    ]


def test_a_failure_says_where_it_stands_and_which_word_decided(tmp_path: Path) -> None:
    found = outcomes(write_matter(tmp_path / "m"), PROBES)
    assert [(one.line, one.column, one.why) for one in found if not one.passed] == [
        (10, 17, '"repairs are free" saved: exclude_context finds "for instance" in its sentence'),
        (12, 21, '"six months" fires'),
    ]


def test_a_gate_that_the_matter_lost_fails_its_probes(tmp_path: Path) -> None:
    (outcome,) = outcomes(
        write_matter(tmp_path / "m"), "probes:\n  - {gate: rapairs/critical/1, must_not_fire: [x]}\n"
    )
    assert (outcome.fires, outcome.passed) == (None, False)
    assert outcome.why.startswith('the matter has no gate "rapairs/critical/1". It has repairs/critical/1,')


def test_a_pattern_without_end_fails_its_probe_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrictui.matters.gates.TIME_LIMIT", 0.05)
    probes = "probes:\n  - {entry: '(a|aa)+$', must_not_fire: [" + "a" * 60 + "b]}\n"
    (outcome,) = outcomes(write_matter(tmp_path / "m"), probes)
    assert (outcome.fires, outcome.passed) == (None, False)
    assert "(a|aa)+$" in outcome.why


def test_gates_without_a_probe_are_named(tmp_path: Path) -> None:
    folder = write_matter(tmp_path / "m")
    (folder / "probes.yaml").write_text(PROBES, encoding="utf-8")
    assert run_probes(read_probes(folder)).unprobed == ("repairs/redline/1", "notice/settlement/1")


def test_probes_of_entries_of_their_own_need_no_matter(tmp_path: Path) -> None:
    file = tmp_path / "alone.yaml"
    file.write_text("probes:\n  - {entry: {pattern: free}, must_fire: [Free of charge]}\n", encoding="utf-8")
    report = run_probes(read_probes(file))
    assert (report.failures, report.unprobed) == ((), ())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("- a list\n", ":1:1: error: a probe file must be one mapping"),
        ("probes: []\n", ":1:9: error: probes must be a list"),
        ("probes:\n  - {gate: a, entry: b, must_fire: [x]}\n", ":2:5: error: probes[1] needs either gate"),
        ("probes:\n  - {must_fire: [x]}\n", ":2:5: error: probes[1] needs either gate"),
        (
            "probes:\n  - {entry: (, must_fire: [x]}\n",
            ":2:13: error: probes[1].entry: the pattern is no regex",
        ),
        ("probes:\n  - {gate: a, must_fires: [x]}\n", ':2:15: error: a probe has no key "must_fires"'),
        ("probes:\n  - {gate: a, must_fire: x}\n", ":2:26: error: probes[1].must_fire must be a list"),
        ("probes:\n  - {gate: a, must_fire: [1]}\n", ":2:27: error: probes[1].must_fire[1] must be a text"),
        ("probs: []\nprobes: [{gate: a, must_fire: [x]}]\n", ':1:1: error: a probe file has no key "probs"'),
    ],
)
def test_a_file_that_is_no_probe_file_is_refused_at_its_place(text: str, place: str, tmp_path: Path) -> None:
    file = tmp_path / "probes.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        read_probes(file)
    assert f"{file}{place}" in str(caught.value)


def test_gates_are_found_by_name_by_pattern_and_by_issue(tmp_path: Path) -> None:
    matter = Matter.from_directory(write_matter(tmp_path / "m"))
    assert [gate.name for gate in gates_of(matter)] == [
        "repairs/critical/1",
        "repairs/critical/2",
        "repairs/redline/1",
        "notice/settlement/1",
    ]
    assert [gate.name for gate in find_gates(matter, "six months")] == ["notice/settlement/1"]
    assert len(find_gates(matter, "repairs")) == 3


def test_a_line_break_ends_a_sentence_only_in_the_text_as_given() -> None:
    found = judge({"pattern": "repairs are free", "negation_guard": True}, "It is not\nso: repairs are free")
    assert (found.fires, found.fires_normalized) == (True, False)
