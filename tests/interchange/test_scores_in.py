"""Answers that were given elsewhere: every shape a file may have, and every error with its row and column."""

from __future__ import annotations

import json

import pytest

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import Answer, Level, Node, NodeType, Scale, ScaleType, VersionSnapshot
from rubrictui.interchange.scores_in import ScoreOptions, ScoresRead, mapping_of, read_scores

VERSION = VersionSnapshot(
    nodes=(
        Node(id="g", key="work", node_type=NodeType.GROUP),
        Node(id="c1", key="argument", parent_id="g", scale_id="mpm"),
        Node(id="c2", key="sources", parent_id="g", scale_id="mpm"),
        Node(id="c3", key="weeks", scale_id="weeks"),
    ),
    scales=(
        Scale(
            id="mpm",
            levels=(
                Level(id="miss", label="Miss", value=0, normalized_value=0),
                Level(id="partial", label="Partial", value=1, normalized_value=0.5),
                Level(id="meets", label="Meets", value=2, normalized_value=1),
            ),
        ),
        Scale(id="weeks", scale_type=ScaleType.NUMERIC, min_value=0, max_value=10),
    ),
)


def read(text: str | bytes, name: str = "a.csv", **options: object) -> ScoresRead:
    data = text.encode() if isinstance(text, str) else text
    return read_scores(data, name, VERSION, ScoreOptions(**options))


def said(read: ScoresRead) -> dict[str, dict[str, object]]:
    """Subject -> criterion id -> the level, the number or N/A."""
    assert read.findings == ()
    return {
        entry.subject: {
            one.criterion_id: "N/A" if one.is_not_applicable else one.scale_level_id or one.raw_value
            for one in entry.answers
        }
        for entry in read.entries
    }


WHOLE = {"Paper/a": {"c1": "meets", "c2": "N/A", "c3": 3.0}, "Paper/b": {"c1": "partial"}}
SHAPES = {
    "a column for each criterion": (
        "subject,argument,sources,weeks\nPaper/a,Meets,n/a,3\nPaper/b,partial,,\n"
    ),
    "semicolons, a mark and the entity apart": (
        "\ufeffrecord;entity;argument;sources;weeks\na;Paper;MEETS;N/A;3.0\nb;Paper;Partial;;\n"
    ),
    "a row for each answer": (
        "subject,criterion,answer\nPaper/a,argument,Meets\nPaper/b,argument,1\nPaper/a,sources,NA\nPaper/a,weeks,3\n"
    ),
    "JSON Lines with keys": (
        '{"subject": "Paper/a", "argument": "Meets", "sources": "N/A", "weeks": 3}\n\n'
        '{"subject": "Paper/b", "argument": 1}\n'
    ),
    "JSON Lines with a line for each answer": (
        '{"subject": "Paper/a", "criterion": "argument", "level": "Meets"}\n'
        '{"subject": "Paper/a", "criterion": "sources", "not_applicable": true}\n'
        '{"subject": "Paper/a", "criterion": "weeks", "value": 3.0}\n'
        '{"subject": "Paper/b", "criterion": "argument", "level": "Partial"}\n'
    ),
    "a JSON list with answers below": json.dumps(
        [
            {
                "subject": "Paper/a",
                "answers": {"argument": {"level": "Meets"}, "sources": {"not_applicable": True}, "weeks": 3},
            },
            {"subject": "Paper/b", "answers": [{"criterion": "argument", "level": "Partial"}]},
        ],
        indent=1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_every_shape_says_the_same(text: str) -> None:
    assert said(read(text)) == WHOLE


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(encoding: str) -> None:
    assert said(read(SHAPES["a column for each criterion"].encode(encoding))) == WHOLE
    assert said(read(SHAPES["JSON Lines with keys"].encode(encoding))) == WHOLE


def test_rationale_confidence_and_evidence_come_along() -> None:
    found = read(
        "subject,argument,argument.rationale,argument.confidence,argument.evidence\n"
        'Paper/a,Meets,It holds.,0.9,Tides rise\n'
        'Paper/b,Meets,,,"[{""kind"": ""note"", ""text"": ""seen""}, ""Tides""]"\n'
    )  # fmt: skip
    first, second = (entry.answers[0] for entry in found.entries)
    assert (first.rationale, first.confidence) == ("It holds.", 0.9)
    assert [(one.kind, one.text) for one in first.evidence] == [("quote", "Tides rise")]
    assert [(one.kind, one.text) for one in second.evidence] == [("note", "seen"), ("quote", "Tides")]


def test_a_rationale_alone_is_kept_without_an_answer() -> None:
    (entry,) = read("subject,argument,argument.rationale\nPaper/a,,Cannot tell.\n").entries
    assert entry.answers == (Answer(criterion_id="c1", rationale="Cannot tell."),)


def test_names_and_values_of_a_file_can_be_given_their_meaning() -> None:
    found = read(
        "subject,quality,note,weeks\nPaper/a,good,x,late\n",
        columns={"quality": "argument"},
        levels=mapping_of(["good=Meets,late=10"], "--levels"),
        ignored=("Note",),
    )
    assert said(found) == {"Paper/a": {"c1": "meets", "c3": 10.0}}


def test_rows_without_an_answer_are_left_out_and_counted() -> None:
    found = read("subject,argument\nPaper/a,Meets\nPaper/b,\n , \nPaper/c,\n")
    assert list(said(found)) == ["Paper/a"]
    assert found.notes == ("2 rows without an answer left out (rows 3, 5).",)


FAULTS = {
    "an unknown level": ("subject,argument\nP/a,Good\n", (2, 2), 'argument: "Good" is no level'),
    "an unknown column": ("subject,argumnet\nP/a,Meets\n", (1, 2), 'Did you mean "argument"?'),
    "no subject column": ("who,argument\nP/a,Meets\n", (1, 1), "no column names the subject"),
    "an empty subject": ("subject,argument\n,Meets\n", (2, 1), "no subject is named"),
    "no criterion at all": ("subject,entity\na,P\n", (1, 1), "no column answers a criterion"),
    "a column twice": ("subject,argument,argument\nP/a,Meets,Miss\n", (1, 3), "stands twice"),
    "too many cells": ("subject,argument\nP/a,Meets,3\n", (2, 3), "3 cells under 2 columns"),
    "a subject twice": ("subject,argument\nP/a,Meets\nP/a,Miss\n", (3, 1), "stands in row 2 already"),
    "an answer twice": (
        "subject,criterion,answer\nP/a,argument,Meets\nP/a,argument,Miss\n",
        (3, 3),
        "is answered in row 2 already",
    ),
    "an unknown criterion": (
        "subject,criterion,answer\nP/a,style,Meets\n",
        (2, 2),
        '"style" is no criterion',
    ),
    "NaN in a table": ("subject,weeks\nP/a,NaN\n", (2, 2), 'weeks: "NaN" is no number from 0 to 10'),
    "an infinity": ("subject,weeks\nP/a,inf\n", (2, 2), "is no number"),
    "a confidence out of range": (
        "subject,argument,argument.confidence\nP/a,Meets,7\n",
        (2, 3),
        "is no confidence from 0 to 1",
    ),
    "N/A and a level": (
        "subject,criterion,level,not_applicable\nP/a,argument,Meets,yes\n",
        (2, 3),
        "answered and not applicable at once",
    ),
    "an answer told twice": (
        "subject,criterion,level,value\nP/a,argument,Meets,2\n",
        (2, 4),
        '"level" and "value" both give the answer',
    ),
    "NaN in JSON": ('{"subject": "P/a", "weeks": NaN}\n', (1, 1), "NaN is not a number of JSON"),
    "a line that is no JSON": (
        '{"subject": "P/a", "weeks": 1}\n{"subject": "P/b", weeks}\n',
        (2, 1),
        "This is not JSON",
    ),
    "a key twice": ('{"subject": "P/a", "weeks": 1, "weeks": 2}\n', (1, 1), 'the key "weeks" stands twice'),
    "a row that is no object": ('[{"subject": "P/a", "weeks": 1}, 3]', (2, 1), "must be an object"),
    "evidence of no kind": (
        '{"subject": "P/a", "argument": {"level": "Meets", "evidence": [{"kind": "rumour"}]}}\n',
        (1, 1),
        "this is no evidence",
    ),
    "a rationale that is no text": (
        '{"subject": "P/a", "argument": {"level": "Meets", "rationale": 3}}\n',
        (1, 1),
        "is no text",
    ),
    "a field nobody knows": (
        '{"subject": "P/a", "argument": {"levl": "Meets"}}\n',
        (1, 1),
        'the key "argument.levl" is no criterion',
    ),
}


@pytest.mark.parametrize(("text", "at", "words"), FAULTS.values(), ids=FAULTS.keys())
def test_what_is_wrong_is_told_at_its_place(text: str, at: tuple[int, int], words: str) -> None:
    (finding,) = read(text, "in.csv").findings
    assert ((finding.line, finding.column), finding.file) == (at, "in.csv")
    assert words in finding.message


def test_everything_wrong_is_told_at_once() -> None:
    found = read("subject,argument,weeks\nP/a,Good,x\nP/b,Meets,3\n,Miss,1\nP/b,Miss,1\n")
    assert [(one.line, one.column) for one in found.findings] == [(4, 1), (2, 2), (2, 3), (5, 1)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "a.csv is empty"),
        (b"subject,argument\nP/\xe9,Meets\n", "Name the encoding with --encoding"),
        (b"subject,argument\n", "holds no answers"),
        (b'{"subject": "P/a",\n "weeks" 3}', "this is not JSON"),
        (b"[" * 5000, "nested"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_a_line(data: bytes, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words) as told:
        read(data)
    assert "\n" not in str(told.value)


def test_a_mapping_to_a_criterion_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidInputError, match='Did you mean "argument"'):
        read("subject,x\nP/a,Meets\n", columns={"x": "argumnt"})


def test_a_mapping_is_read_with_quoted_commas() -> None:
    assert mapping_of(['"C=Yes, fully",I=No', "P=Half"], "--levels") == {
        "C": "Yes, fully",
        "I": "No",
        "P": "Half",
    }
    for wrong in (["C"], ["C="], ["C=A,C=B"]):
        with pytest.raises(InvalidInputError, match="--levels"):
            mapping_of(wrong, "--levels")
