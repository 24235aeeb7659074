"""Untrusted text is shown inert, measured in cells, and never measured where it is not shown."""

from __future__ import annotations

import itertools

import pytest
from rich.cells import cell_len

from rubrictui.core.display import visible
from rubrictui.widgets.text import (
    counted,
    expand_tabs,
    fit,
    fold_spans,
    one_line,
    pad,
    plain,
    sentence,
    truncate,
    wrap,
)


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\x00b\x08c\x7f", "a␀b␈c␡"),
        ("\x9b2J\x85", "�2J�"),
        ("user\u202egnp.exe", "user⇄gnp.exe"),
        ("\u2066isolated\u2069", "⇄isolated⇄"),
        ("zero\u200bwidth\ufeff", "zero¤width¤"),
        ("tag\U000e0041s", "tag¤s"),
        ("line\u2028break\r", "line␤break␍"),
        ("half \ud83d pair", "half � pair"),
        ("[bold]not markup[/] [@click=app.quit]x[/]", "[bold]not markup[/] [@click=app.quit]x[/]"),
        ("family 👨\u200d👩\u200d👧 ⚠\ufe0f 👍🏽", "family 👨👩👧 ⚠ 👍"),
        ("plain text, é 日本語", "plain text, é 日本語"),
    ],
)
def test_controls_and_hidden_characters_become_symbols(hostile: str, shown: str) -> None:
    assert visible(hostile) == shown
    visible(hostile).encode("utf-8")


def test_counts_and_sentences_end_as_people_write_them() -> None:
    assert [counted(n, "rubric") for n in (0, 1, 2)] == ["0 rubrics", "1 rubric", "2 rubrics"]
    assert [counted(n, "criterion", "criteria") for n in (1, 2)] == ["1 criterion", "2 criteria"]
    assert [sentence(text) for text in ("Declined: North", "Out of a heatwave?", "Well…")] == [
        "Declined: North.",
        "Out of a heatwave?",
        "Well…",
    ]


def test_line_breaks_are_kept_or_shown() -> None:
    assert visible("a\r\nb\nc") == "a\nb\nc"
    assert visible("a\r\nb\nc", newlines=False) == "a␍␊b␊c"


def test_content_is_never_parsed_as_markup() -> None:
    content = plain("[red]x[/red] [/")
    assert content.plain == "[red]x[/red] [/"
    assert not content.spans


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("a\tb", "a   b"),
        ("\tx", "    x"),
        ("日\tx", "日  x"),
        ("abcd\te", "abcd    e"),
        ("a\n\tb", "a\n    b"),
    ],
)
def test_tabs_reach_the_next_stop_in_cells(text: str, expanded: str) -> None:
    assert expand_tabs(text) == expanded


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("a longer line", 8, "a longe…"),
        ("日本語テキスト", 7, "日本語…"),
        ("日本語テキスト", 8, "日本語…"),
        ("word  ", 5, "word…"),
        ("anything", 0, ""),
    ],
)
def test_a_cut_line_fits_and_says_that_it_is_cut(text: str, width: int, cut: str) -> None:
    assert truncate(text, width) == cut
    assert cell_len(truncate(text, width)) <= width


def test_padding_fills_exactly() -> None:
    for text in ("x", "日本語", "e\u0301" * 3, "a long line that does not fit"):
        assert cell_len(pad(text, 9)) == 9


def test_accents_take_no_cells_of_their_own() -> None:
    assert fit("e\u0301e\u0301e\u0301", 2) == 4
    assert fit("日本", 3) == 1


def test_one_line_squeezes_white_space_and_shows_controls() -> None:
    assert one_line("a\n\n  b\tc\x1b") == "a b c␛"
    assert one_line("a\nb" * 100, 6) == "a ba…"


def test_ten_million_characters_are_cut_like_ten() -> None:
    monster = "x" * 10_000_000
    assert one_line(monster, 20) == "x" * 19 + "…"
    assert truncate("日" * 10_000_000, 9) == "日日日日…"


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("the quick brown fox", 10, ["the quick", "brown fox"]),
        ("unbreakableword", 6, ["unbrea", "kablew", "ord"]),
        ("日本語のテキスト", 7, ["日本語", "のテキ", "スト"]),
        ("mixed 日本語 text", 9, ["mixed 日", "本語 text"]),
        ("a\n\nb", 5, ["a", "", "b"]),
    ],
)
def test_text_folds_at_blanks_and_between_wide_characters(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines
    assert all(cell_len(line) <= width for line in lines)


def test_a_limit_leaves_an_ellipsis() -> None:
    assert wrap("one two three four", 9, limit=1) == ["one two…"]
    assert wrap("one two", 9, limit=1) == ["one two"]


def test_rows_of_a_fold_join_without_a_gap() -> None:
    line = "words of 日本語 and   blanks, and averyveryverylongword e\u0301e\u0301e\u0301"
    for width in range(1, 30):
        spans = list(fold_spans(line, width))
        assert spans[0][0] == 0
        assert spans[-1][1] == len(line)
        assert all(a[1] == b[0] for a, b in itertools.pairwise(spans))
