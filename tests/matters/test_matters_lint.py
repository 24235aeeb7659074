"""Lint says where each problem stands, in an order one can work through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from written_matter import COUNTERPARTY, HIDDEN_FACTS, LEASE, MATTER, RUBRIC, write_matter

from rubrictui.ground.errors import InvalidInputError
from rubrictui.ground.findings import Finding
from rubrictui.matters.lint import lint
from rubrictui.matters.loading import Matter

FILES = {
    "matter": MATTER,
    "rubric": RUBRIC,
    "hidden_facts": HIDDEN_FACTS,
    "counterparty": COUNTERPARTY,
    "lease": LEASE,
}


class Change(NamedTuple):
    """One edit of a file of the sound matter, and what lint then tells."""

    what: str
    file: str
    before: str
    after: str
    told: list[str]

    def written(self, folder: Path) -> Path:
        text = FILES[self.file]
        assert self.before in text
        return write_matter(folder, **{self.file: text.replace(self.before, self.after)})


def told(findings: list[Finding], folder: Path) -> list[str]:
    """Findings as ``file:line:column code``, the folder left out."""
    return [
        f"{Path(finding.file).relative_to(folder)}:{finding.line}:{finding.column} {finding.code}"
        for finding in findings
    ]


def test_a_sound_matter_has_no_finding(tmp_path: Path) -> None:
    folder = write_matter(tmp_path / "m")
    assert lint(folder) == []
    assert lint(Matter.from_directory(folder)) == []


PLACES = [
    Change("an unknown issue in a position", "counterparty", "  notice:", "  notices:",
     ["counterparty.yaml:2:3 position_unknown_issue"]),
    Change("a severity", "rubric", "severity: high", "severity: High", ["rubric.yaml:13:15 severity_invalid"]),
    Change("an anchor that names nothing", "rubric", "anchor: lease §2.2", "anchor: lease §2.9",
     ["rubric.yaml:25:13 anchor_unresolved", "rubric.yaml:27:25 anchor_not_in_required_citations"]),
    Change("a citation that names nothing", "rubric", "policy §P.1]", "policy P.1]",
     ["rubric.yaml:14:38 required_citation_unresolved"]),
    Change("an anchor used twice", "rubric", "anchor: lease §2.2", "anchor: lease §2.1",
     ["rubric.yaml:25:13 anchor_shared", "rubric.yaml:27:25 anchor_not_in_required_citations"]),
    Change("a number beyond all numbers", "rubric", "    severity: high", "    severity: high\n    base_points: 1" + "0" * 400,
           ["rubric.yaml:14:18 points_not_numeric"]),
    Change("an answer that is null", "hidden_facts", "q_staff: Four at night.", "q_staff:",
           ["rubric.yaml:4:9 question_without_answer"]),
    Change("a key of a gate", "rubric", "negation_guard: true", "negate: true",
     ["rubric.yaml:19:9 gate_unknown_key"]),
    Change("a guard in quotes", "rubric", "negation_guard: true", 'negation_guard: "yes"',
     ["rubric.yaml:19:25 gate_guard_not_bool"]),
    Change("a pattern", "rubric", "      - tenant shall rebuild", "      - tenant (shall",
     ["rubric.yaml:23:9 gate_regex_invalid"]),
    Change("an answer to nothing", "hidden_facts", "  q_staff: Four", "  q_stuff: Four",
     ["rubric.yaml:4:9 question_without_answer", "hidden_facts.yaml:3:3 answer_unreachable"]),
    Change("a document that is not there", "matter", "documents/policy.md", "documents/police.md",
     ["matter.yaml:8:45 document_file_missing"]),
    Change("a document outside the folder", "matter", "documents/policy.md", "../policy.md",
     ["matter.yaml:8:45 document_file_missing"]),
    Change("a limit", "matter", "maximum_steps: 30", "maximum_steps: '30'",
     ["matter.yaml:5:30 constraint_not_positive_int"]),
    Change("a compulsory key", "matter", "role: Adviser to Marl Depot\n", "",
     ["matter.yaml:1:1 matter_key_missing"]),
    Change("a required issue that is none", "rubric", "[repairs]", "[repairs, roof, roof]",
     ["rubric.yaml:33:33 final_requires_unknown_issue"]),
    Change("a list that is none", "rubric", "escalations:\n  - id", "escalations:\n    id",
     ["rubric.yaml:7:5 escalation_id_missing", "hidden_facts.yaml:5:3 escalation_answer_unreachable"]),
    Change("a declared maximum", "rubric", "final_submission:", "max_score: 12\nfinal_submission:",
     ["rubric.yaml:32:12 max_score_differs"]),
]  # fmt: skip


@pytest.mark.parametrize("change", PLACES, ids=lambda change: str(change.what))
def test_a_finding_stands_where_the_author_must_look(change: Change, tmp_path: Path) -> None:
    folder = change.written(tmp_path / "m")
    assert told(lint(folder), folder) == change.told


def test_a_stage_with_errors_is_the_last(tmp_path: Path) -> None:
    wrong = RUBRIC.replace("severity: high", "severity: odd")
    folder = write_matter(tmp_path / "files", rubric=wrong, matter=None, counterparty="- a list\n")
    assert told(lint(folder), folder) == [
        "matter.yaml:1:1 file_missing",
        "counterparty.yaml:1:1 yaml_unloadable",
    ]
    folder = write_matter(tmp_path / "frame", rubric=wrong, lease="No heading at all.\n")
    assert told(lint(folder), folder) == ["documents/lease.md:1:1 document_without_sections"]


def test_a_file_that_is_not_yaml_is_one_finding_at_the_first_fault(tmp_path: Path) -> None:
    folder = write_matter(tmp_path / "m", rubric="issues:\n  - {id: a, id: b}\n  - {id: c, id: d}\n")
    (finding,) = lint(folder)
    assert (finding.code, finding.line, finding.column) == ("yaml_unloadable", 2, 13)
    assert "1 more" in finding.message


def test_what_keeps_a_matter_from_being_played_is_an_error_even_without_a_code_of_its_own(
    tmp_path: Path,
) -> None:
    folder = write_matter(
        tmp_path / "m", rubric=RUBRIC.replace("[opening date]", "[opening date]\n    points: half")
    )
    assert Matter.from_directory(folder).problems
    assert told(lint(folder), folder) == ["rubric.yaml:4:13 wrong_type"]


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="is not a directory"):
        lint(tmp_path / "nowhere")


PEDANTIC = [
    Change("an unknown key", "rubric", "    severity: high", "    severity: high\n    base_point: 2",
     ["rubric.yaml:14:5 key_unknown"]),
    Change("an unknown key of a document", "matter", "{id: lease,", "{id: lease, titel: x,",
     ["matter.yaml:7:17 key_unknown"]),
    Change("a bare heading", "lease", "# Lease\n", "# Lease\n## \n", ["documents/lease.md:2:1 section_heading_bare"]),
    Change("a repeated number", "lease", "## 2.2 Notice", "## 2.1. More\n\n## 2.2 Notice",
     ["documents/lease.md:6:1 section_repeated"]),
    Change("a concept inside another", "rubric", "[roof, landlord pays]", "[Roof, the  roof tiles]",
     ["rubric.yaml:15:25 concept_inside_another"]),
    Change("a concept twice", "rubric", "[roof, landlord pays]", "[roof, ROOF]",
     ["rubric.yaml:15:25 concept_repeated"]),
    Change("an empty concept", "rubric", "[roof, landlord pays]", "[roof, '  ']",
     ["rubric.yaml:15:31 concept_empty"]),
    Change("a question nobody reaches", "rubric", "[staff, night]", "[the opening date of staff]",
     ["rubric.yaml:5:15 question_shadowed"]),
    Change("an alias without words", "rubric", "[staff, night]", "[staff, night]\n    aliases: [[]]",
     ["rubric.yaml:6:15 variant_empty"]),
    Change("a guard that looks at its own words", "rubric", "the law forbids", "no law allows",
     ["rubric.yaml:18:9 gate_silences_itself"]),
    Change("a gate on the provision's own words", "rubric", "pattern: repairs are free", "pattern: tenant repairs",
     ["rubric.yaml:20:9 gate_fires_on_provision"]),
    Change("points for no concept", "rubric", "    redline_concepts: [fair wear]\n", "",
     ["rubric.yaml:11:5 points_unreachable"]),
    Change("too few questions", "matter", "maximum_client_questions: 3", "maximum_client_questions: 1",
     ["matter.yaml:5:60 budget_too_small"]),
    Change("too few steps", "matter", "maximum_steps: 30", "maximum_steps: 9",
     ["matter.yaml:5:30 budget_too_small"]),
    Change("a harmless trap", "counterparty", "Six months of notice.", "Two months of notice.",
     ["counterparty.yaml:5:9 trap_costs_nothing"]),
]  # fmt: skip
USUAL = [
    "rubric.yaml:11:3 severity_unused",
    "rubric.yaml:23:9 pattern_unguarded",
    "rubric.yaml:31:44 pattern_unguarded",
]


def test_pedantic_asks_about_what_a_sound_matter_leaves_open(tmp_path: Path) -> None:
    folder = write_matter(tmp_path / "m")
    assert told(lint(folder, pedantic=True), folder) == USUAL


@pytest.mark.parametrize("change", PEDANTIC, ids=lambda change: str(change.what))
def test_pedantic_warns_where_scoring_may_not_be_what_is_meant(change: Change, tmp_path: Path) -> None:
    folder = change.written(tmp_path / "m")
    usual = {line.split()[1] for line in USUAL}
    found = lint(folder, pedantic=True)
    assert [line for line in told(found, folder) if line.split()[1] not in usual] == change.told
    assert {finding.severity for finding in found} == {"warning"}


def test_every_code_is_explained_on_its_page() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "matters-checking.md").read_text(encoding="utf-8")
    vectors = Path(__file__).parent.parent / "vectors" / "matters" / "lint.json"
    codes = {line.split()[1] for change in PEDANTIC for line in change.told}
    codes |= {line.split()[1] for line in USUAL}
    for case in json.loads(vectors.read_text(encoding="utf-8")):
        codes |= {*case["expected"]["errors"], *case["expected"]["warnings"]}
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []
