"""A draft saved a change at a time is stored as if it had been saved whole, and two who edit it lose nothing."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from engine_world import MEETS, NODES, WEEKS, World

from rubrictui.core.errors import InvalidInputError, RubrictuiError
from rubrictui.core.model import Anchor, Band, Level, Node, NodeType, Scale, VersionSnapshot
from rubrictui.core.records import Role
from rubrictui.engine import StaleDraftError, StateError
from rubrictui.store.errors import VersionFrozenError

change = msgspec.structs.replace
Edit = Callable[[VersionSnapshot], VersionSnapshot]

BANDS = (
    Band(id="b-low", label="Low", min_score=0.0, max_score=0.5),
    Band(id="b-high", label="High", min_score=0.5, max_score=1.0, sequence=1),
)
ANCHORED = tuple(
    change(node, anchors=(Anchor(scale_level_id="miss", descriptor="None."),))
    if node.key == "clarity"
    else node
    for node in NODES
)
FLAWS = Scale(id="scale-flaws", name="Flaws", levels=(Level(id="none", label="None", normalized_value=1.0),))


def start(world: World, name: str = "Draft") -> VersionSnapshot:
    """A draft of ``NODES``, whole, as the store gives it."""
    draft = world.chief.create_rubric(name).versions[0]
    empty = world.chief.version(draft.id)
    own = {node.id: f"{name}/{node.id}" for node in ANCHORED}
    nodes = tuple(
        change(node, id=own[node.id], parent_id=own[node.parent_id] if node.parent_id else None)
        for node in ANCHORED
    )
    bands = tuple(change(band, id=f"{name}/{band.id}") for band in BANDS)
    world.chief.save_draft(change(empty, nodes=nodes, scales=(MEETS, WEEKS), bands=bands))
    return world.chief.version(draft.id)


def node(version: VersionSnapshot, key: str) -> Node:
    return next(node for node in version.nodes if node.key == key)


def with_node(key: str, /, **fields: object) -> Edit:
    return lambda version: change(
        version, nodes=tuple(change(n, **fields) if n.key == key else n for n in version.nodes)
    )


def swapped_keys(version: VersionSnapshot) -> VersionSnapshot:
    other = {"argument": "clarity", "clarity": "argument"}
    return change(version, nodes=tuple(change(n, key=other.get(n.key, n.key)) for n in version.nodes))


def without(*keys: str) -> Edit:
    return lambda version: change(version, nodes=tuple(n for n in version.nodes if n.key not in keys))


def group_dissolved(version: VersionSnapshot) -> VersionSnapshot:
    """The group goes, a new one takes its key, and its children move under that."""
    fresh = f"{version.id}/new-group"
    old = node(version, "quality")
    nodes = [
        Node(id=fresh, key="quality", node_type=NodeType.GROUP) if n is old
        else change(n, parent_id=fresh) if n.parent_id == old.id else n
        for n in version.nodes
    ]  # fmt: skip
    return change(version, nodes=tuple(nodes))


def moved_to_the_front(key: str) -> Edit:
    def edit(version: VersionSnapshot) -> VersionSnapshot:
        moved = node(version, key)
        return change(version, nodes=(moved, *(n for n in version.nodes if n is not moved)))

    return edit


def added(parent: str | None, key: str, /, **fields: object) -> Edit:
    def edit(version: VersionSnapshot) -> VersionSnapshot:
        above = node(version, parent).id if parent else None
        new = Node(id=f"{version.id}/{key}", key=key, parent_id=above, scale_id=MEETS.id, **fields)  # type: ignore[arg-type]
        return change(version, nodes=(*version.nodes, new))

    return edit


def child_before_its_group(version: VersionSnapshot) -> VersionSnapshot:
    group = Node(id=f"{version.id}/g", key="late", node_type=NodeType.GROUP)
    child = Node(id=f"{version.id}/c", key="early", parent_id=group.id, scale_id=MEETS.id)
    return change(version, nodes=(*version.nodes, child, group))


def version_fields(**fields: object) -> Edit:
    return lambda version: change(version, **fields)


def bands_changed(version: VersionSnapshot) -> VersionSnapshot:
    _, high = version.bands
    middle = Band(id=f"{version.id}/b-mid", label="Middle", min_score=0.4, max_score=0.6)
    return change(version, bands=(middle, change(high, label="Top")))


def on_a_new_scale(version: VersionSnapshot) -> VersionSnapshot:
    scaled = with_node(
        "clarity", scale_id=FLAWS.id, anchors=(Anchor(scale_level_id="none", descriptor="Not one."),)
    )(version)
    return change(scaled, scales=(*version.scales, FLAWS))


EDITS: dict[str, Edit] = {
    "a text": with_node("clarity", description="Plain words.", guidance="Read it aloud."),
    "flags, numbers and settings": with_node(
        "clarity", weight=2.5, is_gate=True, gate_minimum_score=0.5, evaluator_config={"b": 1, "a": [True, None]}
    ),
    "settings taken away": with_node("clarity", evaluator_config=None, not_applicable_policy=None),
    "a key": with_node("argument", key=" thesis "),
    "keys traded": swapped_keys,
    "anchors": with_node(
        "clarity",
        anchors=(
            Anchor(scale_level_id="miss", descriptor="Nothing."),
            Anchor(scale_level_id="meets", descriptor="All."),
        ),
    ),
    "anchors taken away": with_node("clarity", anchors=()),
    "a criterion added at the end": added("quality", "style"),
    "one added at the top": added(None, "style", anchors=(Anchor(scale_level_id="meets", descriptor="Yes."),)),
    "a new group given after its child": child_before_its_group,
    "a criterion deleted": without("argument"),
    "a group deleted with what is in it": without("quality", "sources", "clarity"),
    "a group dissolved into a new one of its key": group_dissolved,
    "a key taken over from one that goes": lambda v: with_node("argument", key="weeks")(without("weeks")(v)),
    "moved up among siblings": moved_to_the_front("clarity"),
    "moved to the top level": with_node("clarity", parent_id=None),
    "a sequence that says otherwise": with_node("weeks", sequence=7),
    "version fields": version_fields(instructions="Read twice.", pass_threshold=0.6, score_display_max=10.0),
    "bands": bands_changed,
    "no bands": version_fields(bands=()),
    "a scale brought along": on_a_new_scale,
    "nothing at all": lambda version: version,
}  # fmt: skip


def as_stored(version: VersionSnapshot) -> VersionSnapshot:
    return change(version, id="", rubric_id="", rubric_name="")


@pytest.mark.parametrize("what", EDITS)
def test_saving_what_differs_stores_what_saving_the_whole_would(world: World, what: str) -> None:
    base = start(world)
    edited = EDITS[what](base)
    revision = world.chief.draft_revision("Draft")
    saved = world.chief.save_draft(edited, revision=revision, base=base)
    by_change = world.chief.version(base.id)
    assert saved == world.chief.draft_revision("Draft") == revision + (what != "nothing at all")
    world.chief.save_draft(edited)
    assert by_change == world.chief.version(base.id)
    assert world.chief.check() == ()


def test_a_long_way_of_edits_ends_where_the_last_of_them_does(world: World) -> None:
    """What was given to one save is the base of the next, also where the store numbers siblings anew."""
    given, chance = start(world), random.Random(3)
    revision = world.chief.draft_revision("Draft")
    for step in range(40):
        nodes = list(given.nodes)
        place = chance.randrange(len(nodes))
        match step % 4:
            case 0:
                group = next(n.id for n in nodes if not n.is_criterion)
                nodes.insert(place, Node(id=f"x{step}", key=f"x{step}", parent_id=group, scale_id=MEETS.id))
            case 1:
                nodes.append(nodes.pop(place))
            case 2:
                nodes[place] = change(nodes[place], weight=float(step))
            case _:
                moved = next(n for n in nodes if n.is_criterion)
                nodes[nodes.index(moved)] = change(moved, parent_id=None)
        edited = change(given, nodes=tuple(nodes))
        revision = world.chief.save_draft(edited, revision=revision, base=given)
        given = edited
    by_changes = world.chief.version(given.id)
    world.chief.save_draft(given)
    assert world.chief.version(given.id) == by_changes


WRONG: dict[str, tuple[Edit, type[RubrictuiError], str]] = {
    "no key": (with_node("clarity", key=" "), InvalidInputError, "no key"),
    "a key of another": (with_node("clarity", key="argument"), InvalidInputError, 'the key "argument"'),
    "a new node's key": (added(None, "argument"), InvalidInputError, 'the key "argument"'),
    "a number that is none": (with_node("clarity", weight=float("nan")), InvalidInputError, "weight"),
    "a threshold that is none": (version_fields(pass_threshold=float("inf")), InvalidInputError, "pass_thr"),
    "a parent that is not there": (with_node("clarity", parent_id="gone"), InvalidInputError, "parent of"),
    "a group deleted without its children": (without("quality"), InvalidInputError, "parent of"),
    "a circle": (
        lambda v: with_node("quality", parent_id=node(v, "clarity").id)(v), InvalidInputError, "form a circle"),
    "an unknown scale": (with_node("clarity", scale_id="gone"), InvalidInputError, "uses a scale"),
    "an unknown level": (
        with_node("clarity", anchors=(Anchor(scale_level_id="gone", descriptor="x"),)), InvalidInputError, "level"),
    "an id twice": (
        lambda v: change(v, nodes=(*v.nodes, change(v.nodes[0], key="other"))), InvalidInputError, "the id"),
    "a node without an id": (
        lambda v: change(v, nodes=(*v.nodes, Node(id="", key="other"))), InvalidInputError, "no id"),
    "a band without an id": (
        lambda v: change(v, bands=(*v.bands, Band(id="", label="x"))), InvalidInputError, "no id"),
    "an id of another version": (
        lambda v: change(v, nodes=(*v.nodes, Node(id="Other/n-argument", key="other"))),
        InvalidInputError, "in another version"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_change_that_no_store_could_keep_is_refused_and_nothing_is_stored(world: World, what: str) -> None:
    edit, error, words = WRONG[what]
    start(world, "Other")
    base = start(world)
    revision = world.chief.draft_revision("Draft")
    with pytest.raises(error, match=words):
        world.chief.save_draft(edit(base), revision=revision, base=base)
    assert world.chief.version(base.id) == base
    assert world.chief.draft_revision("Draft") == revision


def test_ids_in_another_case_are_found_all_the_same(world: World) -> None:
    base = start(world)
    revision = world.chief.draft_revision("Draft")
    moved = with_node("clarity", parent_id=f" {node(base, 'quality').id.upper()}", scale_id="SCALE-mpm")(base)
    assert world.chief.save_draft(moved, revision=revision, base=base) == revision + 1
    assert node(world.chief.version(base.id), "clarity") == node(base, "clarity")


def test_a_base_that_is_not_what_is_stored_loses_nothing_of_the_draft_that_is_saved(world: World) -> None:
    base = start(world)
    without_clarity = without("clarity")(base)
    revision = world.chief.save_draft(without_clarity)
    wanted = with_node("clarity", weight=3.0)(base)
    world.chief.save_draft(wanted, revision=revision, base=base)
    stored = world.chief.version(base.id)
    assert [(n.key, n.weight) for n in stored.nodes] == [(n.key, n.weight) for n in wanted.nodes]


def test_scales_that_the_editor_did_not_touch_are_not_written_back(world: World) -> None:
    """Someone else has reworded a scale since the draft was read."""
    base = start(world)
    revision = world.chief.draft_revision("Draft")
    world.chief.save_scale(change(WEEKS, description="Since the deadline."))
    world.chief.save_draft(with_node("clarity", weight=2.0)(base), revision=revision, base=base)
    assert {s.name: s.description for s in world.chief.scales()}["Weeks"] == "Since the deadline."


def test_a_published_version_takes_no_change_even_an_empty_one(world: World) -> None:
    base = start(world)
    world.chief.publish("Draft")
    for edit in ("a text", "nothing at all"):
        with pytest.raises(VersionFrozenError, match="51101"):
            world.chief.save_draft(EDITS[edit](base), revision=1, base=base)


def test_only_what_differs_is_written(world: World) -> None:
    base = start(world)
    written: list[str] = []
    with closing(sqlite3.connect(world.path)) as raw:
        before = dict(raw.execute("SELECT criterion_id || scale_level_id, id FROM criterion_level"))
    from sqlalchemy import event

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        written.append(statement.split(maxsplit=1)[0])

    event.listen(world.chief._database._engine, "before_cursor_execute", note)
    try:
        revision = world.chief.draft_revision("Draft")
        world.chief.save_draft(with_node("argument", name="Thesis")(base), revision=revision, base=base)
    finally:
        event.remove(world.chief._database._engine, "before_cursor_execute", note)
    assert sorted(word for word in written if word not in ("BEGIN", "SELECT")) == ["UPDATE", "UPDATE"]
    with closing(sqlite3.connect(world.path)) as raw:
        assert dict(raw.execute("SELECT criterion_id || scale_level_id, id FROM criterion_level")) == before


# -- two at once -------------------------------------------------------------------------------------


def test_the_second_of_two_editors_is_told_who_saved_what_and_when(world: World) -> None:
    base = start(world)
    ada = world.user("ada", Role.AUTHOR)
    mine = world.chief.open_rubric_draft("Draft")
    theirs = ada.open_rubric_draft("draft")
    assert (mine.revision, mine.saved_by, mine.version) == (theirs.revision, "chief", base)
    ada.save_draft(
        with_node("clarity", weight=2.0)(theirs.version), revision=theirs.revision, base=theirs.version
    )
    with pytest.raises(StaleDraftError, match="saved by ada in the meantime") as stale:
        world.chief.save_draft(
            with_node("clarity", weight=3.0)(base), revision=mine.revision, base=mine.version
        )
    assert (stale.value.saved_by, stale.value.revision) == ("ada", mine.revision + 1)
    assert stale.value.saved_at == world.chief.open_rubric_draft("Draft").saved_at
    assert node(stale.value.stored, "clarity").weight == 2.0
    assert world.chief.version(base.id) == stale.value.stored


EDITOR = """
import sys, msgspec
from rubrictui.engine import Engine, StaleDraftError
path, name, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Engine(path, user=name) as engine:
    for turn in range(times):
        sys.stdin.readline()
        held = engine.open_rubric_draft("Draft")
        base, revision = held.version, held.revision
        print("ready", flush=True)
        sys.stdin.readline()
        while True:
            mine = base.nodes[0].description or ""
            first = msgspec.structs.replace(base.nodes[0], description=f"{mine}{name}{turn} ")
            edited = msgspec.structs.replace(base, nodes=(first, *base.nodes[1:]))
            try:
                engine.save_draft(edited, revision=revision, base=base)
                break
            except StaleDraftError as stale:
                print("told", stale.saved_by, flush=True)
                base, revision = stale.stored, stale.revision
        print("saved", flush=True)
"""


def say(editor: subprocess.Popen[str], word: str) -> None:
    assert editor.stdin is not None
    editor.stdin.write(f"{word}\n")
    editor.stdin.flush()


def hear(editor: subprocess.Popen[str]) -> str:
    assert editor.stdout is not None
    return editor.stdout.readline().strip()


def test_two_processes_that_edit_one_draft_lose_nothing(world: World, tmp_path: Path) -> None:
    start(world)
    world.user("ada", Role.AUTHOR)
    world.user("bob", Role.AUTHOR)
    turns = 8
    editors = [
        subprocess.Popen(
            [sys.executable, "-c", EDITOR, str(world.path), name, str(turns)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for name in ("ada", "bob")
    ]  # fmt: skip
    told = 0
    for _ in range(turns):
        for word in ("open", "go"):  # both hold the same revision before either saves
            for editor in editors:
                say(editor, word)
            if word == "open":
                assert [hear(editor) for editor in editors] == ["ready", "ready"]
        for editor in editors:
            line = hear(editor)
            if line in ("told ada", "told bob"):
                told += 1
                line = hear(editor)
            assert line == "saved"
    for editor in editors:
        assert editor.wait() == 0
        editor.communicate()
    words = (node(world.chief.version("Draft@draft"), "argument").description or "").split()
    assert told == turns
    assert sorted(words) == sorted(f"{name}{turn}" for name in ("ada", "bob") for turn in range(turns))


# -- opening -----------------------------------------------------------------------------------------


def test_opening_a_draft_gives_its_base_and_its_source(world: World, paper: VersionSnapshot) -> None:
    with pytest.raises(StateError, match="has no draft"):
        world.chief.open_rubric_draft("Paper review")
    world.chief.save_draft(with_node("argument", weight=2.0)(world.chief.start_draft("Paper review")))
    world.chief.publish("Paper review")
    world.chief.retire("Paper review@2.0.0")
    world.chief.start_draft("Paper review")
    held = world.chief.open_rubric_draft("Paper review")
    assert held.version == world.chief.version("Paper review@draft")
    assert (held.revision, held.saved_by) == (0, None)
    assert held.based_on is not None
    assert held.published is not None
    # Cloned from what is in use, compared with the highest number there ever was.
    assert (held.based_on.number, held.published.number) == ("1.0.0", "2.0.0")


def test_the_first_draft_has_neither(world: World) -> None:
    start(world)
    held = world.chief.open_rubric_draft("Draft")
    assert (held.based_on, held.published, held.evaluation_count) == (None, None, 0)
