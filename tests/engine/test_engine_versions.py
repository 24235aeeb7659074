"""The life of a rubric: drafts, publishing, numbers, retiring."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from engine_world import MEETS, NODES, WEEKS, World, answers

from rubrictui.core.errors import InvalidInputError
from rubrictui.core.model import (
    Anchor,
    Band,
    Bump,
    Level,
    Node,
    NodeType,
    Scale,
    VersionSnapshot,
    VersionStatus,
)
from rubrictui.core.records import Role
from rubrictui.engine import (
    NameTakenError,
    NoPublishedVersionError,
    NotFoundError,
    NotPermittedError,
    PublishRefusedError,
    StaleDraftError,
    StateError,
)
from rubrictui.store.errors import ScaleFrozenError, ScaleLevelFrozenError, VersionFrozenError

change = msgspec.structs.replace


def with_node(version: VersionSnapshot, key: str, **fields: object) -> VersionSnapshot:
    return change(version, nodes=tuple(change(n, **fields) if n.key == key else n for n in version.nodes))


def test_a_new_rubric_starts_with_an_empty_draft_that_has_no_number(world: World) -> None:
    made = world.chief.create_rubric("Paper review", category="Research", description="For the journal.")
    (draft,) = made.versions
    assert (draft.status, draft.number, draft.criteria_count) == (VersionStatus.DRAFT, None, 0)
    assert world.chief.categories()[0].name == "Research"
    assert world.chief.rubrics(category="research") == (made,)


@pytest.mark.parametrize("name", ["Paper review", "PAPER REVIEW", "  paper review "])
def test_a_rubric_name_is_taken_whatever_its_case(world: World, name: str) -> None:
    world.chief.create_rubric("Paper review")
    with pytest.raises(NameTakenError):
        world.chief.create_rubric(name)


def test_names_in_other_scripts_are_found_ignoring_case(world: World) -> None:
    made = world.chief.create_rubric("Übersicht ŁÓDŹ")
    assert world.chief.rubric("übersicht łódź").id == made.id
    with pytest.raises(NameTakenError):
        world.chief.create_rubric("ÜBERSICHT łódź")


def test_the_first_publish_is_1_0_0_whatever_was_requested(world: World) -> None:
    world.chief.create_rubric("Paper review")
    draft = world.chief.version("Paper review@draft")
    world.chief.save_draft(change(draft, nodes=NODES, scales=(MEETS, WEEKS)))
    published = world.chief.publish("Paper review", requested_bump=Bump.MINOR, summary="First.")
    assert (published.number, published.applied_bump) == ("1.0.0", Bump.INITIAL)
    assert published.published_by == "chief"
    assert published.change_summary == "First."
    assert len(published.content_hash or "") == len(published.scoring_hash or "") == 64
    assert world.chief.version("Paper review").status is VersionStatus.PUBLISHED


BAND = Band(id="b-strong", label="Strong", min_score=0.0, max_score=1.0)
CHANGES: dict[str, tuple[Callable[[VersionSnapshot], VersionSnapshot], str]] = {
    "a weight": (lambda v: with_node(v, "argument", weight=3.0), "2.0.0"),
    "a gate": (lambda v: with_node(v, "sources", is_gate=True, gate_minimum_score=0.5), "2.0.0"),
    "an advisory node's weight": (lambda v: with_node(v, "weeks", weight=2.0), "1.1.0"),
    "the pass threshold": (lambda v: change(v, pass_threshold=0.6), "1.1.0"),
    "a new band": (lambda v: change(v, bands=(BAND,)), "1.1.0"),
    "a rationale required": (lambda v: with_node(v, "clarity", rationale_required=True), "1.1.0"),
    "a name": (lambda v: with_node(v, "argument", name="The argument"), "1.0.1"),
    "an anchor": (
        lambda v: with_node(
            v, "argument", anchors=(Anchor(scale_level_id="meets", descriptor="Every step is stated."),)
        ),
        "1.0.1",
    ),
    "the instructions": (lambda v: change(v, instructions="Read twice."), "1.0.1"),
    "a node removed": (lambda v: change(v, nodes=tuple(n for n in v.nodes if n.key != "argument")), "2.0.0"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_number_says_how_far_a_change_goes(world: World, paper: VersionSnapshot, what: str) -> None:
    edit, number = CHANGES[what]
    world.chief.save_draft(edit(world.chief.start_draft("Paper review")))
    preview = world.chief.publish_preview("Paper review")
    assert str(preview.next_version) == number
    published = world.chief.publish("Paper review")
    assert published.number == number
    same_scores = published.scoring_hash == world.chief.rubric("Paper review").versions[1].scoring_hash
    assert same_scores is (number != "2.0.0")


@pytest.mark.parametrize(
    ("requested", "number"), [(Bump.PATCH, "1.1.0"), (Bump.MINOR, "1.1.0"), (Bump.MAJOR, "2.0.0")]
)
def test_a_requested_bump_raises_and_never_lowers(
    world: World, paper: VersionSnapshot, requested: Bump, number: str
) -> None:
    world.chief.save_draft(change(world.chief.start_draft("Paper review"), pass_threshold=0.5))
    assert world.chief.publish("Paper review", requested_bump=requested).number == number


def test_a_draft_identical_to_its_base_is_refused(world: World, paper: VersionSnapshot) -> None:
    world.chief.start_draft("Paper review")
    with pytest.raises(PublishRefusedError, match="identical") as refused:
        world.chief.publish("Paper review", requested_bump=Bump.MAJOR)
    assert [problem.code for problem in refused.value.problems] == ["identical"]


def test_a_refused_publish_lists_every_problem_and_changes_nothing(world: World) -> None:
    world.chief.create_rubric("Bad")
    draft = world.chief.version("Bad@draft")
    bad = (
        Node(id="a", key="a", name="A"),
        Node(id="b", key="b", name="B", scale_id=MEETS.id, weight=-1.0),
    )
    world.chief.save_draft(change(draft, nodes=bad, scales=(MEETS,)))
    with pytest.raises(PublishRefusedError) as refused:
        world.chief.publish("Bad")
    assert {problem.key for problem in refused.value.problems} == {"a", "b"}
    assert world.chief.version("Bad@draft").number is None


def test_a_clone_has_new_ids_shared_scales_and_the_same_content(world: World, paper: VersionSnapshot) -> None:
    draft = world.chief.start_draft("Paper review")
    assert not {n.id for n in draft.nodes} & {n.id for n in paper.nodes}
    assert draft.scales == paper.scales
    keys = {n.id: n.key for n in (*draft.nodes, *paper.nodes)}
    shape = [[(n.key, keys.get(n.parent_id or ""), n.weight) for n in v.nodes] for v in (draft, paper)]
    assert shape[0] == shape[1]
    assert world.chief.diff("Paper review", "1.0.0", "draft").changes == ()


def test_a_rubric_has_one_draft_at_a_time(world: World, paper: VersionSnapshot) -> None:
    world.chief.start_draft("Paper review")
    with pytest.raises(StateError, match="has a draft already"):
        world.chief.start_draft("Paper review")
    world.chief.discard_draft("Paper review")
    with pytest.raises(StateError, match="has no draft"):
        world.chief.discard_draft("Paper review")
    world.chief.start_draft("Paper review")


def test_the_base_is_the_highest_number_and_the_clone_is_of_the_latest_published(
    world: World, paper: VersionSnapshot
) -> None:
    world.chief.save_draft(with_node(world.chief.start_draft("Paper review"), "argument", weight=2.0))
    world.chief.publish("Paper review")
    world.chief.retire("Paper review@2.0.0")
    draft = world.chief.start_draft("Paper review")
    assert {n.key: n.weight for n in draft.nodes}["argument"] == 1.0
    # Compared with 2.0.0, going back to the old weight is a change of every score.
    assert world.chief.publish("Paper review").number == "3.0.0"


def test_when_nothing_is_published_a_draft_is_cloned_from_the_latest_retired(
    world: World, paper: VersionSnapshot
) -> None:
    world.chief.retire(paper.id)
    assert [n.key for n in world.chief.start_draft("Paper review").nodes] == [n.key for n in paper.nodes]


def test_retired_and_restored(world: World, paper: VersionSnapshot) -> None:
    retired = world.chief.retire("Paper review@1.0.0")
    assert retired.status is VersionStatus.RETIRED
    assert retired.retired_at is not None
    with pytest.raises(NoPublishedVersionError, match="No published version of that rubric"):
        world.chief.version("Paper review")
    with pytest.raises(StateError, match="Retired"):
        world.chief.retire("Paper review@1.0.0")
    assert world.chief.version(paper.id).status is VersionStatus.RETIRED
    assert world.chief.restore(paper.id).retired_at is None
    assert world.chief.version("Paper review").status is VersionStatus.PUBLISHED


@pytest.mark.parametrize(
    ("ref", "number"),
    [
        ("Paper review", "1.1.0"),
        ("paper REVIEW", "1.1.0"),
        ("Paper review@1.0.0", "1.0.0"),
        ("Paper review@1.0", "1.0.0"),
        ("Paper review@1", "1.1.0"),
        ("Paper review@v1.1.0", "1.1.0"),
        ("Paper review@draft", None),
    ],
)
def test_a_version_is_found_by_what_people_call_it(
    world: World, paper: VersionSnapshot, ref: str, number: str | None
) -> None:
    world.chief.save_draft(change(world.chief.start_draft("Paper review"), pass_threshold=0.5))
    world.chief.publish("Paper review")
    world.chief.start_draft("Paper review")
    assert world.chief.version(ref).number == number


@pytest.mark.parametrize(
    ("ref", "what"),
    [
        ("Nothing", "no rubric"),
        ("Paper review@9.9.9", "no version 9.9.9"),
        ("Paper review@draft", "no version"),
    ],
)
def test_a_version_that_is_not_there_is_named(
    world: World, paper: VersionSnapshot, ref: str, what: str
) -> None:
    with pytest.raises(NotFoundError, match=what):
        world.chief.version(ref)


def test_a_rubric_with_only_a_draft_has_no_published_version(world: World) -> None:
    world.chief.create_rubric("Only a draft")
    with pytest.raises(
        NoPublishedVersionError,
        match=r"No published version of that rubric.*only a draft\. Publish it: .*\(docs/formats.md\)\. "
        r'As "Only a draft@draft" it can be shown and previewed, not scored\.',
    ):
        world.chief.version("Only a draft")


# -- saving drafts -----------------------------------------------------------------------------------


def test_a_draft_reads_back_as_it_was_saved(world: World) -> None:
    world.chief.create_rubric("Paper review")
    draft = world.chief.version("Paper review@draft")
    config = {"Extensions": {"Caliber": {"AppliesTo": ["Interview"]}}}
    nodes = (
        change(
            NODES[0], evaluator_config=config, anchors=(Anchor(scale_level_id="miss", descriptor="None."),)
        ),
        *NODES[1:],
    )
    saved = change(
        draft, nodes=nodes, scales=(MEETS, WEEKS), bands=(BAND,), instructions="Read.", pass_threshold=0.0
    )
    assert world.chief.save_draft(saved) == 1
    read = world.chief.version("Paper review@draft")
    order = {id: place for place, id in enumerate(("n-argument", "n-quality", "n-weeks"))}
    assert [n.sequence for n in read.nodes if n.id in order] == [0, 1, 2]
    plain = [change(n, sequence=0) for n in read.nodes]
    assert plain == list(nodes)
    assert change(read, nodes=()) == change(saved, nodes=())


def test_the_order_of_nodes_is_kept_and_agreeing_sequences_are_left_alone(world: World) -> None:
    world.chief.create_rubric("Order")
    draft = world.chief.version("Order@draft")
    named = [Node(id=k, key=k, scale_id=MEETS.id) for k in ("z", "a", "m")]
    world.chief.save_draft(change(draft, nodes=tuple(named), scales=(MEETS,)))
    assert [n.key for n in world.chief.version("Order@draft").nodes] == ["z", "a", "m"]
    spaced = tuple(change(n, sequence=s) for n, s in zip(named, (10, 20, 30), strict=True))
    world.chief.save_draft(change(draft, nodes=spaced))
    assert [n.sequence for n in world.chief.version("Order@draft").nodes] == [10, 20, 30]


def test_children_may_be_given_before_their_parents_and_ids_in_any_case(world: World) -> None:
    world.chief.create_rubric("Order")
    draft = world.chief.version("Order@draft")
    nodes = (
        Node(id="child", key="child", parent_id=" GROUP ", scale_id="SCALE-mpm"),
        Node(id="Group", key="group", node_type=NodeType.GROUP),
        Node(id="", key="fresh", parent_id="group", scale_id=MEETS.id),
    )
    world.chief.save_draft(change(draft, nodes=nodes, scales=(MEETS,)))
    read = world.chief.version("Order@draft")
    assert [(n.key, n.parent_id) for n in read.nodes] == [
        ("group", None),
        ("child", "Group"),
        ("fresh", "Group"),
    ]
    assert all(n.id for n in read.nodes)


def test_ids_of_another_version_are_replaced_rather_than_taken(world: World, paper: VersionSnapshot) -> None:
    world.chief.create_rubric("Copy")
    draft = world.chief.version("Copy@draft")
    world.chief.save_draft(change(paper, id=draft.id))
    copy = world.chief.version("Copy@draft")
    assert [n.key for n in copy.nodes] == [n.key for n in paper.nodes]
    assert not {n.id for n in copy.nodes} & {n.id for n in paper.nodes}
    assert world.chief.version(paper.id) == paper


@pytest.mark.parametrize(
    ("nodes", "what"),
    [
        ((Node(id="a", key="x"), Node(id="b", key="x")), 'the key "x"'),
        ((Node(id="a", key="x"), Node(id="A ", key="y")), "the id"),
        ((Node(id="a", key=" "),), "no key"),
        ((Node(id="a", key="x", parent_id="gone"),), "parent of criterion"),
        ((Node(id="a", key="x", scale_id="gone"),), "uses a scale"),
        ((Node(id="a", key="x", parent_id="b"), Node(id="b", key="y", parent_id="a")), "form a circle"),
        ((Node(id="a", key="x", weight=float("nan")),), "weight"),
        ((Node(id="a", key="x", gate_minimum_score=float("inf")),), "gate_minimum_score"),
    ],
)
def test_what_no_store_could_keep_is_refused_by_name(
    world: World, nodes: tuple[Node, ...], what: str
) -> None:
    world.chief.create_rubric("Bad")
    draft = world.chief.version("Bad@draft")
    with pytest.raises(InvalidInputError, match=what):
        world.chief.save_draft(change(draft, nodes=nodes))
    assert world.chief.draft_revision("Bad") == 0


def test_a_stale_revision_is_refused_and_the_stored_draft_kept(world: World, paper: VersionSnapshot) -> None:
    draft = world.chief.start_draft("Paper review")
    base = world.chief.draft_revision("Paper review")
    assert world.chief.save_draft(change(draft, instructions="mine"), revision=base) == base + 1
    with pytest.raises(StaleDraftError) as stale:
        world.chief.save_draft(change(draft, instructions="theirs"), revision=base)
    assert stale.value.revision == base + 1
    assert world.chief.version("Paper review@draft").instructions == "mine"
    world.chief.save_draft(change(draft, instructions="over it"), revision=stale.value.revision)


def test_a_published_version_takes_no_draft_saves(world: World, paper: VersionSnapshot) -> None:
    with pytest.raises(VersionFrozenError, match="51101"):
        world.chief.save_draft(change(paper, instructions="other"))
    assert world.chief.version(paper.id) == paper


# -- scales ------------------------------------------------------------------------------------------


def test_a_frozen_scale_lets_only_level_descriptions_change(world: World, paper: VersionSnapshot) -> None:
    stored = next(s for s in world.chief.scales() if s.id == MEETS.id)
    described = change(
        stored, levels=(change(stored.levels[0], description="Not there."), *stored.levels[1:])
    )
    world.chief.save_scale(described)
    assert world.chief.version(paper.id).scales[0].levels[0].description == "Not there."
    with pytest.raises(ScaleFrozenError):
        world.chief.save_scale(change(stored, name="Other"))
    with pytest.raises(ScaleLevelFrozenError):
        world.chief.save_scale(change(stored, levels=stored.levels[:2]))


def test_a_scale_in_drafts_only_may_lose_a_level_and_its_anchors_go_along(world: World) -> None:
    world.chief.create_rubric("Order")
    draft = world.chief.version("Order@draft")
    anchored = Node(
        id="a", key="a", scale_id=MEETS.id, anchors=(Anchor(scale_level_id="partial", descriptor="Half."),)
    )
    world.chief.save_draft(change(draft, nodes=(anchored,), scales=(MEETS,)))
    world.chief.save_scale(change(MEETS, levels=(MEETS.levels[0], MEETS.levels[2])))
    (node,) = world.chief.version("Order@draft").nodes
    assert node.anchors == ()


@pytest.mark.parametrize(
    ("scale", "what"),
    [
        (Scale(id="", levels=(Level(id="", label=" "),)), "no label"),
        (Scale(id="", levels=(Level(id="", label="A"), Level(id="", label="A"))), "two levels"),
        (Scale(id="", levels=(Level(id="", label="A", normalized_value=1.5),)), "0..1"),
        (Scale(id="", levels=(Level(id="", label="A", normalized_value=float("nan")),)), "normalized_value"),
        (Scale(id="", min_value=5, max_value=5), "max_value"),
        (Scale(id="", min_value=0, max_value=5, step=0), "step"),
    ],
)
def test_what_is_no_scale_is_refused(world: World, scale: Scale, what: str) -> None:
    with pytest.raises(InvalidInputError, match=what):
        world.chief.save_scale(scale)


def test_two_scales_do_not_share_a_name(world: World) -> None:
    world.chief.save_scale(MEETS)
    with pytest.raises(NameTakenError):
        world.chief.save_scale(change(WEEKS, name="meets / partial / miss"))


# -- who may -----------------------------------------------------------------------------------------


def test_authoring_takes_the_role_author(world: World, paper: VersionSnapshot) -> None:
    reviewer = world.user("rita")
    for attempt in (
        lambda: reviewer.create_rubric("Mine"),
        lambda: reviewer.start_draft("Paper review"),
        lambda: reviewer.publish("Paper review"),
        lambda: reviewer.retire("Paper review@1.0.0"),
        lambda: reviewer.save_scale(MEETS),
        lambda: reviewer.save_category("Mine"),
        lambda: reviewer.save_draft(paper),
        lambda: reviewer.discard_draft("Paper review"),
    ):
        with pytest.raises(NotPermittedError, match=r"rita may not .* author"):
            attempt()
    author = world.user("ada", Role.AUTHOR)
    author.save_draft(change(author.start_draft("Paper review"), instructions="Read."))
    assert author.publish("Paper review").published_by == "ada"


def test_versions_count_only_the_evaluations_the_viewer_may_see(world: World, paper: VersionSnapshot) -> None:
    rita, paul = world.user("rita"), world.user("paul")
    given = answers(clarity="meets")
    for engine in (rita, paul):
        engine.submit_human_rubric(version_id=paper.id, subject="Paper/tides", answers=given)
    assert world.chief.rubric("Paper review").versions[0].evaluation_count == 2
    assert rita.rubric("Paper review").versions[0].evaluation_count == 1
