"""How bands look while they are edited: the ruler with its edge, a line a band, what is wrong in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from rubrictui.core.band_edits import Edge, edge_of, touching
from rubrictui.core.bands import band_problems
from rubrictui.core.display import visible
from rubrictui.core.model import Band
from rubrictui.core.problems import Problem
from rubrictui.widgets.band_ruler import Piece, ruler, tone_of
from rubrictui.widgets.field_lines import BAR, BAR_BLURRED, mark_of
from rubrictui.widgets.field_numbers import number_text
from rubrictui.widgets.text import Line, expand_tabs, one_line, pad, wrap

TONES: tuple[str | None, ...] = (None, "success", "warning", "danger", "info", "neutral")
"""The tones a band may have, in the order in which a key goes through them."""

_LABEL_SHARE = 0.3
_RANGE_WIDTH = 16


def next_tone(tone: str | None, step: int) -> str | None:
    """The tone after (or before) one; one that is not known counts as none."""
    known = (tone or "").strip().casefold() or None
    place = TONES.index(known) if known in TONES else 0
    return TONES[(place + step) % len(TONES)]


def ruler_lines(
    bands: Sequence[Band], threshold: float | None, width: int, at: tuple[Band, Edge] | None
) -> list[list[Piece]]:
    """The ruler to scale, and under it the edge that the keys move.

    Args:
        at: the band and the edge under the cursor.
    """
    lines = ruler(bands, threshold, width, overlaps=True)
    if at is None:
        return lines
    value = edge_of(*at)
    name = "begins" if at[1] == "min" else "ends"
    text = f"{one_line(at[0].label or 'It', max(width // 3, 4))} {name} at {number_text(value)}"
    cell = round(min(max(value, 0.0), 1.0) * (max(width, 20) - 1))
    if cell + 2 + cell_len(text) <= width:
        pointer = f"{' ' * cell}↑ {text}"
    else:
        pointer = f"{' ' * max(cell - cell_len(text) - 1, 0)}{text} ↑"
    return [*lines[:2], [(one_line_of(pointer, width), "strong")], *lines[2:]]


def one_line_of(text: str, width: int) -> str:
    """A line cut to a width, its blanks kept."""
    return text if cell_len(text) <= width else pad(text, width)


def problem_lines(bands: Sequence[Band]) -> list[Piece]:
    """What is wrong or odd with all of them, a line each; what is about one band stands at its row as well."""
    found = list(band_problems(bands))
    if not bands:
        return [("No bands yet: a adds one. A score is then shown without a word for it.", "muted")]
    if not found:
        return [("Every score has exactly one band.", "success")]
    return [
        (
            f"{mark_of((problem,))[0]} {problem.message} {problem.remedy}",
            "error" if problem.blocks else "warning",
        )
        for problem in found
    ]


def range_text(band: Band, edge: Edge | None = None) -> str:
    """``0.5 to 0.8``, the edge that the keys move in brackets."""
    low, high = number_text(band.min_score), number_text(band.max_score)
    if edge == "min":
        return f"[{low}] to {high}"
    if edge == "max":
        return f" {low} to [{high}]"
    return f" {low} to {high}"


def band_line(band: Band, width: int, problems: Sequence[Problem]) -> Line:
    """A band that is not under the cursor."""
    return [(" ", "text"), *_columns(band, width, problems, None)]


def _columns(band: Band, width: int, problems: Sequence[Problem], edge: Edge | None) -> Line:
    label_width = max(int(width * _LABEL_SHARE), 8)
    mark, tone = mark_of(problems)
    label = one_line(band.label, label_width - 1) or "(no label)"
    told = tone_name(band)
    rest = max(width - label_width - _RANGE_WIDTH - 14, 0)
    return [
        (mark, tone),
        (" ", "text"),
        (pad(label, label_width), tone_of(band) or "label"),
        (pad(range_text(band, edge), _RANGE_WIDTH), "value"),
        (pad(told, 9), "muted"),
        (one_line(band.description or "", rest), "muted"),
    ]


def tone_name(band: Band) -> str:
    """The tone in a word."""
    return one_line(band.display_tone or "", 8) or "no tone"


def open_band_lines(
    bands: Sequence[Band],
    band: Band,
    edge: Edge,
    width: int,
    *,
    joined: bool,
    has_focus: bool,
    told: Sequence[Piece] = (),
) -> list[Line]:
    """The band under the cursor: its range and edge, what it says, what its edge does, what is wrong with it."""
    bar = (BAR if has_focus else BAR_BLURRED, "bar")
    problems = [problem for problem in band_problems(bands) if problem.band_id == band.id]
    lines: list[Line] = [[bar, *_columns(band, width, problems, edge)]]
    texts: list[Piece] = []
    if band.description:
        texts.append((band.description, "value"))
    texts.append((_edge_words(bands, band, edge, joined), "muted"))
    texts += [(f"{p.message} {p.remedy}", "error" if p.blocks else "warning") for p in problems]
    for text, tone in (*texts, *told):
        for shown in wrap(expand_tabs(visible(text)), max(width - 6, 10), limit=3):
            lines.append([bar, ("  ", "text"), (shown, tone)])
    return lines


def _edge_words(bands: Sequence[Band], band: Band, edge: Edge, joined: bool) -> str:
    neighbour = touching(bands, band.id, edge)
    name = "lower" if edge == "min" else "upper"
    holds = (
        "it holds 1 as well"
        if edge == "max" and band.max_score >= 1
        else ("it holds this score" if edge == "min" else "it ends before this score")
    )
    if neighbour is None:
        return f"Its {name} edge: {holds}."
    moves = "moves along" if joined else "stays where it is"
    return f"Its {name} edge: {holds}; {neighbour.label or 'the next band'} {moves}."
