"""What the fields pane lists for a node and for a version, what numbers mean, and how rows look."""

from __future__ import annotations

import pytest
from fields_host import FIFTY, HOSTILE, MEETS, NEED, PEOPLE, PERCENT, PROBLEM, STRANGE, VERSION
from msgspec.structs import replace
from rich.cells import cell_len

from rubrictui.core.authoring import publish_problems, weight_shares
from rubrictui.core.deterministic import MISSING, read_path
from rubrictui.core.model import Anchor, Node, NodeType, Scale, VersionSnapshot
from rubrictui.core.problems import Problem
from rubrictui.widgets.field_choices import NEW_SCALE, config_words, scale_choices
from rubrictui.widgets.field_lines import OpenState, closed_height, closed_lines, open_lines, plan_layout
from rubrictui.widgets.field_model import Field, FieldKind, place_of
from rubrictui.widgets.field_numbers import begins_number, number_text, read_number
from rubrictui.widgets.field_rows import node_fields, version_fields
from rubrictui.widgets.field_rule import try_rule


def rows_of(node: Node, version: VersionSnapshot = VERSION) -> dict[str, Field]:
    rows = node_fields(
        version,
        node,
        shares=weight_shares(version),
        problems=publish_problems(version),
        frozen_keys={"problem"},
    )
    return {row.id: row for row in rows}


@pytest.mark.parametrize(
    ("text", "share", "value"),
    [
        ("1.5", False, 1.5),
        ("1,5", False, 1.5),
        (" 2 ", False, 2),
        (".5", False, 0.5),
        ("5.", False, 5),
        ("-3", False, -3),
        ("\u22123", False, -3),
        ("-0", False, 0),
        ("1e3", False, 1000),
        ("60%", True, 0.6),
        ("29,3 %", True, 0.293),
        ("0.7", True, 0.7),
    ],
)
def test_a_number_is_read_as_people_type_it(text: str, share: bool, value: float) -> None:
    read = read_number(text, optional=False, share=share)
    assert (read.value, read.problem) == (value, "")


@pytest.mark.parametrize(
    "text",
    ["", "-", ".", "abc", "1.000,5", "1,000.5", "nan", "inf", "1e999", "٣", "1 2", "60%", "0x10", "9" * 41],
)
def test_what_is_no_number_gets_one_line(text: str) -> None:
    read = read_number(text, optional=False)
    assert read.value is None
    assert read.problem.endswith(".")
    assert "\n" not in read.problem


def test_nothing_is_none_where_that_is_allowed() -> None:
    assert read_number("  ", optional=True) == read_number("", optional=True)
    assert read_number("", optional=True).problem == ""


@pytest.mark.parametrize(
    ("text", "note"), [("60", "write 60% or 0.6"), ("-1", "from 0 to 1"), ("300", "from 0 to 1")]
)
def test_a_share_outside_its_range_is_kept_and_said(text: str, note: str) -> None:
    read = read_number(text, optional=True, share=True)
    assert read.value == float(text)
    assert note in read.note


def test_a_number_as_shown_reads_back_as_itself() -> None:
    for value in (1.0, 0.1 + 0.2, 1 / 3, 1e-9, 123456789.125):
        assert read_number(number_text(value), optional=False).value == value
    assert begins_number("7")
    assert not begins_number("x")
    assert not begins_number(None)


def test_a_criterion_has_every_field_the_guide_gives_it() -> None:
    names = [row.name for row in rows_of(PROBLEM).values() if row.is_stop and row.name != "anchor"]
    assert names == [
        "name",
        "key",
        "node_type",
        "weight",
        "scale",
        "is_advisory",
        "is_gate",
        "gate_minimum_score",
        "not_applicable_policy",
        "evidence_required",
        "rationale_required",
        "description",
        "guidance",
        "evaluator_config",
    ]


def test_a_group_has_a_rollup_and_neither_a_scale_nor_anchors() -> None:
    names = {row.name for row in rows_of(NEED).values()}
    assert "rollup_method" in names
    assert not names & {"scale", "anchor", "evaluator_config", "evidence_required"}


def test_there_is_an_anchor_row_for_every_level() -> None:
    rows = [row for row in rows_of(PROBLEM).values() if row.name == "anchor"]
    assert [(row.level_id, row.value) for row in rows] == [
        ("meets-0", "Only claimed."),
        ("meets-1", ""),
        ("meets-2", "Shown with figures for all of them."),
    ]
    fifty = replace(PROBLEM, scale_id="fifty")
    version = replace(VERSION, scales=(FIFTY,), nodes=(NEED, fifty))
    rows = [row for row in rows_of(fifty, version).values() if row.name == "anchor"]
    assert len(rows) == 52
    assert [row.label for row in rows[-2:]] == ["Other scale", "Other scale"]


def test_the_text_for_a_number_is_shown_and_not_edited() -> None:
    node = replace(PROBLEM, scale_id="percent", anchors=(Anchor(anchor_value=80, descriptor="Most of it."),))
    rows = rows_of(node, replace(VERSION, scales=(PERCENT,), nodes=(NEED, node)))
    assert rows["anchor at 80"].kind is FieldKind.FIXED
    assert rows["anchor at 80"].shown == "Most of it."


def test_what_changing_a_published_key_or_its_scale_means_is_said() -> None:
    assert "Major" in rows_of(PROBLEM)["key"].frozen
    assert "Major" in rows_of(PROBLEM)["scale"].frozen
    assert rows_of(PEOPLE)["key"].frozen == ""


def test_the_policy_of_the_version_is_named_where_a_node_has_none() -> None:
    row = rows_of(PROBLEM)["not_applicable_policy"]
    assert row.shown == "As the version says: count as zero"
    assert row.is_unset
    assert row.choices[0].value is None


def test_the_weight_is_shown_with_its_share() -> None:
    version = replace(VERSION, nodes=(NEED, PROBLEM, replace(PEOPLE, weight=3)))
    assert rows_of(PROBLEM, version)["weight"].shown == "1  (25.0% of its group)"
    advisory = replace(PROBLEM, is_advisory=True)
    assert "never counts" in rows_of(advisory, replace(VERSION, nodes=(NEED, advisory)))["weight"].shown


@pytest.mark.parametrize(
    ("node", "version", "row", "code"),
    [
        (PROBLEM, VERSION, "gate_minimum_score", "gate_minimum_missing"),
        (PROBLEM, VERSION, "anchors", "anchor_missing"),
        (STRANGE, VERSION, "scale", "scale_unknown"),
        (STRANGE, VERSION, "weight", "weight"),
        (replace(NEED, key=""), replace(VERSION, nodes=(replace(NEED, key=""),)), "key", "key_empty"),
        (NEED, replace(VERSION, nodes=(NEED,)), "title", "group_empty"),
    ],
)
def test_a_problem_stands_at_its_field(node: Node, version: VersionSnapshot, row: str, code: str) -> None:
    assert code in [problem.code for problem in rows_of(node, version)[row].problems]


def test_no_problem_of_a_draft_is_left_out() -> None:
    problems = publish_problems(VERSION)
    shown: list[Problem] = []
    for node in VERSION.nodes:
        for row in rows_of(node).values():
            shown += row.problems
    for field in version_fields(VERSION, problems=problems):
        shown += field.problems
    assert sorted(p.message for p in shown) == sorted(p.message for p in problems)


def test_a_rule_and_an_unknown_level_have_their_places() -> None:
    for code, place in (
        ("rule_label", "evaluator_config"),
        ("level_label_empty", "scale"),
        ("band_gap", "bands"),
    ):
        assert place_of(Problem(code=code, severity="error", message="x")) == place
    assert place_of(Problem(code="parent_missing", severity="error", message="x")) == ""


def test_the_version_has_its_own_fields() -> None:
    rows = {row.name: row for row in version_fields(VERSION, problems=publish_problems(VERSION))}
    assert list(rows)[1:] == [
        "instructions",
        "pass_threshold",
        "minimum_completeness",
        "not_applicable_policy",
        "score_display_min",
        "score_display_max",
        "bands",
    ]
    assert [problem.code for problem in rows["bands"].problems] == ["band_gap"]
    assert rows["minimum_completeness"].is_unset
    assert not rows["score_display_min"].optional


def test_the_scales_of_the_draft_come_first_then_the_others_by_name_then_a_new_one() -> None:
    choices = scale_choices(VERSION, (PERCENT, MEETS, FIFTY), frozenset({"meets"}))
    assert [choice.label for choice in choices] == [
        "Miss to meets",
        "Five steps",
        "Fifty",
        "Percentage",
        "New scale…",
    ]
    assert choices[0].about.startswith("published · ")
    assert choices[0].preview == ("Miss (0)", "Partial (0.5)", "Meets (1)")
    assert choices[-1].value == NEW_SCALE


def test_settings_are_told_in_a_line() -> None:
    assert rows_of(PROBLEM)["evaluator_config"].shown == "rule: applicant.members gte 10"
    assert config_words({"EvaluatorName": "LLM", "Model": "m"}) == "EvaluatorName, Model"
    assert (
        config_words({"Deterministic": {"path": "a", "operator": "in", "values": [1, 2]}})
        == "rule: a in 1, 2"
    )
    assert config_words({"Deterministic": "broken"}) == "Deterministic"
    assert config_words(None) == "none"


def test_a_long_label_is_cut_before_its_score_and_a_problem_is_folded() -> None:
    told = Problem(code="x", severity="warning", message="word " * 20, remedy="Write it.")
    row = Field(
        "anchor", "A label that is far too long", FieldKind.TEXT, tail=" (0.5)", indent=1, problems=(told,)
    )
    layout = plan_layout([row], 42)
    first, *rest = ["".join(piece for piece, _ in line) for line in closed_lines(row, layout)]
    assert "(0.5)" in first
    assert len(rest) > 1
    assert "word" in rest[-1]


@pytest.mark.parametrize("width", [30, 42, 79, 119])
@pytest.mark.parametrize("node", [NEED, PROBLEM, STRANGE], ids=lambda node: node.id)
def test_every_line_fits_and_is_safe(node: Node, width: int) -> None:
    rows = list(rows_of(node).values())
    layout = plan_layout(rows, width)
    for row in rows:
        closed = closed_lines(row, layout)
        assert len(closed) == closed_height(row, layout)
        opened = open_lines(row, layout, OpenState(told=((HOSTILE, "error"),)))
        assert len(opened) >= len(closed) or not row.is_stop
        for line in (*closed, *opened):
            text = "".join(piece for piece, _ in line)
            assert cell_len(text) <= width
            assert text.isprintable()
            assert "\u202e" not in text


@pytest.mark.parametrize(
    ("config", "scale", "said"),
    [
        (PROBLEM.evaluator_config, MEETS, ["applicant.members is 140", "The rule answers: Meets"]),
        (None, MEETS, ["no deterministic rule"]),
        ({"Deterministic": {"Path": "a", "Operator": "like"}}, MEETS, ["Unknown operator 'like'"]),
        ({"Deterministic": {"Operator": "exists"}}, MEETS, ["no Path"]),
        ({"Deterministic": ["no"]}, MEETS, ["is an object, not a list"]),
        (
            {"Deterministic": {"Path": "b.c", "Operator": "exists", "LevelWhenTrue": "Meets"}},
            MEETS,
            ["b.c is missing", "nothing"],
        ),
        (
            {
                "Deterministic": {
                    "Path": "b",
                    "Operator": "exists",
                    "LevelWhenFalse": "Meets",
                    "NotApplicableWhenMissing": True,
                }
            },
            MEETS,
            ["not applicable"],
        ),
        (
            {"Deterministic": {"Path": "b", "Operator": "exists", "LevelWhenFalse": "Gone"}},
            MEETS,
            ["not on the scale"],
        ),
        ({"Deterministic": {"Path": "b", "Operator": "exists", "LevelWhenFalse": "12.5"}}, PERCENT, ["12.5"]),
    ],
)
def test_a_rule_is_tried_and_told(config: dict[str, object] | None, scale: Scale, said: list[str]) -> None:
    data = {"applicant": {"members": 140}}
    told = "\n".join(text for text, _ in try_rule(config, scale, "Wells", data).lines)
    assert "Tried on Wells" in told
    for words in said:
        assert words in told
    assert read_path(data, "b") is MISSING


def test_a_long_value_met_by_a_rule_is_cut() -> None:
    config = {"Deterministic": {"Path": "a", "Operator": "exists", "LevelWhenTrue": "Meets"}}
    assert len(try_rule(config, MEETS, "Wells", {"a": "x" * 10_000}).found) < 500


def test_the_type_of_a_node_is_a_choice() -> None:
    assert [choice.value for choice in rows_of(NEED)["node_type"].choices] == [
        NodeType.CRITERION,
        NodeType.GROUP,
    ]
