"""How the matrix is laid out in lines: what fits, what is marked, what is cut."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from rubrictui.core.matrix import Matrix, MatrixCell, MatrixColumn, MatrixRow
from rubrictui.core.ranges import DisplayRange
from rubrictui.core.records import EvaluationStatus, EvaluatorType
from rubrictui.widgets.matrix_lines import (
    MatrixLayout,
    heading_lines,
    longest_texts,
    means_of,
    plan_matrix,
    row_line,
)

WIDE = "日本語のとても長い名前 that goes on and on"


def column(name: str, kind: EvaluatorType = EvaluatorType.HUMAN, *, counts: bool = True) -> MatrixColumn:
    status = EvaluationStatus.SUBMITTED if counts else EvaluationStatus.WITHDRAWN
    return MatrixColumn(id=name, name=name, evaluator_type=kind, status=status, counts=counts)


ROW = MatrixRow(
    key="a",
    name=WIDE,
    groups=("g",) * 9,
    is_gate=True,
    cells=(
        MatrixCell(answer="Meets", score=1.0),
        MatrixCell(answer=WIDE, score=0.0),
        MatrixCell(answer="Miss", score=0.0),
    ),
    mean=0.5,
    spread=1.0,
)


def matrix(*columns: MatrixColumn, row: MatrixRow = ROW) -> Matrix:
    return Matrix(title="", columns=columns, rows=(row,), threshold=0.25)


THREE = (column("Ann"), column("Ben " * 9), column("Gone", counts=False))


def layout(width: int, *, means: bool = False) -> MatrixLayout:
    shown = matrix(*THREE)
    return plan_matrix(shown, width, longest_texts(shown), with_means=means)


def drawn(
    width: int, row: MatrixRow = ROW, *, threshold: float = 0.25, means: bool = False
) -> tuple[str, list[str]]:
    plan = layout(width, means=means)
    cells = list(zip(THREE, row.cells, strict=True))[: plan.columns]
    line = row_line(row, plan, cells, DisplayRange(), threshold=threshold)
    return "".join(text for text, _ in line), [style for _, style in line]


@pytest.mark.parametrize("width", [40, 80, 99, 100, 120, 200])
@pytest.mark.parametrize("means", [True, False])
def test_a_line_is_as_wide_as_its_heading_and_no_wider_than_the_screen(width: int, means: bool) -> None:
    plan = layout(width, means=means)
    text, _ = drawn(width, means=means)
    shown = THREE[: plan.columns]
    above, below = heading_lines(plan, "Criterion", shown, first=0, total=3, current=0)
    widths = {cell_len(text), *(cell_len("".join(part for part, _ in line)) for line in (above, below))}
    assert widths == {plan.frozen + len(shown) * plan.cell}
    if width >= 80:
        assert widths.pop() <= width


def test_disagreement_is_a_glyph_as_well_as_a_tone() -> None:
    text, styles = drawn(120)
    assert "▲" in text
    assert "▴" in text
    assert "▾" in text
    assert "spread" in styles
    calm, styles = drawn(120, threshold=1.01)
    assert not {"▲", "▴", "▾"} & set(calm)
    assert "spread" not in styles


@pytest.mark.parametrize(
    ("inside", "mark", "tone"), [(None, " ", "group"), (False, "▲", "spread"), (True, "≠", "flip")]
)
def test_a_folded_group_is_marked_for_what_disagrees_in_it(inside: bool | None, mark: str, tone: str) -> None:
    row = MatrixRow(key="g", name="Group", is_group=True, cells=(None, None, None), spread=0.1)
    cells: list[tuple[MatrixColumn, MatrixCell | None]] = [(one, None) for one in THREE]
    line = row_line(row, layout(120), cells, DisplayRange(), threshold=0.25, is_folded=True, inside=inside)
    assert (line[1][0][:9].rstrip(), line[1][1]) == (f"{mark} ▸ Group", tone)


def test_what_counts_in_no_mean_is_never_the_highest_or_lowest() -> None:
    row = MatrixRow(
        key="a",
        name="A",
        cells=(MatrixCell(score=0.5), MatrixCell(score=1.0), MatrixCell(score=0.0)),
        spread=0.5,
    )
    text, styles = drawn(120, row)
    assert text.count("▾") == 1
    assert "out" in styles


def test_headings_say_which_columns_of_how_many_are_in_view() -> None:
    plan = layout(80)
    _, below = heading_lines(plan, "Criterion", THREE[:2], first=3, total=9, current=0)
    assert "‹ 4–5 of 9 ›" in below[0][0]
    _, whole = heading_lines(plan, "Criterion", THREE, first=0, total=3, current=0)
    assert "of" not in whole[0][0]


def test_means_have_columns_only_where_they_tell_something() -> None:
    assert [mean.title for mean in means_of(matrix(*THREE[:2]))] == ["All"]
    judge = column("Sage", EvaluatorType.AI_PROMPT)
    own = column("Me", EvaluatorType.SELF)
    assert [mean.title for mean in means_of(matrix(column("Ann"), judge, own))] == [
        "All",
        "People",
        "AI",
        "Self",
    ]
