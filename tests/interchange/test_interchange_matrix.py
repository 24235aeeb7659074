"""A matrix as CSV, Markdown and HTML: nothing that others wrote is a formula, markup or a control code there."""

from __future__ import annotations

import csv
import html
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.matrix import Matrix, MatrixCell, MatrixColumn, MatrixRow
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import EvaluationStatus, EvaluatorType
from rubrictui.core.score_of_record import ScoreOfRecord
from rubrictui.interchange.matrix_out import (
    Format,
    Options,
    matrix_csv,
    matrix_html,
    matrix_markdown,
    matrix_text,
)
from rubrictui.interchange.new_file import write_new

NASTY = '=HYPERLINK("http://x")|<script>alert(1)</script>\x1b[31m\u202e`a`[b](c)'


def matrix(name: str = NASTY) -> Matrix:
    return Matrix(
        title=name,
        about=name,
        threshold=0.25,
        display=DisplayRange(low=1, high=5),
        hidden=1,
        columns=(
            MatrixColumn(id="1", name=name, evaluator_type=EvaluatorType.HUMAN),
            MatrixColumn(
                id="2",
                name="Ben",
                evaluator_type=EvaluatorType.AI_PROMPT,
                status=EvaluationStatus.SUPERSEDED,
                counts=False,
            ),
        ),
        rows=(
            MatrixRow(key="", name="Overall", is_overall=True, cells=(MatrixCell(score=0.5), None), mean=0.5),
            MatrixRow(key="g", name=name, is_group=True, cells=(None, None)),
            MatrixRow(
                key="a",
                name=name,
                groups=("g",),
                is_gate=True,
                detail=name,
                cells=(
                    MatrixCell(answer=name, score=0.25, gate_failed=True),
                    MatrixCell(answer="ok", score=1.0),
                ),
                mean=0.25,
                spread=0.3,
            ),
        ),
    )


class Seen(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_csv_has_scores_as_they_are_stored_and_no_formula() -> None:
    rows = list(csv.reader(io.StringIO(matrix_csv(matrix(), Options(with_superseded=True)))))
    assert len({len(row) for row in rows}) == 1
    head, overall, _, a = rows
    assert head[-4:-2] == [f"'{NASTY} (person) answer", f"'{NASTY} (person) score"]
    assert head[-1] == "Ben (AI, superseded) score"
    assert overall[4] == "0.5"
    assert a[4:] == ["0.25", "", "", "", "0", "0.3", "false", "true", f"'{NASTY}", "0.25", "ok", "1"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


def test_superseded_columns_are_written_when_asked_for_only() -> None:
    assert "superseded" not in matrix_csv(matrix())
    assert "superseded" in matrix_markdown(matrix(), Options(with_superseded=True))


def test_markdown_is_one_table_on_the_display_range_with_nothing_of_others_as_markup() -> None:
    text = matrix_markdown(matrix("A|B <i>*c*"), Options(method="By hand."))
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
    assert "Scores of 1 to 5; a disagreement from a spread of 1 points." in text
    assert "A\\|B \\<i\\>\\*c\\*" in text
    assert "| disagree |" in table[-1]
    assert "gate not met" in table[-1]
    assert text.endswith("By hand.\n")
    assert "\x1b" not in matrix_markdown(matrix())


def test_html_is_one_page_without_anything_from_elsewhere_and_without_foreign_tags() -> None:
    page = matrix_html(matrix())
    seen = Seen(page)
    assert "script" not in seen.tags
    assert not {"a", "img", "link", "iframe"} & set(seen.tags)
    assert "<script>alert(1)</script>" in seen.text
    assert not re.search("[\x00-\x08\x1b\u202e]", page)
    assert "1 subject is left out" in seen.text
    assert page.count("<tr") == 4


@pytest.mark.parametrize("form", list(Format))
def test_rows_are_written_by_spread_when_they_are_shown_so(form: Format) -> None:
    text = matrix_text(matrix("Plain"), form, Options(by_spread=True))
    assert text.count("Overall") == 1


def test_a_file_is_new_or_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_new(path, "a\r\n")
    assert path.read_bytes() == b"a\r\n"
    with pytest.raises(InvalidInputError, match="is there already"):
        write_new(path, "b")
    assert path.read_bytes() == b"a\r\n"
    with pytest.raises(InvalidInputError, match="cannot be written"):
        write_new(tmp_path / "no" / "such" / "x.csv", b"")


def test_a_score_of_record_is_exported_by_its_name_and_never_as_the_score() -> None:
    record = ScoreOfRecord(normalized_score=0.4962, raw_score=12.9, max_score=26, penalties=-0.6)
    ben = MatrixColumn(id="2", name="Ben", evaluator_type=EvaluatorType.DETERMINISTIC)
    found = matrix("Ada")
    overall = replace(found.rows[0], cells=(found.rows[0].cells[0], MatrixCell(score=0.519, record=record)))
    found = replace(found, columns=(found.columns[0], ben), rows=(overall, *found.rows[1:]))
    first, *lines = csv.reader(io.StringIO(matrix_csv(found)))
    assert first[-3:] == [
        f"{found.columns[1].heading} {what}" for what in ("answer", "score", "score of record")
    ]
    assert [line[-2:] for line in lines] == [["0.519", "0.4962"], ["", ""], ["1", ""]]
    said = "score of record, by the matter's own rules: 0.4962 (12.9 of 26 points, penalties -0.6)"
    assert said in matrix_markdown(found).replace("\\", "")
    assert said in html.unescape(matrix_html(found))
