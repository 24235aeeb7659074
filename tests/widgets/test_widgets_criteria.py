"""The criteria are shown with their keys, their answers and what they lack, at any width."""

from __future__ import annotations

import pytest
from form_world import DAYS, MPM, QUOTE, VERSION, answer
from rich.cells import cell_len

from rubrictui.core.model import Evidence, EvidenceKind, Node, NodeType, Scale, VersionSnapshot
from rubrictui.widgets.criteria_lines import (
    RowState,
    criterion_lines,
    gate_words,
    group_line,
    open_lines,
    plan_layout,
    row_height,
)
from rubrictui.widgets.criteria_rows import (
    CriteriaRow,
    answered_count,
    criteria_rows,
    missing_parts,
    needs_work,
    next_needing_work,
)
from rubrictui.widgets.number_entry import NumberEntry
from rubrictui.widgets.text import Line

ROWS = criteria_rows(VERSION)


def row(key: str) -> CriteriaRow:
    return next(row for row in ROWS if row.node.key == key)


def text(lines: list[Line]) -> str:
    return "\n".join("".join(piece for piece, _ in line).rstrip() for line in lines)


def closed(key: str, width: int = 80, **state: object) -> str:
    return text(criterion_lines(row(key), plan_layout(ROWS, width), RowState(**state)))  # type: ignore[arg-type]


def opened(key: str, width: int = 80, *, in_full: bool = False, **state: object) -> str:
    layout = plan_layout(ROWS, width)
    return text(open_lines(row(key), layout, RowState(**state), in_full=in_full))  # type: ignore[arg-type]


# --- Rows -------------------------------------------------------------------------------------------------


def test_criteria_are_numbered_in_walk_order_and_groups_know_their_leaves() -> None:
    assert [(r.node.key, r.number, r.depth) for r in ROWS] == [
        ("security", 0, 0),
        ("encryption", 1, 1),
        ("access", 2, 1),
        ("budget", 3, 0),
        ("days", 4, 0),
        ("tone", 5, 0),
        ("whole", 6, 0),
        ("broken", 7, 0),
    ]
    assert ROWS[0].leaves == ("c1", "c2")


def test_nodes_that_take_no_part_are_no_rows() -> None:
    version = VersionSnapshot(
        nodes=(
            Node(id="a", key="a"),
            Node(id="b", key="b", parent_id="nowhere"),
            Node(id="c", key="c", parent_id="a"),
            Node(id="x", key="x", parent_id="y", node_type=NodeType.GROUP),
            Node(id="y", key="y", parent_id="x", node_type=NodeType.GROUP),
        )
    )
    assert [r.node.key for r in criteria_rows(version)] == ["a"]


def test_a_tree_of_any_depth_is_walked() -> None:
    nodes = [
        Node(id=str(n), key=f"k{n}", parent_id=str(n - 1) if n else None, node_type=NodeType.GROUP)
        for n in range(3_000)
    ]
    rows = criteria_rows(VersionSnapshot(nodes=(*nodes, Node(id="leaf", key="leaf", parent_id="2999"))))
    assert rows[0].leaves == ("leaf",)
    assert rows[-1].depth == 3_000


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, ()),
        ({"rationale": "only words"}, ()),
        ({"scale_level_id": "miss"}, ("rationale", "evidence")),
        ({"scale_level_id": "miss", "rationale": "  "}, ("rationale", "evidence")),
        ({"scale_level_id": "miss", "rationale": "why"}, ("evidence",)),
        ({"scale_level_id": "miss", "evidence": (QUOTE,)}, ("rationale",)),
        ({"is_not_applicable": True}, ("rationale",)),
        ({"is_not_applicable": True, "rationale": "why"}, ()),
    ],
)
def test_what_an_answer_lacks(given: dict[str, object], missing: tuple[str, ...]) -> None:
    node = row("encryption").node
    assert missing_parts(node, answer("C1", **given)) == missing
    assert needs_work(node, answer("C1", **given)) == bool(missing or not answer("C1", **given).is_answered)


def test_the_next_open_criterion_is_found_around_the_end() -> None:
    answers = {
        "c1": answer("C1", scale_level_id="meets"),
        "c2": answer("C2", scale_level_id="l1"),
        "c3": answer("C3", raw_value=5.0),
        "c4": answer("C4", raw_value=5.0),
        "c5": answer("C5", is_not_applicable=True),
        "c6": answer("C6", scale_level_id="x1", rationale="why"),
        "c7": answer("C7", is_not_applicable=True),
    }
    index = {r.node.key: i for i, r in enumerate(ROWS)}
    # Encryption is answered and lacks its rationale and evidence; nothing else needs work.
    assert next_needing_work(ROWS, answers, index["tone"]) == index["encryption"]
    assert next_needing_work(ROWS, answers, index["encryption"], -1) == index["encryption"]
    del answers["c3"]
    assert next_needing_work(ROWS, answers, index["encryption"]) == index["budget"]
    assert next_needing_work(ROWS, answers, index["encryption"], -1) == index["budget"]
    assert answered_count(ROWS, answers) == 6
    complete = answer("C1", scale_level_id="meets", rationale="why", evidence=(QUOTE,))
    assert next_needing_work(ROWS, {**answers, "c1": complete, "c3": answer("C3", raw_value=0.0)}, 0) is None


# --- Lines ------------------------------------------------------------------------------------------------


def test_a_criterion_shows_each_level_with_its_key() -> None:
    assert closed("encryption") == " ·  1   Encryption gate ✎? ❝?  1 Miss  2 Partial  3 Meets"
    assert closed("access").endswith("1  2  3  4  5  n N/A")
    assert closed("tone").endswith("0  1  2  3  4  5  6  7  8  9  10  n N/A")


def test_an_answer_is_marked_with_a_glyph_and_what_it_lacks_with_another() -> None:
    shown = closed("encryption", answer=answer("C1", scale_level_id="PARTIAL"))
    assert shown.startswith(" !")
    assert "1 Miss ●2 Partial  3 Meets" in shown
    full = answer("C1", scale_level_id="meets", rationale="why", evidence=(QUOTE,))
    assert closed("encryption", answer=full).startswith(" ✓  1   Encryption gate ✎ ❝")


def test_not_applicable_and_the_flag_are_shown() -> None:
    shown = closed("access", answer=answer("C2", is_not_applicable=True), is_flagged=True)
    assert shown.startswith(" ✓⚑")
    assert shown.endswith("●n N/A")
    assert "●1" not in shown


@pytest.mark.parametrize(
    ("key", "given", "shown"),
    [
        ("budget", {}, "type 0 to 100%, steps of 5  n N/A"),
        ("budget", {"raw_value": 80.0}, "●80%"),
        ("days", {}, "type 0.5 to 90, steps of 0.5  n N/A"),
        ("days", {"raw_value": 12.5}, "●12.5"),
    ],
)
def test_numbers_show_their_range_and_their_sign(key: str, given: dict[str, object], shown: str) -> None:
    assert shown in closed(key, answer=answer("C3", **given))


def test_levels_that_do_not_fit_stand_under_the_name() -> None:
    lines = closed("whole", 60).split("\n")
    assert len(lines) == row_height(row("whole"), plan_layout(ROWS, 60)) > 1
    assert "1 Not addressed" in lines[1]


@pytest.mark.parametrize("width", [20, 34, 60, 80, 119])
def test_no_line_is_wider_than_its_place_nor_a_row_higher_than_planned(width: int) -> None:
    layout = plan_layout(ROWS, width)
    long_one = answer("C1", scale_level_id="meets", rationale="words " * 200, evidence=(QUOTE,) * 9)
    for each in ROWS:
        if not each.number:
            assert sum(cell_len(t) for t, _ in group_line(each, layout, 0.5, 1)) <= width
            continue
        for state in (RowState(), RowState(long_one, True, None, "a note " * 30)):
            lines = criterion_lines(each, layout, state)
            assert len(lines) == row_height(each, layout)
            for line in (*lines, *open_lines(each, layout, state, in_full=True)):
                assert sum(cell_len(t) for t, _ in line) <= width, line


def test_an_open_criterion_says_what_it_asks_and_what_levels_mean() -> None:
    shown = opened("encryption", answer=answer("C1", scale_level_id="meets"))
    assert "Data is encrypted ␛[31meverywhere␛[0m." in shown
    assert " 1 Nothing is said." in shown
    assert "●3 At rest and in transit." in shown
    assert "gate: Partial or better · rationale missing · evidence missing" in shown
    assert "N/A not allowed" in shown
    assert "Ask who holds the keys" not in shown


def test_guidance_and_whole_anchors_come_on_demand() -> None:
    shown = opened("encryption", in_full=True)
    assert "Guidance: Ask who holds the keys." in shown
    assert "".join(shown.replace("▌", "").split()).count("Atrestandintransit.") == 8
    assert "No guidance is written" in opened("access", in_full=True)


def test_rationale_and_evidence_are_previewed_on_single_lines() -> None:
    given = answer("C2", scale_level_id="l2", rationale="Because\nof this. " * 40, evidence=(QUOTE,) * 5)
    shown = opened("access", answer=given)
    assert "✎ Because" in shown
    assert shown.count("❝ “keys are held by us”") == 3
    assert "and 2 more" in shown


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("encryption", "gate: Partial or better"),
        ("budget", "gate: at least 60%"),
        ("days", "gate: at most 45.25"),
    ],
)
def test_a_gate_is_told_in_the_answers_of_its_scale(key: str, words: str) -> None:
    assert gate_words(row(key)) == words


@pytest.mark.parametrize(
    ("minimum", "words"),
    [(1.0, "gate: Meets"), (0.0, "gate: it must be answered"), (None, "gate: it must be answered")],
)
def test_gates_at_the_ends_of_a_scale(minimum: float | None, words: str) -> None:
    version = VersionSnapshot(
        nodes=(Node(id="a", key="a", scale_id="mpm", is_gate=True, gate_minimum_score=minimum),),
        scales=(MPM,),
    )
    assert gate_words(criteria_rows(version)[0]) == words


def test_groups_say_their_share_and_how_far_they_are() -> None:
    line = text([group_line(ROWS[0], plan_layout(ROWS, 80), 0.3, 1)])
    assert line.startswith(" Security  30% of the score · lowest counts")
    assert line.endswith("1/2")


# --- Numbers ----------------------------------------------------------------------------------------------


def typed(characters: str, key: str = "budget", scale: Scale | None = None) -> NumberEntry:
    chosen = row(key)
    assert chosen.scale is not None
    entry = NumberEntry(VERSION, chosen.node, scale or chosen.scale)
    for character in characters:
        entry = entry.feed(character)
    return entry


@pytest.mark.parametrize(
    ("characters", "value", "problem"),
    [
        ("80", 80.0, ""),
        ("0", 0.0, ""),
        ("", None, "Type a number: 0 to 100%, steps of 5."),
        ("-", None, "Type a number: 0 to 100%, steps of 5."),
        (".", None, "Type a number: 0 to 100%, steps of 5."),
        ("1.2.3", None, "Type a number: 0 to 100%, steps of 5."),
        ("150", 150.0, "150 is out of range. Give a number from 0 to 100."),
        ("-5", -5.0, "-5 is out of range. Give a number from 0 to 100."),
        ("53", 53.0, "53 is off the step of 5; nearest are 50 and 55"),
    ],
)
def test_a_number_is_checked_as_it_is_typed(characters: str, value: float | None, problem: str) -> None:
    entry = typed(characters)
    assert entry.value == value
    assert entry.problem == problem


def test_a_decimal_comma_is_a_point_and_letters_are_left_out() -> None:
    assert typed("1e2,5x", "days", DAYS).typed == "12.5"
    assert typed("12.5", "days", DAYS).problem == ""
    assert typed("12.5").erase().typed == "12."
    assert len(typed("1" * 99).typed) == 18


def test_a_long_quote_is_cut_and_stands_whole_in_full() -> None:
    long = Evidence(kind=EvidenceKind.QUOTE, text="word " * 40 + "and-its-end")
    given = {"answer": answer("C2", evidence=(long,))}
    assert "and-its-end”" not in opened("access", **given)
    assert "and-its-end”" in opened("access", in_full=True, **given)
