"""Edits of a draft: what they do, what they refuse, and that a store can hold whatever they leave."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from core_strategies import SCALES, Dice, dice, quick
from hypothesis import given

from rubrictui.core import editing
from rubrictui.core.editing import Edited, EditError, History
from rubrictui.core.editing_base import is_proposed
from rubrictui.core.model import (
    Anchor,
    Answer,
    Band,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    Scale,
    VersionSnapshot,
)
from rubrictui.core.scoring import compute
from rubrictui.engine.trees import prepared

GROUP, LEAF = NodeType.GROUP, NodeType.CRITERION
WORDS = SCALES[0]


def small() -> VersionSnapshot:
    """quality(price, terms) · safety(training) · notes"""
    rows = (
        ("quality", None, GROUP),
        ("price", "quality", LEAF),
        ("terms", "quality", LEAF),
        ("safety", None, GROUP),
        ("training", "safety", LEAF),
        ("notes", None, LEAF),
    )
    nodes = tuple(
        Node(
            id=f"id-{key}",
            key=key,
            name=key.capitalize(),
            parent_id=f"id-{parent}" if parent else None,
            node_type=kind,
            scale_id="words" if kind is LEAF else None,
            sequence=place,
        )
        for place, (key, parent, kind) in enumerate(rows)
    )
    return VersionSnapshot(id="draft", rubric_name="Bids", nodes=nodes, scales=SCALES)


def counter(start: int = 0) -> Callable[[], str]:
    numbers = itertools.count(start)
    return lambda: f"new-{next(numbers)}"


def outline(version: VersionSnapshot) -> str:
    """The tree in one line: ``quality(price terms) notes``."""

    def under(parent: str | None) -> str:
        parts = []
        for node in version.nodes:
            if node.parent_id == parent:
                inside = under(node.id)
                parts.append(f"{node.key}({inside})" if inside else node.key)
        return " ".join(parts)

    return under(None)


def assert_storable(version: VersionSnapshot) -> None:
    keys = [node.key for node in version.nodes]
    assert all(key.strip() and len(key) <= 100 for key in keys)
    assert not [key for key, count in Counter(keys).items() if count > 1]
    by_id = {node.id: node for node in version.nodes}
    assert len(by_id) == len(version.nodes)
    met: set[str | None] = {None}
    for node in version.nodes:
        assert node.parent_id in met, "a parent stands before its children"
        assert node.parent_id is None or not by_id[node.parent_id].is_criterion
        met.add(node.id)
    for parent in met:
        numbers = [node.sequence for node in version.nodes if node.parent_id == parent]
        assert all(a < b for a, b in itertools.pairwise(numbers))
    stored = prepared(version, taken=(), new_id=counter(10_000))
    assert stored.nodes == version.nodes, "the store keeps it as it is"


# --- keys -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "taken", "key"),
    [
        ("Answers the question", (), "answers-the-question"),
        ("  Price  (per unit)! ", (), "price-per-unit"),
        ("Café crème", (), "cafe-creme"),
        ("価格 2", (), "価格-2"),
        ("名前が パン", (), "名前が-パン"),
        ("snake_case_name", (), "snake-case-name"),
        ("Price", ("price",), "price-2"),
        ("Price", ("PRICE", "price-2"), "price-3"),
        ("", (), "criterion"),
        ("!!!", ("criterion",), "criterion-2"),
        ("x" * 200, (), "x" * 100),
        ("x" * 200, ("x" * 100,), "x" * 98 + "-2"),
    ],
)
def test_a_key_is_proposed_from_the_name(name: str, taken: tuple[str, ...], key: str) -> None:
    assert editing.propose_key(name, taken) == key
    assert is_proposed(key, name, "criterion")


def test_the_key_follows_the_name_until_somebody_chooses_it_or_a_version_holds_it() -> None:
    version = small()
    renamed = editing.rename(version, "id-price", "Unit price").version
    assert renamed.nodes[1].key == "unit-price"
    chosen = editing.rename(editing.rekey(version, "id-price", "cost").version, "id-price", "Unit price")
    assert chosen.version.nodes[1].key == "cost"
    kept = editing.rename(version, "id-price", "Unit price", base_keys={"price"})
    assert kept.version.nodes[1].key == "price"
    assert editing.rename(version, "id-price", "Terms").version.nodes[1].key == "terms-2"


# --- what is refused --------------------------------------------------------------------------------

REFUSED: list[tuple[str, Callable[[VersionSnapshot], Edited]]] = [
    ("key_empty", lambda v: editing.rekey(v, "id-price", "  ")),
    ("key_long", lambda v: editing.rekey(v, "id-price", "k" * 101)),
    ("key_taken", lambda v: editing.rekey(v, "id-price", " terms ")),
    ("number", lambda v: editing.set_node(v, "id-price", weight=math.nan)),
    ("number", lambda v: editing.set_node(v, "id-price", weight=math.inf)),
    ("number", lambda v: editing.set_node(v, "id-price", weight=None)),
    ("number", lambda v: editing.set_node(v, "id-price", gate_minimum_score=-math.inf)),
    ("field", lambda v: editing.set_node(v, "id-price", key="other")),
    ("field", lambda v: editing.set_node(v, "id-price", rollup_method="Average")),
    ("field", lambda v: editing.set_node(v, "id-price", evaluator_config=["a"])),
    ("field", lambda v: editing.set_node(v, "id-price", evaluator_config={"x": math.nan})),
    ("scale_unknown", lambda v: editing.set_node(v, "id-price", scale_id="elsewhere")),
    ("under_criterion", lambda v: editing.set_node(v, "id-quality", node_type=LEAF)),
    ("under_criterion", lambda v: editing.add_node(v, LEAF, id="n", at="id-price", where="inside")),
    ("under_criterion", lambda v: editing.move_to(v, "id-notes", "id-price")),
    ("under_criterion", lambda v: editing.indent(v, "id-terms")),
    ("no_place", lambda v: editing.indent(v, "id-price")),
    ("no_place", lambda v: editing.outdent(v, "id-notes")),
    ("no_place", lambda v: editing.move(v, "id-quality", -1)),
    ("no_place", lambda v: editing.move(v, "id-notes", 1)),
    ("cycle", lambda v: editing.move_to(v, "id-quality", "id-quality")),
    ("not_there", lambda v: editing.delete(v, "gone")),
    ("number", lambda v: editing.set_version(v, pass_threshold=math.nan)),
    ("number", lambda v: editing.set_version(v, score_display_min=None)),
    ("field", lambda v: editing.set_version(v, not_applicable_policy="Whatever")),
    ("field", lambda v: editing.set_version(v, nodes=())),
]


@pytest.mark.parametrize(("code", "edit"), REFUSED)
def test_what_no_draft_could_hold_is_refused_in_one_line(
    code: str, edit: Callable[[VersionSnapshot], Edited]
) -> None:
    with pytest.raises(EditError) as refused:
        edit(small())
    assert refused.value.code == code
    assert "\n" not in str(refused.value)


def test_what_is_only_wrong_is_kept_for_the_list_of_problems() -> None:
    version = editing.set_node(small(), "id-price", weight=-3, is_gate=True, scale_id=None, name="").version
    price = version.nodes[1]
    assert (price.weight, price.is_gate, price.gate_minimum_score, price.scale_id) == (-3, True, None, None)


# --- where things go --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "expected", "focus"),
    [
        (lambda v: editing.move(v, "id-price", 1), "quality(terms price) safety(training) notes", "id-price"),
        (
            lambda v: editing.move(v, "id-notes", -9),
            "notes quality(price terms) safety(training)",
            "id-notes",
        ),
        (lambda v: editing.indent(v, "id-notes"), "quality(price terms) safety(training notes)", "id-notes"),
        (
            lambda v: editing.indent(v, "id-safety"),
            "quality(price terms safety(training)) notes",
            "id-safety",
        ),
        (lambda v: editing.outdent(v, "id-price"), "quality(terms) price safety(training) notes", "id-price"),
        (
            lambda v: editing.move_to(v, "id-safety", "id-quality", 0),
            "quality(safety(training) price terms) notes",
            "id-safety",
        ),
        (
            lambda v: editing.move_to(v, "id-terms", None, 0),
            "terms quality(price) safety(training) notes",
            "id-terms",
        ),
        (lambda v: editing.delete(v, "id-quality"), "safety(training) notes", "id-safety"),
        (lambda v: editing.delete(v, "id-notes"), "quality(price terms) safety(training)", "id-safety"),
        (lambda v: editing.delete(v, "id-training"), "quality(price terms) safety notes", "id-safety"),
        (
            lambda v: editing.duplicate(v, "id-quality", new_id=counter()),
            "quality(price terms) quality-2(price-2 terms-2) safety(training) notes",
            "new-0",
        ),
        (
            lambda v: editing.add_node(v, LEAF, id="n", name="Risk", at="id-safety", where="inside"),
            "quality(price terms) safety(training risk) notes",
            "n",
        ),
        (
            lambda v: editing.add_node(v, GROUP, id="n", at="id-price", where="after"),
            "quality(price group terms) safety(training) notes",
            "n",
        ),
        (
            lambda v: editing.add_node(v, LEAF, id="n", key="last", at=None, where="inside"),
            "quality(price terms) safety(training) notes last",
            "n",
        ),
    ],
)
def test_a_subtree_goes_where_it_is_put(
    edit: Callable[[VersionSnapshot], Edited], expected: str, focus: str
) -> None:
    edited = edit(small())
    assert outline(edited.version) == expected
    assert edited.focus == focus
    assert_storable(edited.version)


def test_moving_there_and_back_leaves_the_draft_as_it_was() -> None:
    version = small()
    there = editing.move(version, "id-notes", -2).version
    assert editing.move(there, "id-notes", 2).version == version


def test_an_edit_keeps_all_other_nodes_as_the_same_objects() -> None:
    version = small()
    edited = editing.set_node(version, "id-terms", weight=4).version
    same = [old is new for old, new in zip(version.nodes, edited.nodes, strict=True)]
    assert same == [True, True, False, True, True, True]
    assert editing.set_node(edited, "id-terms", weight=4.0).version is edited, "no change is no new draft"


def test_a_new_criterion_is_answered_on_its_neighbours_scale() -> None:
    version = editing.set_node(small(), "id-training", scale_id="percent").version
    at = {"id-safety": "percent", "id-quality": "words"}
    for group, scale in at.items():
        edited = editing.add_node(version, LEAF, id="n", at=group, where="inside").version
        assert next(node for node in edited.nodes if node.id == "n").scale_id == scale


def test_a_draft_from_outside_is_put_in_walk_order_first() -> None:
    shuffled = msgspec.structs.replace(small(), nodes=tuple(reversed(small().nodes)))
    version = editing.tidy(shuffled)
    assert outline(version) == "notes safety(training) quality(terms price)"
    assert_storable(version)
    assert editing.tidy(version) is version


# --- anchors and scales -----------------------------------------------------------------------------


def test_anchors_stand_in_the_order_of_the_levels_and_go_when_they_are_emptied() -> None:
    version = small()
    for level, text in (("words-3", "all there"), ("words-0", "nothing")):
        version = editing.set_anchor(version, "id-price", level, text).version
    assert [a.scale_level_id for a in version.nodes[1].anchors] == ["words-0", "words-3"]
    version = editing.set_anchor(version, "id-price", "words-0", "").version
    assert version.nodes[1].anchors == (Anchor(scale_level_id="words-3", descriptor="all there"),)


def scale_like(words: Scale, id: str, *labels: str) -> Scale:
    levels = tuple(
        Level(id=f"{id}-{place}", label=label, normalized_value=place / (len(labels) - 1), sequence=place)
        for place, label in enumerate(labels)
    )
    return Scale(id=id, levels=levels)


@pytest.mark.parametrize(
    ("labels", "levels"),
    [
        (("Good", "Miss"), ["other-1", "words-3"]),  # by label; what finds no level is kept
        (("A", "B", "C", "D"), ["other-0", "other-3"]),  # as many levels: by place
    ],
)
def test_anchor_texts_come_along_to_another_scale(labels: tuple[str, ...], levels: list[str]) -> None:
    version = small()
    for level in ("words-0", "words-3"):
        version = editing.set_anchor(version, "id-price", level, f"text of {level}").version
    other = scale_like(WORDS, "other", *labels)
    edited = editing.use_scale(version, "id-price", other).version
    assert edited.nodes[1].scale_id == "other"
    assert other in edited.scales
    assert [anchor.scale_level_id for anchor in edited.nodes[1].anchors] == levels
    assert [a.descriptor for a in edited.nodes[1].anchors] == ["text of words-0", "text of words-3"]


# --- bands ------------------------------------------------------------------------------------------


def test_bands_stand_in_the_order_of_their_scores_and_hold_numbers() -> None:
    high, low = Band(id="h", label="High", min_score=0.5), Band(id="l", label="Low", max_score=0.5)
    version = editing.set_bands(small(), [high, low]).version
    assert [band.label for band in version.bands] == ["Low", "High"]
    assert editing.set_bands(version, version.bands).version is version
    with pytest.raises(EditError, match="upper end of the band 'Low'"):
        editing.set_bands(version, [msgspec.structs.replace(low, max_score=math.nan)])


# --- history ----------------------------------------------------------------------------------------


def test_typing_is_one_step_and_a_new_edit_forgets_what_was_undone() -> None:
    version = small()
    history = History(version)
    for name in ("C", "Co", "Cost"):
        history.push(editing.rename(history.version, "id-price", name).version, "rename", run="name id-price")
    history.push(editing.delete(history.version, "id-notes").version, "delete", focus="id-notes")
    assert history.labels == ("rename", "delete")
    undone = history.undo()
    assert undone is not None
    assert undone[1:] == ("delete", "id-notes")
    history.undo()
    assert history.version is version
    assert history.undo() is None
    assert history.redo_label == "rename"
    history.redo()
    assert history.version.nodes[1].name == "Cost"
    history.push(editing.set_version(history.version, pass_threshold=0.5).version, "threshold")
    assert history.redo() is None


def test_only_the_latest_steps_are_kept() -> None:
    history = History(small(), limit=3)
    for weight in range(2, 8):
        history.push(editing.set_node(history.version, "id-price", weight=weight).version, f"weight {weight}")
    assert history.labels == ("weight 5", "weight 6", "weight 7")


# --- laws -------------------------------------------------------------------------------------------


def random_edit(version: VersionSnapshot, rolled: Dice, new_id: Callable[[], str]) -> Edited:
    ids = [node.id for node in version.nodes]
    if not ids or rolled.one_in(12):
        return editing.add_node(version, rolled.choose([GROUP, LEAF]), id=new_id(), at=None, where="inside")
    here, there = rolled.choose(ids), rolled.choose(ids)
    edits: list[Callable[[], Edited]] = [
        lambda: editing.add_node(version, LEAF, id=new_id(), name="Risk", at=here, where="after"),
        lambda: editing.add_node(version, GROUP, id=new_id(), name="Risk", at=here, where="inside"),
        lambda: editing.rename(version, here, rolled.choose(["", "Price", "Price!", "Ärger", "x" * 150])),
        lambda: editing.rekey(version, here, rolled.choose(["a", "b ", "", "k" * 100, "k" * 101])),
        lambda: editing.set_node(
            version,
            here,
            weight=rolled.choose([0, -1, 2, math.nan]),
            node_type=rolled.choose([GROUP, LEAF]),
        ),
        lambda: editing.move(version, here, rolled.choose([-3, -1, 1, 2])),
        lambda: editing.indent(version, here),
        lambda: editing.outdent(version, here),
        lambda: editing.move_to(version, here, rolled.choose([None, there]), rolled.choose([None, 0, 1, 7])),
        lambda: editing.duplicate(version, here, new_id=new_id),
        lambda: editing.delete(version, here),
        lambda: editing.paste(
            version,
            editing.copy_subtree(version, here),
            at=rolled.choose([None, there]),
            where=rolled.choose(["inside", "after"]),
            new_id=new_id,
        ),
    ]
    chosen: Callable[[], Edited] = rolled.choose(edits)
    return chosen()


def play(version: VersionSnapshot, rolled: Dice, steps: int, *, first_id: int = 0) -> History:
    """Random edits; those that are refused change nothing."""
    history, new_id = History(version), counter(first_id)
    for _ in range(steps):
        try:
            edited = random_edit(history.version, rolled, new_id)
        except EditError:
            continue
        if len(edited.version.nodes) <= 40:
            history.push(edited.version, "edit")
            assert edited.focus is None or edited.focus in {node.id for node in edited.version.nodes}
    return history


@quick
@given(dice)
def test_any_sequence_of_edits_leaves_a_tree_the_store_can_hold(rolled: Dice) -> None:
    assert_storable(play(small(), rolled, 30).version)


@quick
@given(dice)
def test_undo_and_redo_are_each_others_inverse(rolled: Dice) -> None:
    start = small()
    history = play(start, rolled, 12)
    end, steps = history.version, len(history.labels)
    for _ in range(steps):
        history.undo()
    assert history.version is start
    for _ in range(steps):
        history.redo()
    assert history.version is end


def only(version: VersionSnapshot, top: str) -> VersionSnapshot:
    """The version with nothing but one subtree."""
    clip = editing.copy_subtree(version, top)
    return msgspec.structs.replace(version, nodes=clip.nodes)


@quick
@given(dice)
def test_a_pasted_subtree_scores_as_the_one_it_was_copied_from(rolled: Dice) -> None:
    source = play(small(), rolled, 15).version
    if not source.nodes or any(node.weight < 0 for node in source.nodes):
        return
    top = rolled.choose([node.id for node in source.nodes])
    # The target holds the same scales under other ids and in another order.
    scales = tuple(
        msgspec.structs.replace(
            scale,
            id=f"there-{scale.id}",
            levels=tuple(msgspec.structs.replace(level, id=f"there-{level.id}") for level in scale.levels),
        )
        for scale in reversed(SCALES)
    )
    target = VersionSnapshot(id="other", scales=scales)
    clip = editing.copy_subtree(source, top)
    pasted = editing.paste(target, clip, at=None, where="inside", new_id=counter(500)).version
    assert pasted.scales == scales, "scales of the same content are not brought along"
    assert_storable(pasted)
    old, new = only(source, top), pasted
    answers: list[tuple[Answer, Answer]] = []
    for before, after in zip(old.nodes, new.nodes, strict=True):
        if before.is_criterion and before.scale_id == "words" and not rolled.one_in(4):
            level = rolled.choose(WORDS.levels).id
            answers.append(
                (
                    Answer(criterion_id=before.id, scale_level_id=level),
                    Answer(criterion_id=after.id, scale_level_id=f"there-{level}"),
                )
            )
    results = compute(old, [a for a, _ in answers]), compute(new, [b for _, b in answers])
    said: Any = [
        (r.normalized_score, r.outcome, r.completeness, [n.normalized_score for n in r.nodes])
        for r in results
    ]
    assert said[0] == said[1]


def test_a_scale_of_other_content_is_brought_along() -> None:
    clip = editing.copy_subtree(small(), "id-safety")
    target = VersionSnapshot(id="other", scales=(msgspec.structs.replace(WORDS, id="w2", name="Other"),))
    pasted = editing.paste(target, clip, at=None, where="inside", new_id=counter()).version
    assert [scale.id for scale in pasted.scales] == ["w2", "words"]
    assert pasted.nodes[1].scale_id == "words"


def test_settings_and_policies_are_set_by_their_words() -> None:
    version = editing.set_node(
        small(),
        "id-price",
        not_applicable_policy="CountAsZero",
        evaluator_config={"EvaluatorName": "LLM"},
        description="",
    ).version
    price = version.nodes[1]
    assert price.not_applicable_policy is NotApplicablePolicy.COUNT_AS_ZERO
    assert price.evaluator_config == {"EvaluatorName": "LLM"}
    assert price.description is None


def test_keys_that_a_paste_makes_do_not_meet_those_it_brings() -> None:
    version = editing.rekey(small(), "id-terms", "price-2").version
    clip = editing.copy_subtree(version, "id-quality")
    target = editing.delete(small(), "id-quality").version
    target = editing.rekey(target, "id-notes", "price").version
    pasted = editing.paste(target, clip, at=None, where="inside", new_id=counter()).version
    assert outline(pasted) == "safety(training) price quality(price-2 price-2-2)"
