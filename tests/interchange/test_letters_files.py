"""Letters, reports and subjects as files: whole or not at all, nothing written over, and no text of others is markup."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from letters_world import PEOPLE, evaluation, facts, settled
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.hidden_fields import anonymised
from rubrictui.core.records import Subject, SubjectFile
from rubrictui.core.round_report import round_report
from rubrictui.core.rounds import Naming
from rubrictui.interchange.letters_out import LetterFormat, LetterTemplates, write_letters
from rubrictui.interchange.markup import markdown_block, markdown_line
from rubrictui.interchange.new_files import FilesThereError, Stopped, stems, write_folder
from rubrictui.interchange.round_report_out import ReportFormat, report_page, write_report
from rubrictui.interchange.subjects_in import Options, read_subjects
from rubrictui.interchange.subjects_out import write_subjects

ALL = tuple(LetterFormat)
NASTY = '=HYPERLINK("http://x")|<script>alert(1)</script>\x1b[31m\u202e`a`[b](c)'


def hostile() -> tuple[str, object]:
    panel = [evaluation(name, "x", 2, mark) for mark, name in enumerate(PEOPLE)]
    scores = dict(panel[0].scores)
    scores["craft"] = msgspec.structs.replace(
        scores["craft"], rationale=f"{NASTY}\n\n# No heading\n- no list\n{{{{ 7 * 7 }}}}"
    )
    panel[0] = msgspec.structs.replace(panel[0], scores=scores, user_display_name=NASTY)
    given = facts(*panel, settled=(msgspec.structs.replace(settled("x"), note=NASTY, reason=NASTY),))
    subjects = tuple(msgspec.structs.replace(one, title=NASTY) for one in given.table.subjects)
    return NASTY, msgspec.structs.replace(
        given, table=msgspec.structs.replace(given.table, subjects=subjects)
    )


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("naming", list(Naming))
def test_the_note_of_an_adjudicator_is_the_panels_and_the_reason_is_told(
    naming: Naming, tmp_path: Path
) -> None:
    panel = [evaluation(name, "x", 2, mark) for mark, name in enumerate(PEOPLE)]
    given = facts(*panel, naming=naming, settled=(settled("x"),))
    for path in write_letters(given, tmp_path / "shipped", LetterTemplates(ALL)).files:
        assert "Slip" in path.read_text()
        assert "misread" not in path.read_text()
    (tmp_path / "own.txt").write_text("{{ settled.reason }}: {{ settled.note }}")
    (letter,) = write_letters(given, tmp_path / "own", LetterTemplates.of_files([tmp_path / "own.txt"])).files
    assert letter.read_text().strip() == "Slip: Cai misread it."


def test_a_letter_in_every_format_holds_no_markup_and_no_control_code_of_others(tmp_path: Path) -> None:
    _, given = hostile()
    written = write_letters(given, tmp_path, LetterTemplates(ALL))
    page, markdown, text = (
        next(path for path in written.files if path.suffix == f".{one}").read_text()
        for one in ("html", "md", "txt")
    )
    seen = Tags(page)
    assert not seen.tags & {"script", "a", "img", "iframe", "link"}
    assert "<script>alert(1)</script>" in seen.text
    assert "{{ 7 * 7 }}" in seen.text  # text of others is never a template
    assert "\\<script\\>" in markdown
    assert "\\# No heading" in markdown
    assert "\\- no list" in markdown
    for said in (page, markdown, text):
        assert not re.search("[\x00-\x08\x1b\u202e]", said)


def test_a_report_in_every_format_holds_no_markup_and_no_formula_of_others(tmp_path: Path) -> None:
    _, given = hostile()
    report = round_report(given, resamples=0)
    seen = Tags(report_page(report, ReportFormat.HTML))
    assert not seen.tags & {"script", "img", "iframe", "link"}
    assert not {one for one in seen.attributes if one.startswith("on")} | (seen.attributes & {"src"})
    assert "svg" in seen.tags
    markdown = report_page(report, ReportFormat.MARKDOWN)
    outside = re.sub(r"^```.*?^```", "", markdown, flags=re.DOTALL | re.MULTILINE)
    assert "<script" not in outside.replace("\\<script", "")
    tables = re.findall(r"(?:^\|.*\n)+", outside, flags=re.MULTILINE)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    for path in write_report(report, ReportFormat.CSV, tmp_path / "csv"):
        rows = list(csv.reader(io.StringIO(path.read_bytes().decode())))
        assert len({len(row) for row in rows}) == 1, path
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "+"))], path


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("# a", "\\# a"), ("- a", "\\- a"), ("1. a", "1\\. a"), ("---", "\\---"), ("===", "\\==="), ("62.5", "62.5"),
        ("-0.5 apart", "-0.5 apart"), ("a|b", "a\\|b"), ("http://x", "http\\://x"), ("www.x", "www\\.x"),
        ("&lt;", "\\&lt;"), ("a & b", "a & b"), ("a@b", "a\\@b"), ("#1", "#1"),
    ],
)  # fmt: skip
def test_only_what_would_be_markup_is_escaped(text: str, escaped: str) -> None:
    assert markdown_line(text) == escaped


def test_lines_and_paragraphs_of_a_text_stay() -> None:
    assert markdown_block("a\nb\n\n  - c") == "a\\\nb\n\n\\- c"


# -- templates -----------------------------------------------------------------------------------------------


def test_a_template_of_ones_own_decides_wording_and_format(tmp_path: Path) -> None:
    (tmp_path / "mine.txt.j2").write_text("Dear {{ subject }}, {{ score }}: {{ why | length }} reasons.")
    written = write_letters(
        facts(evaluation("Ann", "x", 2, 2)),
        tmp_path / "out",
        LetterTemplates.of_files([tmp_path / "mine.txt.j2"]),
    )
    assert [path.name for path in written.files] == ["bid-x.txt"]
    assert written.files[0].read_text() == "Dear Bid x, 100: 2 reasons.\n"


@pytest.mark.parametrize(
    ("name", "template", "why"),
    [
        ("a.md", "{% for x in %}", "line 1"),
        ("a.md", "{{ name_of_reviewer }}", "'name_of_reviewer' is undefined"),
        ("a.html", "{{ ''.__class__.__mro__ }}", "unsafe"),
        (
            "a.txt",
            "{% for a in range(99999) %}{{ 'xxxxxxxxxx' * 9999 }}{% endfor %}",
            "more than 2,000,000 characters",
        ),
        ("a.docx", "", "does not say what it is a template for"),
    ],
)
def test_a_broken_template_is_one_clear_line_and_writes_nothing(
    tmp_path: Path, name: str, template: str, why: str
) -> None:
    path = tmp_path / name
    path.write_text(template)
    with pytest.raises(InvalidInputError) as error:
        write_letters(facts(evaluation("Ann", "x", 2, 2)), tmp_path / "out", LetterTemplates.of_files([path]))
    assert why in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


# -- folders -------------------------------------------------------------------------------------------------


def test_letters_that_are_there_are_written_over_only_when_that_is_asked_for(tmp_path: Path) -> None:
    given = facts(evaluation("Ann", "x", 2, 2), evaluation("Ann", "y", 2, 2))
    (tmp_path / "bid-y.md").write_text("mine")
    with pytest.raises(FilesThereError, match=r"bid-y\.md is there already"):
        write_letters(given, tmp_path, LetterTemplates())
    assert [path.name for path in tmp_path.iterdir()] == ["bid-y.md"]
    assert (tmp_path / "bid-y.md").read_text() == "mine"
    write_letters(given, tmp_path, LetterTemplates(), force=True)
    assert (tmp_path / "bid-y.md").read_text().startswith("# Feedback on Bid y")
    assert len(list(tmp_path.iterdir())) == 4


def test_a_stop_or_an_error_midway_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    def contents():  # type: ignore[no-untyped-def]
        yield "a"
        raise InvalidInputError("no more")

    with pytest.raises(InvalidInputError, match="no more"):
        write_folder(tmp_path / "new", ["a", "b"], contents())
    with pytest.raises(Stopped):
        write_folder(tmp_path / "new", ["a"], ["a"], cancelled=lambda: True)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="cannot be written to"):
        write_folder(tmp_path / "file", ["a"], ["a"])


def test_names_of_subjects_never_leave_the_folder_nor_meet() -> None:
    names = ["../../etc/passwd", "CON", "", "a/b", "A b", "日本", "."]
    found = stems("letter", [(f"id{n}", name) for n, name in enumerate(names)])
    assert len(set(found)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", one) and one != "con" for one in found)
    assert stems("letter", [("id4", "A b"), ("id3", "a/b")]) == (found[4], found[3])  # whatever their order


# -- subjects ------------------------------------------------------------------------------------------------


def test_subjects_are_read_again_as_they_were_written(tmp_path: Path) -> None:
    subjects = [
        Subject(
            record_id="north",
            title="North",
            text="# Heading\n\nText.",
            data={"vendor": {"name": "Ada"}, "n": 3},
        ),
        Subject(
            record_id="odd: #1",
            title="- title",
            text="",
            data={"a": [1, None, True, "no"], "b": "2027-01-01"},
        ),
        Subject(record_id="clash", title="T", text="x", data={"title": "other"}),
        Subject(
            record_id="files", title="F", files=(SubjectFile(name="a.txt", text="Ada", path="/x/a.txt"),)
        ),
        Subject(record_id="breaks", title="B", text="a\r\nb"),
    ]
    found = [anonymised(one, ["vendor.name"]) for one in subjects]
    written = write_subjects(found, tmp_path)
    assert [path.suffix for path in written.files] == [".md", ".md", ".json", ".json", ".json"]
    read = {one.record_id: one for one in read_subjects([tmp_path], Options(entity="Subject")).subjects}
    for one in found:
        again = read[one.subject.record_id]
        assert (again.title, again.text, again.data or {}) == (
            one.subject.title,
            one.subject.text,
            one.subject.data or {},
        )
        assert again.files == one.subject.files
