"""Subjects come from whatever people have; what cannot be read is named, and then nothing is taken."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.records import Subject
from rubrictui.interchange.csv_in import csv_header
from rubrictui.interchange.csv_out import guarded, write_csv
from rubrictui.interchange.subjects_in import Options, SubjectsRead, read_subjects


def read(path: Path, content: str | bytes | None = None, **options: object) -> SubjectsRead:
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_subjects([path], Options(**options))  # type: ignore[arg-type]


def one(path: Path, content: str | bytes, **options: object) -> Subject:
    (subject,) = read(path, content, **options).subjects
    return subject


def test_a_markdown_file_is_a_subject_titled_by_its_first_heading(tmp_path: Path) -> None:
    subject = one(
        tmp_path / "north.md", "```\n# no heading\n```\n\n## North *bid* ##\n\nText.\n", entity="Bid"
    )
    assert subject == Subject(
        entity="Bid",
        record_id="north",
        title="North *bid*",
        text="```\n# no heading\n```\n\n## North *bid* ##\n\nText.\n",
    )


def test_a_text_without_a_heading_is_titled_by_its_file(tmp_path: Path) -> None:
    assert one(tmp_path / "Memo 7.txt", "Hello").title == "Memo 7"


def test_front_matter_names_the_subject_and_the_rest_of_it_is_data(tmp_path: Path) -> None:
    subject = one(
        tmp_path / "a.md", '---\nid: 042\ntitle: "North: bid"\nprice: 12.5\nyes: no\n---\n\n# Heading\nText\n'
    )
    assert (subject.record_id, subject.title) == ("042", "North: bid")
    assert subject.data == {"price": 12.5, "yes": "no"}
    assert subject.text == "# Heading\nText\n"


@pytest.mark.parametrize("text", ["---\nno end", "---\n- a list\n---\ntext", "--- \n", "---\n---\nx"])
def test_dashes_that_are_no_front_matter_stay_text(tmp_path: Path, text: str) -> None:
    subject = one(tmp_path / "a.md", text)
    assert subject.text == text
    assert subject.data is None


def test_a_mistake_in_front_matter_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"a\.md:3:1: error: the key \"a\" was given before"):
        read(tmp_path / "a.md", "---\na: 1\na: 2\n---\ntext")


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("Räume".encode(), None),
        ("\ufeffRäume".encode(), None),
        ("Räume".encode("latin-1"), "latin-1"),
        ("Räume".encode("utf-16"), "utf-16"),
    ],
)
def test_encodings(tmp_path: Path, data: bytes, encoding: str | None) -> None:
    assert one(tmp_path / "a.txt", data, encoding=encoding).text == "Räume"


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"R\xe4ume", None, r"a\.txt is not UTF-8 text at byte 1\. .*--encoding"),
        (b"R\xe4ume", "klingon", 'no encoding "klingon"'),
        (b"6869", "hex", "no"),
        (b"\x00", "utf-16", "not utf-16 text"),
    ],
)
def test_text_in_another_encoding_is_refused(
    tmp_path: Path, data: bytes, encoding: str | None, message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        read(tmp_path / "a.txt", data, encoding=encoding)


def test_json_of_one_object_of_a_list_and_of_lines(tmp_path: Path) -> None:
    row = {"ID": 7, "Name": "North", "Abstract": "Long text", "price": 3, "tags": ["a"]}
    expected = Subject(record_id="7", title="North", text="Long text", data={"price": 3, "tags": ["a"]})
    assert one(tmp_path / "a.json", json.dumps(row)) == expected
    assert one(tmp_path / "b.json", json.dumps([row])) == expected
    lines = "\ufeff" + json.dumps(row) + "\r\n\r\n" + json.dumps({**row, "ID": 8}) + "\n\n"
    result = read(tmp_path / "c.jsonl", lines)
    assert [subject.record_id for subject in result.subjects] == ["7", "8"]
    assert result.notes == (f"{tmp_path / 'c.jsonl'}: 1 blank line left out (line 2).",)


def test_rows_without_an_id_are_numbered(tmp_path: Path) -> None:
    subjects = read(tmp_path / "bids.json", '[{"text": "# A"}, {"text": "b"}]').subjects
    assert [(s.record_id, s.title) for s in subjects] == [("bids-1", "A"), ("bids-2", "bids-2")]


def test_a_subject_as_it_is_printed_is_taken_as_it_is(tmp_path: Path) -> None:
    row = {"record_id": "x", "entity": "Bid", "title": "T", "text": "t", "data": {"a": 1}, "files": []}
    assert one(tmp_path / "a.json", json.dumps(row)) == Subject(
        record_id="x", entity="Bid", title="T", text="t", data={"a": 1}
    )
    with pytest.raises(InvalidInputError, match="an object or null is needed"):
        read(tmp_path / "a.json", json.dumps({**row, "data": [1]}))


def test_csv_with_named_columns_blank_rows_and_quoted_line_breaks(tmp_path: Path) -> None:
    text = 'No;What;Body;Price\n1;North;"line one\nline two";\n;;;\n\n2;South;short;4,5\n'
    result = read(
        tmp_path / "bids.csv", text, id_field="No", title_field="What", text_field="Body", entity="Bid"
    )
    assert result.subjects == (
        Subject(entity="Bid", record_id="1", title="North", text="line one\nline two", data={"Price": None}),
        Subject(entity="Bid", record_id="2", title="South", text="short", data={"Price": "4,5"}),
    )
    assert result.notes == (f"{tmp_path / 'bids.csv'}: 2 blank rows left out (rows 3, 4).",)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.csv",
            "id,text\n1,a\n2\n3,b,c\n",
            r"2 of 3 rows do not fit the 2 columns: row 3 has 1, row 4 has 3",
        ),
        ("a.csv", "id,id\n1,2\n", 'row 1: the column "id" stands twice'),
        ("a.csv", "id,\n1,2\n", "row 1: a column has no name"),
        ("a.csv", "\n\n", "is empty"),
        ("a.csv", "id,text\n", "has a header and no rows"),
        ("a.csv", 'id,text\n1,"open\n', "is not CSV"),
        ("a.csv", "id,text\n1,a\n1,b\n", r'row 3: the record id "1" was used before, by .*row 2'),
        ("a.json", "[]", "holds no subject"),
        ("a.json", "[1]", "json: a subject must be an object, not a number"),
        ("a.json", '{"a": NaN}', r"a\.json: \$\.a: NaN is not a number"),
        ("a.json", '{"a": 1e999}', "an infinity"),
        ("a.json", "[" * 5000, "nested more than 100 deep"),
        ("a.json", "", "there is nothing in it"),
        ("a.json", '{"a": 1, "a": 2}', 'the key "a" stands twice'),
        ("a.jsonl", '{"a": 1}\n{"a": \n', r"a\.jsonl, line 2: this is not JSON"),
        ("a.jsonl", "\n", "holds no subject"),
        ("a.jsonl", '{"a": 1}\n[1]\n', "line 2: a subject must be an object, not a list"),
    ],
)
def test_what_is_no_subject_is_refused_with_its_place(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message) as caught:
        read(tmp_path / name, content)
    assert "\n" not in str(caught.value)


def test_a_field_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r'row 2: there is no field "ref".*--id-field: id, text'):
        read(tmp_path / "a.csv", "id,text\n1,a\n", id_field="ref")
    with pytest.raises(InvalidInputError, match='the id field "id" is empty'):
        read(tmp_path / "a.csv", "id,text\n,a\n", id_field="id")


def test_a_folder_is_a_subject_for_each_file_in_the_order_of_names(tmp_path: Path) -> None:
    folder = tmp_path / "bids"
    (folder / "more").mkdir(parents=True)
    (folder / "b.md").write_text("# B")
    (folder / "a.txt").write_text("A")
    (folder / "more" / "c.md").write_text("# C")
    (folder / "code.py").write_text("print()")
    (folder / "scan.png").write_bytes(b"\x89PNG\x00")
    (folder / ".hidden").write_text("x")
    (folder / "out.md").symlink_to("/etc/hostname")
    result = read(folder)
    assert [s.record_id for s in result.subjects] == ["a", "b", "code", "more/c", "scan"]
    by_id = {s.record_id: s for s in result.subjects}
    assert by_id["code"].text == "print()"
    assert by_id["scan"].text == ""
    assert by_id["scan"].files[0].media_type == "image/png"
    assert by_id["scan"].files[0].text is None
    assert result.notes == (f"{folder}: 2 hidden or linked files left out.",)


def test_a_folder_can_be_one_subject_with_files(tmp_path: Path) -> None:
    folder = tmp_path / "north"
    (folder / "files").mkdir(parents=True)
    (folder / "README.md").write_text("# North bid\n")
    (folder / "notes.md").write_text("notes")
    (folder / "files" / "budget.csv").write_text("a,b\n")
    (subject,) = read(folder, folder_as_subject=True).subjects
    assert (subject.record_id, subject.title, subject.text) == ("north", "North bid", "# North bid\n")
    assert [(f.name, f.text, f.size) for f in subject.files] == [
        ("files/budget.csv", "a,b\n", 4),
        ("notes.md", "notes", 5),
    ]


def test_an_empty_folder_a_missing_file_and_two_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInputError, match="holds no files"):
        read(tmp_path / "empty")
    with pytest.raises(InvalidInputError, match="does not exist"):
        read(tmp_path / "gone.md")
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "a.txt").write_text("y")
    with pytest.raises(InvalidInputError, match='record id "a" was used before'):
        read_subjects([tmp_path / "a.md", tmp_path / "a.txt"])


def test_a_file_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "bid") + b"\xff.md"
    Path(os.fsdecode(path)).write_text("# Bid")
    with pytest.raises(InvalidInputError, match="is not UTF-8") as caught:
        read(tmp_path)
    assert str(caught.value).encode("utf-8")


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-cmd|calc", "'-cmd|calc"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("  =1", "'  =1"),
        ("＝1", "'＝1"),
        ("-5", "-5"),
        ("+1.5e-3", "+1.5e-3"),
        ("-12%", "-12%"),
        ("-1-1", "'-1-1"),
        ("plain = text", "plain = text"),
        (-5, "-5"),
        (0.5, "0.5"),
        (2.0, "2"),
        (float("nan"), ""),
        (None, ""),
        (True, "true"),
        ("nul\0", "nul"),
    ],
)
def test_no_cell_is_a_formula(cell: str | float | bool | None, written: str) -> None:
    assert guarded(cell) == written


def test_csv_is_quoted_as_spreadsheets_expect() -> None:
    assert write_csv(["id", "=x"], [["a,b", 'say "hi"\nbye'], [1, None]]) == (
        "id,'=x\r\n" + '"a,b","say ""hi""\nbye"\r\n' + "1,\r\n"
    )


def test_twenty_thousand_columns_are_no_matter(tmp_path: Path) -> None:
    class Counting(str):
        """A name that counts how often it is compared."""

        compared = 0

        def __eq__(self, other: object) -> bool:
            Counting.compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

        def strip(self, *_: object) -> Counting:  # type: ignore[override]
            return self

    names = [Counting(f"c{number}") for number in range(2_000)]
    assert csv_header(names, tmp_path, 1) == names  # type: ignore[arg-type]
    assert Counting.compared < 100_000


@pytest.mark.parametrize(
    ("record_id", "what"),
    [("a\u0000b", "holds a character"), ("x" * 401, "has 401 characters"), ("a\u2028b", "holds a character")],
)
def test_an_id_that_no_store_takes_is_refused_with_its_row(tmp_path: Path, record_id: str, what: str) -> None:
    rows = [{"record_id": "fine"}, {"record_id": record_id}]
    with pytest.raises(InvalidInputError, match=f"a.json, item 2: the record id .* {what}"):
        read(tmp_path / "a.json", json.dumps(rows))


def test_a_truth_as_an_id_is_written_as_json_writes_it(tmp_path: Path) -> None:
    assert one(tmp_path / "a.json", '{"id": true}').record_id == "true"


def test_null_stands_for_the_default_of_a_subject_as_it_is_printed(tmp_path: Path) -> None:
    row = '{"record_id": "x", "title": null, "text": null, "data": null, "files": null}'
    assert one(tmp_path / "a.json", row) == Subject(entity="Subject", record_id="x")
