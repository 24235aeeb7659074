"""A page folds for any width, finds words, and keeps offsets that quote the text exactly."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from rubrictui.widgets.data_table import data_blocks, flatten
from rubrictui.widgets.document import FOLD_LIMIT, LONG_LINE, Block, Page

MIXED = (
    "# A heading\n\nWords of 日本語 in a paragraph that is long enough to be folded more than once, "
    "with a\ttab, an \x1b[31mescape\x1b[0m and e\u0301 accents.\r\nA line after \u202ea turn.\n\n"
    + "averyverylongword"
    * 9
)


def page(text: str, width: int) -> Page:
    made = Page(text)
    made.fold(width)
    return made


@pytest.mark.parametrize("width", [4, 9, 20, 37, 80, 200])
def test_rows_hold_the_whole_text_and_fit(width: int) -> None:
    made = page(MIXED, width)
    rebuilt = ""
    for y in range(made.row_count):
        start, end = made.row(y)
        assert made.row_of(start) == y
        assert MIXED[len(rebuilt) : start] in ("", "\n")
        rebuilt = MIXED[:end]
        # A blank at the end of a row may hang over, and so may the one tab that does not fit any more.
        assert cell_len(made.shown(y).text.rstrip()) <= width
    assert rebuilt == MIXED


def test_shown_rows_have_no_control_characters() -> None:
    made = page(MIXED, 30)
    shown = "".join(made.shown(y).text for y in range(made.row_count))
    assert shown.isprintable()
    assert "␛[31mescape␛[0m" in shown
    assert "⇄a turn" in shown


def test_every_character_knows_its_place_in_its_row() -> None:
    made = page(MIXED, 30)
    for offset, character in enumerate(MIXED):
        if not character.isalpha() or not character.isascii():
            continue
        row = made.shown(made.row_of(offset))
        assert row.text[row.place(offset)] == character


def test_a_line_of_ten_million_characters_is_cut_by_counting() -> None:
    monster = "start " + "x" * 10_000_000 + " end\nnext"
    made = page(monster, 78)
    assert made.row_count == -(-(len(monster) - 5) // 78) + 1
    assert made.shown(100).text == "x" * 78
    assert made.row_of(len(monster)) == made.row_count - 1
    assert made.find("END", 0) == (10_000_007, 10_000_010)


def test_a_long_line_of_wide_characters_and_tabs_still_fits() -> None:
    made = page("日\x1b\t" * LONG_LINE, 40)
    assert all(cell_len(made.shown(y).text) <= 40 for y in range(0, made.row_count, 997))


def test_a_long_text_is_cut_by_counting_and_keeps_its_lines() -> None:
    line = "one line of words\n"
    made = page(line * (FOLD_LIMIT // len(line) + 10), 10)
    assert [made.shown(y).text for y in range(4)] == ["one line o", "f words", "one line o", "f words"]


def test_searching_goes_on_and_around() -> None:
    made = page("Alpha beta\nALPHA gamma\nalpha", 40)
    assert made.find("alpha", 0) == (0, 5)
    assert made.find("alpha", 1) == (11, 16)
    assert made.find("alpha", 24) == (0, 5)
    assert made.find("alpha", 11, backwards=True) == (0, 5)
    assert made.find("alpha", 0, backwards=True) == (23, 28)
    assert made.find("a.pha", 0) is None
    assert made.matches_in("alpha", 11, 22) == [(11, 16)]


def test_an_empty_text_is_one_empty_row() -> None:
    made = page("", 10)
    assert made.row_count == 1
    assert made.shown(0).text == ""


def test_built_pages_know_the_line_they_come_from() -> None:
    made = Page.of_blocks([Block("first", source=0), Block(), Block("second " * 10, source=4)])
    made.fold(20)
    assert made.row_of_source(3) == 2
    assert made.source_of_row(made.row_count - 1) == 4


def test_data_is_flattened_with_dotted_names() -> None:
    data = {"a": 1, "b": {"c": [1.5, None, {"d": True}], "e": {}, "f": []}, "t": "two\nlines"}
    assert list(flatten(data)) == [
        ("a", "1"),
        ("b.c.0", "1.5"),
        ("b.c.1", "null"),
        ("b.c.2.d", "true"),
        ("b.e", "{}"),
        ("b.f", "[]"),
        ("t", "two\nlines"),
    ]


def test_data_of_any_depth_is_shown() -> None:
    deep: object = "core"
    for _ in range(5_000):
        deep = {"k": deep}
    ((name, value),) = flatten(deep)
    assert name.count("k") == 40
    assert value.startswith("{") or value == "(too deep to show)"


def test_data_lines_are_aligned_and_inert() -> None:
    blocks = data_blocks({"short": "x\x1b[2J", "a.much.longer.name": "日本語", "t": "one\ntwo"}, 60)
    assert {cell_len(block.first) for block in blocks} == {20}
    assert [block.text for block in blocks] == ["x␛[2J", "日本語", "one", "two"]
    assert blocks[3].first.strip() == ""
