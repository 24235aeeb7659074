from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import (
    Anchor,
    Band,
    Bump,
    Level,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    Scale,
    VersionSnapshot,
)
from rubrictui.core.versions import Change, VersionDiff, diff_versions

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/rubrics/diff.json").read_text())

SCALE = Scale(
    id="scale",
    name="Meets",
    levels=(
        Level(id="miss", label="Miss", normalized_value=0),
        Level(id="meets", label="Meets", normalized_value=1),
    ),
)


def version(*nodes: Node, **fields: Any) -> VersionSnapshot:
    fields = {"major_version": 1, "minor_version": 2, "patch_version": 3, "scales": (SCALE,), **fields}
    return VersionSnapshot(nodes=nodes, **fields)


def leaf(key: str = "security", **fields: Any) -> Node:
    return Node(**{"id": key, "key": key, "name": key.title(), "scale_id": "scale", **fields})


def group(key: str, **fields: Any) -> Node:
    return leaf(key, node_type=NodeType.GROUP, scale_id=None, **fields)


def rows(diff: VersionDiff) -> list[tuple[str, str, str]]:
    return sorted((change.bump, change.subject, change.property) for change in diff.changes)


def only(diff: VersionDiff) -> Change:
    (change,) = diff.changes
    return change


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_every_vector_gives_its_changes_bumps_and_number(vector: dict[str, Any]) -> None:
    base = None if vector["base"] is None else msgspec.convert(vector["base"], VersionSnapshot)
    draft = msgspec.convert(vector["draft"], VersionSnapshot)

    result = msgspec.to_builtins(diff_versions(base, draft, vector["requested_bump"]))

    expected = vector["expected"]
    found = Counter((row["bump"], row["subject"], row["property"]) for row in result.pop("changes"))
    assert found == Counter((row["bump"], row["subject"], row["property"]) for row in expected.pop("changes"))
    assert result == expected


def test_a_change_says_what_changed_where_and_what_that_means() -> None:
    base = version(group("risk"), leaf(parent_id="risk"))
    draft = version(group("risk"), leaf(parent_id="risk", weight=2))

    assert only(diff_versions(base, draft)) == Change(
        bump=Bump.MAJOR,
        subject="security",
        property="Weight",
        before=1.0,
        after=2.0,
        reason="Weight of 'Security' changed from 1 to 2: old scores do not compare.",
        path=("Risk", "Security"),
    )


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"is_gate": True}, "'Security' is a gate now: old scores do not compare."),
        ({"is_advisory": True}, "'Security' is advisory now: old scores do not compare."),
        (
            {"evidence_required": True},
            "'Security' requires evidence now: scores compare, the rules around them changed.",
        ),
        (
            {"not_applicable_policy": NotApplicablePolicy.NOT_ALLOWED},
            "N/A policy of 'Security' changed from the version's to NotAllowed: old scores do not compare.",
        ),
        (
            {"rollup_method": RollupMethod.MINIMUM},
            "Rollup of 'Security' changed from the default (WeightedMean) to Minimum: old scores do not compare.",
        ),
        ({"guidance": "x" * 200}, "Guidance of 'Security' changed from none to "),
        ({"scale_id": None}, "Scale of 'Security' changed from Meets to none: old scores do not compare."),
        (
            {"anchors": (Anchor(scale_level_id="miss", descriptor="bad"),)},
            "Anchor texts of 'Security' changed: scores stay as they are.",
        ),
    ],
)
def test_reasons_are_sentences_for_people(changed: dict[str, Any], reason: str) -> None:
    assert only(diff_versions(version(leaf()), version(leaf(**changed)))).reason.startswith(reason)


def test_long_texts_are_not_repeated_in_the_reason() -> None:
    base, draft = (version(leaf(description=letter * 100)) for letter in "ab")
    change = only(diff_versions(base, draft))
    assert change.reason == "Description of 'Security' was reworded: scores stay as they are."
    assert (change.before, change.after) == ("a" * 100, "b" * 100)


def test_a_node_that_moves_names_both_places() -> None:
    base = version(group("risk"), group("cost"), leaf(parent_id="risk"))
    draft = version(group("risk"), group("cost"), leaf(parent_id="cost"))
    assert only(diff_versions(base, draft)).reason == (
        "'Security' moved from 'Risk' to 'Cost': old scores do not compare."
    )


def test_a_draft_whose_groups_hold_each_other_is_still_compared() -> None:
    draft = version(group("a", parent_id="b"), group("b", parent_id="a"))
    assert rows(diff_versions(version(group("a"), group("b", parent_id="a")), draft)) == [
        ("Major", "a", "ParentID")
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"evaluator_config": None}, {"evaluator_config": {}}),
        ({"evaluator_config": {"a": 1}}, {"evaluator_config": {"a": True}}),
        ({"gate_minimum_score": None}, {"gate_minimum_score": 0.0}),
        ({"description": None}, {"description": ""}),
        ({"rollup_method": None}, {"rollup_method": RollupMethod.WEIGHTED_MEAN}),
        ({"parent_id": None}, {"parent_id": "nowhere"}),
        ({"scale_id": None}, {"scale_id": ""}),
        ({"weight": 0.3}, {"weight": 0.1 + 0.2}),
    ],
)
def test_none_empty_zero_and_defaults_all_differ(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert len(diff_versions(version(leaf(**before)), version(leaf(**after))).changes) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"evaluator_config": {"a": 1, "b": 2}}, {"evaluator_config": {"b": 2.0, "a": 1}}),
        ({"parent_id": None}, {"parent_id": " "}),
        ({"scale_id": "scale"}, {"scale_id": " SCALE"}),
        ({"id": "one"}, {"id": "two"}),
        ({"evaluator_config": {"a": (1, 2)}}, {"evaluator_config": {"a": [1, 2]}}),
    ],
)
def test_what_means_the_same_is_no_change(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert diff_versions(version(leaf(**before)), version(leaf(**after))).changes == ()


def test_an_anchor_that_moves_to_another_level_is_a_change_of_wording() -> None:
    base, draft = (
        version(leaf(anchors=(Anchor(scale_level_id=level, descriptor="fine"),)))
        for level in ("miss", "meets")
    )
    assert rows(diff_versions(base, draft)) == [("Patch", "security", "Descriptor")]


def test_a_node_advisory_on_both_sides_never_makes_a_major() -> None:
    base = version(leaf(is_advisory=True), leaf("cost"))
    draft = version(
        leaf(is_advisory=True, weight=9, scale_id=None), leaf("cost"), leaf("new", is_advisory=True)
    )
    assert {bump for bump, _, _ in rows(diff_versions(base, draft))} == {"Minor"}


def test_a_scale_that_only_advisory_nodes_use_is_not_compared() -> None:
    changed = msgspec.structs.replace(SCALE, higher_is_better=False)
    node = leaf(is_advisory=True)
    assert diff_versions(version(node), version(node, scales=(changed,))).changes == ()
    assert rows(diff_versions(version(node), version(leaf(), scales=(changed,)))) == [
        ("Major", "scale", "HigherIsBetter"),
        ("Major", "security", "IsAdvisory"),
    ]


def test_bands_match_by_label_then_id_then_when_one_is_left() -> None:
    def bands(*pairs: tuple[str, str]) -> dict[str, Any]:
        return {"bands": tuple(Band(id=own, label=label) for own, label in pairs)}

    renamed = diff_versions(version(**bands(("1", "Weak"))), version(**bands(("9", "Poor"))))
    assert rows(renamed) == [("Patch", "Weak", "band label")]
    by_id = diff_versions(
        version(**bands(("1", "Weak"), ("2", "Fair"))), version(**bands(("2", "So so"), ("3", "Weak")))
    )
    assert rows(by_id) == [("Patch", "Fair", "band label")]
    strangers = diff_versions(
        version(**bands(("1", "A"), ("2", "B"))), version(**bands(("3", "C"), ("4", "D")))
    )
    assert [name for _, _, name in rows(strangers)] == [
        "band removed",
        "band removed",
        "band added",
        "band added",
    ]


@pytest.mark.parametrize(
    ("requested", "applied", "number"),
    [
        (None, Bump.MINOR, "1.3.0"),
        ("Patch", Bump.MINOR, "1.3.0"),
        ("Initial", Bump.MINOR, "1.3.0"),
        ("Major", Bump.MAJOR, "2.0.0"),
    ],
)
def test_a_request_raises_the_bump_and_never_lowers_it(
    requested: str | None, applied: Bump, number: str
) -> None:
    diff = diff_versions(version(leaf()), version(leaf(), pass_threshold=0.5), requested)
    assert (diff.computed_bump, diff.applied_bump, str(diff.next_version)) == (Bump.MINOR, applied, number)


def test_an_unknown_request_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError, match="Unknown bump 'Huge'"):
        diff_versions(None, version(), "Huge")


def test_a_base_without_a_number_counts_as_nought() -> None:
    base = version(leaf(), major_version=None, minor_version=None, patch_version=None)
    diff = diff_versions(base, version(leaf(weight=2)))
    assert str(diff.next_version) == "1.0.0"


names = st.sampled_from(["a", "b", "c", "d", "e", "f"])


@st.composite
def versions(draw: st.DrawFn) -> VersionSnapshot:
    keys = draw(st.lists(names, max_size=6))
    nodes = tuple(
        Node(
            id=f"n{place}",
            key=key,
            parent_id=draw(st.sampled_from([None, "", "gone", *(f"n{other}" for other in range(place))])),
            name=draw(names),
            node_type=draw(st.sampled_from(NodeType)),
            scale_id=draw(st.sampled_from([None, "scale", "other"])),
            weight=draw(st.floats(0, 10)),
            is_advisory=draw(st.booleans()),
            evaluator_config=draw(st.none() | st.dictionaries(names, st.integers() | st.booleans())),
            anchors=tuple(
                Anchor(scale_level_id=draw(st.none() | names), descriptor=draw(names))
                for _ in range(draw(st.integers(0, 2)))
            ),
        )
        for place, key in enumerate(keys)
    )
    labels = draw(st.lists(names, max_size=4))
    bands = tuple(Band(id=f"b{place}", label=label, sequence=place) for place, label in enumerate(labels))
    return version(*nodes, bands=bands)


@given(versions())
def test_a_clone_with_new_ids_has_no_changes(base: VersionSnapshot) -> None:
    def fresh(own: str | None) -> str | None:
        return f"clone-{own}" if own else own

    clone = msgspec.structs.replace(
        base,
        id="another",
        nodes=tuple(
            msgspec.structs.replace(node, id=f"clone-{node.id}", parent_id=fresh(node.parent_id))
            for node in base.nodes
        ),
        bands=tuple(msgspec.structs.replace(band, id=f"clone-{band.id}") for band in base.bands),
    )
    assert diff_versions(base, clone) == VersionDiff(
        changes=(), computed_bump=None, applied_bump=None, next_version=None
    )
