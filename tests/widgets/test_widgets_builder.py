"""The rows of the builder's tree: what each says, at every width, and what an edit leaves alone."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from rubrictui.core.authoring import weight_shares
from rubrictui.core.editing import (
    EditError,
    add_node,
    delete,
    duplicate,
    indent,
    move,
    move_to,
    outdent,
    set_node,
)
from rubrictui.core.model import (
    Answer,
    Level,
    Node,
    NodeType,
    RollupMethod,
    Scale,
    ScaleType,
    ScoredNode,
    VersionSnapshot,
)
from rubrictui.core.problems import Problem
from rubrictui.core.scoring import compute
from rubrictui.widgets.builder_lines import (
    RowView,
    heading,
    open_row,
    plan_tree,
    problem_glyph,
    row_line,
    rules,
)
from rubrictui.widgets.builder_rows import (
    NO_SAMPLE,
    ROOT,
    Sample,
    Shape,
    changed_nodes,
    found_rows,
    problems_by_node,
    shape_of,
    visible_rows,
)
from rubrictui.widgets.preview_lines import headline, preview_lines
from rubrictui.widgets.problems_pane import problem_counts
from rubrictui.widgets.text import Line

SCALE = Scale(
    id="s",
    name="Three",
    levels=tuple(
        Level(id=f"l{n}", label=label, normalized_value=n / 2)
        for n, label in enumerate(("Miss", "Half", "Full"))
    ),
)
NUMBER = Scale(id="p", name="Percentage", scale_type=ScaleType.NUMERIC, min_value=0, max_value=100)
GROUP = NodeType.GROUP

VERSION = VersionSnapshot(
    id="draft",
    rubric_name="Rubric",
    scales=(SCALE, NUMBER),
    nodes=(
        Node(id="A", key="a", name="First group", node_type=GROUP, weight=3, sequence=0),
        Node(
            id="a1", key="a1", parent_id="A", name="One", scale_id="s", is_gate=True, gate_minimum_score=0.5
        ),
        Node(
            id="B",
            key="b",
            parent_id="A",
            name="Inner",
            node_type=GROUP,
            rollup_method=RollupMethod.MINIMUM,
            sequence=1,
        ),
        Node(id="b1", key="b1", parent_id="B", name="Two", scale_id="p"),
        Node(id="c", key="c", name="Last", scale_id="s", is_advisory=True, sequence=1),
        Node(id="d", key="d", name="日本語の基準", scale_id=None, sequence=2),
    ),
)


def text(line: Line) -> str:
    return "".join(piece for piece, _ in line)


def view(own: str, width: int = 78, *, sample: Sample = NO_SAMPLE, shape: Shape | None = None) -> RowView:
    return RowView(shape or shape_of(VERSION), own, plan_tree(width), sample, ())


def sample(*answers: Answer) -> Sample:
    result = compute(VERSION, answers)
    scores: dict[str, ScoredNode] = {scored.id: scored for scored in result.nodes}
    return Sample(
        {answer.criterion_id.casefold(): answer for answer in answers}, scores, result.normalized_score
    )


# -- the shape


def replace_scales(version: VersionSnapshot) -> VersionSnapshot:
    return replace(version, scales=(SCALE,))


def test_rows_stand_in_walk_order_with_their_depths() -> None:
    shape = shape_of(VERSION)
    assert list(zip(shape.ids, shape.depths, strict=True)) == [
        ("a", 0),
        ("a1", 1),
        ("b", 1),
        ("b1", 2),
        ("c", 0),
        ("d", 0),
    ]
    assert shape.above("b1") == ["b", "a"]
    assert shape.below("a") == 3
    assert shape.below(ROOT) == 6


def test_a_folded_group_hides_what_is_under_it() -> None:
    shape = shape_of(VERSION)
    assert visible_rows(shape, {"b"}) == [ROOT, "a", "a1", "b", "c", "d"]
    assert visible_rows(shape, {"a", "b"}) == [ROOT, "a", "c", "d"]


@pytest.mark.parametrize(
    "edit",
    [
        lambda version: set_node(version, "a1", weight=5.0, name="Other"),
        lambda version: set_node(version, "A", is_advisory=True),
        lambda version: move(version, "c", 1),
        lambda version: indent(version, "c"),
        lambda version: delete(version, "B"),
        lambda version: add_node(version, GROUP, id="new", at="a1", where="after"),
        replace_scales,
    ],
)
def test_the_shape_after_an_edit_is_the_shape_from_nothing(edit: object) -> None:
    before = shape_of(VERSION)
    before.share(VERSION.nodes[1])  # what was worked out before must not stay where it is wrong
    edited = edit(VERSION)  # type: ignore[operator]
    version = edited.version if not isinstance(edited, VersionSnapshot) else edited
    after, fresh = shape_of(version, before), shape_of(version)
    assert (after.ids, after.depths, after.place) == (fresh.ids, fresh.depths, fresh.place)
    assert after.children == fresh.children
    assert after.scales == fresh.scales
    shares = weight_shares(version)
    assert {node.id: after.share(node) for node in version.nodes} == pytest.approx(shares)


def edit_somewhere(version: VersionSnapshot, dice: Random, name: str) -> VersionSnapshot:
    """A random edit of where nodes stand; the same version where it is refused."""
    ids = [node.id for node in version.nodes] or [""]
    own, other, kind = dice.choice(ids), dice.choice(ids), dice.choice([GROUP, NodeType.CRITERION])
    names = count()
    edits = (
        lambda: add_node(version, kind, id=name, at=own or None, where=dice.choice(["after", "inside"])),
        lambda: duplicate(version, own, new_id=lambda: f"{name}-{next(names)}"),
        lambda: move(version, own, dice.choice([-1, 1])),
        lambda: indent(version, own),
        lambda: outdent(version, own),
        lambda: move_to(version, own, other),
        lambda: delete(version, own),
    )
    try:
        return dice.choice(edits)().version
    except EditError:
        return version


@pytest.mark.parametrize("seed", range(12))
def test_the_shape_after_many_edits_is_the_shape_from_nothing(seed: int) -> None:
    dice, states = Random(seed), [VERSION]
    shape = shape_of(VERSION)
    for turn in range(60):
        version = edit_somewhere(states[-1], dice, f"new{turn}")
        states.append(version if len(version.nodes) < 40 else dice.choice(states))
        shape, fresh = shape_of(states[-1], shape), shape_of(states[-1])
        assert (shape.ids, shape.depths, shape.place) == (fresh.ids, fresh.depths, fresh.place)
        assert (shape.children, shape.criteria) == (fresh.children, fresh.criteria)


def test_only_what_an_edit_touched_is_changed() -> None:
    assert changed_nodes(VERSION, set_node(VERSION, "a1", weight=5.0).version) == [1]
    assert changed_nodes(VERSION, VERSION) == []
    assert changed_nodes(VERSION, delete(VERSION, "c").version) is None


def test_the_part_of_the_whole_is_fixed_only_where_all_count() -> None:
    shape = shape_of(VERSION)
    nodes = {node.id: node for node in VERSION.nodes}
    assert shape.share_of_all(nodes["a1"]) == pytest.approx(0.375)
    assert shape.share_of_all(nodes["b1"]) is None  # below a group that takes its lowest
    assert shape.share_of_all(nodes["c"]) is None  # advisory


def test_words_find_names_keys_and_descriptions() -> None:
    shape = shape_of(set_node(VERSION, "c", description="About style").version)
    assert found_rows(shape, "STYLE last") == ["c"]
    assert found_rows(shape, "b1") == ["b1"]
    assert found_rows(shape, "  ") == []


# -- lines


@pytest.mark.parametrize("width", [30, 46, 60, 73, 79, 120, 200])
def test_every_row_fills_its_line_at_every_width(width: int) -> None:
    given = sample(Answer(criterion_id="a1", scale_level_id="l1"), Answer(criterion_id="b1", raw_value=50))
    assert cell_len(text(heading(plan_tree(width)))) == width
    for own in (ROOT, "a", "a1", "b", "b1", "c", "d"):
        assert cell_len(text(row_line(view(own, width, sample=given)))) == width


def test_a_row_says_name_scale_weight_share_rules_answer_and_score() -> None:
    given = sample(Answer(criterion_id="a1", scale_level_id="l1"), Answer(criterion_id="b1", raw_value=50))
    assert text(row_line(view("a1", sample=given))).split() == [
        "·",
        "One",
        "Three",
        "1",
        "50%",
        "gate",
        "0.5",
        "Half",
        "50",
    ]
    assert text(row_line(view("b1", sample=given))).split() == [
        "·",
        "Two",
        "Percentage",
        "1",
        "100%",
        "50%",
        "50",
    ]
    assert text(row_line(view("b", sample=given))).split() == ["▾", "Inner", "lowest", "1", "50%", "50"]
    assert "no scale" in text(row_line(view("d")))
    assert "advisory" in text(row_line(view("c")))


def test_a_gate_that_fails_says_so_without_colour() -> None:
    assert rules(VERSION.nodes[1], failed=True) == "gate✗0.5"
    assert rules(replace(VERSION.nodes[1], gate_minimum_score=None)) == "gate ?"


def test_the_row_under_the_cursor_shows_its_answers_and_its_problems() -> None:
    shape = shape_of(VERSION)
    problem = Problem(
        code="scale_missing", severity="error", message="It has no scale.", remedy="Choose one.", node_id="a1"
    )
    lines = open_row(replace_problems(view("a1", shape=shape), problem), has_focus=True)
    whole = "\n".join(map(text, lines))
    assert "1 Miss" in whole
    assert "n N/A" in whole
    assert "a1 · 37.5% of the whole" in whole
    assert "✗ It has no scale. Choose one." in whole


def replace_problems(row: RowView, *problems: Problem) -> RowView:
    return RowView(row.shape, row.own, row.columns, row.sample, problems)


def test_a_name_that_is_cut_is_whole_under_the_cursor() -> None:
    version = set_node(VERSION, "a1", name="A name that no column of a small terminal has room for").version
    lines = open_row(view("a1", shape=shape_of(version)), has_focus=True)
    assert "…" in text(lines[0])
    assert "A name that no column of a small terminal has room for" in text(lines[1])


def test_hostile_names_are_visible_and_nothing_else() -> None:
    version = set_node(VERSION, "a1", name="\x1b[31m[red]x\u202e").version
    line = text(row_line(view("a1", shape=shape_of(version))))
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "[red]x" in line


# -- problems and the preview


def test_problems_stand_with_their_nodes() -> None:
    warning = Problem(code="a", severity="warning", message="odd", node_id="a1")
    error = Problem(code="b", severity="error", message="wrong", node_id="a1")
    whole = Problem(code="c", severity="error", message="none")
    found = problems_by_node((warning, whole, error))
    assert found == {"a1": [warning, error], ROOT: [whole]}
    assert problem_glyph(found["a1"])[0] == "✗"
    assert problem_glyph([warning])[0] == "▵"
    assert problem_counts((warning, whole, error)) == "✗ 2 block publishing · ▵ 1 warning"
    assert problem_counts(()) == "no problems ✓"


def test_problems_after_an_edit_stand_as_they_stand_from_nothing() -> None:
    own = [Problem(code="a", severity="warning", message="odd", node_id=f"n{i}") for i in range(40)]
    again = Problem(code="b", severity="error", message="twice", node_id="n7")
    whole = Problem(code="c", severity="error", message="none")
    states = [(*own,), (whole, *own), (whole, *own[:9], again, *own[9:]), (*own[:3], *own[4:]), (), (*own,)]
    before = (states[0], problems_by_node(states[0]))
    for state in states:
        found = problems_by_node(state, before)
        assert found == problems_by_node(state)
        before = (state, found)


def test_the_preview_says_score_outcome_gates_and_what_each_gives() -> None:
    given = sample(Answer(criterion_id="a1", scale_level_id="l0"), Answer(criterion_id="b1", raw_value=50))
    result = compute(VERSION, given.answers.values())
    lines = preview_lines(
        shape_of(VERSION),
        result,
        given.scores,
        reason="Why.",
        refusal="",
        sample="Set: 2 of 4 answered",
        width=60,
    )
    whole = [text(list(line)) for line in lines]
    assert whole[0] == "25 of 100 (0.25)  Gate failed"
    assert "Set: 2 of 4 answered, 66.67% complete" in whole
    assert "✗ gate One: 0, at least 50" in whole
    assert any(line.startswith("    Two") and line.endswith("50") for line in whole)
    assert all(cell_len(line) <= 60 for line in whole)


def test_a_draft_that_cannot_be_scored_shows_why() -> None:
    assert text(list(headline(VERSION, None, "The weight is -1."))) == "No score  The weight is -1."
