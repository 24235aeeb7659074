"""Plots say in text and in SVG what their values say, in the room they are given, whatever they are told."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from defusedxml import ElementTree
from rich.cells import cell_len

from rubrictui.core.agreement_report import agreement_report
from rubrictui.core.errors import InvalidInputError
from rubrictui.core.plots import (
    BlandAltman,
    Dot,
    DotPlot,
    Histogram,
    Plot,
    bland_altman,
    histogram,
    overall_histogram,
    severity_plot,
)
from rubrictui.core.plots_svg import plot_svg
from rubrictui.core.plots_text import plot_text
from rubrictui.core.ratings import CriterionRatings, Rater, RatingScale, RatingsTable

WORDS = RatingScale(labels=("none", "weak", "fair", "good", "best"))
HOSTILE = "Ben <b>&\x1b[31m\u202e"
NAMES = ("Ann", HOSTILE, "審査員の名前はとても長いので切られます、そしてまだ続きます")


def table(rows: Any, scale: RatingScale = WORDS) -> RatingsTable:
    ratings = tuple(map(tuple, rows))
    return RatingsTable(
        subjects=tuple(f"s{place}" for place in range(len(ratings))),
        evaluators=tuple(Rater(name=name) for name in NAMES[: len(ratings[0])]),
        criteria=(CriterionRatings(key="c", name=f"Clear {HOSTILE}", ratings=ratings, scale=scale),),
    )


def panel(subjects: int = 40) -> RatingsTable:
    rng = random.Random(1)
    return table([[float(rng.randint(0, 4)) for _ in NAMES] for _ in range(subjects)])


# --- values ----------------------------------------------------------------------------------------


def test_a_histogram_has_a_bar_for_every_declared_level() -> None:
    found = histogram(table([[0, 4, None], [4, 4, 2]]).criteria[0])
    assert [(bar.label, bar.count) for bar in found.bars] == [
        ("none", 1),
        ("weak", 0),
        ("fair", 1),
        ("good", 0),
        ("best", 3),
    ]


def test_numbers_are_counted_in_equal_ranges_from_end_to_end() -> None:
    percent = RatingScale(minimum=0, maximum=100)
    found = histogram(table([[0, 100, 49.9], [50, 9, 10]], percent).criteria[0], bins=2)
    assert [(bar.label, bar.count) for bar in found.bars] == [("0 to 50", 4), ("50 to 100", 2)]


@pytest.mark.parametrize(
    ("ratings", "bars"), [([[7, 7]], [("7", 2)]), ([[None, None]], [("0 to 0.5", 0), ("0.5 to 1", 0)])]
)
def test_numbers_without_a_range_are_drawn_where_they_are(ratings: Any, bars: Any) -> None:
    found = histogram(table(ratings, RatingScale()).criteria[0], bins=2)
    assert [(bar.label, bar.count) for bar in found.bars] == bars


def test_bland_altman_gives_bias_and_limits_of_the_differences() -> None:
    found = bland_altman(table([[1, 2], [3, 3], [2, 4], [1, 2]]), 0, 1, None)
    differences = np.array([0.25, 0, 0.5, 0.25])
    assert found.bias == pytest.approx(differences.mean())
    assert found.upper == pytest.approx(differences.mean() + 1.96 * differences.std(ddof=1))
    assert found.lower == pytest.approx(differences.mean() - 1.96 * differences.std(ddof=1))
    assert [(point.mean, point.count) for point in found.points] == [(0.375, 2), (0.75, 1), (0.75, 1)]


def test_bland_altman_without_enough_in_common_has_no_line_and_no_limits() -> None:
    none, one = bland_altman(table([[1, None]]), 0, 1), bland_altman(table([[1, 2]]), 0, 1)
    assert (none.bias, none.lower, none.sample_size) == (None, None, 0)
    assert (one.bias, one.lower) == (0.25, None)
    with pytest.raises(InvalidInputError, match="cannot be compared with themselves"):
        bland_altman(table([[1, 2]]), 0, 0)


def test_the_strictest_evaluator_stands_first_and_withheld_ones_have_no_value() -> None:
    rows = [[2, 0, None], [3, 1, None], [4, 2, 4]] * 10
    found = severity_plot(agreement_report(table(rows), resamples=20))
    assert [dot.label for dot in found.dots] == [HOSTILE, NAMES[2], "Ann"]
    withheld = severity_plot(agreement_report(table(rows[:4]), resamples=0))
    assert {dot.value for dot in withheld.dots} == {None}


# --- drawings --------------------------------------------------------------------------------------


def plots() -> list[Plot]:
    given = panel()
    report = agreement_report(given, resamples=50)
    return [
        histogram(given.criteria[0]),
        overall_histogram(given),
        severity_plot(report),
        severity_plot(report, report.criteria[0]),
        bland_altman(given, 0, 1, given.criteria[0]),
        bland_altman(given, 0, 2),
        Histogram(title="none", bars=()),
        DotPlot(title="none", dots=()),
        BlandAltman(
            title="none",
            first="a",
            second="b",
            points=(),
            sample_size=0,
            bias=None,
            lower=None,
            upper=None,
        ),
        bland_altman(table([[2, 2]]), 0, 1),
        DotPlot(title="t", dots=(Dot(label="a", value=None, low=None, high=None, sample_size=3),)),
    ]


@pytest.mark.parametrize("width", [10, 40, 43, 72, 120])
def test_no_line_is_wider_than_its_room_and_no_control_reaches_a_terminal(width: int) -> None:
    for plot in plots():
        for line in plot_text(plot, width):
            assert cell_len(line) <= max(40, width), line
            assert line.isprintable(), line


def test_svg_is_well_formed_and_holds_no_markup_of_others() -> None:
    for plot in plots():
        text = plot_svg(plot)
        root = ElementTree.fromstring(text)
        tags = {element.tag.partition("}")[2] for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "rect", "text", "line", "circle"}
        assert "\x1b" not in text
        assert "nan" not in text.lower().replace("ann", "")
        assert not {"href", "style", "onload"} & {name for element in root.iter() for name in element.attrib}


def test_a_histogram_as_text_shows_labels_counts_and_shares() -> None:
    lines = plot_text(histogram(table([[0, 4], [4, 4]]).criteria[0]), 40)
    assert lines[1].startswith("none │█")
    assert lines[1].endswith("1  25%")
    assert lines[2] == "weak │" + " " * 28 + "0   0%"
    assert lines[5].count("█") > 2 * lines[1].count("█")


def test_severity_as_text_puts_the_strict_left_and_the_lenient_right_of_zero() -> None:
    dots = (
        Dot(label="strict", value=-0.2, low=-0.3, high=-0.1, sample_size=20),
        Dot(label="even", value=0.0, low=None, high=None, sample_size=5),
        Dot(label="kind", value=0.2, low=0.1, high=0.3, sample_size=20),
    )
    title, strict, even, kind, axis, _ = plot_text(DotPlot(title="Severity", dots=dots), 60)
    assert title == "Severity"
    assert strict.index("●") < even.index("●") == strict.index("│") < kind.index("●")
    assert strict.index("├") < strict.index("●") < strict.index("┤")
    assert (strict.endswith("-0.200 n=20"), axis.split()) == (True, ["-0.30", "0", "+0.30"])


def test_bland_altman_as_text_has_a_line_for_bias_and_limits() -> None:
    lines = plot_text(bland_altman(panel(), 0, 1), 60)
    assert sum("╌╌╌" in line for line in lines) == 2
    assert lines[-1].startswith("bias ")
    assert any(mark in "".join(lines[1:-2]) for mark in "●23456789")


def test_svg_places_a_circle_for_every_point_and_evaluator() -> None:
    given = bland_altman(panel(), 0, 1)
    assert plot_svg(given).count("<circle") == len(given.points)
    dots = severity_plot(agreement_report(panel(), resamples=0))
    assert plot_svg(dots).count("<circle") == 3
    assert not math.isnan(dots.dots[0].value or 0)
