"""No control byte of content leaves a rendered line, whatever a widget forgot."""

from __future__ import annotations

from rich.control import Control
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import DimFilter, LineFilter, Monochrome
from textual.strip import Strip

from rubrictui.widgets.guard import CONTROL_GUARD, with_guard

BACKGROUND = Color(0, 0, 0)


def text_of(*segments: Segment) -> str:
    return Strip(segments).apply_filter(CONTROL_GUARD, BACKGROUND).text


def test_controls_direction_marks_and_hidden_characters_are_left_out() -> None:
    hostile = "a\x1b]0;title\x07b\x9b2Jc\u202ed\u200be\x7f\r\n\ud800"
    assert text_of(Segment(hostile)) == "a]0;titleb2Jcde"


def test_hyperlinks_are_left_out() -> None:
    strip = Strip([Segment("click", Style(link="file:///\x1b\\evil"))]).apply_filter(
        CONTROL_GUARD, BACKGROUND
    )
    (segment,) = strip
    assert segment.text == "click"
    assert segment.style is not None
    assert segment.style.link is None


def test_a_clean_line_is_not_copied() -> None:
    segments = [Segment("plain "), Segment("日本語 é ●", Style(bold=True))]
    assert CONTROL_GUARD.apply(segments, BACKGROUND) is segments


def test_the_frames_own_control_codes_pass() -> None:
    move = Control.move_to(3, 4).segment
    assert CONTROL_GUARD.apply([move], BACKGROUND) == [move]


def test_the_guard_comes_last() -> None:
    class Hostile(LineFilter):
        def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
            return [Segment(segment.text + "\x1b[2J", segment.style) for segment in segments]

    (both,) = with_guard([Hostile()])
    assert "".join(segment.text for segment in both.apply([Segment("a")], BACKGROUND)) == "a[2J"


def test_the_filters_before_it_are_applied_in_their_order() -> None:
    grey = Style(color="#808080", bgcolor="#000000", dim=True)
    (both,) = with_guard([DimFilter(), Monochrome()])
    alone = Monochrome().apply(DimFilter().apply([Segment("a", grey)], BACKGROUND), BACKGROUND)
    assert both.apply([Segment("a", grey)], BACKGROUND) == alone


def test_the_same_filters_are_the_same_one() -> None:
    dim = DimFilter()
    assert with_guard([dim]) is with_guard([dim])  # what is kept with a line is kept by filter
