"""Quotes are picked by words, rows and sentences, and are exactly what stands in the text."""

from __future__ import annotations

from rubrictui.widgets.document import Page
from rubrictui.widgets.quote_picker import Picker

TEXT = "First sentence here. A second one? Yes!\n\nA new paragraph, with 日本語。そして次の文。 End"


def picker(cursor: int = 0, width: int = 30) -> Picker:
    page = Page(TEXT)
    page.fold(width)
    return Picker(page).at(cursor)


def test_words_are_walked_by_their_beginnings() -> None:
    walk = picker()
    seen = []
    for _ in range(4):
        walk = walk.by_word(1)
        seen.append(TEXT[walk.cursor :].split(maxsplit=1)[0])
    assert seen == ["sentence", "here.", "A", "second"]
    assert walk.by_word(-1).cursor == TEXT.index("A second")


def test_while_selecting_words_are_taken_whole() -> None:
    walk = picker().toggle().by_word(1)
    assert walk.quote == "First"
    assert walk.by_word(1).quote == "First sentence"


def test_a_selection_grows_backwards_too() -> None:
    walk = picker(TEXT.index("here")).toggle().by_word(-1)
    assert walk.quote == "sentence h"


def test_white_space_at_the_ends_is_left_out_and_offsets_agree() -> None:
    walk = picker(5).toggle()
    for _ in range(20):
        walk = walk.by_character(1)
    span = walk.span
    assert span is not None
    assert TEXT[span[0] : span[1]] == walk.quote == walk.quote.strip()


def test_a_sentence_is_one_key_and_the_next_one_another() -> None:
    assert picker(8).sentence().quote == "First sentence here."
    assert picker(8).sentence().sentence().quote == "First sentence here. A second one?"
    assert picker(TEXT.index("new")).sentence().quote == "A new paragraph, with 日本語。"
    assert picker(len(TEXT)).sentence().quote == "End"


def test_a_sentence_ends_with_its_paragraph() -> None:
    page = Page("A heading\n\nThe text. More")
    page.fold(40)
    assert Picker(page).at(2).sentence().quote == "A heading"


def test_rows_keep_the_column() -> None:
    walk = picker(25, width=30)
    down = walk.by_row(1).by_row(1).by_row(1)
    assert down.column == walk.column
    assert down.by_row(-1).by_row(-1).by_row(-1).cursor == walk.cursor


def test_nothing_is_selected_until_it_is_begun() -> None:
    assert picker().span is None
    assert picker().toggle().toggle().span is None


def test_the_ends_of_the_text_hold() -> None:
    walk = picker()
    assert walk.by_character(-1).cursor == 0
    assert walk.by_word(-1).cursor == 0
    assert walk.by_row(-5).cursor == 0
    end = picker(len(TEXT))
    assert end.by_word(1).cursor == len(TEXT) - 1
    assert end.by_character(1).cursor == len(TEXT) - 1
