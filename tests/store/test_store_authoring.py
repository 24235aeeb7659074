"""What authors' work needs of the store, on both databases: changes of a tree, scales' uses, answers in bulk."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from uuid import uuid4

import msgspec
import pytest
from sqlalchemy import Connection
from store_rows import START, Rows

from rubrictui.core.authoring_records import ScaleUse
from rubrictui.core.model import Anchor, Band, Node, NodeType, VersionSnapshot, VersionStatus
from rubrictui.core.records import Role, SampleAnswer, SampleSet
from rubrictui.store import access, rubrics, samples, scales, trees
from rubrictui.store.database import Database
from rubrictui.store.errors import (
    AnchorFrozenError,
    BandFrozenError,
    ConstraintError,
    CriterionFrozenError,
    FrozenError,
    VersionFrozenError,
)

change = msgspec.structs.replace


def new_id() -> str:
    return str(uuid4())


@pytest.fixture
def draft(database: Database, rows: Rows) -> VersionSnapshot:
    """A group with two criteria on a scale of two levels, and a band."""
    scale = rows.scale("Two")
    low, high = rows.level(scale, "Low", 0.0), rows.level(scale, "High", 1.0, sequence=1)
    anchors = (Anchor(scale_level_id=low, descriptor="l"), Anchor(scale_level_id=high, descriptor="h"))
    version = rows.draft()
    nodes = (
        Node(id="g", key="group", node_type=NodeType.GROUP),
        Node(id="a", key="first", parent_id="g", scale_id=scale, anchors=anchors),
        Node(id="b", key="second", parent_id="g", scale_id=scale, sequence=1),
    )
    with database.write() as connection:
        found = trees.load_snapshot(connection, version)
        assert found is not None
        whole = change(found, nodes=nodes, bands=(Band(id="low", label="Low", max_score=0.5),))
        trees.replace_tree(connection, whole, revision=1, new_id=new_id, saved_at=START, saved_by="ada")
    return load(database, version)


def load(database: Database, version: str) -> VersionSnapshot:
    with database.read() as connection:
        found = trees.load_snapshot(connection, version)
    assert found is not None
    return found


def test_a_save_says_when_and_by_whom(database: Database, draft: VersionSnapshot) -> None:
    with database.read() as connection:
        assert rubrics.last_save(connection, draft.id) == (START, "ada")
        head = rubrics.version_head(connection, draft.id)
        assert head is not None
        assert head.revision == 1


def test_a_tree_changes_by_what_differs_keys_traded_and_children_moved(
    database: Database, draft: VersionSnapshot
) -> None:
    (group, first, second) = draft.nodes
    with database.write() as connection:
        trees.put_header(
            connection, draft.id, {"pass_threshold": 0.5}, revision=2, saved_at=START, saved_by="bob"
        )
        trees.park_keys(connection, ["a", "b", "g"])
        trees.add_nodes(
            connection, draft.id, [Node(id="h", key="group", node_type=NodeType.GROUP)], new_id=new_id
        )
        settings = {"Path": "pages", "Values": [1, None, {"b": 1, "a": 2}]}
        assert trees.change_nodes(
            connection,
            draft.id,
            [
                ("a", {"key": "second", "parent_id": "h"}),
                ("b", {"key": "first", "parent_id": "h"}),
                ("b", {"evaluator_config": settings, "weight": 2.5, "is_gate": True}),
            ],
        )
        reworded = change(first, anchors=(change(first.anchors[1], descriptor="High."),))
        trees.rewrite_anchors(connection, [reworded], new_id=new_id)
        trees.remove_nodes(connection, [group.id])
        trees.put_bands(
            connection,
            draft.id,
            added=[Band(id="top", label="Top", min_score=0.5, sequence=1)],
            changed=[change(draft.bands[0], label="Lower")],
        )
    stored = load(database, draft.id)
    assert [(n.id, n.key, n.parent_id) for n in stored.nodes] == [
        ("h", "group", None), ("a", "second", "h"), ("b", "first", "h")
    ]  # fmt: skip
    assert stored.nodes[1] == change(reworded, key="second", parent_id="h")
    assert stored.nodes[2] == change(
        second, key="first", parent_id="h", evaluator_config=settings, weight=2.5, is_gate=True
    )
    assert stored.pass_threshold == 0.5
    assert [band.label for band in stored.bands] == ["Lower", "Top"]
    with database.write() as connection:
        trees.put_bands(connection, draft.id, removed=["top"])
    assert [band.label for band in load(database, draft.id).bands] == ["Lower"]


def test_a_node_that_is_not_there_is_told(database: Database, rows: Rows, draft: VersionSnapshot) -> None:
    elsewhere = rows.criterion(rows.draft())
    for id in ("gone", elsewhere):
        with database.write() as connection:
            changes = [("a", {"name": "A"}), (id, {"name": "B"})]
            assert not trees.change_nodes(connection, draft.id, changes)
    assert rows.get(trees.CRITERION, elsewhere)["name"] == "Clarity"


def test_two_nodes_never_end_with_one_key(database: Database, draft: VersionSnapshot) -> None:
    with pytest.raises(ConstraintError, match="same key"), database.write() as connection:
        trees.change_nodes(connection, draft.id, [("a", {"key": "second"})])
    assert load(database, draft.id) == draft


Act = Callable[[Connection, VersionSnapshot], object]
FROZEN: list[tuple[Act, type[FrozenError]]] = [
    (
        lambda c, v: trees.put_header(c, v.id, {}, revision=9, saved_at=START, saved_by="eve"),
        VersionFrozenError,
    ),
    (lambda c, v: trees.change_nodes(c, v.id, [("a", {"name": "x"})]), CriterionFrozenError),
    (lambda c, v: trees.add_nodes(c, v.id, [Node(id="z", key="z")], new_id=new_id), CriterionFrozenError),
    (lambda c, v: trees.park_keys(c, ["a"]), CriterionFrozenError),
    (lambda c, v: trees.rewrite_anchors(c, [v.nodes[1]], new_id=new_id), AnchorFrozenError),
    (lambda c, v: trees.remove_nodes(c, ["b"]), CriterionFrozenError),
    (lambda c, v: trees.put_bands(c, v.id, changed=v.bands), BandFrozenError),
    (lambda c, v: trees.put_bands(c, v.id, removed=["low"]), BandFrozenError),
]


def test_no_change_gets_past_the_freeze(database: Database, rows: Rows, draft: VersionSnapshot) -> None:
    rows.publish(draft.id)
    published = load(database, draft.id)
    for act, error in FROZEN:
        with pytest.raises(error), database.write() as connection:
            act(connection, published)
    assert load(database, draft.id) == published


# -- scales and samples ------------------------------------------------------------------------------


def test_the_uses_of_scales_are_counted_by_version(database: Database, rows: Rows) -> None:
    scale, other, unused = rows.scale("One"), rows.scale("Other"), rows.scale("Unused")
    level = rows.level(other)
    rubric = rows.rubric("Zebra")
    published = rows.draft(rubric)
    rows.criterion(published, "a", scale_id=scale)
    rows.anchor(rows.criterion(published, "b", scale_id=scale), level)
    rows.publish(published, (1, 2, 0))
    rows.criterion(rows.draft(rubric), "a", scale_id=scale)
    rows.criterion(rows.draft(rows.rubric("ant")), "a", scale_id=scale)
    with database.read() as connection:
        uses = scales.uses(connection)
        assert scales.uses(connection, scale) == {scale: uses[scale]}
        assert scales.uses(connection, unused) == {}
        assert scales.known_scales(connection) == {scale, other, unused}
        assert scales.known_levels(connection, [level, "gone"]) == {level}
    assert [(use.rubric_name, use.version_number, use.criteria_count) for use in uses[scale]] == [
        ("ant", None, 1), ("Zebra", None, 1), ("Zebra", "1.2.0", 2)
    ]  # fmt: skip
    # No criterion is answered on it, but a frozen anchor is for one of its levels.
    assert uses[other] == (
        ScaleUse(
            rubric_id=rubric,
            rubric_name="Zebra",
            version_id=published,
            version_number="1.2.0",
            status=VersionStatus.PUBLISHED,
            criteria_count=0,
        ),
    )


def test_sample_sets_are_kept_changed_and_deleted(database: Database, rows: Rows) -> None:
    rubric, other = rows.rubric(), rows.rubric()
    given = {"ä key": SampleAnswer(level_id="l", level_label="Ja"), "n": SampleAnswer(raw_value=0.1)}
    kept = SampleSet(id="s1", rubric_id=rubric, name="All", answers=given, sequence=2)
    with database.write() as connection:
        samples.put_sample_set(connection, kept, at=START, by="ada")
        samples.put_sample_set(
            connection, change(kept, id="s2", name="None", answers={}, sequence=1), at=START, by="ada"
        )
        samples.put_sample_set(connection, change(kept, name="Every"), at=START, by="bob")
    with database.read() as connection:
        assert samples.sample_sets(connection, other) == ()
        empty, every = samples.sample_sets(connection, rubric)
    assert (empty.id, empty.answers) == ("s2", {})
    assert every == change(kept, name="Every")
    with pytest.raises(ConstraintError, match="of this name"), database.write() as connection:
        samples.put_sample_set(connection, change(kept, id="s3", name="None"), at=START, by="ada")
    with database.write() as connection:
        assert samples.delete_sample_set(connection, "s2")
        assert not samples.delete_sample_set(connection, "s2")


def test_names_and_categories_of_rubrics_change(database: Database, rows: Rows) -> None:
    rubric = rows.rubric("Old")
    with database.write() as connection:
        category = rubrics.Category(id="c", name="Kind")
        rubrics.put_category(connection, category)
        rubrics.rename_rubric(connection, rubric, "New")
        rubrics.describe_rubric(connection, rubric, "What for.")
        rubrics.set_category(connection, rubric, "c")
        assert rubrics.find_rubric(connection, "new") == (rubric, "New", "What for.", "Kind")
        rubrics.set_category(connection, rubric, None)
        rubrics.delete_category(connection, "c")
        assert rubrics.categories(connection) == ()


# -- answers in bulk ---------------------------------------------------------------------------------


def test_answers_come_in_bulk_for_what_the_viewer_may_read(
    database: Database, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "_SETS_AT_A_TIME", 2)
    scale = rows.scale()
    level = rows.level(scale)
    version = rows.draft()
    first, second = (rows.criterion(version, key, scale_id=scale) for key in ("a", "b"))
    group = rows.criterion(version, "g", node_type="Group")
    rows.publish(version)
    rita, chief = rows.user("rita"), rows.user("chief", Role.ADMINISTER_EVALUATIONS)
    made = []
    for number in range(5):
        subject = rows.subject(f"s{number}")
        evaluation = rows.evaluation(rita, subject, version)
        if number != 3:  # which answers nothing
            rows.score(evaluation, first, scale_level_id=level)
            rows.score(evaluation, second, raw_value=0.5 if number else None, is_not_applicable=not number)
            rows.score(evaluation, group, normalized_score=1.0)
        made.append(rows.submit(evaluation))
    rows.submit(rows.evaluation(chief, rows.subject("s5"), version), outcome="Incomplete")
    blind = rows.assignment(chief, rows.subject("s6"), rows.rubric())
    assert blind
    with database.read() as connection:
        sets = access.answer_sets(connection, chief, version, limit=4)
        assert (sets.limited, sets.left_out) == (True, True)
        every = access.answer_sets(connection, chief, version, limit=6)
        assert (len(every.evaluations), every.limited) == (6, False)
        assert list(every.evaluations)[1:] == made[::-1]  # the latest first
        hers = access.answer_sets(connection, rita, version, limit=100)
        assert (list(hers.evaluations), hers.left_out) == (made[::-1], True)
        chunks = [(list(ids), sorted(tuple(row) for row in found)) for ids, found in hers.answers()]
    assert [len(ids) for ids, _ in chunks] == [2, 2, 1]
    answered = list(itertools.chain.from_iterable(found for _, found in chunks))
    expected = [
        (evaluation, criterion, level if criterion == first else None, value, not_applicable)
        for number, evaluation in enumerate(made)
        if number != 3
        for criterion, value, not_applicable in (
            (first, None, False),
            (second, 0.5 if number else None, not number),
        )
    ]
    assert {tuple(map(str, row[:2])): (*row[2:4], bool(row[4])) for row in answered} == {
        row[:2]: row[2:] for row in expected
    }
