"""The sample files themselves: ids, rubrics, evidence, and what a newcomer finds to do."""

from __future__ import annotations

import csv
import io
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from rubrictui.core.authoring import publish_problems
from rubrictui.core.evidence import check_evidence
from rubrictui.core.model import Node, ScaleType, VersionSnapshot
from rubrictui.core.records import EvaluationStatus, Subject
from rubrictui.interchange.documents import (
    ME,
    EvaluationEntry,
    Publication,
    RubricFile,
    ScaleFile,
    SubjectsFile,
)
from rubrictui.interchange.yaml_reader import read_files
from rubrictui.sample_data import ROOT, sample_files

WORKED_EXAMPLES = {"Agent evaluation", "Peer review", "Awards", "Procurement", "Accreditation", "Hiring"}
AGENT_RUBRICS = {
    "Research answer",
    "Query answer",
    "Generated code",
    "Schema proposal",
    "Catalog contract",
    "Picture from the data",
    "Duplicate decision",
    "Assistant reply",
}
DRAFTS = {"Lightning talk"}
MATTER_RUBRIC = ROOT / "examples" / "matter-review" / "rubric.yaml"

READING = read_files(sample_files())
RUBRICS = {d.name: d for d in READING.documents if isinstance(d, RubricFile)}
SUBJECT_FILES = [d for d in READING.documents if isinstance(d, SubjectsFile)]
SUBJECTS = {f"{s.entity}/{s.record_id}": s for d in SUBJECT_FILES for s in d.subjects}
EVALUATIONS = [e for d in SUBJECT_FILES for e in d.evaluations]
ASSIGNMENTS = [a for d in SUBJECT_FILES for a in d.assignments]


def leaves(version: VersionSnapshot) -> list[Node]:
    return [node for node in version.nodes if node.is_criterion]


def words(subject: Subject) -> int:
    return len(subject.text.split())


def named(entry: EvaluationEntry) -> str:
    return f"{entry.subject} by {entry.user}"


def test_every_file_reads_without_an_error_or_a_warning() -> None:
    assert READING.findings == ()


def test_every_file_in_the_folder_is_loaded_or_named_by_one_that_is() -> None:
    loaded = set(sample_files())
    named_files = set()
    for path in loaded:
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            for subject in document.get("subjects") or ():
                named_files.add(path.parent / subject["text_file"])
                named_files.update(path.parent / file["path"] for file in subject.get("files", ()))
    present = {
        p for p in ROOT.rglob("*") if p.is_file() and p.suffix != ".py" and "__pycache__" not in p.parts
    } - set(ROOT.glob("matters/**/*"))  # these are no rubrics; test_samples_matters.py counts them
    assert present == loaded | named_files


def test_every_record_has_its_own_uuid_in_lower_case() -> None:
    def ids(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if "id" in value:
                yield value["id"]
            for inner in value.values():
                yield from ids(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from ids(inner)

    found: list[tuple[str, int]] = []
    for path in sample_files():
        # Random ones, but in a rubric that is made from a matter: there they follow from the matter.
        version = 5 if path == MATTER_RUBRIC else 4
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            for subject in document.get("subjects") or ():
                subject.pop("data", None)  # its names are the work's own
            found += [(one, version) for one in ids(document)]
    assert len(found) > 200
    assert [one for one, count in Counter(one for one, _ in found).items() if count > 1] == []
    assert [
        one for one, version in found if str(uuid.UUID(one)) != one or uuid.UUID(one).version != version
    ] == []


def test_the_five_scales_are_there() -> None:
    shared = [d.scale for d in read_files([ROOT / "scales.yaml"]).documents if isinstance(d, ScaleFile)]
    scales = {scale.name: scale for scale in shared}
    assert {
        name: [(level.label, level.normalized_value) for level in scale.levels]
        for name, scale in scales.items()
    } == {
        "Meets / Partial / Miss": [("Miss", 0), ("Partial", 0.5), ("Meets", 1)],
        "Binary": [("Not met", 0), ("Met", 1)],
        "1–5 Likert": [("1", 0), ("2", 0.25), ("3", 0.5), ("4", 0.75), ("5", 1)],
        "Compliance": [("Non-compliant", 0), ("Partial", 0.5), ("Compliant", 1)],
        "Percentage": [],
    }
    percentage = scales["Percentage"]
    assert percentage.scale_type is ScaleType.NUMERIC
    assert (percentage.min_value, percentage.max_value) == (0, 100)


@pytest.mark.parametrize("name", sorted(RUBRICS))
def test_a_rubric_can_be_published_without_an_error_or_a_warning(name: str) -> None:
    assert publish_problems(RUBRICS[name].snapshot) == ()


@pytest.mark.parametrize("name", sorted(RUBRICS))
def test_every_level_of_every_criterion_has_an_anchor(name: str) -> None:
    version = RUBRICS[name].snapshot
    scales = {scale.id: scale for scale in version.scales}
    bare = [
        f"{node.key}: {level.label}"
        for node in leaves(version)
        for level in scales[node.scale_id or ""].levels
        if level.id not in {anchor.scale_level_id for anchor in node.anchors if anchor.descriptor}
    ]
    assert bare == []


def test_all_rubrics_but_the_draft_ship_published() -> None:
    publications = {d.rubric: d.version_id for d in READING.documents if isinstance(d, Publication)}
    assert publications == {name: r.snapshot.id for name, r in RUBRICS.items() if name not in DRAFTS}


def test_the_worked_examples_and_the_agent_rubrics_are_there() -> None:
    assert set(RUBRICS) >= WORKED_EXAMPLES | AGENT_RUBRICS
    assert {name for name, r in RUBRICS.items() if r.category == "Agents"} == AGENT_RUBRICS | {
        "Agent evaluation"
    }


@pytest.mark.parametrize("name", sorted(AGENT_RUBRICS))
def test_an_agent_rubric_passes_at_0_7_and_its_gates_fail_on_partial(name: str) -> None:
    version = RUBRICS[name].snapshot
    gates = [node for node in leaves(version) if node.is_gate]
    assert version.pass_threshold == 0.7
    assert gates != []
    assert {node.gate_minimum_score for node in gates} == {0.6}
    assert {scale.name for scale in version.scales} == {"Meets / Partial / Miss"}
    assert 4 <= len(leaves(version)) <= 6


@pytest.mark.parametrize("entry", EVALUATIONS, ids=named)
def test_an_evaluation_has_all_the_rationale_and_evidence_its_rubric_asks_for(entry: EvaluationEntry) -> None:
    required = {node.key: node for node in leaves(RUBRICS[entry.rubric].snapshot)}
    missing = [
        answer.criterion
        for answer in entry.answers
        if (required[answer.criterion].rationale_required and not answer.rationale)
        or (required[answer.criterion].evidence_required and not answer.evidence)
    ]
    assert missing == []


@pytest.mark.parametrize("entry", EVALUATIONS, ids=named)
def test_every_quote_stands_in_its_subject_word_for_word(entry: EvaluationEntry) -> None:
    subject = SUBJECTS[entry.subject]
    evidence = [one for answer in entry.answers for one in answer.evidence]
    assert [problem.message for problem in (check_evidence(subject, e) for e in evidence) if problem] == []


@pytest.mark.parametrize("entry", EVALUATIONS, ids=named)
def test_every_file_that_is_cited_belongs_to_its_subject(entry: EvaluationEntry) -> None:
    cited = {one.source for answer in entry.answers for one in answer.evidence} - {"text", None}
    assert cited <= {file.name for file in SUBJECTS[entry.subject].files}


def test_the_first_inbox_is_small_and_nothing_in_it_is_due_soon() -> None:
    assert 6 <= len(ASSIGNMENTS) <= 9
    assert {a.user for a in ASSIGNMENTS} == {ME}
    assert min(a.due_at.year for a in ASSIGNMENTS if a.due_at) >= 2031


def test_a_subject_whose_scores_are_there_to_be_looked_at_is_not_assigned() -> None:
    # An open assignment hides what peers gave; the worked examples are there to be read.
    assigned = {a.subject for a in ASSIGNMENTS}
    worked = {e.subject for e in EVALUATIONS if e.rubric in WORKED_EXAMPLES}
    assert assigned & worked == set()
    assert {"Abstract/beat", "Vendor Proposal/ostler-wren"} & assigned == set()


def test_someone_else_has_scored_an_assigned_subject_of_each_richer_rubric() -> None:
    scored = {e.subject for e in EVALUATIONS if e.status is EvaluationStatus.SUBMITTED}
    met = {a.rubric for a in ASSIGNMENTS if a.subject in scored}
    assert met == {"Conference abstract", "Vendor proposal", "Generated code"}


def test_the_assigned_rubrics_show_a_newcomer_each_feature_once() -> None:
    versions = [RUBRICS[name].snapshot for name in {a.rubric for a in ASSIGNMENTS}]
    nodes = [node for version in versions for node in version.nodes]
    scales = {scale.name: scale for version in versions for scale in version.scales}
    assert any(node.evidence_required and node.rationale_required for node in nodes)
    assert any(node.is_gate for node in nodes)
    assert any(node.is_advisory for node in nodes)
    assert any(node.rollup_method for node in nodes)
    assert {"NotAllowed", "ExcludeAndRedistribute", "CountAsZero"} <= {
        str(node.not_applicable_policy) for node in nodes
    }
    assert set(scales) == {"Meets / Partial / Miss", "Binary", "1–5 Likert", "Compliance", "Percentage"}
    assert any(version.bands for version in versions)
    assert {version.score_display_max for version in versions} >= {5, 10, 100}


@pytest.mark.parametrize(
    ("entity", "count", "low", "high"),
    [
        ("Abstract", 5, 250, 360),
        ("Vendor Proposal", 3, 600, 1200),
        ("Interview", 2, 300, 1000),
        ("Manuscript", 1, 250, 360),
    ],
)
def test_subjects_are_of_real_length(entity: str, count: int, low: int, high: int) -> None:
    found = [s for s in SUBJECTS.values() if s.entity == entity]
    assert len(found) == count
    assert [s.record_id for s in found if not low <= words(s) <= high] == []


@pytest.mark.parametrize("record", ["tavrel", "quillmere", "ostler-wren"])
def test_a_price_sheet_adds_up_to_the_price_of_the_proposal(record: str) -> None:
    subject = SUBJECTS[f"Vendor Proposal/{record}"]
    assert subject.data is not None
    sheet = next(file for file in subject.files if file.name == f"{record}-prices.csv")
    *items, total = csv.DictReader(io.StringIO(sheet.text))
    for item in (*items, total):
        years = [int(item[f"year_{year}"]) for year in (1, 2, 3)]
        assert sum(years) == int(item["total_eur"])
    assert sum(int(item["total_eur"]) for item in items) == int(total["total_eur"]) == subject.data["price"]
    assert f"{subject.data['price']:,}" in subject.text


def test_the_hunks_of_the_code_change_count_their_own_lines() -> None:
    subject = SUBJECTS["Code Change/retry-deliveries"]
    text = subject.files[0].text
    assert text is not None
    assert subject.data is not None
    added = removed = 0
    for hunk in text.split("\n@@ -")[1:]:
        head, *body = hunk.split("\n")
        old, new = (part.split(",") for part in head.split(" @@")[0].split(" +"))
        lines = [line for line in body[: _end_of_hunk(body)] if line]
        assert sum(line[0] in " -" for line in lines) == int(old[1])
        assert sum(line[0] in " +" for line in lines) == int(new[1])
        added += sum(line[0] == "+" for line in lines)
        removed += sum(line[0] == "-" for line in lines)
    assert (added, removed) == (subject.data["lines_added"], subject.data["lines_removed"])


def _end_of_hunk(body: list[str]) -> int:
    return next((at for at, line in enumerate(body) if line.startswith("diff --git")), len(body))
