"""Markdown is formatted for a terminal, and nothing in it acts."""

from __future__ import annotations

from rich.cells import cell_len

from rubrictui.widgets.document import Page
from rubrictui.widgets.markdown import looks_like_markdown, markdown_blocks, parse, table_widths


def lines(text: str, width: int = 40) -> list[str]:
    page = Page.of_blocks(markdown_blocks(parse(text), width))
    page.fold(width)
    rows = []
    for y in range(page.row_count):
        shown = page.shown(y)
        assert shown.block is not None
        rows.append((shown.block.first if shown.is_first else shown.block.rest) + shown.text)
    return [row.rstrip() for row in rows]


def test_headings_paragraphs_and_lists() -> None:
    text = "# Title\nA *paragraph* that is\nof two lines.\n\n- one\n- two\n  1. inner\n  2. more\n\n3. three\n4. four\n"
    assert lines(text) == [
        "Title",
        "",
        "A paragraph that is of two lines.",
        "",
        "• one",
        "• two",
        "  1. inner",
        "  2. more",
        "",
        "3. three",
        "4. four",
    ]


def test_items_hang_and_quotes_keep_their_bar() -> None:
    assert lines("- a long item that folds\n\n> quoted words that fold too", 16) == [
        "• a long item",
        "  that folds",
        "",
        "│ quoted words",
        "│ that fold too",
    ]


def test_code_keeps_its_lines() -> None:
    assert lines("```\ndef f():\n\treturn 1\n```") == ["  def f():", "      return 1"]


def test_tables_are_aligned_whatever_the_script() -> None:
    rows = lines("| Name | 値段 |\n|---|---|\n| 日本 | 5 |\n| b | 十五 |")
    assert rows == ["Name │ 値段", "─────┼─────", "日本 │ 5", "b    │ 十五"]
    assert {cell_len(row.split("│")[0]) for row in rows if "│" in row} == {5}


def test_wide_tables_fold_in_their_cells() -> None:
    rows = lines("| A | B |\n|-|-|\n| short | words that do not fit on a line |", 24)
    assert all(cell_len(row) <= 24 for row in rows)
    assert "words that do" in rows[2]


def test_the_widest_columns_give_way_first() -> None:
    assert table_widths([["ab", "x" * 400]], 30) == [2, 25]
    assert table_widths([["a" * 50, "b" * 50]], 23) == [10, 10]
    assert table_widths([], 30) == []


def test_html_links_and_images_are_only_text() -> None:
    text = "<script>x</script> [go](javascript:alert) ![a picture](http://x/y.png) <http://a.b>"
    assert " ".join(lines(text, 200)) == (
        "<script>x</script> [go](javascript:alert) [image: a picture] http://a.b"
    )


def test_links_say_where_they_lead() -> None:
    assert lines("[the annex](https://example.org/a)", 80) == ["the annex (https://example.org/a)"]


def test_controls_and_markup_stay_inert() -> None:
    shown = "\n".join(
        lines("# \x1b]0;x\x07 [red]\n`\x9b2J`\n\n```\n\x1b[2J\n```\n| \x1b[1m |\n|-|\n| \u202e |\n", 60)
    )
    assert shown.replace("\n", "").isprintable()
    assert "[red]" in shown


def test_spans_style_the_words_they_should() -> None:
    (block,) = markdown_blocks(parse("a **bold** `code` *em* ~~gone~~"), 40)
    assert block.text == "a bold code em gone"
    assert [(block.text[a:b], style) for a, b, style in block.spans] == [
        ("bold", "strong"),
        ("code", "code"),
        ("em", "em"),
        ("gone", "strike"),
    ]


def test_deep_nesting_ends() -> None:
    assert lines("> " * 500 + "deep", 40)
    assert lines("- " * 500 + "deep", 40)


def test_plain_text_is_left_as_it_was_written() -> None:
    assert not looks_like_markdown("Two plain paragraphs.\n\nWith nothing special.")
    assert looks_like_markdown("# A heading")
    assert looks_like_markdown("- an item")
    assert not looks_like_markdown("# A heading\n" + "x" * 200_000)
