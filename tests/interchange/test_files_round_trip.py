"""What is written is read back equal, whatever it holds, and the same values always give the same text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import (
    Anchor,
    Band,
    Bump,
    Evidence,
    EvidenceKind,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    ScaleType,
    VersionSnapshot,
)
from rubrictui.core.records import Context, EvaluationStatus, EvaluatorType, Role, Subject, User
from rubrictui.interchange.documents import (
    AnswerEntry,
    AssignmentEntry,
    ContextEntry,
    Document,
    EvaluationEntry,
    Publication,
    RubricFile,
    ScaleFile,
    SubjectsFile,
)
from rubrictui.interchange.subject_files import subject_file
from rubrictui.interchange.yaml_reader import read_text
from rubrictui.interchange.yaml_writer import write_document, write_documents

MEETS = Scale(
    id="scale-meets",
    name="Yes / 1 / on",
    levels=(
        Level(id="l0", label="No", value=0, normalized_value=0),
        Level(id="l1", label="1", value=1, normalized_value=0.5, description="Half of it: a # b"),
        Level(id="l2", label="Yes", value=2, normalized_value=1, sequence=7),
    ),
)
PERCENT = Scale(
    id="scale-percent",
    name="Percentage",
    scale_type=ScaleType.NUMERIC,
    min_value=0,
    max_value=100,
    step=0.5,
    higher_is_better=False,
)
RUBRIC = RubricFile(
    id="r1",
    name="Vendor: proposal",
    category="Procurement",
    description="",
    snapshot=VersionSnapshot(
        id="v1",
        rubric_id="r1",
        rubric_name="Vendor: proposal",
        instructions="Read it all.\n\n  Then score: slowly.\n",
        pass_threshold=0.6,
        minimum_completeness=0.8,
        not_applicable_policy=NotApplicablePolicy.COUNT_AS_ZERO,
        score_display_min=1,
        score_display_max=5,
        nodes=(
            Node(id="n1", key="security", name="Security", node_type=NodeType.GROUP, weight=2.5),
            Node(
                id="n2",
                key="encryption",
                parent_id="n1",
                name="Encryption",
                description="null",
                guidance="Line one\nline two",
                scale_id="scale-meets",
                is_gate=True,
                gate_minimum_score=0.6,
                not_applicable_policy=NotApplicablePolicy.NOT_ALLOWED,
                evidence_required=True,
                rationale_required=True,
                evaluator_config={"Extensions": {"A": [1, 1.5, None, True, "yes", "1e3", "2027-01-01"]}},
                anchors=(
                    Anchor(scale_level_id="l0", descriptor="Nothing at rest."),
                    Anchor(scale_level_id="l2", descriptor="All of it.", anchor_value=2),
                ),
            ),
            Node(id="n3", key="empty", parent_id="n1", node_type=NodeType.GROUP, sequence=1),
            Node(
                id="n4",
                key="price",
                scale_id="scale-percent",
                is_advisory=True,
                rollup_method=RollupMethod.MINIMUM,
                weight=0,
                sequence=5,
                anchors=(Anchor(anchor_value=80, descriptor="Cheap"), Anchor(anchor_value=20)),
            ),
        ),
        scales=(MEETS, PERCENT),
        bands=(
            Band(id="b1", label="Off", min_score=0, max_score=0.5, display_tone="Error"),
            Band(id="b2", label="On", description="Good", min_score=0.5, max_score=1, sequence=1),
        ),
    ),
)
SUBJECTS = SubjectsFile(
    users=(User(id="u1", name="a.moreau", display_name="Aline", roles=(Role.REVIEWER, Role.CHAIR)),),
    contexts=(
        ContextEntry(
            context=Context(
                id="c1",
                record_id="2027",
                name="Spring",
                due_at=datetime(2027, 3, 1, 16, tzinfo=UTC),
                due_zone="Europe/Zurich",
                self_allowed=True,
            ),
            rubric="Vendor: proposal",
        ),
    ),
    subjects=(
        Subject(
            id="s1",
            entity="Proposal",
            record_id="007",
            title="North: a # b",
            text="# Title\n\nA line with trailing blanks  \nand \x1b[31mred\x1b[0m \u202e 😀 text\n",
            data={"price": 1.0, "weeks": 12, "none": None, "tags": ["a", "no"], "nested": {"x": {}}},
            files=(subject_file("notes.md", "Räume\n".encode(), media_type="text/markdown"),),
        ),
    ),
    assignments=(
        AssignmentEntry(
            id="a1",
            subject="Proposal/007",
            context="Round/2027",
            rubric="Vendor: proposal",
            user="@me",
            due_at=datetime(2027, 2, 1, 12, 30, tzinfo=UTC),
        ),
    ),
    evaluations=(
        EvaluationEntry(
            id="e1",
            subject="Proposal/007",
            context="Round/2027",
            rubric="Vendor: proposal",
            user="a.moreau",
            evaluator_type=EvaluatorType.AI_PROMPT,
            evaluator_name="LLM",
            status=EvaluationStatus.WITHDRAWN,
            reason="Conflict of interest",
            supersedes="e0",
            metadata={"samples": 3},
            answers=(
                AnswerEntry(
                    criterion="encryption",
                    level="1",
                    confidence=0.25,
                    rationale="",
                    evidence=(
                        Evidence(kind=EvidenceKind.QUOTE, text="A line", source="text", start=0, end=6),
                    ),
                ),
                AnswerEntry(criterion="price", value=0),
            ),
        ),
    ),
)
PUBLICATION = Publication(rubric="Vendor: proposal", version_id="v1", bump=Bump.MINOR, summary="First: one")


def test_every_kind_of_document_is_read_back_equal() -> None:
    documents: list[Document] = [
        ScaleFile(scale=MEETS),
        ScaleFile(scale=PERCENT),
        RUBRIC,
        SUBJECTS,
        PUBLICATION,
    ]
    reading = read_text(write_documents(documents))
    assert [str(finding) for finding in reading.findings] == []
    assert list(reading.documents) == documents


def test_writing_again_what_was_read_gives_the_same_text() -> None:
    text = write_documents([ScaleFile(scale=MEETS), ScaleFile(scale=PERCENT), RUBRIC, SUBJECTS])
    assert write_documents(read_text(text).documents) == text


def test_long_text_stands_in_a_block_and_whole_numbers_have_no_point() -> None:
    text = write_documents([ScaleFile(scale=MEETS), RUBRIC])
    assert "    instructions: |\n" not in text
    assert "  instructions: |\n    Read it all.\n\n      Then score: slowly.\n" in text
    assert "normalized_value: 1\n" in text


@pytest.mark.parametrize("type_", [int, float])
def test_a_number_in_data_keeps_its_kind(type_: type) -> None:
    subject = Subject(id="s", record_id="r", data={"n": type_(3)})
    reading = read_text(write_document(SubjectsFile(subjects=(subject,))))
    document = reading.documents[0]
    assert isinstance(document, SubjectsFile)
    assert type((document.subjects[0].data or {})["n"]) is type_


def test_nodes_without_a_root_and_files_without_content_are_refused() -> None:
    orphan = VersionSnapshot(id="v", nodes=(Node(id="a", key="a", parent_id="gone"),))
    with pytest.raises(InvalidInputError, match="below no root"):
        write_document(RubricFile(id="r", name="R", snapshot=orphan))
    with pytest.raises(InvalidInputError, match="cannot be written"):
        write_document(ScaleFile(scale=Scale(id="s", name="\ud800", levels=())))


# Any text at all: controls, quotes, colons, words of YAML 1.1, emoji, leading and trailing blanks.
texts = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.sampled_from(
        [
            "Yes",
            "off",
            "null",
            "~",
            "1e3",
            "0o17",
            "1_000",
            "12:30:45",
            "2027-01-01",
            "=",
            "<<",
            ".nan",
            "- a",
        ]
    ),
    st.text(st.sampled_from(" \n\t#:-'\"|>&*!%@`ab\x85\u2028\ufeff"), max_size=20),
)
numbers = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), st.just(-0.0)
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts, title=texts, data=st.dictionaries(texts, json_values, max_size=4))
def test_any_text_and_any_data_survive(text: str, title: str, data: dict[str, Any]) -> None:
    subject = Subject(id="s", record_id="r", title=title, text=text, data=data)
    reading = read_text(write_document(SubjectsFile(subjects=(subject,))))
    assert [str(finding) for finding in reading.findings] == []
    assert reading.documents == (SubjectsFile(subjects=(subject,)),)


@settings(max_examples=100, deadline=None)
@given(
    labels=st.lists(texts.filter(lambda label: label != ""), min_size=1, max_size=5, unique=True),
    descriptors=st.lists(texts, min_size=5, max_size=5),
)
def test_any_label_survives_in_a_scale_and_in_an_anchor(labels: list[str], descriptors: list[str]) -> None:
    scale = Scale(
        id="s",
        name="S",
        levels=tuple(
            Level(id=f"l{index}", label=label, sequence=index) for index, label in enumerate(labels)
        ),
    )
    node = Node(
        id="n",
        key="k",
        scale_id="s",
        anchors=tuple(
            Anchor(scale_level_id=f"l{index}", descriptor=text)
            for index, (_, text) in enumerate(zip(labels, descriptors, strict=False))
        ),
    )
    rubric = RubricFile(
        id="r",
        name="R",
        snapshot=VersionSnapshot(id="v", rubric_id="r", rubric_name="R", nodes=(node,), scales=(scale,)),
    )
    reading = read_text(write_documents([ScaleFile(scale=scale), rubric]))
    assert [str(finding) for finding in reading.findings] == []
    assert reading.documents == (ScaleFile(scale=scale), rubric)
